//! Results with full levels: assigns fill values at coordinates where the operands have no entries.

use std::sync::Arc;

use super::lattice::{MergePoint, Set};
use super::plan::{Loop, Plan};
use super::resumed::Order;
use crate::concrete::{Program, Stmt, Target};
use crate::notation::{Access, Expr, VariableId};

/// Returns the statement that a loop over `variable` runs at coordinates where `body` simplifies to
/// nothing. Returns `None` unless the result must have entries at all coordinates.
pub(super) fn at_gaps(program: &Program, variable: VariableId, body: &Stmt) -> Option<Stmt> {
    let (mut assigns, mut stores) = (false, false);
    body.for_each_assign(&mut |target, _, _| {
        assigns = true;
        stores |= program.target(target.tensor).is_some();
    });
    let is_for_result = stores || !assigns;
    (is_for_result && is_filled(program, variable)).then(|| zeros(program, body))
}

/// Returns whether a statement must run so that the result has all coordinates.
pub(super) fn must_run(program: &Program, stmt: &Stmt) -> bool {
    !zeros(program, stmt).is_skip()
}

/// Returns the loops of a program whose value is known to be zero.
pub(super) fn nothing(program: &Program) -> Stmt {
    let fill = |target: &Target| {
        let result = &target.access;
        let levels = program.tensor(result.tensor).format.levels.len();
        let variables = (0..levels).filter_map(|level| program.level_variable(result, level));
        let filled: Vec<_> = variables.take_while(|v| fills(program, result, *v)).collect();
        let zero = || assign(target);
        let innermost = if filled.len() == levels && levels > 0 { zero() } else { Stmt::SKIP };
        filled.into_iter().rev().fold(innermost, |body, variable| visit(variable, body))
    };
    Stmt::sequence(program.targets.iter().map(fill).collect())
}

/// Assigns the unassigned value to the slice of a result that is computed.
pub(super) fn part(program: &Program, target: &Target) -> Plan {
    let result = &target.access;
    let mut variables: Vec<VariableId> = Vec::new();
    for v in &result.indices {
        let needed = program.space.needs(*v).iter().copied();
        for v in needed.chain([program.space.counted(*v)]) {
            if !variables.contains(&v) {
                variables.push(v);
            }
        }
    }
    let value = Expr::Literal(target.unassigned);
    let zero = Plan::Assign { target: result.clone(), accumulate: None, value };
    variables.into_iter().rev().fold(zero, |body, variable| {
        let everywhere = MergePoint {
            drivers: Set::EMPTY,
            located: Set::EMPTY,
            by_dimension: true,
            ended: Set::EMPTY,
            cases: vec![(Set::EMPTY, 1)],
        };
        Plan::Loop(Loop {
            number: None,
            variable,
            annotations: Arc::default(),
            iterators: Vec::new(),
            points: vec![everywhere],
            bodies: vec![Arc::new(Plan::Sequence(Vec::new())), Arc::new(body)],
            rest: None,
            exhaustive: true,
            order: Order::Forward,
            resumes: None,
            lattice: None,
        })
    })
}

/// Assigns to a result its value at coordinates without assignments.
fn assign(Target { access, unassigned, .. }: &Target) -> Stmt {
    Stmt::Assign { target: access.clone(), accumulate: None, value: Expr::Literal(*unassigned) }
}

/// Returns a loop that visits all coordinates.
fn visit(variable: VariableId, body: Stmt) -> Stmt {
    Stmt::Forall { variable, annotations: Arc::default(), body: Box::new(body) }
}

/// Returns whether a loop over a variable must insert all coordinates into some result.
fn is_filled(program: &Program, variable: VariableId) -> bool {
    program.targets.iter().any(|target| fills(program, &target.access, variable))
}

/// Returns whether a loop over a variable must insert all coordinates into a result: a full level
/// to which coordinates are appended stores them, possibly through full levels below the variable's
/// own. Blocks and offsets belong to the level of the variable that they divide.
fn fills(program: &Program, result: &Access, variable: VariableId) -> bool {
    let levels = &program.tensor(result.tensor).format.levels;
    let counted = program.space.index_variables(variable);
    let is_own = |v: VariableId| v == variable || counted.contains(&v);
    let mut from = (0..levels.len())
        .skip_while(|level| !program.level_variable(result, *level).is_some_and(is_own))
        .take_while(|level| levels[*level].properties.full);
    from.any(|level| levels[level].level.insert().is_none())
}

/// Returns a statement that assigns the unassigned value to the entries that the result must have.
pub(super) fn zeros(program: &Program, stmt: &Stmt) -> Stmt {
    match stmt {
        Stmt::Forall { variable, .. } if !is_filled(program, *variable) => Stmt::SKIP,
        Stmt::Forall { variable, body, .. } => visit(*variable, zeros(program, body)),
        Stmt::Where { consumer, producer, .. } => {
            let stores = program.targets.iter().any(|t| producer.assigns(t.access.tensor));
            let stored = if stores { zeros(program, producer) } else { Stmt::SKIP };
            Stmt::sequence(vec![stored, zeros(program, consumer)])
        }
        Stmt::Assign { target, .. } => match program.target(target.tensor) {
            Some(result) if stores_all(program, target) => assign(result),
            Some(_) | None => Stmt::SKIP,
        },
        Stmt::If { body, .. } => zeros(program, body),
        Stmt::Sequence(statements) => {
            Stmt::sequence(statements.iter().map(|stmt| zeros(program, stmt)).collect())
        }
    }
}

/// Returns whether the target is a result that stores all coordinates at its last level.
pub(super) fn stores_all(program: &Program, target: &Access) -> bool {
    let levels = program.tensor(target.tensor).format.levels.len();
    let last = levels.checked_sub(1).and_then(|last| program.level_variable(target, last));
    program.target(target.tensor).is_some() && last.is_some_and(|last| fills(program, target, last))
}
