//! Kernels in index notation.

use std::fmt;

use crate::operator::UnaryOp;

use super::{
    Access, Assignment, Diagonal, Expr, Function, Kernel, Listed, Parameter, Predicate, TensorId,
    TensorRole, VariableId,
};

impl Kernel {
    /// Prints an access in index notation.
    pub fn show_access(&self, access: &Access) -> String {
        let name = &self.tensor(access.tensor).name;
        if access.indices.is_empty() {
            return name.clone();
        }
        let indices: Vec<_> = access.indices.iter().map(|v| self.show_index(*v)).collect();
        // Spaces separate indices that contain spaces themselves.
        let separator = if indices.iter().any(|index| index.contains(' ')) { ", " } else { "," };
        format!("{name}[{}]", indices.join(separator))
    }

    /// Prints the comparison of a tensor that represents one: `j == i + 1`.
    pub fn show_predicate(&self, id: TensorId, predicate: Predicate) -> String {
        let name = |v: VariableId| self.variable(v).name.clone();
        let (to, from, ahead) = match predicate {
            Predicate::Diagonal(Diagonal { from, to, ahead: 0 }) => (name(from), name(to), 0),
            Predicate::Diagonal(Diagonal { from, to, ahead }) => (name(to), name(from), ahead),
            Predicate::Listed(Listed { list, coordinate, ahead }) => {
                let of = self.accesses.iter().find(|access| access.tensor == id);
                let of = of.map_or(&[][..], |of| &of.indices[..of.indices.len() - 1]);
                let element = Access { tensor: list, indices: of.to_vec() };
                (self.show_access(&element), name(coordinate), ahead as i64)
            }
        };
        match ahead {
            0 => format!("{to} == {from}"),
            1.. => format!("{to} == {from} + {ahead}"),
            _ => format!("{from} == {to} + {}", ahead.unsigned_abs()),
        }
    }

    /// Prints variables, separated by commas.
    pub fn show_variables(&self, variables: &[VariableId]) -> String {
        variables.iter().map(|v| self.variable(*v).name.as_str()).collect::<Vec<_>>().join(",")
    }

    /// Prints an expression in index notation, with as few parentheses as possible.
    pub fn show(&self, expr: &Expr) -> String {
        self.show_at(expr, 0)
    }

    fn show_at(&self, expr: &Expr, outer: u8) -> String {
        let (text, precedence) = match expr {
            Expr::Literal(literal) => (literal.to_string(), 7),
            Expr::Constant(path) => (self.paths[path.0].name.clone(), 7),
            Expr::Access(access) => (self.show_access(access), 7),
            Expr::Parameter(parameter) => (self.tensor(*parameter).name.clone(), 7),
            Expr::Index(v) => (self.variable(*v).name.clone(), 7),
            Expr::Neg(a) => {
                (format!("-{}", self.show_at(a, UnaryOp::PRECEDENCE)), UnaryOp::PRECEDENCE)
            }
            Expr::Call(function, arguments) => self.show_call(*function, arguments),
            Expr::Binary(op, a, b) => {
                let p = op.precedence().unwrap_or(UnaryOp::PRECEDENCE);
                (format!("{} {} {}", self.show_at(a, p), op.name(), self.show_at(b, p + 1)), p)
            }
            Expr::Reduce(reduce) => {
                let name = reduce.op.name();
                let variables = self.show_variables(&reduce.variables);
                (format!("{name}[{variables}]({})", self.show(&reduce.body)), 7)
            }
        };
        if precedence < outer { format!("({text})") } else { text }
    }

    /// Prints a call or operator; returns its precedence too.
    fn show_call(&self, function: Function, arguments: &[Expr]) -> (String, u8) {
        let symbol = match function {
            Function::Own(own) => &self.paths[own.path.0].name,
            Function::Found(temporary) => {
                return (format!("found({})", self.tensor(temporary).name), 7);
            }
            Function::Extent(v) => return (format!("extent({})", self.variable(v).name), 7),
            function => function.symbol(),
        };
        if let (Function::Present, [value, ..]) = (function, arguments) {
            return (format!("{symbol}({})", self.show(value)), 7);
        }
        if let (Function::Number(_) | Function::Symbol(_), [only]) = (function, arguments) {
            return (self.show_at(only, 7), 7);
        }
        match (function.precedence(), arguments) {
            (Some(p), [a]) => (format!("{symbol}{}", self.show_at(a, p)), p),
            (Some(p), [a, b]) => {
                (format!("{} {symbol} {}", self.show_at(a, p), self.show_at(b, p + 1)), p)
            }
            (Some(_) | None, _) => {
                let arguments: Vec<_> = arguments.iter().map(|a| self.show(a)).collect();
                (format!("{symbol}({})", arguments.join(", ")), 7)
            }
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Assignment { result, value } = &self.assignment;
        writeln!(f, "{} = {}", self.show_access(result), self.show(value))?;
        for tensor in &self.tensors {
            let name = &tensor.name;
            match tensor.role {
                TensorRole::Parameter(Parameter::Index) => writeln!(f, "    {name}: a parameter")?,
                TensorRole::Parameter(Parameter::Indices) => {
                    writeln!(f, "    {name}: a list of indices")?;
                }
                TensorRole::Result
                | TensorRole::Operand
                | TensorRole::Previous
                | TensorRole::Converted(_)
                | TensorRole::Predicate(_)
                | TensorRole::Inverse(_)
                | TensorRole::Temporary
                | TensorRole::Choice(_)
                | TensorRole::Workspace(_) => {
                    writeln!(f, "    {name}: {} of {}", tensor.format, tensor.dtype)?;
                }
            }
        }
        for command in &self.schedule {
            writeln!(f, "    {}", command.text)?;
        }
        Ok(())
    }
}
