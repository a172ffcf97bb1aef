//! Documentation of entry points.

use super::checks::{must_agree, tensor};
use super::signature::{held, is_apart};
use super::{Builder, Way};
use crate::ir::{
    Assembly, Conversion, ConversionKind, Element, Function, Limit, List, Part, Reads, Result,
    Size, Source, TensorResult, Width,
};
use crate::names::{beside, plain};

impl Builder<'_> {
    /// Returns the name of the main entry point: `NAME`, or `NAME_into` if there is no `NAME`.
    pub(super) fn entry_name(&self, way: Way) -> String {
        let name = plain(&self.kernel.name);
        match way {
            Way::Compute => beside(name, "compute"),
            Way::New | Way::Into if self.allocates => name.to_owned(),
            Way::New | Way::Into => beside(name, "into"),
        }
    }

    fn has_several_results(&self) -> bool {
        self.passed().count() > 1
    }

    /// Returns the documentation of all statements.
    fn docs_of_statements(&self) -> Vec<String> {
        let mut lines = self.kernel.docs.clone();
        for function in self.kernel.functions() {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.extend(function.docs.clone());
        }
        lines
    }

    /// Returns the documentation of `NAME`.
    pub(super) fn docs_of_entry(&self) -> Vec<String> {
        with_errors(self.docs_of_statements(), self.errors(entry_errors))
    }

    /// Returns the documentation of `NAME_into`.
    pub(super) fn docs_of_into(&self) -> Vec<String> {
        let name = plain(&self.kernel.name);
        let what = match self.has_several_results() {
            true => "the results in existing tensors",
            false => "the result in an existing tensor",
        };
        let like = format!("Like [`{name}`], but stores {what}.");
        let mut lines = if self.allocates { vec![like] } else { self.docs_of_statements() };
        let replaced = |result: &TensorResult, more: &str| match self.allocates {
            true => vec![format!("Its previous contents are replaced{more}.")],
            false => paragraph(format!(
                "The previous contents of `{}` are replaced{more}.",
                result.tensor
            )),
        };
        for step in self.passed() {
            lines.extend(match &step.function.result {
                Result::Tensor(result) if result.updates => changes(&result.tensor),
                Result::Scalar { .. } => changes(plain(&step.result)),
                Result::Tensor(_) if self.has_several_results() => Vec::new(),
                Result::Tensor(result) => match &result.assembly {
                    _ if result.packed.is_some() => replaced(result, ""),
                    Assembly::Assembled { .. } => replaced(result, "; its memory is reused"),
                    Assembly::Computed { .. } => Vec::new(),
                },
            });
        }
        with_errors(lines, self.errors(into_errors))
    }

    /// Returns the documentation of `NAME_assemble`.
    pub(super) fn docs_of_assemble(&self) -> Vec<String> {
        let name = plain(&self.kernel.name);
        let compute = beside(name, "compute");
        let values = match self.has_several_results() {
            true => "the values of sparse results",
            false => "all values",
        };
        let summary =
            format!("Like [`{name}`], but with {values} set to the fill value, for [`{compute}`].");
        with_errors(vec![summary], vec![format!("The same as for [`{name}`].")])
    }

    /// Returns the documentation of `NAME_compute`.
    pub(super) fn docs_of_compute(&self) -> Vec<String> {
        let entry = self.entry_name(Way::Into);
        let several = self.has_several_results();
        let into = if several { "tensors that were" } else { "a tensor that was" };
        let summary = format!(
            "Like [`{entry}`], but into {into} assembled for operands of the same structure."
        );
        let is_divided = |function: &Function| function.parallel.is_some();
        let runs_alone = self.kernel.functions().any(is_divided)
            && !self.kernel.functions().filter_map(|f| f.compute.as_deref()).any(is_divided);
        let alone = runs_alone.then(|| paragraph("Runs on one thread.".to_owned()));
        let lines = [vec![summary], self.docs_of_known(&entry), alone.unwrap_or_default()].concat();
        with_errors(lines, self.errors(|function| compute_errors(function, &entry)))
    }

    /// Returns the documentation of `NAME_with` or `NAME_compute_with`.
    pub(super) fn docs_of_with(&self, way: Way) -> Vec<String> {
        let name = plain(&self.kernel.name);
        let of = match way {
            Way::Compute => beside(name, "compute"),
            Way::New | Way::Into if self.passed().next().is_some() => beside(name, "into"),
            Way::New | Way::Into => name.to_owned(),
        };
        let keeper = self.keeper();
        let summary = format!(
            "Like [`{of}`], but keeps its working memory in `{keeper}`, for calls of this or other \
             kernels: memory that an earlier call has left there is not allocated again."
        );
        with_errors(vec![summary], vec![format!("The same as for [`{of}`].")])
    }

    /// Returns the errors of all statements, without duplicates.
    fn errors(&self, of: impl Fn(&Function) -> Vec<String>) -> Vec<String> {
        let mut errors: Vec<String> = Vec::new();
        self.kernel.functions().flat_map(of).for_each(|error| add(&mut errors, error));
        errors
    }
}

fn changes(result: &str) -> Vec<String> {
    paragraph(format!("Updates `{result}` in place."))
}

fn paragraph(text: String) -> Vec<String> {
    vec![String::new(), text]
}

fn add(errors: &mut Vec<String>, error: String) {
    if !errors.contains(&error) {
        errors.push(error);
    }
}

/// Appends a section on errors to the documentation.
fn with_errors(mut lines: Vec<String>, errors: Vec<String>) -> Vec<String> {
    lines.push(String::new());
    lines.push("# Errors".to_owned());
    match errors.as_slice() {
        [] => lines.push("Never returns an error.".to_owned()),
        [error] => lines.push(error.clone()),
        errors => lines.extend(errors.iter().map(|error| format!("- {error}"))),
    }
    lines
}

/// Returns the errors of `NAME`.
fn entry_errors(function: &Function) -> Vec<String> {
    let mut errors = size_errors(function, false);
    if let Result::Tensor(result) = &function.result {
        errors.extend(width_errors(result, false));
        errors.extend(growth_error(function, false));
        errors.extend(full_error(function));
        errors.extend(conversion_errors(function));
        if !result.shape.is_empty() {
            let error =
                "[`Error::Size`] or [`Error::Width`] if the result cannot have these extents.";
            errors.push(error.to_owned());
        }
    }
    errors
}

fn into_errors(function: &Function) -> Vec<String> {
    let mut errors = size_errors(function, true);
    for result in function.results() {
        errors.extend(width_errors(result, !is_apart(function, result)));
    }
    errors.extend(growth_error(function, true));
    errors.extend(full_error(function));
    errors.extend(conversion_errors(function));
    errors
}

fn compute_errors(function: &Function, entry: &str) -> Vec<String> {
    let mut errors = size_errors(function, true);
    if let Result::Tensor(result) = &function.result
        && function.has_structure()
    {
        errors.push(format!(
            "[`Error::Structure`] if `{}` stores other coordinates than `{entry}` would; its \
             values are then unspecified.",
            result.tensor
        ));
    }
    errors.extend(conversion_errors(function));
    errors
}

/// Returns the errors of extents: one sentence for all variables of the same tensors.
fn size_errors(function: &Function, with_result: bool) -> Vec<String> {
    let choices = function.sizes.iter().filter(|size| size.chosen_from.is_some());
    let mut errors: Vec<String> = choices
        .map(|size| format!("[`Error::Choice`] if the extent of `{}` is 0.", size.variable))
        .collect();
    let mut differing: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    let is_checked = |size: &&Size| size.chosen_from.is_some() || must_agree(size, function);
    for size in function.sizes.iter().filter(is_checked) {
        let operands = size.operands.iter();
        let of_operands =
            operands.filter_map(|(k, _)| Some(tensor(function, Source::Operand(*k))?.0));
        let of_parts = size.parts.iter().map(|part| function.parts[*part].access.as_str());
        let results = size.result.iter().filter(|_| with_result);
        let of_result = results.filter_map(|_| Some(tensor(function, Source::Result)?.0));
        let modes: Vec<&str> = of_operands.chain(of_parts).chain(of_result).collect();
        let mut tensors: Vec<String> = Vec::new();
        modes.iter().for_each(|tensor| add(&mut tensors, format!("`{tensor}`")));
        let variable = format!("`{}`", size.variable);
        match size.constant {
            Some(_) if modes.is_empty() => {}
            Some(constant) => errors
                .push(format!("[`Error::Extent`] if the extent of {variable} is not {constant}.")),
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
                format!("; the values of `{}` are then unspecified", result.tensor)
            }
            Result::Tensor(_) | Result::Scalar { .. } => String::new(),
        };
        format!("[`Error::Division`] if an integer is divided by zero{of}.")
    }));
    let differ = |(tensors, variables): (Vec<String>, Vec<String>)| {
        let (of, variables) = (list(&tensors, "and"), list(&variables, "or"));
        match tensors.as_slice() {
            [_] => {
                format!("[`Error::Shape`] if the modes of {of} over {variables} differ in extent.")
            }
            _ => format!("[`Error::Shape`] if {of} differ in the extent of {variables}."),
        }
    };
    errors.splice(0..0, differing.into_iter().map(differ));
    errors.splice(0..0, part_errors(function));
    errors
}

/// Returns the errors of products of extents that overflow or exceed the available memory.
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
            Some(_) => format!("[`Error::Size`] if memory for the {of} is not available."),
            None => format!("[`Error::Size`] if the {of} does not fit in `usize`."),
        };
        add(&mut errors, error);
    }
    errors
}

/// Returns the errors of arguments that define slices.
fn part_errors(function: &Function) -> Vec<String> {
    let shown = |limit: &Limit| match limit {
        Limit::Number(number) => number.to_string(),
        Limit::Argument(name) => name.clone(),
    };
    let mut errors: Vec<String> = Vec::new();
    for Part { access, of, mode, reads } in &function.parts {
        let Some((name, _)) = tensor(function, *of) else { continue };
        let what = match reads {
            Reads::At(at) => format!("`{}`", shown(at)),
            Reads::Listed(List::Argument(name) | List::LastOf { of: name, .. }) => {
                format!("an element of `{name}`")
            }
            Reads::Listed(List::Numbers { .. }) => format!("an index of `{access}`"),
            Reads::Range { start, end, .. } => {
                let (start, end) = (shown(start), shown(end));
                let within = format!("mode {mode} of `{name}`");
                let error = format!("[`Error::Slice`] if `{start}..{end}` is not within {within}.");
                add(&mut errors, error);
                continue;
            }
        };
        add(
            &mut errors,
            format!("[`Error::Index`] if {what} is outside of mode {mode} of `{name}`."),
        );
    }
    for gather in &function.gathers {
        let names = (tensor(function, gather.by), tensor(function, gather.of));
        let (Some((by, _)), Some((of, _))) = names else { continue };
        let mode = gather.mode;
        let error = format!(
            "[`Error::Gather`] if an element of `{by}` is not a coordinate of mode {mode} of `{of}`."
        );
        add(&mut errors, error);
    }
    errors
}

/// Joins items: `A, B and C`.
pub(super) fn list(items: &[String], conjunction: &str) -> String {
    match items {
        [] => String::new(),
        [item] => item.clone(),
        [first @ .., last] => format!("{} {conjunction} {last}", first.join(", ")),
    }
}

/// Returns the error of positions or coordinates that do not fit their width.
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
            | Element::Entry(_)
            | Element::Value(_)
            | Element::Pattern(_) => {}
            Element::Index(width) => {
                what.push(&fit.what);
                widths.push(width.name());
            }
        }
    }
    widths.dedup();
    // Common words are not repeated: `positions of level 1 or 2`.
    let first = what.first()?;
    let shared = first.rfind(' ').map_or("", |end| &first[..=end]);
    let parts: Option<Vec<String>> =
        what.iter().map(|what| what.strip_prefix(shared).map(String::from)).collect();
    let what = match parts {
        Some(parts) => format!("{shared}{}", list(&parts, "or")),
        None => list(&what.iter().map(|what| what.to_string()).collect::<Vec<_>>(), "or"),
    };
    let left =
        if is_left { format!("; `{}` is then left empty", result.tensor) } else { String::new() };
    Some(format!(
        "[`Error::Width`] if the {what} of `{}` do not fit in `{}`{left}.",
        result.tensor,
        widths.join("` or `")
    ))
}

/// Returns the error of results whose arrays may grow beyond memory.
fn growth_error(function: &Function, is_into: bool) -> Option<String> {
    let results: Vec<_> = function.results().map(|result| format!("`{}`", result.tensor)).collect();
    let of = list(&results, "or");
    let left = match &results[..] {
        _ if !is_into => String::new(),
        [only] => format!("; {only} is then left empty"),
        _ => "; they are then left empty".to_owned(),
    };
    function.may_exceed_memory().then(|| {
        format!("[`Error::Size`] if memory for the entries of {of} is not available{left}.")
    })
}

/// Returns the error of results that have no position for an entry.
fn full_error(function: &Function) -> Option<String> {
    let results: Vec<_> = function.results().map(|result| format!("`{}`", result.tensor)).collect();
    function.may_be_full().then(|| {
        format!("[`Error::Pack`] if {} cannot hold all entries of a block.", results.join(" or "))
    })
}

/// Returns the errors of conversions, of inverses of lists, and of packing.
fn conversion_errors(function: &Function) -> Vec<String> {
    let convert = |Conversion { kind, into, .. }: &Conversion| {
        let (tensor, format) = (&into.tensor, &into.format);
        match kind {
            ConversionKind::Format => {
                format!("The errors of [`View::to`] if `{tensor}` is converted to `{format}`.")
            }
            ConversionKind::Inverse(_) => {
                format!("[`Error::Size`] if memory for `{tensor}` is not available.")
            }
        }
    };
    let converted = function.conversions.iter().filter(|it| held(function, it).is_none());
    let packed = function.results().filter_map(|TensorResult { tensor, packed, .. }| {
        let packed = packed.as_ref()?;
        Some(format!("The errors of [`Tensor::to`] if `{tensor}` is packed into `{packed}`."))
    });
    converted.map(convert).chain(packed).collect()
}
