//! Runs loops for each part of a range.

use std::ops::Range;

use super::Value;
use super::entry::{Done, Session, Stop, combined, plain};
use super::frame::{Frame, Object};
use crate::ir::{
    Array, Call, Combining, DescentStep, Divided, Divisible, Element, Join, Joined, Own, Parts,
    Place, Returned, Share, Vector,
};

impl Session<'_> {
    /// Calls loops for each part of a range, with its own values of tensors, and vectors of its own,
    /// which are joined in order.
    pub(super) fn run_parts(
        &self,
        Join { parts, own, orders, returned, numbers, tables, vectors, call, known, .. }: &Join,
        frame: &mut Frame,
    ) -> Result<(), Stop> {
        let all = frame.parts(&parts.all)?;
        let size = all.last().map_or(0, |part| part.end);
        for Joined { into, .. } in vectors {
            match into {
                Vector::Values(name) => frame.insert(name, Object::Values(Vec::new())),
                Vector::Field(field) => frame.set_field(field, Vec::new()),
            }
        }
        let call = match known {
            Some((is_known, known)) if *frame.get(is_known)? == Object::Bool(true) => known,
            Some(_) | None => call,
        };
        let mut joined: Vec<Vec<_>> = own.iter().map(|_| Vec::new()).collect();
        let mut filled = Vec::new();
        for (k, part) in all.into_iter().enumerate() {
            for Own { tensor, vals, share } in own {
                let whole = &frame.tensor(tensor)?.vals;
                let values = match share {
                    Share::Chunk => {
                        let each = whole.len().checked_div(size).unwrap_or(0);
                        whole[part.start * each..part.end * each].to_vec()
                    }
                    Share::Below { steps, .. } => {
                        let first = |coordinate| first_below(steps, tensor, coordinate, frame);
                        let each = whole.len().checked_div(first(size)?).unwrap_or(0);
                        whole[first(part.start)? * each..first(part.end)? * each].to_vec()
                    }
                    Share::Copies(..) if k == 0 => whole.clone(),
                    Share::Copies(_, copies) => {
                        let count = whole.len();
                        let neutral = frame.machine().eval(&copies.neutral);
                        vec![neutral.and_then(Value::as_element).map_err(plain)?; count]
                    }
                };
                frame.insert(vals, Object::Values(values));
            }
            for Joined { name, into, .. } in vectors {
                let empty = match into {
                    Vector::Values(_) => Object::Values(Vec::new()),
                    Vector::Field(_) => Object::List(Vec::new()),
                };
                frame.insert(name, empty);
            }
            let values = self.call_part(parts, part, call, frame)?;
            for (Own { tensor, vals, share }, joined) in own.iter().zip(&mut joined) {
                let dtype = frame.tensor(tensor)?.ty.dtype;
                let values = frame.values(&crate::ir::Argument::Name(vals.clone()))?;
                let values = std::mem::take(values);
                match share {
                    Share::Copies(_, copies) if k > 0 => {
                        for (whole, value) in joined.iter_mut().zip(values) {
                            *whole = combined(&copies.combining, [*whole, value], dtype, frame)?;
                        }
                    }
                    Share::Copies(..) | Share::Chunk | Share::Below { .. } => joined.extend(values),
                }
            }
            let mut vectors = frame.filled(vectors)?;
            let names = returned.iter().map(|returned| &returned.name).chain(numbers);
            vectors.extend(names.cloned().zip(values));
            filled.push(vectors);
        }
        tables.iter().try_for_each(|tables| frame.join_tables(tables, &mut filled))?;
        for (k, part) in filled.iter().enumerate() {
            part.iter().for_each(|(name, vector)| frame.insert(name, vector.clone()));
            vectors.iter().try_for_each(|joined| frame.join(joined, &filled[..k]))?;
        }
        for order in orders {
            frame.join_by_parent(order, vectors, &filled)?;
        }
        let by = Returned::combining(returned);
        let mut total: Option<Vec<Object>> = None;
        for part in &filled {
            let new = returned.iter().map(|Returned { name, .. }| {
                let new = part.get(name).cloned();
                new.ok_or_else(|| plain(format!("no part returns `{name}`")))
            });
            let new = new.collect::<Done<_>>()?;
            total = Some(match total {
                None => new,
                Some(old) => all_combined(&by, [&old, &new], frame)?,
            });
        }
        for (Returned { name, .. }, total) in returned.iter().zip(total.into_iter().flatten()) {
            frame.insert(name, total);
        }
        for (Own { tensor, .. }, joined) in own.iter().zip(joined) {
            frame.tensor_mut(tensor)?.vals = joined;
        }
        Ok(())
    }

    /// Runs loops on a part of a range.
    pub(super) fn call_part(
        &self,
        parts: &Parts,
        part: Range<usize>,
        call: &Call,
        frame: &mut Frame,
    ) -> Done<Vec<Object>> {
        frame.insert(&parts.one, Object::Part(part));
        self.call(call, frame)
    }

    pub(super) fn value(&self, value: &crate::ir::Value, frame: &mut Frame) -> Done<Vec<Object>> {
        match value {
            crate::ir::Value::Name(name) | crate::ir::Value::Deref(name) => {
                Ok(vec![frame.get(name)?.clone()])
            }
            crate::ir::Value::Computed(value, dtype) => {
                let value = frame.machine().eval(value).and_then(Value::as_element);
                Ok(vec![Object::Scalar(value.map_err(plain)?, *dtype)])
            }
            crate::ir::Value::Call(call) => self.call(call, frame),
            crate::ir::Value::Either { condition, holds, otherwise } => {
                let condition = *frame.get(condition)? == Object::Bool(true);
                self.call(if condition { holds } else { otherwise }, frame)
            }
            crate::ir::Value::Total(parts, call, by) => {
                let mut total: Option<Vec<Object>> = None;
                for part in frame.parts(&parts.all)? {
                    let new = self.call_part(parts, part, call, frame)?;
                    total = Some(match total {
                        None => new,
                        Some(old) => all_combined(by, [&old, &new], frame)?,
                    });
                }
                Ok(total.unwrap_or_default())
            }
        }
    }
}

/// The first position below a coordinate of the outermost level of a tensor, or below one after it.
fn first_below(
    steps: &[DescentStep],
    tensor: &str,
    coordinate: usize,
    frame: &Frame,
) -> Done<usize> {
    let array = |array: &Array| {
        let Place::Level { level, field } = &array.place else {
            return Err(plain(format!("`{}` is no structure", array.name)));
        };
        let cells = frame.tensor(tensor)?.arrays.get(&(*level, field.clone()));
        cells.ok_or_else(|| plain(format!("`{}` is not there", array.name)))
    };
    steps.iter().try_fold(coordinate, |first, step| match step {
        DescentStep::Search { array: of, below } => {
            let coordinate = first as isize - frame.index(below)? as isize;
            let is_before = |at: &usize| match of.element {
                Element::Signed(_) => (*at as isize) < coordinate,
                _ => *at < first,
            };
            Ok(array(of)?.partition_point(is_before))
        }
        DescentStep::Segments(of) => {
            let segments = array(of)?;
            let position = segments.get(first).copied();
            position.ok_or_else(|| plain(format!("`{}` has no element {first}", of.name)))
        }
        DescentStep::Each(each) => Ok(first * frame.index(each)?),
    })
}

/// Combines the scalars that the loops of two parts return.
fn all_combined(by: &[Combining], both: [&[Object]; 2], frame: &mut Frame) -> Done<Vec<Object>> {
    let mut machine = frame.machine();
    for (side, scalars) in both.into_iter().enumerate() {
        for (by, scalar) in by.iter().zip(scalars) {
            let value = match scalar {
                Object::Bool(value) => Value::Bool(*value),
                Object::Scalar(value, dtype) => Value::element(*value, *dtype),
                _ => return Err(plain("the loops return no scalar".into())),
            };
            machine.bind(&by.values[side], value, false);
        }
    }
    let combined = by.iter().zip(both[0]).map(|(by, scalar)| {
        let value = machine.eval(&by.combined)?;
        match scalar {
            Object::Scalar(_, dtype) => Ok(Object::Scalar(value.as_element()?, *dtype)),
            _ => value.bool().map(Object::Bool),
        }
    });
    combined.collect::<Result<_, _>>().map_err(plain)
}

/// The length of a range that is divided.
pub(super) fn length(range: &Divided<(String, Array)>, frame: &Frame) -> Done<usize> {
    let mut tensors = Vec::new();
    range.arrays(&mut |(tensor, _)| tensors.push(tensor));
    tensors.into_iter().try_for_each(|tensor| frame.tensor(tensor).map(drop))?;
    let mut extents = Vec::new();
    range.extents(&mut |extent| extents.push(extent));
    extents.into_iter().try_for_each(|extent| frame.index(extent).map(drop))?;
    match &range.range {
        Divisible::Coordinates(extent) => frame.index(extent),
        Divisible::Positions((tensor, array)) => {
            let tensor = frame.tensor(tensor)?;
            let arrays = match &array.place {
                Place::Level { level, field } => tensor.arrays.get(&(*level, field.clone())),
                Place::Values => None,
            };
            arrays.map(Vec::len).ok_or_else(|| plain(format!("`{}` is not there", array.name)))
        }
    }
}
