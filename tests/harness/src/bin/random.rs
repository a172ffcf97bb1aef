//! Tries random statements: `cargo run --release -p sparsegen-harness --bin random -- 1000 seed`.
//!
//! Each is compiled, interpreted on many operands and compared with the oracle. What fails is made
//! smaller and shown as lines for the corpus. With `--write`, those that do not fail are written as
//! lines of the corpus, as `tests/corpus/language/random.txt` was by `90 corpus --write`. With
//! `--values`, it is no failure if a result stores what is known to be its fill.

use std::env;

use sparsegen_harness::generate::draft;
use sparsegen_harness::shrink::{Failure, failure, lines, shrunk};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let count = arguments.first().and_then(|count| count.parse().ok()).unwrap_or(100);
    let seed = arguments.get(1).cloned().unwrap_or_default();
    let writes = arguments.iter().any(|argument| argument == "--write");
    let only_values = arguments.iter().any(|argument| argument == "--values");
    let (mut failures, mut missing) = (0, 0);
    for k in 0..count {
        let draft = draft(&format!("{seed} {k}"));
        let found = failure(&draft);
        if writes && found.is_none() {
            println!("{}", lines(&format!("r{k}"), &draft));
        }
        let Some(found) = found.filter(|_| !writes) else { continue };
        if only_values && found.is_of_structure() {
            continue;
        }
        if found.is_missing() {
            missing += 1;
            continue;
        }
        failures += 1;
        let small = shrunk(draft.clone(), &found);
        let shown = match failure(&small).unwrap_or(found) {
            Failure::Panic(reason) => format!("the compiler panics:\n{reason}"),
            Failure::Refusal(reason) | Failure::Wrong(reason) => reason,
        };
        println!("# {k}, made smaller of {}", draft.statement());
        println!("{}{}\n", lines(&format!("r{k}"), &small), shown.trim_end());
    }
    if !writes {
        println!("{failures} of {count} fail, {missing} are not supported yet");
    }
}
