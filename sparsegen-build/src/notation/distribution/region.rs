//! The regions of a statement at a coordinate of a variable, by the operands that have an entry there.

use super::for_each;
use crate::notation::{Access, Expr, Kernel, ReduceOp, VariableId};
use crate::types::Literal;

/// A statement at a coordinate of a variable at which some operands have no entry.
pub(super) struct Region<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) variable: &'k str,
    /// The reduction over the variable that is divided among the ranks, if the result does not have
    /// it.
    pub(super) reduced: Option<ReduceOp>,
    /// The names of the operands without an entry.
    pub(super) absent: Vec<&'k str>,
}

impl Region<'_> {
    /// Returns the values at the coordinate, simplified, each with the value that has no effect.
    fn values(&self) -> Vec<(Literal, Expr)> {
        let kernel = self.kernel;
        let is_it = |v: &VariableId| kernel.variable(*v).name == self.variable;
        let without = |value: &Expr| {
            value.substitute(&|access: &Access| {
                let is_absent = self.absent.contains(&kernel.tensor(access.tensor).name.as_str());
                is_absent.then(|| kernel.fill(access.tensor))
            })
        };
        let value = &kernel.assignment.value;
        if kernel.assignment.result.indices.iter().any(is_it) {
            return match (value, self.reduced) {
                // A missing contribution of a rank must be the identity of the owner's reduction.
                (Expr::Reduce(reduce), Some(op)) => vec![(op.identity(), without(&reduce.body))],
                _ => vec![(kernel.fill_value(kernel.result()), without(value))],
            };
        }
        let mut values = Vec::new();
        for_each(value, &mut |expr| {
            if let Expr::Reduce(reduce) = expr
                && reduce.variables.iter().any(is_it)
            {
                values.push((reduce.op.identity(), without(&reduce.body)));
            }
        });
        values
    }

    /// Returns whether the statement may do something.
    pub(super) fn has_effect(&self) -> bool {
        self.values().iter().any(|(nothing, value)| !is(value, *nothing))
    }

    /// Returns whether the statement may read an operand.
    pub(super) fn reads(&self, name: &str) -> bool {
        let mut reads = false;
        for (_, value) in self.values() {
            value.for_each_access(&mut |access| {
                reads |= self.kernel.tensor(access.tensor).name == name;
            });
        }
        reads
    }
}

/// Returns whether a value is a literal.
fn is(value: &Expr, literal: Literal) -> bool {
    value.as_literal().is_some_and(|known| known.is_same(literal))
}

/// The largest number of operands of which all sets are tried.
const MOST: usize = 8;

/// Returns the smallest sets for which a predicate holds.
pub(super) fn smallest(all: &[usize], holds: &dyn Fn(&[usize]) -> bool) -> Vec<Vec<usize>> {
    if holds(&[]) {
        return vec![Vec::new()];
    }
    if all.len() > MOST {
        // Each of the operands alone: coordinates that more than one of them needs are among these.
        return all.iter().map(|one| vec![*one]).collect();
    }
    let mut sets: Vec<Vec<usize>> = (1_usize..1 << all.len())
        .map(|bits| {
            let chosen = all.iter().enumerate().filter(|(k, _)| bits >> k & 1 == 1);
            chosen.map(|(_, operand)| *operand).collect()
        })
        .collect();
    sets.sort_by_key(Vec::len);
    let mut smallest: Vec<Vec<usize>> = Vec::new();
    for set in sets {
        let contains = |known: &Vec<usize>| known.iter().all(|one| set.contains(one));
        if !smallest.iter().any(contains) && holds(&set) {
            smallest.push(set);
        }
    }
    smallest
}
