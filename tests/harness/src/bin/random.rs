//! Tests random kernels: `cargo run --release -p sparsegen-harness --bin random -- 1000 seed`.
//!
//! Each kernel is compiled, interpreted on many operands and compared with the oracle. A failing
//! kernel is reduced and printed as lines for the corpus. With `--values`, results may store
//! entries that are known to be the fill value. With `--show`, kernels are printed and not tested.
//! With `--scheduled`, each kernel has a random schedule, which may be refused.
//! With `--schedules COUNT SEED`, cases with random schedules are tested, which may be refused.
//! With `--cases FILE`, the cases of a file of the corpus are tested instead; with
//! `--threads FILE EVERY`, one of every so many, as kernels that run on threads. With `--typed FILE` or
//! `--typed COUNT SEED`, rustc checks the types of the generated source of cases or of random kernels,
//! many in one crate, which takes less time than to compile and run them; with `--typed --threads FILE`,
//! of cases as kernels that run on threads.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use std::{env, fs};

use sparsegen_harness::corpus::{self, Case};
use sparsegen_harness::generate::draft;
use sparsegen_harness::rustc::{mistakes, source_of};
use sparsegen_harness::schedules::{self, scheduled};
use sparsegen_harness::shrink::shrunk;
use sparsegen_harness::trial::{Failure, failure, failure_of_case};

/// The time after which a kernel is printed as slow.
const SLOW: Duration = Duration::from_secs(5);

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--cases", path] => return try_cases(cases_of(path), |_| true),
        ["--schedules", count, seed] => {
            let count = count.parse().expect("a number");
            let cases = corpus::parse("schedules", &schedules::lines(seed, count));
            let cases = cases.unwrap_or_else(|reason| panic!("{reason}"));
            return try_cases(cases, |found| !found.is_of_schedule());
        }
        ["--typed", path] => return check_types(&cases_of(path)),
        ["--typed", "--threads", path] => return check_types(&on_threads(path, 1)),
        ["--typed", count, seed] => {
            let count: usize = count.parse().expect("a number");
            let drafts = (0..count).map(|k| (k, draft(&format!("{seed} {k}"))));
            let cases = drafts.flat_map(|(k, draft)| {
                corpus::parse(&format!("{seed} {k}"), &draft.lines(&format!("r{k}")))
                    .unwrap_or_else(|reason| panic!("{reason}"))
            });
            return check_types(&cases.collect::<Vec<_>>());
        }
        ["--threads", path] => return try_cases(on_threads(path, 1), |_| true),
        ["--threads", path, every] => {
            let every = every.parse().expect("a number");
            return try_cases(on_threads(path, every), |_| true);
        }
        _ => {}
    }
    let count = arguments.first().and_then(|count| count.parse().ok()).unwrap_or(100);
    let seed = arguments.get(1).cloned().unwrap_or_default();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let (mut failures, mut missing) = (0, 0);
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    for k in 0..count {
        let mut draft = draft(&format!("{seed} {k}"));
        if has("--scheduled") {
            draft = scheduled(draft, &format!("{seed} {k}"));
        }
        if has("--show") {
            println!("{}", draft.lines(&format!("r{k}")));
            continue;
        }
        let start = Instant::now();
        let found = failure(&draft);
        if start.elapsed() > SLOW {
            println!("# {k} takes {:?}:\n{}", start.elapsed(), draft.lines(&format!("r{k}")));
        }
        let Some(found) = found else { continue };
        let may_fail = has("--values") && found.is_of_structure()
            || has("--scheduled") && found.is_of_schedule();
        if may_fail {
            continue;
        }
        if found.is_missing() {
            missing += 1;
            continue;
        }
        failures += 1;
        *causes.entry(found.cause()).or_default() += 1;
        let small = shrunk(draft.clone(), &found);
        let shown = failure(&small).unwrap_or(found).shown();
        println!("# {k}, made smaller of {}", draft.statement());
        println!("{}{}\n", small.lines(&format!("r{k}")), shown.trim_end());
    }
    println!("{failures} of {count} fail, {missing} are not supported yet");
    causes.iter().for_each(|(cause, count)| println!("{count:5} {cause}"));
}

/// Returns the cases of a file of the corpus.
fn cases_of(path: &str) -> Vec<Case> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    corpus::parse(path, &text).unwrap_or_else(|reason| panic!("{reason}"))
}

/// Returns one of `every` cases of a file, with kernels that run on threads.
fn on_threads(path: &str, every: usize) -> Vec<Case> {
    cases_of(path).into_iter().step_by(every.max(1)).map(Case::on_threads).collect()
}

/// Type-checks the generated source of cases, and shows what rustc refuses.
fn check_types(cases: &[Case]) {
    let sources: Vec<(String, String)> = cases.iter().filter_map(source_of).collect();
    match mistakes(&sources) {
        Ok(wrong) => {
            wrong.iter().for_each(|shown| println!("{shown}\n"));
            println!("rustc refuses {} of {} sources", wrong.len(), sources.len());
        }
        Err(reason) => println!("{reason}"),
    }
}

/// Tries cases, and shows those that fail in a way that matters.
fn try_cases(cases: Vec<Case>, matters: impl Fn(&Failure) -> bool) {
    let mut failures = 0;
    for case in &cases {
        let start = Instant::now();
        let found = failure_of_case(case);
        if start.elapsed() > SLOW {
            println!("# {} takes {:?}", case.name, start.elapsed());
        }
        if let Some(found) = found.filter(&matters) {
            failures += 1;
            println!("# {} at {}:\n{}\n", case.name, case.place, found.shown().trim_end());
        }
    }
    println!("{failures} of {} cases fail", cases.len());
}
