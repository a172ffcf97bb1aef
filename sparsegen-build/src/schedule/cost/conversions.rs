//! The cost of conversions, from the number of entries of a format.

use super::{CONVERTED, DIMENSION, ENTRIES, ROOT_ENTRIES};
use crate::coordinate::Coordinate;
use crate::format::{Format, LevelExpr, LevelSpec};
use crate::notation::{Converted, TensorId};
use crate::schedule::convert::Conversion;

/// Returns the cost of converting operands.
pub fn cost_of_conversions(conversion: &Conversion) -> f64 {
    let least =
        |format: &Format| if format.order() <= 1 { ROOT_ENTRIES } else { DIMENSION * ENTRIES };
    let entries = |(_, converted): (TensorId, Converted)| {
        let format = &conversion.kernel.tensor(converted.of).format;
        stored(format).max(least(format))
    };
    // Packing costs as much as converting an operand, and more for formats that append to a full
    // level, which stores all coordinates.
    let packed = |format: &Format| {
        let fills = |spec: &LevelSpec| spec.properties.full && spec.level.insert().is_none();
        let filled = if format.levels.iter().any(fills) { stored(format) } else { 0.0 };
        filled.max(least(format))
    };
    let converted = conversion.kernel.converted().map(entries).sum::<f64>();
    (converted + conversion.packed.as_deref().map_or(0.0, packed)) * CONVERTED
}

/// Returns the number of entries of a format: a full level stores all coordinates under each
/// parent.
pub fn stored(format: &Format) -> f64 {
    (0..format.levels.len()).map(|level| children(format, level)).product()
}

/// Returns the number of entries of a level under each parent.
fn children(format: &Format, level: usize) -> f64 {
    let spec = &format.levels[level];
    let entries = if level == 0 { ROOT_ENTRIES } else { ENTRIES };
    match (spec.level.share(), spec.properties.full, spec.properties.branchless) {
        (Some(share), _, _) => share.stored as f64,
        (None, true, _) => extent(&spec.expr),
        (None, false, true) => 1.0,
        (None, false, false) => entries.min(extent(&spec.expr)),
    }
}

/// Returns the number of coordinates of a level.
fn extent(expr: &LevelExpr) -> f64 {
    match expr {
        LevelExpr::Dimension(_) => DIMENSION,
        LevelExpr::Count(_) => ENTRIES,
        LevelExpr::Computed(computed) => match &**computed {
            Coordinate::Div(of, by) => extent(of) / *by as f64,
            Coordinate::Mod(_, by) => *by as f64,
            Coordinate::Affine(_) => ENTRIES,
        },
    }
}
