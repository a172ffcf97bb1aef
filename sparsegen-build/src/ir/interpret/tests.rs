use super::*;
use crate::ir::{Dtype, Element, Literal, Width, samples};

fn values(values: &[f64]) -> ArrayValue {
    ArrayValue::Values(values.iter().map(|x| Number::Float(*x)).collect())
}

fn index(indices: &[usize]) -> ArrayValue {
    ArrayValue::Index(indices.to_vec())
}

/// The matrix `[[1, 0, 2], [0, 0, 0], [0, 3, 4]]`.
fn matrix(name: &str, inputs: &mut Inputs) {
    inputs.arrays.insert(format!("{name}2_pos"), index(&[0, 2, 2, 4]));
    inputs.arrays.insert(format!("{name}2_crd"), index(&[0, 2, 1, 2]));
    inputs.arrays.insert(format!("{name}_vals"), values(&[1.0, 2.0, 3.0, 4.0]));
}

fn spmv_inputs() -> Inputs {
    let mut inputs = Inputs::default();
    matrix("a", &mut inputs);
    inputs.arrays.insert("x_vals".into(), values(&[10.0, 100.0, 1000.0]));
    inputs.arrays.insert("y_vals".into(), values(&[-1.0; 3]));
    inputs.sizes.insert("i_size".into(), 3);
    inputs
}

fn array(outputs: &Outputs, name: &str) -> ArrayValue {
    match outputs {
        Outputs::Arrays(arrays) => arrays[name].clone(),
        Outputs::Scalar(number) => panic!("a scalar: {number}"),
    }
}

#[test]
fn a_matrix_times_a_vector() {
    let outputs = run(&samples::spmv(), &spmv_inputs()).unwrap();
    assert_eq!(array(&outputs, "y_vals"), values(&[2010.0, 0.0, 4300.0]));
}

#[test]
fn a_union_whatever_the_result_held() {
    let mut inputs = Inputs::default();
    matrix("a", &mut inputs);
    inputs.arrays.insert("b2_pos".into(), index(&[0, 1, 2, 3]));
    inputs.arrays.insert("b2_crd".into(), index(&[2, 0, 0]));
    inputs.arrays.insert("b_vals".into(), values(&[5.0, 6.0, 7.0]));
    inputs.arrays.insert("c2_crd".into(), index(&[9]));
    inputs.sizes.insert("i_size".into(), 3);
    let outputs = run(&samples::add(), &inputs).unwrap();
    assert_eq!(array(&outputs, "c2_pos"), index(&[0, 2, 3, 6]));
    assert_eq!(array(&outputs, "c2_crd"), index(&[0, 2, 0, 0, 1, 2]));
    assert_eq!(array(&outputs, "c_vals"), values(&[1.0, 7.0, 6.0, 7.0, 3.0, 4.0]));
}

#[test]
fn a_scalar() {
    let mut inputs = Inputs::default();
    inputs.scalars.insert("alpha".into(), Number::Float(2.0));
    inputs.arrays.insert("x_vals".into(), values(&[1.0, 2.0]));
    inputs.sizes.insert("i_size".into(), 2);
    let outputs = run(&samples::scaled_sum(), &inputs);
    assert_eq!(outputs, Ok(Outputs::Scalar(Number::Float(6.0))));
}

/// The fault of running a body in place of that of `spmv`.
fn fault_of(body: Vec<Stmt>) -> String {
    let function = Function { body, ..samples::spmv() };
    run_within(&function, &spmv_inputs(), 1000).unwrap_err().to_string()
}

#[test]
fn what_rust_would_refuse_is_a_fault() {
    let zero = || Expr::value(Literal::Int(0), Dtype::F64);
    let n = Expr::Index;
    let cases = [
        (Stmt::bind("q", Expr::load("x_vals", n(3))), "index 3 of `x_vals`, which has 3 elements"),
        (Stmt::store("y_vals", n(7), zero()), "index 7 of `y_vals`, which has 3 elements"),
        (Stmt::store("x_vals", n(0), zero()), "`x_vals` is not mutable"),
        (Stmt::bind("q", Expr::sub(n(1), n(2))), "1 - 2 overflows or divides by zero"),
        (Stmt::bind("q", Expr::var("k")), "`k` is not declared"),
        (Stmt::assign("i_size", n(1)), "`i_size` is not mutable"),
        (Stmt::store("y_vals", n(0), n(1)), "index 1 is not an element of the array"),
        (Stmt::bind("q", Expr::load("z_vals", n(0))), "there is no array `z_vals`"),
        (Stmt::bind("q", Expr::load("y_vals", n(0))), "`y_vals[0]` is read before it is written"),
    ];
    for (stmt, reason) in cases {
        let statement = stmt.to_string();
        assert_eq!(fault_of(vec![stmt]), format!("`{}`: {reason}", statement.trim_end()));
    }
    assert_eq!(fault_of(Vec::new()), "`the end of spmv`: `y_vals[0]` was never written");
    let endless = Stmt::repeat_while(Expr::Bool(true), Vec::new());
    assert!(fault_of(endless).contains("limit of steps"));
}

#[test]
fn a_scope_ends_with_its_body() {
    let mut body = Stmt::when(Expr::Bool(true), Vec::new());
    body.push(Stmt::For {
        name: "k".into(),
        start: Expr::Index(0),
        end: Expr::Index(1),
        body: vec![Stmt::bind("inner", Expr::var("k"))],
    });
    body.push(Stmt::bind("q", Expr::var("inner")));
    assert_eq!(fault_of(body), "`let q = inner;`: `inner` is not declared");
}

#[test]
fn narrowing_must_not_lose() {
    let element = Element::Index(Width::U8);
    assert_eq!(arrays::narrowed(Value::Index(255), element), Ok(Value::Index(255)));
    assert_eq!(arrays::narrowed(Value::Index(256), element), Err("256 does not fit in u8".into()));
}

#[test]
fn numbers_are_those_of_their_type() {
    let of = |op, a, b, dtype| Number::arithmetic(op, a, b, dtype);
    let int = Number::Integer;
    assert_eq!(of(BinaryOp::Add, int(127), int(1), Dtype::I8), Err("overflow of i8".into()));
    assert_eq!(of(BinaryOp::Sub, int(0), int(1), Dtype::Usize), Err("overflow of usize".into()));
    assert_eq!(of(BinaryOp::Div, int(-7), int(2), Dtype::I8), Ok(int(-3)));
    assert_eq!(of(BinaryOp::Div, int(7), int(0), Dtype::I8), Err("division by zero".into()));
    let third = of(BinaryOp::Div, Number::Float(1.0), Number::Float(3.0), Dtype::F32);
    assert_eq!(third, Ok(Number::Float(f64::from(1.0f32 / 3.0))));
    let i = Number::Complex(0.0, 1.0);
    assert_eq!(of(BinaryOp::Mul, i, i, Dtype::C64), Ok(Number::Complex(-1.0, 0.0)));
    assert_eq!(of(BinaryOp::Div, i, i, Dtype::C32), Ok(Number::Complex(1.0, 0.0)));
}
