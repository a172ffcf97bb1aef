//! `kernels.toml` as written: names, formats and statements, each with its place.
//!
//! AFTER [`parse`]: every key and every value is of a known kind, and names of element types,
//! widths and semirings are resolved. Format maps and statements are still text; their own parsers
//! read them.

mod display;
mod functions;
mod kernels;
mod sections;
mod several;
mod text;
pub mod tokens;
mod values;

use std::ops::Range;

use crate::error::{Diagnostic, Name, Span};
use crate::ir::Bounds;
use crate::notation::{Laws, Parameter, RustPath, Semiring};
use crate::types::{Dtype, Literal, Width};

pub use text::Text;

use values::Value;

/// What a manifest says, in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    /// The formats of `[formats]`.
    pub formats: Vec<FormatEntry>,
    /// The kernels of `[kernels]`, one for each statement.
    pub kernels: Vec<KernelEntry>,
    /// Which of them are the statements of one kernel.
    pub several: Vec<SeveralEntry>,
    /// The functions and constants of which semirings give the paths.
    pub paths: Vec<RustPath>,
    /// The functions of `[functions]`.
    pub functions: Vec<FunctionEntry>,
    /// What `[defaults]` sets for the file.
    pub defaults: Defaults,
}

/// A format that has a name in the manifest.
#[derive(Clone, Debug)]
pub struct FormatEntry {
    /// Its name.
    pub name: Name,
    /// What it stands for.
    pub format: FormatText,
}

/// A format as written: `"csr"`, `"(i, j) -> (…)"` or `{ map = …, pos = …, crd = … }`.
#[derive(Clone, Debug)]
pub struct FormatText {
    /// A map, or the name of another format.
    pub map: Text,
    /// The width of positions, where it is set.
    pub pos: Option<Width>,
    /// The width of coordinates, where it is set.
    pub crd: Option<Width>,
    /// The value of what is not stored, where it is set.
    pub fill: Option<Literal>,
}

/// One table `[functions.NAME]`: a function of Rust.
#[derive(Clone, Debug)]
pub struct FunctionEntry {
    /// Its name.
    pub name: Name,
    /// The path to it; nothing where regions have functions of their own and there is nothing else.
    pub path: Option<Text>,
    /// The names of its arguments.
    pub args: Vec<Name>,
    /// Where it can differ from the fill, where that is said.
    pub stores: Option<Text>,
    /// Regions that have functions of their own, each with the path to it.
    pub regions: Vec<(Text, Text)>,
    /// What is known of its values.
    pub laws: Laws,
}

/// A kernel of several statements, each of which is a kernel among [`Manifest::kernels`].
#[derive(Clone, Debug)]
pub struct SeveralEntry {
    /// The kernel's name.
    pub name: Name,
    /// The kernels of its statements.
    pub steps: Range<usize>,
    /// Text for the generated function's documentation.
    pub doc: Option<String>,
}

/// One table `[kernels.NAME]`, or one statement of it where it has several.
#[derive(Clone, Debug)]
pub struct KernelEntry {
    /// The kernel's name.
    pub name: Name,
    /// The statement; `None` where there is none that could be understood.
    pub statement: Option<Text>,
    /// What `tensors` says.
    pub tensors: Vec<TensorEntry>,
    /// The names that `params` declares, and what each passes.
    pub params: Vec<(Name, Parameter)>,
    /// The variables whose extent `sizes` gives.
    pub sizes: Vec<(Name, u64)>,
    /// The element type of tensors that name none.
    pub dtype: Dtype,
    /// Whether every element type could be understood; otherwise types are not compared.
    pub typed: bool,
    /// Whether proven bounds are checked.
    pub bounds: Bounds,
    /// Whether the loops are run on several threads.
    pub parallel: bool,
    /// What `+` and `*` mean.
    pub semiring: Semiring,
    /// The commands of `schedule`.
    pub schedule: Vec<Text>,
    /// Text for the generated function's documentation.
    pub doc: Option<String>,
}

/// One entry of `tensors`.
#[derive(Clone, Debug)]
pub struct TensorEntry {
    /// The tensor's name.
    pub name: Name,
    /// Its format.
    pub format: Given<FormatText>,
    /// Its element type, where one is given.
    pub dtype: Option<Dtype>,
    /// Where it is said that only the structure is stored: each entry counts 1.
    pub pattern: Option<Span>,
    /// The place of the whole entry's value.
    pub span: Span,
}

/// A value that may be left out.
#[derive(Clone, Debug)]
pub enum Given<T> {
    /// It is there.
    Value(T),
    /// It is left out.
    Omitted,
    /// It is there, but could not be understood; the mistake was reported.
    Broken,
}

impl<T> Given<T> {
    /// A value that is there, if it was understood.
    fn of(understood: Option<T>) -> Given<T> {
        understood.map_or(Given::Broken, Given::Value)
    }
}

/// What `[defaults]` sets for all kernels and formats of the file.
#[derive(Clone, Copy, Debug)]
pub struct Defaults {
    /// The element type of tensors that name none.
    pub dtype: Dtype,
    /// Whether `dtype` could be understood.
    pub typed: bool,
    /// Whether proven bounds are checked.
    pub bounds: Bounds,
    /// Whether loops are run on several threads.
    pub parallel: bool,
    /// The width of positions in formats that name none.
    pub pos: Width,
    /// The width of coordinates in formats that name none.
    pub crd: Width,
}

impl Default for Defaults {
    fn default() -> Defaults {
        Defaults {
            dtype: Dtype::F64,
            typed: true,
            bounds: Bounds::Proven,
            parallel: false,
            pos: Width::U32,
            crd: Width::U32,
        }
    }
}

/// The tables that a manifest may have.
const SECTIONS: [&str; 5] = ["formats", "kernels", "defaults", "functions", "semirings"];

/// Reads a manifest: what could be understood of it, and every mistake that was found.
pub fn parse(text: &str) -> (Manifest, Vec<Diagnostic>) {
    let (document, errors) = toml::de::DeTable::parse_recoverable(text);
    let mut diagnostics: Vec<_> = errors.iter().map(|error| syntax_error(error, text)).collect();
    let mut manifest = Manifest::default();
    if !diagnostics.is_empty() {
        // Whatever follows from a broken line would only bury the mistake.
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
            kernel.into_iter().for_each(|(entry, texts)| several::add(&mut manifest, entry, texts));
        }
    }
    (manifest, diagnostics)
}

/// A mistake in the TOML itself.
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
    let diagnostic = Diagnostic::new(span, message).note("this is not valid TOML: https://toml.io");
    match text.get(span.start..span.end) {
        Some(value) if reason.starts_with("string values must be quoted") => {
            diagnostic.help(format!("write \"{value}\""))
        }
        Some(_) | None => diagnostic,
    }
}

fn unknown_section(key: &Name) -> Diagnostic {
    let diagnostic = Diagnostic::new(key.span, format!("there is no section `{}`", key.text));
    if kernels::KEYS.contains(&key.text.as_str()) {
        return diagnostic
            .note(format!("`{}` is a key of a kernel", key.text))
            .help("write it below a header such as `[kernels.spmv]`");
    }
    diagnostic.suggest(&key.text, SECTIONS, "the sections")
}

/// A key that is not known in its table.
fn unknown_key(key: &Name, known: &[&str], table: &str) -> Diagnostic {
    Diagnostic::new(key.span, format!("{table} has no key `{}`", key.text)).suggest(
        &key.text,
        known.iter().copied(),
        "its keys",
    )
}

/// An element type by its name.
fn dtype(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<Dtype> {
    let text = value.text("the name of an element type, such as \"f64\"", diagnostics)?;
    let found = Dtype::ALL.into_iter().find(|dtype| dtype.name() == text.value);
    if found.is_none() {
        let known = Dtype::ALL.iter().map(|dtype| dtype.name());
        diagnostics.push(
            Diagnostic::new(text.inner(), format!("there is no element type `{}`", text.value))
                .suggest(&text.value, known, "the element types"),
        );
    }
    found
}

/// A width of positions or coordinates by its name.
fn width(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<Width> {
    let text = value.text("the name of an unsigned type, such as \"u32\"", diagnostics)?;
    let found = Width::ALL.into_iter().find(|width| width.name() == text.value);
    if found.is_none() {
        let known = Width::ALL.iter().map(|width| width.name());
        diagnostics.push(
            Diagnostic::new(text.inner(), format!("there is no width `{}`", text.value)).suggest(
                &text.value,
                known,
                "the widths of positions and coordinates",
            ),
        );
    }
    found
}

/// `"proven"` or `"checked"`.
fn bounds(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<Bounds> {
    let text = value.text("\"proven\" or \"checked\"", diagnostics)?;
    match text.value.as_str() {
        "proven" => Some(Bounds::Proven),
        "checked" => Some(Bounds::Checked),
        unknown => {
            diagnostics.push(
                Diagnostic::new(text.inner(), format!("bounds cannot be `{unknown}`")).suggest(
                    unknown,
                    ["proven", "checked"],
                    "the choices",
                ),
            );
            None
        }
    }
}

/// `parallel`: whether loops are run on several threads.
fn parallel(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<bool> {
    value.boolean("true or false", diagnostics)
}
