//! Tests of unusual files that are valid.

use super::{matrix, sorted, tensor};
use crate::{Coo, Csc, Csf, Csr, Dcsr, Dense, DenseCol, Scalar, Tensor, io};

const GENERAL: &str = "%%MatrixMarket matrix coordinate real general\n";

/// Checks the entries of a file whose text follows a banner.
#[track_caller]
fn check(text: &str, expected: &[([usize; 2], f64)]) {
    assert_eq!(sorted(&matrix(text).unwrap()), expected, "{text}");
}

#[test]
fn case_of_the_banner() {
    check("%%matrixmarket MATRIX Coordinate REAL General\n1 1 1\n1 1 2\n", &[([0, 0], 2.0)]);
    check("\u{feff}%%MatrixMarket matrix coordinate real general\n1 1 0", &[]);
}

#[test]
fn comments_and_blank_lines_anywhere() {
    let body = "% a\n\n  % b\n2 2 2\n%c\n \t \n1 1 1\n\n% d\n2 2 2\n\n%e\n\n";
    check(&format!("{GENERAL}{body}"), &[([0, 0], 1.0), ([1, 1], 2.0)]);
    let latin = [GENERAL.as_bytes(), b"% M\xfcller\n1 1 0\n% \xff"].concat();
    assert_eq!(matrix(latin).unwrap().stored(), 0);
}

#[test]
fn comments_and_blank_lines_of_any_length() {
    for length in [(1 << 20) - 2, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20] {
        let (word, blank) = ("x".repeat(length), " ".repeat(length));
        let body = format!("%{word}\n{blank}\n1 1 1\n{blank}%{word}\n1 1 2\n%{word}\n{blank}");
        check(&format!("{GENERAL}{body}"), &[([0, 0], 2.0)]);
        let text = format!("#{word}\n1 1 1 2.0\n{blank}\n# {word}");
        assert_eq!(tensor(text).unwrap().vals(), [2.0]);
    }
    // Lines inside long comments are counted.
    let text = format!("{GENERAL}%{}\n1 1 1\n1 1 x\n", "%".repeat(3 << 20));
    let error = matrix(text).unwrap_err().to_string();
    assert!(error.starts_with("m.mtx:4: "), "{error}");
}

#[test]
fn line_ends_and_white_space() {
    let body = "2 2 2\r\n  1\t1   1  \r\n2 2 2";
    check(&format!("{GENERAL}{body}"), &[([0, 0], 1.0), ([1, 1], 2.0)]);
    check(&GENERAL.replace('\n', "\r\n1 1 0\r\n"), &[]);
}

#[test]
fn notations_of_numbers() {
    let body = "1 4 4\n1 1 -.5\n1 2 +2.\n1 3 1.5D+02\n1 +4 Inf\n";
    let expected = [([0, 0], -0.5), ([0, 1], 2.0), ([0, 2], 150.0), ([0, 3], f64::INFINITY)];
    check(&format!("{GENERAL}{body}"), &expected);
    let nan = matrix(format!("{GENERAL}1 1 1\n1 1 NaN\n")).unwrap();
    assert!(nan.get([0, 0]).is_some_and(f64::is_nan));
}

#[test]
fn fields_of_coordinates() {
    check("%%MatrixMarket matrix coordinate pattern general\n2 3 1\n2 3\n", &[([1, 2], 1.0)]);
    check("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 -7\n", &[([0, 0], -7.0)]);
}

#[test]
fn duplicates_and_explicit_zeros() {
    let body = "2 2 4\n1 1 1\n2 2 0\n1 1 2\n1 2 -0.0\n";
    check(&format!("{GENERAL}{body}"), &[([0, 0], 3.0), ([0, 1], 0.0), ([1, 1], 0.0)]);
    let body = "2 2 2\n2 1 1\n2 1 4\n";
    let text = format!("{}{body}", GENERAL.replace("general", "symmetric"));
    check(&text, &[([0, 1], 5.0), ([1, 0], 5.0)]);
}

#[test]
fn either_triangle_of_a_symmetry() {
    let body = "3 3 3\n1 1 1\n1 2 2\n2 3 3\n";
    let expected = [([0, 0], 1.0), ([0, 1], 2.0), ([1, 0], 2.0), ([1, 2], 3.0), ([2, 1], 3.0)];
    check(&format!("{}{body}", GENERAL.replace("general", "symmetric")), &expected);
    let text = format!("{}2 2 1\n1 2 5\n", GENERAL.replace("general", "skew-symmetric"));
    check(&text, &[([0, 1], 5.0), ([1, 0], -5.0)]);
}

#[test]
fn arrays_go_by_columns() {
    let text = "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n";
    let expected = [1.0, 3.0, 5.0, 2.0, 4.0, 6.0];
    let read = matrix(text).unwrap();
    assert!(sorted(&read).iter().map(|&(_, value)| value).eq(expected));
    check("%%MatrixMarket matrix array real general\n0 3\n", &[]);
    check("%%MatrixMarket matrix array real skew-symmetric\n0 0\n", &[]);
    check("%%MatrixMarket matrix array real skew-symmetric\n1 1\n", &[]);
}

#[test]
fn arrays_of_triangles() {
    let text = "%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n";
    let read = matrix(text).unwrap();
    let values = [1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 3.0, 5.0, 6.0];
    assert!(sorted(&read).iter().map(|&(_, value)| value).eq(values));
    let text = "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n";
    let expected = [
        ([0, 1], -1.0),
        ([0, 2], -2.0),
        ([1, 0], 1.0),
        ([1, 2], -3.0),
        ([2, 0], 2.0),
        ([2, 1], 3.0),
    ];
    check(text, &expected);
}

#[cfg(feature = "complex")]
#[test]
fn complex_numbers() {
    use num_complex::Complex;
    let text = "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n";
    let read: Tensor<Complex<f64>, Coo<2>> = io::read_mtx_from(text.as_bytes(), "m.mtx").unwrap();
    assert_eq!(read.get([1, 0]), Some(Complex::new(2.0, 3.0)));
    assert_eq!(read.get([0, 1]), Some(Complex::new(2.0, -3.0)));
    let text = "%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 1d0 -2\n";
    let read: Tensor<Complex<f64>, Coo<2>> = io::read_mtx_from(text.as_bytes(), "m.mtx").unwrap();
    assert_eq!(read.get([0, 1]), Some(Complex::new(-1.0, 2.0)));
    let text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5\n";
    let read: Tensor<Complex<f32>, Coo<2>> = io::read_mtx_from(text.as_bytes(), "m.mtx").unwrap();
    assert_eq!(read.get([0, 0]), Some(Complex::new(5.0, 0.0)));
}

#[test]
fn integers_of_real_files() {
    let text = format!("{GENERAL}1 2 2\n1 1 9007199254740993.0\n1 2 -1.5e3\n");
    let read: Tensor<i64, Coo<2>> = io::read_mtx_from(text.as_bytes(), "m.mtx").unwrap();
    assert_eq!(sorted(&read), [([0, 0], 9_007_199_254_740_993), ([0, 1], -1500)]);
}

#[test]
fn tensors() {
    let text = "# c\n\n1 1 2 1.5\r\n  # M\n2 1 1\t2D0\n1 1 2 1\n\n";
    let read = tensor(text).unwrap();
    assert_eq!(read.shape(), [2, 1, 2]);
    assert_eq!(sorted(&read), [([0, 0, 1], 2.5), ([1, 0, 0], 2.0)]);
    assert_eq!(tensor("").unwrap().shape(), [0, 0, 0]);
    let vector: Tensor<u8, Coo<1>> = io::read_tns_from(&b"3 7.0\n"[..], "v.tns").unwrap();
    assert_eq!((vector.shape(), vector.get([2])), ([3], Some(7)));
}

#[test]
fn every_format_can_be_asked_for() {
    let text = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 3\n2 2 4\n";
    macro_rules! read {
        ($($format:ty)*) => {$(
            let read: Tensor<f64, $format> = io::read_mtx_from(text.as_bytes(), "m.mtx").unwrap();
            let values = [[0, 0], [0, 1], [1, 0], [1, 1]].map(|at| read.get(at));
            assert_eq!(values, [0.0, 3.0, 3.0, 4.0].map(Some), "{}", stringify!($format));
        )*};
    }
    read!(Coo<2> Csr Csc Dcsr Csf<2> Dense<2> DenseCol<2> Csr<u8, u64>);
    let scalar: Tensor<f64, Scalar> = io::read_tns_from(&b"1.5\n2\n"[..], "s.tns").unwrap();
    assert_eq!(scalar.get([]), Some(3.5));
}

#[test]
fn progress_is_reported() {
    let mut text = format!("{GENERAL}1 1 70000\n");
    text.push_str(&"1 1 1\n".repeat(70000));
    let mut reports = Vec::new();
    let reader = io::Reader::new().progress(|done, promised| reports.push((done, promised)));
    let read: Tensor<f64, Coo<2>> = reader.read_mtx_from(text.as_bytes(), "m.mtx").unwrap();
    assert_eq!(read.get([0, 0]), Some(70000.0));
    assert_eq!(reports, [(65536, Some(70000)), (70000, Some(70000))]);
    let mut reports = Vec::new();
    let reader = io::Reader::new().progress(|done, promised| reports.push((done, promised)));
    let _: Tensor<f64, Coo<3>> = reader.read_tns_from(&b"1 1 1 1\n"[..], "t.tns").unwrap();
    assert_eq!(reports, [(1, None)]);
}
