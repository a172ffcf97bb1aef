//! Workspaces during a run.

use std::collections::BTreeMap;

use super::arrays::{Storage, narrowed};
use super::{Machine, Value};
use crate::ir::{Element, Kept, Width};

/// A workspace during a run, with its entries.
pub(super) struct Workspace {
    element: Element,
    crd: Width,
    /// The extent, or `None` if entries are hashed.
    size: Option<usize>,
    initial: Value,
    entries: BTreeMap<usize, Value>,
}

impl Workspace {
    pub(super) fn new(
        element: Element,
        crd: Width,
        size: Option<usize>,
        initial: Value,
    ) -> Workspace {
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

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }

    pub(super) fn remove(&mut self, coordinate: usize) {
        self.entries.remove(&coordinate);
    }

    pub(super) fn store(&mut self, coordinate: usize, value: Value) -> Result<(), String> {
        self.check(coordinate)?;
        self.entries.insert(coordinate, narrowed(value, self.element)?);
        Ok(())
    }

    fn check(&self, coordinate: usize) -> Result<(), String> {
        narrowed(Value::Index(coordinate), Element::Index(self.crd))?;
        match self.size {
            Some(size) if coordinate >= size => {
                Err(format!("coordinate {coordinate} of a workspace for {size}"))
            }
            _ => Ok(()),
        }
    }

    /// Returns whether this holds positions of coordinates, and not values.
    fn is_places(&self) -> bool {
        matches!(self.element, Element::Index(_))
    }

    /// Returns whether all entries have the initial value.
    fn is_initial(&self) -> bool {
        self.entries.values().all(|value| *value == self.initial)
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

impl Machine {
    /// Counts the steps of the allocation of a workspace. Memory that earlier calls have kept takes
    /// none.
    pub(super) fn allocate(&mut self, name: &str, size: usize) -> Result<(), String> {
        let kept = self.kept.get(name).copied().unwrap_or(0);
        self.spend(size.saturating_sub(kept) as u64)
    }

    /// Checks that the loops have removed all positions of coordinates, which nothing else can do in
    /// time proportional to their number.
    pub(super) fn check_places(&self) -> Result<(), String> {
        let is_left = |workspace: &Workspace| workspace.is_places() && !workspace.is_initial();
        match self.workspaces.iter().find(|(_, workspace)| is_left(workspace)) {
            Some((name, _)) => Err(format!("`{name}` has positions at the end")),
            None => Ok(()),
        }
    }

    /// Empties workspaces and keeps them for later calls.
    pub(super) fn keep(&mut self, Kept { names, .. }: &Kept) {
        for name in names {
            let Some(workspace) = self.workspaces.get_mut(name) else { continue };
            workspace.clear();
            let kept = self.kept.entry(name.clone()).or_default();
            *kept = (*kept).max(workspace.size.unwrap_or(0));
        }
    }
}
