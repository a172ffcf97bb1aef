//! Parsing the indices of an access.

use crate::error::{Diagnostic, Name};
use crate::manifest::tokens::{Number, Token};
use crate::notation::syntax::{Bound, Index, IndexKind, Set, Slice, Term};

use super::Parser;

impl Parser {
    pub(super) fn index(&mut self) -> Result<Index, Diagnostic> {
        let start = self.tokens.span();
        let kind = self.index_kind()?;
        Ok(Index { kind, span: start.to(self.tokens.before()) })
    }

    fn index_kind(&mut self) -> Result<IndexKind, Diagnostic> {
        if let Token::Name(_) = self.tokens.peek() {
            let name = self.variable()?;
            match self.tokens.peek() {
                Token::Name(word) if word == "in" => {
                    self.tokens.advance();
                    return self.part(name);
                }
                Token::Sign("[") => return Ok(IndexKind::Gather(self.access(name)?)),
                Token::Sign("+" | "-") => {
                    return {
                        self.affine(Term { negative: false, factor: 1, variable: Some(name) })
                    };
                }
                Token::Sign("*") => {
                    let mistake = self.tokens.expected("`,` or `]`");
                    self.tokens.advance();
                    return Err(if let Token::Number(_) = self.tokens.peek() {
                        mistake.help(format!("a factor comes first in an index: `2*{}`", name.text))
                    } else {
                        mistake.help(format!("close the bracket after `{}`", name.text))
                    });
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
        if first.variable.is_none() && !negative && !self.at_sign_of_sum() {
            return Ok(IndexKind::Fixed(first.factor));
        }
        self.affine(first)
    }

    fn at_sign_of_sum(&self) -> bool {
        self.tokens.at("+") || self.tokens.at("-")
    }

    /// Parses the rest of an affine index, after its first term.
    fn affine(&mut self, first: Term) -> Result<IndexKind, Diagnostic> {
        let mut terms = vec![first];
        while self.at_sign_of_sum() {
            let negative = self.tokens.at("-");
            self.tokens.advance();
            terms.push(self.term(negative)?);
        }
        Ok(IndexKind::Affine(terms))
    }

    /// Parses `k`, `3` or `2*k`.
    fn term(&mut self, negative: bool) -> Result<Term, Diagnostic> {
        let mut factor = 1;
        if matches!(self.tokens.peek(), Token::Number(_)) {
            factor = self.integer()?;
            if !self.tokens.eat("*") {
                return Ok(Term { negative, factor, variable: None });
            }
        }
        Ok(Term { negative, factor, variable: Some(self.variable()?) })
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
            Token::Number(Number::Float(_)) => {
                Err(Diagnostic::new(self.tokens.span(), "a coordinate is a whole number"))
            }
            Token::Name(_) | Token::Sign(_) | Token::End => Err(self.tokens.expected("a number")),
        }
    }
}
