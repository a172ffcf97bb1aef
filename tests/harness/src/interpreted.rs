//! Runs the entry points of a kernel in the interpreter.

mod runtime;

use std::cell::Cell;
use std::collections::BTreeMap;

use sparsegen_build::ir::interpret::{Object, Session, Stop, Tensor};
use sparsegen_build::ir::{Kernel, Operand, Parameter, Result as IrResult, Step, TensorType, Type};

use crate::number::Number;
use crate::oracle::arithmetic::convert;
use crate::storage::Formats;
use crate::typed::{Stored, look_at_number as look_at_scalar};
use crate::worlds::{Entries, coordinate};

use self::runtime::{Tensors, of_interpreter, own, to_interpreter};

/// The results of a run, by the names of their tensors.
pub type Results = BTreeMap<String, Stored>;

/// The results of the entry points of a kernel.
pub type Ways = Vec<(&'static str, Results)>;

/// The numbers of parts in which parallel loops run.
const PARTS: [usize; 3] = [1, 2, 5];

/// The entry points of a kernel.
pub struct Interpreter<'i> {
    /// The kernel.
    pub kernel: &'i Kernel,
    /// The formats that it may name.
    pub formats: &'i Formats,
}

impl Interpreter<'_> {
    /// Runs all entry points on operands, by the names of their tensors; updated results are among
    /// them. Returns `None` if a format does not store a tensor, or if a result that must be passed
    /// is not among the operands.
    ///
    /// # Errors
    /// A fault of the kernel, or an error that it returns.
    pub fn ways(&self, operands: &Results) -> Result<Option<Ways>, String> {
        let is_passed = |step: &Step| updates(step) || !self.has(&self.kernel.name);
        let is_given =
            |step: &Step| is_scalar(step) && !updates(step) || operands.contains_key(&step.tensor);
        if self.kernel.results().any(|step| is_passed(step) && !is_given(step)) {
            return Ok(None);
        }
        let mut ways = Ways::new();
        let is_parallel = self.kernel.loops.iter().any(|loops| loops.function.parallel.is_some());
        let parts = if is_parallel { &PARTS[..] } else { &PARTS[..1] };
        for parts in parts {
            match self.ways_in(*parts, operands, &mut ways) {
                Ok(()) => {}
                Err(Stop::Error("Width" | "Pack")) => return Ok(None),
                Err(Stop::Error(kind)) => {
                    return Err(format!("the kernel returns `Error::{kind}`"));
                }
                Err(Stop::Fault(fault)) => return Err(fault.to_string()),
            }
        }
        Ok(Some(ways))
    }

    /// Runs the first entry point on operands, in one part; returns its results and the number of its
    /// steps, or `None` if a format does not store a tensor.
    ///
    /// # Errors
    /// A fault of the kernel, or an error that it returns.
    pub fn counted(&self, operands: &Results) -> Result<Option<(Results, u64)>, String> {
        stored(self.count(operands))
    }

    /// Runs `NAME_with` twice with the same working memory; returns the results and the number of
    /// steps of the second call.
    ///
    /// # Errors
    /// The same as for [`counted`](Self::counted).
    pub fn counted_again(&self, operands: &Results) -> Result<Option<(Results, u64)>, String> {
        stored(self.count_again(operands))
    }

    fn count_again(&self, operands: &Results) -> Result<(Results, u64), Stop> {
        let runtime = Tensors { formats: self.formats };
        let steps = Cell::default();
        let session = Session { kernel: self.kernel, runtime: &runtime, parts: 1, steps };
        let mut arguments = self.arguments(operands)?;
        let new = session.run(&self.kernel.name, &mut arguments)?;
        arguments.extend(self.kernel.results().map(|step| step.result.clone()).zip(new));
        let with = format!("{}_with", self.kernel.name);
        session.run(&with, &mut arguments)?;
        let before = session.steps.get();
        let returned = session.run(&with, &mut arguments)?;
        let results = self.looked(&self.results(&arguments, returned))?;
        Ok((results, session.steps.get() - before))
    }

    fn count(&self, operands: &Results) -> Result<(Results, u64), Stop> {
        let runtime = Tensors { formats: self.formats };
        let steps = Cell::default();
        let session = Session { kernel: self.kernel, runtime: &runtime, parts: 1, steps };
        let mut arguments = self.arguments(operands)?;
        let results = if self.has(&self.kernel.name) {
            let returned = session.run(&self.kernel.name, &mut arguments)?;
            let names = self.kernel.results().map(|step| step.result.clone());
            names.zip(returned).collect()
        } else {
            for step in self.kernel.results() {
                let passed = self.passed(step, operands.get(&step.tensor), None)?;
                arguments.extend(passed.map(|passed| (step.result.clone(), passed)));
            }
            let stem = self.kernel.name.trim_start_matches("r#").trim_end_matches('_');
            let returned = session.run(&format!("{stem}_into"), &mut arguments)?;
            self.results(&arguments, returned)
        };
        Ok((self.looked(&results)?, session.steps.get()))
    }

    fn has(&self, entry: &str) -> bool {
        self.kernel.entries.iter().any(|own| own.name == entry)
    }

    fn ways_in(&self, parts: usize, operands: &Results, ways: &mut Ways) -> Result<(), Stop> {
        let tensors = Tensors { formats: self.formats };
        let session =
            Session { kernel: self.kernel, runtime: &tensors, parts, steps: Cell::default() };
        let stem = self.kernel.name.trim_start_matches("r#").trim_end_matches('_');
        let name = |suffix: &str| format!("{stem}_{suffix}");
        let mut arguments = self.arguments(operands)?;
        let mut first: BTreeMap<String, Object> = BTreeMap::new();
        if self.has(&self.kernel.name) {
            let returned = session.run(&self.kernel.name, &mut arguments)?;
            let names = self.kernel.results().map(|step| step.result.clone());
            first = names.zip(returned).collect();
            ways.push(("NAME", self.looked(&first)?));
        }
        if self.has(&name("into")) {
            for step in self.kernel.results() {
                let held = operands.get(&step.tensor).filter(|_| updates(step) || first.is_empty());
                if let Some(passed) = self.passed(step, held, first.get(&step.result))? {
                    arguments.insert(step.result.clone(), passed);
                }
            }
            let mut again = |way| {
                let returned = session.run(&name("into"), &mut arguments)?;
                ways.push((way, self.looked(&self.results(&arguments, returned))?));
                Ok(())
            };
            again("NAME_into")?;
            if !self.kernel.steps.iter().any(updates) {
                again("NAME_into, again")?;
            }
        }
        let with = if self.has(&name("with")) { Some(name("with")) } else { None };
        if let Some(with) = with.filter(|_| !self.kernel.steps.iter().any(updates)) {
            for way in ["NAME_with", "NAME_with, again"] {
                let returned = session.run(&with, &mut arguments)?;
                ways.push((way, self.looked(&self.results(&arguments, returned))?));
            }
        }
        if self.has(&name("assemble")) && self.has(&name("compute")) {
            let assembled = session.run(&name("assemble"), &mut arguments)?;
            let names = self.kernel.results().map(|step| step.result.clone());
            arguments.extend(names.zip(assembled));
            let returned = session.run(&name("compute"), &mut arguments)?;
            ways.push(("NAME_compute", self.looked(&self.results(&arguments, returned))?));
            // The structure of an assembled tensor is known, that of another one is compared.
            for object in arguments.values_mut() {
                if let Object::Tensor(tensor) = object {
                    tensor.derivation = None;
                }
            }
            let returned = session.run(&name("compute"), &mut arguments)?;
            ways.push(("NAME_compute, unknown", self.looked(&self.results(&arguments, returned))?));
            if self.has(&name("compute_with")) {
                let returned = session.run(&name("compute_with"), &mut arguments)?;
                ways.push(("NAME_compute_with", self.looked(&self.results(&arguments, returned))?));
            }
        }
        Ok(())
    }

    /// The operands, by the names of the arguments.
    fn arguments(&self, operands: &Results) -> Result<BTreeMap<String, Object>, Stop> {
        let mut arguments = BTreeMap::new();
        let parameters = self.kernel.entries.iter().flat_map(|entry| &entry.parameters);
        for keeper in parameters.filter(|parameter| parameter.ty == Type::WorkspacesMut) {
            arguments.insert(keeper.name.clone(), Object::Workspaces(BTreeMap::new()));
        }
        for operand in self.kernel.operands() {
            let label = match operand {
                Operand::Tensor(tensor) => &tensor.tensor,
                Operand::Scalar { name, .. }
                | Operand::Index { name }
                | Operand::Indices { name } => name.strip_prefix("r#").unwrap_or(name),
            };
            let given = operands.get(label).or_else(|| operands.get(operand.name()));
            let given = given.ok_or_else(|| wrong(format!("nothing is given for `{label}`")))?;
            let whole = |number: &Number| number.whole() as usize;
            let object = match operand {
                Operand::Tensor(tensor) => {
                    let ty = self.kernel.entries.iter().flat_map(|entry| &entry.parameters);
                    let ty = ty.filter(|parameter| parameter.name == tensor.name);
                    let ty = ty.filter_map(tensor_type).next();
                    let ty =
                        ty.ok_or_else(|| wrong(format!("`{}` is no argument", tensor.name)))?;
                    Object::Tensor(runtime::tensor(given, ty))
                }
                Operand::Scalar { dtype, .. } => {
                    Object::Scalar(to_interpreter(given.vals[0], *dtype), *dtype)
                }
                Operand::Index { .. } => Object::Index(whole(&given.vals[0])),
                Operand::Indices { .. } => Object::List(given.vals.iter().map(whole).collect()),
            };
            arguments.insert(operand.name().to_owned(), object);
        }
        Ok(arguments)
    }

    /// A result that is passed: what it holds, or arbitrary entries.
    fn passed(
        &self,
        step: &Step,
        held: Option<&Stored>,
        like: Option<&Object>,
    ) -> Result<Option<Object>, Stop> {
        match &step.function.result {
            IrResult::Scalar { updates: None, .. } => Ok(None),
            IrResult::Scalar { dtype, .. } => {
                let held =
                    held.ok_or_else(|| wrong(format!("nothing is given for `{}`", step.result)))?;
                Ok(Some(Object::Scalar(to_interpreter(held.vals[0], *dtype), *dtype)))
            }
            IrResult::Tensor(result) => {
                let format = result.packed.as_ref().unwrap_or(&result.format).clone();
                let ty = TensorType { dtype: result.dtype, pattern: result.pattern, format };
                let like = match (held, like) {
                    (Some(held), _) => runtime::tensor(held, &ty),
                    (None, Some(Object::Tensor(like))) => like.clone(),
                    (None, _) => {
                        return Err(wrong(format!("nothing is given for `{}`", result.tensor)));
                    }
                };
                Ok(Some(Object::Tensor(if result.updates { like } else { self.scribbled(like) })))
            }
        }
    }

    /// A tensor of the same shape with arbitrary entries, if its format stores these.
    fn scribbled(&self, like: Tensor) -> Tensor {
        let count: usize = like.shape.iter().product();
        let Ok(dtype) = own(like.ty.dtype) else { return like };
        let scribble = convert(Number::Whole(77), dtype).unwrap_or(Number::Whole(1));
        let entry = |k: usize| (coordinate(&like.shape, k), scribble);
        let entries = (0..count.min(2000)).map(entry).collect();
        let format = self.formats.find(&like.ty.format);
        let full =
            format.and_then(|of| of.pack(&Entries { shape: like.shape.clone(), entries }, dtype));
        full.map_or_else(|| like.clone(), |full| runtime::tensor(&full, &like.ty))
    }

    /// The results of a function to which tensors are passed.
    fn results(
        &self,
        arguments: &BTreeMap<String, Object>,
        returned: Vec<Object>,
    ) -> BTreeMap<String, Object> {
        let mut returned = returned.into_iter();
        let result = |step: &Step| {
            let object = match step.function.result {
                IrResult::Scalar { updates: None, .. } => returned.next(),
                IrResult::Scalar { .. } | IrResult::Tensor(_) => {
                    arguments.get(&step.result).cloned()
                }
            };
            object.map(|object| (step.result.clone(), object))
        };
        self.kernel.results().filter_map(result).collect()
    }

    /// Results by the names of their tensors.
    fn looked(&self, results: &BTreeMap<String, Object>) -> Result<Results, Stop> {
        let mut looked = Results::new();
        for step in self.kernel.results() {
            let object = results.get(&step.result);
            let object = object.ok_or_else(|| wrong(format!("no `{}` comes back", step.result)))?;
            let stored = match object {
                Object::Tensor(tensor) => Tensors { formats: self.formats }.look(tensor),
                Object::Scalar(number, dtype) => {
                    Ok(look_at_scalar(of_interpreter(*number, *dtype)))
                }
                object => Err(format!("{object:?} comes back")),
            };
            looked.insert(step.tensor.clone(), stored.map_err(wrong)?);
        }
        Ok(looked)
    }
}

/// Returns `None` if a format does not store a tensor.
fn stored<T>(run: Result<T, Stop>) -> Result<Option<T>, String> {
    match run {
        Ok(counted) => Ok(Some(counted)),
        Err(Stop::Error("Width" | "Pack")) => Ok(None),
        Err(Stop::Error(kind)) => Err(format!("the kernel returns `Error::{kind}`")),
        Err(Stop::Fault(fault)) => Err(fault.to_string()),
    }
}

/// `true` if the previous contents of the result count.
fn updates(step: &Step) -> bool {
    match &step.function.result {
        IrResult::Tensor(result) => result.updates,
        IrResult::Scalar { updates, .. } => updates.is_some(),
    }
}

fn is_scalar(step: &Step) -> bool {
    matches!(step.function.result, IrResult::Scalar { .. })
}

fn tensor_type(parameter: &Parameter) -> Option<&TensorType> {
    if let Type::IntoView(ty) | Type::TensorMut(ty) = &parameter.ty { Some(ty) } else { None }
}

fn wrong(reason: String) -> Stop {
    Stop::Fault(sparsegen_build::ir::interpret::Fault { statement: "the harness".into(), reason })
}
