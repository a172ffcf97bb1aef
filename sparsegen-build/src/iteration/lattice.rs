//! Merge lattices: the regions of a loop's iteration space and the loops that visit them.
//!
//! A region is a set of operands that have an entry at a coordinate. What is to be done in it
//! follows from the statement with all others taken as zero; where nothing is left, the region
//! needs no code. From these outcomes the lattice follows: unions, intersections and complements
//! are not cases of their own (Chou et al. 2018, section 5; Henry et al. 2021 for the algebra).
//!
//! The property-based optimizations: full levels belong to every region and so end no merge;
//! levels that locate are driven by others where these visit every region; an operand whose
//! presence changes nothing any more is not walked.

mod outcomes;

use std::fmt;

use super::iterator::LevelIterator;
use crate::concrete::space::Definition;
use crate::concrete::{Program, Stmt};
use crate::limits::REGIONS;
use crate::notation::{Access, TensorId, VariableId};

use outcomes::Outcomes;

/// A set of a loop's iterators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Set(u128);

impl Set {
    pub const EMPTY: Set = Set(0);

    /// The most iterators that a set can hold.
    pub const CAPACITY: usize = u128::BITS as usize;

    pub fn of(members: impl IntoIterator<Item = usize>) -> Set {
        members.into_iter().fold(Set::EMPTY, Set::with)
    }

    pub fn with(self, member: usize) -> Set {
        Set(self.0 | 1 << member)
    }

    pub fn without(self, member: usize) -> Set {
        Set(self.0 & !(1 << member))
    }

    pub fn contains(self, member: usize) -> bool {
        self.0 & 1 << member != 0
    }

    pub fn union(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }

    pub fn minus(self, other: Set) -> Set {
        Set(self.0 & !other.0)
    }

    pub fn intersection(self, other: Set) -> Set {
        Set(self.0 & other.0)
    }

    pub fn is_subset(self, of: Set) -> bool {
        self.minus(of) == Set::EMPTY
    }

    pub fn meets(self, other: Set) -> bool {
        self.0 & other.0 != 0
    }

    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub fn is_empty(self) -> bool {
        self == Set::EMPTY
    }

    pub fn members(self) -> impl DoubleEndedIterator<Item = usize> {
        let end = Set::CAPACITY - self.0.leading_zeros() as usize;
        (0..end).filter(move |member| self.contains(*member))
    }
}

/// The merge lattice of one loop.
#[derive(Clone, Debug)]
pub struct Lattice {
    /// Iterators over full levels: they have every coordinate.
    full: Set,
    /// Iterators over other levels.
    sparse: Set,
    /// Iterators that can locate.
    locatable: Set,
    /// Iterators over the loop's own variable.
    driving: Set,
    /// Iterators that walk their entries in order, so that several can be merged.
    walking: Set,
    /// What is left to do, by which sparse iterators have an entry: indices into `bodies`.
    outcomes: Outcomes,
    bodies: Vec<Stmt>,
    /// By body: the iterators over what it reads.
    reads: Vec<Set>,
}

/// One loop of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergePoint {
    /// The iterators that advance.
    pub drivers: Set,
    /// The iterators that are looked up.
    pub located: Set,
    /// Whether the loop runs over the whole dimension although no iterator drives it so.
    pub by_dimension: bool,
    /// What is done for which iterators at the coordinate; the first that fits. An outcome that is
    /// [`Stmt::SKIP`] guards those behind it.
    pub cases: Vec<(Set, usize)>,
}

impl Lattice {
    /// The lattice of a loop with these iterators around `body`, where the tensors of `located` are not
    /// iterated; `at_gaps` is done where nothing is
    /// left of it, if anything must be. `None` if there are too many outcomes to write code for.
    pub fn of(
        program: &Program,
        variable: VariableId,
        located: &[TensorId],
        iterators: &[LevelIterator],
        body: &Stmt,
        at_gaps: Option<&Stmt>,
    ) -> Option<Lattice> {
        if iterators.len() > Set::CAPACITY {
            return None;
        }
        // At a fixed coordinate there is nothing to walk along.
        let is_once = program.space.definition(variable) == Some(Definition::Once);
        let is_located = |iterator: &LevelIterator| {
            let passed = program.kernel.passed_as(iterator.access.tensor);
            iterator.can_locate(program) && (is_once || located.contains(&passed))
        };
        let select = |keep: &dyn Fn(&LevelIterator) -> bool| {
            Set::of((0..iterators.len()).filter(|k| keep(&iterators[*k])))
        };
        let full = select(&|iterator| iterator.is_full(program));
        let sparse = select(&|iterator| !iterator.is_full(program));
        let locatable = select(&|iterator| iterator.can_locate(program));
        let mut growing = Growing {
            program,
            iterators,
            sparse,
            body,
            at_gaps,
            bodies: vec![Stmt::SKIP],
            leaves: 0,
        };
        let outcomes = growing.outcomes(Set::EMPTY, Set::EMPTY, body)?;
        let bodies = growing.bodies;
        let read_by = |body: &Stmt| {
            let reads = body.reads();
            Set::of((0..iterators.len()).filter(|k| reads.contains(&&iterators[*k].access)))
        };
        let reads = bodies.iter().map(read_by).collect();
        Some(Lattice {
            full,
            sparse,
            locatable,
            driving: select(&|iterator| iterator.drives && !is_located(iterator)),
            walking: select(&|iterator| iterator.walks(program)),
            outcomes,
            bodies,
            reads,
        })
    }

    /// The bodies that merge points refer to; the first is [`Stmt::SKIP`].
    pub fn bodies(&self) -> &[Stmt] {
        &self.bodies
    }

    /// How many regions are told apart.
    pub fn regions(&self) -> usize {
        self.outcomes.leaves()
    }

    /// Whether every coordinate of the dimension has something to do.
    pub fn is_exhaustive(&self) -> bool {
        self.outcomes.all(&|outcome| outcome != 0)
    }

    /// The loops, in the order in which they run: each ends when one of its sparse drivers does, and
    /// those behind it take up what is left.
    pub fn points(&self) -> Vec<MergePoint> {
        let mut points: Vec<(Set, MergePoint)> = Vec::new();
        let mut left = vec![self.sparse];
        while let Some(remaining) = left.pop() {
            let relevant = self.outcomes.within(remaining).support();
            if points.iter().any(|(known, _)| *known == relevant) {
                continue;
            }
            let Some(point) = self.point(relevant) else { continue };
            let ending = point.drivers.minus(self.full);
            left.extend(ending.members().map(|driver| remaining.without(driver)));
            points.push((relevant, point));
        }
        points.sort_by_key(|(relevant, _)| (std::cmp::Reverse(relevant.len()), *relevant));
        points.into_iter().map(|(_, point)| point).collect()
    }

    /// The loop while all of `sparse` last, if there is anything to do in it.
    fn point(&self, sparse: Set) -> Option<MergePoint> {
        let cases = self.outcomes.within(sparse).cases();
        let regions: Vec<Set> =
            cases.iter().filter(|(_, outcome)| *outcome != 0).map(|(set, _)| *set).collect();
        if regions.is_empty() {
            return None;
        }
        // A full iterator whose entries nothing reads any more is left behind.
        let outcomes = cases.iter().map(|(_, outcome)| self.reads[*outcome]);
        let full = self.full.intersection(outcomes.fold(Set::EMPTY, Set::union));
        let all = sparse.union(full);
        let mut drivers = all.minus(self.locatable);
        let mut by_dimension = false;
        let drives_all = drivers.meets(full);
        let missed = |drivers: Set| regions.iter().filter(move |set| !set.meets(drivers));
        if !drives_all && missed(drivers).next().is_some() {
            let full = full.intersection(self.driving).members().next();
            let walked = self.walk(drivers, &regions);
            match (walked, full) {
                (Some(walked), _) => drivers = walked,
                (None, Some(full)) => drivers = drivers.with(full),
                (None, None) => by_dimension = true,
            }
        }
        Some(MergePoint { drivers, located: all.minus(drivers), by_dimension, cases })
    }

    /// The drivers with those added whose entries must be walked to visit every region, although they
    /// could be located; nothing where some region has none, or where they cannot be walked together.
    fn walk(&self, mut drivers: Set, regions: &[Set]) -> Option<Set> {
        let candidates = self.driving.minus(self.full);
        while let Some(missed) = regions.iter().find(|set| !set.meets(drivers)) {
            let gain = |member: &usize| {
                let with = drivers.with(*member);
                regions.iter().filter(|set| set.meets(with)).count()
            };
            // Of equals the first.
            let best = missed.intersection(candidates).members().rev().max_by_key(gain)?;
            drivers = drivers.with(best);
        }
        let together = drivers.len() == 1 || drivers.is_subset(self.walking);
        together.then_some(drivers)
    }
}

/// A lattice's outcomes while they are found.
struct Growing<'a> {
    program: &'a Program,
    iterators: &'a [LevelIterator],
    sparse: Set,
    body: &'a Stmt,
    at_gaps: Option<&'a Stmt>,
    bodies: Vec<Stmt>,
    leaves: usize,
}

impl Growing<'_> {
    /// The outcomes where some iterators have no entry and others have one, for which `stmt` is left.
    fn outcomes(&mut self, absent: Set, present: Set, stmt: &Stmt) -> Option<Outcomes> {
        let reads = stmt.reads();
        let open = self.sparse.minus(absent).minus(present);
        let mut open = open.members().rev();
        let Some(member) = open.find(|k| reads.contains(&&self.iterators[*k].access)) else {
            self.leaves += 1;
            return (self.leaves <= REGIONS).then(|| Outcomes::Leaf(self.add(stmt.clone())));
        };
        let without = self.stmt(absent.with(member), present);
        let without = self.outcomes(absent.with(member), present, &without)?;
        // Only what an entry says by itself changes the statement.
        let is_predicate =
            self.program.kernel.predicate(self.iterators[member].access.tensor).is_some();
        let with = match is_predicate {
            true => self.stmt(absent, present.with(member)),
            false => stmt.clone(),
        };
        let with = self.outcomes(absent, present.with(member), &with)?;
        Some(Outcomes::branch(member, without, with))
    }

    /// What is left of the loop's body.
    fn stmt(&self, absent: Set, present: Set) -> Stmt {
        let is_of = |set: Set, access: &Access| {
            set.members().any(|member| self.iterators[member].access == *access)
        };
        let kernel = &self.program.kernel;
        self.body
            .in_region(kernel, &|access| is_of(absent, access), &|access| is_of(present, access))
    }

    /// The index of what is done in a region.
    fn add(&mut self, stmt: Stmt) -> usize {
        // A sparse result does not store what is known without the operands.
        let outcome = if self.program.may_lack_entries() { stmt.settled() } else { stmt };
        let (outcome, first) = match self.at_gaps {
            Some(at_gaps) if outcome.is_skip() => (at_gaps.clone(), 1),
            Some(_) | None => (outcome, 0),
        };
        let known = (first..self.bodies.len()).find(|k| self.bodies[*k] == outcome);
        known.unwrap_or_else(|| {
            self.bodies.push(outcome);
            self.bodies.len() - 1
        })
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members: Vec<_> = self.members().map(|member| member.to_string()).collect();
        write!(f, "{{{}}}", members.join(", "))
    }
}

#[cfg(test)]
mod tests;
