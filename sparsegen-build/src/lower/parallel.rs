//! Outermost loops that are divided into parts for threads.

use crate::ir::{BinaryOp, Expr, Parallel, Stmt};
use crate::notation::VariableId;

use super::Lowering;

impl Lowering<'_> {
    /// Returns the description of a function with a parallel loop.
    pub(super) fn parallel(&self, body: &[Stmt]) -> Option<Parallel> {
        let v = self.parted?;
        let (begin, end) = self.names.part(v);
        let positions = |name: &str| {
            let is_it = |array: &crate::ir::Array| {
                array.name == name && matches!(array.element, crate::ir::Element::Index(_))
            };
            self.read_arrays().iter().any(is_it)
        };
        let mut work: Vec<String> = Vec::new();
        let variable = self.names.variable(v).to_owned();
        let next = Expr::add(Expr::var(&variable), Expr::Index(1));
        for stmt in body {
            stmt.for_each(&mut |stmt| {
                for expr in stmt.expressions() {
                    expr.for_each(&mut |expr| match expr {
                        Expr::Load { array, index }
                            if **index == next && positions(array) && !work.contains(array) =>
                        {
                            work.push(array.clone());
                        }
                        Expr::Load { .. }
                        | Expr::Index(_)
                        | Expr::Value(..)
                        | Expr::Constant(..)
                        | Expr::Bool(_)
                        | Expr::Largest(_)
                        | Expr::Var(_)
                        | Expr::Len(_)
                        | Expr::Extent(..)
                        | Expr::Search { .. }
                        | Expr::Pair(..)
                        | Expr::Unary(..)
                        | Expr::ToIndex(..)
                        | Expr::Binary(..)
                        | Expr::Call(..)
                        | Expr::Cast { .. }
                        | Expr::Choose { .. } => {}
                    });
                }
            });
        }
        Some(Parallel { size: v.0, variable, begin, end, work })
    }

    /// Returns the bounds of the loop over `v`, if it is divided into parts.
    pub(super) fn part(&self, v: VariableId) -> Option<(Expr, Expr)> {
        let (begin, end) = self.names.part(v);
        (self.parted == Some(v)).then(|| (Expr::var(&begin), Expr::var(&end)))
    }
}

/// Returns a coordinate or an extent relative to the first coordinate of the part.
pub(super) fn within_part(end: Expr, begin: &str) -> Expr {
    Expr::binary(BinaryOp::Sub, end, Expr::var(begin))
}
