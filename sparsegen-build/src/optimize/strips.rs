//! Strips of a loop: a few iterations at a time, as many as rustc runs in one instruction or two.

use std::collections::{BTreeMap, BTreeSet};

use super::fresh::Names;
use crate::ir::{BinaryOp, Dtype, Expr, Function, Literal, Stmt};

/// The number of bytes of a strip: a line of the cache.
const BYTES: usize = 64;

/// Returns the number of iterations of a strip for elements of a type.
pub(super) fn lanes(dtype: Dtype) -> usize {
    let size = match dtype {
        Dtype::F64 | Dtype::I64 | Dtype::U64 | Dtype::Usize => 8,
        Dtype::F32 | Dtype::I32 | Dtype::U32 | Dtype::C32 => 4,
        // Longer strips would leave more iterations for the loop behind them.
        Dtype::F16 | Dtype::Bf16 | Dtype::I16 | Dtype::U16 => 4,
        Dtype::I8 | Dtype::U8 | Dtype::Bool => 4,
        // Most often `f64`.
        Dtype::Generic => 8,
        Dtype::C64 | Dtype::User(_) => 16,
    };
    BYTES / size
}

/// Returns 0, or `false`.
pub(super) fn zero(dtype: Dtype) -> Expr {
    match dtype {
        Dtype::Bool => Expr::Bool(false),
        dtype => Expr::value(Literal::Int(0), dtype),
    }
}

/// The extents that a kernel declares, which its entry points check, by the names of their variables.
pub(super) type Extents = BTreeMap<String, usize>;

/// Returns the extents that the kernel declares.
pub(super) fn declared(function: &Function) -> Extents {
    let sizes = function.sizes.iter();
    sizes.filter_map(|size| Some((size.name.clone(), size.constant? as usize))).collect()
}

/// Returns the end of a loop, as a constant if the kernel declares the extent.
pub(super) fn resolved(end: &Expr, extents: &Extents) -> Expr {
    match end {
        Expr::Var(extent) => extents.get(extent).map(|extent| Expr::Index(*extent)),
        _ => None,
    }
    .unwrap_or_else(|| end.clone())
}

/// The number of iterations of a loop.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trip<'e> {
    /// A constant.
    Constant(usize),
    /// A constant under a condition, and fewer otherwise.
    Cut {
        /// The condition.
        reached: Expr,
        /// The number otherwise.
        left: &'e Expr,
        /// The constant.
        len: usize,
    },
    /// Not known before the loop.
    Unknown,
}

impl<'e> Trip<'e> {
    /// Returns the number of iterations of a loop over a range.
    pub(super) fn of(from: &Expr, to: &'e Expr) -> Trip<'e> {
        match (from, to) {
            (Expr::Index(from), Expr::Index(to)) => Trip::Constant(to.saturating_sub(*from)),
            (Expr::Index(0), to) => match cut(to) {
                Some((left, len)) => Trip::Cut { reached: reaches(left, len), left, len },
                None => Trip::Unknown,
            },
            (_, _) => Trip::Unknown,
        }
    }
}

/// Returns whether a loop may have a number of iterations. A loop that resumes where it has ended, at a
/// variable that is `assigned`, has few each time.
pub(super) fn is_long(
    [from, to]: [&Expr; 2],
    count: usize,
    extents: &Extents,
    assigned: &BTreeSet<String>,
) -> bool {
    let is_assigned = |bound: &Expr| matches!(bound, Expr::Var(next) if assigned.contains(next));
    let may_reach = match Trip::of(from, &resolved(to, extents)) {
        Trip::Constant(len) => len >= count,
        Trip::Cut { .. } => false,
        Trip::Unknown => longest(from, to).is_none_or(|longest| longest >= count),
    };
    may_reach && !is_assigned(from) && !is_assigned(to)
}

/// The strips of a loop: `count` whole ones, and the iterations after them.
pub(super) struct Strips {
    /// The statements that bind the bounds.
    pub(super) before: Vec<Stmt>,
    /// The variable that counts the strips.
    pub(super) number: String,
    /// The first iteration of a strip.
    pub(super) first: Expr,
    /// The number of whole strips.
    pub(super) count: Expr,
    /// The first iteration.
    pub(super) from: Expr,
    /// The iteration after the last one.
    pub(super) to: Expr,
}

impl Strips {
    /// Divides a loop over a variable into strips of `by` iterations.
    pub(super) fn of(
        [from, to]: [&Expr; 2],
        by: usize,
        variable: &str,
        names: &mut Names,
    ) -> Strips {
        let mut before = Vec::new();
        let from = match from {
            Expr::Binary(BinaryOp::SaturatingSub | BinaryOp::Max, ..) | Expr::Load { .. } => {
                names.bound(variable, "begin", from, &mut before)
            }
            from => from.clone(),
        };
        let to = names.bound(variable, "end", to, &mut before);
        let count = Expr::saturating_sub(to.clone(), from.clone());
        let count = Expr::div(count, Expr::Index(by));
        let number = names.beside(variable, "tile");
        let first = Expr::add(from.clone(), Expr::mul(Expr::var(&number), Expr::Index(by)));
        Strips { before, number, first, count, from, to }
    }
}

/// Returns the largest number of iterations of a loop from `i.saturating_sub(2)` up to `i + 3`, or less, or
/// from `4.saturating_sub(i)` up to `6.saturating_sub(i)`.
pub(super) fn longest(from: &Expr, to: &Expr) -> Option<usize> {
    let ends = match to {
        Expr::Binary(BinaryOp::Min, a, b) => vec![&**a, &**b],
        to => vec![to],
    };
    if let Some((first, by)) = behind_constant(from)
        && let Some((after, _)) =
            ends.iter().filter_map(|end| behind_constant(end)).find(|end| end.1 == by)
    {
        return Some(after.saturating_sub(first));
    }
    let (around, before) = match from {
        Expr::Binary(BinaryOp::SaturatingSub, around, before) => match **before {
            Expr::Index(before) => (&**around, before),
            _ => return None,
        },
        from => (from, 0),
    };
    let behind = |end: &Expr| match end {
        Expr::Binary(BinaryOp::Add, of, behind) if **of == *around => match **behind {
            Expr::Index(behind) => Some(behind),
            _ => None,
        },
        _ => None,
    };
    ends.into_iter().filter_map(behind).map(|behind| before + behind).min()
}

/// Returns the parts of `4.saturating_sub(i)`.
fn behind_constant(bound: &Expr) -> Option<(usize, &Expr)> {
    let Expr::Binary(BinaryOp::SaturatingSub, from, by) = bound else { return None };
    if let Expr::Index(from) = **from { Some((from, by)) } else { None }
}

/// Returns the bound and the constant of a loop's end that is their minimum.
pub(super) fn cut(end: &Expr) -> Option<(&Expr, usize)> {
    let Expr::Binary(BinaryOp::Min, left, most) = end else { return None };
    if let Expr::Index(most) = **most { Some((left, most)) } else { None }
}

/// Returns `most <= left`, without a subtraction if `left` is a difference.
pub(super) fn reaches(left: &Expr, most: usize) -> Expr {
    match left {
        Expr::Binary(BinaryOp::Sub, size, begin) => {
            Expr::le(Expr::add((**begin).clone(), Expr::Index(most)), (**size).clone())
        }
        left => Expr::le(Expr::Index(most), left.clone()),
    }
}

/// Returns an expression in which constants are replaced by their values.
pub(super) fn expanded(expr: &Expr, lets: &[(String, Expr)]) -> Expr {
    lets.iter().rev().fold(expr.clone(), |expr, (name, value)| expr.substitute(name, value))
}

/// Returns whether an index grows by 1 with a variable.
pub(super) fn is_contiguous(index: &Expr, variable: &str) -> bool {
    match index {
        Expr::Var(name) => name == variable,
        Expr::Binary(BinaryOp::Add, a, b) => match (a.mentions(variable), b.mentions(variable)) {
            (true, false) => is_contiguous(a, variable),
            (false, true) => is_contiguous(b, variable),
            (_, _) => false,
        },
        Expr::Binary(BinaryOp::Offset, a, b) => !b.mentions(variable) && is_contiguous(a, variable),
        _ => false,
    }
}

/// Returns the type of the initial value of a reduction, which may depend on whether there are terms.
pub(super) fn dtype_of_constant(value: &Expr) -> Option<Dtype> {
    match value {
        Expr::Value(_, dtype) => Some(*dtype),
        Expr::Choose { holds, otherwise, .. } => {
            dtype_of_constant(holds).filter(|dtype| dtype_of_constant(otherwise) == Some(*dtype))
        }
        _ => None,
    }
}
