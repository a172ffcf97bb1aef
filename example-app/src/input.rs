//! Files to read, and a word now and then on what takes long.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sparsegen::{Csf, Csr, Error, Tensor, io};

/// The file that the user named, or else a bundled one.
pub(crate) fn or_bundled(file: Option<&Path>, bundled: &str) -> PathBuf {
    match file {
        Some(file) => file.to_owned(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(bundled),
    }
}

/// The last part of a path, which is enough to name a file in a heading.
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

/// Tells on standard error, but at most once a second, how far a long computation is.
pub(crate) struct Progress {
    told: Instant,
}

impl Progress {
    /// A computation that begins now.
    pub(crate) fn new() -> Progress {
        Progress { told: Instant::now() }
    }

    /// Shows a message, unless one was shown within the last second.
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
