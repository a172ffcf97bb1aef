//! Set bits: a loop over coordinates that does nothing where bits are not set becomes a loop over the
//! bits that are, which finds them a word at a time.
//!
//! The bits of several arrays are combined as words: the loop of a sum visits those that are set in
//! either array, the loop of a product those that are set in both. rustc does not combine tests of
//! single bits. With 1 % of the bits set, a product with a vector takes a tenth of the time.

use std::collections::BTreeSet;

use crate::ir::{BinaryOp, Element, Expr, Function, Stmt, Uses};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    let bits = arrays_of_bits(&function);
    if !bits.is_empty() {
        function.body = changed(&function.body, &bits);
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

fn changed(body: &[Stmt], bits: &BTreeSet<String>) -> Vec<Stmt> {
    let each = |stmt: &Stmt| {
        let stmts = stmt.map(&mut Expr::clone, &mut |inner| changed(inner, bits));
        match &stmts[..] {
            [each] => over_ones(each, bits).map_or(stmts, |each| vec![each]),
            _ => stmts,
        }
    };
    body.iter().flat_map(each).collect()
}

/// Returns the loop over the set bits in place of a loop over coordinates.
fn over_ones(each: &Stmt, bits: &BTreeSet<String>) -> Option<Stmt> {
    let Stmt::For { name, start, end, body } = each else { return None };
    let (Stmt::If { arms, otherwise }, before) = body.split_last()? else { return None };
    let is_let = |stmt: &Stmt| matches!(stmt, Stmt::Let { mutable: false, .. });
    if !otherwise.is_empty() || !before.iter().all(is_let) {
        return None;
    }
    let position = position_of(&arms[0].0, bits)?;
    let tested = Tested { bits, position };
    let words: Vec<Expr> =
        arms.iter().map(|(condition, _)| tested.words(condition)).collect::<Option<_>>()?;
    let is_exact = arms.iter().zip(&words).all(|((condition, _), words)| condition == words);
    let any = disjunction(&words);
    let uses = Uses::of(body);
    let mut changes = false;
    any.names(&mut |array| changes |= uses.writes(array) > 0);
    // The position is a sum of the coordinate and of what the loop does not change.
    let own = Expr::var(name);
    let of_position = before.iter().find_map(|stmt| match stmt {
        Stmt::Let { name, value, .. } if *position == Expr::var(name) => Some(value),
        _ => None,
    });
    let first = match of_position.unwrap_or(position) {
        Expr::Binary(BinaryOp::Add, first, last) if **last == own => (**first).clone(),
        position if *position == own => Expr::Index(0),
        _ => return None,
    };
    let changes_first =
        before.iter().any(|stmt| stmt.binds().iter().any(|name| first.mentions(name)));
    if changes || changes_first || first.mentions(name) {
        return None;
    }
    let arms = without_implied(arms, &any);
    let entered = match is_exact {
        true => with_last_implied(arms),
        false => Stmt::choose(arms, Vec::new()),
    };
    let at = |at: &Expr| Expr::add(first.clone(), at.clone());
    let (start, end) = (at(start), at(end));
    if first == Expr::Index(0) {
        let body = before.iter().cloned().chain(entered).collect();
        return Some(Stmt::ForOnes { name: name.clone(), start, end, bits: any, body });
    }
    let Expr::Var(position) = position else { return None };
    let coordinate = Stmt::Let {
        name: name.clone(),
        mutable: false,
        value: Expr::sub(Expr::var(position), first),
    };
    let is_position = |stmt: &&Stmt| stmt.binds() != [position];
    let others = before.iter().filter(is_position).cloned();
    let body = std::iter::once(coordinate).chain(others).chain(entered).collect();
    Some(Stmt::ForOnes { name: position.clone(), start, end, bits: any, body })
}

/// Returns the position of the first bit that a condition tests.
fn position_of<'e>(condition: &'e Expr, bits: &BTreeSet<String>) -> Option<&'e Expr> {
    let mut found = None;
    condition.for_each(&mut |expr| {
        if let Expr::Load { array, index } = expr
            && bits.contains(array)
            && found.is_none()
        {
            found = Some(&**index);
        }
    });
    found
}

/// Returns branches without the tests of bits that are set wherever `any` is.
fn without_implied(arms: &[(Expr, Vec<Stmt>)], any: &Expr) -> Vec<(Expr, Vec<Stmt>)> {
    let parts = disjuncts(any);
    let [first, others @ ..] = &parts[..] else { return arms.to_vec() };
    let mut implied = conjuncts(first);
    implied.retain(|bit| others.iter().all(|part| conjuncts(part).contains(bit)));
    let known = Expr::Bool(true);
    let without = |condition: &Expr| {
        implied.iter().fold(condition.clone(), |condition, bit| condition.replace(bit, &known))
    };
    arms.iter().map(|(condition, body)| (without(condition), body.clone())).collect()
}

/// Returns the statements of a chain of branches of which one is taken.
fn with_last_implied(mut arms: Vec<(Expr, Vec<Stmt>)>) -> Vec<Stmt> {
    let last = arms.pop().map_or(Vec::new(), |(_, body)| body);
    Stmt::choose(arms, last)
}

/// Bits that are tested at a position.
struct Tested<'t> {
    bits: &'t BTreeSet<String>,
    position: &'t Expr,
}

impl Tested<'_> {
    /// Returns bits without which a condition does not hold, as a disjunction of conjunctions.
    fn words(&self, condition: &Expr) -> Option<Expr> {
        match condition {
            Expr::Load { array, index }
                if self.bits.contains(array) && **index == *self.position =>
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
