//! An interpreter of functions that checks every operation, independent of the generated code.
//!
//! Undefined behaviour, panics and compile errors of Rust are [`Fault`]s here: an index out of
//! bounds, an overflow, an unknown variable, an assignment to an immutable variable, a lossy
//! narrowing, or a read or return of a value that was never written.

mod arrays;
mod assign;
mod bounds;
mod calls;
mod checks;
mod cost;
mod declare;
mod derived;
mod entry;
mod expr;
mod fault;
mod frame;
mod intervals;
mod join;
mod lists;
mod loops;
mod number;
mod parts;
mod rearrange;
mod tables;
#[cfg(test)]
mod tests;
mod value;
mod workspace;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::result::Result;

pub use entry::{Combines, Covers, Runtime, Session, Stop, Tensor};
#[cfg(test)]
pub(crate) use expr::binary;
pub use fault::Fault;
use fault::fault;
pub use frame::Object;
pub use number::Number;
pub(crate) use value::Value;

use self::arrays::Storage;
use self::workspace::Workspace;
use super::{Element, Expr, Function, Loops, Stmt, Unchecked, Width};

/// The inputs of a function, by the names in its body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    /// The arrays of the operands, and those of the result: a function that assembles must not
    /// depend on their contents, and one that computes uses their length.
    pub arrays: BTreeMap<String, ArrayValue>,
    /// The scalar operands.
    pub scalars: BTreeMap<String, Number>,
    /// The extents.
    pub sizes: BTreeMap<String, usize>,
    /// The extents of workspaces that earlier calls have kept.
    pub kept: BTreeMap<String, usize>,
}

/// The contents of an array; indices are widened.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayValue {
    /// Positions or coordinates.
    Index(Vec<usize>),
    /// Values.
    Values(Vec<Number>),
}

/// The outputs of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum Outputs {
    /// The arrays of the result, by name; the extent of a level is an array with one element.
    Arrays(BTreeMap<String, ArrayValue>),
    /// A scalar.
    Scalar(Number),
}

/// The number of statements after which [`run`] reports an endless loop.
const STEPS: u64 = 1_000_000_000;

/// Runs a function.
///
/// # Errors
/// The first error that Rust would reject or panic on, or would not detect: see [`Fault`].
pub fn run(function: &Function, inputs: &Inputs) -> Result<Outputs, Fault> {
    run_within(function, inputs, STEPS)
}

/// Evaluates a function or constant by its path; returns `None` if it is unknown.
pub type Library = fn(&str, super::Dtype, &[Number]) -> Option<Number>;

/// Runs a function like [`run`], with a limit of the number of executed statements.
///
/// # Errors
/// The same as [`run`], and an error if the limit is reached.
pub fn run_within(function: &Function, inputs: &Inputs, steps: u64) -> Result<Outputs, Fault> {
    Machine { steps: Cell::new(steps), ..Machine::default() }.run_function(function, inputs)
}

/// Returns the outputs of a machine after running a function.
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

struct Variable {
    value: Value,
    mutable: bool,
}

struct Machine {
    library: Library,
    /// The number of steps before a loop is taken to be endless.
    steps: Cell<u64>,
    scopes: Vec<BTreeMap<String, Variable>>,
    arrays: BTreeMap<String, Storage>,
    /// `true` while the innermost loop is exited.
    leaves: bool,
    /// `true` if the function has returned `false`.
    refuses: bool,
    /// `true` if a level had no free position.
    is_full: bool,
    /// The shapes of tensors, of entry points.
    shapes: BTreeMap<String, Vec<usize>>,
    workspaces: BTreeMap<String, Workspace>,
    /// The extents of workspaces that earlier calls have kept.
    kept: BTreeMap<String, usize>,
    /// The bounds of unchecked indices and appends.
    bounds: BTreeMap<(Unchecked, String), usize>,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine {
            library: |_, _, _| None,
            steps: Cell::new(0),
            scopes: Vec::new(),
            arrays: BTreeMap::new(),
            leaves: false,
            refuses: false,
            is_full: false,
            shapes: BTreeMap::new(),
            workspaces: BTreeMap::new(),
            kept: BTreeMap::new(),
            bounds: BTreeMap::new(),
        }
    }
}

impl Machine {
    fn run_function(mut self, function: &Function, inputs: &Inputs) -> Result<Outputs, Fault> {
        let declared = self.declare(function, inputs).and_then(|()| self.fill_results(function));
        let stated = declared.and_then(|()| self.state_bounds(function, &inputs.sizes));
        stated.map_err(|reason| fault(&function.name, reason))?;
        function.body.iter().try_for_each(|stmt| self.step(stmt))?;
        finish(&self, function)
    }

    /// Runs loops, whose bounds may mention what is `around` them but not passed; returns the values that
    /// they return.
    fn run_loops(
        &mut self,
        loops: &Loops,
        inputs: &Inputs,
        around: &Inputs,
    ) -> Result<Vec<Value>, Fault> {
        let function = &loops.function;
        let here = |reason| fault(&loops.name, reason);
        self.declare(function, inputs).map_err(here)?;
        self.kept = inputs.kept.clone();
        let unknown = around.arrays.iter().filter(|(name, _)| !self.arrays.contains_key(*name));
        let unknown: Vec<_> = unknown.collect();
        for (name, list) in &unknown {
            self.insert_list(name, list).map_err(here)?;
        }
        self.state_bounds(function, &around.sizes).map_err(here)?;
        unknown.iter().for_each(|(name, _)| drop(self.arrays.remove(*name)));
        match function.body.iter().try_for_each(|stmt| self.step(stmt)) {
            Err(_) if self.refuses => return Ok(vec![Value::Bool(false)]),
            done => done?,
        }
        let returned = loops.returns.iter().map(|(_, value)| self.eval(value));
        let returned: Result<_, String> = returned.collect();
        self.check_places().map_err(here)?;
        loops.kept.iter().for_each(|kept| self.keep(kept));
        returned.map_err(|reason| fault(&format!("the end of {}", loops.name), reason))
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
        self.spend(1).map_err(here)?;
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
            Stmt::Tile { name, dtype, len, initial } => {
                let initial = self.eval(initial).map_err(here)?;
                let tile = Storage::values(Element::Value(*dtype), vec![Some(initial); *len]);
                self.arrays.insert(name.clone(), tile);
                Ok(())
            }
            Stmt::Sort { array } => {
                let len = self.vector(array).map_err(here)?.cells.len();
                self.spend(cost::sorting(len)).map_err(here)?;
                self.vector(array).and_then(Storage::sort).map_err(here)
            }
            Stmt::Workspace { name, dtype, crd, size, initial, .. } => {
                let size = size.as_ref().map(|size| self.eval(size).and_then(Value::index));
                let size = size.transpose().map_err(here)?;
                let initial = self.eval(initial).map_err(here)?;
                // A hashed workspace allocates memory for its entries only.
                self.allocate(name, size.unwrap_or(1)).map_err(here)?;
                let workspace = Workspace::new(Element::Value(*dtype), *crd, size, initial);
                self.workspaces.insert(name.clone(), workspace);
                Ok(())
            }
            Stmt::Harvest { workspace, crd, vals } => {
                let harvest = self.workspace(workspace).map(Workspace::harvest);
                let [harvested_crd, harvested_vals] = harvest.map_err(here)?;
                self.spend(cost::sorting(harvested_crd.cells.len())).map_err(here)?;
                self.arrays.insert(crd.clone(), harvested_crd);
                self.arrays.extend(vals.iter().map(|vals| (vals.clone(), harvested_vals.clone())));
                Ok(())
            }
            Stmt::Places { name, size } => {
                let size = self.eval(size).and_then(Value::index).map_err(here)?;
                self.allocate(name, size).map_err(here)?;
                let element = Element::Index(Width::Usize);
                let places = Workspace::new(element, Width::Usize, Some(size), Value::Index(0));
                self.workspaces.insert(name.clone(), places);
                Ok(())
            }
            Stmt::Rearrange(rearrange) => self.rearrange(rearrange).map_err(here),
            Stmt::Refuse { condition, error } => {
                let is_refused = self.eval(condition).and_then(Value::bool).map_err(here)?;
                if let Some(full) = error.as_ref().filter(|_| is_refused) {
                    let at = full.coordinate.iter().map(|at| self.eval(at)?.index());
                    at.collect::<Result<Vec<usize>, String>>().map_err(here)?;
                    self.is_full = true;
                    return Err(here("a level has no free position".into()));
                }
                self.refuses |= is_refused;
                if is_refused { Err(here("the function returns `false`".into())) } else { Ok(()) }
            }
            Stmt::Break => {
                self.leaves = true;
                Ok(())
            }
            Stmt::Clear { array } => match self.workspace(array) {
                Ok(workspace) => {
                    workspace.clear();
                    Ok(())
                }
                Err(_) => self.vector(array).map_err(here).map(|a| a.cells.clear()),
            },
            Stmt::Reserve { array, additional } => {
                let additional = self.eval(additional).and_then(Value::index).map_err(here)?;
                self.check_room(array, additional).map_err(here)?;
                self.vector(array).map_err(here).map(|a| a.reserve(additional))
            }
            Stmt::Push { array, value: Expr::Entry(fields) } => {
                let fields = fields.iter().map(|field| self.eval(field));
                let fields = fields.collect::<Result<_, _>>().map_err(here)?;
                self.vector(array).and_then(|a| a.push_entry(fields)).map_err(here)
            }
            Stmt::Push { array, value } => {
                let value = self.eval(value).map_err(here)?;
                self.vector(array).and_then(|a| a.push(value)).map_err(here)
            }
            Stmt::Extend { array, of, .. } => {
                let cells = self.array(of).map_err(here)?.cells.clone();
                self.spend(cells.len() as u64).map_err(here)?;
                let vector = self.vector(array).map_err(here)?;
                let push = |cell: Option<Value>| {
                    vector.push(cell.ok_or_else(|| format!("`{of}` was never written"))?)
                };
                cells.into_iter().try_for_each(push).map_err(here)
            }
            Stmt::Resize { array, len, value } => {
                let len = self.eval(len).and_then(Value::index).map_err(here)?;
                let value = self.eval(value).map_err(here)?;
                let before = self.vector(array).map_err(here)?.cells.len();
                self.spend(len.saturating_sub(before) as u64).map_err(here)?;
                self.vector(array).and_then(|a| a.resize(len, value)).map_err(here)
            }
            Stmt::Grow { array, factors, value } => {
                let factors = factors.iter().map(|factor| self.eval(factor)?.index());
                let factors = factors.collect::<Result<Vec<usize>, String>>().map_err(here)?;
                let len = factors.iter().try_fold(1_usize, |len, factor| len.checked_mul(*factor));
                let len = len.ok_or_else(|| here("a length overflows".into()))?;
                let value = self.eval(value).map_err(here)?;
                self.vector(array).and_then(|a| a.resize(len, value)).map_err(here)
            }
            Stmt::For { .. } | Stmt::ForOnes { .. } | Stmt::While { .. } => self.run_loop(stmt),
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
}
