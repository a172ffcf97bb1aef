//! The code fragments that level functions return: expressions and statements of generated kernels.
//!
//! Both fold what they can, so that no fragment contains `0 * n + i`. Indices and positions are `usize`;
//! arrays and variables have the names that [`Storage`](super::Storage) returns.
//!
//! | fragment | generated code |
//! |---|---|
//! | [`Expr::Index`] | `0`, a number |
//! | [`Expr::var`] | `p`, a variable |
//! | [`Expr::load`] | `array[index]`, widened to `usize` |
//! | [`Expr::len`] | `array.len()` |
//! | [`Expr::add`], [`Expr::sub`], [`Expr::mul`], [`Expr::div`], [`Expr::rem`] | `a + b`, … |
//! | [`Expr::wrap`] | `kernel::wrap(a, b)`, a remainder that is fast for powers of two |
//! | [`Expr::eq`], [`Expr::ne`], [`Expr::lt`], [`Expr::le`], [`Expr::and`], [`Expr::or`], [`Expr::not`] | `a == b`, … |
//! | [`Stmt::bind`], [`Stmt::bind_mut`] | `let name = value;`, `let mut name = value;` |
//! | [`Stmt::assign`], [`Stmt::accumulate`] | `name = value;`, `name += value;` |
//! | [`Stmt::store`], [`Stmt::push`] | `array[index] = value;`, `array.push(value);` |
//! | [`Stmt::when`], [`Stmt::for_range`] | `if condition { … }`, `for name in start..end { … }` |

pub use crate::ir::{Element, Expr, Rearrange, Stmt, Width};
