//! Strength reduction: positions that a loop multiplies by an extent are multiplied where they are
//! stored (Allen, Cocke and Kennedy 1981).
//!
//! The values of a diagonal begin at its position times the number of rows. A matrix has few
//! diagonals, and each of its entries looks up the position of one. rustc does not change what arrays
//! hold.

use crate::ir::{BinaryOp, Expr, Function, Stmt, Uses};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    function.body = in_body(&function.body);
    function
}

fn in_body(body: &[Stmt]) -> Vec<Stmt> {
    let mut stmts: Vec<Stmt> =
        body.iter().flat_map(|stmt| stmt.map(&mut Expr::clone, &mut in_body)).collect();
    for at in 0..stmts.len() {
        if let Some(reduced) = reduced(&stmts[at..]) {
            stmts.splice(at..at + reduced.len(), reduced);
        }
    }
    stmts
}

/// A loop that stores a value for each coordinate of a range of positions.
struct Stored<'s> {
    array: &'s str,
    position: &'s str,
    range: [&'s Expr; 2],
    index: &'s Expr,
    value: &'s Expr,
}

impl Stored<'_> {
    fn of(stmt: &Stmt) -> Option<Stored<'_>> {
        let Stmt::For { name, start, end, body } = stmt else { return None };
        let [Stmt::Store { array, index, op: None, value }] = &body[..] else { return None };
        Some(Stored { array, position: name, range: [start, end], index, value })
    }

    /// Returns whether another loop stores to the same elements.
    fn has_elements_of(&self, other: &Stored<'_>) -> bool {
        self.array == other.array
            && self.position == other.position
            && self.range == other.range
            && self.index == other.index
    }
}

/// Returns a first loop that stores positions, and the statements that read them, with positions that
/// are multiplied already, if all of these multiply by the same extent.
fn reduced(stmts: &[Stmt]) -> Option<Vec<Stmt>> {
    let (first, rest) = stmts.split_first()?;
    let stored = Stored::of(first)?;
    let next = Expr::add(Expr::var(stored.position), Expr::Index(1));
    if *stored.value != next {
        return None;
    }
    let is_written = |stmt: &Stmt| {
        Uses::of_name(std::slice::from_ref(stmt), stored.array).writes(stored.array) > 0
    };
    let count = rest.iter().position(is_written)?;
    let is_removed = Stored::of(&rest[count]).is_some_and(|removed| {
        removed.has_elements_of(&stored) && *removed.value == Expr::Index(0)
    });
    let readers = &rest[..count];
    let names = names_of(readers, stored.array)?;
    let by = is_removed.then(|| multiplier(readers, &names)).flatten()?;
    let begin = Expr::mul(Expr::var(stored.position), Expr::var(&by));
    let value = Expr::add(begin, Expr::Index(1));
    let store = Stmt::store(stored.array, stored.index.clone(), value);
    let [start, end] = stored.range;
    let mut reduced = Stmt::for_range(stored.position, start.clone(), end.clone(), vec![store]);
    reduced.extend(multiplied(readers, &names, &by));
    Some(reduced)
}

/// Returns the names of elements of an array, if statements do nothing else with the array, and bind
/// and assign nothing else to the names.
fn names_of(stmts: &[Stmt], array: &str) -> Option<Vec<String>> {
    let element = |stmt: &Stmt| match stmt {
        Stmt::Let { name, value: Expr::Load { array: from, .. }, .. } if from == array => {
            Some(name.clone())
        }
        _ => None,
    };
    let mut names: Vec<String> = Vec::new();
    stmts.iter().for_each(|stmt| stmt.for_each(&mut |stmt| names.extend(element(stmt))));
    let count = names.len();
    names.sort();
    names.dedup();
    let mut binds_other = false;
    let mut examine = |stmt: &Stmt| {
        let is_name = |bound: &&str| names.iter().any(|name| name == bound);
        binds_other |= element(stmt).is_none() && stmt.bound().iter().any(is_name);
    };
    stmts.iter().for_each(|stmt| stmt.for_each(&mut examine));
    let assigns = names.iter().any(|name| Uses::of_name(stmts, name).writes(name) > 0);
    let uses = Uses::of_name(stmts, array);
    let is_only = uses.reads(array) == count && uses.measures(array) == 0;
    (is_only && !binds_other && !assigns).then_some(names)
}

/// Returns the variable by which statements multiply a position in each use of a name of its end,
/// apart from comparisons with 0.
fn multiplier(stmts: &[Stmt], names: &[String]) -> Option<String> {
    let mut by: Vec<String> = Vec::new();
    let (mut expected, mut uses) = (0, 0);
    let mut collect = |expr: &Expr| match expr {
        Expr::Var(name) if names.contains(name) => uses += 1,
        Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) if **b == Expr::Index(0) => {
            expected += usize::from(matches!(&**a, Expr::Var(name) if names.contains(name)));
        }
        expr => {
            if let Some(factor) = factor(expr, names) {
                expected += 1;
                by.push(factor.to_owned());
            }
        }
    };
    for stmt in stmts {
        stmt.for_each(&mut |stmt| {
            stmt.expressions().into_iter().for_each(|expr| expr.for_each(&mut collect));
        });
    }
    let by = by.first().filter(|first| by.iter().all(|other| other == *first))?.clone();
    let is_bound = stmts.iter().any(|stmt| stmt.binds_within(&|name| name == by));
    let is_fixed = !is_bound && Uses::of_name(stmts, &by).writes(&by) == 0;
    (is_fixed && uses == expected).then_some(by)
}

/// Returns the factor of `(end - 1) * factor`, for the name of an end.
fn factor<'e>(expr: &'e Expr, names: &[String]) -> Option<&'e str> {
    let Expr::Binary(BinaryOp::Mul, position, factor) = expr else { return None };
    let Expr::Binary(BinaryOp::Sub, end, one) = &**position else { return None };
    match (&**end, &**one, &**factor) {
        (Expr::Var(end), Expr::Index(1), Expr::Var(factor)) if names.contains(end) => Some(factor),
        _ => None,
    }
}

/// Returns statements in which the positions with these ends have been multiplied already.
fn multiplied(stmts: &[Stmt], names: &[String], by: &str) -> Vec<Stmt> {
    let mut expr = |expr: &Expr| {
        names.iter().fold(expr.clone(), |expr, end| {
            let position = Expr::sub(Expr::var(end), Expr::Index(1));
            expr.replace(&Expr::mul(position.clone(), Expr::var(by)), &position)
        })
    };
    let mut body = |body: &[Stmt]| multiplied(body, names, by);
    stmts.iter().flat_map(|stmt| stmt.map(&mut expr, &mut body)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::samples;

    /// Returns loops that store the positions of coordinates, read them in a loop, and remove them.
    fn places(reads: Vec<Stmt>) -> Vec<Stmt> {
        let each = |value| {
            let index = Expr::load("crd", Expr::var("p"));
            let store = Stmt::store("places", index, value);
            Stmt::for_range("p", Expr::Index(0), Expr::var("n"), vec![store])
        };
        let mut body = each(Expr::add(Expr::var("p"), Expr::Index(1)));
        body.extend(Stmt::for_range("i", Expr::Index(0), Expr::var("rows"), reads));
        body.extend(each(Expr::Index(0)));
        body
    }

    /// Returns the statements after the pass.
    fn shown(body: Vec<Stmt>) -> String {
        let function = run(Function { body, ..samples::spmv() });
        function.body.iter().map(Stmt::to_string).collect()
    }

    #[test]
    fn positions_are_multiplied_where_they_are_stored() {
        let end = Stmt::bind("end", Expr::load("places", Expr::var("i")));
        let product = |by: &str| {
            let position = Expr::sub(Expr::var("end"), Expr::Index(1));
            let at = Expr::add(Expr::mul(position, Expr::var(by)), Expr::var("i"));
            Stmt::store("vals", at, Expr::Index(7))
        };
        let checked = Stmt::when(Expr::ne(Expr::var("end"), Expr::Index(0)), vec![product("rows")]);
        let expected = "\
for p in 0..n {
    places[crd[p]] = p * rows + 1;
}
for i in 0..rows {
    let end = places[i];
    if end != 0 {
        vals[end - 1 + i] = 7;
    }
}
for p in 0..n {
    places[crd[p]] = 0;
}
";
        assert_eq!(shown(places([vec![end.clone()], checked].concat())), expected);
        // Another factor, another use of the position, a factor that changes, and another binding.
        let pushed = Stmt::push("y", Expr::var("end"));
        let changes = Stmt::accumulate("rows", Expr::Index(1));
        let again = Stmt::bind("end", Expr::var("m"));
        for other in [product("n"), pushed, changes, again] {
            let body = places(vec![end.clone(), product("rows"), other]);
            let before: String = body.iter().map(Stmt::to_string).collect();
            assert_eq!(shown(body), before);
        }
    }
}
