//! Shares the loops of statements that are computed one after the other: two products with a matrix and
//! its transpose in one pass over the matrix.
//!
//! rustc does not fuse loops. Loops of the same range become one where what the later of them reads or
//! writes is written by the earlier in no other iteration; what stands between the two must not mind.

mod loops;
mod names;
mod steps;

use super::{inline, share, unused};
use crate::ir::{
    Assembly, Callers, Function, Operand, Result, Several, Shared, Size, Step, TensorResult,
    needed, read,
};
use crate::names::beside;

/// A kernel in which neighbours share loops where they can. A name is taken if a function of another
/// kernel begins like that.
pub fn run(mut several: Several, is_taken: impl Fn(&str) -> bool) -> Several {
    let mut start = 0;
    while start < several.steps.len() {
        let mut shared = None;
        let mut end = start + 1;
        while let Some(steps) = several.steps.get(start..=end)
            && let Some(wider) = together(steps)
        {
            (shared, end) = (Some(wider), end + 1);
        }
        if let Some(function) = shared {
            let steps = start..end;
            let function = named(function, &several, &several.steps[steps.clone()], &is_taken);
            several.shared.push(Shared { steps, function });
        }
        start = end;
    }
    several
}

/// The function of some statements by the name of the kernel if they are all there are, or else of their
/// results.
fn named(
    mut function: Function,
    several: &Several,
    steps: &[Step],
    is_taken: impl Fn(&str) -> bool,
) -> Function {
    if steps.len() == several.steps.len() {
        (function.name, function.callers) = (several.name.clone(), Callers::Everyone);
    } else {
        let mut results = Vec::new();
        steps.iter().for_each(|step| add(&mut results, &[plain(&step.result)]));
        let joined = beside(&several.name, &results.join("_"));
        // Functions of the first statement alone are not made.
        function.name = if is_taken(&joined) { steps[0].function.name.clone() } else { joined };
        function.callers = Callers::Kernel { allocates: false, computes: several.computes() };
    }
    let name = beside(&function.name, "compute");
    if let Some(compute) = &mut function.compute {
        (compute.name, compute.callers) = (name.clone(), function.callers);
    }
    function
}

/// The loops of statements as those of one function, if any can be shared.
fn together(steps: &[Step]) -> Option<Function> {
    let whole = |step: &Step| step.function.clone();
    let values = |step: &Step| match &step.function.compute {
        Some(compute) => (**compute).clone(),
        None => step.function.clone(),
    };
    let mut function = united(steps, whole)?;
    if function.has_structure() {
        // What the loops answer that compute values apart is whether the structure is the same.
        let has_loops =
            |step: &Step| step.function.compute.is_some() || !step.function.has_structure();
        let agrees = function.scalars().next().is_none() && steps.iter().all(has_loops);
        agrees.then_some(())?;
        function.compute = Some(Box::new(united(steps, values)?));
    }
    Some(function)
}

/// The functions of statements as one.
fn united(steps: &[Step], of: impl Fn(&Step) -> Function) -> Option<Function> {
    let functions: Vec<Function> = steps.iter().map(of).collect();
    let results: Vec<&TensorResult> = functions.iter().flat_map(Function::results).collect();
    let is_result = |name: &str| steps.iter().any(|step| step.result == name);
    let fit = |function: &Function| is_plain(function) && reads_by_name(function, steps, &results);
    functions.iter().all(fit).then_some(())?;
    let operands: Vec<Operand> = read(functions.iter(), is_result).into_iter().cloned().collect();
    let (first, later) = functions.split_first()?;
    let mut whole = Function { sizes: Vec::new(), compute: None, ..first.clone() };
    unite(&mut whole.sizes, moved(first, &operands), first, &[])?;
    for (function, step) in later.iter().zip(&steps[1..]) {
        let known: Vec<TensorResult> = whole.results().cloned().collect();
        unite(&mut whole.sizes, moved(function, &operands), function, &known)?;
        let own = names::distinct(function, &whole, plain(&step.result))?;
        whole.body = loops::fused(&whole.body, &own.body, &whole.sizes)?;
        whole.division = whole.division.or_else(|| function.division.clone());
        whole.join_bounds(own.unchecked);
        let place = |size: &usize| {
            let name = &function.sizes[*size].name;
            whole.sizes.iter().position(|size| size.name == *name)
        };
        match own.result {
            // What changes an earlier result is no other one.
            Result::Tensor(result) if known.iter().any(|other| other.name == result.name) => {}
            Result::Tensor(result) => {
                let shape = result.shape.iter().map(place).collect::<Option<_>>()?;
                whole.others.push(Result::Tensor(TensorResult { shape, ..result }));
            }
            Result::Scalar { .. } => whole.others.push(own.result),
        }
    }
    whole.operands = operands;
    for operand in &mut whole.operands {
        let Operand::Tensor(tensor) = operand else { continue };
        let all = functions.iter().flat_map(Function::tensors);
        for other in all.filter(|other| other.name == tensor.name) {
            add(&mut tensor.arrays, &other.arrays);
            add(&mut tensor.extents, &other.extents);
        }
    }
    whole.traits = needed(functions.iter());
    // Places in results of several statements may be the same one.
    Some(unused::run(inline::run(share::run(whole))))
}

/// Whether results of the same loops are read, if at all, where they have all places beforehand, and by
/// the names by which they are written.
fn reads_by_name(function: &Function, steps: &[Step], results: &[&TensorResult]) -> bool {
    function.operands.iter().all(|operand| match operand {
        Operand::Tensor(tensor) => {
            let mut same = results.iter().filter(|result| result.name == tensor.name);
            same.all(|result| match &result.assembly {
                Assembly::Computed { structure, .. } => {
                    structure.is_empty()
                        && tensor.arrays.iter().all(|read| result.arrays().contains(read))
                }
                Assembly::Assembled { .. } => false,
            })
        }
        Operand::Scalar { name, .. } => steps.iter().all(|step| step.result != *name),
        Operand::Index { .. } | Operand::Indices { .. } => true,
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

/// Whether a function is its loops and nothing around them.
fn is_plain(function: &Function) -> bool {
    let fills_storage = |result: &TensorResult| {
        result.packed.is_none() && result.cover.is_none() && result.extents().is_empty()
    };
    function.results().all(fills_storage)
        && function.updated_scalar().is_none()
        && function.parts.is_empty()
        && function.gathers.is_empty()
        && function.conversions.is_empty()
        && function.unroll.is_empty()
        && function.parallel.is_none()
}

/// The extents of a function in terms of other operands, of which results of the same loops are none.
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
        let size = &function.sizes[new];
        let read = size.operands.iter();
        let read = read.map(|(operand, mode)| (function.operands[*operand].name(), *mode));
        let own =
            function.results().flat_map(|own| size.result.iter().map(|mode| (&*own.name, *mode)));
        read.chain(own).any(|(name, mode)| {
            let result = results.iter().find(|result| result.name == name);
            result.is_some_and(|result| result.shape.get(mode) == Some(&known))
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

fn plain(name: &str) -> &str {
    name.trim_start_matches("r#")
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
            Some(Kernel::Several(several)) => {
                several.shared.first().map(|shared| shared.function.to_string())
            }
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
    fn rows_of_a_matrix_are_read_where_they_are_complete() {
        let shares = |second: &str| {
            let exprs = format!("exprs = [\"C[i,j] = A[i,j] * x[j]\", \"{second}\"]");
            let tensors = "tensors = { C = \"dense\", D = \"dense\", A = \"csr\", x = \"dense\" }";
            let manifest = format!("[kernels.two]\n{exprs}\n{tensors}\n");
            let output = Compiler::new().compile_str("kernels.toml", &manifest);
            assert!(output.diagnostics.is_empty(), "{:?}", output.diagnostics);
            match output.kernels.into_iter().next() {
                Some(Kernel::Several(several)) => several.shared.len() == 1,
                Some(Kernel::One(_)) | None => false,
            }
        };
        assert!(shares("D[i,j] = 2 * C[i,j]"));
        assert!(!shares("D[i,j] = 2 * C[j,i]"));
        assert!(!shares("D[i,j] = C[i,k] * C[k,j]"));
    }

    #[test]
    fn variables_of_one_name_may_have_two_extents() {
        assert_eq!(count("y[i] = x[i] + 1", "z[i] = 2 * A[i,j]"), None);
    }

    #[test]
    fn scalars_are_computed_beside_tensors() {
        let text = loops("s = A[i,j] * A[i,j]", "y[i] = A[i,j] * x[j]").expect("shared loops");
        assert_eq!(text.matches("for ").count(), 2, "{text}");
        assert!(text.contains("sum_y += "), "{text}");
    }

    #[test]
    fn what_is_changed_is_changed_in_the_same_loop() {
        assert_eq!(count("y[i] = A[i,j] * x[j]", "y[i] += x[i]"), Some(2));
        assert_eq!(count("y[i] = A[i,j] * x[j]", "y[j] += A[i,j]"), None);
    }

    #[test]
    fn neighbours_share_where_others_cannot() {
        let manifest = "[kernels.some]\nexprs = [\"y[i] = A[i,j] * x[j]\", \"z[j] = A[i,j] * x[i]\", \
                        \"w[i] = A[i,j] * y[j]\"]\n\
                        tensors = { A = \"csr\", x = \"dense\", y = \"dense\", z = \"dense\", w = \"dense\" }\n";
        let output = Compiler::new().compile_str("kernels.toml", manifest);
        assert!(output.diagnostics.is_empty(), "{:?}", output.diagnostics);
        let Some(Kernel::Several(several)) = output.kernels.into_iter().next() else {
            panic!("a kernel of several statements")
        };
        let [shared] = several.shared.as_slice() else { panic!("one group that shares loops") };
        assert_eq!((&shared.steps, shared.function.name.as_str()), (&(0..2), "some_y_z"));
    }

    #[test]
    fn names_stay_apart() {
        let text = loops("y[i] = A[i,j]", "z[i] = A[i,j] * A[i,j]").expect("shared loops");
        assert!(text.contains("sum += ") && text.contains("sum_z += "), "{text}");
    }
}
