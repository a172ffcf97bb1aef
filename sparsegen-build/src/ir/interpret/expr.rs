//! Evaluation of expressions.

use std::cmp::Ordering;

use super::calls::{call, cast, turned};
use super::number::range;
use super::{Machine, Number, Storage, Value};
use crate::ir::{BinaryOp, Callee, Dtype, Expr, ToIndex, UnaryOp, Width};
use crate::operator::Kind;

/// Combines equal values: the first argument, as often as the second one says.
fn repeated(
    arguments: &[Value],
    combine: impl Fn(Value, Value) -> Result<Value, String>,
) -> Result<Value, String> {
    let [value, count] = arguments else { return Err("not a value and a number".to_owned()) };
    (1..count.index()?).try_fold(*value, |all, _| combine(all, *value))
}

/// Returns whether two values differ, where NaN does not differ from NaN.
fn differs(arguments: &[Value]) -> Result<Value, String> {
    let [a, b] = *arguments else { return Err("not two values".to_owned()) };
    let is_unequal = |a, b| binary(BinaryOp::Ne, a, b)?.bool();
    let are_nan = is_unequal(a, a)? && is_unequal(b, b)?;
    Ok(Value::Bool(is_unequal(a, b)? && !are_nan))
}

impl Machine {
    /// Evaluates an expression, or returns why it has no value.
    pub(super) fn eval(&self, expr: &Expr) -> Result<Value, String> {
        match expr {
            Expr::Index(n) => Ok(Value::Index(*n)),
            Expr::Value(literal, dtype) => Ok(Value::Number(Number::of(*literal, *dtype), *dtype)),
            Expr::Constant(path, dtype) => self.own(path, *dtype, &[]),
            Expr::Bool(b) => Ok(Value::Bool(*b)),
            Expr::Largest(width) => Ok(Value::Index(largest(*width))),
            Expr::LargestOffset => Ok(Value::Signed(isize::MAX)),
            Expr::Var(name) => {
                let variable = self.scopes.iter().rev().find_map(|scope| scope.get(name));
                Ok(variable.ok_or_else(|| format!("`{name}` is not declared"))?.value)
            }
            Expr::Load { array, index } => self.load(array, self.eval(index)?.index()?),
            Expr::Contains { workspace, index } => {
                let index = self.eval(index)?.index()?;
                let none = || format!("there is no workspace `{workspace}`");
                let workspace = self.workspaces.get(workspace).ok_or_else(none)?;
                workspace.contains(index).map(Value::Bool)
            }
            Expr::Search { array, start, end, index } => {
                let [start, end] = [start, end].map(|e| self.eval(e)?.index());
                let (start, end, index) = (start?, end?, self.eval(index)?);
                let is_below = |element: Value| match index {
                    Value::Signed(index) => element.signed().map(|own| own < index),
                    Value::Index(_) | Value::Bool(_) | Value::Number(..) => {
                        Ok(element.index()? < index.index()?)
                    }
                };
                // Binary search like the generated code, so that unsorted elements are detected.
                let (mut first, mut count) = (start, end.saturating_sub(start));
                while count > 0 {
                    self.spend(1)?;
                    let half = count / 2;
                    let below = is_below(self.load(array, first + half)?)?;
                    (first, count) =
                        if below { (first + half + 1, count - half - 1) } else { (first, half) };
                }
                Ok(Value::Index(first))
            }
            Expr::Extent(tensor, mode) => {
                let extent = self.shapes.get(tensor).and_then(|shape| shape.get(*mode));
                Ok(Value::Index(*extent.ok_or_else(|| format!("no mode {mode} of `{tensor}`"))?))
            }
            Expr::Len(array) => match self.workspaces.get(array) {
                Some(workspace) => Ok(Value::Index(workspace.len())),
                None => Ok(Value::Index(self.array(array)?.len()?)),
            },
            Expr::Entry(_) => Err(format!("`{expr}` is not pushed to an array of entries")),
            Expr::Field(entry, field) => {
                let Expr::Load { array, index } = &**entry else {
                    return Err(format!("`{entry}` is not an element of an array of entries"));
                };
                let index = self.eval(index)?.index()?;
                self.array(array)?
                    .field(index, *field)
                    .map_err(|error| format!("{error} of `{array}`"))
            }
            Expr::Call(callee, dtype, arguments) => {
                let arguments = arguments.iter().map(|argument| self.eval(argument));
                let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
                let elements = || {
                    let elements = arguments.iter().map(|argument| argument.as_element());
                    elements.collect::<Result<Vec<_>, _>>()
                };
                match callee {
                    Callee::Math(function) => call(*function, *dtype, &elements()?),
                    Callee::Quotient => divided(BinaryOp::Div, *dtype, &elements()?),
                    Callee::Remainder => divided(BinaryOp::Rem, *dtype, &elements()?),
                    Callee::Path(path) => self.own(path, *dtype, &elements()?),
                    Callee::Differs => differs(&arguments),
                    Callee::RepeatedOperator(op) => repeated(&arguments, |a, b| binary(*op, a, b)),
                    Callee::RepeatedPath(path) => repeated(&arguments, |a, b| {
                        self.own(path, *dtype, &[a.as_element()?, b.as_element()?])
                    }),
                }
            }
            Expr::Cast { value, to, .. } => cast(self.eval(value)?, *to),
            Expr::Choose { condition, holds, otherwise } => {
                let holds = if self.eval(condition)?.bool()? { holds } else { otherwise };
                self.eval(holds)
            }
            Expr::Unary(op, a) => unary(*op, self.eval(a)?),
            Expr::ToIndex(part, a) => to_index(*part, self.eval(a)?),
            // The right operand is not evaluated if the left one determines the result.
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let a = self.eval(a)?.bool()?;
                if a == (*op == BinaryOp::Or) {
                    return Ok(Value::Bool(a));
                }
                Ok(Value::Bool(self.eval(b)?.bool()?))
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                // An element that is a coordinate may be compared with an index.
                match (a, b) {
                    (Value::Index(_), Value::Number(..)) | (Value::Number(..), Value::Index(_)) => {
                        binary(*op, Value::Index(a.index()?), Value::Index(b.index()?))
                    }
                    (a, b) => binary(*op, a, b),
                }
            }
        }
    }

    /// Evaluates a function or constant by its path.
    fn own(&self, path: &str, dtype: Dtype, arguments: &[Number]) -> Result<Value, String> {
        let number = (self.library)(path, dtype, arguments);
        let number = number.ok_or_else(|| format!("`{path}` is unknown"))?;
        Ok(Value::element(number, dtype))
    }

    /// Returns an element of an array.
    pub(super) fn load(&self, name: &str, index: usize) -> Result<Value, String> {
        if let Some(workspace) = self.workspaces.get(name) {
            return workspace.load(index);
        }
        self.check_index(name, index)?;
        let cells = &self.array(name)?.cells;
        let cell = cells.get(index);
        let out_of_bounds =
            || format!("index {index} of `{name}`, which has {} elements", cells.len());
        cell.ok_or_else(out_of_bounds)?
            .ok_or_else(|| format!("`{name}[{index}]` is read before it is written"))
    }

    pub(super) fn array(&self, name: &str) -> Result<&Storage, String> {
        self.arrays.get(name).ok_or_else(|| format!("there is no array `{name}`"))
    }
}

impl Value {
    /// Returns a number as an element of a type; 0 and 1 as truth values.
    pub(super) fn element(number: Number, dtype: crate::ir::Dtype) -> Value {
        match (number, dtype) {
            (Number::Integer(n), crate::ir::Dtype::Bool) => Value::Bool(n != 0),
            (number, dtype) => Value::Number(number, dtype),
        }
    }

    /// Returns the number of an element.
    pub(super) fn as_element(self) -> Result<Number, String> {
        if let Value::Bool(truth) = self {
            Ok(Number::Integer(truth.into()))
        } else {
            self.number()
        }
    }

    pub(super) fn index(self) -> Result<usize, String> {
        match self {
            Value::Index(n) => Ok(n),
            Value::Number(Number::Integer(n), crate::ir::Dtype::Usize) => {
                usize::try_from(n).map_err(|_| format!("{self} is not an index"))
            }
            _ => Err(format!("{self} is not an index")),
        }
    }

    pub(super) fn signed(self) -> Result<isize, String> {
        if let Value::Signed(n) = self { Ok(n) } else { Err(format!("{self} is not signed")) }
    }

    pub(super) fn bool(self) -> Result<bool, String> {
        if let Value::Bool(b) = self { Ok(b) } else { Err(format!("{self} is not a condition")) }
    }

    pub(super) fn number(self) -> Result<Number, String> {
        if let Value::Number(n, _) = self { Ok(n) } else { Err(format!("{self} is not a number")) }
    }

    /// Returns whether two values have the same type.
    pub(super) fn is_like(self, other: Value) -> bool {
        match (self, other) {
            (Value::Index(_), Value::Index(_))
            | (Value::Signed(_), Value::Signed(_))
            | (Value::Bool(_), Value::Bool(_)) => true,
            (Value::Number(_, a), Value::Number(_, b)) => a == b,
            (Value::Index(_) | Value::Signed(_) | Value::Bool(_) | Value::Number(..), _) => false,
        }
    }
}

fn unary(op: UnaryOp, a: Value) -> Result<Value, String> {
    match op {
        UnaryOp::Neg => match a {
            Value::Number(number, dtype) => Ok(Value::Number(number.neg(dtype)?, dtype)),
            Value::Signed(n) => {
                n.checked_neg().map(Value::Signed).ok_or_else(|| format!("-{n} overflows"))
            }
            Value::Index(_) | Value::Bool(_) => Err(format!("{a} has no negation")),
        },
        UnaryOp::Not => match a {
            Value::Number(Number::Integer(n), dtype) => Ok(Value::Number(turned(n, dtype), dtype)),
            a => Ok(Value::Bool(!a.bool()?)),
        },
    }
}

fn to_index(part: ToIndex, a: Value) -> Result<Value, String> {
    Ok(Value::Index(match (part, a) {
        (ToIndex::FromBool, a) => usize::from(a.bool()?),
        (ToIndex::BelowZero, a) => a.signed()?.min(0).unsigned_abs(),
    }))
}

/// Returns the quotient or remainder of integers, which wraps.
fn divided(op: BinaryOp, dtype: Dtype, arguments: &[Number]) -> Result<Value, String> {
    let [a, b] = *arguments else { return Err("of how many numbers?".into()) };
    let number = match (a, b) {
        (Number::Integer(n), Number::Integer(-1)) if n == range(dtype).0 => {
            Number::Integer(if op == BinaryOp::Div { n } else { 0 })
        }
        (a, b) => Number::arithmetic(op, a, b, dtype)?,
    };
    Ok(Value::Number(number, dtype))
}

/// Returns the largest index of an integer type.
pub(super) fn largest(width: Width) -> usize {
    match width {
        Width::U8 => u8::MAX.into(),
        Width::U16 => u16::MAX.into(),
        Width::U32 => u32::MAX as usize,
        Width::U64 | Width::Usize => usize::MAX,
    }
}

/// Evaluates a binary operation on two values, or returns why it has no result.
pub(crate) fn binary(op: BinaryOp, a: Value, b: Value) -> Result<Value, String> {
    let is_arithmetic = op.kind() == Kind::Arithmetic;
    match (a, b) {
        (Value::Index(a), Value::Index(b)) if is_arithmetic => index(op, a, b),
        (Value::Index(a), Value::Index(b)) => compare(op, Some(a.cmp(&b))),
        (Value::Index(a), Value::Signed(b)) if op == BinaryOp::Offset => {
            // Wraps like Rust. An out-of-bounds value is detected when it is used as an index.
            Ok(Value::Index(a.wrapping_add_signed(b)))
        }
        (Value::Signed(a), Value::Signed(b)) if op == BinaryOp::Min => Ok(Value::Signed(a.min(b))),
        (Value::Signed(a), Value::Signed(b)) if op == BinaryOp::Max => Ok(Value::Signed(a.max(b))),
        (Value::Signed(a), Value::Signed(b)) => compare(op, Some(a.cmp(&b))),
        (Value::Number(x, dtype), Value::Number(y, other)) if dtype == other => {
            if is_arithmetic || op == BinaryOp::Xor {
                Ok(Value::Number(Number::arithmetic(op, x, y, dtype)?, dtype))
            } else if op.compares() && !op.takes(dtype) {
                Err("complex numbers have no order".into())
            } else {
                compare(op, x.compare(y))
            }
        }
        (Value::Bool(a), Value::Bool(b)) => {
            let result = op.of_truths(a, b).map(Value::Bool);
            result.ok_or_else(|| format!("`{}` of conditions", op.rust_name()))
        }
        (a, b) => Err(format!("`{}` of {a} and {b}", op.rust_name())),
    }
}

fn index(op: BinaryOp, a: usize, b: usize) -> Result<Value, String> {
    if op == BinaryOp::Difference {
        let difference = (a as i128 - b as i128).try_into();
        return difference.map(Value::Signed).map_err(|_| format!("{a} - {b} overflows"));
    }
    let why = || format!("{a} {} {b} overflows or divides by zero", op.rust_name());
    op.of_indices(a, b).map(Value::Index).ok_or_else(why)
}

/// Evaluates a comparison; unordered numbers are neither less nor equal.
fn compare(op: BinaryOp, order: Option<Ordering>) -> Result<Value, String> {
    let result = op.of_order(order).map(Value::Bool);
    result.ok_or_else(|| format!("`{}` of numbers", op.rust_name()))
}
