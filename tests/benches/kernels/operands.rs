//! Operands of the benchmarks: generated matrices and tensors, which are the same in every run.

use std::time::Duration;

use sparsegen::{Csf, Csr, Tensor, level};

/// Two sparse matrices of one kind and shape.
pub struct Pair {
    /// The name of the kind in reports.
    pub name: &'static str,
    /// The matrix of products with vectors and dense matrices, and the first operand of elementwise
    /// operations.
    pub a: Tensor<f64, Csr>,
    /// The second operand of elementwise operations.
    pub b: Tensor<f64, Csr>,
    /// `true` if the entries lie on few diagonals, so that diagonals and slots store little padding.
    pub is_regular: bool,
    /// `true` if few rows have most of the entries, so that hash tables of one width would store
    /// little else than empty slots.
    pub has_long_rows: bool,
}

/// A sparse tensor of order 3.
pub struct Single {
    /// The name of the kind in reports.
    pub name: &'static str,
    /// The tensor.
    pub x: Tensor<f64, Csf<3>>,
}

/// The size of the operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Matrices of four to five million entries, which exceed the caches of a core.
    Full,
    /// A tenth of that, for products whose results have many more entries than their operands.
    Tenth,
    /// A hundredth of that, for testing.
    Small,
}

impl Scale {
    /// Returns the scale of products of sparse matrices, given the scale of other operations.
    pub fn of_products(self) -> Scale {
        match self {
            Scale::Full | Scale::Tenth => Scale::Tenth,
            Scale::Small => Scale::Small,
        }
    }

    /// Returns the time after which a contest ends with fewer than the largest number of rounds.
    pub fn patience(self) -> Duration {
        Duration::from_millis(match self {
            Scale::Full => 4000,
            Scale::Tenth => 300,
            Scale::Small => 100,
        })
    }

    fn of(self, full: usize) -> usize {
        match self {
            Scale::Full => full,
            Scale::Tenth => full / 10,
            Scale::Small => full / 100,
        }
    }
}

/// The generators of pairs of matrices, one for each kind.
pub const MATRICES: &[fn(Scale) -> Pair] = &[poisson, power_law, uniform, banded];

/// The generators of tensors of order 3, one for each kind.
pub const TENSORS: &[fn(Scale) -> Single] = &[uniform_tensor, power_law_tensor];

/// Matrices from practice, small enough to be dense too, as name and file.
pub const FILES: &[(&str, &str)] =
    &[("stiffness", "bcsstk13"), ("crystal", "cryg2500"), ("programme", "lp_e226")];

/// Reads a matrix from a file of the test data.
pub fn read(file: &str) -> Tensor<f64, Csr> {
    let path = format!("{}/data/{file}.mtx", env!("CARGO_MANIFEST_DIR"));
    sparsegen::io::read_mtx(path).expect("the file is one of a matrix")
}

/// Generates the five-point stencil on a square grid of 10⁶ points; the second matrix couples each
/// point with its diagonal neighbours, so that the two share the diagonal.
fn poisson(scale: Scale) -> Pair {
    let side = scale.of(1_000_000).isqrt();
    let stencil = |steps: [(isize, isize); 5]| {
        let rows = (0..side * side).map(|row| {
            let step = |(down, right): (isize, isize)| {
                let y = (row / side).checked_add_signed(down).filter(|y| *y < side)?;
                let x = (row % side).checked_add_signed(right).filter(|x| *x < side)?;
                Some(y * side + x)
            };
            steps.into_iter().filter_map(step).collect()
        });
        matrix(side * side, rows)
    };
    Pair {
        name: "poisson",
        a: stencil([(-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)]),
        b: stencil([(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)]),
        is_regular: true,
        has_long_rows: false,
    }
}

/// Generates R-MAT graphs of 2¹⁸ nodes and up to 16 edges per node: few long rows, many short ones.
fn power_law(scale: Scale) -> Pair {
    let nodes = scale.of(1 << 18).next_power_of_two();
    let graph = |seed| {
        let mut random = Random(seed);
        let mut rows = vec![Vec::new(); nodes];
        for _ in 0..16 * nodes {
            let (mut row, mut column) = (0, 0);
            for _ in 0..nodes.ilog2() {
                let quadrant = random.unit();
                row = 2 * row + usize::from(quadrant >= 0.76);
                column =
                    2 * column + usize::from((0.57..0.76).contains(&quadrant) || quadrant >= 0.95);
            }
            rows[row].push(column);
        }
        matrix(nodes, rows)
    };
    Pair { name: "power law", a: graph(1), b: graph(2), is_regular: false, has_long_rows: true }
}

/// Generates up to eight entries per row, in uniformly distributed columns of half a million.
fn uniform(scale: Scale) -> Pair {
    let size = scale.of(500_000);
    let scattered = |seed| {
        let mut random = Random(seed);
        matrix(size, (0..size).map(|_| (0..8).map(|_| random.below(size)).collect()))
    };
    Pair {
        name: "uniform",
        a: scattered(3),
        b: scattered(4),
        is_regular: false,
        has_long_rows: false,
    }
}

/// Generates band matrices with all columns within eight of the diagonal; both have the same
/// pattern.
fn banded(scale: Scale) -> Pair {
    let size = scale.of(250_000);
    let band =
        || matrix(size, (0..size).map(|row| (row.saturating_sub(8)..size.min(row + 9)).collect()));
    Pair { name: "banded", a: band(), b: band(), is_regular: true, has_long_rows: false }
}

/// Generates up to two million uniformly distributed entries: two in each nonempty fiber.
fn uniform_tensor(scale: Scale) -> Single {
    let mut random = Random(5);
    let entries = (0..scale.of(2_000_000)).map(|_| [(); 3].map(|()| random.below(1000)));
    Single { name: "uniform", x: tensor([1000; 3], entries.collect()) }
}

/// Generates as many entries, most of them at small coordinates: long and short fibers.
fn power_law_tensor(scale: Scale) -> Single {
    let mut random = Random(6);
    let mut skewed = || ((random.unit().powi(3) * 5000.0) as usize).min(4999);
    let entries = (0..scale.of(2_000_000)).map(|_| [skewed(), skewed(), skewed()]);
    Single { name: "power law", x: tensor([5000; 3], entries.collect()) }
}

/// Returns a square matrix, given the unsorted columns of each row; duplicates are removed.
fn matrix(size: usize, rows: impl IntoIterator<Item = Vec<usize>>) -> Tensor<f64, Csr> {
    let (mut pos, mut crd) = (vec![0], Vec::new());
    for mut columns in rows {
        columns.sort_unstable();
        columns.dedup();
        crd.extend(columns.into_iter().map(|column| column as u32));
        pos.push(crd.len() as u32);
    }
    let vals = values(crd.len());
    let levels = (level::Dense { size }, level::Compressed { pos, crd });
    Tensor::from_parts([size, size], levels, vals).expect("the rows are sorted")
}

fn tensor(shape: [usize; 3], mut coordinates: Vec<[usize; 3]>) -> Tensor<f64, Csf<3>> {
    coordinates.sort_unstable();
    coordinates.dedup();
    let vals = values(coordinates.len());
    Tensor::from_triplets(shape, coordinates.into_iter().zip(vals))
        .expect("the coordinates are below the extents")
}

/// Returns values between ½ and 1½: no sum of two is zero, so that no library drops it.
pub fn values(count: usize) -> Vec<f64> {
    let mut random = Random(7);
    (0..count).map(|_| 0.5 + random.unit()).collect()
}

/// Returns the entries of a matrix in random order, every tenth of them as two halves.
pub fn scattered(matrix: &Tensor<f64, Csr>) -> Vec<([usize; 2], f64)> {
    let halves = |(k, (coordinate, value)): (usize, ([usize; 2], f64))| {
        let parts = if k % 10 == 0 { vec![value / 2.0; 2] } else { vec![value] };
        parts.into_iter().map(move |part| (coordinate, part))
    };
    let mut entries: Vec<_> = matrix.iter().enumerate().flat_map(halves).collect();
    let mut random = Random(8);
    // The shuffle of Fisher and Yates.
    for last in (1..entries.len()).rev() {
        entries.swap(last, random.below(last + 1));
    }
    entries
}

/// A pseudorandom sequence, the same on every machine: SplitMix64 of Steele, Lea and Flood.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let once = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let twice = (once ^ (once >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        twice ^ (twice >> 31)
    }

    /// Returns a number from 0 up to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.unit() * bound as f64) as usize
    }

    /// Puts elements in a new order.
    pub fn shuffle<T>(&mut self, elements: &mut [T]) {
        for k in (1..elements.len()).rev() {
            elements.swap(k, self.below(k + 1));
        }
    }
}
