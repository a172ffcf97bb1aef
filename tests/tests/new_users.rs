//! Tests of the output of cargo and rustc for new users: a small crate is checked, first without
//! errors and then with one error at a time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A crate in a temporary folder.
struct Project {
    folder: PathBuf,
}

const MANIFEST: &str = r#"
[defaults]
bounds = "checked"

[formats]
blocks = "(i, j) -> (i / 2 : dense, j / 2 : compressed, i % 2 : dense, j % 2 : dense)"
costs = { map = "csr", fill = "inf" }

[kernels.spmv]
expr = "y[i] = A[i,j] * x[j]"
tensors = { y = "dense", A = "csr", x = "dense" }

[kernels.spmv_wide]
expr = "y[i] = A[i,j] * x[j]"
tensors = { y = "dense", A = { map = "csr", pos = "usize", crd = "usize" }, x = "dense" }

[kernels.spmv_blocks]
expr = "y[i] = A[i,j] * x[j]"
tensors = { y = "dense", A = "blocks", x = "dense" }

[kernels.cheapest]
expr = "C[i,j] = min(A[i,j], B[i,j])"
tensors = { C = "costs", A = "costs", B = "costs" }
"#;

const BUILD: &str = "fn main() {\n    sparsegen_build::compile(\"kernels.toml\");\n}\n";

/// Returns a program whose function `main` has these lines.
fn program(lines: &str) -> String {
    format!(
        "#![forbid(unsafe_code)]
#![deny(warnings)]
use sparsegen::{{Csc, Csr, Error, Tensor}};
sparsegen::include_kernels!(mod kernels);
fn main() -> Result<(), Error> {{
    let (a, x) = (Tensor::<f64, Csr>::zeros([2, 2])?, [1.0, 2.0]);
    let _ = (kernels::spmv(&a, &x)?, kernels::spmv_blocks(&a.to()?, &x)?);
    let theirs = sprs::CsMat::new((2, 2), vec![0, 1, 1], vec![1], vec![2.0]);
    let _ = kernels::spmv_wide(&theirs, &x)?;
    let _ = (kernels::cheapest(&a.to()?, &a.to()?)?, Tensor::<f64, Csc>::zeros([2, 2])?);
    {lines}
    Ok(())
}}
"
    )
}

impl Project {
    fn new() -> Project {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new_user");
        fs::create_dir_all(folder.join("src")).expect("a folder for temporary files can be made");
        let project = Project { folder };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let path = |name: &str| root.join(name).to_string_lossy().replace('\\', "/");
        let manifest = format!(
            "[package]\nname = \"new_user\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [dependencies]\nsparsegen = {{ path = {:?}, features = [\"sprs-0_11\"] }}\n\
             sprs = {{ version = \"0.11.6\", default-features = false }}\n\n\
             [build-dependencies]\nsparsegen-build = {{ path = {:?} }}\n",
            path("sparsegen"),
            path("sparsegen-build")
        );
        project.write("Cargo.toml", &manifest);
        // The versions that are already available.
        let lock = fs::read_to_string(root.join("Cargo.lock")).expect("the workspace has one");
        project.write("Cargo.lock", &lock);
        project.restore();
        project
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.join(name), text).expect("temporary files can be written");
    }

    /// Writes the files without errors.
    fn restore(&self) {
        self.write("kernels.toml", MANIFEST);
        self.write("build.rs", BUILD);
        self.write("src/main.rs", &program(""));
    }

    /// Returns whether `cargo check` succeeds, and its output.
    fn check(&self) -> (bool, String) {
        let output = Command::new(env!("CARGO"))
            .args(["check", "--quiet", "--offline", "--color=never", "--target-dir", "target"])
            .current_dir(&self.folder)
            .env_remove("OUT_DIR")
            .output()
            .expect("cargo runs this test, too");
        // rustc shortens paths depending on the names that a crate uses.
        let shown = String::from_utf8_lossy(&output.stderr).replace("sparsegen::", "");
        (output.status.success(), shown)
    }

    /// Checks that there are errors whose output contains these words.
    fn refused(&self, words: &[&str]) -> String {
        let (succeeds, shown) = self.check();
        assert!(!succeeds, "{shown}");
        for word in words {
            assert!(shown.contains(word), "there is no `{word}` in:\n{shown}");
        }
        self.restore();
        shown
    }
}

#[test]
fn mistakes_of_new_users_are_explained() {
    let project = Project::new();
    let (succeeds, shown) = project.check();
    assert!(succeeds, "{shown}");

    // An error in the manifest is reported once, without consequential errors.
    project.write("kernels.toml", &MANIFEST.replace("A = \"csr\"", "A = \"csrr\""));
    let words = ["there is no format `csrr`", "--> kernels.toml:11:31", "did you mean `csr`?"];
    let shown = project.refused(&words);
    assert_eq!(shown.matches("there is no format").count(), 1, "{shown}");
    for unwanted in ["RUST_BACKTRACE", "--- stdout", "exit status", "panicked"] {
        assert!(!shown.contains(unwanted), "{shown}");
    }
    project.write("build.rs", &BUILD.replace("kernels.toml", "kernel.toml"));
    project.refused(&["cannot read `kernel.toml`"]);

    project.write("build.rs", "fn main() {}\n");
    let call = "it has no build script that calls `sparsegen_build::compile(\"kernels.toml\")`";
    let shown = project.refused(&["this crate has no kernels yet", call]);
    assert!(!shown.contains("couldn't read"), "{shown}");

    let call = |lines: &str, words: &[&str]| {
        project.write("src/main.rs", &program(lines));
        let shown = project.refused(words);
        assert!(!shown.contains("From<"), "{shown}");
    };
    let expected = "a tensor of `f64` in the format `Csr` is expected";
    let convert = "pass `&tensor.to::<Csr>()?`";
    call(
        "kernels::spmv(&Tensor::<f64, Csc>::zeros([2, 2])?, &x)?;",
        &[expected, "not `&Tensor<f64, Csc>`", convert],
    );
    call(
        "kernels::spmv(&Tensor::<f32, Csr>::zeros([2, 2])?, &x)?;",
        &[expected, "Tensor<f32, Csr>`", ".map_vals(|value| value as f64)"],
    );
    call("kernels::spmv(a, &x)?;", &[expected, "pass a reference: `&tensor`"]);
    call(
        "kernels::spmv(&a, &vec![1.0_f32])?;",
        &["a tensor of `f64` in the format `Dense<1>` is expected"],
    );
    call(
        "kernels::spmv_blocks(&a, &x)?;",
        &["in the format `Blocks` is expected", "pass `&tensor.to::<Blocks>()?`"],
    );
    call(
        "kernels::spmv(&theirs, &x)?;",
        &[
            expected,
            "not `&CsMatBase<f64, usize, ",
            "`{ map = \"csr\", pos = \"usize\", crd = \"usize\" }`",
        ],
    );

    // An error of an operator says which kernel to declare.
    let cube = "let cube = Tensor::<f64, sparsegen::Csf<3>>::zeros([2; 3])?;";
    for (operator, verb) in [("&cube + &cube", "adds"), ("&cube - &cube", "subtracts")] {
        let message = format!("no operator {verb} tensors in the formats `Csf<3>` and `Csf<3>`");
        call(&format!("{cube} let _ = {operator};"), &[&message, "declare a kernel: `expr = "]);
    }
    call(
        &format!("{cube} let _ = &cube * &a;"),
        &["no operator multiplies tensors in the formats `Csf<3>` and `Csr`", "A[i,k] * B[k,j]"],
    );
    call(
        "let _ = a.hadamard(&kernels::cheapest(&a.to()?, &a.to()?)?);",
        &["no operator multiplies elements of tensors in the formats `Csr` and `Costs`"],
    );
    call(
        "let _ = a.dot(&a);",
        &[
            "there is no dot product of tensors in the formats `Csr`",
            "`expr = \"s = x[i] * y[i]\"`",
        ],
    );
    call(
        "let mask = a.map(|_, value| value > 0.0); let _ = &mask * &mask;",
        &["`bool` is not a type of elements with addition", "`semiring = \"or_and\"`"],
    );
    call(
        "let _ = Tensor::<f64, sparsegen::Dia>::zeros([2, 2])?.t();",
        &["the arrays of the format `Dia` do not store a transposed matrix", "`transpose` returns"],
    );
}
