//! Element types: the operands of an operator have one type, and the expression has the type of the
//! result.
//!
//! Numbers, variables and parameters have the type that their context requires. A truth value is
//! converted to 0 or 1 where a number is expected. `wanted.rs` checks that the required type
//! supports the operators.

mod conversions;
mod wanted;

use crate::error::{Code, Diagnostic, Span};
use crate::notation::functions::TYPES;
use crate::notation::syntax::{BinaryOp, Constant, Expr, ExprKind, UnaryOp};
use crate::notation::{Function, ReduceOp};
use crate::operator::Kind;
use crate::types::Dtype;

use conversions::{not_defined, wider};

use super::constants;
use super::names::Names;
use super::{Context, unparenthesized};

pub(super) fn check(context: Context<'_>, names: &Names<'_>, diagnostics: &mut Vec<Diagnostic>) {
    if !context.entry.typed {
        return;
    }
    let mut types = Types { context, names, diagnostics: Vec::new() };
    let value = &context.statement.right;
    let found = types.infer(value);
    let Some(result) = names.dtype(&context.statement.left.name.text) else { return };
    if let Some(found) = found
        && found != result
        && found != Dtype::Bool
        && types.diagnostics.is_empty()
    {
        let name = &context.statement.left.name.text;
        let whole = unparenthesized(context.text.at(value.span));
        let mistake = Diagnostic::new(
            Code::ResultType,
            value.span,
            format!("the value is {found}, but the result `{name}` is {result}"),
        )
        .label(format!("this is {found}"));
        types.diagnostics.push(match found.is_complex() && !result.is_complex() {
            true => mistake.help("take its real part by `re`, or declare the result so"),
            false => mistake.help(format!(
                "convert it: `{result}({whole})`;\nor declare the result with the type of its \
                 value: {name} = {{ format = …, dtype = \"{found}\" }}"
            )),
        });
    }
    if types.diagnostics.is_empty() {
        types.within(value, result);
        types.check_sums(value, result);
    }
    types.check_assignment(result);
    diagnostics.append(&mut types.diagnostics);
}

/// Returns the type of an expression without errors, or `None` if it depends on the context.
pub(super) fn dtype_of(context: Context<'_>, names: &Names<'_>, expr: &Expr) -> Option<Dtype> {
    Types { context, names, diagnostics: Vec::new() }.infer(expr)
}

/// Returns the target type of a conversion, given its name.
pub(super) fn conversion(name: &str) -> Option<Dtype> {
    Dtype::ALL.into_iter().find(|dtype| dtype.name() == name && *dtype != Dtype::Generic)
}

struct Types<'m, 'n> {
    context: Context<'m>,
    names: &'n Names<'m>,
    diagnostics: Vec<Diagnostic>,
}

impl Types<'_, '_> {
    /// Infers the type of an expression; returns `None` if it depends on the context or has errors.
    fn infer(&mut self, expr: &Expr) -> Option<Dtype> {
        match &expr.kind {
            ExprKind::Constant(Constant::True | Constant::False) => Some(Dtype::Bool),
            ExprKind::Number(_) | ExprKind::Constant(_) => None,
            ExprKind::Access(access) => self.names.dtype(&access.name.text),
            ExprKind::Unary(UnaryOp::Neg, a) => self.infer(a).filter(|dtype| *dtype != Dtype::Bool),
            ExprKind::Unary(UnaryOp::Not, a) => {
                let found = self.infer(a);
                self.demand_logic("!", expr.span, a, found)
            }
            ExprKind::Reduce(name, _, a) => self.infer_reduction(&name.text, name.span, a),
            ExprKind::Binary(op, place, a, b) => {
                let found = self.same("this operator", *place, &[a, b]);
                match op.kind() {
                    Kind::Comparison => {
                        if let Some(dtype) = found.filter(|dtype| !op.takes(*dtype)) {
                            self.diagnostics.push(
                                Diagnostic::new(
                                    Code::NotOrdered,
                                    *place,
                                    format!("{dtype} has no order"),
                                )
                                .help("compare real parts, with `re`, or magnitudes, with `abs`"),
                            );
                        }
                        Some(Dtype::Bool)
                    }
                    Kind::Logic => self.demand_logic(op.name(), *place, expr, found),
                    // Truth values become numbers.
                    Kind::Arithmetic => found.filter(|dtype| *dtype != Dtype::Bool),
                }
            }
            ExprKind::Call(name, arguments) => self.infer_call(&name.text, expr.span, arguments),
        }
    }

    fn infer_reduction(&mut self, name: &str, span: Span, body: &Expr) -> Option<Dtype> {
        let found = self.infer(body);
        let op = ReduceOp::of(name);
        let tells_where = op.is_some_and(|op| op.tells_where);
        match (op, found) {
            (Some(ReduceOp::ANY | ReduceOp::ALL), found) => {
                // Variables and numbers have the type that their context requires, but are not
                // truth values.
                let mut reads = false;
                body.for_each_access(&mut |access| {
                    reads |= !self.names.is_place(self.context, access);
                });
                let number = (!reads && found.is_none()).then(|| "a number".to_owned());
                let wrong = found.filter(|found| *found != Dtype::Bool);
                if let Some(wrong) = wrong.map(|dtype| dtype.to_string()).or(number) {
                    let text = self.context.text.at(body.span);
                    self.diagnostics.push(
                        Diagnostic::new(
                            Code::NotLogical,
                            body.span,
                            format!("`{name}` is for conditions"),
                        )
                        .note(format!("`{text}` is {wrong}"))
                        .help(format!("compare: `{text} != 0`")),
                    );
                }
                Some(Dtype::Bool)
            }
            (Some(op), Some(found)) if op.orders() && found.is_complex() => {
                self.diagnostics.push(
                    Diagnostic::new(Code::NotOrdered, span, format!("{found} has no order"))
                        .help("reduce real parts, with `re`, or magnitudes, with `abs`"),
                );
                Some(if tells_where { Dtype::Usize } else { found })
            }
            (_, _) if tells_where => Some(Dtype::Usize),
            // Truth values become numbers.
            (_, found) => found.filter(|dtype| *dtype != Dtype::Bool),
        }
    }

    fn infer_call(&mut self, name: &str, span: Span, arguments: &[Expr]) -> Option<Dtype> {
        if let Some(to) = conversion(name) {
            let found = arguments.first().and_then(|argument| self.infer(argument));
            if let Some(from) =
                found.filter(|from| from.is_complex() && !to.is_complex() && to != Dtype::Bool)
            {
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::NotDefinedFor,
                        span,
                        format!("{from} cannot be converted to {to}"),
                    )
                    .help("convert complex numbers to real ones by `re`, `im`, `abs` or `arg`"),
                );
            }
            if let Some(Dtype::User(user)) = found {
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::NotDefinedFor,
                        span,
                        format!("{user} cannot be converted to {to}"),
                    )
                    .help(format!(
                        "declare all tensors `{user}`, and convert the result by `map_vals`"
                    )),
                );
            }
            if found == Some(Dtype::Generic) {
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::NotDefinedFor,
                        span,
                        format!("a generic value cannot be converted to {to}"),
                    )
                    .note("not every type that a caller may choose has a conversion")
                    .help("declare the tensors with a `dtype`, such as \"f64\""),
                );
            }
            return Some(to);
        }
        let all: Vec<&Expr> = arguments.iter().collect();
        match name {
            "select" => {
                let [condition, values @ ..] = &all[..] else { return None };
                let found = self.infer(condition);
                if let Some(found) = found.filter(|found| *found != Dtype::Bool) {
                    self.diagnostics.push(
                        Diagnostic::new(
                            Code::NotLogical,
                            condition.span,
                            format!("a condition is bool, not {found}"),
                        )
                        .help("compare it: `… != 0`"),
                    );
                }
                self.same("`select`", span, values)
            }
            "replace" => self.same("`replace`", span, &all),
            "present" | "absent" => {
                for argument in &all {
                    self.infer(argument);
                }
                Some(Dtype::Bool)
            }
            "xor" => {
                let found = self.same("`xor`", span, &all);
                let first = all.first()?;
                self.demand_logic("xor", span, first, found)
            }
            _ => {
                let found = self.same(&format!("`{name}`"), span, &all);
                if self.context.functions.find(name).is_some() {
                    if found == Some(Dtype::Generic) {
                        self.diagnostics.push(
                            Diagnostic::new(
                                Code::NotDefinedFor,
                                span,
                                format!("`{name}` cannot be called in a generic kernel"),
                            )
                            .note("the types that a user function supports are not known")
                            .help("declare the tensors with a `dtype`, such as \"f64\""),
                        );
                    }
                    return found;
                }
                let function = Function::of(name)?;
                let found = found.filter(|found| *found != Dtype::Bool)?;
                if !function.takes(found) {
                    let text = all.first().map_or("", |a| self.context.text.at(a.span));
                    self.diagnostics.push(not_defined(function, span, found, text));
                }
                Some(function.result(found))
            }
        }
    }

    /// Returns the common type of several operands. Truth values among numbers have the type of the
    /// numbers.
    fn same(&mut self, of: &str, place: Span, operands: &[&Expr]) -> Option<Dtype> {
        let found: Vec<_> = operands.iter().map(|operand| self.infer(operand)).collect();
        let known =
            || found.iter().zip(operands).filter_map(|(f, operand)| Some(((*f)?, *operand)));
        let numbers: Vec<_> = known().filter(|(dtype, _)| *dtype != Dtype::Bool).collect();
        let Some((first, a)) = numbers.first().copied() else {
            return known().next().map(|(dtype, _)| dtype);
        };
        if let Some((other, b)) = numbers.iter().copied().find(|(other, _)| *other != first) {
            let [x, y] = [a, b].map(|side| self.context.text.at(side.span));
            if let Some(opaque) = [first, other].into_iter().find(|dtype| dtype.is_opaque()) {
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::TypesDiffer,
                        place,
                        format!("the operands of {of} are {first} and {other}"),
                    )
                    .note(format!("`{x}` is {first}, `{y}` is {other}"))
                    .help(format!("declare both operands `{opaque}`, or neither")),
                );
                return Some(first);
            }
            let (to, converted) = wider(first, x, other, y);
            self.diagnostics.push(
                Diagnostic::new(
                    Code::TypesDiffer,
                    place,
                    format!("the operands of {of} are {first} and {other}"),
                )
                .note(format!("`{x}` is {first}, `{y}` is {other}"))
                .help(format!("convert one of them: `{to}({})`", unparenthesized(converted))),
            );
        }
        Some(first)
    }

    /// Checks the operand of a logical operator, which must be a truth value or an integer; returns
    /// its type.
    fn demand_logic(
        &mut self,
        sign: &str,
        place: Span,
        of: &Expr,
        found: Option<Dtype>,
    ) -> Option<Dtype> {
        // A mask is a truth value, even where it is converted to a number.
        let is_mask = matches!(&of.kind, ExprKind::Call(name, _)
            if matches!(name.text.as_str(), "present" | "absent"));
        let is_logic = |dtype: Dtype| is_mask || BinaryOp::And.takes(dtype);
        if let Some(wrong) = found.filter(|found| !is_logic(*found)) {
            let text = self.context.text.at(of.span);
            self.diagnostics.push(
                Diagnostic::new(
                    Code::NotLogical,
                    place,
                    format!("`{sign}` is for conditions and integers"),
                )
                .note(format!("`{text}` is {wrong}"))
                .help("compare: `… != 0`"),
            );
        }
        found
    }
}

/// Returns the type in which two sides are compared, or `None` if both are index expressions, which
/// are compared exactly.
///
/// Truth values are compared with each other and with 0 and 1 as such, and with variables as
/// numbers.
pub(super) fn compared_type(
    context: Context<'_>,
    names: &Names<'_>,
    sides: [&Expr; 2],
) -> Option<Dtype> {
    let found = sides.map(|side| dtype_of(context, names, side));
    let number = found.into_iter().flatten().find(|dtype| *dtype != Dtype::Bool);
    let is_place = |(side, found): (&Expr, &Option<Dtype>)| {
        found.is_none() && constants::value(side, Dtype::Bool).is_none()
    };
    number.or_else(|| match sides.into_iter().zip(&found).any(is_place) {
        true => None,
        false => found.into_iter().flatten().next(),
    })
}

/// Returns the types that a function requires of its arguments, given the type required of its
/// value.
pub(super) fn argument_types(
    context: Context<'_>,
    names: &Names<'_>,
    name: &str,
    arguments: &[Expr],
    wanted: Dtype,
) -> Vec<Dtype> {
    let mut types = Types { context, names, diagnostics: Vec::new() };
    let found: Vec<_> = arguments.iter().map(|argument| types.infer(argument)).collect();
    let number = || found.iter().flatten().copied().find(|dtype| *dtype != Dtype::Bool);
    if TYPES.contains(&name) {
        // Numbers are converted to complex ones as real ones.
        let to = conversion(name).unwrap_or(wanted).real();
        return vec![found.first().copied().flatten().unwrap_or(to)];
    }
    match name {
        "select" => vec![Dtype::Bool, wanted, wanted],
        "present" | "absent" => vec![number().unwrap_or(Dtype::Bool)],
        "replace" => vec![wanted; arguments.len()],
        _ => {
            let own = if wanted == Dtype::Bool { Dtype::Bool } else { wanted };
            vec![number().unwrap_or(own); arguments.len()]
        }
    }
}

/// Returns the type that a reduction requires of its operand, given the type required of its value.
pub(super) fn reduced_type(
    context: Context<'_>,
    names: &Names<'_>,
    reduction: &str,
    body: &Expr,
    wanted: Dtype,
) -> Dtype {
    match ReduceOp::of(reduction) {
        Some(ReduceOp::ANY | ReduceOp::ALL) => Dtype::Bool,
        Some(ReduceOp::ARG_MIN | ReduceOp::ARG_MAX) => match dtype_of(context, names, body) {
            // Truth values become numbers.
            Some(Dtype::Bool) => Dtype::Usize,
            Some(dtype) => dtype,
            None => Dtype::F64,
        },
        Some(_) | None => wanted,
    }
}
