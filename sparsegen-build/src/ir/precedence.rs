//! The precedence of Rust's operators, in addition to [`BinaryOp::precedence`](super::BinaryOp).

/// The precedence of `as`.
pub const CAST: u8 = 9;
/// The precedence of `-` and `!`.
pub const UNARY: u8 = 10;
/// The precedence of expressions that need no parentheses.
pub const PRIMARY: u8 = 11;
