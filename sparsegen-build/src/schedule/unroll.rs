//! `unroll(j, 4)`: runs four iterations at a time.
//!
//! Only a loop that counts coordinates or positions knows the number of remaining iterations. A
//! pass over the imperative representation duplicates the body.

use super::commands::innermost;
use crate::concrete::Program;
use crate::error::{Code, Diagnostic, Span, quoted};
use crate::iteration::iterator::Conversion;
use crate::iteration::plan::{Loop, Plan};
use crate::notation::VariableId;
use crate::notation::schedule::Action;

/// Returns the number of iterations at a time for the loop over a variable in the schedule.
pub(super) fn demanded(program: &Program, variable: VariableId) -> Option<u64> {
    program.kernel.schedule.iter().find_map(|command| {
        let Action::Unroll { variable: v, by } = command.action else { return None };
        (unrolled(program, v) == variable).then_some(by)
    })
}

/// Returns the loop that a command unrolls: the innermost one, except those over levels with a single
/// position for each one above.
fn unrolled(program: &Program, named: VariableId) -> VariableId {
    let innermost = innermost(program, named);
    let counted = program.space.positions_of(named);
    let positions = counted.and_then(|v| program.space.counted_positions(&program.kernel, v));
    let Some((access, [first, last])) = positions.filter(|_| named != innermost) else {
        return innermost;
    };
    let levels = &program.tensor(access.tensor).format.levels;
    let mut branching = (first..=last).rev();
    let level = branching.find(|level| *level == first || !levels[*level].properties.branchless);
    level.and_then(|level| program.level_variable(access, level)).unwrap_or(innermost)
}

/// Checks that every loop over a variable can be unrolled.
pub(super) fn check(
    program: &Program,
    plan: &Plan,
    span: Span,
    variable: VariableId,
) -> Result<(), Diagnostic> {
    let unrolled = unrolled(program, variable);
    let mut reason = None;
    let mut loops = 0;
    plan.for_each_loop(&mut |inner| {
        if inner.variable == unrolled {
            loops += 1;
            reason = reason.take().or_else(|| obstacle(program, inner));
        }
    });
    let name = &program.kernel.variable(variable).name;
    let diagnostic = Diagnostic::new(
        Code::CannotUnroll,
        span,
        format!("the loop over `{name}` cannot be unrolled"),
    );
    match reason {
        Some(reason) => {
            Err(diagnostic.note(reason).help("unroll another loop, or remove the command"))
        }
        None if loops == 0 => Err(diagnostic
            .note(format!("there is none: `{name}` is determined by the enclosing loops"))
            .help("unroll one of those, or remove the command")),
        None => Ok(()),
    }
}

/// Returns why a loop does not count coordinates or positions.
fn obstacle(program: &Program, inner: &Loop) -> Option<String> {
    let names: Vec<&str> = inner
        .points
        .iter()
        .flat_map(|point| point.drivers.members())
        .map(|driver| program.tensor(inner.iterators[driver].access.tensor).name.as_str())
        .collect();
    let merges = inner.points.len() > 1
        || inner.points.iter().any(|point| {
            point.drivers.len() + usize::from(point.by_dimension && !point.drivers.is_empty()) > 1
        });
    if merges {
        let mut names = names;
        names.sort_unstable();
        names.dedup();
        return Some(format!("it merges {}", quoted(&names)));
    }
    let driver = inner.points.first()?.drivers.members().next()?;
    let iterator = &inner.iterators[driver];
    let name = &program.tensor(iterator.access.tensor).name;
    if iterator.conversions.contains(&Conversion::Dedup) {
        return Some(format!(
            "`{name}` may store a coordinate more than once, and duplicates are visited together"
        ));
    }
    let is_single = iterator.spec(program).properties.branchless;
    is_single.then(|| format!("`{name}` has a single coordinate for each parent"))
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn only_loops_that_count_are_unrolled() {
        let csr = "y = 'dense', A = 'csr', x = 'dense'";
        let spmv = "y[i] = A[i,j] * x[j]";
        for command in ["unroll(j, 4)", "unroll(i, 2)"] {
            assert!(loops(spmv, csr, &[command]).starts_with('∀'));
        }
        assert_eq!(
            loops("C[i,j] = A[i,j] + B[i,j]", "C = 'csr', A = 'csr', B = 'csr'", &["unroll(j, 4)"]),
            "the loop over `j` cannot be unrolled; it merges `A` and `B`"
        );
        assert_eq!(
            loops(spmv, "y = 'dense', A = 'coo', x = 'dense'", &["unroll(j, 4)"]),
            "the loop over `j` cannot be unrolled; \
             `A` has a single coordinate for each parent"
        );
    }
}
