//! Comparisons `i == j` among the terms of a sum: `L[i,j] = (i == j) * d[i] - A[i,j]`.
//!
//! A mask around all of a value limits the loop. One around a part of it does not: the loop would run
//! over the whole dimension to find the one coordinate. So the comparison becomes a tensor that has an
//! entry where it holds, which is merged with the others like any other, though nobody passes it.

use crate::format::{Format, LevelExpr, LevelSpec};
use crate::level;
use crate::notation::{Access, Expr, Function, Kernel, Role, Tensor, TensorId, VariableId};
use crate::types::{Literal, Width};

/// The kernel with tensors in the stead of comparisons around a part of a value.
pub(super) fn diagonals(kernel: &Kernel) -> Kernel {
    let mut changed = kernel.clone();
    // Tensors stand in the order of the arguments, and the one that is changed behind them.
    if kernel.old.is_none() && kernel.schedule.is_empty() {
        changed.assignment.value = merged(&mut changed, &kernel.assignment.value, true);
    }
    changed
}

/// A value with tensors for comparisons; those of a mask around the `whole` of it stay.
fn merged(kernel: &mut Kernel, value: &Expr, whole: bool) -> Expr {
    match value {
        Expr::Call(Function::Mask, masked) if whole => {
            let value = merged(kernel, &masked[1], true);
            Expr::call(Function::Mask, vec![masked[0].clone(), value])
        }
        Expr::Call(function @ (Function::Equal | Function::NotEqual), sides)
            if let Some([a, b]) = plain(kernel, sides) =>
        {
            let entry = Expr::Access(diagonal(kernel, a, b));
            let equal = Expr::call(Function::Present, vec![entry, Expr::ZERO]);
            if *function == Function::Equal {
                return equal;
            }
            Expr::call(Function::Not, vec![equal])
        }
        Expr::Reduce(reduce) => {
            Expr::reduce(reduce.op, reduce.variables.clone(), merged(kernel, &reduce.body, true))
        }
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Access(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Call(..) => value.map_children(&mut |child| merged(kernel, child, false)),
    }
}

/// The two variables that are compared, where both have loops of their own.
fn plain(kernel: &Kernel, sides: &[Expr]) -> Option<[VariableId; 2]> {
    let [Expr::Index(a), Expr::Index(b)] = sides else { return None };
    let is_plain = |v: VariableId| matches!(kernel.variable(v).role, Role::Index);
    (a != b && is_plain(*a) && is_plain(*b)).then_some([*a, *b])
}

/// The tensor that has an entry where two variables are equal, as it is accessed.
fn diagonal(kernel: &mut Kernel, a: VariableId, b: VariableId) -> Access {
    let known = |access: &&Access| access.indices.contains(&a) && access.indices.contains(&b);
    if let Some(access) = kernel.diagonals.iter().find(known) {
        return access.clone();
    }
    // The loops prefer the order of the result's levels.
    let result = kernel.tensor(kernel.result());
    let level_of = |v: VariableId| {
        let levels = 0..result.format.levels.len();
        let mut modes = levels.map(|level| result.format.mode_of(level));
        let indices = &kernel.assignment.result.indices;
        modes.position(|mode| mode.is_some_and(|mode| indices[mode] == v)).unwrap_or(usize::MAX)
    };
    let indices = if level_of(b) < level_of(a) { vec![b, a] } else { vec![a, b] };
    let spec = |mode: usize, level: std::rc::Rc<dyn level::Level>| LevelSpec {
        expr: LevelExpr::Dimension(mode),
        properties: level.properties(),
        level,
    };
    let mut argument = "diagonal".to_owned();
    while kernel.tensors.iter().any(|tensor| tensor.argument == argument) {
        argument.push('_');
    }
    let tensor = Tensor {
        name: argument.clone(),
        argument,
        format: Format {
            name: None,
            dimensions: vec!["i".to_owned(), "j".to_owned()],
            pos: Width::Usize,
            crd: Width::Usize,
            levels: vec![spec(0, level::full_workspace()), spec(1, level::diagonal())],
            builtin: None,
            fill: Literal::Int(0),
        },
        dtype: result.dtype,
        by_value: false,
        pattern: true,
        parameter: None,
        span: kernel.span,
    };
    kernel.tensors.push(tensor);
    let access = Access { tensor: TensorId(kernel.tensors.len() - 1), indices };
    kernel.diagonals.push(access.clone());
    access
}
