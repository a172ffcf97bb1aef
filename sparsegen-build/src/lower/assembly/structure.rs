//! The levels of a result that append, and their chains.

use super::Assembler;
use crate::format::LevelSpec;
use crate::iteration::visits::level_variables;
use crate::notation::VariableId;

impl<'p> Assembler<'p> {
    pub(super) fn levels(&self) -> &'p [LevelSpec] {
        &self.program.tensor(self.target.tensor).format.levels
    }

    pub(super) fn variable(&self, level: usize) -> VariableId {
        level_variables(self.program, self.target)[level]
    }

    pub(super) fn is_assembled_by_append(&self, level: usize) -> bool {
        self.levels().get(level).is_some_and(|spec| spec.level.insert().is_none())
    }

    /// Returns the last level that appends.
    pub(super) fn last_appended(&self) -> Option<usize> {
        (0..self.levels().len()).rev().find(|level| self.is_assembled_by_append(*level))
    }

    /// Returns whether a level appends and begins a chain, so that it has edges.
    pub(super) fn is_appended(&self, level: usize) -> bool {
        self.is_assembled_by_append(level) && !self.levels()[level].properties.branchless
    }

    /// Returns whether a level is the last of its chain: no branchless level follows that appends
    /// with it.
    pub(super) fn closes_chain(&self, level: usize) -> bool {
        !self.levels().get(level + 1).is_some_and(|below| below.properties.branchless)
    }

    /// Returns the levels that append together with `level`, which is the last of them.
    pub(super) fn chain(&self, level: usize) -> std::ops::RangeInclusive<usize> {
        let mut first = level;
        while self.levels()[first].properties.branchless && first > 0 {
            first -= 1;
        }
        first..=level
    }

    /// Returns the levels that have one coordinate for each entry.
    pub(super) fn entry_levels(&self) -> Option<std::ops::RangeInclusive<usize>> {
        let last = self.levels().len() - 1;
        self.is_assembled_by_append(last).then(|| self.chain(last))
    }

    /// Returns whether the parents of a level that appends are visited without gaps, from the next
    /// level above that appends.
    pub(super) fn follows_on(&self, level: usize) -> bool {
        let mut above = (0..level).rev().take_while(|k| !self.is_assembled_by_append(*k));
        self.awaiting(level).is_none() && above.all(|k| self.contiguous[k])
    }

    /// Returns whether a level appends its coordinate only if one below is inserted, which is not
    /// certain.
    pub(super) fn waits(&self, level: usize) -> bool {
        let below = &self.levels()[level + 1..];
        let is_partial = |spec: &LevelSpec| spec.level.insert().is_some() && !spec.properties.full;
        self.scattered.is_none()
            && !self.certain[level]
            && !self.levels()[level].properties.full
            && self.is_assembled_by_append(level)
            && !self.is_assembled_by_append(level + 1)
            && self.awaits(level).is_none()
            && below.iter().any(is_partial)
    }

    /// Returns the next level below `level` that appends, if levels that insert are between and it is
    /// not certain that it has coordinates, without which that of `level` is not appended.
    pub(super) fn awaits(&self, level: usize) -> Option<usize> {
        let mut below = level + 1..self.levels().len();
        let next = below.find(|k| self.is_assembled_by_append(*k))?;
        let is_awaited = next > level + 1
            && self.is_assembled_by_append(level)
            && !self.levels()[level].properties.full
            && !self.certain[level];
        is_awaited.then_some(next)
    }

    /// Returns the level above that [awaits](Self::awaits) coordinates of a level.
    pub(super) fn awaiting(&self, level: usize) -> Option<usize> {
        (0..level).rev().find(|above| self.awaits(*above) == Some(level))
    }

    pub(super) fn begin_name(&self, level: usize) -> String {
        format!("{}{}_begin", self.argument, level + 1)
    }
}
