//! What is the same for all levels of one type.

/// What is the same for all levels of one type.
///
/// ```
/// use sparsegen::level::Kind;
///
/// const DENSE: Kind = Kind::new("dense").full().compact();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kind {
    /// The level's name in a manifest: `"compressed"`.
    pub name: &'static str,
    /// The numbers that the level is declared with: 2 and 4 of `structured(2, 4)`.
    pub parameters: &'static [usize],
    /// Every coordinate is there under each parent, whatever the declaration says.
    pub full: bool,
    /// Children may stand in an order that the declaration can ask for.
    pub ordered: bool,
    /// Each parent has exactly one child.
    pub branchless: bool,
    /// Every position belongs to a child.
    pub compact: bool,
    /// Building makes children that were not among the nodes, whatever the declaration says.
    pub pads: bool,
    /// Children are a list, which can be in any order and hold a coordinate several times where
    /// the level is declared nonordered and nonunique.
    pub list: bool,
    /// Coordinates follow from those of outer levels, or are bounded by them, as
    /// [`Axis::diagonal`](super::Axis::diagonal) says.
    pub relative: bool,
}

impl Kind {
    /// A level that keeps the order it is asked to keep, and has none of the other properties.
    pub const fn new(name: &'static str) -> Kind {
        Kind {
            name,
            parameters: &[],
            full: false,
            ordered: true,
            branchless: false,
            compact: false,
            pads: false,
            list: false,
            relative: false,
        }
    }

    /// Declared with these numbers.
    pub const fn parameters(self, parameters: &'static [usize]) -> Kind {
        Kind { parameters, ..self }
    }

    /// Every coordinate is there under each parent, so that there may be children that were not
    /// asked for.
    pub const fn full(self) -> Kind {
        Kind { full: true, pads: true, ..self }
    }

    /// Children stand in an order of their own.
    pub const fn nonordered(self) -> Kind {
        Kind { ordered: false, ..self }
    }

    /// Each parent has exactly one child.
    pub const fn branchless(self) -> Kind {
        Kind { branchless: true, ..self }
    }

    /// Every position belongs to a child.
    pub const fn compact(self) -> Kind {
        Kind { compact: true, ..self }
    }

    /// Building makes children that were not among the nodes.
    pub const fn pads(self) -> Kind {
        Kind { pads: true, ..self }
    }

    /// Children can be in any order and repeated, where declared so.
    pub const fn list(self) -> Kind {
        Kind { list: true, ..self }
    }

    /// Coordinates follow from those of outer levels, or are bounded by them.
    pub const fn relative(self) -> Kind {
        Kind { relative: true, ..self }
    }

    /// Whether coordinates follow from those of outer levels, so that nothing is stored for them.
    pub(crate) const fn is_derived(&self) -> bool {
        self.relative && self.branchless
    }
}
