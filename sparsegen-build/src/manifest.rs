//! The content of `kernels.toml`: names, formats and statements, each with its place.
//!
//! AFTER [`parse`]: every key and the kind of every value are known, and the names of element
//! types, integer types and semirings are resolved. Format maps and statements are still text,
//! which their own parsers read.

mod choices;
mod display;
mod functions;
mod kernels;
mod keys;
mod sections;
mod statements;
mod text;
pub mod tokens;
mod values;

use std::ops::Range;

use crate::error::{Code, Diagnostic, Name, Span, Warnings};
use crate::format::Widths;
use crate::ir::{Bounds, Simd};
use crate::notation::{Laws, Parameter, RustPath, Semiring};
use crate::types::{Dtype, Literal, Width};

pub use text::Text;

/// The content of a manifest, in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    /// The formats of `[formats]`.
    pub formats: Vec<FormatEntry>,
    /// The kernels of `[kernels]`, one for each statement.
    pub kernels: Vec<KernelEntry>,
    /// The kernels with several statements, as ranges of `kernels`.
    pub several: Vec<SeveralEntry>,
    /// The paths of functions and constants in semirings.
    pub paths: Vec<RustPath>,
    /// The functions of `[functions]`.
    pub functions: Vec<FunctionEntry>,
    /// The defaults of the file.
    pub defaults: Defaults,
}

/// A named format of the manifest.
#[derive(Clone, Debug)]
pub struct FormatEntry {
    /// The name.
    pub name: Name,
    /// The definition.
    pub format: FormatText,
}

/// A format in the notation of a manifest: `"csr"`, `"(i, j) -> (…)"` or `{ map = …, pos = …, crd =
/// … }`.
#[derive(Clone, Debug)]
pub struct FormatText {
    /// A map, or the name of another format.
    pub map: Text,
    /// The types of positions, if they are set.
    pub pos: Option<(Widths, Span)>,
    /// The types of coordinates, if they are set.
    pub crd: Option<(Widths, Span)>,
    /// The fill value, if it is set.
    pub fill: Option<Literal>,
}

/// A table `[functions.NAME]`: a user function.
#[derive(Clone, Debug)]
pub struct FunctionEntry {
    /// The name.
    pub name: Name,
    /// The path; `None` if only regions have functions.
    pub path: Option<Text>,
    /// The names of the arguments.
    pub args: Vec<Name>,
    /// The region in which the value may differ from the fill value, if it is declared.
    pub stores: Option<Text>,
    /// The regions with separate functions, each with the path.
    pub regions: Vec<(Text, Text)>,
    /// The algebraic properties.
    pub laws: Laws,
}

/// A kernel with several statements, each of which is a kernel in [`Manifest::kernels`].
#[derive(Clone, Debug)]
pub struct SeveralEntry {
    /// The name.
    pub name: Name,
    /// The kernels of the statements.
    pub steps: Range<usize>,
    /// Text for the generated function's documentation.
    pub doc: Option<String>,
}

/// A table `[kernels.NAME]`, or one of its statements if it has several.
#[derive(Clone, Debug)]
pub struct KernelEntry {
    /// The name.
    pub name: Name,
    /// The statement; `None` if it is missing or has errors.
    pub statement: Option<Text>,
    /// The content of `tensors`.
    pub tensors: Vec<TensorEntry>,
    /// The names and kinds of the `params`.
    pub params: Vec<(Name, Parameter)>,
    /// The variables and extents of `sizes`.
    pub sizes: Vec<(Name, u64)>,
    /// The element type of tensors that declare none.
    pub dtype: Dtype,
    /// `true` if every element type is known; otherwise types are not compared.
    pub typed: bool,
    /// The treatment of proven bounds.
    pub bounds: Bounds,
    /// `true` if the loops may run on several threads.
    pub parallel: bool,
    /// `true` if sums may be pushed inwards.
    pub reassociate: bool,
    /// The variable of the key `distribute`, which is divided among the ranks of an MPI program.
    pub distribute: Option<Name>,
    /// The instructions for which the loops are compiled.
    pub simd: Simd,
    /// The warnings that are not reported.
    pub allow: Warnings,
    /// The semiring of `+` and `*`.
    pub semiring: Semiring,
    /// The commands of `schedule`.
    pub schedule: Vec<Text>,
    /// Text for the generated function's documentation.
    pub doc: Option<String>,
}

/// An entry of `tensors`.
#[derive(Clone, Debug)]
pub struct TensorEntry {
    /// The name.
    pub name: Name,
    /// The format.
    pub format: Given<FormatText>,
    /// The element type, if it is declared.
    pub dtype: Option<Dtype>,
    /// The place of the declaration that only the structure is stored, and each entry has the value
    /// 1.
    pub pattern: Option<Span>,
    /// The place of the whole value.
    pub span: Span,
}

/// An optional value.
#[derive(Clone, Debug)]
pub enum Given<T> {
    /// The value.
    Value(T),
    /// No value.
    Omitted,
    /// A value with errors, which have been reported.
    Broken,
}

impl<T> Given<T> {
    /// Returns the value, or `Broken` if it has errors.
    fn of(understood: Option<T>) -> Given<T> {
        understood.map_or(Given::Broken, Given::Value)
    }
}

/// The content of `[defaults]`, for all kernels and formats of the file.
#[derive(Clone, Copy, Debug)]
pub struct Defaults {
    /// The element type of tensors that declare none.
    pub dtype: Dtype,
    /// `true` if `dtype` has no errors.
    pub typed: bool,
    /// The treatment of proven bounds.
    pub bounds: Bounds,
    /// `true` if loops may run on several threads.
    pub parallel: bool,
    /// `true` if sums may be pushed inwards.
    pub reassociate: bool,
    /// The instructions for which loops are compiled.
    pub simd: Simd,
    /// The warnings that are not reported.
    pub allow: Warnings,
    /// `true` if there are functions that declare results without computing them.
    pub lazy: bool,
    /// The type of positions of formats that declare none.
    pub pos: Width,
    /// The type of coordinates of formats that declare none.
    pub crd: Width,
}

impl Default for Defaults {
    fn default() -> Defaults {
        Defaults {
            dtype: Dtype::F64,
            typed: true,
            bounds: Bounds::Proven,
            parallel: false,
            reassociate: true,
            simd: Simd::Auto,
            allow: Warnings::default(),
            lazy: false,
            pos: Width::U32,
            crd: Width::U32,
        }
    }
}

/// The sections of a manifest.
const SECTIONS: [&str; 5] = ["formats", "kernels", "defaults", "functions", "semirings"];

/// Parses a manifest; returns its valid content and every error.
pub fn parse(text: &str) -> (Manifest, Vec<Diagnostic>) {
    let (document, errors) = toml::de::DeTable::parse_recoverable(text);
    let mut diagnostics: Vec<_> = errors.iter().map(|error| syntax_error(error, text)).collect();
    let mut manifest = Manifest::default();
    if !diagnostics.is_empty() {
        // Further errors would only be consequences of the broken line.
        return (manifest, diagnostics);
    }

    let root = values::entries(document.get_ref(), text);
    let section = |name: &str| root.iter().find(|entry| entry.key.text == name);
    for entry in &root {
        if !SECTIONS.contains(&entry.key.text.as_str()) {
            diagnostics.push(unknown_section(&entry.key));
        }
    }
    if let Some(entry) = section("defaults") {
        manifest.defaults = sections::defaults(&entry.value, &mut diagnostics);
    }
    if let Some(entry) = section("formats") {
        manifest.formats = sections::formats(&entry.value, &mut diagnostics);
    }
    if let Some(entry) = section("functions") {
        manifest.functions = functions::functions(&entry.value, &mut diagnostics);
    }
    let semirings = match section("semirings") {
        Some(entry) => sections::semirings(&entry.value, &mut manifest.paths, &mut diagnostics),
        None => Vec::new(),
    };
    if let Some(entry) = section("kernels") {
        for kernel in entry.value.table("a table of kernels", &mut diagnostics) {
            let context = kernels::Context { defaults: manifest.defaults, semirings: &semirings };
            let kernel = kernels::kernel(&kernel, context, &mut diagnostics);
            kernel
                .into_iter()
                .for_each(|(entry, texts)| statements::add(&mut manifest, entry, texts));
        }
    }
    (manifest, diagnostics)
}

/// Returns the diagnostic for an error of the TOML syntax.
fn syntax_error(error: &toml::de::Error, text: &str) -> Diagnostic {
    let span = match error.span() {
        Some(range) => Span { start: range.start, end: range.end },
        None => Span { start: text.len(), end: text.len() },
    };
    let reason = error.message();
    let message = match reason.split_once(", expected ") {
        Some((what, expected)) => format!("{what}: expected {expected}"),
        None => reason.to_owned(),
    };
    let diagnostic = Diagnostic::new(Code::InvalidToml, span, message)
        .note("this is not valid TOML: https://toml.io");
    match text.get(span.start..span.end) {
        Some(value) if reason.starts_with("string values must be quoted") => {
            diagnostic.help(format!("write \"{value}\""))
        }
        Some(_) | None => diagnostic,
    }
}

fn unknown_section(key: &Name) -> Diagnostic {
    let diagnostic = Diagnostic::new(
        Code::UnknownSection,
        key.span,
        format!("there is no section `{}`", key.text),
    );
    if kernels::KEYS.contains(&key.text.as_str()) {
        return diagnostic
            .note(format!("`{}` is a key of a kernel", key.text))
            .help("write it below a header such as `[kernels.spmv]`");
    }
    diagnostic.suggest(&key.text, SECTIONS, "the sections")
}
