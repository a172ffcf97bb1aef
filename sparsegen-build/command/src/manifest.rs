//! Manifests that commands read.

use std::fs;
use std::path::Path;

use sparsegen_build::Compiler;
use sparsegen_build::inspect::{Inspection, Kernel};

use crate::failure::Failure;
use crate::table::{Table, parse};

/// A manifest that compiles.
#[derive(Debug)]
pub struct Manifest {
    /// Its name in messages.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The kernels with their stages.
    pub kernels: Vec<Kernel>,
}

impl Manifest {
    /// Reads and compiles a manifest.
    pub fn read(path: &Path) -> Result<Manifest, Failure> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| Failure::file("read", path, error))?;
        Manifest::compile(name, text)
    }

    /// Compiles the text of a manifest.
    pub fn compile(name: String, text: String) -> Result<Manifest, Failure> {
        let inspected = Compiler::new().inspect(&name, &text);
        let Inspection { kernels } =
            inspected.map_err(|mistakes| Failure::Error(mistakes.render(&name, &text)))?;
        Ok(Manifest { name, text, kernels })
    }

    /// Returns the kernels of these names, or all kernels if there are none; prints their warnings.
    pub fn select(&self, names: &[String]) -> Result<Vec<&Kernel>, Failure> {
        let named = |name: &String| self.named(name);
        let selected: Vec<&Kernel> = match names {
            [] => self.kernels.iter().collect(),
            names => names.iter().map(named).collect::<Result<_, _>>()?,
        };
        self.warn(&selected);
        Ok(selected)
    }

    /// Returns the kernel of a name; prints its warnings.
    pub fn find(&self, name: &str) -> Result<&Kernel, Failure> {
        let kernel = self.named(name)?;
        self.warn(&[kernel]);
        Ok(kernel)
    }

    /// Prints the warnings of kernels.
    fn warn(&self, kernels: &[&Kernel]) {
        let warnings = kernels.iter().map(|kernel| kernel.warnings.clone());
        let all = warnings.reduce(|mut all, more| {
            all.extend(more.iter().cloned());
            all
        });
        eprint!("{}", all.unwrap_or_default().render(&self.name, &self.text));
    }

    /// Returns the kernel of a name.
    fn named(&self, name: &str) -> Result<&Kernel, Failure> {
        let found = self.kernels.iter().find(|kernel| kernel.name == name);
        found.ok_or_else(|| {
            let known = self.kernels.iter().map(|kernel| format!("`{}`", kernel.name));
            let known: Vec<String> = known.collect();
            let has = match known.is_empty() {
                true => "it has none".to_owned(),
                false => format!("its kernels are {}", known.join(", ")),
            };
            Failure::error(format!("there is no kernel `{name}` in `{}`; {has}", self.name))
        })
    }

    /// Returns the tables of the file.
    pub fn tables(&self) -> Table {
        parse(&self.text)
    }

    /// Returns the table of a kernel.
    pub fn table(&self, kernel: &str) -> Option<Table> {
        self.tables().get("kernels")?.as_table()?.get(kernel)?.as_table().cloned()
    }

    /// Returns the number of the line of a byte, from 1 on.
    pub fn line(&self, byte: usize) -> usize {
        self.text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
    }
}
