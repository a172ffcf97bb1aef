//! Workspaces during a run.

use std::collections::BTreeMap;

use super::Value;
use super::arrays::{Storage, narrowed};
use crate::ir::{Element, Width};

/// A workspace during a run, with its entries.
pub(super) struct Workspace {
    element: Element,
    crd: Width,
    size: usize,
    initial: Value,
    entries: BTreeMap<usize, Value>,
}

impl Workspace {
    pub(super) fn new(element: Element, crd: Width, size: usize, initial: Value) -> Workspace {
        Workspace { element, crd, size, initial, entries: BTreeMap::new() }
    }

    pub(super) fn load(&self, coordinate: usize) -> Result<Value, String> {
        self.check(coordinate)?;
        Ok(self.entries.get(&coordinate).copied().unwrap_or(self.initial))
    }

    pub(super) fn contains(&self, coordinate: usize) -> Result<bool, String> {
        self.check(coordinate)?;
        Ok(self.entries.contains_key(&coordinate))
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }

    pub(super) fn store(&mut self, coordinate: usize, value: Value) -> Result<(), String> {
        self.check(coordinate)?;
        self.entries.insert(coordinate, narrowed(value, self.element)?);
        Ok(())
    }

    fn check(&self, coordinate: usize) -> Result<(), String> {
        let size = self.size;
        narrowed(Value::Index(coordinate), Element::Index(self.crd))?;
        let is_below = coordinate < size;
        is_below.then_some(()).ok_or(format!("coordinate {coordinate} of a workspace for {size}"))
    }

    /// Removes all entries, and returns their coordinates and values.
    pub(super) fn harvest(&mut self) -> [Storage; 2] {
        let entries = std::mem::take(&mut self.entries);
        let crd = entries.keys().map(|coordinate| Some(Value::Index(*coordinate)));
        let crd = Storage::values(Element::Index(self.crd), crd.collect());
        let vals = entries.values().map(|value| Some(*value)).collect();
        [crd, Storage::values(self.element, vals)]
    }
}
