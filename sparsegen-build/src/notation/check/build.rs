//! From a statement without mistakes to a canonical kernel: sums become explicit, numbers take the
//! type around them, constants are folded.

use crate::notation::schedule::Action;
use crate::notation::syntax::{
    self, Assign, BinaryOp, Constant, ExprKind, IndexKind, Number, Statement, UnaryOp,
};
use crate::notation::{
    self, Access, Assignment, Expr, Kernel, Role, Tensor, TensorId, Variable, VariableId,
};
use crate::types::{Dtype, Literal};

use super::Context;
use super::bindings::is_parameter;
use super::names::Names;
use super::parts::bind_fixed;
use super::parts::parameters;
use super::schedule::Resolved;
use super::sums::summed;

/// The kernel of a statement; nothing where it holds anything that was to be refused before.
pub(super) fn build(
    context: Context<'_>,
    names: &Names<'_>,
    schedule: Resolved<'_>,
) -> Option<Kernel> {
    let entry = context.entry;
    let statement = context.statement;
    let mut tensors: Vec<Tensor> = names
        .tensors
        .iter()
        .map(|operand| {
            let format = operand.format.clone()?;
            Some(Tensor {
                name: operand.first.name.text.clone(),
                argument: operand.argument.clone(),
                by_value: format.order() == 0,
                format,
                dtype: operand.dtype,
                pattern: operand.pattern,
                parameter: false,
                span: operand.first.span,
            })
        })
        .collect::<Option<_>>()?;
    let scalar = context.formats.scalar()?.of_order(0, context.formats.levels())?;
    tensors.extend(parameters(context).into_iter().map(|name| Tensor {
        name: name.text.clone(),
        argument: name.text.clone(),
        by_value: true,
        format: scalar.clone(),
        dtype: Dtype::Usize,
        pattern: false,
        parameter: true,
        span: name.span,
    }));
    let old = is_update(statement).then_some(TensorId(tensors.len()));
    tensors.extend(old.map(|_| {
        let mut argument = format!("{}_old", tensors[0].argument.trim_start_matches("r#"));
        while tensors.iter().any(|tensor| tensor.argument == argument) {
            argument.push('_');
        }
        Tensor { argument, ..tensors[0].clone() }
    }));
    let size = |name: &str| entry.sizes.iter().find(|(known, _)| known.text == name);
    let variables = names.variables.iter().map(|name| Variable {
        name: (*name).to_owned(),
        size: size(name).map(|(_, extent)| *extent),
        role: Role::Index,
    });
    let defined = schedule.defined.iter();
    let defined =
        defined.map(|name| Variable { name: (*name).to_owned(), size: None, role: Role::Index });
    let variables: Vec<Variable> =
        variables.chain(names.part_variables(context)).chain(defined).collect();
    let is_threads = |action: &Action<_, _, _>| matches!(action, Action::Parallelize(_));
    let parallelizes = schedule.commands.iter().any(|command| is_threads(&command.action));
    let builder = Builder { context, names, dtype: names.tensors.first()?.dtype, old };
    let result = builder.access(&statement.left)?;
    let mut accesses = Vec::new();
    statement.right.for_each_access(&mut |access| accesses.extend(builder.read(access)));
    let before = old.map(|tensor| Access { tensor, ..result.clone() });
    let value = builder.terms(&statement.right)?;
    let value = match (operator(statement.assign), before) {
        (Some(op), Some(before)) => {
            accesses.push(before.clone());
            Expr::binary(op, Expr::Access(before), value)
        }
        (None, _) | (_, None) => value,
    };
    let assignment = Assignment { result, value: bind_fixed(value, &variables) };
    Some(Kernel {
        name: entry.name.text.clone(),
        doc: entry.doc.clone(),
        text: context.text.value.split_whitespace().collect::<Vec<_>>().join(" "),
        span: statement.span,
        tensors,
        variables,
        assignment,
        old,
        in_place: false,
        accesses,
        bounds: entry.bounds,
        parallel: entry.parallel || parallelizes,
        schedule: schedule.commands,
    })
}

/// An expression in canonical form, without the sums that stand around it in the statement; nothing
/// where it holds anything that no statement can.
pub(super) fn part(context: Context<'_>, names: &Names<'_>, expr: &syntax::Expr) -> Option<Expr> {
    Builder { context, names, dtype: names.tensors.first()?.dtype, old: None }.expr(expr)
}

/// Whether a statement changes a result that is passed in.
pub(super) fn is_update(statement: &Statement) -> bool {
    let mut reads = false;
    let result = &statement.left.name.text;
    statement.right.for_each_access(&mut |access| reads |= access.name.text == *result);
    reads || statement.assign != Assign::Set
}

/// The operator of `+=` and its kin; `A op= e` is `A = A op e`.
fn operator(assign: Assign) -> Option<notation::BinaryOp> {
    match assign {
        Assign::Add => Some(notation::BinaryOp::Add),
        Assign::Sub => Some(notation::BinaryOp::Sub),
        Assign::Mul => Some(notation::BinaryOp::Mul),
        Assign::Set | Assign::Min | Assign::Max => None,
    }
}

struct Builder<'m, 'n> {
    context: Context<'m>,
    names: &'n Names<'m>,
    /// The type of the whole expression.
    dtype: Dtype,
    /// What the result held before.
    old: Option<TensorId>,
}

impl Builder<'_, '_> {
    /// The value with the implicit sums of its top-level additive terms.
    fn terms(&self, expr: &syntax::Expr) -> Option<Expr> {
        match &expr.kind {
            ExprKind::Binary(BinaryOp::Add, _, a, b) => {
                Some(Expr::add(self.terms(a)?, self.terms(b)?))
            }
            ExprKind::Binary(BinaryOp::Sub, _, a, b) => {
                Some(Expr::sub(self.terms(a)?, self.terms(b)?))
            }
            ExprKind::Unary(UnaryOp::Neg, a) => Some(Expr::neg(self.terms(a)?)),
            ExprKind::Unary(UnaryOp::Not, _)
            | ExprKind::Binary(..)
            | ExprKind::Number(_)
            | ExprKind::Constant(_)
            | ExprKind::Access(_)
            | ExprKind::Call(..)
            | ExprKind::Reduce(..) => {
                let variables = summed(self.context, expr);
                let variables = variables.into_iter().map(|name| self.variable(name));
                Some(Expr::sum(variables.collect::<Option<_>>()?, self.expr(expr)?))
            }
        }
    }

    fn expr(&self, expr: &syntax::Expr) -> Option<Expr> {
        Some(match &expr.kind {
            ExprKind::Number(number) => Expr::Literal(self.literal(*number)),
            ExprKind::Constant(Constant::Pi) => Expr::Literal(Literal::Float(std::f64::consts::PI)),
            ExprKind::Constant(
                Constant::Inf | Constant::Nan | Constant::True | Constant::False,
            ) => return None,
            ExprKind::Access(access) => Expr::Access(self.read(access)?),
            ExprKind::Unary(UnaryOp::Neg, a) => Expr::neg(self.expr(a)?),
            ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Call(..) => return None,
            ExprKind::Binary(op, _, a, b) => {
                let op = match op {
                    BinaryOp::Add => notation::BinaryOp::Add,
                    BinaryOp::Sub => notation::BinaryOp::Sub,
                    BinaryOp::Mul => notation::BinaryOp::Mul,
                    BinaryOp::Div => notation::BinaryOp::Div,
                    BinaryOp::Compare(_) | BinaryOp::And | BinaryOp::Or => return None,
                };
                Expr::binary(op, self.expr(a)?, self.expr(b)?)
            }
            ExprKind::Reduce(_, variables, body) => {
                let variables = variables.iter().map(|name| self.variable(&name.text));
                Expr::sum(variables.collect::<Option<_>>()?, self.expr(body)?)
            }
        })
    }

    /// A number in the type around it.
    fn literal(&self, number: Number) -> Literal {
        match number {
            Number::Int(n) if self.dtype.is_integer() => Literal::Int(n),
            Number::Int(n) => Literal::Float(n as f64),
            Number::Float(x) if self.dtype.is_integer() => Literal::Int(x as i64),
            Number::Float(x) => Literal::Float(x),
        }
    }

    /// An access on the right, where the result is what it was before.
    fn read(&self, access: &syntax::Access) -> Option<Access> {
        let Access { tensor, indices } = self.access(access)?;
        let tensor = self.old.filter(|_| tensor == TensorId(0)).unwrap_or(tensor);
        Some(Access { tensor, indices })
    }

    fn access(&self, access: &syntax::Access) -> Option<Access> {
        let tensor =
            self.names.tensors.iter().position(|t| t.first.name.text == access.name.text)?;
        let indices = access.indices.iter().enumerate().map(|(mode, index)| match &index.kind {
            IndexKind::Name(name) if !is_parameter(self.context, name) => self.variable(&name.text),
            IndexKind::Name(_) | IndexKind::Slice(_) | IndexKind::Fixed(_) => {
                self.names.mode_variable(self.context, tensor, mode, &index.kind)
            }
            IndexKind::Set(..) | IndexKind::Affine(_) | IndexKind::Gather(_) => None,
        });
        Some(Access { tensor: TensorId(tensor), indices: indices.collect::<Option<_>>()? })
    }

    fn variable(&self, name: &str) -> Option<VariableId> {
        self.names.variables.iter().position(|known| *known == name).map(VariableId)
    }
}
