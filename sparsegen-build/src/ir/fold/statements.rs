//! Folding constructors of statements, which remove no-ops.

use crate::ir::{BinaryOp, Element, Expr, Full, Rearrange, Stmt, ToIndex, UnaryOp};

impl Stmt {
    /// `let name = value;`
    pub fn bind(name: &str, value: Expr) -> Stmt {
        Stmt::Let { name: name.to_string(), mutable: false, value }
    }

    /// `let mut name = value;`
    pub fn bind_mut(name: &str, value: Expr) -> Stmt {
        Stmt::Let { name: name.to_string(), mutable: true, value }
    }

    /// `name = value;`
    pub fn assign(name: &str, value: Expr) -> Stmt {
        Stmt::Assign { name: name.to_string(), op: None, value }
    }

    /// `name += value;`, or `-=` if the value is a negation.
    pub fn accumulate(name: &str, value: Expr) -> Stmt {
        let (op, value) = split_sign(value);
        Stmt::Assign { name: name.to_string(), op: Some(op), value }
    }

    /// `name op= value;`, for any operation.
    pub fn combine(name: &str, op: BinaryOp, value: Expr) -> Stmt {
        if op == BinaryOp::Add {
            return Stmt::accumulate(name, value);
        }
        if determines(op, &value) {
            return Stmt::assign(name, value);
        }
        Stmt::Assign { name: name.to_string(), op: Some(op), value }
    }

    /// `array[index] op= value;`, for any operation.
    pub fn combine_at(array: &str, index: Expr, op: BinaryOp, value: Expr) -> Stmt {
        if op == BinaryOp::Add {
            return Stmt::accumulate_at(array, index, value);
        }
        if determines(op, &value) {
            return Stmt::store(array, index, value);
        }
        Stmt::Store { array: array.to_string(), index, op: Some(op), value }
    }

    /// `array[index] = value;`
    pub fn store(array: &str, index: Expr, value: Expr) -> Stmt {
        Stmt::Store { array: array.to_string(), index, op: None, value }
    }

    /// `array[index] += value;`, or `-=` if the value is a negation.
    pub fn accumulate_at(array: &str, index: Expr, value: Expr) -> Stmt {
        let (op, value) = split_sign(value);
        Stmt::Store { array: array.to_string(), index, op: Some(op), value }
    }

    /// `array.push(value);`
    pub fn push(array: &str, value: Expr) -> Stmt {
        Stmt::Push { array: array.to_string(), value }
    }

    /// `let mut name = Vec::new();`
    pub fn scratch(name: &str, element: Element) -> Stmt {
        Stmt::Scratch { name: name.to_string(), element }
    }

    /// `let (crd, vals) = workspace.harvest();`
    pub fn harvest(workspace: &str, crd: &str, vals: &str) -> Stmt {
        let vals = Some(vals.to_string());
        Stmt::Harvest { workspace: workspace.to_string(), crd: crd.to_string(), vals }
    }

    /// `let mut name = Places::new(size);`
    pub fn places(name: &str, size: Expr) -> Stmt {
        Stmt::Places { name: name.to_string(), size }
    }

    /// `if condition { return false; }`
    pub fn refuse(condition: Expr) -> Stmt {
        Stmt::Refuse { condition, error: None }
    }

    /// `if condition { return Err(…); }`
    pub fn fail(condition: Expr, error: Full) -> Stmt {
        Stmt::Refuse { condition, error: Some(Box::new(error)) }
    }

    /// `array.clear();`
    pub fn clear(array: &str) -> Stmt {
        Stmt::Clear { array: array.to_string() }
    }

    /// `array.sort_unstable();`
    pub fn sort(array: &str) -> Stmt {
        Stmt::Sort { array: array.to_string() }
    }

    /// `kernel::sort_by(&mut array, |entry| [entry.0, entry.1]);`
    pub fn sort_by(array: &str, coordinates: usize) -> Stmt {
        Stmt::Rearrange(Rearrange::Entries { array: array.to_string(), coordinates })
    }

    /// `kernel::reserve(array, additional);`
    pub fn reserve(array: &str, additional: Expr) -> Stmt {
        Stmt::Reserve { array: array.to_string(), additional }
    }

    /// `array.resize(len, value);`
    pub fn resize(array: &str, len: Expr, value: Expr) -> Stmt {
        Stmt::Resize { array: array.to_string(), len, value }
    }

    /// `for name in start..end { body }`; empty if the body or the range is, and without a loop if the
    /// range has at most one element.
    pub fn for_range(name: &str, start: Expr, end: Expr, body: Vec<Stmt>) -> Vec<Stmt> {
        let is_empty = match (&start, &end) {
            (Expr::Index(start), Expr::Index(end)) => start >= end,
            (start, end) => start == end,
        };
        if is_empty || does_nothing(&body) {
            return Vec::new();
        }
        if let Expr::Binary(BinaryOp::Add, first, count) = &end
            && let Expr::ToIndex(ToIndex::FromBool, condition) = &**count
            && **first == start
        {
            let condition = (**condition).clone();
            let once = std::iter::once(Stmt::bind(name, start)).chain(body);
            return Stmt::when(condition, once.collect());
        }
        vec![Stmt::For { name: name.to_string(), start, end, body }]
    }

    /// `while condition { body }`; empty if the condition is false.
    pub fn repeat_while(condition: Expr, body: Vec<Stmt>) -> Vec<Stmt> {
        match condition {
            Expr::Bool(false) => Vec::new(),
            condition => vec![Stmt::While { condition, body }],
        }
    }

    /// `if condition { body }`
    pub fn when(condition: Expr, body: Vec<Stmt>) -> Vec<Stmt> {
        Stmt::choose(vec![(condition, body)], Vec::new())
    }

    /// `if … { … } else if … { … } else { … }`, without branches that are never taken or empty.
    pub fn choose(arms: Vec<(Expr, Vec<Stmt>)>, otherwise: Vec<Stmt>) -> Vec<Stmt> {
        let mut kept: Vec<(Expr, Vec<Stmt>)> = Vec::new();
        let mut rest = otherwise;
        for (condition, body) in arms {
            match condition {
                Expr::Bool(false) => {}
                Expr::Bool(true) => {
                    rest = body;
                    break;
                }
                condition => {
                    if let Some((last, same)) = kept.last_mut()
                        && *same == body
                    {
                        *last = Expr::or(last.clone(), condition);
                    } else {
                        kept.push((condition, body));
                    }
                }
            }
        }
        if does_nothing(&rest) {
            rest.clear();
        }
        // A chain of conditions in the last branch extends this one.
        if let [Stmt::If { arms, otherwise }] = rest.as_slice() {
            kept.extend(arms.iter().cloned());
            rest = otherwise.clone();
        }
        while kept
            .last()
            .is_some_and(|(_, body)| *body == rest || rest.is_empty() && does_nothing(body))
        {
            kept.pop();
        }
        if kept.is_empty() {
            return rest;
        }
        if let [(condition, body)] = kept.as_slice()
            && does_nothing(body)
        {
            return Stmt::when(Expr::not(condition.clone()), rest);
        }
        // Nested conditions become their conjunction.
        if let (Some((outer, body)), []) = (kept.last_mut(), rest.as_slice())
            && let [Stmt::If { arms, otherwise }] = body.as_slice()
            && let ([(inner, within)], []) = (arms.as_slice(), otherwise.as_slice())
        {
            *outer = Expr::and(outer.clone(), inner.clone());
            *body = within.clone();
        }
        vec![Stmt::If { arms: kept, otherwise: rest }]
    }
}

/// Returns whether statements have no effect: there are none except comments.
fn does_nothing(body: &[Stmt]) -> bool {
    body.iter().all(|stmt| matches!(stmt, Stmt::Comment(_)))
}

/// Returns whether a constant determines the result of an operation.
fn determines(op: BinaryOp, value: &Expr) -> bool {
    match op {
        BinaryOp::And => *value == Expr::Bool(false),
        BinaryOp::Or => *value == Expr::Bool(true),
        _ => false,
    }
}

/// Returns the operation and operand to accumulate a value: a negation is subtracted, and so is a
/// product that begins with one.
fn split_sign(value: Expr) -> (BinaryOp, Expr) {
    match value {
        Expr::Unary(UnaryOp::Neg, inner) => (BinaryOp::Sub, *inner),
        Expr::Binary(BinaryOp::Sub, zero, inner) if zero.is_zero() => (BinaryOp::Sub, *inner),
        Expr::Binary(op @ (BinaryOp::Mul | BinaryOp::Div), a, b) => {
            let (sign, a) = split_sign(*a);
            (sign, Expr::Binary(op, Box::new(a), b))
        }
        value => (BinaryOp::Add, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str) -> Vec<Stmt> {
        vec![Stmt::assign(name, Expr::Index(1))]
    }

    fn c(name: &str) -> Expr {
        Expr::var(name)
    }

    #[test]
    fn a_negation_is_subtracted() {
        let product = Expr::mul(Expr::neg(c("a")), c("b"));
        assert_eq!(Stmt::accumulate("x", product).to_string(), "x -= a * b;\n");
        assert_eq!(Stmt::accumulate("x", c("a")).to_string(), "x += a;\n");
    }

    #[test]
    fn what_does_nothing_vanishes() {
        assert!(Stmt::for_range("i", Expr::Index(0), Expr::Index(0), set("x")).is_empty());
        assert!(Stmt::for_range("i", Expr::Index(0), c("n"), Vec::new()).is_empty());
        assert!(Stmt::when(c("p"), vec![Stmt::Comment("Nothing.".into())]).is_empty());
        assert!(Stmt::repeat_while(Expr::Bool(false), set("x")).is_empty());
    }

    #[test]
    fn decided_conditions_vanish() {
        assert_eq!(Stmt::when(Expr::Bool(true), set("x")), set("x"));
        let arms = vec![(c("p"), set("x")), (Expr::Bool(true), set("y")), (c("q"), set("z"))];
        let chosen = Stmt::choose(arms, set("w"));
        assert_eq!(chosen, Stmt::choose(vec![(c("p"), set("x"))], set("y")));
        assert_eq!(Stmt::choose(vec![(Expr::Bool(false), set("x"))], set("y")), set("y"));
    }

    #[test]
    fn branches_join() {
        let same = Stmt::choose(vec![(c("p"), set("x")), (c("q"), set("x"))], Vec::new());
        assert_eq!(same, Stmt::when(Expr::or(c("p"), c("q")), set("x")));
        assert_eq!(Stmt::choose(vec![(c("p"), set("x"))], set("x")), set("x"));
        let within = Stmt::when(c("p"), Stmt::when(c("q"), set("x")));
        assert_eq!(within, Stmt::when(Expr::and(c("p"), c("q")), set("x")));
        let chain = Stmt::choose(vec![(c("p"), set("x"))], Stmt::when(c("q"), set("y")));
        let flat = Stmt::choose(vec![(c("p"), set("x")), (c("q"), set("y"))], Vec::new());
        assert_eq!(chain, flat);
        let inverted = Stmt::choose(vec![(c("p"), Vec::new())], set("y"));
        assert_eq!(inverted, Stmt::when(Expr::not(c("p")), set("y")));
    }
}
