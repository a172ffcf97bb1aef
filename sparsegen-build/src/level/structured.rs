//! `structured`: a fixed number of coordinates in each block: `structured(2, 4)` stores two of
//! four.
//!
//! The positions of parent q are `q * kept..(q + 1) * kept`, and `crd[p]` is the coordinate at p,
//! relative to its block.

use std::sync::Arc;

use super::code::{Expr, Stmt};
use super::{
    Below, Fill, Found, Holds, Level, PositionIteration, Promise, Properties, Property, Segment,
    Share, Storage, StorageArray,
};

#[derive(Debug)]
pub(super) struct Structured {
    kept: u64,
    block: u64,
}

/// Two of four, as in graphics processors.
impl Default for Structured {
    fn default() -> Structured {
        Structured { kept: 2, block: 4 }
    }
}

impl Level for Structured {
    fn name(&self) -> &str {
        "structured"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: `validate` checks that `crd` has a fixed number of coordinates for each parent,
        // in order and below the extent.
        Some(unsafe { Promise::new() })
    }

    fn pads(&self) -> bool {
        true
    }

    fn properties(&self) -> Properties {
        Properties {
            full: false,
            ordered: true,
            unique: true,
            branchless: false,
            compact: true,
            padded: true,
        }
    }

    fn share(&self) -> Option<Share> {
        Some(Share { stored: self.kept, block: self.block })
    }

    fn settable(&self) -> &'static [Property] {
        &[Property::Padded]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        &[StorageArray { field: "crd", holds: Holds::Coordinates }]
    }

    fn storage(&self, _: &str, crd: &str) -> String {
        format!("sparsegen::level::Structured<{crd}, {}, {}>", self.kept, self.block)
    }

    fn parameters(&self) -> Vec<String> {
        vec![self.kept.to_string(), self.block.to_string()]
    }

    fn with_numbers(&self, numbers: &[u64]) -> Option<Arc<dyn Level>> {
        let &[kept, block] = numbers else { return None };
        (0 < kept && kept <= block).then(|| Arc::new(Structured { kept, block }) as Arc<dyn Level>)
    }

    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        Some(self)
    }

    fn fill(&self) -> Option<&dyn Fill> {
        Some(self)
    }
}

impl PositionIteration for Structured {
    fn pos_bounds(&self, _: &Storage, parents: Segment) -> Segment {
        let kept = self.kept();
        Segment { start: Expr::mul(parents.start, kept.clone()), end: Expr::mul(parents.end, kept) }
    }

    fn pos_access(&self, storage: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        Found::always(storage.load("crd", position))
    }
}

impl Structured {
    fn kept(&self) -> Expr {
        Expr::Index(usize::try_from(self.kept).unwrap_or(usize::MAX))
    }
}

/// Blocks with fewer coordinates are padded with the least unused ones.
impl Fill for Structured {
    fn capacity(&self) -> Option<Expr> {
        Some(self.kept())
    }

    fn fill_edges(&self, _: &Storage, _: Expr) -> Vec<Stmt> {
        Vec::new()
    }

    fn fill_positions(&self, storage: &Storage, count: Expr) -> Vec<Stmt> {
        vec![Stmt::resize(storage.array("crd"), count, Expr::Index(0))]
    }

    fn fill_coord(&self, storage: &Storage, position: Expr, coordinate: Expr) -> Vec<Stmt> {
        vec![Stmt::store(storage.array("crd"), position, coordinate)]
    }

    fn fill_sort(&self, _: &Storage) -> Vec<Stmt> {
        Vec::new()
    }

    /// Moves the coordinates to their places from the last one on. Positions below a padding
    /// coordinate hold all smaller coordinates, so that it equals the number of its position.
    fn fill_rest(
        &self,
        storage: &Storage,
        parent: Expr,
        count: Expr,
        below: &Below,
        name: &str,
    ) -> Vec<Stmt> {
        let crd = storage.array("crd");
        let [first, end, left] = ["first", "end", "left"].map(|part| format!("{name}_{part}"));
        let at = |offset: &str| Expr::add(Expr::var(&first), Expr::var(offset));
        let one = || Expr::neg(Expr::Index(1));
        let last = storage.load("crd", Expr::sub(at(&left), Expr::Index(1)));
        let is_entry =
            Expr::and(Expr::lt(Expr::Index(0), Expr::var(&left)), Expr::le(Expr::var(&end), last));
        let each = |array: &str, value: &dyn Fn(Expr) -> Expr| {
            let store = |k: Expr| {
                let index =
                    |position| Expr::add(Expr::mul(position, below.each.clone()), k.clone());
                Stmt::store(array, index(at(&end)), value(index(at(&left))))
            };
            match below.each {
                Expr::Index(1) => vec![store(Expr::Index(0))],
                _ => {
                    let k = format!("{name}_value");
                    let stores = vec![store(Expr::var(&k))];
                    Stmt::for_range(&k, Expr::Index(0), below.each.clone(), stores)
                }
            }
        };
        let mut moved = vec![
            Stmt::accumulate(&left, one()),
            Stmt::store(crd, at(&end), storage.load("crd", at(&left))),
        ];
        let mut padding = vec![Stmt::store(crd, at(&end), Expr::var(&end))];
        for (array, initial) in &below.arrays {
            moved.extend(each(array, &|index| Expr::load(array, index)));
            padding.extend(each(array, &|_| initial.clone()));
        }
        let mut body = vec![Stmt::accumulate(&end, one())];
        body.extend(Stmt::choose(vec![(is_entry, moved)], padding));
        let mut stmts = vec![
            Stmt::bind(&first, Expr::mul(parent, self.kept())),
            Stmt::bind_mut(&left, count),
            Stmt::bind_mut(&end, self.kept()),
        ];
        stmts.extend(Stmt::repeat_while(Expr::lt(Expr::var(&left), Expr::var(&end)), body));
        stmts
    }
}
