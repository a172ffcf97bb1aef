//! `parallelize(i)`, and `parallel = true`: the outermost loop is divided into parts, each on a
//! thread.
//!
//! A part is an interval of coordinates, whatever the loop iterates over, or an interval of positions
//! if these have no order. Parts store to separate memory: to entries of their own, or to copies
//! that are combined in the order of the parts. They depend on the operands only, and so does the
//! result.

mod outermost;
mod stores;

use super::cost::cost;
use crate::concrete::parted::{Parted, Stores};
use crate::concrete::{Program, Target};
use crate::error::{Code, Diagnostic, Span};
use crate::iteration::iterator::LevelIterator;
use crate::iteration::plan::Plan;
use crate::notation::VariableId;
use outermost::Outermost;
use stores::{adds, joins_phases, least_common_multiple, stored_by_several};

/// Checks that the loop over a variable can be divided into parts.
pub(super) fn check(
    program: &Program,
    plan: &Plan,
    span: Span,
    variable: VariableId,
) -> Result<(), Diagnostic> {
    let name = |v: VariableId| &program.kernel.variable(v).name;
    let reason = match parted(program, plan) {
        Ok(outermost) if outermost.variable == variable => return Ok(()),
        Ok(outermost) => format!("the outermost loop is over `{}`", name(outermost.variable)),
        Err(reason) => reason,
    };
    let message = format!("the loop over `{}` cannot be run on several threads", name(variable));
    Err(Diagnostic::new(Code::CannotParallelize, span, message)
        .note(reason)
        .help("parallelize another loop, or remove the command"))
}

/// Returns how the outermost loop is divided into parts, or the reason why it cannot be. Of several
/// loops one after another, those over the variable of the last one are divided.
pub(super) fn parted(program: &Program, plan: &Plan) -> Result<Parted, String> {
    let mut whole = Vec::new();
    Outermost::find(program, plan, &[], &mut whole)?;
    let v = whole.last().ok_or("there is no loop")?.inner.variable;
    let divided = whole.split_off(whole.iter().take_while(|of| of.inner.variable != v).count());
    let follows = follows(program, plan);
    if follows && whole.is_empty() {
        let mut targets = program.targets.iter();
        targets.try_for_each(|target| joins_phases(program, target, &divided))?;
    }
    let mut divisions = divided.iter().map(|outermost| outermost.parted(program));
    let mut first = divisions.next().ok_or("there is no loop")??;
    if !divisions.all(|other| other.as_ref() == Ok(&first)) || !whole.is_empty() && !follows {
        return Err("loops for different cases differ".to_owned());
    }
    if !whole.is_empty() {
        first.stores = copies_after(program, &whole, &divided, &first.stores)?;
    }
    first.prepares = divided.iter().any(|of| of.fills || of.repeats);
    if divided.iter().any(|of| of.fills && of.repeats) && !first.has_no_copies() {
        // There would be as many workspaces as copies of the result, each filled in full.
        return Err("each part would fill a workspace and a copy of the result".to_owned());
    }
    Ok(first)
}

/// Returns how parts store to the results if the first part alone runs other loops before the divided
/// ones, which add to the result of the first part and to copies.
fn copies_after(
    program: &Program,
    whole: &[Outermost<'_>],
    divided: &[Outermost<'_>],
    stores: &[Stores],
) -> Result<Vec<Stores>, String> {
    let cost_of = |loops: &[Outermost<'_>]| {
        loops.iter().map(|of| cost(program, &Plan::Loop(of.inner.clone()))).sum::<f64>()
    };
    let is_costly = cost_of(whole) > cost_of(divided);
    let copied = |(target, stores): (&Target, &Stores)| {
        let is_copied = matches!(stores, Stores::Copies | Stores::Intervals)
            && divided.iter().all(|of| adds(&of.inner.bodies, target));
        match is_copied && !is_costly {
            true => Ok(Stores::Copies),
            false => Err(stored_by_several(program, target)),
        }
    };
    program.targets.iter().zip(stores).map(copied).collect()
}

impl Outermost<'_> {
    fn parted(&self, program: &Program) -> Result<Parted, String> {
        let range = self.range(program)?;
        let divides = self.divides(program, &range);
        let stores = program.targets.iter();
        let stores = stores.map(|target| self.stores(program, target, &range, divides));
        let stores = stores.collect::<Result<Vec<_>, _>>()?;
        let blocks = program.targets.iter().zip(&stores);
        let blocks = blocks.filter_map(|(target, stores)| self.block(program, target, *stores));
        let block = blocks.reduce(least_common_multiple).unwrap_or(1);
        Ok(Parted {
            variable: self.inner.variable,
            divides,
            range,
            block,
            prepares: false,
            has_rest: self.inner.rest.is_some(),
            reductions: self.reductions.clone(),
            stores,
        })
    }
}

/// Returns whether a plan has loops one after another.
fn follows(program: &Program, plan: &Plan) -> bool {
    match plan {
        Plan::Sequence(plans) => {
            plans.iter().filter(|plan| !matches!(***plan, Plan::Assign { .. })).count() > 1
        }
        Plan::Loop(inner) if program.is_loop_of_fixed(inner.variable) => {
            inner.bodies.iter().any(|body| follows(program, body))
        }
        Plan::Where { consumer, .. } => {
            let has_versions = program.has_versions && consumer.versions().is_some();
            !has_versions && follows(program, consumer)
        }
        Plan::Loop(_) | Plan::Assign { .. } | Plan::If { .. } | Plan::Visit(_) => false,
    }
}

/// Returns whether an iterator can begin at any coordinate: it counts, or its entries are searched.
pub(super) fn begins_anywhere(program: &Program, iterator: &LevelIterator) -> bool {
    if iterator.spec(program).level.coordinate_iteration().is_some() {
        return true;
    }
    (iterator.is_searched(program) || iterator.is_in_order(program) && iterator.has_blocks(program))
        && !iterator.is_single(program)
        && !iterator.is_spread(program)
        && !iterator.reorders()
        && !iterator.filters(program)
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn only_outermost_loops_are_run_in_parts() {
        let spmv = "y[i] = A[i,j] * x[j]";
        let csr = "y = 'dense', A = 'csr', x = 'dense'";
        assert!(loops(spmv, csr, &["parallelize(i)"]).starts_with("∀i "));
        let cannot = "the loop over `j` cannot be run on several threads; ";
        assert_eq!(
            loops(spmv, csr, &["parallelize(j)"]),
            format!("{cannot}the outermost loop is over `i`")
        );
        // Parts that add to the same entries have copies of them.
        let csc = "y = 'dense', A = 'csc', x = 'dense'";
        assert!(loops(spmv, csc, &["parallelize(j)"]).starts_with("∀j "));
        // The command requires its loop outermost.
        // The first part runs the loop before them.
        let residual = "r[i] = b[i] - A[i,j] * x[j]";
        let by_columns = "r = 'dense', b = 'dense', A = 'csc', x = 'dense'";
        let both = loops(residual, by_columns, &["parallelize(j)"]);
        assert!(both.starts_with("∀i r[i] = b[i]; ∀j "), "{both}");
        let dense = "C = 'dense', A = 'dense', B = 'dense'";
        let product = "C[i,j] = A[i,k] * B[k,j]";
        assert!(loops(product, dense, &["reorder(j, i)", "parallelize(j)"]).starts_with("∀j "));
    }
}
