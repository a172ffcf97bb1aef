//! Iteration: chooses the levels to iterate and to locate in for each loop, and the regions of each
//! merge that get code of their own.
//!
//! Entry point: [`plan::plan`]. In its output, the merge points of every loop are ordered, every
//! region has its body, and every iterator has the conversions that it needs; lowering adds no
//! decisions.

mod convert;
mod full;
pub mod graph;
pub mod iterator;
pub mod lattice;
pub(crate) mod must_execute;
mod optional;
mod padding;
pub mod placed;
pub mod plan;
pub(crate) mod presence;
mod regions;
mod rest;
pub mod resumed;
#[cfg(test)]
mod tests;
pub(crate) mod visits;
mod window;
