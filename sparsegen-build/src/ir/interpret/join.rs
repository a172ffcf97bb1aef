//! Results of parts that are joined parent by parent.

use std::collections::BTreeMap;
use std::ops::Range;

use super::entry::{Done, combined, plain};
use super::frame::{Frame, Object};
use super::{Number, Value};
use crate::ir::{Argument, Contents, Joined, Joining, Ordered, Reduced, Vector};

/// The vectors that a part has filled, by name.
pub(super) type Filled = BTreeMap<String, Object>;

/// The entries of one part for a parent.
struct Listed {
    coordinate: usize,
    part: usize,
    entries: Range<usize>,
}

impl Frame {
    /// Returns the vectors that a part has filled.
    pub(super) fn filled(&self, vectors: &[Joined]) -> Done<Filled> {
        let vectors = vectors.iter().map(|joined| &joined.name);
        vectors.map(|name| Ok((name.clone(), self.get(name)?.clone()))).collect()
    }

    /// Joins the vectors of parts in an order.
    pub(super) fn join_by_parent(
        &mut self,
        order: &Ordered,
        vectors: &[Joined],
        parts: &[Filled],
    ) -> Done<()> {
        let listed = listed(order, parts)?;
        let entries: usize = listed.iter().map(|listed| listed.entries.len()).sum();
        let is_new = |k: usize| k == 0 || listed[k].coordinate != listed[k - 1].coordinate;
        for Joined { name, into, by } in vectors {
            let Joining::Ordered(own, contents) = by else { continue };
            if *own != order.name {
                continue;
            }
            let starts = (0..listed.len()).filter(|k| is_new(*k));
            let list: Vec<usize> = match contents {
                Contents::Count if order.by.ends.is_none() && order.by.combined.is_none() => {
                    vec![0, entries]
                }
                Contents::Count => vec![0, starts.count()],
                Contents::Parents => starts.map(|k| listed[k].coordinate).collect(),
                Contents::Ends => {
                    let before = |k: usize| {
                        listed[..k].iter().map(|listed| listed.entries.len()).sum::<usize>()
                    };
                    starts.map(before).chain([entries]).collect()
                }
                Contents::Combined => {
                    let Vector::Values(all) = into else { continue };
                    let values = in_order(&listed, entries, |part| values(&parts[part], name))?;
                    let mut joined: Vec<Number> = Vec::new();
                    for (k, value) in values.into_iter().enumerate() {
                        match (joined.last_mut(), &order.by.combined) {
                            (Some(last), Some(Reduced { dtype, combining })) if !is_new(k) => {
                                *last = combined(combining, [*last, value], *dtype, self)?;
                            }
                            (_, _) => joined.push(value),
                        }
                    }
                    *self.values(&Argument::Name(all.clone()))? = joined;
                    continue;
                }
                Contents::Slots => vec![slots(&listed)],
                Contents::Slotted => match into {
                    Vector::Values(all) => {
                        let entries =
                            in_order(&listed, entries, |part| values(&parts[part], name))?;
                        let padding = order.by.padding.as_ref().map(|value| {
                            self.machine().eval(value).and_then(Value::as_element).map_err(plain)
                        });
                        let padding = padding.unwrap_or_else(|| Err(plain("no padding".into())))?;
                        let values = in_slots(&listed, &entries, padding);
                        *self.values(&Argument::Name(all.clone()))? = values;
                        continue;
                    }
                    Vector::Field(_) => {
                        let entries = in_order(&listed, entries, |part| list(&parts[part], name))?;
                        in_slots(&listed, &entries, 0)
                    }
                },
                Contents::Entries => match into {
                    Vector::Values(all) => {
                        let values = in_order(&listed, entries, |part| values(&parts[part], name))?;
                        *self.values(&Argument::Name(all.clone()))? = values;
                        continue;
                    }
                    Vector::Field(_) => {
                        in_order(&listed, entries, |part| list(&parts[part], name))?
                    }
                },
            };
            if let Vector::Field(field) = into {
                self.set_field(field, list);
            }
        }
        Ok(())
    }
}

/// Returns the entries of parts for each parent, in the order in which they are joined.
fn listed(order: &Ordered, parts: &[Filled]) -> Done<Vec<Listed>> {
    let mut all = Vec::new();
    for (part, filled) in parts.iter().enumerate() {
        let array = |name: &Option<String>| name.as_ref().map(|name| list(filled, name));
        let (coordinates, ends) = (array(&order.by.coordinates), array(&order.by.ends));
        let ends = match (ends, &coordinates) {
            (Some(ends), _) => ends?,
            (None, Some(Ok(coordinates))) => (0..=coordinates.len()).collect(),
            (None, _) => return Err(plain("an order has no parents".into())),
        };
        let coordinates = match coordinates {
            Some(coordinates) => coordinates?,
            None => (0..ends.len() - 1).collect(),
        };
        let segments = coordinates.iter().zip(ends.windows(2));
        all.extend(segments.map(|(coordinate, ends)| Listed {
            coordinate: *coordinate,
            part,
            entries: ends[0]..ends[1],
        }));
    }
    all.sort_by_key(|listed| listed.coordinate);
    Ok(all)
}

/// Returns the elements of all entries.
fn in_order<V: Clone>(
    listed: &[Listed],
    entries: usize,
    of: impl Fn(usize) -> Done<Vec<V>>,
) -> Done<Vec<V>> {
    let parts = listed.iter().map(|listed| listed.part + 1).max().unwrap_or(0);
    let parts = (0..parts).map(of).collect::<Done<Vec<_>>>()?;
    let each = parts.iter().map(Vec::len).sum::<usize>().checked_div(entries).unwrap_or(0);
    let own = listed.iter().flat_map(|Listed { part, entries, .. }| {
        parts[*part][each * entries.start..each * entries.end].iter().cloned()
    });
    Ok(own.collect())
}

/// Returns the number of entries of each parent. All parents are listed.
fn counts(listed: &[Listed]) -> Vec<usize> {
    let parents = listed.chunk_by(|a, b| a.coordinate == b.coordinate);
    parents.map(|same| same.iter().map(|listed| listed.entries.len()).sum()).collect()
}

/// Returns the number of slots: the largest number of entries of a parent.
fn slots(listed: &[Listed]) -> usize {
    counts(listed).into_iter().max().unwrap_or(0)
}

/// Returns the elements of all slots, in each of which there is one of every parent.
fn in_slots<V: Clone>(listed: &[Listed], entries: &[V], padding: V) -> Vec<V> {
    let counts = counts(listed);
    let mut all = vec![padding; slots(listed) * counts.len()];
    let mut begin = 0;
    for (parent, count) in counts.iter().enumerate() {
        for slot in 0..*count {
            all[slot * counts.len() + parent] = entries[begin + slot].clone();
        }
        begin += count;
    }
    all
}

/// Returns the length of a vector.
pub(super) fn length(filled: &Filled, name: &str) -> usize {
    match filled.get(name) {
        Some(Object::List(list)) => list.len(),
        Some(Object::Values(values)) => values.len(),
        _ => 0,
    }
}

pub(super) fn list(filled: &Filled, name: &str) -> Done<Vec<usize>> {
    match filled.get(name) {
        Some(Object::List(list)) => Ok(list.clone()),
        other => Err(plain(format!("`{name}` is no list: {other:?}"))),
    }
}

pub(super) fn values(filled: &Filled, name: &str) -> Done<Vec<Number>> {
    match filled.get(name) {
        Some(Object::Values(values)) => Ok(values.clone()),
        other => Err(plain(format!("`{name}` has no values: {other:?}"))),
    }
}
