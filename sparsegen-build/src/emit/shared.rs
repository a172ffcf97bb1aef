//! The functions of statements that share loops.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::body::Body;
use super::names::{ident, plain, tokens};
use super::result::Parts;
use super::several::{beside, scalar, tuple};
use super::shell::{self, generics, tensor};
use super::{checks, division, docs, fill, kernel};
use crate::ir::{Assembly, Function, Operand, Result, Several, Shared, Step, TensorResult};

/// How results that are passed in are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Anew.
    Into,
    /// Values alone, in the structure that they have.
    Compute,
}

impl Way {
    /// What the names of functions end with that compute in this way.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Way::Into => "into",
            Way::Compute => "compute",
        }
    }
}

/// The functions of some statements: one that the kernel calls, unless it has no other statements, and
/// the loops.
pub(super) fn items(several: &Several, shared: &Shared) -> Vec<TokenStream> {
    let function = &shared.function;
    let compute = function.compute.as_deref().filter(|_| several.computes());
    let mut items = Vec::new();
    if shared.steps.len() < several.steps.len() {
        items.push(own(several, shared, Way::Into));
        items.extend(compute.map(|_| own(several, shared, Way::Compute)));
    }
    items.push(kernel::item(function));
    items.extend(compute.map(kernel::item));
    items
}

/// The function that computes them for a kernel that has other statements too.
fn own(several: &Several, shared: &Shared, way: Way) -> TokenStream {
    let function = &shared.function;
    let mut results: Vec<&str> = steps(several, shared).map(tensor_name).collect();
    let mut before = Vec::new();
    results.retain(|result| {
        !before.contains(result) && {
            before.push(*result);
            true
        }
    });
    let docs = docs::attributes(&docs::of_shared(several, &results, way));
    let passed = function.results().map(|result| {
        let (name, ty) = (ident(&result.name), tensor(result));
        quote!(#name: &mut #ty)
    });
    let operands = operands(several, shared).into_iter().map(|operand| {
        let name = ident(operand.name());
        let ty = match operand {
            Operand::Tensor(tensor) => kernel::view(tensor, "'_"),
            Operand::Scalar { dtype, .. } => tokens(dtype.rust_name()),
            Operand::Index { .. } => quote!(usize),
            Operand::Indices { .. } => quote!(&[usize]),
        };
        quote!(#name: #ty)
    });
    let params: Vec<_> = passed.chain(operands).collect();
    let types = function.scalars().map(|(dtype, _)| ident(dtype.rust_name()));
    let types = tuple(&types.collect::<Vec<_>>());
    let (name, generics) = (name(shared, way), generics(&function.traits, Vec::new()));
    let body = body(several, shared, way);
    quote! {
        #docs
        fn #name #generics(#(#params),*) -> Result<#types, Error> {
            #body
        }
    }
}

/// The name of that function.
fn name(shared: &Shared, way: Way) -> Ident {
    match shared.function.results().next() {
        Some(_) => beside(&shared.function.name, way.suffix()),
        None => ident(&shared.function.name),
    }
}

/// Makes the results that are tensors and not there already.
pub(super) fn make(shared: &Shared) -> TokenStream {
    let function = &shared.function;
    let new = function.results().filter(|result| !result.updates);
    new.map(|result| {
        let name = ident(&result.name);
        let shape = result.shape.iter();
        let shape = shape.map(|size| kernel::extent_value(function, &function.sizes[*size]));
        quote!(let mut #name = Tensor::zeros([#(#shape),*])?;)
    })
    .collect()
}

/// Calls that function; scalars get names.
pub(super) fn call(
    several: &Several,
    shared: &Shared,
    way: Way,
    passed: impl Fn(&Ident) -> TokenStream,
) -> TokenStream {
    let function = &shared.function;
    let way = if function.has_structure() { way } else { Way::Into };
    let results = function.results().map(|result| passed(&ident(&result.name)));
    let is_whole = shared.steps.len() == several.steps.len();
    let all = if is_whole { several.operands() } else { operands(several, shared) };
    let operands = all.into_iter().map(|operand| {
        let name = ident(operand.name());
        match operand {
            Operand::Tensor(tensor) if several.is_result(&tensor.name) => quote!(#name.view()),
            Operand::Scalar { .. } => scalar(several, operand),
            Operand::Tensor(_) | Operand::Index { .. } | Operand::Indices { .. } => quote!(#name),
        }
    });
    let arguments = results.chain(operands);
    let is_scalar = |step: &&Step| matches!(step.function.result, Result::Scalar { .. });
    let scalars: Vec<_> =
        steps(several, shared).filter(is_scalar).map(|step| ident(&step.result)).collect();
    let bind = (!scalars.is_empty()).then(|| tuple(&scalars)).map(|names| quote!(let #names =));
    let name = name(shared, way);
    quote!(#bind #name(#(#arguments),*)?;)
}

/// What checks the operands, runs the loops on the results' storage, and gives back scalars.
pub(super) fn body(several: &Several, shared: &Shared, way: Way) -> TokenStream {
    let function = &shared.function;
    let loops = match (way, &function.compute) {
        (Way::Compute, Some(compute)) => compute,
        (Way::Compute | Way::Into, _) => function,
    };
    let checks = steps(several, shared).map(|step| checks::checks(&step.function));
    let before = loops.results().map(|result| before(loops, result));
    let call = shell::call(loops);
    let (declare, divided) = (division::declare(loops), division::check(function));
    let structured: Vec<String> = loops
        .results()
        .filter(|result| !result.structure().is_empty())
        .map(|result| result.tensor.clone())
        .collect();
    let has_scalars = function.scalars().next().is_some();
    let run = match (structured.as_slice(), has_scalars, divided) {
        ([], false, divided) => {
            let assembled = loops.results().filter(|result| is_assembled(result));
            let after = assembled.map(|result| fill::put(loops, result));
            quote!(#call; #(#after)* #divided Ok(()))
        }
        ([], true, None) => quote!(Ok(#call)),
        ([], true, Some(divided)) => {
            let value = Parts::of(function).value;
            quote!(let #value = #call; #divided Ok(#value))
        }
        (structured, _, divided) => {
            let (of, tensors) = (plain(&function.name), docs::list(structured, "or"));
            let known = quote!(kernel::known(#call, #of, #tensors));
            match divided {
                None => known,
                Some(divided) => quote!(#known?; #divided Ok(())),
            }
        }
    };
    quote!(#(#checks)* #(#before)* #declare #run)
}

/// What is done with a result before the loops.
fn before(loops: &Function, result: &TensorResult) -> TokenStream {
    let zero = Body::default().expr(&result.fill);
    let name = ident(&result.name);
    match &result.assembly {
        Assembly::Assembled { .. } => fill::take(loops, result),
        Assembly::Computed { structure, zeroed, .. } if structure.is_empty() => {
            zeroed.then(|| quote!(#name.vals_mut().fill(#zero);)).unwrap_or_default()
        }
        Assembly::Computed { zeroed, .. } => {
            let Parts { levels, vals, .. } = Parts::of_result(loops, result);
            let fill = zeroed.then(|| quote!(#vals.fill(#zero);));
            quote!(let (#levels, #vals) = #name.structure_and_vals(); #fill)
        }
    }
}

fn is_assembled(result: &TensorResult) -> bool {
    match result.assembly {
        Assembly::Assembled { .. } => true,
        Assembly::Computed { .. } => false,
    }
}

/// The operands that the loops or the checks before them need.
pub(super) fn operands<'s>(several: &Several, shared: &'s Shared) -> Vec<&'s Operand> {
    let function = &shared.function;
    let is_checked = |name: &str| {
        steps(several, shared).any(|step| {
            let place = step.function.operands.iter().position(|operand| operand.name() == name);
            place.is_some_and(|k| checks::is_checked_operand(&step.function, k))
        })
    };
    let all = function.operands.iter().enumerate();
    let needed =
        all.filter(|(k, operand)| kernel::is_read(function, *k) || is_checked(operand.name()));
    needed.map(|(_, operand)| operand).collect()
}

/// The statements.
fn steps<'s>(several: &'s Several, shared: &Shared) -> impl Iterator<Item = &'s Step> {
    several.steps[shared.steps.clone()].iter()
}

/// A result as messages call it.
fn tensor_name(step: &Step) -> &str {
    match &step.function.result {
        Result::Tensor(result) => &result.tensor,
        Result::Scalar { .. } => plain(&step.result),
    }
}
