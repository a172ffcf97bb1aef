//! Schedules: the user's commands for a kernel's loops.
//!
//! Parsed and canonical commands have the same type [`Action`], over names and over ids.

use crate::error::{Name, Span};
use crate::level::HASHED;

use super::{Expr, TensorId, VariableId};

/// The commands of a schedule, in order.
pub type Schedule = Vec<Command<VariableId, TensorId, Expr>>;

/// A command of a schedule, whose variables are `V`, tensors `T` and expressions `E`.
#[derive(Clone, Debug)]
pub struct Command<V, T, E> {
    /// The action.
    pub action: Action<V, T, E>,
    /// The text of the command.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// The action of a command.
#[derive(Clone, Debug)]
pub enum Action<V, T, E> {
    /// `reorder(i, k, j)`: nests these loops in this order.
    Reorder(Vec<V>),
    /// `split(i, io, ii, 64)`: blocks of 64, and offsets within them.
    Split {
        /// The split variable.
        whole: V,
        /// The variables of the blocks and of the offsets.
        parts: [V; 2],
        /// The size of a block.
        size: u64,
    },
    /// `divide(i, io, ii, 8)`: eight blocks, and offsets within them.
    Divide {
        /// The divided variable.
        whole: V,
        /// The variables of the blocks and of the offsets.
        parts: [V; 2],
        /// The number of blocks.
        count: u64,
    },
    /// `fuse(i, j, f)`: one loop over all pairs.
    Fuse {
        /// The outer variable and the inner one.
        parts: [V; 2],
        /// The variable of the pairs.
        fused: V,
    },
    /// `pos(j, jp, A)`: iterates over the positions of a tensor instead of its coordinates.
    Pos {
        /// The variable of the coordinates.
        whole: V,
        /// The variable of the positions.
        position: V,
        /// The tensor.
        tensor: T,
    },
    /// `unroll(j, 4)`: four iterations at a time.
    Unroll {
        /// The variable of the loop.
        variable: V,
        /// The number of iterations.
        by: u64,
    },
    /// `parallelize(i)`: distributes the iterations over threads.
    Parallelize(V),
    /// `precompute(A[i,k] * B[k,j], j, w)`: computes a part of the value into a workspace first.
    /// Several variables are in parentheses: `(j, k)`. `hashed` may follow the name.
    Precompute {
        /// The part of the value.
        value: E,
        /// The variables that index the workspace, outermost first.
        over: Vec<V>,
        /// The name of the workspace.
        workspace: Name,
        /// The storage of its entries.
        accumulator: Accumulator,
    },
    /// `merge(j, gallop)`: the method by which the loop intersects its operands.
    Merge {
        /// The variable of the loop.
        variable: V,
        /// The method.
        strategy: Strategy,
    },
    /// `locate(j, A)`: looks up the tensor at each coordinate of the loop.
    Locate {
        /// The variable of the loop.
        variable: V,
        /// The tensor.
        tensor: T,
    },
}

/// The method by which a loop intersects its operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// One entry at a time.
    #[default]
    Walk,
    /// In growing steps from one common entry to the next (exponential search).
    Gallop,
}

impl Strategy {
    /// All methods, with their names in a command.
    pub const ALL: [(&'static str, Strategy); 2] =
        [("walk", Strategy::Walk), ("gallop", Strategy::Gallop)];
}

/// The storage of the entries of a workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accumulator {
    /// An array with an element for each coordinate, or a hash table if there are too many.
    #[default]
    Automatic,
    /// A hash table, which takes memory for the entries only.
    Hashed,
}

impl Accumulator {
    /// The names of accumulators in a command.
    pub const NAMED: [(&'static str, Accumulator); 1] = [(HASHED, Accumulator::Hashed)];
}

impl<V, T, E> Action<V, T, E> {
    /// Returns the variables that it defines.
    pub fn defines(&self) -> Vec<&V> {
        match self {
            Action::Split { parts, .. } | Action::Divide { parts, .. } => parts.iter().collect(),
            Action::Fuse { fused, .. } => vec![fused],
            Action::Pos { position, .. } => vec![position],
            Action::Reorder(_)
            | Action::Unroll { .. }
            | Action::Parallelize(_)
            | Action::Precompute { .. }
            | Action::Merge { .. }
            | Action::Locate { .. } => Vec::new(),
        }
    }

    /// Returns the variables whose loops it names.
    pub fn names(&self) -> Vec<&V> {
        match self {
            Action::Reorder(variables) => variables.iter().collect(),
            Action::Fuse { parts, .. } => parts.iter().collect(),
            Action::Split { whole: v, .. }
            | Action::Divide { whole: v, .. }
            | Action::Pos { whole: v, .. }
            | Action::Unroll { variable: v, .. }
            | Action::Parallelize(v)
            | Action::Merge { variable: v, .. }
            | Action::Locate { variable: v, .. } => vec![v],
            Action::Precompute { .. } => Vec::new(),
        }
    }

    /// Returns the variables whose loops it replaces.
    pub fn replaces(&self) -> Vec<&V> {
        match self {
            Action::Split { whole, .. }
            | Action::Divide { whole, .. }
            | Action::Pos { whole, .. } => {
                vec![whole]
            }
            Action::Fuse { parts, .. } => parts.iter().collect(),
            Action::Reorder(_)
            | Action::Unroll { .. }
            | Action::Parallelize(_)
            | Action::Precompute { .. }
            | Action::Merge { .. }
            | Action::Locate { .. } => Vec::new(),
        }
    }
}
