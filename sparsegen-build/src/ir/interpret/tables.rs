//! Hash tables that parts have filled, which become one table.

use super::Number;
use super::entry::{Done, plain};
use super::frame::{Frame, Object};
use super::join::{Filled, list, values};
use crate::ir::{Buckets, Expr, Tables};

/// The slots of a part.
struct Slots {
    part: usize,
    crd: Vec<usize>,
    /// The number of slots of each bucket.
    width: usize,
    /// The mark of an empty slot.
    empty: usize,
}

impl Slots {
    /// Returns the coordinates of a parent, each with its slot.
    fn entries(&self, parent: usize) -> impl Iterator<Item = (usize, Place)> {
        let slots = parent * self.width..(parent + 1) * self.width;
        let used = slots.filter(|slot| self.crd[*slot] != self.empty);
        used.map(|slot| (self.crd[slot], Place { part: self.part, slot }))
    }
}

/// A slot of a part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    part: usize,
    slot: usize,
}

/// A table of joined buckets.
struct Table {
    crd: Vec<usize>,
    /// Where each entry was, and its new slot.
    moves: Vec<(Place, usize)>,
}

impl Frame {
    /// Gives the buckets of parts a common width, or merges them in the first part.
    pub(super) fn join_tables(&mut self, tables: &Tables, parts: &mut [Filled]) -> Done<()> {
        let Buckets { slots, empty, width, below, parents, .. } = &tables.by;
        let empty = self.index(empty)?;
        let filled = parts.iter().enumerate().map(|(part, filled)| match filled.get(width) {
            Some(Object::Index(width)) => {
                Ok(Slots { part, crd: list(filled, slots)?, width: *width, empty })
            }
            other => Err(plain(format!("`{width}` is no width: {other:?}"))),
        });
        let filled = filled.collect::<Done<Vec<Slots>>>()?;
        // The number of parents of each table, and the parts that have them.
        let groups: Vec<(usize, &[Slots])> = match parents {
            Some(parents) => vec![(self.index(parents)?, &filled[..])],
            None => filled.chunks(1).map(|of| (of[0].crd.len() / of[0].width, of)).collect(),
        };
        let counts = groups.iter().flat_map(|(parents, group)| {
            let count = |parent| group.iter().map(|of| of.entries(parent).count()).sum::<usize>();
            (0..*parents).map(count)
        });
        let wider = (2 * counts.max().unwrap_or(0)).next_power_of_two();
        let joined = groups.iter().map(|(parents, group)| table(group, *parents, wider, empty));
        let joined = joined.collect::<Done<Vec<Table>>>()?;
        let before: usize = filled.iter().map(|of| of.crd.len()).sum();
        for (array, initial) in below {
            self.move_along((&array.name, initial), before, &joined, parts)?;
        }
        let mut crd = joined.into_iter().map(|table| table.crd);
        for part in parts {
            part.insert(slots.clone(), Object::List(crd.next().unwrap_or_default()));
        }
        self.set_field(&tables.into, vec![wider]);
        Ok(())
    }

    /// Moves the elements of an array that has as many for each slot. There were `before` slots.
    fn move_along(
        &self,
        (array, initial): (&str, &Expr),
        before: usize,
        joined: &[Table],
        parts: &mut [Filled],
    ) -> Done<()> {
        let is_values = |part: &Filled| matches!(part.get(array), Some(Object::Values(_)));
        let moved: Vec<Object> = if parts.iter().all(is_values) {
            let initial = self.element(initial)?;
            let old = parts.iter().map(|part| values(part, array)).collect::<Done<Vec<_>>>()?;
            moved(&old, before, joined, initial).map(Object::Values).collect()
        } else {
            let initial = self.index(initial)?;
            let old = parts.iter().map(|part| list(part, array)).collect::<Done<Vec<_>>>()?;
            moved(&old, before, joined, initial).map(Object::List).collect()
        };
        for (part, moved) in parts.iter_mut().zip(moved) {
            part.insert(array.to_owned(), moved);
        }
        Ok(())
    }

    fn element(&self, expr: &Expr) -> Done<Number> {
        self.machine().eval(expr).and_then(super::Value::as_element).map_err(plain)
    }
}

/// Inserts the coordinates of parts into buckets of a width. Those of each run of used slots are sorted
/// by their first slots, then by themselves.
fn table(parts: &[Slots], parents: usize, width: usize, empty: usize) -> Done<Table> {
    let mut table = Table { crd: vec![empty; parents * width], moves: Vec::new() };
    for parent in 0..parents {
        let mut used = vec![false; width];
        let mut entries: Vec<_> = parts.iter().flat_map(|of| of.entries(parent)).collect();
        for (coordinate, _) in &entries {
            let mut probes = (0..width).map(|k| (coordinate + k) % width);
            let slot = probes.find(|slot| !used[*slot]);
            used[slot.ok_or_else(|| plain("a bucket is full".into()))?] = true;
        }
        // From an empty slot on, runs follow each other.
        let begin = used.iter().position(|used| !used).unwrap_or(0);
        let slots = (0..width).map(|k| (begin + k) % width).filter(|slot| used[*slot]);
        let begins = |coordinate: &usize| (coordinate % width + width - begin) % width;
        entries.sort_by_key(|(coordinate, _)| (begins(coordinate), *coordinate));
        for (slot, (coordinate, from)) in slots.zip(entries) {
            table.crd[parent * width + slot] = coordinate;
            table.moves.push((from, parent * width + slot));
        }
    }
    Ok(table)
}

/// Returns the elements of each part after the moves; parts without a table have none.
fn moved<'a, V: Clone>(
    old: &'a [Vec<V>],
    before: usize,
    joined: &'a [Table],
    initial: V,
) -> impl Iterator<Item = Vec<V>> {
    let elements: usize = old.iter().map(Vec::len).sum();
    let each = elements.checked_div(before).unwrap_or(0);
    (0..old.len()).map(move |part| {
        let Some(Table { crd, moves }) = joined.get(part) else { return Vec::new() };
        let mut new = vec![initial.clone(); crd.len() * each];
        for (Place { part, slot }, to) in moves {
            new[to * each..][..each].clone_from_slice(&old[*part][slot * each..][..each]);
        }
        new
    })
}
