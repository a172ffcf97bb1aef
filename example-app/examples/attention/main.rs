//! Attention, in which each position of a sequence attends to few others.
//!
//! ```sh
//! cargo run --release -p example-app --example attention
//! ```
//!
//! Positions attend to their neighbours, and to some positions that all attend to. The kernel computes
//! the scores at these pairs only, their softmax, and the weighted sums of the values. The result is
//! that of attention to all positions with a score of -∞ elsewhere.

use example_app::draw::Picture;
use example_app::{Outcome, at_most, uniform};
use sparsegen::{Csr, Dense, Pattern, Tensor};

sparsegen::include_kernels!(mod kernels = "attention");

type Matrix = Tensor<f64, Dense<2>>;

/// The length of the sequence, and the number of features of a query and of a value.
const LENGTH: usize = 96;
const FEATURES: usize = 16;

/// The distance up to which positions attend to each other, and the distance between positions that
/// all attend to.
const WINDOW: usize = 4;
const STRIDE: usize = 24;

fn main() -> Outcome<()> {
    let pairs = (0..LENGTH).flat_map(|i| (0..LENGTH).map(move |j| [i, j]));
    let attended = pairs.filter(|[i, j]| attends(*i, *j));
    let entries = attended.map(|pair| (pair, Pattern::<f64>::ONE));
    let mask = Tensor::<_, Csr>::from_triplets([LENGTH, LENGTH], entries)?;

    let mut random = uniform(3);
    let mut matrix = || -> Result<Matrix, sparsegen::Error> {
        let mut matrix = Matrix::zeros([LENGTH, FEATURES])?;
        matrix.vals_mut().fill_with(|| 4.0 * random() - 2.0);
        Ok(matrix)
    };
    let (queries, keys, values) = (matrix()?, matrix()?, matrix()?);
    let scale = 1.0 / (FEATURES as f64).sqrt();

    let (_, _, weights, sums, output) = kernels::attend(&mask, &queries, &keys, scale, &values)?;
    let all = LENGTH * LENGTH;
    println!("{LENGTH} positions, {} of {all} pairs attend", mask.nnz());

    let expected = to_all([&queries, &keys, &values].map(Tensor::vals), scale);
    let differences = output.vals().iter().zip(&expected).map(|(a, b)| (a - b).abs());
    let difference = differences.fold(0.0, f64::max);
    println!("difference from dense attention  {difference:.1e}");
    at_most("the difference from dense attention", difference, 1e-13)?;

    let mut picture = Picture::new([660.0, 690.0], "Attention of each position (row) to others");
    let weight = |i, j| weights.get([i, j]).map_or(0.0, |weight| weight / sums.vals()[i]);
    let shade = |i, j| if attends(i, j) { 0.12 + weight(i, j) * 1.5 } else { 0.0 };
    picture.matrix([42.0, 60.0], 6.0, [LENGTH, LENGTH], shade, "f0");
    picture.text([42.0, 48.0], "start", "position attended to →");
    picture.text(
        [42.0, 660.0],
        "start",
        "The stronger the color, the greater the weight. Other pairs are never computed.",
    );
    println!("picture  {}", picture.save("attention")?.display());
    Ok(())
}

/// Returns whether position `i` attends to position `j`.
fn attends(i: usize, j: usize) -> bool {
    i.abs_diff(j) <= WINDOW || j.is_multiple_of(STRIDE)
}

/// Computes attention to all positions, with a score of -∞ for pairs that do not attend.
fn to_all([q, k, v]: [&[f64]; 3], scale: f64) -> Vec<f64> {
    let row = |matrix: &[f64], i: usize| matrix[i * FEATURES..(i + 1) * FEATURES].to_vec();
    let mut output = Vec::new();
    for i in 0..LENGTH {
        let scores: Vec<f64> = (0..LENGTH)
            .map(|j| {
                let product = row(q, i).iter().zip(row(k, j)).map(|(a, b)| a * b).sum::<f64>();
                if attends(i, j) { scale * product } else { f64::NEG_INFINITY }
            })
            .collect();
        let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - greatest).exp()).collect();
        let total: f64 = weights.iter().sum();
        output.extend(
            (0..FEATURES).map(|f| {
                (0..LENGTH).map(|j| weights[j] * v[j * FEATURES + f]).sum::<f64>() / total
            }),
        );
    }
    output
}
