//! Values of keys that are one of a few names, or a list of them.

use crate::error::{Code, Diagnostic, Span, Warning, Warnings};
use crate::format::Widths;
use crate::ir::{Bounds, Simd};
use crate::names::is_path;
use crate::types::{Dtype, UserType, Width};

use super::values::Value;

/// The names of element types in C and NumPy, and here.
const SPELLINGS: [(&str, &str); 18] = [
    ("double", "f64"),
    ("float64", "f64"),
    ("float", "f32"),
    ("float32", "f32"),
    ("float16", "f16"),
    ("half", "f16"),
    ("bfloat16", "bf16"),
    ("int8", "i8"),
    ("int16", "i16"),
    ("int", "i32"),
    ("int32", "i32"),
    ("int64", "i64"),
    ("uint8", "u8"),
    ("uint16", "u16"),
    ("uint32", "u32"),
    ("uint64", "u64"),
    ("complex64", "c32"),
    ("complex128", "c64"),
];

/// Parses the name of an element type.
pub(super) fn dtype(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<Dtype> {
    let text = value.text("the name of an element type, such as \"f64\"", diagnostics)?;
    let found = Dtype::ALL.into_iter().find(|dtype| dtype.name() == text.value);
    if found.is_none() && text.value.contains("::") {
        if is_path(&text.value) {
            return Some(Dtype::User(UserType::new(&text.value)));
        }
        diagnostics.push(
            Diagnostic::new(
                Code::InvalidPath,
                text.inner(),
                format!("`{}` is not the path of a type", text.value),
            )
            .help("a type of your crate has a path such as `crate::Fp`, without parameters"),
        );
        return None;
    }
    if found.is_none() {
        let known = Dtype::ALL.iter().map(|dtype| dtype.name());
        let mut mistake = Diagnostic::new(
            Code::UnknownType,
            text.inner(),
            format!("there is no element type `{}`", text.value),
        );
        if text.value.starts_with(char::is_uppercase) {
            let path = format!("crate::{}", text.value);
            mistake = mistake.note(format!("a type of your crate has a path, such as `{path}`"));
        }
        let spelled = SPELLINGS.into_iter().find(|(spelling, _)| *spelling == text.value);
        diagnostics.push(match spelled {
            Some((_, name)) => mistake.help(format!("did you mean `{name}`?")),
            None => mistake.suggest(&text.value, known, "the element types"),
        });
    }
    found
}

/// Parses the name of an integer type for positions or coordinates.
pub(super) fn width(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<Width> {
    let text = value.text("the name of an unsigned type, such as \"u32\"", diagnostics)?;
    let found = Width::ALL.into_iter().find(|width| width.name() == text.value);
    if found.is_none() {
        let known = Width::ALL.iter().map(|width| width.name());
        diagnostics.push(
            Diagnostic::new(
                Code::UnknownChoice,
                text.inner(),
                format!("there is no width `{}`", text.value),
            )
            .suggest(&text.value, known, "the widths of positions and coordinates"),
        );
    }
    found
}

/// Parses the name of an unsigned type, or a list of such names.
pub(super) fn widths(
    value: &Value<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Widths, Span)> {
    if !value.is_array() {
        return Some((Widths::Same(width(value, diagnostics)?), value.span));
    }
    let list = value.array("a list of unsigned types", diagnostics)?;
    // All errors are reported, not only the first.
    let list: Vec<_> = list.iter().map(|value| width(value, diagnostics)).collect();
    Some((Widths::Each(list.into_iter().collect::<Option<_>>()?), value.span))
}

/// Parses `bounds`.
pub(super) fn bounds(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<Bounds> {
    let choices = [("proven", Bounds::Proven), ("checked", Bounds::Checked)];
    choice(value, "bounds", choices, diagnostics)
}

/// Parses `simd`.
pub(super) fn simd(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<Simd> {
    choice(value, "`simd`", [("auto", Simd::Auto), ("portable", Simd::Portable)], diagnostics)
}

/// Parses `allow` into a set that contains the warnings that all kernels of the file allow.
pub(super) fn allow(
    value: &Value<'_>,
    mut allowed: Warnings,
    diagnostics: &mut Vec<Diagnostic>,
) -> Warnings {
    let expected = "a list of warnings such as [\"conversion\"]";
    for value in value.array(expected, diagnostics).unwrap_or_default() {
        let Some(text) = value.text("the name of a warning", diagnostics) else { continue };
        match Warning::ALL.into_iter().find(|(name, _)| *name == text.value) {
            Some((_, warning)) => allowed.insert(warning),
            None => {
                let message = format!("there is no warning `{}`", text.value);
                let known = Warning::ALL.into_iter().map(|(name, _)| name);
                let diagnostic = Diagnostic::new(Code::UnknownChoice, text.inner(), message);
                diagnostics.push(diagnostic.suggest(&text.value, known, "the warnings"));
            }
        }
    }
    allowed
}

/// Parses one of two names.
fn choice<T>(
    value: &Value<'_>,
    what: &str,
    choices: [(&'static str, T); 2],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<T> {
    let names = [choices[0].0, choices[1].0];
    let text = value.text(&format!("{:?} or {:?}", names[0], names[1]), diagnostics)?;
    let chosen = choices.into_iter().find(|(name, _)| *name == text.value);
    if chosen.is_none() {
        let unknown = text.value.as_str();
        let diagnostic = Diagnostic::new(
            Code::UnknownChoice,
            text.inner(),
            format!("{what} cannot be `{unknown}`"),
        );
        diagnostics.push(diagnostic.suggest(unknown, names, "the choices"));
    }
    chosen.map(|(_, chosen)| chosen)
}

/// Parses `parallel`, `reassociate` and `lazy`.
pub(super) fn truth(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<bool> {
    value.boolean("true or false", diagnostics)
}
