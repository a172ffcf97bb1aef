//! The identifiers of arguments: the names of tensors in snake case, with numbers if they would be
//! equal.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Code, Diagnostic, Name};
use crate::names::{identifier, snake_case};

use super::Context;
use super::names::tensor_names;

/// The identifier of each tensor's argument, by the name of the tensor.
#[derive(Debug, Default)]
pub(super) struct Arguments(BTreeMap<String, String>);

impl Arguments {
    /// Assigns identifiers to the arguments of a kernel with these statements.
    ///
    /// A parameter keeps its name, and so does a tensor whose name is in snake case. Each of the
    /// other tensors, in the order of their first use, gets its name in snake case if that is
    /// unused, and otherwise the first unused name of `NAME_2`, `NAME_3` and so on.
    pub(super) fn of(statements: &[Context<'_>]) -> Arguments {
        let parameters = statements.iter().flat_map(|context| &context.entry.params);
        let mut taken: BTreeSet<String> = parameters.map(|(name, _)| name.text.clone()).collect();
        let mut names: Vec<&str> = Vec::new();
        for name in statements.iter().flat_map(|context| tensor_names(*context)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut arguments = BTreeMap::new();
        let (snake, other): (Vec<&str>, Vec<&str>) =
            names.into_iter().partition(|name| snake_case(name) == **name);
        for name in snake.into_iter().chain(other) {
            let snake = snake_case(name);
            let numbered = (2..).map(|number| format!("{snake}_{number}"));
            let mut candidates = std::iter::once(snake.clone()).chain(numbered);
            let argument = candidates.find(|argument| !taken.contains(argument));
            let argument = argument.unwrap_or(snake);
            taken.insert(argument.clone());
            arguments.insert(name.to_owned(), argument);
        }
        Arguments(arguments)
    }

    /// Returns the identifier of a tensor's argument, and reports a name that cannot be one.
    pub(super) fn find(&self, name: &Name, diagnostics: &mut Vec<Diagnostic>) -> String {
        let plain = self.0.get(&name.text).cloned().unwrap_or_else(|| snake_case(&name.text));
        identifier(&plain).unwrap_or_else(|| {
            diagnostics.push(
                Diagnostic::new(
                    Code::InvalidName,
                    name.span,
                    format!("`{}` cannot be the name of a tensor", name.text),
                )
                .note(format!("its argument would be named `{plain}`, which is reserved in Rust"))
                .help("choose another name"),
            );
            plain
        })
    }
}
