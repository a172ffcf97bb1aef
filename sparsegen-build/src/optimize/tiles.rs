//! Register tiles: runs a loop over the dense elements of a result a few elements at a time, within
//! which the loop that accumulates them runs.
//!
//! `for p { for j { c[j] += a[p] * b[j] } }` loads and stores each element of `c` in every iteration
//! of `p`. rustc cannot exchange the loops, because it does not know that no element is visited
//! twice. With tiles of 8 columns, a product with a dense matrix takes half of the time, and a tenth less
//! with tiles of 16, which read each entry half as often. Each element is accumulated in the same order
//! as before.

mod nest;
mod once;

use std::collections::{BTreeMap, BTreeSet};

use super::fresh::Names;
use super::strips::{Extents, Trip, declared, lanes, resolved, zero};
use crate::ir::{BinaryOp, Dtype, Element, Expr, Function, Stmt};
use nest::{Nest, Target};
use once::Initialized;

/// The largest number of elements in registers, as a multiple of the lanes.
const WHOLE: usize = 4;

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    let mut tiling = Tiling {
        arrays: elements(&function),
        extents: declared(&function),
        names: Names::of(&function),
        demanded: function.unroll.iter().map(|u| (u.variable.clone(), u.by)).collect(),
        reassociates: function.reassociates,
        tiled: BTreeSet::new(),
        initialized: Initialized::of(&function),
    };
    let scope = Scope { around: Some(Vec::new()), ..Scope::default() };
    function.body = tiling.body(std::mem::take(&mut function.body), &scope);
    tiling.initialized.finish(&mut function);
    let tiled = tiling.tiled;
    function.unroll.retain(|unroll| !tiled.contains(&unroll.variable));
    function.is_vectorized |= !tiled.is_empty();
    function
}

/// Returns the arrays with values in which elements are stored by index.
pub(super) fn elements(function: &Function) -> BTreeMap<String, Dtype> {
    let mut elements = BTreeMap::new();
    for array in function.results().flat_map(|result| result.arrays()) {
        if let Element::Value(dtype) = array.element {
            elements.insert(array.name.clone(), dtype);
        }
    }
    for stmt in &function.body {
        stmt.for_each(&mut |stmt| {
            if let Stmt::Scratch { name, element: Element::Value(dtype) } = stmt {
                elements.insert(name.clone(), *dtype);
            }
        });
    }
    elements
}

struct Tiling {
    arrays: BTreeMap<String, Dtype>,
    /// The extents that the kernel declares, which its entry points check.
    extents: Extents,
    names: Names,
    /// The numbers of iterations at a time that the schedule demands.
    demanded: BTreeMap<String, usize>,
    /// `true` if factors may be taken out of sums.
    reassociates: bool,
    /// The variables of the loops in tiles.
    tiled: BTreeSet<String>,
    initialized: Initialized,
}

/// Elements of the targets of a nest that stay in registers.
struct Tile<'t> {
    /// The variable that counts the elements.
    lane: &'t str,
    /// The number of elements of each target.
    len: usize,
    /// The variable of the nest, unless that counts the elements.
    bind: Option<Expr>,
    /// The names of the arrays, one for each target.
    names: &'t [String],
}

/// The statements around others.
#[derive(Clone, Default)]
struct Scope {
    /// The variables of the loops; `None` for a loop that does not count.
    loops: Vec<Option<String>>,
    /// The constants.
    lets: Vec<(String, Expr)>,
    /// The loops with their bounds, outermost first; `None` if there are others than loops that count.
    around: Option<Vec<(String, [Expr; 2])>>,
    /// The conditions that hold.
    holds: Vec<Expr>,
}

impl Tiling {
    fn body(&mut self, body: Vec<Stmt>, scope: &Scope) -> Vec<Stmt> {
        let mut scope = scope.clone();
        let mut done = Vec::new();
        for stmt in body {
            if let Stmt::Let { name, mutable: false, value } = &stmt {
                scope.lets.push((name.clone(), value.clone()));
            }
            let tiles = Nest::of(&stmt, &self.arrays).and_then(|nest| self.tiles(nest, &scope));
            match tiles {
                Some(tiles) => done.extend(tiles),
                None if stmt.bodies().is_empty() => done.push(stmt),
                None => {
                    let mut inner = scope.clone();
                    match &stmt {
                        Stmt::For { name, .. } => inner.loops.push(Some(name.clone())),
                        Stmt::While { .. } => inner.loops.push(None),
                        Stmt::If { arms, otherwise } if otherwise.is_empty() => {
                            if let [(condition, body)] = &arms[..]
                                && condition.is_known_in(body)
                            {
                                inner.holds.push(condition.clone());
                            }
                        }
                        _ => {}
                    }
                    match (&stmt, &mut inner.around) {
                        (Stmt::For { name, start, end, .. }, Some(around)) => {
                            around.push((name.clone(), [start.clone(), end.clone()]));
                        }
                        (_, around) => *around = None,
                    }
                    done.extend(stmt.with_bodies(&mut |body| self.body(body, &inner)));
                }
            }
        }
        done
    }

    /// Returns a nest of loops in tiles, or `None` if its loops should stay as they are.
    fn tiles(&mut self, mut nest: Nest<'_>, scope: &Scope) -> Option<Vec<Stmt>> {
        let demanded = self.demanded.get(nest.variable).copied();
        // Other operands than rows of sparse ones are read in order, once, if the loops stay.
        if demanded == Some(1) || demanded.is_none() && !nest.visits_entries() {
            return None;
        }
        let by = nest.targets.iter().map(|target| lanes(target.dtype)).min()?;
        let by = demanded.unwrap_or(by);
        let to = resolved(nest.to, &self.extents);
        let trip = Trip::of(nest.from, &to);
        match trip {
            Trip::Constant(len) if len < 2 => return None,
            Trip::Cut { len, .. } if !(2..=by * WHOLE).contains(&len) => return None,
            _ => {}
        }
        self.tiled.insert(nest.variable.to_owned());
        // Without an iteration, factors have no effect, even if they are infinite.
        let is_factored = nest.targets.iter().any(|target| self.factored(&nest, target).is_some());
        let is_optional = is_factored || nest.is_often_empty(scope);
        if !is_optional {
            self.initialized.leave_to(&mut nest, scope);
        }
        let nest = &nest;
        let tiles = match trip {
            Trip::Constant(len) if len <= by * WHOLE => self.whole(nest, len),
            Trip::Cut { reached, left, len } => {
                let rest = nest.with_range(nest.from.clone(), left.clone());
                Stmt::choose(vec![(reached, self.whole(nest, len))], rest)
            }
            Trip::Constant(_) | Trip::Unknown => match demanded {
                Some(by) => self.several(nest, &to, by, &[]),
                None => self.several(nest, &to, 2 * by, &[by]),
            },
        };
        let has_any = Expr::lt(nest.start.clone(), nest.end.clone());
        Some(match is_optional && !scope.holds.iter().any(|known| known.implies(&has_any)) {
            true => Stmt::when(has_any, tiles),
            false => tiles,
        })
    }

    /// Returns the statements for a single tile of constant length.
    fn whole(&mut self, nest: &Nest<'_>, len: usize) -> Vec<Stmt> {
        let comment = format!("The {len} elements of {} stay in registers.", nest.arrays());
        let comment = Stmt::Comment(comment.into());
        let names = self.tile_names(nest);
        let (lane, bind) = match *nest.from == Expr::Index(0) {
            true => (nest.variable.to_owned(), None),
            false => {
                let lane = self.names.fresh("lane");
                let bind = Expr::add(nest.from.clone(), Expr::var(&lane));
                (lane, Some(bind))
            }
        };
        let tile = Tile { lane: &lane, len, bind, names: &names };
        [vec![comment], self.tile(nest, &tile)].concat()
    }

    /// Returns the statements for as many full tiles as there are, at most one tile of each shorter
    /// length, which is half of the one before, and for the remaining elements.
    fn several(&mut self, nest: &Nest<'_>, to: &Expr, by: usize, shorter: &[usize]) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        let to = self.names.bound(nest.variable, "end", to, &mut stmts);
        let count = Expr::saturating_sub(to.clone(), nest.from.clone());
        let full = |by: usize| Expr::div(count.clone(), Expr::Index(by));
        let left = |by: usize| Expr::rem(count.clone(), Expr::Index(by));
        let after = |tiles: Expr, by: usize| {
            Expr::add(nest.from.clone(), Expr::mul(tiles, Expr::Index(by)))
        };
        let number = self.names.beside(nest.variable, "tile");
        let lane = self.names.fresh("lane");
        let names = self.tile_names(nest);
        let tile = |first: Expr, len: usize| {
            let bind = Some(Expr::add(first, Expr::var(&lane)));
            self.tile(nest, &Tile { lane: &lane, len, bind, names: &names })
        };
        let comment = format!("{by} elements of {} at a time, in registers.", nest.arrays());
        stmts.push(Stmt::Comment(comment.into()));
        let body = tile(after(Expr::var(&number), by), by);
        stmts.extend(Stmt::for_range(&number, Expr::Index(0), full(by), body));
        let mut least = by;
        for by in shorter.iter().copied() {
            let body = tile(after(full(least), least), by);
            stmts.extend(Stmt::when(Expr::le(Expr::Index(by), left(least)), body));
            least = by;
        }
        let rest = nest.with_range(after(full(least), least), to);
        stmts.extend(Stmt::when(Expr::ne(left(least), Expr::Index(0)), rest));
        stmts
    }

    /// Returns names of arrays for the elements of a tile, one for each target.
    fn tile_names(&mut self, nest: &Nest<'_>) -> Vec<String> {
        let names = nest.targets.iter().map(|Target { array, .. }| {
            let stem = array.strip_suffix("_vals").unwrap_or(array);
            self.names.beside(stem, "tile")
        });
        names.collect()
    }

    /// Returns the statements for a tile.
    fn tile(&self, nest: &Nest<'_>, tile: &Tile<'_>) -> Vec<Stmt> {
        let Tile { lane, len, ref bind, names } = *tile;
        let bind = bind.iter().map(|at| Stmt::bind(nest.variable, at.clone()));
        let bind: Vec<Stmt> = bind.collect();
        let each = |body: Vec<Stmt>| {
            Stmt::for_range(lane, Expr::Index(0), Expr::Index(len), [bind.clone(), body].concat())
        };
        let (mut before, mut load, mut store) = (Vec::new(), Vec::new(), Vec::new());
        let mut inner = nest.inner.to_vec();
        for (target, name) in nest.targets.iter().zip(names) {
            let Target { array, index, dtype, .. } = target;
            let element = Expr::load(name, Expr::var(lane));
            let initial = target.fill.clone().unwrap_or_else(|| zero(*dtype));
            match self.factored(nest, target) {
                Some((factor, sign, rest)) => {
                    let part = Stmt::accumulate_at(name, Expr::var(lane), rest);
                    inner = nest::replaced(&inner, array, &part);
                    let value = Expr::mul(factor, element);
                    store.push(match sign {
                        BinaryOp::Sub => Stmt::combine_at(array, index.clone(), sign, value),
                        _ => Stmt::accumulate_at(array, index.clone(), value),
                    });
                }
                None => {
                    inner = nest::moved(&inner, array, name, &Expr::var(lane));
                    if target.fill.is_none() {
                        let old = Expr::load(array, index.clone());
                        load.push(Stmt::store(name, Expr::var(lane), old));
                    }
                    store.push(Stmt::store(array, index.clone(), element));
                }
            }
            before.push(Stmt::Tile { name: name.clone(), dtype: *dtype, len, initial });
        }
        if !load.is_empty() {
            before.extend(each(nest.with_lets(&load)));
        }
        let mut step = nest.before.to_vec();
        step.extend(each(inner));
        let (p, start, end) = (nest.outer, nest.start.clone(), nest.end.clone());
        before.extend(Stmt::for_range(p, start.clone(), end.clone(), step));
        before.extend(each(nest.with_lets(&store)));
        before
    }

    /// Returns the factors to multiply the sum by, the sign of the sum, and what is added.
    fn factored(&self, nest: &Nest<'_>, target: &Target) -> Option<(Expr, BinaryOp, Expr)> {
        nest.factored(target).filter(|_| self.reassociates)
    }
}

#[cfg(test)]
mod tests {
    use crate::compile_str;

    /// Returns the loops of a kernel in generated code.
    fn loops(keys: &str) -> String {
        let tensors = "tensors = { Y = 'dense', A = 'csr', X = 'dense' }";
        let expr = "expr = 'Y[i,k] = A[i,j] * X[j,k]'";
        let manifest = format!("[kernels.spmm]\n{expr}\n{tensors}\n{keys}\n");
        let source = compile_str("kernels.toml", &manifest).source;
        let (_, loops) = source.split_once("    for i in 0..i_size {").expect("loops over rows");
        loops.to_owned()
    }

    #[test]
    fn the_number_of_elements_is_chosen_by_type_or_demanded() {
        assert!(loops("").contains("[0.0_f64; 16]") && loops("").contains("[0.0_f64; 8]"));
        assert!(loops("dtype = 'f32'").contains("[0.0_f32; 32]"));
        assert!(loops("schedule = ['unroll(k, 4)']").contains("[0.0_f64; 4]"));
        assert!(!loops("schedule = ['unroll(k, 1)']").contains("tile"));
    }

    #[test]
    fn few_columns_of_known_number_are_a_single_tile() {
        let few = loops("sizes = { k = 5 }");
        assert!(few.contains("[0.0_f64; 5]") && !few.contains("lane"), "{few}");
        let many = loops("sizes = { k = 64 }");
        assert!(many.contains("in 0..4 {") && !many.contains("is_multiple_of"), "{many}");
        let odd = loops("sizes = { k = 40 }");
        assert!(odd.contains("in 0..2 {") && odd.contains("let k = lane + 32;"), "{odd}");
    }
}
