//! The names of other crates that generated code uses.
//!
//! Each is imported, or in the prelude, unless a format of the user has the same name: it is then
//! written with its path, and the format's type as `self::Map`.

/// A name of another crate.
#[derive(Debug)]
pub struct Imported {
    /// The name in generated code.
    pub name: &'static str,
    /// The module of the item.
    pub module: &'static str,
    /// The kind of the name.
    pub kind: Kind,
}

/// The way in which a name of another crate comes into scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A type or a trait, with a `use`.
    Item,
    /// A module, with a `use`.
    Module,
    /// An item of the prelude, without a `use`.
    Prelude,
}

const fn of(module: &'static str, name: &'static str) -> Imported {
    Imported { name, module, kind: Kind::Item }
}

const fn prelude(module: &'static str, name: &'static str) -> Imported {
    Imported { name, module, kind: Kind::Prelude }
}

/// The runtime crate.
pub const RUNTIME: &str = "sparsegen";

/// The module for kernels of the runtime crate.
pub const KERNEL: &str = "sparsegen::kernel";

/// The names that generated code may use, besides the formats of the runtime crate.
pub const IMPORTED: [Imported; 27] = [
    of(RUNTIME, "Error"),
    of(RUNTIME, "Fill"),
    of(RUNTIME, "Format"),
    of(RUNTIME, "IntoView"),
    of(RUNTIME, "LevelExpr"),
    of(RUNTIME, "LevelMap"),
    of(RUNTIME, "Map"),
    of(RUNTIME, "Pattern"),
    of(RUNTIME, "Tensor"),
    of(RUNTIME, "Value"),
    of(RUNTIME, "View"),
    of(RUNTIME, "Workspaces"),
    of(RUNTIME, "bf16"),
    of(RUNTIME, "c32"),
    of(RUNTIME, "c64"),
    of(RUNTIME, "f16"),
    Imported { name: "num_traits", module: RUNTIME, kind: Kind::Module },
    of(KERNEL, "Places"),
    of(KERNEL, "Proven"),
    of(KERNEL, "ProvenMut"),
    of(KERNEL, "Reserved"),
    of(KERNEL, "Workspace"),
    prelude("core::convert", "Into"),
    prelude("core::cmp", "PartialOrd"),
    prelude("core::result", "Result"),
    prelude("core::result::Result", "Ok"),
    prelude("sparsegen::kernel::prelude", "Vec"),
];

/// The type parameter of generic kernels.
pub const ELEMENT: &str = "T";

/// Returns the entry with this name, if there is one.
pub fn find(name: &str) -> Option<&'static Imported> {
    const TABLE: &[Imported] = &IMPORTED;
    TABLE.iter().find(|imported| imported.name == name)
}

/// Returns the path of a declared type in generated code: `Blocks4`, or `self::Map` if another
/// `Map` is imported.
pub fn path_of_own(name: &str) -> String {
    match find(name).is_some() || name == ELEMENT {
        true => format!("self::{name}"),
        false => name.to_owned(),
    }
}
