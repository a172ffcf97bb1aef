//! The loops and regions of lattices.

use super::*;

/// A lattice over sparse iterators from what there is to do, as a function of who is present.
fn lattice(count: usize, full: Set, locatable: Set, outcome: impl Fn(Set) -> usize) -> Lattice {
    let sparse = Set::of(0..count).minus(full);
    let mut lattice = Lattice {
        full,
        sparse,
        locatable,
        driving: Set::of(0..count),
        walking: Set::of(0..count),
        outcomes: Vec::new(),
        bodies: Vec::new(),
        reads: Vec::new(),
    };
    lattice.outcomes = (0..1 << sparse.len()).map(|index| outcome(lattice.expand(index))).collect();
    let bodies = lattice.outcomes.iter().max().map_or(0, |last| last + 1);
    lattice.reads = vec![Set::of(0..count); bodies.max(1)];
    lattice
}

fn show(lattice: &Lattice) -> Vec<String> {
    let point = |p: MergePoint| {
        let cases: Vec<_> =
            p.cases.iter().map(|(set, outcome)| format!("{set}:{outcome}")).collect();
        let dimension = if p.by_dimension { "*" } else { "" };
        format!("{}{dimension} locate {} | {}", p.drivers, p.located, cases.join(" "))
    };
    lattice.points().into_iter().map(point).collect()
}

#[test]
fn a_union_of_two_has_three_loops() {
    let union = lattice(2, Set::EMPTY, Set::EMPTY, |set| set.0 as usize);
    assert_eq!(
        show(&union),
        [
            "{0, 1} locate {} | {0, 1}:3 {0}:1 {1}:2",
            "{0} locate {} | {0}:1",
            "{1} locate {} | {1}:2",
        ]
    );
}

#[test]
fn an_intersection_has_one() {
    let both = lattice(2, Set::EMPTY, Set::EMPTY, |set| usize::from(set.len() == 2));
    assert_eq!(show(&both), ["{0, 1} locate {} | {0, 1}:1"]);
}

#[test]
fn an_intersection_with_a_locatable_level_is_driven_by_the_other() {
    let full = Set::of([1]);
    let product = lattice(2, full, full, |set| usize::from(set.contains(0)));
    assert_eq!(show(&product), ["{0} locate {1} | {0}:1"]);
}

#[test]
fn a_union_with_a_full_level_never_outlives_it() {
    let full = Set::of([1]);
    let sum = lattice(2, full, full, |set| 1 + usize::from(set.contains(0)));
    assert_eq!(show(&sum), ["{0, 1} locate {} | {0}:2 {}:1", "{1} locate {} | {}:1"]);
}

#[test]
fn a_complement_is_walked_and_guarded() {
    let difference = lattice(2, Set::EMPTY, Set::EMPTY, |set| usize::from(set == Set::of([0])));
    assert_eq!(show(&difference), ["{0, 1} locate {} | {0, 1}:0 {0}:1", "{0} locate {} | {0}:1"]);
}

#[test]
fn what_makes_no_difference_is_not_walked() {
    // A * B + C: with A at its end, B does not matter any more.
    let expr = lattice(3, Set::EMPTY, Set::EMPTY, |set| {
        let product = set.contains(0) && set.contains(1);
        usize::from(product) + 2 * usize::from(set.contains(2))
    });
    assert_eq!(
        show(&expr),
        [
            "{0, 1, 2} locate {} | {0, 1, 2}:3 {0, 1}:1 {2}:2",
            "{0, 1} locate {} | {0, 1}:1",
            "{2} locate {} | {2}:2",
        ]
    );
}

#[test]
fn a_constant_runs_over_the_dimension() {
    let constant = lattice(0, Set::EMPTY, Set::EMPTY, |_| 1);
    assert_eq!(show(&constant), ["{}* locate {} | {}:1"]);
}
