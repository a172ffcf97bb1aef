//! Known ranges: replaces flags that every iteration of a loop sets by a test of the loop's range.
//!
//! A flag that every iteration sets is set if the range is not empty. Without the flag the loop is
//! easier to read, and a reader need not look into it for the value of the flag. Within other loops
//! over that range, it is set. A flag that is set unconditionally, or in every branch, is a constant. A
//! loop that only counts adds the length of its range.

use crate::ir::{BinaryOp, Expr, Function, Stmt, Uses, breaks, substitute};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    function.body = simplify(&function.body);
    function
}

fn simplify(body: &[Stmt]) -> Vec<Stmt> {
    let mut done: Vec<Stmt> = Vec::new();
    let mut rest = body;
    while let Some((stmt, behind)) = rest.split_first() {
        rest = behind;
        if let Stmt::Let { name, mutable: true, value: Expr::Bool(false) } = stmt
            && let Some(shorter) = declared_later(name, behind)
        {
            done.extend(simplify(&shorter));
            return done;
        }
        match counted(stmt) {
            Some(counted) => done.push(counted),
            None => done.extend(stmt.map(&mut Expr::clone, &mut simplify)),
        }
    }
    done
}

/// Returns `count += end.saturating_sub(start);` for a loop that does nothing but `count += 1;`.
fn counted(stmt: &Stmt) -> Option<Stmt> {
    let Stmt::For { name, start, end, body } = stmt else { return None };
    let [lets @ .., counts] = &body[..] else { return None };
    let binds = |stmt: &Stmt| matches!(stmt, Stmt::Let { .. } | Stmt::Comment(_));
    lets.iter().all(binds).then_some(())?;
    let is_fixed = |index: &Expr| {
        let mut bound = lets.iter().flat_map(|stmt| stmt.binds());
        !index.mentions(name) && bound.all(|bound| !index.mentions(bound))
    };
    let length = Expr::saturating_sub(end.clone(), start.clone());
    match counts {
        Stmt::Assign { name: count, op: Some(BinaryOp::Add), value: Expr::Index(1) } => {
            Some(Stmt::accumulate(count, length))
        }
        Stmt::Store { array, index, op: Some(BinaryOp::Add), value: Expr::Index(1) }
            if is_fixed(index) =>
        {
            Some(Stmt::accumulate_at(array, index.clone(), length))
        }
        _ => None,
    }
}

/// Returns the statements after the declaration of a flag, with the flag declared where its value
/// is known, or `None` if that depends on what the statements find.
fn declared_later(flag: &str, behind: &[Stmt]) -> Option<Vec<Stmt>> {
    let (before, condition, mut after) = without(flag, behind)?;
    if condition == Expr::Bool(true) {
        after = substitute(&after, flag, &condition);
    } else if condition.is_known_in(&after) {
        after = set_within(flag, &condition, &after);
    }
    let declared = vec![Stmt::bind(flag, condition)];
    Some([before, declared, after].concat())
}

/// Returns statements in which a flag is known to be set within loops over the range that sets it.
fn set_within(flag: &str, condition: &Expr, body: &[Stmt]) -> Vec<Stmt> {
    let set = |stmt: &Stmt| match stmt {
        Stmt::For { name, start, end, body }
            if Expr::lt(start.clone(), end.clone()) == *condition =>
        {
            let body = substitute(body, flag, &Expr::Bool(true));
            Stmt::for_range(name, start.clone(), end.clone(), body)
        }
        stmt => stmt.map(&mut Expr::clone, &mut |body| set_within(flag, condition, body)),
    };
    body.iter().flat_map(set).collect()
}

/// Splits statements where a flag is set. Returns the statements before, the condition under which
/// the flag is set, and the other statements without setting it. Returns `None` if the condition is
/// not known before.
fn without(flag: &str, body: &[Stmt]) -> Option<(Vec<Stmt>, Expr, Vec<Stmt>)> {
    let uses = |stmt: &Stmt| {
        let uses = Uses::of(std::slice::from_ref(stmt));
        (uses.reads(flag), uses.writes(flag))
    };
    let at = body.iter().position(|stmt| uses(stmt) != (0, 0))?;
    let (before, after) = (&body[..at], &body[at + 1..]);
    if uses(&body[at]).0 > 0 || Uses::of(after).writes(flag) > 0 || breaks(before) {
        return None;
    }
    let inside = |body: &[Stmt]| {
        let (before, condition, after) = without(flag, body)?;
        Some((condition, [before, after].concat()))
    };
    let (condition, rest) = match &body[at] {
        Stmt::Assign { name, op: None, value } if name == flag => (value.clone(), Vec::new()),
        // A nest of loops sets it if none of their ranges is empty.
        Stmt::For { name, start, end, body } => {
            let (within, rest) = inside(body)?;
            let condition = match (within, Expr::lt(start.clone(), end.clone())) {
                (Expr::Bool(true), range) => range,
                (within, _) if varies(&within, name, body) => return None,
                (within, range) => Expr::and(range, within),
            };
            (condition, Stmt::for_range(name, start.clone(), end.clone(), rest))
        }
        Stmt::If { arms, otherwise } => {
            let always = |body: &[Stmt]| {
                inside(body).filter(|(condition, _)| *condition == Expr::Bool(true))
            };
            let of_arm = |(condition, body): &(Expr, Vec<Stmt>)| {
                always(body).map(|(_, rest)| (condition.clone(), rest))
            };
            let arms = arms.iter().map(of_arm).collect::<Option<Vec<_>>>()?;
            let (_, otherwise) = always(otherwise)?;
            (Expr::Bool(true), Stmt::choose(arms, otherwise))
        }
        _ => return None,
    };
    Some((before.to_vec(), condition, [&rest, after].concat()))
}

/// Returns whether the value of an expression may differ between iterations of a loop over `name`.
fn varies(expr: &Expr, name: &str, body: &[Stmt]) -> bool {
    expr.mentions(name) || !expr.is_known_in(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(body: Vec<Stmt>) -> String {
        simplify(&body).iter().map(Stmt::to_string).collect()
    }

    fn flagged(within: Vec<Stmt>) -> Vec<Stmt> {
        let looped = Stmt::for_range("p", Expr::var("begin"), Expr::var("end"), within);
        let read = Stmt::when(Expr::var("found"), vec![Stmt::push("y", Expr::var("sum"))]);
        let flag = Stmt::bind_mut("found", Expr::Bool(false));
        [vec![flag], looped, read].concat()
    }

    #[test]
    fn a_loop_that_only_counts_adds_its_length() {
        let counting = |index: &str| {
            let count = Stmt::accumulate_at("next", Expr::var(index), Expr::Index(1));
            let unread = Stmt::bind("j", Expr::load("crd", Expr::var("p")));
            Stmt::for_range("p", Expr::var("start"), Expr::var("end"), vec![unread, count])
        };
        let [counted] = &simplify(&counting("i"))[..] else { panic!("one statement") };
        assert_eq!(counted.to_string(), "next[i] += end.saturating_sub(start);\n");
        for index in ["p", "j"] {
            assert_eq!(simplify(&counting(index)), counting(index));
        }
    }

    #[test]
    fn a_range_tells_what_every_iteration_sets() {
        let set = Stmt::assign("found", Expr::Bool(true));
        let add = Stmt::accumulate("sum", Expr::var("p"));
        assert_eq!(
            shown(flagged(vec![set, add])),
            "let found = begin < end;\nfor p in begin..end {\n    sum += p;\n}\nif found {\n    \
             y.push(sum);\n}\n"
        );
    }

    #[test]
    fn a_flag_is_known_within_loops_over_the_range_that_sets_it() {
        let mean = |variable: &str| {
            let mean = Expr::div(Expr::var("sum"), Expr::var("n"));
            let value = Expr::choose(Expr::var("found"), mean, Expr::Index(0));
            let body = vec![Stmt::push("y", value)];
            Stmt::for_range(variable, Expr::var("begin"), Expr::var("end"), body)
        };
        let set = Stmt::assign("found", Expr::Bool(true));
        let body =
            [flagged(vec![set, Stmt::accumulate("sum", Expr::var("p"))]), mean("q")].concat();
        assert_eq!(
            shown(body.clone()),
            "let found = begin < end;\nfor p in begin..end {\n    sum += p;\n}\nif found {\n    \
             y.push(sum);\n}\nfor q in begin..end {\n    y.push(sum / n);\n}\n"
        );
        // The range is another one.
        let moved = Stmt::assign("begin", Expr::Index(0));
        let after = [body, vec![moved], mean("r")].concat();
        assert!(shown(after).contains("if found { sum / n } else { 0 }"));
    }

    #[test]
    fn ranges_tell_what_every_iteration_of_a_nest_sets() {
        let set = || vec![Stmt::assign("found", Expr::Bool(true))];
        let inner = |end: &str| Stmt::for_range("q", Expr::var("first"), Expr::var(end), set());
        assert_eq!(
            shown(flagged(inner("last"))),
            "let found = begin < end && first < last;\nif found {\n    y.push(sum);\n}\n"
        );
        // The inner range depends on the outer loop.
        let text: String = flagged(inner("p")).iter().map(Stmt::to_string).collect();
        assert_eq!(shown(flagged(inner("p"))), text);
    }

    #[test]
    fn a_flag_that_is_set_without_a_loop_is_a_constant() {
        let flag = Stmt::bind_mut("found", Expr::Bool(false));
        let set = Stmt::assign("found", Expr::Bool(true));
        let read = Stmt::when(Expr::var("found"), vec![Stmt::push("y", Expr::var("sum"))]);
        let body = [vec![flag, set], read].concat();
        assert_eq!(shown(body), "let found = true;\ny.push(sum);\n");
    }

    #[test]
    fn a_flag_that_every_branch_sets_is_a_constant() {
        let set = |value: usize| {
            vec![
                Stmt::assign("found", Expr::Bool(true)),
                Stmt::accumulate("sum", Expr::Index(value)),
            ]
        };
        let branches = |otherwise| {
            let is_there = Expr::lt(Expr::var("p"), Expr::var("end"));
            let branches = Stmt::choose(vec![(is_there, set(1))], otherwise);
            let read = Stmt::when(Expr::var("found"), vec![Stmt::push("y", Expr::var("sum"))]);
            [vec![Stmt::bind_mut("found", Expr::Bool(false))], branches, read].concat()
        };
        assert_eq!(
            shown(branches(set(3))),
            "let found = true;\nif p < end {\n    sum += 1;\n} else {\n    sum += 3;\n}\n\
             y.push(sum);\n"
        );
        let text: String = branches(Vec::new()).iter().map(Stmt::to_string).collect();
        assert_eq!(shown(branches(Vec::new())), text);
    }

    #[test]
    fn what_an_iteration_sets_after_it_may_leave_stays() {
        let leave = Stmt::when(Expr::lt(Expr::var("n"), Expr::var("p")), vec![Stmt::Break]);
        let body = flagged([leave, vec![Stmt::assign("found", Expr::Bool(true))]].concat());
        let text: String = body.iter().map(Stmt::to_string).collect();
        assert_eq!(shown(body), text);
    }

    #[test]
    fn what_an_iteration_reads_after_setting_it_stays() {
        let read = Stmt::when(Expr::var("found"), vec![Stmt::push("z", Expr::var("p"))]);
        let body = flagged([vec![Stmt::assign("found", Expr::Bool(true))], read].concat());
        let text: String = body.iter().map(Stmt::to_string).collect();
        assert_eq!(shown(body), text);
    }

    #[test]
    fn what_only_some_iterations_set_stays() {
        let set = Stmt::when(
            Expr::lt(Expr::var("p"), Expr::var("n")),
            vec![Stmt::assign("found", Expr::Bool(true))],
        );
        let body = flagged(set);
        let text: String = body.iter().map(Stmt::to_string).collect();
        assert_eq!(shown(body), text);
    }
}
