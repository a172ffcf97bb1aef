//! Results that store each entry at the next position of its parent, so that the loops may visit
//! the parents in any order, but the coordinates of each parent in order.
//!
//! The positions of a parent are known in one of three ways. A first pass of the loops counts the
//! entries of each parent (Chou et al. 2020); or the outermost level stores the number of preceding
//! entries of the parent, so that all parents have as many positions as the one with the most
//! entries, which a first pass counts as well; or every parent has the same number of positions.

use super::{Format, LevelExpr, LevelSpec};
use crate::level::tells_by_position;

/// The origin of the positions of each parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// The entries are counted in a first pass of the loops.
    Counted,
    /// The number of preceding entries is the coordinate of the outermost level.
    Slots,
    /// Every parent has the same number of positions.
    Fixed,
}

impl Format {
    /// Returns the level of a result that stores each coordinate at the next position of its
    /// parent, if there is one, and the origin of these positions.
    pub fn placed(&self) -> Option<(usize, Places)> {
        let leaf = self.levels.iter().rposition(|spec| spec.level.insert().is_none())?;
        let places = match () {
            () if self.counts_first => Places::Counted,
            () if self.counts_slots() => Places::Slots,
            () if self.has_fixed_places(leaf) => Places::Fixed,
            () => return None,
        };
        Some((leaf, places))
    }

    /// Returns whether values can be stored into an existing structure: the loops append in order,
    /// or the positions of a parent follow from its coordinates.
    pub fn keeps_places(&self) -> bool {
        self.placed().is_none_or(|(leaf, places)| {
            places != Places::Fixed && self.levels[..leaf].iter().all(has_every_child)
        })
    }

    /// Returns whether the loops run twice to assemble a result: first for the sizes of its arrays,
    /// which its entries determine, and then for its entries.
    pub fn takes_two_passes(&self) -> bool {
        match self.placed() {
            Some((_, places)) => places != Places::Fixed,
            None => self.has_structure_first(),
        }
    }

    /// Returns whether the loops first assemble the structure of a result, and then its values. Each
    /// coordinate has several values, whose number is a product of extents, so that a few coordinates
    /// may need more than the available memory; or coordinates come in any order, and would be sorted
    /// with their values.
    pub fn has_structure_first(&self) -> bool {
        let Some(last) = self.levels.iter().rposition(|spec| spec.level.insert().is_none()) else {
            return false;
        };
        let below = &self.levels[last + 1..];
        let is_extent = |spec: &LevelSpec| !spec.expr.has_constant_extent();
        let is_scattered = self.scattered().is_some() && !below.is_empty();
        self.placed().is_none()
            && (below.iter().any(is_extent) || is_scattered)
            && self.is_walked_by_position()
    }

    /// Returns whether loops can iterate over the levels of an assembled result that append: each
    /// has a coordinate at each position that depends on the position alone. If coordinates may be
    /// repeated, a coordinate without children cannot be distinguished from its duplicate.
    pub fn is_walked_by_position(&self) -> bool {
        let appended = |spec: &&LevelSpec| spec.level.insert().is_none();
        let leaves_out_repeated = self.levels.windows(2).any(|pair| {
            let has_children = appended(&&pair[1]) && !pair[1].properties.branchless;
            appended(&&pair[0]) && !pair[0].properties.unique && has_children
        });
        let mut appended = self.levels.iter().filter(appended);
        !leaves_out_repeated && appended.all(|spec| tells_by_position(spec.level.as_ref()))
    }

    /// Returns whether a result grows by slots: its levels store the number of preceding entries of
    /// a parent, the parent, and one coordinate.
    fn counts_slots(&self) -> bool {
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

    /// Returns whether a level has the same number of positions for each parent, and all other
    /// levels have every coordinate.
    fn has_fixed_places(&self, leaf: usize) -> bool {
        let is_plain = |spec: &LevelSpec| !matches!(spec.expr, LevelExpr::Count(_));
        let mut others = self.levels[..leaf].iter().chain(&self.levels[leaf + 1..]);
        let spec = &self.levels[leaf];
        spec.level.fill().is_some_and(|fill| fill.capacity().is_some())
            && takes_in_turn(spec)
            && others.all(|spec| has_every_child(spec) && is_plain(spec))
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
            && leaf.level.append().is_some()
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
    spec.level.fill().is_some() && spec.properties.ordered && !spec.properties.full
}

#[cfg(test)]
mod tests {
    use super::Places;
    use crate::format::Format;
    use crate::level::Levels;
    use crate::manifest::Text;

    fn format(map: &str) -> Format {
        let levels = Levels::default();
        super::super::parse::parse(&Text::unplaced(map), &levels).expect(map)
    }

    #[test]
    fn positions_of_parents_are_known_in_three_ways() {
        let cases = [
            ("(i, j) -> (#i : dense, i : dense, j : singleton)", Some((2, Places::Slots))),
            ("(i, j) -> (i : dense, #i : dense, j : singleton)", None),
            (
                "(i, j) -> (i : dense, j / 4 : dense, j % 4 : structured(2, 4))",
                Some((2, Places::Fixed)),
            ),
            ("(i, j) -> (i : dense, j : compressed)", None),
        ];
        for (map, placed) in cases {
            assert_eq!(format(map).placed(), placed, "{map}");
        }
    }

    #[test]
    fn entries_are_counted_below_known_parents() {
        let cases = [
            ("(i, j) -> (i : dense, j : compressed)", true),
            ("(i, j) -> (i : compressed, j : compressed)", true),
            ("(i, j) -> (i : compressed(nonunique), j : singleton)", true),
            ("(i, j) -> (i : dense, j : compressed(unpadded))", false),
            ("(i, j) -> (i : dense, j : compressed(nonordered))", false),
            ("(i, j, k) -> (i : compressed, j : compressed, k : compressed)", false),
            ("(i) -> (i : compressed)", false),
        ];
        for (map, counts) in cases {
            let twice = format(map).in_two_passes();
            assert_eq!(twice.is_some(), counts, "{map}");
            let places = twice.and_then(|twice| twice.placed()).map(|(_, places)| places);
            assert_eq!(places, counts.then_some(Places::Counted), "{map}");
        }
    }
}
