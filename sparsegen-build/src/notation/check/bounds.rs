//! Checks of parameters, and of slices and coordinates.

use crate::error::{Code, Diagnostic, Name};
use crate::names::{identifier, snake_case};
use crate::notation::Parameter;
use crate::notation::syntax::{self, Access, IndexKind, Set};

use super::Context;
use super::bindings::{is_parameter, parameter};
use super::names::Names;

/// Checks parameters, and those extents of slices that are known.
pub(super) fn check(context: Context<'_>, names: &Names<'_>, diagnostics: &mut Vec<Diagnostic>) {
    check_parameters(context, names, diagnostics);
    check_extents(context, diagnostics);
    context.statement.right.for_each_access(&mut |access| {
        access.for_each_gather(&mut |gather| diagnostics.extend(check_gather(names, gather)));
    });
}

fn check_parameters(context: Context<'_>, names: &Names<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let used = parameters(context);
    for (name, _) in &context.entry.params {
        let text = &name.text;
        if !used.contains(&name) {
            let is_operand = names.tensors.iter().any(|tensor| tensor.first.name.text == *text);
            if !is_operand {
                diagnostics.push(
                    Diagnostic::new(
                        Code::NotUsed,
                        name.span,
                        format!("`{text}` is not used in the statement"),
                    )
                    .help("remove it, or use it as a bound or a coordinate"),
                );
            }
            continue;
        }
        if identifier(text).as_ref() != Some(text) || snake_case(text) != *text {
            diagnostics.push(
                Diagnostic::new(
                    Code::InvalidName,
                    name.span,
                    format!("`{text}` cannot be the name of a parameter"),
                )
                .note("it is the name of an argument: small letters, digits and `_`")
                .help("choose another name"),
            );
        }
    }
}

/// Returns the parameters that the statement uses, in the order of their first use.
pub(super) fn parameters(context: Context<'_>) -> Vec<&Name> {
    let mut used = Vec::new();
    let mut see = |access: &Access| {
        if access.indices.is_empty() && is_parameter(context, &access.name) {
            used.push(access.name.text.clone());
        }
        access.for_each_bound(&mut |name| used.push(name.text.clone()));
    };
    see(&context.statement.left);
    context.statement.right.for_each_access(&mut see);
    let mut parameters: Vec<&Name> = Vec::new();
    for text in used {
        let declared = context.entry.params.iter().find(|(name, _)| name.text == text);
        let declared = declared.map(|(name, _)| name);
        parameters.extend(declared.filter(|name| !parameters.contains(name)));
    }
    parameters
}

/// Checks that the known extents of a variable's slices agree with each other and with `sizes`, and
/// that slices of a mode of known extent are contained in it.
fn check_extents(context: Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let size = |name: &str| {
        let sizes = context.entry.sizes.iter();
        sizes.filter(|(known, _)| known.text == name).map(|(_, extent)| *extent).next()
    };
    let mut accesses: Vec<&Access> = vec![&context.statement.left];
    context.statement.right.for_each_access(&mut |access| accesses.push(access));
    let known_extent = |of: &Access, mode: usize| {
        accesses.iter().filter(|access| access.name.text == of.name.text).find_map(|access| {
            match &access.indices.get(mode)?.kind {
                IndexKind::Name(name) => {
                    size(&name.text).map(|extent| (name.text.as_str(), extent))
                }
                IndexKind::Slice(_)
                | IndexKind::Set(..)
                | IndexKind::Fixed(_)
                | IndexKind::Affine(_)
                | IndexKind::Gather(_)
                | IndexKind::Computed(_) => None,
            }
        })
    };
    let mut counted: Vec<(&str, u64, &str)> = Vec::new();
    for access in &accesses {
        for (mode, index) in access.indices.iter().enumerate() {
            let text = context.text.at(index.span);
            let (variable, end) = match &index.kind {
                IndexKind::Fixed(at) => (None, at.unsigned_abs() + 1),
                IndexKind::Slice(slice) => match (&slice.start, &slice.end) {
                    (_, syntax::Bound::Parameter(_)) => continue,
                    (syntax::Bound::Parameter(_), syntax::Bound::Number(end)) => {
                        (None, end.unsigned_abs())
                    }
                    (_, syntax::Bound::Number(end)) if slice.shift.is_some() => {
                        (None, end.unsigned_abs())
                    }
                    (syntax::Bound::Number(start), syntax::Bound::Number(end)) => {
                        let step = slice.step.unwrap_or(1).unsigned_abs().max(1);
                        let length = end.unsigned_abs().saturating_sub(start.unsigned_abs());
                        (Some((&slice.variable, length.div_ceil(step))), end.unsigned_abs())
                    }
                },
                IndexKind::Name(_)
                | IndexKind::Set(..)
                | IndexKind::Affine(_)
                | IndexKind::Gather(_)
                | IndexKind::Computed(_) => continue,
            };
            if let Some((of, extent)) = known_extent(access, mode).filter(|known| end > known.1) {
                diagnostics.push(
                    Diagnostic::new(
                        Code::InvalidSlice,
                        index.span,
                        format!(
                            "mode {mode} of `{}` has {extent} coordinates only",
                            access.name.text
                        ),
                    )
                    .label("this is outside of them")
                    .note(format!("its extent is that of `{of}`, which `sizes` declares")),
                );
            }
            let Some((variable, extent)) = variable else { continue };
            let wrong = |other: String| {
                Diagnostic::new(
                    Code::InvalidSlice,
                    index.span,
                    format!("`{}` has {extent} coordinates here, {other}", variable.text),
                )
                .help("give the slices the same length, or use two variables")
            };
            if let Some(size) = size(&variable.text).filter(|size| *size != extent) {
                diagnostics.push(wrong(format!("but `sizes` declares {size}")));
            }
            match counted.iter().find(|(known, ..)| *known == variable.text) {
                Some((_, other, at)) if *other != extent => {
                    diagnostics.push(wrong(format!("but {other} in `{at}`")));
                }
                Some(_) => {}
                None => counted.push((&variable.text, extent, text)),
            }
        }
    }
}

/// Checks the names in the indices of an access: variables must not be parameters, and parameters
/// must be declared and of the right kind.
pub(super) fn check_access(
    context: Context<'_>,
    access: &Access,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for index in &access.indices {
        match &index.kind {
            IndexKind::Slice(slice) => {
                check_runs(context, &slice.variable, "a slice", diagnostics);
                for name in slice.parameters() {
                    check_kind(context, name, Parameter::Index, diagnostics);
                }
            }
            IndexKind::Set(variable, set) => {
                check_runs(context, variable, "an index set", diagnostics);
                if let Set::Parameter(name) = set {
                    check_kind(context, name, Parameter::Indices, diagnostics);
                }
            }
            IndexKind::Name(name) => {
                if is_parameter(context, name) {
                    check_kind(context, name, Parameter::Index, diagnostics);
                }
            }
            IndexKind::Affine(sum) => {
                for name in sum.variables().filter(|name| is_parameter(context, name)) {
                    check_kind(context, name, Parameter::Index, diagnostics);
                }
            }
            IndexKind::Fixed(_) | IndexKind::Gather(_) | IndexKind::Computed(_) => {}
        }
    }
}

/// Checks that the variable of a slice or an index set is not a parameter.
fn check_runs(
    context: Context<'_>,
    variable: &Name,
    over: &str,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if is_parameter(context, variable) {
        let message = format!("the parameter `{}` cannot range over {over}", variable.text);
        diagnostics.push(
            Diagnostic::new(Code::ParameterAsVariable, variable.span, message)
                .help("give the index variable another name"),
        );
    }
}

/// Checks that a name is a declared parameter of the right kind.
pub(super) fn check_kind(
    context: Context<'_>,
    name: &Name,
    wanted: Parameter,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let text = &name.text;
    let found = parameter(context, name);
    let (is, declared) = match wanted {
        Parameter::Index => ("a list of coordinates", "index"),
        Parameter::Indices => ("a single coordinate", "indices"),
    };
    let declare = format!("declare it: params = {{ {text} = \"{declared}\" }}");
    match found {
        Some(found) if found == wanted => {}
        Some(_) => diagnostics.push(
            Diagnostic::new(
                Code::UnknownParameter,
                name.span,
                format!("the parameter `{text}` is {is}"),
            )
            .help(declare),
        ),
        None => diagnostics.push(
            Diagnostic::new(
                Code::UnknownParameter,
                name.span,
                format!("there is no parameter `{text}`"),
            )
            .help(declare),
        ),
    }
}

/// Checks that the elements of a tensor can be coordinates.
fn check_gather(names: &Names<'_>, gather: &Access) -> Option<Diagnostic> {
    let name = &gather.name.text;
    let tensor = names.tensors.iter().find(|tensor| tensor.first.name.text == *name)?;
    let dtype = tensor.dtype;
    let mistake = match (dtype.is_integer(), tensor.pattern) {
        (true, false) => return None,
        (true, true) => format!("the pattern `{name}` holds no coordinates"),
        (false, _) => format!("the elements of `{name}` are {dtype}, which cannot be coordinates"),
    };
    Some(
        Diagnostic::new(Code::GatherOfValues, gather.span, mistake)
            .note("an index is a coordinate of its mode")
            .help(format!("declare it: {name} = {{ format = …, dtype = \"u32\" }}")),
    )
}
