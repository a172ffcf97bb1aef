//! The assembly of many tensors from values at the same coordinates.

use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::sync::Arc;

use crate::memory::filled;
use crate::{Duplicates, Error, Format, Stored, Tensor, Value};

use super::Arrays;
use super::build::Merge;
use super::declared::Declared;
use super::pack::pack;

/// The positions in a tensor of values that are given in the order of a list of coordinates.
///
/// Finite elements and circuit simulators assemble the same matrix again and again: the values at
/// their list of coordinates change, and the coordinates do not. An assembly sorts the coordinates
/// once, and then makes a tensor of each list of values in one pass, without sorting. All of its
/// tensors share the arrays of their structure.
///
/// ```
/// use sparsegen::{Assembly, Csr};
///
/// // Two elements of three nodes: both add to the node that they share.
/// let coordinates = [[0, 0], [1, 1], [1, 1], [2, 2]];
/// let assembly = Assembly::<Csr>::new([3, 3], coordinates)?;
/// let mut a = assembly.fill(&[1.0, 2.0, 3.0, 4.0])?;
/// assert_eq!(a.vals(), [1.0, 5.0, 4.0]);
/// assembly.fill_into(&mut a, &[1.0, 1.0, 1.0, 1.0])?;
/// assert_eq!(a.vals(), [1.0, 2.0, 1.0]);
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone)]
pub struct Assembly<F: Format> {
    shape: F::Shape,
    levels: Arc<F::Levels>,
    duplicates: Duplicates,
    /// The position of each value; [`REPEATED`] is added to those of values that are combined with
    /// an earlier one.
    positions: Vec<usize>,
    /// The number of positions.
    count: usize,
    /// `true` if every position has a value.
    is_covered: bool,
}

/// The mark of a position at which an earlier value is stored. Arrays do not have as many elements.
const REPEATED: usize = 1 << (usize::BITS - 1);

impl<F: Format> Assembly<F> {
    /// Creates the assembly of a list of coordinates. Values at the same coordinate are added, or
    /// kept as described at [`Tensor::from_triplets`].
    ///
    /// Takes the time of [`Tensor::from_triplets`] and an expected constant time for each coordinate.
    ///
    /// # Errors
    /// The errors of [`Tensor::from_triplets`].
    pub fn new(
        shape: F::Shape,
        coordinates: impl IntoIterator<Item = F::Shape>,
    ) -> Result<Self, Error> {
        Assembly::with_duplicates(shape, coordinates, Duplicates::Sum)
    }

    /// Creates the assembly of a list of coordinates with a rule for values at the same coordinate.
    ///
    /// ```
    /// use sparsegen::{Assembly, Csr, Duplicates};
    ///
    /// let coordinates = [[0, 1], [0, 1]];
    /// let assembly = Assembly::<Csr>::with_duplicates([2, 2], coordinates, Duplicates::Last)?;
    /// assert_eq!(assembly.fill(&[1.0, 2.0])?.get([0, 1]), Some(2.0));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// Takes the time of [`Tensor::from_triplets`] and an expected constant time for each coordinate.
    ///
    /// # Errors
    /// The errors of [`Tensor::from_triplets`], and [`Error::Duplicate`] for
    /// [`Duplicates::Error`].
    pub fn with_duplicates(
        shape: F::Shape,
        coordinates: impl IntoIterator<Item = F::Shape>,
        duplicates: Duplicates,
    ) -> Result<Self, Error> {
        let coordinates: Vec<F::Shape> = coordinates.into_iter().collect();
        // The values are the numbers of the coordinates, none of which is taken for padding.
        let fill = usize::filled(F::FILL);
        let value = |number| if number == fill { usize::MAX } else { number };
        let keeps = duplicates == Duplicates::Sum && Declared::of::<F>().keeps_entries();
        let merge = Merge::As(match duplicates {
            Duplicates::Error => Duplicates::Error,
            Duplicates::Sum if keeps => Duplicates::Sum,
            // The structure does not depend on the values.
            Duplicates::Sum | Duplicates::First | Duplicates::Last => Duplicates::First,
            Duplicates::Min | Duplicates::Max => Duplicates::First,
        });
        let numbered = coordinates.iter().enumerate();
        let entries = numbered.map(|(number, coordinate)| (*coordinate, value(number)));
        let tensor = pack::<usize, F>(shape, entries.collect(), merge)?;
        let positions = if keeps {
            let mut positions = vec![0; coordinates.len()];
            let mut entries = tensor.iter();
            while let Some((position, _, number)) = entries.next_position() {
                positions[if number == usize::MAX { fill } else { number }] = position;
            }
            positions
        } else {
            places(&tensor, &coordinates)
        };
        let first = |position: &&usize| **position & REPEATED == 0;
        let Arrays { levels, vals } = tensor.arrays;
        let is_covered = positions.iter().filter(first).count() == vals.len();
        Ok(Assembly { shape, levels, duplicates, positions, count: vals.len(), is_covered })
    }

    /// Returns the tensor with the k-th value at the k-th coordinate of the assembly. It is the
    /// tensor that [`Tensor::from_triplets`] makes of these coordinates and values.
    ///
    /// Takes one pass over the values, without sorting. The tensors of one assembly share the arrays
    /// of their structure, see [`Tensor::same_structure`].
    ///
    /// # Errors
    /// [`Error::Argument`] if the number of values differs from that of coordinates, or if a value
    /// is the fill value and the format has an `unpadded` level; [`Error::Size`] if memory does not
    /// suffice.
    pub fn fill<V: Value>(&self, values: &[V]) -> Result<Tensor<V, F>, Error> {
        self.check(values)?;
        let too_large = || Error::Size { format: F::NAME, shape: self.shape.as_ref().to_vec() };
        let mut vals = filled(V::filler(F::FILL), self.count).ok_or_else(too_large)?;
        self.scatter(values, &mut vals);
        Ok(Tensor::of(self.shape, Arc::clone(&self.levels), vals))
    }

    /// Replaces a tensor by the one that [`Assembly::fill`] returns, and reuses its memory. If it was
    /// made by this assembly, nothing is allocated.
    ///
    /// # Errors
    /// The errors of [`Assembly::fill`]. The tensor is then unchanged.
    pub fn fill_into<V: Value>(
        &self,
        tensor: &mut Tensor<V, F>,
        values: &[V],
    ) -> Result<(), Error> {
        self.check(values)?;
        tensor.pending = None;
        tensor.shape = self.shape;
        if !Arc::ptr_eq(&tensor.arrays.levels, &self.levels) {
            tensor.arrays.levels = Arc::clone(&self.levels);
        }
        let vals = &mut tensor.arrays.vals;
        if !self.is_covered {
            vals.clear();
        }
        vals.resize(self.count, V::filler(F::FILL));
        self.scatter(values, vals);
        Ok(())
    }

    /// Returns the number of coordinates, which is the number of values for [`Assembly::fill`].
    ///
    /// ```
    /// use sparsegen::{Assembly, Coo};
    ///
    /// assert_eq!(Assembly::<Coo<1>>::new([5], [[3], [3], [0]])?.len(), 3);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns whether there are no coordinates.
    ///
    /// ```
    /// use sparsegen::{Assembly, Csr};
    ///
    /// assert!(Assembly::<Csr>::new([2, 2], [])?.is_empty());
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    fn check<V: Value>(&self, values: &[V]) -> Result<(), Error> {
        let refused = |reason| Err(Error::Argument { function: "fill", reason });
        let count = self.positions.len();
        if values.len() != count {
            return refused(format!("there are {} values for {count} coordinates", values.len()));
        }
        let fill = V::filled(F::FILL);
        if Declared::of::<F>().is_unpadded() && values.contains(&fill) {
            let format = F::NAME;
            return refused(format!(
                "a value is {fill}, which the unpadded levels of `{format}` do not store; its \
                 coordinate has to be left out"
            ));
        }
        Ok(())
    }

    /// Stores each value at its position.
    fn scatter<V: Value>(&self, values: &[V], vals: &mut [V]) {
        for (position, value) in self.positions.iter().zip(values) {
            let place = &mut vals[position & !REPEATED];
            *place = match position & REPEATED {
                0 => *value,
                _ => self.duplicates.combine(*place, *value),
            };
        }
    }
}

/// Returns the position in a tensor of each coordinate of a list; all are stored in it, once.
fn places<F: Format>(tensor: &Tensor<usize, F>, coordinates: &[F::Shape]) -> Vec<usize> {
    let mut stored = HashMap::with_capacity(tensor.vals().len().min(coordinates.len()));
    let mut entries = tensor.iter();
    while let Some((position, coordinate, _)) = entries.next_position() {
        stored.insert(coordinate, position);
    }
    let place = |coordinate: &F::Shape| {
        let position = stored.get_mut(coordinate).expect("a coordinate that was packed");
        let place = *position;
        *position |= REPEATED;
        place
    };
    coordinates.iter().map(place).collect()
}

impl<F: Format> Debug for Assembly<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Assembly { shape, duplicates, positions, .. } = self;
        f.debug_struct("Assembly")
            .field("format", &F::NAME)
            .field("shape", shape)
            .field("coordinates", &positions.len())
            .field("duplicates", duplicates)
            .finish()
    }
}
