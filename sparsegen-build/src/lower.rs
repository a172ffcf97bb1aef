//! Lowering: generates the imperative representation of a plan.
//!
//! Merge points become loops and cases, level functions are inlined, and code for the assembly of
//! results is added. The output contains only arrays, loops and conditions, and no sparse
//! constructs.

mod affine;
mod arg_reduction;
mod assembly;
mod blocks;
mod bounds;
mod capacity;
mod carried;
mod cases;
mod combine;
pub mod complexity;
pub mod distribution;
mod docs;
mod entries;
pub mod entry;
mod extents;
mod fixed;
mod gallop;
mod limits;
mod loops;
mod merge;
mod names;
mod operands;
mod origin;
mod parallel;
mod phases;
mod reorder;
mod report;
mod rest;
mod resumed;
mod scope;
mod sizes;
mod slices;
mod sorted_copy;
mod storages;
pub mod structural;
mod subscripts;
#[cfg(test)]
mod tests;
mod traits;
mod unroll;
mod value;
mod variables;
mod work;
mod workspace;

use std::collections::{BTreeMap, BTreeSet};

use crate::concrete::parted::Parted;
use crate::concrete::{Program, Target, Temporary};
use crate::ir::{self, Callee, Expr, Stmt};
use crate::iteration::plan::{Plan, either};
use crate::level::Storage;
use crate::names::{Identifiers, beside};
use crate::notation::{self, Access, ReduceOp, TensorId, VariableId};
use crate::types::Dtype;
use combine::Combine;

use assembly::{Assembler, Purpose};
use names::Names;
pub use report::show_assembly;
use rest::Repetition;
use scope::Scope;
use sorted_copy::{SortedCopy, sorted_copies};
use storages::storages;

/// Lowers a planned program to a function. Its names are chosen among the identifiers of its
/// kernel.
pub fn lower(program: &Program, plan: &Plan, identifiers: &mut Identifiers) -> ir::Function {
    let parted = program.threads.as_ref().and_then(|parted| parted.as_ref().ok());
    let mut function = lower_for(program, plan, Purpose::Assemble, parted).with_fallible_growth();
    if Assembler::can_compute_all(program) {
        let divided = parted.filter(|parted| Assembler::divides_values(program, parted));
        let mut compute = lower_for(program, plan, Purpose::Compute, divided);
        compute.name = beside(&function.name, "compute");
        function.compute = Some(Box::new(compute));
    }
    Names::of(program).assign_identifiers(&mut function, identifiers);
    function
}

fn lower_for<'p>(
    program: &'p Program,
    plan: &Plan,
    purpose: Purpose,
    parted: Option<&'p Parted>,
) -> ir::Function {
    let phases = phases::of(plan, parted);
    let whole = plan;
    let plan = phases.last().map_or(plan, |phase| phase.consumer);
    let mut function = lower_loops(program, (plan, whole), purpose, parted);
    function.given = phases::given(program, &phases);
    if purpose == Purpose::Assemble {
        function.phases = phases::lower(program, &phases);
    }
    let mut divisions = function.phases.iter().filter_map(|phase| phase.division.clone());
    function.division = function.division.or_else(|| divisions.next());
    function
}

/// Lowers a plan, which may be the end of a whole one.
fn lower_loops<'p>(
    program: &'p Program,
    (plan, whole): (&Plan, &Plan),
    purpose: Purpose,
    parted: Option<&'p Parted>,
) -> ir::Function {
    let mut lowering = Lowering::new(program, plan, parted);
    let assembler = |(k, target)| {
        let purpose = match Assembler::can_compute(program, target) {
            true => purpose,
            false => Purpose::Assemble,
        };
        let parted = parted.map(|parted| (parted, parted.stores[k]));
        let Lowering { names, storages, .. } = &lowering;
        Assembler::of(program, target, plan, names, storages, purpose, parted)
    };
    let assemblers = program.targets.iter().enumerate().map(assembler).collect();
    lowering.assemblers = assemblers;
    let mut body = extents::blocks(program, &lowering.names);
    body.extend(lowering.assemblers.iter().flat_map(Assembler::begin));
    body.extend(lowering.workspaces());
    body.extend(lowering.nested_copies(plan));
    if lowering.assemblers.iter().any(Assembler::counts_first) {
        lowering.assemblers.iter_mut().for_each(|of| of.set_purpose(Purpose::Count));
        body.extend(lowering.plan(plan, &Scope::default()));
        body.extend(lowering.assemblers.iter().flat_map(Assembler::end_first_pass));
        lowering.assemblers.iter_mut().for_each(|of| of.set_purpose(Purpose::Fill));
        body.extend(lowering.assemblers.iter().flat_map(Assembler::begin_second_pass));
    }
    body.extend(lowering.plan(plan, &Scope::default()));
    body.extend(lowering.assemblers.iter().flat_map(Assembler::end));
    reuse_vectors(&mut body);
    let targets = program.targets.iter().zip(&lowering.assemblers);
    let results = targets.map(|(target, of)| lowering.result(target, of)).collect();
    lowering.finish((plan, whole), body, results)
}

/// Clears local vectors where a second pass or term declares them again.
fn reuse_vectors(body: &mut [Stmt]) {
    let mut declared = BTreeSet::new();
    for stmt in body {
        if let Stmt::Scratch { name, .. } = stmt
            && !declared.insert(name.clone())
        {
            *stmt = Stmt::Clear { array: name.clone() };
        }
    }
}

struct Lowering<'p> {
    program: &'p Program,
    names: Names,
    /// The storage of every level of every tensor.
    storages: Vec<Vec<Storage>>,
    /// The sorted copies of entries that iterators fill.
    copies: Vec<SortedCopy>,
    /// The assemblers of the results.
    assemblers: Vec<Assembler<'p>>,
    /// The outermost loop, if it is divided into parts.
    parted: Option<&'p Parted>,
    /// The temporaries of which each part computes a value.
    reductions: &'p [Temporary],
    /// The values of scalar results computed so far.
    scalars: BTreeMap<TensorId, Expr>,
    /// The repetitions of the statements that are lowered, outermost first.
    repetitions: Vec<Repetition>,
    /// The variables of the enclosing loops whose first coordinate without an entry is recorded.
    gaps: Vec<VariableId>,
    /// The statements that run before the loop over a variable, for loops within that resume.
    begun: Vec<(VariableId, Stmt)>,
    /// For each loop that resumes so far, the variable from which it does, without its number.
    resuming: Vec<String>,
}

impl<'p> Lowering<'p> {
    /// Returns the state before the loops, without assemblers of results.
    fn new(program: &'p Program, plan: &Plan, parted: Option<&'p Parted>) -> Lowering<'p> {
        let names = Names::of(program);
        Lowering {
            program,
            copies: sorted_copies(program, plan, &names, parted),
            storages: storages(program, &names),
            names,
            assemblers: Vec::new(),
            parted,
            reductions: parted.map_or(&[], |parted| &parted.reductions),
            scalars: BTreeMap::new(),
            repetitions: Vec::new(),
            gaps: Vec::new(),
            begun: Vec::new(),
            resuming: Vec::new(),
        }
    }
}

impl Lowering<'_> {
    fn plan(&mut self, plan: &Plan, scope: &Scope) -> Vec<Stmt> {
        match plan {
            Plan::Loop(inner) => self.run(inner, scope),
            Plan::Where { temporaries, consumer, producer } => {
                self.with_temporaries(temporaries, consumer, producer, scope)
            }
            Plan::Assign { target, accumulate, value } => {
                origin::continued(scope, self.assign(target, *accumulate, value, scope))
            }
            Plan::If { condition, body } => {
                let condition = self.number(condition, Dtype::Bool, scope);
                Stmt::when(condition, self.plan(body, scope))
            }
            Plan::Sequence(plans) => match either(plans) {
                Some((condition, holds, otherwise)) => {
                    let condition = self.number(condition, Dtype::Bool, scope);
                    let arms = vec![(condition, self.plan(holds, scope))];
                    Stmt::choose(arms, self.plan(otherwise, scope))
                }
                None => {
                    plans.iter().flat_map(|plan| self.in_sequence(plans, plan, scope)).collect()
                }
            },
            Plan::Visit(v) => self.visit(*v, scope),
        }
    }

    fn assign(
        &mut self,
        target: &Access,
        accumulate: Option<ReduceOp>,
        whole: &notation::Expr,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let (condition, value) = self.guarded(target.tensor, whole, accumulate, scope);
        let found = scope.found(target.tensor, accumulate, value);
        if condition.is_some()
            && target.indices.is_empty()
            && !self.program.kernel.is_temporary(target.tensor)
            || self.assembler(target.tensor).is_some_and(Assembler::must_store)
        {
            let dtype = self.program.tensor(target.tensor).dtype;
            let value = self.value(whole, dtype, scope);
            let value = self.repeated(target.tensor, accumulate, value);
            return self.assign_value(target, accumulate, value, found, false, scope);
        }
        if accumulate.is_some_and(|op| op.is_annihilated_by(whole)) {
            return self.annihilate(target.tensor, whole, scope);
        }
        if let Some(op) = accumulate.filter(|op| op.tells_where) {
            let stmts = self.choose(target.tensor, op, value, scope);
            return self.under(condition, stmts, scope);
        }
        let filter = self.assembler(target.tensor).is_some_and(|result| result.filters(value));
        let dtype = self.program.tensor(target.tensor).dtype;
        let value = match accumulate.is_none_or(|op| op == ReduceOp::SUM) {
            true => self.value(value, dtype, scope),
            false => self.number(value, dtype, scope),
        };
        let value = self.repeated(target.tensor, accumulate, value);
        let stmts = self.assign_value(target, accumulate, value, found, filter, scope);
        self.under(condition, stmts, scope)
    }

    fn assign_value(
        &mut self,
        target: &Access,
        accumulate: Option<ReduceOp>,
        value: Expr,
        found: Option<Stmt>,
        filter: bool,
        scope: &Scope,
    ) -> Vec<Stmt> {
        if self.program.kernel.is_temporary(target.tensor) {
            let name = self.names.argument(target.tensor);
            // Precedes statements that may exit the loop.
            let mut stmts: Vec<Stmt> = found.into_iter().collect();
            if !target.indices.is_empty() {
                stmts.extend(self.enter(target, accumulate, value, scope));
                return stmts;
            }
            stmts.push(match accumulate {
                Some(op) => {
                    let dtype = self.program.tensor(target.tensor).dtype;
                    Combine::reducing(&self.program.kernel, op, dtype).assign(name, value)
                }
                None => Stmt::assign(name, value),
            });
            return stmts;
        }
        if target.indices.is_empty() {
            // Several terms of a scalar at the outermost level are combined into one expression.
            let value = match self.scalars.remove(&target.tensor) {
                Some(before) if accumulate.is_some() => {
                    let add = self.program.kernel.semiring.add;
                    let dtype = self.program.tensor(target.tensor).dtype;
                    Combine::by(&self.program.kernel, add, dtype).of(before, value)
                }
                Some(_) | None => value,
            };
            self.scalars.insert(target.tensor, value);
            return Vec::new();
        }
        let assembler = self.assembler(target.tensor);
        let assembler = assembler.expect("a tensor is a temporary or a result of the program");
        assembler.store(accumulate, value, filter, scope)
    }

    /// Returns the assembler of a tensor, if it is a result.
    fn assembler(&self, tensor: TensorId) -> Option<&Assembler<'_>> {
        self.assemblers.iter().find(|assembler| assembler.tensor() == tensor)
    }

    /// Returns the function with this body and these results.
    fn finish(
        self,
        (plan, whole): (&Plan, &Plan),
        mut body: Vec<Stmt>,
        mut results: Vec<ir::Result>,
    ) -> ir::Function {
        body.splice(0..0, self.begin_part());
        let program = self.program;
        let kernel = &program.kernel;
        let operands: Vec<TensorId> = self.operands();
        let division = self.division(&body);
        let unchecked = self.unchecked(&results, &body);
        let parallel = self.parallel(plan, &body, &results);
        let others = results.split_off(1);
        let result = results.pop().expect("loops have a result");
        let time = complexity::time(program, whole);
        let mut function = ir::Function {
            name: kernel.name.clone(),
            docs: docs::docs(program, whole, &time),
            time,
            operands: operands.iter().map(|id| self.operand(*id)).collect(),
            conversions: self.conversions(&operands),
            sizes: self.sizes(&operands),
            parts: self.parts(&operands),
            gathers: self.gathers(&operands),
            result,
            others,
            bounds: self.program.bounds(),
            unchecked,
            traits: traits::traits(program),
            division,
            unroll: self.unrolled(plan),
            reassociates: kernel.reassociate,
            simd: kernel.simd,
            is_vectorized: false,
            parallel,
            phases: Vec::new(),
            given: Vec::new(),
            body,
            compute: None,
        };
        function.restate_bounds();
        function
    }

    /// Returns a result in the form of the function's signature.
    fn result(&self, target: &Target, assembler: &Assembler<'_>) -> ir::Result {
        let cover = target.is_partial.then(|| self.cover(&target.access));
        if let Some(result) = assembler.result(cover) {
            return ir::Result::Tensor(result);
        }
        let id = target.access.tensor;
        let dtype = self.program.tensor(id).dtype;
        let value = self.scalars.get(&id).cloned().unwrap_or_else(|| self.zero(dtype));
        let updates = target.is_update.then(|| ir::UpdatedScalar {
            name: self.names.argument(id).to_owned(),
            adds: target.in_place,
        });
        ir::Result::Scalar { dtype, value, updates }
    }

    /// Returns the name of the helper for integer divisions, if the loops divide integers.
    fn division(&self, body: &[Stmt]) -> Option<String> {
        let mut divides = false;
        let mut look = |expr: &Expr| {
            expr.for_each(&mut |part| {
                divides |= matches!(part, Expr::Call(Callee::Quotient | Callee::Remainder, ..));
            });
        };
        self.scalars.values().for_each(&mut look);
        for stmt in body {
            stmt.for_each(&mut |stmt| stmt.expressions().into_iter().for_each(&mut look));
        }
        divides.then(|| self.names.division().to_owned())
    }
}

/// Returns the initial value of a reduction.
fn initial(kernel: &notation::Kernel, op: ReduceOp, dtype: Dtype) -> Expr {
    match op == ReduceOp::SUM {
        true => value::zero(kernel, dtype),
        false => value::literal(op.of_nothing(), dtype),
    }
}
