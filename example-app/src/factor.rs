//! The CP decomposition: approximation of a tensor of order 3 by a sum of outer products.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use sparsegen::{Csf, Dense, Error, Tensor};

use crate::Outcome;
use crate::cholesky::solve_rows;
use crate::kernels::{self, CsfJik, CsfKij};
use example_app::draw::Chart;
use example_app::input::{self, Progress};
use example_app::uniform;

/// A dense matrix: a factor, or a Gram matrix.
type Matrix = Tensor<f64, Dense<2>>;

/// The number of outer products, which is the extent of `r` in `kernels.toml`.
pub(crate) const RANK: usize = 16;

/// The largest number of sweeps.
pub(crate) const SWEEPS: usize = 300;

/// The gain in fit below which the iteration ends.
pub(crate) const TOLERANCE: f64 = 1e-6;

/// A tensor, stored once for each mode as the outermost one.
pub(crate) struct Stored {
    ijk: Tensor<f64, Csf<3>>,
    jik: Tensor<f64, CsfJik>,
    kij: Tensor<f64, CsfKij>,
}

/// Three factors `A`, `B` and `C` of the model, the sum over `r` of `A[i,r] * B[j,r] * C[k,r]`.
pub(crate) struct Model {
    factors: [Matrix; 3],
}

/// The fit of a model after some sweeps.
pub(crate) struct Fit {
    /// The number of sweeps, each of which updates all factors.
    pub(crate) sweep: usize,
    /// `1 - |X - M| / |X|`, for the tensor `X` and the model `M`: 1 if they are equal.
    pub(crate) fit: f64,
}

/// Computes MTTKRPs with known sums, then a decomposition, and prints its fit.
pub(crate) fn run(file: Option<&Path>, out: &mut dyn Write) -> Outcome<()> {
    let path = input::or_bundled(file, "kinships.tns");
    writeln!(out, "CP decomposition: {}", input::name(&path))?;
    let tensor = input::tensor(&path)?;
    let [i, j, k] = tensor.shape();
    writeln!(out, "  tensor             {i} × {j} × {k}, {} entries", tensor.stored())?;
    let x = Stored::of(tensor)?;

    let expected = RANK as f64 * x.ijk.vals().iter().sum::<f64>();
    let sums = mttkrp_of_ones(&x)?;
    writeln!(out, "  MTTKRP with ones   sums to {:?}, {:?} and {:?}", sums[0], sums[1], sums[2])?;
    writeln!(
        out,
        "  expected           {expected:?}, which is {RANK} times the sum of the entries"
    )?;

    writeln!(out, "  sweep       fit, of rank {RANK}")?;
    let start = Instant::now();
    let mut fits = Vec::new();
    let model = decompose(&x, |Fit { sweep, fit }| {
        fits.push(fit);
        if sweep == 1 || sweep.is_multiple_of(20) {
            writeln!(out, "  {sweep:<10}  {fit:.6}")?;
        }
        Ok(())
    })?;
    let time = start.elapsed().as_secs_f64();
    if let Some(fit) = fits.last() {
        writeln!(out, "  sweeps             {}, in {time:.2} s", fits.len())?;
        writeln!(out, "  fit                {fit:.6}")?;
    }
    writeln!(out, "  recomputed         {:.6}, over the entries of the tensor", x.fit(&model)?)?;
    let chart = Chart {
        title: &format!("CP decomposition of {} by alternating least squares", input::name(&path)),
        across: "sweep",
        up: "fit",
        is_logarithmic: false,
        series: &[(&format!("rank {RANK}"), &fits)],
    };
    writeln!(out, "  picture            {}", chart.draw().save("cp-als")?.display())?;
    Ok(())
}

impl Stored {
    /// Stores a tensor once for each mode as the outermost one.
    pub(crate) fn of(tensor: Tensor<f64, Csf<3>>) -> Result<Stored, Error> {
        Ok(Stored { jik: tensor.to()?, kij: tensor.to()?, ijk: tensor })
    }

    /// Computes the fit of a model independently of the iteration.
    pub(crate) fn fit(&self, model: &Model) -> Result<f64, Error> {
        let [a, b, c] = &model.factors;
        let overlap = kernels::model_overlap(&self.ijk, a, b, c)?;
        let [f, g, h] = [kernels::gram(a)?, kernels::gram(b)?, kernels::gram(c)?];
        fit(kernels::squared_norm(&self.ijk)?, overlap, kernels::model_norm(&f, &g, &h)?)
    }
}

/// Returns `1 - |X - M| / |X|`, given `|X|²`, `X · M` and `|M|²`.
pub(crate) fn fit(tensor: f64, overlap: f64, model: f64) -> Result<f64, Error> {
    let residual = (tensor - 2.0 * overlap + model).max(0.0);
    Ok(1.0 - (residual / tensor).sqrt())
}

/// Returns the sums of the MTTKRPs of all modes if every element of the factors is 1.
fn mttkrp_of_ones(x: &Stored) -> Result<[f64; 3], Error> {
    let [a, b, c] = factors(x.ijk.shape(), || 1.0)?;
    Ok([
        kernels::overlap(&kernels::mttkrp_i(&x.ijk, &b, &c)?, &a)?,
        kernels::overlap(&kernels::mttkrp_j(&x.jik, &a, &c)?, &b)?,
        kernels::overlap(&kernels::mttkrp_k(&x.kij, &a, &b)?, &c)?,
    ])
}

/// Returns a factor for each mode of a tensor, with elements from a function.
pub(crate) fn factors(
    [i, j, k]: [usize; 3],
    mut element: impl FnMut() -> f64,
) -> Result<[Matrix; 3], Error> {
    let mut factor = |extent| {
        let mut factor = Matrix::zeros([extent, RANK])?;
        factor.vals_mut().fill_with(&mut element);
        Ok(factor)
    };
    Ok([factor(i)?, factor(j)?, factor(k)?])
}

/// Decomposes a tensor by alternating least squares (Carroll and Chang, and Harshman, 1970),
/// starting from pseudorandom factors with a fixed seed. Calls `report` after every sweep.
///
/// Each sweep replaces the factors in turn by the least-squares solution for the other two, so that
/// the fit never decreases.
pub(crate) fn decompose(x: &Stored, mut report: impl FnMut(Fit) -> Outcome<()>) -> Outcome<Model> {
    let norm = kernels::squared_norm(&x.ijk)?;
    check_norm(norm)?;
    let [mut a, mut b, mut c] = factors(x.ijk.shape(), uniform(1))?;
    let (mut g, mut h) = (kernels::gram(&b)?, kernels::gram(&c)?);
    let mut progress = Progress::new();
    let mut before = f64::NEG_INFINITY;
    for sweep in 1..=SWEEPS {
        a = unit_columns(least_squares(kernels::mttkrp_i(&x.ijk, &b, &c)?, &g, &h)?)?;
        let f = kernels::gram(&a)?;
        b = unit_columns(least_squares(kernels::mttkrp_j(&x.jik, &a, &c)?, &f, &h)?)?;
        g = kernels::gram(&b)?;
        // The last factor is not normalized, so that it holds the lengths of the columns.
        let m = kernels::mttkrp_k(&x.kij, &a, &b)?;
        c = least_squares(m.clone(), &f, &g)?;
        h = kernels::gram(&c)?;

        let fit = fit(norm, kernels::overlap(&m, &c)?, kernels::model_norm(&f, &g, &h)?)?;
        report(Fit { sweep, fit })?;
        progress.tell(|| format!("sweep {sweep}: fit {fit:.6}"));
        if fit - before < TOLERANCE {
            break;
        }
        before = fit;
    }
    Ok(Model { factors: [a, b, c] })
}

/// Checks that a tensor has a decomposition, given the square of its norm.
pub(crate) fn check_norm(norm: f64) -> Outcome<()> {
    if norm == 0.0 || !norm.is_finite() {
        return Err(format!("a tensor whose norm is {} has no decomposition", norm.sqrt()).into());
    }
    Ok(())
}

/// Returns the factor with the best fit, given its MTTKRP and the Gram matrices of the other
/// factors.
fn least_squares(mut mttkrp: Matrix, f: &Matrix, g: &Matrix) -> Outcome<Matrix> {
    fit_rows(mttkrp.vals_mut(), f, g)?;
    Ok(mttkrp)
}

/// Replaces rows of an MTTKRP by those of the factor with the best fit.
pub(crate) fn fit_rows(rows: &mut [f64], f: &Matrix, g: &Matrix) -> Outcome<()> {
    let mut equations = kernels::gram_product(f, g)?;
    // Linearly dependent columns make the equations singular, so a small multiple of the trace is
    // added to the diagonal, which does not affect the fit noticeably.
    let diagonal = || (0..RANK).map(|r| r * RANK + r);
    let trace: f64 = diagonal().map(|position| equations.vals()[position]).sum();
    for position in diagonal() {
        equations.vals_mut()[position] += 1e-12 * trace;
    }
    if !solve_rows(equations.vals(), rows, RANK) {
        return Err("the normal equations of a factor cannot be solved".into());
    }
    Ok(())
}

/// Returns the factor with each column divided by its length, which keeps the normal equations of
/// the other factors well scaled. Zero columns are unchanged.
fn unit_columns(factor: Matrix) -> Result<Matrix, Error> {
    kernels::scale_columns(&factor, &weights(&kernels::gram(&factor)?))
}

/// Returns the reciprocal of the length of each column of a factor, given its Gram matrix, and 1 for
/// zero columns.
pub(crate) fn weights(gram: &Matrix) -> Vec<f64> {
    let lengths = (0..RANK).map(|r| gram.vals()[r * RANK + r].sqrt());
    lengths.map(|length| if length > 0.0 { 1.0 / length } else { 1.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinships() -> Stored {
        Stored::of(input::tensor(&input::or_bundled(None, "kinships.tns")).unwrap()).unwrap()
    }

    #[test]
    fn every_mttkrp_is_that_of_a_loop_by_hand() {
        let x = kinships();
        let [a, b, c] = factors(x.ijk.shape(), uniform(7)).unwrap();
        let mut expected = factors(x.ijk.shape(), || 0.0).unwrap();
        for ([i, j, k], value) in &x.ijk {
            for r in 0..RANK {
                let [a, b, c] = [(&a, i), (&b, j), (&c, k)].map(|(f, n)| f.vals()[n * RANK + r]);
                expected[0].vals_mut()[i * RANK + r] += value * b * c;
                expected[1].vals_mut()[j * RANK + r] += value * a * c;
                expected[2].vals_mut()[k * RANK + r] += value * a * b;
            }
        }
        let found = [
            kernels::mttkrp_i(&x.ijk, &b, &c).unwrap(),
            kernels::mttkrp_j(&x.jik, &a, &c).unwrap(),
            kernels::mttkrp_k(&x.kij, &a, &b).unwrap(),
        ];
        for (found, expected) in found.iter().zip(&expected) {
            assert!(found.approx_eq(expected, 1e-12));
        }
    }

    #[test]
    fn the_fit_never_falls_and_ends_high() {
        let x = kinships();
        let mut fits = Vec::new();
        let model = decompose(&x, |Fit { fit, .. }| {
            fits.push(fit);
            Ok(())
        });
        for pair in fits.windows(2) {
            assert!(pair[1] > pair[0] - 1e-9, "{pair:?}");
        }
        let last = fits[fits.len() - 1];
        assert!(last > 0.28, "{last}");
        assert!((x.fit(&model.unwrap()).unwrap() - last).abs() < 1e-9);
    }

    #[test]
    fn a_tensor_of_low_rank_is_found_again() {
        // Two outer products, of increasing and of decreasing vectors.
        let value = |i, j, k| ((1 + i) * (2 + j) * (3 + k) + (6 - i) * (5 - j) * (1 + k)) as f64;
        let all = (0..6 * 5 * 4).map(|n| [n / 20, n / 4 % 5, n % 4]);
        let entries = all.map(|[i, j, k]| ([i, j, k], value(i, j, k)));
        let x = Stored::of(Tensor::from_triplets([6, 5, 4], entries).unwrap()).unwrap();
        let model = decompose(&x, |_| Ok(())).unwrap();
        assert!(x.fit(&model).unwrap() > 0.999);
    }

    #[test]
    fn a_tensor_without_entries_is_refused() {
        for shape in [[0, 0, 0], [2, 3, 4]] {
            let x = Stored::of(Tensor::zeros(shape).unwrap()).unwrap();
            let error = decompose(&x, |_| Ok(())).err().unwrap().to_string();
            assert!(error.contains("has no decomposition"), "{error}");
        }
    }
}
