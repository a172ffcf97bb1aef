//! Strip-mined loops over positions.

use crate::concrete::space::BlockSize;
use crate::ir::{Expr, Stmt};
use crate::iteration::plan::Loop;
use crate::level::Segment;

use super::Lowering;

impl Lowering<'_> {
    /// Lowers `for p_a in … { … }`, in blocks if the schedule splits it.
    pub(super) fn for_positions(
        &self,
        inner: &Loop,
        name: &str,
        bounds: Segment,
        body: Vec<Stmt>,
    ) -> Vec<Stmt> {
        let Some(strips) = inner.annotations.strips else {
            return Stmt::for_range(name, bounds.start, bounds.end, body);
        };
        let block = self.names.variable(strips.block);
        let [begin, end, first] =
            ["begin", "end", "block"].map(|suffix| format!("{name}_{suffix}"));
        let mut stmts = vec![Stmt::bind(&begin, bounds.start), Stmt::bind(&end, bounds.end)];
        let (begin, end) = (Expr::var(&begin), Expr::var(&end));
        let count = Expr::sub(end.clone(), begin.clone());
        let (size, blocks) = match strips.size {
            BlockSize::Constant(size) => {
                let size = Expr::Index(size as usize);
                (size.clone(), Expr::div_ceil(count, size))
            }
            BlockSize::Share(blocks) => {
                let blocks = Expr::Index(blocks as usize);
                let size = format!("{name}_share");
                stmts.push(Stmt::bind(&size, Expr::div_ceil(count, blocks.clone())));
                (Expr::var(&size), blocks)
            }
        };
        let start = Expr::add(begin, Expr::mul(Expr::var(block), size.clone()));
        let last = Expr::min(Expr::add(Expr::var(&first), size), end.clone());
        let mut strip = vec![Stmt::bind(&first, Expr::min(start, end))];
        strip.extend(Stmt::for_range(name, Expr::var(&first), last, body));
        stmts.extend(Stmt::for_range(block, Expr::Index(0), blocks, strip));
        stmts
    }
}
