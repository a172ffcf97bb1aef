//! Reductions over empty ranges, in statements whose result does not store values that are known to
//! be the fill value.
//!
//! `min[j](A[i,j])` is 0 if a row of `A` has no entries, so a sparse result only visits the other
//! rows. If the range of `j` is empty, it is infinite, and every row must be stored. Such a
//! statement has two versions, and the extent of `j` selects one.

use std::rc::Rc;

use super::nest::nest_into;
use super::{Candidate, nest_terms};
use crate::concrete::terms::outermost_reductions;
use crate::concrete::{Program, Stmt, Temporary};
use crate::iteration::plan::{Plan, plan};
use crate::limits::{ABSENT, Budget};
use crate::notation::{Access, Expr, Function, Kernel, Reduce, ReduceOp, VariableId};
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
    let mut versioned = program.clone();
    for v in ranges(&value) {
        let of_empty = over_nothing(&program.kernel, &value, v);
        if !makes_a_difference(&program, v, &value, &of_empty) {
            continue;
        }
        let version = match &terms[..] {
            [] => nest_into(&mut versioned, &order, sums, accumulate, of_empty),
            terms => {
                let kernel = versioned.kernel.clone();
                let of_empty = |value: &Expr| over_nothing(&kernel, value, v);
                nest_terms(&mut versioned, terms, &of_empty)
            }
        };
        let Some(version) = version else { continue };
        let name = format!("has_{}", program.kernel.variable(v).name);
        let flag = versioned.add_temporary(name, Dtype::Bool, None);
        let flag = Access { tensor: flag, indices: Vec::new() };
        let exists = Expr::Literal(Literal::Bool(true));
        let exists =
            Stmt::forall(v, Rc::default(), Stmt::assign(flag.clone(), Some(ReduceOp::ANY), exists));
        let is_empty = Expr::call(Function::Not, vec![Expr::Access(flag.clone())]);
        let both = Stmt::sequence(vec![
            Stmt::when(Expr::Access(flag.clone()), versioned.body.clone()),
            Stmt::when(is_empty, version),
        ]);
        versioned.body =
            Stmt::where_(vec![Temporary { tensor: flag.tensor, op: ReduceOp::ANY }], both, exists);
        versioned.has_versions = true;
    }
    match versioned.has_versions.then(|| plan(&versioned, budget)) {
        Some(Ok(plan)) => (versioned, plan),
        Some(Err(_)) | None => (program, usual),
    }
}

/// Returns the variables of all reductions in a value.
fn ranges(value: &Expr) -> Vec<VariableId> {
    let mut ranges = Vec::new();
    outermost_reductions(value, &mut |reduce| {
        for v in reduce.variables.iter().copied().chain(self::ranges(&reduce.body)) {
            if !ranges.contains(&v) {
                ranges.push(v);
            }
        }
    });
    ranges
}

/// Returns a value with an empty range for reductions over a variable.
fn over_nothing(kernel: &Kernel, value: &Expr, v: VariableId) -> Expr {
    map_reductions(value, &|reduce| {
        let is_over = reduce.variables.contains(&v);
        is_over.then(|| of_nothing(kernel, reduce))
    })
}

/// Returns the value of a reduction over an empty range. The greatest and least integers depend on
/// the type.
fn of_nothing(kernel: &Kernel, reduce: &Reduce) -> Expr {
    let literal = Expr::Literal(reduce.op.of_nothing());
    match kernel.dtype_of(&reduce.body).filter(|dtype| dtype.integers().is_some()) {
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
    replace(&within).unwrap_or_else(|| Expr::reduce(within.op, within.variables, *within.body))
}

/// Returns whether the loops are wrong for some set of present operands if a range is empty: they
/// would store nothing where an entry is required, or reduce unstored elements that do not exist.
/// Operands indexed by the variable are then absent. If other operands are absent, the loops visit
/// nothing.
fn makes_a_difference(program: &Program, v: VariableId, value: &Expr, of_empty: &Expr) -> bool {
    let sparse = program.kernel.sparse_accesses(value);
    let (empty, others): (Vec<&Access>, Vec<&Access>) =
        sparse.into_iter().partition(|access| access.indices.contains(&v));
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
        let fill = |access: &Access| absent(access).then(|| program.kernel.fill(access.tensor));
        let constant = |reduce: &Reduce| reduce.op.of_constant(&reduce.body);
        let known = |value: &Expr| map_reductions(&value.substitute(&fill), &constant);
        // The value that the loops compute by folding the reduction of unstored values, and the
        // right value.
        let folded = known(value);
        let exact = map_reductions(&value.substitute(&fill), &|reduce| {
            let known = constant(reduce)?;
            let is_empty = reduce.variables.contains(&v);
            Some(if is_empty { of_nothing(&program.kernel, reduce) } else { known })
        });
        folded != exact || folded.is_zero() && !known(of_empty).is_zero()
    })
}
