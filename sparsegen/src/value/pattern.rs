//! The entries of tensors that store no values.

use core::fmt::{self, Display};
use core::marker::PhantomData;

use crate::{Fill, Format, Stored, Tensor, Value, View};

/// An entry of a tensor that stores no values: each entry has the value 1. It has size 0, so that
/// the array of values takes no memory.
///
/// Such a tensor cannot store zeros, so that formats that pad do not compile with it: a dense level
/// at the end, blocks, `dia`, `ell`. Nor can it store other values: entries with the same
/// coordinate are refused with [`Error::Duplicate`](crate::Error::Duplicate), unless the format
/// stores both or a [`Builder`](crate::Builder) sets which one to keep.
///
/// ```
/// use sparsegen::{Csr, Pattern, Stored, Tensor};
///
/// let entries = [([0, 1], Pattern::ONE), ([2, 0], Pattern::ONE)];
/// let graph = Tensor::<Pattern<f64>, Csr>::from_triplets([3, 3], entries)?;
/// assert_eq!(graph.get([2, 0]), Some(1.0));
/// assert_eq!(graph.get([0, 0]), Some(0.0));
/// assert_eq!(size_of_val(graph.vals()), 0);
///
/// let twos = graph.clone().map_vals(|entry| 2.0 * entry.value());
/// assert_eq!(twos.get([2, 0]), Some(2.0));
/// assert_eq!(twos.pattern(), graph);
/// # Ok::<(), sparsegen::Error>(())
/// ```
///
/// ```compile_fail
/// # use sparsegen::{Dense, Pattern, Tensor};
/// let all = Tensor::<Pattern<f64>, Dense<1>>::zeros([3]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pattern<V>(PhantomData<V>);

impl<V> Pattern<V> {
    /// An entry.
    pub const ONE: Pattern<V> = Pattern(PhantomData);
}

impl<V: Value> Stored for Pattern<V> {
    type Value = V;

    const IS_PATTERN: bool = true;

    #[inline]
    fn filler(_: Fill) -> Self {
        Pattern::ONE
    }

    #[inline]
    fn value(self) -> V {
        V::ONE
    }

    #[inline]
    fn combine(self, _: Self, _: impl FnOnce(V, V) -> V) -> Self {
        self
    }

    fn convert<F: Format, G: Format>(_: &View<'_, Self, F>) -> Option<Tensor<Self, G>> {
        None
    }
}

impl<V: Value> Display for Pattern<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.value(), f)
    }
}
