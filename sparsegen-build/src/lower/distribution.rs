//! The distribution of a kernel among ranks, in the intermediate representation.

use crate::ir::{self, Expr};
use crate::notation::{Distribution, Kernel, ReduceOp};

use super::combine::Combine;
use super::initial;
use super::value::semiring_constant;

/// Returns the distribution of a kernel of these statements, if it is distributed.
pub fn distribution(statements: &[Kernel]) -> Option<ir::Distribution> {
    // A kernel that cannot be distributed has been refused.
    let Distribution { scheme, reduced } = Distribution::of(statements).ok().flatten()?;
    let contribution = |(kernel, reduced): (&Kernel, Option<ReduceOp>)| {
        let dtype = kernel.tensor(kernel.result()).dtype;
        let [earlier, later] = ["earlier", "later"].map(Expr::var);
        let is_pattern = kernel.tensor(kernel.result()).pattern;
        let (initial, combined) = match reduced {
            Some(op) if !is_pattern => {
                let combine = Combine::reducing(kernel, op, dtype);
                (initial(kernel, op, dtype), combine.of(earlier, later))
            }
            _ => {
                let fill = kernel.fill_value(kernel.result());
                (semiring_constant(kernel, fill, dtype), later)
            }
        };
        ir::Contribution { initial, combined }
    };
    let contributions = statements.iter().zip(reduced).map(contribution).collect();
    Some(ir::Distribution { scheme, contributions })
}
