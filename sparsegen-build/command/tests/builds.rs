//! Tests that build crates, with what is in the workspace's target folder as far as possible.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use support::{folder, run_in};

/// The folder in which the crate of a new user is built by another test, too.
const TARGET: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/new_user/target");

/// Tests that build with the same target folder take turns.
static TURN: Mutex<()> = Mutex::new(());

#[test]
fn a_new_crate_builds_and_runs() {
    let _turn = TURN.lock();
    let folder = folder("new");
    let made = run_in(&folder, &["new", "first"]);
    assert!(made.succeeds, "{}", made.errors);
    // The versions that are already available.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let crate_folder = folder.join("first");
    fs::copy(root.join("Cargo.lock"), crate_folder.join("Cargo.lock")).expect("a lock file");
    let ran = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline", "--target-dir", TARGET])
        .current_dir(&crate_folder)
        .env_remove("OUT_DIR")
        .output()
        .expect("cargo runs this test, too");
    let (output, errors) =
        (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{errors}");
    assert!(output.starts_with("A x = [20.0, 301.0]\nA + A =\n"), "{output}");
    assert_eq!(errors, "", "a new crate builds without warnings");
}

#[test]
fn kernels_are_timed_on_files_and_formats_are_compared() {
    let _turn = TURN.lock();
    let folder = folder("bench");
    let entries = (1..=60).flat_map(|i| [(i, i, 2.0), (i, i * 7 % 60 + 1, 1.0)]);
    let lines: String = entries.map(|(i, j, value)| format!("{i} {j} {value}\n")).collect();
    let matrix = format!("%%MatrixMarket matrix coordinate real general\n60 60 120\n{lines}");
    fs::write(folder.join("matrix.mtx"), matrix).expect("a file");
    let kernels = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels.toml");
    // With the profile and the folder of the other test, little is built.
    let options = ["--profile", "dev", "--target-dir", TARGET];
    let run = |command: &str, kernel: &str| {
        let arguments = [&[command, kernel, "matrix.mtx", kernels][..], &options].concat();
        let ran = run_in(&folder, &arguments);
        assert!(ran.succeeds, "{}{}", ran.output, ran.errors);
        ran.output
    };
    let shown = run("bench", "spmv");
    assert!(shown.starts_with("A: ") && shown.contains("matrix.mtx, 60 × 60, 1"), "{shown}");
    assert!(shown.contains("\nx: made, 60, random values\n"), "{shown}");
    assert!(shown.contains("\nspmv: ") && shown.contains("(median of "), "{shown}");
    assert!(shown.ends_with("\ntime: O(i + nnz(A)).\n"), "{shown}");

    let shown = run("advise", "spmv");
    for row in ["A=csr (the manifest)", "A=csc", "A=coo", "A=dcsr", "A=dcsc", "A=ell"] {
        assert!(
            shown.lines().any(|line| line.starts_with(row) && line.contains(" ×   ")),
            "{shown}"
        );
    }
    let last = shown.lines().last().unwrap_or_default();
    assert!(last.contains("fastest"), "{shown}");

    let missing = run_in(&folder, &["bench", "spmv", "none.mtx", kernels]);
    assert!(!missing.succeeds && missing.errors.contains("none.mtx"), "{}", missing.errors);
    let missing = run_in(&folder, &["bench", "spmv", kernels]);
    assert!(!missing.succeeds && missing.errors.contains("a file is missing"));
}

/// The library of a package, with a function and an element type that kernels use.
const LIBRARY: &str = r"
use std::fmt;
use std::ops::{Add, AddAssign, Mul};

use sparsegen::{Fill, Value};

pub mod functions {
    pub fn huber(x: f64) -> f64 {
        if x.abs() < 1.0 { x * x } else { 2.0 * x.abs() - 1.0 }
    }
}

/// An integer modulo 7.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mod7(u64);

impl Add for Mod7 {
    type Output = Mod7;
    fn add(self, other: Mod7) -> Mod7 {
        Mod7((self.0 + other.0) % 7)
    }
}

impl AddAssign for Mod7 {
    fn add_assign(&mut self, other: Mod7) {
        *self = *self + other;
    }
}

impl Mul for Mod7 {
    type Output = Mod7;
    fn mul(self, other: Mod7) -> Mod7 {
        Mod7(self.0 * other.0 % 7)
    }
}

impl fmt::Display for Mod7 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Value for Mod7 {
    const ZERO: Mod7 = Mod7(0);
    const ONE: Mod7 = Mod7(1);
    fn filled(fill: Fill) -> Mod7 {
        Mod7(fill.to_f64() as u64 % 7)
    }
    fn sum(self, other: Mod7) -> Mod7 {
        self + other
    }
}
";

/// Kernels of all kinds of element types, arguments and results.
const OF_LIBRARY: &str = r#"
[functions.huber]
path = "crate::functions::huber"
args = ["x"]

[kernels.loss]
expr = "s = sum[i,j](huber(A[i,j]))"
tensors = { A = "csr" }

[kernels.modular]
expr = "y[i] = A[i,j] * x[j]"
dtype = "crate::Mod7"
tensors = { y = "dense", A = "csr", x = "dense" }

[kernels.reach]
expr = "y[i] = A[i,j] * x[j]"
dtype = "bool"
semiring = "or_and"
tensors = { y = "dense", A = "csr", x = "dense" }

[kernels.wave]
expr = "y[i] = A[i,j] * x[j]"
dtype = "c64"
tensors = { y = "dense", A = "csr", x = "dense" }

[kernels.short]
expr = "y[i] = A[i,j] * x[j]"
dtype = "bf16"
tensors = { y = "dense", A = "csr", x = "dense" }

[kernels.rows]
expr = "y[i] += alpha * A[i in rows,j in 0..n] * x[j]"
tensors = { y = "dense", A = { format = "csr", values = "one" }, x = "dense" }
params = { rows = "indices", n = "index" }
"#;

#[test]
fn kernels_may_have_any_types_and_arguments() {
    let _turn = TURN.lock();
    let folder = folder("library");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let checkout = root.canonicalize().expect("the checkout");
    let cargo = format!(
        "[package]\nname = \"my-model\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nsparsegen = {{ path = {:?} }}\n\n[workspace]\n",
        checkout.join("sparsegen").display().to_string()
    );
    fs::create_dir_all(folder.join("src")).expect("a folder");
    let matrix = "%%MatrixMarket matrix coordinate real general\n4 4 3\n1 1 2.5\n2 3 1\n4 4 -1\n";
    let files = [
        ("Cargo.toml", cargo.as_str()),
        ("src/lib.rs", LIBRARY),
        ("kernels.toml", OF_LIBRARY),
        ("matrix.mtx", matrix),
    ];
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("a file");
    }
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("a lock file");
    let options = ["--profile", "dev", "--target-dir", TARGET];
    let run = |command: &str, kernel: &str, more: &[&str]| {
        let arguments = [&[command, kernel, "matrix.mtx"], more, &options].concat();
        run_in(&folder, &arguments)
    };
    for kernel in ["loss", "modular", "reach", "wave", "short"] {
        let ran = run("bench", kernel, &[]);
        assert!(ran.succeeds, "{kernel}: {}{}", ran.output, ran.errors);
        assert!(ran.output.contains(&format!("\n{kernel}: ")), "{}", ran.output);
    }
    let ran = run("bench", "rows", &["--size", "n=3,j=3,rows=2,i=2"]);
    assert!(ran.succeeds, "{}{}", ran.output, ran.errors);
    for line in ["\nrows: the first 2 coordinates\n", "\nn: 3\n", "\nrows: "] {
        assert!(ran.output.contains(line), "{}", ran.output);
    }
    let beyond = run("bench", "rows", &["--size", "n=5,j=5"]);
    assert!(!beyond.succeeds && beyond.errors.contains("the slice 0..5"), "{}", beyond.errors);
    let advice = run("advise", "modular", &[]);
    assert!(advice.succeeds && advice.output.contains("\nA=dcsr "), "{}", advice.errors);

    // Kernels can use a library only.
    fs::rename(folder.join("src/lib.rs"), folder.join("src/main.rs")).expect("a file");
    let hidden = run("bench", "loss", &[]);
    let reason = "the package `my-model` has no library\nhelp: move `functions` to `src/lib.rs`";
    assert!(!hidden.succeeds && hidden.errors.contains(reason), "{}", hidden.errors);
}
