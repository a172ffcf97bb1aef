//! Equal keys: sums over the pairs of elements of two lists that are equal.
//!
//! `y[i] = sum[j]((s[i] == t[j]) * x[j])` reads, for each `i`, one of the sums of the terms with equal keys:
//! `y[i] = v[s[i]]` where `v[t[j]] += x[j]`. In terms of comparisons with a variable, this is
//! `y[i] = sum[key]((s[i] == key) * v[key])` where `v[key] = sum[j]((t[j] == key) * x[j])`, which takes one
//! pass over each list. Any integer may be a key, so that the variable has no extent, and the workspace is
//! a hash table.

use crate::concrete::Precomputed;
use crate::notation::{
    Access, BinaryOp, Expr, Extent, Function, Kernel, ReduceOp, Variable, VariableId, VariableRole,
};
use crate::types::{Dtype, Literal};

use super::distribute::{has_plain_indices, keep, uses};
use super::precompute::leaves_entries;
use super::predicates::{is_element, is_list};

/// Returns the form of a kernel in which sums over pairs with equal keys read sums of equal keys, if it has
/// such sums.
pub(super) fn by_keys(kernel: &Kernel) -> Option<(Kernel, Vec<Precomputed>)> {
    let (mut own, mut taken) = (kernel.clone(), Vec::new());
    own.assignment.value = looked_up(&mut own, &mut taken, &kernel.assignment.value);
    let keeps = |part: &Precomputed| leaves_entries(&own, &own.assignment.value, &part.workspace);
    (!taken.is_empty() && taken.iter().all(keeps)).then_some((own, taken))
}

/// Returns a value in which sums over pairs with equal keys read workspaces.
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
        _ => value,
    }
}

/// A product that is summed over pairs with equal keys.
struct Pairs {
    /// The keys whose sums are kept.
    kept: Access,
    /// The keys at which they are read.
    read: Access,
    /// The sum for each key, without the comparison.
    inner: Product,
    /// The other parts, and the variables that they are summed over.
    outer: Product,
}

/// A product that is summed where conditions hold.
#[derive(Default)]
struct Product {
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
        (0..parts.len()).find_map(|k| {
            let Part::Factor(compared) = &parts[k] else { return None };
            let [a, b] = keys(kernel, compared)?;
            let mut others = parts.clone();
            others.remove(k);
            [[&b, &a], [&a, &b]].into_iter().find_map(|[kept, read]| {
                let [inner, outer] = split(variables, kept, read, &others)?;
                Some(Pairs { kept: kept.clone(), read: read.clone(), inner, outer })
            })
        })
    }

    /// Returns the sum, which reads a workspace with a sum for each key.
    fn looked_up(self, kernel: &mut Kernel, taken: &mut Vec<Precomputed>) -> Option<Expr> {
        let v = unbounded(kernel, &[&self.inner, &self.outer]);
        let [kept, read] = [self.kept, self.read].map(|keys| is_element(kernel, &keys, v));
        let (mut inner, mut outer) = (self.inner, self.outer);
        inner.parts.push(Part::Condition(kept?));
        // The sum for a key may itself be over pairs.
        let inner = looked_up(kernel, taken, &inner.value());
        let workspace = keep(kernel, taken, (ReduceOp::SUM, inner), vec![v]);
        outer.parts.extend([Part::Factor(workspace), Part::Condition(read?)]);
        outer.variables.push(v);
        Some(outer.value())
    }
}

impl Product {
    /// Returns the sum.
    fn value(self) -> Expr {
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
        Expr::sum(self.variables, product.unwrap_or_else(one).where_all(conditions))
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

/// Returns the lists whose elements a factor compares, if they are keys: numbers that differ as coordinates
/// if they differ.
fn keys(kernel: &Kernel, factor: &Expr) -> Option<[Access; 2]> {
    let Expr::Call(Function::Convert(_), condition) = factor else { return None };
    let Expr::Call(Function::Operator(BinaryOp::Eq), sides) = &condition[0] else { return None };
    let [Expr::Access(a), Expr::Access(b)] = &sides[..] else { return None };
    let are_keys = |access: &Access| match kernel.tensor(access.tensor).dtype {
        Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::Usize => is_list(kernel, access),
        Dtype::I8 | Dtype::I16 | Dtype::I32 => is_list(kernel, access),
        // A coordinate may have 32 bits only.
        _ => false,
    };
    (kernel.semiring.is_usual() && are_keys(a) && are_keys(b)).then(|| [a.clone(), b.clone()])
}

/// Returns two products, of the parts that depend on the variables of `kept`, which must all be summed over,
/// and of the other parts, if no part depends on variables of both.
fn split(
    variables: &[VariableId],
    kept: &Access,
    read: &Access,
    parts: &[Part],
) -> Option<[Product; 2]> {
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
        [Product { variables: own, parts: inner }, Product { variables: others, parts: outer }]
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
    let mut name = "key".to_owned();
    while kernel.variables.iter().any(|known| known.name == name) {
        name.push('_');
    }
    let (extent, role) = (Extent::Unbounded, VariableRole::Index);
    kernel.variables.push(Variable { name, extent, role, expression: None });
    VariableId(kernel.variables.len() - 1)
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn sums_for_each_key_are_kept_unless_factors_link_the_pairs() {
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
        let linked = found("sum[j]((s[i] == t[j]) * A[i,j])", "A = 'csr'");
        assert_eq!(linked, "∀i (y[i] = sum where ∀j sum += f64(s[i] == t[j]) * A[i,j])");
    }
}
