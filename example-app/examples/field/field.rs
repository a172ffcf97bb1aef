//! The prime field of 2^64 - 2^32 + 1 elements.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

use sparsegen::{Fill, Value};

/// An integer modulo [`Fp::MODULUS`], below the modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fp(u64);

impl Fp {
    /// The prime 2^64 - 2^32 + 1.
    pub const MODULUS: u64 = 0xffff_ffff_0000_0001;

    /// Returns the number modulo the prime.
    pub fn new(number: u64) -> Fp {
        Fp(if number >= Fp::MODULUS { number - Fp::MODULUS } else { number })
    }

    /// Returns the number below the modulus.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl Add for Fp {
    type Output = Fp;

    fn add(self, other: Fp) -> Fp {
        let (sum, carries) = self.0.overflowing_add(other.0);
        Fp(if carries || sum >= Fp::MODULUS { sum.wrapping_sub(Fp::MODULUS) } else { sum })
    }
}

impl AddAssign for Fp {
    fn add_assign(&mut self, other: Fp) {
        *self = *self + other;
    }
}

impl Sub for Fp {
    type Output = Fp;

    fn sub(self, other: Fp) -> Fp {
        let (difference, borrows) = self.0.overflowing_sub(other.0);
        Fp(if borrows { difference.wrapping_add(Fp::MODULUS) } else { difference })
    }
}

impl Mul for Fp {
    type Output = Fp;

    /// Multiplies and reduces. With e = 2^32 - 1, 2^64 is e and 2^96 is -1 modulo the prime, so that
    /// `low + 2^64 middle + 2^96 high` is `low + e middle - high`.
    fn mul(self, other: Fp) -> Fp {
        const E: u64 = 0xffff_ffff;
        let product = u128::from(self.0) * u128::from(other.0);
        let (low, upper) = (product as u64, (product >> 64) as u64);
        let (middle, high) = (upper & E, upper >> 32);
        Fp::new(low) - Fp(high) + Fp(middle * E)
    }
}

impl Value for Fp {
    const ZERO: Self = Fp(0);
    const ONE: Self = Fp(1);

    fn filled(fill: Fill) -> Self {
        match fill {
            Fill::Int(number) => Fp(i128::from(number).rem_euclid(i128::from(Fp::MODULUS)) as u64),
            // No format of this program has such a fill value.
            Fill::Float(_) | Fill::Greatest | Fill::Least => Fp(0),
        }
    }

    fn sum(self, other: Self) -> Self {
        self + other
    }
}

impl fmt::Display for Fp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers at the limits of the reduction, and others.
    fn numbers() -> Vec<u64> {
        let limits = [0, 1, 2, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, 1 << 63];
        let below = (1..4).map(|k| Fp::MODULUS - k);
        let step = |n: &u64| Some(n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        let random = std::iter::successors(Some(9), step).take(40).map(|n| n % Fp::MODULUS);
        limits.into_iter().chain(below).chain(random).collect()
    }

    #[test]
    fn operators_agree_with_wide_integers() {
        let modulus = u128::from(Fp::MODULUS);
        for a in numbers() {
            for b in numbers() {
                let (x, y) = (u128::from(a), u128::from(b));
                let check = |found: Fp, expected: u128| {
                    assert_eq!(u128::from(found.number()), expected % modulus, "{a}, {b}");
                };
                check(Fp::new(a) + Fp::new(b), x + y);
                check(Fp::new(a) - Fp::new(b), x + modulus - y);
                check(Fp::new(a) * Fp::new(b), x * y);
            }
        }
    }
}
