//! Results that store each entry at the next position of its parent, so that the loops may visit
//! the parents in any order, but the coordinates of each parent in order.
//!
//! The positions of a parent are known in one of two ways. Either a first pass of the loops counts
//! the entries of each parent (Chou et al. 2020), or the outermost level stores the number of
//! preceding entries of the parent, so that a position is added for all parents at once.

use super::{Format, LevelExpr, LevelSpec};

impl Format {
    /// Returns the level of a result that stores each coordinate at the next position of its
    /// parent, if there is one.
    pub fn placed(&self) -> Option<usize> {
        let last = self.levels.iter().rposition(|spec| spec.level.insert().is_none());
        last.filter(|_| self.counts_first || self.counts_slots())
    }

    /// Returns whether a result grows by slots: its levels store the number of preceding entries of
    /// a parent, the parent, and one coordinate.
    pub fn counts_slots(&self) -> bool {
        let [slots, parent, leaf] = &self.levels[..] else { return false };
        let counted = LevelExpr::Count(self.mode_of(1).unwrap_or(usize::MAX));
        slots.expr == counted
            && slots.level.extent().is_some()
            && self.mode_of(2).is_some()
            && [slots, parent].into_iter().all(has_every_child)
            && leaf.properties.branchless
            && leaf.properties.padded
            && takes_in_turn(leaf)
    }

    /// Returns this format for a result that is assembled in two passes, if its levels permit that:
    /// the levels above the last one that appends have every coordinate, or there is a single one,
    /// whose coordinates are collected in the first pass.
    pub fn in_two_passes(&self) -> Option<Format> {
        let last = self.levels.iter().rposition(|spec| spec.level.insert().is_none())?;
        let (above, leaf) = (&self.levels[..last], &self.levels[last]);
        let is_plain = |spec: &LevelSpec| {
            !matches!(spec.expr, LevelExpr::Count(_)) && !spec.expr.may_be_negative()
        };
        let is_list = |spec: &LevelSpec| {
            takes_in_turn_as_root(spec) && spec.properties.unique != leaf.properties.branchless
        };
        let suits = match above {
            [] => false,
            [root] if root.level.insert().is_none() => is_list(root),
            above => above.iter().all(has_every_child) && !leaf.properties.branchless,
        };
        let suits = suits
            && takes_in_turn(leaf)
            && leaf.properties.padded
            && self.levels[last + 1..].iter().all(has_every_child)
            && self.levels.iter().all(is_plain);
        suits.then(|| Format { counts_first: true, ..self.clone() })
    }
}

/// Returns whether a level has a position for every coordinate of each parent, without arrays.
fn has_every_child(spec: &LevelSpec) -> bool {
    spec.level.insert().is_some() && spec.properties.full && spec.level.arrays().is_empty()
}

/// Returns whether a level can store coordinates at positions that are appended before.
fn takes_in_turn(spec: &LevelSpec) -> bool {
    takes_positions(spec) && spec.properties.unique
}

/// Returns the same for the outermost level, which may repeat a coordinate for each child.
fn takes_in_turn_as_root(spec: &LevelSpec) -> bool {
    takes_positions(spec) && !spec.properties.branchless && spec.properties.padded
}

fn takes_positions(spec: &LevelSpec) -> bool {
    let fills = spec.level.append().is_some_and(|append| append.fill().is_some());
    fills && spec.properties.ordered && !spec.properties.full
}
