//! What stands between the brackets of an access.

use crate::error::{Diagnostic, Name};
use crate::manifest::tokens::{Number, Token};
use crate::notation::functions;
use crate::notation::syntax::{Index, IndexKind};

use super::{Parser, reserved};

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
                Token::Sign("+" | "-") => return self.affine(vec![name]),
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
        let mut names = Vec::new();
        let fixed = !self.term(&mut names)? && !negative;
        if fixed && !matches!(self.tokens.peek(), Token::Sign("+" | "-")) {
            return Ok(IndexKind::Fixed);
        }
        self.affine(names)
    }

    /// The rest of an affine index, whose first term was read.
    fn affine(&mut self, mut names: Vec<Name>) -> Result<IndexKind, Diagnostic> {
        while self.tokens.eat("+") || self.tokens.eat("-") {
            self.term(&mut names)?;
        }
        Ok(IndexKind::Affine(names))
    }

    /// `k`, `3` or `2*k`; says whether there was a name in it.
    fn term(&mut self, names: &mut Vec<Name>) -> Result<bool, Diagnostic> {
        if matches!(self.tokens.peek(), Token::Number(_)) {
            self.integer()?;
            if !self.tokens.eat("*") {
                return Ok(false);
            }
        }
        names.push(self.variable()?);
        Ok(true)
    }

    /// A slice or an index set, after `i in`.
    fn part(&mut self, variable: Name) -> Result<IndexKind, Diagnostic> {
        if self.tokens.at("{") {
            self.open("{")?;
            self.integer()?;
            while self.tokens.eat(",") {
                self.integer()?;
            }
            self.close("}", "`,` or `}`")?;
            return Ok(IndexKind::Set(variable, None));
        }
        let mut names = Vec::new();
        let first = self.bound(&mut names)?;
        if !self.tokens.eat("..") {
            return match first {
                Some(name) => Ok(IndexKind::Set(variable, Some(name))),
                None => Err(self.tokens.expected("`..` and where the slice ends")),
            };
        }
        self.bound(&mut names)?;
        if self.tokens.word("step") {
            self.integer()?;
        }
        if self.tokens.word("shift") {
            self.tokens.eat("-");
            self.integer()?;
        }
        Ok(IndexKind::Slice(variable, names))
    }

    /// Where a slice begins or ends: a number or a parameter, whose name is returned.
    fn bound(&mut self, names: &mut Vec<Name>) -> Result<Option<Name>, Diagnostic> {
        let Token::Name(text) = self.tokens.peek() else {
            self.integer()?;
            return Ok(None);
        };
        let name = Name { text: text.clone(), span: self.tokens.span() };
        if functions::reserved(&name.text).is_some() {
            return Err(reserved(&name));
        }
        self.tokens.advance();
        names.push(name.clone());
        Ok(Some(name))
    }

    fn integer(&mut self) -> Result<(), Diagnostic> {
        match self.tokens.peek() {
            Token::Number(Number::Int(_)) => {
                self.tokens.advance();
                Ok(())
            }
            Token::Number(Number::Float(_)) => {
                Err(Diagnostic::new(self.tokens.span(), "a coordinate is a whole number"))
            }
            Token::Name(_) | Token::Sign(_) | Token::End => Err(self.tokens.expected("a number")),
        }
    }
}
