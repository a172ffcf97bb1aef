//! Tests of the bounds of lowered functions, for indices and for reservations.

use super::*;
use crate::ir::{Function, Unchecked};

/// Returns the bounds of a kernel, one per line.
fn stated(expr: &str, tensors: &str, of: Unchecked) -> Vec<String> {
    let kernel = kernel(expr, tensors);
    let (program, plan) = schedule(&kernel, &Levels::default()).expect(expr);
    let function: Function = lower(&program, &plan, &mut Identifiers::default());
    let bounds = function.unchecked.iter().filter(|bound| bound.of == of);
    bounds.map(|bound| format!("{} < {}", bound.array, bound.most)).collect()
}

/// Returns the bound of the number of entries of a result.
fn entries(expr: &str, tensors: &str) -> Option<String> {
    let stated = stated(expr, tensors, Unchecked::Append);
    stated.iter().find_map(|bound| bound.strip_prefix("c_vals < ")).map(str::to_owned)
}

#[test]
fn products_append_no_more_than_operands_that_tell_their_entries_apart() {
    let product = "C[i,j] = A[i,j] * B[i,j]";
    let cases = [
        // Both operands distinguish their entries.
        (product, "C = 'csr', A = 'csr', B = 'csr'", Some("a_vals.len().min(b_vals.len())")),
        // Each duplicate of A meets the only entry of B.
        (
            product,
            "C = 'coo_unordered', A = 'coo_unordered', B = 'hash_rows'",
            Some("a_vals.len()"),
        ),
        // Duplicates are sorted and added before they meet entries of B.
        (
            product,
            "C = 'coo_unordered', A = 'coo_unordered', B = 'csr'",
            Some("a_vals.len().min(b_vals.len())"),
        ),
        (
            "C[i,j] = A[i,j] * B[j,i]",
            "C = 'coo_unordered', A = 'coo_unordered', B = 'hash_rows'",
            Some("a_vals.len()"),
        ),
        // A union appends the entries of both.
        (
            "C[i,j] = A[i,j] + B[i,j]",
            "C = 'csr', A = 'csr', B = 'csr'",
            Some("a_vals.len() + b_vals.len()"),
        ),
        ("C[i,j] = A[i,j]", "C = 'csr', A = 'csr'", Some("a_vals.len()")),
        // A vector does not bound the entries of a matrix, nor do the factors of a sum over k.
        (
            "C[i,j] = x[i] * A[i,j]",
            "C = 'csr', A = 'csr', x = 'sparse_vector'",
            Some("a_vals.len()"),
        ),
        ("C[i,j] = x[i] * y[j]", "C = 'csr', x = 'dense', y = 'sparse_vector'", None),
        // Two vectors together do, but not if a condition excludes most pairs of their entries.
        (
            "C[i,j] = x[i] * y[j]",
            "C = 'csr', x = 'sparse_vector', y = 'sparse_vector'",
            Some("x_vals.len().saturating_mul(y_vals.len())"),
        ),
        (
            "C[i,j] = (i == j) * x[i] * y[j]",
            "C = 'csr', x = 'sparse_vector', y = 'sparse_vector'",
            None,
        ),
        ("C[i,j] = A[i,k] * B[k,j]", "C = 'csr', A = 'csr', B = 'csr'", None),
        // The loops compute sums only at the entries of an operand.
        (
            "C[i,j] = S[i,j] * A[i,k] * B[j,k]",
            "C = 'csr', S = 'csr', A = 'dense', B = 'dense'",
            Some("s_vals.len()"),
        ),
        (
            "C[i,j] = present(S[i,j]) * A[i,k] * B[k,j]",
            "C = 'csr', S = 'coo', A = 'csr', B = 'csc'",
            Some("s_vals.len()"),
        ),
        (
            "C[i,j] = S[i,j] + sum[k](A[i,k] * B[j,k])",
            "C = 'csr', S = 'csr', A = 'csr', B = 'csr'",
            None,
        ),
        (
            "C[i,j,m] = S[i,j] * A[i,k] * B[j,k,m]",
            "C = 'csf', S = 'csr', A = 'dense', B = 'dense'",
            None,
        ),
        // A part that is read repeatedly has fewer entries than are appended.
        ("C[i,j] = A[0,j] * x[i]", "C = 'csr', A = 'csr', x = 'dense'", None),
        ("C[i,j] = exp(A[i,j])", "C = 'csr', A = 'csr'", None),
    ];
    for (expr, tensors, most) in cases {
        assert_eq!(entries(expr, tensors).as_deref(), most, "{expr} with {tensors}");
    }
}

#[test]
fn arrays_are_indexed_below_what_their_levels_hold() {
    let spmv = |format: &str| {
        let tensors = format!("y = 'dense', A = '{format}', x = 'dense'");
        stated("y[i] = A[i,j] * x[j]", &tensors, Unchecked::Index)
    };
    let csr = ["x_vals < j_size", "a2_pos < i_size + 1", "a2_crd < a2_pos[i_size]"];
    let both = ["y_vals < i_size", "a_vals < a2_pos[i_size]"];
    let dense = ["a_vals < i_size * j_size", "x_vals < j_size", "y_vals < i_size"];
    let rows = ["a1_pos < 2", "a1_crd < a1_pos[1]", "a2_pos < a1_pos[1] + 1"];
    let slots = ["a3_crd < a_slots * i_size", "a_vals < a_slots * i_size"];
    let cases: [(&str, &[&str]); 5] =
        [("csr", &csr), ("csr", &both), ("dense", &dense), ("dcsr", &rows), ("ell", &slots)];
    for (format, expected) in cases {
        let stated = spmv(format);
        for bound in expected {
            assert!(
                stated.iter().any(|stated| stated == bound),
                "{format}: {bound} of {stated:#?}"
            );
        }
    }
}
