//! Emits expressions.

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;

use super::body::Body;
use super::names::{ident, number, tokens};
use super::values::{cast_precedence, has_suffix, largest, of_literals, typed, value};
use crate::ir::{BinaryOp, Callee, Dtype, Element, Expr, Literal, ToIndex, UnaryOp, Width};
use crate::operator::precedence::{CAST, PRIMARY, UNARY};

/// The precedence of `..`.
const RANGE: u8 = 1;

impl Body {
    /// Emits an expression without parentheses.
    pub(super) fn expr(&self, expr: &Expr) -> TokenStream {
        match expr {
            Expr::Index(n) => {
                let n = number(*n);
                quote!(#n)
            }
            Expr::Value(literal, dtype) => value(*literal, *dtype),
            Expr::Bool(b) => quote!(#b),
            Expr::Largest(width) => {
                let largest = largest(*width);
                if *width == Width::Usize { largest } else { quote!(#largest as usize) }
            }
            Expr::LargestOffset => quote!(isize::MAX),
            Expr::Var(name) => {
                let name = ident(name);
                quote!(#name)
            }
            Expr::Load { array, index } if self.is_bits(array) => self.is_set(array, index, true),
            Expr::Load { array, .. } => {
                let load = self.load(expr);
                match self.widened(array) {
                    Some(wide) => quote!(#load as #wide),
                    None => load,
                }
            }
            Expr::Contains { workspace, index } => {
                let (workspace, index) = (ident(workspace), self.expr(index));
                quote!(#workspace.contains(#index))
            }
            Expr::Len(array) => {
                let name = ident(array);
                let elsewhere = self.lengths.get(array).cloned();
                elsewhere.unwrap_or_else(|| quote!(#name.len()))
            }
            Expr::Extent(tensor, mode) => {
                let (tensor, mode) = (ident(tensor), number(*mode));
                quote!(#tensor.shape()[#mode])
            }
            Expr::Search { array, start, end, index } => {
                let (start, end) = (self.within(start, RANGE), self.within(end, RANGE));
                // The wrapper of a slice is not a reference.
                let borrow = self.wrapped.contains(array).then(|| quote!(&));
                let search = match self.elements.get(array) {
                    Some(Element::Signed(_)) => quote!(search_signed),
                    Some(_) | None => quote!(search),
                };
                let (array, index) = (ident(array), self.expr(index));
                quote!(kernel::#search(#borrow #array, #start..#end, #index))
            }
            Expr::Entry(fields) => {
                let fields = fields.iter().map(|field| self.expr(field));
                quote!((#(#fields),*))
            }
            Expr::Field(entry, field) => {
                let (load, number) = (self.load(entry), number(*field));
                match self.is_widened_field(entry, *field) {
                    true => quote!(#load.#number as usize),
                    false => quote!(#load.#number),
                }
            }
            Expr::Call(Callee::Math(function), dtype, arguments) => {
                self.call(*function, *dtype, arguments)
            }
            Expr::Call(callee @ (Callee::Quotient | Callee::Remainder), _, arguments) => {
                let division = self.division.as_deref().map(ident);
                let method = if *callee == Callee::Quotient { "quotient" } else { "remainder" };
                let (method, arguments) = (ident(method), arguments.iter().map(|a| self.expr(a)));
                quote!(#division.#method(#(#arguments),*))
            }
            Expr::Constant(path, _) => tokens(path),
            Expr::Call(Callee::Path(path), _, arguments) => {
                let (path, arguments) = (tokens(path), arguments.iter().map(|a| self.expr(a)));
                quote!(#path(#(#arguments),*))
            }
            Expr::Call(Callee::Differs, _, arguments) => {
                let arguments = arguments.iter().map(|a| self.expr(a));
                quote!(kernel::differs(#(#arguments),*))
            }
            Expr::Call(Callee::RepeatedOperator(op), _, arguments) => {
                let arguments = arguments.iter().map(|a| self.expr(a));
                let [a, b] = ["a", "b"].map(ident);
                let combined = self.expr(&Expr::binary(*op, Expr::var("a"), Expr::var("b")));
                quote!(kernel::repeated(#(#arguments),*, |#a, #b| #combined))
            }
            Expr::Call(Callee::RepeatedPath(path), _, arguments) => {
                let arguments = arguments.iter().map(|a| self.expr(a));
                let path = tokens(path);
                quote!(kernel::repeated(#(#arguments),*, #path))
            }
            Expr::Cast { value, from, to } => self.cast(value, *from, *to),
            Expr::Choose { condition, holds, otherwise } => {
                let is_chain = matches!(**otherwise, Expr::Choose { .. });
                let [condition, holds, otherwise] =
                    [condition, holds, otherwise].map(|e| self.expr(e));
                match is_chain {
                    true => quote!(if #condition { #holds } else #otherwise),
                    false => quote!(if #condition { #holds } else { #otherwise }),
                }
            }
            Expr::Unary(UnaryOp::Not, a) if let Some((array, index)) = self.as_bit(a) => {
                self.is_set(array, index, false)
            }
            Expr::Unary(op, a) => {
                let (op, a) = (tokens(op.symbol()), self.within(a, UNARY));
                quote!(#op #a)
            }
            Expr::ToIndex(ToIndex::FromBool, a) => {
                let a = self.expr(a);
                quote!(usize::from(#a))
            }
            Expr::ToIndex(ToIndex::BelowZero, a) => {
                let a = self.within(a, PRIMARY);
                quote!(#a.min(0).unsigned_abs())
            }
            Expr::Binary(BinaryOp::Max, a, b) if let Some((x, least, most)) = as_clamp(a, b) => {
                let receiver = self.receiver(x);
                let (least, most) = (number(least), number(most));
                quote!(#receiver.clamp(#least, #most))
            }
            Expr::Binary(op, a, b) if op.is_method() => {
                let (receiver, b) = (self.receiver(a), self.expr(b));
                let method = ident(op.rust_name());
                quote!(#receiver.#method(#b))
            }
            Expr::Binary(BinaryOp::Difference, a, b) => {
                let (a, b) = (self.signed(a), self.signed(b));
                quote!(#a - #b)
            }
            Expr::Binary(op, a, b)
                if op.compares()
                    && let Some((a, b)) = self.as_stored(a, b) =>
            {
                let op = tokens(op.rust_name());
                quote!(#a #op #b)
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b)
                if let Some((number, of)) = as_multiple(a, b) =>
            {
                let (number, of) = (self.receiver(number), self.expr(of));
                let not = (*op == BinaryOp::Ne).then(|| quote!(!));
                quote!(#not #number.is_multiple_of(#of))
            }
            Expr::Binary(BinaryOp::And, a, b) if let Some((before, within)) = self.range(a, b) => {
                match before {
                    Some(before) => {
                        let before = self.within(before, BinaryOp::And.rust_precedence());
                        quote!(#before && #within)
                    }
                    None => within,
                }
            }
            Expr::Binary(op, a, b) if !op.is_infix() => {
                let (name, a, b) = (ident(op.rust_name()), self.expr(a), self.expr(b));
                quote!(kernel::#name(#a, #b))
            }
            Expr::Binary(op, a, b) => {
                let precedence = op.rust_precedence();
                let mut left = self.within(a, precedence + u8::from(op.compares()));
                // After a cast, `<` would start type arguments.
                if *op == BinaryOp::Lt && self.ends_in_cast(a) {
                    left = quote!((#left));
                }
                let (right, op) = (self.within(b, precedence + 1), tokens(op.rust_name()));
                quote!(#left #op #right)
            }
        }
    }

    /// Emits `(2..n).contains(&i)` for the conjunction of two comparisons, and returns the
    /// conditions before it.
    fn range<'e>(&self, a: &'e Expr, b: &'e Expr) -> Option<(Option<&'e Expr>, TokenStream)> {
        let (before, least) = match a {
            Expr::Binary(BinaryOp::And, before, least) => (Some(&**before), &**least),
            least => (None, least),
        };
        let (Expr::Binary(BinaryOp::Le, start, above), Expr::Binary(BinaryOp::Lt, below, end)) =
            (least, b)
        else {
            return None;
        };
        let is_short = |bound: &Expr| matches!(bound, Expr::Index(_) | Expr::Var(_));
        let same = above == below
            && matches!(**above, Expr::Var(_) | Expr::Load { .. })
            && is_short(start)
            && is_short(end);
        same.then(|| {
            let (start, end) = (self.within(start, RANGE), self.within(end, RANGE));
            let number = self.within(above, UNARY);
            (before, quote!((#start..#end).contains(&#number)))
        })
    }

    /// Emits an expression, with parentheses if the context has a higher precedence.
    pub(super) fn within(&self, expr: &Expr, outer: u8) -> TokenStream {
        let source = self.expr(expr);
        if self.precedence(expr) < outer { quote!((#source)) } else { source }
    }

    fn precedence(&self, expr: &Expr) -> u8 {
        match expr {
            Expr::Binary(BinaryOp::Eq, a, b) if as_multiple(a, b).is_some() => PRIMARY,
            Expr::Binary(BinaryOp::Ne, a, b) if as_multiple(a, b).is_some() => UNARY,
            Expr::Binary(BinaryOp::And, a, b) if matches!(self.range(a, b), Some((None, _))) => {
                PRIMARY
            }
            Expr::Binary(op, ..) => op.rust_precedence(),
            Expr::Choose { .. } => 0,
            Expr::Cast { value, from: None, to: Dtype::Usize } => self.precedence(value),
            Expr::Cast { from, to, .. } => cast_precedence(*from, *to),
            Expr::Load { array, .. } if self.is_bits(array) => BinaryOp::Ne.rust_precedence(),
            Expr::Load { array, .. } if self.widened(array).is_some() => CAST,
            Expr::Field(entry, field) if self.is_widened_field(entry, *field) => CAST,
            Expr::Largest(width) if *width != Width::Usize => CAST,
            Expr::Unary(UnaryOp::Not, a) if self.as_bit(a).is_some() => {
                BinaryOp::Ne.rust_precedence()
            }
            Expr::Unary(..) => UNARY,
            Expr::Value(Literal::Int(n), _) if *n < 0 => UNARY,
            Expr::Value(Literal::Float(x), _) if x.is_sign_negative() => UNARY,
            Expr::Call(..)
            | Expr::ToIndex(..)
            | Expr::Largest(_)
            | Expr::LargestOffset
            | Expr::Search { .. }
            | Expr::Entry(_)
            | Expr::Field(..)
            | Expr::Load { .. }
            | Expr::Contains { .. }
            | Expr::Index(_)
            | Expr::Value(..)
            | Expr::Constant(..)
            | Expr::Bool(_)
            | Expr::Var(_)
            | Expr::Len(_)
            | Expr::Extent(..) => PRIMARY,
        }
    }

    /// Emits the receiver of a method call; literals have an explicit type.
    pub(super) fn receiver(&self, expr: &Expr) -> TokenStream {
        match expr {
            Expr::Value(literal, dtype) if has_suffix(*dtype) => typed(*literal, *dtype),
            Expr::Unary(..) | Expr::Binary(..) | Expr::Choose { .. }
                if of_literals(expr).is_some() && self.precedence(expr) < PRIMARY =>
            {
                let source = self.of_literals(expr);
                quote!((#source))
            }
            Expr::Index(n) => {
                let n = Token::usize_suffixed(*n);
                quote!(#n)
            }
            Expr::Value(..)
            | Expr::Constant(..)
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
            | Expr::Unary(..)
            | Expr::ToIndex(..)
            | Expr::Binary(..)
            | Expr::Call(..)
            | Expr::Cast { .. }
            | Expr::Choose { .. } => self.within(expr, PRIMARY),
        }
    }

    /// Emits an expression of literals only, of which the first has an explicit type.
    fn of_literals(&self, expr: &Expr) -> TokenStream {
        match expr {
            Expr::Unary(UnaryOp::Neg, a) => {
                let a = self.receiver(a);
                quote!(-#a)
            }
            Expr::Binary(op, a, b) if op.is_infix() => {
                let (a, b) = (self.receiver(a), self.within(b, op.rust_precedence() + 1));
                let op = tokens(op.rust_name());
                quote!(#a #op #b)
            }
            Expr::Choose { condition, holds, otherwise } => {
                let condition = self.expr(condition);
                let holds = match **holds {
                    Expr::Value(..) => self.receiver(holds),
                    _ => self.of_literals(holds),
                };
                let otherwise = self.expr(otherwise);
                quote!(if #condition { #holds } else { #otherwise })
            }
            expr => self.expr(expr),
        }
    }

    fn ends_in_cast(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Load { array, .. } => self.widened(array).is_some(),
            Expr::Field(entry, field) => self.is_widened_field(entry, *field),
            Expr::Largest(width) => *width != Width::Usize,
            Expr::Binary(BinaryOp::Difference, _, b) => !matches!(**b, Expr::Index(_)),
            Expr::Binary(op, ..) if !op.is_infix() => false,
            Expr::Binary(op, _, b) => {
                self.precedence(b) > op.rust_precedence() && self.ends_in_cast(b)
            }
            Expr::Cast { value, from: None, to: Dtype::Usize } => self.ends_in_cast(value),
            Expr::Cast { from, to, .. } => cast_precedence(*from, *to) == CAST,
            Expr::Index(_)
            | Expr::LargestOffset
            | Expr::Contains { .. }
            | Expr::Value(..)
            | Expr::Constant(..)
            | Expr::Bool(_)
            | Expr::Var(_)
            | Expr::Len(_)
            | Expr::Extent(..)
            | Expr::Search { .. }
            | Expr::Entry(_)
            | Expr::Unary(..)
            | Expr::ToIndex(..)
            | Expr::Call(..)
            | Expr::Choose { .. } => false,
        }
    }
}

/// Returns `x`, `least` and `most` of `x.min(most).max(least)`.
fn as_clamp<'e>(a: &'e Expr, b: &Expr) -> Option<(&'e Expr, usize, usize)> {
    let (Expr::Binary(BinaryOp::Min, x, most), Expr::Index(least)) = (a, b) else { return None };
    let Expr::Index(most) = **most else { return None };
    (*least <= most).then_some((x, *least, most))
}

/// Returns the operands of a comparison that tests whether one index is a multiple of another.
fn as_multiple<'e>(a: &'e Expr, b: &Expr) -> Option<(&'e Expr, &'e Expr)> {
    let (Expr::Binary(BinaryOp::Rem, number, of), Expr::Index(0)) = (a, b) else { return None };
    Some((number, of))
}
