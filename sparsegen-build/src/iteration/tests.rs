use crate::level::Levels;
use crate::schedule::schedule;
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

#[test]
fn entries_are_reordered_only_where_order_matters() {
    let (sum, product) = ("C[i,j] = A[i,j] + B[i,j]", "C[i,j] = A[i,j] * B[i,j]");
    let cases = [
        (sum, "C = 'csr', A = 'loose', B = 'csr'", "∀j over reorder(A2), B2"),
        (sum, "C = 'csr', A = 'hash_rows', B = 'csr'", "∀j over reorder(A2), B2"),
        (sum, "C = 'csr', A = 'hash_rows', B = 'dense'", "∀j over B2, locate A2"),
        (sum, "C = 'csr', A = 'coo_unordered', B = 'csr'", "∀i over dedup(reorder(A1)), B1"),
        (sum, "C = 'csr', A = 'coo_unordered', B = 'csr'", "∀j over dedup(reorder(A2)), B2"),
        (product, "C = 'csr', A = 'loose', B = 'dense'", "∀j over reorder(A2), locate B2"),
        // Sorted once, the others follow.
        (product, "C = 'csr', A = 'loose', B = 'hash_rows'", "∀j over reorder(A2), locate B2"),
        // What is scanned alone, or located, for a result that takes entries in any order.
        (product, "C = 'dense', A = 'loose', B = 'dense'", "∀j over A2, locate B2"),
        (product, "C = 'csr', A = 'hash_rows', B = 'csr'", "∀j over B2, locate A2"),
        ("y[i] = A[i,j] * x[j]", "y = 'dense', A = 'loose', x = 'hash_vector'", "∀j over A2, l"),
        ("C[i,j] = 2 * A[i,j]", "C = 'coo_unordered', A = 'coo_unordered'", "∀i over fused(A1)"),
        // The row's order matters, that within it does not.
        (
            "y[i] = A[i,j] * x[j]",
            "y = 'sparse_vector', A = 'coo_unordered', x = 'dense'",
            "∀j over fused(A2), locate x1",
        ),
        // Children of several parents do not follow each other here.
        (sum, "C = 'csr', A = 'gaps', B = 'csr'", "∀j over reorder(A2), B2"),
        ("y[i] = A[i,j]", "y = 'sparse_vector', A = 'gaps'", "∀j over A2"),
    ];
    for (expr, tensors, expected) in cases {
        let plan = planned(expr, tensors);
        assert!(plan.contains(expected), "{expr} with {tensors}:\n{plan}");
    }
}

#[test]
fn nothing_is_asked_where_something_is_found_for_certain() {
    let cases = [
        ("y = 'sparse_vector', A = 'coo', x = 'dense'", false),
        ("y = 'sparse_vector', A = 'coo_unordered', x = 'dense'", false),
        ("y = 'sparse_vector', A = 'nonzero_rows', x = 'dense'", false),
        ("y = 'sparse_vector', A = 'dcsr', x = 'dense'", true),
        ("y = 'sparse_vector', A = 'coo', x = 'sparse_vector'", true),
    ];
    for (tensors, expected) in cases {
        let plan = planned("y[i] = A[i,j] * x[j]", tensors);
        assert_eq!(plan.contains("in {sum}"), expected, "{tensors}:\n{plan}");
    }
}

#[test]
fn full_results_get_every_coordinate() {
    let cases = [
        (
            "c[i] = a[i]",
            "c = 'full_vector', a = 'sparse_vector'",
            "\
∀i over the dimension beside a1
  in {a1}
    c[i] = a[i]
  in {}
    c[i] = 0
∀i over the dimension
    c[i] = 0
",
        ),
        // Rows without entries are rows, but have none.
        (
            "C[i,j] = A[i,j]",
            "C = 'full_rows', A = 'dcsr'",
            "\
∀i over the dimension beside A1
  in {A1}
    ∀j over A2
        C[i,j] = A[i,j]
  in {}
∀i over the dimension
",
        ),
        // Only rows that have something have everything.
        (
            "C[i,j] = A[i,j]",
            "C = 'full_columns', A = 'dcsr'",
            "\
∀i over A1
    ∀j over the dimension beside A2
      in {A2}
        C[i,j] = A[i,j]
      in {}
        C[i,j] = 0
    ∀j over the dimension
        C[i,j] = 0
",
        ),
        (
            "c[i] = A[i,j] * x[j]",
            "c = 'full_vector', A = 'csr', x = 'dense'",
            "\
∀i over A1
    sum from
        ∀j over A2, locate x1
            sum += A[i,j] * x[j]
    then
        c[i] = sum
",
        ),
        // Of a full operand none is missing.
        (
            "c[i] = a[i] + b[i]",
            "c = 'sparse_vector', a = 'full_vector', b = 'sparse_vector'",
            "\
∀i over a1, b1
  in {b1}
    c[i] = a[i] + b[i]
  in {}
    c[i] = a[i]
∀i over a1
    c[i] = a[i]
",
        ),
        // With b at its end, d does not matter any more.
        (
            "c[i] = a[i] + b[i] * d[i]",
            "c = 'dense', a = 'sparse_vector', b = 'sparse_vector', d = 'full_vector'",
            "\
∀i over a1, b1, d1
  in {a1, b1}
    c[i] = a[i] + b[i] * d[i]
  in {a1}
    c[i] = a[i]
  in {b1}
    c[i] = b[i] * d[i]
∀i over a1
    c[i] = a[i]
∀i over b1, d1
    c[i] = b[i] * d[i]
",
        ),
    ];
    for (expr, tensors, expected) in cases {
        assert_eq!(planned(expr, tensors), expected, "{expr} with {tensors}");
    }
}

/// The lines of a plan that say what its loops run over.
fn loops_of(expr: &str, tensors: &str) -> Vec<String> {
    let plan = planned(expr, tensors);
    let lines = plan.lines().map(str::trim).filter(|line| line.starts_with('∀'));
    lines.map(str::to_owned).collect()
}

#[test]
fn regions_of_many_operands_are_not_told_apart() {
    let five = "R = 'dcsr', A = 'dcsr', B = 'dcsr', C = 'dcsr', D = 'dcsr', E = 'dcsr'";
    let loops = loops_of("R[i,j] = A[i,j] + B[i,j] + C[i,j] + D[i,j] + E[i,j]", five);
    let all = |v: &str, level: usize| {
        let optional: Vec<String> = ["A", "B", "C", "D", "E"]
            .iter()
            .map(|name| format!("optional({name}{level})"))
            .collect();
        let optional = optional.join(", ");
        format!("∀{v} over {optional}, while any of {optional} lasts")
    };
    assert_eq!(loops, [all("i", 1), all("j", 2)]);
    // Nor are regions of levels that can only be located in distinguished, or the levels below.
    let located = format!("{five}, F = '(i, j) -> (i : bitmap, j : dense)'");
    let sum = "A[i,j] + B[i,j] + C[i,j] + D[i,j] + E[i,j]";
    let loops = loops_of(&format!("R[i,j] = ({sum}) * F[i,j]"), &located);
    assert!(loops[0].ends_with("locate optional(F1)"), "{}", loops[0]);
    assert_eq!(
        loops[1],
        "∀j over A2, B2, C2, D2, E2, while any of A2, B2, C2, D2, E2 lasts, locate F2"
    );
}

#[test]
fn reductions_are_stored_where_enough_was_found() {
    let tensors = "r = 'sparse_vector', A = 'csr', B = 'csr', C = 'csr'";
    let condition = |expr: &str| {
        let plan = planned(expr, tensors);
        let line = plan
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with("in {") && line.contains("max_j"));
        line.map(str::to_owned).unwrap_or_default()
    };
    let value = "sum[j](A[i,j]) * max[j](B[i,j]) + min[j](C[i,j])";
    assert_eq!(condition(&format!("r[i] = {value}")), "in {sum, max_j}, {min_j}");
}

#[test]
fn products_and_quotients_of_scalars_without_entries_are_zero() {
    let assigned = |expr: &str, tensors: &str| {
        let plan = planned(expr, &format!("y = 'dense', A = 'csr', x = 'dense', {tensors}"));
        plan.lines().last().map(|line| line.trim().to_owned()).unwrap_or_default()
    };
    // The maximum over an empty range is infinite, and `x` may be 0.
    let product = assigned("y[i] = sum[j](A[i,j]) * max[j](D[i,j]) * x[i]", "D = 'dense'");
    assert_eq!(product, "y[i] = select(found(sum), sum * max_j * x[i], 0)");
    assert_eq!(
        assigned("y[i] = sum[j](A[i,j]) / x[i]", ""),
        "y[i] = select(found(sum), sum / x[i], 0)"
    );
    assert_eq!(assigned("y[i] = max[j](A[i,j]) * x[i]", ""), "y[i] = max * x[i]");
}

#[test]
fn reductions_of_constants_are_known_where_results_store_entries() {
    let cases = [
        // The minimum of zeros is zero, which is not stored: only rows with entries are visited. A
        // full result stores all rows.
        ("r[i] = min[j](A[i,j])", "r = 'sparse_vector', A = 'dcsr'", "∀i over A1"),
        ("r[i] = min[j](A[i,j])", "r = 'dense', A = 'dcsr'", "∀i over the dimension beside A1"),
        ("r[i] = prod[j](A[i,j])", "r = 'sparse_vector', A = 'dcsr'", "∀i over A1"),
        (
            "r[i] = max[j](abs(A[i,j]) + 1)",
            "r = 'sparse_vector', A = 'dcsr'",
            "∀i over the dimension beside A1",
        ),
        // Masked values are not stored.
        (
            "R[i,j] = abs(present(M[i,j]) * B[i,j])",
            "R = 'csr', M = 'csr', B = 'dense'",
            "∀i over M1, locate B1",
        ),
    ];
    for (expr, tensors, first) in cases {
        let loops = loops_of(expr, tensors);
        let first_over_i = loops.iter().find(|line| line.starts_with("∀i"));
        assert_eq!(first_over_i.map(String::as_str), Some(first), "{expr}: {loops:?}");
    }
}

#[test]
fn loops_run_backward_if_terms_are_behind() {
    let cases = [
        ("y[i] = sum[j]((j >= i) * x[j])", "y = 'dense', x = 'dense'", true),
        ("y[i] = sum[j]((i < j) * x[j])", "y = 'hash_vector', x = 'sparse_vector'", true),
        ("y[i] = z[i] * sum[j]((i < j) * x[j])", "y = 'dense', x = 'dense', z = 'dense'", true),
        ("C[i,d] = sum[j]((i < j) * x[j,d])", "C = 'dense', x = 'dense'", true),
        // Another loop resumes in the other direction; this sum has a loop of its own.
        (
            "y[i] = sum[j]((i < j) * x[j]) + sum[k]((k < i) * z[k])",
            "y = 'dense', x = 'dense', z = 'dense'",
            true,
        ),
        ("y[i] = sum[j]((j != i) * x[j])", "y = 'dense', x = 'dense'", true),
        // A window has another first coordinate, too.
        ("y[i] = sum[j]((i < j) * (j < i + 3) * x[j])", "y = 'dense', x = 'dense'", false),
        ("y[i] = sum[j]((j <= i) * x[j])", "y = 'dense', x = 'dense'", false),
    ];
    for (expr, tensors, expected) in cases {
        let plan = planned(expr, tensors);
        assert_eq!(plan.contains(", backward\n"), expected, "{expr}:\n{plan}");
    }
}

#[test]
fn running_sums_resume() {
    let cases = [
        ("y[i] = sum[j]((j <= i) * x[j])", "y = 'dense', x = 'sparse_vector'", true),
        ("y[i] = sum[j]((j < i + 2) * x[j])", "y = 'sparse_vector', x = 'dense'", true),
        ("C[r,i] = sum[j]((j <= i) * A[r,j])", "C = 'dense', A = 'csr'", true),
        // The terms of a coordinate are others, or fewer.
        ("y[i] = sum[j]((j <= i) * A[i,j])", "y = 'dense', A = 'csr'", false),
        ("y[i] = sum[j]((j >= i) * A[i,j])", "y = 'dense', A = 'csr'", false),
        ("y[i] = sum[j]((j <= i) * (i - 2 <= j) * x[j])", "y = 'dense', x = 'dense'", false),
    ];
    for (expr, tensors, expected) in cases {
        let plan = planned(expr, tensors);
        assert_eq!(plan.contains("resumed for each i"), expected, "{expr}:\n{plan}");
    }
}

#[test]
fn workspaces_of_dividends_hold_only_entries() {
    // `V[i,j]` has entries below, but not always at `i`: 0 / 0 would be NaN.
    let of_diagonals = "y = 'dense', V = 'csf', D = 'dense'";
    let quotient = planned("y[i] = sum[j](1 + V[i,j,i] / D[i,j])", of_diagonals);
    assert!(quotient.contains("in {sum}\n                u[j] = sum\n"), "{quotient}");
    let product = planned("y[i] = sum[j](1 + V[i,j,i] * D[i,j])", of_diagonals);
    assert!(!product.contains("{sum}"), "{product}");
}
