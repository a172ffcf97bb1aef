//! The documentation of the generated functions.

use proc_macro2::TokenStream;
use quote::quote;

use super::checks::is_checked;
use super::layout::wrap;
use super::names::plain;
use super::parts;
use super::shared::Way;
use super::shell::{allocates, is_filled_apart, is_result};
use crate::ir::{
    Assembly, Conversion, Element, Function, Operand, Result, Several, TensorResult, Width,
};
use crate::names::beside;

/// The width of documentation lines, without what stands before them.
const WIDTH: usize = 96;

/// Lines as documentation.
pub(super) fn attributes(lines: &[String]) -> TokenStream {
    let lines =
        lines.iter().map(|line| if line.is_empty() { String::new() } else { format!(" {line}") });
    quote!(#(#[doc = #lines])*)
}

/// The function that a kernel is known by: `NAME`, or `NAME_into` where there is no other.
pub(super) fn entry(function: &Function) -> String {
    let name = plain(&function.name);
    let mut results = function.results().peekable();
    if function.updated_scalar().is_some() {
        return format!("{name}_into");
    }
    let is_passed = results.peek().is_some() && !allocates(function);
    // What computes values apart is known by its own name.
    match is_passed && results.all(|result| result.structure().is_empty()) {
        true => beside(name, "into"),
        false => name.to_string(),
    }
}

/// The documentation of `NAME`.
pub(super) fn of_entry(function: &Function) -> Vec<String> {
    let mut lines = wrapped(&function.docs);
    if let Some(scalar) = function.updated_scalar() {
        lines.push(String::new());
        lines.push(format!("Changes `{}`, which is passed in.", plain(&scalar.name)));
    }
    push_errors(&mut lines, &entry_errors(function));
    lines
}

/// What may be wrong with the arguments of `NAME`.
fn entry_errors(function: &Function) -> Vec<String> {
    let mut errors = size_errors(function, false);
    if let Result::Tensor(result) = &function.result {
        errors.extend(width_errors(result, false));
        errors.extend(conversion_errors(function));
        if !result.shape.is_empty() {
            errors.push(
                "[`Error::Size`] or [`Error::Width`] where no result can have the extents.".into(),
            );
        }
    }
    errors
}

/// The documentation of `NAME_into`.
pub(super) fn of_into(function: &Function, result: &TensorResult) -> Vec<String> {
    let mut lines = if allocates(function) {
        vec![format!("As [`{}`], into a tensor that is already there.", plain(&function.name))]
    } else {
        wrapped(&function.docs)
    };
    match (&result.assembly, &result.packed) {
        (Assembly::Computed { .. } | Assembly::Assembled { .. }, _) if result.updates => {
            lines.push(String::new());
            lines.push(format!("Changes `{}`, which is passed in.", result.tensor));
        }
        (Assembly::Assembled { .. }, None) => {
            lines.push("What it held is replaced; its memory is reused.".into());
        }
        (_, Some(_)) => lines.push("What it held is replaced.".into()),
        (Assembly::Computed { .. }, None) => {}
    }
    let mut errors = size_errors(function, true);
    errors.extend(width_errors(result, !is_filled_apart(function, result)));
    errors.extend(conversion_errors(function));
    push_errors(&mut lines, &errors);
    lines
}

/// The documentation of a kernel of several statements: that of each, one after the other.
pub(super) fn of_several(several: &Several) -> Vec<String> {
    let mut lines = wrapped(&several.docs);
    let mut errors: Vec<String> = Vec::new();
    for step in &several.steps {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(wrapped(&step.function.docs));
        errors.extend(
            entry_errors(&step.function)
                .into_iter()
                .filter(|e| !errors.contains(e))
                .collect::<Vec<_>>(),
        );
    }
    push_errors(&mut lines, &errors);
    lines
}

/// The documentation of `NAME_into` of several statements.
pub(super) fn of_several_into(several: &Several) -> Vec<String> {
    if !several.allocates() {
        return of_several(several);
    }
    let name = plain(&several.name);
    let mut lines = vec![format!("As [`{name}`], into tensors that are already there.")];
    push_errors(&mut lines, &[format!("As of [`{name}`], and where a tensor has other extents.")]);
    lines
}

/// The documentation of a function for some of several statements, which share loops.
pub(super) fn of_shared(several: &Several, results: &[&str], way: Way) -> Vec<String> {
    let results: Vec<String> = results.iter().map(|result| format!("`{result}`")).collect();
    let results = list(&results, "and");
    let what = match way {
        Way::Into => format!("{results}, which share loops."),
        Way::Compute => format!("The values of {results}, which share loops."),
    };
    let mut lines = wrap(&what, WIDTH);
    let name = plain(&several.name);
    let entry = match way {
        Way::Into if several.allocates() => name.to_owned(),
        Way::Into | Way::Compute => beside(name, way.suffix()),
    };
    push_errors(&mut lines, &[format!("As of [`{entry}`].")]);
    lines
}

/// The documentation of `NAME_assemble` of several statements.
pub(super) fn of_several_assemble(several: &Several) -> Vec<String> {
    let name = plain(&several.name);
    let compute = beside(name, "compute");
    let summary = format!(
        "As [`{name}`], with sparse results whose values are zero, for [`{compute}`] to compute."
    );
    let mut lines = wrap(&summary, WIDTH);
    push_errors(&mut lines, &[format!("As of [`{name}`].")]);
    lines
}

/// The documentation of `NAME_compute` of several statements.
pub(super) fn of_several_compute(several: &Several) -> Vec<String> {
    let name = plain(&several.name);
    let entry = if several.allocates() { name.to_owned() } else { beside(name, "into") };
    let summary = format!(
        "As [`{entry}`], into tensors that were assembled for operands of the same structure."
    );
    let mut lines = wrap(&summary, WIDTH);
    let error = format!(
        "As of [`{entry}`], and [`Error::Structure`] where a sparse tensor stores other coordinates."
    );
    push_errors(&mut lines, &[error]);
    lines
}

/// The documentation of `NAME_assemble`.
pub(super) fn of_assemble(function: &Function) -> Vec<String> {
    let name = plain(&function.name);
    let compute = beside(name, "compute");
    let summary =
        format!("As [`{name}`], with values that are zero, for [`{compute}`] to compute.");
    let mut lines = wrap(&summary, WIDTH);
    push_errors(&mut lines, &[format!("As of [`{name}`].")]);
    lines
}

/// The documentation of `NAME_compute`.
pub(super) fn of_compute(function: &Function) -> Vec<String> {
    let entry = entry(function);
    let Result::Tensor(result) = &function.result else { return Vec::new() };
    let tensor = &result.tensor;
    let mut lines = vec![format!(
        "As [`{entry}`], into a tensor that was assembled for operands of the same structure."
    )];
    lines = wrapped(&lines);
    let mut errors = size_errors(function, true);
    errors.push(format!(
        "[`Error::Structure`] where `{tensor}` stores other coordinates than `{entry}` would; what \
         values it holds then is not told."
    ));
    errors.extend(conversion_errors(function));
    push_errors(&mut lines, &errors);
    lines
}

fn push_errors(lines: &mut Vec<String>, errors: &[String]) {
    lines.push(String::new());
    lines.push("# Errors".into());
    match errors {
        [] => lines.push("None, whatever the operands.".into()),
        [error] => lines.extend(wrap(error, WIDTH)),
        errors => {
            for error in errors {
                let broken = wrap(error, WIDTH - 2);
                let indents = std::iter::once("- ").chain(std::iter::repeat("  "));
                lines.extend(indents.zip(broken).map(|(indent, line)| format!("{indent}{line}")));
            }
        }
    }
}

/// What is wrong with extents: one sentence for all sizes of the same tensors.
fn size_errors(function: &Function, with_result: bool) -> Vec<String> {
    let choices = function.sizes.iter().filter(|size| size.chosen_from.is_some());
    let mut errors: Vec<String> = choices
        .map(|size| format!("[`Error::Choice`] where the extent of `{}` is 0.", size.variable))
        .collect();
    let mut differing: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for size in function.sizes.iter().filter(|size| is_checked(size, function)) {
        let of_operands = size.operands.iter().map(|mode| match &function.operands[mode.0] {
            Operand::Tensor(tensor) => tensor.tensor.as_str(),
            Operand::Scalar { name, .. } | Operand::Index { name } | Operand::Indices { name } => {
                name.as_str()
            }
        });
        let of_parts = size.parts.iter().map(|part| function.parts[*part].access.as_str());
        let mut modes: Vec<&str> = of_operands.chain(of_parts).collect();
        if let Result::Tensor(result) = &function.result
            && with_result
        {
            modes.extend(size.result.iter().map(|_| result.tensor.as_str()));
        }
        let mut tensors: Vec<String> = Vec::new();
        for tensor in &modes {
            let tensor = format!("`{tensor}`");
            if !tensors.contains(&tensor) {
                tensors.push(tensor);
            }
        }
        let variable = format!("`{}`", size.variable);
        match size.constant {
            Some(_) if modes.is_empty() => {}
            Some(constant) => errors.push(format!(
                "[`Error::Extent`] where the extent of {variable} is not {constant}."
            )),
            None if modes.len() < 2 => {}
            None => match differing.iter_mut().find(|(same, _)| *same == tensors) {
                Some((_, variables)) => variables.push(variable),
                None => differing.push((tensors, vec![variable])),
            },
        }
    }
    errors.extend(room_errors(function));
    errors.extend(function.division.iter().map(|_| {
        let of = match &function.result {
            Result::Tensor(result) if with_result => {
                format!("; what values `{}` holds then is not told", result.tensor)
            }
            Result::Tensor(_) | Result::Scalar { .. } => String::new(),
        };
        format!("[`Error::Division`] where an integer is divided by zero{of}.")
    }));
    let differ = |(tensors, variables): (Vec<String>, Vec<String>)| {
        let (of, variables) = (list(&tensors, "and"), list(&variables, "or"));
        match tensors.as_slice() {
            [_] => format!("[`Error::Shape`] where the modes of {of} over {variables} differ."),
            _ => format!("[`Error::Shape`] where {of} differ in the extent of {variables}."),
        }
    };
    errors.splice(0..0, differing.into_iter().map(differ));
    errors.splice(0..0, parts::errors(function));
    errors
}

/// The products of extents that are too large to count, or to have room for.
fn room_errors(function: &Function) -> Vec<String> {
    let mut errors: Vec<String> = Vec::new();
    for demand in function.demands() {
        let variables = function.sizes.iter().filter(|size| demand.mentions(&size.name));
        let variables: Vec<String> = variables.map(|size| format!("`{}`", size.variable)).collect();
        let of = match variables.as_slice() {
            [_] => format!("extent of {}", list(&variables, "and")),
            _ => format!("product of the extents of {}", list(&variables, "and")),
        };
        let error = match demand.element {
            Some(_) => format!("[`Error::Size`] where no memory can be had for the {of}."),
            None => format!("[`Error::Size`] where the {of} does not fit `usize`."),
        };
        if !errors.contains(&error) {
            errors.push(error);
        }
    }
    errors
}

/// `A, B and C`
pub(super) fn list(items: &[String], conjunction: &str) -> String {
    match items {
        [] => String::new(),
        [item] => item.clone(),
        [first @ .., last] => format!("{} {conjunction} {last}", first.join(", ")),
    }
}

/// What does not fit, and how the result is left then.
fn width_errors(result: &TensorResult, is_left: bool) -> Option<String> {
    let Assembly::Assembled { arrays, fits, .. } = &result.assembly else { return None };
    let mut widths: Vec<&str> = Vec::new();
    let mut what: Vec<&str> = Vec::new();
    for fit in fits {
        let array = arrays.iter().find(|array| array.name == fit.array)?;
        match array.element {
            Element::Index(Width::Usize)
            | Element::Signed(_)
            | Element::Bits
            | Element::Pair
            | Element::Value(_) => {}
            Element::Index(width) => {
                what.push(&fit.what);
                widths.push(width.name());
            }
        }
    }
    widths.dedup();
    // Of `positions of level 1` and `positions of level 2`, say once what they share.
    let first = what.first()?;
    let shared = first.rfind(' ').map_or("", |end| &first[..=end]);
    let parts: Option<Vec<String>> =
        what.iter().map(|what| what.strip_prefix(shared).map(String::from)).collect();
    let what = match parts {
        Some(parts) => format!("{shared}{}", list(&parts, "or")),
        None => list(&what.iter().map(|what| what.to_string()).collect::<Vec<_>>(), "or"),
    };
    let left = if is_left { "; it is left empty then" } else { "" };
    Some(format!(
        "[`Error::Width`] where the {what} of `{}` do not fit `{}`{left}.",
        result.tensor,
        widths.join("` or `")
    ))
}

/// What cannot be converted or packed.
fn conversion_errors(function: &Function) -> Vec<String> {
    let convert = |Conversion { into, .. }: &Conversion| {
        let (tensor, format) = (&into.tensor, &into.format);
        format!("Those of [`View::to`], where `{tensor}` is converted to `{format}`.")
    };
    let converted = function.conversions.iter().filter(|it| !is_result(function, it));
    let mut errors: Vec<String> = converted.map(convert).collect();
    match &function.result {
        Result::Tensor(TensorResult { tensor, packed: Some(packed), .. }) => {
            errors.push(format!(
                "Those of [`Tensor::to`], where `{tensor}` is packed into `{packed}`."
            ));
        }
        Result::Tensor(TensorResult { packed: None, .. }) | Result::Scalar { .. } => {}
    }
    errors
}

/// Lines no wider than they should be; tables and code stay as they are.
fn wrapped(lines: &[String]) -> Vec<String> {
    let mut is_code = false;
    let mut wrapped = Vec::new();
    for line in lines {
        is_code ^= line.trim_start().starts_with("```");
        let is_text = !is_code && !line.starts_with(['|', ' ', '`']);
        if is_text && line.chars().count() > WIDTH {
            wrapped.extend(wrap(line, WIDTH));
        } else {
            wrapped.push(line.clone());
        }
    }
    wrapped
}
