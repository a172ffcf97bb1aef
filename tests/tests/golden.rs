//! Generated source that people should look at, `golden/NAME.toml` and what becomes of it, and the
//! kernels of the runtime crate's operators.
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
    manifests.push(folder.join("../../sparsegen/src/operators/kernels.toml"));
    let mut written = Vec::new();
    for manifest in manifests {
        let text = fs::read_to_string(&manifest).expect("it is readable");
        let name = manifest.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let output = sparsegen_build::compile_str(&name, &text);
        assert!(output.diagnostics.is_empty(), "{}", output.diagnostics.render(&name, &text));
        let again = sparsegen_build::compile_str(&name, &text);
        assert_eq!(output.source, again.source, "{name} is compiled the same each time");
        let golden = manifest.with_extension("rs");
        if fs::read_to_string(&golden).ok().as_ref() != Some(&output.source) {
            fs::write(&golden, &output.source).expect("it is writable");
            written.push(name);
        }
    }
    assert!(written.is_empty(), "these were rewritten: {written:?}");
}
