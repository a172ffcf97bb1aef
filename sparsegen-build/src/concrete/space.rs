//! The iteration space: the variables and their definitions.
//!
//! A level may store an expression of a tensor's dimensions: `i / 4`, `i % 4`, `j - i`, `#i`. Each
//! such expression over index variables is a separate variable with a definition. A *basis* chooses
//! the loops that compute each index variable: a loop over the variable itself, over the block and
//! the offset, or over the diagonal. Variables that follow from those of loops are known.

mod basis;
mod blocks;

use std::collections::BTreeMap;

use crate::coordinate::Coordinate;
use crate::format::{LevelExpr, SLOT};
use crate::notation::{
    Access, Expr, Extent, Kernel, Slice, TensorId, Variable, VariableId, VariableRole,
};

use super::renumber::Renumbering;
use super::terms::pull_reduction;

pub use basis::Basis;
pub use blocks::Positions;

/// The definition of a variable in terms of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// `v / b`, `v % b`, `v - w` or `v + w`
    Computed(Coordinate<VariableId, BlockSize>),
    /// `v * |w| + w`: the fusion of two variables.
    Fused(VariableId, VariableId),
    /// The positions of an operand's entries. Loops over blocks of them contain the loops over the
    /// coordinates.
    Positions(Positions),
    /// The slots of a tensor with a level that counts the entries with the same coordinate.
    Slot(TensorId),
    /// `start + step * v`: the coordinate of a mode that is read in part, or that of another
    /// variable.
    Slice(Slice),
    /// 0: the variable of a fixed coordinate.
    Fixed,
}

/// The size of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockSize {
    /// A constant.
    Constant(u64),
    /// The size for which this number of blocks contains all coordinates.
    Share(u64),
}

impl std::fmt::Display for BlockSize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BlockSize::Constant(size) => write!(f, "{size}"),
            BlockSize::Share(count) => write!(f, "⌈size / {count}⌉"),
        }
    }
}

/// The variables of a kernel, from its index notation and from the maps of its formats.
#[derive(Clone, Debug, Default)]
pub struct Space {
    definitions: BTreeMap<VariableId, Definition>,
    /// The variable of the slots of the result, which has no loop: each entry of the result is in
    /// the next slot.
    next_slot: Option<VariableId>,
    /// The variables that the schedule replaces by loops over others.
    replaced: BTreeMap<VariableId, Vec<VariableId>>,
    /// By variable of a mode: the variables that must be known, in addition to the one that counts
    /// its coordinates, to compute its coordinate.
    needs: BTreeMap<VariableId, Vec<VariableId>>,
}

impl Space {
    /// Adds to a kernel the variables that the formats of its tensors define; `space` has those
    /// that its schedule defines.
    pub fn of(kernel: &mut Kernel, mut space: Space) -> Space {
        for (id, variable) in kernel.variables.iter().enumerate() {
            let definition = match &variable.role {
                VariableRole::Index | VariableRole::Scheduled | VariableRole::Stored => continue,
                VariableRole::Fixed => Definition::Fixed,
                VariableRole::Mode(slice) => {
                    let mut needs = kernel.variables_of(&slice.at);
                    needs.retain(|v| *v != slice.of);
                    space.needs.insert(VariableId(id), needs);
                    Definition::Slice(slice.clone())
                }
            };
            space.definitions.insert(VariableId(id), definition);
        }
        let mut accesses = vec![kernel.assignment.result.clone()];
        accesses.extend(kernel.accesses.iter().cloned());
        for access in &accesses {
            let levels = kernel.tensor(access.tensor).format.levels.clone();
            for spec in &levels {
                space.define(kernel, access, &spec.expr);
            }
        }
        space.next_slot = space.variable(&Definition::Slot(kernel.result()));
        space
    }

    /// Returns the variable of a level expression, which is added if it does not exist.
    fn define(&mut self, kernel: &mut Kernel, access: &Access, expr: &LevelExpr) -> VariableId {
        let (definition, name) = match expr {
            LevelExpr::Dimension(mode) => return access.indices[*mode],
            LevelExpr::Count(_) => (Definition::Slot(access.tensor), SLOT.to_owned()),
            LevelExpr::Computed(computed) => {
                let define = |of: &LevelExpr| Some(self.define(kernel, access, of));
                let computed = computed.map(define, BlockSize::Constant);
                let computed = computed.expect("every part has a variable");
                let name = computed.name(|of| kernel.variable(*of).name.clone());
                (Definition::Computed(computed), name)
            }
        };
        if let Some(v) = self.variable(&definition) {
            return v;
        }
        // The schedule may name the variable.
        let known = kernel
            .variables
            .iter()
            .position(|known| known.role == VariableRole::Stored && known.name == name);
        if let Some(v) = known.map(VariableId).filter(|v| !self.definitions.contains_key(v)) {
            self.definitions.insert(v, definition);
            return v;
        }
        let mut free = name;
        while kernel.variables.iter().any(|known| known.name == free) {
            free.push('_');
        }
        let role = VariableRole::Stored;
        kernel.variables.push(Variable {
            name: free,
            extent: Extent::OfModes,
            role,
            expression: None,
        });
        let v = VariableId(kernel.variables.len() - 1);
        self.definitions.insert(v, definition);
        v
    }

    /// Defines variables whose loops replace the loop over another one.
    pub fn replace(&mut self, whole: VariableId, by: Vec<(VariableId, Definition)>) {
        self.replaced.insert(whole, by.iter().map(|(v, _)| *v).collect());
        self.definitions.extend(by);
    }

    /// Defines a variable like another program.
    pub fn define_as(&mut self, v: VariableId, definition: Option<Definition>) {
        self.definitions.extend(definition.map(|definition| (v, definition)));
    }

    /// Records the variables that determine the coordinate of a mode.
    pub fn need(&mut self, mode: VariableId, needs: Vec<VariableId>) {
        self.needs.insert(mode, needs);
    }

    /// Adds the variables that another program's schedule replaces.
    pub fn add_replaced(&mut self, other: &Space, map: &Renumbering) {
        for (whole, by) in &other.replaced {
            let by = by.iter().map(|v| map.variable(*v)).collect();
            self.replaced.insert(map.variable(*whole), by);
        }
    }

    pub fn definition(&self, v: VariableId) -> Option<&Definition> {
        self.definitions.get(&v)
    }

    /// Returns the function of other variables that defines a variable, if there is one.
    pub fn computed(&self, v: VariableId) -> Option<&Coordinate<VariableId, BlockSize>> {
        match self.definition(v)? {
            Definition::Computed(computed) => Some(computed),
            Definition::Fused(..)
            | Definition::Positions(_)
            | Definition::Slot(_)
            | Definition::Slice(_)
            | Definition::Fixed => None,
        }
    }

    /// Returns the slice of a mode, given the mode's variable.
    pub fn slice(&self, v: VariableId) -> Option<&Slice> {
        match self.definition(v)? {
            Definition::Slice(slice) => Some(slice),
            Definition::Computed(_)
            | Definition::Fused(..)
            | Definition::Positions(_)
            | Definition::Slot(_)
            | Definition::Fixed => None,
        }
    }

    /// Returns the variable of the loop over `v`: the variable of the slice, if `v` is a mode that
    /// is read in part.
    pub fn counted(&self, v: VariableId) -> VariableId {
        self.slice(v).map_or(v, |slice| slice.of)
    }

    /// Returns the variable at whose coordinate a mode is read, if it is a variable's.
    pub fn place(&self, v: VariableId) -> Option<VariableId> {
        self.slice(v)?.follows()
    }

    /// Returns the variables that must be known to compute the coordinate of a mode, in addition to
    /// the one that counts its coordinates.
    pub fn needs(&self, mode: VariableId) -> &[VariableId] {
        self.needs.get(&mode).map_or(&[], Vec::as_slice)
    }

    /// Returns the variable with the extent of a mode: the variable that it follows, the one that
    /// ranges over the whole mode, or its own.
    pub fn measure(&self, v: VariableId) -> VariableId {
        match self.slice(v) {
            Some(slice) if slice.shift().is_some() => slice.of,
            Some(slice) => slice.follows().map_or(v, |place| self.measure(place)),
            None => v,
        }
    }

    /// Returns the variable with this definition.
    pub fn variable(&self, definition: &Definition) -> Option<VariableId> {
        self.definitions.iter().find(|(_, known)| *known == definition).map(|(v, _)| *v)
    }

    /// Returns the variable that is this function of others.
    pub fn variable_of(&self, computed: Coordinate<VariableId, BlockSize>) -> Option<VariableId> {
        self.variable(&Definition::Computed(computed))
    }

    /// Returns the variable that a level of an access stores, if the tensor has that level.
    pub fn level_variable(
        &self,
        kernel: &Kernel,
        access: &Access,
        level: usize,
    ) -> Option<VariableId> {
        let spec = kernel.tensor(access.tensor).format.levels.get(level)?;
        Some(self.find(access, &spec.expr).expect("every level of every access was defined"))
    }

    fn find(&self, access: &Access, expr: &LevelExpr) -> Option<VariableId> {
        match expr {
            LevelExpr::Dimension(mode) => Some(access.indices[*mode]),
            LevelExpr::Count(_) => self.variable(&Definition::Slot(access.tensor)),
            LevelExpr::Computed(computed) => {
                self.variable_of(computed.map(|of| self.find(access, of), BlockSize::Constant)?)
            }
        }
    }

    /// Returns every pair of a variable of blocks and the variable of the offsets within them.
    pub fn blocks(&self) -> Vec<[VariableId; 2]> {
        let place = |block: &VariableId| match *self.computed(*block)? {
            Coordinate::Div(of, size) => {
                Some([*block, self.variable_of(Coordinate::Mod(of, size))?])
            }
            Coordinate::Mod(..) | Coordinate::Affine(_) => None,
        };
        self.definitions.keys().filter_map(place).collect()
    }

    /// Returns the variable of the slots of an access, if they have a loop.
    pub fn slots(&self, access: &Access) -> Option<VariableId> {
        let slots = self.variable(&Definition::Slot(access.tensor));
        slots.filter(|v| Some(*v) != self.next_slot)
    }

    /// Returns whether `v` follows from the known variables in one step.
    fn follows(&self, v: VariableId, known: &[VariableId]) -> bool {
        let has = |v: &VariableId| known.contains(v);
        let of_itself = self.definition(v).is_some_and(|definition| match definition {
            Definition::Computed(computed) => computed.variables().all(has),
            Definition::Fused(a, b) => has(a) && has(b),
            Definition::Slice(slice) => has(&slice.of) && self.needs(v).iter().all(has),
            Definition::Positions(_) | Definition::Slot(_) | Definition::Fixed => false,
        });
        let is_placed = |mode: &VariableId| self.needs(*mode).iter().all(has);
        of_itself
            || self.modes(v).any(|mode| has(&mode) && is_placed(&mode))
            || self.parts(v).into_iter().any(|parts| parts.iter().all(has))
    }

    /// Returns the variables of modes whose coordinates `v` counts.
    pub fn modes(&self, v: VariableId) -> impl Iterator<Item = VariableId> {
        let modes = self.definitions.keys().copied();
        modes.filter(move |mode| self.slice(*mode).is_some_and(|slice| slice.of == v))
    }

    /// Returns the variables of modes that are read at the coordinate of `v`.
    pub fn placed_at(&self, v: VariableId) -> impl Iterator<Item = VariableId> {
        self.definitions.keys().copied().filter(move |mode| self.place(*mode) == Some(v))
    }

    /// Returns the pairs of variables from which `v` can be computed; both may be the same.
    fn parts(&self, v: VariableId) -> Vec<[VariableId; 2]> {
        let mut parts = Vec::new();
        for (&part, definition) in &self.definitions {
            match definition {
                Definition::Computed(Coordinate::Div(of, by)) if *of == v => {
                    let rest = self.variable_of(Coordinate::Mod(v, *by));
                    parts.extend(rest.map(|rest| [part, rest]));
                }
                Definition::Computed(Coordinate::Affine(sum)) if sum.stride(&v) != 0 => {
                    let other = sum.variables().find(|of| **of != v);
                    parts.extend(other.map(|other| [part, *other]));
                }
                Definition::Fused(a, b) if *a == v || *b == v => parts.push([part, part]),
                Definition::Computed(_)
                | Definition::Fused(..)
                | Definition::Positions(_)
                | Definition::Slot(_)
                | Definition::Slice(_)
                | Definition::Fixed => {}
            }
        }
        parts
    }

    /// Returns whether any tensor has slots.
    pub fn has_slots(&self) -> bool {
        let is_slot = |(v, definition): (&VariableId, &Definition)| {
            matches!(definition, Definition::Slot(_)) && Some(*v) != self.next_slot
        };
        self.definitions.iter().any(is_slot)
    }

    /// Returns the expression with entries of tensors with slots summed over the slots.
    pub fn sum_slots(&self, kernel: &Kernel, value: &Expr) -> Expr {
        match value {
            Expr::Literal(_) | Expr::Constant(_) | Expr::Index(_) | Expr::Parameter(_) => {
                value.clone()
            }
            Expr::Call(..) => value.map_children(&mut |a| self.sum_slots(kernel, a)),
            Expr::Access(access) => match self.slots(access) {
                Some(slot) => Expr::sum(vec![slot], value.clone()),
                None => value.clone(),
            },
            Expr::Neg(a) => Expr::neg(self.sum_slots(kernel, a)),
            Expr::Binary(op, a, b) => {
                let whole = Expr::binary(*op, self.sum_slots(kernel, a), self.sum_slots(kernel, b));
                match pull_reduction(kernel, whole) {
                    Ok(reduce) => Expr::sum(reduce.variables, *reduce.body),
                    Err(whole) => whole,
                }
            }
            Expr::Reduce(_) => value.map_children(&mut |body| self.sum_slots(kernel, body)),
        }
    }

    /// Returns whether some tensor with slots is read more than once, so that its sums cannot be
    /// combined.
    pub fn repeats_slots(&self, value: &Expr) -> bool {
        let mut seen = Vec::new();
        let mut repeats = false;
        value.for_each_access(&mut |access| {
            if let Some(slot) = self.slots(access) {
                repeats |= seen.contains(&slot);
                seen.push(slot);
            }
        });
        repeats
    }

    /// Returns all variables that are known within loops over `bound`.
    pub fn known(&self, kernel: &Kernel, bound: &[VariableId]) -> Vec<VariableId> {
        let mut known = bound.to_vec();
        loop {
            let next = (0..kernel.variables.len())
                .map(VariableId)
                .find(|v| !known.contains(v) && self.follows(*v, &known));
            match next {
                Some(v) => known.push(v),
                None => return known,
            }
        }
    }

    /// Returns the variables from which an index variable can be computed, if they are known.
    pub fn made_of(&self, v: VariableId, known: &[VariableId]) -> Option<[VariableId; 2]> {
        self.parts(v).into_iter().find(|parts| parts.iter().all(|part| known.contains(part)))
    }
}
