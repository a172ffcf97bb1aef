//! Type checking of generated sources, many in one crate.

use sparsegen_harness::rustc::Rustc;

/// Returns the sources with errors or warnings of rustc, and its messages.
pub fn mistakes(sources: &[&(&str, String)]) -> Vec<String> {
    let rustc = Rustc::new().expect("rustc can be run beside this test");
    let mut wrong = Vec::new();
    let mut rest: Vec<usize> = (0..sources.len()).collect();
    // Errors of one phase hide those of later ones, so refused sources are removed and the others
    // checked again.
    while !rest.is_empty() {
        let said = match check(&rustc, sources, &rest) {
            Ok(()) => break,
            Err(said) => said,
        };
        let is_named = |k: &usize| said.contains(&format!("m{k}.rs:"));
        let named: Vec<usize> = rest.iter().copied().filter(is_named).collect();
        assert!(!named.is_empty(), "rustc fails, but for none of the sources:\n{said}");
        for k in &named {
            let about = said.split("\n\n").find(|part| part.contains(&format!("m{k}.rs:")));
            wrong.push(format!("{}\n{}", sources[*k].0, about.unwrap_or_default()));
        }
        rest.retain(|k| !named.contains(k));
    }
    wrong
}

/// Returns the messages of rustc about modules, if there are any.
fn check(rustc: &Rustc, sources: &[&(&str, String)], which: &[usize]) -> Result<(), String> {
    let mut root = "#![allow(dead_code, unreachable_pub)]\n".to_owned();
    for k in which {
        root.push_str(&format!("pub mod m{k};\n"));
        rustc.write(&format!("m{k}.rs"), &sources[*k].1)?;
    }
    rustc.write("lib.rs", &root)?;
    rustc.check("lib.rs")
}
