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
    let levels = a.levels.iter().map(|level| (level.text.as_str(), level.is_full));
    assert_eq!(levels.collect::<Vec<_>>(), [("i : dense", true), ("j : compressed", false)]);
    assert_eq!(a.dimensions, ["i", "j"]);
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

#[test]
fn lines_have_the_part_of_the_loop_that_they_come_from() {
    let [spmv, add] = <[Kernel; 2]>::try_from(inspected()).expect("two kernels");
    let origins = |kernel: &Kernel, text: &str| {
        let lines = kernel.lines.iter().filter(|line| line.text.trim() == text);
        lines.map(|line| line.origin).collect::<Vec<_>>()
    };
    let at = |number, part| Some(Origin { number, part });
    assert_eq!(origins(&spmv, "for i in 0..i_size {"), [at(0, Part::Point(0))]);
    assert_eq!(origins(&spmv, "let mut sum = 0.0;"), [at(0, Part::Body(1))]);
    assert_eq!(origins(&spmv, "y_vals[i] = sum;"), [at(0, Part::Body(1))]);
    assert_eq!(origins(&spmv, "let j = a2_crd[p_a] as usize;"), [at(1, Part::Point(0))]);
    assert_eq!(origins(&spmv, "sum += a_vals[p_a] * x_vals[j];"), [at(1, Part::Body(1))]);
    assert_eq!(origins(&spmv, "y: &mut Tensor<f64, Dense<1>>,"), [None]);

    let first = origins(&add, "c_vals.push(a_vals[p_a]);");
    assert_eq!(first[..2], [at(1, Part::Body(1)), at(1, Part::Body(1))]);
    assert_eq!(origins(&add, "for p_b in p_b..p_b_end {")[0], at(1, Part::Point(2)));
    assert_eq!(origins(&add, "c2_pos.push(c2_crd.len() as u32);")[0], at(0, Part::Body(1)));
}

#[test]
fn identifiers_have_meanings() {
    let [spmv, _] = <[Kernel; 2]>::try_from(inspected()).expect("two kernels");
    let meaning = |name: &str| {
        let Meaning { of, what } = &spmv.names[name];
        format!("{} {what}", of.join(" "))
    };
    assert_eq!(meaning("a2_pos"), "A the positions of level 2");
    assert_eq!(meaning("p_a"), "A a position");
    assert_eq!(meaning("x_vals"), "x the values");
    assert_eq!(meaning("j"), "j ");
    assert_eq!(meaning("i_size"), "i the extent");
    let tensors = ["A", "x"].map(|name| Argument::Tensor(name.to_owned()));
    assert_eq!(spmv.arguments, tensors);
    let markers: Vec<_> = spmv.tensors.iter().map(|tensor| tensor.marker.as_str()).collect();
    assert_eq!(markers, ["Dense<1>", "Csr", "Dense<1>"]);
}

/// Marks may hinder a pass; most lines are the same.
#[test]
fn the_source_is_the_compiled_one_and_has_origins() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden");
    let (mut loops, mut linked) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("golden files").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let kernels = Compiler::new().inspect("kernels.toml", &text).expect("it compiles").kernels;
        for kernel in &kernels {
            let lines: String =
                kernel.lines.iter().map(|line| format!("{}\n", line.text)).collect();
            assert_eq!(lines, kernel.source);
            let numbers = kernel.statements.iter().flat_map(|statement| &statement.loops);
            let has_lines = |number: usize| {
                let mut origins = kernel.lines.iter().flat_map(|line| line.origin);
                origins.any(|origin| origin.number == number)
            };
            let count = numbers.clone().count();
            let with_lines = numbers.filter(|inner| has_lines(inner.number)).count();
            assert!(with_lines > 0, "{}", path.display());
            (loops, linked) = (loops + count, linked + with_lines);
        }
        if let [kernel] = &kernels[..] {
            assert_eq!(kernel.source, crate::compile_str("kernels.toml", &text).source);
        }
    }
    assert!(3 * linked >= 2 * loops, "{linked} of {loops} loops have lines");
}
