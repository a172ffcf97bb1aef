//! The function that calls the kernel of one statement.

use std::fmt::Write as _;

use sparsegen_build::Dtype;
use sparsegen_build::ir::{Function, Operand, Result as IrResult};

/// Returns the element type with which a kernel is tested.
fn rust_type(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::Generic => "f64",
        Dtype::F16 => "sparsegen::f16",
        Dtype::Bf16 => "sparsegen::bf16",
        dtype => dtype.name(),
    }
}

/// Returns the type of the values of a tensor.
fn stored_type(dtype: Dtype, is_pattern: bool) -> String {
    let dtype = rust_type(dtype);
    if is_pattern { format!("sparsegen::Pattern<{dtype}>") } else { dtype.to_owned() }
}

/// The functions of a kernel besides the one that computes into a result.
pub struct Ways {
    /// `true` if one function allocates the result.
    pub allocates: bool,
    /// `true` if there are functions for assembly and computation.
    pub apart: bool,
    /// `true` if a function takes working memory as an argument.
    pub keeps: bool,
    /// `true` if the function for computation does so too.
    pub keeps_apart: bool,
}

/// Returns the module of a kernel and the function that calls it on operands of any kind.
pub fn driver(name: &str, folder: &str, function: &Function, ways: Ways) -> String {
    let Ways { allocates, apart, keeps, keeps_apart } = ways;
    let mut packed = String::new();
    let mut looked = String::new();
    let mut arguments = Vec::new();
    for (k, operand) in function.operands.iter().enumerate() {
        match operand {
            Operand::Tensor(tensor) => {
                let (key, format) = (&tensor.tensor, &tensor.format);
                let value = stored_type(tensor.dtype, tensor.pattern);
                let _ = writeln!(packed, "let o{k} = pack::<{value}, {format}>(&given[{key:?}])?;");
                let _ = writeln!(looked, "({key:?}.to_owned(), look(&o{k})),");
                arguments.push(format!("&o{k}"));
            }
            Operand::Index { name } => {
                let _ = writeln!(packed, "let o{k} = scalar::<usize>(&given[{name:?}]);");
                let _ = writeln!(looked, "({name:?}.to_owned(), look_at_scalar(o{k})),");
                arguments.push(format!("o{k}"));
            }
            Operand::Indices { name } => {
                let ty = "usize, sparsegen::Dense<1>";
                let _ = writeln!(packed, "let o{k} = pack::<{ty}>(&given[{name:?}])?;");
                let _ = writeln!(looked, "({name:?}.to_owned(), look(&o{k})),");
                arguments.push(format!("o{k}.vals()"));
            }
            Operand::Scalar { name, dtype } => {
                let dtype = rust_type(*dtype);
                let _ = writeln!(packed, "let o{k} = scalar::<{dtype}>(&given[{name:?}]);");
                let _ = writeln!(looked, "({name:?}.to_owned(), look_at_scalar(o{k})),");
                let is_changed =
                    function.updated_scalar().is_some_and(|scalar| scalar.name == *name);
                arguments.push(if is_changed { "&mut result".into() } else { format!("o{k}") });
                if is_changed {
                    let _ = writeln!(packed, "let result = o{k};");
                }
            }
        }
    }
    let changed = match &function.result {
        IrResult::Tensor(result) if result.updates => Some(result),
        IrResult::Tensor(_) | IrResult::Scalar { .. } => None,
    };
    if let Some(result) = changed {
        let (key, dtype) = (&result.tensor, stored_type(result.dtype, result.pattern));
        let format = result.packed.as_ref().unwrap_or(&result.format);
        let _ = writeln!(packed, "let result = pack::<{dtype}, {format}>(&given[{key:?}])?;");
        let _ = writeln!(packed, "let before = look(&result);");
        let _ = writeln!(looked, "({key:?}.to_owned(), before),");
    }
    let arguments = arguments.join(", ");
    let changes = if keeps { "mut " } else { "" };
    let mutable = if apart || keeps { "mut " } else { "" };
    // These calls use the memory that the kernels before have left.
    let with = |function: &str, result: &str| {
        format!(
            "sparsegen_harness::typed::keeping(|memory| {function}(memory, {result}{arguments}))?"
        )
    };
    let kept = |restore: &str, result: &str, look: &str| match keeps {
        true => {
            let call = with(&format!("{name}_with"), result);
            format!("{restore} {call}; results.push((\"{name}_with\", {look}));")
        }
        false => String::new(),
    };
    let computed_again = match keeps_apart {
        true => {
            let call = with(&format!("{name}_compute_with"), "&mut computed, ");
            format!("{call}; results.push((\"{name}_compute_with\", look(&computed)));")
        }
        false => String::new(),
    };
    let computed = if apart {
        format!(
            "let mut computed = {name}_assemble({arguments})?;
            {name}_compute(&mut computed, {arguments})?;
            results.push((\"{name}_compute\", look(&computed)));
            {computed_again}
            if let Some(mut other) = restructured(&result) {{
                refused_structure({name}_compute(&mut other, {arguments}))?;
            }}"
        )
    } else {
        String::new()
    };
    let first = match &function.result {
        IrResult::Tensor(tensor) if !allocates && !tensor.updates => {
            let (key, dtype) = (&tensor.tensor, stored_type(tensor.dtype, tensor.pattern));
            let format = tensor.packed.as_ref().unwrap_or(&tensor.format);
            format!(
                "let mut result = pack::<{dtype}, {format}>(&given[{key:?}])?;
                {name}_into(&mut result, {arguments})?;"
            )
        }
        IrResult::Tensor(_) | IrResult::Scalar { .. } => {
            format!("let result = {name}({arguments})?;")
        }
    };
    let (results, repack) = match &function.result {
        IrResult::Scalar { dtype, updates: Some(_), .. } => (
            format!(
                "let (before, mut result) = (result, result);
                {name}_into({arguments})?;
                let {changes}results = vec![(\"{name}_into\", look_at_scalar(result))];
                {}
                Ok(results)",
                kept("result = before;", "", "look_at_scalar(result)")
            ),
            format!("repack::<{}, Scalar>", rust_type(*dtype)),
        ),
        IrResult::Scalar { dtype, .. } => (
            match keeps {
                false => format!("Ok(vec![(\"{name}\", look_at_scalar({name}({arguments})?))])"),
                true => format!(
                    "Ok(vec![
                        (\"{name}\", look_at_scalar({name}({arguments})?)),
                        (\"{name}_with\", look_at_scalar({})),
                    ])",
                    with(&format!("{name}_with"), "")
                ),
            },
            format!("repack::<{}, Scalar>", rust_type(*dtype)),
        ),
        IrResult::Tensor(tensor) if tensor.updates => (
            format!(
                "let mut changed = result.clone();
                {name}_into(&mut changed, {arguments})?;
                let {changes}results = vec![(\"{name}_into\", look(&changed))];
                {}
                Ok(results)",
                kept("changed = result.clone();", "&mut changed, ", "look(&changed)")
            ),
            {
                let format = tensor.packed.as_ref().unwrap_or(&tensor.format);
                format!("repack::<{}, {format}>", stored_type(tensor.dtype, tensor.pattern))
            },
        ),
        IrResult::Tensor(tensor) => (
            format!(
                "{first}
                let mut reused = scribbled(&result);
                {name}_into(&mut reused, {arguments})?;
                let first = look(&reused);
                {name}_into(&mut reused, {arguments})?;
                let {mutable}results = vec![
                    (\"{name}\", look(&result)),
                    (\"{name}_into\", first),
                    (\"{name}_into, again\", look(&reused)),
                ];
                {}
                {computed}
                Ok(results)",
                kept("", "&mut reused, ", "look(&reused)")
            ),
            {
                let format = tensor.packed.as_ref().unwrap_or(&tensor.format);
                format!("repack::<{}, {format}>", stored_type(tensor.dtype, tensor.pattern))
            },
        ),
    };
    let parallel = function.parallel.is_some();
    format!(
        "#[deny(warnings)]
        #[allow(clippy::all, dead_code, unreachable_pub, non_snake_case)]
        pub mod {name} {{
            include!(concat!(env!(\"OUT_DIR\"), \"/{folder}/{name}.rs\"));
        }}
        #[allow(unused_variables)]
        fn run_{name}(given: &BTreeMap<String, Entries>) -> Result<Run, Error> {{
            use {name}::*;
            {packed}
            let results = sparsegen_harness::typed::attempt({parallel}, || {{
                {results}
            }});
            let operands = BTreeMap::from([{looked}]);
            Ok(Run {{ operands, results, repack: Box::new({repack}) }})
        }}\n"
    )
}
