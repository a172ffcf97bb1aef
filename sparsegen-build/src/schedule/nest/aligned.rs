//! Variables that two loops over the same entries share.
//!
//! `B[i,j] = A[i,j] / max[k](A[i,k])` visits each row of `A` twice, one loop after the other. With one
//! variable for both, `A` is read at the same entries, so that its rows have one iterator instead of two
//! that are merged with each other: `∀i (∀j B[i,j] = A[i,j] / max where ∀j max max= A[i,j])`.

use super::Nest;
use crate::concrete::Stmt;
use crate::concrete::renumber::Renumbering;
use crate::notation::{Access, VariableId, VariableRole};

impl Nest<'_> {
    /// Returns a producer with the variables of the consumer in place of its own where both visit the
    /// same entries.
    pub(super) fn aligned(&self, consumer: &Stmt, producer: Stmt) -> Stmt {
        let kernel = &self.program.kernel;
        if !kernel.schedule.is_empty() {
            return producer;
        }
        let others = consumer.reads();
        let pairs = producer.reads().into_iter().find_map(|own| {
            let mut pairs = others.iter().filter_map(|other| self.differing(own, other));
            pairs.find(|(a, b)| {
                let is_free = !mentions(&producer, *b) && !stores_at(&producer, *a);
                has_loop(&producer, *a) && has_loop(consumer, *b) && is_free
            })
        });
        let Some((own, other)) = pairs else { return producer };
        let mut map = Renumbering::identity(kernel);
        map.variables.insert(own, other);
        map.stmt(&producer)
    }

    /// Returns the variables in which two accesses of a sparse tensor differ, if it is one of each, for a
    /// level below one that does not store all coordinates.
    fn differing(&self, own: &Access, other: &Access) -> Option<(VariableId, VariableId)> {
        if own.tensor != other.tensor {
            return None;
        }
        let kernel = &self.program.kernel;
        let modes = own.indices.iter().zip(&other.indices).enumerate();
        let mut modes = modes.filter(|(_, (a, b))| a != b);
        let (mode, (a, b)) = modes.next()?;
        let is_plain = |v: VariableId| {
            kernel.variable(v).role == VariableRole::Index
                && self.program.basis.stead(v).is_none_or(|loops| *loops == [v])
        };
        let format = &kernel.tensor(own.tensor).format;
        let level =
            (0..format.levels.len()).position(|level| format.mode_of(level) == Some(mode))?;
        let is_shared = format.levels[..level].iter().any(|spec| !spec.properties.full);
        let is_same = kernel.variable(*a).extent == kernel.variable(*b).extent;
        let is_only = modes.next().is_none();
        (is_only && is_shared && is_same && is_plain(*a) && is_plain(*b)).then_some((*a, *b))
    }
}

/// Returns whether a statement has a loop over a variable.
fn has_loop(stmt: &Stmt, v: VariableId) -> bool {
    match stmt {
        Stmt::Forall { variable, body, .. } => *variable == v || has_loop(body, v),
        Stmt::Where { consumer, producer, .. } => has_loop(consumer, v) || has_loop(producer, v),
        Stmt::If { body, .. } => has_loop(body, v),
        Stmt::Sequence(stmts) => stmts.iter().any(|stmt| has_loop(stmt, v)),
        Stmt::Assign { .. } => false,
    }
}

/// Returns whether a statement has a variable anywhere.
fn mentions(stmt: &Stmt, v: VariableId) -> bool {
    match stmt {
        Stmt::Forall { variable, body, .. } => *variable == v || mentions(body, v),
        Stmt::Where { consumer, producer, .. } => mentions(consumer, v) || mentions(producer, v),
        Stmt::If { condition, body } => condition.variables().contains(&v) || mentions(body, v),
        Stmt::Sequence(stmts) => stmts.iter().any(|stmt| mentions(stmt, v)),
        Stmt::Assign { target, value, .. } => {
            target.indices.contains(&v) || value.variables().contains(&v)
        }
    }
}

/// Returns whether a statement stores in elements at coordinates of a variable.
fn stores_at(stmt: &Stmt, v: VariableId) -> bool {
    let mut stores = false;
    stmt.for_each_assign(&mut |target, _, _| stores |= target.indices.contains(&v));
    stores
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn loops_over_the_same_entries_have_one_variable() {
        let cases = [
            (
                "B[i,j] = A[i,j] / max[k](A[i,k])",
                "B = 'dcsr', A = 'dcsr'",
                "∀i (∀j B[i,j] = A[i,j] / max where ∀j max max= A[i,j])",
            ),
            // The rows of this format have one iterator anyway.
            (
                "B[i,j] = A[i,j] / max[k](A[i,k])",
                "B = 'csr', A = 'csr'",
                "∀i (∀j B[i,j] = A[i,j] / max where ∀k max max= A[i,k])",
            ),
        ];
        for (expr, tensors, expected) in cases {
            assert_eq!(loops(expr, tensors, &[]), expected, "{expr}");
        }
    }
}
