//! Reduction of failing random kernels.

use crate::generate::{Draft, Line, has};
use crate::number::Number;
use crate::statement::Expr;
use crate::trial::{Failure, failure};

/// The largest number of candidates that are tested.
const TRIES: usize = 600;

/// Returns the smallest draft that fails in the same way.
pub fn shrunk(mut draft: Draft, failure_of: &Failure) -> Draft {
    let cause = failure_of.cause();
    let fails = |draft: &Draft| failure(draft).is_some_and(|failure| failure.cause() == cause);
    let mut tries = TRIES;
    'smaller: loop {
        for candidate in candidates(&draft) {
            tries -= 1;
            if tries == 0 {
                return draft;
            }
            if candidate.statements.iter().all(is_statement) && fails(&candidate) {
                draft = candidate;
                continue 'smaller;
            }
        }
        return draft;
    }
}

/// Returns whether every variable indexes an operand, and every reduction uses its variable.
fn is_statement(line: &Line) -> bool {
    let mut is_sound = true;
    let mut indexed: Vec<&String> = Vec::new();
    line.value.visit(&mut |part| match part {
        Expr::Access(access) => indexed.extend(&access.variables),
        Expr::Reduce(_, variables, body) => {
            is_sound &= variables.iter().all(|variable| has(body, variable));
        }
        Expr::Number(_)
        | Expr::Variable(_)
        | Expr::Parameter(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Call(..)
        | Expr::Own(..)
        | Expr::Convert(..) => {}
    });
    let free = line.value.free();
    is_sound
        && line.result.variables.iter().all(|variable| free.contains(variable))
        && free.iter().all(|variable| line.result.variables.contains(variable))
        && free.iter().all(|variable| indexed.contains(&variable))
}

/// Returns slightly smaller drafts: without a statement or a key, with a subexpression replaced by
/// one of its parts or by a number, with a simpler format, or with fewer modes of the result.
fn candidates(draft: &Draft) -> Vec<Draft> {
    let mut all = Vec::new();
    if draft.statements.len() > 1 {
        for k in 0..draft.statements.len() {
            let mut candidate = draft.clone();
            candidate.statements.remove(k);
            all.push(candidate);
        }
    }
    for (k, line) in draft.statements.iter().enumerate() {
        let with = |line: Line| {
            let mut candidate = draft.clone();
            candidate.statements[k] = line;
            candidate
        };
        if line.assign != "=" {
            all.push(with(Line { assign: "=", ..line.clone() }));
        }
        for value in smaller(&line.value) {
            let mut line = Line { value, ..line.clone() };
            let free = line.value.free();
            let order = line.result.variables.len();
            if !line.result.tensor.ends_with(']') {
                line.result.variables.retain(|variable| free.contains(variable));
            }
            let (name, after) = (line.result.tensor.clone(), line.result.variables.len());
            let mut candidate = with(line);
            if after < order {
                candidate.choice.retain(|(key, _)| *key != name);
                if after > 0 {
                    let format = ["sparse_vector", "csr", "csf"][(after - 1).min(2)];
                    candidate.choice.push((name, format.to_owned()));
                }
            }
            all.push(candidate);
        }
    }
    for (k, (key, word)) in draft.choice.iter().enumerate() {
        if key.starts_with('@') {
            let mut candidate = draft.clone();
            candidate.choice.remove(k);
            all.push(candidate);
            continue;
        }
        let (format, suffix) = word.split_once(':').unwrap_or((word, ""));
        let colon = if suffix.is_empty() { "" } else { ":" };
        let mut words: Vec<String> = ["dense", "csr", "csf"]
            .into_iter()
            .take_while(|simple| *simple != format)
            .map(|simple| format!("{simple}{colon}{suffix}"))
            .collect();
        if !suffix.is_empty() {
            words.push(format.to_owned());
        }
        for word in words {
            let mut candidate = draft.clone();
            candidate.choice[k].1 = word;
            all.push(candidate);
        }
    }
    for (k, (_, map)) in draft.formats.iter().enumerate() {
        for map in simpler_maps(map) {
            let mut candidate = draft.clone();
            candidate.formats[k].1 = map;
            all.push(candidate);
        }
    }
    all.iter_mut().for_each(Draft::tidy);
    all
}

/// Returns the map with usual integer types, or with fewer options.
fn simpler_maps(map: &str) -> Vec<String> {
    let mut simpler = Vec::new();
    if let Some((_, rest)) = map.split_once("map = \"")
        && let Some((inner, _)) = rest.split_once('"')
    {
        simpler.push(inner.to_owned());
    }
    for option in ["nonordered, ", ", nonunique"] {
        if let Some(at) = map.find(option) {
            simpler.push(format!("{}{}", &map[..at], &map[at + option.len()..]));
        }
    }
    for option in ["(nonordered)", "(nonunique)", "(padded)", "(unpadded)", "(full)"] {
        if let Some(at) = map.find(option) {
            simpler.push(format!("{}{}", &map[..at], &map[at + option.len()..]));
        }
    }
    for (kind, simple) in
        [("loose_compressed", "compressed"), ("hashed", "compressed"), ("bitmap", "compressed")]
    {
        if let Some(at) = map.find(kind) {
            simpler.push(format!("{}{simple}{}", &map[..at], &map[at + kind.len()..]));
        }
    }
    simpler
}

/// Returns the expressions with one subexpression replaced by a smaller one.
fn smaller(expr: &Expr) -> Vec<Expr> {
    let mut all: Vec<Expr> = expr.parts().into_iter().cloned().collect();
    if !matches!(expr, Expr::Number(_)) {
        all.push(Expr::Number(Number::Whole(1)));
    }
    for k in 0..expr.parts().len() {
        for part in smaller(expr.parts()[k]) {
            let mut changed = expr.clone();
            if let Some(place) = changed.parts_mut().into_iter().nth(k) {
                *place = part;
            }
            all.push(changed);
        }
    }
    all
}
