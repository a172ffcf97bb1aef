//! Element types: operands of one operator have one type, and the expression has the result's.

use crate::error::{Diagnostic, Span};
use crate::notation::syntax::{self, BinaryOp, Expr, ExprKind, Number, UnaryOp};
use crate::types::Dtype;

use super::Context;
use super::names::Names;
use super::unparenthesized;

pub(super) fn check(context: Context<'_>, names: &Names<'_>, diagnostics: &mut Vec<Diagnostic>) {
    if !context.entry.typed {
        return;
    }
    let before = diagnostics.len();
    let mut types = Types { context, names, diagnostics };
    let value = &context.statement.right;
    let found = types.infer(value);
    let Some(result) = names.dtype(&context.statement.left.name.text) else { return };
    if let Some(found) = found
        && found != result
        && types.diagnostics.len() == before
    {
        let name = &context.statement.left.name.text;
        types.diagnostics.push(
            Diagnostic::new(
                value.span,
                format!("the value is {found}, but the result `{name}` is {result}"),
            )
            .label(format!("this is {found}"))
            .note(format!("the conversion `{result}(…)` is not supported yet"))
            .help(format!(
                "declare the result with the type of its value: {name} = {{ format = …, dtype = \
                 \"{found}\" }}"
            )),
        );
    }
    if types.diagnostics.len() == before {
        types.operators(value, result);
    }
}

struct Types<'m, 'd> {
    context: Context<'m>,
    names: &'d Names<'m>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Types<'_, '_> {
    /// The type of an expression; nothing where it takes that of what stands around it, or where it
    /// is not known.
    fn infer(&mut self, expr: &Expr) -> Option<Dtype> {
        match &expr.kind {
            ExprKind::Number(_) | ExprKind::Constant(_) => None,
            ExprKind::Access(access) => self.names.dtype(&access.name.text),
            ExprKind::Unary(_, a) | ExprKind::Reduce(_, _, a) => self.infer(a),
            ExprKind::Binary(op, place, a, b) => {
                let (left, right) = (self.infer(a), self.infer(b));
                if let (Some(x), Some(y)) = (left, right)
                    && x != y
                {
                    let (a, b) = (self.context.text.at(a.span), self.context.text.at(b.span));
                    self.diagnostics.push(
                        Diagnostic::new(
                            *place,
                            format!("the operands of this operator are {x} and {y}"),
                        )
                        .note(format!("`{a}` is {x}, `{b}` is {y}"))
                        .note(format!("the conversion `{x}({b})` is not supported yet"))
                        .help("declare both with the same `dtype`"),
                    );
                }
                match op {
                    BinaryOp::Compare(_) => None,
                    BinaryOp::Add
                    | BinaryOp::Sub
                    | BinaryOp::Mul
                    | BinaryOp::Div
                    | BinaryOp::And
                    | BinaryOp::Or => left.or(right),
                }
            }
            ExprKind::Call(_, arguments) => {
                for argument in arguments {
                    self.infer(argument);
                }
                None
            }
        }
    }

    /// What operators and numbers mean in a type that is the same for the whole expression.
    fn operators(&mut self, expr: &Expr, dtype: Dtype) {
        if let Some(constant) = constant(expr) {
            self.constant(expr, constant, dtype);
            return;
        }
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Neg, _) if dtype.is_unsigned() => {
                self.diagnostics.push(
                    Diagnostic::new(expr.span, format!("{dtype} has no negative values"))
                        .help("declare the tensors with a signed `dtype`"),
                );
            }
            ExprKind::Binary(BinaryOp::Div, place, _, _) if dtype.is_integer() => {
                self.diagnostics.push(integer_division(*place));
            }
            ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Reduce(..)
            | ExprKind::Number(_)
            | ExprKind::Constant(_)
            | ExprKind::Access(_)
            | ExprKind::Call(..) => {}
        }
        let same_type = match &expr.kind {
            // A function may have arguments of another type than its value.
            ExprKind::Call(..) | ExprKind::Binary(BinaryOp::Compare(_), ..) => false,
            ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Reduce(..)
            | ExprKind::Number(_)
            | ExprKind::Constant(_)
            | ExprKind::Access(_) => true,
        };
        if same_type {
            for child in expr.children() {
                self.operators(child, dtype);
            }
        }
    }

    /// A part of the expression that consists of numbers.
    fn constant(&mut self, expr: &Expr, value: Constant, dtype: Dtype) {
        let text = unparenthesized(self.context.text.at(expr.span));
        let Constant { exact, nearest, division } = value;
        if let Some(place) = division
            && dtype.is_integer()
        {
            self.diagnostics.push(integer_division(place));
        } else if !exact.map_or(holds_float(dtype, nearest), |exact| holds(dtype, exact)) {
            let value = exact.map_or(nearest.to_string(), |exact| exact.to_string());
            let message = match &expr.kind {
                ExprKind::Binary(..) => format!("{dtype} cannot hold `{text}`, which is {value}"),
                ExprKind::Number(_)
                | ExprKind::Unary(..)
                | ExprKind::Reduce(..)
                | ExprKind::Constant(_)
                | ExprKind::Access(_)
                | ExprKind::Call(..) => format!("{dtype} cannot hold `{text}`"),
            };
            self.diagnostics.push(
                Diagnostic::new(expr.span, message)
                    .label(format!("{dtype} is the type around it"))
                    .help(if exact.is_none() && dtype.is_integer() {
                        "write a whole number, or declare the tensors with `dtype = \"f64\"`"
                    } else {
                        "declare the tensors with a `dtype` that can hold it"
                    }),
            );
        }
    }
}

fn integer_division(place: Span) -> Diagnostic {
    Diagnostic::unsupported(place, "divisions of integers")
        .help("declare the tensors with `dtype = \"f64\"`")
}

/// The value of a part that consists of numbers.
struct Constant {
    /// The value where it is a whole number of moderate size.
    exact: Option<i128>,
    /// The value as nearly as an `f64` can say it.
    nearest: f64,
    /// The place of a division in it.
    division: Option<Span>,
}

/// The value of an expression of numbers alone.
fn constant(expr: &Expr) -> Option<Constant> {
    let whole = |value: f64| {
        // Beyond that not every whole number is an f64, so it might not be what was written.
        (value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0).then_some(value as i128)
    };
    match &expr.kind {
        ExprKind::Number(Number::Int(n)) => {
            Some(Constant { exact: Some(i128::from(*n)), nearest: *n as f64, division: None })
        }
        ExprKind::Number(Number::Float(x)) => {
            Some(Constant { exact: whole(*x), nearest: *x, division: None })
        }
        ExprKind::Constant(syntax::Constant::Pi) => {
            Some(Constant { exact: None, nearest: std::f64::consts::PI, division: None })
        }
        ExprKind::Unary(UnaryOp::Neg, a) => {
            let Constant { exact, nearest, division } = constant(a)?;
            Some(Constant { exact: exact.map(|n| -n), nearest: -nearest, division })
        }
        ExprKind::Binary(op, place, a, b) => {
            let (a, b) = (constant(a)?, constant(b)?);
            let exactly = |fold: fn(i128, i128) -> Option<i128>| fold(a.exact?, b.exact?);
            let (exact, nearest) = match op {
                BinaryOp::Add => (exactly(i128::checked_add), a.nearest + b.nearest),
                BinaryOp::Sub => (exactly(i128::checked_sub), a.nearest - b.nearest),
                BinaryOp::Mul => (exactly(i128::checked_mul), a.nearest * b.nearest),
                BinaryOp::Div => (None, a.nearest / b.nearest),
                BinaryOp::Compare(_) | BinaryOp::And | BinaryOp::Or => return None,
            };
            let here = (*op == BinaryOp::Div).then_some(*place);
            Some(Constant { exact, nearest, division: here.or(a.division).or(b.division) })
        }
        ExprKind::Unary(UnaryOp::Not, _)
        | ExprKind::Constant(_)
        | ExprKind::Access(_)
        | ExprKind::Call(..)
        | ExprKind::Reduce(..) => None,
    }
}

/// Whether a type can hold a whole number.
fn holds(dtype: Dtype, value: i128) -> bool {
    let fits = |least: i128, largest: i128| (least..=largest).contains(&value);
    match dtype {
        Dtype::I8 => fits(i8::MIN.into(), i8::MAX.into()),
        Dtype::I16 => fits(i16::MIN.into(), i16::MAX.into()),
        Dtype::I32 => fits(i32::MIN.into(), i32::MAX.into()),
        Dtype::I64 => fits(i64::MIN.into(), i64::MAX.into()),
        Dtype::U8 => fits(0, u8::MAX.into()),
        Dtype::U16 => fits(0, u16::MAX.into()),
        Dtype::U32 => fits(0, u32::MAX.into()),
        // Numbers are read as i64, and what runs on machines of 32 bits has a smaller usize.
        Dtype::U64 => fits(0, i64::MAX.into()),
        Dtype::Usize => fits(0, u32::MAX.into()),
        Dtype::F64 | Dtype::F32 | Dtype::C64 | Dtype::C32 => holds_float(dtype, value as f64),
    }
}

/// Whether a type can hold a number, rounded as usual.
fn holds_float(dtype: Dtype, value: f64) -> bool {
    match dtype {
        Dtype::F64 | Dtype::C64 => value.is_finite(),
        Dtype::F32 | Dtype::C32 => (value as f32).is_finite(),
        Dtype::I8
        | Dtype::I16
        | Dtype::I32
        | Dtype::I64
        | Dtype::U8
        | Dtype::U16
        | Dtype::U32
        | Dtype::U64
        | Dtype::Usize => false,
    }
}
