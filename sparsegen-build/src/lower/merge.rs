//! Loops with several driving iterators, one loop for each merge point.

mod comment;

use crate::ir::comment::Part;
use crate::ir::{Expr, Stmt};
use crate::iteration::lattice::{MergePoint, Set};
use crate::iteration::plan::Loop;
use crate::level::{Found, Segment};
use crate::notation::schedule::Strategy;
use crate::types::Width;

use super::Lowering;
use super::origin::{marked, origin};
use super::scope::Scope;

impl Lowering<'_> {
    /// Lowers the merge points of a loop; each continues where the previous one ends.
    pub(super) fn merge(&mut self, inner: &Loop, scope: &Scope) -> Vec<Stmt> {
        let drivers = inner.points.iter().fold(Set::EMPTY, |all, point| all.union(point.drivers));
        let mut stmts = Vec::new();
        let mut ends: Vec<Option<Expr>> = vec![None; inner.iterators.len()];
        for member in self.by_position(inner, drivers).members() {
            let iterator = &inner.iterators[member];
            let (begin, bounds) = self.begin(iterator, scope);
            stmts.extend(begin);
            let (narrow, bounds) = self.narrowed(inner.variable, iterator, bounds, true, scope);
            stmts.extend(narrow);
            let bounds = self.inside_only(iterator, bounds, scope);
            let (start, end) = self.start(iterator, bounds, scope);
            stmts.extend(start);
            ends[member] = Some(end);
        }
        if inner.points.iter().any(|point| self.counts(inner, point, scope).is_some()) {
            let name = self.names.variable(inner.variable).to_owned();
            let begin =
                self.interval(inner.variable, scope).map_or(Expr::Index(0), |part| part.start);
            stmts.push(Stmt::bind_mut(&name, begin));
        }
        for (k, point) in inner.points.iter().enumerate() {
            let mut merge: Vec<Stmt> = self.comment(inner, point, scope).into_iter().collect();
            merge.extend(self.merge_point(inner, point, &ends, scope));
            stmts.extend(marked(origin(inner, Part::Point(k)), merge));
        }
        stmts
    }

    fn merge_point(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        ends: &[Option<Expr>],
        scope: &Scope,
    ) -> Vec<Stmt> {
        let walked = self.by_position(inner, point.drivers);
        let end = |member: usize| ends[member].clone().expect("drivers by position have an end");
        let position = |member: usize| {
            let iterator = &inner.iterators[member];
            Expr::var(&self.names.position(&iterator.access, iterator.level))
        };
        if let Some(size) = self.counts(inner, point, scope) {
            if walked.is_empty() {
                let reached = Expr::var(self.names.variable(inner.variable));
                let mut drivers = point.drivers.members().map(|member| &inner.iterators[member]);
                let own = drivers.find_map(|driver| self.coordinate_bounds(driver, scope));
                let bounds = match own {
                    Some(Segment { start, end }) => {
                        let bounds = Segment { start: Expr::max(reached, start), end };
                        let part = self.interval(inner.variable, scope).map(|part| part.end);
                        match part {
                            Some(end) => Segment { end: Expr::min(bounds.end, end), ..bounds },
                            None => bounds,
                        }
                    }
                    None => Segment { start: reached, end: size },
                };
                return self.run_by_coordinate(inner, point, bounds, scope);
            }
        } else if let Some(member) = walked.members().next().filter(|_| walked.len() == 1) {
            let bounds = Segment { start: position(member), end: end(member) };
            if !self.dedups(inner, member) {
                return self.run_by_position(inner, point, member, bounds, scope);
            }
        }
        let lasts = |member: usize| Expr::lt(position(member), end(member));
        let sparse = self.sparse(inner, walked);
        let mut conditions = Vec::new();
        if !point.ended.is_empty()
            && let Some(size) = self.counts(inner, point, scope)
        {
            conditions.push(Expr::lt(Expr::var(self.names.variable(inner.variable)), size));
        } else if point.ended == sparse {
            conditions.extend(walked.minus(sparse).members().take(1).map(lasts));
        }
        conditions.extend(sparse.minus(point.ended).members().map(lasts));
        let mut cases = point.cases.iter().filter(|(_, outcome)| *outcome != 0);
        if cases.all(|(set, _)| set.meets(point.ended)) {
            conditions.extend(point.ended.members().map(lasts).reduce(Expr::or));
        }
        let lasts = conditions.into_iter().reduce(Expr::and).unwrap_or(Expr::Bool(true));
        let body = match &self.sparse(inner, walked).members().collect::<Vec<_>>()[..] {
            [a, b] if self.is_plain_pair(inner, point, walked) => {
                self.pair(inner, point, [*a, *b], ends, scope)
            }
            _ => self.several(inner, point, walked, ends, scope),
        };
        Stmt::repeat_while(lasts, body)
    }

    /// Merges two sorted lists, with one comparison of their coordinates.
    fn pair(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        [a, b]: [usize; 2],
        ends: &[Option<Expr>],
        scope: &Scope,
    ) -> Vec<Stmt> {
        let mut body = Vec::new();
        let [j_a, j_b] = [a, b].map(|member| {
            let iterator = &inner.iterators[member];
            let name = self.names.coordinate(inner.variable, &iterator.access);
            let position = self.names.position(&iterator.access, iterator.level);
            body.extend(self.dereference(iterator, &Expr::var(&position), &name, scope));
            Expr::var(&name)
        });
        let both = Set::of([a, b]);
        let [in_both, in_a, in_b] = [both, Set::of([a]), Set::of([b])].map(|present| {
            let case = point.cases.iter().find(|(set, _)| set.is_subset(present));
            case.map_or(0, |(_, outcome)| *outcome)
        });
        let equal = Expr::eq(j_a.clone(), j_b.clone());
        if in_a == 0 && in_b == 0 {
            let mut met = self.at(inner, point, both, in_both, &j_a, scope);
            met.extend(self.advance(inner, a, &j_a, scope));
            met.extend(self.advance(inner, b, &j_b, scope));
            if inner.annotations.strategy == Strategy::Gallop {
                let [a_leaps, b_leaps] = [(a, &j_b), (b, &j_a)].map(|(member, to)| {
                    let end = ends[member].as_ref().expect("drivers by position have an end");
                    let iterator = &inner.iterators[member];
                    let mut leap = self.leap(iterator, end, to, scope);
                    leap.extend(self.skip(iterator, scope));
                    leap
                });
                let less = Expr::lt(j_a.clone(), j_b.clone());
                body.extend(Stmt::choose(vec![(equal, met), (less, a_leaps)], b_leaps));
                return body;
            }
            // Which one is behind is unpredictable, so that it is computed without a branch.
            let (a_behind, b_behind) =
                (Expr::lt(j_a.clone(), j_b.clone()), Expr::lt(j_b.clone(), j_a.clone()));
            let mut behind = self.advance_if(inner, a, a_behind, &j_a, scope);
            behind.extend(self.advance_if(inner, b, b_behind, &j_b, scope));
            body.extend(Stmt::choose(vec![(equal, met)], behind));
            return body;
        }
        let mut met = self.at(inner, point, both, in_both, &j_a, scope);
        met.extend(self.advance(inner, a, &j_a, scope));
        met.extend(self.advance(inner, b, &j_b, scope));
        let mut only_a = self.at(inner, point, Set::of([a]), in_a, &j_a, scope);
        only_a.extend(self.advance(inner, a, &j_a, scope));
        let mut only_b = self.at(inner, point, Set::of([b]), in_b, &j_b, scope);
        only_b.extend(self.advance(inner, b, &j_b, scope));
        let less = Expr::lt(j_a, j_b);
        body.extend(Stmt::choose(vec![(equal, met), (less, only_a)], only_b));
        body
    }

    /// Lowers the body at a coordinate at which exactly the iterators in `present` have entries.
    fn at(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        present: Set,
        outcome: usize,
        coordinate: &Expr,
        scope: &Scope,
    ) -> Vec<Stmt> {
        if outcome == 0 {
            return Vec::new();
        }
        let mut scope = scope.clone();
        scope.bind(inner.variable, coordinate.clone());
        for member in present.members() {
            let iterator = &inner.iterators[member];
            let position = self.names.position(&iterator.access, iterator.level);
            let standing = self.standing(iterator, Segment::of(Expr::var(&position)));
            scope.resolve(&iterator.access, standing);
        }
        let certain = MergePoint {
            drivers: present,
            located: point.located,
            by_dimension: false,
            ended: Set::EMPTY,
            cases: vec![(Set::EMPTY, outcome)],
        };
        self.cases(inner, &certain, &scope, &[])
    }

    /// Merges any number of iterators: finds the smallest coordinate, then selects the case of its
    /// region.
    fn several(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        walked: Set,
        ends: &[Option<Expr>],
        scope: &Scope,
    ) -> Vec<Stmt> {
        let mut body = Vec::new();
        let mut within = scope.clone();
        let name = self.names.variable(inner.variable).to_owned();
        let sparse = self.sparse(inner, walked);
        let counts = self.counts(inner, point, scope).is_some();
        let own = |member: usize| {
            Expr::var(&self.names.coordinate(inner.variable, &inner.iterators[member].access))
        };
        let leader = walked.minus(sparse).members().next().filter(|_| !counts);
        let alone = !counts && walked.len() == 1;
        for member in walked.members() {
            let iterator = &inner.iterators[member];
            let position = self.names.position(&iterator.access, iterator.level);
            let own_name = self.names.coordinate(inner.variable, &iterator.access);
            if leader == Some(member) || alone {
                body.extend(self.dereference(iterator, &Expr::var(&position), &name, scope));
            } else if point.ended.contains(member) {
                let end = ends[member].clone().expect("drivers by position have an end");
                let lasts = Expr::lt(Expr::var(&position), end);
                let access = self.access(iterator, &Expr::var(&position), scope);
                let beyond = match iterator.spec(self.program).expr.may_be_negative() {
                    true => Expr::LargestOffset,
                    false => Expr::largest(Width::Usize),
                };
                body.extend(or_beyond(&own_name, lasts, access, beyond));
            } else if sparse.contains(member) {
                body.extend(self.dereference(iterator, &Expr::var(&position), &own_name, scope));
            }
            let standing = self.standing(iterator, Segment::of(Expr::var(&position)));
            within.resolve(&iterator.access, standing);
        }
        if !counts && leader.is_none() && !alone {
            let least = sparse.members().map(own).reduce(Expr::min);
            body.push(Stmt::bind(&name, least.expect("something drives the loop")));
        }
        within.bind(inner.variable, Expr::var(&name));
        let uncertain = sparse.members().filter(|_| !alone);
        let stands: Vec<(usize, Expr)> =
            uncertain.map(|member| (member, Expr::eq(own(member), Expr::var(&name)))).collect();
        // An unused position has a coordinate but no entry.
        let here = stands.iter().map(|(member, stands)| {
            let iterator = &inner.iterators[*member];
            let position = Expr::var(&self.names.position(&iterator.access, iterator.level));
            let found = self.access(iterator, &position, scope).found;
            (*member, found.map_or(stands.clone(), |found| Expr::and(stands.clone(), found)))
        });
        let here: Vec<(usize, Expr)> = here.collect();
        let mut advances = Vec::new();
        for member in walked.members() {
            let iterator = &inner.iterators[member];
            if self.dedups(inner, member) {
                let position = self.names.position(&iterator.access, iterator.level);
                let end = ends[member].clone().expect("drivers by position have an end");
                let (search, next) = self.segment_end(iterator, &end, &Expr::var(&name), scope);
                body.extend(search);
                let segment = Segment { start: Expr::var(&position), end: Expr::var(&next) };
                within.resolve(&iterator.access, self.standing(iterator, segment));
                advances.push(Stmt::assign(&position, Expr::var(&next)));
                advances.extend(self.skip(iterator, scope));
            } else {
                let at = Expr::var(&name);
                advances.extend(match stands.iter().find(|(of, _)| *of == member) {
                    Some((_, stands)) => self.advance_if(inner, member, stands.clone(), &at, scope),
                    None => self.advance(inner, member, &at, scope),
                });
            }
        }
        body.extend(self.cases(inner, point, &within, &here));
        body.extend(advances);
        if counts {
            body.push(Stmt::accumulate(&name, Expr::Index(1)));
        }
        body
    }

    /// Advances an iterator at a coordinate to its next position.
    fn advance(&self, inner: &Loop, member: usize, coordinate: &Expr, scope: &Scope) -> Vec<Stmt> {
        self.advance_if(inner, member, Expr::Bool(true), coordinate, scope)
    }

    /// Advances an iterator if a condition holds; adds the condition to the position where that
    /// suffices.
    fn advance_if(
        &self,
        inner: &Loop,
        member: usize,
        condition: Expr,
        coordinate: &Expr,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let iterator = &inner.iterators[member];
        let position = self.names.position(&iterator.access, iterator.level);
        let mut next = self.next_carried(iterator, Expr::var(&position), coordinate.clone());
        let skip = self.skip(iterator, scope);
        if next.is_empty() && skip.is_empty() {
            return vec![Stmt::accumulate(&position, Expr::from_bool(condition))];
        }
        next.push(Stmt::accumulate(&position, Expr::Index(1)));
        next.extend(skip);
        Stmt::when(condition, next)
    }

    /// Returns the end of the dimension if the loop counts through it. A loop over all entries of a
    /// full level does so as well where a later one continues by counting.
    fn counts(&self, inner: &Loop, point: &MergePoint, scope: &Scope) -> Option<Expr> {
        let by_coordinate = |of: &MergePoint| of.drivers.minus(self.by_position(inner, of.drivers));
        let must_count = |of: &MergePoint| of.by_dimension || !by_coordinate(of).is_empty();
        let walked = self.by_position(inner, point.drivers);
        let has_all = self.sparse(inner, walked) != walked;
        (must_count(point) || has_all && inner.points.iter().any(must_count)).then(|| {
            match self.interval(inner.variable, scope) {
                Some(part) => part.end,
                None => self.clip(inner.variable, self.extent(inner.variable), scope),
            }
        })
    }

    fn by_position(&self, inner: &Loop, set: Set) -> Set {
        let iterated = |member: &usize| {
            let level = &inner.iterators[*member].spec(self.program).level;
            level.coordinate_iteration().is_none()
        };
        Set::of(set.members().filter(iterated))
    }

    fn sparse(&self, inner: &Loop, set: Set) -> Set {
        Set::of(set.members().filter(|member| !inner.iterators[*member].is_full(self.program)))
    }

    fn dedups(&self, inner: &Loop, member: usize) -> bool {
        inner.iterators[member].dedups()
    }

    /// Returns whether only two unique sparse iterators without unused positions drive a merge
    /// point, and every located iterator has an entry.
    fn is_plain_pair(&self, inner: &Loop, point: &MergePoint, walked: Set) -> bool {
        walked == point.drivers
            && walked.len() == 2
            && !point.by_dimension
            && point.ended.is_empty()
            && walked.members().all(|member| !inner.iterators[member].is_optional())
            && walked.members().all(|member| !self.dedups(inner, member))
            && walked.members().all(|member| !self.may_be_unused(&inner.iterators[member]))
            && walked.members().all(|member| inner.iterators[member].waiting_are_full(self.program))
            && self.sparse(inner, point.located).is_empty()
    }
}

/// Returns `let j_a = if … { … } else { usize::MAX };`: the coordinate of an exhausted iterator,
/// `beyond`, is larger than all others.
fn or_beyond(name: &str, lasts: Expr, access: Found, beyond: Expr) -> Vec<Stmt> {
    if access.prelude.is_empty() {
        return vec![Stmt::bind(name, Expr::choose(lasts, access.value, beyond))];
    }
    let mut reached = access.prelude;
    reached.push(Stmt::assign(name, access.value));
    let mut stmts = vec![Stmt::bind_mut(name, beyond)];
    stmts.extend(Stmt::when(lasts, reached));
    stmts
}
