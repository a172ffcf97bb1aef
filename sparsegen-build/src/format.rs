//! Formats: maps from the dimensions of a tensor to storage levels.

pub mod builtin;
mod define;
mod invert;
mod parse;
mod placed;
mod plain;
#[cfg(test)]
mod tests;
mod widths;

use std::fmt;
use std::sync::Arc;

pub use define::{Definition, Formats};
pub(crate) use parse::MOST_LEVELS;
pub use placed::Places;
pub use plain::{at_random, inverse_of_list, plain, unordered};
pub use widths::Widths;

use crate::coordinate::Coordinate;
use crate::level::{Level, Properties};
use crate::names::camel_case;
use crate::names::imported::path_of_own;
use crate::types::{Literal, Width};

/// A tensor format: an ordered list of levels, each storing an expression of the dimensions.
///
/// Printed as the map of the language page: `(i, j) -> (i : dense, j : compressed)`.
#[derive(Clone, Debug)]
pub struct Format {
    /// The name of the format in the manifest, if it has one: `csr`, `blocks4`.
    pub name: Option<String>,
    /// The names of the dimensions in the map; their number is the order of the tensor.
    pub dimensions: Vec<String>,
    /// The levels, outermost first.
    pub levels: Vec<LevelSpec>,
    /// The marker type in the runtime crate for exactly this map, with the order if the type is
    /// generic over it, such as `Csr` or `Coo<3>`. Without one, the generated module declares a
    /// type.
    pub builtin: Option<String>,
    /// The value of entries that are not stored.
    pub fill: Literal,
    /// `true` for a result whose entries are counted for each parent in a first pass of the loops,
    /// and stored in a second one.
    pub counts_first: bool,
}

/// One storage level.
#[derive(Clone, Debug)]
pub struct LevelSpec {
    /// The expression of the dimensions that the level stores.
    pub expr: LevelExpr,
    /// The level.
    pub level: Arc<dyn Level>,
    /// The properties of the level, as modified by the map.
    pub properties: Properties,
    /// The integer type of the level's positions.
    pub pos: Width,
    /// The integer type of the level's coordinates.
    pub crd: Width,
}

/// An expression of the dimensions that a level stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LevelExpr {
    /// A dimension.
    Dimension(usize),
    /// `#i`: the number of preceding entries with the same coordinate of the dimension.
    Count(usize),
    /// `i / 4`, `(i / 4) % 2`, `j - i` or `i + j`, the sum or difference of two dimensions.
    Computed(Box<Coordinate<LevelExpr>>),
}

impl LevelExpr {
    /// Returns whether the number of values of the expression is a constant.
    fn has_constant_extent(&self) -> bool {
        matches!(self, LevelExpr::Computed(computed) if matches!(**computed, Coordinate::Mod(..)))
    }

    /// Returns the name of the variable of a level, given those of the dimensions.
    pub fn variable_name(&self, dimension: &dyn Fn(usize) -> String) -> String {
        match self {
            LevelExpr::Dimension(mode) => dimension(*mode),
            LevelExpr::Count(_) => SLOT.to_owned(),
            LevelExpr::Computed(computed) => computed.name(|of| of.variable_name(dimension)),
        }
    }
}

/// The name of the variable that counts the entries with the same coordinate.
pub const SLOT: &str = "slot";

impl LevelSpec {
    /// Returns a level with its own properties that stores an expression.
    pub fn new(expr: LevelExpr, level: Arc<dyn Level>) -> LevelSpec {
        let (pos, crd) = (Width::default(), Width::default());
        LevelSpec { expr, properties: level.properties(), level, pos, crd }
    }
}

impl Format {
    /// Returns the format of a tensor that a kernel makes, with the fill value zero.
    pub fn of(dimensions: Vec<String>, levels: Vec<LevelSpec>) -> Format {
        let fill = Literal::Int(0);
        Format { name: None, dimensions, levels, builtin: None, fill, counts_first: false }
    }

    /// Returns this format with another fill value, which needs its own marker type.
    pub fn filled(self, fill: Literal) -> Format {
        if fill == self.fill {
            return self;
        }
        let builtin = self.builtin.filter(|_| fill.is_zero());
        Format { fill, builtin, ..self }
    }

    /// Returns whether a coordinate may be absent, because some level is not full.
    pub fn is_sparse(&self) -> bool {
        self.levels.iter().any(|spec| !spec.properties.full)
    }

    /// Returns whether the format pads, so that stored fill values are padding and not entries: its
    /// last level may have positions without entries, and not all levels are full.
    pub fn pads(&self) -> bool {
        let fills = self.levels.iter().fold(false, |fills, LevelSpec { level, properties, .. }| {
            level.pads() || properties.full || properties.branchless && fills
        });
        fills && self.is_sparse()
    }

    /// Returns whether a tensor has a position for every coordinate, whatever it stores.
    pub fn has_every_position(&self) -> bool {
        self.levels.iter().all(|spec| spec.level.insert().is_some() && spec.properties.full)
    }

    /// Returns the level of a result whose coordinates are stored in any order for each parent.
    pub fn scattered(&self) -> Option<usize> {
        let scatters =
            |spec: &LevelSpec| spec.level.append().is_some_and(|append| append.scatter().is_some());
        self.levels.iter().position(scatters)
    }

    /// Returns the last level of a result whose coordinates must come in order, if there is one: a
    /// level that appends, or a parent of one.
    pub fn last_in_order(&self) -> Option<usize> {
        let appends = |spec: &LevelSpec| spec.level.insert().is_none();
        match self.scattered() {
            _ if self.placed().is_some() => None,
            Some(scattered) => scattered.checked_sub(1),
            None => self.levels.iter().rposition(appends),
        }
    }

    /// Returns the formats of a result that differ in the level whose coordinates may come in any
    /// order for each parent: only levels that insert are below it.
    pub fn in_any_order(&self) -> Vec<Format> {
        let last = self.levels.iter().rposition(|spec| spec.level.insert().is_none());
        let scattered = last.and_then(|last| {
            let LevelSpec { level, properties, .. } = &self.levels[last];
            // A full level stores coordinates that no loop visits.
            let is_plain = properties.unique && properties.ordered && !properties.full;
            let level = level.in_any_order().filter(|_| is_plain)?;
            let mut format = self.clone();
            format.levels[last].level = level;
            Some(format)
        });
        scattered.into_iter().collect()
    }

    /// Returns the number of modes of a tensor in this format.
    pub fn order(&self) -> usize {
        self.dimensions.len()
    }

    /// Returns the name of its type in generated code, either from the runtime crate or declared by
    /// the generated module.
    pub fn marker(&self) -> String {
        match (&self.builtin, &self.name) {
            (Some(builtin), _) => builtin.clone(),
            (None, name) => path_of_own(&camel_case(name.as_deref().unwrap_or_default())),
        }
    }

    /// Returns the mode that a level stores unchanged, if it does.
    pub fn mode_of(&self, level: usize) -> Option<usize> {
        match self.levels[level].expr {
            LevelExpr::Dimension(mode) => Some(mode),
            LevelExpr::Count(_) | LevelExpr::Computed(_) => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}) -> (", self.dimensions.join(", "))?;
        for (k, spec) in self.levels.iter().enumerate() {
            if k > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{} : {}", spec.expr.show(&self.dimensions), spec.level.name())?;
            let set = spec.properties.set_beyond(spec.level.properties());
            let options: Vec<_> = spec
                .level
                .parameters()
                .into_iter()
                .chain(set.into_iter().map(String::from))
                .collect();
            if !options.is_empty() {
                write!(f, "({})", options.join(", "))?;
            }
        }
        f.write_str(")")
    }
}

impl From<Coordinate<LevelExpr>> for LevelExpr {
    fn from(computed: Coordinate<LevelExpr>) -> LevelExpr {
        LevelExpr::Computed(Box::new(computed))
    }
}

impl LevelExpr {
    /// Returns the function that computes it, unless it is a dimension or a number of entries.
    pub fn computed(&self) -> Option<&Coordinate<LevelExpr>> {
        match self {
            LevelExpr::Computed(computed) => Some(computed),
            LevelExpr::Dimension(_) | LevelExpr::Count(_) => None,
        }
    }

    /// Returns whether its coordinates may be negative, as differences and blocks of differences
    /// may be. Arrays hold such coordinates in the signed type of the same size.
    pub fn may_be_negative(&self) -> bool {
        self.computed().is_some_and(|computed| computed.may_be_negative(LevelExpr::may_be_negative))
    }

    /// Returns the dimensions that the expression uses.
    pub fn modes(&self) -> Vec<usize> {
        match self {
            LevelExpr::Dimension(mode) => vec![*mode],
            LevelExpr::Count(_) => Vec::new(),
            LevelExpr::Computed(computed) => {
                computed.variables().flat_map(LevelExpr::modes).collect()
            }
        }
    }

    /// Prints the expression with these names of dimensions.
    pub fn show(&self, dimensions: &[String]) -> String {
        match self {
            LevelExpr::Dimension(d) => dimensions[*d].clone(),
            LevelExpr::Count(d) => format!("#{}", dimensions[*d]),
            LevelExpr::Computed(computed) => computed.show(|of| match of {
                LevelExpr::Dimension(_) => of.show(dimensions),
                LevelExpr::Count(_) | LevelExpr::Computed(_) => {
                    format!("({})", of.show(dimensions))
                }
            }),
        }
    }
}
