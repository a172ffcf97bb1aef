//! The format matrix: results in every built-in and several declared formats, from operands in
//! others. `formats.txt` lists the combinations whose result is packed instead of assembled by the
//! loops, one per line: statement, format of the result, formats of the operands.

use std::fmt::Write as _;
use std::thread;

use sparsegen_build::compile_str;

const BUILTIN: [&str; 12] = [
    "dense",
    "dense_col",
    "csr",
    "csc",
    "dcsr",
    "dcsc",
    "coo",
    "csf",
    "coo_unordered",
    "hash_rows",
    "dia",
    "ell",
];

const DECLARED: [(&str, &str); 8] = [
    ("bits", "(i, j) -> (i : dense, j : bitmap)"),
    ("blocks", "(i, j) -> (i / 2 : dense, j / 3 : compressed, i % 2 : dense, j % 3 : dense)"),
    (
        "sparse_blocks",
        "(i, j) -> (i / 2 : compressed, j / 2 : compressed, i % 2 : dense, j % 2 : dense)",
    ),
    ("loose", "(i, j) -> (i : dense, j : loose_compressed)"),
    ("hashes", "(i, j) -> (i : hashed, j : hashed)"),
    ("four_of_four", "(i, j) -> (i : dense, j / 4 : dense, j % 4 : structured(4, 4))"),
    ("dense_rows", "(i, j) -> (i : compressed, j : dense)"),
    ("hash_columns", "(i, j) -> (j : dense, i : hashed)"),
];

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
        "copy" => {
            BUILTIN.into_iter().chain(DECLARED.map(|(name, _)| name)).map(|a| vec![a]).collect()
        }
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
    for result in BUILTIN.into_iter().chain(DECLARED.map(|(name, _)| name)) {
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
    assert_eq!(all, 2160);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/formats.txt");
    let known = std::fs::read_to_string(path).expect("the list is in the repository");
    if packed != known {
        std::fs::write(path, &packed).expect("the list can be written");
    }
    assert_eq!(packed, known, "`formats.txt` has been rewritten");
}
