//! Generated source as rustc sees it.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;
use std::{env, fs};

/// Checks the types of a source with every warning an error, beside the runtime crate that this test was
/// built with.
///
/// # Errors
/// What rustc says.
pub fn type_check(source: &str) -> Result<(), String> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let libraries = env::current_exe().map_err(|error| error.to_string())?;
    let libraries = libraries.parent().ok_or("a test lies in a folder")?;
    let runtime = runtime(libraries).ok_or("the runtime crate was built before this test")?;
    let name =
        format!("sparsegen_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let folder = env::temp_dir().join(name);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let file = folder.join("kernels.rs");
    fs::write(&file, source).map_err(|error| error.to_string())?;
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata"]);
    command.args(["-D", "warnings", "--error-format", "short"]);
    command.arg("--extern").arg(format!("sparsegen={}", runtime.display()));
    command.arg("-L").arg(format!("dependency={}", libraries.display()));
    command.arg("-o").arg(folder.join("kernels.rmeta")).arg(&file);
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The runtime crate among the libraries that were built: the last of them, if features or versions left
/// others behind.
fn runtime(libraries: &std::path::Path) -> Option<PathBuf> {
    let is_runtime = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libsparsegen-") && name.ends_with(".rlib")
    };
    let found = fs::read_dir(libraries).ok()?.flatten().map(|entry| entry.path());
    let built = |path: &PathBuf| {
        path.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
    };
    found.filter(is_runtime).max_by_key(built)
}
