//! Semirings: which operators a statement may use, of which types, and which formats.

use crate::error::{Diagnostic, Span};
use crate::format::{Format, LevelExpr};
use crate::notation::syntax::{Assign, BinaryOp, Expr, ExprKind, Index, IndexKind, UnaryOp};
use crate::notation::{Operator, Semiring};
use crate::types::{Dtype, Literal};

use super::Context;
use super::bindings::is_parameter;
use super::names::{Names, Operand};

pub(super) fn check(context: Context<'_>, names: &Names<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let semiring = context.entry.semiring;
    if semiring.is_usual() {
        return;
    }
    check_operators(context, names, &context.statement.right, diagnostics);
    if context.statement.assign == Assign::Sub {
        diagnostics.push(no_inverse(context.statement.assign_span, "-="));
    }
    diagnostics.extend(names.tensors.iter().find_map(|tensor| check_type(semiring, tensor)));
    if !semiring.zero.is_zero()
        && let Some(index) =
            context.statement.left.indices.iter().find(|index| is_part(context, index))
    {
        diagnostics.push(
            Diagnostic::unsupported(index.span, "parts of results in this semiring")
                .note(format!("what is not stored is {}", semiring.zero))
                .help("compute the part into a result of its own"),
        );
    }
    for tensor in &names.tensors {
        let repeats = tensor.format.as_ref().and_then(|format| format.levels.last());
        if repeats.is_some_and(|spec| !spec.properties.unique) && semiring.add != Operator::Add {
            let name = &tensor.first.name.text;
            diagnostics.push(
                Diagnostic::unsupported(
                    tensor.first.span,
                    format!("entries that repeat, as in the format of `{name}`, in a semiring"),
                )
                .note("tensors add up their entries when they are packed or converted")
                .help("use a format whose last level is unique, such as \"coo\""),
            );
        }
        if let Some(format) = &tensor.format
            && !semiring.zero.is_zero()
            && pads(format)
        {
            let name = &tensor.first.name.text;
            diagnostics.push(
                Diagnostic::new(
                    tensor.first.span,
                    format!("the format of `{name}` pads with 0, and the semiring's zero is {}", semiring.zero),
                )
                .note("what a format pads with must be what is not stored; other fills are not supported yet")
                .help("use a format that does not pad, such as \"csr\""),
            );
        }
    }
}

/// Whether an index of the result covers a part of its mode only.
fn is_part(context: Context<'_>, index: &Index) -> bool {
    match &index.kind {
        IndexKind::Name(name) => is_parameter(context, name),
        IndexKind::Slice(_) | IndexKind::Set(..) | IndexKind::Fixed(_) => true,
        IndexKind::Affine(_) | IndexKind::Gather(_) => false,
    }
}

/// What has no meaning in a semiring: there are no inverses. Places are numbers as usual.
fn check_operators(
    context: Context<'_>,
    names: &Names<'_>,
    expr: &Expr,
    diagnostics: &mut Vec<Diagnostic>,
) {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Sub, place, ..) => diagnostics.push(no_inverse(*place, "-")),
        ExprKind::Binary(BinaryOp::Div, place, ..) => diagnostics.push(no_inverse(*place, "/")),
        // A number with a sign is a number.
        ExprKind::Unary(UnaryOp::Neg, a)
            if !matches!(a.kind, ExprKind::Number(_) | ExprKind::Constant(_)) =>
        {
            diagnostics.push(no_inverse(expr.span, "-"));
        }
        ExprKind::Binary(BinaryOp::Compare(_), _, a, b)
            if is_place(context, names, a) && is_place(context, names, b) =>
        {
            return;
        }
        ExprKind::Binary(..)
        | ExprKind::Unary(..)
        | ExprKind::Number(_)
        | ExprKind::Constant(_)
        | ExprKind::Access(_)
        | ExprKind::Call(..)
        | ExprKind::Reduce(..) => {}
    }
    for child in expr.children() {
        check_operators(context, names, child, diagnostics);
    }
}

/// Whether only variables, parameters and numbers stand in an expression.
fn is_place(context: Context<'_>, names: &Names<'_>, expr: &Expr) -> bool {
    let mut is_place = true;
    expr.for_each_access(&mut |access| is_place &= names.is_place(context, access));
    is_place
}

fn no_inverse(place: Span, sign: &str) -> Diagnostic {
    Diagnostic::new(place, format!("`{sign}` has no meaning in a semiring"))
        .note("a semiring has sums and products, which need not have inverses")
        .help("leave `semiring` out, if numbers as usual are meant")
}

fn check_type(semiring: Semiring, tensor: &Operand<'_>) -> Option<Diagnostic> {
    let dtype = tensor.dtype;
    let operators = [semiring.add, semiring.mul];
    let has = |wanted: &[Operator]| operators.iter().any(|operator| wanted.contains(operator));
    let reason = if has(&[Operator::Or, Operator::And])
        && dtype != Dtype::Bool
        && !dtype.is_integer()
    {
        "it has logical operators, which are for `bool` and integers"
    } else if has(&[Operator::Min, Operator::Max]) && (dtype.is_complex() || dtype == Dtype::Bool) {
        "it compares, and this type has no order"
    } else if dtype == Dtype::Bool && has(&[Operator::Add, Operator::Mul]) {
        "it adds or multiplies, and `bool` has no numbers"
    } else if matches!(semiring.zero, Literal::Bool(_)) && dtype != Dtype::Bool {
        "its zero is a truth value"
    } else {
        return None;
    };
    let name = &tensor.first.name.text;
    Some(
        Diagnostic::new(tensor.first.span, format!("the semiring is not for {dtype}"))
            .label(format!("`{name}` is {dtype}"))
            .note(reason)
            .help("declare the tensors with another `dtype`, or use another semiring"),
    )
}

/// Whether a format stores values that stand for no entry: below levels that do not have all
/// coordinates stands one that has, or one that cannot be assembled entry by entry.
fn pads(format: &Format) -> bool {
    let mut below = format.levels.iter().skip_while(|spec| spec.properties.full).peekable();
    let counts = format.levels.iter().any(|spec| matches!(spec.expr, LevelExpr::Count(_)));
    counts
        || below.any(|spec| {
            spec.properties.full || spec.level.append().is_none() && spec.level.insert().is_none()
        })
}
