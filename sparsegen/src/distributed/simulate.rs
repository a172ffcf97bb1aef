//! The inspector for pretended ranks, in one process.

use super::entries::{Entries, Grouped, Numbers};
use super::inspect::{Division, Request, Storage};
use super::needed::Needed;
use super::scheme::Scheme;
use super::tensor::entries;
use super::{Layout, Report, Traffic};
use crate::{Error, Format, Stored, Tensor};

/// An operand of a simulation. A reference to a tensor converts into one that is distributed in
/// equal parts.
pub struct Pretended {
    shape: Vec<usize>,
    entries: Entries,
    /// The size of a value in bytes.
    value: usize,
    parts: Parts,
}

enum Parts {
    Equal,
    Of(Layout),
    /// Every rank has the whole tensor.
    Whole,
}

impl Pretended {
    fn new<V: Stored, F: Format>(tensor: &Tensor<V, F>, parts: Parts) -> Pretended {
        let (shape, entries) =
            (tensor.shape().as_ref().to_vec(), entries(tensor, 0, tensor.shape()));
        Pretended { shape, entries, value: size_of::<V>(), parts }
    }

    /// Returns an operand that is distributed in a layout.
    pub fn distributed<V: Stored, F: Format>(tensor: &Tensor<V, F>, layout: &Layout) -> Pretended {
        Pretended::new(tensor, Parts::Of(layout.clone()))
    }

    /// Returns an operand that every rank has whole.
    pub fn replicated<V: Stored, F: Format>(tensor: &Tensor<V, F>) -> Pretended {
        Pretended::new(tensor, Parts::Whole)
    }
}

impl<V: Stored, F: Format> From<&Tensor<V, F>> for Pretended {
    fn from(tensor: &Tensor<V, F>) -> Pretended {
        Pretended::new(tensor, Parts::Equal)
    }
}

/// Returns the traffic of a kernel on pretended ranks.
///
/// Takes the time of inspecting all parts one after another, in the order of the number of ranks and
/// the numbers of entries, owned and received: no rank looks at the entries of others. Only a whole
/// operand whose entries restrict the needed coordinates is read on each rank.
///
/// # Errors
/// [`Error::Argument`] if the extents or the layouts of operands do not match.
pub fn simulate(
    scheme: &'static Scheme,
    ranks: usize,
    operands: Vec<Pretended>,
) -> Result<Report, Error> {
    if ranks == 0 {
        let reason = "there are no ranks to simulate".to_owned();
        return Err(Error::Argument { function: scheme.kernel, reason });
    }
    let (mut stored, mut grouped) = (Vec::new(), Vec::new());
    for (pretended, indexed) in operands.into_iter().zip(scheme.operands) {
        let Pretended { shape, entries, value, parts } = pretended;
        let layout = match parts {
            Parts::Equal => Some(Layout::equal(shape[indexed.outermost], ranks)),
            Parts::Of(layout) => Some(layout),
            Parts::Whole => None,
        };
        // A whole operand is used at the coordinates of the rank.
        let by = indexed.variables.iter().position(|v| *v == scheme.by);
        let mode = if layout.is_some() { indexed.outermost } else { by.unwrap_or(0) };
        grouped.push((Grouped::by(mode, entries), by.is_some()));
        stored.push(Storage { shape, layout, value });
    }
    let division = Division::of(scheme, stored, ranks)?;
    let mut report = Report { ranks: vec![Traffic::default(); ranks] };
    for rank in 0..ranks {
        let own = division.layout().range(rank);
        let local = division.inspect(rank, &mut |Request { operand, outermost }| {
            let (grouped, has_own) = &grouped[operand];
            let Some(needed) = outermost else {
                return Ok(match has_own {
                    true => grouped.entries().select(&grouped.within(own.clone())),
                    false => grouped.entries().clone(),
                });
            };
            let stored = &division.operands[operand];
            let layout = stored.layout.as_ref().expect("only distributed operands are fetched");
            let mut fetched = Vec::new();
            let mut last = None;
            for coordinate in needed.runs(0..layout.extent()).into_iter().flatten() {
                let count = grouped.extend_with(&mut fetched, coordinate..coordinate + 1);
                let owner = layout.owner(coordinate);
                if owner == rank || count == 0 || !stored.is_sent() {
                    continue;
                }
                report.ranks[owner].sent += count;
                report.ranks[rank].received += count;
                for at in [owner, rank] {
                    report.ranks[at].memory += stored.bytes_of_exchange(count);
                }
                if last.replace(owner) != Some(owner) {
                    report.ranks[owner].messages += 1;
                }
            }
            Ok(grouped.entries().select(&Numbers::of(fetched)))
        })?;
        let traffic = &mut report.ranks[rank];
        let (entries, bytes) = local.used(&division);
        traffic.entries = entries;
        traffic.memory += bytes;
        traffic.contributions = division.contributions(rank, &local.needed);
    }
    Ok(report)
}

impl Division {
    /// Returns the number of coordinates of results' outermost modes that other ranks own.
    pub(super) fn contributions(&self, rank: usize, needed: &[Needed]) -> usize {
        let foreign = |variable: usize| {
            let layout = self.layouts[variable].as_ref().expect("results are distributed");
            let (own, extent) = (layout.range(rank), layout.extent());
            needed[variable].count(0..extent) - needed[variable].count(own)
        };
        let firsts = self.scheme.results.iter().filter_map(|result| result.first());
        firsts.filter(|first| *first != self.scheme.by).map(foreign).sum()
    }
}
