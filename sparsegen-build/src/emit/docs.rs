//! Emits documentation as attributes.

use proc_macro2::TokenStream;
use quote::quote;

use super::layout::wrap;

/// The maximal width of documentation, without indentation and `///`.
const WIDTH: usize = 96;

/// Emits lines of documentation, wrapped except for tables and code.
pub(super) fn attributes(lines: &[String]) -> TokenStream {
    let mut is_code = false;
    let mut wrapped = Vec::new();
    for line in lines {
        is_code ^= line.trim_start().starts_with("```");
        let is_text = !is_code && !line.starts_with(['|', ' ', '`']);
        match line.strip_prefix("- ") {
            Some(item) if is_text => {
                let indents = std::iter::once("- ").chain(std::iter::repeat("  "));
                let item = indents.zip(wrap(item, WIDTH - 2));
                wrapped.extend(item.map(|(indent, line)| format!("{indent}{line}")));
            }
            Some(_) | None if is_text && line.chars().count() > WIDTH => {
                wrapped.extend(wrap(line, WIDTH));
            }
            Some(_) | None => wrapped.push(line.clone()),
        }
    }
    let line = |line: String| if line.is_empty() { line } else { format!(" {line}") };
    let lines = wrapped.into_iter().map(line);
    quote!(#(#[doc = #lines])*)
}
