use super::*;
use crate::notation::syntax::{Index, IndexKind};

/// The structure of an expression, operators first.
fn shape(expr: &Expr) -> String {
    let all = |exprs: Vec<&Expr>| exprs.into_iter().map(shape).collect::<Vec<_>>().join(" ");
    match &expr.kind {
        ExprKind::Number(number) => format!("{number:?}"),
        ExprKind::Constant(constant) => format!("{constant:?}"),
        ExprKind::Access(access) => access_shape(access),
        ExprKind::Unary(op, _) => format!("({op:?} {})", all(expr.children())),
        ExprKind::Binary(op, ..) => format!("({op:?} {})", all(expr.children())),
        ExprKind::Call(name, _) => format!("({} {})", name.text, all(expr.children())),
        ExprKind::Reduce(name, variables, _) => {
            let variables: Vec<_> = variables.iter().map(|name| name.text.as_str()).collect();
            format!("({}[{}] {})", name.text, variables.join(","), all(expr.children()))
        }
    }
}

fn access_shape(access: &Access) -> String {
    if access.indices.is_empty() {
        return access.name.text.clone();
    }
    let indices: Vec<_> = access.indices.iter().map(index_shape).collect();
    format!("{}[{}]", access.name.text, indices.join(","))
}

fn index_shape(index: &Index) -> String {
    let texts = |names: &[Name]| names.iter().map(|n| n.text.clone()).collect::<Vec<_>>().join(" ");
    match &index.kind {
        IndexKind::Name(name) => name.text.clone(),
        IndexKind::Slice(name, bounds) => format!("slice {} {}", name.text, texts(bounds)),
        IndexKind::Set(name, set) => format!("set {} {}", name.text, texts(set.as_slice())),
        IndexKind::Fixed => "fixed".to_owned(),
        IndexKind::Affine(names) => format!("affine {}", texts(names)),
        IndexKind::Gather(access) => format!("gather {}", access_shape(access)),
    }
    .trim_end()
    .to_owned()
}

fn check(value: &str, expected: &str) {
    match statement(&Text::plain(&format!("y = {value}"))) {
        Ok(statement) => assert_eq!(shape(&statement.right), expected, "{value}"),
        Err(mistake) => panic!("{value}: {}", mistake.message),
    }
}

#[test]
fn operators_bind_as_in_the_grammar() {
    check("a + b * c", "(Add a (Mul b c))");
    check("a - b - c", "(Sub (Sub a b) c)");
    check("a / b * c", "(Mul (Div a b) c)");
    check("a * -b", "(Mul a (Neg b))");
    check("-a * b", "(Mul (Neg a) b)");
    check("--a", "(Neg (Neg a))");
    check("!a & b | c", "(Or (And (Not a) b) c)");
    check("a + b <= c", "(Compare (Add a b) c)");
    check("a < b & c != d", "(And (Compare a b) (Compare c d))");
    check("(a + b) * c", "(Mul (Add a b) c)");
}

#[test]
fn numbers_end_where_they_should() {
    check("2", "Int(2)");
    check("2.5e-3", "Float(0.0025)");
    check("1e5", "Float(100000.0)");
    check("007", "Int(7)");
    check("9223372036854775808", "Float(9.223372036854776e18)");
    check("x[i in 2..12]", "x[slice i]");
    check("x[i in lo..12 step 2 shift -1]", "x[slice i lo]");
}

#[test]
fn every_kind_of_index_is_read() {
    check("x[i, j]", "x[i,j]");
    check("x[3]", "x[fixed]");
    check("x[2*i + k - 1]", "x[affine i k]");
    check("x[-i + 3]", "x[affine i]");
    check("x[3 - i]", "x[affine i]");
    check("x[i in {1, 2}]", "x[set i]");
    check("x[i in rows]", "x[set i rows]");
    check("E[word[i], j]", "E[gather word[i],j]");
    check("x[i in 0..n]", "x[slice i n]");
}

#[test]
fn calls_and_reductions_are_told_apart() {
    check("min(a, b)", "(min a b)");
    check("min[i](x[i])", "(min[i] x[i])");
    check("sum[i, j](A[i,j])", "(sum[i,j] A[i,j])");
    check("f64(a) * select(a > 0, pi, inf)", "(Mul (f64 a) (select (Compare a Int(0)) Pi Inf))");
    check("present(M[i,j])", "(present M[i,j])");
    check("mine(a)", "(mine a)");
}

#[test]
fn every_assignment_is_read() {
    let cases = [
        ("y[i] = x[i]", Assign::Set),
        ("y[i] += x[i]", Assign::Add),
        ("y[i]-=x[i]", Assign::Sub),
        ("y[i] *= x[i]", Assign::Mul),
        ("y[i] min= x[i]", Assign::Min),
        ("y max= x[i]", Assign::Max),
    ];
    for (text, expected) in cases {
        let found = statement(&Text::plain(text)).map(|statement| statement.assign);
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
