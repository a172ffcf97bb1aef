//! The storage of custom levels.

mod delta;
mod run_length;
mod window;

pub use delta::Delta;
pub use run_length::RunLength;
pub use window::Window;
