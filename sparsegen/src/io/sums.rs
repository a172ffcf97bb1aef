//! Overflow checks for sums of duplicates.

use std::cmp::Ordering;

use super::element::{Element, Field};
use crate::{Shape, Value};

/// Returns an error if the sum of entries with the same coordinate overflows the type `V`, so that
/// no file can cause an overflow. `base` is the number of the first coordinate in the file.
pub(crate) fn check<S: Shape, V: Element>(entries: &[(S, V)], base: usize) -> Result<(), String> {
    let holds_sums = match V::FIELD {
        Field::Real | Field::Complex => true,
        Field::Integer | Field::Pattern => false,
    };
    if holds_sums || all_sums_fit(entries.iter().map(|&(_, value)| value)) {
        return Ok(());
    }
    let coordinate = |&index: &usize| entries[index].0.as_ref();
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|a, b| coordinate(a).cmp(coordinate(b)));
    for duplicates in order.chunk_by(|a, b| coordinate(a) == coordinate(b)) {
        let values = duplicates.iter().map(|&index| entries[index].1);
        let mut values = values.into_iter();
        let first = values.next();
        let sum = first.map(|first| values.try_fold(first, |sum, value| sum.plus(value)));
        if let Some(None) = sum {
            let place: Vec<String> =
                coordinate(&duplicates[0]).iter().map(|index| (index + base).to_string()).collect();
            return Err(format!(
                "the {} entries at ({}) add up to a value that does not fit `{}`",
                duplicates.len(),
                place.join(", "),
                V::NAME
            ));
        }
    }
    Ok(())
}

/// Returns whether the sums of all positive and of all negative values fit. Most files need no
/// search for duplicates because of this check.
fn all_sums_fit<V: Element>(values: impl Iterator<Item = V>) -> bool {
    let (mut negative, mut positive) = (None::<V>, None::<V>);
    for value in values {
        let sign = value.value().compare(V::Value::ZERO);
        let total = if sign.is_some_and(Ordering::is_lt) { &mut negative } else { &mut positive };
        match total.map_or(Some(value), |total| total.plus(value)) {
            Some(sum) => *total = Some(sum),
            None => return false,
        }
    }
    true
}
