//! The operands of the local problem of a rank.

use std::sync::Arc;

use super::Exchanged;
use super::entries::Numbers;
use super::exchange::Exchange;
use super::inspect::{Storage, Used};
use super::plan::{Inspected, Operand, Plan};
use crate::tensor::Structure;
use crate::{Assembly, Error, Format, Shape, View};

/// The part of an operand that a rank reads: its structure in the local problem, and where its values
/// come from.
pub struct Part<V, F: Format> {
    name: &'static str,
    kernel: &'static str,
    /// The structure for which the plan was made.
    stored: Storage,
    structure: Arc<Structure<F>>,
    /// The positions of the entries, in a format that pads, where the values tell which are entries.
    positions: Option<Vec<usize>>,
    exchange: Option<Exchange>,
    /// `true` if the rank reads values of the operand as it has them, `false` if those exchanged.
    reads_own: bool,
    /// The values exchanged in the last run.
    exchanged: Vec<V>,
    reads: Reads<V, F>,
}

enum Reads<V, F: Format> {
    /// The operand as the rank has it.
    Same,
    /// All values, in the same order, at other coordinates.
    Renumbered(Assembly<F>),
    /// Some values, or in another order.
    Gathered(Box<Gathered<V, F>>),
}

struct Gathered<V, F: Format> {
    assembly: Assembly<F>,
    /// For each position, the number of its value among the values that the rank has or has exchanged.
    sources: Sources,
    /// The values of the last run.
    vals: Vec<V>,
}

/// Where the values of a tensor come from.
enum Sources {
    /// Each position has a value.
    All(Numbers),
    /// Positions without a value have the fill value.
    Padded(Vec<Option<usize>>),
}

impl<V: Exchanged, F: Format> Part<V, F> {
    /// Prepares the part of an operand, given by its number. Not collective, so that the errors of
    /// all operands can be agreed on together.
    ///
    /// # Errors
    /// The errors of [`Assembly::new`].
    pub fn of(plan: &mut Plan, operand: usize, tensor: Operand<'_, V, F>) -> Result<Self, Error> {
        let Plan { division, local, exchanges, .. } = plan;
        let (scheme, exchange) = (division.scheme, exchanges[operand].take());
        let indexed = &scheme.operands[operand];
        let (tensor, positions) = (tensor.local(), tensor.local().positions());
        let position = |number: usize| positions.as_ref().map_or(number, |all| all[number]);
        let Used { entries, numbers, are_same } = local.operands[operand].take();
        let reads_own = exchange.as_ref().is_none_or(|exchange| exchange.keeps_own);
        let is_own =
            |(mode, v): (usize, &usize)| division.are_needed(operand, mode, &local.needed[*v]);
        let is_same =
            are_same || exchange.is_none() && indexed.variables.iter().enumerate().all(is_own);
        let mut shape = F::Shape::splat(0);
        for (extent, v) in shape.as_mut().iter_mut().zip(indexed.variables) {
            *extent = local.needed[*v].extent(division.extents[*v]);
        }
        let reads = if reads_own && is_same && shape == tensor.shape() {
            Reads::Same
        } else {
            let coordinates = |number| {
                let mut coordinate = F::Shape::splat(0);
                entries.coordinate(number, coordinate.as_mut());
                coordinate
            };
            let all = (0..entries.len()).map(coordinates);
            let assembly = Assembly::<F>::of_columns(shape, entries.narrow(), all)?;
            let source = |number: usize| match reads_own {
                true => position(numbers.at(number)),
                false => numbers.at(number),
            };
            let found = || assembly.numbers().map(|number| number.map(source));
            let sources = match found().all(|number| number.is_some()) {
                true => Sources::All(Numbers::listed(found().flatten())),
                false => Sources::Padded(found().collect()),
            };
            let count = match &exchange {
                Some(exchange) if !reads_own => exchange.received() + exchange.own.len(),
                Some(_) | None => tensor.vals().len(),
            };
            match sources {
                Sources::All(sources) if sources.are_all(count) => Reads::Renumbered(assembly),
                sources => {
                    Reads::Gathered(Box::new(Gathered { assembly, sources, vals: Vec::new() }))
                }
            }
        };
        let exchange = match &positions {
            Some(positions) => exchange.map(|exchange| exchange.of_positions(positions)),
            None => exchange,
        };
        let positions = positions.filter(|_| !tensor.all_are_entries());
        Ok(Part {
            name: indexed.name,
            kernel: scheme.kernel,
            stored: division.operands[operand].clone(),
            structure: Arc::clone(tensor.structure()),
            positions,
            exchange,
            reads_own,
            exchanged: Vec::new(),
            reads,
        })
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
        let Storage { shape, layout, .. } = operand.stored();
        if layout != self.stored.layout {
            return refused("layout");
        }
        let same = Arc::ptr_eq(local.structure(), &self.structure);
        if shape != self.stored.shape
            || !same && ***local.structure() != **self.structure
            || self.positions.is_some() && local.positions() != self.positions
        {
            return refused("structure");
        }
        Ok(())
    }

    /// Exchanges the values of an operand that [`Part::check`] has accepted. Collective.
    pub fn receive(&mut self, plan: &Plan, operand: Operand<'_, V, F>) {
        if let Some(exchange) = &self.exchange {
            exchange.run(&plan.world, operand.local().vals(), &mut self.exchanged);
        }
    }

    /// Returns the operand of the local problem, after [`Part::receive`].
    pub fn view<'v>(&'v mut self, operand: Operand<'v, V, F>) -> View<'v, V, F> {
        let from = if self.reads_own { operand.local().vals() } else { &self.exchanged };
        match &mut self.reads {
            Reads::Same => operand.local().view(),
            Reads::Renumbered(assembly) => assembly.view(from),
            Reads::Gathered(gathered) => {
                let Gathered { assembly, sources, vals } = &mut **gathered;
                vals.clear();
                match sources {
                    Sources::All(sources) => sources.pick_into(from, vals),
                    Sources::Padded(sources) => {
                        let value = |source: &Option<usize>| source.map(|number| from[number]);
                        let filler = V::filler(F::FILL);
                        vals.extend(sources.iter().map(|one| value(one).unwrap_or(filler)));
                    }
                }
                assembly.view(vals)
            }
        }
    }
}
