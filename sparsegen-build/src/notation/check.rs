//! Checking statements: from index notation as written to canonical kernels.
//!
//! Each file below answers one question about a statement and reports every mistake that it finds;
//! a kernel is built only where none was found.
//!
//! AFTER [`check`]: every tensor has a format of its order, every variable has an extent, every sum
//! is explicit, and what is not supported was refused.

mod arguments;
mod bindings;
mod bounds;
mod build;
mod choices;
mod constants;
mod declare;
mod fills;
mod functions;
mod names;
mod parts;
mod schedule;
mod semiring;
mod several;
mod sums;
mod supported;
#[cfg(test)]
mod tests;
mod types;
mod values;

use crate::error::Diagnostic;
use crate::format::Formats;
use crate::level::Levels;
use crate::manifest::{Given, KernelEntry, Manifest, Text};

use arguments::Arguments;
use functions::Functions;

use super::syntax::Statement;
use super::{Kernel, Module};

/// Checks the statements of a manifest, one for each of its kernels, or none where a statement is
/// missing or wrong. Kernels with mistakes are left out of the module.
pub fn check(
    manifest: &Manifest,
    statements: &[Option<Statement>],
    levels: &Levels,
) -> (Module, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    declare::check_names(manifest, &mut diagnostics);
    let formats = Formats::of(manifest, levels, &mut diagnostics);
    let functions = Functions::of(manifest, &mut diagnostics);
    let mut kernels = Vec::new();
    let mut several = Vec::new();
    let none = Arguments::default();
    for (k, (entry, statement)) in manifest.kernels.iter().zip(statements).enumerate() {
        match (statement, &entry.statement) {
            (Some(statement), Some(text)) => {
                let (formats, functions) = (&formats, &functions);
                let bare = Context { formats, functions, entry, statement, text, arguments: &none };
                let mut steps = manifest.several.iter().map(|several| several.steps.clone());
                let together = match steps.find(|steps| steps.contains(&k)) {
                    Some(steps) => {
                        beside(bare, &manifest.kernels[steps.clone()], &statements[steps])
                    }
                    None => vec![bare],
                };
                let arguments = &Arguments::of(&together);
                let (kernel, mistakes) = check_kernel(Context { arguments, ..bare });
                kernels.extend(kernel);
                diagnostics.extend(mistakes);
            }
            (None, _) | (_, None) => {
                // The formats can be looked at even where it is not known what has them.
                for tensor in &entry.tensors {
                    if let Given::Value(format) = &tensor.format {
                        formats.define(format, &mut diagnostics);
                    }
                }
            }
        }
        if let Some(entry) = manifest.several.iter().find(|entry| entry.steps.end == k + 1) {
            several.extend(several::of(entry, &kernels, &mut diagnostics));
        }
    }
    let formats = declare::formats(manifest, &formats, &mut kernels);
    declare::check_functions(manifest, &kernels, &mut diagnostics);
    (Module { formats, kernels, several }, diagnostics)
}

/// What a statement is checked against.
#[derive(Clone, Copy)]
struct Context<'m> {
    formats: &'m Formats<'m>,
    functions: &'m Functions,
    entry: &'m KernelEntry,
    statement: &'m Statement,
    /// The statement's text.
    text: &'m Text,
    /// The identifiers of its arguments.
    arguments: &'m Arguments,
}

/// The statements of one kernel, those that can be read.
fn beside<'m>(
    context: Context<'m>,
    entries: &'m [KernelEntry],
    statements: &'m [Option<Statement>],
) -> Vec<Context<'m>> {
    let readable = |(entry, statement): (&'m KernelEntry, &'m Option<Statement>)| {
        let (statement, text) = (statement.as_ref()?, entry.statement.as_ref()?);
        Some(Context { entry, statement, text, ..context })
    };
    entries.iter().zip(statements).filter_map(readable).collect()
}

fn check_kernel(context: Context<'_>) -> (Option<Kernel>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    if !supported::check(context, &mut diagnostics) {
        return (None, diagnostics);
    }
    let names = names::resolve(context, &mut diagnostics);
    functions::check_names(context, &names, &mut diagnostics);
    bounds::check(context, &names, &mut diagnostics);
    bindings::check(context, &mut diagnostics);
    sums::check(context, &mut diagnostics);
    types::check(context, &names, &mut diagnostics);
    fills::check(&names, &mut diagnostics);
    semiring::check(context, &names, &mut diagnostics);
    let schedule = schedule::check(context, &names, &mut diagnostics);
    if !diagnostics.is_empty() {
        return (None, diagnostics);
    }
    (build::build(context, &names, schedule), diagnostics)
}

/// Text without parentheses that enclose all of it.
fn unparenthesized(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return text;
    };
    let mut open = 0_usize;
    for c in inner.chars() {
        match c {
            '(' => open += 1,
            ')' if open == 0 => return text,
            ')' => open -= 1,
            _ => {}
        }
    }
    inner.trim()
}
