//! Vectors of sufficient reserved capacity.
//!
//! A push that may reallocate keeps the pointer and length of every vector in memory, and compares
//! the length with the capacity. Without these checks, unions of sparse matrices take about two
//! thirds of the time.

use proc_macro2::TokenStream;
use quote::quote;

use super::body::Body;
use super::filled;
use super::layout::comment;
use super::loops::safety;
use super::names::ident;
use crate::ir::{Assembly, Expr, Function, Stmt, Unchecked, Uses};
use crate::names::free;

/// The vectors of a result that are only appended to after their capacity is reserved.
pub(super) struct Reserved<'f> {
    function: &'f Function,
    /// The statements up to the last reservation.
    before: &'f [Stmt],
    /// The statements after it.
    after: &'f [Stmt],
    /// The vectors and their reserved capacities.
    vectors: Vec<(&'f str, &'f Expr)>,
    /// The comment that explains why the capacities suffice.
    safety: String,
}

impl<'f> Reserved<'f> {
    /// Returns the capacities that a function reserves before its first loop and that need no
    /// checks.
    pub(super) fn of(function: &'f Function) -> Option<Reserved<'f>> {
        let body = function.body.as_slice();
        let head = body.iter().take_while(|stmt| stmt.bodies().is_empty());
        let reserving = |stmt: &Stmt| matches!(stmt, Stmt::Reserve { .. });
        let last = head.clone().enumerate().filter(|(_, stmt)| reserving(stmt)).last()?.0;
        let (before, after) = body.split_at(last + 1);
        let is_result = |name: &str| {
            function.results().any(|result| match &result.assembly {
                Assembly::Assembled { arrays, .. } => arrays.iter().any(|array| array.name == name),
                Assembly::Computed { .. } => false,
            })
        };
        let vectors = before.iter().enumerate().filter_map(|(k, stmt)| match stmt {
            Stmt::Reserve { array, additional }
                if is_result(array) && function.is_unchecked(Unchecked::Append, array) =>
            {
                let between = Uses::of(&before[k..]);
                let changes = between.written.keys().any(|name| additional.mentions(name));
                let holds = !changes && is_only_appended(array, after);
                holds.then_some((array.as_str(), additional))
            }
            Stmt::Reserve { .. }
            | Stmt::Comment(_)
            | Stmt::Let { .. }
            | Stmt::Assign { .. }
            | Stmt::Store { .. }
            | Stmt::Scratch { .. }
            | Stmt::Tile { .. }
            | Stmt::Sort { .. }
            | Stmt::Workspace { .. }
            | Stmt::Harvest { .. }
            | Stmt::Places { .. }
            | Stmt::Rearrange(_)
            | Stmt::Refuse { .. }
            | Stmt::Break
            | Stmt::Clear { .. }
            | Stmt::Push { .. }
            | Stmt::Extend { .. }
            | Stmt::Resize { .. }
            | Stmt::Grow { .. }
            | Stmt::For { .. }
            | Stmt::ForOnes { .. }
            | Stmt::While { .. }
            | Stmt::If { .. } => None,
        });
        let vectors: Vec<_> = vectors.collect();
        (!vectors.is_empty()).then(|| Reserved {
            function,
            before,
            after,
            vectors,
            safety: safety(function, Unchecked::Append),
        })
    }

    /// Emits the statements of the function, with vectors that do not reallocate.
    pub(super) fn stmts(&self, body: &Body) -> TokenStream {
        let is_vector = |name: &str| self.vectors.iter().any(|(vector, _)| *vector == name);
        let replaced =
            |stmt: &Stmt| matches!(stmt, Stmt::Reserve { array, .. } if is_vector(array));
        let kept: Vec<Stmt> = self.before.iter().filter(|stmt| !replaced(stmt)).cloned().collect();
        let before = body.outermost(&kept);
        let after = filled::stmts(self.function, body, self.after);
        let names: Vec<_> = self.vectors.iter().map(|(vector, _)| ident(vector)).collect();
        let found = self.found().map(|entries| {
            let used = self.function.names();
            let name = ident(&free("entries", |name| used.contains(name)));
            (entries, name)
        });
        let wrapped: Vec<_> = self
            .vectors
            .iter()
            .map(|(vector, additional)| {
                let name = ident(vector);
                match &found {
                    Some((entries, known)) if entries == additional => {
                        quote!(Reserved::new(#name, #known))
                    }
                    _ => {
                        let additional = body.expr(additional);
                        quote!(Reserved::new(#name, #additional))
                    }
                }
            })
            .collect();
        let found = found.map(|(entries, name)| {
            let entries = body.expr(entries);
            quote!(let #name = #entries;)
        });
        let safety = comment(&self.safety);
        let wrap = match (names.as_slice(), wrapped.as_slice()) {
            ([name], [wrapped]) => quote!(let mut #name = unsafe { #wrapped };),
            (names, wrapped) => {
                quote!(let (#(mut #names),*) = unsafe { (#(#wrapped),*) };)
            }
        };
        quote!(#before #found #safety #wrap #after)
    }

    /// Returns a capacity of several vectors that is found by search.
    fn found(&self) -> Option<&'f Expr> {
        let is_shared =
            |entries: &Expr| self.vectors.iter().filter(|of| of.1 == entries).count() > 1;
        let mut entries = self.vectors.iter().map(|(_, additional)| *additional);
        entries.find(|entries| entries.searches() && is_shared(entries))
    }
}

/// Returns whether statements only append to a vector and read its length.
fn is_only_appended(vector: &str, body: &[Stmt]) -> bool {
    let uses = Uses::of_name(body, vector);
    let pushes = |stmt: &Stmt| matches!(stmt, Stmt::Push { array, .. } if array == vector);
    uses.only_writes_by(vector, body, pushes) && uses.reads(vector) == 0
}
