//! User functions of the corpus: their declarations, their meaning, and the functions that
//! generated code calls.
//!
//! These functions assert that they are called only within their regions.

use std::ops::{Add, Mul, Sub};

use crate::dtype::Dtype;
use crate::number::Number;
use crate::oracle::Fault;
use crate::oracle::arithmetic::Op;
use crate::statement::Function;

/// A user function.
#[derive(Debug)]
pub struct Own {
    /// The name in statements.
    pub name: &'static str,
    /// The declaration in a manifest.
    pub declaration: &'static str,
    /// The regions with their meanings; the first one that holds applies, and the default is the
    /// fill value.
    pub regions: &'static [(Place, Meaning)],
}

/// The value for numbers of a type.
pub type Meaning = fn(&[Number], Dtype) -> Result<Number, Fault>;

/// A region, given by the presence of arguments.
#[derive(Debug)]
pub enum Place {
    /// All coordinates.
    Everywhere,
    /// The coordinates at which the argument with this number is present.
    In(usize),
    /// The complement.
    Not(&'static Place),
    /// The intersection.
    And(&'static Place, &'static Place),
    /// The union.
    Or(&'static Place, &'static Place),
}

use Place::{And, Everywhere, In, Not, Or};

const A: Place = In(0);
const B: Place = In(1);
const C: Place = In(2);

/// The functions of the corpus.
static OWN: [Own; 9] = [
    Own {
        name: "relu",
        declaration: "path = \"sparsegen_harness::own::relu\"\nargs = [\"a\"]\nstores = \"a\"",
        regions: &[(A, |n, _| Ok(if n[0].re() < 0.0 { zero(n[0]) } else { n[0] }))],
    },
    Own {
        name: "lifted",
        declaration: "path = \"sparsegen_harness::own::lifted\"\nargs = [\"a\"]",
        regions: &[(Everywhere, |n, dtype| plus(n[0], one(n[0]), dtype))],
    },
    Own {
        name: "twice",
        declaration: "path = \"sparsegen_harness::own::twice\"\nargs = [\"a\", \"b\"]\nannihilator = 0",
        regions: &[(And(&A, &B), |n, dtype| {
            let product = times(n[0], n[1], dtype)?;
            plus(product, product, dtype)
        })],
    },
    Own {
        name: "summed",
        declaration: "path = \"sparsegen_harness::own::summed\"\nargs = [\"a\", \"b\"]\nidentity = 0\ncommutative = true\nassociative = true",
        regions: &[(Or(&A, &B), |n, dtype| plus(n[0], n[1], dtype))],
    },
    Own {
        name: "larger",
        declaration: "path = \"sparsegen_harness::own::larger\"\nargs = [\"x\", \"y\"]\nidempotent = true",
        regions: &[(Or(&A, &B), |n, _| Ok(if n[0].re() < n[1].re() { n[1] } else { n[0] }))],
    },
    Own {
        name: "parted",
        declaration: "path = \"sparsegen_harness::own::parted\"\nargs = [\"a\", \"b\"]\nstores = \"(a & !b) | (b & !a)\"",
        regions: &[(Or(&And(&A, &Not(&B)), &And(&B, &Not(&A))), |n, dtype| {
            minus(n[0], n[1], dtype)
        })],
    },
    Own {
        name: "without",
        declaration: "path = \"sparsegen_harness::own::without\"\nargs = [\"a\", \"b\"]\nstores = \"a & !b\"",
        regions: &[(And(&A, &Not(&B)), |n, dtype| plus(n[0], n[0], dtype))],
    },
    Own {
        name: "blend",
        declaration: "args = [\"a\", \"b\"]\nregions = [[\"a & b\", \"sparsegen_harness::own::both\"], [\"a\", \"sparsegen_harness::own::left\"], [\"b & !a\", \"sparsegen_harness::own::right\"]]",
        regions: &[
            (And(&A, &B), |n, dtype| minus(n[0], plus(n[1], n[1], dtype)?, dtype)),
            (A, |n, _| Ok(n[0])),
            (B, |n, dtype| plus(n[1], n[1], dtype)),
        ],
    },
    Own {
        name: "choice",
        declaration: "path = \"sparsegen_harness::own::choice\"\nargs = [\"a\", \"b\", \"c\"]\nstores = \"(a & b) | (a & !c)\"",
        regions: &[(Or(&And(&A, &B), &And(&A, &Not(&C))), |n, dtype| {
            minus(plus(n[0], n[1], dtype)?, n[2], dtype)
        })],
    },
];

/// A semiring whose operations are user functions.
pub const BY_PATHS: &str = "add = \"sparsegen_harness::own::lesser\"\nmul = \"sparsegen_harness::own::lengthened\"\nzero = \"inf\"\none = 0";

/// The same semiring for reals, with user constants as zero and one.
pub const BY_CONSTANTS: &str = "add = \"min\"\nmul = \"+\"\nzero = \"sparsegen_harness::own::FAR\"\none = \"sparsegen_harness::own::HERE\"";

/// The same semiring for integers, with user functions.
pub const BY_WHOLE_CONSTANTS: &str = "add = \"sparsegen_harness::own::lesser\"\nmul = \"sparsegen_harness::own::lengthened\"\nzero = \"sparsegen_harness::own::WHOLE_FAR\"\none = 0";

/// A length that exceeds all others, as zero of the semiring.
pub const FAR: f64 = 1e300;

/// The length of an empty path, as one of the semiring.
pub const HERE: f64 = 0.0;

/// A length that exceeds all others, as zero of the semiring.
pub const WHOLE_FAR: i64 = 1_000_000_000_000_000;

impl Own {
    /// Returns the function with this name.
    pub fn named(name: &str) -> Option<&'static Own> {
        OWN.iter().find(|own| own.name == name)
    }

    /// Returns the number of arguments.
    pub fn arity(&self) -> usize {
        let args = self.declaration.split("args = [").nth(1).unwrap_or_default();
        args.split(']').next().unwrap_or_default().split(',').count()
    }

    /// Returns the header of its table in a manifest.
    pub fn header(&self) -> String {
        format!("[functions.{}]", self.name)
    }

    /// Evaluates the function or constant at a path.
    pub fn called(path: &str, numbers: &[Number], dtype: Dtype) -> Option<Number> {
        let name = path.rsplit("::").next()?;
        match (name, numbers) {
            ("FAR", []) => return Some(Number::Real(FAR)),
            ("HERE", []) => return Some(Number::Real(HERE)),
            ("WHOLE_FAR", []) => return Some(Number::Whole(WHOLE_FAR.into())),
            _ => {}
        }
        if let ("lesser", [a, b]) = (name, numbers) {
            return Op::Function(Function::Min).apply(&[*a, *b], dtype).ok();
        }
        if let ("lengthened", [a, b]) = (name, numbers) {
            return plus(*a, *b, dtype).ok();
        }
        let (own, k) = match name {
            "both" => ("blend", 0),
            "left" => ("blend", 1),
            "right" => ("blend", 2),
            name => (name, 0),
        };
        (Own::named(own)?.regions[k].1)(numbers, dtype).ok()
    }
}

impl PartialEq for Own {
    fn eq(&self, other: &Own) -> bool {
        self.name == other.name
    }
}

fn plus(a: Number, b: Number, dtype: Dtype) -> Result<Number, Fault> {
    Op::Add.apply(&[a, b], dtype)
}

fn minus(a: Number, b: Number, dtype: Dtype) -> Result<Number, Fault> {
    Op::Subtract.apply(&[a, b], dtype)
}

fn times(a: Number, b: Number, dtype: Dtype) -> Result<Number, Fault> {
    Op::Multiply.apply(&[a, b], dtype)
}

fn zero(like: Number) -> Number {
    if matches!(like, Number::Whole(_)) { Number::Whole(0) } else { Number::ZERO }
}

fn one(like: Number) -> Number {
    if matches!(like, Number::Whole(_)) { Number::Whole(1) } else { Number::Real(1.0) }
}

/// The element types of the functions.
pub trait Element:
    sparsegen::Value + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// Returns whether an argument is present.
    fn is_in(self) -> bool {
        self != Self::ZERO
    }
}

impl<T> Element for T where
    T: sparsegen::Value + PartialOrd + Add<Output = T> + Sub<Output = T> + Mul<Output = T>
{
}

/// Returns the maximum of `a` and 0.
pub fn relu<T: Element>(a: T) -> T {
    assert!(a.is_in());
    if a < T::ZERO { T::ZERO } else { a }
}

/// Returns `a + 1`.
pub fn lifted<T: Element>(a: T) -> T {
    a + T::ONE
}

/// Returns twice the product.
pub fn twice<T: Element>(a: T, b: T) -> T {
    assert!(a.is_in() && b.is_in());
    a * b + a * b
}

/// Returns the sum.
pub fn summed<T: Element>(a: T, b: T) -> T {
    assert!(a.is_in() || b.is_in());
    a + b
}

/// Returns the maximum.
pub fn larger<T: Element>(a: T, b: T) -> T {
    assert!(a.is_in() || b.is_in());
    if a < b { b } else { a }
}

/// Returns the difference, of which exactly one argument is present.
pub fn parted<T: Element>(a: T, b: T) -> T {
    assert!(a.is_in() != b.is_in());
    a - b
}

/// Returns `2 * a`; `b` must be absent.
pub fn without<T: Element>(a: T, b: T) -> T {
    assert!(a.is_in() && !b.is_in());
    a + a
}

/// Returns the value if both arguments are present.
pub fn both<T: Element>(a: T, b: T) -> T {
    assert!(a.is_in() && b.is_in());
    a - (b + b)
}

/// Returns the value if only the first argument is present.
pub fn left<T: Element>(a: T, b: T) -> T {
    assert!(a.is_in() && !b.is_in());
    a
}

/// Returns the value if only the second argument is present.
pub fn right<T: Element>(a: T, b: T) -> T {
    assert!(!a.is_in() && b.is_in());
    b + b
}

/// Returns the value of a function of three arguments.
pub fn choice<T: Element>(a: T, b: T, c: T) -> T {
    assert!(a.is_in() && (b.is_in() || !c.is_in()));
    a + b - c
}

/// Returns the minimum.
pub fn lesser<T: Element>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

/// Returns the sum of two lengths.
pub fn lengthened<T: Element>(a: T, b: T) -> T {
    a + b
}
