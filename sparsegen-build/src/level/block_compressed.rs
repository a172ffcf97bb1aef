//! `block_compressed`: coordinates in 8 or 16 bits, relative to blocks of consecutive coordinates.
//!
//! The blocks of parent q are `pos[q]..pos[q + 1]`. Block b has the number `blocks[b]` and the positions
//! `first[b]..first[b + 1]`, and the coordinate at p is `blocks[b] * n + crd[p]`.

use std::sync::Arc;

use super::assembly::{close_rest, close_segment};
use super::code::{Expr, Stmt, Width};
use super::{
    Append, Blocks, Found, Groups, Holds, Joins, Level, PositionIteration, Promise, Properties,
    Property, Segment, Storage, StorageArray,
};

#[derive(Debug)]
pub(super) struct BlockCompressed {
    /// The number of coordinates of a block.
    block: usize,
}

/// The largest number of coordinates of a block, which is also the default.
const LARGEST: usize = 1 << 16;

const FIELDS: [&str; 4] = ["pos", "blocks", "first", "crd"];

impl Default for BlockCompressed {
    fn default() -> BlockCompressed {
        BlockCompressed { block: LARGEST }
    }
}

impl BlockCompressed {
    fn is_small(&self) -> bool {
        self.block <= 1 << 8
    }

    fn block(&self) -> Expr {
        Expr::Index(self.block)
    }
}

impl Level for BlockCompressed {
    fn name(&self) -> &str {
        "block_compressed"
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: `validate` checks that the parents divide all blocks among them, that blocks are
        // contiguous and not empty, and that coordinates are below the extent.
        Some(unsafe { Promise::new() })
    }

    fn properties(&self) -> Properties {
        Properties { compact: true, ..Properties::SPARSE }
    }

    fn settable(&self) -> &'static [Property] {
        &[Property::Padded, Property::Unpadded]
    }

    fn arrays(&self) -> &'static [StorageArray] {
        const fn arrays(crd: Width) -> [StorageArray; 4] {
            [
                StorageArray { field: "pos", holds: Holds::Indices("blocks") },
                StorageArray { field: "blocks", holds: Holds::Coordinates },
                StorageArray { field: "first", holds: Holds::Positions },
                StorageArray { field: "crd", holds: Holds::Numbers(crd) },
            ]
        }
        const SMALL: [StorageArray; 4] = arrays(Width::U8);
        const LARGE: [StorageArray; 4] = arrays(Width::U16);
        if self.is_small() { &SMALL } else { &LARGE }
    }

    fn storage(&self, pos: &str, crd: &str) -> String {
        let within = if self.is_small() { "u8" } else { "u16" };
        format!("sparsegen::level::BlockCompressed<{pos}, {crd}, {within}, {}>", self.block)
    }

    fn parameters(&self) -> Vec<String> {
        vec![self.block.to_string()]
    }

    fn with_numbers(&self, numbers: &[u64]) -> Option<Arc<dyn Level>> {
        let block = match numbers {
            [] => LARGEST,
            [block] => usize::try_from(*block).ok()?,
            [_, _, ..] => return None,
        };
        let is_supported = (2..=LARGEST).contains(&block);
        is_supported.then(|| Arc::new(BlockCompressed { block }) as Arc<dyn Level>)
    }

    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        Some(self)
    }

    fn append(&self) -> Option<&dyn Append> {
        Some(self)
    }
}

impl PositionIteration for BlockCompressed {
    fn pos_bounds(&self, storage: &Storage, parents: Segment) -> Segment {
        let first_of = |parent| storage.load("first", storage.load("pos", parent));
        Segment { start: first_of(parents.start), end: first_of(parents.end) }
    }

    fn groups(&self) -> Option<&dyn Groups> {
        Some(self)
    }

    fn pos_access(&self, storage: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        let number = storage.load("blocks", Expr::var(storage.carried("block")));
        let start = Expr::mul(number, self.block());
        Found::always(Expr::add(start, storage.load("crd", position)))
    }
}

impl Groups for BlockCompressed {
    fn name(&self) -> &'static str {
        "block"
    }

    fn group_bounds(&self, storage: &Storage, parent: Expr) -> Segment {
        let end = Expr::add(parent.clone(), Expr::Index(1));
        Segment { start: storage.load("pos", parent), end: storage.load("pos", end) }
    }

    fn group_positions(&self, storage: &Storage, block: Expr) -> Segment {
        let end = Expr::add(block.clone(), Expr::Index(1));
        Segment { start: storage.load("first", block), end: storage.load("first", end) }
    }

    fn blocks(&self) -> Option<Blocks> {
        Some(Blocks { size: self.block, numbers: "blocks", within: "crd" })
    }
}

/// The end of the last block is stored when all coordinates are.
impl Append for BlockCompressed {
    fn append_init(&self, storage: &Storage) -> Vec<Stmt> {
        let pos = storage.array("pos");
        let mut init = vec![Stmt::clear(pos), Stmt::push(pos, Expr::Index(0))];
        init.extend(["blocks", "first", "crd"].map(|field| Stmt::clear(storage.array(field))));
        init
    }

    fn append_coord(&self, storage: &Storage, coordinate: Expr) -> Vec<Stmt> {
        let [pos, blocks, first, crd] = FIELDS.map(|field| storage.array(field));
        let last = |array: &str| Expr::load(array, Expr::sub(Expr::len(array), Expr::Index(1)));
        let number = Expr::div(coordinate.clone(), self.block());
        let is_first = Expr::eq(Expr::len(blocks), last(pos));
        let is_next = Expr::ne(last(blocks), number.clone());
        let begin = vec![Stmt::push(blocks, number), Stmt::push(first, Expr::len(crd))];
        let mut stmts = Stmt::when(Expr::or(is_first, is_next), begin);
        stmts.push(Stmt::push(crd, Expr::rem(coordinate, self.block())));
        stmts
    }

    fn append_edges(&self, storage: &Storage, skipped_to: Option<Expr>) -> Vec<Stmt> {
        let count = Expr::len(storage.array("blocks"));
        close_segment(storage.array("pos"), count, skipped_to)
    }

    fn append_finalize(&self, storage: &Storage, parents: Option<Expr>) -> Vec<Stmt> {
        let [pos, blocks, first, crd] = FIELDS.map(|field| storage.array(field));
        let mut end = vec![Stmt::push(first, Expr::len(crd))];
        end.extend(close_rest(pos, Expr::len(blocks), parents));
        end
    }

    fn count(&self, storage: &Storage) -> Expr {
        Expr::len(storage.array("crd"))
    }

    fn joins(&self) -> Option<Joins> {
        Some(Joins::Ends)
    }
}
