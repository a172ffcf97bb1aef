//! The assembly of many tensors from values at the same coordinates.

use alloc::vec::Vec;

use crate::memory::HashMap;
use alloc::sync::Arc;
use core::fmt::{self, Debug};

use crate::{Duplicates, Error, Format, Stored, Tensor, memory};

use super::build::Merge;
use super::declared::Declared;
use super::pack::pack;
use super::structure::Structure;

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
    structure: Arc<Structure<F>>,
    duplicates: Duplicates,
    /// The number of coordinates.
    count: usize,
    /// The number of the first value at each position; [`MISSING`] at a position without values.
    firsts: Vec<u32>,
    /// The numbers of all other values, in order, with their positions.
    others: Vec<(u32, usize)>,
}

/// The mark of a position without a value, which is not the number of one.
const MISSING: u32 = u32::MAX;

impl<F: Format> Assembly<F> {
    /// Creates the assembly of a list of coordinates. Values at the same coordinate are added, or
    /// kept as described at [`Tensor::from_triplets`].
    ///
    /// Takes the time of [`Tensor::from_triplets`] and an expected constant time for each coordinate.
    ///
    /// ```
    /// use sparsegen::{Assembly, Csr};
    ///
    /// let assembly = Assembly::<Csr>::new([2, 2], [[1, 0], [0, 1], [1, 0]])?;
    /// assert_eq!(assembly.fill(&[1.0, 2.0, 3.0])?.vals(), [2.0, 4.0]);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Tensor::from_triplets`], and [`Error::Size`] if there are 2^32 coordinates.
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
    /// The errors of [`Assembly::new`], and [`Error::Duplicate`] for [`Duplicates::Error`].
    pub fn with_duplicates(
        shape: F::Shape,
        coordinates: impl IntoIterator<Item = F::Shape>,
        duplicates: Duplicates,
    ) -> Result<Self, Error> {
        let coordinates: Vec<F::Shape> = coordinates.into_iter().collect();
        if coordinates.len() >= MISSING as usize {
            return Err(Error::Size { format: F::NAME, shape: shape.as_ref().to_vec() });
        }
        let keeps = duplicates == Duplicates::Sum && Declared::of::<F>().keeps_entries();
        let merge = Merge::As(match duplicates {
            Duplicates::Error => Duplicates::Error,
            Duplicates::Sum if keeps => Duplicates::Sum,
            // The structure does not depend on the values.
            Duplicates::Sum | Duplicates::First | Duplicates::Last => Duplicates::First,
            Duplicates::Min | Duplicates::Max => Duplicates::First,
        });
        let numbered = (0..).zip(&coordinates);
        let entries = numbered.map(|(number, coordinate)| (*coordinate, number_of::<F>(number)));
        let mut tensor = pack::<u32, F>(shape, entries, merge)?;
        let fill = u32::filler(F::FILL);
        let distinct = tensor.vals().iter().filter(|stored| **stored != fill).count();
        let mut positions = HashMap::new();
        if distinct < coordinates.len() {
            let mut entries = tensor.iter();
            while let Some((position, coordinate, _)) = entries.next_position() {
                positions.insert(coordinate, position);
            }
        }
        let (firsts, mut others) = (firsts(&mut tensor), Vec::new());
        for (number, coordinate) in (0..).zip(&coordinates) {
            match positions.get(coordinate) {
                Some(position) if firsts[*position] != number => others.push((number, *position)),
                Some(_) | None => {}
            }
        }
        let (structure, count) = (tensor.arrays.structure, coordinates.len());
        Ok(Assembly { shape, structure, duplicates, count, firsts, others })
    }

    /// Creates the assembly of coordinates that are different, or that the format keeps, given also as
    /// an array for each mode if they fit 32 bits.
    ///
    /// # Errors
    /// The errors of [`Assembly::new`].
    #[cfg(feature = "mpi")]
    pub(crate) fn of_columns(
        shape: F::Shape,
        columns: Option<Vec<&[u32]>>,
        coordinates: impl ExactSizeIterator<Item = F::Shape>,
    ) -> Result<Self, Error> {
        use super::{columns::Columns, place};
        let (keeps, count) = (Declared::of::<F>().keeps_entries(), coordinates.len());
        let duplicates = Duplicates::Sum;
        if let Some(columns) = columns.filter(|_| place::suits::<F>(keeps)) {
            let vals =
                memory::collect((0..count).map(|number| number_of::<F>(number as u32))).into();
            let dimensions = columns.into_iter().map(Into::into).collect();
            let columns = Columns { dimensions, vals, may_repeat: keeps };
            if let Some(mut tensor) = place::pack::<u32, F>(shape, columns, Merge::As(duplicates)) {
                let firsts = firsts(&mut tensor);
                let (structure, others) = (tensor.arrays.structure, Vec::new());
                return Ok(Assembly { shape, structure, duplicates, count, firsts, others });
            }
        }
        Assembly::new(shape, coordinates)
    }

    /// Returns the tensor with the k-th value at the k-th coordinate of the assembly. It is the
    /// tensor that [`Tensor::from_triplets`] makes of these coordinates and values.
    ///
    /// Takes one pass over the values, without sorting. The tensors of one assembly share the arrays
    /// of their structure, see [`Tensor::same_structure`].
    ///
    /// ```
    /// use sparsegen::{Assembly, Csr};
    ///
    /// let assembly = Assembly::<Csr>::new([2, 2], [[1, 0], [0, 1]])?;
    /// let (a, b) = (assembly.fill(&[1.0, 2.0])?, assembly.fill(&[10, 20])?);
    /// assert_eq!((a.get([1, 0]), b.get([1, 0])), (Some(1.0), Some(10)));
    /// assert!(a.same_structure(&b));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] if the number of values differs from that of coordinates, if a value is the
    /// fill value and the format has an `unpadded` level, or if entries of a [`Pattern`](crate::Pattern)
    /// would have to be added; [`Error::Size`] if memory does not suffice.
    pub fn fill<V: Stored>(&self, values: &[V]) -> Result<Tensor<V, F>, Error> {
        let mut tensor = Tensor::sharing(self.shape, Arc::clone(&self.structure), Vec::new());
        self.fill_into(&mut tensor, values)?;
        Ok(tensor)
    }

    /// Replaces a tensor by the one that [`Assembly::fill`] returns, and reuses its memory. If it was
    /// made by this assembly, nothing is allocated.
    ///
    /// ```
    /// use sparsegen::{Assembly, Csr};
    ///
    /// let assembly = Assembly::<Csr>::new([2, 2], [[1, 0], [0, 1]])?;
    /// let mut a = assembly.fill(&[1.0, 2.0])?;
    /// assembly.fill_into(&mut a, &[3.0, 4.0])?;
    /// assert_eq!(a.vals(), [4.0, 3.0]);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Assembly::fill`]. The tensor is then unchanged.
    pub fn fill_into<V: Stored>(
        &self,
        tensor: &mut Tensor<V, F>,
        values: &[V],
    ) -> Result<(), Error> {
        self.check(values)?;
        let vals = &mut tensor.arrays.vals;
        let additional = self.firsts.len().saturating_sub(vals.len());
        let too_large = |_| Error::Size { format: F::NAME, shape: self.shape.as_ref().to_vec() };
        memory::try_reserve(vals, additional).map_err(too_large)?;
        vals.clear();
        let fill = V::filler(F::FILL);
        let first = |number: &u32| values.get(*number as usize).copied().unwrap_or(fill);
        vals.extend(self.firsts.iter().map(first));
        for (number, position) in &self.others {
            let place = &mut vals[*position];
            let combine = |a, b| self.duplicates.combine(a, b);
            *place = place.combine(values[*number as usize], combine);
        }
        (tensor.shape, tensor.pending) = (self.shape, None);
        if !Arc::ptr_eq(&tensor.arrays.structure, &self.structure) {
            tensor.arrays.structure = Arc::clone(&self.structure);
        }
        Ok(())
    }

    /// Returns the number of the value at each position, or `None` at a position without one.
    #[cfg(feature = "mpi")]
    pub(crate) fn numbers(&self) -> impl Iterator<Item = Option<usize>> + Clone {
        self.firsts.iter().map(|first| (*first != MISSING).then_some(*first as usize))
    }

    /// Returns a tensor of values in the order in which they are stored.
    #[cfg(feature = "mpi")]
    pub(crate) fn view<'a, V: Stored>(&'a self, vals: &'a [V]) -> super::View<'a, V, F> {
        use crate::Levels;
        assert_eq!(vals.len(), self.firsts.len(), "there is one value for each position");
        let (levels, structure) = (self.structure.views(), Some(&self.structure));
        super::View { shape: self.shape, levels, vals, structure }
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
        self.count
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
        self.count == 0
    }

    fn check<V: Stored>(&self, values: &[V]) -> Result<(), Error> {
        let refused = |reason| Err(Error::Argument { function: "fill", reason });
        let count = self.count;
        if values.len() != count {
            return refused(format!("there are {} values for {count} coordinates", values.len()));
        }
        if !self.others.is_empty() && Merge::<V::Value>::As(self.duplicates).refuses(V::IS_PATTERN)
        {
            return refused("a pattern cannot store the sum of several entries".into());
        }
        let fill = V::filler(F::FILL);
        if Declared::of::<F>().is_unpadded() && !V::IS_PATTERN && values.contains(&fill) {
            let format = F::NAME;
            return refused(format!(
                "a value is {fill}, which the unpadded levels of `{format}` do not store; its \
                 coordinate has to be left out"
            ));
        }
        Ok(())
    }
}

/// Returns the value of a coordinate with a number while the coordinates are packed: the number itself,
/// unless it would be taken for padding.
fn number_of<F: Format>(number: u32) -> u32 {
    if number == u32::filler(F::FILL) { MISSING } else { number }
}

/// Takes the numbers of the coordinates from the values of a tensor, with [`MISSING`] for the fill value, which a
/// dense format also stores where no coordinate is given.
fn firsts<F: Format>(tensor: &mut Tensor<u32, F>) -> Vec<u32> {
    let mut firsts = core::mem::take(&mut tensor.arrays.vals);
    let fill = u32::filler(F::FILL);
    for first in &mut firsts {
        *first = match *first {
            stored if stored == fill => MISSING,
            MISSING => fill,
            number => number,
        };
    }
    firsts
}

impl<F: Format> Debug for Assembly<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Assembly { shape, duplicates, count, .. } = self;
        f.debug_struct("Assembly")
            .field("format", &F::NAME)
            .field("shape", shape)
            .field("coordinates", count)
            .field("duplicates", duplicates)
            .finish()
    }
}
