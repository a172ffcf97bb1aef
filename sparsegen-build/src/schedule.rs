//! The order of the loops: of all that the iteration graph allows, the cheapest.
//!
//! Where no single order serves all terms of a sum, each term gets loops of its own, if the result
//! can be added to at random.

mod commands;
mod convert;
mod cost;
mod diagonal;
mod empty;
mod locate;
mod merge;
mod nest;
mod parallel;
mod pos;
mod precompute;
mod reorder;
mod split;
#[cfg(test)]
mod tests;
mod unroll;

use crate::concrete::space::Space;
use crate::concrete::terms::{additive_terms, takes_duplicates};
use crate::concrete::{Program, Stmt, update};
use crate::error::{Diagnostic, Span};
use crate::iteration::graph::{Edge, IterationGraph, Reason, last_appended};
use crate::iteration::plan::{Plan, plan};
use crate::level::Levels;
use crate::limits::{self, Budget, Limit};
use crate::notation::{Assignment, Expr, Kernel, ReduceOp, VariableId};

use convert::{Conversion, by_order, conversions, gathered};
use cost::{cost, cost_of_conversions};
use diagonal::diagonals;
use nest::{Sums, nest, nest_into};

/// The loops of a kernel and how they iterate.
///
/// Tensors are converted where there is no other way, and where that takes away most of the work. What
/// the kernel's schedule demands restricts the choice.
pub fn schedule(kernel: &Kernel, levels: &Levels) -> Result<(Program, Plan), Diagnostic> {
    let kernel = &update::listed(&update::in_place(kernel), levels);
    let kernel = &gathered(&diagonals(kernel), levels);
    let mut found = automatic(&commands::first_commands(kernel, 0), levels, &Budget::default())?;
    if !kernel.schedule.is_empty() {
        found = commands::apply(kernel, found, &Budget::default())?;
    }
    let (mut program, plan) = empty::with_versions(found, &Budget::default());
    program.threads = program.kernel.parallel.then(|| parallel::parted(&program, &plan));
    Ok((program, plan))
}

/// The choice for a kernel without a schedule.
fn automatic(kernel: &Kernel, levels: &Levels, budget: &Budget) -> Result<Candidate, Diagnostic> {
    let assembled = refuse_result(kernel);
    let as_it_is = match assembled {
        Ok(()) => cheapest(&Conversion::none(kernel), budget),
        Err(_) => None,
    };
    if as_it_is.is_none() && assembled.is_ok() {
        // What is too large as a whole may be planned term by term.
        let of_terms = Budget::default();
        if let Some(found) = term_by_term(&Conversion::none(kernel), &of_terms) {
            return Ok(found);
        }
        if let Some(limit) = budget.exceeded() {
            // What takes entries in any order takes those of each term.
            let mut ways = conversions(kernel, levels).into_iter();
            let found = ways.find_map(|way| term_by_term(&way, &of_terms));
            return found.ok_or_else(|| refuse_large(kernel, budget, limit));
        }
    }
    let limit = as_it_is.as_ref().map_or(f64::INFINITY, |found| found.cost / WORTHWHILE);
    if let Some(best) = converted(kernel, levels, limit, budget).or(as_it_is) {
        return Ok(best);
    }
    if let Some(found) = ordered(kernel, levels) {
        return Ok(found);
    }
    assembled?;
    Err(match budget.exceeded() {
        Some(limit) => refuse_large(kernel, budget, limit),
        None => refuse_orders(kernel),
    })
}

/// How many programs are weighed of those whose tensors are converted to suit an order of the loops.
const WEIGHED: usize = 8;

/// The cheapest of some programs that convert tensors to suit an order of the loops.
fn ordered(kernel: &Kernel, levels: &Levels) -> Option<Candidate> {
    let ways = by_order(kernel, levels).into_iter();
    let ways = ways.filter(|way| refuse_result(&way.kernel).is_ok());
    let candidates = ways.filter_map(|way| {
        let candidate = cheapest(&way, &Budget::default())?;
        Some((cost_of_conversions(&way) + candidate.cost, candidate))
    });
    let cheapest = candidates.take(WEIGHED).min_by(|(a, _), (b, _)| a.total_cmp(b));
    cheapest.map(|(_, candidate)| candidate)
}

/// How many times cheaper a kernel must get for tensors to be converted that need not be.
const WORTHWHILE: f64 = 4.0;

/// The cheapest program that converts tensors, if it costs less than `limit`, conversions included;
/// among equals that which converts fewer.
fn converted(
    kernel: &Kernel,
    levels: &Levels,
    mut limit: f64,
    budget: &Budget,
) -> Option<Candidate> {
    let mut best: Option<(usize, Candidate)> = None;
    for way in conversions(kernel, levels) {
        let count = way.count();
        let settled = best.as_ref().is_some_and(|(least, best)| {
            *least < count && !best.plan.searches_entries(&best.program)
        });
        if settled {
            break;
        }
        let before = cost_of_conversions(&way);
        if before >= limit || refuse_result(&way.kernel).is_err() {
            continue;
        }
        let Some(candidate) = cheapest(&way, budget) else { continue };
        let cost = before + candidate.cost;
        if cost < limit {
            limit = cost;
            best = Some((count, candidate));
        }
    }
    best.map(|(_, best)| best)
}

/// How many steps it takes to make loops of a part of a value.
const NEST: usize = 16;

/// One way to run a kernel.
#[derive(Clone)]
struct Candidate {
    way: Conversion,
    /// The loops, outermost first; none where each term has loops of its own.
    order: Vec<VariableId>,
    sums: Sums,
    program: Program,
    plan: Plan,
    cost: f64,
}

/// The cheapest program for a kernel with a single order of its loops, the preferred among equals.
/// Large kernels have many orders: once enough is planned, the cheapest so far is taken.
fn cheapest(way: &Conversion, budget: &Budget) -> Option<Candidate> {
    let kernel = &way.kernel;
    // A program is made anew for each order.
    let parts = NEST * kernel.assignment.value.size();
    let mut best: Option<Candidate> = None;
    let mut weighed = 0;
    for start in starts(way) {
        let Some(graph) = IterationGraph::of(&start) else {
            continue;
        };
        for order in graph.orders() {
            for &sums in styles(kernel) {
                let is_enough = weighed > limits::PLANNED && best.is_some();
                if is_enough || !budget.spend(parts) {
                    return best;
                }
                let Some(program) = nest(start.clone(), &order, sums) else { continue };
                let Ok(plan) = plan(&program, budget) else { continue };
                weighed += plan.size();
                if commands::check(&program, &plan).is_err() {
                    continue;
                }
                let cost = cost(&program, &plan);
                if best.as_ref().is_none_or(|best| cost < best.cost) {
                    let (way, order) = (way.clone(), order.clone());
                    best = Some(Candidate { way, order, sums, program, plan, cost });
                }
            }
        }
    }
    best
}

/// A program without loops for each basis.
fn starts(way: &Conversion) -> Vec<Program> {
    let looped: Vec<VariableId> = way.kernel.looped_variables().collect();
    let mut kernel = way.kernel.clone();
    let Ok(mut precomputed) = precompute::take_out(&mut kernel) else { return Vec::new() };
    let space = Space::of(&mut kernel, split::demanded(&way.kernel.schedule));
    let mut values = vec![&mut kernel.assignment.value];
    values.extend(precomputed.iter_mut().map(|part| &mut part.value));
    if values.iter().any(|value| space.repeats_slots(value)) {
        return Vec::new();
    }
    if space.has_slots() {
        values.into_iter().for_each(|value| *value = space.sum_slots(value));
    }
    let start = |basis| Program {
        order: reorder::demanded(&kernel, &basis),
        kernel: kernel.clone(),
        space: space.clone(),
        basis,
        threads: None,
        packed: way.packed.clone(),
        precomputed: precomputed.clone(),
        has_versions: false,
        body: Stmt::SKIP,
    };
    let starts = space.bases(&looped).into_iter().map(start);
    starts.flat_map(precompute::with_kinds).collect()
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

/// Loops for each additive term on its own, one after the other.
fn term_by_term(way: &Conversion, budget: &Budget) -> Option<Candidate> {
    if !takes_duplicates(&way.kernel) {
        return None;
    }
    let mut program = starts(way).into_iter().next()?;
    let mut statements = Vec::new();
    for term in additive_terms(way.kernel.assignment.value.clone()) {
        let of_term = Conversion { kernel: with_value(&way.kernel, &term), ..way.clone() };
        let of_term = cheapest(&of_term, budget)?;
        let accumulate = way.kernel.in_place || !statements.is_empty();
        let accumulate = accumulate.then_some(ReduceOp::Sum);
        let value = of_term.program.kernel.assignment.value;
        program.basis = of_term.program.basis;
        statements.push(nest_into(&mut program, &of_term.order, of_term.sums, accumulate, value)?);
    }
    program.body = Stmt::sequence(statements);
    let plan = plan(&program, budget).ok()?;
    commands::check(&program, &plan).ok()?;
    let cost = cost(&program, &plan);
    let (way, order) = (way.clone(), Vec::new());
    Some(Candidate { way, order, sums: Sums::Temporary, program, plan, cost })
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
        let is_leaf = k + 1 == result.format.levels.len();
        if !spec.properties.padded
            && !is_leaf
            && result.format.levels[k + 1].level.insert().is_some()
        {
            let reason = "which drops parts that are zero as a whole".to_owned();
            return refuse(k, reason, "choose a format that keeps zeros for the result");
        }
        if spec.level.insert().is_some() && spec.properties.full {
            if !spec.properties.padded {
                let reason = "which has a place for every coordinate, and for no zeros".to_owned();
                return refuse(k, reason, "choose a format that keeps zeros for the result");
            }
            continue;
        }
        let help = "choose a format that can be assembled for the result";
        let Some(append) = spec.level.append() else {
            return refuse(k, "which neither inserts nor appends".to_owned(), help);
        };
        if !spec.level.numbers().is_empty() {
            return refuse(k, "whose storage is made for a number of entries".to_owned(), help);
        }
        if !is_leaf && !append.counts_by_length() {
            return refuse(
                k,
                "which counts its entries only where it is the last".to_owned(),
                help,
            );
        }
        if spec.properties.full && !spec.properties.padded {
            let reason = "which has every coordinate, and no zeros".to_owned();
            return refuse(k, reason, "choose a format that keeps zeros for the result");
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

/// Why a statement is too large: the operands that one loop merges.
fn refuse_large(kernel: &Kernel, budget: &Budget, limit: Limit) -> Diagnostic {
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
            span,
            format!("too many sparse operands meet in the loop over `{variable}`"),
        )
        .label(format!("{} of them", operands.len())),
        (Limit::Operands | Limit::Code, _) => {
            Diagnostic::new(span, "the loops of this statement would be too large")
                .label(format!("more than {} parts of code", limits::CODE))
        }
        (Limit::Steps, _) => {
            Diagnostic::new(span, "it would take too long to choose the loops of this statement")
                .label(format!("more than {} steps", limits::STEPS))
        }
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

/// Why there is no order: what goes round in a circle.
fn refuse_orders(kernel: &Kernel) -> Diagnostic {
    let diagnostic = Diagnostic::new(kernel.span, "no order of the loops suits all formats")
        .label("not even with operands in other formats")
        .help("compute a part of it in a kernel of its own, or store an operand in another order");
    let graph = starts(&Conversion::none(kernel)).iter().find_map(IterationGraph::of);
    let cycle = graph.as_ref().and_then(IterationGraph::cycle).unwrap_or_default();
    let note = |diagnostic: Diagnostic, edge| diagnostic.note(describe(kernel, edge));
    cycle.into_iter().fold(diagnostic, note)
}

/// Why a loop must stand outside of another; the kernel knows the variables of both.
fn describe(kernel: &Kernel, edge: &Edge) -> String {
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
        Reason::Block => format!("`{before}` counts the blocks that `{after}` runs within"),
        Reason::Schedule(command) => {
            format!("`{command}` wants `{before}` outside of `{after}`")
        }
    }
}
