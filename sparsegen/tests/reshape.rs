//! Tests of tensors from the entries of others, against a map of coordinates to values.

mod common;

use std::collections::BTreeMap;

use common::formats::*;
use common::{check, operands, sums};
use sparsegen::level::Compressed;
use sparsegen::*;

type Model = BTreeMap<Vec<usize>, i64>;

/// Calls a function with tensors in a format and their models. No coordinate is repeated.
fn each<F: Format>(test: impl Fn(&Tensor<i64, F>, &Model)) {
    for (shape, entries) in operands::<F::Shape>(61) {
        let model = sums(&entries);
        test(&Tensor::from_triplets(shape, at(&model)).unwrap(), &model);
    }
}

fn at<S: Shape>(model: &Model) -> Vec<(S, i64)> {
    let entry = |(key, value): (&Vec<usize>, &i64)| {
        let mut coordinate = S::splat(0);
        coordinate.as_mut().copy_from_slice(key);
        (coordinate, *value)
    };
    model.iter().map(entry).collect()
}

/// Returns the model with other coordinates, without the entries of which there are none.
fn moved(model: &Model, function: impl Fn(&[usize]) -> Option<Vec<usize>>) -> Model {
    model.iter().filter_map(|(key, value)| Some((function(key)?, *value))).collect()
}

/// Tests what works for tensors of every order.
fn of_any_order<F: Format>() {
    each::<F>(|tensor, model| {
        let shape = tensor.shape();
        let order = tensor.order();

        let reversed = |key: &[usize]| Some(key.iter().rev().copied().collect());
        let mut modes = F::Shape::splat(0);
        (0..order).for_each(|mode| modes.as_mut()[mode] = order - 1 - mode);
        let transpose = tensor.transpose().unwrap();
        assert_eq!(transpose.shape().as_ref(), reversed(shape.as_ref()).unwrap());
        check(&transpose, &moved(model, reversed));
        assert!(tensor.permute(modes).unwrap().approx_eq(&transpose, 0.0));
        let mut rotated = F::Shape::splat(0);
        (0..order).for_each(|mode| rotated.as_mut()[mode] = (mode + 1) % order);
        let rotate = |key: &[usize]| {
            let mut key = key.to_vec();
            key.rotate_left(1);
            Some(key)
        };
        check(&tensor.permute(rotated).unwrap(), &moved(model, rotate));

        let even = |key: &[usize]| key.iter().sum::<usize>() % 2 == 0;
        let filtered = tensor.filter(|c, value| even(c.as_ref()) && value > 0).unwrap();
        let expected = model.iter().filter(|(key, value)| even(key) && **value > 0);
        check(&filtered, &expected.map(|(key, value)| (key.clone(), *value)).collect());

        let weight = |key: &[usize], value: i64| value * (1 + key.iter().sum::<usize>() as i64);
        let mapped = tensor.map(|c, value| weight(c.as_ref(), value));
        assert_eq!(mapped.levels(), tensor.levels());
        let weighted = model.iter().map(|(key, value)| (key.clone(), weight(key, *value)));
        check(&mapped, &weighted.collect());

        let again = Tensor::<i64, F>::from_fn(shape, |c| {
            model.get(c.as_ref()).copied().unwrap_or_default()
        });
        check(&again.unwrap(), model);

        let count = shape.as_ref().iter().product();
        let number = |key: &[usize]| {
            let digits = key.iter().zip(shape.as_ref());
            Some(vec![digits.fold(0, |number, (digit, extent)| number * extent + digit)])
        };
        let line = tensor.reshape::<SparseVector>([count]).unwrap();
        check(&line, &moved(model, number));
        check(&line.reshape::<F>(shape).unwrap(), model);
        assert!(matches!(tensor.reshape::<Csr>([count, 2]), Err(Error::Argument { .. }) | Ok(_)));

        for mode in 0..order {
            let mut longer = shape;
            longer.as_mut()[mode] += 2;
            let mut pair = shape;
            pair.as_mut()[mode] = longer.as_ref()[mode] + shape.as_ref()[mode];
            let shift = |key: &[usize]| {
                let mut key = key.to_vec();
                key[mode] += longer.as_ref()[mode];
                Some(key)
            };
            let first = Tensor::<i64, F>::from_triplets(longer, at(model)).unwrap();
            let both = Tensor::concat(mode, &[&first, tensor]).unwrap();
            assert_eq!(both.shape(), pair);
            let expected = model.clone().into_iter().chain(moved(model, shift)).collect();
            check(&both, &expected);
        }

        let magnitudes = || model.values().map(|value| value.abs() as f64);
        assert_eq!(tensor.norm_l1(), magnitudes().sum::<f64>());
        assert_eq!(tensor.norm_max(), magnitudes().fold(0.0, f64::max));
        let square = magnitudes().map(|value| value * value).sum::<f64>();
        assert!((tensor.norm_l2() - square.sqrt()).abs() < 1e-9 * square.max(1.0));
        let entries = tensor.iter();
        let (least, most) = entries.size_hint();
        assert!((least == 0 || Some(least) == most) && least <= tensor.stored());
        assert!(most >= Some(tensor.stored()));
    });
}

fn of_vectors<F: Format<Shape = [usize; 1]>>() {
    of_any_order::<F>();
    each::<F>(|tensor, model| {
        let rows = Tensor::stack::<Csr>(0, &[tensor, tensor]).unwrap();
        let row = |number: usize| moved(model, move |key| Some(vec![number, key[0]]));
        check(&rows, &row(0).into_iter().chain(row(1)).collect());
        let columns = Tensor::stack::<Dcsr>(1, &[tensor, tensor]).unwrap();
        assert!(columns.approx_eq(&rows.transpose().unwrap(), 0.0));
        let diagonal = tensor.to_diagonal::<Csc>().unwrap();
        check(&diagonal, &moved(model, |key| Some(vec![key[0]; 2])));
        check(&diagonal.diagonal::<F>().unwrap(), model);
        let end = tensor.shape()[0];
        let half = end / 2..end;
        let tail = tensor.slice([half]).unwrap();
        check(&tail, &moved(model, |key| Some(vec![key[0].checked_sub(end / 2)?])));
        let other = Tensor::<i64, Dense<1>>::from_dense([2], &[3, 5]).unwrap();
        let product = tensor.kron(&other).unwrap();
        let mut expected = Model::new();
        for (key, value) in model {
            expected.insert(vec![2 * key[0]], 3 * value);
            expected.insert(vec![2 * key[0] + 1], 5 * value);
        }
        check(&product, &expected);
    });
}

fn of_matrices<F: Format<Shape = [usize; 2]>>() {
    of_any_order::<F>();
    each::<F>(|tensor, model| {
        let [rows, columns] = tensor.shape();
        for diagonal in [-2, 0, 1] {
            let offset = |key: &[usize]| key[1] as isize - key[0] as isize;
            let lower = |key: &[usize]| (offset(key) <= diagonal).then(|| key.to_vec());
            check(&tensor.lower(diagonal).unwrap(), &moved(model, lower));
            let upper = |key: &[usize]| (offset(key) >= diagonal).then(|| key.to_vec());
            check(&tensor.upper(diagonal).unwrap(), &moved(model, upper));
        }
        let on = |key: &[usize]| (key[0] == key[1]).then(|| vec![key[0]]);
        check(&tensor.diagonal::<HashVector>().unwrap(), &moved(model, on));
        if rows > 0 {
            let last = |key: &[usize]| (key[0] == rows - 1).then(|| vec![key[1]]);
            let row = tensor.select::<SparseVector>(0, rows - 1).unwrap();
            check(&row, &moved(model, last));
        }
        let part = tensor.slice([rows / 3..rows, 0..columns / 2]).unwrap();
        let inside = |key: &[usize]| {
            (key[1] < columns / 2).then_some(vec![key[0].checked_sub(rows / 3)?, key[1]])
        };
        check(&part, &moved(model, inside));
    });
}

#[test]
fn every_format() {
    for_each_format!(of_vectors, of_matrices, of_any_order);
}

fn is_refused<T>(result: Result<T, Error>, reason: &str) {
    let error = result.err().expect("an error").to_string();
    assert_eq!(error, reason);
}

#[test]
fn unsuitable_arguments_are_refused() {
    let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 2], 2.0)]).unwrap();
    let b = Tensor::<f64, Csr>::zeros([3, 3]).unwrap();
    is_refused(
        a.permute([0, 0]),
        "`permute`: [0, 0] does not list each of the modes, from 0, once",
    );
    is_refused(
        a.reshape::<Csr>([4, 2]),
        "`reshape`: the shapes [2, 3] and [4, 2] do not have the same number of elements, which a \
         `usize` holds",
    );
    is_refused(
        a.slice([0..2, 1..4]),
        "`slice`: the range 1..4 does not lie within mode 1, of extent 3",
    );
    is_refused(
        a.select::<SparseVector>(2, 0),
        "`select`: there is no mode 2; a `csr` tensor has 2, from 0",
    );
    is_refused(
        a.select::<SparseVector>(1, 3),
        "`select`: the coordinate 3 is not below the extent 3 of mode 1",
    );
    is_refused(
        Tensor::concat(1, &[&a, &b]),
        "`concat`: the shapes [2, 3] and [3, 3] differ in another mode than 1",
    );
    is_refused(Tensor::<f64, Csr>::concat(0, &[]), "`concat`: there are no tensors to join");
    is_refused(
        Tensor::stack::<Csf<3>>(0, &[&a, &b]),
        "`stack`: the shapes [2, 3] and [3, 3] differ",
    );
    let long = Tensor::<f64, Coo<1, usize, usize>>::zeros([usize::MAX]).unwrap();
    assert!(matches!(long.kron(&long), Err(Error::Size { .. })));
    assert!(matches!(Tensor::concat(0, &[&long, &long]), Err(Error::Size { .. })));
    assert!(matches!(
        Tensor::<f64, Csr>::from_fn([1 << 40, 1 << 40], |_| 0.0),
        Err(Error::Size { .. })
    ));
    // A result that exceeds memory in a format with dense levels.
    let tall = Tensor::<f64, Dcsr<u64, u64>>::zeros([1 << 50, 1]).unwrap();
    assert!(matches!(tall.reshape::<Dense<1>>([1 << 50]), Err(Error::Size { .. })));
}

/// Distances, which are infinite unless stored.
#[derive(Clone, Copy, Debug)]
struct Distances;

impl Format for Distances {
    const NAME: &'static str = "distances";
    const MAP: Map = Map::new(&[LevelMap::dimension(0, "compressed")]);
    type Shape = [usize; 1];
    type Levels = (Compressed<u32, u32>,);
    const FILL: Fill = Fill::Greatest;
}

#[test]
fn fill_values_stay_elements() {
    let near = Tensor::<f64, Distances>::from_triplets([3], [([1], 2.0)]).unwrap();
    assert_eq!((near.norm_max(), near.norm_l1()), (f64::INFINITY, f64::INFINITY));
    let row = near.reshape::<Csr>([1, 3]).unwrap();
    assert!(row.iter().eq([([0, 0], f64::INFINITY), ([0, 1], 2.0), ([0, 2], f64::INFINITY)]));
    assert_eq!(row.reshape::<Distances>([3]).unwrap().get([0]), Some(f64::INFINITY));
    let all =
        Tensor::<f64, Distances>::from_fn([2], |[i]| if i == 0 { f64::INFINITY } else { 0.0 });
    assert_eq!(all.unwrap().stored(), 1);
    let one = Tensor::<f64, Distances>::from_triplets([1], [([0], 2.0)]).unwrap();
    assert_eq!(one.norm_l2(), 2.0);
}

#[test]
fn norms_do_not_overflow_and_see_repeated_coordinates_as_one() {
    let large = Tensor::<f64, Csr>::from_triplets([1, 2], [([0, 0], 3e300), ([0, 1], 4e300)]);
    assert_eq!(large.unwrap().norm_l2(), 5e300);
    let entries = [([0, 1], 2.0), ([0, 1], -5.0)];
    let list = Tensor::<f64, CooUnordered<2>>::from_triplets([2, 2], entries).unwrap();
    assert_eq!((list.norm_l1(), list.norm_l2(), list.norm_max()), (3.0, 3.0, 3.0));
    let gap = Tensor::<f64, Csr>::from_triplets([1, 2], [([0, 0], f64::NAN), ([0, 1], 4.0)]);
    assert!(gap.unwrap().norm_max().is_nan());
}

#[test]
fn mapped_values_share_the_structure() {
    let a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 2.0)]).unwrap();
    let mut b = a.map(|_, value| value as i32 + 1);
    assert!(std::ptr::eq(a.levels(), b.levels()));
    b.insert([1, 1], 4).unwrap();
    assert!(!std::ptr::eq(a.levels(), b.levels()));
    assert_eq!((a.stored(), b.stored()), (1, 2));
}

#[cfg(feature = "parallel")]
#[test]
fn threads_visit_every_entry_once() {
    use rayon::prelude::*;
    fn visit<F: Format>() {
        each::<F>(|tensor, _| {
            let mut entries: Vec<_> = tensor.iter().collect();
            let mut parallel: Vec<_> = tensor.par_iter().collect();
            assert_eq!(entries, parallel);
            // In formats whose outermost level has several coordinates.
            parallel = tensor.view().into_par_iter().filter(|(_, value)| *value > 1).collect();
            entries.retain(|(_, value)| *value > 1);
            assert_eq!(entries, parallel);
        });
    }
    for_each_format!(visit, visit, visit);
}
