//! Golden tests of diagnostics: each `errors/NAME.toml` has a page `errors/NAME.txt` with the
//! errors or the warnings for a user. A page that differs is rewritten, and the test fails once, so that the change
//! is visible.

#[path = "../build/page.rs"]
#[allow(dead_code, reason = "the build script and other tests read more of the page")]
mod page;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use sparsegen_build::{Code, compile_str, explain_code};

/// Returns the manifests with errors, sorted by name.
fn manifests() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("errors");
    let mut found: Vec<_> = fs::read_dir(folder)
        .expect("the folder of pages is part of this crate")
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    found.sort();
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn pages_are_as_written() {
    let mut changed = Vec::new();
    for path in manifests() {
        let text = read(&path);
        let output = compile_str("kernels.toml", &text);
        let is_refused = !output.diagnostics.is_empty();
        let found = if is_refused { &output.diagnostics } else { &output.warnings };
        assert!(!found.is_empty(), "{}: no mistake was found", path.display());
        let has_source = !output.source.is_empty();
        assert_ne!(is_refused, has_source, "{}: errors have no source", path.display());
        let page = found.render("kernels.toml", &text);
        let golden = path.with_extension("txt");
        if fs::read_to_string(&golden).ok().as_ref() != Some(&page) {
            fs::write(&golden, &page).expect("pages can be written");
            changed.push(golden);
        }
    }
    assert!(changed.is_empty(), "these pages were rewritten: {changed:#?}");
}

/// Checks the messages in the guide.
#[test]
fn messages_in_the_guide_are_as_shown() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sparsegen-build/guide");
    let mut changed = Vec::new();
    for (_, file) in page::chapters(&read(&folder.join("SUMMARY.md"))) {
        let path = folder.join(&file);
        let before = read(&path);
        let mut text = before.clone();
        for example in page::Page::parse(&before).expect("the build script has read it").examples {
            let Some(shown) = example.message else { continue };
            let output = compile_str("kernels.toml", &example.manifest);
            let is_refused = !output.diagnostics.is_empty();
            let found = if is_refused { &output.diagnostics } else { &output.warnings };
            assert!(!found.is_empty(), "{file}, line {}: no mistake was found", example.line);
            let page = found.render("kernels.toml", &example.manifest);
            text =
                text.replacen(&format!("```text\n{shown}```"), &format!("```text\n{page}```"), 1);
        }
        if text != before {
            fs::write(&path, text).expect("the guide can be written");
            changed.push(file);
        }
    }
    assert!(changed.is_empty(), "messages of these chapters were rewritten: {changed:#?}");
}

/// Codes of diagnostics that no manifest alone causes: those of levels that a build script
/// registers, which `plugin/refused.rs` tests.
const WITHOUT_EXAMPLE: [Code; 1] = [Code::InvalidLevel];

#[test]
fn every_code_has_its_page() {
    let mut remain = Vec::new();
    for code in Code::ALL {
        let page = code.page();
        assert_eq!(explain_code(code.name()), Some(page));
        let start = format!("# {code}\n\n{}\n", code.title());
        assert!(page.starts_with(&start), "the page of {code} does not begin with:\n{start}");
        let examples = page::Page::parse(page).expect("the build script has read it").examples;
        if WITHOUT_EXAMPLE.contains(code) {
            assert!(examples.is_empty(), "{code} has an example");
            continue;
        }
        let [wrong, repaired] = &examples[..] else { panic!("{code} has not two examples") };
        let shown = wrong.message.as_deref().unwrap_or_default();
        let head = shown.lines().next().unwrap_or_default();
        assert!(head.contains(&format!("[{code}]: ")), "{code} shows another message: {shown}");
        let output = compile_str("kernels.toml", &repaired.manifest);
        for found in [output.diagnostics, output.warnings].iter().filter(|it| !it.is_empty()) {
            remain.push(format!("{code}: {}", found.render("kernels.toml", &repaired.manifest)));
        }
    }
    assert!(remain.is_empty(), "these remain in repaired examples:\n{}", remain.join("\n"));
    assert_eq!(explain_code("SG0000"), None);
}

#[test]
fn every_code_has_a_golden_page() {
    let pages: String = manifests().iter().map(|path| read(&path.with_extension("txt"))).collect();
    let lacks = |code: &&Code| !pages.contains(&format!("[{code}]: "));
    let without: Vec<_> = Code::ALL.iter().filter(lacks).collect();
    assert_eq!(without, WITHOUT_EXAMPLE.iter().collect::<Vec<_>>());
}

#[test]
fn the_index_lists_every_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sparsegen-build/guide");
    let (summary, index) = (read(&folder.join("SUMMARY.md")), read(&folder.join("errors.md")));
    for code in Code::ALL {
        let link = format!("[{code}](errors/{code}.md)");
        assert!(summary.contains(&link), "SUMMARY.md lacks {link}");
        let row = format!("| `{code}` | {} |", code.title().trim_end_matches('.'));
        assert!(index.contains(&row), "errors.md lacks {row}");
    }
}

#[test]
fn every_page_belongs_to_a_manifest() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("errors");
    for entry in fs::read_dir(folder).expect("the folder of pages is part of this crate") {
        let path = entry.expect("the folder can be listed").path();
        assert!(path.with_extension("toml").exists(), "{} is left over", path.display());
    }
}

#[test]
fn every_mistake_has_its_place() {
    for path in manifests() {
        let text = read(&path);
        let output = compile_str("kernels.toml", &text);
        for diagnostic in output.diagnostics.iter().chain(output.warnings.iter()) {
            let place = diagnostic.span.and_then(|span| text.get(span.start..span.end));
            assert!(place.is_some(), "{}: {diagnostic:?}", path.display());
            assert!(!diagnostic.message.ends_with('.'), "{}: {diagnostic:?}", path.display());
        }
    }
}

/// A valid manifest with many features, for mutation in addition to those with errors.
const SOUND: &str = r##"
[defaults]
dtype = "f32"
pos = "u64"

[formats]
rows = "(i, j) -> (i : compressed, j : compressed)"
big = { map = "coo", pos = "u64", crd = "u16" }
columns = '(i, j, k) -> (k : dense, i : compressed(nonunique), j : singleton)'

[kernels.spmv]
expr = "y[i] = A[i,j] * x[j]"
tensors = { y = "dense", A = "csr", x = "dense" }
doc = "A matrix times a vector."
bounds = "checked"

[kernels.residual]
expr = """
r[i] = b[i] \
     - alpha * (A[i,j] * x[j]) / -2.5e-1"""
tensors = { r = "dense", A = "rows", x = "dense", b = "dense" }
dtype = "f64"
sizes = { i = 32 }

[kernels.add]
expr = 'C[i,j] = A[i,j] + B[i,j] * (3 - 1)'
tensors = { C = "rows", A = "csr", B = { format = "rows", dtype = "f32" } }

[kernels.scheduled]
expr = "C[i,j] = A[i,k] * B[k,j]"
tensors = { C = "dense", A = "csr", B = "dense" }
schedule = ["split(j, jo, ji, 16)", "reorder(i, jo, k, ji)", "pos(k, kp, A)", "split(kp, ko, ki, 8)",
            "unroll(ki, 4)", "locate(ki, B)", "divide(i, io, ii, 8)"]

[kernels.precomputed]
expr = "y[i] = A[i,j] * b[j] * c[j]"
tensors = { y = "dense", A = "csr", b = "sparse_vector", c = "sparse_vector" }
schedule = ["precompute(b[j] * c[j], j, w)", "merge(j, walk)", "unroll(i, 2)"]

[kernels.mttkrp]
expr = "M[i,r] = sum[j,k](T[i,j,k] * D[k,r] * C[j,r])"
tensors = { M = "dense", T = "csf", D = "dense", C = "dense" }
"##;

/// Pieces that a mutation inserts.
const PIECES: [&str; 44] = [
    "\"",
    "'",
    "\"\"\"",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ",",
    "=",
    "+=",
    "-",
    "->",
    "..",
    ".",
    "%",
    "#",
    "/ 0",
    "* 0",
    "1e999",
    "99999999999999999999",
    "-1",
    "in",
    "step",
    "sum[",
    "sum[i](",
    "max",
    "A[i,i]",
    "A",
    "i",
    "\\u0041",
    "\\",
    "\n",
    "\r\n",
    "\t",
    "ä",
    "你",
    "\u{feff}",
    "\0",
    "nonunique",
    "compressed",
    "[kernels.x]\n",
    "dtype = \"u8\"\n",
];

/// A pseudorandom sequence, which is the same in every run.
struct Numbers(u64);

impl Numbers {
    /// Returns a number below `bound`, which must not be zero.
    fn below(&mut self, bound: usize) -> usize {
        // Knuth's multiplier; only the upper bits are random.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}

/// Returns the text with a piece removed, inserted, repeated or cut off.
fn mutated(text: &str, numbers: &mut Numbers) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..1 + numbers.below(3) {
        let place = numbers.below(letters.len() + 1);
        let end = (place + 1 + numbers.below(8)).min(letters.len());
        match numbers.below(4) {
            0 => drop(letters.drain(place.min(end)..end)),
            1 | 2 => {
                let piece = PIECES[numbers.below(PIECES.len())];
                letters.splice(place..place, piece.chars());
            }
            _ => {
                let copy = letters[place.min(end)..end].to_vec();
                let target = numbers.below(letters.len() + 1);
                letters.splice(target..target, copy);
            }
        }
    }
    if numbers.below(20) == 0 {
        letters.truncate(numbers.below(letters.len() + 1));
    }
    letters.into_iter().collect()
}

#[test]
fn nothing_makes_the_compiler_panic() {
    let output = compile_str("kernels.toml", SOUND);
    let page = output.diagnostics.render("kernels.toml", SOUND);
    assert!(output.diagnostics.is_empty(), "{page}");

    let mut numbers = Numbers(1);
    let texts: Vec<_> =
        manifests().iter().map(|path| read(path)).chain(vec![SOUND.to_owned(); 10]).collect();
    for text in &texts {
        for _ in 0..100 {
            let mutant = mutated(text, &mut numbers);
            let compiled = catch_unwind(AssertUnwindSafe(|| {
                compile_str("kernels.toml", &mutant).diagnostics.render("kernels.toml", &mutant)
            }));
            assert!(compiled.is_ok(), "the compiler panics at this manifest:\n{mutant}");
        }
    }
}

#[test]
fn depth_and_length_are_bounded() {
    let statement = |value: &str| {
        format!(
            "[kernels.k]\nexpr = \"y[i] = {value}\"\ntensors = {{ y = \"dense\", x = \"dense\" }}\n"
        )
    };
    let deep = |open: &str, close: &str| {
        statement(&format!("{}x[i]{}", open.repeat(20_000), close.repeat(20_000)))
    };
    let manifests = [
        deep("(", ")"),
        deep("-", ""),
        deep("sum[j](", ")"),
        deep("abs(", ")"),
        deep("x[", "]"),
        deep("x[i] + ", ""),
        deep("2 * ", ""),
        deep("", " / 2"),
        format!(
            "[formats]\na = \"(i) -> ({}i{} : dense)\"\n",
            "(".repeat(20_000),
            ")".repeat(20_000)
        ),
        format!("[formats]\na = {}1{}\n", "[".repeat(20_000), "]".repeat(20_000)),
    ];
    for manifest in &manifests {
        let output = compile_str("kernels.toml", manifest);
        assert!(!output.diagnostics.is_empty());
        let page = output.diagnostics.render("kernels.toml", manifest);
        assert!(page.lines().all(|line| line.chars().count() < 250), "{page}");
    }
}
