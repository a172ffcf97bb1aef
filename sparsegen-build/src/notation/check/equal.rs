//! Equal reductions: `max[k](A[i,k])` and `max[l](A[i,l])`, which differ in the names of their
//! variables.
//!
//! A reduction within another one needs variables of its own, so that a value which is used at
//! both places has two names. Equal reductions get the same variables here, so that later stages
//! recognize and compute them once.

use crate::coordinate::Affine;
use crate::error::Name;
use crate::notation::schedule::Action;
use crate::notation::syntax::{Access, Expr, ExprKind, Index, IndexKind, Slice, Statement};

use super::Context;

/// Returns the statement with the same variables in equal reductions, unless the manifest names the
/// variables otherwise than in the statement. Returns `None` if nothing changes.
pub(super) fn with_equal_variables(context: Context<'_>) -> Option<Statement> {
    let named = named(context);
    let mut statement = context.statement.clone();
    let mut changed = false;
    while let Some((of, by)) = next(&statement.right, &named) {
        statement.right = replaced(&statement.right, &of, &by);
        changed = true;
    }
    changed.then_some(statement)
}

/// Returns the names that the schedule, `distribute` and `sizes` use.
fn named(context: Context<'_>) -> Vec<String> {
    let mut named: Vec<String> =
        context.entry.sizes.iter().map(|(name, _)| name.text.clone()).collect();
    named.extend(context.statement.distribute.iter().map(|name| name.text.clone()));
    for command in context.statement.schedule.iter().flatten() {
        named.extend(command.action.names().into_iter().map(|name| name.text.clone()));
        if let Action::Precompute { value, over, .. } = &command.action {
            named.extend(over.iter().map(|name| name.text.clone()));
            named.extend(bound(value));
            value.for_each_access(&mut |access| {
                named.push(access.name.text.clone());
                access.for_each_variable(&mut |name| named.push(name.text.clone()));
            });
        }
    }
    named
}

/// A reduction within a value.
struct Part<'s> {
    reduction: &'s Expr,
    /// The variables of the reductions that enclose it.
    within: Vec<String>,
    /// Its own variables, and the variables of the reductions within it.
    bound: Vec<String>,
    /// The reduction with numbers in place of the variables.
    canonical: String,
}

/// Returns a reduction whose variables change, and the equal one that replaces it.
fn next(value: &Expr, named: &[String]) -> Option<(Expr, Expr)> {
    let mut parts = Vec::new();
    collect(value, &mut Vec::new(), &mut parts);
    let is_free = |part: &Part<'_>| !part.bound.iter().any(|name| named.contains(name));
    parts.retain(is_free);
    parts.iter().enumerate().find_map(|(at, part)| {
        let equal = || parts.iter().filter(|other| other.canonical == part.canonical);
        let is_first = !parts[..at].iter().any(|other| other.canonical == part.canonical);
        // The variables that are free at all places.
        let by = equal().filter(|_| is_first).find(|candidate| {
            equal().all(|other| !candidate.bound.iter().any(|name| other.within.contains(name)))
        })?;
        let of = equal().find(|other| other.bound != by.bound)?;
        Some((of.reduction.clone(), by.reduction.clone()))
    })
}

/// Collects the reductions of a value, the outer ones first.
fn collect<'s>(value: &'s Expr, within: &mut Vec<String>, parts: &mut Vec<Part<'s>>) {
    let before = within.len();
    if let ExprKind::Reduce(_, variables, _) = &value.kind {
        let bound = bound(value);
        let canonical = numbered(value, &bound).to_string();
        parts.push(Part { reduction: value, within: within.clone(), bound, canonical });
        within.extend(variables.iter().map(|name| name.text.clone()));
    }
    for child in value.children() {
        collect(child, within, parts);
    }
    within.truncate(before);
}

/// Returns the variables of all reductions of a value, in the order of the text.
fn bound(value: &Expr) -> Vec<String> {
    let mut bound = Vec::new();
    value.for_each(&mut |expr| {
        if let ExprKind::Reduce(_, variables, _) = &expr.kind {
            bound.extend(variables.iter().map(|name| name.text.clone()));
        }
    });
    bound
}

/// Returns a value with another in place of all parts with the same text.
fn replaced(value: &Expr, of: &Expr, by: &Expr) -> Expr {
    if let ExprKind::Reduce(..) = value.kind
        && value.to_string() == of.to_string()
    {
        return Expr { span: value.span, ..by.clone() };
    }
    map_children(value, &mut |child| replaced(child, of, by))
}

/// Returns an expression with its direct subexpressions replaced.
pub(super) fn map_children(value: &Expr, map: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
    let kind = match &value.kind {
        ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::Access(_) => value.kind.clone(),
        ExprKind::Unary(op, a) => ExprKind::Unary(*op, Box::new(map(a))),
        ExprKind::Binary(op, place, a, b) => {
            ExprKind::Binary(*op, *place, Box::new(map(a)), Box::new(map(b)))
        }
        ExprKind::Call(name, arguments) => {
            ExprKind::Call(name.clone(), arguments.iter().map(map).collect())
        }
        ExprKind::Reduce(name, variables, body) => {
            ExprKind::Reduce(name.clone(), variables.clone(), Box::new(map(body)))
        }
    };
    Expr { kind, ..value.clone() }
}

/// Returns a value in which each of the variables has its number among them as its name.
fn numbered(value: &Expr, variables: &[String]) -> Expr {
    let number = |name: &Name| match variables.iter().position(|other| *other == name.text) {
        Some(number) => Name { text: format!("#{number}"), ..name.clone() },
        None => name.clone(),
    };
    let mut numbered = map_children(value, &mut |child| self::numbered(child, variables));
    match &mut numbered.kind {
        ExprKind::Reduce(_, variables, _) => {
            variables.iter_mut().for_each(|name| *name = number(name));
        }
        ExprKind::Access(access) => *access = numbered_access(access, &number),
        _ => {}
    }
    numbered
}

fn numbered_access(access: &Access, number: &dyn Fn(&Name) -> Name) -> Access {
    let indices: Vec<Index> = access.indices.iter().map(|i| numbered_index(i, number)).collect();
    // A bare name may be a variable.
    let name = if indices.is_empty() { number(&access.name) } else { access.name.clone() };
    Access { name, indices, ..access.clone() }
}

fn numbered_index(index: &Index, number: &dyn Fn(&Name) -> Name) -> Index {
    let kind = match &index.kind {
        IndexKind::Name(name) => IndexKind::Name(number(name)),
        IndexKind::Slice(slice) => {
            IndexKind::Slice(Slice { variable: number(&slice.variable), ..slice.clone() })
        }
        IndexKind::Set(name, set) => IndexKind::Set(number(name), set.clone()),
        IndexKind::Fixed(coordinate) => IndexKind::Fixed(*coordinate),
        IndexKind::Affine(sum) => {
            let of = |name: &Name| Some(Affine::variable(number(name)));
            IndexKind::Affine(sum.substitute(of).unwrap_or_else(|| sum.clone()))
        }
        IndexKind::Gather(access) => IndexKind::Gather(numbered_access(access, number)),
        IndexKind::Computed(expr) => IndexKind::Computed(expr.clone()),
    };
    Index { kind, ..index.clone() }
}
