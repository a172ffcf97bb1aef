//! `locate(j, A)`: the tensor is looked up at each coordinate of the loop, and not iterated.
//!
//! The merge lattice excludes its levels from the drivers of the loop; if the other drivers do not
//! visit every region, the loop iterates over the whole dimension.

use super::commands::innermost;
use crate::concrete::Program;
use crate::error::{Code, Diagnostic, Span};
use crate::iteration::plan::Plan;
use crate::notation::schedule::Action;
use crate::notation::{TensorId, VariableId};

/// Returns the tensors that the schedule locates in the loop over a variable.
pub(super) fn demanded(program: &Program, variable: VariableId) -> Vec<TensorId> {
    let demanded = program.kernel.schedule.iter().filter_map(|command| {
        let Action::Locate { variable: v, tensor } = command.action else { return None };
        (innermost(program, v) == variable).then_some(tensor)
    });
    demanded.collect()
}

/// Checks that a tensor can be looked up in every loop over a variable.
pub(super) fn check(
    program: &Program,
    plan: &Plan,
    span: Span,
    variable: VariableId,
    tensor: TensorId,
) -> Result<(), Diagnostic> {
    let variable = innermost(program, variable);
    let mut found = false;
    let mut walked = None;
    plan.for_each_loop(&mut |inner| {
        for iterator in inner.iterators.iter().filter(|_| inner.variable == variable) {
            if program.kernel.passed_as(iterator.access.tensor) != tensor {
                continue;
            }
            found = true;
            if !iterator.can_locate(program) {
                walked = Some((iterator.level, iterator.spec(program).level.name().to_owned()));
            }
        }
    });
    let name = &program.tensor(tensor).name;
    let v = &program.kernel.variable(variable).name;
    let diagnostic = Diagnostic::new(
        Code::CannotLocate,
        span,
        format!("`{name}` cannot be located in the loop over `{v}`"),
    );
    match walked {
        Some((level, kind)) => Err(diagnostic
            .note(format!("its level {} is `{kind}`, which does not support lookup", level + 1))
            .help(format!("store `{name}` in a format whose level there supports lookup"))),
        None if !found => Err(diagnostic
            .note("no level of it is resolved in that loop")
            .help("use the loop over a variable that indexes it")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::level::Levels;
    use crate::schedule::schedule;
    use crate::testing::{loops, scheduled_kernel};

    /// Returns the plan of a product of vectors.
    fn planned(tensors: &str, commands: &[&str]) -> String {
        let kernel = scheduled_kernel("t = x[i] * y[i]", tensors, commands);
        let (program, plan) = schedule(&kernel, &Levels::default()).expect("a schedule");
        plan.show(&program)
    }

    #[test]
    fn what_is_located_does_not_drive() {
        let hashed = "x = 'hash_vector', y = 'hash_vector'";
        assert!(planned(hashed, &["locate(i, x)"]).contains("∀i over y1, locate x1"));
        assert!(planned(hashed, &["locate(i, y)"]).contains("∀i over x1, locate y1"));
        let both = planned(hashed, &["locate(i, x)", "locate(i, y)"]);
        assert!(both.contains("∀i over the dimension, locate x1, y1"), "{both}");
    }

    #[test]
    fn what_has_no_random_access_is_not_located() {
        assert_eq!(
            loops("t = x[i] * y[i]", "x = 'sparse_vector', y = 'dense'", &["locate(i, x)"]),
            "`x` cannot be located in the loop over `i`; its level 1 is `compressed`, which \
             does not support lookup"
        );
    }
}
