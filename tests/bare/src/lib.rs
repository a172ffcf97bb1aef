//! Tensors and kernels in a crate without the standard library, as on a microcontroller. CI builds it
//! for a target that has none.

#![no_std]

use sparsegen::{Coo, Csr, Dense, Error, Tensor, Workspaces};

sparsegen::include_kernels!(
    /// Kernels.
    pub mod kernels
);

/// Uses tensors, operators and kernels.
///
/// # Errors
/// Those of the kernels.
pub fn run() -> Result<f64, Error> {
    let mut a = Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)])?;
    a.insert([1, 1], 4.0)?;
    let y = kernels::spmv(&a, &[1.0, 2.0])?;
    let mut square = kernels::product(&a, &a)?;
    let mut workspaces = Workspaces::new();
    kernels::product_by_rows_with(&mut workspaces, &mut square, &a, &a)?;
    let sum = &square + &a.to::<Csr>()?;
    let both = kernels::merged(&sum, &a.to::<Coo<2>>()?)?;
    let image: Tensor<f64, Dense<1>> = &a * &y;
    Ok(kernels::length(image.vals())? + both.norm_l2())
}
