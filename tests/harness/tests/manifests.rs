//! Tests of valid and invalid manifests: each results in source or in diagnostics, in bounded time
//! and memory, and accepted ones compile without a warning.
//!
//! `SPARSEGEN_MANIFESTS=20000 cargo test -p sparsegen-harness --test manifests` tests more of them,
//! and `SPARSEGEN_MANIFESTS=20000:other` uses another seed.

#[path = "manifests/child.rs"]
mod child;
#[path = "manifests/memory.rs"]
mod memory;

use std::path::Path;
use std::{env, fs};

use sparsegen_harness::generate::draft;
use sparsegen_harness::random::Random;
use sparsegen_harness::rustc::mistakes;
use sparsegen_harness::{corpus, mutate};

/// The number of manifests, and the largest number of sources that are compiled.
const USUAL: usize = 1200;
const COMPILED: usize = 100;

#[global_allocator]
static MEMORY: memory::Counted = memory::Counted;

#[test]
fn every_manifest_is_answered_and_what_is_accepted_compiles() {
    let wanted = env::var("SPARSEGEN_MANIFESTS").unwrap_or_default();
    let (count, seed) = wanted.split_once(':').unwrap_or((&wanted, "manifests"));
    let count = count.parse().unwrap_or(USUAL);
    let manifests = manifests(count, seed);
    let answers = child::answers(&manifests);
    let mut wrong: Vec<String> = Vec::new();
    let mut accepted: Vec<(String, String)> = Vec::new();
    for (manifest, answer) in manifests.iter().zip(answers) {
        match answer {
            child::Answer::Source(source) => accepted.push((manifest.clone(), source)),
            child::Answer::Refused => {}
            child::Answer::Wrong(reason) => wrong.push(format!("{manifest}\n{reason}")),
        }
    }
    assert!(accepted.len() > count / 20, "only {} of {count} are accepted", accepted.len());
    let most = COMPILED.max(count / 12);
    let every = accepted.len().div_ceil(most).max(1);
    // The paths of mutated manifests do not exist.
    let is_closed = |(manifest, _): &&(String, String)| !manifest.contains("::");
    let sample: Vec<_> = accepted.iter().filter(is_closed).step_by(every).cloned().collect();
    wrong.extend(mistakes(&sample).expect("rustc can be run beside this test"));
    assert!(wrong.is_empty(), "{} of {count} manifests:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// Returns manifests of the corpus, of error pages and of random kernels, most of them mutated.
fn manifests(count: usize, seed: &str) -> Vec<String> {
    let mut known = known();
    let mut random = Random::seeded(seed);
    let drafts = (0..count / 40).filter_map(|k| {
        let cases = corpus::parse("random", &draft(&format!("{seed} {k}")).lines("random")).ok()?;
        cases.into_iter().next().map(|case| case.manifest)
    });
    let drafts: Vec<String> = drafts.collect();
    known.extend(drafts.iter().cloned());
    let changed = (drafts.len()..count).map(|_| mutate::mutated(&known, &mut random));
    let changed: Vec<String> = changed.collect();
    drafts.into_iter().chain(changed).collect()
}

fn known() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut known = Vec::new();
    for part in listed(&root.join("corpus")) {
        for file in listed(&part) {
            let text = fs::read_to_string(&file).expect("the corpus is readable");
            let cases = corpus::parse("corpus", &text).expect("the corpus is well-formed");
            known.extend(cases.into_iter().map(|case| case.manifest));
        }
    }
    for file in listed(&root.join("errors")).into_iter().chain(listed(&root.join("golden"))) {
        if file.extension().is_some_and(|extension| extension == "toml") {
            known.push(fs::read_to_string(&file).expect("manifests are readable"));
        }
    }
    known
}

fn listed(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is part of the repository");
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
