//! Emits calls of loops for each part of a range.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::entry::{call, expr, vector};
use super::names::{ident, place_in_view};
use super::packing::function;
use crate::ir::{
    Array, BinaryOp, ByParent, Call, Combining, Contents, Count, Divided, Element, Expr, Intervals,
    Joined, Joining, Ordered, Own, Parts, Width, Work,
};

/// Emits `let parts = kernel::parts(n, |i| i + a.levels().1.pos[i] as usize);`.
pub(super) fn divide(
    name: &str,
    range: &Divided<(String, Array)>,
    (variable, block): (&str, u64),
    (copies, lengths): (&[String], &[Expr]),
    count: Count,
) -> TokenStream {
    let (name, variable) = (ident(name), ident(variable));
    let path = |(tensor, array): &(String, Array)| place_in_view(&ident(tensor), &array.place);
    let (extent, before) = match range {
        Divided::Coordinates { extent, work } => {
            let load = |of: &(String, Array), index: TokenStream| {
                let (path, narrow) = (path(of), of.1.element != Element::Index(Width::Usize));
                let widen = narrow.then(|| quote!(as usize));
                quote!(#path[#index] #widen)
            };
            let reached = |of: &(String, Array)| {
                let path = path(of);
                quote!(kernel::search(&#path[..], 0..#path.len(), #variable))
            };
            let work = work.iter().map(|work| match work {
                Work::Coordinates => quote!(#variable),
                Work::Children(of) => load(of, quote!(#variable)),
                Work::Entries(of) => reached(of),
                Work::ChildrenOf { entries, positions } => load(positions, reached(entries)),
            });
            (expr(extent), quote!(#(#work)+*))
        }
        Divided::Positions(of) => {
            let path = path(of);
            (quote!(#path.len()), quote!(#variable))
        }
    };
    let aligned = (block > 1).then(|| {
        let block = Literal::u64_unsuffixed(block);
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
        Some(of) => {
            let narrow = of.1.element != Element::Index(Width::Usize);
            let (path, widen) = (path(of), narrow.then(|| quote!(as usize)));
            quote!(#path[#ancestor] #widen)
        }
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

/// Emits the calls for all parts, and the statements that join what the parts stored.
pub(super) fn join(
    Parts { all, one }: &Parts,
    filled: &str,
    own: &[Own],
    (orders, vectors): (&[Ordered], &[Joined]),
    loops: &Call,
) -> TokenStream {
    let [all, one, filled] = [all, one, filled].map(ident);
    let (loops, is_fallible) = (call(loops), loops.is_fallible);
    let copied = own.iter().filter_map(|own| Some((ident(&own.tensor), own.copies.as_ref()?)));
    let copied: Vec<_> = copied.collect();
    let new_copies = copied.iter().map(|(tensor, (name, copies))| {
        let (name, neutral) = (ident(name), expr(&copies.neutral));
        quote!(let mut #name = kernel::copies(#tensor.vals(), &#all, #neutral);)
    });
    let combine = copied.iter().map(|(tensor, (name, copies))| {
        let (name, function) = (ident(name), function(&copies.combining));
        quote!(kernel::combine(#tensor.vals_mut(), &#name, #function);)
    });
    let given = own.iter().map(|Own { tensor, vals, copies }| {
        let (tensor, vals) = (ident(tensor), ident(vals));
        let values = match copies {
            None => quote!(kernel::chunks(#tensor.vals_mut(), &#all)),
            Some((name, _)) => {
                let name = ident(name);
                quote!(kernel::with_copies(#tensor.vals_mut(), &mut #name))
            }
        };
        (values, quote!(#vals))
    });
    let given = given.reduce(|(all, own), (more, next)| {
        (quote!(#all.into_iter().zip(#more)), quote!((#own, #next)))
    });
    let each = |body: TokenStream| match &given {
        Some((given, own)) => quote!(kernel::each_with(&#all, #given, |#one, #own| #body)),
        None => quote!(kernel::each(&#all, |#one| #body)),
    };
    if vectors.is_empty() {
        let run = each(loops);
        return quote!(#(#new_copies)* #run; #(#combine)*);
    }
    let names: Vec<_> = vectors.iter().map(|joined| ident(&joined.name)).collect();
    let new = vectors.iter().map(|_| quote!(Vec::new()));
    let is_ordered = |joined: &&Joined| matches!(joined.by, Joining::Ordered(..));
    // An order reads the vectors of all parts.
    let of_parts = |name: &str| {
        let index = vectors.iter().position(|joined| joined.name == name).unwrap_or_default();
        let index = Literal::usize_unsuffixed(index);
        quote!(#filled.iter().map(|part| &part.#index[..]))
    };
    let by = |joined: &Joined| match &joined.by {
        Joining::Ordered(name, _) => orders.iter().find(|order| order.name == *name),
        Joining::Appending | Joining::Positions | Joining::Ends | Joining::Bits { .. } => None,
    };
    let ordered =
        vectors.iter().filter_map(|joined| Some(in_order(joined, by(joined)?, &of_parts)));
    let ordered: Vec<_> = ordered.collect();
    let orders = orders.iter().map(|order| self::order(order, &of_parts));
    let appended: Vec<&Joined> = vectors.iter().filter(|joined| !is_ordered(joined)).collect();
    let into = appended.iter().map(|joined| vector(&joined.into));
    let join = appended.iter().map(|joined| append(joined));
    let taken = vectors.iter().zip(&names).map(|(joined, name)| match is_ordered(&joined) {
        true => quote!(_),
        false => quote!(#name),
    });
    let append = (!appended.is_empty()).then(|| {
        quote! {
            #(#into.clear();)*
            for (#(#taken),*) in #filled {
                #(#join)*
            }
        }
    });
    let (returned, collected) = match is_fallible {
        true => (
            quote!(Ok::<_, Error>((#(#names),*))),
            Some(quote!(.into_iter().collect::<Result<Vec<_>, _>>()?)),
        ),
        false => (quote!((#(#names),*)), None),
    };
    let run = each(quote!({
        let (#(mut #names),*) = (#(#new),*);
        #loops;
        #returned
    }));
    quote! {
        #(#new_copies)*
        let #filled = #run #collected;
        #(#combine)*
        #(#orders)*
        #(#ordered)*
        #append
    }
}

/// Emits `let order = kernel::Order::of_segments(filled.iter().map(|part| &part.0[..]), …);`
fn order(Ordered { name, by }: &Ordered, of_parts: &dyn Fn(&str) -> TokenStream) -> TokenStream {
    let ByParent { coordinates, ends, entries, .. } = by;
    let [coordinates, ends] = [coordinates, ends].map(|array| array.as_deref().map(of_parts));
    let (name, entries) = (ident(name), of_parts(entries));
    let counts = quote!(#entries.map(<[_]>::len));
    let order = match (coordinates, ends) {
        (Some(coordinates), Some(ends)) => quote!(of_listed(#coordinates, #ends, #counts)),
        (Some(coordinates), None) if by.combined.is_some() => quote!(of_distinct(#coordinates)),
        (Some(coordinates), None) => quote!(of_repeated(#coordinates)),
        (None, ends) => quote!(of_segments(#ends, #counts)),
    };
    quote!(let #name = kernel::Order::#order;)
}

/// Joins the vectors of all parts parent by parent.
fn in_order(
    joined: &Joined,
    Ordered { name, by }: &Ordered,
    of_parts: &dyn Fn(&str) -> TokenStream,
) -> TokenStream {
    let Joining::Ordered(_, contents) = &joined.by else { return quote!() };
    let (order, into, parts) = (ident(name), vector(&joined.into), of_parts(&joined.name));
    match contents {
        Contents::Count => quote!(#order.join_count(&mut #into);),
        Contents::Parents => quote!(#order.join_parents(&mut #into);),
        Contents::Ends => quote!(#order.join_ends(&mut #into);),
        Contents::Entries => quote!(#order.join(&mut #into, #parts);),
        Contents::Combined => {
            let combine = by.combined.as_ref().map(|reduced| function(&reduced.combining));
            quote!(#order.combine(&mut #into, #parts, #combine);)
        }
    }
}

/// Joins the vector of a part.
fn append(Joined { name, into, by }: &Joined) -> TokenStream {
    let (part, vector) = (ident(name), vector(into));
    match by {
        Joining::Ends => quote!(kernel::join_ends(&mut #vector, &#part);),
        Joining::Positions => quote!(kernel::join_positions(&mut #vector, &#part);),
        Joining::Bits { of, after } => {
            let (of, after) = (ident(of), ident(after));
            quote!(kernel::join_bits(&mut #vector, #after.len(), &#part, #of.len());)
        }
        Joining::Appending | Joining::Ordered(..) => quote!(#vector.extend(#part);),
    }
}

/// Emits the values that the parts return, combined in order.
pub(super) fn total(Parts { all, one }: &Parts, loops: &Call, by: &[Combining]) -> TokenStream {
    let [all, one] = [all, one].map(|name| ident(name));
    let loops = call(loops);
    match by {
        [only] if is_sum(only) => quote!(kernel::total(&#all, |#one| #loops)),
        [only] => {
            let function = function(only);
            quote!(kernel::combined(&#all, |#one| #loops, #function))
        }
        several => {
            let [earlier, later] = [0, 1].map(|side| {
                let names = several.iter().map(|by| ident(&by.values[side]));
                quote!((#(#names),*))
            });
            let values = several.iter().map(|by| expr(&by.combined));
            quote!(kernel::combined(&#all, |#one| #loops, |#earlier, #later| (#(#values),*)))
        }
    }
}

fn is_sum(Combining { values: [a, b], combined }: &Combining) -> bool {
    *combined == Expr::binary(BinaryOp::Add, Expr::var(a), Expr::var(b))
}
