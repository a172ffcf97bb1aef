//! Plans: the loops of a program with their merge points, and a body for each region.

mod display;
mod limits;
mod walk;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::convert::{Duplicates, convert, is_tolerated};
use super::full;
use super::iterator::{Frontier, LevelIterator};
use super::lattice::{Lattice, MergePoint};
use super::padding;
use super::placed::is_ordered;
use super::presence::{MaybeAbsent, Scalars, maybe_absent};
use super::rest::{runs_elsewhere, set_aside, wants_first};
use super::resumed::{Order, Resumed, resumed};
use super::visits::covers;
use crate::concrete::space::Definition;
use crate::concrete::{Annotations, Program, Stmt, Target, Temporary};
use crate::coordinate::Coordinate;
use crate::limits::{Budget, LARGE};
use crate::notation::{Access, Expr, Extent, Function, ReduceOp, VariableId};

pub(crate) use walk::either;

/// The plan of a statement of concrete index notation.
#[derive(Clone, Debug)]
pub enum Plan {
    Loop(Loop),
    /// The producer fills the temporaries that the consumer reads.
    Where {
        temporaries: Vec<Temporary>,
        consumer: Arc<Plan>,
        producer: Arc<Plan>,
    },
    Assign {
        target: Access,
        accumulate: Option<ReduceOp>,
        value: Expr,
    },
    /// A statement that runs if a condition holds.
    If {
        condition: Expr,
        body: Arc<Plan>,
    },
    Sequence(Vec<Arc<Plan>>),
    /// Counts a coordinate of the loop over a variable, whose other coordinates run in one step.
    Visit(VariableId),
}

/// A loop over one variable: one or several merge points that run in order.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The number of the loop among those of its kernel, once they are numbered to tell where
    /// statements come from.
    pub number: Option<usize>,
    pub variable: VariableId,
    pub annotations: Arc<Annotations>,
    pub iterators: Vec<LevelIterator>,
    pub points: Vec<MergePoint>,
    /// The bodies, by the outcomes of the cases of the merge points.
    pub bodies: Vec<Arc<Plan>>,
    /// The body that runs once, after the merge points, for all coordinates at which no operand has
    /// an entry. The other bodies count their coordinates.
    pub rest: Option<usize>,
    /// `true` if a body runs for every coordinate of the dimension.
    pub exhaustive: bool,
    /// The order in which the coordinates are visited.
    pub order: Order,
    /// The loop around this one for whose previous coordinate it has run, if it resumes where it ended
    /// there.
    pub resumes: Option<Resumed>,
    /// The lattice of which the merge points are; `None` for a loop without operands.
    pub lattice: Option<Arc<Lattice>>,
}

/// The reason why a program has no plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unplannable {
    /// A limit on the size of the plan is exceeded; the budget names it.
    TooLarge,
    /// A level can be neither iterated nor located in, or nothing drives a loop.
    NoLoop,
}

/// Plans a program within a budget.
pub fn plan(program: &Program, budget: &Budget) -> Result<Plan, Unplannable> {
    budget.count_plan();
    let planner = Planner { program, budget, apart: usize::MAX, known: &RefCell::default() };
    let mut plan = planner.plan_program()?;
    planner.check_code(plan.code())?;
    if plan.code() > LARGE {
        let small = Planner { apart: 1, ..planner }.plan_program();
        plan = small.ok().filter(|small| small.code() < plan.code()).unwrap_or(plan);
    }
    plan = resumed(program, &plan).unwrap_or(plan);
    // Earlier values of a slice must not remain at coordinates without assignments.
    let is_cleared = |target: &&Target| {
        let has_places = program.last_appended(target).is_none();
        target.is_partial && !target.in_place && has_places && !covers(program, target, &plan)
    };
    let cleared = program.targets.iter().filter(is_cleared);
    let mut plans: Vec<Arc<Plan>> =
        cleared.map(|target| Arc::new(full::part(program, target))).collect();
    if plans.is_empty() {
        return Ok(plan);
    }
    plans.push(Arc::new(plan));
    Ok(Plan::Sequence(plans))
}

/// Plans the statements of a program.
#[derive(Clone, Copy)]
struct Planner<'p> {
    program: &'p Program,
    budget: &'p Budget,
    /// The largest number of regions of a merge with a merge point for each set of operands.
    apart: usize,
    /// For each nest of loops, outermost first, the variables whose coordinates are known within.
    known: &'p RefCell<BTreeMap<Vec<VariableId>, Arc<[VariableId]>>>,
}

impl Planner<'_> {
    /// Plans the statement of the program.
    fn plan_program(self) -> Result<Plan, Unplannable> {
        match self.program.body.is_skip() {
            true => self.plan(&full::nothing(self.program), &Frontier::default(), Scalars::NONE),
            false => self.plan(&self.program.body, &Frontier::default(), Scalars::NONE),
        }
    }

    /// Plans a statement: its cases, if it has a different effect in regions of the scalars that may
    /// be absent.
    fn plan(
        self,
        stmt: &Stmt,
        frontier: &Frontier,
        scalars: Scalars<'_>,
    ) -> Result<Plan, Unplannable> {
        let program = self.program;
        let depends = match stmt {
            Stmt::Forall { .. } | Stmt::Where { .. } => {
                !scalars.absent.is_empty() && !self.must_run(stmt)
            }
            Stmt::Assign { target, accumulate, .. } => match program.target(target.tensor) {
                Some(_) => {
                    program.may_lack_entries(target.tensor) && !full::must_run(program, stmt)
                }
                None => {
                    program.some_may_lack_entries()
                        || *accumulate == Some(ReduceOp::PROD)
                        || program.body.multiplies(target.tensor)
                        || !target.indices.is_empty() && program.body.divides(target.tensor)
                }
            },
            // Each part has its own regions.
            Stmt::If { .. } | Stmt::Sequence(_) => false,
        };
        match depends.then(|| scalars.cases(stmt)).flatten() {
            Some(cases) => self.plan_cases(&cases, frontier, scalars),
            None => self.plan_inside(stmt, frontier, scalars),
        }
    }

    /// Plans the cases of a statement; the first whose predicate holds applies.
    fn plan_cases(
        self,
        cases: &[(Expr, Stmt)],
        frontier: &Frontier,
        scalars: Scalars<'_>,
    ) -> Result<Plan, Unplannable> {
        let Some(((condition, body), rest)) = cases.split_first() else {
            return Ok(Plan::Sequence(Vec::new()));
        };
        let known = condition.conjuncts();
        let masks = |mask: &Expr| known.contains(&mask).then_some(true);
        let body = body.map_values(&|value| value.with_masks(&masks));
        let mut absent = scalars.absent.to_vec();
        absent.retain(|scalar| !known.contains(&&scalar.found()));
        let holds = [scalars.holds, std::slice::from_ref(condition)].concat();
        let within = Scalars { absent: &absent, holds: &holds };
        let plan = Arc::new(self.plan_inside(&body, frontier, within)?);
        if condition.as_literal().is_some() {
            return Ok(Arc::unwrap_or_clone(plan));
        }
        let found = Plan::If { condition: condition.clone(), body: plan };
        if rest.is_empty() {
            return Ok(found);
        }
        let otherwise = Plan::If {
            condition: Expr::call(Function::Not, vec![condition.clone()]),
            body: Arc::new(self.plan_cases(rest, frontier, scalars)?),
        };
        Ok(match body.is_skip() {
            true => otherwise,
            false => Plan::Sequence(vec![Arc::new(found), Arc::new(otherwise)]),
        })
    }

    /// Plans a statement within its region.
    fn plan_inside(
        self,
        stmt: &Stmt,
        frontier: &Frontier,
        scalars: Scalars<'_>,
    ) -> Result<Plan, Unplannable> {
        let program = self.program;
        match stmt {
            Stmt::Forall { variable, annotations, body } => {
                let head = (*variable, annotations);
                Ok(Plan::Loop(self.plan_loop(head, body, frontier, scalars)?))
            }
            Stmt::Where { temporaries, consumer, producer } => {
                let producer = self.plan(producer, frontier, scalars)?;
                let own = temporaries.iter().filter_map(|t| maybe_absent(program, *t, &producer));
                let absent: Vec<MaybeAbsent> = scalars.absent.iter().cloned().chain(own).collect();
                let scalars = Scalars { absent: &absent, ..scalars };
                Ok(Plan::Where {
                    temporaries: temporaries.clone(),
                    consumer: Arc::new(self.plan(consumer, frontier, scalars)?),
                    producer: Arc::new(producer),
                })
            }
            Stmt::Assign { target, accumulate, value } => Ok(Plan::Assign {
                target: target.clone(),
                accumulate: *accumulate,
                value: scalars.with_zeros(&program.kernel, target, value),
            }),
            Stmt::If { condition, body } => Ok(Plan::If {
                condition: condition.clone(),
                body: Arc::new(self.plan(body, frontier, scalars)?),
            }),
            Stmt::Sequence(statements) => {
                let plans = statements.iter();
                let plans = plans.map(|stmt| self.plan(stmt, frontier, scalars).map(Arc::new));
                Ok(Plan::Sequence(plans.collect::<Result<_, _>>()?))
            }
        }
    }

    /// Returns whether a statement must run even if no entries are found: a result has all
    /// coordinates.
    fn must_run(self, stmt: &Stmt) -> bool {
        let program = self.program;
        let mut stores_all = false;
        stmt.for_each_assign(&mut |target, _, _| {
            let is_result = program.target(target.tensor).is_some();
            stores_all |= is_result && !program.may_lack_entries(target.tensor);
        });
        stores_all || !program.some_may_lack_entries() || full::must_run(program, stmt)
    }

    fn plan_loop(
        self,
        (variable, annotations): (VariableId, &Arc<Annotations>),
        body: &Stmt,
        frontier: &Frontier,
        scalars: Scalars<'_>,
    ) -> Result<Loop, Unplannable> {
        let program = self.program;
        let iterators =
            frontier.iterators(program, body, variable, &self.known(frontier, variable));
        let iterators = iterators.ok_or(Unplannable::NoLoop)?;
        self.check_merge(variable, &iterators)?;
        let at_gaps = full::at_gaps(program, variable, body);
        let located = &annotations.located;
        let lattice = Lattice::of(program, variable, located, &iterators, body, at_gaps.as_ref());
        let lattice = lattice.map(|lattice| lattice.apart(self.apart));
        let lattice = Arc::new(self.check_regions(lattice, body)?);
        let points = lattice.points();
        let can_run = |points: &[MergePoint]| {
            points.iter().all(|point| can_run(program, variable, &iterators, point))
        };
        if !can_run(&points) || runs_elsewhere(program, frontier, variable, &iterators, &lattice) {
            return Err(Unplannable::NoLoop);
        }
        let is_ordered = wants_order(program, variable, body);
        let plan_with =
            |lattice: &Arc<Lattice>, points: &[MergePoint], rest: Option<&Stmt>, duplicates| {
                let optional = lattice.optional();
                let chooses = |rest| wants_first(program, variable, rest);
                let in_order = is_ordered || rest.is_some_and(chooses);
                let converted =
                    convert(program, &iterators, points, optional, in_order, duplicates);
                let iterators = converted.ok_or(Unplannable::NoLoop)?;
                let inner = frontier.bind(variable, &iterators);
                let mut bodies = Vec::new();
                let mut code = 0_usize;
                for (outcome, stmt) in lattice.bodies().iter().enumerate() {
                    let stmt = padding::split(program, frontier, &inner, stmt);
                    let body = self.plan(&stmt, &inner, scalars)?;
                    code = code.saturating_add(body.code());
                    self.check_code(code)?;
                    // A coordinate without effect is one of the rest.
                    bodies.push(Arc::new(match rest {
                        Some(_) if outcome > 0 => body.followed_by(Plan::Visit(variable)),
                        _ => body,
                    }));
                }
                let at_rest = rest.map(|rest| self.plan(rest, frontier, scalars)).transpose()?;
                let rest = at_rest.map(|body| {
                    bodies.push(Arc::new(body));
                    bodies.len() - 1
                });
                if !is_tolerated(program, &iterators, points, &bodies) {
                    return Err(Unplannable::NoLoop);
                }
                let exhaustive = rest.is_some() || lattice.is_exhaustive();
                let annotations = Arc::clone(annotations);
                let (number, lattice) = (None, Some(Arc::clone(lattice)));
                Ok(Loop {
                    number,
                    variable,
                    annotations,
                    iterators,
                    points: points.to_vec(),
                    bodies,
                    rest,
                    exhaustive,
                    order: Order::Forward,
                    resumes: None,
                    lattice,
                })
            };
        if at_gaps.is_none()
            && let Some((visited, rest)) = set_aside(program, frontier, variable, &lattice)
            && let visited_points = visited.points()
            && can_run(&visited_points)
        {
            // Each coordinate must be counted once.
            let visited = Arc::new(visited);
            match plan_with(&visited, &visited_points, Some(&rest), Duplicates::Together) {
                Err(Unplannable::NoLoop) => {}
                planned => return planned,
            }
        }
        let repeats = iterators.iter().any(|iterator| !iterator.spec(program).properties.unique);
        match plan_with(&lattice, &points, None, Duplicates::OneByOne) {
            Err(Unplannable::NoLoop) if repeats => {
                plan_with(&lattice, &points, None, Duplicates::Together)
            }
            planned => planned,
        }
    }

    /// Returns the variables whose coordinates are known within a loop over `v`.
    fn known(self, frontier: &Frontier, v: VariableId) -> Arc<[VariableId]> {
        let bound: Vec<VariableId> = frontier.bound.iter().copied().chain([v]).collect();
        let mut all = self.known.borrow_mut();
        let known = all.entry(bound).or_insert_with_key(|bound| {
            self.program.space.known(&self.program.kernel, bound).into()
        });
        Arc::clone(known)
    }
}

/// Returns whether something drives a merge point. Diagonals and slots have no range of their own,
/// and a level that is iterated by coordinate but not full cannot be merged with others.
fn can_run(
    program: &Program,
    variable: VariableId,
    iterators: &[LevelIterator],
    point: &MergePoint,
) -> bool {
    let has_range = match program.space.definition(variable) {
        None => program.kernel.variable(variable).extent != Extent::Unbounded,
        Some(
            Definition::Computed(Coordinate::Div(..) | Coordinate::Mod(..))
            | Definition::Fused(..)
            | Definition::Positions(_)
            | Definition::Slice(_)
            | Definition::Fixed,
        ) => true,
        Some(Definition::Computed(Coordinate::Affine(_)) | Definition::Slot(_)) => false,
    };
    let partial = |member: usize| {
        let iterator = &iterators[member];
        let level = &iterator.spec(program).level;
        level.position_iteration().is_none() && !iterator.has_all(program)
    };
    let alone = point.drivers.len() == 1 && !point.by_dimension;
    (has_range || !point.by_dimension)
        && (alone || !point.drivers.members().any(partial))
        && point.drivers.members().all(|member| iterators[member].drives)
}

/// Returns whether a statement assigns to a result that requires coordinates of a variable in
/// order.
fn wants_order(program: &Program, variable: VariableId, stmt: &Stmt) -> bool {
    let stored = program.targets.iter().filter(|target| stmt.assigns(target.access.tensor));
    stored.into_iter().any(|target| is_ordered(program, target, variable))
}
