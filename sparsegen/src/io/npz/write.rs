//! Writing tensors as SciPy's sparse arrays.

use std::io::{self, Seek, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::dtype::NumpyElement;
use super::npy;
use crate::{Csc, Csr, Dia, Format, Level, LevelExpr, Tensor, level};

/// The format in which SciPy stores an array.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    Csr,
    Csc,
    Bsr { height: usize, width: usize },
    Dia,
    Coo,
}

impl Layout {
    /// Returns the layout with the same levels as a format, or the list of coordinates.
    fn of<F: Format>(shape: F::Shape) -> Layout {
        let map = F::MAP;
        if map == <Csr>::MAP {
            return Layout::Csr;
        }
        if map == <Csc>::MAP {
            return Layout::Csc;
        }
        if map == <Dia>::MAP {
            return Layout::Dia;
        }
        const I: LevelExpr = LevelExpr::Dimension(0);
        const J: LevelExpr = LevelExpr::Dimension(1);
        let names = [level::Dense::KIND.name, <level::Compressed>::KIND.name];
        let names = [names[0], names[1], names[0], names[0]];
        if map.levels.iter().map(|level| level.level).eq(names)
            && map.levels[1].properties == <Csr>::MAP.levels[1].properties
            && let LevelExpr::Div(&I, height) = map.levels[0].expr
            && let LevelExpr::Div(&J, width) = map.levels[1].expr
            && map.levels[2].expr == LevelExpr::Mod(&I, height)
            && map.levels[3].expr == LevelExpr::Mod(&J, width)
            && shape.as_ref()[0].is_multiple_of(height)
            && shape.as_ref()[1].is_multiple_of(width)
        {
            return Layout::Bsr { height, width };
        }
        Layout::Coo
    }

    /// Returns SciPy's name of the format.
    fn name(self) -> &'static str {
        match self {
            Layout::Csr => "csr",
            Layout::Csc => "csc",
            Layout::Bsr { .. } => "bsr",
            Layout::Dia => "dia",
            Layout::Coo => "coo",
        }
    }
}

/// Writes the archive of a tensor, and returns the writer.
pub(super) fn archive<W: Write + Seek, V: NumpyElement, F: Format>(
    writer: W,
    tensor: &Tensor<V, F>,
) -> io::Result<W> {
    let shape = tensor.shape();
    let layout = Layout::of::<F>(shape);
    let extents: Vec<i64> = shape.as_ref().iter().map(|extent| *extent as i64).collect();
    let mut out = Archive { zip: ZipWriter::new(writer) };
    out.array("format", "|S3", &[], 3, |out| out.write_all(layout.name().as_bytes()))?;
    out.integers("shape", &[extents.len()], &extents, true)?;
    // Arrays, unlike matrices, may have any order.
    out.array("_is_array", "|b1", &[], 1, |out| out.write_all(&[1]))?;
    let modes = |[outer, inner]: [usize; 2]| {
        move |coordinate: F::Shape| [coordinate.as_ref()[outer], coordinate.as_ref()[inner]]
    };
    match layout {
        Layout::Csr => out.compressed(tensor, shape.as_ref()[0], modes([0, 1]))?,
        Layout::Csc => out.compressed(tensor, shape.as_ref()[1], modes([1, 0]))?,
        Layout::Bsr { height, width } => out.blocks(tensor, [height, width])?,
        Layout::Dia => out.diagonals(tensor)?,
        Layout::Coo => out.coordinates(tensor)?,
    }
    Ok(out.zip.finish()?)
}

/// An archive to which arrays are added.
struct Archive<W: Write + Seek> {
    zip: ZipWriter<W>,
}

impl<W: Write + Seek> Archive<W> {
    /// Adds an array of `size` bytes.
    fn array(
        &mut self,
        name: &str,
        dtype: &str,
        shape: &[usize],
        size: usize,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .large_file(size > u32::MAX as usize / 2);
        self.zip.start_file(format!("{name}.npy"), options)?;
        let mut out = io::BufWriter::new(&mut self.zip);
        npy::write(&mut out, dtype, shape, write)?;
        out.flush()
    }

    /// Adds an array of integers, in 32 bits if they fit, as SciPy does.
    fn integers(
        &mut self,
        name: &str,
        shape: &[usize],
        numbers: &[i64],
        is_wide: bool,
    ) -> io::Result<()> {
        if is_wide || numbers.iter().any(|number| i32::try_from(*number).is_err()) {
            return self.array(name, "<i8", shape, 8 * numbers.len(), |out| {
                numbers.iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
            });
        }
        self.array(name, "<i4", shape, 4 * numbers.len(), |out| {
            numbers.iter().try_for_each(|number| out.write_all(&(*number as i32).to_le_bytes()))
        })
    }

    /// Adds the values.
    fn values<V: NumpyElement>(
        &mut self,
        shape: &[usize],
        count: usize,
        values: impl Iterator<Item = V>,
    ) -> io::Result<()> {
        let size = count.saturating_mul(size_of::<V::Value>());
        self.array("data", V::DTYPE, shape, size, |out| {
            for value in values {
                value.write_bytes(out)?;
            }
            Ok(())
        })
    }

    /// Adds `indptr` and `indices` of entries or blocks that are sorted by parents.
    fn segments(
        &mut self,
        parents: usize,
        nodes: impl Iterator<Item = [usize; 2]>,
    ) -> io::Result<()> {
        let (mut pos, mut crd) = (vec![0], Vec::new());
        for [parent, coordinate] in nodes {
            pos.resize(parent + 1, crd.len() as i64);
            crd.push(coordinate as i64);
        }
        pos.resize(parents + 1, crd.len() as i64);
        // SciPy requires the same type for both.
        let is_wide =
            i32::try_from(crd.len()).is_err() || crd.iter().any(|c| i32::try_from(*c).is_err());
        self.integers("indptr", &[pos.len()], &pos, is_wide)?;
        self.integers("indices", &[crd.len()], &crd, is_wide)
    }

    fn compressed<V: NumpyElement, F: Format>(
        &mut self,
        tensor: &Tensor<V, F>,
        parents: usize,
        node: impl Fn(F::Shape) -> [usize; 2],
    ) -> io::Result<()> {
        self.segments(parents, tensor.iter().map(|(coordinate, _)| node(coordinate)))?;
        let count = tensor.iter().count();
        self.values(&[count], count, tensor.iter().map(|(_, value)| value))
    }

    fn blocks<V: NumpyElement, F: Format>(
        &mut self,
        tensor: &Tensor<V, F>,
        [height, width]: [usize; 2],
    ) -> io::Result<()> {
        let mut blocks = Vec::<[usize; 2]>::new();
        let mut values = Vec::new();
        for (coordinate, value) in tensor.iter() {
            let (row, column) = (coordinate.as_ref()[0], coordinate.as_ref()[1]);
            let block = [row / height, column / width];
            // The entries of a block follow one another.
            if blocks.last() != Some(&block) {
                blocks.push(block);
                values.resize(values.len() + height * width, V::filler(F::FILL));
            }
            let first = values.len() - height * width;
            values[first + row % height * width + column % width] = value;
        }
        let count = blocks.len();
        self.segments(tensor.shape().as_ref()[0] / height, blocks.into_iter())?;
        self.values(&[count, height, width], values.len(), values.into_iter())
    }

    fn diagonals<V: NumpyElement, F: Format>(&mut self, tensor: &Tensor<V, F>) -> io::Result<()> {
        let columns = tensor.shape().as_ref()[1];
        let mut offsets = Vec::new();
        let mut values = Vec::new();
        for (coordinate, value) in tensor.iter() {
            let (row, column) = (coordinate.as_ref()[0], coordinate.as_ref()[1]);
            let offset = column as i64 - row as i64;
            // The entries of a diagonal follow one another.
            if offsets.last() != Some(&offset) {
                offsets.push(offset);
                values.resize(values.len() + columns, V::filler(F::FILL));
            }
            let first = values.len() - columns;
            values[first + column] = value;
        }
        self.integers("offsets", &[offsets.len()], &offsets, false)?;
        self.values(&[offsets.len(), columns], values.len(), values.into_iter())
    }

    /// Adds `row` and `col` of a matrix, which every version of SciPy reads, or `coords`.
    fn coordinates<V: NumpyElement, F: Format>(&mut self, tensor: &Tensor<V, F>) -> io::Result<()> {
        let order = tensor.shape().as_ref().len();
        let count = tensor.iter().count();
        let mode = |mode: usize| {
            tensor.iter().map(move |(coordinate, _)| coordinate.as_ref()[mode] as i64)
        };
        let extents = tensor.shape();
        let is_wide = extents.as_ref().iter().any(|extent| i32::try_from(*extent).is_err());
        if order == 2 {
            for (array, number) in [("row", 0), ("col", 1)] {
                self.integers(array, &[count], &mode(number).collect::<Vec<_>>(), is_wide)?;
            }
        } else {
            let coords: Vec<i64> = (0..order).flat_map(mode).collect();
            self.integers("coords", &[order, count], &coords, is_wide)?;
        }
        self.values(&[count], count, tensor.iter().map(|(_, value)| value))
    }
}
