//! Values of expressions, of every type that a function may compute with.

use std::fmt;

use super::Number;
use crate::ir::Dtype;

/// The value of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Index(usize),
    /// A signed difference of indices.
    Signed(isize),
    Number(Number, Dtype),
    Bool(bool),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Index(n) => write!(f, "index {n}"),
            Value::Signed(n) => write!(f, "signed index {n}"),
            Value::Number(number, dtype) => write!(f, "{number} of {dtype}"),
            Value::Bool(b) => write!(f, "{b}"),
        }
    }
}
