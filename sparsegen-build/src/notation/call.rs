//! What stands in an expression beside sums, products and their reductions: functions, comparisons,
//! logic, conversions and masks.

use crate::math;
use crate::types::{Dtype, Literal};

use super::mask::are_opposite;
use super::semiring::is_same;
use super::{BinaryOp, Expr, Own, Semiring, VariableId};

/// What is made of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `sqrt(a)`
    Math(math::Function),
    /// `sqrt(a)` of complex numbers of a type: of some real numbers it has another value than the real
    /// function.
    Complex(math::Function, Dtype),
    /// A function of the user's.
    Own(Own),
    /// `a / b`, of integers: towards zero. It is no factor: of a sum it is not the sum of quotients.
    Quotient,
    /// `rem(a, b)`, of integers.
    Remainder,
    /// `!a`, of conditions.
    Not,
    /// `!a`, of integers: every bit turned.
    Complement,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `xor(a, b)`
    Xor,
    /// `a < b`
    Less,
    /// `a <= b`
    LessEqual,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `select(c, a, b)`
    Select,
    /// `present(a)`: whether a value differs from a second argument, what it is where nothing is
    /// stored.
    Present,
    /// Whether anything went into a temporary, where loops have made one of a reduction.
    Found,
    /// `f64(a)`
    Convert(Dtype),
    /// What a symbol of a semiring stands for, to a function.
    Number(Semiring),
    /// A number as a symbol of a semiring.
    Symbol(Semiring),
    /// `c * a`, where `c` is a condition of which entries there are, or of where they stand.
    Mask,
}

impl Function {
    /// Its name or sign in a statement.
    pub fn symbol(self) -> &'static str {
        match self {
            Function::Math(function) | Function::Complex(function, _) => function.name(),
            Function::Quotient => "/",
            Function::Remainder => "rem",
            Function::Not | Function::Complement => "!",
            Function::And => "&",
            Function::Or => "|",
            Function::Xor => "xor",
            Function::Less => "<",
            Function::LessEqual => "<=",
            Function::Equal => "==",
            Function::NotEqual => "!=",
            Function::Select => "select",
            Function::Present => "present",
            Function::Found => "found",
            Function::Convert(dtype) => dtype.name(),
            Function::Mask => "*",
            Function::Own(_) | Function::Number(_) | Function::Symbol(_) => "",
        }
    }

    /// How tightly its sign binds; nothing where it is written as a call.
    pub fn precedence(self) -> Option<u8> {
        match self {
            Function::Or => Some(1),
            Function::And => Some(2),
            Function::Less | Function::LessEqual | Function::Equal | Function::NotEqual => Some(3),
            Function::Mask | Function::Quotient => Some(BinaryOp::Mul.precedence()),
            Function::Not | Function::Complement => Some(6),
            Function::Math(_)
            | Function::Complex(..)
            | Function::Own(_)
            | Function::Remainder
            | Function::Xor
            | Function::Select
            | Function::Present
            | Function::Found
            | Function::Number(_)
            | Function::Symbol(_)
            | Function::Convert(_) => None,
        }
    }

    /// Whether its value is a condition, whatever its arguments are.
    pub fn compares(self) -> bool {
        match self {
            Function::Less
            | Function::LessEqual
            | Function::Equal
            | Function::NotEqual
            | Function::Present
            | Function::Found => true,
            Function::Math(_)
            | Function::Complex(..)
            | Function::Own(_)
            | Function::Quotient
            | Function::Remainder
            | Function::Not
            | Function::Complement
            | Function::And
            | Function::Or
            | Function::Xor
            | Function::Select
            | Function::Convert(_)
            | Function::Number(_)
            | Function::Symbol(_)
            | Function::Mask => false,
        }
    }
}

impl Expr {
    /// A function's value: constants are folded, and conditions that are known decide.
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
            (Function::And | Function::Or, Ok([a, b])) => {
                let decided = function == Function::Or;
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
            (Function::Mask, Ok([condition, value])) => match condition.as_truth() {
                _ if value.is_zero() => Expr::ZERO,
                Some(true) => value,
                Some(false) => Expr::ZERO,
                None => match value {
                    Expr::Call(Function::Mask, inner) => {
                        let [within, value] = pair(inner);
                        let both = Expr::call(Function::And, vec![condition, within]);
                        Expr::Call(Function::Mask, vec![both, value])
                    }
                    value => Expr::Call(Function::Mask, vec![condition, value]),
                },
            },
            // It has the pattern of the dividend.
            (Function::Quotient, Ok([dividend, _])) if dividend.is_zero() => dividend,
            (Function::Quotient, Ok([dividend, divisor])) if divisor.is_one() => dividend,
            (Function::Quotient, Ok([Expr::Call(Function::Mask, masked), divisor])) => {
                let [condition, dividend] = pair(masked);
                let divided = Expr::call(function, vec![dividend, divisor]);
                Expr::call(Function::Mask, vec![condition, divided])
            }
            (_, Ok(two)) => Expr::Call(function, two.into()),
            (Function::Select, Err(three)) => match three[0].as_truth() {
                Some(holds) => {
                    three.into_iter().nth(if holds { 1 } else { 2 }).unwrap_or(Expr::ZERO)
                }
                None if are_same(&three[1], &three[2]) => {
                    three.into_iter().nth(1).unwrap_or(Expr::ZERO)
                }
                // What is not stored is zero.
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

    /// The constant that it is.
    pub fn as_literal(&self) -> Option<Literal> {
        if let Expr::Literal(literal) = self { Some(*literal) } else { None }
    }

    /// Whether it is the same wherever it stands, known or not.
    pub fn is_constant(&self) -> bool {
        matches!(self, Expr::Literal(_) | Expr::Constant(_))
    }

    /// The conditions that all have to hold for this one to hold.
    pub fn conjuncts(&self) -> Vec<&Expr> {
        match self {
            Expr::Call(Function::And, both) => both.iter().flat_map(Expr::conjuncts).collect(),
            other => vec![other],
        }
    }

    /// Whether all its bits are set or none is, where that is the same for integers and conditions.
    fn as_bits(&self) -> Option<bool> {
        match self.as_literal()? {
            Literal::Bool(truth) => Some(truth),
            literal => literal.is_zero().then_some(false),
        }
    }

    fn as_truth(&self) -> Option<bool> {
        self.as_literal().and_then(Literal::as_bool)
    }

    /// Whether a number tells of where an entry stands.
    pub fn is_place(&self) -> bool {
        match self {
            Expr::Literal(Literal::Int(_)) | Expr::Index(_) | Expr::Parameter(_) => true,
            Expr::Unary(_, a) => a.is_place(),
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
                a.is_place() && b.is_place()
            }
            Expr::Call(Function::Quotient | Function::Remainder, both) => {
                both.iter().all(Expr::is_place)
            }
            Expr::Literal(_)
            | Expr::Constant(_)
            | Expr::Access(_)
            | Expr::Binary(BinaryOp::Div, ..)
            | Expr::Call(..)
            | Expr::Reduce(_) => false,
        }
    }
}

/// Whether two values are the same wherever they stand.
pub(super) fn are_same(a: &Expr, b: &Expr) -> bool {
    match (a.as_literal(), b.as_literal()) {
        (Some(a), Some(b)) => is_same(a, b),
        (_, _) => a == b,
    }
}

/// Whether a condition is that a value is there at all.
fn tests(condition: &Expr, value: &Expr) -> bool {
    matches!(condition, Expr::Call(Function::Present, of)
        if of[0] == *value && of[1].is_zero())
}

/// The two arguments of a call that has two.
fn pair(arguments: Vec<Expr>) -> [Expr; 2] {
    <[Expr; 2]>::try_from(arguments).unwrap_or([Expr::ZERO, Expr::ZERO])
}

/// How often a variable is added up in a number, those that are subtracted taken off; far off 1 where
/// that cannot be told.
pub fn count_of(v: VariableId, place: &Expr) -> i64 {
    const UNKNOWN: i64 = 1 << 20;
    match place {
        Expr::Index(other) => i64::from(*other == v),
        Expr::Literal(_) | Expr::Constant(_) | Expr::Parameter(_) => 0,
        Expr::Unary(_, a) => -count_of(v, a),
        Expr::Binary(BinaryOp::Add, a, b) => count_of(v, a) + count_of(v, b),
        Expr::Binary(BinaryOp::Sub, a, b) => count_of(v, a) - count_of(v, b),
        Expr::Binary(BinaryOp::Mul | BinaryOp::Div, a, b) => {
            if count_of(v, a) == 0 && count_of(v, b) == 0 { 0 } else { UNKNOWN }
        }
        Expr::Access(_) | Expr::Call(..) | Expr::Reduce(_) => UNKNOWN,
    }
}

/// The value for constants; nothing where it differs between types, or there is none.
fn fold(function: Function, arguments: &[Literal]) -> Option<Literal> {
    let truth = |k: usize| arguments.get(k).copied().and_then(Literal::as_bool);
    let compare = |holds: fn(f64, f64) -> bool| match arguments {
        [Literal::Bool(a), Literal::Bool(b)] => {
            Some(Literal::Bool(holds(f64::from(*a), f64::from(*b))))
        }
        [a, b] => Some(Literal::Bool(holds(number(*a)?, number(*b)?))),
        _ => None,
    };
    match function {
        Function::Math(function) => function.of_literals(arguments),
        // Where the real function has a finite value, the complex one has the same.
        Function::Complex(function, _) => {
            let value = function.of_literals(arguments)?;
            matches!(value, Literal::Int(_) | Literal::Float(_)).then_some(value)
        }
        Function::Quotient => integers(arguments, i64::checked_div),
        Function::Remainder => integers(arguments, i64::checked_rem),
        Function::Not => Some(Literal::Bool(!truth(0)?)),
        Function::And => bits(arguments, |a, b| a & b),
        Function::Or => bits(arguments, |a, b| a | b),
        Function::Xor => bits(arguments, |a, b| a ^ b),
        Function::Less => compare(|a, b| a < b),
        Function::LessEqual => compare(|a, b| a <= b),
        Function::Equal => compare(|a, b| a == b),
        Function::NotEqual => compare(|a, b| a != b),
        Function::Present => Some(Literal::Bool(!is_same(arguments[0], arguments[1]))),
        // It is known what it is because nothing was.
        Function::Found => Some(Literal::Bool(false)),
        Function::Convert(dtype) => convert(arguments[0], dtype),
        // These depend on more than literals: of zero it is another number in each type.
        Function::Complement
        | Function::Own(_)
        | Function::Select
        | Function::Mask
        | Function::Number(_)
        | Function::Symbol(_) => None,
    }
}

/// A value for two integers.
fn integers(arguments: &[Literal], value: fn(i64, i64) -> Option<i64>) -> Option<Literal> {
    let [Literal::Int(a), Literal::Int(b)] = *arguments else { return None };
    value(a, b).map(Literal::Int)
}

/// A value for two integers, bit by bit, or for two conditions.
fn bits(arguments: &[Literal], value: fn(i64, i64) -> i64) -> Option<Literal> {
    if let [Literal::Int(a), Literal::Int(b)] = *arguments {
        return Some(Literal::Int(value(a, b)));
    }
    let [a, b] = *arguments else { return None };
    Some(Literal::Bool(value(a.as_bool()?.into(), b.as_bool()?.into()) != 0))
}

fn number(literal: Literal) -> Option<f64> {
    literal.as_real().or(literal.as_bool().map(f64::from))
}

/// A constant converted, where it stays the same.
fn convert(literal: Literal, dtype: Dtype) -> Option<Literal> {
    if dtype == Dtype::Bool {
        return Some(Literal::Bool(literal.as_bool().or(literal.as_real().map(|x| x != 0.0))?));
    }
    let Some(real) = literal.as_real() else {
        return literal.as_bool().map(|truth| Literal::Int(truth.into()));
    };
    Some(match (literal, dtype.integers()) {
        (Literal::Int(n), Some(range)) => {
            let (least, greatest) = range.into_inner();
            let wrapped = (i128::from(n) - least).rem_euclid(greatest - least + 1) + least;
            Literal::Int(i64::try_from(wrapped).ok()?)
        }
        (_, Some(range)) => {
            let (least, greatest) = range.into_inner();
            Literal::Int(i64::try_from((real as i128).clamp(least, greatest)).ok()?)
        }
        (Literal::Int(n @ (0 | 1)), None) => Literal::Int(n),
        // What these are rounded to is left to generated code.
        (_, None) if dtype.is_half() || dtype == Dtype::Generic => return None,
        (_, None) if dtype.real() == Dtype::F32 => Literal::real(f64::from(real as f32)),
        (_, None) => Literal::real(real),
    })
}
