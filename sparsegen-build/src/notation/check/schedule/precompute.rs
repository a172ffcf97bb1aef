//! Checks of `precompute`.

use super::Resolver;
use crate::error::{Code, Diagnostic, Name, quoted};
use crate::notation::check::bindings::free_variables;
use crate::notation::check::build;
use crate::notation::syntax::Expr;
use crate::notation::{self, VariableId};

impl<'m> Resolver<'m, '_, '_> {
    /// Returns the part and the variables of its workspace.
    pub(super) fn precompute(
        &mut self,
        value: &'m Expr,
        over: &[Name],
        workspace: &Name,
    ) -> Option<(notation::Expr, Vec<VariableId>)> {
        let mut sound = true;
        let mut operands: Vec<&Name> = Vec::new();
        value.for_each_access(&mut |access| {
            if !self.names.is_place(self.context, access) {
                operands.push(&access.name);
            }
        });
        for name in operands {
            sound &= self.operand(name).is_some();
        }
        for name in free_variables(self.context, value) {
            sound &= self.known(&Name { text: name.to_owned(), span: value.span }).is_some();
        }
        let variables: Vec<_> = over.iter().map(|name| self.known(name)).collect();
        sound &= self.is_free(workspace).is_some();
        let variables = variables.into_iter().collect::<Option<Vec<VariableId>>>()?;
        for (k, (name, variable)) in over.iter().zip(&variables).enumerate() {
            let mistake = sound.then(|| self.mode(value, name, *variable, &over[..k])).flatten();
            if let Some(mistake) = mistake {
                sound = false;
                self.diagnostics.push(mistake);
            }
        }
        let part = sound.then(|| build::part(self.context, self.names, value))?;
        if part.is_none() {
            self.diagnostics.push(
                Diagnostic::new(
                    Code::CannotPrecompute,
                    value.span,
                    "this is not a part of the statement",
                )
                .help("precompute factors of a product, or terms of a sum"),
            );
        }
        Some((part?, variables))
    }

    /// Returns the diagnostic for a variable that cannot index the workspace of a value after other
    /// variables.
    fn mode(
        &self,
        value: &Expr,
        name: &Name,
        variable: VariableId,
        before: &[Name],
    ) -> Option<Diagnostic> {
        let free = free_variables(self.context, value);
        if before.iter().any(|other| other.text == name.text) {
            let message = format!("`{}` indexes the workspace twice", name.text);
            return Some(
                Diagnostic::new(Code::CannotPrecompute, name.span, message)
                    .help("name each variable once"),
            );
        }
        if !free.contains(&name.text.as_str()) {
            let message = format!("`{}` does not index the precomputed expression", name.text);
            let note = "a workspace has an entry for each coordinate of its variables";
            let help = format!("use a variable that does: {}", quoted(&free));
            return Some(
                Diagnostic::new(Code::CannotPrecompute, name.span, message).note(note).help(help),
            );
        }
        (variable.0 >= self.names.variables.len()).then(|| {
            let message = format!("`{}` is not a variable of the statement", name.text);
            Diagnostic::new(Code::CannotPrecompute, name.span, message)
                .help("index the workspace by the variable that was split")
        })
    }
}
