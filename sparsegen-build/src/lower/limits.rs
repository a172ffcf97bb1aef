//! Masks as loop bounds: a predicate over the variable of a loop that bounds its range.
//!
//! `(i >= j) * A[i,j]` ends each row of `A` at the diagonal. Bounds of ordered entries are found by
//! binary search; other loops test the predicate for each entry.

use std::sync::Arc;

use crate::coordinate::Affine;
use crate::ir::{BinaryOp, Comment, Expr, Stmt};
use crate::iteration::lattice::MergePoint;
use crate::iteration::plan::{Loop, Plan};
use crate::level::Segment;
use crate::notation::{self, Function, VariableId};

use super::Lowering;
use super::scope::Scope;

/// The bounds of a loop.
#[derive(Default)]
struct Limits {
    /// The first coordinate.
    start: Option<Expr>,
    /// The coordinate after the last one.
    end: Option<Expr>,
}

impl Lowering<'_> {
    /// Lowers a loop with a single merge point, if predicates over all of its bodies bound its
    /// variable and the loop can begin and end at these bounds.
    pub(super) fn run_limited(&mut self, inner: &Loop, scope: &Scope) -> Option<Vec<Stmt>> {
        let [point] = &inner.points[..] else { return None };
        let is_part = self.parted.is_some_and(|parted| parted.variable == inner.variable);
        if is_part && inner.resumes.is_none() || !inner.may_be_limited(self.program) {
            return None;
        }
        let (limits, rest) = self.limits(inner, scope)?;
        let Some(driver) = point.drivers.members().next() else {
            let whole = Segment { start: Expr::Index(0), end: self.extent(inner.variable) };
            return Some(self.run_cut(&rest, point, limits.within(whole), scope));
        };
        let iterator = &inner.iterators[driver];
        if let Some(bounds) = self.coordinate_bounds(iterator, scope) {
            return Some(self.run_cut(&rest, point, limits.within(bounds), scope));
        }
        if !iterator.can_be_cut(self.program) {
            return None;
        }
        let (mut stmts, bounds) = self.begin(iterator, scope);
        let name = self.names.position(&iterator.access, iterator.level);
        let Segment { mut start, mut end } = bounds;
        if let Some(first) = limits.start {
            let found = self.search(iterator, start, end.clone(), first, scope);
            let begin = format!("{name}_begin");
            stmts.push(Stmt::bind(&begin, found));
            start = Expr::var(&begin);
        }
        start = self.resume(inner, &name, start);
        if let Some(last) = limits.end {
            let after = format!("{name}_end");
            if inner.resumes.is_some() {
                // The positions of all iterations of the loop around this one are passed once.
                stmts.push(Stmt::bind_mut(&after, start.clone()));
                let coordinate = self.raw_access(iterator, &Expr::var(&after), scope).value;
                let lasts = Expr::lt(Expr::var(&after), end);
                let more = Expr::and(lasts, Expr::lt(coordinate, last));
                let step = vec![Stmt::accumulate(&after, Expr::Index(1))];
                stmts.extend(Stmt::repeat_while(more, step));
            } else {
                let found = self.search(iterator, start.clone(), end, last, scope);
                stmts.push(Stmt::bind(&after, found));
            }
            end = Expr::var(&after);
        }
        let bounds = Segment { start: start.clone(), end: end.clone() };
        stmts.extend(self.run_by_position(&rest, point, driver, bounds, scope));
        stmts.extend(resumed(inner, start, end));
        Some(stmts)
    }

    /// Lowers a loop over the coordinates within limits.
    fn run_cut(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        Segment { start, end }: Segment,
        scope: &Scope,
    ) -> Vec<Stmt> {
        if inner.resumes.is_none() {
            return self.run_by_coordinate(inner, point, Segment { start, end }, scope);
        }
        let name = self.names.variable(inner.variable).to_owned();
        let start = self.resume(inner, &name, start);
        let after = format!("{name}_end");
        let mut stmts = vec![Stmt::bind(&after, end)];
        let bounds = Segment { start: start.clone(), end: Expr::var(&after) };
        stmts.extend(self.run_by_coordinate(inner, point, bounds, scope));
        stmts.extend(resumed(inner, start, Expr::var(&after)));
        stmts
    }

    /// Returns the start of a loop: where it has ended before, if it resumes.
    fn resume(&mut self, inner: &Loop, name: &str, start: Expr) -> Expr {
        let Some(around) = inner.resumes else { return start };
        let mut next = format!("{name}_next");
        // Several loops over one variable may resume at different coordinates.
        let others = self.resuming.iter().filter(|other| **other == next).count();
        self.resuming.push(next.clone());
        if others > 0 {
            next = format!("{next}{}", others + 1);
        }
        let [of, each] = [inner.variable, around].map(|v| &self.program.kernel.variable(v).name);
        let why = format!("The loop over `{of}` resumes where it ended for the previous `{each}`.");
        self.begun.push((around, Stmt::Comment(Comment::Text(why))));
        self.begun.push((around, Stmt::bind_mut(&next, start)));
        Expr::var(&next)
    }

    /// Returns the bounds of the loop's variable from the predicates common to all bodies, and the
    /// loop without these predicates.
    fn limits(&self, inner: &Loop, scope: &Scope) -> Option<(Limits, Loop)> {
        let mut limits = Limits::default();
        let mut taken: Vec<notation::Expr> = Vec::new();
        for condition in inner.conditions() {
            if self.limit(condition, inner.variable, &mut limits, scope) {
                taken.push(condition.clone());
            }
        }
        if taken.is_empty() {
            return None;
        }
        let without = |body: &Arc<Plan>| match &**body {
            Plan::If { condition, body } => {
                let kept = condition.conjuncts().into_iter();
                let kept = kept.filter(|condition| !taken.contains(condition)).cloned();
                let both = |a, b| notation::Expr::binary(BinaryOp::And, a, b);
                match kept.reduce(both) {
                    Some(condition) => Arc::new(Plan::If { condition, body: Arc::clone(body) }),
                    None => Arc::clone(body),
                }
            }
            Plan::Loop(_)
            | Plan::Where { .. }
            | Plan::Assign { .. }
            | Plan::Sequence(_)
            | Plan::Visit(_) => Arc::clone(body),
        };
        let bodies = inner.bodies.iter().map(without).collect();
        Some((limits, Loop { bodies, ..inner.clone() }))
    }

    /// Adds the bound of a variable that a predicate implies, if it does.
    fn limit(
        &self,
        condition: &notation::Expr,
        v: VariableId,
        limits: &mut Limits,
        scope: &Scope,
    ) -> bool {
        let notation::Expr::Call(Function::Operator(op), sides) = condition else { return false };
        let equal = *op == BinaryOp::Eq;
        if !equal && !matches!(op, BinaryOp::Lt | BinaryOp::Le) {
            return false;
        }
        // A coordinate that is computed from the loop's variable, such as that of a mode in blocks,
        // is known only within the loop.
        let mut is_known = true;
        condition.for_each_variable(&mut |of| is_known &= of == v || scope.knows(of));
        if !is_known {
            return false;
        }
        let own = notation::Expr::Index(v);
        let solve = || {
            let difference = notation::Expr::difference(&sides[0], &sides[1])?;
            let bound = difference.solve_for(&own)?;
            let mut is_solved = true;
            for factor in bound.variables() {
                factor.for_each_variable(&mut |of| is_solved &= of != v);
            }
            is_solved.then_some(())?;
            let ahead = |by: i64| self.compared(&bound.clone().plus(&Affine::constant(by))?, scope);
            let beyond = i64::from(*op == BinaryOp::Le);
            Some(match (equal, difference.stride(&own) > 0) {
                (true, _) => (Some(ahead(0)?.certain()?), Some(ahead(1)?.certain()?)),
                (false, true) => (None, Some(ahead(beyond)?.coordinate())),
                (false, false) => (Some(ahead(1 - beyond)?.coordinate()), None),
            })
        };
        let Some((start, end)) = solve() else { return false };
        start.into_iter().for_each(|start| limits.from(start));
        end.into_iter().for_each(|end| limits.to(end));
        true
    }
}

/// Returns the statement behind a loop that resumes at its end.
fn resumed(inner: &Loop, start: Expr, end: Expr) -> Option<Stmt> {
    let Expr::Var(next) = &start else { return None };
    inner.resumes.map(|_| Stmt::assign(next, end))
}

impl Limits {
    fn from(&mut self, start: Expr) {
        self.start = Some(match self.start.take() {
            Some(known) => Expr::max(known, start),
            None => start,
        });
    }

    fn to(&mut self, end: Expr) {
        self.end = Some(match self.end.take() {
            Some(known) => Expr::min(known, end),
            None => end,
        });
    }

    /// Returns the intersection with a segment.
    fn within(self, Segment { start, end }: Segment) -> Segment {
        Segment {
            start: match self.start {
                Some(limit) if start == Expr::Index(0) => limit,
                Some(limit) => Expr::binary(BinaryOp::Max, start, limit),
                None => start,
            },
            end: match self.end {
                Some(limit) => Expr::min(end, limit),
                None => end,
            },
        }
    }
}
