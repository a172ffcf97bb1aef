//! Assembles systems with generated kernels and solves them with the direct solvers of `faer`.
//!
//! ```sh
//! cargo run --release -p example-app --features faer --example factorize
//! ```
//!
//! The systems describe how a substance spreads over the nodes of a square grid. Diffusion alone
//! gives a symmetric positive definite matrix, for a Cholesky factorization; flow along the edges
//! makes it unsymmetric, for an LU factorization. The matrices are lent to `faer` and solutions to
//! the kernels, without a copy.

use std::error::Error;

use faer::linalg::solvers::Solve;
use faer::sparse::SparseColMatRef;
use faer::{Col, ColRef, Side};
use sparsegen::{Csc, Csr, Dense, Tensor};

sparsegen::include_kernels!(mod kernels = "factorize");

type Matrix = Tensor<f64, Csr>;
type Vector = Tensor<f64, Dense<1>>;

/// The number of nodes along a side of the grid.
const SIDE: usize = 60;

/// The largest accepted `|b - A x| / |b|`.
const TOLERANCE: f64 = 1e-12;

/// The edges of a grid as two matrices of edges by nodes: 1 at the tail of each edge and -1 at its
/// head, and 1 at the tail only.
fn edges(side: usize) -> Result<(Matrix, Matrix), sparsegen::Error> {
    let node = |row: usize, column: usize| row * side + column;
    let inner = (0..side).flat_map(|row| (1..side).map(move |column| (row, column)));
    let ends: Vec<(usize, usize)> = inner
        .flat_map(|(row, column)| {
            [(node(row, column - 1), node(row, column)), (node(column - 1, row), node(column, row))]
        })
        .collect();
    let shape = [ends.len(), side * side];
    let tails = ends.iter().enumerate().map(|(edge, &(tail, _))| ([edge, tail], 1.0));
    let heads = ends.iter().enumerate().map(|(edge, &(_, head))| ([edge, head], -1.0));
    let incidence = Tensor::from_triplets(shape, tails.clone().chain(heads))?;
    Ok((incidence, Tensor::from_triplets(shape, tails)?))
}

/// Prints and checks the residual of a solution.
fn check(
    method: &str,
    a: &Tensor<f64, Csc>,
    b: &Vector,
    x: ColRef<'_, f64>,
) -> Result<(), Box<dyn Error>> {
    let norm = |v: &Vector| v.vals().iter().map(|v| v * v).sum::<f64>().sqrt();
    let residual = norm(&kernels::imbalance(b, a, x)?) / norm(b);
    println!("{method:9} |b - A x| / |b| = {residual:.1e}");
    if residual < TOLERANCE { Ok(()) } else { Err(format!("{method} did not solve it").into()) }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (incidence, tails) = edges(SIDE)?;
    let [edges, nodes] = incidence.shape();
    let conductances: Vec<f64> = (0..edges).map(|edge| 1.0 + (edge % 7) as f64).collect();
    let losses = vec![0.01; nodes];
    let flows = vec![3.0; edges];

    let diffusion = kernels::diffusion(&incidence, &conductances, &losses)?;
    let transport = kernels::transport(&diffusion, &incidence, &flows, &tails)?;
    println!("{nodes} nodes, {edges} edges, {} and {} entries", diffusion.nnz(), transport.nnz());

    // One unit of the substance enters at the first node.
    let mut b = Vector::zeros([nodes])?;
    b.vals_mut()[0] = 1.0;
    let source = ColRef::from(b.view());

    let cholesky = SparseColMatRef::try_from(diffusion.view())?.sp_cholesky(Side::Lower)?;
    let x: Col<f64> = cholesky.solve(source);
    check("Cholesky", &diffusion, &b, x.as_ref())?;

    let lu = SparseColMatRef::try_from(transport.view())?.sp_lu()?;
    let x: Col<f64> = lu.solve(source);
    check("LU", &transport, &b, x.as_ref())
}
