//! Results of which each part of a loop assembles one of its own, with the same parents as those of
//! other parts.

use super::Assembler;
use crate::ir::{ByParent, Reduced};
use crate::level::Holds;

impl Assembler<'_> {
    /// Returns how results of parts are joined parent by parent.
    pub(in crate::lower) fn by_parent(&self) -> Option<ByParent> {
        let of = self.placement.as_ref()?;
        let root = self.collected(of);
        Some(ByParent {
            result: self.program.tensor(self.target.tensor).argument.clone(),
            parents: match root {
                Some(root) => self.storages[root].size.clone(),
                None => self.parents(of),
            },
            coordinates: root.and_then(|root| self.array_of(root, Holds::Coordinates)),
            ends: match &of.ends {
                Some(ends) => Some(ends.name.clone()),
                None => self.array_of(of.leaf, Holds::Positions),
            },
            entries: self.array_of(of.leaf, Holds::Coordinates)?,
            combined: None,
            padding: of.ends.as_ref().map(|_| self.initial()),
        })
    }

    /// Returns how results of parts with one level are joined, whose values are combined.
    pub(in crate::lower) fn by_coordinate(&self, combined: Reduced) -> Option<ByParent> {
        let coordinates = self.array_of(0, Holds::Coordinates)?;
        Some(ByParent {
            result: self.program.tensor(self.target.tensor).argument.clone(),
            parents: self.storages[0].size.clone(),
            coordinates: Some(coordinates.clone()),
            ends: None,
            entries: coordinates,
            combined: Some(combined),
            padding: None,
        })
    }

    /// Returns the array of a level with the given contents.
    fn array_of(&self, level: usize, holds: Holds) -> Option<String> {
        let mut arrays = self.levels()[level].level.arrays().iter();
        let array = arrays.find(|array| array.holds == holds)?;
        Some(self.storages[level].array(array.field).to_owned())
    }
}
