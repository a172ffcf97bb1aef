//! Copy propagation: replaces names of other names or constants by these, and names of coordinates
//! that are only copied by the coordinates.
//!
//! For readability: `x_vals[j]` is clearer than `x_vals[p_x]` after `let p_x = j;`, and a copy from
//! one array to another needs no casts. rustc does it too. The value must not change while the name
//! is in use.

use crate::ir::{Expr, Function, Result, Stmt, Uses, substitute};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    function.body = propagate(function.body);
    if let (Result::Scalar { value, .. }, []) = (&mut function.result, &function.others[..]) {
        return_directly(&mut function.body, value);
    }
    function
}

/// Returns the value of a scalar directly if it is bound only to be returned.
fn return_directly(body: &mut Vec<Stmt>, value: &mut Expr) {
    if let (Some(Stmt::Let { name, value: last, .. }), Expr::Var(returned)) = (body.last(), &*value)
        && name == returned
    {
        *value = last.clone();
        body.pop();
    }
}

fn propagate(mut rest: Vec<Stmt>) -> Vec<Stmt> {
    let mut done = Vec::new();
    while !rest.is_empty() {
        let stmt = rest.remove(0);
        if let Stmt::Let { name, mutable: false, value } = &stmt
            && (is_constant_in(value, name, &rest) || is_copied(value, name, &rest))
        {
            // A later pass removes the name if it is unused.
            rest = substitute(&rest, name, value);
        }
        done.extend(stmt.with_bodies(&mut propagate));
    }
    done
}

/// Returns whether a value is a name or a constant that does not change in the following
/// statements.
fn is_constant_in(value: &Expr, name: &str, rest: &[Stmt]) -> bool {
    let binds = |name: &str| rest.iter().any(|stmt| stmt.binds_within(&|bound| bound == name));
    match value {
        Expr::Index(_) | Expr::Bool(_) => !binds(name),
        Expr::Var(other) => {
            let changes = Uses::of_name(rest, other).writes(other) > 0;
            !changes && !binds(name) && !binds(other)
        }
        Expr::Value(..)
        | Expr::Constant(..)
        | Expr::Largest(_)
        | Expr::LargestOffset
        | Expr::Load { .. }
        | Expr::Contains { .. }
        | Expr::Len(_)
        | Expr::Extent(..)
        | Expr::Search { .. }
        | Expr::Entry(_)
        | Expr::Field(..)
        | Expr::Unary(..)
        | Expr::ToIndex(..)
        | Expr::Binary(..)
        | Expr::Call(..)
        | Expr::Cast { .. }
        | Expr::Choose { .. } => false,
    }
}

/// Returns whether an element of an array is only appended to another array, before anything
/// changes.
fn is_copied(value: &Expr, name: &str, rest: &[Stmt]) -> bool {
    let Expr::Load { array, index } = value else { return false };
    let copy = Expr::var(name);
    let is_copy = |stmt: &Stmt| matches!(stmt, Stmt::Push { value, .. } if *value == copy);
    let Some(at) = rest.iter().position(is_copy) else { return false };
    let before = Uses::of(&rest[..at]);
    let changes = |name: &String| name == array || index.mentions(name);
    Uses::of_name(rest, name).reads(name) == 1
        && !before.written.keys().any(changes)
        && !rest.iter().any(|stmt| stmt.binds_within(&|bound| bound == name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Dtype, samples};

    fn check(body: Vec<Stmt>, expected: &str) {
        let text: String = propagate(body).iter().map(Stmt::to_string).collect();
        assert_eq!(text, expected);
    }

    #[test]
    fn another_name_is_replaced() {
        let body = vec![
            Stmt::bind("p_x", Expr::var("j")),
            Stmt::accumulate("sum", Expr::load("x_vals", Expr::var("p_x"))),
        ];
        check(body, "let p_x = j;\nsum += x_vals[j];\n");
    }

    #[test]
    fn a_name_that_changes_is_kept() {
        let body = vec![
            Stmt::bind("begin", Expr::var("p_a")),
            Stmt::accumulate("p_a", Expr::Index(1)),
            Stmt::accumulate("sum", Expr::load("x_vals", Expr::var("begin"))),
        ];
        check(body, "let begin = p_a;\np_a += 1;\nsum += x_vals[begin];\n");
    }

    #[test]
    fn a_coordinate_that_is_only_copied_has_no_name() {
        let coordinate = Stmt::bind("j", Expr::load("a2_crd", Expr::var("p_a")));
        let copy = Stmt::push("c2_crd", Expr::var("j"));
        let unread = "let j = a2_crd[p_a];\n";
        check(
            vec![coordinate.clone(), copy.clone()],
            &format!("{unread}c2_crd.push(a2_crd[p_a]);\n"),
        );
        let advance = Stmt::accumulate("p_a", Expr::Index(1));
        check(
            vec![coordinate.clone(), advance, copy.clone()],
            &format!("{unread}p_a += 1;\nc2_crd.push(j);\n"),
        );
        let again = Stmt::push("d2_crd", Expr::var("j"));
        check(
            vec![coordinate, copy, again],
            &format!("{unread}c2_crd.push(j);\nd2_crd.push(j);\n"),
        );
    }

    #[test]
    fn a_scalar_is_returned_directly() {
        let mut function = samples::scaled_sum();
        function.body = vec![Stmt::bind("s", Expr::var("alpha"))];
        function.result =
            Result::Scalar { dtype: Dtype::F64, value: Expr::var("s"), updates: None };
        let function = run(function);
        assert_eq!(function.body, []);
        assert_eq!(
            function.result,
            Result::Scalar { dtype: Dtype::F64, value: Expr::var("alpha"), updates: None }
        );
    }
}
