//! Kernels with several statements: each statement becomes a kernel, which the kernel of the
//! manifest calls.

use crate::error::Name;
use crate::names::{beside, snake_case};

use super::{KernelEntry, Manifest, SeveralEntry, Text};

/// The suffixes of the functions that are generated for a kernel.
const SUFFIXES: [&str; 6] = ["into", "with", "assemble", "compute", "kernel", "check"];

/// Adds a kernel and its statements.
pub(super) fn add(manifest: &mut Manifest, entry: KernelEntry, texts: Vec<Text>) {
    if texts.len() < 2 {
        manifest.kernels.push(KernelEntry { statement: texts.into_iter().next(), ..entry });
        return;
    }
    let first = manifest.kernels.len();
    for (k, text) in texts.iter().enumerate() {
        let mut step = KernelEntry { statement: Some(text.clone()), doc: None, ..entry.clone() };
        // A name that no statement uses is reported for the first statement only.
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

/// Returns whether a statement uses a name.
fn mentions(text: &Text, name: &Name) -> bool {
    words(text).any(|word| word == name.text)
}

fn words(text: &Text) -> impl Iterator<Item = &str> {
    let words = text.value.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty())
}

/// Returns the name of a statement's kernel: the name of the kernel followed by the result, and a
/// number if another function has this name.
fn name(kernel: &str, text: &Text, step: usize, before: &[KernelEntry]) -> String {
    let result = snake_case(words(text).next().unwrap_or_default());
    let name = beside(kernel, &result);
    let is_taken =
        SUFFIXES.contains(&result.as_str()) || before.iter().any(|entry| entry.name.text == name);
    if is_taken { format!("{name}_{}", step + 1) } else { name }
}
