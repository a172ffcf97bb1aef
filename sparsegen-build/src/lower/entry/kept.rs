//! Working memory that callers keep from one call to the next: workspaces, places and local vectors
//! that loops declare at their start.

use super::{Builder, Way};
use crate::ir::{Argument, Expr, Function, Group, Instruction, Kept, Parameter, Stmt, Type, Value};
use crate::names::{beside, free};

/// The suffix of functions with working memory as an argument.
const WITH: &str = "with";

impl Builder<'_> {
    /// Returns the name of the argument that keeps working memory.
    pub(super) fn keeper(&self) -> String {
        let functions = self.groups.iter().flat_map(|group| {
            std::iter::once(group.function).chain(group.function.compute.as_deref())
        });
        let determined = || {
            let mut names: Vec<_> = functions.map(Function::names).collect();
            names.push(self.kernel.results().map(|step| step.result.clone()).collect());
            free("workspaces", |name| names.iter().any(|names| names.contains(name)))
        };
        self.keeper.get_or_init(determined).clone()
    }

    /// Returns whether the loops of an entry point have working memory.
    pub(super) fn keeps(&self, way: Way) -> bool {
        self.groups.iter().any(|group| !names(loops_of(group, way)).is_empty())
    }

    /// Returns the working memory of loops.
    pub(super) fn kept(&self, function: &Function) -> Option<Kept> {
        let names = names(function);
        (!names.is_empty()).then(|| Kept { by: self.keeper(), names })
    }

    /// Returns the name of the variant of a function that has working memory as an argument:
    /// `NAME_with` of `NAME_into`, `NAME_compute_with` of `NAME_compute`.
    pub(super) fn name_with(&self, way: Way) -> String {
        match way {
            Way::New | Way::Into => beside(&self.kernel.name, WITH),
            Way::Compute => beside(&beside(&self.kernel.name, "compute"), WITH),
        }
    }

    /// Returns the parameter that keeps working memory.
    pub(super) fn keeper_parameter(&self) -> Parameter {
        Parameter { name: self.keeper(), ty: Type::WorkspacesMut }
    }

    /// Returns the body of a function that runs its variant with new working memory, given the
    /// arguments of both.
    pub(super) fn with_new_memory(
        &self,
        way: Way,
        arguments: impl Iterator<Item = Argument>,
    ) -> Vec<Instruction> {
        let name = self.keeper();
        let own = Argument::Mut(name.clone());
        let call = self.call(self.name_with(way), std::iter::once(own).chain(arguments));
        vec![
            Instruction::Workspaces { name, is_mutable: true },
            Instruction::Return(vec![Value::Call(call)]),
        ]
    }
}

/// Returns the loops that an entry point runs.
pub(super) fn loops_of<'k>(group: &Group<'k>, way: Way) -> &'k Function {
    let compute = group.function.compute.as_deref();
    let compute = compute.filter(|_| way == Way::Compute && group.function.has_structure());
    compute.unwrap_or(group.function)
}

/// Returns the working memory that a function declares before its loops and does not read for the
/// values that it returns.
fn names(function: &Function) -> Vec<String> {
    let mut returned: Vec<&Expr> = function.scalars().map(|(_, value)| value).collect();
    if let Some(Stmt::Refuse { condition, error: None }) = function.body.last() {
        returned.push(condition);
    }
    let declared = function.body.iter().filter_map(|stmt| stmt.working_memory());
    let is_free = |name: &&str| !returned.iter().any(|value| value.mentions(name));
    declared.filter(is_free).map(str::to_owned).collect()
}
