//! What the prelude of the standard library has, for kernels in crates without it.

pub use alloc::vec::Vec;
#[cfg(not(feature = "std"))]
pub use num_traits::Float;
