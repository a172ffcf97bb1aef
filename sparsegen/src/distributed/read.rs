//! Text files that the ranks read together.

use std::path::Path;

use super::tensor::{check, outermost, sent_to_owners};
use super::{Distributed, Exchanged, Layout, World};
use crate::io::entries::{Resumed, Triangle};
use crate::io::lines::Lines;
use crate::io::share::TextFile;
use crate::io::{Element, RealElement, frostt, matrix_market, sums};
use crate::tensor::Merge;
use crate::{Error, Format, Shape};

/// The choice of the layout of a tensor that is read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// [`Layout::equal`]: each rank owns about the same number of coordinates of the outermost mode.
    Equal,
    /// [`Layout::balanced`]: each rank owns about the same number of entries.
    Balanced,
    /// The layout of the caller, with the extent of the outermost mode.
    Layout(Layout),
}

/// Reading files. Each rank reads its share of the bytes and sends the entries to their owners.
///
/// Every rank opens the path, which names the same regular file on all of them. A rank parses the
/// lines that begin in its share, after it has counted them, as errors name lines; it reads its share
/// twice and stores its entries, not the text. A compressed file is read by the first rank alone. The
/// tensor is the same, to the last bit, as if one process had read the file.
impl<V: Element + Exchanged, F: Format> Distributed<V, F> {
    /// Reads a matrix from a Matrix Market file, as [`io::read_mtx`](crate::io::read_mtx). Collective.
    ///
    /// ```no_run
    /// use sparsegen::Csr;
    /// use sparsegen::distributed::{Distributed, Distribution, World, mpi};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// let universe = mpi::initialize().expect("MPI is not yet initialized");
    /// let world = World::new(&universe.world());
    /// let a = Distributed::<f64, Csr>::read_mtx(&world, "bcsstk13.mtx", Distribution::Balanced)?;
    /// println!("rank {} owns the rows {:?}", world.rank(), a.layout().range(world.rank()));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Rank`] with an error of [`io::read_mtx`](crate::io::read_mtx): the first one of the
    /// file, with its line. Also if the layout of the caller is not one of the outermost mode for
    /// these ranks, or if the file is not a regular one.
    pub fn read_mtx(
        world: &World,
        path: impl AsRef<Path>,
        distribution: Distribution,
    ) -> Result<Self, Error>
    where
        F: Format<Shape = [usize; 2]>,
    {
        let begin = |lines| matrix_market::Entries::of(lines, Default::default());
        read(world, path.as_ref(), distribution, begin)
    }

    /// Reads a tensor from a FROSTT file, as [`io::read_tns`](crate::io::read_tns): the extent of each
    /// mode is its largest index. Collective.
    ///
    /// ```no_run
    /// use sparsegen::Csf;
    /// use sparsegen::distributed::{Distributed, Distribution, World, mpi};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// let universe = mpi::initialize().expect("MPI is not yet initialized");
    /// let world = World::new(&universe.world());
    /// let t = Distributed::<f64, Csf<3>>::read_tns(&world, "kinships.tns", Distribution::Equal)?;
    /// println!("rank {} has {} entries", world.rank(), t.local().stored());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Rank`] with an error of [`io::read_tns`](crate::io::read_tns), or one of the others of
    /// [`Distributed::read_mtx`].
    pub fn read_tns(
        world: &World,
        path: impl AsRef<Path>,
        distribution: Distribution,
    ) -> Result<Self, Error>
    where
        V: RealElement,
    {
        let begin = |lines| Ok(frostt::Entries::of(lines, Default::default(), None));
        read(world, path.as_ref(), distribution, begin)
    }

    /// Reads a tensor of the given extents from a FROSTT file, as
    /// [`io::read_tns_with_shape`](crate::io::read_tns_with_shape): an index beyond them is an error.
    /// Collective.
    ///
    /// ```no_run
    /// use sparsegen::Csf;
    /// use sparsegen::distributed::{Distributed, Layout, Distribution, World, mpi};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// let universe = mpi::initialize().expect("MPI is not yet initialized");
    /// let world = World::new(&universe.world());
    /// let layout = Distribution::Layout(Layout::equal(104, world.size()));
    /// let (file, shape) = ("kinships.tns", [104, 104, 26]);
    /// let t = Distributed::<f64, Csf<3>>::read_tns_with_shape(&world, file, shape, layout)?;
    /// assert_eq!(t.shape(), shape);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The same as [`Distributed::read_tns`].
    pub fn read_tns_with_shape(
        world: &World,
        path: impl AsRef<Path>,
        shape: F::Shape,
        distribution: Distribution,
    ) -> Result<Self, Error>
    where
        V: RealElement,
    {
        let begin = |lines| Ok(frostt::Entries::of(lines, Default::default(), Some(shape)));
        read(world, path.as_ref(), distribution, begin)
    }
}

/// Reads a tensor from a file; `begin` reads the header.
fn read<V, F, E>(
    world: &World,
    path: &Path,
    distribution: Distribution,
    begin: impl Fn(Lines<'static>) -> Result<E, Error>,
) -> Result<Distributed<V, F>, Error>
where
    V: Element + Exchanged,
    F: Format,
    E: Resumed<'static, F::Shape, V>,
{
    let file = world.agree(TextFile::open(path))?;
    world.agree(check_size(world, &file))?;
    let head = world.agree(file.lines().and_then(begin))?;
    let mut entries = share_of(world, &file, head)?;
    let triplets = entries.by_ref().collect::<Result<Vec<_>, Error>>();
    // If several ranks have an error, the one of the first rank is the first in the file.
    let triplets = world.agree(check_triangle::<V, F>(world, &entries).and(triplets))?;

    let lines = entries.lines();
    let largest = |own| world.gather([own]).iter().map(|[own]| *own).max().unwrap_or(own);
    let last_line = largest(lines.number());
    let mut shape = entries.shape();
    for extent in shape.as_mut() {
        *extent = largest(*extent);
    }
    let mode = outermost::<F>();
    let extent = shape.as_ref()[mode];
    let layout = match distribution {
        Distribution::Equal => Layout::equal(extent, world.size()),
        Distribution::Balanced => {
            let coordinates = triplets.iter().map(|(coordinate, _)| coordinate.as_ref()[mode]);
            Layout::balanced_on(world, extent, coordinates)
        }
        Distribution::Layout(layout) => layout,
    };
    world.agree(check::<F>(world, &shape, &layout).map_err(|reason| lines.of_stream(reason)))?;
    let owned = sent_to_owners::<V, F>(world, &layout, triplets)?;
    let sums = sums::check(&owned, 1);
    world.agree(sums.map_err(|message| lines.error_at(last_line, message)))?;
    let rank = world.rank();
    let local = Distributed::<V, F>::packed(shape, layout.range(rank), owned, Merge::SUM);
    let local = world.agree(local.map_err(|reason| lines.of_stream(reason)))?;
    Ok(Distributed { local, shape, layout, rank })
}

/// Checks that all ranks have found the same file, as far as its size tells.
fn check_size(world: &World, file: &TextFile) -> Result<(), Error> {
    let sizes = world.gather([file.size as usize]);
    let (first, own) = (sizes[0][0], sizes[world.rank()][0]);
    if first == own {
        return Ok(());
    }
    let rank = world.rank();
    let reason = format!("the file has {first} bytes on rank 0 and {own} on rank {rank}");
    Err(file.error(reason))
}

/// Returns the entries of this rank's share of a file, given those after its header.
fn share_of<V, S, E>(world: &World, file: &TextFile, head: E) -> Result<E, Error>
where
    S: Shape,
    E: Resumed<'static, S, V>,
{
    let (rank, size, is_compressed) = (world.rank(), world.size(), file.is_compressed);
    let (header, header_lines) = (head.lines().position(), head.lines().number());
    let bytes = if is_compressed { Ok(0..0) } else { file.share(header, rank, size) };
    let bytes = world.agree(bytes)?;
    let counts = file.lines_in(&bytes, 0).and_then(|lines| lines.count(E::COMMENT));
    let counts = world.gather(world.agree(counts)?);
    let before = |what: usize| counts[..rank].iter().map(|count| count[what]).sum::<usize>();
    let lines = world.agree(file.lines_in(&bytes, header_lines + before(0)))?;
    Ok(match is_compressed && rank == 0 {
        true => head,
        false => head.resumed(lines, before(1), rank + 1 == size && !is_compressed),
    })
}

/// Checks that all shares of a file with a symmetry list the same triangle.
fn check_triangle<V, F>(
    world: &World,
    entries: &impl Resumed<'static, F::Shape, V>,
) -> Result<(), Error>
where
    F: Format,
{
    let own = match entries.triangle() {
        None => 0,
        Some(Triangle::Lower) => 1,
        Some(Triangle::Upper) => 2,
    };
    let all = world.gather([own]);
    match all[..world.rank()].iter().find(|triangle| **triangle != [0]) {
        None => Ok(()),
        Some([1]) => entries.check_triangle(Triangle::Lower),
        Some(_) => entries.check_triangle(Triangle::Upper),
    }
}
