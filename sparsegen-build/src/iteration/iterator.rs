//! Level iterators, and the conversions that give them the properties a merge needs.

use std::collections::BTreeMap;
use std::fmt;

use crate::concrete::{Program, Stmt};
use crate::format::LevelSpec;
use crate::iteration::graph::is_implied;
use crate::level::is_list;
use crate::notation::{Access, Slice, VariableId};

/// An iterator over one level of one access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelIterator {
    pub access: Access,
    /// The level that the loop's variable indexes, counted from 0.
    pub level: usize,
    /// The last level whose position is known once this one's is: those between were waiting only
    /// for this variable, and are located.
    pub through: usize,
    /// Whether the level stores the loop's own variable; otherwise one that follows from it, and the
    /// level can only be located.
    pub drives: bool,
    /// The positions of the level above under which it iterates.
    pub parents: Positions,
    /// Wrappers around the level's own iteration, innermost first.
    pub conversions: Vec<Conversion>,
}

/// A wrapper around an iterator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Runs over a scratch copy of the entries, sorted by coordinate.
    Reorder,
    /// Runs over all positions of one coordinate at once, so that no coordinate comes twice.
    Dedup,
    /// Runs over positions one by one, duplicates too, together with the levels below.
    Fused,
}

/// How many positions of a level share a coordinate that the loops have reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Positions {
    /// A single one.
    #[default]
    One,
    /// Several that follow each other.
    Adjacent,
    /// Several that stand anywhere; a scratch copy lists them.
    Scattered,
}

impl LevelIterator {
    /// The level's specification in its tensor's format.
    pub fn spec<'p>(&self, program: &'p Program) -> &'p LevelSpec {
        &program.tensor(self.access.tensor).format.levels[self.level]
    }

    /// Whether the levels that were waiting only for this one's variable have an entry wherever it
    /// has: they are full, or have one child for each of its positions.
    pub fn waiting_are_full(&self, program: &Program) -> bool {
        let levels = &program.tensor(self.access.tensor).format.levels;
        let is_full = |spec: &LevelSpec| spec.properties.full || spec.properties.branchless;
        levels[self.level + 1..=self.through].iter().all(is_full)
            && (self.level + 1..=self.through).all(|level| !self.may_leave(program, level))
    }

    /// Whether every coordinate is there, in this level and in those that were waiting for it.
    pub fn is_full(&self, program: &Program) -> bool {
        let levels = &program.tensor(self.access.tensor).format.levels;
        levels[self.level..=self.through].iter().all(|spec| spec.properties.full)
            && (self.level..=self.through).all(|level| !self.may_leave(program, level))
    }

    /// Whether the loop has coordinates for which the level has none.
    fn may_leave(&self, program: &Program, level: usize) -> bool {
        !program.may_leave(&self.access, level).is_empty()
    }

    pub fn can_locate(&self, program: &Program) -> bool {
        self.spec(program).level.locate().is_some() && self.parents == Positions::One
    }

    /// Whether its entries can be walked in order, if need be as a sorted copy.
    pub fn walks(&self, program: &Program) -> bool {
        self.spec(program).level.position_iteration().is_some()
    }

    /// Whether its entries are visited in order as they are.
    pub fn is_in_order(&self, program: &Program) -> bool {
        let spec = self.spec(program);
        let properties = spec.properties;
        let counts = spec.level.coordinate_iteration().is_some();
        self.is_single(program) || (counts || properties.ordered) && !self.is_spread(program)
    }

    /// Whether the children of its parents do not follow each other, so that each parent's must be
    /// visited by itself.
    pub fn is_spread(&self, program: &Program) -> bool {
        match self.parents {
            Positions::One => false,
            Positions::Adjacent => !self.spec(program).properties.compact,
            Positions::Scattered => true,
        }
    }

    /// The part of the mode that the loop runs over, where it does not run over all of it.
    pub fn slice(&self, program: &Program) -> Option<Slice> {
        let variable = program.level_variable(&self.access, self.level)?;
        program.space.slice(variable).filter(|_| self.drives)
    }

    /// Whether where a part of the mode begins and ends can be searched for among its positions.
    pub fn is_searched(&self, program: &Program) -> bool {
        is_list(self.spec(program).level.as_ref()) && self.is_in_order(program)
    }

    /// Whether it must look at each of its entries to tell whether it lies within the part of the mode
    /// that the loop runs over.
    pub fn filters(&self, program: &Program) -> bool {
        let by_position = self.spec(program).level.position_iteration().is_some();
        let looks = self.is_single(program) || !self.is_searched(program);
        self.slice(program).is_some() && by_position && looks
    }

    /// Whether there is one position at most.
    pub fn is_single(&self, program: &Program) -> bool {
        self.spec(program).properties.branchless && self.parents == Positions::One
    }

    pub fn reorders(&self) -> bool {
        self.conversions.contains(&Conversion::Reorder)
    }

    pub fn dedups(&self) -> bool {
        self.conversions.contains(&Conversion::Dedup)
    }

    /// The iterator as the paper writes it, `B2`, within its conversions.
    pub fn show(&self, program: &Program) -> String {
        let level = format!("{}{}", program.tensor(self.access.tensor).name, self.level + 1);
        self.conversions.iter().fold(level, |inner, conversion| format!("{conversion}({inner})"))
    }
}

impl fmt::Display for Conversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Conversion::Reorder => "reorder",
            Conversion::Dedup => "dedup",
            Conversion::Fused => "fused",
        })
    }
}

/// How far each access is resolved by the loops around.
#[derive(Clone, Debug, Default)]
pub struct Frontier {
    /// The variables of the loops around, outermost first.
    pub bound: Vec<VariableId>,
    /// By access: how many levels are resolved, and to which positions of the last.
    resolved: BTreeMap<Access, (usize, Positions)>,
}

impl Frontier {
    /// The number of levels of an access whose positions are known.
    pub fn resolved(&self, access: &Access) -> usize {
        self.resolved.get(access).map_or(0, |(levels, _)| *levels)
    }

    fn positions(&self, access: &Access) -> Positions {
        self.resolved.get(access).map(|(_, positions)| *positions).unwrap_or_default()
    }

    /// The iterators over the levels whose coordinates a loop over `v` around `body` makes known;
    /// `None` where one of them could be neither iterated nor located. `known` are the variables whose
    /// coordinates are known within the loop.
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

    /// The frontier within a loop over `v` with these iterators.
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
