//! Streams that may be compressed with gzip or Zstandard.

use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::path::Path;

use super::replace::replace;

/// A compression of files.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Compression {
    Gzip,
    Zstd,
}

use Compression::{Gzip, Zstd};

impl Compression {
    const ALL: [Compression; 2] = [Gzip, Zstd];

    /// Returns the first bytes of every compressed stream.
    fn signature(self) -> &'static [u8] {
        match self {
            Gzip => &[0x1f, 0x8b],
            Zstd => &[0x28, 0xb5, 0x2f, 0xfd],
        }
    }

    /// Returns the extension of the names of compressed files.
    fn extension(self) -> &'static str {
        match self {
            Gzip => "gz",
            Zstd => "zst",
        }
    }

    fn decompressed<'r>(self, reader: impl BufRead + 'r) -> io::Result<Box<dyn BufRead + 'r>> {
        match self {
            // Tools that compress in parallel write several members.
            #[cfg(feature = "gzip")]
            Gzip => Ok(Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(reader)))),
            #[cfg(feature = "zstd")]
            Zstd => Ok(Box::new(BufReader::new(zstd::Decoder::with_buffer(reader)?))),
            #[cfg(not(all(feature = "gzip", feature = "zstd")))]
            _ => {
                drop(reader);
                Err(self.unsupported())
            }
        }
    }

    fn compress(
        self,
        out: &mut dyn Write,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        match self {
            #[cfg(feature = "gzip")]
            Gzip => {
                let mut out = flate2::write::GzEncoder::new(out, flate2::Compression::default());
                write(&mut out)?;
                out.finish().map(|_| ())
            }
            #[cfg(feature = "zstd")]
            Zstd => {
                let mut out = zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                write(&mut out)?;
                out.finish().map(|_| ())
            }
            #[cfg(not(all(feature = "gzip", feature = "zstd")))]
            _ => {
                let _ = (out, write);
                Err(self.unsupported())
            }
        }
    }

    #[cfg(not(all(feature = "gzip", feature = "zstd")))]
    fn unsupported(self) -> io::Error {
        let feature = match self {
            Gzip => "gzip",
            Zstd => "zstd",
        };
        let message =
            format!("{feature} compression needs the feature `{feature}` of the crate `sparsegen`");
        io::Error::new(io::ErrorKind::Unsupported, message)
    }
}

/// Reads the first bytes of a stream; returns them, and the compression whose signature they are.
fn head(reader: &mut impl Read) -> io::Result<(Vec<u8>, Option<Compression>)> {
    let mut head = Vec::new();
    let longest = Compression::ALL.map(|compression| compression.signature().len());
    let longest = longest.into_iter().max().unwrap_or(0);
    reader.take(longest as u64).read_to_end(&mut head)?;
    let begins = |compression: &Compression| head.starts_with(compression.signature());
    let compression = Compression::ALL.into_iter().find(begins);
    Ok((head, compression))
}

/// Returns whether a stream begins with the signature of a compression.
#[cfg(feature = "mpi")]
pub(super) fn is_compressed(mut reader: impl Read) -> io::Result<bool> {
    Ok(head(&mut reader)?.1.is_some())
}

/// Buffers a stream, and decompresses it if it begins with the signature of a compression.
pub(super) fn buffered<'r>(reader: impl Read + 'r) -> io::Result<Box<dyn BufRead + 'r>> {
    let mut reader = BufReader::new(reader);
    let (head, compression) = head(&mut reader)?;
    let reader = Cursor::new(head).chain(reader);
    match compression {
        Some(compression) => compression.decompressed(reader),
        None => Ok(Box::new(reader)),
    }
}

/// Replaces a file by what `write` writes, compressed if the extension of the file is that of a
/// compression.
pub(super) fn create(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let is_of = |compression: &Compression| {
        path.extension().is_some_and(|name| name.eq_ignore_ascii_case(compression.extension()))
    };
    replace(path, |file| match Compression::ALL.into_iter().find(is_of) {
        Some(compression) => compression.compress(file, write),
        None => write(file),
    })
}
