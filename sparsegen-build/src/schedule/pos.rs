//! `pos(j, jp, A)`: the loop iterates over the positions of a tensor.
//!
//! A loop with a single compressed level as driver does so anyway. Its positions can be split into
//! blocks of equal numbers of entries, while its coordinates cannot.

use super::split;
use crate::concrete::{Program, Strips};
use crate::error::{Diagnostic, Span};
use crate::iteration::plan::{Loop, Plan};
use crate::notation::schedule::{Action, Schedule};
use crate::notation::{TensorId, VariableId};

/// Returns the variable that the schedule defines for the positions of another variable's
/// coordinates.
fn position_of(schedule: &Schedule, variable: VariableId) -> Option<VariableId> {
    schedule.iter().find_map(|command| {
        let Action::Pos { whole, position, .. } = command.action else { return None };
        (whole == variable).then_some(position)
    })
}

/// Returns the blocks of a variable's positions, if the schedule splits them.
pub(super) fn strips(schedule: &Schedule, variable: VariableId) -> Option<Strips> {
    let position = position_of(schedule, variable)?;
    schedule.iter().find_map(|command| {
        let (whole, [block, place], size) = split::blocks(&command.action)?;
        (whole == position).then_some(Strips { block, place, size })
    })
}

/// Returns the variable of a loop: that of the coordinates, if `named` ranges over positions or
/// blocks of them.
pub(super) fn loop_of(schedule: &Schedule, named: VariableId) -> VariableId {
    let means = |variable: &VariableId| {
        let strips = strips(schedule, *variable);
        position_of(schedule, *variable) == Some(named)
            || strips.is_some_and(|strips| named == strips.block || named == strips.place)
    };
    let wholes = schedule.iter().flat_map(|command| command.action.replaces()).copied();
    wholes.into_iter().find(means).unwrap_or(named)
}

/// Returns whether a variable counts blocks of positions.
pub(super) fn is_block(schedule: &Schedule, named: VariableId) -> bool {
    strips(schedule, loop_of(schedule, named)).is_some_and(|strips| strips.block == named)
}

/// Checks that the positions of a tensor alone drive every loop over a variable.
pub(super) fn check(
    program: &Program,
    plan: &Plan,
    span: Span,
    variable: VariableId,
    tensor: TensorId,
) -> Result<(), Diagnostic> {
    let mut obstacles = Vec::new();
    let name = &program.tensor(tensor).name;
    let v = &program.kernel.variable(variable).name;
    let mut loops = 0;
    plan.for_each_loop(&mut |inner| {
        if inner.variable == variable {
            loops += 1;
            obstacles.extend(obstacle(program, inner, tensor));
        }
    });
    if loops == 0 {
        obstacles.push(format!("there is no loop over `{v}`"));
    }
    let message = format!("the loop over `{v}` does not iterate over the positions of `{name}`");
    match obstacles.into_iter().next() {
        Some(obstacle) => Err(Diagnostic::new(span, message)
            .note(obstacle)
            .help("use the tensor whose entries alone drive the loop, or remove the command")),
        None => Ok(()),
    }
}

/// Returns why a loop does not iterate over the positions of a tensor.
fn obstacle(program: &Program, inner: &Loop, tensor: TensorId) -> Option<String> {
    let name = &program.tensor(tensor).name;
    let drivers: Vec<_> = inner
        .points
        .iter()
        .flat_map(|point| point.drivers.members())
        .map(|driver| &inner.iterators[driver])
        .collect();
    let [driver] = drivers[..] else {
        return Some(format!("`{name}` is not its only driver"));
    };
    if program.kernel.passed_as(driver.access.tensor) != tensor {
        let other = &program.tensor(driver.access.tensor).name;
        return Some(format!("its driver is `{other}`"));
    }
    let spec = driver.spec(program);
    let plain = spec
        .level
        .position_iteration()
        .is_some_and(|iteration| iteration.carried().is_empty() && iteration.groups().is_none());
    if !plain || spec.properties.branchless {
        let level = spec.level.name();
        return Some(format!("the `{level}` level of `{name}` has no range of positions there"));
    }
    (!driver.conversions.is_empty())
        .then(|| format!("`{name}` may store a coordinate more than once, or unordered"))
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn positions_are_those_of_the_driver() {
        let spmv = "y[i] = A[i,j] * x[j]";
        let csr = "y = 'dense', A = 'csr', x = 'dense'";
        let commands = ["pos(j, jp, A)", "split(jp, jo, ji, 8)", "unroll(ji, 4)"];
        for (count, annotations) in [(1, ""), (2, "⟨strips of 8⟩"), (3, "⟨strips of 8, unroll 4⟩")]
        {
            let expected = format!("∀i (y[i] = sum where ∀j{annotations} sum += A[i,j] * x[j])");
            assert_eq!(loops(spmv, csr, &commands[..count]), expected);
        }
        let not = "the loop over `j` does not iterate over the positions of `x`; ";
        assert_eq!(loops(spmv, csr, &["pos(j, jp, x)"]), format!("{not}its driver is `A`"));
        let dense = "y = 'dense', A = 'dense', x = 'dense'";
        assert!(
            loops(spmv, dense, &["pos(j, jp, A)"]).contains("does not iterate over the positions")
        );
    }
}
