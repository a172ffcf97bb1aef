//! The comment before a merge loop.

use crate::ir::Stmt;
use crate::iteration::lattice::MergePoint;
use crate::iteration::plan::Loop;
use crate::notation::Access;

use crate::lower::Lowering;
use crate::lower::scope::Scope;

impl Lowering<'_> {
    /// Returns a comment that names the operands with remaining entries.
    pub(super) fn comment(&self, inner: &Loop, point: &MergePoint, scope: &Scope) -> Option<Stmt> {
        if inner.points.len() == 1 {
            return None;
        }
        let name_of = |access: &Access| &self.program.tensor(access.tensor).name;
        let name = |member: usize| {
            let access = &inner.iterators[member].access;
            let is_same = |other: &Access| name_of(other) == name_of(access) && other != access;
            // An operand that is merged with itself, as in `A[i,j] + A[j,i]`.
            match inner.iterators.iter().any(|other| is_same(&other.access)) {
                true => format!("`{}`", self.program.kernel.show_access(access)),
                false => format!("`{}`", name_of(access)),
            }
        };
        let sparse = self.sparse(inner, self.by_position(inner, point.drivers));
        let mut names: Vec<_> = sparse.members().map(name).collect();
        names.dedup();
        let text = match (self.counts(inner, point, scope).is_some(), &names[..]) {
            (true, []) => {
                let first = inner.points[0].drivers;
                let others = self.sparse(inner, self.by_position(inner, first)).members();
                let mut others: Vec<_> = others.map(name).collect();
                others.dedup();
                format!("{} exhausted: the rest of the dimension.", is_or_are(&others))
            }
            (true, names) => format!("{} entries left.", has_or_have(names)),
            (false, [only]) => format!("Only {only} has entries left."),
            (false, names) => format!("{} entries left.", has_or_have(names)),
        };
        Some(Stmt::Comment(text.into()))
    }
}

fn has_or_have(names: &[String]) -> String {
    match names {
        [only] => format!("{only} has"),
        [a, b] => format!("{a} and {b} both have"),
        [first @ .., last] => format!("{} and {last} all have", first.join(", ")),
        [] => "Nothing has".to_owned(),
    }
}

fn is_or_are(names: &[String]) -> String {
    match names {
        [only] => format!("{only} is"),
        [first @ .., last] => format!("{} and {last} are", first.join(", ")),
        [] => "Nothing is".to_owned(),
    }
}
