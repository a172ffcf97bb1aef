//! Passes over the imperative representation.
//!
//! A pass stays only if the output reads better for it or rustc cannot do what it does; its file
//! says which. The folding constructors keep expressions simple, so no pass cleans up after
//! another.

mod factor;
pub(crate) mod fuse;
mod inline;
mod leave;
mod share;
mod tell;
mod unroll;
mod unused;
mod whole;

use std::fmt;

use crate::ir::Function;

/// A pass.
pub struct Pass {
    /// The name under which `explain` shows what the pass made.
    pub name: &'static str,
    /// Why it is there, and why where it is.
    pub reason: &'static str,
    run: fn(Function) -> Function,
}

/// The passes, in the order in which they run.
pub const PASSES: [Pass; 8] = [
    Pass {
        name: "share",
        reason: "Places of several tensors are often the same one. Before names are replaced, as it \
                 leaves names for other names.",
        run: share::run,
    },
    Pass {
        name: "inline",
        reason: "A name for another name, or for a coordinate that is only copied, is one more \
                 thing to look up. Before branches are compared, because they are more alike without such names.",
        run: inline::run,
    },
    Pass {
        name: "factor",
        reason: "What all branches do need not be compared to be understood.",
        run: factor::run,
    },
    Pass {
        name: "tell",
        reason: "Whether a loop runs at all can be told without the loop. Before bodies are written \
                 several times, and before loops are left early.",
        run: tell::run,
    },
    Pass {
        name: "whole",
        reason: "Loops of a constant length are unrolled. Behind the passes that make bodies shorter, as \
                 it writes them twice.",
        run: whole::run,
    },
    Pass {
        name: "unroll",
        reason: "The schedule says so. Behind the passes that make bodies shorter, as it writes them \
                 several times.",
        run: unroll::run,
    },
    Pass {
        name: "leave",
        reason: "What is found need not be looked for. Behind the passes that write bodies several times, \
                 which would no longer be loops to leave.",
        run: leave::run,
    },
    Pass {
        name: "unused",
        reason: "What is never read is noise, and a warning in the user's build. Last, because \
                 other passes remove reads.",
        run: unused::run,
    },
];

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.reason)
    }
}

/// Runs every pass, showing the function to an observer after each.
pub fn optimize_observed(
    function: Function,
    observe: &mut impl FnMut(&Pass, &Function),
) -> Function {
    PASSES.iter().fold(function, |mut function, pass| {
        let compute = function.compute.take();
        let mut function = (pass.run)(function);
        function.compute = compute.map(|compute| Box::new((pass.run)(*compute)));
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
        optimize_observed(samples::spmv(), &mut |pass, _| seen.push(pass.to_string()));
        assert_eq!(seen, PASSES.map(|pass| pass.to_string()));
    }

    #[test]
    fn what_is_already_good_stays() {
        for function in [samples::spmv(), samples::add(), samples::scaled_sum()] {
            assert_eq!(optimize_observed(function.clone(), &mut |_, _| {}), function);
        }
    }
}
