//! `reorder(i, k, j)`: nests the loops in this order.
//!
//! The order is a constraint like those of the formats, edges of the iteration graph, so that the
//! cheapest of the remaining orders is chosen. A cycle of edges explains an error.

use super::convert::Conversion;
use super::refuse::describe;
use super::{Candidate, starts};
use crate::concrete::DemandedOrder;
use crate::concrete::space::{Basis, Space};
use crate::error::{Code, Diagnostic, Span};
use crate::iteration::graph::{IterationGraph, Reason, last_appended};
use crate::notation::schedule::{Action, Command};
use crate::notation::{Kernel, VariableId};

/// Returns every pair of loops that the schedule orders.
pub(super) fn demanded(kernel: &Kernel, space: &Space, basis: &Basis) -> Vec<DemandedOrder> {
    let loops = |v: &VariableId| space.loops_named(basis, *v);
    let pair = |before, after, command: &Command<_, _, _>| DemandedOrder {
        before,
        after,
        command: command.text.clone(),
        // Loops over the inner variable may come before those over the outer one, not around them.
        yields: matches!(command.action, Action::Parallelize(_)),
    };
    let mut pairs = Vec::new();
    for command in &kernel.schedule {
        if let Action::Parallelize(outer) = command.action {
            let inner = kernel.looped_variables().filter(|v| *v != outer);
            for inner in inner.flat_map(|v| basis.loops(v)) {
                let before = loops(&outer);
                // Positions are divided into parts outside of the loops over the coordinates.
                let before = match basis.has_limits() {
                    true => before[..1].to_vec(),
                    false => before,
                };
                let before = before.into_iter().filter(|before| *before != inner);
                pairs.extend(before.map(|before| pair(before, inner, command)));
            }
        }
        let Action::Reorder(variables) = &command.action else { continue };
        for (k, outer) in variables.iter().enumerate() {
            for inner in &variables[k + 1..] {
                for before in loops(outer) {
                    let after = loops(inner).into_iter();
                    pairs.extend(after.map(|after| pair(before, after, command)));
                }
            }
        }
    }
    pairs
}

/// Returns the diagnostic for an impossible order.
pub(super) fn refuse(
    kernel: &Kernel,
    span: Span,
    variables: &[VariableId],
    before: &Candidate,
) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(Code::CannotReorder, span, "the loops cannot be nested in this order");
    // The result may be assembled in another way than its own.
    let mut conversion = before.conversion.clone();
    match conversion.count() {
        0 => conversion.kernel.schedule.clone_from(&kernel.schedule),
        _ => conversion = Conversion::none(kernel),
    }
    let starts = starts(&conversion);
    let graphs = starts.iter().filter_map(IterationGraph::of);
    let mut circles = graphs.filter_map(|graph| {
        let circle: Vec<_> = graph.cycle()?.into_iter().cloned().collect();
        circle.iter().any(|edge| matches!(edge.reason, Reason::Schedule(_))).then_some(circle)
    });
    let diagnostic = match circles.next() {
        Some(circle) => {
            // The command itself is printed above the caret.
            let names = &starts[0].kernel;
            let others = circle.iter().filter(
                |edge| !matches!(&edge.reason, Reason::Schedule(text) if kernel.schedule.last().is_some_and(|last| last.text == *text)),
            );
            others.fold(diagnostic, |diagnostic, edge| diagnostic.note(describe(names, edge)))
        }
        None => diagnostic.note(without_loops(kernel, variables)),
    };
    let mut possible: Vec<VariableId> = before.order.clone();
    possible.retain(|v| variables.contains(v));
    if possible.len() == variables.len() {
        let names: Vec<&str> = possible.iter().map(|v| kernel.variable(*v).name.as_str()).collect();
        return diagnostic.help(format!("write `reorder({})`", names.join(", ")));
    }
    diagnostic.help("remove the command: the order of the loops is chosen automatically")
}

/// Returns why no loops can have an order that the formats allow.
fn without_loops(kernel: &Kernel, variables: &[VariableId]) -> String {
    let result = &kernel.assignment.result;
    let summed: Vec<_> =
        variables.iter().filter(|v| !result.indices.contains(v)).copied().collect();
    let sums = match summed.is_empty() {
        true => "a sum".to_owned(),
        false => format!("the sum over `{}`", kernel.show_variables(&summed)),
    };
    if last_appended(kernel).is_some() {
        let format = &kernel.tensor(result.tensor).format;
        return format!(
            "`{}` is assembled in the order of its format, `{format}`: {sums} outside of \
             several of its loops would require a workspace over all of them",
            kernel.show_access(result),
        );
    }
    format!("{sums} is an operand of an expression that cannot be computed term by term")
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn loops_stand_as_they_are_told_to() {
        let spmv = "y[i] = A[i,j] * x[j]";
        let dense = "y = 'dense', A = 'dense', x = 'dense'";
        assert_eq!(loops(spmv, dense, &["reorder(j, i)"]), "∀j ∀i y[i] += A[i,j] * x[j]");
        let product = "C[i,j] = A[i,k] * B[k,j]";
        let tensors = "C = 'dense', A = 'csr', B = 'dense'";
        let inner = "∀i ∀j (C[i,j] = sum where ∀k sum += A[i,k] * B[k,j])";
        assert_eq!(loops(product, tensors, &["reorder(j, k)"]), inner);
        let outer = "∀j ∀i (C[i,j] = sum where ∀k sum += A[i,k] * B[k,j])";
        assert_eq!(loops(product, tensors, &["reorder(j, i)", "reorder(i, k)"]), outer);
        // Conversions that are possible without a schedule are allowed.
        let tensors = "C = 'csr', A = 'csr', B = 'csc'";
        let gustavson = "∀i (∀j C[i,j] = w[j] where ∀k ∀j w[j] += A[i,k] * B[k,j])";
        assert_eq!(loops(product, tensors, &["reorder(i, k, j)"]), gustavson);
        let matched = "∀i (∀j (C[i,j] = sum where ∀k sum += a_lookup[k] * B[k,j]) \
                       where ∀k a_lookup[k] = A[i,k])";
        assert_eq!(loops(product, tensors, &["reorder(i, j, k)"]), matched);
    }

    #[test]
    fn blocks_and_places_both_stand_where_their_variable_does() {
        let tensors = "y = 'dense', A = 'blocks', x = 'dense'";
        assert_eq!(
            loops("y[i] = A[i,j] * x[j]", tensors, &["reorder(i, j)"]),
            "∀io ∀ii (y[i] = sum where ∀jo ∀ji sum += A[i,j] * x[j])"
        );
    }

    #[test]
    fn what_formats_do_not_allow_is_explained() {
        let product = "C[i,j] = A[i,k] * B[k,j]";
        let cannot = "the loops cannot be nested in this order; ";
        for (tensors, order, reason) in [
            (
                "C = 'dense', A = 'csr', B = 'dense'",
                "reorder(k, i)",
                "`A[i,k]` is stored as `(i, j) -> (i : dense, j : compressed)`, which is traversed by \
                 `i` before `k`",
            ),
            (
                "C = 'csr', A = 'csc', B = 'csr'",
                "reorder(k, i, j)",
                "`C[i,j]` is assembled in the order of its format, `(i, j) -> (i : dense, j : \
                 compressed)`: the sum over `k` outside of several of its loops would \
                 require a workspace over all of them",
            ),
        ] {
            assert_eq!(loops(product, tensors, &[order]), format!("{cannot}{reason}"));
        }
        let two = loops(
            "C[i,j] = A[i,j] + B[i,j]",
            "C = 'dense', A = 'dense', B = 'dense'",
            &["reorder(i, j)", "reorder(j, i)"],
        );
        assert_eq!(two, format!("{cannot}`reorder(i, j)` requires `i` outside of `j`"));
    }
}
