//! The distributive law: sums are pushed inwards, and the results of inner sums are kept.
//!
//! `y[i] = sum[k,j](A[i,k] * B[k,j] * x[j])` is `y[i] = sum[k](A[i,k] * sum[j](B[k,j] * x[j]))` in
//! every semiring. The inner sum is computed once for each `k` if it goes through a workspace over
//! `k`. Each form is a candidate; its cost decides. A form has the same entries as the statement,
//! but other rounding.
//!
//! An operand at a fixed coordinate is kept as an inner sum is: it is the sum over one coordinate.

use crate::concrete::Precomputed;
use crate::notation::schedule::Accumulator;
use crate::notation::{
    Access, BinaryOp, Expr, Extent, Function, Kernel, Reduce, ReduceOp, TensorId, VariableId,
    VariableRole,
};

use super::eliminate::eliminated;
use super::kept::kept;
use super::keys::by_keys;
use super::precompute::{self, factors};
use super::running::around_one;

/// The number of forms of a value that are compared.
const FORMS: usize = 8;
/// The number of workspaces for the sums of one form.
const WORKSPACES: usize = 2;

/// Returns the forms of a kernel, each with the sums that go through workspaces.
pub(super) fn forms(kernel: &Kernel) -> Vec<(Kernel, Vec<Precomputed>)> {
    let mut values = vec![kernel.assignment.value.clone()];
    let mut of = 0;
    while kernel.reassociate && of < values.len() && values.len() < FORMS {
        for value in distributed(kernel, &values[of]) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        of += 1;
    }
    let with = |value: Expr| {
        let mut kernel = kernel.clone();
        kernel.assignment.value = value;
        (kernel, Vec::new())
    };
    let mut forms: Vec<(Kernel, Vec<Precomputed>)> = values.into_iter().map(with).collect();
    let mut of = 0;
    while of < forms.len() && forms.len() < FORMS * WORKSPACES {
        let (kernel, taken) = &forms[of];
        if taken.len() < WORKSPACES {
            let kept = kept(kernel, taken);
            forms.extend(kept);
        }
        of += 1;
    }
    // These have few orders of their loops that are valid, the value as written may have too many to
    // compare.
    let pushed = Some(kernel).filter(|kernel| kernel.reassociate);
    let is_new = |form: &(Kernel, Vec<Precomputed>)| {
        let same = |(kernel, taken): &(Kernel, Vec<Precomputed>)| {
            kernel.assignment.value == form.0.assignment.value && *taken == form.1
        };
        !forms.iter().any(same)
    };
    let eliminated = pushed.and_then(eliminated).filter(is_new);
    forms.splice(0..0, eliminated);
    forms.splice(0..0, pushed.and_then(by_keys));
    forms.splice(0..0, pushed.and_then(mode_by_mode));
    forms
}

/// Returns the form of a kernel in which a sum is computed mode by mode of a sparse operand, the
/// innermost level first: `R[a,b] = sum[i](U[i,a] * v[b])` where `v[b] = sum[j](X[i,j] * V[j,b])`
/// is filled for each `i`. The sums go through workspaces over all their free variables that the
/// operand does not store (Kanakagiri and Solomonik 2024).
fn mode_by_mode(kernel: &Kernel) -> Option<(Kernel, Vec<Precomputed>)> {
    let Expr::Reduce(Reduce { op: ReduceOp::SUM, variables, body, .. }) = &kernel.assignment.value
    else {
        return None;
    };
    (has_plain_indices(kernel, body) && distributes(body) && only_adds(body)).then_some(())?;
    let mut rest = factors(body);
    let stored = rest.iter().map(|factor| stored_in_order(kernel, factor).unwrap_or_default());
    let (at, stored) = stored.enumerate().max_by_key(|(_, stored)| stored.len())?;
    // The sum so far, which depends on all variables of the operand that are not summed yet.
    let mut sum = rest.remove(at);
    let mut outer: Vec<VariableId> = variables.clone();
    let (mut kernel, mut taken) = (kernel.clone(), Vec::new());
    for v in stored.iter().rev().filter(|v| variables.contains(v)) {
        let (inner, others): (Vec<Expr>, Vec<Expr>) =
            rest.iter().cloned().partition(|factor| uses(factor, *v));
        let reduce = Reduce {
            op: ReduceOp::SUM,
            variables: vec![*v],
            body: Box::new(inner.into_iter().fold(sum.clone(), Expr::mul)),
            dtype: None,
        };
        let mut over = reduce.free_variables();
        over.retain(|v| !stored.contains(v));
        let repeats = |v: &VariableId| !stored.contains(v) && !over.contains(v);
        let is_repeated = kernel.assignment.result.indices.iter().chain(&outer).any(repeats);
        let Some(over) = bounded(&kernel, over).filter(|_| is_repeated) else { break };
        outer.retain(|other| other != v);
        sum = keep(&mut kernel, &mut taken, (reduce.op, Expr::Reduce(reduce)), over);
        rest = others;
    }
    kernel.assignment.value = Expr::sum(outer, rest.into_iter().fold(sum, Expr::mul));
    (!taken.is_empty()).then_some((kernel, taken))
}

/// Returns the variables of the levels of a sparse operand, outermost first.
pub(super) fn stored_in_order(kernel: &Kernel, factor: &Expr) -> Option<Vec<VariableId>> {
    let Expr::Access(access) = factor else { return None };
    let is_sparse = kernel.tensor(access.tensor).format.is_sparse();
    is_sparse.then(|| of_levels(kernel, access).into_iter().collect()).flatten()
}

/// Returns the variables of the levels of a tensor that stores every coordinate, outermost first.
pub(super) fn all_stored(kernel: &Kernel, access: &Access) -> Option<Vec<VariableId>> {
    let is_sparse = kernel.tensor(access.tensor).format.is_sparse();
    (!is_sparse).then(|| of_levels(kernel, access).into_iter().flatten().collect())
}

/// Returns the variables of the levels of a tensor, outermost first: `None` for a level whose coordinate
/// is not an index of the tensor.
fn of_levels(kernel: &Kernel, access: &Access) -> Vec<Option<VariableId>> {
    let format = &kernel.tensor(access.tensor).format;
    let modes = (0..format.levels.len()).map(|level| format.mode_of(level));
    modes.map(|mode| Some(access.indices[mode?])).collect()
}

/// Returns the modes of a workspace that takes no more memory than a tensor of the kernel: it has one
/// mode, or all its variables index a tensor that stores every coordinate, whose order they have.
pub(super) fn bounded(kernel: &Kernel, over: Vec<VariableId>) -> Option<Vec<VariableId>> {
    if over.len() < 2 {
        return (!over.is_empty()).then_some(over);
    }
    let mut accesses = vec![kernel.assignment.result.clone()];
    kernel.assignment.value.for_each_access(&mut |access| accesses.push(access.clone()));
    accesses.iter().find_map(|access| {
        let stored = all_stored(kernel, access)?.into_iter();
        let modes: Vec<VariableId> = stored.filter(|v| over.contains(v)).collect();
        over.iter().all(|v| modes.contains(v)).then_some(modes)
    })
}

/// Adds a workspace for a part, whose values are combined by `op`, unless it has one, and returns the
/// access that replaces it.
pub(super) fn keep(
    kernel: &mut Kernel,
    taken: &mut Vec<Precomputed>,
    (op, part): (ReduceOp, Expr),
    over: Vec<VariableId>,
) -> Expr {
    let is_unbounded = |v: &VariableId| kernel.variable(*v).extent == Extent::Unbounded;
    let accumulator = match over.iter().any(is_unbounded) {
        true => Accumulator::Hashed,
        false => Accumulator::default(),
    };
    let is_same = |own: &&Precomputed| own.value == part && own.workspace.indices == over;
    if let Some(own) = taken.iter().find(is_same) {
        return Expr::Access(own.workspace.clone());
    }
    let access = Access { tensor: TensorId(kernel.tensors.len()), indices: over };
    let (name, span) = (unused_name(kernel), kernel.span);
    let value = (&part, op.of_nothing());
    precompute::add_workspace(kernel, name, value, &access.indices, accumulator, span);
    // Workspaces that others read come last.
    let own = Precomputed { workspace: access.clone(), value: part, op, is_copy: false };
    taken.insert(0, own);
    Expr::Access(access)
}

/// Returns the values that differ by one step: a sum over one variable is pushed inwards, past the
/// factors that do not use the variable.
fn distributed(kernel: &Kernel, value: &Expr) -> Vec<Expr> {
    let mut changed = Vec::new();
    if let Expr::Reduce(reduce @ Reduce { op: ReduceOp::SUM, variables, body, .. }) = value
        && has_plain_indices(kernel, body)
        && distributes(body)
    {
        changed.extend(variables.iter().filter_map(|v| pushed(reduce, *v)));
        changed.extend(around_one(reduce));
    }
    for (k, child) in value.children().enumerate() {
        for other in distributed(kernel, child) {
            let mut at = 0;
            changed.push(value.map_children(&mut |child| {
                at += 1;
                if at == k + 1 { other.clone() } else { child.clone() }
            }));
        }
    }
    changed
}

/// Returns whether a product may be taken out of a sum: no factor can be infinite by itself, which
/// times an empty sum would not be zero.
pub(super) fn distributes(expr: &Expr) -> bool {
    let may_be = match expr {
        Expr::Access(_)
        | Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Neg(_)
        | Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)
        | Expr::Call(Function::Present | Function::Not, _)
        | Expr::Reduce(Reduce { op: ReduceOp::SUM, .. }) => true,
        Expr::Call(Function::Operator(op), _) => op.compares(),
        Expr::Call(Function::Mask, masked) => return distributes(&masked[1]),
        Expr::Binary(..) | Expr::Call(..) | Expr::Reduce(_) => false,
    };
    may_be && expr.children().all(distributes)
}

/// Returns whether an expression has no quotient and no other reductions than sums: where the
/// operands have no entry, the workspace of such a sum has none either, and the sum is zero.
pub(super) fn only_adds(expr: &Expr) -> bool {
    let adds = match expr {
        Expr::Reduce(reduce) => reduce.op == ReduceOp::SUM,
        Expr::Binary(op, ..) => *op != BinaryOp::Div,
        Expr::Call(Function::Quotient | Function::Ratio | Function::Remainder, _) => false,
        _ => true,
    };
    adds && expr.children().all(only_adds)
}

/// Returns a sum with the part over `v` pushed inwards: the factors that use it, and the predicates.
fn pushed(Reduce { variables, body, .. }: &Reduce, v: VariableId) -> Option<Expr> {
    let (conditions, value) = body.split_mask();
    let (inner, outer): (Vec<Expr>, Vec<Expr>) =
        factors(value).into_iter().partition(|factor| uses(factor, v));
    let (tested, before): (Vec<&Expr>, Vec<&Expr>) =
        conditions.into_iter().partition(|condition| uses(condition, v));
    let others: Vec<VariableId> = variables.iter().copied().filter(|other| *other != v).collect();
    // The loops test a predicate of the whole sum before it.
    (!outer.is_empty() || !before.is_empty() && !others.is_empty()).then_some(())?;
    let inner = inner.into_iter().reduce(Expr::mul)?.where_all(tested.into_iter().cloned());
    let all = outer.into_iter().chain([Expr::sum(vec![v], inner)]).reduce(Expr::mul)?;
    Some(Expr::sum(others, all.where_all(before.into_iter().cloned())))
}

/// Calls `visit` with every part of an expression, itself included, and the variables of the loops
/// around the part.
pub(super) fn for_each_part<'e>(
    expr: &'e Expr,
    around: &mut Vec<VariableId>,
    visit: &mut impl FnMut(&'e Expr, &[VariableId]),
) {
    visit(expr, around);
    let before = around.len();
    if let Expr::Reduce(reduce) = expr {
        around.extend(&reduce.variables);
    }
    expr.children().for_each(|child| for_each_part(child, around, visit));
    around.truncate(before);
}

pub(super) fn uses(expr: &Expr, v: VariableId) -> bool {
    expr.variables().contains(&v)
}

/// Returns whether all indices are variables of the statement: the factors that use another one may
/// depend on several variables.
pub(super) fn has_plain_indices(kernel: &Kernel, expr: &Expr) -> bool {
    let is_plain = |v: &VariableId| kernel.variable(*v).role == VariableRole::Index;
    expr.variables().iter().all(is_plain)
}

/// Returns a name for a workspace. Those of gathered rows are named `w`.
fn unused_name(kernel: &Kernel) -> &'static str {
    let is_used = |name: &&str| kernel.tensors.iter().any(|tensor| tensor.argument == **name);
    ["v", "u", "t", "s", "r", "q"].into_iter().find(|name| !is_used(name)).unwrap_or("w")
}

/// Replaces a part of an expression everywhere, also within reductions.
pub(super) fn replaced(expr: &Expr, old: &Expr, new: &Expr) -> Expr {
    match expr == old {
        true => new.clone(),
        false => expr.map_children(&mut |child| replaced(child, old, new)),
    }
}
