//! How tightly Rust's operators bind, beside those of [`BinaryOp::precedence`](super::BinaryOp).

/// How tightly `as` binds.
pub const CAST: u8 = 9;
/// How tightly `-` and `!` bind.
pub const UNARY: u8 = 10;
/// How tightly what needs no parentheses binds.
pub const PRIMARY: u8 = 11;
