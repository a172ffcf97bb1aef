//! How the loops of a program iterate: which levels drive each loop, which are located, which
//! regions of a merge have code of their own.
//!
//! AFTER [`plan::plan`]: every loop has its merge points in order, every region its body, and every
//! iterator the conversions that it needs. Lowering only spells this out.

pub(crate) mod certain;
mod convert;
pub(crate) mod found;
mod full;
pub mod graph;
pub mod iterator;
pub mod lattice;
mod padding;
pub mod plan;
mod quotient;
#[cfg(test)]
mod tests;
pub(crate) mod visits;
