//! The JSON of descriptors.
//!
//! A crate for it would make comparisons of numbers with what `sum()` returns ambiguous in programs
//! that use this crate, by implementing `PartialEq` between its values and numbers.

use std::fmt::{self, Display};
use std::iter::Peekable;
use std::str::Chars;

/// The deepest nesting that is accepted.
const DEEPEST: usize = 100;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    /// An integer that is not negative.
    Number(usize),
    /// Any other number.
    OtherNumber,
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses a text.
    pub(super) fn parse(text: &str) -> Result<Json, String> {
        let mut parser = Parser { rest: text.chars().peekable() };
        let value = parser.value(0)?;
        match parser.token() {
            None => Ok(value),
            Some(other) => Err(format!("has `{other}` after its end")),
        }
    }

    /// Returns the value of a key of an object. Of several with the same key, the last counts.
    pub(super) fn get(&self, key: &str) -> Option<&Json> {
        let Json::Object(entries) = self else { return None };
        entries.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns a text.
    pub(super) fn text(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    /// Returns an integer that is not negative.
    pub(super) fn number(&self) -> Option<usize> {
        if let Json::Number(number) = self { Some(*number) } else { None }
    }

    /// Returns the elements of a list of integers that are not negative.
    pub(super) fn numbers(&self) -> Option<Vec<usize>> {
        let Json::List(items) = self else { return None };
        items.iter().map(Json::number).collect()
    }

    /// Returns a list of numbers.
    pub(super) fn list(numbers: &[usize]) -> Json {
        Json::List(numbers.iter().map(|number| Json::Number(*number)).collect())
    }

    /// Returns an object with these keys.
    pub(super) fn object<const N: usize>(entries: [(&str, Json); N]) -> Json {
        Json::Object(entries.map(|(key, value)| (key.to_owned(), value)).into())
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Text(text.to_owned())
    }
}

struct Parser<'t> {
    rest: Peekable<Chars<'t>>,
}

impl Parser<'_> {
    /// Returns the next character that is no white space.
    fn token(&mut self) -> Option<char> {
        self.peek()?;
        self.rest.next()
    }

    /// Returns the next character that is no white space, and leaves it there.
    fn peek(&mut self) -> Option<char> {
        while self.rest.next_if(|next| matches!(next, ' ' | '\t' | '\r' | '\n')).is_some() {}
        self.rest.peek().copied()
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > DEEPEST {
            return Err("is nested too deeply".to_owned());
        }
        match self.token() {
            Some('{') => {
                let mut entries = Vec::new();
                self.items('}', |parser| {
                    let key = match parser.token() {
                        Some('"') => parser.text()?,
                        other => return Err(unexpected(other, "a key in quotes")),
                    };
                    match parser.token() {
                        Some(':') => {}
                        other => return Err(unexpected(other, "`:`")),
                    }
                    entries.push((key, parser.value(depth + 1)?));
                    Ok(())
                })?;
                Ok(Json::Object(entries))
            }
            Some('[') => {
                let mut items = Vec::new();
                self.items(']', |parser| {
                    items.push(parser.value(depth + 1)?);
                    Ok(())
                })?;
                Ok(Json::List(items))
            }
            Some('"') => Ok(Json::Text(self.text()?)),
            Some(first) if first == '-' || first.is_ascii_alphanumeric() => self.word(first),
            other => Err(unexpected(other, "a value")),
        }
    }

    /// Parses items that commas separate, up to `close`.
    fn items(
        &mut self,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        if self.peek() == Some(close) {
            self.token();
            return Ok(());
        }
        loop {
            item(self)?;
            match self.token() {
                Some(',') => {}
                Some(next) if next == close => return Ok(()),
                other => return Err(unexpected(other, "`,` or the end of a list")),
            }
        }
    }

    /// Parses a number or a literal.
    fn word(&mut self, first: char) -> Result<Json, String> {
        let mut word = String::from(first);
        let is_part = |next: &char| next.is_ascii_alphanumeric() || matches!(next, '.' | '+' | '-');
        while let Some(next) = self.rest.next_if(is_part) {
            word.push(next);
        }
        match word.as_str() {
            "null" => Ok(Json::Null),
            "true" => Ok(Json::Bool(true)),
            "false" => Ok(Json::Bool(false)),
            number if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                Ok(number.parse().map_or(Json::OtherNumber, Json::Number))
            }
            number if number.parse::<f64>().is_ok_and(f64::is_finite) => Ok(Json::OtherNumber),
            other => Err(format!("has `{other}`, which is no value")),
        }
    }

    /// Parses a text after its first quote.
    fn text(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let ends = "ends within a text";
        loop {
            let escaped = match self.rest.next().ok_or(ends)? {
                '"' => return Ok(text),
                '\\' => self.rest.next().ok_or(ends)?,
                next => {
                    text.push(next);
                    continue;
                }
            };
            text.push(match escaped {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                // The two halves of a character beyond the first 65536 are not put together; no
                // key or value of a descriptor has any.
                'u' => {
                    let digits: String = self.rest.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&digits, 16)
                        .map_err(|_| format!("has `\\u{digits}`, which is no character"))?;
                    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
                }
                other => other,
            });
        }
    }
}

fn unexpected(found: Option<char>, expected: &str) -> String {
    match found {
        Some(found) => format!("has `{found}` where {expected} is expected"),
        None => format!("ends where {expected} is expected"),
    }
}

/// Formats the value without white space. Texts have no characters that are written in another way.
impl Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(number) => write!(f, "{number}"),
            Json::OtherNumber => f.write_str("0"),
            Json::Text(text) => write!(f, "{text:?}"),
            Json::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index > 0 { "," } else { "" })?;
                }
                f.write_str("]")
            }
            Json::Object(entries) => {
                f.write_str("{")?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key:?}:{value}", if index > 0 { "," } else { "" })?;
                }
                f.write_str("}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_parsed() {
        let text = r#" { "a" : [1, -2.5e3, true, false,null] , "b\n\u0041\"": {}, "c": [] } "#;
        let value = Json::parse(text).unwrap();
        let list = vec![
            Json::Number(1),
            Json::OtherNumber,
            Json::Bool(true),
            Json::Bool(false),
            Json::Null,
        ];
        assert_eq!(value.get("a"), Some(&Json::List(list)));
        assert_eq!(value.get("b\nA\""), Some(&Json::Object(Vec::new())));
        assert_eq!(value.get("c").and_then(Json::numbers), Some(Vec::new()));
        assert_eq!(value.get("d"), None);
    }

    #[test]
    fn values_come_back() {
        let text = r#"{"binsparse":{"shape":[3,4],"fill":true,"custom":{"level":null},"f":"CSR"}}"#;
        assert_eq!(Json::parse(text).unwrap().to_string(), text);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "{",
            "[1",
            "[1,]",
            "{\"a\"}",
            "{\"a\":}",
            "{,}",
            "[1 2]",
            "\"",
            "\"\\",
            "nul",
            "1x",
            "{\"a\":1}}",
            "\"\\u00g0\"",
            "{1:2}",
            "-",
        ] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
        assert!(Json::parse(&"[".repeat(100_000)).is_err());
    }
}
