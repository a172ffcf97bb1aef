use alloc::collections::BTreeMap;

use super::*;

/// Inserts the same entries into a workspace and a map, several times over.
fn check(size: usize, widest: usize, counts: &[usize]) {
    let mut workspace = Workspace::<i64, u32>::of_widest(size, widest, 0);
    let mut state = 7_usize;
    for count in counts {
        let mut expected: BTreeMap<u32, i64> = BTreeMap::new();
        for k in 0..*count {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let coordinate = (state >> 33) % size;
            workspace.add(coordinate, k as i64);
            *expected.entry(coordinate as u32).or_default() += k as i64;
            assert_eq!(workspace[coordinate], expected[&(coordinate as u32)]);
        }
        let absent = (0..size).find(|c| !expected.contains_key(&(*c as u32)));
        assert_eq!(absent.map_or(0, |absent| workspace[absent]), 0);
        assert_eq!(workspace.len(), expected.len());
        let (crd, vals) = workspace.harvest();
        let harvested: Vec<_> = crd.iter().copied().zip(vals.iter().copied()).collect();
        assert_eq!(harvested, expected.into_iter().collect::<Vec<_>>());
    }
    assert_eq!(workspace.harvest(), (&[][..], &[][..]));
}

#[test]
fn a_harvest_is_in_order_and_leaves_nothing() {
    for widest in [0, usize::MAX] {
        check(1, widest, &[0, 1, 5]);
        check(5, widest, &[0, 1, 20, 3]);
        check(64, widest, &[1000, 0, 64]);
        check(1000, widest, &[3, 0, 5000, 4, 70]);
        check(70_000, widest, &[300, 20_000, 1, 23, 24, 25]);
        check(3_000_000, widest, &[10, 30, 1000]);
    }
}

#[test]
fn entries_are_found_until_they_are_cleared() {
    for widest in [0, usize::MAX] {
        let mut workspace = Workspace::<f64, u32>::of_widest(200, widest, f64::INFINITY);
        for round in 0..3 {
            let entered = [130 + round, 3, 64 * round, 3];
            entered.iter().for_each(|coordinate| workspace[*coordinate] = 0.0);
            for coordinate in 0..200 {
                let is_entered = entered.contains(&coordinate);
                assert_eq!(workspace.contains(coordinate), is_entered);
                assert_eq!(workspace[coordinate] == 0.0, is_entered);
            }
            workspace.clear();
            assert!((0..200).all(|coordinate| !workspace.contains(coordinate)));
            assert!((0..200).all(|coordinate| workspace[coordinate] == f64::INFINITY));
        }
        assert_eq!(workspace.harvest(), (&[][..], &[][..]));
    }
}

#[test]
fn wide_extents_take_no_memory() {
    let mut workspace = Workspace::<f64, u64>::new(1 << 50);
    for coordinate in [1 << 49, 3, 1 << 40, 3] {
        workspace[coordinate] += 1.0;
    }
    assert_eq!(workspace.harvest(), (&[3, 1 << 40, 1 << 49][..], &[2.0, 1.0, 1.0][..]));
}

#[test]
fn entries_are_hashed_on_demand() {
    let mut workspace = Workspace::<f64, u32>::hashed(1.0);
    for coordinate in [7, 3, 7] {
        workspace[coordinate] += 1.0;
    }
    assert!(workspace.vals.is_empty());
    assert_eq!(workspace.harvest(), (&[3, 7][..], &[2.0, 3.0][..]));
}

#[test]
fn what_cancels_is_there_all_the_same() {
    let mut workspace = Workspace::<f64, u32>::new(4);
    workspace[2] += 1.0;
    workspace[2] += -1.0;
    assert_eq!(workspace.harvest(), (&[2][..], &[0.0][..]));
    assert_eq!(workspace[2], 0.0);
}

#[test]
fn every_coordinate_of_a_narrow_width_has_room() {
    let mut workspace = Workspace::<i32, u8>::new(256);
    for coordinate in (0..256).rev() {
        workspace[coordinate] = coordinate as i32;
    }
    let (crd, vals) = workspace.harvest();
    assert!(crd.iter().copied().eq(0..=255));
    assert!(vals.iter().copied().eq(0..256));
}

#[test]
#[should_panic = "coordinate 4 lies outside"]
fn what_lies_outside_is_not_entered() {
    Workspace::<f64, u32>::new(4)[4] += 1.0;
}
