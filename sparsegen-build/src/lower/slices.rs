//! Slices: the bounds of iterators, and the entries that they skip.
//!
//! A level uses coordinates of its mode; the loop counts the coordinates of the slice from 0. The
//! slice is in the order of the mode, so that merged iterators stay ordered.

use crate::concrete::space::BlockSize;
use crate::coordinate::Coordinate;
use crate::ir::{Cover, Expr, Stmt};
use crate::iteration::iterator::LevelIterator;
use crate::level::{Found, Segment};
use crate::notation::{Access, Bound, Slice, VariableId};

use super::Lowering;
use super::affine::Difference;
use super::names::Names;
use super::parallel::latest;
use super::scope::Scope;

/// Returns the begin or the end of a slice.
pub(super) fn bound(names: &Names, bound: Bound) -> Expr {
    match bound {
        Bound::Number(number) => Expr::Index(number as usize),
        Bound::Parameter(id) => Expr::var(names.argument(id)),
    }
}

impl Lowering<'_> {
    /// Returns how a mode is read, given its variable.
    pub(super) fn slice(&self, mode: VariableId) -> &Slice {
        self.program.space.slice(mode).expect("a mode that is read in part")
    }

    /// Returns `(c - 2) / 3`, the coordinate of the loop for a coordinate within the slice.
    pub(super) fn counted(&self, mode: VariableId, coordinate: Expr, scope: &Scope) -> Expr {
        let slice = self.slice(mode);
        if let Some(shift) = slice.shift() {
            let by = Expr::Index(shift.unsigned_abs() as usize);
            return if shift < 0 { Expr::sub(coordinate, by) } else { Expr::add(coordinate, by) };
        }
        if !slice.varies() {
            return Expr::Index(0);
        }
        let ahead = self.first(mode, scope).ahead(coordinate);
        Expr::div(ahead, Expr::Index(slice.step() as usize))
    }

    /// Returns the first coordinate of a slice, which is negative if a window begins before the
    /// mode.
    fn first(&self, mode: VariableId, scope: &Scope) -> Difference {
        match self.slice(mode).range() {
            Some(range) => Difference::from(bound(&self.names, range.start)),
            None if self.slice(mode).varies() => self.mode_at(mode, &Expr::Index(0), scope),
            None => Difference::from(self.bounds(mode, scope).start),
        }
    }

    /// Returns the predicate that a coordinate at or after the first of a slice is a multiple of
    /// the step ahead of it.
    fn aligned(&self, mode: VariableId, coordinate: &Expr, scope: &Scope) -> Expr {
        let step = self.slice(mode).step();
        if step == 1 {
            return Expr::Bool(true);
        }
        let ahead = match self.first(mode, scope) {
            Difference { plus: Expr::Index(start), minus: Expr::Index(0) }
                if start.is_multiple_of(step as usize) =>
            {
                coordinate.clone()
            }
            first => first.ahead(coordinate.clone()),
        };
        Expr::eq(Expr::rem(ahead, Expr::Index(step as usize)), Expr::Index(0))
    }

    /// Returns the first coordinate of a slice, and the one after its last.
    pub(super) fn bounds(&self, mode: VariableId, scope: &Scope) -> Segment {
        let slice = self.slice(mode);
        let Some(range) = slice.range() else {
            let start = self.mode_at(mode, &Expr::Index(0), scope).coordinate();
            if !slice.varies() {
                return Segment::of(start);
            }
            let end = self.mode_at(mode, &self.extent(slice.of), scope).coordinate();
            return Segment { start, end };
        };
        let [start, end] = [range.start, range.end].map(|at| bound(&self.names, at));
        let by = Expr::Index(slice.shift().map_or(0, i64::unsigned_abs) as usize);
        match slice.shift() {
            Some(shift) if shift < 0 => Segment { start: Expr::max(start, by), end },
            Some(shift) if shift > 0 => {
                let size = Expr::max(self.extent(slice.of), by.clone());
                Segment { start, end: Expr::min(end, Expr::sub(size, by)) }
            }
            Some(_) | None => Segment { start, end },
        }
    }

    /// Returns `2 + 3 * i`, the coordinate of the mode. For a shifted slice, it is an arbitrary
    /// coordinate of the mode if none is shifted to this one.
    pub(super) fn in_mode(&self, mode: VariableId, counted: Expr, scope: &Scope) -> Expr {
        let slice = self.slice(mode);
        let Some(shift) = slice.shift() else {
            return self.mode_at(mode, &counted, scope).coordinate();
        };
        let by = Expr::Index(shift.unsigned_abs() as usize);
        if shift < 0 {
            let last = Expr::sub(self.extent(slice.of), Expr::Index(1));
            return Expr::min(Expr::add(counted, by), last);
        }
        Expr::sub(Expr::max(counted, by.clone()), by)
    }

    /// Returns the predicate that a coordinate lies within a slice.
    pub(super) fn inside(&self, mode: VariableId, coordinate: &Expr, scope: &Scope) -> Expr {
        let Segment { start, end } = self.bounds(mode, scope);
        if !self.slice(mode).varies() {
            return Expr::and(self.is_reached(mode, scope), Expr::eq(coordinate.clone(), start));
        }
        let behind = Expr::lt(coordinate.clone(), end);
        let within = if start == Expr::Index(0) {
            behind
        } else {
            Expr::and(Expr::le(start, coordinate.clone()), behind)
        };
        Expr::and(within, self.aligned(mode, coordinate, scope))
    }

    /// Returns the predicate that the mode has the single coordinate at which it is read.
    pub(super) fn is_reached(&self, mode: VariableId, scope: &Scope) -> Expr {
        let slice = self.slice(mode);
        match slice.follows() {
            Some(v) if self.program.space.slice(v).is_some() => self.is_moved_to(v, scope),
            None if !slice.varies() => self.is_in_mode(mode, scope),
            Some(_) | None => Expr::Bool(true),
        }
    }

    /// Returns the predicate that the coordinate of the slice's variable is reached by the shifted
    /// slice.
    pub(super) fn is_moved_to(&self, mode: VariableId, scope: &Scope) -> Expr {
        let slice = self.slice(mode);
        let (Some(range), Some(shift)) = (slice.range(), slice.shift()) else {
            return self.is_in_mode(mode, scope);
        };
        let counted = scope.coordinate(slice.of);
        let by = Expr::Index(shift.unsigned_abs() as usize);
        let [start, end] = [range.start, range.end].map(|at| bound(&self.names, at));
        let (from, at, to) = if shift < 0 {
            (start, Expr::add(counted.clone(), by), end)
        } else {
            (Expr::add(start, by.clone()), counted.clone(), Expr::add(end, by))
        };
        let behind = Expr::lt(at.clone(), to);
        let is_ahead = match (&from, shift < 0) {
            (Expr::Index(from), true) => *from as u64 <= shift.unsigned_abs(),
            (from, _) => *from == Expr::Index(0),
        };
        let ahead = if is_ahead { Expr::Bool(true) } else { Expr::le(from, at) };
        let own = self.in_mode(mode, counted, scope);
        Expr::and(Expr::and(ahead, behind), self.aligned(mode, &own, scope))
    }

    /// Returns the part of a result that the loops assign.
    pub(super) fn cover(&self, result: &Access) -> Cover {
        let program = self.program;
        let coordinate = |v: &VariableId| self.names.variable(*v).to_owned();
        let mut scope = Scope::default();
        for v in &result.indices {
            let own = Expr::var(self.names.variable(*v));
            if let Some(slice) = program.space.slice(*v).filter(|slice| slice.range().is_some()) {
                let counted = self.counted(*v, own.clone(), &scope);
                scope.bind(slice.of, counted);
            }
            scope.bind(*v, own);
        }
        // A range that is read at a subscript of another mode has no mode of its own.
        for place in result.indices.iter().filter_map(|v| program.space.place(*v)) {
            if let Some(slice) = program.space.slice(place)
                && !scope.knows(place)
            {
                let at = self.in_mode(place, scope.coordinate(slice.of), &scope);
                scope.bind(place, at);
            }
        }
        let inside = result.indices.iter().filter_map(|v| {
            program.space.slice(*v).filter(|slice| !slice.is_computed())?;
            Some(self.inside(*v, &scope.coordinate(*v), &scope))
        });
        let listed = result.indices.iter().enumerate();
        let listed = listed.filter_map(|(mode, v)| Some((mode, self.list_of(*v)?)));
        Cover {
            coordinate: result.indices.iter().map(coordinate).collect(),
            inside: inside.fold(Expr::Bool(true), Expr::and),
            listed: listed.collect(),
        }
    }

    /// Returns the variable of the mode of which an iterator ranges over a slice; a sorted copy
    /// contains only the slice.
    pub(super) fn part_of(&self, iterator: &LevelIterator) -> Option<VariableId> {
        iterator.part(self.program).filter(|_| !iterator.reorders())
    }

    /// Returns the predicate that an entry's coordinate, which has a name, lies within the slice,
    /// if it must be tested.
    pub(super) fn filter(
        &self,
        iterator: &LevelIterator,
        coordinate: &Expr,
        scope: &Scope,
    ) -> Option<Expr> {
        let mode = self.part_of(iterator)?;
        let condition = if iterator.filters(self.program) {
            self.inside(mode, coordinate, scope)
        } else {
            Expr::and(self.is_reached(mode, scope), self.aligned(mode, coordinate, scope))
        };
        (condition != Expr::Bool(true)).then_some(condition)
    }

    /// Returns the positions of an iterator over `variable` within the slice and within the part of
    /// the loop, if they can be searched: `let p_a_begin = …; let p_a_end = …;`, or `let mut p_a =
    /// …;` for a position that advances.
    pub(super) fn narrowed(
        &self,
        variable: VariableId,
        iterator: &LevelIterator,
        positions: Segment,
        is_moved: bool,
        scope: &Scope,
    ) -> (Vec<Stmt>, Segment) {
        if let Some(part) = self.part_of_positions(variable, iterator) {
            return (Vec::new(), part);
        }
        if self.is_copied_by_part(variable, iterator) {
            return (Vec::new(), positions);
        }
        let mode = self.part_of(iterator).filter(|_| !iterator.filters(self.program));
        let part = self.interval(variable, scope);
        let Segment { start: first, end: last } = match (mode, part) {
            (None, None) => return (Vec::new(), positions),
            (Some(mode), None) => self.bounds(mode, scope),
            (None, Some(part)) => part,
            (Some(mode), Some(part)) => {
                let Segment { start, end } = self.bounds(mode, scope);
                let [begin, after] =
                    [part.start, part.end].map(|at| self.first_in_mode(mode, at, scope));
                Segment { start: latest(start, begin), end: Expr::min(end, after) }
            }
        };
        let within = Segment { start: first.clone(), end: last.clone() };
        if let Some(found) =
            self.within_blocks_of(iterator, scope.position(&iterator.access), within)
        {
            return found;
        }
        let name = self.names.position(&iterator.access, iterator.level);
        let [begin, end] = ["begin", "end"].map(|suffix| format!("{name}_{suffix}"));
        let from = self.search(iterator, positions.start, positions.end.clone(), first, scope);
        let mut stmts = Vec::new();
        let from = match from {
            Expr::Search { .. } if is_moved => {
                stmts.push(Stmt::bind_mut(&name, from));
                Expr::var(&name)
            }
            Expr::Search { .. } => {
                stmts.push(Stmt::bind(&begin, from));
                Expr::var(&begin)
            }
            from => from,
        };
        let to = self.search(iterator, from.clone(), positions.end, last, scope);
        stmts.push(Stmt::bind(&end, to));
        (stmts, Segment { start: from, end: Expr::var(&end) })
    }

    /// Returns the positions of an iterator in a merge: none if there is one, and its coordinate is
    /// outside of the slice. Others are searched.
    pub(super) fn inside_only(
        &self,
        iterator: &LevelIterator,
        positions: Segment,
        scope: &Scope,
    ) -> Segment {
        let mode = self.part_of(iterator).filter(|_| iterator.is_single(self.program));
        let Some(mode) = mode else { return positions };
        let coordinate = self.raw_access(iterator, &positions.start, scope).value;
        let count = Expr::from_bool(self.inside(mode, &coordinate, scope));
        Segment { end: Expr::add(positions.start.clone(), count), ..positions }
    }

    /// Returns the first position of an iterator whose coordinate is at least the given one.
    pub(super) fn search(
        &self,
        iterator: &LevelIterator,
        start: Expr,
        end: Expr,
        coordinate: Expr,
        scope: &Scope,
    ) -> Expr {
        match self.raw_access(iterator, &start, scope).value {
            Expr::Load { array, .. } => Expr::search(&array, start, end, coordinate),
            value => unreachable!("{value:?} is in no list that can be searched"),
        }
    }

    /// Advances an iterator to the next coordinate that is a multiple of the step ahead of the
    /// first one.
    pub(super) fn skip(&self, iterator: &LevelIterator, scope: &Scope) -> Vec<Stmt> {
        let Some(mode) = self.part_of(iterator).filter(|mode| self.slice(*mode).step() != 1) else {
            return Vec::new();
        };
        let name = self.names.position(&iterator.access, iterator.level);
        let position = Expr::var(&name);
        let lasts = Expr::lt(position.clone(), Expr::var(&format!("{name}_end")));
        let coordinate = self.raw_access(iterator, &position, scope).value;
        let between = Expr::not(self.aligned(mode, &coordinate, scope));
        Stmt::repeat_while(Expr::and(lasts, between), vec![Stmt::accumulate(&name, Expr::Index(1))])
    }

    /// Returns the bounds of an iterator by coordinate, in coordinates of the loop; for blocks, the
    /// bounds of all blocks that intersect the slice.
    pub(super) fn counted_bounds(
        &self,
        iterator: &LevelIterator,
        own: Segment,
        scope: &Scope,
    ) -> Segment {
        let v = self.program.level_variable(&iterator.access, iterator.level);
        let v = v.expect("a level of the access");
        let Some(mode) = iterator.part(self.program) else {
            return match self.program.space.computed(v) {
                Some(Coordinate::Div(of, BlockSize::Constant(size)))
                    if iterator.is_full(self.program) =>
                {
                    self.counted_blocks(*of, *size, own, scope)
                }
                Some(_) | None => own,
            };
        };
        let slice = self.slice(mode);
        let extent = self.extent(slice.of);
        if iterator.is_full(self.program) {
            return Segment { start: Expr::Index(0), end: extent };
        }
        if slice.shift().is_some() {
            let Segment { start, end } = self.bounds(mode, scope);
            let start = Expr::max(own.start, start);
            let end = Expr::max(Expr::min(own.end, end), start.clone());
            let [start, end] = [start, end].map(|c| self.counted(mode, c, scope));
            return Segment { start, end };
        }
        let count = |reached: Expr| {
            let Difference { plus, minus } = self.first(mode, scope);
            let ahead = Expr::saturating_sub(Expr::add(reached, minus), plus);
            Expr::div_ceil(ahead, Expr::Index(slice.step() as usize))
        };
        Segment { start: count(own.start), end: Expr::min(count(own.end), extent) }
    }

    /// Binds the bounds of a slice to names, if they are complex expressions.
    pub(super) fn named(
        &self,
        variable: VariableId,
        iterator: &LevelIterator,
        bounds: Segment,
    ) -> (Vec<Stmt>, Segment) {
        if iterator.part(self.program).is_none() || iterator.is_full(self.program) {
            return (Vec::new(), bounds);
        }
        let (begin, end) = self.names.part(variable);
        let stmts = vec![Stmt::bind(&begin, bounds.start), Stmt::bind(&end, bounds.end)];
        (stmts, Segment { start: Expr::var(&begin), end: Expr::var(&end) })
    }

    /// Returns the blocks of a mode that intersect the slice.
    fn counted_blocks(&self, of: VariableId, size: u64, all: Segment, scope: &Scope) -> Segment {
        let space = &self.program.space;
        if space.slice(of).is_none() || !space.needs(of).iter().all(|v| scope.knows(*v)) {
            return all;
        }
        let Segment { start, end } = self.bounds(of, scope);
        let size = Expr::Index(size as usize);
        Segment { start: Expr::div(start, size.clone()), end: Expr::div_ceil(end, size) }
    }

    /// Returns the access of a level at a position, in coordinates of the mode.
    pub(super) fn raw_access(
        &self,
        iterator: &LevelIterator,
        position: &Expr,
        scope: &Scope,
    ) -> Found {
        let ancestors = self.ancestors(iterator, scope);
        self.access_below(iterator, position, &ancestors)
    }
}
