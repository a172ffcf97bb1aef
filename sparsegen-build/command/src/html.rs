//! The page on a kernel: one file without other resources.
//!
//! Elements of the page that belong together have common keys: `data-parts` are parts of loops, such
//! as `1.p0` for a merge point and `1.b2` for a body, and `data-of` are names of tensors. The script
//! of the page lights up the elements with the keys of the one that is pointed at.

mod code;
mod graph;
mod lattice;
mod statement;
mod storage;

use std::fmt::Write as _;

use sparsegen_build::inspect::{Kernel, Origin, Part};

use crate::manifest::Manifest;

/// Returns the page on a kernel of a manifest.
pub fn page(manifest: &Manifest, kernel: &Kernel) -> String {
    let mut body = String::new();
    let _ = writeln!(body, "<h1>{}</h1>\n<main>\n<div class=\"decisions\">", escaped(&kernel.name));
    section(&mut body, "statement", "Statement", &statement::section(manifest, kernel));
    let several = kernel.statements.len() > 1;
    for (k, statement) in kernel.statements.iter().enumerate() {
        let of = if several { format!(" of {}", escaped(&statement.name)) } else { String::new() };
        let id = |name: &str| if several { format!("{name}-{k}") } else { name.to_owned() };
        let graph = graph::section(statement);
        section(&mut body, &id("graph"), &format!("Iteration graph{of}"), &graph);
        let loops = lattice::section(statement);
        section(&mut body, &id("loops"), &format!("Loops and merge lattices{of}"), &loops);
    }
    section(&mut body, "storage", "Storage of small examples", &storage::section(kernel));
    body.push_str("</div>\n");
    section(&mut body, "code", "Generated code", &code::section(kernel));
    body.push_str("</main>\n");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{} – sparsegen</title>\n<style>\n{}</style>\n</head>\n<body>\n{body}\
         <script>\n{}</script>\n</body>\n</html>\n",
        escaped(&kernel.name),
        include_str!("html/page.css"),
        include_str!("html/page.js"),
    )
}

fn section(body: &mut String, id: &str, title: &str, content: &str) {
    if !content.is_empty() {
        let _ = writeln!(body, "<section id=\"{id}\">\n<h2>{title}</h2>\n{content}</section>");
    }
}

/// Returns text in which no character has a meaning in HTML.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns the key of a part of a loop.
fn key(origin: Origin) -> String {
    match origin.part {
        Part::Point(point) => format!("{}.p{point}", origin.number),
        Part::Body(body) => format!("{}.b{body}", origin.number),
    }
}

/// Returns the estimated width of text in a drawing.
fn width(text: &str) -> f64 {
    7.3 * text.chars().count() as f64
}
