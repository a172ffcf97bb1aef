//! The stages of each kernel as plain data, for tools that show them.
//!
//! [`Compiler::inspect`] runs the same pipeline as [`Compiler::compile_str`], and keeps what each
//! stage prints: the iteration graph, the regions and merge points of each loop with the reasons why
//! some are gone, the iterations of each loop, and the function after each pass. All texts are in
//! the field's notation, and all names are those of the manifest.

mod arguments;
mod loops;
mod source;

use std::collections::BTreeMap;

use crate::compile::{Compiler, Observer};
use crate::concrete::Program;
use crate::emit::emit;
use crate::error::{Diagnostics, Span};
use crate::format::{Format, LevelSpec};
use crate::iteration::graph::{IterationGraph, Reason};
use crate::iteration::plan::Plan;
use crate::lower::complexity::iterations;
use crate::names::Identifiers;
use crate::notation::{self, Block, TensorRole};
use crate::{ir, manifest, optimize};

pub use crate::ir::comment::{Origin, Part};
pub use arguments::Argument;
pub use loops::{Candidate, Loop, MergePoint, Region};
pub use source::{Line, Meaning};

/// The kernels of a manifest.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// The kernels, in the order of the manifest.
    pub kernels: Vec<Kernel>,
}

/// A kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kernel {
    /// The name in the manifest.
    pub name: String,
    /// The place of its first statement in the manifest.
    pub span: Span,
    /// The documentation of its main function in Markdown, by lines: its tensors, loops and time.
    pub docs: Vec<String>,
    /// The line of the documentation with the time.
    pub time: String,
    /// The tensors that are arguments or results.
    pub tensors: Vec<Tensor>,
    /// The statements, and after them those with common loops.
    pub statements: Vec<Statement>,
    /// A file with the kernel's functions and no others.
    pub source: String,
    /// The lines of `source`, each with its origin.
    pub lines: Vec<Line>,
    /// The meaning of the identifiers in `source`, except for those of the crate `sparsegen`.
    pub names: BTreeMap<String, Meaning>,
    /// The name of its main function: that of the kernel, or `NAME_into` for an update.
    pub function: String,
    /// The arguments of the main function, in order.
    pub arguments: Vec<Argument>,
    /// The warnings, in the order of the manifest.
    pub warnings: Diagnostics,
}

/// A tensor that a kernel reads or returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The name in the manifest.
    pub name: String,
    /// The name of the argument in Rust.
    pub argument: String,
    /// The name of each mode's variable, as in the statement.
    pub modes: Vec<String>,
    /// The name of its format, or the map.
    pub format: String,
    /// The levels, outermost first.
    pub levels: Vec<Level>,
    /// The dimensions in the map of the format, in the order of the modes.
    pub dimensions: Vec<String>,
    /// The Rust type of its format, such as `Csr`; empty for a scalar.
    pub marker: String,
    /// The element type.
    pub dtype: String,
    /// `true` if it stores no values; the value of every entry is 1.
    pub is_pattern: bool,
    /// `true` if the kernel computes it.
    pub is_result: bool,
    /// `true` if it is passed or returned by value, as a scalar.
    pub is_scalar: bool,
}

/// A level of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The level in the notation of maps, such as `j : compressed`.
    pub text: String,
    /// The expression of the dimensions that it stores, such as `j` or `i / 4`.
    pub expression: String,
    /// `true` if it has every coordinate below each position of the level above.
    pub is_full: bool,
    /// `true` if no coordinate is repeated below a position of the level above.
    pub is_unique: bool,
}

/// A statement, or several with common loops.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statement {
    /// The name of its function.
    pub name: String,
    /// The stages that print themselves, in order.
    pub stages: Vec<Stage>,
    /// The edges of the iteration graph.
    pub edges: Vec<Edge>,
    /// The loops, outer ones first.
    pub loops: Vec<Loop>,
}

/// The result of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The name, such as `merge lattices`.
    pub name: String,
    /// For a pass over the imperative representation, its reason; empty otherwise.
    pub reason: String,
    /// The result.
    pub text: String,
}

/// An edge of an iteration graph: the loop over `before` contains the loop over `after`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The outer variable.
    pub before: String,
    /// The inner variable.
    pub after: String,
    /// The access of which the edge is, `A[i,j]`, the command of the schedule, or `block`.
    pub reason: String,
    /// `true` if the result demands it.
    pub is_of_result: bool,
}

impl Statement {
    /// Returns the text of a stage; empty if it did not run.
    pub fn stage(&self, name: &str) -> &str {
        let found = self.stages.iter().find(|stage| stage.name == name);
        found.map_or("", |stage| &stage.text)
    }

    /// Returns the stages that follow the merge lattices and change the function: its first form, and
    /// the passes that found something to do.
    pub fn passes(&self) -> impl Iterator<Item = (&Stage, &Stage)> {
        let is_code = |stage: &&Stage| stage.name == "lowered" || !stage.reason.is_empty();
        let stages: Vec<&Stage> = self.stages.iter().filter(is_code).collect();
        let pairs: Vec<_> = stages.windows(2).map(|pair| (pair[0], pair[1])).collect();
        pairs.into_iter().filter(|(before, after)| before.text != after.text)
    }
}

impl Compiler {
    /// Compiles a manifest and returns the stages of each kernel; `name` is the file name of the
    /// manifest.
    ///
    /// # Errors
    /// Returns the errors in the manifest.
    pub fn inspect(&self, name: &str, text: &str) -> Result<Inspection, Diagnostics> {
        let mut inspector = Inspector::default();
        let output = self.run(name, text, Some(&mut inspector));
        if !output.diagnostics.is_empty() {
            return Err(output.diagnostics);
        }
        let is_lazy = manifest::parse(text).0.defaults.lazy;
        let mut kernels = inspector.kernels;
        for (kernel, compiled) in kernels.iter_mut().zip(output.kernels) {
            let docs = compiled.entries.first().map(|entry| entry.docs.clone());
            kernel.docs = docs.unwrap_or_default();
            let mut times = kernel.docs.iter().filter(|line| line.starts_with("Time: "));
            kernel.time = times.next().cloned().unwrap_or_default();
            kernel.add_arguments(&compiled);
            let marked = emit(&module(name, output.formats.clone(), compiled, is_lazy));
            kernel.lines = source::unmarked(&marked);
        }
        // Marks may hinder a pass, so the lines are those of the source without marks.
        let plain = self.compile_str(name, text);
        for (kernel, compiled) in kernels.iter_mut().zip(plain.kernels) {
            kernel.source = emit(&module(name, plain.formats.clone(), compiled, is_lazy));
            kernel.lines = source::aligned(&kernel.source, &kernel.lines);
        }
        Ok(Inspection { kernels })
    }
}

/// Returns a module of one kernel.
fn module(
    name: &str,
    formats: Vec<ir::FormatDeclaration>,
    kernel: ir::Kernel,
    is_lazy: bool,
) -> ir::Module {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    ir::Module { manifest: name.to_owned(), version, formats, kernels: vec![kernel], is_lazy }
}

/// Collects what the stages print.
#[derive(Default)]
struct Inspector {
    kernels: Vec<Kernel>,
    /// The number of the next loop of the kernel.
    loops: usize,
}

impl Inspector {
    fn statement(&mut self, name: &str) -> Option<&mut Statement> {
        let statements = &mut self.kernels.last_mut()?.statements;
        let known = statements.iter().position(|statement| statement.name == name);
        let k = known.unwrap_or_else(|| {
            statements.push(Statement { name: name.to_owned(), ..Statement::default() });
            statements.len() - 1
        });
        statements.get_mut(k)
    }
}

impl Observer for Inspector {
    fn begin(&mut self, block: &Block<'_>, name: &str) {
        self.loops = 0;
        let mut tensors: Vec<Tensor> = Vec::new();
        for kernel in block.statements {
            for tensor in arguments(kernel) {
                match tensors.iter_mut().find(|known| known.name == tensor.name) {
                    Some(known) => known.is_result |= tensor.is_result,
                    None => tensors.push(tensor),
                }
            }
        }
        let span = block.statements.first().map(|statement| statement.span).unwrap_or_default();
        self.kernels.push(Kernel { name: name.to_owned(), span, tensors, ..Kernel::default() });
    }

    fn stage(&mut self, statement: &str, stage: &str, show: &dyn Fn() -> String) {
        let pass = optimize::PASSES.iter().find(|pass| pass.name == stage);
        let reason = pass.map_or(String::new(), |pass| pass.reason.to_owned());
        let shown = Stage { name: stage.to_owned(), reason, text: show().trim_end().to_owned() };
        if let Some(statement) = self.statement(statement) {
            statement.stages.push(shown);
        }
    }

    fn identifiers(&mut self, identifiers: &Identifiers) {
        if let Some(kernel) = self.kernels.last_mut() {
            let names = identifiers.given();
            kernel.names =
                names.map(|(name, of)| source::meaning(name, of, &kernel.tensors)).collect();
            let tensors = kernel.tensors.iter();
            let arguments = tensors.map(|tensor| (tensor.argument.clone(), Meaning::of(tensor)));
            kernel.names.extend(arguments);
        }
    }

    fn plan(&mut self, statement: &str, program: &Program, plan: &mut Plan) {
        plan.number(&mut self.loops);
        let edges = edges(program);
        let loops = loops::of(program, plan, &iterations(program, plan));
        if let Some(statement) = self.statement(statement) {
            (statement.edges, statement.loops) = (edges, loops);
        }
    }

    fn warnings(&mut self, warnings: &Diagnostics) {
        if let Some(kernel) = self.kernels.last_mut() {
            kernel.warnings = warnings.clone();
        }
    }
}

/// Returns the arguments and the result of a statement.
fn arguments(kernel: &notation::Kernel) -> Vec<Tensor> {
    let arguments = kernel.tensor_ids().filter(|id| kernel.tensor(*id).role.is_argument());
    let modes_of = |id| {
        let accesses = kernel.accesses.iter().chain([&kernel.assignment.result]);
        let access = accesses.into_iter().find(|access| access.tensor == id);
        access.map_or(Vec::new(), |access| access.indices.clone())
    };
    let tensor = |id| {
        let tensor = kernel.tensor(id);
        let modes = modes_of(id).into_iter();
        let modes: Vec<String> = modes.map(|v| kernel.variable(v).name.clone()).collect();
        let map = tensor.format.to_string();
        Tensor {
            name: tensor.name.clone(),
            argument: tensor.argument.clone(),
            modes,
            format: tensor.format.name.clone().unwrap_or_else(|| map.clone()),
            levels: levels(&tensor.format, &map),
            dtype: tensor.dtype.to_string(),
            is_pattern: tensor.pattern,
            marker: String::new(),
            is_result: tensor.role == TensorRole::Result,
            is_scalar: tensor.by_value,
            dimensions: dimensions(&map),
        }
    };
    arguments.map(tensor).collect()
}

/// Returns the dimensions of a map, before the arrow.
fn dimensions(map: &str) -> Vec<String> {
    let before = map.split_once("->").map_or("", |(before, _)| before);
    let names = before.split(|c: char| !c.is_alphanumeric() && c != '_');
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Returns the levels of a format. The map has them in the same order, after the arrow.
fn levels(format: &Format, map: &str) -> Vec<Level> {
    let text = map.split_once("->").map_or(map, |(_, levels)| levels).trim();
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let (mut texts, mut depth) = (vec![String::new()], 0);
    for c in inner.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        match (c, depth, texts.last_mut()) {
            (',', 0, _) => texts.push(String::new()),
            (c, _, Some(last)) => last.push(c),
            (_, _, None) => {}
        }
    }
    let level = |(text, spec): (String, &LevelSpec)| {
        let text = text.trim().to_owned();
        Level {
            expression: text.split(" : ").next().unwrap_or_default().to_owned(),
            is_full: spec.properties.full,
            is_unique: spec.properties.unique,
            text,
        }
    };
    texts.into_iter().zip(&format.levels).map(level).collect()
}

fn edges(program: &Program) -> Vec<Edge> {
    let Some(graph) = IterationGraph::of(program) else { return Vec::new() };
    let kernel = &program.kernel;
    let edge = |edge: &crate::iteration::graph::Edge| Edge {
        before: kernel.variable(edge.before).name.clone(),
        after: kernel.variable(edge.after).name.clone(),
        reason: match &edge.reason {
            Reason::Operand(access) | Reason::Result(access) => kernel.show_access(access),
            Reason::Block => "block".to_owned(),
            Reason::Schedule(command) => command.clone(),
        },
        is_of_result: matches!(edge.reason, Reason::Result(_)),
    };
    graph.edges.iter().map(edge).collect()
}

#[cfg(test)]
mod tests;
