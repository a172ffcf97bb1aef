//! The exchange of entries between ranks.

use std::cell::LazyCell;
use std::sync::Arc;

use super::column::Column;
use super::entries::{Entries, Grouped, Numbers};
use super::needed::Needed;
use super::world::Counts;
use super::{Exchanged, Layout, World};
use crate::Error;

/// The entries of an operand that a rank sends and receives in each run.
pub(super) struct Exchange {
    /// The entries that the rank sends, by receiver: their numbers, and later their positions.
    pub(super) sent: Numbers,
    /// The entries that the rank itself owns and needs.
    pub(super) own: Numbers,
    to: Counts,
    from: Counts,
    /// The number of ranks to which the rank sends.
    pub(super) messages: usize,
    /// `true` if the rank needs all of its own entries and no others, so that it does not copy values.
    pub(super) keeps_own: bool,
}

impl Exchange {
    /// Returns the number of values that the rank receives.
    pub(super) fn received(&self) -> usize {
        self.from.total
    }

    /// Returns the exchange of values at the positions of the entries.
    pub(super) fn of_positions(self, positions: &[usize]) -> Exchange {
        let (sent, own) = (self.sent.map(positions), self.own.map(positions));
        Exchange { sent, own, ..self }
    }

    /// Sends values, and replaces `all` by the values that the rank needs, in the order of their
    /// owners, unless it keeps its own. All values of a pattern are the same, and are not sent.
    pub(super) fn run<V: Exchanged>(&self, world: &World, vals: &[V], all: &mut Vec<V>) {
        all.clear();
        if V::IS_PATTERN {
            let one = V::of_message(V::Message::default());
            return all.resize(self.received() + self.own.len(), one);
        }
        let sent: Vec<_> = match &self.sent {
            Numbers::Range(range) => {
                vals[range.clone()].iter().map(|one| one.to_message()).collect()
            }
            Numbers::Listed(list) => list.iter().map(|at| vals[*at].to_message()).collect(),
        };
        let received = world.exchange(&sent, &self.to, &self.from);
        if self.keeps_own {
            return;
        }
        let (before, after) = received.split_at(self.from.start(world.rank()));
        crate::memory::reserve(all, received.len() + self.own.len());
        all.extend(before.iter().map(|message| V::of_message(*message)));
        self.own.pick_into(vals, all);
        all.extend(after.iter().map(|message| V::of_message(*message)));
    }
}

/// Requests the entries at some coordinates of the outermost mode from their owners. Returns their
/// coordinates, and the exchange of their values.
pub(super) fn fetch(
    world: &World,
    layout: &Layout,
    own: Entries,
    mode: usize,
    needed: &Needed,
) -> Result<(Entries, Exchange), Error> {
    let (rank, grouped) = (world.rank(), LazyCell::new(|| Grouped::by(mode, own.clone())));
    // A rank that needs all coordinates does not list them.
    let wants_all = matches!(needed, Needed::All);
    let want_all = world.gather([usize::from(wants_all)]);
    // The first coordinate of each run, and the one behind it.
    let mut requests = Vec::new();
    let mut counts = vec![0; world.size()];
    for owner in (0..world.size()).filter(|owner| *owner != rank && !wants_all) {
        let runs = needed.runs(layout.range(owner));
        counts[owner] = 2 * runs.len();
        requests.extend(runs.into_iter().flat_map(|run| [run.start, run.end]));
    }
    let asked = world.exchange_counts(&counts);
    let to = world.agree(Counts::of(&counts))?;
    let from = world.agree(Counts::of(&asked))?;
    let requested = world.exchange(&requests, &to, &from);

    let (mut sent, mut sent_to) = (Vec::new(), vec![0; world.size()]);
    for receiver in (0..world.size()).filter(|receiver| *receiver != rank) {
        let runs = &requested[from.start(receiver)..][..asked[receiver]];
        for [start, end] in runs.as_chunks().0 {
            sent_to[receiver] += grouped.extend_with(&mut sent, *start..*end);
        }
        if want_all[receiver] == [1] {
            sent_to[receiver] += grouped.extend_with(&mut sent, 0..usize::MAX);
        }
    }
    let received_from = world.exchange_counts(&sent_to);
    let kept = match needed.runs(layout.range(rank)).as_slice() {
        [run] if *run == layout.range(rank) => Numbers::Range(0..own.len()),
        [run] => grouped.within(run.clone()),
        runs => {
            let mut kept = Vec::new();
            for run in runs {
                grouped.extend_with(&mut kept, run.clone());
            }
            Numbers::of(kept)
        }
    };

    let counts = (|| Ok((Counts::of(&sent_to)?, Counts::of(&received_from)?)))();
    let (to, from) = world.agree(counts)?;
    let messages = sent_to.iter().filter(|count| **count > 0).count();
    let keeps_own = from.total == 0 && kept.are_all(own.len());
    let sent = Numbers::of(sent);
    let exchange = Exchange { sent, own: kept, to, from, messages, keeps_own };
    let fetched = |column: &Arc<Column>| {
        let all = column.exchanged(&exchange, world);
        if exchange.keeps_own { Arc::clone(column) } else { Arc::new(all) }
    };
    let columns = own.columns().iter().map(fetched).collect();
    Ok((Entries::new(columns), exchange))
}
