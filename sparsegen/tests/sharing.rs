//! Tests of tensors that share their structure, and of assemblies.

mod common;

use common::formats::*;
use common::{Random, operands, sums};
use sparsegen::*;

const RULES: [Duplicates; 5] =
    [Duplicates::Sum, Duplicates::First, Duplicates::Last, Duplicates::Min, Duplicates::Max];

/// Compares tensors that assemblies make with those that builders make of the same entries.
fn assemble<F: Format>() {
    let mut random = Random(71);
    for (shape, mut entries) in operands::<F::Shape>(73) {
        for (round, duplicates) in RULES.into_iter().enumerate() {
            // Some entries are repeated, and none has a value that an unpadded level leaves out.
            let repeated: Vec<_> = entries.iter().copied().skip(round).step_by(4).collect();
            entries.extend(repeated);
            entries.iter_mut().for_each(|(_, value)| *value = 1 + random.below(20) as i64);
            let coordinates = entries.iter().map(|entry| entry.0);
            let assembly = Assembly::<F>::with_duplicates(shape, coordinates, duplicates).unwrap();
            assert_eq!((assembly.len(), assembly.is_empty()), (entries.len(), entries.is_empty()));

            let build = |entries: &[(F::Shape, i64)]| {
                let mut builder = Tensor::<i64, F>::builder(shape).duplicates(duplicates);
                builder.extend(entries.iter().copied());
                builder.build().unwrap()
            };
            let values = |entries: &[(F::Shape, i64)]| -> Vec<i64> {
                entries.iter().map(|entry| entry.1).collect()
            };
            let mut tensor = assembly.fill(&values(&entries)).unwrap();
            assert_eq!(tensor, build(&entries), "{duplicates:?}");

            entries.iter_mut().for_each(|(_, value)| *value = 1 + random.below(20) as i64);
            let levels = std::ptr::from_ref(tensor.levels());
            assembly.fill_into(&mut tensor, &values(&entries)).unwrap();
            assert_eq!(tensor, build(&entries), "{duplicates:?}");
            assert!(std::ptr::eq(levels, tensor.levels()));
            let mut other = Tensor::zeros(F::Shape::splat(1)).unwrap();
            assembly.fill_into(&mut other, &values(&entries)).unwrap();
            assert_eq!(other, tensor);
            assert!(std::ptr::eq(other.levels(), tensor.levels()));
            if round > 1 {
                entries.truncate(12);
            }
        }
    }
}

#[test]
fn assemblies_make_what_builders_make() {
    for_each_format!(assemble, assemble, assemble);
}

#[test]
fn assemblies_refuse_what_they_cannot_store() {
    let assembly = Assembly::<Csr>::new([2, 2], [[0, 1], [1, 1]]).unwrap();
    let mut a = assembly.fill(&[1.0, 2.0]).unwrap();
    let error = assembly.fill_into(&mut a, &[1.0]).unwrap_err();
    assert_eq!(error.to_string(), "`fill`: there are 1 values for 2 coordinates");
    assert_eq!(a.vals(), [1.0, 2.0]);
    let outside = Assembly::<Csr>::new([2, 2], [[0, 2]]).unwrap_err();
    assert!(matches!(outside, Error::Coordinate { .. }), "{outside}");
    let twice = [[0, 1], [0, 1]];
    let twice = Assembly::<Csr>::with_duplicates([2, 2], twice, Duplicates::Error).unwrap_err();
    assert!(matches!(twice, Error::Duplicate { .. }), "{twice}");
    let unpadded = Assembly::<BitUnpadded>::new([2, 2], [[0, 1], [1, 1]]).unwrap();
    let error = unpadded.fill(&[3, 0]).unwrap_err();
    assert!(error.to_string().contains("a value is 0, which the unpadded levels"), "{error}");
    let full = (0..3).map(|j| [0, j]);
    assert!(matches!(Assembly::<TwoOfFour>::new([1, 4], full), Err(Error::Pack { .. })));
}

#[test]
fn values_of_other_types_are_assembled() {
    let assembly = Assembly::<Dia>::new([2, 2], [[0, 1], [1, 1], [0, 1]]).unwrap();
    assert!(assembly.fill(&[true, false, false]).unwrap().iter().eq([([0, 1], true)]));
    let a = assembly.fill(&[-0.0_f32, 2.0, 0.5]).unwrap();
    assert!(a.approx_eq(&assembly.fill(&[0.5_f32, 2.0, 0.0]).unwrap(), 0.0));
    #[cfg(feature = "complex")]
    {
        let i = c64::new(0.0, 1.0);
        assert_eq!(assembly.fill(&[i, i, i]).unwrap().get([0, 1]), Some(i + i));
    }
}

/// Compares loops over values with merges of entries.
fn zip<F: Format>() {
    for (shape, entries) in operands::<F::Shape>(79) {
        let entries = sums(&entries).into_iter().map(|(key, value)| {
            let mut coordinate = shape;
            coordinate.as_mut().copy_from_slice(&key);
            (coordinate, value.abs() + 1)
        });
        let a = Tensor::<i64, F>::from_triplets(shape, entries).unwrap();
        let mut b = a.map(|c, value| value + c.as_ref().iter().sum::<usize>() as i64);
        let sum = a.zip_vals(&b, |a, b| 3 * a + 2 * b + 5).unwrap();
        let expected = a.map(|c, value| 3 * value + 2 * b.get(c).unwrap() + 5);
        // Values at unused positions do not matter.
        assert!(sum.approx_eq(&expected, 0.0) && sum.same_structure(&a));
        assert!(std::ptr::eq(sum.levels(), a.levels()));
        b.update_vals(&a, |b, a| *b -= a).unwrap();
        assert!(b.approx_eq(&a.map(|c, _| c.as_ref().iter().sum::<usize>() as i64), 0.0));
        let again = a.with_vals(a.vals().to_vec()).unwrap();
        assert_eq!(again, a);
        if !a.vals().is_empty() {
            assert!(matches!(a.with_vals(vec![1]), Err(Error::Parts { .. }) | Ok(_)));
            assert!(matches!(a.with_vals(Vec::<i64>::new()), Err(Error::Parts { .. })));
        }
    }
}

#[test]
fn tensors_of_one_structure_are_combined_by_values() {
    for_each_format!(zip, zip, zip);
}

#[test]
fn structures_are_compared_if_they_are_not_shared() {
    let entries = [([0, 1], 2.0), ([1, 0], 3.0)];
    let a = Tensor::<f64, Csr>::from_triplets([2, 2], entries).unwrap();
    let mut b = Tensor::<f64, Csr>::from_triplets([2, 2], entries).unwrap();
    assert!(a.same_structure(&b) && !std::ptr::eq(a.levels(), b.levels()));
    b.insert([1, 1], 1.0).unwrap();
    assert!(!a.same_structure(&b));
    let error = a.zip_vals(&b, |a, b| a + b).unwrap_err().to_string();
    assert!(error.starts_with("`zip_vals`: the tensors store different coordinates"), "{error}");
    let error = b.update_vals(&Tensor::zeros([2, 3]).unwrap(), |_, _: f64| ()).unwrap_err();
    assert_eq!(error.to_string(), "`update_vals`: the shapes [2, 2] and [2, 3] differ");
}

#[test]
fn shared_arrays_are_copied_before_they_change() {
    let a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 2.0)]).unwrap();
    let (mut b, mut c) = (a.clone(), a.clone());
    let (levels, _) = b.take_parts();
    assert_eq!(&levels, a.levels());
    c.vals_mut()[0] = 7.0;
    assert!(std::ptr::eq(a.levels(), c.levels()));
    assert_eq!((a.get([0, 1]), b.get([0, 1]), c.get([0, 1])), (Some(2.0), Some(0.0), Some(7.0)));
    // The only owner does not copy.
    let crd = c.clone().into_parts().1.1.crd;
    drop(a);
    let before = c.levels().1.crd.as_ptr();
    assert_eq!(c.into_parts().1.1.crd.as_ptr(), before);
    assert_eq!(crd, [1]);
}
