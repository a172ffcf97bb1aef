//! The limits of the compiler.
//!
//! Every limit is on a count: of brackets, operands, search steps, parts of the generated loops. No
//! limit depends on time or memory, so that a manifest gives the same result on every machine.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::error::Span;

/// The deepest nesting of brackets in a statement.
pub const NESTING: usize = 64;

/// The deepest nesting of operations in a statement: `a + b + c` has depth three.
pub const DEPTH: usize = 256;

/// The largest number of loop orders that are compared.
pub const ORDERS: usize = 240;

/// The largest number of choices to iterate over operands instead of index variables.
pub const BASES: usize = 16;

/// The largest number of format conversions of operands and results that are tried.
pub const CONVERSIONS: usize = 400;

/// The largest number of operands that are candidates for conversion.
pub const CONVERTIBLE: usize = 8;

/// The number of planned loops and assignments after which the search ends with the cheapest plan
/// so far, and after which no more optional conversions are tried. The operators and operands of each
/// statement without loops count too.
pub const PLANNED: usize = 2000;

/// The largest number of regions of a loop: a sum of eight sparse operands has this many.
pub const REGIONS: usize = 256;

/// The largest number of regions of a loop that has a merge point for each set of operands that may
/// still have entries. For more, one merge point runs while any operand has entries.
pub const LOOPS: usize = 32;

/// The amount of generated code, counted as for [`CODE`], beyond which every merge of several regions
/// has one merge point, if that is less code.
pub const LARGE: usize = 1000;

/// The largest number of operands that a loop merges without comparing the cost with that of separate
/// loops for each term. For each entry, it compares the coordinates of all operands.
pub const MERGED: usize = 8;

/// The largest number of bodies of a loop over operands that need not have an entry: a sum of three
/// operands has seven. For more, the loop has one body, which reads fill values where operands have
/// no entry. It takes the same time for four operands, and less for more.
pub const CASES: usize = 8;

/// The largest number of bodies of nested loops over the levels of such operands. For more, the loop
/// over an outer level has one body for all regions.
pub const BODIES: usize = 100;

/// The largest number of parts of a kernel's loops: loops, assignments, and the operators and
/// operands of their values, counted in every region.
pub const CODE: usize = 40_000;

/// The largest number of steps of the search for the loops of a kernel. A step examines one part of
/// a statement.
pub const STEPS: u64 = 4_000_000;

/// The largest number of steps of each search for loops that a warning compares with those of a
/// kernel. One that ends early finds slower loops, so that a warning may be missing, but not wrong.
pub const WARNED: u64 = 10_000;

/// The deepest nesting of rewrites that lower a value to loops.
pub const REWRITES: usize = 512;

/// The largest number of scalars without entries, and of masks, whose regions a statement
/// distinguishes. A statement that reads more always runs.
pub const PRESENCE: usize = 8;

/// The largest number of sparse operands whose subsets are all examined to determine the effect of
/// an empty range.
pub const ABSENT: usize = 8;

/// The remaining budget for the loops of one kernel.
#[derive(Debug)]
pub struct Budget {
    /// The number of steps of a full budget.
    full: u64,
    steps: Cell<u64>,
    /// The number of parts of the plans that were compared.
    weighed: Cell<usize>,
    /// The planned merge with the most regions.
    largest: RefCell<Option<Merge>>,
    /// The first limit that a plan exceeded, if any.
    exceeded: Cell<Option<Limit>>,
    /// The number of programs that were planned, also with the budgets renewed from this one.
    planned: Rc<Cell<usize>>,
}

/// A loop that merges operands.
#[derive(Clone, Debug)]
pub struct Merge {
    /// The name of the loop's variable.
    pub variable: String,
    /// The name of each operand, and its first place in the statement.
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
        Budget::of(STEPS)
    }
}

impl Budget {
    /// Returns a full budget of a number of steps.
    pub fn of(steps: u64) -> Budget {
        Budget {
            full: steps,
            steps: Cell::new(steps),
            weighed: Cell::new(0),
            largest: RefCell::new(None),
            exceeded: Cell::new(None),
            planned: Rc::default(),
        }
    }

    /// Spends steps; returns whether the budget sufficed.
    pub fn spend(&self, steps: usize) -> bool {
        let left = self.steps.get().checked_sub(steps as u64);
        self.steps.set(left.unwrap_or(0));
        if left.is_none() {
            self.exceed(Limit::Steps);
        }
        left.is_some()
    }

    /// Counts parts of plans that are compared.
    pub fn weigh(&self, parts: usize) {
        self.weighed.set(self.weighed.get() + parts);
    }

    /// Returns the number of parts of the plans that were compared.
    pub fn weighed(&self) -> usize {
        self.weighed.get()
    }

    /// Returns a full budget for another search for the loops of the same kernel.
    pub fn renewed(&self) -> Budget {
        Budget { planned: Rc::clone(&self.planned), ..Budget::of(self.full) }
    }

    /// Counts a program that is planned.
    pub fn count_plan(&self) {
        self.planned.set(self.planned.get() + 1);
    }

    /// Returns the number of programs that were planned for the kernel.
    #[cfg(test)]
    pub fn planned(&self) -> usize {
        self.planned.get()
    }

    /// Records that a plan exceeded a limit.
    pub fn exceed(&self, limit: Limit) {
        if self.exceeded.get().is_none() {
            self.exceeded.set(Some(limit));
        }
    }

    /// Returns the first limit that a plan exceeded, if any.
    pub fn exceeded(&self) -> Option<Limit> {
        self.exceeded.get()
    }

    /// Records a merge of `count` operands.
    pub fn merges(&self, count: usize, merge: impl FnOnce() -> Merge) {
        let mut largest = self.largest.borrow_mut();
        if count > largest.as_ref().map_or(1, |merge| merge.operands.len()) {
            *largest = Some(merge());
        }
    }

    /// Returns the planned merge with the most operands, if any.
    pub fn largest(&self) -> Option<Merge> {
        self.largest.borrow().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the errors of a kernel, and the number of lines of its source.
    fn compiled(expr: &str, tensors: &str) -> (Vec<String>, usize) {
        let manifest = format!("[kernels.k]\nexpr = \"{expr}\"\ntensors = {{ {tensors} }}");
        let output = crate::compile_str("kernels.toml", &manifest);
        let messages = output.diagnostics.iter().map(|mistake| mistake.message.clone());
        (messages.collect(), output.source.lines().count())
    }

    /// Compiles a kernel of many vectors in a format.
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

    /// Returns the number of lines of a sum of matrices in a format.
    fn lines_of_sum(count: usize, format: &str) -> usize {
        let terms: Vec<String> = (0..count).map(|k| format!("x{k}[i,j]")).collect();
        let tensors: Vec<String> = (0..count).map(|k| format!("x{k} = '{format}'")).collect();
        let tensors = format!("y = '{format}', {}", tensors.join(", "));
        let (mistakes, lines) = compiled(&format!("y[i,j] = {}", terms.join(" + ")), &tensors);
        assert_eq!(mistakes, [""; 0]);
        lines
    }

    #[test]
    fn the_code_of_sums_of_matrices_grows_at_most_quadratically() {
        let blocks = "(i, j) -> (i : compressed, j / 4 : compressed, j % 4 : structured(2, 4))";
        for format in ["csr", "dcsr", "ell", "dia", blocks] {
            let lines: Vec<usize> = (1..=8).map(|count| lines_of_sum(count, format)).collect();
            for (count, most) in (1..=8).map(|count| (count, count * count * lines[0])) {
                let own = lines[count - 1];
                assert!(own <= most, "{own} lines for {count} operands in {format}");
            }
            // From four operands on, there is one body for all regions.
            assert!(lines[7] <= 2 * lines[3], "{lines:?} lines for operands in {format}");
        }
    }

    #[test]
    fn eight_operands_of_several_levels_are_merged() {
        let operands: Vec<String> = (0..8).map(|k| format!("x{k}[i,j]")).collect();
        let greatest = |value: String, operand: &String| format!("max({operand}, {value})");
        let value = operands[1..].iter().fold(operands[0].clone(), greatest);
        let map = "(i, j) -> (i : hashed, j : compressed)";
        let tensors: Vec<String> = (0..8).map(|k| format!("x{k} = '{map}'")).collect();
        let tensors = format!("y = 'csr', {}", tensors.join(", "));
        let (mistakes, lines) = compiled(&format!("y[i,j] = {value}"), &tensors);
        assert_eq!(mistakes, [""; 0]);
        assert!(lines < 20_000, "{lines} lines");
    }

    #[test]
    fn merges_within_merges_have_one_merge_point_if_there_are_many() {
        let value = "z[i] + cos(select(x[i] != z[j], i, 2)) + prod[k](min[l](D[l,k]))";
        let map = "(i, j) -> (j / 3 : compressed, i : hashed, j % 3 : dense)";
        let tensors = format!("R = '{map}', z = 'sparse_vector', x = 'sparse_vector', D = 'dcsc'");
        let (mistakes, lines) = compiled(&format!("R[i,j] max= {value}"), &tensors);
        assert_eq!(mistakes, [""; 0]);
        // With a merge point for each set of operands, there are 4,300.
        assert!(lines < 3_000, "{lines} lines");
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
