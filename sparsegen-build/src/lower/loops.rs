//! Loops with a single driving iterator.

use crate::concrete::space::Definition;
use crate::ir::comment::Part;
use crate::ir::{Expr, Stmt};
use crate::iteration::iterator::{LevelIterator, Positions};
use crate::iteration::lattice::MergePoint;
use crate::iteration::plan::Loop;
use crate::iteration::resumed::Order;
use crate::level::{Found, PositionIteration, Segment, Storage};
use crate::notation::VariableId;

use super::Lowering;
use super::origin::{marked, origin};
use super::scope::Scope;

impl Lowering<'_> {
    /// Lowers the loops of one variable.
    pub(super) fn run(&mut self, inner: &Loop, scope: &Scope) -> Vec<Stmt> {
        let mut scope = scope.clone();
        if inner.order == Order::Forward && self.runs_in_order(inner) {
            scope.in_order.insert(inner.variable);
        }
        let iteration = origin(inner, Part::Point(0));
        if let Some(done) = self.run_blocks(inner, &scope) {
            return marked(iteration, done);
        }
        let mut stmts = self.enter_blocks(inner.variable, &mut scope);
        let entered = self.run_entered(inner, &scope);
        let of_loop = |begun: &mut (VariableId, Stmt)| begun.0 == inner.variable;
        stmts.extend(self.begun.extract_if(.., of_loop).map(|(_, begun)| begun));
        stmts.extend(entered);
        marked(iteration, stmts)
    }

    /// Lowers the loops of one variable, whose bounds within enclosing blocks are in the scope.
    fn run_entered(&mut self, inner: &Loop, scope: &Scope) -> Vec<Stmt> {
        let is_once = self.program.space.definition(inner.variable) == Some(&Definition::Fixed);
        if let Some(done) = is_once.then(|| self.run_fixed(inner, scope)).flatten() {
            return done;
        }
        if let Some(rest) = inner.rest {
            return self.run_with_rest(inner, rest, scope);
        }
        if let Some(done) = self.run_limited(inner, scope) {
            return done;
        }
        let [point] = &inner.points[..] else { return self.merge(inner, scope) };
        let mut drivers = point.drivers.members();
        match (drivers.next(), drivers.next(), point.by_dimension) {
            (None, _, _) => {
                let whole = Segment { start: Expr::Index(0), end: self.extent(inner.variable) };
                let bounds = self.within_part(inner.variable, whole, true, scope);
                self.run_by_coordinate(inner, point, bounds, scope)
            }
            (Some(driver), None, false) => {
                let iterator = &inner.iterators[driver];
                match self.coordinate_bounds(iterator, scope) {
                    Some(bounds) if self.interval(inner.variable, scope).is_some() => {
                        let is_full = iterator.is_full(self.program);
                        let bounds = self.within_part(inner.variable, bounds, is_full, scope);
                        self.run_by_coordinate(inner, point, bounds, scope)
                    }
                    Some(bounds) => {
                        let (mut stmts, bounds) = self.named(inner.variable, iterator, bounds);
                        stmts.extend(self.run_by_coordinate(inner, point, bounds, scope));
                        stmts
                    }
                    None if iterator.is_spread(self.program) && !iterator.reorders() => {
                        self.run_below_each(inner, point, driver, scope)
                    }
                    None => {
                        let groups = self.run_by_group(inner, point, driver, scope);
                        groups.unwrap_or_else(|| self.run_from_begin(inner, point, driver, scope))
                    }
                }
            }
            (Some(_), _, _) => self.merge(inner, scope),
        }
    }

    /// Lowers the loop over all positions of an iterator within its range.
    pub(super) fn run_from_begin(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        driver: usize,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let iterator = &inner.iterators[driver];
        let (mut stmts, bounds) = self.begin(iterator, scope);
        let (narrow, bounds) =
            self.narrowed(inner.variable, iterator, bounds, iterator.dedups(), scope);
        stmts.extend(narrow);
        stmts.extend(self.run_by_position(inner, point, driver, bounds, scope));
        stmts
    }

    /// Lowers `for j in 0..j_size { … }`.
    pub(super) fn run_by_coordinate(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        bounds: Segment,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let name = self.names.variable(inner.variable).to_owned();
        let end = self.clip(inner.variable, bounds.end, scope);
        let mut scope = scope.clone();
        scope.bind(inner.variable, Expr::var(&name));
        let body = self.cases(inner, point, &scope, &[]);
        inner.order.each(&name, Segment { start: bounds.start, end }, body)
    }

    /// Lowers `for p_a in … { let j = a2_crd[p_a]; … }`, or the body alone if there is one
    /// position. The variables that the iterator carries must have their values at the first
    /// position.
    pub(super) fn run_by_position(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        driver: usize,
        bounds: Segment,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let iterator = &inner.iterators[driver];
        if iterator.dedups() {
            return self.run_by_segment(inner, point, driver, bounds, scope);
        }
        let next = |lowering: &Self, position: &Expr, coordinate: &str| {
            lowering.next_carried(iterator, position.clone(), Expr::var(coordinate))
        };
        self.run_over(inner, point, driver, bounds, scope, &next)
    }

    /// Lowers `for p_a_run in … { for p_a in … { … } }`, for a level with groups of positions.
    fn run_by_group(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        driver: usize,
        scope: &Scope,
    ) -> Option<Vec<Stmt>> {
        let iterator = &inner.iterators[driver];
        let is_narrowed = self.interval(inner.variable, scope).is_some();
        if iterator.dedups() || iterator.reorders() || is_narrowed {
            return None;
        }
        let storage = self.storage(iterator);
        let groups = self.position_iteration(iterator).groups()?;
        let name = storage.carried(groups.name()).to_owned();
        let bounds = groups.group_bounds(&storage, scope.position(&iterator.access));
        let positions = groups.group_positions(&storage, Expr::var(&name));
        let stays = |_: &Self, _: &Expr, _: &str| Vec::new();
        let body = self.run_over(inner, point, driver, positions, scope, &stays);
        Some(Stmt::for_range(&name, bounds.start, bounds.end, body))
    }

    /// Lowers the loop over positions; `next` returns the statements that advance the carried
    /// variables from a position, given the name of its coordinate.
    fn run_over(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        driver: usize,
        bounds: Segment,
        scope: &Scope,
        next: &dyn Fn(&Self, &Expr, &str) -> Vec<Stmt>,
    ) -> Vec<Stmt> {
        let iterator = &inner.iterators[driver];
        let coordinate = self.names.variable(inner.variable).to_owned();
        let carries = self.carries(iterator);
        let alone = bounds == Segment::of(bounds.start.clone()) && !carries;
        let position = if alone {
            bounds.start.clone()
        } else {
            Expr::var(&self.names.position(&iterator.access, iterator.level))
        };
        let mut within = scope.clone();
        within.resolve(&iterator.access, self.standing(iterator, Segment::of(position.clone())));
        let Found { prelude: mut body, value, found } = self.access(iterator, &position, scope);
        let own = self.names.coordinate(inner.variable, &iterator.access);
        let filter = self.filter(iterator, &Expr::var(&own), scope);
        let (mut cases, mut stored) = (Vec::new(), coordinate.clone());
        if let (Some(_), Some(mode)) = (&filter, self.part_of(iterator)) {
            let raw = self.raw_access(iterator, &position, scope).value;
            body.push(Stmt::bind(&own, raw));
            let counted = self.counted(mode, Expr::var(&own), scope);
            cases.push(Stmt::bind(&coordinate, counted));
            stored = own;
        } else {
            body.push(Stmt::bind(&coordinate, value));
        }
        within.bind(inner.variable, Expr::var(&coordinate));
        cases.extend(self.cases(inner, point, &within, &[]));
        for condition in [filter, found].into_iter().flatten() {
            cases = Stmt::when(condition, cases);
        }
        body.extend(cases);
        body.extend(next(self, &position, &stored));
        match position {
            Expr::Var(name) if !alone => inner.order.each(&name, bounds, body),
            _ => body,
        }
    }

    /// Lowers a loop over distinct coordinates, each with all of its positions.
    fn run_by_segment(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        driver: usize,
        bounds: Segment,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let iterator = &inner.iterators[driver];
        let coordinate = self.names.variable(inner.variable).to_owned();
        let position = self.names.position(&iterator.access, iterator.level);
        let (mut stmts, end) = self.start(iterator, bounds, scope);
        let mut body = self.dereference(iterator, &Expr::var(&position), &coordinate, scope);
        let (search, next) = self.segment_end(iterator, &end, &Expr::var(&coordinate), scope);
        body.extend(search);
        let mut within = scope.clone();
        within.bind(inner.variable, Expr::var(&coordinate));
        let segment = Segment { start: Expr::var(&position), end: Expr::var(&next) };
        within.resolve(&iterator.access, self.standing(iterator, segment));
        body.extend(self.cases(inner, point, &within, &[]));
        body.push(Stmt::assign(&position, Expr::var(&next)));
        body.extend(self.skip(iterator, scope));
        stmts.extend(Stmt::repeat_while(Expr::lt(Expr::var(&position), end), body));
        stmts
    }

    /// Returns `let mut p_a = …; let p_a_end = …;` and the end as an expression.
    pub(super) fn start(
        &self,
        iterator: &LevelIterator,
        bounds: Segment,
        scope: &Scope,
    ) -> (Vec<Stmt>, Expr) {
        let position = self.names.position(&iterator.access, iterator.level);
        let end = Expr::var(&format!("{position}_end"));
        let mut stmts = Vec::new();
        // If the positions were searched, the bounds have these names.
        if bounds.start != Expr::var(&position) {
            stmts.push(Stmt::bind_mut(&position, bounds.start));
        }
        if bounds.end != end {
            stmts.push(Stmt::bind(&format!("{position}_end"), bounds.end));
        }
        stmts.extend(self.skip(iterator, scope));
        (stmts, end)
    }

    /// Finds the end of the positions with the same coordinate; returns the statements, and the
    /// name of the end.
    pub(super) fn segment_end(
        &self,
        iterator: &LevelIterator,
        end: &Expr,
        coordinate: &Expr,
        scope: &Scope,
    ) -> (Vec<Stmt>, String) {
        let position = self.names.position(&iterator.access, iterator.level);
        let next = format!("{position}_next");
        let (at_next, here) = match self.part_of(iterator) {
            // Entries between two steps of a slice must not be counted with the first one.
            Some(mode) => (
                self.raw_access(iterator, &Expr::var(&next), scope).value,
                self.in_mode(mode, coordinate.clone(), scope),
            ),
            None => (self.access(iterator, &Expr::var(&next), scope).value, coordinate.clone()),
        };
        let more = Expr::and(Expr::lt(Expr::var(&next), end.clone()), Expr::eq(at_next, here));
        let mut stmts = vec![Stmt::bind_mut(&next, Expr::var(&position))];
        let mut advance = self.next_carried(iterator, Expr::var(&next), coordinate.clone());
        advance.push(Stmt::accumulate(&next, Expr::Index(1)));
        stmts.extend(Stmt::repeat_while(more, advance));
        (stmts, next)
    }

    /// Returns `let j = a2_crd[p_a];`.
    pub(super) fn dereference(
        &self,
        iterator: &LevelIterator,
        position: &Expr,
        name: &str,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let Found { prelude: mut stmts, value, .. } = self.access(iterator, position, scope);
        stmts.push(Stmt::bind(name, value));
        stmts
    }

    /// Returns the access at a position, with the coordinate of the loop.
    pub(super) fn access(&self, iterator: &LevelIterator, position: &Expr, scope: &Scope) -> Found {
        if iterator.reorders() {
            return Found::always(self.coordinate_in_copy(iterator, position.clone()));
        }
        let raw = self.raw_access(iterator, position, scope);
        match self.part_of(iterator) {
            Some(mode) => Found { value: self.counted(mode, raw.value.clone(), scope), ..raw },
            None => raw,
        }
    }

    pub(super) fn access_below(
        &self,
        iterator: &LevelIterator,
        position: &Expr,
        ancestors: &[Expr],
    ) -> Found {
        let name = self.names.position(&iterator.access, iterator.level);
        let storage = self.storage(iterator);
        let iteration = self.position_iteration(iterator);
        iteration.pos_access(&storage, position.clone(), ancestors, &name)
    }

    /// Returns whether some positions may be unused.
    pub(super) fn may_be_unused(&self, iterator: &LevelIterator) -> bool {
        let ancestors = vec![Expr::Index(0); iterator.level];
        !iterator.reorders()
            && self.access_below(iterator, &Expr::Index(0), &ancestors).found.is_some()
    }

    /// Returns the bounds of an iterator by position, and the statements before them: the carried
    /// variables, or the sorted copy over which it iterates instead.
    pub(super) fn begin(&self, iterator: &LevelIterator, scope: &Scope) -> (Vec<Stmt>, Segment) {
        if iterator.reorders() {
            return self.sorted_copy(iterator, scope);
        }
        let parent = scope.position(&iterator.access);
        let parents = scope.reached(&iterator.access).segment().clone();
        let bounds = self.position_bounds(iterator, parents);
        let (mut stmts, bounds) = self.within_blocks(iterator, bounds, scope);
        if !self.begins_at_block(iterator, scope) {
            stmts.extend(self.begin_carried(iterator, parent));
        }
        (stmts, bounds)
    }

    pub(super) fn position_iteration(&self, iterator: &LevelIterator) -> &dyn PositionIteration {
        let level = &iterator.spec(self.program).level;
        level.position_iteration().expect("iterated by position")
    }

    /// Returns the storage of the level, with the names of its carried variables.
    pub(super) fn storage(&self, iterator: &LevelIterator) -> Storage {
        let mut storage = self.storages[iterator.access.tensor.0][iterator.level].clone();
        let position = self.names.position(&iterator.access, iterator.level);
        let carried = self.position_iteration(iterator).all_carried().into_iter();
        storage.carried = carried.map(|name| (name, format!("{position}_{name}"))).collect();
        storage
    }

    /// Returns the positions of all children of a segment of parents.
    pub(super) fn position_bounds(&self, iterator: &LevelIterator, parents: Segment) -> Segment {
        let of = |parents| {
            self.position_iteration(iterator).pos_bounds(&self.storage(iterator), parents)
        };
        let is_sure = parents == Segment::of(parents.start.clone());
        let is_compact = iterator.spec(self.program).properties.compact;
        if is_sure || is_compact || iterator.parents != Positions::AtMostOne {
            return of(parents);
        }
        // Without a parent there are no bounds to be read.
        let is_there = Expr::lt(parents.start.clone(), parents.end);
        let own = of(Segment::of(parents.start));
        let [start, end] =
            [own.start, own.end].map(|bound| Expr::choose(is_there.clone(), bound, Expr::Index(0)));
        Segment { start, end }
    }

    /// Returns the bounds of an iterator by coordinate in coordinates of the loop, or `None` for an
    /// iterator by position.
    pub(super) fn coordinate_bounds(
        &self,
        iterator: &LevelIterator,
        scope: &Scope,
    ) -> Option<Segment> {
        self.own_bounds(iterator, scope).map(|own| self.counted_bounds(iterator, own, scope))
    }

    /// Returns the bounds of an iterator by coordinate in coordinates of the level.
    pub(super) fn own_bounds(&self, iterator: &LevelIterator, scope: &Scope) -> Option<Segment> {
        let level = &iterator.spec(self.program).level;
        let iteration = level.coordinate_iteration()?;
        let storage = &self.storages[iterator.access.tensor.0][iterator.level];
        let parent = scope.position(&iterator.access);
        Some(iteration.coord_bounds(storage, parent, &self.ancestors(iterator, scope)))
    }

    /// Returns the coordinates of the levels above.
    pub(super) fn ancestors(&self, iterator: &LevelIterator, scope: &Scope) -> Vec<Expr> {
        (0..iterator.level)
            .filter_map(|level| self.program.level_variable(&iterator.access, level))
            .map(|v| scope.coordinate(v))
            .collect()
    }
}
