//! Loops over blocks of coordinates or of positions, around the loops over the coordinates.
//!
//! A level that stores its coordinates one by one has no loops over `j / 64` and `j % 64`, and no
//! loop over `i` and `j` fused. Its coordinates keep their loops, each of which runs over the part
//! in a block: `∀jo ∀i ∀j`, where `j` runs from `64 * jo`, or `∀po ∀i ∀j`, where the blocks are
//! intervals of the positions of an operand, and `i` runs over the parents of these positions.

use std::collections::BTreeMap;

use crate::coordinate::Coordinate;
use crate::notation::{Access, Kernel, TensorId, VariableId};

use super::{Basis, BlockSize, Definition, Space};

/// The positions of an operand's entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Positions {
    /// The variables of the levels, outermost first. The positions are those of the last one.
    pub over: Vec<VariableId>,
    /// The operand, if the schedule names it.
    pub tensor: Option<TensorId>,
}

impl Space {
    /// Returns the loops over a variable and over its blocks, if the schedule replaces its loop and has
    /// not defined the variable.
    pub(super) fn within_blocks(&self, v: VariableId) -> Option<Vec<VariableId>> {
        let is_one = self.is_replaced(v) && !self.is_scheduled(v);
        is_one.then(|| [self.blocks_around(v), vec![v]].concat())
    }

    /// Returns whether the schedule replaces the loop over a variable.
    pub fn is_replaced(&self, v: VariableId) -> bool {
        self.replaced.contains_key(&v)
    }

    /// Returns whether a variable has its own loop, or the schedule replaces it by variables that have.
    pub fn has_loops(&self, basis: &Basis, v: VariableId) -> bool {
        let instead = || self.replaced.get(&v);
        basis.loops_over(v)
            || instead().is_some_and(|by| by.iter().all(|v| self.has_loops(basis, *v)))
    }

    /// Returns whether a command of the schedule defines a variable.
    fn is_scheduled(&self, v: VariableId) -> bool {
        self.replaced.values().flatten().any(|by| *by == v)
    }

    /// Returns the loops over blocks around each loop that runs over a part of its coordinates or
    /// positions.
    pub(super) fn limits(
        &self,
        stead: &BTreeMap<VariableId, Vec<VariableId>>,
    ) -> BTreeMap<VariableId, Vec<VariableId>> {
        let loops = stead.values().flatten().copied();
        let limited = loops.filter(|v| self.is_replaced(*v) && !self.is_scheduled(*v));
        limited.map(|v| (v, self.blocks_around(v))).collect()
    }

    /// Returns the loops over blocks of a variable that contain the loop over it.
    fn blocks_around(&self, v: VariableId) -> Vec<VariableId> {
        let Some(by) = self.replaced.get(&v) else {
            // The positions of one variable are those of its loop, and a block has no other loop.
            let counts_all = match self.definition(v) {
                Some(Definition::Fused(..)) => true,
                Some(Definition::Positions(positions)) => positions.over.len() > 1,
                _ => false,
            };
            return if counts_all { vec![v] } else { Vec::new() };
        };
        match by[..] {
            [block, place] => [self.loops_instead(block), self.blocks_around(place)].concat(),
            [whole] => match self.definition(whole) {
                Some(Definition::Fused(outer, _)) if *outer == v => Vec::new(),
                Some(_) | None => self.blocks_around(whole),
            },
            _ => Vec::new(),
        }
    }

    /// Returns the loops that the schedule demands for a variable of blocks.
    fn loops_instead(&self, v: VariableId) -> Vec<VariableId> {
        match self.replaced.get(&v) {
            Some(by) => by.iter().flat_map(|v| self.loops_instead(*v)).collect(),
            None => vec![v],
        }
    }

    /// Returns the variables of the statement whose coordinates or positions a variable counts, or
    /// blocks of them, outermost first.
    pub fn index_variables(&self, v: VariableId) -> Vec<VariableId> {
        match self.definition(v) {
            Some(Definition::Fused(outer, inner)) => {
                [self.index_variables(*outer), self.index_variables(*inner)].concat()
            }
            Some(Definition::Positions(positions)) => positions.over.clone(),
            Some(Definition::Computed(Coordinate::Div(of, _) | Coordinate::Mod(of, _)))
                if self.is_scheduled(v) =>
            {
                self.index_variables(*of)
            }
            Some(
                Definition::Computed(_)
                | Definition::Slot(_)
                | Definition::Slice(_)
                | Definition::Fixed,
            )
            | None => vec![v],
        }
    }

    /// Returns the loops that a command of the schedule means by a variable, outermost first: its own,
    /// those that compute it, or those over the coordinates within a block.
    pub fn loops_named(&self, basis: &Basis, v: VariableId) -> Vec<VariableId> {
        let over = self.index_variables(v);
        let is_limited = over.iter().all(|v| basis.is_limited(*v));
        let counts_positions = matches!(self.definition(v), Some(Definition::Positions(_)));
        match basis.loops_over(v) {
            true if counts_positions => [vec![v], over].concat(),
            true => vec![v],
            false if is_limited => over,
            false => basis.loops(v),
        }
    }

    /// Returns whether fused variables have one loop, or each of them its own.
    pub(super) fn agrees_on_fused(&self, stead: &BTreeMap<VariableId, Vec<VariableId>>) -> bool {
        let limits = self.limits(stead);
        let is_limited = |v: &VariableId| limits.contains_key(v);
        self.definitions.iter().all(|(fused, definition)| match definition {
            Definition::Fused(..) => {
                let parts = self.index_variables(*fused);
                parts.iter().all(is_limited) || !parts.iter().any(is_limited)
            }
            Definition::Computed(_)
            | Definition::Positions(_)
            | Definition::Slot(_)
            | Definition::Slice(_)
            | Definition::Fixed => true,
        })
    }

    /// Returns the space for loops that are limited to blocks: a fused loop counts positions, and
    /// not pairs of coordinates.
    pub fn limited(mut self, basis: &Basis) -> Space {
        let fused = self.definitions.iter().filter_map(|(v, definition)| match definition {
            Definition::Fused(..) => Some(*v),
            _ => None,
        });
        for v in fused.collect::<Vec<_>>() {
            let over = self.index_variables(v);
            if basis.loops_over(v) && over.iter().all(|v| basis.is_limited(*v)) {
                let positions = Positions { over, tensor: None };
                self.definitions.insert(v, Definition::Positions(positions));
            }
        }
        self
    }

    /// Returns the variable with the same coordinates as `v`: if `v` fuses the blocks and the offsets of
    /// a variable, that variable, and `v` itself otherwise.
    pub fn whole(&self, v: VariableId) -> VariableId {
        let Some(Definition::Fused(outer, inner)) = self.definition(v) else { return v };
        match (self.computed(*outer), self.computed(*inner)) {
            (Some(Coordinate::Div(of, size)), Some(Coordinate::Mod(whole, places)))
                if of == whole && size == places =>
            {
                self.whole(*of)
            }
            _ => v,
        }
    }

    /// Returns whether all blocks of this size of a variable are known to be full.
    pub fn has_whole_blocks(&self, kernel: &Kernel, of: VariableId, size: BlockSize) -> bool {
        let BlockSize::Constant(size) = size else { return false };
        let extent = match self.definition(of) {
            None => kernel.variable(of).declared_size(),
            Some(Definition::Computed(Coordinate::Mod(
                whole,
                places @ BlockSize::Constant(extent),
            ))) => self.has_whole_blocks(kernel, *whole, *places).then_some(*extent),
            Some(_) => None,
        };
        extent.is_some_and(|extent| extent % size == 0)
    }

    /// Returns the variable of the positions that a variable counts in blocks, if it does.
    pub fn positions_of(&self, v: VariableId) -> Option<VariableId> {
        match self.definition(v)? {
            Definition::Positions(_) => Some(v),
            Definition::Computed(Coordinate::Div(of, _) | Coordinate::Mod(of, _)) => {
                self.positions_of(*of)
            }
            Definition::Computed(Coordinate::Affine(_))
            | Definition::Fused(..)
            | Definition::Slot(_)
            | Definition::Slice(_)
            | Definition::Fixed => None,
        }
    }

    /// Returns the operand whose positions a variable counts, and its first and last level.
    pub fn counted_positions<'k>(
        &self,
        kernel: &'k Kernel,
        v: VariableId,
    ) -> Option<(&'k Access, [usize; 2])> {
        let Definition::Positions(Positions { over, tensor }) = self.definition(v)? else {
            return None;
        };
        kernel.accesses.iter().find_map(|access| {
            let levels = kernel.tensor(access.tensor).format.levels.len();
            // A slice counts the coordinates of its mode.
            let variable =
                |level| self.level_variable(kernel, access, level).map(|v| self.counted(v));
            let first = (0..levels).find(|level| variable(*level) == Some(over[0]))?;
            let last = first + over.len() - 1;
            let is_over = over.iter().zip(first..).all(|(v, level)| variable(level) == Some(*v));
            let spec = kernel.tensor(access.tensor).format.levels.get(last)?;
            let is_it = tensor.is_none_or(|tensor| kernel.passed_as(access.tensor) == tensor);
            (is_over && is_it && spec.level.position_iteration().is_some())
                .then_some((access, [first, last]))
        })
    }

    /// Returns the loops over blocks of positions of several levels, one of which has a variable.
    pub fn blocks_over(&self, basis: &Basis, v: VariableId) -> Vec<VariableId> {
        let mut blocks: Vec<VariableId> = Vec::new();
        for positions in self.all_positions() {
            let over = self.index_variables(positions);
            if over.contains(&v) {
                blocks.extend(over.iter().flat_map(|v| basis.blocks_of(*v)));
            }
        }
        blocks
    }

    /// Returns the variable of the pairs with which the schedule replaces a variable, and both parts
    /// of it.
    pub fn fused_with(&self, v: VariableId) -> Option<(VariableId, [VariableId; 2])> {
        let fused = self.replaced.get(&v)?.iter().copied().next()?;
        match self.definition(fused) {
            Some(Definition::Fused(outer, inner)) => Some((fused, [*outer, *inner])),
            Some(_) | None => None,
        }
    }

    /// Returns the variables of the blocks and of the offsets with which the schedule replaces a
    /// variable, and the size of a block.
    pub fn blocks_with(&self, v: VariableId) -> Option<(VariableId, VariableId, BlockSize)> {
        let [block, place] = self.replaced.get(&v)?[..] else { return None };
        match self.computed(block) {
            Some(Coordinate::Div(_, size)) => Some((block, place, *size)),
            Some(Coordinate::Mod(..) | Coordinate::Affine(_)) | None => None,
        }
    }

    /// Returns every variable that counts positions.
    pub fn all_positions(&self) -> impl Iterator<Item = VariableId> {
        let is_it = |(_, definition): &(&VariableId, &Definition)| {
            matches!(definition, Definition::Positions(_))
        };
        self.definitions.iter().filter(is_it).map(|(v, _)| *v)
    }
}
