//! Tests of extents of levels, and of results and operands in other formats.

use super::{emitted, module};
use crate::emit::emit;
use crate::ir::{
    Array, Assembly, Bounds, Conversion, ConversionKind, Element, EntryType, Expr, Extent,
    Function, Operand, Place, Result, Source, Stmt, TensorOperand, TensorResult, Width, samples,
};

fn var(name: &str) -> Expr {
    Expr::var(name)
}

fn at(array: &str, index: &str) -> Expr {
    Expr::load(array, var(index))
}

fn array(name: &str, level: usize, field: &str, element: Element) -> Array {
    Array { name: name.into(), element, place: Place::Level { level, field: field.into() } }
}

/// Returns the first operand of a function.
fn first(function: &mut Function) -> &mut TensorOperand {
    match &mut function.operands[0] {
        Operand::Tensor(tensor) => tensor,
        Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => {
            panic!("the sample's first operand is a tensor")
        }
    }
}

fn result(function: &mut Function) -> &mut TensorResult {
    match &mut function.result {
        Result::Tensor(result) => result,
        Result::Scalar { .. } => panic!("the sample's result is a tensor"),
    }
}

/// Returns the lines of a function with an operand with offsets, bits and a table.
fn read(body: Vec<Stmt>) -> String {
    let mut function = samples::spmv();
    function.body = body;
    first(&mut function).arrays = vec![
        array("a1_crd", 0, "crd", Element::Signed(Width::U32)),
        array("a2_bits", 1, "bits", Element::Bits),
        array("a2_crd", 1, "crd", Element::Index(Width::U32)),
        array("a3_crd", 2, "crd", Element::Index(Width::Usize)),
    ];
    kernel(function)
}

/// Returns the lines of a function with a result with offsets, bits and a table.
fn fill(body: Vec<Stmt>) -> String {
    let mut function = samples::add();
    function.body = body;
    function.sizes.iter_mut().for_each(|size| size.used = false);
    if let Assembly::Assembled { arrays, .. } = &mut result(&mut function).assembly {
        *arrays = vec![
            array("c1_crd", 0, "crd", Element::Signed(Width::U16)),
            array("c2_bits", 1, "bits", Element::Bits),
            array("c2_crd", 1, "crd", Element::Index(Width::U32)),
        ];
    }
    kernel(function)
}

/// Returns the lines of a kernel without the variables at its start.
fn kernel(function: Function) -> String {
    let name = format!("fn {}_kernel", function.name);
    let text = emitted(function);
    let (_, kernel) = text.split_once(&name).expect("there is a kernel");
    let (_, body) = kernel.split_once(" {\n").expect("the kernel has a body");
    let body = body.rsplit_once("\n\n").map_or(body, |(_, body)| body);
    let lines = body.lines().filter(|line| *line != "}");
    lines.map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect()
}

#[test]
fn signed_indices_offset_others() {
    let d = || at("a1_crd", "p_a");
    let body = vec![
        Stmt::bind("i", Expr::below_zero(d())),
        Stmt::bind("j", Expr::offset(var("i"), d())),
        Stmt::bind("end", Expr::min(var("i_size"), Expr::offset(var("j_size"), Expr::neg(d())))),
        Stmt::bind("back", Expr::difference(at("a2_crd", "p_a"), var("i"))),
    ];
    let expected = "\
let i = (a1_crd[p_a] as isize).min(0).unsigned_abs();
let j = i.wrapping_add_signed(a1_crd[p_a] as isize);
let end = i_size.min(j_size.wrapping_add_signed(-(a1_crd[p_a] as isize)));
let back = a2_crd[p_a] as isize - i as isize;
";
    assert_eq!(read(body), expected);
}

#[test]
fn signed_indices_are_narrowed() {
    let body = vec![
        Stmt::push("c1_crd", var("d")),
        Stmt::push("c1_crd", Expr::difference(var("j"), Expr::add(var("i"), Expr::Index(1)))),
        Stmt::push("c1_crd", at("c1_crd", "p")),
    ];
    let expected = "\
c1_crd.push(d as i16);
c1_crd.push((j as isize - (i + 1) as isize) as i16);
c1_crd.push(c1_crd[p]);
";
    assert_eq!(fill(body), expected);
}

#[test]
fn bits_are_found_in_words() {
    let row = || Expr::add(Expr::mul(var("i"), Expr::Index(4)), var("j"));
    let bit = || Expr::load("a2_bits", row());
    let body = [
        Stmt::when(at("a2_bits", "p"), vec![Stmt::bind("x", Expr::from_bool(bit()))]),
        Stmt::when(
            Expr::and(Expr::not(at("a2_bits", "p")), var("q")),
            vec![Stmt::bind("x", Expr::Index(1))],
        ),
    ];
    let expected = "\
if (a2_bits[p / 64] >> (p % 64)) & 1 != 0 {
    let x = usize::from((a2_bits[(i * 4 + j) / 64] >> ((i * 4 + j) % 64)) & 1 != 0);
}
if (a2_bits[p / 64] >> (p % 64)) & 1 == 0 && q {
    let x = 1;
}
";
    assert_eq!(read(body.concat()), expected);
}

#[test]
fn bits_are_set_in_words() {
    let set = |value| Stmt::store("c2_bits", var("p"), value);
    let body = vec![
        Stmt::resize("c2_bits", Expr::mul(var("i_size"), Expr::Index(4)), Expr::Bool(false)),
        set(Expr::Bool(true)),
        set(Expr::Bool(false)),
        set(Expr::lt(var("i"), var("j"))),
    ];
    let expected = "\
c2_bits.resize((i_size * 4).div_ceil(64), 0);
c2_bits[p / 64] |= 1 << (p % 64);
c2_bits[p / 64] &= !(1 << (p % 64));
if i < j {
    c2_bits[p / 64] |= 1 << (p % 64);
} else {
    c2_bits[p / 64] &= !(1 << (p % 64));
}
";
    assert_eq!(fill(body), expected);
}

#[test]
fn slots_are_empty_where_they_hold_the_largest_index() {
    let empty = || Expr::largest(Width::U32);
    let probe =
        Expr::and(Expr::ne(at("a2_crd", "p"), empty()), Expr::ne(at("a2_crd", "p"), var("j")));
    let body = [
        Stmt::repeat_while(probe, vec![Stmt::accumulate("p", Expr::Index(1))]),
        Stmt::when(
            Expr::and(
                Expr::eq(at("a3_crd", "p"), Expr::largest(Width::Usize)),
                Expr::lt(empty(), var("j")),
            ),
            vec![Stmt::assign("p", empty())],
        ),
    ];
    let expected = "\
while a2_crd[p] != u32::MAX && a2_crd[p] as usize != j {
    p += 1;
}
if a3_crd[p] == usize::MAX && (u32::MAX as usize) < j {
    p = u32::MAX as usize;
}
";
    assert_eq!(read(body.concat()), expected);
    let filled = fill(vec![Stmt::resize("c2_crd", var("n"), empty())]);
    assert_eq!(filled, "c2_crd.resize(n, u32::MAX);\n");
}

#[test]
fn scratch_is_sorted() {
    let order = || at("a2_order", "k");
    let entry = EntryType { coordinates: 1, width: Width::U32, value: None };
    let body = vec![
        Stmt::scratch("a2_order", Element::Entry(entry)),
        Stmt::clear("a2_order"),
        Stmt::push("a2_order", Expr::Entry(vec![at("a2_crd", "p"), var("p")])),
        Stmt::sort_by("a2_order", 1),
    ];
    let pairs = vec![
        Stmt::bind("j", Expr::field(order(), 0)),
        Stmt::accumulate("sum", Expr::load("x_vals", Expr::field(order(), 1))),
    ];
    let each = Stmt::for_range("k", Expr::Index(0), Expr::len("a2_order"), pairs);
    let expected = "\
let mut a2_order = kernel::kept_vector::<(u32, usize)>(workspaces);
a2_order.clear();
a2_order.push((a2_crd[p], p));
kernel::sort_by(&mut a2_order, |entry| [entry.0]);
for k in 0..a2_order.len() {
    let j = a2_order[k].0 as usize;
    sum += x_vals[a2_order[k].1];
}
kernel::keep(workspaces, a2_order);
";
    assert_eq!(read([body, each].concat()), expected);
}

/// Returns an extent such as `a1_slots`.
fn extent(name: &str, level: usize, field: &str) -> Extent {
    Extent { name: name.into(), level, field: field.into() }
}

#[test]
fn extents_of_levels_are_read_at_the_head() {
    let mut function = samples::spmv();
    first(&mut function).extents = vec![extent("a1_size", 0, "size")];
    let text = emitted(function);
    assert!(text.contains("    let a1_size = a.levels().0.size;\n    // SAFETY"), "{text}");
}

#[test]
fn extents_of_results_are_returned() {
    let mut function = samples::add();
    let levels = [extent("c1_size", 0, "size"), extent("c2_width", 1, "width")];
    let with = |function: &mut Function, kept: &[Extent]| {
        if let Assembly::Assembled { extents, .. } = &mut result(function).assembly {
            *extents = kept.to_vec();
        }
    };
    function.body = vec![Stmt::bind("c2_width", Expr::mul(var("i_size"), Expr::Index(2)))];
    with(&mut function, &levels[1..]);
    let text = emitted(function.clone());
    let call =
        "    levels.1.width = add_kernel(&mut levels.1.pos, &mut levels.1.crd, &mut vals, a);\n";
    assert!(text.contains(call), "{text}");
    assert!(text.contains("    a: View<'_, f64, Csr>,\n) -> usize {\n"), "{text}");
    assert!(text.ends_with("    let c2_width = i_size * 2;\n    c2_width\n}\n"), "{text}");

    with(&mut function, &levels);
    let text = emitted(function);
    assert!(text.contains("    (levels.0.size, levels.1.width) = add_kernel("), "{text}");
    assert!(text.contains(") -> (usize, usize) {\n"), "{text}");
}

/// Returns `samples::spmv` with A converted to `csc`.
fn converting() -> Function {
    let mut function = samples::spmv();
    let a = first(&mut function);
    let into = TensorOperand {
        name: "a_csc".into(),
        format: "Csc".into(),
        arrays: std::mem::take(&mut a.arrays),
        ..a.clone()
    };
    function.conversions =
        vec![Conversion { of: Source::Operand(0), kind: ConversionKind::Format, into }];
    function
}

#[test]
fn operands_are_converted_after_the_checks() {
    let text = emitted(converting());
    let expected = "])?;
    let a_csc = a.to::<Csc>()?;
    spmv_kernel(y.vals_mut(), x, a_csc.view());
    Ok(())
";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("    a_csc: View<'_, f64, Csc>,\n) {\n"), "{text}");
    assert!(text.contains("    let i_size = a_csc.shape()[0];\n"), "{text}");
    assert!(text.contains("            Proven::new(a_csc.levels().1.pos),\n"), "{text}");
    assert!(
        text.contains("use sparsegen::{Csc, Csr, Dense, Error, IntoView, Tensor, View};"),
        "{text}"
    );
    assert!(
        text.contains("/// - The errors of [`View::to`] if `A` is converted to `Csc`.\n"),
        "{text}"
    );
}

#[test]
fn operands_of_scalars_are_converted() {
    let mut function = samples::scaled_sum();
    let Operand::Tensor(x) = &mut function.operands[1] else {
        panic!("the sample's second operand is a tensor")
    };
    let arrays = std::mem::take(&mut x.arrays);
    let (name, format) = ("x_hash".into(), "HashVector".into());
    let into = TensorOperand { name, format, arrays, ..x.clone() };
    function.conversions =
        vec![Conversion { of: Source::Operand(1), kind: ConversionKind::Format, into }];
    let text = emitted(function);
    let expected = "
    let x = x.into_view()?;
    let x_hash = x.to::<HashVector>()?;
    Ok(scaled_sum_kernel(alpha, x_hash.view()))
";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn results_are_packed_behind_the_loops() {
    let mut function = samples::add();
    result(&mut function).packed = Some("Dia".into());
    let text = emitted(function.clone());
    let expected = "
    let (shape, mut levels, mut vals) = Tensor::<f64, Csr>::zeros(c.shape())?
        .into_parts();
    add_kernel(&mut levels.1.pos, &mut levels.1.crd, &mut vals, a, b);
    kernel::fits::<u32>(\"add\", \"C\", \"positions of level 2\", levels.1.crd.len())?;
    // SAFETY: The kernel stores every level as the format requires: coordinates are within the
    // extents, which were checked, and positions fit their width.
    let unpacked = unsafe {
        Tensor::<f64, Csr>::from_parts_unchecked(shape, levels, vals)
    };
    *c = unpacked.to()?;
    Ok(())
";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("    c: &mut Tensor<f64, Dia>,\n"), "{text}");
    assert!(text.contains(") -> Result<Tensor<f64, Dia>, Error> {\n"), "{text}");
    assert!(text.contains("use sparsegen::{Csr, Dia, Error, IntoView, Tensor, View};"), "{text}");
    assert!(text.contains("/// Its previous contents are replaced.\n"), "{text}");
    assert!(
        text.contains("/// - The errors of [`Tensor::to`] if `C` is packed into `Dia`.\n"),
        "{text}"
    );

    function.bounds = Bounds::Checked;
    let text = emit(&module(vec![function]));
    let made = "    let unpacked = Tensor::<f64, Csr>::from_parts(shape, levels, vals)?;\n";
    assert!(text.contains(made), "{text}");
}

#[test]
fn dense_results_are_packed_behind_the_loops() {
    for zeroed in [false, true] {
        let mut function = samples::spmv();
        let result = result(&mut function);
        result.packed = Some("SparseVector".into());
        if let Assembly::Computed { zeroed: wanted, .. } = &mut result.assembly {
            *wanted = zeroed;
        }
        let text = emitted(function);
        let expected = "
    let mut unpacked = Tensor::<f64, Dense<1>>::zeros(y.shape())?;
    spmv_kernel(unpacked.vals_mut(), a, x);
    *y = unpacked.to()?;
    Ok(())
";
        let into = text.split("pub fn ").find(|function| function.starts_with("spmv_into"));
        let into = into.expect("there is a `spmv_into`");
        assert!(into.contains(expected) && !into.contains("fill("), "{into}");
    }
}

#[test]
fn vectors_with_room_for_all_are_not_checked() {
    let entries = || Expr::add(Expr::len("a_vals"), Expr::len("b_vals"));
    let add = samples::add();
    let mut reserving = add.clone();
    reserving.body.insert(4, Stmt::reserve("c2_crd", entries()));
    reserving.body.insert(5, Stmt::reserve("c_vals", entries()));
    let text = emitted(reserving.clone());
    let expected = "
    c_vals.clear();
    // SAFETY: The reserved capacity suffices: at most one entry is appended for each entry of the
    // operands, and one segment for each parent.
    let (mut c2_pos, mut c2_crd, mut c_vals) = unsafe {
        (
            Reserved::new(c2_pos, i_size + 1),
            Reserved::new(c2_crd, a.vals().len() + b.vals().len()),
            Reserved::new(c_vals, a.vals().len() + b.vals().len()),
        )
    };
    c2_pos.push(0);
    for i in 0..i_size {
";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("use sparsegen::kernel::{self, Proven, Reserved};"), "{text}");

    // Other operations need the vector itself.
    let store = Stmt::store("c2_pos", Expr::Index(0), Expr::Index(0));
    let mut stored = add.clone();
    stored.body.push(store);
    let text = emitted(stored);
    assert!(text.contains("    kernel::reserve(c2_pos, i_size + 1);\n"), "{text}");

    reserving.bounds = Bounds::Checked;
    let text = emitted(reserving);
    assert!(text.contains("    kernel::reserve(c2_pos, i_size + 1);\n"), "{text}");
}
