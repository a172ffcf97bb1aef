//! Manifests with a kernel in other formats.

use sparsegen_build::inspect::Kernel;

use crate::failure::Failure;
use crate::manifest::Manifest;
use crate::table::{Table, Value, parse, write};

/// Returns a manifest with only one kernel of another one, under another name, in which an operand
/// has another format.
pub fn manifest(
    manifest: &Manifest,
    kernel: &Kernel,
    name: &str,
    changed: Option<&(String, String)>,
) -> Result<String, Failure> {
    let mut whole = manifest.tables();
    let kernels = whole.get_mut("kernels").and_then(Value::as_table_mut);
    let own = kernels.and_then(|kernels| kernels.remove(&kernel.name));
    let Some(Value::Table(mut own)) = own else {
        return Err(Failure::error(format!("`{}` is no table of the manifest", kernel.name)));
    };
    if let Some((operand, format)) = changed {
        let tensors = own.entry("tensors".to_owned()).or_insert_with(|| Value::Table(Table::new()));
        if let Some(tensors) = tensors.as_table_mut() {
            let entry =
                tensors.entry(operand.clone()).or_insert_with(|| Value::String(String::new()));
            match entry {
                // Other keys of the entry, such as its type, stay.
                Value::Table(table) => {
                    let key = if table.contains_key("map") { "map" } else { "format" };
                    table.insert(key.to_owned(), Value::String(format.clone()));
                }
                entry => *entry = Value::String(format.clone()),
            }
        }
    }
    let only = Table::from_iter([(name.to_owned(), Value::Table(own))]);
    whole.insert("kernels".to_owned(), Value::Table(only));
    Ok(write(&whole))
}

/// Returns a manifest with the kernels of several ones, which have the same other tables.
pub fn joined<'m>(manifests: impl Iterator<Item = &'m str>) -> String {
    let mut whole = Table::new();
    for manifest in manifests {
        for (key, value) in parse(manifest) {
            match (key.as_str(), whole.get_mut(&key), value) {
                ("kernels", Some(Value::Table(all)), Value::Table(own)) => all.extend(own),
                (_, Some(_), _) => {}
                (_, None, value) => {
                    whole.insert(key, value);
                }
            }
        }
    }
    write(&whole)
}
