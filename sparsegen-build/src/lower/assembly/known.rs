//! Computing values into an existing structure: the loops that would append iterate over it
//! instead.
//!
//! Each level that appends has a cursor at the position of the next coordinate. If the loops
//! compute another coordinate, or some coordinates remain at the end, the result was assembled for
//! operands of another structure, and the function returns `false`.

use crate::concrete::{Program, Target};
use crate::ir::{Array, Assembly, Expr, Place, Stmt};
use crate::level::Segment;

use super::super::scope::Scope;
use super::{Assembler, Purpose};

impl Assembler<'_> {
    /// Returns whether the values of all results with a structure can be computed separately.
    pub(in crate::lower) fn can_compute_all(program: &Program) -> bool {
        let mut structured = program.targets.iter().filter(|target| {
            let format = &program.tensor(target.access.tensor).format;
            target.packed.is_some() || !format.has_every_position()
        });
        let can = |target: &Target| Assembler::can_compute(program, target);
        structured.next().is_some_and(can) && structured.all(can)
    }

    /// Returns whether loops can compute the values of a result whose structure exists.
    pub(in crate::lower) fn can_compute(program: &Program, target: &Target) -> bool {
        let format = &program.tensor(target.access.tensor).format;
        target.packed.is_none()
            && format.keeps_places()
            && (program.kernel.previous().is_none() || target.in_place)
            && format.is_walked_by_position()
            && !format.has_every_position()
    }

    /// Returns the assembly of values, with the arrays of the structure.
    pub(super) fn computed(&self) -> Assembly {
        let is_structure = |array: &&Array| array.place != Place::Values;
        Assembly::Computed {
            vals: Array { name: self.vals.clone(), element: self.element(), place: Place::Values },
            // Appended values are stored exactly once.
            zeroed: !self.is_assembled_by_append(self.levels().len() - 1)
                || self.scattered.is_some()
                || self.placement.as_ref().is_some_and(|of| of.repeats)
                || self.slots().is_some(),
            structure: self.arrays.iter().filter(is_structure).cloned().collect(),
            numbers: self.extents(),
        }
    }

    pub(super) fn begin_known(&self) -> Vec<Stmt> {
        if let Some(placement) = &self.placement {
            return self.begin_placed_known(placement);
        }
        let mut stmts: Vec<Stmt> = Vec::new();
        for level in 0..self.levels().len() {
            if self.scattered == Some(level) {
                stmts.extend(self.scatters(level).scatter_init(&self.storages[level]));
            } else if self.counts_seen(level) {
                stmts.push(Stmt::bind_mut(&self.seen_name(level), Expr::Index(0)));
            }
        }
        stmts.extend(self.enter_first());
        stmts.extend(self.begin_divided());
        stmts
    }

    /// Moves the cursor to the first coordinate of the outermost level, if it appends.
    pub(super) fn enter_first(&self) -> Vec<Stmt> {
        if self.is_appended(0) { self.enter(0, Expr::Index(0)) } else { Vec::new() }
    }

    /// Ends the iteration that [`Self::enter_first`] begins.
    pub(super) fn leave_first(&self) -> Vec<Stmt> {
        if self.is_appended(0) { self.leave(0, Expr::Index(0)) } else { Vec::new() }
    }

    /// Returns whether the loops iterate over the structure of the result, which exists.
    pub(super) fn is_walked(&self) -> bool {
        match self.purpose {
            Purpose::Compute => true,
            Purpose::Fill => self.has_structure_first,
            Purpose::Count | Purpose::Assemble => false,
        }
    }

    /// Returns statements that refuse a structure that was assembled for other operands. The first
    /// pass of the same loops assembles the right one.
    fn refuse(&self, condition: Expr) -> Vec<Stmt> {
        match self.purpose {
            Purpose::Compute => vec![Stmt::refuse(condition)],
            Purpose::Count | Purpose::Fill | Purpose::Assemble => Vec::new(),
        }
    }

    /// Returns whether the children of a level are counted, because parents may be skipped.
    fn counts_seen(&self, level: usize) -> bool {
        self.purpose == Purpose::Compute && self.is_appended(level) && !self.follows_on(level)
    }

    pub(super) fn end_known(&self) -> Vec<Stmt> {
        if let Some(placement) = &self.placement {
            return self.end_placed_known(placement);
        }
        let mut stmts = self.leave_first();
        for level in 0..self.levels().len() {
            // Skipped parents must have no children.
            if self.counts_seen(level) && self.scattered != Some(level) {
                let seen = Expr::var(&self.seen_name(level));
                let all = match self.part_of(level) {
                    Some(own) => Expr::sub(own.end, own.start),
                    None => self.count(level),
                };
                stmts.push(Stmt::refuse(Expr::ne(seen, all)));
            }
        }
        stmts
    }

    /// Moves the cursor to the first child of a parent.
    pub(super) fn enter(&self, level: usize, parent: Expr) -> Vec<Stmt> {
        if self.scattered == Some(level) {
            let storage = &self.storages[level];
            return self.scatters(level).scatter_known(storage, parent, &self.cursor_name(level));
        }
        let mut stmts = match self.awaiting(level) {
            Some(above) => self.enter_if(Expr::var(&self.found_name(above)), level, parent),
            None => {
                let bounds = self.children(level, parent);
                vec![
                    Stmt::bind_mut(&self.cursor_name(level), bounds.start),
                    Stmt::bind(&self.end_name(level), bounds.end),
                ]
            }
        };
        if self.counts_seen(level) {
            stmts.push(Stmt::bind(&self.begin_name(level), self.cursor(level)));
        }
        stmts
    }

    /// Moves the cursor to the first child of a parent, if it was appended; otherwise it has none.
    fn enter_if(&self, is_appended: Expr, level: usize, parent: Expr) -> Vec<Stmt> {
        let bounds = self.children(level, parent);
        let (position, end) = (self.cursor_name(level), self.end_name(level));
        let inside = vec![Stmt::assign(&position, bounds.start), Stmt::assign(&end, bounds.end)];
        let mut stmts =
            vec![Stmt::bind_mut(&position, Expr::Index(0)), Stmt::bind_mut(&end, Expr::Index(0))];
        stmts.extend(Stmt::when(is_appended, inside));
        stmts
    }

    /// Returns whether a level appends its coordinate only if one below is stored, among levels that
    /// insert.
    fn may_be_left_out(&self, level: usize) -> bool {
        self.waits(level) || self.awaits(level).is_some()
    }

    /// Returns the statements that refuse remaining children.
    fn leave(&self, level: usize, parent: Expr) -> Vec<Stmt> {
        if self.scattered == Some(level) {
            let storage = &self.storages[level];
            return self.scatters(level).scatter_forget(storage, parent, &self.cursor_name(level));
        }
        let end = Expr::var(&self.end_name(level));
        let mut stmts = self.refuse(Expr::ne(self.cursor(level), end));
        if self.counts_seen(level) {
            let passed = Expr::sub(self.cursor(level), Expr::var(&self.begin_name(level)));
            stmts.push(Stmt::accumulate(&self.seen_name(level), passed));
        }
        stmts
    }

    /// Returns the statements at the start of a body whose coordinate belongs to a level that
    /// appends.
    pub(super) fn open_known(&self, level: usize, scope: &mut Scope) -> Vec<Stmt> {
        if !self.closes_chain(level) {
            let parent = self.parent(scope);
            self.descend(scope, parent);
            return Vec::new();
        }
        if level + 1 == self.levels().len() {
            return Vec::new();
        }
        let cursor = self.cursor(level);
        self.descend(scope, cursor.clone());
        if self.may_be_left_out(level) {
            return vec![Stmt::bind(&self.found_name(level), self.stands(level, scope))];
        }
        if !self.is_appended(level + 1) {
            return self.refuse(self.stands_elsewhere(level, scope));
        }
        if self.scattered == Some(level + 1) {
            // A coordinate without children was not appended.
            let found = self.found_name(level);
            let mut stmts = vec![Stmt::bind(&found, self.stands(level, scope))];
            stmts.extend(Stmt::when(Expr::var(&found), self.enter(level + 1, cursor)));
            return stmts;
        }
        // A coordinate without children was not appended.
        let found = self.found_name(level);
        let mut stmts = vec![Stmt::bind(&found, self.stands(level, scope))];
        stmts.extend(self.enter_if(Expr::var(&found), level + 1, cursor));
        stmts
    }

    /// Returns the statements at the end of a body whose coordinate belongs to `level`.
    pub(super) fn close_known(&self, level: usize, scope: &Scope) -> Vec<Stmt> {
        let has_appended = self.is_appended(level + 1);
        let leave = || self.leave(level + 1, self.parent(scope));
        if !self.is_assembled_by_append(level) {
            return if has_appended { leave() } else { Vec::new() };
        }
        if level + 1 == self.levels().len() || !self.closes_chain(level) {
            return Vec::new();
        }
        let (mut stmts, step) = if self.may_be_left_out(level) {
            (Vec::new(), Expr::from_bool(Expr::var(&self.found_name(level))))
        } else if self.scattered == Some(level + 1) {
            let found = Expr::var(&self.found_name(level));
            (Stmt::when(found.clone(), leave()), Expr::from_bool(found))
        } else if has_appended {
            (leave(), Expr::from_bool(Expr::var(&self.found_name(level))))
        } else {
            (Vec::new(), Expr::Index(1))
        };
        stmts.push(Stmt::accumulate(&self.cursor_name(level), step));
        stmts
    }

    /// Stores a value at the position of its coordinates.
    pub(super) fn store_known(&self, level: usize, value: Expr, scope: &Scope) -> Vec<Stmt> {
        vec![
            Stmt::refuse(self.stands_elsewhere(level, scope)),
            Stmt::store(&self.vals, self.value_at(self.cursor(level)), self.stored(value)),
            Stmt::accumulate(&self.cursor_name(level), Expr::Index(1)),
        ]
    }

    /// Returns the predicate that the coordinates of a level, and of the levels appended together
    /// with it, equal the coordinates at the cursor.
    fn stands(&self, level: usize, scope: &Scope) -> Expr {
        let is_left = Expr::lt(self.cursor(level), Expr::var(&self.end_name(level)));
        let same = self.appended_next(level, scope).into_iter();
        same.fold(is_left, |all, (found, here)| Expr::and(all, Expr::eq(found, here)))
    }

    /// Returns the negation of [`Self::stands`].
    fn stands_elsewhere(&self, level: usize, scope: &Scope) -> Expr {
        let at_end = Expr::eq(self.cursor(level), Expr::var(&self.end_name(level)));
        let same = self.appended_next(level, scope).into_iter();
        same.fold(at_end, |any, (found, here)| Expr::or(any, Expr::ne(found, here)))
    }

    /// Returns the coordinates at the cursor, each with the coordinate of the loops.
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

    /// Returns the positions of the children of a parent: in the outermost level, those of the part.
    pub(super) fn children(&self, level: usize, parent: Expr) -> Segment {
        let own = if level == 0 { self.part_of(0) } else { None };
        own.unwrap_or_else(|| self.all_children(level, parent))
    }

    pub(super) fn all_children(&self, level: usize, parent: Expr) -> Segment {
        let iteration = self.levels()[level].level.position_iteration();
        let iteration = iteration.expect("levels that are walked along are iterated");
        iteration.pos_bounds(&self.storages[level], Segment::of(parent))
    }

    /// Returns the cursor of a level, which it shares with its chain.
    pub(super) fn cursor(&self, level: usize) -> Expr {
        Expr::var(&self.cursor_name(level))
    }

    fn cursor_name(&self, level: usize) -> String {
        format!("p_{}{}", self.argument, self.chain(level).start() + 1)
    }

    fn end_name(&self, level: usize) -> String {
        format!("{}_end", self.cursor_name(level))
    }

    pub(super) fn found_name(&self, level: usize) -> String {
        format!("{}{}_found", self.argument, level + 1)
    }

    fn seen_name(&self, level: usize) -> String {
        format!("{}{}_seen", self.argument, level + 1)
    }
}
