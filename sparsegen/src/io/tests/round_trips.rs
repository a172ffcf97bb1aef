//! What is written reads back as the same tensor.

use std::fs;
use std::path::PathBuf;

use super::data;
use crate::io::{self, Element};
use crate::{Coo, Csr, Error, Fill, Format, LevelMap, Map, Pattern, Tensor, level};

/// A file of its own in the directory for temporary files, removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let name = format!("sparsegen-{}-{name}", std::process::id());
        Scratch(std::env::temp_dir().join(name))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing depends on it being gone.
        let _ = fs::remove_file(&self.0);
    }
}

fn matrix_file<V: Element>(name: &str) {
    let matrix = io::read_mtx::<V, Coo<2>>(data(name)).unwrap();
    let mut written = Vec::new();
    io::write_mtx_to(&mut written, "written", &matrix).unwrap();
    let again: Tensor<V, Coo<2>> = io::read_mtx_from(written.as_slice(), "written").unwrap();
    assert_eq!(again.shape(), matrix.shape());
    assert!(again.iter().eq(matrix.iter()), "{name}");
}

#[test]
fn matrices() {
    for name in ["1138_bus.mtx", "array_real_4x5.mtx", "west0479.mtx", "plskz362.mtx"] {
        matrix_file::<f64>(name);
        matrix_file::<f32>(name);
    }
    for name in ["array_int_sym5.mtx", "karate.mtx", "empty_3x4.mtx", "zero_rows_0x4.mtx"] {
        matrix_file::<f64>(name);
        matrix_file::<i64>(name);
        matrix_file::<usize>(name);
    }
    #[cfg(feature = "complex")]
    for name in ["young1c.mtx", "hermitian5.mtx", "one_complex_1x1.mtx", "karate.mtx"] {
        matrix_file::<num_complex::Complex<f64>>(name);
        matrix_file::<num_complex::Complex<f32>>(name);
    }
}

#[test]
fn patterns() {
    let banner = "%%MatrixMarket matrix coordinate pattern general\n";
    let file = format!("{banner}3 4 3\n1 2\n3 1\n3 4\n");
    let read = |text: &str| io::read_mtx_from::<Pattern<f64>, Csr>(text.as_bytes(), "m.mtx");
    let pattern = read(&file).unwrap();
    assert_eq!((pattern.get([2, 3]), pattern.get([0, 0])), (Some(1.0), Some(0.0)));
    let mut written = Vec::new();
    io::write_mtx_to(&mut written, "m.mtx", &pattern).unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), file);
    matrix_file::<Pattern<u8>>("karate.mtx");

    let valued = file.replace("pattern", "real").replace("1 2\n", "1 2 0.5\n");
    let error = read(&valued).unwrap_err().to_string();
    assert!(error.starts_with("m.mtx:3: the value `0.5` does not fit a pattern"), "{error}");
}

#[test]
fn tensors() {
    let tensor = io::read_tns::<u32, Coo<5>>(data("nycflights5.tns")).unwrap();
    let mut written = Vec::new();
    io::write_tns_to(&mut written, "written", &tensor).unwrap();
    let again: Tensor<u32, Coo<5>> = io::read_tns_from(written.as_slice(), "written").unwrap();
    assert_eq!(again.shape(), tensor.shape());
    assert!(again.iter().eq(tensor.iter()));
}

#[test]
fn extreme_values() {
    let values = [f64::MAX, f64::MIN_POSITIVE, 5e-324, 0.1, -0.0, f64::INFINITY, 1.0 / 3.0];
    let triplets = values.iter().enumerate().map(|(column, &value)| ([0, column], value));
    let matrix: Tensor<f64, Coo<2>> = Tensor::from_triplets([1, values.len()], triplets).unwrap();
    let mut written = Vec::new();
    io::write_mtx_to(&mut written, "written", &matrix).unwrap();
    let again: Tensor<f64, Coo<2>> = io::read_mtx_from(written.as_slice(), "written").unwrap();
    assert!(again.iter().map(|(_, value)| value).eq(values));
}

#[test]
fn text_of_a_matrix() {
    let matrix: Tensor<f64, Coo<2>> =
        Tensor::from_triplets([2, 3], [([0, 2], 1.5), ([1, 0], -2.0)]).unwrap();
    let mut written = Vec::new();
    io::write_mtx_to(&mut written, "written", &matrix).unwrap();
    let expected = "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 3 1.5\n2 1 -2.0\n";
    assert_eq!(String::from_utf8(written).unwrap(), expected);
}

#[test]
fn files() {
    let file = Scratch::new("files.mtx");
    let matrix = io::read_mtx::<f64, Coo<2>>(data("karate.mtx")).unwrap();
    io::write_mtx(&file.0, &matrix).unwrap();
    assert!(io::read_mtx::<f64, Coo<2>>(&file.0).unwrap().iter().eq(matrix.iter()));
    let file = Scratch::new("files.tns");
    let tensor = io::read_tns::<f64, Coo<3>>(data("nations.tns")).unwrap();
    io::write_tns(&file.0, &tensor).unwrap();
    assert!(io::read_tns::<f64, Coo<3>>(&file.0).unwrap().iter().eq(tensor.iter()));
}

/// Checks a compression: its extension and the first bytes of its files.
#[cfg(any(feature = "gzip", feature = "zstd"))]
fn compressed(extension: &str, signature: &[u8]) {
    let file = Scratch::new(&format!("compressed.mtx.{extension}"));
    let matrix = io::read_mtx::<f64, Coo<2>>(data("1138_bus.mtx")).unwrap();
    io::write_mtx(&file.0, &matrix).unwrap();
    let bytes = fs::read(&file.0).unwrap();
    assert!(bytes.starts_with(signature) && bytes.len() < 40_000);
    assert!(io::read_mtx::<f64, Coo<2>>(&file.0).unwrap().iter().eq(matrix.iter()));
    let cut = io::read_mtx_from::<f64, Coo<2>>(&bytes[..bytes.len() / 2], "cut");
    assert!(matches!(cut, Err(crate::Error::Io { .. })));
}

#[cfg(not(all(feature = "gzip", feature = "zstd")))]
fn needs_the_feature(feature: &str, bytes: &[u8]) {
    let read = io::read_mtx_from::<f64, Coo<2>>(bytes, "compressed");
    let Err(error @ crate::Error::Io { .. }) = read else { panic!("got {read:?}") };
    assert!(error.to_string().contains(&format!("feature `{feature}`")));
    let file = Scratch::new(&format!("{feature}.{}", if feature == "gzip" { "gz" } else { "zst" }));
    let matrix = Tensor::<f64, Coo<2>>::zeros([1, 1]).unwrap();
    assert!(io::write_mtx(&file.0, &matrix).is_err() && !file.0.exists());
}

#[test]
fn files_are_compressed_with_gzip() {
    #[cfg(feature = "gzip")]
    compressed("gz", &[0x1f, 0x8b]);
    #[cfg(not(feature = "gzip"))]
    needs_the_feature("gzip", &[0x1f, 0x8b, 8]);
}

#[test]
fn files_are_compressed_with_zstd() {
    #[cfg(feature = "zstd")]
    compressed("zst", &[0x28, 0xb5, 0x2f, 0xfd]);
    #[cfg(not(feature = "zstd"))]
    needs_the_feature("zstd", &[0x28, 0xb5, 0x2f, 0xfd, 0]);
}

/// `csr` with a `fill`.
#[derive(Clone, Copy, Debug)]
struct Far;

impl Format for Far {
    const NAME: &'static str = "far";
    const MAP: Map =
        Map::new(&[LevelMap::dimension(0, "dense"), LevelMap::dimension(1, "compressed")]);
    type Shape = [usize; 2];
    type Levels = (level::Dense, level::Compressed);
    const FILL: Fill = Fill::Int(7);
}

#[test]
fn fills_are_not_lost() {
    let far = Tensor::<f64, Far>::from_triplets([2, 2], [([0, 1], 5.0)]).unwrap();
    let refused = Error::Fill { file: "far.mtx".to_owned(), format: "far" };
    let mut written = Vec::new();
    assert_eq!(io::write_mtx_to(&mut written, "far.mtx", &far), Err(refused.clone()));
    assert_eq!(io::write_tns_to(&mut written, "far.mtx", &far), Err(refused));
    let scratch = Scratch::new("far.mtx");
    assert!(matches!(io::write_mtx(&scratch.0, &far), Err(Error::Fill { .. })));
    assert!(matches!(io::write_tns(&scratch.0, &far), Err(Error::Fill { .. })));
    assert!(written.is_empty() && !scratch.0.exists());

    let all: Tensor<f64, Coo<2>> = far.to().unwrap();
    io::write_mtx_to(&mut written, "all.mtx", &all).unwrap();
    let again: Tensor<f64, Csr> = io::read_mtx_from(written.as_slice(), "all.mtx").unwrap();
    assert_eq!([again.get([0, 0]), again.get([0, 1])], [Some(7.0), Some(5.0)]);
}
