//! Bases: the loops that compute each index variable.

use std::collections::BTreeMap;

use crate::coordinate::Coordinate;
use crate::limits::BASES;
use crate::notation::{Access, VariableId};

use super::{Definition, Space};
use crate::concrete::renumber::Renumbering;

/// The loops that compute each index variable; slots always have loops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    stead: BTreeMap<VariableId, Vec<VariableId>>,
    slots: Vec<VariableId>,
    /// The loops over blocks that the schedule defines, by the variables whose loops run over a part of
    /// their coordinates or positions within them.
    limits: BTreeMap<VariableId, Vec<VariableId>>,
}

impl Space {
    /// Returns the loops that determine an entry of a tensor.
    pub fn access_sources(&self, basis: &Basis, access: &Access) -> Vec<VariableId> {
        let mut sources = Sources::new(self, basis);
        sources.collect_all(&access.indices);
        sources.collect_all(&self.slots(access));
        sources.loops
    }

    /// Returns the bases of a kernel, starting with a loop over each index variable.
    pub fn bases(&self, looped: &[VariableId]) -> Vec<Basis> {
        let mut bases = vec![BTreeMap::new()];
        let slots = self.definitions.iter().filter(|(_, of)| matches!(of, Definition::Slot(_)));
        let (split, slots): (Vec<_>, Vec<_>) = slots
            .map(|(v, _)| *v)
            .filter(|v| Some(*v) != self.next_slot)
            .partition(|v| self.is_replaced(*v));
        for v in looped.iter().chain(&split) {
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
        let basis = |stead: BTreeMap<VariableId, Vec<VariableId>>| {
            let limits = self.limits(&stead);
            Basis { stead, slots: slots.clone(), limits }
        };
        let mut bases: Vec<Basis> = bases.into_iter().map(basis).collect();
        bases.sort_by_key(|basis| basis.limits.len());
        bases
    }

    /// Returns the possible loops that compute `v`.
    fn choices(&self, v: VariableId) -> Vec<Vec<VariableId>> {
        if let Some(parts) = self.replaced.get(&v) {
            let instead = self.choices_instead(parts).into_iter();
            return instead.chain(self.within_blocks(v)).collect();
        }
        let mut choices = vec![vec![v]];
        for (&part, definition) in &self.definitions {
            match definition {
                Definition::Computed(Coordinate::Div(of, by)) if *of == v => {
                    let Some(rest) = self.variable_of(Coordinate::Mod(v, *by)) else { continue };
                    for outer in self.choices(part) {
                        for inner in self.choices(rest) {
                            choices.push(outer.iter().chain(&inner).copied().collect());
                        }
                    }
                }
                Definition::Computed(Coordinate::Affine(sum)) if sum.stride(&v) != 0 => {
                    match self.is_replaced(part) {
                        true => choices.extend(self.choices(part)),
                        false => choices.push(vec![part]),
                    }
                }
                // Blocks and diagonals of the mode; a loop over the mode is a loop over `v`.
                Definition::Slice(slice) if slice.of == v && slice.keeps_to_mode() => {
                    let of_mode = self.choices(part).into_iter();
                    choices.extend(of_mode.filter(|choice| *choice != [part]));
                }
                Definition::Computed(_)
                | Definition::Fused(..)
                | Definition::Positions(_)
                | Definition::Slot(_)
                | Definition::Slice(_)
                | Definition::Fixed => {}
            }
        }
        choices
    }

    /// Returns the possible loops that compute the variables that replace another.
    fn choices_instead(&self, parts: &[VariableId]) -> Vec<Vec<VariableId>> {
        let counts_positions =
            |part| matches!(self.definition(part), Some(Definition::Positions(_)));
        if parts.iter().any(|part| counts_positions(*part)) {
            // Positions of an operand are not coordinates: these have loops of their own.
            return Vec::new();
        }
        parts.iter().fold(vec![Vec::new()], |before, part| {
            let with = |before: &Vec<VariableId>| {
                let before = before.clone();
                let choices = self.choices(*part).into_iter();
                choices.map(move |choice| [before.clone(), choice].concat())
            };
            before.iter().flat_map(with).collect()
        })
    }

    /// Returns whether each index variable can be computed, and no loop computes two of them,
    /// except a fused loop.
    fn is_complete(&self, basis: &BTreeMap<VariableId, Vec<VariableId>>) -> bool {
        let loops: Vec<VariableId> = basis.values().flatten().copied().collect();
        let is_fused = |v| self.is_of_fused(v);
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
        distinct && basis.keys().all(|v| known.contains(v)) && self.agrees_on_fused(basis)
    }

    /// Returns whether `v` counts the iterations of a fused loop, or blocks of them.
    fn is_of_fused(&self, v: VariableId) -> bool {
        match self.definition(v) {
            Some(Definition::Fused(..)) => true,
            Some(Definition::Computed(Coordinate::Div(of, _) | Coordinate::Mod(of, _))) => {
                self.is_of_fused(*of)
            }
            Some(
                Definition::Computed(Coordinate::Affine(_))
                | Definition::Positions(_)
                | Definition::Slot(_)
                | Definition::Slice(_)
                | Definition::Fixed,
            )
            | None => false,
        }
    }

    /// Returns the loops that determine `v`.
    pub fn sources(&self, basis: &Basis, v: VariableId) -> Vec<VariableId> {
        let mut sources = Sources::new(self, basis);
        sources.collect(v);
        sources.loops
    }
}

/// The loops that determine variables.
struct Sources<'s> {
    space: &'s Space,
    basis: &'s Basis,
    loops: Vec<VariableId>,
    /// The variables of which others are being collected: where two can be computed from each other,
    /// the loops of one determine both.
    open: Vec<VariableId>,
}

impl<'s> Sources<'s> {
    fn new(space: &'s Space, basis: &'s Basis) -> Sources<'s> {
        Sources { space, basis, loops: Vec::new(), open: Vec::new() }
    }

    fn add(&mut self, v: VariableId) {
        if !self.loops.contains(&v) {
            self.loops.push(v);
        }
    }

    fn collect_all<'v>(&mut self, variables: impl IntoIterator<Item = &'v VariableId>) {
        variables.into_iter().for_each(|v| self.collect(*v));
    }

    fn collect(&mut self, v: VariableId) {
        if self.open.contains(&v) {
            return;
        }
        self.open.push(v);
        self.collect_of(v);
        self.open.pop();
    }

    fn collect_of(&mut self, v: VariableId) {
        let Sources { space, basis, .. } = *self;
        if basis.loops_over(v) {
            return basis.loops(v).into_iter().for_each(|v| self.add(v));
        }
        if let Some(loops) = basis.stead.get(&v) {
            for part in loops {
                self.add(*part);
                // A diagonal determines one variable if the other is known.
                if let Some(Coordinate::Affine(sum)) = space.computed(*part)
                    && let Some(other) = sum.variables().find(|of| space.counted(**of) != v)
                {
                    self.collect(*other);
                }
            }
            return;
        }
        let instead = space.replaced.get(&v).filter(|_| space.has_loops(basis, v));
        if let Some(by) = instead {
            return self.collect_all(by);
        }
        match space.definition(v) {
            Some(Definition::Computed(computed)) => self.collect_all(computed.variables()),
            Some(Definition::Fused(a, b)) => self.collect_all([a, b]),
            Some(Definition::Positions(positions)) => self.collect_all(&positions.over),
            Some(Definition::Slice(slice)) => {
                self.collect(slice.of);
                self.collect_all(space.needs(v));
            }
            Some(Definition::Slot(_) | Definition::Fixed) | None => self.add(v),
        }
    }
}

impl Basis {
    /// Returns the loops that compute an index variable, if they have been chosen.
    pub fn stead(&self, v: VariableId) -> Option<&[VariableId]> {
        self.stead.get(&v).map(Vec::as_slice)
    }

    /// Returns the same choices with other numbers of variables.
    pub fn renumbered(&self, map: &Renumbering) -> Basis {
        let all = |loops: &Vec<VariableId>| loops.iter().map(|v| map.variable(*v)).collect();
        let each = |(v, loops): (&VariableId, &Vec<VariableId>)| (map.variable(*v), all(loops));
        Basis {
            stead: self.stead.iter().map(each).collect(),
            slots: self.slots.iter().map(|v| map.variable(*v)).collect(),
            limits: self.limits.iter().map(each).collect(),
        }
    }

    /// Returns the same choices with only some of the loops over blocks that contain others.
    pub fn with_blocks(&self, keeps: impl Fn(VariableId) -> bool) -> Basis {
        let mut limits = self.limits.clone();
        limits.values_mut().for_each(|blocks| blocks.retain(|block| keeps(*block)));
        limits.retain(|_, blocks| !blocks.is_empty());
        Basis { limits, ..self.clone() }
    }

    /// Returns whether the loops of each variable that both have are the same.
    pub fn agrees_with(&self, other: &Basis) -> bool {
        let is_same = |(v, loops): (&VariableId, &Vec<VariableId>)| {
            other.stead.get(v).is_none_or(|others| loops == others)
        };
        self.stead.iter().all(is_same)
    }

    /// Adds the choices of another basis for variables without a choice.
    pub fn join(&mut self, other: &Basis) {
        for (v, loops) in &other.stead {
            self.stead.entry(*v).or_insert_with(|| loops.clone());
        }
        for (v, blocks) in &other.limits {
            self.limits.entry(*v).or_insert_with(|| blocks.clone());
        }
        let slots = other.slots.iter().filter(|v| !self.slots.contains(v)).copied();
        self.slots.extend(slots.collect::<Vec<_>>());
    }

    /// Returns the loops that compute a variable: its own, with those over its blocks, or those that
    /// replace it.
    pub fn loops(&self, v: VariableId) -> Vec<VariableId> {
        self.loops_of(&[v])
    }

    /// Returns the loops that compute variables.
    pub fn loops_of(&self, variables: &[VariableId]) -> Vec<VariableId> {
        let mut loops = Vec::with_capacity(variables.len());
        for v in variables {
            match self.stead.get(v) {
                _ if self.loops_over(*v) => {
                    loops.extend(self.limits.get(v).into_iter().flatten());
                    loops.push(*v);
                }
                Some(stead) => loops.extend(stead),
                None => loops.push(*v),
            }
        }
        loops
    }

    /// Returns whether the loop over a variable runs over a block of its coordinates or positions.
    pub fn is_limited(&self, v: VariableId) -> bool {
        self.limits.contains_key(&v)
    }

    /// Returns the number of loops that are limited to blocks.
    pub fn limited(&self) -> usize {
        self.limits.len()
    }

    /// Returns whether it limits more loops to blocks than another.
    pub fn exceeds(&self, other: &Basis) -> bool {
        self.limited() > other.limited()
    }

    /// Returns whether loops are limited to blocks.
    pub fn has_limits(&self) -> bool {
        !self.limits.is_empty()
    }

    /// Returns the loops over blocks that contain others, possibly with repetitions.
    pub fn all_blocks(&self) -> impl Iterator<Item = &VariableId> {
        self.limits.values().flatten()
    }

    /// Returns the loops over the blocks of a variable, outermost first.
    pub fn blocks_of(&self, v: VariableId) -> Vec<VariableId> {
        self.limits.get(&v).cloned().unwrap_or_default()
    }

    /// Returns whether a variable has its own loop; slots always have.
    pub fn loops_over(&self, v: VariableId) -> bool {
        self.slots.contains(&v) || self.stead.values().any(|loops| loops.contains(&v))
    }
}
