//! Readers of files that report their progress.

use std::fs::File;
use std::io::Read;
#[cfg(feature = "npz")]
use std::io::{BufReader, Seek};
use std::path::Path;

#[cfg(feature = "binsparse")]
use super::binsparse;
use super::entries::Entries;
use super::lines::Lines;
#[cfg(feature = "npz")]
use super::npz;
use super::progress::Progress;
#[cfg(doc)]
use super::*;
use super::{Element, RealElement, compression, frostt, lines, matrix_market, sums};
use crate::{Error, Format, Tensor};

/// A reader of files that reports its progress.
///
/// ```no_run
/// use sparsegen::{Csr, io};
///
/// # fn main() -> Result<(), sparsegen::Error> {
/// let report = |done: usize, promised: Option<usize>| match promised {
///     Some(promised) => eprintln!("{done} of {promised} entries"),
///     None => eprintln!("{done} entries"),
/// };
/// let matrix = io::Reader::new().progress(report).read_mtx::<f64, Csr>("large.mtx")?;
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Reader<'p> {
    progress: Progress<'p>,
}

impl<'p> Reader<'p> {
    /// Creates a reader that reports no progress.
    ///
    /// ```
    /// use sparsegen::{Csr, io};
    ///
    /// let file = "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 2 2.0\n2 3 3.0\n";
    /// let a = io::Reader::new().read_mtx_from::<f64, Csr>(file.as_bytes(), "example.mtx")?;
    /// assert_eq!(a.shape(), [2, 3]);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn new() -> Self {
        Reader::default()
    }

    /// Calls `report` after every 65536 entries and at the end of the file, with the number of
    /// entries read and the number of entries in the file's header, if it has one. The reader of raw
    /// arrays, `read_binsparse`, counts bytes instead, and reports every 2^20 of them with the size of
    /// the file.
    ///
    /// ```
    /// use sparsegen::{Csr, io};
    ///
    /// let file = "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 2 2.0\n2 3 3.0\n";
    /// let mut last = None;
    /// let reader = io::Reader::new().progress(|done, promised| last = Some((done, promised)));
    /// reader.read_mtx_from::<f64, Csr>(file.as_bytes(), "example.mtx")?;
    /// assert_eq!(last, Some((2, Some(2))));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn progress(self, report: impl FnMut(usize, Option<usize>) + 'p) -> Self {
        Reader { progress: Progress::new(report) }
    }

    /// Like [`read_mtx`].
    ///
    /// ```no_run
    /// use sparsegen::{Csr, io};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// let report = |done, _| eprintln!("{done} entries");
    /// let a = io::Reader::new().progress(report).read_mtx::<f64, Csr>("large.mtx")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The same as [`read_mtx`].
    pub fn read_mtx<V, F>(self, path: impl AsRef<Path>) -> Result<Tensor<V, F>, Error>
    where
        V: Element,
        F: Format<Shape = [usize; 2]>,
    {
        self.mtx(open(path.as_ref())?)
    }

    /// Like [`read_mtx_from`].
    ///
    /// ```no_run
    /// use sparsegen::{Csr, io};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// let report = |done, _| eprintln!("{done} entries");
    /// let stream = std::io::stdin().lock();
    /// let a = io::Reader::new().progress(report).read_mtx_from::<f64, Csr>(stream, "stdin")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The same as [`read_mtx`].
    pub fn read_mtx_from<V, F>(self, reader: impl Read, name: &str) -> Result<Tensor<V, F>, Error>
    where
        V: Element,
        F: Format<Shape = [usize; 2]>,
    {
        self.mtx(stream(reader, name)?)
    }

    /// Like [`read_tns`].
    ///
    /// ```no_run
    /// use sparsegen::{Csf, io};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// let report = |done, _| eprintln!("{done} entries");
    /// let t = io::Reader::new().progress(report).read_tns::<f64, Csf<3>>("large.tns")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The same as [`read_tns`].
    pub fn read_tns<V, F>(self, path: impl AsRef<Path>) -> Result<Tensor<V, F>, Error>
    where
        V: RealElement,
        F: Format,
    {
        self.tns(open(path.as_ref())?, None)
    }

    /// Like [`read_tns_with_shape`].
    ///
    /// ```no_run
    /// use sparsegen::{Csf, io};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// let report = |done, _| eprintln!("{done} entries");
    /// let reader = io::Reader::new().progress(report);
    /// let t = reader.read_tns_with_shape::<f64, Csf<3>>("large.tns", [1000; 3])?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The same as [`read_tns`].
    pub fn read_tns_with_shape<V, F>(
        self,
        path: impl AsRef<Path>,
        shape: F::Shape,
    ) -> Result<Tensor<V, F>, Error>
    where
        V: RealElement,
        F: Format,
    {
        self.tns(open(path.as_ref())?, Some(shape))
    }

    /// Like [`read_tns_from`].
    ///
    /// ```no_run
    /// use sparsegen::{Csf, io};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// let report = |done, _| eprintln!("{done} entries");
    /// let stream = std::io::stdin().lock();
    /// let t = io::Reader::new().progress(report).read_tns_from::<f64, Csf<3>>(stream, "stdin")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The same as [`read_tns`].
    pub fn read_tns_from<V, F>(self, reader: impl Read, name: &str) -> Result<Tensor<V, F>, Error>
    where
        V: RealElement,
        F: Format,
    {
        self.tns(stream(reader, name)?, None)
    }

    /// Like [`read_npz`].
    ///
    /// ```no_run
    /// use sparsegen::{Csr, io};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// let report = |done, _| eprintln!("{done} entries");
    /// let a = io::Reader::new().progress(report).read_npz::<f64, Csr>("large.npz")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The same as [`read_npz`].
    #[cfg(feature = "npz")]
    pub fn read_npz<V: Element, F: Format>(
        self,
        path: impl AsRef<Path>,
    ) -> Result<Tensor<V, F>, Error> {
        let name = path.as_ref().display().to_string();
        let file = File::open(path).map_err(|reason| lines::io_error(&name, reason))?;
        npz::read(BufReader::new(file), &name, self.progress)
    }

    /// Like [`read_npz_from`].
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use sparsegen::{Csr, Tensor, io};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    /// let mut file = Cursor::new(Vec::new());
    /// io::write_npz_to(&mut file, "a.npz", &a)?;
    /// assert_eq!(io::Reader::new().read_npz_from::<f64, Csr>(file, "a.npz")?, a);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same as [`read_npz`].
    #[cfg(feature = "npz")]
    pub fn read_npz_from<V: Element, F: Format>(
        self,
        reader: impl Read + Seek,
        name: &str,
    ) -> Result<Tensor<V, F>, Error> {
        npz::read(reader, name, self.progress)
    }

    /// Like [`read_binsparse`].
    ///
    /// ```no_run
    /// use sparsegen::{Csr, io};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// let report = |done, _| eprintln!("{done} bytes");
    /// let a = io::Reader::new().progress(report).read_binsparse::<f64, Csr>("large.npz")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The same as [`read_binsparse`].
    #[cfg(feature = "binsparse")]
    pub fn read_binsparse<V, F>(self, path: impl AsRef<Path>) -> Result<Tensor<V, F>, Error>
    where
        V: Element,
        F: Format<Levels: binsparse::FileLevels>,
    {
        let name = path.as_ref().display().to_string();
        let file = File::open(path).map_err(|reason| lines::io_error(&name, reason))?;
        binsparse::read(BufReader::new(file), &name, self.progress)
    }

    /// Like [`read_binsparse_from`].
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use sparsegen::{Csr, Tensor, io};
    ///
    /// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    /// let mut file = Cursor::new(Vec::new());
    /// io::write_binsparse_to(&mut file, "a.npz", &a)?;
    /// assert_eq!(io::Reader::new().read_binsparse_from::<f64, Csr>(file, "a.npz")?, a);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same as [`read_binsparse`].
    #[cfg(feature = "binsparse")]
    pub fn read_binsparse_from<V, F>(
        self,
        reader: impl Read + Seek,
        name: &str,
    ) -> Result<Tensor<V, F>, Error>
    where
        V: Element,
        F: Format<Levels: binsparse::FileLevels>,
    {
        binsparse::read(reader, name, self.progress)
    }

    fn mtx<V, F>(self, lines: Lines<'_>) -> Result<Tensor<V, F>, Error>
    where
        V: Element,
        F: Format<Shape = [usize; 2]>,
    {
        tensor(matrix_market::Entries::of(lines, self.progress)?)
    }

    fn tns<V, F>(self, lines: Lines<'_>, shape: Option<F::Shape>) -> Result<Tensor<V, F>, Error>
    where
        V: RealElement,
        F: Format,
    {
        tensor(frostt::Entries::of(lines, self.progress, shape))
    }
}

/// Creates a tensor from the entries of a file.
fn tensor<'r, V, F>(mut entries: impl Entries<'r, F::Shape, V>) -> Result<Tensor<V, F>, Error>
where
    V: Element,
    F: Format,
{
    let triplets = entries.by_ref().collect::<Result<Vec<_>, Error>>()?;
    sums::check(&triplets, 1).map_err(|message| entries.lines().error(message))?;
    let tensor = Tensor::from_triplets(entries.shape(), triplets);
    tensor.map_err(|reason| entries.lines().of_stream(reason))
}

pub(super) fn open(path: &Path) -> Result<Lines<'static>, Error> {
    let name = path.display().to_string();
    match File::open(path) {
        Ok(file) => stream(file, &name),
        Err(reason) => Err(lines::io_error(&name, reason)),
    }
}

fn stream<'r>(reader: impl Read + 'r, name: &str) -> Result<Lines<'r>, Error> {
    match compression::buffered(reader) {
        Ok(reader) => Ok(Lines::new(reader, name)),
        Err(reason) => Err(lines::io_error(name, reason)),
    }
}
