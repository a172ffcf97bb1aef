//! Loops in parts of positions, each with the values at the coordinates of its positions.

use std::ops::Range;

use super::Value;
use super::entry::{Session, Stop, combined, plain};
use super::frame::{Frame, Object};
use crate::ir::{Argument, Array, Call, Intervals, Parts, Place, Traced};

impl Session<'_> {
    /// Calls loops for each part of a range of positions. A part whose first coordinates are those of
    /// an earlier part has copies of their values, which are then combined.
    pub(super) fn run_intervals(
        &self,
        parts: &Parts,
        [tensor, vals, own]: [&str; 3],
        intervals: &Intervals<(String, Array)>,
        call: &Call,
        frame: &mut Frame,
    ) -> Result<(), Stop> {
        let extent = frame.tensor(tensor)?.shape[intervals.mode].max(1);
        let each = frame.tensor(tensor)?.vals.len() / extent;
        let dtype = frame.tensor(tensor)?.ty.dtype;
        let (mut free, mut copies) = (0, Vec::new());
        for part in frame.parts(&parts.all)? {
            let mut rest = part;
            while !rest.is_empty() {
                let first = coordinate(&intervals.coordinate, rest.start, frame)?;
                let is_copy = first < free;
                let mut end = rest.end;
                while is_copy && coordinate(&intervals.coordinate, end - 1, frame)? > first {
                    end -= 1;
                }
                let after = coordinate(&intervals.coordinate, end - 1, frame)? + 1;
                let values = match is_copy {
                    true => {
                        let neutral = frame.machine().eval(&intervals.copies.neutral);
                        vec![neutral.and_then(Value::as_element).map_err(plain)?; each]
                    }
                    false => frame.tensor(tensor)?.vals[first * each..after * each].to_vec(),
                };
                frame.insert(vals, Object::Values(values));
                frame.insert(own, Object::Part(first..after));
                self.call_part(parts, rest.start..end, call, frame)?;
                let values = frame.values(&Argument::Name(vals.to_owned()))?;
                let values = std::mem::take(values);
                match is_copy {
                    true => copies.push((first, values)),
                    false => {
                        let own = Range { start: first * each, end: after * each };
                        frame.tensor_mut(tensor)?.vals[own].copy_from_slice(&values);
                        free = after;
                    }
                }
                rest.start = end;
            }
        }
        for (first, values) in copies {
            for (k, value) in values.into_iter().enumerate() {
                let at = first * each + k;
                let both = [frame.tensor(tensor)?.vals[at], value];
                let sum = combined(&intervals.copies.combining, both, dtype, frame)?;
                frame.tensor_mut(tensor)?.vals[at] = sum;
            }
        }
        Ok(())
    }
}

/// Returns the coordinate of a position.
fn coordinate(
    traced: &Traced<(String, Array)>,
    position: usize,
    frame: &Frame,
) -> Result<usize, Stop> {
    let cells = |(tensor, array): &(String, Array)| {
        let Place::Level { level, field } = &array.place else {
            return Err(plain(format!("`{}` holds no positions", array.name)));
        };
        let cells = frame.tensor(tensor)?.arrays.get(&(*level, field.clone()));
        cells.ok_or_else(|| plain(format!("`{}` is not there", array.name)))
    };
    let mut reached = position;
    for segments in &traced.segments {
        reached = cells(segments)?.partition_point(|begin| *begin <= reached) - 1;
    }
    match &traced.coordinates {
        Some(of) => Ok(cells(of)?[reached]),
        None => Ok(reached),
    }
}
