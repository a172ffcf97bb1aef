//! Values of a result whose structure is known to be the one that the operands determine.
//!
//! `NAME_compute` records where a workspace has values, and compares that with the structure of the
//! result: this takes as long as computing the values. For a result of `NAME` or `NAME_assemble`, and
//! operands that share the structure of those it was made of, the comparison would hold.

use super::Builder;
use super::docs::list;
use crate::ir::{
    Argument, BinaryOp, Derivation, Expr, Function, Group, Operand, Stmt, TensorResult, UnaryOp,
};
use crate::names::beside;

/// The suffix of loops for known structures.
const KNOWN: &str = "known";

impl Builder<'_> {
    /// Returns the loops of a group for known structures, if there are such.
    pub(super) fn known(&self, group: &Group<'_>) -> Option<&Function> {
        let compute = group.function.compute.as_deref()?;
        let name = beside(&compute.name, KNOWN);
        self.known.iter().find(|known| known.name == name)
    }

    /// Returns the loops of all groups for known structures, which need fewer records than those of
    /// `NAME_compute`.
    pub(super) fn known_loops(&self) -> Vec<Function> {
        let groups = self.groups.iter().filter(|_| self.computes && self.kernel.is_structural);
        groups.filter_map(|group| without_comparison(group.function)).collect()
    }

    /// Returns the documentation of when `NAME_compute` compares structures, if it does not always.
    pub(super) fn docs_of_known(&self, whole: &str) -> Vec<String> {
        let derivations = self.groups.iter().flat_map(|group| self.derivations(group));
        let compared: Vec<_> = derivations.map(|of| format!("`{}`", of.tensor)).collect();
        if compared.is_empty() {
            return Vec::new();
        }
        let compared = list(&compared, "and");
        let text = format!(
            "Compares the structure of {compared} with that of the result, unless [`{whole}`] has made \
             it from operands that share their structure with these."
        );
        vec![String::new(), text]
    }

    /// Returns what determines the structure of a result of a group.
    fn derivation(&self, group: &Group<'_>, result: &TensorResult) -> Derivation {
        let tensors = group.function.operands.iter().filter_map(|operand| match operand {
            Operand::Tensor(tensor) => Some(tensor.name.clone()),
            Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => None,
        });
        let operand = |name: String| match self.kernel.is_result(&name) {
            true => Argument::View(name),
            false => Argument::Name(name),
        };
        Derivation {
            result: result.name.clone(),
            tensor: result.tensor.clone(),
            operands: tensors.map(operand).collect(),
        }
    }

    /// Returns what determines the structures of the results of a group, if there are loops for known
    /// ones.
    pub(super) fn derivations(&self, group: &Group<'_>) -> Vec<Derivation> {
        let results = self.known(group).into_iter().flat_map(Function::results);
        let compared = results.filter(|result| !result.structure().is_empty());
        compared.map(|result| self.derivation(group, result)).collect()
    }
}

/// Returns the loops of `NAME_compute` without records and the comparison, if the structure of the
/// operands alone determines the structure of the results.
fn without_comparison(function: &Function) -> Option<Function> {
    let compute = function.compute.as_deref()?;
    let is_whole = |operand: &Operand| match operand {
        Operand::Tensor(_) | Operand::Scalar { .. } => true,
        Operand::Index { .. } | Operand::Indices { .. } => false,
    };
    let is_structural = function.gathers.is_empty()
        && function.operands.iter().all(is_whole)
        && function.scalars().next().is_none();
    let body = without_records(&compute.body).filter(|_| is_structural)?;
    Some(Function { name: beside(&compute.name, KNOWN), body, ..compute.clone() })
}

/// Returns statements whose workspaces do not record where values are stored, if there are such
/// workspaces.
pub(in crate::lower) fn without_records(body: &[Stmt]) -> Option<Vec<Stmt>> {
    let mut workspaces = Vec::new();
    for stmt in body {
        stmt.for_each(&mut |stmt| {
            if let Stmt::Workspace { name, size: Some(_), initial, .. } = stmt {
                workspaces.push((name.clone(), initial.clone()));
            }
        });
    }
    workspaces.into_iter().fold(None, |changed: Option<Vec<Stmt>>, (name, initial)| {
        let before = changed.as_deref().unwrap_or(body);
        let after = in_body(before, &name, &initial);
        if is_compared(before, &after, &name) { Some(after) } else { changed }
    })
}

/// Returns whether the records of a workspace are used only to refuse another structure, coordinate by
/// coordinate where values are read, given the statements without these comparisons.
fn is_compared(before: &[Stmt], after: &[Stmt], workspace: &str) -> bool {
    let contains =
        |expr: &Expr| matches!(expr, Expr::Contains { workspace: of, .. } if of == workspace);
    let measures = |expr: &Expr| matches!(expr, Expr::Len(of) if of == workspace);
    let harvests =
        |stmt: &Stmt| matches!(stmt, Stmt::Harvest { workspace: of, .. } if of == workspace);
    let mut is_harvested = false;
    before.iter().for_each(|stmt| stmt.for_each(&mut |stmt| is_harvested |= harvests(stmt)));
    has(before, &contains)
        && has(before, &measures)
        && !has(after, &|expr| contains(expr) || measures(expr))
        && !is_harvested
        && !is_read_elsewhere(before, workspace)
        && is_read_once(before, workspace)
}

/// Returns whether one loop reads the values of a workspace, before they are cleared in the same body.
fn is_read_once(body: &[Stmt], workspace: &str) -> bool {
    let mut comparisons = 0;
    let mut count = |stmt: &Stmt| comparisons += usize::from(compares(stmt, workspace).is_some());
    body.iter().for_each(|stmt| stmt.for_each(&mut count));
    comparisons == 1 && is_cleared_behind(body, workspace)
}

/// Returns whether a workspace is cleared behind the loop that compares its entries, in the same body.
fn is_cleared_behind(body: &[Stmt], workspace: &str) -> bool {
    let compares_in = |stmt: &Stmt| {
        let is_compared =
            |body: &&[Stmt]| body.iter().any(|stmt| compares(stmt, workspace).is_some());
        matches!(stmt, Stmt::For { .. }) && stmt.bodies().iter().any(is_compared)
    };
    match body.iter().position(compares_in) {
        Some(at) => body[at..]
            .iter()
            .any(|stmt| matches!(stmt, Stmt::Clear { array } if array == workspace)),
        None => {
            let bodies = body.iter().flat_map(Stmt::bodies);
            bodies.into_iter().any(|body| is_cleared_behind(body, workspace))
        }
    }
}

/// Returns whether statements have such an expression, at any depth.
fn has(body: &[Stmt], is_such: &impl Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    let mut visit = |stmt: &Stmt| found |= stmt.any_expression(is_such);
    body.iter().for_each(|stmt| stmt.for_each(&mut visit));
    found
}

/// Returns whether values of a workspace are read where their coordinates are not compared.
fn is_read_elsewhere(body: &[Stmt], workspace: &str) -> bool {
    let reads = |expr: &Expr| matches!(expr, Expr::Load { array, .. } if array == workspace);
    if body.iter().any(|stmt| compares(stmt, workspace).is_some()) {
        return false;
    }
    body.iter().any(|stmt| {
        let mut bodies = stmt.bodies().into_iter();
        stmt.any_expression(&reads) || bodies.any(|body| is_read_elsewhere(body, workspace))
    })
}

/// Returns the coordinate that a statement compares with those of a workspace.
fn compares<'s>(stmt: &'s Stmt, workspace: &str) -> Option<&'s Expr> {
    let Stmt::Refuse { condition: Expr::Unary(UnaryOp::Not, condition), error: None } = stmt else {
        return None;
    };
    match &**condition {
        Expr::Contains { workspace: of, index } if of == workspace => Some(index),
        _ => None,
    }
}

/// Returns whether a condition compares the number of entries of a workspace.
fn measures(condition: &Expr, workspace: &str) -> bool {
    let Expr::Binary(BinaryOp::Ne, a, b) = condition else { return false };
    [a, b].into_iter().any(|side| matches!(&**side, Expr::Len(of) if of == workspace))
}

/// Returns statements that do not compare the entries of a workspace, and store the initial value where
/// they have read one.
fn in_body(body: &[Stmt], workspace: &str, initial: &Expr) -> Vec<Stmt> {
    let mut read = Vec::new();
    let mut stmts = Vec::new();
    for stmt in body {
        match stmt {
            stmt if compares(stmt, workspace).is_some() => {
                let index = compares(stmt, workspace).cloned();
                read.extend(index.map(|index| Stmt::store(workspace, index, initial.clone())));
            }
            Stmt::Refuse { condition, error: None } if measures(condition, workspace) => {}
            Stmt::Workspace { name, dtype, crd, size, initial, .. } if name == workspace => {
                stmts.push(Stmt::Workspace {
                    name: name.clone(),
                    dtype: *dtype,
                    crd: *crd,
                    size: size.clone(),
                    initial: initial.clone(),
                    is_listed: false,
                });
            }
            stmt => stmts
                .extend(stmt.map(&mut Expr::clone, &mut |body| in_body(body, workspace, initial))),
        }
    }
    stmts.extend(read);
    stmts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Dtype, Literal, Width};

    /// Returns a loop that compares the entries of `w` with a row, and reads its values.
    fn reading() -> Vec<Stmt> {
        let j = || Expr::var("j");
        let body = vec![
            Stmt::bind("j", Expr::load("crd", Expr::var("p"))),
            Stmt::refuse(Expr::not(Expr::contains("w", j()))),
            Stmt::store("c", Expr::var("p"), Expr::load("w", j())),
        ];
        Stmt::for_range("p", Expr::Index(0), Expr::var("n"), body)
    }

    /// Returns statements that fill `w` and read it.
    fn row(reads: Vec<Stmt>) -> Vec<Stmt> {
        let (size, zero) = (Expr::var("size"), Expr::Value(Literal::Int(0), Dtype::F64));
        let (name, crd) = ("w".to_owned(), Width::U32);
        let workspace = Stmt::Workspace {
            name,
            dtype: Dtype::F64,
            crd,
            size: Some(size),
            initial: zero,
            is_listed: true,
        };
        let add = Stmt::accumulate_at("w", Expr::var("k"), Expr::var("x"));
        let count = Stmt::refuse(Expr::ne(Expr::Len("w".to_owned()), Expr::var("n")));
        let clear = Stmt::Clear { array: "w".to_owned() };
        [vec![workspace, add], reads, vec![count, clear]].concat()
    }

    #[test]
    fn one_loop_replaces_what_it_reads() {
        let known = without_records(&row(reading())).expect("the records are compared");
        let shown: String = known.iter().map(Stmt::to_string).collect();
        let expected = "\
let mut w = Accumulator::<f64, u32>::new(size);
w[k] += x;
for p in 0..n {
    let j = crd[p];
    c[p] = w[j];
    w[j] = 0.0;
}
w.clear();
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn values_that_are_read_again_stay() {
        // By another loop, and by the same loop for each coordinate of another one.
        assert_eq!(without_records(&row([reading(), reading()].concat())), None);
        let nested = Stmt::for_range("l", Expr::Index(0), Expr::var("m"), reading());
        assert_eq!(without_records(&row(nested)), None);
    }
}
