//! Tests of the folding constructors.

use super::*;

fn x() -> Expr {
    Expr::var("x")
}

fn float(x: f64) -> Expr {
    Expr::value(Literal::Float(x), Dtype::F64)
}

fn int(n: i64) -> Expr {
    Expr::value(Literal::Int(n), Dtype::U8)
}

#[test]
fn index_arithmetic_has_no_noise() {
    let n = Expr::Index;
    let row = Expr::add(Expr::mul(n(0), Expr::var("n")), x());
    assert_eq!(row, x());
    assert_eq!(Expr::mul(n(1), x()), x());
    assert_eq!(Expr::sub(Expr::add(x(), n(1)), n(1)), x());
    assert_eq!(Expr::add(Expr::sub(x(), n(1)), n(1)), x());
    assert_eq!(Expr::add(Expr::add(x(), n(2)), n(3)), Expr::add(x(), n(5)));
    assert_eq!(Expr::add(n(2), x()).to_string(), "x + 2");
    assert_eq!(Expr::sub(Expr::add(x(), n(2)), n(5)).to_string(), "x - 3");
    assert_eq!(Expr::sub(Expr::add(x(), n(1)), x()), n(1));
    assert_eq!(Expr::mul(Expr::mul(n(4), x()), n(2)).to_string(), "x * 8");
    assert_eq!(Expr::min(x(), x()), x());
    assert_eq!(Expr::max(n(0), x()), x());
    assert_eq!(Expr::rem(x(), n(1)), n(0));
    assert_eq!(Expr::mul(n(6), n(7)), n(42));
    assert_eq!(Expr::sub(n(1), n(2)).to_string(), "1 - 2");
}

#[test]
fn floats_fold_only_where_every_bit_stays() {
    assert_eq!(Expr::mul(x(), float(1.0)), x());
    assert_eq!(Expr::mul(float(1.0), x()), x());
    assert_eq!(Expr::div(x(), float(1.0)), x());
    assert_eq!(Expr::sub(x(), float(0.0)), x());
    assert_eq!(Expr::add(x(), float(0.0)).to_string(), "x + 0.0");
    assert_eq!(Expr::mul(float(0.0), x()).to_string(), "0.0 * x");
    assert_eq!(Expr::sub(float(0.0), x()).to_string(), "0.0 - x");
    assert_eq!(Expr::neg(float(2.0)), float(-2.0));
    let y = || Expr::var("y");
    assert_eq!(Expr::mul(Expr::neg(x()), Expr::neg(y())).to_string(), "x * y");
    assert_eq!(Expr::div(Expr::neg(x()), Expr::neg(y())).to_string(), "x / y");
    assert_eq!(Expr::mul(Expr::neg(x()), y()).to_string(), "-x * y");
    assert_eq!(Expr::add(x(), Expr::neg(Expr::var("y"))).to_string(), "x - y");
}

#[test]
fn integers_fold_where_their_type_holds_the_result() {
    assert_eq!(Expr::mul(int(0), x()), int(0));
    assert_eq!(Expr::add(x(), int(0)), x());
    assert_eq!(Expr::add(int(200), int(55)), int(255));
    assert_eq!(Expr::add(int(200), int(56)).to_string(), "200 + 56");
    assert_eq!(Expr::sub(int(1), int(2)).to_string(), "1 - 2");
}
