use super::*;

/// Checks that a value parses as `expected`, which has parentheses only where they are needed.
fn check(value: &str, expected: &str) {
    match statement(&Text::plain(&format!("y = {value}"))) {
        Ok(statement) => assert_eq!(statement.to_string(), format!("y = {expected}")),
        Err(mistake) => panic!("{value}: {}", mistake.message),
    }
}

/// Checks that a value parses as written.
fn same(value: &str) {
    check(value, value);
}

#[test]
fn operators_bind_as_in_the_grammar() {
    check("a + (b * c)", "a + b * c");
    check("(a - b) - c", "a - b - c");
    check("(a / b) * c", "a / b * c");
    check("(-a) * b", "-a * b");
    check("(((!a) & b) | c)", "!a & b | c");
    check("(a + b) <= c", "a + b <= c");
    check("(a < b) & (c != d)", "a < b & c != d");
    for value in [
        "a - (b - c)",
        "a / (b * c)",
        "(a + b) * c",
        "-(a + b)",
        "--a",
        "a * -b",
        "a & (b | c)",
        "(a < b) < c",
        "a == b | c >= d & e > f",
    ] {
        same(value);
    }
}

#[test]
fn numbers_end_where_they_should() {
    check("2.5e-3", "0.0025");
    check("1E5", "100000");
    check("007", "7");
    check("9223372036854775808", "9223372036854776000");
    same("x[i in 2..12]");
    same("x[i in lo..12 step 2 shift -1]");
}

#[test]
fn every_kind_of_index_is_read() {
    for value in [
        "x[i,j]",
        "x[3]",
        "x[2*i + k - 1]",
        "x[3 - i]",
        "x[-2*i - 3]",
        "x[i in {1, 2}]",
        "x[i in rows]",
        "E[word[i],j]",
        "x[i in 0..n shift 2]",
        "A[i / 2,rem(j + 1, n)]",
        "w[key[i] + 1]",
        "E[word[i / 2],j]",
        "x[i * j]",
    ] {
        same(value);
    }
    check("x[i*2 + (k - 1)]", "x[2*i + k - 1]");
    check("x[(i)]", "x[i]");
    check("x[-i + 3]", "x[3 - i]");
    check("x[-3 + i]", "x[i - 3]");
    check("x[0*i + 3]", "x[3]");
}

#[test]
fn sums_of_indices_do_not_overflow() {
    let most = i64::MAX;
    for index in [format!("{most} + {most} + i"), format!("{most}*i + {most}*i")] {
        let statement = statement(&Text::plain(&format!("y[i] = x[{index}]")));
        assert_eq!(statement.unwrap_err().message, "a number in this sum is too large");
    }
}

#[test]
fn calls_and_reductions_are_told_apart() {
    for value in [
        "min(a, b)",
        "min[i](x[i])",
        "sum[i,j](A[i,j]) * 2",
        "f64(a) * select(a > 0, pi, inf)",
        "present(M[i,j])",
        "mine(a)",
    ] {
        same(value);
    }
}

#[test]
fn every_assignment_is_read() {
    let cases = [
        ("y[i] = x[i]", None),
        ("y[i] += x[i]", Some(BinaryOp::Add)),
        ("y[i]-=x[i]", Some(BinaryOp::Sub)),
        ("y[i] *= x[i]", Some(BinaryOp::Mul)),
        ("y[i] min= x[i]", Some(BinaryOp::Min)),
        ("y max= x[i]", Some(BinaryOp::Max)),
    ];
    for (text, expected) in cases {
        let found = statement(&Text::plain(text)).map(|statement| statement.update);
        assert_eq!(found, Ok(expected), "{text}");
    }
}

#[test]
fn places_are_those_of_the_text() {
    let text = "y[i] = (A[i,j] + 2) * x[j]";
    let parsed = statement(&Text::plain(text)).expect("the statement is sound");
    let at = |span: Span| &text[span.start..span.end];
    let ExprKind::Binary(_, place, a, b) = &parsed.right.kind else { panic!("a product") };
    assert_eq!((at(a.span), at(*place), at(b.span)), ("(A[i,j] + 2)", "*", "x[j]"));
    assert_eq!(at(parsed.span), text);
    assert_eq!(at(parsed.left.span), "y[i]");
}
