//! Choices: compares a strip of values before any of them is chosen.
//!
//! `if greatest < x[i] { greatest = x[i]; argmax = i; }` seldom holds after the first values, but each
//! iteration waits for the comparison of the one before. Whether it holds for any of 16 values is one
//! comparison in vectors, which saves most of the time; only strips where it does are visited one by
//! one. rustc cannot know that the condition seldom holds.

use std::collections::{BTreeMap, BTreeSet};

use super::fresh::Names;
use super::strips::{
    Extents, Strips, declared, dtype_of_constant, expanded, is_contiguous, is_long, lanes,
};
use crate::ir::{BinaryOp, Callee, Dtype, Expr, Function, Stmt, Uses};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    let mut choices = Choices {
        extents: declared(&function),
        names: Names::of(&function),
        demanded: function.unroll.iter().map(|unroll| unroll.variable.clone()).collect(),
        assigned: Uses::of(&function.body).written.into_keys().collect(),
        is_split: false,
    };
    function.body = choices.body(function.body, &BTreeMap::new());
    function.is_vectorized |= choices.is_split;
    function
}

struct Choices {
    extents: Extents,
    names: Names,
    /// The variables of loops that the schedule unrolls.
    demanded: BTreeSet<String>,
    /// The variables that are assigned.
    assigned: BTreeSet<String>,
    /// `true` if a loop has been divided into strips.
    is_split: bool,
}

/// A loop that replaces variables where a value is better than the one that they hold.
struct Choice<'s> {
    variable: &'s str,
    from: &'s Expr,
    to: &'s Expr,
    body: &'s [Stmt],
    lets: &'s [Stmt],
    /// A condition that holds wherever the values are replaced.
    better: Expr,
    /// The variable with the best value so far.
    key: &'s str,
}

impl Choices {
    /// Returns statements with their choices in strips. `outer` has the types of the mutable variables
    /// around them.
    fn body(&mut self, body: Vec<Stmt>, outer: &BTreeMap<String, Dtype>) -> Vec<Stmt> {
        let mut types = outer.clone();
        let mut done = Vec::new();
        for stmt in body {
            if let Stmt::Let { name, mutable: true, value } = &stmt
                && let Some(dtype) = dtype_of_constant(value)
            {
                types.insert(name.clone(), dtype);
            }
            let split = Choice::of(&stmt).and_then(|choice| self.split(&choice, &types));
            match split {
                Some(split) => done.extend(split),
                None => done.extend(stmt.with_bodies(&mut |body| self.body(body, &types))),
            }
        }
        done
    }

    /// Returns a loop over strips, and one for the remaining iterations, or `None` if the loop should
    /// stay as it is.
    fn split(&mut self, choice: &Choice<'_>, types: &BTreeMap<String, Dtype>) -> Option<Vec<Stmt>> {
        let Choice { variable, from, to, body, lets, better, key } = choice;
        // Few processors compare half-precision numbers in vectors.
        let is_compared =
            |dtype: &&Dtype| !dtype.is_opaque() && !matches!(dtype, Dtype::F16 | Dtype::Bf16);
        let dtype = types.get(*key).filter(is_compared)?;
        let by = 2 * lanes(*dtype);
        let is_long = is_long([from, to], 2 * by, &self.extents, &self.assigned);
        if !is_long || self.demanded.contains(*variable) || !choice.is_contiguous() {
            return None;
        }
        self.is_split = true;
        let Strips { before: mut stmts, number, first, count, from, to } =
            Strips::of([from, to], by, variable, &mut self.names);
        let [is_better, lane] = ["is_better", "lane"].map(|name| self.names.fresh(name));
        let at_lane = Expr::add(first.clone(), Expr::var(&lane));
        let mut compare = vec![Stmt::bind(variable, at_lane)];
        compare.extend(lets.iter().cloned());
        compare.push(Stmt::combine(&is_better, BinaryOp::BitOr, better.clone()));
        let after = Expr::add(first.clone(), Expr::Index(by));
        let mut each = vec![Stmt::bind_mut(&is_better, Expr::Bool(false))];
        each.extend(Stmt::for_range(&lane, Expr::Index(0), Expr::Index(by), compare));
        each.extend(Stmt::when(
            Expr::var(&is_better),
            Stmt::for_range(variable, first, after, body.to_vec()),
        ));
        let comment = format!("{by} values at a time: most are not better than `{key}`.");
        stmts.push(Stmt::Comment(comment.into()));
        stmts.extend(Stmt::for_range(&number, Expr::Index(0), count.clone(), each));
        let rest = Expr::add(from, Expr::mul(count, Expr::Index(by)));
        stmts.extend(Stmt::for_range(variable, rest, to, body.to_vec()));
        Some(stmts)
    }
}

impl<'s> Choice<'s> {
    fn of(stmt: &'s Stmt) -> Option<Choice<'s>> {
        let Stmt::For { name: variable, start: from, end: to, body } = stmt else { return None };
        let (Stmt::If { arms, otherwise }, lets) = body.split_last()? else { return None };
        let [(condition, replaced)] = &arms[..] else { return None };
        let is_let = |stmt: &Stmt| matches!(stmt, Stmt::Let { mutable: false, .. });
        let is_replaced = |stmt: &Stmt| matches!(stmt, Stmt::Assign { op: None, .. });
        let is_choice =
            otherwise.is_empty() && lets.iter().all(is_let) && replaced.iter().all(is_replaced);
        let better = better(condition).filter(|_| is_choice)?;
        let key = replaced.iter().find_map(|stmt| match stmt {
            Stmt::Assign { name, .. } if better.mentions(name) => Some(name.as_str()),
            _ => None,
        })?;
        Some(Choice { variable, from, to, body, lets, better, key })
    }

    /// Returns whether the values are consecutive elements of an array, and computed in a few steps.
    fn is_contiguous(&self) -> bool {
        let lets: Vec<(String, Expr)> = self
            .lets
            .iter()
            .filter_map(|stmt| match stmt {
                Stmt::Let { name, value, .. } => Some((name.clone(), value.clone())),
                _ => None,
            })
            .collect();
        let (mut reads, mut is_simple) = (false, true);
        expanded(&self.better, &lets).for_each(&mut |part| match part {
            Expr::Load { index, .. } => {
                reads |= index.mentions(self.variable);
                is_simple &= !index.mentions(self.variable) || is_contiguous(index, self.variable);
            }
            Expr::Var(_)
            | Expr::Index(_)
            | Expr::Value(..)
            | Expr::Binary(..)
            | Expr::Unary(..) => {}
            Expr::Call(Callee::Math(math), ..) => is_simple &= !math.takes_long(),
            _ => is_simple = false,
        });
        reads && is_simple
    }
}

/// Returns a comparison that holds wherever a condition does: `a <= b` for `a < b || a == b && …`.
fn better(condition: &Expr) -> Option<Expr> {
    match condition {
        Expr::Binary(BinaryOp::Lt, ..) => Some(condition.clone()),
        Expr::Binary(BinaryOp::Or, less, equal) => {
            let Expr::Binary(BinaryOp::Lt, a, b) = &**less else { return None };
            let Expr::Binary(BinaryOp::And, are_equal, _) = &**equal else { return None };
            let is_it = **are_equal == Expr::eq((**a).clone(), (**b).clone())
                || **are_equal == Expr::eq((**b).clone(), (**a).clone());
            is_it.then(|| Expr::le((**a).clone(), (**b).clone()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::compile_str;

    fn source(expr: &str, tensors: &str) -> String {
        let manifest = format!("[kernels.k]\nexpr = '{expr}'\ntensors = {{ {tensors} }}\n");
        compile_str("kernels.toml", &manifest).source
    }

    #[test]
    fn strips_of_dense_values_are_compared_first() {
        let strips = |expr: &str, tensors: &str, compared: &str| {
            let source = source(expr, tensors);
            assert!(source.contains(&format!("is_better |= {compared};")), "{source}");
        };
        let usize = "m = { format = 'scalar', dtype = 'usize' }";
        strips("m = argmax[i](x[i])", &format!("{usize}, x = 'dense'"), "greatest <= value");
        strips("m = argmin[i](abs(x[i]))", &format!("{usize}, x = 'dense'"), "value <= least");
        let rows = "k = { format = 'dense', dtype = 'usize' }";
        strips("k[i] = argmax[j](A[i,j])", &format!("{rows}, A = 'dense'"), "greatest <= value");
    }

    #[test]
    fn values_of_other_loops_are_compared_one_by_one() {
        let rows = "k = { format = 'dense', dtype = 'usize' }";
        let whole = |expr: &str, tensors: &str| {
            let source = source(expr, &format!("{rows}, {tensors}"));
            assert!(source.contains("argm") && !source.contains("is_better"), "{source}");
        };
        // The entries of a row are few.
        whole("k[i] = argmax[j](A[i,j])", "A = 'csr'");
        // Each value takes a loop.
        whole("k[i] = argmin[j](sum[d](A[i,d] * B[j,d]))", "A = 'dense', B = 'dense'");
    }
}
