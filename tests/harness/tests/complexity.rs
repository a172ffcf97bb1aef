//! Tests the time complexity of kernels by counting the steps of their loops on growing operands.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::{env, fs};

use sparsegen_build::ir::Time;
use sparsegen_harness::complexity::{Counted, Growth, excess, parse};
use sparsegen_harness::corpus::{self, Case};

/// Of the corpus, one of so many kernels is counted; `SPARSEGEN_COMPLEXITY=1` counts all.
const EVERY: usize = 40;

/// Returns a line for each way of growing in which the steps of a kernel grow faster than a formula.
fn faults(counted: &Counted, time: &Time) -> String {
    let mut faults = String::new();
    for growth in [Growth::Rows, Growth::Extents] {
        let found = counted.runs(growth).and_then(|runs| {
            excess(growth, &runs.ok_or("a format does not store the operands")?, time)
        });
        match found {
            Ok(None) => {}
            Ok(Some(excess)) => {
                let _ = write!(
                    faults,
                    "\n    with {:?} the steps grow by {:.2}, O({time}) by {:.2}",
                    excess.growth, excess.steps, excess.formula
                );
            }
            Err(reason) => {
                let _ = write!(faults, "\n    with {growth:?}: {}", reason.replace('\n', " | "));
            }
        }
    }
    faults
}

/// No kernel of the list takes more steps than the best known algorithm, except where the list says
/// so.
#[test]
fn kernels_have_the_best_known_complexity() {
    let best = parse("complexity.txt", include_str!("../../complexity.txt"));
    let mut report = String::new();
    for best in best.unwrap_or_else(|reason| panic!("{reason}")) {
        let (name, place) = (&best.case.name, &best.case.place);
        let found = match Counted::new(&best.case) {
            Ok(counted) => faults(&counted, &best.time),
            Err(reason) => format!("\n{reason}"),
        };
        match (&best.known_worse, found.is_empty()) {
            (None, false) => {
                let _ = writeln!(report, "{place}: `{name}`:{found}");
            }
            (Some(_), true) => {
                let _ = writeln!(report, "{place}: `{name}` is not worse any more");
            }
            (None, true) | (Some(_), false) => {}
        }
    }
    assert!(report.is_empty(), "{report}");
}

/// No kernel takes more steps than its documentation states.
#[test]
fn stated_times_are_true() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus");
    let mut cases: Vec<Case> = Vec::new();
    for part in sorted(folder) {
        for file in sorted(&part) {
            let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
            let parsed = corpus::parse(&file, &text).unwrap_or_else(|reason| panic!("{reason}"));
            cases.extend(parsed.into_iter().filter(|case| case.refusal.is_none()));
        }
    }
    let every = env::var("SPARSEGEN_COMPLEXITY").ok().and_then(|every| every.parse().ok());
    let mut report = String::new();
    let (mut checked, mut known) = (0, BTreeSet::new());
    for case in cases.iter().step_by(every.unwrap_or(EVERY)) {
        let counted = Counted::new(case).unwrap_or_else(|reason| panic!("{}: {reason}", case.name));
        let time = counted.stated();
        for growth in [Growth::Rows, Growth::Extents] {
            // Parameters that only some extents permit, and formats that do not store the operands.
            let Ok(Some(runs)) = counted.runs(growth) else { continue };
            checked += 1;
            match excess(growth, &runs, &time) {
                Ok(None) => {}
                Ok(Some(excess)) => {
                    known.insert(case.name.clone());
                    let _ = writeln!(
                        report,
                        "{}: `{}`: with {:?} the steps grow by {:.2}, O({time}) by {:.2}",
                        case.place, case.name, growth, excess.steps, excess.formula
                    );
                }
                Err(reason) => {
                    let _ = writeln!(report, "{}: `{}`: {reason}", case.place, case.name);
                }
            }
        }
    }
    assert!(checked > 100, "only {checked} runs");
    assert!(report.is_empty(), "{} of {checked} runs:\n{report}", report.lines().count());
}

/// Returns the paths in a folder, in order.
fn sorted(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let paths = entries.map(|entry| entry.expect("an entry").path().display().to_string());
    let mut paths: Vec<String> = paths.collect();
    paths.sort();
    paths
}
