//! Runs a function on arrays, checking everything: an independent check of the generated code.
//!
//! What would be undefined behaviour, a panic or a compile error in Rust is a [`Fault`] here: an
//! index out of bounds, an overflow, an unknown variable, an assignment to one that is not
//! mutable, a narrowing that loses, a value that is read or returned but was never written.

mod arrays;
mod bounds;
mod calls;
mod declare;
mod expr;
mod number;
#[cfg(test)]
mod tests;
mod workspace;

use std::collections::BTreeMap;
use std::fmt;
use std::result::Result;

pub use number::Number;

use self::arrays::Storage;
use self::workspace::Workspace;
use super::{BinaryOp, Expr, Function, Stmt, Unchecked};

/// What a function runs on, by the names that its body uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    /// The operands' arrays; and the result's, whose contents a function that assembles must not
    /// depend on, and of which one that computes takes the length.
    pub arrays: BTreeMap<String, ArrayValue>,
    /// The scalar operands.
    pub scalars: BTreeMap<String, Number>,
    /// The extents.
    pub sizes: BTreeMap<String, usize>,
}

/// An array's contents; indices are widened.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayValue {
    /// Positions or coordinates.
    Index(Vec<usize>),
    /// Values.
    Values(Vec<Number>),
}

/// What a function returns.
#[derive(Clone, Debug, PartialEq)]
pub enum Outputs {
    /// The result's arrays, by name; an extent that a level keeps is an array of one.
    Arrays(BTreeMap<String, ArrayValue>),
    /// A plain value.
    Scalar(Number),
}

/// Why a run stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The statement, or the part of the function, as it is displayed.
    pub statement: String,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.statement, self.reason)
    }
}

impl std::error::Error for Fault {}

/// Statements that [`run`] executes before it takes a loop for endless.
const STEPS: u64 = 1_000_000_000;

/// Runs a function.
///
/// # Errors
/// The first thing that Rust would refuse or panic on, and what it would not notice: see [`Fault`].
pub fn run(function: &Function, inputs: &Inputs) -> Result<Outputs, Fault> {
    run_within(function, inputs, STEPS)
}

/// The value of what has a path in Rust; nothing where there is no such function.
pub type Library = fn(&str, super::Dtype, &[Number]) -> Option<Number>;

/// As [`run`], where the functions that are called by their paths are known.
///
/// # Errors
/// As [`run`].
pub fn run_with(function: &Function, inputs: &Inputs, library: Library) -> Result<Outputs, Fault> {
    Machine { steps: STEPS, library, ..Machine::default() }.run_function(function, inputs)
}

/// As [`run`], with a limit to the number of statements executed.
///
/// # Errors
/// As [`run`], and where the limit is reached.
pub fn run_within(function: &Function, inputs: &Inputs, steps: u64) -> Result<Outputs, Fault> {
    Machine { steps, ..Machine::default() }.run_function(function, inputs)
}

/// What a machine returns that has run a function.
fn finish(machine: &Machine, function: &Function) -> Result<Outputs, Fault> {
    let end = |reason| fault(&format!("the end of {}", function.name), reason);
    match &function.result {
        super::Result::Scalar { dtype, value, updates } => {
            let added = updates.iter().find(|scalar| scalar.adds);
            let value = match added {
                Some(scalar) => Expr::add(Expr::var(&scalar.name), value.clone()),
                None => value.clone(),
            };
            match machine.eval(&value).map_err(end)? {
                Value::Number(number, found) if found == *dtype => Ok(Outputs::Scalar(number)),
                Value::Bool(truth) if *dtype == super::Dtype::Bool => {
                    Ok(Outputs::Scalar(Number::Integer(truth.into())))
                }
                other => Err(end(format!("{other} is not of {dtype}"))),
            }
        }
        super::Result::Tensor(result) => {
            let arrays = result.arrays().iter();
            let written = arrays.map(|array| {
                let storage = machine.array(&array.name)?;
                Ok((array.name.clone(), storage.contents(&array.name)?))
            });
            let extents = result.extents().iter().map(|extent| {
                let index = machine.eval(&Expr::var(&extent.name))?.index()?;
                Ok((extent.name.clone(), ArrayValue::Index(vec![index])))
            });
            let outputs: Result<_, String> = written.chain(extents).collect();
            Ok(Outputs::Arrays(outputs.map_err(end)?))
        }
    }
}

fn fault(statement: &str, reason: String) -> Fault {
    Fault { statement: statement.lines().next().unwrap_or_default().to_string(), reason }
}

/// What an expression evaluates to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Index(usize),
    /// A difference of indices.
    Signed(isize),
    Pair(usize, usize),
    Number(Number, super::Dtype),
    Bool(bool),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Index(n) => write!(f, "index {n}"),
            Value::Signed(n) => write!(f, "signed index {n}"),
            Value::Pair(a, b) => write!(f, "pair ({a}, {b})"),
            Value::Number(number, dtype) => write!(f, "{number} of {dtype}"),
            Value::Bool(b) => write!(f, "{b}"),
        }
    }
}

struct Variable {
    value: Value,
    mutable: bool,
}

struct Machine {
    library: Library,
    steps: u64,
    scopes: Vec<BTreeMap<String, Variable>>,
    arrays: BTreeMap<String, Storage>,
    /// Whether the innermost loop around is being left.
    leaves: bool,
    workspaces: BTreeMap<String, Workspace>,
    /// What indices and appended elements are relied on to be below.
    bounds: BTreeMap<(Unchecked, String), usize>,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine {
            library: |_, _, _| None,
            steps: 0,
            scopes: Vec::new(),
            arrays: BTreeMap::new(),
            leaves: false,
            workspaces: BTreeMap::new(),
            bounds: BTreeMap::new(),
        }
    }
}

impl Machine {
    fn run_function(mut self, function: &Function, inputs: &Inputs) -> Result<Outputs, Fault> {
        let declared = self.declare(function, inputs);
        let stated = declared.and_then(|()| self.state_bounds(function, inputs));
        stated.map_err(|reason| fault(&function.name, reason))?;
        function.body.iter().try_for_each(|stmt| self.step(stmt))?;
        finish(&self, function)
    }

    fn bind(&mut self, name: &str, value: Value, mutable: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), Variable { value, mutable });
        }
    }

    fn run(&mut self, body: &[Stmt]) -> Result<(), Fault> {
        self.scopes.push(BTreeMap::new());
        let done = body.iter().try_for_each(|stmt| match self.leaves {
            true => Ok(()),
            false => self.step(stmt),
        });
        self.scopes.pop();
        done
    }

    fn step(&mut self, stmt: &Stmt) -> Result<(), Fault> {
        let here = |reason| fault(&stmt.to_string(), reason);
        self.steps = self
            .steps
            .checked_sub(1)
            .ok_or_else(|| here("the limit of steps is reached: a loop may be endless".into()))?;
        match stmt {
            Stmt::Comment(_) => Ok(()),
            Stmt::Let { name, mutable, value } => {
                let value = self.eval(value).map_err(here)?;
                self.bind(name, value, *mutable);
                Ok(())
            }
            Stmt::Assign { name, op, value } => self.assign(name, *op, value).map_err(here),
            Stmt::Store { array, index, op, value } => {
                self.store(array, index, *op, value).map_err(here)
            }
            Stmt::Scratch { name, element } => {
                self.arrays.insert(name.clone(), Storage::empty(*element));
                Ok(())
            }
            Stmt::Sort { array } => self.vector(array).and_then(Storage::sort).map_err(here),
            Stmt::Workspace { name, dtype, crd, size, initial } => {
                let size = self.eval(size).and_then(Value::index).map_err(here)?;
                let initial = self.eval(initial).map_err(here)?;
                let workspace = Workspace::new(*dtype, *crd, size, initial);
                self.workspaces.insert(name.clone(), workspace);
                Ok(())
            }
            Stmt::Harvest { workspace, crd, vals } => {
                let harvest = self.workspace(workspace).map(Workspace::harvest);
                let [harvested_crd, harvested_vals] = harvest.map_err(here)?;
                self.arrays.insert(crd.clone(), harvested_crd);
                self.arrays.extend(vals.iter().map(|vals| (vals.clone(), harvested_vals.clone())));
                Ok(())
            }
            Stmt::Refuse { condition } => {
                let is_refused = self.eval(condition).and_then(Value::bool).map_err(here)?;
                if is_refused { Err(here("the answer is no".into())) } else { Ok(()) }
            }
            Stmt::Break => {
                self.leaves = true;
                Ok(())
            }
            Stmt::Clear { array } => self.vector(array).map_err(here).map(|a| a.cells.clear()),
            Stmt::Reserve { array, additional } => {
                let additional = self.eval(additional).and_then(Value::index).map_err(here)?;
                self.check_room(array, additional).map_err(here)?;
                self.vector(array).map_err(here).map(|a| a.reserve(additional))
            }
            Stmt::Push { array, value } => {
                let value = self.eval(value).map_err(here)?;
                self.vector(array).and_then(|a| a.push(value)).map_err(here)
            }
            Stmt::Resize { array, len, value } => {
                let len = self.eval(len).and_then(Value::index).map_err(here)?;
                let value = self.eval(value).map_err(here)?;
                self.vector(array).and_then(|a| a.resize(len, value)).map_err(here)
            }
            Stmt::For { name, start, end, body } => {
                let start = self.eval(start).and_then(Value::index).map_err(here)?;
                let end = self.eval(end).and_then(Value::index).map_err(here)?;
                for k in start..end {
                    self.scopes.push(BTreeMap::new());
                    self.bind(name, Value::Index(k), false);
                    let done = self.run(body);
                    self.scopes.pop();
                    done?;
                    if std::mem::take(&mut self.leaves) {
                        break;
                    }
                }
                Ok(())
            }
            Stmt::While { condition, body } => {
                while self.eval(condition).and_then(Value::bool).map_err(here)? {
                    self.run(body)?;
                    if std::mem::take(&mut self.leaves) {
                        break;
                    }
                    self.steps = self.steps.saturating_sub(1);
                    if self.steps == 0 {
                        return Err(here("the limit of steps is reached".into()));
                    }
                }
                Ok(())
            }
            Stmt::If { arms, otherwise } => {
                for (condition, body) in arms {
                    if self.eval(condition).and_then(Value::bool).map_err(here)? {
                        return self.run(body);
                    }
                }
                self.run(otherwise)
            }
        }
    }

    fn assign(&mut self, name: &str, op: Option<BinaryOp>, value: &Expr) -> Result<(), String> {
        let mut value = self.eval(value)?;
        let variable = self.scopes.iter_mut().rev().find_map(|scope| scope.get_mut(name));
        let variable = variable.ok_or_else(|| format!("`{name}` is not declared"))?;
        if !variable.mutable {
            return Err(format!("`{name}` is not mutable"));
        }
        if let Some(op) = op {
            value = expr::binary(op, variable.value, value)?;
        }
        if !variable.value.is_like(value) {
            return Err(format!("{value} does not replace {}", variable.value));
        }
        variable.value = value;
        Ok(())
    }

    fn store(
        &mut self,
        name: &str,
        index: &Expr,
        op: Option<BinaryOp>,
        value: &Expr,
    ) -> Result<(), String> {
        let index = self.eval(index)?.index()?;
        let mut value = self.eval(value)?;
        if let Some(op) = op {
            value = expr::binary(op, self.load(name, index)?, value)?;
        }
        if let Ok(workspace) = self.workspace(name) {
            return workspace.store(index, value);
        }
        self.check_index(name, index)?;
        let array = self.vector(name)?;
        let (len, value) = (array.cells.len(), arrays::narrowed(value, array.element)?);
        let cell = array.cells.get_mut(index);
        *cell.ok_or_else(|| format!("index {index} of `{name}`, which has {len} elements"))? =
            Some(value);
        Ok(())
    }

    fn workspace(&mut self, name: &str) -> Result<&mut Workspace, String> {
        self.workspaces.get_mut(name).ok_or_else(|| format!("there is no workspace `{name}`"))
    }

    /// An array that may change.
    fn vector(&mut self, name: &str) -> Result<&mut Storage, String> {
        let array =
            self.arrays.get_mut(name).ok_or_else(|| format!("there is no array `{name}`"))?;
        if array.mutable { Ok(array) } else { Err(format!("`{name}` is not mutable")) }
    }
}
