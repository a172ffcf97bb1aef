//! Generated source that people should look at, `golden/NAME.toml` and what becomes of it, and the
//! kernels of the runtime crate's operators and conversions.
//!
//! Where the two differ the source is written anew, and the test fails once.

use std::fs;
use std::path::Path;

#[test]
fn generated_source_is_as_it_was() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut manifests: Vec<_> =
        fs::read_dir(&folder).expect("the folder is there").flatten().map(|f| f.path()).collect();
    manifests.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    manifests.sort();
    assert!(manifests.len() >= 12);
    let runtime = ["operators", "tensor/conversions"]
        .map(|kernels| folder.join(format!("../../sparsegen/src/{kernels}/kernels.toml")));
    manifests.extend(runtime.clone());
    let mut written = Vec::new();
    for manifest in manifests {
        let text = fs::read_to_string(&manifest).expect("it is readable");
        let name = manifest.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let output = sparsegen_build::compile_str(&name, &text);
        assert!(output.diagnostics.is_empty(), "{}", output.diagnostics.render(&name, &text));
        let again = sparsegen_build::compile_str(&name, &text);
        assert_eq!(output.source, again.source, "{name} is compiled the same each time");
        // Every user's first build compiles the kernels of the runtime crate.
        let source = match runtime.contains(&manifest) {
            true => called(&output.source, output.kernels.iter().map(|kernel| &*kernel.name)),
            false => output.source,
        };
        let golden = manifest.with_extension("rs");
        if fs::read_to_string(&golden).ok().as_ref() != Some(&source) {
            fs::write(&golden, &source).expect("it is writable");
            written.push(name);
        }
    }
    assert!(written.is_empty(), "these were rewritten: {written:?}");
}

/// Returns the source without the functions that none of `names` calls.
fn called<'n>(source: &str, names: impl Iterator<Item = &'n str>) -> String {
    // Blank lines within an item are before indented lines.
    let mut items: Vec<String> = Vec::new();
    for part in source.split("\n\n") {
        match items.last_mut() {
            Some(item) if part.starts_with(' ') => item.extend(["\n\n", part]),
            Some(_) | None => items.push(part.to_owned()),
        }
    }
    let code = |item: &str| {
        let lines = item.lines().filter(|line| !line.trim_start().starts_with("//"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let words = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    let function = |item: &str| {
        let code = code(item);
        code.ends_with("\n}").then(|| words(code.split_once("fn ")?.1).into_iter().next())?
    };
    let mut reached: Vec<String> = names.map(str::to_owned).collect();
    let mut next = 0;
    while let Some(name) = reached.get(next).cloned() {
        next += 1;
        let found = items.iter().filter(|item| function(item).as_ref() == Some(&name));
        for word in found.flat_map(|item| words(&code(item))) {
            if !reached.contains(&word) {
                reached.push(word);
            }
        }
    }
    items.retain(|item| function(item).is_none_or(|name| reached.contains(&name)));
    items.join("\n\n") + "\n"
}
