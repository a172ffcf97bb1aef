//! The distribution of a kernel, as data of the generated code.

/// How the index variables of a kernel index its operands and results.
///
/// Variables, operands and results are numbered in the order of these lists.
#[derive(Debug)]
pub struct Scheme {
    /// The name of the kernel.
    pub kernel: &'static str,
    /// The names of the index variables.
    pub variables: &'static [&'static str],
    /// The variable whose coordinates are divided among the ranks.
    pub by: usize,
    /// The operands that are tensors.
    pub operands: &'static [Indexed],
    /// The results.
    pub results: &'static [Indexed],
    /// For each variable, the sets of operands with this variable that together may have an effect:
    /// the statement does nothing at a coordinate unless all operands of one set have an entry
    /// there. An empty set means that every coordinate has an effect.
    pub needed: &'static [&'static [&'static [usize]]],
}

/// A tensor of a kernel.
#[derive(Debug)]
pub struct Indexed {
    /// The name in the statement.
    pub name: &'static str,
    /// The variable of each mode.
    pub variables: &'static [usize],
    /// The outermost mode, which is the one that is distributed.
    pub outermost: usize,
    /// The sets of operands of which all must have an entry at a coordinate of the outermost mode for
    /// the statement to read the tensor there. An empty set means that it is read everywhere.
    pub read: &'static [&'static [usize]],
}

impl Indexed {
    /// Returns the variable of the outermost mode, unless the tensor is a scalar.
    pub(super) fn first(&self) -> Option<usize> {
        self.variables.get(self.outermost).copied()
    }
}
