//! Lints that a reader of generated code has no use for, allowed only where they would fire.

use proc_macro2::TokenStream;
use quote::quote;

use super::names::tokens;
use crate::ir::{Assembly, BinaryOp, Bounds, Expr, Function, Literal, Reads, Stmt, UnaryOp};

/// The most parameters that a function has without an `allow`.
const PARAMETERS: usize = 7;

/// Constants that clippy takes for misspelled ones of the standard library.
const KNOWN: [f64; 17] = [
    std::f64::consts::E,
    std::f64::consts::FRAC_1_PI,
    std::f64::consts::FRAC_1_SQRT_2,
    std::f64::consts::FRAC_2_PI,
    std::f64::consts::FRAC_2_SQRT_PI,
    std::f64::consts::FRAC_PI_2,
    std::f64::consts::FRAC_PI_3,
    std::f64::consts::FRAC_PI_4,
    std::f64::consts::FRAC_PI_6,
    std::f64::consts::FRAC_PI_8,
    std::f64::consts::LN_10,
    std::f64::consts::LN_2,
    std::f64::consts::LOG10_E,
    std::f64::consts::LOG2_E,
    std::f64::consts::PI,
    std::f64::consts::SQRT_2,
    std::f64::consts::TAU,
];

/// The `allow` of a function with so many parameters, if it needs one.
pub(super) fn arguments(parameters: usize) -> Option<TokenStream> {
    (parameters > PARAMETERS).then(|| quote!(#[allow(clippy::too_many_arguments)]))
}

/// The `allow` of a function that returns so many tensors and scalars in a tuple, if it needs one: what
/// clippy counts of types grows by their number and by how deep they stand.
pub(super) fn returned(tensors: usize, scalars: usize) -> Option<TokenStream> {
    let counted = 50 + 110 * tensors + 30 * scalars;
    (counted > 250).then(|| quote!(#[allow(clippy::type_complexity)]))
}

/// The `allow` of a kernel, if it needs one.
pub(super) fn attribute(function: &Function, parameters: usize) -> Option<TokenStream> {
    let mut lints = Vec::new();
    let expressions = expressions(function);
    if expressions.iter().any(|e| is_like_a_known_constant(e)) {
        lints.push("clippy::approx_constant");
    }
    if expressions.iter().any(|e| has_equal_sides(e)) {
        lints.push("clippy::eq_op");
    }
    for (lint, would_fire) in OF_CONDITIONS {
        if expressions.iter().any(|e| would_fire(e)) {
            lints.push(lint);
        }
    }
    if bounds_constants(&function.body) && !lints.contains(&"clippy::unnecessary_min_or_max") {
        lints.push("clippy::unnecessary_min_or_max");
    }
    let slices = slices(function);
    let mut loops = Vec::new();
    for stmt in &function.body {
        stmt.for_each(&mut |stmt| {
            if let Stmt::For { name, body, .. } = stmt {
                loops.push((name, body));
            }
        });
    }
    if loops.iter().any(|(_, body)| copies(body, &slices)) {
        lints.push("clippy::manual_memcpy");
    }
    if loops.iter().any(|(name, body)| walks_one_slice(name, body, &slices)) {
        lints.push("clippy::needless_range_loop");
    }
    if parameters > PARAMETERS {
        lints.push("clippy::too_many_arguments");
    }
    let lints = lints.iter().map(|lint| tokens(lint));
    let lints: Vec<_> = lints.collect();
    (!lints.is_empty()).then(|| quote!(#[allow(#(#lints),*)]))
}

/// Whether a lint would fire at an expression.
type Fires = fn(&Expr) -> bool;

/// What clippy would have written in another way than the user has: with what it asks of an expression.
const OF_CONDITIONS: [(&str, Fires); 5] = [
    ("clippy::manual_clamp", is_like_a_clamp),
    ("clippy::neg_cmp_op_on_partial_ord", is_negated),
    ("clippy::nonminimal_bool", combines_conditions),
    ("clippy::overly_complex_bool_expr", combines_conditions),
    ("clippy::unnecessary_min_or_max", is_bounded),
];

/// `x.max(0).min(1)`
fn is_like_a_clamp(expr: &Expr) -> bool {
    let is_within = |op: BinaryOp, a: &Expr| {
        matches!(
            (op, a),
            (BinaryOp::Min, Expr::Binary(BinaryOp::Max, ..))
                | (BinaryOp::Max, Expr::Binary(BinaryOp::Min, ..))
        )
    };
    match expr {
        Expr::Choose { condition, otherwise, .. } => {
            let bounds = |condition: &Expr| {
                matches!(condition, Expr::Binary(BinaryOp::Lt | BinaryOp::Le, ..))
            };
            let other = if let Expr::Choose { condition, .. } = &**otherwise {
                Some(condition)
            } else {
                None
            };
            bounds(condition) && other.is_some_and(|other| bounds(other))
        }
        expr => matches!(expr, Expr::Binary(op, a, b) if is_within(*op, a) || is_within(*op, b)),
    }
}

/// `!(a < b)`
fn is_negated(expr: &Expr) -> bool {
    matches!(expr, Expr::Unary(UnaryOp::Not, a)
        if matches!(**a, Expr::Binary(BinaryOp::Lt | BinaryOp::Le, ..)))
}

/// `a && !a`, and whatever else can be simplified: what has a condition twice, or negations.
fn combines_conditions(expr: &Expr) -> bool {
    if let Expr::Unary(UnaryOp::Not, a) = expr {
        return matches!(**a, Expr::Unary(UnaryOp::Not, _) | Expr::Binary(..));
    }
    let mut conditions = Conditions::default();
    conditions.add(expr);
    conditions.is_negated && conditions.found.len() > 1 || conditions.repeats
}

/// The conditions that `&&`, `||` and `!` combine.
#[derive(Default)]
struct Conditions<'e> {
    found: Vec<&'e Expr>,
    repeats: bool,
    is_negated: bool,
}

impl<'e> Conditions<'e> {
    fn add(&mut self, expr: &'e Expr) {
        match expr {
            Expr::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.add(a);
                self.add(b);
            }
            Expr::Unary(UnaryOp::Not, a) => {
                self.is_negated = true;
                self.add(a);
            }
            condition => {
                self.repeats |= self.found.iter().any(|known| is_same(known, condition));
                self.found.push(condition);
            }
        }
    }
}

/// Whether one of two conditions follows from the other, or from its contrary.
fn is_same(a: &Expr, b: &Expr) -> bool {
    let (Expr::Binary(of_a, a1, a2), Expr::Binary(of_b, b1, b2)) = (a, b) else { return a == b };
    let is_equality = |op: &BinaryOp| matches!(op, BinaryOp::Eq | BinaryOp::Ne);
    let is_order = |op: &BinaryOp| matches!(op, BinaryOp::Lt | BinaryOp::Le);
    let are_alike =
        is_equality(of_a) && is_equality(of_b) || is_order(of_a) && is_order(of_b) || of_a == of_b;
    are_alike && (a1 == b1 && a2 == b2 || a1 == b2 && a2 == b1)
}

/// `x.max(0)`, of a value that cannot be less.
fn is_bounded(expr: &Expr) -> bool {
    let is_constant = |e: &Expr| matches!(e, Expr::Value(_, dtype) if dtype.is_integer());
    matches!(expr, Expr::Binary(BinaryOp::Min | BinaryOp::Max, a, b)
        if is_constant(a) || is_constant(b))
}

/// `max = max.max(0);`, of a value that cannot be less.
fn bounds_constants(body: &[Stmt]) -> bool {
    let mut found = false;
    for stmt in body {
        stmt.for_each(&mut |stmt| {
            found |= matches!(stmt, Stmt::Assign {
                op: Some(BinaryOp::Min | BinaryOp::Max),
                value: Expr::Value(_, dtype),
                ..
            } if dtype.is_integer());
        });
    }
    found
}

/// Every expression of a function and every one within.
fn expressions(function: &Function) -> Vec<&Expr> {
    let mut all = Vec::new();
    for stmt in &function.body {
        stmt.for_each(&mut |stmt| {
            for expr in stmt.expressions() {
                expr.for_each(&mut |e| all.push(e));
            }
        });
    }
    for (_, value) in function.scalars() {
        value.for_each(&mut |e| all.push(e));
    }
    all
}

fn is_like_a_known_constant(expr: &Expr) -> bool {
    let Expr::Value(Literal::Float(x), _) = expr else { return false };
    KNOWN.iter().any(|known| (x.abs() - known).abs() < 0.01)
}

/// `x - x` and the like, which the user wrote. To add or multiply equals is no mistake.
fn has_equal_sides(expr: &Expr) -> bool {
    let Expr::Binary(op, a, b) = expr else { return false };
    let is_suspicious = match op {
        BinaryOp::Sub
        | BinaryOp::Difference
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::Xor => true,
        BinaryOp::Add
        | BinaryOp::Mul
        | BinaryOp::DivCeil
        | BinaryOp::SaturatingAdd
        | BinaryOp::SaturatingSub
        | BinaryOp::Offset
        | BinaryOp::Min
        | BinaryOp::Max => false,
    };
    is_suspicious && a == b
}

/// The arrays that are slices or vectors in the kernel, not wrapped as proven.
fn slices(function: &Function) -> Vec<&str> {
    let is_checked = function.bounds == Bounds::Checked;
    let mut names = Vec::new();
    if is_checked {
        names.extend(function.tensors().flat_map(|tensor| &tensor.arrays).map(|a| a.name.as_str()));
        names.extend(function.parts.iter().filter_map(|part| match &part.reads {
            Reads::Listed(list) => Some(list.name()),
            Reads::Range { .. } | Reads::At(_) => None,
        }));
    }
    for result in function.results() {
        let are_plain = match &result.assembly {
            Assembly::Assembled { .. } => true,
            Assembly::Computed { .. } => is_checked,
        };
        let arrays = result.arrays().iter().chain(result.structure()).filter(|_| are_plain);
        names.extend(arrays.map(|array| array.name.as_str()));
    }
    for stmt in &function.body {
        stmt.for_each(&mut |stmt| {
            if let Stmt::Scratch { name, .. } = stmt {
                names.push(name);
            }
            if let Stmt::Harvest { crd, vals, .. } = stmt {
                names.push(crd);
                names.extend(vals.as_deref());
            }
        });
    }
    names
}

/// Whether a loop only copies from one slice to another.
fn copies(body: &[Stmt], slices: &[&str]) -> bool {
    let [Stmt::Store { array, op: None, value: Expr::Load { array: from, .. }, .. }] = body else {
        return false;
    };
    slices.contains(&array.as_str()) && slices.contains(&from.as_str())
}

/// Whether a loop's variable indexes one slice, that slice only, and only as it is.
fn walks_one_slice(variable: &str, body: &[Stmt], slices: &[&str]) -> bool {
    let mut direct: Vec<&str> = Vec::new();
    let mut is_indirect = false;
    let mut index = |array, at: &Expr| {
        if *at == Expr::var(variable) {
            direct.push(array);
        } else {
            is_indirect |= at.mentions(variable);
        }
    };
    for stmt in body {
        stmt.for_each(&mut |stmt| {
            for expr in stmt.expressions() {
                expr.for_each(&mut |e| {
                    if let Expr::Load { array, index: at } = e {
                        index(array.as_str(), at);
                    }
                });
            }
            if let Stmt::Store { array, index: at, .. } = stmt {
                index(array.as_str(), at);
            }
        });
    }
    direct.sort_unstable();
    direct.dedup();
    !is_indirect && matches!(direct.as_slice(), [array] if slices.contains(array))
}
