//! Mapped files.

use std::fmt::{self, Debug};
use std::fs::File;
use std::io::Cursor;
use std::marker::PhantomData;
use std::path::Path;

use memmap2::Mmap;

use super::{FileElement, FileLevels, Located};
use crate::io::lines;
use crate::io::npz::archive::Archive;
use crate::{Error, Format, View};

/// A tensor in a file of [`write_binsparse`](crate::io::write_binsparse) that is mapped into memory.
///
/// Kernels take `&Mapped` like a reference to a tensor:
///
/// ```
/// use sparsegen::io::{self, Mapped};
/// use sparsegen::{Csr, Tensor, View};
///
/// let path = std::env::temp_dir().join(format!("sparsegen-mapped-{}.npz", std::process::id()));
/// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
/// io::write_binsparse(&path, &a)?;
///
/// // SAFETY: no one else knows this file.
/// let mapped = unsafe { Mapped::<f64, Csr>::open(&path)? };
/// assert_eq!(mapped.view().get([1, 2]), Some(3.0));
/// let operand: View<'_, f64, Csr> = (&mapped).into();
/// assert!(operand.iter().eq(a.iter()));
/// # drop(mapped);
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), sparsegen::Error>(())
/// ```
pub struct Mapped<V, F: Format> {
    bytes: Mmap,
    located: Located<F>,
    vals: PhantomData<V>,
}

impl<V: FileElement, F: Format<Levels: FileLevels>> Mapped<V, F> {
    /// Maps a file, and checks every invariant of the format.
    ///
    /// Takes the time of reading all arrays of the structure; values are not read, except
    /// `bool`s. The system may reclaim the memory of all arrays, and reads them again when they are
    /// used. Checksums are not compared: see [`Mapped::verify`].
    ///
    /// ```no_run
    /// use sparsegen::io::{self, Mapped};
    /// use sparsegen::{Csr, Tensor};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// io::write_binsparse("a.npz", &Tensor::<f64, Csr>::eye(1000)?)?;
    /// // SAFETY: No other program changes the file.
    /// let a = unsafe { Mapped::<f64, Csr>::open("a.npz")? };
    /// assert_eq!(a.view().nnz(), 1000);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    /// While it is mapped, the file must not be changed or made shorter, by this program or any
    /// other. Files that [`write_binsparse`](crate::io::write_binsparse) replaces remain as they were
    /// for the programs that have mapped them.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be mapped, and the errors of
    /// [`view_binsparse`](super::view_binsparse).
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        // SAFETY: As demanded of the caller.
        let mapped = unsafe { Self::map(path.as_ref())? };
        let (levels, vals) = mapped.located.parts::<V>(&mapped.bytes)?;
        View::<V, F>::from_parts(mapped.located.shape, levels, vals)
            .map_err(|reason| mapped.located.of_file(reason))?;
        Ok(mapped)
    }

    /// Maps a file, and checks its descriptor and the types and places of its arrays, but not what
    /// they contain, so that the time does not depend on the size of the tensor.
    ///
    /// ```no_run
    /// use sparsegen::io::{self, Mapped};
    /// use sparsegen::{Csr, Tensor};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// io::write_binsparse("a.npz", &Tensor::<f64, Csr>::eye(1000)?)?;
    /// // SAFETY: The file is as it was written, and no other program changes it.
    /// let a = unsafe { Mapped::<f64, Csr>::open_trusted("a.npz")? };
    /// assert_eq!(a.shape(), [1000, 1000]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    /// The file must be as [`write_binsparse`](crate::io::write_binsparse) has written it, with a
    /// valid tensor, such as a file that [`Mapped::open`] has accepted before. It must not be changed
    /// or made shorter while it is mapped.
    ///
    /// # Errors
    /// The same as [`Mapped::open`], of what is checked.
    pub unsafe fn open_trusted(path: impl AsRef<Path>) -> Result<Self, Error> {
        // SAFETY: As demanded of the caller.
        let mapped = unsafe { Self::map(path.as_ref())? };
        mapped.located.parts::<V>(&mapped.bytes)?;
        Ok(mapped)
    }

    /// Maps a file without checking its tensor.
    ///
    /// # Safety
    /// The file must not be changed while it is mapped.
    unsafe fn map(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let io_error = |reason| lines::io_error(&name, reason);
        let file = File::open(path).map_err(io_error)?;
        // SAFETY: As demanded of the caller.
        let bytes = unsafe { Mmap::map(&file) }.map_err(io_error)?;
        let located = Located::of::<V>(&bytes, &name)?;
        Ok(Mapped { bytes, located, vals: PhantomData })
    }

    /// Returns a view of the tensor. Takes constant time, except with values of `bool`, which are
    /// checked.
    ///
    /// ```no_run
    /// use sparsegen::io::{self, Mapped};
    /// use sparsegen::{Csr, Tensor};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// io::write_binsparse("a.npz", &Tensor::<f64, Csr>::eye(1000)?)?;
    /// // SAFETY: No other program changes the file.
    /// let a = unsafe { Mapped::<f64, Csr>::open("a.npz")? };
    /// assert_eq!(a.view().get([7, 7]), Some(1.0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn view(&self) -> View<'_, V, F> {
        let parts = self.located.parts::<V>(&self.bytes);
        let (levels, vals) = parts.expect("the file was accepted when it was opened");
        // SAFETY: The tensor has been validated, or the caller has vouched for it, and the bytes
        // have not changed since.
        unsafe { View::of_valid(self.located.shape, levels, vals) }
    }

    /// Returns the extent of each mode.
    ///
    /// ```no_run
    /// use sparsegen::io::{self, Mapped};
    /// use sparsegen::{Csr, Tensor};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// io::write_binsparse("a.npz", &Tensor::<f64, Csr>::eye(1000)?)?;
    /// // SAFETY: No other program changes the file.
    /// let a = unsafe { Mapped::<f64, Csr>::open("a.npz")? };
    /// assert_eq!(a.shape(), [1000, 1000]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn shape(&self) -> F::Shape {
        self.located.shape
    }

    /// Compares the checksums of all arrays, which detects damage of the values too. Reads the whole
    /// file.
    ///
    /// ```no_run
    /// use sparsegen::io::{self, Mapped};
    /// use sparsegen::{Csr, Tensor};
    ///
    /// # fn main() -> Result<(), sparsegen::Error> {
    /// io::write_binsparse("a.npz", &Tensor::<f64, Csr>::eye(1000)?)?;
    /// // SAFETY: No other program changes the file.
    /// let a = unsafe { Mapped::<f64, Csr>::open("a.npz")? };
    /// a.verify()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Array`] of the first array whose checksum differs.
    pub fn verify(&self) -> Result<(), Error> {
        Archive::open(Cursor::new(&*self.bytes), &self.located.places.name)?.verify()
    }
}

/// Displays the file's name and the shape.
impl<V, F: Format> Debug for Mapped<V, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Located { shape, places, .. } = &self.located;
        f.debug_struct("Mapped").field("file", &places.name).field("shape", shape).finish()
    }
}

impl<'a, V: FileElement, F: Format<Levels: FileLevels>> From<&'a Mapped<V, F>> for View<'a, V, F> {
    fn from(mapped: &'a Mapped<V, F>) -> Self {
        mapped.view()
    }
}
