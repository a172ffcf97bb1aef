//! Small matrices as tables.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;

use crate::memory::HashMap;
use core::fmt::{self, Display};

use crate::{Format, Stored, View};

/// The largest extents of a matrix that is displayed as a table.
const MOST_ROWS: usize = 16;
const MOST_COLUMNS: usize = 12;
/// The largest number of characters of a line.
const MOST_CHARACTERS: usize = 100;

/// The cells of a table, row by row; the first row and column number the others.
pub(super) struct Table {
    columns: usize,
    cells: Vec<String>,
    /// The number of characters of each column.
    widths: Vec<usize>,
}

impl Table {
    /// Returns the table of a small matrix, with `.` for elements that are not stored, or `None` of
    /// another tensor, or if the coordinates of entries are repeated.
    pub(super) fn of<V: Stored, F: Format>(
        view: &View<'_, V, F>,
        precision: Option<usize>,
    ) -> Option<Table> {
        let &[rows, columns] = view.shape.as_ref() else { return None };
        if rows == 0 || columns == 0 || rows > MOST_ROWS || columns > MOST_COLUMNS {
            return None;
        }
        let mut values = HashMap::new();
        for (coordinate, value) in view.iter() {
            let text = match precision {
                Some(precision) => format!("{value:.precision$}"),
                None => value.to_string(),
            };
            if values.insert(coordinate.as_ref().to_vec(), text).is_some() {
                return None;
            }
        }
        let head = [String::new()].into_iter().chain((0..columns).map(|j| j.to_string()));
        let mut cells: Vec<String> = head.collect();
        for i in 0..rows {
            cells.push(i.to_string());
            let value = |j| values.remove(&vec![i, j]).unwrap_or_else(|| ".".to_owned());
            cells.extend((0..columns).map(value));
        }
        let columns = columns + 1;
        let length = |cell: &String| cell.chars().count();
        let width = |column| cells.iter().skip(column).step_by(columns).map(length).max();
        let widths: Vec<usize> = (0..columns).filter_map(width).collect();
        let line: usize = widths.iter().map(|width| width + 2).sum();
        (line <= MOST_CHARACTERS).then_some(Table { columns, cells, widths })
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.cells.chunks(self.columns) {
            f.write_str("\n")?;
            for (cell, width) in row.iter().zip(&self.widths) {
                write!(f, "  {cell:>width$}")?;
            }
        }
        Ok(())
    }
}
