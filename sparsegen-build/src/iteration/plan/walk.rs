//! Properties of plans: their size, loops and reads.

use std::sync::Arc;

use crate::concrete::Program;
use crate::iteration::iterator::LevelIterator;
use crate::iteration::lattice::MergePoint;
use crate::iteration::must_execute::MustExecute;
use crate::iteration::presence::reads_presence;
use crate::notation::{Access, Expr, Function, ReduceOp, TensorId};

use super::{Loop, Plan, is_ordered};

impl Plan {
    /// Returns the number of loops and assignments, counted in each region.
    pub fn size(&self) -> usize {
        match self {
            Plan::Loop(inner) => 1 + inner.bodies.iter().map(|body| body.size()).sum::<usize>(),
            Plan::Where { consumer, producer, .. } => consumer.size() + producer.size(),
            Plan::Assign { .. } => 1,
            Plan::Visit(_) => 0,
            Plan::If { body, .. } => 1 + body.size(),
            Plan::Sequence(plans) => plans.iter().map(|plan| plan.size()).sum(),
        }
    }

    /// Calls `visit` on every loop.
    pub fn for_each_loop<'p>(&'p self, visit: &mut impl FnMut(&'p Loop)) {
        match self {
            Plan::Loop(inner) => {
                visit(inner);
                inner.bodies.iter().for_each(|body| body.for_each_loop(visit));
            }
            Plan::Where { consumer, producer, .. } => {
                producer.for_each_loop(visit);
                consumer.for_each_loop(visit);
            }
            Plan::Assign { .. } | Plan::Visit(_) => {}
            Plan::If { body, .. } => body.for_each_loop(visit),
            Plan::Sequence(plans) => plans.iter().for_each(|plan| plan.for_each_loop(visit)),
        }
    }

    /// Returns the two versions of a statement, if this may be them: the second runs only if a range is
    /// empty.
    pub fn versions(&self) -> Option<[&Plan; 2]> {
        let Plan::Sequence(versions) = self else { return None };
        either(versions).map(|(_, usual, of_empty)| [usual, of_empty])
    }

    /// Numbers the loops from `next` on, outer ones first.
    pub fn number(&mut self, next: &mut usize) {
        let mut of = |plan: &mut Arc<Plan>| Arc::make_mut(plan).number(next);
        match self {
            Plan::Loop(inner) => {
                inner.number = Some(*next);
                *next += 1;
                inner.bodies.iter_mut().for_each(|body| Arc::make_mut(body).number(next));
            }
            Plan::Where { consumer, producer, .. } => {
                of(producer);
                of(consumer);
            }
            Plan::Assign { .. } | Plan::Visit(_) => {}
            Plan::If { body, .. } => of(body),
            Plan::Sequence(plans) => plans.iter_mut().for_each(of),
        }
    }

    /// Returns the plan that runs another one after this one.
    pub(super) fn followed_by(self, next: Plan) -> Plan {
        match self {
            Plan::Sequence(mut plans) if either(&plans).is_none() => {
                plans.push(Arc::new(next));
                Plan::Sequence(plans)
            }
            first => Plan::Sequence(vec![Arc::new(first), Arc::new(next)]),
        }
    }

    /// Returns whether the plan does nothing.
    pub fn is_skip(&self) -> bool {
        matches!(self, Plan::Sequence(plans) if plans.is_empty())
    }

    /// Calls `visit` with the target of every assignment, and how values are accumulated in it.
    pub fn for_each_assign(&self, visit: &mut dyn FnMut(&Access, Option<ReduceOp>)) {
        match self {
            Plan::Loop(inner) => inner.bodies.iter().for_each(|body| body.for_each_assign(visit)),
            Plan::Where { consumer, producer, .. } => {
                producer.for_each_assign(visit);
                consumer.for_each_assign(visit);
            }
            Plan::Assign { target, accumulate, .. } => visit(target, *accumulate),
            Plan::Visit(_) => {}
            Plan::If { body, .. } => body.for_each_assign(visit),
            Plan::Sequence(plans) => plans.iter().for_each(|plan| plan.for_each_assign(visit)),
        }
    }

    /// Returns whether the plan assigns to a tensor.
    pub fn assigns(&self, tensor: TensorId) -> bool {
        match self {
            Plan::Loop(inner) => inner.bodies.iter().any(|body| body.assigns(tensor)),
            Plan::Where { consumer, producer, .. } => {
                consumer.assigns(tensor) || producer.assigns(tensor)
            }
            Plan::Assign { target, .. } => target.tensor == tensor,
            Plan::Visit(_) => false,
            Plan::If { body, .. } => body.assigns(tensor),
            Plan::Sequence(plans) => plans.iter().any(|plan| plan.assigns(tensor)),
        }
    }

    /// Returns whether the plan depends on whether an entry was found for a temporary.
    pub fn reads_presence(&self, temporary: TensorId) -> bool {
        match self {
            Plan::Loop(inner) => inner.bodies.iter().any(|body| body.reads_presence(temporary)),
            Plan::Where { consumer, producer, .. } => {
                [consumer, producer].into_iter().any(|plan| plan.reads_presence(temporary))
            }
            Plan::Assign { value, .. } => reads_presence(value, temporary),
            Plan::Visit(_) => false,
            Plan::If { condition, body } => {
                reads_presence(condition, temporary) || body.reads_presence(temporary)
            }
            Plan::Sequence(plans) => plans.iter().any(|plan| plan.reads_presence(temporary)),
        }
    }

    /// Calls `visit` with every assigned value and every condition.
    pub fn for_each_value<'p>(&'p self, visit: &mut dyn FnMut(&'p Expr)) {
        match self {
            Plan::Loop(inner) => inner.bodies.iter().for_each(|body| body.for_each_value(visit)),
            Plan::Where { consumer, producer, .. } => {
                producer.for_each_value(visit);
                consumer.for_each_value(visit);
            }
            Plan::Assign { value, .. } => visit(value),
            Plan::Visit(_) => {}
            Plan::If { condition, body } => {
                visit(condition);
                body.for_each_value(visit);
            }
            Plan::Sequence(plans) => plans.iter().for_each(|plan| plan.for_each_value(visit)),
        }
    }

    /// Returns the accesses that are read, without duplicates, in order of appearance.
    pub fn reads(&self) -> Vec<&Access> {
        let mut reads: Vec<&Access> = Vec::new();
        self.for_each_value(&mut |value| {
            value.for_each_access(&mut |access| {
                if !reads.contains(&access) {
                    reads.push(access);
                }
            });
        });
        reads
    }

    /// Returns whether a nested loop searches entries of a result that is assembled in order among
    /// all coordinates, which takes more time than the number of entries.
    pub fn searches_entries(&self, program: &Program) -> bool {
        self.searches_within(program, 0)
    }

    fn searches_within(&self, program: &Program, depth: usize) -> bool {
        match self {
            Plan::Loop(inner) => {
                let walks = |point: &MergePoint| {
                    let full = |member: usize| inner.iterators[member].is_full(program);
                    !point.by_dimension
                        && !point.drivers.is_empty()
                        && !point.drivers.members().any(full)
                };
                // Each body must execute some assignment if no dimension is empty.
                let always = MustExecute { program, ranges_count: true, counts: &|_, _| true };
                let searches = depth > 0
                    && program.targets.iter().any(|t| is_ordered(program, t, inner.variable))
                    && !inner.points.iter().all(walks)
                    && !(1..inner.bodies.len()).all(|body| always.holds_in(inner, body));
                searches || inner.bodies.iter().any(|body| body.searches_within(program, depth + 1))
            }
            Plan::Where { consumer, producer, .. } => {
                consumer.searches_within(program, depth) || producer.searches_within(program, depth)
            }
            Plan::Assign { .. } | Plan::Visit(_) => false,
            Plan::If { body, .. } => body.searches_within(program, depth),
            Plan::Sequence(plans) => plans.iter().any(|plan| plan.searches_within(program, depth)),
        }
    }
}

impl Loop {
    /// Returns the outcomes of the coordinates of the loop, the rest last. A coordinate that is visited
    /// without effect is one of the rest.
    pub fn outcomes(&self) -> impl Iterator<Item = usize> {
        let cases = self.points.iter().flat_map(|point| &point.cases).map(|(_, outcome)| *outcome);
        cases.filter(|outcome| *outcome > 0 || self.rest.is_none()).chain(self.rest)
    }

    /// Returns accesses of which at least one has an entry wherever the loop runs a body, or none if
    /// it also runs without them.
    pub fn entered_by(&self, outcome: usize) -> Vec<&Access> {
        let cases = self.points.iter().flat_map(|point| &point.cases);
        let sets = cases.filter(|(_, of)| *of == outcome).map(|(set, _)| set.members().next());
        let one_of_each: Option<Vec<usize>> = sets.collect();
        let members = one_of_each.into_iter().flatten();
        members.map(|member| &self.iterators[member].access).collect()
    }

    /// Returns the levels of an access that have an entry wherever the loop runs a body.
    pub fn levels_present(&self, program: &Program, outcome: usize, access: &Access) -> Vec<usize> {
        let is_present = |(k, iterator): &(usize, &LevelIterator)| {
            let cases = self.points.iter().flat_map(|point| &point.cases);
            let mut own = cases.filter(|(_, body)| *body == outcome);
            self.rest != Some(outcome)
                && !iterator.is_optional()
                && (iterator.has_all(program) || own.all(|(present, _)| present.contains(*k)))
        };
        let own = self.iterators.iter().enumerate().filter(|(_, it)| it.access == *access);
        own.filter(is_present).flat_map(|(_, it)| it.level..=it.through).collect()
    }

    /// Returns whether the loop may visit a coordinate twice because of an access that is not one of
    /// some.
    pub fn may_repeat(&self, program: &Program, accesses: &[&Access]) -> bool {
        let mut drivers = self.points.iter().flat_map(|point| point.drivers.members());
        drivers.any(|driver| {
            let iterator = &self.iterators[driver];
            !accesses.contains(&&iterator.access)
                && !iterator.dedups()
                && iterator.may_repeat(program)
        })
    }
}

/// Returns the condition and both branches of a sequence that is an if-else.
pub(crate) fn either(plans: &[Arc<Plan>]) -> Option<(&Expr, &Plan, &Plan)> {
    let [first, second] = plans else { return None };
    let Plan::If { condition, body } = &**first else { return None };
    let Plan::If { condition: opposite, body: otherwise } = &**second else { return None };
    let negated = Expr::call(Function::Not, vec![condition.clone()]);
    (*opposite == negated).then_some((condition, &**body, &**otherwise))
}
