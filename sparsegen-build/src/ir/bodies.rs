//! Traversal of the statements within others.

use super::Stmt;

impl Stmt {
    /// Returns the nested bodies.
    pub fn bodies(&self) -> Vec<&[Stmt]> {
        match self {
            Stmt::Comment(_)
            | Stmt::Let { .. }
            | Stmt::Assign { .. }
            | Stmt::Store { .. }
            | Stmt::Scratch { .. }
            | Stmt::Tile { .. }
            | Stmt::Sort { .. }
            | Stmt::Workspace { .. }
            | Stmt::Harvest { .. }
            | Stmt::Places { .. }
            | Stmt::Rearrange(_)
            | Stmt::Refuse { .. }
            | Stmt::Clear { .. }
            | Stmt::Reserve { .. }
            | Stmt::Push { .. }
            | Stmt::Extend { .. }
            | Stmt::Resize { .. }
            | Stmt::Grow { .. }
            | Stmt::Break => Vec::new(),
            Stmt::For { body, .. } | Stmt::ForOnes { body, .. } | Stmt::While { body, .. } => {
                vec![body]
            }
            Stmt::If { arms, otherwise } => {
                let bodies = arms.iter().map(|(_, body)| body.as_slice());
                bodies.chain([otherwise.as_slice()]).collect()
            }
        }
    }

    /// Calls `visit` on this statement and all nested statements, in order.
    pub fn for_each<'s>(&'s self, visit: &mut impl FnMut(&'s Stmt)) {
        visit(self);
        for body in self.bodies() {
            for stmt in body {
                stmt.for_each(visit);
            }
        }
    }

    /// Replaces the nested bodies, and folds the result.
    pub fn with_bodies(self, body: &mut impl FnMut(Vec<Stmt>) -> Vec<Stmt>) -> Vec<Stmt> {
        match self {
            Stmt::For { name, start, end, body: inner } => {
                Stmt::for_range(&name, start, end, body(inner))
            }
            Stmt::ForOnes { name, start, end, bits, body: inner } => {
                vec![Stmt::ForOnes { name, start, end, bits, body: body(inner) }]
            }
            Stmt::While { condition, body: inner } => Stmt::repeat_while(condition, body(inner)),
            Stmt::If { arms, otherwise } => {
                let arms = arms.into_iter().map(|(c, inner)| (c, body(inner))).collect();
                Stmt::choose(arms, body(otherwise))
            }
            stmt => vec![stmt],
        }
    }
}
