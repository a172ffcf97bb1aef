//! Graph searches as vector-matrix products over semirings, compared with textbook algorithms.

use std::collections::VecDeque;
use std::io::Write;
use std::mem::swap;
use std::path::Path;

use sparsegen::{Csc, Csr, Dense, Error, SparseVector, Tensor};

use crate::rank::first;
use example_app::draw::Picture;
use example_app::input;

use crate::{Outcome, kernels};

type Graph = Tensor<f64, Csr>;
type Vector = Tensor<f64, Dense<1>>;

/// The greatest number of nodes of a graph that is drawn.
const DRAWN: usize = 200;

/// Searches graphs whose edges are the entries of a matrix, and prints the results.
pub(crate) fn run(file: Option<&Path>, out: &mut dyn Write) -> Outcome<()> {
    let bundled = ["karate.mtx", "hep-th.mtx"];
    let files = if file.is_some() { 1 } else { bundled.len() };
    for bundled in &bundled[..files] {
        let path = input::or_bundled(file, bundled);
        writeln!(out, "Graph searches: {}", input::name(&path))?;
        let graph = input::matrix(&path)?;
        search(graph.clone(), out)?;
        if graph.shape()[0] <= DRAWN {
            let picture = columns(&checked(graph)?)?;
            writeln!(out, "  picture            {}", picture.save("search")?.display())?;
        }
    }
    Ok(())
}

/// Draws a graph with the node of the most edges on the left, and the others in columns by the number
/// of edges from there.
fn columns(graph: &Graph) -> Outcome<Picture> {
    let (source, _) = busiest(graph)?;
    let levels = breadth_first(graph, source)?;
    let last = levels.iter().flatten().max().map_or(1, |level| *level.max(&1));
    let title = format!("Breadth-first search from node {}", source + 1);
    let mut picture = Picture::new([640.0, 690.0], &title);
    let place = |node: usize| {
        let level = levels[node]?;
        let column: Vec<usize> = (0..levels.len()).filter(|n| levels[*n] == Some(level)).collect();
        let row = column.iter().position(|n| *n == node)? as f64 + 0.5;
        let across = 40.0 + 560.0 * level as f64 / last as f64;
        // Every second node stands a little to the right, so that edges within a column are seen.
        let aside = if column.len() > 1 { 14.0 * (row % 2.0 - 1.0) } else { 0.0 };
        Some([across + aside, 44.0 + 600.0 * row / column.len() as f64])
    };
    for ([i, j], _) in graph {
        if let (Some(from), Some(to)) = (place(i), place(j)) {
            let class = if levels[i] == levels[j] { "faint" } else { "s0" };
            picture.line([from, to], class);
        }
    }
    for node in 0..levels.len() {
        if let Some([x, y]) = place(node) {
            picture.circle([x, y], 13.0, "f1");
            picture.circle([x, y], 11.5, "page");
            picture.text([x, y + 4.5], "middle", &(node + 1).to_string());
        }
    }
    picture.text(
        [20.0, 676.0],
        "start",
        "Blue edges lead to the next column, gray ones stay in theirs.",
    );
    Ok(picture)
}

/// Searches a graph from the node with the most edges, and prints the results if they agree with
/// the textbook algorithms.
fn search(graph: Graph, out: &mut dyn Write) -> Outcome<()> {
    let graph = checked(graph)?;
    let (source, degree) = busiest(&graph)?;
    // Nodes are printed as in the file, counted from 1.
    let node = source + 1;
    writeln!(out, "  graph              {} nodes, {} edges", graph.shape()[0], graph.nnz())?;
    writeln!(out, "  source             node {node}, which {degree} edges leave")?;

    let levels = breadth_first(&graph, source)?;
    compare("breadth-first search", &levels, &by_queue(&graph, source))?;
    let depth = levels.iter().flatten().max().map_or(0, |level| level + 1);
    let mut sizes = vec![0; depth];
    levels.iter().flatten().for_each(|level| sizes[*level] += 1);
    let reached: usize = sizes.iter().sum();
    writeln!(out, "  breadth first      {reached} nodes reached, by level {sizes:?}")?;

    let lengths = kernels::lengths(&graph)?;
    let (distances, rounds) = shortest_paths(&lengths, source)?;
    let start = [0.0, f64::INFINITY];
    let expected = by_edges(&lengths, source, start, |d, l| d + l, |d, old| d < old);
    compare("shortest paths", distances.vals(), &expected)?;
    let distances = distances.vals().iter().filter(|distance| distance.is_finite());
    let farthest = distances.fold(0.0, |a, b| f64::max(a, *b));
    writeln!(out, "  shortest paths     up to {farthest:.4} long, in {rounds} rounds")?;

    let edges = kernels::transition(&graph, &kernels::row_sums(&graph)?)?;
    let (chances, rounds) = likeliest_paths(&edges, source)?;
    let expected = by_edges(&edges, source, [1.0, 0.0], |c, p| c * p, |c, old| c > old);
    compare("most probable paths", chances.vals(), &expected)?;
    let chances = chances.vals().iter().filter(|chance| **chance > 0.0);
    let rarest = chances.fold(1.0, |a, b| f64::min(a, *b));
    writeln!(out, "  likeliest paths    of chances down to {rarest:.2e}, in {rounds} rounds")?;
    writeln!(out, "  textbook check     the same")?;
    Ok(())
}

/// Returns the node with the most edges, and their number.
fn busiest(graph: &Graph) -> Result<(usize, f64), Error> {
    let degrees = kernels::row_sums(&graph.clone().map_vals(|_| 1.0))?;
    let source = first(&degrees, 1)[0];
    Ok((source, degrees.vals()[source]))
}

/// Returns the lengths of the edges of a graph, and the node with the most edges.
#[cfg(feature = "mpi")]
pub(crate) fn lengths(graph: Graph) -> Outcome<(Graph, usize)> {
    let graph = checked(graph)?;
    Ok((kernels::lengths(&graph)?, busiest(&graph)?.0))
}

/// Returns the graph with the absolute values of its weights and without edges of weight zero.
fn checked(graph: Graph) -> Outcome<Graph> {
    let [nodes, columns] = graph.shape();
    if nodes != columns {
        return Err(format!("the matrix of a graph is square, not {nodes} × {columns}").into());
    }
    if nodes == 0 {
        return Err("the graph has no nodes".into());
    }
    if graph.vals().iter().any(|weight| !weight.is_finite()) {
        return Err("the weight of an edge is not finite".into());
    }
    let mut graph = graph.map_vals(f64::abs);
    graph.prune(0.0)?;
    Ok(graph)
}

/// Returns the least number of edges of a path from `source` to each node, or `None` if there is no
/// path. Each round follows all edges of the frontier at once.
fn breadth_first(graph: &Graph, source: usize) -> Outcome<Vec<Option<usize>>> {
    let nodes = graph.shape()[0];
    let edges = graph.clone().map_vals(|_| true);
    let mut levels = vec![None; nodes];
    let mut seen = Tensor::<bool, Dense<1>>::zeros([nodes])?;
    let mut frontier = Tensor::<bool, SparseVector>::from_triplets([nodes], [([source], true)])?;
    for level in 0.. {
        if frontier.stored() == 0 {
            break;
        }
        frontier.iter().for_each(|([node], _)| levels[node] = Some(level));
        kernels::see_into(&mut seen, &frontier)?;
        frontier = kernels::discover(&frontier, &edges, &seen)?;
    }
    Ok(levels)
}

/// Returns the lengths of the shortest paths from a node to all others, by Bellman (1958) and Ford
/// (1956), and the number of rounds.
pub(crate) fn shortest_paths(lengths: &Graph, source: usize) -> Result<(Vector, usize), Error> {
    let lengths = lengths.to::<Csc>()?;
    best_paths(lengths.shape()[0], source, [0.0, f64::INFINITY], |next, distances| {
        kernels::relax_into(next, distances, &lengths)
    })
}

/// Returns the greatest probability of a path from a node to each other node, given the probability
/// of each edge, and the number of rounds.
fn likeliest_paths(edges: &Graph, source: usize) -> Result<(Vector, usize), Error> {
    let edges = edges.to::<Csc>()?;
    best_paths(edges.shape()[0], source, [1.0, 0.0], |next, chances| {
        kernels::follow_into(next, chances, &edges)
    })
}

/// Extends paths by one edge per round until no path improves. The first round starts with the
/// empty path at the source; `empty` and `none` are the values of the empty path and of no path.
fn best_paths(
    nodes: usize,
    source: usize,
    [empty, none]: [f64; 2],
    round: impl Fn(&mut Vector, &Vector) -> Result<(), Error>,
) -> Result<(Vector, usize), Error> {
    let mut best = Vector::zeros([nodes])?;
    best.vals_mut().fill(none);
    best.vals_mut()[source] = empty;
    let mut next = Vector::zeros([nodes])?;
    let mut rounds = 0;
    loop {
        round(&mut next, &best)?;
        rounds += 1;
        swap(&mut best, &mut next);
        if !kernels::differ(&best, &next)? {
            return Ok((best, rounds));
        }
    }
}

/// Returns the textbook version of [`breadth_first`]: a queue of nodes whose edges have not been
/// followed.
fn by_queue(graph: &Graph, source: usize) -> Vec<Option<usize>> {
    let mut neighbours = vec![Vec::new(); graph.shape()[0]];
    graph.iter().for_each(|([i, j], _)| neighbours[i].push(j));
    let mut levels = vec![None; neighbours.len()];
    let mut queue = VecDeque::from([(source, 0)]);
    levels[source] = Some(0);
    while let Some((node, level)) = queue.pop_front() {
        for &next in &neighbours[node] {
            if levels[next].is_none() {
                levels[next] = Some(level + 1);
                queue.push_back((next, level + 1));
            }
        }
    }
    levels
}

/// The textbook version of [`best_paths`]: relaxes edge by edge, in place, until no path improves.
fn by_edges(
    graph: &Graph,
    source: usize,
    [empty, none]: [f64; 2],
    along: fn(f64, f64) -> f64,
    is_better: fn(f64, f64) -> bool,
) -> Vec<f64> {
    let mut best = vec![none; graph.shape()[0]];
    best[source] = empty;
    let mut changed = true;
    while changed {
        changed = false;
        for ([i, j], edge) in graph {
            let worth = along(best[i], edge);
            if is_better(worth, best[j]) {
                best[j] = worth;
                changed = true;
            }
        }
    }
    best
}

/// Returns an error if the results differ. Both algorithms combine the edges of a path from first
/// to last, so that their results are equal to the last digit.
fn compare<T: PartialEq>(what: &str, found: &[T], expected: &[T]) -> Outcome<()> {
    match found.iter().zip(expected).position(|(found, expected)| found != expected) {
        Some(node) => {
            Err(format!("{what}: the textbook result differs at node {}", node + 1).into())
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(graph: Graph) -> String {
        let mut out = Vec::new();
        search(graph, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_shorter_path_may_have_more_edges() {
        // The edge from 0 to 2 has a small weight and a large length; the path through 1 is
        // shorter.
        let edges = [([0, 1], 2.0), ([1, 2], 2.0), ([0, 2], 0.5), ([0, 3], -1.0), ([4, 0], 1.0)];
        let graph = Graph::from_triplets([5, 5], edges).unwrap();
        let shown = found(graph.clone());
        assert!(shown.contains("4 nodes reached, by level [1, 3]"), "{shown}");
        let lengths = kernels::lengths(&checked(graph).unwrap()).unwrap();
        let (distances, _) = shortest_paths(&lengths, 0).unwrap();
        assert_eq!(distances.vals(), [0.0, 0.5, 1.0, 1.0, f64::INFINITY]);
    }

    #[test]
    fn a_path_of_many_edges_may_be_likelier() {
        let edges = [([0, 1], 0.75), ([1, 2], 1.0), ([0, 2], 0.25)];
        let edges = Graph::from_triplets([3, 3], edges).unwrap();
        let (chances, rounds) = likeliest_paths(&edges, 0).unwrap();
        assert_eq!(chances.vals(), [1.0, 0.75, 0.75]);
        assert_eq!(rounds, 3);
    }

    #[test]
    fn edges_of_no_weight_are_none() {
        let graph = Graph::from_triplets([2, 2], [([0, 1], 0.0)]).unwrap();
        assert!(found(graph).contains("1 nodes reached, by level [1]"));
    }

    #[test]
    fn what_is_no_graph_is_refused() {
        for (graph, reason) in [
            (Graph::zeros([2, 3]), "the matrix of a graph is square"),
            (Graph::zeros([0, 0]), "no nodes"),
            (Graph::from_triplets([1, 1], [([0, 0], f64::NAN)]), "not finite"),
        ] {
            let error = checked(graph.unwrap()).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
