//! The trait bounds of generic element types.

use std::collections::BTreeSet;

use crate::concrete::Program;
use crate::concrete::parted::Stores;
use crate::format::{Format, LevelExpr};
use crate::ir::Trait;
use crate::math;
use crate::notation::{Access, BinaryOp, Expr, Function, Kernel, Operator, ReduceOp};
use crate::operator::{Kind, Monoid};
use crate::types::{Dtype, Literal};

/// Returns the minimal trait bounds of the type parameter; empty without a type parameter.
pub(super) fn traits(program: &Program) -> Vec<Trait> {
    let kernel = &program.kernel;
    let is_generic = |dtype: Dtype| dtype == Dtype::Generic;
    if !kernel.tensors.iter().any(|tensor| is_generic(tensor.dtype)) {
        return Vec::new();
    }
    let mut needs = Needs { kernel, traits: BTreeSet::from([Trait::Value]) };
    let repeats = |access: &Access| {
        let tensor = program.tensor(access.tensor);
        is_generic(tensor.dtype) && may_repeat(&tensor.format)
    };
    // Regions without entries of a tensor use its fill value.
    for tensor in kernel.tensors.iter().filter(|tensor| is_generic(tensor.dtype)) {
        needs.literal(tensor.format.fill);
    }
    let is_updated = program.targets.iter().any(|target| target.in_place);
    let parted = program.threads.iter().flatten();
    let is_combined = parted.flat_map(|parted| program.targets.iter().zip(&parted.stores)).any(
        |(target, stores)| {
            let is_whole = matches!(stores, Stores::Apart | Stores::Joined | Stores::Reductions);
            is_generic(program.tensor(target.access.tensor).dtype) && !is_whole
        },
    );
    if is_updated || is_combined || program.body.reads().into_iter().any(repeats) {
        needs.operator(kernel.semiring.add);
    }
    program.body.for_each_assign(&mut |target: &Access, accumulate, value| {
        let dtype = program.tensor(target.tensor).dtype;
        if is_generic(dtype) {
            match accumulate {
                Some(ReduceOp::SUM) => needs.operator(kernel.semiring.add),
                Some(op) if !op.tells_where => needs.operator(Operator::Monoid(op.monoid)),
                Some(_) | None => {}
            }
        }
        let of = kernel.dtype_of(value).unwrap_or(dtype);
        if is_generic(of) && accumulate.is_some_and(|op| op.tells_where) {
            needs.add(Trait::Float);
        }
        needs.value(value, of);
    });
    needs.value(&kernel.assignment.value, kernel.tensor(kernel.result()).dtype);
    let all = needs.traits;
    let is_implied = |one: Trait| all.iter().any(|other| other.implies(one));
    all.iter().copied().filter(|one| !is_implied(*one)).collect()
}

/// Returns whether kernels may add entries of a tensor with the same coordinate: a level that
/// repeats coordinates is the last one or has one below it that is not branchless, or entries in
/// several slots are brought together.
fn may_repeat(format: &Format) -> bool {
    format.levels.last().is_some_and(|spec| !spec.properties.unique)
        || format.levels.iter().any(|spec| matches!(spec.expr, LevelExpr::Count(_)))
        || format
            .levels
            .windows(2)
            .any(|pair| !pair[0].properties.unique && !pair[1].properties.branchless)
}

struct Needs<'k> {
    kernel: &'k Kernel,
    traits: BTreeSet<Trait>,
}

impl Needs<'_> {
    fn add(&mut self, needed: Trait) {
        self.traits.insert(needed);
    }

    fn operator(&mut self, operator: Operator) {
        self.add(match operator {
            Operator::Monoid(Monoid::ADD | Monoid::MUL) => Trait::NumAssign,
            Operator::Monoid(Monoid::MIN | Monoid::MAX) => Trait::Float,
            // Generic elements do not support the other operators.
            Operator::Monoid(_) | Operator::Own(_) => Trait::Value,
        });
    }

    /// Adds the traits that a value of this type requires.
    fn value(&mut self, expr: &Expr, dtype: Dtype) {
        let is_generic = dtype == Dtype::Generic;
        let kernel = self.kernel;
        let own = kernel.dtype_of(expr).unwrap_or(dtype) == Dtype::Generic;
        match expr {
            Expr::Literal(literal) if is_generic => {
                kernel
                    .semiring
                    .number(*literal)
                    .as_literal()
                    .into_iter()
                    .for_each(|l| self.literal(l));
            }
            Expr::Index(_) | Expr::Parameter(_) if is_generic => self.add(Trait::NumCast),
            Expr::Literal(_)
            | Expr::Constant(_)
            | Expr::Index(_)
            | Expr::Parameter(_)
            | Expr::Access(_) => {}
            Expr::Neg(a) => {
                if own {
                    self.add(Trait::Neg);
                }
                self.value(a, dtype);
            }
            Expr::Binary(op, a, b) => {
                if own {
                    self.operator(match op {
                        BinaryOp::Add => kernel.semiring.add,
                        BinaryOp::Mul => kernel.semiring.mul,
                        _ => Operator::ADD,
                    });
                }
                if own && *op == BinaryOp::Sub && self.may_vanish(a) {
                    self.add(Trait::Neg);
                }
                self.value(a, dtype);
                self.value(b, dtype);
            }
            Expr::Call(function, arguments) => self.call(*function, arguments, dtype),
            Expr::Reduce(reduce) => self.value(&reduce.body, dtype),
        }
    }

    /// Returns whether a value is zero at unstored operands.
    fn may_vanish(&self, value: &Expr) -> bool {
        self.kernel.vanishes(value)
    }

    fn call(&mut self, function: Function, arguments: &[Expr], dtype: Dtype) {
        let own = arguments.iter().find_map(|argument| self.kernel.dtype_of(argument));
        let is_generic = own.unwrap_or(dtype) == Dtype::Generic;
        let of = match function {
            Function::Math(function) => {
                if is_generic {
                    self.math(function);
                }
                own.unwrap_or(dtype)
            }
            Function::Complex(_, of) => of,
            Function::Operator(op) if op.compares() => {
                if own == Some(Dtype::Generic) && !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
                    self.add(Trait::PartialOrd);
                }
                own.unwrap_or(Dtype::I64)
            }
            Function::Operator(op) if op.kind() == Kind::Logic => dtype,
            Function::Operator(op) => {
                if is_generic {
                    self.add(if op == BinaryOp::Rem { Trait::NumAssign } else { Trait::Float });
                }
                own.unwrap_or(dtype)
            }
            Function::Select | Function::Mask => {
                self.value(&arguments[0], Dtype::Bool);
                arguments[1..].iter().for_each(|argument| self.value(argument, dtype));
                return;
            }
            Function::Not | Function::Complement => dtype,
            // Only integers support these functions.
            Function::Quotient | Function::Remainder => own.unwrap_or(dtype),
            Function::Stored => return,
            Function::Present
            | Function::Ratio
            | Function::Entry
            | Function::Found(_)
            | Function::Extent(_)
            | Function::Own(_)
            | Function::Convert(_)
            | Function::Number(_)
            | Function::Symbol(_) => own.unwrap_or(dtype),
        };
        arguments.iter().for_each(|argument| self.value(argument, of));
    }

    fn math(&mut self, function: math::Function) {
        use math::Function::{Abs, Cube, Sign, Square};
        self.add(if matches!(function, Abs | Sign) {
            Trait::Signed
        } else if matches!(function, Square | Cube) {
            Trait::NumAssign
        } else {
            Trait::Float
        });
    }

    fn literal(&mut self, literal: Literal) {
        match literal {
            literal if literal.is_zero() || literal.is_one() => {}
            Literal::Int(_) => self.add(Trait::NumCast),
            Literal::Float(_) | Literal::Greatest | Literal::Least | Literal::Nan => {
                self.add(Trait::Float);
            }
            Literal::Bool(_) => {}
        }
    }
}
