//! Operands and layouts from a seed, the same on every rank.

use sparsegen::distributed::Layout;
use sparsegen::{Dense, Format, Shape, SparseVector, Tensor};

/// A sequence of numbers, by SplitMix64 (Steele, Lea and Flood 2014).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// Returns a tensor in which a part of the coordinates has an entry.
    pub fn tensor<F: Format>(&mut self, shape: F::Shape, density: f64) -> Tensor<f64, F> {
        let count: usize = shape.as_ref().iter().product();
        let mut entries = Vec::new();
        for number in 0..count {
            if self.below(1000) as f64 >= density * 1000.0 {
                continue;
            }
            let mut rest = number;
            let mut coordinate = F::Shape::splat(0);
            for (coordinate, extent) in coordinate.as_mut().iter_mut().zip(shape.as_ref()).rev() {
                (*coordinate, rest) = (rest % extent, rest / extent);
            }
            entries.push((coordinate, self.below(17) as f64 - 8.5));
        }
        Tensor::from_triplets(shape, entries).expect("the format stores all entries")
    }
}

/// Returns equal parts, random ones, all coordinates on one rank, or parts of which some are empty.
pub fn layout(random: &mut Random, extent: usize, ranks: usize, kind: usize) -> Layout {
    let mut offsets: Vec<usize> = match kind {
        0 => return Layout::equal(extent, ranks),
        1 => (1..ranks).map(|_| random.below(extent + 1)).collect(),
        2 => {
            let owner = random.below(ranks);
            (1..ranks).map(|rank| if rank <= owner { 0 } else { extent }).collect()
        }
        _ => (1..ranks).map(|_| random.below(2) * extent / 2).collect(),
    };
    offsets.sort_unstable();
    let all: Vec<usize> = [0].into_iter().chain(offsets).chain([extent]).collect();
    Layout::from_offsets(&all).expect("the offsets ascend")
}

/// Returns the positive elements.
pub fn sparse(x: &Tensor<f64, Dense<1>>) -> Tensor<f64, SparseVector<u64, u64>> {
    let positive = x.iter().filter(|(_, value)| *value > 0.0);
    Tensor::from_triplets(x.shape(), positive).expect("the format stores all entries")
}
