//! Which positions of a result the loops of a plan visit, and how often.

use crate::concrete::Program;
use crate::iteration::plan::Plan;
use crate::notation::{Access, Expr, Function, TensorId, VariableId};

/// The variable of each level, outermost first.
pub(crate) fn level_variables(program: &Program, access: &Access) -> Vec<VariableId> {
    (0..).map_while(|level| program.level_variable(access, level)).collect()
}

/// Whether every loop over a variable, of which there is one at least, runs its body for every
/// coordinate, whatever the operands hold.
pub(crate) fn visits_all(program: &Program, plan: &Plan, v: VariableId) -> bool {
    fn check(program: &Program, plan: &Plan, v: VariableId, guarded: bool, any: &mut bool) -> bool {
        match plan {
            Plan::Loop(inner) => {
                // What stands below a fixed coordinate is done only if there is anything.
                let guarded = guarded || program.loops_once(inner.variable) && !inner.exhaustive;
                if inner.variable == program.space.counted(v) {
                    *any = true;
                    if guarded || !inner.exhaustive {
                        return false;
                    }
                }
                inner.bodies.iter().all(|body| check(program, body, v, guarded, any))
            }
            Plan::Where { consumer, producer, only_if_found, .. } => {
                check(program, producer, v, guarded, any)
                    && check(program, consumer, v, guarded || !only_if_found.is_empty(), any)
            }
            Plan::Assign { .. } => true,
            Plan::If { body, .. } => check(program, body, v, true, any),
            Plan::Sequence(plans) => plans.iter().all(|plan| check(program, plan, v, guarded, any)),
        }
    }
    let mut any = false;
    check(program, plan, v, false, &mut any) && any
}

/// Returns the variables of the loops that bring a value into a temporary for each of their coordinates, if
/// there is one for every coordinate, whatever the operands hold.
pub(crate) fn covered(plan: &Plan, temporary: TensorId) -> Option<Vec<VariableId>> {
    match plan {
        Plan::Loop(inner) => {
            let mut cases = inner.points.iter().flat_map(|point| &point.cases);
            let first = covered(&inner.bodies[cases.next()?.1], temporary)?;
            let is_covered =
                cases.all(|(_, outcome)| covered(&inner.bodies[*outcome], temporary).is_some());
            (inner.exhaustive && is_covered).then(|| [vec![inner.variable], first].concat())
        }
        Plan::Where { consumer, only_if_found, .. } if only_if_found.is_empty() => {
            covered(consumer, temporary)
        }
        Plan::Assign { target, accumulate, value } => {
            let is_always = target.tensor == temporary && !value.is_masked();
            let may_skip = matches!(value, Expr::Call(Function::Select, chosen)
                if accumulate.is_some_and(|op| op.ignores(&chosen[2])));
            (is_always && !may_skip).then(Vec::new)
        }
        Plan::Where { .. } | Plan::If { .. } => None,
        Plan::Sequence(plans) => plans.iter().find_map(|plan| covered(plan, temporary)),
    }
}

/// Whether every entry of a result that has a place for each, or of the part of it that is computed, is
/// stored exactly once.
pub(crate) fn covers(program: &Program, plan: &Plan) -> bool {
    let mut variables = level_variables(program, &program.kernel.assignment.result);
    let needed = variables.iter().flat_map(|v| program.space.needs(*v).to_vec());
    variables.extend(needed.collect::<Vec<_>>());
    stores_once(program, plan) && variables.iter().all(|v| visits_all(program, plan, *v))
}

/// Whether the result is stored to and not added to, by a single statement in each region, and
/// whatever there is at fixed coordinates.
fn stores_once(program: &Program, plan: &Plan) -> bool {
    match plan {
        Plan::Loop(inner) => {
            (inner.exhaustive || !program.loops_once(inner.variable))
                && inner.bodies.iter().all(|body| stores_once(program, body))
        }
        Plan::Where { consumer, .. } => stores_once(program, consumer),
        Plan::If { .. } => false,
        Plan::Assign { accumulate, value, .. } => accumulate.is_none() && !value.is_masked(),
        Plan::Sequence(plans) => {
            plans.len() <= 1 && plans.iter().all(|plan| stores_once(program, plan))
        }
    }
}
