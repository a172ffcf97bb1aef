//! The user's schedule: commands restrict what is chosen, or replace it.
//!
//! A command never makes tensors be converted: only what is converted without a schedule may be. Each
//! kind of command has a file of its own, which says what it does and why it may be refused.

use super::convert::Conversion;
use super::cost::cost_of_conversions;
use super::{Candidate, WORTHWHILE, cheapest, refuse_result, term_by_term};
use super::{locate, merge, parallel, pos, precompute, reorder, split, unroll};
use crate::concrete::{Annotations, Program};
use crate::error::Diagnostic;
use crate::iteration::plan::Plan;
use crate::limits::Budget;
use crate::notation::schedule::{Action, Schedule};
use crate::notation::{Kernel, VariableId};

/// The cheapest loops that do what a kernel's schedule demands, given those without a schedule.
pub(super) fn apply(
    kernel: &Kernel,
    automatic: Candidate,
    budget: &Budget,
) -> Result<Candidate, Diagnostic> {
    if let Some(found) = demanded(kernel, &automatic, budget) {
        return Ok(found);
    }
    let mut before = automatic.clone();
    for count in 1..=kernel.schedule.len() {
        let kernel = first_commands(kernel, count);
        match demanded(&kernel, &automatic, budget) {
            Some(found) => before = found,
            None => return Err(refuse(&kernel, &before)),
        }
    }
    Ok(before)
}

/// A kernel with only the first commands of its schedule.
pub(super) fn first_commands(kernel: &Kernel, count: usize) -> Kernel {
    let mut kernel = kernel.clone();
    kernel.schedule.truncate(count);
    kernel
}

/// How the schedule wants the loop over a variable to run.
pub(super) fn annotations(schedule: &Schedule, variable: VariableId) -> Annotations {
    Annotations {
        strategy: merge::demanded(schedule, variable).unwrap_or_default(),
        located: locate::demanded(schedule, variable),
        strips: pos::strips(schedule, variable),
        unroll: unroll::demanded(schedule, variable),
    }
}

fn demanded(kernel: &Kernel, automatic: &Candidate, budget: &Budget) -> Option<Candidate> {
    let as_it_is = refuse_result(kernel).ok().and_then(|()| {
        cheapest(&Conversion::none(kernel), budget)
            .or_else(|| term_by_term(&Conversion::none(kernel), budget))
    });
    if automatic.way.count() == 0 {
        return as_it_is;
    }
    let mut way = automatic.way.clone();
    way.kernel.variables.clone_from(&kernel.variables);
    way.kernel.schedule.clone_from(&kernel.schedule);
    let limit = as_it_is.as_ref().map_or(f64::INFINITY, |found| found.cost / WORTHWHILE);
    let before = cost_of_conversions(&way);
    let converted = cheapest(&way, budget).filter(|found| before + found.cost < limit);
    converted.or(as_it_is)
}

/// Whether the loops do what every command demands that does not shape them.
pub(super) fn check(program: &Program, plan: &Plan) -> Result<(), Diagnostic> {
    for command in &program.kernel.schedule {
        match command.action {
            Action::Unroll { variable, .. } => {
                unroll::check(program, plan, command.span, variable)?;
            }
            Action::Pos { whole, tensor, .. } => {
                pos::check(program, plan, command.span, whole, tensor)?;
            }
            Action::Merge { variable, .. } => merge::check(program, plan, command.span, variable)?,
            Action::Locate { variable, tensor } => {
                locate::check(program, plan, command.span, variable, tensor)?;
            }
            Action::Parallelize(variable) => {
                parallel::check(program, plan, command.span, variable)?;
            }
            Action::Reorder(_)
            | Action::Split { .. }
            | Action::Divide { .. }
            | Action::Fuse { .. }
            | Action::Precompute { .. } => {}
        }
    }
    Ok(())
}

/// What the loops that there are without the last command have to say to it.
fn checked(kernel: &Kernel, before: &Candidate) -> Option<Diagnostic> {
    let mut program = before.program.clone();
    program.kernel.schedule.clone_from(&kernel.schedule);
    check(&program, &before.plan).err()
}

/// Why there are no loops that do what the last command of a kernel demands, where there are without
/// it.
fn refuse(kernel: &Kernel, before: &Candidate) -> Diagnostic {
    let Some(command) = kernel.schedule.last() else {
        return Diagnostic::new(kernel.span, "no loops do what the schedule demands");
    };
    match &command.action {
        Action::Reorder(variables) => reorder::refuse(kernel, command.span, variables, before),
        Action::Precompute { value, over, .. } => {
            precompute::refuse(kernel, command.span, value, *over, before)
        }
        Action::Split { whole, .. } | Action::Divide { whole, .. } => {
            split::refuse(kernel, command, *whole)
        }
        Action::Fuse { parts, .. } => split::refuse_fused(kernel, command, *parts),
        Action::Pos { .. }
        | Action::Unroll { .. }
        | Action::Parallelize(_)
        | Action::Merge { .. }
        | Action::Locate { .. } => {
            let message = "no loops do what this command demands";
            checked(kernel, before).unwrap_or_else(|| Diagnostic::new(command.span, message))
        }
    }
}
