//! Iteration graphs: which variable's loop must stand outside of which.
//!
//! A level that cannot locate is iterated once its ancestors' positions are known, so their
//! variables come first. A result that is assembled in order wants its variables in the order of
//! its levels, and no sum outside of them.

use std::fmt::Write as _;

use crate::notation::{Access, Expr, Kernel, Reduce, VariableId};

/// The constraints on the order of a kernel's loops.
#[derive(Clone, Debug)]
pub struct IterationGraph {
    /// Every variable, in the order in which loops are preferred: the result's, then the others.
    pub variables: Vec<VariableId>,
    pub edges: Vec<Edge>,
}

/// `before` is looped over outside of `after`.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    pub before: VariableId,
    pub after: VariableId,
    pub reason: Reason,
}

/// Why an edge is there.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The operand's levels are reached in this order.
    Operand(Access),
    /// The result is assembled in this order.
    Result(Access),
}

/// How many orders of the loops are weighed against each other at most.
const ORDERS: usize = 240;

impl IterationGraph {
    /// The graph of a kernel's statement with `value` on its right-hand side.
    pub fn of(kernel: &Kernel, value: &Expr) -> IterationGraph {
        let result = &kernel.assignment.result;
        let mut variables = result.indices.clone();
        let mut edges = Vec::new();
        value.for_each_access(&mut |access| {
            for v in &access.indices {
                if !variables.contains(v) {
                    variables.push(*v);
                }
            }
            let levels = &kernel.tensor(access.tensor).format.levels;
            for k in (0..levels.len()).filter(|k| levels[*k].level.locate().is_none()) {
                for (before, after) in above(kernel, access, k) {
                    push(&mut edges, before, after, Reason::Operand(access.clone()));
                }
            }
        });
        if let Some(last) = last_appended(kernel) {
            for k in 0..=last {
                for (before, after) in above(kernel, result, k) {
                    push(&mut edges, before, after, Reason::Result(result.clone()));
                }
            }
            let innermost = level_variable(kernel, result, last);
            for reduced in sums_over_results(value, &result.indices) {
                push(&mut edges, innermost, reduced, Reason::Result(result.clone()));
            }
        }
        IterationGraph { variables, edges }
    }

    /// Orders of the loops that respect every edge, the preferred first.
    pub fn orders(&self) -> Vec<Vec<VariableId>> {
        let mut orders = Vec::new();
        self.extend(&mut Vec::new(), &mut orders);
        orders
    }

    fn extend(&self, order: &mut Vec<VariableId>, orders: &mut Vec<Vec<VariableId>>) {
        if orders.len() == ORDERS {
            return;
        }
        if order.len() == self.variables.len() {
            orders.push(order.clone());
            return;
        }
        for v in &self.variables {
            let ready = || {
                self.edges.iter().filter(|e| e.after == *v).all(|e| order.contains(&e.before))
            };
            if !order.contains(v) && ready() {
                order.push(*v);
                self.extend(order, orders);
                order.pop();
            }
        }
    }

    /// Edges that go round in a circle, if any do: then there is no order.
    pub fn cycle(&self) -> Option<Vec<&Edge>> {
        self.variables.iter().find_map(|start| self.path_to(*start, *start, &mut Vec::new()))
    }

    fn path_to(
        &self,
        from: VariableId,
        to: VariableId,
        seen: &mut Vec<VariableId>,
    ) -> Option<Vec<&Edge>> {
        if seen.contains(&from) {
            return None;
        }
        seen.push(from);
        for edge in self.edges.iter().filter(|edge| edge.before == from) {
            if edge.after == to {
                return Some(vec![edge]);
            }
            if let Some(mut path) = self.path_to(edge.after, to, seen) {
                path.insert(0, edge);
                return Some(path);
            }
        }
        None
    }

}

/// The iteration graph of a kernel as text: `i → j (A[i,j])`.
pub fn show(kernel: &Kernel) -> String {
        let mut text = String::new();
        for edge in &IterationGraph::of(kernel, &kernel.assignment.value).edges {
            let (Reason::Operand(access) | Reason::Result(access)) = &edge.reason;
            let name = |v: VariableId| &kernel.variable(v).name;
            let _ = writeln!(
                text,
                "{} → {} ({})",
                name(edge.before),
                name(edge.after),
                kernel.show_access(access)
            );
        }
        text
}

/// The last level of the result that is assembled in order, if any is.
pub fn last_appended(kernel: &Kernel) -> Option<usize> {
    let levels = &kernel.tensor(kernel.result()).format.levels;
    levels.iter().rposition(|spec| spec.level.insert().is_none())
}

/// The variables that must come before that of level `k`, each with it.
fn above(
    kernel: &Kernel,
    access: &Access,
    k: usize,
) -> impl Iterator<Item = (VariableId, VariableId)> {
    let after = level_variable(kernel, access, k);
    let ancestors: Vec<_> = (0..k).map(|level| level_variable(kernel, access, level)).collect();
    ancestors.into_iter().map(move |before| (before, after))
}

fn level_variable(kernel: &Kernel, access: &Access, level: usize) -> VariableId {
    let format = &kernel.tensor(access.tensor).format;
    let mode = format.mode_of(level).expect("levels over expressions of dimensions are refused");
    access.indices[mode]
}

/// The variables of the sums that must be taken for each entry of the result.
fn sums_over_results(value: &Expr, result: &[VariableId]) -> Vec<VariableId> {
    let mut reduced = Vec::new();
    crate::concrete::outermost_reductions(value, &mut |Reduce { variables, body, .. }| {
        let mut uses_result = false;
        body.for_each_access(&mut |access| {
            uses_result |= access.indices.iter().any(|v| result.contains(v));
        });
        if uses_result {
            reduced.extend(variables.iter().copied());
        }
    });
    reduced
}

fn push(edges: &mut Vec<Edge>, before: VariableId, after: VariableId, reason: Reason) {
    let edge = Edge { before, after, reason };
    if !edges.contains(&edge) {
        edges.push(edge);
    }
}
