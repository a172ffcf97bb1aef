//! What can be asked of a plan: how large it is, its loops, what it reads.

use crate::concrete::Program;
use crate::iteration::certain::Certain;
use crate::iteration::found::asks_for;
use crate::iteration::lattice::MergePoint;
use crate::notation::{Access, TensorId};

use super::{Loop, Plan, is_ordered};

impl Plan {
    /// How many loops and assignments there are, each region's counted.
    pub fn size(&self) -> usize {
        match self {
            Plan::Loop(inner) => 1 + inner.bodies.iter().map(|body| body.size()).sum::<usize>(),
            Plan::Where { consumer, producer, .. } => consumer.size() + producer.size(),
            Plan::Assign { .. } => 1,
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
            Plan::Assign { .. } => {}
            Plan::If { body, .. } => body.for_each_loop(visit),
            Plan::Sequence(plans) => plans.iter().for_each(|plan| plan.for_each_loop(visit)),
        }
    }

    /// Whether it is asked here whether anything was found for a temporary.
    pub fn asks_for(&self, temporary: TensorId) -> bool {
        match self {
            Plan::Loop(inner) => inner.bodies.iter().any(|body| body.asks_for(temporary)),
            Plan::Where { consumer, producer, only_if_found, .. } => {
                only_if_found.contains(&temporary)
                    || [consumer, producer].into_iter().any(|plan| plan.asks_for(temporary))
            }
            Plan::Assign { value, .. } => asks_for(value, temporary),
            Plan::If { condition, body } => {
                asks_for(condition, temporary) || body.asks_for(temporary)
            }
            Plan::Sequence(plans) => plans.iter().any(|plan| plan.asks_for(temporary)),
        }
    }

    /// Every access that is read below, each once, in order of appearance.
    pub fn reads(&self) -> Vec<&Access> {
        fn collect<'p>(plan: &'p Plan, reads: &mut Vec<&'p Access>) {
            match plan {
                Plan::Loop(inner) => inner.bodies.iter().for_each(|body| collect(body, reads)),
                Plan::Where { consumer, producer, .. } => {
                    collect(producer, reads);
                    collect(consumer, reads);
                }
                Plan::Assign { value, .. } => value.for_each_access(&mut |access| {
                    if !reads.contains(&access) {
                        reads.push(access);
                    }
                }),
                Plan::If { condition, body } => {
                    condition.for_each_access(&mut |access| {
                        if !reads.contains(&access) {
                            reads.push(access);
                        }
                    });
                    collect(body, reads);
                }
                Plan::Sequence(plans) => plans.iter().for_each(|plan| collect(plan, reads)),
            }
        }
        let mut reads = Vec::new();
        collect(self, &mut reads);
        reads
    }

    /// Whether some assignment below is certain to run, if no dimension is empty.
    fn is_certain(&self, program: &Program) -> bool {
        Certain { program, ranges_count: true, counts: &|_, _| true }.happens(self)
    }

    /// Whether entries of a result that is assembled in order are searched for among all coordinates
    /// that they might have, within other loops: more work than there are entries.
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
                let searches = depth > 0
                    && is_ordered(program, inner.variable)
                    && !inner.points.iter().all(walks)
                    && !inner.bodies.iter().skip(1).all(|body| body.is_certain(program));
                searches || inner.bodies.iter().any(|body| body.searches_within(program, depth + 1))
            }
            Plan::Where { consumer, producer, .. } => {
                consumer.searches_within(program, depth) || producer.searches_within(program, depth)
            }
            Plan::Assign { .. } => false,
            Plan::If { body, .. } => body.searches_within(program, depth),
            Plan::Sequence(plans) => plans.iter().any(|plan| plan.searches_within(program, depth)),
        }
    }
}
