//! Calls of loops for each part of a range, whose results are joined.

use super::{Call, Field, Parts, Storage, Target, Vector};
use crate::ir::{Buckets, ByParent, Contents, Copies, DescentStep, Returned};

/// The values of a tensor that parts of the loops store to.
#[derive(Clone, Debug, PartialEq)]
pub struct Own {
    /// The tensor.
    pub tensor: String,
    /// The name of the values of a part.
    pub vals: String,
    /// The values of each part.
    pub share: Share,
}

/// The values of a tensor that a part stores to.
#[derive(Clone, Debug, PartialEq)]
pub enum Share {
    /// A chunk: each coordinate has as many values.
    Chunk,
    /// The values below the coordinates of the part in a structure that exists.
    Below {
        /// The names of the structure and of all values.
        storage: Storage,
        /// The name of a coordinate.
        variable: String,
        /// The steps from a coordinate to the first position below it.
        steps: Vec<DescentStep>,
    },
    /// The values themselves for the first part, and copies for the others, under a name.
    Copies(String, Copies),
}

impl Share {
    /// Calls `visit` with the names of the arguments that it reads.
    pub(super) fn names<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        let Share::Below { steps, .. } = self else { return };
        for step in steps {
            match step {
                DescentStep::Segments(_) => {}
                DescentStep::Search { below: size, .. } | DescentStep::Each(size) => {
                    size.names(visit);
                }
            }
        }
    }
}

/// Calls of loops for each part of a range, each with its own values of some tensors, and with
/// vectors of its own, which are then joined in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// The range.
    pub parts: Parts,
    /// The name of what the parts have filled.
    pub filled: String,
    /// The tensors with values of each part.
    pub own: Vec<Own>,
    /// The orders in which vectors are joined.
    pub orders: Vec<Ordered>,
    /// The variables that each call returns, whose values are combined.
    pub returned: Vec<Returned>,
    /// The declarations of the combined values.
    pub combined: Vec<Target>,
    /// The names of the numbers that each call returns after them.
    pub numbers: Vec<String>,
    /// The hash tables of each part.
    pub tables: Vec<Tables>,
    /// The vectors of each part.
    pub vectors: Vec<Joined>,
    /// The call.
    pub call: Call,
    /// The call instead, if the variable of this name is `true`.
    pub known: Option<(String, Call)>,
}

/// A vector that parts of the loops append to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The name of the vector of a part.
    pub name: String,
    /// The vector that the parts are joined in.
    pub into: Vector,
    /// How they are joined.
    pub by: Joining,
}

/// The order in which the entries of a result are joined parent by parent:
/// `let order = kernel::Order::of_segments(…);`
#[derive(Clone, Debug, PartialEq)]
pub struct Ordered {
    /// The name of the order.
    pub name: String,
    /// A description of the result's arrays, for errors.
    pub what: String,
    /// The arrays that determine it.
    pub by: ByParent,
}

/// A level of a result of which each part has buckets. They get a common width, or become those of
/// one part, before the vectors are joined: `kernel::Buckets::alike(…)`
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    /// The number that becomes the width.
    pub into: Field,
    /// A description of the result's arrays, for errors.
    pub what: String,
    /// The buckets.
    pub by: Buckets,
}

/// How the vectors of parts are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Joining {
    /// Concatenated.
    Appending,
    /// Concatenated, with positions offset by the last one before.
    Positions,
    /// Concatenated, with positions offset by the number of elements of the vector `by` before.
    Shifted { by: String },
    /// The single segment ends at the sum of the ends of the parts.
    Ends,
    /// Concatenated bits, one for each value of the part in the vector `of`, which follow those for the
    /// values in `after`.
    Bits { of: String, after: String },
    /// Parent by parent, in the order of this name.
    Ordered(String, Contents),
}
