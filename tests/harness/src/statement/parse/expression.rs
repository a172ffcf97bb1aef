//! The grammar of expressions.

use std::f64::consts::PI;

use crate::dtype::Dtype;
use crate::number::Number;
use crate::own::Own;
use crate::statement::parse::Parser;
use crate::statement::{Access, Binary, Expr, Function, Reduction, Unary};

const COMPARISONS: [Binary; 6] = [
    Binary::LessEqual,
    Binary::Less,
    Binary::GreaterEqual,
    Binary::Greater,
    Binary::Equal,
    Binary::Unequal,
];

impl Parser<'_> {
    /// Parses an expression.
    pub fn expression(&mut self) -> Result<Expr, String> {
        self.chain(&[Binary::Or], |parser| parser.chain(&[Binary::And], Parser::comparison))
    }

    /// Parses operands with left-associative operators of one precedence.
    fn chain(
        &mut self,
        operators: &[Binary],
        operand: impl Fn(&mut Self) -> Result<Expr, String>,
    ) -> Result<Expr, String> {
        let mut left = operand(self)?;
        while let Some(op) = self.operator(operators) {
            left = Expr::binary(op, left, operand(self)?);
        }
        Ok(left)
    }

    fn operator(&mut self, operators: &[Binary]) -> Option<Binary> {
        operators.iter().copied().find(|op| self.eat(&op.to_string()))
    }

    fn comparison(&mut self) -> Result<Expr, String> {
        let left = self.sum()?;
        match self.operator(&COMPARISONS) {
            Some(op) => Ok(Expr::binary(op, left, self.sum()?)),
            None => Ok(left),
        }
    }

    fn sum(&mut self) -> Result<Expr, String> {
        let product =
            |parser: &mut Self| parser.chain(&[Binary::Product, Binary::Quotient], Parser::unary);
        self.chain(&[Binary::Sum, Binary::Difference], product)
    }

    fn unary(&mut self) -> Result<Expr, String> {
        match Unary::ALL.iter().find(|op| self.eat(&op.to_string())) {
            Some(op) => Ok(Expr::Unary(*op, Box::new(self.unary()?))),
            None => self.primary(),
        }
    }

    fn primary(&mut self) -> Result<Expr, String> {
        if self.eat("(") {
            let inner = self.expression()?;
            self.demand(")")?;
            return Ok(inner);
        }
        let Some(name) = self.name() else { return self.literal() };
        let is_indexed = self.rest.trim_start().starts_with('[');
        if let Some(reduction) = Reduction::named(&name).filter(|_| is_indexed) {
            self.demand("[")?;
            let variables = self.variables()?;
            let [body] = self.arguments::<1>()?;
            return Ok(Expr::Reduce(reduction, variables, Box::new(body)));
        }
        if let Some(function) = Function::named(&name) {
            let arguments = match function.arguments() {
                1 => self.arguments::<1>()?.into(),
                2 => self.arguments::<2>()?.into(),
                _ => self.arguments::<3>()?.into(),
            };
            return Ok(Expr::Call(function, arguments));
        }
        if let Some(own) = Own::named(&name) {
            let arguments = match own.arity() {
                1 => self.arguments::<1>()?.into(),
                2 => self.arguments::<2>()?.into(),
                _ => self.arguments::<3>()?.into(),
            };
            return Ok(Expr::Own(own, arguments));
        }
        if let Some(dtype) = Dtype::named(&name) {
            let [inner] = self.arguments::<1>()?;
            return Ok(Expr::Convert(dtype, Box::new(inner)));
        }
        let constant = match name.as_str() {
            "inf" => Number::Real(f64::INFINITY),
            "nan" => Number::Real(f64::NAN),
            "pi" => Number::Real(PI),
            "true" => Number::Bool(true),
            "false" => Number::Bool(false),
            _ => return Ok(Expr::Access(self.access(name)?)),
        };
        Ok(Expr::Number(constant))
    }

    fn arguments<const N: usize>(&mut self) -> Result<[Expr; N], String> {
        self.demand("(")?;
        let mut arguments = Vec::new();
        for k in 0..N {
            if k > 0 {
                self.demand(",")?;
            }
            arguments.push(self.expression()?);
        }
        self.demand(")")?;
        Ok(arguments.try_into().expect("so many were read"))
    }

    fn variables(&mut self) -> Result<Vec<String>, String> {
        let mut variables = Vec::new();
        loop {
            variables.push(self.name().ok_or_else(|| self.expected("an index variable"))?);
            if !self.eat(",") {
                self.demand("]")?;
                return Ok(variables);
            }
        }
    }

    fn literal(&mut self) -> Result<Expr, String> {
        let digits = |parser: &mut Self| {
            let digits = parser.word(|c| c.is_ascii_digit());
            if digits.is_empty() { Err(parser.expected("an operand")) } else { Ok(digits) }
        };
        let mut text = digits(self)?;
        if self.rest.starts_with('.') && !self.rest.starts_with("..") {
            self.eat(".");
            text = format!("{text}.{}", digits(self)?);
        }
        if self.rest.starts_with('e') {
            self.eat("e");
            let sign = if self.eat("-") {
                "-"
            } else {
                self.eat("+");
                ""
            };
            text = format!("{text}e{sign}{}", digits(self)?);
        }
        let number = text.parse().map(Number::Whole).or_else(|_| text.parse().map(Number::Real));
        number.map(Expr::Number).map_err(|_| self.expected("a number"))
    }
}

/// Returns a bare name, which may be a scalar.
pub fn bare(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Access(Access { tensor, variables }) if variables.is_empty() => Some(tensor),
        Expr::Access(_)
        | Expr::Number(_)
        | Expr::Variable(_)
        | Expr::Parameter(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Call(..)
        | Expr::Own(..)
        | Expr::Convert(..)
        | Expr::Reduce(..) => None,
    }
}
