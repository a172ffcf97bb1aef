//! Drops what is never read: variables, `mut`, operands' arrays and extents.
//!
//! For the reader, and for rustc, which would warn of each in the user's build.

use crate::ir::{Expr, Function, Operand, Result, Stmt, Uses};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    let mut value = Uses::default();
    match &function.result {
        Result::Scalar { value: expr, .. } => value.count_expr(expr),
        Result::Tensor(_) => {}
    }
    // What is dropped may have been the last to read something else.
    loop {
        let body = drop_unread(&function.body, &value);
        if body == function.body {
            break;
        }
        function.body = body;
    }
    let uses = Uses::of_function(&function);
    for operand in &mut function.operands {
        match operand {
            Operand::Tensor(tensor) => tensor
                .arrays
                .retain(|array| uses.reads(&array.name) + uses.measures(&array.name) > 0),
            Operand::Scalar { .. } => {}
        }
    }
    for size in &mut function.sizes {
        size.used = uses.reads(&size.name) > 0;
    }
    function
}

/// Statements without variables that neither they nor what follows them reads, and without `mut`
/// where nothing changes.
fn drop_unread(body: &[Stmt], after: &Uses) -> Vec<Stmt> {
    let mut kept = Vec::new();
    let mut rest = body.to_vec();
    while !rest.is_empty() {
        let stmt = rest.remove(0);
        if let Stmt::Let { name, value, .. } = &stmt {
            let uses = Uses::of(&rest);
            if uses.reads(name) + after.reads(name) == 0 {
                rest = without_assignments(&rest, name);
            } else if uses.writes(name) == 0 {
                kept.push(Stmt::bind(name, value.clone()));
            } else {
                kept.push(stmt);
            }
        } else {
            let nothing = Uses::default();
            kept.extend(stmt.map(&mut Expr::clone, &mut |inner| drop_unread(inner, &nothing)));
        }
    }
    kept
}

/// Statements without those that assign to a variable.
fn without_assignments(body: &[Stmt], variable: &str) -> Vec<Stmt> {
    let assigns = |stmt: &&Stmt| matches!(stmt, Stmt::Assign { name, .. } if name == variable);
    let keep =
        |stmt: &Stmt| stmt.map(&mut Expr::clone, &mut |inner| without_assignments(inner, variable));
    body.iter().filter(|stmt| !assigns(stmt)).flat_map(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::samples;

    #[test]
    fn a_chain_that_ends_unread_goes() {
        let mut function = samples::scaled_sum();
        let mut body = vec![
            Stmt::bind("p", Expr::len("x_vals")),
            Stmt::bind_mut("q", Expr::var("p")),
            Stmt::accumulate("q", Expr::Index(1)),
        ];
        body.extend(function.body.clone());
        let expected = function.clone();
        function.body = body;
        assert_eq!(run(function), expected);
    }

    #[test]
    fn a_name_is_unread_in_its_own_scope() {
        let scope = |reads: bool| {
            let mut body = vec![Stmt::bind("j", Expr::Index(1))];
            let index = if reads { Expr::var("j") } else { Expr::Index(0) };
            body.push(Stmt::store("y", index, Expr::Index(2)));
            Stmt::for_range("i", Expr::Index(0), Expr::var("n"), body)
        };
        let body = [scope(true), scope(false)].concat();
        let text: String =
            drop_unread(&body, &Uses::default()).iter().map(Stmt::to_string).collect();
        assert_eq!(text.matches("let j").count(), 1, "{text}");
    }

    #[test]
    fn unread_operands_are_not_fetched() {
        let mut function = samples::scaled_sum();
        function.body = Vec::new();
        function.result = match function.result {
            Result::Scalar { dtype, .. } => Result::Scalar { dtype, value: Expr::var("alpha") },
            Result::Tensor(_) => panic!("the sample has a scalar result"),
        };
        let function = run(function);
        assert!(!function.sizes[0].used);
        match &function.operands[1] {
            Operand::Tensor(tensor) => assert_eq!(tensor.arrays, []),
            Operand::Scalar { .. } => panic!("the sample's second operand is a tensor"),
        }
    }

    #[test]
    fn what_never_changes_is_not_mutable() {
        let body = vec![
            Stmt::bind_mut("p", Expr::Index(1)),
            Stmt::store("y", Expr::var("p"), Expr::var("p")),
        ];
        let kept = drop_unread(&body, &Uses::default());
        assert_eq!(kept[0], Stmt::bind("p", Expr::Index(1)));
    }
}
