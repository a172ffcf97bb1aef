//! `sparsegen diff`

use std::fmt::Write as _;

use sparsegen_build::inspect::Kernel;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::lines::{Line, changes, difference};
use crate::manifest::Manifest;
use crate::report::loops;

pub const HELP: &str = "\
usage: sparsegen diff OLD.toml NEW.toml [--all]

Compiles two manifests and prints what changed between them: kernels, formats, times, loops,
conversions of operands and results, and lines of the source.

  --all   print all changed lines of the source, not only the first ones of each kernel
";

/// The largest number of changed lines of a kernel's source that are printed.
const CHANGES: usize = 30;

pub fn run(arguments: Arguments) -> Result<String, Failure> {
    arguments.at_most(0)?;
    let (old, new) = arguments.two_manifests()?;
    let (old, new) = (Manifest::read(&old)?, Manifest::read(&new)?);
    let most = if arguments.option("all").is_some() { usize::MAX } else { CHANGES };
    let mut text = String::new();
    let mut same = 0;
    let (old, new) = (old.select(&[])?, new.select(&[])?);
    for before in &old {
        match new.iter().find(|after| after.name == before.name) {
            None => {
                let _ = writeln!(text, "━━ {}: removed", before.name);
            }
            Some(after) => {
                let shown = compared(before, after, most);
                same += usize::from(shown.is_empty());
                if !shown.is_empty() {
                    let _ = writeln!(text, "━━ {}\n{shown}", before.name);
                }
            }
        }
    }
    for after in &new {
        if !old.iter().any(|before| before.name == after.name) {
            let _ = writeln!(text, "━━ {}: added\n{}\n", after.name, after.time);
        }
    }
    let are = if same == 1 { "kernel is" } else { "kernels are" };
    let _ = writeln!(text, "{same} {are} the same");
    Ok(text)
}

/// The title of an aspect of a kernel, and the function that describes it.
type Aspect = (&'static str, fn(&Kernel) -> String);

/// Returns the changes of a kernel; nothing if its code is the same.
fn compared(before: &Kernel, after: &Kernel, most: usize) -> String {
    let code = |kernel: &Kernel| {
        let lines = kernel.source.lines().filter(|line| !line.trim_start().starts_with("//"));
        lines.flat_map(|line| [line, "\n"]).collect::<String>()
    };
    let [old, new] = [before, after].map(code);
    let mut text = String::new();
    let parts: [Aspect; 5] = [
        ("statement", statements),
        ("tensors", tensors),
        ("time", |kernel| kernel.time.trim_start_matches("Time: ").to_owned()),
        ("loops", loops),
        ("conversions", conversions),
    ];
    for (title, of) in parts {
        let [old, new] = [before, after].map(of);
        if old != new {
            let _ = writeln!(text, "{title}");
            for line in changes(&old, &new, usize::MAX) {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
    if old != new {
        let lines = difference(&old, &new);
        let count = |is: fn(&Line<'_>) -> bool| lines.iter().filter(|line| is(line)).count();
        let removed = count(|line| matches!(line, Line::Old(_)));
        let added = count(|line| matches!(line, Line::New(_)));
        let _ = writeln!(text, "code: {removed} lines removed, {added} added");
        for line in changes(&old, &new, most) {
            let _ = writeln!(text, "    {line}");
        }
    }
    text
}

fn statements(kernel: &Kernel) -> String {
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    let all = kernel.statements.iter().map(|statement| first(statement.stage("index notation")));
    all.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

fn tensors(kernel: &Kernel) -> String {
    let line = |tensor: &sparsegen_build::inspect::Tensor| {
        format!("{}: {} of {}", tensor.name, tensor.format, tensor.dtype)
    };
    kernel.tensors.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the sentences of the documentation on conversions.
fn conversions(kernel: &Kernel) -> String {
    let sentences = kernel.docs.iter().flat_map(|line| line.split_inclusive(". "));
    let about = |sentence: &&str| sentence.contains("converted to") || sentence.contains("packed");
    sentences.filter(about).map(str::trim).collect::<Vec<_>>().join("\n")
}
