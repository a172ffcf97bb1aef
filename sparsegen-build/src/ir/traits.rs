//! What generic elements must be able to do.

/// What a type parameter for elements must be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trait {
    /// To be an element at all.
    Value,
    /// Arithmetic: `num_traits::NumAssign`.
    NumAssign,
    /// `-a`
    Neg,
    /// `a < b`
    PartialOrd,
    /// To be made from numbers: `num_traits::NumCast`.
    NumCast,
    /// Absolute values and signs: `num_traits::Signed`.
    Signed,
    /// All that floating-point numbers can do: `num_traits::Float`.
    Float,
}

impl Trait {
    /// The bound.
    pub fn bound(self) -> &'static str {
        match self {
            Trait::Value => "Value",
            Trait::NumAssign => "num_traits::NumAssign",
            Trait::Neg => "std::ops::Neg<Output = T>",
            Trait::PartialOrd => "PartialOrd",
            Trait::NumCast => "num_traits::NumCast",
            Trait::Signed => "num_traits::Signed",
            Trait::Float => "num_traits::Float",
        }
    }

    /// Whether who can do this can do that, being another one.
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
