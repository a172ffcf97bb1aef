//! Diagnostics as text: the message, the place, the source line with carets, and the remedy.

use super::{Diagnostic, Severity, Span};

/// The width of a tab in columns.
const TAB: usize = 4;

/// The longest line that is printed whole, in columns; a longer one is printed around the carets.
const WIDTH: usize = 160;

/// Renders a diagnostic of the file `name`, whose content is `text`; ends with a line break.
pub(super) fn render(
    diagnostic: &Diagnostic,
    severity: Severity,
    name: &str,
    text: &str,
) -> String {
    let severity = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut page = format!("{severity}[{}]: {}\n", diagnostic.code, diagnostic.message);
    let mut gutter = String::from(" ");
    if let Some(span) = diagnostic.span {
        let (place, margin) = place(span, &diagnostic.label, name, text);
        (page, gutter) = (page + &place, margin);
    }
    let notes = diagnostic.notes.iter().map(|note| ("note", note));
    let help = diagnostic.help.iter().map(|help| ("help", help));
    for (kind, remark) in notes.chain(help) {
        // Continuation lines are indented to the beginning of the text.
        let margin = format!("\n{gutter}         ");
        page += &format!("{gutter} = {kind}: {}\n", remark.replace('\n', &margin));
    }
    page
}

/// Returns the source line of a place with carets below it, and the margin for its line number.
fn place(span: Span, label: &str, name: &str, text: &str) -> (String, String) {
    let start = floor(text, span.start);
    let end = floor(text, span.end).max(start);
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    let line = text[line_start..line_end].trim_end_matches('\r');
    let line_number = text[..line_start].matches('\n').count() + 1;

    let column = text[line_start..start].chars().filter(|c| *c != BYTE_ORDER_MARK).count() + 1;
    let from = start - line_start;
    let to = (end - line_start).clamp(from, line.len().max(from));
    let Excerpt { before, marked, after } = excerpt(line, from, to);
    let carets = "^".repeat(width(&marked).max(1));
    let indent = " ".repeat(width(&before));

    let number = line_number.to_string();
    let gutter = " ".repeat(number.len());
    let mut page = format!("{gutter}--> {name}:{line_number}:{column}\n");
    page += &format!("{gutter} |\n");
    page += &format!("{number} | {}\n", format!("{before}{marked}{after}").trim_end());
    page += &format!("{gutter} | {}\n", format!("{indent}{carets} {label}").trim_end());
    (page, gutter)
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A source line, divided in three at the carets.
struct Excerpt {
    before: String,
    marked: String,
    after: String,
}

fn excerpt(line: &str, from: usize, to: usize) -> Excerpt {
    let before = shown(line.get(..from).unwrap_or(line));
    let marked = shown(line.get(from..to).unwrap_or_default());
    let after = shown(line.get(to..).unwrap_or_default());
    if width(&before) + width(&marked) + width(&after) <= WIDTH {
        return Excerpt { before, marked, after };
    }
    // Some context on either side shows the position in the line.
    let side = WIDTH / 4;
    let count = before.chars().count();
    let before = if count <= side {
        before
    } else {
        format!("…{}", before.chars().skip(count - side).collect::<String>())
    };
    let marked = abridged(&marked, WIDTH / 2);
    Excerpt { before, marked, after: abridged(&after, side) }
}

/// Returns the first `count` characters of a text.
fn abridged(text: &str, count: usize) -> String {
    if text.chars().count() <= count {
        return text.to_owned();
    }
    text.chars().take(count).chain(['…']).collect()
}

/// Returns text with tabs as spaces and without control characters.
fn shown(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        match c {
            '\t' => shown.extend(std::iter::repeat_n(' ', TAB)),
            BYTE_ORDER_MARK => {}
            c if c.is_control() => shown.push('\u{fffd}'),
            c => shown.push(c),
        }
    }
    shown
}

/// Returns the number of columns of a text in a terminal: East Asian wide characters take two,
/// combining marks none.
fn width(text: &str) -> usize {
    text.chars()
        .map(|c| match u32::from(c) {
            0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
            0x1100..=0x115f
            | 0x2e80..=0xa4cf
            | 0xac00..=0xd7a3
            | 0xf900..=0xfaff
            | 0xfe30..=0xfe6f
            | 0xff00..=0xff60
            | 0xffe0..=0xffe6
            | 0x1f300..=0x1faff
            | 0x20000..=0x3fffd => 2,
            _ => 1,
        })
        .sum()
}

/// Returns the start of the character that contains a byte.
fn floor(text: &str, byte: usize) -> usize {
    text.floor_char_boundary(byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    fn check(text: &str, marked: &str, expected: &str) {
        let start = text.find(marked).unwrap();
        let span = Span { start, end: start + marked.len() };
        let diagnostic =
            Diagnostic::new(Code::UnknownKey, span, "no").label("here").note("a\nb").help("c");
        assert_eq!(render(&diagnostic, Severity::Error, "k.toml", text), expected);
    }

    #[test]
    fn a_place_is_shown() {
        check(
            "a\nbc def\n",
            "def",
            "error[SG0103]: no\n --> k.toml:2:4\n  |\n2 | bc def\n  |    ^^^ here\n  = note: a\n          b\n  = help: c\n",
        );
    }

    #[test]
    fn carets_stand_below_what_they_mark() {
        check(
            "\u{feff}\tä你 def\r\n",
            "def",
            "error[SG0103]: no\n --> k.toml:1:5\n  |\n1 |     ä你 def\n  |         ^^^ here\n  = note: a\n          b\n  = help: c\n",
        );
        check(
            "x = '''ab\ncd'''",
            "ab\ncd",
            "error[SG0103]: no\n --> k.toml:1:8\n  |\n1 | x = '''ab\n  |        ^^ here\n  = note: a\n          b\n  = help: c\n",
        );
    }

    #[test]
    fn a_place_outside_the_text_is_its_end() {
        let span = Span { start: 90, end: 95 };
        let page =
            render(&Diagnostic::new(Code::UnknownKey, span, "no"), Severity::Error, "k.toml", "ab");
        assert_eq!(page, "error[SG0103]: no\n --> k.toml:1:3\n  |\n1 | ab\n  |   ^\n");
    }

    #[test]
    fn long_lines_are_cut() {
        let text = format!("{} mark {}", "a".repeat(500), "b".repeat(500));
        let diagnostic = Diagnostic::new(Code::UnknownKey, Span { start: 501, end: 505 }, "no");
        let page = render(&diagnostic, Severity::Error, "k.toml", &text);
        assert!(page.lines().all(|line| line.chars().count() < 170), "{page}");
        assert!(page.contains("mark"));
    }
}
