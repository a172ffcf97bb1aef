//! Runs kernels on the ranks of an MPI program, and compares them with the same kernels in one
//! process: values, stored structure and volume.
//!
//! `mpirun -n 4 target/debug/ranks`: every rank makes the whole operands from the same seed, and
//! distributes them.

mod asserts;
mod elements;
mod files;
mod random;
mod refusals;
mod volume;

use mpi::traits::{Communicator, Root};
use sparsegen::distributed::{Distributed, Layout, World, mpi};
use sparsegen::{Csr, Dense, Tensor, Value};

use asserts::{assert_identical, assert_same, minimal_volume};
use random::{Random, layout};

sparsegen::include_kernels!(mod kernels);

/// The extents of `i`, `j`, `k` and `l`.
const EXTENTS: [[usize; 4]; 5] =
    [[7, 9, 6, 5], [23, 17, 31, 4], [1, 40, 3, 2], [0, 5, 4, 3], [40, 1, 2, 64]];

fn main() {
    let universe = mpi::initialize().expect("MPI is not yet initialized");
    let world = World::new(&universe.world());
    // A rank that panics must not leave the others waiting.
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        default(info);
        std::process::abort();
    }));
    let mut cases = 0;
    for (number, extents) in EXTENTS.into_iter().enumerate() {
        for kind in 0..4 {
            let seed = 100 * number as u64 + kind as u64;
            cases += compare(&world, extents, kind, seed);
            cases += elements::compare(&world, extents, kind, seed);
        }
    }
    refusals::errors(&world);
    large(&world);
    let mut process = std::process::id();
    universe.world().process_at_rank(0).broadcast_into(&mut process);
    let files = files::compare(&files::Folder::new(&world, process));
    if world.size() == 1 {
        volume::growth();
    }
    if world.rank() == 0 {
        println!("{cases} runs and {files} files on {} ranks", world.size());
    }
}

/// Runs a kernel on distributed operands, twice, and compares it.
macro_rules! run {
    ($world:ident, $what:expr, $kernel:ident, $plan:ident, $simulate:ident,
     $(($whole:ident, $part:ident)),+) => {{
        let expected = kernels::$kernel($(&$whole),+).expect("the extents agree");
        let mut plan = kernels::$plan($world, $(&$part),+).expect("the layouts agree");
        let result = plan.run($(&$part),+).expect("the structure is the same");
        let what = format!("{} {}", stringify!($kernel), $what);
        assert_same(&what, $world, &result, &expected);
        assert_identical(&result, &plan.run($(&$part),+).expect("the structure is the same"));
        let mut stored = result.clone();
        plan.run_into(&mut stored, $(&$part),+).expect("the layout is the same");
        assert_identical(&result, &stored);
        let layouts = [$($part.layout().clone()),+];
        let pretended = {
            let mut layouts = layouts.iter();
            kernels::$simulate($world.size(), $({
                let layout = layouts.next().expect("one for each operand");
                sparsegen::distributed::Pretended::distributed(&$whole, layout)
            }),+)
        };
        assert_eq!(*plan.report(), pretended.expect("the layouts agree"), "{what}");
        1
    }};
}

/// Compares all kernels on operands with these extents. Returns the number of comparisons.
fn compare(world: &World, [i, j, k, l]: [usize; 4], kind: usize, seed: u64) -> usize {
    let mut random = Random::new(seed);
    let what = format!("of {i}x{j}x{k}x{l}, layout {kind}, on {} ranks", world.size());
    // The operands of one kernel that the distributed variable indexes have the same layout.
    let of =
        |extent: usize| layout(&mut Random::new(seed + extent as u64), extent, world.size(), kind);
    let (of_i, of_j, of_k) = (of(i), of(j), of(k));
    macro_rules! operand {
        ($name:ident, $part:ident, $ty:ty, $shape:expr, $layout:expr, $density:expr) => {
            let $name = random.tensor::<$ty>($shape, $density);
            let $part = Distributed::part_of(world, &$name, $layout).expect("the layout fits");
        };
    }
    operand!(a, da, Csr<u64, u64>, [i, j], &of_i, 0.2);
    operand!(b, db, Csr<u64, u64>, [i, j], &of_i, 0.15);
    operand!(x, dx, Dense<1>, [j], &of_j, 1.0);
    operand!(z, dz, Dense<1>, [i], &of_i, 1.0);
    let mut count = 0;
    count += run!(world, what, spmv, spmv_plan, spmv_simulate, (a, da), (x, dx));
    count += run!(world, what, transposed, transposed_plan, transposed_simulate, (a, da), (z, dz));
    count += run!(world, what, add, add_plan, add_simulate, (a, da), (b, db));
    // In a tensor of another structure, the result is assembled anew.
    let mut plan = kernels::add_plan(world, &da, &db).expect("the layouts agree");
    let sum = plan.run(&da, &db).expect("the structure is the same");
    let mut stored = da.clone();
    plan.run_into(&mut stored, &da, &db).expect("the layout is the same");
    assert_identical(&sum, &stored);
    count += run!(
        world,
        what,
        add_vectors,
        add_vectors_plan,
        add_vectors_simulate,
        (a, da),
        (b, db),
        (x, dx)
    );
    count += run!(world, what, filled, filled_plan, filled_simulate, (a, da), (x, dx));
    count += run!(world, what, greatest, greatest_plan, greatest_simulate, (a, da));
    count += run!(
        world,
        what,
        greatest_of_sums,
        greatest_of_sums_plan,
        greatest_of_sums_simulate,
        (a, da),
        (x, dx)
    );
    count += run!(world, what, relaxed, relaxed_plan, relaxed_simulate, (a, da), (z, dz));
    minimal_volume(
        world,
        &a,
        &of_i,
        &of_j,
        kernels::spmv_plan(world, &da, &dx).expect("fits").report(),
    );

    operand!(b2, db2, sparsegen::Dcsr<u64, u64>, [i, j], &of_i, 0.1);
    count += run!(
        world,
        what,
        sum_then_product,
        sum_then_product_plan,
        sum_then_product_simulate,
        (a, da),
        (b2, db2),
        (x, dx)
    );
    operand!(sparse, dsparse, sparsegen::SparseVector<u64, u64>, [j], &of_j, 0.4);
    operand!(rows, drows, sparsegen::Dcsr<u64, u64>, [i, j], &of_i, 0.1);
    count += run!(
        world,
        what,
        spmv_dcsr,
        spmv_dcsr_plan,
        spmv_dcsr_simulate,
        (rows, drows),
        (sparse, dsparse)
    );
    operand!(hashes, dhashes, kernels::Hashes, [i, j], &of_i, 0.2);
    count += run!(
        world,
        what,
        spmv_hashes,
        spmv_hashes_plan,
        spmv_hashes_simulate,
        (hashes, dhashes),
        (x, dx)
    );
    operand!(dia, ddia, sparsegen::Dia<u64, u64>, [i, j], &of_i, 0.2);
    count += run!(world, what, spmv_dia, spmv_dia_plan, spmv_dia_simulate, (dia, ddia), (x, dx));
    operand!(ell, dell, sparsegen::Ell<u64, u64>, [i, j], &of_i, 0.2);
    if i > 0 {
        count +=
            run!(world, what, spmv_ell, spmv_ell_plan, spmv_ell_simulate, (ell, dell), (x, dx));
    }
    operand!(csc, dcsc, sparsegen::Csc<u64, u64>, [i, j], &of_j, 0.2);
    count += run!(
        world,
        what,
        spmv_columns,
        spmv_columns_plan,
        spmv_columns_simulate,
        (csc, dcsc),
        (x, dx)
    );
    operand!(coo, dcoo, sparsegen::Coo<2, u64, u64>, [i, j], &of_i, 0.2);
    count += run!(
        world,
        what,
        transposed_sparse,
        transposed_sparse_plan,
        transposed_sparse_simulate,
        (coo, dcoo),
        (z, dz)
    );

    operand!(right, dright, Csr<u64, u64>, [j, k], &of_j, 0.2);
    count += run!(world, what, spgemm, spgemm_plan, spgemm_simulate, (a, da), (right, dright));
    let mut plan = kernels::first_columns_plan(world, &da, &dright).expect("the layouts agree");
    let mut some = plan.run(&da, &dright, 2).expect("the structure is the same");
    for columns in [2, k, 1] {
        plan.run_into(&mut some, &da, &dright, columns).expect("the layout is the same");
        let expected = kernels::first_columns(&a, &right, columns).expect("the extents agree");
        assert_same(&what, world, &some, &expected);
    }
    let mut plan = kernels::chosen_plan(world, &dx, &da, &dright).expect("the layouts agree");
    let mut some = plan.run(&dx, &da, &dright).expect("the structure is the same");
    for first in [0, j / 2, 0] {
        let (mut x, mut dx) = (x.clone(), dx.clone());
        let own = of_j.range(world.rank());
        x.vals_mut()[first..].fill(0.0);
        dx.local_vals_mut()[first.clamp(own.start, own.end) - own.start..].fill(0.0);
        plan.run_into(&mut some, &dx, &da, &dright).expect("the layout is the same");
        let expected = kernels::chosen(&x, &a, &right).expect("the extents agree");
        assert_same(&what, world, &some, &expected);
    }
    operand!(third, dthird, Csr<u64, u64>, [k, l], &of_k, 0.3);
    count += run!(
        world,
        what,
        chain,
        chain_plan,
        chain_simulate,
        (a, da),
        (right, dright),
        (third, dthird)
    );
    operand!(blocks, dblocks, kernels::Blocks, [i, j], &of_i, 0.2);
    operand!(list, dlist, sparsegen::Coo<2, u64, u64>, [j, k], &of_j, 0.2);
    count += run!(
        world,
        what,
        spgemm_blocks,
        spgemm_blocks_plan,
        spgemm_blocks_simulate,
        (blocks, dblocks),
        (list, dlist)
    );
    operand!(wide, dwide, Dense<2>, [j, k], &of_j, 1.0);
    count += run!(world, what, spmm, spmm_plan, spmm_simulate, (a, da), (wide, dwide));
    operand!(mask, dmask, Csr<u64, u64>, [i, k], &of_i, 0.2);
    count += run!(
        world,
        what,
        masked,
        masked_plan,
        masked_simulate,
        (mask, dmask),
        (a, da),
        (right, dright)
    );
    operand!(tall, dtall, Dense<2>, [i, k], &of_i, 1.0);
    operand!(turned, dturned, sparsegen::DenseCol<2>, [k, j], &of_j, 1.0);
    count += run!(
        world,
        what,
        sddmm,
        sddmm_plan,
        sddmm_simulate,
        (a, da),
        (tall, dtall),
        (turned, dturned)
    );
    operand!(cube, dcube, sparsegen::Csf<3, u64, u64>, [i, k, l], &of_i, 0.2);
    operand!(of_second, dof_second, Dense<2>, [k, 3], &of_k, 1.0);
    let of_l = of(l);
    operand!(of_third, dof_third, Dense<2>, [l, 3], &of_l, 1.0);
    count += run!(
        world,
        what,
        mttkrp,
        mttkrp_plan,
        mttkrp_simulate,
        (cube, dcube),
        (of_second, dof_second),
        (of_third, dof_third)
    );
    count + others(world, &what, (&a, &da), (&x, &dx), (&z, &dz))
}

type Operand<'t, F> = (&'t Tensor<f64, F>, &'t Distributed<f64, F>);

/// Compares kernels with other results and arguments than tensors.
fn others(
    world: &World,
    what: &str,
    (a, da): Operand<'_, Csr<u64, u64>>,
    (x, dx): Operand<'_, Dense<1>>,
    (z, dz): Operand<'_, Dense<1>>,
) -> usize {
    let close = |found: f64, expected: f64| {
        assert!(found.is_close(expected, 1e-12), "{what}: {found}, not {expected}");
    };
    let mut plan = kernels::dot_plan(world, dz, dz).expect("the layouts agree");
    close(plan.run(dz, dz).expect("fits"), kernels::dot(z, z).expect("fits"));

    let mut plan = kernels::inner_plan(world, dz, da, dx).expect("the layouts agree");
    close(plan.run(dz, da, dx).expect("fits"), kernels::inner(z, a, x).expect("fits"));

    let mut plan = kernels::residual_plan(world, dz, da, dx).expect("the layouts agree");
    let (r, s) = plan.run(dz, da, dx).expect("fits");
    let (expected, norm) = kernels::residual(z, a, x).expect("fits");
    assert_same(what, world, &r, &expected);
    close(s, norm);

    let mut plan = kernels::scaled_plan(world, da, dx).expect("the layouts agree");
    let y = plan.run(2.5, da, dx).expect("fits");
    assert_same(what, world, &y, &kernels::scaled(2.5, a, x).expect("fits"));
    // A tensor that every rank has whole.
    let mut plan = kernels::scaled_plan(world, da, x).expect("the layouts agree");
    assert_identical(&y, &plan.run(2.5, da, x).expect("fits"));
    assert_eq!(plan.report().volume(), 0);
    // New values with the same structure, and a new layout.
    let mut doubled = dx.clone();
    doubled.local_vals_mut().iter_mut().for_each(|value| *value *= 2.0);
    let mut plan = kernels::scaled_plan(world, da, dx).expect("the layouts agree");
    assert_same(
        what,
        world,
        &plan.run(1.25, da, &doubled).expect("fits"),
        &kernels::scaled(2.5, a, x).expect("fits"),
    );

    let mut sums = Distributed::part_of(world, z, da.layout()).expect("the layout fits");
    let mut plan = kernels::accumulate_plan(world, da, dx).expect("the layouts agree");
    plan.run_into(&mut sums, da, dx).expect("fits");
    let mut expected = z.clone();
    kernels::accumulate_into(&mut expected, a, x).expect("fits");
    assert_same(what, world, &sums, &expected);

    let blocks = a.to::<kernels::Blocks>().expect("the format stores all entries");
    let dblocks = Distributed::part_of(world, &blocks, da.layout()).expect("the layout fits");
    let (mut sums, mut squares) = (dz.clone(), dz.clone());
    let mut plan = kernels::together_plan(world, &dblocks, dx).expect("the layouts agree");
    plan.run_into(&mut sums, &mut squares, &dblocks, dx).expect("fits");
    let (mut expected, mut expected_squares) = (z.clone(), z.clone());
    kernels::together_into(&mut expected, &mut expected_squares, &blocks, x).expect("fits");
    assert_same(what, world, &sums, &expected);
    assert_same(what, world, &squares, &expected_squares);

    let truths = |tensor: &Tensor<f64, Csr<u64, u64>>| tensor.map(|_, value| value > 0.0);
    let (graph, start) = (truths(a), random::sparse(z).map(|_, _| true));
    let dgraph = Distributed::part_of(world, &graph, da.layout()).expect("the layout fits");
    let dstart = Distributed::part_of(world, &start, dz.layout()).expect("the layout fits");
    let mut plan = kernels::reached_plan(world, &dgraph, &dstart).expect("the layouts agree");
    let reached = plan.run(&dgraph, &dstart).expect("fits");
    assert_same(what, world, &reached, &kernels::reached(&graph, &start).expect("fits"));

    let counts = a.map(|_, value| (value * 10.0) as i64);
    let ones = x.map(|_, value| (value * 3.0) as i64);
    let dcounts = Distributed::part_of(world, &counts, da.layout()).expect("the layout fits");
    let dones = Distributed::part_of(world, &ones, dx.layout()).expect("the layout fits");
    let mut plan = kernels::counted_plan(world, &dcounts, &dones).expect("the layouts agree");
    let counted = plan.run(&dcounts, &dones).expect("fits");
    assert_same(what, world, &counted, &kernels::counted(&counts, &ones).expect("fits"));

    // Entries that any rank has go to their owners.
    let mine = a.iter().enumerate().filter(|(k, _)| k % world.size() == world.rank());
    let mine: Vec<_> = mine.map(|(_, entry)| entry).collect();
    let sent = Distributed::from_triplets(world, a.shape(), da.layout(), mine).expect("fits");
    assert_identical(&sent, da);
    let whole = if world.rank() + 1 == world.size() { Some(a) } else { None };
    let scattered = Distributed::scatter(world, whole).expect("one rank has it");
    assert_same(what, world, &scattered, a);
    assert_identical(&scattered.redistribute(world, da.layout()).expect("fits"), da);
    10
}

/// Multiplies matrices whose modes have 2^40 coordinates.
fn large(world: &World) {
    let extent = 1_usize << 40;
    let layout = Layout::equal(extent, world.size());
    let entries: Vec<_> =
        (0..50_usize).map(|n| ([n * 20_000_003, n * n * 400_000_009], 1.5)).collect();
    let a = Tensor::<f64, sparsegen::Dcsr<u64, u64>>::from_triplets([extent, extent], entries)
        .expect("fits");
    let elements: Vec<_> = (0..50_usize).map(|n| ([n * n * 400_000_009], n as f64)).collect();
    let x = Tensor::<f64, sparsegen::SparseVector<u64, u64>>::from_triplets([extent], elements)
        .expect("fits");
    let da = Distributed::part_of(world, &a, &layout).expect("the layout fits");
    let dx = Distributed::part_of(world, &x, &layout).expect("the layout fits");
    let mut plan = kernels::spmv_dcsr_plan(world, &da, &dx).expect("the layouts agree");
    let y = plan.run(&da, &dx).expect("fits");
    assert_same("2^40", world, &y, &kernels::spmv_dcsr(&a, &x).expect("fits"));
}
