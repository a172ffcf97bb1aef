//! Checks of arguments: slices are within their modes, extents agree, and products of extents are
//! not too large.

use std::collections::BTreeMap;

use super::signature::given_extent;
use crate::ir::{
    Check, Demand, Element, Expr, Function, Instruction, Mode, Operand, Part, Reads, Result, Size,
    Source, Width,
};

/// The elements of lists of coordinates.
pub(super) const COORDINATE: Element = Element::Index(Width::Usize);

/// Returns all checks that precede the loops of a statement.
pub(super) fn all(function: &Function) -> Vec<Instruction> {
    let mut checks = of_parts(function);
    let agree = function.sizes.iter().filter(|size| must_agree(size, function));
    checks.extend(agree.map(|size| Instruction::Check(agreement(function, size))));
    checks.extend(function.sizes.iter().filter_map(|size| choice(function, size)));
    let demands = function.demands();
    checks.extend(demands.into_iter().map(|demand| Instruction::Check(room(function, demand))));
    checks
}

/// Returns the checks that all slices are within their modes.
pub(super) fn of_parts(function: &Function) -> Vec<Instruction> {
    let check = |part: &Part| {
        let mode = mode(function, part.of, part.mode)?;
        let check = match &part.reads {
            Reads::At(at) => Check::Index { mode, at: at.value() },
            Reads::Range { start, end, .. } => {
                Check::Slice { mode, start: start.value(), end: end.value() }
            }
            Reads::Listed(list) => Check::Indices { mode, list: list.clone() },
        };
        Some(Instruction::Check(check))
    };
    function.parts.iter().filter_map(check).collect()
}

/// Returns the checks that must precede the computation of the extents of results, in terms of the
/// shapes of earlier results.
pub(super) fn before_shapes(
    function: &Function,
    shapes: &BTreeMap<&str, Vec<Expr>>,
) -> Vec<Instruction> {
    let known = |extent: &Expr| {
        let Expr::Extent(of, mode) = extent else { return None };
        shapes.get(&**of)?.get(*mode).cloned()
    };
    let with_known = |mut instruction: Instruction| {
        if let Instruction::Check(
            Check::Index { mode, .. } | Check::Slice { mode, .. } | Check::Indices { mode, .. },
        ) = &mut instruction
            && let Some(extent) = known(&mode.extent)
        {
            mode.extent = extent;
        }
        instruction
    };

    let mut sizes = function.results().flat_map(|result| &result.shape);
    let depends = sizes.any(|size| {
        let part = part(function, &function.sizes[*size]);
        part.is_some_and(|part| part.arguments().next().is_some())
    });
    if !depends {
        return Vec::new();
    }
    of_parts(function).into_iter().map(with_known).collect()
}

/// Returns the checks that elements that serve as coordinates are within the mode that they index.
/// `read` returns the name of the tensor whose elements the loops read.
pub(super) fn of_gathers(
    function: &Function,
    read: impl Fn(Source) -> Option<String>,
) -> Vec<Instruction> {
    let checks = function.gathers.iter().filter_map(|gather| {
        let mode = mode(function, gather.of, gather.mode)?;
        let by = tensor(function, gather.by)?.0.to_owned();
        let check = Check::Gather { mode, by, tensor: read(gather.by)? };
        Some(Instruction::Check(check))
    });
    checks.collect()
}

/// Returns the slice that defines a size, if there is one.
pub(super) fn part<'f>(function: &'f Function, size: &Size) -> Option<&'f Part> {
    let part = size.parts.first().filter(|_| size.constant.is_none() && size.operands.is_empty());
    part.map(|part| &function.parts[*part])
}

/// Returns whether several modes, or a mode and a constant, must have the same extent.
pub(super) fn must_agree(size: &Size, function: &Function) -> bool {
    let is_fixed = |part: &&Part| part.arguments().next().is_none();
    let (fixed, free): (Vec<_>, Vec<_>) =
        size.parts.iter().map(|part| &function.parts[*part]).partition(is_fixed);
    // Slices of constant extent have been compared with each other, and with the constant.
    let known = usize::from(!fixed.is_empty() && size.constant.is_none());
    let modes = size.operands.len() + size.result.len() + free.len() + known;
    modes >= if size.constant.is_some() { 1 } else { 2 }
}

/// Returns the name of a tensor in messages, and the name of its argument.
pub(super) fn tensor(function: &Function, of: Source) -> Option<(&str, &str)> {
    match (of, &function.result) {
        (Source::Operand(operand), _) => match &function.operands[operand] {
            Operand::Tensor(tensor) => Some((&tensor.tensor, &tensor.name)),
            Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => None,
        },
        (Source::Result, Result::Tensor(result)) => Some((&result.tensor, &result.name)),
        (Source::Result, Result::Scalar { .. }) => None,
    }
}

fn mode(function: &Function, of: Source, mode: usize) -> Option<Mode> {
    let (tensor, argument) = tensor(function, of)?;
    let extent = Expr::Extent(argument.to_owned(), mode);
    Some(Mode { tensor: tensor.to_owned(), mode, extent })
}

/// Returns the check that all modes of a variable have the same extent.
fn agreement(function: &Function, size: &Size) -> Check {
    let operands = size.operands.iter();
    let of_operands = operands.filter_map(|(k, at)| mode(function, Source::Operand(*k), *at));
    let of_parts = size.parts.iter().map(|part| {
        let part = &function.parts[*part];
        Mode { tensor: part.access.clone(), mode: part.mode, extent: part.extent() }
    });
    let of_result = size.result.iter().filter_map(|at| mode(function, Source::Result, *at));
    let modes = of_operands.chain(of_parts).chain(of_result).collect();
    let variable = size.variable.clone();
    match size.constant {
        Some(extent) => Check::Demand { variable, extent, modes },
        None => Check::Agree { variable, modes },
    }
}

fn choice(function: &Function, size: &Size) -> Option<Instruction> {
    let reduction = size.chosen_from.clone()?;
    let (variable, extent) = (size.variable.clone(), given_extent(function, size, false)?);
    Some(Instruction::Check(Check::Choice { reduction, variable, extent }))
}

fn room(function: &Function, Demand { factors, element }: Demand) -> Check {
    let of_arguments = |factor: Expr| {
        function.sizes.iter().fold(factor, |factor, size| {
            match given_extent(function, size, false).filter(|_| factor.mentions(&size.name)) {
                Some(extent) => factor.substitute(&size.name, &extent),
                None => factor,
            }
        })
    };
    Check::Room { factors: factors.into_iter().map(of_arguments).collect(), element }
}
