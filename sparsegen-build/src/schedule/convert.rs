//! Operands and results in another format, where no loops suit those that were asked for.
//!
//! An operand that can be reached in no order of the loops is brought into a plain format first: one
//! that iterates its modes in the order that the loops want. A result whose levels cannot be
//! assembled, or not in this order, is assembled in a plain format and packed afterwards; one that
//! takes entries in any order serves all loops.

use crate::format::{Format, LevelExpr, LevelSpec, at_random, plain, unordered};
use crate::level::Levels;
use crate::limits::{CONVERSIONS, CONVERTIBLE};
use crate::notation::{
    Access, Assignment, Converted, Kernel, Place, Tensor, TensorId, TensorRole, VariableId,
    VariableRole,
};

/// A kernel with tensors converted.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The kernel that the loops compute, with the tensors in other formats.
    pub kernel: Kernel,
    /// The format that the result is packed into afterwards.
    pub packed: Option<Format>,
}

impl Conversion {
    /// The kernel as it is.
    pub fn none(kernel: &Kernel) -> Conversion {
        Conversion { kernel: kernel.clone(), packed: kernel.packed.clone() }
    }

    /// How many tensors are converted that need not be.
    pub fn count(&self) -> usize {
        let chosen = self.kernel.converted().filter(|(_, converted)| !converted.for_lookup);
        chosen.count() + usize::from(self.packed.is_some())
    }
}

/// The kernel with the tensors whose elements are coordinates in a format in which any element can be
/// looked up.
pub(super) fn gathered(kernel: &Kernel, levels: &Levels) -> Kernel {
    let mut gathered = kernel.clone();
    for place in 0..kernel.places.len() {
        let Place::Element(access) = &kernel.places[place] else { continue };
        if is_at_random(kernel, access) {
            continue;
        }
        let Some(format) = at_random(&kernel.tensor(access.tensor).format, levels) else {
            continue;
        };
        let into = into(&mut gathered, access.tensor, format, true);
        gathered.places[place] = Place::Element(Access { tensor: into, ..access.clone() });
        let instead = Access { tensor: into, ..access.clone() };
        let mut is_value = false;
        kernel.assignment.value.for_each_access(&mut |read| is_value |= read == access);
        if is_value {
            gathered.accesses.push(instead);
            continue;
        }
        // Its extents are asked for as before.
        for other in gathered.accesses.iter_mut().filter(|other| *other == access) {
            *other = instead.clone();
        }
    }
    gathered
}

/// The tensor that stands for another one in a format, which is added if there is none yet.
fn into(kernel: &mut Kernel, of: TensorId, format: Format, for_lookup: bool) -> TensorId {
    let mut before = kernel.converted();
    let is_same = |(into, converted): &(TensorId, Converted)| {
        converted.of == of && kernel.tensor(*into).format.name == format.name
    };
    if let Some((same, _)) = before.find(is_same) {
        return same;
    }
    drop(before);
    let tensor = kernel.tensor(of);
    let name = format.name.clone().unwrap_or_default();
    let argument = format!("{}_{name}", tensor.argument.trim_start_matches("r#"));
    let role = TensorRole::Converted(Converted { of, for_lookup });
    kernel.tensors.push(Tensor { argument, format, role, ..tensor.clone() });
    TensorId(kernel.tensors.len() - 1)
}

/// The ways to convert tensors of a kernel, those that convert fewer first.
pub fn conversions(kernel: &Kernel, levels: &Levels) -> Vec<Conversion> {
    let mut reads: Vec<Access> = Vec::new();
    kernel.assignment.value.for_each_access(&mut |access| {
        let is_passed = kernel.predicate(access.tensor).is_none();
        if is_passed && !reads.contains(access) && !is_at_random(kernel, access) {
            reads.push(access.clone());
        }
    });
    reads.truncate(CONVERTIBLE);
    let formats_of = |access: &Access| plain_formats(&kernel.tensor(access.tensor).format, levels);
    let formats: Vec<Vec<Format>> = reads.iter().map(formats_of).collect();
    let mut ways = Ways { kernel, reads: &reads, formats: &formats, by_count: Vec::new() };
    // The ways are limited in number: none of them keeps a result that cannot be assembled.
    if super::refuse_result(kernel).is_ok() {
        ways.add(None);
    }
    if kernel.packed.is_none() && !is_at_random(kernel, &kernel.assignment.result) {
        let format = &kernel.tensor(kernel.result()).format;
        let mut results = plain_formats(format, levels);
        results.extend(unordered(format, levels));
        ways.add(Some(&results));
    }
    let ways = ways.by_count.into_iter().flatten().take(CONVERSIONS);
    ways.map(|way| {
        let chosen = way.chosen.into_iter().map(|(k, format)| (&reads[k], &formats[k][format]));
        convert(kernel, chosen, way.result.as_ref())
    })
    .collect()
}

/// The formats that tensors are brought into.
struct Way {
    /// Of each access, by its place among those that are read: the place of its format.
    chosen: Vec<(usize, usize)>,
    result: Option<Format>,
}

/// The ways to convert tensors that are found so far.
struct Ways<'k> {
    kernel: &'k Kernel,
    reads: &'k [Access],
    /// The formats that each of the accesses may be brought into.
    formats: &'k [Vec<Format>],
    /// By how many tensors are converted; of each number no more ways than can be tried.
    by_count: Vec<Vec<Way>>,
}

impl Ways<'_> {
    /// Adds every choice of accesses and of their formats, each with every format of the result.
    fn add(&mut self, results: Option<&[Format]>) {
        let packs = usize::from(results.is_some());
        for set in 0..1_usize << self.reads.len() {
            let members: Vec<usize> = (0..self.reads.len()).filter(|k| set & 1 << k != 0).collect();
            let (least, most) = (self.least(&members) + packs, members.len() + packs);
            self.by_count.resize_with(self.by_count.len().max(most + 1), Vec::new);
            for k in 0..results.map_or(1, <[Format]>::len) {
                if self.by_count[least..=most].iter().all(|ways| ways.len() >= CONVERSIONS) {
                    break;
                }
                for nth in 0..CONVERSIONS {
                    let Some(chosen) = self.choice(&members, nth) else { break };
                    let count = self.count(&chosen) + packs;
                    if most > 0 && self.by_count[count].len() < CONVERSIONS {
                        let result = results.map(|results| results[k].clone());
                        self.by_count[count].push(Way { chosen, result });
                    }
                }
            }
        }
    }

    /// The fewest tensors that are converted for some accesses: those of one tensor may share one, and
    /// one that is converted in any case.
    fn least(&self, members: &[usize]) -> usize {
        let mut tensors: Vec<TensorId> = members.iter().map(|k| self.reads[*k].tensor).collect();
        tensors.sort_unstable();
        tensors.dedup();
        let is_new = |of: &TensorId| self.kernel.converted().all(|(_, known)| known.of != *of);
        tensors.iter().filter(|of| is_new(of)).count()
    }

    /// One of the choices of a format for each of some accesses, if there are so many. The format of
    /// the last changes fastest.
    fn choice(&self, members: &[usize], nth: usize) -> Option<Vec<(usize, usize)>> {
        let mut left = nth;
        let mut chosen = Vec::new();
        for k in members.iter().rev() {
            let count = self.formats[*k].len();
            if count == 0 {
                return None;
            }
            chosen.push((*k, left % count));
            left /= count;
        }
        chosen.reverse();
        (left == 0).then_some(chosen)
    }

    /// How many tensors are converted for a choice, beside those that are in any case.
    fn count(&self, chosen: &[(usize, usize)]) -> usize {
        let named = |(k, format): &(usize, usize)| {
            (self.reads[*k].tensor, self.formats[*k][*format].name.as_deref())
        };
        let is_new = |(n, choice): &(usize, &(usize, usize))| {
            let (of, name) = named(choice);
            let is_same = |(into, known): (TensorId, Converted)| {
                known.of == of && self.kernel.tensor(into).format.name.as_deref() == name
            };
            !chosen[..*n].iter().any(|other| named(other) == (of, name))
                && !self.kernel.converted().any(is_same)
        };
        chosen.iter().enumerate().filter(is_new).count()
    }
}

/// The most orders of the loops for which [`by_order`] converts tensors.
const ORDERS: usize = 60;

/// Converts tensors to suit an order of the loops, for each of several orders: first the operands that
/// do not suit it, then all. The result stays as it is or lists its entries. An order that suits all
/// tensors exists among these conversions where the reductions allow it.
pub fn by_order(kernel: &Kernel, levels: &Levels) -> Vec<Conversion> {
    let result = &kernel.assignment.result;
    let mut reads: Vec<Access> = Vec::new();
    kernel.assignment.value.for_each_access(&mut |access| {
        if kernel.predicate(access.tensor).is_none() && !reads.contains(access) {
            reads.push(access.clone());
        }
    });
    reads.retain(|access| !is_at_random(kernel, access));
    // The result's variables stand outside of others, in the order in which it stores them.
    let mut variables: Vec<VariableId> = Vec::new();
    let stored = kernel.tensor(result.tensor).format.levels.iter();
    let modes = stored.flat_map(|spec| spec.expr.modes());
    let preferred = modes.map(|mode| counted(kernel, result.indices[mode]));
    let all = (0..kernel.variables.len()).map(VariableId);
    for v in preferred.chain(all.filter(|v| kernel.variable(*v).role == VariableRole::Index)) {
        if !variables.contains(&v) {
            variables.push(v);
        }
    }
    let list = unordered(&kernel.tensor(result.tensor).format, levels);
    let lists = kernel.packed.is_none() && !is_at_random(kernel, result);
    let list = list.filter(|_| lists);
    let mut found = Vec::new();
    for order in permutations(variables.len()).into_iter().take(ORDERS) {
        let rank = |v: VariableId| {
            rank(kernel, v, &|v| {
                order.iter().position(|place| variables[*place] == v).unwrap_or_default()
            })
        };
        let suits = |access: &&Access| {
            let spec = |spec: &LevelSpec| match spec.expr {
                LevelExpr::Dimension(mode) => Some(rank(access.indices[mode])),
                LevelExpr::Div(..)
                | LevelExpr::Mod(..)
                | LevelExpr::Sub(..)
                | LevelExpr::Add(..)
                | LevelExpr::Count(_) => None,
            };
            let ranks: Option<Vec<_>> =
                kernel.tensor(access.tensor).format.levels.iter().map(spec).collect();
            ranks.is_some_and(|ranks| ranks.is_sorted())
        };
        let unsuited: Vec<&Access> = reads.iter().filter(|access| !suits(access)).collect();
        for chosen in [unsuited, reads.iter().collect()] {
            let format = |access: &&Access| {
                let mut modes: Vec<usize> = (0..access.indices.len()).collect();
                modes.sort_by_key(|mode| rank(access.indices[*mode]));
                plain(&kernel.tensor(access.tensor).format, &modes, levels).into_iter().next()
            };
            let Some(formats) = chosen.iter().map(format).collect::<Option<Vec<_>>>() else {
                continue;
            };
            for result in [None, list.as_ref()] {
                if result.is_some() || list.is_none() || suits(&&kernel.assignment.result) {
                    let pairs = chosen.iter().copied().zip(formats.iter());
                    found.push(convert(kernel, pairs, result));
                }
            }
        }
    }
    found
}

/// The variable by whose loop a mode is read, or part of it.
fn counted(kernel: &Kernel, v: VariableId) -> VariableId {
    kernel.variable(v).role.slice().map_or(v, |slice| slice.of)
}

/// The place of a mode's variable among the loops; a coordinate that follows from several is known
/// behind all of them.
fn rank(kernel: &Kernel, v: VariableId, of_loop: &dyn Fn(VariableId) -> usize) -> usize {
    match kernel.variable(v).role {
        VariableRole::Mode(slice) if slice.place().is_some() => usize::MAX,
        VariableRole::Mode(slice) => rank(kernel, slice.of, of_loop),
        VariableRole::Fixed => 0,
        VariableRole::Index | VariableRole::Scheduled | VariableRole::Stored => of_loop(v),
    }
}

/// Whether every level of a tensor can be located, so that the loops may come in any order.
fn is_at_random(kernel: &Kernel, access: &Access) -> bool {
    let levels = &kernel.tensor(access.tensor).format.levels;
    levels.iter().all(|spec| spec.level.locate().is_some() && spec.properties.full)
}

/// The plain formats for a tensor, in every order of its modes.
fn plain_formats(format: &Format, levels: &Levels) -> Vec<Format> {
    permutations(format.order()).iter().flat_map(|modes| plain(format, modes, levels)).collect()
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .into_iter()
            .flat_map(|start| {
                (0..count)
                    .filter(|next| !start.contains(next))
                    .map(|next| start.iter().copied().chain([next]).collect::<Vec<_>>())
                    .collect::<Vec<_>>()
            })
            .take(CONVERSIONS)
            .collect();
    }
    all
}

fn convert<'f>(
    kernel: &Kernel,
    chosen: impl Iterator<Item = (&'f Access, &'f Format)>,
    result: Option<&Format>,
) -> Conversion {
    let mut kernel = kernel.clone();
    for (access, format) in chosen {
        let into = into(&mut kernel, access.tensor, format.clone(), false);
        let instead = Access { tensor: into, indices: access.indices.clone() };
        let swap = |other: &Access| {
            (other == access).then(|| crate::notation::Expr::Access(instead.clone()))
        };
        let Assignment { result, value } = kernel.assignment;
        kernel.assignment = Assignment { result, value: value.substitute(&swap) };
        for other in kernel.accesses.iter_mut().filter(|other| *other == access) {
            *other = instead.clone();
        }
    }
    let packed = result.map(|format| {
        let id = kernel.result();
        std::mem::replace(&mut kernel.tensors[id.0].format, format.clone())
    });
    let packed = packed.or_else(|| kernel.packed.clone());
    Conversion { kernel, packed }
}
