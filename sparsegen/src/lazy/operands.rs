//! The operands of lazy results: tuples of variables.

use std::sync::Arc;

use crate::{Error, Format, Stored, Tensor};

use super::Lazy;
use super::thunk::{Structure, Thunk, structure};

/// The operands of a result: a tuple of up to 12 variables. Functions get a tuple of their tensors.
pub trait Operands: sealed::Operands {}

impl<T: sealed::Operands> Operands for T {}

pub(super) mod sealed {
    use super::{Error, Structure};

    pub trait Operands: Send + Sync + 'static {
        /// The values of the operands at some time.
        type Bound: Send + 'static;

        /// The tensors of the operands.
        type Tensors;

        /// Returns the values of the operands as they are.
        fn current(&self) -> Self::Bound;

        /// Returns the number of each value.
        fn ids(bound: &Self::Bound) -> Vec<u64>;

        /// Computes the values.
        fn force(bound: &Self::Bound) -> Result<Self::Tensors, Error>;

        /// Returns the identity of the structure of each tensor.
        fn structures(tensors: &Self::Tensors) -> Vec<Structure>;
    }
}

macro_rules! operands {
    ($($value:ident $format:ident $index:tt)*) => {
        impl<$($value: Stored, $format: Format),*> sealed::Operands
            for ($(Lazy<$value, $format>,)*)
        {
            type Bound = ($(Arc<Thunk<$value, $format>>,)*);
            type Tensors = ($(Arc<Tensor<$value, $format>>,)*);

            fn current(&self) -> Self::Bound {
                ($(self.$index.current(),)*)
            }

            fn ids(bound: &Self::Bound) -> Vec<u64> {
                vec![$(bound.$index.id),*]
            }

            fn force(bound: &Self::Bound) -> Result<Self::Tensors, Error> {
                Ok(($(bound.$index.force()?,)*))
            }

            fn structures(tensors: &Self::Tensors) -> Vec<Structure> {
                vec![$(structure(&*tensors.$index)),*]
            }
        }
    };
}

operands!(V0 F0 0);
operands!(V0 F0 0 V1 F1 1);
operands!(V0 F0 0 V1 F1 1 V2 F2 2);
operands!(V0 F0 0 V1 F1 1 V2 F2 2 V3 F3 3);
operands!(V0 F0 0 V1 F1 1 V2 F2 2 V3 F3 3 V4 F4 4);
operands!(V0 F0 0 V1 F1 1 V2 F2 2 V3 F3 3 V4 F4 4 V5 F5 5);
operands!(V0 F0 0 V1 F1 1 V2 F2 2 V3 F3 3 V4 F4 4 V5 F5 5 V6 F6 6);
operands!(V0 F0 0 V1 F1 1 V2 F2 2 V3 F3 3 V4 F4 4 V5 F5 5 V6 F6 6 V7 F7 7);
operands!(V0 F0 0 V1 F1 1 V2 F2 2 V3 F3 3 V4 F4 4 V5 F5 5 V6 F6 6 V7 F7 7 V8 F8 8);
operands!(V0 F0 0 V1 F1 1 V2 F2 2 V3 F3 3 V4 F4 4 V5 F5 5 V6 F6 6 V7 F7 7 V8 F8 8 V9 F9 9);
operands!(
    V0 F0 0 V1 F1 1 V2 F2 2 V3 F3 3 V4 F4 4 V5 F5 5 V6 F6 6 V7 F7 7 V8 F8 8 V9 F9 9 V10 F10 10
);
operands!(
    V0 F0 0 V1 F1 1 V2 F2 2 V3 F3 3 V4 F4 4 V5 F5 5 V6 F6 6 V7 F7 7 V8 F8 8 V9 F9 9 V10 F10 10
    V11 F11 11
);
