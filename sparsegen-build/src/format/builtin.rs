//! The built-in formats: their maps, and their types in the runtime crate. Besides the files of the
//! levels themselves, this is the only one that names levels.

use crate::types::Width;

/// The highest order for which the runtime crate has format types.
pub const LARGEST_ORDER: usize = 12;

/// A built-in format.
#[derive(Debug)]
pub struct Builtin {
    /// The name in a manifest.
    pub name: &'static str,
    /// The marker type in the runtime crate.
    marker: &'static str,
    /// The map.
    maps: Maps,
    /// `true` if the type has parameters for positions and coordinates.
    widths: bool,
}

/// How a built-in format maps dimensions to levels.
#[derive(Debug)]
enum Maps {
    /// The map of a single order.
    One(usize, &'static str),
    /// The maps of all orders from 1.
    Every {
        /// The outermost level of an order above 1.
        outermost: &'static str,
        /// The levels between the outermost and the last.
        between: &'static str,
        /// The last level.
        last: &'static str,
        /// The level of a tensor of order 1.
        alone: &'static str,
        /// `true` if the last dimension is outermost.
        reversed: bool,
    },
}

/// The built-in formats. Formats that coincide for some order are listed by preference.
pub const BUILTINS: [Builtin; 15] = [
    Builtin { name: "scalar", marker: "Scalar", maps: Maps::One(0, ""), widths: false },
    Builtin { name: "dense", marker: "Dense", maps: every("dense", false), widths: false },
    Builtin { name: "dense_col", marker: "DenseCol", maps: every("dense", true), widths: false },
    Builtin {
        name: "sparse_vector",
        marker: "SparseVector",
        maps: Maps::One(1, "(i) -> (i : compressed)"),
        widths: true,
    },
    Builtin {
        name: "csr",
        marker: "Csr",
        maps: Maps::One(2, "(i, j) -> (i : dense, j : compressed)"),
        widths: true,
    },
    Builtin {
        name: "csc",
        marker: "Csc",
        maps: Maps::One(2, "(i, j) -> (j : dense, i : compressed)"),
        widths: true,
    },
    Builtin {
        name: "dcsr",
        marker: "Dcsr",
        maps: Maps::One(2, "(i, j) -> (i : compressed, j : compressed)"),
        widths: true,
    },
    Builtin {
        name: "dcsc",
        marker: "Dcsc",
        maps: Maps::One(2, "(i, j) -> (j : compressed, i : compressed)"),
        widths: true,
    },
    Builtin {
        name: "coo",
        marker: "Coo",
        maps: Maps::Every {
            outermost: "compressed(nonunique)",
            between: "singleton(nonunique)",
            last: "singleton",
            alone: "compressed",
            reversed: false,
        },
        widths: true,
    },
    Builtin { name: "csf", marker: "Csf", maps: every("compressed", false), widths: true },
    Builtin {
        name: "coo_unordered",
        marker: "CooUnordered",
        maps: Maps::Every {
            outermost: "compressed(nonordered, nonunique)",
            between: "singleton(nonordered, nonunique)",
            last: "singleton(nonordered, nonunique)",
            alone: "compressed(nonordered, nonunique)",
            reversed: false,
        },
        widths: true,
    },
    Builtin {
        name: "hash_vector",
        marker: "HashVector",
        maps: Maps::One(1, "(i) -> (i : hashed)"),
        widths: true,
    },
    Builtin {
        name: "hash_rows",
        marker: "HashRows",
        maps: Maps::One(2, "(i, j) -> (i : dense, j : hashed)"),
        widths: true,
    },
    Builtin {
        name: "dia",
        marker: "Dia",
        maps: Maps::One(2, "(i, j) -> (j - i : compressed, i : range, j : offset)"),
        widths: true,
    },
    Builtin {
        name: "ell",
        marker: "Ell",
        maps: Maps::One(2, "(i, j) -> (#i : dense, i : dense, j : singleton(padded))"),
        widths: true,
    },
];

/// The level for formats that must iterate and assemble in order.
pub(super) const PLAIN: &str = "compressed";

/// The level with a position for every coordinate.
pub(super) const ROWS: &str = "dense";

/// The format with constant-time lookup of any element.
pub(super) const AT_RANDOM: &str = "dense";

/// The level with lookup of any coordinate and positions for few.
pub(super) const LOCATED: &str = "hashed";

/// The format of the inverse of a list.
pub(super) const GROUPED: &str = "csr";

/// A map for examples in messages.
pub const EXAMPLE_MAP: &str = "(i, j) -> (i : dense, j : compressed)";

/// A level that any dimension can have, for examples in messages.
pub const EXAMPLE_LEVEL: &str = "dense";

/// Returns a common format of an order, for examples in messages.
pub fn usual(order: usize) -> &'static str {
    if order == 2 { "csr" } else { "dense" }
}

/// Returns maps with the same level for all dimensions.
const fn every(level: &'static str, reversed: bool) -> Maps {
    Maps::Every { outermost: level, between: level, last: level, alone: level, reversed }
}

/// Returns the built-in format with this name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    const TABLE: &[Builtin] = &BUILTINS;
    TABLE.iter().find(|builtin| builtin.name == name)
}

impl Builtin {
    /// Returns its order, if it has only one.
    pub fn order(&self) -> Option<usize> {
        match self.maps {
            Maps::One(order, _) => Some(order),
            Maps::Every { .. } => None,
        }
    }

    /// Returns whether a tensor of this order can have this format.
    pub fn fits(&self, order: usize) -> bool {
        match self.maps {
            Maps::One(only, _) => order == only,
            Maps::Every { .. } => (1..=LARGEST_ORDER).contains(&order),
        }
    }

    /// Returns its map for a supported order; empty for a scalar, which has no levels.
    pub fn map(&self, order: usize) -> String {
        let (outermost, between, last, alone, reversed) = match self.maps {
            Maps::One(_, map) => return map.to_owned(),
            Maps::Every { outermost, between, last, alone, reversed } => {
                (outermost, between, last, alone, reversed)
            }
        };
        let dimensions: Vec<_> = ('i'..).take(order).map(String::from).collect();
        let mut stored = dimensions.clone();
        if reversed {
            stored.reverse();
        }
        let levels: Vec<_> = stored
            .iter()
            .enumerate()
            .map(|(k, dimension)| {
                let level = match k {
                    _ if order == 1 => alone,
                    0 => outermost,
                    k if k + 1 == order => last,
                    _ => between,
                };
                format!("{dimension} : {level}")
            })
            .collect();
        format!("({}) -> ({})", dimensions.join(", "), levels.join(", "))
    }

    /// Returns whether its map for a supported order has levels with these names. This is cheaper
    /// than parsing the map.
    pub fn has_levels<'l>(&self, order: usize, names: impl Iterator<Item = &'l str>) -> bool {
        let map = self.map(order);
        let after_name = |c: char| !c.is_alphanumeric() && c != '_';
        let levels = map.split(" : ").skip(1).filter_map(|level| level.split(after_name).next());
        levels.eq(names)
    }

    /// Returns its type in the runtime crate: `Csr`, `Coo<3>`, `Csr<u64, u32>`.
    pub fn marker(&self, order: usize, pos: Width, crd: Width) -> String {
        self.marker_over(&order.to_string(), pos, crd)
    }

    /// Returns its type in the runtime crate for an order given as text, a name or a number.
    pub fn marker_over(&self, order: &str, pos: Width, crd: Width) -> String {
        let mut parameters = Vec::new();
        if self.order().is_none() {
            parameters.push(order.to_owned());
        }
        if self.widths && (pos, crd) != (Width::default(), Width::default()) {
            parameters.extend([pos.to_string(), crd.to_string()]);
        }
        match parameters.as_slice() {
            [] => self.marker.to_owned(),
            parameters => format!("{}<{}>", self.marker, parameters.join(", ")),
        }
    }

    /// Returns the name of its type in the runtime crate.
    pub fn type_name(&self) -> &'static str {
        self.marker
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_those_of_the_language() {
        let cases = [
            ("csc", 2, "(i, j) -> (j : dense, i : compressed)"),
            ("dense", 3, "(i, j, k) -> (i : dense, j : dense, k : dense)"),
            ("dense_col", 2, "(i, j) -> (j : dense, i : dense)"),
            ("coo", 1, "(i) -> (i : compressed)"),
            ("coo", 2, "(i, j) -> (i : compressed(nonunique), j : singleton)"),
            (
                "coo",
                3,
                "(i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton)",
            ),
            ("csf", 2, "(i, j) -> (i : compressed, j : compressed)"),
        ];
        for (name, order, map) in cases {
            assert_eq!(find(name).unwrap().map(order), map);
        }
    }

    #[test]
    fn types_are_those_of_the_runtime_crate() {
        let marker = |name: &str, order, pos, crd| find(name).unwrap().marker(order, pos, crd);
        assert_eq!(marker("csr", 2, Width::U32, Width::U32), "Csr");
        assert_eq!(marker("csr", 2, Width::U64, Width::U32), "Csr<u64, u32>");
        assert_eq!(marker("coo", 3, Width::U32, Width::U32), "Coo<3>");
        assert_eq!(marker("coo", 3, Width::U32, Width::U8), "Coo<3, u32, u8>");
        assert_eq!(marker("dense", 2, Width::U64, Width::U64), "Dense<2>");
        assert_eq!(marker("scalar", 0, Width::U64, Width::U64), "Scalar");
    }
}
