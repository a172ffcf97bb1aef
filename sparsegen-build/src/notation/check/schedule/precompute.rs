//! Checks of `precompute`.

use super::Resolver;
use crate::error::{Diagnostic, Name, quoted};
use crate::notation::check::bindings::free_variables;
use crate::notation::check::build;
use crate::notation::schedule::Action;
use crate::notation::syntax::Expr;
use crate::notation::{self, TensorId, VariableId};

impl<'m> Resolver<'m, '_, '_> {
    pub(super) fn precompute(
        &mut self,
        value: &'m Expr,
        over: &Name,
        workspace: &Name,
    ) -> Option<Action<VariableId, TensorId, notation::Expr>> {
        let mut sound = true;
        let mut operands: Vec<&Name> = Vec::new();
        value.for_each_access(&mut |access| operands.push(&access.name));
        for name in operands {
            sound &= self.operand(name).is_some();
        }
        for name in free_variables(self.context, value) {
            sound &= self.known(&Name { text: name.to_owned(), span: value.span }).is_some();
        }
        let variable = self.known(over);
        sound &= self.is_free(workspace).is_some();
        let variable = variable?;
        if sound && !free_variables(self.context, value).contains(&over.text.as_str()) {
            sound = false;
            let message = format!("`{}` does not index the precomputed expression", over.text);
            self.diagnostics.push(
                Diagnostic::new(over.span, message)
                    .note("a workspace has an entry for each coordinate of its variable")
                    .help(format!(
                        "use a variable that does: {}",
                        quoted(&free_variables(self.context, value))
                    )),
            );
        }
        if sound && variable.0 >= self.names.variables.len() {
            sound = false;
            let message = format!("`{}` is not a variable of the statement", over.text);
            self.diagnostics.push(
                Diagnostic::new(over.span, message)
                    .help("index the workspace by the variable that was split"),
            );
        }
        let part = sound.then(|| build::part(self.context, self.names, value))?;
        if part.is_none() {
            self.diagnostics.push(
                Diagnostic::new(value.span, "this is not a part of the statement")
                    .help("precompute factors of a product, or terms of a sum"),
            );
        }
        Some(Action::Precompute { value: part?, over: variable, workspace: workspace.clone() })
    }
}
