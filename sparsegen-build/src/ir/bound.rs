//! The bounds that generated code relies on where it does not check.

use super::{Expr, Function};

/// The bound of an unchecked access or of a reservation. The generator states it for each array whose
/// accesses are emitted without a check; what has none is checked. The interpreter checks that the bound
/// lies within the array, and every access against the bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The array.
    pub array: String,
    /// What is not checked.
    pub of: Unchecked,
    /// The number that every index is below, or the most elements that are appended once room is
    /// reserved for them; in terms of extents and of what operands store.
    pub most: Expr,
    /// Why it holds.
    pub ground: Ground,
}

/// What is done to an array without a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unchecked {
    /// Its elements are read or stored at an index.
    Index,
    /// Elements are appended to it.
    Append,
}

/// Why a bound holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ground {
    /// The tensor is valid, and its extents were compared with those of the others.
    Valid,
    /// There is one element for each coordinate that the loops count.
    Listed,
    /// No two appended entries have the same entry of the operands.
    Counted,
}

impl Ground {
    /// The reason in words, for a reader of the generated code.
    pub fn words(self) -> &'static str {
        match self {
            Ground::Valid => {
                "Tensors are validated when they are made: positions and coordinates stay within the \
                 arrays and extents that they index. The caller has checked that the extents agree."
            }
            Ground::Listed => "A list is as long as the extent that counts its coordinates.",
            Ground::Counted => {
                "What is reserved is the most that is appended: an entry for each stored entry of the \
                 operands, a segment for each parent."
            }
        }
    }
}

impl Function {
    /// Returns whether something is done to an array without a check.
    pub fn is_unchecked(&self, of: Unchecked, array: &str) -> bool {
        self.unchecked.iter().any(|bound| bound.of == of && bound.array == array)
    }

    /// Takes over the bounds of a function whose loops are joined with those of this one. Where both have a
    /// bound, the larger one holds for all accesses.
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

    /// Drops the bounds of arrays that are neither read nor written, and restates those in terms of what is
    /// no longer there: such an array bounds its indices by its own length.
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
                | Expr::Value(..)
                | Expr::Constant(..)
                | Expr::Bool(_)
                | Expr::Largest(_)
                | Expr::Search { .. }
                | Expr::Pair(..)
                | Expr::Unary(..)
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
