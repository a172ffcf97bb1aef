//! Files of raw arrays: every format comes back and is borrowed as it is, Binsparse's reference
//! implementation reads and writes them, and damaged files are errors.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::Command;

use sparsegen::io::binsparse::{FileElement, FileLevels};
use sparsegen::io::{self, Element, Mapped};
use sparsegen::{
    Coo, CooUnordered, Csc, Csf, Csr, Dcsc, Dcsr, Dense, DenseCol, Dia, Ell, Error, Fill, Format,
    HashRows, HashVector, LevelExpr, LevelMap, Map, Pattern, Scalar, SparseVector, Tensor, level,
};

const ENTRIES: [([usize; 2], f64); 4] =
    [([0, 1], 2.0), ([0, 3], 3.0), ([2, 0], 4.0), ([2, 3], 5.0)];

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/binsparse").join(name)
}

/// Returns a path of its own in a folder for files of these tests.
fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("binsparse");
    fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn matrix<F: Format<Shape = [usize; 2]>>() -> Tensor<f64, F> {
    Tensor::from_triplets([3, 4], ENTRIES).unwrap()
}

/// 64 bytes that begin at a multiple of 64.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; 64]);

/// Copies bytes to a place that begins at a multiple of 64.
fn aligned(bytes: &[u8]) -> Vec<Line> {
    let mut lines = vec![Line([0; 64]); bytes.len().div_ceil(64)];
    for (line, bytes) in lines.iter_mut().zip(bytes.chunks(64)) {
        line.0[..bytes.len()].copy_from_slice(bytes);
    }
    lines
}

/// Returns the first bytes of lines.
fn bytes(lines: &[Line], length: usize) -> &[u8] {
    // SAFETY: the lines are bytes, one after another.
    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), length) }
}

fn write<V: FileElement, F: Format<Levels: FileLevels>>(tensor: &Tensor<V, F>) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    io::write_binsparse_to(&mut file, "memory", tensor).unwrap();
    file.into_inner()
}

fn round_trip<V: FileElement, F: Format<Levels: FileLevels>>(tensor: &Tensor<V, F>) {
    let file = write(tensor);
    let read = io::read_binsparse_from::<V, F>(Cursor::new(&file), "memory").unwrap();
    assert_eq!(read, *tensor);
    let lines = aligned(&file);
    let bytes = bytes(&lines, file.len());
    let view = io::view_binsparse::<V, F>(bytes, "memory").unwrap();
    assert!(view.iter().eq(tensor.iter()), "{}", F::NAME);
    assert_eq!(view.vals(), tensor.vals());
    // Nothing is copied.
    let inside = bytes.as_ptr_range();
    let values = view.vals().as_ptr().cast::<u8>();
    assert!(size_of_val(view.vals()) == 0 || inside.contains(&values), "{}", F::NAME);
}

/// `(i, j) -> (i / 3 : dense, j / 2 : bitmap, i % 3 : dense, j % 2 : structured(1, 2))`
#[derive(Clone, Copy, Debug)]
struct Mixed;

const I: LevelExpr = LevelExpr::Dimension(0);
const J: LevelExpr = LevelExpr::Dimension(1);

impl Format for Mixed {
    const NAME: &'static str = "mixed";
    const MAP: Map = Map::new(&[
        LevelMap::new(LevelExpr::Div(&I, 3), "loose_compressed"),
        LevelMap::new(LevelExpr::Div(&J, 2), "bitmap"),
        LevelMap::new(LevelExpr::Mod(&I, 3), "dense"),
        LevelMap::new(LevelExpr::Mod(&J, 2), "structured").parameters(&[1, 2]),
    ]);
    type Shape = [usize; 2];
    type Levels =
        (level::LooseCompressed<u16, u8>, level::Bitmap, level::Dense, level::Structured<u8, 1, 2>);
}

/// `(i, j) -> (i : block_compressed(2), j : block_compressed)`
#[derive(Clone, Copy, Debug)]
struct Short;

impl Format for Short {
    const NAME: &'static str = "short";
    const MAP: Map = Map::new(&[
        LevelMap::dimension(0, "block_compressed").parameters(&[2]),
        LevelMap::dimension(1, "block_compressed").parameters(&[65536]),
    ]);
    type Shape = [usize; 2];
    type Levels = (level::BlockCompressed<u32, u16, u8, 2>, level::BlockCompressed);
}

/// `(i, j) -> (j : batch, i : compressed)`
#[derive(Clone, Copy, Debug)]
struct Vectors;

impl Format for Vectors {
    const NAME: &'static str = "vectors";
    const MAP: Map =
        Map::new(&[LevelMap::dimension(1, "batch"), LevelMap::dimension(0, "compressed")]);
    type Shape = [usize; 2];
    type Levels = (level::Batch, level::Compressed);
}

/// `csr` whose other entries are infinite.
#[derive(Clone, Copy, Debug)]
struct Distances;

impl Format for Distances {
    const NAME: &'static str = "distances";
    const MAP: Map = <Csr>::MAP;
    type Shape = [usize; 2];
    type Levels = (level::Dense, level::Compressed);
    const FILL: Fill = Fill::Greatest;
}

#[test]
fn tensors_of_every_format_come_back() {
    round_trip(&matrix::<Csr<u64, u8>>());
    round_trip(&matrix::<Csc<usize, u16>>());
    round_trip(&matrix::<Dcsr>());
    round_trip(&matrix::<Dcsc>());
    round_trip(&matrix::<Coo<2>>());
    round_trip(&matrix::<CooUnordered<2, u64, u64>>());
    round_trip(&matrix::<Csf<2>>());
    round_trip(&matrix::<Dense<2>>());
    round_trip(&matrix::<DenseCol<2>>());
    round_trip(&matrix::<Dia>());
    round_trip(&matrix::<Ell>());
    round_trip(&matrix::<HashRows<u32, u64>>());
    round_trip(&matrix::<Mixed>());
    round_trip(&matrix::<Vectors>());
    round_trip(&matrix::<Short>());
    round_trip(&matrix::<Distances>());
    round_trip(&Tensor::<f64, Csr>::zeros([0, 5]).unwrap());
    round_trip(&Tensor::<f64, Csr>::zeros([5, 0]).unwrap());
    round_trip(&Tensor::<f64, Scalar>::from_triplets([], [([], 7.0)]).unwrap());
    let vector = [([2], 5.0), ([4], 6.0)];
    round_trip(&Tensor::<f64, SparseVector>::from_triplets([9], vector).unwrap());
    round_trip(&Tensor::<f64, HashVector>::from_triplets([9], vector).unwrap());
    round_trip(&Tensor::<f64, Csf<3>>::from_triplets([9, 9, 9], [([1, 2, 3], 4.0)]).unwrap());
    round_trip(&Tensor::<f64, Coo<3>>::from_triplets([9, 9, 9], [([1, 2, 3], 4.0)]).unwrap());
}

#[test]
fn elements_of_every_type_come_back() {
    let a = matrix::<Csr>();
    round_trip(&a.clone().map_vals(|value| value as f32));
    round_trip(&a.clone().map_vals(|value| -value as i8));
    round_trip(&a.clone().map_vals(|value| value as u64));
    round_trip(&a.clone().map_vals(|value| value as usize));
    round_trip(&a.clone().map_vals(|value| value > 2.5));
    round_trip(&a.pattern());
    #[cfg(feature = "complex")]
    round_trip(&a.clone().map_vals(|value| sparsegen::c64::new(value, -value)));
    #[cfg(feature = "complex")]
    round_trip(&a.map_vals(|_| Pattern::<sparsegen::c32>::ONE));
    #[cfg(feature = "half")]
    round_trip(&matrix::<Csr>().map_vals(sparsegen::f16::from_f64));
}

#[test]
fn files_are_read_into_other_formats_and_types() {
    let file = write(&matrix::<Csr<u64, u64>>());
    let read = || Cursor::new(&file);
    let narrow = io::read_binsparse_from::<i16, Csr<u8, u8>>(read(), "m").unwrap();
    assert_eq!(narrow, matrix::<Csr<u8, u8>>().map_vals(|value| value as i16));
    assert_eq!(io::read_binsparse_from::<f64, Csc>(read(), "m").unwrap(), matrix());
    assert_eq!(io::read_binsparse_from::<f64, Ell>(read(), "m").unwrap(), matrix());
}

#[test]
fn files_of_the_reference_implementation_are_read() {
    for name in ["csr", "csc", "dcsr", "coo", "dense", "dense_col"] {
        let path = data(name).with_extension("npz");
        assert_eq!(io::read_binsparse::<f64, Csr>(&path).unwrap(), matrix(), "{name}");
        assert_eq!(io::read_binsparse::<f64, Dcsr>(&path).unwrap(), matrix(), "{name}");
        assert_eq!(io::read_binsparse::<f64, Coo<2>>(&path).unwrap(), matrix(), "{name}");
        assert_eq!(io::read_binsparse::<f64, Dense<2>>(&path).unwrap(), matrix(), "{name}");
    }
    let pattern = io::read_binsparse::<Pattern<f64>, Csr>(data("iso.npz")).unwrap();
    assert_eq!(pattern, matrix::<Csr>().pattern());
    assert_eq!(io::read_binsparse::<u8, Csr>(data("iso.npz")).unwrap().vals(), [1; 4]);
    #[cfg(feature = "complex")]
    {
        let vector = io::read_binsparse::<sparsegen::c64, SparseVector>(data("vector.npz"));
        let entries = [([1], sparsegen::c64::new(1.0, 2.0)), ([4], sparsegen::c64::new(3.0, -4.0))];
        assert!(vector.unwrap().iter().eq(entries));
    }
    let cube = [([0, 1, 0], 2.0), ([1, 1, 3], 3.0), ([1, 2, 0], 4.0)];
    let read = io::read_binsparse::<f64, Csf<3>>(data("custom.npz")).unwrap();
    assert!(read.shape() == [2, 3, 4] && read.iter().eq(cube));
    let turned = cube.map(|([i, j, k], value)| ([k, i, j], value));
    let read = io::read_binsparse::<f64, Csf<3>>(data("transposed.npz")).unwrap();
    assert_eq!(read, Tensor::from_triplets([4, 2, 3], turned).unwrap());
    let symmetric = io::read_binsparse::<f64, Csr>(data("symmetric.npz")).unwrap();
    assert_eq!(symmetric.vals(), [2.0, 3.0, 3.0, 4.0]);
}

/// Runs a program in Python, or says that the reference implementation is not there.
fn python(program: &str) {
    let runs = |program: &str| {
        let mut python = Command::new("python3");
        python.args(["-c", program]).current_dir(path("csr.npz").parent().unwrap()).output()
    };
    if !runs("import binsparse").is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: there is no Python with `binsparse` here");
        return;
    }
    let output = runs(program).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_reference_implementation_reads_what_is_written() {
    io::write_binsparse(path("csr.npz"), &matrix::<Csr>()).unwrap();
    io::write_binsparse(path("csc.npz"), &matrix::<Csc<usize, u8>>()).unwrap();
    io::write_binsparse(path("dcsr.npz"), &matrix::<Dcsr>()).unwrap();
    io::write_binsparse(path("coo.npz"), &matrix::<Coo<2>>()).unwrap();
    io::write_binsparse(path("dense_col.npz"), &matrix::<DenseCol<2>>()).unwrap();
    io::write_binsparse(path("pattern.npz"), &matrix::<Csr>().pattern()).unwrap();
    io::write_binsparse(path("distances.npz"), &matrix::<Distances>()).unwrap();
    let truths = matrix::<Csr>().map_vals(|value| value > 2.5);
    io::write_binsparse(path("truths.npz"), &truths).unwrap();
    #[cfg(feature = "complex")]
    let complex = matrix::<Csr>().map_vals(|value| sparsegen::c64::new(value, -value));
    #[cfg(feature = "complex")]
    io::write_binsparse(path("complex.npz"), &complex).unwrap();
    let cube = Tensor::<f64, Coo<3>>::from_triplets([2, 3, 4], [([1, 2, 3], 6.0)]).unwrap();
    io::write_binsparse(path("cube.npz"), &cube).unwrap();
    io::write_binsparse(path("dia.npz"), &matrix::<Dia>()).unwrap();
    python(
        r#"
import numpy as np
import binsparse as b
a = b.load_binsparse("csr.npz")
assert type(a).__name__ == "CSRMatrix" and a.shape == (3, 4)
assert a.values.tolist() == [2, 3, 4, 5] and a.indices_1.dtype == np.uint32
assert a.pointers_to_1.tolist() == [0, 2, 2, 4] and a.indices_1.tolist() == [1, 3, 0, 3]
a = b.load_binsparse("csc.npz")
assert type(a).__name__ == "CSCMatrix" and a.indices_1.tolist() == [2, 0, 0, 2]
a = b.load_binsparse("dcsr.npz")
assert type(a).__name__ == "DCSRMatrix" and a.indices_0.tolist() == [0, 2]
a = b.load_binsparse("coo.npz")
assert type(a).__name__ == "COORMatrix" and a.indices_0.tolist() == [0, 0, 2, 2]
a = b.load_binsparse("dense_col.npz")
assert type(a).__name__ == "DMATCMatrix" and a.values.tolist() == [0, 0, 4, 2, 0, 0, 0, 0, 0, 3, 0, 5]
assert b.load_binsparse("pattern.npz").values.tolist() == [1, 1, 1, 1]
assert b.load_binsparse("distances.npz").fill_value == np.inf
assert b.load_binsparse("truths.npz").values.tolist() == [False, True, True, True]
a = b.load_binsparse("cube.npz")
assert a.level.rank == 3 and [i.tolist() for i in a.level.indices] == [[1], [2], [3]]
try:
    b.load_binsparse("dia.npz")
    assert False
except b.BinsparseParseError as error:
    assert "unrecognized format 'sparsegen'" in str(error)
assert np.load("dia.npz")["indices_0"].tolist() == [-2, 1, 3]
"#,
    );
    #[cfg(feature = "complex")]
    python(
        r#"
import binsparse as b
assert b.load_binsparse("complex.npz").values.tolist() == [2 - 2j, 3 - 3j, 4 - 4j, 5 - 5j]
"#,
    );
}

/// Opens a file that only the calling test knows.
fn open<F: Format<Levels: FileLevels>>(path: &Path) -> Result<Mapped<f64, F>, Error> {
    // SAFETY: the file is replaced, and not changed.
    unsafe { Mapped::open(path) }
}

#[test]
fn files_are_mapped() {
    let path = path("mapped.npz");
    io::write_binsparse(&path, &matrix::<Csr>()).unwrap();
    let mapped = open::<Csr>(&path).unwrap();
    assert_eq!(mapped.shape(), [3, 4]);
    assert!(mapped.view().iter().eq(ENTRIES));
    assert_eq!(mapped.view().vals().as_ptr(), mapped.view().vals().as_ptr());
    mapped.verify().unwrap();
    // A file that is written anew is another file.
    io::write_binsparse(&path, &Tensor::<f64, Csr>::eye(2).unwrap()).unwrap();
    assert!(mapped.view().iter().eq(ENTRIES));
    // SAFETY: the file has just been written.
    let trusted = unsafe { Mapped::<f64, Csr>::open_trusted(&path) }.unwrap();
    assert_eq!(trusted.view().vals(), [1.0, 1.0]);
    assert!(format!("{trusted:?}").ends_with("shape: [2, 2] }"), "{trusted:?}");
    fs::remove_file(path).unwrap();
}

fn refusal<V: Element, F: Format<Levels: FileLevels>>(name: &str) -> String {
    io::read_binsparse::<V, F>(data(name)).err().unwrap().to_string()
}

#[test]
fn errors_name_the_file_and_the_array() {
    let written = |name: &str| {
        io::write_binsparse(path(name), &matrix::<Dia>()).unwrap();
        path(name)
    };
    let unsuitable = open::<Csr>(&written("dia_as_csr.npz")).unwrap_err().to_string();
    let converted = io::read_binsparse::<f64, Csr>(written("dia_to_csr.npz")).unwrap_err();
    io::write_binsparse(path("narrow.npz"), &matrix::<Csr<u8, u8>>()).unwrap();
    for (shown, words) in [
        (refusal::<f64, Csr>("absent.npz"), "absent.npz: No such file"),
        (refusal::<f64, Csr>("make.py"), "make.py: array `format`: the file is not an archive"),
        (refusal::<f64, Csr>("../scipy/csr.npz"), "of SciPy are read with `read_npz`"),
        (refusal::<f64, Csf<3>>("csr.npz"), "array `binsparse`: the tensor has order 2, not 3"),
        (
            refusal::<Pattern<f64>, Csr>("csr.npz"),
            "array `values`: element 0: the value `2.0` does",
        ),
        (refusal::<f64, Csc>("vector.npz"), "array `binsparse`: the tensor has order 1, not 2"),
        (refusal::<f64, SparseVector>("vector.npz"), "complex values do not fit `f64`"),
        (refusal::<f64, Distances>("csr.npz"), "is 0, and that of `distances` is inf; choose"),
        (
            unsuitable,
            "stored as (i, j) -> (j - i : compressed, i : range, j : offset), and `csr` is",
        ),
        (converted.to_string(), "and `csr` is (i, j) -> (i : dense, j : compressed); read it in"),
        (open::<Csr>(&data("csr.npz")).unwrap_err().to_string(), "the file is of another program"),
        (
            open::<Csr>(&path("narrow.npz")).unwrap_err().to_string(),
            "array `pointers_to_1`: has elements of the type `|u1`, not `<u4`; `read_binsparse`",
        ),
    ] {
        assert!(shown.contains(words), "there is no `{words}` in: {shown}");
    }
    // SAFETY: only this test knows the file.
    let other = unsafe { Mapped::<f32, Csr<u8, u8>>::open(path("narrow.npz")) };
    let message = other.err().unwrap().to_string();
    assert!(
        message.contains("type `float64`, not `float32`; `read_binsparse` converts"),
        "{message}"
    );
}

/// A reader, which compares checksums, returns the tensor or an error, whatever byte is damaged. A
/// view, which does not, is a valid tensor or an error.
#[test]
fn damaged_files_are_refused() {
    fn check<F: Format<Levels: FileLevels>>(tensor: &Tensor<f64, F>) {
        let file = write(tensor);
        let read = |bytes: &[u8]| io::read_binsparse_from::<f64, F>(Cursor::new(bytes), "d");
        for index in 0..file.len() {
            for byte in [0xff, file[index] ^ 1] {
                if byte == file[index] {
                    continue;
                }
                let mut damaged = file.clone();
                damaged[index] = byte;
                if let Ok(accepted) = read(&damaged) {
                    assert_eq!(accepted, *tensor, "byte {index} as {byte}");
                }
                let lines = aligned(&damaged);
                let bytes = bytes(&lines, damaged.len());
                if let Ok(view) = io::view_binsparse::<f64, F>(bytes, "d") {
                    let shape = view.shape();
                    let inside = |(coordinate, _)| sparsegen::Shape::contains(&shape, &coordinate);
                    assert!(view.iter().all(inside), "byte {index} as {byte}");
                }
            }
        }
        for length in 0..file.len() {
            assert!(read(&file[..length]).is_err(), "{length} of {} bytes", file.len());
            let lines = aligned(&file[..length]);
            assert!(io::view_binsparse::<f64, F>(bytes(&lines, length), "d").is_err(), "{length}");
        }
    }
    check(&matrix::<Csr>());
    check(&matrix::<HashRows>());
    check(&matrix::<Coo<2>>());
    check(&matrix::<Mixed>());
    check(&matrix::<Short>());
}

#[test]
fn damage_of_values_is_found_by_checksums() {
    let path = path("damaged.npz");
    let mut file = write(&matrix::<Csr>());
    let five = 5.0_f64.to_le_bytes();
    let place = file.windows(8).position(|bytes| bytes == five).unwrap();
    file[place] = 1;
    fs::write(&path, &file).unwrap();
    let mapped = open::<Csr>(&path).unwrap();
    let message = mapped.verify().unwrap_err().to_string();
    assert!(message.contains("array `values`: Invalid checksum"), "{message}");
}

#[test]
fn bytes_that_are_not_aligned_are_refused() {
    let file = write(&matrix::<Csr>());
    let mut shifted = vec![0];
    shifted.extend(&file);
    let lines = aligned(&shifted);
    let shifted = &bytes(&lines, shifted.len())[1..];
    let message = io::view_binsparse::<f64, Csr>(shifted, "s").unwrap_err().to_string();
    let expected =
        "s: array `pointers_to_1`: does not begin at a multiple of 4 bytes; read the file";
    assert!(message.contains(expected), "{message}");
    assert_eq!(io::read_binsparse_from::<f64, Csr>(Cursor::new(shifted), "s").unwrap(), matrix());
}

#[test]
fn progress_is_reported_in_bytes() {
    let values: Vec<f64> = (0..400_000).map(f64::from).collect();
    let x = Tensor::<f64, Dense<1>>::from_dense([values.len()], &values).unwrap();
    let file = write(&x);
    let mut reports = Vec::new();
    let reader = io::Reader::new().progress(|done, size| reports.push((done, size)));
    let read = reader.read_binsparse_from::<f64, Dense<1>>(Cursor::new(&file), "memory").unwrap();
    assert_eq!(read, x);
    assert!(reports.iter().all(|(done, size)| *done <= file.len() && *size == Some(file.len())));
    assert!(reports.is_sorted() && reports.len() > file.len() >> 20, "{reports:?}");
    assert_eq!(reports.last(), Some(&(file.len(), Some(file.len()))));
}
