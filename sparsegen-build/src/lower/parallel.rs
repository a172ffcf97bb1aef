//! Outermost loops that are divided into parts for threads.

use std::sync::Arc;

use crate::concrete::parted::{Divides, Parted, Range, Stores};
use crate::concrete::{Program, Temporary};
use crate::coordinate::Coordinate;
use crate::ir::{
    BinaryOp, Buckets, ByParent, Combining, Copies, Count, Counted, Expr, Intervals, Parallel,
    Reduced, Returned, Stmt, TensorResult, Traced,
};
use crate::iteration::iterator::LevelIterator;
use crate::iteration::plan::{Loop, Plan};
use crate::iteration::visits::outermost_loops;
use crate::level::Segment;
use crate::notation::{Access, ReduceOp, VariableId};
use crate::types::Dtype;

use super::Lowering;
use super::combine::Combine;
use super::extents::{block_size, expanded, extent, signed};
use super::names::Names;
use super::scope::Scope;
use super::slices::bound;

impl Lowering<'_> {
    /// Returns the description of a function with a parallel loop.
    pub(super) fn parallel(
        &self,
        plan: &Plan,
        body: &[Stmt],
        results: &[crate::ir::Result],
    ) -> Option<Parallel> {
        let parted @ Parted { variable: v, range, prepares, stores, .. } = self.parted?;
        let (begin, end) = self.part_names(parted);
        let variable = self.counted_as(range, *v);
        let range = self.divided(parted, plan, body);
        let (mut copies, mut intervals) = (Vec::new(), None);
        for (result, stores) in results.iter().zip(stores) {
            match (result, stores) {
                (crate::ir::Result::Tensor(TensorResult { name, dtype, .. }), Stores::Copies) => {
                    copies.push(Copies {
                        result: name.clone(),
                        neutral: self.zero(*dtype),
                        combining: self.combining(ReduceOp::SUM, *dtype),
                    });
                }
                (
                    crate::ir::Result::Tensor(TensorResult { name, dtype, .. }),
                    Stores::Intervals,
                ) => {
                    let combining = self.combining(ReduceOp::SUM, *dtype);
                    let (result, neutral) = (name.clone(), self.zero(*dtype));
                    intervals = self.intervals(parted, Copies { result, neutral, combining });
                }
                (crate::ir::Result::Tensor(_) | crate::ir::Result::Scalar { .. }, _) => {}
            }
        }
        let joined = self.assemblers.iter().zip(stores);
        let joined = joined.filter_map(|(assembler, stores)| match stores {
            Stores::Joined => assembler.by_parent(),
            Stores::Merged => {
                let dtype = self.program.tensor(assembler.tensor()).dtype;
                let combining = self.combining(ReduceOp::SUM, dtype);
                assembler.by_coordinate(Reduced { dtype, combining })
            }
            Stores::Apart | Stores::Intervals | Stores::Copies | Stores::Reductions => None,
        });
        let joined = joined.map(|joined: ByParent| ByParent {
            parents: expanded(self.program, &self.names, joined.parents),
            ..joined
        });
        let joined: Vec<ByParent> = joined.collect();
        let tables =
            self.assemblers.iter().zip(stores).flat_map(|(assembler, stores)| match stores {
                Stores::Apart | Stores::Joined => {
                    assembler.buckets(self, *stores == Stores::Joined)
                }
                Stores::Merged | Stores::Intervals | Stores::Copies | Stores::Reductions => {
                    Vec::new()
                }
            });
        let buckets: Vec<Buckets> = tables.collect();
        let mut repeats = *prepares;
        plan.for_each_loop(&mut |inner: &Loop| {
            let mut iterators = inner.iterators.iter();
            repeats |= iterators.any(|it| self.is_copied_by_part(inner.variable, it));
        });
        let assembles = results.iter().any(|result| match result {
            crate::ir::Result::Tensor(result) => match &result.assembly {
                crate::ir::Assembly::Assembled { .. } => true,
                crate::ir::Assembly::Computed { structure, .. } => !structure.is_empty(),
            },
            crate::ir::Result::Scalar { .. } => false,
        });
        let is_few = repeats || assembles || !copies.is_empty() || !joined.is_empty();
        let count = match (is_few, parted.is_independent()) {
            (false, _) => Count::Many,
            (true, false) => Count::Few,
            (true, true) => Count::Threads,
        };
        Some(Parallel {
            range,
            variable,
            begin,
            end,
            block: expanded(self.program, &self.names, self.block(parted)),
            count,
            has_rest: parted.has_rest,
            copies,
            intervals,
            joined,
            buckets,
            descents: self.assemblers.iter().filter_map(|of| of.descent(self)).collect(),
            returned: self.returned(parted, results),
        })
    }

    /// Returns the number of consecutive divided coordinates that are in one part.
    fn block(&self, parted: &Parted) -> Expr {
        let own = Expr::Index(usize::try_from(parted.block).unwrap_or(usize::MAX));
        match counted(self.program, &self.names, parted) {
            Counted::Blocks(each) => product(own, each),
            Counted::Own | Counted::Slice { .. } => own,
        }
    }

    /// Returns how parts of the positions of an operand store intervals of a result.
    fn intervals(&self, parted: &Parted, copies: Copies) -> Option<Intervals<String>> {
        let Range::Positions { access, level } = &parted.range else { return None };
        let levels = &self.program.tensor(access.tensor).format.levels;
        let storages = &self.storages[access.tensor.0];
        let segments = (1..=*level).rev().filter_map(|level| {
            let iteration = levels[level].level.position_iteration()?;
            Some(storages[level].array(iteration.segments()?).to_owned())
        });
        let result = &self.program.targets.first()?.access;
        let mode = self.program.tensor(result.tensor).format.mode_of(0)?;
        let (first, after) = self.names.own(self.program.level_variable(access, 0)?);
        Some(Intervals {
            own: [first, after],
            mode,
            coordinate: Traced {
                segments: segments.collect(),
                coordinates: match levels[0].level.coordinate_iteration() {
                    Some(_) => None,
                    None => self.coordinates_of(access, 0),
                },
            },
            copies,
        })
    }

    /// Returns the variables of which each part returns a value: the reductions, the keys by which
    /// coordinates are chosen, and whether entries were found where the result depends on that.
    fn returned(&self, parted: &Parted, results: &[crate::ir::Result]) -> Vec<Returned> {
        let values = results.iter().filter_map(|result| match result {
            crate::ir::Result::Scalar { value, .. } => Some(value),
            crate::ir::Result::Tensor(_) => None,
        });
        let values: Vec<&Expr> = values.collect();
        let is_read = |name: &str| values.iter().any(|value| value.mentions(name));
        let one = |name: &str, op: ReduceOp, dtype: Dtype| {
            let reduced = Reduced { dtype, combining: self.combining(op, dtype) };
            is_read(name).then(|| Returned { name: name.to_owned(), key: None, reduced })
        };
        let of_one = |Temporary { tensor, op }: &Temporary| {
            let name = self.names.argument(*tensor);
            let mut returned: Vec<Returned> = match self.chosen_by_parts(*tensor, *op) {
                Some(both) if is_read(name) => both.into(),
                Some(_) => Vec::new(),
                None => one(name, *op, self.program.tensor(*tensor).dtype).into_iter().collect(),
            };
            returned.extend(one(&self.names.found(*tensor), ReduceOp::ANY, Dtype::Bool));
            returned
        };
        parted.reductions.iter().flat_map(of_one).collect()
    }

    /// Returns the operation that combines the values of two parts.
    pub(super) fn combining(&self, op: ReduceOp, dtype: Dtype) -> Combining {
        let values = ["earlier", "later"].map(str::to_owned);
        let [earlier, later] = values.each_ref().map(|name| Expr::var(name));
        let combined = Combine::reducing(&self.program.kernel, op, dtype).of(earlier, later);
        Combining { values, combined }
    }

    /// Returns `let i_begin = …; let i_end = …;`, the bounds of the loop's coordinates of a part, if they
    /// have names other than those of the divided coordinates.
    pub(super) fn begin_part(&self) -> Vec<Stmt> {
        let Some(parted) = self.parted.filter(|of| matches!(of.divides, Divides::Slice(_))) else {
            return Vec::new();
        };
        let (begin, end) = self.names.part(parted.variable);
        let bounds = bounds_of_loop(self.program, &self.names, parted);
        [begin, end].iter().zip(bounds).map(|(name, bound)| Stmt::bind(name, bound)).collect()
    }

    /// Lowers one of several plans that run one after another. Those before the loop that is divided
    /// which add to what the parts compute together are run by the first part alone, in full: the
    /// variable of that loop may be one of theirs. All others are run by each part for itself.
    pub(super) fn in_sequence(
        &mut self,
        plans: &[Arc<Plan>],
        plan: &Plan,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let Some(parted) = self.parted else { return self.plan(plan, scope) };
        let is_divided = |plan: &Plan| {
            let mut loops = Vec::new();
            outermost_loops(self.program, plan, &mut loops);
            loops.into_iter().any(|inner| inner.variable == parted.variable)
        };
        let results = self.program.targets.iter().map(|target| target.access.tensor);
        let mut shared = results.chain(parted.reductions.iter().map(|reduction| reduction.tensor));
        let is_alone = !is_divided(plan) && shared.any(|id| plan.assigns(id));
        if !is_alone || !plans.iter().any(|plan| is_divided(plan)) {
            return self.plan(plan, scope);
        }
        let (begin, _) = self.part_names(parted);
        self.parted = None;
        let stmts = self.plan(plan, scope);
        self.parted = Some(parted);
        Stmt::when(Expr::eq(Expr::var(&begin), Expr::Index(0)), stmts)
    }

    /// Returns the name of a coordinate of a variable, or of a position, in a range that is divided.
    pub(super) fn counted_as(&self, range: &Range, v: VariableId) -> String {
        match range {
            Range::Coordinates => self.names.variable(v).to_owned(),
            Range::Positions { access, level } => self.names.position(access, *level),
        }
    }

    /// Returns the variables with the bounds of a part.
    fn part_names(&self, parted: &Parted) -> (String, String) {
        match &parted.range {
            Range::Coordinates => self.names.divided(parted),
            Range::Positions { access, level } => {
                let position = self.names.position(access, *level);
                (format!("{position}_begin"), format!("{position}_end"))
            }
        }
    }

    /// Returns the bounds of the part of a loop over `v`, if that is the outermost one and divided by
    /// coordinates.
    pub(super) fn part(&self, v: VariableId) -> Option<Segment> {
        let parted = self.parted.filter(|parted| parted.is_by_coordinate())?;
        (parted.variable == v).then(|| {
            let Segment { start, end } = part_of_loop(self.program, &self.names, parted);
            let [start, end] =
                [start, end].map(|counted| signed(self.program, &self.names, v, counted));
            Segment { start, end }
        })
    }

    /// Returns whether each part has a sorted copy of an iterator's entries, with those of the part.
    pub(super) fn is_copied_by_part(&self, v: VariableId, iterator: &LevelIterator) -> bool {
        iterator.reorders() && self.part(v).is_some()
    }

    /// Returns the bounds of the part of an iterator's positions, if they are divided.
    pub(super) fn part_of_positions(
        &self,
        v: VariableId,
        iterator: &LevelIterator,
    ) -> Option<Segment> {
        let parted = self.parted.filter(|parted| parted.variable == v)?;
        let Range::Positions { access, level } = &parted.range else { return None };
        let is_it = *access == iterator.access && *level == iterator.level;
        is_it.then(|| self.part_segment(access, *level))
    }

    /// Returns the variables with the bounds of a part of the positions of a level.
    pub(super) fn part_segment(&self, access: &Access, level: usize) -> Segment {
        let position = self.names.position(access, level);
        let [start, end] =
            ["begin", "end"].map(|suffix| Expr::var(&format!("{position}_{suffix}")));
        Segment { start, end }
    }

    /// Returns the bounds of a loop within its part or block, if there is one. A full loop has no
    /// other bounds.
    pub(super) fn within_part(
        &self,
        v: VariableId,
        bounds: Segment,
        is_full: bool,
        scope: &Scope,
    ) -> Segment {
        match self.interval(v, scope) {
            None => bounds,
            Some(part) if is_full => part,
            Some(part) => Segment {
                start: latest(bounds.start, part.start),
                end: Expr::min(bounds.end, part.end),
            },
        }
    }

    /// Returns the first coordinate of a level that a slice maps to a coordinate of the loop or to
    /// one after it.
    pub(super) fn first_in_mode(&self, mode: VariableId, counted: Expr, scope: &Scope) -> Expr {
        let Some(shift) = self.slice(mode).shift() else {
            return self.in_mode(mode, counted, scope);
        };
        let by = Expr::Index(shift.unsigned_abs() as usize);
        match shift < 0 {
            true => Expr::add(counted, by),
            false => Expr::saturating_sub(counted, by),
        }
    }
}

/// Returns the number of coordinates of another variable in each of the blocks that a variable counts,
/// which is at least 1.
fn size_of_blocks(program: &Program, names: &Names, v: VariableId, of: VariableId) -> Expr {
    match program.space.computed(v) {
        Some(Coordinate::Div(inner, size)) if v != of => {
            let own = Expr::max(block_size(program, names, *inner, *size), Expr::Index(1));
            product(own, size_of_blocks(program, names, *inner, of))
        }
        _ => Expr::Index(1),
    }
}

/// Returns a product of sizes. One that is too large is as large as any.
fn product(a: Expr, b: Expr) -> Expr {
    match (a, b) {
        (Expr::Index(a), Expr::Index(b)) => Expr::Index(a.saturating_mul(b)),
        (a, b) => Expr::mul(a, b),
    }
}

/// Returns how a loop counts the coordinates that are divided.
pub(super) fn counted(program: &Program, names: &Names, parted: &Parted) -> Counted {
    match parted.divides {
        Divides::Own => Counted::Own,
        Divides::Blocks(rows) => {
            Counted::Blocks(size_of_blocks(program, names, parted.variable, rows))
        }
        Divides::Slice(mode) => {
            let slice = program.space.slice(mode).expect("a mode that is stored in part");
            let range = slice.range().expect("a range of the mode");
            let (start, size) = (bound(names, range.start), extent(program, names, slice.of));
            let variable = names.variable(slice.of).to_owned();
            Counted::Slice { variable, start, step: range.step, size }
        }
    }
}

/// Returns the bounds of the loop's coordinates of a part.
pub(super) fn part_of_loop(program: &Program, names: &Names, parted: &Parted) -> Segment {
    let [start, end] = match parted.divides {
        Divides::Blocks(..) => bounds_of_loop(program, names, parted),
        Divides::Own | Divides::Slice(_) => {
            let (begin, end) = names.part(parted.variable);
            [begin, end].map(|bound| Expr::var(&bound))
        }
    };
    Segment { start, end }
}

/// Returns the bounds of the loop's coordinates of a part in terms of the divided coordinates.
fn bounds_of_loop(program: &Program, names: &Names, parted: &Parted) -> [Expr; 2] {
    let counted = counted(program, names, parted);
    let (first, after) = names.divided(parted);
    [counted.begin(Expr::var(&first)), counted.end(Expr::var(&after))]
}

/// Returns the later one of two coordinates.
pub(super) fn latest(a: Expr, b: Expr) -> Expr {
    match a {
        Expr::Index(0) => b,
        a => Expr::max(a, b),
    }
}

/// Returns a coordinate or an extent relative to the first coordinate of the part.
pub(super) fn within_chunk(end: Expr, begin: &str) -> Expr {
    Expr::binary(BinaryOp::Sub, end, Expr::var(begin))
}
