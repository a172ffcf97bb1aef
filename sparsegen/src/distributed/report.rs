//! The cost of a plan: the entries that ranks read, send and receive, and their memory.

use std::fmt::{self, Display};

/// The traffic of each run of a plan, for each rank.
///
/// Only values are counted: a plan exchanges coordinates once, when it is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The traffic of each rank.
    pub ranks: Vec<Traffic>,
}

/// The traffic of a rank in each run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The number of entries of operands that the kernel reads on this rank.
    pub entries: usize,
    /// The number of values of operands that the rank sends to others.
    pub sent: usize,
    /// The number of values of operands that the rank receives from others.
    pub received: usize,
    /// The number of messages with values of operands that the rank sends: one for each operand and
    /// each rank that needs some of its values.
    pub messages: usize,
    /// The number of coordinates of the results' outermost modes whose entries the rank may have
    /// to send to their owners.
    pub contributions: usize,
    /// An estimate of the bytes that the operands take on this rank in a run: of each entry that the
    /// kernel reads the value and a `usize` for each mode, and of each value that is sent or received a
    /// buffer and a `usize` for its position. The arrays of a format may be smaller, as those of `csr`
    /// with many entries in each row, or larger, if the format pads. Results are not counted.
    pub memory: usize,
}

impl Report {
    /// Returns the number of values of operands that all ranks send.
    ///
    /// ```
    /// use sparsegen::distributed::{Report, Traffic};
    ///
    /// let rank = |entries, sent, messages| Traffic { entries, sent, messages, ..Traffic::default() };
    /// let report = Report { ranks: vec![rank(30, 4, 1), rank(10, 2, 2)] };
    /// assert_eq!(report.volume(), 6);
    /// ```
    pub fn volume(&self) -> usize {
        self.ranks.iter().map(|rank| rank.sent).sum()
    }

    /// Returns the number of messages of all ranks.
    ///
    /// ```
    /// use sparsegen::distributed::{Report, Traffic};
    ///
    /// let rank = |entries, sent, messages| Traffic { entries, sent, messages, ..Traffic::default() };
    /// let report = Report { ranks: vec![rank(30, 4, 1), rank(10, 2, 2)] };
    /// assert_eq!(report.messages(), 3);
    /// ```
    pub fn messages(&self) -> usize {
        self.ranks.iter().map(|rank| rank.messages).sum()
    }

    /// Returns the largest estimate of the bytes that the operands take on a rank; see
    /// [`Traffic::memory`].
    ///
    /// ```
    /// use sparsegen::distributed::{Report, Traffic};
    ///
    /// let rank = |memory| Traffic { memory, ..Traffic::default() };
    /// assert_eq!(Report { ranks: vec![rank(640), rank(1024)] }.memory(), 1024);
    /// ```
    pub fn memory(&self) -> usize {
        self.ranks.iter().map(|rank| rank.memory).max().unwrap_or(0)
    }

    /// Returns the largest number of entries of a rank, divided by the average; 1 without entries.
    ///
    /// ```
    /// use sparsegen::distributed::{Report, Traffic};
    ///
    /// let rank = |entries, sent, messages| Traffic { entries, sent, messages, ..Traffic::default() };
    /// let report = Report { ranks: vec![rank(30, 4, 1), rank(10, 2, 2)] };
    /// assert_eq!(report.imbalance(), 1.5);
    /// ```
    pub fn imbalance(&self) -> f64 {
        let largest = self.ranks.iter().map(|rank| rank.entries).max().unwrap_or(0);
        let all: usize = self.ranks.iter().map(|rank| rank.entries).sum();
        if all == 0 { 1.0 } else { (largest * self.ranks.len()) as f64 / all as f64 }
    }
}

/// The number of ranks that are printed.
const PRINTED: usize = 16;

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |f: &mut fmt::Formatter<'_>, cells: [&str; 7]| {
            let [rank, others @ ..] = cells;
            write!(f, "{rank:>6}")?;
            others.iter().try_for_each(|cell| write!(f, " {cell:>13}"))?;
            writeln!(f)
        };
        row(f, ["rank", "entries", "sent", "received", "messages", "contributions", "bytes"])?;
        for (rank, traffic) in self.ranks.iter().enumerate().take(PRINTED) {
            let Traffic { entries, sent, received, messages, contributions, memory } = traffic;
            let cells = [&rank, entries, sent, received, messages, contributions, memory];
            let cells = cells.map(usize::to_string);
            row(f, cells.each_ref().map(String::as_str))?;
        }
        if let Some(more) = self.ranks.len().checked_sub(PRINTED).filter(|more| *more > 0) {
            writeln!(f, "… and {more} more ranks")?;
        }
        let (volume, messages, imbalance) = (self.volume(), self.messages(), self.imbalance());
        write!(f, "{volume} values in {messages} messages; imbalance {imbalance:.2}; ")?;
        write!(f, "at most {} bytes on a rank", self.memory())
    }
}
