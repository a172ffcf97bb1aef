//! Conversions from and to the matrices and arrays of other crates.
//!
//! Each crate is a feature whose name contains the version that is part of the conversion's API.
//!
//! | feature | borrowed as a [`View`] | owned, both ways | as a view of the other crate |
//! |---|---|---|---|
//! | `sprs-0_11` | `&CsMatBase` as [`Csr`] or [`Csc`] | `CsMatI`, `CsVecI` as [`SparseVector`] | `CsMatViewI` |
//! | `faer-0_24` | `SparseRowMatRef` as [`Csr`], `SparseColMatRef` as [`Csc`], `ColRef` as [`Dense<1>`] | `SparseRowMat`, `SparseColMat` | `SparseRowMatRef`, `SparseColMatRef`, `ColRef`, `MatRef` |
//! | `nalgebra-sparse-0_12` | `&CsrMatrix` as [`Csr`], `&CscMatrix` as [`Csc`], `&DVector` as [`Dense<1>`], `&DMatrix` as [`DenseCol<2>`] | the same types | |
//! | `ndarray-0_17` | `ArrayView` and `&Array` of orders 1 to 6 as [`Dense`] or [`DenseCol`] | `Array` as [`Dense`] | `ArrayView` |
//!
//! No conversion copies the arrays, except that of an owned `ndarray::Array` that is not in
//! row-major order. A type that guarantees everything that the format requires converts with
//! [`From`], in constant time. The others convert with [`TryFrom`], which checks them in time
//! proportional to their size, and whose error names the first element that is wrong.
//!
//! Kernels take these types as operands, as they take everything that converts into a [`View`].
//! They check a type that guarantees less in each call, which takes about half the time of a product
//! with a vector; to check it once, convert it first:
//!
//! ```
//! # #[cfg(feature = "sprs-0_11")] {
//! use sparsegen::{Csr, View};
//!
//! # use sprs_0_11 as sprs;
//! let matrix = sprs::CsMat::new((2, 3), vec![0, 1, 3], vec![1, 0, 2], vec![2.0, 3.0, 4.0]);
//! let view = View::<f64, Csr<usize, usize>>::try_from(&matrix)?;
//! assert_eq!(view.get([1, 2]), Some(4.0));
//! assert_eq!(view.vals().as_ptr(), matrix.data().as_ptr());
//! # }
//! # Ok::<(), sparsegen::Error>(())
//! ```
//!
//! # Widths
//!
//! The integer types of positions and coordinates are part of a format's type: a matrix whose
//! indices are `usize` is a `Csr<usize, usize>`. A kernel takes it if its manifest declares
//!
//! ```toml
//! tensors = { y = "dense", A = { map = "csr", pos = "usize", crd = "usize" }, x = "dense" }
//! ```
//!
//! or `pos` and `crd` in `[defaults]`. [`Tensor::to`] converts between widths.
//!
//! [`View`]: crate::View
//! [`Csr`]: crate::Csr
//! [`Csc`]: crate::Csc
//! [`Dense`]: crate::Dense
//! [`Dense<1>`]: crate::Dense
//! [`DenseCol<2>`]: crate::DenseCol
//! [`DenseCol`]: crate::DenseCol
//! [`SparseVector`]: crate::SparseVector
//! [`Tensor::to`]: crate::Tensor::to

#[cfg(feature = "faer-0_24")]
mod faer;
#[cfg(feature = "nalgebra-sparse-0_12")]
mod nalgebra_sparse;
#[cfg(feature = "ndarray-0_17")]
mod ndarray;
#[cfg(feature = "sprs-0_11")]
mod sprs;

/// Returns the error that a value of another crate, or for another crate, has an unsuitable layout.
#[cfg(any(feature = "faer-0_24", feature = "ndarray-0_17", feature = "sprs-0_11"))]
fn layout(from: &str, to: &str, reason: &str) -> crate::Error {
    crate::Error::Layout { from: from.to_owned(), to: to.to_owned(), reason: reason.to_owned() }
}
