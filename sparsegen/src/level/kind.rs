//! The properties that all levels of one type share.

/// The properties that all levels of one type share.
///
/// ```
/// use sparsegen::level::Kind;
///
/// const DENSE: Kind = Kind::new("dense").full().compact();
/// const SINGLETON: Kind = Kind::new("singleton").branchless().compact().list();
/// const OFFSET: Kind = Kind::new("offset").branchless().relative().list();
/// const TABLE: Kind = Kind::new("table").nonordered();
/// assert!(DENSE.pads && SINGLETON.list && OFFSET.relative && !TABLE.ordered);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kind {
    /// The level's name in a manifest: `"compressed"`.
    pub name: &'static str,
    /// The parameters in the declaration of the level: 2 and 4 in `structured(2, 4)`.
    pub parameters: &'static [usize],
    /// Every coordinate is stored under each parent, whatever the declaration says.
    pub full: bool,
    /// The declaration can require children to be sorted.
    pub ordered: bool,
    /// Each parent has exactly one child.
    pub branchless: bool,
    /// Every position belongs to a child.
    pub compact: bool,
    /// Building may add children to the nodes, whatever the declaration says.
    pub pads: bool,
    /// Children are a list, which can be unsorted and contain a coordinate several times if the
    /// level is declared nonordered and nonunique.
    pub list: bool,
    /// Coordinates follow from those of outer levels, or are bounded by them, as described by
    /// [`Axis::diagonal`](super::Axis::diagonal).
    pub relative: bool,
}

impl Kind {
    /// Returns the kind of a level that can be ordered and has none of the other properties.
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

    /// Sets the parameters of the declaration.
    pub const fn parameters(self, parameters: &'static [usize]) -> Kind {
        Kind { parameters, ..self }
    }

    /// Declares that every coordinate is stored under each parent. Building may then add children
    /// to the nodes.
    pub const fn full(self) -> Kind {
        Kind { full: true, pads: true, ..self }
    }

    /// Declares that children have an order of their own.
    pub const fn nonordered(self) -> Kind {
        Kind { ordered: false, ..self }
    }

    /// Declares that each parent has exactly one child.
    pub const fn branchless(self) -> Kind {
        Kind { branchless: true, ..self }
    }

    /// Declares that every position belongs to a child.
    pub const fn compact(self) -> Kind {
        Kind { compact: true, ..self }
    }

    /// Declares that building may add children to the nodes.
    pub const fn pads(self) -> Kind {
        Kind { pads: true, ..self }
    }

    /// Declares that children can be unsorted and repeated, if the format declares so.
    pub const fn list(self) -> Kind {
        Kind { list: true, ..self }
    }

    /// Declares that coordinates follow from those of outer levels, or are bounded by them.
    pub const fn relative(self) -> Kind {
        Kind { relative: true, ..self }
    }

    /// Returns whether coordinates follow from those of outer levels and are not stored.
    pub(crate) const fn is_derived(&self) -> bool {
        self.relative && self.branchless
    }
}
