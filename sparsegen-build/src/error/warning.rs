//! The kinds of warnings, which a manifest may allow.

/// A kind of warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// An operand or the result is converted in every call.
    Conversion,
    /// A sparse result stores every coordinate.
    Density,
    /// An operand in another format would take asymptotically less time.
    Format,
    /// Without the schedule, the loops would take asymptotically less time.
    Schedule,
    /// The loops run on one thread although several were asked for.
    Threads,
    /// An operand or a condition has no effect on the result.
    Unused,
}

impl Warning {
    /// All kinds, with their names in a manifest.
    pub const ALL: [(&'static str, Warning); 6] = [
        ("conversion", Warning::Conversion),
        ("density", Warning::Density),
        ("format", Warning::Format),
        ("schedule", Warning::Schedule),
        ("threads", Warning::Threads),
        ("unused", Warning::Unused),
    ];

    /// Returns the name in a manifest.
    pub fn name(self) -> &'static str {
        Warning::ALL[self as usize].0
    }
}

/// A set of kinds of warnings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Warnings([bool; Warning::ALL.len()]);

impl Warnings {
    /// Adds a kind.
    pub fn insert(&mut self, warning: Warning) {
        self.0[warning as usize] = true;
    }

    /// Returns whether a kind is in the set.
    pub fn contains(self, warning: Warning) -> bool {
        self.0[warning as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_name() {
        for (name, warning) in Warning::ALL {
            assert_eq!(warning.name(), name);
        }
    }
}
