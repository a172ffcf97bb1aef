//! The pipeline, one line per stage, from text to text; it accesses no files.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::concrete::Program;
use crate::coordinate::Coordinate;
use crate::emit::emit;
use crate::error::Diagnostics;
use crate::format::{LevelExpr, LevelSpec};
use crate::ir;
use crate::iteration::plan::Plan;
use crate::level::{Level, Levels};
use crate::lower::distribution::distribution;
use crate::lower::entry::complete;
use crate::lower::{lower, show_assembly};
use crate::names::Identifiers;
use crate::notation::{self, Block, DeclaredFormat, DeclaredKind};
use crate::optimize::optimize_observed;
use crate::schedule::join::{Joined, join};
use crate::schedule::schedule;
use crate::{iteration, manifest, warn};

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
        self.run(name, text, &mut |_: &str, _: &str, _: &dyn Fn() -> String| {})
    }

    /// Returns the result of every stage for each kernel in the field's notation, or the
    /// diagnostics of the manifest.
    pub fn explain(&self, name: &str, text: &str) -> String {
        let mut stages = String::new();
        let mut last = String::new();
        let output =
            self.run(name, text, &mut |kernel: &str, stage: &str, show: &dyn Fn() -> String| {
                let shown = show();
                // Passes that change nothing are not printed.
                if shown != last {
                    let _ = writeln!(stages, "── {kernel}: {stage}\n{}\n", shown.trim_end());
                    last = shown;
                }
            });
        if output.diagnostics.is_empty() {
            let _ = writeln!(stages, "── source\n{}", output.source);
        } else {
            stages = output.diagnostics.render(name, text);
        }
        stages
    }

    /// Runs the stages in the diagram of ARCHITECTURE.md.
    pub(crate) fn run(&self, name: &str, text: &str, observer: &mut dyn Observer) -> Output {
        let (manifest, mut mistakes) = manifest::parse(text);
        mistakes.extend(self.levels.refused().iter().cloned());
        let (statements, mut wrong) = notation::parse(&manifest);
        mistakes.append(&mut wrong);
        let (module, mut wrong) = notation::check(&manifest, &statements, &self.levels);
        mistakes.append(&mut wrong);

        let (mut kernels, mut warnings) = (Vec::new(), Diagnostics::warnings());
        let mut formats = module.formats.clone();
        // With a level that contradicts itself nothing can be said of the kernels.
        let blocks = if self.levels.refused().is_empty() { module.blocks() } else { Vec::new() };
        for block in blocks {
            let (mut scheduled, mut own) = (Vec::new(), Diagnostics::warnings());
            observer.begin(&block, block.name());
            for statement in block.statements {
                observer.stage(&statement.name, "index notation", &|| statement.to_string());
                let (program, mut plan) = match schedule(statement, &self.levels) {
                    Ok(scheduled) => scheduled,
                    Err(mistake) => {
                        mistakes.push(mistake);
                        continue;
                    }
                };
                observer.stage(&statement.name, "iteration graph", &|| {
                    iteration::graph::show(&program)
                });
                observer.stage(&statement.name, "concrete notation", &|| program.to_string());
                observer.stage(&statement.name, "merge lattices", &|| plan.show(&program));
                observer.stage(&statement.name, "assembly", &|| show_assembly(&program));
                own.extend(warn::warnings(statement, &program, &plan, &self.levels));
                observer.plan(&statement.name, &program, &mut plan);
                scheduled.push((program, plan));
            }
            if scheduled.len() == block.statements.len() {
                kernels.push(compiled(
                    &module,
                    &block,
                    (scheduled, self.passes),
                    &mut formats,
                    &mut own,
                    observer,
                ));
            }
            observer.warnings(&own);
            warnings.extend(own.iter().cloned());
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

/// A kernel from its scheduled statements. Neighbours that share loops are one function.
fn compiled(
    module: &notation::Module,
    block: &Block<'_>,
    (mut scheduled, passes): (Vec<(Program, Plan)>, Option<usize>),
    formats: &mut Vec<DeclaredFormat>,
    warnings: &mut Diagnostics,
    observer: &mut dyn Observer,
) -> ir::Kernel {
    let mut identifiers = chosen(block.statements);
    let mut lowered = |program: &Program, plan: &Plan, name: &str, observer: &mut dyn Observer| {
        let lowered = lower(program, plan, &mut identifiers);
        observer.stage(name, "lowered", &|| lowered.to_string());
        optimize_observed(lowered, passes, &mut |pass, function| {
            observer.stage(name, pass.name, &|| function.to_string());
        })
    };
    let mut functions = Vec::new();
    for (statement, (program, plan)) in block.statements.iter().zip(&mut scheduled) {
        program.declare_formats(formats);
        functions.push(lowered(program, plan, &statement.name, observer));
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
        let function = lowered(&program, &plan, &kernel.name, observer);
        kernel.share(statements, function, &|name| module.is_taken(name));
    }
    observer.identifiers(&identifiers);
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

fn declaration(format: &DeclaredFormat) -> ir::FormatDeclaration {
    let (docs, kind) = match &format.kind {
        DeclaredKind::Alias(of) => {
            (vec![format!("The format [`{of}`].")], ir::FormatKind::Alias(of.clone()))
        }
        DeclaredKind::Marker(of) => (
            vec![format!("`{of}`")],
            ir::FormatKind::Marker {
                key: of.name.clone().unwrap_or_default(),
                order: of.order(),
                levels: of.levels.iter().map(level).collect(),
                fill: (!of.fill.is_zero()).then_some(of.fill),
            },
        ),
    };
    ir::FormatDeclaration { name: format.marker.clone(), docs, kind }
}

fn level(spec: &LevelSpec) -> ir::LevelDeclaration {
    let LevelSpec { expr, pos, crd, .. } = spec;
    let crd = if expr.may_be_negative() { crd.signed_name() } else { crd.name() };
    ir::LevelDeclaration { map: level_map(spec), storage: spec.level.storage(pos.name(), crd) }
}

/// Returns the initializer of the runtime crate's `LevelMap` for a level.
fn level_map(spec: &LevelSpec) -> String {
    let name = spec.level.name();
    let mut map = match spec.expr {
        LevelExpr::Dimension(dimension) => format!("LevelMap::dimension({dimension}, {name:?})"),
        LevelExpr::Count(_) | LevelExpr::Computed(_) => {
            format!("LevelMap::new({}, {name:?})", level_expr(&spec.expr))
        }
    };
    let parameters = spec.level.parameters();
    if !parameters.is_empty() {
        let _ = write!(map, ".parameters(&[{}])", parameters.join(", "));
    }
    for property in spec.properties.set_beyond(spec.level.properties()) {
        let _ = write!(map, ".{property}()");
    }
    map
}

/// Returns the initializer of the runtime crate's `LevelExpr` for an expression of dimensions.
fn level_expr(expr: &LevelExpr) -> String {
    match expr {
        LevelExpr::Dimension(dimension) => format!("LevelExpr::Dimension({dimension})"),
        LevelExpr::Count(dimension) => format!("LevelExpr::Count({dimension})"),
        LevelExpr::Computed(computed) => match &**computed {
            Coordinate::Div(of, block) => format!("LevelExpr::Div(&{}, {block})", level_expr(of)),
            Coordinate::Mod(of, block) => format!("LevelExpr::Mod(&{}, {block})", level_expr(of)),
            Coordinate::Affine(_) => {
                let sum = if expr.may_be_negative() { "Sub" } else { "Add" };
                let modes: Vec<_> = expr.modes().iter().map(usize::to_string).collect();
                format!("LevelExpr::{sum}({})", modes.join(", "))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinate::Affine;
    use crate::level::Property;

    #[test]
    fn maps_are_declared_as_constants() {
        let check = |expr: LevelExpr, properties: &[Property], expected: &str| {
            let level = Levels::default().find("compressed").expect("a level of this crate");
            let set = properties.iter().fold(level.properties(), |all, one| all.with(*one));
            assert_eq!(
                level_map(&LevelSpec { properties: set, ..LevelSpec::new(expr, level) }),
                expected
            );
        };
        let dimension = LevelExpr::Dimension;
        let affine = |a: usize, times: i64, b: usize| {
            let sum = Affine::variable(dimension(a)).plus(&Affine::term(times, dimension(b)));
            LevelExpr::from(Coordinate::Affine(sum.unwrap()))
        };
        let properties = [Property::Nonordered, Property::Nonunique];
        let expected = "LevelMap::dimension(1, \"compressed\").nonordered().nonunique()";
        check(dimension(1), &properties, expected);
        let nested = Coordinate::Mod(LevelExpr::from(Coordinate::Div(dimension(1), 2)), 4).into();
        let expected = "LevelMap::new(LevelExpr::Mod(&LevelExpr::Div(&LevelExpr::Dimension(1), 2), 4), \
                        \"compressed\")";
        check(nested, &[], expected);
        check(affine(1, -1, 0), &[], "LevelMap::new(LevelExpr::Sub(1, 0), \"compressed\")");
        check(affine(0, 1, 1), &[], "LevelMap::new(LevelExpr::Add(0, 1), \"compressed\")");
        check(LevelExpr::Count(0), &[], "LevelMap::new(LevelExpr::Count(0), \"compressed\")");
    }
}
