//! The drivers of a kernel of several statements: one for each of its results.

use std::fmt::Write as _;

use sparsegen_build::ir::{Operand, Result as IrResult, Several, Source, Step};

use super::extents_of;

/// The module of a kernel, and the functions that call it on operands of any kind, each for a result.
pub fn drivers(name: &str, folder: &str, kernel: &Several, source: &str) -> String {
    let operands = kernel.operands();
    let mut packed = String::new();
    let mut looked = String::new();
    for (k, operand) in operands.iter().enumerate() {
        let key = key(operand);
        let (pack, look) = match operand {
            Operand::Tensor(tensor) => {
                let (dtype, format) = (tensor.dtype.name(), &tensor.format);
                let pattern = format!("sparsegen::Pattern<{dtype}>");
                let value = if tensor.pattern { &pattern } else { dtype };
                (format!("pack::<{value}, {format}>(&given[{key:?}])?"), format!("look(&o{k})"))
            }
            Operand::Index { .. } => scalar(key, "usize", k),
            Operand::Indices { .. } => (
                format!("pack::<usize, sparsegen::Dense<1>>(&given[{key:?}])?"),
                format!("look(&o{k})"),
            ),
            Operand::Scalar { dtype, .. } => scalar(key, dtype.name(), k),
        };
        let _ = writeln!(packed, "let o{k} = {pack};");
        let _ = writeln!(looked, "({key:?}.to_owned(), {look}),");
    }
    let arguments: Vec<String> = operands
        .iter()
        .enumerate()
        .map(|(k, operand)| match operand {
            Operand::Tensor(_) => format!("&o{k}"),
            Operand::Scalar { .. } | Operand::Index { .. } => format!("o{k}"),
            Operand::Indices { .. } => format!("o{k}.vals()"),
        })
        .collect();
    let ways = ways(name, kernel, &arguments.join(", "), source);
    let count = kernel.results().count();
    let mut drivers = format!(
        "#[deny(warnings, clippy::all)]
        #[allow(dead_code, unreachable_pub, non_snake_case)]
        pub mod {name} {{
            include!(concat!(env!(\"OUT_DIR\"), \"/{folder}/{name}.rs\"));
        }}
        #[allow(unused_variables, unused_imports, clippy::type_complexity)]
        fn ways_{name}(given: &BTreeMap<String, Entries>)
            -> Result<Result<[Vec<(&'static str, sparsegen_harness::typed::Stored)>; {count}], Error>, Error> {{
            use {name}::*;
            {packed}
            Ok((|| {{ {ways} }})())
        }}\n"
    );
    for (k, step) in kernel.steps.iter().enumerate() {
        drivers.push_str(&driver((name, k), step, kernel, [&packed, &looked]));
    }
    drivers
}

/// The function that tells what became of a statement.
fn driver(
    (name, k): (&str, usize),
    step: &Step,
    kernel: &Several,
    [packed, looked]: [&str; 2],
) -> String {
    let operands = kernel.operands();
    let place = |of: &str| operands.iter().position(|operand| operand.name() == of);
    let mut conversions = String::new();
    let mut extents = String::new();
    for tensor in step.function.tensors() {
        if let Some(place) = place(&tensor.name) {
            extents.push_str(&extents_of(tensor, &format!("o{place}")));
        }
    }
    for (c, conversion) in step.function.conversions.iter().enumerate() {
        let Source::Operand(of) = conversion.of else { continue };
        let Some(place) = place(step.function.operands[of].name()) else { continue };
        let (into, format) = (&conversion.into.name, &conversion.into.format);
        let _ = writeln!(conversions, "let c{c} = o{place}.to::<{format}>()?;");
        let _ = writeln!(conversions, "operands.insert({into:?}.to_owned(), look(&c{c}));");
        extents.push_str(&extents_of(&conversion.into, &format!("c{c}")));
    }
    let results: Vec<&Step> = kernel.results().collect();
    let own = results.iter().position(|result| result.result == step.result).unwrap_or(k);
    let earlier: String = results[..own]
        .iter()
        .enumerate()
        .map(|(r, result)| {
            let key = tensor_name(result);
            format!("operands.insert({key:?}.to_owned(), all[{r}][0].1.clone());")
        })
        .collect();
    let repack = match &step.function.result {
        IrResult::Scalar { dtype, .. } => format!("repack::<{}, Scalar>", dtype.name()),
        IrResult::Tensor(tensor) => {
            let format = tensor.packed.as_ref().unwrap_or(&tensor.format);
            format!("repack::<{}, {format}>", tensor.dtype.name())
        }
    };
    let before = match &step.function.result {
        IrResult::Tensor(tensor) if tensor.updates => {
            let key = &tensor.tensor;
            format!("operands.insert({key:?}.to_owned(), {repack}(&given[{key:?}])?);")
        }
        IrResult::Tensor(_) | IrResult::Scalar { .. } => String::new(),
    };
    format!(
        "#[allow(unused_variables, unused_mut, unused_imports)]
        fn run_{name}_{k}(given: &BTreeMap<String, Entries>) -> Result<Run, Error> {{
            use {name}::*;
            {packed}
            let mut operands = BTreeMap::from([{looked}]);
            {conversions}
            {before}
            let results = ways_{name}(given)?.map(|mut all| {{
                {earlier}
                std::mem::take(&mut all[{own}])
            }});
            let extents = BTreeMap::from([{extents}]);
            Ok(Run {{ operands, extents, results, repack: {repack} }})
        }}\n"
    )
}

/// Calls the kernel in every way there is, and looks at each of its results.
fn ways(name: &str, kernel: &Several, arguments: &str, source: &str) -> String {
    let results: Vec<&Step> = kernel.results().collect();
    let is_tensor = |step: &&&Step| matches!(step.function.result, IrResult::Tensor(_));
    let count = results.len();
    let all: Vec<String> = (0..count).map(|r| format!("r{r}")).collect();
    let passed: Vec<String> =
        (0..count).filter(|r| is_tensor(&&results[*r])).map(|r| format!("&mut r{r}, ")).collect();
    let returned: Vec<&str> =
        (0..count).filter(|r| !is_tensor(&&results[*r])).map(|r| all[r].as_str()).collect();
    let returned = match returned.as_slice() {
        [] => String::new(),
        [one] => format!("let {one} = "),
        several => format!("let ({}) = ", several.join(", ")),
    };
    let note = |way: &str| -> String {
        results
            .iter()
            .enumerate()
            .map(|(r, step)| {
                let look = match step.function.result {
                    IrResult::Tensor(_) => format!("look(&r{r})"),
                    IrResult::Scalar { .. } => format!("look_at_scalar(r{r})"),
                };
                format!("all[{r}].push(({way:?}, {look}));\n")
            })
            .collect()
    };
    let scribble: String = (0..count)
        .filter(|r| is_tensor(&&results[*r]))
        .map(|r| format!("let mut r{r} = scribbled(&r{r});\n"))
        .collect();
    let call =
        |function: &str| format!("{returned}{name}_{function}({}{arguments})?;\n", passed.concat());
    let mut text = format!("let mut all: [Vec<_>; {count}] = Default::default();\n");
    let has = |function: &str| {
        ["<", "("].iter().any(|end| source.contains(&format!("pub fn {function}{end}")))
    };
    if has(name) {
        let _ = writeln!(text, "let ({}) = {name}({arguments})?;\n{}", all.join(", "), note(name));
    } else {
        for (r, step) in results.iter().enumerate() {
            let IrResult::Tensor(tensor) = &step.function.result else { continue };
            let format = tensor.packed.as_ref().unwrap_or(&tensor.format);
            let (key, dtype) = (&tensor.tensor, tensor.dtype.name());
            let _ = writeln!(text, "let mut r{r} = pack::<{dtype}, {format}>(&given[{key:?}])?;");
        }
        text.push_str(&call("into"));
        text.push_str(&note("into"));
    }
    let changes = results
        .iter()
        .any(|step| matches!(&step.function.result, IrResult::Tensor(result) if result.updates));
    if has(&format!("{name}_into")) && !changes {
        text.push_str(&scribble);
        text.push_str(&call("into"));
        text.push_str(&note("into, again"));
    }
    if has(&format!("{name}_assemble")) {
        let names: Vec<String> = (0..count)
            .map(|r| if is_tensor(&&results[r]) { format!("mut r{r}") } else { format!("_r{r}") })
            .collect();
        let _ = writeln!(text, "let ({}) = {name}_assemble({arguments})?;", names.join(", "));
        text.push_str(&call("compute"));
        text.push_str(&note("compute"));
    }
    text + "Ok(all)"
}

fn scalar(key: &str, dtype: &str, k: usize) -> (String, String) {
    (format!("scalar::<{dtype}>(&given[{key:?}])"), format!("look_at_scalar(o{k})"))
}

/// What an operand is called where it is given.
fn key(operand: &Operand) -> &str {
    match operand {
        Operand::Tensor(tensor) => &tensor.tensor,
        Operand::Scalar { name, .. } | Operand::Index { name } | Operand::Indices { name } => name,
    }
}

/// What a result is called where later statements read it.
fn tensor_name(step: &Step) -> &str {
    match &step.function.result {
        IrResult::Tensor(tensor) => &tensor.tensor,
        IrResult::Scalar { .. } => &step.result,
    }
}
