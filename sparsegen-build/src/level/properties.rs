//! Invariants of the stored data of a level.

/// The invariants of the stored data of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Every coordinate of the dimension is stored under each parent.
    pub full: bool,
    /// The coordinates of one parent increase.
    pub ordered: bool,
    /// No coordinate of a parent is repeated.
    pub unique: bool,
    /// Each parent has exactly one child.
    pub branchless: bool,
    /// Every position belongs to a child.
    pub compact: bool,
    /// Fill values may be stored.
    pub padded: bool,
}

/// A property in the notation of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// `full`: every coordinate is stored.
    Full,
    /// `nonordered`: the coordinates of a parent may have any order.
    Nonordered,
    /// `nonunique`: a coordinate of a parent may be repeated.
    Nonunique,
    /// `padded`: fill values may be stored.
    Padded,
    /// `unpadded`: no fill value is stored.
    Unpadded,
}

impl Property {
    /// All properties that a map may declare.
    pub const ALL: [Property; 5] = [
        Property::Full,
        Property::Nonordered,
        Property::Nonunique,
        Property::Padded,
        Property::Unpadded,
    ];

    /// Returns its name in a map.
    pub fn name(self) -> &'static str {
        match self {
            Property::Full => "full",
            Property::Nonordered => "nonordered",
            Property::Nonunique => "nonunique",
            Property::Padded => "padded",
            Property::Unpadded => "unpadded",
        }
    }

    /// Returns whether a level cannot have both properties.
    pub fn contradicts(self, other: Property) -> bool {
        matches!(
            (self, other),
            (Property::Padded, Property::Unpadded) | (Property::Unpadded, Property::Padded)
        )
    }
}

impl Properties {
    /// The properties of a level that stores some coordinates in order and without repetition:
    /// ordered, unique and padded.
    pub const SPARSE: Properties = Properties {
        full: false,
        ordered: true,
        unique: true,
        branchless: false,
        compact: false,
        padded: true,
    };

    /// Returns these properties with one declared by a map.
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

    /// Returns the names of the declarations that turn `default` into these properties.
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
