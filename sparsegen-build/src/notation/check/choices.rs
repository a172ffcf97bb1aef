//! Arg-reductions, which require at least one coordinate.

use crate::notation::syntax::{Expr, ExprKind};
use crate::notation::{ReduceOp, VariableId};

use super::names::Names;

/// Returns the variables of arg-reductions, each with its reduction.
pub(super) fn chosen_from(names: &Names<'_>, expr: &Expr) -> Option<Vec<(VariableId, ReduceOp)>> {
    let mut found = Vec::new();
    expr.for_each(&mut |part| {
        if let ExprKind::Reduce(name, variables, _) = &part.kind
            && let Some(op) = ReduceOp::of(&name.text).filter(|op| op.tells_where)
        {
            found.extend(variables.iter().map(|variable| (variable.text.as_str(), op)));
        }
    });
    let id = |name: &str| names.variables.iter().position(|known| *known == name).map(VariableId);
    found.into_iter().map(|(name, op)| Some((id(name)?, op))).collect()
}
