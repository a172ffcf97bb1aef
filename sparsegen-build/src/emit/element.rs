//! Emits elements of arrays, which are narrowed when stored and widened when loaded, and bits.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::body::Body;
use super::names::{element_type, ident};
use super::values::largest;
use crate::ir::{BinaryOp, Element, Expr, Width};
use crate::operator::precedence::{CAST, PRIMARY};

impl Body {
    /// Emits a value as an element of an array; narrows it if the elements are narrower than
    /// indices.
    pub(super) fn element(&self, array: &str, value: &Expr) -> TokenStream {
        match self.elements.get(array) {
            Some(element) => self.element_of(*element, value),
            None => self.expr(value),
        }
    }

    /// Emits a value as an element of a type.
    fn element_of(&self, element: Element, value: &Expr) -> TokenStream {
        if let (Element::Entry(entry), Expr::Entry(fields)) = (element, value) {
            let fields = fields.iter().enumerate();
            let fields = fields.map(|(k, value)| self.element_of(entry.field(k), value));
            return quote!((#(#fields),*));
        }
        if matches!(element, Element::Pattern(_)) {
            return quote!(Pattern::ONE);
        }
        let narrow = match element {
            Element::Index(Width::Usize) | Element::Signed(Width::Usize) => None,
            Element::Index(_) | Element::Signed(_) => Some(element_type(element)),
            Element::Bits | Element::Entry(_) | Element::Value(_) | Element::Pattern(_) => None,
        };
        let Some(narrow) = narrow else { return self.expr(value) };
        match value {
            // The extents are checked before, so that such a coordinate is never stored.
            Expr::Index(number) if !holds(element, *number) => {
                let number = Literal::usize_suffixed(*number);
                quote!(#number as #narrow)
            }
            Expr::Index(_) => self.expr(value),
            Expr::Largest(width) if element == Element::Index(*width) => largest(*width),
            // A copy between arrays needs no conversion to `usize`.
            Expr::Load { array: from, .. } => {
                let load = self.load(value);
                let same = self.elements.get(from) == Some(&element);
                if same { load } else { quote!(#load as #narrow) }
            }
            Expr::Value(..)
            | Expr::Constant(..)
            | Expr::Bool(_)
            | Expr::Largest(_)
            | Expr::LargestOffset
            | Expr::Contains { .. }
            | Expr::Var(_)
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
            | Expr::Choose { .. } => {
                let value = self.within(value, CAST);
                quote!(#value as #narrow)
            }
        }
    }

    /// Emits an index as `isize`.
    pub(super) fn signed(&self, expr: &Expr) -> TokenStream {
        match expr {
            Expr::Index(_) => self.expr(expr),
            // A stored index needs no conversion to `usize`.
            Expr::Load { array, .. } if self.widened(array).is_some() => {
                let load = self.load(expr);
                quote!(#load as isize)
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
            | Expr::Choose { .. } => {
                let index = self.within(expr, CAST);
                quote!(#index as isize)
            }
        }
    }

    /// Emits two indices in their stored type, so that they are compared without being widened. One
    /// of them may be the largest index of the type.
    pub(super) fn as_stored(&self, a: &Expr, b: &Expr) -> Option<(TokenStream, TokenStream)> {
        let element = |expr: &Expr| {
            if let Expr::Largest(width) = expr {
                return Some(Element::Index(*width));
            }
            let Expr::Load { array, .. } = expr else { return None };
            self.elements.get(array).copied()
        };
        let is_index = matches!(element(a), Some(Element::Index(_) | Element::Signed(_)));
        let stored = |expr: &Expr| match expr {
            Expr::Largest(width) => largest(*width),
            load => self.load(load),
        };
        (is_index && element(a) == element(b)).then(|| (stored(a), stored(b)))
    }

    /// Emits a load without widening.
    pub(super) fn load(&self, expr: &Expr) -> TokenStream {
        let Expr::Load { array, index } = expr else { return self.expr(expr) };
        let (array, index) = (ident(array), self.expr(index));
        quote!(#array[#index])
    }

    /// Returns the type to which loads from an array are widened, if they are.
    pub(super) fn widened(&self, array: &str) -> Option<TokenStream> {
        match self.elements.get(array)? {
            Element::Index(Width::Usize) | Element::Signed(Width::Usize) => None,
            Element::Index(_) => Some(quote!(usize)),
            Element::Signed(_) => Some(quote!(isize)),
            Element::Bits | Element::Entry(_) | Element::Value(_) | Element::Pattern(_) => None,
        }
    }

    /// Returns whether a field of an element of an array of entries is widened to `usize`.
    pub(super) fn is_widened_field(&self, entry: &Expr, field: usize) -> bool {
        let Expr::Load { array, .. } = entry else { return false };
        let Some(Element::Entry(entry)) = self.elements.get(array) else { return false };
        matches!(entry.field(field), Element::Index(width) if width != Width::Usize)
    }

    /// Returns whether an array stores one bit for each position.
    pub(super) fn is_bits(&self, array: &str) -> bool {
        self.elements.get(array) == Some(&Element::Bits)
    }

    /// Returns the array and the index of a load of a bit.
    pub(super) fn as_bit<'e>(&self, expr: &'e Expr) -> Option<(&'e str, &'e Expr)> {
        let Expr::Load { array, index } = expr else { return None };
        self.is_bits(array).then_some((array, index))
    }

    /// Emits the condition that the bit at a position is set, or that it is not.
    pub(super) fn is_set(&self, array: &str, index: &Expr, set: bool) -> TokenStream {
        let (array, (word, bit)) = (ident(array), self.bit(index));
        let compare = if set { quote!(!=) } else { quote!(==) };
        quote!((#array[#word] >> #bit) & 1 #compare 0)
    }

    /// Emits the word `word` of bits, of which each is combined with the others at its position.
    pub(super) fn words(&self, bits: &Expr) -> TokenStream {
        match bits {
            Expr::Binary(op, a, b) => {
                let part = |part: &Expr| {
                    let words = self.words(part);
                    let is_and = matches!(part, Expr::Binary(BinaryOp::And, ..));
                    if *op == BinaryOp::Or && is_and { quote!((#words)) } else { words }
                };
                let (a, b) = (part(a), part(b));
                // A conjunction contains no disjunction.
                if *op == BinaryOp::Or { quote!(#a | #b) } else { quote!(#a & #b) }
            }
            bits => {
                let array = self.as_bit(bits).map(|(array, _)| ident(array));
                quote!(#array[word])
            }
        }
    }

    /// Emits the index of the word with a bit, and the position of the bit in the word.
    pub(super) fn bit(&self, index: &Expr) -> (TokenStream, TokenStream) {
        let word = Expr::div(index.clone(), Expr::Index(64));
        let shift = Expr::rem(index.clone(), Expr::Index(64));
        (self.expr(&word), self.within(&shift, PRIMARY))
    }
}

/// Returns whether a number is one of a narrow type.
fn holds(element: Element, number: usize) -> bool {
    match element {
        Element::Index(width) => number as u64 <= width.greatest(),
        Element::Signed(width) => number as u64 <= width.greatest() / 2,
        Element::Bits | Element::Entry(_) | Element::Value(_) | Element::Pattern(_) => true,
    }
}
