//! Strings of a manifest, with the place of each byte of their content.

use crate::error::Span;

/// A TOML string: its content, and the place of each byte of it in the file, with any quotes and
/// escapes.
#[derive(Clone, Debug)]
pub struct Text {
    /// The content.
    pub value: String,
    /// The place of the string with its quotes.
    pub span: Span,
    /// The place of the character that contains each byte of `value`.
    places: Vec<Span>,
}

impl Text {
    /// Creates the string with content `value` at `span` in `source`.
    pub(super) fn of(value: &str, span: Span, source: &str) -> Text {
        let raw = source.get(span.start..span.end).unwrap_or_default();
        let mut places = Vec::with_capacity(value.len());
        for (c, place) in decode(raw, span.start) {
            places.extend(std::iter::repeat_n(place, c.len_utf8()));
        }
        if places.len() != value.len() {
            // A place is missing only if this module and the TOML parser disagree; the whole string
            // is then the most precise place.
            places = vec![span; value.len()];
        }
        Text { value: value.to_owned(), span, places }
    }

    /// Creates a text without a place in the manifest.
    pub fn unplaced(value: &str) -> Text {
        let span = Span::default();
        Text { value: value.to_owned(), span, places: vec![span; value.len()] }
    }

    /// Returns the part of the content at a place of the file.
    pub fn at(&self, span: Span) -> &str {
        let start = self.places.partition_point(|place| place.start < span.start);
        let end = self.places.partition_point(|place| place.end <= span.end);
        self.value.get(start..end).unwrap_or_default()
    }

    /// Returns the place of a range of bytes of `value`.
    pub fn place(&self, start: usize, end: usize) -> Span {
        let last = self.inner().end;
        let begin = self.places.get(start).map_or(last, |place| place.start);
        match end.checked_sub(1).and_then(|before| self.places.get(before)) {
            Some(place) if end > start => Span { start: begin, end: place.end },
            Some(_) | None => Span { start: begin, end: begin },
        }
    }

    /// Returns the place of the content, without quotes.
    pub fn inner(&self) -> Span {
        match (self.places.first(), self.places.last()) {
            (Some(first), Some(last)) => first.to(*last),
            (None, _) | (_, None) => self.span,
        }
    }

    /// Creates a text that equals its source, for tests of parsers.
    #[cfg(test)]
    pub(crate) fn plain(value: &str) -> Text {
        let source = format!("'''{value}'''");
        let text = Text::of(value, Span { start: 0, end: source.len() }, &source);
        Text {
            places: (0..value.len())
                .map(|k| {
                    let start = value.floor_char_boundary(k);
                    Span { start, end: value.ceil_char_boundary(k + 1) }
                })
                .collect(),
            ..text
        }
    }
}

/// Decodes the characters of a TOML string, each with its place in the file.
fn decode(raw: &str, offset: usize) -> Vec<(char, Span)> {
    for quotes in ["\"\"\"", "'''", "\"", "'"] {
        let Some(inner) = raw.strip_prefix(quotes).and_then(|rest| rest.strip_suffix(quotes))
        else {
            continue;
        };
        let mut start = offset + quotes.len();
        let mut body = inner;
        if quotes.len() == 3 {
            // A line break directly after the quotes is not part of the text.
            for line_break in ["\r\n", "\n"] {
                if let Some(rest) = body.strip_prefix(line_break) {
                    start += line_break.len();
                    body = rest;
                    break;
                }
            }
        }
        let escapes = quotes.starts_with('"');
        return characters(body, start, escapes);
    }
    // A key without quotes is not escaped.
    characters(raw, offset, false)
}

fn characters(body: &str, offset: usize, escapes: bool) -> Vec<(char, Span)> {
    let mut found = Vec::new();
    let mut rest = body;
    while let Some(c) = rest.chars().next() {
        let start = offset + body.len() - rest.len();
        let (decoded, length) =
            if c == '\\' && escapes { escape(rest) } else { (Some(c), c.len_utf8()) };
        let length = length.clamp(1, rest.len());
        if let Some(decoded) = decoded {
            found.push((decoded, Span { start, end: start + length }));
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    found
}

/// Decodes an escape at the beginning of `rest`; returns the character and the length.
fn escape(rest: &str) -> (Option<char>, usize) {
    let hexadecimal = |digits: usize| {
        let code = rest.get(2..2 + digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        (code.and_then(char::from_u32), 2 + digits)
    };
    match rest[1..].chars().next() {
        Some('b') => (Some('\u{8}'), 2),
        Some('t') => (Some('\t'), 2),
        Some('n') => (Some('\n'), 2),
        Some('f') => (Some('\u{c}'), 2),
        Some('r') => (Some('\r'), 2),
        Some('e') => (Some('\u{1b}'), 2),
        Some('x') => hexadecimal(2),
        Some('u') => hexadecimal(4),
        Some('U') => hexadecimal(8),
        Some(c) if c.is_ascii_whitespace() => {
            // A backslash at the end of a line removes the line break and the following white
            // space.
            let blanks = rest[1..].find(|c: char| !c.is_ascii_whitespace());
            (None, blanks.map_or(rest.len(), |length| 1 + length))
        }
        Some(c) => (Some(c), 1 + c.len_utf8()),
        None => (None, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the place in the file of `part` of the only string of a manifest.
    fn check(source: &str, part: &str, expected: &str) {
        let table = toml::de::DeTable::parse(source).unwrap();
        let value = table.get_ref().values().next().unwrap();
        let span = Span { start: value.span().start, end: value.span().end };
        let text = Text::of(value.get_ref().as_str().unwrap(), span, source);
        let start = text.value.find(part).unwrap();
        let place = text.place(start, start + part.len());
        assert_eq!(&source[place.start..place.end], expected, "{source}");
    }

    #[test]
    fn places_are_found_through_quotes_and_escapes() {
        check("a = \"y = x\"", "x", "x");
        check("a = 'y = x'", "x", "x");
        check(r#"a = "\t\u0079\u00e4 = x \\""#, "x", "x");
        check(r#"a = "\t\u0079\u00e4 = x \\""#, "ä", r"\u00e4");
        check(r#"a = "\x79 = \U00000078 \e""#, "x", r"\U00000078");
        check("a = \"\"\"\ny = \\\n   x\"\"\"", "x", "x");
        check("a = \"\"\"\r\ny = \\  \r\n\r\n   x + z\"\"\"", "x + z", "x + z");
        check("a = '''\ny =\n x'''", "x", "x");
        check("a = '''\ny =\n x'''", "y =\n x", "y =\n x");
        check("a = \"\"\"x\"y\"\"\"\"", "y\"", "y\"");
        check("a = \"\"\"é \"\"b\"\"\"", "b", "b");
    }

    #[test]
    fn the_end_has_a_place() {
        let text = Text::plain("abc");
        assert_eq!(text.place(3, 3), Span { start: 3, end: 3 });
        assert_eq!(text.place(1, 3), Span { start: 1, end: 3 });
    }
}
