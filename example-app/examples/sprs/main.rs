//! Kernels on the matrices of `sprs`: PageRank and common neighbours of a graph.
//!
//! ```sh
//! cargo run --release -p example-app --features sprs --example sprs
//! ```
//!
//! The matrix is one of `sprs` from its construction on. Kernels borrow it without a copy, and a result
//! becomes a matrix of `sprs`, whose own product checks it.

use example_app::{Outcome, at_most, input};
use sparsegen::Tensor;
use sprs::{CsMat, CsVec, TriMat};

sparsegen::include_kernels!(mod kernels = "sprs");

/// The probability that the random surfer follows an edge.
const DAMPING: f64 = 0.85;

fn main() -> Outcome<()> {
    let graph = karate()?;
    let nodes = graph.rows();
    println!("karate.mtx: {nodes} nodes, {} entries in a matrix of sprs", graph.nnz());

    let degrees = kernels::degrees(&graph)?;
    let mut ranks = Tensor::from_dense([nodes], &vec![1.0 / nodes as f64; nodes])?;
    let mut change = 1.0;
    while change > 1e-14 {
        (ranks, change) =
            kernels::surf(DAMPING, &ranks, &graph, &degrees, (1.0 - DAMPING) / nodes as f64)?;
    }
    let mut order: Vec<usize> = (0..nodes).collect();
    order.sort_by(|&a, &b| ranks.vals()[b].total_cmp(&ranks.vals()[a]));
    for &node in &order[..3] {
        println!("  node {:2}  rank {:.6}", node + 1, ranks.vals()[node]);
    }

    // The ranks are a fixed point: here with the product of sprs.
    let shares: Vec<f64> = ranks.vals().iter().zip(degrees.vals()).map(|(r, d)| r / d).collect();
    let shares = CsVec::new(nodes, (0..nodes).collect(), shares);
    let arriving = (&graph.transpose_view().to_csr() * &shares).to_dense();
    let expected = arriving.iter().map(|sum| DAMPING * sum + (1.0 - DAMPING) / nodes as f64);
    let difference = expected.zip(ranks.vals()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("  difference from a step with sprs  {difference:.1e}");
    at_most("the difference", difference, 1e-14)?;

    let common = CsMat::try_from(kernels::common(&graph)?)?;
    let product = &graph * &graph;
    let mut pairs = product.iter().filter(|(_, (i, j))| i != j);
    let agrees = pairs.all(|(value, (i, j))| common.get(i, j) == Some(value));
    println!(
        "  common neighbours of {} pairs     {}",
        common.nnz() / 2,
        if agrees { "as with sprs" } else { "wrong" }
    );
    if agrees { Ok(()) } else { Err("the products of kernels and sprs differ".into()) }
}

/// Returns the karate club as a matrix of `sprs`.
fn karate() -> Outcome<CsMat<f64>> {
    let graph = input::matrix(&input::or_bundled(None, "karate.mtx"))?;
    let [nodes, _] = graph.shape();
    let mut triplets = TriMat::new((nodes, nodes));
    for ([i, j], value) in &graph {
        triplets.add_triplet(i, j, value);
    }
    Ok(triplets.to_csr())
}
