//! Tensors from other tensors: converted to another format, or with a part replaced.

use std::collections::HashMap;

use crate::format::Format;
use crate::{Error, Stored, Tensor, Value, View};

use super::build::Merge;
use super::columns::columns;
use super::convert::coordinate_of;
use super::pack::{combined, pack, pack_listed};
use super::{check_values, is_fill, place};

/// Returns a tensor with the entries of `old` outside of a part, and those of `new`, which has the same fill
/// value, within it.
pub(crate) fn cover<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    old: &View<'_, V, F>,
    new: &View<'_, V, G>,
    inside: impl Fn(&F::Shape) -> bool,
    merge: Merge<'_, V::Value>,
) -> Result<Tensor<V, F>, Error> {
    let kept = old.iter().filter(|(coordinate, _)| !inside(coordinate));
    pack(old.shape, kept.chain(new.iter()).collect(), merge)
}

/// Converts a tensor to another format, and combines entries with the same coordinate.
pub(super) fn repack<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    tensor: &View<'_, V, F>,
    merge: Merge<'_, V::Value>,
) -> Result<Tensor<V, G>, Error> {
    check_values::<V, G>();
    if !is_fill(V::Value::filled(F::FILL), V::Value::filled(G::FILL)) {
        return refill(tensor, merge);
    }
    if place::suits::<G>(merge.may_keep())
        && let Some(columns) = columns(tensor)
        && let Some(packed) = place::pack(tensor.shape, columns, merge)
    {
        return Ok(packed);
    }
    pack_listed(tensor.shape, tensor.iter().collect(), merge)
}

/// Converts a tensor to a format with another fill value, which stores the old fill value where the
/// tensor has no entry.
fn refill<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    tensor: &View<'_, V, F>,
    merge: Merge<'_, V::Value>,
) -> Result<Tensor<V, G>, Error> {
    let entries = combined::<V, F>(tensor.shape, tensor.iter().collect(), merge)?;
    let stored: HashMap<F::Shape, V> = entries.into_iter().collect();
    let extents = tensor.shape.as_ref();
    let too_large = || Error::Size { format: F::NAME, shape: extents.to_vec() };
    let count = extents.iter().try_fold(1_usize, |count, extent| count.checked_mul(*extent));
    let coordinates = 0..count.ok_or_else(too_large)?;
    let coordinates = coordinates.map(|number| coordinate_of::<F::Shape>(number, extents));
    let entries = coordinates.map(|coordinate| {
        let value = stored.get(&coordinate).copied();
        (coordinate, value.unwrap_or(V::filler(F::FILL)))
    });
    pack(tensor.shape, entries.collect(), merge)
}
