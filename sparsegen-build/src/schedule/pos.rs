//! `pos(j, jp, A)`: the loop iterates over the positions of a tensor.
//!
//! A loop with a single compressed level as driver does so anyway. Its positions can be split into
//! blocks of equal numbers of entries, and so can those of several levels whose loops are fused: the
//! coordinates of the levels above are found by search at the beginning of each block.

use crate::concrete::Program;
use crate::concrete::space::{Definition, Positions};
use crate::coordinate::Coordinate;
use crate::error::{Code, Diagnostic, Span, quoted};
use crate::iteration::iterator::{Conversion, LevelIterator};
use crate::iteration::plan::{Loop, Plan};
use crate::notation::schedule::Action;
use crate::notation::{Access, TensorId, VariableId};

/// Checks that the positions of a tensor alone drive every loop over the variables whose positions
/// a variable counts.
pub(super) fn check(
    program: &Program,
    plan: &Plan,
    span: Span,
    position: VariableId,
) -> Result<(), Diagnostic> {
    let Program { kernel, space, .. } = program;
    let Some(Definition::Positions(Positions { over, tensor })) = space.definition(position) else {
        return Ok(());
    };
    let names: Vec<&str> = over.iter().map(|v| kernel.variable(*v).name.as_str()).collect();
    let loops = if over.len() == 1 { "loop" } else { "loops" };
    let does = if over.len() == 1 { "does" } else { "do" };
    let tensor = tensor.or_else(|| {
        let (access, _) = space.counted_positions(kernel, position)?;
        Some(kernel.passed_as(access.tensor))
    });
    let Some(tensor) = tensor else {
        let message = format!("no operand stores {} one by one", quoted(&names));
        return Err(Diagnostic::new(Code::NoPositions, span, message).help("remove the command"));
    };
    let name = &program.tensor(tensor).name;
    match obstacle(program, plan, position, tensor) {
        Some(obstacle) => Err(Diagnostic::new(
            Code::NoPositions,
            span,
            format!(
                "the {loops} over {} {does} not iterate over the positions of `{name}`",
                quoted(&names)
            ),
        )
        .note(obstacle)
        .help("use the tensor whose entries alone drive the loop, or remove the command")),
        None => Ok(()),
    }
}

/// Returns why loops do not iterate over the positions of a tensor that a variable counts.
fn obstacle(
    program: &Program,
    plan: &Plan,
    position: VariableId,
    tensor: TensorId,
) -> Option<String> {
    let Program { kernel, space, .. } = program;
    let name = &program.tensor(tensor).name;
    let Definition::Positions(Positions { over, .. }) = space.definition(position)? else {
        return None;
    };
    if let Some(block) = block_counted_by(program, position, tensor) {
        let block = &kernel.variable(block).name;
        return Some(format!("`{block}` counts blocks, which `{name}` does not store"));
    }
    let (access, [first, last]) = match space.counted_positions(kernel, position) {
        Some((access, levels)) => (Some(access), levels),
        None if over.len() > 1 => {
            return Some(format!("they are not over consecutive levels of `{name}`"));
        }
        None => (None, [0, 0]),
    };
    let innermost = *over.last()?;
    let mut is_divided = false;
    plan.for_each_loop(&mut |inner| {
        is_divided |= space.positions_of(inner.variable) == Some(position);
    });
    let mut loops = 0;
    let mut obstacle = None;
    plan.for_each_loop(&mut |inner| {
        if inner.variable == innermost {
            loops += 1;
            // A coordinate without an entry is in no block of positions.
            let is_beside = inner.rest.is_some() || inner.points.iter().any(|of| of.by_dimension);
            let visits_others = || {
                let text = format!("the result depends on coordinates where `{name}` has no entry");
                (is_divided && is_beside).then_some(text)
            };
            let of_loop = || obstacle_of(program, inner, tensor).or_else(visits_others);
            obstacle = obstacle.take().or_else(of_loop);
        }
    });
    if loops == 0 {
        return Some(format!("there is no loop over `{}`", kernel.variable(innermost).name));
    }
    let access = match obstacle {
        Some(obstacle) => return Some(obstacle),
        None => access?,
    };
    let levels = &program.tensor(access.tensor).format.levels;
    for (level, spec) in levels.iter().enumerate().take(last + 1).skip(first) {
        // The parent of each position must be found.
        let is_searched = spec.properties.branchless
            || spec.level.position_iteration().is_some_and(|it| it.segments().is_some())
            || spec.properties.full && spec.level.coordinate_iteration().is_some();
        if level > first && !is_searched {
            let kind = spec.level.name();
            return Some(format!("the `{kind}` level of `{name}` does not list its segments"));
        }
    }
    let mut is_sorted = false;
    plan.for_each_loop(&mut |inner| {
        let mut iterators = inner.iterators.iter();
        is_sorted |= iterators.any(|iterator| iterator.access == *access && iterator.reorders());
    });
    is_sorted.then(|| format!("the entries of `{name}` are sorted first"))
}

/// Returns the variable of blocks, which no level of a tensor stores, that the schedule replaces by
/// positions.
fn block_counted_by(
    program: &Program,
    position: VariableId,
    tensor: TensorId,
) -> Option<VariableId> {
    let Program { kernel, space, .. } = program;
    let replaced = |action: &Action<_, _, _>| match action {
        Action::Pos { whole, position: counted, .. } if *counted == position => Some(*whole),
        _ => None,
    };
    let whole = kernel.schedule.iter().find_map(|command| replaced(&command.action))?;
    let stores = |access: &Access| {
        let levels = 0..kernel.tensor(access.tensor).format.levels.len();
        kernel.passed_as(access.tensor) == tensor
            && levels.into_iter().any(|k| space.level_variable(kernel, access, k) == Some(whole))
    };
    let is_block = matches!(space.computed(whole), Some(Coordinate::Div(..)));
    (is_block && !kernel.accesses.iter().any(stores)).then_some(whole)
}

/// Returns why a loop does not iterate over the positions of a tensor.
fn obstacle_of(program: &Program, inner: &Loop, tensor: TensorId) -> Option<String> {
    let name = &program.tensor(tensor).name;
    let drivers: Vec<_> = inner
        .points
        .iter()
        .flat_map(|point| point.drivers.members())
        .map(|driver| &inner.iterators[driver])
        .collect();
    let [driver] = drivers[..] else {
        return Some(format!("`{name}` is not its only driver"));
    };
    if program.kernel.passed_as(driver.access.tensor) != tensor {
        let other = &program.tensor(driver.access.tensor).name;
        return Some(format!("its driver is `{other}`"));
    }
    let spec = driver.spec(program);
    let plain = spec
        .level
        .position_iteration()
        .is_some_and(|iteration| iteration.carried().is_empty() && iteration.groups().is_none());
    let is_alone = spec.properties.branchless && driver.parents.are_single();
    if !plain || is_alone && !is_fused(program, driver) {
        let level = spec.level.name();
        return Some(format!("the `{level}` level of `{name}` has no range of positions there"));
    }
    let repeats = driver.conversions.iter().any(|it| *it != Conversion::Fused);
    repeats.then(|| format!("`{name}` may store a coordinate more than once, or unordered"))
}

/// Returns whether the positions of a level are those of the levels above, whose loops are blocked as
/// well.
fn is_fused(program: &Program, iterator: &LevelIterator) -> bool {
    let space = &program.space;
    space.all_positions().any(|v| {
        let counted = space.counted_positions(&program.kernel, v);
        counted.is_some_and(|(access, [first, last])| {
            *access == iterator.access && first < last && last == iterator.level
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn positions_are_those_of_the_driver() {
        let spmv = "y[i] = A[i,j] * x[j]";
        let csr = "y = 'dense', A = 'csr', x = 'dense'";
        let commands = ["pos(j, jp, A)", "split(jp, jo, ji, 8)", "unroll(ji, 4)"];
        for (count, inner) in [(1, "∀j"), (2, "∀jo ∀j"), (3, "∀jo ∀j⟨unroll 4⟩")] {
            let expected = format!("∀i (y[i] = sum where {inner} sum += A[i,j] * x[j])");
            assert_eq!(loops(spmv, csr, &commands[..count]), expected);
        }
        // The positions of several levels have one loop.
        let fused = ["fuse(i, j, f)", "pos(f, p, A)", "split(p, po, pi, 8)"];
        for (count, block) in [(1, "f"), (2, "p"), (3, "po")] {
            let expected = format!("∀{block} ∀i (y[i] += sum where ∀j sum += A[i,j] * x[j])");
            assert_eq!(loops(spmv, csr, &fused[..count]), expected);
        }
        let not = "the loop over `j` does not iterate over the positions of `x`; ";
        assert_eq!(loops(spmv, csr, &["pos(j, jp, x)"]), format!("{not}its driver is `A`"));
        let dense = "y = 'dense', A = 'dense', x = 'dense'";
        assert!(
            loops(spmv, dense, &["pos(j, jp, A)"]).contains("does not iterate over the positions")
        );
    }
}
