//! Sorted copies, which replace an iterator over unordered entries, or over entries of several
//! parents, if a loop requires them in order.
//!
//! The entries are pushed to a vector, which is sorted by their coordinates and then iterated instead
//! of the level. Loops over the levels below iterate over segments of the same vector, if it has their
//! coordinates. One vector is reused for all executions of a loop.

use crate::ir::{Element, Expr, Stmt};
use crate::iteration::iterator::LevelIterator;
use crate::iteration::lattice::MergePoint;
use crate::iteration::plan::{Loop, Plan};
use crate::level::{Found, Segment};

use super::Lowering;
use super::scope::{Reached, Scope};

impl Lowering<'_> {
    /// Returns the declarations of the vectors of sorted copies in nested loops.
    pub(super) fn nested_copies(&self, plan: &Plan) -> Vec<Stmt> {
        let mut stmts: Vec<Stmt> = Vec::new();
        plan.for_each_loop(&mut |outer| {
            for body in &outer.bodies {
                body.for_each_loop(&mut |inner| {
                    for iterator in inner.iterators.iter().filter(|of| self.fills_copy(of)) {
                        let declared = self.declared(iterator);
                        if !stmts.contains(&declared) {
                            stmts.push(declared);
                        }
                    }
                });
            }
        });
        stmts
    }

    /// Returns whether an iterator fills a sorted copy. Others iterate over a segment of one.
    fn fills_copy(&self, iterator: &LevelIterator) -> bool {
        iterator.reorders() && *self.copy(iterator).levels.start() == iterator.level
    }

    /// Returns whether an iterator copies the entries at all positions: neither those of a slice only,
    /// nor those of a part of the loop.
    fn copies_all(&self, iterator: &LevelIterator) -> bool {
        let variable = self.program.level_variable(&iterator.access, iterator.level);
        let counted = variable.map(|v| self.program.space.counted(v));
        iterator.part(self.program).is_none() && counted.is_none_or(|v| self.part(v).is_none())
    }

    /// Returns `let mut a2_sorted = Vec::new();`.
    fn declared(&self, iterator: &LevelIterator) -> Stmt {
        let copy = self.copy(iterator);
        Stmt::scratch(&copy.name, Element::Entry(copy.entry))
    }

    /// Sorts the entries below an iterator's parents in a copy; returns the segment to iterate over.
    pub(super) fn sorted_copy(
        &self,
        iterator: &LevelIterator,
        scope: &Scope,
    ) -> (Vec<Stmt>, Segment) {
        let copy = self.copy(iterator);
        let (name, coordinates) = (copy.name.clone(), copy.entry.coordinates);
        let reached = scope.reached(&iterator.access);
        if !self.fills_copy(iterator) {
            return (Vec::new(), reached.segment().clone());
        }
        let outermost = scope.coordinates.is_empty();
        let begin = if outermost { self.declared(iterator) } else { Stmt::clear(&name) };
        let mut stmts = vec![begin];
        if iterator.is_spread(self.program) {
            let parent = self.each_parent(iterator, &reached);
            let body = self.copy_children(iterator, parent.clone(), Segment::of(parent), scope);
            stmts.extend(self.for_each_parent(iterator, &reached, body));
        } else {
            let (parent, parents) = (scope.position(&iterator.access), reached.segment().clone());
            if outermost && self.copies_all(iterator) {
                let Segment { start, end } = self.position_bounds(iterator, parents.clone());
                stmts.push(Stmt::reserve(&name, Expr::sub(end, start)));
            }
            stmts.extend(self.copy_children(iterator, parent, parents, scope));
        }
        let segment = Segment { start: Expr::Index(0), end: Expr::len(&name) };
        stmts.push(Stmt::sort_by(&name, coordinates));
        (stmts, segment)
    }

    /// Returns `for p_a in … { a2_sorted.push((a2_crd[p_a], p_a)); }`.
    fn copy_children(
        &self,
        iterator: &LevelIterator,
        parent: Expr,
        parents: Segment,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let mut stmts = self.begin_carried(iterator, parent);
        let Segment { start, end } = self.position_bounds(iterator, parents);
        let only = end == Segment::of(start.clone()).end && stmts.is_empty();
        let name = self.names.position(&iterator.access, iterator.level);
        let position = if only { start.clone() } else { Expr::var(&name) };
        let ancestors = self.ancestors(iterator, scope);
        let Found { prelude: mut body, value, found } =
            self.access_below(iterator, &position, &ancestors);
        // Coordinates of a slice are stored as coordinates of the loop.
        let (value, counted, is_inside) = match iterator.part(self.program) {
            Some(mode) => {
                let variable = self.program.space.counted(mode);
                let own = self.names.coordinate(variable, &iterator.access);
                body.push(Stmt::bind(&own, value));
                let own = Expr::var(&own);
                let is_inside = self.inside(mode, &own, scope);
                let counted = self.counted(mode, own.clone(), scope);
                (own, counted, is_inside)
            }
            None => (value.clone(), value, Expr::Bool(true)),
        };
        // Coordinates outside of the slice may have no counterpart in the loop.
        let mut inside = Vec::new();
        let is_same = value == counted;
        let bound = if is_same { &mut body } else { &mut inside };
        let (value, counted, is_in_part) = self.in_part(iterator, value, counted, bound);
        let entry = self.copied(iterator, counted, position.clone());
        let push = vec![Stmt::push(&self.copy(iterator).name, entry)];
        let is_entry = Expr::and(found.unwrap_or(Expr::Bool(true)), is_inside);
        if inside.is_empty() {
            body.extend(Stmt::when(Expr::and(is_entry, is_in_part), push));
        } else {
            inside.extend(Stmt::when(is_in_part, push));
            body.extend(Stmt::when(is_entry, inside));
        }
        body.extend(self.carry(iterator, position, value));
        stmts.extend(if only { body } else { Stmt::for_range(&name, start, end, body) });
        stmts
    }

    /// Returns the condition that the coordinate of an entry is in the part that runs, if the loop is
    /// divided. Coordinates that are not names are bound to one.
    fn in_part(
        &self,
        iterator: &LevelIterator,
        value: Expr,
        counted: Expr,
        body: &mut Vec<Stmt>,
    ) -> (Expr, Expr, Expr) {
        let variable = self.program.level_variable(&iterator.access, iterator.level);
        let variable = variable.map(|v| self.program.space.counted(v));
        let Some(Segment { start, end }) = variable.and_then(|v| self.part(v)) else {
            return (value, counted, Expr::Bool(true));
        };
        let is_within = |at: Expr| Expr::and(Expr::le(start, at.clone()), Expr::lt(at, end));
        if let Expr::Var(_) = counted {
            return (value, counted.clone(), is_within(counted));
        }
        let is_same = value == counted;
        let variable = variable.expect("a level");
        // The coordinate of the mode keeps its name.
        let own = match is_same {
            true => self.names.coordinate(variable, &iterator.access),
            false => self.names.variable(variable).to_owned(),
        };
        body.push(Stmt::bind(&own, counted));
        let counted = Expr::var(&own);
        let value = if is_same { counted.clone() } else { value };
        (value, counted.clone(), is_within(counted))
    }

    /// Lowers a loop over unordered parents, and for each a loop over its children.
    pub(super) fn run_below_each(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        driver: usize,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let iterator = &inner.iterators[driver];
        let reached = scope.reached(&iterator.access);
        let mut below = scope.clone();
        let parent = Segment::of(self.each_parent(iterator, &reached));
        below.resolve(&iterator.access, Reached::Segment(parent));
        let body = self.run_from_begin(inner, point, driver, &below);
        self.for_each_parent(&inner.iterators[driver], &reached, body)
    }

    /// Lowers `for p_a_each in p_a..p_a_next { let p_a = a1_sorted[p_a_each].1; … }`.
    fn for_each_parent(
        &self,
        iterator: &LevelIterator,
        reached: &Reached,
        mut body: Vec<Stmt>,
    ) -> Vec<Stmt> {
        let (name, each) = self.parent_names(iterator);
        match reached {
            Reached::Segment(_) => {}
            Reached::Listed { .. } => {
                body.insert(0, Stmt::bind(&name, reached.at(Expr::var(&each))));
            }
        }
        let Segment { start, end } = reached.segment().clone();
        Stmt::for_range(&each, start, end, body)
    }

    /// Returns the position of the parent in that loop.
    fn each_parent(&self, iterator: &LevelIterator, reached: &Reached) -> Expr {
        let (name, each) = self.parent_names(iterator);
        match reached {
            Reached::Segment(_) => Expr::var(&each),
            Reached::Listed { .. } => Expr::var(&name),
        }
    }

    /// Returns the names of a parent's position, and of the variable of the loop over parents.
    fn parent_names(&self, iterator: &LevelIterator) -> (String, String) {
        let name = self.names.position(&iterator.access, iterator.level.saturating_sub(1));
        let each = format!("{name}_each");
        (name, each)
    }

    /// Returns the positions that an iterator has reached: those of a segment, or those in its
    /// sorted copy.
    pub(super) fn standing(&self, iterator: &LevelIterator, segment: Segment) -> Reached {
        match iterator.reorders() {
            true => Reached::Listed { copy: self.copy(iterator).clone(), segment },
            false => Reached::Segment(segment),
        }
    }

    /// Returns `a2_sorted[p_a].0`.
    pub(super) fn coordinate_in_copy(&self, iterator: &LevelIterator, index: Expr) -> Expr {
        self.copy(iterator).coordinate(iterator.level, index)
    }
}
