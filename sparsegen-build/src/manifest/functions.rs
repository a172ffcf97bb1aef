//! The tables `[functions.NAME]`.

use crate::error::{Code, Diagnostic, Name};
use crate::notation::Laws;

use super::values::{Entry, Value};
use super::{FunctionEntry, Text, keys};

/// The keys of a function.
const KEYS: [&str; 9] = [
    "path",
    "args",
    "stores",
    "regions",
    "annihilator",
    "identity",
    "commutative",
    "associative",
    "idempotent",
];

/// Parses `[functions]`.
pub(super) fn functions(
    value: &Value<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<FunctionEntry> {
    let tables = value.table("a table of functions", diagnostics);
    tables.into_iter().map(|entry| function(entry, diagnostics)).collect()
}

fn function(
    Entry { key: name, value }: Entry<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> FunctionEntry {
    let mut function = FunctionEntry {
        name,
        path: None,
        args: Vec::new(),
        stores: None,
        regions: Vec::new(),
        laws: Laws::default(),
    };
    let mut has_args = false;
    let mut laws: Vec<Name> = Vec::new();
    let entries = value.table("a table that describes a function", diagnostics);
    for Entry { key, value } in keys::known(entries, &KEYS, "a function", diagnostics) {
        let mut flag = || value.boolean("true or false", diagnostics).unwrap_or_default();
        match key.text.as_str() {
            "path" => function.path = value.text(EXPECTED_PATH, diagnostics),
            "args" => {
                has_args = true;
                function.args = arguments(&value, diagnostics);
            }
            "stores" => function.stores = value.text(EXPECTED_REGION, diagnostics),
            "regions" => function.regions = regions(&value, diagnostics),
            "annihilator" => function.laws.annihilator = value.constant(diagnostics),
            "identity" => function.laws.identity = value.constant(diagnostics),
            "commutative" => function.laws.commutative = flag(),
            "associative" => function.laws.associative = flag(),
            "idempotent" => function.laws.idempotent = flag(),
            _ => {}
        }
        if matches!(&*key.text, "identity" | "commutative" | "associative" | "idempotent") {
            laws.push(key);
        }
    }
    let name = &function.name;
    let missing = |key: &str, example: &str| {
        Diagnostic::new(
            Code::MissingKey,
            name.span,
            format!("the function `{}` has no `{key}`", name.text),
        )
        .help(format!("add it: {example}"))
    };
    if !has_args {
        diagnostics.push(missing("args", "args = [\"a\", \"b\"]"));
    } else if function.path.is_none() && function.regions.is_empty() {
        diagnostics.push(missing("path", &format!("path = \"crate::{}\"", name.text)));
    } else if let Some(law) = laws.first().filter(|_| function.args.len() < 2) {
        diagnostics.push(
            Diagnostic::new(
                Code::InvalidFunction,
                law.span,
                format!("`{}` applies to several arguments", law.text),
            )
            .note(format!("`{}` has one", name.text))
            .help("declare with `stores` where it may differ from its fill value"),
        );
    }
    function
}

const EXPECTED_PATH: &str = "the path to a function, such as \"crate::ops::relu\"";
const EXPECTED_REGION: &str = "a region, such as \"(a & b) | (a & !c)\"";

/// Parses the names of a function's arguments, which must differ.
fn arguments(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    for value in
        value.array("an array of names, such as [\"a\", \"b\"]", diagnostics).unwrap_or_default()
    {
        let Some(text) = value.text("the name of an argument", diagnostics) else { continue };
        let name = Name { span: text.inner(), text: text.value };
        if !crate::names::is_name(&name.text) || name.text == "all" {
            diagnostics.push(
                Diagnostic::new(
                    Code::InvalidName, name.span,
                    format!("`{}` cannot be the name of an argument", name.text),
                )
                .help("a name consists of letters, digits and `_`, and does not begin with a digit; `all` is a region"),
            );
        } else if names.iter().any(|known| known.text == name.text) {
            diagnostics.push(
                Diagnostic::new(
                    Code::DuplicateName,
                    name.span,
                    format!("there are two arguments `{}`", name.text),
                )
                .help("give one of the two another name"),
            );
        }
        names.push(name);
    }
    names
}

/// Parses pairs of a region and a path.
fn regions(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<(Text, Text)> {
    const EXPECTED: &str = "pairs such as [[\"a & b\", \"crate::ops::both\"]]";
    let pairs = value.array(EXPECTED, diagnostics).unwrap_or_default();
    let mut regions = Vec::new();
    for pair in pairs {
        let Some(parts) = pair.array(EXPECTED, diagnostics) else { continue };
        let [region, path] = parts.as_slice() else {
            diagnostics.push(
                Diagnostic::new(
                    Code::WrongKind,
                    pair.span,
                    "a pair consists of a region and a path",
                )
                .help("write, for example, [\"a & b\", \"crate::ops::both\"]"),
            );
            continue;
        };
        let region = region.text(EXPECTED_REGION, diagnostics);
        regions.extend(region.zip(path.text(EXPECTED_PATH, diagnostics)));
    }
    regions
}
