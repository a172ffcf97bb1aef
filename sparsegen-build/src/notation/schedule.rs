//! Schedules: what a manifest demands of a kernel's loops.
//!
//! As written and in canonical form a command is the same [`Action`], of names or of what they stand
//! for.

use crate::error::{Name, Span};

use super::{Expr, TensorId, VariableId};

/// What a kernel's schedule demands, in the order in which it is written.
pub type Schedule = Vec<Command<VariableId, TensorId, Expr>>;

/// A command of a schedule, whose variables are `V`, tensors `T` and expressions `E`.
#[derive(Clone, Debug)]
pub struct Command<V, T, E> {
    /// What it demands.
    pub action: Action<V, T, E>,
    /// The command as written.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// What a command demands.
#[derive(Clone, Debug)]
pub enum Action<V, T, E> {
    /// `reorder(i, k, j)`: these loops stand in one another in this order.
    Reorder(Vec<V>),
    /// `split(i, io, ii, 64)`: blocks of 64, and the places within them.
    Split {
        /// What is split.
        whole: V,
        /// The blocks, and the places within one.
        parts: [V; 2],
        /// How many places a block has.
        size: u64,
    },
    /// `divide(i, io, ii, 8)`: eight blocks, and the places within them.
    Divide {
        /// What is divided.
        whole: V,
        /// The blocks, and the places within one.
        parts: [V; 2],
        /// How many blocks there are.
        count: u64,
    },
    /// `fuse(i, j, f)`: one loop over all pairs.
    Fuse {
        /// The outer variable and the inner one.
        parts: [V; 2],
        /// What runs over the pairs.
        fused: V,
    },
    /// `pos(j, jp, A)`: the positions of what a tensor stores, in the stead of its coordinates.
    Pos {
        /// The variable whose coordinates they have.
        whole: V,
        /// What runs over the positions.
        position: V,
        /// The tensor.
        tensor: T,
    },
    /// `unroll(j, 4)`: four iterations at a time.
    Unroll {
        /// Whose loop.
        variable: V,
        /// How many iterations.
        by: u64,
    },
    /// `parallelize(i)`: the iterations are shared out among threads.
    Parallelize(V),
    /// `precompute(A[i,k] * B[k,j], j, w)`: a part of the value is computed into a workspace first.
    Precompute {
        /// What is computed.
        value: E,
        /// The variable that indexes the workspace.
        over: V,
        /// The workspace's name.
        workspace: Name,
    },
    /// `merge(j, gallop)`: how the loop finds what operands share.
    Merge {
        /// Whose loop.
        variable: V,
        /// How.
        strategy: Strategy,
    },
    /// `locate(j, A)`: the tensor is looked up at each coordinate of the loop.
    Locate {
        /// Whose loop.
        variable: V,
        /// What is looked up.
        tensor: T,
    },
}

/// How a loop finds what its operands share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Entry by entry.
    #[default]
    Walk,
    /// In leaps that grow, from one common entry to the next.
    Gallop,
}

impl Strategy {
    /// Every strategy, by its name in a command.
    pub const ALL: [(&'static str, Strategy); 2] =
        [("walk", Strategy::Walk), ("gallop", Strategy::Gallop)];
}

impl<V, T, E> Action<V, T, E> {
    /// The variables that it makes.
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

    /// The variables whose loops it replaces by others.
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
