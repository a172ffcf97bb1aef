//! From a statement without mistakes to a canonical kernel: sums become explicit, numbers take the
//! type around them, constants are folded.

use crate::math;
use crate::notation::own::Argument;
use crate::notation::schedule::Action;
use crate::notation::syntax::{
    self, Assign, BinaryOp, Comparison, Constant, ExprKind, Number, Statement, UnaryOp,
};
use crate::notation::{
    self, Access, Assignment, Expr, Function, Kernel, Place, ReduceOp, Role, Semiring, Tensor,
    TensorId, Variable, VariableId,
};
use crate::types::{Dtype, Literal};

use super::Context;
use super::bindings::{is_parameter, parameter};
use super::bounds::parameters;
use super::choices::chosen_from;
use super::names::Names;
use super::parts::bind_fixed;
use super::schedule::Resolved;
use super::sums::summed;
use super::types::{argument_types, conversion, dtype_of, reduced_type};

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
                parameter: None,
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
        parameter: parameter(context, name),
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
    let (of_parts, mut places) = names.parts.variables(names.known(context));
    for place in &mut places {
        if let (Place::Element(access), Some(old)) = (place, old)
            && access.tensor == TensorId(0)
        {
            access.tensor = old;
        }
    }
    let variables: Vec<Variable> = variables.chain(of_parts).chain(defined).collect();
    let is_threads = |action: &Action<_, _, _>| matches!(action, Action::Parallelize(_));
    let parallelizes = schedule.commands.iter().any(|command| is_threads(&command.action));
    let builder = Builder {
        context,
        names,
        dtype: names.tensors.first()?.dtype,
        old,
        semiring: entry.semiring,
    };
    let result = builder.access(&statement.left)?;
    let mut accesses = Vec::new();
    statement.right.for_each_access(&mut |access| {
        if !names.is_place(context, access) {
            accesses.extend(builder.read(access));
            access.for_each_gather(&mut |gather| accesses.extend(builder.read(gather)));
        }
    });
    let before = old.map(|tensor| Access { tensor, ..result.clone() });
    let value = builder.terms(&statement.right)?;
    let value = match before.filter(|_| statement.assign != Assign::Set) {
        Some(before) => {
            accesses.push(before.clone());
            updated(statement.assign, entry.semiring, Expr::Access(before), value)
        }
        None => value,
    };
    let value = bind_fixed(value, &result, &variables);
    let assignment = Assignment { result, value };
    Some(Kernel {
        name: entry.name.text.clone(),
        doc: entry.doc.clone(),
        text: context.text.value.split_whitespace().collect::<Vec<_>>().join(" "),
        span: statement.span,
        tensors,
        variables,
        places,
        assignment,
        old,
        in_place: false,
        packed: None,
        converted: Vec::new(),
        accesses,
        paths: context.functions.paths().to_vec(),
        chosen_from: chosen_from(names, &statement.right)?,
        semiring: entry.semiring,
        bounds: entry.bounds,
        parallel: entry.parallel || parallelizes,
        schedule: schedule.commands,
    })
}

/// An expression in canonical form, without the sums that stand around it in the statement; nothing
/// where it holds anything that no statement can.
pub(super) fn part(context: Context<'_>, names: &Names<'_>, expr: &syntax::Expr) -> Option<Expr> {
    Builder {
        context,
        names,
        dtype: names.tensors.first()?.dtype,
        old: None,
        semiring: context.entry.semiring,
    }
    .expr(expr, names.tensors.first()?.dtype)
}

/// A number in the type around it.
fn literal(number: Number, dtype: Dtype) -> Literal {
    match number {
        Number::Int(n) if dtype.is_integer() || dtype == Dtype::Generic => Literal::Int(n),
        Number::Int(n) => Literal::Float(n as f64),
        Number::Float(x) if dtype.is_integer() => Literal::Int(x as i64),
        Number::Float(x) => Literal::Float(x),
    }
}

/// Whether a statement changes a result that is passed in.
pub(super) fn is_update(statement: &Statement) -> bool {
    let mut reads = false;
    let result = &statement.left.name.text;
    statement.right.for_each_access(&mut |access| {
        reads |= access.name.text == *result;
        access.for_each_gather(&mut |gather| reads |= gather.name.text == *result);
    });
    reads || statement.assign != Assign::Set
}

/// The value of `+=` and its kin; `A op= e` is `A = A op e`.
fn updated(assign: Assign, semiring: Semiring, before: Expr, value: Expr) -> Expr {
    let function = match assign {
        Assign::Set => return value,
        Assign::Add => return Expr::add(before, value),
        Assign::Sub => return Expr::sub(before, value),
        Assign::Mul => return Expr::mul(before, value),
        Assign::Min => math::Function::Min,
        Assign::Max => math::Function::Max,
    };
    let numbers = [before, value].map(|symbol| semiring.to_number(symbol));
    semiring.to_symbol(Expr::call(Function::Math(function), numbers.into()))
}

/// Whether there are coordinates at which a tensor stores nothing.
fn is_stored(access: &Access) -> bool {
    !access.indices.is_empty()
}

struct Builder<'m, 'n> {
    context: Context<'m>,
    names: &'n Names<'m>,
    /// The type of the whole expression.
    dtype: Dtype,
    /// What the result held before.
    old: Option<TensorId>,
    /// What sums and products are.
    semiring: Semiring,
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
                Some(Expr::sum(variables.collect::<Option<_>>()?, self.expr(expr, self.dtype)?))
            }
        }
    }

    /// An expression in the type that is wanted of it, as a symbol of the semiring. A condition among
    /// numbers is converted.
    fn expr(&self, expr: &syntax::Expr, dtype: Dtype) -> Option<Expr> {
        let own = dtype_of(self.context, self.names, expr);
        if own == Some(Dtype::Bool) && dtype != Dtype::Bool {
            let condition = self.number(expr, Dtype::Bool)?;
            return Some(match self.semiring.is_usual() {
                true => Expr::call(Function::Convert(dtype), vec![condition]),
                false => self.semiring.to_symbol(condition),
            });
        }
        let symbol = |number: Expr| self.semiring.to_symbol(number);
        Some(match &expr.kind {
            ExprKind::Number(number) => symbol(Expr::Literal(literal(*number, dtype))),
            ExprKind::Constant(constant) => symbol(Expr::Literal(match constant {
                Constant::Pi => Literal::Float(std::f64::consts::PI),
                Constant::Inf => Literal::Greatest,
                Constant::Nan => Literal::Nan,
                Constant::True => Literal::Bool(true),
                Constant::False => Literal::Bool(false),
            })),
            ExprKind::Access(access) => self.operand(access)?,
            ExprKind::Unary(UnaryOp::Neg, a) => match self.semiring.is_usual() {
                true => Expr::neg(self.expr(a, dtype)?),
                false => symbol(Expr::neg(self.number(a, dtype)?)),
            },
            ExprKind::Unary(UnaryOp::Not, a) => {
                symbol(Expr::call(Function::Not, vec![self.number(a, own.unwrap_or(dtype))?]))
            }
            ExprKind::Binary(op, _, a, b) => self.binary(*op, a, b, dtype)?,
            ExprKind::Call(name, arguments) => self.call(&name.text, arguments, dtype)?,
            ExprKind::Reduce(name, variables, body) => {
                let variables = variables.iter().map(|name| self.variable(&name.text));
                let variables = variables.collect::<Option<_>>()?;
                let dtype = reduced_type(self.context, self.names, &name.text, body, dtype);
                match ReduceOp::of(&name.text)? {
                    ReduceOp::Sum => Expr::sum(variables, self.expr(body, dtype)?),
                    op => symbol(Expr::reduce(op, variables, self.number(body, dtype)?)),
                }
            }
        })
    }

    /// An expression as functions see it.
    fn number(&self, expr: &syntax::Expr, dtype: Dtype) -> Option<Expr> {
        Some(self.semiring.to_number(self.expr(expr, dtype)?))
    }

    fn binary(
        &self,
        op: BinaryOp,
        a: &syntax::Expr,
        b: &syntax::Expr,
        dtype: Dtype,
    ) -> Option<Expr> {
        let op = match op {
            BinaryOp::Add => notation::BinaryOp::Add,
            BinaryOp::Sub => notation::BinaryOp::Sub,
            BinaryOp::Mul => notation::BinaryOp::Mul,
            BinaryOp::Div if dtype.is_integer() && self.semiring.is_usual() => {
                let sides = vec![self.expr(a, dtype)?, self.expr(b, dtype)?];
                return Some(Expr::call(Function::Quotient, sides));
            }
            BinaryOp::Div => notation::BinaryOp::Div,
            BinaryOp::And | BinaryOp::Or => {
                let function = if op == BinaryOp::And { Function::And } else { Function::Or };
                let sides = vec![self.number(a, dtype)?, self.number(b, dtype)?];
                return Some(self.semiring.to_symbol(Expr::call(function, sides)));
            }
            BinaryOp::Compare(comparison) => {
                let comparison = self.comparison(comparison, a, b)?;
                return Some(self.semiring.to_symbol(comparison));
            }
        };
        Some(Expr::binary(op, self.expr(a, dtype)?, self.expr(b, dtype)?))
    }

    fn comparison(
        &self,
        comparison: Comparison,
        a: &syntax::Expr,
        b: &syntax::Expr,
    ) -> Option<Expr> {
        let of = |side| dtype_of(self.context, self.names, side);
        let number = [of(a), of(b)].into_iter().flatten();
        let dtype = number.max_by_key(|dtype| *dtype != Dtype::Bool);
        let [a, b] = match dtype {
            Some(dtype) => [self.number(a, dtype)?, self.number(b, dtype)?],
            // Indices are compared as they are, whatever the semiring and their differences.
            None => {
                let usual = Builder { semiring: Semiring::PLUS_TIMES, ..*self };
                [usual.expr(a, Dtype::I64)?, usual.expr(b, Dtype::I64)?]
            }
        };
        let (function, sides) = match comparison {
            Comparison::Less => (Function::Less, [a, b]),
            Comparison::LessEqual => (Function::LessEqual, [a, b]),
            Comparison::Greater => (Function::Less, [b, a]),
            Comparison::GreaterEqual => (Function::LessEqual, [b, a]),
            Comparison::Equal => (Function::Equal, [a, b]),
            Comparison::NotEqual => (Function::NotEqual, [a, b]),
        };
        Some(Expr::call(function, sides.into()))
    }

    fn call(&self, name: &str, arguments: &[syntax::Expr], dtype: Dtype) -> Option<Expr> {
        let types = argument_types(self.context, self.names, name, arguments, dtype);
        let mut typed = arguments.iter().zip(types);
        let symbol = |number: Expr| self.semiring.to_symbol(number);
        Some(match name {
            "select" => {
                let (condition, of) = typed.next()?;
                let condition = self.number(condition, of)?;
                let values = typed.map(|(value, of)| self.expr(value, of));
                let values = values.collect::<Option<Vec<_>>>()?;
                Expr::call(Function::Select, [vec![condition], values].concat())
            }
            "replace" => {
                let values = typed.map(|(value, of)| self.expr(value, of));
                let mut values = values.collect::<Option<Vec<_>>>()?;
                let (by, of) = (values.pop()?, values.pop()?);
                Expr::call(Function::Select, vec![self.present(by.clone()), by, of])
            }
            "present" | "absent" => {
                let (value, of) = typed.next()?;
                let present = self.present(self.expr(value, of)?);
                symbol(match name {
                    "present" => present,
                    _ => Expr::call(Function::Not, vec![present]),
                })
            }
            _ if let Some(function) = self.context.functions.find(name) => {
                let values = typed.map(|(argument, of)| self.argument(argument, of));
                let values = values.collect::<Option<Vec<_>>>()?;
                function.call(&values, self.semiring.zero, symbol)
            }
            _ => {
                let is_whole = typed.clone().next().is_some_and(|(_, of)| of.is_integer());
                let numbers = typed.map(|(argument, of)| self.number(argument, of));
                let numbers = numbers.collect::<Option<Vec<_>>>()?;
                let function = match conversion(name) {
                    Some(to) => Function::Convert(to),
                    None if name == "xor" => Function::Xor,
                    None if name == "rem" && is_whole => Function::Remainder,
                    None => Function::Math(math::Function::of(name)?),
                };
                symbol(Expr::call(function, numbers))
            }
        })
    }

    /// An argument of a function of the user's. What reads no tensor is in where it differs from what
    /// a tensor does not store.
    fn argument(&self, expr: &syntax::Expr, dtype: Dtype) -> Option<Argument> {
        let value = self.expr(expr, dtype)?;
        let mut reads = false;
        value.for_each_access(&mut |access| reads |= is_stored(access));
        let fill = if reads { self.fill_of(&value) } else { Expr::ZERO };
        let number = self.semiring.to_number(value.clone());
        Some(Argument { value, fill, number })
    }

    /// Whether a value differs from what it is where nothing is stored.
    fn present(&self, value: Expr) -> Expr {
        let fill = self.fill_of(&value);
        Expr::call(Function::Present, vec![value, fill])
    }

    /// What a value is where nothing is stored.
    fn fill_of(&self, value: &Expr) -> Expr {
        value.substitute(&|access| {
            // What the result held before stands behind all others.
            let operand = self.names.tensors.get(access.tensor.0).or(self.names.tensors.first());
            let format = operand.and_then(|operand| operand.format.as_ref());
            let fill = format.filter(|_| self.semiring.is_usual()).map(|format| format.fill);
            is_stored(access).then_some(Expr::Literal(fill.unwrap_or(Literal::Int(0))))
        })
    }

    /// What a name stands for on the right: a variable, a parameter or an access.
    fn operand(&self, access: &syntax::Access) -> Option<Expr> {
        if access.indices.is_empty() {
            let name = &access.name;
            if is_parameter(self.context, name) {
                let mut parameters = parameters(self.context).into_iter();
                let at = parameters.position(|parameter| parameter.text == name.text)?;
                let parameter = Expr::Parameter(TensorId(self.names.tensors.len() + at));
                return Some(self.semiring.to_symbol(parameter));
            }
            if let Some(v) = self.variable(&name.text) {
                return Some(self.semiring.to_symbol(Expr::Index(v)));
            }
        }
        Some(Expr::Access(self.read(access)?))
    }

    /// An access on the right, where the result is what it was before.
    fn read(&self, access: &syntax::Access) -> Option<Access> {
        let Access { tensor, indices } = self.access(access)?;
        let tensor = self.old.filter(|_| tensor == TensorId(0)).unwrap_or(tensor);
        Some(Access { tensor, indices })
    }

    fn access(&self, access: &syntax::Access) -> Option<Access> {
        self.names.parts.access(self.names.known(self.context), access)
    }

    fn variable(&self, name: &str) -> Option<VariableId> {
        self.names.variables.iter().position(|known| *known == name).map(VariableId)
    }
}
