//! Types of arguments and results, and the extents that arguments define.

use std::collections::BTreeSet;

use super::checks::COORDINATE;
use crate::ir::{
    Assembly, Conversion, ConversionKind, Expr, Function, Operand, Parameter, Result, Size, Source,
    Step, TensorOperand, TensorResult, TensorType, Type,
};

/// Returns the parameter of a public function for an operand.
pub(super) fn parameter(operand: &Operand) -> Parameter {
    let Parameter { name, ty } = viewed(operand);
    let ty = if let Type::View(ty) = ty { Type::IntoView(ty) } else { ty };
    Parameter { name, ty }
}

/// Returns the parameter of a private function for an operand.
pub(super) fn viewed(operand: &Operand) -> Parameter {
    let ty = match operand {
        Operand::Tensor(tensor) => Type::View(operand_type(tensor)),
        Operand::Scalar { dtype, .. } => Type::Scalar(*dtype),
        Operand::Index { .. } => Type::Index,
        Operand::Indices { .. } => Type::Slice(COORDINATE),
    };
    Parameter { name: operand.name().to_owned(), ty }
}

/// Returns the parameter for a result.
pub(super) fn passed_parameter(step: &Step) -> Parameter {
    let ty = match &step.function.result {
        Result::Tensor(result) => Type::TensorMut(seen_type(result)),
        Result::Scalar { dtype, .. } => Type::ScalarMut(*dtype),
    };
    Parameter { name: step.result.clone(), ty }
}

pub(super) fn returned_type(result: &Result) -> Type {
    match result {
        Result::Tensor(result) => Type::Tensor(seen_type(result)),
        Result::Scalar { dtype, .. } => Type::Scalar(*dtype),
    }
}

pub(super) fn operand_type(tensor: &TensorOperand) -> TensorType {
    let TensorOperand { dtype, pattern, format, .. } = tensor;
    TensorType { dtype: *dtype, pattern: *pattern, format: format.clone() }
}

/// Returns the type of a result in the signature of public functions.
pub(super) fn seen_type(result: &TensorResult) -> TensorType {
    let format = result.packed.as_ref().unwrap_or(&result.format).clone();
    TensorType { format, ..computed_type(result) }
}

/// Returns the type of a result as the loops compute it.
pub(super) fn computed_type(result: &TensorResult) -> TensorType {
    TensorType { dtype: result.dtype, pattern: result.pattern, format: result.format.clone() }
}

/// Returns whether the loops compute a result in a separate tensor, because it is packed afterwards
/// or because they read its previous values.
pub(super) fn is_apart(function: &Function, result: &TensorResult) -> bool {
    let is_it = |conversion: &Conversion| match held(function, conversion) {
        Some(held) => held.name == result.name,
        None => false,
    };
    result.packed.is_some() || function.conversions.iter().any(is_it)
}

/// Returns the result that a conversion copies without changing its format.
pub(super) fn held<'f>(
    function: &'f Function,
    conversion: &Conversion,
) -> Option<&'f TensorResult> {
    match (conversion.of, &function.result) {
        (Source::Result, Result::Tensor(result)) => {
            (seen_type(result).format == conversion.into.format).then_some(result)
        }
        (Source::Result, Result::Scalar { .. }) | (Source::Operand(_), _) => None,
    }
}

/// Returns whether the loops only write to the values of the caller's tensor.
pub(super) fn is_in_place(function: &Function, result: &TensorResult) -> bool {
    matches!(result.assembly, Assembly::Computed { .. }) && !is_apart(function, result)
}

/// Returns whether the loops require values equal to the fill value.
pub(super) fn is_zeroed(result: &TensorResult) -> bool {
    matches!(result.assembly, Assembly::Computed { zeroed: true, .. })
}

/// Returns the extent of a variable, taken from the first argument that has it, or `None` if no
/// argument does. Within loops, converted operands replace the original ones.
pub(super) fn extent(function: &Function, size: &Size, within_loops: bool) -> Option<Expr> {
    let of_constant = size.constant.map(|extent| Expr::Index(extent as usize));
    of_constant.or_else(|| given_extent(function, size, within_loops))
}

/// Returns the extent of a variable, taken from the first argument that has it, even if it is
/// constant.
pub(super) fn given_extent(function: &Function, size: &Size, within_loops: bool) -> Option<Expr> {
    if let Some((operand, mode)) = size.operands.first() {
        let is_it = |conversion: &&Conversion| {
            conversion.of == Source::Operand(*operand) && conversion.kind == ConversionKind::Format
        };
        let converted = function.conversions.iter().find(is_it).filter(|_| within_loops);
        let name = match converted {
            Some(conversion) => &conversion.into.name,
            None => function.operands[*operand].name(),
        };
        return Some(Expr::Extent(name.to_owned(), *mode));
    }
    if let Some(part) = size.parts.first() {
        return Some(function.parts[*part].extent());
    }
    let (result, mode) = size.of_result?;
    match std::iter::once(&function.result).chain(&function.others).nth(result)? {
        Result::Tensor(result) => Some(Expr::Extent(result.name.clone(), mode)),
        Result::Scalar { .. } => None,
    }
}

/// Returns whether the loops read an extent that only the result defines.
pub(super) fn is_passed(size: &Size) -> bool {
    size.used && size.constant.is_none() && size.operands.is_empty() && size.parts.is_empty()
}

/// Returns the names that are in use around the loops.
pub(super) fn taken(function: &Function) -> BTreeSet<String> {
    // Each part of the loops has its own arrays.
    if function.parallel.is_some() {
        return function.names();
    }
    let operands = function.operands.iter().map(Operand::name);
    let sizes = function.sizes.iter().map(|size| size.name.as_str());
    let converted = function.conversions.iter().map(|conversion| conversion.into.name.as_str());
    let lists = function.parts.iter().filter_map(|part| part.list());
    let results = function.results().map(|result| result.name.as_str());
    let names = operands.chain(sizes).chain(converted).chain(lists).chain(results);
    names.chain(function.division.as_deref()).map(str::to_owned).collect()
}
