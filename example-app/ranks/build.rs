//! Generates the kernels.

fn main() {
    sparsegen_build::compile("kernels.toml");
}
