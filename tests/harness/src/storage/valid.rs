//! Checks the order and uniqueness that a format declares.

use std::collections::BTreeMap;

use super::Format;
use super::walk::Walk;

impl Format {
    /// Returns whether siblings are ordered and unique if the format declares so. Nodes with equal
    /// coordinates at all levels above count as siblings.
    pub(super) fn is_valid(&self, walk: &Walk) -> bool {
        let mut repeats = false;
        self.levels.iter().zip(&walk.nodes).enumerate().all(|(l, (level, nodes))| {
            let mut siblings: BTreeMap<&[i64], Vec<i64>> = BTreeMap::new();
            for node in nodes {
                siblings.entry(&node.numbers[..l]).or_default().push(node.numbers[l]);
            }
            let skips = !repeats && level.kind.is_branchless();
            repeats |= !level.unique;
            skips
                || siblings.into_values().all(|mut numbers| {
                    let ordered = numbers.is_sorted();
                    numbers.sort_unstable();
                    let unique = numbers.windows(2).all(|pair| pair[0] != pair[1]);
                    (ordered || !level.is_ordered()) && (unique || !level.unique)
                })
        })
    }
}
