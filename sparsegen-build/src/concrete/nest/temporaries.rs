//! Temporaries: the scalar of a reduction, the workspace of what does not come in order.

use super::Nest;
use crate::format::{Format, LevelExpr, LevelSpec};
use crate::level::workspace;
use crate::notation::{Expr, Reduce, ReduceOp, Tensor, TensorId};
use crate::types::Width;

impl Nest<'_> {
    pub(super) fn add_temporary(&mut self, reduce: &Reduce) -> TensorId {
        let kernel = &self.program.kernel;
        let sums = (0..kernel.tensors.len()).map(TensorId).filter(|id| {
            self.program.is_temporary(*id) && kernel.tensor(*id).format.levels.is_empty()
        });
        let count = sums.count();
        let own = match reduce.op {
            ReduceOp::Sum => kernel.semiring.add.name_of_sum(),
            op => op.name(),
        };
        let name = if count == 0 {
            own.to_owned()
        } else {
            let variables = reduce.variables.iter().map(|v| kernel.variable(*v).name.as_str());
            format!("{own}_{}", variables.collect::<Vec<_>>().join("_"))
        };
        self.add(name, &reduce.body, None)
    }

    pub(super) fn add_workspace(&mut self, value: &Expr) -> TensorId {
        let level = workspace();
        let properties = level.properties();
        self.add(
            "w".to_owned(),
            value,
            Some(LevelSpec { expr: LevelExpr::Dimension(0), level, properties }),
        )
    }

    /// A temporary for a value, over one level or none.
    fn add(&mut self, name: String, value: &Expr, level: Option<LevelSpec>) -> TensorId {
        let dtype = self.program.kernel.dtype_of(value);
        let kernel = &mut self.program.kernel;
        let result = kernel.tensor(kernel.result());
        let by_value = level.is_none();
        let temporary = Tensor {
            argument: name.clone(),
            name,
            format: Format {
                name: None,
                dimensions: level.iter().map(|_| "i".to_owned()).collect(),
                pos: Width::default(),
                crd: result.format.crd,
                levels: level.into_iter().collect(),
                builtin: None,
            },
            dtype: dtype.unwrap_or(result.dtype),
            by_value,
            pattern: false,
            parameter: false,
            span: kernel.span,
        };
        kernel.tensors.push(temporary);
        TensorId(kernel.tensors.len() - 1)
    }
}
