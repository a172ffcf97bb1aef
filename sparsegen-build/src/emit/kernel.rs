//! The function with the loops: its parameters, its head, its body.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::arrays::{is_touched, lists, operand_arrays, read_arrays, read_extents};
use super::body::Body;
use super::layout::blank;
use super::names::{beside, element_type, ident, number, tokens};
use super::reserve::Reserved;
use super::result::Parts;
use super::shell::{generics, is_filled_apart, is_result};
use super::{division, docs, parts};
use crate::ir::{
    Assembly, BinaryOp, Conversion, Element, Expr, Extent, Function, Operand, Parallel, Place,
    Result, Size, Source, Stmt, TensorOperand, TensorResult, Unchecked, Uses,
};

/// The function `NAME_kernel`.
pub(super) fn item(function: &Function) -> TokenStream {
    let uses = Uses::of_function(function);
    let name = beside(function, "kernel");
    let docs = docs::attributes(&[format!("The loops of [`{}`].", docs::entry(function))]);
    let params = parameters(function);
    let generics = generics(&function.traits, Vec::new());
    let params = params.iter().map(|param| &param.declaration);
    let sizes = function.sizes.iter().filter_map(|size| read_size(function, size));
    let mut head: TokenStream = sizes.collect();
    head.extend(read_extents(function));
    head.extend(read_arrays(function, &uses));
    if !head.is_empty() {
        head.extend(blank());
    }
    let body = body(function);
    // What is refused last is the answer.
    let (refused, rest) = match function.body.split_last() {
        Some((Stmt::Refuse { condition }, rest)) => (Some(condition), rest),
        Some(_) | None => (None, function.body.as_slice()),
    };
    let stmts = match Reserved::of(function) {
        Some(reserved) => reserved.stmts(&body),
        None => body.stmts(rest),
    };
    let (returns, value) = if function.scalars().next().is_some() {
        let types = function.scalars().map(|(dtype, _)| ident(dtype.rust_name()));
        (tuple(types), tuple(function.scalars().map(|(_, value)| body.expr(value))))
    } else if function.results().any(|result| !result.structure().is_empty()) {
        let answer = refused.map_or(Expr::Bool(true), |it| Expr::not(it.clone()));
        (Some(quote!(bool)), Some(body.expr(&answer)))
    } else {
        let extents = || function.results().flat_map(TensorResult::extents);
        let names = extents().map(|extent| ident(&extent.name));
        (tuple(extents().map(|_| quote!(usize))), tuple(names))
    };
    let returns = returns.map(|types| quote!(-> #types));
    quote! {
        #docs
        fn #name #generics(#(#params),*) #returns {
            #head
            #stmts
            #value
        }
    }
}

/// A parameter of the kernel and what the caller passes for it.
pub(super) struct Parameter {
    pub(super) declaration: TokenStream,
    pub(super) argument: TokenStream,
}

/// The parameters: the result's arrays, extents that only the result knows, the operands.
pub(super) fn parameters(function: &Function) -> Vec<Parameter> {
    let mut params = Vec::new();
    for result in function.results() {
        let parts = Parts::of_result(function, result);
        match &result.assembly {
            Assembly::Computed { vals, structure, .. } => {
                let uses = Uses::of_function(function);
                let (name, element) = (ident(&vals.name), element_type(vals.element));
                let declared = if is_touched(&uses, vals) { quote!(#name) } else { quote!(_) };
                let tensor = if is_filled_apart(function, result) {
                    parts.unpacked.clone()
                } else {
                    ident(&result.name)
                };
                let (levels, values) = (&parts.levels, &parts.vals);
                params.push(Parameter {
                    declaration: quote!(#declared: &mut [#element]),
                    argument: match structure.as_slice() {
                        [] if function.parallel.is_some() => quote!(#name),
                        [] => quote!(#tensor.vals_mut()),
                        _ => quote!(#values),
                    },
                });
                for array in structure {
                    let element = element_type(array.element);
                    let name = ident(&array.name);
                    let name = if is_touched(&uses, array) { quote!(#name) } else { quote!(_) };
                    let Place::Level { level, field } = &array.place else { continue };
                    let (level, field) = (number(*level), ident(field));
                    params.push(Parameter {
                        declaration: quote!(#name: &[#element]),
                        argument: quote!(#levels.#level.#field),
                    });
                }
            }
            Assembly::Assembled { arrays, .. } => {
                for array in arrays {
                    let (name, element) = (ident(&array.name), element_type(array.element));
                    let vector = parts.vector(&array.place);
                    params.push(Parameter {
                        declaration: quote!(#name: &mut Vec<#element>),
                        argument: match function.parallel {
                            Some(_) => quote!(&mut #name),
                            None => quote!(&mut #vector),
                        },
                    });
                }
            }
        }
    }
    for size in function.sizes.iter().filter(|size| is_passed(size)) {
        let name = ident(&size.name);
        params.push(Parameter { declaration: quote!(#name: usize), argument: quote!(#name) });
    }
    if let Some(Parallel { begin, end, .. }) = &function.parallel {
        let part = Parts::of(function).part;
        for (name, field) in [(begin, quote!(start)), (end, quote!(end))] {
            let name = ident(name);
            params.push(Parameter {
                declaration: quote!(#name: usize),
                argument: quote!(#part.#field),
            });
        }
    }
    for operand in (0..function.operands.len()).filter(|k| is_read(function, *k)) {
        let (name, ty) = match &function.operands[operand] {
            Operand::Tensor(tensor) => (ident(&tensor.name), view(tensor, "'_")),
            Operand::Scalar { name, dtype } => (ident(name), tokens(dtype.rust_name())),
            Operand::Index { name } => (ident(name), quote!(usize)),
            Operand::Indices { name } => (ident(name), quote!(&[usize])),
        };
        let changed = function.updated_scalar().filter(|scalar| name == scalar.name);
        let by_reference = changed.map(|_| quote!(*));
        let argument = quote!(#by_reference #name);
        params.push(Parameter { declaration: quote!(#name: #ty), argument });
    }
    params.extend(division::parameter(function));
    for (name, _) in parts::last_of_each(function) {
        let name = ident(name);
        params.push(Parameter { declaration: quote!(#name: &[usize]), argument: quote!(&#name) });
    }
    for conversion in &function.conversions {
        let into = &conversion.into;
        let (name, ty) = (ident(&into.name), view(into, "'_"));
        let of = match &function.result {
            Result::Tensor(result) if is_result(function, conversion) => ident(&result.name),
            Result::Tensor(_) | Result::Scalar { .. } => name.clone(),
        };
        params.push(Parameter { declaration: quote!(#name: #ty), argument: quote!(#of.view()) });
    }
    params
}

/// Where the kernel's value goes, if it has one: the extents that the result's levels keep.
pub(super) fn returned_extents(function: &Function) -> Option<TokenStream> {
    let Result::Tensor(result) = &function.result else { return None };
    let parts = Parts::of(function);
    let place = |extent: &Extent| {
        parts.vector(&Place::Level { level: extent.level, field: extent.field.clone() })
    };
    tuple(result.extents().iter().map(place))
}

/// `a`, or `(a, b)`, or nothing.
pub(super) fn tuple(items: impl Iterator<Item = impl ToTokens>) -> Option<TokenStream> {
    let items: Vec<_> = items.collect();
    match items.as_slice() {
        [] => None,
        [item] => Some(quote!(#item)),
        items => Some(quote!((#(#items),*))),
    }
}

/// Reads the extents that only the result knows, for the caller to pass.
pub(super) fn passed_sizes(function: &Function) -> TokenStream {
    let Result::Tensor(result) = &function.result else { return TokenStream::new() };
    let tensor = ident(&result.name);
    let read = |size: &Size| {
        let (name, mode) = (ident(&size.name), number(*size.result.first()?));
        is_passed(size).then(|| quote!(let #name = #tensor.shape()[#mode];))
    };
    function.sizes.iter().filter_map(read).collect()
}

/// `View<'t, f64, Csr>`
pub(super) fn view(tensor: &TensorOperand, lifetime: &str) -> TokenStream {
    let arguments = view_arguments(tensor, lifetime);
    tokens(&format!("View<{arguments}>"))
}

/// `IntoView<'a, f64, Csr>`, the trait of what callers may pass.
pub(super) fn into_view(tensor: &TensorOperand, lifetime: &str) -> TokenStream {
    let arguments = view_arguments(tensor, lifetime);
    tokens(&format!("IntoView<{arguments}>"))
}

fn view_arguments(tensor: &TensorOperand, lifetime: &str) -> String {
    let dtype = tensor.dtype.rust_name();
    let value = if tensor.pattern { format!("Pattern<{dtype}>") } else { dtype.to_owned() };
    format!("{lifetime}, {value}, {}", tensor.format)
}

/// Whether an extent that the body reads is known to the result alone.
fn is_passed(size: &Size) -> bool {
    size.used && size.constant.is_none() && size.operands.is_empty() && size.parts.is_empty()
}

/// Whether the kernel reads an operand: its value, an array or an extent.
pub(super) fn is_read(function: &Function, operand: usize) -> bool {
    let gives = |size: &Size| {
        let first = size.operands.first();
        size.used && size.constant.is_none() && first.is_some_and(|mode| mode.0 == operand)
    };
    match &function.operands[operand] {
        Operand::Tensor(tensor) => {
            let reads = !tensor.arrays.is_empty() || !tensor.extents.is_empty();
            let is_converted = conversion(function, operand).is_some();
            reads || !is_converted && function.sizes.iter().any(gives)
        }
        Operand::Scalar { name, .. } => Uses::of_function(function).reads(name) > 0,
        Operand::Index { name } | Operand::Indices { name } => {
            let counts = |size: &Size| {
                let part = parts::first(function, size).filter(|_| size.used);
                part.is_some_and(|part| part.arguments().any(|argument| argument == name))
            };
            Uses::of_function(function).reads(name) > 0 || function.sizes.iter().any(counts)
        }
    }
}

/// `let i_size = a.shape()[0];`
fn read_size(function: &Function, size: &Size) -> Option<TokenStream> {
    let name = ident(&size.name);
    if is_passed(size) {
        return None;
    }
    let value = extent_value(function, size)?;
    // Methods cannot be called on a number of no type.
    let part = parts::first(function, size);
    let is_number = size.constant.is_some() || part.is_some_and(parts::is_constant);
    let ty = is_number.then(|| quote!(: usize));
    size.used.then(|| quote!(let #name #ty = #value;))
}

/// The extent of a variable: a constant, `a.shape()[0]`, or what the result gives.
pub(super) fn extent_value(function: &Function, size: &Size) -> Option<TokenStream> {
    if let Some(constant) = size.constant {
        let constant = proc_macro2::Literal::u64_unsuffixed(constant);
        return Some(quote!(#constant));
    }
    if let Some(part) = parts::first(function, size) {
        return Some(parts::extent(part));
    }
    match (size.operands.first(), &function.result, size.result.first()) {
        (Some(&(operand, mode)), _, _) => Some(match conversion(function, operand) {
            Some(into) => extent_of(&into.name, mode),
            None => extent(function, (operand, mode)),
        }),
        (None, Result::Tensor(result), Some(mode)) => Some(extent_of(&result.name, *mode)),
        (None, _, _) => None,
    }
}

/// The extent of an operand's mode: `a.shape()[0]`.
pub(super) fn extent(function: &Function, (operand, mode): (usize, usize)) -> TokenStream {
    extent_of(operand_name(&function.operands[operand]), mode)
}

fn extent_of(tensor: &str, mode: usize) -> TokenStream {
    let (name, mode) = (ident(tensor), number(mode));
    quote!(#name.shape()[#mode])
}

/// What an operand is converted into, if it is: a tensor of the same extents.
pub(super) fn conversion(function: &Function, operand: usize) -> Option<&TensorOperand> {
    let of_operand = |conversion: &&Conversion| conversion.of == Source::Operand(operand);
    function.conversions.iter().find(of_operand).map(|conversion| &conversion.into)
}

/// An operand's argument.
pub(super) fn operand_name(operand: &Operand) -> &str {
    match operand {
        Operand::Tensor(tensor) => &tensor.name,
        Operand::Scalar { name, .. } | Operand::Index { name } | Operand::Indices { name } => name,
    }
}

/// What the names of the body stand for.
fn body(function: &Function) -> Body {
    let mut elements = BTreeMap::new();
    let mut lengths = BTreeMap::new();
    for (array, path) in operand_arrays(function) {
        elements.insert(array.name.clone(), array.element);
        // What wraps a slice has no length of its own.
        if function.is_unchecked(Unchecked::Index, &array.name) {
            lengths.insert(array.name.clone(), quote!(#path.len()));
        }
    }
    elements.extend(lists(function).into_iter().map(|(array, _)| (array.name, array.element)));
    for result in function.results() {
        let arrays = result.arrays().iter().chain(result.structure());
        elements.extend(arrays.map(|array| (array.name.clone(), array.element)));
    }
    let mut typed = called_on(&function.body);
    let mut workspaces = BTreeMap::new();
    for stmt in &function.body {
        stmt.for_each(&mut |stmt| {
            if let Stmt::Scratch { name, element } = stmt {
                elements.insert(name.clone(), *element);
            }
            if let Stmt::Assign { name, op: Some(BinaryOp::Min | BinaryOp::Max), .. } = stmt {
                typed.insert(name.clone());
            }
            for expr in stmt.expressions() {
                expr.for_each(&mut |expr| {
                    if let Expr::Binary(op, receiver, _) = expr
                        && op.is_method()
                        && let Expr::Var(name) = &**receiver
                    {
                        typed.insert(name.clone());
                    }
                });
            }
            if let Stmt::Workspace { name, dtype, crd, .. } = stmt {
                elements.insert(name.clone(), Element::Value(*dtype));
                workspaces.insert(name, *crd);
            }
            if let Stmt::Harvest { workspace, crd, vals } = stmt {
                let (width, element) = (workspaces[workspace], elements[workspace]);
                elements.insert(crd.clone(), Element::Index(width));
                elements.extend(vals.iter().map(|vals| (vals.clone(), element)));
            }
        });
    }
    Body { elements, lengths, typed, division: function.division.clone() }
}

/// The variables whose first use is that a method is called on them, before anything else could tell
/// their types.
fn called_on(body: &[Stmt]) -> BTreeSet<String> {
    let (mut called, mut used) = (BTreeSet::new(), BTreeSet::new());
    let mut look = |part: &Expr| match part {
        Expr::Binary(op, a, _) if op.is_method() || *op == BinaryOp::Rem => {
            if let Expr::Var(name) = &**a
                && used.insert(name.clone())
            {
                called.insert(name.clone());
            }
        }
        Expr::Var(name) => {
            used.insert(name.clone());
        }
        Expr::Index(_)
        | Expr::Value(..)
        | Expr::Constant(..)
        | Expr::Bool(_)
        | Expr::Largest(_)
        | Expr::Load { .. }
        | Expr::Len(_)
        | Expr::Search { .. }
        | Expr::Pair(..)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Call(..)
        | Expr::Cast { .. }
        | Expr::Choose { .. } => {}
    };
    for stmt in body {
        stmt.for_each(&mut |stmt| {
            stmt.expressions().into_iter().for_each(|expr| expr.for_each(&mut look));
        });
    }
    called
}
