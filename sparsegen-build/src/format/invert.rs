//! Invertibility of maps: each dimension must be computable from the levels.

use crate::coordinate::Coordinate;
use crate::error::{Code, Diagnostic, Span, quoted};

use super::LevelExpr;
use super::builtin::EXAMPLE_LEVEL;

/// Reports dimensions that cannot be recovered, and redundant levels.
pub(super) fn check(
    stored: &[&LevelExpr],
    spans: &[Span],
    dimensions: &[String],
    map: Span,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let known = closure(stored);
    let lost: Vec<_> = (0..dimensions.len())
        .filter(|dimension| !known.contains(&LevelExpr::Dimension(*dimension)))
        .map(|dimension| dimensions[dimension].as_str())
        .collect();
    if !lost.is_empty() {
        let (what, them) = match lost.len() {
            1 => ("the dimension", "it"),
            _ => ("the dimensions", "them"),
        };
        diagnostics.push(
            Diagnostic::new(
                Code::NotInvertible,
                map,
                format!("{what} {} cannot be recovered", quoted(&lost)),
            )
            .note(
                "the coordinates of an entry must be computable from its coordinates at the levels",
            )
            .help(match other_half(stored, dimensions) {
                Some(half) => {
                    format!("add the other half of the block: `{half} : {EXAMPLE_LEVEL}`")
                }
                None => {
                    format!("add a level for {them}, such as `{} : {EXAMPLE_LEVEL}`", lost[0])
                }
            }),
        );
    }
    for (k, expr) in stored.iter().enumerate() {
        let twice = stored[..k].contains(expr);
        let whole = match expr.computed() {
            Some(Coordinate::Div(whole, _) | Coordinate::Mod(whole, _)) => stored.contains(&whole),
            Some(Coordinate::Affine(_)) | None => false,
        };
        if twice || whole {
            diagnostics.push(
                Diagnostic::new(Code::NotInvertible, spans[k], "this level is redundant")
                    .note("the coordinate follows from other levels of the map")
                    .help("remove one of the two levels"),
            );
        }
    }
    diagnostics
}

/// Rewrites nested blocks so that both halves have the same dividend: next to `(i % 4) / 2`, a
/// level `i % 2` becomes `(i % 4) % 2`, and next to `(i / 2) % 2`, a level `i / 4` becomes `(i / 2)
/// / 2`.
pub(super) fn pair(mut stored: Vec<&mut LevelExpr>) {
    for k in 0..stored.len() {
        let mut others = stored.iter().enumerate().filter(|(other, _)| *other != k);
        if let Some(half) = others.find_map(|(_, other)| half_beside(stored[k], other)) {
            *stored[k] = half;
        }
    }
}

/// Returns an equal expression that is the other half of the block of `other`, if there is one.
fn half_beside(expr: &LevelExpr, other: &LevelExpr) -> Option<LevelExpr> {
    match (expr.computed()?, other.computed()?) {
        (Coordinate::Mod(whole, n), Coordinate::Div(block, m)) => {
            let Coordinate::Mod(inner, b) = block.computed()? else { return None };
            let is_half = inner == whole && m == n && b % n == 0;
            is_half.then(|| Coordinate::Mod(block.clone(), *n).into())
        }
        (Coordinate::Div(whole, n), Coordinate::Mod(block, m)) => {
            let Coordinate::Div(inner, b) = block.computed()? else { return None };
            let is_half = inner == whole && b.checked_mul(*m) == Some(*n);
            is_half.then(|| Coordinate::Div(block.clone(), *m).into())
        }
        (_, _) => None,
    }
}

/// Returns the missing half of a dimension that is divided into blocks, if it is missing.
fn other_half(stored: &[&LevelExpr], dimensions: &[String]) -> Option<String> {
    stored.iter().find_map(|expr| {
        let (whole, other) = match expr.computed()? {
            Coordinate::Div(whole, n) => (whole, Coordinate::Mod(whole.clone(), *n)),
            Coordinate::Mod(whole, n) => (whole, Coordinate::Div(whole.clone(), *n)),
            Coordinate::Affine(_) => return None,
        };
        let other = LevelExpr::from(other);
        let is_of_dimension = matches!(whole, LevelExpr::Dimension(_));
        (is_of_dimension && !stored.contains(&&other)).then(|| other.show(dimensions))
    })
}

/// Returns all expressions that can be computed from the stored ones.
fn closure(stored: &[&LevelExpr]) -> Vec<LevelExpr> {
    let mut known: Vec<LevelExpr> = stored.iter().map(|expr| (*expr).clone()).collect();
    loop {
        let found: Vec<_> = known
            .iter()
            .filter_map(|expr| match expr.computed()? {
                Coordinate::Div(whole, n) => {
                    let offset = LevelExpr::from(Coordinate::Mod(whole.clone(), *n));
                    known.contains(&offset).then(|| whole.clone())
                }
                Coordinate::Affine(sum) => {
                    let mut unknown = sum.variables().filter(|of| !known.contains(of));
                    let only = unknown.next().filter(|_| unknown.next().is_none())?;
                    sum.solve_for(only).map(|_| only.clone())
                }
                Coordinate::Mod(..) => None,
            })
            .filter(|expr| !known.contains(expr))
            .collect();
        if found.is_empty() {
            return known;
        }
        known.extend(found);
    }
}
