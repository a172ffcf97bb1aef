//! The operators of the standard library.

use core::ops::{Add, AddAssign, BitAnd, BitOr, Mul, MulAssign, Neg, Sub, SubAssign};

use super::{Difference, Hadamard, Product, Ring, Sum, expect};
use crate::{Format, Tensor, Value, View};

/// Implements an operator for references to tensors and for views.
macro_rules! operator {
    ($($operator:ident $function:ident $operation:ident;)*) => {$(
        operator!(
            @ $operator $function $operation, &Tensor<V, F>, &Tensor<V, G>,
            |a, b| F::of_tensors(a, b)
        );
        operator!(
            @ $operator $function $operation, &Tensor<V, F>, View<'_, V, G>,
            |a, b| F::compute(a.view(), b)
        );
        operator!(
            @ $operator $function $operation, View<'_, V, F>, &Tensor<V, G>,
            |a, b| F::compute(a, b.view())
        );
        operator!(
            @ $operator $function $operation, View<'_, V, F>, View<'_, V, G>,
            |a, b| F::compute(a, b)
        );
    )*};
    (
        @ $operator:ident $function:ident $operation:ident, $left:ty, $right:ty,
        |$a:ident, $b:ident| $value:expr
    ) => {
        impl<V: Value, F: $operation<V, G>, G: Format> $operator<$right> for $left {
            type Output = Tensor<V, F::Output>;

            #[track_caller]
            fn $function(self, other: $right) -> Self::Output {
                let ($a, $b) = (self, other);
                expect($value)
            }
        }
    };
}

operator! {
    Add add Sum;
    Sub sub Difference;
    Mul mul Product;
}

impl<V: Value, F: Sum<V, G, Output = F>, G: Format> AddAssign<&Tensor<V, G>> for Tensor<V, F> {
    #[track_caller]
    fn add_assign(&mut self, other: &Tensor<V, G>) {
        *self = expect(F::of_tensors(self, other));
    }
}

impl<V: Value, F: Difference<V, G, Output = F>, G: Format> SubAssign<&Tensor<V, G>>
    for Tensor<V, F>
{
    #[track_caller]
    fn sub_assign(&mut self, other: &Tensor<V, G>) {
        *self = expect(F::of_tensors(self, other));
    }
}

/// Implements an operator on truth values by one on numbers, of which all but 0 are true: their sums
/// are at most 2.
macro_rules! logic {
    ($($operator:ident $function:ident $operation:ident;)*) => {$(
        impl<F: $operation<u8, G>, G: Format> $operator<&Tensor<bool, G>> for &Tensor<bool, F> {
            type Output = Tensor<bool, F::Output>;

            #[track_caller]
            fn $function(self, other: &Tensor<bool, G>) -> Self::Output {
                let left = self.map(|_, value| u8::from(value));
                let right = other.map(|_, value| u8::from(value));
                expect(F::of_tensors(&left, &right)).map(|_, number| number != 0)
            }
        }
    )*};
}

logic! {
    BitOr bitor Sum;
    BitAnd bitand Hadamard;
}

impl<V: Value + Neg<Output = V>, F: Format> Neg for &Tensor<V, F> {
    type Output = Tensor<V, F>;

    /// Negates each entry.
    fn neg(self) -> Tensor<V, F> {
        self.map(|_, value| -value)
    }
}

impl<V: Ring, F: Format> Mul<V> for &Tensor<V, F> {
    type Output = Tensor<V, F>;

    /// Multiplies each entry.
    fn mul(self, factor: V) -> Tensor<V, F> {
        self.map(|_, value| value * factor)
    }
}

impl<V: Ring, F: Format> MulAssign<V> for Tensor<V, F> {
    /// Multiplies each entry.
    fn mul_assign(&mut self, factor: V) {
        *self = &*self * factor;
    }
}

/// Implements the product of a number and a tensor.
macro_rules! factors {
    ($($number:ty)*) => {$(
        impl<F: Format> Mul<&Tensor<$number, F>> for $number {
            type Output = Tensor<$number, F>;

            /// Multiplies each entry.
            fn mul(self, tensor: &Tensor<$number, F>) -> Tensor<$number, F> {
                tensor.map(|_, value| self * value)
            }
        }
    )*};
}

factors! { f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 }
#[cfg(feature = "complex")]
factors! { crate::c32 crate::c64 }
#[cfg(feature = "half")]
factors! { crate::f16 crate::bf16 }
