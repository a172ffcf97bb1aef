//! The time that the compiler takes for a kernel of the corpus.
//!
//! ```text
//! cargo bench -p sparsegen-harness --bench generate                             every fourth kernel
//! SPARSEGEN_CORPUS=/ cargo bench -p sparsegen-harness --bench generate          all of them
//! SPARSEGEN_CORPUS=adding cargo bench -p sparsegen-harness --bench generate     those of a file
//! ```
//!
//! Build scripts are compiled without optimization: `--profile dev --config
//! profile.dev.package.sparsegen-build.opt-level=0` measures that.
//!
//! The times are those of the processor where the system reports them, so that other programs
//! disturb them little.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use sparsegen_build::compile_str;
use sparsegen_harness::corpus;

/// The number of kernels that are printed.
const SLOWEST: usize = 20;

fn main() {
    let wanted = env::var("SPARSEGEN_CORPUS").unwrap_or_else(|_| "1/4".to_owned());
    let every = wanted.strip_prefix("1/").and_then(|every| every.parse().ok());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut times: Vec<(Duration, String)> = Vec::new();
    let mut lines = 0;
    for part in listed(&folder) {
        for path in listed(&part) {
            let shown = path.strip_prefix(&folder).unwrap_or(&path).display().to_string();
            if every.is_none() && !shown.contains(&wanted) && wanted != "/" {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a readable file");
            let cases = corpus::parse(&shown, &text).expect("a file of the corpus");
            for case in cases.iter().step_by(every.unwrap_or(1)) {
                let start = Clock::start();
                let output = compile_str("kernels.toml", &case.manifest);
                times.push((start.elapsed(), format!("{} ({})", case.name, case.place)));
                lines += output.source.lines().count();
            }
        }
    }
    times.sort();
    let total: Duration = times.iter().map(|(time, _)| *time).sum();
    let Some((median, _)) = times.get(times.len() / 2) else { return };
    let mean = total / times.len().try_into().unwrap_or(u32::MAX);
    println!(
        "{} kernels, {lines} lines; {mean:.2?} each on average, median {median:.2?}",
        times.len()
    );
    for (time, name) in times.iter().rev().take(SLOWEST) {
        println!("{time:>10.2?}  {name}");
    }
}

fn listed(folder: &Path) -> Vec<std::path::PathBuf> {
    let listing = fs::read_dir(folder).expect("a folder of the corpus");
    let mut paths: Vec<_> = listing.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// A clock of the thread's processor time, if the system has one.
struct Clock {
    processor: Option<Duration>,
    start: Instant,
}

impl Clock {
    fn start() -> Clock {
        Clock { processor: processor_time(), start: Instant::now() }
    }

    fn elapsed(&self) -> Duration {
        let spent = self.processor.and_then(|before| processor_time()?.checked_sub(before));
        spent.unwrap_or_else(|| self.start.elapsed())
    }
}

/// Returns the processor time of the thread, as Linux reports it.
fn processor_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
