//! Name resolution: tensors with their formats, variables and parameters.

use crate::error::{Code, Diagnostic, Name, Span, nearest};
use crate::format::builtin::usual;
use crate::format::{Definition, Format};
use crate::manifest::{Given, TensorEntry};
use crate::names::is_name;
use crate::notation::functions;
use crate::notation::syntax::{Access, ExprKind};
use crate::types::Dtype;

use super::Context;
use super::bindings::{is_parameter, variables_of};
use super::slices::{self, Known, Parts};

/// The names of a statement.
#[derive(Debug)]
pub(super) struct Names<'m> {
    /// The result, followed by the operands in the order of their first use.
    pub(super) tensors: Vec<Operand<'m>>,
    /// The variables, in the order of their first use.
    pub(super) variables: Vec<&'m str>,
    /// The subranges of modes, whose variables follow the ones above.
    pub(super) parts: Parts<'m>,
}

/// A tensor of a statement.
#[derive(Debug)]
pub(super) struct Operand<'m> {
    /// The first access.
    pub(super) first: &'m Access,
    /// The identifier of the argument.
    pub(super) argument: String,
    /// The format; `None` if it has errors, which have been reported.
    pub(super) format: Option<Format>,
    /// The element type.
    pub(super) dtype: Dtype,
    /// `true` if only the structure is stored.
    pub(super) pattern: bool,
}

impl<'m> Names<'m> {
    /// Returns the names that indices may use.
    pub(super) fn known(&self, context: Context<'m>) -> Known<'_, 'm> {
        Known { context, tensors: &self.tensors, variables: &self.variables }
    }

    /// Returns the number of variables, including those of subranges of modes.
    pub(super) fn count(&self) -> usize {
        self.variables.len() + self.parts.count()
    }

    /// Returns the element type of a tensor.
    pub(super) fn dtype(&self, name: &str) -> Option<Dtype> {
        self.tensors.iter().find(|tensor| tensor.first.name.text == name).map(|found| found.dtype)
    }

    /// Returns whether a bare name is a variable or a parameter.
    pub(super) fn is_place(&self, context: Context<'_>, access: &Access) -> bool {
        let is_variable = self.variables.contains(&access.name.text.as_str());
        access.indices.is_empty() && (is_variable || is_parameter(context, &access.name))
    }
}

pub(super) fn resolve<'m>(context: Context<'m>, diagnostics: &mut Vec<Diagnostic>) -> Names<'m> {
    let variables = variables(context);
    let accesses = tensor_accesses(context, &variables, diagnostics);
    let mut first: Vec<&Access> = Vec::new();
    for access in &accesses {
        if !first.iter().any(|known| known.name.text == access.name.text) {
            first.push(access);
        }
    }
    check_declarations(context, &first, &variables, diagnostics);
    check_sizes(context, &variables, diagnostics);
    let mut tensors: Vec<Operand<'_>> = Vec::new();
    for first in first {
        let name = &first.name.text;
        let own: Vec<_> = accesses.iter().copied().filter(|a| a.name.text == *name).collect();
        let format = format_of(context, &own, diagnostics);
        let declared = declaration(context, name);
        let dtype = declared.and_then(|entry| entry.dtype).unwrap_or(context.entry.dtype);
        let argument = context.arguments.find(&first.name, diagnostics);
        let pattern = declared.and_then(|entry| entry.pattern);
        if let (Some(span), Some(format)) = (pattern, &format) {
            diagnostics.extend(check_pattern(span, name, format));
        }
        let pattern = pattern.is_some();
        tensors.push(Operand { first, argument, format, dtype, pattern });
    }
    let parts = slices::of(Known { context, tensors: &tensors, variables: &variables });
    Names { tensors, variables, parts }
}

/// Checks that a tensor of a format can be a pattern.
fn check_pattern(span: Span, name: &str, format: &Format) -> Option<Diagnostic> {
    let refused = |what: &str| {
        let message = format!("the {what} `{name}` cannot be a pattern");
        Diagnostic::new(Code::InvalidPattern, span, message)
    };
    if format.order() == 0 {
        return Some(refused("scalar").help("remove `values`"));
    }
    (format.pads() || format.has_every_position()).then(|| {
        refused("tensor")
            .note(
                "its format has positions without an entry, which a pattern cannot tell from \
                 entries",
            )
            .help("remove `values`, or use a format that stores entries only")
    })
}

fn declaration<'m>(context: Context<'m>, name: &str) -> Option<&'m TensorEntry> {
    context.entry.tensors.iter().find(|entry| entry.name.text == name)
}

/// Returns the variables of a statement: the names that index a mode or are bound by a reduction.
pub(super) fn variables(context: Context<'_>) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    let mut names: Vec<&Name> = Vec::new();
    variables_of(context, &context.statement.left, &mut |name| names.push(name));
    context.statement.right.for_each(&mut |expr| match &expr.kind {
        ExprKind::Access(access) => variables_of(context, access, &mut |name| names.push(name)),
        ExprKind::Reduce(_, variables, _) => names.extend(variables),
        ExprKind::Number(_)
        | ExprKind::Constant(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Call(..) => {}
    });
    for name in names {
        if !found.contains(&name.text.as_str()) {
            found.push(&name.text);
        }
    }
    found
}

/// Returns the names of the tensors of a statement: the result, then the operands in the order of
/// their first use.
pub(super) fn tensor_names(context: Context<'_>) -> Vec<&str> {
    let accesses = tensor_accesses(context, &variables(context), &mut Vec::new());
    accesses.into_iter().map(|access| access.name.text.as_str()).collect()
}

/// Returns the accesses of tensors, the result first, without other uses of bare names.
fn tensor_accesses<'m>(
    context: Context<'m>,
    variables: &[&str],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<&'m Access> {
    let mut accesses = vec![&context.statement.left];
    let mut add = |access: &'m Access| {
        let name = &access.name.text;
        let variable = variables.contains(&name.as_str());
        let is_place =
            is_parameter(context, &access.name) || variable && declaration(context, name).is_none();
        if !(access.indices.is_empty() && is_place) {
            accesses.push(access);
        }
    };
    context.statement.right.for_each_access(&mut |access| {
        add(access);
        let mut gathers = Vec::new();
        access.for_each_gather(&mut |gather| gathers.push(gather));
        for gather in gathers {
            add(gather);
        }
    });
    for access in &accesses {
        let name = &access.name.text;
        if variables.contains(&name.as_str()) {
            diagnostics.push(
                Diagnostic::new(
                    Code::DuplicateName,
                    access.name.span,
                    format!("`{name}` is used as a tensor and as an index variable"),
                )
                .help("give one of the two another name"),
            );
        } else if is_parameter(context, &access.name) {
            let message = format!("`{name}` is used as a tensor and declared as a parameter");
            diagnostics.push(
                Diagnostic::new(Code::DuplicateName, access.name.span, message)
                    .help("give one of the two another name"),
            );
        }
    }
    accesses
}

/// Checks that `tensors` declares exactly the tensors that the statement uses.
fn check_declarations(
    context: Context<'_>,
    used: &[&Access],
    variables: &[&str],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let entries = &context.entry.tensors;
    // A gather on the left is refused, but uses its tensor.
    let mut on_left: Vec<&Access> = Vec::new();
    context.statement.left.for_each_gather(&mut |gather| on_left.push(gather));
    let is_used =
        |entry: &TensorEntry| used.iter().chain(&on_left).any(|a| a.name.text == entry.name.text);
    let mut meant = Vec::new();
    for access in used.iter().filter(|access| !access.indices.is_empty()) {
        let name = &access.name.text;
        if declaration(context, name).is_some() || variables.contains(&name.as_str()) {
            continue;
        }
        let unused = entries.iter().filter(|entry| !is_used(entry));
        let message = format!("the tensor `{name}` has no format");
        let diagnostic = Diagnostic::new(Code::MissingFormat, access.name.span, message);
        diagnostics.push(match nearest(name, unused.map(|entry| &*entry.name.text)) {
            Some(near) => {
                meant.push(near.to_owned());
                diagnostic
                    .note(format!("`tensors` declares `{near}`, which the statement does not use"))
                    .help(format!("did you mean `{near}`?"))
            }
            None => {
                let format = usual(access.indices.len());
                diagnostic.help(if entries.is_empty() {
                    format!("declare it: tensors = {{ {name} = \"{format}\" }}")
                } else {
                    format!("add it to `tensors`: {name} = \"{format}\"")
                })
            }
        });
    }
    for entry in entries.iter().filter(|entry| !is_used(entry)) {
        let name = &entry.name.text;
        if meant.contains(name) {
            continue;
        }
        let diagnostic = Diagnostic::new(
            Code::NotUsed,
            entry.name.span,
            format!("`{name}` is not used in the statement"),
        );
        diagnostics.push(if !is_name(name) {
            Diagnostic::new(
                Code::InvalidName,
                entry.name.span,
                format!("`{name}` cannot be the name of a tensor"),
            )
            .help("a name consists of letters, digits and `_`, and does not begin with a digit")
        } else if let Some(kind) = functions::reserved(name) {
            diagnostic.note(format!("`{name}` is {kind}, so no tensor can have that name"))
        } else if variables.contains(&name.as_str()) {
            diagnostic.note(format!("`{name}` is an index variable there")).help("remove it")
        } else {
            let undeclared = used.iter().filter(|a| declaration(context, &a.name.text).is_none());
            match nearest(name, undeclared.map(|access| &*access.name.text)) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic.help("remove it, or use it in the statement"),
            }
        });
    }
}

fn check_sizes(context: Context<'_>, variables: &[&str], diagnostics: &mut Vec<Diagnostic>) {
    for (name, _) in &context.entry.sizes {
        if !variables.contains(&name.text.as_str()) {
            diagnostics.push(
                Diagnostic::new(
                    Code::NotUsed,
                    name.span,
                    format!("`{}` is not an index variable of the statement", name.text),
                )
                .suggest(&name.text, variables.iter().copied(), "its variables"),
            );
        }
    }
}

/// Returns the format of the tensor with these accesses.
fn format_of(
    context: Context<'_>,
    accesses: &[&Access],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Format> {
    let first = accesses[0];
    let name = &first.name.text;
    let order = first.indices.len();
    let definition = match declaration(context, name).map(|entry| (entry, &entry.format)) {
        Some((_, Given::Value(text))) => context.formats.define(text, diagnostics),
        Some((_, Given::Broken)) => None,
        Some((entry, Given::Omitted)) if order > 0 => {
            diagnostics.push(
                Diagnostic::new(
                    Code::MissingFormat,
                    entry.span,
                    format!("the tensor `{name}` has no format"),
                )
                .help(format!("add one: {name} = {{ format = \"{}\", … }}", usual(order))),
            );
            None
        }
        Some((_, Given::Omitted)) | None if order == 0 => context.formats.scalar(),
        Some((_, Given::Omitted)) | None => None,
    };
    let mut sound = true;
    for access in accesses {
        let expected = definition.as_ref().and_then(Definition::order).unwrap_or(order);
        let found = access.indices.len();
        let fits = match &definition {
            Some(definition) => definition.fits(found) && found == expected,
            None => found == expected,
        };
        if !fits {
            sound = false;
            let mistake = match &definition {
                Some(definition) if !definition.fits(found) => {
                    wrong_order(context, access, definition)
                }
                Some(_) | None => Diagnostic::new(
                    Code::OrderMismatch,
                    access.span,
                    format!(
                        "`{name}` has {} here and {} in its first access",
                        indices(found),
                        indices(expected)
                    ),
                )
                .note(format!("its first access is `{}`", context.text.at(first.span)))
                .help("a tensor has the same number of indices in every access"),
            };
            diagnostics.push(mistake);
        }
    }
    if !sound {
        return None;
    }
    definition?.of_order(order, context.formats.levels())
}

/// Returns the diagnostic for a format whose order differs from the number of indices of an access.
fn wrong_order(context: Context<'_>, access: &Access, definition: &Definition) -> Diagnostic {
    let name = &access.name.text;
    let found = access.indices.len();
    let title = definition.title();
    let diagnostic = match definition.order() {
        Some(order) => Diagnostic::new(
            Code::OrderMismatch,
            access.span,
            format!("`{name}` has {}, but {title} is a format of order {order}", indices(found)),
        ),
        None => Diagnostic::new(
            Code::OrderMismatch,
            access.span,
            format!("`{name}` has {}, which does not fit the format {title}", indices(found)),
        ),
    };
    let fitting = context.formats.fitting(found);
    match (found, fitting.is_empty()) {
        (0, _) => diagnostic.help(format!(
            "a name without indices is a scalar: declare it as \"scalar\" or remove it from \
             `tensors`; to make it a tensor, give it indices: `{name}[i]`"
        )),
        (_, true) => diagnostic
            .note(context.formats.largest_order())
            .help("declare a map for it in `[formats]`"),
        (_, false) => diagnostic
            .help(format!("the formats of order {found} are {}", crate::error::quoted(&fitting))),
    }
}

fn indices(count: usize) -> String {
    match count {
        0 => "no index".to_owned(),
        1 => "1 index".to_owned(),
        count => format!("{count} indices"),
    }
}
