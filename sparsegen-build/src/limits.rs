//! The limits of what the compiler takes on, all in one place.
//!
//! Every limit counts what grows: brackets, operands, steps of the search, parts of the generated
//! loops. None measures time or memory, so that a manifest is compiled or refused alike on every
//! machine.

use std::cell::{Cell, RefCell};

use crate::error::Span;

/// The deepest nesting of brackets in a statement.
pub const NESTING: usize = 64;

/// The deepest nesting of operations in a statement: `a + b + c` is three deep.
pub const DEPTH: usize = 256;

/// The most orders of the loops that are weighed against each other.
pub const ORDERS: usize = 240;

/// The most choices of what is looped over instead of index variables.
pub const BASES: usize = 16;

/// The most format conversions of operands and results that are tried.
pub const CONVERSIONS: usize = 400;

/// The most operands among which those to convert are chosen.
pub const CONVERTIBLE: usize = 8;

/// How many loops and assignments are planned before the cheapest plan so far is taken.
pub const PLANNED: usize = 2000;

/// The most sets of sparse operands that one loop may tell apart: those of eight in a sum.
pub const REGIONS: usize = 256;

/// The most parts that the loops of a kernel may have: loops, assignments, and the operators and
/// operands of their values, each counted in every region that has it.
pub const CODE: usize = 40_000;

/// The most steps that the search for the loops of a kernel may take. A step looks at one part of a
/// statement.
pub const STEPS: u64 = 4_000_000;

/// The deepest nesting of rewrites by which a value becomes loops.
pub const REWRITES: usize = 512;

/// The most sparse operands of a result with a fill of which every set is looked at to tell where the
/// value is the fill.
pub const REFILLED: usize = 6;

/// The most sparse operands of which every set is looked at to tell what an empty range changes.
pub const ABSENT: usize = 8;

/// What may still be spent on the loops of one kernel.
#[derive(Debug)]
pub struct Budget {
    steps: Cell<u64>,
    /// The merge of the most regions among those that were planned.
    largest: RefCell<Option<Merge>>,
    /// Why a plan was given up, if one was: the first reason.
    exceeded: Cell<Option<Limit>>,
}

/// A loop that merges operands.
#[derive(Clone, Debug)]
pub struct Merge {
    /// The name of the loop's variable.
    pub variable: String,
    /// The name of each operand, and where it first stands in the statement.
    pub operands: Vec<(String, Span)>,
}

/// A limit of a kernel's loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`REGIONS`]
    Operands,
    /// [`CODE`]
    Code,
    /// [`STEPS`]
    Steps,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { steps: Cell::new(STEPS), largest: RefCell::new(None), exceeded: Cell::new(None) }
    }
}

impl Budget {
    /// Takes steps from what is left; returns whether they were left.
    pub fn spend(&self, steps: usize) -> bool {
        let left = self.steps.get().checked_sub(steps as u64);
        self.steps.set(left.unwrap_or(0));
        if left.is_none() {
            self.exceed(Limit::Steps);
        }
        left.is_some()
    }

    /// Notes that a plan was given up.
    pub fn exceed(&self, limit: Limit) {
        if self.exceeded.get().is_none() {
            self.exceeded.set(Some(limit));
        }
    }

    /// Returns why plans were given up, if any were.
    pub fn exceeded(&self) -> Option<Limit> {
        self.exceeded.get()
    }

    /// Notes a merge of so many operands.
    pub fn merges(&self, count: usize, merge: impl FnOnce() -> Merge) {
        let mut largest = self.largest.borrow_mut();
        if count > largest.as_ref().map_or(1, |merge| merge.operands.len()) {
            *largest = Some(merge());
        }
    }

    /// Returns the merge of the most operands that was planned, if any merge was.
    pub fn largest(&self) -> Option<Merge> {
        self.largest.borrow().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mistakes of a kernel, and how many lines of source it has.
    fn compiled(expr: &str, tensors: &str) -> (Vec<String>, usize) {
        let manifest = format!("[kernels.k]\nexpr = \"{expr}\"\ntensors = {{ {tensors} }}");
        let output = crate::compile_str("kernels.toml", &manifest);
        let messages = output.diagnostics.iter().map(|mistake| mistake.message.clone());
        (messages.collect(), output.source.lines().count())
    }

    /// The kernel of many vectors in a format.
    fn of_vectors(count: usize, sign: &str, format: &str) -> (Vec<String>, usize) {
        let names: Vec<String> = (0..count).map(|k| format!("x{k}")).collect();
        let value: Vec<String> = names.iter().map(|name| format!("{name}[i]")).collect();
        let tensors: Vec<String> =
            names.iter().map(|name| format!("{name} = '{format}'")).collect();
        let tensors = format!("y = '{format}', {}", tensors.join(", "));
        compiled(&format!("y[i] = {}", value.join(sign)), &tensors)
    }

    #[test]
    fn a_budget_is_spent_once() {
        let budget = Budget::default();
        assert!(budget.spend(STEPS as usize - 1));
        assert_eq!(budget.exceeded(), None);
        assert!(!budget.spend(2));
        assert_eq!(budget.exceeded(), Some(Limit::Steps));
    }

    #[test]
    fn many_dense_operands_are_no_merge() {
        for sign in [" + ", " * "] {
            let (mistakes, _) = of_vectors(40, sign, "dense");
            assert_eq!(mistakes, [""; 0]);
        }
    }

    #[test]
    fn the_code_of_sums_grows_slowly() {
        let (mistakes, few) = of_vectors(12, " + ", "sparse_vector");
        assert_eq!(mistakes, [""; 0]);
        let (mistakes, many) = of_vectors(48, " + ", "sparse_vector");
        assert_eq!(mistakes, [""; 0]);
        assert!(many < 8 * few, "{few} lines of 12 operands, {many} of 48");
    }

    #[test]
    fn more_operands_than_a_set_holds_are_refused_by_name() {
        let (mistakes, _) = of_vectors(70, " / ", "sparse_vector");
        assert!(mistakes.len() <= 1, "{mistakes:?}");
    }

    #[test]
    fn what_no_loop_makes_known_ends_the_search() {
        for level in ["i + j : dense", "j - i : compressed"] {
            let formats = format!("A = '(i, j) -> ({level}, i : range, j : offset)', C = 'csr'");
            let (mistakes, _) = compiled("r = A[j,i] + A[i, j in {0, 2}] * C[j,i]", &formats);
            assert_eq!(mistakes, [""; 0]);
        }
    }
}
