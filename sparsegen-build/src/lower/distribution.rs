//! The distribution of a kernel among ranks, in the intermediate representation.

use crate::ir::{self, Expr};
use crate::notation::{Distribution, Kernel};

use super::combine::Combine;
use super::initial;
use super::value::zero;

/// Returns how the results of ranks are combined, in addition to what they need, if the kernel of
/// these statements is distributed.
pub fn distribution(statements: &[Kernel]) -> Option<ir::Distribution> {
    // A kernel that cannot be distributed has been refused.
    let Distribution { variables, by, operands, results, needed } =
        Distribution::of(statements).ok().flatten()?;
    let results = results.into_iter().map(|result| {
        let kernel = &statements[result.statement];
        let dtype = kernel.tensor(kernel.result()).dtype;
        let [earlier, later] = ["earlier", "later"].map(Expr::var);
        let (initial, combined) = match result.reduced {
            Some(op) => {
                let combine = Combine::reducing(kernel, op, dtype);
                (initial(kernel, op, dtype), combine.of(earlier, later))
            }
            None => (zero(kernel, dtype), later),
        };
        ir::DistributedResult { indexed: result.indexed, initial, combined }
    });
    Some(ir::Distribution { variables, by, operands, results: results.collect(), needed })
}
