//! Level iterators, and the conversions that give them the properties that merges require.

use std::collections::BTreeMap;
use std::fmt;

use crate::concrete::{Program, Stmt};
use crate::format::LevelSpec;
use crate::iteration::graph::is_implied;
use crate::level::is_list;
use crate::notation::{Access, VariableId};

/// An iterator over one level of one access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelIterator {
    pub access: Access,
    /// The level that the variable of the loop indexes, starting at 0.
    pub level: usize,
    /// The last level whose position is known at the same point. The levels after `level` are
    /// deferred levels that required only this variable; they are located.
    pub through: usize,
    /// `true` if the level stores the variable of the loop. Otherwise it stores a variable that
    /// depends on it, and can only be located in.
    pub drives: bool,
    /// The kind of the positions of the level above.
    pub parents: Positions,
    /// Conversions of the iterator, innermost first.
    pub conversions: Vec<Conversion>,
}

/// A conversion of an iterator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Iterates a scratch copy of the entries, sorted by coordinate.
    Reorder,
    /// Iterates groups of positions with equal coordinates, so that no coordinate is repeated.
    Dedup,
    /// Iterates all positions, including duplicates, together with the levels below.
    Fused,
    /// Has an empty segment of positions at coordinates without an entry, so that the levels below
    /// need no separate code for them.
    Optional,
}

/// The number of positions of a level that have the coordinates of the enclosing loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Positions {
    /// Exactly one.
    #[default]
    One,
    /// One or none.
    AtMostOne,
    /// One or several in a row.
    Adjacent,
    /// Several in a row, one or none.
    AnyAdjacent,
    /// Several anywhere, listed in a scratch copy.
    Scattered,
}

impl Positions {
    /// Returns whether there is at most one position.
    pub fn are_single(self) -> bool {
        match self {
            Positions::One | Positions::AtMostOne => true,
            Positions::Adjacent | Positions::AnyAdjacent | Positions::Scattered => false,
        }
    }

    /// Returns whether there may be no position.
    pub fn may_be_none(self) -> bool {
        match self {
            Positions::AtMostOne | Positions::AnyAdjacent => true,
            Positions::One | Positions::Adjacent | Positions::Scattered => false,
        }
    }
}

impl LevelIterator {
    /// Returns the specification of the level in the format of its tensor.
    pub fn spec<'p>(&self, program: &'p Program) -> &'p LevelSpec {
        &program.tensor(self.access.tensor).format.levels[self.level]
    }

    /// Returns whether the deferred levels have an entry below every entry of this level: they are
    /// full or branchless.
    pub fn waiting_are_full(&self, program: &Program) -> bool {
        let levels = &program.tensor(self.access.tensor).format.levels;
        let is_full = |spec: &LevelSpec| spec.properties.full || spec.properties.branchless;
        levels[self.level + 1..=self.through].iter().all(is_full)
            && (self.level + 1..=self.through).all(|level| !self.may_leave(program, level))
    }

    /// Returns whether iteration visits every coordinate, with or without an entry.
    pub fn visits_all(&self, program: &Program) -> bool {
        let tensor = self.access.tensor;
        let is_marked = program.kernel.is_temporary(tensor) && !program.is_listed(tensor);
        is_marked || self.is_full(program)
    }

    /// Returns whether this level and its deferred levels store all coordinates.
    pub fn is_full(&self, program: &Program) -> bool {
        !self.parents.may_be_none() && self.stores_all(program)
    }

    /// Returns whether this level and its deferred levels store all coordinates below each parent.
    fn stores_all(&self, program: &Program) -> bool {
        let levels = &program.tensor(self.access.tensor).format.levels;
        levels[self.level..=self.through].iter().all(|spec| spec.properties.full)
            && (self.level..=self.through).all(|level| !self.may_leave(program, level))
    }

    /// Returns whether the levels store all coordinates of the loop below each parent.
    pub fn has_all_below(&self, program: &Program) -> bool {
        self.stores_all(program) || self.bounds_loop(program)
    }

    /// Returns whether the levels store all coordinates of the loop.
    pub fn has_all(&self, program: &Program) -> bool {
        self.is_full(program) || self.bounds_loop(program) && self.parents == Positions::One
    }

    /// Returns whether the loop has no other coordinates than those of the level, which the levels
    /// above determine: all that exist on a diagonal. Iterators of different tensors agree on them,
    /// also those without an entry above. There is at least one, since the diagonal exists.
    pub fn bounds_loop(&self, program: &Program) -> bool {
        is_given(self.spec(program))
            && self.level > 0
            && self.drives
            && self.parents.are_single()
            && self.part(program).is_none()
            && self.waiting_are_full(program)
            && !self.may_leave(program, self.level)
    }

    /// Returns whether the loop has coordinates outside of the level.
    fn may_leave(&self, program: &Program, level: usize) -> bool {
        !program.may_leave(&self.access, level).is_empty()
    }

    pub fn can_locate(&self, program: &Program) -> bool {
        self.spec(program).level.locate().is_some() && self.parents.are_single()
    }

    /// Returns whether its entries can be iterated in order, possibly as a sorted copy.
    pub fn walks(&self, program: &Program) -> bool {
        self.spec(program).level.position_iteration().is_some()
    }

    /// Returns whether its entries are stored in order.
    pub fn is_in_order(&self, program: &Program) -> bool {
        let spec = self.spec(program);
        let properties = spec.properties;
        let counts = spec.level.coordinate_iteration().is_some();
        self.is_single(program) || (counts || properties.ordered) && !self.is_spread(program)
    }

    /// Returns whether the children of its parents are not adjacent, so that the children of each
    /// parent are iterated separately.
    pub fn is_spread(&self, program: &Program) -> bool {
        match self.parents {
            Positions::One | Positions::AtMostOne => false,
            Positions::Adjacent | Positions::AnyAdjacent => !self.spec(program).properties.compact,
            Positions::Scattered => true,
        }
    }

    /// Returns the variable of the mode of which the loop iterates a slice, if it does not iterate
    /// the whole mode.
    pub fn part(&self, program: &Program) -> Option<VariableId> {
        let mode = program.level_variable(&self.access, self.level)?;
        program.space.slice(mode).filter(|_| self.drives).map(|_| mode)
    }

    /// Returns whether the bounds of a slice can be searched for among its positions.
    pub fn is_searched(&self, program: &Program) -> bool {
        is_list(self.spec(program).level.as_ref()) && self.is_in_order(program)
    }

    /// Returns whether the first of its positions from a coordinate on can be searched for: they are in
    /// the order of the coordinates.
    pub fn can_be_cut(&self, program: &Program) -> bool {
        let iteration = self.spec(program).level.position_iteration();
        self.is_searched(program)
            && !self.is_single(program)
            && !self.is_spread(program)
            && !self.reorders()
            && !self.dedups()
            && iteration.is_some_and(|iteration| iteration.groups().is_none())
    }

    /// Returns whether its positions are in groups that can be searched.
    pub fn has_blocks(&self, program: &Program) -> bool {
        let iteration = self.spec(program).level.position_iteration();
        iteration.and_then(|iteration| iteration.groups()).is_some_and(|of| of.blocks().is_some())
    }

    /// Returns whether it must compare each entry with the bounds of the slice that the loop
    /// iterates.
    pub fn filters(&self, program: &Program) -> bool {
        let by_position = self.spec(program).level.position_iteration().is_some();
        let looks = self.is_single(program) || !self.is_searched(program);
        self.part(program).is_some() && by_position && looks
    }

    /// Returns whether there is at most one position.
    pub fn is_single(&self, program: &Program) -> bool {
        self.spec(program).properties.branchless && self.parents.are_single()
    }

    pub fn reorders(&self) -> bool {
        self.conversions.contains(&Conversion::Reorder)
    }

    pub fn dedups(&self) -> bool {
        self.conversions.contains(&Conversion::Dedup)
    }

    /// Returns the number of levels of its access below those that it resolves.
    pub fn levels_below(&self, program: &Program) -> usize {
        program.tensor(self.access.tensor).format.levels.len() - self.through - 1
    }

    /// Returns whether the loop has one body for coordinates with and without an entry: without one,
    /// the segment of the level below is empty, or the value is the fill value.
    pub fn is_optional(&self) -> bool {
        self.conversions.contains(&Conversion::Optional)
    }

    /// Formats the iterator, as `B2` within its conversions.
    pub fn show(&self, program: &Program) -> String {
        let level = format!("{}{}", program.tensor(self.access.tensor).name, self.level + 1);
        self.conversions.iter().fold(level, |inner, conversion| format!("{conversion}({inner})"))
    }
}

/// Returns whether the levels above determine the coordinates of a level, without arrays.
pub fn is_given(spec: &LevelSpec) -> bool {
    spec.level.coordinate_iteration().is_some()
        && spec.level.arrays().is_empty()
        && !spec.properties.full
}

impl fmt::Display for Conversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Conversion::Reorder => "reorder",
            Conversion::Dedup => "dedup",
            Conversion::Fused => "fused",
            Conversion::Optional => "optional",
        })
    }
}

/// The levels of each access that enclosing loops have resolved.
#[derive(Clone, Debug, Default)]
pub struct Frontier {
    /// The variables of the enclosing loops, outermost first.
    pub bound: Vec<VariableId>,
    /// For each access, the number of resolved levels and the kind of the positions of the last.
    resolved: BTreeMap<Access, (usize, Positions)>,
}

impl Frontier {
    /// Returns the number of levels of an access whose positions are known.
    pub fn resolved(&self, access: &Access) -> usize {
        self.resolved.get(access).map_or(0, |(levels, _)| *levels)
    }

    fn positions(&self, access: &Access) -> Positions {
        self.resolved.get(access).map(|(_, positions)| *positions).unwrap_or_default()
    }

    /// Returns the iterators over the levels whose coordinates become known in a loop over `v`
    /// around `body`, or `None` if one of them can be neither iterated nor located in. `known` are
    /// the variables whose coordinates are known within the loop.
    pub fn iterators(
        &self,
        program: &Program,
        body: &Stmt,
        v: VariableId,
        known: &[VariableId],
    ) -> Option<Vec<LevelIterator>> {
        let mut iterators = Vec::new();
        for access in body.reads() {
            let level = self.resolved(access);
            let reaches = |level| {
                program.level_variable(access, level).filter(|variable| known.contains(variable))
            };
            let Some(variable) = reaches(level) else { continue };
            let spec = &program.tensor(access.tensor).format.levels[level];
            let drives = program.space.counted(variable) == v;
            if !drives && spec.level.locate().is_none() {
                return None;
            }
            let mut through = level;
            while reaches(through + 1).is_some() {
                through += 1;
                let below = &program.tensor(access.tensor).format.levels[through];
                if below.level.locate().is_none() && !is_implied(&program.kernel, access, through) {
                    return None;
                }
            }
            iterators.push(LevelIterator {
                access: access.clone(),
                level,
                through,
                drives,
                parents: self.positions(access),
                conversions: Vec::new(),
            });
        }
        Some(iterators)
    }

    /// Returns the frontier within a loop over `v` with these iterators.
    pub fn bind(&self, v: VariableId, iterators: &[LevelIterator]) -> Frontier {
        let mut inner = self.clone();
        inner.bound.push(v);
        for iterator in iterators {
            let reached = (iterator.through + 1, iterator.positions());
            inner.resolved.insert(iterator.access.clone(), reached);
        }
        inner
    }
}
