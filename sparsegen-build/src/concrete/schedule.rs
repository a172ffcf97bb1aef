//! The order of the loops: of all that the iteration graph allows, the cheapest.
//!
//! Where no single order serves all terms of a sum, each term gets loops of its own, if the result
//! can be added to at random.

use super::cost::cost;
use super::nest::{Sums, additive_terms, nest, nest_into};
use super::{Program, Stmt};
use crate::error::Diagnostic;
use crate::iteration::graph::{Edge, IterationGraph, Reason, last_appended};
use crate::iteration::plan::{Plan, TooManyOperands, plan};
use crate::notation::{Assignment, Expr, Kernel, VariableId};

/// The loops of a kernel and how they iterate.
pub fn schedule(kernel: &Kernel) -> Result<(Program, Plan), Diagnostic> {
    refuse_result(kernel)?;
    let mut too_many = None;
    if let Some(Candidate { program, plan, .. }) = cheapest(kernel, &mut too_many) {
        return Ok((program, plan));
    }
    if let Some(too_many) = too_many {
        return Err(refuse_operands(kernel, &too_many));
    }
    term_by_term(kernel).ok_or_else(|| refuse_orders(kernel))
}

/// One way to run a kernel.
struct Candidate {
    order: Vec<VariableId>,
    sums: Sums,
    program: Program,
    plan: Plan,
    cost: f64,
}

/// The cheapest program for a kernel with a single order of its loops, the preferred among equals.
fn cheapest(kernel: &Kernel, too_many: &mut Option<TooManyOperands>) -> Option<Candidate> {
    let at_random = last_appended(kernel).is_none();
    let mut best: Option<Candidate> = None;
    for order in IterationGraph::of(kernel, &kernel.assignment.value).orders() {
        for &sums in styles(kernel) {
            let Some(program) = nest(kernel, &order, sums) else { continue };
            if !at_random && !stores_in_order(&program) {
                continue;
            }
            let plan = match plan(&program) {
                Ok(plan) => plan,
                Err(refused) => {
                    *too_many = Some(refused);
                    continue;
                }
            };
            let cost = cost(&program, &plan);
            if best.as_ref().is_none_or(|best| cost < best.cost) {
                best = Some(Candidate { order: order.clone(), sums, program, plan, cost });
            }
        }
    }
    best
}

/// Where sums may go. Straight into the result only pays where duplicates are walked one by one.
fn styles(kernel: &Kernel) -> &'static [Sums] {
    let mut levels = kernel.tensors.iter().flat_map(|tensor| &tensor.format.levels);
    let has_duplicates = levels.any(|spec| !spec.properties.unique);
    let scalar = kernel.assignment.result.indices.is_empty();
    if has_duplicates && !scalar && last_appended(kernel).is_none() {
        &[Sums::Temporary, Sums::Result]
    } else {
        &[Sums::Temporary]
    }
}

/// Whether every entry of the result is stored once, by a single assignment.
fn stores_in_order(program: &Program) -> bool {
    let mut stores = Vec::new();
    program.body.for_each_assign(&mut |target, accumulate, _| {
        if target.tensor == program.kernel.result() {
            stores.push(accumulate);
        }
    });
    matches!(stores[..], [] | [false])
}

/// Loops for each additive term on its own, one after the other.
fn term_by_term(kernel: &Kernel) -> Option<(Program, Plan)> {
    if last_appended(kernel).is_some() {
        return None;
    }
    let mut program =
        Program { kernel: kernel.clone(), declared: kernel.tensors.len(), body: Stmt::SKIP };
    let mut statements = Vec::new();
    for term in additive_terms(kernel.assignment.value.clone()) {
        let Candidate { order, sums, .. } = cheapest(&with_value(kernel, &term), &mut None)?;
        let accumulate = !statements.is_empty();
        statements.push(nest_into(&mut program, &order, sums, accumulate, term)?);
    }
    program.body = Stmt::sequence(statements);
    let plan = plan(&program).ok()?;
    Some((program, plan))
}

fn with_value(kernel: &Kernel, value: &Expr) -> Kernel {
    let result = kernel.assignment.result.clone();
    Kernel { assignment: Assignment { result, value: value.clone() }, ..kernel.clone() }
}

/// Whether the result's levels can be assembled: by insert, or by append with the coordinates of
/// branchless levels going in together with those of the level above, one for one.
fn refuse_result(kernel: &Kernel) -> Result<(), Diagnostic> {
    let result = kernel.tensor(kernel.result());
    let refuse = |level: usize, reason: String, help: &str| {
        let name = result.format.levels[level].level.name();
        Err(Diagnostic::new(result.span, format!("`{}` cannot be assembled", result.name))
            .label(format!("a result in the format `{}`", result.format))
            .note(format!("its level {} is `{name}`, {reason}", level + 1))
            .help(help))
    };
    for (k, spec) in result.format.levels.iter().enumerate() {
        if spec.level.insert().is_some() {
            continue;
        }
        if spec.level.append().is_none() {
            let reason = "which neither inserts nor appends".to_owned();
            return refuse(k, reason, "choose a format that can be assembled for the result");
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
                let reason = "which holds a single coordinate here".to_owned();
                return refuse(k, reason, "choose a branching level here");
            }
        }
    }
    Ok(())
}

fn refuse_operands(kernel: &Kernel, refused: &TooManyOperands) -> Diagnostic {
    let variable = &kernel.variable(refused.variable).name;
    let names: Vec<_> =
        refused.operands.iter().map(|id| format!("`{}`", kernel.tensor(*id).name)).collect();
    Diagnostic::new(
        kernel.span,
        format!("too many sparse operands meet in the loop over `{variable}`"),
    )
    .label(format!("{} of them", names.len()))
    .note(format!(
        "merging {} needs code for each of the {} sets of operands that may have an entry",
        names.join(", "),
        (1_u64 << names.len()) - 1
    ))
    .help("compute parts of the expression in kernels of their own")
}

/// Why there is no order: the operands go round in a circle, or only the result does.
fn refuse_orders(kernel: &Kernel) -> Diagnostic {
    let graph = IterationGraph::of(kernel, &kernel.assignment.value);
    let operands_only = IterationGraph {
        edges: graph
            .edges
            .iter()
            .filter(|edge| matches!(edge.reason, Reason::Operand(_)))
            .cloned()
            .collect(),
        ..graph.clone()
    };
    let describe = |edge: &Edge| {
        let before = &kernel.variable(edge.before).name;
        let after = &kernel.variable(edge.after).name;
        match &edge.reason {
            Reason::Operand(access) => format!(
                "`{}` is stored as `{}`, which is read by `{before}` before `{after}`",
                kernel.show_access(access),
                kernel.tensor(access.tensor).format,
            ),
            Reason::Result(access) => format!(
                "`{}` is assembled in order as `{}`, which needs `{before}` outside of `{after}`",
                kernel.show_access(access),
                kernel.tensor(access.tensor).format,
            ),
        }
    };
    let span = kernel.span;
    if let Some(cycle) = operands_only.cycle() {
        let diagnostic = Diagnostic::new(span, "no order of the loops suits all operands")
            .label("needs an operand in another order, which is not supported yet");
        return cycle
            .into_iter()
            .fold(diagnostic, |diagnostic, edge| diagnostic.note(describe(edge)))
            .help("store one of them in the other order, as `csc` instead of `csr`");
    }
    let result = &kernel.tensor(kernel.result()).name;
    let diagnostic =
        Diagnostic::new(span, format!("the entries of `{result}` would not come in order"))
            .label("needs a workspace, which is not supported yet");
    let cycle = graph.cycle().unwrap_or_default();
    cycle
        .into_iter()
        .fold(diagnostic, |diagnostic, edge| diagnostic.note(describe(edge)))
        .help(format!("make `{result}` dense, or store the operands so that its entries come in order"))
}
