//! The storage of custom levels.

mod delta;
mod run_length;
mod table;
mod window;

pub use delta::Delta;
pub use run_length::RunLength;
pub use table::Table;
pub use window::Window;
