//! Text files that the ranks write together.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::{Distributed, Exchanged, World};
use crate::io::{Element, RealElement, lines, write};
use crate::{Error, Format};

/// Writing files: the first rank writes its entries, and then the entries that the others send, in
/// the order of the ranks. It takes as long as one process takes to write the whole tensor; no rank
/// stores more than a few megabytes of text.
impl<V: Element + Exchanged, F: Format> Distributed<V, F> {
    /// Writes a matrix as a Matrix Market file, as [`io::write_mtx`](crate::io::write_mtx): of a format
    /// that stores the outermost mode in order, such as `csr`, the same file as one process. Only the
    /// first rank opens the path. Collective.
    ///
    /// ```no_run
    /// use sparsegen::{Csr, Tensor};
    /// use sparsegen::distributed::{Distributed, Layout, World, mpi};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// let universe = mpi::initialize().expect("MPI is not yet initialized");
    /// let world = World::new(&universe.world());
    /// let layout = Layout::equal(1000, world.size());
    /// let a = Distributed::part_of(&world, &Tensor::<f64, Csr>::eye(1000)?, &layout)?;
    /// a.write_mtx(&world, "identity.mtx")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Rank`] with an error of [`io::write_mtx`](crate::io::write_mtx).
    pub fn write_mtx(&self, world: &World, path: impl AsRef<Path>) -> Result<(), Error>
    where
        F: Format<Shape = [usize; 2]>,
    {
        let entries = world.sum(&[self.local.iter().count()])[0];
        let header =
            |out: &mut dyn Write| write::matrix_market_header::<V>(out, self.shape, entries);
        self.write(world, path.as_ref(), header)
    }

    /// Writes a tensor of any order as a FROSTT file, as [`io::write_tns`](crate::io::write_tns), in the
    /// order of [`Distributed::write_mtx`]. Collective.
    ///
    /// ```no_run
    /// use sparsegen::Csf;
    /// use sparsegen::distributed::{Distributed, Distribution, World, mpi};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// let universe = mpi::initialize().expect("MPI is not yet initialized");
    /// let world = World::new(&universe.world());
    /// let t = Distributed::<f64, Csf<3>>::read_tns(&world, "kinships.tns", Distribution::Equal)?;
    /// t.write_tns(&world, "sorted.tns")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Rank`] with an error of [`io::write_tns`](crate::io::write_tns).
    pub fn write_tns(&self, world: &World, path: impl AsRef<Path>) -> Result<(), Error>
    where
        V: RealElement,
    {
        self.write(world, path.as_ref(), |out| write::frostt_header(out, &self.shape))
    }

    /// Writes a header and the entries of all ranks.
    fn write(
        &self,
        world: &World,
        path: &Path,
        header: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        let name = path.display().to_string();
        world.agree(write::check_fill::<F>(&name))?;
        let written = if world.rank() == 0 {
            let mut texts = (1..world.size()).flat_map(|rank| world.receive_text(rank));
            let written = write::create(path, |out| {
                header(out)?;
                write::write_entries(out, self.owned())?;
                texts.try_for_each(|text| out.write_all(&text))
            });
            // After an error, the other ranks still send.
            texts.for_each(drop);
            written
        } else {
            let mut out = BufWriter::with_capacity(TEXT, ToFirst(world));
            let written = write::write_entries(&mut out, self.owned()).and_then(|()| out.flush());
            world.end_text();
            written.map_err(|reason| lines::io_error(&name, reason))
        };
        world.agree(written)
    }
}

/// The number of bytes that are sent at once.
const TEXT: usize = 1 << 20;

/// Sends text to the first rank.
struct ToFirst<'w>(&'w World);

impl Write for ToFirst<'_> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let text = &text[..text.len().min(TEXT)];
        if !text.is_empty() {
            self.0.send_text(text);
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
