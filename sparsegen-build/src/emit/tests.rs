mod golden;
mod storage;

use super::*;
use crate::ir::{
    Assembly, Bounds, Dtype, Element, Expr, FormatDeclaration, FormatKind, Function,
    LevelDeclaration, Literal, Operand, Result, Size, Stmt, Width, samples,
};
use crate::testing::completed;
use crate::types::UserType;

fn module(functions: Vec<Function>) -> Module {
    Module {
        manifest: "kernels.toml".into(),
        version: "0.1.0".into(),
        formats: Vec::new(),
        is_lazy: false,
        kernels: functions.into_iter().map(samples::stated).map(completed).collect(),
    }
}

fn emitted(function: Function) -> String {
    emit(&module(vec![function]))
}

/// Returns the lines of `spmv` with another body.
fn body(body: Vec<Stmt>) -> String {
    let text = emitted(Function { body, ..samples::spmv() });
    let (_, kernel) = text.split_once("fn spmv_kernel").expect("there is a kernel");
    let (_, body) = kernel.split_once("\n\n").expect("the kernel has a head");
    body.strip_suffix("}\n").expect("the kernel ends").to_string()
}

#[test]
fn a_kernel_that_computes() {
    assert_eq!(emitted(samples::spmv()), golden::SPMV);
}

#[test]
fn a_kernel_that_assembles() {
    let text = emitted(samples::add());
    let start = text.find("/// Like [`add`]").expect("there is an `add_into`");
    assert_eq!(&text[start..], golden::ADD);
}

#[test]
fn a_kernel_without_unsafe() {
    assert_eq!(emitted(samples::scaled_sum()), golden::SCALED_SUM);
    let text = emitted(Function { bounds: Bounds::Checked, ..samples::add() });
    assert!(!text.contains("unsafe") && !text.contains("Proven"), "{text}");
    assert!(text.contains("    *c = Tensor::from_parts(shape, levels, vals)?;\n"), "{text}");
    assert!(text.contains("    let a2_crd = a.levels().1.crd;\n"), "{text}");
}

#[test]
fn zeros_are_written_only_into_what_is_there() {
    let mut function = samples::spmv();
    if let Result::Tensor(result) = &mut function.result
        && let Assembly::Computed { zeroed, .. } = &mut result.assembly
    {
        *zeroed = true;
    }
    let text = emitted(function);
    let allocating = "    let (a, x) = (a.into_view()?, x.into_view()?);
    let mut y = Tensor::zeros([a.shape()[0]])?;
    spmv_check(&y, a, x)?;
    spmv_kernel(y.vals_mut(), a, x);
    Ok(y)
";
    let into = "    let (a, x) = (a.into_view()?, x.into_view()?);
    spmv_check(y, a, x)?;
    y.vals_mut().fill(0.0);
    spmv_kernel(y.vals_mut(), a, x);
    Ok(())
";
    assert!(text.contains(allocating) && text.contains(into), "{text}");
}

#[test]
fn a_constant_size_is_demanded() {
    let mut function = samples::spmv();
    function.sizes[0].constant = Some(3);
    let text = emitted(function);
    assert!(text.contains("let mut y = Tensor::zeros([3])?;"), "{text}");
    assert!(text.contains("    kernel::demand(\"spmv\", \"i\", 3, &[(\"A\", 0,"), "{text}");
    assert!(text.contains("    let i_size: usize = 3;\n"), "{text}");
    assert!(text.contains("if the extent of `i` is not 3."), "{text}");
}

#[test]
fn a_size_of_the_result_alone_is_passed() {
    let mut function = samples::spmv();
    function.operands = vec![Operand::Scalar { name: "r#fn".into(), dtype: Dtype::F64 }];
    function.sizes = vec![Size { operands: Vec::new(), ..function.sizes[0].clone() }];
    let store = Stmt::store("y_vals", Expr::var("i"), Expr::var("r#fn"));
    function.body = Stmt::for_range("i", Expr::Index(0), Expr::var("i_size"), vec![store]);
    let text = emitted(function);
    let expected = "
pub fn spmv_into(y: &mut Tensor<f64, Dense<1>>, r#fn: f64) -> Result<(), Error> {
    let i_size = y.shape()[0];
    spmv_kernel(y.vals_mut(), i_size, r#fn);
    Ok(())
}

/// The loops of [`spmv_into`].
fn spmv_kernel(y_vals: &mut [f64], i_size: usize, r#fn: f64) {
";
    assert!(text.contains(expected) && !text.contains("pub fn spmv("), "{text}");
}

#[test]
fn what_folding_made_superfluous_is_let_go() {
    let mut function = samples::spmv();
    function.operands.push(Operand::Scalar { name: "beta".into(), dtype: Dtype::F64 });
    let text = emitted(function);
    assert!(text.contains("    let _ = beta;\n"), "{text}");
    assert!(text.contains("fn spmv_kernel(y_vals: &mut [f64], a: View"), "{text}");
}

#[test]
fn casts_and_parentheses_are_where_they_are_needed() {
    let crd = |n| Expr::load("a2_crd", Expr::Index(n));
    let set = |value| vec![Stmt::store("y_vals", Expr::Index(0), value)];
    let of = |text: &str| format!("    {text}\n");
    let one = Expr::value(Literal::Int(1), Dtype::F64);
    assert_eq!(body(set(one.clone())), of("y_vals[0] = 1.0;"));
    assert_eq!(
        body(set(Expr::max(one, Expr::load("a_vals", crd(0))))),
        of("y_vals[0] = 1.0_f64.max(a_vals[a2_crd[0] as usize]);")
    );
    assert_eq!(
        body(Stmt::when(Expr::lt(crd(0), crd(1)), set(Expr::load("a_vals", Expr::Index(0))))),
        "    if a2_crd[0] < a2_crd[1] {\n        y_vals[0] = a_vals[0];\n    }\n"
    );
    assert_eq!(
        body(Stmt::when(Expr::lt(crd(0), Expr::var("n")), set(Expr::load("a_vals", crd(1))))),
        "    if (a2_crd[0] as usize) < n {\n        y_vals[0] = a_vals[a2_crd[1] as usize];\n    }\n"
    );
    let sum = Expr::mul(Expr::add(crd(0), Expr::Index(1)), Expr::min(crd(1), Expr::var("n")));
    assert_eq!(
        body(vec![Stmt::bind("p", sum)]),
        of("let p = (a2_crd[0] as usize + 1) * (a2_crd[1] as usize).min(n);")
    );
    // A literal of the type itself would be an error.
    let narrow = |number| body(vec![Stmt::store("a2_crd", Expr::Index(0), Expr::Index(number))]);
    assert_eq!(narrow(u32::MAX as usize), of("a2_crd[0] = 4294967295;"));
    assert_eq!(narrow(u32::MAX as usize + 1), of("a2_crd[0] = 4294967296usize as u32;"));
}

#[test]
fn lifetimes_are_named_after_arguments() {
    let mut function = samples::spmv();
    for (operand, name) in function.operands.iter_mut().zip(["r#fn", "fn_"]) {
        match operand {
            Operand::Tensor(tensor) => tensor.name = name.into(),
            Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => {
                panic!("the sample's operands are tensors")
            }
        }
    }
    let text = emitted(function);
    assert!(text.contains("pub fn spmv<'fn__, 'fn_>("), "{text}");
    assert!(text.contains("    r#fn: impl IntoView<'fn__, f64, Csr>,\n"), "{text}");
}

#[test]
fn widths_decide_casts_and_checks() {
    let mut function = samples::add();
    let Result::Tensor(result) = &mut function.result else { panic!("the result is a tensor") };
    let Assembly::Assembled { arrays, .. } = &mut result.assembly else {
        panic!("the result is assembled")
    };
    for array in arrays.iter_mut().filter(|array| array.element != Element::Value(Dtype::F64)) {
        array.element = Element::Index(Width::Usize);
    }
    let text = emitted(function);
    assert!(!text.contains("fits"), "{text}");
    assert!(text.contains("c2_pos.push(c2_crd.len());"), "{text}");
    assert!(text.contains("c2_crd.push(a2_crd[p_a_rest] as usize);"), "{text}");
}

#[test]
fn parts_do_not_hide_operands() {
    let mut function = samples::add();
    function.operands.push(Operand::Scalar { name: "vals".into(), dtype: Dtype::F64 });
    let text = emitted(function);
    assert!(text.contains("let (mut levels, mut vals2) = c.take_parts();"), "{text}");
    assert!(text.contains("from_parts_unchecked(shape, levels, vals2)"), "{text}");
}

#[test]
fn complex_numbers_are_constructed() {
    let mut function = samples::scaled_sum();
    function.result = Result::Scalar {
        dtype: Dtype::C64,
        value: Expr::value(Literal::Int(2), Dtype::C64),
        updates: None,
    };
    let text = emitted(function);
    assert!(text.contains("use sparsegen::{Dense, Error, IntoView, View, c64};"), "{text}");
    assert!(text.contains("c64::new(2.0, 0.0)"), "{text}");
}

#[test]
fn constants_of_user_types_are_converted() {
    let dtype = Dtype::User(UserType::new("crate::Fp"));
    let value = |literal| {
        let mut function = samples::scaled_sum();
        let value = Expr::value(literal, dtype);
        function.result = Result::Scalar { dtype, value, updates: None };
        emitted(function)
    };
    for (literal, expected) in [
        (Literal::Int(0), "<crate::Fp as Value>::ZERO"),
        (Literal::Int(1), "<crate::Fp as Value>::ONE"),
        (Literal::Int(-2), "crate::Fp::from(-2_i64)"),
        (Literal::Float(2.5), "crate::Fp::from(2.5_f64)"),
        (Literal::Greatest, "<crate::Fp as Value>::filled(Fill::Greatest)"),
        (Literal::Nan, "crate::Fp::from(f64::NAN)"),
    ] {
        let text = value(literal);
        assert!(text.contains(expected), "there is no `{expected}` in:\n{text}");
        assert!(text.contains("-> Result<crate::Fp, Error>"), "{text}");
    }
}

#[test]
fn declared_formats_have_types() {
    let level = |map: &str, storage: &str| LevelDeclaration {
        map: map.into(),
        storage: format!("sparsegen::level::{storage}"),
    };
    let levels = vec![
        level("LevelMap::dimension(0, \"dense\")", "Dense"),
        level(
            "LevelMap::new(LevelExpr::Div(&LevelExpr::Dimension(1), 4), \"compressed\").nonordered()",
            "Compressed<u32, u32>",
        ),
        level("LevelMap::new(LevelExpr::Mod(&LevelExpr::Dimension(1), 4), \"dense\")", "Dense"),
    ];
    let text = emit(&Module {
        formats: vec![
            FormatDeclaration {
                name: "LooseRows".into(),
                docs: vec![
                    "`(i, j) -> (i : dense, j / 4 : compressed(nonordered), j % 4 : dense)`".into(),
                ],
                kind: FormatKind::Marker { key: "loose_rows".into(), order: 2, levels, fill: None },
            },
            FormatDeclaration {
                name: "BigCoo<const N: usize>".into(),
                docs: vec!["`coo` with wide positions.".into()],
                kind: FormatKind::Alias("Coo<N, u64, u32>".into()),
            },
        ],
        ..module(Vec::new())
    });
    assert_eq!(text, golden::LOOSE_ROWS);
}
