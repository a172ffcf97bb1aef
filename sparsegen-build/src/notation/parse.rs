//! Parsing a statement: recursive descent over the grammar of the language.
//!
//! AFTER [`parse`]: the statement follows the grammar, and its depth is bounded, so that later
//! traversals may recurse.

mod command;
mod index;
mod region;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use crate::error::{Code, Diagnostic, Name, Span};
use crate::limits::{DEPTH, NESTING};
use crate::manifest::tokens::{Token, Tokens};
use crate::manifest::{Manifest, Text};

pub(super) use region::region;

use super::functions::{self, CONSTANTS};
use super::reduction::ReduceOp;
use super::syntax::{Access, BinaryOp, Expr, ExprKind, Statement, UnaryOp};

/// The signs of the notation that are not operators.
const DELIMITERS: [&str; 10] = ["..", "=", "!", "(", ")", "[", "]", "{", "}", ","];

/// Returns the signs of the notation; a sign precedes its prefixes.
fn signs() -> Vec<&'static str> {
    let mut signs: Vec<_> = BinaryOp::signs().chain(DELIMITERS).collect();
    signs.sort_by_key(|sign| Reverse(sign.len()));
    signs
}

/// Parses the statements of a manifest's kernels, in order; `None` for a statement that is missing
/// or has errors.
pub fn parse(manifest: &Manifest) -> (Vec<Option<Statement>>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let statements = manifest
        .kernels
        .iter()
        .map(|kernel| {
            let mut report = |mistake: Diagnostic| diagnostics.push(mistake);
            let key = kernel.distribute.as_ref();
            let (schedule, distribute) = command::schedule(&kernel.schedule, key, &mut report);
            let statement = statement(kernel.statement.as_ref()?).map_err(report).ok()?;
            Some(Statement { schedule, distribute, ..statement })
        })
        .collect();
    (statements, diagnostics)
}

/// Parses a statement. Returns its first error, since further ones would be guesses.
pub(crate) fn statement(text: &Text) -> Result<Statement, Diagnostic> {
    let tokens = Tokens::of(text, &signs())?;
    if tokens.is_empty() {
        return Err(Diagnostic::new(Code::MissingStatement, text.span, "this statement is empty")
            .help("write one: expr = \"y[i] = A[i,j] * x[j]\""));
    }
    let mut parser = Parser { tokens, nesting: 0 };
    parser.statement()
}

struct Parser {
    tokens: Tokens,
    /// The number of open brackets.
    nesting: usize,
}

impl Parser {
    fn statement(&mut self) -> Result<Statement, Diagnostic> {
        let Token::Name(_) = self.tokens.peek() else {
            return Err(self.tokens.expected("the result, such as `y[i]`"));
        };
        let name = self.tokens.name("the result")?;
        if functions::reserved(&name.text).is_some() {
            return Err(reserved(&name));
        }
        let left = self.access(name)?;
        let assign_span = self.tokens.span();
        let update = match self.tokens.peek() {
            Token::Sign("=") => None,
            Token::Sign(sign) if let Some(op) = BinaryOp::of_update(sign) => Some(op),
            Token::Sign(_) | Token::Name(_) | Token::Number(_) | Token::End => {
                let help = match self.tokens.peek() {
                    Token::Sign("(") => "indices stand in brackets: y[i] = A[i,j] * x[j]",
                    _ => "a statement assigns to a result: y[i] = A[i,j] * x[j]",
                };
                return Err(self.tokens.expected("`=` after the result").help(help));
            }
        };
        self.tokens.advance();
        let right = self.expr()?;
        match self.tokens.peek() {
            Token::End => {}
            Token::Sign(sign) if *sign == "=" || BinaryOp::of_update(sign).is_some() => {
                return Err(Diagnostic::new(
                    Code::Malformed,
                    self.tokens.span(),
                    "a statement has only one assignment",
                )
                .help("values are compared by `==`; a second statement is a kernel of its own"));
            }
            Token::Name(_) | Token::Number(_) | Token::Sign("(") => {
                let help = match (self.tokens.peek(), &right.kind) {
                    (Token::Name(name), _) if matches!(&**name, "where" | "if") => {
                        "a condition is a factor: `A[i,j] * (i >= j)`"
                    }
                    (_, ExprKind::Access(access)) if access.name.text == "if" => {
                        "one of two values is written `select(condition, a, b)`"
                    }
                    _ => "a product is written with its sign: `a * b`",
                };
                return Err(self
                    .tokens
                    .expected("an operator or the end of the statement")
                    .help(help));
            }
            Token::Sign(_) => {
                return Err(self.tokens.expected("an operator or the end of the statement"));
            }
        }
        let span = left.span.to(right.span);
        let schedule = Vec::new();
        let (distribute, computed) = (None, Vec::new());
        Ok(Statement { left, update, assign_span, right, span, schedule, distribute, computed })
    }

    fn expr(&mut self) -> Result<Expr, Diagnostic> {
        self.binary(0)
    }

    /// Parses left-associative operators of at least this precedence.
    fn binary(&mut self, least: u8) -> Result<Expr, Diagnostic> {
        let mut left = self.unary()?;
        while let Some((op, precedence)) = self.operator()
            && precedence >= least
        {
            let place = self.tokens.span();
            self.tokens.advance();
            let right = self.binary(precedence + 1)?;
            if op.compares() && self.operator().is_some_and(|(next, _)| next.compares()) {
                return Err(Diagnostic::new(
                    Code::Malformed,
                    self.tokens.span(),
                    "comparisons do not chain",
                )
                .help("join two of them: `(a < b) & (b < c)`"));
            }
            let span = left.span.to(right.span);
            let depth = left.depth.max(right.depth) + 1;
            if depth > DEPTH {
                return Err(too_deep(place));
            }
            let kind = ExprKind::Binary(op, place, Box::new(left), Box::new(right));
            left = Expr { kind, span, depth };
        }
        Ok(left)
    }

    /// Returns the next token as an operator, with its precedence.
    fn operator(&self) -> Option<(BinaryOp, u8)> {
        if let Token::Sign(sign) = self.tokens.peek() { BinaryOp::of_sign(sign) } else { None }
    }

    fn unary(&mut self) -> Result<Expr, Diagnostic> {
        let mut signs = Vec::new();
        while let Token::Sign(sign) = self.tokens.peek()
            && let Some(op) = UnaryOp::of(sign)
        {
            signs.push((op, self.tokens.span()));
            self.tokens.advance();
        }
        let mut expr = self.primary()?;
        for (op, place) in signs.into_iter().rev() {
            let span = place.to(expr.span);
            let depth = expr.depth + 1;
            if depth > DEPTH {
                return Err(too_deep(place));
            }
            expr = Expr { kind: ExprKind::Unary(op, Box::new(expr)), span, depth };
        }
        Ok(expr)
    }

    fn primary(&mut self) -> Result<Expr, Diagnostic> {
        let start = self.tokens.span();
        let (kind, depth) = match self.tokens.peek().clone() {
            Token::Number(number) => {
                self.tokens.advance();
                (ExprKind::Number(number), 1)
            }
            Token::Name(_) => self.named()?,
            Token::Sign("(") => {
                self.open("(")?;
                let inner = self.expr()?;
                self.close(")", "an operator or `)`")?;
                (inner.kind, inner.depth)
            }
            Token::Sign(_) | Token::End => {
                return Err(self.tokens.expected("a tensor, a number or `(`"));
            }
        };
        let span = start.to(self.tokens.before());
        if depth > DEPTH {
            return Err(too_deep(span));
        }
        Ok(Expr { kind, span, depth })
    }

    /// Parses an expression that begins with a name: a constant, an access, a call or a reduction.
    fn named(&mut self) -> Result<(ExprKind, usize), Diagnostic> {
        let name = self.tokens.name("a tensor")?;
        if let Some((_, constant)) = CONSTANTS.into_iter().find(|(known, _)| *known == name.text) {
            return Ok((ExprKind::Constant(constant), 1));
        }
        match self.tokens.peek() {
            Token::Sign("[") if ReduceOp::of(&name.text).is_some() => self.reduction(name),
            Token::Sign("(")
                if functions::arguments(&name.text).is_none()
                    && ReduceOp::of(&name.text).is_some() =>
            {
                Err(Diagnostic::new(
                    Code::MissingVariables,
                    name.span,
                    format!("`{}` needs its variables", name.text),
                )
                .label("over which variables?")
                .help(format!("write, for example, `{}[j](…)`", name.text)))
            }
            Token::Sign("(") => self.call(name),
            Token::Sign(_) | Token::Name(_) | Token::Number(_) | Token::End => {
                if functions::reserved(&name.text).is_some() {
                    return Err(reserved(&name));
                }
                Ok((ExprKind::Access(self.access(name)?), 1))
            }
        }
    }

    fn call(&mut self, name: Name) -> Result<(ExprKind, usize), Diagnostic> {
        self.open("(")?;
        let mut arguments = vec![self.expr()?];
        while self.tokens.eat(",") {
            arguments.push(self.expr()?);
        }
        self.close(")", "an operator, `,` or `)`")?;
        let depth = arguments.iter().map(|argument| argument.depth).max().unwrap_or(0) + 1;
        Ok((ExprKind::Call(name, arguments), depth))
    }

    fn reduction(&mut self, name: Name) -> Result<(ExprKind, usize), Diagnostic> {
        self.open("[")?;
        let mut variables = vec![self.variable()?];
        while self.tokens.eat(",") {
            variables.push(self.variable()?);
        }
        self.close("]", "`,` or `]`")?;
        if !self.tokens.at("(") {
            return Err(self.tokens.expected(&format!("`(` after `{}[…]`", name.text)).help(
                format!("the operand of a reduction is in parentheses: `{}[j](…)`", name.text),
            ));
        }
        self.open("(")?;
        let body = self.expr()?;
        self.close(")", "an operator or `)`")?;
        let depth = body.depth + 1;
        Ok((ExprKind::Reduce(name, variables, Box::new(body)), depth))
    }

    /// Parses the brackets after a tensor's name, if there are any.
    fn access(&mut self, name: Name) -> Result<Access, Diagnostic> {
        let mut indices = Vec::new();
        if self.tokens.at("[") {
            self.open("[")?;
            if self.tokens.at("]") {
                return Err(Diagnostic::new(
                    Code::Malformed,
                    name.span.to(self.tokens.span()),
                    "there is no index here",
                )
                .help(format!("a scalar is written without brackets: `{}`", name.text)));
            }
            indices.push(self.index()?);
            while self.tokens.eat(",") {
                indices.push(self.index()?);
            }
            self.close("]", "`,` or `]`")?;
            if self.tokens.at("[") {
                return Err(Diagnostic::new(
                    Code::Malformed,
                    self.tokens.span(),
                    "an access has one pair of brackets",
                )
                .help(format!("separate the indices by commas: `{}[i,j]`", name.text)));
            }
            if self.tokens.at("(")
                && let Some(here) = functions::elsewhere(&name.text)
            {
                return Err(Diagnostic::new(
                    Code::UnknownFunction,
                    name.span,
                    format!("there is no reduction `{}`", name.text),
                )
                .help(format!("write `{here}`")));
            }
        }
        let span = name.span.to(self.tokens.before());
        Ok(Access { name, indices, span })
    }

    /// Parses the name of a variable.
    fn variable(&mut self) -> Result<Name, Diagnostic> {
        let name = self.tokens.name("an index variable")?;
        if functions::reserved(&name.text).is_some() {
            return Err(reserved(&name));
        }
        Ok(name)
    }

    /// Consumes an opening bracket, which must be the next token.
    fn open(&mut self, sign: &str) -> Result<(), Diagnostic> {
        if self.nesting == NESTING {
            return Err(too_deep(self.tokens.span()));
        }
        if !self.tokens.eat(sign) {
            return Err(self.tokens.expected(&format!("`{sign}`")));
        }
        self.nesting += 1;
        Ok(())
    }

    /// Consumes a closing bracket.
    fn close(&mut self, sign: &str, expected: &str) -> Result<(), Diagnostic> {
        if !self.tokens.eat(sign) {
            return Err(self.tokens.expected(expected));
        }
        self.nesting = self.nesting.saturating_sub(1);
        Ok(())
    }
}

fn reserved(name: &Name) -> Diagnostic {
    let kind = functions::reserved(&name.text).unwrap_or("a keyword of the language");
    let diagnostic =
        Diagnostic::new(Code::ReservedName, name.span, format!("`{}` is {kind}", name.text))
            .label("this name is reserved");
    match functions::arguments(&name.text) {
        Some(_) => diagnostic.help(format!("call it, `{}(…)`, or choose another name", name.text)),
        None => diagnostic.help("choose another name"),
    }
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new(Code::TooDeep, span, "this expression is nested too deeply")
        .note(format!("at most {NESTING} brackets and {DEPTH} operations may be nested"))
        .help("compute a part of it in a kernel of its own")
}
