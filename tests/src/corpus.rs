//! The corpus as data: what its files say.
//!
//! A file of the folder `corpus` lists groups of cases:
//!
//! ```text
//! # A comment.
//! format rows = (i, j) -> (i : compressed, j : dense)
//!
//! spmv: y[i] = A[i,j] * x[j]
//!     A=csr|csc
//!     A=coo               @dtype=f32 @bounds=checked
//!     A=csc y=csf         ! needs a workspace
//! ```
//!
//! A group is a statement, and each line below it gives formats to its tensors; those that are not
//! mentioned are dense. Alternatives, parted by `|`, make a case each, so this is four cases:
//! `spmv_csr`, `spmv_csc`, `spmv_coo_f32_checked` and `spmv_csc_csf`, of which the compiler has to
//! refuse the last one, with that reason. What stands after `@` goes to the kernel's keys.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::statement::Statement;

/// An expression and formats.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The kernel's name, which says what the group and the formats are.
    pub name: String,
    /// Where in the corpus it stands, as `sums.txt:12`.
    pub place: String,
    /// The statement.
    pub statement: String,
    /// The manifest that declares the kernel.
    pub manifest: String,
    /// What the compiler has to say if it must refuse the case.
    pub refusal: Option<String>,
}

/// The cases of a file.
///
/// # Errors
/// The place of the mistake, and what is wrong there.
pub fn parse(file: &str, text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    let mut formats: Vec<(&str, &str)> = Vec::new();
    let mut group: Option<(&str, &str)> = None;
    for (number, line) in text.lines().enumerate() {
        let place = format!("{file}:{}", number + 1);
        let wrong = |reason: &str| format!("{place}: {reason}");
        let is_indented = line.starts_with(' ');
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if is_indented {
            let (name, statement) = group.ok_or_else(|| wrong("formats without a statement"))?;
            let group = Group { name, statement, formats: &formats };
            cases.extend(group.cases(&place, line).map_err(|reason| wrong(&reason))?);
        } else if let Some(format) = line.strip_prefix("format ") {
            let (name, value) = format.split_once('=').ok_or_else(|| wrong("no `=`"))?;
            formats.push((name.trim(), value.trim()));
        } else {
            let (name, statement) = line.split_once(':').ok_or_else(|| wrong("no `:`"))?;
            group = Some((name.trim(), statement.trim()));
        }
    }
    let mut names = BTreeSet::new();
    match cases.iter().find(|case| !names.insert(case.name.as_str())) {
        Some(again) => Err(format!("{}: there is a case `{}` already", again.place, again.name)),
        None => Ok(cases),
    }
}

struct Group<'t> {
    name: &'t str,
    statement: &'t str,
    formats: &'t [(&'t str, &'t str)],
}

impl Group<'_> {
    /// The cases of a line: the product of its alternatives.
    fn cases(&self, place: &str, line: &str) -> Result<Vec<Case>, String> {
        let (line, refusal) = match line.split_once('!') {
            Some((line, refusal)) => (line, Some(refusal.trim().to_owned())),
            None => (line, None),
        };
        let statement = Statement::parse(self.statement)?;
        let mut choices: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
        for word in line.split_whitespace() {
            let (key, alternatives) = word.split_once('=').ok_or(format!("no `=` in `{word}`"))?;
            let is_tensor = statement.accesses().iter().any(|access| access.tensor == key);
            if !is_tensor && !key.starts_with('@') {
                return Err(format!("the statement has no tensor `{key}`"));
            }
            let extended = choices.iter().flat_map(|choice| {
                alternatives.split('|').map(|format| {
                    let mut choice = choice.clone();
                    choice.push((key, format));
                    choice
                })
            });
            choices = extended.collect();
        }
        let case = |choice: Vec<(&str, &str)>| Case {
            name: self.case_name(&choice),
            place: place.to_owned(),
            statement: self.statement.to_owned(),
            manifest: self.manifest(&statement, &choice),
            refusal: refusal.clone(),
        };
        Ok(choices.into_iter().map(case).collect())
    }

    fn case_name(&self, choice: &[(&str, &str)]) -> String {
        let words = choice.iter().map(|(_, word)| *word);
        [self.name].into_iter().chain(words).collect::<Vec<_>>().join("_")
    }

    fn manifest(&self, statement: &Statement, choice: &[(&str, &str)]) -> String {
        let mut text = String::new();
        let used = |name: &str| choice.iter().any(|(_, format)| *format == name);
        if self.formats.iter().any(|(name, _)| used(name)) {
            text.push_str("[formats]\n");
        }
        for (name, format) in self.formats.iter().filter(|(name, _)| used(name)) {
            let quote = if format.starts_with('{') { "" } else { "\"" };
            let _ = writeln!(text, "{name} = {quote}{format}{quote}");
        }
        let _ = writeln!(text, "[kernels.{}]", self.case_name(choice));
        let _ = writeln!(text, "expr = \"{}\"", self.statement);
        let mut seen = BTreeSet::new();
        let mut tensors = Vec::new();
        for access in statement.accesses() {
            if !seen.insert(&access.tensor) {
                continue;
            }
            let chosen = choice.iter().find(|(key, _)| *key == access.tensor);
            match chosen {
                Some((tensor, format)) => tensors.push(format!("{tensor} = \"{format}\"")),
                None if access.variables.is_empty() => {}
                None => tensors.push(format!("{} = \"dense\"", access.tensor)),
            }
        }
        let _ = writeln!(text, "tensors = {{ {} }}", tensors.join(", "));
        for (key, value) in choice {
            if let Some(key) = key.strip_prefix('@') {
                let _ = writeln!(text, "{key} = \"{value}\"");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
# Products.
format rows = (i, j) -> (i : compressed, j : dense)

spmv: y[i] = A[i,j] * x[j]
    A=csr|rows
    A=csc y=csf @dtype=f32 ! needs a workspace
";

    #[test]
    fn a_line_makes_a_case_of_each_choice() {
        let cases = parse("products.txt", FILE).unwrap();
        let names: Vec<_> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["spmv_csr", "spmv_rows", "spmv_csc_csf_f32"]);
        assert_eq!(cases[1].place, "products.txt:5");
        assert_eq!(
            cases[1].manifest,
            "[formats]\nrows = \"(i, j) -> (i : compressed, j : dense)\"\n[kernels.spmv_rows]\n\
             expr = \"y[i] = A[i,j] * x[j]\"\n\
             tensors = { y = \"dense\", A = \"rows\", x = \"dense\" }\n"
        );
        assert_eq!(cases[2].refusal.as_deref(), Some("needs a workspace"));
        assert!(cases[2].manifest.ends_with("dtype = \"f32\"\n"));
    }

    #[test]
    fn mistakes_have_a_place() {
        let twice = format!("{FILE}    A=csr\n");
        for (text, reason) in [
            ("    A=csr", "x.txt:1: formats without a statement"),
            ("a: y[i] = x[i]\n    z=csr", "x.txt:2: the statement has no tensor `z`"),
            (&twice, "x.txt:7: there is a case `spmv_csr` already"),
        ] {
            assert_eq!(parse("x.txt", text).unwrap_err(), reason);
        }
    }
}
