//! Values into a result whose structure is there: the loops that would append to it walk along it.
//!
//! Each level that appends has a position that stands where the next coordinate was put when the
//! result was assembled. Where another coordinate stands there, or some are left in the end, the
//! result was assembled for other operands, and the function answers no.

use crate::concrete::Program;
use crate::format::LevelSpec;
use crate::ir::{Array, Assembly, Element, Expr, Place, Stmt};
use crate::level::{Segment, tells_by_position};

use super::super::scope::Scope;
use super::Assembler;

impl Assembler<'_> {
    /// Whether a result's levels can be walked along: entries are appended, and every level that does
    /// has a coordinate at each position, which follows from the position alone. Where a coordinate
    /// may come twice, nobody could tell which of the two was left out for want of children.
    pub(in crate::lower) fn can_compute(program: &Program) -> bool {
        let levels = &program.tensor(program.kernel.result()).format.levels;
        let appended = |spec: &&LevelSpec| spec.level.insert().is_none();
        let leaves_out_repeated = levels.windows(2).any(|pair| {
            let has_children = appended(&&pair[1]) && !pair[1].properties.branchless;
            appended(&&pair[0]) && !pair[0].properties.unique && has_children
        });
        let mut appended = levels.iter().filter(appended).peekable();
        program.packed.is_none()
            && (program.kernel.previous().is_none() || program.kernel.in_place)
            && !leaves_out_repeated
            && appended.peek().is_some()
            && appended.all(|spec| tells_by_position(spec.level.as_ref()))
    }

    /// The values, with the arrays that tell where they go.
    pub(super) fn computed(&self) -> Assembly {
        let is_structure = |array: &&Array| array.place != Place::Values;
        let dtype = self.program.tensor(self.target.tensor).dtype;
        Assembly::Computed {
            vals: Array {
                name: self.vals.clone(),
                element: Element::Value(dtype),
                place: Place::Values,
            },
            // Values that are appended are stored once each.
            zeroed: !self.is_assembled_by_append(self.levels().len() - 1),
            structure: self.arrays.iter().filter(is_structure).cloned().collect(),
        }
    }

    pub(super) fn begin_known(&self) -> Vec<Stmt> {
        let levels = 0..self.levels().len();
        let gaps = levels.filter(|level| self.is_appended(*level) && !self.follows_on(*level));
        let mut stmts: Vec<Stmt> =
            gaps.map(|level| Stmt::bind_mut(&self.seen_name(level), Expr::Index(0))).collect();
        if self.is_appended(0) {
            stmts.extend(self.enter(0, Expr::Index(0)));
        }
        stmts
    }

    pub(super) fn end_known(&self) -> Vec<Stmt> {
        let mut stmts = if self.is_appended(0) { self.leave(0) } else { Vec::new() };
        for level in 0..self.levels().len() {
            // Parents that the loops left out have no children.
            if self.is_appended(level) && !self.follows_on(level) {
                let seen = Expr::var(&self.seen_name(level));
                stmts.push(Stmt::refuse(Expr::ne(seen, self.count(level))));
            }
        }
        stmts
    }

    /// Stands at the first child of a parent.
    pub(super) fn enter(&self, level: usize, parent: Expr) -> Vec<Stmt> {
        let bounds = self.children(level, parent);
        let mut stmts = vec![
            Stmt::bind_mut(&self.cursor_name(level), bounds.start),
            Stmt::bind(&self.end_name(level), bounds.end),
        ];
        if !self.follows_on(level) {
            stmts.push(Stmt::bind(&self.begin_name(level), self.cursor(level)));
        }
        stmts
    }

    /// Refuses children that are left.
    fn leave(&self, level: usize) -> Vec<Stmt> {
        let end = Expr::var(&self.end_name(level));
        let mut stmts = vec![Stmt::refuse(Expr::ne(self.cursor(level), end))];
        if !self.follows_on(level) {
            let passed = Expr::sub(self.cursor(level), Expr::var(&self.begin_name(level)));
            stmts.push(Stmt::accumulate(&self.seen_name(level), passed));
        }
        stmts
    }

    /// At the start of a body whose coordinate belongs to a level that appends.
    pub(super) fn open_known(&self, level: usize, scope: &mut Scope) -> Vec<Stmt> {
        if !self.closes_chain(level) {
            let parent = scope.result.last().cloned().unwrap_or(Expr::Index(0));
            scope.result.push(parent);
            return Vec::new();
        }
        if level + 1 == self.levels().len() {
            return Vec::new();
        }
        let cursor = self.cursor(level);
        scope.result.push(cursor.clone());
        if !self.is_appended(level + 1) {
            return vec![Stmt::refuse(self.stands_elsewhere(level, scope))];
        }
        // What has no children was not appended either.
        let bounds = self.children(level + 1, cursor);
        let (position, end) = (self.cursor_name(level + 1), self.end_name(level + 1));
        let found = self.found_name(level);
        let inside = vec![Stmt::assign(&position, bounds.start), Stmt::assign(&end, bounds.end)];
        let mut stmts = vec![
            Stmt::bind(&found, self.stands(level, scope)),
            Stmt::bind_mut(&position, Expr::Index(0)),
            Stmt::bind_mut(&end, Expr::Index(0)),
        ];
        stmts.extend(Stmt::when(Expr::var(&found), inside));
        stmts
    }

    /// At the end of a body whose coordinate belongs to `level`.
    pub(super) fn close_known(&self, level: usize, _: &Scope) -> Vec<Stmt> {
        let has_appended = self.is_appended(level + 1);
        if !self.is_assembled_by_append(level) {
            return if has_appended { self.leave(level + 1) } else { Vec::new() };
        }
        if level + 1 == self.levels().len() || !self.closes_chain(level) {
            return Vec::new();
        }
        let (mut stmts, step) = if has_appended {
            (self.leave(level + 1), Expr::from_bool(Expr::var(&self.found_name(level))))
        } else {
            (Vec::new(), Expr::Index(1))
        };
        stmts.push(Stmt::accumulate(&self.cursor_name(level), step));
        stmts
    }

    /// Stores a value where its coordinates were appended.
    pub(super) fn store_known(&self, level: usize, value: Expr, scope: &Scope) -> Vec<Stmt> {
        vec![
            Stmt::refuse(self.stands_elsewhere(level, scope)),
            Stmt::store(&self.vals, self.cursor(level), value),
            Stmt::accumulate(&self.cursor_name(level), Expr::Index(1)),
        ]
    }

    /// Whether the coordinates of a level, and of those appended together with it, are what was
    /// appended next.
    fn stands(&self, level: usize, scope: &Scope) -> Expr {
        let is_left = Expr::lt(self.cursor(level), Expr::var(&self.end_name(level)));
        let same = self.appended_next(level, scope).into_iter();
        same.fold(is_left, |all, (found, here)| Expr::and(all, Expr::eq(found, here)))
    }

    /// The opposite of [`Self::stands`].
    fn stands_elsewhere(&self, level: usize, scope: &Scope) -> Expr {
        let at_end = Expr::eq(self.cursor(level), Expr::var(&self.end_name(level)));
        let same = self.appended_next(level, scope).into_iter();
        same.fold(at_end, |any, (found, here)| Expr::or(any, Expr::ne(found, here)))
    }

    /// The coordinates that were appended next, beside those of the loops around.
    fn appended_next(&self, level: usize, scope: &Scope) -> Vec<(Expr, Expr)> {
        let position = self.cursor(level);
        let pair = |k: usize| {
            let ancestors: Vec<Expr> =
                (0..k).map(|above| scope.coordinate(self.variable(above))).collect();
            let iteration = self.levels()[k].level.position_iteration();
            let iteration = iteration.expect("levels that are walked along are iterated");
            let found = iteration.pos_access(
                &self.storages[k],
                position.clone(),
                &ancestors,
                &self.position,
            );
            (found.value, scope.coordinate(self.variable(k)))
        };
        self.chain(level).map(pair).collect()
    }

    fn children(&self, level: usize, parent: Expr) -> Segment {
        let iteration = self.levels()[level].level.position_iteration();
        let iteration = iteration.expect("levels that are walked along are iterated");
        iteration.pos_bounds(&self.storages[level], Segment::of(parent))
    }

    /// The position in a level: that of the chain that it was appended with.
    fn cursor(&self, level: usize) -> Expr {
        Expr::var(&self.cursor_name(level))
    }

    fn cursor_name(&self, level: usize) -> String {
        format!("p_{}{}", self.argument, self.chain(level).start() + 1)
    }

    fn end_name(&self, level: usize) -> String {
        format!("{}_end", self.cursor_name(level))
    }

    fn found_name(&self, level: usize) -> String {
        format!("{}{}_found", self.argument, level + 1)
    }

    fn seen_name(&self, level: usize) -> String {
        format!("{}{}_seen", self.argument, level + 1)
    }
}
