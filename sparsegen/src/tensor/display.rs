//! Displaying tensors; large ones are abridged.

use alloc::vec::Vec;
use core::fmt::{self, Debug, Display};

use crate::level::LevelViews;
use crate::{Format, Stored, Tensor, View};

use super::table::Table;
use super::{axis, level_count};

/// The largest number of entries that is displayed in full.
const MOST_ENTRIES: usize = 24;
/// The number of first entries that is displayed of a larger tensor.
const FIRST_ENTRIES: usize = 16;

/// Displays a line about the tensor, then a table of the values of a small matrix, in which `.`
/// stands for elements that are not stored, or a line per stored entry. A precision, as in `{:.2}`,
/// applies to the values. [`Tensor::tree`] displays the levels.
///
/// ```
/// use sparsegen::{Csr, Tensor};
///
/// let a = Tensor::<f64, Csr>::from_triplets([2, 3], [([0, 1], 2.0), ([1, 0], -1.5)])?;
/// let expected = "\
/// csr [2, 3], 2 values stored
///         0  1  2
///   0     .  2  .
///   1  -1.5  .  .";
/// assert_eq!(a.to_string(), expected);
/// # Ok::<(), sparsegen::Error>(())
/// ```
impl<V: Stored, F: Format> Display for View<'_, V, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (format, stored) = (F::NAME, self.stored());
        let values = if stored == 1 { "value" } else { "values" };
        write!(f, "{format} {:?}, {stored} {values} stored", self.shape)?;
        if let Some(table) = Table::of(self, f.precision()) {
            return write!(f, "{table}");
        }
        let shown = if stored > MOST_ENTRIES { FIRST_ENTRIES } else { stored };
        for (coordinate, value) in self.iter().take(shown) {
            write!(f, "\n  {coordinate:?} ")?;
            Display::fmt(&value, f)?;
        }
        if shown < stored { write!(f, "\n  … and {} more", stored - shown) } else { Ok(()) }
    }
}

/// Displays every array of the tensor, by level.
impl<V: Stored, F: Format> Debug for View<'_, V, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut arrays = f.debug_struct(F::NAME);
        arrays.field("shape", &self.shape);
        for level in 0..level_count::<F>() {
            let is_signed = axis::<F>(&self.shape, level).is_some_and(|axis| axis.first < 0);
            for (name, contents) in self.levels.level(level).arrays() {
                let name = format!("{name}{}", level + 1);
                if is_signed {
                    let signed: Vec<isize> = contents.into_iter().map(|n| n as isize).collect();
                    arrays.field(&name, &signed);
                } else {
                    arrays.field(&name, &contents);
                }
            }
        }
        arrays.field("vals", &self.vals).finish()
    }
}

impl<V: Stored, F: Format> Display for Tensor<V, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.view(), f)
    }
}

impl<V: Stored, F: Format> Debug for Tensor<V, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.view(), f)
    }
}
