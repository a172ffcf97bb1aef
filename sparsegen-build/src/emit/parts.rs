//! Emits calls of loops for each part of a range.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

use super::entry::{call, expr};
use super::names::{ident, place_in_view};
use super::packing::function;
use crate::ir::{
    Array, BinaryOp, Call, Combining, Count, Counted, Divided, Divisible, Element, Expr, Intervals,
    Measure, Parts, Steps, Width, Work,
};

/// Emits `let parts = kernel::parts(n, |i| i + a.levels().1.pos[i] as usize);`.
pub(super) fn divide(
    name: &str,
    range: &Divided<(String, Array)>,
    block: &Expr,
    (copies, lengths): (&[String], &[Expr]),
    count: Count,
) -> TokenStream {
    let (name, variable) = (ident(name), ident(&range.variable));
    let counted = expr(&range.counted.begin(Expr::var(&range.variable)));
    let (own, counted) = match &range.counted {
        Counted::Own | Counted::Blocks(_) => (counted, None),
        Counted::Slice { variable: own, .. } => {
            let own = ident(own);
            (quote!(#own), Some(quote!(let #own = #counted;)))
        }
    };
    let path = |(tensor, array): &(String, Array)| place_in_view(&ident(tensor), &array.place);
    let length = |of: &(String, Array)| {
        let path = path(of);
        quote!(#path.len())
    };
    let extent = match &range.range {
        Divisible::Coordinates(extent) => expr(extent),
        Divisible::Positions(of) => length(of),
    };
    let load = |of: &(String, Array), index: TokenStream| loaded(path(of), of.1.element, index);
    let reached = |of: &(String, Array)| {
        let (path, length) = (path(of), length(of));
        match of.1.element {
            Element::Signed(_) => signed_search(&quote!(&#path[..]), &length, &own, &range.below),
            _ => quote!(kernel::search(&#path[..], 0..#length, #own)),
        }
    };
    let work = range.work.iter().map(|work| match work {
        Work::Each => own.clone(),
        Work::Children(of) => load(of, own.clone()),
        Work::Entries(of) => reached(of),
        Work::ChildrenOf { entries, positions } => load(positions, reached(entries)),
    });
    let work = quote!(#(#work)+*);
    let measured = |of: &Measure<(String, Array)>, extent: fn(&Expr) -> TokenStream| match of {
        Measure::Extent(of) => extent(of),
        Measure::Length(of) => length(of),
    };
    let steps = range.steps.iter().map(|Steps { all, units }| match units {
        Some(units) => match (all, units) {
            (Measure::Extent(Expr::Index(all)), Measure::Extent(Expr::Index(units @ 1..))) => {
                Literal::usize_unsuffixed(all.div_ceil(*units)).into_token_stream()
            }
            (all, units) => {
                let [all, units] = [all, units].map(|of| measured(of, receiver));
                quote!(#all.div_ceil(#units.max(1)))
            }
        },
        None => measured(all, expr),
    });
    // Extents may be large where there are no entries.
    let before = match &range.work[..] {
        _ if range.steps.is_empty() => work,
        [Work::Each | Work::Entries(_)] if range.counted == Counted::Own => {
            quote!(#work #(.saturating_mul(#steps))*)
        }
        _ => quote!((#work) #(.saturating_mul(#steps))*),
    };
    let before = match counted {
        Some(counted) => quote!({ #counted #before }),
        None => before,
    };
    let aligned = (!block.is_one()).then(|| {
        let block = expr(block);
        quote!(.aligned(#block))
    });
    let copied =
        copies.iter().map(|tensor| ident(tensor)).map(|tensor| quote!(#tensor.vals().len()));
    let lengths = copied.chain(lengths.iter().map(expr)).reduce(|all, more| quote!(#all + #more));
    let lengths = lengths.unwrap_or_else(|| quote!(0));
    let parts = match count {
        Count::Many => quote!(parts(#extent, |#variable| #before)),
        Count::Few => quote!(few_parts(#extent, #lengths, |#variable| #before)),
        Count::Threads => quote!(thread_parts(#extent, #lengths, |#variable| #before)),
    };
    quote!(let #name = kernel::#parts #aligned;)
}

/// Emits an element of an array of positions or coordinates, as an index.
pub(super) fn loaded(array: TokenStream, element: Element, index: TokenStream) -> TokenStream {
    let widen = (element != Element::Index(Width::Usize)).then(|| quote!(as usize));
    quote!(#array[#index] #widen)
}

/// Emits a search for a coordinate, which is counted from a number below 0.
pub(super) fn signed_search(
    array: &TokenStream,
    length: &TokenStream,
    counted: &TokenStream,
    below: &Expr,
) -> TokenStream {
    let below = within(below);
    let coordinate = quote!(#counted as isize - #below as isize);
    quote!(kernel::search_signed(#array, 0..#length, #coordinate))
}

/// Emits an extent as the receiver of a method. A literal has a type.
fn receiver(extent: &Expr) -> TokenStream {
    match extent {
        Expr::Index(n) => Literal::usize_suffixed(*n).into_token_stream(),
        extent => within(extent),
    }
}

/// Emits an extent as the operand of a cast.
fn within(extent: &Expr) -> TokenStream {
    let emitted = expr(extent);
    if matches!(extent, Expr::Extent(..)) { emitted } else { quote!((#emitted)) }
}

/// Emits `kernel::split(y.vals_mut(), &parts, |part, y_vals| …);`.
pub(super) fn split(
    Parts { all, one }: &Parts,
    tensor: &str,
    vals: &str,
    loops: &Call,
) -> TokenStream {
    let [all, one, tensor, vals] = [all, one, tensor, vals].map(ident);
    let loops = call(loops);
    quote!(kernel::split(#tensor.vals_mut(), &#all, |#one, #vals| #loops);)
}

/// Emits `kernel::split_intervals(y.shape()[0], y.vals_mut(), &parts, 0.0, |p_a| …, |own, part, y_vals|
/// …, |earlier, later| earlier + later);`.
pub(super) fn split_intervals(
    Parts { all, one }: &Parts,
    names: [&str; 4],
    Intervals { mode, coordinate, copies, .. }: &Intervals<(String, Array)>,
    loops: &Call,
) -> TokenStream {
    let [all, one] = [all, one].map(|name| ident(name));
    let [tensor, vals, own, variable] = names.map(ident);
    let mode = Literal::usize_unsuffixed(*mode);
    let (neutral, combine, loops) =
        (expr(&copies.neutral), function(&copies.combining), call(loops));
    let path = |(tensor, array): &(String, Array)| place_in_view(&ident(tensor), &array.place);
    let ancestor = coordinate
        .segments
        .iter()
        .map(path)
        .fold(quote!(#variable), |position, of| quote!(kernel::parent(#of, #position)));
    let coordinate = match &coordinate.coordinates {
        None => ancestor,
        Some(of) => loaded(path(of), of.1.element, ancestor),
    };
    quote! {
        kernel::split_intervals(
            #tensor.shape()[#mode],
            #tensor.vals_mut(),
            &#all,
            #neutral,
            |#variable| #coordinate,
            |#own, #one, #vals| #loops,
            #combine,
        );
    }
}

/// Emits the values that the parts return, combined in order.
pub(super) fn total(Parts { all, one }: &Parts, loops: &Call, by: &[Combining]) -> TokenStream {
    let [all, one] = [all, one].map(|name| ident(name));
    let loops = call(loops);
    match by {
        [only] if is_sum(only) => quote!(kernel::total(&#all, |#one| #loops)),
        by => {
            let function = combination(by);
            quote!(kernel::combined(&#all, |#one| #loops, #function))
        }
    }
}

/// Emits the function that combines the values of two parts.
pub(super) fn combination(by: &[Combining]) -> TokenStream {
    if let [only] = by {
        return function(only);
    }
    let [earlier, later] = [0, 1].map(|side| {
        let names = by.iter().map(|by| ident(&by.values[side]));
        quote!((#(#names),*))
    });
    let values = by.iter().map(|by| expr(&by.combined));
    quote!(|#earlier, #later| (#(#values),*))
}

fn is_sum(Combining { values: [a, b], combined }: &Combining) -> bool {
    *combined == Expr::binary(BinaryOp::Add, Expr::var(a), Expr::var(b))
}
