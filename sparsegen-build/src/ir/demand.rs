//! Products of extents that a body uses as numbers or lengths, which entry points check.

use std::collections::BTreeMap;

use super::{BinaryOp, Element, Expr, Function, Stmt};

/// A product of extents that must not be too large.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// The factors, in terms of the names of [`Function::sizes`].
    pub factors: Vec<Expr>,
    /// The elements of an array of this length; `None` if only the number is used.
    pub element: Option<Element>,
}

impl Demand {
    /// Returns whether the product contains the extent of this name.
    pub fn mentions(&self, name: &str) -> bool {
        self.factors.iter().any(|factor| factor.mentions(name))
    }

    /// Returns whether another demand holds if this one does. Products are only compared with equal
    /// ones, because a product of fewer factors is larger if another factor is zero.
    fn implies(&self, other: &Demand) -> bool {
        let has = |factor| {
            let count = |factors: &[Expr]| factors.iter().filter(|own| *own == factor).count();
            count(&self.factors) == count(&other.factors)
        };
        let is_same = self.factors.len() == other.factors.len() && other.factors.iter().all(has);
        is_same && (other.element.is_none() || self.element == other.element)
    }
}

impl Function {
    /// Returns the products of extents that the body computes or allocates.
    pub fn demands(&self) -> Vec<Demand> {
        let mut search = Search::of(self);
        search.body(&self.body);
        search.demands
    }
}

pub(super) struct Search {
    /// Variables that depend only on extents, with their values.
    extents: BTreeMap<String, Expr>,
    elements: BTreeMap<String, Element>,
    demands: Vec<Demand>,
}

impl Search {
    /// Returns the search before the first statement of a function.
    pub(super) fn of(function: &Function) -> Search {
        let sizes = function.sizes.iter().map(|size| (size.name.clone(), Expr::var(&size.name)));
        let results = function.results().flat_map(|result| result.arrays());
        let elements = results.map(|array| (array.name.clone(), array.element));
        Search { extents: sizes.collect(), elements: elements.collect(), demands: Vec::new() }
    }

    /// Returns a search within a body with these extents.
    #[cfg(test)]
    pub(super) fn within(extents: &[&str]) -> Search {
        let extents = extents.iter().map(|name| ((*name).to_owned(), Expr::var(name)));
        Search { extents: extents.collect(), elements: BTreeMap::new(), demands: Vec::new() }
    }

    fn body(&mut self, body: &[Stmt]) {
        for stmt in body {
            stmt.for_each(&mut |stmt| self.stmt(stmt));
        }
    }

    /// Records what a statement demands, without those within it.
    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        for expr in stmt.expressions() {
            expr.for_each(&mut |expr| {
                let known = self.known_factors(expr);
                if known.iter().filter(|factor| !is_constant(factor)).count() > 1 {
                    self.push(known, None);
                }
            });
        }
        match stmt {
            Stmt::Scratch { name, element } => {
                self.elements.insert(name.clone(), *element);
            }
            Stmt::Let { name, mutable: false, value } => {
                if let Some(value) = self.known(value) {
                    self.extents.insert(name.clone(), value);
                }
            }
            Stmt::Resize { array, len, .. } => {
                let element = self.elements.get(array).copied();
                // Bits take less memory than the elements that they mark.
                let element = element.filter(|element| *element != Element::Bits);
                let Some(element) = element else { return };
                let known = self.known_factors(len);
                // The array of positions of an existing result is longer than the extent by one.
                let is_ends = matches!(len, Expr::Binary(BinaryOp::Add, ..));
                if !is_ends && known.iter().any(|factor| !is_constant(factor)) {
                    self.push(known, Some(element));
                }
            }
            Stmt::Comment(_)
            | Stmt::Let { mutable: true, .. }
            | Stmt::Assign { .. }
            | Stmt::Store { .. }
            | Stmt::Tile { .. }
            | Stmt::Sort { .. }
            | Stmt::Workspace { .. }
            | Stmt::Harvest { .. }
            | Stmt::Places { .. }
            | Stmt::Rearrange(_)
            | Stmt::Clear { .. }
            | Stmt::Reserve { .. }
            | Stmt::Push { .. }
            | Stmt::Extend { .. }
            | Stmt::Grow { .. }
            | Stmt::Refuse { .. }
            | Stmt::Break
            | Stmt::For { .. }
            | Stmt::ForOnes { .. }
            | Stmt::While { .. }
            | Stmt::If { .. } => {}
        }
    }

    /// Adds a demand and removes demands that it implies, unless a present demand implies it.
    fn push(&mut self, factors: Vec<Expr>, element: Option<Element>) {
        let demand = Demand { factors, element };
        if !self.demands.iter().any(|known| known.implies(&demand)) {
            self.demands.retain(|known| !demand.implies(known));
            self.demands.push(demand);
        }
    }

    /// Returns the factors of a product that depend only on extents.
    fn known_factors(&self, expr: &Expr) -> Vec<Expr> {
        match expr {
            Expr::Binary(BinaryOp::Mul, a, b) => {
                [a, b].into_iter().flat_map(|factor| self.known_factors(factor)).collect()
            }
            expr => match self.known(expr) {
                Some(product @ Expr::Binary(BinaryOp::Mul, ..)) => self.known_factors(&product),
                known => known.into_iter().collect(),
            },
        }
    }

    /// Returns an expression in terms of extents, if it depends only on them.
    pub(super) fn known(&self, expr: &Expr) -> Option<Expr> {
        match expr {
            Expr::Index(_) => Some(expr.clone()),
            Expr::Var(name) => self.extents.get(name).cloned(),
            Expr::Binary(op, a, b) if never_wraps(*op) => {
                Some(Expr::binary(*op, self.known(a)?, self.known(b)?))
            }
            Expr::Binary(..)
            | Expr::Value(..)
            | Expr::Constant(..)
            | Expr::Bool(_)
            | Expr::Largest(_)
            | Expr::LargestOffset
            | Expr::Load { .. }
            | Expr::Contains { .. }
            | Expr::Len(_)
            | Expr::Extent(..)
            | Expr::Search { .. }
            | Expr::Entry(_)
            | Expr::Field(..)
            | Expr::Unary(..)
            | Expr::ToIndex(..)
            | Expr::Call(..)
            | Expr::Cast { .. }
            | Expr::Choose { .. } => None,
        }
    }
}

/// Returns whether an operator cannot overflow on extents. Products can, and are demanded.
fn never_wraps(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Mul
            | BinaryOp::DivCeil
            | BinaryOp::SaturatingAdd
            | BinaryOp::SaturatingMul
            | BinaryOp::SaturatingSub
            | BinaryOp::Min
            | BinaryOp::Max
    )
}

pub(super) fn is_constant(factor: &Expr) -> bool {
    matches!(factor, Expr::Index(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::samples;
    use crate::types::Dtype;

    /// Returns the demands of a body with two extents.
    fn demands(body: Vec<Stmt>) -> Vec<(Vec<String>, Option<Element>)> {
        let mut search = Search::within(&["i_size", "j_size"]);
        search.body(&body);
        let shown = |demand: Demand| {
            (demand.factors.iter().map(|factor| factor.to_string()).collect(), demand.element)
        };
        search.demands.into_iter().map(shown).collect()
    }

    fn product() -> Expr {
        Expr::mul(Expr::var("i_size"), Expr::var("j_size"))
    }

    fn both() -> Vec<String> {
        vec!["i_size".into(), "j_size".into()]
    }

    #[test]
    fn products_of_extents_must_be_indices() {
        let count = Stmt::for_range("f", Expr::Index(0), product(), vec![Stmt::Break]);
        let inner = Stmt::for_range("k", Expr::Index(0), Expr::var("n"), count.clone());
        for body in [count, inner] {
            assert_eq!(demands(body), [(both(), None)]);
        }
        let blocks = Stmt::bind("n", Expr::div_ceil(Expr::var("i_size"), Expr::Index(4)));
        let counted = Expr::mul(Expr::var("n"), Expr::var("j_size"));
        let found = demands(vec![blocks, Stmt::assign("x", counted)]);
        assert_eq!(found, [(vec!["i_size.div_ceil(4)".into(), "j_size".into()], None)]);
    }

    #[test]
    fn positions_are_no_products_of_extents() {
        let position = Expr::mul(Expr::var("p"), Expr::var("j_size"));
        assert_eq!(demands(vec![Stmt::assign("x", position)]), []);
    }

    #[test]
    fn arrays_need_memory_for_the_extents_by_which_they_grow() {
        let element = Element::Value(Dtype::F64);
        let zero = Expr::Index(0);
        let scratch = Stmt::scratch("w", element);
        let whole = Stmt::resize("w", product(), zero.clone());
        // The allocation implies that the product fits in `usize`.
        assert_eq!(demands(vec![scratch.clone(), whole]), [(both(), Some(element))]);
        let bits = Stmt::scratch("b", Element::Bits);
        let grown = Stmt::resize("b", Expr::var("j_size"), Expr::Bool(false));
        assert_eq!(demands(vec![bits, grown]), []);
        let rows = Expr::mul(Expr::add(Expr::var("p"), Expr::Index(1)), Expr::var("j_size"));
        let found = demands(vec![scratch, Stmt::resize("w", rows, zero.clone())]);
        assert_eq!(found, [(vec!["j_size".into()], Some(element))]);
        let ends = Expr::add(Expr::var("i_size"), Expr::Index(1));
        assert_eq!(demands(vec![Stmt::resize("pos", ends, zero)]), []);
    }

    #[test]
    fn plain_kernels_demand_nothing() {
        assert_eq!(samples::spmv().demands(), []);
    }
}
