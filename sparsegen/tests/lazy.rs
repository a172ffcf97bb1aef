//! Tests of lazy evaluation, with counters of how often each result is computed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use sparsegen::lazy::{Lazy, Runs};
use sparsegen::*;

type Matrix = Tensor<f64, Csr>;
type Variable = Lazy<f64, Csr>;

fn matrix(entries: &[([usize; 2], f64)]) -> Matrix {
    Tensor::from_triplets([10, 10], entries.iter().copied()).unwrap()
}

/// `C[i,j] = A[i,j] + B[i,j]`
fn sum(a: &Matrix, b: &Matrix) -> Result<Matrix, Error> {
    Tensor::from_triplets(a.shape(), a.iter().chain(b.iter()))
}

/// `C[i,j] = A[i,k] * B[k,j]`
fn product(a: &Matrix, b: &Matrix) -> Result<Matrix, Error> {
    let mut entries = BTreeMap::new();
    for ([i, k], x) in a {
        for ([_, j], y) in b.iter().filter(|(row, _)| row[0] == k) {
            *entries.entry([i, j]).or_insert(0.0) += x * y;
        }
    }
    Tensor::from_triplets([a.shape()[0], b.shape()[1]], entries)
}

fn lazy_sum(a: &Variable, b: &Variable) -> Variable {
    Lazy::of_kernel(
        (a.clone(), b.clone()),
        |(a, b)| sum(a, b),
        |c, (a, b)| {
            c.iter_mut().for_each(|(at, value)| *value = a.get(at).unwrap() + b.get(at).unwrap());
            Ok(())
        },
    )
}

fn lazy_product(a: &Variable, b: &Variable) -> Variable {
    Lazy::of_kernel(
        (a.clone(), b.clone()),
        |(a, b)| product(a, b),
        |c, (a, b)| {
            let new = product(a, b)?;
            c.vals_mut().copy_from_slice(new.vals());
            Ok(())
        },
    )
}

fn runs(whole: usize, values: usize) -> Runs {
    let mut runs = Runs::default();
    (runs.whole, runs.values) = (whole, values);
    runs
}

/// Noyola 2019, figure 5-2: the product is computed where it is read, once.
#[test]
fn a_product_is_computed_when_it_is_printed() {
    let (b, c) = (Lazy::new(matrix(&[])), Lazy::new(matrix(&[])));
    b.update(|b| b.extend([([0, 1], 2.0), ([3, 4], 5.0)], Duplicates::Sum)).unwrap();
    c.update(|c| c.extend([([1, 7], 3.0), ([4, 4], 1.0)], Duplicates::Sum)).unwrap();
    let a = lazy_product(&b, &c);
    assert_eq!(a.runs(), runs(0, 0));
    assert!(a.get().unwrap().to_string().starts_with("csr [10, 10], 2 values stored\n"));
    assert!(a.get().unwrap().iter().eq([([0, 7], 6.0), ([3, 4], 5.0)]));
    assert_eq!(a.runs(), runs(1, 0));
}

/// Noyola 2019, figure B-1: a write to an operand of an operand, after the declaration, does not
/// affect the results; each of them is computed once.
#[test]
fn a_write_after_the_declaration_does_not_affect_results() {
    let b = Lazy::new(matrix(&[([0, 0], 1.0), ([5, 6], 2.0)]));
    let d = Lazy::new(matrix(&[([0, 0], 10.0)]));
    let e = Lazy::new(matrix(&[([6, 1], 7.0)]));
    let c = lazy_sum(&d, &e);
    let a = lazy_product(&b, &c);
    e.insert([0, 0], 2.0).unwrap();
    assert_eq!((c.runs(), a.runs()), (runs(0, 0), runs(0, 0)));
    assert!(a.get().unwrap().iter().eq([([0, 0], 10.0), ([5, 1], 14.0)]));
    assert!(c.get().unwrap().iter().eq([([0, 0], 10.0), ([6, 1], 7.0)]));
    assert_eq!(e.get().unwrap().get([0, 0]), Some(2.0));
    assert_eq!((c.runs(), a.runs()), (runs(1, 0), runs(1, 0)));

    // Results that have been computed follow later writes.
    e.insert([0, 1], 3.0).unwrap();
    assert!(a.get().unwrap().iter().eq([([0, 0], 12.0), ([0, 1], 3.0), ([5, 1], 14.0)]));
    assert_eq!((c.runs(), a.runs()), (runs(2, 0), runs(2, 0)));
}

#[test]
fn only_what_is_out_of_date_is_computed() {
    let a = Lazy::new(matrix(&[([0, 0], 1.0)]));
    let b = Lazy::new(matrix(&[([0, 1], 2.0)]));
    let both = lazy_sum(&a, &b);
    let doubled = lazy_sum(&a, &a);
    let all = lazy_sum(&both, &doubled);
    assert_eq!(all.get().unwrap().get([0, 0]), Some(3.0));
    // Nothing is written, then an operand of one side.
    all.get().unwrap();
    doubled.get().unwrap();
    b.insert([3, 3], 5.0).unwrap();
    b.insert([3, 4], 5.0).unwrap();
    assert_eq!(all.get().unwrap().get([3, 4]), Some(5.0));
    assert_eq!([both.runs(), doubled.runs(), all.runs()], [runs(2, 0), runs(1, 0), runs(2, 0)]);
    // A write to a variable that is no operand.
    Lazy::new(matrix(&[])).insert([0, 0], 1.0).unwrap();
    all.get().unwrap();
    assert_eq!(all.runs(), runs(2, 0));
}

#[test]
fn structure_is_kept_while_only_values_change() {
    let a = Lazy::new(matrix(&[([0, 0], 1.0), ([1, 2], 3.0)]));
    let b = Lazy::new(matrix(&[([2, 2], 2.0)]));
    let c = lazy_sum(&a, &b);
    let d = lazy_product(&c, &a);
    let first = d.get().unwrap();
    a.set_vals(vec![2.0, 5.0]).unwrap();
    // A stored entry is written in place.
    b.insert([2, 2], 7.0).unwrap();
    let second = d.get().unwrap();
    assert_eq!((c.runs(), d.runs()), (runs(1, 1), runs(1, 1)));
    assert_eq!(c.get().unwrap().vals(), [2.0, 5.0, 7.0]);
    assert!(std::ptr::eq(first.levels(), second.levels()));
    // A value that was returned before does not change.
    assert!(
        first.approx_eq(
            &product(
                &matrix(&[([0, 0], 1.0), ([1, 2], 3.0), ([2, 2], 2.0)]),
                &matrix(&[([0, 0], 1.0), ([1, 2], 3.0)])
            )
            .unwrap(),
            0.0
        )
    );
    assert_ne!(first.vals(), second.vals());
    // A new entry changes the structure, and the next values do not.
    b.insert([2, 0], 1.0).unwrap();
    d.get().unwrap();
    assert_eq!((c.runs(), d.runs()), (runs(2, 1), runs(2, 1)));
    a.update(|a| {
        a.vals_mut().iter_mut().try_for_each(|value| {
            *value += 1.0;
            Ok(())
        })
    })
    .unwrap();
    assert!(
        d.get().unwrap().approx_eq(&product(&c.get().unwrap(), &a.get().unwrap()).unwrap(), 0.0)
    );
    assert_eq!((c.runs(), d.runs()), (runs(2, 2), runs(2, 2)));
}

#[test]
fn writes_copy_only_what_is_still_needed() {
    let a = Lazy::new(matrix(&[([0, 0], 1.0), ([1, 2], 3.0)]));
    let address = |variable: &Variable| variable.get().unwrap().vals().as_ptr();
    let before = address(&a);
    a.insert([0, 0], 5.0).unwrap();
    assert_eq!(address(&a), before);
    // A computed result does not hold its operands' arrays.
    let sum = lazy_sum(&a, &a);
    sum.get().unwrap();
    a.insert([0, 0], 6.0).unwrap();
    assert_eq!(address(&a), before);
    // One that is pending does, and the structure is shared nevertheless.
    let pending = lazy_sum(&a, &a);
    a.insert([0, 0], 7.0).unwrap();
    assert_ne!(address(&a), before);
    assert_eq!(pending.get().unwrap().get([0, 0]), Some(12.0));
    // The values of a result that no caller holds are computed in place.
    let result = address(&sum);
    assert_eq!(sum.get().unwrap().get([0, 0]), Some(14.0));
    a.insert([0, 0], 8.0).unwrap();
    assert_eq!((address(&sum), sum.runs()), (result, runs(1, 2)));
}

#[test]
fn a_declaration_on_a_followed_result_keeps_its_meaning() {
    let a = Lazy::new(matrix(&[([0, 0], 1.0)]));
    let b = lazy_sum(&a, &a);
    b.get().unwrap();
    a.insert([0, 0], 2.0).unwrap();
    let c = lazy_sum(&b, &b);
    a.insert([0, 0], 3.0).unwrap();
    // `b` follows `a`; `c` means `b` as it was at its declaration.
    assert_eq!(b.get().unwrap().get([0, 0]), Some(6.0));
    assert_eq!(c.get().unwrap().get([0, 0]), Some(8.0));
    assert_eq!(c.get().unwrap().get([0, 0]), Some(8.0));
    a.insert([0, 0], 4.0).unwrap();
    assert_eq!(c.get().unwrap().get([0, 0]), Some(16.0));
    assert_eq!(b.get().unwrap().get([0, 0]), Some(8.0));
}

#[test]
fn a_result_can_be_written() {
    let a = Lazy::new(matrix(&[([0, 0], 1.0)]));
    let b = lazy_sum(&a, &a);
    let c = lazy_sum(&b, &a);
    b.insert([1, 1], 5.0).unwrap();
    assert_eq!(b.runs(), runs(1, 0));
    assert!(b.get().unwrap().iter().eq([([0, 0], 2.0), ([1, 1], 5.0)]));
    assert!(c.get().unwrap().iter().eq([([0, 0], 3.0)]));
    // It no longer follows its operands.
    a.set(matrix(&[([0, 0], 10.0)]));
    assert!(b.get().unwrap().iter().eq([([0, 0], 2.0), ([1, 1], 5.0)]));
    assert!(c.get().unwrap().iter().eq([([0, 0], 12.0), ([1, 1], 5.0)]));
    assert_eq!((b.runs(), c.runs()), (runs(1, 0), runs(2, 0)));
    let debug = format!("{:?} {a:?}", lazy_sum(&a, &b));
    assert!(debug.starts_with("Lazy(pending) Lazy(Ok(csr"), "{debug}");
}

#[test]
fn errors_arise_where_results_are_read() {
    let a = Lazy::new(matrix(&[([0, 0], 1.0)]));
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    let positive = Lazy::of((a.clone(),), move |(a,)| {
        count.fetch_add(1, Ordering::Relaxed);
        if a.vals().iter().any(|value| *value < 0.0) {
            return Err(Error::Division { kernel: "positive" });
        }
        Ok(Matrix::clone(a))
    });
    let sum = lazy_sum(&positive, &a);
    sum.get().unwrap();
    a.set_vals(vec![-1.0]).unwrap();
    let error = Error::Division { kernel: "positive" };
    assert_eq!(sum.get().unwrap_err(), error);
    assert_eq!(positive.get().unwrap_err(), error);
    assert_eq!(positive.insert([0, 0], 1.0), Err(error));
    assert_eq!(calls.load(Ordering::Relaxed), 2);
    assert_eq!(sum.runs(), runs(1, 0));
    a.set_vals(vec![4.0]).unwrap();
    assert_eq!(sum.get().unwrap().vals(), [8.0]);
    assert!(matches!(a.set_vals(vec![]), Err(Error::Parts { .. })));
    assert_eq!(a.get().unwrap().vals(), [4.0]);
}

#[test]
fn threads_compute_a_result_once() {
    let a = Lazy::new(matrix(&[([0, 0], 1.0), ([1, 1], 2.0)]));
    let b = lazy_sum(&a, &a);
    let c = lazy_product(&b, &b);
    for round in 1..20 {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(c.get().unwrap().stored(), 2));
            }
        });
        assert_eq!((b.runs().total(), c.runs().total()), (round, round));
        a.set_vals(vec![round as f64; 2]).unwrap();
    }
}

#[test]
fn deep_sharing_takes_linear_time() {
    // 2^60 paths lead from the last result to the first variable.
    let a = Lazy::new(matrix(&[([0, 0], 1.0)]));
    let mut last = a.clone();
    for _ in 0..60 {
        last = lazy_sum(&last, &last);
    }
    for round in 1..4 {
        assert_eq!(last.get().unwrap().vals(), [2.0_f64.powi(60) * round as f64]);
        assert_eq!(last.runs().total(), round);
        a.set_vals(vec![round as f64 + 1.0]).unwrap();
    }
}

#[test]
fn a_result_whose_structure_depends_on_values_is_computed_anew() {
    let positive = |a: &Matrix| a.filter(|_, value| value > 0.0);
    let a = Lazy::new(matrix(&[([0, 1], 2.0), ([3, 4], 5.0)]));
    let b: Variable = Lazy::of_kernel(
        (a.clone(),),
        move |(a,)| positive(a),
        move |b, (a,)| {
            let new = positive(a)?;
            if new.levels() != b.levels() {
                return Err(Error::Structure { kernel: "positive", tensor: "B" });
            }
            b.vals_mut().copy_from_slice(new.vals());
            Ok(())
        },
    );
    assert_eq!(b.get().unwrap().nnz(), 2);
    a.set_vals(vec![3.0, 6.0]).unwrap();
    assert_eq!(b.get().unwrap().vals(), [3.0, 6.0]);
    assert_eq!(b.runs(), runs(1, 1));
    a.set_vals(vec![-1.0, 7.0]).unwrap();
    assert_eq!(b.get().unwrap().vals(), [7.0]);
    assert_eq!(b.runs(), runs(2, 1));
}
