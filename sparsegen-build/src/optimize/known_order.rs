//! Known order: where the entries of a workspace are compared one by one with coordinates that a
//! result stores, they are looked up at these coordinates instead.
//!
//! This computes the values of a result whose structure exists: its coordinates give the order, so
//! that those of the workspace need not be sorted. That all are found, and that the workspace has no
//! others, is the same condition as before.

use crate::ir::{BinaryOp, Expr, Function, Stmt, Uses};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    function.body = looked_up(&function.body);
    function
}

fn looked_up(body: &[Stmt]) -> Vec<Stmt> {
    let mut done: Vec<Stmt> = Vec::new();
    let mut k = 0;
    while k < body.len() {
        let rest = &body[k..];
        match Comparison::of(rest).and_then(|comparison| comparison.lookup(&done, &rest[3..])) {
            Some(lookup) => {
                done.extend(lookup);
                k += 3;
            }
            None => {
                done.extend(rest[0].map(&mut Expr::clone, &mut looked_up));
                k += 1;
            }
        }
    }
    done
}

/// A loop over the harvested entries of a workspace that compares their coordinates with those of a
/// segment of a result.
struct Comparison<'s> {
    workspace: &'s str,
    /// The array with the values of the workspace.
    vals: Option<&'s str>,
    /// The position of an entry of the workspace.
    entry: &'s str,
    /// Its coordinate.
    coordinate: Expr,
    /// The position in the result, and its end.
    cursor: &'s str,
    end: &'s Expr,
    /// The coordinate that the result stores there.
    stored: &'s Expr,
    /// The statements between the comparison and the step to the next position.
    body: &'s [Stmt],
}

impl<'s> Comparison<'s> {
    /// Recognizes a harvest, a loop, and the condition that the segment has no more coordinates.
    fn of(stmts: &'s [Stmt]) -> Option<Self> {
        let [Stmt::Harvest { workspace, crd, vals }, each, last, ..] = stmts else { return None };
        let Stmt::For { name: entry, start: Expr::Index(0), end: entries, body } = each else {
            return None;
        };
        let harvested = Expr::load(crd, Expr::var(entry));
        let (coordinate, body) = match body.as_slice() {
            [Stmt::Let { name, value, .. }, rest @ ..] if *value == harvested => {
                (Expr::var(name), rest)
            }
            all => (harvested, all),
        };
        let [Stmt::Refuse { condition, error: None }, body @ .., step] = body else { return None };
        let Expr::Binary(BinaryOp::Or, at_end, differs) = condition else { return None };
        let Expr::Binary(BinaryOp::Eq, cursor, end) = &**at_end else { return None };
        let (Expr::Var(cursor), Expr::Binary(BinaryOp::Ne, stored, here)) = (&**cursor, &**differs)
        else {
            return None;
        };
        let steps = *step == Stmt::accumulate(cursor, Expr::Index(1));
        let leaves = *last == Stmt::refuse(Expr::ne(Expr::var(cursor), (**end).clone()));
        let is_it = *entries == Expr::len(crd) && **here == coordinate && steps && leaves;
        is_it.then(|| Comparison {
            workspace,
            vals: vals.as_deref(),
            entry,
            coordinate,
            cursor,
            end,
            stored,
            body,
        })
    }

    /// Returns the statements that look the entries up, if the loop and the statements `after` it do
    /// nothing else with the workspace and the position, which is defined `before`.
    fn lookup(&self, before: &[Stmt], after: &[Stmt]) -> Option<Vec<Stmt>> {
        let Comparison { workspace, cursor, end, .. } = *self;
        let is_own = before.iter().any(|stmt| stmt.binds() == [cursor]);
        let uses = Uses::of(self.body);
        if !is_own || uses.writes(cursor) > 0 || uses.touches(workspace) {
            return None;
        }
        let (name, bound) = match &self.coordinate {
            Expr::Var(name) => (Expr::var(name), Some(Stmt::bind(name, self.stored.clone()))),
            _ => (self.stored.clone(), None),
        };
        let found = Expr::load(workspace, name.clone());
        let value = self.vals.map(|vals| Expr::load(vals, Expr::var(self.entry)));
        let mut replace = |expr: &Expr| {
            let expr = expr.replace(&self.coordinate, &name);
            value.as_ref().map_or(expr.clone(), |value| expr.replace(value, &found))
        };
        let mut body: Vec<Stmt> = bound.into_iter().collect();
        body.push(Stmt::refuse(Expr::not(Expr::contains(workspace, name.clone()))));
        for stmt in self.body {
            if !stmt.bodies().is_empty() {
                return None;
            }
            body.extend(stmt.map(&mut replace, &mut <[Stmt]>::to_vec));
        }
        if Uses::of(&body).reads(self.entry) > 0 {
            return None;
        }
        let count = Expr::sub(end.clone(), Expr::var(cursor));
        let mut stmts = Stmt::for_range(cursor, Expr::var(cursor), end.clone(), body);
        stmts.push(Stmt::refuse(Expr::ne(Expr::len(workspace), count)));
        stmts.push(Stmt::clear(workspace));
        if Uses::of(after).reads(cursor) > 0 {
            stmts.push(Stmt::assign(cursor, end.clone()));
        }
        Some(stmts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(name: &str) -> Expr {
        Expr::var(name)
    }

    /// Returns the loops that compute the values of a row of a result from a workspace.
    fn row(value: Expr) -> Vec<Stmt> {
        let is_left = Expr::eq(var("p_c2"), var("p_c2_end"));
        let is_other = Expr::ne(Expr::load("c2_crd", var("p_c2")), var("j"));
        let body = vec![
            Stmt::bind("j", Expr::load("w1_crd", var("p_w"))),
            Stmt::refuse(Expr::or(is_left, is_other)),
            Stmt::store("c_vals", var("p_c2"), value),
            Stmt::accumulate("p_c2", Expr::Index(1)),
        ];
        let mut row = vec![
            Stmt::bind_mut("p_c2", Expr::load("c2_pos", var("i"))),
            Stmt::harvest("w", "w1_crd", "w_vals"),
        ];
        row.extend(Stmt::for_range("p_w", Expr::Index(0), Expr::len("w1_crd"), body));
        row.push(Stmt::refuse(Expr::ne(var("p_c2"), var("p_c2_end"))));
        row
    }

    fn text(body: &[Stmt]) -> String {
        body.iter().map(Stmt::to_string).collect()
    }

    #[test]
    fn entries_are_looked_up_in_the_order_of_the_result() {
        let value = Expr::mul(Expr::load("w_vals", var("p_w")), Expr::load("x_vals", var("j")));
        let expected = "\
let mut p_c2 = c2_pos[i];
for p_c2 in p_c2..p_c2_end {
    let j = c2_crd[p_c2];
    if !w.contains(j) { return false; }
    c_vals[p_c2] = w[j] * x_vals[j];
}
if w.len() != p_c2_end - p_c2 { return false; }
w.clear();
";
        assert_eq!(text(&looked_up(&row(value))), expected);
        // A later statement finds the position behind the segment.
        let seen = Stmt::accumulate("c2_seen", var("p_c2"));
        let after = looked_up(&[row(Expr::load("w_vals", var("p_w"))), vec![seen]].concat());
        assert!(text(&after).ends_with("w.clear();\np_c2 = p_c2_end;\nc2_seen += p_c2;\n"));
    }

    #[test]
    fn other_loops_stay() {
        let mut unchecked = row(Expr::load("w_vals", var("p_w")));
        unchecked.pop();
        unchecked.push(Stmt::clear("c_vals"));
        for body in [
            unchecked,
            row(Expr::load("z_vals", var("p_w"))),
            row(Expr::load("w", var("j"))),
            row(Expr::load("w_vals", var("p_w")))[1..].to_vec(),
        ] {
            assert_eq!(looked_up(&body), body);
        }
    }
}
