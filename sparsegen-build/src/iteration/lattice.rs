//! Merge lattices: the regions of the iteration space of a loop, and the loops that visit them.
//!
//! A region is a set of operands that have an entry at a coordinate. Its statement is the statement
//! of the loop with all other operands zero; a region without effect needs no code. The lattice
//! follows from these outcomes, without special cases for unions, intersections and complements
//! (Chou et al. 2018, section 5; Henry et al. 2021 for the algebra).
//!
//! Level properties simplify the lattice: a full level is in every region and never ends a merge; a
//! level with `locate` is located in if others visit all regions; an operand is not iterated once
//! its presence has no effect.

pub mod reasons;

use super::iterator::LevelIterator;
use super::optional;
use super::regions::{Outcomes, Regions, arms};
use crate::concrete::space::Definition;
use crate::concrete::{Program, Stmt};
use crate::limits::LOOPS;
use crate::notation::{Access, TensorId, VariableId};

pub use super::regions::Set;

/// The merge lattice of one loop.
#[derive(Clone, Debug)]
pub struct Lattice {
    /// Iterators over full levels, and iterators that bound the loop below an entry.
    full: Set,
    /// Iterators that bound the loop, with or without an entry.
    bounding: Set,
    /// Iterators over other levels.
    sparse: Set,
    /// Iterators with `locate`.
    locatable: Set,
    /// Iterators over the variable of the loop itself.
    driving: Set,
    /// Iterators that iterate their entries in order, so that several can be merged.
    walking: Set,
    /// The body of each region, as an index into `bodies`.
    outcomes: Outcomes,
    bodies: Vec<Stmt>,
    /// For each body, the iterators of the accesses that it reads.
    reads: Vec<Set>,
    /// Iterators whose presence does not change the bodies.
    optional: Set,
    /// `true` if the coordinates are those of a dimension, so that none is negative.
    is_dimension: bool,
    /// The largest number of regions for which there is a merge point for each set of iterators.
    apart: usize,
}

/// One loop of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergePoint {
    /// The iterators that advance.
    pub drivers: Set,
    /// The iterators that are located in.
    pub located: Set,
    /// `true` if the loop iterates the whole dimension and no iterator does so.
    pub by_dimension: bool,
    /// The drivers that may be exhausted while the loop runs. The loop ends if any other driver is
    /// exhausted, and if all of these are and no body runs without them.
    pub ended: Set,
    /// The bodies by the iterators that have an entry at the coordinate; the first case whose set
    /// is contained in the region applies. The outcome [`Stmt::SKIP`] prevents later cases from
    /// applying.
    pub cases: Vec<(Set, usize)>,
}

impl MergePoint {
    /// Returns the cases with adjacent cases of equal outcome combined: the sets of iterators, and
    /// the outcome.
    pub fn arms(&self) -> Vec<(Vec<Set>, usize)> {
        arms(&self.cases)
    }
}

impl Lattice {
    /// Builds the lattice of a loop with these iterators around `body`, with the tensors of
    /// `located` only located in. `at_gaps` runs where `body` simplifies to nothing. Returns `None`
    /// if there are too many outcomes to generate code for.
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
        // A fixed coordinate needs no iteration.
        let is_once = program.space.definition(variable) == Some(&Definition::Fixed);
        let is_located = |iterator: &LevelIterator| {
            let passed = program.kernel.passed_as(iterator.access.tensor);
            iterator.can_locate(program) && (is_once || located.contains(&passed))
        };
        let select = |keep: &dyn Fn(&LevelIterator) -> bool| {
            Set::of((0..iterators.len()).filter(|k| keep(&iterators[*k])))
        };
        let bounding = select(&|iterator| iterator.bounds_loop(program));
        let full = select(&|iterator| iterator.has_all(program));
        let sparse = select(&|iterator| !iterator.has_all(program));
        let locatable = select(&|iterator| iterator.can_locate(program)).union(bounding);
        let is_dimension = iterators.iter().all(|it| !it.spec(program).expr.may_be_negative());
        let kernel = &program.kernel;
        let reads = |stmt: &Stmt| {
            let reads = stmt.reads();
            select(&|iterator| reads.contains(&&iterator.access))
        };
        let simplified = |absent: Set, present: Set| {
            let is_of = |set: Set, access: &Access| {
                set.members().any(|member| iterators[member].access == *access)
            };
            body.in_region(kernel, &|access| is_of(absent, access), &|access| {
                is_of(present, access)
            })
        };
        let grow = |optional: Set, most: usize| {
            // Propagates constants, which removes assignments of known fill values to sparse
            // results.
            let body_of = |absent: Set, present: Set, stmt: Stmt| {
                let own = program.with_constants(&stmt);
                if own.is_skip() {
                    return at_gaps.cloned();
                }
                // Where no operand has an entry, the values are known.
                let some = present.meets(optional) || absent.meets(optional) && !present.is_empty();
                let [absent, present] = [absent, present].map(|set| set.minus(optional));
                let shared = || program.with_constants(&simplified(absent, present));
                let shared = some.then(shared).filter(|shared| optional::suits(shared, &own));
                Some(shared.unwrap_or(own))
            };
            Regions {
                operands: sparse,
                optional,
                certain: select(&|iterator| optional::is_term_of(&iterator.access, body))
                    .intersection(optional),
                most,
                known: select(&|iterator| kernel.is_made(iterator.access.tensor)),
                stmt: body,
                reads: &reads,
                simplified: &simplified,
                body: &body_of,
            }
            .outcomes()
        };
        let optional = select(&|iterator| optional::may_be(program, iterator, body));
        let levels = optional.members().map(|member| iterators[member].levels_below(program));
        let most = optional::bodies(optional.len(), levels.max().unwrap_or(0));
        let apart = grow(Set::EMPTY, most).map(|grown| (Set::EMPTY, grown));
        let together = || grow(optional, usize::MAX).map(|grown| (optional, grown));
        let (optional, (outcomes, bodies)) = apart.or_else(together)?;
        let reads = bodies.iter().map(reads).collect();
        Some(Lattice {
            full,
            bounding,
            sparse,
            locatable,
            driving: select(&|iterator| iterator.drives && !is_located(iterator)),
            walking: select(&|iterator| iterator.walks(program)),
            outcomes,
            bodies,
            reads,
            optional,
            is_dimension,
            apart: LOOPS,
        })
    }

    /// Returns the lattice with a merge point for each set of iterators only if it has at most so
    /// many regions.
    pub fn apart(self, regions: usize) -> Lattice {
        Lattice { apart: regions.min(LOOPS), ..self }
    }

    /// Returns the iterators whose presence does not change the bodies.
    pub fn optional(&self) -> Set {
        self.optional
    }

    /// Returns the bodies that merge points refer to; the first is [`Stmt::SKIP`].
    pub fn bodies(&self) -> &[Stmt] {
        &self.bodies
    }

    /// Returns the number of regions with separate code.
    pub fn regions(&self) -> usize {
        self.outcomes.leaves()
    }

    /// Returns whether every coordinate of the dimension has a body to run.
    pub fn is_exhaustive(&self) -> bool {
        self.bounding.is_empty() && self.outcomes.all(&|outcome| outcome != 0)
    }

    /// Returns whether something runs where none of some iterators has an entry.
    pub fn runs_without(&self, some: Set) -> bool {
        let others = self.outcomes.support().minus(some);
        !self.outcomes.within(others).all(&|outcome| outcome == 0)
    }

    /// Returns the statement of the region in which no operand has an entry. Returns `None` if the
    /// region has no effect, or if operands may have entries that do not count.
    pub fn rest(&self) -> Option<&Stmt> {
        let rest = self.outcomes.at(Set::EMPTY);
        (rest != 0 && self.is_dimension).then(|| &self.bodies[rest])
    }

    /// Returns the lattice without the region in which no operand has an entry, and others with the
    /// same statement. It visits all other coordinates, so that they can be counted.
    pub fn without_rest(&self) -> Lattice {
        let mut visited = self.clone();
        let counted = visited.bodies.len();
        visited.bodies.push(Stmt::SKIP);
        visited.reads.push(Set::EMPTY);
        visited.outcomes = self.outcomes.without_rest(self.outcomes.at(Set::EMPTY), counted);
        visited
    }

    /// Returns the merge points in the order in which they run. Each ends when one of its sparse
    /// drivers is exhausted, and the next ones continue with the other drivers.
    pub fn points(&self) -> Vec<MergePoint> {
        self.points_by_relevance().into_iter().map(|(_, point)| point).collect()
    }

    /// Returns a single merge point that runs while any operand has entries with an effect.
    fn together(&self) -> Option<MergePoint> {
        let mut read = Set::EMPTY;
        for (_, outcome) in self.outcomes.cases() {
            read = read.union(self.reads[outcome]);
        }
        let relevant = self.outcomes.support().union(self.optional.intersection(read));
        let point = self.point(relevant)?;
        let drivers = self.ending(point.drivers);
        let regions = point.cases.iter().filter(|(_, outcome)| *outcome != 0).map(|(set, _)| *set);
        let needed = regions.fold(drivers, Set::intersection);
        Some(MergePoint { ended: drivers.minus(needed), ..point })
    }

    /// Returns the merge point that runs until one of `sparse` is exhausted, or `None` if it has no
    /// effect.
    fn point(&self, sparse: Set) -> Option<MergePoint> {
        let cases = self.outcomes.within(sparse).cases();
        let regions: Vec<Set> =
            cases.iter().filter(|(_, outcome)| *outcome != 0).map(|(set, _)| *set).collect();
        if regions.is_empty() {
            return None;
        }
        // Full iterators whose entries are not read need not advance.
        let outcomes = cases.iter().map(|(_, outcome)| self.reads[*outcome]);
        let read = self.full.intersection(outcomes.fold(Set::EMPTY, Set::union));
        // The range of the loop must be known.
        let bounding = [read, sparse, self.bounding].map(|set| set.intersection(self.bounding));
        let bounding = Set::of(bounding.iter().flat_map(|set| set.members()).take(1));
        let full = read.union(bounding);
        let all = sparse.union(full);
        let mut drivers = all.minus(self.locatable);
        let mut by_dimension = false;
        let drives_all = drivers.meets(full);
        let missed = |drivers: Set| regions.iter().filter(move |set| !set.meets(drivers));
        if !drives_all && missed(drivers).next().is_some() {
            let full = match bounding.is_empty() {
                true => full.intersection(self.driving).members().next(),
                false => bounding.members().next(),
            };
            let walked = self.walk(drivers, &regions);
            match (walked, full) {
                (Some(walked), _) => drivers = walked,
                (None, Some(full)) => drivers = drivers.with(full),
                (None, None) => by_dimension = true,
            }
        }
        let (located, ended) = (all.minus(drivers), Set::EMPTY);
        Some(MergePoint { drivers, located, by_dimension, ended, cases })
    }

    /// Returns the drivers that end a loop when they are exhausted.
    fn ending(&self, drivers: Set) -> Set {
        drivers.minus(self.full).minus(self.bounding)
    }

    /// Returns the drivers, extended by iterators with `locate` that must be iterated to visit
    /// every region. Returns `None` if a region has no such iterator, or if they cannot be iterated
    /// together.
    fn walk(&self, mut drivers: Set, regions: &[Set]) -> Option<Set> {
        let candidates = self.driving.minus(self.full).minus(self.bounding);
        while let Some(missed) = regions.iter().find(|set| !set.meets(drivers)) {
            let gain = |member: &usize| {
                let with = drivers.with(*member);
                regions.iter().filter(|set| set.meets(with)).count()
            };
            // The first of equal candidates.
            let best = missed.intersection(candidates).members().rev().max_by_key(gain)?;
            drivers = drivers.with(best);
        }
        let together = drivers.len() == 1 || drivers.is_subset(self.walking);
        together.then_some(drivers)
    }
}

#[cfg(test)]
mod tests;
