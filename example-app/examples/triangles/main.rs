//! Counts the triangles of graphs, and finds the parts in which triangles hold nodes together.
//!
//! ```sh
//! cargo run --release -p example-app --example triangles
//! ```
//!
//! A triangle is an edge whose ends have a common neighbour: a product of the adjacency matrix with
//! itself, at its own entries. The graphs have no values, and the kernels store none.

use example_app::{Outcome, input};
use sparsegen::{Csr, Pattern, Tensor};

sparsegen::include_kernels!(mod kernels = "triangles");

type Graph = Tensor<Pattern<u64>, Csr>;

fn main() -> Outcome<()> {
    // Zachary's karate club is known to have 45 triangles.
    let triangles = count("karate.mtx")?;
    if triangles != 45 {
        return Err(format!("the karate club has 45 triangles, not {triangles}").into());
    }
    count("hep-th.mtx")?;
    Ok(())
}

/// Prints and returns the number of triangles of a graph.
fn count(file: &str) -> Outcome<u64> {
    let mut weights = input::matrix(&input::or_bundled(None, file))?;
    weights.prune(0.0)?;
    let graph: Graph = weights.map_vals(|_| Pattern::default());
    let lower = kernels::lower(&graph)?;
    let triangles = kernels::count(&lower)?;
    println!("{file}: {} nodes, {} edges", graph.shape()[0], lower.nnz());
    println!("  triangles            {triangles}");

    let expected = by_hand(&graph);
    if triangles != expected {
        return Err(format!("a search by hand finds {expected} triangles").into());
    }

    // Each triangle is at three nodes.
    let of_edges = kernels::support(&graph)?;
    let of_nodes = kernels::at_nodes(&of_edges)?;
    if of_nodes.vals().iter().sum::<u64>() != 3 * triangles {
        return Err("the triangles at the nodes do not add up".into());
    }
    let most = of_nodes.vals().iter().enumerate().max_by_key(|(_, count)| **count);
    if let Some((node, count)) = most {
        println!("  most, at node {:<6} {count}", node + 1);
    }
    println!("  edges of trusses     {:?}", trusses(graph)?);
    Ok(triangles)
}

/// Returns the number of edges of the k-trusses of a graph, for k = 3, 4, …: the largest parts in
/// which each edge is a side of at least k - 2 triangles (Cohen 2008).
fn trusses(mut graph: Graph) -> Outcome<Vec<usize>> {
    let mut sizes = Vec::new();
    for least in 1.. {
        loop {
            let kept = kernels::truss(&graph, &kernels::support(&graph)?, least)?;
            if kept.nnz() == graph.nnz() {
                break;
            }
            graph = kept.to::<Csr>()?.map_vals(|_| Pattern::default());
        }
        if graph.nnz() == 0 {
            break;
        }
        sizes.push(graph.nnz() / 2);
    }
    Ok(sizes)
}

/// Counts triangles by merging the sorted neighbours of the ends of each edge.
fn by_hand(graph: &Graph) -> u64 {
    let mut smaller = vec![Vec::new(); graph.shape()[0]];
    graph.iter().filter(|([i, j], _)| i > j).for_each(|([i, j], _)| smaller[i].push(j));
    let common = |i: usize, j: usize| smaller[i].iter().filter(|k| smaller[j].contains(k)).count();
    (0..smaller.len())
        .flat_map(|i| smaller[i].iter().map(move |j| (i, *j)))
        .map(|(i, j)| common(i, j) as u64)
        .sum()
}
