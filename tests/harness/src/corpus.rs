//! The corpus as data.
//!
//! Each subfolder of `corpus` is a part with a test of its own, so that the parts are built in
//! parallel. A file lists groups of cases:
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
//! A group is a statement, and each line below it sets formats of its tensors; other tensors are
//! dense. Alternatives, separated by `|`, are different cases, so these are four cases:
//! `spmv_dense_csr_dense`, named after the formats of `y`, `A` and `x`, `spmv_dense_csc_dense`,
//! `spmv_dense_coo_dense_f32_checked` and `spmv_csf_csc_dense`, the last of which the compiler must
//! refuse for the given reason. Words after `@` are keys of the kernel; the commands of `@schedule`
//! are separated by `;` and contain no spaces. A case that several lines generate is one case.
//! A format may be followed by an element type, by a fill value, `csr:fill-1`, and by `one`, for a
//! pattern: `A=csr:f32`, `M=csr:one`. `@semiring=min_plus` and `@dtype=bool` are keys like others.
//!
//! A line `random early 40 without 3 7` adds the kernels 0 to 39 of the seed `early`, except two.
//!
//! Several statements of one kernel are separated by `;`; each of them is a case that checks its
//! result.
//!
//! Variables have one letter each; a longer name in an index is a parameter, as in `A[i in 0..hi]`.
//! A parameter that is used as a value is declared: `@params=r:index,s:index`. `@sizes=k:4` gives a
//! variable a constant extent.

mod choice;

use std::fmt::Write as _;

use crate::generate::draft;
use crate::own::{BY_CONSTANTS, BY_PATHS, BY_WHOLE_CONSTANTS};
use crate::statement::{Expr, Statement};

pub use choice::{Choice, Storage};

/// A statement with formats.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The name of the kernel, made from the group and the formats.
    pub name: String,
    /// The place in the corpus, such as `sums.txt:12`.
    pub place: String,
    /// The statement.
    pub statement: String,
    /// The manifest that declares the kernel.
    pub manifest: String,
    /// Manifests of kernels with only the first statements, each with one more, if a statement
    /// updates an earlier result: only they return the intermediate results.
    pub beginnings: Vec<(String, String)>,
    /// The content of the line: formats by tensor, and keys after `@`.
    pub choice: Vec<(String, String)>,
    /// The expected message, if the compiler must refuse the case.
    pub refusal: Option<String>,
}

impl Case {
    /// Returns whether it is in a sample of about one of so many cases. This depends on its name (FNV-1a)
    /// and not on the other cases.
    #[must_use]
    pub fn is_one_of(&self, many: u64) -> bool {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.name.bytes().fold(0xcbf2_9ce4_8422_2325, mix).is_multiple_of(many.max(1))
    }

    /// Returns the case with kernels that run on threads wherever they can.
    #[must_use]
    pub fn on_threads(mut self) -> Case {
        let manifests = self.beginnings.iter_mut().map(|(_, manifest)| manifest);
        for manifest in manifests.chain([&mut self.manifest]) {
            manifest.insert_str(0, "[defaults]\nparallel = true\n\n");
        }
        self
    }
}

/// Parses the cases of a file.
///
/// # Errors
/// The place and the description of the error.
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
            for case in group.cases(&place, line).map_err(|reason| wrong(&reason))? {
                match cases.iter().find(|known| known.name == case.name) {
                    None => cases.push(case),
                    Some(known) if known.manifest == case.manifest => {}
                    Some(known) => {
                        return Err(wrong(&format!("`{}` is at {} too", case.name, known.place)));
                    }
                }
            }
        } else if let Some(batch) = line.strip_prefix("random ") {
            cases.extend(drawn(batch, &place).map_err(|reason| wrong(&reason))?);
        } else if let Some(format) = line.strip_prefix("format ") {
            let (name, value) = format.split_once('=').ok_or_else(|| wrong("no `=`"))?;
            formats.push((name.trim(), value.trim()));
        } else {
            let (name, statement) = line.split_once(':').ok_or_else(|| wrong("no `:`"))?;
            group = Some((name.trim(), statement.trim()));
        }
    }
    Ok(cases)
}

/// Returns the kernels of a seed: `seed 40 without 3 7`.
fn drawn(batch: &str, place: &str) -> Result<Vec<Case>, String> {
    let (drawn, without) = batch.split_once(" without ").unwrap_or((batch, ""));
    let (seed, count) = drawn.split_once(' ').ok_or("no number behind the seed")?;
    let number = |word: &str| word.parse::<usize>().map_err(|error| error.to_string());
    let without = without.split_whitespace().map(number).collect::<Result<Vec<_>, _>>()?;
    let mut cases = Vec::new();
    for k in (0..number(count)?).filter(|k| !without.contains(k)) {
        let text = draft(&format!("{seed} {k}")).lines(&format!("{seed}_{k}"));
        let drawn = parse("random", &text)?.into_iter();
        cases.extend(drawn.map(|case| Case { place: format!("{place}, {seed} {k}"), ..case }));
    }
    Ok(cases)
}

struct Group<'t> {
    name: &'t str,
    statement: &'t str,
    formats: &'t [(&'t str, &'t str)],
}

impl Group<'_> {
    /// Returns the cases of a line, the product of its alternatives.
    fn cases(&self, place: &str, line: &str) -> Result<Vec<Case>, String> {
        let (line, refusal) = match line.split_once('!') {
            Some((line, refusal)) => (line, Some(refusal.trim().to_owned())),
            None => (line, None),
        };
        let words: Vec<(&str, &str)> =
            line.split_whitespace().filter_map(|word| word.split_once('=')).collect();
        let statements = Statement::parse_all(self.statement, &Choice(&words).parameter_names())?;
        let statement = Statement::united(&statements).ok_or("no statement")?;
        let mut choices: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
        for word in line.split_whitespace() {
            let (key, alternatives) = word.split_once('=').ok_or(format!("no `=` in `{word}`"))?;
            let accesses = statement.accesses();
            let is_tensor = accesses.iter().any(|access| statement.tensor(access) == key);
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
            name: self.case_name(&statement, &choice),
            place: place.to_owned(),
            statement: self.statement.to_owned(),
            manifest: self.manifest(&self.case_name(&statement, &choice), &statement, &choice),
            beginnings: self.beginnings(&self.case_name(&statement, &choice), &statements, &choice),
            choice: choice.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            refusal: refusal.clone(),
        };
        Ok(choices.into_iter().map(case).collect())
    }

    /// Returns the formats of the tensors, the result first; scalars that the line does not mention
    /// have none.
    fn formats_of<'c>(
        statement: &'c Statement,
        choice: &[(&'c str, &'c str)],
    ) -> Vec<(&'c str, &'c str)> {
        let mut formats: Vec<(&str, &str)> = Vec::new();
        for access in statement.accesses() {
            let tensor = statement.tensor(access);
            let chosen = choice.iter().find(|(key, _)| *key == tensor).map(|(_, format)| *format);
            let default = (!statement.modes(access).is_empty()).then_some("dense");
            if formats.iter().all(|(known, _)| *known != tensor) {
                formats.extend(chosen.or(default).map(|format| (tensor, format)));
            }
        }
        formats
    }

    fn case_name(&self, statement: &Statement, choice: &[(&str, &str)]) -> String {
        let formats = Self::formats_of(statement, choice);
        let keys = choice.iter().filter(|(key, _)| key.starts_with('@'));
        let words = formats.iter().chain(keys).map(|(_, word)| *word);
        let name = [self.name].into_iter().chain(words).collect::<Vec<_>>().join("_");
        // Only the names and numbers of a command are kept.
        let words = name.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_").to_lowercase()
    }

    /// Returns the names and manifests of kernels with only the first statements.
    fn beginnings(
        &self,
        name: &str,
        statements: &[Statement],
        choice: &[(&str, &str)],
    ) -> Vec<(String, String)> {
        let results: Vec<_> = statements.iter().map(|s| s.tensor(&s.result)).collect();
        let is_changed = |k: usize| results[k + 1..].contains(&results[k]);
        if !(0..results.len()).any(is_changed) {
            return Vec::new();
        }
        let texts: Vec<&str> = self.statement.split(';').collect();
        let beginning = |count: usize| {
            let text = texts[..count].join(";");
            let name = format!("{name}_until_{count}");
            let group = Group { name: self.name, statement: &text, formats: self.formats };
            let united = Statement::united(&statements[..count])?;
            let manifest = group.manifest(&name, &united, choice);
            Some((name, manifest))
        };
        (1..texts.len()).filter_map(beginning).collect()
    }

    fn manifest(&self, name: &str, statement: &Statement, choice: &[(&str, &str)]) -> String {
        let mut text = String::new();
        let is_format = |word: &str, name: &str| word.split(':').next() == Some(name);
        let used = |name: &str| choice.iter().any(|(_, word)| is_format(word, name));
        if self.formats.iter().any(|(name, _)| used(name)) {
            text.push_str("[formats]\n");
        }
        for (name, format) in self.formats.iter().filter(|(name, _)| used(name)) {
            let quote = if format.starts_with('{') { "" } else { "\"" };
            let _ = writeln!(text, "{name} = {quote}{format}{quote}");
        }
        let semiring = match Choice(choice).word("@semiring") {
            Some("by_paths") => Some(BY_PATHS),
            Some("by_constants") => Some(BY_CONSTANTS),
            Some("by_whole_constants") => Some(BY_WHOLE_CONSTANTS),
            _ => None,
        };
        if let (Some(name), Some(declared)) = (Choice(choice).word("@semiring"), semiring) {
            let _ = writeln!(text, "[semirings.{name}]\n{declared}");
        }
        statement.value.visit(&mut |expr| {
            if let Expr::Own(own, _) = expr
                && !text.contains(&own.header())
            {
                let _ = writeln!(text, "{}\n{}", own.header(), own.declaration);
            }
        });
        let _ = writeln!(text, "[kernels.{name}]");
        let statements: Vec<&str> = self.statement.split(';').map(str::trim).collect();
        match statements.as_slice() {
            [statement] => writeln!(text, "expr = \"{statement}\""),
            statements => writeln!(text, "exprs = {statements:?}"),
        }
        .unwrap_or_default();
        let formats = Self::formats_of(statement, choice).into_iter();
        let tensors: Vec<String> =
            formats.map(|(tensor, format)| declared(tensor, format, choice)).collect();
        let _ = writeln!(text, "tensors = {{ {} }}", tensors.join(", "));
        let mut parameters = Choice(choice).parameters();
        for name in statement.parameters() {
            if parameters.iter().all(|(known, _)| *known != name) {
                parameters.push((name, "index"));
            }
        }
        if !parameters.is_empty() {
            let declared: Vec<_> =
                parameters.iter().map(|(name, kind)| format!("{name} = \"{kind}\"")).collect();
            let _ = writeln!(text, "params = {{ {} }}", declared.join(", "));
        }
        let sizes = Choice(choice).sizes();
        if !sizes.is_empty() {
            let sizes: Vec<_> = sizes.iter().map(|(v, extent)| format!("{v} = {extent}")).collect();
            let _ = writeln!(text, "sizes = {{ {} }}", sizes.join(", "));
        }
        for (key, value) in choice {
            match key.strip_prefix('@') {
                Some("schedule") => {
                    let commands: Vec<&str> = value.split(';').collect();
                    let _ = writeln!(text, "schedule = {commands:?}");
                }
                Some("params" | "sizes") | None => {}
                Some(key) => {
                    let quote = if matches!(*value, "true" | "false") { "" } else { "\"" };
                    let _ = writeln!(text, "{key} = {quote}{value}{quote}");
                }
            }
        }
        text
    }
}

/// Returns the declaration of a tensor in a manifest.
fn declared(tensor: &str, format: &str, choice: &[(&str, &str)]) -> String {
    match Choice(choice).storage(tensor) {
        Some(Storage { format, dtype, is_pattern, fill })
            if dtype.is_some() || is_pattern || fill.is_some() =>
        {
            let dtype = dtype.map(|dtype| format!(", dtype = \"{dtype}\"")).unwrap_or_default();
            let values = if is_pattern { ", values = \"one\"" } else { "" };
            let format = match fill {
                Some(fill) if fill.contains("inf") => {
                    format!("{{ map = \"{format}\", fill = \"{fill}\" }}")
                }
                Some(fill) => format!("{{ map = \"{format}\", fill = {fill} }}"),
                None => format!("\"{format}\""),
            };
            format!("{tensor} = {{ format = {format}{dtype}{values} }}")
        }
        Some(_) | None => format!("{tensor} = \"{format}\""),
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
        assert_eq!(
            names,
            ["spmv_dense_csr_dense", "spmv_dense_rows_dense", "spmv_csf_csc_dense_f32"]
        );
        assert_eq!(cases[1].place, "products.txt:5");
        assert_eq!(
            cases[1].manifest,
            "[formats]\nrows = \"(i, j) -> (i : compressed, j : dense)\"\n[kernels.spmv_dense_rows_dense]\n\
             expr = \"y[i] = A[i,j] * x[j]\"\n\
             tensors = { y = \"dense\", A = \"rows\", x = \"dense\" }\n"
        );
        assert_eq!(cases[2].refusal.as_deref(), Some("needs a workspace"));
        assert!(cases[2].manifest.ends_with("dtype = \"f32\"\n"));
    }

    #[test]
    fn a_seed_stands_for_its_kernels() {
        let cases = parse("drawn.txt", "# Drawn.\nrandom early 4 without 1 2\n").unwrap();
        let names: Vec<_> = cases.iter().map(|case| case.name.as_str()).collect();
        assert!(names[0].starts_with("early_0") && names[1].starts_with("early_3"), "{names:?}");
        assert_eq!((cases.len(), cases[1].place.as_str()), (2, "drawn.txt:2, early 3"));
        assert!(parse("drawn.txt", "random early").is_err());
    }

    #[test]
    fn tensors_have_types_and_kernels_keys() {
        let text = "\
scaled: y[i] = f64(A[i,j]) * x[j] * top * (i < at)
    A=csr:f32|coo:one:f32 @params=at:index,top:index @semiring=max_times
";
        let cases = parse("types.txt", text).unwrap();
        assert_eq!(cases[1].name, "scaled_dense_coo_one_f32_dense_at_index_top_index_max_times");
        assert_eq!(
            cases[0].manifest.lines().skip(2).collect::<Vec<_>>().join("\n"),
            "tensors = { y = \"dense\", A = { format = \"csr\", dtype = \"f32\" }, x = \"dense\" }\n\
             params = { at = \"index\", top = \"index\" }\n\
             semiring = \"max_times\""
        );
        assert!(cases[1].manifest.contains("dtype = \"f32\", values = \"one\" }"));
    }

    #[test]
    fn mistakes_have_a_place() {
        let twice = format!("{FILE}spmv: y[i] = A[j,i] * x[j]\n    A=csr\n");
        for (text, reason) in [
            ("    A=csr", "x.txt:1: formats without a statement"),
            ("a: y[i] = x[i]\n    z=csr", "x.txt:2: the statement has no tensor `z`"),
            (&twice, "x.txt:8: `spmv_dense_csr_dense` is at x.txt:5 too"),
        ] {
            assert_eq!(parse("x.txt", text).unwrap_err(), reason);
        }
    }
}
