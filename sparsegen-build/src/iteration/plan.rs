//! The plan of a program: its loops with their merge points, a body for each region.

mod display;
mod limits;
mod walk;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::convert::{Duplicates, convert, is_tolerated};
use super::found::{Unfound, condition, is_nothing_without, unfound};
use super::full;
use super::graph::last_appended;
use super::iterator::{Frontier, LevelIterator};
use super::lattice::{Lattice, MergePoint};
use super::padding;
use super::quotient::guarded;
use super::visits::covers;
use crate::concrete::space::Definition;
use crate::concrete::{Annotations, Program, Stmt};
use crate::limits::Budget;
use crate::notation::{Access, Expr, ReduceOp, TensorId, VariableId};

/// What a statement of concrete notation becomes.
#[derive(Clone, Debug)]
pub enum Plan {
    Loop(Loop),
    /// The producer fills the temporary that the consumer reads.
    Where {
        temporary: TensorId,
        op: ReduceOp,
        consumer: Rc<Plan>,
        producer: Rc<Plan>,
        /// The temporaries without anything in all of which the consumer must not run: the result would
        /// store what is not there. None where it runs in any case.
        only_if_found: Vec<TensorId>,
    },
    Assign {
        target: Access,
        accumulate: Option<ReduceOp>,
        value: Expr,
    },
    /// What is done only where a condition holds.
    If {
        condition: Expr,
        body: Rc<Plan>,
    },
    Sequence(Vec<Rc<Plan>>),
}

/// A loop over one variable: one or several merge points, run in order.
#[derive(Clone, Debug)]
pub struct Loop {
    pub variable: VariableId,
    pub annotations: Rc<Annotations>,
    pub iterators: Vec<LevelIterator>,
    pub points: Vec<MergePoint>,
    /// What is done in each region, by the outcomes of the points' cases.
    pub bodies: Vec<Rc<Plan>>,
    /// Whether the body runs for every coordinate of the dimension.
    pub exhaustive: bool,
}

/// Why a program has no plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unplannable {
    /// The loops would have more parts than the compiler takes on; the budget tells which.
    TooLarge,
    /// A level can neither be iterated nor located where its coordinate becomes known, or a loop has
    /// nothing to run over.
    NoLoop,
}

/// Plans a whole program, within a budget.
pub fn plan(program: &Program, budget: &Budget) -> Result<Plan, Unplannable> {
    let planner = Planner { program, budget, known: &RefCell::default() };
    if program.body.is_skip() {
        return planner.plan(&full::nothing(program), &Frontier::default(), &[]);
    }
    let plan = planner.plan(&program.body, &Frontier::default(), &[])?;
    planner.check_code(plan.code())?;
    let kernel = &program.kernel;
    let has_places = last_appended(kernel).is_none();
    if !kernel.is_partial() || kernel.in_place || !has_places || covers(program, &plan) {
        return Ok(plan);
    }
    // What the part held before must not stay where nothing is stored.
    Ok(Plan::Sequence(vec![Rc::new(full::part(program)), Rc::new(plan)]))
}

/// Plans the statements of a program.
#[derive(Clone, Copy)]
struct Planner<'p> {
    program: &'p Program,
    budget: &'p Budget,
    /// By the loops around, outermost first: the variables whose coordinates are known within.
    known: &'p RefCell<BTreeMap<Vec<VariableId>, Rc<[VariableId]>>>,
}

impl Planner<'_> {
    /// Plans a statement. `uncertain` are the scalars that it reads, that were filled before, and for
    /// which nothing may have been found.
    fn plan(
        self,
        stmt: &Stmt,
        frontier: &Frontier,
        uncertain: &[Unfound],
    ) -> Result<Plan, Unplannable> {
        let program = self.program;
        match stmt {
            Stmt::Forall { variable, annotations, body } => {
                let head = (*variable, annotations);
                Ok(Plan::Loop(self.plan_loop(head, body, frontier, uncertain)?))
            }
            Stmt::Where { temporary, op, consumer, producer } => {
                let producer = self.plan(producer, frontier, &[])?;
                // A workspace knows what was found in it.
                let is_scalar = program.tensor(*temporary).format.levels.is_empty();
                let own: Vec<Unfound> = match is_scalar {
                    true => unfound(program, *temporary, *op, &producer).into_iter().collect(),
                    false => Vec::new(),
                };
                let must_run = !program.may_lack_entries() || full::must_run(program, consumer);
                let all = [uncertain, &own].concat();
                let is_nothing_without = |unfound: &[Unfound]| {
                    !unfound.is_empty() && is_nothing_without(consumer, unfound)
                };
                let only_if_found = match consumer.as_ref() {
                    _ if must_run => Vec::new(),
                    _ if is_nothing_without(&own) => own,
                    // Another scalar may be found before it is decided.
                    Stmt::Where { .. } => Vec::new(),
                    Stmt::Forall { .. }
                    | Stmt::If { .. }
                    | Stmt::Assign { .. }
                    | Stmt::Sequence(_) => {
                        let mut read = all.clone();
                        read.retain(|Unfound { temporary: id, .. }| {
                            consumer.reads().iter().any(|access| access.tensor == *id)
                        });
                        if is_nothing_without(&read) { read } else { Vec::new() }
                    }
                };
                let only_if_found: Vec<TensorId> =
                    only_if_found.into_iter().map(|known| known.temporary).collect();
                let (consumer, beside) = match only_if_found.is_empty() {
                    true => {
                        let mut entries = all.clone();
                        entries.retain(|known| !known.is_range);
                        (&guarded(consumer, &entries), &all[..])
                    }
                    false => (&**consumer, &[][..]),
                };
                Ok(Plan::Where {
                    temporary: *temporary,
                    op: *op,
                    consumer: Rc::new(self.plan(consumer, frontier, beside)?),
                    producer: Rc::new(producer),
                    only_if_found,
                })
            }
            Stmt::Assign { target, accumulate, value } => {
                let (target, accumulate, value) = (target.clone(), *accumulate, value.clone());
                let may_skip = program.may_lack_entries()
                    && target.tensor == program.kernel.result()
                    && !full::must_run(program, stmt);
                let found = condition(&value, uncertain).filter(|_| may_skip);
                let assign = Plan::Assign { target, accumulate, value };
                Ok(match found {
                    Some(condition) => Plan::If { condition, body: Rc::new(assign) },
                    None => assign,
                })
            }
            Stmt::If { condition, body } => Ok(Plan::If {
                condition: condition.clone(),
                body: Rc::new(self.plan(body, frontier, &[])?),
            }),
            Stmt::Sequence(statements) => {
                let plans = statements.iter().map(|s| self.plan(s, frontier, &[]).map(Rc::new));
                Ok(Plan::Sequence(plans.collect::<Result<_, _>>()?))
            }
        }
    }

    fn plan_loop(
        self,
        (variable, annotations): (VariableId, &Rc<Annotations>),
        body: &Stmt,
        frontier: &Frontier,
        uncertain: &[Unfound],
    ) -> Result<Loop, Unplannable> {
        let program = self.program;
        let iterators =
            frontier.iterators(program, body, variable, &self.known(frontier, variable));
        let iterators = iterators.ok_or(Unplannable::NoLoop)?;
        self.check_merge(variable, &iterators)?;
        let at_gaps = full::at_gaps(program, variable, body);
        let located = &annotations.located;
        let lattice = Lattice::of(program, variable, located, &iterators, body, at_gaps.as_ref());
        let lattice = self.check_regions(lattice, body)?;
        let points = lattice.points();
        if !points.iter().all(|point| can_run(program, variable, &iterators, point)) {
            return Err(Unplannable::NoLoop);
        }
        let in_order = wants_order(program, variable, body);
        let plan_with = |duplicates| {
            let converted = convert(program, &iterators, &points, in_order, duplicates);
            let iterators = converted.ok_or(Unplannable::NoLoop)?;
            let inner = frontier.bind(variable, &iterators);
            let mut bodies = Vec::new();
            let mut code = 0_usize;
            for stmt in lattice.bodies() {
                let stmt = padding::split(program, frontier, &inner, stmt);
                let body = self.plan(&stmt, &inner, uncertain)?;
                code = code.saturating_add(body.code());
                self.check_code(code)?;
                bodies.push(Rc::new(body));
            }
            if !is_tolerated(program, &iterators, &points, &bodies) {
                return Err(Unplannable::NoLoop);
            }
            let (points, exhaustive) = (points.clone(), lattice.is_exhaustive());
            let annotations = Rc::clone(annotations);
            Ok(Loop { variable, annotations, iterators, points, bodies, exhaustive })
        };
        let repeats = iterators.iter().any(|iterator| !iterator.spec(program).properties.unique);
        match plan_with(Duplicates::OneByOne) {
            Err(Unplannable::NoLoop) if repeats => plan_with(Duplicates::Together),
            planned => planned,
        }
    }

    /// Returns the variables whose coordinates are known within a loop over `v`.
    fn known(self, frontier: &Frontier, v: VariableId) -> Rc<[VariableId]> {
        let bound: Vec<VariableId> = frontier.bound.iter().copied().chain([v]).collect();
        let mut all = self.known.borrow_mut();
        let known = all.entry(bound).or_insert_with_key(|bound| {
            self.program.space.known(&self.program.kernel, bound).into()
        });
        Rc::clone(known)
    }
}

/// Whether a merge point has something to run over: diagonals and slots have no range of their own,
/// and a level that is iterated by coordinate without being full is not merged with others.
fn can_run(
    program: &Program,
    variable: VariableId,
    iterators: &[LevelIterator],
    point: &MergePoint,
) -> bool {
    let has_range = match program.space.definition(variable) {
        None
        | Some(
            Definition::Div(..)
            | Definition::Mod(..)
            | Definition::Fused(..)
            | Definition::Slice(_)
            | Definition::Once,
        ) => true,
        Some(Definition::Sub(..) | Definition::Add(..) | Definition::Slot(_)) => false,
    };
    let partial = |member: usize| {
        let iterator = &iterators[member];
        let level = &iterator.spec(program).level;
        level.position_iteration().is_none() && !iterator.is_full(program)
    };
    let alone = point.drivers.len() == 1 && !point.by_dimension;
    (has_range || !point.by_dimension)
        && (alone || !point.drivers.members().any(partial))
        && point.drivers.members().all(|member| iterators[member].drives)
}

/// Whether the result takes the coordinates of a variable in order from a statement.
fn wants_order(program: &Program, variable: VariableId, stmt: &Stmt) -> bool {
    let mut stores = false;
    let result = &program.kernel.assignment.result;
    stmt.for_each_assign(&mut |target, _, _| stores |= target == result);
    stores && is_ordered(program, variable)
}

/// Whether the result's entries are appended in the order of a variable.
fn is_ordered(program: &Program, variable: VariableId) -> bool {
    let result = &program.kernel.assignment.result;
    let levels = &program.tensor(result.tensor).format.levels;
    let appended = last_appended(&program.kernel).map_or(0..0, |last| 0..last + 1);
    appended.into_iter().any(|level| {
        levels[level].properties.ordered && program.level_variable(result, level) == Some(variable)
    })
}
