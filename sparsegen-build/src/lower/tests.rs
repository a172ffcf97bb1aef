mod bounds;
mod runs;
mod work;

use crate::level::Levels;
use crate::lower::lower;
use crate::names::Identifiers;
use crate::schedule::schedule;
use crate::testing::{kernel, scheduled_kernel};

/// Returns the kernel of an expression in the imperative representation, as text.
fn lowered(expr: &str, tensors: &str) -> String {
    let kernel = kernel(expr, tensors);
    let (program, plan) = schedule(&kernel, &Levels::default()).expect(expr);
    lower(&program, &plan, &mut Identifiers::default()).to_string()
}

#[test]
fn zeros_are_filtered_exactly_where_one_could_arise() {
    let copy = "C[i,j] = A[i,j]";
    let cases = [
        // Padded to padded, padded to unpadded, unpadded to unpadded.
        ("c[i] = b[i]", "c = 'sparse_vector', b = 'dense'", [0, 0]),
        ("c[i] = b[i]", "c = 'nonzeros', b = 'dense'", [1, 0]),
        ("c[i] = b[i]", "c = 'nonzeros', b = 'nonzero_dense'", [0, 0]),
        ("C[i,j] = -A[i,j]", "C = 'nonzero_csr', A = 'nonzero_csr'", [0, 0]),
        (copy, "C = 'nonzero_csr', A = 'csr'", [1, 0]),
        (copy, "C = 'csr', A = 'nonzero_csr'", [0, 0]),
        // Where only one operand has an entry it is copied; where both have one they may cancel.
        (
            "C[i,j] = A[i,j] - B[i,j]",
            "C = 'nonzero_csr', A = 'nonzero_csr', B = 'nonzero_csr'",
            [1, 0],
        ),
        // Products may underflow, unless a factor has magnitude 1 or more.
        (
            "C[i,j] = A[i,j] * B[i,j]",
            "C = 'nonzero_csr', A = 'nonzero_csr', B = 'nonzero_csr'",
            [1, 0],
        ),
        ("C[i,j] = 2 * A[i,j]", "C = 'nonzero_csr', A = 'nonzero_csr'", [0, 0]),
        ("C[i,j] = A[i,j] / 2", "C = 'nonzero_csr', A = 'nonzero_csr'", [1, 0]),
        (
            "C[i,j] = A[i,j] * B[i,j]",
            "C = 'nonzero_csr', A = 'nonzero_csr', B = { format = 'csr', values = 'one' }",
            [0, 0],
        ),
        // Duplicates may cancel.
        (copy, "C = 'nonzero_csr', A = 'nonzero_pairs'", [1, 0]),
        // A row without entries is not stored; rows that always have one are not tested.
        (copy, "C = 'nonzero_rows', A = 'dcsr'", [1, 1]),
        (copy, "C = 'dcsr', A = 'dcsr'", [0, 1]),
        (copy, "C = 'dcsr', A = 'nonzero_dcsr'", [0, 0]),
        (copy, "C = 'nonzero_dcsr', A = 'nonzero_dcsr'", [0, 0]),
        ("C[i,j] = A[i,j] + B[i,j]", "C = 'dcsr', A = 'nonzero_dcsr', B = 'nonzero_dcsr'", [0, 0]),
        (
            "C[i,j] = A[i,j] + B[i,j]",
            "C = 'nonzero_dcsr', A = 'nonzero_dcsr', B = 'nonzero_dcsr'",
            [1, 1],
        ),
    ];
    for (expr, tensors, [values, rows]) in cases {
        let text = lowered(expr, tensors);
        let count = |test: &str| text.matches(test).count();
        let shown = format!("{expr} with {tensors}:\n{text}");
        assert_eq!(count("_value != 0"), values, "{shown}");
        assert_eq!(count("if c2_begin <"), rows, "{shown}");
    }
}

#[test]
fn parts_are_searched_for_where_coordinates_are_in_order() {
    let rows = |format: &str| {
        lowered("y[i] = x[i in 2..9 step 3]", &format!("y = 'dense', x = '{format}'"))
    };
    let sparse = rows("sparse_vector");
    assert!(sparse.contains("let p_x_begin = search(x1_crd, 0..x1_pos[1], 2);"), "{sparse}");
    assert!(sparse.contains("if (i_x - 2) % 3 == 0 {"), "{sparse}");
    let hashed = rows("hash_vector");
    assert!(hashed.contains("2 <= i_x && i_x < 9 && (i_x - 2) % 3 == 0"), "{hashed}");
    let dense = rows("dense");
    assert!(dense.contains("let p_x = i * 3 + 2;"), "{dense}");
    // A fixed coordinate has no loop.
    let entry = lowered("v = A[2,3]", "A = 'csr'");
    assert!(!entry.contains("for ") && !entry.contains("while "), "{entry}");
}

#[test]
fn workspaces_add_what_comes_again_and_are_cleared() {
    // A workspace that all rows read at the coordinates of other entries has random access.
    let tensors = "C = 'csr', A = 'csr', M = 'csr', x = 'sparse_vector', y = 'sparse_vector'";
    let cases = [
        // Sums over an outer loop assign to the same position repeatedly.
        ("C[i,j] = A[i,j] * sum[k](M[k,j])", "sum[k](M[k,j])", "w[j] += m_vals[p_m]"),
        // Elements of a vector are assigned once.
        ("C[i,j] = A[i,j] * (x[j] * y[j])", "x[j] * y[j]", "w[j_x] = x_vals[p_x]"),
    ];
    for (expr, part, assign) in cases {
        let command = format!("precompute({part}, j, w)");
        let used = tensors.split(", ").filter(|tensor| expr.contains(&tensor[..1]));
        let tensors = used.collect::<Vec<_>>().join(", ");
        let kernel = scheduled_kernel(expr, &tensors, &[&command]);
        let (program, plan) = schedule(&kernel, &Levels::default()).expect(expr);
        let text = lower(&program, &plan, &mut Identifiers::default()).to_string();
        assert!(text.contains(assign), "{text}");
        assert!(text.contains("if w.contains(j) {"), "{text}");
        // It is filled once.
        assert!(!text.contains("w.clear()"), "{text}");
    }
    // The row of a mask is looked up for each entry of the product's rows.
    let tensors = "C = 'csr', M = 'csr', A = 'csr', B = 'csr'";
    let text = lowered("C[i,j] = present(M[i,j]) * A[i,k] * B[k,j]", tensors);
    for part in ["m_lookup.clear();", "m_lookup[j] = 1.0;", "if m_lookup.contains(j)"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_comparison_determines_a_coordinate() {
    for (expr, expected) in [
        ("s[k] = sum[i](x[i] * (rem(i, 8) == k))", ["let k = i % 8;", "if k < k_size {"]),
        (
            "s[k] = sum[i,j](A[i,j] * (i + k == j))",
            ["if i <= j && j < k_size + i {", "let k = j - i;"],
        ),
    ] {
        let tensors = if expr.contains('A') { "A = 'csr'" } else { "x = 'sparse_vector'" };
        let text = lowered(expr, &format!("s = 'dense', {tensors}"));
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert!(lines.windows(2).any(|pair| *pair == expected), "{expr}: {text}");
    }
}

#[test]
fn a_product_that_is_missing_a_factor_is_zero_where_others_were_found() {
    let tensors = "r = 'sparse_vector', A = 'csr', B = 'csr'";
    let text = lowered("r[i] = max[j](A[i,j]) + prod[j](B[i,j])", tensors);
    assert!(text.contains("prod_j = 0.0"), "{text}");
    // On its own, the product is stored only if no factor is missing.
    let text = lowered("r[i] = prod[j](B[i,j])", "r = 'sparse_vector', B = 'csr'");
    assert!(!text.contains("prod = 0.0"), "{text}");
}

#[test]
fn padding_is_no_entry_where_another_term_is_padding() {
    let tensors = "r = 'sparse_vector', a = 'B', b = 'B', c = 'B'";
    let tensors = tensors.replace('B', "(i) -> (i / 4 : compressed, i % 4 : dense)");
    let text = lowered("r[i] = a[i] * b[i] + c[i]", &tensors);
    // The lines before each value that is stored, up to the previous one.
    let stores: Vec<&str> = text.split("r_vals.push(").collect();
    let alone = stores.windows(2).filter(|pair| pair[1].starts_with("c_vals["));
    let before: Vec<&str> = alone.map(|pair| pair[0]).collect();
    assert!(before.len() > 2, "{text}");
    for lines in before {
        let condition = lines.lines().rfind(|line| line.contains("!=")).unwrap_or_default();
        assert!(condition.contains("c_vals["), "{condition} in {text}");
    }
}
