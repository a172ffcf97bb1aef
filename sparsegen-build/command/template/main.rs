//! Calls the kernels of `kernels.toml`.

use sparsegen::{Csr, Error, Tensor};

sparsegen::include_kernels!(mod kernels);

fn main() -> Result<(), Error> {
    let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 0], 1.0), ([1, 2], 3.0)])?;
    let y = kernels::spmv(&a, &[1.0, 10.0, 100.0])?;
    println!("A x = {:?}", y.vals());
    let c = kernels::add(&a, &a)?;
    println!("A + A =\n{c}");
    Ok(())
}
