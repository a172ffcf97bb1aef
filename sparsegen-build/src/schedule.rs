//! The order of the loops: the cheapest one that the iteration graph allows.
//!
//! If no single order suits all terms of a sum, each term gets its own loops, provided that the
//! result supports accumulation in any order.

mod classes;
mod commands;
mod convert;
mod cost;
mod distribute;
mod eliminate;
mod empty;
mod inverse;
pub mod join;
mod kept;
mod keys;
mod locate;
mod merge;
mod nest;
mod pairs;
mod parallel;
mod pos;
mod precompute;
mod predicates;
mod refuse;
mod reorder;
mod running;
mod scatter;
mod split;
mod starts;
mod terms;
#[cfg(test)]
mod tests;
mod unroll;
mod unstored;
mod windows;

use std::sync::Arc;

use crate::concrete::{Program, update};
use crate::error::Diagnostic;
use crate::format::Format;
use crate::iteration::graph::{IterationGraph, last_appended};
use crate::iteration::placed::visits_in_order;
use crate::iteration::plan::{Plan, plan};
use crate::iteration::visits::{appends_distinct, overwrites};
use crate::level::Levels;
use crate::limits::{self, Budget};
use crate::notation::{Access, Kernel, TensorId, VariableId};

use classes::classes;
use convert::{Conversion, by_order, conversions, gathered};
use cost::{PACKED, cost, cost_of_conversions};
use nest::{Sums, nest};
use predicates::predicates;
use refuse::{refuse_large, refuse_orders, refuse_result};
use starts::starts;
use terms::term_by_term;

/// Chooses the loops of a kernel and their plan.
///
/// Tensors are converted if the loops cannot traverse them otherwise, or if that saves most of the
/// work. The kernel's schedule restricts the choice.
pub fn schedule(kernel: &Kernel, levels: &Levels) -> Result<(Program, Plan), Diagnostic> {
    schedule_within(kernel, levels, &Budget::default())
}

/// Chooses the loops of a kernel; each search has a budget renewed from `budget`.
pub fn schedule_within(
    kernel: &Kernel,
    levels: &Levels,
    budget: &Budget,
) -> Result<(Program, Plan), Diagnostic> {
    let kernel = &update::listed(&update::of_entries(&update::in_place(kernel)), levels);
    let kernel = &gathered(&predicates(&classes(kernel)), levels);
    let mut found = automatic(&commands::first_commands(kernel, 0), levels, &budget.renewed())?;
    if !kernel.schedule.is_empty() {
        found = commands::apply(kernel, found, &budget.renewed())?;
    }
    let (mut program, plan) = empty::with_versions(found, &budget.renewed());
    program.threads = program.kernel.parallel.then(|| parallel::parted(&program, &plan));
    program.targets[0].overwrites = overwrites(&program, &plan);
    Ok((program, plan))
}

/// Chooses loops for a kernel without a schedule.
fn automatic(kernel: &Kernel, levels: &Levels, budget: &Budget) -> Result<Candidate, Diagnostic> {
    let assembled = refuse_result(kernel);
    let as_it_is = assembled.is_ok().then(|| cheapest(&Conversion::none(kernel), budget)).flatten();
    let searches = |found: &Candidate| found.plan.searches_entries(&found.program);
    let collects = |Candidate { program, .. }: &Candidate| {
        let has = |holds: &dyn Fn(TensorId) -> bool| program.kernel.tensor_ids().any(holds);
        has(&|id| program.kernel.is_made(id)) && has(&|id| program.is_listed(id))
    };
    let as_it_is = match as_it_is {
        // Loops over the entries may save the search for them in loops over all coordinates.
        Some(found) if searches(&found) => {
            let limit = found.cost / WORTHWHILE;
            let others = [scattered(kernel, budget), counted(kernel, budget)];
            let mut others = others.into_iter().flatten();
            Some(others.find(|other| other.cost < limit).unwrap_or(found))
        }
        // Where a comparison or an inverse determines the summed coordinate, entries need only be
        // sorted, not collected.
        Some(found) if collects(&found) => {
            let sorts = |other: &Candidate| {
                let (program, plan) = (&other.program, &other.plan);
                program.targets.iter().any(|target| appends_distinct(program, target, plan))
            };
            let other = scattered(kernel, budget).filter(sorts);
            Some(other.filter(|other| other.cost < found.cost).unwrap_or(found))
        }
        Some(found) => Some(found),
        None => {
            let scattered = scattered(kernel, budget);
            let limit = scattered.as_ref().map_or(f64::INFINITY, |found| found.cost / WORTHWHILE);
            counted(kernel, budget).filter(|found| found.cost < limit).or(scattered)
        }
    };
    let is_many = |merge: limits::Merge| merge.operands.len() > limits::MERGED;
    if as_it_is.is_none() && assembled.is_ok() || budget.largest().is_some_and(is_many) {
        // A statement that is too large as a whole may be planned term by term.
        let most = as_it_is.as_ref().map_or(f64::INFINITY, |found| found.cost);
        let may_convert = as_it_is.is_some() || budget.exceeded().is_some();
        let found = in_terms(kernel, levels, may_convert, budget);
        if let Some(found) = found.filter(|found| found.cost < most) {
            return Ok(found);
        }
        if let (None, Some(limit)) = (&as_it_is, budget.exceeded()) {
            return Err(refuse_large(kernel, budget, limit));
        }
    }
    let limit = as_it_is.as_ref().map_or(f64::INFINITY, |found| found.cost / WORTHWHILE);
    let converted = converted(kernel, levels, limit, budget);
    if as_it_is.is_some() && converted.is_some() {
        // Two passes may save as much as the conversion does.
        let counted = counted(kernel, budget).filter(|found| found.cost < limit);
        if let Some(found) = counted {
            return Ok(found);
        }
    }
    if let Some(best) = converted.or(as_it_is) {
        return Ok(best);
    }
    if let Some(found) = ordered(kernel, levels, budget) {
        return Ok(found);
    }
    assembled?;
    Err(match budget.exceeded() {
        Some(limit) => refuse_large(kernel, budget, limit),
        None => refuse_orders(kernel),
    })
}

/// Returns a program with separate loops for each additive term, which may convert the result: one
/// that accepts entries in any order accepts those of each term.
fn in_terms(
    kernel: &Kernel,
    levels: &Levels,
    may_convert: bool,
    budget: &Budget,
) -> Option<Candidate> {
    let budget = budget.renewed();
    let own = term_by_term(&Conversion::none(kernel), &budget);
    own.or_else(|| {
        let choices = in_any_order(kernel).chain(conversions(kernel, levels));
        let mut choices = choices.filter(|_| may_convert);
        choices.find_map(|conversion| term_by_term(&conversion, &budget))
    })
}

/// Returns the cheapest program that assembles the result in any order of a level's coordinates.
fn scattered(kernel: &Kernel, budget: &Budget) -> Option<Candidate> {
    let candidates = in_any_order(kernel).filter_map(|conversion| cheapest(&conversion, budget));
    candidates.min_by(|a, b| a.cost.total_cmp(&b.cost))
}

/// Returns the cheapest program that counts the entries of each parent of the result first.
fn counted(kernel: &Kernel, budget: &Budget) -> Option<Candidate> {
    cheapest(&in_two_passes(kernel)?, budget)
}

/// Returns the kernel whose result is assembled in two passes, if its format permits that.
fn in_two_passes(kernel: &Kernel) -> Option<Conversion> {
    let format = Arc::new(kernel.tensor(kernel.result()).format.in_two_passes()?);
    let kernel = with_result(kernel, format);
    refuse_result(&kernel).is_ok().then(|| Conversion::none(&kernel))
}

/// Returns the kernels in which the tensor of an access has another built-in format.
pub fn with_other_formats(kernel: &Kernel, access: &Access, levels: &Levels) -> Vec<Kernel> {
    let formats = convert::plain_formats(kernel, access, levels).into_iter();
    let built_in = formats.filter(|format| format.builtin.is_some());
    built_in.map(|format| with_format(kernel, access.tensor, format)).collect()
}

fn with_result(kernel: &Kernel, format: Arc<Format>) -> Kernel {
    with_format(kernel, kernel.result(), format)
}

fn with_format(kernel: &Kernel, tensor: TensorId, format: Arc<Format>) -> Kernel {
    let mut kernel = kernel.clone();
    kernel.tensors[tensor.0].format = format;
    kernel
}

/// Returns the kernels that differ in the level of the result whose coordinates come in any order.
fn in_any_order(kernel: &Kernel) -> impl Iterator<Item = Conversion> {
    let formats = kernel.tensor(kernel.result()).format.in_any_order().into_iter().map(Arc::new);
    let conversions = formats.map(|format| Conversion::none(&with_result(kernel, format)));
    conversions.filter(|conversion| refuse_result(&conversion.kernel).is_ok())
}

/// The number of programs that are compared among those with conversions for an order of the loops.
const WEIGHED: usize = 8;

/// Returns the cheapest of the programs that convert tensors for an order of the loops.
fn ordered(kernel: &Kernel, levels: &Levels, budget: &Budget) -> Option<Candidate> {
    let choices = by_order(kernel, levels).into_iter();
    let choices = choices.filter(|conversion| refuse_result(&conversion.kernel).is_ok());
    let candidates = choices.filter_map(|conversion| {
        let candidate = cheapest(&conversion, &budget.renewed())?;
        Some((cost_of_conversions(&conversion) + candidate.cost, candidate))
    });
    let cheapest = candidates.take(WEIGHED).min_by(|(a, _), (b, _)| a.total_cmp(b));
    cheapest.map(|(_, candidate)| candidate)
}

/// The factor by which a conversion that is not required must reduce the cost.
const WORTHWHILE: f64 = 4.0;

/// Returns the cheapest program that converts tensors, if it costs less than `limit`, including the
/// conversions. Each conversion beyond the fewest must save most of the work.
fn converted(
    kernel: &Kernel,
    levels: &Levels,
    mut limit: f64,
    budget: &Budget,
) -> Option<Candidate> {
    let mut best: Option<(usize, Candidate)> = None;
    let packs = |conversion: &Conversion| conversion.packed.is_some() && kernel.packed.is_none();
    let weighed = budget.weighed();
    for conversion in conversions(kernel, levels) {
        // The limit is infinite until some program is known.
        if limit.is_finite() && budget.weighed() - weighed > limits::PLANNED {
            break;
        }
        let count = conversion.count();
        let factor = if packs(&conversion) { PACKED } else { 1.0 };
        let before = factor * cost_of_conversions(&conversion);
        let settled = best.as_ref().is_some_and(|(least, best)| {
            let is_settled = !packs(&best.conversion) && !best.plan.searches_entries(&best.program);
            // Another conversion must save most of the work.
            *least < count && is_settled && limit < WORTHWHILE * before
        });
        if settled {
            continue;
        }
        // A result is assembled in order if it can be.
        let is_scattered = |kernel: &Kernel| kernel.tensor(kernel.result()).format.scattered();
        let in_order =
            |(_, best): &(usize, Candidate)| is_scattered(&best.program.kernel).is_none();
        if is_scattered(&conversion.kernel).is_some() && best.as_ref().is_some_and(in_order) {
            continue;
        }
        if before >= limit || refuse_result(&conversion.kernel).is_err() {
            continue;
        }
        let Some(candidate) = cheapest(&conversion, budget) else { continue };
        let cost = before + factor * candidate.cost;
        if cost < limit {
            limit = cost;
            best = Some((count, candidate));
        }
    }
    best.map(|(_, best)| best)
}

/// The factor by which loops on one thread must cost less than loops that threads divide, in kernels
/// that should run on threads.
const SERIAL: f64 = 2.0;

/// The number of steps to construct the loops of a part of a value.
const NEST: usize = 16;

/// A candidate program for a kernel.
#[derive(Clone)]
struct Candidate {
    conversion: Conversion,
    /// The loops, outermost first; empty if each term has its own loops.
    order: Vec<VariableId>,
    /// The additive terms, if each of them has its own loops.
    terms: Vec<Candidate>,
    sums: Sums,
    program: Program,
    plan: Plan,
    cost: f64,
}

/// Returns the cheapest program for a kernel with a single order of its loops, the preferred one
/// among equals. A large kernel has many orders: the search ends with the cheapest so far when its
/// budget is spent.
fn cheapest(conversion: &Conversion, budget: &Budget) -> Option<Candidate> {
    cheapest_of(conversion, starts(conversion), budget)
}

/// Returns the cheapest of the programs for a kernel that begin with one of `starts`.
fn cheapest_of(
    conversion: &Conversion,
    starts: Vec<Program>,
    budget: &Budget,
) -> Option<Candidate> {
    let kernel = &conversion.kernel;
    // A program is constructed for each order.
    let size = kernel.assignment.value.size();
    let parts = NEST * size;
    let mut best: Option<(f64, Candidate)> = None;
    let weighed = budget.weighed();
    for start in starts {
        // Loops within blocks search their first coordinate, which those that replace them need not.
        if best.as_ref().is_some_and(|(_, best)| start.basis.exceeds(&best.program.basis)) {
            break;
        }
        budget.weigh(size);
        let Some(graph) = IterationGraph::of(&start) else {
            continue;
        };
        for order in graph.orders() {
            for &sums in styles(kernel) {
                let is_enough = budget.weighed() - weighed > limits::PLANNED && best.is_some();
                if is_enough || !budget.spend(parts) {
                    return best.map(|(_, best)| best);
                }
                let Some(program) = nest(start.clone(), &order, sums) else { continue };
                if !visits_in_order(&program) || pairs::repeats(&program) {
                    continue;
                }
                let Ok(plan) = plan(&program, budget) else { continue };
                budget.weigh(plan.size());
                if commands::check(&program, &plan).is_err()
                    || split::obstacle(&program, &plan, |_| true).is_some()
                {
                    continue;
                }
                let cost = cost(&program, &plan);
                let is_serial = kernel.parallel && parallel::parted(&program, &plan).is_err();
                let weight = if is_serial { SERIAL * cost } else { cost };
                if best.as_ref().is_none_or(|(least, _)| weight < *least) {
                    let (conversion, order, terms) = (conversion.clone(), order.clone(), vec![]);
                    let found = Candidate { conversion, order, terms, sums, program, plan, cost };
                    best = Some((weight, found));
                }
            }
        }
    }
    best.map(|(_, best)| best)
}

/// Returns the targets of sums to try. Accumulating in the result is only faster if duplicates are
/// visited separately.
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
