//! Sums, differences and elementwise products.

use core::ops::Neg;

use super::{Difference, Dot, Hadamard, Ring, Sum, kernels};
use crate::{
    Coo, CooUnordered, Csc, Csf, Csr, Dcsc, Dcsr, Dense, DenseCol, Dia, Ell, Error, HashRows,
    HashVector, SparseVector, Tensor, View,
};

pub(super) type Coo1 = Coo<1>;
pub(super) type Coo2 = Coo<2>;
pub(super) type CooUnordered1 = CooUnordered<1>;
pub(super) type CooUnordered2 = CooUnordered<2>;
pub(super) type Csf1 = Csf<1>;
pub(super) type Csf2 = Csf<2>;
pub(super) type Dense1 = Dense<1>;
pub(super) type Dense2 = Dense<2>;
pub(super) type DenseCol2 = DenseCol<2>;

/// Implements an operation on tensors in two formats. A difference also needs negation.
macro_rules! implement {
    (Difference: $($rest:tt)*) => {
        implement! { @ Difference [+ Neg<Output = V>] $($rest)* }
    };
    ($operation:ident: $($rest:tt)*) => {
        implement! { @ $operation [] $($rest)* }
    };
    (
        @ $operation:ident [$($bound:tt)*] $left:ident, $right:ident => $output:ident,
        |$a:ident, $b:ident| $value:expr $(, shared $combine:expr)?
    ) => {
        impl<V: Ring $($bound)*> $operation<V, $right> for $left {
            type Output = $output;

            fn compute(
                $a: View<'_, V, $left>,
                $b: View<'_, V, $right>,
            ) -> Result<Tensor<V, $output>, Error> {
                $value
            }

            $(fn of_tensors(
                left: &Tensor<V, $left>,
                right: &Tensor<V, $right>,
            ) -> Result<Tensor<V, $output>, Error> {
                match left.zip_shared(right, $combine) {
                    Some(shared) => Ok(shared),
                    None => <$left as $operation<V, $right>>::compute(left.view(), right.view()),
                }
            })?
        }
    };
}
pub(super) use implement;

/// Converts a view, unless it already is in the format.
macro_rules! to {
    (Csr Csr, $view:expr) => {
        $view
    };
    (Csc Csc, $view:expr) => {
        $view
    };
    (Dense1 Dense1, $view:expr) => {
        $view
    };
    (Dense2 Dense2, $view:expr) => {
        $view
    };
    (SparseVector SparseVector, $view:expr) => {
        $view
    };
    ($format:ident $of:ident, $view:expr) => {
        &$view.to::<$format>()?
    };
}
pub(super) use to;

/// Implements the operations on two tensors in one format.
macro_rules! same {
    ($($format:ident: $add:ident $sub:ident $times:ident;)*) => {$(
        implement! {
            Sum: $format, $format => $format, |a, b| kernels::$add(a, b),
            shared |a, b| a + b
        }
        implement! {
            Difference: $format, $format => $format, |a, b| kernels::$sub(a, b),
            shared |a, b| a - b
        }
        implement! {
            Hadamard: $format, $format => $format, |a, b| kernels::$times(a, b),
            shared |a, b| a * b
        }
    )*};
}

/// Implements the operations on two vectors in one format for which there is no kernel.
macro_rules! same_vectors {
    ($($format:ident)*) => {$(
        implement! {
            Sum: $format, $format => $format,
            |a, b| kernels::add_sparse_vector(&a.to::<SparseVector>()?, &b.to::<SparseVector>()?)?.to()
        }
        implement! {
            Difference: $format, $format => $format,
            |a, b| kernels::sub_sparse_vector(&a.to::<SparseVector>()?, &b.to::<SparseVector>()?)?.to()
        }
        implement! {
            Hadamard: $format, $format => $format,
            |a, b| {
                kernels::times_sparse_vector(&a.to::<SparseVector>()?, &b.to::<SparseVector>()?)?.to()
            }
        }
    )*};
}

/// Implements the operations on two tensors in other formats, both of which are converted.
macro_rules! converted {
    ($to:ident, $add:ident $sub:ident $times:ident; $($left:ident: $($right:ident)*;)*) => {$($(
        implement! {
            Sum: $left, $right => $to,
            |a, b| kernels::$add(to!($to $left, a), to!($to $right, b))
        }
        implement! {
            Difference: $left, $right => $to,
            |a, b| kernels::$sub(to!($to $left, a), to!($to $right, b))
        }
        implement! {
            Hadamard: $left, $right => $to,
            |a, b| kernels::$times(to!($to $left, a), to!($to $right, b))
        }
    )*)*};
}

/// Implements the operations on sparse and dense tensors, in both orders.
macro_rules! with_dense {
    (
        $to:ident $whole:ident,
        [$add:ident $sub:ident $times:ident]
        [$add_to:ident $sub_from:ident $times_by:ident];
        $($dense:ident: $($sparse:ident)*;)*
    ) => {$($(
        implement! {
            Sum: $sparse, $dense => $whole,
            |a, b| kernels::$add(to!($to $sparse, a), to!($whole $dense, b))
        }
        implement! {
            Sum: $dense, $sparse => $whole,
            |a, b| kernels::$add_to(to!($whole $dense, a), to!($to $sparse, b))
        }
        implement! {
            Difference: $sparse, $dense => $whole,
            |a, b| kernels::$sub(to!($to $sparse, a), to!($whole $dense, b))
        }
        implement! {
            Difference: $dense, $sparse => $whole,
            |a, b| kernels::$sub_from(to!($whole $dense, a), to!($to $sparse, b))
        }
        implement! {
            Hadamard: $sparse, $dense => $sparse,
            |a, b| kernels::$times(to!($to $sparse, a), to!($whole $dense, b))?.to()
        }
        implement! {
            Hadamard: $dense, $sparse => $sparse,
            |a, b| kernels::$times_by(to!($whole $dense, a), to!($to $sparse, b))?.to()
        }
    )*)*};
}

same! {
    Csr: add_csr sub_csr times_csr;
    Dcsr: add_dcsr sub_dcsr times_dcsr;
    Coo2: add_coo sub_coo times_coo;
    CooUnordered2: add_coo_unordered sub_coo_unordered times_coo_unordered;
    Csf2: add_csf sub_csf times_csf;
    Dia: add_dia sub_dia times_dia;
    Ell: add_ell sub_ell times_ell;
    HashRows: add_hash_rows sub_hash_rows times_hash_rows;
    Csc: add_csc sub_csc times_csc;
    Dcsc: add_dcsc sub_dcsc times_dcsc;
    Dense2: add_dense sub_dense times_dense;
    DenseCol2: add_dense_col sub_dense_col times_dense_col;
    Dense1: add_dense_vector sub_dense_vector times_dense_vector;
    SparseVector: add_sparse_vector sub_sparse_vector times_sparse_vector;
    HashVector: add_hash_vector sub_hash_vector times_hash_vector;
}

same_vectors! { Coo1 CooUnordered1 Csf1 }

converted! {
    Csr, add_csr sub_csr times_csr;
    Csr: Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc;
    Dcsr: Csr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc;
    Coo2: Csr Dcsr CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc;
    CooUnordered2: Csr Dcsr Coo2 Csf2 Dia Ell HashRows Csc Dcsc;
    Csf2: Csr Dcsr Coo2 CooUnordered2 Dia Ell HashRows Csc Dcsc;
    Dia: Csr Dcsr Coo2 CooUnordered2 Csf2 Ell HashRows Csc Dcsc;
    Ell: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia HashRows Csc Dcsc;
    HashRows: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell Csc Dcsc;
    Csc: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows;
    Dcsc: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows;
}

converted! {
    Csc, add_csc sub_csc times_csc;
    Csc: Dcsc;
    Dcsc: Csc;
}

converted! {
    Dense2, add_dense sub_dense times_dense;
    Dense2: DenseCol2;
    DenseCol2: Dense2;
}

converted! {
    SparseVector, add_sparse_vector sub_sparse_vector times_sparse_vector;
    SparseVector: HashVector Coo1 CooUnordered1 Csf1;
    HashVector: SparseVector Coo1 CooUnordered1 Csf1;
    Coo1: SparseVector HashVector CooUnordered1 Csf1;
    CooUnordered1: SparseVector HashVector Coo1 Csf1;
    Csf1: SparseVector HashVector Coo1 CooUnordered1;
}

with_dense! {
    Csr Dense2,
    [add_csr_dense sub_csr_dense times_csr_dense]
    [add_dense_csr sub_dense_csr times_dense_csr];
    Dense2: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc;
    DenseCol2: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc;
}

with_dense! {
    SparseVector Dense1,
    [add_sparse_dense sub_sparse_dense times_sparse_dense]
    [add_dense_sparse sub_dense_sparse times_dense_sparse];
    Dense1: SparseVector HashVector Coo1 CooUnordered1 Csf1;
}

/// Implements dot products of vectors, of which those in other formats are converted.
macro_rules! dots {
    ($kernel:ident $to_left:ident $to_right:ident; $($left:ident: $($right:ident)*;)*) => {
        $($(
            impl<V: Ring> Dot<V, $right> for $left {
                fn dot(a: View<'_, V, $left>, b: View<'_, V, $right>) -> Result<V, Error> {
                    kernels::$kernel(to!($to_left $left, a), to!($to_right $right, b))
                }
            }
        )*)*
    };
}

dots! { dot_dense Dense1 Dense1; Dense1: Dense1; }
dots! { dot_dense_sparse Dense1 SparseVector; Dense1: SparseVector HashVector Coo1 CooUnordered1 Csf1; }

dots! {
    dot_sparse_dense SparseVector Dense1;
    SparseVector: Dense1;
    HashVector: Dense1;
    Coo1: Dense1;
    CooUnordered1: Dense1;
    Csf1: Dense1;
}

dots! {
    dot_sparse SparseVector SparseVector;
    SparseVector: SparseVector HashVector Coo1 CooUnordered1 Csf1;
    HashVector: SparseVector HashVector Coo1 CooUnordered1 Csf1;
    Coo1: SparseVector HashVector Coo1 CooUnordered1 Csf1;
    CooUnordered1: SparseVector HashVector Coo1 CooUnordered1 Csf1;
    Csf1: SparseVector HashVector Coo1 CooUnordered1 Csf1;
}
