//! Compiles the corpus and generates a driver and a test for each of its cases.
//!
//! A case that does not compile does not fail the build: its test fails and prints the reason.

#[path = "build/driver.rs"]
mod driver;
#[path = "build/guide.rs"]
mod guide;
#[path = "tests/plugin/build/mod.rs"]
mod plugin;
#[path = "build/several.rs"]
mod several;

use std::fmt::Write as _;
use std::panic::{self, UnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{env, fs, process};

use sparsegen_build::compile_str;
use sparsegen_build::ir::Kernel;

use sparsegen_harness::corpus::{self, Case};

use driver::{Ways, driver};

fn main() {
    println!("cargo::rerun-if-changed=corpus");
    println!("cargo::rerun-if-env-changed=SPARSEGEN_CORPUS");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it for build scripts"));
    let others = || {
        plugin::generate(Path::new("tests/plugin"), &out)?;
        guide::generate(Path::new("../sparsegen-build/guide"), &out)?;
        generate_sizes(Path::new("tests/sizes.toml"), &out)
    };
    if let Err(reason) = generate(Path::new("corpus"), &out).and_then(|()| others()) {
        reason.lines().for_each(|line| println!("cargo::error={line}"));
        process::exit(1);
    }
    if env::var_os("CARGO_FEATURE_BENCHMARKS").is_some() {
        sparsegen_build::compile("benches/benchmarks.toml");
    }
}

/// Generates a source for each part of the corpus, with a module for each of its files.
///
/// `SPARSEGEN_CORPUS=levels/adding` selects all cases of the files with this in their paths,
/// `SPARSEGEN_CORPUS=/` those of all files, and `SPARSEGEN_CORPUS=1/5` every fifth case;
/// `SPARSEGEN_CORPUS=/@parallel` selects the cases of all files with the key `parallel`. By
/// default, every 40th case is selected: building and running all of them takes half an hour.
fn generate(folder: &Path, out: &Path) -> Result<(), String> {
    let wanted = env::var("SPARSEGEN_CORPUS").unwrap_or("1/40".to_owned());
    let (wanted, key) = match wanted.split_once('@') {
        Some((files, _)) => (files.to_owned(), Some(&wanted[files.len()..])),
        None => (wanted.clone(), None),
    };
    let (wanted, every) = match wanted.strip_prefix("1/").and_then(|n| n.parse().ok()) {
        Some(every) => ("/", every),
        None => (wanted.as_str(), 1),
    };
    let mut time = Duration::ZERO;
    let mut count = 0;
    for part in listed(folder)?.iter().filter(|part| part.is_dir()) {
        let mut files = listed(part)?;
        files.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
        files.retain(|path| path.to_string_lossy().contains(wanted));
        let name = part.file_name().unwrap_or_default().to_string_lossy();
        let has_key = |case: &Case| key.is_none_or(|key| case.choice.iter().any(|(k, _)| k == key));
        let takes = |k: usize, case: &Case| {
            has_key(case) && (k.is_multiple_of(every) || case.refusal.is_some())
        };
        let source = part_source(&name, &files, &takes, out, &mut |spent| {
            time += spent;
            count += 1;
        })?;
        write(&out.join(format!("{name}.rs")), &source)?;
    }
    let each = time.checked_div(count).unwrap_or_default();
    let report = format!("{count} kernels compiled, {each:?} each on average\n");
    write(&out.join("compile_time.txt"), &report)
}

/// Generates the kernels of the test `sizes`.
fn generate_sizes(manifest: &Path, out: &Path) -> Result<(), String> {
    println!("cargo::rerun-if-changed={}", manifest.display());
    let text = fs::read_to_string(manifest).map_err(|error| cannot(manifest, error))?;
    let output = compile_str("sizes.toml", &text);
    if !output.diagnostics.is_empty() {
        return Err(output.diagnostics.render("sizes.toml", &text));
    }
    write(&out.join("sizes.rs"), &output.source)
}

/// Returns the content of a folder, sorted.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let listing = fs::read_dir(folder).map_err(|error| cannot(folder, error))?;
    let mut paths: Vec<PathBuf> = listing.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn cannot(path: &Path, error: std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Returns the modules of a part of the corpus, and records in `report` the compile time of each
/// kernel.
fn part_source(
    part: &str,
    files: &[PathBuf],
    takes: &dyn Fn(usize, &Case) -> bool,
    out: &Path,
    report: &mut dyn FnMut(Duration),
) -> Result<String, String> {
    let mut source = String::new();
    for path in files {
        let text = fs::read_to_string(path).map_err(|error| cannot(path, error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let cases = corpus::parse(&name, &text)?;
        let module = name.trim_end_matches(".txt").replace('-', "_");
        let _ = writeln!(source, "mod {module} {{\n#[allow(unused_imports)]\nuse super::*;");
        let folder = format!("{part}/{module}");
        let kernels = out.join(&folder);
        fs::create_dir_all(&kernels).map_err(|error| cannot(&kernels, error))?;
        // Parallel cases are counted separately, so that the sample has some of each file.
        let mut counts = [0, 0];
        for case in &cases {
            let is_parallel = case.choice.iter().any(|(key, _)| key == "@parallel");
            let count = &mut counts[usize::from(is_parallel)];
            *count += 1;
            if !takes(*count - 1, case) {
                continue;
            }
            source.push_str(&case_source(case, &folder, &kernels, report)?);
        }
        source.push_str("}\n");
    }
    Ok(source)
}

/// Returns the kernel, driver and test of a case.
fn case_source(
    case: &Case,
    folder: &str,
    kernels: &Path,
    report: &mut dyn FnMut(Duration),
) -> Result<String, String> {
    let mut text = String::new();
    let start = Instant::now();
    let compiled = compile(&case.manifest);
    report(start.elapsed());
    let outcome = match &case.refusal {
        Some(reason) => format!("Refused({reason:?})"),
        None => match compiled {
            Err(mistakes) => format!("Failed({mistakes:?})"),
            Ok((source, kernel)) if kernel.steps.len() > 1 => {
                let name = &case.name;
                write(&kernels.join(format!("{name}.rs")), &source)?;
                let mut states = Vec::new();
                for (name, manifest) in &case.beginnings {
                    let (source, kernel) = compile(manifest)?;
                    write(&kernels.join(format!("{name}.rs")), &source)?;
                    states.push(several::State::of(name, kernel, source));
                }
                let last = several::State::of(name, kernel.clone(), source);
                states.push(last);
                text.push_str(&several::drivers(name, folder, &kernel, &states));
                let path = format!("concat!(env!(\"OUT_DIR\"), \"/{folder}/{name}.rs\")");
                for k in 0..kernel.steps.len() {
                    let run = format!("&run_{name}_{k}");
                    let outcome =
                        format!("Compiled {{ run: {run}, source: include_str!({path}) }}");
                    text.push_str(&test(case, &format!("{name}_{k}"), k, &outcome));
                }
                return Ok(text);
            }
            Ok((source, kernel)) => {
                let name = &case.name;
                write(&kernels.join(format!("{name}.rs")), &source)?;
                let has = |function: &str| {
                    ["<", "("].iter().any(|end| source.contains(&format!("pub fn {function}{end}")))
                };
                let ways = Ways {
                    allocates: has(name),
                    apart: has(&format!("{name}_assemble")),
                    keeps: has(&format!("{name}_with")),
                    keeps_apart: has(&format!("{name}_compute_with")),
                };
                text.push_str(&driver(name, folder, &kernel.steps[0].function, ways));
                let path = format!("concat!(env!(\"OUT_DIR\"), \"/{folder}/{name}.rs\")");
                format!("Compiled {{ run: &run_{name}, source: include_str!({path}) }}")
            }
        },
    };
    text.push_str(&test(case, &case.name, 0, &outcome));
    Ok(text)
}

/// Returns the test of a statement of a case.
fn test(case: &Case, test: &str, step: usize, outcome: &str) -> String {
    let Case { name, place, statement, manifest, choice, .. } = case;
    format!(
        "#[test]
fn {test}() {{
    Case {{
        name: {name:?},
        place: {place:?},
        statement: {statement:?},
        step: {step},
        choice: &{choice:?},
        manifest: {manifest:?},
        outcome: Outcome::{outcome},
    }}
    .check();
}}
"
    )
}

/// Returns the kernel of a manifest, or its diagnostics.
fn compile(manifest: &str) -> Result<(String, Kernel), String> {
    let output = caught(|| compile_str("case.toml", manifest))
        .map_err(|reason| format!("the compiler panics: {reason}"))?;
    if !output.diagnostics.is_empty() {
        return Err(output.diagnostics.render("case.toml", manifest));
    }
    let kernel = output.kernels.into_iter().next();
    kernel.map(|kernel| (output.source, kernel)).ok_or_else(|| "there is no kernel".into())
}

/// Returns the result of a function, or the message and place of its panic.
fn caught<T>(run: impl FnOnce() -> T + UnwindSafe) -> Result<T, String> {
    let reason = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&reason);
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if let Ok(mut reason) = sink.lock() {
            *reason = info.to_string();
        }
    }));
    let result = panic::catch_unwind(run);
    panic::set_hook(before);
    result.map_err(|_| reason.lock().map(|reason| reason.clone()).unwrap_or_default())
}

/// Writes a file, unless it has this content.
fn write(path: &Path, content: &str) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|before| before == content) {
        return Ok(());
    }
    fs::write(path, content).map_err(|error| format!("{}: {error}", path.display()))
}
