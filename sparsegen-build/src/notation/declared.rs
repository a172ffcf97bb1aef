//! The formats for which the generated module declares a type.

use crate::format::Format;
use crate::format::builtin::BUILTINS;
use crate::names::imported;
use crate::names::{camel_case, free, plain};

/// A format with its own type in the generated module.
#[derive(Clone, Debug)]
pub struct DeclaredFormat {
    /// The name of the type with its parameters: `Blocks4`, `BigCoo<const N: usize>`.
    pub marker: String,
    /// The kind of declaration.
    pub kind: DeclaredKind,
}

/// The declaration of a format in the generated module.
#[derive(Clone, Debug)]
pub enum DeclaredKind {
    /// A marker type for a map without a type in the runtime crate.
    Marker(Format),
    /// An alias of a type of the runtime crate, such as `Coo<N, u64, u32>`.
    Alias(String),
}

/// Names a format without a name after an equal declared format, or declares it under the wished
/// name, with a number appended if another type has that name.
pub fn declare(declared: &mut Vec<DeclaredFormat>, format: &mut Format, wished: &str) {
    let same: Vec<_> = declared.iter().filter_map(|known| known.same_as(format)).collect();
    if let Some(known) = same.first() {
        // A name among those of several equal formats is kept.
        if !same.contains(&&format.name) {
            format.name.clone_from(known);
        }
        return;
    }
    let is_taken = |name: &str| {
        let marker = camel_case(name);
        is_of_others(&marker) || declared.iter().any(|known| known.type_name() == marker)
    };
    format.name = Some(free(plain(wished), is_taken));
    let marker = camel_case(format.name.as_deref().unwrap_or_default());
    declared.push(DeclaredFormat { marker, kind: DeclaredKind::Marker(format.clone()) });
}

/// Returns whether generated code uses this type name for an item of another crate.
fn is_of_others(name: &str) -> bool {
    let is_builtin = BUILTINS.iter().any(|builtin| builtin.type_name() == name);
    is_builtin || imported::find(name).is_some() || name == imported::ELEMENT
}

impl DeclaredFormat {
    /// Returns the name of the type without its parameters.
    fn type_name(&self) -> &str {
        self.marker.split('<').next().unwrap_or(&self.marker)
    }

    /// Returns the name of this format if it equals `format`.
    fn same_as(&self, format: &Format) -> Option<&Option<String>> {
        match &self.kind {
            DeclaredKind::Marker(known) if known.is_same(format) => Some(&known.name),
            DeclaredKind::Marker(_) | DeclaredKind::Alias(_) => None,
        }
    }
}
