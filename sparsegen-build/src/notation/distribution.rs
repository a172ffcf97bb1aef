//! The distribution of a kernel among ranks: which coordinates a rank needs of each operand, and
//! which rank owns each part of the results.
//!
//! One variable is divided among the ranks. The rule is that of `sparsegen::distributed`; this module
//! derives what it depends on from the statements.

use crate::error::Diagnostic;
use crate::format::{Format, LevelExpr};
use crate::ir::Indexed;
use crate::types::{Dtype, Literal};

use super::{Access, Expr, Kernel, ReduceOp, Tensor, TensorRole, VariableId, VariableRole};

/// How the variables of a kernel index its operands and results. Variables, operands and results
/// are numbered in the order of these lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    /// The names of the index variables.
    pub variables: Vec<String>,
    /// The variable that is divided among the ranks.
    pub by: usize,
    /// The operands with modes.
    pub operands: Vec<Indexed>,
    /// The results, in the order of their first statements.
    pub results: Vec<DistributedResult>,
    /// For each variable, the sets of operands that together may have an effect: without entries of
    /// all operands of a set, the statements do nothing at a coordinate.
    pub needed: Vec<Vec<Vec<usize>>>,
}

/// A result of a distributed kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct DistributedResult {
    /// The result as a tensor.
    pub indexed: Indexed,
    /// The statement that computes it.
    pub statement: usize,
    /// The reduction over the distributed variable, if the result does not have it.
    pub reduced: Option<ReduceOp>,
    /// `true` if the statement changes an existing result.
    pub is_update: bool,
}

impl Distribution {
    /// Returns the distribution of a kernel's statements, or `None` if they are not distributed.
    ///
    /// # Errors
    /// The reason why they cannot be.
    pub fn of(statements: &[Kernel]) -> Result<Option<Distribution>, Diagnostic> {
        let Some(by) = statements.iter().find_map(|kernel| kernel.distribute.as_ref()) else {
            return Ok(None);
        };
        let mut builder = Builder { all: Distribution::default(), by: &by.text };
        for kernel in statements {
            builder.add_variables(kernel);
        }
        let variables = &builder.all.variables;
        let known = variables.iter().position(|name| *name == by.text);
        builder.all.by = known.ok_or_else(|| {
            let names = variables.iter().map(String::as_str);
            let message = format!("no statement has the index variable `{}`", by.text);
            Diagnostic::new(by.span, message).suggest(&by.text, names, "the index variables")
        })?;
        for (number, kernel) in statements.iter().enumerate() {
            builder.add(number, kernel, &statements[..number])?;
        }
        for (number, kernel) in statements.iter().enumerate() {
            builder.check(number, kernel)?;
        }
        builder.determine(statements);
        Ok(Some(builder.all))
    }

    /// Returns the variables of outermost modes other than the one that is divided: the coordinates
    /// of these have other numbers on each rank.
    fn renumbered(&self) -> Vec<usize> {
        let results = self.results.iter().map(|result| &result.indexed);
        let all = self.operands.iter().chain(results);
        let firsts = all.filter_map(|indexed| indexed.variables.get(indexed.outermost).copied());
        firsts.filter(|first| *first != self.by).collect()
    }
}

/// Returns the mode that is distributed: the one that the first level stores, or the first mode if it
/// stores none alone.
fn outermost(format: &Format) -> usize {
    match format.levels.first().map(|level| &level.expr) {
        Some(LevelExpr::Dimension(mode)) => *mode,
        Some(LevelExpr::Count(_) | LevelExpr::Computed(_)) | None => 0,
    }
}

struct Builder<'s> {
    all: Distribution,
    by: &'s str,
}

impl Builder<'_> {
    fn variable(&mut self, name: &str) -> usize {
        let known = self.all.variables.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.all.variables.push(name.to_owned());
            self.all.variables.len() - 1
        })
    }

    /// Adds the index variables of a statement.
    fn add_variables(&mut self, kernel: &Kernel) {
        for variable in kernel.looped_variables() {
            if kernel.variable(variable).role == VariableRole::Index {
                self.variable(&kernel.variable(variable).name);
            }
        }
    }

    /// Adds the operands and the result of a statement.
    fn add(&mut self, number: usize, kernel: &Kernel, before: &[Kernel]) -> Result<(), Diagnostic> {
        for access in &kernel.accesses {
            let tensor = kernel.tensor(access.tensor);
            check_tensor(tensor)?;
            let is_result =
                before.iter().any(|other| other.tensor(other.result()).name == tensor.name);
            let indexed = self.indexed(kernel, access)?;
            if tensor.role != TensorRole::Operand || access.indices.is_empty() {
                continue;
            }
            if is_result {
                self.check_earlier(tensor, &indexed)?;
                continue;
            }
            match self.all.operands.iter().find(|known| known.name == tensor.name) {
                None => self.all.operands.push(indexed),
                Some(known) if *known == indexed => {}
                Some(known) => {
                    let shown = |of: &Indexed| self.show(of);
                    let message = format!(
                        "`{}` and `{}` need different parts of one operand",
                        shown(known),
                        shown(&indexed)
                    );
                    let name = &tensor.name;
                    return Err(Diagnostic::new(tensor.span, message)
                        .note("each rank has one part of an operand of a distributed kernel")
                        .help(format!("declare a second operand and pass `{name}` twice")));
                }
            }
        }
        let result = &kernel.assignment.result;
        check_tensor(kernel.tensor(result.tensor))?;
        let indexed = self.indexed(kernel, result)?;
        let is_known = |known: &DistributedResult| known.indexed.name == indexed.name;
        if self.all.results.iter().any(is_known) {
            let message = format!("`{}` is computed by two statements", indexed.name);
            return Err(Diagnostic::new(kernel.span, message)
                .help("distribute a kernel with one statement for each result"));
        }
        let has_by = indexed.variables.iter().any(|v| self.all.variables[*v] == self.by);
        let reduced = if has_by { None } else { Some(self.reduction(kernel)?) };
        self.all.results.push(DistributedResult {
            indexed,
            statement: number,
            reduced,
            is_update: kernel.is_update(),
        });
        Ok(())
    }

    fn show(&self, of: &Indexed) -> String {
        let names = of.variables.iter().map(|v| self.all.variables[*v].as_str());
        format!("{}[{}]", of.name, names.collect::<Vec<_>>().join(","))
    }

    fn indexed(&mut self, kernel: &Kernel, access: &Access) -> Result<Indexed, Diagnostic> {
        let tensor = kernel.tensor(access.tensor);
        let mut variables = Vec::new();
        for v in &access.indices {
            if kernel.variable(*v).role != VariableRole::Index {
                let message = format!(
                    "a subscript of `{}` is not an index variable, in a distributed kernel",
                    tensor.name
                );
                return Err(Diagnostic::new(tensor.span, message)
                    .note("the coordinates of a distributed mode have other numbers on each rank")
                    .help("compute the part in a kernel without `distribute`"));
            }
            variables.push(self.variable(&kernel.variable(*v).name));
        }
        let outermost = outermost(&tensor.format);
        let (name, argument) = (tensor.name.clone(), tensor.argument.clone());
        Ok(Indexed { name, argument, variables, outermost, read: Vec::new() })
    }

    /// Checks that an earlier result is read where it is computed.
    fn check_earlier(&self, tensor: &Tensor, read: &Indexed) -> Result<(), Diagnostic> {
        let earlier = self.all.results.iter().find(|result| result.indexed.name == read.name);
        let is_by = |v: &usize| self.all.variables[*v] == self.by;
        let is_local = earlier.is_some_and(|result| {
            result.indexed.variables == read.variables
                && read.variables.get(read.outermost).is_some_and(is_by)
        });
        match is_local {
            true => Ok(()),
            false => Err(Diagnostic::new(
                tensor.span,
                format!("`{}` is read where other ranks have computed it", self.show(read)),
            )
            .help("compute it in a kernel of its own, and pass its result to this one")),
        }
    }

    /// Returns the operator that combines the results of the ranks.
    fn reduction(&self, kernel: &Kernel) -> Result<ReduceOp, Diagnostic> {
        let by = self.by;
        let is_by = |v: &VariableId| kernel.variable(*v).name == by;
        let refused = |message: String| Diagnostic::new(kernel.span, message);
        if kernel.is_update() {
            return Err(refused(format!("the updated result has no mode that `{by}` indexes"))
                .note("the ranks would have to change the same elements")
                .help("compute the change in a kernel of its own, and add it"));
        }
        let result = kernel.tensor(kernel.result());
        match &kernel.assignment.value {
            Expr::Reduce(reduce) if reduce.variables.iter().any(is_by) => {
                if reduce.op.tells_where {
                    return Err(refused(format!(
                        "`{}` over `{by}` has no coordinates that all ranks share",
                        reduce.op.name()
                    ))
                    .note("the ranks number the coordinates of their parts from 0")
                    .help("compute it in a kernel without `distribute`"));
                }
                let zero = Expr::Literal(Literal::Int(0));
                if result.format.is_sparse() && !reduce.op.ignores(&zero) {
                    return Err(refused(format!(
                        "the parts of `{}` cannot be combined: coordinates that a rank does not store take \
                         part in `{}`",
                        result.name,
                        reduce.op.name()
                    ))
                    .help("declare a dense result"));
                }
                Ok(reduce.op)
            }
            _ if !kernel.variables.iter().any(|variable| variable.name == by) => {
                Err(refused(format!("the statement does not have the index variable `{by}`"))
                    .help("compute it in a kernel of its own"))
            }
            _ => Err(refused(format!(
                "the value of `{}` is not a reduction over `{by}`, but computed from one",
                result.name
            ))
            .note("each rank reduces its own coordinates, and the owner combines the results")
            .help(format!(
                "write the reduction over `{by}` in a kernel of its own, as in \
                 `y[j] = sum[{by}](A[{by},j] * x[{by}])`"
            ))),
        }
    }

    /// Checks a statement, given the variables with other numbers on each rank.
    fn check(&self, number: usize, kernel: &Kernel) -> Result<(), Diagnostic> {
        let all = &self.all;
        let renumbered = all.renumbered();
        let has_own_numbers = |name: &str| {
            let v = all.variables.iter().position(|known| known == name);
            v.is_some_and(|v| v == all.by || renumbered.contains(&v))
        };
        let mut counted = None;
        for_each(&kernel.assignment.value, &mut |expr| match expr {
            Expr::Index(v) => counted = counted.or(Some(*v)),
            Expr::Reduce(reduce) if reduce.op.tells_where => {
                counted = counted.or(reduce.variables.first().copied());
            }
            _ => {}
        });
        if let Some(v) = counted
            && has_own_numbers(&kernel.variable(v).name)
        {
            let name = &kernel.variable(v).name;
            let message = format!("the number of the coordinate `{name}` is used as a value");
            return Err(Diagnostic::new(kernel.span, message)
                .note(format!("the coordinates of `{name}` have other numbers on each rank"))
                .help("compute it in a kernel without `distribute`, and pass the result"));
        }
        let Some(result) = all.results.iter().find(|result| result.statement == number) else {
            return Ok(());
        };
        let in_operand = |v: &usize| all.operands.iter().any(|of| of.variables.contains(v));
        if let Some(v) = result.indexed.variables.iter().find(|v| !in_operand(v)) {
            let message = format!("no operand has the index variable `{}`", all.variables[*v]);
            return Err(Diagnostic::new(kernel.span, message)
                .note("the extent of a distributed result is that of an operand"));
        }
        let first = result.indexed.variables.get(result.indexed.outermost);
        let mut others = result.indexed.variables.iter().filter(|v| **v != all.by);
        if result.is_update && (first != Some(&all.by) || others.any(|v| renumbered.contains(v))) {
            let message = format!("`{}` is updated where other ranks own it", result.indexed.name);
            return Err(Diagnostic::new(kernel.span, message)
                .note(format!("an updated result is stored by the rank of its `{}`", self.by))
                .help("compute the change in a kernel of its own, and add it"));
        }
        Ok(())
    }

    /// Sets what is needed of each variable, and of each operand.
    fn determine(&mut self, statements: &[Kernel]) {
        let of_all = |v: usize, holds: &dyn Fn(&Region<'_>) -> bool| {
            let mut sets: Vec<Vec<usize>> = Vec::new();
            for (number, kernel) in statements.iter().enumerate() {
                for set in self.sets(v, number, kernel, holds) {
                    if !sets.iter().any(|known| known.iter().all(|one| set.contains(one))) {
                        sets.push(set);
                    }
                }
            }
            sets
        };
        let variables = 0..self.all.variables.len();
        let needed =
            variables.map(|v| of_all(v, &|region: &Region<'_>| region.has_effect())).collect();
        let read = self.all.operands.iter().map(|operand| {
            let first = operand.variables.get(operand.outermost);
            let reads = |region: &Region<'_>| region.reads(&operand.name);
            first.map_or_else(Vec::new, |first| of_all(*first, &reads))
        });
        let read: Vec<_> = read.collect();
        self.all.needed = needed;
        for (operand, read) in self.all.operands.iter_mut().zip(read) {
            operand.read = read;
        }
    }

    /// Returns the smallest sets of operands with a variable for which a predicate of a statement
    /// holds where only these have entries.
    fn sets(
        &self,
        v: usize,
        number: usize,
        kernel: &Kernel,
        holds: &dyn Fn(&Region<'_>) -> bool,
    ) -> Vec<Vec<usize>> {
        let variable = self.all.variables[v].as_str();
        if !kernel.variables.iter().any(|known| known.name == variable) {
            return Vec::new();
        }
        // An operand with an element for each coordinate is never absent.
        let is_sparse = |operand: &usize| {
            let Indexed { name, variables, .. } = &self.all.operands[*operand];
            let is_sparse = |tensor: &Tensor| tensor.name == *name && tensor.format.is_sparse();
            variables.contains(&v) && kernel.tensors.iter().any(is_sparse)
        };
        let sparse: Vec<usize> = (0..self.all.operands.len()).filter(is_sparse).collect();
        let result = self.all.results.iter().find(|result| result.statement == number);
        let reduced = result.and_then(|result| result.reduced);
        smallest(&sparse, &|present| {
            let is_absent = |operand: &&usize| !present.contains(operand);
            let absent = sparse.iter().filter(is_absent);
            let absent = absent.map(|operand| self.all.operands[*operand].name.as_str()).collect();
            holds(&Region { kernel, variable, reduced, absent })
        })
    }
}

/// A statement at a coordinate of a variable at which some operands have no entry.
struct Region<'k> {
    kernel: &'k Kernel,
    variable: &'k str,
    /// The reduction over the variable that is divided among the ranks, if the result does not have
    /// it.
    reduced: Option<ReduceOp>,
    /// The names of the operands without an entry.
    absent: Vec<&'k str>,
}

impl Region<'_> {
    /// Returns the values at the coordinate, simplified, each with the operator that combines it with
    /// those at other coordinates.
    fn values(&self) -> Vec<(ReduceOp, Expr)> {
        let kernel = self.kernel;
        let is_it = |v: &VariableId| kernel.variable(*v).name == self.variable;
        let without = |value: &Expr| {
            value.substitute(&|access: &Access| {
                let is_absent = self.absent.contains(&kernel.tensor(access.tensor).name.as_str());
                is_absent.then(|| kernel.fill(access.tensor))
            })
        };
        let value = &kernel.assignment.value;
        if kernel.assignment.result.indices.iter().any(is_it) {
            return match (value, self.reduced) {
                // A missing contribution of a rank must be the identity of the owner's reduction.
                (Expr::Reduce(reduce), Some(op)) => vec![(op, without(&reduce.body))],
                _ => vec![(ReduceOp::SUM, without(value))],
            };
        }
        let mut values = Vec::new();
        for_each(value, &mut |expr| {
            if let Expr::Reduce(reduce) = expr
                && reduce.variables.iter().any(is_it)
            {
                values.push((reduce.op, without(&reduce.body)));
            }
        });
        values
    }

    /// Returns whether the statement may do something.
    fn has_effect(&self) -> bool {
        self.values().iter().any(|(op, value)| !op.ignores(value))
    }

    /// Returns whether the statement may read an operand.
    fn reads(&self, name: &str) -> bool {
        let mut reads = false;
        for (op, value) in self.values() {
            value.for_each_access(&mut |access| {
                let is_it = self.kernel.tensor(access.tensor).name == name;
                reads |= is_it && !op.ignores(&value);
            });
        }
        reads
    }
}

/// The largest number of operands of which all sets are tried.
const MOST: usize = 8;

/// Returns the smallest sets for which a predicate holds.
fn smallest(all: &[usize], holds: &dyn Fn(&[usize]) -> bool) -> Vec<Vec<usize>> {
    if holds(&[]) {
        return vec![Vec::new()];
    }
    if all.len() > MOST {
        // Each of the operands alone: coordinates that more than one of them needs are among these.
        return all.iter().map(|one| vec![*one]).collect();
    }
    let mut sets: Vec<Vec<usize>> = (1_usize..1 << all.len())
        .map(|bits| {
            let chosen = all.iter().enumerate().filter(|(k, _)| bits >> k & 1 == 1);
            chosen.map(|(_, operand)| *operand).collect()
        })
        .collect();
    sets.sort_by_key(Vec::len);
    let mut smallest: Vec<Vec<usize>> = Vec::new();
    for set in sets {
        let contains = |known: &Vec<usize>| known.iter().all(|one| set.contains(one));
        if !smallest.iter().any(contains) && holds(&set) {
            smallest.push(set);
        }
    }
    smallest
}

/// Checks that the values of a tensor can be sent.
fn check_tensor(tensor: &Tensor) -> Result<(), Diagnostic> {
    let what = match tensor.dtype {
        _ if tensor.pattern => "has no values",
        dtype if dtype.is_half() => "is of half precision",
        Dtype::Generic => "has a type that the caller chooses",
        _ => return Ok(()),
    };
    let message = format!("`{}` {what}, and cannot be distributed", tensor.name);
    Err(Diagnostic::new(tensor.span, message).help("declare another `dtype`"))
}

/// Calls `visit` with an expression and all of its parts.
fn for_each<'e>(expr: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    visit(expr);
    for child in expr.children() {
        for_each(child, visit);
    }
}
