//! `parallelize(i)`, and `parallel = true`: the outermost loop is divided into parts, each on a
//! thread.
//!
//! Parts store to disjoint memory, so that the result does not depend on their number; a scalar to
//! which all of them add is the exception.

use std::rc::Rc;

use crate::concrete::{Program, Temporary};
use crate::error::{Diagnostic, Span};
use crate::iteration::plan::{Loop, Plan};
use crate::level::{Holds, StorageArray};
use crate::notation::{self, Access, ReduceOp, VariableId};

/// Checks that the loop over a variable can be divided into parts.
pub(super) fn check(
    program: &Program,
    plan: &Plan,
    span: Span,
    variable: VariableId,
) -> Result<(), Diagnostic> {
    let name = |v: VariableId| &program.kernel.variable(v).name;
    let reason = match parted(program, plan) {
        Ok(outermost) if outermost == variable => return Ok(()),
        Ok(outermost) => format!("the outermost loop is over `{}`", name(outermost)),
        Err(reason) => reason,
    };
    let message = format!("the loop over `{}` cannot be run on several threads", name(variable));
    Err(Diagnostic::new(span, message)
        .note(reason)
        .help("parallelize another loop, or remove the command"))
}

/// Returns the variable of the outermost loop, if it can be divided into parts that store to
/// disjoint memory, or the reason why it cannot.
pub(super) fn parted(program: &Program, plan: &Plan) -> Result<VariableId, String> {
    let mut scalars = program.targets.iter().filter(|target| target.access.indices.is_empty());
    if scalars.next().is_some() && program.targets.len() > 1 {
        return Err("a scalar is computed along with another result".to_owned());
    }
    let versions = versions(program, plan);
    let Some((first, others)) = versions.split_first() else { return parted_loop(program, plan) };
    let v = parted(program, first)?;
    let mut others = others.iter().map(|version| parted(program, version));
    match others.all(|other| other == Ok(v)) {
        true => Ok(v),
        false => Err("loops over an empty range differ from those over other ranges".to_owned()),
    }
}

/// Returns the versions of a kernel that the extent of a range selects; empty if there is only one.
fn versions<'p>(program: &Program, plan: &'p Plan) -> Vec<&'p Plan> {
    let Plan::Where { consumer, .. } = plan else { return Vec::new() };
    let Plan::Sequence(versions) = &**consumer else { return Vec::new() };
    let version = |plan: &'p Rc<Plan>| match &**plan {
        Plan::If { body, .. } => Some(&**body),
        Plan::Loop(_) | Plan::Where { .. } | Plan::Assign { .. } | Plan::Sequence(_) => None,
    };
    let versions: Option<Vec<&Plan>> = versions.iter().map(version).collect();
    versions.filter(|_| program.has_versions).unwrap_or_default()
}

fn parted_loop(program: &Program, plan: &Plan) -> Result<VariableId, String> {
    let outermost = outermost(program, plan).ok_or("there are several loops, one after another")?;
    let v = outermost.variable;
    let name = &program.kernel.variable(v).name;
    let [point] = &outermost.points[..] else {
        return Err(format!("several operands are merged over `{name}`"));
    };
    let mut drivers = point.drivers.members().map(|member| &outermost.iterators[member]);
    let counts = drivers.all(|driver| {
        driver.is_full(program) && driver.spec(program).level.coordinate_iteration().is_some()
    });
    if !counts || program.space.definition(v).is_some() {
        return Err(format!("the loop over `{name}` does not iterate over a whole dimension"));
    }
    program.targets.iter().try_for_each(|target| check_result(program, &target.access, v))?;
    Ok(v)
}

/// Checks that the loop over a variable can store to a result in parts.
fn check_result(program: &Program, result: &Access, v: VariableId) -> Result<(), String> {
    if result.indices.is_empty() {
        return Ok(());
    }
    let name = &program.kernel.variable(v).name;
    let levels = &program.tensor(result.tensor).format.levels;
    if program.level_variable(result, 0) != Some(v) {
        let tensor = &program.tensor(result.tensor).name;
        return Err(match result.indices.contains(&v) {
            true => format!("the entries of `{tensor}` for each `{name}` are not contiguous"),
            false => format!("different `{name}` store to the same entries of `{tensor}`"),
        });
    }
    let is_parted = levels.iter().all(|spec| match spec.level.insert() {
        Some(_) => spec.properties.full && spec.level.arrays().is_empty(),
        None => spec.level.append().is_some_and(|append| {
            let is_list = |array: &StorageArray| match array.holds {
                Holds::Coordinates | Holds::Numbers(_) => true,
                Holds::Positions | Holds::Indices(_) => append.holds_ends(),
                Holds::Bits => false,
            };
            spec.level.arrays().iter().all(is_list)
        }),
    });
    is_parted.then_some(()).ok_or_else(|| {
        let result = &program.tensor(result.tensor).name;
        format!("`{result}` cannot be assembled from parts")
    })
}

/// Returns the outermost loop; for a scalar result that is a sum, the loop of the sum.
fn outermost<'p>(program: &Program, plan: &'p Plan) -> Option<&'p Loop> {
    let is_scalar = program.targets.iter().any(|target| target.access.indices.is_empty());
    match plan {
        Plan::Loop(inner) => Some(inner),
        Plan::Where { temporaries, consumer, producer, .. }
            if is_scalar && program.kernel.semiring.is_usual() =>
        {
            let [Temporary { tensor, op: ReduceOp::SUM }] = temporaries[..] else { return None };
            let Plan::Assign { value: notation::Expr::Access(access), .. } = &**consumer else {
                return None;
            };
            if access.tensor == tensor { outermost(program, producer) } else { None }
        }
        Plan::Where { .. } | Plan::Assign { .. } | Plan::If { .. } => None,
        Plan::Sequence(plans) => match &plans[..] {
            [only] => outermost(program, only),
            _ => None,
        },
    }
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
        assert_eq!(
            loops(spmv, "y = 'dense', A = 'csc', x = 'dense'", &["parallelize(j)"]),
            format!("{cannot}different `j` store to the same entries of `y`")
        );
        // The command requires its loop outermost.
        let dense = "C = 'dense', A = 'dense', B = 'dense'";
        let product = "C[i,j] = A[i,k] * B[k,j]";
        assert!(loops(product, dense, &["reorder(j, i)", "parallelize(j)"]).starts_with('t'));
    }
}
