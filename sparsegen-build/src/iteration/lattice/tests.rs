//! Tests of the merge points and regions of lattices.

use super::*;

/// Returns a lattice over sparse iterators with the given outcome for each region.
fn lattice(count: usize, full: Set, locatable: Set, outcome: impl Fn(Set) -> usize) -> Lattice {
    fn grow(open: Set, present: Set, outcome: &dyn Fn(Set) -> usize) -> Outcomes {
        let Some(member) = open.members().next_back() else {
            return Outcomes::Leaf(outcome(present));
        };
        let open = open.without(member);
        let absent = grow(open, present, outcome);
        Outcomes::branch(member, absent, grow(open, present.with(member), outcome))
    }
    let sparse = Set::of(0..count).minus(full);
    let outcomes = grow(sparse, Set::EMPTY, &outcome);
    let mut bodies = 1;
    while !outcomes.all(&|outcome| outcome < bodies) {
        bodies += 1;
    }
    Lattice {
        full,
        bounding: Set::EMPTY,
        sparse,
        locatable,
        driving: Set::of(0..count),
        walking: Set::of(0..count),
        outcomes,
        bodies: Vec::new(),
        reads: vec![Set::of(0..count); bodies],
        optional: Set::EMPTY,
        is_dimension: true,
        apart: LOOPS,
    }
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
    // A * B + C: when A is exhausted, B has no effect.
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

#[test]
fn products_of_many_have_one_case() {
    let all = Set::of(0..100);
    let product = lattice_of(all, Outcomes::Leaf(1), |member, rest| {
        Outcomes::branch(member, Outcomes::Leaf(0), rest)
    });
    assert_eq!(product.points().len(), 1);
    assert_eq!(product.points()[0].cases, [(all, 1)]);
}

#[test]
fn cases_tell_the_outcome_of_every_region() {
    // Functions of four iterators, numbered.
    for number in (0..1 << 16).step_by(37) {
        let outcome = |set: Set| number >> set.0 & 1;
        let lattice = lattice(4, Set::EMPTY, Set::EMPTY, outcome);
        let cases = lattice.outcomes.cases();
        for region in (0..16).map(Set) {
            let case = cases.iter().find(|(set, _)| set.is_subset(region));
            assert_eq!(case.map_or(0, |(_, outcome)| *outcome), outcome(region), "{number}");
        }
    }
}

/// Returns a lattice over sparse iterators that adds them one by one to the outcome of none.
fn lattice_of(sparse: Set, none: Outcomes, with: impl Fn(usize, Outcomes) -> Outcomes) -> Lattice {
    let outcomes = sparse.members().fold(none, |rest, member| with(member, rest));
    Lattice {
        full: Set::EMPTY,
        bounding: Set::EMPTY,
        sparse,
        locatable: Set::EMPTY,
        driving: sparse,
        walking: sparse,
        outcomes,
        bodies: Vec::new(),
        reads: vec![sparse; 2],
        optional: Set::EMPTY,
        is_dimension: true,
        apart: LOOPS,
    }
}

#[test]
fn a_merge_of_many_has_one_loop_while_any_lasts() {
    let union = lattice(6, Set::EMPTY, Set::EMPTY, |set| usize::from(!set.is_empty()));
    let several = Lattice { optional: Set::of(0..6), ..union.clone() };
    assert_eq!(
        union.points().len(),
        63,
        "few regions have a loop for each set of remaining iterators"
    );
    let [point] = &several.points()[..] else { panic!("one loop") };
    assert_eq!(point.ended, Set::of(0..6));
    // The first factor is in every region, so that the loop ends with it.
    let factor = |set: Set| if set.contains(0) { set.0 as usize >> 1 } else { 0 };
    let [point] = &lattice(7, Set::EMPTY, Set::EMPTY, factor).points()[..] else {
        panic!("one loop")
    };
    assert_eq!(point.ended, Set::of(1..7));
    assert_eq!(point.drivers, Set::of(0..7));
    // If all must have an entry, all are read although their regions are not distinguished.
    let shared = Lattice { optional: Set::of(0..3), ..lattice(3, Set::EMPTY, Set::EMPTY, |_| 1) };
    let [point] = &shared.points()[..] else { panic!("one loop") };
    assert_eq!((point.drivers.union(point.located), point.cases.len()), (Set::of(0..3), 1));
}
