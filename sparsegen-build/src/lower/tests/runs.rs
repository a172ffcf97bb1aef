//! Tests that run lowered functions in the interpreter and compare every array of their results.
//!
//! A case fails if a level function, an iterator, the assembly or a required pass is wrong.

use super::*;
use crate::ir::interpret::{ArrayValue, Inputs, Number, Outputs, run_within};
use crate::ir::{Assembly, Function, Place, Result as IrResult, Stmt, TensorResult};
use crate::lower::entry::known::without_records;
use crate::optimize::optimize_observed;
use crate::testing::kernel_with;

/// `1 . 2`
/// `. . 3`
const A: &str = "a2_pos 0 2 3; a2_crd 0 2 2; a_vals 1 2 3";
/// `4 5 .`
/// `. . 6`
const B: &str = "b2_pos 0 2 3; b2_crd 0 1 2; b_vals 4 5 6";
/// The rows of A with their columns in another order, and an empty second row.
const UNORDERED: &str = "a2_pos 0 3 3; a2_crd 2 0 1; a_vals 2 1 7";
/// Repeated coordinates: `1 . 2+4`, an empty row, and `3 . .`.
const REPEATED: &str = "a1_pos 0 4; a1_crd 0 0 0 2; a2_crd 0 2 2 0; a_vals 1 2 4 3";
/// 7 at 1 and 8 at 5, in a table of four: both hash to slot 1. The third slot is empty.
const HASHED: &str = "x1_crd 4294967295 1 5 4294967295; x_vals 99 7 8 99; x1_width 4";
/// The diagonals -1 (`. 5 6`), 0 (`1 2 3`) and 1 (`7 8 .`).
const DIAGONALS: &str = "a1_pos 0 3; a1_crd -1 0 1; a_vals 0 5 6 1 2 3 7 8 0";
/// `1 . 2`
/// `3 4 .`
/// `. . 5`
const SQUARE: &str = "a2_pos 0 2 4 5; a2_crd 0 2 0 1 2; a_vals 1 2 3 4 5";
/// `4 5 6`
/// `. . 7`
const FULL_ROW: &str = "a2_pos 0 3 4; a2_crd 0 1 2 2; a_vals 4 5 6 7";
/// `. 2`, an empty row, and `4 .`: the first row of A times this matrix computes columns in reverse
/// order.
const FACTOR: &str = "b2_pos 0 1 1 2; b2_crd 1 0; b_vals 2 4";
/// `1 2`, an empty row, and `3 4`.
const OVERLAPPING: &str = "b2_pos 0 2 2 4; b2_crd 0 1 0 1; b_vals 1 2 3 4";
/// A short and a long vector, with the common coordinates 3 and 17.
const LONG: &str = "x1_pos 0 3; x1_crd 3 11 17; x_vals 1 2 4; \
                    z1_pos 0 12; z1_crd 0 1 2 3 4 5 6 7 9 10 17 19; z_vals 1 1 1 5 1 1 1 1 1 1 10 1";
const X: &str = "x_vals 1 10 100";

/// Tensors of statements with repeated coordinates.
const REPEATED_DCSR: &str =
    "C='dcsr', A='(i, j) -> (i : compressed(nonunique), j : singleton(nonunique))'";
const REPEATED_DENSE: &str =
    "y='dense', A='(i, j) -> (i : compressed(nonunique), j : singleton(nonunique))', x='dense'";
const REPEATED_SQUARE: &str =
    "y='dense', A='(i, j) -> (i : compressed(nonunique), j : singleton(nonunique))'";
const REPEATED_SUM: &str =
    "C='csr', A='(i, j) -> (i : compressed(nonunique), j : singleton(nonunique))', B='csr'";

/// A statement, its tensors, its further keys, its operands and extents, and the arrays of its result.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str], &'static str);

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Unions, intersections and complements, with the remaining entries of one operand.
    ("C[i,j] = A[i,j] + B[i,j]", "C='csr', A='csr', B='csr'", "", &[A, B, "i 2; j 3"],
     "c2_crd 0 1 2 2; c2_pos 0 3 4; c_vals 5 5 2 9"),
    ("C[i,j] = A[i,j] * B[i,j]", "C='csr', A='csr', B='csr'", "", &[A, B, "i 2; j 3"],
     "c2_crd 0 2; c2_pos 0 1 2; c_vals 4 18"),
    ("C[i,j] = A[i,j] * absent(B[i,j])", "C='csr', A='csr', B='csr'", "", &[A, B, "i 2; j 3"],
     "c2_crd 2; c2_pos 0 1 1; c_vals 2"),
    ("C[i,j] = A[i,j] + B[i,j]", "C='dense', A='csr', B='csr'", "", &[A, B, "i 2; j 3; c_vals 9 9 9 9 9 9"],
     "c_vals 5 5 2 0 0 9"),
    ("C[i,j] = A[i,j] + 1", "C='csr', A='csr'", "", &[A, "i 2; j 3"],
     "c2_crd 0 1 2 0 1 2; c2_pos 0 3 6; c_vals 2 1 3 1 1 4"),
    ("t = A[i,j] * B[i,j]", "A='csr', B='csr'", "", &[A, B, "i 2; j 3"], "22"),
    ("C[i,j] = A[i,j] + B[i,j]", "C='dcsr', A='dcsr', B='csr'", "",
     &["a1_pos 0 1; a1_crd 1; a2_pos 0 1; a2_crd 0; a_vals 7", "b2_pos 0 0 0 1; b2_crd 2; b_vals 5", "i 3; j 3"],
     "c1_crd 1 2; c1_pos 0 2; c2_crd 0 2; c2_pos 0 1 2; c_vals 7 5"),
    // Skipped rows at the beginning, in the middle and at the end.
    ("C[i,j] = A[i,j]", "C='csr', A='dcsr'", "",
     &["a1_pos 0 2; a1_crd 1 3; a2_pos 0 2 3; a2_crd 0 2 1; a_vals 1 2 3", "i 6; j 3"],
     "c2_crd 0 2 1; c2_pos 0 0 2 2 3 3 3; c_vals 1 2 3"),
    // Duplicates are added first.
    ("C[i,j] = A[i,j]", REPEATED_DCSR, "", &[REPEATED, "i 3; j 3"],
     "c1_crd 0 2; c1_pos 0 2; c2_crd 0 2 0; c2_pos 0 2 3; c_vals 1 6 3"),
    ("y[i] = A[i,j] * x[j]", REPEATED_DENSE, "", &[REPEATED, X, "i 3; j 3; y_vals 9 9 9"], "y_vals 601 0 3"),
    ("y[i] = sum[j](A[i,j] * A[i,j])", REPEATED_SQUARE, "", &[REPEATED, "i 3; j 3; y_vals 9 9 9"], "y_vals 37 0 9"),
    ("C[i,j] = A[i,j] + B[i,j]", REPEATED_SUM, "",
     &[REPEATED, "b2_pos 0 1 2 2; b2_crd 1 1; b_vals 10 20", "i 3; j 3"],
     "c2_crd 0 1 2 1 0; c2_pos 0 3 4 5; c_vals 1 10 6 20 3"),
    // Unordered entries are sorted if order matters.
    ("C[i,j] = A[i,j]", "C='csr', A='loose'", "", &[UNORDERED, "i 2; j 3"],
     "c2_crd 0 1 2; c2_pos 0 3 3; c_vals 1 7 2"),
    ("C[i,j] = A[i,j] + B[i,j]", "C='csr', A='loose', B='csr'", "", &[UNORDERED, B, "i 2; j 3"],
     "c2_crd 0 1 2 2; c2_pos 0 3 4; c_vals 5 12 2 6"),
    // A hash table: found at once, after another, after wrapping, and not found; and iterated.
    ("t = z[i] * x[i]", "z='sparse_vector', x='hash_vector'", "",
     &[HASHED, "z1_pos 0 4; z1_crd 1 3 5 9; z_vals 2 3 4 5", "i 10"], "46"),
    ("t = z[i] * x[i]", "z='sparse_vector', x='hash_vector'", "",
     &["x1_crd 7 4294967295 4294967295 3; x_vals 9 99 99 6; x1_width 4", "z1_pos 0 3; z1_crd 2 3 7; z_vals 1 2 3", "i 8"],
     "39"),
    ("t = d[i] * x[i]", "d='dense', x='hash_vector'", "", &[HASHED, "d_vals 0 1 2 3 4 5", "i 6"], "47"),
    ("y[i] = A[i,j] * x[j]", "y='dense', A='hash_rows', x='dense'", "",
     &["a2_crd 2 4294967295 4294967295 1; a_vals 5 99 99 6; a2_width 2", X, "i 2; j 3; y_vals 9 9"], "y_vals 500 60"),
    // Results that are accumulated are initialized.
    ("y[j] = A[i,j] * x[i]", "y='dense', A='csr', x='dense'", "", &[A, "x_vals 1 10", "i 2; j 3; y_vals 9 9 9"],
     "y_vals 1 0 32"),
    ("y[i] = A[i,j] * x[j]", "y='dense', A='csr', x='dense'", "", &[A, X, "i 2; j 3; y_vals 9 9"], "y_vals 201 300"),
    ("y[i] += A[i,j] * x[j]", "y='dense', A='csr', x='dense'", "", &[A, X, "i 2; j 3; y_vals 1 2"], "y_vals 202 302"),
    // Workspaces: harvested in order, and empty for the next row.
    ("C[i,j] = A[i,k] * B[k,j]", "C='csr', A='csr', B='csr'", "", &[A, FACTOR, "i 2; j 2; k 3"],
     "c2_crd 0 1 0; c2_pos 0 2 3; c_vals 8 2 12"),
    ("C[i,j] = A[i,k] * B[k,j]", "C='dense', A='csr', B='csr'", "schedule = ['precompute(A[i,k] * B[k,j], j, w)']",
     &[A, FACTOR, "i 2; j 2; k 3; c_vals 9 9 9 9"], "c_vals 8 2 12 0"),
    ("C[i,j] = A[i,j] * B[i,j]", "C='csr', A='csr', B='csr'", "schedule = ['precompute(A[i,j], j, w)']", &[A, B, "i 2; j 3"],
     "c2_crd 0 2; c2_pos 0 1 2; c_vals 4 18"),
    ("C[i,j] = A[i,k] * B[k,j]", "C='csr', A='csr', B='csr'", "", &[A, OVERLAPPING, "i 2; j 2; k 3"],
     "c2_crd 0 1 0 1; c2_pos 0 2 4; c_vals 7 10 9 12"),
    ("C[i,j] = A[i,k] * B[k,j]", "C='dense', A='csr', B='csr'", "schedule = ['precompute(A[i,k] * B[k,j], j, w)']",
     &[A, OVERLAPPING, "i 2; j 2; k 3; c_vals 9 9 9 9"], "c_vals 7 10 9 12"),
    ("C[i,j] = A[i,k] * B[k,j]", "C='csr', A='csr', B='csr'", "semiring = 'min_plus'", &[A, OVERLAPPING, "i 2; j 2; k 3"],
     "c2_crd 0 1 0 1; c2_pos 0 2 4; c_vals 2 3 6 7"),
    // Diagonals end at either dimension.
    ("y[i] = A[i,j] * x[j]", "y='dense', A='dia', x='dense'", "", &[DIAGONALS, X, "i 3; j 3; y_vals 9 9 9"],
     "y_vals 71 825 360"),
    ("y[i] = A[i,j] * x[j]", "y='dense', A='dia', x='dense'", "",
     &["a1_pos 0 3; a1_crd -1 0 1; a_vals 99 5 6 1 2 99 7 99 99", "x_vals 1 10", "i 3; j 2; y_vals 9 9 9"],
     "y_vals 71 25 60"),
    ("y[i] = A[i,j] * x[j]", "y='dense', A='(i, j) -> (j - i : compressed, j : range, i : offset)', x='dense'", "",
     &["a1_pos 0 2; a1_crd -1 1; a_vals 5 6 99 99 7 8", X, "i 3; j 3; y_vals 9 9 9"], "y_vals 70 805 60"),
    // All other levels.
    ("C[i,j] = A[i,j]", "C='coo', A='csr'", "", &[A, "i 2; j 3"],
     "c1_crd 0 0 1; c1_pos 0 3; c2_crd 0 2 2; c_vals 1 2 3"),
    ("y[i] = A[i,j] * x[j]", "y='dense', A='ell', x='dense'", "",
     &["a3_crd 0 2 2 0; a_vals 1 3 2 0; a_slots 2", X, "i 2; j 3; y_vals 9 9"], "y_vals 201 300"),
    ("y[i] = A[i,j] * x[j]", "y='dense', A='blocks', x='dense'", "",
     &["a2_pos 0 1; a2_crd 1; a_vals 1 2 3 4", "x_vals 1 10 100 1000", "i 2; j 4; y_vals 9 9"], "y_vals 2100 4300"),
    ("y[i] = A[i,j] * x[j]", "y='dense', A='(i, j) -> (i : dense, j / 4 : dense, j % 4 : structured(2, 4))', x='dense'",
     "", &["a3_crd 1 3 0 2; a_vals 1 2 3 4", "x_vals 1 10 100 1000", "i 2; j 4; y_vals 9 9"], "y_vals 2010 403"),
    ("y[i] = A[i,j] * x[j]", "y='dense', A='(i, j) -> (i : dense, j : loose_compressed)', x='dense'", "",
     &["a2_lo 3 0; a2_hi 5 1; a2_crd 2 9 9 0 2; a_vals 3 9 9 1 2", X, "i 2; j 3; y_vals 9 9"], "y_vals 201 300"),
    ("y[i] = A[i,j] * x[j]", "y='dense', A='dense', x='dense'", "",
     &["a_vals 1 2 3 4 5 6", X, "i 2; j 3; y_vals 9 9"], "y_vals 321 654"),
    ("y[i] = A[i,j] * x[j]", "y='dense', A='dense_col', x='dense'", "",
     &["a_vals 1 4 2 5 3 6", X, "i 2; j 3; y_vals 9 9"], "y_vals 321 654"),
    ("t = A[i,j] * B[i,j]", "A='(i, j) -> (i : dense, j : bitmap)', B='csr'", "",
     &["a2_bits 37; a_vals 1 9 2 9 9 3", B, "i 2; j 3"], "22"),
    // More than two operands, and a diagonal among them.
    ("C[i,j] = A[i,j] + B[i,j] + D[i,j]", "C='csr', A='csr', B='csr', D='csr'", "",
     &[A, B, "d2_pos 0 0 2; d2_crd 1 2; d_vals 7 8", "i 2; j 3"],
     "c2_crd 0 1 2 1 2; c2_pos 0 3 5; c_vals 5 5 2 7 17"),
    ("C[i,j] = A[i,j] + d[i] * (j == i + 1)", "C='csr', A='csr', d='dense'", "",
     &[A, "d_vals 10 20", "i 2; j 3"], "c2_crd 0 1 2 2; c2_pos 0 3 4; c_vals 1 10 2 23"),
    ("C[i,j] = A[i,j] - d[i] * (i == j)", "C='csr', A='csr', d='dense'", "",
     &["a2_pos 0 1 1 2; a2_crd 1 0; a_vals 1 2; d_vals 10 20 30", "i 3; j 2"],
     "c2_crd 0 1 1 0; c2_pos 0 2 3 4; c_vals -10 1 -20 2"),
    ("C[i,j] = A[i,j] - d[i] * (i == j)", "C='dense', A='dense', d='dense'", "",
     &["a_vals 1 2 3 4 5 6; d_vals 10 20; c_vals 9 9 9 9 9 9", "i 2; j 3"], "c_vals -9 2 3 4 -15 6"),
    // Slices and other subranges.
    ("y[i] = x[i in 1..6 step 2]", "y='dense', x='dense'", "", &["x_vals 0 1 4 9 16 25", "i 3; i_of_x 6; y_vals 9 9 9"],
     "y_vals 1 9 25"),
    ("y[i] = x[i in 1..6 step 2]", "y='sparse_vector', x='sparse_vector'", "",
     &["x1_pos 0 5; x1_crd 0 1 2 5 7; x_vals 5 6 7 8 9", "i 3; i_of_x 8"], "y1_crd 0 2; y1_pos 0 2; y_vals 6 8"),
    ("y[i] = x[i in 0..3 shift 1]", "y='sparse_vector', x='sparse_vector'", "",
     &["x1_pos 0 4; x1_crd 0 1 2 3; x_vals 5 6 7 8", "i 4; i_of_x 4"], "y1_crd 1 2 3; y1_pos 0 3; y_vals 5 6 7"),
    ("y[i] = A[i,2]", "y='dense', A='csr'", "", &[A, "i 2; at_2_of_a 3; y_vals 9 9"], "y_vals 2 3"),
    ("d[i] = A[i,i]", "d='dense', A='csr'", "", &[SQUARE, "i 3; d_vals 9 9 9"], "d_vals 1 4 5"),
    ("y[i] = x[i in {2, 0}]", "y='dense', x='dense'", "", &[X, "i 2; at_i_of_x 3; y_vals 9 9"], "y_vals 100 1"),
    ("y[i in 1..3] = x[i]", "y='dense', x='dense'", "", &["x_vals 5 6", "i 2; i_of_y 4; y_vals 1 2 3 4"], "y_vals 1 5 6 4"),
    ("y[i] = w[k] * x[i + k - 1]", "y='dense', w='dense', x='dense'", "",
     &["w_vals 1 10 100; x_vals 1 2 3", "i 3; k 3; k_of_x 3; y_vals 9 9 9"], "y_vals 210 321 32"),
    ("y[i] = w[k] * x[i + k - 1]", "y='dense', w='dense', x='sparse_vector'", "",
     &["w_vals 1 10 100; x1_pos 0 2; x1_crd 0 2; x_vals 1 3", "i 3; k 3; k_of_x 3; y_vals 9 9 9"], "y_vals 10 301 30"),
    ("y[i] = x[i in 0..4 shift -1]", "y='sparse_vector', x='sparse_vector'", "",
     &["x1_pos 0 4; x1_crd 0 1 2 3; x_vals 5 6 7 8", "i 4; i_of_x 4"], "y1_crd 0 1 2; y1_pos 0 3; y_vals 6 7 8"),
    ("y[i] = x[i in 0..4 shift 1]", "y='dense', x='dense'", "",
     &["x_vals 5 6 7 8", "i 4; i_of_x 4; y_vals 9 9 9 9"], "y_vals 0 5 6 7"),
    ("y[i] = x[2 * i + 1] * z[i]", "y='dense', x='dense', z='dense'", "",
     &["x_vals 5 6 7 8; z_vals 1 1 1", "i 3; at_i_of_x 4; i_of_x 4; y_vals 9 9 9"], "y_vals 6 8 0"),
    ("y[i] = x[i + 1] * z[i]", "y='dense', x='dense', z='sparse_vector'", "",
     &["x_vals 5 6 7; z1_pos 0 2; z1_crd 0 2; z_vals 10 10", "i 3; at_i_of_x 3; i_of_x 3; y_vals 9 9 9"], "y_vals 60 0 0"),
    // Masks.
    ("C[i,j] = A[i,j] * (i >= j)", "C='csr', A='csr'", "", &[SQUARE, "i 3; j 3"],
     "c2_crd 0 0 1 2; c2_pos 0 1 3 4; c_vals 1 3 4 5"),
    ("C[i,j] = A[i,j] * (i < j)", "C='csr', A='csr'", "", &[SQUARE, "i 3; j 3"],
     "c2_crd 2; c2_pos 0 1 1 1; c_vals 2"),
    ("C[i,j] = A[i,j] * (i == j)", "C='csr', A='csr'", "", &[SQUARE, "i 3; j 3"],
     "c2_crd 0 1 2; c2_pos 0 1 2 3; c_vals 1 4 5"),
    // Computed zeros are stored, unless a level is `unpadded`.
    ("c[i] = b[i]", "c='nonzeros', b='dense'", "", &["b_vals 0 2 0 3", "i 4"], "c1_crd 1 3; c1_pos 0 2; c_vals 2 3"),
    ("c[i] = b[i]", "c='sparse_vector', b='dense'", "", &["b_vals 0 2", "i 2"], "c1_crd 0 1; c1_pos 0 2; c_vals 0 2"),
    ("C[i,j] = A[i,j] - B[i,j]", "C='nonzero_dcsr', A='csr', B='csr'", "",
     &[A, "b2_pos 0 1 2; b2_crd 0 2; b_vals 1 3", "i 2; j 3"],
     "c1_crd 0; c1_pos 0 1; c2_crd 2; c2_pos 0 1; c_vals 2"),
    // Reductions include unstored entries.
    ("y[i] = min[j](A[i,j])", "y='dense', A='csr'", "", &[FULL_ROW, "i 2; j 3; y_vals 9 9"], "y_vals 4 0"),
    ("y[i] = max[j](-A[i,j])", "y='dense', A='csr'", "", &[FULL_ROW, "i 2; j 3; y_vals 9 9"], "y_vals -4 0"),
    ("y[i] = prod[j](A[i,j])", "y='dense', A='csr'", "", &[FULL_ROW, "i 2; j 3; y_vals 9 9"], "y_vals 120 0"),
    ("k[i] = argmax[j](A[i,j])", "k={ format='dense', dtype='usize' }, A='csr'", "",
     &[FULL_ROW, "i 2; j 3; k_vals 9 9"], "k_vals 2 2"),
    ("k[i] = argmax[j](A[i,j])", "k={ format='dense', dtype='usize' }, A='hash_rows'", "",
     &["a2_crd 4294967295 1 2; a_vals 99 5 5; a2_width 3", "i 1; j 3; k_vals 9"], "k_vals 1"),
    ("k = argmax[i](select(present(x[i]), x[i], -inf))", "k={ format='scalar', dtype='usize' }, x='hash_vector'", "",
     &["x1_crd 4 1 4294967295 4294967295; x_vals 5 5 99 99; x1_width 4", "i 5"], "1"),
    ("m[i] = min[j](A[i,j])", "m='sparse_vector', A='dcsr'", "",
     &["a1_pos 0 1; a1_crd 1; a2_pos 0 3; a2_crd 0 1 2; a_vals 6 4 5", "i 3; j 3"], "m1_crd 1; m1_pos 0 1; m_vals 4"),
    // Schedules change only the loops.
    ("t = x[i] * z[i]", "x='sparse_vector', z='sparse_vector'", "schedule = ['merge(i, gallop)']", &[LONG, "i 20"], "45"),
    ("y[i] = A[i,j] * x[j]", "y='dense', A='csr', x='dense'", "schedule = ['pos(j, jp, A)', 'split(jp, jo, ji, 2)', 'unroll(ji, 2)']",
     &[FULL_ROW, X, "i 2; j 3; y_vals 9 9"], "y_vals 654 700"),
    ("y[i] = A[i,j] * x[j]", "y='dense', A='csr', x='dense'", "schedule = ['unroll(j, 2)']",
     &[FULL_ROW, X, "i 2; j 3; y_vals 9 9"], "y_vals 654 700"),
    ("y[i] = A[i,j] * x[j]", "y='dense', A='csr', x='dense'", "schedule = ['split(i, io, ii, 2)']",
     &[SQUARE, X, "i 3; j 3; y_vals 9 9 9"], "y_vals 201 43 500"),
    ("C[i,j] = A[i,j] * B[i,j]", "C='dense', A='dense', B='dense'", "schedule = ['fuse(i, j, f)']",
     &["a_vals 1 2 3 4 5 6; b_vals 6 5 4 3 2 1; c_vals 9 9 9 9 9 9", "i 2; j 3"], "c_vals 6 10 12 12 10 6"),
    ("t = x[i] * y[i]", "x='sparse_vector', y='dense'", "schedule = ['locate(i, y)']",
     &["x1_pos 0 2; x1_crd 0 2; x_vals 5 6; y_vals 1 10 100", "i 3"], "605"),
];

/// Parses the arrays and extents of a case, by their names in the function. The suffix `_size` may
/// be omitted.
fn inputs(texts: &[&str]) -> Inputs {
    let mut inputs = Inputs::default();
    for entry in texts.iter().flat_map(|text| text.split("; ")) {
        let (name, numbers) = entry.split_once(' ').unwrap_or((entry, ""));
        let numbers: Vec<&str> = numbers.split_whitespace().collect();
        let index = || numbers.iter().map(|n| n.parse::<i64>().expect(entry) as usize).collect();
        if name.ends_with("_vals") {
            let numbers = numbers.iter().map(|n| Number::Float(n.parse().expect(entry))).collect();
            inputs.arrays.insert(name.into(), ArrayValue::Values(numbers));
        } else if ["_pos", "_crd", "_bits", "_lo", "_hi"].iter().any(|end| name.ends_with(end)) {
            inputs.arrays.insert(name.into(), ArrayValue::Index(index()));
        } else {
            inputs.sizes.insert(name.into(), index()[0]);
            inputs.sizes.insert(format!("{name}_size"), index()[0]);
        }
    }
    inputs
}

/// Prints a number, without a fraction that is zero.
fn number(number: &Number) -> String {
    number.to_string().trim_end_matches(".0").to_owned()
}

fn shown(outputs: &Outputs) -> String {
    let of = |(name, array): (&String, &ArrayValue)| {
        let numbers: Vec<String> = match array {
            ArrayValue::Index(index) => index.iter().map(|n| (*n as i64).to_string()).collect(),
            ArrayValue::Values(values) => values.iter().map(number).collect(),
        };
        format!("{name} {}", numbers.join(" "))
    };
    match outputs {
        Outputs::Arrays(arrays) => arrays.iter().map(of).collect::<Vec<_>>().join("; "),
        Outputs::Scalar(scalar) => number(scalar),
    }
}

/// Fills assembled arrays with arbitrary previous contents.
fn with_garbage(function: &Function, mut inputs: Inputs) -> Inputs {
    let IrResult::Tensor(TensorResult { assembly: Assembly::Assembled { arrays, .. }, .. }) =
        &function.result
    else {
        return inputs;
    };
    for array in arrays {
        let garbage = match array.place {
            Place::Values => ArrayValue::Values(vec![Number::Float(7.0); 3]),
            Place::Level { .. } => ArrayValue::Index(vec![7; 3]),
        };
        inputs.arrays.insert(array.name.clone(), garbage);
    }
    inputs
}

/// Runs a function, and checks that computing the values into its own structure gives the same
/// values.
fn run(function: &Function, inputs: &Inputs) -> String {
    let outputs = match run_within(function, inputs, 10_000) {
        Ok(outputs) => outputs,
        Err(fault) => return format!("{fault}\n{function}"),
    };
    if let (Some(compute), Outputs::Arrays(arrays)) = (&function.compute, &outputs) {
        let mut inputs = inputs.clone();
        inputs.arrays.extend(arrays.clone());
        let computed = match run_within(compute, &inputs, 10_000) {
            Ok(Outputs::Arrays(computed)) => computed,
            other => return format!("{other:?}\n{compute}"),
        };
        for (name, values) in &computed {
            assert_eq!(values, &arrays[name], "{compute}");
        }
        if let Some(body) = without_records(&compute.body) {
            let known = Function { body, ..(**compute).clone() };
            let unrecorded = run_within(&known, &inputs, 10_000).expect("the structure is right");
            assert_eq!(unrecorded, Outputs::Arrays(computed), "{known}");
        }
    }
    shown(&outputs)
}

#[test]
fn a_known_structure_is_not_compared() {
    let loops = |expr, tensors| {
        let kernel = kernel_with(expr, tensors, "");
        let (program, plan) = schedule(&kernel, &Levels::default()).expect(expr);
        let lowered = lower(&program, &plan, &mut Identifiers::default());
        let optimized = optimize_observed(lowered, None, &mut |_, _| {});
        optimized.compute.expect("there is a structure")
    };
    let product = loops("C[i,j] = A[i,k] * B[k,j]", "C='csr', A='csr', B='csr'");
    let known = without_records(&product.body).expect("its workspace is compared");
    let shown: String = known.iter().map(Stmt::to_string).collect();
    assert!(shown.contains("Accumulator") && shown.contains("w[j] = 0"), "{shown}");
    assert!(!shown.contains("return false"), "{shown}");
    // Without a workspace there is nothing to leave out.
    let sum = loops("C[i,j] = A[i,j] + B[i,j]", "C='csr', A='csr', B='csr'");
    assert_eq!(without_records(&sum.body), None);
}

#[test]
fn functions_compute_what_their_statements_say() {
    let mut failures = Vec::new();
    for (expr, tensors, keys, given, expected) in CASES {
        let kernel = kernel_with(expr, tensors, keys);
        let (program, plan) = schedule(&kernel, &Levels::default()).expect(expr);
        let function = lower(&program, &plan, &mut Identifiers::default());
        let inputs = with_garbage(&function, inputs(given));
        let case = format!("{expr} with {tensors}, {keys}");
        let found = run(&function, &inputs);
        if found != *expected {
            failures.push(format!("{case} gives {found}, not {expected}:\n{function}"));
            continue;
        }
        let found = run(&optimize_observed(function, None, &mut |_, _| {}), &inputs);
        if found != *expected {
            failures.push(format!("{case}, optimized, gives {found}, not {expected}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
