//! Loop fusion: common loops of consecutive statements become one.
//!
//! Two loops over the same variable are fused if each tensor that one of them writes and the other accesses is
//! partitioned by the iterations: every access has the variable at the same level. Then no iteration depends on
//! another. Merge lattices are built afterwards, so fused statements share one merge.

use std::sync::Arc;

use crate::notation::{Access, TensorId, VariableId};

use super::renumber::Renumbering;
use super::{Program, Stmt, Temporary};

/// Fusion of loops of statements in a program.
pub struct Fusion<'p> {
    pub program: &'p Program,
    /// The number of nested loops that may be fused.
    pub depth: usize,
}

impl Fusion<'_> {
    /// Returns `a; b` with their common loops fused, or `None` if they have none.
    pub fn fuse(&self, a: &Stmt, b: &Stmt) -> Option<Stmt> {
        if self.depth == 0 {
            return None;
        }
        match (a, b) {
            (a, Stmt::Sequence(statements)) => self.fuse_all(a, statements),
            (Stmt::Sequence(statements), b) => self.fuse_behind(statements, b),
            (
                Stmt::Where { temporaries, consumer, producer },
                Stmt::Where { temporaries: others, consumer: later, producer: filling },
            ) => {
                if depend(consumer, filling) {
                    return None;
                }
                // Common values are computed once.
                let same = self.renamed(others, temporaries);
                if same.as_ref().is_some_and(|same| same.stmt(filling) == **producer) {
                    let later = same.map_or_else(|| (**later).clone(), |same| same.stmt(later));
                    let consumed =
                        self.fuse(consumer, &later).unwrap_or_else(|| then(consumer, &later));
                    return Some(Stmt::where_(temporaries.clone(), consumed, (**producer).clone()));
                }
                let filled = self.fuse(producer, filling)?;
                let consumed = self.fuse(consumer, later).unwrap_or_else(|| then(consumer, later));
                let temporaries = [&temporaries[..], &others[..]].concat();
                Some(Stmt::where_(temporaries, consumed, filled))
            }
            (Stmt::Where { temporaries, consumer, producer }, b) => {
                let with =
                    |consumer, producer| Stmt::where_(temporaries.clone(), consumer, producer);
                if !depend(consumer, b)
                    && let Some(filled) = self.fuse(producer, b)
                {
                    return Some(with((**consumer).clone(), filled));
                }
                Some(with(self.fuse(consumer, b)?, (**producer).clone()))
            }
            (a, Stmt::Where { temporaries, consumer, producer }) => {
                let with =
                    |consumer, producer| Stmt::where_(temporaries.clone(), consumer, producer);
                if let Some(filled) = self.fuse(a, producer) {
                    return Some(with((**consumer).clone(), filled));
                }
                if depend(a, producer) {
                    return None;
                }
                Some(with(self.fuse(a, consumer)?, (**producer).clone()))
            }
            (
                Stmt::Forall { variable, annotations, body },
                Stmt::Forall { variable: other, annotations: others, body: later },
            ) => {
                let is_same = variable == other && annotations == others;
                (is_same && self.are_in_step(*variable, body, later)).then_some(())?;
                let within = Fusion { program: self.program, depth: self.depth - 1 };
                let fused = within.fuse(body, later).unwrap_or_else(|| then(body, later));
                Some(Stmt::forall(*variable, Arc::clone(annotations), fused))
            }
            (Stmt::If { condition, body }, Stmt::If { condition: other, body: later }) => {
                let mut decides = false;
                condition.for_each_access(&mut |access| decides |= body.assigns(access.tensor));
                (condition == other && !decides).then_some(())?;
                Some(Stmt::when(condition.clone(), self.fuse(body, later)?))
            }
            (Stmt::Forall { .. } | Stmt::Assign { .. } | Stmt::If { .. }, _) => None,
        }
    }

    /// Returns the renaming of temporaries to others of the same kind, or `None` if their kinds
    /// differ.
    fn renamed(&self, from: &[Temporary], to: &[Temporary]) -> Option<Renumbering> {
        let is_same = |(a, b): (&Temporary, &Temporary)| {
            let [a, b] = [a, b].map(|t| (t.op, self.program.tensor(t.tensor)));
            let (own, other) = (a.1, b.1);
            a.0 == b.0
                && (own.role, own.dtype) == (other.role, other.dtype)
                && own.format.is_same(&other.format)
        };
        (from.len() == to.len() && from.iter().zip(to).all(is_same)).then_some(())?;
        let mut names = Renumbering::identity(&self.program.kernel);
        names.tensors.extend(from.iter().map(|t| t.tensor).zip(to.iter().map(|t| t.tensor)));
        Some(names)
    }

    /// Fuses a statement with the last of the given statements that has common loops, unless an
    /// intermediate statement depends on it.
    fn fuse_behind(&self, statements: &[Stmt], b: &Stmt) -> Option<Stmt> {
        for (k, before) in statements.iter().enumerate().rev() {
            if let Some(fused) = self.fuse(before, b) {
                let mut all = statements.to_vec();
                all[k] = fused;
                return Some(Stmt::sequence(all));
            }
            if depend(before, b) {
                return None;
            }
        }
        None
    }

    /// Fuses each of several statements with the preceding one.
    fn fuse_all(&self, a: &Stmt, statements: &[Stmt]) -> Option<Stmt> {
        let mut fused = false;
        let all =
            statements.iter().fold(a.clone(), |before, stmt| match self.fuse(&before, stmt) {
                Some(shared) => {
                    fused = true;
                    shared
                }
                None => then(&before, stmt),
            });
        fused.then_some(all)
    }

    /// Returns whether a loop over a variable around two statements has the same effect as two
    /// loops.
    fn are_in_step(&self, v: VariableId, a: &Stmt, b: &Stmt) -> bool {
        shared(a, b).into_iter().all(|tensor| self.belongs(v, tensor, [a, b]))
    }

    /// Returns whether each iteration of a loop accesses separate elements of a tensor, and
    /// completes the elements that it writes.
    fn belongs(&self, v: VariableId, tensor: TensorId, statements: [&Stmt; 2]) -> bool {
        let levels = &self.program.tensor(tensor).format.levels;
        let has_places = self.program.tensor(tensor).format.has_every_position();
        let mut accesses: Vec<Access> = Vec::new();
        for stmt in statements {
            stmt.for_each_assign(&mut |target, _, _| accesses.push(target.clone()));
            accesses.extend(stmt.reads().into_iter().cloned());
        }
        accesses.retain(|access| access.tensor == tensor);
        let is_at = |level: &usize| {
            let mut at = accesses.iter().map(|access| self.program.level_variable(access, *level));
            at.all(|at| at == Some(v))
        };
        has_places && (0..levels.len()).any(|level| is_at(&level))
    }
}

/// Returns the tensors that one of two statements writes and the other accesses.
fn shared(a: &Stmt, b: &Stmt) -> Vec<TensorId> {
    let written = |stmt: &Stmt| {
        let mut written = Vec::new();
        stmt.for_each_assign(&mut |target, _, _| written.push(target.tensor));
        written
    };
    let touches = |stmt: &Stmt, tensor: TensorId| {
        stmt.assigns(tensor) || stmt.reads().iter().any(|access| access.tensor == tensor)
    };
    let mut shared = written(a);
    shared.retain(|tensor| touches(b, *tensor));
    shared.extend(written(b).into_iter().filter(|tensor| touches(a, *tensor)));
    shared
}

/// Returns whether two statements depend on each other.
fn depend(a: &Stmt, b: &Stmt) -> bool {
    !shared(a, b).is_empty()
}

fn then(a: &Stmt, b: &Stmt) -> Stmt {
    let statements = |stmt: &Stmt| match stmt {
        Stmt::Sequence(statements) => statements.clone(),
        Stmt::Forall { .. } | Stmt::Where { .. } | Stmt::Assign { .. } | Stmt::If { .. } => {
            vec![stmt.clone()]
        }
    };
    Stmt::sequence([statements(a), statements(b)].concat())
}
