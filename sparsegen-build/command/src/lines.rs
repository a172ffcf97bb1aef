//! The difference of two texts by lines.

/// A line of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'t> {
    /// A line of both texts.
    Same(&'t str),
    /// A line of the first text only.
    Old(&'t str),
    /// A line of the second text only.
    New(&'t str),
}

/// The largest table of common subsequences; larger texts are compared without one.
const TABLE: usize = 16_000_000;

/// Returns the lines of both texts, of which as many as possible are the same.
pub fn difference<'t>(old: &'t str, new: &'t str) -> Vec<Line<'t>> {
    let [mut old, mut new] = [old, new].map(|text| text.lines().collect::<Vec<_>>());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[start..].iter().rev().zip(new[start..].iter().rev());
    let end = tail.take_while(|(a, b)| a == b).count();
    let mut lines: Vec<Line<'t>> = old.drain(..start).map(Line::Same).collect();
    new.drain(..start);
    let last = old.split_off(old.len() - end);
    new.truncate(new.len() - end);
    lines.extend(middle(&old, &new));
    lines.extend(last.into_iter().map(Line::Same));
    lines
}

/// Returns the lines of two texts without a common start or end.
fn middle<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Line<'t>> {
    let width = new.len() + 1;
    if (old.len() + 1).saturating_mul(width) > TABLE {
        let removed = old.iter().map(|line| Line::Old(line));
        return removed.chain(new.iter().map(|line| Line::New(line))).collect();
    }
    // The length of the longest common subsequence of the rests.
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            longest[a * width + b] = match old[a] == new[b] {
                true => longest[(a + 1) * width + b + 1] + 1,
                false => longest[(a + 1) * width + b].max(longest[a * width + b + 1]),
            };
        }
    }
    let (mut a, mut b, mut lines) = (0, 0, Vec::new());
    while a < old.len() || b < new.len() {
        let removes = b == new.len()
            || a < old.len() && longest[(a + 1) * width + b] >= longest[a * width + b + 1];
        if a < old.len() && b < new.len() && old[a] == new[b] {
            lines.push(Line::Same(old[a]));
            (a, b) = (a + 1, b + 1);
        } else if removes {
            lines.push(Line::Old(old[a]));
            a += 1;
        } else {
            lines.push(Line::New(new[b]));
            b += 1;
        }
    }
    lines
}

/// Returns the changed lines without their common indentation, each after `-` or `+`, at most `most`
/// of them; `⋮` stands between changes that are apart.
pub fn changes(old: &str, new: &str, most: usize) -> Vec<String> {
    let lines = difference(old, new);
    let changed = lines.iter().filter_map(|line| match line {
        Line::Same(_) => None,
        Line::Old(text) | Line::New(text) => (!text.trim().is_empty()).then_some(*text),
    });
    let indent = changed.map(|text| text.len() - text.trim_start().len()).min().unwrap_or(0);
    let cut = |text: &str| text.get(indent..).unwrap_or("").to_owned();
    let mut shown: Vec<String> = Vec::new();
    let (mut was_same, mut left) = (false, 0);
    for line in lines {
        let text = match line {
            Line::Same(_) => {
                was_same = true;
                continue;
            }
            Line::Old(text) => format!("- {}", cut(text)),
            Line::New(text) => format!("+ {}", cut(text)),
        };
        if shown.len() >= most {
            left += 1;
            continue;
        }
        if was_same && !shown.is_empty() {
            shown.push("⋮".to_owned());
        }
        shown.push(text);
        was_same = false;
    }
    if left > 0 {
        shown.push(format!("⋮ and {left} more lines"));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_lines_are_kept() {
        let lines = difference("a\nb\nc\nd\n", "a\nx\nc\ny\nd\n");
        let expected = [
            Line::Same("a"),
            Line::Old("b"),
            Line::New("x"),
            Line::Same("c"),
            Line::New("y"),
            Line::Same("d"),
        ];
        assert_eq!(lines, expected);
        assert_eq!(difference("", "a"), [Line::New("a")]);
        assert_eq!(difference("a", "a"), [Line::Same("a")]);
        assert_eq!(difference("a\na", "a"), [Line::Same("a"), Line::Old("a")]);
    }

    #[test]
    fn only_changes_are_shown() {
        let shown = changes("f\n  a\n  b\n  c\n", "f\n  x\n  b\n    y\n", 9);
        assert_eq!(shown, ["- a", "+ x", "⋮", "- c", "+   y"]);
        let shown = changes("a\nb\nc", "", 1);
        assert_eq!(shown, ["- a", "⋮ and 2 more lines"]);
    }
}
