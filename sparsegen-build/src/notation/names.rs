//! Names in Rust: what a manifest's names become in generated code.

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
    let begins = ["crate", "self", "super", "Self"];
    let is_segment = |name: &str| is_name(name) && (!is_keyword(name) || begins.contains(&name));
    path.strip_prefix("::").unwrap_or(path).split("::").all(is_segment)
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
    snake
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
    fn keywords_become_raw() {
        assert_eq!(identifier("loop").as_deref(), Some("r#loop"));
        assert_eq!(identifier("x").as_deref(), Some("x"));
        assert_eq!(identifier("self"), None);
        assert_eq!(identifier("_"), None);
    }
}
