//! Runs a function on arrays, checking everything: an independent check of the generated code.
//!
//! What would be undefined behaviour, a panic or a compile error in Rust is a [`Fault`] here: an
//! index out of bounds, an overflow, an unknown variable, an assignment to one that is not
//! mutable, a narrowing that loses, a value that is read or returned but was never written.

mod expr;
mod number;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::result::Result;

pub use number::Number;

use super::{Array, Assembly, BinaryOp, Element, Expr, Function, Operand, Stmt, Width};

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
    /// The result's arrays, by name.
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

/// As [`run`], with a limit to the number of statements executed.
///
/// # Errors
/// As [`run`], and where the limit is reached.
pub fn run_within(function: &Function, inputs: &Inputs, steps: u64) -> Result<Outputs, Fault> {
    let mut machine = Machine { steps, ..Machine::default() };
    machine.declare(function, inputs).map_err(|reason| fault(&function.name, reason))?;
    function.body.iter().try_for_each(|stmt| machine.step(stmt))?;
    let end = |reason| fault(&format!("the end of {}", function.name), reason);
    match &function.result {
        super::Result::Scalar { dtype, value } => match machine.eval(value).map_err(end)? {
            Value::Number(number, found) if found == *dtype => Ok(Outputs::Scalar(number)),
            other => Err(end(format!("{other} is not of {dtype}"))),
        },
        super::Result::Tensor(result) => {
            let arrays = match &result.assembly {
                Assembly::Computed { vals, .. } => std::slice::from_ref(vals),
                Assembly::Assembled { arrays, .. } => arrays,
            };
            let written = arrays.iter().map(|array| Ok((array.name.clone(), machine.take(array)?)));
            Ok(Outputs::Arrays(written.collect::<Result<_, _>>().map_err(end)?))
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
    Number(Number, super::Dtype),
    Bool(bool),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Index(n) => write!(f, "index {n}"),
            Value::Number(number, dtype) => write!(f, "{number} of {dtype}"),
            Value::Bool(b) => write!(f, "{b}"),
        }
    }
}

struct Variable {
    value: Value,
    mutable: bool,
}

/// An array while a function runs.
struct Storage {
    element: Element,
    mutable: bool,
    /// Nothing where no value was written yet.
    cells: Vec<Option<Value>>,
}

#[derive(Default)]
struct Machine {
    steps: u64,
    scopes: Vec<BTreeMap<String, Variable>>,
    arrays: BTreeMap<String, Storage>,
}

impl Machine {
    /// Declares operands, sizes and result.
    fn declare(&mut self, function: &Function, inputs: &Inputs) -> Result<(), String> {
        self.scopes.push(BTreeMap::new());
        for operand in &function.operands {
            match operand {
                Operand::Scalar { name, dtype } => {
                    let number =
                        inputs.scalars.get(name).ok_or_else(|| format!("no input `{name}`"))?;
                    self.bind(name, Value::Number(*number, *dtype), false);
                }
                Operand::Tensor(tensor) => {
                    for array in &tensor.arrays {
                        let given = inputs.arrays.get(&array.name);
                        let given = given.ok_or_else(|| format!("no input `{}`", array.name))?;
                        let cells = cells_of(given, array.element)?;
                        self.insert(array, false, cells);
                    }
                }
            }
        }
        for size in function.sizes.iter().filter(|size| size.used) {
            let extent =
                inputs.sizes.get(&size.name).ok_or_else(|| format!("no size `{}`", size.name))?;
            self.bind(&size.name, Value::Index(*extent), false);
        }
        match &function.result {
            super::Result::Scalar { .. } => {}
            super::Result::Tensor(result) => match &result.assembly {
                Assembly::Computed { vals, zeroed } => {
                    let given = inputs.arrays.get(&vals.name);
                    let Some(ArrayValue::Values(given)) = given else {
                        return Err(format!("no values `{}` to compute into", vals.name));
                    };
                    let zero = Value::Number(Number::zero(result.dtype), result.dtype);
                    self.insert(vals, true, vec![zeroed.then_some(zero); given.len()]);
                }
                Assembly::Assembled { arrays, .. } => {
                    for array in arrays {
                        let cells = match inputs.arrays.get(&array.name) {
                            Some(given) => cells_of(given, array.element)?,
                            None => Vec::new(),
                        };
                        self.insert(array, true, cells);
                    }
                }
            },
        }
        Ok(())
    }

    fn insert(&mut self, array: &Array, mutable: bool, cells: Vec<Option<Value>>) {
        let storage = Storage { element: array.element, mutable, cells };
        self.arrays.insert(array.name.clone(), storage);
    }

    /// A result's array after the run.
    fn take(&self, array: &Array) -> Result<ArrayValue, String> {
        let cells = &self.array(&array.name)?.cells;
        let written = |(k, cell): (usize, &Option<Value>)| {
            cell.ok_or_else(|| format!("`{}[{k}]` was never written", array.name))
        };
        let values = cells.iter().enumerate().map(written);
        match array.element {
            Element::Index(_) => {
                let indices = values.map(|v| v.and_then(Value::index));
                Ok(ArrayValue::Index(indices.collect::<Result<_, _>>()?))
            }
            Element::Value(_) => {
                let numbers = values.map(|v| v.and_then(Value::number));
                Ok(ArrayValue::Values(numbers.collect::<Result<_, _>>()?))
            }
        }
    }

    fn bind(&mut self, name: &str, value: Value, mutable: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), Variable { value, mutable });
        }
    }

    fn run(&mut self, body: &[Stmt]) -> Result<(), Fault> {
        self.scopes.push(BTreeMap::new());
        let done = body.iter().try_for_each(|stmt| self.step(stmt));
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
            Stmt::Clear { array } => self.vector(array).map_err(here).map(|a| a.cells.clear()),
            Stmt::Reserve { array, additional } => {
                self.eval(additional).and_then(Value::index).map_err(here)?;
                self.vector(array).map_err(here).map(|_| ())
            }
            Stmt::Push { array, value } => {
                let value = self.eval(value).map_err(here)?;
                self.vector(array).and_then(|a| a.push(value)).map_err(here)
            }
            Stmt::Resize { array, len, value } => {
                let len = self.eval(len).and_then(Value::index).map_err(here)?;
                let value = self.eval(value).map_err(here)?;
                let array = self.vector(array).map_err(here)?;
                let cell = narrowed(value, array.element).map_err(here)?;
                array.cells.resize(len, Some(cell));
                Ok(())
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
                }
                Ok(())
            }
            Stmt::While { condition, body } => {
                while self.eval(condition).and_then(Value::bool).map_err(here)? {
                    self.run(body)?;
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
        let array = self.vector(name)?;
        let (len, value) = (array.cells.len(), narrowed(value, array.element)?);
        let cell = array.cells.get_mut(index);
        *cell.ok_or_else(|| format!("index {index} of `{name}`, which has {len} elements"))? =
            Some(value);
        Ok(())
    }

    /// An array that may change.
    fn vector(&mut self, name: &str) -> Result<&mut Storage, String> {
        let array =
            self.arrays.get_mut(name).ok_or_else(|| format!("there is no array `{name}`"))?;
        if array.mutable { Ok(array) } else { Err(format!("`{name}` is not mutable")) }
    }
}

impl Storage {
    fn push(&mut self, value: Value) -> Result<(), String> {
        self.cells.push(Some(narrowed(value, self.element)?));
        Ok(())
    }
}

/// An array as it is given, if its elements are of the declared kind and width.
fn cells_of(given: &ArrayValue, element: Element) -> Result<Vec<Option<Value>>, String> {
    match (given, element) {
        (ArrayValue::Index(indices), Element::Index(_)) => {
            indices.iter().map(|n| narrowed(Value::Index(*n), element).map(Some)).collect()
        }
        (ArrayValue::Values(numbers), Element::Value(dtype)) => {
            Ok(numbers.iter().map(|number| Some(Value::Number(*number, dtype))).collect())
        }
        (ArrayValue::Index(_), Element::Value(_)) | (ArrayValue::Values(_), Element::Index(_)) => {
            Err("an input array holds the wrong kind of elements".into())
        }
    }
}

/// A value as an array's element holds it, if it can.
fn narrowed(value: Value, element: Element) -> Result<Value, String> {
    match (value, element) {
        (Value::Index(n), Element::Index(width)) => {
            let fits = match width {
                Width::U8 => u8::try_from(n).is_ok(),
                Width::U16 => u16::try_from(n).is_ok(),
                Width::U32 => u32::try_from(n).is_ok(),
                Width::U64 | Width::Usize => true,
            };
            if fits { Ok(value) } else { Err(format!("{n} does not fit in {width}")) }
        }
        (Value::Number(_, dtype), Element::Value(expected)) if dtype == expected => Ok(value),
        (Value::Index(_) | Value::Number(..) | Value::Bool(_), _) => {
            Err(format!("{value} is not an element of the array"))
        }
    }
}
