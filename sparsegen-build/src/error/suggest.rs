//! Suggestions for unknown names.

/// Returns the known name nearest to an unknown one, if it is near enough.
pub fn nearest<'n>(unknown: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let letters: Vec<char> = unknown.to_lowercase().chars().collect();
    // At most a third of the letters may differ: farther suggestions are rarely right.
    let tolerance = (letters.len() / 3).max(1);
    known
        .into_iter()
        .map(|name| (distance(&letters, &name.to_lowercase().chars().collect::<Vec<_>>()), name))
        .filter(|(distance, name)| *distance <= tolerance && *distance < name.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Returns the number of insertions, deletions, replacements and transpositions of letters.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

/// Returns a list such as "`a`, `b` and `c`".
pub fn quoted<S: AsRef<str>>(names: &[S]) -> String {
    let mut items: Vec<_> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match items.pop() {
        None => String::new(),
        Some(last) if items.is_empty() => last,
        Some(last) => format!("{} and {last}", items.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let known = ["tensors", "expr", "exprs", "dtype"];
        let cases = [
            ("tensor", Some("tensors")),
            ("Expr", Some("expr")),
            ("dytpe", Some("dtype")),
            ("exp", Some("expr")),
            ("format", None),
            ("x", None),
        ];
        for (unknown, expected) in cases {
            assert_eq!(nearest(unknown, known), expected, "{unknown}");
        }
    }

    #[test]
    fn names_are_listed() {
        assert_eq!(quoted::<&str>(&[]), "");
        assert_eq!(quoted(&["a"]), "`a`");
        assert_eq!(quoted(&["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
