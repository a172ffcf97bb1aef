//! Arrays during a run.

use super::expr::largest;
use super::{ArrayValue, Value};
use crate::ir::{Dtype, Element, EntryType, Width};

/// The number of bits of a word of an array of bits.
const WORD: usize = 64;

/// An array during a run.
#[derive(Clone)]
pub(super) struct Storage {
    pub(super) element: Element,
    pub(super) mutable: bool,
    /// The elements; `None` if never written. An array of bits has one cell for each bit.
    pub(super) cells: Vec<Option<Value>>,
    /// The largest length that appends may reach, if it is stated.
    reserved: Option<usize>,
}

impl Storage {
    /// Creates an empty vector.
    pub(super) fn empty(element: Element) -> Storage {
        Storage { element, mutable: true, cells: Vec::new(), reserved: None }
    }

    /// Creates an array from its contents, if its elements have the declared type.
    pub(super) fn of(
        given: &ArrayValue,
        element: Element,
        mutable: bool,
    ) -> Result<Storage, String> {
        let cells = match (given, element) {
            (ArrayValue::Index(indices), Element::Index(_)) => {
                let cells = indices.iter().map(|n| narrowed(Value::Index(*n), element).map(Some));
                cells.collect::<Result<_, _>>()?
            }
            (ArrayValue::Index(indices), Element::Signed(_)) => {
                let cell = |n: &usize| narrowed(Value::Signed(*n as isize), element).map(Some);
                indices.iter().map(cell).collect::<Result<_, _>>()?
            }
            (ArrayValue::Index(words), Element::Bits) => {
                let bits = |word: &usize| {
                    let word = *word;
                    (0..WORD).map(move |bit| Some(Value::Bool((word >> bit) & 1 != 0)))
                };
                words.iter().flat_map(bits).collect()
            }
            (ArrayValue::Values(numbers), Element::Value(dtype) | Element::Pattern(dtype)) => {
                numbers.iter().map(|number| Some(Value::element(*number, dtype))).collect()
            }
            (ArrayValue::Index(_), Element::Value(_) | Element::Pattern(_) | Element::Entry(_))
            | (
                ArrayValue::Values(_),
                Element::Index(_) | Element::Signed(_) | Element::Bits | Element::Entry(_),
            ) => {
                return Err("an input array holds the wrong kind of elements".into());
            }
        };
        Ok(Storage { element, mutable, cells, reserved: None })
    }

    /// Creates the array of computed values, which are zero or uninitialized.
    pub(super) fn values(element: Element, cells: Vec<Option<Value>>) -> Storage {
        Storage { element, mutable: true, cells, reserved: None }
    }

    /// Returns the contents of the array after the run.
    pub(super) fn contents(&self, name: &str) -> Result<ArrayValue, String> {
        let written = |(k, cell): (usize, &Option<Value>)| {
            cell.ok_or_else(|| format!("`{name}[{k}]` was never written"))
        };
        let values: Vec<Value> =
            self.cells.iter().enumerate().map(written).collect::<Result<_, _>>()?;
        match self.element {
            Element::Index(_) => {
                let indices = values.into_iter().map(Value::index);
                Ok(ArrayValue::Index(indices.collect::<Result<_, _>>()?))
            }
            Element::Signed(_) => {
                let indices = values.into_iter().map(|v| v.signed().map(|n| n as usize));
                Ok(ArrayValue::Index(indices.collect::<Result<_, _>>()?))
            }
            Element::Bits => {
                let mut words = vec![0; values.len().div_ceil(WORD)];
                for (k, value) in values.into_iter().enumerate() {
                    words[k / WORD] |= usize::from(value.bool()?) << (k % WORD);
                }
                Ok(ArrayValue::Index(words))
            }
            Element::Entry(_) => Err(format!("`{name}` is scratch")),
            Element::Value(_) | Element::Pattern(_) => {
                let numbers = values.into_iter().map(Value::as_element);
                Ok(ArrayValue::Values(numbers.collect::<Result<_, _>>()?))
            }
        }
    }

    /// Returns the number of elements, which is not available for bits.
    pub(super) fn len(&self) -> Result<usize, String> {
        match self.element {
            Element::Bits => Err("bits are not counted".into()),
            Element::Entry(entry) => Ok(self.cells.len() / entry.fields()),
            Element::Index(_) | Element::Signed(_) | Element::Value(_) | Element::Pattern(_) => {
                Ok(self.cells.len())
            }
        }
    }

    /// Sets the largest number of elements that may be appended.
    pub(super) fn reserve(&mut self, additional: usize) {
        self.reserved = Some(self.cells.len().saturating_add(additional));
    }

    pub(super) fn push(&mut self, value: Value) -> Result<(), String> {
        if self.reserved.is_some_and(|most| self.cells.len() >= most) {
            return Err("more is pushed than was reserved".into());
        }
        match self.element {
            Element::Bits => Err("bits are set, not appended".into()),
            Element::Index(_)
            | Element::Signed(_)
            | Element::Entry(_)
            | Element::Value(_)
            | Element::Pattern(_) => {
                self.cells.push(Some(narrowed(value, self.element)?));
                Ok(())
            }
        }
    }

    /// Appends an entry.
    pub(super) fn push_entry(&mut self, fields: Vec<Value>) -> Result<(), String> {
        let entry = self.entry()?;
        let is_whole = fields.len() == entry.fields();
        let narrow = |(k, value)| narrowed(value, entry.field(k)).map(Some);
        let cells = fields.into_iter().enumerate().map(narrow).collect::<Result<Vec<_>, _>>()?;
        self.cells.extend(cells);
        if is_whole { Ok(()) } else { Err(format!("an entry has {} fields", entry.fields())) }
    }

    /// Returns a field of an entry.
    pub(super) fn field(&self, index: usize, field: usize) -> Result<Value, String> {
        let fields = self.entry()?.fields();
        let cell = self.cells.get(index * fields + field).copied().flatten();
        cell.filter(|_| field < fields).ok_or_else(|| format!("no field {field} of entry {index}"))
    }

    /// Sorts the entries by their first fields, which are coordinates.
    pub(super) fn sort_by(&mut self, coordinates: usize) -> Result<(), String> {
        let fields = self.entry()?.fields();
        let mut entries: Vec<Vec<_>> = self.cells.chunks(fields).map(<[_]>::to_vec).collect();
        let coordinate = |cell: &Option<Value>| match cell {
            Some(Value::Index(coordinate)) => *coordinate,
            _ => usize::MAX,
        };
        entries.sort_by_key(|entry| {
            entry[..coordinates].iter().map(coordinate).collect::<Vec<usize>>()
        });
        self.cells = entries.into_iter().flatten().collect();
        Ok(())
    }

    fn entry(&self) -> Result<EntryType, String> {
        match self.element {
            Element::Entry(entry) => Ok(entry),
            _ => Err("not an array of entries".into()),
        }
    }

    pub(super) fn resize(&mut self, len: usize, value: Value) -> Result<(), String> {
        if self.element == Element::Bits && (value != Value::Bool(false) || len < self.cells.len())
        {
            return Err("bits only grow, by zeros".into());
        }
        self.cells.resize(len, Some(narrowed(value, self.element)?));
        Ok(())
    }

    /// Returns the element that marks empty slots: the largest number of the type.
    pub(super) fn largest(&self) -> Result<Value, String> {
        match self.element {
            Element::Index(width) => Ok(Value::Index(largest(width))),
            Element::Signed(_)
            | Element::Bits
            | Element::Entry(_)
            | Element::Value(_)
            | Element::Pattern(_) => Err("only unsigned coordinates have slots".into()),
        }
    }

    pub(super) fn sort(&mut self) -> Result<(), String> {
        let key = |cell: &Option<Value>| match cell {
            Some(Value::Index(index)) => Ok(*index),
            Some(Value::Signed(_) | Value::Number(..) | Value::Bool(_)) | None => {
                Err("only indices are sorted".to_string())
            }
        };
        let keys: Vec<_> = self.cells.iter().map(key).collect::<Result<_, _>>()?;
        let mut sorted: Vec<_> = keys.into_iter().zip(self.cells.drain(..)).collect();
        sorted.sort_unstable_by_key(|(key, _)| *key);
        self.cells.extend(sorted.into_iter().map(|(_, cell)| cell));
        Ok(())
    }
}

/// Returns a value as an element of an array, if the element type can hold it.
pub(super) fn narrowed(value: Value, element: Element) -> Result<Value, String> {
    match (value, element) {
        (Value::Index(n), Element::Index(width)) => {
            let fits = match width {
                Width::U8 => u8::try_from(n).is_ok(),
                Width::U16 => u16::try_from(n).is_ok(),
                Width::U32 => u32::try_from(n).is_ok(),
                Width::U64 | Width::Usize => true,
            };
            if fits { Ok(value) } else { Err(format!("{n} does not fit in {width}")) }
        }
        // An element of a list may be a coordinate.
        (Value::Number(_, Dtype::Usize), Element::Index(_)) => {
            narrowed(Value::Index(value.index()?), element)
        }
        (Value::Signed(n), Element::Signed(width)) => {
            let fits = match width {
                Width::U8 => i8::try_from(n).is_ok(),
                Width::U16 => i16::try_from(n).is_ok(),
                Width::U32 => i32::try_from(n).is_ok(),
                Width::U64 | Width::Usize => true,
            };
            let ty = element.rust_type();
            if fits { Ok(value) } else { Err(format!("{n} does not fit in {ty}")) }
        }
        (
            Value::Bool(_),
            Element::Bits | Element::Value(Dtype::Bool) | Element::Pattern(Dtype::Bool),
        ) => Ok(value),
        (Value::Number(_, dtype), Element::Value(expected) | Element::Pattern(expected))
            if dtype == expected =>
        {
            Ok(value)
        }
        (Value::Index(_) | Value::Signed(_) | Value::Number(..) | Value::Bool(_), _) => {
            Err(format!("{value} is not an element of the array"))
        }
    }
}
