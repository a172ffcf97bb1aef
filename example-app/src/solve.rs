//! Conjugate gradients for symmetric positive definite systems.

use std::io::Write;
use std::mem::swap;
use std::path::Path;
use std::time::Instant;

use sparsegen::{Csc, Csr, Dense, Error, Tensor};

use crate::{Outcome, kernels};
use example_app::input::{self, Progress};

type Matrix = Tensor<f64, Csr>;
type Vector = Tensor<f64, Dense<1>>;

/// The residual at which the iteration ends, relative to the right-hand side.
pub(crate) const TOLERANCE: f64 = 1e-10;

/// The largest number of iterations per row of the matrix. In exact arithmetic one suffices.
pub(crate) const PATIENCE: usize = 20;

/// The result of conjugate gradients.
pub(crate) struct Solution {
    /// The vector `x` of `A x = b`.
    pub(crate) x: Vector,
    /// The number of iterations.
    pub(crate) iterations: usize,
    /// `|b - A x| / |b|`, recomputed from `x`.
    pub(crate) residual: f64,
}

/// Solves `A x = b` for a `b` whose solution is known, and prints the result.
pub(crate) fn run(file: Option<&Path>, out: &mut dyn Write) -> Outcome<()> {
    let path = input::or_bundled(file, "bcsstk13.mtx");
    writeln!(out, "Conjugate gradients: {}", input::name(&path))?;
    let a = input::matrix(&path)?;
    let [rows, columns] = a.shape();
    writeln!(out, "  matrix             {rows} × {columns}, {} entries", a.stored())?;
    check_symmetry(&a)?;

    let mut ones = Vector::zeros([columns])?;
    ones.vals_mut().fill(1.0);
    let b = kernels::spmv(&a, &ones)?;
    let start = Instant::now();
    let Solution { x, iterations, residual } = conjugate_gradients(&a, &b)?;
    let time = start.elapsed().as_secs_f64();

    let error = x.vals().iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
    writeln!(out, "  right-hand side    b = A · 1, so x is 1 everywhere")?;
    writeln!(out, "  preconditioner     Jacobi")?;
    writeln!(out, "  iterations         {iterations}, in {time:.2} s")?;
    writeln!(out, "  |b - A x| / |b|    {residual:.2e}")?;
    writeln!(out, "  max |x - 1|        {error:.2e}")?;
    Ok(())
}

/// Checks that the matrix is symmetric, as conjugate gradients require.
pub(crate) fn check_symmetry(a: &Matrix) -> Outcome<()> {
    check_square(a.shape())?;
    let difference = kernels::asymmetry(a, &a.to::<Csc>()?)?.sqrt();
    check_difference(difference, kernels::frobenius(a)?.sqrt())
}

/// Checks that a matrix is square.
pub(crate) fn check_square([rows, columns]: [usize; 2]) -> Outcome<()> {
    match rows == columns {
        true => Ok(()),
        false => Err(format!("a matrix of {rows} × {columns} is not square").into()),
    }
}

/// Checks that the norm of `A - Aᵀ` is small beside that of `A`.
pub(crate) fn check_difference(difference: f64, norm: f64) -> Outcome<()> {
    if !norm.is_finite() {
        return Err("the norm of the matrix is not finite".into());
    }
    if difference > 1e-12 * norm {
        let relative = difference / norm;
        return Err(format!("the matrix is not symmetric: |A - Aᵀ| is {relative:.1e} |A|").into());
    }
    Ok(())
}

/// Solves `A x = b` by the method of Hestenes and Stiefel (1952), preconditioned by the diagonal.
///
/// The residual of the recurrence drifts away from the true residual. When it is small enough, the
/// true one is computed, and the iteration restarts from it if that is too large.
pub(crate) fn conjugate_gradients(a: &Matrix, b: &Vector) -> Outcome<Solution> {
    let size = b.shape();
    let w = inverse_diagonal(a)?;
    let scale = norm(b)?;
    let target = TOLERANCE * scale;
    let mut progress = Progress::new();
    let mut iterations = 0;

    let mut x = Vector::zeros(size)?;
    let mut q = Vector::zeros(size)?;
    // A buffer for the next value of a vector, which is then swapped with it.
    let mut next = Vector::zeros(size)?;
    loop {
        let mut r = kernels::residual(b, a, &x)?;
        let mut length = norm(&r)?;
        if length <= target {
            let residual = if scale > 0.0 { length / scale } else { 0.0 };
            return Ok(Solution { x, iterations, residual });
        }
        let mut rho = kernels::weighted_norm(&w, &r)?;
        let mut p = kernels::direction(&w, &r, 0.0, &r)?;
        while length > target {
            kernels::spmv_into(&mut q, a, &p)?;
            let curvature = kernels::dot(&p, &q)?;
            let alpha = rho / curvature;
            if curvature <= 0.0 || !alpha.is_finite() {
                let reason = "the matrix is not positive definite: a search direction p has";
                return Err(format!("{reason} p · A p = {curvature:.1e}").into());
            }
            if iterations == PATIENCE * size[0] {
                let relative = length / scale;
                let reason = format!("no convergence after {iterations} iterations");
                return Err(format!("{reason}: |b - A x| is still {relative:.1e} |b|").into());
            }
            kernels::step_into(&mut next, &x, alpha, &p)?;
            swap(&mut x, &mut next);
            kernels::step_into(&mut next, &r, -alpha, &q)?;
            swap(&mut r, &mut next);
            length = norm(&r)?;

            let before = rho;
            rho = kernels::weighted_norm(&w, &r)?;
            kernels::direction_into(&mut next, &w, &r, rho / before, &p)?;
            swap(&mut p, &mut next);
            iterations += 1;
            progress.tell(|| format!("iteration {iterations}: residual {:.1e}", length / scale));
        }
    }
}

/// Returns the reciprocal of each diagonal entry.
fn inverse_diagonal(a: &Matrix) -> Outcome<Vector> {
    let mut w = Vector::zeros([a.shape()[0]])?;
    for (i, w) in w.vals_mut().iter_mut().enumerate() {
        let diagonal = a.get([i, i]).unwrap_or(0.0);
        if diagonal <= 0.0 {
            let place = i + 1;
            return Err(format!(
                "the matrix is not positive definite: its diagonal has {diagonal} in row {place}"
            )
            .into());
        }
        *w = 1.0 / diagonal;
    }
    Ok(w)
}

fn norm(x: &Vector) -> Result<f64, Error> {
    Ok(kernels::dot(x, x)?.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundled(name: &str) -> Matrix {
        input::matrix(&input::or_bundled(None, name)).unwrap()
    }

    /// Solves for a right-hand side of row numbers, and compares the residual with one computed
    /// without kernels.
    fn solve(a: &Matrix) {
        let mut b = Vector::zeros([a.shape()[0]]).unwrap();
        for (i, b) in b.vals_mut().iter_mut().enumerate() {
            *b = 1.0 + (i % 7) as f64;
        }
        let solution = conjugate_gradients(a, &b).unwrap();
        let mut r = b.vals().to_vec();
        for ([i, j], value) in a {
            r[i] -= value * solution.x.vals()[j];
        }
        let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let residual = length(&r) / length(b.vals());
        assert!(residual < 1e-8, "{residual}");
        assert!((residual - solution.residual).abs() < 1e-10, "{}", solution.residual);
        assert!(solution.iterations > 0);
    }

    #[test]
    fn a_power_network_is_solved() {
        solve(&bundled("1138_bus.mtx"));
    }

    #[test]
    fn a_stiffness_matrix_is_solved() {
        solve(&bundled("bcsstk13.mtx"));
    }

    #[test]
    fn nothing_is_to_be_done_for_a_zero_right_hand_side() {
        let a = Matrix::eye(3).unwrap();
        let solution = conjugate_gradients(&a, &Vector::zeros([3]).unwrap()).unwrap();
        assert_eq!((solution.iterations, solution.residual), (0, 0.0));
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        let b = Vector::from_dense([2], &[1.0, -1.0]).unwrap();
        let indefinite = [([0, 0], 1.0), ([0, 1], 2.0), ([1, 0], 2.0), ([1, 1], 1.0)];
        let hollow = [([0, 1], 1.0), ([1, 0], 1.0)];
        for a in [Matrix::from_triplets([2, 2], indefinite), Matrix::from_triplets([2, 2], hollow)]
        {
            let error = conjugate_gradients(&a.unwrap(), &b).err().unwrap().to_string();
            assert!(error.starts_with("the matrix is not positive definite"), "{error}");
        }
    }

    #[test]
    fn what_is_not_symmetric_is_refused() {
        let a = Matrix::from_triplets([2, 2], [([0, 1], 1.0)]).unwrap();
        assert!(check_symmetry(&a).unwrap_err().to_string().contains("not symmetric"));
        let a = Matrix::zeros([2, 3]).unwrap();
        assert!(check_symmetry(&a).unwrap_err().to_string().contains("not square"));
    }
}
