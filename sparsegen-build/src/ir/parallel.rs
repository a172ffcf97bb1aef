//! Outermost loops that are divided into parts for threads, and what the parts store.

use super::{Array, Combining, Divided, Dtype, Expr, Function, Place, Result, Uses};
use crate::names::beside;

/// An outermost loop that is divided into parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Parallel {
    /// What is divided. The arrays have names.
    pub range: Divided<String>,
    /// The variable of the loop, such as `i`.
    pub variable: String,
    /// The variable with the start of a part, such as `i_begin`.
    pub begin: String,
    /// The variable with the end of a part.
    pub end: String,
    /// The number of which the first divided coordinate of each part is a multiple; at least 1.
    pub block: Expr,
    /// The number of parts.
    pub count: Count,
    /// `true` if each part adds a value once for all its coordinates without entries: sums are then
    /// rounded as the parts are divided.
    pub has_rest: bool,
    /// The results to which parts do not store separately.
    pub copies: Vec<Copies>,
    /// The result of which each part stores an interval of coordinates, if there is one.
    pub intervals: Option<Intervals<String>>,
    /// The results of which each part has entries of all parents.
    pub joined: Vec<ByParent>,
    /// The levels of results whose positions are slots of buckets, the innermost one of each result
    /// first.
    pub buckets: Vec<Buckets>,
    /// The results whose structure exists.
    pub descents: Vec<Descent>,
    /// The variables that each part returns, from which the scalar results are computed.
    pub returned: Vec<Returned>,
}

/// The number of parts of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// As many as the work permits.
    Many,
    /// Fewer: each part takes memory or repeats work.
    Few,
    /// Fewer, and at most one for each thread: the result does not depend on the number of parts.
    Threads,
}

/// A reduction of which each part computes a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// The type of the values.
    pub dtype: Dtype,
    /// The operation that combines two values.
    pub combining: Combining,
}

/// A variable that each part returns. The values of the parts are combined in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Returned {
    /// The variable.
    pub name: String,
    /// The variable that decides which of two values is chosen, if one does. The operation names the
    /// values of that variable [`key_of`] the values.
    pub key: Option<String>,
    /// How two values are combined.
    pub reduced: Reduced,
}

/// Returns the name of the key of a value that is chosen.
pub fn key_of(value: &str) -> String {
    format!("{value}_key")
}

impl Returned {
    /// Returns how the values of several variables are combined. If there is more than one, the values
    /// are named after the variables.
    pub fn combining(all: &[Returned]) -> Vec<Combining> {
        let named = |Returned { name, key, reduced }: &Returned| {
            let Combining { values, mut combined } = reduced.combining.clone();
            let values = values.map(|value| {
                let own = beside(&value, name);
                if let Some(key) = key {
                    let key = Expr::var(&beside(&value, key));
                    combined = combined.substitute(&key_of(&value), &key);
                }
                combined = combined.substitute(&value, &Expr::var(&own));
                own
            });
            Combining { values, combined }
        };
        match all {
            [only] => vec![only.reduced.combining.clone()],
            several => several.iter().map(named).collect(),
        }
    }
}

impl Function {
    /// Returns the variables that each part of the loops returns. Scalar results are computed from the
    /// values of all parts; if there are none, the loops return the results.
    pub fn returned(&self) -> &[Returned] {
        self.parallel.as_ref().map_or(&[], |parallel| &parallel.returned)
    }

    /// Counts the uses in the body and in the values that it returns.
    pub fn uses(&self) -> Uses {
        match self.returned() {
            [] => Uses::of_function(self),
            returned => {
                let mut uses = Uses::of(&self.body);
                returned.iter().for_each(|of| uses.count_expr(&Expr::var(&of.name)));
                let tensors = self.computed().filter(|of| matches!(of, Result::Tensor(_)));
                tensors.for_each(|result| uses.count_end(result));
                uses
            }
        }
    }
}

/// A result of which each part has entries of all parents, which are joined parent by parent. The
/// arrays are denoted by their names.
#[derive(Clone, Debug, PartialEq)]
pub struct ByParent {
    /// The result.
    pub result: String,
    /// The number of possible parents, for each of which a part takes memory.
    pub parents: Expr,
    /// The array with the coordinate of each parent, or of the parent of each entry; `None` if every
    /// part has all parents.
    pub coordinates: Option<String>,
    /// The array with the position of the first entry of each parent, followed by the number of
    /// entries; `None` if there is a coordinate for each entry.
    pub ends: Option<String>,
    /// An array with one element for each entry.
    pub entries: String,
    /// The reduction that combines the values of entries with the same coordinate, if the parents are
    /// the coordinates of entries, which several parts may have.
    pub combined: Option<Reduced>,
    /// The value of a slot without an entry, if the joined result has a slot of each parent for every
    /// entry of the parent with the most entries.
    pub padding: Option<Expr>,
}

impl ByParent {
    /// Returns how an array of the result is joined.
    pub fn contents(&self, array: &Array) -> Contents {
        let is = |name: &Option<String>| name.as_ref() == Some(&array.name);
        match array.place {
            _ if is(&self.ends) && self.padding.is_some() => Contents::Slots,
            _ if self.padding.is_some() => Contents::Slotted,
            _ if is(&self.ends) => Contents::Ends,
            _ if is(&self.coordinates) && (self.ends.is_some() || self.combined.is_some()) => {
                Contents::Parents
            }
            Place::Values if self.combined.is_some() => Contents::Combined,
            Place::Level { level: 0, .. }
                if self.coordinates.is_some() && !is(&self.coordinates) =>
            {
                Contents::Count
            }
            Place::Level { .. } | Place::Values => Contents::Entries,
        }
    }
}

/// A level of a result whose positions are slots: each part has buckets of a width of its own. The
/// arrays are denoted by their names.
#[derive(Clone, Debug, PartialEq)]
pub struct Buckets {
    /// The array with the coordinate in each slot.
    pub slots: String,
    /// The mark of an empty slot.
    pub empty: Expr,
    /// The number of slots of each bucket, which the loops compute.
    pub width: String,
    /// The arrays with as many elements for each slot, and the element of each for an empty slot.
    pub below: Vec<(Array, Expr)>,
    /// The number of parents, if all parts have the same ones, of which the buckets are merged.
    /// Otherwise each part has parents of its own.
    pub parents: Option<Expr>,
}

/// A result whose structure exists. A part has the values from the first position below its first
/// coordinate to the first one below the coordinate after its last.
#[derive(Clone, Debug, PartialEq)]
pub struct Descent {
    /// The result.
    pub result: String,
    /// The steps from a coordinate of the outermost level to a position, below which every position
    /// has as many values.
    pub steps: Vec<DescentStep>,
}

/// A step from the first position in a level, or from a coordinate, to the first position below.
#[derive(Clone, Debug, PartialEq)]
pub enum DescentStep {
    /// A search for the first coordinate that is not below another one.
    Search {
        /// The sorted coordinates.
        array: Array,
        /// The first coordinate of a signed array is this number below 0.
        below: Expr,
    },
    /// The array with the first position of the children of each parent.
    Segments(Array),
    /// Each parent has so many children.
    Each(Expr),
}

/// The contents of an array of a result that is joined parent by parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// The number of parents, as the end of a single segment.
    Count,
    /// The coordinate of each parent.
    Parents,
    /// The position of the first entry of each parent, followed by the number of entries.
    Ends,
    /// The same number of elements for each entry.
    Entries,
    /// A value for each parent, combined of those of all parts.
    Combined,
    /// The number of slots.
    Slots,
    /// An element for each slot of each parent.
    Slotted,
}

/// A result of which each part of a range of positions stores the entries at the coordinates of its
/// positions. `A` denotes an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Intervals<A> {
    /// The first coordinate of a part, and the one after its last: a variable in the function, and the
    /// name of both around it.
    pub own: [String; 2],
    /// The mode of the result with these coordinates.
    pub mode: usize,
    /// The coordinate of a position.
    pub coordinate: Traced<A>,
    /// The result, with the operation that combines its values where two parts have the same
    /// coordinate.
    pub copies: Copies,
}

/// The coordinate of an ancestor of a position. `A` denotes an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced<A> {
    /// The arrays with the segments of the levels between, innermost first, in which the parents are
    /// found by search.
    pub segments: Vec<A>,
    /// The array with the coordinates of the ancestors, unless these are their positions.
    pub coordinates: Option<A>,
}

impl<A> Traced<A> {
    /// Returns the same coordinate in other arrays, or `None` if there are none.
    pub fn map<'a, B>(&'a self, array: &dyn Fn(&'a A) -> Option<B>) -> Option<Traced<B>> {
        let segments = self.segments.iter().map(array).collect::<Option<_>>()?;
        let coordinates = match &self.coordinates {
            Some(coordinates) => Some(array(coordinates)?),
            None => None,
        };
        Some(Traced { segments, coordinates })
    }

    /// Returns the arrays.
    pub fn arrays(&self) -> impl Iterator<Item = &A> {
        self.segments.iter().chain(&self.coordinates)
    }
}

/// A result of which each part has a copy. The copies are combined in the order of the parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Copies {
    /// The result.
    pub result: String,
    /// The value that does not change any other when the two are combined.
    pub neutral: Expr,
    /// The operation that combines two values.
    pub combining: Combining,
}
