//! Layouts: the division of a mode among ranks.

use std::ops::Range;
use std::sync::Arc;

use super::World;
use crate::Error;

/// The division of the coordinates of a mode among ranks: each rank owns consecutive coordinates.
///
/// ```
/// use sparsegen::distributed::Layout;
///
/// let layout = Layout::equal(10, 4);
/// assert_eq!(layout.range(1), 3..6);
/// assert_eq!(layout.owner(9), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The first coordinate of each rank, and the extent of the mode.
    offsets: Arc<[usize]>,
}

impl Layout {
    /// Divides a mode into parts that differ by at most one coordinate; the first ones are larger.
    ///
    /// ```
    /// use sparsegen::distributed::Layout;
    ///
    /// let layout = Layout::equal(7, 3);
    /// assert_eq!([layout.range(0), layout.range(1), layout.range(2)], [0..3, 3..5, 5..7]);
    /// ```
    ///
    /// # Panics
    /// Panics if there are no ranks.
    pub fn equal(extent: usize, ranks: usize) -> Layout {
        assert!(ranks > 0, "a layout has at least one rank");
        let (each, more) = (extent / ranks, extent % ranks);
        Layout { offsets: (0..=ranks).map(|rank| rank * each + rank.min(more)).collect() }
    }

    /// Divides a mode so that each rank owns about the same number of entries, given the coordinate
    /// of each entry in any order. Entries at the same coordinate stay together.
    ///
    /// Takes the time of sorting the coordinates.
    ///
    /// ```
    /// use sparsegen::distributed::Layout;
    ///
    /// let layout = Layout::balanced(6, 2, [0, 0, 0, 0, 1, 2, 3, 5]);
    /// assert_eq!(layout.range(0), 0..1);
    /// ```
    ///
    /// # Panics
    /// Panics if there are no ranks.
    pub fn balanced(
        extent: usize,
        ranks: usize,
        coordinates: impl IntoIterator<Item = usize>,
    ) -> Layout {
        let mut coordinates: Vec<usize> = coordinates.into_iter().collect();
        if coordinates.is_empty() {
            return Layout::equal(extent, ranks);
        }
        coordinates.sort_unstable();
        let count = coordinates.len();
        let first = |rank: usize| match rank {
            0 => 0,
            rank if rank == ranks => extent,
            // The first coordinate with this share of the entries before it.
            rank => coordinates.get(count * rank / ranks).copied().unwrap_or(extent).min(extent),
        };
        Layout { offsets: (0..=ranks).map(first).collect() }
    }

    /// Divides a mode as [`Layout::balanced`] does, given the coordinates of the entries that each rank
    /// has. Collective.
    ///
    /// Takes the time of sorting the coordinates of the rank, and a sum of one number for each rank
    /// for each bit of the extent; no rank receives coordinates.
    ///
    /// ```no_run
    /// use sparsegen::distributed::{Layout, World, mpi};
    ///
    /// let universe = mpi::initialize().expect("MPI is not yet initialized");
    /// let world = World::new(&universe.world());
    /// // Each rank has three entries in a row of its own.
    /// let layout = Layout::balanced_on(&world, world.size(), [world.rank(); 3]);
    /// assert_eq!(layout, Layout::equal(world.size(), world.size()));
    /// ```
    pub fn balanced_on(
        world: &World,
        extent: usize,
        coordinates: impl IntoIterator<Item = usize>,
    ) -> Layout {
        let mut coordinates: Vec<usize> = coordinates.into_iter().collect();
        coordinates.sort_unstable();
        let (ranks, count) = (world.size(), world.sum(&[coordinates.len()])[0]);
        if count == 0 {
            return Layout::equal(extent, ranks);
        }
        // The first coordinate of a rank is the first one with more entries up to it than this.
        let shares: Vec<usize> = (1..ranks).map(|rank| count * rank / ranks).collect();
        let (mut low, mut high) = (vec![0; ranks - 1], vec![extent; ranks - 1]);
        while low != high {
            let middle = |(low, high): (&usize, &usize)| low + (high - low) / 2;
            let middles: Vec<usize> = low.iter().zip(&high).map(middle).collect();
            let up_to = |middle: &usize| coordinates.partition_point(|one| one <= middle);
            let counts = world.sum(&middles.iter().map(up_to).collect::<Vec<_>>());
            for (rank, middle) in middles.into_iter().enumerate() {
                if counts[rank] > shares[rank] || low[rank] == high[rank] {
                    high[rank] = middle;
                } else {
                    low[rank] = middle + 1;
                }
            }
        }
        Layout { offsets: [0].into_iter().chain(low).chain([extent]).collect() }
    }

    /// Creates a layout from the first coordinate of each rank, followed by the extent of the mode.
    ///
    /// ```
    /// use sparsegen::distributed::Layout;
    ///
    /// let layout = Layout::from_offsets(&[0, 2, 2, 5])?;
    /// assert_eq!((layout.ranks(), layout.range(1), layout.range(2)), (3, 2..2, 2..5));
    /// assert!(Layout::from_offsets(&[0, 3, 2]).is_err());
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] if the first offset is not 0, if they descend, or if there are fewer than
    /// two.
    pub fn from_offsets(offsets: &[usize]) -> Result<Layout, Error> {
        let refused = |reason: String| Err(Error::Argument { function: "from_offsets", reason });
        if offsets.len() < 2 {
            return refused(format!("{} offsets divide nothing; one rank has two", offsets.len()));
        }
        if offsets[0] != 0 {
            return refused(format!("the first offset is {}, not 0", offsets[0]));
        }
        if let Some(rank) = (1..offsets.len()).find(|rank| offsets[*rank] < offsets[*rank - 1]) {
            let (before, after) = (offsets[rank - 1], offsets[rank]);
            return refused(format!("offset {rank} is {after}, less than the {before} before it"));
        }
        Ok(Layout { offsets: offsets.into() })
    }

    /// Checks that it divides a mode of this extent among so many ranks.
    pub(super) fn check(
        &self,
        function: &'static str,
        extent: usize,
        ranks: usize,
    ) -> Result<(), Error> {
        if self.ranks() == ranks && self.extent() == extent {
            return Ok(());
        }
        let (of, parts) = (self.extent(), self.ranks());
        let reason = format!(
            "the layout divides {of} coordinates among {parts} ranks, not {extent} among {ranks}"
        );
        Err(Error::Argument { function, reason })
    }

    /// Returns the number of ranks.
    ///
    /// ```
    /// use sparsegen::distributed::Layout;
    ///
    /// assert_eq!(Layout::equal(7, 3).ranks(), 3);
    /// ```
    pub fn ranks(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the extent of the mode.
    ///
    /// ```
    /// use sparsegen::distributed::Layout;
    ///
    /// assert_eq!(Layout::equal(7, 3).extent(), 7);
    /// ```
    pub fn extent(&self) -> usize {
        self.offsets[self.ranks()]
    }

    /// Returns the coordinates that a rank owns.
    ///
    /// ```
    /// use sparsegen::distributed::Layout;
    ///
    /// assert_eq!(Layout::equal(7, 3).range(1), 3..5);
    /// ```
    ///
    /// # Panics
    /// Panics if there is no such rank.
    pub fn range(&self, rank: usize) -> Range<usize> {
        self.offsets[rank]..self.offsets[rank + 1]
    }

    /// Returns the rank that owns a coordinate, by binary search.
    ///
    /// ```
    /// use sparsegen::distributed::Layout;
    ///
    /// assert_eq!(Layout::equal(7, 3).owner(4), 1);
    /// ```
    ///
    /// # Panics
    /// Panics if the coordinate is not below the extent.
    pub fn owner(&self, coordinate: usize) -> usize {
        assert!(coordinate < self.extent(), "coordinate {coordinate} of {}", self.extent());
        self.offsets.partition_point(|offset| *offset <= coordinate) - 1
    }
}
