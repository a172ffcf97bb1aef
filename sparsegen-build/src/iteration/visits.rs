//! Positions of results that the loops of a plan visit, and their number of visits.

use crate::concrete::{Program, Target, Temporary};
use crate::coordinate::Coordinate;
use crate::format::LevelSpec;
use crate::iteration::iterator::LevelIterator;
use crate::iteration::plan::{Loop, Plan, either};
use crate::notation::{Access, Expr, Function, ReduceOp, TensorId, VariableId};

/// Returns the variable of each level, outermost first.
pub(crate) fn level_variables(program: &Program, access: &Access) -> Vec<VariableId> {
    (0..).map_while(|level| program.level_variable(access, level)).collect()
}

/// Returns whether the plan has loops over a variable, and each of them always runs its body for
/// every coordinate. Loops that store only to other results are ignored.
pub(crate) fn visits_all(program: &Program, target: &Target, plan: &Plan, v: VariableId) -> bool {
    let is_for_others = |plan: &Plan| {
        let mut others = program.targets.iter().map(|other| other.access.tensor);
        !plan.assigns(target.access.tensor) && others.any(|other| plan.assigns(other))
    };
    fn check(
        program: &Program,
        plan: &Plan,
        v: VariableId,
        guarded: bool,
        is_for_others: &dyn Fn(&Plan) -> bool,
        any: &mut bool,
    ) -> bool {
        let within = |plan: &Plan, guarded: bool, any: &mut bool| {
            check(program, plan, v, guarded, is_for_others, any)
        };
        match plan {
            Plan::Loop(_) if is_for_others(plan) => true,
            Plan::Loop(inner) => {
                // A loop over a fixed coordinate runs its body only if an entry is found.
                let guarded =
                    guarded || program.is_loop_of_fixed(inner.variable) && !inner.exhaustive;
                if inner.variable == program.space.counted(v) {
                    *any = true;
                    if guarded || !inner.exhaustive {
                        return false;
                    }
                }
                inner.bodies.iter().all(|body| within(body, guarded, any))
            }
            Plan::Where { consumer, producer, .. } => {
                within(producer, guarded, any) && within(consumer, guarded, any)
            }
            Plan::Assign { .. } | Plan::Visit(_) => true,
            Plan::If { body, .. } => within(body, true, any),
            Plan::Sequence(plans) => plans.iter().all(|plan| within(plan, guarded, any)),
        }
    }
    // The last block may be shorter.
    let is_cut = match program.space.computed(v) {
        Some(Coordinate::Mod(of, size)) => {
            !program.space.has_whole_blocks(&program.kernel, *of, *size)
        }
        Some(Coordinate::Div(..) | Coordinate::Affine(_)) | None => false,
    };
    let mut any = false;
    !is_cut && check(program, plan, v, false, &is_for_others, &mut any) && any
}

/// Returns the variables of the loops that assign a value to a temporary for all their coordinates,
/// or `None` if they may not do so.
pub(crate) fn covered(plan: &Plan, temporary: TensorId) -> Option<Vec<VariableId>> {
    match plan {
        Plan::Loop(inner) => {
            let mut outcomes = inner.outcomes();
            let first = covered(&inner.bodies[outcomes.next()?], temporary)?;
            let is_covered =
                outcomes.all(|outcome| covered(&inner.bodies[outcome], temporary).is_some());
            (inner.exhaustive && is_covered).then(|| [vec![inner.variable], first].concat())
        }
        Plan::Where { consumer, .. } => covered(consumer, temporary),
        Plan::Assign { target, accumulate, value } => {
            // Other reductions include the fill value where a mask excludes an entry.
            let is_under = matches!(accumulate, None | Some(ReduceOp::SUM | ReduceOp::PROD));
            let may_skip = is_under && value.is_masked()
                || matches!(value, Expr::Call(Function::Select, chosen)
                    if accumulate.is_some_and(|op| op.ignores(&chosen[2])));
            (target.tensor == temporary && !may_skip).then(Vec::new)
        }
        Plan::If { .. } | Plan::Visit(_) => None,
        Plan::Sequence(plans) => match either(plans) {
            Some((_, holds, otherwise)) => {
                covered(otherwise, temporary).and_then(|_| covered(holds, temporary))
            }
            None => plans.iter().find_map(|plan| covered(plan, temporary)),
        },
    }
}

/// Returns the variables of the loops that reduce values in an element of a workspace, or `None` if
/// nothing assigns to it.
pub(crate) fn reduced(plan: &Plan, workspace: TensorId) -> Option<Vec<VariableId>> {
    match plan {
        Plan::Loop(inner) => {
            let reduced = inner.bodies.iter().find_map(|body| reduced(body, workspace))?;
            let mut indexes = false;
            plan.for_each_assign(&mut |target, _| {
                indexes |= target.tensor == workspace && target.indices.contains(&inner.variable);
            });
            let own = (!indexes).then_some(inner.variable);
            Some(own.into_iter().chain(reduced).collect())
        }
        Plan::Where { consumer, producer, .. } => {
            [consumer, producer].into_iter().find_map(|plan| reduced(plan, workspace))
        }
        Plan::Assign { target, .. } => (target.tensor == workspace).then(Vec::new),
        Plan::If { body, .. } => reduced(body, workspace),
        Plan::Visit(_) => None,
        Plan::Sequence(plans) => plans.iter().find_map(|plan| reduced(plan, workspace)),
    }
}

/// Returns whether every position of a result, or of the slice of it that is computed, is assigned
/// exactly once.
pub(crate) fn covers(program: &Program, target: &Target, plan: &Plan) -> bool {
    let mut variables = level_variables(program, &target.access);
    let needed = variables.iter().flat_map(|v| program.space.needs(*v).to_vec());
    variables.extend(needed.collect::<Vec<_>>());
    stores_once(program, target, plan)
        && variables.iter().all(|v| visits_all(program, target, plan, *v))
}

/// Returns whether the loops of an update read each previous value only before they overwrite it:
/// every position is assigned once, from the previous value at the same coordinates.
pub(crate) fn overwrites(program: &Program, plan: &Plan) -> bool {
    let [target] = &program.targets[..] else { return false };
    let kernel = &program.kernel;
    let Some(old) = kernel.previous() else { return false };
    let is_value_array = |spec: &LevelSpec| {
        spec.properties.full && spec.level.insert().is_some() && spec.level.arrays().is_empty()
    };
    let reads_itself =
        |access: &Access| access.tensor != old || access.indices == target.access.indices;
    // A thread has only its part of the result, and the positions of reads are those of the whole.
    let is_whole = program.threads.as_ref().is_none_or(Result::is_err);
    is_whole
        && !kernel.tensor(old).by_value
        && !target.is_partial
        && target.packed.is_none()
        && program.tensor(target.access.tensor).format.levels.iter().all(is_value_array)
        && kernel.converted().all(|(_, converted)| converted.of != old)
        && kernel.accesses.iter().all(reads_itself)
        && !kernel.is_subscript(old)
        && covers(program, target, plan)
}

/// Returns whether a result is always assigned, and by a single statement in each region that does
/// not accumulate.
fn stores_once(program: &Program, target: &Target, plan: &Plan) -> bool {
    let result = target.access.tensor;
    match plan {
        Plan::Loop(inner) => {
            // Statements that share a loop may store at other coordinates of it.
            let stores_at_all = (inner.exhaustive || !program.is_loop_of_fixed(inner.variable))
                && inner.outcomes().all(|outcome| inner.bodies[outcome].assigns(result));
            (stores_at_all || !plan.assigns(result))
                && inner.bodies.iter().all(|body| stores_once(program, target, body))
        }
        Plan::Where { consumer, producer, .. } => {
            !(consumer.assigns(result) && producer.assigns(result))
                && stores_once(program, target, consumer)
                && stores_once(program, target, producer)
        }
        Plan::If { .. } => !plan.assigns(result),
        Plan::Visit(_) => true,
        Plan::Assign { target: to, accumulate, value } => {
            to.tensor != result || accumulate.is_none() && !value.is_masked()
        }
        Plan::Sequence(plans) => {
            plans.iter().filter(|plan| plan.assigns(result)).count() <= 1
                && plans.iter().all(|plan| stores_once(program, target, plan))
        }
    }
}

/// Returns whether the last level of a result takes the coordinates of each parent in any order, and
/// the loops store each of them at most once: the coordinates of the result determine those of all
/// loops around the only statement that assigns to it.
pub(crate) fn appends_distinct(program: &Program, target: &Target, plan: &Plan) -> bool {
    let result = target.access.tensor;
    let format = &program.tensor(result).format;
    if format.scattered().is_none_or(|level| level + 1 < format.levels.len()) {
        return false;
    }
    let mut known = level_variables(program, &target.access);
    known.extend(&target.access.indices);
    is_distinct(program, result, plan, &mut Vec::new(), &known)
}

/// Returns whether `known` variables determine those of the loops in `around` and in a plan, where
/// these assign to a result.
fn is_distinct(
    program: &Program,
    result: TensorId,
    plan: &Plan,
    around: &mut Vec<VariableId>,
    known: &[VariableId],
) -> bool {
    if !plan.assigns(result) {
        return true;
    }
    match plan {
        Plan::Loop(inner) => {
            let depth = around.len();
            if !program.is_loop_of_fixed(inner.variable) {
                around.push(inner.variable);
            }
            let is_distinct = !inner.may_repeat(program, &[])
                && inner.bodies.iter().enumerate().all(|(outcome, body)| {
                    let known = followed(program, inner, outcome, known);
                    is_distinct(program, result, body, around, &known)
                });
            around.truncate(depth);
            is_distinct
        }
        Plan::Where { consumer, producer, .. } => {
            !(consumer.assigns(result) && producer.assigns(result))
                && is_distinct(program, result, consumer, around, known)
                && is_distinct(program, result, producer, around, known)
        }
        Plan::Assign { .. } => {
            let determined = program.space.known(&program.kernel, known);
            around.iter().all(|v| determined.contains(v))
        }
        Plan::Visit(_) => true,
        Plan::If { body, .. } => is_distinct(program, result, body, around, known),
        Plan::Sequence(plans) => match either(plans) {
            Some((_, holds, otherwise)) => {
                is_distinct(program, result, holds, around, known)
                    && is_distinct(program, result, otherwise, around, known)
            }
            None => {
                plans.iter().filter(|plan| plan.assigns(result)).count() <= 1
                    && plans.iter().all(|plan| is_distinct(program, result, plan, around, known))
            }
        },
    }
}

/// Returns the variables whose coordinates follow from known ones where a loop runs a body, and the
/// known ones: comparisons hold there, and inverses of lists have an entry.
fn followed(
    program: &Program,
    inner: &Loop,
    outcome: usize,
    known: &[VariableId],
) -> Vec<VariableId> {
    let mut known = program.space.known(&program.kernel, known);
    for LevelIterator { access, .. } in &inner.iterators {
        let Some(last) = program.tensor(access.tensor).format.levels.len().checked_sub(1) else {
            continue;
        };
        if inner.levels_present(program, outcome, access).contains(&last) {
            known.extend(program.kernel.determined(access, &known));
        }
    }
    known
}

/// Returns whether a plan assigns the entries of a workspace to those of a result, and nothing else.
pub(crate) fn is_collected(program: &Program, temporaries: &[Temporary], consumer: &Plan) -> bool {
    let [Temporary { tensor: workspace, .. }] = *temporaries else { return false };
    let Plan::Loop(inner) = consumer else { return false };
    if !program.is_listed(workspace) {
        return false;
    }
    let is_entry = |body: &Plan| {
        matches!(body, Plan::Assign { target, accumulate: None, value: Expr::Access(of) }
            if of.tensor == workspace && of.indices == [inner.variable]
                && target.indices == [inner.variable])
    };
    let mut bodies = inner.bodies.iter().filter(|body| !body.is_skip());
    inner.iterators.len() == 1 && inner.rest.is_none() && bodies.all(|body| is_entry(body))
}

/// Finds the loops of a plan that are in no other loop, but in loops over one coordinate. Those that
/// fill a workspace come before the outermost loop.
pub(crate) fn outermost_loops<'p>(program: &Program, plan: &'p Plan, found: &mut Vec<&'p Loop>) {
    let mut find = |plan| outermost_loops(program, plan, found);
    match plan {
        Plan::Loop(inner) if program.is_loop_of_fixed(inner.variable) => {
            inner.bodies.iter().for_each(|body| find(body));
        }
        Plan::Loop(inner) => found.push(inner),
        Plan::Where { temporaries, producer, consumer } => {
            let is_collected = is_collected(program, temporaries, consumer);
            if is_collected || !program.are_workspaces(temporaries) {
                find(producer);
            }
            if !is_collected {
                find(consumer);
            }
        }
        Plan::If { body, .. } => find(body),
        Plan::Sequence(plans) => plans.iter().for_each(|plan| find(plan)),
        Plan::Assign { .. } | Plan::Visit(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::covered;
    use crate::iteration::plan::Plan;
    use crate::notation::{Access, Expr, Function, ReduceOp, TensorId};
    use crate::types::Literal;

    #[test]
    fn a_temporary_may_skip_what_its_reduction_ignores() {
        let temporary = TensorId(0);
        let target = Access { tensor: temporary, indices: Vec::new() };
        let added = |otherwise: Expr| {
            let chosen =
                vec![Expr::Access(target.clone()), Expr::Literal(Literal::Int(1)), otherwise];
            let value = Expr::call(Function::Select, chosen);
            let plan =
                Plan::Assign { target: target.clone(), accumulate: Some(ReduceOp::SUM), value };
            covered(&plan, temporary).is_some()
        };
        assert!(added(Expr::Literal(Literal::Int(1))));
        assert!(!added(Expr::ZERO));
    }

    /// Returns the source of a kernel that updates `y`.
    fn source(expr: &str, tensors: &str) -> String {
        let manifest = format!("[kernels.k]\nexpr = \"{expr}\"\ntensors = {{ {tensors} }}");
        crate::compile_str("kernels.toml", &manifest).source
    }

    #[test]
    fn updates_that_read_what_they_overwrite_need_no_copy() {
        let cases = [
            ("y[i] max= x[i]", "y = 'dense', x = 'dense'", "y_vals[i] = y_vals[i].max(x_vals[i]);"),
            ("y[i] *= x[i]", "y = 'dense', x = 'dense'", "y_vals[i] *= x_vals[i];"),
            ("y[i] = 2 * y[i]", "y = 'dense'", "y_vals[i] *= 2.0;"),
            ("y[i] min= min[j](A[i,j])", "y = 'dense', A = 'csr'", "y_vals[i].min("),
        ];
        for (expr, tensors, stored) in cases {
            let source = source(expr, tensors);
            assert!(source.contains(stored) && !source.contains("y_old"), "{expr}:\n{source}");
        }
    }

    #[test]
    fn updates_that_read_other_elements_or_skip_some_take_a_copy() {
        let cases = [
            ("y[i] = y[i] - A[i,j] * y[j]", "y = 'dense', A = 'csr'"),
            ("y[i,j] = y[i,j] * y[j,i]", "y = 'dense'"),
            ("y[i,i] *= x[i]", "y = 'dense', x = 'dense'"),
            // Where `x` has no entry, zero is assigned.
            ("y[i] *= x[i]", "y = 'dense', x = 'sparse_vector'"),
            ("y[i] *= x[i]", "y = 'sparse_vector', x = 'dense'"),
            // A subscript reads `y`.
            (
                "y[i] = x[y[i]]",
                "y = { format = 'dense', dtype = 'u32' }, x = { format = 'dense', dtype = 'u32' }",
            ),
        ];
        for (expr, tensors) in cases {
            let source = source(expr, tensors);
            assert!(source.contains("y_old"), "{expr}, {tensors}:\n{source}");
        }
    }

    #[test]
    fn entries_that_are_stored_once_are_only_sorted() {
        let list = "f = { format = 'dense', dtype = 'u32' }";
        let cases = [
            ("B[i,j] = A[i,f[j]]", "csr", true),
            ("B[i,j] = A[i,k] * (f[j] == k)", "csr", true),
            // Several places of a row have the same column.
            ("B[i,j] = A[i,k] * (f[k] == j)", "csr", false),
            // Without the comparison, the entries of the first term have no place.
            ("B[i,j] = A[i,k] + (f[j] == k)", "csr", false),
            ("B[i,j] = A[i,f[j]] + A[i,j]", "csr", false),
        ];
        for (expr, format, sorts) in cases {
            let source = source(expr, &format!("A = '{format}', B = '{format}', {list}"));
            assert_eq!(source.contains("sort_values"), sorts, "{expr}:\n{source}");
        }
    }
}
