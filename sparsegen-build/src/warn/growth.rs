//! The growth of times: which of two grows faster with the operands.

use crate::ir::{Factor, Time};

/// Extents of a small and a large problem.
const EXTENTS: [f64; 2] = [1e3, 1e6];

/// The entries of each row.
const ENTRIES: f64 = 8.0;

/// The ratio of two times grows by at least this factor from the small problem to the large one if
/// it is more than a logarithm.
const GROWTH: f64 = 8.0;

/// Returns the time for operands with extents of this size and few entries in each row.
fn at(time: &Time, extent: f64) -> f64 {
    let measure = |factor: &Factor| match factor {
        Factor::Extent(_) | Factor::Mode(..) => Some(extent),
        Factor::Entries(_) => Some(ENTRIES * extent),
        Factor::Log(_) => None,
    };
    time.value(&measure).unwrap_or(f64::INFINITY)
}

/// Returns the time for large operands.
pub(super) fn at_scale(time: &Time) -> f64 {
    at(time, EXTENTS[1])
}

/// Returns whether a time grows faster than another by more than a logarithm.
pub(super) fn grows_faster(time: &Time, other: &Time) -> bool {
    let [small, large] = EXTENTS.map(|extent| at(time, extent) / at(other, extent));
    large >= GROWTH * small.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Term;

    fn time(terms: &[&[&str]]) -> Time {
        let factor = |name: &&str| match name.strip_prefix('#') {
            Some(tensor) => Factor::Entries(tensor.to_owned()),
            None => Factor::Extent((*name).to_owned()),
        };
        let term = |factors: &&[&str]| Term {
            factors: factors.iter().map(factor).collect(),
            divisors: Vec::new(),
        };
        Time { terms: terms.iter().map(term).collect() }
    }

    #[test]
    fn products_grow_faster_than_sums() {
        let [sum, product] = [time(&[&["i"], &["#A"]]), time(&[&["i", "j"]])];
        assert!(grows_faster(&product, &sum));
        assert!(!grows_faster(&sum, &product));
        assert!(!grows_faster(&time(&[&["#A"]]), &time(&[&["i"]])));
        let mut sorted = time(&[&["#A"]]);
        let factor = Factor::Entries("A".to_owned());
        sorted.terms[0].factors.push(Factor::Log(Box::new(factor)));
        assert!(!grows_faster(&sorted, &sum));
    }
}
