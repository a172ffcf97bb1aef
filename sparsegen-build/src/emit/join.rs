//! Emits calls of loops for each part of a range, each of which fills storage of its own.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::entry::{bound, call, element_of, expr, field, tuple, vector};
use super::names::ident;
use super::packing::function;
use super::parts::{combination, loaded, signed_search};
use crate::ir::{
    Array, ByParent, Contents, DescentStep, Element, Expr, Field, Join, Joined, Joining, Ordered,
    Own, Parts, Place, Returned, Share, Storage, Tables, Vector,
};

/// Emits the calls for all parts, and the statements that join what the parts stored.
pub(super) fn join(join: &Join) -> TokenStream {
    let Join { parts: Parts { all, one }, filled, own, orders, tables, vectors, .. } = join;
    // A call for a part returns these.
    let scalars: Vec<_> = join.returned.iter().map(|returned| ident(&returned.name)).collect();
    let numbers: Vec<_> = join.numbers.iter().map(|name| ident(name)).collect();
    let [all, one, filled] = [all, one, filled].map(|name| ident(name));
    let loops = match (&join.known, call(&join.call)) {
        (None, loops) => loops,
        (Some((is_known, known)), loops) => {
            let (is_known, known) = (ident(is_known), call(known));
            quote!(if #is_known { #known } else { #loops })
        }
    };
    let copied = own.iter().filter_map(|Own { tensor, share, .. }| match share {
        Share::Copies(name, copies) => Some((ident(tensor), name, copies)),
        Share::Chunk | Share::Below { .. } => None,
    });
    let copied: Vec<_> = copied.collect();
    let new_copies = copied.iter().map(|(tensor, name, copies)| {
        let (name, neutral) = (ident(name), expr(&copies.neutral));
        quote!(let mut #name = kernel::copies(#tensor.vals(), &#all, #neutral);)
    });
    let combine = copied.iter().map(|(tensor, name, copies)| {
        let (name, function) = (ident(name), function(&copies.combining));
        quote!(kernel::combine(#tensor.vals_mut(), &#name, #function);)
    });
    let given = given(join);
    let each = |body: TokenStream| match &given {
        Some((given, own)) => quote!(kernel::each_with(&#all, #given, |#one, #own| #body)),
        None => quote!(kernel::each(&#all, |#one| #body)),
    };
    if vectors.is_empty() && scalars.is_empty() && numbers.is_empty() {
        let run = each(loops);
        return quote!(#(#new_copies)* #run; #(#combine)*);
    }
    // All scalars of two parts are combined at once: a choice depends on its key.
    let all_scalars = (!scalars.is_empty()).then(|| tuple(scalars.iter()));
    let list_of_scalars = if let [only] = &scalars[..] { only } else { &filled };
    let names = vectors.iter().map(|joined| ident(&joined.name).into_token_stream());
    let numbers_of_part = numbers.iter().map(|name| name.into_token_stream());
    let names: Vec<_> = names.chain(all_scalars.clone()).chain(numbers_of_part).collect();
    let (returned, collected) = match join.call.is_fallible {
        true => (
            quote!(Ok::<_, Error>((#(#names),*))),
            Some(quote!(.into_iter().collect::<Result<Vec<_>, _>>()?)),
        ),
        false => (quote!((#(#names),*)), None),
    };
    let returns = (!scalars.is_empty() || !numbers.is_empty()).then(|| {
        let of_call = tuple(scalars.iter().chain(&numbers));
        quote!(let #of_call =)
    });
    let new = vectors.iter().filter(|joined| is_ordered(joined));
    let new = new.map(|joined| ident(&joined.name));
    let is_whole = vectors.is_empty() && (scalars.len() < 2 || numbers.is_empty());
    let run = match is_whole && !join.call.is_fallible {
        true => each(loops),
        false => each(quote!({
            #(let mut #new = Vec::new();)*
            #returns #loops;
            #returned
        })),
    };
    let patterns = vectors.iter().map(|joined| pattern(join, joined));
    let lists = all_scalars.is_some().then_some(list_of_scalars).into_iter().chain(&numbers);
    let patterns = patterns.chain(lists.map(|name| name.into_token_stream()));
    let taken = match &patterns.collect::<Vec<_>>()[..] {
        [_] if vectors.is_empty() => TokenStream::new(),
        [only] => quote!(let #only = #filled;),
        patterns => {
            let lists = names.iter().map(|_| quote!(Vec<_>));
            quote!(let (#(#patterns),*): (#(#lists),*) = #filled.into_iter().collect();)
        }
    };
    let all_orders = orders.iter().map(order);
    let all_tables = tables.iter().map(table);
    let joined = vectors.iter().map(|joined| join_vector(joined, orders));
    let reduced = (!scalars.is_empty()).then(|| {
        let combined = tuple(join.combined.iter().map(bound));
        let function = combination(&Returned::combining(&join.returned));
        let values = if names.len() == 1 { &filled } else { list_of_scalars };
        quote!(let #combined = kernel::reduced(#values, #function);)
    });
    quote! {
        #(#new_copies)*
        let #filled = #run #collected;
        #(#combine)*
        #taken
        #(#all_orders)*
        #(#all_tables)*
        #(#joined)*
        #reduced
    }
}

/// Returns what is given to the parts, if anything: an iterator, and the pattern of an element. The
/// first part uses the memory of vectors that the other parts are appended to.
fn given(Join { parts, own, vectors, .. }: &Join) -> Option<(TokenStream, TokenStream)> {
    let all = ident(&parts.all);
    let values = own.iter().map(|Own { tensor, vals, share }| {
        let (tensor, vals) = (ident(tensor), ident(vals));
        let values = match share {
            Share::Chunk => quote!(kernel::chunks(#tensor.vals_mut(), &#all)),
            Share::Below { storage, variable, steps } => {
                let (whole, variable) = (ident(&storage.vals), ident(variable));
                match steps.as_slice() {
                    [] => quote!(kernel::chunks(#whole, &#all)),
                    steps => {
                        let first = below(steps, storage, quote!(#variable));
                        quote!(kernel::chunks_below(#whole, &#all, |#variable| #first))
                    }
                }
            }
            Share::Copies(name, _) => {
                let name = ident(name);
                quote!(kernel::with_copies(#tensor.vals_mut(), &mut #name))
            }
        };
        (values, quote!(#vals))
    });
    let appended = vectors.iter().filter(|joined| !is_ordered(joined)).map(|joined| {
        let (name, into) = (ident(&joined.name), vector(&joined.into));
        (quote!(kernel::vectors(&mut #into, &#all)), quote!(mut #name))
    });
    let mut values = values.chain(appended);
    let (first, own) = values.next()?;
    let Some(second) = values.next() else { return Some((first, own)) };
    let zip = |(all, own): (TokenStream, TokenStream), (more, next): (TokenStream, TokenStream)| {
        (quote!(#all.zip(#more)), quote!((#own, #next)))
    };
    let first = (quote!(#first.into_iter()), own);
    Some(std::iter::once(second).chain(values).fold(first, zip))
}

/// Emits the first position below a coordinate: `levels.1.pos[i] as usize`.
fn below(steps: &[DescentStep], storage: &Storage, coordinate: TokenStream) -> TokenStream {
    let path = |array: &Array| match &array.place {
        Place::Values => ident(&storage.vals).into_token_stream(),
        Place::Level { level, field } => {
            let (levels, level, field) = (storage.levels.clone(), *level, field.clone());
            self::field(&Field { levels, level, field })
        }
    };
    steps.iter().fold(coordinate, |first, step| match step {
        DescentStep::Search { array, below } => {
            let of = path(array);
            match array.element {
                Element::Signed(_) => signed_search(&of, &quote!(#of.len()), &first, below),
                _ => quote!(kernel::search(#of, 0..#of.len(), #first)),
            }
        }
        DescentStep::Segments(of) => loaded(path(of), of.element, first),
        DescentStep::Each(each) => {
            let is_compound = matches!(each, Expr::Binary(..));
            let each = expr(each);
            if is_compound { quote!(#first * (#each)) } else { quote!(#first * #each) }
        }
    })
}

/// Returns whether the vectors of the parts are joined parent by parent.
fn is_ordered(joined: &Joined) -> bool {
    matches!(joined.by, Joining::Ordered(..))
}

/// Returns the pattern of the vectors of all parts: `c2_crd`, with `mut` if their elements are moved
/// before they are joined, or `_` if they are not read.
fn pattern(Join { orders, tables, .. }: &Join, joined: &Joined) -> TokenStream {
    let is_read = match &joined.by {
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
        Joining::Appending
        | Joining::Positions
        | Joining::Shifted { .. }
        | Joining::Ends
        | Joining::Bits { .. } => true,
    };
    let is_moved = tables.iter().any(|Tables { by, .. }| {
        let mut below = by.below.iter();
        by.slots == joined.name || below.any(|(array, _)| array.name == joined.name)
    });
    let name = ident(&joined.name);
    match (is_read, is_moved) {
        (true, true) => quote!(mut #name),
        (true, false) => quote!(#name),
        (false, _) => quote!(_),
    }
}

/// Emits `levels.1.width = kernel::Buckets::alike(&mut c2_crd, &c2_width, "arrays of a")?.moving(&mut
/// c_vals, 0.0)?.width();`
fn table(Tables { into, what, by }: &Tables) -> TokenStream {
    let (into, [slots, width]) = (field(into), [&by.slots, &by.width].map(|name| ident(name)));
    let buckets = match &by.parents {
        None => quote!(alike(&mut #slots, &#width, #what)),
        Some(parents) => {
            let parents = expr(parents);
            quote!(merged(&mut #slots, &#width, #parents, #what))
        }
    };
    let below = by.below.iter().map(|(array, initial)| {
        let initial = element_of(array, initial);
        let array = ident(&array.name);
        quote!(.moving(&mut #array, #initial)?)
    });
    quote!(#into = kernel::Buckets::#buckets? #(#below)* .width();)
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
        Joining::Shifted { by } => {
            let by = parts(by);
            quote!(kernel::join_shifted(&mut #into, #own, #by.map(<[_]>::len));)
        }
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
