//! Temporaries: scalars of reductions, and workspaces for entries that are not computed in order.

use std::sync::Arc;

use super::super::precompute::is_uniform;
use super::Nest;
use crate::concrete::Program;
use crate::format::{Format, LevelExpr, LevelSpec};
use crate::level::{full_workspace, lookup_workspace, workspace};
use crate::notation::schedule::Accumulator;
use crate::notation::{Choice, Expr, Reduce, ReduceOp, Tensor, TensorId, TensorRole, VariableId};
use crate::types::{Dtype, Literal};

impl Nest<'_> {
    /// Adds a scalar for a reduction within a value.
    pub(super) fn add_temporary(&mut self, reduce: &Reduce, within: &Expr) -> TensorId {
        let kernel = &self.program.kernel;
        let is_scalar = |id: &TensorId| {
            kernel.is_temporary(*id) && !matches!(kernel.tensor(*id).role, TensorRole::Workspace(_))
        };
        let count = kernel.tensor_ids().filter(is_scalar).count();
        let own = match reduce.op {
            ReduceOp::SUM => kernel.semiring.add.name_of_sum(),
            op => op.name(),
        };
        let name = if count == 0 {
            own.to_owned()
        } else {
            let variables = reduce.variables.iter().map(|v| kernel.variable(*v).name.as_str());
            format!("{own}_{}", variables.collect::<Vec<_>>().join("_"))
        };
        let best = match reduce.op {
            ReduceOp::ARG_MIN => Some(name.replacen("argmin", "least", 1)),
            ReduceOp::ARG_MAX => Some(name.replacen("argmax", "greatest", 1)),
            _ => None,
        };
        let dtype = self.dtype_of_reduction(reduce, within);
        let temporary = self.add(&name, dtype, None);
        self.program.kernel.note_infinities(temporary, &Expr::Reduce(reduce.clone()));
        // The variable may be followed by variables of fixed coordinates, which have a single
        // value.
        if let (Some(best), [variable, ..]) = (best, &reduce.variables[..]) {
            // Literals are compared with the highest precision.
            let dtype = self.program.kernel.dtype_of(&reduce.body).unwrap_or(Dtype::F64);
            let choice = Choice { key: self.add(&best, dtype, None), variable: *variable };
            self.program.kernel.tensors[temporary.0].role = TensorRole::Choice(choice);
        }
        temporary
    }

    /// Adds a workspace over one variable for a value that is combined by `op`. Its fill value is
    /// that of a reduction of nothing. A sum that has all coordinates or none needs no record of
    /// them.
    pub(super) fn add_workspace(
        &mut self,
        value: &Expr,
        over: VariableId,
        op: ReduceOp,
    ) -> TensorId {
        let program = &self.program;
        let is_whole = program.space.definition(over).is_none();
        let needs_no_record = op == ReduceOp::SUM
            && is_whole
            && is_uniform(&program.kernel, value, &[over], Literal::Int(0));
        let level = if needs_no_record { full_workspace() } else { workspace() };
        let level = LevelSpec::new(LevelExpr::Dimension(0), level);
        let workspace = self.add("w", self.dtype(value, value), Some(level));
        self.program.kernel.note_infinities(workspace, value);
        if op != ReduceOp::SUM {
            let tensor = &mut self.program.kernel.tensors[workspace.0];
            Arc::make_mut(&mut tensor.format).fill = op.of_nothing();
        }
        workspace
    }

    /// Stores a workspace so that it is looked up, unless it has a value for every coordinate.
    pub(super) fn look_up(&mut self, workspace: TensorId) {
        let format = Arc::make_mut(&mut self.program.kernel.tensors[workspace.0].format);
        let spec = &mut format.levels[0];
        if spec.level.locate().is_none() {
            spec.level = lookup_workspace();
            spec.properties = spec.level.properties();
        }
    }

    /// Returns the type of a value. If it depends on the context, that is the type of the value within
    /// which it is, or of the result.
    fn dtype(&self, value: &Expr, within: &Expr) -> Dtype {
        let kernel = &self.program.kernel;
        let of_context = || kernel.dtype_of(within).filter(|dtype| *dtype != Dtype::Bool);
        let known = kernel.dtype_of(value).or_else(of_context);
        known.unwrap_or(kernel.tensor(kernel.result()).dtype)
    }

    /// Returns the element type of a reduction. Conditions are converted to the zero or one of a
    /// semiring, in the type of the result.
    fn dtype_of_reduction(&self, reduce: &Reduce, within: &Expr) -> Dtype {
        let dtype = self.dtype(&Expr::Reduce(reduce.clone()), within);
        let kernel = &self.program.kernel;
        let counts = dtype == Dtype::Bool && !kernel.semiring.is_usual();
        match reduce.op {
            ReduceOp::SUM | ReduceOp::PROD | ReduceOp::MIN | ReduceOp::MAX if counts => {
                kernel.tensor(kernel.result()).dtype
            }
            _ => dtype,
        }
    }

    fn add(&mut self, name: &str, dtype: Dtype, level: Option<LevelSpec>) -> TensorId {
        self.program.add_temporary(name, dtype, level)
    }
}

impl Program {
    /// Adds a temporary for values of a type, with at most one level.
    pub(in crate::schedule) fn add_temporary(
        &mut self,
        name: &str,
        dtype: Dtype,
        level: Option<LevelSpec>,
    ) -> TensorId {
        let kernel = &mut self.kernel;
        let name = kernel.unused_argument(name);
        let by_value = level.is_none();
        let role = if by_value {
            TensorRole::Temporary
        } else {
            TensorRole::Workspace(Accumulator::default())
        };
        let temporary = Tensor {
            argument: name.clone(),
            name,
            format: Arc::new(Format::of(
                level.iter().map(|_| "i".to_owned()).collect(),
                level.into_iter().collect(),
            )),
            dtype,
            by_value,
            pattern: false,
            may_be_infinite: false,
            role,
            span: kernel.span,
        };
        kernel.tensors.push(temporary);
        TensorId(kernel.tensors.len() - 1)
    }
}
