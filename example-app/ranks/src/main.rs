//! Solves `A x = b` by conjugate gradients on the ranks of an MPI program:
//!
//! ```text
//! cargo build --release -p example-ranks --features mpi
//! mpirun -n 4 target/release/example-ranks [FILE.mtx]
//! ```
//!
//! The program differs from one for a single process in five places: it begins MPI, chooses a layout,
//! distributes the matrix and the vectors, makes plans, and prints on one rank only.

use std::error::Error;
use std::path::PathBuf;

use sparsegen::distributed::{Distributed, Layout, World, mpi};
use sparsegen::{Csr, Dense, Tensor, io};

sparsegen::include_kernels!(
    /// The kernels of `kernels.toml`.
    mod kernels
);

type Matrix = Tensor<f64, Csr>;
type Vector = Distributed<f64, Dense<1>>;

/// The residual at which the iteration ends, relative to the right-hand side.
const TOLERANCE: f64 = 1e-10;

/// The largest number of iterations per row of the matrix. In exact arithmetic one suffices.
const PATIENCE: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let universe = mpi::initialize().ok_or("MPI is already initialized")?;
    let world = World::new(&universe.world());
    let bundled = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../data/1138_bus.mtx"));
    let path = std::env::args_os().nth(1).map_or(bundled, PathBuf::from);

    // Every rank reads the file, and keeps its rows; each has about the same number of entries.
    let whole: Matrix = world.agree(io::read_mtx(&path))?;
    let [rows, columns] = whole.shape();
    let layout = Layout::balanced(rows, world.size(), whole.iter().map(|([i, _], _)| i));
    let a = Distributed::part_of(&world, &whole, &layout)?;
    let all_ones: Tensor<f64, Dense<1>> = Tensor::from_dense([columns], &vec![1.0; columns])?;
    let ones = Distributed::part_of(&world, &all_ones, &layout)?;

    // The structure of `A` determines which elements of a vector each rank needs of the others.
    let mut spmv = kernels::spmv_plan(&world, &a, &ones)?;
    let b = spmv.run(&a, &ones)?;
    let mut residual = kernels::residual_plan(&world, &b, &a, &ones)?;
    let mut dot = kernels::dot_plan(&world, &b, &b)?;
    let mut step = kernels::step_plan(&world, &b, &b)?;

    let mut x = Distributed::part_of(&world, &Tensor::zeros([rows])?, &layout)?;
    let target = TOLERANCE * dot.run(&b, &b)?.sqrt();
    let mut r = residual.run(&b, &a, &x)?;
    let mut p = r.clone();
    let mut q = r.clone();
    let mut rho = dot.run(&r, &r)?;
    let mut iterations = 0;
    while rho.sqrt() > target && iterations < PATIENCE * rows {
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
    let x = x.gather(&world)?;
    let error = x.vals().iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
    if world.rank() == 0 {
        let name = path.file_name().unwrap_or_default().display();
        println!("Conjugate gradients on {} ranks: {name}", world.size());
        println!("  matrix             {rows} × {columns}, {} entries", whole.stored());
        println!("  iterations         {iterations}");
        println!("  |b - A x| / |b|    {relative:.2e}");
        println!("  max |x - 1|        {error:.2e}");
        println!("\nEach product exchanges elements of the vector:\n{}", spmv.report());
        // The same for more ranks than there are.
        for ranks in [16, 256, 4096] {
            let report = kernels::spmv_simulate(ranks, &whole, &all_ones)?;
            println!(
                "{ranks:>5} ranks: {} values in {} messages",
                report.volume(),
                report.messages()
            );
        }
    }
    Ok(())
}
