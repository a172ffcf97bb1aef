//! Kernels for tests of the stages after `check`.

use crate::ir;
use crate::level::Levels;
use crate::lower::entry::complete;
use crate::notation::Kernel;
use crate::{manifest, notation};

/// Returns the kernel of one function, with its entry points.
pub(crate) fn completed(function: ir::Function) -> ir::Kernel {
    let result = match &function.result {
        ir::Result::Tensor(result) => result.name.clone(),
        ir::Result::Scalar { .. } => "value".to_owned(),
    };
    let step = ir::Step { tensor: result.clone(), result, function };
    complete(ir::Kernel::of(step.function.name.clone(), Vec::new(), vec![step]))
}

/// Returns the kernel of an expression; `tensors` is the content of a manifest's table, without
/// braces.
pub(crate) fn kernel(expr: &str, tensors: &str) -> Kernel {
    scheduled_kernel(expr, tensors, &[])
}

/// Returns the kernel of an expression with a schedule.
pub(crate) fn scheduled_kernel(expr: &str, tensors: &str, schedule: &[&str]) -> Kernel {
    kernel_with(expr, tensors, &format!("schedule = {schedule:?}"))
}

/// Returns the kernel of an expression with further keys.
pub(crate) fn kernel_with(expr: &str, tensors: &str, keys: &str) -> Kernel {
    let text =
        format!("[kernels.test]\nexpr = \"{expr}\"\ntensors = {{ {tensors} }}\n{keys}\n{FORMATS}");
    let (manifest, mut mistakes) = manifest::parse(&text);
    let (statements, more) = notation::parse(&manifest);
    mistakes.extend(more);
    let (module, more) = notation::check(&manifest, &statements, &Levels::default());
    mistakes.extend(more);
    assert!(mistakes.is_empty(), "{expr}: {mistakes:?}");
    module.kernels.into_iter().next().expect("a manifest with one kernel")
}

/// Returns the loops of an expression with a schedule, or the message and the notes of the error.
pub(crate) fn loops(expr: &str, tensors: &str, schedule: &[&str]) -> String {
    let kernel = scheduled_kernel(expr, tensors, schedule);
    match crate::schedule::schedule(&kernel, &Levels::default()) {
        Ok((program, _)) => program.show(&program.body),
        Err(refused) => [vec![refused.message], refused.notes].concat().join("; "),
    }
}

/// Formats for tests.
const FORMATS: &str = "
[formats]
blocks = \"(i, j) -> (i / 2 : dense, j / 2 : compressed, i % 2 : dense, j % 2 : dense)\"
sparse_blocks = \"(i, j) -> (i / 2 : compressed, j / 2 : compressed, i % 2 : dense, j % 2 : dense)\"
rows = \"(i, j) -> (i : compressed, j : dense)\"
nonzeros = \"(i) -> (i : compressed(unpadded))\"
nonzero_dense = \"(i) -> (i : dense(unpadded))\"
nonzero_csr = \"(i, j) -> (i : dense, j : compressed(unpadded))\"
nonzero_dcsr = \"(i, j) -> (i : compressed(unpadded), j : compressed(unpadded))\"
nonzero_pairs = \"(i, j) -> (i : compressed(nonunique), j : singleton(nonunique, unpadded))\"
full_vector = \"(i) -> (i : compressed(full))\"
full_rows = \"(i, j) -> (i : compressed(full), j : compressed)\"
full_columns = \"(i, j) -> (i : compressed, j : compressed(full))\"
messy = \"(i, j) -> (i : dense, j : compressed(nonordered, nonunique))\"
gaps = \"(i, j) -> (i : compressed(nonunique), j : loose_compressed)\"
nonzero_rows = \"(i, j) -> (i : compressed(unpadded), j : compressed)\"
two_of_four = \"(i, j) -> (i : dense, j / 4 : dense, j % 4 : structured(2, 4))\"
loose = \"(i, j) -> (i : dense, j : compressed(nonordered))\"
batches = \"(b, i, j) -> (b : batch, i : dense, j : compressed)\"
";
