//! Statements and expressions as Rust.

use std::collections::BTreeMap;

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;

use super::layout::comment;
use super::names::{element_type, ident, number, tokens};
use crate::ir::{BinaryOp, Dtype, Element, Expr, Literal, Stmt, UnaryOp, Uses, Width};

/// How tightly `as` binds, on the scale of [`BinaryOp::precedence`].
const CAST: u8 = 6;
const UNARY: u8 = 7;
const PRIMARY: u8 = 8;

/// What a body's names stand for.
#[derive(Default)]
pub(super) struct Body {
    /// What each array holds.
    pub(super) elements: BTreeMap<String, Element>,
    /// Where an array's length is found, if not by `array.len()`.
    pub(super) lengths: BTreeMap<String, TokenStream>,
}

impl Body {
    /// Statements, one after the other.
    pub(super) fn stmts(&self, body: &[Stmt]) -> TokenStream {
        body.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&self, stmt: &Stmt) -> TokenStream {
        match stmt {
            Stmt::Comment(text) => comment(text),
            Stmt::Let { name, mutable, value } => {
                let (name, value) = (ident(name), self.expr(value));
                let mutable = mutable.then(|| quote!(mut));
                quote!(let #mutable #name = #value;)
            }
            Stmt::Assign { name, op, value } => {
                let name = ident(name);
                self.set(quote!(#name), *op, self.expr(value), value)
            }
            Stmt::Store { array, index, op, value } => {
                let (name, index) = (ident(array), self.expr(index));
                self.set(quote!(#name[#index]), *op, self.element(array, value), value)
            }
            Stmt::Clear { array } => {
                let array = ident(array);
                quote!(#array.clear();)
            }
            Stmt::Reserve { array, additional } => {
                let (array, additional) = (ident(array), self.expr(additional));
                quote!(#array.reserve(#additional);)
            }
            Stmt::Push { array, value } => {
                let (name, value) = (ident(array), self.element(array, value));
                quote!(#name.push(#value);)
            }
            Stmt::Resize { array, len, value } => {
                let (name, len) = (ident(array), self.expr(len));
                let value = self.element(array, value);
                quote!(#name.resize(#len, #value);)
            }
            Stmt::For { name, start, end, body } => {
                let unused = Uses::of(body).reads(name) == 0;
                let name = if unused { quote!(_) } else { tokens(name) };
                let (start, end) = (self.within(start, 1), self.within(end, 1));
                let body = self.stmts(body);
                quote!(for #name in #start..#end { #body })
            }
            Stmt::While { condition, body } => {
                let (condition, body) = (self.expr(condition), self.stmts(body));
                quote!(while #condition { #body })
            }
            Stmt::If { arms, otherwise } => {
                let mut chain = TokenStream::new();
                for (k, (condition, body)) in arms.iter().enumerate() {
                    let (condition, body) = (self.expr(condition), self.stmts(body));
                    let and_else = (k > 0).then(|| quote!(else));
                    chain.extend(quote!(#and_else if #condition { #body }));
                }
                if !otherwise.is_empty() {
                    let body = self.stmts(otherwise);
                    chain.extend(quote!(else { #body }));
                }
                chain
            }
        }
    }

    /// `target = value;`, or with the operation that Rust has an assignment for.
    fn set(
        &self,
        target: TokenStream,
        op: Option<BinaryOp>,
        value: TokenStream,
        plain: &Expr,
    ) -> TokenStream {
        let Some(op) = op else { return quote!(#target = #value;) };
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                let op = tokens(&format!("{}=", op.symbol()));
                quote!(#target #op #value;)
            }
            BinaryOp::Min | BinaryOp::Max => {
                let method = ident(op.symbol());
                quote!(#target = #target.#method(#value);)
            }
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::And
            | BinaryOp::Or => {
                let (value, op) = (self.within(plain, op.precedence() + 1), tokens(op.symbol()));
                quote!(#target = #target #op #value;)
            }
        }
    }

    /// An expression on its own.
    pub(super) fn expr(&self, expr: &Expr) -> TokenStream {
        match expr {
            Expr::Index(n) => {
                let n = number(*n);
                quote!(#n)
            }
            Expr::Value(literal, dtype) => value(*literal, *dtype),
            Expr::Bool(b) => quote!(#b),
            Expr::Var(name) => {
                let name = ident(name);
                quote!(#name)
            }
            Expr::Load { array, .. } => {
                let load = self.load(expr);
                if self.is_widened(array) { quote!(#load as usize) } else { load }
            }
            Expr::Len(array) => {
                let name = ident(array);
                let elsewhere = self.lengths.get(array).cloned();
                elsewhere.unwrap_or_else(|| quote!(#name.len()))
            }
            Expr::Unary(UnaryOp::Neg, a) => {
                let a = self.within(a, UNARY);
                quote!(-#a)
            }
            Expr::Unary(UnaryOp::Not, a) => {
                let a = self.within(a, UNARY);
                quote!(!#a)
            }
            Expr::Unary(UnaryOp::FromBool, a) => {
                let a = self.expr(a);
                quote!(usize::from(#a))
            }
            Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b) => {
                let (receiver, b) = (self.receiver(a), self.expr(b));
                let method = ident(op.symbol());
                quote!(#receiver.#method(#b))
            }
            Expr::Binary(op, a, b) => {
                let precedence = op.precedence();
                let compares =
                    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le);
                let mut left = self.within(a, if compares { precedence + 1 } else { precedence });
                // After a cast, `<` would begin the type's arguments.
                if *op == BinaryOp::Lt && self.ends_in_cast(a) {
                    left = quote!((#left));
                }
                let (right, op) = (self.within(b, precedence + 1), tokens(op.symbol()));
                quote!(#left #op #right)
            }
        }
    }

    /// An expression, in parentheses if what stands around it binds more tightly.
    fn within(&self, expr: &Expr, outer: u8) -> TokenStream {
        let source = self.expr(expr);
        if self.precedence(expr) < outer { quote!((#source)) } else { source }
    }

    fn precedence(&self, expr: &Expr) -> u8 {
        match expr {
            Expr::Binary(op, ..) => op.precedence(),
            Expr::Load { array, .. } if self.is_widened(array) => CAST,
            Expr::Unary(UnaryOp::Neg | UnaryOp::Not, _) => UNARY,
            Expr::Value(Literal::Int(n), _) if *n < 0 => UNARY,
            Expr::Value(Literal::Float(x), _) if x.is_sign_negative() => UNARY,
            Expr::Unary(UnaryOp::FromBool, _)
            | Expr::Load { .. }
            | Expr::Index(_)
            | Expr::Value(..)
            | Expr::Bool(_)
            | Expr::Var(_)
            | Expr::Len(_) => PRIMARY,
        }
    }

    /// What a method is called on; a literal needs its type there.
    fn receiver(&self, expr: &Expr) -> TokenStream {
        match expr {
            Expr::Value(literal, dtype) if !dtype.is_complex() => typed(*literal, *dtype),
            Expr::Index(n) => {
                let n = Token::usize_suffixed(*n);
                quote!(#n)
            }
            Expr::Value(..)
            | Expr::Bool(_)
            | Expr::Var(_)
            | Expr::Load { .. }
            | Expr::Len(_)
            | Expr::Unary(..)
            | Expr::Binary(..) => self.within(expr, PRIMARY),
        }
    }

    /// A value as an array's element: narrowed, if the elements are narrower than `usize`.
    fn element(&self, array: &str, value: &Expr) -> TokenStream {
        let Some(&Element::Index(width)) = self.elements.get(array) else {
            return self.expr(value);
        };
        if width == Width::Usize || matches!(value, Expr::Index(_)) {
            return self.expr(value);
        }
        let narrow = element_type(Element::Index(width));
        match value {
            // From one array into another there is no need to pass through `usize`.
            Expr::Load { array: from, .. } => {
                let load = self.load(value);
                let same = self.elements.get(from) == Some(&Element::Index(width));
                if same { load } else { quote!(#load as #narrow) }
            }
            Expr::Index(_)
            | Expr::Value(..)
            | Expr::Bool(_)
            | Expr::Var(_)
            | Expr::Len(_)
            | Expr::Unary(..)
            | Expr::Binary(..) => {
                let value = self.within(value, CAST);
                quote!(#value as #narrow)
            }
        }
    }

    /// An element of an array as it is stored.
    fn load(&self, expr: &Expr) -> TokenStream {
        let Expr::Load { array, index } = expr else { return self.expr(expr) };
        let (array, index) = (ident(array), self.expr(index));
        quote!(#array[#index])
    }

    /// Whether what an array holds is widened when it is read.
    fn is_widened(&self, array: &str) -> bool {
        match self.elements.get(array) {
            Some(Element::Index(width)) => *width != Width::Usize,
            Some(Element::Value(_)) | None => false,
        }
    }

    fn ends_in_cast(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Load { array, .. } => self.is_widened(array),
            Expr::Binary(BinaryOp::Min | BinaryOp::Max, ..) => false,
            Expr::Binary(op, _, b) => self.precedence(b) > op.precedence() && self.ends_in_cast(b),
            Expr::Index(_)
            | Expr::Value(..)
            | Expr::Bool(_)
            | Expr::Var(_)
            | Expr::Len(_)
            | Expr::Unary(..) => false,
        }
    }
}

/// A constant of an element type, without a suffix: what stands around it decides.
pub(super) fn value(literal: Literal, dtype: Dtype) -> TokenStream {
    if dtype.is_complex() {
        let part = if dtype == Dtype::C32 { Dtype::F32 } else { Dtype::F64 };
        let (name, real) = (ident(dtype.name()), value(literal, part));
        return quote!(#name::new(#real, 0.0));
    }
    match literal {
        Literal::Float(x) if !x.is_finite() => constant(x, dtype),
        Literal::Float(_) | Literal::Int(_) => tokens(&digits(literal, dtype)),
    }
}

/// A constant that names its own type, for what stands around it not to decide.
fn typed(literal: Literal, dtype: Dtype) -> TokenStream {
    match literal {
        Literal::Float(x) if !x.is_finite() => constant(x, dtype),
        Literal::Float(_) | Literal::Int(_) => {
            let source = tokens(&format!("{}_{dtype}", digits(literal, dtype)));
            let is_negative = source.to_string().starts_with('-');
            if is_negative { quote!((#source)) } else { source }
        }
    }
}

/// What has no literal.
fn constant(x: f64, dtype: Dtype) -> TokenStream {
    let name = if x.is_nan() {
        "NAN"
    } else if x > 0.0 {
        "INFINITY"
    } else {
        "NEG_INFINITY"
    };
    tokens(&format!("{dtype}::{name}"))
}

/// The shortest literal that reads back as the same number of the type.
fn digits(literal: Literal, dtype: Dtype) -> String {
    match literal {
        Literal::Int(n) if dtype.is_float() => format!("{n}.0"),
        Literal::Int(n) => n.to_string(),
        Literal::Float(x) if dtype == Dtype::F32 => format!("{:?}", x as f32),
        Literal::Float(x) => format!("{x:?}"),
    }
}
