//! Products of matrices on ranks, for a comparison with those of petsc.c on the same matrices.
//!
//! `mpirun -n 2 target/release/products KIND SIZE ROUNDS` prints the least times of a product with a
//! vector, of one with a matrix, plan included, and of the same again, and the norm of the result. The
//! script `compare` divides them by those of PETSc.

use std::env;
use std::error::Error;

use mpi::traits::CommunicatorCollectives;
use sparsegen::distributed::{Distributed, Layout, World, mpi};
use sparsegen::{Csr, Dense, Tensor};

sparsegen::include_kernels!(mod kernels = "products");

/// The entries of a row. Kind 0 is the five-point stencil on a square grid of `n` by `n` points, 1 a
/// matrix with eight entries a row at random columns.
fn row(kind: usize, n: usize, rows: usize, i: usize) -> Vec<([usize; 2], f64)> {
    if kind == 0 {
        let (x, y) = (i % n, i / n);
        let neighbours = [
            (y > 0, i.wrapping_sub(n)),
            (x > 0, i.wrapping_sub(1)),
            (x + 1 < n, i + 1),
            (y + 1 < n, i + n),
        ];
        let inside = neighbours.into_iter().filter(|(is_inside, _)| *is_inside);
        return inside.map(|(_, j)| ([i, j], -1.0)).chain([([i, i], 4.0)]).collect();
    }
    let mut state = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    let entry = |k: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ([i, (state % rows as u64) as usize], 1.0 + f64::from(k))
    };
    (0..8).map(entry).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Result<Vec<usize>, _> = env::args().skip(1).map(|one| one.parse()).collect();
    let [kind, n, rounds] = arguments?[..] else { return Err("KIND SIZE ROUNDS".into()) };
    let universe = mpi::initialize().ok_or("MPI is already initialized")?;
    let (all, world) = (universe.world(), World::new(&universe.world()));
    let now = || {
        all.barrier();
        mpi::time()
    };

    let rows = if kind == 0 { n * n } else { n };
    let layout = Layout::equal(rows, world.size());
    let entries = layout.range(world.rank()).flat_map(|i| row(kind, n, rows, i));
    let a = Distributed::<f64, Csr>::from_triplets(&world, [rows, rows], &layout, entries)?;
    let x = Tensor::<f64, Dense<1>>::from_dense([rows], &vec![1.0; rows])?;
    let x = Distributed::part_of(&world, &x, &layout)?;

    let [mut spmv, mut first, mut again] = [f64::MAX; 3];
    let mut plan = kernels::spmv_plan(&world, &a, &x)?;
    let mut y = plan.run(&a, &x)?;
    for _ in 0..10 * rounds {
        let start = now();
        plan.run_into(&mut y, &a, &x)?;
        spmv = spmv.min(now() - start);
    }
    let mut norm = 0.0_f64;
    for _ in 0..rounds {
        let start = now();
        let mut plan = kernels::spgemm_plan(&world, &a, &a)?;
        let mut c = plan.run(&a, &a)?;
        first = first.min(now() - start);
        let start = now();
        plan.run_into(&mut c, &a, &a)?;
        again = again.min(now() - start);
        norm = kernels::norm_plan(&world, &c)?.run(&c)?.sqrt();
    }
    if world.rank() == 0 {
        println!("{spmv:.9} {first:.9} {again:.9} {norm:.9e}");
    }
    Ok(())
}
