//! The names of other crates that generated code uses.
//!
//! Each is imported, or of the prelude, unless a format of the user's has the same name: then it is
//! written with its path, and the format's type as `self::Map`.

/// A name of another crate.
#[derive(Debug)]
pub struct Imported {
    /// The name as generated code writes it.
    pub name: &'static str,
    /// The module that it is in.
    pub module: &'static str,
    /// What it is.
    pub kind: Kind,
}

/// How a name of another crate comes into scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A type or a trait, with a `use`.
    Item,
    /// A module, with a `use`.
    Module,
    /// What is in the prelude needs none.
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

/// The runtime crate's module for kernels.
pub const KERNEL: &str = "sparsegen::kernel";

/// What generated code may use, beside the formats of the runtime crate.
pub const IMPORTED: [Imported; 25] = [
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
    of(RUNTIME, "bf16"),
    of(RUNTIME, "c32"),
    of(RUNTIME, "c64"),
    of(RUNTIME, "f16"),
    Imported { name: "num_traits", module: RUNTIME, kind: Kind::Module },
    of(KERNEL, "Proven"),
    of(KERNEL, "ProvenMut"),
    of(KERNEL, "Reserved"),
    of(KERNEL, "Workspace"),
    prelude("std::convert", "Into"),
    prelude("std::cmp", "PartialOrd"),
    prelude("std::result", "Result"),
    prelude("std::result::Result", "Ok"),
    prelude("std::vec", "Vec"),
];

/// The type parameter for elements that the caller chooses.
pub const ELEMENT: &str = "T";

/// The name of another crate that is spelt like this, if there is one.
pub fn find(name: &str) -> Option<&'static Imported> {
    const TABLE: &[Imported] = &IMPORTED;
    TABLE.iter().find(|imported| imported.name == name)
}

/// How generated code refers to a type that it declares: `Blocks4`, or `self::Map` where another
/// `Map` is in use.
pub fn path_of_own(name: &str) -> String {
    match find(name).is_some() || name == ELEMENT {
        true => format!("self::{name}"),
        false => name.to_owned(),
    }
}
