//! The pipeline, one line per stage, from text to text; it accesses no files.

mod declarations;

use std::fmt::Write as _;
use std::sync::Arc;

use crate::concrete::Program;
use crate::emit::emit;
use crate::error::{Diagnostic, Diagnostics};
use crate::ir;
use crate::iteration::plan::Plan;
use crate::level::{Level, Levels};
use crate::lower::distribution::distribution;
use crate::lower::entry::complete;
use crate::lower::structural::is_structural;
use crate::lower::{lower, show_assembly};
use crate::names::Identifiers;
use crate::notation::{self, Block, DeclaredFormat};
use crate::optimize::optimize_observed;
use crate::schedule::join::{Joined, join};
use crate::schedule::schedule;
use crate::threads::on_threads;
use crate::{iteration, manifest, warn};

use declarations::declaration;

/// The compiler, with its registered levels.
#[derive(Clone, Debug, Default)]
pub struct Compiler {
    levels: Levels,
    /// The number of passes that run, if not all do.
    passes: Option<usize>,
}

/// An observer of the stages, each of which prints itself.
pub(crate) trait Observer {
    /// Called before the stages of a kernel of the manifest.
    fn begin(&mut self, _block: &Block<'_>, _name: &str) {}

    /// Called after a stage of a statement, or of statements that share loops, with the name of the
    /// statement, the name of the stage, and a function that prints the result.
    fn stage(&mut self, _statement: &str, _stage: &str, _show: &dyn Fn() -> String) {}

    /// Called with the identifiers of a kernel after its functions are lowered.
    fn identifiers(&mut self, _identifiers: &Identifiers) {}

    /// Called with each plan before it is lowered. Numbers of its loops reach the generated code.
    fn plan(&mut self, _statement: &str, _program: &Program, _plan: &mut Plan) {}

    /// Called with the warnings of a kernel after its stages.
    fn warnings(&mut self, _warnings: &Diagnostics) {}
}

/// An observer that ignores everything.
struct Silent;

impl Observer for Silent {}

impl<F: FnMut(&str, &str, &dyn Fn() -> String)> Observer for F {
    fn stage(&mut self, statement: &str, stage: &str, show: &dyn Fn() -> String) {
        self(statement, stage, show);
    }
}

/// The result of compiling a manifest.
#[derive(Clone, Debug)]
pub struct Output {
    /// The generated source; empty if there are errors.
    pub source: String,
    /// The kernels in the imperative representation, in the order of the manifest; empty if there
    /// are errors.
    #[doc(hidden)]
    pub kernels: Vec<ir::Kernel>,
    /// The formats for which the source declares types; empty if there are errors.
    #[doc(hidden)]
    pub formats: Vec<ir::FormatDeclaration>,
    /// The errors, in the order of the manifest.
    pub diagnostics: Diagnostics,
    /// The warnings, in the order of the manifest; empty if there are errors.
    pub warnings: Diagnostics,
}

impl Compiler {
    /// Creates a compiler with the built-in levels.
    pub fn new() -> Compiler {
        Compiler::default()
    }

    /// Adds a user-defined level, which formats may then name; [`crate::level`] explains how to
    /// define one. If the level cannot be used, every compilation reports it as an error.
    pub fn level(mut self, level: impl Level + 'static) -> Compiler {
        self.levels.register(Arc::new(level));
        self
    }

    /// Runs only the first passes, so that tests can compare the results of each.
    #[doc(hidden)]
    pub fn with_passes(mut self, count: usize) -> Compiler {
        self.passes = Some(count);
        self
    }

    /// Compiles a manifest; `name` is its file name, for messages and the header of the source.
    pub fn compile_str(&self, name: &str, text: &str) -> Output {
        self.run(name, text, None)
    }

    /// Returns the result of every stage for each kernel in the field's notation, or the
    /// diagnostics of the manifest.
    pub fn explain(&self, name: &str, text: &str) -> String {
        let mut stages = String::new();
        let mut last = String::new();
        let mut print = |kernel: &str, stage: &str, show: &dyn Fn() -> String| {
            let shown = show();
            // Passes that change nothing are not printed.
            if shown != last {
                let _ = writeln!(stages, "── {kernel}: {stage}\n{}\n", shown.trim_end());
                last = shown;
            }
        };
        let output = self.run(name, text, Some(&mut print));
        if output.diagnostics.is_empty() {
            let _ = writeln!(stages, "── source\n{}", output.source);
        } else {
            stages = output.diagnostics.render(name, text);
        }
        stages
    }

    /// Runs the stages in the diagram of ARCHITECTURE.md.
    ///
    /// Without an observer, the kernels are compiled on all processors.
    pub(crate) fn run(
        &self,
        name: &str,
        text: &str,
        observer: Option<&mut dyn Observer>,
    ) -> Output {
        let (manifest, mut mistakes) = manifest::parse(text);
        mistakes.extend(self.levels.refused().iter().cloned());
        let (statements, mut wrong) = notation::parse(&manifest);
        mistakes.append(&mut wrong);
        let (module, mut wrong) = notation::check(&manifest, &statements, &self.levels);
        mistakes.append(&mut wrong);

        let mut formats = module.formats.clone();
        // With a level that contradicts itself nothing can be said of the kernels.
        let blocks = if self.levels.refused().is_empty() { module.blocks() } else { Vec::new() };
        let (levels, passes) = (&self.levels, self.passes);
        let finished: Vec<Finished> = match observer {
            Some(observer) => {
                let mut finished = Vec::new();
                for block in blocks {
                    let scheduled = Scheduled::of(block, levels, observer).declare(&mut formats);
                    finished.push(scheduled.finish(&module, passes, observer));
                }
                finished
            }
            None => {
                let scheduled =
                    on_threads(blocks, |block| Scheduled::of(block, levels, &mut Silent));
                // The names of formats depend on those of the kernels before.
                let declared = scheduled.into_iter().map(|of| of.declare(&mut formats)).collect();
                on_threads(declared, |scheduled| scheduled.finish(&module, passes, &mut Silent))
            }
        };
        let (mut kernels, mut warnings) = (Vec::new(), Diagnostics::warnings());
        for Finished { kernel, warnings: own, mistakes: wrong } in finished {
            kernels.extend(kernel);
            warnings.extend(own.iter().cloned());
            mistakes.extend(wrong);
        }
        let diagnostics: Diagnostics = mistakes.into_iter().collect();
        if !diagnostics.is_empty() {
            let (source, kernels, formats) = (String::new(), Vec::new(), Vec::new());
            let warnings = Diagnostics::warnings();
            return Output { source, kernels, formats, diagnostics, warnings };
        }
        let module = ir::Module {
            manifest: name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            formats: formats.iter().map(declaration).collect(),
            kernels,
            is_lazy: manifest.defaults.lazy,
        };
        let source = emit(&module);
        let ir::Module { kernels, formats, .. } = module;
        Output { source, kernels, formats, diagnostics, warnings }
    }
}

/// The statements of a kernel with their loops.
struct Scheduled<'m> {
    block: Block<'m>,
    /// The statements that could be scheduled.
    programs: Vec<(Program, Plan)>,
    warnings: Diagnostics,
    mistakes: Vec<Diagnostic>,
}

/// A kernel, if all of its statements could be scheduled.
struct Finished {
    kernel: Option<ir::Kernel>,
    warnings: Diagnostics,
    mistakes: Vec<Diagnostic>,
}

impl<'m> Scheduled<'m> {
    /// Chooses the loops of the statements of a kernel.
    fn of(block: Block<'m>, levels: &Levels, observer: &mut dyn Observer) -> Scheduled<'m> {
        let (mut programs, mut mistakes) = (Vec::new(), Vec::new());
        let mut warnings = Diagnostics::warnings();
        observer.begin(&block, block.name());
        for statement in block.statements {
            observer.stage(&statement.name, "index notation", &|| statement.to_string());
            let (program, mut plan) = match schedule(statement, levels) {
                Ok(scheduled) => scheduled,
                Err(mistake) => {
                    mistakes.push(mistake);
                    continue;
                }
            };
            observer
                .stage(&statement.name, "iteration graph", &|| iteration::graph::show(&program));
            observer.stage(&statement.name, "concrete notation", &|| program.to_string());
            observer.stage(&statement.name, "merge lattices", &|| plan.show(&program));
            observer.stage(&statement.name, "assembly", &|| show_assembly(&program));
            warnings.extend(warn::warnings(statement, &program, &plan, levels));
            observer.plan(&statement.name, &program, &mut plan);
            programs.push((program, plan));
        }
        Scheduled { block, programs, warnings, mistakes }
    }

    /// Declares the formats of converted tensors.
    fn declare(mut self, formats: &mut Vec<DeclaredFormat>) -> Scheduled<'m> {
        self.programs.iter_mut().for_each(|(program, _)| program.declare_formats(formats));
        self
    }

    /// Lowers the statements. Neighbours that share loops are one function.
    fn finish(
        self,
        module: &notation::Module,
        passes: Option<usize>,
        observer: &mut dyn Observer,
    ) -> Finished {
        let Scheduled { block, programs, mut warnings, mistakes } = self;
        let is_whole = mistakes.is_empty();
        let kernel =
            is_whole.then(|| lowered(module, &block, (programs, passes), &mut warnings, observer));
        observer.warnings(&warnings);
        Finished { kernel, warnings, mistakes }
    }
}

/// Returns a kernel from its scheduled statements.
fn lowered(
    module: &notation::Module,
    block: &Block<'_>,
    (mut scheduled, passes): (Vec<(Program, Plan)>, Option<usize>),
    warnings: &mut Diagnostics,
    observer: &mut dyn Observer,
) -> ir::Kernel {
    let mut identifiers = chosen(block.statements);
    let mut function = |program: &Program, plan: &Plan, name: &str, observer: &mut dyn Observer| {
        let mut lowered = lower(program, plan, &mut identifiers);
        lowered.name_phases(&|name| module.is_taken(name));
        observer.stage(name, "lowered", &|| lowered.to_string());
        optimize_observed(lowered, passes, &mut |pass, function| {
            observer.stage(name, pass.name, &|| function.to_string());
        })
    };
    let mut functions = Vec::new();
    for (statement, (program, plan)) in block.statements.iter().zip(&mut scheduled) {
        functions.push(function(program, plan, &statement.name, observer));
    }
    let steps = block.statements.iter().zip(functions).map(|(statement, function)| {
        let result = statement.tensor(statement.result());
        ir::Step { result: result.argument.clone(), tensor: result.name.clone(), function }
    });
    let (name, docs) = match block.several {
        None => (block.statements[0].name.clone(), Vec::new()),
        Some(several) => {
            let docs = several.doc.iter().flat_map(|doc| doc.lines().map(str::to_owned)).collect();
            (several.name.clone(), docs)
        }
    };
    let mut kernel = ir::Kernel::of(name, docs, steps.collect());
    let may_join = |steps| ir::may_share(&kernel.steps[steps]);
    let (joined, apart) = join(&scheduled, &may_join);
    for (step, reason) in apart {
        observer.stage(&block.statements[step].name, "loops of its own", &|| reason.to_string());
    }
    let is_joined = |step: usize| joined.iter().any(|it| it.statements.contains(&step));
    let apart = (0..scheduled.len()).filter(|step| !is_joined(*step));
    let apart = apart.map(|step| (step, &scheduled[step].0));
    let shared = joined.iter().map(|it| (it.statements.start, &it.program));
    let serial = |(step, program)| warn::on_one_thread(&block.statements[step], program);
    warnings.extend(apart.chain(shared).filter_map(serial));
    for Joined { statements, program, mut plan } in joined {
        observer.stage(&kernel.name, "shared loops", &|| program.to_string());
        observer.stage(&kernel.name, "merge lattices", &|| plan.show(&program));
        observer.plan(&kernel.name, &program, &mut plan);
        let function = function(&program, &plan, &kernel.name, observer);
        kernel.share(statements, function, &|name| module.is_taken(name));
    }
    observer.identifiers(&identifiers);
    kernel.is_structural = is_structural(block.statements);
    kernel.distribution = distribution(block.statements);
    complete(kernel)
}

/// The identifiers of a kernel's arguments, which the user chose.
fn chosen(statements: &[notation::Kernel]) -> Identifiers {
    let mut identifiers = Identifiers::default();
    for kernel in statements {
        for tensor in kernel.tensors.iter().filter(|tensor| tensor.role.is_argument()) {
            identifiers.reserve(&tensor.argument);
        }
    }
    identifiers
}
