//! The operands of a kernel that is timed: from files, or made.

use std::path::{Path, PathBuf};

use sparsegen_build::inspect::{Kernel, Tensor};

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::manifest::Manifest;

/// The extent of variables that nothing determines.
pub const EXTENT: usize = 16;

/// The operands of a kernel.
#[derive(Debug)]
pub struct Operands {
    /// The operands with a file, with its whole path.
    pub files: Vec<(Tensor, PathBuf)>,
    /// Extents that are given.
    pub sizes: Vec<(String, usize)>,
    /// `true` if the kernel runs on several threads.
    pub is_parallel: bool,
}

impl Operands {
    /// Returns the operands for files, each of which may name its operand.
    pub fn of(
        arguments: &Arguments,
        manifest: &Manifest,
        kernel: &Kernel,
        words: &[String],
    ) -> Result<Operands, Failure> {
        let table = manifest.table(&kernel.name);
        let mut files: Vec<(Tensor, PathBuf)> = Vec::new();
        for word in words {
            let named = word
                .split_once('=')
                .filter(|(name, _)| kernel.tensors.iter().any(|tensor| tensor.name == *name));
            let (tensor, path) = match named {
                Some((name, path)) => (kernel.tensors.iter().find(|t| t.name == name), path),
                None => (next(kernel, &files), word.as_str()),
            };
            let Some(tensor) = tensor.filter(|tensor| !tensor.is_scalar) else {
                return Err(Failure::error(format!("there is no operand for the file `{word}`")));
            };
            let whole = Path::new(path).canonicalize();
            let whole = whole.map_err(|error| Failure::file("read", Path::new(path), error))?;
            files.push((tensor.clone(), whole));
        }
        if files.is_empty() {
            return Err(arguments.wrong("a file is missing"));
        }
        let mut sizes = Vec::new();
        for part in
            arguments.option("size").unwrap_or("").split(',').filter(|part| !part.is_empty())
        {
            let size = part.split_once('=').and_then(|(name, n)| Some((name, n.parse().ok()?)));
            let Some((name, extent)) = size else {
                return Err(arguments.wrong(format!("`{part}` is not of the form VARIABLE=EXTENT")));
            };
            sizes.push((name.to_owned(), extent));
        }
        let declared = table.as_ref().and_then(|table| table.get("sizes")?.as_table());
        for (name, extent) in declared.into_iter().flatten() {
            sizes.extend(extent.as_size().map(|extent| (name.clone(), extent)));
        }
        let is_parallel = manifest.text.contains("parallel");
        Ok(Operands { files, sizes, is_parallel })
    }

    /// Returns the file of an operand.
    pub fn file(&self, name: &str) -> Option<usize> {
        self.files.iter().position(|(tensor, _)| tensor.name == name)
    }
}

/// Returns the next operand without a file: a sparse one, if there is any.
fn next<'k>(kernel: &'k Kernel, files: &[(Tensor, PathBuf)]) -> Option<&'k Tensor> {
    let is_left = |tensor: &&Tensor| {
        !tensor.is_result
            && !tensor.modes.is_empty()
            && !files.iter().any(|(known, _)| known.name == tensor.name)
    };
    let is_sparse = |tensor: &Tensor| tensor.levels.iter().any(|level| !level.is_full);
    let left: Vec<&Tensor> = kernel.tensors.iter().filter(is_left).collect();
    left.iter().find(|tensor| is_sparse(tensor)).or(left.first()).copied()
}
