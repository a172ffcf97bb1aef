//! Checking statements: from the syntax tree to canonical kernels.
//!
//! Each of the following modules checks one aspect of a statement and reports all errors that it
//! finds; a kernel is built only if there are none.
//!
//! AFTER [`check`]: every tensor has a format of its order, every variable has an extent, every sum
//! is explicit, and every feature is supported.

mod arguments;
mod bindings;
mod bounds;
mod build;
mod choices;
mod computed;
mod constants;
mod declare;
mod equal;
mod fills;
mod functions;
mod infinities;
mod names;
mod schedule;
mod semiring;
mod slices;
mod statements;
mod sums;
mod supported;
#[cfg(test)]
mod tests;
mod types;
mod values;

use crate::error::Diagnostic;
use crate::format::Formats;
use crate::level::Levels;
use crate::manifest::{Given, KernelEntry, Manifest, SeveralEntry, Text};

use arguments::Arguments;
use computed::without_computed;
use functions::Functions;

use super::syntax::Statement;
use super::{Distribution, Kernel, Module};

/// Checks the statements of a manifest, one for each of its kernels; `None` for a statement that is
/// missing or has errors. The module contains only kernels without errors.
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
    let expanded = |(entry, statement): (&_, &Option<_>)| {
        statement.as_ref().map(|statement| without_computed(entry, statement))
    };
    let statements: Vec<_> = manifest.kernels.iter().zip(statements).map(expanded).collect();
    let mut own = None;
    for SeveralEntry { steps, .. } in &manifest.several {
        let context = |k: usize| {
            let (entry, statement) = (&manifest.kernels[k], statements[k].as_ref()?);
            let (formats, functions, arguments) = (&formats, &functions, &none);
            let text = entry.statement.as_ref()?;
            Some(Context { formats, functions, entry, statement, text, arguments })
        };
        let contexts: Vec<_> = steps.clone().map(context).collect();
        let own = own.get_or_insert_with(|| statements.clone());
        schedule::distribute(&mut own[steps.clone()], &contexts, &mut diagnostics);
    }
    let statements = own.as_deref().unwrap_or(&statements);
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
                // Formats can be checked even if the statement is not known.
                for tensor in &entry.tensors {
                    if let Given::Value(format) = &tensor.format {
                        formats.define(format, &mut diagnostics);
                    }
                }
            }
        }
        if let Some(entry) = manifest.several.iter().find(|entry| entry.steps.end == k + 1) {
            several.extend(statements::of(entry, &kernels, &mut diagnostics));
        }
    }
    let formats = declare::formats(manifest, &formats, &mut kernels);
    declare::check_functions(manifest, &kernels, &mut diagnostics);
    let module = Module { formats, kernels, several };
    let blocks = module.blocks().into_iter();
    diagnostics.extend(blocks.filter_map(|block| Distribution::of(block.statements).err()));
    (module, diagnostics)
}

/// The context in which a statement is checked.
#[derive(Clone, Copy)]
struct Context<'m> {
    formats: &'m Formats<'m>,
    functions: &'m Functions,
    entry: &'m KernelEntry,
    statement: &'m Statement,
    /// The text of the statement.
    text: &'m Text,
    /// The identifiers of the arguments.
    arguments: &'m Arguments,
}

/// Returns the contexts of the statements of one kernel, except those with errors.
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
    let Some(statement) = &equal::with_equal_variables(context) else {
        return (build::build(context, &names, schedule), diagnostics);
    };
    let context = Context { statement, ..context };
    let names = names::resolve(context, &mut diagnostics);
    let schedule = schedule::check(context, &names, &mut diagnostics);
    (build::build(context, &names, schedule), diagnostics)
}

/// Returns text without parentheses that enclose all of it.
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
