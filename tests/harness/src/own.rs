//! Functions of the corpus's own: how a manifest declares them, what they mean, and what generated code
//! calls.
//!
//! What generated code calls demands that it is called only where it should be.

use std::ops::{Add, Mul, Sub};

use crate::dtype::Dtype;
use crate::number::Number;
use crate::oracle::Fault;
use crate::oracle::arithmetic::Op;
use crate::statement::Function;

/// A function.
#[derive(Debug)]
pub struct Own {
    /// Its name, in statements.
    pub name: &'static str,
    /// What a manifest says of it.
    pub declaration: &'static str,
    /// Where it is what of its arguments; the first place that fits counts, and elsewhere is nothing.
    pub regions: &'static [(Place, Meaning)],
}

/// The value for numbers of a type.
pub type Meaning = fn(&[Number], Dtype) -> Result<Number, Fault>;

/// Where arguments are in or not.
#[derive(Debug)]
pub enum Place {
    /// Wherever they are.
    Everywhere,
    /// Where the argument of this number is in.
    In(usize),
    /// Where they are not.
    Not(&'static Place),
    /// Where they are in both.
    And(&'static Place, &'static Place),
    /// Where they are in one of the two.
    Or(&'static Place, &'static Place),
}

use Place::{And, Everywhere, In, Not, Or};

const A: Place = In(0);
const B: Place = In(1);
const C: Place = In(2);

/// All of them.
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

/// A semiring of functions that are called by their paths.
pub const BY_PATHS: &str = "add = \"sparsegen_harness::own::lesser\"\nmul = \"sparsegen_harness::own::lengthened\"\nzero = \"inf\"\none = 0";

/// The same of reals, of which constants are far away and here: nothing is as far.
pub const BY_CONSTANTS: &str = "add = \"min\"\nmul = \"+\"\nzero = \"sparsegen_harness::own::FAR\"\none = \"sparsegen_harness::own::HERE\"";

/// The same of whole numbers, and of functions.
pub const BY_WHOLE_CONSTANTS: &str = "add = \"sparsegen_harness::own::lesser\"\nmul = \"sparsegen_harness::own::lengthened\"\nzero = \"sparsegen_harness::own::WHOLE_FAR\"\none = 0";

/// Farther away than anything.
pub const FAR: f64 = 1e300;

/// No way at all.
pub const HERE: f64 = 0.0;

/// Farther away than anything.
pub const WHOLE_FAR: i64 = 1_000_000_000_000_000;

impl Own {
    /// The function of a name.
    pub fn named(name: &str) -> Option<&'static Own> {
        OWN.iter().find(|own| own.name == name)
    }

    /// How many arguments it has.
    pub fn arity(&self) -> usize {
        let args = self.declaration.split("args = [").nth(1).unwrap_or_default();
        args.split(']').next().unwrap_or_default().split(',').count()
    }

    /// The header of its table in a manifest.
    pub fn header(&self) -> String {
        format!("[functions.{}]", self.name)
    }

    /// What the function of a path makes of numbers, and what a constant is.
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

/// What the functions are for.
pub trait Element:
    sparsegen::Value + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// Whether an argument is in.
    fn is_in(self) -> bool {
        self != Self::ZERO
    }
}

impl<T> Element for T where
    T: sparsegen::Value + PartialOrd + Add<Output = T> + Sub<Output = T> + Mul<Output = T>
{
}

/// What is not negative.
pub fn relu<T: Element>(a: T) -> T {
    assert!(a.is_in());
    if a < T::ZERO { T::ZERO } else { a }
}

/// One more.
pub fn lifted<T: Element>(a: T) -> T {
    a + T::ONE
}

/// Twice the product.
pub fn twice<T: Element>(a: T, b: T) -> T {
    assert!(a.is_in() && b.is_in());
    a * b + a * b
}

/// The sum.
pub fn summed<T: Element>(a: T, b: T) -> T {
    assert!(a.is_in() || b.is_in());
    a + b
}

/// The larger one.
pub fn larger<T: Element>(a: T, b: T) -> T {
    assert!(a.is_in() || b.is_in());
    if a < b { b } else { a }
}

/// The difference of what stands alone.
pub fn parted<T: Element>(a: T, b: T) -> T {
    assert!(a.is_in() != b.is_in());
    a - b
}

/// Twice what stands alone.
pub fn without<T: Element>(a: T, b: T) -> T {
    assert!(a.is_in() && !b.is_in());
    a + a
}

/// Of two that are in.
pub fn both<T: Element>(a: T, b: T) -> T {
    assert!(a.is_in() && b.is_in());
    a - (b + b)
}

/// Of the first, that is in.
pub fn left<T: Element>(a: T, b: T) -> T {
    assert!(a.is_in() && !b.is_in());
    a
}

/// Of the second, that is in.
pub fn right<T: Element>(a: T, b: T) -> T {
    assert!(!a.is_in() && b.is_in());
    b + b
}

/// Of three.
pub fn choice<T: Element>(a: T, b: T, c: T) -> T {
    assert!(a.is_in() && (b.is_in() || !c.is_in()));
    a + b - c
}

/// The lesser one.
pub fn lesser<T: Element>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

/// The way that goes on.
pub fn lengthened<T: Element>(a: T, b: T) -> T {
    a + b
}
