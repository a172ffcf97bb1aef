//! The exchange of entries between ranks.

use mpi::traits::Equivalence;

use super::inspect::{Entries, Grouped, Needed};
use super::world::Counts;
use super::{Layout, World};
use crate::Error;

/// The entries of an operand that a rank sends and receives in each run.
pub(super) struct Exchange {
    /// The entries that the rank sends, by receiver: their numbers, and later their positions.
    pub(super) sent: Vec<usize>,
    /// The entries that the rank itself owns and needs.
    pub(super) own: Vec<usize>,
    to: Counts,
    from: Counts,
    /// The number of ranks to which the rank sends.
    pub(super) messages: usize,
}

impl Exchange {
    /// Returns the number of values that the rank receives.
    pub(super) fn received(&self) -> usize {
        self.from.total
    }

    /// Sends values, and returns the values that the rank needs, in the order of their owners.
    pub(super) fn run<V: Equivalence + Copy>(
        &self,
        world: &World,
        vals: &[V],
        initial: V,
    ) -> Vec<V> {
        let sent: Vec<V> = self.sent.iter().map(|position| vals[*position]).collect();
        let received = world.exchange(&sent, initial, &self.to, &self.from);
        let own = self.own.iter().map(|position| vals[*position]);
        self.joined(world.rank(), &received, own, 1)
    }

    /// Returns what other ranks have sent, with the rank's own elements among them.
    fn joined<T: Copy>(
        &self,
        rank: usize,
        received: &[T],
        own: impl ExactSizeIterator<Item = T>,
        each: usize,
    ) -> Vec<T> {
        let before = self.from.start(rank) * each;
        let mut all = Vec::with_capacity(received.len() + own.len());
        all.extend_from_slice(&received[..before]);
        all.extend(own);
        all.extend_from_slice(&received[before..]);
        all
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
    let (rank, order, own) = (world.rank(), own.order(), Grouped::by(mode, own));
    // A rank that needs all coordinates does not list them.
    let wants_all = *needed == Needed::All;
    let want_all = world.gather([usize::from(wants_all)]);
    let mut requests = Vec::new();
    let mut counts = vec![0; world.size()];
    for owner in (0..world.size()).filter(|owner| *owner != rank && !wants_all) {
        let before = requests.len();
        requests.extend(needed.within(layout.range(owner)));
        counts[owner] = requests.len() - before;
    }
    let asked = world.exchange_counts(&counts);
    let to = world.agree(Counts::of(&counts))?;
    let from = world.agree(Counts::of(&asked))?;
    let requested = world.exchange(&requests, 0, &to, &from);

    let (mut sent, mut sent_to) = (Vec::new(), vec![0; world.size()]);
    for receiver in (0..world.size()).filter(|receiver| *receiver != rank) {
        let before = sent.len();
        let start = from.start(receiver);
        for coordinate in &requested[start..start + asked[receiver]] {
            sent.extend_from_slice(own.within(*coordinate..*coordinate + 1));
        }
        if want_all[receiver] == [1] {
            sent.extend_from_slice(own.within(0..usize::MAX));
        }
        sent_to[receiver] = sent.len() - before;
    }
    let received_from = world.exchange_counts(&sent_to);
    let numbers = needed.within(layout.range(rank));
    let kept: Vec<usize> = numbers.flat_map(|at| own.within(at..at + 1).iter().copied()).collect();

    let by_order = |counts: &[usize]| {
        let counts: Vec<usize> = counts.iter().map(|count| count * order).collect();
        Counts::of(&counts)
    };
    let all = (|| {
        let coordinates = (by_order(&sent_to)?, by_order(&received_from)?);
        Ok((coordinates, (Counts::of(&sent_to)?, Counts::of(&received_from)?)))
    })();
    let ((to_of_coordinates, from_of_coordinates), (to, from)) = world.agree(all)?;
    let flat = own.select(sent.iter().copied());
    let received = world.exchange(flat.coordinates(), 0, &to_of_coordinates, &from_of_coordinates);
    let messages = sent_to.iter().filter(|count| **count > 0).count();
    let exchange = Exchange { sent, own: kept, to, from, messages };
    let flat = own.select(exchange.own.iter().copied());
    let coordinates = exchange.joined(rank, &received, flat.coordinates().iter().copied(), order);
    Ok((Entries::new(order, coordinates), exchange))
}
