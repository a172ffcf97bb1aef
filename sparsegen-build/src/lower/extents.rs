//! Extents of variables, and bounds of levels that depend on other dimensions.

use crate::concrete::Program;
use crate::concrete::space::{BlockSize, Definition};
use crate::format::LevelExpr;
use crate::ir::{Expr, Stmt};
use crate::level::{Offset, Relation};
use crate::notation::{Access, VariableId};

use super::names::Names;

/// Returns the definitions of the numbers of blocks, of offsets and of sums, which the body uses by
/// name.
pub(super) fn blocks(program: &Program, names: &Names) -> Vec<Stmt> {
    let variables = (0..program.kernel.variables.len()).map(VariableId);
    variables.filter_map(|v| Some(Stmt::bind(names.size(v), counted(program, names, v)?))).collect()
}

/// Returns the computation of an extent that the body uses by name, if it is computed.
fn counted(program: &Program, names: &Names, v: VariableId) -> Option<Expr> {
    match program.space.definition(v)? {
        Definition::Div(of, BlockSize::Constant(size)) => {
            let size = Expr::Index(size as usize);
            Some(Expr::div_ceil(extent(program, names, of), size))
        }
        Definition::Mod(of, BlockSize::Share(count)) => {
            let count = Expr::Index(count as usize);
            Some(Expr::div_ceil(extent(program, names, of), count))
        }
        Definition::Add(a, b) => {
            let [a, b] = [a, b].map(|v| extent(program, names, v));
            let [no_a, no_b] = [&a, &b].map(|size| Expr::eq(size.clone(), Expr::Index(0)));
            // As in the runtime: if one extent is 0, there are no sums.
            let sums = Expr::sub(Expr::add(a, b), Expr::Index(1));
            Some(Expr::choose(Expr::or(no_a, no_b), Expr::Index(0), sums))
        }
        Definition::Div(_, BlockSize::Share(_))
        | Definition::Mod(_, BlockSize::Constant(_))
        | Definition::Sub(..)
        | Definition::Fused(..)
        | Definition::Slot(_)
        | Definition::Slice(_)
        | Definition::Fixed => None,
    }
}

/// Rewrites an expression in terms of the extents that are arguments, without computed extents.
pub(super) fn expanded(program: &Program, names: &Names, expr: Expr) -> Expr {
    // Computed extents are defined after the extents that they use.
    (0..program.kernel.variables.len()).rev().map(VariableId).fold(expr, |expr, v| {
        match counted(program, names, v) {
            Some(counted) => expr.substitute(names.size(v), &counted),
            None => expr,
        }
    })
}

/// Returns the number of coordinates of a variable.
pub(super) fn extent(program: &Program, names: &Names, v: VariableId) -> Expr {
    match program.space.definition(v) {
        None => Expr::var(names.size(v)),
        Some(Definition::Div(_, BlockSize::Constant(_))) => Expr::var(names.size(v)),
        Some(Definition::Div(_, BlockSize::Share(count))) => Expr::Index(count as usize),
        Some(Definition::Mod(of, size)) => block_size(program, names, of, size),
        // Signed coordinates have no extent; their levels use that of the minuend.
        Some(Definition::Sub(a, _)) => extent(program, names, a),
        Some(Definition::Add(..)) => Expr::var(names.size(v)),
        Some(Definition::Fused(a, b)) => {
            Expr::mul(extent(program, names, a), extent(program, names, b))
        }
        Some(Definition::Slot(tensor)) => Expr::var(&names.slots(tensor)),
        Some(Definition::Slice(_)) => match program.space.measure(v) {
            own if own == v => Expr::var(names.size(v)),
            measure => extent(program, names, measure),
        },
        Some(Definition::Fixed) => Expr::Index(1),
    }
}

/// Returns the number of offsets within a block of a variable.
pub(super) fn block_size(
    program: &Program,
    names: &Names,
    of: VariableId,
    size: BlockSize,
) -> Expr {
    match (size, program.space.variable(Definition::Mod(of, size))) {
        (BlockSize::Share(_), Some(place)) => Expr::var(names.size(place)),
        (BlockSize::Share(count), None) => {
            Expr::div_ceil(extent(program, names, of), Expr::Index(count as usize))
        }
        (BlockSize::Constant(size), _) => Expr::Index(size as usize),
    }
}

/// Returns the ancestor of a level that stores the offset of its dimension from another one.
pub(super) fn offset(
    program: &Program,
    names: &Names,
    access: &Access,
    level: usize,
) -> Option<Offset> {
    let levels = &program.tensor(access.tensor).format.levels;
    let LevelExpr::Dimension(own) = levels[level].expr else { return None };
    levels[..level].iter().enumerate().find_map(|(ancestor, spec)| {
        let (other, relation) = match spec.expr {
            LevelExpr::Sub(a, b) if a == own => (b, Relation::Minuend),
            LevelExpr::Sub(a, b) if b == own => (a, Relation::Subtrahend),
            LevelExpr::Add(a, b) if a == own => (b, Relation::Sum),
            LevelExpr::Add(a, b) if b == own => (a, Relation::Sum),
            LevelExpr::Sub(..)
            | LevelExpr::Add(..)
            | LevelExpr::Dimension(_)
            | LevelExpr::Div(..)
            | LevelExpr::Mod(..)
            | LevelExpr::Count(_) => return None,
        };
        let mut above = levels[..level].iter();
        Some(Offset {
            ancestor,
            other: extent(program, names, access.indices[other]),
            partner: above.position(|spec| spec.expr == LevelExpr::Dimension(other)),
            relation,
        })
    })
}
