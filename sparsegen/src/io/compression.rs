//! Streams that may be compressed with gzip.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Read, Write};
use std::path::Path;

/// The first bytes of every gzip stream.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Buffers a stream, and decompresses it if it begins with the gzip signature.
pub(super) fn buffered<'r>(reader: impl Read + 'r) -> io::Result<Box<dyn BufRead + 'r>> {
    let mut reader = BufReader::new(reader);
    let mut head = Vec::new();
    reader.by_ref().take(GZIP.len() as u64).read_to_end(&mut head)?;
    let compressed = head == GZIP;
    let reader = Cursor::new(head).chain(reader);
    if compressed { decompressed(reader) } else { Ok(Box::new(reader)) }
}

#[cfg(feature = "gzip")]
fn decompressed<'r>(reader: impl BufRead + 'r) -> io::Result<Box<dyn BufRead + 'r>> {
    // Tools that compress in parallel write several members.
    Ok(Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(reader))))
}

#[cfg(not(feature = "gzip"))]
fn decompressed<'r>(_reader: impl BufRead + 'r) -> io::Result<Box<dyn BufRead + 'r>> {
    Err(no_gzip())
}

#[cfg(not(feature = "gzip"))]
fn no_gzip() -> io::Error {
    let message = "gzip compression needs the feature `gzip` of the crate `sparsegen`";
    io::Error::new(io::ErrorKind::Unsupported, message)
}

/// Creates a file and passes a writer to `write`, compressed if the file name ends in `.gz`.
pub(super) fn create(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz")) {
        return create_compressed(path, write);
    }
    let mut file = BufWriter::new(File::create(path)?);
    write(&mut file)?;
    file.flush()
}

#[cfg(feature = "gzip")]
fn create_compressed(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let file = BufWriter::new(File::create(path)?);
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::default());
    write(&mut encoder)?;
    encoder.finish()?.flush()
}

#[cfg(not(feature = "gzip"))]
fn create_compressed(
    _path: &Path,
    _write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    Err(no_gzip())
}
