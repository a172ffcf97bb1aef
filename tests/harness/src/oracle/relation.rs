//! Evaluates a statement as relational algebra over what is stored: products join, sums unite.

use std::collections::HashMap;

use crate::number::Number;
use crate::oracle::{Cell, Cells, Extents, Operands};
use crate::statement::{Access, Expr, Statement};

/// How many cells an expression may have before evaluation gives up.
const LIMIT: usize = 300_000;

/// The cells of the result that are not known to be zero, or `None` where there are too many on
/// the way.
pub fn evaluate(statement: &Statement, operands: &Operands, extents: &Extents) -> Option<Cells> {
    let context = Context { operands, extents };
    let value = context.relation(&statement.value)?;
    let value = context.spread(value, &statement.result.variables)?;
    let order = value.positions(&statement.result.variables);
    let cells = value.cells.into_iter();
    Some(cells.map(|(at, cell)| (order.iter().map(|k| at[*k]).collect(), cell)).collect())
}

/// The cells of an expression that are not known to be zero, by the coordinates of its variables.
struct Relation {
    variables: Vec<String>,
    cells: HashMap<Vec<usize>, Cell>,
}

impl Relation {
    fn positions(&self, variables: &[String]) -> Vec<usize> {
        let position = |name| self.variables.iter().position(|own| own == name);
        variables.iter().filter_map(position).collect()
    }

    fn map(mut self, change: impl Fn(Cell) -> Cell) -> Relation {
        self.cells.values_mut().for_each(|cell| *cell = change(*cell));
        self
    }

    fn without_nothing(mut self) -> Relation {
        self.cells.retain(|_, cell| !cell.is_nothing());
        self
    }
}

struct Context<'a> {
    operands: &'a Operands,
    extents: &'a Extents,
}

impl Context<'_> {
    fn relation(&self, expr: &Expr) -> Option<Relation> {
        let relation = match expr {
            Expr::Number(number) => Relation {
                variables: Vec::new(),
                cells: [(Vec::new(), Cell::known(Number::real(*number)))].into(),
            },
            Expr::Access(access) => self.stored(access),
            Expr::Negative(a) => self.relation(a)?.map(Cell::negative),
            Expr::Sum(a, b) => self.union(self.relation(a)?, self.relation(b)?)?,
            Expr::Difference(a, b) => {
                self.union(self.relation(a)?, self.relation(b)?.map(Cell::negative))?
            }
            Expr::Product(a, b) => join(self.relation(a)?, self.relation(b)?)?,
            Expr::Quotient(a, b) => self.quotient(self.relation(a)?, self.relation(b)?)?,
            Expr::Total(variables, a) => {
                let body = self.spread(self.relation(a)?, variables)?;
                total(body, variables)
            }
        };
        Some(relation.without_nothing())
    }

    fn stored(&self, access: &Access) -> Relation {
        let mut variables: Vec<String> = Vec::new();
        for variable in &access.variables {
            if !variables.contains(variable) {
                variables.push(variable.clone());
            }
        }
        let mut cells = HashMap::new();
        for (coordinate, value) in &self.operands[&access.tensor] {
            let mut at = vec![None; variables.len()];
            let modes = access.variables.iter().zip(coordinate);
            // In an access such as `A[i,i]` only the diagonal counts.
            let agrees = modes.into_iter().all(|(name, coordinate)| {
                let own = variables.iter().position(|known| known == name);
                own.is_some_and(|own| *at[own].get_or_insert(*coordinate) == *coordinate)
            });
            if agrees {
                cells.insert(at.into_iter().flatten().collect(), Cell::stored(*value));
            }
        }
        Relation { variables, cells }
    }

    /// The same relation over more variables, on which it does not depend.
    fn spread(&self, mut relation: Relation, variables: &[String]) -> Option<Relation> {
        for name in variables {
            if relation.variables.contains(name) {
                continue;
            }
            let extent = self.extents[name];
            if relation.cells.len().checked_mul(extent)? > LIMIT {
                return None;
            }
            let cells = relation.cells.iter().flat_map(|(at, cell)| {
                (0..extent).map(move |coordinate| {
                    let mut at = at.clone();
                    at.push(coordinate);
                    (at, *cell)
                })
            });
            relation.cells = cells.collect();
            relation.variables.push(name.clone());
        }
        Some(relation)
    }

    fn union(&self, a: Relation, b: Relation) -> Option<Relation> {
        let mut a = self.spread(a, &b.variables)?;
        let b = self.spread(b, &a.variables)?;
        let order = b.positions(&a.variables);
        for (at, cell) in b.cells {
            let at = order.iter().map(|k| at[*k]).collect();
            let sum = a.cells.entry(at).or_insert(Cell::NOTHING);
            *sum = sum.plus(cell);
        }
        Some(a)
    }

    fn quotient(&self, a: Relation, b: Relation) -> Option<Relation> {
        let mut a = self.spread(a, &b.variables)?;
        let order = a.positions(&b.variables);
        for (at, cell) in &mut a.cells {
            let at: Vec<usize> = order.iter().map(|k| at[*k]).collect();
            *cell = cell.over(b.cells.get(&at).copied().unwrap_or(Cell::NOTHING));
        }
        Some(a)
    }
}

/// The products of all cells that agree in their common variables.
fn join(a: Relation, b: Relation) -> Option<Relation> {
    let common: Vec<String> =
        a.variables.iter().filter(|name| b.variables.contains(name)).cloned().collect();
    let (of_a, of_b) = (a.positions(&common), b.positions(&common));
    let own: Vec<usize> = (0..b.variables.len()).filter(|k| !of_b.contains(k)).collect();
    let mut index: HashMap<Vec<usize>, Vec<(&Vec<usize>, Cell)>> = HashMap::new();
    for (at, cell) in &b.cells {
        index.entry(of_b.iter().map(|k| at[*k]).collect()).or_default().push((at, *cell));
    }
    let mut cells = HashMap::new();
    for (at, cell) in &a.cells {
        let key: Vec<usize> = of_a.iter().map(|k| at[*k]).collect();
        for (other, factor) in index.get(&key).into_iter().flatten() {
            let at = at.iter().copied().chain(own.iter().map(|k| other[*k])).collect();
            cells.insert(at, cell.times(*factor));
        }
        if cells.len() > LIMIT {
            return None;
        }
    }
    let mut variables = a.variables;
    variables.extend(own.iter().map(|k| b.variables[*k].clone()));
    Some(Relation { variables, cells })
}

/// Adds up all cells that differ in some variables only.
fn total(body: Relation, over: &[String]) -> Relation {
    let variables: Vec<String> =
        body.variables.iter().filter(|name| !over.contains(name)).cloned().collect();
    let kept = body.positions(&variables);
    let mut cells = HashMap::new();
    for (at, cell) in body.cells {
        let sum: &mut Cell =
            cells.entry(kept.iter().map(|k| at[*k]).collect()).or_insert(Cell::NOTHING);
        *sum = sum.plus(cell);
    }
    Relation { variables, cells }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::grid;

    fn operands() -> Operands {
        let stored = |entries: &[(&[usize], f64)]| {
            entries.iter().map(|(at, value)| (at.to_vec(), Number::real(*value))).collect()
        };
        Operands::from([
            ("A".into(), stored(&[(&[0, 0], 2.0), (&[0, 1], 3.0), (&[2, 2], 0.0)])),
            ("B".into(), stored(&[(&[0, 1], 5.0), (&[1, 0], 7.0)])),
            ("x".into(), stored(&[(&[0], f64::INFINITY), (&[1], 1.0), (&[2], f64::NAN)])),
            ("c".into(), stored(&[(&[], 4.0)])),
        ])
    }

    /// Both evaluators agree that these coordinates are stored, with these values.
    fn check(statement: &str, expected: &[(&[usize], f64)]) {
        let statement = Statement::parse(statement).unwrap();
        let extents = statement.variables().iter().map(|name| ((*name).to_owned(), 3)).collect();
        let visited = grid::evaluate(&statement, &operands(), &extents);
        let joined = evaluate(&statement, &operands(), &extents).unwrap();
        for cells in [visited, joined] {
            let coordinates: Vec<&[usize]> = cells.keys().map(Vec::as_slice).collect();
            let wanted: Vec<&[usize]> = expected.iter().map(|(at, _)| *at).collect();
            assert_eq!(coordinates, wanted, "{}", statement.value);
            for (cell, (at, value)) in cells.values().zip(expected) {
                let is_like = cell.value.is_like(Number::real(*value), 0.0);
                assert!(is_like, "{} at {at:?}: {}", statement.value, cell.value);
            }
        }
    }

    #[test]
    fn products_intersect_and_sums_unite() {
        check("C[i,j] = A[i,j] * B[i,j]", &[(&[0, 1], 15.0)]);
        check(
            "C[i,j] = A[i,j] - B[i,j]",
            &[(&[0, 0], 2.0), (&[0, 1], -2.0), (&[1, 0], -7.0), (&[2, 2], 0.0)],
        );
        check("C[i,j] = A[i,j] - A[i,j]", &[(&[0, 0], 0.0), (&[0, 1], 0.0), (&[2, 2], 0.0)]);
        check("C[i,j] = c * B[i,j]", &[(&[0, 1], 20.0), (&[1, 0], 28.0)]);
    }

    #[test]
    fn an_unstored_zero_annihilates_whatever_it_meets() {
        check("y[i] = A[i,j] * x[j]", &[(&[0], f64::INFINITY), (&[2], f64::NAN)]);
        check("y[i] = B[i,j] * x[j]", &[(&[0], 5.0), (&[1], f64::INFINITY)]);
    }

    #[test]
    fn a_quotient_has_the_pattern_of_its_numerator() {
        check(
            "C[i,j] = A[i,j] / B[i,j]",
            &[(&[0, 0], f64::INFINITY), (&[0, 1], 0.6), (&[2, 2], f64::NAN)],
        );
    }

    #[test]
    fn a_constant_makes_a_result_dense() {
        let at = |i, j| {
            if (i, j) == (0, 1) {
                6.0
            } else if (i, j) == (1, 0) {
                8.0
            } else {
                1.0
            }
        };
        let coordinates: Vec<[usize; 2]> = (0..9).map(|k| [k / 3, k % 3]).collect();
        let all: Vec<(&[usize], f64)> =
            coordinates.iter().map(|c| (c.as_slice(), at(c[0], c[1]))).collect();
        check("C[i,j] = B[i,j] + 1", &all);
    }

    #[test]
    fn accesses_may_permute_and_repeat() {
        check("C[i,j] = B[i,j] + B[j,i]", &[(&[0, 1], 12.0), (&[1, 0], 12.0)]);
        check("t = A[i,i]", &[(&[], 2.0)]);
        check("C[i,j] = A[i,k] * B[k,j]", &[(&[0, 0], 21.0), (&[0, 1], 10.0)]);
        check(
            "C[i,j] = x[i] * B[i,j] + A[j,i]",
            &[(&[0, 0], 2.0), (&[0, 1], f64::INFINITY), (&[1, 0], 10.0), (&[2, 2], 0.0)],
        );
    }
}
