//! Runs a case of the corpus: generated code, interpreter and oracle must agree.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sparsegen::Error;
use sparsegen_build::ir::{Function, Limit, Operand, Result as IrResult};
use sparsegen_build::{Dtype, compile_str};

use crate::files;
use crate::interpreted;
use crate::number::Number;
use crate::oracle::{Cell, Cells, Operands, grid, relation};
use crate::statement::{Access, Statement};
use crate::typed::{Driver, Run, Stored};
use crate::worlds::{self, Entries, Kind, World};

/// A case as the build script leaves it.
pub struct Case {
    /// The kernel's name.
    pub name: &'static str,
    /// Where in the corpus it stands.
    pub place: &'static str,
    /// The statement.
    pub statement: &'static str,
    /// The manifest that declares the kernel.
    pub manifest: &'static str,
    /// What the compiler made of it.
    pub outcome: Outcome,
}

/// What the compiler made of a case when the tests were built.
pub enum Outcome {
    /// A kernel and its source.
    Compiled {
        /// Calls the kernel.
        run: Driver,
        /// The generated source.
        source: &'static str,
    },
    /// Mistakes where there should be none, as a user would see them.
    Failed(&'static str),
    /// The case has to be refused, with this reason.
    Refused(&'static str),
}

impl Case {
    /// Runs the case on all that fits it.
    ///
    /// # Panics
    /// Where anything is not as it has to be, with all that is needed to see why.
    pub fn check(&self) {
        if let Err(reason) = self.try_check() {
            panic!(
                "\n{}: case `{}`\n\n{}\n{}\n",
                self.place,
                self.name,
                self.manifest,
                reason.trim_end()
            );
        }
    }

    fn try_check(&self) -> Result<(), String> {
        match &self.outcome {
            Outcome::Failed(diagnostics) => Err((*diagnostics).to_owned()),
            Outcome::Refused(reason) => self.check_refusal(reason),
            Outcome::Compiled { run, source } => {
                let function = self.compile(source)?;
                let statement = Statement::parse(self.statement)?;
                let kernel = Kernel { statement: &statement, function: &function, run: *run };
                let kind = kind(&function);
                let mut worlds = worlds::worlds(self.name, &statement, kind);
                if dtype(&function) == Dtype::F64 {
                    worlds.extend(files::worlds(
                        self.name,
                        &statement,
                        &dense(&statement, &function),
                    ));
                }
                let mut checked = false;
                for world in worlds {
                    checked |= kernel.check(&world).map_err(|reason| show(&world, &reason))?;
                }
                if !checked {
                    return Err("no operands fit its formats".into());
                }
                kernel.check_disagreements(self.name, kind)?;
                kernel.check_parts(self.name, kind)
            }
        }
    }

    fn check_refusal(&self, reason: &str) -> Result<(), String> {
        let output = compile_str("case.toml", self.manifest);
        let shown = output.diagnostics.render("case.toml", self.manifest);
        if output.diagnostics.is_empty() {
            Err(format!("compiles, but should be refused because it `{reason}`"))
        } else if !shown.contains(reason) {
            Err(format!("is refused, but not because it `{reason}`:\n{shown}"))
        } else {
            Ok(())
        }
    }

    /// The kernel's intermediate representation; its source is what it was in the build script.
    fn compile(&self, source: &str) -> Result<Function, String> {
        let output = compile_str("case.toml", self.manifest);
        if output.source != source {
            return Err("compiles to other bytes than in the build script".into());
        }
        output.kernels.into_iter().next().ok_or_else(|| "has no kernel".into())
    }
}

fn dtype(function: &Function) -> Dtype {
    match &function.result {
        IrResult::Scalar { dtype, .. } => *dtype,
        IrResult::Tensor(tensor) => tensor.dtype,
    }
}

/// The tensors whose formats may take memory for many more coordinates than are stored.
fn dense<'c>(statement: &'c Statement, function: &'c Function) -> Vec<&'c str> {
    const COMPACT: [&str; 9] =
        ["Csr", "Csc", "Dcsr", "Dcsc", "Coo", "Csf", "SparseVector", "CooUnordered", "HashRows"];
    let of_operands = function.operands.iter().filter_map(|operand| match operand {
        Operand::Tensor(tensor) => Some((tensor.tensor.as_str(), tensor.format.as_str())),
        Operand::Scalar { .. } | Operand::Index { .. } => None,
    });
    let of_result = match &function.result {
        IrResult::Tensor(tensor) => Some((tensor.tensor.as_str(), tensor.format.as_str())),
        IrResult::Scalar { .. } => None,
    };
    let is_compact = |format: &str| COMPACT.contains(&format.split('<').next().unwrap_or(format));
    let formats: Vec<_> = of_operands.chain(of_result).collect();
    let is_dense = |access: &&Access| {
        let tensor = statement.tensor(access);
        formats.iter().any(|(name, format)| *name == tensor && !is_compact(format))
    };
    statement.accesses().into_iter().filter(is_dense).map(|access| &*access.tensor).collect()
}

/// What the element type can hold.
fn kind(function: &Function) -> Kind {
    let dtype = dtype(function);
    if dtype.is_complex() {
        Kind::Complex
    } else if dtype.is_unsigned() {
        Kind::Unsigned
    } else {
        Kind::Signed
    }
}

/// A reason with the operands that it is about, if they are small.
fn show(world: &World, reason: &str) -> String {
    let mut text = format!("operands `{}`, extents {:?}\n", world.name, world.layout.extents);
    for (name, operand) in &world.operands {
        let mut entries = operand.entries.clone();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let shown: Vec<String> =
            entries.iter().take(60).map(|(at, value)| format!("{at:?}: {value}")).collect();
        let more = if entries.len() > 60 { ", …" } else { "" };
        let _ = writeln!(text, "{name}, of shape {:?}: {}{more}", operand.shape, shown.join(", "));
    }
    text + "\n" + reason
}

struct Kernel<'c> {
    statement: &'c Statement,
    function: &'c Function,
    run: Driver,
}

impl Kernel<'_> {
    /// Whether the operands fit the formats; then the kernel is right on them.
    fn check(&self, world: &World) -> Result<bool, String> {
        let run = match (self.run)(&world.operands) {
            Ok(run) => run,
            // Narrow positions and coordinates, and slots of a fixed number, cannot hold all worlds.
            Err(Error::Width { .. } | Error::Pack { .. }) => return Ok(false),
            Err(error) => return Err(format!("the kernel failed: {error}")),
        };
        for (name, stored) in &run.operands {
            let Some(given) = world.operands.get(name) else { continue };
            check_packing(given, stored)
                .map_err(|reason| format!("operand {name} is packed wrongly: {reason}"))?;
        }
        let Some(cells) = self.expected(world, &run)? else { return Ok(true) };
        let (first_way, first) = &run.results[0];
        for (way, result) in &run.results {
            let wrong = |reason: String| format!("{way}: {reason}");
            check_order(result).map_err(wrong)?;
            let freedom = Freedom {
                more: operand_pads(&run) || self.may_store_more(result, world),
                less: result.drops || operand_pads(&run),
            };
            check_values(result, &cells, &run, freedom).map_err(wrong)?;
            if first.ordered && result != first && !is_same(result, first) {
                return Err(format!("{way} differs from {first_way}:\n{result:?}\n{first:?}"));
            }
        }
        if first.ordered
            && !first.drops
            && !operand_pads(&run)
            && !self.may_store_more(first, world)
        {
            self.check_structure(first, &cells, &run)?;
        }
        interpreted::check(self.function, &run).map(|()| true)
    }

    /// What the oracles say; nothing where they would take too long.
    fn expected(&self, world: &World, run: &Run) -> Result<Option<Cells>, String> {
        let mut operands = Operands::new();
        for (name, stored) in
            run.operands.iter().filter(|(name, _)| world.operands.contains_key(*name))
        {
            let cells = operands.entry(name.clone()).or_default();
            for (at, value) in &stored.entries {
                let sum = cells.entry(at.clone()).or_insert(Number::ZERO);
                *sum = *sum + *value;
            }
        }
        for view in &self.statement.views {
            let whole = operands[&view.of].iter();
            let part = whole.filter_map(|(at, value)| {
                world.layout.within(&view.modes, at).map(|at| (at, *value))
            });
            let part = part.collect();
            operands.insert(view.name.clone(), part);
        }
        let joined = relation::evaluate(self.statement, &operands, &world.layout.extents);
        let points = world.layout.extents.values().fold(1_usize, |all, n| all.saturating_mul(*n));
        if points > 20_000 {
            return Ok(joined);
        }
        let visited = grid::evaluate(self.statement, &operands, &world.layout.extents);
        match joined {
            Some(joined) if !is_same_cells(&joined, &visited) => {
                Err(format!("the oracles disagree:\n{joined:?}\n{visited:?}"))
            }
            _ => Ok(Some(visited)),
        }
    }

    /// Whether the result may store zeros where the oracle sees no reason to: its innermost level
    /// pads, or sums range over nothing, which kernels do not know beforehand.
    fn may_store_more(&self, result: &Stored, world: &World) -> bool {
        let pads = result.pads || result.shape.is_empty();
        let is_summed = |name: &&String| !self.statement.result.variables.contains(name);
        pads || world
            .layout
            .extents
            .keys()
            .filter(is_summed)
            .any(|name| world.layout.extents[name] == 0)
    }

    /// The arrays are those of the same entries, packed.
    fn check_structure(&self, result: &Stored, cells: &Cells, run: &Run) -> Result<(), String> {
        let entries = cells.iter().map(|(at, cell)| (at.clone(), cell.value)).collect();
        let entries = Entries { shape: result.shape.clone(), entries };
        let packed = (run.repack)(&entries).map_err(|error| error.to_string())?;
        if packed.arrays == result.arrays {
            return Ok(());
        }
        let arrays = |stored: &Stored| format!("{:?}", stored.arrays);
        Err(format!("the arrays are\n{}\nexpected\n{}", arrays(result), arrays(&packed)))
    }

    /// Where two modes of one variable differ in their extents, the kernel says so.
    fn check_disagreements(&self, name: &str, kind: Kind) -> Result<(), String> {
        let all = worlds::worlds(name, self.statement, kind);
        let Some(world) = all.first() else { return Ok(()) };
        for size in &self.function.sizes {
            let [(operand, mode), _, ..] = size.operands.as_slice() else { continue };
            let Operand::Tensor(tensor) = &self.function.operands[*operand] else { continue };
            let others = size.operands.iter().filter(|(other, _)| other != operand);
            if others.count() == 0 {
                continue;
            }
            // One that is read twice disagrees in several variables.
            let sizes = self.function.sizes.iter();
            let disagreeing: Vec<&str> = sizes
                .filter(|size| size.operands.contains(&(*operand, *mode)))
                .map(|size| size.variable.as_str())
                .collect();
            let mut world = world.clone();
            let operand = world.operands.get_mut(&tensor.tensor).expect("operands have names");
            operand.shape[*mode] += 1;
            match (self.run)(&world.operands) {
                Err(Error::Shape { variable, .. }) if disagreeing.contains(&variable) => {}
                Err(Error::Width { .. } | Error::Pack { .. }) => {}
                Err(error) => return Err(format!("another error than of shape: {error}")),
                Ok(_) => {
                    let (tensor, variable) = (&tensor.tensor, &size.variable);
                    return Err(format!("takes a {tensor} whose {variable} disagrees"));
                }
            }
        }
        Ok(())
    }
}

impl Kernel<'_> {
    /// Where a part that is read does not lie within its mode, the kernel says so.
    fn check_parts(&self, name: &str, kind: Kind) -> Result<(), String> {
        for world in worlds::worlds(name, self.statement, kind).iter().take(1) {
            for part in &self.function.parts {
                let Operand::Tensor(tensor) = &self.function.operands[part.operand] else {
                    continue;
                };
                let value = |limit: &Limit| match limit {
                    Limit::Number(number) => *number as usize,
                    Limit::Argument(name) => world.layout.parameters[name],
                };
                let end = part.end.as_ref().map_or(value(&part.start) + 1, value);
                let mut world = world.clone();
                let operand = world.operands.get_mut(&tensor.tensor).expect("operands have names");
                operand.entries.clear();
                let Some(short) = end.checked_sub(1) else { continue };
                operand.shape[part.mode] = short;
                match (self.run)(&world.operands) {
                    Err(Error::Slice { .. } | Error::Index { .. }) => {}
                    Err(Error::Width { .. } | Error::Pack { .. }) => {}
                    Err(error) => return Err(format!("another error than of a part: {error}")),
                    Ok(_) => {
                        return Err(format!("takes a {} that is too short", tensor.tensor));
                    }
                }
            }
        }
        Ok(())
    }
}

/// In what a result's structure may differ from the oracle's: by zeros that are stored although there
/// is no reason to, or not stored although an operand stores them.
#[derive(Clone, Copy)]
struct Freedom {
    more: bool,
    less: bool,
}

/// Whether some operand stores zeros of which nobody can tell whether they were given to it.
fn operand_pads(run: &Run) -> bool {
    run.operands.values().any(|stored| stored.pads && !stored.full)
}

/// What the oracle expects is stored, and nothing else, or only zeros.
fn check_values(result: &Stored, cells: &Cells, run: &Run, freedom: Freedom) -> Result<(), String> {
    // A level that is not unique may hold a coordinate more than once.
    let mut stored: BTreeMap<&Vec<usize>, Number> = BTreeMap::new();
    for (at, value) in &result.entries {
        let sum = stored.get(at).map_or(*value, |sum| *sum + *value);
        stored.insert(at, sum);
    }
    let all_whole = run.operands.values().all(|operand| operand.vals.iter().all(is_whole));
    for (at, cell) in cells {
        match stored.get(at) {
            // What cancels to zero in one order of a sum may not in another.
            None if freedom.less && Number::ZERO.is_like(cell.value, error_of(cell, all_whole)) => {
            }
            None => return Err(format!("{at:?} is not stored, expected {}", cell.value)),
            Some(value) if !value.is_like(cell.value, error_of(cell, all_whole)) => {
                return Err(format!("at {at:?} is {value}, expected {}", cell.value));
            }
            Some(_) => {}
        }
    }
    for (at, value) in stored.iter().filter(|(at, _)| !cells.contains_key(**at)) {
        if !freedom.more {
            return Err(format!("{at:?} is stored, but known to be zero"));
        }
        if !value.is_zero() {
            return Err(format!("at {at:?} is {value}, expected 0"));
        }
    }
    Ok(())
}

fn is_whole(value: &Number) -> bool {
    value.re.fract() == 0.0 && value.im.fract() == 0.0
}

/// How far a value may be off: not at all where all operands are whole and nothing is divided.
fn error_of(cell: &Cell, all_whole: bool) -> f64 {
    if all_whole && is_whole(&cell.value) { 0.0 } else { 1e-6 * cell.magnitude }
}

fn check_packing(given: &Entries, stored: &Stored) -> Result<(), String> {
    let mut sums: BTreeMap<&Vec<usize>, Number> = BTreeMap::new();
    for (at, value) in &given.entries {
        let sum = sums.entry(at).or_insert(Number::ZERO);
        *sum = *sum + *value;
    }
    for (at, value) in &stored.entries {
        let sum = sums.entry(at).or_insert(Number::ZERO);
        *sum = *sum - *value;
    }
    // Unsigned and narrow types hold other numbers than they are given in no case.
    match sums.iter().find(|(_, rest)| rest.magnitude() > 1e-4) {
        Some((at, rest)) => Err(format!("{at:?} is off by {rest}")),
        None => Ok(()),
    }
}

/// Entries come in the order of the levels, each coordinate once.
fn check_order(result: &Stored) -> Result<(), String> {
    let by_level =
        |at: &Vec<usize>| -> Vec<usize> { result.modes.iter().map(|mode| at[*mode]).collect() };
    if !result.ordered || result.modes.is_empty() {
        return Ok(());
    }
    for pair in result.entries.windows(2) {
        let (before, after) = (by_level(&pair[0].0), by_level(&pair[1].0));
        if before >= after {
            return Err(format!("{:?} is stored before {:?}", pair[0].0, pair[1].0));
        }
    }
    Ok(())
}

/// Equal, where what is no number equals itself.
fn is_same(a: &Stored, b: &Stored) -> bool {
    a.arrays == b.arrays
        && a.vals.len() == b.vals.len()
        && a.vals.iter().zip(&b.vals).all(|(a, b)| a.is_like(*b, 0.0))
}

fn is_same_cells(a: &Cells, b: &Cells) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|((at, a), (other, b))| {
            at == other && a.known == b.known && a.value.is_like(b.value, 1e-9 * a.magnitude)
        })
}
