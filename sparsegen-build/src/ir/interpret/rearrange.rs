//! Statements that move the elements of several arrays.

use super::arrays::{Storage, narrowed};
use super::{Machine, Value};
use crate::ir::Rearrange;

impl Machine {
    pub(super) fn rearrange(&mut self, rearrange: &Rearrange) -> Result<(), String> {
        match rearrange {
            Rearrange::Sort { places, crd, vals, start, each } => {
                let [start, each] = [start, each].map(|expr| self.eval(expr)?.index());
                let (start, each) = (start?, each?);
                let mut order = numbers(self.vector(crd)?, start)?;
                if let Some((places, first)) = places {
                    let first = self.eval(first)?.index()? as i128;
                    for (coordinate, _) in &order {
                        let place = usize::try_from(*coordinate + first);
                        let place = place.map_err(|error| error.to_string())?;
                        self.workspace(places)?.remove(place);
                    }
                }
                let mut values = self.vector(vals)?.cells.split_off(start * each);
                if values.len() != order.len() * each {
                    return Err(format!("`{vals}` has not {each} elements for each of `{crd}`"));
                }
                self.spend(super::cost::sorting(order.len()) + values.len() as u64)?;
                order.sort_unstable();
                if order.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                    return Err(format!("`{crd}` has a coordinate twice"));
                }
                let old = std::mem::take(&mut values);
                for (_, k) in &order {
                    values.extend_from_slice(&old[k * each..][..each]);
                }
                self.vector(vals)?.cells.extend(values);
                let crd = self.vector(crd)?;
                let old = crd.cells.split_off(start);
                crd.cells.extend(order.iter().map(|(_, k)| old[*k]));
                Ok(())
            }
            Rearrange::Entries { array, coordinates } => {
                self.spend(super::cost::sorting(self.array(array)?.len()?))?;
                self.vector(array)?.sort_by(*coordinates)
            }
            Rearrange::Widen { width, crd, below } => {
                let before = self.eval(&crate::ir::Expr::var(width))?.index()?;
                let after = 2 * before;
                let vacant = self.vector(crd)?.largest()?;
                let old = std::mem::take(&mut self.vector(crd)?.cells);
                self.spend(2 * old.len() as u64)?;
                let mut slots = vec![Some(vacant); 2 * old.len()];
                let mut moves = Vec::new();
                for (position, coordinate) in old.iter().enumerate() {
                    let Some(stored) = coordinate.filter(|stored| *stored != vacant) else {
                        continue;
                    };
                    let bucket = position / before * after;
                    let mut slot = number(stored)?.rem_euclid(after as i128) as usize;
                    while slots[bucket + slot] != Some(vacant) {
                        slot = (slot + 1) % after;
                    }
                    slots[bucket + slot] = Some(stored);
                    moves.push((position, bucket + slot));
                }
                self.vector(crd)?.cells = slots;
                for (array, initial) in below {
                    let initial = self.eval(initial)?;
                    let array = self.vector(array)?;
                    let initial = narrowed(initial, array.element)?;
                    let wider = vec![Some(initial); 2 * array.cells.len()];
                    let narrow = std::mem::replace(&mut array.cells, wider);
                    let each = narrow.len() / old.len();
                    for (from, to) in &moves {
                        array.cells[to * each..][..each]
                            .copy_from_slice(&narrow[from * each..][..each]);
                    }
                }
                self.set(width, Value::Index(after))
            }
        }
    }
}

/// Returns the coordinates from an index on, each with its index among them.
fn numbers(crd: &Storage, start: usize) -> Result<Vec<(i128, usize)>, String> {
    let cells = crd.cells.get(start..).ok_or("the segment begins behind the array")?;
    let cell = |(k, cell): (usize, &Option<Value>)| {
        Ok((number(cell.ok_or("a coordinate was never written")?)?, k))
    };
    cells.iter().enumerate().map(cell).collect()
}

fn number(coordinate: Value) -> Result<i128, String> {
    match coordinate {
        Value::Index(n) => Ok(n as i128),
        Value::Signed(n) => Ok(n as i128),
        Value::Number(..) | Value::Bool(_) => Err(format!("{coordinate} is not a coordinate")),
    }
}
