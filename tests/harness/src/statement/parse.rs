//! The parser of statements.

mod expression;
mod names;

use crate::statement::parse::names::with_names;
use crate::statement::sums::with_sums;
use crate::statement::{
    Access, Addend, Binary, Bound, Division, Expr, Function, List, Mode, Statement, View,
};

impl Statement {
    /// Parses statements separated by `;`.
    ///
    /// # Errors
    /// The errors of [`Statement::parse`].
    pub fn parse_all(text: &str, parameters: &[&str]) -> Result<Vec<Statement>, String> {
        text.split(';').map(|text| Statement::parse(text, parameters)).collect()
    }

    /// Parses a statement and makes its implicit sums explicit; `parameters` are names of
    /// parameters.
    ///
    /// # Errors
    /// The expected syntax, and the place.
    pub fn parse(text: &str, parameters: &[&str]) -> Result<Statement, String> {
        let mut parser = Parser { text, rest: text, views: Vec::new() };
        let result = parser.name().ok_or_else(|| parser.expected("a name"))?;
        let result = parser.result(result)?;
        let changes = ["+=", "-=", "*=", "min=", "max="];
        let change = changes.into_iter().find(|change| parser.eat(change));
        if change.is_none() {
            parser.demand("=")?;
        }
        let value = parser.expression()?;
        if !parser.rest.trim().is_empty() {
            return Err(parser.expected("the end"));
        }
        let mut statement = Statement { result, value, views: parser.views, sizes: Vec::new() };
        with_names(&mut statement, parameters);
        let value = with_sums(statement.value, &statement.result.variables);
        let before = Expr::Access(statement.result.clone());
        statement.value = match change {
            Some("+=") => Expr::binary(Binary::Sum, before, value),
            Some("-=") => Expr::binary(Binary::Difference, before, value),
            Some("*=") => Expr::binary(Binary::Product, before, value),
            Some("min=") => Expr::Call(Function::Min, vec![before, value]),
            Some(_) => Expr::Call(Function::Max, vec![before, value]),
            None => value,
        };
        Ok(statement)
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

    /// Parses the access on the left, which is a view if a variable is repeated.
    fn result(&mut self, tensor: String) -> Result<Access, String> {
        let name = tensor.clone();
        let mut access = self.access(tensor)?;
        let mut distinct: Vec<String> = Vec::new();
        for variable in &access.variables {
            if !distinct.contains(variable) {
                distinct.push(variable.clone());
            }
        }
        if distinct.len() < access.variables.len() && access.tensor == name {
            let modes = access.variables.iter().cloned().map(Mode::Whole).collect();
            access.tensor = format!("{name}[{}]", access.variables.join(","));
            self.views.push(View { name: access.tensor.clone(), of: name, modes });
        }
        Ok(Access { variables: distinct, ..access })
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
        let mut variables: Vec<String> = Vec::new();
        let are_parts = modes.iter().all(Mode::is_part);
        for variable in modes.iter().flat_map(Mode::variables) {
            if are_parts || !variables.contains(variable) {
                variables.push(variable.clone());
            }
        }
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
        if self.rest.trim_start().starts_with('-') {
            return self.addends(Vec::new());
        }
        if self.eat("rem(") {
            let Mode::Sum(of) = self.dividend()? else { return Err(self.expected("a sum")) };
            self.demand(",")?;
            let by = self.number()?;
            self.demand(")")?;
            return Ok(Mode::Divided(of, by, Division::Remainder));
        }
        if self.eat("(") {
            let Mode::Sum(of) = self.dividend()? else { return Err(self.expected("a sum")) };
            self.demand(")")?;
            self.demand("/")?;
            return Ok(Mode::Divided(of, self.number()?, Division::Quotient));
        }
        let start = match self.name() {
            Some(tensor) if self.rest.trim_start().starts_with('[') => {
                return Ok(Mode::Element(self.access(tensor)?));
            }
            Some(name) if self.rest.trim_start().starts_with(['+', '-']) => {
                return self.addends(vec![(1, addend(name))]);
            }
            Some(name) if name.len() > 1 => return Ok(Mode::Fixed(Bound::Parameter(name))),
            Some(variable) if self.eat("/") => {
                let of = vec![(1, addend(variable))];
                return Ok(Mode::Divided(of, self.number()?, Division::Quotient));
            }
            Some(variable) if !self.eat("in ") => return Ok(Mode::Whole(variable)),
            Some(variable) if self.eat("{") => {
                let mut numbers = vec![self.number()?];
                while self.eat(",") {
                    numbers.push(self.number()?);
                }
                self.demand("}")?;
                return Ok(Mode::Listed(variable, List::Numbers(numbers)));
            }
            Some(variable) => {
                let start = self.bound()?;
                if let Bound::Parameter(name) = &start
                    && !self.rest.trim_start().starts_with("..")
                {
                    return Ok(Mode::Listed(variable, List::Parameter(name.clone())));
                }
                self.demand("..")?;
                let end = self.bound()?;
                let step = if self.eat("step") { self.number()? } else { 1 };
                if self.eat("shift") {
                    let back = self.eat("-");
                    let by = self.number()? as isize;
                    let by = if back { -by } else { by };
                    return Ok(Mode::Shifted(variable, start, end, step, by));
                }
                return Ok(Mode::Slice(variable, start, end, step));
            }
            None => self.number()?,
        };
        if self.eat("*") {
            let name = self.name().ok_or_else(|| self.expected("a variable"))?;
            return self.addends(vec![(start as i64, addend(name))]);
        }
        if self.rest.trim_start().starts_with(['+', '-']) {
            return self.addends(vec![(start as i64, Addend::One)]);
        }
        Ok(Mode::Fixed(Bound::Number(start)))
    }

    /// Parses the dividend of an index.
    fn dividend(&mut self) -> Result<Mode, String> {
        Ok(match self.mode()? {
            Mode::Whole(variable) => Mode::Sum(vec![(1, addend(variable))]),
            other => other,
        })
    }

    /// Parses the rest of an affine index.
    fn addends(&mut self, mut addends: Vec<(i64, Addend)>) -> Result<Mode, String> {
        loop {
            let sign = if self.eat("+") {
                1
            } else if self.eat("-") {
                -1
            } else {
                return Ok(Mode::Sum(addends));
            };
            let starts = self.rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
            let times = if starts { self.number()? as i64 } else { 1 };
            let of = match starts && !self.eat("*") {
                true => Addend::One,
                false => addend(self.name().ok_or_else(|| self.expected("a variable"))?),
            };
            addends.push((sign * times, of));
        }
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
}

fn addend(name: String) -> Addend {
    if name.len() > 1 { Addend::Parameter(name) } else { Addend::Variable(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let statement = Statement::parse(text, &["far"]).unwrap();
        assert_eq!(format!("{} = {}", statement.result, statement.value), expected);
    }

    #[test]
    fn sums_stand_around_the_terms_that_need_them() {
        check("y[i] = A[i,j]*x[j]", "y[i] = sum[j]((A[i,j] * x[j]))");
        check("r[i] = b[i] - A[i,j]*x[j]", "r[i] = (b[i] - sum[j]((A[i,j] * x[j])))");
        check("a = b * -c - 2 / d", "a = ((b * -c) - (2 / d))");
        check("a = A[i,j] * sum[k](B[j,k])", "a = sum[i,j]((A[i,j] * sum[k](B[j,k])))");
        check("C[i,j] = A[i,j] - (B[i,j] - A[i,j])", "C[i,j] = (A[i,j] - (B[i,j] - A[i,j]))");
        check("s = -A[i,j] + 1", "s = (-sum[i,j](A[i,j]) + 1)");
        check("y[i] = f64(A[i,j]) * x[j]", "y[i] = sum[j]((f64(A[i,j]) * x[j]))");
        check("y[i] += A[i,j]", "y[i] = (y[i] + sum[j](A[i,j]))");
        check("y[i] min= A[i,j]", "y[i] = min(y[i], sum[j](A[i,j]))");
    }

    #[test]
    fn operators_bind_as_the_grammar_says() {
        check("y[i] = a[i] & b[i] | c[i] & d[i]", "y[i] = ((a[i] & b[i]) | (c[i] & d[i]))");
        check("y[i] = a[i]+1 >= b[i]*2 & c[i]", "y[i] = (((a[i] + 1) >= (b[i] * 2)) & c[i])");
        check("y[i] = !a[i] == b[i] | true", "y[i] = ((!a[i] == b[i]) | true)");
        check("y[i] = - -a[i] * !b[i]", "y[i] = (--a[i] * !b[i])");
        check("y[i] = a[i] - 1 - 2", "y[i] = ((a[i] - 1) - 2)");
        check("y[i] = max(a[i], 2) * (i != 3)", "y[i] = (max(a[i], 2) * (i != 3))");
        check(
            "y[i] = min[j](select(present(A[i,j]), A[i,j], inf))",
            "y[i] = min[j](select(present(A[i,j]), A[i,j], inf))",
        );
        check("t = argmin[i](x[i] < pi)", "t = argmin[i]((x[i] < 3.141592653589793))");
    }

    #[test]
    fn numbers_are_whole_or_not() {
        check("y[i] = 2e3 * x[i] + 12 - 1.5e-2", "y[i] = (((2000 * x[i]) + 12) - 0.015)");
        let statement = Statement::parse("y[i] = x[i] + 2", &[]).unwrap();
        let Expr::Binary(_, _, two) = statement.value else { panic!("a sum") };
        assert_eq!(*two, Expr::Number(crate::number::Number::Whole(2)));
    }

    #[test]
    fn bare_names_are_variables_parameters_or_scalars() {
        let text = "y[i] = sum[k](i * k * A[i,k]) + far * a + A[i,at] * at";
        let statement = Statement::parse(text, &["far"]).unwrap();
        assert_eq!(statement.operands(), ["A", "a"]);
        assert_eq!(statement.parameters(), ["at", "far"]);
        assert_eq!(statement.variables(), ["i", "k"]);
        let parts = Statement::parse("v = A[i in 2..hi step 3, 4] * B[j,at]", &[]).unwrap();
        assert_eq!(parts.operands(), ["A", "B"]);
        assert_eq!(parts.parameters(), ["hi", "at"]);
        assert_eq!(parts.views[1].modes.len(), 2);
    }

    #[test]
    fn what_is_no_statement_is_refused() {
        for text in [
            "y[i]",
            "y[i] = ",
            "y[i] = A[i",
            "y[i] = x[i] x[i]",
            "y[i] = (x[i]",
            "y[i] = x[i] < 2 < 3",
            "y[i] = max(x[i])",
            "y[i] = sqrt(x[i], 2)",
            "y[i] = exp",
            "y[i] = 2e",
        ] {
            assert!(Statement::parse(text, &[]).is_err(), "{text}");
        }
    }
}
