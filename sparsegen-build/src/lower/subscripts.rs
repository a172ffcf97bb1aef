//! Computed subscripts: coordinates that follow from several variables, or from elements of a
//! tensor.
//!
//! An affine subscript may lie outside of the mode.

use crate::ir::{Expr, Stmt};
use crate::notation::{Access, Domain, List, Subscript, Symbol, VariableId};
use crate::types::Dtype;

use super::Lowering;
use super::affine::Difference;
use super::scope::Scope;

impl Lowering<'_> {
    /// Returns the coordinate of a mode at a coordinate of its loop, as a difference of two sums.
    pub(super) fn mode_at(&self, mode: VariableId, counted: &Expr, scope: &Scope) -> Difference {
        let slice = self.slice(mode);
        match &slice.at {
            Subscript::Affine(sum) => {
                let value = |symbol: &Symbol| match *symbol {
                    Symbol::Variable(v) if v == slice.of => counted.clone(),
                    Symbol::Variable(v) => scope.coordinate(v),
                    Symbol::Parameter(id) => Expr::var(self.names.argument(id)),
                };
                // Others are checked to be within the mode.
                let may_overflow =
                    |symbol: &Symbol| symbol.as_variable().is_none() && slice.domain == Domain::Any;
                let sum = Difference::with_parameters(sum, may_overflow, |s| Some(value(s)));
                sum.expect("every symbol has a value")
            }
            Subscript::Element(access) => Difference::from(self.element(access, scope)),
            Subscript::Listed(list, v) => Difference::from(self.listed(mode, list, *v, scope)),
        }
    }

    /// Returns the predicate that the coordinate of a mode, if it is computed, lies within the mode.
    pub(super) fn is_in_mode(&self, mode: VariableId, scope: &Scope) -> Expr {
        let slice = self.slice(mode);
        if !slice.is_computed() || !self.program.kernel.may_leave(slice) {
            return Expr::Bool(true);
        }
        let counted = if slice.varies() { scope.coordinate(slice.of) } else { Expr::Index(0) };
        self.mode_at(mode, &counted, scope).is_within(self.extent(mode))
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
        let Some(slice) = self.program.space.slice(v) else {
            return (scope.coordinate(v), Expr::Bool(true));
        };
        if let Some(followed) = slice.follows() {
            return self.coordinate_without_loop(followed, scope);
        }
        if slice.varies() {
            let counted = scope.coordinate(slice.of);
            return (self.in_mode(v, counted, scope), self.is_moved_to(v, scope));
        }
        (self.bounds(v, scope).start, self.is_reached(v, scope))
    }

    /// Returns `rows[i]`.
    fn listed(&self, mode: VariableId, list: &List, v: VariableId, scope: &Scope) -> Expr {
        let array = match list {
            List::Parameter(id) => self.names.argument(*id),
            List::Numbers(_) | List::LastOfParameter(_) => self.names.list(mode),
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
