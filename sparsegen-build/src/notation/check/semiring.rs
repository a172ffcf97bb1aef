//! Semirings: which operators a statement may use, of which types, and which formats.

use crate::error::{Diagnostic, Span};
use crate::format::{Format, LevelExpr};
use crate::notation::syntax::{Assign, BinaryOp, Expr, ExprKind, Index, IndexKind, UnaryOp};
use crate::notation::{Operator, Semiring, is_same};
use crate::types::{Dtype, Literal};

use super::Context;
use super::bindings::is_parameter;
use super::names::{Names, Operand};

pub(super) fn check(context: Context<'_>, names: &Names<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let semiring = context.entry.semiring;
    let result = names.tensors.first().and_then(|tensor| tensor.format.as_ref());
    if result.is_some_and(|format| !is_same(format.fill, semiring.zero))
        && let Some(index) =
            context.statement.left.indices.iter().find(|index| is_part(context, index))
    {
        diagnostics.push(
            Diagnostic::new(index.span, "a part of this result cannot be computed alone")
                .note(format!(
                    "nothing is computed as {}, which is not the format's fill",
                    semiring.zero
                ))
                .help(format!("give the result a format whose `fill` is {}", semiring.zero)),
        );
    }
    if semiring.is_usual() {
        diagnostics.extend(names.tensors.iter().filter_map(check_slots));
        return;
    }
    check_operators(context, names, &context.statement.right, diagnostics);
    if context.statement.assign == Assign::Sub {
        diagnostics.push(no_inverse(context.statement.assign_span, "-="));
    }
    diagnostics.extend(names.tensors.iter().find_map(|tensor| check_type(semiring, tensor)));
    for tensor in &names.tensors {
        let repeats = tensor.format.as_ref().and_then(|format| format.levels.last());
        if repeats.is_some_and(|spec| !spec.properties.unique) && semiring.add != Operator::Add {
            let name = &tensor.first.name.text;
            diagnostics.push(
                Diagnostic::new(
                    tensor.first.span,
                    format!(
                        "entries that repeat, as in the format of `{name}`, do not go with this \
                         semiring"
                    ),
                )
                .note("such entries add up as numbers before anything else happens to them")
                .help("use a format whose last level is unique, such as \"coo\""),
            );
        }
        // The largest number of an integer type does not stay what it is when something is added.
        let overflows = tensor.dtype.is_integer()
            && matches!(semiring.zero, Literal::Greatest | Literal::Least)
            && semiring.mul == Operator::Add;
        if let Some(format) = tensor.format.as_ref().filter(|format| overflows && pads(format)) {
            let (name, dtype, fill) = (&tensor.first.name.text, tensor.dtype, format.fill);
            diagnostics.push(
                Diagnostic::new(
                    tensor.first.span,
                    format!("the format of `{name}` pads, and {dtype} has no {}", semiring.zero),
                )
                .note(format!("what is added to the padding {fill} of that type would overflow"))
                .help("use a format that does not pad, such as \"csr\", or the `dtype` \"f64\""),
            );
            continue;
        }
        if let Some(format) = &tensor.format
            && !is_same(format.fill, semiring.zero)
        {
            let (name, zero) = (&tensor.first.name.text, semiring.zero);
            let wrong = |what: &str| {
                let message = format!(
                    "the format of `{name}` {what} {}, and the semiring's zero is {zero}",
                    format.fill
                );
                Diagnostic::new(tensor.first.span, message)
            };
            let fill = match zero {
                Literal::Greatest | Literal::Least => format!("\"{zero}\""),
                zero => zero.to_string(),
            };
            let filled = format!("give its format that fill: {{ map = …, fill = {fill} }}");
            if !format.fill.is_zero() {
                diagnostics.push(wrong("is filled with").help(filled));
            } else if pads(format) {
                diagnostics.push(
                    wrong("pads with")
                        .note("what a format pads with must be what is not stored")
                        .help(format!(
                            "{filled};\nor use a format that does not pad, such as \"csr\""
                        )),
                );
            }
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
    let calls = operators.iter().any(|operator| matches!(operator, Operator::Own(_)));
    let reason = if calls && dtype == Dtype::Generic {
        "which types its functions are for is not known here"
    } else if has(&[Operator::Or, Operator::And]) && dtype != Dtype::Bool && !dtype.is_integer() {
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

/// Slots that nothing fills stand at the coordinates of entries, to which they add nothing if they are
/// zero.
fn check_slots(tensor: &Operand<'_>) -> Option<Diagnostic> {
    let format = tensor.format.as_ref().filter(|format| !format.fill.is_zero())?;
    let counts = format.levels.iter().any(|spec| matches!(spec.expr, LevelExpr::Count(_)));
    let message = format!(
        "a format with slots, as that of `{}`, is filled with zeros",
        tensor.first.name.text
    );
    counts.then(|| {
        Diagnostic::new(tensor.first.span, message)
            .note(
                "a slot that nothing fills stands at the coordinate of an entry, to which it adds \
                 up",
            )
            .help("leave `fill` out, or use a format without slots, such as \"csr\"")
    })
}

/// Whether a format stores values that stand for no entry: below levels that do not have all
/// coordinates stands one that has, or one that cannot be assembled entry by entry.
fn pads(format: &Format) -> bool {
    let mut below = format.levels.iter().skip_while(|spec| spec.properties.full);
    let counts = format.levels.iter().any(|spec| matches!(spec.expr, LevelExpr::Count(_)));
    counts
        || below.any(|spec| {
            spec.properties.full || spec.level.append().is_none() && spec.level.insert().is_none()
        })
}
