//! The declarations of the generated module: functions and types of formats.

use std::sync::Arc;

use crate::error::{Code, Diagnostic, Name};
use crate::format::Formats;
use crate::format::builtin::{BUILTINS, find};
use crate::manifest::Manifest;
use crate::names::{beside, camel_case, free, is_keyword, is_name, plain, snake_case};
use crate::notation::{DeclaredFormat, DeclaredKind, Kernel, declare};

/// Checks that the names of kernels and formats can be names of functions and types.
pub(super) fn check_names(manifest: &Manifest, diagnostics: &mut Vec<Diagnostic>) {
    let is_step = |k: usize| manifest.several.iter().any(|several| several.steps.contains(&k));
    let own = manifest.kernels.iter().enumerate().filter(|(k, _)| !is_step(*k));
    let several = manifest.several.iter().map(|several| &several.name);
    for name in own.map(|(_, kernel)| &kernel.name).chain(several) {
        diagnostics.extend(check_kernel_name(name));
    }
    let mut earlier: Vec<(&str, String)> = Vec::new();
    for entry in &manifest.formats {
        let name = entry.name.text.as_str();
        let marker = camel_case(name);
        let wrong = |code: Code, message: String| Diagnostic::new(code, entry.name.span, message);
        if !is_name(name) {
            diagnostics.push(
                wrong(Code::InvalidName, format!("`{name}` cannot be the name of a format")).help(
                    "a name consists of letters, digits and `_`, and does not begin with a digit",
                ),
            );
        } else if find(name).is_some() {
            diagnostics.push(
                wrong(Code::DuplicateName, format!("`{name}` is a built-in format"))
                    .help("choose another name"),
            );
        } else if !is_name(&marker) || is_keyword(&marker) {
            diagnostics.push(
                wrong(Code::InvalidName, format!("`{name}` cannot be the name of a format"))
                    .note(format!("its type would be named `{marker}`"))
                    .help("choose another name"),
            );
        } else if let Some(builtin) = BUILTINS.iter().find(|it| it.type_name() == marker) {
            diagnostics.push(
                wrong(
                    Code::DuplicateName,
                    format!("the type of the format `{name}` would be `{marker}`"),
                )
                .note(format!("that is the type of the built-in format `{}`", builtin.name))
                .help("choose another name"),
            );
        } else if let Some((other, _)) = earlier.iter().find(|(_, known)| *known == marker) {
            diagnostics.push(
                wrong(
                    Code::DuplicateName,
                    format!("`{other}` and `{name}` would both be the type `{marker}`"),
                )
                .note("a format's type has the format's name in camel case")
                .help("choose another name"),
            );
        }
        earlier.push((name, marker));
    }
}

fn check_kernel_name(name: &Name) -> Option<Diagnostic> {
    let text = &name.text;
    let wrong = || {
        Diagnostic::new(
            Code::InvalidName,
            name.span,
            format!("`{text}` cannot be the name of a function"),
        )
    };
    if is_keyword(text) {
        return Some(
            wrong()
                .note("it is a keyword of Rust")
                .help(format!("choose another name, such as `[kernels.{text}_kernel]`")),
        );
    }
    let letters = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let plain: String = text.chars().map(letters).collect();
    let snake = snake_case(&plain);
    if snake == *text && is_name(text) {
        return None;
    }
    let better = if is_name(&snake) && !is_keyword(&snake) { snake } else { format!("k_{snake}") };
    Some(
        wrong()
            .note("a kernel's name is that of its function: small letters, digits and `_`")
            .help(format!("write `[kernels.{better}]`")),
    )
}

/// The functions of a distributed kernel.
const OF_RANKS: [&str; 2] = ["plan", "simulate"];

/// Checks that no two functions of the generated module have the same name.
pub(super) fn check_functions(
    manifest: &Manifest,
    kernels: &[Kernel],
    diagnostics: &mut Vec<Diagnostic>,
) {
    // Every function with the kernel that generates it. The functions of the statements of a kernel
    // belong to that kernel.
    let mut functions: Vec<(String, &Name)> = Vec::new();
    let several_of = |k: usize| manifest.several.iter().find(|several| several.steps.contains(&k));
    for (k, entry) in manifest.kernels.iter().enumerate() {
        let of = several_of(k).map_or(&entry.name, |several| &several.name);
        let made = kernels.iter().filter(|kernel| kernel.name == entry.name.text).take(1);
        functions.push((entry.name.text.clone(), of));
        functions.extend(made.flat_map(made_beside).map(|name| (name, of)));
    }
    for several in &manifest.several {
        let of = &several.name;
        functions.push((of.text.clone(), of));
        let suffixes = [
            "into",
            "with",
            "assemble",
            "compute",
            "compute_with",
            "kernel",
            "kernel_loops",
            "compute_kernel",
            "compute_kernel_loops",
        ];
        functions.extend(suffixes.map(|suffix| (beside(&of.text, suffix), of)));
        let steps = &manifest.kernels[several.steps.clone()];
        let is_step = |kernel: &&Kernel| steps.iter().any(|step| step.name.text == kernel.name);
        if kernels.iter().filter(is_step).any(|step| step.distribute.is_some()) {
            functions.extend(OF_RANKS.map(|suffix| (beside(&of.text, suffix), of)));
        }
    }
    let mut told: Vec<&Name> = Vec::new();
    for (k, (name, of)) in functions.iter().enumerate() {
        let is_same = |(other, maker): &&(String, &Name)| other == name && maker.span != of.span;
        let Some((_, maker)) = functions[..k].iter().find(is_same) else { continue };
        // If one of the two kernels has this name itself, it should be renamed.
        let (at, maker) = if maker.text == *name { (*maker, *of) } else { (*of, *maker) };
        if told.iter().any(|told| [at.span, maker.span].contains(&told.span)) {
            continue;
        }
        told.push(at);
        diagnostics.push(
            Diagnostic::new(
                Code::FunctionsCollide,
                at.span,
                format!("there would be two functions `{name}`"),
            )
            .note(format!("the kernel `{}` also generates a function of this name", maker.text))
            .help("choose another name for this kernel"),
        );
    }
}

/// Returns the names of the functions that a kernel generates besides the one of its own name.
fn made_beside(kernel: &Kernel) -> Vec<String> {
    let result = &kernel.tensors[kernel.result().0];
    let mut suffixes = vec!["kernel", "kernel_loops", "with"];
    if !result.by_value {
        suffixes.extend(["into", "check"]);
    }
    if result.format.levels.iter().any(|spec| spec.level.insert().is_none()) {
        let of_structure =
            ["assemble", "compute", "compute_with", "compute_kernel", "compute_kernel_loops"];
        suffixes.extend(of_structure);
    }
    if kernel.distribute.is_some() {
        suffixes.extend(OF_RANKS);
    }
    suffixes.iter().map(|suffix| beside(&kernel.name, suffix)).collect()
}

/// Returns the formats that the generated module declares: those of `[formats]`, then inline
/// formats, which are named after the first tensor that uses them.
pub(super) fn formats(
    manifest: &Manifest,
    formats: &Formats<'_>,
    kernels: &mut [Kernel],
) -> Vec<DeclaredFormat> {
    let mut declared: Vec<DeclaredFormat> = Vec::new();
    // A type of the same name would be shadowed by the parameter.
    let types: Vec<_> = manifest.formats.iter().map(|entry| camel_case(&entry.name.text)).collect();
    let order = free("N", |name| types.iter().any(|known| known == name));
    for entry in &manifest.formats {
        let Some(definition) = formats.declared(&entry.name.text) else { continue };
        let marker = camel_case(&entry.name.text);
        if definition.family(&order).is_some() && !definition.fill().is_zero() {
            // Each order has its own marker type.
            continue;
        }
        if let Some(family) = definition.family(&order) {
            let marker = format!("{marker}<const {order}: usize>");
            declared.push(DeclaredFormat { marker, kind: DeclaredKind::Alias(family) });
            continue;
        }
        let order = definition.order().unwrap_or_default();
        let Some(format) = definition.of_order(order, formats.levels()) else { continue };
        let kind = match &format.builtin {
            Some(builtin) => DeclaredKind::Alias(builtin.clone()),
            None => DeclaredKind::Marker(format),
        };
        declared.push(DeclaredFormat { marker, kind });
    }
    for kernel in kernels {
        let name = kernel.name.clone();
        for tensor in &mut kernel.tensors {
            if tensor.format.name.is_none() {
                let wished = beside(&name, plain(&tensor.argument));
                declare(&mut declared, Arc::make_mut(&mut tensor.format), &wished);
            }
        }
    }
    declared
}
