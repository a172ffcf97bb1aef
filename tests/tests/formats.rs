//! The format matrix: results in every built-in and several declared formats, from operands in
//! others. `formats.txt` lists the combinations whose result is packed instead of assembled by the
//! loops, one per line: statement, format of the result, formats of the operands.

use std::fmt::Write as _;
use std::thread;

use sparsegen_build::compile_str;
use sparsegen_harness::formats::{DECLARED, names};

const STATEMENTS: [(&str, &str); 5] = [
    ("multiply", "C[i,j] = A[i,k] * B[k,j]"),
    ("add", "C[i,j] = A[i,j] + B[i,j]"),
    ("intersect", "C[i,j] = A[i,j] * B[i,j]"),
    ("add_transposed", "C[i,j] = A[i,j] + B[j,i]"),
    ("copy", "C[i,j] = A[i,j]"),
];

/// Returns the formats of the operands with which a statement is tried.
fn operands(statement: &str) -> Vec<Vec<&'static str>> {
    match statement {
        "copy" => names().map(|a| vec![a]).collect(),
        _ => {
            let of_builtin = [
                ["csr", "csr"],
                ["csc", "csc"],
                ["coo", "dcsr"],
                ["coo_unordered", "csf"],
                ["dia", "dia"],
                ["ell", "hash_rows"],
            ];
            let of_declared = DECLARED.iter().flat_map(|(a, _)| [[*a, *a], ["csr", *a]]);
            of_builtin.into_iter().chain(of_declared).map(Vec::from).collect()
        }
    }
}

/// Returns how many combinations of a statement there are, and those whose result is packed.
fn packed((name, expr): (&str, &str)) -> (usize, String) {
    let (mut all, mut packed) = (0, String::new());
    for result in names() {
        for operands in operands(name) {
            let mut tensors = format!("C = \"{result}\"");
            for (operand, format) in ["A", "B"].iter().zip(&operands) {
                let _ = write!(tensors, ", {operand} = \"{format}\"");
            }
            let used = |(format, _): &&(&str, &str)| *format == result || operands.contains(format);
            let formats: Vec<String> = DECLARED
                .iter()
                .filter(used)
                .map(|(format, map)| format!("{format} = \"{map}\"\n"))
                .collect();
            let manifest = format!(
                "[formats]\n{}[kernels.{name}]\nexpr = \"{expr}\"\ntensors = {{ {tensors} }}\n",
                formats.concat()
            );
            let output = compile_str("kernels.toml", &manifest);
            let shown = output.diagnostics.render("kernels.toml", &manifest);
            assert!(output.diagnostics.is_empty(), "{shown}");
            all += 1;
            if output.source.contains("then packed.") {
                let _ = writeln!(packed, "{name} {result} {}", operands.join(" "));
            }
        }
    }
    (all, packed)
}

#[test]
fn results_are_packed_only_where_it_is_known() {
    let found: Vec<(usize, String)> = thread::scope(|scope| {
        let handles = STATEMENTS.map(|statement| scope.spawn(move || packed(statement)));
        handles.into_iter().map(|handle| handle.join().expect("all kernels compile")).collect()
    });
    let all: usize = found.iter().map(|(all, _)| all).sum();
    let packed: String = found.into_iter().map(|(_, packed)| packed).collect();
    assert_eq!(all, 2457);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/formats.txt");
    let known = std::fs::read_to_string(path).expect("the list is in the repository");
    if packed != known {
        std::fs::write(path, &packed).expect("the list can be written");
    }
    assert_eq!(packed, known, "`formats.txt` has been rewritten");
}
