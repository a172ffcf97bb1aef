//! Derived variables: coordinates from a block and an offset, or columns from a row and a diagonal.

use crate::concrete::Program;
use crate::concrete::space::{BlockSize, Definition};
use crate::coordinate::{Affine, Coordinate};
use crate::ir::{BinaryOp, Expr, Stmt};
use crate::iteration::graph::is_implied;
use crate::iteration::iterator::LevelIterator;
use crate::iteration::lattice::MergePoint;
use crate::iteration::plan::Loop;
use crate::level::Storage;
use crate::notation::{Access, VariableId};

use super::Lowering;
use super::affine::Difference;
use super::extents::{block_size, extent, is_signed};
use super::scope::Scope;

/// The predicate that a coordinate is within its dimension.
pub(super) struct Guard {
    /// The reason why it might not be.
    pub(super) reason: String,
    pub(super) inside: Expr,
}

fn add_guard(guard: &mut Option<Guard>, more: Guard) {
    let inside = match guard.take() {
        Some(outer) => Expr::and(outer.inside, more.inside),
        None => more.inside,
    };
    *guard = Some(Guard { reason: more.reason, inside });
}

impl Lowering<'_> {
    /// Derives all coordinates that follow from those of a scope in a loop's merge point. A
    /// coordinate computed from several ones gets a name, and a guard if it may exceed its
    /// dimension. Coordinates that follow from a guarded one are in a separate group, within the
    /// guard of the previous one.
    pub(super) fn derive(
        &self,
        inner: &Loop,
        point: &MergePoint,
        scope: &mut Scope,
    ) -> Vec<(Vec<Stmt>, Option<Guard>)> {
        let mut groups = Vec::new();
        let mut stmts = Vec::new();
        let mut guard: Option<Guard> = None;
        let program = self.program;
        let bound: Vec<VariableId> = scope.coordinates.iter().map(|(v, _)| *v).collect();
        for v in program.space.known(&program.kernel, &bound) {
            if scope.knows(v) {
                continue;
            }
            if let Some(part) = self.mode_of(v, scope) {
                let mode = scope.coordinate(part);
                let name = &program.kernel.variable(v).name;
                let reason = format!("The coordinate may be outside of the range of `{name}`.");
                let within = self.inside(part, &mode, scope);
                add_guard(&mut guard, Guard { reason, inside: within });
                groups.push((std::mem::take(&mut stmts), guard.take()));
                let counted = self.counted(part, mode, scope);
                let name = self.names.variable(v);
                if counted == Expr::Index(0) {
                    scope.bind(v, counted);
                } else {
                    stmts.push(Stmt::bind(name, counted));
                    scope.bind(v, Expr::var(name));
                }
                continue;
            }
            let defined = match self.kept(v, inner, point, scope) {
                Some(kept) => Some(kept),
                None => self.defined(v, scope),
            };
            let is_followed = defined.is_some();
            let made_of = if defined.is_none() { self.made_of(v, scope) } else { None };
            let reason = made_of.and_then(|part| self.beyond(v, part, inner, point));
            let inside = match &reason {
                Some(_) => self.is_reached_by_parts(v, scope),
                None => Expr::Bool(true),
            };
            let value = defined.or_else(|| self.put_together(v, reason.is_some(), scope));
            let Some(value) = value else { continue };
            let is_defined = program.space.definition(v).is_some();
            // Fused variables mainly serve lookups, in which both parts are recombined.
            let is_half = matches!(made_of, Some(Definition::Fused(..)));
            if is_half || is_defined && (is_followed || program.space.slice(v).is_none()) {
                scope.bind(v, value);
            } else {
                let name = self.names.variable(v);
                stmts.push(Stmt::bind(name, value));
                scope.bind(v, Expr::var(name));
            }
            if let Some(loses) = self.loses(v, scope) {
                add_guard(&mut guard, loses);
            }
            let Some(reason) = reason else { continue };
            // A slice ends at the end of the mode at the latest.
            let inside = match program.space.slice(v) {
                Some(_) => inside,
                None => Expr::and(inside, Expr::lt(scope.coordinate(v), self.extent(v))),
            };
            if inside != Expr::Bool(true) {
                add_guard(&mut guard, Guard { reason, inside });
            }
        }
        groups.push((stmts, guard));
        groups
    }

    /// Returns the guard that a coordinate of a result's index set is not repeated later in the
    /// list.
    fn loses(&self, v: VariableId, scope: &Scope) -> Option<Guard> {
        let program = self.program;
        let slice = program.space.slice(v)?;
        let mut results = program.targets.iter();
        let of_result = results.any(|target| target.access.indices.contains(&v));
        let may_leave = of_result && program.kernel.may_leave(slice);
        may_leave.then(|| Guard {
            reason: "The last of equal coordinates takes effect.".to_owned(),
            inside: self.is_in_mode(v, scope),
        })
    }

    /// Returns the variable of a mode of which a variable counts a subrange, if it is known.
    fn mode_of(&self, v: VariableId, scope: &Scope) -> Option<VariableId> {
        let space = &self.program.space;
        let is_placed = |mode| space.needs(mode).iter().all(|v| scope.knows(*v));
        space.modes(v).find(|mode| scope.knows(*mode) && is_placed(*mode))
    }

    /// Returns the definition of one of the two parts of a split variable.
    fn made_of(&self, v: VariableId, scope: &Scope) -> Option<&Definition> {
        let bound: Vec<VariableId> = scope.coordinates.iter().map(|(v, _)| *v).collect();
        let [part, _] = self.program.space.made_of(v, &bound)?;
        self.program.space.definition(part)
    }

    /// Returns the reason why a computed coordinate may exceed its dimension, if it may. The loop
    /// over offsets stops at the extent, but a level that stores offsets does not; a diagonal is
    /// bounded if its level bounds the coordinates, or if validation ensures it.
    fn beyond(
        &self,
        v: VariableId,
        part: &Definition,
        inner: &Loop,
        point: &MergePoint,
    ) -> Option<String> {
        let program = self.program;
        let name = &program.kernel.variable(v).name;
        let members = || point.drivers.members();
        let mut drivers = members().map(|member| &inner.iterators[member]);
        let is_counted = |driver: &LevelIterator| self.is_by_coordinate(driver);
        match part {
            Definition::Computed(Coordinate::Div(..)) => {
                let cut = drivers.all(is_counted) && self.ends_with(inner.variable, v);
                (!cut).then(|| format!("The last block may exceed the range of `{name}`."))
            }
            Definition::Computed(Coordinate::Affine(_)) => {
                // A union has coordinates of each operand, so that every one of them must keep to the
                // dimension.
                let keeps = |driver: &LevelIterator| {
                    self.minds_offset(driver, v, part) || self.stores_valid(&driver.access, v, part)
                };
                let proven =
                    !point.by_dimension && members().next().is_some() && drivers.all(keeps);
                (!proven).then(|| format!("The diagonal may exceed the range of `{name}`."))
            }
            Definition::Computed(Coordinate::Mod(..))
            | Definition::Fused(..)
            | Definition::Positions(_)
            | Definition::Slot(_)
            | Definition::Slice(_)
            | Definition::Fixed => None,
        }
    }

    /// Returns whether a loop over a variable ends at the end of another one's dimension: it is over
    /// all of its coordinates or over the offsets within blocks of them.
    fn ends_with(&self, offset: VariableId, v: VariableId) -> bool {
        let space = &self.program.space;
        let whole = space.whole(offset);
        whole == space.whole(v)
            || match space.computed(whole) {
                Some(Coordinate::Mod(of, _)) => self.ends_with(*of, v),
                Some(Coordinate::Div(..) | Coordinate::Affine(_)) | None => false,
            }
    }

    /// Returns whether a tensor stores a coordinate that follows from `part`, so that validation
    /// ensures that it is within its dimension.
    fn stores_valid(&self, access: &Access, v: VariableId, part: &Definition) -> bool {
        let Program { kernel, space, .. } = self.program;
        let stored = |level: usize| self.program.level_variable(access, level);
        let levels = || 0..self.program.tensor(access.tensor).format.levels.len();
        let has_part = levels().filter_map(stored).any(|v| space.definition(v) == Some(part));
        has_part
            && levels().any(|level| stored(level) == Some(v) && is_implied(kernel, access, level))
    }

    /// Returns whether a level stores only coordinates for which `v` is within its dimension, where
    /// `v` follows from them and from `part`, which an ancestor stores.
    fn minds_offset(&self, iterator: &LevelIterator, v: VariableId, part: &Definition) -> bool {
        let access = &iterator.access;
        let storage = &self.storages[access.tensor.0][iterator.level];
        let Some(offset) = &storage.offset else { return false };
        let ancestor = self.program.level_variable(access, offset.ancestor);
        let is_it = ancestor.and_then(|v| self.program.space.definition(v)) == Some(part);
        let spec = &self.program.tensor(access.tensor).format.levels[offset.ancestor];
        let leads_to = spec.expr.modes().into_iter().any(|mode| access.indices[mode] == v);
        is_it && leads_to && self.bounds_by_offset(iterator)
    }

    /// Returns whether the coordinates of a level are bounded by an ancestor's offset from another
    /// dimension.
    fn bounds_by_offset(&self, iterator: &LevelIterator) -> bool {
        let level = &iterator.spec(self.program).level;
        let Some(iteration) = level.coordinate_iteration() else { return false };
        let storage = &self.storages[iterator.access.tensor.0][iterator.level];
        let unaware = Storage { offset: None, ..storage.clone() };
        let ancestors = vec![Expr::Index(0); iterator.level];
        let bounds = |storage| iteration.coord_bounds(storage, Expr::Index(0), &ancestors);
        bounds(storage) != bounds(&unaware)
    }

    /// Returns the coordinate of a mode for a loop over a window, whose bounds are those of the
    /// mode.
    fn kept(&self, v: VariableId, inner: &Loop, point: &MergePoint, scope: &Scope) -> Option<Expr> {
        let slice = self.program.space.slice(v)?;
        (slice.is_window() && slice.of == inner.variable).then_some(())?;
        let is_it = |driver: usize| {
            let iterator = &inner.iterators[driver];
            self.program.level_variable(&iterator.access, iterator.level) == Some(v)
        };
        let is_kept = point.drivers.members().any(is_it) && !self.is_parted(scope);
        let known = self.program.space.needs(v).iter().all(|v| scope.knows(*v));
        (is_kept && known).then(|| {
            let at = self.mode_at(v, &scope.coordinate(slice.of), scope);
            Expr::sub(at.plus, at.minus)
        })
    }

    /// Returns whether the scope is directly within a loop over a part or a block of its
    /// coordinates.
    pub(super) fn is_parted(&self, scope: &Scope) -> bool {
        let last = scope.coordinates.last().map(|(v, _)| *v);
        self.parted.is_some_and(|parted| last == Some(parted.variable))
            || last.is_some_and(|v| scope.intervals.contains_key(&v))
    }

    /// Returns `i / 4`, `i % 4` or `j - i`.
    fn defined(&self, v: VariableId, scope: &Scope) -> Option<Expr> {
        let known = |v: VariableId| scope.knows(v).then(|| scope.coordinate(v));
        match self.program.space.definition(v)? {
            Definition::Computed(Coordinate::Div(of, size)) => {
                Some(Expr::div(known(*of)?, self.block_size(*of, *size)))
            }
            Definition::Computed(Coordinate::Mod(of, size)) => {
                Some(Expr::rem(known(*of)?, self.block_size(*of, *size)))
            }
            Definition::Computed(Coordinate::Affine(sum)) => {
                sum.variables().all(|v| scope.knows(*v)).then_some(())?;
                let Difference { plus, minus } = Difference::of(sum, |v| scope.coordinate(*v));
                let op = if is_signed(sum) { BinaryOp::Difference } else { BinaryOp::Sub };
                Some(Expr::binary(op, plus, minus))
            }
            Definition::Fused(a, b) => {
                Some(Expr::add(Expr::mul(known(*a)?, self.extent(*b)), known(*b)?))
            }
            Definition::Slice(slice) => {
                self.program.space.needs(v).iter().all(|v| scope.knows(*v)).then_some(())?;
                Some(self.in_mode(v, known(slice.of)?, scope))
            }
            Definition::Positions(_) | Definition::Slot(_) | Definition::Fixed => None,
        }
    }

    /// Returns the predicate that a computed coordinate that may exceed its dimension exists: the
    /// difference of two coordinates may be negative.
    fn is_reached_by_parts(&self, v: VariableId, scope: &Scope) -> Expr {
        let bound: Vec<VariableId> = scope.coordinates.iter().map(|(v, _)| *v).collect();
        let parts = self.program.space.made_of(v, &bound);
        match parts.map(|[part, other]| (part, other, self.program.space.computed(part))) {
            Some((part, other, Some(Coordinate::Affine(sum)))) if !is_signed(sum) => {
                Expr::le(scope.coordinate(other), scope.coordinate(part))
            }
            Some(_) | None => Expr::Bool(true),
        }
    }

    /// Returns `io * 4 + ii` or `i + d`; a coordinate that may exceed its dimension has a guard.
    fn put_together(&self, v: VariableId, is_guarded: bool, scope: &Scope) -> Option<Expr> {
        let bound: Vec<VariableId> = scope.coordinates.iter().map(|(v, _)| *v).collect();
        let [part, other] = self.program.space.made_of(v, &bound)?;
        let (part_at, other_at) = (scope.coordinate(part), scope.coordinate(other));
        Some(match self.program.space.definition(part)? {
            Definition::Computed(Coordinate::Div(of, size)) => {
                Expr::add(Expr::mul(part_at, self.block_size(*of, *size)), other_at)
            }
            Definition::Computed(Coordinate::Affine(sum)) => {
                let solution = sum.clone().minus(&Affine::variable(part))?.solve_for(&v)?;
                if is_signed(sum) {
                    let by = if solution.stride(&part) < 0 { Expr::neg(part_at) } else { part_at };
                    return Some(Expr::binary(BinaryOp::Offset, other_at, by));
                }
                let difference = Difference::of(&solution, |v| scope.coordinate(*v));
                if is_guarded {
                    return Some(difference.coordinate());
                }
                Expr::sub(difference.plus, difference.minus)
            }
            Definition::Fused(a, b) if *a == v => Expr::div(part_at, self.extent(*b)),
            Definition::Fused(_, b) => Expr::rem(part_at, self.extent(*b)),
            Definition::Computed(Coordinate::Mod(..))
            | Definition::Positions(_)
            | Definition::Slot(_)
            | Definition::Slice(_)
            | Definition::Fixed => {
                return None;
            }
        })
    }

    /// Returns the number of coordinates of a variable.
    pub(super) fn extent(&self, v: VariableId) -> Expr {
        extent(self.program, &self.names, v)
    }

    /// Returns the end of a loop over the offsets within a block: the last block may be shorter,
    /// unless the extent is known to be a multiple of its size.
    pub(super) fn clip(&self, v: VariableId, end: Expr, scope: &Scope) -> Expr {
        let v = self.program.space.whole(v);
        let Some(&Coordinate::Mod(of, size)) = self.program.space.computed(v) else { return end };
        let block = self.program.space.variable_of(Coordinate::Div(of, size));
        let Some(block) = block.filter(|block| scope.knows(*block)) else { return end };
        if self.program.space.has_whole_blocks(&self.program.kernel, of, size) {
            return end;
        }
        let whole = self.clip(of, self.extent(of), scope);
        let mut begin = Expr::mul(scope.coordinate(block), self.block_size(of, size));
        // The last blocks may lie beyond the end, unless their number was computed from the extent.
        let is_cut = whole != self.extent(of);
        if is_cut || matches!(size, BlockSize::Share(_)) {
            begin = Expr::min(begin, whole.clone());
        }
        Expr::min(Expr::sub(whole, begin), end)
    }

    pub(super) fn block_size(&self, of: VariableId, size: BlockSize) -> Expr {
        block_size(self.program, &self.names, of, size)
    }
}
