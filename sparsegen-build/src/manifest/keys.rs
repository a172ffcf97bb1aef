//! Unknown keys, and the keys that are meant by them.

use crate::error::{Code, Diagnostic, nearest};

use super::values::Entry;

/// Names under which a key may be looked for, the key, and what stands under it. They are the names
/// of other tables for similar content, or longer words.
const OTHER_NAMES: [(&str, &str, &str); 7] = [
    ("formats", "tensors", "the formats of a kernel's tensors stand"),
    ("format", "tensors", "the formats of a kernel's tensors stand"),
    ("format", "map", "the map or the name of a format stands"),
    ("expression", "expr", "the statement of a kernel stands"),
    ("statement", "expr", "the statement of a kernel stands"),
    ("statements", "exprs", "the statements of a kernel stand"),
    ("parameters", "params", "the parameters of a kernel stand"),
];

/// Returns the entries of a table that have one of the keys `known`, and reports the others. An
/// entry with another key is returned under the key that is meant, if that is missing, so that no
/// errors follow from its absence.
pub(super) fn known<'t>(
    mut entries: Vec<Entry<'t>>,
    known: &[&str],
    table: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Entry<'t>> {
    let is_known = |entry: &Entry<'_>| known.contains(&entry.key.text.as_str());
    while let Some(place) = entries.iter().position(|entry| !is_known(entry)) {
        let Entry { key, value } = &entries[place];
        let message = format!("{table} has no key `{}`", key.text);
        let diagnostic = Diagnostic::new(Code::UnknownKey, key.span, message);
        let mut others = OTHER_NAMES.into_iter();
        let other = others.find(|(name, key_of, _)| *name == key.text && known.contains(key_of));
        let (meant, diagnostic) = match other {
            Some((_, meant, what)) => {
                let line = value.line().map(|line| format!(": {meant} = {line}"));
                let line = line.unwrap_or_default();
                (Some(meant), diagnostic.help(format!("{what} under `{meant}`{line}")))
            }
            None => {
                let near = nearest(&key.text, known.iter().copied());
                (near, diagnostic.suggest(&key.text, known.iter().copied(), "its keys"))
            }
        };
        diagnostics.push(diagnostic);
        match meant.filter(|meant| entries.iter().all(|entry| entry.key.text != **meant)) {
            Some(meant) => meant.clone_into(&mut entries[place].key.text),
            None => drop(entries.remove(place)),
        }
    }
    entries
}
