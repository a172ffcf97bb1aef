//! Must-execute analysis: assignments that execute whatever the operands hold.

use super::iterator::LevelIterator;
use super::lattice::{MergePoint, Set};
use super::plan::{Loop, Plan, either};
use crate::concrete::Program;
use crate::notation::{Access, Expr};

/// The assignments to look for.
pub(crate) struct MustExecute<'p> {
    pub(crate) program: &'p Program,
    /// `true` if dimensions are assumed to be nonempty.
    pub(crate) ranges_count: bool,
    /// Returns whether an assignment is one of them.
    pub(crate) counts: &'p dyn Fn(&Access, &Expr) -> bool,
}

impl MustExecute<'_> {
    /// Returns whether a plan must execute such an assignment.
    pub(crate) fn holds_for(&self, plan: &Plan) -> bool {
        self.holds_if_any(plan, &[])
    }

    /// Returns whether a body of a loop must execute such an assignment wherever it runs.
    pub(crate) fn holds_in(&self, outer: &Loop, outcome: usize) -> bool {
        self.holds_if_any(&outer.bodies[outcome], &outer.entered_by(outcome))
    }

    /// Returns whether a plan must execute such an assignment if any of the accesses has an entry.
    fn holds_if_any(&self, plan: &Plan, some: &[&Access]) -> bool {
        match plan {
            Plan::Loop(inner) => {
                let ranges = self.ranges_count && inner.exhaustive;
                ranges && self.holds_everywhere(inner) || self.holds_at_an_entry(inner, some)
            }
            Plan::Where { consumer, producer, .. } => {
                let mut results = self.program.targets.iter().map(|target| target.access.tensor);
                self.holds_if_any(consumer, some)
                    || results.any(|result| producer.assigns(result))
                        && self.holds_if_any(producer, some)
            }
            Plan::If { .. } | Plan::Visit(_) => false,
            Plan::Assign { target, value, .. } => {
                !value.is_masked() && (self.counts)(target, value)
            }
            Plan::Sequence(plans) => match either(plans) {
                Some((_, holds, otherwise)) => {
                    [holds, otherwise].iter().all(|plan| self.holds_if_any(plan, some))
                }
                None => plans.iter().any(|plan| self.holds_if_any(plan, some)),
            },
        }
    }

    fn holds_everywhere(&self, inner: &Loop) -> bool {
        inner.outcomes().all(|outcome| match Some(outcome) == inner.rest {
            true => self.holds_for(&inner.bodies[outcome]),
            false => self.holds_in(inner, outcome),
        })
    }

    /// Returns whether an iterator of a loop must have an entry, if any access of `some` has one
    /// above, and the loop must execute such an assignment at each entry of that iterator.
    fn holds_at_an_entry(&self, inner: &Loop, some: &[&Access]) -> bool {
        let iterators = || inner.iterators.iter().enumerate();
        let certain = |(member, iterator): (usize, &LevelIterator)| {
            !iterator.parents.may_be_none() && self.holds_at_entries(inner, member)
        };
        let holds_below = |access: &&Access| {
            iterators().any(|(member, iterator)| {
                iterator.access == **access && self.holds_at_entries(inner, member)
            })
        };
        iterators().any(certain) || !some.is_empty() && some.iter().all(holds_below)
    }

    /// Returns whether an iterator of a loop has an entry below each parent, and the loop must execute
    /// such an assignment at each entry.
    fn holds_at_entries(&self, inner: &Loop, member: usize) -> bool {
        let Some(first) = inner.points.first() else { return false };
        let iterator = &inner.iterators[member];
        let bounds = iterator.bounds_loop(self.program);
        let visits = |point: &&MergePoint| bounds || point.drivers.contains(member);
        visits(&first)
            && self.has_entries(iterator)
            && inner.points.iter().filter(visits).all(|point| {
                cases_with(member, point).is_some_and(|cases| {
                    cases.into_iter().all(|outcome| self.holds_in(inner, outcome))
                })
            })
    }

    /// Returns whether an iterator has an entry below each parent: its level is branchless or bounds
    /// the loop, or the level above stores no padding. An entry may be outside of a slice.
    fn has_entries(&self, iterator: &LevelIterator) -> bool {
        let levels = &self.program.tensor(iterator.access.tensor).format.levels;
        let above = iterator.level.checked_sub(1).map(|above| &levels[above]);
        let has_any = levels[iterator.level].properties.branchless
            || iterator.bounds_loop(self.program)
            || above.is_some_and(|above| !above.properties.padded);
        let space = &self.program.space;
        has_any
            && iterator.waiting_are_full(self.program)
            && iterator.access.indices.iter().all(|v| space.slice(*v).is_none())
    }
}

/// Returns the outcomes of the cases that are reachable if an iterator has an entry, or `None` if
/// some region matches no case.
fn cases_with(member: usize, point: &MergePoint) -> Option<Vec<usize>> {
    // If the region of the iterator alone matches a case, so does every larger region.
    point.cases.iter().any(|(set, _)| set.is_subset(Set::EMPTY.with(member))).then_some(())?;
    let reached = |(k, (set, outcome)): (usize, &(Set, usize))| {
        let smallest = set.with(member);
        let taken = point.cases[..k].iter().any(|(earlier, _)| earlier.is_subset(smallest));
        (!taken).then_some(*outcome)
    };
    Some(point.cases.iter().enumerate().filter_map(reached).collect())
}
