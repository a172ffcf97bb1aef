//! Comparisons of index expressions: each side is a sum of indices, which is never negative.

use crate::ir::Expr;
use crate::notation::{self, BinaryOp};
use crate::types::{Dtype, Literal};

use super::Lowering;
use super::scope::Scope;

/// A sum of indices. A sum that overflows saturates to the largest index, which exceeds every
/// coordinate.
#[derive(Clone, Default)]
pub(super) struct Sum {
    /// The terms that are coordinates and numbers, whose sum cannot overflow.
    known: Vec<Expr>,
    /// The terms that are parameters, of unknown size.
    given: Vec<Expr>,
}

impl Sum {
    /// Returns whether the sum has no terms.
    pub(super) fn is_zero(&self) -> bool {
        self.given.is_empty() && self.known().is_zero()
    }

    /// Adds a number.
    pub(super) fn and(mut self, number: usize) -> Sum {
        self.known.push(Expr::Index(number));
        self
    }

    /// Returns the value of the sum.
    pub(super) fn value(&self) -> Expr {
        self.given.iter().cloned().fold(self.known(), Expr::saturating_add)
    }

    fn known(&self) -> Expr {
        self.known.iter().cloned().fold(Expr::Index(0), Expr::add)
    }
}

impl Lowering<'_> {
    /// Returns the two sides of a comparison of index expressions.
    pub(super) fn places(
        &self,
        a: &notation::Expr,
        b: &notation::Expr,
        scope: &Scope,
    ) -> [Expr; 2] {
        match self.place_sides(a, b, scope) {
            Some(sides) => sides.map(|side| side.value()),
            None => {
                // A comparison with a fill value may have any type.
                let result = self.program.tensor(self.program.kernel.result()).dtype;
                let dtype = match (a.is_place() && b.is_place(), result.is_float()) {
                    (true, _) => Dtype::I64,
                    (false, true) => result,
                    (false, false) => Dtype::F64,
                };
                [a, b].map(|side| self.number(side, dtype, scope))
            }
        }
    }

    /// Returns the two sides as sums of indices, if they have that form: a term that is subtracted
    /// on one side is added on the other.
    pub(super) fn place_sides(
        &self,
        a: &notation::Expr,
        b: &notation::Expr,
        scope: &Scope,
    ) -> Option<[Sum; 2]> {
        let mut sides = [Sum::default(), Sum::default()];
        self.add_place(a, 0, &mut sides, scope)?;
        self.add_place(b, 1, &mut sides, scope)?;
        Some(sides)
    }

    /// Adds an index expression to one of two sides, or negative terms to the other; fails if the
    /// sign is unknown.
    fn add_place(
        &self,
        place: &notation::Expr,
        side: usize,
        sides: &mut [Sum; 2],
        scope: &Scope,
    ) -> Option<()> {
        match place {
            notation::Expr::Literal(Literal::Int(n)) => {
                let side = if *n < 0 { 1 - side } else { side };
                let n = usize::try_from(n.unsigned_abs()).ok()?;
                sides[side].known.push(Expr::Index(n));
            }
            notation::Expr::Index(v) => sides[side].known.push(scope.coordinate(*v)),
            notation::Expr::Parameter(id) => {
                sides[side].given.push(Expr::var(self.names.argument(*id)));
            }
            notation::Expr::Neg(a) => {
                self.add_place(a, 1 - side, sides, scope)?;
            }
            notation::Expr::Binary(BinaryOp::Add, a, b) => {
                self.add_place(a, side, sides, scope)?;
                self.add_place(b, side, sides, scope)?;
            }
            notation::Expr::Binary(BinaryOp::Sub, a, b) => {
                self.add_place(a, side, sides, scope)?;
                self.add_place(b, 1 - side, sides, scope)?;
            }
            notation::Expr::Binary(BinaryOp::Mul, a, b) => {
                let [of_a, none] = self.place_sides(a, &notation::Expr::ZERO, scope)?;
                let [of_b, neither] = self.place_sides(b, &notation::Expr::ZERO, scope)?;
                if !none.is_zero() || !neither.is_zero() {
                    return None;
                }
                let is_known = of_a.given.is_empty() && of_b.given.is_empty();
                let product = Expr::mul(of_a.value(), of_b.value());
                let Sum { known, given } = &mut sides[side];
                if is_known { known } else { given }.push(product);
            }
            notation::Expr::Literal(_)
            | notation::Expr::Constant(_)
            | notation::Expr::Access(_)
            | notation::Expr::Binary(..)
            | notation::Expr::Call(..)
            | notation::Expr::Reduce(_) => return None,
        }
        Some(())
    }
}
