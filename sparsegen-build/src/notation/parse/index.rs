//! Parsing the indices of an access.

use crate::coordinate::Affine;
use crate::error::{Code, Diagnostic, Name, Span};
use crate::manifest::tokens::{Number, Token};
use crate::notation::syntax::{
    BinaryOp, Bound, Expr, ExprKind, Index, IndexKind, Set, Slice, UnaryOp,
};

use super::Parser;

impl Parser {
    pub(super) fn index(&mut self) -> Result<Index, Diagnostic> {
        let start = self.tokens.span();
        let kind = self.any_index(start)?;
        Ok(Index { kind, span: start.to(self.tokens.before()) })
    }

    fn any_index(&mut self, start: Span) -> Result<IndexKind, Diagnostic> {
        let is_name = matches!(self.tokens.peek(), Token::Name(_));
        let is_call = is_name && (self.tokens.precedes("[") || self.tokens.precedes("("));
        if is_call || self.tokens.at("(") {
            return self.expr().map(of_expression);
        }
        // No other form contains brackets, so that none of their contents is parsed twice.
        let begin = self.tokens.position();
        let plain = self.index_kind(start);
        let end = self.tokens.position();
        match plain {
            Ok(kind) if self.at_end_of_index() => return Ok(kind),
            Err(mistake) if mistake.code == Code::InvalidNumber => return Err(mistake),
            Ok(_) | Err(_) => self.tokens.rewind(begin),
        }
        match self.expr() {
            Ok(expr) if reads(&expr) && self.at_end_of_index() => Ok(of_expression(expr)),
            // Of two mistakes, the later one is of the form that was meant.
            Err(mistake) if self.tokens.position() > end => Err(mistake),
            Ok(_) | Err(_) => {
                self.tokens.rewind(end);
                plain
            }
        }
    }

    fn at_end_of_index(&self) -> bool {
        self.tokens.at(",") || self.tokens.at("]")
    }

    fn index_kind(&mut self, start: Span) -> Result<IndexKind, Diagnostic> {
        if let Token::Name(_) = self.tokens.peek() {
            let name = self.variable()?;
            match self.tokens.peek() {
                Token::Name(word) if word == "in" => {
                    self.tokens.advance();
                    return self.part(name);
                }
                Token::Sign("+" | "-") => return self.affine(start, Affine::variable(name)),
                Token::Sign("*") => {
                    let help = format!("close the bracket after `{}`", name.text);
                    return Err(self.tokens.expected("`,` or `]`").help(help));
                }
                Token::Sign(_) | Token::Name(_) | Token::Number(_) | Token::End => {
                    return Ok(IndexKind::Name(name));
                }
            }
        }
        let negative = self.tokens.eat("-");
        if !negative && !matches!(self.tokens.peek(), Token::Number(_)) {
            return Err(self.tokens.expected("an index variable"));
        }
        let first = self.term(negative)?;
        match first.as_constant() {
            Some(fixed) if !negative && !self.at_sign_of_sum() => Ok(IndexKind::Fixed(fixed)),
            Some(_) | None => self.affine(start, first),
        }
    }

    fn at_sign_of_sum(&self) -> bool {
        self.tokens.at("+") || self.tokens.at("-")
    }

    /// Parses the rest of an affine index, after its first term.
    fn affine(&mut self, start: Span, first: Affine<Name>) -> Result<IndexKind, Diagnostic> {
        let mut sum = Some(first);
        while self.at_sign_of_sum() {
            let negative = self.tokens.at("-");
            self.tokens.advance();
            let term = self.term(negative)?;
            sum = sum.and_then(|sum| sum.plus(&term));
        }
        // The terms of one variable have different places here, and are combined later.
        let combined =
            |sum: &Affine<Name>| sum.substitute(|of| Some(Affine::variable(of.text.clone())));
        sum.filter(|sum| combined(sum).is_some()).map(IndexKind::Affine).ok_or_else(|| {
            Diagnostic::new(
                Code::InvalidNumber,
                start.to(self.tokens.before()),
                "a number in this sum is too large",
            )
        })
    }

    /// Parses `k`, `3` or `2*k`.
    fn term(&mut self, negative: bool) -> Result<Affine<Name>, Diagnostic> {
        let sign = if negative { -1 } else { 1 };
        let mut factor = sign;
        if matches!(self.tokens.peek(), Token::Number(_)) {
            factor = sign * self.integer()?;
            if !self.tokens.eat("*") {
                return Ok(Affine::constant(factor));
            }
        }
        Ok(Affine::term(factor, self.variable()?))
    }

    /// Parses a slice or an index set, after `i in`.
    fn part(&mut self, variable: Name) -> Result<IndexKind, Diagnostic> {
        if self.tokens.at("{") {
            self.open("{")?;
            let mut listed = vec![self.integer()?];
            while self.tokens.eat(",") {
                listed.push(self.integer()?);
            }
            self.close("}", "`,` or `}`")?;
            return Ok(IndexKind::Set(variable, Set::Listed(listed)));
        }
        let start = self.bound()?;
        if !self.tokens.eat("..") {
            return match start {
                Bound::Parameter(name) => Ok(IndexKind::Set(variable, Set::Parameter(name))),
                Bound::Number(_) => Err(self.tokens.expected("`..` and where the slice ends")),
            };
        }
        let end = self.bound()?;
        let step = if self.tokens.word("step") { Some(self.integer()?) } else { None };
        let shift = if self.tokens.word("shift") {
            let negative = self.tokens.eat("-");
            let shift = self.integer()?;
            Some(if negative { -shift } else { shift })
        } else {
            None
        };
        Ok(IndexKind::Slice(Slice { variable, start, end, step, shift }))
    }

    /// Parses the begin or the end of a slice.
    fn bound(&mut self) -> Result<Bound, Diagnostic> {
        match self.tokens.peek() {
            Token::Name(_) => Ok(Bound::Parameter(self.variable()?)),
            Token::Number(_) | Token::Sign(_) | Token::End => Ok(Bound::Number(self.integer()?)),
        }
    }

    fn integer(&mut self) -> Result<i64, Diagnostic> {
        match *self.tokens.peek() {
            Token::Number(Number::Int(number)) => {
                self.tokens.advance();
                Ok(number)
            }
            Token::Number(Number::Float(_)) => Err(Diagnostic::new(
                Code::InvalidNumber,
                self.tokens.span(),
                "a coordinate is a whole number",
            )),
            Token::Name(_) | Token::Sign(_) | Token::End => Err(self.tokens.expected("a number")),
        }
    }
}

/// Returns whether an expression reads a variable, a parameter or a tensor.
fn reads(expr: &Expr) -> bool {
    let mut reads = false;
    expr.for_each_access(&mut |_| reads = true);
    reads
}

/// Returns an index that is an expression.
fn of_expression(expr: Expr) -> IndexKind {
    match (affine(&expr), expr.kind) {
        (Some(sum), _) => IndexKind::Affine(sum),
        (None, ExprKind::Access(access)) => IndexKind::Gather(access),
        (None, kind) => IndexKind::Computed(Box::new(Expr { kind, ..expr })),
    }
}

/// Returns an expression as an affine function of names, if it is one.
fn affine(expr: &Expr) -> Option<Affine<Name>> {
    match &expr.kind {
        ExprKind::Number(Number::Int(number)) => Some(Affine::constant(*number)),
        ExprKind::Access(access) if access.indices.is_empty() => {
            Some(Affine::variable(access.name.clone()))
        }
        ExprKind::Unary(UnaryOp::Neg, a) => affine(a)?.times(-1),
        ExprKind::Binary(BinaryOp::Add, _, a, b) => affine(a)?.plus(&affine(b)?),
        ExprKind::Binary(BinaryOp::Sub, _, a, b) => affine(a)?.minus(&affine(b)?),
        ExprKind::Binary(BinaryOp::Mul, _, a, b) => {
            let (a, b) = (affine(a)?, affine(b)?);
            match (a.as_constant(), b.as_constant()) {
                (Some(factor), _) => b.times(factor),
                (None, Some(factor)) => a.times(factor),
                (None, None) => None,
            }
        }
        _ => None,
    }
}
