//! Tests of what each command prints.

mod support;

use std::fs;

use support::{folder, golden, output, run, run_in};

#[test]
fn usage_is_printed_on_demand_and_for_wrong_arguments() {
    let usage = output(&["--help"]);
    for command in
        ["new", "check", "emit", "explain", "try", "formats", "bench", "advise", "diff", "fmt"]
    {
        assert!(usage.contains(&format!("\n  {command} ")), "{command}");
        let help = output(&[command, "--help"]);
        assert!(help.starts_with(&format!("usage: sparsegen {command} ")), "{help}");
    }
    let wrong = run(&["exclaim"]);
    assert!(!wrong.succeeds && wrong.errors.contains("there is no command `exclaim`"));
    let wrong = run(&["check", "--stages"]);
    assert!(!wrong.succeeds && wrong.errors.contains("there is no option `--stages`"));
    let wrong = run(&["check", "a.toml", "b.toml"]);
    assert!(!wrong.succeeds && wrong.errors.contains("more than one manifest"));
}

#[test]
fn a_manifest_is_checked() {
    assert_eq!(output(&["check"]), "kernels.toml: 3 kernels compile\n");
    let folder = folder("check");
    fs::write(
        folder.join("wrong.toml"),
        "[kernels.a]\nexpr = \"y[i] = A[i,j]\"\ntensors = { y = \"dense\", A = \"crs\" }\n",
    )
    .expect("a file");
    let wrong = run_in(&folder, &["check", "wrong.toml"]);
    assert!(!wrong.succeeds);
    assert!(wrong.errors.contains("there is no format `crs`"), "{}", wrong.errors);
    assert!(wrong.errors.contains("wrong.toml:3:"), "{}", wrong.errors);
    let missing = run_in(&folder, &["check"]);
    assert!(missing.errors.starts_with("error: cannot read `kernels.toml`: "));
}

#[test]
fn codes_of_diagnostics_are_explained() {
    let page = output(&["explain", "sg0501"]);
    assert_eq!(Some(page.as_str()), sparsegen_build::explain_code("SG0501"));
}

#[test]
fn kernels_are_emitted_together_and_alone() {
    let all = output(&["emit"]);
    assert!(all.contains("pub fn spmv<") && all.contains("pub fn add<"));
    let one = output(&["emit", "add"]);
    assert!(!one.contains("pub fn spmv<") && one.contains("pub fn add<"));
    let unknown = run(&["emit", "sub"]);
    let expected = "error: there is no kernel `sub` in `kernels.toml`; its kernels are `spmv`, `add`, \
                    `spgemm`\n";
    assert_eq!((unknown.succeeds, unknown.errors.as_str()), (false, expected));
}

/// Returns the text before the generated source, which other tests have.
fn before_source(text: &str) -> &str {
    let end = text.find("source\n").expect("the source comes last");
    &text[..end]
}

#[test]
fn decisions_are_explained() {
    golden("explain.txt", &output(&["explain"]));
    golden("explain_add.txt", &output(&["explain", "add"]));
    golden("explain_spmv_stages.txt", before_source(&output(&["explain", "spmv", "--stages"])));
}

#[test]
fn warnings_are_those_of_the_kernels_that_are_named() {
    let folder = folder("warnings");
    fs::write(
        folder.join("kernels.toml"),
        "[kernels.sums]\nexpr = \"y[j] = sum[i](A[i,j] + B[j,i])\"\n\
         tensors = { y = \"dense\", A = \"csr\", B = \"csr\" }\n\
         [kernels.plain]\nexpr = \"y[i] = A[i,j]\"\ntensors = { y = \"dense\", A = \"csr\" }\n",
    )
    .expect("a file");
    let warned = |words: &[&str]| run_in(&folder, words).errors.contains("every call of `sums`");
    assert!(warned(&["check"]) && warned(&["explain"]) && warned(&["explain", "sums"]));
    assert!(!warned(&["explain", "plain"]) && !warned(&["emit", "plain"]));
}

#[test]
fn expressions_are_tried_without_a_manifest() {
    let shown = output(&["try", "y[i] = A[i,j] * x[j]", "A=csr"]);
    golden("try_spmv.txt", before_source(&shown));
    assert!(shown.contains("sum += a_vals[p_a] * x_vals[j];"), "{shown}");
    let shown = output(&["try", "C[i,j] = A[i,k] * B[k,j]", "A=coo", "--dtype", "f32"]);
    assert!(shown.starts_with("assumed: C=csr B=csr\n"), "{shown}");
    assert!(shown.contains("\ndtype = \"f32\"\n") && shown.contains("pub fn tried<"), "{shown}");
    let wrong = run(&["try", "y[i] = A[i,j] * x[j]", "B=csr"]);
    assert!(wrong.errors.contains("there is no tensor `B`; its tensors are `y`, `A`, `x`"));
    let wrong = run(&["try", "y[i] = A[i,j] * ", "A=csr"]);
    assert!(!wrong.succeeds && wrong.errors.contains("kernels.toml:2:"), "{}", wrong.errors);
}

#[test]
fn files_are_not_replaced() {
    let folder = folder("new_twice");
    let first = run_in(&folder, &["new", "made"]);
    assert!(first.succeeds && first.output.contains("run it with `cd made; cargo run`"));
    assert!(run_in(&folder.join("made"), &["check"]).succeeds);
    let second = run_in(&folder, &["new", "made"]);
    assert!(second.errors.contains("exists, and is not replaced"), "{}", second.errors);
    let wrong = run_in(&folder, &["new", "other", "--checkout", "made"]);
    assert!(wrong.errors.contains("`made` is no checkout of sparsegen"), "{}", wrong.errors);
}

const LOOSE: &str = "\n# Kernels.\n[kernels.spmv]\nexpr=\"y[i]=A[i , j]*x[j]\" # a product\n\n\n\
                     tensors={y=\"dense\",A=\"csr\",x=\"dense\"}\n";

#[test]
fn a_manifest_is_formatted() {
    let folder = folder("fmt");
    let path = folder.join("kernels.toml");
    fs::write(&path, LOOSE).expect("a file");
    let loose = run_in(&folder, &["fmt", "--check"]);
    assert!(!loose.succeeds && loose.errors.contains("kernels.toml:1 is not formatted"));
    assert_eq!(fs::read_to_string(&path).expect("a file"), LOOSE);
    assert_eq!(run_in(&folder, &["fmt"]).output, "formatted kernels.toml\n");
    let expected = "# Kernels.\n[kernels.spmv]\nexpr = \"y[i] = A[i,j] * x[j]\" # a product\n\n\
                    tensors = { y = \"dense\", A = \"csr\", x = \"dense\" }\n";
    assert_eq!(fs::read_to_string(&path).expect("a file"), expected);
    assert!(run_in(&folder, &["fmt", "--check"]).succeeds);
    fs::write(&path, "a = [1\n").expect("a file");
    let wrong = run_in(&folder, &["fmt"]);
    assert!(wrong.errors.contains("kernels.toml:2: a bracket is not closed"), "{}", wrong.errors);
}

#[test]
fn manifests_of_this_repository_are_formatted() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    for name in [
        "example-app/kernels.toml",
        "tests/benches/benchmarks.toml",
        "sparsegen/src/operators/kernels.toml",
        "sparsegen-build/command/template/kernels.toml",
        "tests/golden/add_csr.toml",
        "tests/golden/csr_to_bcsr.toml",
    ] {
        let path = format!("{root}/{name}");
        let checked = run(&["fmt", "--check", &path]);
        assert!(checked.succeeds, "{}", checked.errors);
    }
}

#[test]
fn manifests_are_compared() {
    let folder = folder("diff");
    let new = "[kernels.spmv]\nexpr = \"y[i] = A[i,j] * x[j]\"\ntensors = { y = \"dense\", A = \"csc\", x = \"dense\" }\n\n\
               [kernels.spgemm]\nexpr = \"C[i,j] = A[i,k] * B[k,j]\"\ntensors = { C = \"csr\", A = \"csr\", B = \"csr\" }\n\n\
               [kernels.total]\nexpr = \"s = A[i,j]\"\ntensors = { A = \"csr\" }\n";
    let path = folder.join("new.toml");
    fs::write(&path, new).expect("a file");
    let path = path.display().to_string();
    let shown = output(&["diff", "kernels.toml", &path]);
    let (decisions, code) = shown.split_once("code: ").expect("the code differs");
    golden("diff.txt", decisions);
    assert!(code.contains("\n    - use sparsegen::{Csr, Dense, Error, IntoView, Tensor, View};\n"));
    let end = "━━ add: removed\n━━ total: added\nTime: O(i + nnz(A)).\n\n1 kernel is the same\n";
    assert!(code.ends_with(end), "{code}");
    assert_eq!(output(&["diff", "kernels.toml", "kernels.toml"]), "3 kernels are the same\n");
    let wrong = run(&["diff", "kernels.toml"]);
    assert!(!wrong.succeeds && wrong.errors.contains("two manifests are needed"));
}

#[test]
fn tensors_are_drawn_in_each_format() {
    let folder = folder("formats");
    let matrix =
        "%%MatrixMarket matrix coordinate real general\n3 4 4\n1 2 2.5\n3 1 1\n3 2 -3\n3 4 4\n";
    fs::write(folder.join("small.mtx"), matrix).expect("a file");
    let drawn = run_in(&folder, &["formats", "small.mtx"]);
    assert!(drawn.succeeds, "{}", drawn.errors);
    golden("formats.txt", &drawn.output);
    // A matrix whose dense form is much larger than its entries is not stored in it.
    let sparse = "%%MatrixMarket matrix coordinate real general\n100000 100000 1\n7 9 1\n";
    fs::write(folder.join("sparse.mtx"), sparse).expect("a file");
    let drawn = run_in(&folder, &["formats", "sparse.mtx"]);
    assert!(drawn.output.contains("not stored: it has 10000000000 values"), "{}", drawn.output);
    fs::write(folder.join("cube.tns"), "1 1 2 1.0\n2 3 1 2.0\n").expect("a file");
    let drawn = run_in(&folder, &["formats", "cube.tns"]);
    assert!(drawn.output.starts_with("2 × 3 × 2, 2 entries\n"), "{}", drawn.output);
    let missing = run_in(&folder, &["formats", "none.mtx"]);
    assert!(!missing.succeeds && missing.errors.contains("none.mtx"), "{}", missing.errors);
}
