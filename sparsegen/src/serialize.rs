//! Serialization of tensors with `serde`: the format's map and fill value, the extents, the arrays of
//! the levels, and the values.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::de::{Error as _, Unexpected};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Fill, Format, Pattern, Shape, Stored, Tensor, Value};

/// The fields of a serialized tensor, in order.
const FIELDS: [&str; 5] = ["format", "fill", "shape", "levels", "vals"];

/// Returns the fill value as in a manifest.
fn fill<F: Format>() -> String {
    match F::FILL {
        Fill::Int(number) => number.to_string(),
        Fill::Float(number) => number.to_string(),
        Fill::Greatest => "inf".to_owned(),
        Fill::Least => "-inf".to_owned(),
    }
}

/// A tensor is a structure of its format's map, in the notation of a manifest, its fill value, its
/// extents, its levels and its values:
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use sparsegen::{SparseVector, Tensor};
///
/// let x = Tensor::<f64, SparseVector>::from_triplets([9], [([2], 1.5), ([7], 4.0)])?;
/// let text = serde_json::to_string(&x).unwrap();
/// assert_eq!(
///     text,
///     r#"{"format":"(i) -> (i : compressed)","fill":"0","shape":[9],"#.to_owned()
///         + r#""levels":[{"pos":[0,2],"crd":[2,7]}],"vals":[1.5,4.0]}"#
/// );
/// assert_eq!(serde_json::from_str::<Tensor<f64, SparseVector>>(&text).unwrap(), x);
/// # }
/// # Ok::<(), sparsegen::Error>(())
/// ```
impl<V: Stored + Serialize, F: Format<Levels: Serialize>> Serialize for Tensor<V, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [format, filled, shape, levels, vals] = FIELDS;
        let mut fields = serializer.serialize_struct("Tensor", FIELDS.len())?;
        fields.serialize_field(format, &F::MAP.to_string())?;
        fields.serialize_field(filled, &fill::<F>())?;
        fields.serialize_field(shape, self.shape().as_ref())?;
        fields.serialize_field(levels, self.levels())?;
        fields.serialize_field(vals, self.vals())?;
        fields.end()
    }
}

/// The parts of a tensor, before they are checked.
#[derive(Deserialize)]
#[serde(rename = "Tensor", deny_unknown_fields)]
struct Parts<L, V> {
    format: String,
    fill: String,
    shape: Vec<usize>,
    levels: L,
    vals: Vec<V>,
}

/// Checks every invariant of the format. A tensor of another format, or with another fill value, is
/// an error, even if it has the same arrays.
impl<'de, V, F> Deserialize<'de> for Tensor<V, F>
where
    V: Stored + Deserialize<'de>,
    F: Format<Levels: Deserialize<'de>>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = Parts::<F::Levels, V>::deserialize(deserializer)?;
        let expect = |found: &str, expected: String| match found == expected {
            true => Ok(()),
            false => Err(D::Error::invalid_value(Unexpected::Str(found), &expected.as_str())),
        };
        expect(&parts.format, F::MAP.to_string())?;
        expect(&parts.fill, fill::<F>())?;
        if parts.shape.len() != F::Shape::ORDER {
            let expected = format!("{} extents", F::Shape::ORDER);
            return Err(D::Error::invalid_length(parts.shape.len(), &expected.as_str()));
        }
        let mut shape = F::Shape::splat(0);
        shape.as_mut().copy_from_slice(&parts.shape);
        Tensor::from_parts(shape, parts.levels, parts.vals).map_err(D::Error::custom)
    }
}

/// An entry of a pattern is the number 1, so that as many of them are read as a file really has.
impl<V: Value> Serialize for Pattern<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(1)
    }
}

impl<'de, V: Value> Deserialize<'de> for Pattern<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u8::deserialize(deserializer)? {
            1 => Ok(Pattern::ONE),
            other => Err(D::Error::invalid_value(Unexpected::Unsigned(other.into()), &"1")),
        }
    }
}
