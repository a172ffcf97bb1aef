//! The names of the standard library's prelude, for kernels in crates without it.

pub use alloc::vec::Vec;
#[cfg(not(feature = "std"))]
pub use num_traits::Float;
