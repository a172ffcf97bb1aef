//! What is left to do in each region of a loop, as a decision diagram over the iterators.
//!
//! A product has one more outcome than operands, however many regions there are; only what must be
//! told apart takes room (Bryant 1986).

use std::collections::BTreeSet;
use std::rc::Rc;

use super::Set;

/// What is left to do, by which sparse iterators have an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcomes {
    /// The same in all regions that are left: an index into the lattice's bodies.
    Leaf(usize),
    /// Another thing where an iterator has an entry than where it has none. The two differ.
    Branch { member: usize, absent: Rc<Outcomes>, present: Rc<Outcomes> },
}

impl Outcomes {
    /// The outcomes where an iterator decides between two.
    pub(super) fn branch(member: usize, absent: Outcomes, present: Outcomes) -> Outcomes {
        if absent == present {
            return absent;
        }
        Outcomes::Branch { member, absent: Rc::new(absent), present: Rc::new(present) }
    }

    /// The outcome where exactly these iterators have an entry.
    pub(super) fn at(&self, set: Set) -> usize {
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

    /// The outcomes where no other iterators than these have an entry.
    pub(super) fn within(&self, remaining: Set) -> Outcomes {
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

    /// The iterators whose presence makes a difference.
    pub(super) fn support(&self) -> Set {
        match self {
            Outcomes::Leaf(_) => Set::EMPTY,
            Outcomes::Branch { member, absent, present } => {
                absent.support().union(present.support()).with(*member)
            }
        }
    }

    /// How many regions are told apart.
    pub(super) fn leaves(&self) -> usize {
        match self {
            Outcomes::Leaf(_) => 1,
            Outcomes::Branch { absent, present, .. } => absent.leaves() + present.leaves(),
        }
    }

    /// Returns whether a predicate holds for every outcome.
    pub(super) fn all(&self, predicate: &impl Fn(usize) -> bool) -> bool {
        match self {
            Outcomes::Leaf(outcome) => predicate(*outcome),
            Outcomes::Branch { absent, present, .. } => {
                absent.all(predicate) && present.all(predicate)
            }
        }
    }

    /// A case for each region that a smaller one does not stand for as well, larger regions first: the
    /// first case whose set a region holds tells the region's outcome.
    pub(super) fn cases(&self) -> Vec<(Set, usize)> {
        let mut smallest = Vec::new();
        self.smallest(Set::EMPTY, &mut smallest);
        // Regions of one path have one outcome, so another case is needed at most where the smallest
        // region of a path meets a case. Smaller regions come first.
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

    /// Adds the smallest region of each path.
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
