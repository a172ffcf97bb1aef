//! Tests the time complexity of kernels by counting the steps of their loops on growing operands.

use std::fmt::Write as _;
use std::{env, fs};

use sparsegen_build::ir::Time;
use sparsegen_harness::complexity::{Counted, Growth, excess, parse};
use sparsegen_harness::corpus::{self, Case};

/// Of the corpus, one of so many kernels is counted; `SPARSEGEN_COMPLEXITY=1` counts all.
const EVERY: usize = 24;

/// The kernels whose documentation is known to state a time that is not true, or a variable that the
/// caller does not know, such as the extent of a mode that is gathered from.
const UNTRUE: [&str; 18] = [
    "between_modes_dense_csr_csf",
    "cleared_diagonal_csr_sparse_vector",
    "copy_fibers_coo",
    "diagonal_hash_rows_sparse_vector",
    "embedded_csr_blocks_dense_u32",
    "inner_ell_ell",
    "kept_columns_dense_coo_columns_indices",
    "kept_rows_csr_messy_rows_indices",
    "least_beside_dense_csr_sparse_vector_sparse_vector",
    "listed_csr_csr_sparse_vector",
    "ones_of_entries_csf_csf",
    "pooled_dense_csr_dense_u32_dense",
    "quotients_csr_dense_csr_csf",
    "rearranged_sparse_vector_dense_u32",
    "row_dense_anti_dense_dense",
    "sum_beyond_dcsr_csr_csf",
    "sum_of_some_dense_sparse_vector_some_indices",
    "triangles_blocks",
];

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
    let mut checked = 0;
    for case in cases.iter().step_by(every.unwrap_or(EVERY)) {
        let counted = Counted::new(case).unwrap_or_else(|reason| panic!("{}: {reason}", case.name));
        let time = counted.stated();
        let mut faults = String::new();
        for growth in [Growth::Rows, Growth::Extents] {
            // Parameters that only some extents permit, and formats that do not store the operands.
            let Ok(Some(runs)) = counted.runs(growth) else { continue };
            checked += 1;
            match excess(growth, &runs, &time) {
                Ok(None) => {}
                Ok(Some(excess)) => {
                    let _ = writeln!(
                        faults,
                        "{}: `{}`: with {:?} the steps grow by {:.2}, O({time}) by {:.2}",
                        case.place, case.name, growth, excess.steps, excess.formula
                    );
                }
                Err(reason) => {
                    let _ = writeln!(faults, "{}: `{}`: {reason}", case.place, case.name);
                }
            }
        }
        match (UNTRUE.contains(&&*case.name), faults.is_empty()) {
            (true, true) => {
                let _ = writeln!(report, "{}: `{}`: is true by now", case.place, case.name);
            }
            (false, false) => report.push_str(&faults),
            (true, false) | (false, true) => {}
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
