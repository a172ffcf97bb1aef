//! Results of which each part of a loop has hash tables of its own.

use super::Assembler;
use crate::ir::{Buckets, Expr};
use crate::lower::Lowering;
use crate::lower::extents::expanded;

impl Assembler<'_> {
    /// Returns the levels whose positions are slots, innermost first. If parts have the same
    /// parents, these are those of the outermost such level, whose coordinates they divide.
    pub(in crate::lower) fn buckets(
        &self,
        lowering: &Lowering<'_>,
        are_shared: bool,
    ) -> Vec<Buckets> {
        let levels = self.levels().iter().zip(&self.storages).enumerate();
        let found = levels.filter_map(|(level, (spec, storage))| {
            let buckets = spec.level.insert()?.buckets()?;
            let Expr::Var(width) = storage.number(buckets.width) else { return None };
            // Local arrays are not joined.
            let stored = |(name, initial): (String, Expr)| {
                let array = self.arrays.iter().find(|array| array.name == name)?;
                Some((array.clone(), initial))
            };
            let below = self.below(level).arrays.into_iter().filter_map(stored).collect();
            Some((
                level,
                Buckets {
                    slots: storage.array(buckets.slots).to_owned(),
                    empty: Expr::largest(storage.crd),
                    width,
                    below,
                    parents: None,
                },
            ))
        });
        let mut found: Vec<(usize, Buckets)> = found.collect();
        if let (true, Some((level, outermost))) = (are_shared, found.first_mut()) {
            let parents = self.inserted(0..*level);
            outermost.parents = Some(expanded(lowering.program, &lowering.names, parents));
        }
        found.into_iter().map(|(_, buckets)| buckets).rev().collect()
    }
}
