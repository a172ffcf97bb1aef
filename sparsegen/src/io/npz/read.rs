//! Reading SciPy's sparse arrays: the arrays of each format as entries.

use std::io::{Read, Seek};

use super::archive::Archive;
use super::error;
use super::npy::{self, Array};
use crate::io::element::Element;
use crate::io::progress::Progress;
use crate::io::{lines, sums};
use crate::{Error, Format, Shape, Tensor, Value};

/// Reads a sparse array from an archive.
pub(crate) fn read<V: Element, F: Format>(
    reader: impl Read + Seek,
    name: &str,
    mut progress: Progress<'_>,
) -> Result<Tensor<V, F>, Error> {
    let mut archive = Archive::open(reader, name)?;
    let shape = archive.shape::<F::Shape>()?;
    let mut entries = Vec::new();
    archive.entries(shape, &mut |coordinate, value: V| {
        entries.push((coordinate, value));
        progress.step(entries.len(), None);
    })?;
    progress.finish(entries.len(), Some(entries.len()));
    sums::check(&entries, 0).map_err(|message| error(name, "data", message))?;
    Tensor::from_triplets(shape, entries)
        .map_err(|reason| Error::File { file: name.to_owned(), reason: Box::new(reason) })
}

impl<R: Read + Seek> Archive<'_, R> {
    fn missing(&self, array: &str) -> Error {
        let message = "the file does not have it; arrays are saved with `scipy.sparse.save_npz`";
        error(self.name, array, message)
    }

    /// Reads an array of integers.
    fn integers(&mut self, array: &str) -> Result<Array<i64>, Error> {
        self.find(array, npy::integers)?.ok_or_else(|| self.missing(array))
    }

    /// Reads an array of integers of order 1 that are not negative.
    fn numbers(&mut self, array: &str) -> Result<Vec<usize>, Error> {
        let Array { shape, elements, .. } = self.integers(array)?;
        if shape.len() != 1 {
            return Err(error(self.name, array, format!("has order {}, not 1", shape.len())));
        }
        let numbers = elements.into_iter().enumerate().map(|(index, element)| {
            usize::try_from(element).map_err(|_| {
                error(self.name, array, format!("element {index} is {element}, below 0"))
            })
        });
        numbers.collect()
    }

    /// Reads the values, in an array of order `N`.
    fn values<V: Element, const N: usize>(&mut self) -> Result<Array<V>, Error> {
        let data = self.find("data", |header, reader| {
            if header.shape.len() != N {
                return Err(format!("has order {}, not {N}", header.shape.len()));
            }
            header.elements(reader, V::of_number)
        })?;
        data.ok_or_else(|| self.missing("data"))
    }

    /// Reads the extents.
    fn shape<S: Shape>(&mut self) -> Result<S, Error> {
        let extents = self.numbers("shape")?;
        if extents.len() != S::ORDER {
            let message = format!("the array has order {}, not {}", extents.len(), S::ORDER);
            return Err(error(self.name, "shape", message));
        }
        let mut shape = S::splat(0);
        shape.as_mut().copy_from_slice(&extents);
        Ok(shape)
    }

    /// Passes the entries to `push`.
    fn entries<V: Element, S: Shape>(
        &mut self,
        shape: S,
        push: &mut dyn FnMut(S, V),
    ) -> Result<(), Error> {
        let format = self.text("format")?.ok_or_else(|| self.missing("format"))?;
        // A vector in `csr` is a matrix of one row.
        let is_vector = S::ORDER == 1;
        let modes = (shape.as_ref().first().copied(), shape.as_ref().get(1).copied());
        let extents = match modes {
            (Some(size), None) => [1, size],
            (rows, columns) => [rows.unwrap_or(0), columns.unwrap_or(0)],
        };
        let mut push_matrix = |[row, column]: [usize; 2], value: V| {
            let mut coordinate = S::splat(0);
            let modes: &[usize] = if is_vector { &[column] } else { &[row, column] };
            coordinate.as_mut().copy_from_slice(modes);
            push(coordinate, value);
        };
        match (format.as_str(), S::ORDER) {
            ("coo", _) => self.coo(shape, push),
            ("csr", 1 | 2) => {
                self.compressed(extents, |row, column| [row, column], &mut push_matrix)
            }
            ("csc", 2) => {
                let [rows, columns] = extents;
                let swap = |column, row| [row, column];
                self.compressed([columns, rows], swap, &mut push_matrix)
            }
            ("bsr", 2) => self.blocks(extents, &mut push_matrix),
            ("dia", 2) => self.diagonals(extents, &mut push_matrix),
            (format, order) => {
                let message = format!(
                    "an array of order {order} in the format {} is none of those that SciPy saves: \
                     `csr`, `csc`, `bsr`, `dia`, `coo`",
                    lines::quoted(format)
                );
                Err(error(self.name, "format", message))
            }
        }
    }

    /// Reads the segments of a compressed array: `indptr` with one more element than `outer`, and
    /// `indices` below `inner`.
    fn segments(&mut self, outer: usize, inner: usize) -> Result<Segments, Error> {
        let pos = self.numbers("indptr")?;
        let crd = self.numbers("indices")?;
        let fail = |message: String| Err(error(self.name, "indptr", message));
        if outer.checked_add(1) != Some(pos.len()) {
            return fail(format!("has {} elements, not one more than {outer}", pos.len()));
        }
        if pos[0] != 0 {
            return fail(format!("begins at {}, not at 0", pos[0]));
        }
        if let Some(index) = pos.windows(2).position(|pair| pair[0] > pair[1]) {
            return fail(format!("element {} is below the one before", index + 1));
        }
        if pos[outer] > crd.len() {
            return fail(format!(
                "ends at {}, but `indices` has {} elements",
                pos[outer],
                crd.len()
            ));
        }
        self.check_below("indices", &crd, inner)?;
        Ok(Segments { pos, crd })
    }

    fn check_below(&self, array: &str, crd: &[usize], size: usize) -> Result<(), Error> {
        match crd.iter().position(|coordinate| *coordinate >= size) {
            None => Ok(()),
            Some(index) => {
                let message = format!("element {index} is {}, not below {size}", crd[index]);
                Err(error(self.name, array, message))
            }
        }
    }

    /// Checks that there are enough values for the coordinates.
    fn check_values(&self, values: usize, coordinates: usize) -> Result<(), Error> {
        if values >= coordinates {
            return Ok(());
        }
        let message = format!("has {values} values for {coordinates} coordinates");
        Err(error(self.name, "data", message))
    }

    fn compressed<V: Element>(
        &mut self,
        [outer, inner]: [usize; 2],
        coordinate: impl Fn(usize, usize) -> [usize; 2],
        push: &mut dyn FnMut([usize; 2], V),
    ) -> Result<(), Error> {
        let segments = self.segments(outer, inner)?;
        let data = self.values::<V, 1>()?;
        self.check_values(data.elements.len(), segments.end())?;
        for (parent, position, child) in segments.nodes() {
            push(coordinate(parent, child), data.elements[position]);
        }
        Ok(())
    }

    fn blocks<V: Element>(
        &mut self,
        [rows, columns]: [usize; 2],
        push: &mut dyn FnMut([usize; 2], V),
    ) -> Result<(), Error> {
        let data = self.values::<V, 3>()?;
        let (count, height, width) = (data.shape[0], data.shape[1], data.shape[2]);
        let divides = |size: usize, extent: usize| size > 0 && extent.is_multiple_of(size);
        if !divides(height, rows) || !divides(width, columns) {
            let message = format!("blocks of {height} × {width} do not divide {rows} × {columns}");
            return Err(error(self.name, "data", message));
        }
        let segments = self.segments(rows / height, columns / width)?;
        self.check_values(count, segments.end())?;
        for (parent, block, child) in segments.nodes() {
            for (i, j) in (0..height).flat_map(|i| (0..width).map(move |j| (i, j))) {
                let value = data.at([block, i, j]);
                if value.value() != V::Value::ZERO {
                    push([parent * height + i, child * width + j], value);
                }
            }
        }
        Ok(())
    }

    fn diagonals<V: Element>(
        &mut self,
        [rows, columns]: [usize; 2],
        push: &mut dyn FnMut([usize; 2], V),
    ) -> Result<(), Error> {
        let offsets = self.integers("offsets")?.elements;
        let data = self.values::<V, 2>()?;
        self.check_values(data.shape[0], offsets.len())?;
        for (diagonal, offset) in offsets.into_iter().enumerate() {
            for column in 0..columns.min(data.shape[1]) {
                let row = i64::try_from(column).ok().and_then(|column| column.checked_sub(offset));
                let row = row.and_then(|row| usize::try_from(row).ok()).filter(|row| *row < rows);
                let value = data.at([diagonal, column]);
                if let Some(row) = row.filter(|_| value.value() != V::Value::ZERO) {
                    push([row, column], value);
                }
            }
        }
        Ok(())
    }

    fn coo<V: Element, S: Shape>(
        &mut self,
        shape: S,
        push: &mut dyn FnMut(S, V),
    ) -> Result<(), Error> {
        let coords = match self.find("coords", npy::integers)? {
            Some(coords) => self.split::<S>(&coords)?,
            None => vec![self.numbers("row")?, self.numbers("col")?],
        };
        let names: &[&str] = if coords.len() == 2 { &["row", "col"] } else { &[] };
        if coords.len() != S::ORDER {
            let message = format!("has {} modes, `shape` has {}", coords.len(), S::ORDER);
            return Err(error(self.name, "row", message));
        }
        let data = self.values::<V, 1>()?;
        for (mode, crd) in coords.iter().enumerate() {
            let array = names.get(mode).copied().unwrap_or("coords");
            if crd.len() != data.elements.len() {
                let count = data.elements.len();
                let message = format!("has {} coordinates for {count} values", crd.len());
                return Err(error(self.name, array, message));
            }
            self.check_below(array, crd, shape.as_ref()[mode])?;
        }
        for (entry, value) in data.elements.iter().enumerate() {
            let mut coordinate = S::splat(0);
            for (number, crd) in coordinate.as_mut().iter_mut().zip(&coords) {
                *number = crd[entry];
            }
            push(coordinate, *value);
        }
        Ok(())
    }

    /// Splits an array of modes by entries.
    fn split<S: Shape>(&self, coords: &Array<i64>) -> Result<Vec<Vec<usize>>, Error> {
        let fail = |message: String| error(self.name, "coords", message);
        let &[modes, count] = coords.shape.as_slice() else {
            return Err(fail(format!("has order {}, not 2", coords.shape.len())));
        };
        if modes != S::ORDER {
            return Err(fail(format!("has {modes} modes, `shape` has {}", S::ORDER)));
        }
        let column = |mode| {
            let numbers = (0..count).map(|entry| {
                let number = coords.at([mode, entry]);
                usize::try_from(number)
                    .map_err(|_| fail(format!("element ({mode}, {entry}) is {number}, below 0")))
            });
            numbers.collect()
        };
        (0..modes).map(column).collect()
    }
}

/// The segments of a compressed array.
struct Segments {
    pos: Vec<usize>,
    crd: Vec<usize>,
}

impl Segments {
    /// Returns the number of positions.
    fn end(&self) -> usize {
        self.pos.last().copied().unwrap_or(0)
    }

    /// Returns the parent, the position and the coordinate of each node.
    fn nodes(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let parents = self.pos.windows(2).enumerate();
        parents.flat_map(move |(parent, bounds)| {
            (bounds[0]..bounds[1]).map(move |position| (parent, position, self.crd[position]))
        })
    }
}
