//! The work by which loops are divided among threads.

use crate::compile_str;

/// Returns the name of the function that divides the loops, and the work before a coordinate or
/// position, as the generated source computes it, without spaces.
fn divided(expr: &str, tensors: &str, keys: &str) -> (String, String) {
    let manifest = format!(
        "{FORMATS}[kernels.k]\nexpr = \"{expr}\"\ntensors = {{ {tensors} }}\nparallel = true\n{keys}"
    );
    let output = compile_str("kernels.toml", &manifest);
    let source: String = output.source.split_whitespace().collect();
    let (_, after) = source.split_once("parts=kernel::").expect("a divided loop");
    let (by, _) = after.split_once('(').expect("a call");
    let (_, work) = after.split_once('|').expect("the work is a closure");
    let (_, work) = work.split_once('|').expect("the closure has an argument");
    // Up to the end of the call.
    let mut open = 1;
    let is_end = |c: char| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open == 0
    };
    let end = work.find(is_end).expect("the end of the call");
    let work = work[..end].trim_end_matches(',');
    (by.to_owned(), work.trim_start_matches('{').trim_end_matches('}').to_owned())
}

#[test]
fn work_has_the_steps_of_the_loops() {
    for (expr, tensors, keys, expected) in CASES {
        assert_eq!(divided(expr, tensors, keys).1, *expected, "{expr} with {tensors}");
    }
}

#[test]
fn sums_are_not_rounded_by_the_number_of_threads() {
    // Each part adds the value of its coordinates without entries once.
    let rest = "R[i,j] = sum[k](ln1p(replace(1, A[j,i]) + present(D[k,i]) * z[k]))";
    let formats = "A = 'dcsc', z = 'sparse_vector', D = 'csr', R = 'coo_unordered'";
    let order = "schedule = ['reorder(k, i, j)']";
    assert_eq!(divided(rest, formats, order).0, "few_parts");
    let product = "R[i,j] = A[i,k] * B[k,j]";
    assert_eq!(divided(product, "A = 'csr', B = 'csr', R = 'csr'", "").0, "thread_parts");
}

#[test]
fn values_are_divided_where_the_positions_of_a_part_are_consecutive() {
    let below = |first: &str| Some(format!("kernel::chunks_below(vals,&parts,{first})"));
    let searched = "kernel::search(levels.0.crd,0..levels.0.crd.len(),i)";
    let diagonals =
        "kernel::search_signed(levels.0.crd,0..levels.0.crd.len(),dasisize-a.shape()[0]asisize,)";
    let cases = [
        ("csr", "csr", below("|i|levels.1.pos[i]asusize")),
        ("dcsr", "dcsr", below(&format!("|i|{{levels.1.pos[{searched}]asusize}}"))),
        ("coo", "coo", below(&format!("|i|{searched}"))),
        ("dia", "dia", below(&format!("|d|{diagonals}"))),
        ("blocks", "blocks", below("|io|levels.1.pos[io]asusize")),
        ("hash_rows", "csr", Some("kernel::chunks(vals,&parts)".to_owned())),
        ("csc", "csr", None),
        ("ell", "ell", None),
    ];
    for (result, operand, expected) in cases {
        let manifest = format!(
            "{FORMATS}[kernels.k]\nexpr = \"C[i,j] = 2 * A[i,j]\"\nparallel = true\n\
             tensors = {{ C = '{result}', A = '{operand}' }}"
        );
        let output = compile_str("kernels.toml", &manifest);
        let (_, compute) = output.source.split_once("pub fn k_compute<").expect(result);
        let (compute, _) = compute.split_once("\n}\n").expect(result);
        let compute: String = compute.split_whitespace().collect();
        let begin = compute.find("kernel::chunks");
        let divided = begin.map(|begin| {
            let end = compute[begin..].find(",|part,").expect(result);
            compute[begin..begin + end].replace(",)", ")")
        });
        let expected = expected.map(|call| call.replace(",)", ")"));
        assert_eq!(divided, expected, "{result}");
        assert_eq!(output.source.contains("Runs on one thread."), expected.is_none(), "{result}");
    }
}

const FORMATS: &str = "
[formats]
blocks = \"(i, j) -> (i / 2 : dense, j / 3 : compressed, i % 2 : dense, j % 3 : dense)\"
rows = \"(i, j) -> (i : compressed, j : dense)\"
columns = \"(i, j) -> (j : compressed, i / 4 : compressed, i % 4 : structured(4, 4))\"
";

/// The expression, formats, further keys, and the work.
const CASES: &[(&str, &str, &str, &str)] = &[
    // What is counted are all steps.
    (
        "y[i] = A[i,j] * x[j]",
        "y = 'dense', A = 'csr', x = 'dense'",
        "",
        "i+a.levels().1.pos[i]asusize",
    ),
    ("y[i] = 2 * x[i]", "y = 'dense', x = 'dense'", "", "i"),
    (
        "y[i,j] = 2 * A[i,j]",
        "y = 'coo', A = 'coo'",
        "",
        "kernel::search(&a.levels().0.crd[..],0..a.levels().0.crd.len(),i)",
    ),
    // Of a slice of a result, the rows are counted.
    (
        "y[i in 2..8] += A[i,j] * x[j]",
        "y = 'dense', A = 'csr', x = 'dense'",
        "",
        "leti=i_of_y.saturating_sub(2).min(a.shape()[0]);i+a.levels().1.pos[i]asusize",
    ),
    (
        "y[i in 1..9 step 3] = x[i]",
        "y = 'dense', x = 'dense'",
        "",
        "leti=i_of_y.saturating_sub(1).div_ceil(3).min(x.shape()[0]);i",
    ),
    // Rows of slots are divided, not the slots.
    (
        "y[j] = A[i,j] * x[i]",
        "y = 'dense', A = 'ell', x = 'dense'",
        "",
        "i.saturating_mul(a.levels().2.crd.len().div_ceil(a.shape()[0].max(1)))",
    ),
    // Dense loops within it.
    (
        "y[i] = A[i,j] * x[j]",
        "y = 'dense', A = 'dense', x = 'dense'",
        "",
        "i.saturating_mul(a.shape()[1])",
    ),
    (
        "C[i,j] = A[i,k] * B[k,j]",
        "C = 'dense', A = 'dense', B = 'dense'",
        "",
        "i.saturating_mul(a.shape()[1]).saturating_mul(b.shape()[1])",
    ),
    (
        "C[i,j] = A[i,k] * B[k,j]",
        "C = 'dense', A = 'csr', B = 'dense'",
        "",
        "(i+a.levels().1.pos[i]asusize).saturating_mul(b.shape()[1])",
    ),
    // Loops of constant length.
    (
        "C[i,j] = A[i,k] * B[k,j]",
        "C = 'dense', A = 'csr', B = 'dense'",
        "sizes = { j = 32 }",
        "(i+a.levels().1.pos[i]asusize).saturating_mul(32)",
    ),
    (
        "y[i] = A[i,j] * x[j]",
        "y = 'dense', A = 'blocks', x = 'dense'",
        "",
        "(i/2+a.levels().1.pos[i/2]asusize).saturating_mul(2).saturating_mul(3)",
    ),
    (
        "C[i,j] = A[i,k] * B[k,j]",
        "C = 'dense', A = 'dense', B = 'dense'",
        "schedule = ['split(k, ko, ki, 16)', 'parallelize(i)']",
        "i.saturating_mul(b.shape()[1]).saturating_mul(a.shape()[1])",
    ),
    (
        "y[i] = A[i,j] * x[j]",
        "y = 'dense', A = 'dense', x = 'dense'",
        "schedule = ['split(i, io, ii, 16)', 'parallelize(io)']",
        "(i/16).saturating_mul(a.shape()[1]).saturating_mul(16)",
    ),
    // A mean number of entries.
    (
        "C[i,j] = A[i,k] * B[k,j]",
        "C = 'csr', A = 'csr', B = 'csr'",
        "",
        "(i+a.levels().1.pos[i]asusize).saturating_mul(b.levels().1.crd.len().div_ceil(a.shape()[1].max(1)))",
    ),
    (
        "y[i] = A[i,j] * x[j]",
        "y = 'dense', A = 'ell', x = 'dense'",
        "",
        "i.saturating_mul(a.levels().2.crd.len().div_ceil(a.shape()[0].max(1)))",
    ),
    (
        "B[i,j] = 2 * A[i,j]",
        "B = 'rows', A = 'rows'",
        "",
        "kernel::search(&a.levels().0.crd[..],0..a.levels().0.crd.len(),i).saturating_mul(a.shape()[1])",
    ),
    (
        "y[i] = A[i,j] * x[j]",
        "y = 'dense', A = 'dia', x = 'dense'",
        "",
        "kernel::search_signed(&a.levels().0.crd[..],0..a.levels().0.crd.len(),dasisize-a.shape()[0]asisize,).saturating_mul(a.vals().len().div_ceil(a.levels().0.crd.len().max(1)))",
    ),
];
