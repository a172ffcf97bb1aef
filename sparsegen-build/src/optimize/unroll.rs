//! Unrolling: repeats the body of a loop several times, as the schedule demands.
//!
//! A sum is accumulated in several variables, so that additions need not wait for each other; rustc
//! cannot do that, because it preserves the order of floating-point additions. A second loop runs
//! the remaining iterations.

use super::fresh::Names;
use crate::ir::{BinaryOp, Expr, Function, Stmt, Unroll, Uses, substitute};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    // Loops of single iterations stay as they are.
    function.unroll.retain(|unroll| unroll.by > 1);
    if function.unroll.is_empty() {
        return function;
    }
    let mut unrolling = Unrolling { loops: &function.unroll, names: Names::of(&function) };
    let body = unrolling.body(&function.body, &[]);
    function.body = body;
    function.unroll = Vec::new();
    function
}

struct Unrolling<'f> {
    loops: &'f [Unroll],
    names: Names,
}

/// A variable that a loop only adds to, with its initial value.
struct Sum {
    name: String,
    zero: Expr,
    /// The accumulators of the additional iterations.
    parts: Vec<String>,
}

impl Unrolling<'_> {
    /// Returns statements with their loops unrolled; `zeros` are the variables in scope with
    /// initial value zero.
    fn body(&mut self, body: &[Stmt], zeros: &[(String, Expr)]) -> Vec<Stmt> {
        let mut zeros = zeros.to_vec();
        let mut done = Vec::new();
        for stmt in body {
            if let Stmt::Let { name, mutable: true, value: value @ Expr::Value(literal, _) } = stmt
                && literal.is_zero()
            {
                zeros.push((name.clone(), value.clone()));
            }
            let inner = stmt.map(&mut Expr::clone, &mut |inner| self.body(inner, &zeros));
            for stmt in inner {
                match stmt {
                    Stmt::For { name, start, end, body } if self.by(&name).is_some() => {
                        let by = self.by(&name).unwrap_or(1);
                        done.extend(self.unroll(by, &name, start, end, &body, &zeros));
                    }
                    other => done.push(other),
                }
            }
        }
        done
    }

    fn by(&self, name: &str) -> Option<usize> {
        self.loops.iter().find(|unroll| unroll.variable == name).map(|unroll| unroll.by)
    }

    fn unroll(
        &mut self,
        by: usize,
        name: &str,
        start: Expr,
        end: Expr,
        body: &[Stmt],
        zeros: &[(String, Expr)],
    ) -> Vec<Stmt> {
        if let (Expr::Index(first), Expr::Index(last)) = (&start, &end)
            && last - first <= by
        {
            let iterations = *first..*last;
            return iterations.flat_map(|k| substitute(body, name, &Expr::Index(k))).collect();
        }
        let is_multiple = matches!(
            (&start, &end),
            (Expr::Index(first), Expr::Index(last)) if (last - first) % by == 0
        );
        let sums = self.sums(by, body, zeros);
        let mut stmts = Vec::new();
        for sum in &sums {
            let parts = sum.parts.iter();
            stmts.extend(parts.map(|part| Stmt::bind_mut(part, sum.zero.clone())));
        }
        let end = self.names.bound(name, "end", &end, &mut stmts);
        stmts.push(Stmt::bind_mut(name, start));
        let several = Expr::add(Expr::var(name), Expr::Index(by));
        let mut iterations = Vec::new();
        for k in 0..by {
            let at = Expr::add(Expr::var(name), Expr::Index(k));
            let mut iteration = substitute(body, name, &at);
            if let Some(part) = k.checked_sub(1) {
                iteration.retain(|stmt| !is_done(stmt, body));
                for sum in &sums {
                    iteration = add_to(&iteration, &sum.name, &sum.parts[part]);
                }
            }
            iterations.extend(iteration);
        }
        iterations.push(Stmt::accumulate(name, Expr::Index(by)));
        stmts.extend(Stmt::repeat_while(Expr::le(several, end.clone()), iterations));
        for sum in &sums {
            let parts = sum.parts.iter().map(|part| Expr::var(part)).reduce(Expr::add);
            stmts.extend(parts.map(|parts| Stmt::accumulate(&sum.name, parts)));
        }
        if !is_multiple {
            stmts.extend(Stmt::for_range(name, Expr::var(name), end, body.to_vec()));
        }
        stmts
    }

    /// Returns the variables that a loop adds to and does not use otherwise.
    fn sums(&mut self, by: usize, body: &[Stmt], zeros: &[(String, Expr)]) -> Vec<Sum> {
        let uses = Uses::of(body);
        let mut sums: Vec<Sum> = Vec::new();
        for (name, zero) in zeros {
            let adds = count_additions(body, name);
            let only_adds = adds > 0 && uses.writes(name) == adds && uses.reads(name) == 0;
            if only_adds && !sums.iter().any(|sum| sum.name == *name) {
                let parts = (1..by).map(|k| self.names.beside(name, &k.to_string()));
                let (name, zero, parts) = (name.clone(), zero.clone(), parts.collect());
                sums.push(Sum { name, zero, parts });
            }
        }
        sums
    }
}

/// Returns whether a statement sets a variable to a constant, as the previous iteration has done.
fn is_done(stmt: &Stmt, body: &[Stmt]) -> bool {
    matches!(
        stmt,
        Stmt::Assign { name, op: None, value: Expr::Bool(_) | Expr::Index(_) | Expr::Value(..) | Expr::Constant(..) }
            if Uses::of_name(body, name).writes(name) == 1
    )
}

/// Returns the number of statements that add to a variable or subtract from it.
fn count_additions(body: &[Stmt], sum: &str) -> usize {
    let mut count = 0;
    for stmt in body {
        stmt.for_each(&mut |stmt| {
            if let Stmt::Assign { name, op: Some(BinaryOp::Add | BinaryOp::Sub), .. } = stmt {
                count += usize::from(name == sum);
            }
        });
    }
    count
}

/// Returns statements that add to another variable.
fn add_to(body: &[Stmt], sum: &str, part: &str) -> Vec<Stmt> {
    let replace = |stmt: &Stmt| match stmt {
        Stmt::Assign { name, op, value } if name == sum => {
            vec![Stmt::Assign { name: part.to_owned(), op: *op, value: value.clone() }]
        }
        stmt => stmt.map(&mut Expr::clone, &mut |inner| add_to(inner, sum, part)),
    };
    body.iter().flat_map(replace).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::samples;

    fn unrolled(function: Function, variable: &str, by: usize) -> String {
        let unroll = vec![Unroll { variable: variable.to_owned(), by }];
        let function = run(Function { unroll, ..function });
        function.body.iter().map(Stmt::to_string).collect()
    }

    #[test]
    fn sums_are_split_and_the_rest_is_a_loop() {
        let expected = "\
for i in 0..i_size {
    let mut sum = 0.0;
    let mut sum_1 = 0.0;
    let p_a_end = a2_pos[i + 1];
    let mut p_a = a2_pos[i];
    while p_a + 2 <= p_a_end {
        let j = a2_crd[p_a];
        sum += a_vals[p_a] * x_vals[j];
        let j = a2_crd[p_a + 1];
        sum_1 += a_vals[p_a + 1] * x_vals[j];
        p_a += 2;
    }
    sum += sum_1;
    for p_a in p_a..p_a_end {
        let j = a2_crd[p_a];
        sum += a_vals[p_a] * x_vals[j];
    }
    y_vals[i] = sum;
}
";
        assert_eq!(unrolled(samples::spmv(), "p_a", 2), expected);
    }

    #[test]
    fn few_iterations_are_all_written_out() {
        let store = Stmt::store("y_vals", Expr::var("k"), Expr::var("x"));
        let body = Stmt::for_range("k", Expr::Index(0), Expr::Index(3), vec![store]);
        let text = unrolled(Function { body, ..samples::spmv() }, "k", 4);
        assert_eq!(text, "y_vals[0] = x;\ny_vals[1] = x;\ny_vals[2] = x;\n");
    }

    #[test]
    fn names_of_outer_sums_differ() {
        let text = unrolled(samples::spmv(), "i", 2);
        assert!(text.starts_with("let mut i = 0;\nwhile i + 2 <= i_size {\n"), "{text}");
        assert!(!text.contains("sum_1"), "{text}");
    }
}
