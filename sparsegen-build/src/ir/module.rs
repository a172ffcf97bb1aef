//! The content of a generated file.

use super::{Kernel, Literal};

/// A generated file.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The file name of the manifest, such as `kernels.toml`, without a path.
    pub manifest: String,
    /// The version of the generator.
    pub version: String,
    /// The formats with declared types.
    pub formats: Vec<FormatDeclaration>,
    /// The kernels, in the order of the manifest.
    pub kernels: Vec<Kernel>,
    /// `true` if there are functions that declare results without computing them.
    pub is_lazy: bool,
}

/// A format with a declared type.
#[derive(Clone, Debug, PartialEq)]
pub struct FormatDeclaration {
    /// The type with its parameters, such as `Blocks4` or `BigCoo<const N: usize>`.
    pub name: String,
    /// The documentation of the type in Markdown, one line per element.
    pub docs: Vec<String>,
    /// The kind of type.
    pub kind: FormatKind,
}

/// The kind of type of a declared format.
#[derive(Clone, Debug, PartialEq)]
pub enum FormatKind {
    /// An alias of a type of the runtime crate, such as `Coo<N, u64, u32>`.
    Alias(String),
    /// A marker type.
    Marker {
        /// The name of the format in the manifest, such as `blocks4`.
        key: String,
        /// The number of modes.
        order: usize,
        /// The storage levels, outermost first.
        levels: Vec<LevelDeclaration>,
        /// The fill value, unless it is zero.
        fill: Option<Literal>,
    },
}

/// A level of a declared format.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelDeclaration {
    /// The map, as a constant expression of the runtime crate's `LevelMap`, such as
    /// `LevelMap::dimension(1, "compressed").nonordered()`.
    pub map: String,
    /// The type of the level's storage, such as `sparsegen::level::Compressed<u32, u32>`.
    pub storage: String,
}
