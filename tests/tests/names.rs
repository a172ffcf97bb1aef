//! Tests that no user-defined name collides with one in generated code, or causes a warning of
//! rustc.
//!
//! Every identifier of the golden sources is used as the name of a tensor, a variable, a parameter,
//! a format and a kernel, in kernels of many kinds.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sparsegen_build::compile_str;
use sparsegen_harness::rustc::type_check;

/// Kernels of many kinds; words in upper case are replaced by names.
const MANIFESTS: [&str; 16] = [
    // Blocks, and a user-defined format.
    "[formats]
FORMAT = '(i, j) -> (i / 4 : dense, j / 4 : compressed, i % 4 : dense, j % 4 : dense)'
[kernels.KERNEL]
expr = 'T0[V0] = T1[V0,V1] * T2[V1]'
tensors = { T0 = 'dense', T1 = 'FORMAT', T2 = 'dense' }
",
    // Two equal formats, an assembled result, a conversion.
    "[formats]
FORMAT = '(i, j) -> (i : hashed, j : compressed)'
[kernels.KERNEL]
expr = 'T0[V0,V1] = T1[V0,V1] + T2[V0,V1]'
tensors = { T0 = 'FORMAT', T1 = 'csr', T2 = 'csc' }
",
    // A workspace.
    "[formats]
FORMAT = { map = 'csr', pos = 'u64' }
[kernels.KERNEL]
expr = 'T0[V0,V1] = T1[V0,V2] * T2[V2,V1]'
tensors = { T0 = 'FORMAT', T1 = 'csr', T2 = 'csr' }
",
    // A format with a fill value.
    "[formats]
FORMAT = { map = 'dcsr', fill = inf }
[kernels.KERNEL]
expr = 'T0[V0,V1] = T1[V0,V2] * T2[V2,V1]'
tensors = { T0 = 'FORMAT', T1 = 'dcsr', T2 = 'coo' }
semiring = 'min_plus'
",
    // Several statements, some of which share loops.
    "[kernels.KERNEL]
exprs = ['T0[V0] = T1[V0,V1] * T2[V1]', 'T3[V1] = T1[V0,V1] * T4[V0]', 'T5 = T0[V2] * T3[V2]']
tensors = { T0 = 'dense', T1 = 'csr', T2 = 'dense', T3 = 'dense', T4 = 'dense' }
",
    "[kernels.KERNEL]
exprs = ['T0[V0,V1] = T1[V0,V1] * (V0 > V1)', 'T2[V0,V1] = T1[V0,V1] * (V0 <= V1)', 'T3[V0] = T2[V0,V1] * T4[V1]']
tensors = { T0 = 'csr', T1 = 'csr', T2 = 'csr', T3 = 'dense', T4 = 'dense' }
",
    // Arg-reductions, parameters, slices.
    "[kernels.KERNEL]
expr = 'T0[V0] = argmin[V1](T1[V0,V1])'
tensors = { T0 = { format = 'dense', dtype = 'usize' }, T1 = 'csr' }
",
    "[kernels.KERNEL]
expr = 'T0[V0,V1] = T1[V0 in 2..PARAMETER step 3,V1] * T2[V1]'
tensors = { T0 = 'csr', T1 = 'csr', T2 = 'dense' }
params = { PARAMETER = 'index' }
bounds = 'checked'
",
    "[kernels.KERNEL]
expr = 'T0[V0 in PARAMETER,V1] += T1[V0,V1]'
tensors = { T0 = 'csr', T1 = 'csr' }
params = { PARAMETER = 'indices' }
",
    "[kernels.KERNEL]
expr = 'T0[V0,V1] = T1[T2[V0],V1] * T3[V1]'
tensors = { T0 = 'csr', T1 = 'csc', T2 = { format = 'dense', dtype = 'u32' }, T3 = 'dense' }
",
    // Duplicates, two reads of a tensor, a scalar, threads.
    "[formats]
FORMAT = '(i, j) -> (j - i : compressed, i : range, j : offset)'
[kernels.KERNEL]
expr = 'T0[V0,V1] = T1[V0,V1] * T2 + T1[V1,V0]'
tensors = { T0 = 'FORMAT', T1 = 'coo' }
",
    "[kernels.KERNEL]
expr = 'T0[V0,V1] = T1[V0,V1] + T2[V0,V1]'
tensors = { T0 = 'csr', T1 = 'csr', T2 = 'coo' }
parallel = true
",
    "[kernels.KERNEL]
expr = 'T0 = T1[V0,V1] * T2[V1]'
tensors = { T1 = 'csr', T2 = 'dense' }
parallel = true
",
    // Schedules, which define variables and workspaces.
    "[kernels.KERNEL]
expr = 'T0[V0] = T1[V0,V1] * T2[V1] * T3[V1]'
tensors = { T0 = 'dense', T1 = 'csr', T2 = 'sparse_vector', T3 = 'sparse_vector' }
schedule = ['precompute(T2[V1] * T3[V1], V1, T4)', 'split(V0, V2, V3, 4)']
",
    "[kernels.KERNEL]
expr = 'T0[V0,V1] = T1[V0,V2,V3] * T2[V2,V1] * T3[V3,V1]'
tensors = { T0 = 'dense', T1 = 'csf', T2 = 'dense', T3 = 'dense' }
sizes = { V1 = 8 }
schedule = ['unroll(V1, 4)']
dtype = 'generic'
",
    // Divisions of integers, slots, a result with slots.
    "[kernels.KERNEL]
expr = 'T0[V0,V1] = T1[V0,V1] / T2[V1]'
tensors = { T0 = 'ell', T1 = 'ell', T2 = 'dense' }
dtype = 'i32'
",
];

/// The placeholders of names in the manifests.
const PLACES: [&str; 13] =
    ["KERNEL", "FORMAT", "PARAMETER", "T0", "T1", "T2", "T3", "T4", "T5", "V0", "V1", "V2", "V3"];

/// Ordinary names.
const PLAIN: [&str; 13] =
    ["plain", "shape_of_mine", "limit", "Ya", "Bb", "Xc", "Dd", "Ee", "Ff", "q", "r", "u", "v"];

/// Returns every identifier of the golden sources, in any case that a user may choose, and other
/// likely collisions.
fn identifiers() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut found = BTreeSet::new();
    for path in fs::read_dir(folder).expect("the folder of golden sources").flatten() {
        if path.path().extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = fs::read_to_string(path.path()).expect("it is readable");
        let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        for word in
            code.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        {
            if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                found.insert(word.to_owned());
            }
        }
    }
    let more = [
        "K",
        "k",
        "w",
        "W",
        "w2",
        "self_",
        "Self_",
        "at_w",
        "a__b",
        "_x",
        "__",
        "_",
        "_1",
        "x_",
        "x__",
        "r",
        "N",
        "map",
        "proven",
        "workspace",
        "level_map",
        "level_expr",
        "reserved",
        "pattern",
        "t",
        "n",
        "ok",
        "err",
        "result",
        "vec",
        "some",
        "none",
        "option",
        "string",
        "into",
        "from",
        "clone",
        "copy",
        "debug",
        "default",
        "sparsegen",
        "std",
        "core",
        "kernel",
        "num_traits",
        "main",
        "union",
        "auto",
        "raw",
        "safe",
        "macro_rules",
        "type",
        "fn",
        "gen",
        "async",
        "try",
        "box",
        "static",
        "a_vals",
        "p_a_end",
        "isize",
        "u128",
        "str",
        "char",
        "shape",
        "levels",
        "vals",
        "unpacked",
        "parts",
        "part",
        "filled",
        "value",
        "division",
        "found",
        "sum",
        "sum_found",
        "i_size",
        "i_begin",
        "coordinate",
        "diagonal",
        "send",
        "sync",
        "drop",
        "partial_ord",
    ];
    found.extend(more.map(String::from));
    found.into_iter().collect()
}

/// Returns a manifest with names in place of the placeholders.
fn named(manifest: &str, name: impl Fn(usize) -> String) -> String {
    let mut named = manifest.to_owned();
    for (k, place) in PLACES.iter().enumerate() {
        named = named.replace(place, &format!("<{k}>"));
    }
    for k in 0..PLACES.len() {
        named = named.replace(&format!("<{k}>"), &name(k));
    }
    named
}

/// Returns the source of a manifest, or its diagnostics.
fn compiled(manifest: &str) -> Result<String, String> {
    let output = compile_str("kernels.toml", manifest);
    match output.diagnostics.is_empty() {
        true => Ok(output.source),
        false => Err(output.diagnostics.render("kernels.toml", manifest)),
    }
}

/// Returns whether a word is reserved by the language and cannot be the name of a tensor.
fn is_word(name: &str) -> bool {
    let manifest = format!(
        "[kernels.k]\nexpr = 'Yy[q] = Zz[q]'\ntensors = {{ Yy = 'dense', Zz = 'dense', {name} = 'dense' }}"
    );
    compiled(&manifest).is_err_and(|page| page.contains("so no tensor can have that name"))
}

/// Returns whether the diagnostics refuse a name.
fn is_refused_by_name(page: &str) -> bool {
    let reasons = [
        "cannot be the name of",
        "would be the same argument",
        "is used as a tensor and",
        "there would be two functions",
        "is a built-in format",
        "the type of the format",
        "would both be the type",
    ];
    let words =
        ["is a function", "is a reduction", "is an element type", "is a constant", "is a keyword"];
    reasons.iter().chain(&words).any(|reason| page.contains(reason))
}

#[test]
fn manifests_with_plain_names_compile() {
    let mut source = String::new();
    for (k, manifest) in MANIFESTS.iter().enumerate() {
        let manifest = named(manifest, |place| PLAIN[place].to_owned());
        let code = compiled(&manifest).unwrap_or_else(|page| panic!("{page}"));
        let _ = writeln!(source, "pub mod m{k} {{\n{code}}}");
    }
    type_check(&source).unwrap_or_else(|errors| panic!("{errors}"));
}

#[test]
fn no_name_collides() {
    let (words, names): (Vec<_>, Vec<_>) =
        identifiers().into_iter().partition(|name| is_word(name));
    let count = names.len();
    assert!(count > 300, "{count}");
    let mut sources = Vec::new();
    let mut refused = BTreeSet::new();
    let mut compile =
        |sources: &mut Vec<String>, manifest: &str, name: &str| match compiled(manifest) {
            Ok(source) => sources.push(source),
            Err(page) => {
                assert!(is_refused_by_name(&page), "{page}");
                refused.insert(name.to_owned());
            }
        };
    // All of them take a minute.
    let all = std::env::var("SPARSEGEN_CORPUS").is_ok_and(|wanted| wanted == "/");
    for k in (0..count).step_by(if all { 1 } else { 5 }) {
        let manifest = MANIFESTS[k % MANIFESTS.len()];
        // Adjacent placeholders get names that are far apart.
        let name = |place: usize| names[(k + place * 29) % count].clone();
        if let Ok(source) = compiled(&named(manifest, name)) {
            sources.push(source);
            continue;
        }
        // Each name is combined with ordinary names, and is none of them.
        let is_other = |place: &usize| !PLAIN.contains(&name(*place).as_str());
        let places = (0..PLACES.len()).filter(|place| manifest.contains(PLACES[*place]));
        for at in places.filter(is_other) {
            let one = |place: usize| if place == at { name(at) } else { PLAIN[place].to_owned() };
            compile(&mut sources, &named(manifest, one), &name(at));
        }
    }
    for word in &words {
        for at in ["KERNEL", "FORMAT"] {
            let one = |place: usize| match PLACES[place] == at {
                true => word.clone(),
                false => PLAIN[place].to_owned(),
            };
            compile(&mut sources, &named(MANIFESTS[0], one), word);
        }
    }
    assert!(refused.len() * 3 < count, "{refused:?}");
    let mut source = String::new();
    for (k, code) in sources.iter().enumerate() {
        let _ = writeln!(source, "pub mod m{k} {{\n{code}}}");
    }
    type_check(&source).unwrap_or_else(|errors| panic!("{errors}"));
}
