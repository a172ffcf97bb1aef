//! Tests of changes of single entries, against a map of coordinates to values.

mod common;

use std::collections::BTreeMap;
use std::thread;

use common::formats::*;
use common::{Random, check, operands, sums};
use sparsegen::*;

type Model = BTreeMap<Vec<usize>, i64>;

/// Makes a random change to both a tensor and its model.
fn change<F: Format>(random: &mut Random, tensor: &mut Tensor<i64, F>, model: &mut Model) {
    let mut coordinate = tensor.shape();
    coordinate.as_mut().iter_mut().for_each(|extent| *extent = random.below(*extent));
    let (key, value) = (coordinate.as_ref().to_vec(), 1 + random.below(9) as i64);
    match random.below(8) {
        0 | 1 => {
            tensor.insert(coordinate, value).unwrap();
            model.insert(key, value);
        }
        2 | 3 => {
            tensor.add_at(coordinate, value).unwrap();
            *model.entry(key).or_default() += value;
        }
        4 => {
            tensor.remove(coordinate).unwrap();
            model.remove(&key);
        }
        5 => {
            let entries = [(coordinate, value), (coordinate, value + 1)];
            tensor.extend(entries, Duplicates::Max).unwrap();
            let place = model.entry(key).or_insert(value);
            *place = (value + 1).max(*place);
        }
        6 => match tensor.entry(coordinate).unwrap() {
            Entry::Stored(stored) => {
                *stored += value;
                *model.entry(key).or_default() += value;
            }
            Entry::Vacant(place) => {
                place.insert(value).unwrap();
                model.insert(key, value);
            }
        },
        _ => {
            if let Some(stored) = tensor.get_mut(coordinate) {
                *stored = value;
                model.insert(key, value);
            }
        }
    }
}

/// Makes random changes to tensors and reads them now and then.
fn changes<F: Format>() {
    let mut random = Random(41);
    for (shape, entries) in operands::<F::Shape>(43) {
        // Values are positive, so that no sum is a fill value.
        let mut model = sums(&entries);
        model.values_mut().for_each(|value| *value = value.abs() + 1);
        let shaped = |key: &Vec<usize>| {
            let mut coordinate = shape;
            coordinate.as_mut().copy_from_slice(key);
            coordinate
        };
        let entries = model.iter().map(|(key, value)| (shaped(key), *value));
        let mut tensor = Tensor::<i64, F>::from_triplets(shape, entries).unwrap();
        if shape.as_ref().contains(&0) {
            let error = tensor.insert(F::Shape::splat(0), 1).unwrap_err();
            assert!(matches!(error, Error::Coordinate { .. }), "{error}");
            continue;
        }
        // Dense formats store zeros in the place of removed entries.
        let is_dense = tensor.stored() == shape.as_ref().iter().product();
        for round in 0..7 {
            (0..round).for_each(|_| change(&mut random, &mut tensor, &mut model));
            if is_dense {
                tensor.prune(0.0).unwrap();
            }
            assert_eq!(tensor.nnz(), model.len());
            check(&tensor, &model);
        }
        for (coordinate, value) in tensor.iter_mut() {
            *value *= coordinate.as_ref().iter().sum::<usize>() as i64 + 1;
        }
        for (coordinate, value) in &mut model {
            *value *= coordinate.iter().sum::<usize>() as i64 + 1;
        }
        check(&tensor, &model);
    }
}

#[test]
fn every_format_can_be_changed() {
    for_each_format!(changes, changes, changes);
}

#[test]
fn reads_merge_changes_behind_a_shared_reference() {
    let mut a = Tensor::<f64, Csr>::zeros([100, 100]).unwrap();
    for i in 0..100 {
        a.insert([i, (i * 37) % 100], i as f64).unwrap();
    }
    let (copy, a) = (a.clone(), &a);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(a.iter().map(|(_, value)| value).sum::<f64>(), 4950.0));
        }
    });
    assert_eq!(&copy, a);
    assert_eq!(copy.into_parts().2.len(), 100);
}

#[test]
fn a_block_without_room_is_refused_at_the_write() {
    let entries = [([0, 1], 1), ([0, 2], 2)];
    let mut a = Tensor::<i64, TwoOfFour>::from_triplets([1, 8], entries).unwrap();
    let error = a.insert([0, 3], 3).unwrap_err();
    assert!(matches!(error, Error::Pack { level: 3, .. }), "{error}");
    let error = a.extend([([0, 5], 5), ([0, 3], 3)], Duplicates::Last).unwrap_err();
    assert!(matches!(error, Error::Pack { .. }), "{error}");
    assert!(a.iter().eq(entries));
    a.remove([0, 2]).unwrap();
    a.insert([0, 3], 3).unwrap();
    assert!(a.iter().eq([([0, 1], 1), ([0, 3], 3)]));
}

#[test]
fn positions_beyond_their_integer_type_are_refused_at_the_write() {
    let mut a = Tensor::<i64, Narrow>::zeros([20, 20]).unwrap();
    for number in 0..255 {
        a.insert([number / 20, number % 20], 1).unwrap();
    }
    let error = a.insert([19, 19], 1).unwrap_err();
    assert!(matches!(error, Error::Width { width: "u8", largest: 256, .. }), "{error}");
    // A stored entry takes no further position.
    a.insert([0, 0], 7).unwrap();
    assert_eq!((a.stored(), a.get([0, 0]), a.get([19, 19])), (255, Some(7), Some(0)));
}

#[test]
fn what_exceeds_memory_is_refused_at_the_write() {
    let mut a = Tensor::<f64, Ell>::zeros([1 << 45, 4]).unwrap();
    let error = a.insert([3, 1], 1.0).unwrap_err();
    assert!(matches!(error, Error::Size { format: "ell", .. }), "{error}");
    assert_eq!(a.nnz(), 0);
}

#[test]
fn coordinates_outside_of_the_shape_are_refused() {
    let mut a = Tensor::<f64, Csr>::from_triplets([2, 3], [([1, 2], 5.0)]).unwrap();
    let before = a.clone();
    let refused = Error::Coordinate { format: "csr", coordinate: vec![2, 0], shape: vec![2, 3] };
    assert_eq!(a.insert([2, 0], 1.0), Err(refused.clone()));
    assert_eq!(a.add_at([2, 0], 1.0), Err(refused.clone()));
    assert_eq!(a.remove([2, 0]), Err(refused.clone()));
    assert_eq!(a.entry([2, 0]).err(), Some(refused.clone()));
    assert_eq!(a.extend([([0, 0], 1.0), ([2, 0], 1.0)], Duplicates::Sum), Err(refused));
    assert_eq!(a.get_mut([2, 0]), None);
    assert_eq!(a, before);
}

#[test]
fn duplicates_are_combined_by_the_given_rule() {
    let cases = [
        (Duplicates::Sum, 3.0 + 1.0 + 2.0),
        (Duplicates::First, 3.0),
        (Duplicates::Last, 2.0),
        (Duplicates::Min, 1.0),
        (Duplicates::Max, 3.0),
    ];
    for (duplicates, expected) in cases {
        let mut a = Tensor::<f32, Coo<2>>::from_triplets([2, 2], [([0, 1], 3.0)]).unwrap();
        a.extend([([0, 1], 1.0), ([0, 1], 2.0), ([1, 1], 9.0)], duplicates).unwrap();
        assert!(a.iter().eq([([0, 1], expected), ([1, 1], 9.0)]), "{duplicates:?}");
    }
    let mut a = Tensor::<bool, Csr>::from_triplets([2, 2], [([0, 1], true)]).unwrap();
    let error = a.extend([([1, 1], true), ([0, 1], true)], Duplicates::Error).unwrap_err();
    assert_eq!(error, Error::Duplicate { format: "csr", coordinate: vec![0, 1] });
    assert_eq!(a.stored(), 1);
    a.extend([([1, 1], true)], Duplicates::Error).unwrap();
    assert_eq!(a.stored(), 2);
}

#[test]
fn patterns_gain_and_lose_entries() {
    let entry = |coordinate| (coordinate, Pattern::ONE);
    let mut graph = Tensor::<Pattern<f64>, Csr>::from_triplets([3, 3], [entry([0, 1])]).unwrap();
    graph.insert([2, 0], Pattern::ONE).unwrap();
    graph.insert([0, 1], Pattern::ONE).unwrap();
    assert_eq!(graph.stored(), 2);
    graph.remove([0, 1]).unwrap();
    assert!(graph.iter().eq([entry([2, 0])]));
    let error = graph.extend([entry([2, 0])], Duplicates::Sum).unwrap_err();
    assert_eq!(error, Error::Duplicate { format: "csr", coordinate: vec![2, 0] });
}

#[cfg(feature = "complex")]
#[test]
fn complex_values_add_up() {
    let mut a = Tensor::<c64, Csc>::zeros([2, 2]).unwrap();
    a.add_at([0, 1], c64::new(1.0, 2.0)).unwrap();
    a.add_at([0, 1], c64::new(0.5, -1.0)).unwrap();
    assert_eq!(a.get([0, 1]), Some(c64::new(1.5, 1.0)));
}

#[test]
fn a_repeated_coordinate_is_changed_as_a_whole() {
    let entries = [([0, 1], 2), ([1, 1], 3), ([0, 1], 4)];
    let list = Tensor::<i64, CooUnordered<2>>::from_triplets([2, 2], entries).unwrap();
    let mut a = list.clone();
    a.add_at([0, 1], 10).unwrap();
    assert_eq!(a.get([0, 1]), Some(16));
    a.insert([0, 1], 5).unwrap();
    assert_eq!((a.get([0, 1]), a.stored()), (Some(5), 2));
    let mut b = list;
    b.remove([0, 1]).unwrap();
    assert!(b.iter().eq([([1, 1], 3)]));
}
