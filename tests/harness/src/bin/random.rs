//! Tries random kernels: `cargo run --release -p sparsegen-harness --bin random -- 1000 seed`.
//!
//! Each is compiled, interpreted on many operands and compared with the oracle. What fails is made
//! smaller and shown as lines for the corpus. With `--values`, it is no failure if a result stores
//! what is known to be its fill. With `--show`, every kernel is printed and none is tried.

use std::collections::BTreeMap;
use std::env;
use std::time::{Duration, Instant};

use sparsegen_harness::generate::draft;
use sparsegen_harness::shrink::shrunk;
use sparsegen_harness::trial::failure;

/// How long a kernel may take without being shown.
const SLOW: Duration = Duration::from_secs(5);

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let count = arguments.first().and_then(|count| count.parse().ok()).unwrap_or(100);
    let seed = arguments.get(1).cloned().unwrap_or_default();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let (mut failures, mut missing) = (0, 0);
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    for k in 0..count {
        let draft = draft(&format!("{seed} {k}"));
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
        if has("--values") && found.is_of_structure() {
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
