//! The growth of communication with the number of ranks, on pretended ranks: up to 65,536 of them.

use std::collections::BTreeSet;

use sparsegen::distributed::{Layout, Report};
use sparsegen::{Csr, Dense, Tensor};

use super::kernels;
use super::random::Random;

type Matrix = Tensor<f64, Csr<u64, u64>>;

/// The binary logarithm of the number of rows.
const SCALE: usize = 14;

/// Asserts that products send what the structure of matrices demands, on 2^0, 2^2, … 2^16 ranks.
pub fn growth() {
    let rows = 1 << SCALE;
    let x = Tensor::<f64, Dense<1>>::from_dense([rows], &vec![1.0; rows]).expect("fits");
    let (grid, power_law, uniform) = (grid(), power_law(), uniform());
    for (name, matrix) in [("grid", &grid), ("power law", &power_law), ("uniform", &uniform)] {
        let mut before = 0;
        for ranks in (0..=16).step_by(2).map(|log| 1 << log) {
            let layout = Layout::equal(rows, ranks);
            let report = kernels::spmv_simulate(ranks, matrix, &x).expect("the extents agree");
            let what = format!("{name} on {ranks} ranks");
            assert_minimal(&what, &report, matrix, &layout, |_| 1);
            assert!(report.volume() >= before, "{what}");
            before = report.volume();
            if name == "grid" {
                assert_eq!(before, volume_of_grid(ranks.min(rows)), "{what}");
            }
        }
        // On one row for each rank, every entry off the diagonal is sent.
        let others = matrix.iter().filter(|([i, j], _)| i != j).count();
        assert_eq!(before, others, "{name}");
    }
    let mut lengths = vec![0; rows];
    grid.iter().for_each(|([i, _], _)| lengths[i] += 1);
    for ranks in [1, 1 << 8, 1 << 16] {
        let report = kernels::spgemm_simulate(ranks, &grid, &grid).expect("the extents agree");
        let what = format!("square of the grid on {ranks} ranks");
        assert_minimal(&what, &report, &grid, &Layout::equal(rows, ranks), |j| lengths[j]);
    }
    // The operand that every rank has whole is shared: a copy for each rank would exceed memory.
    let whole = sparsegen::distributed::Pretended::replicated(&x);
    let report = kernels::spmv_simulate(1 << 16, &grid, whole).expect("the extents agree");
    assert_eq!(report.volume(), 0);
}

/// Returns the volume of a product with the five-point stencil, whose rows are numbered line by line,
/// for a power of two of ranks.
fn volume_of_grid(ranks: usize) -> usize {
    let side = 1 << (SCALE / 2);
    match ranks.checked_div(side) {
        // Neighbouring parts exchange a line in each direction.
        None | Some(0 | 1) => 2 * side * (ranks - 1),
        // Each line has several parts: all lines are exchanged, and the ends of the parts.
        Some(parts) => 2 * side * (side - 1) + 2 * side * (parts - 1),
    }
}

/// Asserts that each rank receives the elements of the distinct columns of its rows that other ranks
/// own, from one message of each owner; `count` is the number of elements of a column.
fn assert_minimal(
    what: &str,
    report: &Report,
    matrix: &Matrix,
    layout: &Layout,
    count: impl Fn(usize) -> usize,
) {
    let ranks = layout.ranks();
    let needed: BTreeSet<(usize, usize)> =
        matrix.iter().map(|([i, j], _)| (layout.owner(i), j)).collect();
    let foreign = needed.iter().map(|(rank, j)| (*rank, layout.owner(*j), *j));
    let foreign: Vec<_> = foreign.filter(|(rank, owner, _)| rank != owner).collect();
    let (mut sent, mut received) = (vec![0; ranks], vec![0; ranks]);
    for (rank, owner, j) in &foreign {
        sent[*owner] += count(*j);
        received[*rank] += count(*j);
    }
    let pairs: BTreeSet<_> = foreign.iter().map(|(rank, owner, _)| (rank, owner)).collect();
    assert_eq!(report.messages(), pairs.len(), "{what}");
    for (rank, traffic) in report.ranks.iter().enumerate() {
        assert_eq!(
            (traffic.sent, traffic.received),
            (sent[rank], received[rank]),
            "{what}: {rank}"
        );
    }
}

fn matrix(entries: impl IntoIterator<Item = [usize; 2]>) -> Matrix {
    let entries: BTreeSet<[usize; 2]> = entries.into_iter().collect();
    let entries = entries.into_iter().map(|at| (at, 1.0));
    Tensor::from_triplets([1 << SCALE; 2], entries).expect("the format stores all entries")
}

/// Returns the five-point stencil on a square grid.
fn grid() -> Matrix {
    let side = 1 << (SCALE / 2);
    let of = |row: usize| {
        let (line, column) = (row / side, row % side);
        let below = (line > 0).then(|| row - side);
        let left = (column > 0).then(|| row - 1);
        let right = (column + 1 < side).then_some(row + 1);
        let above = (line + 1 < side).then_some(row + side);
        [below, left, Some(row), right, above].into_iter().flatten().map(move |j| [row, j])
    };
    matrix((0..side * side).flat_map(of))
}

/// Returns an R-MAT graph (Chakrabarti, Zhan and Faloutsos 2004): each bit of an entry's coordinates
/// chooses a quadrant, of which the first one is the most probable.
fn power_law() -> Matrix {
    let mut random = Random::new(3);
    matrix((0..6 << SCALE).map(|_| {
        (0..SCALE).fold([0, 0], |[i, j], _| {
            let [below, right] = match random.next() % 100 {
                0..57 => [0, 0],
                57..76 => [0, 1],
                76..95 => [1, 0],
                _ => [1, 1],
            };
            [2 * i + below, 2 * j + right]
        })
    }))
}

/// Returns a matrix with entries anywhere.
fn uniform() -> Matrix {
    let mut random = Random::new(4);
    let mut coordinate = || random.next() as usize % (1 << SCALE);
    matrix((0..5 << SCALE).map(|_| [coordinate(), coordinate()]))
}
