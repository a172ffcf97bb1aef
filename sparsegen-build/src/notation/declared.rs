//! The formats for which the generated module declares a type.

use crate::format::Format;
use crate::format::builtin::BUILTINS;
use crate::names::imported;
use crate::names::{camel_case, free};

/// A format with a type of its own in the generated module.
#[derive(Clone, Debug)]
pub struct DeclaredFormat {
    /// The type's name with its parameters: `Blocks4`, `BigCoo<const N: usize>`.
    pub marker: String,
    /// What it is.
    pub kind: DeclaredKind,
}

/// How the generated module declares a format.
#[derive(Clone, Debug)]
pub enum DeclaredKind {
    /// A marker type for a map that the runtime crate does not know.
    Marker(Format),
    /// Another name for a type of the runtime crate, such as `Coo<N, u64, u32>`.
    Alias(String),
}

/// Gives a format that the manifest does not name the name of a declared format that is the same, or
/// declares it under the wished name, with a number where another type has that name.
pub fn declare(declared: &mut Vec<DeclaredFormat>, format: &mut Format, wished: &str) {
    let same: Vec<_> = declared.iter().filter_map(|known| known.same_as(format)).collect();
    if let Some(known) = same.first() {
        // Of several that are the same it keeps its own.
        if !same.contains(&&format.name) {
            format.name.clone_from(known);
        }
        return;
    }
    let is_taken = |name: &str| {
        let marker = camel_case(name);
        is_of_others(&marker) || declared.iter().any(|known| known.type_name() == marker)
    };
    format.name = Some(free(wished.trim_start_matches("r#"), is_taken));
    let marker = camel_case(format.name.as_deref().unwrap_or_default());
    declared.push(DeclaredFormat { marker, kind: DeclaredKind::Marker(format.clone()) });
}

/// Whether generated code uses the name of a type for something of another crate.
fn is_of_others(name: &str) -> bool {
    let is_builtin = BUILTINS.iter().any(|builtin| builtin.type_name() == name);
    is_builtin || imported::find(name).is_some() || name == imported::ELEMENT
}

impl DeclaredFormat {
    /// The type's name without its parameters.
    fn type_name(&self) -> &str {
        self.marker.split('<').next().unwrap_or(&self.marker)
    }

    /// The name of this format, if it is the same as another one.
    fn same_as(&self, format: &Format) -> Option<&Option<String>> {
        match &self.kind {
            DeclaredKind::Marker(known) if known.is_same(format) => Some(&known.name),
            DeclaredKind::Marker(_) | DeclaredKind::Alias(_) => None,
        }
    }
}
