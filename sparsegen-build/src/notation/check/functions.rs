//! The user functions of a manifest: their names, paths and regions.

use crate::error::{Code, Diagnostic, Name, Span};
use crate::manifest::{FunctionEntry, Manifest, Text};
use crate::names::{is_name, is_path};
use crate::notation::functions::reserved;
use crate::notation::parse::region;
use crate::notation::{PathId, Region, RustPath, UserFunction};

use super::Context;
use super::names::Names;

/// The user functions that statements may call.
#[derive(Debug, Default)]
pub(super) struct Functions {
    functions: Vec<UserFunction>,
    /// The paths of all functions and constants.
    paths: Vec<RustPath>,
}

impl Functions {
    /// Resolves the functions of a manifest. Functions with errors are included, so that calls of
    /// them are not reported as well.
    pub(super) fn of(manifest: &Manifest, diagnostics: &mut Vec<Diagnostic>) -> Functions {
        let mut functions = Functions { paths: manifest.paths.clone(), ..Functions::default() };
        for entry in &manifest.functions {
            diagnostics.extend(check_name(entry));
            let mut report = |mistake: Diagnostic| diagnostics.push(mistake);
            let path =
                entry.path.as_ref().map(|path| functions.path(&entry.name.text, path, &mut report));
            let mut parsed =
                |text: &Text| region(text, &entry.args).map_err(&mut report).unwrap_or(Region::All);
            let stores = entry.stores.as_ref().map(&mut parsed);
            let cases: Vec<_> = entry.regions.iter().map(|(region, _)| parsed(region)).collect();
            let paths = entry.regions.iter();
            let paths = paths.map(|(_, path)| functions.path(&path.value, path, &mut report));
            let regions = cases.into_iter().zip(paths.collect::<Vec<_>>()).collect();
            functions.functions.push(UserFunction {
                name: entry.name.text.clone(),
                arity: entry.args.len(),
                path,
                stores,
                regions,
                laws: entry.laws,
            });
        }
        functions
    }

    /// Returns the function with this name.
    pub(super) fn find(&self, name: &str) -> Option<&UserFunction> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// Returns the names of all functions.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.functions.iter().map(|function| function.name.as_str())
    }

    /// Returns the paths of all functions and constants.
    pub(super) fn paths(&self) -> &[RustPath] {
        &self.paths
    }

    fn path(&mut self, name: &str, path: &Text, report: &mut impl FnMut(Diagnostic)) -> PathId {
        let Text { value, .. } = path;
        if !is_path(value) {
            report(not_a_path(value, path.inner()));
        }
        let name = name.rsplit("::").next().unwrap_or(name).to_owned();
        self.paths.push(RustPath { name, path: value.clone() });
        PathId(self.paths.len() - 1)
    }
}

fn not_a_path(path: &str, span: Span) -> Diagnostic {
    Diagnostic::new(Code::InvalidPath, span, format!("`{path}` is not a Rust path"))
        .help("a path is written as in Rust: `crate::ops::relu`")
}

fn check_name(entry: &FunctionEntry) -> Option<Diagnostic> {
    let name = &entry.name.text;
    let wrong = |message: String| Diagnostic::new(Code::InvalidName, entry.name.span, message);
    if !is_name(name) {
        return Some(
            wrong(format!("`{name}` cannot be the name of a function")).help(
                "a name consists of letters, digits and `_`, and does not begin with a digit",
            ),
        );
    }
    let kind = reserved(name)?;
    Some(wrong(format!("`{name}` is {kind} of the language")).help("choose another name"))
}

/// Checks that the names of functions are used for calls only.
pub(super) fn check_names(
    context: Context<'_>,
    names: &Names<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut used: Vec<&Name> = names.tensors.iter().map(|tensor| &tensor.first.name).collect();
    used.extend(context.entry.params.iter().map(|(name, _)| name));
    let mut variables = Vec::new();
    context.statement.left.for_each_variable(&mut |name| variables.push(name));
    context.statement.right.for_each_access(&mut |access| {
        access.for_each_variable(&mut |name| variables.push(name));
    });
    for name in variables {
        if used.iter().all(|known| known.text != name.text) {
            used.push(name);
        }
    }
    for name in used {
        if context.functions.find(&name.text).is_some() {
            diagnostics.push(
                Diagnostic::new(
                    Code::DuplicateName,
                    name.span,
                    format!("`{}` is a function of the manifest", name.text),
                )
                .help("give one of the two another name"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_rust() {
        for path in ["crate::ops::relu", "f64::max", "::half::f16::sum", "super::super::f", "f"] {
            assert!(is_path(path), "{path}");
        }
        for path in [
            "",
            "crate::",
            "a b",
            "a:b",
            "1::a",
            "a::fn",
            "f()",
            "a::<b>",
            "crate",
            "self",
            "Self::f",
            "a::crate::b",
            "::f",
            "::crate::f",
            "_",
        ] {
            assert!(!is_path(path), "{path}");
        }
    }
}
