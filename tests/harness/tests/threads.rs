//! Kernels of the corpus with `parallel = true`: which of them run on threads, and what they compute.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use sparsegen_build::compile_str;
use sparsegen_harness::corpus::{self, Case};
use sparsegen_harness::rustc::{mistakes, source_of};
use sparsegen_harness::trial::{Failure, failure_of_case};
use sparsegen_harness::workers::on_threads;

/// One kernel of about so many is compiled; `SPARSEGEN_THREADS=1` compiles all of them.
const EVERY: u64 = 12;

/// One kernel of about so many is run; `SPARSEGEN_THREADS=1` runs all of them.
const RUN: u64 = 96;

/// The types of the source of one kernel of about so many are checked; `SPARSEGEN_THREADS=1` checks all of
/// them.
const TYPED: u64 = 48;

/// The least share of kernels that run on threads, in percent.
const LEAST: usize = 95;

/// Returns the cases of the corpus that the compiler accepts.
fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut files = Vec::new();
    for part in ["basics", "language", "levels", "results"] {
        let folder = fs::read_dir(root.join(part)).expect("the corpus has this part");
        files.extend(folder.map(|file| file.expect("a file of the corpus").path()));
    }
    files.sort();
    let of_file = |file: &PathBuf| {
        let text = fs::read_to_string(file).expect("a file of the corpus can be read");
        corpus::parse(&file.display().to_string(), &text).expect("a file of the corpus is valid")
    };
    let runs = |case: &Case| {
        let on_one = case.choice.iter().any(|(key, value)| key == "@parallel" && value == "false");
        case.refusal.is_none() && !on_one
    };
    files.iter().flat_map(of_file).filter(runs).collect()
}

/// Returns one case of about `every`, as a kernel that runs on threads.
fn sample(every: u64) -> Vec<Case> {
    let own = env::var("SPARSEGEN_THREADS").ok().and_then(|every| every.parse().ok());
    let cases = cases().into_iter().filter(|case| case.is_one_of(own.unwrap_or(every)));
    cases.map(Case::on_threads).collect()
}

/// Returns why the loops of a kernel run on one thread, for each of them that does.
fn refusals(case: &Case) -> Vec<String> {
    let output = compile_str(&case.name, &case.manifest);
    let kernel = output.kernels.first();
    let functions = kernel.into_iter().flat_map(|kernel| &kernel.steps).map(|step| &step.function);
    let refused = functions.filter(|function| function.parallel.is_none());
    let reason = |docs: &[String]| {
        let line = docs.iter().find(|line| line.starts_with("One thread, because "));
        line.cloned().expect("a function gives the reason")
    };
    refused.map(|function| reason(&function.docs)).collect()
}

#[test]
fn kernels_run_on_threads() {
    let found = on_threads(&sample(EVERY), |case| (case.clone(), refusals(case)));
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (case, refusals) in &found {
        if let Some(reason) = refusals.first() {
            // The reason without names.
            let short = reason.split('`').step_by(2).collect::<Vec<_>>().join("_");
            reasons.entry(short).or_default().push(format!("{} {}", case.place, case.name));
        }
    }
    for (reason, cases) in &reasons {
        println!("{:5} {reason}\n      {}", cases.len(), cases.join("\n      "));
    }
    let refused: usize = reasons.values().map(Vec::len).sum();
    let share = 100 * (found.len() - refused) / found.len();
    println!("{} of {} kernels run on threads, {share} %", found.len() - refused, found.len());
    assert!(share >= LEAST, "{share} % of the kernels run on threads");
}

/// The results of loops in 1, 2 and 5 parts, in the interpreter.
#[test]
fn kernels_on_threads_compute_what_they_say() {
    let found = on_threads(&sample(RUN), |case| {
        let shown = |found: Failure| format!("{} {}\n{}", case.place, case.name, found.shown());
        failure_of_case(case).map(shown)
    });
    let failures: Vec<String> = found.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn source_for_threads_has_valid_types() {
    let sources = on_threads(&sample(TYPED), source_of);
    let sources: Vec<(String, String)> = sources.into_iter().flatten().collect();
    let wrong = mistakes(&sources).expect("rustc can be run beside this test");
    assert!(
        wrong.is_empty(),
        "{} of {} sources:\n{}",
        wrong.len(),
        sources.len(),
        wrong.join("\n")
    );
}
