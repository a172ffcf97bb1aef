//! Tensors that are distributed among ranks.

use std::fmt::{self, Debug};
use std::ops::Range;
use std::sync::Arc;

use super::column::Column;
use super::entries::Entries;
use super::exchanged::gather;
use super::world::Counts;
use super::{Exchanged, Layout, World};
use crate::tensor::{Merge, pack};
use crate::{Error, Format, LevelExpr, Shape, Stored, Tensor};

/// A tensor whose outermost mode is divided among ranks.
///
/// Each rank stores the coordinates that it owns as an ordinary tensor, in which the outermost mode
/// counts from 0. The outermost mode is the one that the first level of the format stores: rows in
/// `csr`, columns in `csc`, and the first mode where the first level stores no mode alone, as in
/// `dia`.
///
/// ```no_run
/// use sparsegen::distributed::{Distributed, Layout, World, mpi};
/// use sparsegen::{Csr, Error, Tensor};
///
/// fn main() -> Result<(), Error> {
///     let universe = mpi::initialize().expect("MPI is not yet initialized");
///     let world = World::new(&universe.world());
///     let layout = Layout::equal(1000, world.size());
///     let whole = Tensor::<f64, Csr>::eye(1000)?;
///
///     // From a tensor that every rank has, or that one rank has.
///     let a = Distributed::part_of(&world, &whole, &layout)?;
///     let b = Distributed::scatter(&world, (world.rank() == 0).then_some(&whole))?;
///     // From entries that any ranks have, or from the part of each rank.
///     let entries = a.owned().map(|([i, j], value)| ([j, i], value));
///     let mut c = Distributed::<f64, Csr>::from_triplets(&world, [1000, 1000], &layout, entries)?;
///     let d = Distributed::from_local(&world, [1000, 1000], &layout, c.local().clone())?;
///
///     c.local_vals_mut().fill(2.0);
///     assert_eq!(c.gather(&world)?.get([7, 7]), Some(2.0));
///     let first = Layout::from_offsets(&[vec![0], vec![1000; world.size()]].concat())?;
///     assert_eq!(d.redistribute(&world, &first)?.layout(), &first);
///     // All ranks return the same error.
///     world.agree(b.local().get([0, 0]).map(|_| ()).ok_or(Error::Argument {
///         function: "main",
///         reason: "a rank without rows".to_owned(),
///     }))
/// }
/// ```
#[derive(Clone)]
pub struct Distributed<V, F: Format> {
    pub(super) local: Tensor<V, F>,
    pub(super) shape: F::Shape,
    pub(super) layout: Layout,
    pub(super) rank: usize,
}

/// Returns the mode of a format that is distributed.
pub(super) fn outermost<F: Format>() -> usize {
    match F::MAP.levels.first().map(|level| level.expr) {
        Some(LevelExpr::Dimension(mode)) => mode,
        Some(_) | None => 0,
    }
}

/// Returns the coordinates of a tensor's entries; those of the outermost mode begin at `start`.
pub(super) fn entries<V: Stored, F: Format>(
    tensor: &Tensor<V, F>,
    start: usize,
    shape: F::Shape,
) -> Entries {
    let start = |mode: usize| if mode == outermost::<F>() { start } else { 0 };
    let extents = shape.as_ref().iter().enumerate();
    let columns: Vec<_> = match tensor.coordinates() {
        Some(narrow) => extents
            .zip(narrow)
            .map(|((mode, extent), column)| Column::counted_from(start(mode), column, *extent))
            .collect(),
        None => {
            let all: Vec<F::Shape> = tensor.iter().map(|(coordinate, _)| coordinate).collect();
            let column = |(mode, extent): (usize, &usize)| {
                Column::of(all.iter().map(|at| at.as_ref()[mode] + start(mode)), *extent)
            };
            extents.map(column).collect()
        }
    };
    Entries::new(columns.into_iter().map(Arc::new).collect())
}

impl<V: Exchanged, F: Format> Distributed<V, F> {
    /// Distributes a tensor that every rank has whole; each keeps the part that it owns.
    ///
    /// # Errors
    /// [`Error::Rank`] if the layout is not one of the outermost mode for these ranks.
    pub fn part_of(world: &World, tensor: &Tensor<V, F>, layout: &Layout) -> Result<Self, Error> {
        let own = layout.range(world.rank().min(layout.ranks() - 1));
        let mode = outermost::<F>();
        let entries = tensor.iter().filter(|(at, _)| own.contains(&at.as_ref()[mode]));
        Distributed::of_entries(world, tensor.shape(), layout, entries.collect(), Merge::SUM)
    }

    /// Distributes a tensor of one rank, the others pass `None`; equal parts of the outermost mode
    /// are sent to the ranks.
    ///
    /// # Errors
    /// [`Error::Rank`] if not exactly one rank has a tensor.
    pub fn scatter(world: &World, tensor: Option<&Tensor<V, F>>) -> Result<Self, Error> {
        let shape = tensor.map(|tensor| tensor.shape());
        let all = world.gather([usize::from(shape.is_some())]);
        let mut owners = (0..world.size()).filter(|rank| all[*rank] == [1]);
        let (Some(owner), None) = (owners.next(), owners.next()) else {
            let count = all.iter().filter(|has| **has == [1]).count();
            let reason = format!("{count} ranks pass a tensor; exactly one does");
            return world.agree(Err(Error::Argument { function: "scatter", reason }));
        };
        let own = shape.unwrap_or(F::Shape::splat(0));
        let mut shape = own;
        for mode in 0..F::Shape::ORDER {
            shape.as_mut()[mode] = world.gather([own.as_ref()[mode]])[owner][0];
        }
        let layout = Layout::equal(shape.as_ref()[outermost::<F>()], world.size());
        let entries = tensor.map_or_else(Vec::new, |tensor| tensor.iter().collect());
        Distributed::from_triplets(world, shape, &layout, entries)
    }

    /// Creates a tensor from entries that any ranks have; they are sent to their owners. Values at the
    /// same coordinate are added, in the order of the ranks.
    ///
    /// # Errors
    /// [`Error::Rank`] if the layout is not one of the outermost mode for these ranks, or for the
    /// errors of [`Tensor::from_triplets`].
    pub fn from_triplets(
        world: &World,
        shape: F::Shape,
        layout: &Layout,
        entries: impl IntoIterator<Item = (F::Shape, V)>,
    ) -> Result<Self, Error> {
        let entries: Vec<_> = entries.into_iter().collect();
        let is_outside = |(at, _): &&(F::Shape, V)| !shape.contains(at);
        let refused = entries.iter().find(is_outside).map(|(at, _)| Error::Coordinate {
            format: F::NAME,
            coordinate: at.as_ref().to_vec(),
            shape: shape.as_ref().to_vec(),
        });
        world.agree(refused.map_or_else(|| check::<F>(world, &shape, layout), Err))?;
        let entries = sent_to_owners::<V, F>(world, layout, entries)?;
        Distributed::of_entries(world, shape, layout, entries, Merge::SUM)
    }

    /// Creates a tensor from the entries that this rank owns.
    pub(super) fn of_entries(
        world: &World,
        shape: F::Shape,
        layout: &Layout,
        entries: Vec<(F::Shape, V)>,
        merge: Merge<'_, V::Value>,
    ) -> Result<Self, Error> {
        let rank = world.rank();
        world.agree(check::<F>(world, &shape, layout))?;
        let local = world.agree(Self::packed(shape, layout.range(rank), entries, merge))?;
        Ok(Distributed { local, shape, layout: layout.clone(), rank })
    }

    /// Creates the part of a rank from the entries that it owns. Not collective.
    pub(super) fn packed(
        shape: F::Shape,
        own: Range<usize>,
        mut entries: Vec<(F::Shape, V)>,
        merge: Merge<'_, V::Value>,
    ) -> Result<Tensor<V, F>, Error> {
        let mode = outermost::<F>();
        for (coordinate, _) in &mut entries {
            coordinate.as_mut()[mode] -= own.start;
        }
        let mut part = shape;
        part.as_mut()[mode] = own.len();
        pack(part, entries, merge)
    }

    /// Creates a tensor from the part of each rank, in which the outermost mode counts from 0.
    ///
    /// # Errors
    /// [`Error::Rank`] if the shape of a part is not the one that the layout determines.
    pub fn from_local(
        world: &World,
        shape: F::Shape,
        layout: &Layout,
        local: Tensor<V, F>,
    ) -> Result<Self, Error> {
        world.agree(check::<F>(world, &shape, layout))?;
        let mut part = shape;
        part.as_mut()[outermost::<F>()] = layout.range(world.rank()).len();
        let fits = match local.shape() == part {
            true => Ok(()),
            false => {
                let found = local.shape();
                let reason = format!("the part has the shape {found:?}, not {part:?}");
                Err(Error::Argument { function: "from_local", reason })
            }
        };
        world.agree(fits)?;
        Ok(Distributed { local, shape, layout: layout.clone(), rank: world.rank() })
    }

    /// Returns the whole tensor, on every rank.
    ///
    /// # Errors
    /// [`Error::Rank`] for the errors of [`Tensor::from_triplets`].
    pub fn gather(&self, world: &World) -> Result<Tensor<V, F>, Error> {
        let (coordinates, values) = self.flat();
        let coordinates = world.gather_all(&coordinates)?;
        let entries = inflated::<V, F>(&coordinates, gather(world, &values)?);
        world.agree(pack(self.shape, entries, Merge::SUM))
    }

    /// Returns the tensor in another layout.
    ///
    /// # Errors
    /// [`Error::Rank`] if the layout is not one of the outermost mode for these ranks.
    pub fn redistribute(&self, world: &World, layout: &Layout) -> Result<Self, Error> {
        world.agree(check::<F>(world, &self.shape, layout))?;
        let entries = sent_to_owners::<V, F>(world, layout, self.owned().collect())?;
        Distributed::of_entries(world, self.shape, layout, entries, Merge::SUM)
    }

    /// Returns the entries that this rank owns, with their coordinates in the whole tensor.
    pub fn owned(&self) -> impl Iterator<Item = (F::Shape, V)> + '_ {
        let (start, mode) = (self.layout.range(self.rank).start, outermost::<F>());
        self.local.iter().map(move |(mut coordinate, value)| {
            coordinate.as_mut()[mode] += start;
            (coordinate, value)
        })
    }

    /// Returns the coordinates of the entries one after another, and their values.
    fn flat(&self) -> (Vec<usize>, Vec<V>) {
        let (mut coordinates, mut values) = (Vec::new(), Vec::new());
        for (coordinate, value) in self.owned() {
            coordinates.extend_from_slice(coordinate.as_ref());
            values.push(value);
        }
        (coordinates, values)
    }
}

impl<V: Stored, F: Format> Distributed<V, F> {
    /// Returns the part of this rank.
    pub fn local(&self) -> &Tensor<V, F> {
        &self.local
    }

    /// Returns the values of this rank's part, which may be written.
    pub fn local_vals_mut(&mut self) -> &mut [V] {
        self.local.vals_mut()
    }

    /// Returns the shape of the whole tensor.
    pub fn shape(&self) -> F::Shape {
        self.shape
    }

    /// Returns the division of the outermost mode.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl<V: Stored, F: Format> Debug for Distributed<V, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Distributed { local, shape, layout, rank } = self;
        f.debug_struct("Distributed")
            .field("shape", shape)
            .field("owned", &layout.range(*rank))
            .field("local", local)
            .finish()
    }
}

/// Checks that a layout divides the outermost mode among the ranks.
pub(super) fn check<F: Format>(
    world: &World,
    shape: &F::Shape,
    layout: &Layout,
) -> Result<(), Error> {
    const { assert!(F::Shape::ORDER > 0, "a scalar has no mode to distribute") }
    layout.check("Distributed", shape.as_ref()[outermost::<F>()], world.size())
}

/// Sends entries to their owners; returns the entries that this rank owns, in the order of the senders.
pub(super) fn sent_to_owners<V: Exchanged, F: Format>(
    world: &World,
    layout: &Layout,
    entries: Vec<(F::Shape, V)>,
) -> Result<Vec<(F::Shape, V)>, Error> {
    let (mode, order) = (outermost::<F>(), F::Shape::ORDER);
    let owner = |(coordinate, _): &(F::Shape, V)| layout.owner(coordinate.as_ref()[mode]);
    let owners: Vec<usize> = entries.iter().map(owner).collect();
    let mut counts = vec![0_usize; world.size()];
    owners.iter().for_each(|owner| counts[*owner] += 1);
    let received = world.exchange_counts(&counts);
    let by_order = |counts: &[usize]| counts.iter().map(|count| count * order).collect::<Vec<_>>();
    let all = (|| {
        let coordinates = (Counts::of(&by_order(&counts))?, Counts::of(&by_order(&received))?);
        Ok((coordinates, (Counts::of(&counts)?, Counts::of(&received)?)))
    })();
    let (of_coordinates, of_values) = world.agree(all)?;
    // By owner; the entries of each keep their order.
    let mut next: Vec<usize> = (0..world.size()).map(|owner| of_values.0.start(owner)).collect();
    let mut coordinates = vec![0; entries.len() * order];
    let mut messages = vec![V::Message::default(); entries.len()];
    for (owner, (coordinate, value)) in owners.into_iter().zip(entries) {
        let position = next[owner];
        next[owner] += 1;
        coordinates[position * order..][..order].copy_from_slice(coordinate.as_ref());
        messages[position] = value.to_message();
    }
    let coordinates = world.exchange(&coordinates, &of_coordinates.0, &of_coordinates.1);
    let values = world.exchange(&messages, &of_values.0, &of_values.1);
    Ok(inflated::<V, F>(&coordinates, values.into_iter().map(V::of_message)))
}

/// Returns entries from their coordinates one after another and their values.
fn inflated<V, F: Format>(
    coordinates: &[usize],
    values: impl IntoIterator<Item = V>,
) -> Vec<(F::Shape, V)> {
    let coordinate = |numbers: &[usize]| {
        let mut coordinate = F::Shape::splat(0);
        coordinate.as_mut().copy_from_slice(numbers);
        coordinate
    };
    coordinates.chunks_exact(F::Shape::ORDER).map(coordinate).zip(values).collect()
}
