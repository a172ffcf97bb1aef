//! The time of loops over the entries of workspaces.

use super::Trips;

/// The numbers of assignments to a workspace, which bound that of its entries.
pub(super) struct Filled {
    /// The loops around the statement that fills and reads it.
    pub(super) around: Trips,
    /// The loops around each assignment.
    pub(super) assignments: Vec<Trips>,
}

impl Filled {
    /// Returns the iterations of loops over the entries, one for each assignment, within loops with
    /// `around` iterations.
    pub(super) fn trips(&self, around: &Trips) -> Vec<Trips> {
        let mut further = around.clone();
        further.dimensions.retain(|v| !self.around.dimensions.contains(v));
        further.shared.retain(|v| !self.around.shared.contains(v));
        further.walked.retain(|access, _| !self.around.walked.contains_key(access));
        let with_further = |trips: &Trips| {
            let mut trips = Trips { visited: None, ..trips.clone() };
            trips.dimensions.extend(&further.dimensions);
            trips.shared.extend(&further.shared);
            trips.walked.extend(further.walked.clone());
            trips
        };
        self.assignments.iter().map(with_further).collect()
    }
}
