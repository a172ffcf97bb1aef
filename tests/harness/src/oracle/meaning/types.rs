//! The types of expressions.

use crate::dtype::Dtype;
use crate::number::Number;
use crate::oracle::meaning::Reader;
use crate::oracle::semiring::Semiring;
use crate::statement::{Binary, Expr, Function, Reduction};

impl Reader<'_> {
    /// Returns the type of an expression, or `None` if it depends on the context, as for literals,
    /// variables, parameters, and truth values that become numbers.
    pub fn own(&self, expr: &Expr) -> Result<Option<Dtype>, String> {
        Ok(match expr {
            Expr::Number(Number::Bool(_)) => Some(Dtype::Bool),
            Expr::Number(_) | Expr::Variable(_) | Expr::Parameter(_) => None,
            Expr::Access(access) => Some(self.dtype(access)),
            Expr::Unary(_, a) => self.own(a)?,
            Expr::Binary(op, a, b) => match op {
                Binary::Sum | Binary::Difference | Binary::Product | Binary::Quotient => {
                    self.counted(self.joined(&[a, b])?)
                }
                Binary::And | Binary::Or => self.joined(&[a, b])?,
                Binary::LessEqual
                | Binary::Less
                | Binary::GreaterEqual
                | Binary::Greater
                | Binary::Equal
                | Binary::Unequal => Some(Dtype::Bool),
            },
            Expr::Call(Function::Present | Function::Absent, _) => Some(Dtype::Bool),
            Expr::Call(Function::Select, parts) => {
                self.joined(&parts[1..].iter().collect::<Vec<_>>())?
            }
            Expr::Call(Function::Abs | Function::Re | Function::Im | Function::Arg, parts) => {
                self.own(&parts[0])?.map(Dtype::real)
            }
            Expr::Call(_, parts) | Expr::Own(_, parts) => {
                self.joined(&parts.iter().collect::<Vec<_>>())?
            }
            Expr::Convert(dtype, _) => Some(*dtype),
            Expr::Reduce(reduction, _, body) => match reduction {
                Reduction::Any | Reduction::All => Some(Dtype::Bool),
                Reduction::Argmin | Reduction::Argmax => Some(Dtype::Usize),
                Reduction::Sum | Reduction::Prod => self.counted(self.own(body)?),
                Reduction::Min | Reduction::Max => self.own(body)?,
            },
        })
    }

    /// Returns the common type of several operands, some of which may depend on the context; a
    /// truth value among numbers becomes a number.
    pub fn joined(&self, parts: &[&Expr]) -> Result<Option<Dtype>, String> {
        let mut joined: Option<Dtype> = None;
        let mut numbers = false;
        for part in parts {
            let own = self.own(part)?;
            numbers |= own.is_none();
            joined = match (joined, own) {
                (known, None) => known,
                (None | Some(Dtype::Bool), own) => own,
                (known, Some(Dtype::Bool)) => known,
                (Some(known), Some(own)) if known == own => joined,
                (Some(known), Some(own)) => {
                    return Err(format!("`{part}` is of {own}, and another operand of {known}"));
                }
            };
        }
        Ok(joined.filter(|dtype| !(*dtype == Dtype::Bool && numbers)))
    }

    /// Truth values are numbers in arithmetic, except in the semiring of truth values.
    fn counted(&self, dtype: Option<Dtype>) -> Option<Dtype> {
        let counts = self.setting.semiring != Semiring::OrAnd;
        dtype.filter(|dtype| !(*dtype == Dtype::Bool && counts))
    }

    /// Returns the type for evaluating an expression that has no type of its own: exact if it
    /// consists of integers, variables and parameters only.
    pub fn leaning(&self, expr: &Expr, around: Dtype) -> Dtype {
        let (mut is_exact, mut is_real) = (true, false);
        expr.visit(&mut |part| match part {
            Expr::Number(Number::Real(_) | Number::Complex(..)) => is_real = true,
            Expr::Number(Number::Whole(_))
            | Expr::Variable(_)
            | Expr::Parameter(_)
            | Expr::Unary(..)
            | Expr::Call(Function::Rem, _)
            | Expr::Binary(
                Binary::Sum | Binary::Difference | Binary::Product | Binary::Quotient,
                ..,
            ) => {}
            Expr::Number(Number::Bool(_))
            | Expr::Access(_)
            | Expr::Binary(..)
            | Expr::Call(..)
            | Expr::Own(..)
            | Expr::Convert(..)
            | Expr::Reduce(..) => is_exact = false,
        });
        match (is_real, is_exact) {
            (true, _) => Dtype::F64,
            (false, true) => Dtype::Exact,
            (false, false) => around,
        }
    }

    /// Returns the type like [`leaning`](Reader::leaning), for several expressions.
    pub fn leanings(&self, parts: &[&Expr], around: Dtype) -> Dtype {
        let leanings: Vec<Dtype> = parts.iter().map(|part| self.leaning(part, around)).collect();
        let first = leanings.first().copied().unwrap_or(around);
        if leanings.iter().all(|leaning| *leaning == first) { first } else { Dtype::F64 }
    }
}
