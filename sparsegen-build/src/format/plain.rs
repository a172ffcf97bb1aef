//! The formats into which operands and results are converted.

use std::sync::Arc;

use super::builtin::{AT_RANDOM, GROUPED, LOCATED, PLAIN, ROWS, find};
use super::{Definition, Format, Widths, define, parse};
use crate::level::Levels;
use crate::manifest::Text;
use crate::types::Width;

/// Returns formats that iterate and assemble in a given order of the modes, for converting an
/// operand or a result in `format`.
///
/// None of them takes memory proportional to a dimension unless `format` does: if few rows of a
/// matrix have entries, its rows are compressed, or hashed so that they can be located.
pub fn plain(format: &Format, modes: &[usize], levels: &Levels) -> Vec<Arc<Format>> {
    let is_hypersparse =
        format.levels.iter().all(|spec| spec.level.coordinate_iteration().is_none());
    let roots: &[&str] = match (format.order(), is_hypersparse) {
        (2, false) => &[ROWS],
        (2, true) => &[PLAIN, LOCATED],
        _ => &[PLAIN],
    };
    roots.iter().filter_map(|root| of_levels(format, root, modes, levels)).collect()
}

/// Returns a format that stores entries in any order and with duplicates, for a result that is
/// packed afterwards.
pub fn unordered(format: &Format, levels: &Levels) -> Option<Arc<Format>> {
    let definition = Definition::of_builtin(find("coo_unordered")?, format.pos(), format.crd());
    definition.of_order(format.order(), levels).map(|list| with_fill(list, format))
}

/// Returns a format with lookup of any element, for a tensor whose elements index other tensors.
pub fn at_random(format: &Format, levels: &Levels) -> Option<Arc<Format>> {
    let definition = Definition::of_builtin(find(AT_RANDOM)?, format.pos(), format.crd());
    definition.of_order(format.order(), levels).map(Arc::new)
}

/// Returns the format of the inverse of a list: the places of each coordinate, in order. It stores
/// lists of any length.
pub fn inverse_of_list(levels: &Levels) -> Option<Arc<Format>> {
    let definition = Definition::of_builtin(find(GROUPED)?, Width::Usize, Width::Usize);
    definition.of_order(2, levels).map(Arc::new)
}

/// Returns a format with `root` as outermost level and plain levels below it.
fn of_levels(format: &Format, root: &str, modes: &[usize], levels: &Levels) -> Option<Arc<Format>> {
    let dimensions: Vec<String> = ('i'..).take(modes.len()).map(String::from).collect();
    let kinds = [root].into_iter().chain(std::iter::repeat(PLAIN));
    let stored: Vec<String> = modes
        .iter()
        .zip(kinds)
        .map(|(mode, kind)| format!("{} : {kind}", dimensions[*mode]))
        .collect();
    let map = format!("({}) -> ({})", dimensions.join(", "), stored.join(", "));
    let plain = parse::parse(&Text::unplaced(&map), levels).ok()?;
    if let Some(builtin) = define::recognize(&plain, levels) {
        return Definition::of_builtin(builtin, format.pos(), format.crd())
            .of_order(modes.len(), levels)
            .map(|plain| with_fill(plain, format));
    }
    let (pos, crd) = (Widths::Same(format.pos()), Widths::Same(format.crd()));
    let mut plain = plain.with_widths(&pos, &crd)?;
    plain.name = Some(match modes {
        [0, 1] => "by_row".to_owned(),
        [1, 0] => "by_column".to_owned(),
        modes => format!("by_modes_{}", modes.iter().map(usize::to_string).collect::<String>()),
    });
    Some(with_fill(plain, format))
}

/// Returns a format with the fill value of another one.
fn with_fill(plain: Format, like: &Format) -> Arc<Format> {
    Arc::new(plain.filled(like.fill))
}
