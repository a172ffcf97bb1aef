//! Expressions other than sums, products and reductions: functions, comparisons, logic, conversions
//! and masks.

mod distance;
mod fold;

use crate::coordinate::Affine;
use crate::math;
use crate::operator::{Kind, UnaryOp};
use crate::types::{Dtype, Literal};

use super::mask::are_opposite;
use super::{BinaryOp, Expr, Own, Semiring, TensorId, VariableId};

use distance::distance;
use fold::fold;

/// The operator of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `sqrt(a)`
    Math(math::Function),
    /// `sqrt(a)` for complex numbers of a type: its value for some real numbers differs from that
    /// of the real function.
    Complex(math::Function, Dtype),
    /// A user function.
    Own(Own),
    /// `a < b`, `min(a, b)`: an operator of numbers, or of truth values.
    Operator(BinaryOp),
    /// `a / b` of integers, rounded towards zero. It does not distribute over sums.
    Quotient,
    /// `a / b` of complex numbers; division by zero differs from that of real numbers.
    Ratio,
    /// `rem(a, b)`, of integers.
    Remainder,
    /// `!a` of a truth value.
    Not,
    /// `!a` of an integer: the bitwise complement.
    Complement,
    /// `select(c, a, b)`
    Select,
    /// `present(a)`: whether a value differs from the second argument, its value at unstored
    /// operands.
    Present,
    /// Whether an operand has an entry, which may be zero. Merged loops know it: nothing is computed.
    Stored,
    /// `true` if an entry was found for a temporary that replaces a reduction. It has no arguments.
    Found(TensorId),
    /// The extent of a variable. It has no arguments.
    Extent(VariableId),
    /// `f64(a)`
    Convert(Dtype),
    /// The number of a symbol of a semiring.
    Number(Semiring),
    /// The symbol of a semiring for a number.
    Symbol(Semiring),
    /// `c * a`, where `c` is a predicate over index variables or the presence of entries.
    Mask,
    /// `a` as an entry of a result: absent if it is known to be the second argument, the result's
    /// fill value, and an entry with the value `a` otherwise, even if that is zero.
    Entry,
}

impl Function {
    /// Returns the function of numbers with this name in a statement.
    pub fn of(name: &str) -> Option<Function> {
        let operator = || BinaryOp::named().find(|op| op.name() == name).map(Function::Operator);
        math::Function::of(name).map(Function::Math).or_else(operator)
    }

    /// Returns the name or symbol in a statement.
    pub fn symbol(self) -> &'static str {
        match self {
            Function::Math(function) | Function::Complex(function, _) => function.name(),
            Function::Operator(op) => op.name(),
            Function::Quotient | Function::Ratio => BinaryOp::Div.name(),
            Function::Remainder => BinaryOp::Rem.name(),
            Function::Not | Function::Complement => UnaryOp::Not.symbol(),
            Function::Select => "select",
            Function::Present => "present",
            Function::Stored => "stored",
            Function::Found(_) => "found",
            Function::Extent(_) => "extent",
            Function::Convert(dtype) => dtype.name(),
            Function::Mask => BinaryOp::Mul.name(),
            Function::Entry => "entry",
            Function::Own(_) | Function::Number(_) | Function::Symbol(_) => "",
        }
    }

    /// Returns the precedence of the operator, or `None` for a call.
    pub fn precedence(self) -> Option<u8> {
        match self {
            Function::Operator(op) => op.precedence(),
            Function::Quotient | Function::Ratio => BinaryOp::Div.precedence(),
            Function::Mask => BinaryOp::Mul.precedence(),
            Function::Not | Function::Complement => Some(UnaryOp::PRECEDENCE),
            Function::Math(_)
            | Function::Complex(..)
            | Function::Own(_)
            | Function::Remainder
            | Function::Select
            | Function::Present
            | Function::Stored
            | Function::Found(_)
            | Function::Extent(_)
            | Function::Number(_)
            | Function::Symbol(_)
            | Function::Convert(_)
            | Function::Entry => None,
        }
    }

    /// Returns whether a function of numbers is defined for arguments of a type.
    pub fn takes(self, dtype: Dtype) -> bool {
        match self {
            Function::Math(function) => function.takes(dtype),
            Function::Operator(op) => op.takes(dtype),
            _ => true,
        }
    }

    /// Returns the type of a function of numbers for arguments of a type.
    pub fn result(self, dtype: Dtype) -> Dtype {
        if let Function::Math(function) = self { function.result(dtype) } else { dtype }
    }

    /// Returns whether the value is a truth value for any arguments.
    pub fn compares(self) -> bool {
        match self {
            Function::Operator(op) => op.compares(),
            function => {
                matches!(function, Function::Present | Function::Stored | Function::Found(_))
            }
        }
    }

    /// Returns whether the value is a truth value if the arguments are.
    pub fn is_logic(self) -> bool {
        match self {
            Function::Operator(op) => op.kind() == Kind::Logic,
            function => function == Function::Not,
        }
    }
}

impl Expr {
    /// Returns a call, folded: constants are evaluated, and known conditions are applied.
    pub fn call(function: Function, arguments: Vec<Expr>) -> Expr {
        let literals: Option<Vec<Literal>> = arguments.iter().map(Expr::as_literal).collect();
        if let Some(folded) = literals.and_then(|literals| fold(function, &literals)) {
            return Expr::Literal(folded);
        }
        if let Function::Own(own) = function
            && let Some(folded) = own.fold(&arguments)
        {
            return folded;
        }
        match (function, <[Expr; 2]>::try_from(arguments)) {
            (Function::Operator(op @ (BinaryOp::And | BinaryOp::Or)), Ok([a, b])) => {
                let decided = op == BinaryOp::Or;
                match (a.as_bits(), b.as_bits()) {
                    (Some(known), _) if known == decided => a,
                    (_, Some(known)) if known == decided => b,
                    (Some(_), _) => b,
                    (_, Some(_)) => a,
                    (None, None) if a == b => a,
                    (None, None) if are_opposite(&a, &b) => Expr::Literal(Literal::Bool(decided)),
                    (None, None) => Expr::Call(function, vec![a, b]),
                }
            }
            (Function::Operator(op), Ok([a, b])) if let Some(sides) = distance(op, &a, &b) => sides,
            // A value that reads no stored value equals its own value at unstored operands, also if that is NaN.
            (Function::Present, Ok([value, fill])) if value == fill => {
                Expr::Literal(Literal::Bool(false))
            }
            (Function::Mask, Ok([condition, value])) => match condition.as_truth() {
                _ if value.is_zero() => Expr::ZERO,
                Some(true) => value,
                Some(false) => Expr::ZERO,
                None => match value {
                    Expr::Call(Function::Mask, inner) => {
                        let [within, value] = pair(inner);
                        let both = Expr::binary(BinaryOp::And, condition, within);
                        Expr::Call(Function::Mask, vec![both, value])
                    }
                    value => Expr::Call(Function::Mask, vec![condition, value]),
                },
            },
            // A quotient has the sparsity pattern of its dividend.
            (Function::Quotient | Function::Ratio, Ok([dividend, _])) if dividend.is_zero() => {
                dividend
            }
            (Function::Quotient | Function::Ratio, Ok([dividend, divisor])) if divisor.is_one() => {
                dividend
            }
            (
                Function::Quotient | Function::Ratio,
                Ok([Expr::Call(Function::Mask, masked), divisor]),
            ) => {
                let [condition, dividend] = pair(masked);
                let divided = Expr::call(function, vec![dividend, divisor]);
                Expr::call(Function::Mask, vec![condition, divided])
            }
            // Also of 0 and of NaN.
            (Function::Math(math::Function::Pow), Ok([_, exponent])) if exponent.is_zero() => {
                Expr::Literal(Literal::Int(1))
            }
            (_, Ok(two)) => Expr::Call(function, two.into()),
            (Function::Select, Err(three)) => match three[0].as_truth() {
                Some(holds) => {
                    three.into_iter().nth(if holds { 1 } else { 2 }).unwrap_or(Expr::ZERO)
                }
                None if are_same(&three[1], &three[2]) => {
                    three.into_iter().nth(1).unwrap_or(Expr::ZERO)
                }
                // The value is zero where it is not stored.
                None if three[2].is_zero() && tests(&three[0], &three[1]) => {
                    three.into_iter().nth(1).unwrap_or(Expr::ZERO)
                }
                None => Expr::Call(function, three),
            },
            (Function::Number(semiring), Err(mut one)) => match one.pop() {
                Some(Expr::Literal(symbol)) => semiring.number(symbol).expr(),
                Some(Expr::Call(Function::Symbol(_), mut inner)) => {
                    inner.pop().unwrap_or(Expr::ZERO)
                }
                inner => Expr::Call(function, inner.into_iter().collect()),
            },
            (Function::Symbol(semiring), Err(mut one)) => match one.pop() {
                Some(number) if let Some(symbol) = semiring.symbol(&number) => {
                    Expr::Literal(symbol)
                }
                Some(Expr::Call(Function::Number(_), mut inner)) => {
                    inner.pop().unwrap_or(Expr::ZERO)
                }
                inner => Expr::Call(function, inner.into_iter().collect()),
            },
            (Function::Not, Err(mut one)) => match one.pop() {
                Some(Expr::Call(Function::Not, mut inner)) => inner.pop().unwrap_or(Expr::ZERO),
                inner => Expr::Call(function, inner.into_iter().collect()),
            },
            (_, Err(others)) => Expr::Call(function, others),
        }
    }

    /// Returns the literal, if it is one.
    pub fn as_literal(&self) -> Option<Literal> {
        if let Expr::Literal(literal) = self { Some(*literal) } else { None }
    }

    /// Returns the extent of a variable.
    pub fn extent(v: VariableId) -> Expr {
        Expr::Call(Function::Extent(v), Vec::new())
    }

    /// Returns the variables whose extents are multiplied in `n < extent(i) * extent(k)`, the test
    /// whether a number of coordinates is not that of all. It holds for 0 unless a range is empty.
    pub fn is_fewer_than_all(&self) -> Option<(&Expr, Vec<VariableId>)> {
        fn extents(expr: &Expr, variables: &mut Vec<VariableId>) -> Option<()> {
            match expr {
                Expr::Call(Function::Extent(v), _) => variables.push(*v),
                Expr::Binary(BinaryOp::Mul, a, b) => {
                    extents(a, variables)?;
                    extents(b, variables)?;
                }
                _ => return None,
            }
            Some(())
        }
        let Expr::Call(Function::Operator(BinaryOp::Lt), sides) = self else { return None };
        let [number, all] = &sides[..] else { return None };
        let mut variables = Vec::new();
        extents(all, &mut variables)?;
        Some((number, variables))
    }

    /// Returns whether the value is the same everywhere, known or unknown.
    pub fn is_constant(&self) -> bool {
        matches!(self, Expr::Literal(_) | Expr::Constant(_))
    }

    /// Returns the conditions whose conjunction this is.
    pub fn conjuncts(&self) -> Vec<&Expr> {
        match self {
            Expr::Call(Function::Operator(BinaryOp::And), both) => {
                both.iter().flat_map(Expr::conjuncts).collect()
            }
            other => vec![other],
        }
    }

    /// Returns the conditions whose disjunction this is.
    pub fn disjuncts(&self) -> Vec<&Expr> {
        match self {
            Expr::Call(Function::Operator(BinaryOp::Or), both) => {
                both.iter().flat_map(Expr::disjuncts).collect()
            }
            other => vec![other],
        }
    }

    /// Returns `true` if all its bits are set, `false` if none is, and `None` if that is unknown or
    /// differs between integers and truth values.
    fn as_bits(&self) -> Option<bool> {
        match self.as_literal()? {
            Literal::Bool(truth) => Some(truth),
            literal => literal.is_zero().then_some(false),
        }
    }

    fn as_truth(&self) -> Option<bool> {
        self.as_literal().and_then(Literal::as_bool)
    }

    /// Returns whether this is an index expression: a sum of index variables, parameters and
    /// integers, or of their products and quotients.
    pub fn is_place(&self) -> bool {
        self.as_affine().is_some()
    }

    /// Returns `a - b` as an affine function, if both are index expressions of that form.
    pub fn difference(a: &Expr, b: &Expr) -> Option<Affine<Expr>> {
        a.as_affine()?.minus(&b.as_affine()?)
    }

    /// Returns an index expression as an affine function of indices, of parameters, and of products
    /// and quotients of such functions.
    pub fn as_affine(&self) -> Option<Affine<Expr>> {
        match self {
            Expr::Literal(Literal::Int(n)) => Some(Affine::constant(*n)),
            Expr::Index(_) | Expr::Parameter(_) => Some(Affine::variable(self.clone())),
            Expr::Neg(a) => a.as_affine()?.times(-1),
            Expr::Binary(BinaryOp::Add, a, b) => a.as_affine()?.plus(&b.as_affine()?),
            Expr::Binary(BinaryOp::Sub, a, b) => Expr::difference(a, b),
            Expr::Binary(BinaryOp::Mul, a, b) => {
                let [a, b] = [a.as_affine()?, b.as_affine()?];
                match (a.as_constant(), b.as_constant()) {
                    (_, Some(factor)) => a.times(factor),
                    (Some(factor), None) => b.times(factor),
                    (None, None) => Some(Affine::variable(self.clone())),
                }
            }
            Expr::Call(Function::Quotient | Function::Remainder, both) => {
                both.iter().all(Expr::is_place).then(|| Affine::variable(self.clone()))
            }
            Expr::Literal(_)
            | Expr::Constant(_)
            | Expr::Access(_)
            | Expr::Binary(..)
            | Expr::Call(..)
            | Expr::Reduce(_) => None,
        }
    }

    /// Returns whether a parameter is part of the value.
    pub fn has_parameter(&self) -> bool {
        matches!(self, Expr::Parameter(_)) || self.children().any(Expr::has_parameter)
    }
}

/// Returns whether two values are equal everywhere.
pub(super) fn are_same(a: &Expr, b: &Expr) -> bool {
    match (a.as_literal(), b.as_literal()) {
        (Some(a), Some(b)) => a.is_same(b),
        (_, _) => a == b,
    }
}

/// Returns whether a condition is the presence of a value.
fn tests(condition: &Expr, value: &Expr) -> bool {
    matches!(condition, Expr::Call(Function::Present, of)
        if of[0] == *value && of[1].is_zero())
}

/// Returns the two arguments of a binary call.
fn pair(arguments: Vec<Expr>) -> [Expr; 2] {
    <[Expr; 2]>::try_from(arguments).unwrap_or([Expr::ZERO, Expr::ZERO])
}
