//! Emits calls of loops for each part of a range.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::entry::{call, expr, vector};
use super::names::{ident, place_in_view};
use super::packing::function;
use crate::ir::{
    Array, BinaryOp, ByParent, Call, Combining, Contents, Count, Divided, Element, Expr, Intervals,
    Joined, Joining, Ordered, Own, Parts, Vector, Width, Work,
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
    let values = own.iter().map(|Own { tensor, vals, copies }| {
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
    // The first part uses the memory of vectors that the other parts are appended to.
    let (ordered, appended): (Vec<&Joined>, Vec<&Joined>) =
        vectors.iter().partition(|joined| matches!(joined.by, Joining::Ordered(..)));
    let appended = appended.iter().map(|joined| {
        let (name, into) = (ident(&joined.name), vector(&joined.into));
        (quote!(kernel::vectors(&mut #into, &#all)), quote!(mut #name))
    });
    let mut values = values.chain(appended);
    let given = values.next().map(|(first, own)| match values.next() {
        None => (first, own),
        Some(second) => std::iter::once(second)
            .chain(values)
            .fold((quote!(#first.into_iter()), own), |(all, own), (more, next)| {
                (quote!(#all.zip(#more)), quote!((#own, #next)))
            }),
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
    let new: Vec<_> = ordered.iter().map(|joined| ident(&joined.name)).collect();
    let joined = vectors.iter().map(|joined| join_vector(joined, orders));
    let all_orders = orders.iter().map(order);
    let (returned, collected) = match is_fallible {
        true => (
            quote!(Ok::<_, Error>((#(#names),*))),
            Some(quote!(.into_iter().collect::<Result<Vec<_>, _>>()?)),
        ),
        false => (quote!((#(#names),*)), None),
    };
    let run = each(quote!({
        #(let mut #new = Vec::new();)*
        #loops;
        #returned
    }));
    let is_read = |joined: &Joined| match &joined.by {
        Joining::Ordered(_, Contents::Entries | Contents::Combined | Contents::Slotted) => true,
        Joining::Ordered(
            _,
            Contents::Count | Contents::Parents | Contents::Ends | Contents::Slots,
        ) => {
            let name = Some(&joined.name);
            orders.iter().any(
                |Ordered { by: ByParent { coordinates, ends, entries, .. }, .. }| {
                    [coordinates.as_ref(), ends.as_ref(), Some(entries)].contains(&name)
                },
            )
        }
        Joining::Appending | Joining::Positions | Joining::Ends | Joining::Bits { .. } => true,
    };
    let read = vectors.iter().zip(&names).map(|(joined, name)| match is_read(joined) {
        true => quote!(#name),
        false => quote!(_),
    });
    let taken = match vectors {
        [_] => quote!(let #(#read)* = #filled;),
        _ => {
            let lists = names.iter().map(|_| quote!(Vec<_>));
            quote!(let (#(#read),*): (#(#lists),*) = #filled.into_iter().collect();)
        }
    };
    quote! {
        #(#new_copies)*
        let #filled = #run #collected;
        #(#combine)*
        #taken
        #(#all_orders)*
        #(#joined)*
    }
}

/// Emits `let order = kernel::Order::of_segments(&c2_pos, &c2_crd);`
fn order(Ordered { name, by, .. }: &Ordered) -> TokenStream {
    let ByParent { coordinates, ends, entries, .. } = by;
    let [coordinates, ends] = [coordinates, ends].map(|array| array.as_deref().map(parts));
    let (name, entries) = (ident(name), ident(entries));
    let counts = quote!(#entries.iter().map(Vec::len));
    let order = match (coordinates, ends) {
        (Some(coordinates), Some(ends)) => quote!(of_listed(#coordinates, #ends, #counts)),
        (Some(coordinates), None) if by.combined.is_some() => quote!(of_distinct(#coordinates)),
        (Some(coordinates), None) => quote!(of_repeated(#coordinates)),
        (None, ends) => quote!(of_segments(#ends, #counts)),
    };
    quote!(let #name = kernel::Order::#order;)
}

/// Emits the vectors of all parts, as slices.
fn parts(name: &str) -> TokenStream {
    let name = ident(name);
    quote!(#name.iter().map(Vec::as_slice))
}

/// Joins a vector of all parts.
fn join_vector(Joined { name, into, by }: &Joined, orders: &[Ordered]) -> TokenStream {
    let (own, target) = (ident(name), into);
    let into = vector(into);
    match by {
        Joining::Ends => quote!(kernel::join_ends(&mut #into, #own);),
        Joining::Positions => quote!(kernel::join_positions(&mut #into, #own);),
        Joining::Bits { of, .. } => {
            let of = parts(of);
            quote!(kernel::join_bits(&mut #into, #own, #of.map(<[_]>::len));)
        }
        Joining::Appending => quote!(kernel::join(&mut #into, #own);),
        Joining::Ordered(order, contents) => {
            let known = orders.iter().find(|known| known.name == *order);
            let (order, parts) = (ident(order), parts(name));
            match contents {
                Contents::Count => quote!(#order.join_count(&mut #into);),
                Contents::Parents => quote!(#order.join_parents(&mut #into);),
                Contents::Ends => quote!(#order.join_ends(&mut #into);),
                Contents::Entries => quote!(#order.join(&mut #into, #own);),
                Contents::Slots => quote!(#into = #order.slots();),
                Contents::Slotted => {
                    let known = known.expect("the order of a result is known");
                    let padding = match target {
                        Vector::Values(_) => known.by.padding.as_ref().map(expr),
                        Vector::Field(_) => Some(quote!(0)),
                    };
                    let what = &known.what;
                    quote!(#order.join_in_slots(&mut #into, #own, #padding, #what)?;)
                }
                Contents::Combined => {
                    let reduced = known.and_then(|order| order.by.combined.as_ref());
                    let combine = reduced.map(|reduced| function(&reduced.combining));
                    quote!(#order.combine(&mut #into, #parts, #combine);)
                }
            }
        }
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
