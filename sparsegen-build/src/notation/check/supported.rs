//! Checks for unsupported features.

use crate::error::{Code, Diagnostic, Name, Span, nearest};
use crate::notation::functions;
use crate::notation::syntax::{Access, Bound, Expr, ExprKind, Index, IndexKind, Slice};
use crate::notation::{Parameter, ReduceOp};

use super::Context;
use super::bindings::is_parameter;
use super::bounds;

/// Returns whether the statement can be checked further. It cannot if it calls an unknown function,
/// which could be meant as an access or a product.
pub(super) fn check(context: Context<'_>, diagnostics: &mut Vec<Diagnostic>) -> bool {
    let statement = context.statement;
    for index in &statement.left.indices {
        check_left(index, diagnostics);
    }
    check_parts_on_left(&statement.left, diagnostics);
    check_parts(context, &statement.left, diagnostics);
    let mut understood = true;
    statement.right.for_each(&mut |expr| {
        check_expr(context, expr, diagnostics);
        if let ExprKind::Call(name, _) = &expr.kind {
            understood &= functions::arguments(&name.text).is_some()
                || context.functions.find(&name.text).is_some();
        }
    });
    understood
}

/// Reports indices that are invalid on the left-hand side.
fn check_left(index: &Index, diagnostics: &mut Vec<Diagnostic>) {
    let own = "use an index variable of its own for each mode of the result";
    let (what, help) = match &index.kind {
        IndexKind::Affine(_) => ("a sum of indices", own.to_owned()),
        IndexKind::Gather(list) => {
            let compared =
                format!("{own}, and compare it with the list: `({list} == k)` as a factor");
            ("a gather", compared)
        }
        IndexKind::Computed(expr) => {
            ("an expression", format!("{own}, and compare it: `({expr} == k)` as a factor"))
        }
        IndexKind::Name(_) | IndexKind::Slice(..) | IndexKind::Set(..) | IndexKind::Fixed(_) => {
            return;
        }
    };
    diagnostics.push(
        Diagnostic::new(
            Code::SubscriptOnLeft,
            index.span,
            format!("{what} cannot be used on the left"),
        )
        .note("a result is written at one coordinate for each value of its index variables")
        .help(help),
    );
}

fn check_expr(context: Context<'_>, expr: &Expr, diagnostics: &mut Vec<Diagnostic>) {
    match &expr.kind {
        ExprKind::Number(_)
        | ExprKind::Constant(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..) => {}
        ExprKind::Access(access) => {
            check_parts(context, access, diagnostics);
            if access.indices.is_empty() && is_parameter(context, &access.name) {
                bounds::check_kind(context, &access.name, Parameter::Index, diagnostics);
            }
        }
        ExprKind::Call(name, arguments) => check_call(context, name, arguments, diagnostics),
        ExprKind::Reduce(name, variables, _) => {
            if ReduceOp::of(&name.text).is_some_and(|op| op.tells_where)
                && let [_, second, ..] = variables.as_slice()
            {
                let message = format!("`{}` has exactly one variable", name.text);
                diagnostics.push(Diagnostic::new(Code::MissingVariables, second.span, message));
            }
        }
    }
}

/// Reports subranges that are invalid on the left-hand side.
fn check_parts_on_left(access: &Access, diagnostics: &mut Vec<Diagnostic>) {
    for index in &access.indices {
        match &index.kind {
            IndexKind::Slice(slice) if slice.shift.is_some() => diagnostics.push(
                Diagnostic::new(
                    Code::SubscriptOnLeft,
                    index.span,
                    "a slice on the left cannot have a `shift`",
                )
                .note("the slice determines which coordinates are written")
                .help("write the slice of the coordinates to assign"),
            ),
            IndexKind::Name(_)
            | IndexKind::Slice(_)
            | IndexKind::Set(..)
            | IndexKind::Fixed(_)
            | IndexKind::Affine(_)
            | IndexKind::Gather(_)
            | IndexKind::Computed(_) => {}
        }
    }
}

/// Checks the subranges of modes in an access on either side.
fn check_parts(context: Context<'_>, access: &Access, diagnostics: &mut Vec<Diagnostic>) {
    for index in &access.indices {
        match &index.kind {
            IndexKind::Slice(slice) => diagnostics.extend(check_slice(slice, index.span)),
            IndexKind::Gather(gather) => check_parts(context, gather, diagnostics),
            IndexKind::Name(_)
            | IndexKind::Set(..)
            | IndexKind::Fixed(_)
            | IndexKind::Affine(_)
            | IndexKind::Computed(_) => {}
        }
    }
    bounds::check_access(context, access, diagnostics);
}

/// Returns the diagnostic for an invalid slice with constant bounds.
fn check_slice(slice: &Slice, span: Span) -> Option<Diagnostic> {
    if slice.step == Some(0) {
        return Some(
            Diagnostic::new(Code::InvalidSlice, span, "a slice cannot have the step 0")
                .help("remove the step, or write the distance of consecutive coordinates"),
        );
    }
    match (&slice.start, &slice.end) {
        (Bound::Number(start), Bound::Number(end)) if start > end => Some(
            Diagnostic::new(Code::InvalidSlice, span, "this slice ends before it begins")
                .help(format!("write `{} in {end}..{start}`", slice.variable.text)),
        ),
        (Bound::Number(_) | Bound::Parameter(_), Bound::Number(_) | Bound::Parameter(_)) => None,
    }
}

fn check_call(
    context: Context<'_>,
    name: &Name,
    arguments: &[Expr],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let own = context.functions.find(&name.text).map(|function| function.arity);
    let Some(count) = functions::arguments(&name.text).or(own) else {
        diagnostics.push(unknown_function(context, name, arguments));
        return;
    };
    if arguments.len() != count {
        let noun = if count == 1 { "argument" } else { "arguments" };
        let message = format!("`{}` takes {count} {noun}, not {}", name.text, arguments.len());
        let diagnostic = Diagnostic::new(Code::ArgumentCount, name.span, message);
        let reduces = arguments.len() == 1 && ReduceOp::of(&name.text).is_some();
        let over = format!("that of all elements is a reduction, such as `{}[j](…)`", name.text);
        diagnostics.push(if reduces { diagnostic.help(over) } else { diagnostic });
    }
}

fn unknown_function(context: Context<'_>, name: &Name, arguments: &[Expr]) -> Diagnostic {
    let diagnostic = Diagnostic::new(
        Code::UnknownFunction,
        name.span,
        format!("there is no function `{}`", name.text),
    );
    let names: Option<Vec<_>> = arguments
        .iter()
        .map(|argument| match &argument.kind {
            ExprKind::Access(access) if access.indices.is_empty() => Some(&*access.name.text),
            ExprKind::Access(_)
            | ExprKind::Number(_)
            | ExprKind::Constant(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Call(..)
            | ExprKind::Reduce(..) => None,
        })
        .collect();
    if let Some(here) = functions::elsewhere(&name.text) {
        return diagnostic.help(format!("write `{here}`"));
    }
    let own = context.functions.names();
    let known = functions::all().map(|(known, _)| known).chain(own);
    let is_tensor = context.entry.tensors.iter().any(|tensor| tensor.name.text == name.text);
    match (nearest(&name.text, known), names) {
        (Some(near), _) if name.text.len() > 1 => {
            diagnostic.help(format!("did you mean `{near}`?"))
        }
        (_, Some(indices)) => diagnostic.help(format!(
            "an access has brackets: `{}[{}]`",
            name.text,
            indices.join(",")
        )),
        // A scalar need not be declared.
        (_, None) if is_tensor || name.text.len() == 1 => {
            diagnostic.help("a product is written with its sign: `a * (b + c)`")
        }
        (_, None) => diagnostic
            .help(format!("declare a function of your own as `[functions.{}]`", name.text)),
    }
}
