//! Marks of statements with the part of a loop that they were generated for. Only loops with numbers
//! have them, so that they exist only for tools that show where code comes from.

use crate::ir::comment::{Origin, Part};
use crate::ir::{Comment, Stmt};
use crate::iteration::plan::Loop;

use super::scope::Scope;

/// Returns the origin of a part of a loop, if the loop has a number.
pub(super) fn origin(inner: &Loop, part: Part) -> Option<Origin> {
    inner.number.map(|number| Origin { number, part })
}

/// Returns statements with a mark before them; none if there are none.
pub(super) fn marked(origin: Option<Origin>, stmts: Vec<Stmt>) -> Vec<Stmt> {
    match origin {
        Some(origin) if !stmts.is_empty() => {
            let mut marked = vec![Stmt::Comment(Comment::Origin(origin))];
            marked.extend(stmts);
            marked
        }
        Some(_) | None => stmts,
    }
}

/// Returns statements of the body around the current point, after statements of loops within.
pub(super) fn continued(scope: &Scope, stmts: Vec<Stmt>) -> Vec<Stmt> {
    marked(scope.origin, stmts)
}
