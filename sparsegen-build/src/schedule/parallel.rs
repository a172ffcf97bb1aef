//! `parallelize(i)`, and `parallel = true`: the outermost loop is divided into parts, each on a
//! thread.
//!
//! A part is an interval of coordinates, whatever the loop iterates over, or an interval of positions
//! if these have no order. Parts store to separate memory: to entries of their own, or to copies
//! that are combined in the order of the parts. They depend on the operands only, and so does the
//! result.
//!
//! Scalars of whole tensors that the loop reads, such as the norm that a vector is divided by, are
//! computed before it, each on all threads.

mod outermost;
mod stores;

use super::cost::cost;
use crate::concrete::parted::{Parted, Stores};
use crate::concrete::{Program, Target, Temporary};
use crate::error::{Code, Diagnostic, Span};
use crate::iteration::iterator::LevelIterator;
use crate::iteration::plan::Plan;
use crate::notation::VariableId;
use outermost::{Outermost, reductions_of};
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

/// Returns how the outermost loop is divided into parts, or the reason why it cannot be. Reductions of
/// whole tensors before it are divided likewise, if they can be; each part repeats others.
pub(super) fn parted(program: &Program, plan: &Plan) -> Result<Parted, String> {
    let (phases, rest) = phases(program, plan);
    match divided(program, rest, &given(&phases)) {
        Ok(parted) => Ok(Parted { phases, ..parted }),
        Err(reason) if phases.is_empty() => Err(reason),
        Err(_) => divided(program, plan, &[]),
    }
}

/// Returns how the outermost producers of a plan are divided whose scalars other loops read, and the
/// plan without them.
fn phases<'p>(program: &Program, plan: &'p Plan) -> (Vec<Parted>, &'p Plan) {
    let (mut phases, mut rest) = (Vec::new(), plan);
    while let Plan::Where { temporaries, consumer, producer } = rest
        && reductions_of(program, rest, &given(&phases)).is_none()
        && let Some(phase) = Outermost::phase(program, temporaries, producer)
    {
        phases.push(phase);
        rest = consumer;
    }
    (phases, rest)
}

/// Returns the scalars that phases compute.
fn given(phases: &[Parted]) -> Vec<Temporary> {
    phases.iter().flat_map(|phase| phase.reductions.clone()).collect()
}

/// Returns how the outermost loop is divided. Of several loops one after another, those over the
/// variable of the last one are divided.
fn divided(program: &Program, plan: &Plan, given: &[Temporary]) -> Result<Parted, String> {
    let mut whole = Vec::new();
    Outermost::find(program, plan, (given, &[]), &mut whole)?;
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
            phases: Vec::new(),
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
    use crate::compile_str;
    use crate::testing::loops;

    /// Returns the functions with loops of a kernel that runs on threads.
    fn functions(expr: &str, tensors: &str) -> Vec<String> {
        let manifest = format!(
            "[kernels.k]\nexpr = \"{expr}\"\ntensors = {{ {tensors} }}\nparallel = true\n\
             allow = [\"threads\"]\n"
        );
        let source = compile_str("kernels.toml", &manifest).source;
        let names = source.split("\nfn k_").skip(1).filter_map(|after| after.split('(').next());
        names.filter(|name| name.ends_with("kernel")).map(str::to_owned).collect()
    }

    #[test]
    fn scalars_of_whole_tensors_are_computed_on_threads() {
        let dense = "x = 'dense', y = 'dense'";
        let cases = [
            ("y[i] = x[i] / sqrt(sum[j](x[j] * x[j]))", dense, "sum_kernel kernel"),
            (
                "y[i] = exp(x[i] - max[j](x[j])) / sum[k](exp(x[k] - max[j](x[j])))",
                dense,
                "max_kernel sum_k_kernel kernel",
            ),
            // The loop computes the last reduction.
            (
                "s = max[j](x[j]) + ln(sum[i](exp(x[i] - max[j](x[j]))))",
                "x = 'dense'",
                "max_kernel kernel",
            ),
            // Both reductions are computed in one loop, from which the result follows.
            ("s = sum[i](x[i] * x[i]) / sum[i](x[i])", "x = 'dense'", "kernel"),
            // The sum of a row is computed where it is read.
            ("B[i,j] = A[i,j] / sum[k](A[i,k])", "A = 'csr', B = 'csr'", "kernel compute_kernel"),
            // Parts read the previous values from the result.
            ("x[i] = x[i] / sum[j](x[j])", "x = 'dense'", "kernel"),
        ];
        for (expr, tensors, expected) in cases {
            assert_eq!(functions(expr, tensors).join(" "), expected, "{expr}");
        }
    }

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
