//! Tensors from others: in another format, or with a part of theirs replaced.

use std::collections::HashMap;

use crate::format::Format;
use crate::{Error, Stored, Tensor, Value, View};

use super::build::Merge;
use super::columns::columns;
use super::convert::coordinate_of;
use super::distribute::{self, Source};
use super::pack::{combined, pack};
use super::{check_values, pads};

/// What `old` stores outside of a part of it, together with the entries of `new`. Where `new` stores
/// nothing, the part is what that counts as.
pub(crate) fn cover<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    old: &View<'_, V, F>,
    new: &View<'_, V, G>,
    inside: impl Fn(&F::Shape) -> bool,
    merge: Merge<'_, V::Value>,
) -> Result<Tensor<V, F>, Error> {
    let keeps_zeros = !pads::<F>();
    let kept = old.iter().filter(|(coordinate, _)| !inside(coordinate));
    let fill = V::Value::filled(F::FILL);
    let entries = match V::Value::filled(G::FILL) == fill {
        true => kept.chain(new.iter()).collect(),
        false => kept.chain(refilled(new, fill, &inside, merge)?).collect::<Vec<_>>(),
    };
    let entries = entries.into_iter();
    let entries = entries.filter(|(_, value)| keeps_zeros || value.value() != fill);
    pack(old.shape, entries.collect(), merge)
}

/// Returns the tensor that stores what another one does, entries that share their coordinate combined.
pub(super) fn repack<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    tensor: &View<'_, V, F>,
    merge: Merge<'_, V::Value>,
) -> Result<Tensor<V, G>, Error> {
    check_values::<V, G>();
    if V::Value::filled(F::FILL) != V::Value::filled(G::FILL) {
        return refill(tensor, merge);
    }
    if distribute::suits::<G>(merge.may_keep())
        && let Some(columns) = columns(tensor)
        && let Some(packed) = distribute::pack(tensor.shape, Source::Columns(columns), merge)
    {
        return Ok(packed);
    }
    let keeps_zeros = !pads::<F>();
    let fill = V::Value::filled(F::FILL);
    let entries = tensor.iter().filter(|(_, value)| keeps_zeros || value.value() != fill);
    pack(tensor.shape, entries.collect(), merge)
}

/// The tensor that stores whatever differs from another fill: where a tensor stores nothing, it may.
fn refill<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    tensor: &View<'_, V, F>,
    merge: Merge<'_, V::Value>,
) -> Result<Tensor<V, G>, Error> {
    let entries = refilled(tensor, V::Value::filled(G::FILL), |_| true, merge)?;
    pack(tensor.shape, entries, merge)
}

/// What differs from a value within a part of a tensor, stored or not.
fn refilled<V: Stored, F: Format>(
    tensor: &View<'_, V, F>,
    fill: V::Value,
    inside: impl Fn(&F::Shape) -> bool,
    merge: Merge<'_, V::Value>,
) -> Result<Vec<(F::Shape, V)>, Error> {
    let (keeps_all, before) = (!pads::<F>(), V::Value::filled(F::FILL));
    let entries = tensor.iter().filter(|(_, value)| keeps_all || value.value() != before);
    let entries = combined::<V, F>(tensor.shape, entries.collect(), merge)?;
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
    Ok(values.filter(|(_, value)| value.value() != fill).collect())
}
