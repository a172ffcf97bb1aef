//! `precompute(A[i,k] * B[k,j], j, w)`: computes a part of the value into a workspace first.
//!
//! The workspace has an entry for each coordinate of its variables and replaces the part in the
//! value; a sum over variables that are used nowhere else moves into it. It is filled as far
//! outside as the other variables of the part permit (Kjolstad et al. 2019). Unstored entries stay
//! unstored: a part that is present at some coordinates of the workspace only goes into one that
//! records its coordinates, either in a list that is read in order, or in a bit for each.

mod kinds;

use std::sync::Arc;

use super::Candidate;
use crate::concrete::Precomputed;
use crate::concrete::terms::additive_terms;
use crate::error::{Code, Diagnostic, Span};
use crate::format::{Format, LevelSpec};
use crate::names::snake_case;
use crate::notation::schedule::{Accumulator, Action};
use crate::notation::{
    Access, BinaryOp, Expr, Function, Kernel, Reduce, ReduceOp, Tensor, TensorId, TensorRole,
    VariableId,
};
use crate::types::Literal;

pub(super) use kinds::{OPERANDS, is_uniform, leaves_entries, subsets, with_kinds};
use kinds::{kinds, specs};

/// Replaces the precomputed parts of a value by workspaces, with the first kind of workspace for
/// each; returns the place of a command whose expression is not a part of the value, nor of another
/// precomputed part.
pub(super) fn take_out(kernel: &mut Kernel) -> Result<Vec<Precomputed>, Span> {
    let mut taken: Vec<Precomputed> = Vec::new();
    for command in kernel.schedule.clone() {
        let Action::Precompute { value: part, over, workspace, accumulator } = &command.action
        else {
            continue;
        };
        let access = Access { tensor: TensorId(kernel.tensors.len()), indices: over.clone() };
        let search = Search { part, workspace: &access };
        // The whole of another part has a workspace already.
        let parts = taken.iter_mut().map(|taken| &mut taken.value).filter(|value| **value != *part);
        let mut values = std::iter::once(&mut kernel.assignment.value).chain(parts);
        let found = values.find_map(|value| search.within(value).map(|found| (value, found)));
        let Some((of, found)) = found else { return Err(command.span) };
        *of = found.rest;
        let value = (&found.value, Literal::Int(0));
        add_workspace(kernel, &workspace.text, value, over, *accumulator, command.span);
        let op = ReduceOp::SUM;
        taken.push(Precomputed { workspace: access, value: found.value, op, is_copy: false });
    }
    Ok(taken)
}

/// Adds a workspace for a value to the tensors of a kernel, with a mode for each variable. The value
/// comes with that of unstored entries.
pub(super) fn add_workspace(
    kernel: &mut Kernel,
    name: &str,
    (value, fill): (&Expr, Literal),
    over: &[VariableId],
    accumulator: Accumulator,
    span: Span,
) {
    let kinds = kinds(kernel, value, over, accumulator, fill);
    let dtype = kernel.dtype_of(value);
    let mut tensor = tensor(kernel, name, specs(&kinds[0], over.len()), span);
    tensor.role = TensorRole::Workspace(accumulator);
    Arc::make_mut(&mut tensor.format).fill = fill;
    tensor.dtype = dtype.unwrap_or(tensor.dtype);
    let workspace = TensorId(kernel.tensors.len());
    kernel.tensors.push(tensor);
    kernel.note_infinities(workspace, value);
}

/// Returns the diagnostic for a precomputed part without valid loops.
pub(super) fn refuse(
    kernel: &Kernel,
    span: Span,
    part: &Expr,
    over: &[VariableId],
    before: &Candidate,
) -> Diagnostic {
    let shown = kernel.show(part);
    let left = &before.program.kernel;
    if take_out(&mut kernel.clone()).is_err() {
        return Diagnostic::new(
            Code::CannotPrecompute,
            span,
            format!("`{shown}` is not a part of the value"),
        )
        .note(format!("the remaining value is `{}`", left.show(&left.assignment.value)))
        .help("precompute factors of one product, or terms of one sum");
    }
    let over = over.iter().map(|v| format!("`{}`", kernel.variable(*v).name));
    let over = over.collect::<Vec<_>>().join(" and ");
    Diagnostic::new(
        Code::CannotPrecompute,
        span,
        format!("no loop order can fill a workspace for `{shown}`"),
    )
    .note(format!(
        "it would have an entry for each {over}, and must be filled before its entries are read"
    ))
    .help("precompute it over another variable, or remove the command")
}

/// Returns a workspace with the result's type.
fn tensor(kernel: &Kernel, name: &str, levels: Vec<LevelSpec>, span: Span) -> Tensor {
    let result = kernel.tensor(kernel.result());
    Tensor {
        name: name.to_owned(),
        argument: snake_case(name),
        format: Arc::new(Format::of(
            (1..=levels.len()).map(|mode| format!("i{mode}")).collect(),
            levels,
        )),
        dtype: result.dtype,
        by_value: false,
        pattern: false,
        may_be_infinite: false,
        role: TensorRole::Workspace(Accumulator::default()),
        span,
    }
}

/// A part that was found in an expression.
struct Found {
    /// The value with the workspace in place of the part.
    rest: Expr,
    /// The value of the workspace.
    value: Expr,
    /// `true` if an enclosing sum distributes over the part.
    is_linear: bool,
}

struct Search<'e> {
    part: &'e Expr,
    workspace: &'e Access,
}

impl Search<'_> {
    /// Replaces the part in an expression, if it contains it.
    fn within(&self, expr: &Expr) -> Option<Found> {
        if expr == self.part {
            let rest = Expr::Access(self.workspace.clone());
            return Some(Found { rest, value: expr.clone(), is_linear: true });
        }
        match expr {
            Expr::Literal(_)
            | Expr::Constant(_)
            | Expr::Access(_)
            | Expr::Index(_)
            | Expr::Parameter(_) => None,
            Expr::Call(function, arguments) => self.within_call(*function, arguments),
            Expr::Neg(a) => {
                let found = self.within(a)?;
                Some(Found { rest: Expr::neg(found.rest), ..found })
            }
            Expr::Reduce(reduce) => self.within_sum(reduce),
            Expr::Binary(op @ BinaryOp::Mul, a, b) => self
                .among(factors(expr), factors(self.part), Expr::mul)
                .or_else(|| self.below(*op, a, b)),
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let terms = additive_terms(expr.clone());
                self.among(terms, additive_terms(self.part.clone()), Expr::add)
                    .or_else(|| self.below(*op, a, b))
                    .map(|found| Found { is_linear: false, ..found })
            }
            Expr::Binary(op, a, b) => self.below(*op, a, b),
        }
    }

    /// Replaces the part in one of two operands.
    fn below(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Option<Found> {
        if let Some(found) = self.within(a) {
            return Some(Found { rest: Expr::binary(op, found.rest, b.clone()), ..found });
        }
        let found = self.within(b)?;
        let is_linear = found.is_linear && op != BinaryOp::Div;
        Some(Found { rest: Expr::binary(op, a.clone(), found.rest), is_linear, ..found })
    }

    /// Replaces the part in an argument.
    fn within_call(&self, function: Function, arguments: &[Expr]) -> Option<Found> {
        let found = |k: usize| Some((k, self.within(&arguments[k])?));
        let (k, found) = (0..arguments.len()).find_map(found)?;
        let mut changed = arguments.to_vec();
        changed[k] = found.rest;
        Some(Found { rest: Expr::call(function, changed), value: found.value, is_linear: false })
    }

    /// Replaces several operands of an expression at once, in any order; a term may omit its
    /// implicit sum.
    fn among(
        &self,
        mut operands: Vec<Expr>,
        wanted: Vec<Expr>,
        join: fn(Expr, Expr) -> Expr,
    ) -> Option<Found> {
        if wanted.len() < 2 {
            return None;
        }
        let mut taken = Vec::new();
        let mut first = operands.len();
        for wanted in wanted {
            let fits = |operand: &Expr| match operand {
                Expr::Reduce(Reduce { body, op: ReduceOp::SUM, .. }) => **body == wanted,
                Expr::Reduce(_)
                | Expr::Literal(_)
                | Expr::Constant(_)
                | Expr::Access(_)
                | Expr::Index(_)
                | Expr::Parameter(_)
                | Expr::Neg(_)
                | Expr::Binary(..)
                | Expr::Call(..) => false,
            };
            let at = operands.iter().position(|operand| *operand == wanted || fits(operand))?;
            first = first.min(at);
            taken.push(operands.remove(at));
        }
        operands.insert(first.min(operands.len()), Expr::Access(self.workspace.clone()));
        let rest = operands.into_iter().reduce(join)?;
        let value = taken.into_iter().reduce(join)?;
        Some(Found { rest, value, is_linear: true })
    }

    /// Replaces the part within a sum, whose variables move into the workspace if they are used
    /// nowhere else.
    fn within_sum(&self, reduce: &Reduce) -> Option<Found> {
        let found = self.within(&reduce.body)?;
        let is_sum = reduce.op == ReduceOp::SUM;
        let moves = |v: &VariableId| {
            is_sum && found.is_linear && reads_at(&found.value, *v) && !reads_at(&found.rest, *v)
        };
        let (moved, stays): (Vec<VariableId>, Vec<VariableId>) =
            reduce.variables.iter().partition(|v| moves(v));
        Some(Found {
            rest: Reduce { variables: stays, ..reduce.clone() }.of(found.rest),
            value: Expr::sum(moved, found.value),
            is_linear: found.is_linear,
        })
    }
}

/// Returns whether an expression reads a tensor at a coordinate of a variable.
pub(super) fn reads_at(expr: &Expr, v: VariableId) -> bool {
    let mut reads = false;
    expr.for_each_access(&mut |access| reads |= access.indices.contains(&v));
    reads
}

/// Returns the factors of a product.
pub(super) fn factors(expr: &Expr) -> Vec<Expr> {
    match expr {
        Expr::Binary(BinaryOp::Mul, a, b) => {
            let mut all = factors(a);
            all.extend(factors(b));
            all
        }
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Access(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Neg(_)
        | Expr::Call(..)
        | Expr::Reduce(_)
        | Expr::Binary(..) => vec![expr.clone()],
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn workspaces_are_filled_as_far_outside_as_they_can() {
        let cases = [
            (
                "C[i,j] = A[i,k] * B[k,j]",
                "C = 'dense', A = 'csr', B = 'csr'",
                "precompute(A[i,k] * B[k,j], j, row)",
                "∀i (∀j C[i,j] = row[j] where ∀k ∀j row[j] += A[i,k] * B[k,j])",
            ),
            (
                "y[i] = A[i,j] * (b[j] + c[j])",
                "y = 'dense', A = 'csr', b = 'dense', c = 'dense'",
                "precompute(b[j] + c[j], j, w)",
                "∀i (y[i] = sum where ∀j sum += A[i,j] * w[j]) where ∀j w[j] = b[j] + c[j]",
            ),
            // Factors that are not adjacent, with a sum over their variable only.
            (
                "M[i,r] = T[i,j,k] * E[j,r] * D[k,r]",
                "M = 'dense', T = 'csf', D = 'dense', E = 'dense'",
                "precompute(T[i,j,k] * D[k,r], r, w)",
                "∀i ∀j (∀r M[i,r] += w[r] * E[j,r] where ∀k ∀r w[r] += T[i,j,k] * D[k,r])",
            ),
            // A sum that encloses the part's sum is unchanged.
            (
                "y[i] = sum[j](A[i,j] * b[j] + c[j])",
                "y = 'dense', A = 'csr', b = 'dense', c = 'dense'",
                "precompute(c[j], j, w)",
                "∀i (y[i] = sum where ∀j sum += A[i,j] * b[j] + w[j]) where ∀j w[j] = c[j]",
            ),
            // A term together with its sum.
            (
                "C[i,j] = A[i,k] * B[k,j] + D[i,j]",
                "C = 'csr', A = 'csr', B = 'csr', D = 'csr'",
                "precompute(A[i,k] * B[k,j] + D[i,j], j, w)",
                "∀i (∀j C[i,j] = w[j] where (∀j w[j] = D[i,j]; ∀k ∀j w[j] += A[i,k] * B[k,j]))",
            ),
        ];
        for (expr, tensors, command, expected) in cases {
            assert_eq!(loops(expr, tensors, &[command]), expected, "{expr}: {command}");
        }
    }

    #[test]
    fn only_parts_are_precomputed() {
        let loops = |command| {
            let tensors = "y = 'dense', A = 'csr', b = 'dense', c = 'dense'";
            loops("y[i] = A[i,j] * b[j] + c[i]", tensors, &[command])
        };
        assert_eq!(
            loops("precompute(A[i,j] * c[j], j, w)"),
            "`A[i,j] * c[j]` is not a part of the value; \
             the remaining value is `sum[j](A[i,j] * b[j]) + c[i]`"
        );
    }
}
