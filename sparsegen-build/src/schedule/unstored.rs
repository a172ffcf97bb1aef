//! Reductions that reach the coordinates without entries by a count of the others.
//!
//! The values of a column of a matrix that is stored by rows come one by one, among those of other
//! columns: no loop knows which coordinates of the column have none. `m[j] = max[i](A[i,j])` is
//! `m[j] = select(n[j] < extent(i), max(v[j], 0), v[j])`, where a workspace `v` takes the maximum of
//! the entries, and a workspace `n` their number. In `C[i,j] = max[k](A[i,k] * B[k,j])` these are the
//! products of entries, of each row of `A`; a sparse result has entries where there are products. The
//! cost decides.

use crate::concrete::Precomputed;
use crate::concrete::terms::outermost_reductions;
use crate::notation::{
    Access, BinaryOp, Expr, Function, Kernel, Reduce, ReduceOp, Slice, VariableId, VariableRole,
};
use crate::types::Dtype;

use super::distribute::{bounded, for_each_part, keep, replaced, uses};
use super::kept::comes_again;
use super::precompute::{OPERANDS, subsets};

/// Returns the form of a kernel in which reductions of values that are not stored count the entries.
pub(super) fn form(kernel: &Kernel) -> Option<(Kernel, Vec<Precomputed>)> {
    kernel.semiring.is_usual().then_some(())?;
    let mut reductions: Vec<&Reduce> = Vec::new();
    for_each_part(&kernel.assignment.value, &mut Vec::new(), &mut |part, _| {
        if let Expr::Reduce(reduce) = part
            && !reductions.contains(&reduce)
        {
            reductions.push(reduce);
        }
    });
    let (mut counting, mut taken) = (kernel.clone(), Vec::new());
    for reduce in reductions {
        let counted = Counted::of(kernel, reduce);
        if let Some(value) = counted.and_then(|c| c.value(&mut counting, &mut taken)) {
            let own = &counting.assignment.value;
            counting.assignment.value = replaced(own, &Expr::Reduce(reduce.clone()), &value);
        }
    }
    (!taken.is_empty()).then_some((counting, taken))
}

/// A reduction of the entries of operands, and of a value at all other coordinates.
struct Counted<'k> {
    reduce: &'k Reduce,
    /// The free variables whose coordinates come again for each coordinate of the reduction.
    over: Vec<VariableId>,
    /// The condition that the value is not `unstored`.
    stored: Expr,
    /// The value at the other coordinates, the same for all of them.
    unstored: Expr,
}

impl Counted<'_> {
    fn of<'k>(kernel: &Kernel, reduce: &'k Reduce) -> Option<Counted<'k>> {
        let Reduce { op, variables, body, .. } = reduce;
        let (unstored, mut is_nested) = (kernel.without_entries(body), false);
        outermost_reductions(body, &mut |_| is_nested = true);
        let depends = variables.iter().any(|v| uses(&unstored, *v));
        let is_plain = !is_nested && body.variables().iter().all(|v| is_counted(kernel, *v));
        (is_plain && !depends && !op.ignores(&unstored)).then_some(())?;
        let operands = kernel.sparse_accesses(body);
        let mut free: Vec<VariableId> = Vec::new();
        for v in reduce.free_variables().into_iter().map(|v| kernel.counted(v)) {
            if !free.contains(&v) && !variables.contains(&v) {
                free.push(v);
            }
        }
        let over = free.into_iter().filter(|v| comes_again(kernel, reduce, *v)).collect();
        let over = bounded(kernel, over)?;
        let stored = stored(kernel, body, &unstored, &operands)?;
        Some(Counted { reduce, over, stored, unstored })
    }

    /// Returns the value of the reduction in terms of workspaces, which are added to the kernel.
    fn value(self, kernel: &mut Kernel, taken: &mut Vec<Precomputed>) -> Option<Expr> {
        let Counted { reduce, over, stored, unstored } = self;
        let Reduce { op, variables, body, .. } = reduce;
        let dtype = kernel.dtype_of(body)?;
        let with = |body: Expr| Reduce { body: Box::new(body), ..reduce.clone() };
        let count = |of: Expr| {
            let ones = with(Expr::call(Function::Convert(Dtype::Usize), vec![of]));
            Expr::Reduce(Reduce { op: ReduceOp::SUM, dtype: None, ..ones })
        };
        let identity = Expr::Literal(op.identity());
        let entries =
            Expr::call(Function::Select, vec![stored.clone(), (**body).clone(), identity]);
        let all = variables.iter().copied().map(Expr::extent).reduce(Expr::mul)?;
        let all_values = Combined::of(*op, &unstored)?;
        let own = Expr::Reduce(reduce.clone());
        let others = replaced(&kernel.assignment.value, &own, &Expr::ZERO);
        let vanishes = kernel.vanishes(&others);
        let entries = keep(kernel, taken, (*op, Expr::Reduce(with(entries))), over.clone());
        let number = keep(kernel, taken, (ReduceOp::SUM, count(stored)), over);
        let is_fewer = |number| Expr::binary(BinaryOp::Lt, number, all.clone());
        let is_not = |condition| Expr::call(Function::Not, vec![condition]);
        // Where the value is known to be 0, a sparse result does not store it: where nothing was
        // counted, unless the range is empty; where a factor is missing; or if the range is empty.
        let is_stored = match all_values {
            Combined::Once | Combined::Annihilated if !unstored.is_zero() => None,
            Combined::Once => {
                let is_counted = Expr::call(Function::Stored, vec![number.clone()]);
                Some(Expr::binary(BinaryOp::Or, is_counted, is_not(is_fewer(Expr::ZERO))))
            }
            Combined::Annihilated => Some(is_not(is_fewer(number.clone()))),
            Combined::Added => vanishes.then(|| is_fewer(Expr::ZERO)),
        };
        let value = match all_values {
            Combined::Once => {
                let both = Expr::binary(op.monoid.op(), entries.clone(), unstored.clone());
                // The identity element takes the place of no entries, but not that of a value which
                // may be NaN.
                let both = match unstored {
                    Expr::Literal(_) => both,
                    unstored => {
                        let is_any = Expr::call(Function::Stored, vec![entries.clone()]);
                        Expr::call(Function::Select, vec![is_any, both, unstored])
                    }
                };
                Expr::call(Function::Select, vec![is_fewer(number), both, entries])
            }
            Combined::Annihilated => {
                Expr::call(Function::Select, vec![is_fewer(number), unstored, entries])
            }
            Combined::Added => {
                let missing = Expr::sub(all.clone(), number);
                let times = Expr::call(Function::Convert(dtype), vec![missing]);
                Expr::add(entries, Expr::mul(times, unstored))
            }
        };
        let is_sparse = kernel.tensor(kernel.result()).format.is_sparse();
        Some(match is_stored.filter(|_| is_sparse) {
            Some(is_stored) => Expr::call(Function::Mask, vec![is_stored, value]),
            None => value,
        })
    }
}

/// Returns whether a variable is one of the statement, or the mode of a window, whose coordinates a
/// loop over one of the statement counts.
fn is_counted(kernel: &Kernel, v: VariableId) -> bool {
    let role = &kernel.variable(v).role;
    *role == VariableRole::Index || role.slice().is_some_and(Slice::is_window)
}

/// Returns the condition that a value differs from the one without entries: that all operands of one
/// of the smallest sets which make a difference have an entry.
fn stored(kernel: &Kernel, value: &Expr, unstored: &Expr, operands: &[&Access]) -> Option<Expr> {
    (operands.len() <= OPERANDS).then_some(())?;
    let makes_a_difference = |present: &Vec<&Access>| {
        let fill = |access: &Access| {
            let is_absent = operands.contains(&access) && !present.contains(&access);
            is_absent.then(|| kernel.fill(access.tensor))
        };
        value.substitute(&fill) != *unstored
    };
    let sets: Vec<Vec<&Access>> = subsets(operands).filter(makes_a_difference).collect();
    let contains = |set: &[&Access], other: &[&Access]| other.iter().all(|of| set.contains(of));
    let is_smallest = |set: &&Vec<&Access>| {
        sets.iter().all(|other| other.len() >= set.len() || !contains(set, other))
    };
    let all = |set: &Vec<&Access>| {
        let own = |access: &&Access| Expr::Access((*access).clone());
        let stored = set.iter().map(|of| Expr::call(Function::Stored, vec![own(of)]));
        stored.reduce(|a, b| Expr::binary(BinaryOp::And, a, b))
    };
    let conditions = sets.iter().filter(is_smallest).map(all).collect::<Option<Vec<_>>>()?;
    conditions.into_iter().reduce(|a, b| Expr::binary(BinaryOp::Or, a, b))
}

/// How the value of the coordinates without entries is combined with the other ones.
enum Combined {
    /// Once, whatever their number.
    Once,
    /// It determines the reduction.
    Annihilated,
    /// Added as often as there are coordinates.
    Added,
}

impl Combined {
    fn of(op: ReduceOp, unstored: &Expr) -> Option<Combined> {
        match op {
            _ if op.tells_where => None,
            ReduceOp::SUM => Some(Combined::Added),
            _ if op.monoid.is_idempotent() => Some(Combined::Once),
            _ => op.is_annihilated_by(unstored).then_some(Combined::Annihilated),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn entries_are_counted_if_a_column_is_visited_row_by_row() {
        let cases = [
            (
                "m[j] = max[i](A[i,j])",
                "m = 'dense', A = 'csr'",
                "∀j m[j] = select(u[j] < extent(i), max(v[j], 0), v[j]) where \
                 ∀i ∀j (u[j] += usize(stored(A[i,j])); v[j] max= select(stored(A[i,j]), A[i,j], -inf))",
            ),
            (
                "y[j] = sum[i](exp(A[i,j]))",
                "y = 'dense', A = 'csr'",
                "∀j y[j] = v[j] + f64(extent(i) - u[j]) where \
                 ∀i ∀j (v[j] += select(stored(A[i,j]), exp(A[i,j]), 0); u[j] += usize(stored(A[i,j])))",
            ),
            (
                "y[j] = prod[i](A[i,j])",
                "y = 'dense', A = 'csr'",
                "∀j y[j] = select(u[j] < extent(i), 0, v[j]) where \
                 ∀i ∀j (u[j] += usize(stored(A[i,j])); v[j] *= select(stored(A[i,j]), A[i,j], 1))",
            ),
            // The loops over a row see all of it.
            (
                "m[i] = max[j](A[i,j])",
                "m = 'dense', A = 'csr'",
                "∀i (m[i] = max where ∀j max max= A[i,j])",
            ),
        ];
        for (expr, tensors, expected) in cases {
            assert_eq!(loops(expr, tensors, &[]), expected, "{expr}");
        }
    }
}
