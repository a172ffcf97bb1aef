//! Scalar replacement: keeps an element of a local array in a variable while a loop counts in it.
//!
//! `next[i] += 1` in a loop over the entries of row `i` is stored and loaded again for each entry,
//! because rustc does not know that the arrays of the result are others (Callahan, Carr and Kennedy
//! 1990).

use std::collections::BTreeMap;

use super::fresh::Names;
use crate::ir::{Expr, Function, Stmt, Use, for_each_use};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    let (names, taken) = (Names::of(&function), BTreeMap::new());
    let (lengths, coordinates) = (BTreeMap::new(), Vec::new());
    let mut arrays = Arrays { lengths, coordinates, names, taken };
    function.body = arrays.replaced(&function.body);
    function
}

/// What is known in front of a statement.
struct Arrays {
    /// The lengths of local arrays.
    lengths: BTreeMap<String, Expr>,
    /// The variables of the enclosing loops, and their ends.
    coordinates: Vec<(String, Expr)>,
    names: Names,
    /// The variables of elements, by the array and the coordinate.
    taken: BTreeMap<(String, String), String>,
}

impl Arrays {
    /// Returns statements whose loops keep elements in variables.
    fn replaced(&mut self, body: &[Stmt]) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for stmt in body {
            self.measure(stmt);
            let element = match stmt {
                Stmt::For { .. } | Stmt::While { .. } => self.element(stmt),
                _ => None,
            };
            let Some((array, index)) = element else {
                stmts.extend(self.within(stmt));
                continue;
            };
            let names = &mut self.names;
            let fresh = || names.beside(&array, &index);
            let key = (array.clone(), index.clone());
            let name = self.taken.entry(key).or_insert_with(fresh).clone();
            let kept = Element { array: &array, index: &Expr::var(&index), name: &name };
            stmts.push(Stmt::bind_mut(&name, kept.load()));
            for kept in kept.in_variable(stmt) {
                stmts.extend(self.within(&kept));
            }
            stmts.push(Stmt::store(&array, Expr::var(&index), Expr::var(&name)));
        }
        stmts
    }

    /// Notes the lengths of arrays that a statement changes.
    fn measure(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Resize { array, len, .. } => {
                self.lengths.insert(array.clone(), len.clone());
            }
            Stmt::Store { .. } => {}
            Stmt::For { .. } | Stmt::ForOnes { .. } | Stmt::While { .. } | Stmt::If { .. } => {
                // Later iterations, and statements behind, find another length.
                stmt.for_each(&mut |inner| self.forget(inner));
            }
            stmt => self.forget(stmt),
        }
    }

    /// Forgets the lengths of arrays that a statement may change in another way than by a store.
    fn forget(&mut self, stmt: &Stmt) {
        let is_store = matches!(stmt, Stmt::Store { .. });
        let nested = !stmt.bodies().is_empty();
        if !is_store && !nested {
            for_each_use(std::slice::from_ref(stmt), &mut |kind, name| {
                if kind == Use::Written {
                    self.lengths.retain(|array, len| array != name && !len.mentions(name));
                }
            });
            for name in stmt.binds() {
                self.lengths.retain(|array, len| array != name && !len.mentions(name));
            }
        }
    }

    /// Returns a statement with the loops within it replaced.
    fn within(&mut self, stmt: &Stmt) -> Vec<Stmt> {
        let (depth, lengths) = (self.coordinates.len(), self.lengths.clone());
        if let Stmt::For { name, end, .. } = stmt {
            self.coordinates.push((name.clone(), end.clone()));
        }
        let stmts = stmt.map(&mut Expr::clone, &mut |inner| self.replaced(inner));
        self.coordinates.truncate(depth);
        self.lengths = lengths;
        stmts
    }

    /// Returns an array and the name of a coordinate at which alone a loop uses it, and stores to it.
    /// Every coordinate is below the length, so that the element exists if the loop has no iteration.
    fn element(&self, stmt: &Stmt) -> Option<(String, String)> {
        self.lengths.iter().find_map(|(array, len)| {
            let mut inside = self.coordinates.iter().filter(|(_, end)| end == len);
            let (coordinate, _) = inside.find(|(coordinate, _)| {
                let index = Expr::var(coordinate);
                let element = Element { array, index: &index, name: "" };
                element.stores(stmt).is_some_and(|stores| stores > 0)
                    && !stmt.binds_within(&|name| name == coordinate)
            })?;
            Some((array.clone(), coordinate.clone()))
        })
    }
}

/// An element of an array, and the name of a variable for it.
pub(super) struct Element<'e> {
    pub(super) array: &'e str,
    pub(super) index: &'e Expr,
    pub(super) name: &'e str,
}

impl Element<'_> {
    pub(super) fn load(&self) -> Expr {
        Expr::load(self.array, self.index.clone())
    }

    /// Returns the number of stores to the element in a statement that uses the array in no other way
    /// than that and by loads of the element.
    pub(super) fn stores(&self, stmt: &Stmt) -> Option<usize> {
        let (mut all, mut stores, mut loads) = (0, 0, 0);
        for_each_use(std::slice::from_ref(stmt), &mut |_: Use, name| {
            all += usize::from(name == self.array);
        });
        if all == 0 {
            return None;
        }
        let load = self.load();
        stmt.for_each(&mut |stmt| {
            let is_store = matches!(stmt, Stmt::Store { array, index, .. }
                if array == self.array && index == self.index);
            stores += usize::from(is_store);
            for expr in stmt.expressions() {
                expr.for_each(&mut |e| loads += usize::from(*e == load));
            }
        });
        (stores + loads == all).then_some(stores)
    }

    /// Returns a statement with the variable in place of the element.
    pub(super) fn in_variable(&self, stmt: &Stmt) -> Vec<Stmt> {
        let load = self.load();
        let value = |expr: &Expr| expr.replace(&load, &Expr::var(self.name));
        let within =
            |inner: &[Stmt]| inner.iter().flat_map(|stmt| self.in_variable(stmt)).collect();
        match stmt {
            Stmt::Store { array, op, value: stored, .. } if array == self.array => {
                vec![Stmt::Assign { name: self.name.to_owned(), op: *op, value: value(stored) }]
            }
            stmt => stmt.map(&mut |expr| value(expr), &mut |inner| within(inner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Element as Type, Width, samples};

    /// Returns the statements after the pass.
    fn replaced(body: Vec<Stmt>) -> String {
        let function = run(Function { body, ..samples::spmv() });
        function.body.iter().map(Stmt::to_string).collect()
    }

    /// Returns `for i in 0..n { for p in 0..m { body } }` over an array with `len` elements.
    fn nested(len: &str, body: Vec<Stmt>) -> Vec<Stmt> {
        let inner = Stmt::for_range("p", Expr::Index(0), Expr::var("m"), body);
        let resize = Stmt::resize("next", Expr::var(len), Expr::Index(0));
        let mut stmts = vec![Stmt::scratch("next", Type::Index(Width::Usize)), resize];
        stmts.extend(Stmt::for_range("i", Expr::Index(0), Expr::var("n"), inner));
        stmts
    }

    #[test]
    fn counters_of_an_outer_coordinate_are_kept() {
        let at = |index: &str| Expr::load("next", Expr::var(index));
        let count = || Stmt::accumulate_at("next", Expr::var("i"), Expr::Index(1));
        let shown = replaced(nested("n", vec![Stmt::push("y", at("i")), count()]));
        let expected = "\
let mut next = Vec::new();
next.resize(n, 0);
for i in 0..n {
    let mut next_i = next[i];
    for p in 0..m {
        y.push(next_i);
        next_i += 1;
    }
    next[i] = next_i;
}
";
        assert_eq!(shown, expected);
        // The element may not exist, others are used, or nothing is stored.
        for body in [
            nested("m", vec![count()]),
            nested("n", vec![count(), Stmt::push("y", at("p"))]),
            nested("n", vec![count(), Stmt::accumulate_at("next", Expr::var("p"), Expr::Index(1))]),
            nested("n", vec![Stmt::push("y", at("i"))]),
        ] {
            let before: String = body.iter().map(Stmt::to_string).collect();
            assert_eq!(replaced(body), before);
        }
    }
}
