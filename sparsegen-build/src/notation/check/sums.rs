//! Implicit sums: their scope, and when they must be explicit.
//!
//! A variable that is used only on the right-hand side and not bound by a reduction is summed over
//! in each top-level additive term that uses it. An update whose operator is not the addition of
//! the semiring, such as `min=`, requires explicit reductions.

use crate::error::{Code, Diagnostic, quoted};
use crate::notation::syntax::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::notation::{Operator, ReduceOp};
use crate::operator::{Kind, Monoid};

use super::Context;
use super::bindings::free_variables;
use super::unparenthesized;

/// Reports every term in which the scope of an implicit sum is ambiguous.
pub(super) fn check(context: Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(op) = other_reduction(context) {
        let variables = summed(context, &context.statement.right);
        if !variables.is_empty() {
            diagnostics.push(demand_reduction(context, op, &variables));
        }
        return;
    }
    for term in terms(&context.statement.right) {
        let mut places: Vec<(&Expr, Vec<&str>)> = Vec::new();
        for variable in summed(context, term) {
            if let Some(place) = ambiguous(context, term, variable) {
                match places.iter_mut().find(|(known, _)| known.span == place.span) {
                    Some((_, variables)) => variables.push(variable),
                    None => places.push((place, vec![variable])),
                }
            }
        }
        for (place, variables) in places {
            diagnostics.push(demand(context, term, place, &variables));
        }
    }
}

/// Returns the reduction of an update's operator, if it is not the addition of the kernel's
/// semiring.
fn other_reduction(context: Context<'_>) -> Option<ReduceOp> {
    let monoid = Monoid::from(context.statement.update?)?;
    let is_addition = match monoid {
        Monoid::ADD => true,
        // `*=` multiplies in every semiring.
        Monoid::MUL => false,
        monoid => context.entry.semiring.add == Operator::Monoid(monoid),
    };
    (!is_addition).then_some(ReduceOp { monoid, tells_where: false })
}

/// Returns the variables over which a top-level term is summed implicitly, in the order of their
/// first use.
pub(super) fn summed<'m>(context: Context<'m>, term: &'m Expr) -> Vec<&'m str> {
    let mut variables = free_variables(context, term);
    context.statement.left.for_each_variable(&mut |name| variables.retain(|v| *v != name.text));
    variables
}

/// Returns the top-level additive terms, in the order of the text.
fn terms(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, _, a, b) => {
            let mut all = terms(a);
            all.extend(terms(b));
            all
        }
        ExprKind::Unary(UnaryOp::Neg, a) => terms(a),
        ExprKind::Unary(UnaryOp::Not, _)
        | ExprKind::Binary(..)
        | ExprKind::Number(_)
        | ExprKind::Constant(_)
        | ExprKind::Access(_)
        | ExprKind::Call(..)
        | ExprKind::Reduce(..) => vec![expr],
    }
}

/// Returns the smallest part of a term, if any, that contains all uses of the variable and in which
/// a sum would have another meaning than around the term.
fn ambiguous<'m>(context: Context<'m>, expr: &'m Expr, variable: &str) -> Option<&'m Expr> {
    let uses = |expr: &'m Expr| free_variables(context, expr).contains(&variable);
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::Access(_) => None,
        ExprKind::Unary(UnaryOp::Neg, a) => ambiguous(context, a, variable),
        ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Call(..) | ExprKind::Reduce(..) => Some(expr),
        ExprKind::Binary(op, _, a, b) => match (op, uses(a), uses(b)) {
            (_, false, false) => None,
            (op, _, _) if op.kind() == Kind::Logic => Some(expr),
            // A comparison of index variables restricts the loops; it is not a summed value.
            (op, _, _) if op.compares() => compares_values(context, expr).then_some(expr),
            // If all terms of a sum use the variable, no single term contains all uses.
            (BinaryOp::Add | BinaryOp::Sub, _, _) => {
                let all_use = terms(expr).into_iter().all(uses);
                (!all_use).then_some(expr)
            }
            (_, true, true) => None,
            (_, true, false) => ambiguous(context, a, variable),
            (BinaryOp::Div, false, true) => Some(b),
            (_, false, true) => ambiguous(context, b, variable),
        },
    }
}

/// Returns whether a comparison uses anything except variables, parameters and numbers.
fn compares_values(context: Context<'_>, expr: &Expr) -> bool {
    let mut variables = free_variables(context, &context.statement.right);
    variables.extend(context.entry.params.iter().map(|(name, _)| name.text.as_str()));
    let mut found = false;
    expr.for_each_access(&mut |access| {
        found |= !access.indices.is_empty() || !variables.contains(&access.name.text.as_str());
    });
    found
}

fn demand_reduction(context: Context<'_>, op: ReduceOp, variables: &[&str]) -> Diagnostic {
    let statement = context.statement;
    let (sign, right) = (context.text.at(statement.assign_span), &statement.right);
    let (list, names) = (variables.join(","), quoted(variables));
    let value = unparenthesized(context.text.at(right.span));
    let way = |name: &str| format!("`{name}[{list}]({value})`");
    let by = match context.entry.semiring.is_usual() || op != ReduceOp::PROD {
        true => format!("to combine all values by `{sign}`, write {};\n", way(op.name())),
        false => String::new(),
    };
    Diagnostic::new(
        Code::AmbiguousSum,
        right.span,
        format!("the reduction over {names} must be written here"),
    )
    .label(format!("many values for one `{}`", context.text.at(statement.left.span)))
    .note(format!("an implicit sum adds values, but `{sign}` combines by another operator"))
    .help(format!("{by}to add the values first, write {}", way("sum")))
}

fn demand(context: Context<'_>, term: &Expr, place: &Expr, variables: &[&str]) -> Diagnostic {
    let list = variables.join(",");
    let inside = unparenthesized(context.text.at(place.span));
    let whole = context.text.at(term.span);
    Diagnostic::new(Code::AmbiguousSum, place.span, format!("the sum over {} must be written here", quoted(variables)))
        .label("inside or outside of this?")
        .note(format!(
            "all uses of {} lie within `{inside}`, so the sum could be inside or outside of it",
            quoted(variables)
        ))
        .help(format!(
            "to sum the whole term, write `sum[{list}]({})`;\nto sum a part of it, put `sum[{list}](…)` around that part",
            unparenthesized(whole)
        ))
}
