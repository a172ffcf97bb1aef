//! The sparse tensor compiler: it translates a `kernels.toml` to readable Rust.
//!
//! A user declares index notation and storage formats, and the compiler generates the loops. A
//! build script is one line:
//!
//! ```no_run
//! # mod build_script {
//! fn main() {
//!     sparsegen_build::compile("kernels.toml");
//! }
//! # }
//! ```
//!
//! The crate includes the kernels with `sparsegen::include_kernels!(pub mod kernels);`.
//!
//! The [guide] begins with a first kernel. The [language reference](language) describes the syntax and
//! the meaning of a manifest.
//!
//! [`compile_str`] is the underlying pure function, from text to source, kernels and diagnostics.
//! [`explain`] prints the result of each stage, and [`inspect`] has the stages as data.

// Modules in the order of the stages.
mod compile;
mod config;

mod coordinate;
mod error;
mod limits;
pub mod math;
mod names;
mod operator;
mod threads;
mod types;

mod manifest;
mod notation;

mod format;
pub mod level;

mod concrete;
mod iteration;
mod schedule;

#[cfg(not(any(test, feature = "interpret")))]
mod ir;
// Tests run the intermediate representation.
#[cfg(any(test, feature = "interpret"))]
#[doc(hidden)]
pub mod ir;
mod lower;
mod warn;

#[cfg(test)]
mod testing;

mod emit;
mod optimize;

pub mod guide;
pub mod inspect;

#[doc = include_str!("../guide/language.md")]
pub mod language {}

pub use compile::{Compiler, Output};
pub use config::{Config, compile};
pub use error::{Code, Diagnostic, Diagnostics, Severity, Span, explain_code};
pub use types::{Dtype, Literal, Width};

/// The number of passes over the intermediate representation.
#[cfg(any(test, feature = "interpret"))]
#[doc(hidden)]
pub const PASSES: usize = optimize::PASSES.len();

/// Compiles a manifest with the built-in levels.
///
/// `name` is the file name of the manifest, for messages and the header of the source.
pub fn compile_str(name: &str, text: &str) -> Output {
    Compiler::new().compile_str(name, text)
}

/// Returns the result of every stage in the field's notation, or the diagnostics of the manifest.
pub fn explain(name: &str, text: &str) -> String {
    Compiler::new().explain(name, text)
}
