//! Where lines of the generated source come from, and what their identifiers mean.

use crate::ir::comment::{Origin, Part};
use crate::names::plain;

use super::Tensor;

/// A line of generated source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The text without a line break.
    pub text: String,
    /// The part of a loop that the line was generated for; `None` outside of loops.
    pub origin: Option<Origin>,
    /// The merge point of the same loop within which the line is, if the origin is a body.
    pub point: Option<Origin>,
}

/// The meaning of an identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// The names of the tensors, workspaces and variables that it belongs to.
    pub of: Vec<String>,
    /// What it is, such as `the positions of level 2`; empty for the tensor or variable itself.
    pub what: String,
}

impl Meaning {
    /// Returns the meaning of the argument of a tensor.
    pub(super) fn of(tensor: &Tensor) -> Meaning {
        Meaning { of: vec![tensor.name.clone()], what: String::new() }
    }
}

/// Returns the lines of source without marks, with their origins. A mark is a comment, and is the
/// origin of the lines from it to the end of its block or to the next mark of the block.
pub(super) fn unmarked(marked: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut marks: Vec<(usize, Origin)> = Vec::new();
    for text in marked.lines() {
        let code = text.trim_start();
        let indent = text.len() - code.len();
        let mark = code.strip_prefix("// ").and_then(Origin::parse);
        if mark.is_some() || !code.is_empty() {
            marks.retain(|(of, _)| *of < indent || mark.is_none() && *of == indent);
        }
        match mark {
            Some(origin) => marks.push((indent, origin)),
            None => {
                let origin = marks.last().map(|(_, origin)| *origin);
                let is_point = |mark: &&Origin| {
                    let is_same = origin.is_some_and(|own| own.number == mark.number);
                    is_same && matches!(mark.part, Part::Point(_))
                };
                let point = marks.iter().rev().map(|(_, mark)| mark).find(is_point).copied();
                lines.push(Line { text: text.to_owned(), origin, point });
            }
        }
    }
    lines
}

/// The largest table of common lines.
const TABLE: usize = 16_000_000;

/// Returns the lines of a source with the origins of the same lines of almost the same source. Other
/// lines have that of the line that begins their block.
pub(super) fn aligned(source: &str, marked: &[Line]) -> Vec<Line> {
    let texts: Vec<&str> = source.lines().collect();
    let same = |(text, line): (&&str, &Line)| **text == line.text;
    let start = texts.iter().zip(marked).take_while(|(text, line)| same((text, line))).count();
    let ends = texts[start..].iter().rev().zip(marked[start..].iter().rev());
    let end = ends.take_while(|(text, line)| same((text, line))).count();
    let own = &texts[start..texts.len() - end];
    let theirs = &marked[start..marked.len() - end];
    let mut found: Vec<Option<&Line>> = marked[..start].iter().map(Some).collect();
    found.extend(common(own, theirs));
    found.extend(marked[marked.len() - end..].iter().map(Some));
    let mut lines: Vec<Line> = Vec::new();
    for (text, found) in texts.into_iter().zip(found) {
        let indent = |text: &str| text.len() - text.trim_start().len();
        let line = found.cloned().unwrap_or_else(|| {
            let outer = |line: &&Line| !line.text.is_empty() && indent(&line.text) < indent(text);
            let outer = lines.iter().rev().find(outer);
            let (origin, point) = outer.map_or((None, None), |line| (line.origin, line.point));
            Line { text: text.to_owned(), origin, point }
        });
        lines.push(line);
    }
    lines
}

/// Returns for each text its line in a longest common subsequence of both.
fn common<'l>(texts: &[&str], lines: &'l [Line]) -> Vec<Option<&'l Line>> {
    let width = lines.len() + 1;
    if (texts.len() + 1).saturating_mul(width) > TABLE {
        return vec![None; texts.len()];
    }
    let mut longest = vec![0_u32; (texts.len() + 1) * width];
    for a in (0..texts.len()).rev() {
        for b in (0..lines.len()).rev() {
            longest[a * width + b] = match texts[a] == lines[b].text {
                true => longest[(a + 1) * width + b + 1] + 1,
                false => longest[(a + 1) * width + b].max(longest[a * width + b + 1]),
            };
        }
    }
    let (mut a, mut b, mut found) = (0, 0, vec![None; texts.len()]);
    while a < texts.len() && b < lines.len() {
        if texts[a] == lines[b].text {
            found[a] = Some(&lines[b]);
            (a, b) = (a + 1, b + 1);
        } else if longest[(a + 1) * width + b] >= longest[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    found
}

/// Returns an identifier and the meaning of its provisional name, in which names of tensors and
/// variables are marked: `p_‹a›`, `‹a›2_crd`.
pub(super) fn meaning(name: &str, identifier: &str, tensors: &[Tensor]) -> (String, Meaning) {
    let (mut of, mut rest, mut text) = (Vec::new(), String::new(), name);
    while let Some((before, after)) = text.split_once('‹') {
        let Some((inner, after)) = after.split_once('›') else { break };
        rest.push_str(before);
        rest.push('‹');
        let inner = inner.split('·').next().unwrap_or(inner);
        let tensor = tensors.iter().find(|tensor| plain(&tensor.argument) == inner);
        of.push(tensor.map_or(inner, |tensor| &tensor.name).to_owned());
        text = after;
    }
    rest.push_str(text);
    (identifier.to_owned(), Meaning { of, what: what(&rest) })
}

/// Returns the meaning of a name in which `‹` marks tensors and variables.
fn what(shape: &str) -> String {
    let level = |digits: &str| match digits {
        "" => String::new(),
        digits => format!(" of level {digits}"),
    };
    if let Some(rest) = shape.strip_prefix("p_‹") {
        let (digits, suffix) = split_digits(rest);
        return match suffix {
            "_end" => format!("the end of the positions{}", level(digits)),
            "_next" => format!("the next position{}", level(digits)),
            _ => format!("a position{}", level(digits)),
        };
    }
    let Some(rest) = shape.strip_prefix('‹') else { return String::new() };
    let (digits, suffix) = split_digits(rest);
    match suffix {
        "" => String::new(),
        "_vals" => "the values".to_owned(),
        "_size" => "the extent".to_owned(),
        "_value" => "the value at the coordinate".to_owned(),
        "_‹" => "the coordinate of the operand's own entry".to_owned(),
        "_pos" => format!("the positions{}", level(digits)),
        "_crd" => format!("the coordinates{}", level(digits)),
        other => format!("`{}`{}", other.trim_start_matches('_'), level(digits)),
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len())
}
