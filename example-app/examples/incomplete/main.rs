//! Conjugate gradients with an incomplete Cholesky factorization as preconditioner.
//!
//! ```sh
//! cargo run --release -p example-app --example incomplete
//! ```
//!
//! The factor `L` has the pattern of the lower triangle of `A`, and `L Lᵀ` agrees with `A` at the
//! entries of `A`. A kernel computes all of its entries at once from a guess, and a few repetitions
//! suffice. The iteration then takes a fraction of the steps that it takes with the diagonal.

use example_app::draw::Chart;
use example_app::{Outcome, at_most, input};
use sparsegen::{Csr, Dense, Tensor};

sparsegen::include_kernels!(mod kernels = "incomplete");

type Matrix = Tensor<f64, Csr>;
type Vector = Tensor<f64, Dense<1>>;

/// The residual at which the iteration ends, relative to the right-hand side.
const TOLERANCE: f64 = 1e-10;

/// The greatest number of sweeps, and of steps of conjugate gradients.
const SWEEPS: usize = 50;
const STEPS: usize = 10_000;

fn main() -> Outcome<()> {
    let admittances = input::matrix(&input::or_bundled(None, "1138_bus.mtx"))?;
    // A diagonal of ones makes the sweeps converge, and is the preconditioner of Jacobi.
    let a = kernels::scaled(&kernels::inverse_roots(&admittances)?, &admittances)?;
    let [size, _] = a.shape();
    println!("1138_bus.mtx: {size} × {size}, {} entries", a.nnz());

    let mut factor = kernels::lower(&a)?;
    let lower = factor.clone();
    let mut sweeps = 0;
    let mut defect = f64::INFINITY;
    while defect > 1e-14 && sweeps < SWEEPS {
        (_, factor) = kernels::sweep(&lower, &factor)?;
        defect = kernels::defect(&lower, &factor)?;
        sweeps += 1;
    }
    println!("  incomplete Cholesky  {} entries, {sweeps} sweeps", factor.nnz());
    println!("  max |A - L Lᵀ|       {defect:.1e}, at the entries of A");
    at_most("the defect of the factor", defect, 1e-14)?;

    let ones = vec![1.0; size];
    let (b, _) = kernels::product(&a, &ones)?;
    let plain = conjugate_gradients(&a, &b, Vector::clone)?;
    let preconditioned = conjugate_gradients(&a, &b, |r| solve(&factor, r))?;
    let mut histories = Vec::new();
    for (name, (x, history)) in [("Jacobi", plain), ("incomplete Cholesky", preconditioned)] {
        let norm = kernels::dot(&b, &b)?.sqrt();
        let r = kernels::residual(&b, &a, &x)?;
        let residual = kernels::dot(&r, &r)?.sqrt() / norm;
        let error = x.vals().iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
        println!(
            "  {name:19}  {} steps, |b - A x| / |b| = {residual:.1e}, max |x - 1| = {error:.1e}",
            history.len()
        );
        at_most("the residual", residual, 10.0 * TOLERANCE)?;
        histories.push((name, history));
    }
    if histories[1].1.len() * 3 > histories[0].1.len() {
        return Err("the preconditioner does not help".into());
    }

    let series: Vec<(&str, &[f64])> =
        histories.iter().map(|(name, history)| (*name, history.as_slice())).collect();
    let chart = Chart {
        title: "Conjugate gradients on a power network (1138_bus)",
        across: "step",
        up: "relative residual",
        is_logarithmic: true,
        series: &series,
    };
    println!("picture  {}", chart.draw().save("incomplete-cholesky")?.display());
    Ok(())
}

/// Solves `A x = b` by the method of Hestenes and Stiefel (1952); `precondition` approximates the
/// solution for a residual. Returns the solution, and the relative residual after each step.
fn conjugate_gradients(
    a: &Matrix,
    b: &Vector,
    precondition: impl Fn(&Vector) -> Vector,
) -> Outcome<(Vector, Vec<f64>)> {
    let mut progress = input::Progress::new();
    let norm = kernels::dot(b, b)?.sqrt();
    let mut x = Vector::zeros(b.shape())?;
    let mut r = b.clone();
    let mut z = precondition(&r);
    let mut p = z.clone();
    let mut q = Vector::zeros(b.shape())?;
    let mut size = kernels::dot(&r, &z)?;
    let mut history = Vec::new();
    while history.last().is_none_or(|residual| *residual > TOLERANCE) && history.len() < STEPS {
        let curvature = kernels::product_into(&mut q, a, &p)?;
        let square = kernels::step_into(&mut x, &mut r, size / curvature, &p, &q)?;
        history.push(square.sqrt() / norm);
        progress.tell(|| format!("step {}: residual {:.1e}", history.len(), square.sqrt() / norm));
        z = precondition(&r);
        let next = kernels::dot(&r, &z)?;
        kernels::turn_into(&mut p, &z, next / size)?;
        size = next;
    }
    Ok((x, history))
}

/// Solves `L Lᵀ z = r`, row by row. Each row needs the rows before it, which no index notation says;
/// the arrays of the tensor are there for such loops.
fn solve(factor: &Matrix, r: &Vector) -> Vector {
    let (_, columns) = factor.levels();
    let row = |i: usize| {
        let entries = columns.pos[i] as usize..columns.pos[i + 1] as usize;
        columns.crd[entries.clone()].iter().map(|j| *j as usize).zip(&factor.vals()[entries])
    };
    let mut z = r.clone();
    let values = z.vals_mut();
    for i in 0..values.len() {
        for (j, entry) in row(i) {
            values[i] = if j < i { values[i] - entry * values[j] } else { values[i] / entry };
        }
    }
    for i in (0..values.len()).rev() {
        // The diagonal is the last entry of its row.
        for (j, entry) in row(i).rev() {
            if j == i {
                values[i] /= entry;
            } else {
                values[j] -= entry * values[i];
            }
        }
    }
    z
}
