//! Variables whose type rustc cannot infer in time.
//!
//! `let mut prod = 1.0;` has a type as soon as a value of known type is combined with it. A method call
//! before that, as `prod.abs()`, is an error, so that the declaration has to give the type.

use std::collections::{BTreeMap, BTreeSet};

use super::values::has_suffix;
use crate::ir::{BinaryOp, Callee, Expr, Stmt};
use crate::operator::Kind;
use crate::types::Literal;

/// Returns the variables whose declarations have to give a type: those on which functions are called too
/// early, and all on which operators are called as methods within the body. The values that are returned
/// come after it.
pub(super) fn need_types(body: &[Stmt], returned: &[&Expr]) -> BTreeSet<String> {
    let mut typed = ambiguous(body, returned);
    let mut used = BTreeSet::new();
    for stmt in body {
        stmt.for_each(&mut |stmt| {
            if let Stmt::Assign { name, op: Some(BinaryOp::Min | BinaryOp::Max), .. } = stmt {
                typed.insert(name.clone());
            }
            for expr in stmt.expressions() {
                expr.for_each(&mut |part| match part {
                    Expr::Binary(op, receiver, _) => {
                        let Expr::Var(name) = &**receiver else { return };
                        // Of indices, which other uses before determine.
                        let is_first = *op == BinaryOp::Rem && !used.contains(name);
                        if op.is_method() || is_first {
                            typed.insert(name.clone());
                        }
                        used.insert(name);
                    }
                    Expr::Var(name) => {
                        used.insert(name);
                    }
                    _ => {}
                });
            }
        });
    }
    typed
}

/// Returns the variables on which functions are called before anything determines their types.
fn ambiguous(body: &[Stmt], returned: &[&Expr]) -> BTreeSet<String> {
    let mut types = Types::default();
    for stmt in body {
        stmt.for_each(&mut |stmt| types.pass(stmt));
    }
    returned.iter().for_each(|value| types.look(value));
    types.ambiguous
}

/// What is known about the types of variables before a statement.
#[derive(Default)]
struct Types {
    /// The variables without a known type, each with the variables in its value.
    unknown: BTreeMap<String, BTreeSet<String>>,
    /// The variables that need a type.
    ambiguous: BTreeSet<String>,
}

impl Types {
    fn pass(&mut self, stmt: &Stmt) {
        stmt.expressions().into_iter().for_each(|expr| self.look(expr));
        match stmt {
            Stmt::Let { name, value, .. } if self.is_open(value) => {
                self.unknown.insert(name.clone(), variables(value));
            }
            Stmt::Let { name, .. } => {
                self.unknown.remove(name);
            }
            Stmt::Assign { name, value, .. } => {
                let is_known = !self.unknown.contains_key(name) || !self.is_open(value);
                if is_known {
                    self.settle(&variables(value));
                    self.settle(&BTreeSet::from([name.clone()]));
                }
            }
            // The elements of arrays have types.
            Stmt::Store { value, .. } | Stmt::Push { value, .. } => {
                self.settle(&variables(value));
            }
            _ => {}
        }
    }

    /// Looks at the parts of an expression in the order in which rustc does.
    fn look(&mut self, expr: &Expr) {
        match expr {
            Expr::Binary(op, a, b) => {
                self.look(a);
                if op.is_method() && self.is_open(a) {
                    self.demand(&variables(a));
                }
                self.look(b);
                // Both have the same type.
                if self.is_open(a) != self.is_open(b) {
                    self.settle(&variables(a));
                    self.settle(&variables(b));
                }
            }
            Expr::Call(callee, _, arguments) => {
                arguments.iter().for_each(|argument| self.look(argument));
                let receiver = arguments.first().filter(|_| matches!(callee, Callee::Math(_)));
                if let Some(receiver) = receiver.filter(|receiver| self.is_open(receiver)) {
                    self.demand(&variables(receiver));
                }
            }
            Expr::Choose { condition, holds, otherwise } => {
                [condition, holds, otherwise].into_iter().for_each(|part| self.look(part));
            }
            Expr::Unary(_, a) | Expr::Cast { value: a, .. } => self.look(a),
            _ => {}
        }
    }

    /// Records that variables need a type.
    fn demand(&mut self, names: &BTreeSet<String>) {
        for name in names {
            if let Some(within) = self.unknown.remove(name) {
                self.ambiguous.insert(name.clone());
                self.demand(&within);
            }
        }
    }

    /// Records that variables have a type now.
    fn settle(&mut self, names: &BTreeSet<String>) {
        for name in names {
            if let Some(within) = self.unknown.remove(name) {
                self.settle(&within);
            }
        }
    }

    /// Returns whether an expression consists of literals and variables without a known type.
    fn is_open(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Value(Literal::Float(_) | Literal::Int(_), dtype) => has_suffix(*dtype),
            Expr::Var(name) => self.unknown.contains_key(name),
            Expr::Unary(_, a) => self.is_open(a),
            Expr::Binary(op, a, b) => {
                op.kind() == Kind::Arithmetic && self.is_open(a) && self.is_open(b)
            }
            Expr::Call(Callee::Math(_), _, arguments) => {
                arguments.iter().all(|argument| self.is_open(argument))
            }
            // The combined value, and how often it is.
            Expr::Call(Callee::RepeatedOperator(_), _, arguments) => {
                arguments.first().is_some_and(|argument| self.is_open(argument))
            }
            Expr::Choose { holds, otherwise, .. } => self.is_open(holds) && self.is_open(otherwise),
            _ => false,
        }
    }
}

/// Returns the variables in an expression.
fn variables(expr: &Expr) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    expr.for_each(&mut |part| {
        if let Expr::Var(name) = part {
            names.insert(name.clone());
        }
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Dtype;
    use crate::math::Function;

    fn found(stmts: &[Stmt]) -> Vec<String> {
        let one = Expr::Value(Literal::Int(1), Dtype::F64);
        let declared = Stmt::bind_mut("prod", one);
        ambiguous(&[&[declared], stmts].concat(), &[]).into_iter().collect()
    }

    #[test]
    fn a_type_must_be_known_where_a_function_is_called() {
        let half = || Expr::Value(Literal::Float(0.5), Dtype::F64);
        let product = |value| Stmt::combine("prod", BinaryOp::Mul, value);
        let magnitude = |of| Expr::Call(Callee::Math(Function::Abs), Dtype::F64, vec![of]);
        let store = |value| Stmt::store("y", Expr::Index(0), value);
        let call = || store(magnitude(Expr::var("prod")));
        let element = || Expr::load("x", Expr::Index(0));
        assert_eq!(found(&[product(half()), call()]), ["prod"]);
        let returned = [Stmt::bind_mut("sum", half()), Stmt::combine("sum", BinaryOp::Add, half())];
        assert_eq!(
            ambiguous(&returned, &[&magnitude(Expr::var("sum"))]),
            ["sum".to_owned()].into()
        );
        assert_eq!(found(&[product(element()), call()]), Vec::<String>::new());
        // rustc looks at the operands from left to right.
        let sum = |a, b| store(Expr::add(a, b));
        assert_eq!(found(&[sum(magnitude(Expr::var("prod")), element())]), ["prod"]);
        let known = sum(Expr::sub(Expr::var("prod"), element()), magnitude(Expr::var("prod")));
        assert_eq!(found(&[known]), Vec::<String>::new());
        // The type of a variable is that of its value.
        let whole = Stmt::bind("whole", Expr::add(Expr::var("prod"), half()));
        assert_eq!(found(&[whole, store(magnitude(Expr::var("whole")))]), ["prod", "whole"]);
    }
}
