//! Tests of what each command prints.

mod support;

use std::fs;

use support::{folder, golden, output, run, run_in};

#[test]
fn usage_is_printed_on_demand_and_for_wrong_arguments() {
    let usage = output(&["--help"]);
    for command in ["new", "check", "emit", "explain", "try"] {
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
