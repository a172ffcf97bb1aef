//! Tests of how tensors are displayed.

use sparsegen::{Coo, Csr, Dense, Tensor, View};

#[test]
fn small_tensors_are_shown_whole() {
    let entries = [([0, 1], 2.5), ([2, 0], -1.0)];
    let matrix = Tensor::<f64, Csr>::from_triplets([3, 4], entries).unwrap();
    assert_eq!(matrix.to_string(), "csr [3, 4], 2 values stored\n  [0, 1] 2.5\n  [2, 0] -1");
    assert_eq!(
        format!("{matrix:.2}"),
        "csr [3, 4], 2 values stored\n  [0, 1] 2.50\n  [2, 0] -1.00"
    );
    assert_eq!(
        format!("{matrix:?}"),
        "csr { shape: [3, 4], size1: [3], pos2: [0, 1, 1, 2], crd2: [1, 0], vals: [2.5, -1.0] }"
    );
}

#[test]
fn large_tensors_are_abridged() {
    let vals: Vec<i64> = (0..1000).collect();
    let text = View::<i64, Dense<1>>::from(&vals).to_string();
    assert!(text.starts_with("dense [1000], 1000 values stored\n  [0] 0\n  [1] 1\n"), "{text}");
    assert!(text.ends_with("\n  [15] 15\n  … and 984 more"), "{text}");
    let empty = Tensor::<f64, Coo<3>>::zeros([1000, 0, 5]).unwrap();
    assert_eq!(empty.to_string(), "coo [1000, 0, 5], 0 values stored");
}
