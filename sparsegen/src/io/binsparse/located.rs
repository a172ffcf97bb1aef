//! Tensors in the bytes of a file.

use std::io::Cursor;

use super::arrays::{ArraySlices, Place, Places};
use super::{FileElement, FileLevels, check_fill, descriptor, other_format, shape};
use crate::io::npz::archive::Archive;
use crate::io::npz::error;
use crate::tensor::axes;
use crate::{Error, Format, Levels};

/// A tensor in the bytes of a file.
pub(super) struct Located<F: Format> {
    pub(super) shape: F::Shape,
    pub(super) places: Places,
    /// The number of values.
    stored: usize,
}

/// The levels and values of a tensor.
pub(super) type Parts<'a, V, F> = (<<F as Format>::Levels as Levels>::Views<'a>, &'a [V]);

impl<F: Format<Levels: FileLevels>> Located<F> {
    /// Finds the arrays of a tensor, and checks that they are those of its format.
    pub(super) fn of<V: FileElement>(bytes: &[u8], name: &str) -> Result<Self, Error> {
        let mut archive = Archive::open(Cursor::new(bytes), name)?;
        let descriptor = descriptor(&mut archive)?;
        let map = archive.text("sparsegen")?;
        if map.as_deref() != Some(&*F::MAP.to_string()) || descriptor.structure.is_some() {
            return Err(other_format::<F>(name, map.as_deref()));
        }
        if descriptor.values != V::type_name() {
            let message = format!(
                "has elements of the type `{}`, not `{}`; `read_binsparse` converts them",
                descriptor.values,
                V::type_name()
            );
            return Err(error(name, "values", message));
        }
        let shape = shape::<F>(name, &descriptor)?;
        check_fill::<V, F, _>(&mut archive, &descriptor)?;
        let mut arrays = Vec::new();
        for array in archive.names().filter(|array| !matches!(&**array, "binsparse" | "sparsegen"))
        {
            if let Some((header, bytes)) = archive.place(bytes, &array)? {
                let [count] = header.shape[..] else { continue };
                arrays.push(Place { array, dtype: header.dtype.name(), count, bytes });
            }
        }
        let places = Places { name: name.to_owned(), arrays };
        Ok(Located { shape, places, stored: descriptor.stored })
    }

    /// Borrows the parts of the tensor.
    pub(super) fn parts<'a, V: FileElement>(
        &self,
        bytes: &'a [u8],
    ) -> Result<Parts<'a, V, F>, Error> {
        let axes = axes::<F>(&self.shape).map_err(|reason| self.of_file(reason))?;
        let mut file = ArraySlices { level: 0, bytes, places: &self.places };
        let levels = F::Levels::borrow(&axes, &mut file)?;
        let parts = self.places.numbers(bytes, "values")?;
        let fail = |message: String| error(&self.places.name, "values", message);
        let (found, expected) = (parts.len(), V::part_count(self.stored));
        if found != expected {
            return Err(fail(format!("has {found} numbers, and {expected} are stored")));
        }
        Ok((levels, V::of_parts(parts, self.stored).map_err(fail)?))
    }

    pub(super) fn of_file(&self, reason: Error) -> Error {
        Error::File { file: self.places.name.clone(), reason: Box::new(reason) }
    }
}
