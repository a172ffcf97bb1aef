//! Generates a test of each example of the guide.

#[path = "page.rs"]
#[allow(dead_code, reason = "tests read more of the page")]
mod page;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sparsegen_build::{compile_str, explain};

use page::{Code, Example, Page};

/// Compiles the manifests of all chapters into `out/guide`, and generates a test for each in
/// `out/guide.rs`.
pub fn generate(guide: &Path, out: &Path) -> Result<(), String> {
    println!("cargo::rerun-if-changed={}", guide.display());
    let summary = read(&guide.join("SUMMARY.md"))?;
    let mut source = String::new();
    for (_, file) in page::chapters(&summary) {
        let path = guide.join(&file);
        let name = file.trim_end_matches(".md").replace('/', "_").to_ascii_lowercase();
        let page = Page::parse(&read(&path)?).map_err(|reason| format!("{file}: {reason}"))?;
        source += &chapter(&name, &page, &out.join("guide").join(&name))?;
    }
    fs::write(out.join("guide.rs"), source).map_err(|error| error.to_string())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the module of a chapter, and writes its kernels into a folder.
fn chapter(name: &str, page: &Page, out: &Path) -> Result<String, String> {
    let reason = |error: std::io::Error| format!("{}: {error}", out.display());
    fs::create_dir_all(out).map_err(reason)?;
    let mut source = String::new();
    // Manifests refer to these modules by their paths.
    for (name, code) in &page.modules {
        let _ = writeln!(source, "mod {name} {{\n{code}}}");
    }
    // The types of other crates are optional dependencies.
    let gate = if name == "other_crates" { "#[cfg(feature = \"bridges\")] " } else { "" };
    let _ = writeln!(source, "{gate}mod {name} {{");
    for example in page.examples.iter().filter(|example| example.message.is_none()) {
        let (kernels, tests) = tests(example);
        let file = out.join(format!("{}.rs", example.name));
        fs::write(&file, kernels).map_err(reason)?;
        let file = format!("concat!(env!(\"OUT_DIR\"), \"/guide/{name}/{}.rs\")", example.name);
        // Kernels that nothing calls are not compiled by rustc.
        let kernels = if example.code.is_empty() {
            String::new()
        } else {
            format!(
                "#[allow(clippy::all, dead_code, reason = \"generated code, called in some of its forms\")]
                mod kernels {{ include!({file}); }}"
            )
        };
        let _ = writeln!(source, "mod {} {{\n{kernels}\n{tests}}}", example.name);
    }
    source.push_str("}\n");
    Ok(source)
}

/// Returns the kernels of an example, and tests that run the code below it.
///
/// An example that does not compile does not fail the build: its test fails, and shows why.
fn tests(example: &Example) -> (String, String) {
    let Example { line, manifest, code, .. } = example;
    let output = compile_str("kernels.toml", manifest);
    if !output.diagnostics.is_empty() {
        let reason = output.diagnostics.render("kernels.toml", manifest);
        return (String::new(), failure("compiles", &format!("line {line}: {reason}")));
    }
    let mut tests: String = code.iter().enumerate().map(|(k, code)| test(k, code)).collect();
    let stages = explain("kernels.toml", manifest);
    let shown = example.generated.iter().map(|excerpt| (excerpt, &output.source));
    let explained = example.explained.iter().map(|excerpt| (excerpt, &stages));
    for (k, (excerpt, text)) in shown.chain(explained).enumerate() {
        if let Some(missing) = page::missing(excerpt, text) {
            let reason = format!("line {line}: there is no `{missing}` in:\n{text}");
            tests += &failure(&format!("excerpt_{k}"), &reason);
        }
    }
    (output.source, tests)
}

/// Returns a test that fails.
fn failure(name: &str, reason: &str) -> String {
    format!("#[test] fn {name}() {{ panic!(\"{{}}\", {reason:?}); }}")
}

/// Returns the test of code that calls kernels. The macro `println` of the test records what is
/// printed.
fn test(k: usize, code: &Code) -> String {
    let Code { text, is_program, output } = code;
    let module = if *is_program {
        let items = text.replace("sparsegen::include_kernels!(mod kernels);\n", "");
        format!(
            "use {{super::kernels, crate::println}};
            {items}
            pub fn run() -> Result<(), sparsegen::Error> {{ main() }}"
        )
    } else {
        format!(
            "use {{super::kernels, sparsegen::*, crate::operands::*, crate::println}};
            pub fn run() -> Result<(), Error> {{
                {text}
                Ok(())
            }}"
        )
    };
    let check = match output {
        Some(output) => format!("assert_eq!(crate::printed(), {output:?});"),
        None => String::new(),
    };
    format!(
        "mod code_{k} {{
            #![allow(unused_imports, reason = \"examples use some of them\")]
            {module}
        }}
        #[test]
        fn runs_{k}() -> Result<(), sparsegen::Error> {{
            code_{k}::run()?;
            {check}
            Ok(())
        }}\n"
    )
}
