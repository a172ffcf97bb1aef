//! Bases: what is looped over in the stead of each index variable.

use std::collections::BTreeMap;

use crate::limits::BASES;
use crate::notation::{Access, VariableId};

use super::{Definition, Space};

/// What is looped over in the stead of each index variable, by variable; slots have loops always.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    stead: BTreeMap<VariableId, Vec<VariableId>>,
    slots: Vec<VariableId>,
}

impl Space {
    /// The loops that must stand around for an entry of a tensor to be known.
    pub fn access_sources(&self, basis: &Basis, access: &Access) -> Vec<VariableId> {
        let mut sources = Vec::new();
        for v in access.indices.iter().copied().chain(self.slots(access)) {
            self.collect_sources(basis, v, &mut sources);
        }
        sources
    }

    /// The bases of a kernel, the plain one first: every index variable its own loop.
    pub fn bases(&self, looped: &[VariableId]) -> Vec<Basis> {
        let mut bases = vec![BTreeMap::new()];
        for v in looped {
            let choices = self.choices(*v);
            bases = bases
                .into_iter()
                .flat_map(|basis: BTreeMap<VariableId, Vec<VariableId>>| {
                    choices.iter().map(move |choice| {
                        let mut basis = basis.clone();
                        basis.insert(*v, choice.clone());
                        basis
                    })
                })
                .collect();
            bases.truncate(BASES);
        }
        bases.retain(|basis| self.is_complete(basis));
        let slots = self.definitions.iter().filter(|(_, of)| matches!(of, Definition::Slot(_)));
        let slots: Vec<VariableId> = slots.map(|(v, _)| *v).collect();
        bases.into_iter().map(|stead| Basis { stead, slots: slots.clone() }).collect()
    }

    /// What may be looped over in the stead of `v`.
    fn choices(&self, v: VariableId) -> Vec<Vec<VariableId>> {
        if let Some(parts) = self.replaced.get(&v) {
            let none = vec![Vec::new()];
            return parts.iter().fold(none, |before, part| {
                let with = |before: &Vec<VariableId>| {
                    let before = before.clone();
                    let choices = self.choices(*part).into_iter();
                    choices.map(move |choice| [before.clone(), choice].concat())
                };
                before.iter().flat_map(with).collect()
            });
        }
        let mut choices = vec![vec![v]];
        for (&part, &definition) in &self.definitions {
            match definition {
                Definition::Div(of, by) if of == v => {
                    let Some(rest) = self.variable(Definition::Mod(v, by)) else { continue };
                    for outer in self.choices(part) {
                        for inner in self.choices(rest) {
                            choices.push(outer.iter().chain(&inner).copied().collect());
                        }
                    }
                }
                Definition::Sub(a, b) | Definition::Add(a, b) if a == v || b == v => {
                    choices.push(vec![part]);
                }
                // Blocks and diagonals of the mode; to loop over it is to loop over `v`.
                Definition::Slice(slice) if slice.of == v && slice.keeps_to_mode() => {
                    let of_mode = self.choices(part).into_iter();
                    choices.extend(of_mode.filter(|choice| *choice != [part]));
                }
                Definition::Div(..)
                | Definition::Mod(..)
                | Definition::Sub(..)
                | Definition::Add(..)
                | Definition::Fused(..)
                | Definition::Slot(_)
                | Definition::Slice(_)
                | Definition::Once => {}
            }
        }
        choices
    }

    /// Whether each index variable can be put together, and no loop serves two of them but one that
    /// is both.
    fn is_complete(&self, basis: &BTreeMap<VariableId, Vec<VariableId>>) -> bool {
        let loops: Vec<VariableId> = basis.values().flatten().copied().collect();
        let is_fused = |v| matches!(self.definition(v), Some(Definition::Fused(..)));
        let distinct =
            loops.iter().enumerate().all(|(k, v)| is_fused(*v) || !loops[..k].contains(v));
        let mut known = loops;
        while let Some(v) = basis
            .keys()
            .chain(self.definitions.keys())
            .copied()
            .find(|v| !known.contains(v) && self.follows(*v, &known))
        {
            known.push(v);
        }
        distinct && basis.keys().all(|v| known.contains(v))
    }

    /// The loops that must stand around for `v` to be known.
    pub fn sources(&self, basis: &Basis, v: VariableId) -> Vec<VariableId> {
        let mut sources = Vec::new();
        self.collect_sources(basis, v, &mut sources);
        sources
    }

    fn collect_sources(&self, basis: &Basis, v: VariableId, sources: &mut Vec<VariableId>) {
        let add = |v: VariableId, sources: &mut Vec<VariableId>| {
            if !sources.contains(&v) {
                sources.push(v);
            }
        };
        if basis.loops_over(v) {
            return add(v, sources);
        }
        if let Some(loops) = basis.stead.get(&v) {
            for part in loops {
                add(*part, sources);
                // A diagonal makes one variable known where the other is.
                if let Some(Definition::Sub(a, b) | Definition::Add(a, b)) = self.definition(*part)
                {
                    let other = if self.counted(a) == v { b } else { a };
                    self.collect_sources(basis, other, sources);
                }
            }
            return;
        }
        match self.definition(v) {
            Some(Definition::Div(of, _) | Definition::Mod(of, _)) => {
                self.collect_sources(basis, of, sources);
            }
            Some(Definition::Sub(a, b) | Definition::Add(a, b) | Definition::Fused(a, b)) => {
                self.collect_sources(basis, a, sources);
                self.collect_sources(basis, b, sources);
            }
            Some(Definition::Slice(slice)) => {
                self.collect_sources(basis, slice.of, sources);
                let needs = self.needs(v).iter();
                needs.for_each(|v| self.collect_sources(basis, *v, sources));
            }
            Some(Definition::Slot(_) | Definition::Once) | None => add(v, sources),
        }
    }
}

impl Basis {
    /// The loops in the stead of an index variable.
    pub fn loops(&self, v: VariableId) -> Vec<VariableId> {
        self.stead.get(&v).cloned().unwrap_or_else(|| vec![v])
    }

    /// Whether a variable has a loop of its own; slots always have.
    pub fn loops_over(&self, v: VariableId) -> bool {
        self.slots.contains(&v) || self.stead.values().any(|loops| loops.contains(&v))
    }
}
