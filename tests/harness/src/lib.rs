//! The test crate: a corpus of kernels, what they must compute, and how that is checked.
//!
//! The corpus lies in the folder `corpus`, as data; see [`corpus`]. The build script compiles every
//! case and writes a driver that calls it; the test `corpus` runs each on many operands (see
//! [`worlds`] and [`files`]), through the generated code and through the interpreter of the
//! intermediate representation, and compares with the [`oracle`], which knows nothing of the
//! compiler.

pub mod check;
pub mod corpus;
pub mod dtype;
pub mod dynamic;
pub mod files;
pub mod generate;
pub mod interpreted;
pub mod kinds;
pub mod layout;
pub mod mutate;
pub mod number;
pub mod oracle;
pub mod own;
pub mod random;
pub mod rustc;
pub mod shrink;
pub mod statement;
pub mod storage;
pub mod targets;
pub mod trial;
pub mod typed;
pub mod worlds;
