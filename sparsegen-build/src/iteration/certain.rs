//! What is certain to happen, whatever the operands hold.

use super::iterator::LevelIterator;
use super::lattice::{MergePoint, Set};
use super::plan::{Loop, Plan};
use crate::concrete::Program;
use crate::notation::{Access, Expr};

/// What is asked for: that some assignment runs.
pub(crate) struct Certain<'p> {
    pub(crate) program: &'p Program,
    /// Whether dimensions are taken to have coordinates.
    pub(crate) ranges_count: bool,
    /// Whether an assignment of a value counts.
    pub(crate) counts: &'p dyn Fn(&Access, &Expr) -> bool,
}

impl Certain<'_> {
    /// Whether a plan is certain to run such an assignment.
    pub(crate) fn happens(&self, plan: &Plan) -> bool {
        match plan {
            Plan::Loop(inner) => {
                let ranges = self.ranges_count && inner.exhaustive;
                ranges && self.happens_everywhere(inner) || self.happens_at_an_entry(inner)
            }
            Plan::Where { consumer, only_if_found, .. } => {
                only_if_found.is_empty() && self.happens(consumer)
            }
            Plan::If { .. } => false,
            Plan::Assign { target, value, .. } => {
                !value.is_masked() && (self.counts)(target, value)
            }
            Plan::Sequence(plans) => plans.iter().any(|plan| self.happens(plan)),
        }
    }

    fn happens_everywhere(&self, inner: &Loop) -> bool {
        inner.points.iter().all(|point| {
            point.cases.iter().all(|(_, outcome)| self.happens(&inner.bodies[*outcome]))
        })
    }

    /// Whether one of a loop's iterators is certain to have an entry, at each of which it happens.
    fn happens_at_an_entry(&self, inner: &Loop) -> bool {
        let Some(first) = inner.points.first() else { return false };
        let mut drivers = first.drivers.members();
        drivers.any(|member| {
            self.has_entries(&inner.iterators[member])
                && inner.points.iter().filter(|point| point.drivers.contains(member)).all(|point| {
                    cases_with(member, point).is_some_and(|cases| {
                        cases.into_iter().all(|outcome| self.happens(&inner.bodies[outcome]))
                    })
                })
        })
    }

    /// Whether an iterator has an entry under each parent: a branchless level has, and one under a
    /// level that keeps no parents of zeros only; but it may lie outside of a part of the mode.
    fn has_entries(&self, iterator: &LevelIterator) -> bool {
        let levels = &self.program.tensor(iterator.access.tensor).format.levels;
        let above = iterator.level.checked_sub(1).map(|above| &levels[above]);
        let has_any = levels[iterator.level].properties.branchless
            || above.is_some_and(|above| !above.properties.padded);
        let space = &self.program.space;
        has_any
            && iterator.waiting_are_full(self.program)
            && iterator.access.indices.iter().all(|v| space.slice(*v).is_none())
    }
}

/// The outcomes of the cases that may be reached where an iterator has an entry; `None` if some region
/// reaches no case.
fn cases_with(member: usize, point: &MergePoint) -> Option<Vec<usize>> {
    // The region of nothing else reaches a case, and so does every region around it.
    point.cases.iter().any(|(set, _)| set.is_subset(Set::EMPTY.with(member))).then_some(())?;
    let reached = |(k, (set, outcome)): (usize, &(Set, usize))| {
        let smallest = set.with(member);
        let taken = point.cases[..k].iter().any(|(earlier, _)| earlier.is_subset(smallest));
        (!taken).then_some(*outcome)
    };
    Some(point.cases.iter().enumerate().filter_map(reached).collect())
}
