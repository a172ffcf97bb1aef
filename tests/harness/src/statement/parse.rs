//! Reads the text of a statement.

use crate::statement::sums::with_sums;
use crate::statement::{Access, Bound, Expr, Mode, Statement, View};

impl Statement {
    /// Reads a statement and makes its implicit sums explicit.
    ///
    /// # Errors
    /// What was expected, and where.
    pub fn parse(text: &str) -> Result<Statement, String> {
        let mut parser = Parser { text, rest: text, views: Vec::new() };
        let result = parser.name().ok_or_else(|| parser.expected("a name"))?;
        let result = parser.access(result)?;
        let change = ["+=", "-=", "*="].into_iter().find(|change| parser.eat(change));
        if change.is_none() {
            parser.demand("=")?;
        }
        let value = parser.sum()?;
        if !parser.rest.trim().is_empty() {
            return Err(parser.expected("the end"));
        }
        let value = with_sums(value, &result.variables);
        let before = || Box::new(Expr::Access(result.clone()));
        let value = match change {
            Some("+=") => Expr::Sum(before(), Box::new(value)),
            Some("-=") => Expr::Difference(before(), Box::new(value)),
            Some(_) => Expr::Product(before(), Box::new(value)),
            None => value,
        };
        Ok(Statement { result, value, views: parser.views })
    }
}

struct Parser<'t> {
    text: &'t str,
    rest: &'t str,
    views: Vec<View>,
}

impl Parser<'_> {
    fn expected(&self, what: &str) -> String {
        let at = self.text.len() - self.rest.len();
        format!("expected {what} at byte {at} of `{}`", self.text)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(symbol);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn demand(&mut self, symbol: &str) -> Result<(), String> {
        if self.eat(symbol) { Ok(()) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    fn word(&mut self, accept: impl Fn(char) -> bool) -> String {
        let rest = self.rest.trim_start();
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.rest = &rest[end..];
        rest[..end].to_owned()
    }

    fn name(&mut self) -> Option<String> {
        let starts = self.rest.trim_start().starts_with(|c: char| c.is_alphabetic() || c == '_');
        starts.then(|| self.word(|c| c.is_alphanumeric() || c == '_'))
    }

    fn access(&mut self, tensor: String) -> Result<Access, String> {
        if !self.eat("[") {
            return Ok(Access { tensor, variables: Vec::new() });
        }
        let before = self.rest;
        let mut modes = Vec::new();
        loop {
            modes.push(self.mode()?);
            if !self.eat(",") {
                break;
            }
        }
        let inside = before[..before.len() - self.rest.len()].trim();
        self.demand("]")?;
        let variables = modes.iter().filter_map(|mode| match mode {
            Mode::Whole(variable) | Mode::Slice(variable, ..) => Some(variable.clone()),
            Mode::Fixed(_) => None,
        });
        let variables = variables.collect();
        if modes.iter().all(|mode| matches!(mode, Mode::Whole(_))) {
            return Ok(Access { tensor, variables });
        }
        let view = View { name: format!("{tensor}[{inside}]"), of: tensor, modes };
        let name = view.name.clone();
        if !self.views.contains(&view) {
            self.views.push(view);
        }
        Ok(Access { tensor: name, variables })
    }

    fn mode(&mut self) -> Result<Mode, String> {
        let start = match self.name() {
            Some(name) if name.len() > 1 => return Ok(Mode::Fixed(Bound::Parameter(name))),
            Some(variable) if !self.eat("in ") => return Ok(Mode::Whole(variable)),
            Some(variable) => {
                let start = self.bound()?;
                self.demand("..")?;
                let end = self.bound()?;
                let step = if self.eat("step") { self.number()? } else { 1 };
                return Ok(Mode::Slice(variable, start, end, step));
            }
            None => self.number()?,
        };
        Ok(Mode::Fixed(Bound::Number(start)))
    }

    fn bound(&mut self) -> Result<Bound, String> {
        Ok(match self.name() {
            Some(name) => Bound::Parameter(name),
            None => Bound::Number(self.number()?),
        })
    }

    fn number(&mut self) -> Result<usize, String> {
        let number = self.word(|c| c.is_ascii_digit());
        number.parse().map_err(|_| self.expected("a coordinate"))
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

    fn sum(&mut self) -> Result<Expr, String> {
        let mut left = self.product()?;
        loop {
            if self.eat("+") {
                left = Expr::Sum(Box::new(left), Box::new(self.product()?));
            } else if self.eat("-") {
                left = Expr::Difference(Box::new(left), Box::new(self.product()?));
            } else {
                return Ok(left);
            }
        }
    }

    fn product(&mut self) -> Result<Expr, String> {
        let mut left = self.unary()?;
        loop {
            if self.eat("*") {
                left = Expr::Product(Box::new(left), Box::new(self.unary()?));
            } else if self.eat("/") {
                left = Expr::Quotient(Box::new(left), Box::new(self.unary()?));
            } else {
                return Ok(left);
            }
        }
    }

    fn unary(&mut self) -> Result<Expr, String> {
        if self.eat("-") {
            return Ok(Expr::Negative(Box::new(self.unary()?)));
        }
        if self.eat("(") {
            let inner = self.sum()?;
            self.demand(")")?;
            return Ok(inner);
        }
        match self.name() {
            Some(name) if name == "sum" => {
                self.demand("[")?;
                let variables = self.variables()?;
                self.demand("(")?;
                let inner = self.sum()?;
                self.demand(")")?;
                Ok(Expr::Total(variables, Box::new(inner)))
            }
            Some(name) => Ok(Expr::Access(self.access(name)?)),
            None => {
                let number = self.word(|c| c.is_ascii_digit() || c == '.');
                number.parse().map(Expr::Number).map_err(|_| self.expected("an operand"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_stand_around_the_terms_that_need_them() {
        let check = |text: &str, expected: &str| {
            let statement = Statement::parse(text).unwrap();
            assert_eq!(format!("{} = {}", statement.result, statement.value), expected);
        };
        check("y[i] = A[i,j]*x[j]", "y[i] = sum[j]((A[i,j] * x[j]))");
        check("r[i] = b[i] - A[i,j]*x[j]", "r[i] = (b[i] - sum[j]((A[i,j] * x[j])))");
        check("a = b * -c - 2 / d", "a = ((b * -c) - (2 / d))");
        check("a = A[i,j] * sum[k](B[j,k])", "a = sum[i,j]((A[i,j] * sum[k](B[j,k])))");
        check("C[i,j] = A[i,j] - (B[i,j] - A[i,j])", "C[i,j] = (A[i,j] - (B[i,j] - A[i,j]))");
    }

    #[test]
    fn what_is_no_statement_is_refused() {
        let parts = Statement::parse("v = A[i in 2..hi step 3, 4] * B[j,at]").unwrap();
        assert_eq!(parts.operands(), ["A", "B"]);
        assert_eq!(parts.parameters(), ["hi", "at"]);
        assert_eq!(parts.views[1].modes.len(), 2);
        for text in ["y[i]", "y[i] = ", "y[i] = A[i", "y[i] = x[i] x[i]", "y[i] = (x[i]"] {
            assert!(Statement::parse(text).is_err(), "{text}");
        }
    }
}
