//! The regions and merge points of a loop before simplification, and what became of each.

use super::{Lattice, MergePoint, Set};

/// The largest number of iterators whose regions are listed.
const LISTED: usize = 5;

/// A region of a loop before simplification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The iterators that have an entry at the coordinate.
    pub present: Set,
    /// The outcome for the region.
    pub fate: RegionFate,
}

/// The outcome for a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionFate {
    /// It runs this body of the lattice.
    Runs(usize),
    /// No coordinate is in it: this iterator has an entry at every coordinate.
    Empty(usize),
    /// The statement has no effect there.
    NoEffect,
}

/// A merge point before simplification: the loop that runs while a set of iterators has entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The iterators that have entries left.
    pub remaining: Set,
    /// The outcome for the merge point.
    pub fate: Fate,
}

/// The outcome for a merge point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is this merge point of the loop.
    Point(usize),
    /// It is never reached: this iterator has an entry at every coordinate.
    Full(usize),
    /// It is never reached: no loop ends with the entries of this iterator, in which the loop looks
    /// coordinates up.
    Located(usize),
    /// Only the presence of these iterators, fewer ones, has an effect: it is their merge point.
    SameAs(Set),
    /// No region within it has an effect.
    NoEffect,
    /// It is part of the only merge point of the loop, which runs while any operand lasts.
    Together,
}

impl Lattice {
    /// Returns the iterators that have an entry at every coordinate of the loop.
    pub fn full(&self) -> Set {
        self.full
    }

    /// Returns every region, those of more iterators first. Returns `None` if there are too many to
    /// list.
    pub fn all_regions(&self) -> Option<Vec<Region>> {
        let fate = |present: Set| match self.full.minus(present).members().next() {
            Some(full) => RegionFate::Empty(full),
            None => match self.outcomes.at(present.intersection(self.sparse)) {
                0 => RegionFate::NoEffect,
                body => RegionFate::Runs(body),
            },
        };
        let sets = self.subsets()?.into_iter();
        Some(sets.map(|present| Region { present, fate: fate(present) }).collect())
    }

    /// Returns a merge point for every set of iterators, larger sets first. Returns `None` if there
    /// are too many to list.
    pub fn all_points(&self) -> Option<Vec<Candidate>> {
        let kept = self.points_by_relevance();
        let fate = |remaining: Set| {
            if let Some(full) = self.full.minus(remaining).members().next() {
                return Fate::Full(full);
            }
            let sparse = remaining.intersection(self.sparse);
            let outcomes = self.outcomes.within(sparse);
            if outcomes.all(&|outcome| outcome == 0) {
                return Fate::NoEffect;
            }
            let relevant = outcomes.support();
            if relevant != sparse {
                return Fate::SameAs(relevant.union(self.full));
            }
            match kept.iter().position(|(of, _)| *of == relevant) {
                Some(point) => Fate::Point(point),
                None if self.is_one_loop() => Fate::Together,
                None => {
                    let mut ended = self.sparse.minus(sparse).members();
                    ended.next().map_or(Fate::Together, Fate::Located)
                }
            }
        };
        let sets = self.subsets()?.into_iter().filter(|set| !set.is_empty());
        Some(sets.map(|remaining| Candidate { remaining, fate: fate(remaining) }).collect())
    }

    /// Returns the sets of iterators, larger ones first, and then those of the first iterators.
    fn subsets(&self) -> Option<Vec<Set>> {
        let all = self.full.union(self.sparse);
        if all.len() > LISTED {
            return None;
        }
        let mut sets = vec![Set::EMPTY];
        for member in all.members() {
            let with: Vec<Set> = sets.iter().map(|set| set.with(member)).collect();
            sets.extend(with);
        }
        sets.sort_by_key(|set| (std::cmp::Reverse(set.len()), *set));
        Some(sets)
    }

    /// Returns whether a single merge point runs while any operand has entries.
    pub(super) fn is_one_loop(&self) -> bool {
        !self.optional.is_empty() || self.regions() > self.apart
    }

    /// Returns the merge points in the order in which they run, each with the sparse iterators whose
    /// presence has an effect.
    pub(super) fn points_by_relevance(&self) -> Vec<(Set, MergePoint)> {
        if self.is_one_loop() {
            let relevant = self.outcomes.support();
            return self.together().into_iter().map(|point| (relevant, point)).collect();
        }
        let mut points: Vec<(Set, MergePoint)> = Vec::new();
        let mut left = vec![self.sparse];
        while let Some(remaining) = left.pop() {
            let relevant = self.outcomes.within(remaining).support();
            if points.iter().any(|(known, _)| *known == relevant) {
                continue;
            }
            let Some(point) = self.point(relevant) else { continue };
            let ending = self.ending(point.drivers);
            left.extend(ending.members().map(|driver| remaining.without(driver)));
            points.push((relevant, point));
        }
        points.sort_by_key(|(relevant, _)| (std::cmp::Reverse(relevant.len()), *relevant));
        points
    }
}
