//! Tries kernels that were never compiled to Rust: compiled, interpreted and compared with the oracle.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};

use sparsegen_build::{Output, compile_str};

use crate::check::kernel::Kernel;
use crate::corpus::{self, Case, Choice};
use crate::dtype::Dtype;
use crate::dynamic::Setting;
use crate::generate::Draft;
use crate::kinds::Kinds;
use crate::statement::Statement;
use crate::typed::Stored;
use crate::worlds::{self, World};

/// How many elements the operands may have together.
const LARGEST: usize = 10_000;

/// What is wrong with a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The compiler panics.
    Panic(String),
    /// The compiler refuses it, as a user would see it.
    Refusal(String),
    /// The kernel is wrong, or the interpreter finds a fault in it.
    Wrong(String),
    /// The case itself is not understood.
    Case(String),
}

impl Failure {
    /// What failures of one cause have in common.
    pub fn cause(&self) -> String {
        match self {
            Failure::Panic(_) => "panic".to_owned(),
            Failure::Case(_) => "case".to_owned(),
            // Without what is quoted of the statement.
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

    /// Whether a result stores what is known to be its fill.
    pub fn is_of_structure(&self) -> bool {
        self.cause() == "known to be"
    }

    /// Whether the compiler says that it does not know this yet.
    pub fn is_missing(&self) -> bool {
        matches!(self, Failure::Refusal(shown) if shown.contains("not supported yet"))
    }

    /// What a user would be told of it.
    pub fn shown(&self) -> String {
        match self {
            Failure::Panic(manifest) => format!("the compiler panics:\n{manifest}"),
            Failure::Refusal(reason) | Failure::Wrong(reason) => reason.clone(),
            Failure::Case(reason) => format!("the case is not understood: {reason}"),
        }
    }
}

/// What is wrong with a draft, if anything is.
pub fn failure(draft: &Draft) -> Option<Failure> {
    match corpus::parse("random", &draft.lines("random")) {
        Ok(cases) => cases.iter().find_map(failure_of_case),
        Err(reason) => Some(Failure::Case(reason)),
    }
}

/// What is wrong with a case, if anything is: it is compiled and interpreted, and nothing else.
pub fn failure_of_case(case: &Case) -> Option<Failure> {
    let output = match catch_unwind(AssertUnwindSafe(|| compile_str("case.toml", &case.manifest))) {
        Ok(output) => output,
        Err(_) => return Some(Failure::Panic(case.manifest.clone())),
    };
    if !output.diagnostics.is_empty() {
        let shown = output.diagnostics.render("case.toml", &case.manifest);
        // Variables and parameters are compared exactly, as whole numbers.
        let is_right = shown.contains("cannot hold `0.5`");
        return (!is_right).then_some(Failure::Refusal(shown));
    }
    wrong(case, &output).err().map(Failure::Wrong)
}

/// Checks what the interpreter makes of a kernel's operands.
fn wrong(case: &Case, output: &Output) -> Result<(), String> {
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
    let functions: Vec<_> = output.kernels.iter().flat_map(|kernel| kernel.functions()).collect();
    if functions.len() != statements.len() {
        return Err("there is not one function for each statement".to_owned());
    }
    let never = |_: &_| unreachable!("nobody calls what is interpreted");
    let formats = Setting::formats(output)?;
    let kinds = Kinds::of(&all, &choice);
    for (number, world) in worlds::worlds(&case.name, &all, &kinds).into_iter().enumerate() {
        let cells = world.operands.values().map(|operand| operand.shape.iter().product::<usize>());
        if cells.sum::<usize>() > LARGEST {
            continue;
        }
        // Those of one kind have both: the full ones and the empty ones, the wide ones and the small.
        let is_free = number % 2 == 1;
        let mut before: BTreeMap<String, Stored> = BTreeMap::new();
        for (step, function) in functions.iter().enumerate() {
            let statement = &statements[step];
            let kernel = Kernel {
                fills: fills.clone(),
                computed: statements[..step].iter().map(result_name).collect(),
                statement,
                semiring: choice.semiring(),
                dtypes: dtypes.clone(),
                function,
                run: &never,
            };
            let semiring = choice.semiring();
            let setting = Setting { formats: formats.clone(), statement, is_free, semiring };
            let run = match setting.run(function, &world, &before) {
                Ok(Some(run)) => run,
                Ok(None) => break,
                Err(fault) if is_of_the_operands(&fault) => break,
                Err(fault) => return Err(shown(&world, &before, step, is_free, &fault)),
            };
            let judged = kernel.judge(&world, &run);
            judged.map_err(|reason| shown(&world, &before, step, is_free, &reason))?;
            let result = run.results.iter().flatten().next();
            before.extend(
                result.map(|(_, stored)| (result_name(statement).to_owned(), stored.clone())),
            );
        }
    }
    Ok(())
}

/// The name of the tensor that a statement changes.
fn result_name(statement: &Statement) -> &str {
    statement.tensor(&statement.result)
}

/// Whether a kernel need not run on the operands: overflow is left to the caller, and narrow widths do
/// not hold every result.
fn is_of_the_operands(fault: &str) -> bool {
    ["overflow of ", "division by zero", "does not fit in u16", "does not fit in i16"]
        .iter()
        .any(|word| fault.contains(word))
}

fn shown(
    world: &World,
    before: &BTreeMap<String, Stored>,
    step: usize,
    is_free: bool,
    reason: &str,
) -> String {
    let how = if is_free { ", operands stored freely" } else { "" };
    let earlier: Vec<&str> = before.keys().map(String::as_str).collect();
    let step = match earlier.is_empty() {
        true => String::new(),
        false => format!(", statement {} after {}", step + 1, earlier.join(", ")),
    };
    crate::check::show(world, &format!("{reason}{how}{step}"))
}
