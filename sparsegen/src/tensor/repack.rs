//! Tensors from others: in another format, or with a part of theirs replaced.

use std::collections::HashMap;

use crate::format::Format;
use crate::{Error, Stored, Tensor, Value, View};

use super::build::Merge;
use super::columns::columns;
use super::convert::coordinate_of;
use super::distribute::{self, Source};
use super::pack::{combined, pack};
use super::{check_values, is_fill};

/// What `old` stores outside of a part of it, together with the entries of `new`. Where `new` stores
/// nothing, the part is what that counts as.
pub(crate) fn cover<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    old: &View<'_, V, F>,
    new: &View<'_, V, G>,
    inside: impl Fn(&F::Shape) -> bool,
    merge: Merge<'_, V::Value>,
) -> Result<Tensor<V, F>, Error> {
    let kept = old.iter().filter(|(coordinate, _)| !inside(coordinate));
    let fill = V::Value::filled(F::FILL);
    let entries = match is_fill(V::Value::filled(G::FILL), fill) {
        true => kept.chain(new.iter()).collect(),
        false => kept.chain(refilled(new, &inside, merge)?).collect(),
    };
    pack(old.shape, entries, merge)
}

/// Returns the tensor that stores what another one does, entries that share their coordinate combined.
pub(super) fn repack<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    tensor: &View<'_, V, F>,
    merge: Merge<'_, V::Value>,
) -> Result<Tensor<V, G>, Error> {
    check_values::<V, G>();
    if !is_fill(V::Value::filled(F::FILL), V::Value::filled(G::FILL)) {
        return refill(tensor, merge);
    }
    if distribute::suits::<G>(merge.may_keep())
        && let Some(columns) = columns(tensor)
        && let Some(packed) = distribute::pack(tensor.shape, Source::Columns(columns), merge)
    {
        return Ok(packed);
    }
    pack(tensor.shape, tensor.iter().collect(), merge)
}

/// Returns the tensor of another fill: it stores the entries, and what the old fill was elsewhere.
fn refill<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    tensor: &View<'_, V, F>,
    merge: Merge<'_, V::Value>,
) -> Result<Tensor<V, G>, Error> {
    let entries = refilled(tensor, |_| true, merge)?;
    pack(tensor.shape, entries, merge)
}

/// Returns what a tensor is within a part, as entries of one of another fill: its own, and its fill wherever
/// it has none.
fn refilled<V: Stored, F: Format>(
    tensor: &View<'_, V, F>,
    inside: impl Fn(&F::Shape) -> bool,
    merge: Merge<'_, V::Value>,
) -> Result<Vec<(F::Shape, V)>, Error> {
    let entries = combined::<V, F>(tensor.shape, tensor.iter().collect(), merge)?;
    let stored: HashMap<F::Shape, V> = entries.into_iter().collect();
    let extents = tensor.shape.as_ref();
    let too_large = || Error::Size { format: F::NAME, shape: extents.to_vec() };
    let count = extents.iter().try_fold(1_usize, |count, extent| count.checked_mul(*extent));
    let coordinates = 0..count.ok_or_else(too_large)?;
    let coordinates = coordinates.map(|number| coordinate_of::<F::Shape>(number, extents));
    let values = coordinates.filter(inside).map(|coordinate| {
        let value = stored.get(&coordinate).copied();
        (coordinate, value.unwrap_or(V::filler(F::FILL)))
    });
    Ok(values.collect())
}
