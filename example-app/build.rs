//! Compiles `kernels.toml` and the manifest of each example into `$OUT_DIR`.

fn main() {
    sparsegen_build::compile("kernels.toml");
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
