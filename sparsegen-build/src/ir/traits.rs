//! The trait bounds of generic elements.

/// A trait that a type parameter for elements may require.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trait {
    /// The element trait itself.
    Value,
    /// Arithmetic: `num_traits::NumAssign`.
    NumAssign,
    /// `-a`
    Neg,
    /// `a < b`
    PartialOrd,
    /// Conversion from numbers: `num_traits::NumCast`.
    NumCast,
    /// Absolute value and sign: `num_traits::Signed`.
    Signed,
    /// Floating-point functions: `num_traits::Float`.
    Float,
}

impl Trait {
    /// Returns the trait bound.
    pub fn bound(self) -> &'static str {
        match self {
            Trait::Value => "Value",
            Trait::NumAssign => "num_traits::NumAssign",
            Trait::Neg => "core::ops::Neg<Output = T>",
            Trait::PartialOrd => "PartialOrd",
            Trait::NumCast => "num_traits::NumCast",
            Trait::Signed => "num_traits::Signed",
            Trait::Float => "num_traits::Float",
        }
    }

    /// Returns whether this trait implies another one.
    pub fn implies(self, other: Trait) -> bool {
        match self {
            Trait::Float => matches!(other, Trait::Neg | Trait::PartialOrd | Trait::NumCast),
            Trait::Signed => other == Trait::Neg,
            Trait::Value | Trait::NumAssign | Trait::Neg | Trait::PartialOrd | Trait::NumCast => {
                false
            }
        }
    }
}
