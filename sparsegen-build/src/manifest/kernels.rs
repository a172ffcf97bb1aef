//! The tables `[kernels.NAME]`.

use crate::error::{Code, Diagnostic, Name};
use crate::notation::{Parameter, Semiring};

use super::choices::{allow, bounds, dtype, simd, truth};
use super::sections::{FORMAT_KEYS, format, format_table};
use super::values::{Entry, Value};
use super::{Defaults, Given, KernelEntry, TensorEntry, Text, keys};

/// The parts of a manifest that a kernel's table refers to.
#[derive(Clone, Copy)]
pub(super) struct Context<'m> {
    pub(super) defaults: Defaults,
    pub(super) semirings: &'m [(Name, Option<Semiring>)],
}

/// The keys of a kernel.
pub(super) const KEYS: [&str; 15] = [
    "expr",
    "exprs",
    "tensors",
    "params",
    "sizes",
    "dtype",
    "semiring",
    "schedule",
    "parallel",
    "distribute",
    "reassociate",
    "simd",
    "bounds",
    "allow",
    "doc",
];

/// Parses a kernel and its statements, which are returned separately; returns `None` if its value
/// is not a table.
pub(super) fn kernel(
    entry: &Entry<'_>,
    context: Context<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(KernelEntry, Vec<Text>)> {
    if !entry.value.is_table() {
        diagnostics.push(
            entry
                .value
                .unexpected("a kernel's table")
                .help(format!("write a header `[kernels.{}]` and its keys below", entry.key.text)),
        );
        return None;
    }
    let mut kernel = KernelEntry {
        name: entry.key.clone(),
        statement: None,
        tensors: Vec::new(),
        params: Vec::new(),
        sizes: Vec::new(),
        dtype: context.defaults.dtype,
        typed: context.defaults.typed,
        bounds: context.defaults.bounds,
        parallel: context.defaults.parallel,
        reassociate: context.defaults.reassociate,
        distribute: None,
        simd: context.defaults.simd,
        allow: context.defaults.allow,
        semiring: Semiring::PLUS_TIMES,
        schedule: Vec::new(),
        doc: None,
    };
    // Without the table of formats, each tensor would seem to lack one.
    let mut has_formats = true;
    let mut texts: Vec<Text> = Vec::new();
    let mut statements: Vec<Name> = Vec::new();
    let entries = entry.value.table("a kernel's table", diagnostics);
    for Entry { key, value } in keys::known(entries, &KEYS, "a kernel", diagnostics) {
        match key.text.as_str() {
            "expr" if value.is_array() => {
                let several = "several statements are listed in `exprs`";
                diagnostics.push(value.unexpected(EXPECTED_STATEMENT).help(several));
                statements.push(key);
            }
            "expr" => {
                texts = value.text(EXPECTED_STATEMENT, diagnostics).into_iter().collect();
                statements.push(key);
            }
            "exprs" => {
                texts = self::statements(&value, diagnostics);
                statements.push(key);
            }
            "tensors" if !value.is_table() => {
                diagnostics.push(value.unexpected(EXPECTED_TENSORS));
                has_formats = false;
            }
            "tensors" => {
                for tensor in value.table(EXPECTED_TENSORS, diagnostics) {
                    let tensor = self::tensor(tensor, &mut kernel.typed, diagnostics);
                    kernel.tensors.push(tensor);
                }
            }
            "params" => kernel.params = params(&value, diagnostics),
            "sizes" => {
                for size in value.table("a table such as { k = 32 }", diagnostics) {
                    if let Some(extent) =
                        size.value.extent("a variable's extent, such as 32", diagnostics)
                    {
                        kernel.sizes.push((size.key, extent));
                    }
                }
            }
            "dtype" => match dtype(&value, diagnostics) {
                Some(dtype) => kernel.dtype = dtype,
                None => kernel.typed = false,
            },
            "semiring" => {
                let found = semiring(&value, context.semirings, diagnostics);
                kernel.semiring = found.unwrap_or(Semiring::PLUS_TIMES);
            }
            "parallel" => {
                let default = context.defaults.parallel;
                kernel.parallel = truth(&value, diagnostics).unwrap_or(default);
            }
            "reassociate" => {
                let default = context.defaults.reassociate;
                kernel.reassociate = truth(&value, diagnostics).unwrap_or(default);
            }
            "distribute" => {
                let variable = value.text("an index variable, such as \"i\"", diagnostics);
                kernel.distribute =
                    variable.map(|text| Name { span: text.inner(), text: text.value });
            }
            "simd" => {
                kernel.simd = simd(&value, diagnostics).unwrap_or(context.defaults.simd);
            }
            "allow" => kernel.allow = allow(&value, kernel.allow, diagnostics),
            "schedule" => kernel.schedule = schedule(&value, diagnostics),
            "bounds" => {
                kernel.bounds = bounds(&value, diagnostics).unwrap_or(context.defaults.bounds);
            }
            "doc" => {
                kernel.doc = value
                    .text("text for the function's documentation", diagnostics)
                    .map(|text| text.value);
            }
            _ => {}
        }
    }
    match statements.as_slice() {
        [] => diagnostics.push(
            Diagnostic::new(
                Code::MissingStatement,
                entry.key.span,
                format!("the kernel `{}` has no statement", entry.key.text),
            )
            .help("write one: expr = \"y[i] = A[i,j] * x[j]\""),
        ),
        [_] => {}
        [_, second, ..] => diagnostics.push(
            Diagnostic::new(
                Code::ConflictingKeys,
                second.span,
                "a kernel has either `expr` or `exprs`, not both",
            )
            .help("put all statements into `exprs`"),
        ),
    }
    has_formats.then_some((kernel, texts))
}

const EXPECTED_STATEMENT: &str = "a statement such as \"y[i] = A[i,j] * x[j]\"";
const EXPECTED_TENSORS: &str = "a table of formats such as { A = \"csr\", B = \"csc\" }";

/// Parses the statements of an `exprs`.
fn statements(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Text> {
    let Some(values) =
        value.array("an array of statements such as [\"y[i] = A[i,j] * x[j]\"]", diagnostics)
    else {
        return Vec::new();
    };
    if values.is_empty() {
        diagnostics.push(Diagnostic::new(
            Code::MissingStatement,
            value.span,
            "`exprs` contains no statement",
        ));
    }
    values.iter().filter_map(|value| value.text(EXPECTED_STATEMENT, diagnostics)).collect()
}

/// Parses an entry of `tensors`: a format, or a table with a format, an element type and values.
fn tensor(
    Entry { key: name, value }: Entry<'_>,
    typed: &mut bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> TensorEntry {
    let span = value.span;
    if !value.is_table() {
        let format = Given::of(format(&value, diagnostics));
        return TensorEntry { name, format, dtype: None, pattern: None, span };
    }
    const KEYS: [&str; 7] = ["format", "dtype", "values", "map", "pos", "crd", "fill"];
    let mut tensor = TensorEntry { name, format: Given::Omitted, dtype: None, pattern: None, span };
    let entries = value.table("a table", diagnostics);
    let entries = keys::known(entries, &KEYS, "a tensor", diagnostics);
    for Entry { key, value } in &entries {
        match key.text.as_str() {
            "format" => tensor.format = Given::of(format(value, diagnostics)),
            "dtype" => {
                tensor.dtype = dtype(value, diagnostics);
                *typed &= tensor.dtype.is_some();
            }
            "values" => tensor.pattern = values(value, diagnostics).then_some(key.span),
            _ => {}
        }
    }
    let has = |name: &str| entries.iter().any(|entry| entry.key.text == name);
    if has("map") && has("format") {
        diagnostics.push(
            Diagnostic::new(
                Code::ConflictingKeys,
                span,
                "a tensor has either `format` or `map`, not both",
            )
            .help("keep the one that describes the tensor"),
        );
    } else if has("map") {
        tensor.format = Given::of(format_table(&value, &entries, diagnostics));
    } else if let Some(stray) = entries.iter().find(|entry| FORMAT_KEYS.contains(&&*entry.key.text))
    {
        let key = &stray.key.text;
        diagnostics.push(
            Diagnostic::new(
                Code::ConflictingKeys,
                stray.key.span,
                format!("`{key}` requires the key `map`"),
            )
            .help(format!("write the format as `map`: {{ map = \"csr\", {key} = … }}")),
        );
    }
    tensor
}

/// Parses `values`; returns whether a tensor is a pattern, `values = "one"`.
fn values(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> bool {
    let Some(text) = value.text("\"one\"", diagnostics) else { return false };
    if text.value != "one" {
        diagnostics.push(
            Diagnostic::new(
                Code::UnknownChoice,
                text.inner(),
                format!("values cannot be `{}`", text.value),
            )
            .help("`values = \"one\"` declares a pattern, whose entries have the value 1"),
        );
    }
    text.value == "one"
}

/// Parses `params`: indices that are arguments of the kernel.
fn params(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<(Name, Parameter)> {
    let mut params = Vec::new();
    for Entry { key, value } in value.table("a table such as { n = \"index\" }", diagnostics) {
        let mut kind = Parameter::Index;
        if let Some(text) = value.text("\"index\" or \"indices\"", diagnostics) {
            match Parameter::ALL.into_iter().find(|(name, _)| *name == text.value) {
                Some((_, known)) => kind = known,
                None => {
                    let unknown = &text.value;
                    let message = format!("a parameter cannot be of kind `{unknown}`");
                    let kinds = Parameter::ALL.map(|(name, _)| name);
                    diagnostics.push(
                        Diagnostic::new(Code::UnknownChoice, text.inner(), message).suggest(
                            unknown,
                            kinds,
                            "the kinds",
                        ),
                    );
                }
            }
        }
        params.push((key, kind));
    }
    params
}

/// Resolves a semiring by its name, built in or declared; a declared one with errors is `None`.
fn semiring(
    value: &Value<'_>,
    declared: &[(Name, Option<Semiring>)],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Semiring> {
    let text = value.text("the name of a semiring", diagnostics)?;
    let declared = declared.iter().map(|(name, semiring)| (name.text.as_str(), *semiring));
    let built_in = Semiring::ALL.iter().map(|(name, semiring)| (*name, Some(*semiring)));
    let known: Vec<_> = declared.chain(built_in).collect();
    if let Some((_, found)) = known.iter().find(|(name, _)| *name == text.value) {
        return *found;
    }
    diagnostics.push(
        Diagnostic::new(
            Code::UnknownSemiring,
            text.inner(),
            format!("there is no semiring `{}`", text.value),
        )
        .suggest(&text.value, known.iter().map(|(name, _)| *name), "the semirings"),
    );
    None
}

/// Parses the commands of a schedule.
fn schedule(value: &Value<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Text> {
    let commands = value
        .array("an array of commands such as [\"reorder(i, k, j)\"]", diagnostics)
        .unwrap_or_default();
    let expected = "a command such as \"reorder(i, k, j)\"";
    commands.iter().filter_map(|command| command.text(expected, diagnostics)).collect()
}
