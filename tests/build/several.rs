//! The drivers of a kernel with several statements, one for each result.

use std::fmt::Write as _;

use sparsegen_build::ir::{Kernel, Operand, Result as IrResult, Step};

/// A kernel that ends after a statement, so that its results have the values of that point.
pub struct State {
    name: String,
    kernel: Kernel,
    source: String,
}

impl State {
    /// Returns the state after a kernel.
    pub fn of(name: &str, kernel: Kernel, source: String) -> State {
        State { name: name.to_owned(), kernel, source }
    }
}

/// Returns the modules of a kernel and its drivers, one for each statement. The last state is that
/// of the whole kernel; other states exist if results are updated, one for each statement.
pub fn drivers(name: &str, folder: &str, kernel: &Kernel, states: &[State]) -> String {
    let mut drivers: String = states.iter().map(|state| module(folder, state)).collect();
    let [packed, looked] = packed_and_looked(kernel);
    let last = states.len() - 1;
    for (k, step) in kernel.steps.iter().enumerate() {
        let (before, after) = match last {
            0 => (Some(&states[0]), &states[0]),
            _ => (k.checked_sub(1).map(|before| &states[before]), &states[k]),
        };
        drivers.push_str(&driver((name, k), step, kernel, (before, after), [&packed, &looked]));
    }
    drivers
}

/// Returns the code that packs the operands, and the code that reads their entries.
fn packed_and_looked(kernel: &Kernel) -> [String; 2] {
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
    [packed, looked]
}

/// Returns the module of a kernel, and the function that calls it.
fn module(folder: &str, State { name, kernel, source }: &State) -> String {
    let operands = kernel.operands();
    let [packed, _] = packed_and_looked(kernel);
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
    let mut functions = kernel.steps.iter().map(|step| &step.function);
    let parallel = functions.any(|function| function.parallel.is_some());
    format!(
        "#[deny(warnings)]
        #[allow(clippy::all, dead_code, unreachable_pub, non_snake_case)]
        pub mod {name} {{
            include!(concat!(env!(\"OUT_DIR\"), \"/{folder}/{name}.rs\"));
        }}
        #[allow(unused_variables, unused_imports, unused_parens, clippy::type_complexity)]
        fn ways_{name}(given: &BTreeMap<String, Entries>)
            -> Result<Result<[Vec<(&'static str, sparsegen_harness::typed::Stored)>; {count}], Error>, Error> {{
            use {name}::*;
            {packed}
            Ok(sparsegen_harness::typed::attempt_all({parallel}, || {{ {ways} }}))
        }}\n"
    )
}

/// Returns the driver that reports the result of a statement.
fn driver(
    (name, k): (&str, usize),
    step: &Step,
    kernel: &Kernel,
    (before, after): (Option<&State>, &State),
    [packed, looked]: [&str; 2],
) -> String {
    let mut results = after.kernel.results();
    let own = results.position(|result| result.result == step.result).unwrap_or(k);
    let after = &after.name;
    let is_earlier =
        |result: &&Step| kernel.steps[..k].iter().any(|earlier| earlier.result == result.result);
    let earlier: String = before
        .map(|state| {
            let results =
                state.kernel.results().enumerate().filter(|(_, result)| is_earlier(result));
            let inserted: String = results
                .map(|(r, result)| {
                    let key = tensor_name(result);
                    format!("operands.insert({key:?}.to_owned(), before[{r}][0].1.clone());")
                })
                .collect();
            format!("if let Ok(before) = &ways_{}(given)? {{ {inserted} }}", state.name)
        })
        .unwrap_or_default();
    // A result that only a later statement changes still has its initial value.
    let is_changed_later = |name: &str| {
        let computed = |steps: &[Step]| steps.iter().any(|step| step.result == name);
        computed(&kernel.steps[k..]) && !computed(&kernel.steps[..k]) && step.result != name
    };
    let mut unchanged = String::new();
    for operand in step.function.operands.iter().filter(|one| is_changed_later(one.name())) {
        let key = key(operand);
        let packed = match operand {
            Operand::Tensor(tensor) => {
                format!(
                    "look(&pack::<{}, {}>(&given[{key:?}])?)",
                    tensor.dtype.name(),
                    tensor.format
                )
            }
            Operand::Scalar { dtype, .. } => {
                format!("look_at_scalar(scalar::<{}>(&given[{key:?}]))", dtype.name())
            }
            Operand::Index { .. } | Operand::Indices { .. } => continue,
        };
        let _ = writeln!(unchanged, "operands.insert({key:?}.to_owned(), {packed});");
    }
    let repack = match &step.function.result {
        IrResult::Scalar { dtype, .. } => format!("repack::<{}, Scalar>", dtype.name()),
        IrResult::Tensor(tensor) => {
            let format = tensor.packed.as_ref().unwrap_or(&tensor.format);
            format!("repack::<{}, {format}>", tensor.dtype.name())
        }
    };
    let before = match &step.function.result {
        IrResult::Tensor(tensor) if tensor.updates && !is_earlier(&step) => {
            let key = &tensor.tensor;
            format!("operands.insert({key:?}.to_owned(), {repack}(&given[{key:?}])?);")
        }
        IrResult::Scalar { dtype, updates: Some(scalar), .. } if !is_earlier(&step) => {
            let (key, dtype) = (&scalar.name, dtype.name());
            format!(
                "operands.insert({key:?}.to_owned(), look_at_scalar(scalar::<{dtype}>(&given[{key:?}])));"
            )
        }
        IrResult::Tensor(_) | IrResult::Scalar { .. } => String::new(),
    };
    format!(
        "#[allow(unused_variables, unused_mut, unused_imports)]
        fn run_{name}_{k}(given: &BTreeMap<String, Entries>) -> Result<Run, Error> {{
            use {name}::*;
            {packed}
            let mut operands = BTreeMap::from([{looked}]);
            {unchanged}
            {before}
            {earlier}
            let results = ways_{after}(given)?.map(|mut all| std::mem::take(&mut all[{own}]));
            Ok(Run {{ operands, results, repack: Box::new({repack}) }})
        }}\n"
    )
}

/// Returns code that calls the kernel through each of its entry points and reads its results.
fn ways(name: &str, kernel: &Kernel, arguments: &str, source: &str) -> String {
    let results: Vec<&Step> = kernel.results().collect();
    let is_tensor = |step: &&&Step| {
        matches!(step.function.result, IrResult::Tensor(_))
            || step.function.updated_scalar().is_some()
    };
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
            let tensor = match &step.function.result {
                IrResult::Tensor(tensor) => tensor,
                IrResult::Scalar { dtype, updates: Some(scalar), .. } => {
                    let (key, dtype) = (&scalar.name, dtype.name());
                    let _ = writeln!(text, "let mut r{r} = scalar::<{dtype}>(&given[{key:?}]);");
                    continue;
                }
                IrResult::Scalar { updates: None, .. } => continue,
            };
            let format = tensor.packed.as_ref().unwrap_or(&tensor.format);
            let (key, dtype) = (&tensor.tensor, tensor.dtype.name());
            let _ = writeln!(text, "let mut r{r} = pack::<{dtype}, {format}>(&given[{key:?}])?;");
        }
        text.push_str(&call("into"));
        text.push_str(&note("into"));
    }
    let changes = results.iter().any(|step| match &step.function.result {
        IrResult::Tensor(result) => result.updates,
        IrResult::Scalar { updates, .. } => updates.is_some(),
    });
    if has(&format!("{name}_into")) && !changes {
        text.push_str(&scribble);
        text.push_str(&call("into"));
        text.push_str(&note("into, again"));
    }
    let kept = |function: &str| {
        let (function, passed) = (format!("{name}_{function}"), passed.concat());
        format!(
            "{returned}sparsegen_harness::typed::keeping(|memory| {function}(memory, {passed}{arguments}))?;\n"
        )
    };
    if has(&format!("{name}_with")) && !changes {
        text.push_str(&kept("with"));
        text.push_str(&note("with"));
    }
    if has(&format!("{name}_assemble")) {
        let names: Vec<String> = (0..count)
            .map(|r| if is_tensor(&&results[r]) { format!("mut r{r}") } else { format!("_r{r}") })
            .collect();
        let _ = writeln!(text, "let ({}) = {name}_assemble({arguments})?;", names.join(", "));
        text.push_str(&call("compute"));
        text.push_str(&note("compute"));
        if has(&format!("{name}_compute_with")) {
            text.push_str(&kept("compute_with"));
            text.push_str(&note("compute_with"));
        }
    }
    text + "Ok(all)"
}

fn scalar(key: &str, dtype: &str, k: usize) -> (String, String) {
    (format!("scalar::<{dtype}>(&given[{key:?}])"), format!("look_at_scalar(o{k})"))
}

/// Returns the key of an operand in the given operands.
fn key(operand: &Operand) -> &str {
    match operand {
        Operand::Tensor(tensor) => &tensor.tensor,
        Operand::Scalar { name, .. } | Operand::Index { name } | Operand::Indices { name } => name,
    }
}

/// Returns the name by which later statements read a result.
fn tensor_name(step: &Step) -> &str {
    match &step.function.result {
        IrResult::Tensor(tensor) => &tensor.tensor,
        IrResult::Scalar { .. } => &step.result,
    }
}
