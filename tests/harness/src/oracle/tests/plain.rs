//! Tests of operators and sums.

use super::{all, entries, of};

#[test]
fn products_intersect_and_sums_unite() {
    of("C[i,j] = A[i,j] * B[i,j]").is(&[(&[0, 1], 15.0)]);
    of("C[i,j] = A[i,j] - B[i,j]").is(&[
        (&[0, 0], 2.0),
        (&[0, 1], -2.0),
        (&[1, 0], -7.0),
        (&[2, 2], 0.0),
    ]);
    of("C[i,j] = A[i,j] - A[i,j]").is(&[(&[0, 0], 0.0), (&[0, 1], 0.0), (&[2, 2], 0.0)]);
    of("C[i,j] = c * B[i,j]").is(&[(&[0, 1], 20.0), (&[1, 0], 28.0)]);
}

#[test]
fn an_unstored_zero_annihilates_whatever_it_meets() {
    of("y[i] = A[i,j] * x[j]").is(&[(&[0], f64::INFINITY), (&[2], f64::NAN)]);
    of("y[i] = B[i,j] * x[j]").is(&[(&[0], 5.0), (&[1], f64::INFINITY)]);
}

#[test]
fn a_quotient_has_the_pattern_of_its_numerator() {
    of("C[i,j] = A[i,j] / B[i,j]").is(&[
        (&[0, 0], f64::INFINITY),
        (&[0, 1], 0.6),
        (&[2, 2], f64::NAN),
    ]);
}

#[test]
fn a_constant_makes_a_result_dense() {
    let sums = all(|i, j| match (i, j) {
        (0, 1) => 6.0,
        (1, 0) => 8.0,
        _ => 1.0,
    });
    of("C[i,j] = B[i,j] + 1").is(&entries(&sums));
}

#[test]
fn accesses_may_permute_and_repeat() {
    of("C[i,j] = B[i,j] + B[j,i]").is(&[(&[0, 1], 12.0), (&[1, 0], 12.0)]);
    of("t = A[i,i]").is(&[(&[], 2.0)]);
    of("C[i,j] = A[i,k] * B[k,j]").is(&[(&[0, 0], 21.0), (&[0, 1], 10.0)]);
    of("C[i,j] = x[i] * B[i,j] + A[j,i]").is(&[
        (&[0, 0], 2.0),
        (&[0, 1], f64::INFINITY),
        (&[1, 0], 10.0),
        (&[2, 2], 0.0),
    ]);
}
