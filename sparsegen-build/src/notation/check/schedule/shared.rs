//! Schedules of kernels with several statements: a command applies to the statements that have the
//! names it uses.

use std::collections::BTreeSet;

use super::super::{Context, names};
use super::stored;
use crate::error::{Code, Diagnostic, Name, quoted};
use crate::notation::schedule::Action;
use crate::notation::syntax::{Access, Command, Expr, Statement};

/// Removes from each statement of a kernel the commands that do not apply to it. Initially every
/// statement has all commands. `contexts` has the context of each statement without errors.
pub(in super::super) fn distribute(
    statements: &mut [Option<Statement>],
    contexts: &[Option<Context<'_>>],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut commands = statements.iter().flatten().map(|statement| &statement.schedule);
    let all: Vec<Command> = commands.next().into_iter().flatten().flatten().cloned().collect();
    if all.is_empty() {
        return;
    }
    let mut wanted: BTreeSet<usize> = BTreeSet::new();
    let is_complete = statements.iter().all(Option::is_some);
    for (statement, context) in statements.iter_mut().zip(contexts) {
        let (Some(statement), Some(context)) = (statement, context) else { continue };
        let mut names = Names::of(*context);
        let mut place = 0;
        // Commands with errors are kept, as later commands may depend on them.
        statement.schedule.retain(|command| {
            let Some(command) = command else { return true };
            place += 1;
            let fits = names.have_all(&command.action);
            if fits {
                wanted.insert(place - 1);
                names.define(&command.action);
            }
            fits
        });
    }
    let is_understood =
        statements.iter().flatten().all(|one| one.schedule.iter().all(Option::is_some));
    if is_complete && is_understood {
        let stray = all.iter().enumerate().filter(|(k, _)| !wanted.contains(k));
        diagnostics.extend(stray.map(|(_, command)| fits_none(command)));
    }
}

/// Returns the diagnostic for a command that applies to no statement.
fn fits_none(command: &Command) -> Diagnostic {
    let (variables, tensors) = needs(&command.action);
    let names: Vec<&str> =
        variables.iter().chain(&tensors).map(|name| name.text.as_str()).collect();
    let what = match names.as_slice() {
        [_] => quoted(&names),
        _ => format!("all of {}", quoted(&names)),
    };
    Diagnostic::new(Code::UnknownLoop, command.span, format!("no statement has {what}"))
        .note("a command applies to every statement that has all names it uses")
        .help("name loops and operands of one statement")
}

/// The names of a statement that commands can use.
struct Names {
    variables: BTreeSet<String>,
    operands: BTreeSet<String>,
}

impl Names {
    fn of(context: Context<'_>) -> Names {
        let statement = context.statement;
        // Errors are reported when the statement is checked.
        let resolved = names::resolve(context, &mut Vec::new());
        let variables = stored(context, &resolved).into_iter().collect();
        let mut names = Names { variables, operands: BTreeSet::new() };
        let mut see = |access: &Access| {
            access.for_each_variable(&mut |name| {
                names.variables.insert(name.text.clone());
            });
        };
        see(&statement.left);
        statement.right.for_each_access(&mut see);
        statement.right.for_each_access(&mut |access| {
            names.operands.insert(access.name.text.clone());
        });
        names
    }

    fn have_all(&self, action: &Action<Name, Name, Expr>) -> bool {
        let (variables, tensors) = needs(action);
        variables.iter().all(|name| self.variables.contains(&name.text))
            && tensors.iter().all(|name| self.operands.contains(&name.text))
    }

    /// Adds the variables that a command defines for later commands.
    fn define(&mut self, action: &Action<Name, Name, Expr>) {
        self.variables.extend(action.defines().into_iter().map(|name| name.text.clone()));
    }
}

/// Returns the variables and the operands that a command uses.
fn needs(action: &Action<Name, Name, Expr>) -> (Vec<&Name>, Vec<&Name>) {
    match action {
        Action::Reorder(variables) => (variables.iter().collect(), Vec::new()),
        Action::Fuse { parts, .. } => (parts.iter().collect(), Vec::new()),
        Action::Split { whole: variable, .. }
        | Action::Divide { whole: variable, .. }
        | Action::Unroll { variable, .. }
        | Action::Parallelize(variable)
        | Action::Merge { variable, .. } => (vec![variable], Vec::new()),
        Action::Pos { whole: variable, tensor, .. } | Action::Locate { variable, tensor } => {
            (vec![variable], vec![tensor])
        }
        Action::Precompute { value, over, .. } => {
            let mut tensors = Vec::new();
            value.for_each_access(&mut |access| tensors.push(&access.name));
            (over.iter().collect(), tensors)
        }
    }
}
