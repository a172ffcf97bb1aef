//! Compiles `kernels.toml` into `$OUT_DIR/kernels.rs`.

fn main() {
    sparsegen_build::compile("kernels.toml");
}
