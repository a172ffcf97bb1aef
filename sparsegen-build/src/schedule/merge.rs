//! `merge(j, gallop)`: the loop intersects two operands by exponential search.
//!
//! The operand that is behind advances in steps that double, followed by bisection (Bentley and Yao
//! 1976): if one list is short, few entries of the other one are visited. Entries of only one
//! operand are skipped, so the loop must have no effect there.

use super::commands::innermost;
use crate::concrete::Program;
use crate::error::{Code, Diagnostic, Span, quoted};
use crate::iteration::iterator::LevelIterator;
use crate::iteration::lattice::Set;
use crate::iteration::plan::{Loop, Plan};
use crate::notation::VariableId;
use crate::notation::schedule::{Action, Strategy};

/// Returns the strategy of the loop over a variable in the schedule.
pub(super) fn demanded(program: &Program, variable: VariableId) -> Option<Strategy> {
    program.kernel.schedule.iter().find_map(|command| {
        let Action::Merge { variable: v, strategy } = command.action else { return None };
        (innermost(program, v) == variable).then_some(strategy)
    })
}

/// Checks that every loop over a variable supports the strategy.
pub(super) fn check(
    program: &Program,
    plan: &Plan,
    span: Span,
    variable: VariableId,
) -> Result<(), Diagnostic> {
    let variable = innermost(program, variable);
    if demanded(program, variable) != Some(Strategy::Gallop) {
        return Ok(());
    }
    let mut obstacles = Vec::new();
    let mut loops = 0;
    plan.for_each_loop(&mut |inner| {
        if inner.variable == variable {
            loops += 1;
            obstacles.extend(obstacle(program, inner));
        }
    });
    let name = &program.kernel.variable(variable).name;
    if loops == 0 {
        obstacles.push(format!("there is none: `{name}` is determined by the enclosing loops"));
    }
    match obstacles.into_iter().next() {
        Some(obstacle) => Err(Diagnostic::new(
            Code::CannotGallop,
            span,
            format!("the loop over `{name}` cannot gallop"),
        )
        .note(obstacle)
        .help(format!("write `merge({name}, walk)`, or remove the command"))),
        None => Ok(()),
    }
}

/// Returns why a loop is not an intersection of two lists.
fn obstacle(program: &Program, inner: &Loop) -> Option<String> {
    let drivers = inner.points.iter().fold(Set::EMPTY, |all, point| all.union(point.drivers));
    let mut names: Vec<&str> = Vec::new();
    for member in drivers.members() {
        let name = program.tensor(inner.iterators[member].access.tensor).name.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let [point] = &inner.points[..] else {
        return Some(format!("it visits entries of only one of {}", quoted(&names)));
    };
    let pair: Vec<&LevelIterator> =
        drivers.members().map(|member| &inner.iterators[member]).collect();
    if pair.len() < 2 || point.by_dimension {
        return Some("it does not merge two operands, but iterates over one".to_owned());
    }
    if pair.len() > 2 {
        return Some(format!("it merges more than two operands: {}", quoted(&names)));
    }
    let located = point.located.members().map(|member| &inner.iterators[member]);
    let mut may_lack = located.filter(|iterator| !iterator.is_full(program));
    if may_lack.next().is_some() || !matches!(point.cases[..], [(set, _)] if set == drivers) {
        return Some(format!("it does not only visit the common entries of {}", quoted(&names)));
    }
    let scattered = pair.into_iter().find(|iterator| !is_plain_list(program, iterator))?;
    let level = scattered.spec(program).level.name();
    let name = &program.tensor(scattered.access.tensor).name;
    Some(format!("`{name}` has a `{level}` level there, which is not a sorted list"))
}

/// Returns whether a level stores its coordinates in increasing order, at consecutive positions.
fn is_plain_list(program: &Program, iterator: &LevelIterator) -> bool {
    let spec = iterator.spec(program);
    let is_plain = spec
        .level
        .position_iteration()
        .is_some_and(|iteration| iteration.carried().is_empty() && iteration.groups().is_none());
    is_plain
        && spec.properties.unique
        && iterator.conversions.is_empty()
        && iterator.walks(program)
        && iterator.waiting_are_full(program)
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn only_intersections_of_lists_gallop() {
        let vectors = "x = 'sparse_vector', y = 'sparse_vector'";
        let gallop = &["merge(i, gallop)"];
        let dot = loops("t = x[i] * y[i]", vectors, gallop);
        assert_eq!(dot, "t = sum where ∀i⟨gallop⟩ sum += x[i] * y[i]");
        assert_eq!(
            loops("t = sum[i](x[i] + y[i])", vectors, gallop),
            "the loop over `i` cannot gallop; it visits entries of only one of `x` and `y`"
        );
        assert_eq!(
            loops("t = x[i] * y[i]", "x = 'sparse_vector', y = 'dense'", gallop),
            "the loop over `i` cannot gallop; it does not merge two operands, but iterates over one"
        );
    }
}
