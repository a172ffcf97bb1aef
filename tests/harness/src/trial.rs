//! Checks kernels without compiling their source: interprets the intermediate representation and
//! compares the results with the oracles.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};

use sparsegen_build::{Compiler, PASSES, compile_str, ir};

use crate::check::check_refusal;
use crate::check::kernel::Kernel;
use crate::corpus::{self, Case, Choice};
use crate::dtype::Dtype;
use crate::dynamic::Setting;
use crate::generate::Draft;
use crate::interpreted::{Interpreter, Results};
use crate::kinds::Kinds;
use crate::statement::Statement;
use crate::storage::Formats;
use crate::worlds::{self, World};

/// The maximal number of elements of all operands together.
const LARGEST: usize = 10_000;

/// The way in which a kernel fails.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The compiler panics; the manifest.
    Panic(String),
    /// The compiler rejects the kernel; the rendered diagnostics.
    Refusal(String),
    /// The result is wrong, or the interpreter reports a fault.
    Wrong(String),
    /// The case cannot be parsed.
    Case(String),
}

impl Failure {
    /// Returns a key that is equal for failures of the same cause.
    pub fn cause(&self) -> String {
        match self {
            Failure::Panic(_) => "panic".to_owned(),
            Failure::Case(_) => "case".to_owned(),
            // The message without the quoted parts of the statement.
            Failure::Refusal(shown) => {
                shown.lines().next().unwrap_or_default().split('`').step_by(2).collect()
            }
            Failure::Wrong(reason) => {
                let last = reason.trim_end().lines().next_back().unwrap_or_default();
                let causes = [
                    "known to be",
                    "is not stored",
                    "expected",
                    "differs",
                    "disagree",
                    "packed wrongly",
                    "out of bounds",
                    "than was reserved",
                ];
                let cause = causes.into_iter().find(|cause| last.contains(cause));
                cause.unwrap_or("fault").to_owned()
            }
        }
    }

    /// Returns whether the only error is a stored entry that is known to equal the fill value.
    pub fn is_of_structure(&self) -> bool {
        self.cause() == "known to be"
    }

    /// Returns whether no loops obey the schedule.
    pub fn is_of_schedule(&self) -> bool {
        let codes = ["[SG06", "[SG0701]"];
        matches!(self, Failure::Refusal(shown) if codes.iter().any(|code| shown.contains(code)))
    }

    /// Returns whether the diagnostics name an unsupported feature.
    pub fn is_missing(&self) -> bool {
        matches!(self, Failure::Refusal(shown) if shown.contains("not supported yet"))
    }

    /// Formats the failure.
    pub fn shown(&self) -> String {
        match self {
            Failure::Panic(manifest) => format!("the compiler panics:\n{manifest}"),
            Failure::Refusal(reason) | Failure::Wrong(reason) => reason.clone(),
            Failure::Case(reason) => format!("the case cannot be parsed: {reason}"),
        }
    }
}

/// Returns the failure of a draft, if there is one.
pub fn failure(draft: &Draft) -> Option<Failure> {
    match corpus::parse("random", &draft.lines("random")) {
        Ok(cases) => cases.iter().find_map(failure_of_case),
        Err(reason) => Some(Failure::Case(reason)),
    }
}

/// Compiles and interprets a case, or checks that it is rejected; returns its failure, if there is
/// one.
pub fn failure_of_case(case: &Case) -> Option<Failure> {
    if let Some(reason) = &case.refusal {
        return check_refusal(&case.manifest, reason).err().map(Failure::Wrong);
    }
    let output = match catch_unwind(AssertUnwindSafe(|| compile_str("case.toml", &case.manifest))) {
        Ok(output) => output,
        Err(_) => return Some(Failure::Panic(case.manifest.clone())),
    };
    if !output.diagnostics.is_empty() {
        let shown = output.diagnostics.render("case.toml", &case.manifest);
        // Some drafts violate rules of the language: variables and parameters are compared exactly,
        // as integers; a mask tests an operand; formats with slots have the fill value zero.
        let rules = ["cannot hold `0.5`", "bool cannot hold `", "a format with slots"];
        let is_right = rules.iter().any(|rule| shown.contains(rule));
        return (!is_right).then_some(Failure::Refusal(shown));
    }
    wrong(case).err().map(Failure::Wrong)
}

/// Interprets the kernel on generated operands; returns an error for the first wrong result.
fn wrong(case: &Case) -> Result<(), String> {
    let choice: Vec<(&str, &str)> =
        case.choice.iter().map(|(key, word)| (key.as_str(), word.as_str())).collect();
    let choice = Choice(&choice);
    let statements = Statement::parse_all(&case.statement, &choice.parameter_names())?;
    let mut all = Statement::united(&statements).ok_or("there is no statement")?;
    all.sizes = choice.sizes();
    let tensors = all.accesses().into_iter().map(|access| all.tensor(access).to_owned());
    let dtypes: HashMap<String, Dtype> =
        tensors.map(|tensor| (tensor.clone(), choice.dtype(&tensor))).collect();
    let fills = dtypes.keys().filter_map(|tensor| Some((tensor.clone(), choice.fill(tensor)?)));
    let fills: HashMap<_, _> = fills.collect();
    let kinds = Kinds::of(&all, &choice);
    let mut stages: BTreeMap<usize, Vec<(ir::Kernel, Formats)>> = BTreeMap::new();
    for (number, world) in worlds::worlds(&case.name, &all, &kinds).into_iter().enumerate() {
        let cells = world.operands.values().map(|operand| operand.shape.iter().product::<usize>());
        if cells.sum::<usize>() > LARGEST {
            continue;
        }
        // Alternate, so that operands of every kind of fill and width are packed both ways.
        let is_free = number % 2 == 1;
        // Every other run is of the kernel as it is compiled, the others of fewer passes.
        let passes = if number % 2 == 0 { PASSES } else { number / 2 % PASSES };
        let kernels = match stages.entry(passes) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(states(case, passes)?),
        };
        let mut before = Results::new();
        for (step, statement) in statements.iter().enumerate() {
            let state = if kernels.len() == 1 { 0 } else { step };
            let (state, formats) =
                kernels.get(state).ok_or("there is no kernel for each statement")?;
            let function = &state.steps.get(step).ok_or("a statement has no function")?.function;
            let setting =
                Setting { formats: formats.clone(), is_free, semiring: choice.semiring() };
            let wrong = |reason: &str| shown(&world, &before, (step, passes), is_free, reason);
            let Some(mut operands) = setting.operands(state, &world)? else { break };
            let interpreter = Interpreter { kernel: state, formats };
            let ways = match interpreter.ways(&operands) {
                Ok(Some(ways)) => ways,
                Ok(None) => break,
                Err(fault) if is_of_the_operands(&fault, &world) => break,
                Err(fault) => return Err(wrong(&fault)),
            };
            let name = result_name(statement);
            let of = |results: &Results| {
                let own = results.get(name).cloned();
                own.ok_or_else(|| format!("there is no result `{name}`"))
            };
            let computed = ways.first().and_then(|(_, results)| results.get(name)).cloned();
            let results = ways.iter().map(|(way, results)| Ok((*way, of(results)?)));
            let results = results.collect::<Result<_, String>>()?;
            operands.extend(before.clone());
            let kernel = Kernel {
                fills: fills.clone(),
                computed: statements[..step].iter().map(result_name).collect(),
                statement,
                semiring: choice.semiring(),
                dtypes: dtypes.clone(),
                function,
                interpreted: None,
                run: &|_| unreachable!("interpreted kernels are not called"),
            };
            let run = setting.run(&function.result, operands, results)?;
            kernel.judge(&world, &run).map_err(|reason| wrong(&reason))?;
            before.extend(computed.map(|stored| (name.to_owned(), stored)));
        }
    }
    Ok(())
}

/// Returns the kernel of a case after some passes; if statements change earlier results, one for each
/// statement, which ends with it.
fn states(case: &Case, passes: usize) -> Result<Vec<(ir::Kernel, Formats)>, String> {
    let compiler = Compiler::new().with_passes(passes);
    let manifests = case.beginnings.iter().map(|(_, manifest)| manifest).chain([&case.manifest]);
    let state = |manifest: &String| {
        let output = compiler.compile_str("case.toml", manifest);
        let formats = Setting::formats(&output)?;
        let kernel = output.kernels.into_iter().next().ok_or("there is no kernel")?;
        Ok((kernel, formats))
    };
    manifests.map(state).collect()
}

/// Returns the name of the tensor that a statement assigns.
fn result_name(statement: &Statement) -> &str {
    statement.tensor(&statement.result)
}

/// Returns whether a fault is caused by the operands: the caller must avoid overflow and division
/// by zero, and narrow types do not hold all results.
fn is_of_the_operands(fault: &str, world: &World) -> bool {
    // Nothing can be chosen from an empty range.
    if fault.contains("`Error::Choice`") {
        return world.layout.extents.values().any(|extent| *extent == 0);
    }
    ["overflow of ", "division by zero", "does not fit in u16", "does not fit in i16"]
        .iter()
        .any(|word| fault.contains(word))
}

fn shown(
    world: &World,
    before: &Results,
    (step, passes): (usize, usize),
    is_free: bool,
    reason: &str,
) -> String {
    let how = if is_free { ", operands stored freely" } else { "" };
    let earlier: Vec<&str> = before.keys().map(String::as_str).collect();
    let step = match earlier.is_empty() {
        true => String::new(),
        false => format!(", statement {} after {}", step + 1, earlier.join(", ")),
    };
    let after = if passes < PASSES { format!(", after {passes} passes") } else { String::new() };
    crate::check::show(world, &format!("{reason}{how}{step}{after}"))
}
