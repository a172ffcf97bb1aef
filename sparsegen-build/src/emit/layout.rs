//! Formats a file with `prettyplease`, with comments and blank lines.
//!
//! `prettyplease` drops both, so they are represented by marker statements `comment!("…");` and
//! `blank!();` until the text is formatted.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{ParseStream, Parser};

use super::scope::{self, Names};

/// The maximal width of comments.
const WIDTH: usize = 100;

/// Returns the marker of a comment, as a statement or an item.
pub(super) fn comment(text: &str) -> TokenStream {
    quote!(comment!(#text);)
}

/// Returns the marker of a blank line.
pub(super) fn blank() -> TokenStream {
    quote!(blank!();)
}

/// An item as text.
pub(super) struct Item {
    text: String,
    is_use: bool,
    is_comment: bool,
}

impl Item {
    /// Formats an item without names that may be shadowed.
    pub(super) fn of(item: TokenStream) -> Item {
        Item::of_parsed(parsed(item).0)
    }

    /// Formats an item, and returns the names that it uses; `own` are the types that the file
    /// declares.
    pub(super) fn with_names(item: TokenStream, own: &BTreeSet<String>) -> (Item, Names) {
        let (plain, names) = parsed(item.clone());
        if names.are_plain(own) {
            return (Item::of_parsed(plain), names);
        }
        let (item, names) = parsed(scope::qualified(item, &names, own));
        (Item::of_parsed(item), names)
    }

    fn of_parsed(item: syn::Item) -> Item {
        let is_use = matches!(item, syn::Item::Use(_));
        let is_comment = matches!(item, syn::Item::Macro(_));
        let file =
            syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items: vec![item] };
        let mut text = String::new();
        push(&mut text, &prettyplease::unparse(&file));
        Item { text, is_use, is_comment }
    }
}

/// Parses an item, and returns the names that it uses.
fn parsed(item: TokenStream) -> (syn::Item, Names) {
    let parse = |input: ParseStream<'_>| {
        let mut names = Names::default();
        names.add(input.cursor());
        Ok((input.parse()?, names))
    };
    parse.parse2(item).expect("every item is built as Rust source")
}

/// Returns a file: its head, then the items, with blank lines between those that do not belong
/// together.
pub(super) fn file(head: String, items: impl IntoIterator<Item = Item>) -> String {
    let mut text = head;
    let (mut was_use, mut was_comment) = (false, false);
    for item in items {
        let belongs_to_last = was_comment || (was_use && item.is_use);
        if !belongs_to_last {
            text.push('\n');
        }
        (was_use, was_comment) = (item.is_use, item.is_comment);
        text.push_str(&item.text);
    }
    text
}

/// Appends formatted code, with comments and blank lines in place of their markers.
fn push(text: &mut String, laid_out: &str) {
    let mut lines = laid_out.lines();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        let marked = match code.strip_prefix("comment!(") {
            // A long text is on a separate line, followed by the closing parenthesis.
            Some("") => lines.next().map(str::trim).filter(|_| lines.next().is_some()),
            Some(rest) => rest.strip_suffix(");"),
            None => None,
        };
        let comment = marked.and_then(|literal| syn::parse_str::<syn::LitStr>(literal).ok());
        match comment {
            Some(comment) => {
                for part in wrap(&comment.value(), WIDTH.saturating_sub(indent.len() + 3)) {
                    text.push_str(format!("{indent}// {part}").trim_end());
                    text.push('\n');
                }
            }
            None if code == "blank!();" => text.push('\n'),
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
}

/// Breaks text into lines of a maximal width.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words(text) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            Some(_) | None => lines.push(word.to_string()),
        }
    }
    lines
}

/// Splits text into words; text between backticks is a single word.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_code = false;
    for word in text.split_whitespace() {
        match words.last_mut() {
            Some(last) if is_code => {
                last.push(' ');
                last.push_str(word);
            }
            Some(_) | None => words.push(word.to_owned()),
        }
        is_code ^= word.matches('`').count() % 2 == 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_survive_the_layout() {
        let long = "A and B ".repeat(15);
        let first = comment("Only \"B\" is left.");
        let second = comment(&long);
        let items = [
            quote!(
                use a::b;
            ),
            quote!(fn f() { if c { #first g(); #second } }),
            quote!(
                fn h() {}
            ),
        ];
        let text = file("// Head.\n".into(), items.map(Item::of));
        let expected = "\
// Head.

use a::b;

fn f() {
    if c {
        // Only \"B\" is left.
        g();
        // A and B A and B A and B A and B A and B A and B A and B A and B A and B A and B A and B A
        // and B A and B A and B A and B
    }
}

fn h() {}
";
        assert_eq!(text, expected);
    }
}
