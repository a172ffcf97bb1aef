//! Ranges that are divided into parts, and the work of the parts.

use super::Expr;

/// A range that is divided into parts. `A` denotes an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Divided<A> {
    /// A coordinate or position of the range, such as `i`.
    pub variable: String,
    /// The coordinates by which the work is known, at those of the range.
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
    /// The loop counts blocks of so many coordinates, which is at least 1.
    Blocks(Expr),
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

impl Counted {
    /// Returns the first coordinate of the loop in a part, given the first divided coordinate.
    pub fn begin(&self, first: Expr) -> Expr {
        match self {
            Counted::Blocks(each) => Expr::div(first, each.clone()),
            Counted::Own | Counted::Slice { .. } => self.end(first),
        }
    }

    /// Returns the coordinate of the loop after the last one in a part, given the divided coordinate
    /// after the last one.
    pub fn end(&self, after: Expr) -> Expr {
        match self {
            Counted::Own => after,
            Counted::Blocks(each) => Expr::div_ceil(after, each.clone()),
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
            Counted::Blocks(each) => Counted::Blocks(extent(each)),
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
        match &self.counted {
            Counted::Own => {}
            Counted::Blocks(each) => visit(each),
            Counted::Slice { start, size, .. } => {
                visit(start);
                visit(size);
            }
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
