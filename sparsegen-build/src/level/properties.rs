//! What holds for the stored data of a level.

/// Invariants of a level's stored data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Every coordinate of the dimension is there under each parent.
    pub full: bool,
    /// Siblings increase.
    pub ordered: bool,
    /// No coordinate occurs twice under one parent.
    pub unique: bool,
    /// Each parent has exactly one child.
    pub branchless: bool,
    /// No unlabelled positions between children.
    pub compact: bool,
    /// Explicit zeros may be stored.
    pub padded: bool,
}

/// A property as a map writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// `full`: every coordinate is there.
    Full,
    /// `nonordered`: siblings come in any order.
    Nonordered,
    /// `nonunique`: a coordinate may occur twice.
    Nonunique,
    /// `padded`: zeros may be stored.
    Padded,
    /// `unpadded`: only nonzeros are stored.
    Unpadded,
}

impl Property {
    /// Every property that a map may set.
    pub const ALL: [Property; 5] = [
        Property::Full,
        Property::Nonordered,
        Property::Nonunique,
        Property::Padded,
        Property::Unpadded,
    ];

    /// Its name in a map.
    pub fn name(self) -> &'static str {
        match self {
            Property::Full => "full",
            Property::Nonordered => "nonordered",
            Property::Nonunique => "nonunique",
            Property::Padded => "padded",
            Property::Unpadded => "unpadded",
        }
    }

    /// Returns whether no level can have both.
    pub fn contradicts(self, other: Property) -> bool {
        matches!(
            (self, other),
            (Property::Padded, Property::Unpadded) | (Property::Unpadded, Property::Padded)
        )
    }
}

impl Properties {
    /// Those of a level that stores the coordinates that are there, in order and each once: nothing but
    /// ordered, unique and padded.
    pub const SPARSE: Properties = Properties {
        full: false,
        ordered: true,
        unique: true,
        branchless: false,
        compact: false,
        padded: true,
    };

    /// These properties with one set by a map.
    pub fn with(mut self, property: Property) -> Properties {
        match property {
            Property::Full => self.full = true,
            Property::Nonordered => self.ordered = false,
            Property::Nonunique => self.unique = false,
            Property::Padded => self.padded = true,
            Property::Unpadded => self.padded = false,
        }
        self
    }

    /// What a map must have said to turn `default` into these.
    pub fn set_beyond(self, default: Properties) -> Vec<&'static str> {
        let mut set = Vec::new();
        for property in Property::ALL {
            let differs = match property {
                Property::Full => self.full && !default.full,
                Property::Nonordered => !self.ordered && default.ordered,
                Property::Nonunique => !self.unique && default.unique,
                Property::Padded => self.padded && !default.padded,
                Property::Unpadded => !self.padded && default.padded,
            };
            if differs {
                set.push(property.name());
            }
        }
        set
    }
}
