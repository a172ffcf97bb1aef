//! Input files, and progress reports.

use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sparsegen::{Csf, Csr, Error, Tensor, io};

/// Returns the file that the user chose, or a bundled one.
pub fn or_bundled(file: Option<&Path>, bundled: &str) -> PathBuf {
    match file {
        Some(file) => file.to_owned(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(bundled),
    }
}

/// Returns the last component of a path, for headings.
pub fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Reads a matrix from a Matrix Market file.
///
/// # Errors
/// The errors of [`io::Reader::read_mtx`].
pub fn matrix(path: &Path) -> Result<Tensor<f64, Csr>, Error> {
    let mut progress = Progress::new();
    io::Reader::new().progress(|done, promised| progress.read(path, done, promised)).read_mtx(path)
}

/// Reads a tensor of order 3 from a FROSTT file.
///
/// # Errors
/// The errors of [`io::Reader::read_tns`].
pub fn tensor(path: &Path) -> Result<Tensor<f64, Csf<3>>, Error> {
    let mut progress = Progress::new();
    io::Reader::new().progress(|done, promised| progress.read(path, done, promised)).read_tns(path)
}

/// Reports the progress of long work in one line of standard error, if that is a terminal: the first
/// time after a second, then at most ten times a second. The line is erased at the end.
pub struct Progress {
    next: Option<Instant>,
    is_shown: bool,
}

impl Progress {
    /// Starts a computation.
    pub fn new() -> Progress {
        let next = stderr().is_terminal().then(|| Instant::now() + Duration::from_secs(1));
        Progress { next, is_shown: false }
    }

    /// Prints a message, unless the last one is too recent.
    pub fn tell(&mut self, message: impl FnOnce() -> String) {
        if self.next.is_some_and(|next| next <= Instant::now()) {
            eprint!("\r\x1b[K  … {}", message());
            self.next = Some(Instant::now() + Duration::from_millis(100));
            self.is_shown = true;
        }
    }

    fn read(&mut self, path: &Path, done: usize, promised: Option<usize>) {
        self.tell(|| match promised {
            Some(promised) => {
                let bar = bar(done, promised);
                format!("{}: {bar} {done} of {promised} entries read", name(path))
            }
            None => format!("{}: {done} entries read", name(path)),
        });
    }
}

impl Default for Progress {
    fn default() -> Self {
        Progress::new()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown {
            eprint!("\r\x1b[K");
        }
    }
}

/// Returns a bar of 20 characters, of which those for what is done are thick.
fn bar(done: usize, all: usize) -> String {
    let thick = (20 * done.min(all)).checked_div(all).unwrap_or(20);
    "━".repeat(thick) + &"─".repeat(20 - thick)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_shows_the_share_that_is_done() {
        assert_eq!(bar(0, 7), "────────────────────");
        assert_eq!(bar(3, 6), "━━━━━━━━━━──────────");
        for (done, all) in [(7, 7), (8, 7), (0, 0)] {
            assert_eq!(bar(done, all), "━━━━━━━━━━━━━━━━━━━━");
        }
    }
}
