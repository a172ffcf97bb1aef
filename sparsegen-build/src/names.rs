//! Identifiers of generated code.
//!
//! Generated code contains three kinds of identifiers. The user chooses those of arguments and
//! functions. Variables of a body have provisional names until [`Identifiers`] assigns a unique
//! identifier to each. Names of other crates are listed in [`imported`].

pub mod imported;

use std::collections::{BTreeMap, BTreeSet};

/// The reserved words of Rust, as of edition 2024.
const KEYWORDS: [&str; 52] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "Self",
];

/// Keywords that cannot be raw identifiers.
const UNSPEAKABLE: [&str; 5] = ["self", "Self", "crate", "super", "_"];

/// Returns whether `name` consists of letters, digits and `_` and does not begin with a digit.
pub fn is_name(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns whether `name` is a keyword of Rust.
pub fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name) || name == "_"
}

/// Returns whether `path` is the path of a Rust item, such as `crate::ops::relu`.
pub fn is_path(path: &str) -> bool {
    let is_plain = |name: &str| is_name(name) && !is_keyword(name);
    if let Some(path) = path.strip_prefix("::") {
        return path.contains("::") && path.split("::").all(is_plain);
    }
    // A leading keyword must be followed by a name.
    let segments: Vec<&str> = path.split("::").collect();
    let (first, rest) = (segments[0], &segments[1..]);
    let supers = rest.iter().take_while(|name| **name == "super").count();
    let named = match first {
        "self" | "super" => &rest[supers..],
        "crate" => rest,
        _ => &segments[..],
    };
    !named.is_empty() && named.iter().all(|name| is_plain(name))
}

/// Returns a name as an identifier, with `r#` before a keyword, or `None` if it cannot be one.
pub fn identifier(name: &str) -> Option<String> {
    if UNSPEAKABLE.contains(&name) {
        return None;
    }
    Some(if is_keyword(name) { format!("r#{name}") } else { name.to_owned() })
}

/// Converts a name to snake case: `MassMatrix` and `massMatrix` to `mass_matrix`, `HTTPServer` to
/// `http_server`, `A2` to `a2`.
pub fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (k, c) in letters.iter().enumerate() {
        let before = k.checked_sub(1).map(|k| letters[k]);
        let follows = letters.get(k + 1).copied();
        // A word begins at a capital after a lowercase letter or a digit, and at the last of
        // several capitals before a lowercase letter.
        let begins = c.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || before.is_ascii_uppercase()
                        && follows.is_some_and(|follows| follows.is_ascii_lowercase())
            });
        if begins {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    single_underscores(&snake)
}

/// Returns a name with repeated underscores, of which rustc warns, reduced to one, except at its
/// beginning.
fn single_underscores(name: &str) -> String {
    let start = name.len() - name.trim_start_matches('_').len();
    let words: Vec<&str> = name[start..].split('_').filter(|word| !word.is_empty()).collect();
    let last = if words.is_empty() || !name.ends_with('_') { "" } else { "_" };
    format!("{}{}{last}", &name[..start], words.join("_"))
}

/// Returns a name without the prefix that makes a keyword an identifier.
pub fn plain(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// Returns the name of a variant of a function: `spmv_into`.
pub fn beside(name: &str, suffix: &str) -> String {
    let stem = plain(name).trim_end_matches('_');
    format!("{stem}_{}", single_underscores(suffix.trim_start_matches('_')))
}

/// Returns a provisional name that marks a name of the user within other provisional names: `‹a›`,
/// so that `p_‹a›_end` and `p_‹a_end›` differ.
pub fn provisional(name: &str) -> String {
    format!("‹{}›", plain(name))
}

/// Returns a provisional name like [`provisional`], numbered among those with the same name.
pub fn provisional_of_several(name: &str, count: usize) -> String {
    format!("‹{}·{count}›", plain(name))
}

/// The identifiers of a kernel's functions: chosen by the user, and unique ones for
/// provisional names.
#[derive(Clone, Debug, Default)]
pub struct Identifiers {
    taken: BTreeSet<String>,
    given: BTreeMap<String, String>,
}

impl Identifiers {
    /// Reserves an identifier that the user chose.
    pub fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// Returns the identifiers that were given to provisional names, each with the name.
    pub fn given(&self) -> impl Iterator<Item = (&str, &str)> {
        self.given.iter().map(|(name, identifier)| (name.as_str(), identifier.as_str()))
    }

    /// Returns the identifier of a name. A name that is not provisional is an identifier.
    pub fn identifier(&mut self, name: &str) -> String {
        if !name.contains('‹') {
            return name.to_owned();
        }
        if let Some(known) = self.given.get(name) {
            return known.clone();
        }
        let identifier = free(&wished(name), |name| self.taken.contains(name));
        self.taken.insert(identifier.clone());
        self.given.insert(name.to_owned(), identifier.clone());
        identifier
    }
}

/// Returns the preferred identifier of a provisional name.
fn wished(provisional: &str) -> String {
    let mut name = String::new();
    let mut counts = false;
    for c in provisional.chars() {
        counts = c == '·' || counts && c != '›';
        if !counts && !matches!(c, '‹' | '›') {
            name.push(c);
        }
    }
    let name = snake_case(&name);
    let name = name.trim_end_matches('_');
    match name {
        "" => "v".to_owned(),
        keyword if is_keyword(keyword) => format!("{keyword}_"),
        name => name.to_owned(),
    }
}

/// Returns a name, or the first unused one with a number appended: `w`, `w2`, `a2_3`.
pub fn free(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let separator = if name.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
    let numbered = (2..).map(|k: usize| format!("{name}{separator}{k}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

/// Converts a name to camel case: `blocks4` to `Blocks4`, `mass_matrix` to `MassMatrix`, and `_1` to
/// itself.
pub fn camel_case(name: &str) -> String {
    let mut camel = String::new();
    for word in name.split('_') {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.extend(letters);
    }
    match camel.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("_{camel}"),
        false => camel,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_snake_case() {
        let cases = [
            ("A", "a"),
            ("A2", "a2"),
            ("massMatrix", "mass_matrix"),
            ("MassMatrix", "mass_matrix"),
            ("HTTPServer", "http_server"),
            ("AB", "ab"),
            ("A_B", "a_b"),
            ("x", "x"),
            ("_", "_"),
            ("x2Y", "x2_y"),
            ("a__b", "a_b"),
            ("__a___b__", "__a_b_"),
            ("__", "__"),
            ("A_", "a_"),
        ];
        for (name, expected) in cases {
            assert_eq!(snake_case(name), expected);
        }
    }

    #[test]
    fn names_become_camel_case() {
        let cases = [
            ("blocks4", "Blocks4"),
            ("a_b", "AB"),
            ("_x_", "X"),
            ("_", ""),
            ("_1_by_row", "_1ByRow"),
        ];
        for (name, expected) in cases {
            assert_eq!(camel_case(name), expected);
        }
    }

    #[test]
    fn provisional_names_become_different_identifiers() {
        let mut identifiers = Identifiers::default();
        identifiers.reserve("a_vals");
        let cases = [
            ("‹a›_vals", "a_vals2"),
            ("a_vals", "a_vals"),
            ("p_‹a›_end", "p_a_end"),
            ("p_‹a_end›", "p_a_end2"),
            ("‹w·1›", "w"),
            ("‹w·2›", "w2"),
            ("‹self_›_vals", "self_vals"),
            ("‹K›", "k"),
            ("‹k›", "k2"),
            ("‹type›", "type_"),
            ("‹_›", "v"),
            ("‹a2›", "a2"),
            ("‹A2›", "a2_2"),
            ("‹a›_vals", "a_vals2"),
        ];
        for (name, expected) in cases {
            assert_eq!(identifiers.identifier(name), expected, "{name}");
        }
    }

    #[test]
    fn functions_beside_others_have_one_underscore() {
        assert_eq!(beside("spmv", "into"), "spmv_into");
        assert_eq!(beside("k_", "into"), "k_into");
        assert_eq!(beside("sum", "_x"), "sum_x");
    }

    #[test]
    fn keywords_become_raw() {
        assert_eq!(identifier("loop").as_deref(), Some("r#loop"));
        assert_eq!(identifier("x").as_deref(), Some("x"));
        assert_eq!(identifier("self"), None);
        assert_eq!(identifier("_"), None);
    }
}
