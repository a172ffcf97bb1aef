//! Runs the representation.
