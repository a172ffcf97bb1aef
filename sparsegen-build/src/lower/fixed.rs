//! Lowering of fixed coordinates.

use crate::ir::{Expr, Stmt};
use crate::iteration::iterator::LevelIterator;
use crate::iteration::lattice::MergePoint;
use crate::iteration::plan::Loop;
use crate::level::Segment;

use super::Lowering;
use super::scope::Scope;

impl Lowering<'_> {
    /// Lowers a loop over a fixed coordinate without a loop: each operand is looked up or searched.
    /// Returns `None` if several entries of an operand must be visited separately.
    pub(super) fn run_fixed(&mut self, inner: &Loop, scope: &Scope) -> Option<Vec<Stmt>> {
        let point = inner.points.first()?;
        let searched = |member: &usize| {
            let level = &inner.iterators[*member].spec(self.program).level;
            level.coordinate_iteration().is_none()
        };
        let searched: Vec<usize> = point.drivers.members().filter(searched).collect();
        let partial = |member: usize| {
            let iterator = &inner.iterators[member];
            self.is_by_coordinate(iterator) && !iterator.is_full(self.program)
        };
        let alone = inner.points.len() == 1 && point.drivers.len() == 1 && !point.by_dimension;
        if !searched.iter().all(|member| self.is_found(&inner.iterators[*member], alone)) {
            return None;
        }
        let outer = scope;
        let mut scope = outer.clone();
        scope.bind(inner.variable, Expr::Index(0));
        if let Some(driver) = point.drivers.members().find(|member| partial(*member)) {
            let iterator = &inner.iterators[driver];
            let within = self.own_bounds(iterator, outer)?;
            let mode = iterator.part(self.program)?;
            let at = self.bounds(mode, outer).start;
            let reached = Expr::le(within.start, at.clone());
            let inside = Expr::and(reached, Expr::lt(at, within.end));
            let inside = Expr::and(self.is_reached(mode, outer), inside);
            return Some(Stmt::when(inside, self.cases(inner, point, &scope, &[])));
        }
        let mut stmts = Vec::new();
        let mut here = Vec::new();
        for member in &searched {
            let iterator = &inner.iterators[*member];
            // A tensor indexed by the loop's own variable, such as a workspace, has only coordinate 0.
            let mode = iterator.part(self.program);
            let sought = mode.map_or(Segment::of(Expr::Index(0)), |mode| self.bounds(mode, &scope));
            let (found, segment) = self.find(iterator, sought, &scope, &mut stmts);
            let found = match iterator.part(self.program) {
                Some(mode) => Expr::and(self.is_reached(mode, outer), found),
                None => found,
            };
            scope.resolve(&iterator.access, self.standing(iterator, segment));
            here.push((*member, found));
        }
        if let ([(_, found)], true) = (&here[..], alone) {
            let body = self.cases(inner, point, &scope, &[]);
            stmts.extend(Stmt::when(found.clone(), body));
            return Some(stmts);
        }
        // The cases test for the presence of entries.
        let whole = MergePoint { by_dimension: true, ..point.clone() };
        stmts.extend(self.cases(inner, &whole, &scope, &here));
        Some(stmts)
    }

    /// Returns whether a single coordinate of an operand is searched, and its entries need not be visited
    /// separately. The operand may be `alone` in its loop.
    fn is_found(&self, iterator: &LevelIterator, alone: bool) -> bool {
        let repeats = !iterator.spec(self.program).properties.unique;
        // An operand of several levels may access the storage at its position.
        let waits = iterator.through > iterator.level && !alone;
        let single = iterator.is_single(self.program);
        let one_by_one = repeats && !iterator.dedups() && !single;
        iterator.is_searched(self.program) && !iterator.reorders() && !waits && !one_by_one
    }

    /// Lowers the only iteration of a loop over the entries of one operand, at a coordinate that is
    /// searched. Returns `None` if several entries of the operand must be visited separately.
    pub(super) fn run_searched(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        coordinate: Expr,
        scope: &Scope,
    ) -> Option<Vec<Stmt>> {
        let driver = &inner.iterators[point.drivers.members().next()?];
        if inner.resumes.is_some() || !self.is_found(driver, true) {
            return None;
        }
        let name = self.names.variable(inner.variable).to_owned();
        let mut stmts = vec![Stmt::bind(&name, coordinate)];
        let mut within = scope.clone();
        within.bind(inner.variable, Expr::var(&name));
        let (found, segment) = self.find(driver, Segment::of(Expr::var(&name)), scope, &mut stmts);
        within.resolve(&driver.access, self.standing(driver, segment));
        let body = self.cases(inner, point, &within, &[]);
        stmts.extend(Stmt::when(found, body));
        Some(stmts)
    }

    /// Searches for a coordinate; returns whether it is present, and its positions.
    fn find(
        &self,
        iterator: &LevelIterator,
        sought: Segment,
        scope: &Scope,
        stmts: &mut Vec<Stmt>,
    ) -> (Expr, Segment) {
        let (begin, positions) = self.begin(iterator, scope);
        stmts.extend(begin);
        let Segment { start: first, end: last } = sought;
        let at = |position: &Expr| self.raw_access(iterator, position, scope).value;
        if positions == Segment::of(positions.start.clone()) {
            let found = Expr::eq(at(&positions.start), first);
            return (found, positions);
        }
        let name = self.names.position(&iterator.access, iterator.level);
        let position = Expr::var(&name);
        let begin =
            self.search(iterator, positions.start, positions.end.clone(), first.clone(), scope);
        stmts.push(Stmt::bind(&name, begin));
        if iterator.dedups() {
            let next = format!("{name}_next");
            let end = self.search(iterator, position.clone(), positions.end, last, scope);
            stmts.push(Stmt::bind(&next, end));
            let next = Expr::var(&next);
            return (
                Expr::lt(position.clone(), next.clone()),
                Segment { start: position, end: next },
            );
        }
        let found =
            Expr::and(Expr::lt(position.clone(), positions.end), Expr::eq(at(&position), first));
        (found, Segment::of(position))
    }
}
