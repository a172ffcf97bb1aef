//! Folding constructors of signed differences of indices.

use super::node;
use crate::ir::{BinaryOp, Expr, ToIndex, Width};

impl Expr {
    /// Returns an index plus a signed offset: `a.wrapping_add_signed(by)`.
    pub fn offset(a: Expr, by: Expr) -> Expr {
        match (a, by) {
            (a, Expr::Binary(BinaryOp::Difference, to, from)) if a == *from => *to,
            (Expr::Binary(BinaryOp::Offset, a, by), back)
                if back == Expr::neg(by.as_ref().clone()) =>
            {
                *a
            }
            (a, by) => node(BinaryOp::Offset, a, by),
        }
    }

    /// Returns the signed difference of two indices: `a as isize - b as isize`.
    pub fn difference(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (Expr::Binary(BinaryOp::Offset, a, by), b) if *a == b => *by,
            (a, b) => node(BinaryOp::Difference, a, b),
        }
    }

    /// Returns the magnitude of a negative signed index, or 0: `a.min(0).unsigned_abs()`.
    pub fn below_zero(a: Expr) -> Expr {
        Expr::ToIndex(ToIndex::BelowZero, Box::new(a))
    }

    /// Returns a field of an entry: `entries[p].1`.
    pub fn field(entry: Expr, field: usize) -> Expr {
        Expr::Field(Box::new(entry), field)
    }

    /// Returns the largest index of an integer type, which marks an empty slot.
    pub fn largest(width: Width) -> Expr {
        Expr::Largest(width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_undoes_a_difference() {
        let [i, j, d] = ["i", "j", "d"].map(Expr::var);
        assert_eq!(Expr::offset(i.clone(), Expr::difference(j.clone(), i.clone())), j);
        assert_eq!(Expr::difference(Expr::offset(i.clone(), d.clone()), i.clone()), d);
        let there = Expr::offset(i.clone(), d.clone());
        assert_eq!(Expr::offset(there, Expr::neg(d.clone())), i);
        let back = Expr::offset(i.clone(), Expr::neg(d.clone()));
        assert_eq!(back.to_string(), "i.wrapping_add_signed(-d)");
        assert_eq!(Expr::offset(back, d.clone()), i);
        assert_eq!(Expr::below_zero(d).to_string(), "d.min(0).unsigned_abs()");
        assert_eq!(
            Expr::neg(Expr::difference(j, Expr::add(i, Expr::Index(1)))).to_string(),
            "(i + 1) as isize - j as isize"
        );
    }

    #[test]
    fn blocks_are_counted() {
        let n = Expr::Index;
        assert_eq!(Expr::div_ceil(n(9), n(4)), n(3));
        assert_eq!(Expr::div_ceil(Expr::var("n"), n(1)), Expr::var("n"));
        assert_eq!(Expr::div_ceil(Expr::var("n"), n(4)).to_string(), "n.div_ceil(4)");
    }
}
