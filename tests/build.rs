//! Compiles the corpus and writes, for each of its cases, a driver and a test.
//!
//! A case that does not compile is no failure of the build: its test fails and shows why.

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

use sparsegen_build::ir::{
    Conversion, Extent, Function, Kernel, Operand, Result as IrResult, Source, TensorOperand,
    TensorResult,
};
use sparsegen_build::{Dtype, compile_str};

use sparsegen_harness::corpus::{self, Case};

fn main() {
    println!("cargo::rerun-if-changed=corpus");
    println!("cargo::rerun-if-env-changed=SPARSEGEN_CORPUS");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it for build scripts"));
    let others = || {
        plugin::generate(Path::new("tests/plugin"), &out)?;
        guide::generate(Path::new("../sparsegen-build/guide/language.md"), &out)
    };
    if let Err(reason) = generate(Path::new("corpus"), &out).and_then(|()| others()) {
        reason.lines().for_each(|line| println!("cargo::error={line}"));
        process::exit(1);
    }
    if env::var_os("CARGO_FEATURE_BENCHMARKS").is_some() {
        sparsegen_build::compile("benches/benchmarks.toml");
    }
}

/// Writes a source for each part of the corpus, which has a module for each of its files.
///
/// `SPARSEGEN_CORPUS=levels/adding` takes all cases of the files with that in their paths,
/// `SPARSEGEN_CORPUS=/` those of all files, and `SPARSEGEN_CORPUS=1/5` every fifth case;
/// `SPARSEGEN_CORPUS=/@parallel` takes the cases of all files that have the key `parallel`. Without it
/// every third is taken: to build and run them all takes half an hour.
fn generate(folder: &Path, out: &Path) -> Result<(), String> {
    let wanted = env::var("SPARSEGEN_CORPUS").unwrap_or("1/3".to_owned());
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

/// What is in a folder, sorted.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let listing = fs::read_dir(folder).map_err(|error| cannot(folder, error))?;
    let mut paths: Vec<PathBuf> = listing.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn cannot(path: &Path, error: std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// The modules of a part of the corpus; `report` is told how long each kernel takes to compile.
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
        for (k, case) in cases.iter().enumerate() {
            if !takes(k, case) {
                continue;
            }
            source.push_str(&case_source(case, &folder, &kernels, report)?);
        }
        source.push_str("}\n");
    }
    Ok(source)
}

/// A case's kernel, driver and test.
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
            Ok((source, Kernel::Several(kernel))) => {
                let name = &case.name;
                write(&kernels.join(format!("{name}.rs")), &source)?;
                let mut states = Vec::new();
                for (name, manifest) in &case.beginnings {
                    let (source, kernel) = compile(manifest)?;
                    write(&kernels.join(format!("{name}.rs")), &source)?;
                    states.push(several::State::of(name, kernel, source));
                }
                let last = several::State::of(name, Kernel::Several(kernel.clone()), source);
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
            Ok((source, Kernel::One(function))) => {
                let name = &case.name;
                write(&kernels.join(format!("{name}.rs")), &source)?;
                let has = |function: &str| {
                    ["<", "("].iter().any(|end| source.contains(&format!("pub fn {function}{end}")))
                };
                let ways = Ways { allocates: has(name), apart: has(&format!("{name}_assemble")) };
                text.push_str(&driver(name, folder, &function, ways));
                let path = format!("concat!(env!(\"OUT_DIR\"), \"/{folder}/{name}.rs\")");
                format!("Compiled {{ run: &run_{name}, source: include_str!({path}) }}")
            }
        },
    };
    text.push_str(&test(case, &case.name, 0, &outcome));
    Ok(text)
}

/// The test of a statement of a case.
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

/// The kernel of a manifest, or its mistakes as a user sees them.
fn compile(manifest: &str) -> Result<(String, Kernel), String> {
    let output = caught(|| compile_str("case.toml", manifest))
        .map_err(|reason| format!("the compiler panics: {reason}"))?;
    if !output.diagnostics.is_empty() {
        return Err(output.diagnostics.render("case.toml", manifest));
    }
    let kernel = output.kernels.into_iter().next();
    kernel.map(|kernel| (output.source, kernel)).ok_or_else(|| "there is no kernel".into())
}

/// What a function returns, or why it panics and where.
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

/// The type of elements that a kernel is tried with.
fn rust_type(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::Generic => "f64",
        Dtype::F16 => "sparsegen::f16",
        Dtype::Bf16 => "sparsegen::bf16",
        dtype => dtype.name(),
    }
}

/// What functions there are of a kernel, beside that which computes into a result.
struct Ways {
    /// Whether one makes the result.
    allocates: bool,
    /// Whether it is assembled and computed apart, too.
    apart: bool,
}

/// The module of a kernel and the function that calls it on operands of any kind.
fn driver(name: &str, folder: &str, function: &Function, ways: Ways) -> String {
    let Ways { allocates, apart } = ways;
    let mut packed = String::new();
    let mut looked = String::new();
    let mut extents = String::new();
    let mut arguments = Vec::new();
    for (k, operand) in function.operands.iter().enumerate() {
        match operand {
            Operand::Tensor(tensor) => {
                let (key, dtype, format) =
                    (&tensor.tensor, rust_type(tensor.dtype), &tensor.format);
                let pattern = format!("sparsegen::Pattern<{dtype}>");
                let value = if tensor.pattern { &pattern } else { dtype };
                let _ = writeln!(packed, "let o{k} = pack::<{value}, {format}>(&given[{key:?}])?;");
                let _ = writeln!(looked, "({key:?}.to_owned(), look(&o{k})),");
                arguments.push(format!("&o{k}"));
                extents.push_str(&extents_of(tensor, &format!("o{k}")));
            }
            Operand::Index { name } => {
                let _ = writeln!(packed, "let o{k} = scalar::<usize>(&given[{name:?}]);");
                let _ = writeln!(looked, "({name:?}.to_owned(), look_at_scalar(o{k})),");
                arguments.push(format!("o{k}"));
            }
            Operand::Indices { name } => {
                let ty = "usize, sparsegen::Dense<1>";
                let _ = writeln!(packed, "let o{k} = pack::<{ty}>(&given[{name:?}])?;");
                let _ = writeln!(looked, "({name:?}.to_owned(), look(&o{k})),");
                arguments.push(format!("o{k}.vals()"));
            }
            Operand::Scalar { name, dtype } => {
                let dtype = rust_type(*dtype);
                let _ = writeln!(packed, "let o{k} = scalar::<{dtype}>(&given[{name:?}]);");
                let _ = writeln!(looked, "({name:?}.to_owned(), look_at_scalar(o{k})),");
                let is_changed =
                    function.updated_scalar().is_some_and(|scalar| scalar.name == *name);
                arguments.push(if is_changed { "&mut result".into() } else { format!("o{k}") });
                if is_changed {
                    let _ = writeln!(packed, "let result = o{k};");
                }
            }
        }
    }
    let changed = match &function.result {
        IrResult::Tensor(result) if result.updates => Some(result),
        IrResult::Tensor(_) | IrResult::Scalar { .. } => None,
    };
    if let Some(result) = changed {
        let (key, dtype) = (&result.tensor, rust_type(result.dtype));
        let format = result.packed.as_ref().unwrap_or(&result.format);
        let _ = writeln!(packed, "let result = pack::<{dtype}, {format}>(&given[{key:?}])?;");
        let _ = writeln!(packed, "let before = look(&result);");
        let _ = writeln!(looked, "({key:?}.to_owned(), before),");
    }
    for (k, Conversion { of, into }) in function.conversions.iter().enumerate() {
        let (name, format) = (&into.name, &into.format);
        let is_result = |result: &&TensorResult| {
            *of == Source::Result && result.packed.as_ref().unwrap_or(&result.format) == format
        };
        let converted = match of {
            Source::Operand(of) => format!("o{of}.to::<{format}>()?"),
            Source::Result if changed.is_some_and(|result| is_result(&result)) => {
                "result.clone()".to_owned()
            }
            Source::Result => format!("result.to::<{format}>()?"),
        };
        let _ = writeln!(packed, "let c{k} = {converted};");
        let _ = writeln!(looked, "({name:?}.to_owned(), look(&c{k})),");
        extents.push_str(&extents_of(into, &format!("c{k}")));
    }
    let arguments = arguments.join(", ");
    let mutable = if apart { "mut " } else { "" };
    let computed = if apart {
        format!(
            "let mut computed = {name}_assemble({arguments})?;
            {name}_compute(&mut computed, {arguments})?;
            results.push((\"{name}_compute\", look(&computed)));
            if let Some(mut other) = restructured(&result) {{
                refused_structure({name}_compute(&mut other, {arguments}))?;
            }}"
        )
    } else {
        String::new()
    };
    let first = match &function.result {
        IrResult::Tensor(tensor) if !allocates && !tensor.updates => {
            let (key, dtype) = (&tensor.tensor, tensor.dtype.name());
            let format = tensor.packed.as_ref().unwrap_or(&tensor.format);
            format!(
                "let mut result = pack::<{dtype}, {format}>(&given[{key:?}])?;
                {name}_into(&mut result, {arguments})?;"
            )
        }
        IrResult::Tensor(_) | IrResult::Scalar { .. } => {
            format!("let result = {name}({arguments})?;")
        }
    };
    let (results, repack) = match &function.result {
        IrResult::Scalar { dtype, updates: Some(_), .. } => (
            format!(
                "let mut result = result;
                {name}_into({arguments})?;
                Ok(vec![(\"{name}_into\", look_at_scalar(result))])"
            ),
            format!("repack::<{}, Scalar>", rust_type(*dtype)),
        ),
        IrResult::Scalar { dtype, .. } => (
            format!("Ok(vec![(\"{name}\", look_at_scalar({name}({arguments})?))])"),
            format!("repack::<{}, Scalar>", rust_type(*dtype)),
        ),
        IrResult::Tensor(tensor) if tensor.updates => (
            format!(
                "let mut result = result.clone();
                {name}_into(&mut result, {arguments})?;
                Ok(vec![(\"{name}_into\", look(&result))])"
            ),
            {
                let format = tensor.packed.as_ref().unwrap_or(&tensor.format);
                format!("repack::<{}, {format}>", rust_type(tensor.dtype))
            },
        ),
        IrResult::Tensor(tensor) => (
            format!(
                "{first}
                let mut reused = scribbled(&result);
                {name}_into(&mut reused, {arguments})?;
                let first = look(&reused);
                {name}_into(&mut reused, {arguments})?;
                let {mutable}results = vec![
                    (\"{name}\", look(&result)),
                    (\"{name}_into\", first),
                    (\"{name}_into, again\", look(&reused)),
                ];
                {computed}
                Ok(results)"
            ),
            {
                let format = tensor.packed.as_ref().unwrap_or(&tensor.format);
                format!("repack::<{}, {format}>", rust_type(tensor.dtype))
            },
        ),
    };
    let parallel = function.parallel.is_some();
    format!(
        "#[deny(warnings)]
        #[allow(clippy::all, dead_code, unreachable_pub, non_snake_case)]
        pub mod {name} {{
            include!(concat!(env!(\"OUT_DIR\"), \"/{folder}/{name}.rs\"));
        }}
        #[allow(unused_variables)]
        fn run_{name}(given: &BTreeMap<String, Entries>) -> Result<Run, Error> {{
            use {name}::*;
            {packed}
            let results = sparsegen_harness::typed::attempt({parallel}, || {{
                {results}
            }});
            let operands = BTreeMap::from([{looked}]);
            let extents = BTreeMap::from([{extents}]);
            Ok(Run {{ operands, extents, results, repack: Box::new({repack}) }})
        }}\n"
    )
}

/// The extents that a kernel reads from a tensor's levels, by name.
fn extents_of(tensor: &TensorOperand, variable: &str) -> String {
    let extent = |extent: &Extent| {
        let Extent { name, level, field } = extent;
        format!("({name:?}.to_owned(), {variable}.levels().{level}.{field}),")
    };
    tensor.extents.iter().map(extent).collect()
}

/// Writes a file, unless it has this content already.
fn write(path: &Path, content: &str) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|before| before == content) {
        return Ok(());
    }
    fs::write(path, content).map_err(|error| format!("{}: {error}", path.display()))
}
