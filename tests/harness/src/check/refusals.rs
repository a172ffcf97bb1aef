//! Checks that kernels reject invalid operands.

use sparsegen::Error;
use sparsegen_build::ir::{self, Function, Limit, Operand, Source};

use crate::check::kernel::Kernel;
use crate::number::Number;
use crate::worlds::World;

impl Kernel<'_> {
    /// Calls the kernel and drops its results.
    fn call(&self, world: &World) -> Result<(), Error> {
        (self.run)(&world.operands)?.results.map(|_| ())
    }

    /// Checks that the kernel rejects operands with different extents for one variable. `all` are the
    /// functions of all its statements, each of which may be the one that finds them.
    pub fn check_disagreements(&self, world: &World, all: &[&Function]) -> Result<(), String> {
        for size in &self.function.sizes {
            let given = size.operands.iter().filter(|(operand, _)| {
                let name = match &self.function.operands[*operand] {
                    Operand::Tensor(tensor) => tensor.tensor.as_str(),
                    operand => operand.name(),
                };
                !self.computed.contains(&name)
            });
            let given: Vec<&(usize, usize)> = given.collect();
            let [(operand, mode), _, ..] = given.as_slice() else { continue };
            if size.constant.is_some() {
                continue;
            }
            let Operand::Tensor(tensor) = &self.function.operands[*operand] else { continue };
            // A mode that is read several times may have several variables.
            let mut disagreeing: Vec<&str> = Vec::new();
            for function in all {
                let is_same = |operand: &usize| match &function.operands[*operand] {
                    Operand::Tensor(of) => of.tensor == tensor.tensor,
                    _ => false,
                };
                let is_mode = |(operand, of): &(usize, usize)| of == mode && is_same(operand);
                let sizes = function.sizes.iter().filter(|size| size.operands.iter().any(is_mode));
                disagreeing.extend(sizes.map(|size| size.variable.as_str()));
            }
            let mut world = world.clone();
            let operand = world.operands.get_mut(&tensor.tensor).expect("operands have names");
            operand.shape[*mode] += 1;
            match self.call(&world) {
                Err(Error::Shape { variable, .. }) if disagreeing.contains(&variable) => {}
                Err(Error::Width { .. } | Error::Pack { .. }) => {}
                Err(error) => return Err(format!("an error other than of the shape: {error}")),
                Ok(()) => {
                    let (tensor, variable) = (&tensor.tensor, &size.variable);
                    return Err(format!("accepts {tensor} with a different extent of {variable}"));
                }
            }
        }
        Ok(())
    }

    /// Checks that the kernel rejects operands whose extent differs from the constant.
    pub fn check_constants(&self, world: &World) -> Result<(), String> {
        let sizes = self.function.sizes.iter().filter(|size| size.constant.is_some());
        for size in sizes {
            let Some((operand, mode)) = size.operands.first() else { continue };
            let Operand::Tensor(tensor) = &self.function.operands[*operand] else { continue };
            if self.computed.contains(&tensor.tensor.as_str()) {
                continue;
            }
            let mut world = world.clone();
            let operand = world.operands.get_mut(&tensor.tensor).expect("operands have names");
            operand.shape[*mode] += 1;
            match self.call(&world) {
                Err(Error::Extent { .. } | Error::Width { .. } | Error::Pack { .. }) => {}
                Err(error) => return Err(format!("an error other than of the extent: {error}")),
                Ok(()) => {
                    let (tensor, variable) = (&tensor.tensor, &size.variable);
                    return Err(format!("accepts {tensor} with any extent of {variable}"));
                }
            }
        }
        Ok(())
    }

    /// Checks that the kernel rejects operands that are shorter than a slice of them.
    pub fn check_parts(&self, world: &World) -> Result<(), String> {
        for part in &self.function.parts {
            let name = match (part.of, &self.function.result) {
                (Source::Operand(operand), _) => match &self.function.operands[operand] {
                    Operand::Tensor(tensor) => &tensor.tensor,
                    Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => {
                        continue;
                    }
                },
                (Source::Result, ir::Result::Tensor(result)) => &result.tensor,
                (Source::Result, ir::Result::Scalar { .. }) => continue,
            };
            // The extents of an earlier result depend on other operands.
            if self.computed.contains(&name.as_str()) {
                continue;
            }
            let value = |limit: &Limit| match limit {
                Limit::Number(number) => *number as usize,
                Limit::Argument(name) => world.layout.parameters[name],
            };
            let listed = |list: &[usize]| list.iter().max().map_or(0, |most| most + 1);
            let end = match &part.reads {
                ir::Reads::Range { end, .. } => value(end),
                ir::Reads::At(at) => value(at) + 1,
                ir::Reads::Listed(ir::List::Argument(name) | ir::List::LastOf { of: name, .. }) => {
                    listed(&world.layout.lists[name])
                }
                ir::Reads::Listed(ir::List::Numbers { numbers, .. }) => {
                    numbers.iter().flatten().max().map_or(0, |most| *most as usize + 1)
                }
            };
            let mut world = world.clone();
            let operand = world.operands.get_mut(name).expect("operands have names");
            operand.entries.clear();
            let Some(short) = end.checked_sub(1) else { continue };
            operand.shape[part.mode] = short;
            match self.call(&world) {
                Err(Error::Slice { .. } | Error::Index { .. }) => {}
                Err(Error::Width { .. } | Error::Pack { .. }) => {}
                // An earlier statement may require a larger extent of the same tensor.
                Err(Error::Shape { .. }) if !self.computed.is_empty() => {}
                Err(error) => return Err(format!("an error other than of the slice: {error}")),
                Ok(()) => {
                    return Err(format!("accepts {name} although it is too short"));
                }
            }
        }
        self.check_gathers(world)
    }

    /// Checks that the kernel rejects elements that are not coordinates of the mode that they
    /// index.
    fn check_gathers(&self, world: &World) -> Result<(), String> {
        for (by, of, mode) in self.statement.gathers() {
            let mut world = world.clone();
            let extent = world.layout.shapes[of][mode];
            let operand = world.operands.get_mut(by).expect("operands have names");
            let Some((_, value)) = operand.entries.first_mut() else { continue };
            *value = Number::Whole(extent as i128);
            match self.call(&world) {
                Err(Error::Gather { .. } | Error::Width { .. } | Error::Pack { .. }) => {}
                Err(error) => return Err(format!("an error other than of the gather: {error}")),
                Ok(()) => return Err(format!("accepts {by} with a coordinate outside of {of}")),
            }
        }
        Ok(())
    }
}
