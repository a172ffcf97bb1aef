//! Arranges the children of a level in its arrays.

use super::{Arrays, Axis, Kind, Level};
use crate::random::Random;

/// A child: the position of its parent, its coordinate, and the entries below it.
pub struct Child {
    pub parent: usize,
    pub number: i64,
    pub entries: Vec<usize>,
}

/// Returns the positions of the children, in their order, and the number of positions. Returns
/// `None` if they exceed the capacity.
pub fn lay_out(
    (l, level): (usize, &Level),
    axis: Axis,
    parents: usize,
    children: &[Child],
    arrays: &mut Arrays,
    freedom: &mut Option<&mut Random>,
) -> Option<(Vec<usize>, usize)> {
    let mut set = |field: &str, contents: Vec<usize>| {
        arrays.insert((l, field.to_owned()), contents);
    };
    let slot = |child: &Child| (child.number - axis.first) as usize;
    let dense = || children.iter().map(|child| child.parent * axis.size + slot(child)).collect();
    let laid_out = match level.kind {
        Kind::Dense => {
            set("size", vec![axis.size]);
            (dense(), parents.checked_mul(axis.size)?)
        }
        Kind::Range => (dense(), parents.checked_mul(axis.size)?),
        Kind::Bitmap => {
            let count = parents.checked_mul(axis.size)?;
            let mut bits = vec![0; count.div_ceil(64)];
            let positions: Vec<usize> = dense();
            positions.iter().for_each(|p| bits[p / 64] |= 1 << (p % 64));
            set("size", vec![axis.size]);
            set("bits", bits);
            (positions, count)
        }
        Kind::Compressed => {
            let Segments { lo: _, hi, crd, positions } =
                segments(level, axis, parents, children, &mut None)?;
            set("pos", std::iter::once(0).chain(hi).collect());
            let count = crd.len();
            set("crd", crd);
            (positions, count)
        }
        Kind::Loose => {
            let Segments { lo, hi, crd, positions } =
                segments(level, axis, parents, children, freedom)?;
            let count = crd.len();
            set("lo", lo);
            set("hi", hi);
            set("crd", crd);
            (positions, count)
        }
        Kind::Blocks(block) => {
            let (mut pos, mut blocks, mut first, mut crd) = (vec![0], vec![], vec![0], vec![]);
            let mut positions = vec![0; children.len()];
            for parent in 0..parents {
                for k in (0..children.len()).filter(|k| children[*k].parent == parent) {
                    let number = children[k].number as usize;
                    if blocks.len() == pos[parent] || blocks.last() != Some(&(number / block)) {
                        blocks.push(number / block);
                        first.push(crd.len());
                    }
                    positions[k] = crd.len();
                    crd.push(number % block);
                    *first.last_mut()? = crd.len();
                }
                pos.push(blocks.len());
            }
            let count = crd.len();
            set("pos", pos);
            set("blocks", blocks);
            set("first", first);
            set("crd", crd);
            if count as i128 > level.pos {
                return None;
            }
            (positions, count)
        }
        Kind::Singleton => {
            if level.full && parents > 0 && axis.size != 1 {
                return None;
            }
            let mut crd: Vec<usize> = (0..parents)
                .map(|_| match freedom {
                    Some(random) if axis.size > 0 => random.below(axis.size),
                    Some(_) | None => 0,
                })
                .map(|number| (number as i64 + axis.first) as usize)
                .collect();
            let mut taken = None;
            for child in children {
                if taken.replace(child.parent) == Some(child.parent) {
                    return None;
                }
                crd[child.parent] = child.number as usize;
            }
            set("crd", crd);
            (children.iter().map(|child| child.parent).collect(), parents)
        }
        Kind::Offset => (children.iter().map(|child| child.parent).collect(), parents),
        Kind::Hashed => hashed(level, axis, parents, children, freedom, &mut set)?,
        Kind::Structured(kept, block) => {
            let mut crd = Vec::new();
            let mut positions = vec![0; children.len()];
            for parent in 0..parents {
                let own = (0..children.len()).filter(|k| children[*k].parent == parent);
                let own: Vec<usize> = own.collect();
                let mut numbers: Vec<usize> =
                    own.iter().map(|k| children[*k].number as usize).collect();
                let mut others: Vec<usize> = (0..block).filter(|c| !numbers.contains(c)).collect();
                while numbers.len() < kept {
                    let next = match freedom {
                        Some(random) => random.below(others.len()),
                        None => 0,
                    };
                    numbers.push(others.remove(next));
                }
                numbers.sort_unstable();
                if numbers.len() > kept {
                    return None;
                }
                for k in own {
                    let number = children[k].number as usize;
                    positions[k] = crd.len() + numbers.iter().position(|n| *n == number)?;
                }
                crd.extend(numbers);
            }
            let count = crd.len();
            set("crd", crd);
            (positions, count)
        }
    };
    Some(laid_out)
}

struct Segments {
    lo: Vec<usize>,
    hi: Vec<usize>,
    crd: Vec<usize>,
    positions: Vec<usize>,
}

/// Builds one segment per parent; packed freely, in any order and with gaps.
fn segments(
    level: &Level,
    axis: Axis,
    parents: usize,
    children: &[Child],
    freedom: &mut Option<&mut Random>,
) -> Option<Segments> {
    let mut order: Vec<usize> = (0..parents).collect();
    if let Some(random) = freedom {
        random.shuffle(&mut order);
    }
    let mut made = Segments {
        lo: vec![0; parents],
        hi: vec![0; parents],
        crd: Vec::new(),
        positions: vec![0; children.len()],
    };
    let gap = |freedom: &mut Option<&mut Random>, crd: &mut Vec<usize>| {
        if let Some(random) = freedom {
            for _ in 0..[0, 0, 1, 3][random.below(4)] {
                // Results must not depend on the contents of gaps.
                crd.push([0, axis.size.saturating_sub(1), level.crd.1 as usize][random.below(3)]);
            }
        }
    };
    for parent in order {
        gap(freedom, &mut made.crd);
        made.lo[parent] = made.crd.len();
        let own = (0..children.len()).filter(|k| children[*k].parent == parent);
        let own: Vec<usize> = own.collect();
        if level.full {
            let is_missing = |n: &i64| own.iter().all(|k| children[*k].number != *n);
            let all = (0..axis.size).map(|k| axis.first + k as i64);
            let mut numbers: Vec<(i64, Option<usize>)> =
                all.filter(is_missing).map(|n| (n, None)).collect();
            numbers.extend(own.iter().map(|k| (children[*k].number, Some(*k))));
            numbers.sort_by_key(|(number, _)| *number);
            for (number, child) in numbers {
                if let Some(child) = child {
                    made.positions[child] = made.crd.len();
                }
                made.crd.push(number as usize);
            }
        } else {
            for k in own {
                made.positions[k] = made.crd.len();
                made.crd.push(children[k].number as usize);
            }
        }
        made.hi[parent] = made.crd.len();
    }
    gap(freedom, &mut made.crd);
    (made.crd.len() as i128 <= level.pos).then_some(made)
}

/// Builds a hash table per parent; packed freely, of any size and in any order of insertion.
fn hashed(
    level: &Level,
    axis: Axis,
    parents: usize,
    children: &[Child],
    freedom: &mut Option<&mut Random>,
    set: &mut impl FnMut(&str, Vec<usize>),
) -> Option<(Vec<usize>, usize)> {
    let mark = level.crd.1 as usize;
    let mut all: Vec<(usize, i64, Option<usize>)> =
        children.iter().enumerate().map(|(k, c)| (c.parent, c.number, Some(k))).collect();
    if level.full {
        for parent in 0..parents {
            let is_missing =
                |n: &i64| children.iter().all(|child| child.parent != parent || child.number != *n);
            let numbers = (0..axis.size).map(|k| axis.first + k as i64).filter(is_missing);
            all.extend(numbers.map(|number| (parent, number, None)));
        }
    }
    let fullest = (0..parents).map(|q| all.iter().filter(|(p, ..)| *p == q).count()).max();
    let fullest = fullest.unwrap_or(0);
    let mut width = (2 * fullest).next_power_of_two();
    if let Some(random) = freedom {
        width = fullest + 1 + random.below(fullest + 4);
        random.shuffle(&mut all);
    }
    let mut crd = vec![mark; parents.checked_mul(width)?];
    let mut positions = vec![0; children.len()];
    for (parent, number, child) in all {
        let home = number.rem_euclid(width as i64) as usize;
        let slots = (0..width).map(|k| parent * width + (home + k) % width);
        let slot = slots.into_iter().find(|slot| crd[*slot] == mark)?;
        crd[slot] = number as usize;
        if let Some(child) = child {
            positions[child] = slot;
        }
    }
    let count = crd.len();
    set("width", vec![width]);
    set("crd", crd);
    Some((positions, count))
}
