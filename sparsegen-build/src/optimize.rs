//! Passes over the imperative representation.
//!
//! A pass exists only if it makes the output more readable or does what rustc cannot do; its file
//! gives the reason. The folding constructors keep expressions simple, so that no pass needs to
//! clean up after another.

mod array_contraction;
mod bulk_copies;
mod choices;
mod common_subexpressions;
mod copy_propagation;
mod dead_assignments;
mod dead_code;
mod early_exit;
mod fresh;
mod guarded_workspaces;
mod infinities;
mod joined_segments;
mod kept_values;
mod known_order;
mod known_ranges;
mod loop_invariants;
mod loop_versioning;
mod ones;
mod scalar_replacement;
mod strength_reduction;
mod strips;
mod sums;
mod tail_merging;
mod tiles;
mod unroll;
mod vector_loops;

use std::fmt;

use crate::ir::Function;

/// A pass over a function.
pub struct Pass {
    /// The name in `explain`.
    pub name: &'static str,
    /// The reason for the pass, and for its place in the order.
    pub reason: &'static str,
    run: fn(Function) -> Function,
}

/// The passes, in the order in which they run.
pub const PASSES: [Pass; 22] = [
    Pass {
        name: "common-subexpression elimination",
        reason: "Positions in several tensors are often equal. Before copy propagation, because it \
                 leaves copies.",
        run: common_subexpressions::run,
    },
    Pass {
        name: "copy propagation",
        reason: "A name for another name, or for a coordinate that is only copied, is redundant. \
                 Before tail merging, because branches are more similar without such names.",
        run: copy_propagation::run,
    },
    Pass {
        name: "tail merging",
        reason: "Statements common to all branches need not be compared by the reader.",
        run: tail_merging::run,
    },
    Pass {
        name: "known ranges",
        reason: "Whether a loop has any iteration follows from its range. Before bodies are \
                 duplicated, and before early exits.",
        run: known_ranges::run,
    },
    Pass {
        name: "loop-invariant code motion",
        reason: "Functions that take long are called once for the same arguments. After known ranges, \
                 which simplify the conditions for the calls.",
        run: loop_invariants::run,
    },
    Pass {
        name: "kept values",
        reason: "The values of functions that take long are computed once for each entry. After tail \
                 merging and known ranges, which simplify the conditions for them, and before the \
                 passes that change loops.",
        run: kept_values::run,
    },
    Pass {
        name: "joined segments",
        reason: "Entries of all parents can be visited in one loop if the parents do not matter. After \
                 known ranges, which counts the entries of a parent without a loop.",
        run: joined_segments::run,
    },
    Pass {
        name: "known order",
        reason: "Entries need no order of their own where a result has one. After copy propagation, \
                 which leaves the values of entries where they are stored.",
        run: known_order::run,
    },
    Pass {
        name: "bulk copies",
        reason: "Entries that are only copied need no check each. After copy propagation, which \
                 recognizes copies, and before unrolling.",
        run: bulk_copies::run,
    },
    Pass {
        name: "guarded workspaces",
        reason: "Rows without entries need no workspace. After known ranges, which tells these rows, and                  before the passes that change loops.",
        run: guarded_workspaces::run,
    },
    Pass {
        name: "register tiles",
        reason: "Elements of a result that a loop accumulates stay in registers. Before loop \
                 versioning and unrolling, because it exchanges loops, whose lengths it makes \
                 constant.",
        run: tiles::run,
    },
    Pass {
        name: "sums",
        reason: "Sums over dense loops need no additions that wait for each other. After register \
                 tiles, whose sums are already independent.",
        run: sums::run,
    },
    Pass {
        name: "loop versioning",
        reason: "Loops with a constant trip count are unrolled. After the passes that shorten \
                 bodies, because it duplicates them.",
        run: loop_versioning::run,
    },
    Pass {
        name: "unrolling",
        reason: "The schedule demands it. After the passes that shorten bodies, because it \
                 duplicates them.",
        run: unroll::run,
    },
    Pass {
        name: "early exit",
        reason: "A decided search need not continue. After the passes that duplicate bodies, which \
                 do not recognize such loops.",
        run: early_exit::run,
    },
    Pass {
        name: "set bits",
        reason: "Most bits need not be visited. Before dead-code elimination, which removes the \
                 coordinates that are not read; other passes need not know such loops.",
        run: ones::run,
    },
    Pass {
        name: "array contraction",
        reason: "A counter for each row need not be kept for later loops. After the passes that look \
                 for counters in arrays, and before scalar replacement, which stores them.",
        run: array_contraction::run,
    },
    Pass {
        name: "scalar replacement",
        reason: "A counter need not be stored and loaded in each iteration. After the passes that \
                 look for counters in arrays.",
        run: scalar_replacement::run,
    },
    Pass {
        name: "strength reduction",
        reason: "A position that many entries look up need not be multiplied for each of them. After \
                 loop versioning, which makes factors constant.",
        run: strength_reduction::run,
    },
    Pass {
        name: "choices",
        reason: "A better value is seldom found. After the passes that shorten bodies, because it \
                 duplicates them, and after early exit, which does not recognize such loops.",
        run: choices::run,
    },
    Pass {
        name: "vector loops",
        reason: "Processors with wider vectors than those of the target should use them. After the passes \
                 that change loops.",
        run: vector_loops::run,
    },
    Pass {
        name: "dead-code elimination",
        reason: "Unused code is noise, and a warning in the user's build. Last, because other passes \
                 remove uses.",
        run: dead_code::run,
    },
];

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.reason)
    }
}

/// Runs every pass, or only the first ones, and calls an observer with the function after each.
pub fn optimize_observed(
    function: Function,
    count: Option<usize>,
    observe: &mut impl FnMut(&Pass, &Function),
) -> Function {
    PASSES.iter().take(count.unwrap_or(PASSES.len())).fold(function, |mut function, pass| {
        let (compute, phases) = (function.compute.take(), std::mem::take(&mut function.phases));
        let mut function = (pass.run)(function);
        function.compute = compute.map(|compute| Box::new((pass.run)(*compute)));
        function.phases = phases.into_iter().map(pass.run).collect();
        observe(pass, &function);
        function
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::samples;

    #[test]
    fn every_pass_is_observed_in_order() {
        let mut seen = Vec::new();
        optimize_observed(samples::spmv(), None, &mut |pass, _| seen.push(pass.to_string()));
        assert_eq!(seen, PASSES.map(|pass| pass.to_string()));
    }

    #[test]
    fn what_is_already_good_stays() {
        let in_order = Function { reassociates: false, ..samples::scaled_sum() };
        for function in [samples::spmv(), samples::add(), in_order] {
            assert_eq!(optimize_observed(function.clone(), None, &mut |_, _| {}), function);
        }
    }
}
