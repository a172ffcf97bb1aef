use crate::compile::Compiler;

/// Returns the shared loops of two statements on a matrix `A` and vectors; all tensors except `A`
/// are dense.
fn loops(first: &str, second: &str) -> Option<String> {
    let format = |name: &char| if *name == 'A' { "csr" } else { "dense" };
    let used = ['A', 'x', 'y', 'z'].into_iter();
    let used = used.filter(|name| first.contains(*name) || second.contains(*name));
    let tensors: Vec<_> = used.map(|name| format!("{name} = {:?}", format(&name))).collect();
    let manifest = format!(
        "[kernels.two]\nexprs = [{first:?}, {second:?}]\ntensors = {{ {} }}\n",
        tensors.join(", ")
    );
    let output = Compiler::new().compile_str("kernels.toml", &manifest);
    assert!(output.diagnostics.is_empty(), "{:?}", output.diagnostics);
    output.kernels[0].shared.first().map(|shared| shared.function.to_string())
}

/// Returns the number of loops, if any are shared.
fn count(first: &str, second: &str) -> Option<usize> {
    loops(first, second).map(|text| text.matches("for ").count())
}

#[test]
fn two_products_take_one_pass() {
    assert_eq!(count("y[i] = A[i,j] * x[j]", "z[j] = A[i,j] * x[i]"), Some(2));
    assert_eq!(count("y[i] = x[i] + 1", "z[i] = 2 * y[i]"), Some(1));
}

#[test]
fn what_is_read_must_be_there_already() {
    // A row of the second statement needs only the same row of the first.
    assert_eq!(count("y[i] = A[i,j] * x[j]", "z[j] = A[i,j] * y[i]"), Some(3));
    // A row needs other rows.
    assert_eq!(count("y[i] = A[i,j] * x[j]", "z[i] = A[i,j] * y[j]"), None);
    assert_eq!(count("y[j] = A[i,j] * x[i]", "z[i] = A[i,j] * y[j]"), None);
}

#[test]
fn rows_of_a_matrix_are_read_where_they_are_complete() {
    let shares = |second: &str| {
        let exprs = format!("exprs = [\"C[i,j] = A[i,j] * x[j]\", \"{second}\"]");
        let tensors = "tensors = { C = \"dense\", D = \"dense\", A = \"csr\", x = \"dense\" }";
        let manifest = format!("[kernels.two]\n{exprs}\n{tensors}\n");
        let output = Compiler::new().compile_str("kernels.toml", &manifest);
        assert!(output.diagnostics.is_empty(), "{:?}", output.diagnostics);
        output.kernels[0].shared.len() == 1
    };
    assert!(shares("D[i,j] = 2 * C[i,j]"));
    assert!(!shares("D[i,j] = 2 * C[j,i]"));
    assert!(!shares("D[i,j] = C[i,k] * C[k,j]"));
}

#[test]
fn variables_of_one_name_may_have_two_extents() {
    assert_eq!(count("y[i] = x[i] + 1", "z[i] = 2 * A[i,j]"), None);
}

#[test]
fn scalars_are_computed_beside_tensors() {
    let text = loops("s = A[i,j] * A[i,j]", "y[i] = A[i,j] * x[j]").expect("shared loops");
    assert_eq!(text.matches("for ").count(), 2, "{text}");
    assert!(text.contains("sum_y += "), "{text}");
}

#[test]
fn what_is_changed_is_changed_in_the_same_loop() {
    assert_eq!(count("y[i] = A[i,j] * x[j]", "y[i] += x[i]"), Some(2));
    assert_eq!(count("y[i] = A[i,j] * x[j]", "y[j] += A[i,j]"), None);
}

#[test]
fn neighbours_share_where_others_cannot() {
    let manifest = "[kernels.some]\nexprs = [\"y[i] = A[i,j] * x[j]\", \"z[j] = A[i,j] * x[i]\", \
                    \"w[i] = A[i,j] * y[j]\"]\n\
                    tensors = { A = \"csr\", x = \"dense\", y = \"dense\", z = \"dense\", w = \"dense\" }\n";
    let output = Compiler::new().compile_str("kernels.toml", manifest);
    assert!(output.diagnostics.is_empty(), "{:?}", output.diagnostics);
    let [shared] = output.kernels[0].shared.as_slice() else {
        panic!("one group that shares loops")
    };
    assert_eq!((&shared.steps, shared.function.name.as_str()), (&(0..2), "some_y_z"));
}

#[test]
fn names_stay_apart() {
    let text = loops("y[i] = A[i,j]", "z[i] = A[i,j] * A[i,j]").expect("shared loops");
    assert!(text.contains("sum += ") && text.contains("sum_z += "), "{text}");
}

/// Returns the explanation of two statements on csr matrices and dense vectors.
fn explained(first: &str, second: &str, others: &str) -> String {
    let manifest = format!("[kernels.two]\nexprs = [{first:?}, {second:?}]\n{others}\n");
    Compiler::new().explain("kernels.toml", &manifest)
}

#[test]
fn operands_are_merged_once_for_all_statements() {
    let csr = "tensors = { C = 'csr', D = 'csr', A = 'csr', B = 'csr' }";
    let text = explained("C[i,j] = A[i,j] + B[i,j]", "D[i,j] = A[i,j] * B[i,j]", csr);
    let shared = "∀i ∀j (C[i,j] = A[i,j] + B[i,j]; D[i,j] = A[i,j] * B[i,j])";
    assert!(text.contains(&format!("two: shared loops\n{shared}\n")), "{text}");
}

#[test]
fn the_report_says_why_statements_have_loops_of_their_own() {
    let reason = |first: &str, second: &str, tensors: &str| {
        let text = explained(first, second, tensors);
        let (_, reason) = text.split_once("loops of its own\n").expect("loops of its own");
        reason.lines().next().unwrap_or_default().to_owned()
    };
    let vectors = "tensors = { y = 'dense', z = 'dense', x = 'dense', A = 'csr' }";
    assert_eq!(
        reason("y[i] = A[i,j] * x[j]", "z[i] = A[i,j] * y[j]", vectors),
        "they have no common loop that can be fused"
    );
    let scalar = "tensors = { y = 'dense', x = 'dense' }";
    assert_eq!(
        reason("s = x[i] * x[i]", "y[i] = x[i] / s", scalar),
        "`s` is known only after all loops"
    );
    let rows = "tensors = { y = 'dense', C = 'csr', A = 'csr', B = 'csr' }";
    assert_eq!(
        reason("C[i,j] = A[i,j] + B[i,j]", "y[i] = C[i,j]", rows),
        "`C` is known only after its assembly"
    );
}

#[test]
fn loops_over_different_entries_are_not_merged() {
    let tensors =
        "tensors = { y = 'dense', z = 'dense', A = 'csr', B = 'csr', x = 'dense', w = 'dense' }";
    let text = explained("y[i] = A[i,j] * x[j] + w[i]", "z[i] = B[i,j] * x[j] + w[i]", tensors);
    let shared = "∀i (y[i] = sum + w[i] where ∀j sum += A[i,j] * x[j]; \
                  z[i] = sum_z + w[i] where ∀j sum_z += B[i,j] * x[j])";
    assert!(text.contains(shared), "{text}");
}
