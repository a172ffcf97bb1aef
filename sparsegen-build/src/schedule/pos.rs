//! `pos(j, jp, A)`: the loop runs over the positions of what a tensor stores.
//!
//! A loop that one compressed level drives does so anyway. Under the name of its positions it can be
//! split, in blocks of as many entries each, where its coordinates cannot.

use super::split;
use crate::concrete::{Program, Strips};
use crate::error::{Diagnostic, Span};
use crate::iteration::plan::{Loop, Plan};
use crate::notation::schedule::{Action, Schedule};
use crate::notation::{TensorId, VariableId};

/// The variable that the schedule has run over the positions of another one's coordinates, if any.
fn position_of(schedule: &Schedule, variable: VariableId) -> Option<VariableId> {
    schedule.iter().find_map(|command| {
        let Action::Pos { whole, position, .. } = command.action else { return None };
        (whole == variable).then_some(position)
    })
}

/// The blocks in which a variable's positions are visited, if the schedule splits them.
pub(super) fn strips(schedule: &Schedule, variable: VariableId) -> Option<Strips> {
    let position = position_of(schedule, variable)?;
    schedule.iter().find_map(|command| {
        let (whole, [block, place], size) = split::blocks(&command.action)?;
        (whole == position).then_some(Strips { block, place, size })
    })
}

/// The variable whose loop is meant: that of the coordinates, where positions or blocks of them are
/// named.
pub(super) fn loop_of(schedule: &Schedule, named: VariableId) -> VariableId {
    let means = |variable: &VariableId| {
        let strips = strips(schedule, *variable);
        position_of(schedule, *variable) == Some(named)
            || strips.is_some_and(|strips| named == strips.block || named == strips.place)
    };
    let wholes = schedule.iter().flat_map(|command| command.action.replaces()).copied();
    wholes.into_iter().find(means).unwrap_or(named)
}

/// Whether a variable counts blocks of positions.
pub(super) fn is_block(schedule: &Schedule, named: VariableId) -> bool {
    strips(schedule, loop_of(schedule, named)).is_some_and(|strips| strips.block == named)
}

/// Whether a tensor's positions alone drive every loop over a variable.
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
    let message = format!("the loop over `{v}` does not run over the positions of `{name}`");
    match obstacles.into_iter().next() {
        Some(obstacle) => Err(Diagnostic::new(span, message)
            .note(obstacle)
            .help("name the tensor whose entries alone drive the loop, or leave it out")),
        None => Ok(()),
    }
}

/// Why a loop does not run over the positions of a tensor.
fn obstacle(program: &Program, inner: &Loop, tensor: TensorId) -> Option<String> {
    let name = &program.tensor(tensor).name;
    let drivers: Vec<_> = inner
        .points
        .iter()
        .flat_map(|point| point.drivers.members())
        .map(|driver| &inner.iterators[driver])
        .collect();
    let [driver] = drivers[..] else {
        return Some(format!("`{name}` does not drive it alone"));
    };
    if program.kernel.passed_as(driver.access.tensor) != tensor {
        let other = &program.tensor(driver.access.tensor).name;
        return Some(format!("`{other}` drives it"));
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
        .then(|| format!("`{name}` may store a coordinate more than once, or in no order"))
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
        let not = "the loop over `j` does not run over the positions of `x`; ";
        assert_eq!(loops(spmv, csr, &["pos(j, jp, x)"]), format!("{not}`A` drives it"));
        let dense = "y = 'dense', A = 'dense', x = 'dense'";
        assert!(loops(spmv, dense, &["pos(j, jp, A)"]).contains("does not run over the positions"));
    }
}
