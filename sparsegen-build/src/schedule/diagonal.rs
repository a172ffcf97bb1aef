//! Comparisons `i == j`, `i == j + 1` in terms of a sum: `L[i,j] = (i == j) * d[i] - A[i,j]`.
//!
//! A mask of the whole value bounds the loop. A mask of a part of it does not: the loop would
//! iterate over the whole dimension to find one coordinate. Therefore the comparison becomes a
//! tensor with an entry where it holds, which is merged like any operand, although no caller passes
//! it.

use crate::coordinate::Term;
use crate::format::{Format, LevelExpr, LevelSpec};
use crate::level;
use crate::notation::schedule::Action;
use crate::notation::{
    Access, BinaryOp, Diagonal, Expr, Function, Kernel, Tensor, TensorId, TensorRole, VariableId,
    VariableRole,
};
use crate::types::Literal;

/// Replaces comparisons in a part of a value by tensors.
pub(super) fn diagonals(kernel: &Kernel) -> Kernel {
    let mut changed = kernel.clone();
    let whole = &kernel.assignment.value;
    changed.assignment.value = merged(&mut changed, whole, true);
    // A precomputed part is identified by its expression.
    for k in 0..kernel.schedule.len() {
        if let Action::Precompute { value, .. } = &kernel.schedule[k].action {
            let part = merged(&mut changed, value, value == whole);
            if let Action::Precompute { value, .. } = &mut changed.schedule[k].action {
                *value = part;
            }
        }
    }
    changed
}

/// Replaces comparisons in a value by tensors, except in a mask of the `whole` value.
fn merged(kernel: &mut Kernel, value: &Expr, whole: bool) -> Expr {
    match value {
        Expr::Call(Function::Mask, masked) if whole => {
            let value = merged(kernel, &masked[1], true);
            Expr::call(Function::Mask, vec![masked[0].clone(), value])
        }
        Expr::Call(Function::Operator(op @ (BinaryOp::Eq | BinaryOp::Ne)), sides)
            if let Some((from, to, ahead)) = compared(kernel, sides) =>
        {
            let entry = Expr::Access(diagonal(kernel, [from, to], ahead));
            let equal = Expr::call(Function::Present, vec![entry, Expr::ZERO]);
            if *op == BinaryOp::Eq {
                return equal;
            }
            Expr::call(Function::Not, vec![equal])
        }
        Expr::Reduce(reduce) => reduce.of(merged(kernel, &reduce.body, true)),
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Access(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Neg(_)
        | Expr::Binary(..)
        | Expr::Call(..) => value.map_children(&mut |child| merged(kernel, child, false)),
    }
}

/// Returns the two compared variables, if both have loops, and the difference between the second
/// and the first.
fn compared(kernel: &Kernel, sides: &[Expr]) -> Option<(VariableId, VariableId, i64)> {
    let [left, right] = sides else { return None };
    let difference = Expr::difference(left, right)?;
    let (from, to) = match difference.terms() {
        [Term { times: 1, of: from }, Term { times: -1, of: to }]
        | [Term { times: -1, of: to }, Term { times: 1, of: from }] => (from, to),
        _ => return None,
    };
    let (Expr::Index(from), Expr::Index(to)) = (from, to) else { return None };
    let is_plain = |v: &VariableId| matches!(kernel.variable(*v).role, VariableRole::Index);
    let ahead = difference.offset();
    (is_plain(from) && is_plain(to) && ahead > i64::MIN).then_some((*from, *to, ahead))
}

/// Returns the access of a tensor with entries where one variable exceeds another by `ahead`.
fn diagonal(kernel: &mut Kernel, [from, to]: [VariableId; 2], ahead: i64) -> Access {
    // The order of the result's levels is preferred.
    let result = kernel.tensor(kernel.result());
    let level_of = |v: VariableId| {
        let levels = 0..result.format.levels.len();
        let mut modes = levels.map(|level| result.format.mode_of(level));
        let indices = &kernel.assignment.result.indices;
        modes.position(|mode| mode.is_some_and(|mode| indices[mode] == v)).unwrap_or(usize::MAX)
    };
    let diagonal = match level_of(to) < level_of(from) {
        true => Diagonal { from: to, to: from, ahead: -ahead },
        false => Diagonal { from, to, ahead },
    };
    if let Some((known, _)) = kernel.predicates().find(|(_, known)| *known == diagonal) {
        return diagonal.access(known);
    }
    let spec = |mode: usize, level: std::sync::Arc<dyn level::Level>| {
        LevelSpec::new(LevelExpr::Dimension(mode), level)
    };
    let mut argument = match diagonal.ahead {
        0 => "diagonal".to_owned(),
        n @ 1.. => format!("diagonal_ahead_{n}"),
        _ => format!("diagonal_behind_{}", diagonal.ahead.unsigned_abs()),
    };
    while kernel.tensors.iter().any(|tensor| tensor.argument == argument) {
        argument.push('_');
    }
    let tensor = Tensor {
        name: argument.clone(),
        argument,
        format: Format {
            name: None,
            dimensions: vec!["i".to_owned(), "j".to_owned()],
            levels: vec![
                spec(0, level::full_workspace()),
                spec(1, level::diagonal(diagonal.ahead)),
            ],
            builtin: None,
            fill: Literal::Int(0),
            counts_first: false,
        },
        dtype: result.dtype,
        by_value: false,
        pattern: true,
        may_be_infinite: false,
        role: TensorRole::Predicate(diagonal),
        span: kernel.span,
    };
    kernel.tensors.push(tensor);
    diagonal.access(TensorId(kernel.tensors.len() - 1))
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn comparisons_are_merged_whatever_the_schedule_and_in_updates() {
        let tensors = |result: &str| format!("L = '{result}', d = 'dense', A = 'csr'");
        let value = "(i == j) * d[i] - A[i,j]";
        let merged = "∀i ∀j L[i,j] = diagonal[i,j] * d[i] - A[i,j]";
        let plain = loops(&format!("L[i,j] = {value}"), &tensors("csr"), &[]);
        assert_eq!(plain.replace("present(diagonal[i,j])", "diagonal[i,j]"), merged);
        for schedule in ["reorder(i, j)", "parallelize(i)", "merge(j, walk)"] {
            let scheduled = loops(&format!("L[i,j] = {value}"), &tensors("csr"), &[schedule]);
            assert_eq!(scheduled, plain, "{schedule}");
        }
        for result in ["csr", "dense"] {
            let updated = loops(&format!("L[i,j] += {value}"), &tensors(result), &[]);
            assert!(updated.contains("diagonal[i,j]"), "{result}: {updated}");
        }
    }
}
