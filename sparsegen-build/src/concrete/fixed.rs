//! Fixed coordinates, each with a variable and a loop of one iteration: constant ones, and those of
//! variables that are repeated in an access.
//!
//! Such a loop may enclose any part that reads the coordinate. If blocks or a diagonal are looped
//! over instead, most iterations of these loops do not contain the coordinate, so that the loops
//! are sums.

use super::Program;
use super::space::Definition;
use super::terms::additive_terms;
use crate::notation::{BinaryOp, Expr, VariableId};

/// Returns whether a variable has a single coordinate.
pub fn is_fixed(program: &Program, v: VariableId) -> bool {
    program.space.definition(v) == Some(&Definition::Fixed)
}

/// Returns a value in which no reduction binds the variable of a fixed coordinate, for a loop that
/// encloses the reductions. Their values are the same, as they have one coordinate to reduce.
pub fn released(value: &Expr, v: VariableId) -> Expr {
    let value = value.map_children(&mut |child| released(child, v));
    match value {
        Expr::Reduce(mut reduce) if reduce.variables.contains(&v) => {
            reduce.variables.retain(|bound| *bound != v);
            if reduce.variables.is_empty() { *reduce.body } else { Expr::Reduce(reduce) }
        }
        value => value,
    }
}

/// Returns a value with sums for the fixed coordinates without loops, and the loops of the others.
pub fn split(program: &Program, value: Expr) -> (Expr, Vec<VariableId>) {
    let (own, others): (Vec<_>, Vec<_>) =
        read(program, &value).into_iter().partition(|v| program.basis.loops_over(*v));
    (sum(program, value, &others), own)
}

/// Returns a value whose additive terms are summed over those fixed coordinates that they use.
pub fn sum(program: &Program, value: Expr, over: &[VariableId]) -> Expr {
    if over.is_empty() {
        return value;
    }
    additive_terms(value).into_iter().fold(Expr::ZERO, |total, term| {
        let term = within(program, term, over);
        let read = read(program, &term).into_iter().filter(|v| over.contains(v));
        Expr::add(total, Expr::sum(read.collect(), term))
    })
}

/// Returns a value in which arguments of functions are summed, and factors that are sums of terms:
/// a sum around them would include their value at unstored operands, which need not be zero.
fn within(program: &Program, value: Expr, over: &[VariableId]) -> Expr {
    let factor = |factor: &Expr| match factor {
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => sum(program, factor.clone(), over),
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Access(_)
        | Expr::Neg(_)
        | Expr::Binary(..)
        | Expr::Call(..)
        | Expr::Reduce(_) => within(program, factor.clone(), over),
    };
    match value {
        Expr::Call(..) => value.map_children(&mut |a| sum(program, a.clone(), over)),
        Expr::Neg(_) | Expr::Binary(..) => value.map_children(&mut |a| factor(a)),
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Access(_)
        | Expr::Reduce(_) => value,
    }
}

/// Returns the variables of the fixed coordinates at which a value is read outside of sums over
/// them.
fn read(program: &Program, value: &Expr) -> Vec<VariableId> {
    let mut found: Vec<VariableId> = Vec::new();
    let mut add = |more: Vec<VariableId>| {
        found.extend(more.into_iter().filter(|v| !found.contains(v)).collect::<Vec<_>>());
    };
    match value {
        Expr::Literal(_) | Expr::Constant(_) | Expr::Index(_) | Expr::Parameter(_) => {}
        Expr::Access(access) => {
            let counted = access.indices.iter().map(|v| program.space.counted(*v));
            add(counted.filter(|v| is_fixed(program, *v)).collect());
        }
        Expr::Neg(_) | Expr::Binary(..) | Expr::Call(..) => {
            for child in value.children() {
                add(read(program, child));
            }
        }
        Expr::Reduce(reduce) => {
            let within = read(program, &reduce.body).into_iter();
            add(within.filter(|v| !reduce.variables.contains(v)).collect());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn what_is_read_once_is_no_sum_but_where_it_comes_last() {
        let vectors = "y = 'dense', A = 'csr', z = 'dense'";
        assert_eq!(
            loops("y[i] = A[i,3] + z[i]", vectors, &[]),
            "∀i (y[i] = sum + z[i] where ∀at_3 sum += A[i,3])"
        );
        assert_eq!(
            loops("y[i] = z[i] * (1 + A[i,3])", vectors, &[]),
            "∀i (y[i] = z[i] * (1 + sum) where ∀at_3 sum += A[i,3])"
        );
        let row = "y = 'sparse_vector', A = 'csr', z = 'sparse_vector'";
        assert_eq!(loops("y[j] = A[3,j] + z[j]", row, &[]), "∀at_3 ∀j y[j] = A[3,j] + z[j]");
    }
}
