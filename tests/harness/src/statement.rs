//! Reads index notation, apart from the compiler, so that a mistake in one does not hide in the
//! other.

use std::fmt;

/// `y[i] = A[i,j] * x[j]`
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What is computed.
    pub result: Access,
    /// From what; every sum is explicit.
    pub value: Expr,
    /// The accesses that read only parts of modes: of each there is a tensor that has just these, which
    /// stands in the value in its stead.
    pub views: Vec<View>,
}

/// `A[i,j]`; a scalar has no variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// The tensor's name.
    pub tensor: String,
    /// The index variable of each mode.
    pub variables: Vec<String>,
}

/// Parts of the modes of a tensor, as a tensor of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Its name, as it is written: `A[i in 2..n,3]`.
    pub name: String,
    /// The tensor.
    pub of: String,
    /// What is read of each of the tensor's modes.
    pub modes: Vec<Mode>,
}

/// What is read of a mode.
#[derive(Clone, Debug, PartialEq)]
pub enum Mode {
    /// All of it, by a variable.
    Whole(String),
    /// `i in 2..n step 3`
    Slice(String, Bound, Bound, usize),
    /// One coordinate.
    Fixed(Bound),
}

/// A coordinate. Variables have one letter, so that names with more are parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// `2`
    Number(usize),
    /// `lo`
    Parameter(String),
}

/// A right-hand side.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Number(f64),
    /// An operand's element.
    Access(Access),
    /// `-a`
    Negative(Box<Expr>),
    /// `a + b`
    Sum(Box<Expr>, Box<Expr>),
    /// `a - b`
    Difference(Box<Expr>, Box<Expr>),
    /// `a * b`
    Product(Box<Expr>, Box<Expr>),
    /// `a / b`
    Quotient(Box<Expr>, Box<Expr>),
    /// `sum[i,j](a)`
    Total(Vec<String>, Box<Expr>),
}

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

    /// Every access, the result's first, in the order of the text.
    pub fn accesses(&self) -> Vec<&Access> {
        let mut all = vec![&self.result];
        self.value.collect(&mut all);
        all
    }

    /// Every index variable, in order of first appearance.
    pub fn variables(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for access in self.accesses() {
            for variable in &access.variables {
                if !all.contains(&variable.as_str()) {
                    all.push(variable);
                }
            }
        }
        all
    }

    /// The operands' names, in order of first appearance.
    pub fn operands(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for access in &self.accesses()[1..] {
            let tensor = self.tensor(access);
            if !all.contains(&tensor) {
                all.push(tensor);
            }
        }
        all
    }

    /// The tensor that an access reads, be it only parts of it.
    pub fn tensor<'s>(&'s self, access: &'s Access) -> &'s str {
        self.view(access).map_or(&access.tensor, |view| &view.of)
    }

    /// The parts of a tensor that an access reads, if it does not read all of it.
    pub fn view(&self, access: &Access) -> Option<&View> {
        self.views.iter().find(|view| view.name == access.tensor)
    }

    /// What an access reads of each mode of its tensor.
    pub fn modes(&self, access: &Access) -> Vec<Mode> {
        match self.view(access) {
            Some(view) => view.modes.clone(),
            None => access.variables.iter().cloned().map(Mode::Whole).collect(),
        }
    }

    /// The parameters, in order of first appearance.
    pub fn parameters(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for mode in self.views.iter().flat_map(|view| &view.modes) {
            let bounds = match mode {
                Mode::Whole(_) => vec![],
                Mode::Slice(_, start, end, _) => vec![start, end],
                Mode::Fixed(at) => vec![at],
            };
            for bound in bounds {
                match bound {
                    Bound::Parameter(name) if !all.contains(&name.as_str()) => all.push(name),
                    Bound::Parameter(_) | Bound::Number(_) => {}
                }
            }
        }
        all
    }
}

impl Expr {
    fn collect<'e>(&'e self, all: &mut Vec<&'e Access>) {
        match self {
            Expr::Number(_) => {}
            Expr::Access(access) => all.push(access),
            Expr::Negative(a) | Expr::Total(_, a) => a.collect(all),
            Expr::Sum(a, b)
            | Expr::Difference(a, b)
            | Expr::Product(a, b)
            | Expr::Quotient(a, b) => {
                a.collect(all);
                b.collect(all);
            }
        }
    }

    /// The variables that no sum within binds, in order of first appearance.
    pub fn free(&self) -> Vec<String> {
        let mut all: Vec<String> = match self {
            Expr::Number(_) => Vec::new(),
            Expr::Access(access) => access.variables.clone(),
            Expr::Negative(a) => a.free(),
            Expr::Total(bound, a) => {
                a.free().into_iter().filter(|variable| !bound.contains(variable)).collect()
            }
            Expr::Sum(a, b)
            | Expr::Difference(a, b)
            | Expr::Product(a, b)
            | Expr::Quotient(a, b) => [a.free(), b.free()].concat(),
        };
        let mut k = 0;
        while k < all.len() {
            if all[..k].contains(&all[k]) {
                all.remove(k);
            } else {
                k += 1;
            }
        }
        all
    }
}

/// Sums each top-level additive term over its variables that the left side does not have.
fn with_sums(expr: Expr, left: &[String]) -> Expr {
    let inside = |expr: Box<Expr>| Box::new(with_sums(*expr, left));
    match expr {
        Expr::Sum(a, b) => Expr::Sum(inside(a), inside(b)),
        Expr::Difference(a, b) => Expr::Difference(inside(a), inside(b)),
        Expr::Negative(a) => Expr::Negative(inside(a)),
        Expr::Number(_)
        | Expr::Access(_)
        | Expr::Product(..)
        | Expr::Quotient(..)
        | Expr::Total(..) => {
            let mut summed = expr.free();
            summed.retain(|variable| !left.contains(variable));
            if summed.is_empty() { expr } else { Expr::Total(summed, Box::new(expr)) }
        }
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

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tensor)?;
        if self.variables.is_empty() { Ok(()) } else { write!(f, "[{}]", self.variables.join(",")) }
    }
}

/// Fully parenthesized.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Number(number) => write!(f, "{number}"),
            Expr::Access(access) => write!(f, "{access}"),
            Expr::Negative(a) => write!(f, "-{a}"),
            Expr::Sum(a, b) => write!(f, "({a} + {b})"),
            Expr::Difference(a, b) => write!(f, "({a} - {b})"),
            Expr::Product(a, b) => write!(f, "({a} * {b})"),
            Expr::Quotient(a, b) => write!(f, "({a} / {b})"),
            Expr::Total(variables, a) => write!(f, "sum[{}]({a})", variables.join(",")),
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
