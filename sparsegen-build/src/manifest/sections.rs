//! The sections other than kernels: defaults, formats and semirings.

use crate::error::{Code, Diagnostic, Name};
use crate::format::builtin::EXAMPLE_MAP;
use crate::names::is_path;
use crate::notation::{Constant, Operator, PathId, RustPath, Semiring};
use crate::operator::Monoid;

use super::choices::{allow, bounds, dtype, simd, truth, width, widths};
use super::values::{Entry, Value};
use super::{Defaults, FormatEntry, FormatText, keys};

/// Parses `[defaults]`.
pub(super) fn defaults(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Defaults {
    const KEYS: [&str; 9] =
        ["dtype", "parallel", "reassociate", "simd", "lazy", "bounds", "pos", "crd", "allow"];
    let mut defaults = Defaults::default();
    let entries = value.table("a table of defaults", diagnostics);
    for Entry { key, value } in keys::known(entries, &KEYS, "`[defaults]`", diagnostics) {
        match key.text.as_str() {
            "dtype" => match dtype(&value, diagnostics) {
                Some(dtype) => defaults.dtype = dtype,
                None => defaults.typed = false,
            },
            "parallel" => defaults.parallel = truth(&value, diagnostics).unwrap_or_default(),
            "reassociate" => {
                defaults.reassociate = truth(&value, diagnostics).unwrap_or(defaults.reassociate);
            }
            "simd" => defaults.simd = simd(&value, diagnostics).unwrap_or_default(),
            "lazy" => defaults.lazy = truth(&value, diagnostics).unwrap_or_default(),
            "bounds" => defaults.bounds = bounds(&value, diagnostics).unwrap_or_default(),
            "allow" => defaults.allow = allow(&value, defaults.allow, diagnostics),
            "pos" => defaults.pos = width(&value, diagnostics).unwrap_or_default(),
            "crd" => defaults.crd = width(&value, diagnostics).unwrap_or_default(),
            _ => {}
        }
    }
    defaults
}

/// Parses `[formats]`.
pub(super) fn formats(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<FormatEntry> {
    let mut formats = Vec::new();
    for Entry { key, value } in value.table("a table of formats", diagnostics) {
        if let Some(format) = format(&value, diagnostics) {
            formats.push(FormatEntry { name: key, format });
        }
    }
    formats
}

/// Parses a format: a string or a table `{ map, pos, crd, fill }`.
pub(super) fn format(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<FormatText> {
    if !value.is_table() {
        let map = value.text(&expected_format(), diagnostics)?;
        return Some(FormatText { map, pos: None, crd: None, fill: None });
    }
    let entries = value.table(&expected_format(), diagnostics);
    let entries = keys::known(entries, &FORMAT_KEYS, "a format", diagnostics);
    format_table(value, &entries, diagnostics)
}

/// The keys of a format table.
pub(super) const FORMAT_KEYS: [&str; 4] = ["map", "pos", "crd", "fill"];

/// Returns a description of a format, for errors.
fn expected_format() -> String {
    format!(
        "a format: the name of one, a map such as \"{EXAMPLE_MAP}\", or a table with the key `map`"
    )
}

/// Parses the keys of a table that describe a format; other keys are ignored.
pub(super) fn format_table(
    value: &Value<'_>,
    entries: &[Entry<'_>],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<FormatText> {
    let (mut map, mut pos, mut crd, mut fill, mut has_map) = (None, None, None, None, false);
    for Entry { key, value } in entries {
        match key.text.as_str() {
            "map" => {
                has_map = true;
                map = value.text("a map or the name of a format", diagnostics);
            }
            "pos" => pos = widths(value, diagnostics),
            "crd" => crd = widths(value, diagnostics),
            "fill" => fill = value.constant(diagnostics),
            _ => {}
        }
    }
    if !has_map {
        diagnostics.push(
            Diagnostic::new(Code::MissingKey, value.span, "this format has no `map`")
                .help("write, for example, `{ map = \"csr\", pos = \"u64\" }`"),
        );
    }
    Some(FormatText { map: map?, pos, crd, fill })
}

/// Parses `[semirings]`: each with its name, or `None` if it has errors.
pub(super) fn semirings(
    value: &Value<'_>,
    paths: &mut Vec<RustPath>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<(Name, Option<Semiring>)> {
    let tables = value.table("a table of semirings", diagnostics);
    tables
        .into_iter()
        .filter_map(|Entry { key, value }| {
            if Semiring::ALL.iter().any(|(name, _)| *name == key.text) {
                let message = format!("`{}` is a built-in semiring", key.text);
                diagnostics.push(
                    Diagnostic::new(Code::DuplicateName, key.span, message)
                        .help("choose another name"),
                );
                return None;
            }
            let semiring = semiring(&key, &value, paths, diagnostics);
            Some((key, semiring))
        })
        .collect()
}

fn semiring(
    name: &Name,
    value: &Value<'_>,
    paths: &mut Vec<RustPath>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Semiring> {
    const KEYS: [&str; 4] = ["add", "mul", "zero", "one"];
    let entries = value.table("a table that describes a semiring", diagnostics);
    let entries = keys::known(entries, &KEYS, "a semiring", diagnostics);
    let find = |key: &str| entries.iter().find(|entry| entry.key.text == key);
    let missing: Vec<&str> = KEYS.into_iter().filter(|key| find(key).is_none()).collect();
    if let [first, ..] = missing[..] {
        let message = format!("the semiring `{}` has no `{first}`", name.text);
        diagnostics.push(Diagnostic::new(Code::MissingKey, name.span, message).help(
            "a semiring has four keys, for example: add = \"min\", mul = \"+\", zero = \"inf\", one = 0",
        ));
        return None;
    }
    let add = operator(&find("add")?.value, paths, diagnostics);
    let mul = operator(&find("mul")?.value, paths, diagnostics);
    let zero = constant(&find("zero")?.value, paths, diagnostics);
    let one = constant(&find("one")?.value, paths, diagnostics);
    Some(Semiring { add: add?, mul: mul?, zero: zero?, one: one? })
}

/// Parses an operator of the language, or the path of a function, which is added to `paths`.
fn operator(
    value: &Value<'_>,
    paths: &mut Vec<RustPath>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Operator> {
    let text =
        value.text("an operator, such as \"min\", or the path to a function", diagnostics)?;
    if let Some(monoid) = Monoid::of(&text.value) {
        return Some(Operator::Monoid(monoid));
    }
    if let Some(path) = listed(&text.value, paths) {
        return Some(Operator::Own(path));
    }
    diagnostics
        .push(Diagnostic::new(Code::UnknownChoice, text.inner(), format!("there is no operator `{}`", text.value)).help(
        "the operators are `+`, `*`, `min`, `max`, `|`, `&`, and paths such as `crate::ops::join`",
    ));
    None
}

/// Parses a number, a truth value, or the path of a constant, which is added to `paths`.
fn constant(
    value: &Value<'_>,
    paths: &mut Vec<RustPath>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Constant> {
    if let Some(literal) = value.literal() {
        return Some(Constant::Literal(literal));
    }
    let text = value
        .text("a number, a boolean, \"inf\", \"-inf\" or the path to a constant", diagnostics)?;
    let path = listed(&text.value, paths);
    if path.is_none() {
        diagnostics.push(
            Diagnostic::new(
                Code::UnknownChoice,
                text.inner(),
                format!("there is no constant `{}`", text.value),
            )
            .help(
                "the constants there are: numbers, booleans, \"inf\", \"-inf\", and paths such as \
                 `crate::ops::ZERO`",
            ),
        );
    }
    path.map(Constant::Own)
}

/// Returns the place of a path among the `paths`, which all that has this path shares; nothing
/// where it is no path.
fn listed(path: &str, paths: &mut Vec<RustPath>) -> Option<PathId> {
    if !path.contains("::") || !is_path(path) {
        return None;
    }
    let known = paths.iter().position(|known| known.path == path);
    Some(PathId(known.unwrap_or_else(|| {
        let name = path.rsplit("::").next().unwrap_or_default().to_owned();
        paths.push(RustPath { name, path: path.to_owned() });
        paths.len() - 1
    })))
}
