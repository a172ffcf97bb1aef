//! Tests the time complexity of kernels by counting the steps of their loops on growing operands.

use std::fmt::Write as _;
use std::{env, fs};

use sparsegen_build::ir::Time;
use sparsegen_harness::complexity::{Counted, Growth, Run, excess, parse};
use sparsegen_harness::corpus::{self, Case};
use sparsegen_harness::formats::{DECLARED, names};
use sparsegen_harness::workers::on_threads;

/// One of so many kernels of the corpus is counted; `SPARSEGEN_COMPLEXITY=1` counts all, and all
/// conversions, and `SPARSEGEN_CORPUS=language/windows` those of a file.
const EVERY: u64 = 48;

/// The kernels whose documentation is known to state a time that is not true, or a variable that the
/// caller does not know, such as the extent of a mode that is gathered from. In
/// `maximum_of_duplicates`, the term `i · j` is true, but weighs more than the other terms.
const UNTRUE: [&str; 10] = [
    "added_to_some_dense_sparse_vector_places_indices",
    "early_2_f1_fill_2_f0_true",
    "early_9_dcsr_fillinf_f0_fillinf_min_max",
    "ends_csr_middle_dense",
    "kronecker_blocks_csf_dcsr_coo",
    "least_of_two_dcsr_csf_csr_f32",
    "maximum_of_duplicates_dcsr_coo_csf",
    "product_into_sparse_blocks_sparse_blocks_coo_csf",
    "quotients_dense_sparse_vector_csr_csf",
    "tucker_order_4_dense_csf_dense_dense_dense_dense",
];

/// Returns the share of the kernels that is counted, if it is set.
fn every() -> Option<u64> {
    env::var("SPARSEGEN_COMPLEXITY").ok()?.parse().ok()
}

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

/// Kernels whose time depends on the extents only because of their working memory.
const KEPT: &str = "
step: y[j] = A[i,j] * x[i]
    y=sparse_vector A=dcsr x=sparse_vector : nnz(A) + nnz(x)
product: C[i,j] = A[i,k] * B[k,j]
    C=dcsr A=dcsr B=dcsr : nnz(A) + nnz(B)
looked_up: C[i,j] = A[i,j] * x[j]
    C=dcsr A=dcsr x=sparse_vector : nnz(A) + nnz(x)
transposed: C[i,j] = A[j,i]
    C=dcsr A=dcsr : nnz(A)
";

/// Working memory that is kept takes no time in later calls.
#[test]
fn kept_memory_takes_no_time() {
    for best in parse("KEPT", KEPT).unwrap_or_else(|reason| panic!("{reason}")) {
        let counted = Counted::new(&best.case).unwrap_or_else(|reason| panic!("{reason}"));
        let all = |runs: Result<Option<Vec<Run>>, String>| {
            let runs = runs.unwrap_or_else(|reason| panic!("{reason}"));
            runs.expect("the formats store the operands")
        };
        let (new, kept) =
            (all(counted.runs(Growth::Extents)), all(counted.runs_again(Growth::Extents)));
        let largest = |runs: &[Run]| runs.last().map_or(0, |run| run.steps);
        let name = &best.case.name;
        assert!(largest(&kept) < largest(&new), "{name} has no working memory");
        let excess = excess(Growth::Extents, &kept, &best.time);
        if let Some(excess) = excess.unwrap_or_else(|reason| panic!("{name}: {reason}")) {
            panic!("{name}: the steps grow by {:.2}", excess.steps);
        }
    }
}

/// The most steps of a conversion for each element of its operand and its result: about 6 if it takes
/// the entries once, and more if it sorts or counts them first.
const STEPS: f64 = 14.0;

/// A conversion takes a number of steps in proportion to its operand and its result.
#[test]
fn conversions_take_few_steps() {
    let pairs = names().flat_map(|from| names().map(move |to| (from, to)));
    let pairs: Vec<(&str, &str)> = pairs.step_by(every().unwrap_or(3) as usize).collect();
    let most = on_threads(&pairs, |(from, to)| (steps_for_each_element(from, to), *from, *to));
    let runs = most.iter().filter(|(steps, ..)| steps.is_some()).count();
    assert_eq!(runs, pairs.len(), "all formats store the operands");
    let report: String = most
        .into_iter()
        .filter(|(steps, ..)| steps.is_some_and(|steps| steps > STEPS))
        .fold(String::new(), |report, pair| format!("{report}\n{pair:?}"));
    assert!(report.is_empty(), "{report}");
}

/// Returns the largest number of steps for each element in a conversion, or `None` if a format does
/// not store the operands.
fn steps_for_each_element(from: &str, to: &str) -> Option<f64> {
    let declared = DECLARED.map(|(name, map)| format!("format {name} = {map}\n")).concat();
    let text = format!("{declared}copy: C[i,j] = A[i,j]\n    C={to} A={from}\n");
    let cases = corpus::parse("formats", &text).unwrap_or_else(|reason| panic!("{reason}"));
    let counted = Counted::new(&cases[0]).unwrap_or_else(|reason| panic!("{reason}"));
    let runs = [Growth::Rows, Growth::Extents].into_iter().filter_map(|growth| {
        let runs = counted.runs(growth).unwrap_or_else(|reason| panic!("{from} to {to}: {reason}"));
        runs.map(|runs| {
            runs.iter().map(|run| run.steps as f64 / run.elements() as f64).fold(0.0, f64::max)
        })
    });
    runs.reduce(f64::max)
}

/// No kernel takes more steps than its documentation states.
#[test]
fn stated_times_are_true() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus");
    let mut cases: Vec<Case> = Vec::new();
    let wanted = env::var("SPARSEGEN_CORPUS").unwrap_or_default();
    for part in sorted(folder) {
        for file in sorted(&part).into_iter().filter(|file| file.contains(&wanted)) {
            let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
            let parsed = corpus::parse(&file, &text).unwrap_or_else(|reason| panic!("{reason}"));
            cases.extend(parsed.into_iter().filter(|case| case.refusal.is_none()));
        }
    }
    let every = every().unwrap_or(EVERY);
    cases.retain(|case| case.is_one_of(every));
    let checked = on_threads(&cases, untrue_times);
    let runs: usize = checked.iter().map(|(runs, _)| runs).sum();
    let report: String = checked.into_iter().map(|(_, faults)| faults).collect();
    assert!(runs > 100 || !wanted.is_empty(), "only {runs} runs");
    assert!(report.is_empty(), "{} of {runs} runs:\n{report}", report.lines().count());
}

/// Returns the number of ways in which the operands of a kernel were made to grow, and the faults of
/// the time that it states.
fn untrue_times(case: &Case) -> (usize, String) {
    let counted = Counted::new(case).unwrap_or_else(|reason| panic!("{}: {reason}", case.name));
    let time = counted.stated();
    let (mut checked, mut faults) = (0, String::new());
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
        (true, true) => (checked, format!("{}: `{}`: is true by now\n", case.place, case.name)),
        (true, false) => (checked, String::new()),
        (false, _) => (checked, faults),
    }
}

/// Returns the paths in a folder, in order.
fn sorted(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let paths = entries.map(|entry| entry.expect("an entry").path().display().to_string());
    let mut paths: Vec<String> = paths.collect();
    paths.sort();
    paths
}
