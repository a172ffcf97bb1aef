use crate::error::Diagnostics;
use crate::level::Levels;
use crate::manifest;
use crate::notation::{self, Module};

fn compile(manifest: &str) -> (Module, Diagnostics) {
    let (parsed, mut mistakes) = manifest::parse(manifest);
    let (statements, wrong) = notation::parse(&parsed);
    mistakes.extend(wrong);
    let (module, wrong) = super::check(&parsed, &statements, &Levels::default());
    mistakes.extend(wrong);
    (module, mistakes.into_iter().collect())
}

/// Returns the manifest of one statement in which every tensor with indices is dense.
fn manifest(statement: &str, more: &str) -> String {
    let mut tensors: Vec<&str> = Vec::new();
    for (bracket, _) in statement.match_indices('[') {
        let name = statement[..bracket].rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        if !["sum", "max", ""].contains(&name) && !tensors.contains(&name) {
            tensors.push(name);
        }
    }
    let tensors: Vec<_> = tensors.iter().map(|name| format!("{name} = 'dense'")).collect();
    format!("[kernels.k]\nexpr = '{statement}'\ntensors = {{ {} }}\n{more}", tensors.join(", "))
}

/// Checks that a valid statement has this canonical form.
fn check(statement: &str, expected: &str) {
    check_with(statement, "", expected);
}

fn check_with(statement: &str, more: &str, expected: &str) {
    let text = manifest(statement, more);
    let (module, mistakes) = compile(&text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("kernels.toml", &text));
    let shown = module.kernels[0].to_string();
    assert_eq!(shown.lines().next(), Some(expected), "{statement}");
}

/// Checks the messages about a statement.
fn refuse(statement: &str, more: &str, expected: &[&str]) {
    let (module, mistakes) = compile(&manifest(statement, more));
    let messages: Vec<_> = mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
    assert_eq!(messages, expected, "{statement}");
    assert!(module.kernels.is_empty(), "{statement}");
}

#[test]
fn parts_of_modes_stay_as_written() {
    check("y[j] = A[3,j]", "y[j] = A[3,j]");
    check("y[j] = A[3, j] + x[j in 2..9 step 3]", "y[j] = A[3,j] + x[j in 2..9 step 3]");
    check_with("y[j] = A[j in 0..n]", "params = { n = 'index' }", "y[j] = A[j in 0..n]");
    // An additional sum over a single coordinate does not change the value.
    check("y[i] = A[i,k] * B[k,3]", "y[i] = sum[k,at_3](A[i,k] * B[k,3])");
    refuse(
        "y[j] = x[j in 0..4] * z[j in 1..9 step 4]",
        "",
        &["`j` has 2 coordinates here, but 4 in `j in 0..4`"],
    );
}

#[test]
fn sums_become_explicit() {
    check("y[i] = A[i,j] * x[j]", "y[i] = sum[j](A[i,j] * x[j])");
    check("r[i] = b[i] - A[i,j] * x[j]", "r[i] = b[i] - sum[j](A[i,j] * x[j])");
    check("r[i] = b[i] - (A[i,j] * x[j] + c[i])", "r[i] = b[i] - (sum[j](A[i,j] * x[j]) + c[i])");
    check("s = A[i,j]", "s = sum[i,j](A[i,j])");
    check("y[i] = -A[i,j]", "y[i] = -sum[j](A[i,j])");
    check("C[i,j] = a[i] + b[j]", "C[i,j] = a[i] + b[j]");
    check("y[i] = A[i,j] / d[j]", "y[i] = sum[j](A[i,j] / d[j])");
    check("y[i] = A[i,j] / d[i]", "y[i] = sum[j](A[i,j] / d[i])");
    check("y[i] = 2 * (A[i,j] + B[i,j])", "y[i] = sum[j](2 * (A[i,j] + B[i,j]))");
    check("y[i] = x[j] * (A[i,j] + c[i])", "y[i] = sum[j](x[j] * (A[i,j] + c[i]))");
    check("y[i] = b[i] * sum[j](A[i,j])", "y[i] = b[i] * sum[j](A[i,j])");
    check("s = sum[i](x[i] * sum[j](A[i,j]))", "s = sum[i](x[i] * sum[j](A[i,j]))");
    check("s = sum[i](sum[j](A[i,j]))", "s = sum[i,j](A[i,j])");
    check("y[i] = sum[j](A[i,j]) * sum[j](B[i,j])", "y[i] = sum[j](A[i,j]) * sum[j](B[i,j])");
}

#[test]
fn sums_stand_outside_of_what_holds_only_some_uses() {
    for (statement, value) in [
        ("y[i] = (sqrt(A[i,j]) + D[i,j]) * c[i]", "(sqrt(A[i,j]) + D[i,j]) * c[i]"),
        ("y[i] = c[i] * -(D[i,j] - abs(A[i,j]))", "c[i] * -(D[i,j] - abs(A[i,j]))"),
        ("y[i] = (A[i,j] / d[j] + 1 / x[j]) * c[i]", "(A[i,j] / d[j] + 1 / x[j]) * c[i]"),
        ("y[i] = b[i] * (2 * (A[i,j] + 1) + D[i,j])", "b[i] * (2 * (A[i,j] + 1) + D[i,j])"),
        ("y[i] = (A[i,j] + max(D[i,j], 0)) / 2", "(A[i,j] + max(D[i,j], 0)) / 2"),
    ] {
        check(statement, &format!("y[i] = sum[j]({value})"));
    }
    refuse(
        "y[i] = (sqrt(A[i,j]) + D[i,j] + c[i]) * b[i]",
        "",
        &["the sum over `j` must be written here"],
    );
}

#[test]
fn sums_are_demanded_where_they_could_stand_elsewhere() {
    let demanded = ["the sum over `j` must be written here"];
    for statement in [
        "y[i] = b[i] * (A[i,j] * x[j] + c[i])",
        "y[i] = (A[i,j] + c[i]) / d[i]",
        "y[i] = b[i] / A[i,j]",
        "y[i] = b[i] * (-(A[i,j] + c[i]))",
        "y[i] = b[i] * sum[k](T[i,j,k])",
    ] {
        refuse(statement, "", &demanded);
    }
    refuse(
        "y[i] = 1 / (A[i,j] * T[i,j,k])",
        "",
        &["the sum over `j` and `k` must be written here"],
    );
    refuse("y[i] = sqrt(A[i,j])", "", &["the sum over `j` must be written here"]);
    check("y[i] = sqrt(A[i,j]) * x[j]", "y[i] = sum[j](sqrt(A[i,j]) * x[j])");
    refuse(
        "y[i] = max[j](A[i,j]) + (A[i,j] > 0)",
        "",
        &[
            "`j` is bound by a reduction and used outside of it",
            "the sum over `j` must be written here",
        ],
    );
}

#[test]
fn constants_are_folded_in_the_type_around_them() {
    check("y[i] = 2 * 3 * x[i]", "y[i] = 6 * x[i]");
    check("y[i] = 1 / 4 * x[i]", "y[i] = 0.25 * x[i]");
    check("y[i] = 1 * x[i] + 0", "y[i] = x[i]");
    check("y[i] = x[i] / 1 - 0", "y[i] = x[i]");
    check("y[i] = 0 - x[i]", "y[i] = -x[i]");
    check("y[i] = 0 * x[i]", "y[i] = 0");
    check("y[i] = pi * x[i]", "y[i] = 3.141592653589793 * x[i]");
    check_with("y[i] = 2.0 * x[i]", "dtype = 'i32'", "y[i] = 2 * x[i]");
    check_with("y[i] = x[i] * (200 - 100)", "dtype = 'i8'", "y[i] = x[i] * 100");
    check_with("y[i] = x[i] + -128", "dtype = 'i8'", "y[i] = x[i] + -128");
}

#[test]
fn functions_are_folded_through_what_is_known() {
    check("y[i] = cos(0) * x[i]", "y[i] = x[i]");
    check("y[i] = select(1 > 2, x[i], 3)", "y[i] = 3");
    check("y[i] = select(true | (x[i] > 0), x[i], 3)", "y[i] = x[i]");
    check("y[i] = !!(x[i] >= 0)", "y[i] = f64(0 <= x[i])");
    check("y[i] = exp(-inf) + x[i]", "y[i] = x[i]");
}

#[test]
fn functions_of_the_users_run_within_their_regions() {
    let with = |keys: &str| format!("[functions.f]\npath = 'f'\nargs = ['a', 'b']\n{keys}");
    let cases = [
        ("stores = 'all'", "y[i] = f(x[i], z[i])"),
        ("", "y[i] = f(x[i], z[i])"),
        ("stores = '!a & b'", "y[i] = select(!present(x[i]) & present(z[i]), f(x[i], z[i]), 0)"),
        ("annihilator = 0", "y[i] = select(present(x[i]) & present(z[i]), f(x[i], z[i]), 0)"),
        ("identity = 0", "y[i] = select(present(x[i]) | present(z[i]), f(x[i], z[i]), 0)"),
        ("idempotent = true", "y[i] = select(present(x[i]) | present(z[i]), f(x[i], z[i]), 0)"),
        (
            "regions = [['a & b', 'g']]",
            "y[i] = select(present(x[i]) & present(z[i]), g(x[i], z[i]), f(x[i], z[i]))",
        ),
    ];
    for (keys, expected) in cases {
        check_with("y[i] = f(x[i], z[i])", &with(keys), expected);
    }
    check_with("y[i] = f(x[i], 2)", &with("annihilator = 2"), "y[i] = 2");
    check_with("y[i] = f(x[i], 1)", &with("identity = 1"), "y[i] = x[i]");
    check_with("y[i] = f(x[i], x[i])", &with("idempotent = true"), "y[i] = x[i]");
    check_with(
        "y[i] = f(x[i], 1)",
        &with("stores = 'a & b'"),
        "y[i] = select(present(x[i]), f(x[i], 1), 0)",
    );
    refuse("y[i] = f(x[i])", &with(""), &["`f` takes 2 arguments, not 1"]);
}

#[test]
fn conditions_as_factors_are_masks_or_numbers() {
    check("s = A[i,j] * (i >= j)", "s = sum[i,j]((j <= i) * A[i,j])");
    check(
        "s = (i > 2) * (A[i,j] * absent(A[j,i]))",
        "s = sum[i,j]((2 < i & !present(A[j,i])) * A[i,j])",
    );
    check("y[i] = x[i] * (z[i] > 1)", "y[i] = x[i] * f64(1 < z[i])");
    check("y[i] = replace(x[i], z[i])", "y[i] = select(present(z[i]), z[i], x[i])");
    check("y[i] = replace(0, z[i])", "y[i] = z[i]");
    check("y[i] = present(2 * x[i] + 1)", "y[i] = f64(present(2 * x[i] + 1))");
}

#[test]
fn semirings_have_zeros_of_their_own() {
    let min_plus = "semiring = 'min_plus'";
    check_with("y[i] = 0 * x[i] + inf", min_plus, "y[i] = x[i]");
    check_with("y[i] = inf * x[i]", min_plus, "y[i] = 0");
    check_with("y[i] = x[i] + 3 * z[i]", min_plus, "y[i] = x[i] + 3 * z[i]");
    check_with("y[i] = x[i] * (i > 0 + 1)", min_plus, "y[i] = (1 < i) * x[i]");
    check_with("y[i] = abs(inf) * x[i]", min_plus, "y[i] = 0");
    refuse(
        "y[i] = -x[i] / 2",
        min_plus,
        &["`-` is not defined in a semiring", "`/` is not defined in a semiring"],
    );
    refuse(
        "s = A[i,j]",
        "semiring = 'min_plus'\ndtype = 'c64'",
        &["the semiring does not support c64"],
    );
}

#[test]
fn numbers_must_fit_the_type_around_them() {
    let cases = [
        ("y[i] = 0.5 * x[i]", "i32", "i32 cannot hold `0.5`"),
        ("y[i] = 128 + x[i]", "i8", "i8 cannot hold `128`"),
        ("y[i] = -129 + x[i]", "i8", "i8 cannot hold `-129`"),
        ("y[i] = x[i] * (2 - 3)", "u8", "u8 cannot hold `2 - 3`, which is -1"),
        ("y[i] = 1e400 * x[i]", "f64", "f64 cannot hold `1e400`"),
        ("y[i] = 1e39 * x[i]", "f32", "f32 cannot hold `1e39`"),
        ("y[i] = x[i] / 0 + 1 / 0", "f64", "f64 cannot hold `1 / 0`, which is inf"),
        ("y[i] = x[i] / 300", "u8", "u8 cannot hold `300`"),
        ("y[i] = -x[i]", "usize", "usize has no negative values"),
    ];
    for (statement, dtype, message) in cases {
        refuse(statement, &format!("dtype = '{dtype}'"), &[message]);
    }
}

#[test]
fn scalars_are_passed_by_value_and_arguments_are_in_order() {
    let (module, mistakes) = compile(&manifest("s = b * x[i] + a * y[i] + x[i]", ""));
    assert!(mistakes.is_empty());
    let kernel = &module.kernels[0];
    let arguments: Vec<_> = kernel
        .tensors
        .iter()
        .map(|t| (t.argument.as_str(), t.by_value, t.format.marker()))
        .collect();
    let expected = [
        ("s", true, "Scalar".to_owned()),
        ("b", true, "Scalar".to_owned()),
        ("x", false, "Dense<1>".to_owned()),
        ("a", true, "Scalar".to_owned()),
        ("y", false, "Dense<1>".to_owned()),
    ];
    assert_eq!(arguments, expected);
    assert_eq!(kernel.accesses.len(), 5);
}

#[test]
fn accesses_survive_folding() {
    let (module, _) = compile(&manifest("y[i] = 0 * x[i]", ""));
    let kernel = &module.kernels[0];
    assert_eq!(kernel.accesses.iter().map(|a| kernel.show_access(a)).collect::<Vec<_>>(), ["x[i]"]);
}

#[test]
fn keywords_become_raw_arguments() {
    let (module, mistakes) = compile(&manifest("y[i] = type[i] * MassMatrix[i]", ""));
    assert!(mistakes.is_empty());
    let arguments: Vec<_> = module.kernels[0].tensors.iter().map(|t| &*t.argument).collect();
    assert_eq!(arguments, ["y", "r#type", "mass_matrix"]);
}

#[test]
fn arguments_of_names_that_differ_in_case_are_numbered() {
    let arguments = |statement: &str, keys: &str| -> Vec<String> {
        let (module, mistakes) = compile(&manifest(statement, keys));
        assert!(mistakes.is_empty(), "{mistakes:?}");
        module.kernels[0].tensors.iter().map(|tensor| tensor.argument.clone()).collect()
    };
    assert_eq!(arguments("y[i] = A[i,j] * a[j]", ""), ["y", "a_2", "a"]);
    assert_eq!(arguments("y[i] = A[i,j] * a[j] * a_2", ""), ["y", "a_3", "a", "a_2"]);
    assert_eq!(
        arguments("Y[i] = y[i] * massMatrix * MassMatrix", ""),
        ["y_2", "y", "mass_matrix", "mass_matrix_2"]
    );
    assert_eq!(arguments("y[i] = TYPE * type * x[i]", ""), ["y", "type_2", "r#type", "x"]);
    let keys = "params = { n = 'index' }";
    assert_eq!(arguments("y[i] = N * x[i in 0..n]", keys), ["y", "n_2", "x", "n"]);
}

#[test]
fn all_mistakes_of_a_statement_are_reported() {
    refuse(
        "y[k] = x[i,i] * A[i] + A[i,j] + y[i]",
        "sizes = { q = 3 }",
        &[
            "`k` is used only on the left",
            "`A` has 2 indices here and 1 index in its first access",
            "`q` is not an index variable of the statement",
        ],
    );
}

#[test]
fn maps_without_a_name_get_that_of_their_first_tensor() {
    let map = "(i, j) -> (j : compressed, i : dense)";
    let (module, mistakes) = compile(&format!(
        "[formats]\nmine = '(a, b) -> (a : dense, b : compressed)'\n\
         [kernels.one]\nexpr = 's = A[i,j] * B[i,j]'\ntensors = {{ A = '{map}', B = '{map}' }}\n\
         [kernels.two]\nexpr = 's = A[i,j] * B[i,j]'\n\
         tensors = {{ A = '{map}', B = {{ map = '{map}', pos = 'u64' }} }}\n"
    ));
    assert!(mistakes.is_empty());
    let markers: Vec<_> = module.formats.iter().map(|format| format.marker.as_str()).collect();
    assert_eq!(markers, ["Mine", "OneA", "TwoB"]);
    let used = |kernel: usize| -> Vec<String> {
        module.kernels[kernel].tensors.iter().map(|tensor| tensor.format.marker()).collect()
    };
    assert_eq!(used(0), ["Scalar", "OneA", "OneA"]);
    assert_eq!(used(1), ["Scalar", "OneA", "TwoB"]);
}

#[test]
fn equal_reductions_have_the_same_variables() {
    check("y[i] = max[k](A[i,k]) + max[l](A[i,l])", "y[i] = max[k](A[i,k]) + max[k](A[i,k])");
    // A reduction within another one has variables of its own.
    check(
        "s = max[k](x[k]) + sum[k](x[k] * max[l](x[l]))",
        "s = max[l](x[l]) + sum[k](x[k] * max[l](x[l]))",
    );
    check(
        "s = sum[k](sum[l](A[k,l])) + sum[l](sum[k](A[l,k]))",
        "s = sum[k,l](A[k,l]) + sum[k,l](A[k,l])",
    );
    check(
        "s = sum[k](x[k] * z[2*k + 1] * k) + sum[l](x[l] * z[2*l + 1] * l)",
        "s = sum[k](x[k] * z[2*k + 1] * k) + sum[k](x[k] * z[2*k + 1] * k)",
    );
    // They differ, or no variable is free at both places.
    check("s = max[k](x[k]) + max[l](z[l])", "s = max[k](x[k]) + max[l](z[l])");
    check(
        "s = max[k](x[k + 1] * z[k]) + max[l](x[l])",
        "s = max[k](x[k + 1] * z[k]) + max[l](x[l])",
    );
    check(
        "s = sum[k](x[k] * max[l](x[l])) + sum[l](z[l] * max[k](x[k]))",
        "s = sum[k](x[k] * max[l](x[l])) + sum[l](z[l] * max[k](x[k]))",
    );
    // The manifest names a variable.
    let apart = "y[i] = max[k](A[i,k]) + max[l](A[i,l])";
    for more in
        ["sizes = { k = 3 }", "schedule = ['unroll(l, 2)']", "schedule = ['reorder(i, l, k)']"]
    {
        check_with(apart, more, apart);
    }
    check_with(apart, "schedule = ['parallelize(i)']", "y[i] = max[k](A[i,k]) + max[k](A[i,k])");
}
