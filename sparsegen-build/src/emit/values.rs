//! Emits constants, calls of functions on values, and conversions.

use proc_macro2::TokenStream;
use quote::quote;

use super::body::Body;
use super::names::{ident, tokens};
use crate::ir::{BinaryOp, Dtype, Expr, Literal, Width, math};
use crate::operator::Kind;
use crate::operator::precedence::{CAST, PRIMARY};

impl Body {
    /// Emits a call of a function on arguments of a type.
    pub(super) fn call(
        &self,
        function: math::Function,
        dtype: Dtype,
        arguments: &[Expr],
    ) -> TokenStream {
        let Some((first, others)) = arguments.split_first() else { return TokenStream::new() };
        let others: Vec<_> = others.iter().map(|other| self.expr(other)).collect();
        let is_of_runtime = match function {
            math::Function::Square | math::Function::Cube => dtype.is_opaque(),
            math::Function::Abs => dtype == Dtype::Generic,
            _ => false,
        };
        if is_of_runtime {
            let (argument, name) = (self.expr(first), ident(function.name()));
            return quote!(kernel::#name(#argument));
        }
        match how(function, dtype) {
            How::Method(name) => {
                let (receiver, name) = (self.receiver(first), ident(name));
                quote!(#receiver.#name(#(#others),*))
            }
            How::Power(name, exponent) => {
                let (receiver, name) = (self.receiver(first), ident(name));
                let exponent = tokens(exponent);
                quote!(#receiver.#name(#exponent))
            }
            How::Field(name) => {
                let (receiver, name) = (self.receiver(first), ident(name));
                quote!(#receiver.#name)
            }
            How::Helper(name) => {
                let (argument, name) = (self.expr(first), ident(name));
                quote!(kernel::#name(#argument))
            }
            How::IntegerPower => {
                let receiver = self.receiver(first);
                let exponent = arguments.get(1).map(|exponent| match exponent {
                    Expr::Value(Literal::Int(_), _) => self.expr(exponent),
                    exponent => {
                        let exponent = self.within(exponent, CAST);
                        quote!(#exponent as u32)
                    }
                });
                quote!(#receiver.pow(#exponent))
            }
        }
    }

    /// Emits the conversion of a value to another type.
    pub(super) fn cast(&self, value: &Expr, from: Option<Dtype>, to: Dtype) -> TokenStream {
        if to == Dtype::Bool {
            let zero = super::values::value(Literal::Int(0), from.unwrap_or(Dtype::Usize));
            let value = self.within(value, BinaryOp::Ne.rust_precedence() + 1);
            return quote!(#value != #zero);
        }
        if to.is_complex() {
            let (name, part) = (ident(to.name()), to.real());
            return match from.filter(|from| from.is_complex()) {
                // The narrower complex type has narrower parts.
                Some(_) => {
                    let (value, part) = (self.within(value, PRIMARY), tokens(part.name()));
                    quote!(#name::new(#value.re as #part, #value.im as #part))
                }
                None => {
                    let real = self.expr(&Expr::cast(value.clone(), from, part));
                    quote!(#name::new(#real, 0.0))
                }
            };
        }
        if let Dtype::User(user) = to {
            let (path, value) = (tokens(user.path()), Expr::cast(value.clone(), from, Dtype::I64));
            let value = self.expr(&value);
            return quote!(#path::from(#value));
        }
        if to == Dtype::Generic {
            let value = match from {
                Some(Dtype::Bool) => self.expr(&Expr::cast(value.clone(), from, Dtype::U8)),
                Some(_) | None => self.expr(value),
            };
            return quote!(kernel::number::<T>(#value));
        }
        if let Some(half) = from.filter(|from| from.is_half()) {
            let value = self.within(value, PRIMARY);
            let name = tokens(to.name());
            return match to {
                Dtype::F32 => quote!(#value.to_f32()),
                Dtype::F64 => quote!(#value.to_f64()),
                to if to.is_half() && to != half => quote!(#name::from_f32(#value.to_f32())),
                to => {
                    let name = tokens(to.name());
                    quote!(#value.to_f32() as #name)
                }
            };
        }
        let name = tokens(to.name());
        if to.is_half() {
            let value = match from {
                Some(Dtype::F32) => {
                    let value = self.expr(value);
                    return quote!(#name::from_f32(#value));
                }
                Some(Dtype::F64) => self.expr(value),
                from => self.expr(&Expr::cast(value.clone(), from, Dtype::F64)),
            };
            return quote!(#name::from_f64(#value));
        }
        if from == Some(Dtype::Bool) {
            let value = self.expr(value);
            return quote!(#name::from(#value));
        }
        if from.is_none() && to == Dtype::Usize {
            return self.expr(value);
        }
        let value = self.within(value, CAST);
        quote!(#value as #name)
    }
}

/// Returns the precedence of a conversion.
pub(super) fn cast_precedence(from: Option<Dtype>, to: Dtype) -> u8 {
    if to == Dtype::Bool {
        BinaryOp::Ne.rust_precedence()
    } else if from.is_some_and(Dtype::is_half)
        && !to.is_half()
        && !matches!(to, Dtype::F32 | Dtype::F64)
        && !to.is_complex()
    {
        CAST
    } else if to.is_complex()
        || to.is_half()
        || to.is_opaque()
        || from == Some(Dtype::Bool)
        || from.is_some_and(Dtype::is_half)
    {
        PRIMARY
    } else {
        CAST
    }
}

/// The form of a function in Rust.
enum How {
    /// `a.sqrt()`
    Method(&'static str),
    /// `a.powi(2)`
    Power(&'static str, &'static str),
    /// `a.re`
    Field(&'static str),
    /// `kernel::sign(a)`
    Helper(&'static str),
    /// `a.pow(b as u32)`
    IntegerPower,
}

fn how(function: math::Function, dtype: Dtype) -> How {
    use math::Function;
    let (complex, integer) = (dtype.is_complex(), dtype.is_integer());
    match function {
        Function::Abs if complex => How::Method("norm"),
        Function::Recip if complex => How::Method("inv"),
        Function::Expm1 => How::Method("exp_m1"),
        Function::Ln1p => How::Method("ln_1p"),
        Function::Square if complex => How::Power("powu", "2"),
        Function::Cube if complex => How::Power("powu", "3"),
        Function::Square if integer => How::Power("pow", "2"),
        Function::Cube if integer => How::Power("pow", "3"),
        Function::Square => How::Power("powi", "2"),
        Function::Cube => How::Power("powi", "3"),
        Function::Sign if integer => How::Method("signum"),
        Function::Sign => How::Helper("sign"),
        Function::Arg if complex => How::Method("arg"),
        Function::Arg => How::Helper("arg"),
        Function::Re => How::Field("re"),
        Function::Im => How::Field("im"),
        Function::Pow if complex => How::Method("powc"),
        Function::Pow if integer => How::IntegerPower,
        Function::Pow => How::Method("powf"),
        function => How::Method(function.name()),
    }
}

/// Emits a constant without a suffix; the context determines its type.
pub(super) fn value(literal: Literal, dtype: Dtype) -> TokenStream {
    if dtype == Dtype::Bool {
        let truth = !literal.is_zero();
        return quote!(#truth);
    }
    if dtype.is_complex() {
        let part = if dtype == Dtype::C32 { Dtype::F32 } else { Dtype::F64 };
        let (name, real) = (ident(dtype.name()), value(literal, part));
        return quote!(#name::new(#real, 0.0));
    }
    if let Dtype::User(user) = dtype {
        return of_user(literal, &tokens(user.path()));
    }
    let name = ident(dtype.rust_name());
    if dtype == Dtype::Generic {
        return match literal {
            literal if literal.is_zero() => quote!(T::ZERO),
            literal if literal.is_one() => quote!(T::ONE),
            Literal::Greatest => quote!(T::infinity()),
            Literal::Least => quote!(T::neg_infinity()),
            Literal::Nan => quote!(T::nan()),
            Literal::Int(_) | Literal::Float(_) | Literal::Bool(_) => {
                let number = tokens(&literal.to_string());
                quote!(kernel::number::<T>(#number))
            }
        };
    }
    if dtype.is_half() && matches!(literal, Literal::Int(_) | Literal::Float(_)) {
        return match literal {
            Literal::Int(0) => quote!(#name::ZERO),
            literal if literal.is_one() => quote!(#name::ONE),
            literal => {
                let number = tokens(&digits(literal, Dtype::F32));
                quote!(#name::from_f32_const(#number))
            }
        };
    }
    match literal {
        Literal::Float(_) | Literal::Int(_) => tokens(&digits(literal, dtype)),
        Literal::Greatest | Literal::Least | Literal::Nan => constant(literal, dtype),
        Literal::Bool(truth) => quote!(#truth),
    }
}

/// Emits a constant of a type of the user, which converts from `i64` and `f64`.
fn of_user(literal: Literal, path: &TokenStream) -> TokenStream {
    match literal {
        literal if literal.is_zero() => quote!(<#path as Value>::ZERO),
        literal if literal.is_one() => quote!(<#path as Value>::ONE),
        Literal::Greatest => quote!(<#path as Value>::filled(Fill::Greatest)),
        Literal::Least => quote!(<#path as Value>::filled(Fill::Least)),
        Literal::Nan => quote!(#path::from(f64::NAN)),
        Literal::Int(_) | Literal::Bool(_) | Literal::Float(_) => {
            let of = if matches!(literal, Literal::Float(_)) { Dtype::F64 } else { Dtype::I64 };
            let number = tokens(&format!("{}_{of}", digits(literal, of)));
            quote!(#path::from(#number))
        }
    }
}

/// Returns whether literals of a type can have it as a suffix.
pub(super) fn has_suffix(dtype: Dtype) -> bool {
    !dtype.is_complex() && !dtype.is_half() && !dtype.is_opaque()
}

/// Emits a constant with an explicit type.
pub(super) fn typed(literal: Literal, dtype: Dtype) -> TokenStream {
    match literal {
        Literal::Greatest | Literal::Least | Literal::Nan | Literal::Bool(_) => {
            value(literal, dtype)
        }
        Literal::Float(_) | Literal::Int(_) => {
            let source = tokens(&format!("{}_{dtype}", digits(literal, dtype)));
            let is_negative = source.to_string().starts_with('-');
            if is_negative { quote!((#source)) } else { source }
        }
    }
}

/// Emits `u32::MAX`.
pub(super) fn largest(width: Width) -> TokenStream {
    tokens(&format!("{width}::MAX"))
}

/// Emits a constant that has no literal.
fn constant(literal: Literal, dtype: Dtype) -> TokenStream {
    let name = match (literal, dtype.is_float()) {
        (Literal::Greatest, true) => "INFINITY",
        (Literal::Greatest, false) => "MAX",
        (Literal::Least, true) => "NEG_INFINITY",
        (Literal::Least, false) => "MIN",
        (Literal::Int(_) | Literal::Float(_) | Literal::Nan | Literal::Bool(_), _) => "NAN",
    };
    tokens(&format!("{dtype}::{name}"))
}

/// Returns the shortest literal that parses as the same number of the type.
fn digits(literal: Literal, dtype: Dtype) -> String {
    match literal {
        Literal::Int(n) if dtype.is_float() => format!("{n}.0"),
        Literal::Int(n) => n.to_string(),
        Literal::Float(x) if dtype == Dtype::F32 => format!("{:?}", x as f32),
        Literal::Float(x) => format!("{x:?}"),
        Literal::Greatest | Literal::Least | Literal::Nan | Literal::Bool(_) => literal.to_string(),
    }
}

/// Returns the type of an expression of literals only, which Rust cannot infer.
pub(super) fn of_literals(expr: &Expr) -> Option<Dtype> {
    match expr {
        Expr::Value(_, dtype) => Some(*dtype),
        Expr::Unary(_, a) | Expr::ToIndex(_, a) => of_literals(a),
        Expr::Binary(op, a, b) if op.kind() == Kind::Arithmetic => {
            of_literals(a).and(of_literals(b))
        }
        Expr::Choose { holds, otherwise, .. } => of_literals(holds).and(of_literals(otherwise)),
        Expr::Binary(..)
        | Expr::Constant(..)
        | Expr::Index(_)
        | Expr::Bool(_)
        | Expr::Largest(_)
        | Expr::LargestOffset
        | Expr::Var(_)
        | Expr::Load { .. }
        | Expr::Contains { .. }
        | Expr::Len(_)
        | Expr::Extent(..)
        | Expr::Search { .. }
        | Expr::Entry(_)
        | Expr::Field(..)
        | Expr::Call(..)
        | Expr::Cast { .. } => None,
    }
}
