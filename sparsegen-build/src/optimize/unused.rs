//! Drops what is never read: variables, `mut`, operands' arrays and extents.
//!
//! For the reader, and for rustc, which would warn of each in the user's build.

use crate::ir::{Expr, Function, Operand, Stmt, Uses};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    // What is dropped may have been the last to read something else.
    let uses = loop {
        let uses = Uses::of_function(&function);
        let body = drop_unread(&function.body, &uses);
        if body == function.body {
            break uses;
        }
        function.body = body;
    };
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

/// Statements without variables that are never read, and without `mut` where nothing changes.
fn drop_unread(body: &[Stmt], uses: &Uses) -> Vec<Stmt> {
    let mut kept = Vec::new();
    for stmt in body {
        match stmt {
            Stmt::Let { name, .. } | Stmt::Assign { name, .. } if uses.reads(name) == 0 => {}
            Stmt::Let { name, value, .. } if uses.writes(name) == 0 => {
                kept.push(Stmt::bind(name, value.clone()));
            }
            Stmt::Let { .. }
            | Stmt::Assign { .. }
            | Stmt::Comment(_)
            | Stmt::Store { .. }
            | Stmt::Clear { .. }
            | Stmt::Reserve { .. }
            | Stmt::Push { .. }
            | Stmt::Resize { .. }
            | Stmt::For { .. }
            | Stmt::While { .. }
            | Stmt::If { .. } => {
                kept.extend(stmt.map(&mut Expr::clone, &mut |inner| drop_unread(inner, uses)));
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Result, samples};

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
        let kept = drop_unread(&body, &Uses::of(&body));
        assert_eq!(kept[0], Stmt::bind("p", Expr::Index(1)));
    }
}
