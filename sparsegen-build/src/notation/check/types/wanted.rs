//! Checks that an expression is valid in the type that its context requires.

use crate::error::{Code, Diagnostic, Span};
use crate::notation::check::constants;
use crate::notation::check::sums::summed;
use crate::notation::syntax::{BinaryOp, Constant, Expr, ExprKind, UnaryOp};
use crate::notation::{Function, ReduceOp};
use crate::operator::Kind;
use crate::types::Dtype;

use super::conversions::not_defined;
use super::{Types, argument_types, compared_type, reduced_type};

impl Types<'_, '_> {
    /// Checks the operators and numbers of an expression in the required type.
    pub(super) fn within(&mut self, expr: &Expr, dtype: Dtype) {
        if let Some(value) = constants::value(expr, dtype) {
            self.diagnostics.extend(constants::check(self.context, expr, value, dtype));
            return;
        }
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Neg, a) => {
                if dtype.is_unsigned() {
                    self.diagnostics.push(
                        Diagnostic::new(
                            Code::ConstantDoesNotFit,
                            expr.span,
                            format!("{dtype} has no negative values"),
                        )
                        .help("declare the tensors with a signed `dtype`"),
                    );
                } else if dtype == Dtype::Bool {
                    self.refuse_bools("-", expr.span, "to negate a condition, write `!`");
                }
                self.within(a, dtype);
            }
            ExprKind::Unary(UnaryOp::Not, a) => {
                let of = self.infer(a).unwrap_or(dtype);
                self.demand_logic("!", expr.span, a, Some(of));
                self.within(a, of);
            }
            ExprKind::Binary(op, place, a, b) => {
                let of = match op.kind() {
                    Kind::Comparison => {
                        // Indices may be subtracted from each other.
                        let of = compared_type(self.context, self.names, [a, b]);
                        of.unwrap_or(Dtype::I64)
                    }
                    Kind::Logic => {
                        let of = self.same("", *place, &[a, b]).unwrap_or(dtype);
                        self.demand_logic(op.name(), *place, expr, Some(of));
                        of
                    }
                    Kind::Arithmetic => {
                        if dtype == Dtype::Bool && self.context.entry.semiring.is_usual() {
                            self.check_arithmetic(*op, *place);
                        }
                        dtype
                    }
                };
                self.within(a, of);
                self.within(b, of);
            }
            ExprKind::Reduce(name, _, body) => {
                let of = reduced_type(self.context, self.names, &name.text, body, dtype);
                self.check_reduction(&name.text, name.span, of);
                self.within(body, of);
            }
            ExprKind::Call(name, arguments) => {
                let of = argument_types(self.context, self.names, &name.text, arguments, dtype);
                self.check_function(&name.text, expr, arguments, &of, dtype);
                for (argument, dtype) in arguments.iter().zip(of) {
                    self.within(argument, dtype);
                }
            }
            ExprKind::Constant(Constant::Inf | Constant::Nan)
                if dtype.is_integer() || dtype == Dtype::Bool =>
            {
                let text = self.context.text.at(expr.span);
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::ConstantDoesNotFit,
                        expr.span,
                        format!("{dtype} has no `{text}`"),
                    )
                    .label(format!("the context requires {dtype}"))
                    .help("declare the tensors with `dtype = \"f64\"`"),
                );
            }
            ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::Access(_) => {}
        }
    }

    /// Checks that implicit sums are sums of numbers.
    pub(super) fn check_sums(&mut self, value: &Expr, result: Dtype) {
        let is_usual = self.context.entry.semiring.is_usual();
        let variables = summed(self.context, value);
        if result != Dtype::Bool
            || !is_usual
            || variables.is_empty()
            || !self.diagnostics.is_empty()
        {
            return;
        }
        let variables = variables.join(",");
        let text = self.context.text.at(value.span);
        let message = format!("a sum over `{variables}` is a number, but the result is bool");
        self.diagnostics.push(Diagnostic::new(Code::ResultType, value.span, message).help(format!(
            "to test whether any holds, write `any[{variables}]({text})`;\nor declare `semiring = \"or_and\"`"
        )));
    }

    /// Checks that the type of the result supports the operator of an update.
    pub(super) fn check_assignment(&mut self, result: Dtype) {
        let statement = self.context.statement;
        let sign = self.context.text.at(statement.assign_span);
        let name = &statement.left.name.text;
        let Some(op) = statement.update else { return };
        match op {
            BinaryOp::Min | BinaryOp::Max if !op.takes(result) => {
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::NotOrdered,
                        statement.assign_span,
                        format!("{result} has no order"),
                    )
                    .label(format!("`{name}` is {result}, and `{sign}` compares values"))
                    .help("declare the tensors with another `dtype`"),
                );
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul
                if result == Dtype::Bool && self.context.entry.semiring.is_usual() =>
            {
                let left = self.context.text.at(statement.left.span);
                self.refuse_bools(
                    sign,
                    statement.assign_span,
                    &format!("write the logical operator: `{left} = {left} | …`, or `&`"),
                );
            }
            _ => {}
        }
    }

    /// Checks that a function is defined for the type `of` of its arguments, and returns the
    /// required type.
    fn check_function(
        &mut self,
        name: &str,
        call: &Expr,
        arguments: &[Expr],
        of: &[Dtype],
        wanted: Dtype,
    ) {
        let ([of, ..], [argument, ..]) = (of, arguments) else { return };
        if name == "xor" {
            // A comparison is a truth value, even where it is converted to a number.
            let own = self.infer(argument).filter(|own| *own == Dtype::Bool);
            self.demand_logic("xor", call.span, argument, Some(own.unwrap_or(*of)));
            return;
        }
        let is_own = self.context.functions.find(name).is_some();
        let Some(function) = Function::of(name).filter(|_| !is_own) else { return };
        let text = self.context.text.at(argument.span);
        if !function.takes(*of) {
            self.diagnostics.push(not_defined(function, call.span, *of, text));
        } else if wanted.is_complex() && !function.result(*of).is_complex() {
            let (made, whole) = (function.result(*of), self.context.text.at(call.span));
            let message = format!("`{name}` returns {made}, but {wanted} is expected here");
            self.diagnostics.push(
                Diagnostic::new(Code::ResultType, call.span, message)
                    .help(format!("convert it: `{wanted}({whole})`")),
            );
        }
    }

    /// Checks an operator in a context that requires bool: a product of truth values is their
    /// conjunction.
    fn check_arithmetic(&mut self, op: BinaryOp, place: Span) {
        match op {
            BinaryOp::Add => {
                self.refuse_bools("+", place, "to test whether one of two holds, write `|`")
            }
            BinaryOp::Sub => {
                self.refuse_bools(
                    "-",
                    place,
                    "to test whether one holds without the other, write `a & !b`",
                );
            }
            BinaryOp::Div => self.refuse_bools("/", place, "to test whether both hold, write `&`"),
            _ => {}
        }
    }

    /// Checks that the operand of a reduction has a type that supports it.
    fn check_reduction(&mut self, name: &str, span: Span, of: Dtype) {
        let Some(op) = ReduceOp::of(name) else { return };
        match op {
            ReduceOp::SUM if of == Dtype::Bool && self.context.entry.semiring.is_usual() => {
                self.refuse_bools(name, span, "to test whether one of them holds, write `any`");
            }
            ReduceOp::MAX if of == Dtype::Bool => {
                self.refuse_bools(name, span, "to test whether one of them holds, write `any`");
            }
            ReduceOp::PROD | ReduceOp::MIN if of == Dtype::Bool => {
                self.refuse_bools(name, span, "to test whether all of them hold, write `all`");
            }
            op if op.orders() && !op.monoid.op().takes(of) => {
                self.diagnostics.push(
                    Diagnostic::new(Code::NotOrdered, span, format!("{of} has no order"))
                        .help("reduce real parts, with `re`, or magnitudes, with `abs`"),
                );
            }
            _ => {}
        }
    }

    /// Reports an arithmetic operator in a context that requires bool.
    fn refuse_bools(&mut self, sign: &str, place: Span, logic: &str) {
        self.diagnostics.push(
            Diagnostic::new(
                Code::NotLogical,
                place,
                format!("`{sign}` returns a number, but bool is expected here"),
            )
            .note("a bool is converted to 0 or 1 where a number is expected")
            .help(format!("{logic};\nor declare the result with a numeric `dtype`")),
        );
    }
}
