//! The programs without loops with which the search begins: the forms of the kernel's value, and for
//! each the bases of its loops.

use super::convert::Conversion;
use super::{
    commands, distribute, inverse, precompute, reorder, scatter, split, unstored, windows,
};
use crate::concrete::space::{Basis, Space};
use crate::concrete::{Precomputed, Program, Stmt, Target, undriven};
use crate::notation::{Access, Kernel, VariableId};

/// Returns a program without loops for each basis.
pub(super) fn starts(conversion: &Conversion) -> Vec<Program> {
    let mut kernel = conversion.kernel.clone();
    let Ok(precomputed) = precompute::take_out(&mut kernel) else { return Vec::new() };
    let forms = match precomputed.is_empty() {
        true => {
            let mut forms = distribute::forms(&kernel);
            forms.extend(inverse::forms(&kernel).iter().flat_map(distribute::forms));
            let windows = windows::forms(&kernel);
            forms.extend(unstored::form(&kernel));
            forms.extend(windows.iter().filter_map(unstored::form));
            forms.extend(windows.into_iter().map(|form| (form, Vec::new())));
            scatter::add(&kernel, &mut forms);
            forms
        }
        false => vec![(kernel, precomputed)],
    };
    let starts = forms.into_iter().map(|form| starts_of(conversion, form));
    let mut starts: Vec<Program> = starts.flatten().collect();
    starts.sort_by_key(|start| start.basis.limited());
    starts
}

/// Returns a program without loops for each basis, for one form of the kernel.
fn starts_of(
    conversion: &Conversion,
    (mut kernel, mut precomputed): (Kernel, Vec<Precomputed>),
) -> Vec<Program> {
    let looped: Vec<VariableId> = kernel.looped_variables().collect();
    let copied = |access: &Access| {
        let mut copies = precomputed.iter().filter(|part| part.is_copy);
        Some(copies.find(|part| part.workspace == *access)?.value.clone())
    };
    let own = undriven(&kernel.assignment.value, &precomputed).substitute(&copied);
    let is_rewritten = own != conversion.kernel.assignment.value;
    let space = Space::of(&mut kernel, split::demanded(&conversion.kernel.schedule));
    let parts = precomputed.iter().map(|part| &part.value);
    if parts.chain([&kernel.assignment.value]).any(|value| space.repeats_slots(value)) {
        return Vec::new();
    }
    if space.has_slots() {
        kernel.assignment.value = space.sum_slots(&kernel, &kernel.assignment.value);
        for part in &mut precomputed {
            part.value = space.sum_slots(&kernel, &part.value);
        }
    }
    let start = |space: &Space, basis: Basis| Program {
        order: reorder::demanded(&kernel, space, &basis),
        kernel: kernel.clone(),
        space: match basis.has_limits() {
            true => space.clone().limited(&basis),
            false => space.clone(),
        },
        basis,
        threads: None,
        targets: vec![Target::of(&kernel, conversion.packed.clone())],
        precomputed: precomputed.clone(),
        is_rewritten,
        has_versions: false,
        body: Stmt::SKIP,
    };
    let of_space = |space: &Space| -> Vec<Program> {
        let mut bases = space.bases(&looped);
        bases.retain(|basis| commands::has_loops(&kernel, space, basis));
        bases.into_iter().map(|basis| start(space, basis)).collect()
    };
    let mut starts = of_space(&space);
    if let Some(blocked) = split::blocks_of_result(&kernel, &space) {
        starts.extend(of_space(&blocked).into_iter().filter(|start| start.basis.has_limits()));
    }
    starts.into_iter().flat_map(precompute::with_kinds).collect()
}
