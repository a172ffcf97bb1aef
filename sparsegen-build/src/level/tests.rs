//! Golden tests of the level functions of every level, as code for a level of 3 coordinates below
//! the position `q`.

use super::code::{Expr, Stmt};
use super::*;
use crate::types::Width;

/// Returns a level of an operand `a`, with the difference or sum `d` as the coordinate at the
/// outermost level.
fn storage(level: &dyn Level, relation: Relation) -> Storage {
    let named = |field: &'static str| (field, format!("a_{field}"));
    let other = Expr::var("other");
    Storage {
        arrays: level
            .arrays()
            .iter()
            .map(|array| array.field)
            .chain(scratch(level))
            .map(named)
            .collect(),
        numbers: level.numbers().iter().map(|field| named(field)).collect(),
        carried: Vec::new(),
        size: Expr::Index(3),
        below: Expr::Index(0),
        crd: Width::U32,
        offset: Some(Offset { ancestor: 0, other, partner: Some(1), relation }),
    }
}

fn text(stmts: &[Stmt]) -> String {
    let text: String = stmts.iter().map(Stmt::to_string).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn found(Found { prelude, value, found }: Found) -> String {
    let found = found.map_or("always".to_owned(), |found| found.to_string());
    format!("{} {value} if {found}", text(&prelude)).trim().to_owned()
}

/// Prints every level function of a level, one per line.
fn functions(level: &dyn Level, relation: Relation) -> String {
    let storage = &storage(level, relation);
    let (q, j, p) = (Expr::var("q"), Expr::var("j"), Expr::var("p"));
    let ancestors = [Expr::var("d"), Expr::var("i")];
    let range = |Segment { start, end }: Segment| format!("{start}..{end}");
    let mut lines = Vec::new();
    if let Some(level) = level.coordinate_iteration() {
        lines.push(format!(
            "coordinates {}",
            range(level.coord_bounds(storage, q.clone(), &ancestors))
        ));
        lines.push(format!("at {}", found(level.coord_access(storage, q.clone(), j.clone(), "p"))));
    }
    if let Some(level) = level.position_iteration() {
        lines.push(format!(
            "positions {}",
            range(level.pos_bounds(storage, Segment::of(q.clone())))
        ));
        lines.push(format!("at {}", found(level.pos_access(storage, p.clone(), &ancestors, "j"))));
    }
    if let Some(level) = level.locate() {
        lines.push(format!("locate {}", found(level.locate(storage, q.clone(), j.clone(), "p"))));
    }
    if let Some(level) = level.insert() {
        let values = Expr::var("zero");
        let below = Below {
            vals: "vals".into(),
            each: Expr::Index(1),
            arrays: vec![("vals".into(), values)],
        };
        lines.push(format!("size {}", level.size(storage, q.clone())));
        lines.push(format!("init {}", text(&level.insert_init(storage))));
        lines.push(format!("parents {}", text(&level.insert_parents(storage, q.clone()))));
        let inserted = level.insert_coord(storage, q.clone(), j.clone(), &below, "p");
        lines.push(format!("insert {}", found(inserted)));
        lines.push(format!("finalize {}", text(&level.insert_finalize(storage, q.clone()))));
    }
    if let Some(level) = level.append() {
        lines.push(format!("init {}", text(&level.append_init(storage))));
        lines.push(format!("append {}", text(&level.append_coord(storage, j))));
        lines.push(format!("edges {}", text(&level.append_edges(storage, None))));
        lines.push(format!("edges behind {}", text(&level.append_edges(storage, Some(q.clone())))));
        lines.push(format!("finalize {}", text(&level.append_finalize(storage, Some(q)))));
    }
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

#[test]
fn level_functions_are_those_of_the_format() {
    let mut all = String::new();
    for (name, relation) in CASES {
        let level = Levels::default().find(name).expect("a level of this crate");
        let level = level.with_numbers(&[2, 4]).unwrap_or(level);
        let functions = functions(level.as_ref(), *relation);
        all.push_str(&format!("{name}, {relation:?}\n{functions}\n\n"));
    }
    assert_eq!(all, EXPECTED);
}

const CASES: &[(&str, Relation)] = &[
    ("dense", Relation::Minuend),
    ("compressed", Relation::Minuend),
    ("loose_compressed", Relation::Minuend),
    ("block_compressed", Relation::Minuend),
    ("singleton", Relation::Minuend),
    ("hashed", Relation::Minuend),
    ("bitmap", Relation::Minuend),
    ("structured", Relation::Minuend),
    ("range", Relation::Minuend),
    ("range", Relation::Subtrahend),
    ("range", Relation::Sum),
    ("offset", Relation::Minuend),
    ("offset", Relation::Subtrahend),
    ("offset", Relation::Sum),
];

const EXPECTED: &str = "\
dense, Minuend
coordinates 0..3
at q * 3 + j if always
locate q * 3 + j if always
size q * 3
init
parents
insert q * 3 + j if always
finalize

compressed, Minuend
positions a_pos[q]..a_pos[q + 1]
at a_crd[p] if always
init a_pos.clear(); a_pos.push(0); a_crd.clear();
append a_crd.push(j);
edges a_pos.push(a_crd.len());
edges behind a_pos.resize(q + 1, a_pos[a_pos.len() - 1]); a_pos.push(a_crd.len());
finalize a_pos.resize(q + 1, a_crd.len());

loose_compressed, Minuend
positions a_lo[q]..a_hi[q]
at a_crd[p] if always
init a_lo.clear(); a_lo.push(0); a_hi.clear(); a_crd.clear();
append a_crd.push(j);
edges a_hi.push(a_crd.len()); a_lo.push(a_crd.len());
edges behind a_hi.resize(q, a_lo[a_lo.len() - 1]); a_lo.resize(q + 1, a_lo[a_lo.len() - 1]); a_hi.push(a_crd.len()); a_lo.push(a_crd.len());
finalize a_hi.resize(q, a_lo[a_lo.len() - 1]); a_lo.resize(q + 1, a_lo[a_lo.len() - 1]); a_lo.resize(a_hi.len(), 0);

block_compressed, Minuend
positions a_first[a_pos[q]]..a_first[a_pos[q + 1]]
at a_blocks[block] * 65536 + a_crd[p] if always
init a_pos.clear(); a_pos.push(0); a_blocks.clear(); a_first.clear(); a_crd.clear();
append if a_blocks.len() == a_pos[a_pos.len() - 1] || a_blocks[a_blocks.len() - 1] != j / 65536 { a_blocks.push(j / 65536); a_first.push(a_crd.len()); } a_crd.push(j % 65536);
edges a_pos.push(a_blocks.len());
edges behind a_pos.resize(q + 1, a_pos[a_pos.len() - 1]); a_pos.push(a_blocks.len());
finalize a_first.push(a_crd.len()); a_pos.resize(q + 1, a_blocks.len());

singleton, Minuend
positions q..q + 1
at a_crd[p] if always
init a_crd.clear();
append a_crd.push(j);
edges
edges behind
finalize

hashed, Minuend
positions q * a_width..(q + 1) * a_width
at a_crd[p] if a_crd[p] != u32::MAX
locate let mut p_slot = wrap(j, a_width); while a_crd[q * a_width + p_slot] != j && a_crd[q * a_width + p_slot] != u32::MAX { p_slot += 1; if p_slot == a_width { p_slot = 0; } } q * a_width + p_slot if a_crd[q * a_width + p_slot] == j
size q * a_width
init a_crd.clear(); let mut a_counts = Vec::new(); let mut a_width = 1;
parents a_crd.resize(q * a_width, u32::MAX); a_counts.resize(q, 0);
insert let mut p_slot = wrap(j, a_width); while a_crd[q * a_width + p_slot] != j && a_crd[q * a_width + p_slot] != u32::MAX { p_slot += 1; if p_slot == a_width { p_slot = 0; } } if a_crd[q * a_width + p_slot] == u32::MAX { if a_width < (a_counts[q] + 1) * 2 { a_width = kernel::widen(a_crd, a_width)?.moving(vals, zero)?.width(); p_slot = wrap(j, a_width); while a_crd[q * a_width + p_slot] != u32::MAX { p_slot += 1; if p_slot == a_width { p_slot = 0; } } } a_counts[q] += 1; a_crd[q * a_width + p_slot] = j; } q * a_width + p_slot if always
finalize

bitmap, Minuend
coordinates 0..3
at let p = q * 3 + j; p if a_bits[p]
locate let p = q * 3 + j; p if a_bits[p]
size q * 3
init a_bits.clear();
parents a_bits.resize(q * 3, false);
insert let p = q * 3 + j; a_bits[p] = true; p if always
finalize

structured, Minuend
positions q * 2..(q + 1) * 2
at a_crd[p] if always

range, Minuend
coordinates (-d).min(0).unsigned_abs()..3.min(other.wrapping_add_signed(d))
at q * 3 + j if always
size q * 3
init
parents
insert q * 3 + j if always
finalize

range, Subtrahend
coordinates d.min(0).unsigned_abs()..3.min(other.wrapping_add_signed(-d))
at q * 3 + j if always
size q * 3
init
parents
insert q * 3 + j if always
finalize

range, Sum
coordinates (d + 1).saturating_sub(other)..3.min(d + 1)
at q * 3 + j if always
size q * 3
init
parents
insert q * 3 + j if always
finalize

offset, Minuend
positions q..q + 1
at i.wrapping_add_signed(d) if always
size q
init
parents
insert q if always
finalize

offset, Subtrahend
positions q..q + 1
at i.wrapping_add_signed(-d) if always
size q
init
parents
insert q if always
finalize

offset, Sum
positions q..q + 1
at d - i if always
size q
init
parents
insert q if always
finalize

";
