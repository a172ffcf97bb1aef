//! Bounds of unchecked accesses in generated code.

use super::{Assembly, Expr, Function, Uses};

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
    /// Loads and stores at an index, once the array of a result has its final length.
    Filled,
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
    /// Each appended entry corresponds to a different combination of entries of the operands.
    Combined,
    /// The loops have counted the entries before they store them.
    Repeated,
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
            Ground::Combined => {
                "The reserved capacity suffices: at most one entry is appended for each combination of \
                 entries of the operands, and one segment for each parent."
            }
            Ground::Repeated => {
                "The loops store the entries that they have counted, which depend on the coordinates of the \
                 operands only, and the arrays have room for these."
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

    /// Removes the bounds of unused arrays. Bounds in terms of arrays and variables that the loops
    /// do not have are replaced by the length of the array.
    pub fn restate_bounds(&mut self) {
        let uses = Uses::of_function(self);
        let mut arrays: Vec<String> = Vec::new();
        let mut names: Vec<String> = self.sizes.iter().map(|size| size.name.clone()).collect();
        for tensor in self.tensors() {
            arrays.extend(tensor.arrays.iter().map(|array| array.name.clone()));
            names.extend(tensor.extents.iter().map(|extent| extent.name.clone()));
        }
        for result in self.results() {
            // The loops do not name a slice or a number that they do not use.
            let own = result.arrays().iter().chain(result.structure());
            let is_named = |name: &str| match result.assembly {
                Assembly::Computed { .. } => uses.touches(name),
                Assembly::Assembled { .. } => true,
            };
            arrays.extend(own.map(|array| array.name.clone()).filter(|name| is_named(name)));
            let numbers = result.numbers().iter().map(|number| number.name.clone());
            names.extend(numbers.filter(|name| uses.touches(name)));
        }
        arrays.extend(self.parts.iter().filter_map(|part| part.list()).map(str::to_owned));
        if let Some(parallel) = &self.parallel {
            names.extend([parallel.begin.clone(), parallel.end.clone()]);
            let own = parallel.intervals.iter().flat_map(|intervals| intervals.own.clone());
            names.extend(own.filter(|name| uses.reads(name) > 0));
        }
        self.unchecked.retain(|bound| arrays.contains(&bound.array));
        for bound in &mut self.unchecked {
            let mut is_known = true;
            bound.most.for_each(&mut |expr| match expr {
                Expr::Var(name) => is_known &= names.contains(name),
                Expr::Load { array, .. } | Expr::Len(array) => is_known &= arrays.contains(array),
                Expr::Index(_)
                | Expr::Contains { .. }
                | Expr::Extent(..)
                | Expr::Value(..)
                | Expr::Constant(..)
                | Expr::Bool(_)
                | Expr::Largest(_)
                | Expr::LargestOffset
                | Expr::Search { .. }
                | Expr::Entry(_)
                | Expr::Field(..)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Array, Element, Place, Result, Stmt, TensorResult, Width, samples};

    /// Returns loops that compute values into a structure, with the bound of the coordinates in terms
    /// of the positions.
    fn computing(body: Vec<Stmt>) -> Function {
        let array = |name: &str, field: &str| Array {
            name: name.into(),
            place: Place::Level { level: 1, field: field.into() },
            element: Element::Index(Width::U32),
        };
        let mut function = samples::spmv();
        function.body = body;
        let Result::Tensor(TensorResult { assembly: Assembly::Computed { structure, .. }, .. }) =
            &mut function.result
        else {
            panic!("the sample computes the values of a tensor")
        };
        *structure = vec![array("y2_pos", "pos"), array("y2_crd", "crd")];
        function.unchecked = vec![Bound {
            array: "y2_crd".into(),
            of: Unchecked::Index,
            most: Expr::load("y2_pos", Expr::Index(1)),
            ground: Ground::Valid,
        }];
        function
    }

    #[test]
    fn bounds_are_in_terms_of_what_the_loops_use() {
        let measured = Stmt::bind("q", Expr::len("y2_crd"));
        let read = Stmt::bind("p", Expr::load("y2_pos", Expr::Index(0)));
        let restated = |body: Vec<Stmt>| {
            let mut function = computing(body);
            function.restate_bounds();
            function.unchecked.into_iter().map(|bound| bound.most).collect::<Vec<_>>()
        };
        let of_positions = Expr::load("y2_pos", Expr::Index(1));
        assert_eq!(restated(vec![read.clone(), measured.clone()]), [of_positions]);
        assert_eq!(restated(vec![measured]), [Expr::len("y2_crd")]);
        assert_eq!(restated(vec![read]), []);
    }
}
