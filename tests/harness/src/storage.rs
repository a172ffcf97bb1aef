//! Tensors in formats that are data: what the runtime crate does for types, done a second time, so
//! that kernels of any format can be interpreted without a Rust compiler.
//!
//! A packed operand can also use the freedom that its format leaves: duplicates, coordinates in any
//! order, gaps between segments, wider hash tables, and arbitrary values where nothing is stored.

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
    /// The value of what is not stored.
    pub fill: Literal,
}

/// A storage level.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The coordinates that the level stores.
    pub expr: Expr,
    /// The kind of level.
    pub kind: Kind,
    /// Whether every coordinate is there under each parent.
    pub full: bool,
    /// Whether siblings increase.
    pub ordered: bool,
    /// Whether siblings differ.
    pub unique: bool,
    /// Whether the fill may be stored.
    pub padded: bool,
    /// The largest position that the arrays hold.
    pub pos: i128,
    /// The least and the largest coordinate that the arrays hold.
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
    /// Whether each parent has exactly one child.
    pub fn is_branchless(self) -> bool {
        matches!(self, Kind::Singleton | Kind::Offset)
    }

    /// Whether children are a list, which may be declared to hold any order and duplicates.
    fn is_list(self) -> bool {
        match self {
            Kind::Compressed | Kind::Loose | Kind::Singleton | Kind::Offset | Kind::Hashed => true,
            Kind::Dense | Kind::Range | Kind::Bitmap | Kind::Structured(..) => false,
        }
    }

    /// Whether building may store more than it is given.
    fn pads(self) -> bool {
        match self {
            Kind::Dense | Kind::Range | Kind::Structured(..) => true,
            Kind::Compressed
            | Kind::Loose
            | Kind::Singleton
            | Kind::Offset
            | Kind::Hashed
            | Kind::Bitmap => false,
        }
    }
}

impl Level {
    /// Whether siblings increase, which hash tables never promise.
    fn is_ordered(&self) -> bool {
        self.ordered && self.kind != Kind::Hashed
    }
}

/// The arrays of each level, by level and field.
pub type Arrays = BTreeMap<(usize, String), Vec<usize>>;

/// The range of the coordinates of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The least coordinate.
    pub first: i64,
    /// The number of coordinates.
    pub size: usize,
}

impl Format {
    /// Whether entries are stored as they are given.
    pub fn keeps_entries(&self) -> bool {
        !self.levels.is_empty()
            && self.levels.iter().all(|level| {
                level.kind.is_list() && !level.is_ordered() && !level.unique && !level.full
            })
    }

    /// Whether the format may store more than it is given.
    pub fn pads(&self) -> bool {
        self.levels.iter().fold(false, |pads, level| {
            level.kind.pads() || level.full || level.kind.is_branchless() && pads
        })
    }

    /// Whether every coordinate is an entry.
    fn is_full(&self) -> bool {
        self.levels.iter().all(|level| level.kind == Kind::Dense || level.full)
    }

    /// The value of what is not stored, as an element of a type.
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

    /// The ranges of all levels' coordinates; `arrays` tell how many a level counts. `None` where a
    /// width does not hold them.
    pub fn axes(&self, shape: &[usize], counted: impl Fn(usize) -> usize) -> Option<Vec<Axis>> {
        let axis = |(l, level): (usize, &Level)| {
            if level.expr.counted().is_some() {
                return Some(Axis { first: 0, size: counted(l) });
            }
            let axis = level.expr.axis(shape);
            let last = i128::from(axis.first) + axis.size as i128 - 1;
            // A hash table has a mark above all coordinates.
            let last = last + i128::from(level.kind == Kind::Hashed);
            let stores = match level.kind {
                Kind::Dense | Kind::Range | Kind::Offset | Kind::Bitmap => false,
                Kind::Compressed
                | Kind::Loose
                | Kind::Singleton
                | Kind::Hashed
                | Kind::Structured(..) => axis.size > 0,
            };
            let fits = level.crd.0 <= axis.first.into() && last <= level.crd.1;
            (fits || !stores).then_some(axis)
        };
        self.levels.iter().enumerate().map(axis).collect()
    }

    /// What a tensor of these arrays stores.
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
            return Err(format!("{given} values came for {count} positions"));
        }
        let entries = walk.entries.into_iter().map(|(at, position)| (at, vals[position]));
        // What equals the fill is padding in a format that pads.
        let (full, fill) = (self.is_full(), self.fill(dtype));
        let skips = self.pads() && !full;
        let entries = entries.filter(|(_, value)| !skips || !value.is_like(fill, 0.0)).collect();
        let modes = self.levels.iter().map(|level| level.expr.dimension());
        Ok(Stored {
            shape: shape.to_vec(),
            modes: modes.collect::<Option<_>>().unwrap_or_default(),
            ordered: self.levels.iter().all(Level::is_ordered),
            pads: self.pads(),
            full,
            drops: self.levels.iter().any(|level| !level.padded),
            arrays,
            vals,
            entries,
        })
    }
}
