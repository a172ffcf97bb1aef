//! Bulk copies: the entries of a workspace that are only appended to a result are appended at once.
//!
//! A vector whose capacity is not reserved grows element by element, which rustc does not turn into
//! a copy of a slice: `c2_crd.push(w1_crd[p])` in a loop checks the capacity each time. The progress of
//! the outermost loop tells for how many entries to reserve memory when it does not suffice.

use crate::ir::{Element, Expr, Function, Progress, Stmt, Unchecked, Uses};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    let results = function.results().flat_map(|result| result.arrays());
    let mut elements: Vec<(String, Element)> =
        results.map(|array| (array.name.clone(), array.element)).collect();
    // A reserved vector is appended to without checks.
    elements.retain(|(array, _)| !function.is_unchecked(Unchecked::Append, array));
    for stmt in &function.body {
        stmt.for_each(&mut |stmt| {
            if let Stmt::Workspace { name, dtype, crd, .. } = stmt {
                elements.push((name.clone(), Element::Value(*dtype)));
                elements.push((coordinates_of(name), Element::Index(*crd)));
            }
        });
    }
    let element_of =
        |name: &str| elements.iter().find(|(array, _)| array == name).map(|(_, element)| *element);
    function.body = copied(&function.body, (None, true), &element_of);
    function
}

/// Returns a key for the type of a workspace's coordinates, which no array has as its name.
fn coordinates_of(workspace: &str) -> String {
    format!("{workspace}.crd")
}

/// Returns statements with bulk copies, given the progress of the outermost loop around them, if it is
/// known, and whether there is no loop around them.
fn copied(
    body: &[Stmt],
    (within, is_outermost): (Option<&Progress>, bool),
    element_of: &impl Fn(&str) -> Option<Element>,
) -> Vec<Stmt> {
    let mut done: Vec<Stmt> = Vec::new();
    for stmt in body {
        let extends = done.last().and_then(|harvest| at_once(harvest, stmt, within, element_of));
        let own = progress(stmt).filter(|_| is_outermost);
        let within = within.or(own.as_ref());
        let is_outermost = is_outermost && !is_loop(stmt);
        match extends {
            Some(extends) => done.extend(extends),
            None => done.extend(stmt.map(&mut Expr::clone, &mut |inner| {
                copied(inner, (within, is_outermost), element_of)
            })),
        }
    }
    done
}

fn is_loop(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::For { .. } | Stmt::ForOnes { .. } | Stmt::While { .. })
}

/// Returns the progress of a loop whose body knows the ends of its range.
fn progress(stmt: &Stmt) -> Option<Progress> {
    let Stmt::For { name, start, end, .. } = stmt else { return None };
    let is_known = |bound: &Expr| match bound {
        Expr::Index(_) => true,
        Expr::Var(bound) => bound != name,
        _ => false,
    };
    let (at, start, end) = (Expr::var(name), start.clone(), end.clone());
    (is_known(&start) && is_known(&end)).then_some(Progress { at, start, end })
}

/// Returns the statements in place of a loop over the entries that were just harvested, if it only
/// appends them.
fn at_once(
    harvest: &Stmt,
    each: &Stmt,
    within: Option<&Progress>,
    element_of: &impl Fn(&str) -> Option<Element>,
) -> Option<Vec<Stmt>> {
    let Stmt::Harvest { workspace, crd, vals } = harvest else { return None };
    let Stmt::For { name, start: Expr::Index(0), end, body } = each else { return None };
    if *end != Expr::len(crd) {
        return None;
    }
    let extend = |stmt: &Stmt| {
        let Stmt::Push { array, value: Expr::Load { array: of, index } } = stmt else {
            return None;
        };
        let element = if of == crd {
            element_of(&coordinates_of(workspace))
        } else if Some(of) == vals.as_ref() {
            element_of(workspace)
        } else {
            None
        };
        let is_same = **index == Expr::var(name) && element? == element_of(array)?;
        let (array, of, within) = (array.clone(), of.clone(), within.cloned());
        is_same.then_some(Stmt::Extend { array, of, within })
    };
    // Copy propagation leaves names that are not read any more.
    let uses = Uses::of(body);
    let is_read = |stmt: &&Stmt| !matches!(stmt, Stmt::Let { name, .. } if uses.reads(name) == 0);
    body.iter().filter(is_read).map(extend).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Dtype, Width};

    fn check(body: Vec<Stmt>, expected: &str) {
        let element_of = |name: &str| match name {
            "w" | "c_vals" => Some(Element::Value(Dtype::F64)),
            "c2_crd" | "w.crd" => Some(Element::Index(Width::U32)),
            "c2_wide" => Some(Element::Index(Width::U64)),
            _ => None,
        };
        let each = Stmt::for_range("p", Expr::Index(0), Expr::len("w1_crd"), body);
        let all = [vec![Stmt::harvest("w", "w1_crd", "w_vals")], each].concat();
        let text: Vec<String> =
            copied(&all, (None, true), &element_of).iter().map(Stmt::to_string).collect();
        assert_eq!(text[1..].concat(), expected);
    }

    fn push(array: &str, of: &str) -> Stmt {
        Stmt::push(array, Expr::load(of, Expr::var("p")))
    }

    #[test]
    fn entries_are_copied_at_once() {
        let unread = Stmt::bind("j", Expr::load("w1_crd", Expr::var("p")));
        check(
            vec![unread, push("c2_crd", "w1_crd"), push("c_vals", "w_vals")],
            "c2_crd.extend_from_slice(w1_crd);\nc_vals.extend_from_slice(w_vals);\n",
        );
    }

    #[test]
    fn the_outermost_loop_tells_how_much_memory_to_reserve() {
        let element_of =
            |name: &str| ["w", "c_vals"].contains(&name).then_some(Element::Value(Dtype::F64));
        let each = Stmt::for_range(
            "p",
            Expr::Index(0),
            Expr::len("w1_crd"),
            vec![push("c_vals", "w_vals")],
        );
        let row = [vec![Stmt::harvest("w", "w1_crd", "w_vals")], each].concat();
        let inner = Stmt::for_range("k", Expr::Index(0), Expr::var("k_size"), row);
        let all = Stmt::for_range("i", Expr::var("begin"), Expr::var("end"), inner);
        let text: String =
            copied(&all, (None, true), &element_of).iter().map(Stmt::to_string).collect();
        assert!(text.contains("kernel::append(c_vals, w_vals, i, begin..end);"), "{text}");
    }

    #[test]
    fn what_is_computed_or_reserved_is_appended_one_by_one() {
        let twice = Expr::mul(Expr::load("w_vals", Expr::var("p")), Expr::var("a"));
        for other in [
            push("c2_wide", "w1_crd"),
            push("reserved", "w_vals"),
            Stmt::push("c_vals", twice),
            Stmt::push("c_vals", Expr::load("x_vals", Expr::var("p"))),
        ] {
            let body = vec![push("c2_crd", "w1_crd"), other.clone()];
            let expected = format!(
                "for p in 0..w1_crd.len() {{\n    c2_crd.push(w1_crd[p]);\n    {other}}}\n"
            );
            check(body, &expected);
        }
    }
}
