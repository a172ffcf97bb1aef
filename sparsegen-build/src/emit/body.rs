//! Emits statements.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::quote;

use super::layout::comment;
use super::names::{element_type, ident, number, tokens};
use crate::ir::{BinaryOp, Comment, Element, Expr, Kept, Progress, Stmt, Uses, Width};
use crate::operator::{Kind, Monoid};

/// The meaning of the names in a body.
#[derive(Clone, Default)]
pub(super) struct Body {
    /// The element type of each array.
    pub(super) elements: BTreeMap<String, Element>,
    /// The workspaces.
    pub(super) workspaces: BTreeSet<String>,
    /// The positions of coordinates that are stored in any order.
    pub(super) places: BTreeSet<String>,
    /// The local vectors; others are arguments.
    pub(super) local: BTreeSet<String>,
    /// The arrays that are accessed through wrappers of slices.
    pub(super) wrapped: BTreeSet<String>,
    /// The expressions for lengths other than `array.len()`.
    pub(super) lengths: BTreeMap<String, TokenStream>,
    /// The variables with method calls, which need explicit types.
    pub(super) typed: BTreeSet<String>,
    /// The parameter that keeps working memory, and the memory that it keeps.
    pub(super) kept: Option<Kept>,
    /// The name of the helper for integer divisions.
    pub(super) division: Option<String>,
    /// The name of the kernel.
    pub(super) kernel: String,
}

impl Body {
    /// Emits statements in order.
    pub(super) fn stmts(&self, body: &[Stmt]) -> TokenStream {
        body.iter().map(|stmt| self.with_known(stmt)).collect()
    }

    /// Emits a statement. A loop that only reads the positions of coordinates has them in registers.
    fn with_known(&self, stmt: &Stmt) -> TokenStream {
        let is_loop = matches!(stmt, Stmt::For { .. } | Stmt::ForOnes { .. } | Stmt::While { .. });
        if !is_loop || self.places.is_empty() {
            return self.stmt(stmt);
        }
        let uses = Uses::of(std::slice::from_ref(stmt));
        let only_read = |name: &&String| uses.reads(name) > 0 && uses.writes(name) == 0;
        let known: Vec<_> = self.places.iter().filter(only_read).map(|name| ident(name)).collect();
        if known.is_empty() {
            return self.stmt(stmt);
        }
        let within = Body {
            places: self.places.iter().filter(|name| !only_read(name)).cloned().collect(),
            ..self.clone()
        };
        let stmt = within.stmt(stmt);
        quote!({ #(let #known = #known.known();)* #stmt })
    }

    /// Emits statements that run once. Arrays of results may become large there, and be allocated as
    /// zeroed pages.
    pub(super) fn outermost(&self, body: &[Stmt]) -> TokenStream {
        let stmt = |stmt: &Stmt| match stmt {
            Stmt::Resize { array, len, value }
                if !self.local.contains(array) && !self.is_bits(array) && is_constant(value) =>
            {
                let (name, len) = (ident(array), self.expr(len));
                let value = self.element(array, value);
                quote!(kernel::resize(#name, #len, #value);)
            }
            stmt => self.with_known(stmt),
        };
        body.iter().map(stmt).collect()
    }

    fn stmt(&self, stmt: &Stmt) -> TokenStream {
        match stmt {
            Stmt::Comment(Comment::Text(text)) => comment(text),
            Stmt::Comment(Comment::Origin(origin)) => comment(&origin.to_string()),
            Stmt::Let { name, mutable, value } => {
                // The type of a variable with method calls must be explicit.
                let is_chosen = matches!(value, Expr::Choose { .. });
                let is_typed = *mutable && !is_chosen && self.typed.contains(name);
                let value = if is_typed { self.receiver(value) } else { self.expr(value) };
                let name = ident(name);
                let mutable = mutable.then(|| quote!(mut));
                quote!(let #mutable #name = #value;)
            }
            Stmt::Assign { name, op, value } => {
                let name = ident(name);
                self.set(quote!(#name), *op, self.expr(value), value)
            }
            Stmt::Store { array, index, op, value } if self.is_bits(array) => {
                self.set_bit(array, index, *op, value)
            }
            // A narrow index is widened for the operation, then narrowed.
            Stmt::Store { array, index, op: Some(op), value } if self.is_narrow(array) => {
                let old = Expr::load(array, index.clone());
                let value = Expr::binary(*op, old, value.clone());
                self.stmt(&Stmt::store(array, index.clone(), value))
            }
            // A sum that may go on after a call for hashed entries would be kept in memory.
            Stmt::Store { array, index, op: Some(BinaryOp::Add), value }
                if self.workspaces.contains(array) && self.is_number(array) =>
            {
                let (name, index) = (ident(array), self.expr(index));
                let value = self.element(array, value);
                quote!(#name.add(#index, #value);)
            }
            Stmt::Store { array, index, op: None, value }
                if let Some((op, value)) = self.updated(array, index, value) =>
            {
                self.stmt(&Stmt::combine_at(array, index.clone(), op, value.clone()))
            }
            Stmt::Store { array, index, op, value } => {
                let (name, index) = (ident(array), self.expr(index));
                self.set(quote!(#name[#index]), *op, self.element(array, value), value)
            }
            Stmt::Scratch { name, element } if let Some(by) = self.keeper(name) => {
                let (name, element) = (ident(name), element_type(*element));
                quote!(let mut #name = kernel::kept_vector::<#element>(#by);)
            }
            // Operations on words of bits do not determine their type.
            Stmt::Scratch { name, element: Element::Bits } => {
                let name = ident(name);
                quote!(let mut #name = Vec::<u64>::new();)
            }
            // Methods of values, such as `max`, require their type.
            Stmt::Scratch { name, element: Element::Value(dtype) } => {
                let (name, value) = (ident(name), tokens(dtype.rust_name()));
                quote!(let mut #name = Vec::<#value>::new();)
            }
            Stmt::Scratch { name, .. } => {
                let name = ident(name);
                quote!(let mut #name = Vec::new();)
            }
            Stmt::Tile { name, len, initial, .. } => {
                let (name, len) = (ident(name), number(*len));
                let initial = self.receiver(initial);
                quote!(let mut #name = [#initial; #len];)
            }
            Stmt::Sort { array } => {
                let local = self.local.contains(array).then(|| quote!(&mut));
                let array = ident(array);
                quote!(kernel::sort(#local #array);)
            }
            Stmt::Workspace { name: of, dtype, crd, size, initial, is_listed } => {
                let name = ident(of);
                let ty = if *is_listed { "Workspace" } else { "kernel::Accumulator" };
                let types = tokens(&format!("{ty}::<{}, {crd}>", dtype.rust_name()));
                let is_zero = initial.is_zero() || *initial == Expr::Bool(false);
                let initial = self.expr(initial);
                let size = size.as_ref().map(|size| self.expr(size));
                let new = match (size, is_zero, self.keeper(of)) {
                    (None, _, None) => quote!(hashed(#initial)),
                    (None, _, Some(by)) => quote!(kept_hashed(#by, #initial)),
                    (Some(size), true, None) => quote!(new(#size)),
                    (Some(size), true, Some(by)) => quote!(kept(#by, #size)),
                    (Some(size), false, None) => quote!(starting(#size, #initial)),
                    (Some(size), false, Some(by)) => quote!(kept_starting(#by, #size, #initial)),
                };
                quote!(let mut #name = #types::#new;)
            }
            Stmt::Harvest { workspace, crd, vals } => {
                let (workspace, crd) = (ident(workspace), ident(crd));
                let vals = vals.as_ref().map_or_else(|| quote!(_), |vals| tokens(vals));
                quote!(let (#crd, #vals) = #workspace.harvest();)
            }
            Stmt::Places { name: of, size } => {
                let (name, size) = (ident(of), self.expr(size));
                let new = match self.keeper(of) {
                    None => quote!(new(#size)),
                    Some(by) => quote!(kept(#by, #size)),
                };
                quote!(let mut #name = Places::#new;)
            }
            Stmt::Rearrange(rearrange) => self.rearrange(rearrange),
            Stmt::Refuse { condition, error: None } => {
                let condition = self.expr(condition);
                quote!(if #condition { return false; })
            }
            Stmt::Refuse { condition, error: Some(full) } => {
                let (condition, format) = (self.expr(condition), tokens(&full.format));
                let level = number(full.level);
                let coordinate = full.coordinate.iter().map(|coordinate| self.expr(coordinate));
                quote!(if #condition {
                    return Err(kernel::full::<#format>(#level, &[#(#coordinate),*]));
                })
            }
            Stmt::Break => quote!(break;),
            Stmt::Clear { array } => {
                let array = ident(array);
                quote!(#array.clear();)
            }
            Stmt::Reserve { array, additional } => {
                let by_reference = self.local.contains(array).then(|| quote!(&mut));
                let (array, additional) = (ident(array), self.expr(additional));
                quote!(kernel::reserve(#by_reference #array, #additional);)
            }
            Stmt::Push { array, value } => {
                let (name, value) = (ident(array), self.element(array, value));
                quote!(#name.push(#value);)
            }
            Stmt::Extend { array, of, within } => {
                let (name, of) = (ident(array), ident(of));
                match within {
                    None => quote!(#name.extend_from_slice(#of);),
                    Some(Progress { at, start, end }) => {
                        let by_reference = self.local.contains(array).then(|| quote!(&mut));
                        let (at, start, end) =
                            (self.expr(at), self.within(start, 1), self.within(end, 1));
                        quote!(kernel::append(#by_reference #name, #of, #at, #start..#end);)
                    }
                }
            }
            Stmt::Resize { array, len, .. } if self.is_bits(array) => {
                let (name, words) = (ident(array), self.expr(&words(len)));
                quote!(#name.resize(#words, 0);)
            }
            Stmt::Resize { array, len, value } => {
                let (name, len) = (ident(array), self.expr(len));
                let value = self.element(array, value);
                quote!(#name.resize(#len, #value);)
            }
            Stmt::Grow { array, factors, value } => {
                let factors = factors.iter().map(|factor| self.expr(factor));
                let value = self.element(array, value);
                let local = self.local.contains(array).then(|| quote!(&mut));
                let (array, what) = (ident(array), self.arrays());
                quote!(kernel::grow(#local #array, &[#(#factors),*], #value, #what)?;)
            }
            Stmt::For { name, start, end, body } => {
                let unused = Uses::of_name(body, name).reads(name) == 0;
                let name = if unused { quote!(_) } else { tokens(name) };
                let (start, end) = (self.within(start, 1), self.within(end, 1));
                // Unlike one push after another, this compares the length and the capacity once.
                if let [Stmt::Push { array, value }] = &body[..]
                    && self.local.contains(array)
                {
                    let (array, value) = (ident(array), self.element(array, value));
                    return quote!(kernel::extend(&mut #array, #start..#end, |#name| #value););
                }
                let body = self.stmts(body);
                quote!(for #name in #start..#end { #body })
            }
            Stmt::ForOnes { name, start, end, bits, body } => {
                let unused = Uses::of_name(body, name).reads(name) == 0;
                let name = if unused { quote!(_) } else { tokens(name) };
                let (start, end) = (self.within(start, 1), self.within(end, 1));
                let (words, body) = (self.words(bits), self.stmts(body));
                quote!(for #name in kernel::ones(#start..#end, |word| #words) { #body })
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

    /// Returns the parameter that keeps working memory of this name, if one does.
    fn keeper(&self, name: &str) -> Option<TokenStream> {
        let kept = self.kept.as_ref().filter(|kept| kept.names.iter().any(|own| own == name))?;
        Some(tokens(&kept.by))
    }

    /// Emits the end of a function: working memory is kept for later calls.
    pub(super) fn end(&self) -> TokenStream {
        let Some(Kept { by, names }) = &self.kept else { return TokenStream::new() };
        let (by, names) = (ident(by), names.iter().map(|name| ident(name)));
        quote!(#(kernel::keep(#by, #names);)*)
    }

    /// Returns what exceeds memory if an array of a result does.
    pub(super) fn arrays(&self) -> String {
        format!("arrays of {}", self.kernel)
    }

    /// Returns whether loads from an array widen, and stores narrow.
    fn is_narrow(&self, array: &str) -> bool {
        match self.elements.get(array) {
            Some(Element::Index(width)) => *width != Width::Usize,
            Some(Element::Signed(_)) => true,
            Some(Element::Bits | Element::Entry(_) | Element::Value(_) | Element::Pattern(_))
            | None => false,
        }
    }

    /// Returns whether the values of an array are of a type that has all operators of Rust.
    fn is_number(&self, array: &str) -> bool {
        let element = self.elements.get(array);
        matches!(element, Some(Element::Value(dtype)) if !dtype.is_opaque())
    }

    /// Returns the operator and the other operand of a value that combines an element with its
    /// previous value, if Rust has an assignment operator for that. A type parameter is not bounded
    /// by the traits of these operators.
    fn updated<'e>(
        &self,
        array: &str,
        index: &Expr,
        value: &'e Expr,
    ) -> Option<(BinaryOp, &'e Expr)> {
        let Expr::Binary(op, a, b) = value else { return None };
        let has_sign = op.kind() == Kind::Arithmetic && op.is_infix() || *op == BinaryOp::Xor;
        let is_known = self.is_number(array);
        let old = Expr::load(array, index.clone());
        match (has_sign && is_known, Monoid::from(*op)) {
            (true, _) if **a == old => Some((*op, b)),
            (true, Some(_)) if **b == old => Some((*op, a)),
            _ => None,
        }
    }

    /// Emits `target = value;`, or an assignment operator if Rust has one for the operation.
    fn set(
        &self,
        target: TokenStream,
        op: Option<BinaryOp>,
        value: TokenStream,
        plain: &Expr,
    ) -> TokenStream {
        let Some(op) = op else { return quote!(#target = #value;) };
        let name = op.rust_name();
        if op == BinaryOp::Difference {
            let value = self.signed(plain);
            quote!(#target = #target as isize - #value;)
        } else if op.is_method() {
            let method = ident(name);
            quote!(#target = #target.#method(#value);)
        } else if op.kind() == Kind::Arithmetic || op == BinaryOp::Xor {
            let op = tokens(&format!("{name}="));
            quote!(#target #op #value;)
        } else {
            let (value, op) = (self.within(plain, op.rust_precedence() + 1), tokens(name));
            quote!(#target = #target #op #value;)
        }
    }

    /// Sets or clears the bit at a position.
    fn set_bit(
        &self,
        array: &str,
        index: &Expr,
        op: Option<BinaryOp>,
        value: &Expr,
    ) -> TokenStream {
        let old = Expr::load(array, index.clone());
        let value = op.map_or(value.clone(), |op| Expr::binary(op, old, value.clone()));
        let (name, (word, bit)) = (ident(array), self.bit(index));
        match value {
            Expr::Bool(true) => quote!(#name[#word] |= 1 << #bit;),
            Expr::Bool(false) => quote!(#name[#word] &= !(1 << #bit);),
            value => {
                let value = self.expr(&value);
                quote!(if #value { #name[#word] |= 1 << #bit; } else { #name[#word] &= !(1 << #bit); })
            }
        }
    }
}

/// Returns the number of words for a number of bits.
fn words(bits: &Expr) -> Expr {
    Expr::div_ceil(bits.clone(), Expr::Index(64))
}

/// Returns whether a value is the same whenever it is computed.
fn is_constant(value: &Expr) -> bool {
    matches!(value, Expr::Index(_) | Expr::Value(..) | Expr::Constant(..))
}
