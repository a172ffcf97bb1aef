//! Runs a case of the corpus: checks that generated code, interpreter and oracles agree.

mod compare;
pub mod kernel;
mod refusals;

use std::collections::HashMap;
use std::fmt::Write as _;

use sparsegen_build::ir::{self, Function, Operand, Result as IrResult};
use sparsegen_build::{Compiler, PASSES, compile_str};

use crate::check::kernel::{Interpreted, Kernel};
use crate::corpus::Choice;
use crate::dtype::Dtype;
use crate::files;
use crate::kinds::Kinds;
use crate::statement::{Access, Statement};
use crate::storage::Formats;
use crate::typed::Driver;
use crate::worlds::{self, World};

/// A case of the corpus, as the build script embeds it.
pub struct Case {
    /// The kernel's name.
    pub name: &'static str,
    /// The case's file and line in the corpus.
    pub place: &'static str,
    /// The statements.
    pub statement: &'static str,
    /// The index of the checked statement.
    pub step: usize,
    /// The formats of the tensors and the keys of the kernel, as in the corpus.
    pub choice: &'static [(&'static str, &'static str)],
    /// The manifest that declares the kernel.
    pub manifest: &'static str,
    /// The result of compiling the manifest.
    pub outcome: Outcome,
}

/// The result of compiling a case when the tests are built.
pub enum Outcome {
    /// A kernel and its source.
    Compiled {
        /// Calls the kernel.
        run: &'static Driver,
        /// The generated source.
        source: &'static str,
    },
    /// Rendered diagnostics of a case that should compile.
    Failed(&'static str),
    /// The case must be rejected, with a diagnostic that contains this text.
    Refused(&'static str),
}

impl Case {
    /// Runs the case on all operands that its formats hold.
    ///
    /// # Panics
    /// Panics if a check fails, with the manifest and the reason.
    pub fn check(&self) {
        if let Err(reason) = self.try_check() {
            panic!(
                "\n{}: case `{}`\n\n{}\n{}\n",
                self.place,
                self.name,
                self.manifest,
                reason.trim_end()
            );
        }
    }

    fn try_check(&self) -> Result<(), String> {
        match &self.outcome {
            Outcome::Failed(diagnostics) => Err((*diagnostics).to_owned()),
            Outcome::Refused(reason) => check_refusal(self.manifest, reason),
            Outcome::Compiled { run, source } => {
                let (stages, formats) = self.compile(source)?;
                let compiled = &stages[0];
                let function =
                    compiled.functions().nth(self.step).ok_or("has no such statement")?;
                let choice = Choice(self.choice);
                let statements = Statement::parse_all(self.statement, &choice.parameter_names())?;
                let mut all = Statement::united(&statements).ok_or("has no statement")?;
                all.sizes = choice.sizes();
                let tensors = all.accesses().into_iter();
                let tensors = tensors.map(|access| all.tensor(access).to_owned());
                let dtypes: HashMap<String, Dtype> =
                    tensors.map(|tensor| (tensor.clone(), choice.dtype(&tensor))).collect();
                let has_files = dtypes.values().all(|dtype| *dtype == Dtype::F64);
                let fills =
                    dtypes.keys().filter_map(|tensor| Some((tensor.clone(), choice.fill(tensor)?)));
                let kernel = Kernel {
                    fills: fills.collect(),
                    statement: &statements[self.step],
                    computed: statements[..self.step].iter().map(|s| s.tensor(&s.result)).collect(),
                    semiring: choice.semiring(),
                    dtypes,
                    function,
                    interpreted: Some(Interpreted { stages: &stages, formats: &formats }),
                    run: *run,
                };
                let kinds = Kinds::of(&all, &choice);
                let mut worlds = worlds::worlds(self.name, &all, &kinds);
                let first = worlds.first().cloned();
                if has_files {
                    let functions = compiled.functions();
                    let mut dense: Vec<_> = functions.flat_map(|f| dense(&all, f)).collect();
                    // A result with a fill value other than zero may have entries at all
                    // coordinates.
                    let result = &kernel.statement.result.tensor;
                    if kernel.fills()? || kernel.fills.contains_key(result) {
                        dense.push(result);
                    }
                    worlds.extend(files::worlds(self.name, &all, &kinds, &dense));
                }
                let mut checked = false;
                for world in worlds {
                    checked |= kernel.check(&world).map_err(|reason| show(&world, &reason))?;
                }
                if !checked {
                    return Err("its formats hold none of the operands".into());
                }
                let Some(first) = first else { return Ok(()) };
                let functions: Vec<_> = compiled.functions().collect();
                kernel.check_disagreements(&first, &functions)?;
                kernel.check_constants(&first)?;
                kernel.check_parts(&first)
            }
        }
    }

    /// Compiles the manifest to the intermediate representation, and checks that the source is the
    /// one that the build script embedded.
    /// Returns it after all passes, and after some.
    fn compile(&self, source: &str) -> Result<(Vec<ir::Kernel>, Formats), String> {
        let output = compile_str("case.toml", self.manifest);
        if output.source != source {
            return Err("compiles to a different source than in the build script".into());
        }
        let formats = Formats::of(&output.formats)?;
        // Which pass is tried beside none and all depends on the case.
        let some = 1 + self.manifest.len() % (PASSES - 1);
        let fewer = [0, some].map(|count| {
            Compiler::new().with_passes(count).compile_str("case.toml", self.manifest).kernels
        });
        let stages = fewer.into_iter().fold(output.kernels, |all, more| [all, more].concat());
        if stages.is_empty() { Err("has no kernel".into()) } else { Ok((stages, formats)) }
    }
}

/// Checks that a manifest is rejected with a diagnostic that contains `reason`.
pub fn check_refusal(manifest: &str, reason: &str) -> Result<(), String> {
    let output = compile_str("case.toml", manifest);
    let shown = output.diagnostics.render("case.toml", manifest);
    if output.diagnostics.is_empty() {
        Err(format!("compiles, but should be rejected with `{reason}`"))
    } else if !shown.contains(reason) {
        Err(format!("is rejected, but not with `{reason}`:\n{shown}"))
    } else {
        Ok(())
    }
}

/// Returns the tensors whose formats may allocate memory for many more coordinates than are stored.
fn dense<'c>(statement: &'c Statement, function: &'c Function) -> Vec<&'c str> {
    const COMPACT: [&str; 9] =
        ["Csr", "Csc", "Dcsr", "Dcsc", "Coo", "Csf", "SparseVector", "CooUnordered", "HashRows"];
    let of_operands = function.operands.iter().filter_map(|operand| match operand {
        Operand::Tensor(tensor) => Some((tensor.tensor.as_str(), tensor.format.as_str())),
        Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => None,
    });
    let of_result = match &function.result {
        IrResult::Tensor(tensor) => Some((tensor.tensor.as_str(), tensor.format.as_str())),
        IrResult::Scalar { .. } => None,
    };
    let is_compact = |format: &str| COMPACT.contains(&format.split('<').next().unwrap_or(format));
    let formats: Vec<_> = of_operands.chain(of_result).collect();
    let is_dense = |access: &&Access| {
        let tensor = statement.tensor(access);
        formats.iter().any(|(name, format)| *name == tensor && !is_compact(format))
    };
    statement.accesses().into_iter().filter(is_dense).map(|access| &*access.tensor).collect()
}

/// Formats a reason for failure with the operands, unless these are large.
pub fn show(world: &World, reason: &str) -> String {
    let mut text = format!("operands `{}`, extents {:?}\n", world.name, world.layout.extents);
    for (name, operand) in &world.operands {
        let mut entries = operand.entries.clone();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let shown: Vec<String> =
            entries.iter().take(60).map(|(at, value)| format!("{at:?}: {value}")).collect();
        let more = if entries.len() > 60 { ", …" } else { "" };
        let _ = writeln!(text, "{name}, of shape {:?}: {}{more}", operand.shape, shown.join(", "));
    }
    text + "\n" + reason
}
