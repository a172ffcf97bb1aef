//! Loops over blocks of positions or of coordinates, and the loops within them.
//!
//! A block of positions determines an interval of positions of each level above, which is found by
//! search when the outermost of their loops begins: the first and the last parent of the block may
//! have other children before and after it.

use crate::concrete::parted::{Range, Stores};
use crate::concrete::space::BlockSize;
use crate::coordinate::Coordinate;
use crate::ir::{Expr, Stmt};
use crate::iteration::iterator::LevelIterator;
use crate::iteration::plan::Loop;
use crate::level::Segment;
use crate::notation::{Access, VariableId};

use super::Lowering;
use super::extents::{count, extent, signed};
use super::parallel::latest;
use super::scope::Scope;

impl Lowering<'_> {
    /// Lowers a loop over blocks of positions, or the loops within all positions of an operand.
    pub(super) fn run_blocks(&mut self, inner: &Loop, scope: &Scope) -> Option<Vec<Stmt>> {
        let block = inner.variable;
        let counted = self.program.space.positions_of(block)?;
        let [point] = &inner.points[..] else { return None };
        let mut within = scope.clone();
        if block == counted {
            within.bind(block, Expr::Index(0));
            let part = self.part_of_counted(counted);
            within.blocks.extend(part.map(|part| (counted, part)));
            return Some(self.cases(inner, point, &within, &[]));
        }
        let (mut stmts, Segment { start, end }) = self.blocks_within(counted, scope);
        let (name, last) = (self.names.variable(block).to_owned(), end.clone());
        let length = Expr::sub(end, start.clone());
        if let Some(Coordinate::Div(of, _)) = self.program.space.computed(block) {
            stmts.extend(self.shares(*of, &length));
        }
        let (size, count) = match self.program.space.computed(block) {
            Some(Coordinate::Div(of, BlockSize::Share(count))) => {
                stmts.push(Stmt::bind(self.names.size(block), self.share(*of, *count, length)));
                (Expr::var(self.names.size(block)), Expr::Index(*count as usize))
            }
            Some(_) | None => {
                let size = self.positions_per(block);
                (size.clone(), Expr::div_ceil(length, size))
            }
        };
        within.bind(block, Expr::var(&name));
        let (begin, end) = self.names.part(block);
        let first = Expr::add(start, Expr::mul(Expr::var(&name), size.clone()));
        // A share of the positions may begin behind the last one.
        let first = if is_share(self.program.space.computed(block)) {
            Expr::min(first, last.clone())
        } else {
            first
        };
        let after = Expr::min(Expr::add(Expr::var(&begin), size), last);
        let mut body = vec![Stmt::bind(&begin, first), Stmt::bind(&end, after)];
        let own = Segment { start: Expr::var(&begin), end: Expr::var(&end) };
        within.blocks.insert(counted, own);
        body.extend(self.cases(inner, point, &within, &[]));
        stmts.extend(Stmt::for_range(&name, Expr::Index(0), count, body));
        Some(stmts)
    }

    /// Returns the number of positions of each of several blocks.
    fn share(&self, of: VariableId, count: u64, positions: Expr) -> Expr {
        let units = Expr::div_ceil(positions, self.positions_per(of));
        let share = Expr::div_ceil(units, Expr::Index(count as usize));
        Expr::mul(share, self.positions_per(of))
    }

    /// Binds the numbers of positions of blocks that have no loop of their own.
    fn shares(&self, v: VariableId, positions: &Expr) -> Vec<Stmt> {
        let Some(Coordinate::Div(of, size)) = self.program.space.computed(v) else {
            return Vec::new();
        };
        let mut stmts = self.shares(*of, positions);
        if let (BlockSize::Share(count), false) = (size, self.program.basis.loops_over(v)) {
            // Without positions there are no blocks, whatever their size.
            let share = self.share(*of, *count, positions.clone());
            let share = Expr::max(share, Expr::Index(1));
            stmts.push(Stmt::bind(self.names.size(v), share));
        }
        stmts
    }

    /// Returns the number of positions of a block that a variable counts.
    fn positions_per(&self, v: VariableId) -> Expr {
        match self.program.space.computed(v) {
            Some(Coordinate::Div(of, BlockSize::Constant(size))) => {
                Expr::mul(self.positions_per(*of), Expr::Index(*size as usize))
            }
            Some(Coordinate::Div(_, BlockSize::Share(_))) => Expr::var(self.names.size(v)),
            Some(Coordinate::Mod(of, _)) => self.positions_per(*of),
            Some(Coordinate::Affine(_)) | None => Expr::Index(1),
        }
    }

    /// Returns the positions that the enclosing blocks leave to a loop, and the statements that bind
    /// them.
    fn blocks_within(&self, counted: VariableId, scope: &Scope) -> (Vec<Stmt>, Segment) {
        let known = scope.blocks.get(&counted).cloned();
        if let Some(known) = known.or_else(|| self.part_of_counted(counted)) {
            return (Vec::new(), known);
        }
        let found = self.program.space.counted_positions(&self.program.kernel, counted);
        let (access, [first, last]) = found.expect("an operand with these positions");
        let whole = self.all_positions(access, first, last, scope);
        let name = self.names.position(access, last);
        let mut stmts = Vec::new();
        let mut bind = |suffix: &str, bound: Expr| match bound {
            Expr::Index(_) | Expr::Var(_) => bound,
            bound => {
                let name = format!("{name}_{suffix}");
                stmts.push(Stmt::bind(&name, bound));
                Expr::var(&name)
            }
        };
        let start = bind("begin", whole.start);
        let end = bind("end", whole.end);
        (stmts, Segment { start, end })
    }

    /// Returns all positions of a level below those that a scope has reached.
    fn all_positions(&self, access: &Access, first: usize, last: usize, scope: &Scope) -> Segment {
        let levels = &self.program.tensor(access.tensor).format.levels;
        let mut positions = scope.reached(access).segment().clone();
        for (level, spec) in levels.iter().enumerate().take(last + 1).skip(first) {
            let storage = &self.storages[access.tensor.0][level];
            positions = match spec.level.position_iteration() {
                Some(iteration) => iteration.pos_bounds(storage, positions),
                None => {
                    let [start, end] = [positions.start, positions.end]
                        .map(|parent| Expr::mul(parent, storage.size.clone()));
                    let v = self.program.level_variable(access, level);
                    match v.and_then(|v| self.reach(v, scope)).filter(|_| level == first) {
                        Some(part) => Segment {
                            start: Expr::add(start.clone(), part.start),
                            end: Expr::add(start, part.end),
                        },
                        None => Segment { start, end },
                    }
                }
            };
        }
        positions
    }

    /// Returns the bounds of the part of a thread, if the positions that a variable counts are
    /// divided into parts.
    fn part_of_counted(&self, counted: VariableId) -> Option<Segment> {
        let parted = self.parted?;
        let Range::Positions { access, level } = &parted.range else { return None };
        let is_it = self.program.space.positions_of(parted.variable) == Some(counted);
        is_it.then(|| self.part_segment(access, *level))
    }

    /// Returns the coordinates of the result that a thread stores, if these are the parents of its part
    /// of the positions.
    fn own_of_part(&self, access: &Access, positions: &Segment) -> Option<Segment> {
        let parted = self.parted?;
        let Range::Positions { access: divided, level } = &parted.range else { return None };
        let is_it = divided == access
            && *positions == self.part_segment(access, *level)
            && parted.stores.contains(&Stores::Intervals);
        let (first, after) = self.names.own(self.program.level_variable(access, 0)?);
        is_it.then(|| Segment { start: Expr::var(&first), end: Expr::var(&after) })
    }

    /// Adds the bounds of a loop within enclosing blocks to a scope, and returns the statements that
    /// compute them.
    pub(super) fn enter_blocks(&self, v: VariableId, scope: &mut Scope) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for counted in self.program.space.all_positions() {
            let Some(block) = scope.blocks.get(&counted).cloned() else { continue };
            let kernel = &self.program.kernel;
            let found = self.program.space.counted_positions(kernel, counted);
            let Some((access, levels @ [first, _])) = found else { continue };
            let outermost = self.program.level_variable(access, first);
            if outermost.map(|v| self.program.space.counted(v)) == Some(v) {
                stmts.extend(self.parents_of_block(access, levels, block, scope));
            }
        }
        let of_block = if self.program.basis.is_limited(v) { self.reach(v, scope) } else { None };
        let of_block = of_block.map(|Segment { start, end }| {
            let [start, end] =
                [start, end].map(|counted| signed(self.program, &self.names, v, counted));
            Segment { start, end }
        });
        let interval = match (of_block, self.interval_of_block(v, scope)) {
            (Some(a), Some(b)) => {
                Some(Segment { start: latest(a.start, b.start), end: Expr::min(a.end, b.end) })
            }
            (a, b) => a.or(b),
        };
        if let Some(Segment { start, end }) = interval {
            let (first, after) = self.names.part(v);
            let mut bind = |name: &str, bound: Expr| match bound {
                Expr::Var(_) | Expr::Index(_) => bound,
                bound => {
                    stmts.push(Stmt::bind(name, bound));
                    Expr::var(name)
                }
            };
            let own = Segment { start: bind(&first, start), end: bind(&after, end) };
            scope.intervals.insert(v, own);
        }
        stmts
    }

    /// Finds the positions of each level above a block that have children in it.
    fn parents_of_block(
        &self,
        access: &Access,
        [first, last]: [usize; 2],
        block: Segment,
        scope: &mut Scope,
    ) -> Vec<Stmt> {
        let levels = &self.program.tensor(access.tensor).format.levels;
        let mut stmts = Vec::new();
        let mut positions = block;
        for level in (first..=last).rev() {
            scope.windows.insert((access.clone(), level), positions.clone());
            if level == first {
                break;
            }
            let is_root = level == 1 && levels[0].level.coordinate_iteration().is_some();
            let (begin, end) = match self.program.level_variable(access, 0).filter(|_| is_root) {
                Some(v) => self.names.part(v),
                None => {
                    let name = self.names.position(access, level - 1);
                    (format!("{name}_begin"), format!("{name}_end"))
                }
            };
            if levels[level].properties.branchless {
                continue;
            }
            if level == 1
                && is_root
                && let Some(own) = self.own_of_part(access, &positions)
            {
                positions = own;
                continue;
            }
            let parents = self.parents(access, level, positions, &begin);
            stmts.push(Stmt::bind(&begin, parents.start));
            stmts.push(Stmt::bind(&end, parents.end));
            positions = Segment { start: Expr::var(&begin), end: Expr::var(&end) };
        }
        stmts
    }

    /// Returns the parents of the positions of a level; `begin` is the name of the first one.
    fn parents(&self, access: &Access, level: usize, of: Segment, begin: &str) -> Segment {
        let spec = &self.program.tensor(access.tensor).format.levels[level];
        let storage = &self.storages[access.tensor.0][level];
        match spec.level.position_iteration().and_then(|iteration| iteration.segments()) {
            Some(field) => {
                let array = storage.array(field);
                let root =
                    (level == 1).then(|| &self.program.tensor(access.tensor).format.levels[0]);
                // The array has an element for each parent, and one more.
                let count = match root {
                    Some(root) if root.properties.full && root.level.arrays().is_empty() => {
                        let parents = self.storages[access.tensor.0][0].size.clone();
                        Expr::add(parents, Expr::Index(1))
                    }
                    Some(_) | None => Expr::len(array),
                };
                let after = Expr::add(of.start, Expr::Index(1));
                let first = Expr::search(array, Expr::Index(0), count.clone(), after);
                let end = Expr::search(array, Expr::var(begin), count, of.end);
                Segment { start: Expr::sub(first, Expr::Index(1)), end }
            }
            None => Segment {
                start: Expr::div(of.start, storage.size.clone()),
                end: Expr::div_ceil(of.end, storage.size.clone()),
            },
        }
    }

    /// Returns the positions of an iterator within the enclosing blocks, and the statements that bind
    /// them.
    pub(super) fn within_blocks(
        &self,
        iterator: &LevelIterator,
        bounds: Segment,
        scope: &Scope,
    ) -> (Vec<Stmt>, Segment) {
        let window = |level| scope.windows.get(&(iterator.access.clone(), level));
        let Some(own) = window(iterator.level) else { return (Vec::new(), bounds) };
        if iterator.level.checked_sub(1).and_then(window).is_none() {
            return (Vec::new(), own.clone());
        }
        if iterator.spec(self.program).properties.branchless {
            // The positions of the parents are in the block.
            return (Vec::new(), bounds);
        }
        let name = self.names.position(&iterator.access, iterator.level);
        let [from, to] = ["from", "to"].map(|suffix| format!("{name}_{suffix}"));
        let stmts = vec![
            Stmt::bind(&from, latest(bounds.start, own.start.clone())),
            Stmt::bind(&to, Expr::min(bounds.end, own.end.clone())),
        ];
        (stmts, Segment { start: Expr::var(&from), end: Expr::var(&to) })
    }

    /// Returns the coordinates of a level with a position for each coordinate within the enclosing
    /// blocks of positions.
    fn interval_of_block(&self, v: VariableId, scope: &Scope) -> Option<Segment> {
        scope.windows.iter().find_map(|((access, level), own)| {
            let spec = &self.program.tensor(access.tensor).format.levels[*level];
            let is_it = self.program.level_variable(access, *level) == Some(v)
                && spec.level.coordinate_iteration().is_some();
            is_it.then(|| {
                let size = self.storages[access.tensor.0][*level].size.clone();
                let first = Expr::mul(scope.position(access), size.clone());
                let start = Expr::saturating_sub(own.start.clone(), first.clone());
                let end = match &first {
                    Expr::Index(0) => own.end.clone(),
                    _ => Expr::min(Expr::saturating_sub(own.end.clone(), first), size),
                };
                Segment { start, end }
            })
        })
    }

    /// Returns the coordinates of a variable that the known blocks of coordinates leave, if there are
    /// any, counted from the first one, which may be negative.
    fn reach(&self, v: VariableId, scope: &Scope) -> Option<Segment> {
        let space = &self.program.space;
        if let Some((fused, [outer, inner])) = space.fused_with(v) {
            let whole = self.reach(fused, scope)?;
            let size = extent(self.program, &self.names, inner);
            if v == outer {
                let (start, end) = (whole.start, whole.end);
                // Without coordinates of the inner variable there are no pairs.
                let size = Expr::max(size, Expr::Index(1));
                return Some(Segment {
                    start: Expr::div(start, size.clone()),
                    end: Expr::div_ceil(end, size),
                });
            }
            let first = Expr::mul(scope.coordinate(outer), size.clone());
            return Some(Segment {
                start: Expr::saturating_sub(whole.start, first.clone()),
                end: Expr::min(Expr::saturating_sub(whole.end, first), size),
            });
        }
        let (block, place, by) = space.blocks_with(v)?;
        if !scope.knows(block) {
            return None;
        }
        let size = self.block_size(v, by);
        let start = Expr::mul(scope.coordinate(block), size.clone());
        let end = count(self.program, &self.names, v);
        let start =
            if matches!(by, BlockSize::Share(_)) { Expr::min(start, end.clone()) } else { start };
        let end = Expr::min(Expr::add(start.clone(), size), end);
        Some(match self.reach(place, scope) {
            Some(part) => Segment {
                start: Expr::add(start.clone(), part.start),
                end: Expr::min(Expr::add(start, part.end), end),
            },
            None => Segment { start, end },
        })
    }

    /// Returns the interval of coordinates of a loop: that of a block, or of the part of a thread.
    pub(super) fn interval(&self, v: VariableId, scope: &Scope) -> Option<Segment> {
        scope.intervals.get(&v).cloned().or_else(|| self.part(v))
    }
}

/// Returns whether a block is a share of all positions.
fn is_share(block: Option<&Coordinate<VariableId, BlockSize>>) -> bool {
    matches!(block, Some(Coordinate::Div(_, BlockSize::Share(_))))
}
