//! Lists of coordinates.

use super::Number;
use super::entry::{Done, plain};
use super::frame::{Frame, Object};
use crate::ir::{List, Listing};

impl Frame {
    pub(super) fn list(&self, name: &str) -> Done<Vec<usize>> {
        match self.get(name)? {
            Object::List(list) => Ok(list.clone()),
            other => Err(plain(format!("`{name}` is no list: {other:?}"))),
        }
    }

    /// The coordinates that are inverted.
    pub(super) fn listed(&self, of: &Listing) -> Done<Vec<usize>> {
        match of {
            Listing::Indices(name) => self.list(name),
            Listing::Values(name) => {
                let whole = |number: &Number| match *number {
                    // Others are no coordinates of any mode.
                    Number::Integer(n) => Some(usize::try_from(n).unwrap_or(usize::MAX)),
                    Number::Float(_) | Number::Complex(..) => None,
                };
                let list = self.tensor(name)?.vals.iter().map(whole).collect::<Option<_>>();
                list.ok_or_else(|| plain(format!("`{name}` is no list of coordinates")))
            }
        }
    }

    /// The coordinates of a list, as the caller passes them.
    pub(super) fn coordinates(&self, list: &List) -> Done<Vec<usize>> {
        match list {
            List::Argument(name) | List::LastOf { of: name, .. } => self.list(name),
            List::Numbers { numbers, .. } => {
                Ok(numbers.iter().flatten().map(|n| *n as usize).collect())
            }
        }
    }
}
