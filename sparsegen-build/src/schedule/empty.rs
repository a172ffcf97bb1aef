//! Reductions over empty ranges, in statements whose result does not store values that are known to
//! be the fill value.
//!
//! `min[j](A[i,j])` is 0 if a row of `A` has no entries, so a sparse result only visits the other
//! rows. If the range of `j` is empty, it is infinite, and every row must be stored. Such a
//! statement has two versions, and the extent of `j` selects one. Variables of the same mode have the
//! same extent: the columns of `B[i,j] = A[i,j] - max[k](A[i,k])` are none if the range of `k` is
//! empty, and one version suffices.

use std::sync::Arc;

use super::Candidate;
use super::nest::nest_into;
use super::terms::nest_terms;
use crate::concrete::space::Basis;
use crate::concrete::{Program, Stmt, Temporary};
use crate::iteration::graph::IterationGraph;
use crate::iteration::plan::{Plan, plan};
use crate::limits::{ABSENT, Budget};
use crate::notation::{
    Access, Expr, Extent, Function, Kernel, Reduce, ReduceOp, VariableId, VariableRole,
};
use crate::types::{Dtype, Literal};

/// Returns the chosen loops, with an additional version for each range whose emptiness affects
/// them.
pub(super) fn with_versions(found: Candidate, budget: &Budget) -> (Program, Plan) {
    let Candidate { order, terms, sums, program, plan: usual, .. } = found;
    if !program.some_may_lack_entries() || order.is_empty() && terms.is_empty() {
        return (program, usual);
    }
    let value = program.kernel.assignment.value.clone();
    let accumulate = program.kernel.in_place.then_some(ReduceOp::SUM);
    let nest_in = |versioned: &mut Program, empty: &[VariableId], is_plain: bool| {
        let of_empty = |value: &Expr| over_nothing(&program, value, empty);
        if !terms.is_empty() {
            return nest_terms(versioned, &terms, &of_empty);
        }
        let value = of_empty(&value);
        let (basis, order) = match is_plain {
            true => plain_loops(&program, &value)?,
            false => (without_blocks_of_others(&program, &value), order.clone()),
        };
        versioned.basis = basis;
        for part in &mut versioned.precomputed {
            part.value = of_empty(&part.value);
        }
        let stmt = nest_into(versioned, &order, sums, accumulate, value);
        versioned.basis = program.basis.clone();
        versioned.precomputed = program.precomputed.clone();
        stmt
    };
    let whole = program.without_workspaces(&value);
    let ranges = extents(&program, &whole);
    // Diagonals and blocks that only operands have do not drive the loops of a version. If versions
    // for several empty ranges are too much code, there is one for each range.
    for (is_plain, together) in [(false, true), (false, false), (true, true), (true, false)] {
        let nest =
            |versioned: &mut Program, empty: &[VariableId]| nest_in(versioned, empty, is_plain);
        let versions = Versions { value: &whole, together, nest: &nest };
        let mut versioned = program.clone();
        let usual_loops = versioned.body.clone();
        versioned.body = versions.split(&mut versioned, &ranges, &mut Vec::new(), usual_loops);
        if !versioned.has_versions {
            break;
        }
        if let Ok(plan) = plan(&versioned, budget) {
            return (versioned, plan);
        }
    }
    (program, usual)
}

/// Returns the choices of a program, but no loops over blocks of the positions of operands that a value
/// does not read.
fn without_blocks_of_others(program: &Program, value: &Expr) -> Basis {
    program.basis.with_blocks(|block| {
        let positions = program.space.positions_of(block);
        let counted = positions.and_then(|v| program.space.counted_positions(&program.kernel, v));
        counted.is_none_or(|(access, _)| value.reads(access))
    })
}

/// Returns the first order of loops over the index variables in which a value can be computed.
fn plain_loops(program: &Program, value: &Expr) -> Option<(Basis, Vec<VariableId>)> {
    let looped: Vec<VariableId> = program.kernel.looped_variables().collect();
    let basis = program.space.bases(&looped).into_iter().next()?;
    let mut start = Program { basis: basis.clone(), ..program.clone() };
    start.kernel.assignment.value = value.clone();
    let order = IterationGraph::of(&start)?.orders().into_iter().next()?;
    Some((basis, order))
}

/// The versions of the loops of a statement.
struct Versions<'v> {
    /// The value without workspaces.
    value: &'v Expr,
    /// `true` if several ranges may be empty.
    together: bool,
    /// Builds the loops if some ranges are empty.
    nest: &'v dyn Fn(&mut Program, &[VariableId]) -> Option<Stmt>,
}

impl Versions<'_> {
    /// Returns `usual`, the loops if the ranges of `empty` are empty, with a version for each extent
    /// of `ranges`. Within the version of an extent, those before it may be 0 as well.
    fn split(
        &self,
        program: &mut Program,
        ranges: &[Vec<VariableId>],
        empty: &mut Vec<VariableId>,
        usual: Stmt,
    ) -> Stmt {
        let value = over_nothing(program, self.value, empty);
        let mut body = usual;
        for (before, same) in ranges.iter().enumerate() {
            let of_empty = over_nothing(program, &value, same);
            if !makes_a_difference(program, same, &value, &of_empty) {
                continue;
            }
            let others = empty.len();
            empty.extend(same);
            let version = (self.nest)(program, empty);
            let inner = if self.together { &ranges[..before] } else { &[] };
            let version = version.map(|stmt| self.split(program, inner, empty, stmt));
            empty.truncate(others);
            if let Some(version) = version {
                body = either(program, same[0], body, version);
            }
        }
        body
    }
}

/// Returns loops that run `usual` unless the range of a variable is empty, and `version` if it is.
fn either(program: &mut Program, v: VariableId, usual: Stmt, version: Stmt) -> Stmt {
    let name = format!("has_{}", program.kernel.variable(v).name);
    let flag = program.add_temporary(&name, Dtype::Bool, None);
    let flag = Access { tensor: flag, indices: Vec::new() };
    let exists = Expr::Literal(Literal::Bool(true));
    let exists =
        Stmt::forall(v, Arc::default(), Stmt::assign(flag.clone(), Some(ReduceOp::ANY), exists));
    let is_empty = Expr::call(Function::Not, vec![Expr::Access(flag.clone())]);
    let both = Stmt::sequence(vec![
        Stmt::when(Expr::Access(flag.clone()), usual),
        Stmt::when(is_empty, version),
    ]);
    program.has_versions = true;
    Stmt::where_(vec![Temporary { tensor: flag.tensor, op: ReduceOp::ANY }], both, exists)
}

/// Returns the variables of reductions whose ranges may be empty while the result has elements,
/// variables of the same extent together.
fn extents(program: &Program, value: &Expr) -> Vec<Vec<VariableId>> {
    let kernel = &program.kernel;
    let mut extents: Vec<Vec<VariableId>> = Vec::new();
    for v in ranges(value) {
        // No version is needed where `sizes` gives the extent.
        let is_known = match kernel.variable(v).extent {
            Extent::OfModes => false,
            Extent::Declared(size) => size != 0,
            Extent::Unbounded => true,
        };
        if is_known || extents.iter().any(|same| same.contains(&v)) {
            continue;
        }
        let same = of_same_extent(kernel, v);
        if !same.iter().any(|other| kernel.assignment.result.indices.contains(other)) {
            extents.push(same);
        }
    }
    extents
}

/// Returns the variables that range over the same modes as a variable, and that variable first.
fn of_same_extent(kernel: &Kernel, v: VariableId) -> Vec<VariableId> {
    let accesses = || kernel.accesses.iter().chain([&kernel.assignment.result]);
    let modes = || {
        accesses().flat_map(|access| {
            access
                .indices
                .iter()
                .enumerate()
                .map(|(mode, v)| ((kernel.passed_as(access.tensor), mode), *v))
        })
    };
    let mut same = vec![v];
    let mut next = 0;
    while let Some(v) = same.get(next).copied() {
        for (of, _) in modes().filter(|(_, index)| *index == v) {
            for (_, other) in modes().filter(|(mode, _)| *mode == of) {
                let is_index = kernel.variable(other).role == VariableRole::Index;
                if is_index && !same.contains(&other) {
                    same.push(other);
                }
            }
        }
        next += 1;
    }
    same
}

/// Returns the variables of all reductions in a value, and those whose coordinates are counted.
fn ranges(value: &Expr) -> Vec<VariableId> {
    let mut ranges = match value {
        Expr::Reduce(reduce) => reduce.variables.clone(),
        value => value.is_fewer_than_all().map_or(Vec::new(), |(_, variables)| variables),
    };
    for v in value.children().flat_map(self::ranges) {
        if !ranges.contains(&v) {
            ranges.push(v);
        }
    }
    ranges
}

/// Returns a value with an empty range for reductions over any of some variables, in workspaces as
/// well.
fn over_nothing(program: &Program, value: &Expr, empty: &[VariableId]) -> Expr {
    let is_over = |variables: &[VariableId]| variables.iter().any(|v| empty.contains(v));
    let of_nothing =
        |reduce: &Reduce| is_over(&reduce.variables).then(|| of_nothing(&program.kernel, reduce));
    let kept = |access: &Access| {
        let part = program.precomputed.iter().find(|part| part.workspace == *access)?;
        let Expr::Reduce(reduce) = &part.value else { return None };
        of_nothing(reduce)
    };
    none_is_missing(&map_reductions(value, &of_nothing).substitute(&kept), &is_over)
}

/// Returns a value in which no number is below that of all coordinates of an empty range.
fn none_is_missing(value: &Expr, is_empty: &dyn Fn(&[VariableId]) -> bool) -> Expr {
    match value.is_fewer_than_all() {
        Some((_, variables)) if is_empty(&variables) => Expr::Literal(Literal::Bool(false)),
        _ => value.map_children(&mut |child| none_is_missing(child, is_empty)),
    }
}

/// Returns the value of a reduction over an empty range. The greatest and least integers depend on
/// the type.
fn of_nothing(kernel: &Kernel, reduce: &Reduce) -> Expr {
    let literal = Expr::Literal(reduce.op.of_nothing());
    match kernel.dtype_of(&Expr::Reduce(reduce.clone())).filter(|dtype| dtype.integers().is_some())
    {
        Some(dtype) if literal == Expr::Literal(Literal::Least) && dtype.is_unsigned() => {
            Expr::ZERO
        }
        Some(dtype) if !reduce.op.tells_where => {
            Expr::call(Function::Convert(dtype), vec![literal])
        }
        Some(_) | None => literal,
    }
}

/// Replaces every reduction for which `replace` returns an expression, the inner ones first.
fn map_reductions(value: &Expr, replace: &dyn Fn(&Reduce) -> Option<Expr>) -> Expr {
    let Expr::Reduce(reduce) = value else {
        return value.map_children(&mut |child| map_reductions(child, replace));
    };
    let body = map_reductions(&reduce.body, replace);
    let within = Reduce { body: Box::new(body), ..reduce.clone() };
    replace(&within).unwrap_or_else(|| within.of((*within.body).clone()))
}

/// Returns whether the loops are wrong for some set of present operands if a range is empty: they
/// would store nothing where an entry is required, or reduce unstored elements that do not exist.
/// Operands indexed by its variables are then absent. If other operands are absent, the loops visit
/// nothing.
fn makes_a_difference(
    program: &Program,
    same: &[VariableId],
    value: &Expr,
    of_empty: &Expr,
) -> bool {
    let is_over = |variables: &[VariableId]| variables.iter().any(|v| same.contains(v));
    let sparse = program.kernel.sparse_accesses(value);
    let (empty, others): (Vec<&Access>, Vec<&Access>) =
        sparse.into_iter().partition(|access| is_over(&access.indices));
    if others.len() > ABSENT {
        return true;
    }
    (0..1_usize << others.len()).any(|set| {
        let absent = |access: &Access| {
            empty.contains(&access)
                || others
                    .iter()
                    .position(|other| *other == access)
                    .is_some_and(|k| set >> k & 1 != 0)
        };
        let in_region =
            |value: &Expr| value.in_region(&program.kernel, &absent, &|access| !absent(access));
        let constant = |reduce: &Reduce| reduce.op.of_constant(&reduce.body, false);
        let known = |value: &Expr| in_region(value).with_constant_reductions();
        let over_empty = |reduce: &Reduce| {
            let known = constant(reduce)?;
            let is_empty = is_over(&reduce.variables);
            Some(if is_empty { of_nothing(&program.kernel, reduce) } else { known })
        };
        // The loops fold reductions of constants: all of them, or only those whose operands are absent.
        // The third value is the right one.
        let folded = known(&map_reductions(value, &constant));
        let of_constants =
            |reduce: &Reduce| over_empty(reduce).filter(|_| reduce.body.is_constant());
        let partly = known(&map_reductions(&map_reductions(value, &of_constants), &constant));
        let exact = map_reductions(&in_region(value), &over_empty);
        let exact = none_is_missing(&exact, &is_over);
        let exact = exact.with_constant_reductions();
        folded != exact || partly != exact || folded.is_zero() && !known(of_empty).is_zero()
    })
}
