//! Kernels of several statements: each statement is a kernel, which is called by the one that the
//! manifest names.

use crate::error::Name;
use crate::names::{beside, snake_case};

use super::{KernelEntry, Manifest, SeveralEntry, Text};

/// What names of functions beside a kernel's own end with.
const SUFFIXES: [&str; 5] = ["into", "assemble", "compute", "kernel", "check"];

/// Adds a kernel with its statements.
pub(super) fn add(manifest: &mut Manifest, entry: KernelEntry, texts: Vec<Text>) {
    if texts.len() < 2 {
        manifest.kernels.push(KernelEntry { statement: texts.into_iter().next(), ..entry });
        return;
    }
    let first = manifest.kernels.len();
    for (k, text) in texts.iter().enumerate() {
        let mut step = KernelEntry { statement: Some(text.clone()), doc: None, ..entry.clone() };
        // A name that stands in no statement is told of once.
        let concerns = |name: &Name| {
            mentions(text, name) || k == 0 && !texts.iter().any(|text| mentions(text, name))
        };
        step.tensors.retain(|tensor| concerns(&tensor.name));
        step.params.retain(|(name, _)| concerns(name));
        step.sizes.retain(|(name, _)| concerns(name));
        step.name.text = name(&entry.name.text, text, k, &manifest.kernels[first..]);
        manifest.kernels.push(step);
    }
    let steps = first..manifest.kernels.len();
    manifest.several.push(SeveralEntry { name: entry.name, steps, doc: entry.doc });
}

/// Whether a name stands in a statement.
fn mentions(text: &Text, name: &Name) -> bool {
    words(text).any(|word| word == name.text)
}

fn words(text: &Text) -> impl Iterator<Item = &str> {
    let words = text.value.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty())
}

/// The name of a step: that of the kernel with the result's behind it, and a number where that would be
/// the name of another function.
fn name(kernel: &str, text: &Text, step: usize, before: &[KernelEntry]) -> String {
    let result = snake_case(words(text).next().unwrap_or_default());
    let name = beside(kernel, &result);
    let is_taken =
        SUFFIXES.contains(&result.as_str()) || before.iter().any(|entry| entry.name.text == name);
    if is_taken { format!("{name}_{}", step + 1) } else { name }
}
