//! Generates a test of each example of the language reference.

#[path = "page.rs"]
#[allow(dead_code, reason = "tests read more of the page")]
mod page;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sparsegen_build::compile_str;

use page::{Example, Page};

/// Compiles the manifests of the page into `out/guide`, and generates a test for each in
/// `out/guide.rs`.
pub fn generate(page: &Path, out: &Path) -> Result<(), String> {
    println!("cargo::rerun-if-changed={}", page.display());
    let reason = |error: std::io::Error| format!("{}: {error}", page.display());
    let page = Page::parse(&fs::read_to_string(page).map_err(reason)?)?;
    fs::create_dir_all(out.join("guide")).map_err(reason)?;
    let mut source = String::new();
    for (name, code) in &page.modules {
        let _ = writeln!(source, "mod {name} {{\n{code}}}");
    }
    for example in page.examples.iter().filter(|example| example.message.is_none()) {
        let (kernels, tests) = tests(example);
        let Example { name, .. } = example;
        fs::write(out.join(format!("guide/{name}.rs")), kernels).map_err(reason)?;
        let file = format!("concat!(env!(\"OUT_DIR\"), \"/guide/{name}.rs\")");
        let _ = writeln!(
            source,
            "mod {name} {{
            #[allow(clippy::all, dead_code, reason = \"generated code, called in some of its forms\")]
            mod kernels {{ include!({file}); }}
            {tests}}}"
        );
    }
    fs::write(out.join("guide.rs"), source).map_err(reason)
}

/// Returns the kernels of an example, and tests that run the code below it.
///
/// An example that does not compile does not fail the build: its test fails, and shows why.
fn tests(example: &Example) -> (String, String) {
    let Example { line, manifest, code, .. } = example;
    let output = compile_str("kernels.toml", manifest);
    if !output.diagnostics.is_empty() {
        let reason = output.diagnostics.render("kernels.toml", manifest);
        let test =
            format!("#[test] fn compiles() {{ panic!(\"line {line}: {{}}\", {reason:?}); }}");
        return (String::new(), test);
    }
    let mut tests = String::new();
    for (k, code) in code.iter().enumerate() {
        let _ = writeln!(
            tests,
            "#[test]
            fn runs_{k}() -> Result<(), sparsegen::Error> {{
                #[allow(unused_imports)]
                use {{sparsegen::*, crate::operands::*}};
                {code}
                Ok(())
            }}"
        );
    }
    (output.source, tests)
}
