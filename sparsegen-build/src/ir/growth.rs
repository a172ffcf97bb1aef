//! Arrays whose length is not bounded by the sizes of the operands and of the result.
//!
//! The length of an array that has elements for each coordinate of a dimension and for each of the
//! entries above is a product of an extent and a number that the loops count: the rows of a matrix
//! times its diagonals, or times its longest row. A few entries may make it larger than memory, so
//! that the array grows by a function that returns an error.

use std::collections::BTreeMap;

use super::demand::{Search, is_constant};
use super::{BinaryOp, Element, Expr, Function, Stmt};

impl Function {
    /// Returns the function with such arrays of its results extended by [`Stmt::Grow`].
    pub fn with_fallible_growth(mut self) -> Function {
        let results = self.results().flat_map(|result| result.arrays());
        let elements: BTreeMap<String, Element> =
            results.map(|array| (array.name.clone(), array.element)).collect();
        let mut search = Search::of(&self);
        self.body = grown(&self.body, &elements, &mut search);
        self
    }
}

fn grown(body: &[Stmt], elements: &BTreeMap<String, Element>, search: &mut Search) -> Vec<Stmt> {
    let mut changed = Vec::new();
    for stmt in body {
        search.stmt(stmt);
        changed.extend(match stmt {
            Stmt::Resize { array, len, value }
                if elements.get(array).is_some_and(|element| *element != Element::Bits)
                    && is_counted_product(len, search) =>
            {
                vec![Stmt::Grow {
                    array: array.clone(),
                    factors: factors(len),
                    value: value.clone(),
                }]
            }
            stmt => stmt.map(&mut Expr::clone, &mut |body| grown(body, elements, search)),
        });
    }
    changed
}

/// Returns whether a length is a product of at least two numbers of which some depend on entries.
fn is_counted_product(len: &Expr, search: &Search) -> bool {
    let factors = factors(len);
    let is_counted = |factor: &Expr| search.known(factor).is_none();
    let variable = factors.iter().filter(|factor| !is_constant(factor));
    variable.count() >= 2 && factors.iter().any(is_counted)
}

/// Returns the factors of a product.
fn factors(expr: &Expr) -> Vec<Expr> {
    match expr {
        Expr::Binary(BinaryOp::Mul, a, b) => [factors(a), factors(b)].concat(),
        expr => vec![expr.clone()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Dtype;

    /// Returns the statements that extend an array of a result to a length, within a loop.
    fn extended(len: Expr) -> String {
        let array = "c_vals".to_owned();
        let elements = BTreeMap::from([(array.clone(), Element::Value(Dtype::F64))]);
        let names = ["i_size", "j_size"];
        let mut search = Search::within(&names);
        let resize = Stmt::resize(&array, len, Expr::Index(0));
        let body = Stmt::for_range("p", Expr::Index(0), Expr::var("n"), vec![resize]);
        let body = grown(&body, &elements, &mut search);
        let Stmt::For { body, .. } = &body[0] else { unreachable!("a loop") };
        body[0].to_string().trim().to_owned()
    }

    #[test]
    fn what_entries_multiply_may_exceed_memory() {
        let [i, j] = ["i_size", "j_size"].map(Expr::var);
        let count = Expr::add(Expr::var("p"), Expr::Index(1));
        let rows = Expr::mul(count.clone(), i.clone());
        assert_eq!(extended(rows), "grow(c_vals, [p + 1, i_size], 0)?;");
        // The entry point checks the size of what is known before the loops.
        assert_eq!(extended(Expr::mul(i, j)), "c_vals.resize(i_size * j_size, 0);");
        // Blocks of constant size take memory in proportion to the entries.
        let blocks = Expr::mul(count, Expr::Index(6));
        assert_eq!(extended(blocks), "c_vals.resize((p + 1) * 6, 0);");
    }
}
