//! Format conversion of operands and results, if no loop order can traverse or assemble the
//! declared formats.
//!
//! An operand that no loop order can traverse is first converted to a plain format, which iterates
//! its modes in the order of the loops. A result whose levels cannot be assembled, or not in this
//! order, is assembled in a plain format and packed afterwards; an unordered format suits all
//! loops.

mod order;

use std::sync::Arc;

use crate::format::{Format, at_random, plain, unordered};
use crate::level::Levels;
use crate::limits::{CONVERSIONS, CONVERTIBLE};
use crate::notation::{
    Access, Assignment, Converted, Kernel, Slice, Subscript, Tensor, TensorId, TensorRole,
    VariableId, VariableRole,
};

pub use order::by_order;

/// A kernel with converted tensors.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The kernel that the loops compute, with the tensors in other formats.
    pub kernel: Kernel,
    /// The format into which the result is packed afterwards.
    pub packed: Option<Arc<Format>>,
}

impl Conversion {
    /// Returns the kernel without conversions.
    pub fn none(kernel: &Kernel) -> Conversion {
        Conversion { kernel: kernel.clone(), packed: kernel.packed.clone() }
    }

    /// Returns the number of conversions that are not required.
    pub fn count(&self) -> usize {
        let chosen = self.kernel.converted().filter(|(_, converted)| !converted.for_lookup);
        chosen.count() + usize::from(self.packed.is_some())
    }
}

/// Returns the kernel with lookup formats for the tensors whose elements are coordinates.
pub(super) fn gathered(kernel: &Kernel, levels: &Levels) -> Kernel {
    let mut gathered = kernel.clone();
    for (mode, slice) in kernel.slices() {
        let Some(access) = slice.at.element() else { continue };
        if is_at_random(kernel, access) {
            continue;
        }
        let Some(format) = at_random(&kernel.tensor(access.tensor).format, levels) else {
            continue;
        };
        let into = into(&mut gathered, access.tensor, format, true);
        let instead = Access { tensor: into, ..access.clone() };
        let at = Subscript::Element(instead.clone());
        gathered.variables[mode.0].role = VariableRole::Mode(Slice { at, ..slice.clone() });
        let mut is_value = false;
        kernel.assignment.value.for_each_access(&mut |read| is_value |= read == access);
        if is_value {
            gathered.accesses.push(instead);
            continue;
        }
        // The kernel reads its extents as before.
        for other in gathered.accesses.iter_mut().filter(|other| *other == access) {
            *other = instead.clone();
        }
    }
    gathered
}

/// Returns the conversion of a tensor to a format, which is added if it does not exist.
fn into(kernel: &mut Kernel, of: TensorId, format: Arc<Format>, for_lookup: bool) -> TensorId {
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
    let argument = format!("{}_{name}", crate::names::plain(&tensor.argument));
    let role = TensorRole::Converted(Converted { of, for_lookup });
    kernel.tensors.push(Tensor { argument, format, role, ..tensor.clone() });
    TensorId(kernel.tensors.len() - 1)
}

/// Returns the possible conversions of a kernel, those of fewer tensors first.
pub fn conversions(kernel: &Kernel, levels: &Levels) -> impl Iterator<Item = Conversion> {
    let mut reads: Vec<Access> = Vec::new();
    kernel.assignment.value.for_each_access(&mut |access| {
        let is_passed = !kernel.is_made(access.tensor);
        if is_passed && !reads.contains(access) && !is_at_random(kernel, access) {
            reads.push(access.clone());
        }
    });
    reads.truncate(CONVERTIBLE);
    let formats_of = |access: &Access| plain_formats(kernel, access, levels);
    let formats: Vec<Vec<Arc<Format>>> = reads.iter().map(formats_of).collect();
    let mut choices = Choices { kernel, reads: &reads, formats: &formats, by_count: Vec::new() };
    let format = &kernel.tensor(kernel.result()).format;
    // The number of choices is limited, so none keeps a result that cannot be assembled.
    choices.add(&outputs(kernel));
    if kernel.packed.is_none() && !is_at_random(kernel, &kernel.assignment.result) {
        // One that accepts every order comes first, as the budget may end the search.
        let mut results: Vec<_> = unordered(format, levels).into_iter().collect();
        results.extend(plain_formats(kernel, &kernel.assignment.result, levels));
        choices.add(&results.into_iter().map(Output::Packed).collect::<Vec<_>>());
    }
    // Few of them are tried: a result in its own format, assembled in order, is the most likely.
    choices.by_count.iter_mut().for_each(|choices| choices.sort_by_key(|of| of.result.rank()));
    let choices = choices.by_count.into_iter().flatten().take(CONVERSIONS);
    choices.map(move |choice| {
        let chosen = choice.chosen.into_iter().map(|(k, format)| (&reads[k], &formats[k][format]));
        convert(kernel, chosen, &choice.result)
    })
}

/// A choice of formats.
struct Choice {
    /// The converted accesses, as indices, each with the index of its format.
    chosen: Vec<(usize, usize)>,
    result: Output,
}

/// The format in which the loops assemble the result.
#[derive(Clone, Debug)]
enum Output {
    /// Its own format.
    Own,
    /// Its own format, assembled in another way: with a level whose coordinates come in any order,
    /// or in two passes.
    Otherwise(Arc<Format>),
    /// Another format, from which it is packed.
    Packed(Arc<Format>),
}

impl Output {
    /// Returns the place in the order in which choices are tried.
    fn rank(&self) -> usize {
        match self {
            Output::Own => 0,
            Output::Otherwise(_) => 1,
            Output::Packed(_) => 2,
        }
    }
}

/// Returns the ways to assemble the result in its own format.
fn outputs(kernel: &Kernel) -> Vec<Output> {
    let own = super::refuse_result(kernel).is_ok().then_some(Output::Own);
    let otherwise = super::in_any_order(kernel).chain(super::in_two_passes(kernel));
    let otherwise = otherwise.map(|conversion| {
        let kernel = &conversion.kernel;
        Output::Otherwise(Arc::clone(&kernel.tensor(kernel.result()).format))
    });
    own.into_iter().chain(otherwise).collect()
}

/// The choices of formats found so far.
struct Choices<'k> {
    kernel: &'k Kernel,
    reads: &'k [Access],
    /// The candidate formats of each access.
    formats: &'k [Vec<Arc<Format>>],
    /// The choices by number of converted tensors, at most as many of each as can be tried.
    by_count: Vec<Vec<Choice>>,
}

impl Choices<'_> {
    /// Adds every choice of accesses and formats, with every format of the result; all or none of
    /// these are packed.
    fn add(&mut self, results: &[Output]) {
        let packs = usize::from(matches!(results, [Output::Packed(_), ..]));
        for set in 0..1_usize << self.reads.len() {
            let members: Vec<usize> = (0..self.reads.len()).filter(|k| set & 1 << k != 0).collect();
            let (least, most) = (self.least(&members) + packs, members.len() + packs);
            self.by_count.resize_with(self.by_count.len().max(most + 1), Vec::new);
            for result in results {
                if self.by_count[least..=most].iter().all(|choices| choices.len() >= CONVERSIONS) {
                    break;
                }
                for nth in 0..CONVERSIONS {
                    let Some(chosen) = self.choice(&members, nth) else { break };
                    let count = self.count(&chosen) + packs;
                    if most > 0 && self.by_count[count].len() < CONVERSIONS {
                        let result = result.clone();
                        self.by_count[count].push(Choice { chosen, result });
                    }
                }
            }
        }
    }

    /// Returns the least number of conversions for some accesses: accesses of one tensor may share
    /// one, and required conversions are not counted.
    fn least(&self, members: &[usize]) -> usize {
        let mut tensors: Vec<TensorId> = members.iter().map(|k| self.reads[*k].tensor).collect();
        tensors.sort_unstable();
        tensors.dedup();
        let is_new = |of: &TensorId| self.kernel.converted().all(|(_, known)| known.of != *of);
        tensors.iter().filter(|of| is_new(of)).count()
    }

    /// Returns the `nth` choice of formats for some accesses, if there are that many. The format of
    /// the last access varies fastest.
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

    /// Returns the number of conversions of a choice, without required ones.
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

/// Returns the variable whose loop determines the coordinate of a mode: `i` for all modes of
/// `A[i,i,i]`. Returns the mode's own variable for a computed subscript.
fn determining(kernel: &Kernel, v: VariableId) -> VariableId {
    match kernel.variable(v).role.slice() {
        Some(slice) => slice.follows().map_or_else(
            || if slice.is_computed() { v } else { slice.of },
            |followed| determining(kernel, followed),
        ),
        None => v,
    }
}

/// Returns whether every level of a tensor can be located, so that any loop order is possible.
fn is_at_random(kernel: &Kernel, access: &Access) -> bool {
    let levels = &kernel.tensor(access.tensor).format.levels;
    levels.iter().all(|spec| spec.level.locate().is_some() && spec.properties.full)
}

/// Returns the plain formats of an accessed tensor, in every order of the variables that determine
/// its coordinates, without its own format.
pub(super) fn plain_formats(kernel: &Kernel, access: &Access, levels: &Levels) -> Vec<Arc<Format>> {
    let format = &kernel.tensor(access.tensor).format;
    let modes = leading_first(kernel, access);
    let variables: Vec<_> =
        modes.iter().map(|mode| determining(kernel, access.indices[*mode])).collect();
    let orders = orders(&variables).into_iter();
    let orders = orders.map(|order| order.into_iter().map(|k| modes[k]).collect::<Vec<_>>());
    let formats = orders.flat_map(|modes| plain(format, &modes, levels));
    formats.filter(|plain| !plain.is_same(format)).collect()
}

/// Returns the modes of an access, those that follow a variable of another mode last: they are
/// reached after it.
fn leading_first(kernel: &Kernel, access: &Access) -> Vec<usize> {
    let follows = |mode: &usize| {
        let slice = kernel.variable(access.indices[*mode]).role.slice();
        slice.is_some_and(|slice| slice.follows().is_some())
    };
    let (following, mut modes): (Vec<usize>, Vec<usize>) =
        (0..access.indices.len()).partition(follows);
    modes.extend(following);
    modes
}

/// Returns the orders of modes that differ in the order of variables. Modes with the same variable
/// follow one another.
fn orders(indices: &[VariableId]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..indices.len() {
        let longer = all.iter().flat_map(|start: &Vec<usize>| {
            let rest = (0..indices.len()).filter(|mode| !start.contains(mode));
            let is_last =
                |mode: &usize| start.last().is_some_and(|m| indices[*m] == indices[*mode]);
            let same = rest.clone().find(is_last);
            let is_first =
                |mode: &usize| rest.clone().all(|m| m >= *mode || indices[m] != indices[*mode]);
            let next = rest.clone().filter(|mode| same.map_or(is_first(mode), |m| m == *mode));
            next.map(|mode| [&start[..], &[mode]].concat()).collect::<Vec<_>>()
        });
        all = longer.take(CONVERSIONS).collect();
    }
    all
}

fn convert<'f>(
    kernel: &Kernel,
    chosen: impl Iterator<Item = (&'f Access, &'f Arc<Format>)>,
    result: &Output,
) -> Conversion {
    let mut kernel = kernel.clone();
    for (access, format) in chosen {
        let into = into(&mut kernel, access.tensor, Arc::clone(format), false);
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
    let own = kernel.result();
    let own = &mut kernel.tensors[own.0].format;
    let packed = match result {
        Output::Own => kernel.packed.clone(),
        Output::Otherwise(format) => {
            own.clone_from(format);
            kernel.packed.clone()
        }
        Output::Packed(format) => Some(std::mem::replace(own, Arc::clone(format))),
    };
    Conversion { kernel, packed }
}
