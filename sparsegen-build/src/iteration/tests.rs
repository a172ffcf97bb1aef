use crate::concrete::schedule::schedule;
use crate::level::Levels;
use crate::testing::kernel;

/// The plan of an expression's loops as text.
fn planned(expr: &str, tensors: &str) -> String {
    let kernel = kernel(expr, tensors);
    let (program, plan) = schedule(&kernel, &Levels::default()).expect(expr);
    plan.show(&program)
}

#[test]
fn unions_intersections_and_what_is_located() {
    let cases = [
        (
            "C[i,j] = A[i,j] + B[i,j]",
            "C = 'csr', A = 'csr', B = 'csr'",
            "\
∀i over A1, locate B1
    ∀j over A2, B2
      in {A2, B2}
        C[i,j] = A[i,j] + B[i,j]
      in {A2}
        C[i,j] = A[i,j]
      in {B2}
        C[i,j] = B[i,j]
    ∀j over A2
        C[i,j] = A[i,j]
    ∀j over B2
        C[i,j] = B[i,j]
",
        ),
        (
            "C[i,j] = A[i,j] * B[i,j]",
            "C = 'csr', A = 'csr', B = 'dense'",
            "\
∀i over A1, locate B1
    ∀j over A2, locate B2
        C[i,j] = A[i,j] * B[i,j]
",
        ),
        // A full level never ends: the sparse one does.
        (
            "c[i] = a[i] + b[i]",
            "c = 'dense', a = 'sparse_vector', b = 'dense'",
            "\
∀i over a1, b1
  in {a1}
    c[i] = a[i] + b[i]
  in {}
    c[i] = b[i]
∀i over b1
    c[i] = b[i]
",
        ),
        // A quotient has the pattern of its dividend.
        (
            "c[i] = a[i] / b[i]",
            "c = 'sparse_vector', a = 'sparse_vector', b = 'sparse_vector'",
            "\
∀i over a1, b1
  in {a1, b1}
    c[i] = a[i] / b[i]
  in {a1}
    c[i] = a[i] / 0
∀i over a1
    c[i] = a[i] / 0
",
        ),
        // Of two that can locate one is walked.
        (
            "t = a[i] * b[i]",
            "a = 'hash_vector', b = 'hash_vector'",
            "\
sum from
    ∀i over a1, locate b1
        sum += a[i] * b[i]
then
    t = sum
",
        ),
    ];
    for (expr, tensors, expected) in cases {
        assert_eq!(planned(expr, tensors), expected, "{expr} with {tensors}");
    }
}

#[test]
fn duplicates_are_fused_where_a_sum_tolerates_them() {
    let cases = [
        ("y[i] = A[i,j]", "y = 'dense', A = 'coo'", "∀i over fused(A1)"),
        ("y[i] = A[i,j]", "y = 'sparse_vector', A = 'coo'", "∀i over dedup(A1)"),
        ("C[i,j] = A[i,j]", "C = 'coo', A = 'coo'", "∀i over fused(A1)"),
        ("C[i,j] = A[i,j]", "C = 'csf', A = 'coo'", "∀i over dedup(A1)"),
        ("C[i,j] = A[i,j] + B[i,j]", "C = 'coo', A = 'coo', B = 'coo'", "dedup(A1), dedup(B1)"),
        ("t = A[i,j] * A[i,j]", "A = 'coo'", "∀i over fused(A1)"),
    ];
    for (expr, tensors, expected) in cases {
        let plan = planned(expr, tensors);
        assert!(plan.contains(expected), "{expr} with {tensors}:\n{plan}");
    }
}
