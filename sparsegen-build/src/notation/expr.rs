//! Construction and traversal of canonical expressions.

use std::collections::BTreeSet;

use crate::types::{Dtype, Literal};

use super::mask::masked_by;
use super::{Access, BinaryOp, Expr, Function, Reduce, ReduceOp, TensorId, VariableId};

impl Expr {
    /// The default fill value.
    pub const ZERO: Expr = Expr::Literal(Literal::Int(0));

    /// Returns whether the value is the constant zero.
    pub fn is_zero(&self) -> bool {
        matches!(self, Expr::Literal(literal) if literal.is_zero())
    }

    pub(super) fn is_one(&self) -> bool {
        matches!(self, Expr::Literal(literal) if literal.is_one())
    }

    /// Returns `-operand`, folded.
    pub fn neg(operand: Expr) -> Expr {
        match operand {
            zero if zero.is_zero() => zero,
            Expr::Literal(Literal::Float(x)) => Expr::Literal(Literal::Float(-x)),
            Expr::Literal(Literal::Int(n)) if n != i64::MIN => Expr::Literal(Literal::Int(-n)),
            Expr::Literal(Literal::Greatest) => Expr::Literal(Literal::Least),
            Expr::Literal(Literal::Least) => Expr::Literal(Literal::Greatest),
            Expr::Neg(inner) => *inner,
            Expr::Call(Function::Mask, masked) => masked_by(masked, Expr::neg),
            operand => Expr::Neg(Box::new(operand)),
        }
    }

    /// Returns `a + b`, folded.
    pub fn add(a: Expr, b: Expr) -> Expr {
        if a.is_zero() {
            return b;
        }
        if b.is_zero() {
            return a;
        }
        Expr::fold(BinaryOp::Add, a, b)
    }

    /// Returns `a - b`, folded.
    pub fn sub(a: Expr, b: Expr) -> Expr {
        if b.is_zero() {
            return a;
        }
        if a.is_zero() {
            return Expr::neg(b);
        }
        Expr::fold(BinaryOp::Sub, a, b)
    }

    /// Returns `a * b`, folded; a zero that is not stored annihilates any other factor.
    pub fn mul(a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (a, _) if a.is_zero() => a,
            (_, b) if b.is_zero() => b,
            (a, b) if a.as_selection().is_some() || b.as_selection().is_some() => {
                Expr::mul(a.selected(), b.selected())
            }
            // A mask stays one where it masks a one.
            (a, b) if b.is_one() => a,
            (a, b) if a.is_one() => b,
            (Expr::Call(Function::Mask, masked), b) => masked_by(masked, |a| Expr::mul(a, b)),
            (a, Expr::Call(Function::Mask, masked)) => masked_by(masked, |b| Expr::mul(a, b)),
            (a, b) => Expr::fold(BinaryOp::Mul, a, b),
        }
    }

    /// Returns `a / b`, folded; it has the sparsity pattern of the dividend.
    pub fn div(a: Expr, b: Expr) -> Expr {
        if a.is_zero() || b.is_one() {
            return a;
        }
        match a {
            Expr::Call(Function::Mask, masked) => masked_by(masked, |a| Expr::div(a, b)),
            a => Expr::fold(BinaryOp::Div, a, b),
        }
    }

    /// Returns the application of a binary operator, folded.
    pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
        match op {
            BinaryOp::Add => Expr::add(a, b),
            BinaryOp::Sub => Expr::sub(a, b),
            BinaryOp::Mul => Expr::mul(a, b),
            BinaryOp::Div => Expr::div(a, b),
            op => Expr::call(Function::Operator(op), vec![a, b]),
        }
    }

    /// Returns whether the value may be infinite although no element of an argument is, as a minimum
    /// over an empty range is; `of` returns whether an element of a tensor may be.
    pub fn may_be_infinite(&self, of: &dyn Fn(TensorId) -> bool) -> bool {
        let is_infinite = match self {
            Expr::Literal(literal) => matches!(literal, Literal::Greatest | Literal::Least),
            Expr::Access(access) => of(access.tensor),
            Expr::Reduce(reduce) => reduce.op.is_infinite_of_nothing(),
            Expr::Constant(_)
            | Expr::Index(_)
            | Expr::Parameter(_)
            | Expr::Neg(_)
            | Expr::Binary(..)
            | Expr::Call(..) => false,
        };
        is_infinite || self.children().any(|child| child.may_be_infinite(of))
    }

    /// Returns this expression with reductions of constants folded, and 0 below the number of all
    /// coordinates, which is not valid for an empty range.
    pub fn with_constant_reductions(&self) -> Expr {
        let folded = self.map_children(&mut Expr::with_constant_reductions);
        match &folded {
            Expr::Reduce(reduce) => reduce.op.of_constant(&reduce.body, false).unwrap_or(folded),
            _ if folded.is_fewer_than_all().is_some_and(|(number, _)| number.is_zero()) => {
                Expr::Literal(Literal::Bool(true))
            }
            _ => folded,
        }
    }

    /// Returns the sum over variables, folded: a sum of zero is zero, and nested sums are joined.
    pub fn sum(variables: Vec<VariableId>, body: Expr) -> Expr {
        Expr::reduce(ReduceOp::SUM, variables, body)
    }

    /// Returns the reduction over variables, folded: a reduction of the identity element is the
    /// identity element, and nested reductions of one kind are joined. An arg-reduction of a
    /// constant is the first coordinate.
    pub fn reduce(op: ReduceOp, mut variables: Vec<VariableId>, body: Expr) -> Expr {
        if op.tells_where && body.is_constant() {
            return Expr::Literal(op.of_nothing());
        }
        if op.ignores(&body) || variables.is_empty() {
            return body;
        }
        match body {
            Expr::Reduce(Reduce { op: inner_op, variables: inner, body, dtype })
                if inner_op == op && !op.tells_where =>
            {
                variables.extend(inner);
                Expr::Reduce(Reduce { op, variables, body, dtype })
            }
            body => Expr::Reduce(Reduce { op, variables, body: Box::new(body), dtype: None }),
        }
    }

    /// Returns a reduction that has this type if it has none of its own, because its operand reads
    /// no tensor or was folded to a constant.
    pub(super) fn typed(self, dtype: Dtype) -> Expr {
        match self {
            Expr::Reduce(reduce) if reduce.body.dtype(TensorId(0), &|_| dtype).is_none() => {
                Expr::Reduce(Reduce { dtype: Some(dtype), ..reduce })
            }
            other => other,
        }
    }

    fn fold(op: BinaryOp, a: Expr, b: Expr) -> Expr {
        if let (Expr::Literal(x), Expr::Literal(y)) = (&a, &b)
            && let Some(folded) = op.of_literals(*x, *y)
        {
            return Expr::Literal(folded);
        }
        Expr::Binary(op, Box::new(a), Box::new(b))
    }

    /// Returns the type of the expression, or `None` if it depends on the context; `of` returns the
    /// type of a tensor.
    pub fn dtype(&self, result: TensorId, of: &dyn Fn(TensorId) -> Dtype) -> Option<Dtype> {
        // A condition among numbers is one of their type.
        let common = |parts: &[&Expr]| {
            let mut types = parts.iter().filter_map(|part| part.dtype(result, of));
            let first = types.next();
            let number = first.into_iter().chain(types).find(|dtype| *dtype != Dtype::Bool);
            number.or(first)
        };
        let all = |parts: &[Expr]| common(&parts.iter().collect::<Vec<_>>());
        match self {
            Expr::Literal(Literal::Bool(_)) => Some(Dtype::Bool),
            // All constants of a semiring have the type of the result.
            Expr::Constant(_) => Some(of(result)),
            Expr::Literal(_) | Expr::Index(_) | Expr::Parameter(_) => None,
            Expr::Access(access) => Some(of(access.tensor)),
            Expr::Neg(a) => a.dtype(result, of),
            Expr::Binary(_, a, b) => common(&[a, b]),
            Expr::Call(Function::Math(function), arguments) => {
                all(arguments).map(|dtype| function.result(dtype))
            }
            Expr::Call(Function::Complex(function, dtype), _) => Some(function.result(*dtype)),
            Expr::Call(Function::Convert(dtype), _) => Some(*dtype),
            Expr::Call(Function::Extent(_), _) => Some(Dtype::Usize),
            Expr::Call(Function::Select | Function::Mask, arguments) => all(&arguments[1..]),
            Expr::Call(function, _) if function.compares() => Some(Dtype::Bool),
            Expr::Call(_, arguments) => all(arguments),
            Expr::Reduce(reduce) if reduce.op.tells_where => Some(Dtype::Usize),
            Expr::Reduce(reduce) => reduce.dtype.or_else(|| reduce.body.dtype(result, of)),
        }
    }

    /// Returns this expression with every access replaced for which `replace` returns an
    /// expression, folded.
    pub fn substitute(&self, replace: &impl Fn(&Access) -> Option<Expr>) -> Expr {
        match self {
            Expr::Literal(_) | Expr::Constant(_) | Expr::Index(_) | Expr::Parameter(_) => {
                self.clone()
            }
            Expr::Access(access) => replace(access).unwrap_or_else(|| self.clone()),
            Expr::Call(function, arguments) => {
                let arguments = arguments.iter().map(|a| a.substitute(replace));
                Expr::call(*function, arguments.collect()).decided()
            }
            Expr::Neg(a) => Expr::neg(a.substitute(replace)),
            Expr::Binary(op, a, b) => {
                Expr::binary(*op, a.substitute(replace), b.substitute(replace))
            }
            Expr::Reduce(reduce) => reduce.of(reduce.body.substitute(replace)),
        }
    }

    /// Returns whether an access is part of the expression.
    pub fn reads(&self, access: &Access) -> bool {
        let mut reads = false;
        self.for_each_access(&mut |other| reads |= other == access);
        reads
    }

    /// Returns the dividend and the divisor of a quotient.
    pub fn as_quotient(&self) -> Option<[&Expr; 2]> {
        match self {
            Expr::Binary(BinaryOp::Div, a, b) => Some([a, b]),
            Expr::Call(Function::Quotient | Function::Ratio, both) => Some([&both[0], &both[1]]),
            _ => None,
        }
    }

    /// Returns whether an element of a temporary, or whether it has one, is part of the expression.
    pub fn depends_on(&self, temporary: TensorId) -> bool {
        match self {
            Expr::Access(access) => access.tensor == temporary,
            Expr::Call(Function::Found(of), _) => *of == temporary,
            value => value.children().any(|child| child.depends_on(temporary)),
        }
    }

    /// Returns whether a reduction binds a variable.
    pub fn binds(&self, v: VariableId) -> bool {
        let binds = |value: &Expr| matches!(value, Expr::Reduce(of) if of.variables.contains(&v));
        binds(self) || self.children().any(|child| child.binds(v))
    }

    /// Calls `visit` with every access, in the order of the text.
    pub fn for_each_access<'e>(&'e self, visit: &mut impl FnMut(&'e Access)) {
        match self {
            Expr::Access(access) => visit(access),
            Expr::Literal(_)
            | Expr::Constant(_)
            | Expr::Index(_)
            | Expr::Parameter(_)
            | Expr::Neg(_)
            | Expr::Binary(..)
            | Expr::Call(..)
            | Expr::Reduce(_) => {
                for child in self.children() {
                    child.for_each_access(visit);
                }
            }
        }
    }

    /// Calls `visit` with every variable that is a value or bound by a reduction.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(VariableId)) {
        match self {
            Expr::Index(v) => visit(*v),
            Expr::Reduce(reduce) => reduce.variables.iter().for_each(|v| visit(*v)),
            Expr::Literal(_)
            | Expr::Constant(_)
            | Expr::Access(_)
            | Expr::Parameter(_)
            | Expr::Neg(_)
            | Expr::Binary(..)
            | Expr::Call(..) => {}
        }
        self.children().for_each(|child| child.for_each_variable(visit));
    }

    /// Returns all variables: values, indices, and variables that reductions bind.
    pub fn variables(&self) -> BTreeSet<VariableId> {
        let mut variables = BTreeSet::new();
        self.for_each_variable(&mut |v| variables.extend([v]));
        self.for_each_access(&mut |access| variables.extend(&access.indices));
        variables
    }

    /// Returns the variables that are used outside of their reductions, in order of appearance.
    pub fn free_variables(&self) -> Vec<VariableId> {
        let mut free = Vec::new();
        self.collect_free(&mut Vec::new(), &mut free);
        free
    }

    fn collect_free(&self, bound: &mut Vec<VariableId>, free: &mut Vec<VariableId>) {
        let before = bound.len();
        let own = match self {
            Expr::Reduce(reduce) => {
                bound.extend(&reduce.variables);
                &[]
            }
            Expr::Access(access) => &access.indices[..],
            Expr::Index(v) => std::slice::from_ref(v),
            _ => &[],
        };
        for v in own {
            if !bound.contains(v) && !free.contains(v) {
                free.push(*v);
            }
        }
        self.children().for_each(|child| child.collect_free(bound, free));
        bound.truncate(before);
    }

    /// Returns the number of operators and operands.
    pub fn size(&self) -> usize {
        1 + self.children().map(Expr::size).sum::<usize>()
    }

    /// Returns this expression with its direct subexpressions replaced, folded.
    pub fn map_children(&self, replace: &mut impl FnMut(&Expr) -> Expr) -> Expr {
        match self {
            Expr::Literal(_)
            | Expr::Constant(_)
            | Expr::Access(_)
            | Expr::Index(_)
            | Expr::Parameter(_) => self.clone(),
            Expr::Neg(a) => Expr::neg(replace(a)),
            Expr::Binary(op, a, b) => Expr::binary(*op, replace(a), replace(b)),
            Expr::Call(function, arguments) => {
                Expr::call(*function, arguments.iter().map(replace).collect())
            }
            Expr::Reduce(reduce) => reduce.of(replace(&reduce.body)),
        }
    }

    /// Returns whether the value is a truth value and not a number, judging by its operators.
    pub fn is_condition(&self) -> bool {
        match self {
            Expr::Call(Function::Select | Function::Mask, arguments) => arguments[1].is_condition(),
            Expr::Call(Function::Convert(dtype), _) => *dtype == Dtype::Bool,
            Expr::Call(function, arguments) => {
                function.compares()
                    || function.is_logic() && arguments.iter().any(Expr::is_condition)
            }
            Expr::Literal(literal) => matches!(literal, Literal::Bool(_)),
            Expr::Constant(_)
            | Expr::Access(_)
            | Expr::Index(_)
            | Expr::Parameter(_)
            | Expr::Neg(_)
            | Expr::Binary(..)
            | Expr::Reduce(_) => false,
        }
    }
}

impl Reduce {
    /// Returns this reduction of another operand, folded.
    pub fn of(&self, operand: Expr) -> Expr {
        match Expr::reduce(self.op, self.variables.clone(), operand) {
            Expr::Reduce(reduce) => {
                Expr::Reduce(Reduce { dtype: reduce.dtype.or(self.dtype), ..reduce })
            }
            folded => folded,
        }
    }

    /// Returns the variables that the operand uses and the reduction does not bind.
    pub fn free_variables(&self) -> Vec<VariableId> {
        let mut free = self.body.free_variables();
        free.retain(|v| !self.variables.contains(v));
        free
    }
}
