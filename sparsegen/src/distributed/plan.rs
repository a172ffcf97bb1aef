//! Plans: what the ranks exchange in each run of a kernel, and the local problems.

use std::sync::Arc;

use mpi::traits::Equivalence;

use super::exchange::{Exchange, fetch};
use super::inspect::{Division, Entries, Local, Needed, Request, Stored};
use super::scheme::Scheme;
use super::tensor::{entries, outermost, sent_to_owners};
use super::{Distributed, Report, Traffic, World};
use crate::tensor::Merge;
use crate::{Assembly, Error, Format, Levels, Shape, Tensor, Value, View};

/// An operand of a kernel on several ranks: a reference to a [`Distributed`] tensor, or to a
/// [`Tensor`] that every rank has whole.
pub enum Operand<'t, V, F: Format> {
    /// A distributed tensor.
    Distributed(&'t Distributed<V, F>),
    /// A tensor that every rank has.
    Replicated(&'t Tensor<V, F>),
}

impl<V, F: Format> Clone for Operand<'_, V, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V, F: Format> Copy for Operand<'_, V, F> {}

impl<'t, V, F: Format> From<&'t Distributed<V, F>> for Operand<'t, V, F> {
    fn from(tensor: &'t Distributed<V, F>) -> Self {
        Operand::Distributed(tensor)
    }
}

impl<'t, V, F: Format> From<&'t Tensor<V, F>> for Operand<'t, V, F> {
    fn from(tensor: &'t Tensor<V, F>) -> Self {
        Operand::Replicated(tensor)
    }
}

impl<'t, V: Value, F: Format> Operand<'t, V, F> {
    /// Returns the tensor that this rank has.
    fn local(self) -> &'t Tensor<V, F> {
        match self {
            Operand::Distributed(tensor) => &tensor.local,
            Operand::Replicated(tensor) => tensor,
        }
    }
}

/// The structure of an operand.
#[doc(hidden)]
pub trait Inspected {
    fn stored(&self) -> Stored;
    fn entries(&self) -> Entries;
}

impl<V: Value, F: Format> Inspected for Operand<'_, V, F> {
    fn stored(&self) -> Stored {
        let (shape, layout) = match self {
            Operand::Distributed(tensor) => (tensor.shape, Some(tensor.layout.clone())),
            Operand::Replicated(tensor) => (tensor.shape(), None),
        };
        Stored { shape: shape.as_ref().to_vec(), layout }
    }

    fn entries(&self) -> Entries {
        let start = match self {
            Operand::Distributed(tensor) => tensor.layout.range(tensor.rank).start,
            Operand::Replicated(_) => 0,
        };
        entries(self.local(), start)
    }
}

/// The exchange of the ranks in each run of a kernel.
pub struct Plan {
    world: World,
    division: Division,
    local: Local,
    /// The exchange of each operand that is fetched, until it belongs to a [`Part`].
    exchanges: Vec<Option<Exchange>>,
    report: Report,
}

impl Plan {
    /// Determines which entries of the operands this rank needs, and which ranks own them. Collective.
    ///
    /// # Errors
    /// [`Error::Rank`] if extents or layouts of operands do not match.
    pub fn new(
        world: &World,
        scheme: &'static Scheme,
        operands: &[&dyn Inspected],
    ) -> Result<Plan, Error> {
        let stored = operands.iter().map(|operand| operand.stored()).collect();
        let division = world.agree(Division::of(scheme, stored, world.size()))?;
        let mut exchanges: Vec<Option<Exchange>> = operands.iter().map(|_| None).collect();
        let local = division.inspect(world.rank(), &mut |Request { operand, outermost }| {
            let own = operands[operand].entries();
            let Some(needed) = outermost else { return Ok(own) };
            let layout = division.operands[operand].layout.as_ref();
            let layout = layout.expect("only distributed operands are fetched");
            let mode = scheme.operands[operand].outermost;
            let (entries, exchange) = fetch(world, layout, own, mode, needed)?;
            exchanges[operand] = Some(exchange);
            Ok(entries)
        })?;
        let of_all =
            |count: &dyn Fn(&Exchange) -> usize| exchanges.iter().flatten().map(count).sum();
        let own = [
            local.used(&division),
            of_all(&|exchange| exchange.sent.len()),
            of_all(&|exchange| exchange.received()),
            of_all(&|exchange| exchange.messages),
            division.contributions(world.rank(), &local.needed),
        ];
        let traffic = |[entries, sent, received, messages, contributions]: &[usize; 5]| Traffic {
            entries: *entries,
            sent: *sent,
            received: *received,
            messages: *messages,
            contributions: *contributions,
        };
        let report = Report { ranks: world.gather(own).iter().map(traffic).collect() };
        Ok(Plan { world: world.clone(), division, local, exchanges, report })
    }

    /// Returns what the ranks exchange in each run.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Returns the value if all ranks have one, as [`World::agree`].
    ///
    /// # Errors
    /// [`Error::Rank`].
    pub fn agree<T>(&self, local: Result<T, Error>) -> Result<T, Error> {
        self.world.agree(local)
    }

    /// Returns whether all results stay where they are computed, so that existing tensors can store
    /// them.
    pub fn stores_results(&self) -> bool {
        (0..self.division.scheme.results.len()).all(|result| self.is_in_place(result))
    }

    /// Checks that an existing result has the shape and the layout of the plan. Not collective.
    ///
    /// # Errors
    /// [`Error::Argument`].
    pub fn check_result<V, F: Format>(
        &self,
        result: usize,
        tensor: &Distributed<V, F>,
    ) -> Result<(), Error> {
        let Scheme { kernel, results, .. } = *self.division.scheme;
        let Division { extents, layouts, .. } = &self.division;
        let variables = results[result].variables;
        let first = variables[results[result].outermost];
        let fits = tensor.shape.as_ref().iter().zip(variables).all(|(n, v)| *n == extents[*v]);
        if fits && layouts[first].as_ref() == Some(&tensor.layout) {
            return Ok(());
        }
        let name = results[result].name;
        let reason = format!("`{name}` has another shape or layout than the result of the plan");
        Err(Error::Argument { function: kernel, reason })
    }

    /// Returns the part of a result that this rank stores.
    pub fn local_of<'t, V, F: Format>(
        &self,
        tensor: &'t mut Distributed<V, F>,
    ) -> &'t mut Tensor<V, F> {
        &mut tensor.local
    }

    /// Returns whether a result is stored by the rank that computes it, at the coordinates of the
    /// local problem.
    fn is_in_place(&self, result: usize) -> bool {
        let Scheme { by, results, .. } = *self.division.scheme;
        results[result].first() == Some(by)
            && results[result]
                .variables
                .iter()
                .all(|v| *v == by || self.local.needed[*v] == Needed::All)
    }

    /// Returns a result that the ranks have computed, each for its local problem. Collective.
    ///
    /// `initial` is the value of elements of a dense result to which no rank contributes, and
    /// `combine` combines the contributions of several ranks, in the order of the ranks.
    ///
    /// # Errors
    /// [`Error::Rank`] if the format cannot store the result.
    pub fn result<V: Value + Equivalence, F: Format>(
        &self,
        result: usize,
        computed: Tensor<V, F>,
        initial: V,
        combine: impl Fn(V, V) -> V,
    ) -> Result<Distributed<V, F>, Error> {
        let (scheme, needed, world) = (self.division.scheme, &self.local.needed, &self.world);
        let variables = scheme.results[result].variables;
        let mut shape = F::Shape::splat(0);
        for (extent, variable) in shape.as_mut().iter_mut().zip(variables) {
            *extent = self.division.extents[*variable];
        }
        let first = variables[outermost::<F>()];
        let layout = self.division.layouts[first].as_ref().expect("results are distributed");
        if self.is_in_place(result) {
            let (local, layout, rank) = (computed, layout.clone(), world.rank());
            return Ok(Distributed { local, shape, layout, rank });
        }
        let global = computed.iter().map(|(mut coordinate, value)| {
            for (coordinate, variable) in coordinate.as_mut().iter_mut().zip(variables) {
                *coordinate = needed[*variable].coordinate(*coordinate);
            }
            (coordinate, value)
        });
        let mut entries: Vec<(F::Shape, V)> = match is_full::<F>() {
            true => {
                let mut own = shape;
                own.as_mut()[outermost::<F>()] = layout.range(world.rank()).len();
                let start = layout.range(world.rank()).start;
                all_of(own)
                    .map(|mut at: F::Shape| {
                        at.as_mut()[outermost::<F>()] += start;
                        (at, initial)
                    })
                    .collect()
            }
            false => Vec::new(),
        };
        match first == scheme.by {
            true => entries.extend(global),
            false => entries.extend(sent_to_owners::<V, F>(world, layout, global.collect())?),
        }
        let merge = Merge::By(&combine);
        Distributed::of_entries(world, shape, layout, entries, merge)
    }

    /// Returns a scalar of which each rank has computed a part; the parts are combined in the order
    /// of the ranks. Collective.
    ///
    /// # Errors
    /// None but those of MPI, which end the program.
    pub fn scalar<V: Value + Equivalence>(
        &self,
        computed: V,
        combine: impl Fn(V, V) -> V,
    ) -> Result<V, Error> {
        let parts = self.world.gather_values(&[computed], computed)?;
        Ok(parts.into_iter().reduce(combine).unwrap_or(computed))
    }
}

/// Returns whether a format stores every coordinate.
fn is_full<F: Format>() -> bool {
    F::Levels::KINDS.iter().zip(F::MAP.levels).all(|(kind, map)| kind.full || map.properties.full)
}

/// Returns all coordinates of a shape, in the order of the modes.
fn all_of<S: Shape>(shape: S) -> impl Iterator<Item = S> {
    let count: usize = shape.as_ref().iter().product();
    (0..count).map(move |mut number| {
        let mut coordinate = S::splat(0);
        for (coordinate, extent) in coordinate.as_mut().iter_mut().zip(shape.as_ref()).rev() {
            (*coordinate, number) = (number % extent, number / extent);
        }
        coordinate
    })
}

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
        let Stored { shape, layout } = operand.stored();
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
