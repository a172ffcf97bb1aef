use crate::coordinate::{Affine, Coordinate};
use crate::level::Levels;
use crate::manifest;
use crate::types::Width;

use super::{Format, Formats, LevelExpr};

/// Returns the definition of the format `name` in a manifest's `[formats]`, for a tensor of an
/// order.
fn define(formats: &str, name: &str, order: usize) -> Result<Format, Vec<String>> {
    let (manifest, mistakes) = manifest::parse(&format!("[formats]\n{formats}\n"));
    assert!(mistakes.is_empty(), "{formats}: {mistakes:?}");
    let levels = Levels::default();
    let mut mistakes = Vec::new();
    let formats = Formats::of(&manifest, &levels, &mut mistakes);
    match formats.declared(name).and_then(|definition| definition.of_order(order, &levels)) {
        Some(format) => Ok(format),
        None => Err(mistakes.into_iter().map(|mistake| mistake.message).collect()),
    }
}

#[test]
fn maps_are_displayed_as_written() {
    for map in [
        "(i, j) -> (i : dense, j : compressed)",
        "(row, col) -> (col : dense, row : compressed(nonunique, unpadded))",
        "(i) -> (i : compressed(full))",
        "(i, j, k) -> (k : compressed(nonunique), i : singleton(nonunique), j : singleton)",
        "(i) -> (i : dense)",
    ] {
        let order = map.split("->").next().unwrap_or_default().matches(',').count() + 1;
        let format = define(&format!("a = '{map}'"), "a", order).expect(map);
        assert_eq!(format.to_string(), map);
        assert_eq!(format.name.as_deref(), Some("a"));
    }
}

#[test]
fn built_in_maps_are_recognized() {
    let cases = [
        ("a = '(r, c) -> (r : dense, c : compressed)'", 2, Some("Csr")),
        (
            "a = { map = '(r, c) -> (r : dense, c : compressed)', crd = 'u8' }",
            2,
            Some("Csr<u32, u8>"),
        ),
        ("a = '(i, j) -> (i : dense, j : compressed(unpadded))'", 2, None),
        ("a = '(i) -> (i : compressed)'", 1, Some("SparseVector")),
        ("a = '(i, j) -> (i : compressed(nonunique), j : singleton)'", 2, Some("Coo<2>")),
        ("a = 'csf'", 4, Some("Csf<4>")),
        ("a = 'b'\nb = { map = 'c', pos = 'u64' }\nc = 'coo'", 3, Some("Coo<3, u64, u32>")),
    ];
    for (formats, order, marker) in cases {
        let format = define(formats, "a", order).expect(formats);
        assert_eq!(format.builtin.as_deref(), marker, "{formats}");
        assert_eq!(format.order(), order);
    }
}

#[test]
fn widths_are_those_nearest_to_the_use() {
    let formats = "a = { map = 'b', crd = 'u16' }\nb = { map = 'csr', pos = 'u64', crd = 'u8' }";
    let format = define(formats, "a", 2).expect(formats);
    assert_eq!((format.pos(), format.crd()), (Width::U64, Width::U16));
}

#[test]
fn lists_of_widths_belong_to_the_levels_with_arrays() {
    let widths = |formats: &str, order: usize| {
        let format = define(formats, "a", order).expect(formats);
        let widths: Vec<_> = format.levels.iter().map(|spec| (spec.pos, spec.crd)).collect();
        (widths, format.builtin)
    };
    let (u8, u16, u32) = (Width::U8, Width::U16, Width::U32);
    let (found, builtin) = widths("a = { map = 'dcsr', pos = ['u8', 'u16'], crd = 'u16' }", 2);
    assert_eq!((found, builtin), (vec![(u8, u16), (u16, u16)], None));
    // Equal types are those of a format of the runtime crate.
    let (_, builtin) = widths("a = { map = 'csr', pos = ['u64'], crd = ['u8'] }", 2);
    assert_eq!(builtin.as_deref(), Some("Csr<u64, u8>"));
    // A list determines the order if the orders differ in the number of arrays.
    let list = "a = { map = 'coo', pos = ['u8'], crd = ['u8', 'u16', 'u8'] }";
    assert_eq!(widths(list, 3).0, [(u8, u8), (u8, u16), (u8, u8)]);
    assert!(define(list, "a", 2).is_err());
    let list = "a = { map = 'coo', pos = ['u8'] }";
    assert_eq!(widths(list, 2).0, [(u8, u32), (u8, u32)]);
    assert_eq!(widths(list, 4).1.as_deref(), Some("Coo<4, u8, u32>"));
}

#[test]
fn maps_that_lose_or_repeat_a_dimension_are_refused() {
    let cases = [
        ("(i, j) -> (i : dense)", "the dimension `j` cannot be recovered"),
        ("(i, j, k) -> (j : dense)", "the dimensions `i` and `k` cannot be recovered"),
        ("(i) -> (i : dense, i : dense)", "this level is redundant"),
        ("(i) -> (i / 4 : dense, i % 8 : dense)", "the dimension `i` cannot be recovered"),
        ("(i) -> (i : dense, i / 4 : dense)", "this level is redundant"),
        (
            "(i, j) -> (i : compressed(nonunique), j : dense)",
            "a `dense` level cannot be below a nonunique level",
        ),
    ];
    for (map, message) in cases {
        let messages = define(&format!("a = '{map}'"), "a", 1).expect_err(map);
        assert_eq!(messages[0], message, "{map}");
    }
}

#[test]
fn maps_of_blocks_and_diagonals_can_be_inverted() {
    for map in [
        "(i, j) -> (i / 4 : dense, j / 4 : compressed, i % 4 : dense, j % 4 : dense)",
        "(i, j) -> (i floordiv 4 : dense, j : compressed, i mod 4 : dense)",
        "(i, j) -> (j - i : compressed, i : compressed)",
        "(i, j) -> (i + j : compressed, i : compressed)",
        "(i, j) -> (#i : dense, i : dense, j : singleton)",
        "(i) -> ((i / 8) / 4 : dense, (i / 8) % 4 : dense, i % 8 : dense)",
    ] {
        let order = map.split("->").next().unwrap_or_default().matches(',').count() + 1;
        let format = define(&format!("a = '{map}'"), "a", order).expect(map);
        let shown = map.replace("floordiv", "/").replace("mod", "%");
        assert_eq!(format.to_string(), shown);
    }
}

#[test]
fn coordinates_that_may_be_negative_are_signed() {
    let [i, j] = [0, 1].map(LevelExpr::Dimension);
    let sum = Affine::variable(j).minus(&Affine::variable(i)).unwrap();
    let difference = || LevelExpr::from(Coordinate::Affine(sum.clone()));
    assert!(difference().may_be_negative());
    assert!(LevelExpr::from(Coordinate::Div(difference(), 2)).may_be_negative());
    assert!(!LevelExpr::from(Coordinate::Mod(difference(), 2)).may_be_negative());
    assert!(!LevelExpr::Dimension(0).may_be_negative());
}

#[test]
fn sums_are_of_two_dimensions() {
    for sum in ["i - i", "i + i"] {
        let twice =
            define(&format!("a = '(i, j) -> ({sum} : dense, i : dense, j : dense)'"), "a", 2);
        assert_eq!(twice.unwrap_err(), ["the two dimensions are the same"]);
    }
}

#[test]
fn differences_are_for_levels_that_store_coordinates() {
    let computed = define("a = '(i, j) -> (j - i : offset, i : dense)'", "a", 2);
    assert_eq!(computed.unwrap_err(), ["a `offset` level cannot store differences"]);
    for level in ["dense", "range", "hashed", "bitmap"] {
        let computed =
            define(&format!("a = '(i, j) -> (j - i : {level}, i : compressed)'"), "a", 2);
        assert_eq!(computed.unwrap_err(), [format!("a `{level}` level cannot store differences")]);
    }
    for level in ["compressed", "singleton", "loose_compressed"] {
        assert!(define(&format!("a = '(i, j) -> (j - i : {level}, i : dense)'"), "a", 2).is_ok());
    }
}
