//! Operands and results in another format, where no loops suit those that were asked for.
//!
//! An operand that can be reached in no order of the loops is brought into a plain format first: one
//! that iterates its modes in the order that the loops want. A result whose levels cannot be
//! assembled, or not in this order, is assembled in a plain format and packed afterwards; one that
//! takes entries in any order serves all loops.

use crate::format::{Format, plain, unordered};
use crate::level::Levels;
use crate::notation::{Access, Assignment, Kernel, Tensor, TensorId};

/// An operand in another format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// The operand.
    pub of: TensorId,
    /// The tensor that the loops read in its stead.
    pub into: TensorId,
}

/// A kernel with tensors converted.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The kernel that the loops compute; tensors in other formats stand behind the declared ones.
    pub kernel: Kernel,
    pub converted: Vec<Converted>,
    /// The format that the result is packed into afterwards.
    pub packed: Option<Format>,
}

impl Conversion {
    /// The kernel as it is.
    pub fn none(kernel: &Kernel) -> Conversion {
        let packed = kernel.packed.clone();
        Conversion { kernel: kernel.clone(), converted: Vec::new(), packed }
    }

    /// How many tensors are converted.
    pub fn count(&self) -> usize {
        self.converted.len() + usize::from(self.packed.is_some())
    }
}

/// How many conversions of a kernel are tried at most.
const TRIED: usize = 400;

/// The ways to convert tensors of a kernel, those that convert fewer first.
pub fn conversions(kernel: &Kernel, levels: &Levels) -> Vec<Conversion> {
    let mut reads: Vec<Access> = Vec::new();
    kernel.assignment.value.for_each_access(&mut |access| {
        if !reads.contains(access) && !is_at_random(kernel, access) {
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
    let mut converted: Vec<Converted> = Vec::new();
    for (access, format) in accesses.iter().zip(formats) {
        let of = kernel.tensor(access.tensor);
        let name = format.name.clone().unwrap_or_default();
        let tensor = Tensor {
            name: of.name.clone(),
            argument: format!("{}_{name}", of.argument.trim_start_matches("r#")),
            format,
            ..of.clone()
        };
        let same = converted.iter().find(|before| {
            before.of == access.tensor
                && kernel.tensor(before.into).format.name == tensor.format.name
        });
        let into = match same {
            Some(before) => before.into,
            None => {
                kernel.tensors.push(tensor);
                let into = TensorId(kernel.tensors.len() - 1);
                converted.push(Converted { of: access.tensor, into });
                into
            }
        };
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
    Conversion { kernel, converted, packed }
}
