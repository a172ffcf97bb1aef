//! Tests of every operator and function with every element type: either the kernel computes the
//! right result without a warning of rustc, or the manifest is refused with a place and advice.

use std::fmt::Write as _;

use sparsegen_build::{Diagnostic, Dtype, compile_str};
use sparsegen_harness::corpus;
use sparsegen_harness::rustc::type_check;
use sparsegen_harness::trial::{Failure, failure_of_case};

/// Statements into a sparse result `C`, with operands of type `T`, except `M`, which is of bools.
const ENTRIES: [&str; 66] = [
    "A[i,j] + B[i,j]",
    "A[i,j] - B[i,j]",
    "A[i,j] * B[i,j]",
    "A[i,j] / B[i,j]",
    "A[i,j] & B[i,j]",
    "A[i,j] | B[i,j]",
    "xor(A[i,j], B[i,j])",
    "-A[i,j]",
    "!A[i,j]",
    "A[i,j] < B[i,j]",
    "A[i,j] <= B[i,j]",
    "A[i,j] == B[i,j]",
    "A[i,j] != B[i,j]",
    "A[i,j] > 0",
    "A[i,j] == 1",
    "A[i,j] < i",
    "A[i,j] + 1",
    "A[i,j] * 2",
    "A[i,j] & 1",
    "A[i,j] | 1",
    "xor(A[i,j], 1)",
    "A[i,j] & 3 & B[i,j]",
    "!(A[i,j] & B[i,j])",
    "A[i,j] * i",
    "A[i,j] * (i >= j)",
    "A[i,j] * (i >= j) * (j >= 1)",
    "(A[i,j] != 0) * (B[i,j] != 0)",
    "(A[i,j] != 0) + (B[i,j] != 0)",
    "A[i,j] * M[i,j]",
    "A[i,j] + M[i,j]",
    "M[i,j] * M[i,j]",
    "M[i,j] + M[i,j]",
    "M[i,j] - M[i,j]",
    "M[i,j] / M[i,j]",
    "-M[i,j]",
    "!M[i,j] * A[i,j]",
    "A[i,j] & M[i,j]",
    "xor(A[i,j], M[i,j])",
    "abs(M[i,j])",
    "square(M[i,j])",
    "M[i,j] > i",
    "M[i,j] * A[i,j] > 0",
    "select(A[i,j] != 0, B[i,j], 1)",
    "select(M[i,j], A[i,j], B[i,j])",
    "select(A[i,j], A[i,j], B[i,j])",
    "present(A[i,j]) * B[i,j]",
    "absent(A[i,j]) * B[i,j]",
    "present(A[i,j])",
    "replace(A[i,j], B[i,j])",
    "min(A[i,j], B[i,j])",
    "max(A[i,j], B[i,j])",
    "pow(A[i,j], 2)",
    "rem(A[i,j], 3)",
    "rem(B[i,j], i + 1)",
    "atan2(A[i,j], B[i,j])",
    "hypot(A[i,j], B[i,j])",
    "conj(A[i,j])",
    "re(A[i,j]) + im(A[i,j])",
    "arg(A[i,j])",
    "bool(A[i,j])",
    "i & j",
    "sqrt(i)",
    "sqrt(A[i,j] - 1)",
    "abs(sqrt(A[i,j] - 1)) * B[i,j]",
    "ln(A[i,j] - 2)",
    "asin(A[i,j] + 2)",
];

/// Functions of one argument.
const FUNCTIONS: [&str; 28] = [
    "abs", "sqrt", "cbrt", "exp", "exp2", "expm1", "ln1p", "sin", "cos", "tan", "asin", "acos",
    "atan", "sinh", "cosh", "tanh", "asinh", "floor", "ceil", "round", "trunc", "sign", "square",
    "cube", "ln", "log2", "log10", "recip",
];

/// Statements into a dense result `y`.
const SUMS: [&str; 14] = [
    "y[i] = A[i,j] * x[j]",
    "y[i] = sum[j](A[i,j])",
    "y[i] = prod[j](A[i,j])",
    "y[i] = min[j](A[i,j])",
    "y[i] = max[j](A[i,j])",
    "y[i] = any[j](A[i,j])",
    "y[i] = all[j](A[i,j])",
    "y[i] = argmin[j](A[i,j])",
    "y[i] = sum[j](M[i,j])",
    "y[i] = max[j](M[i,j])",
    "y[i] += x[i]",
    "y[i] -= x[i]",
    "y[i] *= x[i]",
    "y[i] max= x[i]",
];

/// Returns the cases with operands of a type, as lines of the corpus.
fn cases(dtype: &str) -> Vec<String> {
    let mut cases = Vec::new();
    let real = match dtype {
        "c64" => "f64",
        "c32" => "f32",
        real => real,
    };
    // The result may have the type of the operands, bools, or real parts.
    let results = |value: &str| {
        let is_call =
            value.starts_with(|c: char| c.is_ascii_lowercase()) && !value.contains("ent(");
        let other = if is_call { real } else { "bool" };
        if other == dtype { vec![dtype] } else { vec![dtype, other] }
    };
    let functions = FUNCTIONS.iter().map(|name| format!("{name}(A[i,j])"));
    let conversions = Dtype::ALL.iter().filter(|to| **to != Dtype::Generic);
    for value in ENTRIES.iter().map(|entry| (*entry).to_owned()).chain(functions) {
        for result in results(&value) {
            cases.push(format!(
                "C[i,j] = {value}\n    {}",
                operands(&value, "C=csr", dtype, result)
            ));
        }
    }
    for to in conversions {
        let value = format!("{to}(A[i,j])");
        cases
            .push(format!("C[i,j] = {value}\n    {}", operands(&value, "C=csr", dtype, to.name())));
    }
    for statement in SUMS {
        let result = if statement.contains("arg") { "usize" } else { dtype };
        for result in [result, "bool"] {
            cases.push(format!(
                "{statement}\n    {}",
                operands(statement, "y=dense", dtype, result)
            ));
        }
    }
    cases
}

/// Returns the formats of the tensors in a statement.
fn operands(statement: &str, own: &str, dtype: &str, result: &str) -> String {
    let mut operands = format!("{own}:{result}");
    for (name, format) in [("A", "csr"), ("B", "csr"), ("x", "dense")] {
        if statement.replace("max[", "").contains(&format!("{name}[")) {
            let _ = write!(operands, " {name}={format}:{dtype}");
        }
    }
    if statement.contains("M[") {
        operands.push_str(" M=csr:bool");
    }
    operands
}

/// Returns whether every case is selected, `SPARSEGEN_CORPUS=/`, which takes minutes.
fn wants_all() -> bool {
    std::env::var("SPARSEGEN_CORPUS").is_ok_and(|wanted| wanted == "/")
}

/// Checks the cases of some types: unless all are selected, every third, starting with another one
/// for each type.
fn check(dtypes: &[&str]) {
    let (mut source, mut accepted, mut faults) = (String::new(), 0, Vec::new());
    let step = if wants_all() { 1 } else { 3 };
    for (number, dtype) in dtypes.iter().enumerate() {
        let (mut computed, mut refused) = (0, 0);
        for lines in cases(dtype).into_iter().skip(number % step).step_by(step) {
            let case = corpus::parse("operators", &format!("k: {lines}\n")).expect(&lines);
            let case = case.into_iter().next().expect(&lines);
            let output = compile_str("kernels.toml", &case.manifest);
            if !output.diagnostics.is_empty() {
                refused += 1;
                let has_advice =
                    |mistake: &Diagnostic| mistake.span.is_some() && mistake.help.is_some();
                if !output.diagnostics.iter().all(has_advice) {
                    faults.push(output.diagnostics.render("kernels.toml", &case.manifest));
                }
                continue;
            }
            // Updates are checked by the corpus.
            let changes = ["+= ", "-= ", "*= ", "max= "].iter().any(|sign| lines.contains(sign));
            let failure = if changes { None } else { failure_of_case(&case) };
            match failure {
                None => {
                    let code = output.source;
                    let _ = writeln!(source, "pub mod m{accepted} {{ // {lines:?}\n{code}}}");
                    (accepted, computed) = (accepted + 1, computed + 1);
                }
                // Errors of calls, which operands of any kind may cause, and cases that the oracle
                // does not support.
                Some(Failure::Wrong(reason))
                    if ["division by zero", "should for Empty", "the oracle cannot determine"]
                        .iter()
                        .any(|fault| reason.contains(fault)) => {}
                Some(Failure::Wrong(reason)) => {
                    faults.push(format!("{lines}\n{}", reason.lines().last().unwrap_or_default()));
                }
                Some(Failure::Panic(shown) | Failure::Refusal(shown) | Failure::Case(shown)) => {
                    faults.push(shown)
                }
            }
        }
        assert!(computed * step > 30 && refused * step > 10, "{dtype}: {computed} {refused}");
    }
    if let Err(errors) = type_check(&source) {
        faults.push(errors);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn floats() {
    check(&["f64", "f16"]);
}

#[test]
fn integers() {
    check(&["i32", "u8"]);
}

#[test]
fn bools() {
    check(&["bool"]);
}

#[test]
fn complex_numbers() {
    check(&["c64"]);
}

#[test]
fn what_the_caller_chooses() {
    check(&["generic"]);
}

/// Types that differ from the others only in their size.
#[test]
fn other_widths() {
    if wants_all() {
        check(&["f32", "bf16", "i8", "i16", "i64", "u16", "u32", "u64", "usize", "c32"]);
    }
}
