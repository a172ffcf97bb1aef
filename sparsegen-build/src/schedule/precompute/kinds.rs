//! The kinds of workspaces: what they record beside their values.

use std::sync::Arc;

use crate::concrete::{Precomputed, Program};
use crate::format::{LevelExpr, LevelSpec};
use crate::level::{self, Level};
use crate::notation::schedule::Accumulator;
use crate::notation::{
    Access, BinaryOp, Expr, Extent, Kernel, TensorRole, VariableId, VariableRole,
};
use crate::schedule::distribute::only_adds;
use crate::types::Literal;

/// The number of operands that are considered together with a workspace, each as present and absent.
pub(in crate::schedule) const OPERANDS: usize = 4;

/// Returns the programs with each kind of workspace that supports its values.
pub(in crate::schedule) fn with_kinds(program: Program) -> Vec<Program> {
    let mut programs = vec![program.clone()];
    for precomputed in program.precomputed.iter().filter(|part| !part.is_copy) {
        let id = precomputed.workspace.tensor;
        let over = &precomputed.workspace.indices;
        let TensorRole::Workspace(accumulator) = program.tensor(id).role else { continue };
        let fill = program.tensor(id).format.fill;
        let mut kinds = kinds(&program.kernel, &precomputed.value, over, accumulator, fill);
        let is_other = accumulator != Accumulator::Hashed
            && !is_uniform(&program.kernel, &precomputed.value, over, fill);
        if is_other && (is_read_as_fill(&program, precomputed) || stores_all(&program.kernel)) {
            kinds.push(level::full_workspace());
        }
        let with_kind = |program: &Program, level: &Arc<dyn Level>| {
            let mut program = program.clone();
            let tensor = &mut program.kernel.tensors[id.0];
            Arc::make_mut(&mut tensor.format).levels = specs(level, over.len());
            program
        };
        programs = programs
            .iter()
            .flat_map(|program| kinds.iter().map(|level| with_kind(program, level)))
            .collect();
    }
    programs
}

/// Returns whether the result has an element for each coordinate, which is a sum of products: entries that
/// a factor does not have add 0, as no other factor is infinite.
fn stores_all(kernel: &Kernel) -> bool {
    let (result, value) = (kernel.tensor(kernel.result()), &kernel.assignment.value);
    !result.format.is_sparse() && only_adds(value) && !multiplies_infinity(kernel, value)
}

/// Returns whether a product has a factor that may be infinite.
fn multiplies_infinity(kernel: &Kernel, value: &Expr) -> bool {
    match value {
        Expr::Binary(BinaryOp::Mul, ..) => kernel.may_be_infinite(value),
        value => value.children().any(|child| multiplies_infinity(kernel, child)),
    }
}

/// Returns whether an unstored entry of a workspace may be read as the fill value: which entries a
/// value has depends on other operands only, as in `A[i,j] / w[j]`.
fn is_read_as_fill(program: &Program, part: &Precomputed) -> bool {
    let kernel = &program.kernel;
    let parts = program.precomputed.iter().filter(|other| *other != part).map(|other| &other.value);
    let mut values = std::iter::once(&kernel.assignment.value).chain(parts);
    values.all(|value| {
        !value.reads(&part.workspace) || depends_on_others_only(kernel, value, &part.workspace)
    })
}

/// Returns whether a workspace does not determine which entries the result has.
pub(in crate::schedule) fn leaves_entries(kernel: &Kernel, value: &Expr, own: &Access) -> bool {
    !kernel.tensor(kernel.result()).format.is_sparse() || depends_on_others_only(kernel, value, own)
}

/// Returns whether the presence of a value depends on other operands than `own` only.
fn depends_on_others_only(kernel: &Kernel, value: &Expr, own: &Access) -> bool {
    let mut others = kernel.sparse_accesses(value);
    others.retain(|access| *access != own);
    let is_independent = |absent: Vec<&Access>| {
        let without_own = [&absent[..], &[own]].concat();
        is_zero_without(kernel, value, &absent) == is_zero_without(kernel, value, &without_own)
    };
    others.len() <= OPERANDS && subsets(&others).all(is_independent)
}

/// Returns whether a value is zero if some operands are absent.
fn is_zero_without(kernel: &Kernel, value: &Expr, absent: &[&Access]) -> bool {
    let fill = |access: &Access| absent.contains(&access).then(|| kernel.fill(access.tensor));
    // There are separate loops for an empty range that makes a difference.
    value.substitute(&fill).with_constant_reductions().is_zero()
}

/// Returns all subsets of some items.
pub(in crate::schedule) fn subsets<T: Copy>(items: &[T]) -> impl Iterator<Item = Vec<T>> {
    let contains = |set: usize, k: usize| set >> k & 1 == 1;
    let members = move |set| (0..items.len()).filter(move |k| contains(set, *k));
    (0..1_usize << items.len()).map(move |set| members(set).map(|k| items[k]).collect())
}

/// Returns the last level of each kind of workspace for a value; the levels above are full. A value
/// that is present at all coordinates or at none needs no record of them, except in a hash table.
/// The list of a workspace that is read in order has one mode, which has an extent. Unstored entries are
/// `fill`.
pub(super) fn kinds(
    kernel: &Kernel,
    value: &Expr,
    over: &[VariableId],
    accumulator: Accumulator,
    fill: Literal,
) -> Vec<Arc<dyn Level>> {
    let is_array = accumulator != Accumulator::Hashed;
    let is_bounded = |v: &VariableId| kernel.variable(*v).extent != Extent::Unbounded;
    match over {
        _ if is_array && is_uniform(kernel, value, over, fill) => vec![level::full_workspace()],
        // Keys are looked up.
        [v] if is_bounded(v) => vec![level::workspace(), level::lookup_workspace()],
        _ => vec![level::lookup_workspace()],
    }
}

/// Returns whether a value is present at all coordinates of some variables or at none, given those of
/// the other variables: no sparse operand is indexed by them, and no condition depends on them. It is
/// absent where it is known to be `fill`.
pub(in crate::schedule) fn is_uniform(
    kernel: &Kernel,
    value: &Expr,
    over: &[VariableId],
    fill: Literal,
) -> bool {
    let mut masks = Vec::new();
    value.collect_masks(&mut masks);
    if masks.iter().any(|mask| mask.variables().iter().any(|v| over.contains(v))) {
        return false;
    }
    // There are separate loops for an empty range that makes a difference.
    let absent = kernel.without_entries(value).with_constant_reductions();
    if !absent.as_literal().is_some_and(|absent| absent.is_same(fill)) {
        return true;
    }
    let mut depends = false;
    value.for_each_access(&mut |access| {
        let is_sparse = kernel.tensor(access.tensor).format.is_sparse();
        depends |= access.indices.iter().any(|v| {
            let is_index = kernel.variable(*v).role == VariableRole::Index;
            !is_index || is_sparse && over.contains(v)
        });
    });
    value.for_each_variable(&mut |v| depends |= over.contains(&v));
    !depends
}

/// Returns the levels of a workspace with a number of modes: full ones above the last.
pub(super) fn specs(last: &Arc<dyn Level>, modes: usize) -> Vec<LevelSpec> {
    let level = |mode: usize| match mode + 1 == modes {
        true => Arc::clone(last),
        false => level::full_workspace(),
    };
    (0..modes).map(|mode| LevelSpec::new(LevelExpr::Dimension(mode), level(mode))).collect()
}
