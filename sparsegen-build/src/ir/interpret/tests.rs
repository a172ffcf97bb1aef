use super::*;
use crate::ir::{
    Array, Assembly, BinaryOp, Dtype, Element, EntryType, Literal, Operand, Width, samples,
};

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

/// Returns the fault of running a body in place of that of `spmv`.
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

/// Returns a function whose result is the index vector `y`, and that reads only the given arrays.
fn indexing(arrays: Vec<Array>, body: Vec<Stmt>) -> Function {
    let mut function = samples::add();
    function.operands.truncate(1);
    if let Operand::Tensor(tensor) = &mut function.operands[0] {
        tensor.arrays = arrays;
    }
    function.sizes.clear();
    if let crate::ir::Result::Tensor(result) = &mut function.result
        && let Assembly::Assembled { arrays, .. } = &mut result.assembly
    {
        *arrays = vec![array_of("y", Element::Index(Width::U8))];
    }
    function.body = body;
    function
}

fn array_of(name: &str, element: Element) -> Array {
    Array { name: name.into(), element, place: crate::ir::Place::Values }
}

/// Returns `y` after the statements, given an array `a`.
fn indexed(element: Element, a: &[usize], body: Vec<Stmt>) -> Result<ArrayValue, String> {
    let function = indexing(vec![array_of("a", element)], body);
    let mut inputs = Inputs::default();
    inputs.arrays.insert("a".into(), index(a));
    match run(&function, &inputs) {
        Ok(Outputs::Arrays(mut arrays)) => Ok(arrays.remove("y").expect("`y` is the result")),
        Ok(Outputs::Scalar(_)) => panic!("the result is a tensor"),
        Err(fault) => Err(fault.to_string()),
    }
}

#[test]
fn signed_indices_are_computed_with() {
    let d = || Expr::load("a", Expr::Index(0));
    let minus_two = (-2_isize) as usize;
    let ten = Expr::var("ten");
    let body = vec![
        Stmt::bind("ten", Expr::Index(10)),
        Stmt::push("y", Expr::below_zero(d())),
        Stmt::push("y", Expr::offset(ten.clone(), d())),
        Stmt::push("y", Expr::offset(ten.clone(), Expr::neg(d()))),
        Stmt::push("y", Expr::div_ceil(ten.clone(), Expr::var("ten"))),
        Stmt::bind("e", Expr::difference(Expr::Index(3), ten.clone())),
        Stmt::push("y", Expr::from_bool(Expr::lt(Expr::var("e"), d()))),
    ];
    let signed = Element::Signed(Width::U8);
    assert_eq!(indexed(signed, &[minus_two], body), Ok(index(&[2, 8, 12, 1, 1])));
    let fault = indexed(signed, &[128], Vec::new()).expect_err("it is too large");
    assert_eq!(fault, "`add`: 128 does not fit in i8");
    let below = Expr::load("a", Expr::offset(Expr::Index(1), d()));
    let below = vec![Stmt::push("y", Expr::from_bool(Expr::lt(below, d())))];
    let fault = indexed(signed, &[minus_two], below).expect_err("there is no such index");
    assert!(fault.ends_with("of `a`, which has 1 elements"), "{fault}");
}

#[test]
fn bits_are_read_and_set() {
    let bit = |k| Expr::load("a", Expr::Index(k));
    let body = [0, 1, 64, 65].map(|k| Stmt::push("y", Expr::from_bool(bit(k))));
    assert_eq!(indexed(Element::Bits, &[1, 2], body.into()), Ok(index(&[1, 0, 0, 1])));
    let fault = indexed(Element::Bits, &[1], vec![Stmt::push("y", Expr::from_bool(bit(64)))]);
    assert!(fault.is_err());

    let fill = |stmts: Vec<Stmt>| {
        let mut function = indexing(Vec::new(), stmts);
        if let crate::ir::Result::Tensor(result) = &mut function.result
            && let Assembly::Assembled { arrays, .. } = &mut result.assembly
        {
            *arrays = vec![array_of("y", Element::Bits)];
        }
        run(&function, &Inputs::default())
    };
    let zeros = Stmt::resize("y", Expr::Index(70), Expr::Bool(false));
    let set = |k| Stmt::store("y", Expr::Index(k), Expr::Bool(true));
    let filled = fill(vec![zeros.clone(), set(3), set(69)]);
    let expected = [("y".to_string(), index(&[1 << 3, 1 << 5]))].into();
    assert_eq!(filled, Ok(Outputs::Arrays(expected)));
    assert!(fill(vec![zeros.clone(), set(70)]).is_err());
    assert!(fill(vec![zeros, Stmt::resize("y", Expr::Index(1), Expr::Bool(false))]).is_err());
    assert!(fill(vec![Stmt::push("y", Expr::Bool(true))]).is_err());
}

#[test]
fn scratch_is_sorted() {
    let pair = |k: usize| {
        Stmt::push("order", Expr::Entry(vec![Expr::load("a", Expr::Index(k)), Expr::Index(k)]))
    };
    let entry = EntryType { coordinates: 1, width: Width::U8, value: None };
    let field = |k: usize| Expr::field(Expr::load("order", Expr::Index(0)), k);
    let body = vec![
        Stmt::scratch("order", Element::Entry(entry)),
        pair(0),
        pair(1),
        pair(2),
        Stmt::sort_by("order", 1),
        Stmt::push("y", field(0)),
        Stmt::push("y", field(1)),
        Stmt::push("y", Expr::len("order")),
        Stmt::clear("order"),
        Stmt::push("y", Expr::len("order")),
        Stmt::push("y", Expr::from_bool(Expr::lt(Expr::Index(255), Expr::largest(Width::U8)))),
    ];
    let element = Element::Index(Width::U8);
    assert_eq!(indexed(element, &[7, 5, 6], body), Ok(index(&[5, 1, 3, 0, 0])));
    assert!(indexed(element, &[7], vec![Stmt::sort("y"), Stmt::push("y", Expr::Index(1))]).is_ok());
    let indices = [3, 1, 2].map(|k| Stmt::push("y", Expr::Index(k))).into_iter();
    let sorted = indices.chain([Stmt::sort("y")]).collect();
    assert_eq!(indexed(element, &[7], sorted), Ok(index(&[1, 2, 3])));
}

#[test]
fn extents_are_given_and_returned() {
    let mut function = indexing(Vec::new(), Vec::new());
    let extent =
        |name: &str| crate::ir::Extent { name: name.into(), level: 0, field: "width".into() };
    if let Operand::Tensor(tensor) = &mut function.operands[0] {
        tensor.extents = vec![extent("a_width")];
    }
    if let crate::ir::Result::Tensor(result) = &mut function.result
        && let Assembly::Assembled { extents, .. } = &mut result.assembly
    {
        *extents = vec![extent("y_width")];
    }
    let doubled = Expr::mul(Expr::var("a_width"), Expr::Index(2));
    function.body = vec![Stmt::bind("y_width", doubled)];
    let mut inputs = Inputs::default();
    assert!(run(&function, &inputs).is_err());
    inputs.sizes.insert("a_width".into(), 3);
    let expected = [("y".to_string(), index(&[])), ("y_width".to_string(), index(&[6]))].into();
    assert_eq!(run(&function, &inputs), Ok(Outputs::Arrays(expected)));
}

#[test]
fn what_is_reserved_bounds_what_is_pushed() {
    let push = || Stmt::push("y", Expr::Index(1));
    let reserved = |pushes: usize| {
        let mut body = vec![push(), Stmt::reserve("y", Expr::Index(2))];
        body.extend((0..pushes).map(|_| push()));
        indexed(Element::Index(Width::U8), &[], body)
    };
    assert_eq!(reserved(2), Ok(index(&[1, 1, 1])));
    let fault = reserved(3).expect_err("there is no room");
    assert_eq!(fault, "`y.push(1);`: more is pushed than was reserved");
}
