//! The layout of a manifest: a parser that keeps comments and lines, and its counterpart.

use super::expression;

/// A line of the file.
enum Line {
    Blank,
    /// A comment or the head of a table, as it is.
    Text(String),
    /// `key = value`, and the comment behind it.
    Entry(String, Value, Option<String>),
}

/// A value with everything between its tokens that is not a space.
enum Value {
    /// A string, number or other word, as it is.
    Word(String),
    /// An array or an inline table.
    Group { open: char, items: Vec<Item>, is_tall: bool, ends_with_comma: bool },
}

/// An element of an array or an inline table.
enum Item {
    /// The key, if it is an entry of a table, the value, and the comment behind it.
    Value(Option<String>, Value, Option<String>),
    Comment(String),
}

/// The place and the description of what is no TOML.
type Mistake = (usize, String);

/// Returns a manifest with the usual layout.
///
/// # Errors
/// Returns the line and the description of what cannot be parsed.
pub fn format(text: &str) -> Result<String, Mistake> {
    let mut parser = Parser { text, at: 0 };
    let mut formatted = String::new();
    let (mut was_blank, mut table) = (true, String::new());
    while let Some(line) = parser.line()? {
        match line {
            Line::Blank if was_blank => continue,
            Line::Blank => formatted.push('\n'),
            Line::Text(text) => {
                if text.starts_with('[') {
                    table.clone_from(&text);
                }
                formatted.push_str(&text);
                formatted.push('\n');
            }
            Line::Entry(key, value, comment) => {
                let is_format = table.starts_with("[formats]");
                let own = Context { expressions: is_expressions(&key), maps: is_format };
                formatted.push_str(&key);
                formatted.push_str(" = ");
                write(&value, own, 0, &mut formatted);
                formatted.extend(comment.map(|comment| format!(" {comment}")));
                formatted.push('\n');
            }
        }
        was_blank = formatted.ends_with("\n\n");
    }
    while formatted.ends_with("\n\n") {
        formatted.pop();
    }
    let characters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    match characters(text) == characters(&formatted) {
        true => Ok(formatted),
        false => Err((1, "the file cannot be formatted without changing it".to_owned())),
    }
}

/// The kinds of strings.
#[derive(Clone, Copy)]
struct Context {
    expressions: bool,
    maps: bool,
}

fn is_expressions(key: &str) -> bool {
    matches!(key, "expr" | "schedule")
}

fn write(value: &Value, context: Context, depth: usize, text: &mut String) {
    match value {
        Value::Word(word) => text.push_str(&string(word, context)),
        Value::Group { open, items, is_tall, ends_with_comma } => {
            let close = if *open == '[' { ']' } else { '}' };
            let indent = "    ".repeat(depth + 1);
            let space = if *open == '{' && !items.is_empty() { " " } else { "" };
            text.push(*open);
            text.push_str(if *is_tall { "\n" } else { space });
            let last = items.iter().rposition(|item| matches!(item, Item::Value(..)));
            for (k, item) in items.iter().enumerate() {
                if *is_tall {
                    text.push_str(&indent);
                }
                match item {
                    Item::Comment(comment) => text.push_str(comment),
                    Item::Value(key, value, comment) => {
                        let own = match key.as_deref() {
                            Some("map" | "format") => Context { maps: true, ..context },
                            Some(_) | None => context,
                        };
                        text.extend(key.iter().flat_map(|key| [key.as_str(), " = "]));
                        write(value, own, depth + 1, text);
                        if last != Some(k) || *ends_with_comma {
                            text.push(',');
                        }
                        text.extend(comment.iter().flat_map(|comment| [" ", comment]));
                    }
                }
                if *is_tall {
                    text.push('\n');
                } else if last != Some(k) {
                    text.push(' ');
                }
            }
            text.push_str(&if *is_tall { "    ".repeat(depth) } else { space.to_owned() });
            text.push(close);
        }
    }
}

/// Returns a string with the spaces of expressions and maps, if it is one.
fn string(word: &str, context: Context) -> String {
    let quote = word.chars().next().filter(|c| matches!(c, '"' | '\''));
    let inner = quote.and_then(|quote| {
        let inner = word.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(['\\', quote, '\n'])).then_some((quote, inner))
    });
    match inner {
        Some((quote, inner)) if context.expressions || context.maps || inner.contains("->") => {
            format!("{quote}{}{quote}", expression::format(inner))
        }
        Some(_) | None => word.to_owned(),
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn mistake<T>(&self, what: &str) -> Result<T, Mistake> {
        Err((self.text[..self.at].matches('\n').count() + 1, what.to_owned()))
    }

    fn skip_spaces(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
    }

    /// Takes the rest of the line, which must be empty or a comment.
    fn end_of_line(&mut self) -> Result<Option<String>, Mistake> {
        self.skip_spaces();
        let line = self.rest().lines().next().unwrap_or("").to_owned();
        if !line.is_empty() && !line.starts_with('#') {
            return self.mistake("there is something after the value");
        }
        self.at += line.len();
        self.skip_spaces();
        self.at += usize::from(self.rest().starts_with('\n'));
        Ok((!line.is_empty()).then(|| line.trim_end().to_owned()))
    }

    /// Takes the next line; `None` at the end of the file.
    fn line(&mut self) -> Result<Option<Line>, Mistake> {
        self.skip_spaces();
        Ok(Some(match self.rest().chars().next() {
            None => return Ok(None),
            Some('\n') => {
                self.at += 1;
                Line::Blank
            }
            Some('#') => Line::Text(self.end_of_line()?.unwrap_or_default()),
            Some('[') => {
                let line = self.rest().lines().next().unwrap_or("").to_owned();
                self.at += line.len();
                self.at += usize::from(self.rest().starts_with('\n'));
                Line::Text(line.trim_end().to_owned())
            }
            Some(_) => {
                let key = self.key()?;
                let value = self.value()?;
                Line::Entry(key, value, self.end_of_line()?)
            }
        }))
    }

    /// Takes a key and the `=` after it.
    fn key(&mut self) -> Result<String, Mistake> {
        let (mut length, mut quote) = (None, None);
        for (k, c) in self.rest().char_indices() {
            match (quote, c) {
                (None, '=') => {
                    length = Some(k);
                    break;
                }
                (None, '\n') => break,
                (None, '"' | '\'') => quote = Some(c),
                (Some(open), c) if c == open => quote = None,
                (_, _) => {}
            }
        }
        let Some(length) = length else { return self.mistake("there is no `=` after the key") };
        let key = self.rest()[..length].trim().to_owned();
        self.at += length + 1;
        Ok(key)
    }

    fn value(&mut self) -> Result<Value, Mistake> {
        self.skip_spaces();
        match self.rest().chars().next() {
            Some(open @ ('[' | '{')) => self.group(open),
            Some('"' | '\'') => {
                let length = quoted(self.rest());
                let Some(length) = length else { return self.mistake("a string has no end") };
                let word = self.rest()[..length].to_owned();
                self.at += length;
                Ok(Value::Word(word))
            }
            _ => {
                let end = |c: char| matches!(c, ',' | ']' | '}' | '#') || c.is_whitespace();
                let length = self.rest().find(end).unwrap_or(self.rest().len());
                if length == 0 {
                    return self.mistake("a value is missing");
                }
                let word = self.rest()[..length].to_owned();
                self.at += length;
                Ok(Value::Word(word))
            }
        }
    }

    fn group(&mut self, open: char) -> Result<Value, Mistake> {
        let close = if open == '[' { ']' } else { '}' };
        self.at += 1;
        let mut items: Vec<Item> = Vec::new();
        let (mut is_tall, mut ends_with_comma, mut same_line) = (false, false, false);
        loop {
            self.skip_spaces();
            match self.rest().chars().next() {
                None => return self.mistake("a bracket is not closed"),
                Some('\n') => {
                    self.at += 1;
                    (is_tall, same_line) = (true, false);
                }
                Some('#') => {
                    let comment = self.end_of_line()?.unwrap_or_default();
                    is_tall = true;
                    match items.last_mut() {
                        Some(Item::Value(_, _, behind @ None)) if same_line => {
                            *behind = Some(comment);
                        }
                        _ => items.push(Item::Comment(comment)),
                    }
                    same_line = false;
                }
                Some(',') if !items.is_empty() && !ends_with_comma => {
                    self.at += 1;
                    ends_with_comma = true;
                }
                Some(c) if c == close => {
                    self.at += 1;
                    return Ok(Value::Group { open, items, is_tall, ends_with_comma });
                }
                Some(_) => {
                    let key = if open == '{' { Some(self.key()?) } else { None };
                    let value = self.value()?;
                    items.push(Item::Value(key, value, None));
                    (ends_with_comma, same_line) = (false, true);
                }
            }
        }
    }
}

/// Returns the length of the string at the start of a text, with its quotes.
fn quoted(text: &str) -> Option<usize> {
    let quote = &text[..1];
    let tall = quote.repeat(3);
    let (delimiter, from) = match text.starts_with(&tall) {
        true => (tall.as_str(), 3),
        false => (quote, 1),
    };
    let mut at = from;
    while let Some(c) = text[at..].chars().next() {
        if text[at..].starts_with(delimiter) {
            return Some(at + delimiter.len());
        }
        at += c.len_utf8();
        if c == '\\' && quote == "\"" {
            at += text[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_order_stay() {
        let text = "\n\n# Head.\n[formats]\nb=\"(i,j)->(i:dense,j:compressed)\"  # note\n\n\n\n[kernels.a]\n  \
                    expr=\"y[i]=A[i,j]*x[j]\"\ndoc = \"a=b\"\ntensors={y=\"dense\",A=\"csr\", x = \"dense\" }\n\
                    schedule = [ \"split(i,io,ii,32)\",  # first\n# alone\n\"parallel(io)\" ]\nsizes={}\n\n";
        let expected = "# Head.\n[formats]\nb = \"(i, j) -> (i : dense, j : compressed)\" # note\n\n[kernels.a]\n\
                        expr = \"y[i] = A[i,j] * x[j]\"\ndoc = \"a=b\"\n\
                        tensors = { y = \"dense\", A = \"csr\", x = \"dense\" }\n\
                        schedule = [\n    \"split(i, io, ii, 32)\", # first\n    # alone\n    \"parallel(io)\"\n]\nsizes = {}\n";
        assert_eq!(format(text).as_deref(), Ok(expected));
        assert_eq!(format(expected).as_deref(), Ok(expected));
    }

    #[test]
    fn a_file_that_is_no_manifest_is_refused_with_its_line() {
        assert_eq!(format("[a]\nb = \"c"), Err((2, "a string has no end".to_owned())));
        assert_eq!(format("a\n"), Err((1, "there is no `=` after the key".to_owned())));
        assert_eq!(format("a = [1\n"), Err((2, "a bracket is not closed".to_owned())));
    }
}
