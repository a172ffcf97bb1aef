//! Tests of how tensors are displayed.

use sparsegen::{Coo, CooUnordered, Csr, Dense, Dia, Scalar, Tensor, View};

#[test]
fn small_tensors_are_shown_whole() {
    let entries = [([0, 1], 2.5), ([2, 0], -1.0)];
    let matrix = Tensor::<f64, Csr>::from_triplets([3, 4], entries).unwrap();
    let table = "csr [3, 4], 2 values stored\n      0    1  2  3\n  0   .  2.5  .  .\n  1   .    .  .  .\n  \
                 2  -1    .  .  .";
    assert_eq!(matrix.to_string(), table);
    let rounded = format!("{matrix:.2}");
    assert!(
        rounded.contains("\n  0      .  2.50  .  .\n") && rounded.contains("-1.00"),
        "{rounded}"
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

#[test]
fn entries_that_no_table_shows_are_listed() {
    // A repeated coordinate, a wide matrix, and a matrix without rows.
    let entries = [([0, 1], 2), ([0, 1], 3)];
    let list = Tensor::<i64, CooUnordered<2>>::from_triplets([2, 2], entries).unwrap();
    assert_eq!(list.to_string(), "coo_unordered [2, 2], 2 values stored\n  [0, 1] 2\n  [0, 1] 3");
    let wide = Tensor::<i64, Csr>::from_triplets([1, 99], [([0, 98], 2)]).unwrap();
    assert_eq!(wide.to_string(), "csr [1, 99], 1 value stored\n  [0, 98] 2");
    let long = Tensor::<i64, Csr>::from_triplets([1, 12], (0..12).map(|j| ([0, j], i64::MAX)));
    assert!(long.unwrap().to_string().contains("\n  [0, 11] 9223372036854775807"));
    let empty = Tensor::<i64, Csr>::zeros([0, 2]).unwrap();
    assert_eq!(empty.to_string(), "csr [0, 2], 0 values stored");
}

#[test]
fn trees_show_what_levels_store() {
    let entries = [([0, 0], 1), ([2, 1], 5)];
    let dia = Tensor::<i64, Dia>::from_triplets([3, 2], entries).unwrap();
    let tree = "\
dia [3, 2] (i, j) -> (j - i : compressed, i : range, j : offset)
├─ j - i = -1
│  ├─ i = 1
│  │  └─ j = 0: 0
│  └─ i = 2
│     └─ j = 1: 5
└─ j - i = 0
   ├─ i = 0
   │  └─ j = 0: 1
   └─ i = 1
      └─ j = 1: 0";
    assert_eq!(dia.tree().to_string(), tree);
    let scalar = Tensor::<f64, Scalar>::from_triplets([], [([], 2.5)]).unwrap();
    assert_eq!(format!("{:.2}", scalar.tree()), "scalar [] () -> (): 2.50");
    let vals = vec![0.5; 1_000_000];
    let long = View::<f64, Dense<1>>::from(&vals).tree().to_string();
    assert_eq!(long.lines().count(), 102);
    assert!(long.ends_with("\n├─ i = 99: 0.5\n└─ …"), "{}", &long[long.len() - 40..]);
}
