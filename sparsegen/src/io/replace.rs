//! Files that are replaced only once their new content is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Writes a file under a temporary name in the same folder and renames it, so that a reader never
/// finds a part of it, and an error leaves the previous file as it was. A path that exists and is no
/// regular file, such as a pipe, is written in place.
pub(super) fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    // A symbolic link stays one: the file that it names is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
        let mut file = BufWriter::new(OpenOptions::new().write(true).open(path)?);
        write(&mut file)?;
        return file.flush();
    }
    let temporary = temporary(&target);
    let file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    let mut file = BufWriter::new(file);
    let written = write(&mut file).and_then(|()| file.flush()).and_then(|()| {
        if let Some(existing) = existing {
            file.get_ref().set_permissions(existing.permissions())?;
        }
        file.get_ref().sync_all()?;
        fs::rename(&temporary, &target)
    });
    if written.is_err() {
        // The error of writing is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Returns a name in the same folder that no other thread or process uses.
fn temporary(target: &Path) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{}.{count}.tmp", process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_leaves_the_previous_file() {
        let folder = std::env::temp_dir().join(format!("sparsegen-replace-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("file");
        replace(&path, |file| file.write_all(b"first")).unwrap();
        let failed = replace(&path, |file| {
            file.write_all(b"second")?;
            Err(io::Error::other("full"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "full");
        assert_eq!(fs::read(&path).unwrap(), b"first");
        replace(&path, |file| file.write_all(b"third")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"third");
        let names = fs::read_dir(&folder).unwrap().flatten().map(|file| file.file_name());
        assert!(names.eq(["file"]));
        assert!(replace(&folder, |_| Ok(())).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
