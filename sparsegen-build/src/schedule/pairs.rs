//! `fuse(i, j, f)`: what a loop over pairs of coordinates must run for every pair.

use std::collections::{BTreeMap, BTreeSet};

use crate::concrete::space::Definition;
use crate::concrete::{Program, Stmt};
use crate::notation::schedule::Action;
use crate::notation::{Expr, TensorId, VariableId};

/// Returns whether a loop over pairs of coordinates, or over blocks of them, runs a statement that
/// depends on one coordinate of a pair only, once for each of the others: `∀f y[i] += z[i]`.
pub(super) fn repeats(program: &Program) -> bool {
    program.kernel.schedule.iter().any(|command| match command.action {
        Action::Fuse { parts, fused } => {
            let mut pairs = Pairs { program, parts, fused, made: BTreeMap::new() };
            pairs.repeat(&program.body, &[], &BTreeSet::new())
        }
        _ => false,
    })
}

/// The pairs of coordinates of a loop.
struct Pairs<'p> {
    program: &'p Program,
    parts: [VariableId; 2],
    fused: VariableId,
    /// By temporary that is computed for each pair: the variables that its value depends on.
    made: BTreeMap<TensorId, BTreeSet<VariableId>>,
}

impl Pairs<'_> {
    /// Returns whether loops over pairs repeat a statement, given the enclosing loops and the variables
    /// that conditions depend on.
    fn repeat(
        &mut self,
        stmt: &Stmt,
        loops: &[VariableId],
        conditions: &BTreeSet<VariableId>,
    ) -> bool {
        let is_within = loops.iter().any(|v| self.are_counted_by(*v));
        match stmt {
            Stmt::Forall { variable, body, .. } => {
                let [outer, inner] = self.parts;
                // The second coordinates of the pairs in a block follow from the first one.
                let is_apart = is_within
                    && self.is_among(inner, &[*variable].into())
                    && !self.is_among(outer, &loops.iter().copied().collect());
                is_apart || self.repeat(body, &[loops, &[*variable]].concat(), conditions)
            }
            Stmt::Where { temporaries, consumer, producer } => {
                if self.repeat(producer, loops, conditions) {
                    return true;
                }
                if !is_within {
                    // They are complete before the consumer begins.
                    let is_complete =
                        |made: &TensorId| temporaries.iter().any(|of| of.tensor == *made);
                    self.made.retain(|made, _| !is_complete(made));
                }
                self.repeat(consumer, loops, conditions)
            }
            Stmt::If { condition, body } => {
                let mut conditions = conditions.clone();
                self.depend(condition, &mut conditions);
                self.repeat(body, loops, &conditions)
            }
            Stmt::Sequence(statements) => {
                statements.iter().any(|stmt| self.repeat(stmt, loops, conditions))
            }
            Stmt::Assign { target, value, .. } if is_within => {
                let mut variables = conditions.clone();
                self.depend(&Expr::Access(target.clone()), &mut variables);
                self.depend(value, &mut variables);
                let is_repeated = !self.parts.iter().all(|part| self.is_among(*part, &variables));
                self.made.entry(target.tensor).or_default().extend(variables);
                is_repeated
            }
            Stmt::Assign { .. } => false,
        }
    }

    /// Returns whether a loop is over the pairs, their blocks or their positions.
    fn are_counted_by(&self, v: VariableId) -> bool {
        match self.program.space.definition(v) {
            _ if v == self.fused => true,
            Some(Definition::Computed(of)) => of.variables().any(|of| self.are_counted_by(*of)),
            Some(Definition::Positions(of)) => self.parts.iter().all(|part| of.over.contains(part)),
            _ => false,
        }
    }

    /// Returns whether one of some variables determines a part of the pairs: it is the part, or the part
    /// is its block or the offset within that.
    fn is_among(&self, part: VariableId, variables: &BTreeSet<VariableId>) -> bool {
        let computed = self.program.space.computed(part);
        variables.contains(&part)
            || computed.is_some_and(|of| of.variables().any(|of| self.is_among(*of, variables)))
    }

    /// Adds the variables that a value depends on.
    fn depend(&self, value: &Expr, variables: &mut BTreeSet<VariableId>) {
        let space = &self.program.space;
        value.for_each_variable(&mut |v| variables.extend([v, space.counted(v)]));
        value.for_each_access(&mut |access| {
            for v in access.indices.iter().copied().chain(space.slots(access)) {
                variables.extend([v, space.counted(v)]);
            }
            variables.extend(self.made.get(&access.tensor).into_iter().flatten());
        });
    }
}
