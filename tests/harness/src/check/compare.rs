//! Compares results with expected values.

use std::collections::BTreeMap;

use crate::number::Number;
use crate::oracle::{Cells, Knowledge};
use crate::typed::Stored;
use crate::worlds::Entries;

/// The permitted differences of a result's structure from the oracle's.
#[derive(Clone, Copy)]
pub struct Freedom {
    /// `true` if entries equal to the fill value may be stored although the oracle has none.
    pub more: bool,
    /// `true` if entries equal to the fill value may be missing although the oracle has them.
    pub less: bool,
    /// `true` for a pattern: every entry is 1, whatever value the oracle has.
    pub ones: bool,
}

/// Checks that a result stores the expected entries, and no others except for entries equal to the
/// fill value where `freedom` permits these.
pub fn check_values(
    result: &Stored,
    cells: &Cells,
    fill: Number,
    freedom: Freedom,
) -> Result<(), String> {
    // Levels that are not unique may store a coordinate several times.
    let mut stored: BTreeMap<&Vec<usize>, Number> = BTreeMap::new();
    for (at, value) in &result.entries {
        let sum = stored.get(at).map_or(*value, |sum| *sum + *value);
        stored.insert(at, sum);
    }
    for (at, cell) in cells {
        // A sum that cancels to zero in one order may not do so in another.
        let may_lack = cell.knowledge == Knowledge::Either || freedom.less;
        match stored.get(at) {
            None if may_lack && fill.is_like(cell.value, cell.error) => {}
            None => return Err(format!("{at:?} is not stored, expected {}", cell.value)),
            // A list may have an entry several times.
            Some(value) if freedom.ones && value.magnitude() >= 1.0 => {}
            Some(value) if freedom.ones || !value.is_like(cell.value, cell.error) => {
                return Err(format!("at {at:?} is {value}, expected {}", cell.value));
            }
            Some(_) => {}
        }
    }
    for (at, value) in stored.iter().filter(|(at, _)| !cells.contains_key(**at)) {
        if !freedom.more {
            return Err(format!("{at:?} is stored, but known to be {fill}"));
        }
        if !value.is_like(fill, 0.0) {
            return Err(format!("at {at:?} is {value}, expected {fill}"));
        }
    }
    Ok(())
}

/// Checks that a packed operand stores the given entries.
pub fn check_packing(given: &Entries, stored: &Stored, fill: Option<Number>) -> Result<(), String> {
    let mut sums: BTreeMap<&Vec<usize>, Number> = BTreeMap::new();
    for (at, value) in &given.entries {
        let sum = sums.entry(at).or_insert(Number::ZERO);
        *sum = *sum + *value;
    }
    for (at, value) in &stored.entries {
        let sum = sums.entry(at).or_insert(Number::ZERO);
        *sum = *sum - *value;
    }
    // The given values are representable in every element type. Padding is not in `given`, and
    // parts that consist of the fill value may be dropped.
    let pads = |rest: &Number| {
        let fill = fill.filter(|_| stored.pads || stored.drops);
        fill.is_some_and(|fill| rest.magnitude() == fill.magnitude())
    };
    match sums.iter().find(|(_, rest)| rest.magnitude() > 1e-4 && !pads(rest)) {
        Some((at, rest)) => Err(format!("{at:?} is off by {rest}")),
        None => Ok(()),
    }
}

/// Checks that entries are sorted in the order of the levels, without duplicates unless the format
/// permits them.
pub fn check_order(result: &Stored) -> Result<(), String> {
    let by_level =
        |at: &Vec<usize>| -> Vec<usize> { result.modes.iter().map(|mode| at[*mode]).collect() };
    if !result.ordered || result.modes.is_empty() {
        return Ok(());
    }
    for pair in result.entries.windows(2) {
        let (before, after) = (by_level(&pair[0].0), by_level(&pair[1].0));
        if before > after || before == after && !result.repeats {
            return Err(format!("{:?} is stored before {:?}", pair[0].0, pair[1].0));
        }
    }
    Ok(())
}

/// Returns whether two tensors are equal, with NaN equal to itself.
pub fn is_same(a: &Stored, b: &Stored) -> bool {
    a.arrays == b.arrays
        && a.vals.len() == b.vals.len()
        && a.vals.iter().zip(&b.vals).all(|(a, b)| a.is_like(*b, 0.0))
}

/// Returns whether the results of two oracles agree.
pub fn is_same_cells(a: &Cells, b: &Cells) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|((at, a), (other, b))| {
            let error = a.error.max(b.error);
            at == other && a.knowledge == b.knowledge && a.value.is_like(b.value, error)
        })
}
