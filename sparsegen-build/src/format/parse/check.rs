//! Checks of the levels of a map together.

use crate::coordinate::Coordinate;
use crate::error::{Code, Diagnostic, Span};
use crate::format::{LevelExpr, LevelSpec};
use crate::level::holds_signed;

/// Checks that a level that stores a fixed number of coordinates of each block is over remainders
/// of blocks of that size, or over a dimension, whose extent is checked when a tensor is created.
pub(super) fn check_blocks(specs: &[LevelSpec], spans: &[Span]) -> Vec<Diagnostic> {
    let wrong = |(spec, span): (&LevelSpec, &Span)| {
        let block = spec.level.share()?.block;
        let stored = match (&spec.expr, spec.expr.computed()) {
            (LevelExpr::Dimension(_), _) => return None,
            (_, Some(Coordinate::Mod(_, size))) if *size == block => return None,
            (_, Some(Coordinate::Mod(_, size))) => {
                format!("the blocks of this level have {size} coordinates")
            }
            (_, Some(Coordinate::Div(..) | Coordinate::Affine(_)) | None) => {
                "this level does not store remainders of blocks".to_owned()
            }
        };
        let (name, numbers) = (spec.level.name(), spec.level.parameters().join(", "));
        let message = format!("`{name}({numbers})` is for blocks of {block} coordinates");
        Some(Diagnostic::new(Code::LevelNumbers, *span, message).note(stored).help(format!(
            "store the remainder of a block of {block}, as in `j % {block} : {name}({numbers})`"
        )))
    };
    specs.iter().zip(spans).filter_map(wrong).collect()
}

/// Checks that differences, which may be negative, are in levels that store coordinates unchanged.
pub(super) fn check_signs(specs: &[LevelSpec], spans: &[Span]) -> Vec<Diagnostic> {
    let signed = specs.iter().zip(spans).filter(|(spec, _)| spec.expr.may_be_negative());
    let wrong = signed.filter(|(spec, _)| !holds_signed(spec.level.as_ref()));
    let refuse = |(spec, span): (&LevelSpec, &Span)| {
        let name = spec.level.name();
        Diagnostic::new(
            Code::LevelPlacement,
            *span,
            format!("a `{name}` level cannot store differences"),
        )
        .note("they may be negative, and it computes with its coordinates")
        .help("choose a level that stores coordinates unchanged")
    };
    wrong.map(refuse).collect()
}

/// Checks that levels that must be outermost are.
pub(super) fn check_places(specs: &[LevelSpec], spans: &[Span]) -> Vec<Diagnostic> {
    let outermost = specs.iter().take_while(|spec| spec.level.is_outermost()).count();
    let inner = specs.iter().zip(spans).skip(outermost);
    let refuse = |(spec, span): (&LevelSpec, &Span)| {
        let name = spec.level.name();
        let message = format!("a `{name}` level must be the outermost one");
        Diagnostic::new(Code::LevelPlacement, *span, message)
            .note("the levels above it are of other kinds")
            .help("move it to the front of the map, or choose another level for this dimension")
    };
    inner.filter(|(spec, _)| spec.level.is_outermost()).map(refuse).collect()
}

/// Checks that below duplicates there are only levels that distinguish them by position.
pub(super) fn check_nesting(specs: &[LevelSpec], spans: &[Span]) -> Vec<Diagnostic> {
    let pairs = specs.windows(2).zip(spans.windows(2));
    pairs
        .filter(|(specs, _)| {
            let iteration = specs[1].level.position_iteration();
            let is_of_one_parent = iteration.is_none_or(|it| !it.all_carried().is_empty());
            !specs[0].properties.unique && is_of_one_parent
        })
        .map(|(specs, spans)| {
            let (parent, child) = (specs[0].level.name(), specs[1].level.name());
            Diagnostic::new(
                Code::LevelPlacement, spans[1],
                format!("a `{child}` level cannot be below a nonunique level"),
            )
            .note(format!(
                "the `{parent}` level above may store a coordinate several times, and `{child}` is \
                 iterated below one parent at a time, so their children could not be brought together"
            ))
            .help(
                "omit `nonunique`, or store this dimension in a level that keeps coordinates",
            )
        })
        .collect()
}

/// Checks that a level whose coordinate follows from those above is not below a level with
/// coordinates for which there is none: a full one has those beyond the ends of a diagonal.
pub(super) fn check_implied(specs: &[LevelSpec], spans: &[Span]) -> Vec<Diagnostic> {
    let beyond = |level: usize| {
        let own = specs[level].expr.modes();
        let diagonal = specs[..level].iter().position(|above| {
            let of_own = own.iter().all(|mode| above.expr.modes().contains(mode));
            of_own && matches!(above.expr.computed(), Some(Coordinate::Affine(_)))
        })?;
        let other = |spec: &LevelSpec| {
            let modes = specs[diagonal].expr.modes();
            spec.expr.modes().iter().any(|mode| modes.contains(mode) && !own.contains(mode))
        };
        (diagonal + 1..level).find(|k| other(&specs[*k]) && specs[*k].properties.full)
    };
    let refuse = |level: usize| {
        let above = &specs[beyond(level)?].level;
        let (parent, child) = (above.name(), specs[level].level.name());
        let message = format!("a `{child}` level cannot be below this `{parent}` level");
        Some(
            Diagnostic::new(Code::LevelPlacement, spans[level], message)
                .note(format!(
                    "`{parent}` has coordinates beyond the ends of a diagonal, where `{child}` has none"
                ))
                .help("use a level with only the coordinates of the diagonal, such as `range`"),
        )
    };
    let implied = (0..specs.len()).filter(|level| specs[*level].level.is_implied());
    implied.filter_map(refuse).collect()
}
