//! Reads the nodes and entries of a tensor from its arrays.

use super::expr::inverse;
use super::{Arrays, Axis, Format, Kind};

/// A node of the coordinate hierarchy.
#[derive(Clone, Debug)]
pub struct Node {
    /// The coordinates at its level and those above.
    pub numbers: Vec<i64>,
    /// Its position.
    pub position: usize,
}

/// The contents of the arrays.
pub struct Walk {
    /// The nodes of each level, in storage order.
    pub nodes: Vec<Vec<Node>>,
    /// The number of positions of the last level.
    pub count: usize,
    /// The coordinates of the entries, each with its position, in storage order.
    pub entries: Vec<(Vec<usize>, usize)>,
}

impl Format {
    /// Reads the nodes and entries from the arrays.
    pub fn walk(&self, shape: &[usize], arrays: &Arrays) -> Result<Walk, String> {
        let counted = |l: usize| match arrays.get(&(l, "size".to_owned())).map(Vec::as_slice) {
            Some([size]) => *size,
            Some(_) | None => usize::MAX,
        };
        let axes = self.axes(shape, counted).ok_or("the arrays cannot hold the coordinates")?;
        let mut above = vec![Node { numbers: Vec::new(), position: 0 }];
        let (mut count, mut nodes) = (1, Vec::new());
        for (l, axis) in axes.iter().enumerate() {
            let mut below = Vec::new();
            for parent in &above {
                for (number, position) in self.children(l, *axis, shape, parent, arrays)? {
                    let mut numbers = parent.numbers.clone();
                    numbers.push(number);
                    below.push(Node { numbers, position });
                }
            }
            count = match self.levels[l].kind {
                Kind::Dense | Kind::Range | Kind::Bitmap => count * axis.size,
                Kind::Compressed | Kind::Loose | Kind::Blocks(_) | Kind::Hashed => {
                    array(arrays, l, "crd")?.len()
                }
                Kind::Singleton | Kind::Offset => count,
                Kind::Structured(kept, _) => count * kept,
            };
            nodes.push(above);
            above = below;
        }
        let inside = |node: &Node| {
            let levels: Vec<_> = self.levels.iter().map(|level| &level.expr).collect();
            let numbers: Vec<_> = levels.into_iter().zip(node.numbers.iter().copied()).collect();
            let at = inverse(self.order, &numbers)
                .ok_or("the levels do not determine the coordinates")?;
            let at = at.into_iter().map(|c| usize::try_from(c).ok());
            let at = at.collect::<Option<Vec<usize>>>();
            let at = at.filter(|at| at.iter().zip(shape).all(|(c, extent)| c < extent));
            Ok(at.map(|at| (at, node.position)))
        };
        let entries: Result<Vec<_>, String> = above.iter().map(inside).collect();
        let entries = entries?.into_iter().flatten().collect();
        nodes.push(above);
        nodes.remove(0);
        Ok(Walk { nodes, count, entries })
    }

    /// Returns the coordinates and positions of the children of a node at the next level.
    fn children(
        &self,
        l: usize,
        axis: Axis,
        shape: &[usize],
        parent: &Node,
        arrays: &Arrays,
    ) -> Result<Vec<(i64, usize)>, String> {
        let level = &self.levels[l];
        let q = parent.position;
        let at = |field: &str, k: usize| -> Result<usize, String> {
            let array = array(arrays, l, field)?;
            array.get(k).copied().ok_or_else(|| format!("level {l} has no `{field}[{k}]`"))
        };
        let listed = |range: std::ops::Range<usize>| -> Result<Vec<(i64, usize)>, String> {
            range.map(|p| Ok((at("crd", p)? as i64, p))).collect()
        };
        let counted = (0..axis.size).map(|k| (axis.first + k as i64, q * axis.size + k));
        match level.kind {
            Kind::Dense => Ok(counted.collect()),
            Kind::Range => {
                let is_met = |(number, _): &(i64, usize)| self.is_met(l, *number, shape, parent);
                Ok(counted.filter(is_met).collect())
            }
            Kind::Compressed => listed(at("pos", q)?..at("pos", q + 1)?),
            Kind::Loose => listed(at("lo", q)?..at("hi", q)?),
            Kind::Blocks(block) => {
                let mut children = Vec::new();
                for b in at("pos", q)?..at("pos", q + 1)? {
                    for p in at("first", b)?..at("first", b + 1)? {
                        children.push(((at("blocks", b)? * block + at("crd", p)?) as i64, p));
                    }
                }
                Ok(children)
            }
            Kind::Singleton => listed(q..q + 1),
            Kind::Offset => {
                let number = self.derived(l, parent).ok_or("no diagonal for an offset level")?;
                Ok(vec![(number, q)])
            }
            Kind::Hashed => {
                let width = at("width", 0)?;
                let mut children = listed(q * width..(q + 1) * width)?;
                // The largest coordinate of `usize` exceeds `i64`.
                let mark = level.crd.1 as usize;
                children.retain(|(number, _)| *number as usize != mark);
                Ok(children)
            }
            Kind::Bitmap => {
                let mut children = Vec::new();
                for (number, p) in counted {
                    if (at("bits", p / 64)? >> (p % 64)) & 1 == 1 {
                        children.push((number, p));
                    }
                }
                Ok(children)
            }
            Kind::Structured(kept, _) => listed(q * kept..(q + 1) * kept),
        }
    }

    /// Returns whether the element of a coordinate of a range level on the diagonal above is within
    /// the shape.
    fn is_met(&self, l: usize, number: i64, shape: &[usize], parent: &Node) -> bool {
        let Some(dimension) = self.levels[l].expr.dimension() else { return false };
        let mut above = self.levels[..l].iter().zip(&parent.numbers);
        let other =
            above.find_map(|(level, diagonal)| level.expr.other(dimension, number, *diagonal));
        other.is_none_or(|(mode, at)| (0..shape[mode] as i64).contains(&at))
    }

    /// Computes the coordinate of an offset level.
    fn derived(&self, l: usize, parent: &Node) -> Option<i64> {
        let dimension = self.levels[l].expr.dimension()?;
        let above = || self.levels[..l].iter().zip(&parent.numbers);
        above().find_map(|(level, here)| {
            let other = level.expr.dimension()?;
            let mut diagonals = above();
            let found =
                diagonals.find_map(|(level, number)| level.expr.other(other, *here, *number));
            found.filter(|(mode, _)| *mode == dimension).map(|(_, at)| at)
        })
    }
}

fn array<'a>(arrays: &'a Arrays, l: usize, field: &str) -> Result<&'a Vec<usize>, String> {
    arrays.get(&(l, field.to_owned())).ok_or_else(|| format!("level {l} has no `{field}`"))
}
