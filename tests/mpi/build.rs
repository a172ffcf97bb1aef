//! Generates the kernels that the ranks run.

fn main() {
    sparsegen_build::compile("kernels.toml");
    sparsegen_build::compile("petsc/products.toml");
}
