//! Names in Rust: what a manifest's names become in generated code.
//!
//! Three kinds of identifiers stand in generated code. Those of arguments and functions are the
//! user's choice. Variables of a body are provisional names until [`Identifiers`] gives each an
//! identifier that nothing else has. Names of other crates stand in [`imported`].

pub mod imported;

use std::collections::{BTreeMap, BTreeSet};

/// Words that Rust keeps for itself, as of edition 2024.
const KEYWORDS: [&str; 52] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "Self",
];

/// Keywords that no prefix turns into a name.
const UNSPEAKABLE: [&str; 5] = ["self", "Self", "crate", "super", "_"];

/// Whether this is a letter or `_`, then letters, digits, `_`.
pub fn is_name(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether this is a keyword of Rust.
pub fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name) || name == "_"
}

/// Whether this is a path to something of Rust, such as `crate::ops::relu`.
pub fn is_path(path: &str) -> bool {
    let is_plain = |name: &str| is_name(name) && !is_keyword(name);
    if let Some(path) = path.strip_prefix("::") {
        return path.contains("::") && path.split("::").all(is_plain);
    }
    // A keyword is followed by a name of what it stands for.
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

/// A name as an identifier, with `r#` before a keyword; nothing where there is no way to write it.
pub fn identifier(name: &str) -> Option<String> {
    if UNSPEAKABLE.contains(&name) {
        return None;
    }
    Some(if is_keyword(name) { format!("r#{name}") } else { name.to_owned() })
}

/// `MassMatrix` and `massMatrix` as `mass_matrix`, `HTTPServer` as `http_server`, `A2` as `a2`.
pub fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (k, c) in letters.iter().enumerate() {
        let before = k.checked_sub(1).map(|k| letters[k]);
        let follows = letters.get(k + 1).copied();
        // A word begins at a capital after a small letter or a digit, and at the last capital of
        // several where a small letter follows.
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

/// A name without two underscores in a row but at its beginning, which rustc warns of.
fn single_underscores(name: &str) -> String {
    let start = name.len() - name.trim_start_matches('_').len();
    let words: Vec<&str> = name[start..].split('_').filter(|word| !word.is_empty()).collect();
    let last = if words.is_empty() || !name.ends_with('_') { "" } else { "_" };
    format!("{}{}{last}", &name[..start], words.join("_"))
}

/// The name of a function beside another one: `spmv_into`.
pub fn beside(name: &str, suffix: &str) -> String {
    let stem = name.trim_start_matches("r#").trim_end_matches('_');
    format!("{stem}_{}", single_underscores(suffix.trim_start_matches('_')))
}

/// The provisional name that stands for something of the user's within other provisional names:
/// `‹a›`, so that `p_‹a›_end` and `p_‹a_end›` differ.
pub fn provisional(name: &str) -> String {
    format!("‹{}›", name.trim_start_matches("r#"))
}

/// Like [`provisional`], for the `count`th of several that would have the same name.
pub fn provisional_of_several(name: &str, count: usize) -> String {
    format!("‹{}·{count}›", name.trim_start_matches("r#"))
}

/// The identifiers of a kernel's functions: what the user chose, and what was made of provisional
/// names, of which no two get the same identifier.
#[derive(Clone, Debug, Default)]
pub struct Identifiers {
    taken: BTreeSet<String>,
    given: BTreeMap<String, String>,
}

impl Identifiers {
    /// Keeps an identifier for what the user gave that name.
    pub fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// The identifier of a name; one that is not provisional is an identifier already.
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

/// The identifier that a provisional name would have if nothing else had it.
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

/// A name, or the first of it with a number behind that is free: `w`, `w2`, `a2_3`.
pub fn free(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let separator = if name.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
    let numbered = (2..).map(|k: usize| format!("{name}{separator}{k}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

/// `blocks4` as `Blocks4`, `mass_matrix` as `MassMatrix`.
pub fn camel_case(name: &str) -> String {
    let mut camel = String::new();
    for word in name.split('_') {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.extend(letters);
    }
    camel
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
        for (name, expected) in [("blocks4", "Blocks4"), ("a_b", "AB"), ("_x_", "X"), ("_", "")] {
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
