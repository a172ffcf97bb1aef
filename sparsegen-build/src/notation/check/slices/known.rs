//! Resolution of the indices of an access.

use crate::coordinate::Affine;
use crate::error::Name;
use crate::format::Format;
use crate::notation::syntax::{self, Access, IndexKind};
use crate::notation::{Bound, Domain, List, Range, Symbol, TensorId, VariableId};

use super::super::bindings::is_parameter;
use super::super::bounds::parameters;
use super::{Counted, Gather, Index, Known, Point};

impl<'m> Known<'_, 'm> {
    pub(super) fn tensor(&self, access: &Access) -> Option<usize> {
        self.tensors.iter().position(|tensor| tensor.first.name.text == access.name.text)
    }

    fn variable(&self, name: &Name) -> Option<VariableId> {
        self.variables.iter().position(|known| *known == name.text).map(VariableId)
    }

    /// Resolves an index; returns `None` if it has errors that were reported before.
    pub(super) fn index(
        &self,
        tensor: usize,
        access: &'m Access,
        mode: usize,
    ) -> Option<Index<'m>> {
        let index = match &access.indices[mode].kind {
            IndexKind::Name(name) if is_parameter(self.context, name) => {
                let parameter = Bound::Parameter(self.parameter(name)?);
                Index::Point(Point::Affine(parameter.affine(), Domain::Mode))
            }
            IndexKind::Name(name) => Index::Whole(self.variable(name)?),
            IndexKind::Fixed(number) => {
                Index::Point(Point::Affine(Affine::constant(*number), Domain::Mode))
            }
            IndexKind::Slice(slice) => {
                let step = slice.step.unwrap_or(1).unsigned_abs();
                let (start, end) = (self.bound(&slice.start)?, self.bound(&slice.end)?);
                let of = self.variable(&slice.variable)?;
                let range = Range { start, end, step, is_shifted: slice.shift.is_some() };
                let at = match slice.shift {
                    Some(shift) => {
                        Affine::variable(Symbol::Variable(of)).minus(&Affine::constant(shift))
                    }
                    None => {
                        let steps = Affine::term(slice.step.unwrap_or(1), Symbol::Variable(of));
                        steps.plus(&start.affine())
                    }
                };
                Index::Counted(Counted { of, at: at?, domain: Domain::Range(range) })
            }
            IndexKind::Set(variable, set) => {
                let list = match set {
                    syntax::Set::Listed(numbers) => List::Numbers(
                        numbers.iter().map(|number| Some(number.unsigned_abs())).collect(),
                    ),
                    syntax::Set::Parameter(name) => List::Parameter(self.parameter(name)?),
                };
                let is_left = std::ptr::eq(access, &self.context.statement.left);
                let list = if is_left { list.last_of_each() } else { list };
                Index::Point(Point::Listed(list, self.variable(variable)?))
            }
            IndexKind::Affine(sum) => self.window(access, mode, self.sum(sum)?),
            IndexKind::Gather(gather) => {
                let text = self.context.text.at(gather.span).split_whitespace().collect();
                Index::Point(Point::Element(Gather { text, access: gather }))
            }
            // Only those on the left are left, which were reported.
            IndexKind::Computed(_) => return None,
        };
        if !self.repeats(tensor, access, mode) {
            return Some(index);
        }
        Some(match index {
            Index::Whole(v) => {
                let at = Affine::variable(Symbol::Variable(v));
                Index::Point(Point::Affine(at, Domain::Mode))
            }
            Index::Counted(counted) => Index::Point(Point::InRange(counted)),
            Index::Point(_) => index,
        })
    }

    /// Resolves the names of an affine index.
    fn sum(&self, sum: &Affine<Name>) -> Option<Affine<Symbol>> {
        sum.substitute(|name| {
            Some(Affine::variable(match is_parameter(self.context, name) {
                true => Symbol::Parameter(self.parameter(name)?),
                false => Symbol::Variable(self.variable(name)?),
            }))
        })
    }

    /// Resolves an affine index in which one of the variables varies in the order of the mode:
    /// preferably one that is summed over, which usually has a small extent. A variable that also
    /// indexes another mode is excluded.
    fn window(&self, access: &'m Access, mode: usize, sum: Affine<Symbol>) -> Index<'m> {
        let mut others: Vec<VariableId> = Vec::new();
        for (other, index) in access.indices.iter().enumerate().filter(|(k, _)| *k != mode) {
            match &index.kind {
                IndexKind::Affine(sum) if other < mode => {
                    let Some(sum) = self.sum(sum) else { continue };
                    if let Index::Counted(counted) = self.window(access, other, sum) {
                        others.push(counted.of);
                    }
                }
                IndexKind::Affine(_) => {}
                IndexKind::Name(_)
                | IndexKind::Slice(_)
                | IndexKind::Set(..)
                | IndexKind::Fixed(_)
                | IndexKind::Gather(_)
                | IndexKind::Computed(_) => {
                    index.for_each_variable(&mut |name| others.extend(self.variable(name)));
                }
            }
        }
        let mut left = Vec::new();
        let of_left = &self.context.statement.left;
        of_left.for_each_variable(&mut |name| left.extend(self.variable(name)));
        let rising = sum.terms().iter().filter(|term| term.times > 0);
        let runs = rising.filter_map(|term| term.of.as_variable());
        let runs = runs.filter(|v| !others.contains(v));
        match runs.min_by_key(|v| left.contains(v)) {
            Some(of) => Index::Counted(Counted { of, at: sum, domain: Domain::Any }),
            None => Index::Point(Point::Affine(sum, Domain::Any)),
        }
    }

    /// Returns whether the variable of a mode also indexes a mode that is stored earlier.
    fn repeats(&self, tensor: usize, access: &Access, mode: usize) -> bool {
        let Some(name) = variable_of(&access.indices[mode].kind) else { return false };
        let format = self.tensors[tensor].format.as_ref();
        let rank = |mode: usize| (format.map(|format| first_level(format, mode)), mode);
        access.indices.iter().enumerate().any(|(other, index)| {
            let is_same = variable_of(&index.kind).is_some_and(|of| of.text == name.text);
            other != mode && is_same && rank(other) < rank(mode)
        })
    }

    fn parameter(&self, name: &Name) -> Option<TensorId> {
        let declared = parameters(self.context).iter().position(|known| known.text == name.text);
        declared.map(|k| TensorId(self.tensors.len() + k))
    }

    fn bound(&self, bound: &syntax::Bound) -> Option<Bound> {
        match bound {
            syntax::Bound::Number(number) => Some(Bound::Number(number.unsigned_abs())),
            syntax::Bound::Parameter(name) => self.parameter(name).map(Bound::Parameter),
        }
    }
}

/// Returns the variable of an index.
fn variable_of(index: &IndexKind) -> Option<&Name> {
    match index {
        IndexKind::Name(name) | IndexKind::Set(name, _) => Some(name),
        IndexKind::Slice(slice) => Some(&slice.variable),
        IndexKind::Fixed(_)
        | IndexKind::Affine(_)
        | IndexKind::Gather(_)
        | IndexKind::Computed(_) => None,
    }
}

/// Returns the first level that depends on this mode alone.
fn first_level(format: &Format, mode: usize) -> usize {
    let found = format.levels.iter().position(|spec| spec.expr.modes() == [mode]);
    found.unwrap_or(format.levels.len())
}
