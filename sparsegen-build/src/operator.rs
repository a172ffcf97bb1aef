//! Operators, which all stages use: of one value, and of two.
//!
//! Each operator of two values is a row of one table: its spelling in a statement and in Rust, its
//! operands, and its laws. Reductions, semirings and updates refer to it. Those of `values.rs`
//! evaluate the operators, which is all that a new one needs besides its row.

mod values;

use crate::types::{Domain, Dtype, Literal};

use BinaryOp::{
    Add, And, BitAnd, BitOr, Difference, Div, DivCeil, Ge, Gt, Le, Lt, Max, Min, Mul, Ne, Offset,
    Or, Rem, SaturatingAdd, SaturatingMul, SaturatingSub, Sub, Wrap, Xor,
};
use Kind::{Arithmetic, Comparison, Logic};
use Notation::{Absent, Name, Sign};
use Rust::{Infix, Method, Runtime};

/// The precedence of Rust's operators, in addition to those in the table.
pub mod precedence {
    /// The precedence of `as`.
    pub const CAST: u8 = 9;
    /// The precedence of `-` and `!`.
    pub const UNARY: u8 = 10;
    /// The precedence of expressions that need no parentheses.
    pub const PRIMARY: u8 = 11;
}

/// An operator of one value, a sign before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
}

impl UnaryOp {
    /// The precedence in a statement, above that of every operator of two values.
    pub const PRECEDENCE: u8 = 6;

    /// Returns the symbol, in a statement and in Rust.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Not => "!",
        }
    }

    /// Returns the operator with this symbol.
    pub fn of(symbol: &str) -> Option<UnaryOp> {
        [UnaryOp::Neg, UnaryOp::Not].into_iter().find(|op| op.symbol() == symbol)
    }
}

/// An operator of two values of one type, except for [`BinaryOp::Offset`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the table spells each operator")]
pub enum BinaryOp {
    Or,
    And,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    /// `a | b`, of integers.
    BitOr,
    /// `a & b`, of integers.
    BitAnd,
    /// `a.div_ceil(b)`, of indices.
    DivCeil,
    /// `a.saturating_add(b)`, of indices.
    SaturatingAdd,
    /// `a.saturating_mul(b)`, of indices.
    SaturatingMul,
    /// `a.saturating_sub(b)`, of indices.
    SaturatingSub,
    /// `kernel::wrap(a, b)`, of indices: the remainder of a division by a number that is usually a
    /// power of two.
    Wrap,
    /// `a.wrapping_add_signed(b)`: the sum of an index and a signed index. The sum is in bounds;
    /// intermediate values may not be.
    Offset,
    /// `a as isize - b as isize`: the difference of two indices.
    Difference,
}

/// The kinds of operators, by their operands and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of numbers, with a number as result.
    Arithmetic,
    /// With a truth value as result.
    Comparison,
    /// Of truth values, or of the bits of integers.
    Logic,
}

/// The spelling in Rust.
#[derive(Clone, Copy)]
enum Rust {
    /// `a + b`, with a precedence.
    Infix(&'static str, u8),
    /// `a.min(b)`
    Method(&'static str),
    /// `kernel::wrap(a, b)`
    Runtime(&'static str),
}

/// The spelling in a statement.
#[derive(Clone, Copy)]
enum Notation {
    /// `a + b`, with a precedence.
    Sign(&'static str, u8),
    /// `min(a, b)`
    Name(&'static str),
    /// Statements do not have the operator.
    Absent,
}

/// The properties of an operator.
#[derive(Clone, Copy)]
struct Row {
    op: BinaryOp,
    notation: Notation,
    rust: Rust,
    kind: Kind,
    domain: Domain,
    /// The sign of updates by the operator, such as `+=`.
    update: Option<&'static str>,
    laws: Option<Laws>,
}

/// The laws of an associative and commutative operator.
#[derive(Clone, Copy)]
struct Laws {
    /// The name of the reduction that combines values by the operator.
    reduction: &'static str,
    /// The value that does not change another one.
    identity: Literal,
    /// The value that determines the result for any other finite number.
    annihilator: Option<Literal>,
    /// `true` if equal values are combined to themselves.
    is_idempotent: bool,
}

impl Row {
    const fn new(op: BinaryOp, notation: Notation, rust: Rust, kind: Kind, domain: Domain) -> Row {
        Row { op, notation, rust, kind, domain, update: None, laws: None }
    }

    /// An operator of updates.
    const fn updates(self, sign: &'static str) -> Row {
        Row { update: Some(sign), ..self }
    }

    /// An associative and commutative operator.
    const fn reduces(
        self,
        reduction: &'static str,
        identity: Literal,
        annihilator: Option<Literal>,
    ) -> Row {
        Row { laws: Some(Laws { reduction, identity, annihilator, is_idempotent: false }), ..self }
    }

    /// An operator that also combines equal values to themselves.
    const fn chooses(self, reduction: &'static str, identity: Literal, zero: Literal) -> Row {
        let laws = Laws { reduction, identity, annihilator: Some(zero), is_idempotent: true };
        Row { laws: Some(laws), ..self }
    }
}

/// The derives are named like this variant.
const EQ: BinaryOp = BinaryOp::Eq;
const FALSE: Literal = Literal::Bool(false);
const TRUE: Literal = Literal::Bool(true);

/// The operators, in the order of the variants.
#[rustfmt::skip]
static TABLE: [Row; 25] = [
    Row::new(Or,  Sign("|", 1),  Infix("||", 1), Logic, Domain::Logic).chooses("any", FALSE, TRUE),
    Row::new(And, Sign("&", 2),  Infix("&&", 2), Logic, Domain::Logic).chooses("all", TRUE, FALSE),
    Row::new(Xor, Name("xor"),   Infix("^", 5),  Logic, Domain::Logic),
    Row::new(EQ,  Sign("==", 3), Infix("==", 3), Comparison, Domain::Any),
    Row::new(Ne,  Sign("!=", 3), Infix("!=", 3), Comparison, Domain::Any),
    Row::new(Lt,  Sign("<", 3),  Infix("<", 3),  Comparison, Domain::Ordered),
    Row::new(Le,  Sign("<=", 3), Infix("<=", 3), Comparison, Domain::Ordered),
    Row::new(Gt,  Sign(">", 3),  Infix(">", 3),  Comparison, Domain::Ordered),
    Row::new(Ge,  Sign(">=", 3), Infix(">=", 3), Comparison, Domain::Ordered),
    Row::new(Add, Sign("+", 4),  Infix("+", 7),  Arithmetic, Domain::Number)
        .reduces("sum", Literal::Int(0), None).updates("+="),
    Row::new(Sub, Sign("-", 4),  Infix("-", 7),  Arithmetic, Domain::Number).updates("-="),
    Row::new(Mul, Sign("*", 5),  Infix("*", 8),  Arithmetic, Domain::Number)
        .reduces("prod", Literal::Int(1), Some(Literal::Int(0))).updates("*="),
    Row::new(Div, Sign("/", 5),  Infix("/", 8),  Arithmetic, Domain::Number),
    Row::new(Rem, Name("rem"),   Infix("%", 8),  Arithmetic, Domain::Real),
    Row::new(Min, Name("min"),   Method("min"),  Arithmetic, Domain::Real)
        .chooses("min", Literal::Greatest, Literal::Least).updates("min="),
    Row::new(Max, Name("max"),   Method("max"),  Arithmetic, Domain::Real)
        .chooses("max", Literal::Least, Literal::Greatest).updates("max="),
    Row::new(BitOr,         Absent, Infix("|", 4), Arithmetic, Domain::Integer),
    Row::new(BitAnd,        Absent, Infix("&", 6), Arithmetic, Domain::Integer),
    Row::new(DivCeil,       Absent, Method("div_ceil"), Arithmetic, Domain::Index),
    Row::new(SaturatingAdd, Absent, Method("saturating_add"), Arithmetic, Domain::Index),
    Row::new(SaturatingMul, Absent, Method("saturating_mul"), Arithmetic, Domain::Index),
    Row::new(SaturatingSub, Absent, Method("saturating_sub"), Arithmetic, Domain::Index),
    Row::new(Wrap,          Absent, Runtime("wrap"), Arithmetic, Domain::Index),
    Row::new(Offset,        Absent, Method("wrapping_add_signed"), Arithmetic, Domain::Index),
    Row::new(Difference,    Absent, Infix("-", 7), Arithmetic, Domain::Index),
];

impl BinaryOp {
    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Returns the operator with this sign in a statement, and its precedence.
    pub fn of_sign(sign: &str) -> Option<(BinaryOp, u8)> {
        TABLE.iter().find_map(|row| match row.notation {
            Sign(known, precedence) if known == sign => Some((row.op, precedence)),
            _ => None,
        })
    }

    /// Returns the operators that statements call by a name.
    pub fn named() -> impl Iterator<Item = BinaryOp> {
        TABLE.iter().filter(|row| matches!(row.notation, Name(_))).map(|row| row.op)
    }

    /// Returns the operator of an update, such as `+=`.
    pub fn of_update(sign: &str) -> Option<BinaryOp> {
        TABLE.iter().find(|row| row.update == Some(sign)).map(|row| row.op)
    }

    /// Returns the sign of updates by the operator, such as `+=`.
    pub fn update_sign(self) -> Option<&'static str> {
        self.row().update
    }

    /// Returns the signs of all operators and updates.
    pub fn signs() -> impl Iterator<Item = &'static str> {
        let in_statements = TABLE.iter().filter(|row| matches!(row.notation, Sign(..)));
        let signs = in_statements.map(|row| row.op.name());
        signs.chain(TABLE.iter().filter_map(|row| row.update))
    }

    /// Returns the symbol or name in a statement, or that in Rust if statements do not have the
    /// operator.
    pub fn name(self) -> &'static str {
        match self.row().notation {
            Sign(name, _) | Name(name) => name,
            Absent => self.rust_name(),
        }
    }

    /// Returns the precedence in a statement, or `None` if it is written as a call.
    pub fn precedence(self) -> Option<u8> {
        if let Sign(_, precedence) = self.row().notation { Some(precedence) } else { None }
    }

    /// Returns the symbol, or the name of the method or function in Rust.
    pub fn rust_name(self) -> &'static str {
        let (Infix(name, _) | Method(name) | Runtime(name)) = self.row().rust;
        name
    }

    /// Returns the precedence in Rust; methods and functions have the highest.
    pub fn rust_precedence(self) -> u8 {
        if let Infix(_, precedence) = self.row().rust { precedence } else { precedence::PRIMARY }
    }

    /// Returns whether the operator is a method in Rust.
    pub fn is_method(self) -> bool {
        matches!(self.row().rust, Method(_))
    }

    /// Returns whether the operator is a sign between its operands in Rust, not a method or a
    /// function.
    pub fn is_infix(self) -> bool {
        matches!(self.row().rust, Infix(..))
    }

    /// Returns the kind of operands and result.
    pub fn kind(self) -> Kind {
        self.row().kind
    }

    /// Returns whether the result is a truth value for any operands.
    pub fn compares(self) -> bool {
        self.kind() == Comparison
    }

    /// Returns whether the operator is defined for operands of a type.
    pub fn takes(self, dtype: Dtype) -> bool {
        self.row().domain.contains(dtype)
    }

    /// Returns the operator of Rust on values of a type: sums and products of truth values are
    /// their disjunction and conjunction, and logical operators apply to the bits of integers.
    pub fn of_type(self, dtype: Dtype) -> BinaryOp {
        match (self, dtype) {
            (Add, Dtype::Bool) => Or,
            (Mul, Dtype::Bool) => And,
            (Or, dtype) if dtype != Dtype::Bool => BitOr,
            (And, dtype) if dtype != Dtype::Bool => BitAnd,
            (op, _) => op,
        }
    }
}

/// An associative and commutative operator with an identity element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Monoid(BinaryOp);

impl Monoid {
    /// `+`
    pub const ADD: Monoid = Monoid(Add);
    /// `*`
    pub const MUL: Monoid = Monoid(Mul);
    /// `min`
    pub const MIN: Monoid = Monoid(Min);
    /// `max`
    pub const MAX: Monoid = Monoid(Max);
    /// `|`
    pub const OR: Monoid = Monoid(Or);
    /// `&`
    pub const AND: Monoid = Monoid(And);

    /// Returns the operator with this symbol or name.
    pub fn of(name: &str) -> Option<Monoid> {
        TABLE.iter().find_map(|row| (row.op.name() == name).then(|| Monoid::from(row.op))?)
    }

    /// Returns an operator as a monoid, if it is one.
    pub fn from(op: BinaryOp) -> Option<Monoid> {
        op.row().laws.map(|_| Monoid(op))
    }

    /// Returns the operator.
    pub fn op(self) -> BinaryOp {
        self.0
    }

    fn laws(self) -> Laws {
        self.0.row().laws.expect("a monoid is an operator with laws")
    }

    /// Returns the name of the reduction that combines values by the operator.
    pub fn reduction(self) -> &'static str {
        self.laws().reduction
    }

    /// Returns the value that does not change another one.
    pub fn identity(self) -> Literal {
        self.laws().identity
    }

    /// Returns the value that determines the result for any other finite number.
    pub fn annihilator(self) -> Option<Literal> {
        self.laws().annihilator
    }

    /// Returns whether equal values are combined to themselves.
    pub fn is_idempotent(self) -> bool {
        self.laws().is_idempotent
    }
}

#[cfg(test)]
mod tests;
