//! The statement of a kernel, as the manifest has it, and its tensors.

use std::fmt::Write as _;

use sparsegen_build::inspect::Kernel;

use crate::manifest::Manifest;

use super::escaped;

/// Returns the table of the manifest with its accesses linked, the tensors and the time.
pub fn section(manifest: &Manifest, kernel: &Kernel) -> String {
    let mut html = String::from("<pre class=\"panel scroll\">");
    for line in table(manifest, kernel) {
        let _ = writeln!(html, "{}", linked(line, kernel));
    }
    html.push_str("</pre>\n<div class=\"scroll\"><table>\n<tr><th>tensor</th><th>format</th><th>levels</th><th>type</th></tr>\n");
    for tensor in &kernel.tensors {
        let levels: Vec<&str> = tensor.levels.iter().map(|level| level.text.as_str()).collect();
        let role = if tensor.is_result { " (result)" } else { "" };
        let name = escaped(&tensor.name);
        let _ = writeln!(
            html,
            "<tr class=\"mono\"><td><i data-of=\"{name}\">{name}</i>{role}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escaped(&tensor.format),
            escaped(&levels.join(", ")),
            escaped(&tensor.dtype),
        );
    }
    let _ = writeln!(html, "</table></div>\n<p>{}</p>", escaped(&kernel.time.replace('`', "")));
    html
}

/// Returns the lines of the table `[kernels.NAME]` of the manifest.
fn table<'m>(manifest: &'m Manifest, kernel: &Kernel) -> Vec<&'m str> {
    let start = manifest.line(kernel.span.start) - 1;
    let lines: Vec<&str> = manifest.text.lines().collect();
    let is_head = |line: &&str| line.trim_start().starts_with('[') && !line.contains("\",");
    let first = lines[..=start.min(lines.len() - 1)].iter().rposition(is_head);
    let first = first.unwrap_or(0);
    let rest = lines[first + 1..].iter().position(is_head);
    let end = rest.map_or(lines.len(), |rest| first + 1 + rest);
    let mut table = lines[first..end].to_vec();
    let is_beside = |line: &&str| line.trim().is_empty() || line.starts_with('#');
    while table.last().is_some_and(is_beside) {
        table.pop();
    }
    table
}

/// Returns a line in which the names of tensors are linked: accesses `A[i,j]` and entries `A = …`.
fn linked(line: &str, kernel: &Kernel) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut html = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(is_word) {
        html.push_str(&escaped(&rest[..start]));
        rest = &rest[start..];
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let is_tensor = kernel.tensors.iter().any(|tensor| tensor.name == word);
        let is_entry = after.trim_start().starts_with('=') && html.ends_with(['{', ' ', '.']);
        match access(after).filter(|_| is_tensor) {
            Some(access) => {
                let _ = write!(html, "<i data-of=\"{word}\">{word}{}</i>", escaped(access));
                rest = &after[access.len()..];
            }
            None if is_tensor && (is_entry || !line.trim_start().starts_with("doc")) => {
                let _ = write!(html, "<i data-of=\"{word}\">{word}</i>");
                rest = after;
            }
            None => {
                html.push_str(word);
                rest = after;
            }
        }
    }
    html + &escaped(rest)
}

/// Returns the subscript at the start of a text: `[i,j]`.
fn access(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (k, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (k > 0).then(|| &text[..=k]);
        }
    }
    None
}
