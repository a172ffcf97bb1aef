//! The arguments and variables of an entry point while it runs.

use std::collections::BTreeMap;
use std::ops::Range;

use super::arrays::{Storage as Cells, narrowed};
use super::entry::{Done, Stop, Tensor, plain};
use super::join::{Filled, length};
use super::{ArrayValue, Inputs, Library, Machine, Number, Value};
use crate::ir::{
    Argument, Dtype, Element, Expr, Field, Joined, Joining, Loops, Meaning, Place, Storage,
    TensorType, Type, Vector,
};

/// The meaning of a name.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant is what its name says")]
pub enum Object {
    Tensor(Tensor),
    Scalar(Number, Dtype),
    Bool(bool),
    Index(usize),
    /// Coordinates, or a vector of positions or coordinates.
    List(Vec<usize>),
    Values(Vec<Number>),
    Division,
    /// Working memory: the largest extent of each workspace that has been kept.
    Workspaces(BTreeMap<String, usize>),
    /// The arrays that were taken from a tensor.
    Shape(Vec<usize>),
    Levels(BTreeMap<(usize, String), Vec<usize>>),
    /// What is borrowed from the tensor of this name.
    LevelsOf(String),
    ValuesOf(String),
    /// The parts of a range, and one of them.
    Parts(Vec<Range<usize>>),
    Part(Range<usize>),
}

/// The names of an entry point while it runs.
pub(super) struct Frame {
    objects: BTreeMap<String, Object>,
    library: Library,
    /// The number of steps of the loops that were called and of the instructions.
    pub(super) steps: u64,
}

impl Frame {
    pub(super) fn new(library: Library) -> Frame {
        Frame { objects: BTreeMap::new(), library, steps: 0 }
    }

    pub(super) fn insert(&mut self, name: &str, object: Object) {
        self.objects.insert(name.to_owned(), object);
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.objects.remove(name);
    }

    pub(super) fn get(&self, name: &str) -> Done<&Object> {
        self.objects.get(name).ok_or_else(|| plain(format!("`{name}` is not there")))
    }

    pub(super) fn tensor(&self, name: &str) -> Done<&Tensor> {
        match self.get(name)? {
            Object::Tensor(tensor) => Ok(tensor),
            other => Err(plain(format!("`{name}` is no tensor: {other:?}"))),
        }
    }

    pub(super) fn tensor_mut(&mut self, name: &str) -> Done<&mut Tensor> {
        match self.objects.get_mut(name) {
            Some(Object::Tensor(tensor)) => Ok(tensor),
            other => Err(plain(format!("`{name}` is no tensor: {other:?}"))),
        }
    }

    /// Takes the storage of a tensor, which keeps its shape.
    pub(super) fn take(&mut self, name: &str) -> Done<Tensor> {
        let tensor = self.tensor_mut(name)?;
        let taken = tensor.clone();
        tensor.arrays.clear();
        tensor.vals.clear();
        Ok(taken)
    }

    pub(super) fn parts(&self, name: &str) -> Done<Vec<Range<usize>>> {
        match self.get(name)? {
            Object::Parts(parts) => Ok(parts.clone()),
            other => Err(plain(format!("`{name}` are no parts: {other:?}"))),
        }
    }

    /// The values of a tensor or of its storage.
    pub(super) fn values(&mut self, argument: &Argument) -> Done<&mut Vec<Number>> {
        let name = argument.name().to_owned();
        let of = match self.objects.get(&name) {
            Some(Object::ValuesOf(of)) => of.clone(),
            Some(_) | None => name,
        };
        match self.objects.get_mut(&of) {
            Some(Object::Tensor(tensor)) => Ok(&mut tensor.vals),
            Some(Object::Values(values)) => Ok(values),
            other => Err(plain(format!("`{of}` has no values: {other:?}"))),
        }
    }

    /// The arrays of levels.
    fn levels(&mut self, name: &str) -> Done<&mut BTreeMap<(usize, String), Vec<usize>>> {
        let of = match self.objects.get(name) {
            Some(Object::LevelsOf(of)) => of.clone(),
            Some(_) | None => name.to_owned(),
        };
        match self.objects.get_mut(&of) {
            Some(Object::Tensor(tensor)) => Ok(&mut tensor.arrays),
            Some(Object::Levels(levels)) => Ok(levels),
            other => Err(plain(format!("`{of}` has no levels: {other:?}"))),
        }
    }

    pub(super) fn set_field(&mut self, field: &Field, contents: Vec<usize>) {
        if let Ok(levels) = self.levels(&field.levels) {
            levels.insert((field.level, field.field.clone()), contents);
        }
    }

    fn field(&mut self, field: &Field) -> Done<Vec<usize>> {
        let found = self.levels(&field.levels)?.get(&(field.level, field.field.clone())).cloned();
        found
            .ok_or_else(|| plain(format!("there is no `{}` of level {}", field.field, field.level)))
    }

    /// The length of a vector.
    pub(super) fn len(&mut self, vector: &Vector) -> Done<usize> {
        match vector {
            Vector::Values(name) => Ok(self.values(&Argument::Name(name.clone()))?.len()),
            Vector::Field(field) => Ok(self.field(field)?.len()),
        }
    }

    /// The tensor of storage that was taken.
    pub(super) fn assembled(&mut self, storage: &Storage, ty: TensorType) -> Done<Tensor> {
        let Object::Shape(shape) = self.get(&storage.shape)?.clone() else {
            return Err(plain(format!("`{}` is no shape", storage.shape)));
        };
        let arrays = std::mem::take(self.levels(&storage.levels)?);
        let vals = std::mem::take(self.values(&Argument::Name(storage.vals.clone()))?);
        Ok(Tensor { ty, shape, arrays, vals, derivation: None })
    }

    /// Joins the vector of a part with the one of the parts before.
    pub(super) fn join(
        &mut self,
        Joined { name, into, by }: &Joined,
        before: &[Filled],
    ) -> Done<()> {
        let field = match into {
            Vector::Values(_) if matches!(by, Joining::Ordered(..)) => return Ok(()),
            Vector::Values(all) => {
                let mut part = std::mem::take(self.values(&Argument::Name(name.clone()))?);
                self.values(&Argument::Name(all.clone()))?.append(&mut part);
                return Ok(());
            }
            Vector::Field(field) => field,
        };
        let (mut all, part) = (self.field(field)?, self.list(name)?);
        let last = all.last().copied().unwrap_or(0);
        match by {
            Joining::Appending => all.extend(part),
            Joining::Positions => {
                let skipped = usize::from(!all.is_empty());
                all.extend(part.iter().skip(skipped).map(|position| position + last));
            }
            Joining::Shifted { by } => {
                let begin: usize = before.iter().map(|part| length(part, by)).sum();
                all.extend(part.iter().map(|position| position + begin));
            }
            Joining::Ends if all.is_empty() => all = part,
            Joining::Ends => {
                if let (Some(end), Some(of_part)) = (all.last_mut(), part.last()) {
                    *end += of_part;
                }
            }
            Joining::Bits { of, after } => {
                let count = |frame: &mut Frame, name: &str| {
                    frame.values(&Argument::Name(name.to_owned())).map(|values| values.len())
                };
                let (before, more) = (count(self, after)?, count(self, of)?);
                let bit = |words: &[usize], k: usize| words[k / 64] >> (k % 64) & 1;
                let bits = (0..before).map(|k| bit(&all, k));
                let bits = bits.chain((0..more).map(|k| bit(&part, k)));
                let mut words = vec![0; (before + more).div_ceil(64)];
                bits.enumerate().for_each(|(k, bit)| words[k / 64] |= bit << (k % 64));
                all = words;
            }
            Joining::Ordered(..) => {}
        }
        self.set_field(field, all);
        Ok(())
    }

    /// A machine that knows the numbers, the lists and the shapes.
    pub(super) fn machine(&self) -> Machine {
        let mut machine = Machine::with_library(self.library);
        machine.scopes.push(BTreeMap::new());
        for (name, object) in &self.objects {
            match object {
                Object::Index(n) => machine.bind(name, Value::Index(*n), false),
                Object::Scalar(number, dtype) => {
                    machine.bind(name, Value::element(*number, *dtype), false);
                }
                Object::List(list) => {
                    drop(machine.insert_list(name, &ArrayValue::Index(list.clone())))
                }
                Object::Tensor(tensor) => {
                    machine.shapes.insert(name.clone(), tensor.shape.clone());
                }
                Object::Bool(_)
                | Object::Values(_)
                | Object::Division
                | Object::Workspaces(_)
                | Object::Shape(_)
                | Object::Levels(_)
                | Object::LevelsOf(_)
                | Object::ValuesOf(_)
                | Object::Parts(_)
                | Object::Part(_) => {}
            }
        }
        machine
    }

    /// The value of an expression of extents and parameters.
    pub(super) fn index(&self, expr: &Expr) -> Done<usize> {
        self.machine().eval(expr).and_then(Value::index).map_err(plain)
    }

    /// Returns whether a number fits a width.
    pub(super) fn fits(&self, number: usize, width: Element) -> bool {
        narrowed(Value::Index(number), width).is_ok()
    }

    /// An argument of a call of loops.
    fn argument(&mut self, argument: &Argument) -> Done<Object> {
        let object = match argument {
            Argument::Values(_) => Object::Values(self.values(argument)?.clone()),
            Argument::Vector(Vector::Values(name)) => self.get(name)?.clone(),
            Argument::Vector(Vector::Field(field)) | Argument::Field(field) => {
                Object::List(self.field(field)?)
            }
            Argument::Start(part) | Argument::End(part) => match (self.get(part)?, argument) {
                (Object::Part(part), Argument::Start(_)) => Object::Index(part.start),
                (Object::Part(part), _) => Object::Index(part.end),
                (other, _) => return Err(plain(format!("`{part}` is no part: {other:?}"))),
            },
            Argument::Name(name)
            | Argument::Deref(name)
            | Argument::Ref(name)
            | Argument::Mut(name)
            | Argument::View(name) => match self.get(name)? {
                Object::ValuesOf(of) => Object::Values(self.tensor(of)?.vals.clone()),
                other => other.clone(),
            },
        };
        Ok(object)
    }

    /// Calls loops. What they fill is filled in the arguments.
    pub(super) fn run_loops(&mut self, loops: &Loops, arguments: &[Argument]) -> Done<Vec<Object>> {
        let mut callee = Frame::new(self.library);
        let mut inputs = Inputs::default();
        for (parameter, argument) in loops.parameters.iter().zip(arguments) {
            let name = parameter.name.clone();
            match (self.argument(argument)?, &parameter.ty) {
                (Object::Index(n), Type::Index) => drop(inputs.sizes.insert(name, n)),
                (Object::List(number), Type::Index) if number.len() == 1 => {
                    inputs.sizes.insert(name, number[0]);
                }
                (Object::Scalar(number, dtype), Type::Scalar(own)) if dtype == *own => {
                    inputs.scalars.insert(name, number);
                }
                (Object::List(list), Type::Slice(_) | Type::Vector(_)) => {
                    inputs.arrays.insert(name, ArrayValue::Index(list));
                }
                (Object::Values(values), Type::SliceMut(_) | Type::Vector(_)) => {
                    inputs.arrays.insert(name, ArrayValue::Values(values));
                }
                (Object::Tensor(tensor), Type::View(ty)) if tensor.ty == *ty => {
                    callee.insert(&name, Object::Tensor(tensor));
                }
                (Object::Division, Type::Division) => {}
                (Object::Workspaces(kept), Type::Workspaces) => inputs.kept = kept,
                (object, ty) => {
                    return Err(plain(format!("`{name}` is of {ty:?}, not {object:?}")));
                }
            }
        }
        for (name, n) in &inputs.sizes {
            callee.insert(name, Object::Index(*n));
        }
        for (name, array) in &inputs.arrays {
            if let ArrayValue::Index(list) = array {
                callee.insert(name, Object::List(list.clone()));
            }
        }
        for binding in &loops.head {
            let name = binding.name.clone();
            match &binding.value {
                Meaning::Number(value) => drop(inputs.sizes.insert(name, callee.index(value)?)),
                Meaning::Extent(tensor, place) => {
                    let field = callee.tensor(tensor)?.array(place)?;
                    let [extent] = field.as_slice() else {
                        return Err(plain(format!("`{name}` is no extent")));
                    };
                    inputs.sizes.insert(name, *extent);
                }
                Meaning::Array(..) | Meaning::List(_) | Meaning::Argument { .. } => {}
            }
        }
        // Beside those of the head, an array may be measured.
        for tensor in loops.function.tensors() {
            let Ok(given) = callee.tensor(&tensor.name) else { continue };
            for array in &tensor.arrays {
                let contents = match &array.place {
                    Place::Values => ArrayValue::Values(given.vals.clone()),
                    Place::Level { .. } => ArrayValue::Index(given.array(&array.place)?),
                };
                inputs.arrays.insert(array.name.clone(), contents);
            }
        }
        // Bounds may mention extents and lists that the loops do not read.
        let mut around = Inputs { sizes: inputs.sizes.clone(), ..Inputs::default() };
        for (name, extent) in &loops.extents {
            if let Ok(extent) = self.index(extent) {
                around.sizes.entry(name.clone()).or_insert(extent);
            }
        }
        for (name, object) in &self.objects {
            if let Object::List(list) = object {
                around.arrays.insert(name.clone(), ArrayValue::Index(list.clone()));
            }
        }
        let mut machine = Machine::with_library(self.library);
        let returned = machine.run_loops(loops, &inputs, &around);
        self.steps += machine.spent();
        let returned = returned.map_err(|fault| match machine.is_full {
            true => Stop::Error("Pack"),
            false => Stop::Fault(fault),
        })?;
        for (parameter, argument) in loops.parameters.iter().zip(arguments) {
            if parameter.ty == Type::Workspaces {
                let kept = std::mem::take(&mut machine.kept);
                self.insert(argument.name(), Object::Workspaces(kept));
            }
            let is_filled = matches!(parameter.ty, Type::SliceMut(_) | Type::Vector(_));
            if !is_filled || parameter.name == "_" {
                continue;
            }
            let cells =
                machine.arrays.get(&parameter.name).map(|cells| contents(cells, &parameter.name));
            match (cells.transpose()?, argument) {
                (Some(ArrayValue::Values(values)), argument) => *self.values(argument)? = values,
                (Some(ArrayValue::Index(list)), Argument::Vector(Vector::Field(field))) => {
                    self.set_field(field, list);
                }
                (Some(ArrayValue::Index(list)), argument) => {
                    self.insert(argument.name(), Object::List(list));
                }
                (None, _) => {}
            }
        }
        let object = |value| match value {
            Value::Index(n) => Ok(Object::Index(n)),
            Value::Bool(truth) => Ok(Object::Bool(truth)),
            Value::Number(number, dtype) => Ok(Object::Scalar(number, dtype)),
            Value::Signed(_) => Err(plain(format!("{value} is returned"))),
        };
        let returned = returned.into_iter().zip(&loops.returns).map(|(value, (ty, _))| match ty {
            Type::Scalar(dtype) => Ok(Object::Scalar(value.as_element().map_err(plain)?, *dtype)),
            _ => object(value),
        });
        returned.collect()
    }
}

fn contents(cells: &Cells, name: &str) -> Done<ArrayValue> {
    cells.contents(name).map_err(plain)
}

impl Tensor {
    /// The array at a place of a level.
    fn array(&self, place: &Place) -> Done<Vec<usize>> {
        let found = match place {
            Place::Values => None,
            Place::Level { level, field } => self.arrays.get(&(*level, field.clone())),
        };
        found.cloned().ok_or_else(|| plain(format!("no {place:?} of {}", self.ty.format)))
    }
}
