//! The distribution of a kernel among the ranks of an MPI program.

use super::Expr;

/// The distribution of a kernel among ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// How its variables index its tensors.
    pub scheme: Scheme,
    /// How the ranks' parts of each result are combined.
    pub contributions: Vec<Contribution>,
}

/// How the variables of a kernel index its operands and results. Variables, operands and results
/// are numbered in the order of these lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scheme {
    /// The names of the index variables.
    pub variables: Vec<String>,
    /// The variable that is divided among the ranks.
    pub by: usize,
    /// The operands with modes.
    pub operands: Vec<Indexed>,
    /// The results, one for each statement.
    pub results: Vec<Indexed>,
    /// For each variable, the sets of operands that together may have an effect: without entries of
    /// all operands of a set, the statements do nothing at a coordinate.
    pub needed: Vec<Vec<Vec<usize>>>,
}

/// A tensor of a distributed kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indexed {
    /// The name in the statement.
    pub name: String,
    /// The identifier of the argument.
    pub argument: String,
    /// The variable of each mode.
    pub variables: Vec<usize>,
    /// The mode that is distributed.
    pub outermost: usize,
    /// The sets of operands of which all must have an entry at a coordinate of this mode for the
    /// statements to read the tensor there.
    pub read: Vec<Vec<usize>>,
}

/// How the ranks' parts of a result are combined.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// The value of elements to which no rank contributes.
    pub initial: Expr,
    /// The value of two contributions, `earlier` and `later`.
    pub combined: Expr,
}
