use super::{refuse_orders, schedule, schedule_within};
use crate::level::Levels;
use crate::limits::{Budget, ORDERS};
use crate::testing::{kernel, loops};

/// Checks the loops that are chosen for expressions, each with its tensors.
fn check(cases: &[(&str, &str, &str)]) {
    for (expr, tensors, expected) in cases {
        assert_eq!(scheduled(expr, tensors), *expected, "{expr} with {tensors}");
    }
}

/// Returns the loops that are chosen for an expression.
fn scheduled(expr: &str, tensors: &str) -> String {
    let kernel = kernel(expr, tensors);
    match schedule(&kernel, &Levels::default()) {
        Ok((program, _)) => program.show(&program.body),
        Err(refused) => format!("error: {}", refused.message),
    }
}

#[test]
fn loops_come_in_the_cheapest_order() {
    let cases = [
        // The sum of a row is a scalar; the sum of a column accumulates in the result.
        (
            "y[i] = A[i,j] * x[j]",
            "y = 'dense', A = 'csr', x = 'dense'",
            "∀i (y[i] = sum where ∀j sum += A[i,j] * x[j])",
        ),
        (
            "y[i] = A[i,j] * x[j]",
            "y = 'dense', A = 'csc', x = 'dense'",
            "∀j ∀i y[i] += A[i,j] * x[j]",
        ),
        // Coordinates are visited one by one and accumulated in the result.
        (
            "y[i] = A[i,j] * x[j]",
            "y = 'dense', A = 'coo', x = 'dense'",
            "∀i ∀j y[i] += A[i,j] * x[j]",
        ),
        // Terms without sums come first.
        (
            "r[i] = b[i] - A[i,j] * x[j]",
            "r = 'dense', b = 'dense', A = 'csc', x = 'dense'",
            "∀i r[i] = b[i]; ∀j ∀i r[i] += -(A[i,j] * x[j])",
        ),
        (
            "r[i] = b[i] - A[i,j] * x[j]",
            "r = 'dense', b = 'dense', A = 'csr', x = 'dense'",
            "∀i (r[i] = b[i] - sum where ∀j sum += A[i,j] * x[j])",
        ),
        // The innermost loop iterates over rows of dense operands.
        (
            "C[i,j] = A[i,k] * B[k,j]",
            "C = 'dense', A = 'csr', B = 'dense'",
            "∀i ∀k ∀j C[i,j] += A[i,k] * B[k,j]",
        ),
        (
            "C[i,j] = A[i,k] * B[k,j]",
            "C = 'dense', A = 'csr', B = 'dense_col'",
            "∀i ∀j (C[i,j] = sum where ∀k sum += A[i,k] * B[k,j])",
        ),
        // A loop-invariant sum is computed once.
        (
            "y[i] = a[i] * sum[k](b[k])",
            "y = 'dense', a = 'dense', b = 'dense'",
            "∀i y[i] = a[i] * sum where ∀k sum += b[k]",
        ),
        // Terms without a common order have separate loops.
        (
            "y[i] = A[i,j] * x[j] + B[i,j] * x[j]",
            "y = 'dense', A = 'csr', B = 'csc', x = 'dense'",
            "∀i (y[i] = sum where ∀j sum += A[i,j] * x[j]); ∀j ∀i y[i] += B[i,j] * x[j]",
        ),
        // Blocks, and the offsets within them.
        (
            "y[i] = A[i,j] * x[j]",
            "y = 'dense', A = 'blocks', x = 'dense'",
            "∀io ∀jo ∀ii (y[i] += sum where ∀ji sum += A[i,j] * x[j])",
        ),
        // Diagonals in place of columns.
        (
            "y[i] = A[i,j] * x[j]",
            "y = 'dense', A = 'dia', x = 'dense'",
            "∀d ∀i y[i] += A[i,j] * x[j]",
        ),
    ];
    check(&cases);
}

#[test]
fn what_has_no_order_is_converted_or_refused() {
    let converted = |expr, tensors| {
        let kernel = kernel(expr, tensors);
        let (program, _) = schedule(&kernel, &Levels::default()).expect(expr);
        let into = program.kernel.converted();
        let into =
            into.map(|(into, _)| program.tensor(into).format.name.clone().unwrap_or_default());
        let packed = program.targets[0].packed.as_ref().and_then(|format| format.name.clone());
        (into.collect::<Vec<_>>(), packed)
    };
    let sum = "C[i,j] = A[i,j] + B[i,j]";
    assert_eq!(converted(sum, "C = 'csr', A = 'csr', B = 'csc'"), (vec!["csr".to_owned()], None));
    // The entries of each column are counted first, those of each row are slots.
    assert_eq!(converted(sum, "C = 'csc', A = 'csr', B = 'csr'"), (Vec::new(), None));
    assert_eq!(converted("C[i,j] = A[i,j]", "C = 'ell', A = 'csc'"), (Vec::new(), None));
    assert_eq!(converted("C[i,j] = A[i,j]", "C = 'dia', A = 'csr'"), (Vec::new(), None));
    // Unordered entries are sorted by the loop.
    let (into, _) = converted(sum, "C = 'csr', A = 'csr', B = 'loose'");
    assert!(into.is_empty());
    // A conversion of few rows does not take memory for all.
    let product = "C[i,j] = A[i,k] * B[k,j]";
    let (into, _) = converted(product, "C = 'dcsr', A = 'dcsr', B = 'dcsr'");
    assert_eq!(into, ["by_row"]);
    // A conversion to a format with other levels would drop no entries.
    let products = "C[b,i,j] = A[b,i,k] * B[b,k,j]";
    let (into, _) = converted(products, "C = 'batches', A = 'batches', B = 'batches'");
    assert!(into.is_empty());
    // Operands are converted rather than the result packed.
    let both = vec!["by_column".to_owned(), "dcsc".to_owned()];
    assert_eq!(converted(product, "C = 'dcsr', A = 'dcsc', B = 'dcsr'"), (both, None));
    // Rows are computed one at a time, where rows would be matched with columns otherwise.
    assert_eq!(converted(product, "C = 'csr', A = 'csr', B = 'csc'").0, ["csr"]);
    // A copy in another format would have as many entries.
    let (into, _) = converted(product, "C = 'dense', A = 'two_of_four', B = 'dense'");
    assert!(into.is_empty());
}

#[test]
fn sums_over_dense_columns_need_no_record_of_their_entries() {
    let is_listed = |tensors| {
        let kernel = kernel("Y[i,n] = exp(sum[j](A[i,j] * X[j,n])) - 1", tensors);
        let (program, _) = schedule(&kernel, &Levels::default()).expect("a schedule");
        program.workspaces().iter().map(|w| program.is_listed(w.tensor)).collect::<Vec<_>>()
    };
    assert_eq!(is_listed("Y = 'dense', A = 'csr', X = 'dense'"), [false]);
    assert_eq!(is_listed("Y = 'csr', A = 'csr', X = 'dense'"), [false]);
    assert_eq!(is_listed("Y = 'csr', A = 'csr', X = 'csr'"), [true]);
}

#[test]
fn coordinates_come_in_order_for_each_parent() {
    let cases = [
        ("C[i,j] = A[i,j]", "C = 'csc', A = 'csr'", "∀i ∀j C[i,j] = A[i,j]"),
        ("C[i,j] = A[i,j]", "C = 'dcsr', A = 'csc'", "∀j ∀i C[i,j] = A[i,j]"),
        // A sum within the coordinate is accumulated in the entry, one outside in a workspace.
        (
            "C[i,j] = A[i,k] * B[k,j]",
            "C = 'csr', A = 'csc', B = 'csc'",
            "∀j ∀k ∀i C[i,j] += A[i,k] * B[k,j]",
        ),
        (
            "C[i,j] = A[i,k] * B[k,j]",
            "C = 'ell', A = 'csr', B = 'csr'",
            "∀i (∀j C[i,j] = w[j] where ∀k ∀j w[j] += A[i,k] * B[k,j])",
        ),
    ];
    check(&cases);
}

#[test]
fn sums_outside_of_what_comes_in_order_go_through_workspaces() {
    let matrices = |result: &str| format!("C = '{result}', A = 'csr', B = 'csr', D = 'csr'");
    let cases = [
        (
            "C[i,j] = A[i,k] * B[k,j]",
            "csr",
            "∀i (∀j C[i,j] = w[j] where ∀k ∀j w[j] += A[i,k] * B[k,j])",
        ),
        (
            "C[i,j] = D[i,j] - 2 * A[i,k] * B[k,j]",
            "dcsr",
            "∀i (∀j C[i,j] = D[i,j] - w[j] where ∀k ∀j w[j] += 2 * A[i,k] * B[k,j])",
        ),
        (
            "C[i,j] = A[i,k] * B[k,j] + B[i,k] * D[k,j]",
            "coo",
            "∀i (∀j C[i,j] = w[j] where (∀k ∀j w[j] += A[i,k] * B[k,j]; ∀k ∀j w[j] += B[i,k] * D[k,j]))",
        ),
        // Only the sum goes through a workspace if the value cannot be split.
        (
            "C[i,j] = D[i,j] / sum[k](A[i,k] * B[k,j])",
            "csr",
            "∀i (∀j (C[i,j] = D[i,j] / w[j] if stored(D[i,j])) \
             where ∀k ∀j (w[j] += A[i,k] * B[k,j] if stored(d_lookup[j])) \
             where ∀j d_lookup[j] = D[i,j])",
        ),
        // Full rows need no workspace.
        ("C[i,j] = A[i,k] * B[k,j]", "rows", "∀i ∀k ∀j C[i,j] += A[i,k] * B[k,j]"),
    ];
    for (expr, result, expected) in cases {
        let used = |name: &&str| expr.contains(&format!("{}[", &name[..1]));
        let tensors = matrices(result);
        let tensors: Vec<&str> = tensors.split(", ").filter(used).collect();
        assert_eq!(scheduled(expr, &tensors.join(", ")), expected, "{expr} into {result}");
    }
}

#[test]
fn sums_of_more_than_are_cheap_to_merge_are_taken_term_by_term() {
    let names: Vec<char> = ('A'..='P').collect();
    let terms: Vec<String> = names.iter().map(|name| format!("{name}[i]")).collect();
    let expr = format!("y[i] = {}", terms.join(" + "));
    let tensors = |result: &str| {
        let operands = names.iter().map(|name| format!(", {name} = 'sparse_vector'"));
        format!("y = '{result}'{}", operands.collect::<String>())
    };
    let dense = scheduled(&expr, &tensors("dense"));
    assert!(dense.starts_with("∀i y[i] = A[i]; ∀i y[i] += B[i]; "), "{dense}");
    // Stored in any order.
    let sparse = kernel(&expr, &tensors("sparse_vector"));
    let (program, _) = schedule(&sparse, &Levels::default()).expect("a sum");
    assert_eq!(program.targets[0].packed.as_ref().map(|format| &format.name), None);
    assert_eq!(program.tensor(program.kernel.result()).format.scattered(), Some(0));
    let product = expr.replace('+', "*");
    assert!(schedule(&kernel(&product, &tensors("dense")), &Levels::default()).is_ok());
    // A value that is not a sum of terms has code for each set of operands.
    let whole = format!("y[i] = abs({})", terms.join(" + "));
    assert!(schedule(&kernel(&whole, &tensors("dense")), &Levels::default()).is_err());
}

#[test]
fn rows_with_a_place_each_are_assembled_once() {
    // Entries of a row are computed together, although the row is unordered.
    let text = scheduled("C[i,j] = A[i,k] * B[k,j]", "C = 'messy', A = 'csr', B = 'csr'");
    assert!(text.starts_with("∀i "), "{text}");
    let kernel = kernel("C[i,j] = A[i,k] * B[k,j]", "C = 'messy', A = 'csc', B = 'csr'");
    let (program, _) = schedule(&kernel, &Levels::default()).expect("a product");
    assert!(program.targets[0].packed.is_some() || program.kernel.converted().next().is_some());
}

#[test]
fn refused_orders_name_the_operands_that_contradict_each_other() {
    let tensors = "R = 'dense', A = 'dcsr', B = 'dcsc'";
    let expr = "R[i,j] = A[i,j] * B[i,j]";
    let refused = refuse_orders(&kernel(expr, tensors));
    assert!(refused.notes.iter().any(|note| note.contains("by `i` before `j`")), "{refused:?}");
    // With a converted operand they have an order.
    assert!(loops(expr, tensors, &[]).starts_with('∀'));
}

#[test]
fn entries_are_visited_rather_than_searched_for() {
    let blocks = "(i, j) -> (i / 4 : dense, j / 4 : compressed, i % 4 : dense, j % 4 : dense)";
    let tensors = format!("A = 'hash_rows', B = '{blocks}'");
    assert_eq!(scheduled("B[i,j] = A[i,j]", &tensors), "∀io ∀ii ∀j B[i,j] = A[i,j]");
}

/// Returns the number of programs that are planned to choose the loops of an expression.
fn planned(expr: &str, tensors: &str) -> usize {
    let budget = Budget::default();
    let found = schedule_within(&kernel(expr, tensors), &Levels::default(), &budget);
    assert!(found.is_ok(), "`{expr}` has no loops");
    budget.planned()
}

#[test]
fn few_programs_are_planned_for_chains_of_matrices() {
    // Conversions of each operand are tried, in every order of the loops.
    for (result, format, most) in
        [("dense", "dense", [150, 300, 300]), ("dense", "csr", [1_400, 12_500, 10_000])]
    {
        for (count, most) in (3..=5).zip(most) {
            let planned = chain(count, result, format);
            assert!(planned <= most, "{planned} programs for {count} matrices in {format}");
        }
    }
}

#[test]
fn few_programs_are_planned_for_tensors_of_many_modes() {
    for format in ["dense", "coo", "csf"] {
        for planned in of_order(8, format) {
            assert!(planned <= ORDERS, "{planned} programs for tensors in {format}");
        }
    }
}

#[test]
fn an_empty_range_matters_where_a_comparison_holds() {
    let loops = scheduled("R[i,j] = prod[k](select((j == i), A[j,k], 1))", "R = 'csr', A = 'dcsr'");
    assert!(loops.contains("if has_k"), "{loops}");
}

/// Returns the number of planned programs for a product of `count` matrices.
fn chain(count: usize, result: &str, format: &str) -> usize {
    let variables = ["i", "j", "k", "l", "m", "n"];
    let name = |k: usize| char::from(b'A' + k as u8);
    let factor = |k: usize| format!("{}[{},{}]", name(k), variables[k], variables[k + 1]);
    let factors: Vec<String> = (0..count).map(factor).collect();
    let tensors: Vec<String> = (0..count).map(|k| format!("{} = '{format}'", name(k))).collect();
    let expr = format!("R[i,{}] = {}", variables[count], factors.join(" * "));
    planned(&expr, &format!("R = '{result}', {}", tensors.join(", ")))
}

/// Returns the numbers of planned programs for a copy, a product, a sum and a reduction of tensors
/// with `order` modes.
fn of_order(order: usize, format: &str) -> [usize; 4] {
    let variables = ["i", "j", "k", "l", "m", "n", "p", "q"][..order].join(",");
    let tensors = format!("C = '{format}', A = '{format}', B = '{format}'");
    let of_two = |op: &str| {
        planned(&format!("C[{variables}] = A[{variables}] {op} B[{variables}]"), &tensors)
    };
    let one = format!("C = '{format}', A = '{format}'");
    [
        planned(&format!("C[{variables}] = A[{variables}]"), &one),
        of_two("*"),
        of_two("+"),
        planned(&format!("s = A[{variables}]"), &format!("A = '{format}'")),
    ]
}

#[test]
fn reductions_are_computed_where_their_variables_are_known() {
    let cases = [
        // Independent of the sum that encloses it, and of the rows.
        (
            "y[i] = sum[k](exp(A[i,k] - max[l](x[l])))",
            "y = 'dense', A = 'csr', x = 'dense'",
            "∀i (y[i] = sum_k where ∀k sum_k += exp(A[i,k] - max)) where ∀l max max= x[l]",
        ),
        // Once for both places of a row.
        (
            "B[i,j] = exp(A[i,j] - max[k](A[i,k])) / sum[k](exp(A[i,k] - max[l](A[i,l])))",
            "B = 'dense', A = 'dense'",
            "∀i (∀j B[i,j] = exp(A[i,j] - max) / sum_k where ∀k sum_k += exp(A[i,k] - max) \
             where ∀l max max= A[i,l])",
        ),
        // Both terms need the sum, which goes through a workspace.
        (
            "y[i] = sum[k](A[i,k] * x[k]) + square(sum[l](A[i,l] * x[l]))",
            "y = 'dense', A = 'csc', x = 'dense'",
            "∀i y[i] = w[i] + square(w[i]) where ∀k ∀i w[i] += A[i,k] * x[k]",
        ),
        // The columns are none if the range of `k` is empty.
        (
            "B[i,j] = A[i,j] * exp(A[i,j] - max[k](A[i,k]))",
            "B = 'csr', A = 'csr'",
            "∀i (∀j B[i,j] = A[i,j] * exp(A[i,j] - max) where ∀k max max= A[i,k])",
        ),
    ];
    check(&cases);
}
