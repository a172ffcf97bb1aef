//! Errors, which all ranks return.

use sparsegen::distributed::{Distributed, Layout, World};
use sparsegen::{Csr, Dense, Error, Tensor};

use super::kernels;

/// Asserts that all ranks return the error of one.
pub fn errors(world: &World) {
    let layout = Layout::equal(8, world.size());
    let last = world.size() - 1;
    // Only one rank has an entry outside.
    let entries = if world.rank() == last { vec![([9, 0], 1.0)] } else { vec![([0, 0], 1.0)] };
    let refused = Distributed::<f64, Csr<u64, u64>>::from_triplets(world, [8, 8], &layout, entries);
    match refused {
        Err(Error::Rank { rank, reason }) => {
            assert_eq!(rank, last);
            assert!(reason.contains("[9, 0]"), "{reason}");
        }
        other => panic!("rank {}: {other:?}", world.rank()),
    }
    // A plan is for one structure.
    let a = Tensor::<f64, Csr<u64, u64>>::eye(8).expect("fits");
    let x = Tensor::<f64, Dense<1>>::from_dense([8], &[1.0; 8]).expect("fits");
    let part = |tensor: &Tensor<f64, Csr<u64, u64>>| {
        Distributed::part_of(world, tensor, &layout).expect("the layout fits")
    };
    let dx = Distributed::part_of(world, &x, &layout).expect("the layout fits");
    let mut plan = kernels::spmv_plan(world, &part(&a), &dx).expect("the layouts agree");
    let other = Tensor::from_triplets([8, 8], [([7, 0], 1.0)]).expect("fits");
    let refused = plan.run(&part(&other), &dx);
    assert!(
        matches!(&refused, Err(Error::Rank { reason, .. }) if reason.contains("structure")),
        "{refused:?}"
    );
    let short = Tensor::<f64, Dense<1>>::from_dense([7], &[1.0; 7]).expect("fits");
    let of_seven = Layout::equal(7, world.size());
    let short = Distributed::part_of(world, &short, &of_seven).expect("the layout fits");
    let refused = kernels::spmv_plan(world, &part(&a), &short).map(|_| ());
    assert!(
        matches!(&refused, Err(Error::Rank { reason, .. }) if reason.contains("extent")),
        "{refused:?}"
    );
}
