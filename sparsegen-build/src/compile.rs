//! The pipeline, one line a stage. Text in, text out: nothing here touches a file.

use std::fmt::Write as _;
use std::rc::Rc;

use crate::emit::emit;
use crate::error::Diagnostics;
use crate::format::{LevelExpr, LevelSpec};
use crate::ir;
use crate::level::{Level, Levels};
use crate::lower::lower;
use crate::names::Identifiers;
use crate::notation::{self, DeclaredFormat, DeclaredKind};
use crate::optimize::{fuse, optimize_observed};
use crate::schedule::schedule;
use crate::{iteration, manifest};

/// The compiler, with the levels that it knows.
#[derive(Clone, Debug, Default)]
pub struct Compiler {
    levels: Levels,
}

/// Observes stages: the kernel's name, the stage's name, and a function that shows what the stage made.
type Observe<'o> = dyn FnMut(&str, &str, &dyn Fn() -> String) + 'o;

/// What became of a manifest.
#[derive(Clone, Debug)]
pub struct Output {
    /// The generated source; empty where there are mistakes.
    pub source: String,
    /// The kernels in the imperative representation, in the order of the manifest; none where there
    /// are mistakes.
    pub kernels: Vec<ir::Kernel>,
    /// The formats that the source declares types for; none where there are mistakes.
    pub formats: Vec<ir::FormatDeclaration>,
    /// Every mistake, in the order of the manifest.
    pub diagnostics: Diagnostics,
}

impl Compiler {
    /// A compiler that knows the levels of this crate.
    pub fn new() -> Compiler {
        Compiler::default()
    }

    /// Adds a level of the user's own, which formats may then name; [`crate::level`] shows how one is
    /// made. A level that cannot be used is a mistake that every compilation reports.
    pub fn level(mut self, level: impl Level + 'static) -> Compiler {
        self.levels.register(Rc::new(level));
        self
    }

    /// Compiles a manifest; `name` is its file name, for messages and the head of the source.
    pub fn compile_str(&self, name: &str, text: &str) -> Output {
        self.run(name, text, &mut |_, _, _| {})
    }

    /// Returns what every stage made of a manifest, kernel by kernel, in the field's notation, or the
    /// manifest's mistakes.
    pub fn explain(&self, name: &str, text: &str) -> String {
        let mut stages = String::new();
        let mut last = String::new();
        let output = self.run(name, text, &mut |kernel, stage, show| {
            let shown = show();
            // A pass that changed nothing shows nothing.
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

    /// The diagram of ARCHITECTURE.md as code. `observe` gets each kernel, stage, and what the stage made.
    fn run(&self, name: &str, text: &str, observe: &mut Observe<'_>) -> Output {
        let (manifest, mut mistakes) = manifest::parse(text);
        mistakes.extend(self.levels.refused().iter().cloned());
        let (statements, mut wrong) = notation::parse(&manifest);
        mistakes.append(&mut wrong);
        let (module, mut wrong) = notation::check(&manifest, &statements, &self.levels);
        mistakes.append(&mut wrong);

        let mut functions = Vec::new();
        let mut formats = module.formats.clone();
        let mut identifiers = Identifiers::default();
        // With a level that contradicts itself nothing can be said of the kernels.
        let usable = self.levels.refused().is_empty();
        for (k, kernel) in module.kernels.iter().enumerate().filter(|_| usable) {
            let steps = module.steps(k);
            if steps.start == k {
                identifiers = chosen(module.kernels.get(steps).unwrap_or_default());
            }
            observe(&kernel.name, "index notation", &|| kernel.to_string());
            let (mut program, plan) = match schedule(kernel, &self.levels) {
                Ok(scheduled) => scheduled,
                Err(mistake) => {
                    mistakes.push(mistake);
                    continue;
                }
            };
            observe(&kernel.name, "iteration graph", &|| iteration::graph::show(&program));
            observe(&kernel.name, "concrete notation", &|| program.to_string());
            observe(&kernel.name, "merge lattices", &|| plan.show(&program));
            program.declare_formats(&mut formats);
            let lowered = lower(&program, &plan, &mut identifiers);
            observe(&kernel.name, "lowered", &|| lowered.to_string());
            let optimized = optimize_observed(lowered, &mut |pass, function| {
                observe(&kernel.name, pass.name, &|| function.to_string());
            });
            functions.push(optimized);
        }
        let diagnostics: Diagnostics = mistakes.into_iter().collect();
        if !diagnostics.is_empty() {
            let (source, kernels, formats) = (String::new(), Vec::new(), Vec::new());
            return Output { source, kernels, formats, diagnostics };
        }
        let module = ir::Module {
            manifest: name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            formats: formats.iter().map(declaration).collect(),
            kernels: kernels(&module, functions),
        };
        for kernel in &module.kernels {
            let ir::Kernel::Several(several) = kernel else { continue };
            for shared in &several.shared {
                observe(&several.name, "shared loops", &|| shared.function.to_string());
            }
        }
        let source = emit(&module);
        Output { source, kernels: module.kernels, formats: module.formats, diagnostics }
    }
}

/// The identifiers of a kernel's arguments, which the user chose.
fn chosen(steps: &[notation::Kernel]) -> Identifiers {
    let mut identifiers = Identifiers::default();
    for kernel in steps {
        for tensor in kernel.tensors.iter().filter(|tensor| tensor.role.is_argument()) {
            identifiers.reserve(&tensor.argument);
        }
    }
    identifiers
}

/// The kernels of functions, one for each of the module's statements.
fn kernels(module: &notation::Module, functions: Vec<ir::Function>) -> Vec<ir::Kernel> {
    let names = || {
        let of_several = module.several.iter().map(|several| &several.name);
        module.kernels.iter().map(|kernel| &kernel.name).chain(of_several)
    };
    let is_taken = |name: &str| names().any(|taken| taken.starts_with(name));
    let mut kernels = Vec::new();
    let mut steps = Vec::new();
    for (k, (kernel, function)) in module.kernels.iter().zip(functions).enumerate() {
        let Some(several) = module.several.iter().find(|several| several.steps.contains(&k)) else {
            kernels.push(ir::Kernel::One(Box::new(function)));
            continue;
        };
        let result = kernel.tensor(kernel.result()).argument.clone();
        steps.push(ir::Step { result, function });
        if several.steps.end == k + 1 {
            let docs = several.doc.iter().flat_map(|doc| doc.lines().map(str::to_owned)).collect();
            let steps = std::mem::take(&mut steps);
            let several = ir::Several::of(several.name.clone(), docs, steps);
            kernels.push(ir::Kernel::Several(fuse::run(several, is_taken)));
        }
    }
    kernels
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
                levels: of.levels.iter().map(|spec| level(spec, of)).collect(),
                fill: (!of.fill.is_zero()).then_some(of.fill),
            },
        ),
    };
    ir::FormatDeclaration { name: format.marker.clone(), docs, kind }
}

fn level(spec: &LevelSpec, of: &crate::format::Format) -> ir::LevelDeclaration {
    let crd = if spec.expr.may_be_negative() { of.crd.signed_name() } else { of.crd.name() };
    ir::LevelDeclaration { map: level_map(spec), storage: spec.level.storage(of.pos.name(), crd) }
}

/// What a level stores, as the runtime crate's `LevelMap` says it.
fn level_map(spec: &LevelSpec) -> String {
    let name = spec.level.name();
    let mut map = match spec.expr {
        LevelExpr::Dimension(dimension) => format!("LevelMap::dimension({dimension}, {name:?})"),
        LevelExpr::Div(..)
        | LevelExpr::Mod(..)
        | LevelExpr::Sub(..)
        | LevelExpr::Add(..)
        | LevelExpr::Count(_) => format!("LevelMap::new({}, {name:?})", level_expr(&spec.expr)),
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

/// An expression of dimensions, as the runtime crate's `LevelExpr` says it.
fn level_expr(expr: &LevelExpr) -> String {
    match expr {
        LevelExpr::Dimension(dimension) => format!("LevelExpr::Dimension({dimension})"),
        LevelExpr::Div(of, block) => format!("LevelExpr::Div(&{}, {block})", level_expr(of)),
        LevelExpr::Mod(of, block) => format!("LevelExpr::Mod(&{}, {block})", level_expr(of)),
        LevelExpr::Sub(a, b) => format!("LevelExpr::Sub({a}, {b})"),
        LevelExpr::Add(a, b) => format!("LevelExpr::Add({a}, {b})"),
        LevelExpr::Count(dimension) => format!("LevelExpr::Count({dimension})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Property;

    #[test]
    fn maps_are_declared_as_constants() {
        let check = |expr: LevelExpr, properties: &[Property], expected: &str| {
            let level = Levels::default().find("compressed").expect("a level of this crate");
            let set = properties.iter().fold(level.properties(), |all, one| all.with(*one));
            assert_eq!(level_map(&LevelSpec { expr, level, properties: set }), expected);
        };
        let dimension = || Box::new(LevelExpr::Dimension(1));
        let properties = [Property::Nonordered, Property::Nonunique];
        let expected = "LevelMap::dimension(1, \"compressed\").nonordered().nonunique()";
        check(*dimension(), &properties, expected);
        let nested = LevelExpr::Mod(Box::new(LevelExpr::Div(dimension(), 2)), 4);
        let expected = "LevelMap::new(LevelExpr::Mod(&LevelExpr::Div(&LevelExpr::Dimension(1), 2), 4), \
                        \"compressed\")";
        check(nested, &[], expected);
        check(LevelExpr::Sub(1, 0), &[], "LevelMap::new(LevelExpr::Sub(1, 0), \"compressed\")");
        check(LevelExpr::Add(0, 1), &[], "LevelMap::new(LevelExpr::Add(0, 1), \"compressed\")");
        check(LevelExpr::Count(0), &[], "LevelMap::new(LevelExpr::Count(0), \"compressed\")");
    }
}
