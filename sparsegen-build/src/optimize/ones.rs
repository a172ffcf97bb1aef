//! Set bits: a loop over coordinates whose body tests a bit of each becomes a loop over the bits that
//! are set, which finds them a word at a time.
//!
//! The bits of several arrays are combined as words: a sum visits the bits that are set in either
//! array, a product the bits that are set in both. rustc does not combine tests of single bits. With
//! 1 % of the bits set, a product with a vector takes an eighth of the time.

use std::collections::BTreeSet;

use crate::ir::{BinaryOp, Element, Expr, Function, Stmt, Uses};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    let arrays = arrays_of_bits(&function);
    if !arrays.is_empty() {
        function.body = changed(&function.body, &arrays);
    }
    function
}

/// Returns the arrays that hold a bit for each position.
fn arrays_of_bits(function: &Function) -> BTreeSet<String> {
    let operands = function.tensors().flat_map(|tensor| &tensor.arrays);
    let operands = operands.map(|array| (&array.name, array.element));
    let results =
        function.results().flat_map(|result| result.arrays().iter().chain(result.structure()));
    let results = results.map(|array| (&array.name, array.element));
    let all = operands.chain(results).filter(|(_, element)| *element == Element::Bits);
    all.map(|(name, _)| name.clone()).collect()
}

fn changed(body: &[Stmt], arrays: &BTreeSet<String>) -> Vec<Stmt> {
    let each = |stmt: &Stmt| {
        let stmts = stmt.map(&mut Expr::clone, &mut |inner| changed(inner, arrays));
        match &stmts[..] {
            [each] => over_ones(each, arrays).map_or(stmts, |each| vec![each]),
            _ => stmts,
        }
    };
    body.iter().flat_map(each).collect()
}

/// Returns the loop over the set bits in place of a loop over coordinates.
fn over_ones(each: &Stmt, arrays: &BTreeSet<String>) -> Option<Stmt> {
    let Stmt::For { name, start, end, body } = each else { return None };
    let (Stmt::If { arms, otherwise }, lets) = body.split_last()? else { return None };
    let is_let = |stmt: &Stmt| matches!(stmt, Stmt::Let { mutable: false, .. });
    if !otherwise.is_empty() || !lets.iter().all(is_let) {
        return None;
    }
    let position = position_of(&arms[0].0, arrays)?;
    let tested = Tested { arrays, position };
    let words: Vec<Expr> =
        arms.iter().map(|(condition, _)| tested.words(condition)).collect::<Option<_>>()?;
    let is_exact = arms.iter().zip(&words).all(|((condition, _), words)| condition == words);
    let bits = disjunction(&words);
    let uses = Uses::of(body);
    let mut changes = false;
    bits.names(&mut |array| changes |= uses.writes(array) > 0);
    let first = first_position(position, name, lets).filter(|_| !changes)?;
    let mut arms = without_implied(arms, &bits);
    // One of the branches is taken, so the last one need not be tested.
    let last = if is_exact { arms.pop().map(|(_, body)| body) } else { None };
    let entered = Stmt::choose(arms, last.unwrap_or_default());
    let [start, end] = [start, end].map(|at| Expr::add(first.clone(), at.clone()));
    let Expr::Var(position) = position else { return None };
    let mut inner = Vec::new();
    if position != name {
        inner.push(Stmt::bind(name, Expr::sub(Expr::var(position), first)));
    }
    inner.extend(lets.iter().filter(|stmt| stmt.binds() != [position]).cloned());
    inner.extend(entered);
    Some(Stmt::ForOnes { name: position.clone(), start, end, bits, body: inner })
}

/// Returns the position of coordinate 0, if the position of each coordinate is the sum of both.
fn first_position(position: &Expr, coordinate: &str, lets: &[Stmt]) -> Option<Expr> {
    let own = Expr::var(coordinate);
    let value = lets.iter().find_map(|stmt| match stmt {
        Stmt::Let { name, value, .. } if *position == Expr::var(name) => Some(value),
        _ => None,
    });
    let first = match value.unwrap_or(position) {
        Expr::Binary(BinaryOp::Add, first, last) if **last == own => (**first).clone(),
        position if *position == own => Expr::Index(0),
        _ => return None,
    };
    let mut bound = lets.iter().flat_map(Stmt::binds).chain([coordinate]);
    (!bound.any(|name| first.mentions(name))).then_some(first)
}

/// Returns the position of the first bit that a condition tests.
fn position_of<'e>(condition: &'e Expr, arrays: &BTreeSet<String>) -> Option<&'e Expr> {
    let mut found = None;
    condition.for_each(&mut |expr| {
        if let Expr::Load { array, index } = expr
            && arrays.contains(array)
            && found.is_none()
        {
            found = Some(&**index);
        }
    });
    found
}

/// Returns branches without the tests of bits that are set wherever `bits` are.
fn without_implied(arms: &[(Expr, Vec<Stmt>)], bits: &Expr) -> Vec<(Expr, Vec<Stmt>)> {
    let parts = disjuncts(bits);
    let [first, others @ ..] = &parts[..] else { return arms.to_vec() };
    let mut implied = conjuncts(first);
    implied.retain(|bit| others.iter().all(|part| conjuncts(part).contains(bit)));
    let known = Expr::Bool(true);
    let without = |condition: &Expr| {
        implied.iter().fold(condition.clone(), |condition, bit| condition.replace(bit, &known))
    };
    arms.iter().map(|(condition, body)| (without(condition), body.clone())).collect()
}

/// Bits that are tested at a position.
struct Tested<'t> {
    arrays: &'t BTreeSet<String>,
    position: &'t Expr,
}

impl Tested<'_> {
    /// Returns bits without which a condition does not hold, as a disjunction of conjunctions.
    fn words(&self, condition: &Expr) -> Option<Expr> {
        match condition {
            Expr::Load { array, index }
                if self.arrays.contains(array) && **index == *self.position =>
            {
                Some(condition.clone())
            }
            Expr::Binary(BinaryOp::And, a, b) => match (self.words(a), self.words(b)) {
                (Some(a), Some(b)) if !is_disjunction(&a) && !is_disjunction(&b) => {
                    Some(Expr::and(a, b))
                }
                (a, b) => a.or(b),
            },
            Expr::Binary(BinaryOp::Or, a, b) => Some(Expr::or(self.words(a)?, self.words(b)?)),
            _ => None,
        }
    }
}

fn is_disjunction(expr: &Expr) -> bool {
    matches!(expr, Expr::Binary(BinaryOp::Or, ..))
}

/// Returns a disjunction without the parts that another one implies.
fn disjunction(words: &[Expr]) -> Expr {
    let mut parts: Vec<&Expr> = Vec::new();
    for part in words.iter().flat_map(disjuncts) {
        let implies = |part: &Expr, other: &Expr| {
            let bits = conjuncts(part);
            conjuncts(other).iter().all(|bit| bits.contains(bit))
        };
        if !parts.iter().any(|known| implies(part, known)) {
            parts.retain(|known| !implies(known, part));
            parts.push(part);
        }
    }
    parts.into_iter().cloned().reduce(Expr::or).unwrap_or(Expr::Bool(false))
}

fn disjuncts(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Binary(BinaryOp::Or, a, b) => [disjuncts(a), disjuncts(b)].concat(),
        expr => vec![expr],
    }
}

fn conjuncts(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Binary(BinaryOp::And, a, b) => [conjuncts(a), conjuncts(b)].concat(),
        expr => vec![expr],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bit(array: &str) -> Expr {
        Expr::load(array, Expr::var("p"))
    }

    fn check(arms: Vec<(Expr, Vec<Stmt>)>, expected: &str) {
        let position = Expr::add(Expr::var("first"), Expr::var("j"));
        let body = [vec![Stmt::bind("p", position)], Stmt::choose(arms, Vec::new())].concat();
        let all = Stmt::for_range("j", Expr::Index(0), Expr::var("n"), body);
        let bits = ["a", "b", "c"].map(str::to_owned).into();
        let text: Vec<String> = changed(&all, &bits).iter().map(Stmt::to_string).collect();
        assert_eq!(text.concat(), expected);
    }

    fn push(name: &str) -> Vec<Stmt> {
        vec![Stmt::push("out", Expr::var(name))]
    }

    #[test]
    fn bits_that_are_set_are_visited() {
        check(
            vec![(bit("a"), push("j"))],
            "for p in ones(first..first + n, a[p]) {\n    let j = p - first;\n    out.push(j);\n}\n",
        );
        // The bits of a union are set in either array, which the last branch need not test.
        check(
            vec![
                (Expr::and(bit("a"), bit("b")), push("x")),
                (bit("a"), push("y")),
                (bit("b"), push("z")),
            ],
            "for p in ones(first..first + n, a[p] || b[p]) {\n    let j = p - first;\n    \
             if a[p] && b[p] {\n        out.push(x);\n    } else if a[p] {\n        \
             out.push(y);\n    } else {\n        out.push(z);\n    }\n}\n",
        );
        // Other conditions are tested for each bit, and what all branches need is not.
        check(
            vec![
                (Expr::and(Expr::and(bit("a"), bit("b")), Expr::var("is_on")), push("x")),
                (Expr::and(bit("a"), bit("c")), push("y")),
            ],
            "for p in ones(first..first + n, a[p] && b[p] || a[p] && c[p]) {\n    \
             let j = p - first;\n    if b[p] && is_on {\n        out.push(x);\n    } \
             else if c[p] {\n        out.push(y);\n    }\n}\n",
        );
    }

    #[test]
    fn loops_with_effects_elsewhere_stay() {
        let sets = vec![Stmt::Store {
            array: "a".to_owned(),
            index: Expr::add(Expr::var("p"), Expr::Index(1)),
            op: None,
            value: Expr::Bool(true),
        }];
        for (condition, body) in [
            (Expr::not(bit("a")), push("j")),
            (Expr::or(bit("a"), Expr::var("is_on")), push("j")),
            (Expr::load("d", Expr::var("p")), push("j")),
            (bit("a"), sets),
        ] {
            let position = Expr::add(Expr::var("first"), Expr::var("j"));
            let inner = Stmt::choose(vec![(condition, body)], Vec::new());
            let body = [vec![Stmt::bind("p", position)], inner].concat();
            let all = Stmt::for_range("j", Expr::Index(0), Expr::var("n"), body);
            let bits = ["a", "b", "c"].map(str::to_owned).into();
            assert_eq!(changed(&all, &bits), all);
        }
    }
}
