//! Products of matrices with matrices and vectors.

use super::sums::{
    Coo1, Coo2, CooUnordered1, CooUnordered2, Csf1, Csf2, Dense1, Dense2, DenseCol2, implement, to,
};
use super::{Product, Ring, kernels};
use crate::{
    Csc, Csr, Dcsc, Dcsr, Dia, Ell, Error, HashRows, HashVector, SparseVector, Tensor, View,
};

/// Implements products of sparse matrices, of which both operands or the right one are converted.
macro_rules! sparse {
    ($to:ident, $mul:ident; $($left:ident: $($right:ident)*;)*) => {$($(
        implement! {
            Product: $left, $right => $to,
            |a, b| kernels::$mul(to!($to $left, a), to!($to $right, b))
        }
    )*)*};
    (left $left:ident, $mul:ident; $($right:ident)*) => {$(
        implement! { Product: $left, $right => $left, |a, b| kernels::$mul(a, to!(Csr $right, b)) }
    )*};
}

/// Implements products of dense matrices with others, in both orders.
macro_rules! dense {
    ($($dense:ident: $($sparse:ident)*, $($other:ident)*;)*) => {$(
        $(
            implement! {
                Product: $sparse, $dense => Dense2,
                |a, b| kernels::mul_csr_dense(to!(Csr $sparse, a), to!(Dense2 $dense, b))
            }
            implement! {
                Product: $dense, $sparse => Dense2,
                |a, b| kernels::mul_dense_csr(to!(Dense2 $dense, a), to!(Csr $sparse, b))
            }
        )*
        $(
            implement! {
                Product: $dense, $other => Dense2,
                |a, b| kernels::mul_dense_dense(to!(Dense2 $dense, a), to!(Dense2 $other, b))
            }
        )*
    )*};
}

/// Implements products with vectors.
macro_rules! vectors {
    ($($matrix:ident: $apply:ident;)*) => {$(
        implement! { Product: $matrix, Dense1 => Dense1, |a, x| kernels::$apply(a, x) }
    )*};
    ($vector:ident to $dense:ident: $($matrix:ident $apply:ident),*) => {$(
        implement! {
            Product: $matrix, $vector => Dense1,
            |a, x| kernels::$apply(a, to!($dense $vector, x))
        }
    )*};
    ($vector:ident: $($matrix:ident)*) => {$(
        implement! {
            Product: $matrix, $vector => SparseVector,
            |a, x| kernels::apply_csc_sparse(to!(Csc $matrix, a), to!(SparseVector $vector, x))
        }
    )*};
}

sparse! {
    Csr, mul_csr_csr;
    Csr: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc;
    Coo2: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc;
    CooUnordered2: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc;
    Csf2: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc;
    Dia: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc;
    Ell: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc;
    HashRows: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc;
    Csc: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows;
    Dcsc: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows;
}

sparse! {
    Csc, mul_csc_csc;
    Csc: Csc Dcsc;
    Dcsc: Csc Dcsc;
}

sparse! { left Dcsr, mul_dcsr_csr; Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc }

dense! {
    Dense2: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc, Dense2 DenseCol2;
    DenseCol2: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc, Dense2 DenseCol2;
}

vectors! {
    Dense2: apply_dense;
    DenseCol2: apply_dense_col;
    Csr: apply_csr;
    Dcsr: apply_dcsr;
    Coo2: apply_coo;
    CooUnordered2: apply_coo_unordered;
    Csf2: apply_csf;
    Dia: apply_dia;
    Ell: apply_ell;
    HashRows: apply_hash_rows;
    Csc: apply_csc;
    Dcsc: apply_dcsc;
}

vectors! { SparseVector: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc }
vectors! { HashVector: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc }
vectors! { Coo1: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc }
vectors! { CooUnordered1: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc }
vectors! { Csf1: Csr Dcsr Coo2 CooUnordered2 Csf2 Dia Ell HashRows Csc Dcsc }

vectors! { SparseVector to Dense1: Dense2 apply_dense, DenseCol2 apply_dense_col }
vectors! { HashVector to Dense1: Dense2 apply_dense, DenseCol2 apply_dense_col }
vectors! { Coo1 to Dense1: Dense2 apply_dense, DenseCol2 apply_dense_col }
vectors! { CooUnordered1 to Dense1: Dense2 apply_dense, DenseCol2 apply_dense_col }
vectors! { Csf1 to Dense1: Dense2 apply_dense, DenseCol2 apply_dense_col }
