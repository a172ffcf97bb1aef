//! Whether duplicates can be added up.

use super::element::{Element, Field};
use crate::Shape;

/// Refuses entries of one coordinate whose sum the integer type `V` does not hold: a file must not
/// make an addition overflow.
pub(super) fn check<S: Shape, V: Element>(entries: &[(S, V)]) -> Result<(), String> {
    if V::FIELD != Field::Integer || all_sums_fit(entries.iter().map(|&(_, value)| value)) {
        return Ok(());
    }
    let coordinate = |&index: &usize| entries[index].0.as_ref();
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|a, b| coordinate(a).cmp(coordinate(b)));
    for duplicates in order.chunk_by(|a, b| coordinate(a) == coordinate(b)) {
        let values = duplicates.iter().map(|&index| entries[index].1);
        let sum = values.into_iter().try_fold(V::zero(), |sum, value| sum.plus(value));
        if sum.is_none() {
            let place: Vec<String> =
                coordinate(&duplicates[0]).iter().map(|index| (index + 1).to_string()).collect();
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

/// Whether the values fit even if all of one sign were duplicates, which spares most files the
/// search for them.
fn all_sums_fit<V: Element>(values: impl Iterator<Item = V>) -> bool {
    let (mut negative, mut positive) = (V::zero(), V::zero());
    for value in values {
        let is_negative = value.compare(V::zero()).is_some_and(|order| order.is_lt());
        let total = if is_negative { &mut negative } else { &mut positive };
        match total.plus(value) {
            Some(sum) => *total = sum,
            None => return false,
        }
    }
    true
}
