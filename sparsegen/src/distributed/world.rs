//! Communication, by MPI.

use std::iter;
use std::rc::Rc;

use mpi::collective::SystemOperation;
use mpi::datatype::{Partition, PartitionMut};
use mpi::point_to_point::{Destination, Source};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Equivalence, Root};

use crate::Error;

/// The ranks that work together: a communicator of its own, so that messages of this crate and those
/// of the program do not meet.
///
/// Functions that take a `World` are *collective*: all its ranks call them in the same order. They
/// return an error on all ranks if one rank has one.
///
/// A `World` and all plans made with it have to be dropped before MPI ends, that is before the
/// [`Universe`](mpi::environment::Universe), which is declared first.
#[derive(Clone)]
pub struct World {
    communicator: Rc<SimpleCommunicator>,
}

impl World {
    /// Duplicates a communicator.
    ///
    /// ```no_run
    /// use sparsegen::distributed::{World, mpi};
    ///
    /// let universe = mpi::initialize().expect("MPI is not yet initialized");
    /// let world = World::new(&universe.world());
    /// println!("rank {} of {}", world.rank(), world.size());
    /// ```
    pub fn new(communicator: &impl Communicator) -> World {
        World { communicator: Rc::new(communicator.duplicate()) }
    }

    /// Returns the number of this rank.
    pub fn rank(&self) -> usize {
        self.communicator.rank() as usize
    }

    /// Returns the number of ranks.
    pub fn size(&self) -> usize {
        self.communicator.size() as usize
    }

    /// Returns the value if all ranks have one, and otherwise the same error on all of them: that of
    /// the first rank with an error, as [`Error::Rank`].
    ///
    /// # Errors
    /// [`Error::Rank`].
    pub fn agree<T>(&self, local: Result<T, Error>) -> Result<T, Error> {
        let communicator = &*self.communicator;
        let own = if local.is_err() { communicator.rank() } else { i32::MAX };
        let mut first = i32::MAX;
        communicator.all_reduce_into(&own, &mut first, SystemOperation::min());
        let value = match local {
            Ok(value) if first == i32::MAX => return Ok(value),
            Ok(_) => None,
            Err(error) => Some(error),
        };
        let is_first = own == first;
        let mut reason = match value {
            Some(error) if is_first => error.to_string().into_bytes(),
            Some(_) | None => Vec::new(),
        };
        let process = communicator.process_at_rank(first);
        let mut length = reason.len();
        process.broadcast_into(&mut length);
        reason.resize(length, 0);
        process.broadcast_into(&mut reason[..]);
        let reason = String::from_utf8_lossy(&reason).into_owned();
        Err(Error::Rank { rank: first as usize, reason })
    }

    /// Returns the numbers of all ranks.
    pub(super) fn gather<const N: usize>(&self, own: [usize; N]) -> Vec<[usize; N]> {
        let mut all = vec![0_usize; N * self.size()];
        self.communicator.all_gather_into(&own[..], &mut all[..]);
        all.as_chunks::<N>().0.to_vec()
    }

    /// Returns the sum over all ranks of each number.
    pub(super) fn sum(&self, own: &[usize]) -> Vec<usize> {
        let mut sums = vec![0_usize; own.len()];
        self.communicator.all_reduce_into(own, &mut sums[..], SystemOperation::sum());
        sums
    }

    /// Sends text, which is not empty, to the first rank.
    pub(super) fn send_text(&self, text: &[u8]) {
        let first = self.communicator.process_at_rank(0);
        first.send(&text.len());
        first.send(text);
    }

    /// Tells the first rank that this one sends no more text.
    pub(super) fn end_text(&self) {
        self.communicator.process_at_rank(0).send(&0_usize);
    }

    /// Receives the texts that a rank sends to the first one, one after another.
    pub(super) fn receive_text(&self, rank: usize) -> impl Iterator<Item = Vec<u8>> {
        let process = self.communicator.process_at_rank(rank as i32);
        iter::from_fn(move || {
            let (len, _) = process.receive::<usize>();
            let mut text = vec![0; len];
            if len > 0 {
                process.receive_into(&mut text[..]);
            }
            (len > 0).then_some(text)
        })
        .fuse()
    }

    /// Returns the values of all ranks, in their order.
    pub(super) fn gather_all<M>(&self, own: &[M]) -> Result<Vec<M>, Error>
    where
        M: Equivalence + Copy + Default,
    {
        let counts: Vec<usize> = self.gather([own.len()]).iter().map(|[count]| *count).collect();
        let Counts { counts, starts, total } = self.agree(Counts::of(&counts))?;
        let mut all = buffer(total);
        let mut received = PartitionMut::new(&mut all[..], counts, starts);
        let spare = [M::default()];
        self.communicator.all_gather_varcount_into(allocated(own, &spare), &mut received);
        Ok(all)
    }

    /// Returns the number of values that this rank receives from each rank, given the numbers that it
    /// sends.
    pub(super) fn exchange_counts(&self, sent: &[usize]) -> Vec<usize> {
        let mut received = vec![0_usize; sent.len()];
        self.communicator.all_to_all_into(sent, &mut received[..]);
        received
    }

    /// Returns the values that the ranks send to this one, in their order.
    pub(super) fn exchange<M>(&self, values: &[M], sent: &Counts, received: &Counts) -> Vec<M>
    where
        M: Equivalence + Copy + Default,
    {
        let mut all = buffer(received.total);
        let spare = [M::default()];
        let values = allocated(values, &spare);
        let sent = Partition::new(values, &sent.counts[..], &sent.starts[..]);
        let mut to = PartitionMut::new(&mut all[..], &received.counts[..], &received.starts[..]);
        self.communicator.all_to_all_varcount_into(&sent, &mut to);
        all
    }
}

/// Returns a vector of values to be replaced, with memory even if it is empty: the address of an empty
/// vector of bytes is 1, by which MPI marks buffers that are sent and received in place.
fn buffer<M: Copy + Default>(len: usize) -> Vec<M> {
    let mut buffer = Vec::with_capacity(len.max(1));
    buffer.resize(len, M::default());
    buffer
}

/// Returns the values, or as an empty slice the start of others, whose address is in memory.
fn allocated<'v, M>(values: &'v [M], others: &'v [M]) -> &'v [M] {
    if values.is_empty() { &others[..0] } else { values }
}

/// The number of elements for each rank, as MPI counts them.
pub(super) struct Counts {
    counts: Vec<i32>,
    starts: Vec<i32>,
    /// The number of elements for all ranks.
    pub(super) total: usize,
}

impl Counts {
    pub(super) fn of(counts: &[usize]) -> Result<Counts, Error> {
        let total: usize = counts.iter().sum();
        let too_many = |_| {
            let most = i32::MAX;
            let reason = format!("a message has {total} elements, and MPI counts up to {most}");
            Error::Argument { function: "exchange", reason }
        };
        i32::try_from(total).map_err(too_many)?;
        let mut starts = Vec::with_capacity(counts.len());
        let counts: Vec<i32> = counts.iter().map(|count| *count as i32).collect();
        let mut start = 0;
        for count in &counts {
            starts.push(start);
            start += count;
        }
        Ok(Counts { counts, starts, total })
    }

    /// Returns the start of a rank's elements.
    pub(super) fn start(&self, rank: usize) -> usize {
        self.starts[rank] as usize
    }
}
