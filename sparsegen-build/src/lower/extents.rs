//! Extents of variables, and bounds of levels that depend on other dimensions.

use crate::concrete::Program;
use crate::concrete::space::{BlockSize, Definition};
use crate::coordinate::{Affine, Coordinate};
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
    if program.space.positions_of(v).is_some() {
        // The number of positions depends on the enclosing loops.
        return None;
    }
    match program.space.computed(v)? {
        Coordinate::Div(of, BlockSize::Constant(by))
        | Coordinate::Mod(of, BlockSize::Share(by)) => {
            Some(Expr::div_ceil(count(program, names, *of), Expr::Index(*by as usize)))
        }
        Coordinate::Affine(sum) if !is_signed(sum) => {
            let extents = || sum.variables().map(|v| extent(program, names, *v));
            let nothing = extents().map(|extent| Expr::eq(extent, Expr::Index(0)));
            // As in the runtime: if one extent is 0, there are no sums.
            let is_empty = nothing.reduce(Expr::or).unwrap_or(Expr::Bool(false));
            let count = extents().reduce(|a, b| Expr::sub(Expr::add(a, b), Expr::Index(1)));
            Some(Expr::choose(is_empty, Expr::Index(0), count.unwrap_or(Expr::Index(1))))
        }
        Coordinate::Div(_, BlockSize::Share(_))
        | Coordinate::Mod(_, BlockSize::Constant(_))
        | Coordinate::Affine(_) => None,
    }
}

/// Returns whether a sum of coordinates may be negative.
pub(super) fn is_signed(sum: &Affine<VariableId>) -> bool {
    sum.may_be_negative(|_| false)
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
    let v = program.space.whole(v);
    match program.space.definition(v) {
        None => Expr::var(names.size(v)),
        Some(Definition::Computed(computed)) => match computed {
            Coordinate::Div(_, BlockSize::Constant(_)) => Expr::var(names.size(v)),
            Coordinate::Div(_, BlockSize::Share(count)) => Expr::Index(*count as usize),
            Coordinate::Mod(of, size) => block_size(program, names, *of, *size),
            // Signed coordinates have no extent; their levels use that of the minuend.
            Coordinate::Affine(sum) => match sum.variables().next() {
                Some(minuend) if is_signed(sum) => extent(program, names, *minuend),
                Some(_) | None => Expr::var(names.size(v)),
            },
        },
        Some(Definition::Fused(a, b)) => {
            Expr::mul(extent(program, names, *a), extent(program, names, *b))
        }
        Some(Definition::Slot(tensor)) => Expr::var(&names.slots(*tensor)),
        Some(Definition::Slice(_)) => match program.space.measure(v) {
            own if own == v => Expr::var(names.size(v)),
            measure => extent(program, names, measure),
        },
        Some(Definition::Positions(_) | Definition::Fixed) => Expr::Index(1),
    }
}

/// Returns a number that no negative coordinate of a variable exceeds in magnitude, or 0 if none is
/// negative.
pub(super) fn below_zero(program: &Program, names: &Names, v: VariableId) -> Expr {
    match program.space.computed(v) {
        Some(Coordinate::Affine(sum)) if is_signed(sum) => {
            let subtrahend = sum.variables().find(|of| sum.stride(of) < 0);
            subtrahend.map_or(Expr::Index(0), |of| extent(program, names, *of))
        }
        // Blocks that no level stores are counted from the first coordinate.
        Some(Coordinate::Div(of, _)) if program.stores(v) => below_zero(program, names, *of),
        Some(Coordinate::Div(..) | Coordinate::Mod(..) | Coordinate::Affine(_)) | None => {
            Expr::Index(0)
        }
    }
}

/// Returns the number of coordinates of a variable, including negative ones.
pub(super) fn count(program: &Program, names: &Names, v: VariableId) -> Expr {
    Expr::add(below_zero(program, names, v), extent(program, names, v))
}

/// Returns a coordinate of a variable, given the number of coordinates before it.
pub(super) fn signed(program: &Program, names: &Names, v: VariableId, counted: Expr) -> Expr {
    match below_zero(program, names, v) {
        Expr::Index(0) => counted,
        below => Expr::difference(counted, below),
    }
}

/// Returns the number of offsets within a block of a variable.
pub(super) fn block_size(
    program: &Program,
    names: &Names,
    of: VariableId,
    size: BlockSize,
) -> Expr {
    match (size, program.space.variable_of(Coordinate::Mod(of, size))) {
        (BlockSize::Share(_), Some(place)) => Expr::var(names.size(place)),
        (BlockSize::Share(count), None) => {
            Expr::div_ceil(self::count(program, names, of), Expr::Index(count as usize))
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
    let own @ LevelExpr::Dimension(_) = &levels[level].expr else { return None };
    levels[..level].iter().enumerate().find_map(|(ancestor, spec)| {
        let Coordinate::Affine(sum) = spec.expr.computed()? else { return None };
        let other = sum.variables().find(|of| *of != own)?;
        let relation = match (sum.stride(own), sum.stride(other)) {
            (1, 1) => Relation::Sum,
            (1, -1) => Relation::Minuend,
            (-1, 1) => Relation::Subtrahend,
            (_, _) => return None,
        };
        let LevelExpr::Dimension(mode) = *other else { return None };
        let mut above = levels[..level].iter();
        Some(Offset {
            ancestor,
            other: extent(program, names, access.indices[mode]),
            partner: above.position(|spec| spec.expr == *other),
            relation,
        })
    })
}
