//! The sparse tensor compiler: a `kernels.toml` in, readable Rust out.
//!
//! A user declares index notation and storage formats; the compiler writes the loops. A build
//! script is one line:
//!
//! ```no_run
//! # mod build_script {
//! fn main() {
//!     sparsegen_build::compile("kernels.toml");
//! }
//! # }
//! ```
//!
//! and the crate brings the kernels in with `sparsegen::include_kernels!(pub mod kernels);`.
//!
//! What a manifest may say, and what it means, is the subject of the [language reference](language).
//!
//! [`compile_str`] is the pure function under it: text in; source, kernels and diagnostics out.
//! [`explain`] shows what each stage made of a manifest.

// In the order in which they run.
mod compile;
mod config;

mod error;
mod limits;
pub mod math;
mod names;
mod types;

mod manifest;
mod notation;

mod format;
pub mod level;

mod concrete;
mod iteration;
mod schedule;

pub mod ir;
mod lower;

#[cfg(test)]
mod testing;

mod emit;
mod optimize;

#[doc = include_str!("../guide/language.md")]
pub mod language {}

pub use compile::{Compiler, Output};
pub use config::{Config, compile};
pub use error::{Diagnostic, Diagnostics, Span};
pub use types::{Dtype, Literal, Width};

/// Compiles a manifest with the levels that this crate knows.
///
/// `name` is the manifest's file name, for messages and the head of the source.
pub fn compile_str(name: &str, text: &str) -> Output {
    Compiler::new().compile_str(name, text)
}

/// What every stage made of a manifest, in the field's notation; or its mistakes.
pub fn explain(name: &str, text: &str) -> String {
    Compiler::new().explain(name, text)
}
