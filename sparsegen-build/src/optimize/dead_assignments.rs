//! Dead assignments: removes those whose value is not read, and moves a value that only the next
//! statement reads to that statement.

use crate::ir::{Expr, Stmt, Uses, substitute};

/// Returns statements without dead assignments to a variable that is declared before them;
/// `is_live` tells whether it is read after them.
pub(super) fn without(body: Vec<Stmt>, variable: &str, is_live: bool) -> Vec<Stmt> {
    let (mut live, mut live_after_next) = (is_live, is_live);
    // The statements in reverse order: whether a value is read depends on those that follow.
    let mut kept: Vec<Stmt> = Vec::new();
    for stmt in body.into_iter().rev() {
        let (after, reads) =
            (live, Uses::of_name(std::slice::from_ref(&stmt), variable).reads(variable) > 0);
        match &stmt {
            Stmt::Assign { name, .. } if name == variable && !after => continue,
            Stmt::Assign { name, op: None, value } if name == variable => {
                live = reads;
                if !live_after_next
                    && let Some(next) = kept.pop_if(|next| takes(next, variable, value))
                {
                    kept.extend(substitute(&[next], variable, value));
                    continue;
                }
                kept.push(stmt);
            }
            // A break leads to statements after the loop, which are not known here.
            Stmt::Break => {
                live = true;
                kept.push(stmt);
            }
            _ if stmt.binds_within(&|name| name == variable) => {
                live = true;
                kept.push(stmt);
            }
            Stmt::For { .. } | Stmt::ForOnes { .. } | Stmt::While { .. } => {
                // An iteration may read what the one before it has assigned.
                live = after || reads;
                let stmts = stmt.with_bodies(&mut |body| without(body, variable, live));
                kept.extend(stmts.into_iter().rev());
            }
            _ => {
                live = after || reads;
                let stmts = stmt.with_bodies(&mut |body| without(body, variable, after));
                kept.extend(stmts.into_iter().rev());
            }
        }
        live_after_next = after;
    }
    kept.reverse();
    kept
}

/// Returns whether a statement can compute a value itself that it reads from a variable once.
fn takes(stmt: &Stmt, variable: &str, value: &Expr) -> bool {
    let uses = Uses::of(std::slice::from_ref(stmt));
    let changes = uses.written.keys().any(|name| name == variable || value.mentions(name));
    stmt.bodies().is_empty() && uses.reads(variable) == 1 && !changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, value: Expr) -> Stmt {
        Stmt::Assign { name: name.to_owned(), op: None, value }
    }

    fn is_zero() -> Expr {
        Expr::eq(Expr::var("end"), Expr::Index(0))
    }

    #[test]
    fn a_value_that_the_next_statement_alone_reads_is_moved_there() {
        let read = |value: Expr| Stmt::store("places", Expr::var("j"), value);
        let found = |body: Vec<Stmt>| Stmt::when(is_zero(), body);
        let body = found(vec![set("end", Expr::len("crd")), read(Expr::var("end"))]);
        assert_eq!(without(body.clone(), "end", false), found(vec![read(Expr::len("crd"))]));
        assert_eq!(without(body.clone(), "end", true), body);
        // The next iteration reads it as well.
        let each = Stmt::for_range("j", Expr::Index(0), Expr::var("n"), body.clone());
        assert_eq!(without(each.clone(), "end", false), each);
        let each = vec![Stmt::ForOnes {
            name: "j".to_owned(),
            start: Expr::Index(0),
            end: Expr::var("n"),
            bits: Expr::load("bits", Expr::var("j")),
            body,
        }];
        assert_eq!(without(each.clone(), "end", false), each);
    }

    #[test]
    fn a_value_that_is_replaced_or_forgotten_is_not_assigned() {
        let [first, second] = [Expr::Index(1), Expr::Index(2)].map(|value| set("end", value));
        let read = Stmt::when(is_zero(), vec![Stmt::push("crd", Expr::Index(3))]);
        let body = [vec![first.clone(), second.clone()], read.clone()].concat();
        assert_eq!(without(body.clone(), "end", false), [vec![second], read].concat());
        let leave = vec![first, Stmt::Break];
        assert_eq!(without(leave.clone(), "end", false), leave);
    }
}
