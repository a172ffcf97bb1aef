//! Time complexities, tested by counting the steps of kernels on growing operands.
//!
//! The operands grow in two ways: with the same number of entries in each row, and with the same
//! number of entries in all, so that extents and numbers of entries are told apart. The steps must
//! not grow faster than the value of a formula, except by a factor of [`TOLERANCE`].

mod best;
mod growing;

use sparsegen_build::compile_str;
use sparsegen_build::ir::{Factor, Kernel, Time};

use crate::corpus::{Case, Choice};
use crate::dynamic::Setting;
use crate::interpreted::{Interpreter, Results};
use crate::kinds::Kinds;
use crate::oracle::Extents;
use crate::statement::Statement;
use crate::storage::Formats;

pub use best::{Best, parse};
pub use growing::Growth;

/// The factor by which the steps may grow more than the formula when the operands double.
pub const TOLERANCE: f64 = 1.3;

/// The results of a run and its number of steps.
type CountedRun = Option<(Results, u64)>;

/// A kernel that is compiled to be counted.
pub struct Counted {
    all: Statement,
    kinds: Kinds,
    setting: Setting,
    kernel: Kernel,
    formats: Formats,
    choice: Vec<(String, String)>,
}

/// A run on operands of one size.
pub struct Run {
    /// The number of steps.
    pub steps: u64,
    extents: Extents,
    operands: Results,
    results: Results,
}

impl Run {
    /// Returns the number of elements of all arrays of the operands and the results.
    pub fn elements(&self) -> u64 {
        let tensors = self.operands.values().chain(self.results.values());
        let elements = tensors
            .map(|stored| stored.arrays.values().map(Vec::len).sum::<usize>() + stored.vals.len());
        elements.sum::<usize>() as u64
    }

    /// Returns the value of a formula for the operands, or `None` if it has unknown names.
    pub fn value(&self, time: &Time) -> Option<f64> {
        time.value(&|factor| match factor {
            Factor::Extent(variable) => Some(*self.extents.get(variable)? as f64),
            Factor::Mode(tensor, mode) => {
                let of = self.operands.get(tensor).or_else(|| self.results.get(tensor));
                of.and_then(|stored| Some(*stored.shape.get(*mode)? as f64))
            }
            Factor::Entries(tensor) => {
                let of =
                    |results: &Results| results.get(tensor).map(|stored| stored.vals.len() as f64);
                of(&self.results).or_else(|| of(&self.operands))
            }
            Factor::Log(_) => None,
        })
    }
}

/// The growth of steps and of a formula when operands double.
#[derive(Clone, Copy, Debug)]
pub struct Excess {
    /// The way in which the operands grew.
    pub growth: Growth,
    /// The growth of the steps.
    pub steps: f64,
    /// The growth of the formula.
    pub formula: f64,
}

impl Counted {
    /// Compiles a case.
    ///
    /// # Errors
    /// The diagnostics.
    pub fn new(case: &Case) -> Result<Counted, String> {
        let choice: Vec<(&str, &str)> =
            case.choice.iter().map(|(key, word)| (key.as_str(), word.as_str())).collect();
        let choice = Choice(&choice);
        let statements = Statement::parse_all(&case.statement, &choice.parameter_names())?;
        let mut all = Statement::united(&statements).ok_or("there is no statement")?;
        all.sizes = choice.sizes();
        let output = compile_str("case.toml", &case.manifest);
        if !output.diagnostics.is_empty() {
            return Err(output.diagnostics.render("case.toml", &case.manifest));
        }
        let formats = Setting::formats(&output)?;
        let setting =
            Setting { formats: formats.clone(), is_free: false, semiring: choice.semiring() };
        let kinds = Kinds::of(&all, &choice);
        let kernel = output.kernels.into_iter().next().ok_or("there is no kernel")?;
        Ok(Counted { all, kinds, setting, kernel, formats, choice: case.choice.clone() })
    }

    /// Returns the time that the documentation of the kernel states.
    pub fn stated(&self) -> Time {
        let terms = self.kernel.functions().flat_map(|function| function.time.terms.clone());
        Time { terms: terms.collect() }
    }

    /// Runs the kernel on operands that double from run to run. Returns `None` if the variables cannot
    /// have these extents, or if a format does not store the operands.
    ///
    /// # Errors
    /// A fault of the kernel.
    pub fn runs(&self, growth: Growth) -> Result<Option<Vec<Run>>, String> {
        self.runs_by(growth, |interpreter, operands| interpreter.counted(operands))
    }

    /// Runs `NAME_with` like [`runs`](Self::runs), and counts the steps of calls with working memory
    /// that has been kept.
    ///
    /// # Errors
    /// A fault of the kernel.
    pub fn runs_again(&self, growth: Growth) -> Result<Option<Vec<Run>>, String> {
        self.runs_by(growth, |interpreter, operands| interpreter.counted_again(operands))
    }

    fn runs_by(
        &self,
        growth: Growth,
        count: impl Fn(&Interpreter<'_>, &Results) -> Result<CountedRun, String>,
    ) -> Result<Option<Vec<Run>>, String> {
        let mut runs = Vec::new();
        let choice: Vec<(&str, &str)> =
            self.choice.iter().map(|(key, word)| (key.as_str(), word.as_str())).collect();
        for size in growing::sizes(&self.all, Choice(&choice)) {
            let world = growing::world(&self.all, &self.kinds, Choice(&choice), growth, size);
            let Some(world) = world else { return Ok(None) };
            let operands = self.setting.operands(&self.kernel, &world)?;
            let Some(operands) = operands else { return Ok(None) };
            let interpreter = Interpreter { kernel: &self.kernel, formats: &self.formats };
            let Some((results, steps)) = count(&interpreter, &operands)? else {
                return Ok(None);
            };
            runs.push(Run { steps, extents: world.layout.extents, operands, results });
        }
        Ok(Some(runs))
    }
}

/// Returns where the steps of the two largest runs grow faster than a formula.
///
/// # Errors
/// The formula has unknown names.
pub fn excess(growth: Growth, runs: &[Run], time: &Time) -> Result<Option<Excess>, String> {
    let [.., before, after] = runs else { return Err("there are no two runs".to_owned()) };
    let value = |run: &Run| {
        run.value(time).ok_or_else(|| format!("`{time}` has a name that the kernel has not"))
    };
    let formula = value(after)? / value(before)?;
    let steps = after.steps as f64 / before.steps as f64;
    Ok((steps > TOLERANCE * formula).then_some(Excess { growth, steps, formula }))
}
