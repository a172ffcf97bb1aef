//! Invalid manifests: pieces of valid ones, changed at random.

use crate::random::Random;

/// Words of manifests that mutations insert, in addition to those of the given manifests.
const WORDS: [&str; 58] = [
    "0",
    "1",
    "-1",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "0.5",
    "1e400",
    "inf",
    "nan",
    "true",
    "i",
    "j",
    "k",
    "A",
    "B",
    "y",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "->",
    "=",
    "+=",
    "min=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "#",
    "==",
    "<=",
    "&",
    "|",
    "!",
    "..",
    "in",
    "step",
    "shift",
    "sum[j]",
    "argmin[k]",
    "select",
    "present",
    "dense",
    "compressed",
    "hashed",
    "singleton",
    "structured(2, 4)",
    "(nonordered)",
    "(nonunique)",
    "\"",
];

/// The largest length of a manifest, in bytes.
const LONGEST: usize = 20_000;

/// Returns one of the manifests with a few random changes, which may insert parts of others.
pub fn mutated(manifests: &[String], random: &mut Random) -> String {
    let mut text = manifests[random.below(manifests.len())].clone();
    for _ in 0..1 + random.below(4) {
        let other = &manifests[random.below(manifests.len())];
        text = changed(&text, other, random);
        if text.len() > LONGEST {
            let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            text.truncate(end);
        }
    }
    text
}

fn changed(text: &str, other: &str, random: &mut Random) -> String {
    let mut tokens = tokens(text);
    if tokens.is_empty() {
        return other.to_owned();
    }
    let at = random.below(tokens.len());
    let others = self::tokens(other);
    let word = match random.below(2) {
        0 => WORDS[random.below(WORDS.len())].to_owned(),
        _ if others.is_empty() => String::new(),
        _ => others[random.below(others.len())].to_owned(),
    };
    match random.below(12) {
        0 => {
            tokens.remove(at);
        }
        1 => tokens.insert(at, tokens[at]),
        2 => {
            let with = random.below(tokens.len());
            tokens.swap(at, with);
        }
        3..=6 => return replaced(&tokens, at, &word),
        7 => return replaced(&tokens, at, &format!("{}{word}", tokens[at])),
        8 => {
            // Repeats a token, for deep nesting.
            let times = [3, 20, 200][random.below(3)];
            return replaced(&tokens, at, &tokens[at].repeat(times));
        }
        9 => return lines(text, other, random),
        10 => {
            let end = random.below(text.len() + 1);
            let end = (0..=end).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            return text[..end].to_owned();
        }
        _ => {
            let strange = ['\0', 'é', '"', '\\', '\n', '\t', '∞', '$', '\u{202e}'];
            let mut text = text.to_owned();
            let at = random.below(text.len() + 1);
            let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            text.insert(at, strange[random.below(strange.len())]);
            return text;
        }
    }
    tokens.concat()
}

/// Returns the tokens with one of them replaced.
fn replaced(tokens: &[&str], at: usize, word: &str) -> String {
    let mut tokens = tokens.to_vec();
    tokens[at] = word;
    tokens.concat()
}

/// Returns the text with a line removed, repeated or replaced by one of another text.
fn lines(text: &str, other: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let others: Vec<&str> = other.lines().collect();
    if lines.is_empty() || others.is_empty() {
        return other.to_owned();
    }
    let at = random.below(lines.len());
    match random.below(4) {
        0 => {
            lines.remove(at);
        }
        1 => lines.insert(at, lines[at]),
        2 => lines[at] = others[random.below(others.len())],
        _ => lines.extend(others),
    }
    lines.join("\n")
}

/// Splits a text into names, numbers, white space and single characters.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if first == ' ' {
            rest.find(|c| c != ' ').unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, behind) = rest.split_at(end);
        tokens.push(token);
        rest = behind;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_make_up_the_text() {
        let text = "[kernels.a]\nexpr = \"y[i] = Ä[i,j] *  x[j]\"";
        assert_eq!(tokens(text).concat(), text);
        assert_eq!(tokens("ab  c[1]"), ["ab", "  ", "c", "[", "1", "]"]);
    }

    #[test]
    fn texts_of_a_seed_are_the_same() {
        let manifests = ["a = 1".to_owned(), "[b]\nc = \"é\"".to_owned()];
        let all = || {
            let mut random = Random::seeded("seed");
            (0..300).map(|_| mutated(&manifests, &mut random)).collect::<Vec<_>>()
        };
        assert_eq!(all(), all());
        assert!(all().iter().all(|text| text.len() <= LONGEST));
    }
}
