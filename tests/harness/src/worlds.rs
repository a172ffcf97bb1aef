//! Operands of a case: random and degenerate ones, which are the same in every run.

use std::collections::BTreeMap;

use crate::kinds::Kinds;
use crate::layout::{Layout, layout};
use crate::number::Number;
use crate::oracle::Extents;
use crate::random::Random;
use crate::statement::{Mode, Statement};

/// A tensor without a format: unordered entries, in which duplicates are added.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries {
    /// The extent of each mode; empty for a scalar.
    pub shape: Vec<usize>,
    /// Coordinates and values.
    pub entries: Vec<(Vec<usize>, Number)>,
}

/// Operands for a statement.
#[derive(Clone, Debug)]
pub struct World {
    /// A description of the operands.
    pub name: String,
    /// The extent of each index variable, the parameters, and the shapes of operands.
    pub layout: Layout,
    /// The operands and parameters, by name.
    pub operands: BTreeMap<String, Entries>,
}

impl World {
    /// Returns these operands and, unless it is one of them, a result without entries, whose shape
    /// determines extents that no operand determines.
    pub fn with_result(mut self, statement: &Statement) -> World {
        let result = &statement.result;
        if !self.operands.contains_key(statement.tensor(result)) {
            let extents = &self.layout.extents;
            let shape = result.variables.iter().map(|variable| extents[variable]).collect();
            self.operands.insert(result.tensor.clone(), Entries { shape, entries: Vec::new() });
        }
        self
    }
}

/// The coordinates at which an operand has entries.
#[derive(Clone, Copy, Debug)]
enum Pattern {
    /// Each coordinate with this probability.
    Random(f64),
    /// This number of coordinates.
    Few(usize),
    /// Each coordinate with this probability, the same ones in all operands of one shape.
    Shared(f64),
    /// Each coordinate in one operand only.
    Disjoint,
    /// All coordinates, except those whose first coordinate leaves remainder 1 on division by 3 or
    /// whose last one is odd.
    Gaps,
    /// All coordinates, but none in the operand with this number.
    AllBut(usize),
    /// No coordinates, but all in the operand with this number.
    Only(usize),
    /// Each coordinate with this probability, as many duplicates.
    Crowded(f64),
}

/// The largest number of duplicates of an entry.
const CROWD: usize = 12;

/// The largest number of coordinates of an operand.
const LARGEST: usize = 200_000;

/// Returns all operands for a statement.
pub fn worlds(name: &str, statement: &Statement, kinds: &Kinds) -> Vec<World> {
    let classes = classes(statement);
    let count = classes.iter().collect::<std::collections::BTreeSet<_>>().len();
    let usual: &[usize] = match count {
        0..=2 => &[7, 5],
        3 => &[6, 4, 5],
        4 => &[4, 5, 3, 2],
        _ => &[3, 4, 2, 5, 2, 3],
    };
    let wide: &[usize] = match count {
        0..=1 => &[300],
        2 => &[61, 47],
        3 => &[17, 27, 11],
        4 => &[9, 27, 8, 6],
        _ => &[5, 3, 4, 6, 3, 2],
    };
    let operands = statement.operands();
    let order = statement.accesses().iter().map(|a| statement.modes(a).len()).max().unwrap_or(0);
    let (usual, wide): (&[usize], &[usize]) = match order {
        0..=4 => (usual, wide),
        _ => (&[3, 4, 2, 3, 2, 2], &[4, 3, 5, 2, 3, 2]),
    };
    let mut worlds = Vec::new();
    let mut add = |label: &str, extents: &[usize], pattern: Pattern, zeros: bool| {
        let extents = assign(statement, &classes, extents);
        let mut random = Random::seeded(&format!("{name} {label}"));
        let Some(layout) = layout(statement, &classes, extents, None, &mut random) else { return };
        let cells = |shape: &Vec<usize>| shape.iter().product::<usize>();
        if layout.shapes.values().map(cells).max() > Some(LARGEST) {
            return;
        }
        let mut world = World { name: label.to_owned(), layout, operands: BTreeMap::new() };
        for (name, value) in &world.layout.parameters {
            let entries = vec![(Vec::new(), Number::Whole(*value as i128))];
            world.operands.insert(name.clone(), Entries { shape: Vec::new(), entries });
        }
        for (name, list) in &world.layout.lists {
            let entries = list.iter().enumerate();
            let entries = entries.map(|(k, at)| (vec![k], Number::Whole(*at as i128)));
            let (shape, entries) = (vec![list.len()], entries.collect());
            world.operands.insert(name.clone(), Entries { shape, entries });
        }
        for (k, operand) in operands.iter().enumerate() {
            let shape = world.layout.shapes[*operand].clone();
            let mut entries = entries(&mut random, k, operands.len(), &shape, pattern);
            fill(&mut random, &mut entries, kinds, operand, zeros);
            if let Pattern::Crowded(_) = pattern {
                crowd(&mut random, &mut entries, kinds, operand);
            }
            point(statement, &world.layout, &mut random, &mut entries, operand);
            random.shuffle(&mut entries);
            world.operands.insert((*operand).to_owned(), Entries { shape, entries });
        }
        worlds.push(world.with_result(statement));
    };
    add("random", usual, Pattern::Random(0.3), false);
    add("half full", usual, Pattern::Random(0.55), false);
    add("stored zeros", usual, Pattern::Random(0.4), true);
    add("full", usual, Pattern::Random(1.0), false);
    add("empty", usual, Pattern::Random(0.0), false);
    add("hypersparse", wide, Pattern::Few(3), false);
    add("sparse and wide", wide, Pattern::Random(0.06), false);
    add("one pattern", usual, Pattern::Shared(0.4), false);
    add("disjoint patterns", usual, Pattern::Disjoint, false);
    add("many duplicates", usual, Pattern::Crowded(0.3), false);
    add("empty rows and columns", usual, Pattern::Gaps, false);
    add("extents of 1, full", &[1], Pattern::Random(1.0), false);
    add("extents of 1, empty", &[1], Pattern::Random(0.0), false);
    for k in 0..count {
        let changed = |extent| {
            let mut extents: Vec<usize> = (0..count).map(|k| usual[k % usual.len()]).collect();
            extents[k] = extent;
            extents
        };
        add(&format!("extent {k} is 1"), &changed(1), Pattern::Random(0.6), false);
        add(&format!("extent {k} is 0"), &changed(0), Pattern::Random(0.6), false);
    }
    if operands.len() > 1 {
        for (k, operand) in operands.iter().enumerate() {
            add(&format!("{operand} alone is empty"), usual, Pattern::AllBut(k), false);
            add(&format!("{operand} alone has entries"), usual, Pattern::Only(k), false);
        }
    }
    if !kinds.unbounded.is_empty() {
        let names = ["random", "half full", "full", "extents of 1, full"];
        let bounded = worlds.iter().filter(|world| names.contains(&world.name.as_str()));
        let unbounded: Vec<World> = bounded.map(|world| unbounded(name, world, kinds)).collect();
        worlds.extend(unbounded);
    }
    worlds
}

/// Returns operands with some infinities and NaN.
fn unbounded(name: &str, world: &World, kinds: &Kinds) -> World {
    let mut world = World { name: format!("{}, unbounded", world.name), ..world.clone() };
    let mut random = Random::seeded(&format!("{name} {}", world.name));
    for (operand, entries) in &mut world.operands {
        if !kinds.unbounded.contains(operand) {
            continue;
        }
        for (_, value) in &mut entries.entries {
            let others = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::NAN];
            if random.chance(0.5) {
                *value = Number::Real(others[random.below(others.len())]);
            }
        }
    }
    world
}

/// Returns the class of each variable: variables that index the same mode of a tensor have one
/// extent.
pub fn classes(statement: &Statement) -> Vec<usize> {
    let variables = statement.variables();
    let mut classes: Vec<usize> = (0..variables.len()).collect();
    let mut of_mode: BTreeMap<(&str, usize), usize> = BTreeMap::new();
    for access in statement.accesses() {
        for (mode, read) in statement.modes(access).into_iter().enumerate() {
            let (Mode::Whole(name) | Mode::Shifted(name, ..)) = read else { continue };
            let own = variables.iter().position(|known| *known == name).expect("a variable");
            let first = *of_mode.entry((statement.tensor(access), mode)).or_insert(own);
            let (keep, drop) = (classes[first], classes[own]);
            classes.iter_mut().filter(|class| **class == drop).for_each(|class| *class = keep);
        }
    }
    classes
}

/// Assigns extents to the classes of variables, in the order of first use.
pub(crate) fn assign(statement: &Statement, classes: &[usize], extents: &[usize]) -> Extents {
    let mut given: Vec<usize> = Vec::new();
    let mut all = Extents::new();
    for (variable, class) in statement.variables().iter().zip(classes) {
        let place = given.iter().position(|known| known == class).unwrap_or_else(|| {
            given.push(*class);
            given.len() - 1
        });
        all.insert((*variable).to_owned(), extents[place % extents.len()]);
    }
    all
}

/// Returns the extents of an operand's modes.
pub fn shape(statement: &Statement, operand: &str, extents: &Extents) -> Vec<usize> {
    let accesses = statement.accesses();
    let access = accesses[1..].iter().find(|access| access.tensor == operand);
    let variables = access.map(|access| access.variables.as_slice()).unwrap_or_default();
    variables.iter().map(|variable| extents[variable]).collect()
}

/// Returns the coordinates at which an operand has entries.
fn entries(
    random: &mut Random,
    operand: usize,
    operands: usize,
    shape: &[usize],
    pattern: Pattern,
) -> Vec<(Vec<usize>, Number)> {
    let count: usize = shape.iter().product();
    let mut shared = Random::seeded(&format!("{shape:?}"));
    let mut entries = Vec::new();
    for position in 0..count {
        let at = coordinate(shape, position);
        let is_there = match pattern {
            Pattern::Random(density) | Pattern::Crowded(density) => random.chance(density),
            Pattern::Few(all) => random.below(count) < all,
            Pattern::Shared(density) => shared.chance(density),
            Pattern::Disjoint => shared.below(operands) == operand,
            Pattern::Gaps => {
                at.first().is_none_or(|c| c % 3 != 1) && at.last().is_none_or(|c| c % 2 == 0)
            }
            Pattern::AllBut(other) => operand != other,
            Pattern::Only(one) => operand == one,
        };
        // A scalar is always stored.
        if is_there || shape.is_empty() {
            entries.push((at, Number::ZERO));
        }
    }
    entries
}

/// Assigns values to entries, and splits a few entries in two.
fn fill(
    random: &mut Random,
    entries: &mut Vec<(Vec<usize>, Number)>,
    kinds: &Kinds,
    operand: &str,
    zeros: bool,
) {
    let kind = kinds.kind(operand);
    for k in 0..entries.len() {
        let is_zero = zeros && kinds.has_zeros(operand) && random.chance(0.3);
        let value = if is_zero { Number::ZERO } else { kind.value(random) };
        entries[k].1 = value;
        if kinds.splits && kind.is_arithmetic() && random.chance(0.1) {
            let at = entries[k].0.clone();
            entries[k].1 = Number::Real(1.0);
            entries.push((at, value + Number::Real(-1.0)));
        }
    }
}

/// Splits entries into many duplicates.
fn crowd(
    random: &mut Random,
    entries: &mut Vec<(Vec<usize>, Number)>,
    kinds: &Kinds,
    operand: &str,
) {
    if !kinds.splits || !kinds.kind(operand).is_arithmetic() {
        return;
    }
    for k in 0..entries.len() {
        for _ in 0..random.below(CROWD) {
            entries[k].1 = entries[k].1 + Number::Real(-1.0);
            entries.push((entries[k].0.clone(), Number::Real(1.0)));
        }
    }
}

/// Assigns coordinates of other tensors as values of an index operand.
pub(crate) fn point(
    statement: &Statement,
    layout: &Layout,
    random: &mut Random,
    entries: &mut Vec<(Vec<usize>, Number)>,
    operand: &str,
) {
    let gathers = statement.gathers().into_iter().filter(|(by, ..)| *by == operand);
    let Some(least) = gathers.map(|(_, of, mode)| layout.shapes[of][mode]).min() else { return };
    let mut seen: Vec<Vec<usize>> = Vec::new();
    entries.retain(|(at, _)| {
        let is_first = !seen.contains(at);
        seen.push(at.clone());
        is_first
    });
    for (_, value) in entries {
        *value = Number::Whole(random.below(least.max(1)) as i128);
    }
}

/// Returns the coordinate at a position in row-major order.
pub fn coordinate(shape: &[usize], mut position: usize) -> Vec<usize> {
    let mut at = vec![0; shape.len()];
    for mode in (0..shape.len()).rev() {
        at[mode] = position % shape[mode];
        position /= shape[mode];
    }
    at
}
