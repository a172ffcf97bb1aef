//! Test utilities: formats beyond the built-in ones, and random entries.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeMap;

use sparsegen::{Format, Shape, Tensor};

pub(crate) mod formats;

/// Declares formats, one level per line: its dimension or expression, name, parameters, properties
/// and storage.
macro_rules! declare {
    (@expr ($expr:expr)) => { $expr };
    (@expr $dimension:literal) => { sparsegen::LevelExpr::Dimension($dimension) };
    ($($name:ident = $text:literal, $order:literal {
        $($expr:tt: $level:literal $([$($number:literal),*])? $(.$property:ident)*, $storage:ty;)*
    })*) => {$(
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name;

        impl sparsegen::Format for $name {
            const NAME: &'static str = $text;
            const MAP: sparsegen::Map = sparsegen::Map::new(&[
                $(sparsegen::LevelMap::new(declare!(@expr $expr), $level)
                    $(.parameters(&[$($number),*]))? $(.$property())*),*
            ]);
            type Shape = [usize; $order];
            type Levels = ($($storage,)*);
        }
    )*};
}
pub(crate) use declare;

/// A pseudorandom number generator (Knuth's MMIX constants) with a fixed seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns a number below `bound`, or 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let (multiplier, increment) = (6364136223846793005, 1442695040888963407);
        self.0 = self.0.wrapping_mul(multiplier).wrapping_add(increment);
        (self.0 >> 33) as usize % bound.max(1)
    }

    /// Returns extents from 0 to 6, rarely 0.
    pub(crate) fn shape<S: Shape>(&mut self) -> S {
        let mut shape = S::splat(0);
        for extent in shape.as_mut() {
            *extent = if self.below(12) == 0 { 0 } else { 1 + self.below(6) };
        }
        shape
    }

    /// Returns up to `most` unsorted entries inside a shape, some of them zero, some repeated.
    pub(crate) fn entries<S: Shape>(&mut self, shape: S, most: usize) -> Vec<(S, i64)> {
        let count = if shape.as_ref().contains(&0) { 0 } else { self.below(most + 1) };
        let mut entry = || {
            let mut coordinate = shape;
            coordinate.as_mut().iter_mut().for_each(|extent| *extent = self.below(*extent));
            (coordinate, self.below(9) as i64 - 2)
        };
        (0..count).map(|_| entry()).collect()
    }
}

/// Returns shapes with entries: random ones, and edge cases.
pub(crate) fn operands<S: Shape>(seed: u64) -> Vec<(S, Vec<(S, i64)>)> {
    let mut random = Random(seed);
    let mut random_operand = |round| {
        let shape = random.shape();
        (shape, random.entries(shape, round))
    };
    let mut operands: Vec<_> = (0..40).map(&mut random_operand).collect();
    let ones = |shape: S| coordinates(shape).map(|coordinate| (coordinate, 1));
    for extent in [0, 1, 2, 5] {
        let shape = S::splat(extent);
        // No entry, every entry, the last one, the diagonal, and all at the ends of modes.
        let is_diagonal = |c: &S| c.as_ref().iter().all(|index| *index == c.as_ref()[0]);
        let is_at_an_end = |c: &S| c.as_ref().iter().any(|index| *index + 1 == extent);
        operands.push((shape, Vec::new()));
        operands.push((shape, ones(shape).collect()));
        operands.push((shape, ones(shape).last().into_iter().collect()));
        operands.push((shape, ones(shape).filter(|(c, _)| is_diagonal(c)).collect()));
        operands.push((shape, ones(shape).filter(|(c, _)| is_at_an_end(c)).collect()));
    }
    // One mode is much longer or shorter than the others.
    for mode in 0..S::ORDER {
        let (mut long, mut short) = (S::splat(1), S::splat(4));
        (long.as_mut()[mode], short.as_mut()[mode]) = (70, 1);
        operands.push((long, ones(long).filter(|(c, _)| c.as_ref()[mode] % 5 != 2).collect()));
        operands.push((short, ones(short).step_by(3).collect()));
    }
    operands
}

/// Returns the sum of the entries at each coordinate, the expected content of a tensor.
pub(crate) fn sums<S: Shape>(entries: &[(S, i64)]) -> BTreeMap<Vec<usize>, i64> {
    let mut sums = BTreeMap::new();
    for (coordinate, value) in entries {
        *sums.entry(coordinate.as_ref().to_vec()).or_default() += value;
    }
    sums
}

/// Returns every coordinate inside a shape, in row-major order.
pub(crate) fn coordinates<S: Shape>(shape: S) -> impl Iterator<Item = S> + Clone {
    let count = shape.as_ref().iter().product();
    (0..count).map(move |mut index: usize| {
        let mut coordinate = S::splat(0);
        for (mode, extent) in shape.as_ref().iter().enumerate().rev() {
            coordinate.as_mut()[mode] = index % extent;
            index /= extent;
        }
        coordinate
    })
}

/// Checks a tensor against the expected sums, through every method of access.
pub(crate) fn check<F: Format>(tensor: &Tensor<i64, F>, sums: &BTreeMap<Vec<usize>, i64>) {
    let shape = tensor.shape();
    for coordinate in coordinates(shape) {
        let expected = sums.get(coordinate.as_ref());
        assert_eq!(tensor.get(coordinate), Some(expected.copied().unwrap_or(0)), "{tensor:?}");
        assert!(tensor.contains(coordinate) || expected.is_none_or(|value| *value == 0));
    }
    assert_eq!(tensor.get(shape), (tensor.order() == 0).then(|| tensor.vals()[0]));
    let mut total = 0;
    for (coordinate, value) in tensor.iter() {
        assert!(tensor.contains(coordinate));
        assert!(value == 0 || sums[coordinate.as_ref()] == value, "{tensor:?}");
        total += value;
    }
    assert_eq!(total, sums.values().sum::<i64>());
    assert_eq!(tensor.iter().count(), tensor.stored());
    let (shape, levels, vals) = tensor.clone().into_parts();
    assert_eq!(Tensor::from_parts(shape, levels, vals).as_ref(), Ok(tensor));
}
