//! The documentation of a generated function: its statement, tensors and loops.

use crate::concrete::parted::{Parted, Range};
use crate::concrete::{Program, Target, undriven};
use crate::format::Places;
use crate::ir;
use crate::iteration::plan::Plan;
use crate::iteration::visits::level_variables;
use crate::names::{plain, snake_case};
use crate::notation::{Access, Expr, Parameter, Semiring, TensorId, TensorRole, VariableId};

mod loops;

/// Returns Markdown, one line per element.
pub(super) fn docs(program: &Program, plan: &Plan, time: &ir::Time) -> Vec<String> {
    let kernel = &program.kernel;
    let mut lines = vec![format!("`{}`", kernel.text), String::new()];
    if let Some(doc) = &kernel.doc {
        lines.extend(doc.lines().map(str::to_owned));
        lines.push(String::new());
    }
    if !kernel.semiring.is_usual() {
        let Semiring { add, mul, zero, .. } = kernel.semiring;
        lines.push(format!(
            "Here `+` and sums mean `{}`, `*` means `{}`, and the fill value is `{}`.",
            add.symbol(&kernel.paths),
            mul.symbol(&kernel.paths),
            zero.show(&kernel.paths)
        ));
        lines.push(String::new());
    }
    lines.push("| tensor | format | modes |".to_owned());
    lines.push("|---|---|---|".to_owned());
    let passed = kernel.tensor_ids().filter(|id| kernel.tensor(*id).role.is_argument());
    lines.extend(passed.map(|id| row(program, id)));
    lines.extend(conversions(program));
    let commands = kernel.schedule.iter().map(|command| format!("`{}`", command.text));
    let commands: Vec<String> = commands.collect();
    if !commands.is_empty() {
        lines.push(String::new());
        lines.push(format!("Schedule: {}.", commands.join(", ")));
    }
    let mut loops = Vec::new();
    loops::describe(program, plan, &mut loops);
    loops.dedup();
    if !loops.is_empty() {
        lines.push(String::new());
        lines.push(format!("Loops: {}.", loops.join("; ")));
    }
    lines.push(String::new());
    lines.push(format!("Time: O({time}){}.", memory(program)));
    if let Some(level) = program.level_without_promise() {
        lines.push(String::new());
        lines.push(format!("Indices are checked, because the level `{level}` makes no promise."));
    }
    if let Some(parted) = &program.threads {
        lines.push(String::new());
        lines.push(match parted {
            Ok(parted) => {
                let phases = parted.phases.iter().chain([parted]);
                let divided: Vec<_> = phases.map(|phase| divided(program, phase)).collect();
                format!(
                    "Threads: parts of {} with equal work each{}, with the feature `parallel` of \
                     the crate `sparsegen`.",
                    divided.join(", then of "),
                    if parted.prepares { ", after loops that each part runs" } else { "" }
                )
            }
            Err(reason) => format!("One thread, because {reason}."),
        });
    }
    lines
}

/// Returns the description of what is divided into parts for threads.
fn divided(program: &Program, parted: &Parted) -> String {
    let name = &program.kernel.variable(parted.variable).name;
    match (&parted.range, program.space.positions_of(parted.variable)) {
        (Range::Positions { access, .. }, Some(_)) => {
            let operand = program.kernel.passed_as(access.tensor);
            format!("the entries of `{}`", program.tensor(operand).name)
        }
        (Range::Positions { .. } | Range::Coordinates, _) => format!("`{name}`"),
    }
}

/// Returns the workspaces and their sizes.
fn memory(program: &Program) -> String {
    let workspaces = program.workspaces();
    let shown = workspaces.iter().map(|access| {
        let name = &program.tensor(access.tensor).argument;
        let over: Vec<_> = access
            .indices
            .iter()
            .map(|v| format!("`{}`", program.kernel.variable(*v).name))
            .collect();
        let over = over.join(" and ");
        let hashed = if program.is_hashed(access.tensor) { " in a hash table" } else { "" };
        match program.is_listed(access.tensor) {
            true => format!("`{name}` collects entries over {over}{hashed}, sorted"),
            false if program.is_looked_up(access.tensor) => {
                format!("`{name}` holds entries over {over}{hashed}, looked up")
            }
            false => format!("`{name}` has an element for each {over}"),
        }
    });
    let shown: Vec<String> = shown.collect();
    if shown.is_empty() { String::new() } else { format!("; workspaces: {}", shown.join(", ")) }
}

/// Lists the arguments whose names differ from the tensors' names in snake case because those are
/// used.
fn numbered(program: &Program) -> Vec<String> {
    let arguments = program.kernel.tensors.iter().filter(|tensor| tensor.role.is_argument());
    let numbered = arguments.filter(|tensor| {
        let argument = plain(&tensor.argument);
        let snake = snake_case(&tensor.name);
        argument != snake && argument.starts_with(&format!("{snake}_"))
    });
    numbered
        .map(|tensor| format!("`{}` is the argument `{}`.", tensor.name, tensor.argument))
        .collect()
}

/// Describes format conversions before and after the loops, and tensors that represent predicates.
fn conversions(program: &Program) -> Vec<String> {
    let shown = |id: TensorId| {
        let format = &program.tensor(id).format;
        format.name.as_ref().map_or_else(|| format.to_string(), Clone::clone)
    };
    let mut sentences: Vec<String> = numbered(program);
    sentences.extend(program.kernel.converted().map(|(into, converted)| {
        let name = &program.tensor(converted.of).name;
        format!("`{name}` is converted to `{}` first.", shown(into))
    }));
    if program.targets.iter().any(|target| target.packed.is_some()) {
        let result = program.kernel.result();
        let name = &program.tensor(result).name;
        sentences.push(format!("`{name}` is assembled as `{}`, then packed.", shown(result)));
    }
    sentences.extend(program.targets.iter().filter_map(|target| placing(program, target)));
    sentences.extend(program.kernel.predicates().map(|(id, predicate)| {
        let name = &program.tensor(id).name;
        format!("`{name}` is the predicate `{}`.", program.kernel.show_predicate(id, predicate))
    }));
    sentences.extend(program.kernel.inverses().map(|(id, inverse)| {
        let [list, name] = [inverse.of, id].map(|id| &program.tensor(id).name);
        format!("`{name}` holds the places of each coordinate in `{list}`.")
    }));
    sentences.extend(rewriting(program));
    sentences.extend(program.precomputed.iter().filter(|part| part.is_copy).map(|part| {
        let over = part.workspace.indices.iter().map(|v| &program.kernel.variable(*v).name);
        let over: Vec<String> = over.map(|name| format!("`{name}`")).collect();
        let (operand, over) = (program.kernel.show(&part.value), over.join(" and "));
        format!("`{operand}` is copied to a workspace over {over}, where it is looked up.")
    }));
    if sentences.is_empty() { Vec::new() } else { vec![String::new(), sentences.join(" ")] }
}

/// Returns the sums that are computed first, and the value in terms of them.
fn rewriting(program: &Program) -> Option<String> {
    let Program { kernel, precomputed, is_rewritten, .. } = program;
    let show = |target: &Access, value: &Expr| {
        format!("`{} = {}`", kernel.show_access(target), kernel.show(value))
    };
    // The workspaces that others read were taken out last.
    let parts = precomputed.iter().rev().filter(|part| !part.is_copy);
    let parts = parts.map(|part| show(&part.workspace, &part.value));
    let parts: Vec<String> = parts.collect();
    let whole = show(&kernel.assignment.result, undriven(&kernel.assignment.value, precomputed));
    is_rewritten.then(|| match parts.is_empty() {
        true => format!("Computed as {whole}."),
        false => format!("Computed as {}, then {whole}.", parts.join(", ")),
    })
}

/// Describes how a result finds the positions of entries whose parents come in any order, and what
/// is assembled before the values.
fn placing(program: &Program, target: &Target) -> Option<String> {
    let tensor = program.tensor(target.access.tensor);
    if tensor.format.has_structure_first() {
        return Some(format!(
            "`{}` is assembled in two passes over the operands: the first stores its coordinates, \
             the second its values.",
            tensor.name
        ));
    }
    let (leaf, places) = tensor.format.placed()?;
    let parents = level_variables(program, &target.access);
    let parents = parents[usize::from(places == Places::Slots)..leaf].iter();
    let parents: Vec<String> =
        parents.map(|v| format!("`{}`", program.kernel.variable(*v).name)).collect();
    let (name, parents) = (&tensor.name, parents.join(" and "));
    Some(match places {
        Places::Counted => format!(
            "`{name}` is assembled in two passes over the operands, whose order is another: the \
             first counts the entries for each {parents}, the second stores them."
        ),
        Places::Slots => format!(
            "`{name}` is assembled in two passes over the operands: the first counts the entries \
             for each {parents}, the second stores them in as many slots as the largest count."
        ),
        Places::Fixed => {
            format!("`{name}` counts the entries of each {parents}, and pads the rest.")
        }
    })
}

fn row(program: &Program, id: TensorId) -> String {
    let kernel = &program.kernel;
    let tensor = program.tensor(id);
    if let TensorRole::Parameter(parameter) = tensor.role {
        return match parameter {
            Parameter::Index => format!("| `{}` | an index | |", tensor.name),
            Parameter::Indices => format!("| `{}` | indices | |", tensor.name),
        };
    }
    let packed = program.target(id).and_then(|target| target.packed.as_ref());
    let format = packed.unwrap_or(&tensor.format);
    // A coordinate of the inverse of a list is shown as the list.
    let as_written = |v: &VariableId| {
        let mut inverses = kernel.inverses().filter(|(_, inverse)| inverse.coordinate == *v);
        inverses.next().map_or(*v, |(_, inverse)| inverse.mode)
    };
    let mut modes: Vec<String> = Vec::new();
    let mut add = |access: &Access| {
        let index = |v: &VariableId| {
            let expression = kernel.variable(*v).expression.clone();
            expression.unwrap_or_else(|| kernel.show_index(as_written(v)))
        };
        let shown = access.indices.iter().map(index);
        let shown: Vec<_> = shown.map(|index| format!("`{index}`")).collect();
        let shown = shown.join(", ");
        let of = kernel.passed_as(access.tensor);
        let of = if kernel.previous() == Some(of) { kernel.result() } else { of };
        let is_own = of == id;
        if is_own && !modes.contains(&shown) {
            modes.push(shown);
        }
        is_own
    };
    let mut is_read = add(&kernel.assignment.result);
    let values = program.precomputed.iter().map(|part| &part.value);
    for value in std::iter::once(&kernel.assignment.value).chain(values) {
        value.for_each_access(&mut |access| is_read |= add(access));
    }
    // The elements of others are coordinates.
    if !is_read {
        kernel.accesses.iter().for_each(|access| {
            add(access);
        });
    }
    let levels: Vec<_> = format.levels.iter().map(|spec| spec.level.name().to_owned()).collect();
    let shown = match (&format.name, &levels[..]) {
        (Some(name), [] | [_]) => name.clone(),
        (Some(name), levels) if levels.iter().all(|level| level == name) => name.clone(),
        (Some(name), levels) => format!("{name}: {}", levels.join(", ")),
        (None, _) if levels.is_empty() => "scalar".to_owned(),
        (None, _) => format!("`{format}`"),
    };
    let pattern = if tensor.pattern { ", pattern" } else { "" };
    format!("| `{}` | {shown}{pattern} | {} |", tensor.name, modes.join("; "))
}
