//! The coordinates of entries in one mode.

use super::entries::Numbers;
use super::exchange::Exchange;
use super::needed::{Needed, UNUSED, distinct};
use super::{Exchanged, World};
use crate::{Width, memory};

/// The coordinates of entries in one mode, in 32 bits if its extent is less than 2^32. So all ranks
/// have the same type.
#[derive(Clone, Debug)]
pub enum Column {
    Narrow(Vec<u32>),
    Wide(Vec<usize>),
}

/// Evaluates an expression of the array of coordinates, whatever its type is.
macro_rules! of_array {
    ($column:expr, $array:ident => $value:expr) => {
        match $column {
            Column::Narrow($array) => $value,
            Column::Wide($array) => $value,
        }
    };
}
pub(super) use of_array;

impl Column {
    /// Creates the column of a mode with this extent.
    pub(super) fn of(coordinates: impl ExactSizeIterator<Item = usize>, extent: usize) -> Column {
        match is_narrow(extent) {
            true => Column::Narrow(memory::collect(coordinates.map(|at| at as u32))),
            false => Column::Wide(memory::collect(coordinates)),
        }
    }

    /// Creates the column of coordinates that are counted from `start`, in a mode with this extent.
    pub(super) fn counted_from(start: usize, mut coordinates: Vec<u32>, extent: usize) -> Column {
        if !is_narrow(extent) {
            return Column::of(coordinates.into_iter().map(|at| at as usize + start), extent);
        }
        if start > 0 {
            coordinates.iter_mut().for_each(|at| *at += start as u32);
        }
        Column::Narrow(coordinates)
    }

    pub(super) fn len(&self) -> usize {
        of_array!(self, array => array.len())
    }

    /// Returns the coordinate of an entry.
    pub(super) fn at(&self, number: usize) -> usize {
        of_array!(self, array => array[number].to_usize())
    }

    /// Returns the coordinates of some of the entries.
    pub(super) fn pick(&self, numbers: &Numbers) -> Column {
        match self {
            Column::Narrow(array) => Column::Narrow(numbers.pick(array)),
            Column::Wide(array) => Column::Wide(numbers.pick(array)),
        }
    }

    /// Returns the distinct coordinates, ascending.
    pub(super) fn distinct(&self) -> Vec<usize> {
        of_array!(self, array => distinct(array.iter().map(|at| at.to_usize())))
    }

    /// Returns the numbers of the coordinates in the local problem, given the extent of the mode; unneeded
    /// coordinates get a mark.
    pub(super) fn numbered(&self, needed: &Needed, extent: usize) -> Column {
        let extent = needed.extent(extent);
        of_array!(self, array => {
            Column::of(array.iter().map(|at| needed.number(at.to_usize())), extent)
        })
    }

    /// Returns whether the coordinate of an entry is not needed.
    pub(super) fn is_unused(&self, number: usize) -> bool {
        match self {
            Column::Narrow(array) => array[number] == UNUSED as u32,
            Column::Wide(array) => array[number] == UNUSED,
        }
    }

    /// Returns whether some coordinate is not needed.
    pub(super) fn has_unused(&self) -> bool {
        match self {
            Column::Narrow(array) => array.contains(&(UNUSED as u32)),
            Column::Wide(array) => array.contains(&UNUSED),
        }
    }

    /// Returns the coordinates of the entries that a rank needs; see [`Exchange::run`].
    pub(super) fn exchanged(&self, exchange: &Exchange, world: &World) -> Column {
        fn run<V: Exchanged>(array: &[V], exchange: &Exchange, world: &World) -> Vec<V> {
            let mut all = Vec::new();
            exchange.run(world, array, &mut all);
            all
        }
        match self {
            Column::Narrow(array) => Column::Narrow(run(array, exchange, world)),
            Column::Wide(array) => Column::Wide(run(array, exchange, world)),
        }
    }
}

/// Returns whether coordinates of a mode, and the mark of one that is not needed, fit 32 bits.
fn is_narrow(extent: usize) -> bool {
    u32::try_from(extent).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_depends_on_the_extent_only() {
        let largest = u32::MAX as usize;
        assert!(matches!(Column::of([3].into_iter(), largest), Column::Narrow(_)));
        assert!(matches!(Column::of([3].into_iter(), largest + 1), Column::Wide(_)));
        assert!(matches!(Column::counted_from(7, vec![3], largest), Column::Narrow(_)));
        let wide = Column::counted_from(1 << 40, vec![3], 1 << 41);
        assert_eq!(wide.at(0), (1 << 40) + 3);
        // The local problem has few coordinates of a large mode.
        let needed = Needed::of(vec![5, 1 << 40, (1 << 40) + 3]);
        let local = wide.numbered(&needed, 1 << 41);
        assert!(matches!(&local, Column::Narrow(array) if *array == [2]));
    }

    #[test]
    fn coordinates_that_are_not_needed_are_marked() {
        for extent in [100, 1 << 40] {
            let column = Column::of([3, 9, 4].into_iter(), extent);
            let numbered = column.numbered(&Needed::Range(3..5), extent);
            assert_eq!((numbered.at(0), numbered.at(2)), (0, 1));
            assert!(numbered.has_unused() && numbered.is_unused(1) && !numbered.is_unused(2));
            assert_eq!(column.distinct(), [3, 4, 9]);
        }
    }
}
