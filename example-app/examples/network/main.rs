//! A graph neural network that finds the two parties of a karate club.
//!
//! ```sh
//! cargo run --release -p example-app --example network
//! ```
//!
//! In the club that Zachary (1977) studied, the instructor (node 1) and the administrator (node 34)
//! fell out, and the members went with one or the other. The network of Kipf and Welling (2017) is
//! given the parties of these two only, and learns the others from the friendships of the members.
//! Layers, loss and gradients are kernels.

use example_app::draw::{Chart, Picture};
use example_app::{Outcome, at_most, input, uniform};
use sparsegen::{Csr, Dense, SparseVector, Tensor};

sparsegen::include_kernels!(mod kernels = "network");

type Matrix = Tensor<f64, Dense<2>>;

/// The number of features of the hidden layer, and of parties.
const HIDDEN: usize = 8;
const PARTIES: usize = 2;

const STEPS: usize = 400;
const RATE: f64 = 0.4;

/// The members that stayed with the instructor, by their numbers from 1, as published.
const INSTRUCTOR: [usize; 17] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22];

/// The weights of both layers.
struct Weights {
    hidden: Matrix,
    output: Matrix,
}

/// The graph, and the party of some nodes.
struct Task {
    graph: Tensor<f64, Csr>,
    known: Tensor<f64, SparseVector>,
    parties: Tensor<f64, Csr>,
}

impl Task {
    fn loss(&self, weights: &Weights) -> Outcome<f64> {
        let hidden = kernels::hidden(&self.graph, &weights.hidden)?;
        let (_, loss) =
            kernels::loss(&kernels::output(&self.graph, &hidden, &weights.output)?, &self.parties)?;
        Ok(loss)
    }

    /// Returns the derivatives of the loss by all weights.
    fn gradient(&self, weights: &Weights) -> Outcome<Weights> {
        let graph = &self.graph;
        let hidden = kernels::hidden(graph, &weights.hidden)?;
        let output = kernels::output(graph, &hidden, &weights.output)?;
        let (_, _, errors) =
            kernels::errors(&output, &self.known, &self.parties.to::<Dense<2>>()?)?;
        let (_, of_hidden) = kernels::hidden_gradient(&hidden, graph, &errors, &weights.output)?;
        Ok(Weights {
            hidden: of_hidden,
            output: kernels::output_gradient(graph, &hidden, &errors)?,
        })
    }
}

fn main() -> Outcome<()> {
    let friends = input::matrix(&input::or_bundled(None, "karate.mtx"))?;
    let [nodes, _] = friends.shape();
    let (_, graph) = kernels::normalize(&friends)?;
    let task = Task {
        graph,
        known: Tensor::from_triplets([nodes], [([0], 1.0), ([nodes - 1], 1.0)])?,
        parties: Tensor::from_triplets([nodes, PARTIES], [([0, 0], 1.0), ([nodes - 1, 1], 1.0)])?,
    };
    let mut random = uniform(1);
    let mut small = || random() - 0.5;
    let mut weights = Weights {
        hidden: Matrix::from_fn([nodes, HIDDEN], |_| small())?,
        output: Matrix::from_fn([HIDDEN, PARTIES], |_| small())?,
    };
    println!("karate.mtx: {nodes} nodes, {} edges, 2 of known party", friends.nnz() / 2);
    let error = check(&task, &mut weights)?;
    println!("  error of the gradient   {error:.1e}, against differences of the loss");

    let mut losses = Vec::new();
    for _ in 0..STEPS {
        losses.push(task.loss(&weights)?);
        let gradient = task.gradient(&weights)?;
        kernels::descend_into(&mut weights.hidden, RATE, &gradient.hidden)?;
        kernels::descend_into(&mut weights.output, RATE, &gradient.output)?;
    }
    let hidden = kernels::hidden(&task.graph, &weights.hidden)?;
    let output = kernels::output(&task.graph, &hidden, &weights.output)?;
    let party = |node: usize| usize::from(output.vals()[2 * node] < output.vals()[2 * node + 1]);
    let published = |node: usize| usize::from(!INSTRUCTOR.contains(&(node + 1)));
    let right = (0..nodes).filter(|&node| party(node) == published(node)).count();
    println!(
        "  loss                    {:.4} at first, {:.4} after {STEPS} steps",
        losses[0],
        losses[STEPS - 1]
    );
    println!("  parties                 {right} of {nodes} as published");
    if right < 31 {
        return Err(format!("only {right} parties are as published").into());
    }

    let chart = Chart {
        title: "Training of a graph neural network",
        across: "step",
        up: "cross entropy",
        is_logarithmic: true,
        series: &[("loss", &losses)],
    };
    println!("picture  {}", chart.draw().save("network-loss")?.display());
    println!("picture  {}", club(&friends, &output, published).save("network-parties")?.display());
    Ok(())
}

/// Compares the gradient with differences of the loss for some weights of each layer; returns the
/// greatest error.
fn check(task: &Task, weights: &mut Weights) -> Outcome<f64> {
    const STEP: f64 = 1e-5;
    let gradient = task.gradient(weights)?;
    let mut error: f64 = 0.0;
    for position in 0..HIDDEN * PARTIES {
        for layer in 0..2 {
            let derivative = [&gradient.hidden, &gradient.output][layer].vals()[position];
            let mut loss = |step: f64| {
                let weights_of = |w: &mut Weights, step: f64| {
                    [&mut w.hidden, &mut w.output][layer].vals_mut()[position] += step;
                };
                weights_of(weights, step);
                let loss = task.loss(weights);
                weights_of(weights, -step);
                loss
            };
            let difference = (loss(STEP)? - loss(-STEP)?) / (2.0 * STEP);
            error = error.max((difference - derivative).abs());
        }
    }
    at_most("the error of the gradient", error, 1e-8)?;
    Ok(error)
}

/// Draws the club: left and right by the output of the network, in the colors of the published
/// parties.
fn club(
    friends: &Tensor<f64, Csr>,
    output: &Matrix,
    published: impl Fn(usize) -> usize,
) -> Picture {
    let mut picture = Picture::new(
        [660.0, 460.0],
        "Who goes with whom: the network left to right, the truth in color",
    );
    let nodes = friends.shape()[0];
    let lean: Vec<f64> =
        (0..nodes).map(|node| output.vals()[2 * node + 1] - output.vals()[2 * node]).collect();
    let greatest = lean.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    // From top to bottom by number, in an order that keeps neighbours in number apart.
    let place = |node: usize| {
        let row = (node * 13) % nodes;
        [330.0 + 270.0 * lean[node] / greatest, 58.0 + 360.0 * row as f64 / nodes as f64]
    };
    for ([i, j], _) in friends {
        if i < j {
            picture.line([place(i), place(j)], "faint");
        }
    }
    picture.line([[330.0, 40.0], [330.0, 424.0]], "ink");
    for node in 0..nodes {
        let [x, y] = place(node);
        picture.circle([x, y], 7.0, ["f0", "f1"][published(node)]);
        picture.text([x + 10.0, y + 4.0], "start", &(node + 1).to_string());
    }
    picture.text([20.0, 448.0], "start", "← with the instructor (1), blue");
    picture.text([640.0, 448.0], "end", "with the administrator (34), orange →");
    picture
}
