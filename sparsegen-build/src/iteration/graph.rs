//! Iteration graphs: constraints on the nesting of loops.
//!
//! A level without `locate` can be iterated only at known positions of its ancestors, so the
//! variables of these come first. A result that is assembled in order requires its variables in the
//! order of its levels; variables of reductions may come between them, and the reductions then need
//! a workspace.

use std::fmt::Write as _;

use super::placed::Placing;
use crate::concrete::space::{Basis, Space};
use crate::concrete::{DemandedOrder, Precomputed, Program};
use crate::limits::ORDERS;
use crate::notation::{Access, Assignment, Kernel, VariableId};

/// The constraints on the order of the loops of a kernel.
#[derive(Clone, Debug)]
pub struct IterationGraph {
    /// All loops in the preferred order: those that enclose the loops that fill workspaces, those of
    /// the result, and the others.
    pub variables: Vec<VariableId>,
    pub edges: Vec<Edge>,
}

/// A constraint: the loop over `before` contains the loop over `after`.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    pub before: VariableId,
    pub after: VariableId,
    pub reason: Reason,
}

/// The origin of an edge.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The levels of an operand are reached in this order.
    Operand(Access),
    /// The result is assembled in this order.
    Result(Access),
    /// The coordinate within a block comes after the coordinate of the block, whose extent may be
    /// cut off at the end of the tensor.
    Block,
    /// A command of the schedule, as it is written.
    Schedule(String),
}

impl IterationGraph {
    /// Returns the iteration graph of a program without loops. Returns `None` if a level must be
    /// iterated for which the basis has no loop.
    pub fn of(program: &Program) -> Option<IterationGraph> {
        let Program { kernel, space, basis, .. } = program;
        let Assignment { result, value } = &kernel.assignment;
        let mut graph = IterationGraph { variables: Vec::new(), edges: Vec::new() };
        for part in &program.precomputed {
            let enclosing = enclosing(part).into_iter();
            graph.add_variables(enclosing.flat_map(|v| space.sources(basis, v)).collect());
        }
        graph.add_variables(space.access_sources(basis, result));
        // The first orders that are tried have reductions inside.
        let free = value.free_variables().into_iter();
        graph.add_variables(free.flat_map(|v| space.sources(basis, v)).collect());
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
            graph.add_appended_levels(kernel, space, basis, result, last);
        }
        if kernel.tensor(result.tensor).format.placed().is_some() {
            let placing = Placing::of(kernel, space, basis, result)?;
            graph.add_placing(&placing, &space.access_sources(basis, result), &reason);
        }
        graph.add_blocks(space, basis);
        graph.add_limits(kernel, space, basis);
        for DemandedOrder { before, after, command, yields } in &program.order {
            let has_opposite = || graph.path_to(*after, *before, &mut Vec::new()).is_some();
            if graph.variables.contains(before)
                && graph.variables.contains(after)
                && !(*yields && has_opposite())
            {
                graph.add_edge(*before, *after, &Reason::Schedule(command.clone()));
            }
        }
        reached.then_some(graph)
    }

    /// Adds the edges of a level: from its ancestors, and from the variables that its coordinate
    /// depends on.
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
        // The variables in its coordinate come first as well.
        let needs = variable(level).map_or(&[][..], |v| space.needs(v));
        let before = ancestors.chain(needs.iter().copied());
        let before: Vec<_> = before.flat_map(|v| space.sources(basis, v)).collect();
        let Some(after) = variable(level).map(|v| space.counted(v)) else { return true };
        if !basis.loops_over(after) {
            let mut sources = space.sources(basis, after).into_iter();
            return is_implied(kernel, access, level) && sources.all(|v| before.contains(&v));
        }
        // A result that is assembled in order has all blocks of a coordinate after the coordinates
        // above it.
        let own = match reason {
            Reason::Result(_) => {
                let mut own = basis.loops(after);
                own.retain(|v| *v == after || !takes_blocks(kernel, space, access, *v));
                own
            }
            Reason::Operand(_) | Reason::Block | Reason::Schedule(_) => vec![after],
        };
        for before in before {
            own.iter().for_each(|after| self.add_edge(before, *after, reason));
        }
        true
    }

    /// Adds edges for dense levels below the last level that is appended to. Each appended position
    /// has storage for all coordinates of these levels, so that their loops must be inside:
    /// otherwise the position would be appended several times.
    fn add_appended_levels(
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

    /// Adds edges for a result that stores the coordinates of each parent in order: its other loops
    /// than those over parents are within those over the coordinate. Reductions outside of these
    /// need a workspace.
    fn add_placing(&mut self, placing: &Placing, of_result: &[VariableId], reason: &Reason) {
        let Placing { coordinate, parents } = placing;
        let is_within = |v: &&VariableId| !coordinate.contains(v) && !parents.contains(v);
        for after in of_result.iter().filter(is_within) {
            for before in coordinate {
                self.add_edge(*before, *after, reason);
            }
        }
    }

    /// Returns the first level whose loops may be nested in any order: the coordinates of a level
    /// and the branchless levels below it are inserted together.
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
            if space.index_variables(block).iter().any(|v| basis.is_limited(*v)) {
                continue;
            }
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

    /// Adds the edges of loops over blocks to those within, and of loops over levels with one position
    /// each to those below whose positions are counted.
    fn add_limits(&mut self, kernel: &Kernel, space: &Space, basis: &Basis) {
        for v in self.variables.clone().into_iter().filter(|v| basis.is_limited(*v)) {
            let loops = basis.loops(v);
            for pair in loops.windows(2) {
                self.add_edge(pair[0], pair[1], &Reason::Block);
            }
            for block in basis.blocks_of(v) {
                let within = space.index_variables(block);
                within.iter().for_each(|v| self.add_edge(block, *v, &Reason::Block));
                for pair in within.windows(2) {
                    self.add_edge(pair[0], pair[1], &Reason::Block);
                }
                let positions = space.positions_of(block);
                let counted = positions.and_then(|v| space.counted_positions(kernel, v));
                let Some((access, [first, _])) = counted else { continue };
                let reason = Reason::Operand(access.clone());
                for level in 0..first {
                    let before = space.level_variable(kernel, access, level);
                    let before = before.map_or_else(Vec::new, |v| space.sources(basis, v));
                    before.iter().for_each(|before| self.add_edge(*before, block, &reason));
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

    /// Returns the loop orders that satisfy every edge, in order of preference.
    pub fn orders(&self) -> Vec<Vec<VariableId>> {
        let mut orders = Vec::new();
        // If one order exists, every prefix of an order can be completed.
        if self.has_order() {
            self.extend(&mut Vec::new(), &mut orders);
        }
        orders
    }

    /// Returns whether a loop order satisfies every edge.
    fn has_order(&self) -> bool {
        let mut order: Vec<VariableId> = Vec::new();
        while let Some(next) = self.variables.iter().find(|v| self.is_next(**v, &order)) {
            order.push(*next);
        }
        order.len() == self.variables.len()
    }

    /// Returns whether the loop over `v` may be nested directly within those of `order`.
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

    /// Returns the edges of a cycle, if there is one. A graph with a cycle has no loop order.
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

    /// Formats the graph, one edge per line: `i → j (A[i,j])`.
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

/// Formats the iteration graph of a program.
pub fn show(program: &Program) -> String {
    let graph = IterationGraph::of(program);
    graph.map_or_else(String::new, |graph| graph.show(&program.kernel))
}

/// Returns the variables that index operands of a precomputed part, but neither its workspace nor its
/// sums: it can only be filled within their loops.
fn enclosing(part: &Precomputed) -> Vec<VariableId> {
    let mut own = part.workspace.indices.clone();
    part.value.for_each_variable(&mut |v| own.push(v));
    let mut enclosing = Vec::new();
    part.value.for_each_access(&mut |access| enclosing.extend(&access.indices));
    enclosing.retain(|v| !own.contains(v));
    enclosing
}

/// Returns the last level of the result that is assembled in order.
pub fn last_appended(kernel: &Kernel) -> Option<usize> {
    kernel.tensor(kernel.result()).format.last_in_order()
}

/// Returns whether a result that is assembled in order takes its entries from blocks of positions: all
/// positions are one block, or each entry is appended on its own.
fn takes_blocks(kernel: &Kernel, space: &Space, result: &Access, block: VariableId) -> bool {
    let levels = &kernel.tensor(result.tensor).format.levels;
    let lists_entries = levels.split_first().is_some_and(|(first, below)| {
        !first.properties.unique && below.iter().all(|spec| spec.properties.branchless)
    });
    match space.positions_of(block) {
        Some(counted) => counted == block || lists_entries,
        None => false,
    }
}

/// Returns whether the coordinates of the ancestors determine the coordinate of this level, so that
/// it needs no loop if these are known.
pub fn is_implied(kernel: &Kernel, access: &Access, level: usize) -> bool {
    let spec = &kernel.tensor(access.tensor).format.levels[level];
    spec.properties.branchless && spec.level.is_implied()
}
