//! Tests the time complexity of kernels by counting the steps of their loops on growing operands.

use std::fmt::Write as _;

use sparsegen_build::ir::Time;
use sparsegen_harness::complexity::{Counted, Growth, excess, parse};

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
        let start = std::time::Instant::now();
        let found = match Counted::new(&best.case) {
            Ok(counted) => faults(&counted, &best.time),
            Err(reason) => format!("\n{reason}"),
        };
        eprintln!("TIMING {name} {:?}", start.elapsed());
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
