//! The package of the user whose functions and types a manifest names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::table::{Table, Value, parse};

/// The library of a package.
#[derive(Debug)]
pub struct Library {
    /// The name of the package.
    pub package: String,
    /// The name of the library in Rust.
    pub name: String,
    pub folder: PathBuf,
    /// The items of its root that kernels name.
    pub items: BTreeSet<String>,
}

impl Library {
    /// Returns the library of the package of a manifest, if a source names items of it, as
    /// `crate::f`.
    pub fn of(manifest: &Path, source: &str) -> Result<Option<Library>, Failure> {
        let items = items(source);
        let Some(first) = items.first() else { return Ok(None) };
        let start = manifest.canonicalize();
        let start = start.map_err(|error| Failure::file("read", manifest, error))?;
        let is_package = |folder: &&Path| cargo_toml(folder).contains_key("package");
        let Some(folder) = start.ancestors().skip(1).find(is_package) else {
            let place = manifest.display();
            return Err(Failure::error(format!(
                "`crate::{first}` is in no package: no folder above `{place}` has the \
                 `Cargo.toml` of one"
            )));
        };
        let tables = cargo_toml(folder);
        let key = |table: &str, key: &str| {
            tables.get(table).and_then(Value::as_table)?.get(key)?.as_str().map(str::to_owned)
        };
        let package = key("package", "name").unwrap_or_default();
        let own_path = key("lib", "path").unwrap_or_else(|| "src/lib.rs".to_owned());
        if !folder.join(own_path).is_file() {
            return Err(Failure::error(format!(
                "`crate::{first}` cannot be used, because the package `{package}` has no library\n\
                 help: move `{first}` to `src/lib.rs` of the package, and make it public"
            )));
        }
        let name = key("lib", "name").unwrap_or_else(|| package.replace('-', "_"));
        Ok(Some(Library { package, name, folder: folder.to_owned(), items }))
    }
}

/// Returns the items of the root of the crate that a source names.
fn items(source: &str) -> BTreeSet<String> {
    let is_of_name = |c: &char| c.is_alphanumeric() || *c == '_';
    let found = source.match_indices("crate::");
    // `my_crate::f` is an item of another crate.
    let found = found.filter(|(at, _)| !source[..*at].ends_with(|c| is_of_name(&c)));
    let after = found.map(|(at, path)| source[at + path.len()..].chars());
    after.map(|rest| rest.take_while(is_of_name).collect()).collect()
}

fn cargo_toml(folder: &Path) -> Table {
    parse(&std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default())
}
