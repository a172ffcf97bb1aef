//! Tests of the generated conversions, beside general packing.

use super::super::build::Merge;
use super::super::pack::pack;
use super::*;

/// Compares the kernel with packing, for entries without and with zeros among them.
fn compare<F, G>()
where
    F: Format<Shape = [usize; 2]>,
    G: Format<Shape = [usize; 2]>,
{
    let all = |i: usize, j: usize| (7 * i + 5 * j) % 11;
    for shape in [[0, 0], [0, 3], [4, 0], [1, 1], [7, 9], [12, 5]] {
        for (first, zero) in [(0, usize::MAX), (4, usize::MAX), (6, 7), (11, 0)] {
            let entries = (0..shape[0]).flat_map(|i| (0..shape[1]).map(move |j| [i, j]));
            let entries = entries.filter(|[i, j]| all(*i, *j) >= first || *i == *j);
            let value = |[i, j]: [usize; 2]| match all(i, j) == zero {
                true => 0,
                false => 1 + all(i, j) as i64,
            };
            let entries: Vec<_> = entries.map(|entry| (entry, value(entry))).collect();
            let tensor = Tensor::<i64, F>::from_triplets(shape, entries).expect("it is small");
            let converted: Tensor<i64, G> = convert(&tensor.view()).expect("there is a kernel");
            let view = tensor.view();
            let packed: Tensor<i64, G> = pack(shape, view.iter(), Merge::SUM).expect("it is small");
            assert_eq!(converted, packed, "{} to {}, {shape:?}", F::NAME, G::NAME);
        }
    }
}

#[test]
fn kernels_store_what_packing_stores() {
    for_each_pair!(compare);
}

#[test]
fn formats_without_a_kernel_are_left_to_packing() {
    let tensor = Tensor::<f64, Csr>::zeros([3, 3]).expect("it is small");
    assert!(convert::<_, _, HashRows>(&tensor.view()).is_none());
    assert!(convert::<_, _, Csr>(&tensor.view()).is_none());
}
