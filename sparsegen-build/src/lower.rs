//! From a plan to the imperative representation: merge points become loops and cases, level
//! functions are put in place, the result is assembled.
//!
//! AFTER THIS: nothing sparse is left; whatever a level knows has become arrays, loops and
//! conditions.

mod assembly;
mod best;
mod bounds;
mod cases;
mod combine;
mod complexity;
mod docs;
mod entries;
mod extents;
mod gallop;
mod limits;
mod loops;
mod merge;
mod names;
mod once;
mod parallel;
mod places;
mod reorder;
mod room;
mod scope;
mod sizes;
mod slices;
mod storages;
mod strips;
mod sums;
#[cfg(test)]
mod tests;
mod traits;
mod unroll;
mod value;
mod variables;
mod workspace;

use crate::concrete::Program;
use crate::ir::{self, Array, Callee, Expr, Operand, Stmt};
use crate::iteration::plan::Plan;
use crate::level::Storage;
use crate::names::{Identifiers, beside};
use crate::notation::{self, Access, Parameter, ReduceOp, TensorId, TensorRole, VariableId};
use crate::types::Dtype;
use combine::Combine;

use assembly::{Assembler, Purpose};
use names::Names;
use scope::Scope;
use storages::{arrays, numbers, storages};

/// Lowers a planned program to a function, whose names get identifiers among those of its kernel.
pub fn lower(program: &Program, plan: &Plan, identifiers: &mut Identifiers) -> ir::Function {
    let parted = program.threads.as_ref().and_then(|parted| parted.as_ref().ok()).copied();
    let mut function = lower_for(program, plan, Purpose::Assemble, parted);
    if Assembler::can_compute(program) {
        let mut compute = lower_for(program, plan, Purpose::Compute, None);
        compute.name = beside(&function.name, "compute");
        function.compute = Some(Box::new(compute));
    }
    Names::of(program).settle(&mut function, identifiers);
    function
}

fn lower_for(
    program: &Program,
    plan: &Plan,
    purpose: Purpose,
    parted: Option<VariableId>,
) -> ir::Function {
    let names = Names::of(program);
    let storages = storages(program, &names);
    let part = parted.map(|v| names.part(v));
    let assembler = Assembler::of(program, plan, &names, &storages, purpose, part);
    let mut lowering = Lowering { program, names, storages, assembler, parted, scalar: None };
    let mut body = extents::blocks(program, &lowering.names);
    body.extend(lowering.assembler.begin());
    body.extend(lowering.workspaces());
    body.extend(reorder::scratch(plan, &lowering.names));
    body.extend(lowering.plan(plan, &Scope::default()));
    body.extend(lowering.assembler.end());
    lowering.finish(plan, body)
}

struct Lowering<'p> {
    program: &'p Program,
    names: Names,
    /// Every level of every tensor.
    storages: Vec<Vec<Storage>>,
    assembler: Assembler<'p>,
    /// The variable of the outermost loop, where it is run in parts.
    parted: Option<VariableId>,
    /// A scalar result, once it is computed.
    scalar: Option<Expr>,
}

impl Lowering<'_> {
    fn plan(&mut self, plan: &Plan, scope: &Scope) -> Vec<Stmt> {
        match plan {
            Plan::Loop(inner) => self.run(inner, scope),
            Plan::Where { temporary, op, consumer, producer, only_if_found } => {
                self.with_temporary((*temporary, *op), consumer, producer, only_if_found, scope)
            }
            Plan::Assign { target, accumulate, value } => {
                self.assign(target, *accumulate, value, scope)
            }
            Plan::If { condition, body } => {
                let condition = self.number(condition, Dtype::Bool, scope);
                Stmt::when(condition, self.plan(body, scope))
            }
            Plan::Sequence(plans) => match cases::either(plans) {
                Some((condition, holds, otherwise)) => {
                    let condition = self.number(condition, Dtype::Bool, scope);
                    let arms = vec![(condition, self.plan(holds, scope))];
                    Stmt::choose(arms, self.plan(otherwise, scope))
                }
                None => plans.iter().flat_map(|plan| self.plan(plan, scope)).collect(),
            },
        }
    }

    fn assign(
        &mut self,
        target: &Access,
        accumulate: Option<ReduceOp>,
        whole: &notation::Expr,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let (condition, value) = Self::guarded(whole, accumulate);
        let found = scope.found(target.tensor, accumulate, value);
        if condition.is_some()
            && target.indices.is_empty()
            && !self.program.kernel.is_temporary(target.tensor)
            || self.assembler.must_store(target)
        {
            let dtype = self.program.tensor(target.tensor).dtype;
            let value = self.value(whole, dtype, scope);
            return self.assign_value(target, accumulate, value, found, false, scope);
        }
        if accumulate.is_some_and(|op| op.is_annihilated_by(whole)) {
            return self.annihilate(target.tensor, whole, scope);
        }
        if let Some(op) = accumulate.filter(|op| op.tells_where()) {
            let stmts = self.choose(target.tensor, op, value, scope);
            return self.under(condition, stmts, scope);
        }
        let filter = self.assembler.filters(value);
        let dtype = self.program.tensor(target.tensor).dtype;
        let value = match accumulate.is_none_or(|op| op == ReduceOp::Sum) {
            true => self.value(value, dtype, scope),
            false => self.number(value, dtype, scope),
        };
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
            if !target.indices.is_empty() {
                return self.enter(target, accumulate, value, scope);
            }
            // Before what may end the search.
            let mut stmts: Vec<Stmt> = found.into_iter().collect();
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
            // Terms of a scalar follow each other at the outermost level, so their sum is an
            // expression.
            self.scalar = Some(match self.scalar.take() {
                Some(before) if accumulate.is_some() => {
                    let add = self.program.kernel.semiring.add;
                    let dtype = self.program.tensor(target.tensor).dtype;
                    Combine::by(&self.program.kernel, add, dtype).of(before, value)
                }
                Some(_) | None => value,
            });
            return Vec::new();
        }
        self.assembler.store(accumulate, value, filter, scope)
    }

    /// The function around the body.
    fn finish(self, plan: &Plan, body: Vec<Stmt>) -> ir::Function {
        let program = self.program;
        let kernel = &program.kernel;
        let operands: Vec<TensorId> = self.operands();
        let division = self.division(&body);
        let result = self.assembler.result(self.cover());
        let unchecked = self.unchecked(result.as_ref());
        let result = match result {
            Some(result) => ir::Result::Tensor(result),
            None => {
                let dtype = program.tensor(kernel.result()).dtype;
                let value = self.scalar.clone().unwrap_or_else(|| self.zero(dtype));
                let updates = kernel.is_update().then(|| ir::UpdatedScalar {
                    name: self.names.argument(kernel.result()).to_owned(),
                    adds: kernel.in_place,
                });
                ir::Result::Scalar { dtype, value, updates }
            }
        };
        ir::Function {
            name: kernel.name.clone(),
            callers: ir::Callers::Everyone,
            docs: docs::docs(program, plan),
            operands: operands.iter().map(|id| self.operand(*id)).collect(),
            conversions: self.conversions(&operands),
            sizes: self.sizes(&operands),
            parts: self.parts(&operands),
            gathers: self.gathers(&operands),
            result,
            others: Vec::new(),
            bounds: self.program.bounds(),
            unchecked,
            traits: traits::traits(program),
            division,
            unroll: self.unrolled(plan),
            parallel: self.parallel(&body),
            body,
            compute: None,
        }
    }

    /// What divides integers, if the loops do.
    fn division(&self, body: &[Stmt]) -> Option<String> {
        let mut divides = false;
        let mut look = |expr: &Expr| {
            expr.for_each(&mut |part| {
                divides |= matches!(part, Expr::Call(Callee::Quotient | Callee::Remainder, ..));
            });
        };
        self.scalar.iter().for_each(&mut look);
        for stmt in body {
            stmt.for_each(&mut |stmt| stmt.expressions().into_iter().for_each(&mut look));
        }
        divides.then(|| self.names.division().to_owned())
    }

    /// Every array of every operand, as it is read.
    fn read_arrays(&self) -> Vec<Array> {
        self.read_tensors().flat_map(|id| arrays(self.program, &self.names, id)).collect()
    }

    /// Every tensor that may be read: operands, what they are converted into, and what the result held.
    fn read_tensors(&self) -> impl Iterator<Item = TensorId> {
        let converted = self.program.kernel.converted().map(|(into, _)| into);
        self.operands().into_iter().chain(converted).chain(self.old())
    }

    fn operands(&self) -> Vec<TensorId> {
        let kernel = &self.program.kernel;
        // A scalar that is changed is an argument of its own.
        let changes = kernel.tensor(kernel.result()).by_value && kernel.is_update();
        let is_passed = |id: &TensorId| {
            let role = kernel.tensor(*id).role;
            role.is_argument() && (role != TensorRole::Result || changes)
        };
        kernel.tensor_ids().filter(is_passed).collect()
    }

    fn operand(&self, id: TensorId) -> Operand {
        let tensor = self.program.tensor(id);
        let name = self.names.argument(id).to_owned();
        if let TensorRole::Parameter(parameter) = tensor.role {
            return match parameter {
                Parameter::Index => Operand::Index { name },
                Parameter::Indices => Operand::Indices { name },
            };
        }
        if tensor.by_value {
            return Operand::Scalar { name, dtype: tensor.dtype };
        }
        Operand::Tensor(self.tensor_operand(id))
    }

    fn tensor_operand(&self, id: TensorId) -> ir::TensorOperand {
        let tensor = self.program.tensor(id);
        ir::TensorOperand {
            name: self.names.argument(id).to_owned(),
            tensor: tensor.name.clone(),
            dtype: tensor.dtype,
            format: tensor.format.marker(),
            pattern: tensor.pattern,
            arrays: arrays(self.program, &self.names, id),
            extents: numbers(self.program, &self.names, id),
        }
    }

    fn conversions(&self, operands: &[TensorId]) -> Vec<ir::Conversion> {
        let source = |of: TensorId| match operands.iter().position(|id| *id == of) {
            Some(operand) => ir::Source::Operand(operand),
            None => ir::Source::Result,
        };
        let convert = |(into, converted): (TensorId, notation::Converted)| ir::Conversion {
            of: source(converted.of),
            into: self.tensor_operand(into),
        };
        let taken = self
            .old()
            .map(|old| ir::Conversion { of: ir::Source::Result, into: self.tensor_operand(old) });
        self.program.kernel.converted().map(convert).chain(taken).collect()
    }

    /// What the result held before, if the loops read it.
    fn old(&self) -> Option<TensorId> {
        let Program { kernel, .. } = self.program;
        let reads = |old: &TensorId| {
            let is_tensor = !kernel.tensor(*old).by_value;
            is_tensor && kernel.accesses.iter().any(|access| access.tensor == *old)
        };
        kernel.previous().filter(reads)
    }
}

/// What a reduction starts from.
fn initial(kernel: &notation::Kernel, op: ReduceOp, dtype: Dtype) -> Expr {
    match op == ReduceOp::Sum {
        true => value::zero(kernel, dtype),
        false => value::literal(op.of_nothing(), dtype),
    }
}
