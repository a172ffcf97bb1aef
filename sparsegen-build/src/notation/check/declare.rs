//! What the generated module declares: functions, and types of formats.

use crate::error::{Diagnostic, Name};
use crate::format::builtin::{BUILTINS, find};
use crate::format::{Format, Formats};
use crate::manifest::Manifest;
use crate::notation::names::{camel_case, is_keyword, is_name, snake_case};
use crate::notation::{DeclaredFormat, DeclaredKind, Kernel};

/// Types that generated code names beside those of formats.
const TYPES: [&str; 23] = [
    "Box", "Clone", "Copy", "Default", "Err", "Error", "Fill", "Format", "From", "Into",
    "IntoView", "Level", "Levels", "None", "Ok", "Option", "Result", "Some", "T", "Tensor",
    "Value", "Vec", "View",
];

/// Names of kernels and formats must be names of functions and types.
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
        let wrong = |message: String| Diagnostic::new(entry.name.span, message);
        if !is_name(name) {
            diagnostics.push(
                wrong(format!("`{name}` cannot be the name of a format"))
                    .help("a name is a letter or `_`, then letters, digits, `_`"),
            );
        } else if find(name).is_some() {
            diagnostics
                .push(wrong(format!("`{name}` is a built-in format")).help("choose another name"));
        } else if !is_name(&marker) || is_keyword(&marker) {
            diagnostics.push(
                wrong(format!("`{name}` cannot be the name of a format"))
                    .note(format!("its type would be called `{marker}`"))
                    .help("choose another name"),
            );
        } else if is_taken(&marker) {
            diagnostics.push(
                wrong(format!("the type of the format `{name}` would be `{marker}`"))
                    .note("generated code uses that name already")
                    .help("choose another name"),
            );
        } else if let Some((other, _)) = earlier.iter().find(|(_, known)| *known == marker) {
            diagnostics.push(
                wrong(format!("`{other}` and `{name}` would both be the type `{marker}`"))
                    .note("a format's type has the format's name in camel case")
                    .help("choose another name"),
            );
        }
        earlier.push((name, marker));
    }
}

fn is_taken(marker: &str) -> bool {
    TYPES.contains(&marker) || BUILTINS.iter().any(|builtin| builtin.type_name() == marker)
}

fn check_kernel_name(name: &Name) -> Option<Diagnostic> {
    let text = &name.text;
    let wrong = || Diagnostic::new(name.span, format!("`{text}` cannot be the name of a function"));
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

/// No two kernels may make a function of the same name.
pub(super) fn check_functions(
    manifest: &Manifest,
    kernels: &[Kernel],
    diagnostics: &mut Vec<Diagnostic>,
) {
    for several in &manifest.several {
        for (k, entry) in manifest.kernels.iter().enumerate() {
            let steps = &manifest.kernels[several.steps.clone()];
            let is_other = !several.steps.contains(&k);
            if is_other && steps.iter().any(|step| step.name.text == entry.name.text) {
                let (name, of) = (&entry.name.text, &several.name.text);
                let message = format!("there would be two functions `{name}`");
                diagnostics.push(
                    Diagnostic::new(entry.name.span, message)
                        .note(format!("the kernel `{of}` makes one of that name for a statement"))
                        .help("give this kernel another name"),
                );
            }
        }
    }
    for entry in &manifest.kernels {
        let name = &entry.name.text;
        let maker = kernels.iter().find(|kernel| made_beside(kernel).contains(name));
        if let Some(maker) = maker {
            diagnostics.push(
                Diagnostic::new(entry.name.span, format!("there would be two functions `{name}`"))
                    .note(format!(
                        "the kernel `{}` makes one of that name beside its own",
                        maker.name
                    ))
                    .help("give this kernel another name"),
            );
        }
    }
}

/// The functions that a kernel makes beside the one of its own name.
fn made_beside(kernel: &Kernel) -> Vec<String> {
    let result = &kernel.tensors[kernel.result().0];
    let mut suffixes = vec!["kernel"];
    if !result.by_value {
        suffixes.extend(["into", "check"]);
    }
    if result.format.levels.iter().any(|spec| spec.level.insert().is_none()) {
        suffixes.extend(["assemble", "compute", "compute_kernel"]);
    }
    suffixes.iter().map(|suffix| format!("{}_{suffix}", kernel.name)).collect()
}

/// The formats that the generated module declares: those of `[formats]`, then those that stand
/// only at a tensor, which get the name of the first such tensor.
pub(super) fn formats(
    manifest: &Manifest,
    formats: &Formats<'_>,
    kernels: &mut [Kernel],
) -> Vec<DeclaredFormat> {
    let mut declared: Vec<DeclaredFormat> = Vec::new();
    for entry in &manifest.formats {
        let Some(definition) = formats.declared(&entry.name.text) else { continue };
        let marker = camel_case(&entry.name.text);
        if definition.family().is_some() && !definition.fill().is_zero() {
            // Each order has a marker of its own.
            continue;
        }
        if let Some(family) = definition.family() {
            let marker = format!("{marker}<const N: usize>");
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
            let format = &mut tensor.format;
            if format.name.is_some() {
                continue;
            }
            if let Some(known) = declared.iter().find_map(|known| same_as(known, format)) {
                format.name = known;
                continue;
            }
            let argument = tensor.argument.trim_start_matches("r#");
            let mut own = format!("{name}_{argument}");
            while is_taken(&camel_case(&own))
                || declared.iter().any(|known| known.marker == camel_case(&own))
            {
                own.push_str("_format");
            }
            format.name = Some(own);
            let (marker, kind) = (format.marker(), DeclaredKind::Marker(format.clone()));
            declared.push(DeclaredFormat { marker, kind });
        }
    }
    declared
}

/// The name of a declared format that is the same as this one.
fn same_as(declared: &DeclaredFormat, format: &Format) -> Option<Option<String>> {
    match &declared.kind {
        DeclaredKind::Marker(known)
            if known.same_map(format)
                && (known.pos, known.crd, known.fill) == (format.pos, format.crd, format.fill) =>
        {
            Some(known.name.clone())
        }
        DeclaredKind::Marker(_) | DeclaredKind::Alias(_) => None,
    }
}
