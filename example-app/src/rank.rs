//! PageRank of the nodes of a graph.

use std::io::Write;
use std::mem::swap;
use std::path::Path;
use std::time::Instant;

use sparsegen::{Csc, Csr, Dense, SparseVector, Tensor};

use crate::{Outcome, kernels};
use example_app::input::{self, Progress};

type Vector = Tensor<f64, Dense<1>>;

/// The probability that the random surfer follows an edge instead of jumping to any node.
pub(crate) const DAMPING: f64 = 0.85;

/// The distance of two iterates below which the iteration ends. Every step reduces it at least by
/// the factor [`DAMPING`].
pub(crate) const TOLERANCE: f64 = 1e-12;

/// The number of nodes that are printed.
const SHOWN: usize = 10;

/// The result of PageRank.
pub(crate) struct Ranking {
    /// The rank of each node; the sum is 1.
    pub(crate) ranks: Vector,
    /// The total weight of the outgoing edges of each node.
    pub(crate) degrees: Vector,
    /// The number of nodes without outgoing edges.
    pub(crate) dangling: usize,
    /// The number of iterations.
    pub(crate) iterations: usize,
}

/// Ranks the nodes of the graph whose edges are the entries of a matrix, and prints the first ones.
pub(crate) fn run(file: Option<&Path>, out: &mut dyn Write) -> Outcome<()> {
    let path = input::or_bundled(file, "hep-th.mtx");
    writeln!(out, "PageRank: {}", input::name(&path))?;
    let graph = input::matrix(&path)?;
    let start = Instant::now();
    let Ranking { ranks, degrees, dangling, iterations } = page_rank(graph.clone())?;
    let time = start.elapsed().as_secs_f64();

    let nodes = ranks.stored();
    writeln!(out, "  graph              {nodes} nodes, {} directed edges", graph.nnz())?;
    writeln!(out, "  dangling nodes     {dangling}")?;
    writeln!(out, "  iterations         {iterations}, in {time:.2} s")?;
    writeln!(out, "  sum of all ranks   {:.12}", kernels::total(&ranks)?)?;
    writeln!(out, "  node        rank        weight of its edges")?;
    for node in first(&ranks, SHOWN) {
        let (rank, degree) = (ranks.vals()[node], degrees.vals()[node]);
        // Nodes are printed as in the file, counted from 1.
        writeln!(out, "  {:<10}  {rank:.8}  {degree:.4}", node + 1)?;
    }
    Ok(())
}

/// Returns the nodes of highest rank, in decreasing order.
pub(crate) fn first(ranks: &Vector, count: usize) -> Vec<usize> {
    let mut nodes: Vec<usize> = (0..ranks.stored()).collect();
    nodes.sort_by(|&a, &b| ranks.vals()[b].total_cmp(&ranks.vals()[a]));
    nodes.truncate(count);
    nodes
}

/// Computes PageRank (Page, Brin, Motwani and Winograd, 1999) on the graph whose edge from `i` to
/// `j` has the absolute value of the entry `[i, j]` as weight.
///
/// At a dangling node the surfer jumps to any node, as if it had an edge to every node.
pub(crate) fn page_rank(graph: Tensor<f64, Csr>) -> Outcome<Ranking> {
    let Steps { transition, dangling, degrees, nodes } = steps(graph)?;
    let mut progress = Progress::new();
    let mut iterations = 0;
    let mut ranks = Vector::zeros([nodes])?;
    ranks.vals_mut().fill(1.0 / nodes as f64);
    let mut next = Vector::zeros([nodes])?;
    loop {
        let base = base(kernels::on_nodes(&dangling, &ranks)?, nodes);
        kernels::surf_into(&mut next, DAMPING, &transition, &ranks, base)?;
        swap(&mut ranks, &mut next);
        iterations += 1;
        let change = kernels::distance(&ranks, &next)?.sqrt();
        if change <= TOLERANCE {
            return Ok(Ranking { ranks, degrees, dangling: dangling.stored(), iterations });
        }
        progress.tell(|| format!("iteration {iterations}: the ranks change by {change:.1e}"));
    }
}

/// Returns the probability to jump to a node, given the total rank of the dangling nodes.
pub(crate) fn base(stranded: f64, nodes: usize) -> f64 {
    (1.0 - DAMPING + DAMPING * stranded) / nodes as f64
}

/// The steps of the random surfer.
pub(crate) struct Steps {
    /// The probability to go from each node to each other one.
    pub(crate) transition: Tensor<f64, Csc>,
    /// 1 at each node without outgoing edges.
    pub(crate) dangling: Tensor<f64, SparseVector>,
    /// The total weight of the outgoing edges of each node.
    pub(crate) degrees: Vector,
    /// The number of nodes.
    pub(crate) nodes: usize,
}

/// Returns the steps of the random surfer on a graph; see [`page_rank`].
pub(crate) fn steps(graph: Tensor<f64, Csr>) -> Outcome<Steps> {
    let [nodes, columns] = graph.shape();
    if nodes != columns {
        return Err(format!("the matrix of a graph is square, not {nodes} × {columns}").into());
    }
    if nodes == 0 {
        return Err("the graph has no nodes".into());
    }
    let mut graph = graph.map_vals(f64::abs);
    graph.prune(0.0)?;
    let degrees = kernels::row_sums(&graph)?;
    if !kernels::total(&degrees)?.is_finite() {
        return Err("the weights of the edges have no finite sum".into());
    }
    let without_edges = degrees.vals().iter().enumerate().filter(|(_, degree)| **degree == 0.0);
    let dangling = without_edges.map(|(node, _)| ([node], 1.0));
    let dangling = Tensor::<f64, SparseVector>::from_triplets([nodes], dangling)?;
    let transition = kernels::transition(&graph, &degrees)?.to::<Csc>()?;
    Ok(Steps { transition, dangling, degrees, nodes })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the power iteration on triplets, without kernels.
    fn by_hand(graph: &Tensor<f64, Csr>) -> Vec<f64> {
        let nodes = graph.shape()[0];
        let mut degrees = vec![0.0; nodes];
        graph.iter().for_each(|([i, _], weight)| degrees[i] += weight);
        let mut ranks = vec![1.0 / nodes as f64; nodes];
        for _ in 0..200 {
            let mut next = vec![0.0; nodes];
            for ([i, j], weight) in graph {
                next[j] += DAMPING * ranks[i] * weight / degrees[i];
            }
            // The rank of dangling nodes is distributed evenly.
            let missing = 1.0 - next.iter().sum::<f64>();
            next.iter_mut().for_each(|rank| *rank += missing / nodes as f64);
            ranks = next;
        }
        ranks
    }

    #[test]
    fn ranks_are_those_of_a_power_iteration_by_hand() {
        let graph = input::matrix(&input::or_bundled(None, "hep-th.mtx")).unwrap();
        let expected = by_hand(&graph);
        let ranking = page_rank(graph).unwrap();
        assert!((kernels::total(&ranking.ranks).unwrap() - 1.0).abs() < 1e-12);
        for (rank, expected) in ranking.ranks.vals().iter().zip(&expected) {
            assert!((rank - expected).abs() < 1e-11, "{rank} instead of {expected}");
        }
        let top = (0..expected.len()).max_by(|&a, &b| expected[a].total_cmp(&expected[b]));
        assert_eq!(first(&ranking.ranks, 1).first().copied(), top);
        assert!(ranking.dangling > 0, "some authors of this graph have no co-author");
    }

    #[test]
    fn signs_and_stored_zeros_change_nothing() {
        let edges = [([0, 1], -2.0), ([1, 2], 1.0), ([2, 0], 0.0), ([2, 2], 0.0)];
        let graph = Tensor::<f64, Csr>::from_triplets([3, 3], edges).unwrap();
        let ranking = page_rank(graph).unwrap();
        let plain = Tensor::from_triplets([3, 3], [([0, 1], 2.0), ([1, 2], 1.0)]).unwrap();
        assert_eq!(ranking.ranks, page_rank(plain).unwrap().ranks);
        assert_eq!(ranking.dangling, 1);
    }

    #[test]
    fn what_is_no_graph_is_refused() {
        for (graph, reason) in [
            (Tensor::zeros([2, 3]), "the matrix of a graph is square"),
            (Tensor::zeros([0, 0]), "no nodes"),
            (Tensor::from_triplets([1, 1], [([0, 0], f64::NAN)]), "no finite sum"),
        ] {
            let error = page_rank(graph.unwrap()).err().unwrap().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
