//! The test harness: a corpus of kernels, an oracle for their results, and the checks.
//!
//! The corpus is data in the folder `corpus`; see [`corpus`]. The build script compiles every case
//! and generates a driver that calls it. The test `corpus` runs each case on many operands (see
//! [`worlds`] and [`files`]), with the generated code and with the interpreter of the intermediate
//! representation, and compares the results with the [`oracle`], which is independent of the
//! compiler.

pub mod check;
pub mod complexity;
pub mod corpus;
pub mod dtype;
pub mod dynamic;
pub mod files;
pub mod formats;
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
pub mod schedules;
pub mod shrink;
pub mod statement;
pub mod storage;
pub mod targets;
pub mod trial;
pub mod typed;
pub mod workers;
pub mod worlds;
