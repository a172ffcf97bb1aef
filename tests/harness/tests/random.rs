//! Tests of random kernels in the interpreter: compiled, run and compared with the oracle.
//!
//! `tests/random/seeds.txt` lists the seeds, and the known failures among their kernels.
//! `SPARSEGEN_RANDOM=1000:other cargo test -p sparsegen-harness --test random` tests 1000 kernels
//! of another seed, and `cargo run -p sparsegen-harness --bin random -- 1000 other` reduces failing
//! ones. Kernels that failed before are in `tests/corpus/language/random.txt`, and some of them are
//! tested again here.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs};

use sparsegen_harness::corpus;
use sparsegen_harness::generate::draft;
use sparsegen_harness::schedules::{self, scheduled};
use sparsegen_harness::trial::{Failure, failure, failure_of_case};
use sparsegen_harness::workers::on_threads;

/// The number of random kernels that have a random schedule.
const KERNELS: usize = 24;

/// One of about so many kernels that failed before is tested; all of them if `SPARSEGEN_RANDOM` is set.
const FAILED: u64 = 2;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A batch of kernels: its seed, and their number.
struct Batch {
    seed: String,
    count: usize,
}

/// Returns the batches, and the known failures as seed and number.
fn seeds() -> (Vec<Batch>, Vec<(String, usize)>) {
    if let Ok(wanted) = env::var("SPARSEGEN_RANDOM") {
        let (count, seed) = wanted.split_once(':').unwrap_or((&wanted, "random"));
        let count = count.parse().expect("SPARSEGEN_RANDOM is a number, or a number and a seed");
        return (vec![Batch { seed: seed.to_owned(), count }], Vec::new());
    }
    let (mut batches, mut open) = (Vec::new(), Vec::new());
    for line in read("random/seeds.txt").lines() {
        let words: Vec<&str> = line.split(':').next().unwrap_or_default().split(' ').collect();
        match words[..] {
            ["open", seed, number] => {
                open.push((seed.to_owned(), number.parse().expect("a number behind a seed")));
            }
            [seed, count] if !line.starts_with('#') => {
                let count = count.parse().expect("a number behind a seed");
                batches.push(Batch { seed: seed.to_owned(), count });
            }
            _ => {}
        }
    }
    (batches, open)
}

/// Returns the failures of a list.
fn tried<T: Sync>(all: &[T], try_one: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    on_threads(all, try_one).into_iter().flatten().collect()
}

#[test]
fn random_kernels_are_right() {
    let (batches, open) = seeds();
    let all = batches.iter().flat_map(|batch| (0..batch.count).map(|k| (batch.seed.clone(), k)));
    let all: Vec<(String, usize)> = all.filter(|one| !open.contains(one)).collect();
    let wrong = tried(&all, |(seed, k)| {
        let draft = draft(&format!("{seed} {k}"));
        let found = failure(&draft).filter(|found| !found.is_missing())?;
        Some(format!("{seed} {k}:\n{}{}", draft.lines(&format!("r{k}")), found.shown()))
    });
    let (count, shown) = (wrong.len(), wrong.join("\n\n"));
    assert!(wrong.is_empty(), "{count} of {} random kernels fail:\n\n{shown}", all.len());
}

/// Tries kernels with random schedules. Each must be right or refused for its schedule, and a tenth of
/// them must be right.
fn try_scheduled<T: Sync>(all: &[T], try_one: impl Fn(&T) -> (String, Option<Failure>) + Sync) {
    let obeyed = AtomicUsize::new(0);
    let wrong = tried(all, |one| match try_one(one) {
        (_, None) => {
            obeyed.fetch_add(1, Ordering::Relaxed);
            None
        }
        (_, Some(found)) if found.is_of_schedule() => None,
        (lines, Some(found)) => Some(format!("{lines}\n{}", found.shown())),
    });
    assert!(wrong.is_empty(), "{} are wrong:\n\n{}", wrong.len(), wrong.join("\n\n"));
    let (obeyed, count) = (obeyed.into_inner(), all.len());
    assert!(obeyed * 10 > count, "{obeyed} of {count} schedules are obeyed");
}

#[test]
fn random_schedules_are_obeyed_or_refused() {
    let cases = corpus::parse("schedules", &schedules::lines("schedules", 80));
    let cases = cases.expect("the lines are well-formed");
    try_scheduled(&cases, |case| (case.manifest.clone(), failure_of_case(case)));
}

#[test]
fn random_schedules_of_random_kernels_are_obeyed_or_refused() {
    let seeds: Vec<String> = (0..KERNELS).map(|k| format!("scheduled {k}")).collect();
    try_scheduled(&seeds, |seed| {
        let draft = scheduled(draft(seed), seed);
        (draft.lines("r"), failure(&draft))
    });
}

#[test]
fn what_once_failed_stays_mended() {
    let cases = corpus::parse("random.txt", &read("corpus/language/random.txt"));
    let mut cases = cases.expect("the list is well-formed");
    let every = if env::var("SPARSEGEN_RANDOM").is_ok() { 1 } else { FAILED };
    cases.retain(|case| case.is_one_of(every));
    let wrong = tried(&cases, |case| {
        let found = match (&case.refusal, failure_of_case(case)) {
            (None, found) => found?,
            (Some(reason), Some(Failure::Refusal(shown))) if shown.contains(reason) => return None,
            (Some(reason), _) => return Some(format!("{}: not refused: {reason}", case.place)),
        };
        Some(format!("{}:\n{}\n{}", case.place, case.manifest, found.shown()))
    });
    assert!(wrong.is_empty(), "{} fail again:\n\n{}", wrong.len(), wrong.join("\n\n"));
}
