//! Diagnostics for kernels that have no loops: results that cannot be assembled, statements that are
//! too large, and formats that contradict each other.

use super::convert::Conversion;
use super::starts;
use crate::error::{Code, Diagnostic, Span};
use crate::format::LevelSpec;
use crate::iteration::graph::{Edge, IterationGraph, Reason};
use crate::limits::{self, Budget, Limit};
use crate::notation::Kernel;

/// Checks that the result can be assembled: by inserting, or by appending, with the coordinates of
/// branchless levels appended together with those of the level above.
pub(super) fn refuse_result(kernel: &Kernel) -> Result<(), Diagnostic> {
    let result = kernel.tensor(kernel.result());
    let refuse = |level: usize, reason: String, help: &str| {
        let name = result.format.levels[level].level.name();
        Err(Diagnostic::new(
            Code::NoLoops,
            result.span,
            format!("`{}` cannot be assembled", result.name),
        )
        .label(format!("a result in the format `{}`", result.format))
        .note(format!("its level {} is `{name}`, {reason}", level + 1))
        .help(help))
    };
    let is_placed = result.format.placed().is_some();
    if is_placed && kernel.unassigned.is_zero() && !kernel.is_partial() {
        return Ok(());
    }
    let has_arrays = |spec: &LevelSpec| !spec.level.arrays().is_empty();
    for (k, spec) in result.format.levels.iter().enumerate() {
        let is_leaf = k + 1 == result.format.levels.len();
        if !spec.properties.padded
            && !is_leaf
            && result.format.levels[k + 1].level.insert().is_some()
        {
            let reason = "which drops parts that are zero as a whole".to_owned();
            return refuse(k, reason, "choose a format for the result that stores zeros");
        }
        let help = "choose a format for the result that can be assembled";
        if spec.level.insert().is_some() {
            if !spec.properties.padded {
                let reason = "which has a position for every coordinate, but must not store zeros"
                    .to_owned();
                return refuse(k, reason, "choose a format for the result that stores zeros");
            }
            let below = &result.format.levels[k + 1..];
            let appends = below.iter().any(|spec| spec.level.insert().is_none());
            let stays = |spec: &LevelSpec| has_arrays(spec) && spec.level.numbers().is_empty();
            let moves = !spec.level.numbers().is_empty() && below.iter().any(stays);
            if !spec.properties.full && (appends || moves) {
                return refuse(k, "which stores coordinates before those below".to_owned(), help);
            }
            if !spec.properties.full && !kernel.unassigned.is_zero() {
                return refuse(k, "whose values start at zero".to_owned(), help);
            }
            continue;
        }
        let Some(append) = spec.level.append() else {
            return refuse(k, "which neither inserts nor appends".to_owned(), help);
        };
        if !spec.level.numbers().is_empty() {
            return refuse(k, "whose storage depends on the number of entries".to_owned(), help);
        }
        let below = &result.format.levels[k + 1..];
        if append.scatter().is_some() && below.iter().any(has_arrays) {
            return refuse(k, "which moves coordinates with those below".to_owned(), help);
        }
        if !is_leaf && !append.counts_by_length() {
            return refuse(k, "which must be the last level to count its entries".to_owned(), help);
        }
        if spec.properties.full && !spec.properties.padded {
            let reason = "which has every coordinate, but must not store zeros".to_owned();
            return refuse(k, reason, "choose a format for the result that stores zeros");
        }
        if !spec.properties.branchless {
            continue;
        }
        let above = k.checked_sub(1).map(|above| &result.format.levels[above]);
        match above {
            Some(above) if above.level.insert().is_none() && !above.properties.unique => {}
            Some(above) => {
                let reason = format!(
                    "which holds one coordinate for each of the `{}` level above, where the \
                     result may have several",
                    above.level.name()
                );
                let help = "declare the level above `nonunique`, or choose a branching level here";
                return refuse(k, reason, help);
            }
            None => {
                let reason = "which stores a single coordinate here".to_owned();
                return refuse(k, reason, "choose a branching level here");
            }
        }
    }
    Ok(())
}

/// Returns the diagnostic for a statement that is too large, with the operands that one loop
/// merges.
pub(super) fn refuse_large(kernel: &Kernel, budget: &Budget, limit: Limit) -> Diagnostic {
    let largest = budget.largest();
    let operands = largest.as_ref().map_or(&[][..], |merge| &merge.operands);
    let spans = operands.iter().map(|(_, span)| *span);
    let span = spans.reduce(Span::to).unwrap_or(kernel.span);
    let mut names: Vec<String> = Vec::new();
    for (name, _) in operands {
        let name = format!("`{name}`");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let variable = largest.as_ref().map(|merge| &merge.variable);
    let diagnostic = match (limit, variable) {
        (Limit::Operands, Some(variable)) => Diagnostic::new(
            Code::TooLarge,
            span,
            format!("too many sparse operands meet in the loop over `{variable}`"),
        )
        .label(format!("{} of them", operands.len())),
        (Limit::Operands | Limit::Code, _) => {
            Diagnostic::new(Code::TooLarge, span, "the loops of this statement would be too large")
                .label(format!("more than {} parts of code", limits::CODE))
        }
        (Limit::Steps, _) => Diagnostic::new(
            Code::TooLarge,
            span,
            "it would take too long to choose the loops of this statement",
        )
        .label(format!("more than {} steps", limits::STEPS)),
    };
    let diagnostic = match (variable, &names[..]) {
        (Some(variable), [_, _, ..]) => diagnostic.note(format!(
            "the loop over `{variable}` merges {}, and needs code for each set of them that may \
             have an entry",
            names.join(", ")
        )),
        (Some(_) | None, _) => diagnostic,
    };
    diagnostic.help(
        "compute parts of the expression in kernels of their own, or store operands in formats \
         such as `dense`, which need not be merged",
    )
}

/// Returns the diagnostic for a kernel without a valid order, with the cycle of the iteration
/// graph.
pub(super) fn refuse_orders(kernel: &Kernel) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(Code::NoLoops, kernel.span, "no loop order can traverse all operands")
            .label("not even with converted operands")
            .help(
                "compute a part of it in a separate kernel, or store an operand in another order",
            );
    contradictions(&Conversion::none(kernel)).into_iter().fold(diagnostic, Diagnostic::note)
}

/// Returns which loops exclude each other, if no order of the loops is valid.
pub(super) fn contradictions(conversion: &Conversion) -> Vec<String> {
    // The variables of blocks and diagonals are those of a start.
    let starts = starts(conversion);
    let mut graphs = starts.iter().filter_map(|start| Some((start, IterationGraph::of(start)?)));
    let Some((start, graph)) = graphs.next() else { return Vec::new() };
    let cycle = graph.cycle().unwrap_or_default().into_iter();
    cycle.map(|edge| describe(&start.kernel, edge)).collect()
}

/// Describes why a loop must be outside of another; the kernel has the variables of both.
pub(super) fn describe(kernel: &Kernel, edge: &Edge) -> String {
    let before = &kernel.variable(edge.before).name;
    let after = &kernel.variable(edge.after).name;
    match &edge.reason {
        Reason::Operand(access) => format!(
            "`{}` is stored as `{}`, which is traversed by `{before}` before `{after}`",
            kernel.show_access(access),
            kernel.tensor(access.tensor).format,
        ),
        Reason::Result(access) => format!(
            "`{}` is assembled in order as `{}`, which requires `{before}` outside of `{after}`",
            kernel.show_access(access),
            kernel.tensor(access.tensor).format,
        ),
        Reason::Block => format!("`{before}` counts the blocks that `{after}` runs within"),
        Reason::Schedule(command) => {
            format!("`{command}` requires `{before}` outside of `{after}`")
        }
    }
}
