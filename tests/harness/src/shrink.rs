//! Tries statements that were never compiled, and makes those that fail smaller.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use sparsegen_build::compile_str;
use sparsegen_build::ir::Function;

use crate::check::kernel::Kernel;
use crate::corpus::{self, Choice};
use crate::dtype::Dtype;
use crate::dynamic;
use crate::generate::{Draft, has};
use crate::kinds::Kinds;
use crate::number::Number;
use crate::statement::{Expr, Statement};
use crate::worlds;

/// What is wrong with a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The compiler panics.
    Panic(String),
    /// The compiler refuses it, as a user would see it.
    Refusal(String),
    /// The kernel is wrong, or the interpreter finds a fault in it.
    Wrong(String),
}

/// A draft as lines of the corpus.
pub fn lines(name: &str, draft: &Draft) -> String {
    let words: Vec<String> =
        draft.choice.iter().map(|(key, word)| format!("{key}={word}")).collect();
    format!("{name}: {}\n    {}\n", draft.statement(), words.join(" "))
}

impl Failure {
    /// What failures of one cause have in common.
    fn cause(&self) -> String {
        match self {
            Failure::Panic(_) => "panic".to_owned(),
            // Without what is quoted of the statement.
            Failure::Refusal(shown) => {
                shown.lines().next().unwrap_or_default().split('`').step_by(2).collect()
            }
            Failure::Wrong(reason) => {
                let last = reason.trim_end().lines().next_back().unwrap_or_default();
                let causes = ["known to be", "is not stored", "expected", "differs", "disagree"];
                let cause = causes.into_iter().find(|cause| last.contains(cause));
                cause.unwrap_or("fault").to_owned()
            }
        }
    }

    /// Whether a result stores what is known to be its fill.
    pub fn is_of_structure(&self) -> bool {
        self.cause() == "known to be"
    }

    /// Whether the compiler says that it does not know this yet.
    pub fn is_missing(&self) -> bool {
        matches!(self, Failure::Refusal(shown) if shown.contains("not supported yet"))
    }
}

/// What is wrong with a draft; nothing where it is right, or not a matter of this language.
pub fn failure(draft: &Draft) -> Option<Failure> {
    let case = corpus::parse("random", &lines("random", draft)).ok()?.pop()?;
    let choice: Vec<(&str, &str)> =
        case.choice.iter().map(|(key, word)| (key.as_str(), word.as_str())).collect();
    let choice = Choice(&choice);
    let statement = Statement::parse(&case.statement, &[]).ok()?;
    let output = match catch_unwind(AssertUnwindSafe(|| compile_str("case.toml", &case.manifest))) {
        Ok(output) => output,
        Err(_) => return Some(Failure::Panic(case.manifest)),
    };
    if !output.diagnostics.is_empty() {
        let shown = output.diagnostics.render("case.toml", &case.manifest);
        return Some(Failure::Refusal(shown));
    }
    let function = output.kernels.first()?.functions().next()?;
    wrong(&statement, &choice, function).map(Failure::Wrong)
}

fn wrong(statement: &Statement, choice: &Choice<'_>, function: &Function) -> Option<String> {
    let tensors = statement.accesses().into_iter();
    let tensors = tensors.map(|access| statement.tensor(access).to_owned());
    let dtypes: HashMap<String, Dtype> =
        tensors.map(|tensor| (tensor.clone(), choice.dtype(&tensor))).collect();
    let never = |_: &_| unreachable!("nobody calls what is interpreted");
    let semiring = choice.semiring();
    let kernel = Kernel {
        fills: HashMap::new(),
        computed: Vec::new(),
        statement,
        semiring,
        dtypes,
        function,
        run: &never,
    };
    let kinds = Kinds::of(statement, choice);
    for world in worlds::worlds("random", statement, &kinds) {
        let judged = match dynamic::run(function, &world, semiring) {
            Ok(None) => continue,
            Ok(Some(run)) => kernel.judge(&world, &run).map(|_| ()),
            // What overflows is nobody's business.
            Err(fault) if fault.contains("overflow") => Ok(()),
            Err(fault) => Err(fault),
        };
        if let Err(reason) = judged {
            return Some(crate::check::show(&world, &reason));
        }
    }
    None
}

/// The smallest draft found that fails in the same way.
pub fn shrunk(mut draft: Draft, failure_of: &Failure) -> Draft {
    let cause = failure_of.cause();
    let fails = |draft: &Draft| failure(draft).is_some_and(|failure| failure.cause() == cause);
    let mut tries = 400;
    'smaller: loop {
        for candidate in candidates(&draft) {
            tries -= 1;
            if tries == 0 {
                return draft;
            }
            if is_statement(&candidate) && fails(&candidate) {
                draft = candidate;
                continue 'smaller;
            }
        }
        return draft;
    }
}

/// Whether every variable indexes an operand, and every reduction has its variable within.
fn is_statement(draft: &Draft) -> bool {
    let mut is_sound = true;
    let mut indexed: Vec<&String> = Vec::new();
    draft.value.visit(&mut |part| match part {
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
    let free = draft.value.free();
    is_sound
        && draft.result.variables.iter().all(|variable| free.contains(variable))
        && free.iter().all(|variable| draft.result.variables.contains(variable))
        && free.iter().all(|variable| indexed.contains(&variable))
}

/// What is a little smaller: a subexpression is replaced by one of its parts or by a number, a format
/// by a simple one, the result has fewer modes.
fn candidates(draft: &Draft) -> Vec<Draft> {
    let mut all = Vec::new();
    for value in smaller(&draft.value) {
        let mut candidate = Draft { value, ..draft.clone() };
        let free = candidate.value.free();
        candidate.result.variables.retain(|variable| free.contains(variable));
        let order = candidate.result.variables.len();
        if order < draft.result.variables.len() {
            candidate.choice.retain(|(key, _)| key != "R");
            if order > 0 {
                let format = if order == 1 { "sparse_vector" } else { "csr" };
                candidate.choice.push(("R".to_owned(), format.to_owned()));
            }
        }
        let names: Vec<String> = used(&candidate.value);
        candidate
            .choice
            .retain(|(key, _)| key.starts_with('@') || key == "R" || names.contains(key));
        all.push(candidate);
    }
    for k in 0..draft.choice.len() {
        let (key, word) = &draft.choice[k];
        let (format, suffix) = word.split_once(':').unwrap_or((word, ""));
        let simple = ["dense", "csr"].into_iter().take_while(|simple| *simple != format);
        for format in simple.filter(|_| !key.starts_with('@')) {
            let mut candidate = draft.clone();
            let colon = if suffix.is_empty() { "" } else { ":" };
            candidate.choice[k].1 = format!("{format}{colon}{suffix}");
            all.push(candidate);
        }
    }
    all
}

fn used(expr: &Expr) -> Vec<String> {
    let mut names = Vec::new();
    expr.visit(&mut |part| {
        if let Expr::Access(access) = part {
            names.push(access.tensor.clone());
        }
    });
    names
}

/// The expressions with one subexpression replaced by something smaller.
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
