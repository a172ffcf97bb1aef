//! Tokens of texts in a manifest, for the parsers of statements and maps.

use crate::error::{Code, Diagnostic, Name, Span};

use super::Text;

/// A name, a number or a sign.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// Letters, digits and `_`, not beginning with a digit.
    Name(String),
    /// Digits, optionally with a fraction and an exponent.
    Number(Number),
    /// An operator or delimiter of the language.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A number in the notation of the user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Digits only.
    Int(i64),
    /// With a fraction or an exponent, or too large for an `i64`.
    Float(f64),
}

/// The tokens of a text, and the position of the parser.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// Each token with its place; the last one is [`Token::End`].
    tokens: Vec<(Token, Span)>,
    /// The index of the next token; it does not exceed the index of the end.
    next: usize,
}

impl Tokens {
    /// Splits a text into tokens. `signs` are the operators and delimiters, with longer ones before
    /// their prefixes.
    pub fn of(text: &Text, signs: &[&'static str]) -> Result<Tokens, Diagnostic> {
        let mut tokens = Vec::new();
        let mut position = 0;
        while let Some(c) = text.value[position..].chars().next() {
            let rest = &text.value[position..];
            if c.is_whitespace() {
                position += c.len_utf8();
                continue;
            }
            let (token, length) = if let Some(sign) = sign(rest, signs) {
                (Token::Sign(sign), sign.len())
            } else if c.is_ascii_alphabetic() || c == '_' {
                let length = run(rest, |c| c.is_ascii_alphanumeric() || c == '_');
                (Token::Name(rest[..length].to_owned()), length)
            } else if c.is_ascii_digit() {
                number(rest, position, text)?
            } else {
                return Err(unknown(c, rest, text.place(position, position + c.len_utf8())));
            };
            tokens.push((token, text.place(position, position + length)));
            position += length;
        }
        tokens.push((Token::End, text.place(position, position)));
        Ok(Tokens { tokens, next: 0 })
    }

    /// Returns whether there is no token before the end.
    pub fn is_empty(&self) -> bool {
        self.tokens.len() == 1
    }

    /// Returns the next token.
    pub fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    /// Returns the place of the next token.
    pub fn span(&self) -> Span {
        self.tokens[self.next].1
    }

    /// Returns the place of the previous token.
    pub fn before(&self) -> Span {
        self.tokens[self.next.saturating_sub(1)].1
    }

    /// Advances to the next token.
    pub fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    /// Returns whether this sign follows the next token.
    pub fn precedes(&self, sign: &str) -> bool {
        let after = self.tokens.get(self.next + 1);
        after.is_some_and(|(after, _)| matches!(after, Token::Sign(next) if *next == sign))
    }

    /// Returns the number of tokens before the next one.
    pub fn position(&self) -> usize {
        self.next
    }

    /// Returns to a position.
    pub fn rewind(&mut self, position: usize) {
        self.next = position;
    }

    /// Returns whether the next token is this sign.
    pub fn at(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(next) if *next == sign)
    }

    /// Consumes this sign if it is next.
    pub fn eat(&mut self, sign: &str) -> bool {
        let found = self.at(sign);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes this word if it is next.
    pub fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Name(next) if next == word);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes a name.
    pub fn name(&mut self, expected: &str) -> Result<Name, Diagnostic> {
        let Token::Name(text) = self.peek().clone() else { return Err(self.expected(expected)) };
        let name = Name { text, span: self.span() };
        self.advance();
        Ok(name)
    }

    /// Returns the diagnostic that something else was expected here.
    pub fn expected(&self, expected: &str) -> Diagnostic {
        let found = match self.peek() {
            Token::Name(name) => format!("`{name}`"),
            Token::Number(_) => "a number".to_owned(),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end".to_owned(),
        };
        Diagnostic::new(
            Code::UnexpectedToken,
            self.span(),
            format!("expected {expected}, found {found}"),
        )
    }
}

/// Returns the sign at the beginning of a text.
fn sign(rest: &str, signs: &[&'static str]) -> Option<&'static str> {
    signs.iter().copied().find(|sign| {
        // `min=` is a sign, but `min==` is a comparison with a tensor `min`.
        let word = sign.starts_with(|c: char| c.is_ascii_alphabetic());
        rest.strip_prefix(sign).is_some_and(|follows| !(word && follows.starts_with('=')))
    })
}

/// Returns the length of the longest prefix whose characters satisfy `holds`.
fn run(text: &str, holds: impl Fn(char) -> bool) -> usize {
    text.find(|c: char| !holds(c)).unwrap_or(text.len())
}

fn number(rest: &str, position: usize, text: &Text) -> Result<(Token, usize), Diagnostic> {
    let digits = |text: &str| run(text, |c| c.is_ascii_digit());
    let mistake = |length: usize, message: &str, help: String| {
        let place = text.place(position, position + length);
        Err(Diagnostic::new(Code::InvalidNumber, place, message).help(help))
    };

    let mut length = digits(rest);
    let mut float = false;
    // `2..12` is a range: two dots always end the number before them.
    if rest[length..].starts_with('.') && !rest[length..].starts_with("..") {
        let fraction = digits(&rest[length + 1..]);
        if fraction == 0 {
            let help = format!("write `{}.0`", &rest[..length]);
            return mistake(length + 1, "a decimal point must be followed by digits", help);
        }
        length += 1 + fraction;
        float = true;
    }
    if rest[length..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[length + 1..].starts_with(['+', '-']));
        let exponent = digits(&rest[length + 1 + sign..]);
        if exponent > 0 {
            length += 1 + sign + exponent;
            float = true;
        }
    }
    let word = run(&rest[length..], |c| c.is_ascii_alphanumeric() || c == '_');
    if word > 0 {
        let (number, word) = (&rest[..length], &rest[length..length + word]);
        let help = format!("a product is written with its sign: `{number} * {word}`");
        return mistake(length + word.len(), "a number runs into a name", help);
    }
    let digits = rest[..length].to_lowercase();
    let int = digits.parse().ok().filter(|_| !float).map(Number::Int);
    let number = int.unwrap_or_else(|| Number::Float(digits.parse().unwrap_or(f64::INFINITY)));
    Ok((Token::Number(number), length))
}

const TRANSPOSE: &str = "a transpose is written by its indices: `A[j,i]`";

fn unknown(c: char, rest: &str, place: Span) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(Code::UnexpectedCharacter, place, format!("unexpected character `{c}`"));
    let operator = |sign: &str| format!("did you mean `{sign}`?");
    match c {
        '.' => {
            let digits = run(&rest[1..], |c| c.is_ascii_digit());
            let help = match &rest[1..1 + digits] {
                "" => "a point is valid only within a number, as in `0.5`".to_owned(),
                digits => format!("write `0.{digits}`"),
            };
            diagnostic.help(help)
        }
        '×' | '·' | '⋅' | '∗' | '∘' | '⊙' => diagnostic.help(operator("*")),
        '÷' | '∕' => diagnostic.help(operator("/")),
        '−' | '–' | '—' => diagnostic.help(operator("-")),
        '≤' => diagnostic.help(operator("<=")),
        '≥' => diagnostic.help(operator(">=")),
        '≠' => diagnostic.help(operator("!=")),
        '∑' | 'Σ' => diagnostic.help("a sum over `j` is written `sum[j](…)`"),
        '^' if rest.starts_with("^T") => diagnostic.help(TRANSPOSE),
        '^' => diagnostic.help("a power is written `pow(a, b)`, a square `square(a)`"),
        '%' => diagnostic.help("a remainder is written `rem(a, b)`"),
        ';' => diagnostic.help("a kernel has one statement; several are listed in `exprs`"),
        ':' => diagnostic.help("each mode has an index: `A[i,j]`, or a slice `A[i in 0..4, j]`"),
        '@' => diagnostic.help("a product of matrices is written `C[i,j] = A[i,k] * B[k,j]`"),
        '\'' => diagnostic.help(TRANSPOSE),
        c if c.is_alphabetic() => {
            diagnostic.note("names consist of the letters a to z and A to Z, digits and `_`")
        }
        _ => diagnostic,
    }
}
