//! The operands of the local problem of a rank.

use std::sync::Arc;

use mpi::traits::Equivalence;

use super::exchange::Exchange;
use super::inspect::{Needed, Stored};
use super::plan::{Inspected, Operand, Plan};
use crate::{Assembly, Error, Format, Shape, Tensor, Value, View};

/// The part of an operand that a rank reads: its structure in the local problem, and where its values
/// come from.
pub struct Part<V: Value, F: Format> {
    name: &'static str,
    kernel: &'static str,
    /// The structure for which the plan was made.
    stored: Stored,
    structure: Arc<F::Levels>,
    /// The positions of the entries, in a format that pads, where the values tell which are entries.
    positions: Option<Vec<usize>>,
    reads: Reads<V, F>,
}

enum Reads<V: Value, F: Format> {
    /// The operand as the rank has it.
    Same,
    /// The values of the operand, at other coordinates.
    Renumbered(Assembly<F>),
    /// Some values of the operand, or of the operands of all ranks.
    Gathered(Box<Gathered<V, F>>),
}

struct Gathered<V: Value, F: Format> {
    exchange: Option<Exchange>,
    /// For each local entry, the number of its value among those exchanged, or its position.
    picked: Vec<usize>,
    assembly: Assembly<F>,
    values: Vec<V>,
    local: Tensor<V, F>,
}

impl<V: Value + Equivalence, F: Format> Part<V, F> {
    /// Prepares the part of an operand, given by its number. Not collective, so that the errors of
    /// all operands can be agreed on together.
    ///
    /// # Errors
    /// The errors of [`Assembly::new`].
    pub fn of(plan: &mut Plan, operand: usize, tensor: Operand<'_, V, F>) -> Result<Self, Error> {
        let Plan { division, local, exchanges, .. } = plan;
        let (scheme, exchange) = (division.scheme, exchanges[operand].take());
        let indexed = &scheme.operands[operand];
        let positions = tensor.local().positions();
        let count = tensor.local().vals().len();
        let part = |reads| Part {
            positions: (!tensor.local().all_are_entries()).then(|| positions.clone()),
            name: indexed.name,
            kernel: scheme.kernel,
            stored: division.operands[operand].clone(),
            structure: Arc::clone(tensor.local().structure()),
            reads,
        };
        let is_distributed = division.operands[operand].layout.is_some();
        let is_same = |(mode, v): (usize, &usize)| {
            local.needed[*v] == Needed::All
                || *v == scheme.by && is_distributed && mode == indexed.outermost
        };
        if exchange.is_none() && indexed.variables.iter().enumerate().all(is_same) {
            return Ok(part(Reads::Same));
        }
        let mut shape = F::Shape::splat(0);
        for (extent, v) in shape.as_mut().iter_mut().zip(indexed.variables) {
            *extent = local.needed[*v].extent(division.extents[*v]);
        }
        let entries = std::mem::take(&mut local.entries[operand]);
        let (mut picked, mut coordinates) = (Vec::new(), Vec::new());
        for (number, entry) in entries.iter().enumerate() {
            let Some(numbered) = local.numbered(indexed.variables, entry) else { continue };
            let mut coordinate = F::Shape::splat(0);
            coordinate.as_mut().copy_from_slice(&numbered);
            coordinates.push(coordinate);
            picked.push(number);
        }
        let assembly = Assembly::<F>::new(shape, coordinates)?;
        let is_all = picked.len() == count && positions.iter().copied().eq(0..count);
        if exchange.is_none() && is_all && assembly.keeps_order() {
            return Ok(part(Reads::Renumbered(assembly)));
        }
        let exchange = exchange.map(|mut exchange| {
            for list in [&mut exchange.sent, &mut exchange.own] {
                list.iter_mut().for_each(|number| *number = positions[*number]);
            }
            exchange
        });
        if exchange.is_none() {
            picked.iter_mut().for_each(|number| *number = positions[*number]);
        }
        let local = assembly.fill(&vec![V::ONE; picked.len()])?;
        let values = Vec::new();
        let gathered = Gathered { exchange, picked, assembly, values, local };
        Ok(part(Reads::Gathered(Box::new(gathered))))
    }

    /// Checks that an operand has the structure and the layout for which the plan was made. Not
    /// collective.
    ///
    /// # Errors
    /// [`Error::Argument`].
    pub fn check(&self, operand: Operand<'_, V, F>) -> Result<(), Error> {
        let (local, name) = (operand.local(), self.name);
        let refused = |what: &str| {
            let reason =
                format!("the plan was made for another {what} of `{name}`; make a new plan");
            Err(Error::Argument { function: self.kernel, reason })
        };
        let Stored { shape, layout, .. } = operand.stored();
        if layout != self.stored.layout {
            return refused("layout");
        }
        let same = Arc::ptr_eq(local.structure(), &self.structure);
        let entries = self.positions.as_ref();
        if shape != self.stored.shape
            || !same && **local.structure() != *self.structure
            || entries.is_some_and(|positions| local.positions() != *positions)
        {
            return refused("structure");
        }
        Ok(())
    }

    /// Exchanges the values of an operand that [`Part::check`] has accepted. Collective.
    pub fn receive(&mut self, plan: &Plan, operand: Operand<'_, V, F>) {
        let Reads::Gathered(gathered) = &mut self.reads else { return };
        let Gathered { exchange, picked, values, .. } = &mut **gathered;
        let vals = operand.local().vals();
        let exchanged = exchange.as_ref().map(|exchange| exchange.run(&plan.world, vals, V::ZERO));
        let vals = exchanged.as_deref().unwrap_or(vals);
        values.clear();
        values.extend(picked.iter().map(|number| vals[*number]));
    }

    /// Returns the operand of the local problem, after [`Part::receive`].
    ///
    /// # Errors
    /// The errors of [`Assembly::fill`].
    pub fn view<'v>(&'v mut self, operand: Operand<'v, V, F>) -> Result<View<'v, V, F>, Error> {
        match &mut self.reads {
            Reads::Same => Ok(operand.local().view()),
            Reads::Renumbered(assembly) => Ok(assembly.view(operand.local().vals())),
            Reads::Gathered(gathered) => {
                let Gathered { assembly, values, local, .. } = &mut **gathered;
                assembly.fill_into(local, values)?;
                Ok(local.view())
            }
        }
    }
}
