//! Archives of arrays.

#[cfg(feature = "binsparse")]
use std::io::Cursor;
use std::io::{Read, Seek};
#[cfg(feature = "binsparse")]
use std::ops::Range;

#[cfg(feature = "binsparse")]
use zip::CompressionMethod;
use zip::ZipArchive;
use zip::result::ZipError;

use super::error;
use super::npy::{self, Header};
use crate::Error;
use crate::io::lines;

/// An archive of arrays.
pub(in crate::io) struct Archive<'n, R> {
    zip: ZipArchive<R>,
    /// The name of the file, for errors.
    pub(in crate::io) name: &'n str,
}

impl<'n, R: Read + Seek> Archive<'n, R> {
    /// Reads the list of arrays.
    pub(in crate::io) fn open(reader: R, name: &'n str) -> Result<Self, Error> {
        let zip = ZipArchive::new(reader).map_err(|reason| match reason {
            ZipError::Io(reason) => lines::io_error(name, reason),
            reason => error(name, "format", format!("the file is not an archive: {reason}")),
        })?;
        Ok(Archive { zip, name })
    }

    /// Returns whether there is an array of this name.
    #[cfg(feature = "binsparse")]
    pub(in crate::io) fn has(&self, array: &str) -> bool {
        self.zip.index_for_name(&file_name(array)).is_some()
    }

    /// Passes the header and the elements of an array to `read`, or returns `None` if the archive
    /// does not have the array.
    pub(in crate::io) fn find<T>(
        &mut self,
        array: &str,
        read: impl FnOnce(Header, &mut dyn Read) -> Result<T, String>,
    ) -> Result<Option<T>, Error> {
        let mut file = match self.zip.by_name(&file_name(array)) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(reason) => return Err(error(self.name, array, reason.to_string())),
        };
        let read = Header::read(&mut file).and_then(|header| read(header, &mut file));
        read.map(Some).map_err(|message| error(self.name, array, message))
    }

    /// Reads an array of order 0 whose element is text.
    pub(in crate::io) fn text(&mut self, array: &str) -> Result<Option<String>, Error> {
        self.find(array, npy::text)
    }
}

#[cfg(feature = "binsparse")]
impl Archive<'_, Cursor<&[u8]>> {
    /// Returns the names of all arrays.
    pub(in crate::io) fn names(&self) -> impl Iterator<Item = String> + use<> {
        let array = |name: &str| name.strip_suffix(".npy").map(str::to_owned);
        let names = self.zip.file_names().flatten().filter_map(|name| array(&name));
        names.collect::<Vec<_>>().into_iter()
    }

    /// Returns the header of an array and the place of its elements in the file's bytes, where they must
    /// not be compressed, or `None` if the archive does not have the array.
    pub(in crate::io) fn place(
        &mut self,
        bytes: &[u8],
        array: &str,
    ) -> Result<Option<(Header, Range<usize>)>, Error> {
        let fail = |message: String| error(self.name, array, message);
        let file = match self.zip.by_name(&file_name(array)) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(reason) => return Err(fail(reason.to_string())),
        };
        let is_stored = file.compression() == CompressionMethod::Stored && !file.encrypted();
        let (start, size) = (file.data_start(), file.size());
        drop(file);
        if !is_stored {
            let message = "is compressed, so that it cannot be borrowed; read the file with \
                           `read_binsparse`";
            return Err(fail(message.to_owned()));
        }
        let place = start.and_then(|start| {
            let (start, size) = (usize::try_from(start).ok()?, usize::try_from(size).ok()?);
            Some(start..start.checked_add(size)?)
        });
        let place = place.filter(|place| place.end <= bytes.len());
        let place = place.ok_or_else(|| fail("is not within the file".to_owned()))?;
        let mut rest = &bytes[place.clone()];
        let header = Header::read(&mut rest).map_err(fail)?;
        Ok(Some((header, place.end - rest.len()..place.end)))
    }

    /// Compares the checksums of all arrays.
    #[cfg(feature = "mmap")]
    pub(in crate::io) fn verify(&mut self) -> Result<(), Error> {
        for index in 0..self.zip.len() {
            let fail = |array: &str, reason: String| error(self.name, array, reason);
            let opened = self.zip.by_index(index);
            let mut file = opened.map_err(|reason| fail("format", reason.to_string()))?;
            let array = file.name().map(|name| name.trim_end_matches(".npy").to_owned());
            let array = array.unwrap_or_default();
            std::io::copy(&mut file, &mut std::io::sink())
                .map_err(|reason| fail(&array, reason.to_string()))?;
        }
        Ok(())
    }
}

fn file_name(array: &str) -> String {
    format!("{array}.npy")
}
