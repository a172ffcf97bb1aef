//! Tests that features compose: modifiers of a kernel change neither its result nor its time
//! complexity.
//!
//! The kernels are listed in `composition/kernels.txt`. Each is compiled with and without every
//! modifier. The result and its structure are compared with the oracle; the time complexity is
//! taken from the generated documentation.

use std::fmt::Write as _;

use sparsegen_build::ir::{Kernel, Result as IrResult};
use sparsegen_build::{Output, compile_str, explain};
use sparsegen_harness::corpus::{self, Case};
use sparsegen_harness::trial::failure_of_case;
use sparsegen_harness::workers::on_threads;

/// A listed kernel.
struct Base {
    /// Its group and formats.
    name: String,
    statement: String,
    /// The formats of the tensors and the keys of the kernel.
    words: Vec<(String, String)>,
    /// The formats that the file declares.
    formats: String,
}

/// A kernel with a modifier.
struct Variant {
    statement: String,
    words: Vec<(String, String)>,
}

/// A change that should have no effect; returns `None` if it does not apply to the kernel.
type Modifier = fn(&Base) -> Option<Variant>;

const MODIFIERS: [(&str, Modifier); 7] = [
    ("reorder", reordered),
    ("parallel", parallel),
    ("update", update),
    ("neighbour", neighbour),
    ("twin", twin),
    ("widths", wide),
    ("generic", generic),
];

/// The modified kernels that the compiler rejects, because their functions require a type.
const REFUSED: [(&str, &str); 0] = [];

#[test]
fn modifiers_change_neither_results_nor_times() {
    let bases = bases(include_str!("../composition/kernels.txt"));
    let faults: String = on_threads(&bases, faults_of).into_iter().collect();
    assert!(faults.is_empty(), "{} faults:\n{faults}", faults.lines().count());
}

/// Returns a line for each modifier that changes a kernel.
fn faults_of(base: &Base) -> String {
    let mut faults = String::new();
    let plain = base.case(&base.statement, &base.words);
    let Some(time) = checked(&base.name, "as it is", &plain, &mut faults) else { return faults };
    for (modifier, change) in MODIFIERS {
        let Some(variant) = change(base) else { continue };
        let case = base.case(&variant.statement, &variant.words);
        if REFUSED.contains(&(&base.name, modifier)) {
            let refused = !compile_str("case.toml", &case.manifest).diagnostics.is_empty();
            assert!(refused, "{} with {modifier} is accepted", base.name);
            continue;
        }
        let Some(modified) = checked(&base.name, modifier, &case, &mut faults) else {
            continue;
        };
        // Updates copy the old entries of a result by rows.
        let is_update = modifier == "update";
        let [time, modified] = [&time, &modified].map(|time| match is_update {
            true => base.without_result(time),
            false => time.clone(),
        });
        if time != modified {
            let _ = writeln!(faults, "{}: {modifier}: O({modified}), not O({time})", base.name);
        }
    }
    faults
}

/// The kernels that do not share loops with their copy: they assign slices of two results.
const APART: [&str; 1] = ["part_dense_dense"];

/// Two statements with equal values share all loops, on threads too.
#[test]
fn statements_that_read_the_same_share_loops() {
    let text = include_str!("../composition/kernels.txt");
    let mut apart = String::new();
    for base in bases(text) {
        let Some(alone) = twin(&base) else { continue };
        let parallel = Variant {
            words: [alone.words.clone(), vec![("@parallel".to_owned(), "true".to_owned())]]
                .concat(),
            statement: alone.statement.clone(),
        };
        for (way, variant) in [("", alone), (" on threads", parallel)] {
            let case = base.case(&variant.statement, &variant.words);
            let output = compile_str("case.toml", &case.manifest);
            let shares = |kernel: &Kernel| kernel.shared.iter().any(|s| s.steps == (0..2));
            let is_apart = APART.contains(&&*base.name);
            if output.kernels.iter().any(shares) == is_apart {
                let stages = explain("case.toml", &case.manifest);
                let reason = stages.split_once("loops of its own\n").map_or("", |(_, text)| text);
                let reason = reason.lines().next().unwrap_or_default();
                let _ = writeln!(apart, "{}{way}: {reason}", base.name);
            }
        }
    }
    assert!(apart.is_empty(), "{} kernels:\n{apart}", apart.lines().count());
}

/// Returns the time complexity of a kernel that compiles and computes the right results; otherwise
/// appends to `faults`.
fn checked(name: &str, modifier: &str, case: &Case, faults: &mut String) -> Option<String> {
    if let Some(failure) = failure_of_case(case) {
        let _ = writeln!(faults, "{name}: {modifier}: {}", failure.shown().replace('\n', " | "));
        return None;
    }
    let output = compile_str("case.toml", &case.manifest);
    if !computes_apart(&output) {
        let _ = writeln!(faults, "{name}: {modifier}: assembles a structure without `_compute`");
    }
    time(&output)
}

/// Returns the time complexity in the documentation of the first statement.
fn time(output: &Output) -> Option<String> {
    let function = output.kernels.first()?.functions().next()?;
    let line = function.docs.iter().find_map(|line| line.strip_prefix("Time: O("))?;
    // The sentence after the time describes memory.
    let (time, _) = line.split_once(").").or_else(|| line.split_once("), "))?;
    Some(time.to_owned())
}

/// Returns whether all results that are assembled in order have functions for their values.
fn computes_apart(output: &Output) -> bool {
    let functions = output.kernels.iter().flat_map(Kernel::functions);
    functions.into_iter().all(|function| match &function.result {
        IrResult::Tensor(result) if result.packed.is_none() && !result.updates => {
            function.compute.is_some() || !function.has_structure()
        }
        IrResult::Tensor(_) | IrResult::Scalar { .. } => true,
    })
}

/// Returns the listed kernels.
fn bases(text: &str) -> Vec<Base> {
    let declared = text.lines().filter(|line| line.starts_with("format "));
    let formats: String = declared.flat_map(|line| [line, "\n"]).collect();
    let cases = corpus::parse("kernels.txt", text).unwrap_or_else(|reason| panic!("{reason}"));
    let base = |case: Case| Base {
        name: case.name,
        statement: case.statement,
        words: case.choice,
        formats: formats.clone(),
    };
    cases.into_iter().map(base).collect()
}

impl Base {
    fn case(&self, statement: &str, words: &[(String, String)]) -> Case {
        let words: Vec<String> = words.iter().map(|(key, word)| format!("{key}={word}")).collect();
        let line = if words.is_empty() { "@bounds=proven".to_owned() } else { words.join(" ") };
        let text = format!("{}\nkernel: {statement}\n    {line}\n", self.formats);
        let cases = corpus::parse("variant", &text).unwrap_or_else(|reason| panic!("{reason}"));
        cases.into_iter().next().expect("a line is a case")
    }

    /// Returns the name of the result.
    fn result(&self) -> &str {
        self.statement.split(['[', ' ']).next().unwrap_or_default()
    }

    /// Returns a time complexity without the terms for old entries of the result.
    fn without_result(&self, time: &str) -> String {
        let old = format!("nnz({})", self.result());
        let is_old = |term: &&str| *term == old || !term.contains("nnz");
        time.split(" + ").filter(|term| !is_old(term)).collect::<Vec<_>>().join(" + ")
    }

    fn with(&self, key: &str, word: &str) -> Option<Variant> {
        let mut words = self.words.clone();
        words.push((key.to_owned(), word.to_owned()));
        Some(Variant { statement: self.statement.clone(), words })
    }

    fn has(&self, key: &str) -> bool {
        self.words.iter().any(|(known, _)| known == key)
    }
}

/// Adds a schedule with the default order of the loops.
fn reordered(base: &Base) -> Option<Variant> {
    let case = base.case(&base.statement, &base.words);
    let stages = explain("case.toml", &case.manifest);
    let (_, concrete) = stages.split_once(": concrete notation\n")?;
    let mut order: Vec<&str> = Vec::new();
    for part in concrete.lines().next()?.split('∀').skip(1) {
        let name = part.split([' ', '⟨']).next().unwrap_or_default();
        let is_index = base.statement.split(|c: char| !c.is_alphanumeric()).any(|w| w == name);
        if is_index && !order.contains(&name) {
            order.push(name);
        }
    }
    (order.len() > 1).then(|| base.with("@schedule", &format!("reorder({})", order.join(","))))?
}

fn parallel(base: &Base) -> Option<Variant> {
    base.with("@parallel", "true")
}

/// Replaces `=` by `+=`, with an empty result.
fn update(base: &Base) -> Option<Variant> {
    let statement = base.statement.replacen(" = ", " += ", 1);
    Some(Variant { statement, words: base.words.clone() })
}

/// Adds an independent statement.
fn neighbour(base: &Base) -> Option<Variant> {
    let statement = format!("{}; zz[p] = ww[p]", base.statement);
    Some(Variant { statement, words: base.words.clone() })
}

/// Adds a statement with the same value and another result.
fn twin(base: &Base) -> Option<Variant> {
    let result = base.result();
    let second = base.statement.replacen(result, "twin", 1);
    let statement = format!("{}; {second}", base.statement);
    let mut words = base.words.clone();
    let format = words.iter().find(|(key, _)| key == result).map(|(_, word)| word.clone());
    words.extend(format.map(|word| ("twin".to_owned(), word)));
    Some(Variant { statement, words })
}

/// Uses wider positions and coordinates.
fn wide(base: &Base) -> Option<Variant> {
    let mut words = base.words.clone();
    let mut is_other = false;
    for (_, word) in &mut words {
        let wide = format!("{word}_wide");
        if base.formats.contains(&format!("format {wide} ")) {
            *word = wide;
            is_other = true;
        }
    }
    is_other.then(|| Variant { statement: base.statement.clone(), words })
}

/// Uses a generic element type.
fn generic(base: &Base) -> Option<Variant> {
    let is_typed = base.has("@dtype")
        || base.has("@semiring")
        || base.words.iter().any(|(_, w)| w.contains(':'));
    if is_typed { None } else { base.with("@dtype", "generic") }
}
