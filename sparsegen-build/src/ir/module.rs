//! What a generated file consists of.

use super::{Function, Kernel, Literal};

/// A generated file.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The manifest's file name, such as `kernels.toml`; never a path.
    pub manifest: String,
    /// The generator's version.
    pub version: String,
    /// The formats that have types of their own.
    pub formats: Vec<FormatDeclaration>,
    /// The kernels, in the order of the manifest.
    pub kernels: Vec<Kernel>,
}

impl Module {
    /// The functions of all kernels, one for each statement.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.kernels.iter().flat_map(Kernel::functions)
    }
}

/// A format with a type of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct FormatDeclaration {
    /// The type with its parameters, such as `Blocks4` or `BigCoo<const N: usize>`.
    pub name: String,
    /// Documentation of the type, markdown, one line an element.
    pub docs: Vec<String>,
    /// What the type is.
    pub kind: FormatKind,
}

/// What the type of a declared format is.
#[derive(Clone, Debug, PartialEq)]
pub enum FormatKind {
    /// Another name for a type of the runtime crate, such as `Coo<N, u64, u32>`.
    Alias(String),
    /// A marker type.
    Marker {
        /// The format's name in the manifest, such as `blocks4`.
        key: String,
        /// The number of modes.
        order: usize,
        /// The storage levels, outermost first.
        levels: Vec<LevelDeclaration>,
        /// The value of what is not stored, where it is not zero.
        fill: Option<Literal>,
    },
}

/// A level of a declared format.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelDeclaration {
    /// What it stores, as a constant expression of the runtime crate's `LevelMap`, such as
    /// `LevelMap::dimension(1, "compressed").nonordered()`.
    pub map: String,
    /// The type of the level's storage, such as `sparsegen::level::Compressed<u32, u32>`.
    pub storage: String,
}
