//! Iteration graphs: which variable's loop must stand outside of which.
//!
//! A level that cannot locate is iterated once its ancestors' positions are known, so their
//! variables come first. A result that is assembled in order wants its variables in the order of
//! its levels; sums may come between them, and then go through a workspace.

use std::fmt::Write as _;

use crate::concrete::space::{Basis, Space};
use crate::concrete::{DemandedOrder, Program};
use crate::limits::ORDERS;
use crate::notation::{Access, Assignment, Kernel, VariableId};

/// The constraints on the order of a kernel's loops.
#[derive(Clone, Debug)]
pub struct IterationGraph {
    /// Every loop, in the order in which loops are preferred: the result's, then the others.
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
    /// The place within a block comes after the block, which may be cut short.
    Block,
    /// A command of the schedule, as written.
    Schedule(String),
}

impl IterationGraph {
    /// The graph of a program that has no loops yet; `None` where its basis has none for a level that
    /// must be iterated.
    pub fn of(program: &Program) -> Option<IterationGraph> {
        let Program { kernel, space, basis, .. } = program;
        let Assignment { result, value } = &kernel.assignment;
        let mut graph = IterationGraph { variables: Vec::new(), edges: Vec::new() };
        graph.add_variables(space.access_sources(basis, result));
        let mut reached = true;
        let mut add = |access: &Access| {
            graph.add_variables(space.access_sources(basis, access));
            let levels = &kernel.tensor(access.tensor).format.levels;
            for k in (0..levels.len()).filter(|k| levels[*k].level.locate().is_none()) {
                let reason = Reason::Operand(access.clone());
                reached &= graph.add_level(kernel, space, basis, access, k, &reason);
            }
        };
        let values =
            || std::iter::once(value).chain(program.precomputed.iter().map(|part| &part.value));
        values().for_each(|value| value.for_each_access(&mut add));
        // Variables that index no operand have loops, too.
        let mut indices = Vec::new();
        values().for_each(|value| value.for_each_variable(&mut |v| indices.push(v)));
        graph.add_variables(indices.into_iter().flat_map(|v| space.sources(basis, v)).collect());
        let reason = Reason::Result(result.clone());
        if let Some(last) = last_appended(kernel) {
            for k in 0..=last {
                reached &= graph.add_level(kernel, space, basis, result, k, &reason);
            }
            graph.add_places(kernel, space, basis, result, last);
        }
        graph.add_blocks(space, basis);
        for DemandedOrder { before, after, command } in &program.order {
            if graph.variables.contains(before) && graph.variables.contains(after) {
                graph.add_edge(*before, *after, &Reason::Schedule(command.clone()));
            }
        }
        reached.then_some(graph)
    }

    /// A level needs its ancestors, and a loop over its own variable unless these determine it.
    fn add_level(
        &mut self,
        kernel: &Kernel,
        space: &Space,
        basis: &Basis,
        access: &Access,
        level: usize,
        reason: &Reason,
    ) -> bool {
        let variable = |level| space.level_variable(kernel, access, level);
        let ancestors = 0..self.first_of_unordered(kernel, access, level, reason);
        let ancestors = ancestors.filter_map(variable);
        // Where it is read at the coordinate of another variable, that one comes first as well.
        let needs = variable(level).map_or(&[][..], |v| space.needs(v));
        let before = ancestors.chain(needs.iter().copied());
        let before: Vec<_> = before.flat_map(|v| space.sources(basis, v)).collect();
        let Some(after) = variable(level).map(|v| space.counted(v)) else { return true };
        if !basis.loops_over(after) {
            let mut sources = space.sources(basis, after).into_iter();
            return is_implied(kernel, access, level) && sources.all(|v| before.contains(&v));
        }
        for before in before {
            self.add_edge(before, after, reason);
        }
        true
    }

    /// An entry of the last level that is appended to has a place for each coordinate of those below:
    /// with their loops outside, it would be appended again for each.
    fn add_places(
        &mut self,
        kernel: &Kernel,
        space: &Space,
        basis: &Basis,
        result: &Access,
        last: usize,
    ) {
        let levels = kernel.tensor(result.tensor).format.levels.len();
        let sources = |level| {
            let variable = space.level_variable(kernel, result, level);
            variable.map_or_else(Vec::new, |v| space.sources(basis, v))
        };
        let entry: Vec<_> = (0..=last).flat_map(sources).collect();
        for place in (last + 1..levels).flat_map(sources).filter(|v| !entry.contains(v)) {
            for before in &entry {
                self.add_edge(*before, place, &Reason::Result(result.clone()));
            }
        }
    }

    /// The level from which on the loops may come in any order: a result takes the coordinates of a
    /// level and the branchless ones below it together.
    fn first_of_unordered(
        &self,
        kernel: &Kernel,
        access: &Access,
        level: usize,
        reason: &Reason,
    ) -> usize {
        let levels = &kernel.tensor(access.tensor).format.levels[..=level];
        let mut first = level;
        while matches!(reason, Reason::Result(_))
            && levels[first].properties.branchless
            && first > 0
            && levels[first - 1..].iter().all(|spec| !spec.properties.ordered)
        {
            first -= 1;
        }
        first
    }

    fn add_blocks(&mut self, space: &Space, basis: &Basis) {
        for [block, place] in space.blocks() {
            let [mut blocks, mut places] = [block, place].map(|v| space.sources(basis, v));
            blocks.retain(|v| self.variables.contains(v));
            places.retain(|v| self.variables.contains(v) && !blocks.contains(v));
            for before in &blocks {
                for after in &places {
                    self.add_edge(*before, *after, &Reason::Block);
                }
            }
        }
    }

    fn add_variables(&mut self, variables: Vec<VariableId>) {
        for v in variables {
            if !self.variables.contains(&v) {
                self.variables.push(v);
            }
        }
    }

    fn add_edge(&mut self, before: VariableId, after: VariableId, reason: &Reason) {
        let edge = Edge { before, after, reason: reason.clone() };
        if before != after && !self.edges.contains(&edge) {
            self.edges.push(edge);
        }
    }

    /// Orders of the loops that respect every edge, the preferred first.
    pub fn orders(&self) -> Vec<Vec<VariableId>> {
        let mut orders = Vec::new();
        // Where there is one order, every beginning of an order can be completed.
        if self.has_order() {
            self.extend(&mut Vec::new(), &mut orders);
        }
        orders
    }

    /// Returns whether some order of the loops respects every edge.
    fn has_order(&self) -> bool {
        let mut order: Vec<VariableId> = Vec::new();
        while let Some(next) = self.variables.iter().find(|v| self.is_next(**v, &order)) {
            order.push(*next);
        }
        order.len() == self.variables.len()
    }

    /// Returns whether the loop over `v` may stand within those of `order`, and outside of all others.
    fn is_next(&self, v: VariableId, order: &[VariableId]) -> bool {
        let mut before = self.edges.iter().filter(|edge| edge.after == v);
        !order.contains(&v) && before.all(|edge| order.contains(&edge.before))
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
            if self.is_next(*v, order) {
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

    /// The graph as text, an edge a line: `i → j (A[i,j])`.
    pub fn show(&self, kernel: &Kernel) -> String {
        let mut text = String::new();
        for edge in &self.edges {
            let [before, after] = [edge.before, edge.after].map(|v| &kernel.variable(v).name);
            let reason = match &edge.reason {
                Reason::Operand(access) | Reason::Result(access) => kernel.show_access(access),
                Reason::Block => "block".to_owned(),
                Reason::Schedule(command) => command.clone(),
            };
            let _ = writeln!(text, "{before} → {after} ({reason})");
        }
        text
    }
}

/// The iteration graph of a program.
pub fn show(program: &Program) -> String {
    let graph = IterationGraph::of(program);
    graph.map_or_else(String::new, |graph| graph.show(&program.kernel))
}

/// The last level of the result that is assembled in order, if any is.
pub fn last_appended(kernel: &Kernel) -> Option<usize> {
    let levels = &kernel.tensor(kernel.result()).format.levels;
    levels.iter().rposition(|spec| spec.level.insert().is_none())
}

/// Whether the coordinates of the levels above leave one coordinate only for this level, so that it
/// needs no loop where these are known.
pub fn is_implied(kernel: &Kernel, access: &Access, level: usize) -> bool {
    let spec = &kernel.tensor(access.tensor).format.levels[level];
    spec.properties.branchless && spec.level.is_implied()
}
