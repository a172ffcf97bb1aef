//! Runs the fuzz targets without a fuzzer: on the seeds of `tests/fuzz`, and on mutations of them.

use std::fs;
use std::path::Path;

use sparsegen_harness::random::Random;
use sparsegen_harness::targets;

/// Returns the seeds of a target, and mutations of them.
fn inputs(target: &str, count: usize) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(target);
    let entries = fs::read_dir(&folder).expect("there are seeds");
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let seeds: Vec<Vec<u8>> =
        paths.iter().map(|path| fs::read(path).expect("seeds are readable")).collect();
    assert!(!seeds.is_empty());
    let mut random = Random::seeded(target);
    let changed: Vec<Vec<u8>> = (0..count)
        .map(|_| {
            let mut bytes = seeds[random.below(seeds.len())].clone();
            for _ in 0..1 + random.below(4) {
                let at = random.below(bytes.len() + 1);
                match random.below(4) {
                    0 if at < bytes.len() => bytes[at] = random.below(256) as u8,
                    1 if at < bytes.len() => bytes[at] = b"0123456789 \n-.e%"[random.below(16)],
                    2 => bytes.insert(at, random.below(256) as u8),
                    _ => bytes.truncate(at.max(bytes.len() / 2)),
                }
            }
            bytes
        })
        .collect();
    seeds.into_iter().chain(changed).collect()
}

#[test]
fn manifests() {
    inputs("manifest", 200).iter().for_each(|bytes| targets::manifest(bytes));
}

#[test]
fn matrix_market_files() {
    inputs("matrix_market", 5000).iter().for_each(|bytes| targets::matrix_market(bytes));
}

#[test]
fn frostt_files() {
    inputs("frostt", 5000).iter().for_each(|bytes| targets::frostt(bytes));
}

#[test]
fn parts() {
    inputs("parts", 5000).iter().for_each(|bytes| targets::parts(bytes));
    let mut random = Random::seeded("parts");
    for _ in 0..50_000 {
        let bytes: Vec<u8> = (0..48).map(|_| random.below(256) as u8).collect();
        targets::parts(&bytes);
    }
}

#[test]
fn every_target_is_declared() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("there is a manifest");
    for target in ["manifest", "matrix_market", "frostt", "parts"] {
        let path = format!("fuzz_targets/{target}.rs");
        assert!(manifest.contains(&format!("path = \"{path}\"")), "{target} is not declared");
        let text = fs::read_to_string(folder.join(&path)).expect("there is a target");
        assert!(text.contains(&format!("targets::{target}(")), "{path} runs something else");
    }
}
