//! Packs entries like the runtime crate, or in other ways that the format permits.

use std::collections::BTreeMap;

use super::segments::{Child, lay_out};
use super::{Arrays, Format, Kind};
use crate::dtype::Dtype;
use crate::number::Number;
use crate::oracle::arithmetic::convert;
use crate::random::Random;
use crate::typed::Stored;
use crate::worlds::Entries;

/// The value of positions that are not entries, if a tensor is packed freely.
const GARBAGE: Number = Number::Whole(99);

/// The maximal number of positions of a tensor.
const LARGEST: usize = 1_000_000;

impl Format {
    /// Packs entries like the runtime crate. Returns `None` if the format cannot hold them.
    pub fn pack(&self, given: &Entries, dtype: Dtype) -> Option<Stored> {
        self.packed(given, dtype, None)
    }

    /// Packs entries in a random way that the format permits. Returns `None` if the format cannot
    /// hold them. If `splits` is `true`, an entry may be stored as two that add up to it.
    pub fn pack_freely(
        &self,
        given: &Entries,
        dtype: Dtype,
        splits: bool,
        random: &mut Random,
    ) -> Option<Stored> {
        let canonical = self.pack(given, dtype)?;
        let given = if splits { self.split(given, random) } else { given.clone() };
        let free = self.packed(&given, dtype, Some(random));
        let is_valid = |stored: &Stored| {
            let walk = self.walk(&stored.shape, &stored.arrays);
            walk.is_ok_and(|walk| self.is_valid(&walk))
        };
        Some(free.filter(is_valid).unwrap_or(canonical))
    }

    /// Splits some entries into two, if the format can store both.
    fn split(&self, given: &Entries, random: &mut Random) -> Entries {
        let mut innermost = self.levels.iter().rev();
        let mut repeats = 0;
        for level in innermost.by_ref() {
            if level.unique {
                break;
            }
            repeats += 1;
            if !level.kind.is_branchless() {
                break;
            }
        }
        let last = self.levels.len().checked_sub(repeats).and_then(|l| self.levels.get(l));
        let may_repeat = last.is_some_and(|level| !level.unique && !level.kind.is_branchless());
        let mut split = given.clone();
        if may_repeat && !self.levels.iter().any(|level| level.kind == Kind::Hashed || level.full) {
            for k in 0..split.entries.len() {
                if random.chance(0.25) {
                    let (at, value) = split.entries[k].clone();
                    split.entries[k].1 = Number::Real(1.0);
                    split.entries.push((at, value + Number::Real(-1.0)));
                }
            }
        }
        split
    }

    fn packed(
        &self,
        given: &Entries,
        dtype: Dtype,
        mut freedom: Option<&mut Random>,
    ) -> Option<Stored> {
        let fill = self.fill(dtype);
        let mut entries: Vec<(Vec<usize>, Number)> = Vec::new();
        for (at, value) in &given.entries {
            entries.push((at.clone(), convert(*value, dtype).ok()?));
        }
        let shape = &given.shape;
        let is_free = freedom.is_some();
        let numbers = |at: &[usize], count: usize| -> Vec<i64> {
            self.levels.iter().map(|level| level.expr.number(at, count)).collect()
        };
        let is_unpadded = self.levels.iter().any(|level| !level.padded);
        if !self.keeps_entries() {
            // The parts of a sum are no fill values even if they equal one.
            if !is_free || is_unpadded {
                let mut sums: BTreeMap<Vec<usize>, Number> = BTreeMap::new();
                for (at, value) in entries {
                    let sum = sums.get(&at).map_or(value, |sum| *sum + value);
                    sums.insert(at, sum);
                }
                entries = sums.into_iter().collect();
            }
            entries.sort_by_cached_key(|(at, _)| numbers(at, 0));
        }
        if is_unpadded {
            entries.retain(|(_, value)| !value.is_like(fill, 0.0));
        }
        let counted = self.levels.iter().find_map(|level| level.expr.counted());
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        let mut at_levels: Vec<(Vec<i64>, Number)> = Vec::new();
        for (at, value) in &entries {
            let count = counted.map_or(0, |dimension| {
                let count = counts.entry(at[dimension]).or_default();
                *count += 1;
                *count - 1
            });
            at_levels.push((numbers(at, count), *value));
        }
        if counted.is_some() {
            at_levels.sort_by(|a, b| a.0.cmp(&b.0));
        }
        let largest = |l: usize| {
            let numbers = at_levels.iter().map(|(numbers, _)| numbers[l]);
            numbers.max().map_or(0, |most| most as usize + 1)
        };
        let axes = self.axes(shape, largest)?;
        let mut arrays = Arrays::new();
        let mut above = vec![(0, (0..at_levels.len()).collect::<Vec<_>>())];
        let mut count = 1;
        for (l, level) in self.levels.iter().enumerate() {
            let mut children = Vec::new();
            for (parent, entries) in above {
                let groups = self.groups(l, &at_levels, entries, &mut freedom);
                let child = |group: Vec<usize>| {
                    let number = at_levels[group[0]].0[l];
                    Child { parent, number, entries: group }
                };
                children.extend(groups.into_iter().map(child));
            }
            let level = (l, level);
            let (positions, all) =
                lay_out(level, axes[l], count, &children, &mut arrays, &mut freedom)?;
            count = Some(all).filter(|count| *count <= LARGEST)?;
            let nodes = positions.into_iter().zip(children);
            above = nodes.map(|(position, child)| (position, child.entries)).collect();
            above.sort_by_key(|(position, _)| *position);
        }
        let mut vals = vec![convert(fill, dtype).ok()?; count];
        if is_free {
            let walk = self.walk(shape, &arrays).ok()?;
            vals = vec![convert(GARBAGE, dtype).ok()?; count];
            walk.entries.iter().for_each(|(_, position)| vals[*position] = fill);
        }
        for (position, entries) in above {
            let [entry] = entries[..] else { return None };
            vals[position] = at_levels[entry].1;
        }
        self.look(shape, arrays, vals, dtype).ok()
    }

    /// Groups the entries below one parent; each group becomes a node.
    fn groups(
        &self,
        l: usize,
        entries: &[(Vec<i64>, Number)],
        below: Vec<usize>,
        freedom: &mut Option<&mut Random>,
    ) -> Vec<Vec<usize>> {
        let level = &self.levels[l];
        let branchless =
            self.levels[l + 1..].iter().take_while(|level| level.kind.is_branchless()).count();
        let end = if level.unique { l + 1 } else { l + 1 + branchless };
        // Duplicates that are stored down to the values each get a node.
        let is_last = end == self.levels.len();
        let repeats = is_last && self.levels[l..].iter().all(|level| !level.unique);
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for entry in below {
            let same = groups.last().filter(|group| {
                let before = &entries[group[0]].0;
                !repeats && before[l..end] == entries[entry].0[l..end]
            });
            match same {
                Some(_) => groups.last_mut().into_iter().for_each(|group| group.push(entry)),
                None => groups.push(vec![entry]),
            }
        }
        let Some(random) = freedom else { return groups };
        if !level.unique && !level.kind.is_branchless() {
            let halves = groups.into_iter().flat_map(|mut group| {
                let at = random.below(group.len());
                if at == 0 || random.chance(0.5) {
                    return vec![group];
                }
                let rest = group.split_off(at);
                vec![group, rest]
            });
            groups = halves.collect();
        }
        if !level.is_ordered() && level.kind != Kind::Hashed {
            // Entries with equal coordinates keep their order, which levels below may preserve.
            let mut numbers: Vec<i64> = groups.iter().map(|group| entries[group[0]].0[l]).collect();
            random.shuffle(&mut numbers);
            groups = numbers
                .into_iter()
                .filter_map(|number| {
                    let next = groups.iter().position(|group| {
                        group.first().is_some_and(|first| entries[*first].0[l] == number)
                    });
                    next.map(|next| std::mem::take(&mut groups[next]))
                })
                .collect();
        }
        groups
    }
}
