//! The program that times kernels.

use std::fmt::Write as _;

use sparsegen_build::inspect::{Kernel, Tensor};

use crate::failure::Failure;

use super::operands::{EXTENT, Operands};

/// The parts of the program that do not depend on the kernel.
const COMMON: &str = include_str!("common.rs");

/// Returns the source of a program that times kernels, each a variant of the same one.
pub fn source(kernels: &[&Kernel], operands: &Operands) -> Result<String, Failure> {
    let mut text =
        format!("{COMMON}\nfn main() -> ExitCode {{\n    let mut extents = Extents::new(&[");
    for (name, extent) in &operands.sizes {
        let _ = write!(text, "({name:?}, {extent}), ");
    }
    let _ = writeln!(text, "], {EXTENT});");
    for (k, (tensor, path)) in operands.files.iter().enumerate() {
        let (dtype, order) = (element(tensor)?, tensor.modes.len());
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
            "    let file_{k}: Tensor<{dtype}, Coo<{order}>> = or_exit!({read});\n    \
             extents.learn({:?}, &{:?}, &file_{k}, {path:?});",
            tensor.name, tensor.modes
        );
    }
    for (number, kernel) in kernels.iter().enumerate() {
        let run = variant(number, kernel, operands)?;
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
fn variant(number: usize, kernel: &Kernel, operands: &Operands) -> Result<String, Failure> {
    let mut text = String::new();
    let tensor_of = |name: &String| kernel.tensors.iter().find(|tensor| tensor.name == *name);
    let mut passed = Vec::new();
    for name in &kernel.arguments {
        let Some(tensor) = tensor_of(name) else { continue };
        let (dtype, own) = (element(tensor)?, format!("operand_{}", passed.len()));
        let by = match (tensor.is_result, tensor.is_scalar) {
            (true, _) => "&mut ",
            (false, true) => "",
            (false, false) => "&",
        };
        let (marker, modes) = (&tensor.marker, &tensor.modes);
        let value = match (operands.file(name), tensor.is_scalar) {
            (_, true) => constant(&tensor.dtype).to_owned(),
            (Some(k), false) => format!("converted({number}, {name:?}, &file_{k})?"),
            (None, false) if tensor.is_result => {
                format!("Tensor::zeros(extents.shape(&{modes:?}))?")
            }
            (None, false) => {
                let is_dense = tensor.levels.iter().all(|level| level.is_full);
                format!("extents.made({name:?}, &{modes:?}, {is_dense}, {})?", scale(tensor)?)
            }
        };
        let ty = match tensor.is_scalar {
            true => dtype.to_owned(),
            false => format!("Tensor<{dtype}, {marker}>"),
        };
        let mutable = if tensor.is_result { "mut " } else { "" };
        let _ = writeln!(text, "        let {mutable}{own}: {ty} = {value};");
        passed.push(format!("{by}{own}"));
    }
    let (name, passed) = (&kernel.name, passed.join(", "));
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
    Ok(text)
}

/// Returns the Rust type of the elements of a tensor, if values of it can be made.
fn element(tensor: &Tensor) -> Result<&str, Failure> {
    let known =
        ["f64", "f32", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "usize", "isize"];
    match tensor.dtype.as_str() {
        "generic" => Ok("f64"),
        known_type if known.contains(&known_type) => Ok(known_type),
        other => {
            let name = &tensor.name;
            Err(Failure::error(format!("no values of `{name}` can be made, whose type is {other}")))
        }
    }
}

fn is_float(dtype: &str) -> bool {
    dtype.starts_with('f') || dtype == "generic"
}

fn constant(dtype: &str) -> &'static str {
    if is_float(dtype) { "1.5" } else { "1" }
}

/// Returns a function from a number between 0 and 1 to an element.
fn scale(tensor: &Tensor) -> Result<String, Failure> {
    let dtype = element(tensor)?;
    Ok(match is_float(dtype) {
        true => format!("|x| (0.5 + x) as {dtype}"),
        false => format!("|x| (1.0 + 3.0 * x) as {dtype}"),
    })
}
