//! Runs a loop over all entries once instead of once for each parent.
//!
//! `for i in 0..n { for p in pos[i]..pos[i + 1] { … } }` visits the positions `pos[0]..pos[n]` in order.
//! If the statements use neither `i` nor what depends on it, as in column sums and counts, a single
//! loop does the same. rustc cannot know that segments follow one another. For rows of few or of
//! different numbers of entries, it saves the processor the guesses where they end.

use std::collections::BTreeSet;

use crate::ir::{Element, Expr, Function, Stmt, Uses};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    let arrays = function.tensors().flat_map(|tensor| &tensor.arrays);
    let indices = arrays.filter(|array| matches!(array.element, Element::Index(_)));
    let joining = Joining {
        arrays: indices.map(|array| array.name.clone()).collect(),
        part: function.parallel.as_ref().map(|of| [&of.begin, &of.end].map(|name| Expr::var(name))),
    };
    function.body = joining.body(&function.body);
    function
}

struct Joining {
    /// The arrays of operands with positions or coordinates.
    arrays: BTreeSet<String>,
    /// The bounds of a part of the outermost loop, if it is divided.
    part: Option<[Expr; 2]>,
}

impl Joining {
    /// Joins the segments in statements, of inner loops first.
    fn body(&self, body: &[Stmt]) -> Vec<Stmt> {
        let stmts =
            body.iter().flat_map(|stmt| stmt.map(&mut Expr::clone, &mut |body| self.body(body)));
        stmts.flat_map(|stmt| self.joined(&stmt).unwrap_or_else(|| vec![stmt])).collect()
    }

    /// Returns the loop over all segments that a loop visits one by one.
    fn joined(&self, outer: &Stmt) -> Option<Vec<Stmt>> {
        let Stmt::For { name: parent, start: first, end: last, body } = outer else { return None };
        let (Stmt::For { name, start, end, body }, before) = body.split_last()? else {
            return None;
        };
        let next = Expr::add(Expr::var(parent), Expr::Index(1));
        let are_neighbours = self.begins(start, parent) && *end == start.substitute(parent, &next);
        let is_range = match (first, last) {
            (Expr::Index(0), _) | (Expr::Load { .. }, Expr::Load { .. }) => true,
            (first, last) => {
                self.part.as_ref().is_some_and(|part| [first, last] == [&part[0], &part[1]])
            }
        };
        let is_read = |name: &str| Uses::of_name(body, name).reads(name) > 0;
        let is_unused = |stmt: &Stmt| match stmt {
            Stmt::Comment(_) => true,
            Stmt::Let { name, mutable: false, .. } => !is_read(name),
            _ => false,
        };
        let is_joined =
            are_neighbours && is_range && !is_read(parent) && before.iter().all(is_unused);
        is_joined.then(|| {
            let [start, end] = [first, last].map(|at| start.substitute(parent, at));
            Stmt::for_range(name, start, end, body.clone())
        })
    }

    /// Returns whether an expression is the first position of a parent, or of its first child.
    fn begins(&self, start: &Expr, parent: &str) -> bool {
        match start {
            Expr::Load { array, index } => {
                let is_parent = **index == Expr::var(parent);
                self.arrays.contains(array) && (is_parent || self.begins(index, parent))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::compile_str;

    /// Returns the first lines of the loops of a kernel.
    fn loops(expr: &str, tensors: &str) -> String {
        let manifest = format!("[kernels.k]\nexpr = \"{expr}\"\ntensors = {{ {tensors} }}\n");
        let source = compile_str("kernels.toml", &manifest).source;
        let (_, loops) = source.split_once("\n    for ").expect("a loop");
        loops.lines().take(3).map(str::trim).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn rows_are_joined_if_none_is_used() {
        assert_eq!(
            loops("y[j] = A[i,j]", "y = 'dense', A = 'csr'"),
            "p_a in a2_pos[0] as usize..a2_pos[i_size] as usize { let j = a2_crd[p_a] as usize; \
             y_vals[j] += a_vals[p_a];"
        );
        assert!(
            loops("y[j] = A[i,j] * x[i]", "y = 'dense', A = 'csr', x = 'dense'")
                .starts_with("i in")
        );
        assert!(loops("y[i] = A[i,j]", "y = 'dense', A = 'csr'").starts_with("i in"));
    }

    #[test]
    fn rows_of_a_part_are_joined() {
        let part = loops("y[j] = A[i,j]", "y = 'dense', A = 'csr' }\nparallel = true\nsizes = {");
        assert!(part.starts_with("p_a in a2_pos[i_begin] as usize..a2_pos[i_end]"), "{part}");
    }

    #[test]
    fn all_levels_are_joined() {
        let all = loops("t = T[i,j,k]", "T = 'csf'");
        assert!(all.starts_with("p_t_23_tile in 0..p_t_23_end"), "{all}");
    }
}
