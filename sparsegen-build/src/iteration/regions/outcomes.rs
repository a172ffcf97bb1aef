//! Outcomes of the regions of a loop, as a decision diagram over the iterators.
//!
//! A product of n operands has n + 1 leaves for 2^n regions: only regions with different outcomes
//! take memory (Bryant 1986).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Set;

/// The outcome of each region, as a decision diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::iteration) enum Outcomes {
    /// The same outcome for all remaining regions, as an index into the bodies of the lattice.
    Leaf(usize),
    /// Different outcomes for regions with and without an iterator.
    Branch { member: usize, absent: Arc<Outcomes>, present: Arc<Outcomes> },
}

impl Outcomes {
    /// Returns the outcomes of a decision on one iterator.
    pub(in crate::iteration) fn branch(
        member: usize,
        absent: Outcomes,
        present: Outcomes,
    ) -> Outcomes {
        if absent == present {
            return absent;
        }
        Outcomes::Branch { member, absent: Arc::new(absent), present: Arc::new(present) }
    }

    /// Returns the outcome of the region of exactly these iterators.
    pub(in crate::iteration) fn at(&self, set: Set) -> usize {
        match self {
            Outcomes::Leaf(outcome) => *outcome,
            Outcomes::Branch { member, absent, present } => {
                if set.contains(*member) {
                    present.at(set)
                } else {
                    absent.at(set)
                }
            }
        }
    }

    /// Returns the outcomes with no effect in the regions with the outcome `rest`. Other regions
    /// without effect get the outcome `counted`.
    pub(in crate::iteration) fn without_rest(&self, rest: usize, counted: usize) -> Outcomes {
        match self {
            Outcomes::Leaf(outcome) if *outcome == rest => Outcomes::Leaf(0),
            Outcomes::Leaf(0) => Outcomes::Leaf(counted),
            Outcomes::Leaf(outcome) => Outcomes::Leaf(*outcome),
            Outcomes::Branch { member, absent, present } => Outcomes::branch(
                *member,
                absent.without_rest(rest, counted),
                present.without_rest(rest, counted),
            ),
        }
    }

    /// Returns the outcomes of the regions without other iterators than these.
    pub(in crate::iteration) fn within(&self, remaining: Set) -> Outcomes {
        match self {
            Outcomes::Leaf(outcome) => Outcomes::Leaf(*outcome),
            Outcomes::Branch { member, absent, .. } if !remaining.contains(*member) => {
                absent.within(remaining)
            }
            Outcomes::Branch { member, absent, present } => {
                Outcomes::branch(*member, absent.within(remaining), present.within(remaining))
            }
        }
    }

    /// Returns the iterators whose presence changes the outcome.
    pub(in crate::iteration) fn support(&self) -> Set {
        match self {
            Outcomes::Leaf(_) => Set::EMPTY,
            Outcomes::Branch { member, absent, present } => {
                absent.support().union(present.support()).with(*member)
            }
        }
    }

    /// Returns the number of leaves.
    pub(in crate::iteration) fn leaves(&self) -> usize {
        match self {
            Outcomes::Leaf(_) => 1,
            Outcomes::Branch { absent, present, .. } => absent.leaves() + present.leaves(),
        }
    }

    /// Returns whether a predicate holds for every outcome.
    pub(in crate::iteration) fn all(&self, predicate: &impl Fn(usize) -> bool) -> bool {
        match self {
            Outcomes::Leaf(outcome) => predicate(*outcome),
            Outcomes::Branch { absent, present, .. } => {
                absent.all(predicate) && present.all(predicate)
            }
        }
    }

    /// Returns the cases, larger regions first. The outcome of a region is that of the first case
    /// whose set it contains. Regions whose case would be redundant are omitted.
    pub(in crate::iteration) fn cases(&self) -> Vec<(Set, usize)> {
        let mut smallest = Vec::new();
        self.smallest(Set::EMPTY, &mut smallest);
        // All regions of a path have the same outcome, so another case is needed at most where the
        // smallest region of a path meets a case. Smaller regions come first.
        let key = |set: Set| (set.len(), std::cmp::Reverse(set));
        let mut candidates: BTreeSet<_> = smallest.iter().copied().map(key).collect();
        let mut kept: Vec<(Set, usize)> = Vec::new();
        while let Some((_, std::cmp::Reverse(set))) = candidates.pop_first() {
            let outcome = self.at(set);
            let otherwise = kept.iter().find(|(smaller, _)| smaller.is_subset(set));
            if otherwise.map_or(0, |(_, outcome)| *outcome) != outcome {
                let wider = smallest.iter().map(|other| other.union(set));
                candidates.extend(wider.filter(|wider| *wider != set).map(key));
                kept.insert(0, (set, outcome));
            }
        }
        kept
    }

    /// Appends the smallest region of each path.
    fn smallest(&self, taken: Set, regions: &mut Vec<Set>) {
        match self {
            Outcomes::Leaf(_) => regions.push(taken),
            Outcomes::Branch { member, absent, present } => {
                absent.smallest(taken, regions);
                present.smallest(taken.with(*member), regions);
            }
        }
    }
}
