//! The user's schedule: commands restrict the automatic choice, or replace it.
//!
//! A command never causes a conversion: only conversions that are possible without a schedule are
//! considered. Each kind of command has a module of its own, with its effect and its errors.

use super::convert::Conversion;
use super::cost::cost_of_conversions;
use super::nest::{Sums, nest};
use super::refuse::contradictions;
use super::terms::term_by_term;
use super::{Candidate, WORTHWHILE, cheapest, counted, refuse_result, scattered, starts};
use super::{locate, merge, pairs, parallel, pos, precompute, reorder, split, unroll};
use crate::concrete::space::{Basis, Space};
use crate::concrete::{Annotations, Program};
use crate::error::{Code, Diagnostic};
use crate::iteration::graph::IterationGraph;
use crate::iteration::plan::{Plan, plan};
use crate::limits::Budget;
use crate::notation::schedule::{Action, Command};
use crate::notation::{Expr, Kernel, TensorId, VariableId, VariableRole};

/// Returns the cheapest loops that obey a kernel's schedule, given those without a schedule.
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

/// Returns a kernel with only the first commands of its schedule.
pub(super) fn first_commands(kernel: &Kernel, count: usize) -> Kernel {
    let mut kernel = kernel.clone();
    kernel.schedule.truncate(count);
    kernel
}

/// Returns the annotations that the schedule adds to the loop over a variable.
pub(super) fn annotations(program: &Program, variable: VariableId) -> Annotations {
    Annotations {
        strategy: merge::demanded(program, variable).unwrap_or_default(),
        located: locate::demanded(program, variable),
        unroll: unroll::demanded(program, variable),
    }
}

/// Returns whether a basis has the loops over variables of levels that the schedule names.
pub(super) fn has_loops(kernel: &Kernel, space: &Space, basis: &Basis) -> bool {
    let named = kernel.schedule.iter().flat_map(|command| command.action.names());
    named
        .into_iter()
        .all(|v| kernel.variable(*v).role != VariableRole::Stored || space.has_loops(basis, *v))
}

/// Returns the innermost loop that a command means by a variable.
pub(super) fn innermost(program: &Program, named: VariableId) -> VariableId {
    let loops = program.space.loops_named(&program.basis, named);
    loops.last().copied().unwrap_or(named)
}

fn demanded(kernel: &Kernel, automatic: &Candidate, budget: &Budget) -> Option<Candidate> {
    let as_it_is = refuse_result(kernel).ok().and_then(|()| {
        cheapest(&Conversion::none(kernel), budget)
            .or_else(|| term_by_term(&Conversion::none(kernel), budget))
            .or_else(|| scattered(kernel, budget))
    });
    let as_it_is = as_it_is.or_else(|| counted(kernel, budget));
    if automatic.conversion.count() == 0 {
        return as_it_is;
    }
    let conversion = with_commands_of(&automatic.conversion, kernel);
    let limit = as_it_is.as_ref().map_or(f64::INFINITY, |found| found.cost / WORTHWHILE);
    let before = cost_of_conversions(&conversion);
    let converted = cheapest(&conversion, budget).filter(|found| before + found.cost < limit);
    converted.or(as_it_is)
}

/// Returns a conversion with the schedule of a kernel, and the variables that it names.
fn with_commands_of(conversion: &Conversion, kernel: &Kernel) -> Conversion {
    let mut conversion = conversion.clone();
    conversion.kernel.variables.clone_from(&kernel.variables);
    conversion.kernel.schedule.clone_from(&kernel.schedule);
    conversion
}

/// Checks that the loops obey the commands that do not change their structure.
pub(super) fn check(program: &Program, plan: &Plan) -> Result<(), Diagnostic> {
    for command in &program.kernel.schedule {
        match command.action {
            Action::Unroll { variable, .. } => {
                unroll::check(program, plan, command.span, variable)?;
            }
            Action::Pos { position, .. } => pos::check(program, plan, command.span, position)?,
            Action::Fuse { fused, .. } => pos::check(program, plan, command.span, fused)?,
            Action::Split { whole, .. } | Action::Divide { whole, .. } => {
                split::check(program, plan, command.span, whole)?;
            }
            Action::Merge { variable, .. } => merge::check(program, plan, command.span, variable)?,
            Action::Locate { variable, tensor } => {
                locate::check(program, plan, command.span, variable, tensor)?;
            }
            Action::Parallelize(variable) => {
                parallel::check(program, plan, command.span, variable)?;
            }
            Action::Reorder(_) | Action::Precompute { .. } => {}
        }
    }
    Ok(())
}

/// Checks the last command against the loops without it.
fn checked(kernel: &Kernel, before: &Candidate) -> Option<Diagnostic> {
    let mut program = before.program.clone();
    program.kernel.schedule.clone_from(&kernel.schedule);
    check(&program, &before.plan).err()
}

/// Returns the diagnostic for a command that names a variable of a level for which no loops are
/// possible.
fn without_loop(
    kernel: &Kernel,
    command: &Command<VariableId, TensorId, Expr>,
) -> Option<Diagnostic> {
    let mut names = command.action.names().into_iter();
    let v = names.find(|v| kernel.variable(**v).role == VariableRole::Stored)?;
    if !starts(&Conversion::none(kernel)).is_empty() {
        return None;
    }
    let name = &kernel.variable(*v).name;
    let message = format!("there is no loop over `{name}`");
    let note =
        format!("`{name}` is stored by a level, and computed in the loops that are possible");
    Some(
        Diagnostic::new(Code::UnknownLoop, command.span, message)
            .note(note)
            .help("name one of the other loops"),
    )
}

/// Returns the diagnostic for blocks that the loops with the least cost cannot have, if there are
/// loops.
fn obstacle(kernel: &Kernel) -> Option<Diagnostic> {
    let starts = starts(&Conversion::none(kernel)).into_iter();
    // Without such an operand, the reason is the one for loops over pairs of coordinates.
    let has_positions = |start: &Program| {
        let counted = |v| start.space.counted_positions(&start.kernel, v).is_some();
        kernel.schedule.iter().all(|command| match command.action {
            Action::Fuse { fused, .. } if start.space.positions_of(fused) == Some(fused) => {
                counted(fused)
            }
            _ => true,
        })
    };
    violated(starts.filter(|start| start.basis.has_limits() && has_positions(start)))
}

/// Returns the first error of loops that do not obey the schedule.
fn violated(mut starts: impl Iterator<Item = Program>) -> Option<Diagnostic> {
    let budget = Budget::default();
    starts.find_map(|start| {
        let graph = IterationGraph::of(&start)?;
        graph.orders().into_iter().find_map(|order| {
            let program = nest(start.clone(), &order, Sums::Temporary)?;
            let plan = plan(&program, &budget).ok()?;
            check(&program, &plan).err()
        })
    })
}

/// Returns the diagnostic for a last command that no loops can obey, although some obey the others.
fn refuse(kernel: &Kernel, before: &Candidate) -> Diagnostic {
    let Some(command) = kernel.schedule.last() else {
        return Diagnostic::new(Code::NoLoops, kernel.span, "no loops obey the schedule");
    };
    if let Some(reason) = without_loop(kernel, command).or_else(|| obstacle(kernel)) {
        return reason;
    }
    match &command.action {
        Action::Reorder(variables) => reorder::refuse(kernel, command.span, variables, before),
        Action::Precompute { value, over, .. } => {
            precompute::refuse(kernel, command.span, value, over, before)
        }
        Action::Split { whole, .. } | Action::Divide { whole, .. } => {
            split::refuse(kernel, command, *whole)
        }
        Action::Fuse { parts, .. } => pairs::refuse(kernel, command.span, *parts, &before.program),
        Action::Pos { .. }
        | Action::Unroll { .. }
        | Action::Parallelize(_)
        | Action::Merge { .. }
        | Action::Locate { .. } => {
            let conversion = with_commands_of(&before.conversion, kernel);
            let checked = checked(kernel, before);
            checked.or_else(|| violated(starts(&conversion).into_iter())).unwrap_or_else(|| {
                let message = "no loops obey this command";
                let diagnostic = Diagnostic::new(Code::NoLoops, command.span, message)
                    .help("remove the command, or store an operand in another format");
                contradictions(&conversion).into_iter().fold(diagnostic, Diagnostic::note)
            })
        }
    }
}
