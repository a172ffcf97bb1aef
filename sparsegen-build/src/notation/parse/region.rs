//! Parsing regions of user functions: `(a & b) | (a & !c)`, over the names of the arguments.

use crate::error::{Code, Diagnostic, Name};
use crate::manifest::Text;
use crate::manifest::tokens::{Token, Tokens};
use crate::notation::Region;

use super::Parser;

/// The operators and delimiters of regions.
const SIGNS: [&str; 5] = ["&", "|", "!", "(", ")"];

/// Parses a region. Returns its first error.
pub(in crate::notation) fn region(text: &Text, arguments: &[Name]) -> Result<Region, Diagnostic> {
    let tokens = Tokens::of(text, &SIGNS)?;
    if tokens.is_empty() {
        return Err(Diagnostic::new(Code::UnexpectedToken, text.span, "this region is empty")
            .help("the region of all coordinates is `all`"));
    }
    let mut parser = Parser { tokens, nesting: 0 };
    let region = parser.union(arguments)?;
    match parser.tokens.peek() {
        Token::End => Ok(region),
        Token::Name(_) | Token::Number(_) | Token::Sign(_) => {
            Err(parser.tokens.expected("`&`, `|` or the end of the region"))
        }
    }
}

impl Parser {
    fn union(&mut self, arguments: &[Name]) -> Result<Region, Diagnostic> {
        let mut parts = vec![self.intersection(arguments)?];
        while self.tokens.eat("|") {
            parts.push(self.intersection(arguments)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Region::Or(parts) })
    }

    fn intersection(&mut self, arguments: &[Name]) -> Result<Region, Diagnostic> {
        let mut parts = vec![self.complement(arguments)?];
        while self.tokens.eat("&") {
            parts.push(self.complement(arguments)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Region::And(parts) })
    }

    fn complement(&mut self, arguments: &[Name]) -> Result<Region, Diagnostic> {
        let mut is_turned = false;
        while self.tokens.eat("!") {
            is_turned = !is_turned;
        }
        let region = if self.tokens.at("(") {
            self.open("(")?;
            let region = self.union(arguments)?;
            self.close(")", "`&`, `|` or `)`")?;
            region
        } else {
            let name = self.tokens.name("an argument, `all`, `!` or `(`")?;
            match arguments.iter().position(|argument| argument.text == name.text) {
                Some(k) => Region::Argument(k),
                None if name.text == "all" => Region::All,
                None => return Err(unknown(&name, arguments)),
            }
        };
        Ok(if is_turned { Region::Not(Box::new(region)) } else { region })
    }
}

fn unknown(name: &Name, arguments: &[Name]) -> Diagnostic {
    let known = arguments.iter().map(|argument| argument.text.as_str()).chain(["all"]);
    Diagnostic::new(
        Code::InvalidFunction,
        name.span,
        format!("the function has no argument `{}`", name.text),
    )
    .suggest(&name.text, known, "the regions")
}
