//! Operands and results in another format, where no loops suit those that were asked for.
//!
//! An operand that can be reached in no order of the loops is brought into a plain format first: one
//! that iterates its modes in the order that the loops want. A result whose levels cannot be
//! assembled, or not in this order, is assembled in a plain format and packed afterwards; one that
//! takes entries in any order serves all loops.

use crate::format::{Format, at_random, plain, unordered};
use crate::level::Levels;
use crate::notation::{Access, Assignment, Converted, Kernel, Place, Tensor, TensorId, TensorRole};

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
        // Its extents are asked for as before.
        for other in gathered.accesses.iter_mut().filter(|other| *other == access) {
            other.tensor = into;
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

/// How many conversions of a kernel are tried at most.
const TRIED: usize = 400;

/// The ways to convert tensors of a kernel, those that convert fewer first.
pub fn conversions(kernel: &Kernel, levels: &Levels) -> Vec<Conversion> {
    let mut reads: Vec<Access> = Vec::new();
    kernel.assignment.value.for_each_access(&mut |access| {
        let is_passed = kernel.predicate(access.tensor).is_none();
        if is_passed && !reads.contains(access) && !is_at_random(kernel, access) {
            reads.push(access.clone());
        }
    });
    let mut found = Vec::new();
    for packs in [false, true] {
        let results: Vec<Option<Format>> = if packs {
            let result = kernel.tensor(kernel.result());
            if kernel.packed.is_some() || is_at_random(kernel, &kernel.assignment.result) {
                continue;
            }
            let format = &result.format;
            let unordered = unordered(format, levels);
            plain_formats(format, levels).into_iter().chain(unordered).map(Some).collect()
        } else {
            vec![None]
        };
        for chosen in 0..1_usize << reads.len().min(8) {
            if !packs && chosen == 0 {
                continue;
            }
            let chosen: Vec<&Access> = reads
                .iter()
                .enumerate()
                .filter(|(k, _)| chosen & 1 << k != 0)
                .map(|(_, a)| a)
                .collect();
            for result in &results {
                for formats in products(kernel, &chosen, levels) {
                    found.push(convert(kernel, &chosen, formats, result.as_ref()));
                }
            }
        }
    }
    found.sort_by_key(Conversion::count);
    found.truncate(TRIED);
    found
}

/// Whether every level of a tensor can be located, so that the loops may come in any order.
fn is_at_random(kernel: &Kernel, access: &Access) -> bool {
    let levels = &kernel.tensor(access.tensor).format.levels;
    levels.iter().all(|spec| spec.level.locate().is_some() && spec.properties.full)
}

/// Every choice of a plain format for each access.
fn products(kernel: &Kernel, accesses: &[&Access], levels: &Levels) -> Vec<Vec<Format>> {
    accesses.iter().fold(vec![Vec::new()], |chosen: Vec<Vec<Format>>, access| {
        let formats = plain_formats(&kernel.tensor(access.tensor).format, levels);
        let with = |before: &Vec<Format>| {
            let before = before.clone();
            formats
                .clone()
                .into_iter()
                .map(move |format| before.iter().cloned().chain([format]).collect::<Vec<_>>())
        };
        chosen.iter().flat_map(with).take(TRIED).collect()
    })
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
            .take(TRIED)
            .collect();
    }
    all
}

fn convert(
    kernel: &Kernel,
    accesses: &[&Access],
    formats: Vec<Format>,
    result: Option<&Format>,
) -> Conversion {
    let mut kernel = kernel.clone();
    for (access, format) in accesses.iter().zip(formats) {
        let into = into(&mut kernel, access.tensor, format, false);
        let instead = Access { tensor: into, indices: access.indices.clone() };
        let swap = |other: &Access| {
            (other == *access).then(|| crate::notation::Expr::Access(instead.clone()))
        };
        let Assignment { result, value } = kernel.assignment;
        kernel.assignment = Assignment { result, value: value.substitute(&swap) };
        for other in kernel.accesses.iter_mut().filter(|other| *other == *access) {
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
