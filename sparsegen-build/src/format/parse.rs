//! Parsing a map: `(i, j) -> (i : dense, j : compressed)`.
//!
//! AFTER [`parse`]: every level exists and has properties that it supports, every dimension can be
//! recovered from the levels, and no level is redundant.

mod check;

use std::sync::Arc;

use crate::coordinate::{Affine, Coordinate};
use crate::error::{Code, Diagnostic, Name, Span, quoted};
use crate::level::{Level, Levels, Property, contradictions};
use crate::manifest::Text;
use crate::manifest::tokens::{Number, Token, Tokens};
use crate::types::Literal;

use super::builtin::EXAMPLE_MAP;
use super::invert;
use super::{Format, LevelExpr, LevelSpec};
use check::{check_blocks, check_implied, check_nesting, check_places, check_signs};

/// The largest number of levels of a tensor in the runtime crate.
pub(crate) const MOST_LEVELS: usize = 12;

/// The deepest nesting of parentheses in a level expression.
const NESTING: usize = 16;

/// The operators and delimiters of maps.
const SIGNS: [&str; 10] = ["->", "(", ")", ",", ":", "/", "%", "#", "-", "+"];

/// Parses a map into a format without a name.
pub(super) fn parse(text: &Text, levels: &Levels) -> Result<Format, Vec<Diagnostic>> {
    let tokens = Tokens::of(text, &SIGNS).map_err(|mistake| vec![mistake])?;
    let mut parser = Parser {
        tokens,
        levels,
        dimensions: Vec::new(),
        diagnostics: Vec::new(),
        spans: Vec::new(),
        nesting: 0,
    };
    let specs = parser.map().map_err(|mistake| vec![mistake])?;
    let Parser { dimensions, mut diagnostics, spans, .. } = parser;
    let (Some(mut specs), true) = (specs, diagnostics.is_empty()) else { return Err(diagnostics) };
    invert::pair(specs.iter_mut().map(|spec| &mut spec.expr).collect());

    let exprs: Vec<_> = specs.iter().map(|spec| &spec.expr).collect();
    let dimensions: Vec<_> = dimensions.into_iter().map(|name| name.text).collect();
    diagnostics.extend(invert::check(&exprs, &spans, &dimensions, text.inner()));
    diagnostics.extend(check_nesting(&specs, &spans));
    diagnostics.extend(check_signs(&specs, &spans));
    diagnostics.extend(check_implied(&specs, &spans));
    diagnostics.extend(check_blocks(&specs, &spans));
    diagnostics.extend(check_places(&specs, &spans));
    if specs.len() > MOST_LEVELS {
        diagnostics.push(
            Diagnostic::new(
                Code::TooLarge,
                spans[MOST_LEVELS],
                format!("a map has at most {MOST_LEVELS} levels"),
            )
            .label(format!("this is level {}", MOST_LEVELS + 1)),
        );
    }
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    Ok(Format {
        name: None,
        dimensions,
        levels: specs,
        builtin: None,
        fill: Literal::Int(0),
        counts_first: false,
    })
}

struct Parser<'t> {
    tokens: Tokens,
    levels: &'t Levels,
    dimensions: Vec<Name>,
    /// Errors after which parsing continues.
    diagnostics: Vec<Diagnostic>,
    /// The span of each level.
    spans: Vec<Span>,
    /// The number of open parentheses in a level expression.
    nesting: usize,
}

impl Parser<'_> {
    /// Parses the whole map; returns `None` if a level has errors.
    fn map(&mut self) -> Result<Option<Vec<LevelSpec>>, Diagnostic> {
        self.sign("(", &format!("a map such as `{EXAMPLE_MAP}`"))?;
        loop {
            let name = self.tokens.name("the name of a dimension")?;
            if self.dimensions.iter().any(|known| known.text == name.text) {
                let message = format!("the dimension `{}` is listed twice", name.text);
                self.diagnostics.push(Diagnostic::new(Code::UnknownDimension, name.span, message));
            }
            self.dimensions.push(name);
            if !self.tokens.eat(",") {
                break;
            }
        }
        self.sign(")", "`,` or `)`")?;
        self.sign("->", "`->` and the levels")?;
        self.sign("(", "`(` and the levels")?;
        let mut specs = Some(Vec::new());
        loop {
            match self.level()? {
                Some(spec) => specs.iter_mut().for_each(|specs| specs.push(spec.clone())),
                None => specs = None,
            }
            if !self.tokens.eat(",") {
                break;
            }
        }
        self.sign(")", "`,` or `)`")?;
        match self.tokens.peek() {
            Token::End => Ok(specs),
            Token::Name(_) | Token::Number(_) | Token::Sign(_) => {
                Err(self.tokens.expected("the end of the map"))
            }
        }
    }

    fn level(&mut self) -> Result<Option<LevelSpec>, Diagnostic> {
        let start = self.tokens.span();
        let expr = self.expr()?;
        let place = start.to(self.tokens.before());
        self.sign(":", "`:` and the kind of level")?;
        let name = self.tokens.name("the kind of level")?;
        let mut level = self.levels.find(&name.text);
        if level.is_none() {
            self.diagnostics.push(unknown_level(&name, self.levels));
        }
        let mut properties = level.as_ref().map(|level| level.properties());
        if self.tokens.eat("(") {
            let (mut set, mut numbers) = (Vec::new(), Vec::new());
            loop {
                self.option(level.as_ref(), &mut set, &mut numbers)?;
                if !self.tokens.eat(",") {
                    break;
                }
            }
            self.sign(")", "`,` or `)`")?;
            for property in set {
                properties = properties.map(|properties| properties.with(property));
            }
            level = self.numbered(&name, level, &numbers);
        } else {
            level = self.numbered(&name, level, &[]);
        }
        self.spans.push(match expr {
            Some(LevelExpr::Dimension(_)) => start.to(self.tokens.before()),
            Some(_) | None => place,
        });
        Ok(match (expr, level, properties) {
            (Some(expr), Some(level), Some(properties)) => {
                Some(LevelSpec { properties, ..LevelSpec::new(expr, level) })
            }
            (_, _, _) => None,
        })
    }

    /// Returns the level with the numbers of the map.
    fn numbered(
        &mut self,
        name: &Name,
        level: Option<Arc<dyn Level>>,
        numbers: &[(u64, Span)],
    ) -> Option<Arc<dyn Level>> {
        let level = level?;
        let wanted = level.parameters();
        if numbers.is_empty() && wanted.is_empty() {
            return Some(level);
        }
        let given: Vec<u64> = numbers.iter().map(|(number, _)| *number).collect();
        let numbered = level.with_numbers(&given);
        let span = match (numbers.first(), numbers.last()) {
            (Some((_, first)), Some((_, last))) => first.to(*last),
            (None, _) | (_, None) => name.span,
        };
        if let Some(numbered) = numbered {
            let wrong = contradictions(numbered.as_ref());
            if wrong.is_empty() {
                return Some(numbered);
            }
            let message = format!("a `{}` level does not support these numbers", name.text);
            let mistake = Diagnostic::new(Code::LevelNumbers, span, message);
            let mistake = wrong.into_iter().fold(mistake, Diagnostic::note);
            self.diagnostics.push(mistake);
            return None;
        }
        self.diagnostics.push(if wanted.is_empty() {
            Diagnostic::new(
                Code::LevelNumbers,
                span,
                format!("a `{}` level takes no number", name.text),
            )
        } else {
            let help = format!("write `{}({})`", name.text, wanted.join(", "));
            Diagnostic::new(
                Code::LevelNumbers,
                span,
                format!("a `{}` level does not support these numbers", name.text),
            )
            .help(help)
        });
        None
    }

    /// Parses a number or a property.
    fn option(
        &mut self,
        level: Option<&Arc<dyn Level>>,
        set: &mut Vec<Property>,
        numbers: &mut Vec<(u64, Span)>,
    ) -> Result<(), Diagnostic> {
        if let Token::Number(Number::Int(number)) = self.tokens.peek() {
            numbers.push((u64::try_from(*number).unwrap_or(0), self.tokens.span()));
            self.tokens.advance();
            return Ok(());
        }
        let name = self.tokens.name("a property, such as `nonunique`, or a number")?;
        let Some(property) = Property::ALL.into_iter().find(|known| known.name() == name.text)
        else {
            self.diagnostics.push(unknown_property(&name));
            return Ok(());
        };
        if let Some(level) = level.filter(|level| !level.settable().contains(&property)) {
            let settable: Vec<_> = level.settable().iter().map(|known| known.name()).collect();
            let mistake = Diagnostic::new(
                Code::LevelProperty,
                name.span,
                format!("a `{}` level cannot be `{}`", level.name(), name.text),
            );
            self.diagnostics.push(if settable.is_empty() {
                mistake.note("it supports no properties")
            } else {
                mistake.note(format!("it supports {}", quoted(&settable)))
            });
        }
        if set.contains(&property) {
            self.diagnostics.push(
                Diagnostic::new(
                    Code::LevelProperty,
                    name.span,
                    format!("`{}` is declared twice", name.text),
                )
                .help("remove one of the two"),
            );
        } else if let Some(opposite) = set.iter().find(|set| set.contradicts(property)) {
            let message =
                format!("a level cannot be both `{}` and `{}`", opposite.name(), name.text);
            self.diagnostics.push(
                Diagnostic::new(Code::LevelProperty, name.span, message)
                    .help("remove one of the two"),
            );
        }
        set.push(property);
        Ok(())
    }

    /// Parses a level expression; returns `None` if it names an unknown dimension.
    fn expr(&mut self) -> Result<Option<LevelExpr>, Diagnostic> {
        if self.tokens.eat("#") {
            return Ok(self.dimension()?.map(LevelExpr::Count));
        }
        let mut expr = if self.tokens.eat("(") {
            self.nesting += 1;
            if self.nesting > NESTING {
                return Err(Diagnostic::new(
                    Code::TooDeep,
                    self.tokens.before(),
                    "this is nested too deeply",
                ));
            }
            let inner = self.expr()?;
            self.sign(")", "an operator or `)`")?;
            self.nesting -= 1;
            inner
        } else {
            let first = self.dimension()?.map(LevelExpr::Dimension);
            if self.tokens.eat("-") {
                self.sum(first, -1)?
            } else if self.tokens.eat("+") {
                self.sum(first, 1)?
            } else {
                first
            }
        };
        if self.tokens.eat("/") || self.tokens.word("floordiv") {
            let divisor = self.divisor()?;
            expr = expr.map(|expr| Coordinate::Div(expr, divisor).into());
        } else if self.tokens.eat("%") || self.tokens.word("mod") {
            let divisor = self.divisor()?;
            expr = expr.map(|expr| Coordinate::Mod(expr, divisor).into());
        }
        Ok(expr)
    }

    /// Parses the second dimension of a sum, with the factor `times`.
    fn sum(
        &mut self,
        first: Option<LevelExpr>,
        times: i64,
    ) -> Result<Option<LevelExpr>, Diagnostic> {
        let span = self.tokens.span();
        let second = self.dimension()?.map(LevelExpr::Dimension);
        let (Some(first), Some(second)) = (first, second) else { return Ok(None) };
        if first == second {
            let mistake =
                Diagnostic::new(Code::UnknownDimension, span, "the two dimensions are the same");
            self.diagnostics.push(mistake.help("write two different dimensions"));
            return Ok(None);
        }
        let sum = Affine::variable(first).plus(&Affine::term(times, second));
        Ok(sum.map(|sum| Coordinate::Affine(sum).into()))
    }

    fn dimension(&mut self) -> Result<Option<usize>, Diagnostic> {
        let name = self.tokens.name("a dimension")?;
        let found = self.dimensions.iter().position(|known| known.text == name.text);
        if found.is_none() {
            let known = self.dimensions.iter().map(|known| known.text.as_str());
            let message = format!("`{}` is not a dimension of this map", name.text);
            self.diagnostics.push(
                Diagnostic::new(Code::UnknownDimension, name.span, message).suggest(
                    &name.text,
                    known,
                    "its dimensions",
                ),
            );
        }
        Ok(found)
    }

    fn divisor(&mut self) -> Result<u64, Diagnostic> {
        let divisor = match self.tokens.peek() {
            Token::Number(Number::Int(number)) => u64::try_from(*number).unwrap_or(0),
            Token::Number(Number::Float(_)) | Token::Name(_) | Token::Sign(_) | Token::End => {
                return Err(self.tokens.expected("a block's size"));
            }
        };
        if divisor == 0 {
            let mistake = Diagnostic::new(
                Code::UnknownDimension,
                self.tokens.span(),
                "a block cannot have the size 0",
            );
            self.diagnostics.push(mistake);
        }
        self.tokens.advance();
        Ok(divisor.max(1))
    }

    fn sign(&mut self, sign: &str, expected: &str) -> Result<(), Diagnostic> {
        if self.tokens.eat(sign) { Ok(()) } else { Err(self.tokens.expected(expected)) }
    }
}

fn unknown_level(name: &Name, levels: &Levels) -> Diagnostic {
    let message = format!("there is no level `{}`", name.text);
    Diagnostic::new(Code::UnknownLevel, name.span, message).suggest(
        &name.text,
        levels.names(),
        "the levels",
    )
}

fn unknown_property(name: &Name) -> Diagnostic {
    let diagnostic = Diagnostic::new(
        Code::LevelProperty,
        name.span,
        format!("there is no property `{}`", name.text),
    );
    let known = Property::ALL.iter().map(|known| known.name());
    match name.text.as_str() {
        "ordered" | "unique" => {
            diagnostic.help(format!("omit it: a level is {} by default", name.text))
        }
        unknown => diagnostic.suggest(unknown, known, "the properties"),
    }
}
