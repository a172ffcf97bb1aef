//! Windows of sparse operands: `O[x] = K[b] * I[x + b]`, by the output or by the input.
//!
//! A loop over the offsets `b` searches the window of `I` at every `x`. One over `x` visits all
//! entries of `I` at every offset, and adds each to `O[c - b]`, where `c` is its coordinate. Each
//! variable of a sum that a window ranges over is a candidate; the cost decides.

use crate::notation::{Access, Kernel, Slice, Subscript, VariableId, VariableRole};

use super::scatter::names_operands;

/// The number of forms of a kernel that are compared.
const FORMS: usize = 4;

/// Returns the forms of a kernel in which windows of operands that are searched range over other
/// variables.
pub(super) fn forms(kernel: &Kernel) -> Vec<Kernel> {
    if kernel.schedule.iter().any(|command| names_operands(&command.action)) {
        return Vec::new();
    }
    let mut forms: Vec<Kernel> = Vec::new();
    for (mode, slice) in kernel.slices().filter(|(_, slice)| slice.is_window()) {
        let searched = kernel.accesses.iter().filter(|access| is_searched(kernel, access, mode));
        let searched: Vec<&Access> = searched.collect();
        let Subscript::Affine(sum) = &slice.at else { continue };
        let rising = sum.terms().iter().filter(|term| term.times > 0);
        let rising = rising.filter_map(|term| term.of.as_variable());
        for v in rising.filter(|v| *v != slice.of && !searched.is_empty()) {
            let indexes =
                |access: &&Access| access.indices.iter().any(|index| kernel.counted(*index) == v);
            if searched.iter().any(indexes) {
                continue;
            }
            let with_other = |form: &Kernel| {
                let mut form = form.clone();
                form.variables[mode.0].role = VariableRole::Mode(Slice { of: v, ..slice.clone() });
                form
            };
            let more: Vec<Kernel> = std::iter::once(kernel).chain(&forms).map(with_other).collect();
            forms.extend(more);
            forms.truncate(FORMS);
        }
    }
    forms
}

/// Returns whether a mode of an access is stored by a level that is searched for coordinates.
fn is_searched(kernel: &Kernel, access: &Access, mode: VariableId) -> bool {
    let format = &kernel.tensor(access.tensor).format;
    format.levels.iter().enumerate().any(|(level, spec)| {
        let stores = format.mode_of(level).is_some_and(|k| access.indices[k] == mode);
        stores && spec.level.locate().is_none()
    })
}
