//! Shares the loops of statements that are computed one after the other: two products with a matrix and
//! its transpose in one pass over the matrix.
//!
//! rustc does not fuse loops. Loops of the same range become one where what the later of them reads or
//! writes is written by the earlier in no other iteration; what stands between the two must not mind.

use std::collections::BTreeSet;

use crate::ir::{
    Assembly, Callers, Expr, Function, Operand, Result, Several, Size, Step, Stmt, TensorResult,
    Uses, substitute,
};

/// The loops of all statements as one function, if their results have all places beforehand and any
/// loops are shared.
pub fn shared(several: &Several) -> Option<Function> {
    let mut steps = several.steps.iter();
    let mut whole = steps.next()?.function.clone();
    let mut results = vec![shareable(several.steps.first()?)?.clone()];
    let operands: Vec<Operand> = several.operands().into_iter().cloned().collect();
    whole.sizes = moved(&whole, &operands);
    for step in steps {
        let result = shareable(step)?;
        reads_by_name(&step.function, &results).then_some(())?;
        if results.iter().any(|known| known.name == result.name) {
            return None;
        }
        let sizes = moved(&step.function, &operands);
        unite(&mut whole.sizes, sizes, &step.function, &results)?;
        let body = distinct(&step.function.body, &whole.body, result)?;
        whole.body = fused(&whole.body, &body)?;
        whole.division = whole.division.or_else(|| step.function.division.clone());
        let place = |size: &usize| {
            let name = &step.function.sizes[*size].name;
            whole.sizes.iter().position(|size| size.name == *name)
        };
        let shape = result.shape.iter().map(place).collect::<Option<_>>()?;
        results.push(TensorResult { shape, ..result.clone() });
    }
    let read = |operand: &mut Operand| {
        let Operand::Tensor(tensor) = operand else { return };
        let all = several.steps.iter().flat_map(|step| step.function.tensors());
        for other in all.filter(|other| other.name == tensor.name).collect::<Vec<_>>() {
            add(&mut tensor.arrays, &other.arrays);
            add(&mut tensor.extents, &other.extents);
        }
    };
    whole.operands = operands;
    whole.operands.iter_mut().for_each(read);
    let mut results = results.into_iter();
    whole.result = Result::Tensor(results.next()?);
    whole.others = results.collect();
    whole.traits = several.traits();
    (whole.name, whole.callers) = (several.name.clone(), Callers::Everyone);
    Some(whole)
}

/// Whether earlier results are read by the names by which they are written.
fn reads_by_name(function: &Function, results: &[TensorResult]) -> bool {
    function.tensors().all(|tensor| {
        let result = results.iter().find(|result| result.name == tensor.name);
        result.is_none_or(|result| tensor.arrays.iter().all(|read| result.arrays().contains(read)))
    })
}

/// Adds what is not there yet.
fn add<T: Clone + PartialEq>(known: &mut Vec<T>, more: &[T]) {
    for item in more {
        if !known.contains(item) {
            known.push(item.clone());
        }
    }
}

/// The result of a statement whose loops do nothing but store into places that are there, if it is one.
fn shareable(step: &Step) -> Option<&TensorResult> {
    let function = &step.function;
    let Result::Tensor(result) = &function.result else { return None };
    let has_places = match &result.assembly {
        Assembly::Computed { structure, .. } => structure.is_empty(),
        Assembly::Assembled { .. } => false,
    };
    let is_plain = result.packed.is_none() && !result.updates && result.cover.is_none();
    let alone = function.parts.is_empty()
        && function.gathers.is_empty()
        && function.conversions.is_empty()
        && function.unroll.is_empty()
        && function.parallel.is_none();
    (has_places && is_plain && alone && function.allocates()).then_some(result)
}

/// The extents of a function in terms of other operands, of which earlier results are none.
fn moved(function: &Function, operands: &[Operand]) -> Vec<Size> {
    let place = |(operand, mode): &(usize, usize)| {
        let name = function.operands[*operand].name();
        Some((operands.iter().position(|operand| operand.name() == name)?, *mode))
    };
    let moved = |size: &Size| Size {
        operands: size.operands.iter().filter_map(place).collect(),
        result: Vec::new(),
        ..size.clone()
    };
    function.sizes.iter().map(moved).collect()
}

/// Adds the extents of a further function; nothing where two of one name need not be the same.
fn unite(
    sizes: &mut Vec<Size>,
    more: Vec<Size>,
    function: &Function,
    results: &[TensorResult],
) -> Option<()> {
    // Whether a mode of an earlier result, of which the new extent is one, has the known one.
    let is_of_result = |known: usize, new: usize| {
        function.sizes[new].operands.iter().any(|(operand, mode)| {
            let name = function.operands[*operand].name();
            let result = results.iter().find(|result| result.name == name);
            result.is_some_and(|result| result.shape.get(*mode) == Some(&known))
        })
    };
    for (new, size) in more.into_iter().enumerate() {
        let Some(known) = sizes.iter().position(|known| known.name == size.name) else {
            let is_given = size.constant.is_some() || !size.operands.is_empty();
            sizes.push(is_given.then_some(size)?);
            continue;
        };
        let shares = size.operands.iter().any(|mode| sizes[known].operands.contains(mode));
        let is_constant = size.constant.is_some() && size.constant == sizes[known].constant;
        (shares || is_constant || is_of_result(known, new)).then_some(())?;
        sizes[known].used |= size.used;
        add(&mut sizes[known].operands, &size.operands);
    }
    Some(())
}

/// A body whose names do not collide with those of an earlier one, but for those of the same value;
/// nothing where arrays would.
fn distinct(body: &[Stmt], before: &[Stmt], result: &TensorResult) -> Option<Vec<Stmt>> {
    let taken = bindings(before);
    let mut renamed = body.to_vec();
    for stmt in bindings(body) {
        let Some(name) = bound(stmt) else { continue };
        let is_other = |other: &&Stmt| bound(other) == Some(name) && *other != stmt;
        let may_share = matches!(stmt, Stmt::Let { mutable: false, .. });
        let is_taken = taken.iter().any(|other| bound(other) == Some(name));
        if is_taken && (!may_share || taken.iter().any(is_other)) {
            matches!(stmt, Stmt::Let { .. }).then_some(())?;
            let own = format!("{name}_{}", result.name.trim_start_matches("r#"));
            renamed = rename(&renamed, name, &own);
        }
    }
    Some(renamed)
}

/// Statements in which a variable is called otherwise.
fn rename(body: &[Stmt], from: &str, by: &str) -> Vec<Stmt> {
    let one = |stmt: &Stmt| match stmt {
        Stmt::Let { name, mutable, value } if name == from => {
            vec![Stmt::Let { name: by.to_owned(), mutable: *mutable, value: value.clone() }]
        }
        Stmt::Assign { name, op, value } if name == from => {
            vec![Stmt::Assign { name: by.to_owned(), op: *op, value: value.clone() }]
        }
        stmt => stmt.map(&mut Expr::clone, &mut |inner| rename(inner, from, by)),
    };
    substitute(body, from, &Expr::var(by)).iter().flat_map(one).collect()
}

/// The statements that bind names, at any depth.
fn bindings(body: &[Stmt]) -> Vec<&Stmt> {
    let mut found = Vec::new();
    body.iter().for_each(|stmt| {
        stmt.for_each(&mut |stmt| {
            if bound(stmt).is_some() && !found.contains(&stmt) {
                found.push(stmt);
            }
        });
    });
    found
}

/// The name that a statement binds for those behind it.
fn bound(stmt: &Stmt) -> Option<&str> {
    match stmt {
        Stmt::Let { name, .. } | Stmt::Scratch { name, .. } | Stmt::Workspace { name, .. } => {
            Some(name)
        }
        Stmt::Harvest { crd, .. } => Some(crd),
        Stmt::Comment(_)
        | Stmt::Assign { .. }
        | Stmt::Store { .. }
        | Stmt::Sort { .. }
        | Stmt::Clear { .. }
        | Stmt::Reserve { .. }
        | Stmt::Push { .. }
        | Stmt::Resize { .. }
        | Stmt::Refuse { .. }
        | Stmt::Break
        | Stmt::For { .. }
        | Stmt::While { .. }
        | Stmt::If { .. } => None,
    }
}

/// One body after the other with a loop that both have as one; nothing where there is none.
fn fused(a: &[Stmt], b: &[Stmt]) -> Option<Vec<Stmt>> {
    let is_loop = |stmt: &Stmt| matches!(stmt, Stmt::For { .. });
    let (last, first) = (a.iter().rposition(is_loop)?, b.iter().position(is_loop)?);
    let (before, after) = (&a[..last], &a[last + 1..]);
    let (ahead, behind) = (&b[..first], &b[first + 1..]);
    let (
        Stmt::For { name, start, end, body: of_a },
        Stmt::For { name: other, start: start_b, end: end_b, body: of_b },
    ) = (&a[last], &b[first])
    else {
        return None;
    };
    let same = (name, start, end) == (other, start_b, end_b);
    let independent = !depend(after, &b[..=first])
        && !depend(std::slice::from_ref(&a[last]), ahead)
        && in_step(name, of_a, of_b);
    // Who leaves one loop does not leave the other.
    if !same || !independent || leaves(of_a) || leaves(of_b) {
        return None;
    }
    let body = fused(of_a, of_b).unwrap_or_else(|| beside(of_a, of_b));
    let shared = Stmt::For { name: name.clone(), start: start.clone(), end: end.clone(), body };
    let mut all = beside(before, ahead);
    all.push(shared);
    all.extend(after.iter().chain(behind).cloned());
    Some(all)
}

/// Whether the loop around a body is left within it.
fn leaves(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::For { .. } | Stmt::While { .. } => false,
        stmt => *stmt == Stmt::Break || stmt.bodies().into_iter().any(leaves),
    })
}

/// One body after the other, without what the first one has bound to the same already.
fn beside(a: &[Stmt], b: &[Stmt]) -> Vec<Stmt> {
    let written = Uses::of(a).written;
    let is_known = |stmt: &&Stmt| match stmt {
        Stmt::Let { mutable: false, value, .. } => {
            a.contains(stmt) && !written.keys().any(|name| value.mentions(name))
        }
        Stmt::Let { mutable: true, .. }
        | Stmt::Comment(_)
        | Stmt::Assign { .. }
        | Stmt::Store { .. }
        | Stmt::Scratch { .. }
        | Stmt::Sort { .. }
        | Stmt::Workspace { .. }
        | Stmt::Harvest { .. }
        | Stmt::Clear { .. }
        | Stmt::Reserve { .. }
        | Stmt::Push { .. }
        | Stmt::Resize { .. }
        | Stmt::Refuse { .. }
        | Stmt::Break
        | Stmt::For { .. }
        | Stmt::While { .. }
        | Stmt::If { .. } => false,
    };
    a.iter().chain(b.iter().filter(|stmt| !is_known(stmt))).cloned().collect()
}

/// Whether it matters in which order two bodies run.
fn depend(a: &[Stmt], b: &[Stmt]) -> bool {
    conflicts(a, b).next().is_some()
}

/// What one of two bodies writes and the other one reads or writes.
fn conflicts(a: &[Stmt], b: &[Stmt]) -> impl Iterator<Item = String> {
    let (of_a, of_b) = (Uses::of(a), Uses::of(b));
    let touches =
        |uses: &Uses, name: &str| uses.reads(name) + uses.writes(name) + uses.measures(name) > 0;
    let names: BTreeSet<String> = of_a.written.keys().chain(of_b.written.keys()).cloned().collect();
    names.into_iter().filter(move |name| touches(&of_a, name) && touches(&of_b, name))
}

/// Whether two bodies, one after the other in each iteration of a loop, do what two loops do: what one
/// writes and the other one touches is an array, and each iteration touches its own element alone.
fn in_step(counter: &str, a: &[Stmt], b: &[Stmt]) -> bool {
    let index = Expr::var(counter);
    conflicts(a, b).all(|array| {
        let mut own = true;
        for stmt in a.iter().chain(b) {
            stmt.for_each(&mut |stmt| {
                own &= match stmt {
                    Stmt::Store { array: name, index: at, .. } => *name != array || *at == index,
                    Stmt::Let { name, .. } | Stmt::For { name, .. } => {
                        *name != array && name != counter
                    }
                    Stmt::Assign { name, .. }
                    | Stmt::Scratch { name, .. }
                    | Stmt::Sort { array: name }
                    | Stmt::Workspace { name, .. }
                    | Stmt::Harvest { workspace: name, .. }
                    | Stmt::Clear { array: name }
                    | Stmt::Reserve { array: name, .. }
                    | Stmt::Push { array: name, .. }
                    | Stmt::Resize { array: name, .. } => *name != array,
                    Stmt::Comment(_)
                    | Stmt::Refuse { .. }
                    | Stmt::Break
                    | Stmt::While { .. }
                    | Stmt::If { .. } => true,
                };
                for expr in stmt.expressions() {
                    expr.for_each(&mut |part| {
                        own &= match part {
                            Expr::Load { array: name, index: at } => {
                                *name != array || **at == index
                            }
                            Expr::Var(name) | Expr::Len(name) => *name != array,
                            Expr::Search { array: name, .. } => *name != array,
                            Expr::Index(_)
                            | Expr::Value(..)
                            | Expr::Constant(..)
                            | Expr::Bool(_)
                            | Expr::Largest(_)
                            | Expr::Pair(..)
                            | Expr::Unary(..)
                            | Expr::Binary(..)
                            | Expr::Call(..)
                            | Expr::Cast { .. }
                            | Expr::Choose { .. } => true,
                        };
                    });
                }
            });
        }
        own
    })
}

#[cfg(test)]
mod tests {
    use crate::compile::Compiler;
    use crate::ir::Kernel;

    /// What becomes of two statements on a matrix `A` and vectors, all but `A` dense.
    fn loops(first: &str, second: &str) -> Option<String> {
        let format = |name: &char| if *name == 'A' { "csr" } else { "dense" };
        let used = ['A', 'x', 'y', 'z'].into_iter();
        let used = used.filter(|name| first.contains(*name) || second.contains(*name));
        let tensors: Vec<_> = used.map(|name| format!("{name} = {:?}", format(&name))).collect();
        let manifest = format!(
            "[kernels.two]\nexprs = [{first:?}, {second:?}]\ntensors = {{ {} }}\n",
            tensors.join(", ")
        );
        let output = Compiler::new().compile_str("kernels.toml", &manifest);
        assert!(output.diagnostics.is_empty(), "{:?}", output.diagnostics);
        match output.kernels.into_iter().next() {
            Some(Kernel::Several(several)) => several.shared.map(|shared| shared.to_string()),
            Some(Kernel::One(_)) | None => None,
        }
    }

    /// How many loops there are, if any are shared.
    fn count(first: &str, second: &str) -> Option<usize> {
        loops(first, second).map(|text| text.matches("for ").count())
    }

    #[test]
    fn two_products_take_one_pass() {
        assert_eq!(count("y[i] = A[i,j] * x[j]", "z[j] = A[i,j] * x[i]"), Some(2));
        assert_eq!(count("y[i] = x[i] + 1", "z[i] = 2 * y[i]"), Some(1));
    }

    #[test]
    fn what_is_read_must_be_there_already() {
        // A row of the second needs all of that row of the first, but no other.
        assert_eq!(count("y[i] = A[i,j] * x[j]", "z[j] = A[i,j] * y[i]"), Some(3));
        // Rows need other rows.
        assert_eq!(count("y[i] = A[i,j] * x[j]", "z[i] = A[i,j] * y[j]"), None);
        assert_eq!(count("y[j] = A[i,j] * x[i]", "z[i] = A[i,j] * y[j]"), None);
    }

    #[test]
    fn variables_of_one_name_may_have_two_extents() {
        assert_eq!(count("y[i] = x[i] + 1", "z[i] = 2 * A[i,j]"), None);
    }

    #[test]
    fn names_stay_apart() {
        let text = loops("y[i] = A[i,j]", "z[i] = A[i,j] * A[i,j]").expect("shared loops");
        assert!(text.contains("sum += ") && text.contains("sum_z += "), "{text}");
    }
}
