//! Emits entry points.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::body::Body;
use super::layout::comment;
use super::names::{element_type, ident, number, tokens};
use super::signature::{arguments, generics, parameters, ty};
use super::{checks, docs, join, packing, parts};
use crate::ir::{
    Argument, Array, Assembled, Derivation, Element, Entry, Expr, Field, Instruction, Listing,
    Shape, Storage, Taken, Target, TensorType, Value, Vector,
};

/// Emits an entry point.
pub(super) fn item(entry: &Entry) -> TokenStream {
    let docs = docs::attributes(&entry.docs);
    let public = entry.is_public.then(|| quote!(pub));
    let (name, generics) = (ident(&entry.name), generics(&entry.parameters, &entry.traits));
    let parameters = parameters(&entry.parameters);
    let returns = tuple(entry.returns.iter().map(ty));
    let body = entry.body.iter().map(|part| instruction(part, &entry.kernel));
    quote! {
        #docs
        #public fn #name #generics(#(#parameters),*) -> Result<#returns, Error> {
            #(#body)*
        }
    }
}

/// Emits a tuple: `()`, `a`, `(a, b)`.
pub(super) fn tuple(items: impl Iterator<Item = impl ToTokens>) -> TokenStream {
    let items: Vec<_> = items.collect();
    match items.as_slice() {
        [item] => quote!(#item),
        items => quote!((#(#items),*)),
    }
}

/// Emits an instruction of an entry point of a kernel.
fn instruction(instruction: &Instruction, kernel: &str) -> TokenStream {
    match instruction {
        Instruction::Ignore(name) => {
            let name = ident(name);
            quote!(let _ = #name;)
        }
        Instruction::View(names) => {
            let names: Vec<_> = names.iter().map(|name| ident(name)).collect();
            let (bound, views) =
                (tuple(names.iter()), tuple(names.iter().map(|n| quote!(#n.into_view()?))));
            quote!(let #bound = #views;)
        }
        Instruction::Check(check) => {
            let check = checks::check(kernel, check);
            quote!(#check?;)
        }
        Instruction::Replace { into, by, tensor } => {
            let (into, by) = (ident(into), ident(by));
            quote!(kernel::replace_values(#into, &#by, #kernel, #tensor)?;)
        }
        Instruction::Let { name, value } => {
            let (name, value) = (ident(name), expr(value));
            quote!(let #name = #value;)
        }
        Instruction::Convert { name, of, ty: TensorType { format, .. } } => {
            let (name, of, format) = (ident(name), ident(of), tokens(format));
            quote!(let #name = #of.to::<#format>()?;)
        }
        Instruction::Invert { name, of, extent, .. } => {
            let (name, extent) = (ident(name), expr(extent));
            let list = match of {
                Listing::Indices(of) => {
                    let of = ident(of);
                    quote!(#of.iter().copied())
                }
                Listing::Values(of) => {
                    let of = ident(of);
                    quote!(#of.vals().iter().map(|at| usize::try_from(*at).unwrap_or(usize::MAX)))
                }
            };
            quote!(let #name = kernel::inverse(#list, #extent)?;)
        }
        Instruction::LastOfEach { name, of } => {
            let (name, of) = (ident(name), ident(of));
            quote!(let #name = kernel::last_of_each(#of);)
        }
        Instruction::Divide(name) => {
            let name = ident(name);
            quote!(let #name = kernel::Division::default();)
        }
        Instruction::Workspaces { name, is_mutable } => {
            let (name, mutable) = (ident(name), is_mutable.then(|| quote!(mut)));
            quote!(let #mutable #name = Workspaces::new();)
        }
        Instruction::New { name, shape: Shape::Extents(extents), .. } => {
            let (name, extents) = (ident(name), extents.iter().map(expr));
            quote!(let mut #name = Tensor::zeros([#(#extents),*])?;)
        }
        Instruction::New { name, ty, shape: Shape::Of(like) } => {
            let (name, new) = (ident(name), new(ty, like));
            quote!(let mut #name = #new?;)
        }
        Instruction::Copy { name, of } => {
            let (name, of) = (ident(name), ident(of));
            quote!(let mut #name = #of.clone();)
        }
        Instruction::Fill { values, value } => {
            let (values, value) = (argument(values), expr(value));
            quote!(#values.fill(#value);)
        }
        Instruction::Take { of, storage: Storage { shape, levels, vals, fills_levels } } => {
            let [shape, levels, vals] = [shape, levels, vals].map(|name| ident(name));
            let mutable = fills_levels.then(|| quote!(mut));
            match of {
                Taken::Caller(of) => {
                    let of = ident(of);
                    quote! {
                        let #shape = #of.shape();
                        let (#mutable #levels, mut #vals) = #of.take_parts();
                    }
                }
                Taken::New { like, ty } => {
                    let new = new(ty, like);
                    quote!(let (#shape, #mutable #levels, mut #vals) = #new?.into_parts();)
                }
            }
        }
        Instruction::Borrow { of, storage: Storage { levels, vals, .. } } => {
            let [of, levels, vals] = [of, levels, vals].map(|name| ident(name));
            quote!(let (#levels, #vals) = #of.structure_and_vals();)
        }
        Instruction::Assemble { into, storage, is_checked } => assemble(into, storage, *is_checked),
        Instruction::Derive(by) => {
            let (result, by) = (ident(&by.result), derivation(by, kernel));
            quote!(kernel::derive(#result, #by);)
        }
        Instruction::Derived { name, all } => {
            let name = ident(name);
            let are = all.iter().map(|by| {
                let (result, by) = (ident(&by.result), derivation(by, kernel));
                quote!(kernel::is_derived(#result, #by))
            });
            quote!(let #name = #(#are)&&*;)
        }
        Instruction::Put { into, value } => {
            let into = ident(into);
            let value = packing::packed(&into, value);
            quote!(*#into = #value;)
        }
        Instruction::Parts { name, range, block, copies, lengths, count } => {
            parts::divide(name, range, block, (copies, lengths), *count)
        }
        Instruction::Split { parts, tensor, vals, call } => parts::split(parts, tensor, vals, call),
        Instruction::SplitIntervals { parts, tensor, vals, own, variable, intervals, call } => {
            let names = [tensor, vals, own, variable].map(String::as_str);
            parts::split_intervals(parts, names, intervals, call)
        }
        Instruction::Join(join) => join::join(join),
        Instruction::Run { into, value } => {
            let value = self::value(value);
            let fields = into.iter().any(|target| matches!(target, Target::Field(_)));
            match into.as_slice() {
                [] => quote!(#value;),
                _ if fields => {
                    let places = tuple(into.iter().map(place));
                    let declared = into.iter().filter_map(|target| match target {
                        Target::Let { .. } => Some(bound(target)),
                        Target::Field(_) => None,
                    });
                    quote!(#(let #declared;)* #places = #value;)
                }
                _ => {
                    let names = tuple(into.iter().map(bound));
                    quote!(let #names = #value;)
                }
            }
        }
        Instruction::Change { name, is_reference, adds, value } => {
            let (name, value) = (ident(name), self::value(value));
            let by_reference = is_reference.then(|| quote!(*));
            let add = adds.then(|| quote!(+));
            let change =
                tokens(&format!("{}=", add.map_or_else(String::new, |add| add.to_string())));
            quote!(#by_reference #name #change #value;)
        }
        // The result of another entry point is returned as it is.
        Instruction::Return(values)
            if let [Value::Call(call @ crate::ir::Call { is_fallible: true, .. })] =
                &values[..] =>
        {
            self::call(&crate::ir::Call { is_fallible: false, ..call.clone() })
        }
        Instruction::Return(values) => {
            let values = tuple(values.iter().map(value));
            quote!(Ok(#values))
        }
    }
}

/// Emits what determines the structure of a result: `(module_path!(), "spgemm", "C"), &[&a, &b]`.
fn derivation(Derivation { tensor, operands, .. }: &Derivation, kernel: &str) -> TokenStream {
    let operands = operands.iter().map(argument);
    quote!((module_path!(), #kernel, #tensor), &[#(&#operands),*])
}

/// Emits `Tensor::<f64, Coo<2>>::zeros(y.shape())`.
fn new(ty: &TensorType, like: &str) -> TokenStream {
    let (of, like) = (tensor(ty), ident(like));
    quote!(#of::zeros(#like.shape()))
}

/// Emits `Tensor::<f64, Coo<2>>`.
fn tensor(ty: &TensorType) -> TokenStream {
    tokens(&format!("Tensor::<{}>", arguments(ty)))
}

/// Assembles a tensor from storage, with validation if `is_checked` is `true`.
fn assemble(into: &Assembled, storage: &Storage, is_checked: bool) -> TokenStream {
    let Storage { shape, levels, vals, .. } = storage;
    let [shape, levels, vals] = [shape, levels, vals].map(|name| ident(name));
    let (into, tensor) = match into {
        Assembled::Caller(name) => {
            let name = ident(name);
            (quote!(*#name), quote!(Tensor))
        }
        Assembled::New { name, ty } => {
            let name = ident(name);
            (quote!(let #name), tensor(ty))
        }
    };
    if is_checked {
        return quote!(#into = #tensor::from_parts(#shape, #levels, #vals)?;);
    }
    let safety = comment(
        "SAFETY: The kernel stores every level as the format requires: coordinates are within the extents, \
         which were checked, and positions fit their width.",
    );
    quote!(#safety #into = unsafe { #tensor::from_parts_unchecked(#shape, #levels, #vals) };)
}

/// Emits the pattern of a declaration.
pub(super) fn bound(target: &Target) -> TokenStream {
    match target {
        Target::Let { name, is_mutable } => {
            let (name, mutable) = (ident(name), is_mutable.then(|| quote!(mut)));
            quote!(#mutable #name)
        }
        Target::Field(field) => self::field(field),
    }
}

/// Emits the target of an assignment.
fn place(target: &Target) -> TokenStream {
    match target {
        Target::Let { name, .. } => ident(name).into_token_stream(),
        Target::Field(field) => self::field(field),
    }
}

/// Emits a value.
pub(super) fn value(value: &Value) -> TokenStream {
    match value {
        Value::Name(name) => ident(name).into_token_stream(),
        Value::Deref(name) => {
            let name = ident(name);
            quote!(*#name)
        }
        Value::Computed(value, _) => expr(value),
        Value::Call(call) => self::call(call),
        Value::Either { condition, holds, otherwise } => {
            let (condition, holds, otherwise) = (ident(condition), call(holds), call(otherwise));
            quote!(if #condition { #holds } else { #otherwise })
        }
        Value::Total(parts, call, by) => parts::total(parts, call, by),
    }
}

/// Emits a call.
pub(super) fn call(call: &crate::ir::Call) -> TokenStream {
    let (function, arguments) = (ident(&call.function), call.arguments.iter().map(argument));
    let fallible = call.is_fallible.then(|| quote!(?));
    quote!(#function(#(#arguments),*)#fallible)
}

fn argument(argument: &Argument) -> TokenStream {
    let name = |name: &str| ident(name);
    match argument {
        Argument::Name(of) => name(of).into_token_stream(),
        Argument::Deref(of) => {
            let of = name(of);
            quote!(*#of)
        }
        Argument::Ref(of) => {
            let of = name(of);
            quote!(&#of)
        }
        Argument::Mut(of) => {
            let of = name(of);
            quote!(&mut #of)
        }
        Argument::View(of) => {
            let of = name(of);
            quote!(#of.view())
        }
        Argument::Values(of) => {
            let of = name(of);
            quote!(#of.vals_mut())
        }
        Argument::Vector(vector) => {
            let vector = self::vector(vector);
            quote!(&mut #vector)
        }
        Argument::Field(field) => self::field(field),
        Argument::Start(part) => {
            let part = name(part);
            quote!(#part.start)
        }
        Argument::End(part) => {
            let part = name(part);
            quote!(#part.end)
        }
    }
}

pub(super) fn vector(vector: &Vector) -> TokenStream {
    match vector {
        Vector::Values(name) => ident(name).into_token_stream(),
        Vector::Field(field) => self::field(field),
    }
}

pub(super) fn field(Field { levels, level, field }: &Field) -> TokenStream {
    let (levels, level, field) = (ident(levels), number(*level), ident(field));
    quote!(#levels.#level.#field)
}

/// Emits an expression in terms of arguments.
pub(super) fn expr(expr: &Expr) -> TokenStream {
    Body::default().expr(expr)
}

/// Emits an expression as an element of an array.
pub(super) fn element_of(array: &Array, value: &Expr) -> TokenStream {
    let elements = [(array.name.clone(), array.element)].into();
    Body { elements, ..Body::default() }.element(&array.name, value)
}

/// Emits the type of an element.
pub(super) fn element(element: Option<Element>) -> TokenStream {
    element.map_or_else(|| quote!(()), element_type)
}
