//! Sparse tensors for kernels that are generated at build time.
//!
//! This crate is what generated kernels and their callers share: [`Tensor`]s and [`View`]s whose
//! storage [`Format`] is part of their type, the built-in [`formats`], reading and writing
//! ([`io`]). The kernels come out of `sparsegen-build`, from a `kernels.toml`:
//!
//! ```toml
//! [kernels.spmv]
//! expr = "y[i] = A[i,j] * x[j]"
//! tensors = { y = "dense", A = "csr", x = "dense" }
//! ```
//!
//! and [`include_kernels!`] brings them into a program:
//!
//! ```ignore
//! sparsegen::include_kernels!(pub mod kernels);
//!
//! let a = Tensor::<f64, Csr>::from_triplets([3, 4], [([0, 1], 2.0), ([2, 3], 4.0)])?;
//! let y = kernels::spmv(&a, &[1.0, 2.0, 3.0, 4.0])?;
//! ```
//!
//! # How a tensor is stored
//!
//! A tensor has *modes*, each of some extent, its *dimension*. Its format maps the dimensions to
//! *levels*, outermost first, and each level stores *coordinates* under the *positions* of the
//! level above: see [`level`]. In `csr`, which is `(i, j) -> (i : dense, j : compressed)`, the
//! level of `i` stores nothing, as every row is there, and the level of `j` stores the columns of
//! each row's entries. Levels may also store blocks, diagonals or slots of dimensions: see [`Map`].
//! A tensor of [`Pattern`] has levels only, and no values.
//!
//! # Working with tensors
//!
//! | to | |
//! |---|---|
//! | make | [`Tensor::from_triplets`], [`Tensor::builder`], [`Tensor::from_dense`], [`Tensor::from_fn`], [`Tensor::eye`], [`io`] |
//! | read | [`Tensor::get`], [`Tensor::iter`], [`Tensor::nnz`], [`Tensor::norm_l2`], `{}` and [`Tensor::tree`] |
//! | change entries | [`Tensor::insert`], [`Tensor::add_at`], [`Tensor::remove`], [`Tensor::extend`], [`Tensor::entry`] |
//! | change values | [`Tensor::vals_mut`], [`Tensor::iter_mut`], [`Tensor::map`], [`Tensor::zip_vals`], [`Tensor::prune`] |
//! | select | [`Tensor::slice`], [`Tensor::select`], [`Tensor::diagonal`], [`Tensor::lower`], [`Tensor::filter`] |
//! | join | [`Tensor::concat`], [`Tensor::stack`], [`Tensor::kron`] |
//! | calculate | [`operators`], kernels of a manifest |
//! | convert | [`Tensor::to`], [`Tensor::permute`], [`Tensor::reshape`] |
//! | assemble again and again | [`Assembly`] |
//! | call a kernel again and again | [`Workspaces`] |
//! | compute when needed | [`lazy`] |
//!
//! # Features
//!
//! - `std` (on by default): files, conversions from and to other crates, [`lazy`], and the other
//!   features that need the standard library. Without it the crate is `no_std`, and needs an
//!   allocator and the feature `libm`; see [below](#without-the-standard-library).
//! - `complex` (on by default): complex elements [`c64`] and [`c32`].
//! - `half`: elements of half precision, `f16` and `bf16`, of the crate `half`.
//! - `parallel`: threads, of `rayon`, for kernels that the manifest calls parallel. Without it they
//!   give the same results on one thread. Tensors then have `par_iter`.
//! - `huge-pages` (on by default): large arrays in huge pages on Linux, where the system permits it.
//! - `operators` (on by default): linear algebra with operators, see [`operators`].
//! - `gzip`, `zstd`: reading and writing compressed files.
//! - `npz`: reading and writing the sparse arrays of SciPy.
//! - `binsparse`: files with the arrays of tensors in every format, see [`io`]. With `mmap` they are
//!   mapped into memory instead of read.
//! - `mpi`: tensors and kernels that are distributed among the ranks of an MPI program, see
//!   `distributed`. MPI and the library of Clang have to be installed.
//! - `serde`: [`Tensor`] and [`Pattern`] implement `Serialize` and `Deserialize`. A tensor is
//!   validated when it is deserialized.
//! - `sprs-0_11`, `faer-0_24`, `nalgebra-sparse-0_12`, `ndarray-0_17`: conversions from and to the
//!   types of these crates, see [`bridge`].
//!
//! # Without the standard library
//!
//! ```toml
//! [dependencies]
//! sparsegen = { version = "0.1", default-features = false, features = ["libm"] }
//! ```
//!
//! Tensors, operators (feature `operators`) and generated kernels then need only `core` and `alloc`.
//! Functions such as `sqrt` are those of the crate `libm`. Hash tables of the crate become ordered
//! maps, whose operations take logarithmic time.

#![cfg_attr(not(any(feature = "std", test)), no_std)]
// docs.rs shows which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(any(feature = "std", feature = "libm")))]
compile_error!("enable the feature `std`, or `libm` where there is no standard library");

#[cfg_attr(not(any(feature = "std", test)), macro_use)]
extern crate alloc;

// The tests' helpers and the generated kernels name the crate as its users do, from within it too.
extern crate self as sparsegen;

#[cfg(feature = "std")]
pub mod bridge;
#[cfg(feature = "mpi")]
pub mod distributed;
pub mod error;
pub mod format;
pub mod formats;
#[cfg(feature = "std")]
pub mod io;
#[doc(hidden)]
pub mod kernel;
#[cfg(feature = "std")]
pub mod lazy;
pub mod level;
mod memory;
#[cfg(feature = "operators")]
pub mod operators;
#[cfg(feature = "serde")]
mod serialize;
mod tensor;
mod value;
mod width;

pub use error::Error;
pub use format::{Fill, Format, LevelExpr, LevelMap, Map, Properties, Shape};
pub use formats::*;
pub use kernel::Workspaces;
pub use level::{Level, Levels};
#[cfg(feature = "parallel")]
pub use tensor::ParIter;
pub use tensor::{
    Assembly, Builder, Duplicates, Entry, IntoView, Iter, IterMut, Tensor, Tree, Vacant, View,
};
pub use value::{Pattern, Stored, Value};
pub use width::Width;

/// A complex number of two `f64`.
#[cfg(feature = "complex")]
#[allow(non_camel_case_types, reason = "named like the primitive types it stands beside")]
pub type c64 = num_complex::Complex<f64>;

/// A complex number of two `f32`.
#[cfg(feature = "complex")]
#[allow(non_camel_case_types, reason = "named like the primitive types it stands beside")]
pub type c32 = num_complex::Complex<f32>;

#[cfg(feature = "half")]
pub use half::{bf16, f16};

/// The traits by which generic kernels are bounded.
pub use num_traits;

/// Declares a module of the kernels that this crate's build script has generated.
///
/// ```ignore
/// sparsegen::include_kernels!(
///     /// The kernels of `kernels.toml`.
///     pub mod kernels
/// );
/// ```
///
/// A crate may have further manifests. Those that its build script compiles from `graph.toml`, in any
/// folder, are included by the name of the file:
///
/// ```ignore
/// sparsegen::include_kernels!(mod kernels = "graph");
/// ```
#[macro_export]
macro_rules! include_kernels {
    ($(#[$attribute:meta])* $visibility:vis mod $name:ident $(;)?) => {
        $crate::include_kernels!(
            @module [$(#[$attribute])* $visibility $name]
            env!(
                "SPARSEGEN_KERNELS",
                "this crate has no kernels yet, because it has no build script that calls \
                 `sparsegen_build::compile(\"kernels.toml\")`: write that into the function `main` \
                 of `build.rs`, beside `Cargo.toml`"
            )
        );
    };
    ($(#[$attribute:meta])* $visibility:vis mod $name:ident = $manifest:literal $(;)?) => {
        $crate::include_kernels!(
            @module [$(#[$attribute])* $visibility $name]
            concat!(env!("OUT_DIR"), "/", $manifest, ".rs")
        );
    };
    (@module [$(#[$attribute:meta])* $visibility:vis $name:ident] $($source:tt)*) => {
        $(#[$attribute])*
        #[allow(
            clippy::all,
            clippy::pedantic,
            clippy::nursery,
            clippy::restriction,
            dead_code,
            reason = "generated code; a kernel may be called in only one of its forms"
        )]
        $visibility mod $name {
            #[allow(unused_imports, reason = "what the standard library's prelude has")]
            use $crate::kernel::prelude::*;

            include!($($source)*);
        }
    };
}
