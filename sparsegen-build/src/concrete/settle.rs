//! Statements as results see them that store only what is not known to be nothing.

use std::rc::Rc;

use crate::notation::{Access, Expr, ReduceOp};

use super::Stmt;

impl Stmt {
    /// This statement as a result sees it that stores only what is not known to be nothing: with the
    /// values of reductions of what is the same everywhere, such as the least of zeros, and under the
    /// masks within values. Of an empty range that would be wrong.
    pub fn settled(&self) -> Stmt {
        match self {
            Stmt::Forall { variable, annotations, body } => {
                Stmt::forall(*variable, Rc::clone(annotations), body.settled())
            }
            Stmt::If { condition, body } => Stmt::when(condition.clone(), body.settled()),
            Stmt::Where { temporary, op, consumer, producer } => match producer.constant(*op) {
                Some(constant) => {
                    let known =
                        |access: &Access| (access.tensor == *temporary).then(|| constant.clone());
                    consumer.with(&known).settled()
                }
                None => Stmt::where_(*temporary, *op, consumer.settled(), producer.settled()),
            },
            // What a mask excludes counts as nothing where it is added, too.
            Stmt::Assign { target, accumulate, value }
                if accumulate.is_none_or(|op| op == ReduceOp::Sum) =>
            {
                Stmt::assign(target.clone(), *accumulate, value.under_masks())
            }
            Stmt::Assign { .. } => self.clone(),
            Stmt::Sequence(statements) => {
                Stmt::sequence(statements.iter().map(Stmt::settled).collect())
            }
        }
    }

    /// What a reduction comes to that this statement alone brings something into, always the same, if it
    /// makes no difference how often.
    fn constant(&self, op: ReduceOp) -> Option<Expr> {
        match self {
            Stmt::Forall { body, .. } => body.constant(op),
            Stmt::Assign { accumulate, value, .. } if *accumulate == Some(op) => {
                op.of_constant(value)
            }
            Stmt::Assign { .. } | Stmt::Where { .. } | Stmt::If { .. } | Stmt::Sequence(_) => None,
        }
    }
}
