//! Levels of our own, as the kernels see them: their storage.

mod delta;
mod run_length;
mod window;

pub use delta::Delta;
pub use run_length::RunLength;
pub use window::Window;
