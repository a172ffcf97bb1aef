//! Outermost loops that are divided into parts for threads, and what the parts store.

use super::{Array, Combining, Dtype, Expr, Function, Place, Uses};

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
    /// The number of which the first divided coordinate of each part is a multiple.
    pub block: u64,
    /// The number of parts.
    pub count: Count,
    /// The results to which parts do not store separately.
    pub copies: Vec<Copies>,
    /// The result of which each part stores an interval of coordinates, if there is one.
    pub intervals: Option<Intervals<String>>,
    /// The results of which each part has entries of all parents.
    pub joined: Vec<ByParent>,
    /// The levels of results whose positions are slots of buckets, the innermost one of each result
    /// first.
    pub buckets: Vec<Buckets>,
    /// The variables that each part returns, if the result is a scalar that is computed from them.
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
    /// How two values are combined.
    pub reduced: Reduced,
}

impl Function {
    /// Returns the variables that each part of the loops returns for the result, which is computed from
    /// the values of all parts, or nothing if the loops return the result.
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

/// A range that is divided into parts. `A` denotes an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Divided<A> {
    /// A coordinate or position of the range, such as `i`.
    pub variable: String,
    /// The coordinates of the loop at those of the range.
    pub counted: Counted,
    /// The coordinate of the loop at the beginning of the range is this number below 0.
    pub below: Expr,
    /// The range.
    pub range: Divisible<A>,
    /// The work before a coordinate or position is the sum of these.
    pub work: Vec<Work<A>>,
    /// The number of steps for each unit of work is the product of these.
    pub steps: Vec<Steps<A>>,
}

/// The coordinates of a loop at the coordinates that are divided.
#[derive(Clone, Debug, PartialEq)]
pub enum Counted {
    /// The same coordinates.
    Own,
    /// The loop counts blocks of so many coordinates.
    Blocks(u64),
    /// The loop counts the coordinates of a slice.
    Slice {
        /// A coordinate of the loop.
        variable: String,
        /// The first coordinate of the slice.
        start: Expr,
        /// The distance of consecutive coordinates.
        step: u64,
        /// The number of coordinates of the slice.
        size: Expr,
    },
}

/// What is divided into parts. `A` denotes an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Divisible<A> {
    /// Coordinates, of which there are so many.
    Coordinates(Expr),
    /// The positions of a level, which has this array of coordinates.
    Positions(A),
}

/// The work of a loop before a coordinate or position. `A` denotes an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work<A> {
    /// A unit for each coordinate or position.
    Each,
    /// A unit for each child, whose positions are those of this array: `pos[i]`.
    Children(A),
    /// A unit for each entry of a sorted list: `search(crd, i)`.
    Entries(A),
    /// A unit for each child of an entry: `pos[search(crd, i)]`.
    ChildrenOf {
        /// The coordinates of the entries.
        entries: A,
        /// The positions of their children.
        positions: A,
    },
}

/// The number of steps of the loops within a unit of work: a size, or the mean of a size over another
/// one, rounded up. `A` denotes an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps<A> {
    /// The number of steps of all units together, or of one.
    pub all: Measure<A>,
    /// The number of units, if there are several.
    pub units: Option<Measure<A>>,
}

/// A size. `A` denotes an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure<A> {
    /// An extent.
    Extent(Expr),
    /// The number of elements of an array.
    Length(A),
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

impl Counted {
    /// Returns the first coordinate of the loop in a part, given the first divided coordinate.
    pub fn begin(&self, first: Expr) -> Expr {
        match self {
            Counted::Blocks(each) => Expr::div(first, Expr::Index(*each as usize)),
            Counted::Own | Counted::Slice { .. } => self.end(first),
        }
    }

    /// Returns the coordinate of the loop after the last one in a part, given the divided coordinate
    /// after the last one.
    pub fn end(&self, after: Expr) -> Expr {
        match self {
            Counted::Own => after,
            Counted::Blocks(each) => Expr::div_ceil(after, Expr::Index(*each as usize)),
            Counted::Slice { start, step, size, .. } => {
                let ahead = Expr::saturating_sub(after, start.clone());
                Expr::min(Expr::div_ceil(ahead, Expr::Index(*step as usize)), size.clone())
            }
        }
    }

    /// Returns the same coordinates in terms of other sizes.
    pub fn map(&self, extent: &dyn Fn(&Expr) -> Expr) -> Counted {
        match self {
            Counted::Own => Counted::Own,
            Counted::Blocks(each) => Counted::Blocks(*each),
            Counted::Slice { variable, start, step, size } => Counted::Slice {
                variable: variable.clone(),
                start: extent(start),
                step: *step,
                size: extent(size),
            },
        }
    }
}

impl<A> Divided<A> {
    /// Returns the same range for other arrays and extents, or `None` if its positions are those of
    /// an array for which there is no other. Other unknown arrays are left out.
    pub fn map<'a, B>(
        &'a self,
        array: &dyn Fn(&'a A) -> Option<B>,
        extent: &dyn Fn(&Expr) -> Expr,
    ) -> Option<Divided<B>> {
        let measure = |measure: &'a Measure<A>| match measure {
            Measure::Extent(of) => Some(Measure::Extent(extent(of))),
            Measure::Length(of) => array(of).map(Measure::Length),
        };
        let steps = self.steps.iter().filter_map(|Steps { all, units }| {
            let units = match units {
                Some(units) => Some(measure(units)?),
                None => None,
            };
            Some(Steps { all: measure(all)?, units })
        });
        Some(Divided {
            variable: self.variable.clone(),
            counted: self.counted.map(extent),
            below: extent(&self.below),
            range: match &self.range {
                Divisible::Coordinates(of) => Divisible::Coordinates(extent(of)),
                Divisible::Positions(of) => Divisible::Positions(array(of)?),
            },
            work: self.work.iter().filter_map(|work| work.map(array)).collect(),
            steps: steps.collect(),
        })
    }

    /// Calls `visit` with each array.
    pub fn arrays<'a>(&'a self, visit: &mut dyn FnMut(&'a A)) {
        if let Divisible::Positions(array) = &self.range {
            visit(array);
        }
        self.work.iter().for_each(|work| work.arrays(visit));
        for measure in self.measures() {
            if let Measure::Length(array) = measure {
                visit(array);
            }
        }
    }

    /// Calls `visit` with each extent.
    pub fn extents<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(&self.below);
        if let Counted::Slice { start, size, .. } = &self.counted {
            visit(start);
            visit(size);
        }
        if let Divisible::Coordinates(extent) = &self.range {
            visit(extent);
        }
        for measure in self.measures() {
            if let Measure::Extent(extent) = measure {
                visit(extent);
            }
        }
    }

    fn measures(&self) -> impl Iterator<Item = &Measure<A>> {
        self.steps.iter().flat_map(|Steps { all, units }| std::iter::once(all).chain(units))
    }
}

impl<A> Work<A> {
    /// Returns the same work for other arrays, or `None` if there are none.
    pub fn map<'a, B>(&'a self, array: &dyn Fn(&'a A) -> Option<B>) -> Option<Work<B>> {
        Some(match self {
            Work::Each => Work::Each,
            Work::Children(of) => Work::Children(array(of)?),
            Work::Entries(of) => Work::Entries(array(of)?),
            Work::ChildrenOf { entries, positions } => {
                Work::ChildrenOf { entries: array(entries)?, positions: array(positions)? }
            }
        })
    }

    /// Calls `visit` with each array.
    fn arrays<'a>(&'a self, visit: &mut dyn FnMut(&'a A)) {
        match self {
            Work::Each => {}
            Work::Children(of) | Work::Entries(of) => visit(of),
            Work::ChildrenOf { entries, positions } => {
                visit(entries);
                visit(positions);
            }
        }
    }

    /// Calls `visit` with each array, to change it.
    pub fn for_each<'a>(&'a mut self, visit: &mut dyn FnMut(&'a mut A)) {
        match self {
            Work::Each => {}
            Work::Children(of) | Work::Entries(of) => visit(of),
            Work::ChildrenOf { entries, positions } => {
                visit(entries);
                visit(positions);
            }
        }
    }
}
