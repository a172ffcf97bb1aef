//! Parsing the commands of a schedule: a name, and arguments in parentheses.
//!
//! `distribute(i)` changes no loops, and has the meaning of the key `distribute`: the statement records
//! it apart from the other commands.

use crate::error::{Code, Diagnostic, Name, Span};
use crate::manifest::Text;
use crate::manifest::tokens::{Number, Token, Tokens};
use crate::notation::functions;
use crate::notation::schedule::{Accumulator, Action, Strategy};
use crate::notation::syntax::{Command, Expr};

use super::{Parser, signs};

/// The commands, each with an example.
const COMMANDS: [(&str, &str); 11] = [
    ("reorder", "reorder(i, k, j)"),
    ("split", "split(i, io, ii, 64)"),
    ("divide", "divide(i, io, ii, 8)"),
    ("fuse", "fuse(i, j, f)"),
    ("pos", "pos(j, jp, A)"),
    ("unroll", "unroll(j, 4)"),
    ("parallelize", "parallelize(i)"),
    ("precompute", "precompute(A[i,k] * B[k,j], j, w)"),
    ("merge", "merge(j, gallop)"),
    ("locate", "locate(j, A)"),
    ("distribute", "distribute(i)"),
];

/// The largest number of unrolled iterations.
const UNROLLED: i64 = 64;

/// A parsed command.
enum Parsed {
    /// A command for the loops.
    Loops(Action<Name, Name, Expr>),
    /// `distribute(i)`.
    Distribute(Name),
}

/// Parses a schedule, given the variable of the key `distribute`. Returns the commands for the loops,
/// `None` for one with errors, and the variable whose coordinates are divided among ranks.
pub(super) fn schedule(
    texts: &[Text],
    key: Option<&Name>,
    report: &mut impl FnMut(Diagnostic),
) -> (Vec<Option<Command>>, Option<Name>) {
    let mut commands = Vec::new();
    let (mut distribute, mut earlier) = (key.cloned(), None);
    for text in texts {
        match command(text) {
            Err(mistake) => {
                report(mistake);
                commands.push(None);
            }
            Ok((Parsed::Loops(action), span)) => {
                commands.push(Some(Command { action, text: text.at(span).to_owned(), span }));
            }
            Ok((Parsed::Distribute(name), span)) => {
                match &distribute {
                    Some(known) if known.text != name.text || earlier.is_some() => {
                        report(distributed_twice(known, &name, span, earlier));
                    }
                    Some(_) | None => distribute = Some(name),
                }
                earlier = Some(text.at(span));
            }
        }
    }
    (commands, distribute)
}

/// Returns the diagnostic for a command `distribute` after the key or an earlier command.
fn distributed_twice(known: &Name, name: &Name, span: Span, earlier: Option<&str>) -> Diagnostic {
    let message = match known.text == name.text {
        true => "this command repeats an earlier one".to_owned(),
        false => format!("the kernel is distributed by `{}` and by `{}`", known.text, name.text),
    };
    let note = match earlier {
        Some(command) => format!("the earlier command is `{command}`"),
        None => format!("the key `distribute` names `{}`", known.text),
    };
    Diagnostic::new(Code::RepeatedCommand, span, message).note(note).help("keep one of the two")
}

/// Parses a command, and returns its place. Returns its first error.
fn command(text: &Text) -> Result<(Parsed, Span), Diagnostic> {
    let tokens = Tokens::of(text, &signs())?;
    let known = COMMANDS.iter().map(|(name, _)| *name);
    if tokens.is_empty() {
        return Err(Diagnostic::new(Code::UnexpectedToken, text.span, "this command is empty")
            .suggest("", known, "the commands"));
    }
    let mut parser = Parser { tokens, nesting: 0 };
    let name = parser.tokens.name("a command such as `reorder(i, j)`")?;
    let Some((_, shape)) = COMMANDS.iter().find(|(known, _)| *known == name.text) else {
        let message = format!("there is no schedule command `{}`", name.text);
        return Err(Diagnostic::new(Code::UnknownCommand, name.span, message).suggest(
            &name.text,
            known,
            "the commands",
        ));
    };
    let parsed = parser.arguments(&name.text).map_err(|mistake| match mistake.help {
        Some(_) => mistake,
        None => mistake.help(format!("it is written like `{shape}`")),
    })?;
    Ok((parsed, name.span.to(parser.tokens.before())))
}

impl Parser {
    /// Parses the arguments of a command.
    fn arguments(&mut self, name: &str) -> Result<Parsed, Diagnostic> {
        self.open("(")?;
        let parsed = match name {
            "distribute" => Parsed::Distribute(self.loop_name()?),
            _ => Parsed::Loops(self.action(name)?),
        };
        self.close(")", "`)`")?;
        match self.tokens.peek() {
            Token::End => Ok(parsed),
            Token::Name(_) | Token::Number(_) | Token::Sign(_) => Err(self
                .tokens
                .expected("the end of the command")
                .help("each command is a string of its own in `schedule`")),
        }
    }

    /// Parses the arguments of a command for the loops.
    fn action(&mut self, name: &str) -> Result<Action<Name, Name, Expr>, Diagnostic> {
        Ok(match name {
            "reorder" => {
                let mut variables = vec![self.loop_name()?];
                while self.tokens.eat(",") {
                    variables.push(self.loop_name()?);
                }
                Action::Reorder(variables)
            }
            "split" => {
                let (whole, parts) = self.whole_and_parts()?;
                let size = self.count("the size of a block", 1, i64::from(u32::MAX))?;
                Action::Split { whole, parts, size }
            }
            "divide" => {
                let (whole, parts) = self.whole_and_parts()?;
                let count = self.count("the number of blocks", 1, i64::from(u32::MAX))?;
                Action::Divide { whole, parts, count }
            }
            "fuse" => {
                let parts = [self.loop_name()?, self.next_loop_name()?];
                Action::Fuse { parts, fused: self.next_loop_name()? }
            }
            "pos" => {
                let (whole, position) = (self.loop_name()?, self.next_loop_name()?);
                self.comma()?;
                Action::Pos { whole, position, tensor: self.tokens.name("a tensor")? }
            }
            "unroll" => {
                let variable = self.loop_name()?;
                self.comma()?;
                Action::Unroll {
                    variable,
                    by: self.count("the number of iterations", 1, UNROLLED)?,
                }
            }
            "precompute" => {
                let value = self.expr()?;
                self.comma()?;
                let over = self.modes()?;
                let workspace = self.next_loop_name()?;
                let accumulator = match self.tokens.eat(",") {
                    true => self.accumulator()?,
                    false => Accumulator::default(),
                };
                Action::Precompute { value, over, workspace, accumulator }
            }
            "merge" => {
                let variable = self.loop_name()?;
                self.comma()?;
                Action::Merge { variable, strategy: self.strategy()? }
            }
            "locate" => {
                let variable = self.loop_name()?;
                self.comma()?;
                Action::Locate { variable, tensor: self.tokens.name("a tensor")? }
            }
            _ => Action::Parallelize(self.loop_name()?),
        })
    }

    fn whole_and_parts(&mut self) -> Result<(Name, [Name; 2]), Diagnostic> {
        let whole = self.loop_name()?;
        let parts = [self.next_loop_name()?, self.next_loop_name()?];
        self.comma()?;
        Ok((whole, parts))
    }

    /// Parses the variables of a workspace: one, or several in parentheses.
    fn modes(&mut self) -> Result<Vec<Name>, Diagnostic> {
        if !self.tokens.eat("(") {
            return Ok(vec![self.loop_name()?]);
        }
        let mut variables = vec![self.loop_name()?];
        while self.tokens.eat(",") {
            variables.push(self.loop_name()?);
        }
        self.close(")", "`)`")?;
        Ok(variables)
    }

    fn next_loop_name(&mut self) -> Result<Name, Diagnostic> {
        self.comma()?;
        self.loop_name()
    }

    /// Consumes the name of a loop. No constant can stand there, so that blocks may have the names `po`
    /// and `pi`.
    fn loop_name(&mut self) -> Result<Name, Diagnostic> {
        match self.tokens.peek() {
            Token::Name(name) if functions::is_number(name) => self.tokens.name("a loop"),
            Token::Name(_) | Token::Number(_) | Token::Sign(_) | Token::End => self.variable(),
        }
    }

    fn comma(&mut self) -> Result<(), Diagnostic> {
        if self.tokens.eat(",") { Ok(()) } else { Err(self.tokens.expected("`,`")) }
    }

    /// Parses a number within bounds; `what` describes it in errors.
    fn count(&mut self, what: &str, least: i64, most: i64) -> Result<u64, Diagnostic> {
        let Token::Number(number) = *self.tokens.peek() else {
            return Err(self.tokens.expected("a number"));
        };
        let span = self.tokens.span();
        self.tokens.advance();
        match number {
            Number::Int(n) if (least..=most).contains(&n) => Ok(n.unsigned_abs()),
            Number::Int(_) | Number::Float(_) => Err(Diagnostic::new(
                Code::NumberOutOfRange,
                span,
                format!("{what} must be from {least} to {most}"),
            )),
        }
    }

    fn accumulator(&mut self) -> Result<Accumulator, Diagnostic> {
        let name = self.tokens.name("`hashed`")?;
        let mut named = Accumulator::NAMED.into_iter();
        let found = named.find(|(known, _)| *known == name.text);
        found.map(|(_, accumulator)| accumulator).ok_or_else(|| {
            Diagnostic::new(
                Code::UnknownChoice,
                name.span,
                format!("a workspace cannot be `{}`", name.text),
            )
            .help("write `hashed` to keep its entries in a hash table, or nothing")
        })
    }

    fn strategy(&mut self) -> Result<Strategy, Diagnostic> {
        let name = self.tokens.name("`walk` or `gallop`")?;
        let found = Strategy::ALL.into_iter().find(|(known, _)| *known == name.text);
        found.map(|(_, strategy)| strategy).ok_or_else(|| {
            let known = Strategy::ALL.iter().map(|(known, _)| *known);
            Diagnostic::new(
                Code::UnknownChoice,
                name.span,
                format!("operands cannot be merged by `{}`", name.text),
            )
            .suggest(&name.text, known, "the ways to merge")
        })
    }
}
