//! Tests of malformed files: each error gives the line and the expected content.

use std::fmt::Debug;

use super::{data, matrix, tensor};
use crate::{Coo, Csf, Csr, Dense, Error, io};

/// Checks that reading fails at `line` with a message that contains `part`.
#[track_caller]
fn check<T: Debug>(read: Result<T, Error>, line: usize, part: &str) {
    match read {
        Err(Error::Parse { file, line: at, message }) => {
            assert!(["m.mtx", "t.tns"].contains(&file.as_str()), "{file}");
            assert!(at == line && message.contains(part), "line {at}: {message}");
        }
        other => panic!("expected an error of line {line} with `{part}`, got {other:?}"),
    }
}

/// Checks the lines after a banner with these words, which is line 1.
#[track_caller]
fn check_body(words: &str, body: &str, line: usize, part: &str) {
    check(matrix(format!("%%MatrixMarket matrix {words}\n{body}")), line, part);
}

#[track_caller]
fn general(body: &str, line: usize, part: &str) {
    check_body("coordinate real general", body, line, part);
}

#[test]
fn banners() {
    check(matrix(""), 1, "expected the banner");
    check(matrix("\n%%MatrixMarket matrix coordinate real general\n"), 1, "a blank line");
    check(matrix("1 1 1\n"), 1, "found `1`");
    check(matrix(b"\xff\xfe"), 1, "not text");
    check_body("", "", 1, "expected the layout `coordinate` or `array`, found the end");
    check_body("dense real general", "", 1, "the standard's word is `array`");
    check_body("coordinate double general", "", 1, "the standard's word is `real`");
    check_body("coordinate quaternion general", "", 1, "found `quaternion`");
    check_body("coordinate real", "", 1, "expected the symmetry");
    check_body("coordinate real diagonal", "", 1, "`skew-symmetric` or `hermitian`, found");
    check_body("coordinate real general 7", "", 1, "line to end after the symmetry, found `7`");
    check_body("array pattern general", "", 1, "cannot be `pattern`");
    check_body("coordinate pattern skew-symmetric", "", 1, "a pattern has no signs");
    check_body("coordinate real hermitian", "", 1, "has the field `complex`");
    check(matrix("%%MatrixMarket vector array real general\n"), 1, "the object `matrix`");
}

#[test]
fn size_lines() {
    general("", 1, "expected the size line (rows, columns, entries), found the end");
    general("% c\n\n", 3, "found the end");
    general("1 1\n", 2, "the number of entries");
    general("1 1 1 1\n", 2, "line to end");
    general("x 1 1\n", 2, "the number of rows `x` is not an integer");
    general("1 -1 1\n", 2, "the number of columns `-1` is negative");
    general("1 1 99999999999999999999\n", 2, "is too large");
    general("1 1 1.0\n", 2, "is not an integer");
    check_body("array real general", "1 1 1\n", 2, "(rows, columns)");
    check_body("array real general", "5000000000 5000000000\n", 2, "than can be counted");
    check_body("coordinate real symmetric", "2 3 0\n", 2, "2 x 3");
    check_body("array real skew-symmetric", "2 3\n", 2, "is square");
}

#[test]
fn counts() {
    general("2 2 2\n1 1 1\n", 3, "expected 2 entries");
    general("2 2 2\n1 1 1\n% c\n\n", 5, "after 1");
    general("2 2 1\n1 1 1\n% c\n2 2 2\n", 5, "expected the end of the file after the 1");
    general("2 2 0\n1 1 1\n", 3, "expected the end of the file");
    general("9 9 1000000000000000000\n1 1 1\n", 3, "expected 1000000000000000000 entries");
    check_body("array real general", "2 2\n1\n2\n3\n", 5, "expected 4 entries");
    check_body("array real general", "1 1\n1\n2\n", 4, "expected the end");
    check_body("array real symmetric", "2 2\n1\n2\n3\n4\n", 6, "expected the end");
}

#[test]
fn indices() {
    general("2 3 1\n0 1 1\n", 3, "the row index is 0; indices count from 1");
    general("2 3 1\n1 0 1\n", 3, "the column index is 0");
    general("2 3 1\n3 1 1\n", 3, "the row index is 3, the matrix has 2 rows");
    general("2 3 1\n1 4 1\n", 3, "the column index is 4, the matrix has 3 columns");
    general("2 3 1\n-1 1 1\n", 3, "the row index `-1` is negative");
    general("2 3 1\n1 x 1\n", 3, "the column index `x` is not an integer");
    general("2 3 1\n1 1.0 1\n", 3, "`1.0` is not an integer");
    general("2 3 1\n99999999999999999999 1 1\n", 3, "is too large");
    general("0 3 1\n1 1 1\n", 3, "the matrix has 0 rows");
}

#[test]
fn values() {
    general("1 1 1\n1 1\n", 3, "expected row, column and value, found the end of the line");
    general("1 1 1\n1 1 1 1\n", 3, "line to end after row, column and value, found `1`");
    general("1 1 1\n1 1 1 % c\n", 3, "found `%`");
    general("1 1 1\n1 1 x\n", 3, "the value `x` is not a number");
    general("1 1 1\n1 1 1,5\n", 3, "the value `1,5`");
    general("1 1 1\n1 1 0x1p3\n", 3, "is not a number");
    general("1 1 1\n1 1 1e999\n", 3, "is too large for `f64`");
    check_body("coordinate pattern general", "1 1 1\n1 1 1\n", 3, "line to end");
    check_body("coordinate integer general", "1 1 1\n1 1 1.5\n", 3, "is declared `real`");
    check_body("coordinate complex general", "1 1 1\n1 1 1 1\n", 1, "`c64`");
    check_body("array real general", "1 1\n1 2\n", 3, "line to end after one value");
    let bytes = [&b"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 \xff\n"[..]].concat();
    check(matrix(bytes), 3, "not text in UTF-8");
    general(&format!("1 1 1\n1 1 {}\n", "x".repeat(99)), 3, "x…`");
    general(&format!("1 1 1\n1 1 {}\n", " ".repeat(1 << 20)), 3, "longer than");
    general(&format!("1 1 1\n{}1 1 1\n", " ".repeat(1 << 20)), 3, "longer than");
    check(matrix(format!("%%MatrixMarket {}", " ".repeat(1 << 20))), 1, "longer than");
}

#[test]
fn a_tensor_that_has_no_place_in_the_format_is_an_error_of_the_file() {
    let text = "%%MatrixMarket matrix coordinate real general\n300 2 1\n300 2 1.0\n";
    let error = io::read_mtx_from::<f64, Coo<2, u8, u8>>(text.as_bytes(), "m.mtx").unwrap_err();
    let expected = "m.mtx: format `coo`: coordinates of level 1 reach 299, which does not fit `u8`; \
                    choose `u16`";
    assert_eq!(error.to_string(), expected);
    let error = io::read_tns_from::<f64, Csf<2, u8, u8>>(&b"300 2 1.0\n"[..], "t.tns").unwrap_err();
    assert!(error.to_string().starts_with("t.tns: format `csf`: "), "{error}");
    let text = "%%MatrixMarket matrix coordinate real general\n9999999999999 9999999999999 0\n";
    let error = io::read_mtx_from::<f64, Dense<2>>(text.as_bytes(), "m.mtx").unwrap_err();
    assert!(error.to_string().starts_with("m.mtx: a tensor of shape "), "{error}");
}

#[test]
fn symmetries() {
    let skew = "coordinate real skew-symmetric";
    check_body(skew, "2 2 1\n2 2 0\n", 3, "(2, 2) lies on the diagonal");
    let symmetric = "coordinate real symmetric";
    check_body(symmetric, "2 2 2\n2 1 1\n1 2 1\n", 4, "(1, 2) lies above the diagonal");
    check_body(symmetric, "3 3 3\n1 1 1\n1 2 1\n3 2 1\n", 5, "(3, 2) lies below the diagonal");
    let text = format!("%%MatrixMarket matrix {skew}\n2 2 1\n2 1 3\n");
    let read = io::read_mtx_from::<u8, Coo<2>>(text.as_bytes(), "m.mtx");
    check(read, 3, "the negative of 3, mirrored from the entry (2, 1), does not fit `u8`");
}

#[test]
fn integers() {
    let text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2.5\n";
    let read = io::read_mtx_from::<i32, Coo<2>>(text.as_bytes(), "m.mtx");
    check(read, 3, "the value `2.5` is not an integer");
    let text = "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 300\n";
    let read = io::read_mtx_from::<u8, Coo<2>>(text.as_bytes(), "m.mtx");
    check(read, 3, "the value `300` does not fit `u8`");
}

#[cfg(feature = "complex")]
#[test]
fn complex_numbers() {
    type Read = Result<crate::Tensor<num_complex::Complex<f64>, Coo<2>>, Error>;
    let banner = "%%MatrixMarket matrix coordinate complex general\n";
    let read: Read = io::read_mtx_from(format!("{banner}1 1 1\n1 1 1\n").as_bytes(), "m.mtx");
    check(read, 3, "expected row, column, real part and imaginary part, found the end");
    let read: Read = io::read_mtx_from(format!("{banner}1 1 1\n1 1 1 i\n").as_bytes(), "m.mtx");
    check(read, 3, "the value `i` is not a number");
}

#[test]
fn tensors() {
    check(
        tensor("1 1 1\n"),
        1,
        "3 indices and a value, found 3 words: the file's tensor has order 2",
    );
    check(tensor("1 1 1 1 1\n"), 1, "has order 4, not 3");
    check(tensor("# c\n1 1 1 1\n1 1 1\n"), 3, "found 3 words unlike on the lines before");
    check(tensor("1 0 1 1\n"), 1, "the index of mode 2 is 0");
    check(tensor("1 1 -1 1\n"), 1, "the index of mode 3 `-1` is negative");
    check(tensor("1 1 1.5 1\n"), 1, "`1.5` is not an integer");
    check(tensor("99999999999999999999 1 1 1\n"), 1, "is too large");
    check(tensor("1 1 1 x\n"), 1, "the value `x` is not a number");
    check(tensor(b"1 1 1 \x80\n"), 1, "not text in UTF-8");
}

#[test]
fn shapes_of_tensors() {
    let read = io::read_tns_with_shape::<f64, Coo<4>>(data("small4.tns"), [2, 2, 3, 9]).unwrap();
    assert_eq!((read.shape(), read.stored()), ([2, 2, 3, 9], 8));
    let read = io::read_tns_with_shape::<f64, Coo<4>>(data("small4.tns"), [2, 2, 2, 9]);
    let Err(Error::Parse { line: 2, message, .. }) = read else { panic!("got {read:?}") };
    assert_eq!(message, "the index of mode 3 is 3, the given shape has 2");
}

#[test]
fn extents_beyond_memory() {
    let text = "%%MatrixMarket matrix coordinate real general\n1000000000000000000 1 1\n1 1 1\n";
    assert!(io::read_mtx_from::<f64, Csr>(text.as_bytes(), "m.mtx").is_err());
    assert!(io::read_mtx_from::<f64, Dense<2>>(text.as_bytes(), "m.mtx").is_err());
    let text = "1000000000000000000 18446744073709551615 1\n";
    assert!(io::read_tns_from::<f64, Csf<2>>(text.as_bytes(), "t.tns").is_err());
    assert!(io::read_tns_from::<f64, Dense<2>>(text.as_bytes(), "t.tns").is_err());
}

#[test]
fn files_that_are_not_there() {
    let read = io::read_mtx::<f64, Coo<2>>(data("missing.mtx"));
    let Err(error @ Error::Io { .. }) = read else { panic!("got {read:?}") };
    assert!(error.to_string().contains("missing.mtx"));
}

#[test]
fn sums_beyond_the_element_type() {
    let banner = "%%MatrixMarket matrix coordinate integer";
    let read = |body: &str| {
        let text = format!("{banner} {body}");
        io::read_mtx_from::<i8, Coo<2>>(text.as_bytes(), "m.mtx")
    };
    let part = "the 2 entries at (1, 2) add up to a value that does not fit `i8`";
    check(read("general\n1 2 3\n1 2 127\n1 1 5\n1 2 1\n"), 5, part);
    check(read("skew-symmetric\n2 2 2\n2 1 -64\n2 1 -64\n"), 4, part);
    assert_eq!(read("general\n1 2 2\n1 1 127\n1 2 127\n").unwrap().get([0, 1]), Some(127));
    let read = io::read_tns_from::<u8, Coo<1>>(&b"3 200\n3 56\n"[..], "t.tns");
    check(read, 2, "the 2 entries at (3) add up");
}
