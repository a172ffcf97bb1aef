//! Temporaries: scalars of reductions, and workspaces, which are filled before they are read.
//!
//! A workspace that is read in order lists its entries. One that is looked up is cleared before it is
//! filled again, in time proportional to its entries. A workspace with a value for each coordinate
//! is an array.

use std::borrow::Cow;
use std::sync::Arc;

use crate::concrete::{Program, Temporary};
use crate::ir::{Element, Expr, Stmt};
use crate::iteration::plan::{Loop, Plan};
use crate::iteration::presence::{annihilates, for_each_constant, found, has_one_value};
use crate::iteration::resumed::Resumed;
use crate::iteration::visits::{covered, reduced};
use crate::notation::{Access, Expr as Value, Function, Reduce, ReduceOp, TensorId, VariableId};
use crate::types::{Dtype, Literal, Width};

use super::assembly::Assembler;
use super::combine::Combine;
use super::origin::continued;
use super::scope::{Flag, Scope};
use super::value::literal;
use super::{Lowering, initial};

impl Lowering<'_> {
    /// Returns the declarations of the workspaces, which all loops share.
    pub(super) fn workspaces(&self) -> Vec<Stmt> {
        let workspaces = self.program.workspaces().into_iter();
        workspaces.flat_map(|access| self.declare(access)).collect()
    }

    fn declare(&self, access: &Access) -> Vec<Stmt> {
        let dtype = self.program.tensor(access.tensor).dtype;
        if self.program.is_listed(access.tensor) || self.program.is_looked_up(access.tensor) {
            let name = self.names.argument(access.tensor);
            // The positions below several modes are recorded.
            let width = match access.indices[..] {
                [v] => self.width(v),
                _ => Width::Usize,
            };
            return vec![Stmt::Workspace {
                name: name.to_owned(),
                dtype,
                crd: width,
                size: (!self.program.is_hashed(access.tensor))
                    .then(|| self.workspace_size(access.tensor)),
                initial: self.unwritten(access.tensor),
                is_listed: true,
            }];
        }
        vec![Stmt::scratch(&self.names.values(access.tensor), Element::Value(dtype))]
    }

    /// Returns the value with which the first one is combined in a workspace that records its entries.
    /// The minimum or maximum of NaN alone is NaN.
    fn unwritten(&self, workspace: TensorId) -> Expr {
        let dtype = self.program.tensor(workspace).dtype;
        match self.kept_reduction(workspace).map(|reduce| reduce.op) {
            Some(ReduceOp::MIN | ReduceOp::MAX) if has_nan(dtype) => literal(Literal::Nan, dtype),
            _ => self.fill(workspace),
        }
    }

    /// Returns the reduction that a workspace keeps.
    fn kept_reduction(&self, workspace: TensorId) -> Option<&Reduce> {
        let mut parts = self.program.precomputed.iter();
        let part = parts.find(|part| part.workspace.tensor == workspace && !part.is_copy)?;
        if let Value::Reduce(reduce) = &part.value { Some(reduce) } else { None }
    }

    /// Returns the number of positions of a workspace: the product of its extents.
    fn workspace_size(&self, workspace: TensorId) -> Expr {
        let sizes = self.storages[workspace.0].iter().map(|storage| storage.size.clone());
        sizes.fold(Expr::Index(1), Expr::mul)
    }

    /// Returns the narrowest width that holds all coordinates of a variable. It is the width of a
    /// tensor that stores coordinates of the same mode.
    fn width(&self, v: VariableId) -> Width {
        let Program { kernel, space, .. } = self.program;
        let results = self.program.targets.iter().map(|target| &target.access);
        let accesses = results.chain(&kernel.accesses);
        let levels = accesses.flat_map(|access| {
            let format = &self.program.tensor(access.tensor).format;
            format.levels.iter().enumerate().map(move |(level, spec)| (access, level, spec))
        });
        let holds = levels.filter_map(|(access, level, spec)| {
            let stored = self.program.level_variable(access, level)?;
            if space.slice(stored).is_some_and(|slice| slice.range().is_none()) {
                return None;
            }
            let counted = space.counted(stored);
            let is_measured = !self.program.kernel.is_temporary(access.tensor)
                && !spec.expr.may_be_negative()
                && !spec.expr.modes().is_empty();
            (is_measured && spec.has_coordinates() && counted == v).then_some(spec.crd)
        });
        let holds: Vec<Width> = holds.collect();
        Width::ALL.into_iter().find(|width| holds.contains(width)).unwrap_or(Width::Usize)
    }

    /// Lowers `consumer where producer`.
    pub(super) fn with_temporaries(
        &mut self,
        temporaries: &[Temporary],
        consumer: &Plan,
        producer: &Plan,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let (mut stmts, producing) = self.produced(temporaries, consumer, producer, scope);
        let mut consuming = Cow::Borrowed(scope);
        if temporaries.iter().any(|it| self.is_of_parts(it.tensor)) {
            consuming.to_mut().complete = producing.complete;
        }
        stmts.extend(self.plan(consumer, &consuming));
        stmts
    }

    /// Returns the statements that fill temporaries, and the scope of the producer.
    pub(super) fn produced(
        &mut self,
        temporaries: &[Temporary],
        consumer: &Plan,
        producer: &Plan,
        scope: &Scope,
    ) -> (Vec<Stmt>, Scope) {
        let mut producing = scope.clone();
        producing.produces = true;
        let (mut stmts, mut after) = (Vec::new(), Vec::new());
        for temporary in temporaries {
            let id = temporary.tensor;
            self.repetitions.iter_mut().for_each(|repetition| repetition.own.push(id));
            let is_guard = matches!(consumer, Plan::If { condition, .. }
                if condition.conjuncts().contains(&&found(id)));
            let how = Consumed {
                reads_presence: consumer.reads_presence(id),
                is_guard,
                is_part: is_part(consumer, *temporary),
            };
            let (begin, end) = self.around(*temporary, producer, how, &mut producing);
            stmts.extend(begin);
            after.push(end);
        }
        let begun = self.begun.len();
        let produced = self.plan(producer, &producing);
        // The sums of a loop that resumes are kept.
        if let Plan::Loop(Loop { resumes: Some(Resumed { around, .. }), .. }) = producer
            && self.begun.len() > begun
        {
            self.begun.extend(stmts.drain(..).map(|stmt| (*around, stmt)));
        }
        stmts.extend(produced);
        let mut between = Vec::new();
        for (temporary, end) in temporaries.iter().zip(after) {
            between.extend(self.replace_invalid(temporary.tensor, &producing));
            between.extend(end);
        }
        stmts.extend(continued(scope, between));
        (stmts, producing)
    }

    /// Returns the statements before and after the loops that fill a temporary.
    fn around(
        &self,
        Temporary { tensor: temporary, op }: Temporary,
        producer: &Plan,
        Consumed { reads_presence, is_guard, is_part }: Consumed,
        producing: &mut Scope,
    ) -> (Vec<Stmt>, Vec<Stmt>) {
        let name = self.names.argument(temporary).to_owned();
        if self.program.is_listed(temporary) {
            let [crd] = &self.storages[temporary.0][0].arrays[..] else {
                unreachable!("the level of a workspace has one array")
            };
            let harvest = Stmt::harvest(&name, &crd.1, &self.names.values(temporary));
            return (Vec::new(), vec![harvest]);
        }
        if !self.program.tensor(temporary).format.levels.is_empty() {
            let mut stmts = self.clear(Temporary { tensor: temporary, op }, producer, producing);
            if reads_presence {
                let flag = self.names.found(temporary);
                stmts.push(Stmt::bind_mut(&flag, Expr::Bool(false)));
                producing.flags.insert(temporary, Flag { name: flag, is_of_one: false });
            }
            return (stmts, Vec::new());
        }
        let (flag, annihilates) = (self.names.found(temporary), annihilates(producer, temporary));
        let covered = covered(producer, temporary);
        if covered.is_some() {
            producing.complete.insert(temporary);
        }
        // NaN is the identity of a minimum or maximum of which this one is a part.
        let covered = covered.or_else(|| is_part.then(Vec::new));
        let invalid_coordinate = self.invalid_coordinate(temporary, producing);
        let initial = invalid_coordinate.unwrap_or_else(|| self.initial(temporary, op, covered));
        let mut stmts = vec![Stmt::bind_mut(&name, initial)];
        stmts.extend(self.declare_key(temporary, op));
        if annihilates || reads_presence {
            let is_empty = self.is_over_nothing(temporary, op, producer);
            let initial = if annihilates { Expr::Bool(true) } else { is_empty };
            // Loops may exit early at a zero, so the values that they compute are declared after
            // the flag.
            let at = if annihilates { 0 } else { stmts.len() };
            stmts.insert(at, Stmt::bind_mut(&flag, initial));
            if annihilates {
                producing.products.insert(temporary, flag.clone());
            } else {
                let is_of_one = has_one_value(self.program, producer);
                producing.flags.insert(temporary, Flag { name: flag.clone(), is_of_one });
            }
        }
        let mut after = Vec::new();
        if annihilates && !is_guard {
            let zero = literal(Literal::Int(0), self.program.tensor(temporary).dtype);
            after.extend(Stmt::when(Expr::not(Expr::var(&flag)), vec![Stmt::assign(&name, zero)]));
        }
        (stmts, after)
    }

    /// Returns the initial value of a reduction. The minimum or maximum of all coordinates is NaN
    /// if all values are NaN; over an empty range, it is the identity element.
    fn initial(&self, temporary: TensorId, op: ReduceOp, covered: Option<Vec<VariableId>>) -> Expr {
        let dtype = self.program.tensor(temporary).dtype;
        let identity = initial(&self.program.kernel, op, dtype);
        match (op, covered) {
            (ReduceOp::MIN | ReduceOp::MAX, Some(over)) if has_nan(dtype) => {
                let is_empty = over.into_iter().map(|v| Expr::eq(self.extent(v), Expr::Index(0)));
                let is_empty = is_empty.reduce(Expr::or).unwrap_or(Expr::Bool(false));
                Expr::choose(is_empty, identity, literal(Literal::Nan, dtype))
            }
            (_, _) => identity,
        }
    }

    /// Records that an unstored zero annihilates a product, if the mask includes the value.
    pub(super) fn annihilate(
        &mut self,
        temporary: TensorId,
        value: &Value,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let missing = vec![Stmt::assign(&scope.products[&temporary], Expr::Bool(false))];
        let Value::Call(Function::Mask, masked) = value else { return missing };
        let access = Access { tensor: temporary, indices: Vec::new() };
        let condition = self.number(&masked[0], Dtype::Bool, scope);
        let inside = self.assign(&access, Some(ReduceOp::PROD), &masked[1], scope);
        Stmt::choose(vec![(condition, inside)], missing)
    }

    /// Returns the condition that a reduction of constants is over an empty range, whose result
    /// differs from the value of the constants.
    fn is_over_nothing(&self, temporary: TensorId, op: ReduceOp, producer: &Plan) -> Expr {
        let mut over: Vec<VariableId> = Vec::new();
        for_each_constant(producer, temporary, &mut Vec::new(), &mut |constant, around| {
            let known = op.of_constant(constant, false);
            if known.is_some_and(|known| known != Value::Literal(op.of_nothing())) {
                over.extend(around.iter().filter(|v| !over.contains(v)).collect::<Vec<_>>());
            }
        });
        let is_empty = over.into_iter().map(|v| Expr::eq(self.extent(v), Expr::Index(0)));
        is_empty.reduce(Expr::or).unwrap_or(Expr::Bool(false))
    }

    /// Clears a workspace that is not read in order. One that is looked up is empty the first time
    /// that its loops run.
    fn clear(
        &self,
        Temporary { tensor: workspace, op }: Temporary,
        producer: &Plan,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let vals = self.names.values(workspace);
        if self.program.is_looked_up(workspace) {
            let is_first_pass = !self.assemblers.iter().any(Assembler::is_second_pass);
            return if scope.coordinates.is_empty() && is_first_pass {
                Vec::new()
            } else {
                vec![Stmt::clear(&vals)]
            };
        }
        let size = self.workspace_size(workspace);
        let initial = match op {
            ReduceOp::SUM => self.fill(workspace),
            op => {
                let kept = self.kept_reduction(workspace).map(|reduce| reduce.variables.clone());
                self.initial(workspace, op, kept.or_else(|| reduced(producer, workspace)))
            }
        };
        vec![Stmt::clear(&vals), Stmt::resize(&vals, size, initial)]
    }

    /// Stores a value in a workspace.
    pub(super) fn enter(
        &self,
        target: &Access,
        accumulate: Option<ReduceOp>,
        value: Expr,
        scope: &Scope,
    ) -> Vec<Stmt> {
        let coordinates: Vec<Expr> = target.indices.iter().map(|v| scope.coordinate(*v)).collect();
        let dtype = self.program.tensor(target.tensor).dtype;
        let op = accumulate.unwrap_or(ReduceOp::SUM);
        let add = Combine::reducing(&self.program.kernel, op, dtype);
        let (mut stmts, mut position) = (Vec::new(), Expr::Index(0));
        let levels = &self.program.tensor(target.tensor).format.levels;
        for (level, (spec, coordinate)) in levels.iter().zip(coordinates).enumerate() {
            let Some(locate) = spec.level.locate() else {
                let name = self.names.argument(target.tensor);
                return vec![add.store(name, coordinate, value)];
            };
            let storage = &self.storages[target.tensor.0][level];
            let name = self.names.position(target, level);
            let found = locate.locate(storage, position, coordinate, &name);
            stmts.extend(found.prelude);
            position = found.value;
        }
        let vals = self.names.values(target.tensor);
        stmts.push(if accumulate.is_some() {
            add.store(&vals, position, value)
        } else {
            Stmt::store(&vals, position, value)
        });
        stmts
    }
}

/// How the value of a temporary is used.
struct Consumed {
    /// `true` if code depends on whether an entry was found.
    reads_presence: bool,
    /// `true` if the consumer runs only if one was.
    is_guard: bool,
    /// `true` if the value is only combined with others by the operator of the temporary.
    is_part: bool,
}

/// Returns whether a consumer only combines the value of a temporary with others by its operator.
fn is_part(consumer: &Plan, temporary: Temporary) -> bool {
    match consumer {
        Plan::If { body, .. } => is_part(body, temporary),
        Plan::Assign { accumulate: Some(by), value: Value::Access(of), .. } => {
            *by == temporary.op && of.tensor == temporary.tensor
        }
        Plan::Sequence(plans) => {
            let reads = |plan: &&Arc<Plan>| {
                let mut reads = false;
                plan.for_each_value(&mut |value| {
                    value.for_each_access(&mut |of| reads |= of.tensor == temporary.tensor);
                });
                reads
            };
            plans.iter().filter(reads).all(|plan| is_part(plan, temporary))
        }
        _ => false,
    }
}

/// Returns whether values of a type that are compared may be NaN. Those of a generic type have the
/// trait `Float`.
fn has_nan(dtype: Dtype) -> bool {
    dtype.is_float() || dtype == Dtype::Generic
}
