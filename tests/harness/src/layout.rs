//! Extents and parameters for a statement: those of its variables, and of the modes of which it reads
//! parts.

use std::collections::BTreeMap;

use crate::oracle::Extents;
use crate::random::Random;
use crate::statement::{Bound, Mode, Statement};

/// Extents that fit together.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The extent of each index variable.
    pub extents: Extents,
    /// The value of each parameter.
    pub parameters: BTreeMap<String, usize>,
    /// The shape of each operand.
    pub shapes: BTreeMap<String, Vec<usize>>,
}

/// A layout with these extents of the variables, as far as slices whose bounds are numbers leave the
/// choice; nothing where the extents do not fit. `classes` tells which variables have one extent.
pub fn layout(
    statement: &Statement,
    classes: &[usize],
    mut extents: Extents,
    random: &mut Random,
) -> Option<Layout> {
    let mut parameters = BTreeMap::new();
    for (v, extent) in &statement.sizes {
        set(statement, classes, &mut extents, v, *extent);
    }
    let slices: Vec<(&str, &Bound, &Bound, usize)> = modes(statement)
        .filter_map(|mode| match mode {
            Mode::Slice(v, start, end, step) => Some((v.as_str(), start, end, *step)),
            Mode::Whole(_) | Mode::Fixed(_) | Mode::Shifted(..) => None,
        })
        .collect();
    for (v, start, end, step) in &slices {
        if let (Bound::Number(start), Bound::Number(end)) = (start, end) {
            set(statement, classes, &mut extents, v, (end - start).div_ceil(*step));
        }
    }
    for (v, start, end, step) in &slices {
        match (start, end) {
            (Bound::Number(_), Bound::Number(_)) => {}
            (Bound::Parameter(start), Bound::Number(end)) => {
                let extent = extents[*v].min(end / step);
                set(statement, classes, &mut extents, v, extent);
                parameters.entry(start.clone()).or_insert(end - extent * step);
            }
            (start, Bound::Parameter(end)) => {
                let start = match start {
                    Bound::Number(start) => *start,
                    Bound::Parameter(name) => {
                        *parameters.entry(name.clone()).or_insert(random.below(4))
                    }
                };
                let reached = extents[*v] * step;
                let beyond = if reached > 0 { random.below(*step) } else { 0 };
                parameters.entry(end.clone()).or_insert(start + reached - beyond);
            }
        }
    }
    for mode in modes(statement) {
        if let Mode::Shifted(v, start, end, ..) = mode {
            let extent = extents[v];
            if let Bound::Parameter(name) = start {
                parameters.entry(name.clone()).or_insert(random.below(extent / 2 + 1));
            }
            if let Bound::Parameter(name) = end {
                parameters.entry(name.clone()).or_insert(extent - random.below(extent / 2 + 1));
            }
        }
    }
    let mut shapes = BTreeMap::new();
    for operand in statement.operands() {
        let shape = shape(statement, operand, &extents, &mut parameters, random);
        shapes.insert(operand.to_owned(), shape);
    }
    for name in statement.parameters() {
        parameters.entry(name.to_owned()).or_insert_with(|| random.below(4));
    }
    let layout = Layout { extents, parameters, shapes };
    layout.fits(statement).then_some(layout)
}

fn modes(statement: &Statement) -> impl Iterator<Item = &Mode> {
    statement.views.iter().flat_map(|view| &view.modes)
}

/// Gives a variable, and those that must have as many coordinates, an extent.
fn set(statement: &Statement, classes: &[usize], extents: &mut Extents, v: &str, extent: usize) {
    let variables = statement.variables();
    let class = variables.iter().position(|known| *known == v).map(|k| classes[k]);
    for (name, of) in variables.iter().zip(classes) {
        if Some(*of) == class {
            extents.insert((*name).to_owned(), extent);
        }
    }
}

/// The extents of an operand's modes; parameters that are fixed coordinates of it get a value.
fn shape(
    statement: &Statement,
    operand: &str,
    extents: &Extents,
    parameters: &mut BTreeMap<String, usize>,
    random: &mut Random,
) -> Vec<usize> {
    let accesses = statement.reads();
    let reads: Vec<Vec<Mode>> = accesses
        .iter()
        .filter(|access| statement.tensor(access) == operand)
        .map(|access| statement.modes(access))
        .collect();
    let order = reads.first().map_or(0, Vec::len);
    let extent = |mode: usize| {
        let parts: Vec<&Mode> = reads.iter().map(|modes| &modes[mode]).collect();
        let whole = parts.iter().find_map(|part| match part {
            Mode::Whole(v) | Mode::Shifted(v, ..) => Some(extents[v]),
            Mode::Slice(..) | Mode::Fixed(_) => None,
        });
        let mut value = |bound: &Bound| match bound {
            Bound::Number(number) => *number,
            Bound::Parameter(name) => {
                let most = whole.unwrap_or(5).max(1);
                *parameters.entry(name.clone()).or_insert(random.below(most))
            }
        };
        let ends = parts.iter().map(|part| match part {
            Mode::Whole(_) => 0,
            Mode::Slice(_, _, end, _) | Mode::Shifted(_, _, end, ..) => value(end),
            Mode::Fixed(at) => value(at) + 1,
        });
        let least = ends.max().unwrap_or_default();
        whole.unwrap_or_else(|| least + random.below(4))
    };
    (0..order).map(extent).collect()
}

impl Layout {
    /// The number that a bound stands for.
    pub fn value(&self, bound: &Bound) -> usize {
        match bound {
            Bound::Number(number) => *number,
            Bound::Parameter(name) => self.parameters[name],
        }
    }

    /// Whether every part lies within its mode and has its variable's extent.
    fn fits(&self, statement: &Statement) -> bool {
        statement.views.iter().all(|view| {
            view.modes.iter().zip(&self.shapes[&view.of]).all(|(mode, extent)| match mode {
                Mode::Whole(v) => self.extents[v] == *extent,
                Mode::Fixed(at) => self.value(at) < *extent,
                Mode::Shifted(v, start, end, ..) => {
                    let (start, end) = (self.value(start), self.value(end));
                    start <= end && end <= *extent && self.extents[v] == *extent
                }
                Mode::Slice(v, start, end, step) => {
                    let (start, end) = (self.value(start), self.value(end));
                    let length = end.checked_sub(start).map(|ahead| ahead.div_ceil(*step));
                    end <= *extent && length == Some(self.extents[v])
                }
            })
        })
    }

    /// A coordinate of a tensor as one of some of the variables by which parts of it are accessed, where
    /// it lies within these.
    pub fn within(&self, modes: &[Mode], at: &[usize], variables: &[String]) -> Option<Vec<usize>> {
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for (mode, coordinate) in modes.iter().zip(at) {
            let (v, counted) = match mode {
                Mode::Whole(v) => (v, *coordinate),
                Mode::Fixed(at) if self.value(at) == *coordinate => continue,
                Mode::Fixed(_) => return None,
                Mode::Slice(v, start, end, step) => {
                    let ahead = coordinate.checked_sub(self.value(start))?;
                    if *coordinate >= self.value(end) || ahead % step != 0 {
                        return None;
                    }
                    (v, ahead / step)
                }
                Mode::Shifted(v, start, end, step, by) => {
                    let ahead = coordinate.checked_sub(self.value(start))?;
                    let moved = coordinate.checked_add_signed(*by)?;
                    let outside = *coordinate >= self.value(end) || ahead % step != 0;
                    if outside || moved >= self.extents[v] {
                        return None;
                    }
                    (v, moved)
                }
            };
            if *known.entry(v).or_insert(counted) != counted {
                return None;
            }
        }
        Some(variables.iter().map(|v| known[v.as_str()]).collect())
    }

    /// The coordinate of a tensor that variables stand for.
    pub fn place(&self, modes: &[Mode], at: &[usize], variables: &[String]) -> Vec<usize> {
        let coordinate = |v: &String| {
            let own = variables.iter().position(|known| known == v);
            own.map_or(0, |own| at[own])
        };
        let place = |mode: &Mode| match mode {
            Mode::Whole(v) | Mode::Shifted(v, ..) => coordinate(v),
            Mode::Fixed(at) => self.value(at),
            Mode::Slice(v, start, _, step) => self.value(start) + coordinate(v) * step,
        };
        modes.iter().map(place).collect()
    }
}
