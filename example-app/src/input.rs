//! Input files, and progress reports.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sparsegen::{Csf, Csr, Error, Tensor, io};

/// Returns the file that the user chose, or a bundled one.
pub(crate) fn or_bundled(file: Option<&Path>, bundled: &str) -> PathBuf {
    match file {
        Some(file) => file.to_owned(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(bundled),
    }
}

/// Returns the last component of a path, for headings.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Reads a matrix from a Matrix Market file.
pub(crate) fn matrix(path: &Path) -> Result<Tensor<f64, Csr>, Error> {
    let mut progress = Progress::new();
    io::Reader::new().progress(|done, promised| progress.read(path, done, promised)).read_mtx(path)
}

/// Reads a tensor of order 3 from a FROSTT file.
pub(crate) fn tensor(path: &Path) -> Result<Tensor<f64, Csf<3>>, Error> {
    let mut progress = Progress::new();
    io::Reader::new().progress(|done, promised| progress.read(path, done, promised)).read_tns(path)
}

/// Reports progress on standard error, at most once a second.
pub(crate) struct Progress {
    told: Instant,
}

impl Progress {
    /// Starts a computation.
    pub(crate) fn new() -> Progress {
        Progress { told: Instant::now() }
    }

    /// Prints a message, unless one was printed within the last second.
    pub(crate) fn tell(&mut self, message: impl FnOnce() -> String) {
        if self.told.elapsed() >= Duration::from_secs(1) {
            eprintln!("  … {}", message());
            self.told = Instant::now();
        }
    }

    fn read(&mut self, path: &Path, done: usize, promised: Option<usize>) {
        self.tell(|| match promised {
            Some(promised) => format!("{}: {done} of {promised} entries read", name(path)),
            None => format!("{}: {done} entries read", name(path)),
        });
    }
}
