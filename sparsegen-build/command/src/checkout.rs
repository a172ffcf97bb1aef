//! The crates of sparsegen that new crates depend on.

use std::path::{Path, PathBuf};

/// The checkout from which this command was built.
const BUILT_FROM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Returns the whole path of a checkout, if the folder is one.
pub fn checkout(folder: &Path) -> Option<PathBuf> {
    let is_one = ["sparsegen", "sparsegen-build"]
        .iter()
        .all(|name| folder.join(name).join("Cargo.toml").is_file());
    if is_one { folder.canonicalize().ok() } else { None }
}

/// Returns the checkout from which this command was built, if it still exists.
pub fn built_from() -> Option<PathBuf> {
    checkout(Path::new(BUILT_FROM))
}

/// Returns the line of a `Cargo.toml` for a crate: of a checkout, or the published one.
pub fn dependency(name: &str, checkout: Option<&Path>, features: &[&str]) -> String {
    let features = match features {
        [] => String::new(),
        features => format!(", features = {features:?}"),
    };
    match checkout {
        Some(checkout) => {
            let path = checkout.join(name).display().to_string();
            format!("{name} = {{ path = {path:?}{features} }}")
        }
        None => format!("{name} = {{ version = {:?}{features} }}", env!("CARGO_PKG_VERSION")),
    }
}
