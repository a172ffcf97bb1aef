//! Plans: what the ranks exchange in each run of a kernel, and the local problems.

use super::entries::Entries;
use super::exchange::{Exchange, fetch};
use super::exchanged::gather;
use super::inspect::{Division, Local, Request, Storage};
use super::needed::Needed;
use super::scheme::Scheme;
use super::tensor::{entries, outermost, sent_to_owners};
use super::{Distributed, Exchanged, Report, Traffic, World};
use crate::tensor::{Merge, coordinates, is_dense};
use crate::{Error, Format, Shape, Stored, Tensor, Value};

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

impl<'t, V: Stored, F: Format> Operand<'t, V, F> {
    /// Returns the tensor that this rank has.
    pub(super) fn local(self) -> &'t Tensor<V, F> {
        match self {
            Operand::Distributed(tensor) => &tensor.local,
            Operand::Replicated(tensor) => tensor,
        }
    }
}

/// The structure of an operand.
#[doc(hidden)]
pub trait Inspected {
    fn stored(&self) -> Storage;
    fn entries(&self) -> Entries;
}

impl<V: Stored, F: Format> Inspected for Operand<'_, V, F> {
    fn stored(&self) -> Storage {
        let (shape, layout) = match self {
            Operand::Distributed(tensor) => (tensor.shape, Some(tensor.layout.clone())),
            Operand::Replicated(tensor) => (tensor.shape(), None),
        };
        Storage { shape: shape.as_ref().to_vec(), layout, value: size_of::<V>() }
    }

    fn entries(&self) -> Entries {
        let (start, shape) = match self {
            Operand::Distributed(of) => (of.layout.range(of.rank).start, of.shape),
            Operand::Replicated(tensor) => (0, tensor.shape()),
        };
        entries(self.local(), start, shape)
    }
}

/// The exchange of the ranks in each run of a kernel.
pub struct Plan {
    pub(super) world: World,
    pub(super) division: Division,
    pub(super) local: Local,
    /// The exchange of each operand that is fetched, until it belongs to a [`Part`].
    pub(super) exchanges: Vec<Option<Exchange>>,
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
        let exchanged = exchanges.iter().zip(&division.operands);
        let exchanged =
            exchanged.filter_map(|(exchange, stored)| Some((exchange.as_ref()?, stored)));
        let exchanged: Vec<_> = exchanged.filter(|(_, stored)| stored.is_sent()).collect();
        let of_all = |count: &dyn Fn(&Exchange) -> usize| {
            exchanged.iter().map(|(exchange, _)| count(exchange)).sum::<usize>()
        };
        let (entries, bytes) = local.used(&division);
        let bytes_of = |(exchange, stored): &(&Exchange, &Storage)| {
            stored.bytes_of_exchange(exchange.sent.len() + exchange.received())
        };
        let memory = bytes + exchanged.iter().map(bytes_of).sum::<usize>();
        let own = [
            entries,
            of_all(&|exchange| exchange.sent.len()),
            of_all(&|exchange| exchange.received()),
            of_all(&|exchange| exchange.messages),
            division.contributions(world.rank(), &local.needed),
            memory,
        ];
        let traffic =
            |[entries, sent, received, messages, contributions, memory]: &[usize; 6]| Traffic {
                entries: *entries,
                sent: *sent,
                received: *received,
                messages: *messages,
                contributions: *contributions,
                memory: *memory,
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
                .all(|v| *v == by || matches!(self.local.needed[*v], Needed::All))
    }

    /// Returns a result that the ranks have computed, each for its local problem. Collective.
    ///
    /// `initial` is the value of elements of a dense result to which no rank contributes, and
    /// `combine` combines the contributions of several ranks, in the order of the ranks.
    ///
    /// # Errors
    /// [`Error::Rank`] if the format cannot store the result.
    pub fn result<V: Exchanged, F: Format>(
        &self,
        result: usize,
        computed: Tensor<V, F>,
        initial: V,
        combine: impl Fn(V::Value, V::Value) -> V::Value,
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
        let mut entries: Vec<(F::Shape, V)> = Vec::new();
        if is_dense::<F>() {
            let (own, mode) = (layout.range(world.rank()), outermost::<F>());
            let mut part = shape;
            part.as_mut()[mode] = own.len();
            entries.extend(world.agree(coordinates::<F>(part))?.map(|mut at| {
                at.as_mut()[mode] += own.start;
                (at, initial)
            }));
        }
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
    pub fn scalar<V: Value + Exchanged>(
        &self,
        computed: V,
        combine: impl Fn(V, V) -> V,
    ) -> Result<V, Error> {
        let parts = gather(&self.world, &[computed])?;
        Ok(parts.into_iter().reduce(combine).unwrap_or(computed))
    }
}
