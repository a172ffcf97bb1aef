//! Checks of semirings: the operators, types and formats that a statement may use.

use crate::error::{Code, Diagnostic, Span};
use crate::format::{Format, LevelExpr};
use crate::notation::syntax::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::notation::{Constant, Operator, Semiring};
use crate::operator::Monoid;
use crate::types::{Dtype, Literal};

use super::Context;
use super::names::{Names, Operand};

pub(super) fn check(context: Context<'_>, names: &Names<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let semiring = context.entry.semiring;
    if semiring.is_usual() {
        diagnostics.extend(names.tensors.iter().filter_map(check_slots));
        return;
    }
    check_operators(context, names, &context.statement.right, diagnostics);
    if context.statement.update == Some(BinaryOp::Sub) {
        diagnostics.push(no_inverse(context.statement.assign_span, "-="));
    }
    diagnostics.extend(names.tensors.iter().find_map(|tensor| check_type(semiring, tensor)));
    diagnostics.extend(check_constants(context, names));
    for tensor in &names.tensors {
        let repeats = tensor.format.as_ref().and_then(|format| format.levels.last());
        if repeats.is_some_and(|spec| !spec.properties.unique) && semiring.add != Operator::ADD {
            let name = &tensor.first.name.text;
            diagnostics.push(
                Diagnostic::new(
                    Code::SemiringFill,
                    tensor.first.span,
                    format!(
                        "entries that repeat, as in the format of `{name}`, do not go with this \
                         semiring"
                    ),
                )
                .note("such entries are added as numbers before any other operation")
                .help("use a format whose last level is unique, such as \"coo\""),
            );
        }
        diagnostics.extend(check_format(context, tensor));
    }
}

/// Checks that the fill value and the padding of a tensor are the zero of the semiring.
fn check_format(context: Context<'_>, tensor: &Operand<'_>) -> Option<Diagnostic> {
    let semiring = context.entry.semiring;
    let zero = semiring.zero.show(context.functions.paths());
    let (name, dtype, format) = (&tensor.first.name.text, tensor.dtype, tensor.format.as_ref()?);
    // The extreme values of an integer type are no identity elements of addition, which overflows.
    let is_extreme = semiring.zero.is(Literal::Greatest) || semiring.zero.is(Literal::Least);
    if dtype.is_integer() && is_extreme && semiring.mul == Operator::ADD && pads(format) {
        let message = format!("the format of `{name}` pads, and {dtype} has no {zero}");
        let note = format!("adding to the padding {} of that type would overflow", format.fill);
        return Some(
            Diagnostic::new(Code::SemiringFill, tensor.first.span, message)
                .note(note)
                .help("use a format that does not pad, such as \"csr\", or the `dtype` \"f64\""),
        );
    }
    if semiring.zero.is(format.fill) || format.fill.is_zero() && !pads(format) {
        return None;
    }
    let what = if format.fill.is_zero() { "pads with" } else { "is filled with" };
    let wrong = Diagnostic::new(
        Code::SemiringFill,
        tensor.first.span,
        format!("the format of `{name}` {what} {}, and the semiring's zero is {zero}", format.fill),
    );
    let wrong = match format.fill.is_zero() {
        true => wrong.note("padding must have the value of entries that are not stored"),
        false => wrong,
    };
    let fill = semiring.zero.as_literal().map(|literal| match literal {
        Literal::Greatest | Literal::Least => format!("\"{literal}\""),
        Literal::Int(_) | Literal::Float(_) | Literal::Nan | Literal::Bool(_) => {
            literal.to_string()
        }
    });
    let filled =
        fill.map(|fill| format!("give its format this fill: {{ map = …, fill = {fill} }}"));
    let padless = "use a format that does not pad, such as \"csr\"";
    Some(match (filled, format.fill.is_zero()) {
        (Some(filled), true) => wrong.help(format!("{filled};\nor {padless}")),
        (Some(filled), false) => wrong.help(filled),
        // A format cannot have a constant as fill value that is known only by its path.
        (None, true) => wrong.help(padless),
        (None, false) => wrong.help("remove `fill`, in a format that does not pad"),
    })
}

/// Reports operators without a meaning in a semiring, which has no inverses. Index arithmetic is
/// exempt.
fn check_operators(
    context: Context<'_>,
    names: &Names<'_>,
    expr: &Expr,
    diagnostics: &mut Vec<Diagnostic>,
) {
    match &expr.kind {
        ExprKind::Binary(op @ (BinaryOp::Sub | BinaryOp::Div), place, ..) => {
            diagnostics.push(no_inverse(*place, op.name()));
        }
        // A literal with a sign is a literal.
        ExprKind::Unary(UnaryOp::Neg, a)
            if !matches!(a.kind, ExprKind::Number(_) | ExprKind::Constant(_)) =>
        {
            diagnostics.push(no_inverse(expr.span, "-"));
        }
        ExprKind::Binary(op, _, a, b)
            if op.compares() && is_place(context, names, a) && is_place(context, names, b) =>
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

/// Returns whether an expression consists of variables, parameters and numbers only.
fn is_place(context: Context<'_>, names: &Names<'_>, expr: &Expr) -> bool {
    let mut is_place = true;
    expr.for_each_access(&mut |access| is_place &= names.is_place(context, access));
    is_place
}

fn no_inverse(place: Span, sign: &str) -> Diagnostic {
    Diagnostic::new(Code::NotInSemiring, place, format!("`{sign}` is not defined in a semiring"))
        .note("a semiring has sums and products, which need not have inverses")
        .help("remove `semiring` to use the usual arithmetic")
}

fn check_type(semiring: Semiring, tensor: &Operand<'_>) -> Option<Diagnostic> {
    let dtype = tensor.dtype;
    let operators = [semiring.add, semiring.mul];
    let has = |wanted: [Monoid; 2]| {
        wanted.iter().any(|monoid| operators.contains(&Operator::Monoid(*monoid)))
    };
    let calls = operators.iter().any(|operator| matches!(operator, Operator::Own(_)));
    let constants = [semiring.zero, semiring.one];
    let names = constants.iter().any(|constant| matches!(constant, Constant::Own(_)));
    let reason = if calls && dtype == Dtype::Generic {
        "the types that its functions support are not known"
    } else if names && dtype == Dtype::Generic {
        "its constants are of one type"
    } else if has([Monoid::OR, Monoid::AND]) && !BinaryOp::Or.takes(dtype) {
        "its logical operators require `bool` or integers"
    } else if has([Monoid::MIN, Monoid::MAX]) && !BinaryOp::Min.takes(dtype) {
        "it compares values, but this type has no order"
    } else if dtype == Dtype::Bool && has([Monoid::ADD, Monoid::MUL]) {
        "its operators require numbers"
    } else if matches!(semiring.zero, Constant::Literal(Literal::Bool(_))) && dtype != Dtype::Bool {
        "its zero is a truth value"
    } else {
        return None;
    };
    let name = &tensor.first.name.text;
    Some(
        Diagnostic::new(
            Code::SemiringType,
            tensor.first.span,
            format!("the semiring does not support {dtype}"),
        )
        .label(format!("`{name}` is {dtype}"))
        .note(reason)
        .help("declare the tensors with another `dtype`, or use another semiring"),
    )
}

/// Checks that all values have the type of the semiring's user constants.
fn check_constants(context: Context<'_>, names: &Names<'_>) -> Option<Diagnostic> {
    let Semiring { zero, one, .. } = context.entry.semiring;
    let own = [zero, one].into_iter().find(|constant| constant.as_literal().is_none())?;
    let mut values = Vec::new();
    context.statement.right.for_each_access(&mut |access| values.push(&access.name.text));
    let (result, operands) = names.tensors.split_first()?;
    let is_other = |tensor: &&Operand<'_>| {
        tensor.dtype != result.dtype && values.contains(&&tensor.first.name.text)
    };
    let other = operands.iter().find(is_other)?;
    let constant = own.show(context.functions.paths());
    let (name, dtype) = (&other.first.name.text, other.dtype);
    let message = format!("`{constant}` cannot be both {} and {dtype}", result.dtype);
    Some(
        Diagnostic::new(Code::SemiringType, other.first.span, message)
            .label(format!("`{name}` is {dtype}"))
            .note("the fill value of every tensor is a constant of this semiring")
            .help("give all tensors the type of the semiring's constants"),
    )
}

/// Checks that unused slots have the value zero: they have the coordinates of entries, to which
/// they are added.
fn check_slots(tensor: &Operand<'_>) -> Option<Diagnostic> {
    let format = tensor.format.as_ref().filter(|format| !format.fill.is_zero())?;
    let counts = format.levels.iter().any(|spec| matches!(spec.expr, LevelExpr::Count(_)));
    let message = format!(
        "a format with slots, such as that of `{}`, must have the fill 0",
        tensor.first.name.text
    );
    counts.then(|| {
        Diagnostic::new(Code::SemiringFill, tensor.first.span, message)
            .note(
                "an unused slot has the coordinate of an entry, to which its value is \
                 added",
            )
            .help("remove `fill`, or use a format without slots, such as \"csr\"")
    })
}

/// Returns whether a format stores values that are not entries: below a level that is not full
/// there is a level that is full, or that counts entries.
fn pads(format: &Format) -> bool {
    let mut below = format.levels.iter().skip_while(|spec| spec.properties.full);
    let counts = format.levels.iter().any(|spec| matches!(spec.expr, LevelExpr::Count(_)));
    counts || below.any(|spec| spec.properties.full || spec.level.pads())
}
