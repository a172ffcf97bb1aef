//! Runs a kernel on operands and asks the oracles what it must come to.

use std::collections::{BTreeMap, HashMap};

use sparsegen::Error;
use sparsegen_build::ir::Function;

use crate::check::compare::{
    Freedom, check_order, check_packing, check_values, is_same, is_same_cells,
};
use crate::dtype::Dtype;
use crate::interpreted;
use crate::number::Number;
use crate::oracle::{Cell, Cells, Fault, Knowledge, Meaning, Operands, Semiring, Setting};
use crate::oracle::{grid, relation};
use crate::statement::{Access, Mode, Statement};
use crate::typed::{Driver, Run, Stored};
use crate::worlds::{Entries, World, coordinate};

/// A kernel of a case.
pub struct Kernel<'c> {
    /// What tensors are where they are not stored, if it is not the semiring's zero.
    pub fills: HashMap<String, Number>,
    /// What it is of.
    pub statement: &'c Statement,
    /// The operands that are results of earlier statements.
    pub computed: Vec<&'c str>,
    /// What its `+` and `*` are.
    pub semiring: Semiring,
    /// The element types of its tensors.
    pub dtypes: HashMap<String, Dtype>,
    /// Its intermediate representation.
    pub function: &'c Function,
    /// Calls it.
    pub run: &'c Driver,
}

/// What the oracles say: what is stored, and what counts as not stored.
struct Expected {
    cells: Cells,
    fill: Number,
}

impl Kernel<'_> {
    /// Whether the operands fit the formats; then the kernel is right on them.
    pub fn check(&self, world: &World) -> Result<bool, String> {
        let run = match (self.run)(&world.operands) {
            Ok(run) => run,
            // Narrow positions and coordinates, and slots of a fixed number, cannot hold all worlds.
            Err(Error::Width { .. } | Error::Pack { .. }) => return Ok(false),
            Err(error) => return Err(format!("the operands cannot be packed: {error}")),
        };
        self.judge(world, &run)
    }

    /// Whether what came is as the oracles say; false where they do not.
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
                return Err("the kernel fails for another reason than it should".into());
            }
            (Err(_), Some(Err(Fault::Division | Fault::Empty))) => return Ok(true),
            // Of an empty range nothing is chosen, even where nothing would have been asked for.
            (Err(Error::Choice { variable, .. }), _) if world.layout.extents[*variable] == 0 => {
                return Ok(true);
            }
            (Err(error), _) => return Err(format!("the kernel failed: {error}")),
            // What overflows is nobody's business.
            (Ok(_), Some(Err(Fault::Overflow))) => return Ok(false),
            (Ok(_), Some(Err(fault))) => {
                return Err(format!("the kernel does not fail, but should for {fault:?}"));
            }
            (Ok(results), Some(Ok(expected))) => (results, expected),
            (Ok(_), None) => return Ok(true),
        };
        let (first_way, first) = &results[0];
        for (way, result) in results {
            let wrong = |reason: String| format!("{way}: {reason}");
            check_order(result).map_err(wrong)?;
            let has_fill = self.drops_fill();
            let freedom = Freedom {
                more: result.pads || result.shape.is_empty() || has_fill,
                less: result.drops || result.pads && !result.full || has_fill,
            };
            check_values(result, &expected.cells, expected.fill, freedom).map_err(wrong)?;
            // A sum of sums of parts is rounded differently.
            let is_exact = first.ordered && !first.shape.is_empty();
            if is_exact && result != first && !is_same(result, first) {
                return Err(format!("{way} differs from {first_way}:\n{result:?}\n{first:?}"));
            }
        }
        if first.ordered && !first.drops && !first.pads && !first.shape.is_empty() {
            self.check_structure(first, &expected.cells, run)?;
        }
        interpreted::check(self.function, run).map(|()| true)
    }

    /// Whether the result stores everything, whatever is stored of the operands.
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

    /// What the oracles say; nothing where they would take too long.
    fn expected(
        &self,
        world: &World,
        run: &Run,
    ) -> Result<Option<Result<Expected, Fault>>, String> {
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
        let points = world.layout.extents.values().fold(1_usize, |all, n| all.saturating_mul(*n));
        if points > 20_000 {
            return Ok(joined.map(|cells| Ok(expected(cells))));
        }
        let visited = grid::evaluate(&meaning, &operands);
        match (joined, &visited) {
            (_, Err(Fault::Types)) => Err("the oracle does not know what types these are".into()),
            (Some(joined), Ok(visited)) if !is_same_cells(&joined, visited) => {
                Err(format!("the oracles disagree:\n{joined:?}\n{visited:?}"))
            }
            _ => Ok(Some(visited.map(expected))),
        }
    }

    /// What the result comes to where a part of it is computed: outside of that it stays as it was.
    fn beside(&self, expected: Expected, world: &World, run: &Run) -> Expected {
        let Statement { result, .. } = self.statement;
        let Some(view) = self.statement.view(result) else { return expected };
        let place = |at: &[usize]| world.layout.place(&view.modes, at, &result.variables);
        let shape: Vec<usize> = result.variables.iter().map(|v| world.layout.extents[v]).collect();
        // Of equal coordinates the last wins.
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

    /// What is stored, by the names of accesses.
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

    /// What an access reads of its tensor, by all coordinates of its variables.
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

    /// Returns whether entries that equal the result's fill may be dropped: results that have a fill are
    /// listed as a whole and packed.
    fn drops_fill(&self) -> bool {
        self.fills.contains_key(&self.statement.result.tensor)
            && self.semiring == Semiring::PlusTimes
    }

    /// The arrays are those of the same entries, packed.
    fn check_structure(&self, result: &Stored, cells: &Cells, run: &Run) -> Result<(), String> {
        if self.drops_fill() {
            return Ok(());
        }
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
