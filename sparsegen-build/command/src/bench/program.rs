//! The program that times kernels.

use std::fmt::Write as _;

use sparsegen_build::inspect::{Argument, Kernel, Tensor};

use crate::failure::Failure;

use super::library::Library;
use super::operands::{EXTENT, Operands};
use super::values::Values;

/// The parts of the program that do not depend on the kernel.
const COMMON: &str = include_str!("common.rs");

/// Returns the features of `sparsegen` that kernels need.
pub fn features(kernels: &[&Kernel], operands: &Operands) -> Vec<&'static str> {
    let tensors = kernels.iter().flat_map(|kernel| &kernel.tensors);
    let mut features: Vec<&str> = tensors.filter_map(|of| Values::of(of).feature).collect();
    features.extend(operands.is_parallel.then_some("parallel"));
    features.sort_unstable();
    features.dedup();
    features
}

/// Returns the source of a program that times kernels, each a variant of the same one, which may use
/// items of a library.
pub fn source(
    kernels: &[&Kernel],
    operands: &Operands,
    library: Option<&Library>,
) -> Result<String, Failure> {
    let mut text = COMMON.to_owned();
    if let Some(Library { name, items, .. }) = library {
        // The kernels name them as items of this crate.
        let items: Vec<&str> = items.iter().map(String::as_str).collect();
        let _ = write!(text, "\nuse {name}::{{{}}};\n", items.join(", "));
    }
    text.push_str("\nfn main() -> ExitCode {\n    let mut extents = Extents::new(&[");
    for (name, extent) in &operands.sizes {
        let _ = write!(text, "({name:?}, {extent}), ");
    }
    let _ = writeln!(text, "], {EXTENT});");
    for (k, (tensor, path)) in operands.files.iter().enumerate() {
        let Values { read: number, of_read, .. } = Values::of(tensor);
        let order = tensor.modes.len();
        let path = path.display().to_string();
        let read = match (crate::formats::is_frostt(path.as_ref()), order) {
            (true, _) => format!("io::read_tns({path:?})"),
            (false, 2) => format!("io::read_mtx({path:?})"),
            (false, _) => {
                let name = &tensor.name;
                let reason = format!("`{path}` has a matrix, but `{name}` has {order} modes");
                return Err(Failure::error(reason));
            }
        };
        let _ = writeln!(
            text,
            "    let file_{k}: Tensor<{number}, Coo<{order}>> = or_exit!({read});\n    \
             extents.learn({:?}, &{:?}, &file_{k}, {path:?});",
            tensor.name, tensor.modes
        );
        if let Some(of_read) = of_read {
            let _ = writeln!(text, "    let file_{k} = file_{k}.map_vals({of_read});");
        }
    }
    for (number, kernel) in kernels.iter().enumerate() {
        let run = variant(number, kernel, operands);
        let _ = writeln!(
            text,
            "    let run = || -> Result<(), Error> {{\n{run}        Ok(())\n    }};"
        );
        let _ = writeln!(text, "    report({number}, run());");
    }
    text.push_str("    ExitCode::SUCCESS\n}\n");
    Ok(text)
}

/// Returns the statements that time a kernel.
fn variant(number: usize, kernel: &Kernel, operands: &Operands) -> String {
    let mut text = String::new();
    let mut passed = Vec::new();
    for argument in &kernel.arguments {
        let own = format!("operand_{}", passed.len());
        let (by, ty, value) = match argument {
            Argument::Index(name) => ("", "usize".to_owned(), format!("extents.index({name:?})")),
            Argument::Indices(name) => {
                ("&", "Vec<usize>".to_owned(), format!("extents.indices({name:?})"))
            }
            Argument::Tensor(name) => {
                let tensor = kernel.tensors.iter().find(|tensor| tensor.name == *name);
                let Some(tensor) = tensor else { continue };
                of_tensor(number, tensor, operands)
            }
        };
        let mutable = if by == "&mut " { "mut " } else { "" };
        let _ = writeln!(text, "        let {mutable}{own}: {ty} = {value};");
        passed.push(format!("{by}{own}"));
    }
    let (name, passed) = (&kernel.function, passed.join(", "));
    // The memory of a result is reused where the kernel can do that.
    let has_into = kernel.source.contains(&format!("\npub fn {name}_into<"))
        && kernel.tensors.iter().filter(|tensor| tensor.is_result).count() == 1;
    let call = match has_into {
        true => {
            let _ = writeln!(text, "        let mut result = kernels::{name}({passed})?;");
            format!("kernels::{name}_into(&mut result, {passed})")
        }
        false => format!("kernels::{name}({passed})"),
    };
    let _ = writeln!(text, "        measured({number}, || {call}.map(|of| drop(black_box(of))))?;");
    text
}

/// Returns how a tensor is passed, its type, and an expression for it.
fn of_tensor(
    number: usize,
    tensor: &Tensor,
    operands: &Operands,
) -> (&'static str, String, String) {
    let Values { stored, made, scalar, .. } = Values::of(tensor);
    let by = match (tensor.is_result, tensor.is_scalar) {
        (true, _) => "&mut ",
        (false, true) => "",
        (false, false) => "&",
    };
    let Tensor { name, marker, modes, .. } = tensor;
    let value = match (operands.file(name), tensor.is_scalar) {
        (_, true) => scalar,
        (Some(k), false) => format!("converted({number}, {name:?}, &file_{k})?"),
        (None, false) if tensor.is_result => {
            format!("Tensor::zeros(extents.shape(&{modes:?}))?")
        }
        (None, false) => {
            let is_dense = tensor.levels.iter().all(|level| level.is_full);
            format!("extents.made({name:?}, &{modes:?}, {is_dense}, {made})?")
        }
    };
    let ty = match tensor.is_scalar {
        true => stored,
        false => format!("Tensor<{stored}, {marker}>"),
    };
    (by, ty, value)
}
