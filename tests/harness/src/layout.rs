//! Extents and parameters of a statement: extents of its variables, and of modes with subranges.

use std::collections::BTreeMap;

use crate::oracle::{Extents, Operands};
use crate::random::Random;
use crate::statement::{Access, Addend, Bound, Division, List, Mode, Statement};

/// Consistent extents.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The extent of each index variable.
    pub extents: Extents,
    /// The value of each parameter.
    pub parameters: BTreeMap<String, usize>,
    /// The coordinates of each index set parameter.
    pub lists: BTreeMap<String, Vec<usize>>,
    /// The shape of each operand.
    pub shapes: BTreeMap<String, Vec<usize>>,
}

/// Returns a layout with these extents of the variables, as far as constant slice bounds permit, or
/// `None` if the extents are inconsistent. `classes` groups the variables with equal extents;
/// `gathered_extent` is the extent of modes at listed coordinates, chosen if `None`.
pub fn layout(
    statement: &Statement,
    classes: &[usize],
    mut extents: Extents,
    gathered_extent: Option<usize>,
    random: &mut Random,
) -> Option<Layout> {
    let mut parameters = BTreeMap::new();
    for (v, extent) in &statement.sizes {
        set(statement, classes, &mut extents, v, *extent);
    }
    let slices: Vec<(&str, &Bound, &Bound, usize)> = modes(statement)
        .filter_map(|mode| match mode {
            Mode::Slice(v, start, end, step) => Some((v.as_str(), start, end, *step)),
            Mode::Whole(_)
            | Mode::Fixed(_)
            | Mode::Shifted(..)
            | Mode::Sum(_)
            | Mode::Divided(..)
            | Mode::Element(_)
            | Mode::Listed(..) => None,
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
        if let Mode::Listed(v, List::Numbers(numbers)) = mode {
            set(statement, classes, &mut extents, v, numbers.len());
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
        let shape = shape(statement, operand, (&extents, gathered_extent), &mut parameters, random);
        shapes.insert(operand.to_owned(), shape);
    }
    let mut lists: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for view in &statement.views {
        for (mode, extent) in view.modes.iter().zip(&shapes[&view.of]) {
            if let Mode::Listed(v, List::Parameter(name)) = mode {
                let list = (0..extents[v]).map(|_| random.below((*extent).max(1))).collect();
                lists.entry(name.clone()).or_insert(list);
            }
        }
    }
    for name in statement.parameters().into_iter().filter(|name| !lists.contains_key(*name)) {
        parameters.entry(name.to_owned()).or_insert_with(|| random.below(4));
    }
    let layout = Layout { extents, parameters, lists, shapes };
    layout.fits(statement).then_some(layout)
}

fn modes(statement: &Statement) -> impl Iterator<Item = &Mode> {
    statement.views.iter().flat_map(|view| &view.modes)
}

/// Sets the extent of a variable, and of the variables in its class.
fn set(statement: &Statement, classes: &[usize], extents: &mut Extents, v: &str, extent: usize) {
    let variables = statement.variables();
    let class = variables.iter().position(|known| *known == v).map(|k| classes[k]);
    for (name, of) in variables.iter().zip(classes) {
        if Some(*of) == class {
            extents.insert((*name).to_owned(), extent);
        }
    }
}

/// Returns the extents of an operand's modes, and sets parameters that are fixed coordinates in
/// them.
fn shape(
    statement: &Statement,
    operand: &str,
    (extents, gathered_extent): (&Extents, Option<usize>),
    parameters: &mut BTreeMap<String, usize>,
    random: &mut Random,
) -> Vec<usize> {
    let mut accesses = statement.reads();
    // A read of the result has its extents.
    accesses.push(&statement.result);
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
            Mode::Slice(..)
            | Mode::Fixed(_)
            | Mode::Sum(_)
            | Mode::Divided(..)
            | Mode::Element(_)
            | Mode::Listed(..) => None,
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
            Mode::Sum(_) | Mode::Divided(..) => 0,
            Mode::Element(_) => 1,
            Mode::Listed(v, List::Parameter(_)) => usize::from(extents[v] > 0),
            Mode::Listed(_, List::Numbers(numbers)) => {
                numbers.iter().max().map_or(0, |most| most + 1)
            }
        });
        let least = ends.max().unwrap_or_default();
        let more = if parts.iter().all(|part| part.is_part()) { 4 } else { 7 };
        let mut gathered = parts.iter().map(|part| match part {
            Mode::Element(_) | Mode::Listed(..) => true,
            Mode::Whole(_)
            | Mode::Slice(..)
            | Mode::Fixed(_)
            | Mode::Shifted(..)
            | Mode::Sum(_)
            | Mode::Divided(..) => false,
        });
        let given = gathered_extent.filter(|_| gathered.any(|is_gathered| is_gathered));
        let chosen = || given.unwrap_or_else(|| least + random.below(more)).max(least);
        whole.unwrap_or_else(chosen)
    };
    (0..order).map(extent).collect()
}

impl Layout {
    /// Returns the value of a bound.
    pub fn value(&self, bound: &Bound) -> usize {
        match bound {
            Bound::Number(number) => *number,
            Bound::Parameter(name) => self.parameters[name],
        }
    }

    /// Returns whether every subrange is within its mode and has the extent of its variable.
    fn fits(&self, statement: &Statement) -> bool {
        statement.views.iter().all(|view| {
            view.modes.iter().zip(&self.shapes[&view.of]).all(|(mode, extent)| match mode {
                Mode::Whole(v) => self.extents[v] == *extent,
                Mode::Fixed(at) => self.value(at) < *extent,
                Mode::Sum(_) | Mode::Divided(..) => true,
                Mode::Element(_) => *extent > 0,
                Mode::Listed(v, list) => {
                    let list = self.list(list);
                    list.iter().all(|at| at < extent) && list.len() == self.extents[v]
                }
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

    /// Returns the coordinates of an index set.
    pub fn list<'l>(&'l self, list: &'l List) -> &'l [usize] {
        match list {
            List::Numbers(numbers) => numbers,
            List::Parameter(name) => &self.lists[name],
        }
    }

    /// Returns the coordinate at which an access reads its tensor, given the coordinates of
    /// variables, or `None` if it is outside of the tensor or the subrange.
    pub fn read(
        &self,
        statement: &Statement,
        access: &Access,
        at: &BTreeMap<&str, usize>,
        operands: &Operands,
    ) -> Option<Vec<usize>> {
        let tensor = statement.tensor(access);
        let shape = &self.shapes[tensor];
        let modes = statement.modes(access);
        let coordinates = modes.iter().zip(shape).map(|(mode, extent)| {
            let coordinate = match mode {
                Mode::Whole(v) => at[v.as_str()],
                Mode::Fixed(at) => self.value(at),
                Mode::Slice(v, start, _, step) => self.value(start) + at[v.as_str()] * step,
                Mode::Shifted(v, start, end, step, by) => {
                    let own = at[v.as_str()].checked_add_signed(-by)?;
                    let ahead = own.checked_sub(self.value(start))?;
                    (own < self.value(end) && ahead % step == 0).then_some(own)?
                }
                Mode::Sum(addends) => usize::try_from(self.sum(addends, at)).ok()?,
                Mode::Divided(addends, by, division) => {
                    let (of, by) = (self.sum(addends, at), *by as i64);
                    let coordinate = match division {
                        Division::Quotient => of / by,
                        Division::Remainder => of % by,
                    };
                    usize::try_from(coordinate).ok()?
                }
                Mode::Element(element) => {
                    let own = self.read(statement, element, at, operands);
                    let found = operands.get(statement.tensor(element));
                    let found = own.and_then(|own| found?.get(&own));
                    found.map_or(0, |number| number.whole() as usize)
                }
                Mode::Listed(v, list) => self.list(list)[at[v.as_str()]],
            };
            (coordinate < *extent).then_some(coordinate)
        });
        coordinates.collect()
    }

    /// Returns the value of an affine index.
    fn sum(&self, addends: &[(i64, Addend)], at: &BTreeMap<&str, usize>) -> i64 {
        let value = |addend: &Addend| match addend {
            Addend::One => 1,
            Addend::Variable(v) => at[v.as_str()] as i64,
            Addend::Parameter(name) => self.parameters[name] as i64,
        };
        addends.iter().map(|(times, addend)| times * value(addend)).sum()
    }

    /// Returns the coordinates of variables that access a coordinate of a tensor, if it is within
    /// the accessed subranges.
    pub fn within(&self, modes: &[Mode], at: &[usize], variables: &[String]) -> Option<Vec<usize>> {
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for (mode, coordinate) in modes.iter().zip(at) {
            let (v, counted) = match mode {
                Mode::Whole(v) => (v, *coordinate),
                Mode::Fixed(at) if self.value(at) == *coordinate => continue,
                Mode::Fixed(_)
                | Mode::Sum(_)
                | Mode::Divided(..)
                | Mode::Element(_)
                | Mode::Listed(..) => return None,
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

    /// Returns the coordinate of a tensor that variables access.
    pub fn place(&self, modes: &[Mode], at: &[usize], variables: &[String]) -> Vec<usize> {
        let coordinate = |v: &String| {
            let own = variables.iter().position(|known| known == v);
            own.map_or(0, |own| at[own])
        };
        let place = |mode: &Mode| match mode {
            Mode::Whole(v) | Mode::Shifted(v, ..) => coordinate(v),
            Mode::Fixed(at) => self.value(at),
            Mode::Slice(v, start, _, step) => self.value(start) + coordinate(v) * step,
            Mode::Listed(v, list) => self.list(list)[coordinate(v)],
            Mode::Sum(_) | Mode::Divided(..) | Mode::Element(_) => 0,
        };
        modes.iter().map(place).collect()
    }
}
