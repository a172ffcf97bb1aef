//! Random kernels: well-typed statements on operands in random formats.

mod formats;
mod parts;
mod writer;

use std::fmt::Write as _;

use crate::dtype::Dtype;
use crate::random::Random;
use crate::statement::{Access, Expr};

use writer::Writer;

/// A kernel in the syntax of the corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The names and maps of the declared formats.
    pub formats: Vec<(String, String)>,
    /// The statements.
    pub statements: Vec<Line>,
    /// The formats of the tensors and the keys of the kernel.
    pub choice: Vec<(String, String)>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The result.
    pub result: Access,
    /// The assignment operator: `=`, or `+=` and the like.
    pub assign: &'static str,
    /// The right-hand side; all sums are explicit.
    pub value: Expr,
}

impl Draft {
    /// Formats the statements, separated by semicolons.
    pub fn statement(&self) -> String {
        let line = |line: &Line| format!("{} {} {}", line.result, line.assign, line.value);
        self.statements.iter().map(line).collect::<Vec<_>>().join("; ")
    }

    /// Formats the kernel as lines of the corpus.
    pub fn lines(&self, name: &str) -> String {
        let mut text = String::new();
        for (format, map) in &self.formats {
            let _ = writeln!(text, "format {format} = {map}");
        }
        let words: Vec<String> =
            self.choice.iter().map(|(key, word)| format!("{key}={word}")).collect();
        text + &format!("{name}: {}\n    {}\n", self.statement(), words.join(" "))
    }

    /// Returns the variables of the statements, and the tensors of the right-hand sides that have any.
    pub fn names(&self) -> (Vec<String>, Vec<String>) {
        let (mut variables, mut tensors) = (Vec::new(), Vec::new());
        for line in &self.statements {
            line.value.visit(&mut |part| {
                let Expr::Access(access) = part else { return };
                variables.extend(access.variables.clone());
                if !access.variables.is_empty() {
                    // Operands over index sets are named with these.
                    let name = access.tensor.split('[').next().unwrap_or_default();
                    tensors.push(name.to_owned());
                }
            });
        }
        for names in [&mut variables, &mut tensors] {
            names.sort();
            names.dedup();
        }
        (variables, tensors)
    }

    /// Removes formats of tensors that are not in the statements, and declarations that are not
    /// used.
    pub fn tidy(&mut self) {
        let text = self.statement();
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        self.choice.retain(|(key, _)| key.starts_with('@') || words.contains(&key.as_str()));
        for (key, word) in &mut self.choice {
            if key == "@params" {
                let kept = word.split(',').filter(|declared| {
                    let name = declared.split(':').next().unwrap_or_default();
                    words.contains(&name)
                });
                *word = kept.collect::<Vec<_>>().join(",");
            }
        }
        self.choice.retain(|(key, word)| key != "@params" || !word.is_empty());
        let uses = |name: &String| {
            self.choice.iter().any(|(_, word)| word.split(':').next() == Some(name))
        };
        let kept = self.formats.iter().filter(|(name, _)| uses(name)).cloned().collect();
        self.formats = kept;
    }
}

/// An operand that statements may read.
#[derive(Clone, Debug)]
struct Operand {
    name: String,
    order: usize,
    dtype: Dtype,
}

const WHOLE: Dtype = Dtype::Integer(32, true);

const VARIABLES: [&str; 6] = ["i", "j", "k", "l", "m", "n"];

/// The maximal number of operands that the statements read. The time to compile grows exponentially
/// in it.
const READS: usize = 4;

/// The maximal number of variables of the statements. The oracle visits all their coordinates.
const MOST_VARIABLES: usize = 5;

/// Returns the kernel of a seed.
pub fn draft(seed: &str) -> Draft {
    let mut random = Random::seeded(seed);
    loop {
        let draft = any(&mut random);
        let mut reads = 0;
        for line in &draft.statements {
            line.value.visit(&mut |part| reads += usize::from(matches!(part, Expr::Access(_))));
        }
        let (variables, _) = draft.names();
        let is_fit = (1..=READS).contains(&reads) && variables.len() <= MOST_VARIABLES;
        let is_indexed = draft.choice.iter().any(|(key, _)| !key.starts_with('@'));
        if is_fit && is_indexed && draft.statements.iter().all(is_sized) {
            return draft;
        }
    }
}

/// Returns whether every variable of a result indexes an operand.
fn is_sized(line: &Line) -> bool {
    let free = line.value.free();
    line.result.variables.iter().all(|variable| free.contains(variable))
        && free.iter().all(|variable| line.result.variables.contains(variable))
}

/// Returns operands of different orders, of one element type except for a matrix of integers.
fn operands(random: &mut Random, base: Dtype) -> Vec<Operand> {
    let mut all: Vec<Operand> = [
        ("A", 2),
        ("B", 2),
        ("D", 2),
        ("x", 1),
        ("z", 1),
        ("s", 0),
        ("T", 3),
        ("U", 3),
        ("V", [4, 4, 4, 5, 6][random.below(5)]),
    ]
    .into_iter()
    .map(|(name, order)| Operand { name: name.to_owned(), order, dtype: base })
    .collect();
    if base != WHOLE {
        all.push(Operand { name: "N".to_owned(), order: 2, dtype: WHOLE });
    }
    random.shuffle(&mut all);
    all.truncate(4);
    if all.iter().all(|operand| operand.dtype != base || operand.order == 0) {
        all.push(Operand { name: "A".to_owned(), order: 2, dtype: base });
    }
    all
}

fn any(random: &mut Random) -> Draft {
    let semiring = match random.below(14) {
        0 => Some("min_plus"),
        1 => Some("max_times"),
        2 => Some(["max_plus", "min_max"][random.below(2)]),
        _ => None,
    };
    let base = match random.below(12) {
        0 if semiring.is_none() => WHOLE,
        1 => Dtype::F32,
        _ => Dtype::F64,
    };
    let mut operands = operands(random, base);
    let count = if random.chance(0.12) { 2 + random.below(2) } else { 1 };
    let mut statements = Vec::new();
    for name in ["R", "S", "Q"].into_iter().take(count) {
        let order = [0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4][random.below(13)];
        let scope: Vec<String> = VARIABLES[..order].iter().map(|v| (*v).to_owned()).collect();
        let result = Access { tensor: name.to_owned(), variables: scope.clone() };
        let assign = match semiring {
            None if random.chance(0.2) => ["+=", "-=", "*=", "min=", "max="][random.below(5)],
            Some(_) | None => "=",
        };
        let (assign, is_plain) = (if order == 0 { "=" } else { assign }, semiring.is_none());
        let mut writer =
            Writer { random, operands: &operands, scope: scope.clone(), is_plain, base };
        let depth = (2 + writer.random.below(4)).min(if count > 1 { 3 } else { 5 });
        let mut value = writer.number(depth, base);
        for variable in &scope {
            value = writer.with(value, variable, base);
        }
        statements.push(Line { result, assign, value });
        operands.push(Operand { name: name.to_owned(), order, dtype: base });
    }
    let mut draft = Draft { formats: Vec::new(), statements, choice: Vec::new() };
    if random.chance(0.2) {
        parts::cut(&mut draft, random);
    }
    for line in &mut draft.statements {
        parts::compare(&mut line.value, random);
    }
    choose(&mut draft, &operands, semiring, base, random);
    draft.tidy();
    draft
}

/// Chooses the formats of the tensors and the keys of the kernel.
fn choose(
    draft: &mut Draft,
    operands: &[Operand],
    semiring: Option<&str>,
    base: Dtype,
    random: &mut Random,
) {
    let zero = match semiring {
        Some("min_plus" | "min_max") => Some("inf"),
        Some("max_plus") => Some("-inf"),
        Some(_) | None => None,
    };
    let text = draft.statement();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    for operand in operands.iter().filter(|operand| operand.order > 0) {
        if !words.contains(&operand.name.as_str()) {
            continue;
        }
        let format = formats::of_order(operand.order, semiring.is_none(), random);
        // The padding of a pattern consists of entries.
        let is_compact = match &format {
            formats::Chosen::Named(name) => {
                !["dense", "dense_col", "dia", "ell"].contains(&&**name)
            }
            formats::Chosen::Declared(_) => false,
        };
        let mut word = match format {
            formats::Chosen::Named(name) => name,
            formats::Chosen::Declared(map) => {
                let name = format!("f{}", draft.formats.len());
                draft.formats.push((name.clone(), map));
                name
            }
        };
        if operand.dtype != base {
            let _ = write!(word, ":{}", operand.dtype);
        } else if semiring.is_none() && is_compact && random.chance(0.1) {
            word.push_str(":one");
        } else if semiring.is_none() && random.chance(0.07) {
            let _ = write!(word, ":fill{}", ["1", "-2", "3"][random.below(3)]);
        } else if let Some(zero) = zero {
            let _ = write!(word, ":fill{zero}");
        }
        draft.choice.push((operand.name.clone(), word));
    }
    if let Some(by) = words.iter().find(|word| **word == parts::GATHERS) {
        draft.choice.push(((*by).to_owned(), "dense:u32".to_owned()));
    }
    if words.contains(&parts::KEYS) {
        let dtypes = ["dense:i32", "dense:u32", "dense:i64", "dense:u8"];
        draft.choice.push((parts::KEYS.to_owned(), dtypes[random.below(4)].to_owned()));
    }
    let mut key = |key: &str, value: &str| draft.choice.push((key.to_owned(), value.to_owned()));
    if words.contains(&parts::LIST) {
        key("@params", &format!("{}:indices", parts::LIST));
    }
    if base != Dtype::F64 {
        key("@dtype", &base.to_string());
    }
    if let Some(semiring) = semiring {
        key("@semiring", semiring);
    }
    if random.chance(0.15) {
        key("@parallel", "true");
    }
    if random.chance(0.05) {
        key("@bounds", "checked");
    }
}

/// Returns whether a variable indexes an operand and is not bound by a reduction within.
pub fn has(expr: &Expr, variable: &String) -> bool {
    let mut is_indexed = false;
    expr.visit(&mut |part| {
        is_indexed |= matches!(part, Expr::Access(access) if access.variables.contains(variable));
    });
    is_indexed && expr.free().contains(variable)
}
