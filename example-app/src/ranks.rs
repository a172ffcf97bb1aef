//! Conjugate gradients, PageRank, shortest paths and a CP decomposition on the ranks of an MPI program.
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

use example_app::{Outcome, input, uniform};
use sparsegen::distributed::{Distributed, Distribution, Layout, World, mpi};
use sparsegen::{Csc, Csf, Csr, Dense, Tensor};

use crate::arguments::{Options, Part};
use crate::rank::first;
use crate::{factor, graph, rank, solve};

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
            Part::Factor => factor_on(&world, options.tensor.as_deref(), out)?,
            Part::Merge => return Err("this part runs in one process only".into()),
        }
    }
    Ok(())
}

/// Solves `A x = b` for a `b` whose solution is known, and prints the result.
fn solve_on(world: &World, file: Option<&Path>, out: &mut dyn Write) -> Outcome<()> {
    let path = input::or_bundled(file, "1138_bus.mtx");
    // Each rank parses its share of the file, and owns about the same number of entries.
    let a = Distributed::<f64, Csr>::read_mtx(world, &path, Distribution::Balanced)?;
    check_symmetry(world, &a)?;
    let ([rows, columns], layout) = (a.shape(), a.layout().clone());
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
    // A simulation needs the whole matrix.
    let (x, whole) = (x.gather(world)?, a.gather(world)?);
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

/// Checks that a matrix is symmetric: each rank compares its rows with those of the transposed matrix.
fn check_symmetry(world: &World, a: &Distributed<f64, Csr>) -> Outcome<()> {
    solve::check_square(a.shape())?;
    let transposed = kernels::transpose_plan(world, a)?.run(a)?;
    let transposed = transposed.redistribute(world, a.layout())?;
    let difference = kernels::asymmetry_plan(world, a, &transposed)?.run(a, &transposed)?;
    let norm = kernels::frobenius_plan(world, a)?.run(a)?;
    solve::check_difference(difference.sqrt(), norm.sqrt())
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

/// Decomposes a tensor by alternating least squares, and compares the fit with that of one process.
fn factor_on(world: &World, file: Option<&Path>, out: &mut dyn Write) -> Outcome<()> {
    let path = input::or_bundled(file, "kinships.tns");
    // Each rank parses its share of the file, and owns about the same number of entries.
    let x = Distributed::<f64, Csf<3>>::read_tns(world, &path, Distribution::Balanced)?;
    let [i, j, k] = x.shape();
    let [a, b, c] = factor::factors(x.shape(), uniform(1))?;
    let mut a = Distributed::part_of(world, &a, x.layout())?;
    let mut b = Distributed::part_of(world, &b, &Layout::equal(j, world.size()))?;
    let mut c = Distributed::part_of(world, &c, &Layout::equal(k, world.size()))?;

    let norm = kernels::squared_norm_plan(world, &x)?.run(&x)?;
    factor::check_norm(norm)?;
    let mut mttkrp_i = kernels::mttkrp_i_plan(world, &x, &b, &c)?;
    let mut mttkrp_j = kernels::mttkrp_j_plan(world, &x, &a, &c)?;
    let mut mttkrp_k = kernels::mttkrp_k_plan(world, &x, &a, &b)?;
    let mut gram_a = kernels::gram_plan(world, &a, &a)?;
    let mut gram_b = kernels::gram_plan(world, &b, &b)?;
    let mut gram_c = kernels::gram_plan(world, &c, &c)?;
    let mut overlap = kernels::overlap_plan(world, &c, &c)?;
    // Gram matrices are small: every rank has them, and solves for its rows.
    let mut g = gram_b.run(&b, &b)?.gather(world)?;
    let mut h = gram_c.run(&c, &c)?.gather(world)?;
    let mut fits = Vec::new();
    loop {
        a = mttkrp_i.run(&x, &b, &c)?;
        factor::fit_rows(a.local_vals_mut(), &g, &h)?;
        let lengths = gram_a.run(&a, &a)?.gather(world)?;
        scale_columns(&mut a, &lengths);
        let f = gram_a.run(&a, &a)?.gather(world)?;
        b = mttkrp_j.run(&x, &a, &c)?;
        factor::fit_rows(b.local_vals_mut(), &f, &h)?;
        let lengths = gram_b.run(&b, &b)?.gather(world)?;
        scale_columns(&mut b, &lengths);
        g = gram_b.run(&b, &b)?.gather(world)?;
        let m = mttkrp_k.run(&x, &a, &b)?;
        c = m.clone();
        factor::fit_rows(c.local_vals_mut(), &f, &g)?;
        h = gram_c.run(&c, &c)?.gather(world)?;

        let model = crate::kernels::model_norm(&f, &g, &h)?;
        let fit = factor::fit(norm, overlap.run(&m, &c)?, model)?;
        let before = fits.last().copied().unwrap_or(f64::NEG_INFINITY);
        fits.push(fit);
        if fit - before < factor::TOLERANCE || fits.len() == factor::SWEEPS {
            break;
        }
    }

    let mut expected = Vec::new();
    let whole = factor::Stored::of(world.agree(input::tensor(&path))?)?;
    factor::decompose(&whole, |sweep| {
        expected.push(sweep.fit);
        Ok(())
    })?;
    // The last sweep gains about the tolerance: rounding may decide whether there is another one.
    let differences = fits.iter().zip(&expected).map(|(a, b)| (a - b).abs());
    let difference = differences.fold(0.0, f64::max);
    writeln!(out, "CP decomposition on {} ranks: {}", world.size(), input::name(&path))?;
    writeln!(out, "  tensor             {i} × {j} × {k}, divided by its first mode")?;
    writeln!(out, "  sweeps             {}", fits.len())?;
    writeln!(out, "  fit                {:?}", fits[fits.len() - 1])?;
    writeln!(out, "  one process        differs by {difference:.1e}")?;
    writeln!(out, "\nThe first MTTKRP exchanges rows of factors:\n{}", mttkrp_i.report())?;
    example_app::at_most("the difference from one process", difference, 1e-10)
}

/// Divides each column of a factor by its length, given the Gram matrix.
fn scale_columns(factor: &mut Distributed<f64, Dense<2>>, gram: &Tensor<f64, Dense<2>>) {
    let weights = factor::weights(gram);
    for row in factor.local_vals_mut().chunks_exact_mut(factor::RANK) {
        row.iter_mut().zip(&weights).for_each(|(element, weight)| *element *= weight);
    }
}
