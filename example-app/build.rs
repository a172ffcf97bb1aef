//! Compiles `kernels.toml` and the manifest of each example into `$OUT_DIR`.

use std::env;

fn main() {
    sparsegen_build::compile("kernels.toml");
    // Kernels for ranks need MPI.
    if env::var_os("CARGO_FEATURE_MPI").is_some() {
        sparsegen_build::compile("ranks.toml");
    }
    for example in [
        "attention",
        "convolution",
        "elements",
        "factorize",
        "field",
        "incomplete",
        "network",
        "pruned",
        "sprs",
        "triangles",
    ] {
        sparsegen_build::compile(format!("examples/{example}/{example}.toml"));
    }
}
