//! The bindings of variables: by the left-hand side, by reductions, or implicitly.

use crate::error::{Code, Diagnostic, Name};
use crate::notation::Parameter;
use crate::notation::syntax::{Access, Expr, ExprKind, IndexKind};

use super::Context;
use super::names::variables;

pub(super) fn check(context: Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut walk = Walk { context, free: Vec::new(), bound: Vec::new(), diagnostics };
    walk.expr(&context.statement.right, &mut Vec::new());
    let Walk { free, bound, .. } = walk;

    check_extents(context, diagnostics);
    let mut left = Vec::new();
    context.statement.left.for_each_variable(&mut |name| left.push(name));
    left.retain(|name| !is_parameter(context, name));
    for name in &bound {
        let (elsewhere, place) = if left.iter().any(|other| other.text == name.text) {
            (context.statement.left.span, "on the left")
        } else if let Some((_, access)) = free.iter().find(|(other, _)| other.text == name.text) {
            (access.span, "outside of this reduction")
        } else {
            continue;
        };
        let elsewhere = context.text.at(elsewhere);
        diagnostics.push(
            Diagnostic::new(
                Code::BoundAndFree,
                name.span,
                format!("`{}` is bound by a reduction and used outside of it", name.text),
            )
            .label("bound here")
            .note(format!("`{}` is also used in `{elsewhere}`, {place}", name.text))
            .help("give the reduction's variable another name"),
        );
    }
    for (k, name) in left.iter().enumerate() {
        // `A op= e` is `A = A op e`.
        let used = context.statement.update.is_some()
            || free.iter().any(|(other, _)| other.text == name.text)
            || bound.iter().any(|other| other.text == name.text);
        if !used && !left[..k].iter().any(|other| other.text == name.text) {
            diagnostics.push(
                Diagnostic::new(
                    Code::OnlyOnLeft,
                    name.span,
                    format!("`{}` is used only on the left", name.text),
                )
                .note("a variable's extent and values come from the right-hand side")
                .help(format!(
                    "index an operand by `{0}`, or remove `{0}` from the result",
                    name.text
                )),
            );
        }
    }
}

/// Checks that each variable used as a value has an extent: it must index a mode, or be declared in
/// `sizes`.
fn check_extents(context: Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut sized: Vec<&str> =
        context.entry.sizes.iter().map(|(name, _)| name.text.as_str()).collect();
    let mut values: Vec<&Name> = Vec::new();
    context.statement.right.for_each_access(&mut |access| {
        sized_by(access, &mut |name| sized.push(&name.text));
        uses(context, access, &mut |name| values.push(name));
    });
    // An existing result determines extents too.
    let left = &context.statement.left;
    sized_by(left, &mut |name| sized.push(&name.text));
    for (k, name) in values.iter().enumerate() {
        let is_first = !values[..k].iter().any(|other| other.text == name.text);
        if is_first && !sized.contains(&name.text.as_str()) {
            let variable = &name.text;
            diagnostics.push(
                Diagnostic::new(
                    Code::UnknownExtent,
                    name.span,
                    format!("the extent of `{variable}` is unknown"),
                )
                .note("a variable has the extent of a mode that it indexes")
                .help(format!(
                    "index an operand by `{variable}`, or give its extent: \
                         sizes = {{ {variable} = 32 }}"
                )),
            );
        }
    }
}

/// Calls `visit` with each variable that alone indexes a mode, or a slice of one, and so has its
/// extent.
fn sized_by<'m>(access: &'m Access, visit: &mut impl FnMut(&'m Name)) {
    for index in &access.indices {
        match &index.kind {
            IndexKind::Name(name) | IndexKind::Set(name, _) => visit(name),
            IndexKind::Slice(slice) => visit(&slice.variable),
            IndexKind::Gather(access) => sized_by(access, visit),
            IndexKind::Fixed(_) | IndexKind::Affine(_) | IndexKind::Computed(_) => {}
        }
    }
}

/// Returns whether a name is declared as a parameter.
pub(super) fn is_parameter(context: Context<'_>, name: &Name) -> bool {
    parameter(context, name).is_some()
}

/// Returns the kind of a declared parameter.
pub(super) fn parameter(context: Context<'_>, name: &Name) -> Option<Parameter> {
    let mut params = context.entry.params.iter();
    params.find(|(known, _)| known.text == name.text).map(|(_, kind)| *kind)
}

/// Calls `visit` with each variable of an access.
pub(super) fn variables_of<'m>(
    context: Context<'m>,
    access: &'m Access,
    visit: &mut impl FnMut(&'m Name),
) {
    access.for_each_variable(&mut |name| {
        if !is_parameter(context, name) {
            visit(name);
        }
    });
}

/// Calls `visit` with each variable that an access in a value uses, or is.
fn uses<'m>(context: Context<'m>, access: &'m Access, visit: &mut impl FnMut(&'m Name)) {
    variables_of(context, access, visit);
    let name = &access.name;
    let is_bare = access.indices.is_empty() && !is_parameter(context, name);
    if is_bare && variables(context).contains(&name.text.as_str()) {
        visit(name);
    }
}

/// Returns the variables that an expression uses and does not bind, in the order of their first
/// use.
pub(super) fn free_variables<'m>(context: Context<'m>, expr: &'m Expr) -> Vec<&'m str> {
    let mut found = Vec::new();
    collect(context, expr, &mut Vec::new(), &mut found);
    found
}

fn collect<'m>(
    context: Context<'m>,
    expr: &'m Expr,
    bound: &mut Vec<&'m str>,
    found: &mut Vec<&'m str>,
) {
    match &expr.kind {
        ExprKind::Access(access) => uses(context, access, &mut |name| {
            let name = name.text.as_str();
            if !bound.contains(&name) && !found.contains(&name) {
                found.push(name);
            }
        }),
        ExprKind::Reduce(_, variables, body) => {
            let depth = bound.len();
            bound.extend(variables.iter().map(|name| name.text.as_str()));
            collect(context, body, bound, found);
            bound.truncate(depth);
        }
        ExprKind::Number(_)
        | ExprKind::Constant(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Call(..) => {
            for child in expr.children() {
                collect(context, child, bound, found);
            }
        }
    }
}

struct Walk<'m, 'd> {
    context: Context<'m>,
    /// Each use of a variable that no reduction binds, with the access that contains it.
    free: Vec<(&'m Name, &'m Access)>,
    /// The variables of all reductions.
    bound: Vec<&'m Name>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'m> Walk<'m, '_> {
    fn expr(&mut self, expr: &'m Expr, around: &mut Vec<&'m str>) {
        match &expr.kind {
            ExprKind::Access(access) => {
                uses(self.context, access, &mut |name| {
                    if !around.contains(&name.text.as_str()) {
                        self.free.push((name, access));
                    }
                });
            }
            ExprKind::Reduce(_, variables, body) => {
                let depth = around.len();
                for name in variables {
                    self.binds(name, body, around);
                    around.push(&name.text);
                }
                self.bound.extend(variables);
                self.expr(body, around);
                around.truncate(depth);
            }
            ExprKind::Number(_)
            | ExprKind::Constant(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Call(..) => {
                for child in expr.children() {
                    self.expr(child, around);
                }
            }
        }
    }

    fn binds(&mut self, name: &Name, body: &'m Expr, around: &[&str]) {
        let variable = &name.text;
        if is_parameter(self.context, name) {
            let message = format!("`{variable}` is a parameter and cannot be reduced over");
            self.diagnostics.push(Diagnostic::new(Code::ParameterAsVariable, name.span, message));
        } else if around.contains(&variable.as_str()) {
            self.diagnostics.push(
                Diagnostic::new(
                    Code::BoundAndFree,
                    name.span,
                    format!("`{variable}` is bound twice"),
                )
                .note("an enclosing reduction, or this one itself, already binds it")
                .help("give one of the variables another name"),
            );
        } else if !free_variables(self.context, body).contains(&variable.as_str()) {
            self.diagnostics.push(
                Diagnostic::new(
                    Code::NotUsed,
                    name.span,
                    format!("`{variable}` is not used in the operand of the reduction"),
                )
                .help(format!("index a tensor by `{variable}`, or remove it here")),
            );
        }
    }
}
