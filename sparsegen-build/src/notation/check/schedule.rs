//! Name resolution in the commands of a schedule.
//!
//! These checks only ensure that names exist, that variables have loops at that point of the list,
//! and that commands do not repeat each other. Whether loops can obey a command is checked when
//! they are constructed.

mod precompute;
mod shared;

pub(super) use shared::distribute;

use crate::error::{Code, Diagnostic, Name, quoted};
use crate::format::LevelExpr;
use crate::notation::schedule::{Action, Command, Schedule};
use crate::notation::syntax::{Access, Expr};
use crate::notation::{self, TensorId, VariableId};

use super::Context;
use super::bindings::{is_parameter, variables_of};
use super::names::Names;

/// A schedule with resolved names.
pub(super) struct Resolved {
    pub(super) commands: Schedule,
    /// The variables that the commands define or name, numbered after those of the statement.
    pub(super) defined: Vec<Defined>,
}

/// A variable that a command defines, or names although it is not in the statement.
pub(super) struct Defined {
    pub(super) name: String,
    /// `true` if the levels of a format store it.
    pub(super) is_stored: bool,
}

pub(super) fn check<'m>(
    context: Context<'m>,
    names: &Names<'m>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Resolved {
    let mut resolver = Resolver {
        context,
        names,
        defined: Vec::new(),
        stored: stored(context, names),
        replaced: Vec::new(),
        is_complete: true,
        diagnostics,
    };
    let mut commands = Schedule::new();
    for command in &context.statement.schedule {
        let Some(command) = command else {
            resolver.is_complete = false;
            continue;
        };
        let Some(action) = resolver.action(&command.action) else {
            // The names that it would have defined are known, so that they cause no further errors.
            let defines = command.action.defines().into_iter();
            let defines = defines.map(|name| Defined { name: name.text.clone(), is_stored: false });
            resolver.defined.extend(defines);
            continue;
        };
        let resolved = Command { action, text: command.text.clone(), span: command.span };
        if let Some(before) = commands.iter().find(|before| is_repeated(before, &resolved)) {
            resolver.diagnostics.push(
                Diagnostic::new(
                    Code::RepeatedCommand,
                    command.span,
                    "this command repeats an earlier one",
                )
                .note(format!("the earlier command is `{}`", before.text))
                .help("keep one of the two"),
            );
        }
        for variable in resolved.action.replaces() {
            let by = resolved.action.defines().into_iter().copied().collect();
            resolver.replaced.push((*variable, &command.text, by));
        }
        commands.push(resolved);
    }
    let defined = resolver.defined;
    Resolved { commands, defined }
}

/// Returns whether two commands have the same effect on the same loop.
fn is_repeated(
    a: &Command<VariableId, TensorId, notation::Expr>,
    b: &Command<VariableId, TensorId, notation::Expr>,
) -> bool {
    match (&a.action, &b.action) {
        (Action::Unroll { variable, .. }, Action::Unroll { variable: other, .. })
        | (Action::Merge { variable, .. }, Action::Merge { variable: other, .. })
        | (Action::Parallelize(variable), Action::Parallelize(other)) => variable == other,
        (Action::Locate { variable, tensor }, Action::Locate { variable: other, tensor: same }) => {
            variable == other && tensor == same
        }
        (
            Action::Reorder(_)
            | Action::Split { .. }
            | Action::Divide { .. }
            | Action::Fuse { .. }
            | Action::Pos { .. }
            | Action::Unroll { .. }
            | Action::Parallelize(_)
            | Action::Precompute { .. }
            | Action::Merge { .. }
            | Action::Locate { .. },
            _,
        ) => false,
    }
}

/// Returns the names of the variables that the levels of formats store: `io`, `ii`, `slot` or `d`.
fn stored(context: Context<'_>, names: &Names<'_>) -> Vec<String> {
    let mut stored = Vec::new();
    let mut add = |access: &Access| {
        let mut tensors = names.tensors.iter();
        let tensor = tensors.find(|tensor| tensor.first.name.text == access.name.text);
        let Some(format) = tensor.and_then(|tensor| tensor.format.as_ref()) else { return };
        let mut indices = Vec::new();
        variables_of(context, access, &mut |name| indices.push(name.text.clone()));
        if indices.len() != access.indices.len() {
            return;
        }
        for spec in
            format.levels.iter().filter(|spec| !matches!(spec.expr, LevelExpr::Dimension(_)))
        {
            stored.push(spec.expr.variable_name(&|mode| indices[mode].clone()));
        }
    };
    add(&context.statement.left);
    context.statement.right.for_each_access(&mut add);
    stored.sort_unstable();
    stored.dedup();
    stored
}

struct Resolver<'m, 'n, 'd> {
    context: Context<'m>,
    names: &'n Names<'m>,
    /// The variables that commands defined or named.
    defined: Vec<Defined>,
    /// The names of the variables that the levels of formats store.
    stored: Vec<String>,
    /// The variables whose loops were replaced, with the command and the new variables.
    replaced: Vec<(VariableId, &'m str, Vec<VariableId>)>,
    /// `true` if all commands so far are valid, so that an unknown name is an error.
    is_complete: bool,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'m> Resolver<'m, '_, '_> {
    /// Resolves the names of an action; returns `None` if an error was reported.
    fn action(
        &mut self,
        action: &'m Action<Name, Name, Expr>,
    ) -> Option<Action<VariableId, TensorId, notation::Expr>> {
        Some(match action {
            Action::Reorder(variables) => Action::Reorder(self.order(variables)?),
            Action::Split { whole, parts, size } => {
                let (whole, parts) = self.split(whole, parts)?;
                Action::Split { whole, parts, size: *size }
            }
            Action::Divide { whole, parts, count } => {
                let (whole, parts) = self.split(whole, parts)?;
                Action::Divide { whole, parts, count: *count }
            }
            Action::Fuse { parts: [outer, inner], fused } => {
                let parts = self.order(&[outer.clone(), inner.clone()]);
                let fused = self.define(fused);
                let [outer, inner] = parts?[..] else { return None };
                Action::Fuse { parts: [outer, inner], fused: fused? }
            }
            Action::Pos { whole, position, tensor } => {
                let (variable, of) = (self.variable(whole), self.operand(tensor));
                let position = self.define(position);
                let (variable, of) = (variable?, of?);
                self.is_indexed(tensor, whole, variable)?;
                Action::Pos { whole: variable, position: position?, tensor: of }
            }
            Action::Unroll { variable, by } => {
                Action::Unroll { variable: self.variable(variable)?, by: *by }
            }
            Action::Parallelize(variable) => Action::Parallelize(self.variable(variable)?),
            Action::Precompute { value, over, workspace, accumulator } => {
                let part = self.precompute(value, over, workspace)?;
                let (workspace, accumulator) = (workspace.clone(), *accumulator);
                Action::Precompute { value: part.0, over: part.1, workspace, accumulator }
            }
            Action::Merge { variable, strategy } => {
                Action::Merge { variable: self.variable(variable)?, strategy: *strategy }
            }
            Action::Locate { variable: name, tensor } => {
                let (variable, of) = (self.variable(name), self.operand(tensor));
                let (variable, of) = (variable?, of?);
                self.is_indexed(tensor, name, variable)?;
                Action::Locate { variable, tensor: of }
            }
        })
    }

    /// Resolves variables that must be distinct.
    fn order(&mut self, variables: &[Name]) -> Option<Vec<VariableId>> {
        let resolved: Vec<_> = variables.iter().map(|name| self.variable(name)).collect();
        let mut sound = true;
        for (k, name) in variables.iter().enumerate() {
            if variables[..k].iter().any(|before| before.text == name.text) {
                sound = false;
                let message = format!("`{}` is repeated in this command", name.text);
                self.diagnostics.push(
                    Diagnostic::new(Code::RepeatedCommand, name.span, message)
                        .help("remove one of the two"),
                );
            }
        }
        if let [only] = variables {
            sound = false;
            self.diagnostics.push(
                Diagnostic::new(Code::RepeatedCommand, only.span, "one loop alone has no order")
                    .help("list all loops whose order matters, the outermost first"),
            );
        }
        let resolved: Vec<VariableId> = resolved.into_iter().collect::<Option<_>>()?;
        Some(resolved).filter(|_| sound)
    }

    /// Resolves a variable that must have a loop.
    fn variable(&mut self, name: &Name) -> Option<VariableId> {
        let v = self.known(name)?;
        let Some((_, command, by)) = self.replaced.iter().find(|(replaced, _, _)| *replaced == v)
        else {
            return Some(v);
        };
        let by: Vec<&str> = by.iter().map(|v| self.name(*v)).collect();
        self.diagnostics.push(
            Diagnostic::new(
                Code::UnknownLoop,
                name.span,
                format!("`{}` has no loop here", name.text),
            )
            .note(format!("`{command}` replaced its loop by {}", quoted(&by)))
            .help(format!("use {}, or move this command before that one", quoted(&by))),
        );
        None
    }

    /// Resolves a variable of the statement or of an earlier command.
    fn known(&mut self, name: &Name) -> Option<VariableId> {
        let variables = self.names.variables.iter().position(|known| *known == name.text);
        let defined = || self.defined.iter().position(|known| known.name == name.text);
        let found = variables.or_else(|| Some(self.names.count() + defined()?));
        if found.is_none() && self.stored.contains(&name.text) {
            self.defined.push(Defined { name: name.text.clone(), is_stored: true });
            return Some(VariableId(self.names.count() + self.defined.len() - 1));
        }
        if found.is_none() && self.is_complete {
            let message = format!("there is no loop over `{}`", name.text);
            let diagnostic = Diagnostic::new(Code::UnknownLoop, name.span, message);
            let is_tensor =
                self.names.tensors.iter().any(|tensor| tensor.first.name.text == name.text);
            let diagnostic = if is_tensor {
                diagnostic.note(format!("`{}` is a tensor", name.text))
            } else {
                diagnostic
            };
            let variables = self.names.variables.iter().copied();
            let defined = self.defined.iter().map(|known| known.name.as_str());
            let stored = self.stored.iter().map(String::as_str);
            let known: Vec<&str> = variables.chain(defined).chain(stored).collect();
            self.diagnostics.push(diagnostic.suggest(&name.text, known, "the variables"));
        }
        found.map(VariableId)
    }

    fn name(&self, v: VariableId) -> &str {
        match self.names.variables.get(v.0) {
            Some(name) => name,
            None => &self.defined[v.0 - self.names.count()].name,
        }
    }

    /// Resolves the split variable, and defines the two variables that replace it.
    fn split(
        &mut self,
        whole: &Name,
        parts: &'m [Name; 2],
    ) -> Option<(VariableId, [VariableId; 2])> {
        let (v, parts) = (self.variable(whole), self.define_pair(parts));
        let (v, parts) = (v?, parts?);
        Some((v, parts))
    }

    fn define_pair(&mut self, [outer, inner]: &'m [Name; 2]) -> Option<[VariableId; 2]> {
        let (outer, inner) = (self.define(outer), self.define(inner));
        Some([outer?, inner?])
    }

    /// Defines a new variable.
    fn define(&mut self, name: &'m Name) -> Option<VariableId> {
        self.is_free(name)?;
        self.defined.push(Defined { name: name.text.clone(), is_stored: false });
        Some(VariableId(self.names.count() + self.defined.len() - 1))
    }

    /// Checks that a name is unused.
    fn is_free(&mut self, name: &Name) -> Option<()> {
        let text = name.text.as_str();
        let kind = if self.names.variables.contains(&text) {
            "a variable of the statement"
        } else if self.defined.iter().any(|known| known.name == text) {
            "defined by an earlier command"
        } else if self.names.tensors.iter().any(|tensor| tensor.first.name.text == text) {
            "a tensor of the statement"
        } else if is_parameter(self.context, name) {
            "a parameter"
        } else {
            return Some(());
        };
        self.diagnostics.push(
            Diagnostic::new(Code::DuplicateName, name.span, format!("`{text}` is {kind}"))
                .label("expected a new name")
                .help("choose another name"),
        );
        None
    }

    /// Resolves a tensor of the right-hand side.
    fn operand(&mut self, name: &Name) -> Option<TensorId> {
        let tensors = self.names.tensors.iter().map(|tensor| tensor.first.name.text.as_str());
        let diagnostic = match tensors.clone().position(|known| known == name.text) {
            Some(0) => Diagnostic::new(
                Code::NotAnOperand,
                name.span,
                format!("`{}` is the result", name.text),
            )
            .help("name an operand"),
            Some(found) => return Some(TensorId(found)),
            None => Diagnostic::new(
                Code::NotAnOperand,
                name.span,
                format!("there is no tensor `{}`", name.text),
            )
            .suggest(&name.text, tensors.skip(1), "the operands"),
        };
        self.diagnostics.push(diagnostic);
        None
    }

    /// Checks that some access of a tensor uses this variable of the statement as an index;
    /// variables that commands define are checked later.
    fn is_indexed(&mut self, tensor: &Name, variable: &Name, v: VariableId) -> Option<()> {
        if v.0 >= self.names.variables.len() {
            return Some(());
        }
        let mut accesses: Vec<&Access> = Vec::new();
        self.context.statement.right.for_each_access(&mut |access| {
            if access.name.text == tensor.text {
                accesses.push(access);
            }
        });
        let mut found = false;
        for access in &accesses {
            let mut see = |name: &Name| found |= name.text == variable.text;
            variables_of(self.context, access, &mut see);
        }
        if found {
            return Some(());
        }
        let message = format!("`{}` does not index `{}`", variable.text, tensor.text);
        let shown = accesses.first().map_or("", |access| self.context.text.at(access.span));
        self.diagnostics.push(
            Diagnostic::new(Code::NotAnOperand, variable.span, message)
                .note(format!("it is accessed as `{shown}` in the statement"))
                .help("use a variable that indexes it"),
        );
        None
    }
}
