//! The parts of modes that a statement reads: slices, and fixed coordinates.
//!
//! Each becomes a variable that stands for the mode's own coordinate and follows from the index
//! variable that counts the part's. A fixed coordinate has such an index variable too, of extent 1.

use crate::error::{Diagnostic, Name};
use crate::notation::names::{identifier, snake_case};
use crate::notation::syntax::{self, Access, IndexKind, Set};
use crate::notation::{
    Bound, Expr as Canonical, Reduce, Role, Slice, TensorId, Variable, VariableId,
};

use super::Context;
use super::bindings::is_parameter;
use super::names::{Names, Operand};

/// A part of a tensor's mode that is accessed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    /// The tensor: index into [`Names::tensors`].
    tensor: usize,
    mode: usize,
    slice: Slice,
}

/// The parts of all accesses on the right, and how many fixed coordinates are among them.
pub(super) fn of(
    context: Context<'_>,
    tensors: &[Operand<'_>],
    variables: &[&str],
) -> (Vec<Part>, usize) {
    let mut parts: Vec<Part> = Vec::new();
    let mut fixed = 0;
    context.statement.right.for_each_access(&mut |access| {
        let Some(tensor) = tensors.iter().position(|t| t.first.name.text == access.name.text)
        else {
            return;
        };
        for (mode, index) in access.indices.iter().enumerate() {
            let Some((of, start, end, step)) = part(context, tensors.len(), &index.kind) else {
                continue;
            };
            let of = match of {
                Some(name) => match variables.iter().position(|known| *known == name.text) {
                    Some(of) => VariableId(of),
                    None => continue,
                },
                None => {
                    let same = |part: &&Part| {
                        (part.tensor, part.mode) == (tensor, mode)
                            && part.slice.end.is_none()
                            && part.slice.start == start
                    };
                    parts
                        .iter()
                        .find(same)
                        .map_or(VariableId(variables.len() + fixed), |part| part.slice.of)
                }
            };
            let part = Part { tensor, mode, slice: Slice { of, start, end, step } };
            if !parts.contains(&part) {
                fixed += usize::from(end.is_none());
                parts.push(part);
            }
        }
    });
    (parts, fixed)
}

/// The variable, where there is one, the bounds and the step of an index that is part of a mode.
fn part<'m>(
    context: Context<'m>,
    tensors: usize,
    index: &'m IndexKind,
) -> Option<(Option<&'m Name>, Bound, Option<Bound>, u64)> {
    let parameter = |name: &Name| {
        let declared = parameters(context).iter().position(|known| known.text == name.text);
        declared.map(|k| Bound::Parameter(TensorId(tensors + k)))
    };
    let bound = |bound: &syntax::Bound| match bound {
        syntax::Bound::Number(number) => Some(Bound::Number(number.unsigned_abs())),
        syntax::Bound::Parameter(name) => parameter(name),
    };
    match index {
        IndexKind::Name(name) => Some((None, parameter(name)?, None, 1)),
        IndexKind::Fixed(number) => Some((None, Bound::Number(number.unsigned_abs()), None, 1)),
        IndexKind::Slice(slice) => {
            let step = slice.step.unwrap_or(1).unsigned_abs();
            Some((Some(&slice.variable), bound(&slice.start)?, Some(bound(&slice.end)?), step))
        }
        IndexKind::Set(..) | IndexKind::Affine(_) | IndexKind::Gather(_) => None,
    }
}

impl Names<'_> {
    /// How many variables there are, those of fixed coordinates and of parts of modes included.
    pub(super) fn count(&self) -> usize {
        self.variables.len() + self.fixed + self.parts.len()
    }

    /// The variable of a mode of which an access reads a part.
    pub(super) fn mode_variable(
        &self,
        context: Context<'_>,
        tensor: usize,
        mode: usize,
        index: &IndexKind,
    ) -> Option<VariableId> {
        let (of, start, end, step) = part(context, self.tensors.len(), index)?;
        let is_it = |part: &&Part| {
            let Slice { of: counted, start: from, end: to, step: by } = part.slice;
            let name = self.variables.get(counted.0).copied();
            (part.tensor, part.mode) == (tensor, mode)
                && (from, to, by) == (start, end, step)
                && of.is_none_or(|of| name == Some(of.text.as_str()))
        };
        let k = self.parts.iter().position(|part| is_it(&part))?;
        Some(VariableId(self.variables.len() + self.fixed + k))
    }

    /// The variables of fixed coordinates, then those of modes of which parts are read.
    pub(super) fn part_variables(&self, context: Context<'_>) -> Vec<Variable> {
        let mut made: Vec<Variable> = Vec::new();
        let mut add = |name: String, role: Role| {
            let mut free = name;
            let is_taken = |free: &String| {
                self.variables.contains(&free.as_str()) || made.iter().any(|v| v.name == *free)
            };
            while is_taken(&free) {
                free.push('_');
            }
            let size = (role == Role::Fixed).then_some(1);
            made.push(Variable { name: free, size, role });
        };
        let shown = |part: &Part| match part.slice.start {
            Bound::Number(number) => format!("at_{number}"),
            Bound::Parameter(TensorId(id)) => {
                format!("at_{}", parameters(context)[id - self.tensors.len()].text)
            }
        };
        for part in self.parts.iter().filter(|part| part.slice.end.is_none()) {
            add(shown(part), Role::Fixed);
        }
        for part in &self.parts {
            let of = match part.slice.end {
                Some(_) => self.variables[part.slice.of.0].to_owned(),
                None => shown(part),
            };
            let tensor = self.tensors[part.tensor].argument.trim_start_matches("r#");
            add(format!("{of}_of_{tensor}"), Role::Mode(part.slice));
        }
        made
    }
}

/// Checks the parameters, and what can be seen to be wrong of the extents of slices.
pub(super) fn check(context: Context<'_>, names: &Names<'_>, diagnostics: &mut Vec<Diagnostic>) {
    check_parameters(context, names, diagnostics);
    check_extents(context, diagnostics);
}

fn check_parameters(context: Context<'_>, names: &Names<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let used = parameters(context);
    for name in &context.entry.params {
        let text = &name.text;
        if !used.contains(&name) {
            let is_operand = names.tensors.iter().any(|tensor| tensor.first.name.text == *text);
            if !is_operand {
                diagnostics.push(
                    Diagnostic::new(name.span, format!("`{text}` does not stand in the statement"))
                        .help("remove it, or use it as a bound or a coordinate"),
                );
            }
            continue;
        }
        if identifier(text).as_ref() != Some(text) || snake_case(text) != *text {
            diagnostics.push(
                Diagnostic::new(name.span, format!("`{text}` cannot be the name of a parameter"))
                    .note("it is the name of an argument: small letters, digits and `_`")
                    .help("choose another name"),
            );
        } else if let Some(other) = names.tensors.iter().find(|tensor| tensor.argument == *text) {
            let other = &other.first.name.text;
            diagnostics.push(
                Diagnostic::new(
                    name.span,
                    format!("`{other}` and `{text}` would be the same argument `{text}`"),
                )
                .note("an argument is called by its tensor's name in snake case")
                .help("give one of the two another name"),
            );
        }
    }
}

/// The parameters that stand somewhere in the statement, in the order in which they do.
pub(super) fn parameters(context: Context<'_>) -> Vec<&Name> {
    let mut used = Vec::new();
    let mut see = |access: &Access| {
        if access.indices.is_empty() && is_parameter(context, &access.name) {
            used.push(access.name.text.clone());
        }
        for index in &access.indices {
            match &index.kind {
                IndexKind::Name(name) | IndexKind::Set(_, Set::Parameter(name)) => {
                    used.push(name.text.clone());
                }
                IndexKind::Slice(slice) => {
                    used.extend(slice.parameters().map(|name| name.text.clone()));
                }
                IndexKind::Set(_, Set::Listed(_))
                | IndexKind::Fixed(_)
                | IndexKind::Affine(_)
                | IndexKind::Gather(_) => {}
            }
        }
    };
    see(&context.statement.left);
    context.statement.right.for_each_access(&mut see);
    let mut parameters: Vec<&Name> = Vec::new();
    for text in used {
        let declared = context.entry.params.iter().find(|name| name.text == text);
        parameters.extend(declared.filter(|name| !parameters.contains(name)));
    }
    parameters
}

/// Where the extents of a variable's slices are known now, they agree with each other and with `sizes`;
/// what is read of a mode whose extent is known lies within it.
fn check_extents(context: Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let size = |name: &str| {
        let sizes = context.entry.sizes.iter();
        sizes.filter(|(known, _)| known.text == name).map(|(_, extent)| *extent).next()
    };
    let mut accesses: Vec<&Access> = Vec::new();
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
                | IndexKind::Gather(_) => None,
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
                    (syntax::Bound::Number(start), syntax::Bound::Number(end)) => {
                        let step = slice.step.unwrap_or(1).unsigned_abs().max(1);
                        let length = end.unsigned_abs().saturating_sub(start.unsigned_abs());
                        (Some((&slice.variable, length.div_ceil(step))), end.unsigned_abs())
                    }
                },
                IndexKind::Name(_)
                | IndexKind::Set(..)
                | IndexKind::Affine(_)
                | IndexKind::Gather(_) => continue,
            };
            if let Some((of, extent)) = known_extent(access, mode).filter(|known| end > known.1) {
                diagnostics.push(
                    Diagnostic::new(
                        index.span,
                        format!(
                            "mode {mode} of `{}` has {extent} coordinates only",
                            access.name.text
                        ),
                    )
                    .label("this lies beyond them")
                    .note(format!("its extent is that of `{of}`, which `sizes` gives")),
                );
            }
            let Some((variable, extent)) = variable else { continue };
            let wrong = |other: String| {
                Diagnostic::new(
                    index.span,
                    format!("`{}` has {extent} coordinates here, {other}", variable.text),
                )
                .help("make the slices as long as each other, or use two variables")
            };
            if let Some(size) = size(&variable.text).filter(|size| *size != extent) {
                diagnostics.push(wrong(format!("but `sizes` says {size}")));
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

/// What is wrong with the indices of an access on the right, beside what is not supported.
pub(super) fn check_access(
    context: Context<'_>,
    access: &Access,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut seen: Vec<&Name> = Vec::new();
    for index in &access.indices {
        let name = match &index.kind {
            IndexKind::Name(name) if is_parameter(context, name) => continue,
            IndexKind::Name(name) => name,
            IndexKind::Slice(slice) => {
                if is_parameter(context, &slice.variable) {
                    let message =
                        format!("the parameter `{}` cannot run over a slice", slice.variable.text);
                    diagnostics.push(
                        Diagnostic::new(slice.variable.span, message)
                            .help("give the index variable another name"),
                    );
                    continue;
                }
                &slice.variable
            }
            IndexKind::Set(..)
            | IndexKind::Fixed(_)
            | IndexKind::Affine(_)
            | IndexKind::Gather(_) => continue,
        };
        if seen.iter().any(|earlier| earlier.text == name.text) {
            diagnostics.push(
                Diagnostic::unsupported(access.span, "diagonals")
                    .label(format!("`{}` stands twice in this access", name.text)),
            );
        }
        seen.push(name);
    }
}

/// An expression in which the variables of fixed coordinates that stand in sums only are bound by
/// these. Their extent is 1, so that it is the same sum.
pub(super) fn bind_fixed(value: Canonical, variables: &[Variable]) -> Canonical {
    let fixed = |v: &VariableId| variables[v.0].role == Role::Fixed;
    let all = (0..variables.len()).map(VariableId).filter(fixed);
    all.fold(value, |value, v| bind(&value, v, variables).unwrap_or(value))
}

/// The expression with a variable bound by every innermost sum that reads it; nothing where it is read
/// outside of all sums.
fn bind(value: &Canonical, v: VariableId, variables: &[Variable]) -> Option<Canonical> {
    let reads = |mode: &VariableId| match variables[mode.0].role {
        Role::Mode(slice) => slice.of == v,
        Role::Index | Role::Fixed => false,
    };
    Some(match value {
        Canonical::Literal(_) | Canonical::Index(_) | Canonical::Parameter(_) => value.clone(),
        Canonical::Call(function, arguments) => {
            let arguments = arguments.iter().map(|a| bind(a, v, variables));
            Canonical::call(*function, arguments.collect::<Option<_>>()?)
        }
        Canonical::Access(access) => (!access.indices.iter().any(reads)).then(|| value.clone())?,
        Canonical::Unary(op, a) => Canonical::unary(*op, bind(a, v, variables)?),
        Canonical::Binary(op, a, b) => {
            Canonical::binary(*op, bind(a, v, variables)?, bind(b, v, variables)?)
        }
        Canonical::Reduce(Reduce { op, variables: bound, body }) => {
            match bind(body, v, variables) {
                Some(body) => Canonical::reduce(*op, bound.clone(), body),
                None => {
                    let bound = bound.iter().copied().chain([v]).collect();
                    Canonical::reduce(*op, bound, (**body).clone())
                }
            }
        }
    })
}

/// The names in bounds that no parameter has.
pub(super) fn undeclared<'s>(context: Context<'_>, access: &'s Access) -> Vec<&'s Name> {
    let mut names = Vec::new();
    for index in &access.indices {
        if let IndexKind::Slice(slice) = &index.kind {
            names.extend(slice.parameters().filter(|name| !is_parameter(context, name)));
        }
        if let IndexKind::Set(_, Set::Parameter(name)) = &index.kind
            && !is_parameter(context, name)
        {
            names.push(name);
        }
    }
    names
}
