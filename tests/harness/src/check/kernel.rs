//! Runs a kernel on operands and compares the result with the oracles.

use std::collections::{BTreeMap, HashMap};

use sparsegen::Error;
use sparsegen_build::ir::{self, Function, Result as IrResult};

use crate::check::compare::{
    Freedom, check_order, check_packing, check_values, is_same, is_same_cells,
};
use crate::dtype::Dtype;
use crate::interpreted::{Interpreter, Results};
use crate::number::Number;
use crate::oracle::{Cell, Cells, Fault, Knowledge, Meaning, Operands, Semiring, Setting};
use crate::oracle::{grid, relation};
use crate::statement::{Access, Mode, Statement};
use crate::storage::Formats;
use crate::typed::{Driver, Run, Stored};
use crate::worlds::{Entries, World, coordinate};

/// The number of points of the iteration space up to which a kernel is interpreted, and evaluated
/// point by point.
const FEW: usize = 20_000;

/// Returns the number of points of the iteration space.
fn points(world: &World) -> usize {
    world.layout.extents.values().fold(1, |all, extent| all.saturating_mul(*extent))
}

/// A kernel of a case.
pub struct Kernel<'c> {
    /// The fill values of tensors that differ from the zero of the semiring.
    pub fills: HashMap<String, Number>,
    /// The statement that the kernel evaluates.
    pub statement: &'c Statement,
    /// The operands that are results of earlier statements.
    pub computed: Vec<&'c str>,
    /// The semiring of `+` and `*`.
    pub semiring: Semiring,
    /// The element types of its tensors.
    pub dtypes: HashMap<String, Dtype>,
    /// Its intermediate representation.
    pub function: &'c Function,
    /// The kernel that also runs in the interpreter, if one does.
    pub interpreted: Option<Interpreted<'c>>,
    /// The function that packs operands and calls the kernel.
    pub run: &'c Driver,
}

/// A kernel that runs in the interpreter as well: as it is compiled, and after fewer passes.
pub struct Interpreted<'c> {
    /// The kernel after some of the passes.
    pub stages: &'c [ir::Kernel],
    /// The formats that it names.
    pub formats: &'c Formats,
}

/// The result according to the oracles: its entries and its fill value.
struct Expected {
    cells: Cells,
    fill: Number,
}

impl Kernel<'_> {
    /// Packs the operands, runs the kernel and checks its results. Returns `false` if the formats
    /// do not hold the operands.
    pub fn check(&self, world: &World) -> Result<bool, String> {
        let run = match (self.run)(&world.operands) {
            Ok(run) => run,
            // Narrow positions and coordinates, and formats with a fixed number of slots, do not
            // hold all operands.
            Err(Error::Width { .. } | Error::Pack { .. }) => return Ok(false),
            Err(error) => return Err(format!("the operands cannot be packed: {error}")),
        };
        self.judge(world, &run)
    }

    /// Checks the outcome of a run against the oracles. Returns `false` if the formats do not hold
    /// the operands or the result, or if the result overflows.
    pub fn judge(&self, world: &World, run: &Run) -> Result<bool, String> {
        for (name, stored) in &run.operands {
            let Some(given) = world.operands.get(name) else { continue };
            if self.computed.contains(&name.as_str()) {
                continue;
            }
            check_packing(given, stored, self.fills.get(name).copied())
                .map_err(|reason| format!("operand {name} is packed wrongly: {reason}"))?;
        }
        let expected = self.expected(world, run)?;
        let expected =
            expected.map(|known| known.map(|expected| self.beside(expected, world, run)));
        let (results, expected) = match (&run.results, expected) {
            (Err(Error::Width { .. } | Error::Pack { .. }), _) => return Ok(false),
            (
                Err(Error::Shape { .. } | Error::Slice { .. } | Error::Index { .. }),
                Some(Err(_)),
            ) => {
                return Err("the kernel fails with an unexpected error".into());
            }
            (Err(_), Some(Err(Fault::Division | Fault::Empty))) => return Ok(true),
            // An argument of a minimum or maximum over an empty range does not exist, even if the
            // oracles do not evaluate it.
            (Err(Error::Choice { variable, .. }), _) if world.layout.extents[*variable] == 0 => {
                return Ok(true);
            }
            (Err(error), _) => return Err(format!("the kernel failed: {error}")),
            // The result of an overflow is unspecified.
            (Ok(_), Some(Err(Fault::Overflow))) => return Ok(false),
            (Ok(_), Some(Err(fault))) => {
                return Err(format!("the kernel does not fail, expected {fault:?}"));
            }
            (Ok(results), Some(Ok(expected))) => (results, expected),
            (Ok(_), None) => return Ok(true),
        };
        let (first_way, first) = &results[0];
        let freedom = Freedom {
            more: first.pads || first.shape.is_empty(),
            less: first.drops || first.pads && !first.full,
            ones: self.function.results().any(|result| result.pattern),
        };
        let has_values =
            |result: &Stored| check_values(result, &expected.cells, expected.fill, freedom);
        let is_determined = first.ordered && !first.repeats && !first.shape.is_empty();
        for (way, result) in results {
            let wrong = |reason: String| format!("{way}: {reason}");
            check_order(result).map_err(wrong)?;
            has_values(result).map_err(wrong)?;
            let is_exact = is_determined && !self.rounds_by_parts();
            if is_exact && result != first && !is_same(result, first) {
                return Err(format!("{way} differs from {first_way}:\n{result:?}\n{first:?}"));
            }
        }
        if is_determined && !first.drops && !first.pads {
            self.check_structure(first, &expected.cells, run)?;
        }
        if points(world) <= FEW {
            self.interpreted
                .iter()
                .try_for_each(|kernel| self.check_interpreted(kernel, first, run, &has_values))?;
        }
        Ok(true)
    }

    /// Checks that the entry points compute in the interpreter what the generated code computes:
    /// the same structure, and values that `has_values` accepts. Passes that unroll loops, and
    /// threads, round sums differently.
    fn check_interpreted(
        &self,
        kernel: &Interpreted<'_>,
        first: &Stored,
        run: &Run,
        has_values: &dyn Fn(&Stored) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut operands: Results = run.operands.clone();
        let name = self.statement.tensor(&self.statement.result);
        operands.entry(name.to_owned()).or_insert_with(|| first.clone());
        for stage in kernel.stages {
            let is_updated = |step: &ir::Step| match &step.function.result {
                IrResult::Tensor(result) => result.updates,
                IrResult::Scalar { updates, .. } => updates.is_some(),
            };
            // Of several statements that change results, only the states in between are known.
            if stage.steps.len() > 1 && stage.steps.iter().any(is_updated) {
                continue;
            }
            let interpreter = Interpreter { kernel: stage, formats: kernel.formats };
            let Some(ways) = interpreter.ways(&operands)? else { continue };
            for (way, results) in ways {
                let found =
                    results.get(name).ok_or_else(|| format!("there is no result `{name}`"))?;
                let way = format!("{way} in the interpreter");
                if found.arrays != first.arrays {
                    return Err(format!("{way} differs:\n{found:?}\n{first:?}"));
                }
                has_values(found).map_err(|reason| format!("{way}: {reason}"))?;
            }
        }
        Ok(())
    }

    /// Returns whether sums are rounded as the loops are divided into parts.
    fn rounds_by_parts(&self) -> bool {
        let parallel = self.function.parallel.as_ref();
        !self.function.phases.is_empty()
            || parallel.is_some_and(|it| {
                let mut joined = it.joined.iter();
                it.has_rest
                    || !it.copies.is_empty()
                    || it.intervals.is_some()
                    || joined.any(|by| by.combined.is_some())
            })
    }

    /// Returns whether the result has entries if the operands have none.
    pub fn fills(&self) -> Result<bool, String> {
        let variables = self.statement.variables().into_iter();
        let parameters = self.statement.parameters().into_iter();
        let setting = Setting {
            extents: &variables.map(|name| (name.to_owned(), 1)).collect(),
            parameters: &parameters.map(|name| (name.to_owned(), 0)).collect(),
            dtypes: &self.dtypes,
            semiring: self.semiring,
            fills: &self.fills,
        };
        let meaning = Meaning::of(self.statement, &setting)?;
        let cells = grid::evaluate(&meaning, &Operands::new());
        Ok(cells.is_ok_and(|cells| !cells.is_empty()))
    }

    /// Returns the result according to the oracles, or `None` if they would take too long.
    fn expected(
        &self,
        world: &World,
        run: &Run,
    ) -> Result<Option<Result<Expected, Fault>>, String> {
        // Where a statement before this one failed, its result is not known.
        let accesses = self.statement.accesses();
        let mut read = accesses.iter().skip(1).map(|access| self.statement.tensor(access));
        if read.any(|name| self.computed.contains(&name) && !run.operands.contains_key(name)) {
            return Ok(None);
        }
        let operands = self.operands(world, run);
        let setting = Setting {
            extents: &world.layout.extents,
            parameters: &world.layout.parameters,
            dtypes: &self.dtypes,
            semiring: self.semiring,
            fills: &self.fills,
        };
        let meaning = Meaning::of(self.statement, &setting)?;
        let joined = relation::evaluate(&meaning, &operands);
        let expected = |cells| Expected { cells, fill: meaning.fill };
        if points(world) > FEW {
            return Ok(joined.map(|cells| Ok(expected(cells))));
        }
        let visited = grid::evaluate(&meaning, &operands);
        match (joined, &visited) {
            (_, Err(Fault::Types)) => Err("the oracle cannot determine the types".into()),
            (Some(joined), Ok(visited)) if !is_same_cells(&joined, visited) => {
                Err(format!("the oracles disagree:\n{joined:?}\n{visited:?}"))
            }
            _ => Ok(Some(visited.map(expected))),
        }
    }

    /// Extends the expected slice to the expected result: entries outside of the slice keep their
    /// values.
    fn beside(&self, expected: Expected, world: &World, run: &Run) -> Expected {
        let Statement { result, .. } = self.statement;
        let Some(view) = self.statement.view(result) else { return expected };
        let place = |at: &[usize]| world.layout.place(&view.modes, at, &result.variables);
        let shape: Vec<usize> = result.variables.iter().map(|v| world.layout.extents[v]).collect();
        // If a coordinate is assigned several times, the last assignment is kept.
        let mut covered: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for position in 0..shape.iter().product() {
            let at = coordinate(&shape, position);
            covered.insert(place(&at), at);
        }
        let last = expected.cells.into_iter().map(|(at, cell)| (place(&at), at, cell));
        let last = last.filter(|(place, at, _)| covered[place] == *at);
        let mut cells: Cells = last.map(|(place, _, cell)| (place, cell)).collect();
        let mut before: BTreeMap<&Vec<usize>, Number> = BTreeMap::new();
        for (at, value) in &run.operands[&view.of].entries {
            let sum = before.get(at).map_or(*value, |sum| *sum + *value);
            before.insert(at, sum);
        }
        for (at, value) in before {
            if !covered.contains_key(at) {
                cells.insert(at.clone(), Cell::stored(value));
            }
        }
        Expected { cells, ..expected }
    }

    /// Returns the entries of the operands, by the names of accesses.
    fn operands(&self, world: &World, run: &Run) -> Operands {
        let mut operands = Operands::new();
        for (name, stored) in
            run.operands.iter().filter(|(name, _)| world.operands.contains_key(*name))
        {
            let cells = operands.entry(name.clone()).or_default();
            let zero = self.dtypes.get(name).map(|dtype| self.semiring.zero(*dtype));
            let fill = self.fills.get(name).copied().or(zero).unwrap_or(Number::ZERO);
            for (at, value) in &stored.entries {
                if stored.pads && !stored.full && value.is_like(fill, 0.0) {
                    continue;
                }
                let sum = cells.get(at).map_or(*value, |sum| *sum + *value);
                cells.insert(at.clone(), sum);
            }
        }
        for view in &self.statement.views {
            let accesses = self.statement.accesses();
            let access = accesses.iter().find(|access| access.tensor == view.name);
            let Some(access) = access else { continue };
            let variables = &access.variables;
            if !view.modes.iter().all(Mode::is_part) {
                let part = self.scattered(access, world, &operands);
                operands.insert(view.name.clone(), part);
                continue;
            }
            let whole = operands[&view.of].iter();
            let part = whole.filter_map(|(at, value)| {
                world.layout.within(&view.modes, at, variables).map(|at| (at, *value))
            });
            let part = part.collect();
            operands.insert(view.name.clone(), part);
        }
        operands
    }

    /// Returns the entries that an access reads, by the coordinates of all its variables.
    fn scattered(
        &self,
        access: &Access,
        world: &World,
        operands: &Operands,
    ) -> HashMap<Vec<usize>, Number> {
        let shape: Vec<usize> = access.variables.iter().map(|v| world.layout.extents[v]).collect();
        let stored = &operands[self.statement.tensor(access)];
        let read = |position: usize| {
            let at = coordinate(&shape, position);
            let variables = access.variables.iter().map(String::as_str);
            let known = variables.zip(at.iter().copied()).collect();
            let own = world.layout.read(self.statement, access, &known, operands)?;
            Some((at, *stored.get(&own)?))
        };
        (0..shape.iter().product::<usize>()).filter_map(read).collect()
    }

    /// Checks that the arrays of a result are those of the same entries, packed.
    fn check_structure(&self, result: &Stored, cells: &Cells, run: &Run) -> Result<(), String> {
        let stored: BTreeMap<_, _> =
            result.entries.iter().map(|(at, value)| (at, *value)).collect();
        let entries = cells
            .iter()
            .filter(|(at, cell)| cell.knowledge != Knowledge::Either || stored.contains_key(*at));
        let entries = entries.map(|(at, cell)| (at.clone(), cell.value));
        let entries = Entries { shape: result.shape.clone(), entries: entries.collect() };
        let packed = (run.repack)(&entries).map_err(|error| error.to_string())?;
        if packed.arrays == result.arrays {
            return Ok(());
        }
        let arrays = |stored: &Stored| format!("{:?}", stored.arrays);
        Err(format!("the arrays are\n{}\nexpected\n{}", arrays(result), arrays(&packed)))
    }
}
