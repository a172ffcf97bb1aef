//! Runs a kernel on operands and asks the oracles what it must come to.

use sparsegen::Error;
use sparsegen_build::ir::{Function, Limit, Operand};

use crate::check::compare::{
    Freedom, check_order, check_packing, check_values, is_same, is_same_cells, operand_pads,
};
use crate::interpreted;
use crate::number::Number;
use crate::oracle::{Cells, Operands, grid, relation};
use crate::statement::Statement;
use crate::typed::{Driver, Run, Stored};
use crate::worlds::{self, Entries, Kind, World};

/// A kernel of a case.
pub struct Kernel<'c> {
    /// What it is of.
    pub statement: &'c Statement,
    /// Its intermediate representation.
    pub function: &'c Function,
    /// Calls it.
    pub run: Driver,
}

impl Kernel<'_> {
    /// Whether the operands fit the formats; then the kernel is right on them.
    pub fn check(&self, world: &World) -> Result<bool, String> {
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
    pub fn check_disagreements(&self, name: &str, kind: Kind) -> Result<(), String> {
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
    pub fn check_parts(&self, name: &str, kind: Kind) -> Result<(), String> {
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
