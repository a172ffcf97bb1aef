//! The source of a kernel, whose lines have the parts of the loops that they come from.

use std::fmt::Write as _;

use sparsegen_build::inspect::{Kernel, Line};

use super::{escaped, key};

/// Returns the functions with loops, and below them everything else.
pub fn section(kernel: &Kernel) -> String {
    let items = items(&kernel.lines);
    let has_loops = |item: &&[(usize, &Line)]| item.iter().any(|(_, line)| line.origin.is_some());
    let (loops, others): (Vec<_>, Vec<_>) =
        items.iter().map(Vec::as_slice).partition(|item| has_loops(item));
    let mut html = String::from(
        "<p class=\"note\">Point at a line, a merge point or an operand to see what belongs to it; click to keep it.</p>\n",
    );
    source(kernel, &loops, &mut html);
    html.push_str("<details><summary>Entry points and imports</summary>\n");
    source(kernel, &others, &mut html);
    html.push_str("</details>\n");
    html
}

fn source(kernel: &Kernel, items: &[&[(usize, &Line)]], html: &mut String) {
    html.push_str("<pre class=\"source panel\">");
    for (k, item) in items.iter().enumerate() {
        if k > 0 {
            html.push_str("<span class=\"l\"> </span>");
        }
        for (number, line) in *item {
            let parts: Vec<String> =
                line.origin.iter().chain(&line.point).map(|origin| key(*origin)).collect();
            let mut parts = parts;
            parts.dedup();
            let parts = match parts.is_empty() {
                true => String::new(),
                false => format!(" data-parts=\"{}\"", parts.join(" ")),
            };
            let _ = write!(
                html,
                "<span class=\"l\" id=\"L{number}\"{parts}>{}</span>",
                linked(kernel, line)
            );
        }
    }
    html.push_str("</pre>\n");
}

/// Returns the items of a file with the numbers of their lines; blank lines outside of bodies
/// separate them.
fn items(lines: &[Line]) -> Vec<Vec<(usize, &Line)>> {
    let mut items: Vec<Vec<(usize, &Line)>> = vec![Vec::new()];
    let mut is_outside = true;
    for (k, line) in lines.iter().enumerate() {
        if line.text.is_empty() && is_outside {
            items.push(Vec::new());
            continue;
        }
        if !line.text.starts_with([' ', '/']) && !line.text.is_empty() {
            is_outside = line.text.ends_with(['}', ';']) || line.text.starts_with('#');
        }
        items.last_mut().expect("it is not empty").push((k + 1, line));
    }
    items.retain(|item| !item.is_empty());
    items
}

/// Returns a line whose identifiers have the tensors that they belong to.
fn linked(kernel: &Kernel, line: &Line) -> String {
    if line.text.trim().is_empty() {
        return " ".to_owned();
    }
    let text = &line.text;
    if text.trim_start().starts_with("//") {
        return format!("<span class=\"note\">{}</span>", escaped(text));
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut html = String::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find(is_word) {
        html.push_str(&escaped(&rest[..start]));
        rest = &rest[start..];
        let (word, after) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
        rest = after;
        let meaning = kernel.names.get(word);
        let of: Vec<&str> = meaning.map_or(Vec::new(), |meaning| {
            let tensors =
                meaning.of.iter().filter(|of| kernel.tensors.iter().any(|t| t.name == **of));
            tensors.map(String::as_str).collect()
        });
        match meaning.filter(|_| !of.is_empty()) {
            Some(meaning) => {
                let what = match meaning.what.as_str() {
                    "" => of.join(" "),
                    what => format!("{what} of {}", of.join(" ")),
                };
                let _ = write!(
                    html,
                    "<i data-of=\"{}\" title=\"{}\">{word}</i>",
                    escaped(&of.join(" ")),
                    escaped(&what)
                );
            }
            None => html.push_str(word),
        }
    }
    html + &escaped(rest)
}
