//! The distribution of a kernel among ranks: which coordinates a rank needs of each operand, and
//! which rank owns each part of the results.
//!
//! One variable is divided among the ranks. The rule is that of `sparsegen::distributed`; this module
//! derives what it depends on from the statements.

mod region;

use crate::error::{Code, Diagnostic};
use crate::format::{Format, LevelExpr};
use crate::ir::{Indexed, Scheme};

use super::{Access, Expr, Kernel, ReduceOp, Tensor, TensorRole, VariableId, VariableRole};

use region::{Region, smallest};

/// The distribution of a kernel's statements.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// How their variables index their tensors.
    pub scheme: Scheme,
    /// For each statement, the reduction over the variable that is divided, if its result does not
    /// have this variable.
    pub reduced: Vec<Option<ReduceOp>>,
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
        let mut builder = Builder { scheme: Scheme::default(), reduced: Vec::new() };
        for kernel in statements {
            builder.add_variables(kernel);
        }
        let variables = &builder.scheme.variables;
        let known = variables.iter().position(|name| *name == by.text);
        builder.scheme.by = known.ok_or_else(|| {
            let names = variables.iter().map(String::as_str);
            let message = format!("no statement has the index variable `{}`", by.text);
            Diagnostic::new(Code::UnknownLoop, by.span, message).suggest(
                &by.text,
                names,
                "the index variables",
            )
        })?;
        for kernel in statements {
            builder.add(kernel)?;
        }
        for (kernel, result) in statements.iter().zip(&builder.scheme.results) {
            builder.check(kernel, result)?;
        }
        builder.determine(statements);
        let Builder { scheme, reduced } = builder;
        Ok(Some(Distribution { scheme, reduced }))
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

struct Builder {
    scheme: Scheme,
    reduced: Vec<Option<ReduceOp>>,
}

impl Builder {
    fn variable(&mut self, name: &str) -> usize {
        let variables = &mut self.scheme.variables;
        variables.iter().position(|known| known == name).unwrap_or_else(|| {
            variables.push(name.to_owned());
            variables.len() - 1
        })
    }

    /// Returns the name of the variable that is divided among the ranks.
    fn by(&self) -> &str {
        &self.scheme.variables[self.scheme.by]
    }

    /// Returns the variables whose coordinates have other numbers on each rank: the one that is
    /// divided, and those of other outermost modes.
    fn renumbered(&self) -> Vec<usize> {
        let Scheme { by, operands, results, .. } = &self.scheme;
        let all = operands.iter().chain(results);
        let firsts = all.filter_map(|indexed| indexed.variables.get(indexed.outermost).copied());
        firsts.chain([*by]).collect()
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
    fn add(&mut self, kernel: &Kernel) -> Result<(), Diagnostic> {
        for access in &kernel.accesses {
            let tensor = kernel.tensor(access.tensor);
            let indexed = self.indexed(kernel, access)?;
            if tensor.role != TensorRole::Operand || access.indices.is_empty() {
                continue;
            }
            if let Some(earlier) = self.scheme.results.iter().find(|of| of.name == tensor.name) {
                self.check_earlier(tensor, earlier, &indexed)?;
                continue;
            }
            match self.scheme.operands.iter().find(|known| known.name == tensor.name) {
                None => self.scheme.operands.push(indexed),
                Some(known) if *known == indexed => {}
                Some(known) => {
                    let shown = |of: &Indexed| self.show(of);
                    let message = format!(
                        "`{}` and `{}` need different parts of one operand",
                        shown(known),
                        shown(&indexed)
                    );
                    let name = &tensor.name;
                    return Err(Diagnostic::new(Code::CannotDistribute, tensor.span, message)
                        .note("each rank has one part of an operand of a distributed kernel")
                        .help(format!("declare a second operand and pass `{name}` twice")));
                }
            }
        }
        let result = &kernel.assignment.result;
        let indexed = self.indexed(kernel, result)?;
        if self.scheme.results.iter().any(|known| known.name == indexed.name) {
            let message = format!("`{}` is computed by two statements", indexed.name);
            return Err(Diagnostic::new(Code::CannotDistribute, kernel.span, message)
                .help("distribute a kernel with one statement for each result"));
        }
        let has_by = indexed.variables.contains(&self.scheme.by);
        self.reduced.push(if has_by { None } else { Some(self.reduction(kernel)?) });
        self.scheme.results.push(indexed);
        Ok(())
    }

    fn show(&self, of: &Indexed) -> String {
        let names = of.variables.iter().map(|v| self.scheme.variables[*v].as_str());
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
                return Err(Diagnostic::new(Code::CannotDistribute, tensor.span, message)
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
    fn check_earlier(
        &self,
        tensor: &Tensor,
        earlier: &Indexed,
        read: &Indexed,
    ) -> Result<(), Diagnostic> {
        let is_owned = read.variables.get(read.outermost) == Some(&self.scheme.by);
        if is_owned && earlier.variables == read.variables {
            return Ok(());
        }
        let message = format!("`{}` is read where other ranks have computed it", self.show(read));
        Err(Diagnostic::new(Code::CannotDistribute, tensor.span, message)
            .help("compute it in a kernel of its own, and pass its result to this one"))
    }

    /// Returns the operator that combines the results of the ranks.
    fn reduction(&self, kernel: &Kernel) -> Result<ReduceOp, Diagnostic> {
        let by = self.by();
        let is_by = |v: &VariableId| kernel.variable(*v).name == by;
        let refused =
            |message: String| Diagnostic::new(Code::CannotDistribute, kernel.span, message);
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
                let fill = kernel.fill(kernel.result());
                if result.format.is_sparse() && !reduce.op.ignores(&fill) {
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

    /// Checks a statement, given the operands and results of all statements.
    fn check(&self, kernel: &Kernel, result: &Indexed) -> Result<(), Diagnostic> {
        let Scheme { variables, by, operands, .. } = &self.scheme;
        let renumbered = self.renumbered();
        let has_own_numbers = |name: &str| renumbered.iter().any(|v| variables[*v] == name);
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
            return Err(Diagnostic::new(Code::CannotDistribute, kernel.span, message)
                .note(format!("the coordinates of `{name}` have other numbers on each rank"))
                .help("compute it in a kernel without `distribute`, and pass the result"));
        }
        let in_operand = |v: &&usize| operands.iter().any(|of| of.variables.contains(v));
        if let Some(v) = result.variables.iter().find(|v| !in_operand(v)) {
            let message = format!("no operand has the index variable `{}`", variables[*v]);
            return Err(Diagnostic::new(Code::CannotDistribute, kernel.span, message)
                .note("the extent of a distributed result is that of an operand"));
        }
        let is_owned = result.variables.get(result.outermost) == Some(by);
        let mut others = result.variables.iter().filter(|v| *v != by);
        if kernel.is_update() && !(is_owned && others.all(|v| !renumbered.contains(v))) {
            let message = format!("`{}` is updated where other ranks own it", result.name);
            return Err(Diagnostic::new(Code::CannotDistribute, kernel.span, message)
                .note(format!("an updated result is stored by the rank of its `{}`", self.by()))
                .help("compute the change in a kernel of its own, and add it"));
        }
        Ok(())
    }

    /// Sets what is needed of each variable, and of each operand.
    fn determine(&mut self, statements: &[Kernel]) {
        let of_all = |v: usize, holds: &dyn Fn(&Region<'_>) -> bool| {
            let mut sets: Vec<Vec<usize>> = Vec::new();
            for (kernel, reduced) in statements.iter().zip(&self.reduced) {
                for set in self.sets(v, kernel, *reduced, holds) {
                    if !sets.iter().any(|known| known.iter().all(|one| set.contains(one))) {
                        sets.push(set);
                    }
                }
            }
            sets
        };
        let Scheme { variables, operands, .. } = &self.scheme;
        let needed = (0..variables.len())
            .map(|v| of_all(v, &|region: &Region<'_>| region.has_effect()))
            .collect();
        let read = operands.iter().map(|operand| {
            let first = operand.variables.get(operand.outermost);
            let reads = |region: &Region<'_>| region.reads(&operand.name);
            first.map_or_else(Vec::new, |first| of_all(*first, &reads))
        });
        let read: Vec<_> = read.collect();
        self.scheme.needed = needed;
        for (operand, read) in self.scheme.operands.iter_mut().zip(read) {
            operand.read = read;
        }
    }

    /// Returns the smallest sets of operands with a variable for which a predicate of a statement
    /// holds where only these have entries.
    fn sets(
        &self,
        v: usize,
        kernel: &Kernel,
        reduced: Option<ReduceOp>,
        holds: &dyn Fn(&Region<'_>) -> bool,
    ) -> Vec<Vec<usize>> {
        let Scheme { variables, operands, .. } = &self.scheme;
        let variable = variables[v].as_str();
        if !kernel.variables.iter().any(|known| known.name == variable) {
            return Vec::new();
        }
        // An operand with an element for each coordinate is never absent.
        let is_sparse = |operand: &usize| {
            let Indexed { name, variables, .. } = &operands[*operand];
            let is_sparse = |tensor: &Tensor| tensor.name == *name && tensor.format.is_sparse();
            variables.contains(&v) && kernel.tensors.iter().any(is_sparse)
        };
        let sparse: Vec<usize> = (0..operands.len()).filter(is_sparse).collect();
        smallest(&sparse, &|present| {
            let absent = sparse.iter().filter(|operand| !present.contains(operand));
            let absent = absent.map(|operand| operands[*operand].name.as_str()).collect();
            holds(&Region { kernel, variable, reduced, absent })
        })
    }
}

/// Calls `visit` with an expression and all of its parts.
fn for_each<'e>(expr: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    visit(expr);
    for child in expr.children() {
        for_each(child, visit);
    }
}
