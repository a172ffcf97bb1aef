//! Sparse arrays of SciPy: files that SciPy has made, files that SciPy reads, and damaged files.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::Command;

use sparsegen::{
    Coo, CooUnordered, Csc, Csf, Csr, Dcsr, Dia, Ell, Error, Format, LevelExpr, LevelMap, Map,
    Pattern, Scalar, SparseVector, Tensor, io, level,
};

const ENTRIES: [([usize; 2], f64); 4] =
    [([0, 1], 2.0), ([0, 3], 3.0), ([2, 0], 4.0), ([2, 3], 5.0)];

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/scipy").join(name)
}

fn matrix<F: Format<Shape = [usize; 2]>>() -> Tensor<f64, F> {
    Tensor::from_triplets([3, 4], ENTRIES).unwrap()
}

/// `(i, j) -> (i / 3 : dense, j / 2 : compressed, i % 3 : dense, j % 2 : dense)`
#[derive(Clone, Copy, Debug)]
struct Blocks;

const I: LevelExpr = LevelExpr::Dimension(0);
const J: LevelExpr = LevelExpr::Dimension(1);

impl Format for Blocks {
    const NAME: &'static str = "blocks";
    const MAP: Map = Map::new(&[
        LevelMap::new(LevelExpr::Div(&I, 3), "dense"),
        LevelMap::new(LevelExpr::Div(&J, 2), "compressed"),
        LevelMap::new(LevelExpr::Mod(&I, 3), "dense"),
        LevelMap::new(LevelExpr::Mod(&J, 2), "dense"),
    ]);
    type Shape = [usize; 2];
    type Levels = (level::Dense, level::Compressed, level::Dense, level::Dense);
}

#[test]
fn every_format_of_scipy_is_read() {
    for name in ["csr", "csr_matrix", "csc", "coo", "bsr", "dia", "jumbled", "integers"] {
        let path = data(name).with_extension("npz");
        assert_eq!(io::read_npz::<f64, Csr>(&path).unwrap(), matrix(), "{name}");
        assert_eq!(io::read_npz::<f32, Csc>(&path).unwrap().get([2, 3]), Some(5.0), "{name}");
        assert_eq!(io::read_npz::<u8, Dia>(&path).unwrap().get([2, 0]), Some(4), "{name}");
    }
    assert_eq!(io::read_npz::<f64, Blocks>(data("stored.npz")).unwrap(), matrix());
    let ones = io::read_npz::<i32, Coo<2>>(data("bool.npz")).unwrap();
    assert!(ones.iter().eq(ENTRIES.map(|(coordinate, _)| (coordinate, 1))));
    let cube = io::read_npz::<f64, Csf<3>>(data("order_3.npz")).unwrap();
    assert_eq!(cube.shape(), [2, 3, 4]);
    assert!(cube.iter().eq([([0, 0, 3], 1.0), ([1, 2, 0], 2.0), ([1, 2, 1], 3.0)]));
    for name in ["vector.npz", "vector_csr.npz"] {
        let vector = io::read_npz::<f64, SparseVector>(data(name)).unwrap();
        assert!(vector.shape() == [5] && vector.iter().eq([([1], 2.0), ([4], 3.0)]), "{name}");
    }
}

#[cfg(feature = "complex")]
#[test]
fn complex_numbers_are_read() {
    let matrix = io::read_npz::<sparsegen::c64, Csr>(data("complex.npz")).unwrap();
    assert_eq!(matrix.get([2, 3]), Some(sparsegen::c64::new(5.0, 10.0)));
    let error = io::read_npz::<f64, Csr>(data("complex.npz")).unwrap_err().to_string();
    assert!(error.contains("array `data`: element 0: complex values do not fit `f64`"), "{error}");
}

#[test]
fn progress_is_reported() {
    let mut last = None;
    let report = |done, all| last = Some((done, all));
    io::Reader::new().progress(report).read_npz::<f64, Csr>(data("csr.npz")).unwrap();
    assert_eq!(last, Some((4, Some(4))));
}

/// Writes a tensor to memory, and reads it back.
fn round_trip<F: Format<Shape: PartialEq>>(tensor: &Tensor<f64, F>) {
    let mut bytes = Cursor::new(Vec::new());
    io::write_npz_to(&mut bytes, "memory", tensor).unwrap();
    assert_eq!(io::read_npz_from::<f64, F>(bytes, "memory").unwrap(), *tensor);
}

#[test]
fn tensors_come_back() {
    round_trip(&matrix::<Csr<u64, u8>>());
    round_trip(&matrix::<Csc>());
    round_trip(&matrix::<Dia>());
    round_trip(&matrix::<Blocks>());
    round_trip(&matrix::<Ell>());
    round_trip(&matrix::<CooUnordered<2>>());
    round_trip(&Tensor::<f64, Csr>::zeros([0, 5]).unwrap());
    round_trip(&Tensor::<f64, Csr>::zeros([1, u32::MAX as usize]).unwrap());
    round_trip(&Tensor::<f64, Csf<3>>::from_triplets([9, 9, 9], [([1, 2, 3], 4.0)]).unwrap());
    // Blocks that exceed the extents are written as a list of coordinates.
    round_trip(&Tensor::<f64, Blocks>::from_triplets([4, 5], [([3, 4], 1.0)]).unwrap());
    let zeros = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 0.0)]).unwrap();
    round_trip(&zeros);
    let scalar = Tensor::<f64, Scalar>::zeros([]).unwrap();
    let refused = io::write_npz_to(Cursor::new(Vec::new()), "s", &scalar).unwrap_err();
    assert!(refused.to_string().contains("at least one mode"), "{refused}");
}

/// Runs a program in Python, or says that there is no SciPy.
fn python(program: &str, folder: &Path) -> bool {
    let runs = |program: &str| {
        let mut python = Command::new("python3");
        python.args(["-c", program]).current_dir(folder).output()
    };
    if !runs("import scipy.sparse").is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: there is no Python with SciPy here");
        return false;
    }
    let output = runs(program).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

#[test]
fn scipy_reads_what_is_written() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("npz");
    fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name);
    io::write_npz(path("csr.npz"), &matrix::<Csr>()).unwrap();
    io::write_npz(path("csc.npz"), &matrix::<Csc<usize, usize>>()).unwrap();
    io::write_npz(path("dia.npz"), &matrix::<Dia>()).unwrap();
    io::write_npz(path("bsr.npz"), &matrix::<Blocks>()).unwrap();
    io::write_npz(path("coo.npz"), &matrix::<Dcsr>()).unwrap();
    io::write_npz(path("pattern.npz"), &matrix::<Csr>().pattern()).unwrap();
    let integers = matrix::<Csr>().map_vals(|value| value as i16);
    io::write_npz(path("integers.npz"), &integers).unwrap();
    let cube = Tensor::<f64, Coo<3>>::from_triplets([2, 3, 4], [([1, 2, 3], 6.0)]).unwrap();
    io::write_npz(path("cube.npz"), &cube).unwrap();
    let program = r#"
import numpy as np
import scipy.sparse as sp
dense = np.array([[0, 2, 0, 3], [0, 0, 0, 0], [4, 0, 0, 5.0]])
for name in ["csr", "csc", "dia", "bsr", "coo"]:
    a = sp.load_npz(name + ".npz")
    assert a.format == name and a.dtype == np.float64 and (a.toarray() == dense).all(), name
assert sp.load_npz("csr.npz").has_canonical_format
assert sp.load_npz("bsr.npz").blocksize == (3, 2)
integers = sp.load_npz("integers.npz")
assert integers.dtype == np.int16 and (integers.toarray() == dense).all()
assert (sp.load_npz("pattern.npz").toarray() == (dense != 0)).all()
cube = sp.load_npz("cube.npz")
assert cube.shape == (2, 3, 4) and cube.toarray()[1, 2, 3] == 6 and cube.nnz == 1
sp.save_npz("back.npz", sp.load_npz("csr.npz") * 2)
"#;
    if python(program, &folder) {
        let doubled = io::read_npz::<f64, Csr>(path("back.npz")).unwrap();
        assert_eq!(doubled, matrix::<Csr>().map_vals(|value| 2.0 * value));
    }
}

fn refusal<V: io::Element, F: Format>(name: &str) -> String {
    io::read_npz::<V, F>(data(name)).err().unwrap().to_string()
}

#[test]
fn errors_name_the_file_and_the_array() {
    for (shown, words) in [
        (refusal::<f64, Csr>("absent.npz"), "absent.npz: No such file"),
        (refusal::<f64, Csr>("make.py"), "make.py: array `format`: the file is not an archive"),
        (refusal::<f64, Csf<3>>("csr.npz"), "csr.npz: array `shape`: the array has order 2, not 3"),
        (refusal::<Pattern<f64>, Csr>("csr.npz"), "array `data`: element 0: the value `2.0` does"),
        (refusal::<f64, Csr<u32, u8>>("order_3.npz"), "array `shape`: the array has order 3"),
    ] {
        assert!(shown.contains(words), "there is no `{words}` in: {shown}");
    }
}

/// Replaces bytes of an archive that is not compressed, whose checksums then differ, too.
#[test]
fn damaged_files_are_refused_or_read() {
    for name in ["stored.npz", "bsr.npz", "dia.npz", "order_3.npz"] {
        let bytes = fs::read(data(name)).unwrap();
        for index in 0..bytes.len() {
            for byte in [0xff, bytes[index] ^ 0x20] {
                let mut damaged = bytes.clone();
                damaged[index] = byte;
                let _ = io::read_npz_from::<f64, Csr>(Cursor::new(&damaged), name);
                let _ = io::read_npz_from::<f64, Coo<3>>(Cursor::new(&damaged), name);
            }
            let _ = io::read_npz_from::<f64, Csr>(Cursor::new(&bytes[..index]), name);
        }
    }
}

/// Makes an archive of one array per name, with these headers and elements.
fn archive(arrays: &[(&str, &str, &[u8])]) -> Cursor<Vec<u8>> {
    use std::io::Write;
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, header, elements) in arrays {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(b"\x93NUMPY\x01\x00").unwrap();
        zip.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
        zip.write_all(header.as_bytes()).unwrap();
        zip.write_all(elements).unwrap();
    }
    zip.finish().unwrap()
}

#[test]
fn promises_of_a_header_allocate_nothing() {
    let header = |dtype: &str, shape: &str| {
        format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}}}")
    };
    let (format, shape) = (header("|S3", "()"), header("<i8", "(2,)"));
    let extents = [3_i64, 4].map(i64::to_le_bytes).concat();
    let read = |pos: &str, offsets: &[u8]| {
        let pos = header("<i4", pos);
        let arrays: [(&str, &str, &[u8]); 4] = [
            ("format", &format, b"csr"),
            ("shape", &shape, &extents),
            ("indptr", &pos, offsets),
            ("indices", &pos, offsets),
        ];
        io::read_npz_from::<f64, Csr>(archive(&arrays), "hostile.npz").err().unwrap()
    };
    let error = |message: &str| Error::Array {
        file: "hostile.npz".into(),
        array: "indptr".into(),
        message: message.into(),
    };
    let ends = "the file ends in the 1000000000000000 elements of the array";
    assert_eq!(read("(1000000000000000,)", &[0; 16]), error(ends));
    let memory = "there is no memory for an array of shape [4294967296, 4294967296]";
    assert_eq!(read("(4294967296, 4294967296)", &[0; 16]), error(memory));
    assert_eq!(read("(2,)", &[0; 8]), error("has 2 elements, not one more than 3"));
    let offsets = [0_i32, 2, 1, 4].map(i32::to_le_bytes).concat();
    assert_eq!(read("(4,)", &offsets), error("element 2 is below the one before"));
    let offsets = [0_i32, -1, 1, 4].map(i32::to_le_bytes).concat();
    assert_eq!(read("(4,)", &offsets), error("element 1 is -1, below 0"));
    assert_eq!(read("(3,)", &[0; 16]), error("there is more than the 3 elements of the array"));
}
