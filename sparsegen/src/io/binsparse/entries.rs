//! The entries of a file in any layout of Binsparse, for a tensor in another format.

use std::io::{Read, Seek};

use super::descriptor::{Descriptor, Layout, Stage};
use crate::io::element::{Element, Number};
use crate::io::npz::archive::Archive;
use crate::io::npz::error;
use crate::{Error, Shape, memory};

use super::FileNumber;

impl<R: Read + Seek> Archive<'_, R> {
    /// Reads an array of integers of order 1.
    pub(super) fn array<N: FileNumber>(&mut self, array: &str) -> Result<Vec<N>, Error> {
        let found = self.find(array, |header, reader| {
            one_mode(&header.shape)?;
            let elements = header.elements(reader, |number| match number {
                Number::BinaryInteger(integer) => N::of_integer(integer)
                    .ok_or_else(|| format!("{integer} does not fit `{}`", N::TYPE)),
                _ => Err("is not an integer".to_owned()),
            })?;
            Ok(elements.elements)
        })?;
        found.ok_or_else(|| error(self.name, array, "the file does not have it"))
    }

    /// Reads the array of values, or the fill value, of which there are `count`.
    pub(super) fn elements<V: Element>(
        &mut self,
        array: &str,
        type_name: &str,
        count: usize,
    ) -> Result<Vec<V>, Error> {
        let (is_iso, inner) = unwrap(type_name, "iso");
        let (is_complex, _) = unwrap(inner, "complex");
        let found = self.find(array, |header, reader| {
            one_mode(&header.shape)?;
            if !is_complex {
                let convert = |number| if is_iso { of_iso(number) } else { V::of_number(number) };
                return Ok(header.elements(reader, convert)?.elements);
            }
            let parts = header.elements(reader, |number| match number {
                Number::BinaryReal(part) => Ok(part),
                _ => Err("is no part of a complex number".to_owned()),
            })?;
            let pairs = parts.elements.chunks_exact(2).map(|pair| {
                let number = Number::BinaryComplex(pair[0], pair[1]);
                if is_iso { of_iso(number) } else { V::of_number(number) }
            });
            pairs.collect()
        })?;
        let mut values =
            found.ok_or_else(|| error(self.name, array, "the file does not have it"))?;
        if is_iso && values.len() == 1 {
            let value = values[0];
            values = memory::filled(value, count)
                .ok_or_else(|| error(self.name, array, "there is no memory for its elements"))?;
        }
        if values.len() != count {
            let message = format!("has {} elements, and {count} are stored", values.len());
            return Err(error(self.name, array, message));
        }
        Ok(values)
    }

    /// Reads the entries of a file.
    pub(super) fn stored_entries<V: Element, S: Shape>(
        &mut self,
        descriptor: &Descriptor,
        layout: &Layout,
        shape: S,
    ) -> Result<Vec<(S, V)>, Error> {
        let values: Vec<V> = self.elements("values", &descriptor.values, descriptor.stored)?;
        let mut coordinates = vec![S::splat(0)];
        let mut level = 0;
        for stage in &layout.levels {
            let dimensions = &layout.dimensions[level..][..stage.rank()];
            coordinates = match stage {
                Stage::Dense => self.dense(&coordinates, dimensions[0], shape)?,
                Stage::Sparse(_) => self.sparse(&coordinates, dimensions, level)?,
            };
            level += stage.rank();
        }
        if coordinates.len() != values.len() {
            let message =
                format!("has {} elements for {} coordinates", values.len(), coordinates.len());
            return Err(error(self.name, "values", message));
        }
        // The zeros of a dense level are not entries.
        let is_dense = layout.levels.last() == Some(&Stage::Dense);
        let zero = V::of_number(Number::BinaryInteger(0)).ok().filter(|_| is_dense);
        let entries = coordinates.into_iter().zip(values);
        let mut entries: Vec<(S, V)> = entries.filter(|(_, value)| Some(*value) != zero).collect();
        self.mirror(descriptor.structure.as_deref(), &mut entries)?;
        Ok(entries)
    }

    /// Returns the children of nodes at a dense level.
    fn dense<S: Shape>(&self, parents: &[S], dimension: usize, shape: S) -> Result<Vec<S>, Error> {
        let size = shape.as_ref()[dimension];
        let count = parents.len().checked_mul(size).filter(|count| memory::has_room::<S>(*count));
        let count = count.ok_or_else(|| {
            error(self.name, "binsparse", "there is no memory for the coordinates of the shape")
        })?;
        let mut children = Vec::with_capacity(count);
        for parent in parents {
            children.extend((0..size).map(|coordinate| {
                let mut child = *parent;
                child.as_mut()[dimension] = coordinate;
                child
            }));
        }
        Ok(children)
    }

    /// Reads the children of nodes at a sparse level.
    fn sparse<S: Shape>(
        &mut self,
        parents: &[S],
        dimensions: &[usize],
        level: usize,
    ) -> Result<Vec<S>, Error> {
        let mut columns = Vec::new();
        for offset in 0..dimensions.len() {
            columns.push(self.array::<usize>(&format!("indices_{}", level + offset))?);
        }
        let count = columns[0].len();
        if let Some(other) = columns.iter().position(|column| column.len() != count) {
            let array = format!("indices_{}", level + other);
            let message = format!("has {} elements, not {count}", columns[other].len());
            return Err(error(self.name, &array, message));
        }
        let array = format!("pointers_to_{level}");
        let pos = match level {
            0 => vec![0, count],
            _ => self.array::<usize>(&array)?,
        };
        let is_divided = pos.len() == parents.len() + 1
            && pos[0] == 0
            && pos[parents.len()] == count
            && pos.is_sorted();
        if !is_divided {
            let message =
                format!("does not divide {count} coordinates into {} segments", parents.len());
            return Err(error(self.name, &array, message));
        }
        let mut children = Vec::with_capacity(count);
        for (parent, bounds) in parents.iter().zip(pos.windows(2)) {
            for position in bounds[0]..bounds[1] {
                let mut child = *parent;
                for (dimension, column) in dimensions.iter().zip(&columns) {
                    child.as_mut()[*dimension] = column[position];
                }
                children.push(child);
            }
        }
        Ok(children)
    }

    /// Adds the other triangle of a matrix of which one is stored.
    fn mirror<V: Element, S: Shape>(
        &self,
        structure: Option<&str>,
        entries: &mut Vec<(S, V)>,
    ) -> Result<(), Error> {
        let Some(structure) = structure else { return Ok(()) };
        let fail = |message: String| error(self.name, "binsparse", message);
        let kind = structure.strip_suffix("_lower").or(structure.strip_suffix("_upper"));
        let mirrored: fn(V) -> Option<V> = match kind.filter(|_| S::ORDER == 2) {
            Some("symmetric") => Some,
            Some("hermitian") => |value| Some(value.conjugated()),
            Some("skew_symmetric") => V::negated,
            _ => return Err(fail(format!("the structure `{structure}` is not known"))),
        };
        for index in 0..entries.len() {
            let (coordinate, value) = entries[index];
            let (mut other, modes) = (coordinate, coordinate.as_ref());
            if modes[0] != modes[1] {
                other.as_mut().reverse();
                let value = mirrored(value).ok_or_else(|| {
                    fail(format!("the negative of {value} does not fit `{}`", V::NAME))
                })?;
                entries.push((other, value));
            }
        }
        Ok(())
    }
}

/// Converts the value that all entries have.
fn of_iso<V: Element>(number: Number<'static>) -> Result<V, String> {
    let is_one = match number {
        Number::BinaryInteger(integer) => integer == 1,
        Number::BinaryReal(real) => real == 1.0,
        Number::BinaryComplex(re, im) => (re, im) == (1.0, 0.0),
        _ => false,
    };
    V::of_number(if is_one { Number::One } else { number })
}

fn one_mode(shape: &[usize]) -> Result<(), String> {
    match shape.len() {
        1 => Ok(()),
        order => Err(format!("has order {order}, not 1")),
    }
}

/// Takes a type out of `WRAPPER[TYPE]`.
fn unwrap<'t>(type_name: &'t str, wrapper: &str) -> (bool, &'t str) {
    let inside = type_name.strip_prefix(wrapper).and_then(|rest| rest.strip_prefix('['));
    match inside.and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => (true, inner),
        None => (false, type_name),
    }
}
