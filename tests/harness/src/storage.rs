//! Tensors in formats that are runtime data: an implementation independent of the runtime crate, so
//! that kernels of any format can be interpreted without compiling Rust.
//!
//! Operands can also be packed in unusual ways that the format permits: with duplicates, in any
//! order of coordinates, with gaps between segments, larger hash tables, and arbitrary values
//! outside of entries.

mod declared;
mod expr;
mod pack;
mod segments;
mod valid;
mod walk;

use std::collections::BTreeMap;

use sparsegen_build::Literal;

use crate::dtype::Dtype;
use crate::number::Number;
use crate::oracle::arithmetic::convert;
use crate::typed::Stored;

pub use declared::Formats;
pub use expr::Expr;

/// A storage format.
#[derive(Clone, Debug, PartialEq)]
pub struct Format {
    /// The number of modes.
    pub order: usize,
    /// The levels, outermost first.
    pub levels: Vec<Level>,
    /// The fill value.
    pub fill: Literal,
}

/// A storage level.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The expression whose values are the coordinates of the level.
    pub expr: Expr,
    /// The kind of level.
    pub kind: Kind,
    /// `true` if every parent has all coordinates.
    pub full: bool,
    /// `true` if the coordinates of siblings increase.
    pub ordered: bool,
    /// `true` if the coordinates of siblings differ.
    pub unique: bool,
    /// `true` if padding may be stored.
    pub padded: bool,
    /// The largest position that the arrays can hold.
    pub pos: i128,
    /// The smallest and largest coordinate that the arrays can hold.
    pub crd: (i128, i128),
}

/// A kind of level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `dense`
    Dense,
    /// `range`
    Range,
    /// `compressed`
    Compressed,
    /// `loose_compressed`
    Loose,
    /// `block_compressed(n)`
    Blocks(usize),
    /// `singleton`
    Singleton,
    /// `offset`
    Offset,
    /// `hashed`
    Hashed,
    /// `bitmap`
    Bitmap,
    /// `structured(n, m)`
    Structured(usize, usize),
}

impl Kind {
    /// Returns whether each parent has exactly one child.
    pub fn is_branchless(self) -> bool {
        matches!(self, Kind::Singleton | Kind::Offset)
    }

    /// Returns whether children are stored in a list, which may be declared unordered or with
    /// duplicates.
    fn is_list(self) -> bool {
        match self {
            Kind::Compressed | Kind::Loose | Kind::Singleton | Kind::Offset | Kind::Hashed => true,
            Kind::Dense | Kind::Range | Kind::Bitmap | Kind::Blocks(_) | Kind::Structured(..) => {
                false
            }
        }
    }

    /// Returns whether the level may store more entries than it is built from.
    fn pads(self) -> bool {
        match self {
            Kind::Dense | Kind::Range | Kind::Structured(..) => true,
            Kind::Compressed
            | Kind::Loose
            | Kind::Blocks(_)
            | Kind::Singleton
            | Kind::Offset
            | Kind::Hashed
            | Kind::Bitmap => false,
        }
    }
}

impl Level {
    /// Returns whether the coordinates of siblings increase; those of hash tables never do.
    fn is_ordered(&self) -> bool {
        self.ordered && self.kind != Kind::Hashed
    }
}

/// The arrays of the levels, by level and field.
pub type Arrays = BTreeMap<(usize, String), Vec<usize>>;

/// The range of the coordinates of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The smallest coordinate.
    pub first: i64,
    /// The number of coordinates.
    pub size: usize,
}

impl Format {
    /// Returns whether the entries are stored unsorted and with duplicates, as they are given.
    pub fn keeps_entries(&self) -> bool {
        !self.levels.is_empty()
            && self.levels.iter().all(|level| {
                level.kind.is_list() && !level.is_ordered() && !level.unique && !level.full
            })
    }

    /// Returns whether the format may store more entries than it is built from.
    pub fn pads(&self) -> bool {
        self.levels.iter().fold(false, |pads, level| {
            level.kind.pads() || level.full || level.kind.is_branchless() && pads
        })
    }

    /// Returns whether every coordinate is stored.
    fn is_full(&self) -> bool {
        self.levels.iter().all(|level| level.kind == Kind::Dense || level.full)
    }

    /// Returns the fill value as an element of a type.
    pub fn fill(&self, dtype: Dtype) -> Number {
        let (least, most) = match dtype.range() {
            Some((least, most)) => (Number::Whole(least), Number::Whole(most)),
            None => (Number::Real(f64::NEG_INFINITY), Number::Real(f64::INFINITY)),
        };
        let number = match self.fill {
            Literal::Int(n) => Number::Whole(n.into()),
            Literal::Float(x) => Number::Real(x),
            Literal::Greatest => most,
            Literal::Least => least,
            Literal::Nan => Number::Real(f64::NAN),
            Literal::Bool(holds) => Number::Bool(holds),
        };
        convert(number, dtype).unwrap_or(number)
    }

    /// Returns the ranges of the coordinates of all levels, or `None` if an array cannot hold one
    /// of them. `counted` returns the number of slots of a level that counts.
    pub fn axes(&self, shape: &[usize], counted: impl Fn(usize) -> usize) -> Option<Vec<Axis>> {
        let axis = |(l, level): (usize, &Level)| {
            if level.expr.counted().is_some() {
                return Some(Axis { first: 0, size: counted(l) });
            }
            let axis = level.expr.axis(shape);
            let last = i128::from(axis.first) + axis.size as i128 - 1;
            // A hash table needs a value above all coordinates for its vacant slots.
            let last = last + i128::from(level.kind == Kind::Hashed);
            let stores = match level.kind {
                Kind::Dense | Kind::Range | Kind::Offset | Kind::Bitmap => false,
                Kind::Compressed
                | Kind::Loose
                | Kind::Blocks(_)
                | Kind::Singleton
                | Kind::Hashed
                | Kind::Structured(..) => axis.size > 0,
            };
            let fits = level.crd.0 <= axis.first.into() && last <= level.crd.1;
            (fits || !stores).then_some(axis)
        };
        self.levels.iter().enumerate().map(axis).collect()
    }

    /// Reads the entries of a tensor from its arrays.
    pub fn look(
        &self,
        shape: &[usize],
        arrays: Arrays,
        vals: Vec<Number>,
        dtype: Dtype,
    ) -> Result<Stored, String> {
        let walk = self.walk(shape, &arrays)?;
        if walk.count != vals.len() {
            let (given, count) = (vals.len(), walk.count);
            return Err(format!("{given} values for {count} positions"));
        }
        let entries = walk.entries.into_iter().map(|(at, position)| (at, vals[position]));
        // In a format that pads, elements equal to the fill value are padding.
        let (full, fill) = (self.is_full(), self.fill(dtype));
        let skips = self.pads() && !full;
        let entries = entries.filter(|(_, value)| !skips || !value.is_like(fill, 0.0)).collect();
        let modes = self.levels.iter().map(|level| level.expr.dimension());
        Ok(Stored {
            shape: shape.to_vec(),
            modes: modes.collect::<Option<_>>().unwrap_or_default(),
            ordered: self.levels.iter().all(Level::is_ordered),
            repeats: self.levels.last().is_some_and(|level| !level.unique),
            pads: self.pads(),
            full,
            drops: self.levels.iter().any(|level| !level.padded),
            arrays,
            vals,
            entries,
        })
    }
}
