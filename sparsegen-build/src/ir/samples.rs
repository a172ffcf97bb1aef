//! Sample functions for tests.

use super::*;

fn var(name: &str) -> Expr {
    Expr::var(name)
}

fn next(name: &str) -> Expr {
    Expr::add(var(name), Expr::Index(1))
}

/// Returns the arrays of a `csr` matrix.
fn csr_arrays(name: &str) -> Vec<Array> {
    let place = |field: &str| Place::Level { level: 1, field: field.to_string() };
    let index = Element::Index(Width::U32);
    vec![
        Array { name: format!("{name}2_pos"), element: index, place: place("pos") },
        Array { name: format!("{name}2_crd"), element: index, place: place("crd") },
        vals(name),
    ]
}

fn vals(name: &str) -> Array {
    let element = Element::Value(Dtype::F64);
    Array { name: format!("{name}_vals"), element, place: Place::Values }
}

fn operand(name: &str, tensor: &str, format: &str, arrays: Vec<Array>) -> Operand {
    Operand::Tensor(TensorOperand {
        pattern: false,
        name: name.to_string(),
        tensor: tensor.to_string(),
        dtype: Dtype::F64,
        format: format.to_string(),
        arrays,
        extents: Vec::new(),
    })
}

fn size(variable: &str, operands: &[(usize, usize)], result: &[usize], used: bool) -> Size {
    Size {
        name: format!("{variable}_size"),
        variable: variable.to_string(),
        constant: None,
        operands: operands.to_vec(),
        parts: Vec::new(),
        of_result: result.first().map(|mode| (0, *mode)),
        result: result.to_vec(),
        chosen_from: None,
        used,
    }
}

/// Returns `y[i] = A[i,j] * x[j]` with A in `csr`.
pub(crate) fn spmv() -> Function {
    let product = Expr::mul(Expr::load("a_vals", var("p_a")), Expr::load("x_vals", var("j")));
    let entries =
        vec![Stmt::bind("j", Expr::load("a2_crd", var("p_a"))), Stmt::accumulate("sum", product)];
    let (start, end) = (Expr::load("a2_pos", var("i")), Expr::load("a2_pos", next("i")));
    let mut row = vec![Stmt::bind_mut("sum", Expr::value(Literal::Int(0), Dtype::F64))];
    row.extend(Stmt::for_range("p_a", start, end, entries));
    row.push(Stmt::store("y_vals", var("i"), var("sum")));
    Function {
        name: "spmv".into(),
        docs: vec!["`y[i] = A[i,j] * x[j]`".into()],
        time: Time::default(),
        operands: vec![
            operand("a", "A", "Csr", csr_arrays("a")),
            operand("x", "x", "Dense<1>", vec![vals("x")]),
        ],
        conversions: Vec::new(),
        parts: Vec::new(),
        gathers: Vec::new(),
        sizes: vec![size("i", &[(0, 0)], &[0], true), size("j", &[(0, 1), (1, 0)], &[], false)],
        result: Result::Tensor(TensorResult {
            cover: None,
            name: "y".into(),
            tensor: "y".into(),
            dtype: Dtype::F64,
            pattern: false,
            fill: Box::new(Expr::value(Literal::Int(0), Dtype::F64)),
            is_new_filled: true,
            format: "Dense<1>".into(),
            packed: None,
            combining: None,
            updates: false,
            shape: vec![0],
            assembly: Assembly::Computed {
                vals: vals("y"),
                zeroed: false,
                structure: Vec::new(),
                numbers: Vec::new(),
            },
        }),
        traits: Vec::new(),
        others: Vec::new(),
        unroll: Vec::new(),
        reassociates: true,
        simd: Simd::Auto,
        is_vectorized: false,
        bounds: Bounds::Proven,
        unchecked: Vec::new(),
        body: Stmt::for_range("i", Expr::Index(0), var("i_size"), row),
        parallel: None,
        phases: Vec::new(),
        given: Vec::new(),
        compute: None,
        division: None,
    }
}

/// Returns `C[i,j] = A[i,j] + B[i,j]` with all matrices in `csr`.
pub(crate) fn add() -> Function {
    let append = |value: Expr, coordinate: &str| {
        vec![Stmt::push("c2_crd", var(coordinate)), Stmt::push("c_vals", value)]
    };
    let value = |name: &str| Expr::load(&format!("{name}_vals"), var(&format!("p_{name}")));
    let advance = |name: &str| Stmt::accumulate(&format!("p_{name}"), Expr::Index(1));
    let left = |name: &str| Expr::lt(var(&format!("p_{name}")), var(&format!("p_{name}_end")));
    let coordinate = |name: &str| {
        let value = Expr::load(&format!("{name}2_crd"), var(&format!("p_{name}")));
        Stmt::bind(&format!("j_{name}"), value)
    };
    let with = |mut stmts: Vec<Stmt>, more: Vec<Stmt>| {
        stmts.extend(more);
        stmts
    };

    let mut row = Vec::new();
    for name in ["a", "b"] {
        let pos = format!("{name}2_pos");
        row.push(Stmt::bind_mut(&format!("p_{name}"), Expr::load(&pos, var("i"))));
        row.push(Stmt::bind(&format!("p_{name}_end"), Expr::load(&pos, next("i"))));
    }
    row.push(Stmt::Comment("A and B both have entries left in row i.".into()));
    let both =
        with(append(Expr::add(value("a"), value("b")), "j_a"), vec![advance("a"), advance("b")]);
    let cases = Stmt::choose(
        vec![
            (Expr::eq(var("j_a"), var("j_b")), both),
            (Expr::lt(var("j_a"), var("j_b")), with(append(value("a"), "j_a"), vec![advance("a")])),
        ],
        with(append(value("b"), "j_b"), vec![advance("b")]),
    );
    row.extend(Stmt::repeat_while(
        Expr::and(left("a"), left("b")),
        with(vec![coordinate("a"), coordinate("b")], cases),
    ));
    for name in ["a", "b"] {
        row.push(Stmt::Comment(format!("Only {} is left.", name.to_uppercase()).into()));
        let crd = format!("{name}2_crd");
        let p = format!("p_{name}_rest");
        let body = vec![
            Stmt::push("c2_crd", Expr::load(&crd, var(&p))),
            Stmt::push("c_vals", Expr::load(&format!("{name}_vals"), var(&p))),
        ];
        let (start, end) = (var(&format!("p_{name}")), var(&format!("p_{name}_end")));
        row.extend(Stmt::for_range(&p, start, end, body));
    }
    row.push(Stmt::push("c2_pos", Expr::len("c2_crd")));

    let mut body: Vec<Stmt> =
        ["c2_pos", "c2_crd", "c_vals"].map(|array| Stmt::Clear { array: array.into() }).into();
    body.push(Stmt::Reserve { array: "c2_pos".into(), additional: next("i_size") });
    body.push(Stmt::push("c2_pos", Expr::Index(0)));
    body.extend(Stmt::for_range("i", Expr::Index(0), var("i_size"), row));
    Function {
        name: "add".into(),
        docs: vec!["`C[i,j] = A[i,j] + B[i,j]`".into()],
        time: Time::default(),
        operands: vec![
            operand("a", "A", "Csr", csr_arrays("a")),
            operand("b", "B", "Csr", csr_arrays("b")),
        ],
        conversions: Vec::new(),
        parts: Vec::new(),
        gathers: Vec::new(),
        sizes: vec![
            size("i", &[(0, 0), (1, 0)], &[0], true),
            size("j", &[(0, 1), (1, 1)], &[1], false),
        ],
        result: Result::Tensor(TensorResult {
            cover: None,
            name: "c".into(),
            tensor: "C".into(),
            dtype: Dtype::F64,
            pattern: false,
            fill: Box::new(Expr::value(Literal::Int(0), Dtype::F64)),
            is_new_filled: true,
            format: "Csr".into(),
            packed: None,
            combining: None,
            updates: false,
            shape: vec![0, 1],
            assembly: Assembly::Assembled {
                arrays: csr_arrays("c"),
                extents: Vec::new(),
                fits: vec![Fit {
                    array: "c2_pos".into(),
                    length_of: "c2_crd".into(),
                    follows: Follows::Ends,
                    what: "positions of level 2".into(),
                }],
            },
        }),
        traits: Vec::new(),
        others: Vec::new(),
        unroll: Vec::new(),
        reassociates: true,
        simd: Simd::Auto,
        is_vectorized: false,
        bounds: Bounds::Proven,
        unchecked: Vec::new(),
        body,
        parallel: None,
        phases: Vec::new(),
        given: Vec::new(),
        compute: None,
        division: None,
    }
}

/// Returns the sum `s = alpha * x[i]`, with all accesses checked.
pub(crate) fn scaled_sum() -> Function {
    let value = Expr::mul(var("alpha"), Expr::load("x_vals", var("i")));
    let mut body = vec![Stmt::bind_mut("sum", Expr::value(Literal::Int(0), Dtype::F64))];
    let entries = vec![Stmt::accumulate("sum", value)];
    body.extend(Stmt::for_range("i", Expr::Index(0), var("i_size"), entries));
    Function {
        name: "scaled_sum".into(),
        docs: vec!["`s = alpha * x[i]`".into()],
        time: Time::default(),
        operands: vec![
            Operand::Scalar { name: "alpha".into(), dtype: Dtype::F64 },
            operand("x", "x", "Dense<1>", vec![vals("x")]),
        ],
        conversions: Vec::new(),
        parts: Vec::new(),
        gathers: Vec::new(),
        sizes: vec![size("i", &[(1, 0)], &[], true)],
        result: Result::Scalar { dtype: Dtype::F64, value: var("sum"), updates: None },
        traits: Vec::new(),
        others: Vec::new(),
        unroll: Vec::new(),
        reassociates: true,
        simd: Simd::Auto,
        is_vectorized: false,
        bounds: Bounds::Checked,
        unchecked: Vec::new(),
        body,
        parallel: None,
        phases: Vec::new(),
        given: Vec::new(),
        compute: None,
        division: None,
    }
}

/// Adds bounds for all arrays and reservations of a function, unless all accesses are checked.
pub(crate) fn stated(mut function: Function) -> Function {
    let mut stated: Vec<(String, Unchecked, Ground)> = Vec::new();
    match function.bounds {
        Bounds::Proven => {}
        Bounds::Checked => return function,
    }
    for tensor in function.tensors() {
        let arrays = tensor.arrays.iter().map(|array| array.name.clone());
        stated.extend(arrays.map(|array| (array, Unchecked::Index, Ground::Valid)));
    }
    for result in function.results() {
        let arrays = result.arrays().iter().chain(result.structure());
        let arrays = arrays.map(|array| array.name.clone());
        match &result.assembly {
            Assembly::Computed { .. } => {
                stated.extend(arrays.map(|array| (array, Unchecked::Index, Ground::Valid)));
            }
            Assembly::Assembled { .. } => {
                stated.extend(arrays.map(|array| (array, Unchecked::Append, Ground::Counted)));
            }
        }
    }
    let lists = function.parts.iter().filter_map(Part::list).map(str::to_owned);
    stated.extend(lists.map(|array| (array, Unchecked::Index, Ground::Listed)));
    let bound = |(array, of, ground): (String, Unchecked, Ground)| {
        let most = Expr::len(&array);
        Bound { array, of, most, ground }
    };
    function.unchecked = stated.into_iter().map(bound).collect();
    function
}
