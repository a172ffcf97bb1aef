//! Computed subscripts: coordinates that follow from several variables, or from elements of a
//! tensor.
//!
//! An affine subscript may lie outside of the mode.

use crate::ir::{Expr, Stmt};
use crate::level::Segment;
use crate::notation::{
    Access, List, Reads, Slice, Subscript, SubscriptId, Symbol, VariableId, VariableRole, Window,
};
use crate::types::Dtype;

use super::Lowering;
use super::affine::Difference;
use super::scope::Scope;

impl Lowering<'_> {
    /// Returns a computed subscript as a difference of two sums; `instead` replaces the coordinate
    /// of one variable.
    fn difference(
        &self,
        place: SubscriptId,
        instead: Option<(VariableId, Expr)>,
        scope: &Scope,
    ) -> Difference {
        match self.program.kernel.subscript(place) {
            Subscript::Affine(sum) => {
                let value = |symbol: &Symbol| match (*symbol, &instead) {
                    (Symbol::Variable(v), Some((of, value))) if v == *of => value.clone(),
                    (Symbol::Variable(v), _) => scope.coordinate(v),
                    (Symbol::Parameter(id), _) => Expr::var(self.names.argument(id)),
                };
                let is_parameter = |symbol: &Symbol| symbol.as_variable().is_none();
                let sum = Difference::with_parameters(sum, is_parameter, |s| Some(value(s)));
                sum.expect("every symbol has a value")
            }
            Subscript::Element(access) => Difference::from(self.element(access, scope)),
            Subscript::Listed(list, v) => Difference::from(self.listed(place, list, *v, scope)),
        }
    }

    /// Returns the coordinate of a window at a coordinate of its variable.
    pub(super) fn in_window(
        &self,
        slice: &Slice,
        window: &Window,
        counted: Expr,
        scope: &Scope,
    ) -> Difference {
        self.difference(window.at, Some((slice.of, counted)), scope)
    }

    /// Returns the bounds of a window in coordinates of the mode.
    pub(super) fn window_bounds(&self, slice: &Slice, window: &Window, scope: &Scope) -> Segment {
        let start = self.in_window(slice, window, Expr::Index(0), scope).coordinate();
        let end = self.in_window(slice, window, self.extent(slice.of), scope).coordinate();
        Segment { start, end }
    }

    /// Returns the coordinate of a computed subscript.
    pub(super) fn subscript_at(&self, place: SubscriptId, scope: &Scope) -> Expr {
        self.difference(place, None, scope).coordinate()
    }

    /// Returns the predicate that a computed subscript lies within the mode.
    pub(super) fn is_in_mode(&self, slice: &Slice, scope: &Scope) -> Expr {
        match slice.subscript().filter(|_| self.program.kernel.may_leave(slice)) {
            Some(place) => {
                let size = self.extent(self.program.space.mode_of(*slice));
                self.difference(place, None, scope).is_within(size)
            }
            None => Expr::Bool(true),
        }
    }

    /// Returns `word_vals[i] as usize`, or 0, the fill value, outside of the tensor.
    fn element(&self, access: &Access, scope: &Scope) -> Expr {
        let tensor = self.program.tensor(access.tensor);
        let mut inside = Expr::Bool(true);
        let mut position = Expr::Index(0);
        for (level, spec) in tensor.format.levels.iter().enumerate() {
            let v = self.program.level_variable(access, level).expect("a level of the access");
            let (coordinate, is_inside) = self.coordinate_without_loop(v, scope);
            inside = Expr::and(inside, is_inside);
            let locate = spec.level.locate().expect("gathers look into what can be located");
            let storage = &self.storages[access.tensor.0][level];
            position = locate.locate(storage, position, coordinate, "").value;
        }
        let value = self.value_at(access.tensor, position);
        let element = Expr::cast(value, Some(tensor.dtype), Dtype::Usize);
        Expr::choose(inside, element, Expr::Index(0))
    }

    /// Returns the coordinate of a mode of a gather, and the predicate that it exists.
    fn coordinate_without_loop(&self, v: VariableId, scope: &Scope) -> (Expr, Expr) {
        let VariableRole::Mode(slice) = self.program.kernel.variable(v).role else {
            return (scope.coordinate(v), Expr::Bool(true));
        };
        match slice.reads {
            Reads::Range(_) | Reads::Window(_) => {
                let counted = scope.coordinate(slice.of);
                (self.in_mode(&slice, counted, scope), self.is_moved_to(&slice, scope))
            }
            Reads::Variable(v) => self.coordinate_without_loop(v, scope),
            Reads::Fixed(_) | Reads::Subscript(_) => {
                (self.bounds(&slice, scope).start, self.is_reached(&slice, scope))
            }
        }
    }

    /// Returns `rows[i]`.
    fn listed(&self, place: SubscriptId, list: &List, v: VariableId, scope: &Scope) -> Expr {
        let array = match list {
            List::Parameter(id) => self.names.argument(*id),
            List::Numbers(_) | List::LastOfParameter(_) => self.names.list(place),
        };
        Expr::load(array, scope.coordinate(v))
    }
}

/// Runs statements only if a condition holds, and returns names for their results that are valid
/// afterwards: whether the entry is present, and its position.
pub(super) fn locate_where(
    inside: Expr,
    name: &str,
    mut prelude: Vec<Stmt>,
    found: Option<Expr>,
    position: Expr,
) -> (Vec<Stmt>, Expr, Expr) {
    let is_there = format!("{name}_is_there");
    prelude.push(Stmt::assign(&is_there, found.unwrap_or(Expr::Bool(true))));
    prelude.push(Stmt::assign(name, position));
    let mut stmts =
        vec![Stmt::bind_mut(&is_there, Expr::Bool(false)), Stmt::bind_mut(name, Expr::Index(0))];
    stmts.extend(Stmt::when(inside, prelude));
    (stmts, Expr::var(&is_there), Expr::var(name))
}

#[cfg(test)]
mod tests {
    #[test]
    fn sums_with_parameters_saturate() {
        let manifest = |tensors: &str| {
            format!(
                "[kernels.k]\nexpr = \"y[i] = x[i + n] + z[i]\"\nparams = {{ n = \"index\" }}\n\
                 tensors = {{ y = 'dense', z = 'dense', {tensors} }}"
            )
        };
        for tensors in ["x = 'dense'", "x = 'sparse_vector'"] {
            let source = crate::compile_str("kernels.toml", &manifest(tensors)).source;
            assert!(source.contains(".saturating_add(n)"), "{tensors}:\n{source}");
            let mut code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
            assert!(code.all(|line| !line.contains("+ n")), "{tensors}:\n{source}");
        }
    }
}
