//! Tests of inspections.

use super::*;

const MANIFEST: &str = r#"
[kernels.spmv]
expr = "y[i] = A[i,j] * x[j]"
tensors = { y = "dense", A = "csr", x = "dense" }

[kernels.add]
expr = "C[i,j] = A[i,j] + B[i,j]"
tensors = { C = "csr", A = "csr", B = "csr" }
"#;

fn inspected() -> Vec<Kernel> {
    Compiler::new().inspect("kernels.toml", MANIFEST).expect("a manifest").kernels
}

#[test]
fn regions_and_merge_points_have_reasons() {
    let [spmv, add] = <[Kernel; 2]>::try_from(inspected()).expect("two kernels");
    let inner = &spmv.statements[0].loops[1];
    assert_eq!((inner.variable.as_str(), inner.depth), ("j", 1));
    assert_eq!(inner.iterators, ["A2", "x1"]);
    let fates: Vec<_> = inner.regions.iter().map(|region| region.reason.as_str()).collect();
    let expected = [
        "",
        "no coordinate is in it: `x1` has them all",
        "the statement has no effect without `A2`",
        "no coordinate is in it: `x1` has them all",
    ];
    assert_eq!(fates, expected);
    let fates: Vec<_> = inner.candidates.iter().map(|point| point.reason.as_str()).collect();
    let expected =
        ["", "never reached: `x1` has every coordinate", "nothing is left to compute after `A2`"];
    assert_eq!(fates, expected);
    assert_eq!(inner.iterations, "nnz(A)");

    let inner = &add.statements[0].loops[1];
    let points: Vec<_> = inner.candidates.iter().map(|point| point.point).collect();
    assert_eq!(points, [Some(0), Some(1), Some(2)]);
    let expected = ["C[i,j] = A[i,j]", "C[i,j] = B[i,j]", "C[i,j] = A[i,j] + B[i,j]"];
    assert_eq!(inner.bodies[1..], expected);
}

#[test]
fn each_kernel_has_its_report_and_its_own_source() {
    let [spmv, add] = <[Kernel; 2]>::try_from(inspected()).expect("two kernels");
    assert_eq!(spmv.time, "Time: O(i + nnz(A)).");
    assert!(spmv.source.contains("pub fn spmv<") && !spmv.source.contains("fn add"));
    assert!(add.source.contains("pub fn add<") && !add.source.contains("fn spmv"));
    let [y, a, _] = &spmv.tensors[..] else { panic!("{:?}", spmv.tensors) };
    assert!(y.is_result && !a.is_result);
    assert_eq!(a.levels, ["i : dense", "j : compressed"]);
    assert_eq!(a.modes, ["i", "j"]);
}

#[test]
fn only_passes_that_change_something_are_listed() {
    let [spmv, add] = <[Kernel; 2]>::try_from(inspected()).expect("two kernels");
    assert_eq!(spmv.statements[0].passes().count(), 0);
    let names: Vec<_> = add.statements[0].passes().map(|(_, pass)| pass.name.clone()).collect();
    assert_eq!(names, ["copy propagation", "dead-code elimination"]);
}

#[test]
fn mistakes_are_returned() {
    let mistakes = Compiler::new().inspect("kernels.toml", "[kernels.a]\nexpr = 1\n");
    assert!(!mistakes.expect_err("an error").is_empty());
}
