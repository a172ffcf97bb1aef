//! Comparisons of distributed results with those of one process.

use std::fmt::Debug;

use sparsegen::distributed::{Distributed, Exchanged, Layout, Report, World};
use sparsegen::{Csr, Format, Tensor, Value};

/// Asserts that a distributed result has the values and the structure of the expected one.
#[track_caller]
pub fn assert_same<V, F: Format>(
    what: &str,
    world: &World,
    found: &Distributed<V, F>,
    expected: &Tensor<V, F>,
) where
    V: Value + Exchanged,
{
    let found = found.gather(world).expect("the parts are valid");
    assert_eq!(found.shape().as_ref(), expected.shape().as_ref(), "{what}");
    let mut entries: Vec<_> = found.iter().collect();
    let mut others: Vec<_> = expected.iter().collect();
    entries.sort_by_key(|(at, _)| at.as_ref().to_vec());
    others.sort_by_key(|(at, _)| at.as_ref().to_vec());
    assert_eq!(entries.len(), others.len(), "{what}: {entries:?} instead of {others:?}");
    for ((at, value), (expected_at, expected)) in entries.iter().zip(&others) {
        assert_eq!(at.as_ref(), expected_at.as_ref(), "{what}");
        assert!(value.is_close(*expected, 1e-12), "{what}: {value} at {at:?}, not {expected}");
    }
}

/// Asserts that two runs have the same bits.
#[track_caller]
pub fn assert_identical<V: Value + Debug, F: Format>(a: &Distributed<V, F>, b: &Distributed<V, F>) {
    assert!(a.local().same_structure(b.local()));
    assert!(a.local().vals() == b.local().vals(), "{a:?} and {b:?}");
}

/// Asserts that a product sends the elements of `x` at the distinct columns of each rank's rows that
/// other ranks own, and nothing else, and that memory is that of these and of the entries.
pub fn minimal_volume(
    world: &World,
    a: &Tensor<f64, Csr<u64, u64>>,
    rows: &Layout,
    columns: &Layout,
    report: &Report,
) {
    for rank in 0..world.size() {
        let mut needed: Vec<usize> = a
            .iter()
            .filter(|([i, _], _)| rows.range(rank).contains(i))
            .map(|([_, j], _)| j)
            .collect();
        let entries = needed.len();
        needed.sort_unstable();
        needed.dedup();
        let elements = needed.len();
        needed.retain(|j| !columns.range(rank).contains(j));
        let of_rank = &report.ranks[rank];
        assert_eq!(of_rank.received, needed.len(), "rank {rank}");
        // A value and two coordinates, or one; a value and its position.
        let memory = 24 * entries + 16 * elements + 16 * (of_rank.sent + of_rank.received);
        assert_eq!(of_rank.memory, memory, "rank {rank}");
    }
}
