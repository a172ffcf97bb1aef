//! Results with full levels: what is stored where the operands leave nothing to do.

use std::rc::Rc;

use super::lattice::{MergePoint, Set};
use super::plan::{Loop, Plan};
use crate::concrete::{Program, Stmt};
use crate::notation::{Access, Expr, VariableId};

/// What a loop over a variable around `body` does at coordinates where nothing is left of `body`:
/// nothing, unless the result must have all of them.
pub(super) fn at_gaps(program: &Program, variable: VariableId, body: &Stmt) -> Option<Stmt> {
    let (mut assigns, mut stores) = (false, false);
    body.for_each_assign(&mut |target, _, _| {
        assigns = true;
        stores |= *target == program.kernel.assignment.result;
    });
    let is_for_result = stores || !assigns;
    (is_for_result && is_filled(program, variable)).then(|| zeros(program, body))
}

/// Whether a statement must run for the result to have every coordinate, whatever it comes to.
pub(super) fn must_run(program: &Program, stmt: &Stmt) -> bool {
    !zeros(program, stmt).is_skip()
}

/// The loops of a program of whose value nothing is left.
pub(super) fn nothing(program: &Program) -> Stmt {
    let result = &program.kernel.assignment.result;
    let levels = program.tensor(result.tensor).format.levels.len();
    let variables = (0..levels).filter_map(|level| program.level_variable(result, level));
    let filled: Vec<_> = variables.take_while(|v| is_filled(program, *v)).collect();
    let zero = || Stmt::Assign { target: result.clone(), accumulate: None, value: Expr::ZERO };
    let innermost = if filled.len() == levels && levels > 0 { zero() } else { Stmt::SKIP };
    filled.into_iter().rev().fold(innermost, |body, variable| visit(variable, body))
}

/// Zeros for the part of the result that is computed.
pub(super) fn part(program: &Program) -> Plan {
    let result = &program.kernel.assignment.result;
    let mut variables: Vec<VariableId> = Vec::new();
    for v in &result.indices {
        let needed = program.space.needs(*v).iter().copied();
        for v in needed.chain([program.space.counted(*v)]) {
            if !variables.contains(&v) {
                variables.push(v);
            }
        }
    }
    let zero = Plan::Assign { target: result.clone(), accumulate: None, value: Expr::ZERO };
    variables.into_iter().rev().fold(zero, |body, variable| {
        let everywhere = MergePoint {
            drivers: Set::EMPTY,
            located: Set::EMPTY,
            by_dimension: true,
            cases: vec![(Set::EMPTY, 1)],
        };
        Plan::Loop(Loop {
            variable,
            annotations: Rc::default(),
            iterators: Vec::new(),
            points: vec![everywhere],
            bodies: vec![Rc::new(Plan::Sequence(Vec::new())), Rc::new(body)],
            exhaustive: true,
        })
    })
}

/// A loop that visits every coordinate even where it does nothing there.
fn visit(variable: VariableId, body: Stmt) -> Stmt {
    Stmt::Forall { variable, annotations: Rc::default(), body: Box::new(body) }
}

/// Whether a loop over a variable must bring every coordinate into the result: some level that is
/// appended to and full takes them, or is below one that has a place for each.
fn is_filled(program: &Program, variable: VariableId) -> bool {
    let result = &program.kernel.assignment.result;
    let levels = &program.tensor(result.tensor).format.levels;
    let mut from = (0..levels.len())
        .skip_while(|level| program.level_variable(result, *level) != Some(variable))
        .take_while(|level| levels[*level].properties.full);
    from.any(|level| levels[level].level.insert().is_none())
}

/// A statement with zero for every value, as far as the result must have it.
fn zeros(program: &Program, stmt: &Stmt) -> Stmt {
    match stmt {
        Stmt::Forall { variable, .. } if !is_filled(program, *variable) => Stmt::SKIP,
        Stmt::Forall { variable, body, .. } => visit(*variable, zeros(program, body)),
        Stmt::Where { consumer, .. } => zeros(program, consumer),
        Stmt::Assign { target, .. } if stores_all(program, target) => {
            Stmt::Assign { target: target.clone(), accumulate: None, value: Expr::ZERO }
        }
        Stmt::Assign { .. } => Stmt::SKIP,
        Stmt::If { body, .. } => zeros(program, body),
        Stmt::Sequence(statements) => {
            Stmt::sequence(statements.iter().map(|stmt| zeros(program, stmt)).collect())
        }
    }
}

/// Whether what is assigned to is the result, with all coordinates at its last level.
fn stores_all(program: &Program, target: &Access) -> bool {
    let result = &program.kernel.assignment.result;
    let levels = program.tensor(result.tensor).format.levels.len();
    let last = levels.checked_sub(1).and_then(|last| program.level_variable(result, last));
    target == result && last.is_some_and(|last| is_filled(program, last))
}
