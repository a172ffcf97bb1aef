//! Folding of operations on indices that saturate.

use super::{Offset, node, offset};
use crate::ir::{BinaryOp, Expr};

impl Expr {
    /// Returns `a.saturating_add(b)`.
    pub fn saturating_add(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (a, Expr::Index(0)) | (Expr::Index(0), a) => a,
            (Expr::Index(m), Expr::Index(n)) => Expr::Index(m.saturating_add(n)),
            (a @ Expr::Index(_), b) => node(BinaryOp::SaturatingAdd, b, a),
            (a, b) => node(BinaryOp::SaturatingAdd, a, b),
        }
    }

    /// Returns `a.saturating_mul(b)`.
    pub fn saturating_mul(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (a, Expr::Index(1)) | (Expr::Index(1), a) => a,
            (Expr::Index(m), Expr::Index(n)) => Expr::Index(m.saturating_mul(n)),
            (a, b) => node(BinaryOp::SaturatingMul, a, b),
        }
    }

    /// Returns `a.saturating_sub(b)`.
    pub fn saturating_sub(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (a, Expr::Index(0)) | (a @ Expr::Index(0), _) => a,
            (Expr::Index(m), Expr::Index(n)) => Expr::Index(m.saturating_sub(n)),
            (a, Expr::Index(n)) => match a.split_offset() {
                (inner, Offset::Plus(m)) if m >= n => offset(inner, Offset::Plus(m - n)),
                (inner, Offset::Plus(m)) => {
                    node(BinaryOp::SaturatingSub, inner, Expr::Index(n - m))
                }
                (inner, by @ Offset::Minus(_)) => {
                    node(BinaryOp::SaturatingSub, offset(inner, by), Expr::Index(n))
                }
            },
            (a, b) => node(BinaryOp::SaturatingSub, a, b),
        }
    }
}
