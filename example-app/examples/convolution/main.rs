//! Filters images by stencils, of every pixel and of those alone that are not 0.
//!
//! ```sh
//! cargo run --release -p example-app --example convolution
//! ```
//!
//! A photograph is a dense matrix, a drawing a sparse one. One expression describes the filter of
//! both; for the drawing, the loops visit the strokes only, and so does the result.

use example_app::draw::Picture;
use example_app::{Outcome, at_most};
use sparsegen::{Csr, Dense, Tensor};

sparsegen::include_kernels!(mod kernels = "convolution");

type Image = Tensor<f64, Dense<2>>;

/// The number of pixels along a side of the images.
const SIDE: usize = 64;

/// The weights of a blur, and of the two components of a gradient (Sobel and Feldman 1968).
const BLUR: [f64; 9] = [1.0, 2.0, 1.0, 2.0, 4.0, 2.0, 1.0, 2.0, 1.0];
const ACROSS: [f64; 9] = [-1.0, 0.0, 1.0, -2.0, 0.0, 2.0, -1.0, 0.0, 1.0];
const DOWN: [f64; 9] = [-1.0, -2.0, -1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 1.0];

fn main() -> Outcome<()> {
    let [blur, across, down] =
        [BLUR.map(|w| w / 16.0), ACROSS.map(|w| w / 8.0), DOWN.map(|w| w / 8.0)];
    let [blur, across, down] = [window(&blur)?, window(&across)?, window(&down)?];

    let photograph = Image::from_fn([SIDE, SIDE], |[y, x]| shade(y as f64, x as f64))?;
    let mut blurred = Image::zeros([SIDE, SIDE])?;
    kernels::filter_into(&mut blurred, &blur, &photograph)?;
    compare("blurred", &blurred, &by_hand(&photograph, &blur))?;

    let drawing = Tensor::<f64, Csr>::from_fn([SIDE, SIDE], |[y, x]| stroke(y as f64, x as f64))?;
    let mut rises = [Tensor::<f64, Csr>::zeros([SIDE, SIDE])?, Tensor::zeros([SIDE, SIDE])?];
    kernels::filter_strokes_into(&mut rises[0], &across, &drawing)?;
    kernels::filter_strokes_into(&mut rises[1], &down, &drawing)?;
    let edges = kernels::gradient(&rises[0], &rises[1])?;
    println!(
        "the drawing has {} of {} pixels, its edges {}",
        drawing.nnz(),
        SIDE * SIDE,
        edges.nnz()
    );
    let dense = drawing.to::<Dense<2>>()?;
    let [horizontal, vertical] = [by_hand(&dense, &across), by_hand(&dense, &down)];
    let lengths: Vec<f64> = horizontal.iter().zip(&vertical).map(|(x, y)| x.hypot(*y)).collect();
    compare("edges", &edges.to()?, &lengths)?;

    let mut picture = Picture::new([640.0, 670.0], "Images, and what the stencils make of them");
    let images = [&photograph, &blurred, &dense, &edges.to()?];
    let names = ["dense image", "blurred", "drawing, stored as csr", "its edges, as csr"];
    for (number, (image, name)) in images.into_iter().zip(names).enumerate() {
        let corner = [30.0 + 300.0 * (number % 2) as f64, 64.0 + 306.0 * (number / 2) as f64];
        let gray = |y: usize, x: usize| image.vals()[y * SIDE + x];
        picture.matrix(corner, 4.3, [SIDE, SIDE], gray, "f0");
        picture.text([corner[0], corner[1] - 8.0], "start", name);
    }
    println!("picture  {}", picture.save("convolution")?.display());
    Ok(())
}

/// Returns a window of 3 × 3 weights.
fn window(weights: &[f64; 9]) -> Result<Image, sparsegen::Error> {
    Image::from_dense([3, 3], weights)
}

/// The gray value of a pixel of the photograph, from 0 to 1: two balls, and waves.
fn shade(y: f64, x: f64) -> f64 {
    let ball = |cy: f64, cx: f64, radius: f64| {
        let square = ((y - cy).powi(2) + (x - cx).powi(2)) / (radius * radius);
        if square < 1.0 { 0.3 + 0.7 * (1.0 - square).sqrt() } else { 0.0 }
    };
    let wave = 0.12 + 0.1 * (x / 4.0).sin() * (y / 9.0).cos();
    ball(24.0, 22.0, 17.0).max(ball(44.0, 44.0, 13.0)).max(wave)
}

/// The gray value of a pixel of the drawing: a ring and a zigzag, of 1 or 0.
fn stroke(y: f64, x: f64) -> f64 {
    let ring = ((y - 26.0).hypot(x - 26.0) - 18.0).abs() < 1.2;
    let zigzag = (y - 44.0 - (x / 16.0 % 1.0 - 0.5).abs() * 28.0).abs() < 1.2;
    f64::from(ring || zigzag)
}

/// Filters an image pixel by pixel.
fn by_hand(image: &Image, weights: &Image) -> Vec<f64> {
    let pixel = |y: isize, x: isize| {
        let inside = (0..SIDE as isize).contains(&y) && (0..SIDE as isize).contains(&x);
        if inside { image.vals()[y as usize * SIDE + x as usize] } else { 0.0 }
    };
    let mut filtered = Vec::new();
    for y in 0..SIDE as isize {
        for x in 0..SIDE as isize {
            let terms = weights
                .vals()
                .iter()
                .zip(0..)
                .map(|(w, k)| w * pixel(y + k / 3 - 1, x + k % 3 - 1));
            filtered.push(terms.sum());
        }
    }
    filtered
}

/// Prints the greatest difference of an image and the expected one, which is rounding only.
fn compare(what: &str, image: &Image, expected: &[f64]) -> Outcome<()> {
    let differences = image.vals().iter().zip(expected).map(|(a, b)| (a - b).abs());
    let difference = differences.fold(0.0, f64::max);
    println!("{what}: difference from a filter by hand {difference:.1e}");
    at_most("the difference", difference, 1e-14)
}
