//! Tensors from others: in another format, or with a part of theirs replaced.

use std::collections::HashMap;

use crate::format::Format;
use crate::{Error, Stored, Tensor, Value, View};

use super::columns::columns;
use super::convert::coordinate_of;
use super::distribute::{self, Source};
use super::pack::{combined, pack};
use super::{Duplicates, check_values, pads};

/// What `old` stores outside of a part of it, together with the entries of `new`.
pub(crate) fn cover<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    old: &View<'_, V, F>,
    new: &View<'_, V, G>,
    inside: impl Fn(&F::Shape) -> bool,
) -> Result<Tensor<V, F>, Error> {
    let keeps_zeros = !pads::<F>();
    let kept = old.iter().filter(|(coordinate, _)| !inside(coordinate));
    let entries = kept.chain(new.iter());
    let fill = V::Value::filled(F::FILL);
    let entries = entries.filter(|(_, value)| keeps_zeros || value.value() != fill);
    pack(old.shape, entries.collect(), Duplicates::Sum)
}

/// The tensor that stores what another one does; the values of entries that share their coordinate
/// are added up.
pub(super) fn repack<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    tensor: &View<'_, V, F>,
) -> Result<Tensor<V, G>, Error> {
    check_values::<V, G>();
    if V::Value::filled(F::FILL) != V::Value::filled(G::FILL) {
        return refill(tensor);
    }
    if distribute::suits::<G>(Duplicates::Sum)
        && let Some(columns) = columns(tensor)
        && let Some(packed) =
            distribute::pack(tensor.shape, Source::Columns(columns), Duplicates::Sum)
    {
        return Ok(packed);
    }
    let keeps_zeros = !pads::<F>();
    let fill = V::Value::filled(F::FILL);
    let entries = tensor.iter().filter(|(_, value)| keeps_zeros || value.value() != fill);
    pack(tensor.shape, entries.collect(), Duplicates::Sum)
}

/// The tensor that stores whatever differs from another fill: where a tensor stores nothing, it may.
fn refill<V: Stored, F: Format, G: Format<Shape = F::Shape>>(
    tensor: &View<'_, V, F>,
) -> Result<Tensor<V, G>, Error> {
    let after = V::Value::filled(G::FILL);
    let (keeps_all, before) = (!pads::<F>(), V::Value::filled(F::FILL));
    let entries = tensor.iter().filter(|(_, value)| keeps_all || value.value() != before);
    let entries = combined::<V, F>(tensor.shape, entries.collect())?;
    let stored: HashMap<F::Shape, V> = entries.into_iter().collect();
    let extents = tensor.shape.as_ref();
    let too_large = || Error::Size { format: G::NAME, shape: extents.to_vec() };
    let count = extents.iter().try_fold(1_usize, |count, extent| count.checked_mul(*extent));
    let mut entries = Vec::new();
    for number in 0..count.ok_or_else(too_large)? {
        let coordinate = coordinate_of::<F::Shape>(number, extents);
        let value = stored.get(&coordinate).copied().unwrap_or(V::filler(F::FILL));
        if value.value() != after {
            entries.push((coordinate, value));
        }
    }
    pack(tensor.shape, entries, Duplicates::Sum)
}
