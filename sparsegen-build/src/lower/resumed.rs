//! Loops that resume where they ended for the previous coordinate of the loop around them.

use crate::ir::{BinaryOp, Comment, Expr, Stmt};
use crate::iteration::lattice::MergePoint;
use crate::iteration::plan::Loop;
use crate::iteration::resumed::{Order, Resumed};
use crate::level::Segment;

use super::Lowering;
use super::limits::Limits;
use super::scope::Scope;

impl Lowering<'_> {
    /// Lowers a loop over the coordinates within bounds that have not been visited.
    pub(super) fn resume_by_coordinate(
        &mut self,
        inner: &Loop,
        resumed: Resumed,
        point: &MergePoint,
        Segment { start, end }: Segment,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let name = self.names.variable(inner.variable).to_owned();
        let next = |lowering: &mut Self, first| lowering.resume(inner, resumed, &name, first);
        let (limit, bounds) = match resumed.order {
            Order::Forward => {
                let (start, after) = (next(self, start), format!("{name}_end"));
                (Stmt::bind(&after, end), Segment { start, end: Expr::var(&after) })
            }
            Order::Backward => {
                let (end, begin) = (next(self, end), format!("{name}_begin"));
                // The coordinates of the loop around may go beyond those of this one.
                let first = Expr::min(start, end.clone());
                (Stmt::bind(&begin, first), Segment { start: Expr::var(&begin), end })
            }
        };
        let mut stmts = vec![limit];
        stmts.extend(self.run_by_coordinate(inner, point, bounds.clone(), scope));
        stmts.extend(resumed.ended(bounds));
        stmts
    }

    /// Lowers a loop over the positions within limits that have not been visited. All iterations of the
    /// loop around pass each position once, so that their limits need no binary search.
    pub(super) fn resume_by_position(
        &mut self,
        inner: &Loop,
        resumed: Resumed,
        point: &MergePoint,
        driver: usize,
        limits: Limits,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let iterator = &inner.iterators[driver];
        let (mut stmts, Segment { start, end }) = self.begin(iterator, scope);
        let name = self.names.position(&iterator.access, iterator.level);
        let next = self.resume(
            inner,
            resumed,
            &name,
            match resumed.order {
                Order::Forward => start.clone(),
                Order::Backward => end.clone(),
            },
        );
        let coordinate = |at: &Expr| self.raw_access(iterator, at, scope).value;
        let (limit, more, step, bounds) = match resumed.order {
            Order::Forward => {
                let limit = format!("{name}_end");
                let at = Expr::var(&limit);
                let lasts = Expr::lt(at.clone(), end);
                let more = limits.end.map(|last| Expr::and(lasts, Expr::lt(coordinate(&at), last)));
                let step = Stmt::accumulate(&limit, Expr::Index(1));
                (limit, more, step, Segment { start: next.clone(), end: at })
            }
            Order::Backward => {
                let limit = format!("{name}_begin");
                let at = Expr::var(&limit);
                let before = Expr::sub(at.clone(), Expr::Index(1));
                let lasts = Expr::lt(start, at.clone());
                let more = limits
                    .start
                    .map(|first| Expr::and(lasts, Expr::le(first, coordinate(&before))));
                let step = Stmt::combine(&limit, BinaryOp::Sub, Expr::Index(1));
                (limit, more, step, Segment { start: at, end: next.clone() })
            }
        };
        stmts.push(Stmt::bind_mut(&limit, next));
        stmts
            .extend(more.into_iter().flat_map(|more| Stmt::repeat_while(more, vec![step.clone()])));
        stmts.extend(self.run_by_position(inner, point, driver, bounds.clone(), scope));
        stmts.extend(resumed.ended(bounds));
        stmts
    }

    /// Returns where a loop starts, or ends if the loop around runs backward: where it has ended before.
    fn resume(&mut self, inner: &Loop, resumed: Resumed, name: &str, first: Expr) -> Expr {
        let around = resumed.around;
        let mut next = format!("{name}_next");
        // Several loops over one variable may resume at different coordinates.
        let others = self.resuming.iter().filter(|other| **other == next).count();
        self.resuming.push(next.clone());
        if others > 0 {
            next = format!("{next}{}", others + 1);
        }
        let [of, each] = [inner.variable, around].map(|v| &self.program.kernel.variable(v).name);
        let backward = match resumed.order {
            Order::Forward => String::new(),
            Order::Backward => format!(" `{each}` runs backward."),
        };
        let why = format!(
            "The loop over `{of}` resumes where it ended for the previous `{each}`.{backward}"
        );
        self.begun.push((around, Stmt::Comment(Comment::Text(why))));
        self.begun.push((around, Stmt::bind_mut(&next, first)));
        Expr::var(&next)
    }
}

impl Order {
    /// Returns a loop over the values of a variable within bounds in this order.
    pub(super) fn each(self, name: &str, bounds: Segment, mut body: Vec<Stmt>) -> Vec<Stmt> {
        let Segment { start, end } = bounds;
        if self == Order::Forward {
            return Stmt::for_range(name, start, end, body);
        }
        let back = format!("{name}_back");
        let last = Expr::sub(end.clone(), Expr::Index(1));
        body.insert(0, Stmt::bind(name, Expr::sub(last, Expr::var(&back))));
        Stmt::for_range(&back, Expr::Index(0), Expr::saturating_sub(end, start), body)
    }
}

impl Resumed {
    /// Returns the statement behind a loop over `bounds`.
    fn ended(self, bounds: Segment) -> Option<Stmt> {
        let (next, limit) = match self.order {
            Order::Forward => (bounds.start, bounds.end),
            Order::Backward => (bounds.end, bounds.start),
        };
        match next {
            Expr::Var(next) => Some(Stmt::assign(&next, limit)),
            _ => None,
        }
    }
}
