//! The layout of a file: blank lines, comments, and lines as wide as the project's own.
//!
//! `prettyplease` drops comments and blank lines, so each is a marker, the statement `comment!("…");`
//! or `blank!();`, until the text is laid out.

mod rustfmt;

use proc_macro2::TokenStream;
use quote::quote;

/// The widest line.
const WIDTH: usize = 100;

/// A comment as a statement or an item.
pub(super) fn comment(text: &str) -> TokenStream {
    quote!(comment!(#text);)
}

/// A blank line as a statement.
pub(super) fn blank() -> TokenStream {
    quote!(blank!();)
}

/// The text of a file: its head, then the items.
pub(super) fn lay_out(head: String, items: Vec<TokenStream>) -> String {
    let mut text = head;
    let (mut was_use, mut was_comment) = (false, false);
    for item in items {
        let item: syn::Item = syn::parse2(item).expect("every item is built as Rust source");
        let is_use = matches!(item, syn::Item::Use(_));
        let belongs_to_last = was_comment || (was_use && is_use);
        if !belongs_to_last {
            text.push('\n');
        }
        (was_use, was_comment) = (is_use, matches!(item, syn::Item::Macro(_)));
        let file =
            syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items: vec![item] };
        let laid_out = prettyplease::unparse(&file);
        let lines = laid_out.lines().map(String::from).collect();
        for line in if is_use { fill(lines) } else { join(lines) } {
            push_line(&mut text, &line);
        }
    }
    text
}

/// Fills the lines between the braces of a `use` that takes more than one.
fn fill(lines: Vec<String>) -> Vec<String> {
    let [first, names @ .., last] = lines.as_slice() else { return lines };
    let names = wrap(&names.join(" "), WIDTH - 4).into_iter().map(|line| format!("    {line}"));
    [first.clone()].into_iter().chain(names).chain([last.clone()]).collect()
}

/// Joins every list and every call of a method that was broken over lines although it fits one.
fn join(lines: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for line in lines {
        if let Some(receiver) = joined.last_mut()
            && let Some(whole) = whole_call(receiver, &line)
        {
            *receiver = whole;
            continue;
        }
        if rustfmt::break_again(&mut joined, &line) {
            continue;
        }
        joined.push(line);
        // A list ends here: look for where it began, and put the lines between together.
        while let Some(whole) = closed_list(&joined) {
            joined.truncate(whole.0);
            joined.push(whole.1);
        }
        embrace(&mut joined);
    }
    joined
}

/// Where the last line ends a call whose only argument is a list, puts their brackets together.
fn embrace(lines: &mut Vec<String>) {
    let Some((last, before)) = lines.split_last() else { return };
    let indent = indent_of(last);
    let Some(start) = before.iter().rposition(|line| indent_of(line) <= indent) else { return };
    let is_call = last[indent..].starts_with(')') && before[start].ends_with('(');
    let [first, items @ .., end] = &before[start + 1..] else { return };
    let is_list = first.trim_start() == "&[" && end.trim_start() == "],";
    let is_only = items.iter().all(|line| indent_of(line) > indent + 4);
    if !(is_call && is_list && is_only) {
        return;
    }
    let mut whole = vec![format!("{}&[", before[start])];
    whole.extend(items.iter().map(|line| line[4..].to_string()));
    whole.push(format!("{}]{}", &last[..indent], &last[indent..]));
    lines.truncate(start);
    lines.extend(whole);
}

/// A call of a method on one line with its receiver, if that is all of the chain and it fits.
fn whole_call(receiver: &str, line: &str) -> Option<String> {
    let call = line.trim_start();
    let is_call = call.starts_with('.') && call.ends_with([';', ',']);
    let follows = indent_of(line) == indent_of(receiver) + 4;
    let whole = format!("{receiver}{call}");
    (is_call && follows && whole.chars().count() <= WIDTH).then_some(whole)
}

/// The list that the last line ends, if it fits one line: where it begins, and the line.
fn closed_list(lines: &[String]) -> Option<(usize, String)> {
    let (last, before) = lines.split_last()?;
    let indent = indent_of(last);
    let closing = last[indent..].chars().next().filter(|c| ")]}".contains(*c))?;
    let start = before.iter().rposition(|line| indent_of(line) <= indent)?;
    let (open, items) = before[start..].split_first()?;
    let is_list = match closing {
        ')' => open.ends_with('('),
        ']' => open.ends_with('['),
        _ if open.ends_with(" = unsafe {") => matches!(items, [item] if !item.ends_with(';')),
        _ => {
            let name = open.trim().strip_suffix(" {")?;
            name.starts_with(char::is_uppercase) && name.chars().all(char::is_alphanumeric)
        }
    };
    let are_items = |line: &String| indent_of(line) == indent + 4 && line.ends_with(',');
    let is_lone = matches!(items, [item] if indent_of(item) == indent + 4);
    if !is_list || open.trim_start().starts_with("//") || !(is_lone || items.iter().all(are_items))
    {
        return None;
    }
    let inner: Vec<&str> = items.iter().map(|line| line.trim()).collect();
    let inner = inner.join(" ");
    let inner = inner.trim_end_matches(',');
    let space = if closing == '}' { " " } else { "" };
    let whole = format!("{open}{space}{inner}{space}{}", &last[indent..]);
    // A comment's marker is one line however long; it is wrapped as a comment.
    let fits = whole.chars().count() <= WIDTH || open.ends_with("comment!(");
    fits.then_some((start, whole))
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Adds a line; one that marks a comment becomes as many lines as the comment needs.
fn push_line(text: &mut String, line: &str) {
    let code = line.trim_start();
    if code == "blank!();" {
        text.push('\n');
        return;
    }
    let marked = code.strip_prefix("comment!(").and_then(|rest| rest.strip_suffix(");"));
    let Some(literal) = marked.and_then(|literal| syn::parse_str::<syn::LitStr>(literal).ok())
    else {
        text.push_str(line);
        text.push('\n');
        return;
    };
    let indent = &line[..indent_of(line)];
    for part in wrap(&literal.value(), WIDTH.saturating_sub(indent.len() + 3)) {
        text.push_str(format!("{indent}// {part}").trim_end());
        text.push('\n');
    }
}

/// Breaks text between words into lines of a width.
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

/// The words of a text; what stands between backticks is one of them.
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
        let text = lay_out(
            "// Head.\n".into(),
            vec![
                quote!(
                    use a::b;
                ),
                quote!(fn f() { if c { #first g(); #second } }),
                quote!(
                    fn h() {}
                ),
            ],
        );
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
