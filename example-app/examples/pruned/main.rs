//! A layer of a neural network whose weights have been pruned, in two patterns.
//!
//! ```sh
//! cargo run --release -p example-app --example pruned
//! ```
//!
//! Of each four weights of a row, the two largest are kept; or of the blocks of 4 × 4 weights, those
//! with the largest norms. Either is a format, and the layer is the same expression for both.

use example_app::draw::Picture;
use example_app::{Outcome, at_most, uniform};
use sparsegen::{Dense, Tensor};

sparsegen::include_kernels!(mod kernels = "pruned");

use kernels::{Blocks, TwoOfFour};

type Matrix = Tensor<f32, Dense<2>>;

const OUTPUTS: usize = 64;
const INPUTS: usize = 96;
const BATCH: usize = 32;

/// The part of the blocks that is kept.
const KEPT: f64 = 0.25;

fn main() -> Outcome<()> {
    let shape = [OUTPUTS, INPUTS];
    let mut random = uniform(5);
    // A sum of uniform numbers is nearly normal: most weights are small.
    let weights = Matrix::from_fn(shape, |_| ((0..6).map(|_| random()).sum::<f64>() - 3.0) as f32)?;
    let mut random = uniform(6);
    let inputs = Matrix::from_fn([INPUTS, BATCH], |_| random() as f32)?;
    let bias: Vec<f32> = (0..OUTPUTS).map(|output| output as f32 / OUTPUTS as f32 - 0.5).collect();

    let two_of_four = largest_of_fours(&weights)?;
    let structured = Tensor::<f32, TwoOfFour>::from_dense(shape, two_of_four.vals())?;
    let outputs = kernels::structured_layer(&structured, &inputs, &bias)?;
    report("two of four", structured.vals().len(), &outputs, &two_of_four, &inputs, &bias)?;

    let kept = largest_blocks(&weights)?;
    let blocks = Tensor::<f32, Blocks>::from_dense(shape, kept.vals())?;
    let outputs = kernels::block_layer(&blocks, &inputs, &bias)?;
    report("4 × 4 blocks", blocks.vals().len(), &outputs, &kept, &inputs, &bias)?;

    let mut picture = Picture::new([660.0, 320.0], "The weights that are kept");
    let shade = |matrix: &Matrix, i: usize, j: usize| {
        f64::from(matrix.vals()[i * INPUTS + j].abs()).sqrt() * 0.8
    };
    picture.matrix([20.0, 70.0], 3.1, shape, |i, j| shade(&two_of_four, i, j), "f0");
    picture.matrix([340.0, 70.0], 3.1, shape, |i, j| shade(&kept, i, j), "f1");
    picture.text([20.0, 56.0], "start", "two of each four weights of a row");
    picture.text([340.0, 56.0], "start", "a quarter of the blocks of 4 × 4");
    picture.text(
        [20.0, 300.0],
        "start",
        "Each row is an output, each column an input; the stronger the color, the larger.",
    );
    println!("picture  {}", picture.save("pruned")?.display());
    Ok(())
}

/// Prints how much a format stores, and compares a layer with the dense one for the same weights, in
/// double precision.
fn report(
    pattern: &str,
    stored: usize,
    outputs: &Matrix,
    weights: &Matrix,
    inputs: &Matrix,
    bias: &[f32],
) -> Outcome<()> {
    let dense = kernels::dense_layer(weights, inputs, bias)?;
    let mut difference: f64 = 0.0;
    for (i, bias) in bias.iter().enumerate() {
        for n in 0..BATCH {
            let terms = (0..INPUTS).map(|j| {
                f64::from(weights.vals()[i * INPUTS + j]) * f64::from(inputs.vals()[j * BATCH + n])
            });
            let expected = (terms.sum::<f64>() + f64::from(*bias)).max(0.0);
            for found in [outputs, &dense] {
                difference =
                    difference.max((f64::from(found.vals()[i * BATCH + n]) - expected).abs());
            }
        }
    }
    let all = OUTPUTS * INPUTS;
    println!(
        "{pattern:12}  {stored} of {all} weights, difference from the dense layer {difference:.1e}"
    );
    at_most("the difference from the dense layer", difference, 1e-4)
}

/// Returns the weights without the two smallest of each four of a row.
fn largest_of_fours(weights: &Matrix) -> Result<Matrix, sparsegen::Error> {
    let mut kept = weights.clone();
    for four in kept.vals_mut().chunks_exact_mut(4) {
        let mut order = [0, 1, 2, 3];
        order.sort_by(|&a: &usize, &b| four[a].abs().total_cmp(&four[b].abs()));
        order[..2].iter().for_each(|&smallest| four[smallest] = 0.0);
    }
    Ok(kept)
}

/// Returns the weights of the blocks of the largest norms.
fn largest_blocks(weights: &Matrix) -> Result<Matrix, sparsegen::Error> {
    let norm = |block: usize| {
        let (row, column) = (block / (INPUTS / 4) * 4, block % (INPUTS / 4) * 4);
        let inside = (0..16).map(|k| weights.vals()[(row + k / 4) * INPUTS + column + k % 4]);
        inside.map(|weight| weight * weight).sum::<f32>()
    };
    let count = OUTPUTS * INPUTS / 16;
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| norm(b).total_cmp(&norm(a)));
    order.truncate((KEPT * count as f64) as usize);
    Matrix::from_fn(weights.shape(), |[i, j]| {
        let is_kept = order.contains(&(i / 4 * (INPUTS / 4) + j / 4));
        if is_kept { weights.vals()[i * INPUTS + j] } else { 0.0 }
    })
}
