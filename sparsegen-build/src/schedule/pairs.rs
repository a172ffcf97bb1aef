//! `fuse(i, j, f)`: what a loop over pairs of coordinates must run for every pair.

use std::collections::{BTreeMap, BTreeSet};

use crate::concrete::space::Definition;
use crate::concrete::terms::additive_terms;
use crate::concrete::{Program, Stmt};
use crate::error::{Code, Diagnostic, Span};
use crate::iteration::graph::last_appended;
use crate::notation::schedule::Action;
use crate::notation::{
    Assignment, BinaryOp, Expr, Function, Kernel, ReduceOp, TensorId, VariableId,
};

/// Returns whether a loop over pairs of coordinates, or over blocks of them, runs a statement that
/// depends on one coordinate of a pair only, once for each of the others: `∀f y[i] += z[i]`. The same
/// holds for a reduction over one coordinate within another reduction, of which it has one pair.
pub(super) fn repeats(program: &Program) -> bool {
    let reductions = Reductions::of(&program.kernel);
    program.kernel.schedule.iter().any(|command| match command.action {
        Action::Fuse { parts, fused } => {
            let are_apart = reductions.are_apart(program, parts);
            let mut pairs = Pairs { program, parts, fused, are_apart, made: BTreeMap::new() };
            pairs.repeat(&program.body, &[], &BTreeSet::new())
        }
        _ => false,
    })
}

/// Returns the diagnostic for two variables that no loop over pairs can replace, given loops without
/// it.
pub(super) fn refuse(
    kernel: &Kernel,
    span: Span,
    parts: [VariableId; 2],
    before: &Program,
) -> Diagnostic {
    let [outer, inner] = parts.map(|v| kernel.variable(v).name.as_str());
    let Assignment { result, value } = &kernel.assignment;
    let [of_outer, of_inner] = parts.map(|v| before.space.index_variables(v));
    let depends = |term: &Expr, on: &[VariableId]| term.variables().iter().any(|v| on.contains(v));
    let of_one = additive_terms(value.clone()).into_iter().find_map(|term| {
        match (depends(&term, &of_outer), depends(&term, &of_inner)) {
            (true, false) => Some((term, inner)),
            (false, true) => Some((term, outer)),
            _ => None,
        }
    });
    let is_placed =
        || [&of_outer, &of_inner].into_iter().flatten().any(|v| result.indices.contains(v));
    let note = if last_appended(kernel).is_some() && is_placed() {
        let (result, format) = (kernel.show_access(result), &kernel.tensor(result.tensor).format);
        format!("`{result}` is assembled in order as `{format}`, by nested loops")
    } else if Reductions::of(kernel).are_apart(before, parts) {
        "one of the two belongs to a reduction that must be complete before its value is used"
            .to_owned()
    } else if let Some((term, other)) = of_one {
        format!("`{}` would be taken once for each `{other}`", kernel.show(&term))
    } else {
        "an operand stores one of the two in a level that is not visited by pairs".to_owned()
    };
    Diagnostic::new(Code::CannotFuse, span, format!("`{outer}` and `{inner}` cannot be fused"))
        .note(note)
        .help("remove the command")
}

/// The reductions of a value, by the variables that they bind. Those that can be computed as one have
/// the same number; the statement has the number 0, and so does a reduction that it accumulates.
#[derive(Default)]
struct Reductions {
    bound: BTreeMap<VariableId, BTreeSet<usize>>,
    count: usize,
}

/// The reduction that encloses a value: its number, and the operation by which it combines values;
/// `None` for the statement.
#[derive(Clone, Copy)]
struct Within {
    number: usize,
    op: Option<ReduceOp>,
}

impl Within {
    fn combines_by(&self, op: ReduceOp) -> bool {
        self.op.is_none_or(|own| own == op)
    }

    /// Returns whether the reduction of a value is computed from reductions of its operands.
    fn is_distributed_over(&self, value: &Expr) -> bool {
        match value {
            Expr::Neg(_) | Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..) => {
                self.combines_by(ReduceOp::SUM)
            }
            Expr::Binary(BinaryOp::Div, _, b) => {
                self.combines_by(ReduceOp::SUM) && b.as_literal().is_some()
            }
            Expr::Call(Function::Mask, _) => true,
            _ => false,
        }
    }
}

impl Reductions {
    fn of(kernel: &Kernel) -> Reductions {
        let mut reductions = Reductions::default();
        let statement = Within { number: 0, op: None };
        reductions.collect(&kernel.assignment.value, Some(statement));
        reductions
    }

    /// Returns whether two variables belong to different reductions. One of these uses values of the
    /// other.
    fn are_apart(&self, program: &Program, parts: [VariableId; 2]) -> bool {
        let [outer, inner] = parts.map(|part| self.binding(program, part));
        outer.zip(inner).is_some_and(|(outer, inner)| outer != inner)
    }

    /// Adds the reductions of a value, given the one that combines the value with others; `None` if a
    /// function computes something else of it.
    fn collect(&mut self, value: &Expr, within: Option<Within>) {
        if let Expr::Reduce(reduce) = value {
            let number = match within {
                Some(within) if within.combines_by(reduce.op) => within.number,
                _ => self.next(),
            };
            for v in &reduce.variables {
                self.bound.entry(*v).or_default().insert(number);
            }
            return self.collect(&reduce.body, Some(Within { number, op: Some(reduce.op) }));
        }
        let within = within.filter(|within| within.is_distributed_over(value));
        value.children().for_each(|child| self.collect(child, within));
    }

    fn next(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    /// Returns the reductions that bind a variable, or the one of which it is a block or an offset; `None`
    /// for slots, which no reduction binds.
    fn binding(&self, program: &Program, v: VariableId) -> Option<BTreeSet<usize>> {
        match program.space.definition(v) {
            Some(Definition::Computed(of)) => self.binding(program, *of.variables().next()?),
            Some(Definition::Slot(_)) => None,
            _ => Some(self.bound.get(&v).cloned().unwrap_or_else(|| [0].into())),
        }
    }
}

/// The pairs of coordinates of a loop.
struct Pairs<'p> {
    program: &'p Program,
    parts: [VariableId; 2],
    fused: VariableId,
    /// `true` if different reductions bind the parts.
    are_apart: bool,
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
            Stmt::Assign { target, accumulate, value } if is_within => {
                let mut variables = conditions.clone();
                self.depend(&Expr::Access(target.clone()), &mut variables);
                self.depend(value, &mut variables);
                let mut reads_made = false;
                value.for_each_access(&mut |of| reads_made |= self.made.contains_key(&of.tensor));
                let adds = accumulate.is_some() && matches!(value, Expr::Access(_));
                let is_repeated = !self.parts.iter().all(|part| self.is_among(*part, &variables))
                    || self.are_apart && reads_made && !adds;
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
        let mut own = value.variables();
        value.for_each_access(&mut |access| {
            own.extend(space.slots(access));
            variables.extend(self.made.get(&access.tensor).into_iter().flatten());
        });
        variables.extend(own.into_iter().flat_map(|v| [v, space.counted(v)]));
    }
}
