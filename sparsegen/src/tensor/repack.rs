//! Tensors from other tensors: converted to another format, or with a part replaced.

use alloc::vec::Vec;

use crate::memory::HashMap;

use crate::format::Format;
use crate::{Error, Fill, Stored, Tensor, Value, View};

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
    pack(old.shape, kept.chain(new.iter()), merge)
}

/// Converts a tensor to another format, and combines entries with the same coordinate.
pub(super) fn repack<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    tensor: &View<'_, V, F>,
    merge: Merge<'_, V::Value>,
) -> Result<Tensor<V, G>, Error> {
    check_values::<V, G>();
    if !is_fill(V::Value::filled(F::FILL), V::Value::filled(G::FILL)) {
        return refill(tensor.shape, tensor.iter().collect(), F::FILL, merge);
    }
    if let Some(converted) = V::convert(tensor) {
        return Ok(converted);
    }
    if place::suits::<G>(merge.may_keep())
        && let Some(columns) = columns(tensor)
        && let Some(packed) = place::pack(tensor.shape, columns, merge)
    {
        return Ok(packed);
    }
    pack_listed(tensor.shape, tensor.iter().collect(), merge)
}

/// Packs entries of a tensor whose unlisted values are `fill`.
pub(super) fn pack_over<V: Stored, G: Format>(
    shape: G::Shape,
    entries: Vec<(G::Shape, V)>,
    fill: Fill,
) -> Result<Tensor<V, G>, Error> {
    check_values::<V, G>();
    match is_fill(V::Value::filled(fill), V::Value::filled(G::FILL)) {
        true => pack(shape, entries, Merge::SUM),
        false => refill(shape, entries, fill, Merge::SUM),
    }
}

/// Packs entries in a format with another fill value, which stores the old fill value where there is
/// no entry.
fn refill<V: Stored, G: Format>(
    shape: G::Shape,
    entries: Vec<(G::Shape, V)>,
    fill: Fill,
    merge: Merge<'_, V::Value>,
) -> Result<Tensor<V, G>, Error> {
    let entries = combined::<V, G>(shape, entries, merge)?;
    let stored: HashMap<G::Shape, V> = entries.into_iter().collect();
    let entries = coordinates::<G>(shape)?.map(|coordinate| {
        let value = stored.get(&coordinate).copied();
        (coordinate, value.unwrap_or(V::filler(fill)))
    });
    pack(shape, entries, merge)
}

/// Returns every coordinate inside a shape, in row-major order.
pub(crate) fn coordinates<F: Format>(
    shape: F::Shape,
) -> Result<impl Iterator<Item = F::Shape>, Error> {
    let extents = shape.as_ref();
    let count = extents.iter().try_fold(1_usize, |count, extent| count.checked_mul(*extent));
    let count = count.ok_or_else(|| Error::Size { format: F::NAME, shape: extents.to_vec() })?;
    Ok((0..count).map(move |number| coordinate_of::<F::Shape>(number, shape.as_ref())))
}
