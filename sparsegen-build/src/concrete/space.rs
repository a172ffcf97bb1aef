//! The iteration space: which variables have loops.
//!
//! A level may store an expression of a tensor's dimensions: `i / 4`, `i % 4`, `j - i`, `#i`. Each
//! such expression over index variables is a variable of its own here, with a definition. A
//! *basis* chooses, for every index variable, what is looped over in its stead: itself, the block
//! and the place within it, or the diagonal. Whatever follows from what is looped over is known.

mod basis;

use std::collections::BTreeMap;

use crate::format::LevelExpr;
use crate::notation::{Access, Expr, Kernel, Slice, TensorId, Variable, VariableId, VariableRole};

use super::terms::pull_reduction;

pub use basis::Basis;

/// How a variable follows from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Definition {
    /// `v / b`
    Div(VariableId, BlockSize),
    /// `v % b`
    Mod(VariableId, BlockSize),
    /// `v - w`, signed
    Sub(VariableId, VariableId),
    /// `v + w`
    Add(VariableId, VariableId),
    /// `v * |w| + w`: both in one
    Fused(VariableId, VariableId),
    /// The slots of a tensor whose level counts the entries that share a coordinate.
    Slot(TensorId),
    /// `start + step * v`: the coordinate of a mode of which a part is read, or that of another variable.
    Slice(Slice),
    /// 0: what is read at one coordinate only.
    Once,
}

/// How many coordinates a block has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockSize {
    /// So many.
    Constant(u64),
    /// As many as it takes for so many blocks to have all.
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

/// The variables of a kernel: those of its index notation, and those that its formats define.
#[derive(Clone, Debug, Default)]
pub struct Space {
    definitions: BTreeMap<VariableId, Definition>,
    /// The variables in whose stead the schedule wants loops over others.
    replaced: BTreeMap<VariableId, Vec<VariableId>>,
    /// By the variable of a mode: what must be known, beside the variable that counts what is read of
    /// it, for its coordinate to be known.
    needs: BTreeMap<VariableId, Vec<VariableId>>,
}

impl Space {
    /// Adds to a kernel the variables that the formats of its tensors define; `space` has those that
    /// its schedule defines.
    pub fn of(kernel: &mut Kernel, mut space: Space) -> Space {
        for (id, variable) in kernel.variables.iter().enumerate() {
            let definition = match variable.role {
                VariableRole::Index | VariableRole::Scheduled | VariableRole::Stored => continue,
                VariableRole::Fixed => Definition::Once,
                VariableRole::Mode(slice) => {
                    let mut needs = match slice.place() {
                        Some(place) => kernel.variables_of_place(place),
                        None => slice.follows().into_iter().collect(),
                    };
                    needs.retain(|v| *v != slice.of);
                    space.needs.insert(VariableId(id), needs);
                    Definition::Slice(slice)
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
        space
    }

    /// The variable of a level expression, which is added where it is not there yet.
    fn define(&mut self, kernel: &mut Kernel, access: &Access, expr: &LevelExpr) -> VariableId {
        let (definition, name) = match expr {
            LevelExpr::Dimension(mode) => return access.indices[*mode],
            LevelExpr::Div(inner, by) => {
                let inner = self.define(kernel, access, inner);
                (
                    Definition::Div(inner, BlockSize::Constant(*by)),
                    format!("{}o", kernel.variable(inner).name),
                )
            }
            LevelExpr::Mod(inner, by) => {
                let inner = self.define(kernel, access, inner);
                (
                    Definition::Mod(inner, BlockSize::Constant(*by)),
                    format!("{}i", kernel.variable(inner).name),
                )
            }
            LevelExpr::Sub(a, b) => {
                (Definition::Sub(access.indices[*a], access.indices[*b]), "d".to_owned())
            }
            LevelExpr::Add(a, b) => {
                (Definition::Add(access.indices[*a], access.indices[*b]), "d".to_owned())
            }
            LevelExpr::Count(_) => (Definition::Slot(access.tensor), "slot".to_owned()),
        };
        if let Some(v) = self.variable(definition) {
            return v;
        }
        let mut free = name;
        while kernel.variables.iter().any(|known| known.name == free) {
            free.push('_');
        }
        kernel.variables.push(Variable { name: free, size: None, role: VariableRole::Stored });
        let v = VariableId(kernel.variables.len() - 1);
        self.definitions.insert(v, definition);
        v
    }

    /// Defines a variable for whose sake others have no loops of their own.
    pub fn replace(&mut self, whole: VariableId, by: &[(VariableId, Definition)]) {
        self.definitions.extend(by.iter().copied());
        self.replaced.insert(whole, by.iter().map(|(v, _)| *v).collect());
    }

    pub fn definition(&self, v: VariableId) -> Option<Definition> {
        self.definitions.get(&v).copied()
    }

    /// The part of a mode that is read, of the mode's variable.
    pub fn slice(&self, v: VariableId) -> Option<Slice> {
        match self.definition(v)? {
            Definition::Slice(slice) => Some(slice),
            Definition::Div(..)
            | Definition::Mod(..)
            | Definition::Sub(..)
            | Definition::Add(..)
            | Definition::Fused(..)
            | Definition::Slot(_)
            | Definition::Once => None,
        }
    }

    /// The variable of the mode of which a part is read.
    pub fn mode_of(&self, slice: Slice) -> VariableId {
        let mode = self.variable(Definition::Slice(slice));
        mode.expect("every part that is read has a variable")
    }

    /// The variable that is looped over where `v` is iterated: that of the slice, if it is a mode of
    /// which one is read.
    pub fn counted(&self, v: VariableId) -> VariableId {
        self.slice(v).map_or(v, |slice| slice.of)
    }

    /// The variable whose coordinate a mode is read at, where it is at that of one.
    pub fn place(&self, v: VariableId) -> Option<VariableId> {
        self.slice(v)?.follows()
    }

    /// What must be known for the coordinate of a mode to be known, beside the variable that counts what
    /// is read of it.
    pub fn needs(&self, mode: VariableId) -> &[VariableId] {
        self.needs.get(&mode).map_or(&[], Vec::as_slice)
    }

    /// The variable that has the extent of a mode: another that it follows, that which runs over all of
    /// it, or its own.
    pub fn measure(&self, v: VariableId) -> VariableId {
        match self.slice(v) {
            Some(slice) if slice.shift().is_some() => slice.of,
            Some(slice) => slice.follows().map_or(v, |place| self.measure(place)),
            None => v,
        }
    }

    /// The variable of a definition.
    pub fn variable(&self, definition: Definition) -> Option<VariableId> {
        self.definitions.iter().find(|(_, known)| **known == definition).map(|(v, _)| *v)
    }

    /// The variable that a level of an access stores, if the tensor has that level.
    pub fn level_variable(
        &self,
        kernel: &Kernel,
        access: &Access,
        level: usize,
    ) -> Option<VariableId> {
        let spec = kernel.tensor(access.tensor).format.levels.get(level)?;
        Some(self.find(access, &spec.expr))
    }

    fn find(&self, access: &Access, expr: &LevelExpr) -> VariableId {
        let definition = match expr {
            LevelExpr::Dimension(mode) => return access.indices[*mode],
            LevelExpr::Div(inner, by) => {
                Definition::Div(self.find(access, inner), BlockSize::Constant(*by))
            }
            LevelExpr::Mod(inner, by) => {
                Definition::Mod(self.find(access, inner), BlockSize::Constant(*by))
            }
            LevelExpr::Sub(a, b) => Definition::Sub(access.indices[*a], access.indices[*b]),
            LevelExpr::Add(a, b) => Definition::Add(access.indices[*a], access.indices[*b]),
            LevelExpr::Count(_) => Definition::Slot(access.tensor),
        };
        self.variable(definition).expect("every level of every access was defined")
    }

    /// Every pair of a variable that counts blocks and the one that runs within them.
    pub fn blocks(&self) -> Vec<[VariableId; 2]> {
        let place = |(block, definition): (&VariableId, &Definition)| match *definition {
            Definition::Div(of, size) => {
                self.variable(Definition::Mod(of, size)).map(|place| [*block, place])
            }
            Definition::Mod(..)
            | Definition::Sub(..)
            | Definition::Add(..)
            | Definition::Fused(..)
            | Definition::Slot(_)
            | Definition::Slice(_)
            | Definition::Once => None,
        };
        self.definitions.iter().filter_map(place).collect()
    }

    /// The slots over which the entries of an access are spread.
    pub fn slots(&self, access: &Access) -> Option<VariableId> {
        self.variable(Definition::Slot(access.tensor))
    }

    /// Whether what is known makes `v` known, in one step.
    fn follows(&self, v: VariableId, known: &[VariableId]) -> bool {
        let has = |v: &VariableId| known.contains(v);
        let of_itself = self.definition(v).is_some_and(|definition| match definition {
            Definition::Div(of, _) | Definition::Mod(of, _) => has(&of),
            Definition::Sub(a, b) | Definition::Add(a, b) | Definition::Fused(a, b) => {
                has(&a) && has(&b)
            }
            Definition::Slice(slice) => has(&slice.of) && self.needs(v).iter().all(has),
            Definition::Slot(_) | Definition::Once => false,
        });
        let is_placed = |mode: &VariableId| self.needs(*mode).iter().all(has);
        of_itself
            || self.modes(v).any(|mode| has(&mode) && is_placed(&mode))
            || self.parts(v).into_iter().any(|parts| parts.iter().all(has))
    }

    /// The variables of modes of which `v` counts a part.
    pub fn modes(&self, v: VariableId) -> impl Iterator<Item = VariableId> {
        let modes = self.definitions.keys().copied();
        modes.filter(move |mode| self.slice(*mode).is_some_and(|slice| slice.of == v))
    }

    /// The sets of variables from which `v` can be put together; one may be enough.
    fn parts(&self, v: VariableId) -> Vec<[VariableId; 2]> {
        let mut parts = Vec::new();
        for (&part, &definition) in &self.definitions {
            match definition {
                Definition::Div(of, by) if of == v => {
                    parts.extend(self.variable(Definition::Mod(v, by)).map(|rest| [part, rest]));
                }
                Definition::Sub(a, b) | Definition::Add(a, b) if a == v => parts.push([part, b]),
                Definition::Sub(a, b) | Definition::Add(a, b) if b == v => parts.push([part, a]),
                Definition::Fused(a, b) if a == v || b == v => parts.push([part, part]),
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
        parts
    }

    /// Whether any tensor's entries are spread over slots.
    pub fn has_slots(&self) -> bool {
        self.definitions.values().any(|definition| matches!(definition, Definition::Slot(_)))
    }

    /// The expression with the entries that are spread over slots summed over these.
    pub fn sum_slots(&self, value: &Expr) -> Expr {
        match value {
            Expr::Literal(_) | Expr::Constant(_) | Expr::Index(_) | Expr::Parameter(_) => {
                value.clone()
            }
            Expr::Call(..) => value.map_children(&mut |a| self.sum_slots(a)),
            Expr::Access(access) => match self.slots(access) {
                Some(slot) => Expr::sum(vec![slot], value.clone()),
                None => value.clone(),
            },
            Expr::Unary(op, a) => Expr::unary(*op, self.sum_slots(a)),
            Expr::Binary(op, a, b) => {
                let whole = Expr::binary(*op, self.sum_slots(a), self.sum_slots(b));
                match pull_reduction(whole) {
                    Ok(reduce) => Expr::sum(reduce.variables, *reduce.body),
                    Err(whole) => whole,
                }
            }
            Expr::Reduce(_) => value.map_children(&mut |body| self.sum_slots(body)),
        }
    }

    /// Whether some tensor whose entries are spread over slots is read more than once, so that its
    /// sums cannot be taken together.
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

    /// Everything that is known where `bound` variables have loops around.
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

    /// How an index variable follows from others that are known: the parts it is put together from.
    pub fn made_of(&self, v: VariableId, known: &[VariableId]) -> Option<[VariableId; 2]> {
        self.parts(v).into_iter().find(|parts| parts.iter().all(|part| known.contains(part)))
    }
}
