//! `split(i, io, ii, 64)` and `divide(i, io, ii, 8)`: blocks, and the offsets within them.
//!
//! Both choose a basis, like the blocks of a format: loops over `i / 64` and `i % 64` instead of
//! one over `i`, which follows from them. Formats with the same blocks have the same variables.
//! `fuse(i, j, f)` is the inverse: one loop over both, from which each follows.

use super::convert::Conversion;
use super::parallel::begins_anywhere;
use super::starts;
use crate::concrete::Program;
use crate::concrete::space::{BlockSize, Definition, Positions, Space};
use crate::coordinate::Coordinate;
use crate::error::{Code, Diagnostic, Span};
use crate::iteration::graph::{is_implied, last_appended};
use crate::iteration::iterator::LevelIterator;
use crate::iteration::plan::Plan;
use crate::notation::schedule::{Action, Command, Schedule};
use crate::notation::{Access, Expr, Kernel, TensorId, VariableId};

/// Returns the variables that a schedule defines.
pub(super) fn demanded(schedule: &Schedule) -> Space {
    let mut space = Space::default();
    for command in schedule {
        if let Action::Fuse { parts: [outer, inner], fused } = command.action {
            for part in [outer, inner] {
                space.replace(part, vec![(fused, Definition::Fused(outer, inner))]);
            }
            continue;
        }
        if let Action::Pos { whole, position, tensor } = command.action {
            let over = space.index_variables(whole);
            let positions = Positions { over, tensor: Some(tensor) };
            space.replace(whole, vec![(position, Definition::Positions(positions))]);
            continue;
        }
        let Some((whole, [block, place], size)) = blocks(&command.action) else { continue };
        let parts = [Coordinate::Div(whole, size), Coordinate::Mod(whole, size)];
        let [number, offset] = parts.map(Definition::Computed);
        space.replace(whole, vec![(block, number), (place, offset)]);
    }
    space
}

/// Returns the variable that a command splits, the variables of the block and of the offset, and
/// the size of a block.
fn blocks(
    action: &Action<VariableId, TensorId, Expr>,
) -> Option<(VariableId, [VariableId; 2], BlockSize)> {
    match *action {
        Action::Split { whole, parts, size } => Some((whole, parts, BlockSize::Constant(size))),
        Action::Divide { whole, parts, count } => Some((whole, parts, BlockSize::Share(count))),
        Action::Reorder(_)
        | Action::Fuse { .. }
        | Action::Pos { .. }
        | Action::Unroll { .. }
        | Action::Parallelize(_)
        | Action::Precompute { .. }
        | Action::Merge { .. }
        | Action::Locate { .. } => None,
    }
}

/// Checks that the loops that are limited to blocks of a variable's coordinates can begin at any
/// coordinate.
pub(super) fn check(
    program: &Program,
    plan: &Plan,
    span: Span,
    whole: VariableId,
) -> Result<(), Diagnostic> {
    let Program { kernel, space, .. } = program;
    if space.positions_of(whole).is_some() {
        return Ok(());
    }
    let name = &kernel.variable(whole).name;
    let over = space.index_variables(whole);
    // Blocks of a format are counted from the coordinate 0, and those of a schedule from the first one.
    let is_signed = |v: &VariableId| matches!(space.computed(*v), Some(Coordinate::Affine(sum)) if sum.may_be_negative(|_| false));
    let has_blocks = |v: &VariableId| {
        space.blocks_with(*v).is_some_and(|(block, ..)| is_signed(v) && program.stores(block))
    };
    if let Some(v) = over.iter().find(|v| has_blocks(v)) {
        let signed = &kernel.variable(*v).name;
        return Err(Diagnostic::new(Code::CannotSplit, span, format!("`{name}` cannot be split"))
            .note(format!("a format has blocks of `{signed}`, whose coordinates may be negative"))
            .help(format!(
                "split the positions of the operand that stores `{signed}` with `pos`"
            )));
    }
    let Some(iterator) = obstacle(program, plan, |v| over.contains(&v)) else { return Ok(()) };
    let access = kernel.show_access(&iterator.access);
    let level = iterator.spec(program).level.name();
    Err(Diagnostic::new(Code::CannotSplit, span, format!("`{name}` cannot be split"))
        .note(format!(
            "`{access}` stores it in a `{level}` level, which cannot locate the first coordinate of \
             a block"
        ))
        .help(format!(
            "split the positions with `pos`, after `fuse` if other levels of `{}` branch",
            program.tensor(iterator.access.tensor).name
        )))
}

/// Returns an iterator that drives a loop over a part of its coordinates, over one of some
/// variables, and that cannot begin at any of them.
pub(super) fn obstacle(
    program: &Program,
    plan: &Plan,
    is_one: impl Fn(VariableId) -> bool,
) -> Option<LevelIterator> {
    let mut obstacle = None;
    plan.for_each_loop(&mut |inner| {
        let drivers = || inner.points.iter().flat_map(|point| point.drivers.members());
        let mut iterators = drivers().map(|member| &inner.iterators[member]);
        let v = inner.variable;
        let space = &program.space;
        let is_over = |positions: VariableId| space.index_variables(positions).contains(&v);
        let counts_positions = space.all_positions().any(is_over);
        let mut blocks = program.basis.blocks_of(v).into_iter();
        let has_blocks = blocks.any(|block| space.positions_of(block).is_none());
        let is_cut = program.basis.is_limited(v) && (has_blocks || !counts_positions);
        if is_cut && is_one(v) && obstacle.is_none() {
            obstacle = iterators.find(|it| !begins_anywhere(program, it)).cloned();
        }
    });
    obstacle
}

/// Returns the space in which the loops over the coordinates of the result are within loops over
/// its outermost blocks, as if the schedule had split them. It costs nothing more to visit all
/// blocks: the result has an element for each of them, or an operand for each coordinate.
pub(super) fn blocks_of_result(kernel: &Kernel, space: &Space) -> Option<Space> {
    let result = &kernel.assignment.result;
    let levels = &kernel.tensor(result.tensor).format.levels;
    let whole = |block: VariableId| match *space.computed(block)? {
        Coordinate::Div(whole, _) => Some(whole),
        Coordinate::Mod(..) | Coordinate::Affine(_) => None,
    };
    let blocks_at = |level: usize| {
        let block = space.level_variable(kernel, result, level)?;
        space.blocks().into_iter().find(|[outer, _]| *outer == block)
    };
    let full = levels.iter().take_while(|spec| spec.properties.full).count();
    let blocks = (0..full).find_map(blocks_at).or_else(|| {
        let sparse = (full < levels.len()).then_some(full).and_then(blocks_at)?;
        has_all(kernel, whole(sparse[0])?).then_some(sparse)
    });
    let [block, place] = blocks?;
    let parts = [block, place].map(|v| Some((v, space.definition(v)?.clone())));
    let whole = whole(block)?;
    let is_plain = space.definition(whole).is_none() && !space.is_replaced(whole);
    let mut blocked = space.clone();
    blocked.replace(whole, parts.into_iter().flatten().collect());
    is_plain.then_some(blocked)
}

/// Returns whether an operand stores all coordinates of a variable in its outermost level.
fn has_all(kernel: &Kernel, v: VariableId) -> bool {
    let mut has_all = false;
    kernel.assignment.value.for_each_access(&mut |access| {
        let format = &kernel.tensor(access.tensor).format;
        let outermost = format.levels.first().filter(|spec| spec.properties.full);
        let mode = outermost.and_then(|_| format.mode_of(0));
        has_all |= mode.is_some_and(|mode| access.indices[mode] == v);
    });
    has_all
}

/// Returns the diagnostic for a variable that cannot be split because of a tensor that stores its
/// coordinates.
pub(super) fn refuse(
    kernel: &Kernel,
    command: &Command<VariableId, TensorId, Expr>,
    whole: VariableId,
) -> Diagnostic {
    let name = &kernel.variable(whole).name;
    let diagnostic =
        Diagnostic::new(Code::CannotSplit, command.span, format!("`{name}` cannot be split"));
    for start in starts(&Conversion::none(kernel)) {
        let kernel = &start.kernel;
        let level_of = |access: &Access, level: usize| {
            let v = start.level_variable(access, level);
            (v.map(|v| start.space.counted(v)) == Some(whole) && !is_implied(kernel, access, level))
                .then(|| kernel.tensor(access.tensor).format.levels[level].level.name().to_owned())
        };
        let mut walked = None;
        kernel.assignment.value.for_each_access(&mut |access| {
            let levels = &kernel.tensor(access.tensor).format.levels;
            for k in (0..levels.len()).filter(|k| levels[*k].level.locate().is_none()) {
                walked = walked.take().or_else(|| Some((access.clone(), level_of(access, k)?)));
            }
        });
        if let Some((access, level)) = walked {
            let access = kernel.show_access(&access);
            let tensor = access.split('[').next().unwrap_or_default();
            return diagnostic
                .note(format!(
                    "`{access}` stores `{name}` in a `{level}` level, which cannot locate the first \
                     coordinate of a block"
                ))
                .help(format!(
                    "split the positions: `pos({name}, {name}p, {tensor})`, then use `{name}p` \
                     instead of `{name}` here"
                ));
        }
        let result = &kernel.assignment.result;
        let mut assembled = 0..last_appended(kernel).map_or(0, |last| last + 1);
        let over = start.space.index_variables(whole);
        let variable = |k| start.level_variable(result, k).filter(|v| over.contains(v));
        if let Some(v) = assembled.find_map(variable) {
            let name = &kernel.variable(v).name;
            let format = &kernel.tensor(result.tensor).format;
            return diagnostic
                .note(format!(
                    "`{}` is assembled in the order of `{name}` as `{format}`",
                    kernel.show_access(result)
                ))
                .help("remove the command, or choose a format for the result that has every coordinate");
        }
    }
    diagnostic.help("remove the command")
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn blocks_and_places_have_loops_in_the_stead_of_the_whole() {
        let spmv = "y[i] = A[i,j] * x[j]";
        let csr = "y = 'dense', A = 'csr', x = 'dense'";
        let inner = "(y[i] = sum where ∀j sum += A[i,j] * x[j])";
        for command in ["split(i, a, b, 64)", "divide(i, a, b, 8)"] {
            assert_eq!(loops(spmv, csr, &[command]), format!("∀a ∀b {inner}"));
        }
        assert_eq!(
            loops(spmv, csr, &["split(i, a, b, 64)", "split(b, c, d, 8)"]),
            format!("∀a ∀c ∀d {inner}")
        );
        // Tiles of a product.
        assert_eq!(
            loops(
                "C[i,j] = A[i,k] * B[k,j]",
                "C = 'dense', A = 'csr', B = 'dense'",
                &["split(j, jo, ji, 16)", "reorder(i, jo, k, ji)"],
            ),
            "∀i ∀jo ∀k ∀ji C[i,j] += A[i,k] * B[k,j]"
        );
        // The blocks of a format equal those of the command.
        assert_eq!(
            loops(spmv, "y = 'dense', A = 'blocks', x = 'dense'", &["split(i, a, b, 2)"]),
            "∀a ∀jo ∀b (y[i] += sum where ∀ji sum += A[i,j] * x[j])"
        );
    }

    #[test]
    fn what_is_stored_one_by_one_is_not_split() {
        let spmv = "y[i] = A[i,j] * x[j]";
        let csr = "y = 'dense', A = 'csr', x = 'dense'";
        assert_eq!(
            loops(spmv, csr, &["split(j, jo, ji, 4)", "reorder(jo, i)"]),
            "∀jo ∀i (y[i] += sum where ∀j sum += A[i,j] * x[j])"
        );
        assert_eq!(
            loops(spmv, "y = 'dense', A = 'coo_unordered', x = 'dense'", &["split(j, jo, ji, 4)"]),
            "`j` cannot be split; `A[i,j]` stores it in a `singleton` level, which cannot locate the \
             first coordinate of a block"
        );
        // A result that is assembled in order takes blocks in order.
        let copied = ("B[i,j] = A[i,j]", "B = 'csr', A = 'csr'");
        assert_eq!(
            loops(copied.0, copied.1, &["divide(i, io, ii, 4)"]),
            "∀io ∀i ∀j B[i,j] = A[i,j]"
        );
        let blocks = ["fuse(i, j, f)", "pos(f, p, A)", "split(p, po, pi, 4)"];
        assert_eq!(
            loops(copied.0, copied.1, &blocks),
            "`p` cannot be split; `B[i,j]` is assembled in the order of `i` as \
             `(i, j) -> (i : dense, j : compressed)`"
        );
    }

    #[test]
    fn results_in_blocks_have_loops_over_blocks_around_sparse_rows() {
        let sum = "B[i,j] = A[i,j] + C[i,j]";
        let of = |format: &str| loops(sum, &format!("B = 'blocks', {format}"), &[]);
        assert_eq!(of("A = 'csr', C = 'csr'"), "∀io ∀ii ∀j B[i,j] = A[i,j] + C[i,j]");
        assert_eq!(of("A = 'coo', C = 'dcsr'"), "∀io ∀i ∀j B[i,j] = A[i,j] + C[i,j]");
    }

    #[test]
    fn fused_loops_are_one() {
        let dense = "C = 'dense', A = 'dense', B = 'dense'";
        let fused = loops("C[i,j] = A[i,j] * B[i,j]", dense, &["fuse(i, j, f)"]);
        assert_eq!(fused, "∀f C[i,j] = A[i,j] * B[i,j]");
        let rows = loops(
            "y[i] = A[i,j] * x[j]",
            "y = 'dense', A = 'dense', x = 'dense'",
            &["fuse(i, j, f)"],
        );
        assert_eq!(rows, "∀f y[i] += A[i,j] * x[j]");
        for command in ["divide(f, a, b, 4)", "split(f, a, b, 4)"] {
            let blocks = loops("C[i,j] = A[i,j] * B[i,j]", dense, &["fuse(i, j, f)", command]);
            assert_eq!(blocks, "∀a ∀b C[i,j] = A[i,j] * B[i,j]");
        }
    }
}
