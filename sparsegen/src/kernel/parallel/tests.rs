use super::*;

#[test]
fn parts_have_equal_work() {
    let pos = [0, 1000, 1001, 1002, 1003, 2000, 3000];
    let Parts(begins) = divided(6, 3, |i| pos[i]);
    assert_eq!(begins, [0, 1, 5, 6]);
    assert_eq!(divided(6, 1, |i| pos[i]), Parts(vec![0, 6]));
    assert_eq!(divided(0, 7, |_| 0), Parts(vec![0, 0]));
    // A single row is not divided.
    assert_eq!(divided(1, 100, |i| 100 * i), Parts(vec![0, 1]));
}

#[test]
fn the_number_of_parts_can_be_demanded() {
    let count = |size: usize| parts(size, |i| i).ranges().count();
    assert_eq!((count(100), count(3 * GRAIN)), (1, 3));
    in_parts(7, || {
        assert_eq!((count(100), count(3 * GRAIN), count(2), count(0)), (7, 7, 2, 1));
        assert_eq!(in_parts(2, || count(100)), 2);
        assert_eq!(count(100), 7);
    });
    assert_eq!(count(100), 1);
    let caught = std::panic::catch_unwind(|| in_parts(5, || panic!("within")));
    assert!(caught.is_err());
    assert_eq!(count(100), 1);
}

#[test]
fn every_part_is_run_once() {
    let parts = divided(1000, 100, |i| i);
    let ranges = each(&parts, |range| range);
    assert!(ranges.len() > 10);
    assert_eq!(ranges.into_iter().flatten().collect::<Vec<_>>(), (0..1000).collect::<Vec<_>>());
    let mut vals = vec![0; 3000];
    split(&mut vals, &parts, |range, chunk| {
        assert_eq!(chunk.len(), 3 * range.len());
        chunk.iter_mut().for_each(|value| *value += range.start);
    });
    assert_eq!(vals[0], 0);
    assert!(vals.windows(2).all(|pair| pair[0] <= pair[1]));
    assert_eq!(total(&parts, |range| range.len() as i64), 1000);
    split(&mut [0; 0], &divided(0, 3, |_| 0), |_, chunk| assert!(chunk.is_empty()));
}

#[test]
fn parts_have_the_values_below_their_coordinates() {
    let pos = [0, 2, 2, 5, 6];
    let parts = divided(4, 4, |i| i);
    // Two values at each position.
    let mut vals: Vec<usize> = (0..12).collect();
    let chunks = chunks_below(&mut vals, &parts, |i| pos[i]);
    assert_eq!(chunks, [&[0, 1, 2, 3][..], &[], &[4, 5, 6, 7, 8, 9], &[10, 11]]);
    assert_eq!(chunks_below(&mut [0; 0], &divided(0, 3, |_| 0), |_| 0), [&[0; 0][..]]);
}

#[test]
fn copies_are_combined_in_order() {
    let parts = divided(3, 3, |i| i);
    let count = SLICE_OF_TEST;
    let mut vals = vec![String::from("v"); 2];
    let all = copies(&vals, &parts, String::new());
    assert_eq!((all.len(), all[0].len()), (2, 2));
    let mut own = all.clone();
    for (k, vals) in with_copies(&mut vals, &mut own).into_iter().enumerate() {
        vals.iter_mut().for_each(|text| text.push_str(&k.to_string()));
    }
    assert_eq!((vals[0].as_str(), own[0][1].as_str(), own[1][0].as_str()), ("v0", "1", "2"));
    let mut digits: Vec<usize> = (0..count).collect();
    combine(&mut digits, &[vec![1; count], (0..count).collect()], |a, b| 3 * a + b);
    assert_eq!(digits, (0..count).map(|k| 3 * (3 * k + 1) + k).collect::<Vec<_>>());
    assert_eq!(combined(&parts, |range| vec![range.start], |a, b| [a, b].concat()), [0, 1, 2]);
    assert_eq!(few_parts(1 << 22, 1 << 19, |i| i).ranges().count(), 2);
    assert_eq!(few_parts(1 << 40, 1, |i| i).ranges().count(), MOST_COPIES);
}

/// More values than a thread combines at a time.
const SLICE_OF_TEST: usize = 20_000;

#[test]
fn parts_begin_at_blocks() {
    let begins = |begins: Vec<usize>| Parts(begins).aligned(4).0;
    assert_eq!(begins(vec![0, 5, 6, 9, 10]), [0, 4, 8, 10]);
    assert_eq!((begins(vec![0, 3]), begins(vec![0, 0])), (vec![0, 3], vec![0, 0]));
}

#[test]
fn bits_are_joined() {
    let mut all = vec![9];
    let parts = vec![vec![0b101], vec![], vec![1 << 63, 1], vec![1]];
    join_bits(&mut all, parts, [3, 0, 65, 60].into_iter());
    assert_eq!(all, [0b101, 0b11 << 2 | 1 << 4]);
    join_bits(&mut all, vec![vec![u64::MAX], vec![7]], [64, 3].into_iter());
    assert_eq!(all, [u64::MAX, 7]);
}

#[test]
fn elements_are_joined() {
    let mut all = vec![9];
    let own = vectors(&mut all, &divided(4, 2, |i| i));
    assert_eq!((own[0].capacity(), own.len(), all.capacity()), (1, 2, 0));
    assert!(own.iter().all(Vec::is_empty));
    join(&mut all, vec![vec![1, 2], vec![], vec![3]]);
    assert_eq!(all, [1, 2, 3]);
    join(&mut all, vec![vec![4]]);
    assert_eq!(all, [4]);
    join(&mut all, vec![vec![], vec![]]);
    assert!(all.is_empty());
    join(&mut all, Vec::new());
    assert!(all.is_empty());
    let parts: Vec<Vec<usize>> = (0..100).map(|k| vec![k; k]).collect();
    let expected = parts.concat();
    join(&mut all, parts);
    assert_eq!(all, expected);
}

#[test]
fn positions_are_joined() {
    let (mut positions, mut ends) = (vec![7_u32], vec![7_u32]);
    let parts = [[0, 2, 5], [0, 1, 1], [0, 0, 4]];
    join_positions(&mut positions, parts.map(Vec::from).into());
    join_ends(&mut ends, parts.map(|part| vec![0, part[2]]).into());
    assert_eq!(positions, [0, 2, 5, 6, 6, 6, 10]);
    assert_eq!(ends, [0, 10]);
    let mut begins = vec![7_u8];
    let parts = [vec![0, 2], vec![], vec![0, 1, 1], vec![3]];
    join_shifted(&mut begins, parts.into(), [5, 0, 250, 1].into_iter());
    assert_eq!(begins, [0, 2, 5, 6, 6, u8::MAX]);
}
