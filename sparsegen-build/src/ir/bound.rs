//! Bounds of unchecked accesses in generated code.

use super::{Expr, Function};

/// The bound of unchecked accesses or of a reservation. Every array with unchecked accesses has
/// one. The interpreter checks that the bound is within the array, and checks every access against
/// the bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The array.
    pub array: String,
    /// The kind of unchecked access.
    pub of: Unchecked,
    /// An upper bound, exclusive for indices; for appends, the maximal number of elements after the
    /// reservation. It depends on extents and on the numbers of entries of operands.
    pub most: Expr,
    /// The reason for the bound.
    pub ground: Ground,
}

/// A kind of unchecked access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unchecked {
    /// Loads and stores at an index.
    Index,
    /// Appended elements.
    Append,
}

/// The reason for a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ground {
    /// The tensor is valid, and its extents agree with those of the other operands.
    Valid,
    /// The list has one element for each iteration of the loop over it.
    Listed,
    /// Each appended entry corresponds to a different entry of the operands.
    Counted,
}

impl Ground {
    /// Returns the reason in words, for the generated code.
    pub fn words(self) -> &'static str {
        match self {
            Ground::Valid => {
                "Tensors are validated when they are constructed: positions and coordinates are within the \
                 arrays and extents that they index. The caller has checked that the extents agree."
            }
            Ground::Listed => "A list is as long as the extent that counts its coordinates.",
            Ground::Counted => {
                "The reserved capacity suffices: at most one entry is appended for each entry of the \
                 operands, and one segment for each parent."
            }
        }
    }
}

impl Function {
    /// Returns whether some accesses to an array are unchecked.
    pub fn is_unchecked(&self, of: Unchecked, array: &str) -> bool {
        self.unchecked.iter().any(|bound| bound.of == of && bound.array == array)
    }

    /// Adds the bounds of a function whose loops are joined with those of this one. If both have a
    /// bound, the larger one applies to all accesses.
    pub fn join_bounds(&mut self, others: Vec<Bound>) {
        for other in others {
            let same = |bound: &&mut Bound| bound.array == other.array && bound.of == other.of;
            match self.unchecked.iter_mut().find(same) {
                Some(known) if known.most == other.most => {}
                Some(known) => known.most = Expr::max(known.most.clone(), other.most),
                None => self.unchecked.push(other),
            }
        }
    }

    /// Removes the bounds of unused arrays. Bounds in terms of variables that no longer exist are
    /// replaced by the length of the array.
    pub fn restate_bounds(&mut self) {
        let mut arrays: Vec<String> = Vec::new();
        let mut names: Vec<String> = self.sizes.iter().map(|size| size.name.clone()).collect();
        for tensor in self.tensors() {
            arrays.extend(tensor.arrays.iter().map(|array| array.name.clone()));
            names.extend(tensor.extents.iter().map(|extent| extent.name.clone()));
        }
        for result in self.results() {
            let own = result.arrays().iter().chain(result.structure());
            arrays.extend(own.map(|array| array.name.clone()));
            names.extend(result.numbers().iter().map(|number| number.name.clone()));
        }
        arrays.extend(self.parts.iter().filter_map(|part| part.list()).map(str::to_owned));
        if let Some(parallel) = &self.parallel {
            names.extend([parallel.begin.clone(), parallel.end.clone()]);
        }
        self.unchecked.retain(|bound| arrays.contains(&bound.array));
        for bound in &mut self.unchecked {
            let mut is_known = true;
            bound.most.for_each(&mut |expr| match expr {
                Expr::Var(name) => is_known &= names.contains(name),
                Expr::Load { array, .. } | Expr::Len(array) => is_known &= arrays.contains(array),
                Expr::Index(_)
                | Expr::Extent(..)
                | Expr::Value(..)
                | Expr::Constant(..)
                | Expr::Bool(_)
                | Expr::Largest(_)
                | Expr::Search { .. }
                | Expr::Pair(..)
                | Expr::Unary(..)
                | Expr::ToIndex(..)
                | Expr::Binary(..)
                | Expr::Call(..)
                | Expr::Cast { .. }
                | Expr::Choose { .. } => {}
            });
            if !is_known {
                bound.most = Expr::len(&bound.array);
            }
        }
    }
}
