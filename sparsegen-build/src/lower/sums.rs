//! Comparisons of places: each side is a sum of indices, of which none is ever negative.

use crate::ir::Expr;
use crate::notation::{self, BinaryOp, UnaryOp};
use crate::types::{Dtype, Literal};

use super::Lowering;
use super::scope::Scope;

/// A sum of indices. What comes to more than the largest index is taken as that, which is more than
/// any coordinate.
#[derive(Clone, Default)]
pub(super) struct Sum {
    /// What is added up of coordinates and numbers, which stays small.
    known: Vec<Expr>,
    /// What is added up of parameters, of which nothing is known.
    given: Vec<Expr>,
}

impl Sum {
    /// Whether nothing is added up.
    pub(super) fn is_zero(&self) -> bool {
        self.given.is_empty() && self.known().is_zero()
    }

    /// This and a number.
    pub(super) fn and(mut self, number: usize) -> Sum {
        self.known.push(Expr::Index(number));
        self
    }

    /// What it comes to.
    pub(super) fn value(&self) -> Expr {
        self.given.iter().cloned().fold(self.known(), Expr::saturating_add)
    }

    fn known(&self) -> Expr {
        self.known.iter().cloned().fold(Expr::Index(0), Expr::add)
    }
}

impl Lowering<'_> {
    /// The two sides of a comparison of places.
    pub(super) fn places(
        &self,
        a: &notation::Expr,
        b: &notation::Expr,
        scope: &Scope,
    ) -> [Expr; 2] {
        match self.place_sides(a, b, scope) {
            Some(sides) => sides.map(|side| side.value()),
            None => {
                // What is compared with what is not stored may be of any type.
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

    /// The two sides as sums of indices, if they can be brought into that form: what is subtracted on
    /// one side is added on the other.
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

    /// Adds to one of two sides, or to the other what is negative; not where that cannot be told.
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
            notation::Expr::Unary(UnaryOp::Neg, a) => {
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
            | notation::Expr::Binary(BinaryOp::Div, ..)
            | notation::Expr::Call(..)
            | notation::Expr::Reduce(_) => return None,
        }
        Some(())
    }
}
