//! Indices that are expressions: `x[i / 2]` is `sum[i_of_x](x[i_of_x] * (i / 2 == i_of_x))`, the
//! value at the coordinate that the expression determines.

use std::collections::BTreeSet;

use crate::error::Name;
use crate::manifest::KernelEntry;
use crate::names::snake_case;
use crate::notation::schedule::Action;
use crate::notation::syntax::{
    Access, BinaryOp, Command, Expr, ExprKind, Index, IndexKind, Statement,
};
use crate::types::Dtype;

use super::equal::map_children;

/// Returns a statement in which the indices of operands are not expressions.
pub(super) fn without_computed(entry: &KernelEntry, statement: &Statement) -> Statement {
    let mut expansion = Expansion::of(entry, statement);
    let right = expansion.expr(&statement.right);
    let mut command = |command: &Command| {
        let mut command = command.clone();
        if let Action::Precompute { value, .. } = &mut command.action {
            *value = expansion.expr(value);
        }
        command
    };
    let schedule = statement.schedule.iter().map(|of| of.as_ref().map(&mut command)).collect();
    let known = expansion.known.into_iter();
    let computed = known.map(|((_, _, index), variable)| (variable, index)).collect();
    Statement { right, schedule, computed, ..statement.clone() }
}

struct Expansion<'m> {
    entry: &'m KernelEntry,
    /// The names in the statement.
    taken: BTreeSet<String>,
    /// The expressions that are indices, with the tensor and the mode, and their variables.
    known: Vec<((String, usize, String), String)>,
}

impl<'m> Expansion<'m> {
    fn of(entry: &'m KernelEntry, statement: &Statement) -> Expansion<'m> {
        let mut taken = BTreeSet::new();
        statement.left.for_each_variable(&mut |name| {
            taken.insert(name.text.clone());
        });
        statement.right.for_each(&mut |expr| match &expr.kind {
            ExprKind::Access(access) => {
                taken.insert(access.name.text.clone());
                access.for_each_variable(&mut |name| {
                    taken.insert(name.text.clone());
                });
            }
            ExprKind::Reduce(_, variables, _) => {
                taken.extend(variables.iter().map(|name| name.text.clone()));
            }
            _ => {}
        });
        Expansion { entry, taken, known: Vec::new() }
    }

    fn expr(&mut self, expr: &Expr) -> Expr {
        match &expr.kind {
            ExprKind::Access(access) => self.access(access, expr),
            _ => map_children(expr, &mut |child| self.expr(child)),
        }
    }

    /// Returns the value of an access, as a sum over the modes whose coordinates are computed.
    fn access(&mut self, access: &Access, whole: &Expr) -> Expr {
        let mut variables: Vec<Name> = Vec::new();
        let mut conditions: Vec<Expr> = Vec::new();
        let mut indices: Vec<Index> = Vec::new();
        for (mode, index) in access.indices.iter().enumerate() {
            let Some(value) = computed(index) else {
                indices.push(index.clone());
                continue;
            };
            let value = self.expr(&value);
            let name = Name { text: self.variable(access, mode, index), span: index.span };
            let variable =
                read(&Access { name: name.clone(), indices: Vec::new(), span: index.span });
            conditions.push(binary(BinaryOp::Eq, value, variable));
            indices.push(Index { kind: IndexKind::Name(name.clone()), span: index.span });
            variables.push(name);
        }
        if variables.is_empty() {
            return whole.clone();
        }
        let (sum, and) = match self.is_bool(access) {
            true => ("any", BinaryOp::And),
            false => ("sum", BinaryOp::Mul),
        };
        let value = read(&Access { indices, ..access.clone() });
        let body = conditions.into_iter().fold(value, |value, holds| binary(and, value, holds));
        let sum = Name { text: sum.to_owned(), span: access.span };
        let (span, depth) = (whole.span, body.depth + 1);
        Expr { kind: ExprKind::Reduce(sum, variables, Box::new(body)), span, depth }
    }

    /// Returns the name of the variable for an index: the same one wherever the same index stands.
    fn variable(&mut self, access: &Access, mode: usize, index: &Index) -> String {
        let key = (access.name.text.clone(), mode, index.to_string());
        if let Some((_, known)) = self.known.iter().find(|(known, _)| *known == key) {
            return known.clone();
        }
        let mut first = None;
        index.for_each_variable(&mut |name| {
            first.get_or_insert(&*name.text);
        });
        let base = format!("{}_of_{}", first.unwrap_or("at"), snake_case(&access.name.text));
        let mut free = base.clone();
        let mut count = 1;
        while self.taken.contains(&free) {
            count += 1;
            free = format!("{base}{count}");
        }
        self.taken.insert(free.clone());
        self.known.push((key, free.clone()));
        free
    }

    /// Returns whether the elements of a tensor are truth values.
    fn is_bool(&self, access: &Access) -> bool {
        let mut tensors = self.entry.tensors.iter();
        let declared = tensors.find(|tensor| tensor.name.text == access.name.text);
        declared.and_then(|tensor| tensor.dtype).unwrap_or(self.entry.dtype) == Dtype::Bool
    }
}

/// Returns the expression of an index, or the gather that has such an index.
fn computed(index: &Index) -> Option<Expr> {
    match &index.kind {
        IndexKind::Computed(expr) => Some((**expr).clone()),
        IndexKind::Gather(access) => {
            let mut indices = access.indices.iter();
            indices.any(|index| computed(index).is_some()).then(|| read(access))
        }
        IndexKind::Name(_)
        | IndexKind::Slice(_)
        | IndexKind::Set(..)
        | IndexKind::Fixed(_)
        | IndexKind::Affine(_) => None,
    }
}

fn read(access: &Access) -> Expr {
    Expr { kind: ExprKind::Access(access.clone()), span: access.span, depth: 1 }
}

fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    let (span, depth) = (a.span, a.depth.max(b.depth) + 1);
    Expr { kind: ExprKind::Binary(op, span, Box::new(a), Box::new(b)), span, depth }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the value of a statement without indices that are expressions.
    fn expanded(expr: &str, tensors: &str) -> String {
        let manifest = format!("[kernels.k]\nexpr = '{expr}'\ntensors = {{ {tensors} }}");
        let (manifest, _) = crate::manifest::parse(&manifest);
        let (statements, _) = crate::notation::parse::parse(&manifest);
        let statement = statements[0].as_ref().expect("the statement is sound");
        without_computed(&manifest.kernels[0], statement).right.to_string()
    }

    #[test]
    fn computed_indices_are_sums_with_masks() {
        let dense = "x = 'dense', y = 'dense', w = 'dense'";
        let cases = [
            ("y[i] = x[i]", "x[i]"),
            ("y[i] = x[i / 2]", "sum[i_of_x](x[i_of_x] * (i / 2 == i_of_x))"),
            // The same index has the same variable, another one has another.
            (
                "y[i] = x[i / 2] + x[i / 2] * x[i / 3]",
                "sum[i_of_x](x[i_of_x] * (i / 2 == i_of_x)) + sum[i_of_x](x[i_of_x] * (i / 2 == \
                 i_of_x)) * sum[i_of_x2](x[i_of_x2] * (i / 3 == i_of_x2))",
            ),
            (
                "y[i] = x[w[i / 2]]",
                "sum[i_of_x](x[i_of_x] * (sum[i_of_w](w[i_of_w] * (i / 2 == i_of_w)) == i_of_x))",
            ),
        ];
        for (expr, expected) in cases {
            assert_eq!(expanded(expr, dense), expected, "{expr}");
        }
        let bool = "x = { format = 'dense', dtype = 'bool' }, y = 'dense'";
        let any = "any[i_of_x](x[i_of_x] & i / 2 == i_of_x)";
        assert_eq!(expanded("y[i] = x[i / 2]", bool), any);
    }
}
