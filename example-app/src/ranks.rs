//! Conjugate gradients, PageRank and shortest paths on the ranks of an MPI program.
//!
//! ```text
//! cargo build --release -p example-app --features mpi
//! mpirun -n 4 target/release/example-app solve --mpi
//! ```
//!
//! Each differs from the part for a single process in five places: it begins MPI, chooses a layout,
//! distributes the matrix and the vectors, makes plans, and prints on one rank only.

use std::io::{Write, sink};
use std::path::Path;

use example_app::{Outcome, input};
use sparsegen::distributed::{Distributed, Layout, World, mpi};
use sparsegen::{Csc, Dense, Tensor};

use crate::arguments::{Options, Part};
use crate::rank::first;
use crate::{graph, rank, solve};

sparsegen::include_kernels!(
    /// The kernels of `ranks.toml`.
    mod kernels = "ranks"
);

type Vector = Distributed<f64, Dense<1>>;

/// Runs a part on all ranks, and prints its results on the first one.
pub(crate) fn run(options: &Options, out: &mut dyn Write) -> Outcome<()> {
    let universe = mpi::initialize().ok_or("MPI is already initialized")?;
    let world = World::new(&universe.world());
    let out: &mut dyn Write = if world.rank() == 0 { out } else { &mut sink() };
    let file = options.matrix.as_deref();
    for part in &options.parts {
        match part {
            Part::Solve => solve_on(&world, file, out)?,
            Part::Rank => rank_on(&world, file, out)?,
            Part::Graph => search_on(&world, file, out)?,
            Part::Merge | Part::Factor => return Err("this part runs in one process only".into()),
        }
    }
    Ok(())
}

/// Solves `A x = b` for a `b` whose solution is known, and prints the result.
fn solve_on(world: &World, file: Option<&Path>, out: &mut dyn Write) -> Outcome<()> {
    let path = input::or_bundled(file, "1138_bus.mtx");
    // Every rank reads the file, and keeps its rows; each has about the same number of entries.
    let whole = world.agree(input::matrix(&path))?;
    solve::check_symmetry(&whole)?;
    let [rows, columns] = whole.shape();
    let layout = Layout::balanced(rows, world.size(), whole.iter().map(|([i, _], _)| i));
    let a = Distributed::part_of(world, &whole, &layout)?;
    let all_ones: Tensor<f64, Dense<1>> = Tensor::from_dense([columns], &vec![1.0; columns])?;
    let ones = Distributed::part_of(world, &all_ones, &layout)?;

    // The structure of `A` determines which elements of a vector each rank needs of the others.
    let mut spmv = kernels::spmv_plan(world, &a, &ones)?;
    let b = spmv.run(&a, &ones)?;
    let mut residual = kernels::residual_plan(world, &b, &a, &ones)?;
    let mut dot = kernels::dot_plan(world, &b, &b)?;
    let mut step = kernels::step_plan(world, &b, &b)?;

    let mut x = Distributed::part_of(world, &Tensor::zeros([rows])?, &layout)?;
    let target = solve::TOLERANCE * dot.run(&b, &b)?.sqrt();
    let mut r = residual.run(&b, &a, &x)?;
    let mut p = r.clone();
    let mut q = r.clone();
    let mut rho = dot.run(&r, &r)?;
    let mut iterations = 0;
    while rho.sqrt() > target && iterations < solve::PATIENCE * rows {
        spmv.run_into(&mut q, &a, &p)?;
        let alpha = rho / dot.run(&p, &q)?;
        x = step.run(&x, alpha, &p)?;
        r = step.run(&r, -alpha, &q)?;
        let before = rho;
        rho = dot.run(&r, &r)?;
        p = step.run(&r, rho / before, &p)?;
        iterations += 1;
    }

    let r: Vector = residual.run(&b, &a, &x)?;
    let relative = (dot.run(&r, &r)? / dot.run(&b, &b)?).sqrt();
    let x = x.gather(world)?;
    let error = x.vals().iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
    writeln!(out, "Conjugate gradients on {} ranks: {}", world.size(), input::name(&path))?;
    writeln!(out, "  matrix             {rows} × {columns}, {} entries", whole.stored())?;
    writeln!(out, "  iterations         {iterations}")?;
    writeln!(out, "  |b - A x| / |b|    {relative:.2e}")?;
    writeln!(out, "  max |x - 1|        {error:.2e}")?;
    writeln!(out, "\nEach product exchanges elements of the vector:\n{}", spmv.report())?;
    // The same for more ranks than there are.
    for ranks in [16, 256, 4096] {
        let report = kernels::spmv_simulate(ranks, &whole, &all_ones)?;
        let (values, messages) = (report.volume(), report.messages());
        writeln!(out, "{ranks:>5} ranks: {values} values in {messages} messages")?;
    }
    Ok(())
}

/// Returns the layout of the nodes of a graph in which each rank has about the same number of
/// incoming edges.
fn layout_of(world: &World, graph: &Tensor<f64, Csc>) -> Layout {
    Layout::balanced(graph.shape()[0], world.size(), graph.iter().map(|([_, j], _)| j))
}

/// Ranks the nodes of a graph by PageRank, and compares the ranks with those of one process.
fn rank_on(world: &World, file: Option<&Path>, out: &mut dyn Write) -> Outcome<()> {
    let path = input::or_bundled(file, "hep-th.mtx");
    let graph = world.agree(input::matrix(&path))?;
    let expected = rank::page_rank(graph.clone())?;
    let rank::Steps { transition, dangling, nodes, .. } = rank::steps(graph)?;
    let layout = layout_of(world, &transition);
    let edges = Distributed::part_of(world, &transition, &layout)?;
    let uniform = Tensor::from_dense([nodes], &vec![1.0 / nodes as f64; nodes])?;
    let mut ranks: Vector = Distributed::part_of(world, &uniform, &layout)?;

    let stranded: Tensor<f64, Dense<1>> = dangling.to()?;
    let stranded = Distributed::part_of(world, &stranded, &layout)?;
    let mut dot = kernels::dot_plan(world, &stranded, &ranks)?;
    let mut surf = kernels::surf_plan(world, &edges, &ranks)?;
    let mut distance = kernels::distance_plan(world, &ranks, &ranks)?;
    let mut iterations = 0;
    let mut change = f64::INFINITY;
    while change > rank::TOLERANCE {
        let base = rank::base(dot.run(&stranded, &ranks)?, nodes);
        let next = surf.run(rank::DAMPING, &edges, &ranks, base)?;
        change = distance.run(&next, &ranks)?.sqrt();
        ranks = next;
        iterations += 1;
    }
    let ranks = ranks.gather(world)?;
    let differences = ranks.vals().iter().zip(expected.ranks.vals()).map(|(a, b)| (a - b).abs());
    let difference = differences.fold(0.0, f64::max);
    writeln!(out, "PageRank on {} ranks: {}", world.size(), input::name(&path))?;
    writeln!(out, "  iterations         {iterations}")?;
    writeln!(out, "  first node         {}", first(&ranks, 1)[0] + 1)?;
    writeln!(out, "  one process        differs by {difference:.1e}")?;
    writeln!(out, "\nEach step exchanges ranks of nodes:\n{}", surf.report())?;
    example_app::at_most("the difference from one process", difference, 1e-14)
}

/// Searches shortest paths, and compares the distances with those of one process, which are the same.
fn search_on(world: &World, file: Option<&Path>, out: &mut dyn Write) -> Outcome<()> {
    let path = input::or_bundled(file, "hep-th.mtx");
    let (lengths, source) = graph::lengths(world.agree(input::matrix(&path))?)?;
    let (expected, rounds) = graph::shortest_paths(&lengths, source)?;
    let lengths = lengths.to::<Csc>()?;
    let layout = layout_of(world, &lengths);
    let edges = Distributed::part_of(world, &lengths, &layout)?;
    let mut start = Tensor::<f64, Dense<1>>::zeros([lengths.shape()[0]])?;
    start.vals_mut().fill(f64::INFINITY);
    start.vals_mut()[source] = 0.0;
    let mut distances = Distributed::part_of(world, &start, &layout)?;
    let mut relax = kernels::relax_plan(world, &distances, &distances, &edges)?;
    for _ in 0..rounds {
        distances = relax.run(&distances, &distances, &edges)?;
    }
    let distances = distances.gather(world)?;
    writeln!(out, "Shortest paths on {} ranks: {}", world.size(), input::name(&path))?;
    writeln!(out, "  source             node {}", source + 1)?;
    writeln!(out, "  rounds             {rounds}")?;
    if distances.vals() != expected.vals() {
        return Err("the distances are not those of one process".into());
    }
    writeln!(out, "  one process        the same distances")?;
    writeln!(out, "\nEach round exchanges distances:\n{}", relax.report())?;
    Ok(())
}
