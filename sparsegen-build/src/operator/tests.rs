//! Tests that walk the table: each operator parses and prints, and its laws hold.

use super::*;
use crate::ir::interpret::{Number, Value, binary};
use crate::manifest::Text;
use crate::notation::ReduceOp;
use crate::notation::syntax::{ExprKind, Statement};

fn parse(text: &str) -> Statement {
    crate::notation::statement(&Text::plain(text)).expect("a statement without errors")
}

/// Returns a constant as a value of a type.
fn value(literal: Literal, dtype: Dtype) -> Value {
    match dtype {
        Dtype::Bool => Value::Bool(!literal.is_zero()),
        dtype => Value::Number(Number::of(literal, dtype), dtype),
    }
}

/// Combines two values by the operator of their type, if there is a result.
fn combine(op: BinaryOp, dtype: Dtype, a: Value, b: Value) -> Option<Value> {
    binary(op.of_type(dtype), a, b).ok()
}

/// Returns constants of a type; sums and products of three of them are exact.
fn samples(dtype: Dtype) -> Vec<Literal> {
    let integers = if dtype == Dtype::Bool { 0..=1 } else { 0..=5 };
    integers.map(Literal::Int).collect()
}

/// Calls `check` with each operator of statements and each type for which it is defined.
fn for_each_type(mut check: impl FnMut(BinaryOp, Dtype)) {
    for row in TABLE.iter().filter(|row| !matches!(row.notation, Absent)) {
        let is_checked = |dtype: &Dtype| *dtype != Dtype::Generic && row.op.takes(*dtype);
        Dtype::ALL.into_iter().filter(is_checked).for_each(|dtype| check(row.op, dtype));
    }
}

#[test]
fn the_table_is_in_the_order_of_the_variants() {
    for (k, row) in TABLE.iter().enumerate() {
        assert_eq!(row.op as usize, k, "{:?}", row.op);
    }
}

#[test]
fn operators_parse_and_print() {
    for row in &TABLE {
        let name = row.op.name();
        let text = match row.notation {
            Sign(..) => format!("y = a {name} b"),
            Name(_) => format!("y = {name}(a, b)"),
            Absent => continue,
        };
        let statement = parse(&text);
        match statement.right.kind {
            ExprKind::Binary(op, ..) => assert_eq!(op, row.op),
            ExprKind::Call(..) => {
                assert_eq!(BinaryOp::named().find(|op| op.name() == name), Some(row.op))
            }
            _ => panic!("{text}"),
        }
        assert_eq!(statement.to_string(), text);
        if let Some(sign) = row.update {
            let text = format!("y {sign} a");
            let statement = parse(&text);
            assert_eq!(statement.update, Some(row.op));
            assert_eq!(statement.to_string(), text);
        }
    }
}

#[test]
fn operators_have_results_for_the_types_that_they_take() {
    for_each_type(|op, dtype| {
        let [a, b] = [5, 2].map(|n| value(Literal::Int(n), dtype));
        let result = combine(op, dtype, a, b);
        assert!(result.is_some(), "{op:?} of {dtype}");
        let is_truth = matches!(result, Some(Value::Bool(_)));
        assert_eq!(is_truth, op.compares() || dtype == Dtype::Bool, "{op:?} of {dtype}");
    });
}

#[test]
fn laws_hold_in_every_type() {
    for_each_type(|op, dtype| {
        let Some(monoid) = Monoid::from(op) else { return };
        let of = |a, b| combine(op, dtype, a, b).expect("a result");
        let values: Vec<Value> = samples(dtype).into_iter().map(|c| value(c, dtype)).collect();
        // The bits of an integer are not all set in the truth value.
        let identity = match (monoid, dtype) {
            (Monoid::AND, dtype) if dtype != Dtype::Bool => None,
            (monoid, dtype) => Some(value(monoid.identity(), dtype)),
        };
        let annihilator = monoid.annihilator().filter(|_| op != Or || dtype == Dtype::Bool);
        for a in values.iter().copied() {
            assert!(identity.is_none_or(|one| of(a, one) == a), "identity of {op:?} of {dtype}");
            if let Some(zero) = annihilator.map(|zero| value(zero, dtype)) {
                assert_eq!(of(a, zero), zero, "annihilator of {op:?} of {dtype}");
            }
            for b in values.iter().copied() {
                assert_eq!(of(a, b), of(b, a), "{op:?} of {dtype} commutes");
                for c in values.iter().copied() {
                    let (left, right) = (of(of(a, b), c), of(a, of(b, c)));
                    assert_eq!(left, right, "{op:?} of {dtype} is associative");
                }
            }
        }
        let changes = |a: &Value| of(*a, *a) != *a;
        assert_eq!(values.iter().any(changes), !is_kept(monoid, dtype), "{op:?} of {dtype}");
    });
}

/// Returns whether equal values of a type are combined to themselves. Sums and products of truth
/// values are their disjunction and conjunction.
fn is_kept(monoid: Monoid, dtype: Dtype) -> bool {
    monoid.is_idempotent() || dtype == Dtype::Bool
}

#[test]
fn constants_fold_to_the_value_in_every_type() {
    for_each_type(|op, dtype| {
        for a in samples(dtype) {
            for b in samples(dtype) {
                let Some(folded) = op.of_literals(a, b) else { continue };
                // The type cannot represent the constant: a negative or undefined number.
                let Some(result) = combine(op, dtype, value(a, dtype), value(b, dtype)) else {
                    continue;
                };
                let expected = match result {
                    Value::Bool(_) => value(folded, Dtype::Bool),
                    _ => value(folded, dtype),
                };
                assert!(same(result, expected), "{a} {op:?} {b} of {dtype}: {result}, {expected}");
            }
        }
    });
}

/// Returns whether two values are equal, or both are NaN.
fn same(a: Value, b: Value) -> bool {
    a == b || a.to_string() == b.to_string()
}

#[test]
fn reductions_have_the_names_of_their_operators() {
    for row in &TABLE {
        let Some(monoid) = Monoid::from(row.op) else { continue };
        let name = monoid.reduction();
        let op = ReduceOp::of(name).expect("a reduction");
        assert_eq!((op.name(), op.monoid, op.tells_where), (name, monoid, false));
        assert_eq!(Monoid::of(row.op.name()), Some(monoid));
    }
}
