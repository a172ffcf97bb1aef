//! The arrays and numbers of tensors, by their names in the body.

use crate::concrete::Program;
use crate::format::LevelExpr;
use crate::ir::{Array, Element, Extent, Place};
use crate::level::{Holds, LIST, Storage, scratch};
use crate::notation::{Access, Listed, Predicate, Tensor, TensorId};

use super::extents;
use super::names::Names;

/// Returns the arrays of a tensor, in storage order, with the values last.
pub(super) fn arrays(program: &Program, names: &Names, id: TensorId) -> Vec<Array> {
    let tensor = program.tensor(id);
    let mut arrays = Vec::new();
    for (level, spec) in tensor.format.levels.iter().enumerate() {
        for array in spec.level.arrays().iter().filter(|array| array.holds != Holds::Entries) {
            let signed = spec.expr.may_be_negative();
            let element = match array.holds {
                Holds::Positions | Holds::Indices(_) => Element::Index(spec.pos),
                Holds::Coordinates if signed => Element::Signed(spec.crd),
                Holds::Coordinates => Element::Index(spec.crd),
                Holds::Numbers(width) => Element::Index(width),
                Holds::Bits | Holds::Entries => Element::Bits,
            };
            arrays.push(Array {
                name: names.array(id, level, array.field),
                element,
                place: Place::Level { level, field: array.field.to_owned() },
            });
        }
    }
    arrays.push(Array { name: names.values(id), element: values_of(tensor), place: Place::Values });
    arrays
}

/// Returns the numbers of a tensor's storage that level functions may read.
pub(super) fn numbers(program: &Program, names: &Names, id: TensorId) -> Vec<Extent> {
    let mut extents = Vec::new();
    for (level, spec) in program.tensor(id).format.levels.iter().enumerate() {
        for field in spec.level.numbers() {
            let name = names.array(id, level, field);
            extents.push(Extent { name, level, field: (*field).to_owned() });
        }
        if let (LevelExpr::Count(_), Some(field)) = (&spec.expr, spec.level.extent()) {
            extents.push(Extent { name: names.slots(id), level, field: field.to_owned() });
        }
    }
    extents
}

/// Returns the type of the elements of a tensor's values.
pub(super) fn values_of(tensor: &Tensor) -> Element {
    match tensor.pattern {
        true => Element::Pattern(tensor.dtype),
        false => Element::Value(tensor.dtype),
    }
}

pub(super) fn storages(program: &Program, names: &Names) -> Vec<Vec<Storage>> {
    let mut storages: Vec<Vec<Storage>> = vec![Vec::new(); program.kernel.tensors.len()];
    let mut add = |access: &Access| {
        let format = &program.tensor(access.tensor).format;
        if !storages[access.tensor.0].is_empty() {
            return;
        }
        for (level, spec) in format.levels.iter().enumerate() {
            let arrays = spec.level.arrays().iter();
            let fields = arrays.map(|array| array.field).chain(scratch(spec.level.as_ref()));
            let arrays = fields.map(|field| (field, names.array(access.tensor, level, field)));
            let numbers = spec.level.numbers().iter();
            let numbers = numbers.map(|field| (*field, names.array(access.tensor, level, field)));
            let variable = program.level_variable(access, level).expect("a level of the access");
            storages[access.tensor.0].push(Storage {
                arrays: arrays.collect(),
                numbers: numbers.collect(),
                carried: Vec::new(),
                size: extents::extent(program, names, variable),
                below: extents::below_zero(program, names, variable),
                crd: spec.crd,
                offset: extents::offset(program, names, access, level),
            });
        }
    };
    program.targets.iter().for_each(|target| add(&target.access));
    program.kernel.accesses.iter().for_each(&mut add);
    program.kernel.inverses().for_each(|(id, inverse)| add(&inverse.access(id)));
    program.workspaces().into_iter().for_each(&mut add);
    // The level of a comparison with the elements of a list reads the list.
    for (id, predicate) in program.kernel.predicates() {
        let (Predicate::Listed(Listed { list, .. }), Some(last)) =
            (predicate, storages[id.0].last_mut())
        else {
            continue;
        };
        last.arrays = vec![(LIST, names.values(list))];
    }
    storages
}
