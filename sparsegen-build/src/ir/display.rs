//! Formats the representation as text for `explain`: Rust without casts and declarations.

use std::fmt;

use super::{
    BinaryOp, Callee, Combining, Comment, ConversionKind, Expr, Function, Literal, Operand,
    Progress, Result, Source, Stmt, TensorOperand, ToIndex,
};
use crate::operator::precedence::{CAST, PRIMARY, UNARY};

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_expr(f, self, 0)
    }
}

/// Writes an expression, with parentheses if the context has a higher precedence.
fn write_expr(f: &mut fmt::Formatter<'_>, expr: &Expr, outer: u8) -> fmt::Result {
    let precedence = match expr {
        Expr::Unary(..) => UNARY,
        Expr::Binary(op, ..) => op.rust_precedence(),
        Expr::Value(literal, _) if is_negative(*literal) => UNARY,
        Expr::Cast { .. } => CAST,
        Expr::Choose { .. } => 0,
        Expr::ToIndex(..)
        | Expr::Index(_)
        | Expr::Call(..)
        | Expr::Largest(_)
        | Expr::LargestOffset
        | Expr::Search { .. }
        | Expr::Entry(_)
        | Expr::Field(..)
        | Expr::Value(..)
        | Expr::Constant(..)
        | Expr::Bool(_)
        | Expr::Var(_)
        | Expr::Load { .. }
        | Expr::Contains { .. }
        | Expr::Len(_)
        | Expr::Extent(..) => PRIMARY,
    };
    if precedence < outer {
        f.write_str("(")?;
    }
    match expr {
        Expr::Index(n) => write!(f, "{n}")?,
        Expr::Value(Literal::Float(x), _) => write!(f, "{x:?}")?,
        Expr::Value(Literal::Int(n), dtype) if dtype.is_integer() => write!(f, "{n}")?,
        Expr::Value(Literal::Int(n), _) => write!(f, "{n}.0")?,
        Expr::Value(literal, _) => write!(f, "{literal}")?,
        Expr::Constant(path, _) => f.write_str(path)?,
        Expr::Call(Callee::Path(path), _, arguments) => {
            let arguments: Vec<_> = arguments.iter().map(Expr::to_string).collect();
            write!(f, "{path}({})", arguments.join(", "))?;
        }
        Expr::Call(
            callee @ (Callee::Quotient | Callee::Remainder | Callee::Differs),
            _,
            arguments,
        ) => {
            let name = match callee {
                Callee::Quotient => "quotient",
                Callee::Remainder => "remainder",
                _ => "differs",
            };
            let arguments: Vec<_> = arguments.iter().map(Expr::to_string).collect();
            write!(f, "{name}({})", arguments.join(", "))?;
        }
        Expr::Call(Callee::RepeatedOperator(op), _, arguments) => {
            let arguments: Vec<_> = arguments.iter().map(Expr::to_string).collect();
            write!(f, "repeated({}, {})", arguments.join(", "), op.name())?;
        }
        Expr::Call(Callee::RepeatedPath(path), _, arguments) => {
            let arguments: Vec<_> = arguments.iter().map(Expr::to_string).collect();
            write!(f, "repeated({}, {path})", arguments.join(", "))?;
        }
        Expr::Call(Callee::Math(function), _, arguments) => {
            let (first, others) = arguments.split_first().unzip();
            if let Some(first) = first {
                write_expr(f, first, PRIMARY)?;
            }
            let others: Vec<_> = others.into_iter().flatten().map(Expr::to_string).collect();
            write!(f, ".{}({})", function.name(), others.join(", "))?;
        }
        Expr::Cast { value, to, .. } => {
            write_expr(f, value, CAST)?;
            write!(f, " as {to}")?;
        }
        Expr::Choose { condition, holds, otherwise } => {
            write!(f, "if {condition} {{ {holds} }} else {{ {otherwise} }}")?;
        }
        Expr::Bool(b) => write!(f, "{b}")?,
        Expr::Largest(width) => write!(f, "{width}::MAX")?,
        Expr::LargestOffset => f.write_str("isize::MAX")?,
        Expr::Var(name) => f.write_str(name)?,
        Expr::Load { array, index } => write!(f, "{array}[{index}]")?,
        Expr::Contains { workspace, index } => write!(f, "{workspace}.contains({index})")?,
        Expr::Len(array) => write!(f, "{array}.len()")?,
        Expr::Extent(tensor, mode) => write!(f, "{tensor}.shape()[{mode}]")?,
        Expr::Search { array, start, end, index } => {
            write!(f, "search({array}, {start}..{end}, {index})")?;
        }
        Expr::Entry(fields) => {
            let fields: Vec<String> = fields.iter().map(Expr::to_string).collect();
            write!(f, "({})", fields.join(", "))?;
        }
        Expr::Field(entry, field) => write!(f, "{entry}.{field}")?,
        Expr::ToIndex(ToIndex::FromBool, a) => write!(f, "usize::from({a})")?,
        Expr::ToIndex(ToIndex::BelowZero, a) => {
            write_expr(f, a, PRIMARY)?;
            f.write_str(".min(0).unsigned_abs()")?;
        }
        Expr::Unary(op, a) => {
            f.write_str(op.symbol())?;
            write_expr(f, a, UNARY)?;
        }
        Expr::Binary(op, a, b) if op.is_method() => {
            write_expr(f, a, PRIMARY)?;
            write!(f, ".{}({b})", op.rust_name())?;
        }
        Expr::Binary(op, a, b) if !op.is_infix() => write!(f, "{}({a}, {b})", op.rust_name())?,
        Expr::Binary(BinaryOp::Difference, a, b) => {
            write_expr(f, a, CAST)?;
            f.write_str(" as isize - ")?;
            write_expr(f, b, CAST)?;
            f.write_str(" as isize")?;
        }
        Expr::Binary(op, a, b) => {
            // Comparisons do not chain in Rust.
            let left = if precedence == 3 { 4 } else { precedence };
            write_expr(f, a, left)?;
            write!(f, " {} ", op.rust_name())?;
            write_expr(f, b, precedence + 1)?;
        }
    }
    if precedence < outer {
        f.write_str(")")?;
    }
    Ok(())
}

fn is_negative(literal: Literal) -> bool {
    match literal {
        Literal::Int(n) => n < 0,
        Literal::Float(x) => x.is_sign_negative(),
        Literal::Least => true,
        Literal::Greatest | Literal::Nan | Literal::Bool(_) => false,
    }
}

impl fmt::Display for Stmt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_stmt(f, self, 0)
    }
}

fn write_body(f: &mut fmt::Formatter<'_>, body: &[Stmt], depth: usize) -> fmt::Result {
    body.iter().try_for_each(|stmt| write_stmt(f, stmt, depth))
}

fn write_stmt(f: &mut fmt::Formatter<'_>, stmt: &Stmt, depth: usize) -> fmt::Result {
    if let Stmt::Comment(Comment::Origin(_)) = stmt {
        return Ok(());
    }
    let indent = "    ".repeat(depth);
    f.write_str(&indent)?;
    let symbol = |op: &Option<BinaryOp>| op.map_or("", BinaryOp::rust_name);
    match stmt {
        Stmt::Comment(Comment::Text(text)) => writeln!(f, "// {text}"),
        Stmt::Comment(Comment::Origin(_)) => Ok(()),
        Stmt::Let { name, mutable, value } => {
            writeln!(f, "let {}{name} = {value};", if *mutable { "mut " } else { "" })
        }
        Stmt::Assign { name, op, value } => writeln!(f, "{name} {}= {value};", symbol(op)),
        Stmt::Store { array, index, op, value } => {
            writeln!(f, "{array}[{index}] {}= {value};", symbol(op))
        }
        Stmt::Scratch { name, .. } => writeln!(f, "let mut {name} = Vec::new();"),
        Stmt::Tile { name, len, initial, .. } => {
            writeln!(f, "let mut {name} = [{initial}; {len}];")
        }
        Stmt::Sort { array } => writeln!(f, "{array}.sort_unstable();"),
        Stmt::Workspace { name, dtype, crd, size, is_listed, .. } => {
            let ty = if *is_listed { "Workspace" } else { "Accumulator" };
            write!(f, "let mut {name} = {ty}::<{dtype}, {crd}>::")?;
            match size {
                Some(size) => writeln!(f, "new({size});"),
                None => writeln!(f, "hashed();"),
            }
        }
        Stmt::Harvest { workspace, crd, vals } => {
            let vals = vals.as_deref().unwrap_or("_");
            writeln!(f, "let ({crd}, {vals}) = {workspace}.harvest();")
        }
        Stmt::Places { name, size } => writeln!(f, "let mut {name} = Places::new({size});"),
        Stmt::Rearrange(rearrange) => writeln!(f, "{rearrange}"),
        Stmt::Refuse { condition, error: None } => {
            writeln!(f, "if {condition} {{ return false; }}")
        }
        Stmt::Refuse { condition, error: Some(full) } => {
            let at: Vec<String> = full.coordinate.iter().map(ToString::to_string).collect();
            writeln!(f, "if {condition} {{ return Err(full at [{}]); }}", at.join(", "))
        }
        Stmt::Break => f.write_str("break;\n"),
        Stmt::Clear { array } => writeln!(f, "{array}.clear();"),
        Stmt::Reserve { array, additional } => {
            writeln!(f, "kernel::reserve({array}, {additional});")
        }
        Stmt::Push { array, value } => writeln!(f, "{array}.push({value});"),
        Stmt::Extend { array, of, within: None } => {
            writeln!(f, "{array}.extend_from_slice({of});")
        }
        Stmt::Extend { array, of, within: Some(Progress { at, start, end }) } => {
            writeln!(f, "kernel::append({array}, {of}, {at}, {start}..{end});")
        }
        Stmt::Grow { array, factors, value } => {
            let factors: Vec<String> = factors.iter().map(ToString::to_string).collect();
            writeln!(f, "grow({array}, [{}], {value})?;", factors.join(", "))
        }
        Stmt::Resize { array, len, value } => writeln!(f, "{array}.resize({len}, {value});"),
        Stmt::For { name, start, end, body } => {
            f.write_str("for ")?;
            write!(f, "{name} in ")?;
            write_expr(f, start, 1)?;
            f.write_str("..")?;
            write_expr(f, end, 1)?;
            f.write_str(" {\n")?;
            write_body(f, body, depth + 1)?;
            writeln!(f, "{indent}}}")
        }
        Stmt::ForOnes { name, start, end, bits, body } => {
            writeln!(f, "for {name} in ones({start}..{end}, {bits}) {{")?;
            write_body(f, body, depth + 1)?;
            writeln!(f, "{indent}}}")
        }
        Stmt::While { condition, body } => {
            writeln!(f, "while {condition} {{")?;
            write_body(f, body, depth + 1)?;
            writeln!(f, "{indent}}}")
        }
        Stmt::If { arms, otherwise } => {
            for (k, (condition, body)) in arms.iter().enumerate() {
                let start = if k == 0 { "if" } else { " else if" };
                writeln!(f, "{start} {condition} {{")?;
                write_body(f, body, depth + 1)?;
                write!(f, "{indent}}}")?;
            }
            if !otherwise.is_empty() {
                f.write_str(" else {\n")?;
                write_body(f, otherwise, depth + 1)?;
                write!(f, "{indent}}}")?;
            }
            f.write_str("\n")
        }
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for phase in &self.phases {
            writeln!(f, "{phase}")?;
        }
        write!(f, "fn {}(", self.name)?;
        for (k, operand) in self.operands.iter().enumerate() {
            let comma = if k == 0 { "" } else { ", " };
            match operand {
                Operand::Tensor(t) => {
                    write!(f, "{comma}{}: View<{}, {}>", t.name, t.dtype, t.format)?
                }
                Operand::Scalar { name, dtype } => write!(f, "{comma}{name}: {dtype}")?,
                Operand::Index { name } => write!(f, "{comma}{name}: usize")?,
                Operand::Indices { name } => write!(f, "{comma}{name}: &[usize]")?,
            }
        }
        match &self.result {
            Result::Scalar { dtype, .. } => writeln!(f, ") -> {dtype} {{")?,
            Result::Tensor(t) => {
                write!(f, ") -> {}: Tensor<{}, {}>", t.name, t.dtype, t.format)?;
                if let Some(packed) = &t.packed {
                    write!(f, ", packed as {packed}")?;
                    if let Some(Combining { combined, .. }) = t.combining.as_deref() {
                        write!(f, " by {combined}")?;
                    }
                }
                f.write_str(" {\n")?;
            }
        }
        for conversion in &self.conversions {
            let of = match (conversion.of, &self.result) {
                (Source::Operand(operand), _) => match &self.operands[operand] {
                    Operand::Tensor(TensorOperand { name, .. })
                    | Operand::Scalar { name, .. }
                    | Operand::Index { name }
                    | Operand::Indices { name } => name.as_str(),
                },
                (Source::Result, Result::Tensor(result)) => &result.name,
                (Source::Result, Result::Scalar { .. }) => "",
            };
            let into = &conversion.into;
            match &conversion.kind {
                ConversionKind::Format => {
                    writeln!(f, "    let {} = {of}.to::<{}>();", into.name, into.format)?;
                }
                ConversionKind::Inverse(size) => {
                    writeln!(f, "    let {} = inverse({of}, {size});", into.name)?;
                }
            }
        }
        write_body(f, &self.body, 1)?;
        match &self.result {
            Result::Scalar { value, .. } => writeln!(f, "    {value}\n}}"),
            Result::Tensor(_) => f.write_str("}\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Dtype, samples};

    #[test]
    fn functions_read_as_rust() {
        let text = samples::spmv().to_string();
        assert_eq!(
            text,
            "\
fn spmv(a: View<f64, Csr>, x: View<f64, Dense<1>>) -> y: Tensor<f64, Dense<1>> {
    for i in 0..i_size {
        let mut sum = 0.0;
        for p_a in a2_pos[i]..a2_pos[i + 1] {
            let j = a2_crd[p_a];
            sum += a_vals[p_a] * x_vals[j];
        }
        y_vals[i] = sum;
    }
}
"
        );
    }

    #[test]
    fn branches_stand_in_a_chain() {
        let text = samples::add().to_string();
        assert!(text.contains("        } else if j_a < j_b {\n"), "{text}");
        assert!(text.contains("    // A and B both have entries left in row i.\n"), "{text}");
    }

    #[test]
    fn parentheses_are_where_they_are_needed() {
        let [a, b, c] = ["a", "b", "c"].map(Expr::var);
        let sum = Expr::add(a.clone(), b.clone());
        assert_eq!(Expr::mul(sum.clone(), c.clone()).to_string(), "(a + b) * c");
        assert_eq!(Expr::sub(c.clone(), sum.clone()).to_string(), "c - (a + b)");
        assert_eq!(Expr::sub(sum.clone(), c.clone()).to_string(), "a + b - c");
        assert_eq!(Expr::min(sum.clone(), c.clone()).to_string(), "(a + b).min(c)");
        assert_eq!(Expr::neg(sum).to_string(), "-(a + b)");
        let both = Expr::and(Expr::lt(a.clone(), b.clone()), Expr::eq(b, c.clone()));
        assert_eq!(both.to_string(), "a < b && b == c");
        assert_eq!(Expr::eq(Expr::lt(a.clone(), c), Expr::var("b")).to_string(), "(a < c) == b");
        let negative = Expr::value(Literal::Float(-2.0), Dtype::F64);
        assert_eq!(Expr::mul(a, negative).to_string(), "a * -2.0");
    }
}
