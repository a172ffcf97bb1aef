//! Equal keys: reductions over the pairs of elements of two lists that are equal.
//!
//! `y[i] = sum[j]((s[i] == t[j]) * x[j])` reads, for each `i`, one of the sums of the terms with equal keys:
//! `y[i] = v[s[i]]` where `v[t[j]] += x[j]`. In terms of comparisons with a variable, this is
//! `y[i] = sum[key]((s[i] == key) * v[key])` where `v[key] = sum[j]((t[j] == key) * x[j])`, which takes one
//! pass over each list. Any integer may be a key, so that the variable has no extent, and the workspace is
//! a hash table.
//!
//! Other reductions combine the values of pairs with equal keys in the same way, if the value of other pairs
//! is the identity element: `m[i] = max[j](select(s[i] == t[j], x[j], -inf))`.

use crate::concrete::Precomputed;
use crate::notation::{
    Access, BinaryOp, Expr, Extent, Function, Kernel, Reduce, ReduceOp, Variable, VariableId,
    VariableRole,
};
use crate::types::{Dtype, Literal};

use super::distribute::{has_plain_indices, keep, uses};
use super::precompute::leaves_entries;
use super::predicates::{is_element, is_list};

/// Returns the form of a kernel in which reductions over pairs with equal keys read those of each key, if it
/// has such reductions.
pub(super) fn by_keys(kernel: &Kernel) -> Option<(Kernel, Vec<Precomputed>)> {
    let (mut own, mut taken) = (kernel.clone(), Vec::new());
    own.assignment.value = looked_up(&mut own, &mut taken, &kernel.assignment.value);
    let keeps = |part: &Precomputed| leaves_entries(&own, &own.assignment.value, &part.workspace);
    (!taken.is_empty() && taken.iter().all(keeps)).then_some((own, taken))
}

/// Returns a value in which reductions over pairs with equal keys read workspaces.
fn looked_up(kernel: &mut Kernel, taken: &mut Vec<Precomputed>, value: &Expr) -> Expr {
    let value = value.map_children(&mut |child| looked_up(kernel, taken, child));
    match &value {
        Expr::Reduce(sum) if sum.op == ReduceOp::SUM => {
            let before = taken.len();
            let terms = kernel.masked_terms(&sum.body).into_iter();
            let sums = terms.map(|term| match Pairs::of(kernel, &sum.variables, &term) {
                Some(pairs) => pairs.looked_up(kernel, taken).unwrap_or_else(|| sum.of(term)),
                None => sum.of(term),
            });
            let sums = sums.reduce(Expr::add).unwrap_or(Expr::ZERO);
            if taken.len() > before { sums } else { value }
        }
        Expr::Reduce(reduce) => {
            let pairs = Pairs::chosen(kernel, reduce);
            pairs.and_then(|pairs| pairs.looked_up(kernel, taken)).unwrap_or(value)
        }
        _ => value,
    }
}

/// A product that is reduced over pairs with equal keys.
struct Pairs {
    /// The keys whose reductions are kept.
    kept: Access,
    /// The keys at which they are read.
    read: Access,
    /// The reduction for each key, without the comparison.
    inner: Product,
    /// The other parts, and the variables that they are reduced over.
    outer: Product,
}

/// A product that is reduced where conditions hold.
struct Product {
    op: ReduceOp,
    variables: Vec<VariableId>,
    parts: Vec<Part>,
}

/// A part of a product.
#[derive(Clone)]
enum Part {
    Condition(Expr),
    Factor(Expr),
    Divisor(Expr),
    Negative,
}

impl Part {
    /// Returns whether the part depends on one of some variables.
    fn uses(&self, some: &[VariableId]) -> bool {
        let value = match self {
            Part::Condition(value) | Part::Factor(value) | Part::Divisor(value) => value,
            Part::Negative => return false,
        };
        some.iter().any(|v| uses(value, *v))
    }
}

impl Pairs {
    /// Returns the parts of a product that is summed over some variables.
    fn of(kernel: &Kernel, variables: &[VariableId], term: &Expr) -> Option<Pairs> {
        has_plain_indices(kernel, term).then_some(())?;
        let mut parts = Vec::new();
        collect(term, &mut parts);
        Pairs::of_parts(kernel, ReduceOp::SUM, variables, &parts)
    }

    /// Returns the parts of a reduction of values that are chosen where conditions hold, and are the identity
    /// element elsewhere.
    fn chosen(kernel: &Kernel, reduce: &Reduce) -> Option<Pairs> {
        let op = reduce.op;
        (!op.tells_where && has_plain_indices(kernel, &reduce.body)).then_some(())?;
        let (conditions, value) = kernel.chosen(op, &reduce.body)?;
        // An unstored zero annihilates a product, also one with infinite factors, which a workspace does not
        // record.
        let is_recorded = op != ReduceOp::PROD || kernel.sparse_accesses(&value).is_empty();
        is_recorded.then_some(())?;
        let mut parts: Vec<Part> = conditions.into_iter().map(Part::Condition).collect();
        parts.push(Part::Factor(value));
        let mut pairs = Pairs::of_parts(kernel, op, &reduce.variables, &parts)?;
        // A constant is chosen for each key.
        let is_constant = |part: &Part| matches!(part, Part::Factor(value) if value.is_constant());
        let (constants, conditions) = pairs.outer.parts.into_iter().partition(is_constant);
        pairs.inner.parts.extend::<Vec<Part>>(constants);
        pairs.outer.parts = conditions;
        pairs.outer.parts.iter().all(|part| matches!(part, Part::Condition(_))).then_some(pairs)
    }

    fn of_parts(
        kernel: &Kernel,
        op: ReduceOp,
        variables: &[VariableId],
        parts: &[Part],
    ) -> Option<Pairs> {
        (0..parts.len()).find_map(|k| {
            let [a, b] = keys(kernel, &parts[k])?;
            let mut others = parts.to_vec();
            others.remove(k);
            [[&b, &a], [&a, &b]].into_iter().find_map(|[kept, read]| {
                let [inner, outer] = split(variables, kept, read, &others)?;
                let [inner, outer] =
                    [inner, outer].map(|(variables, parts)| Product { op, variables, parts });
                Some(Pairs { kept: kept.clone(), read: read.clone(), inner, outer })
            })
        })
    }

    /// Returns the reduction, which reads a workspace with a value for each key.
    fn looked_up(self, kernel: &mut Kernel, taken: &mut Vec<Precomputed>) -> Option<Expr> {
        let v = unbounded(kernel, &[&self.inner, &self.outer]);
        let kept = is_element(kernel, &self.kept, v)?;
        let read = is_element(kernel, &self.read, v)?;
        let (mut inner, mut outer) = (self.inner, self.outer);
        let op = inner.op;
        inner.parts.push(Part::Condition(kept));
        // The value for a key may itself be over pairs.
        let inner = inner.value(kernel);
        let inner = looked_up(kernel, taken, &inner);
        let workspace = keep(kernel, taken, (op, inner), vec![v]);
        outer.parts.extend([Part::Factor(workspace), Part::Condition(read)]);
        outer.variables.push(v);
        Some(outer.value(kernel))
    }
}

impl Product {
    /// Returns the reduction.
    fn value(self, kernel: &Kernel) -> Expr {
        let one = || Expr::Literal(Literal::Int(1));
        let (mut product, mut conditions) = (None, Vec::new());
        for part in self.parts {
            match part {
                Part::Condition(condition) => conditions.push(condition),
                Part::Factor(factor) => {
                    product = Some(match product {
                        Some(product) => Expr::mul(product, factor),
                        None => factor,
                    });
                }
                Part::Divisor(divisor) => {
                    product = Some(Expr::div(product.unwrap_or_else(one), divisor));
                }
                Part::Negative => product = Some(Expr::neg(product.unwrap_or_else(one))),
            }
        }
        let product = product.unwrap_or_else(one);
        let body = match self.op {
            ReduceOp::SUM => product.where_all(conditions),
            op => kernel.choose(op, conditions, product),
        };
        Expr::reduce(self.op, self.variables, body)
    }
}

/// Adds the parts of a product.
fn collect(product: &Expr, parts: &mut Vec<Part>) {
    match product {
        Expr::Call(Function::Mask, masked) => {
            parts.extend(masked[0].conjuncts().into_iter().cloned().map(Part::Condition));
            collect(&masked[1], parts);
        }
        Expr::Binary(BinaryOp::Mul, a, b) => [a, b].into_iter().for_each(|of| collect(of, parts)),
        Expr::Binary(BinaryOp::Div, a, b) => {
            collect(a, parts);
            parts.push(Part::Divisor((**b).clone()));
        }
        Expr::Neg(a) => {
            collect(a, parts);
            parts.push(Part::Negative);
        }
        factor => parts.push(Part::Factor(factor.clone())),
    }
}

/// Returns the lists whose elements a part compares, if they are keys: numbers that differ as coordinates if
/// they differ.
fn keys(kernel: &Kernel, part: &Part) -> Option<[Access; 2]> {
    let condition = match part {
        Part::Factor(Expr::Call(Function::Convert(_), condition)) => &condition[0],
        Part::Factor(condition) | Part::Condition(condition) => condition,
        _ => return None,
    };
    let Expr::Call(Function::Operator(BinaryOp::Eq), sides) = condition else { return None };
    let [Expr::Access(a), Expr::Access(b)] = &sides[..] else { return None };
    let are_keys = |access: &Access| match kernel.tensor(access.tensor).dtype {
        Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::Usize => is_list(kernel, access),
        Dtype::I8 | Dtype::I16 | Dtype::I32 => is_list(kernel, access),
        // A coordinate may have 32 bits only.
        _ => false,
    };
    (kernel.semiring.is_usual() && are_keys(a) && are_keys(b)).then(|| [a.clone(), b.clone()])
}

/// Divides the variables and the parts of a product: first the ones that depend on the variables of `kept`,
/// which must all be reduced, then the others. Returns `None` if a part depends on variables of both.
fn split(
    variables: &[VariableId],
    kept: &Access,
    read: &Access,
    parts: &[Part],
) -> Option<[(Vec<VariableId>, Vec<Part>); 2]> {
    let mut own: Vec<VariableId> = kept.indices.clone();
    // Variables that are not summed over are those of loops around both products.
    let next = |own: &[VariableId]| {
        let is_linked = |v: &&VariableId| {
            !own.contains(v) && parts.iter().any(|part| part.uses(own) && part.uses(&[**v]))
        };
        variables.iter().find(is_linked).copied()
    };
    while let Some(v) = next(&own) {
        own.push(v);
    }
    let is_apart = read.indices.iter().all(|v| !own.contains(v))
        && !parts.iter().any(|part| part.uses(&own) && part.uses(&read.indices));
    (own.iter().all(|v| variables.contains(v)) && is_apart).then(|| {
        let (inner, outer) = parts.iter().cloned().partition(|part| part.uses(&own));
        let others = variables.iter().copied().filter(|v| !own.contains(v)).collect();
        [(own, inner), (others, outer)]
    })
}

/// Returns a variable whose coordinates are keys, which the parts of a sum do not use.
fn unbounded(kernel: &mut Kernel, products: &[&Product]) -> VariableId {
    let mut known = (0..kernel.variables.len()).map(VariableId);
    let is_free = |v: &VariableId| {
        let mut parts = products.iter().flat_map(|product| &product.parts);
        kernel.variable(*v).extent == Extent::Unbounded && !parts.any(|part| part.uses(&[*v]))
    };
    if let Some(v) = known.find(is_free) {
        return v;
    }
    let (mut name, mut number) = ("key".to_owned(), 1);
    while kernel.variables.iter().any(|known| known.name == name) {
        number += 1;
        name = format!("key{number}");
    }
    let (extent, role) = (Extent::Unbounded, VariableRole::Index);
    kernel.variables.push(Variable { name, extent, role, expression: None });
    VariableId(kernel.variables.len() - 1)
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn reductions_for_each_key_are_kept_unless_factors_link_the_pairs() {
        let lists =
            "s = { format = 'dense', dtype = 'u32' }, t = { format = 'dense', dtype = 'u32' }";
        let found = |value: &str, others: &str| {
            let tensors = format!("y = 'dense', {others}, {lists}");
            loops(&format!("y[i] = {value}"), &tensors, &[])
        };
        assert_eq!(
            found("sum[j]((s[i] == t[j]) * x[j])", "x = 'dense'"),
            "∀i (y[i] = sum where ∀key (sum += v[key] if present(s_is[i,key]))) where ∀j ∀key (v[key] \
             += x[j] if present(t_is[j,key]))"
        );
        assert_eq!(
            found("any[j]((s[i] == t[j]) & (0 < x[j])) * 1.0", "x = 'dense'"),
            "∀i (y[i] = f64(any) where ∀key (any |= v[key] if present(s_is[i,key]))) where ∀j ∀key v[key] |= 0 < \
             x[j] & present(t_is[j,key])"
        );
        assert_eq!(
            found("max[j](select(s[i] == t[j], x[j], -inf))", "x = 'dense'"),
            "∀i (y[i] = max where ∀key (max max= v[key] if present(s_is[i,key]))) where ∀j ∀key v[key] max= \
             select(present(t_is[j,key]), x[j], -inf)"
        );
        let linked = found("sum[j]((s[i] == t[j]) * A[i,j])", "A = 'csr'");
        assert_eq!(linked, "∀i (y[i] = sum where ∀j sum += f64(s[i] == t[j]) * A[i,j])");
    }
}
