//! `sparsegen advise`

mod variants;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sparsegen::io::{read_mtx, read_tns};
use sparsegen::{Coo, Tensor as Stored};
use sparsegen_build::Compiler;
use sparsegen_build::inspect::{Kernel, Tensor};

use crate::arguments::Arguments;
use crate::bench::library::Library;
use crate::bench::operands::Operands;
use crate::bench::run::{Crate, Time};
use crate::bench::{described, duration};
use crate::failure::Failure;
use crate::formats::{is_frostt, values};
use crate::manifest::Manifest;

pub const HELP: &str = "\
usage: sparsegen advise KERNEL FILE… [--size VARIABLE=EXTENT,…] [--profile NAME] [--target-dir FOLDER]
                        [KERNELS.TOML]

Compiles a kernel of the manifest for several formats of the operands that have files, times all of
them on these files, and says which is the fastest, by how much, and what converting costs. The files
and options are those of `sparsegen bench`.
";

/// The largest number of values that a format may store for each entry.
const LARGEST: usize = 20;

/// A variant of a kernel: the operand with another format, and the format.
struct Variant {
    name: String,
    changed: Option<(String, String)>,
}

pub fn run(arguments: Arguments) -> Result<String, Failure> {
    let Some((name, files)) = arguments.words.split_first() else {
        return Err(arguments.wrong("the name of a kernel is missing"));
    };
    let manifest = Manifest::read(&arguments.manifest()?)?;
    let kernel = manifest.find(name)?;
    let operands = Operands::of(&arguments, &manifest, kernel, files)?;
    let mut skipped: Vec<String> = Vec::new();
    let mut variants = vec![Variant { name: name.clone(), changed: None }];
    for (tensor, path) in &operands.files {
        let counts = counts(tensor, path);
        for format in candidates(tensor.modes.len()).iter().filter(|of| **of != tensor.format) {
            match counts.get(format) {
                Some((values, entries)) if *values > (entries + 1000) * LARGEST => skipped.push(
                    format!("{}={format}: {values} values for {entries} entries", tensor.name),
                ),
                _ => variants.push(Variant {
                    name: format!("{name}_{}", variants.len()),
                    changed: Some((tensor.name.clone(), (*format).to_owned())),
                }),
            }
        }
    }
    // A format for which the kernel cannot be compiled is left out.
    let mut texts: Vec<(Variant, String)> = Vec::new();
    for variant in variants {
        let text = variants::manifest(&manifest, kernel, &variant.name, variant.changed.as_ref())?;
        let mistakes = Compiler::new().compile_str(&manifest.name, &text).diagnostics;
        match mistakes.iter().next() {
            None => texts.push((variant, text)),
            Some(mistake) => {
                skipped.push(format!("{}: {}", label(kernel, &variant), mistake.message))
            }
        }
    }
    let all = variants::joined(texts.iter().map(|(_, text)| text.as_str()));
    let compiled = Manifest::compile(manifest.name.clone(), all)?;
    let names: Vec<String> = texts.iter().map(|(variant, _)| variant.name.clone()).collect();
    let kernels = compiled.select(&names)?;
    let source = Compiler::new().compile_str(&compiled.name, &compiled.text).source;
    let library = Library::of(&arguments.manifest()?, &source)?;
    let measured =
        Crate::of(&arguments, "advise", library)?.measure(&kernels, &source, &operands)?;
    let mut text = described(&measured);
    let mut rows: Vec<(String, Time, bool)> = Vec::new();
    for (((variant, _), time), kernel_of) in texts.iter().zip(measured.times).zip(&kernels) {
        let converts = kernel_of.docs.iter().any(|line| line.contains("is converted to"));
        match time {
            Ok(time) => rows.push((label(kernel, variant), time, converts)),
            Err(reason) => skipped.push(format!("{}: {reason}", label(kernel, variant))),
        }
    }
    let Some((_, own, _)) = rows.first().cloned() else {
        return Err(Failure::error(skipped.join("\n")));
    };
    let own_label = rows[0].0.clone();
    rows.sort_by(|(_, a, _), (_, b, _)| a.median.total_cmp(&b.median));
    let _ = writeln!(text, "\n{:24} {:>10} {:>8}   converting the file", "format", "time", "");
    for (label, time, converts) in &rows {
        let note = if *converts { ", and the kernel converts an operand in each call" } else { "" };
        let _ = writeln!(
            text,
            "{label:24} {:>10} {:>6.2} ×   {}{note}",
            duration(time.median),
            time.median / rows[0].1.median,
            duration(time.conversion),
        );
    }
    for reason in &skipped {
        let _ = writeln!(text, "not timed: {reason}");
    }
    let _ = writeln!(text, "\n{}", advice(&rows, (&own_label, &own)));
    Ok(text)
}

/// Returns the sentence on the fastest format. Differences within a twentieth are noise.
fn advice(rows: &[(String, Time, bool)], (own_label, own): (&str, &Time)) -> String {
    let (label, best, _) = &rows[0];
    let ratio = own.median / best.median;
    if label == own_label || ratio < 1.05 {
        return format!("the formats of the manifest are the fastest: {own_label}");
    }
    let saved = (own.median - best.median).max(1.0);
    let calls = (best.conversion / saved).ceil().max(1.0);
    format!(
        "{label} is the fastest, {ratio:.2} times as fast as {own_label}; converting the \
         file to it costs {}, which {calls:.0} calls save",
        duration(best.conversion)
    )
}

/// Returns the formats of the operands with files: `A=csr`.
fn label(kernel: &Kernel, variant: &Variant) -> String {
    match &variant.changed {
        Some((name, format)) => format!("{name}={format}"),
        None => {
            let sparse = kernel.tensors.iter().filter(|tensor| {
                !tensor.is_result && tensor.levels.iter().any(|level| !level.is_full)
            });
            let sparse = sparse.map(|tensor| format!("{}={}", tensor.name, tensor.format));
            format!("{} (the manifest)", sparse.collect::<Vec<_>>().join(" "))
        }
    }
}

/// Returns the formats that are tried for tensors of an order.
fn candidates(order: usize) -> &'static [&'static str] {
    match order {
        1 => &["dense", "sparse_vector"],
        2 => &["csr", "csc", "coo", "dcsr", "dcsc", "dia", "ell"],
        _ => &["csf", "coo"],
    }
}

/// Returns the numbers of values that formats of matrices store for a file, and of its entries.
fn counts(tensor: &Tensor, path: &std::path::Path) -> BTreeMap<&'static str, (usize, usize)> {
    let read: Result<Stored<f64, Coo<2>>, _> = match (tensor.modes.len(), is_frostt(path)) {
        (2, true) => read_tns(path),
        (2, false) => read_mtx(path),
        _ => return BTreeMap::new(),
    };
    let Ok(entries) = read else { return BTreeMap::new() };
    let count = |format: &&'static str| {
        let values = values(&entries, format).unwrap_or(usize::MAX);
        (*format, (values, entries.stored()))
    };
    candidates(2).iter().map(count).collect()
}
