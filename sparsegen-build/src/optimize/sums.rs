//! Sums over dense loops: takes factors out of them, and computes them in several accumulators.
//!
//! rustc preserves the order of floating-point additions, so that each waits for the one before, and
//! none run in vectors. With 4 accumulators, and the factor of the row taken out, a sampled product of
//! matrices takes half of the time. Only loops that read consecutive elements are changed: gathers in
//! vectors are slower than scalar loads. They count, or visit the entries of many rows, as for the norm
//! of a sparse matrix; single rows are too short.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::fresh::Names;
use super::infinities::Infinities;
use super::strips::{
    Extents, Strips, declared, dtype_of_constant, expanded, is_contiguous, is_long, lanes, zero,
};
use crate::ir::{BinaryOp, Dtype, Expr, Function, Literal, Stmt, Uses};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    if !function.reassociates {
        return function;
    }
    let mut sums = Sums {
        function: &function,
        extents: declared(&function),
        names: Names::of(&function),
        infinities: OnceCell::new(),
        demanded: function.unroll.iter().map(|u| (u.variable.clone(), u.by)).collect(),
        assigned: Uses::of(&function.body).written.into_keys().collect(),
        split: BTreeSet::new(),
    };
    let body = sums.body(&function.body, &BTreeMap::new());
    let split = sums.split;
    function.body = body;
    function.unroll.retain(|unroll| !split.contains(&unroll.variable));
    function.is_vectorized |= !split.is_empty();
    function
}

struct Sums<'f> {
    function: &'f Function,
    extents: Extents,
    names: Names,
    /// The infinities of the function, which are computed when the first factor is found.
    infinities: OnceCell<Infinities>,
    /// The numbers of iterations at a time that the schedule demands.
    demanded: BTreeMap<String, usize>,
    /// The variables that are assigned.
    assigned: BTreeSet<String>,
    /// The variables of the loops that were split.
    split: BTreeSet<String>,
}

/// A variable that each iteration of a loop combines with a value.
struct Sum<'s> {
    name: &'s str,
    op: BinaryOp,
    dtype: Dtype,
    value: &'s Expr,
}

/// Returns whether a loop visits the segments of several parents, `pos[0]..pos[n]`. The segment of one,
/// `pos[i]..pos[i + 1]`, is often short.
fn joins_segments(from: &Expr, to: &Expr) -> bool {
    match (from, to) {
        (Expr::Load { array: a, index: from }, Expr::Load { array: b, index: to }) => {
            let is_one = **to == Expr::add((**from).clone(), Expr::Index(1));
            let is_nested = matches!(**from, Expr::Load { .. });
            a == b && !is_one && (!is_nested || joins_segments(from, to))
        }
        (_, _) => false,
    }
}

/// A loop over a range without gaps, which only accumulates.
struct Reduction<'s> {
    variable: &'s str,
    from: &'s Expr,
    to: &'s Expr,
    body: &'s [Stmt],
    lets: Vec<(String, Expr)>,
    sums: Vec<Sum<'s>>,
}

impl Sums<'_> {
    /// Returns whether a value may be infinite although all operands are finite.
    fn may_be_infinite(&self, value: &Expr) -> bool {
        self.infinities.get_or_init(|| Infinities::of(self.function)).may_include(value)
    }

    /// Returns statements with their sums changed. `outer` has the types of the mutable variables
    /// around them.
    fn body(&mut self, body: &[Stmt], outer: &BTreeMap<String, Dtype>) -> Vec<Stmt> {
        let mut types = outer.clone();
        // The variables that are still 0.
        let mut zeros: BTreeSet<String> = BTreeSet::new();
        let mut done = Vec::new();
        for stmt in body {
            if let Stmt::Let { name, mutable: true, value } = stmt
                && let Some(dtype) = dtype_of_constant(value)
            {
                types.insert(name.clone(), dtype);
                if matches!(value, Expr::Value(literal, _) if literal.is_zero()) {
                    zeros.insert(name.clone());
                }
            }
            match Reduction::of(stmt, &types) {
                Some(reduction) => {
                    let (short, factors) = reduction.factored(&zeros, self);
                    let split = Reduction::of(&short, &types).and_then(|short| self.split(&short));
                    done.extend(split.unwrap_or_else(|| vec![short]));
                    // An empty sum is 0, even if a factor is infinite.
                    let has_terms = Expr::lt(reduction.from.clone(), reduction.to.clone());
                    done.extend(Stmt::when(has_terms, factors));
                }
                None => {
                    done.extend(stmt.map(&mut Expr::clone, &mut |body| self.body(body, &types)));
                }
            }
            if !zeros.is_empty() {
                let written = Uses::of(std::slice::from_ref(stmt)).written;
                zeros.retain(|zero| !written.contains_key(zero));
            }
        }
        done
    }

    /// Returns a loop with several accumulators for each sum, and a loop for the remaining
    /// iterations, or `None` if it should stay as it is.
    fn split(&mut self, reduction: &Reduction<'_>) -> Option<Vec<Stmt>> {
        let by = match self.demanded.get(reduction.variable) {
            // Other numbers of accumulators are left to unrolling.
            Some(by) => Some(*by).filter(|by| *by >= 4 && by.is_power_of_two())?,
            // A register of AVX.
            None => reduction.sums.iter().map(|sum| lanes(sum.dtype) / 2).min()?,
        };
        let Reduction { variable, from, to, body, sums, .. } = reduction;
        let is_long = is_long([from, to], 2 * by, &self.extents, &self.assigned);
        if !is_long || !reduction.is_contiguous() {
            return None;
        }
        self.split.insert((*variable).to_owned());
        let Strips { before: mut stmts, number, first, count, from, to } =
            Strips::of([from, to], by, variable, &mut self.names);
        let lane = self.names.fresh("lane");
        let mut inner = vec![Stmt::bind(variable, Expr::add(first, Expr::var(&lane)))];
        let names: Vec<String> =
            sums.iter().map(|sum| self.names.beside(sum.name, "lanes")).collect();
        let lane_of = |name: &str| {
            let sum = sums.iter().position(|sum| sum.name == name);
            sum.map(|sum| names[sum].clone())
        };
        inner.extend(body.iter().map(|stmt| match stmt {
            Stmt::Assign { name, op: Some(op), value } if let Some(array) = lane_of(name) => {
                Stmt::combine_at(&array, Expr::var(&lane), *op, value.clone())
            }
            stmt => stmt.clone(),
        }));
        let shown: Vec<String> = sums.iter().map(|sum| format!("`{}`", sum.name)).collect();
        let comment = format!("{by} parts of {} at a time.", shown.join(" and "));
        stmts.push(Stmt::Comment(comment.into()));
        for (sum, name) in sums.iter().zip(&names) {
            let (name, dtype) = (name.clone(), sum.dtype);
            stmts.push(Stmt::Tile { name, dtype, len: by, initial: sum.identity() });
        }
        let each = Stmt::for_range(&lane, Expr::Index(0), Expr::Index(by), inner);
        stmts.extend(Stmt::for_range(&number, Expr::Index(0), count.clone(), each));
        for (sum, name) in sums.iter().zip(&names) {
            stmts.extend(sum.combined(name, by, &lane));
        }
        let rest = Expr::add(from, Expr::mul(count, Expr::Index(by)));
        stmts.extend(Stmt::for_range(variable, rest, to, body.to_vec()));
        Some(stmts)
    }
}

impl Sum<'_> {
    /// Returns the operator that combines parts of the sum.
    fn operator(&self) -> BinaryOp {
        if self.op == BinaryOp::Sub { BinaryOp::Add } else { self.op }
    }

    /// Returns the value of a part before its first term. A minimum or maximum may start at NaN,
    /// which is replaced by any other value, as it is NaN if all terms are.
    fn identity(&self) -> Expr {
        match self.op {
            BinaryOp::Min | BinaryOp::Max if self.dtype.is_float() => {
                Expr::value(Literal::Nan, self.dtype)
            }
            BinaryOp::Min => Expr::value(Literal::Greatest, self.dtype),
            BinaryOp::Max => Expr::value(Literal::Least, self.dtype),
            _ => zero(self.dtype),
        }
    }

    /// Returns a loop that adds the lanes to the sum, one after another: given a tree, LLVM computes
    /// the lanes in pairs, and not in a whole register.
    fn combined(&self, lanes: &str, count: usize, lane: &str) -> Vec<Stmt> {
        let part = Expr::load(lanes, Expr::var(lane));
        let add = Stmt::combine(self.name, self.operator(), part);
        Stmt::for_range(lane, Expr::Index(0), Expr::Index(count), vec![add])
    }
}

impl<'s> Reduction<'s> {
    /// Returns a statement as a reduction; `types` are the types of the variables around it.
    fn of(stmt: &'s Stmt, types: &BTreeMap<String, Dtype>) -> Option<Reduction<'s>> {
        let Stmt::For { name: variable, start: from, end: to, body } = stmt else { return None };
        let is_dense = |limit: &Expr| {
            let mut loads = false;
            limit.for_each(&mut |e| loads |= matches!(e, Expr::Load { .. } | Expr::Search { .. }));
            !loads
        };
        let (mut lets, mut sums) = (Vec::new(), Vec::<Sum<'_>>::new());
        for stmt in body {
            match stmt {
                Stmt::Let { name, mutable: false, value } => {
                    lets.push((name.clone(), value.clone()));
                }
                Stmt::Assign { name, op: Some(op), value } => {
                    let is_known = sums.iter().any(|sum| sum.name == name);
                    let dtype = *types.get(name).filter(|_| !is_known)?;
                    let (name, op) = (name.as_str(), *op);
                    sums.push(Sum { name, op, dtype, value });
                }
                Stmt::Comment(_) => {}
                _ => return None,
            }
        }
        let is_sum = |sum: &Sum<'_>| match sum.op {
            BinaryOp::Add | BinaryOp::Sub => true,
            BinaryOp::Min | BinaryOp::Max => !sum.dtype.is_opaque(),
            _ => false,
        };
        let uses = Uses::of(body);
        let is_read = |sum: &Sum<'_>| uses.reads(sum.name) > 0;
        let is_reduction = (is_dense(from) && is_dense(to) || joins_segments(from, to))
            && !sums.is_empty()
            && sums.iter().all(|sum| is_sum(sum) && !is_read(sum));
        is_reduction.then_some(Reduction { variable, from, to, body, lets, sums })
    }

    /// Returns whether each array that the loop reads is read at consecutive elements, or at the same
    /// one.
    fn is_contiguous(&self) -> bool {
        let (mut reads, mut is_contiguous_so_far) = (false, true);
        for sum in &self.sums {
            let value = expanded(sum.value, &self.lets);
            value.for_each(&mut |e| match e {
                Expr::Load { index, .. } if index.mentions(self.variable) => {
                    reads = true;
                    is_contiguous_so_far &= is_contiguous(index, self.variable);
                }
                // A field of entries is read at a distance of their size.
                Expr::Search { .. }
                | Expr::Contains { .. }
                | Expr::Choose { .. }
                | Expr::Field(..) => {
                    is_contiguous_so_far = false;
                }
                _ => {}
            });
        }
        reads && is_contiguous_so_far
    }

    /// Returns the loop without the factors of its sums that no iteration changes, and the
    /// multiplications by them, for sums that are among `zeros` before. An infinite factor stays: it
    /// times each 0 is NaN.
    fn factored(&self, zeros: &BTreeSet<String>, all: &Sums<'_>) -> (Stmt, Vec<Stmt>) {
        let is_fixed = |factor: &&Expr| {
            let is_same = !expanded(factor, &self.lets).mentions(self.variable);
            is_same && !all.may_be_infinite(factor)
        };
        let mut multiplications = Vec::new();
        let stmt = |stmt: &Stmt| match stmt {
            Stmt::Assign { name, op: Some(op @ (BinaryOp::Add | BinaryOp::Sub)), value }
                if zeros.contains(name) && self.has_factors(name) =>
            {
                let mut factors = Vec::new();
                value.factors(&mut factors);
                let (fixed, others): (Vec<&Expr>, Vec<&Expr>) =
                    factors.into_iter().partition(is_fixed);
                let product = |factors: Vec<&Expr>| factors.into_iter().cloned().reduce(Expr::mul);
                let (Some(fixed), Some(others)) = (product(fixed), product(others)) else {
                    return stmt.clone();
                };
                // Variables of an iteration are unknown after the loop.
                let fixed = expanded(&fixed, &self.lets);
                multiplications.push(Stmt::combine(name, BinaryOp::Mul, fixed));
                Stmt::Assign { name: name.clone(), op: Some(*op), value: others }
            }
            stmt => stmt.clone(),
        };
        let body: Vec<Stmt> = self.body.iter().map(stmt).collect();
        let (name, start, end) = (self.variable.to_owned(), self.from.clone(), self.to.clone());
        (Stmt::For { name, start, end, body }, multiplications)
    }

    /// Returns whether the product that a sum adds may lose factors.
    fn has_factors(&self, name: &str) -> bool {
        let sum = self.sums.iter().find(|sum| sum.name == name);
        sum.is_some_and(|sum| !sum.dtype.is_opaque())
    }
}

#[cfg(test)]
mod tests {
    use crate::compile_str;

    fn source(expr: &str, tensors: &str, keys: &str) -> String {
        let manifest = format!("[kernels.k]\nexpr = '{expr}'\ntensors = {{ {tensors} }}\n{keys}\n");
        let output = compile_str("kernels.toml", &manifest);
        assert!(output.diagnostics.is_empty(), "{}", output.diagnostics.render("", &manifest));
        output.source
    }

    #[test]
    fn factors_of_a_row_are_multiplied_once() {
        let sampled = |keys: &str| {
            let tensors = "C = 'csr', S = 'csr', U = 'dense', V = 'dense'";
            source("C[i,j] = S[i,j] * U[i,k] * V[j,k]", tensors, keys)
        };
        let short = sampled("");
        assert!(short.contains("sum_lanes[lane] += u_vals[p_u] * v_vals[p_v];"), "{short}");
        let multiplied = "if 0 < k_size {\n                sum *= s_vals[p_s];\n            }";
        assert!(short.contains(multiplied), "{short}");
        let as_written = sampled("reassociate = false");
        assert!(as_written.contains("sum += s_vals[p_s] * u_vals[p_u] * v_vals[p_v];"));
        assert!(!as_written.contains("lanes"));
    }

    #[test]
    fn the_parts_of_a_maximum_are_nan_before_their_first_value() {
        let short = source("m[i] = max[j](A[i,j])", "m = 'dense', A = 'dense'", "");
        assert!(short.contains("let mut max_lanes = [f64::NAN; 4];"), "{short}");
        let whole = source("m[i] = max[j](A[i,j])", "m = 'dense', A = 'dense'", "dtype = 'i32'");
        assert!(whole.contains("let mut max_lanes = [i32::MIN; 8];"), "{whole}");
    }

    #[test]
    fn sums_of_a_few_declared_terms_are_added_one_by_one() {
        let of = |len: usize| {
            let keys = format!("sizes = {{ j = {len} }}");
            source("y[i] = A[i,j] * x[j]", "y = 'dense', A = 'dense', x = 'dense'", &keys)
        };
        assert!(of(64).contains("lanes"));
        let few = of(3);
        assert!(!few.contains("lanes") && few.contains("for j in 0..j_size"), "{few}");
    }

    #[test]
    fn entries_of_many_rows_are_added_in_parts() {
        let norm = source("s = sum[i,j](A[i,j] * A[i,j])", "A = 'csr'", "");
        assert!(norm.contains("sum_lanes[lane] += a_vals[p_a] * a_vals[p_a];"), "{norm}");
        let rows = source("y[i] = sum[j](A[i,j] * A[i,j])", "y = 'dense', A = 'csr'", "");
        assert!(!rows.contains("lanes"), "{rows}");
    }

    #[test]
    fn gathers_are_added_one_by_one() {
        let tensors = "y = 'dense', A = 'csr', x = 'dense'";
        assert!(!source("y[i] = A[i,j] * x[j]", tensors, "").contains("lanes"));
        let tensors = "y = 'dense', A = 'dense', x = 'dense'";
        assert!(source("y[i] = A[i,j] * x[j]", tensors, "").contains("lanes"));
    }
}
