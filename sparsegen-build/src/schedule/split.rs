//! `split(i, io, ii, 64)` and `divide(i, io, ii, 8)`: blocks, and the offsets within them.
//!
//! Both choose a basis, like the blocks of a format: loops over `i / 64` and `i % 64` instead of
//! one over `i`, which follows from them. Formats with the same blocks have the same variables.
//! `fuse(i, j, f)` is the inverse: one loop over both, from which each follows.

use super::convert::Conversion;
use super::pos;
use super::starts;
use crate::concrete::space::{BlockSize, Definition, Space};
use crate::coordinate::Coordinate;
use crate::error::Diagnostic;
use crate::iteration::graph::{is_implied, last_appended};
use crate::notation::schedule::{Action, Command, Schedule};
use crate::notation::{Access, Expr, Kernel, TensorId, VariableId};

/// Returns the variables that a schedule defines.
pub(super) fn demanded(schedule: &Schedule) -> Space {
    let mut space = Space::default();
    let is_position = |v: VariableId| pos::loop_of(schedule, v) != v;
    for command in schedule {
        if let Action::Fuse { parts: [outer, inner], fused } = command.action {
            for part in [outer, inner] {
                space.replace(part, vec![(fused, Definition::Fused(outer, inner))]);
            }
            continue;
        }
        let Some((whole, [block, place], size)) = blocks(&command.action) else { continue };
        if is_position(whole) {
            // Positions of a level are not derived: lowering splits their loop.
            continue;
        }
        let parts = [Coordinate::Div(whole, size), Coordinate::Mod(whole, size)];
        let [number, offset] = parts.map(Definition::Computed);
        space.replace(whole, vec![(block, number), (place, offset)]);
    }
    space
}

/// Returns the variable that a command splits, the variables of the block and of the offset, and
/// the size of a block.
pub(super) fn blocks(
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

/// Returns the diagnostic for two variables that cannot be fused.
pub(super) fn refuse_fused(
    kernel: &Kernel,
    command: &Command<VariableId, TensorId, Expr>,
    parts: [VariableId; 2],
) -> Diagnostic {
    let [outer, inner] = parts.map(|v| kernel.variable(v).name.as_str());
    let diagnostic =
        Diagnostic::new(command.span, format!("`{outer}` and `{inner}` cannot be fused"));
    let result = &kernel.assignment.result;
    let has = |access: &Access| parts.iter().any(|v| access.indices.contains(v));
    let mut walked = None;
    kernel.assignment.value.for_each_access(&mut |access| {
        let levels = &kernel.tensor(access.tensor).format.levels;
        if has(access) && levels.iter().any(|spec| spec.level.locate().is_none()) {
            walked = walked.take().or_else(|| Some(kernel.show_access(access)));
        }
    });
    let note = match walked {
        Some(access) => format!(
            "`{access}` is walked entry by entry, one loop within the other; entries whose levels \
             hold one coordinate for each of those above, as of `coo`, share a loop already"
        ),
        None if has(result) && last_appended(kernel).is_some() => format!(
            "`{}` is assembled in order as `{}`, by nested loops",
            kernel.show_access(result),
            kernel.tensor(result.tensor).format
        ),
        None => "only one of the two belongs to the result, or to a sum".to_owned(),
    };
    diagnostic.note(note).help("remove the command")
}

/// Returns the diagnostic for a variable that cannot be split because of a tensor that stores its
/// coordinates.
pub(super) fn refuse(
    kernel: &Kernel,
    command: &Command<VariableId, TensorId, Expr>,
    whole: VariableId,
) -> Diagnostic {
    let name = &kernel.variable(whole).name;
    let diagnostic = Diagnostic::new(command.span, format!("`{name}` cannot be split"));
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
        if assembled.any(|k| start.level_variable(result, k) == Some(whole)) {
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
        assert_eq!(
            loops(spmv, "y = 'dense', A = 'csr', x = 'dense'", &["split(j, jo, ji, 4)"]),
            "`j` cannot be split; `A[i,j]` stores `j` in a `compressed` level, which cannot \
             locate the first coordinate of a block"
        );
        assert_eq!(
            loops("T[i,j,k] = A[i,j,k]", "T = 'csf', A = 'dense'", &["divide(i, io, ii, 4)"]),
            "`i` cannot be split; `T[i,j,k]` is assembled in the order of `i` as \
             `(i, j, k) -> (i : compressed, j : compressed, k : compressed)`"
        );
        // Parents whose entries are counted first may come in any order.
        assert_eq!(
            loops("B[i,j] = A[i,j]", "B = 'csr', A = 'dense'", &["divide(i, io, ii, 4)"]),
            "∀j ∀io ∀ii B[i,j] = A[i,j]"
        );
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
