//! Tests of functions, masks, reductions, semirings and types.

use crate::dtype::Dtype;
use crate::oracle::{Fault, Semiring};

use super::{all, entries, of};

const INF: f64 = f64::INFINITY;

#[test]
fn functions_store_what_they_do_not_know() {
    of("C[i,j] = abs(-A[i,j])").is(&[(&[0, 0], 2.0), (&[0, 1], 3.0), (&[2, 2], 0.0)]);
    of("C[i,j] = max(A[i,j], -1)").is(&[(&[0, 0], 2.0), (&[0, 1], 3.0), (&[2, 2], 0.0)]);
    of("C[i,j] = cos(B[i,j]) - 1").is(&[(&[0, 1], 5f64.cos() - 1.0), (&[1, 0], 7f64.cos() - 1.0)]);
    of("C[i,j] = min(A[i,j], B[i,j])").is(&[
        (&[0, 0], 0.0),
        (&[0, 1], 3.0),
        (&[1, 0], 0.0),
        (&[2, 2], 0.0),
    ]);
    let exponentials = all(|i, j| if (i, j) == (0, 1) { 5f64.exp() } else { 1.0 });
    let exponentials: Vec<_> = exponentials
        .into_iter()
        .map(|(at, e)| (at, if at == [1, 0] { 7f64.exp() } else { e }))
        .collect();
    of("C[i,j] = exp(B[i,j])").is(&entries(&exponentials));
}

#[test]
fn comparisons_count() {
    of("C[i,j] = A[i,j] > 2").is(&[(&[0, 0], 0.0), (&[0, 1], 1.0), (&[2, 2], 0.0)]);
    let holds = all(|i, j| f64::from(u8::from((i, j) != (0, 1))));
    of("C[i,j] = A[i,j] < 3").is(&entries(&holds));
    of("y[i] = sum[j](A[i,j] > 1)").is(&[(&[0], 2.0), (&[2], 0.0)]);
    of("C[i,j] = (A[i,j] > 2 & !(B[i,j] > 6)) * 2").is(&[
        (&[0, 0], 0.0),
        (&[0, 1], 2.0),
        (&[2, 2], 0.0),
    ]);
}

#[test]
fn masks_filter_as_factors() {
    of("C[i,j] = A[i,j] * (i >= j)").is(&[(&[0, 0], 2.0), (&[2, 2], 0.0)]);
    of("C[i,j] = A[i,j] * (j - i <= 0) * (i - j <= 0)").is(&[(&[0, 0], 2.0), (&[2, 2], 0.0)]);
    of("C[i,j] = A[i,j] * (i >= far)").is(&[(&[2, 2], 0.0)]);
    of("C[i,j] = B[i,j] * present(A[i,j])").is(&[(&[0, 1], 5.0)]);
    of("C[i,j] = A[i,j] * absent(B[i,j])").is(&[(&[0, 0], 2.0), (&[2, 2], 0.0)]);
    of("C[i,j] = A[i,j] * absent(A[i,j])").is(&[(&[2, 2], 0.0)]);
    of("C[i,j] = A[i,j] * !(i < j | i > j)").is(&[(&[0, 0], 2.0), (&[2, 2], 0.0)]);
    of("C[i,j] = (i < j) * 3").is(&[(&[0, 1], 3.0), (&[0, 2], 3.0), (&[1, 2], 3.0)]);
}

#[test]
fn masks_elsewhere_are_stored_or_not() {
    let may: [&[usize]; 2] = [&[0, 1], &[2, 2]];
    of("C[i,j] = select(i == j, B[i,j], A[i,j] * (j == 1))").check(&[(&[0, 1], 3.0)], &[&[1, 0]]);
    of("C[i,j] = present(A[i,j])").check(&[(&[0, 0], 1.0), (&[0, 1], 1.0)], &may[1..]);
    of("C[i,j] = select(i == j, A[i,j], 0 * c)")
        .check(&[(&[0, 0], 2.0), (&[2, 2], 0.0)], &[&[0, 1]]);
}

#[test]
fn a_scalar_is_stored_where_nothing_else_is() {
    let sums = all(|_, j| [14.0, 15.0, 12.0][j]);
    let may: [&[usize]; 2] = [&[0, 0], &[1, 0]];
    let stored: Vec<_> = sums.into_iter().filter(|(at, _)| !may.contains(&&at[..])).collect();
    of("C[i,j] = sum[k](A[k,j] + c) * absent(A[j,i])").check(&entries(&stored), &may);
}

#[test]
fn values_choose() {
    of("C[i,j] = replace(A[i,j], B[i,j])").is(&[
        (&[0, 0], 2.0),
        (&[0, 1], 5.0),
        (&[1, 0], 7.0),
        (&[2, 2], 0.0),
    ]);
    of("C[i,j] = select(c > 3, A[i,j], B[i,j])").is(&[
        (&[0, 0], 2.0),
        (&[0, 1], 3.0),
        (&[1, 0], 0.0),
        (&[2, 2], 0.0),
    ]);
    of("y[i] = min[j](select(present(A[i,j]), A[i,j], inf))").is(&[
        (&[0], 2.0),
        (&[1], INF),
        (&[2], INF),
    ]);
}

#[test]
fn reductions_see_what_is_not_stored() {
    of("y[i] = min[j](A[i,j] + c)").is(&[(&[0], 4.0), (&[1], 4.0), (&[2], 4.0)]);
    of("y[i] = max[j](A[i,j])").is(&[(&[0], 3.0), (&[2], 0.0)]);
    of("y[i] = prod[j](B[i,j] + 1)").is(&[(&[0], 6.0), (&[1], 8.0), (&[2], 1.0)]);
    of("y[i] = prod[j](A[i,j])").is(&[]);
    of("y[i] = any[j](A[i,j] > 2)").is(&[(&[0], 1.0), (&[2], 0.0)]);
    of("y[i] = all[j](A[i,j] >= 0)").is(&[(&[0], 1.0), (&[1], 1.0), (&[2], 1.0)]);
    of("y[i] = argmax[j](A[i,j])").into(Dtype::Usize).is(&[(&[0], 1.0), (&[2], 0.0)]);
    of("y[i] = argmin[j](-A[i,j])").into(Dtype::Usize).is(&[(&[0], 1.0), (&[2], 0.0)]);
    of("t = max[i](sum[j](A[i,j]))").is(&[(&[], 5.0)]);
}

#[test]
fn semirings_have_their_own_sums() {
    of("C[i,j] = A[i,k] * B[k,j]").within(Semiring::MinPlus).is(&[(&[0, 0], 10.0), (&[0, 1], 7.0)]);
    of("C[i,j] = A[i,j] + B[i,j]").within(Semiring::MinPlus).is(&[
        (&[0, 0], 2.0),
        (&[0, 1], 3.0),
        (&[1, 0], 7.0),
        (&[2, 2], 0.0),
    ]);
    of("C[i,j] = A[i,j] * (i > 0)").within(Semiring::MinPlus).is(&[(&[2, 2], 0.0)]);
    of("C[i,j] = 2 * A[i,j]").within(Semiring::MaxTimes).is(&[
        (&[0, 0], 4.0),
        (&[0, 1], 6.0),
        (&[2, 2], 0.0),
    ]);
    of("C[i,j] = T[i,k] * T[k,j]").within(Semiring::OrAnd).into(Dtype::Bool).is(&[(&[0, 2], 1.0)]);
}

#[test]
fn types_are_kept_and_converted() {
    of("C[i,j] = f64(I[i,j]) / 2").is(&[(&[0, 0], 1.0), (&[0, 1], -1.5), (&[1, 1], 0.0)]);
    of("C[i,j] = I[i,j] / 2").into(Dtype::Integer(32, true)).is(&[
        (&[0, 0], 1.0),
        (&[0, 1], -1.0),
        (&[1, 1], 0.0),
    ]);
    of("C[i,j] = u8(A[i,j] * 200)").into(Dtype::Integer(8, false)).is(&[
        (&[0, 0], 255.0),
        (&[0, 1], 255.0),
        (&[2, 2], 0.0),
    ]);
    of("C[i,j] = u8(I[i,j])").into(Dtype::Integer(8, false)).is(&[
        (&[0, 0], 2.0),
        (&[0, 1], 253.0),
        (&[1, 1], 0.0),
    ]);
    of("C[i,j] = abs(Z[i,j]) + im(Z[i,j])").is(&[(&[0, 0], 5f64.sqrt() + 1.0)]);
    of("C[i,j] = T[i,j] * A[i,j]").is(&[(&[0, 1], 3.0)]);
    of("y[i] = i * c").is(&[(&[0], 0.0), (&[1], 4.0), (&[2], 8.0)]);
    of("C[i,j] = I[i,j] & 2").into(Dtype::Integer(32, true)).is(&[
        (&[0, 0], 2.0),
        (&[0, 1], 0.0),
        (&[1, 1], 0.0),
    ]);
    assert!(of("C[i,j] = A[i,j] * I[i,j]").meaning().is_err());
    assert!(of("C[i,j] = A[i,j] & B[i,j]").meaning().is_err());
    assert!(of("C[i,j] = Z[i,j]").meaning().is_err());
    assert!(of("C[i,j] = I[i,j] + 1.5").into(Dtype::Integer(32, true)).meaning().is_err());
}

#[test]
fn faults_are_those_of_what_is_computed() {
    let whole = Dtype::Integer(32, true);
    assert_eq!(of("C[i,j] = I[i,j] / I[j,i]").into(whole).answer(), Err(Fault::Division));
    of("C[i,j] = select(I[j,i] == 0, 1, I[i,j] / I[j,i]) * (i > j)").into(whole).is(&[
        (&[1, 0], 0.0),
        (&[2, 0], 1.0),
        (&[2, 1], 1.0),
    ]);
    let small = of("C[i,j] = I[i,j] - 3000000000").into(whole);
    assert!(small.meaning().is_err());
    assert_eq!(of("y[i] = n[i] - 1").into(Dtype::Usize).answer(), Err(Fault::Overflow));
}
