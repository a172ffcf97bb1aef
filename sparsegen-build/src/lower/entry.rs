//! Entry points: the public functions of a kernel, which call the loops of its statements.
//!
//! All entry points share one structure: they check the arguments; then, for each group of
//! statements, they convert operands, take the storage of the results, call the loops and return
//! the storage.

mod checks;
mod docs;
mod kept;
pub(super) mod known;
mod loops;
mod names;
mod own_checks;
mod parts;
mod run;
mod scalars;
mod signature;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::ir::{
    Argument, Call, Entry, Expr, Function, Group, Instruction, Kernel, Operand, Parameter, Result,
    Shape, Step, Target, Type, Value,
};
use crate::names::{beside, plain};
use signature::{
    extent, is_in_place, is_zeroed, parameter, passed_parameter, returned_type, seen_type,
};

/// Adds the entry points and loops of a kernel.
pub fn complete(mut kernel: Kernel) -> Kernel {
    let builder = Builder::of(&kernel);
    let (entries, loops) = (builder.entries(), builder.loops());
    (kernel.entries, kernel.loops) = (entries, loops);
    kernel
}

/// How results are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// In new tensors.
    New,
    /// In tensors of the caller.
    Into,
    /// In tensors of the caller, whose structure is kept.
    Compute,
}

struct Builder<'k> {
    kernel: &'k Kernel,
    groups: Vec<Group<'k>>,
    operands: Vec<&'k Operand>,
    /// `true` if there is a function that returns all results in new tensors.
    allocates: bool,
    /// `true` if there are separate functions for the structure of the results and for their
    /// values.
    computes: bool,
    /// `true` if the function that returns new tensors runs the loops itself, because new tensors
    /// already have the initial values.
    is_direct: bool,
    /// The loops for structures that are known.
    known: Vec<Function>,
    /// The name of the argument that keeps working memory, once it is determined.
    keeper: OnceCell<String>,
}

impl<'k> Builder<'k> {
    fn of(kernel: &'k Kernel) -> Builder<'k> {
        let groups = kernel.groups();
        let is_known = |(k, step): (usize, &Step)| {
            let mut before = kernel.steps[..k].iter();
            step.function.allocates() || before.any(|before| before.result == step.result)
        };
        let allocates = kernel.steps.iter().enumerate().all(is_known);
        let functions = || groups.iter().map(|group| group.function);
        let changes = |function: &Function| {
            function.updated_scalar().is_some() || function.results().any(|result| result.updates)
        };
        let mut structured = functions().filter(|function| function.has_structure());
        let computes = functions().any(Function::has_structure)
            && !kernel.functions().any(changes)
            && (allocates || structured.all(|function| function.compute.is_some()));
        let results = || functions().flat_map(|of| of.results().map(move |result| (of, result)));
        let in_place = results().all(|(of, result)| is_in_place(of, result));
        let is_zeroed = results().any(|(_, result)| is_zeroed(result));
        let has_tensors = results().next().is_some();
        let mut builder = Builder {
            operands: kernel.operands(),
            allocates,
            computes,
            is_direct: allocates && (in_place && is_zeroed || !has_tensors),
            known: Vec::new(),
            keeper: OnceCell::new(),
            groups,
            kernel,
        };
        builder.known = builder.known_loops();
        builder
    }

    /// Returns the entry points, public ones first.
    fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        if self.allocates {
            entries.push(self.allocating());
        }
        if self.passed().next().is_some() {
            entries.push(self.into(Way::Into));
        }
        entries.extend(self.keeps(Way::Into).then(|| self.with(Way::Into)));
        if self.has_own_checks() {
            entries.push(self.checking());
        }
        if self.computes {
            entries.extend(self.allocates.then(|| self.assembling()));
            entries.push(self.computing());
            entries.extend(self.computes_with().then(|| self.with(Way::Compute)));
        }
        entries
    }

    /// Returns the statements whose results the caller passes. Other scalars are returned.
    fn passed(&self) -> impl Iterator<Item = &'k Step> {
        self.kernel.results().filter(|step| match &step.function.result {
            Result::Tensor(_) => true,
            Result::Scalar { updates, .. } => updates.is_some(),
        })
    }

    /// Returns the statements whose results are returned by functions with results as arguments.
    fn returned(&self) -> impl Iterator<Item = &'k Step> {
        self.kernel.results().filter(|step| match &step.function.result {
            Result::Tensor(_) => false,
            Result::Scalar { updates, .. } => updates.is_none(),
        })
    }

    /// Returns whether two entry points share their checks in a separate function.
    fn has_own_checks(&self) -> bool {
        self.is_direct && self.passed().next().is_some() && !self.all_checks().is_empty()
    }

    /// Returns `NAME`, which creates the results.
    fn allocating(&self) -> Entry {
        let returns = self.kernel.results().map(|step| returned_type(&step.function.result));
        let body = if self.is_direct && self.keeps(Way::New) && self.passed().next().is_none() {
            self.with_new_memory(Way::New, self.operands.iter().map(|operand| name(operand)))
        } else if self.is_direct {
            self.body(Way::New)
        } else {
            let body = self.new_results();
            let results = self.passed().map(|step| Argument::Mut(step.result.clone()));
            let operands = self.operands.iter().map(|operand| name(operand));
            let call = self.call(beside(&self.kernel.name, "into"), results.chain(operands));
            let local = |step: &Step| Target::Let { name: step.result.clone(), is_mutable: false };
            let into = self.returned().map(local).collect();
            let mut rest = vec![Instruction::Run { into, value: Value::Call(call) }];
            rest.push(Instruction::Return(values(self.kernel.results())));
            self.with_operands(body, rest)
        };
        self.entry(
            self.kernel.name.clone(),
            self.docs_of_entry(),
            Vec::new(),
            returns.collect(),
            body,
        )
    }

    /// Returns `NAME_into` or `NAME_compute`, which store the results in arguments.
    fn into(&self, way: Way) -> Entry {
        let (into, docs) = match way {
            Way::New | Way::Into => (beside(&self.kernel.name, "into"), self.docs_of_into()),
            Way::Compute => (beside(&self.kernel.name, "compute"), self.docs_of_compute()),
        };
        let passed = self.passed().map(passed_parameter).collect();
        let returns = self.returned().map(|step| returned_type(&step.function.result)).collect();
        let body = if self.keeps(way) {
            let results = self.passed().map(|step| Argument::Name(step.result.clone()));
            let operands = self.operands.iter().map(|operand| name(operand));
            self.with_new_memory(way, results.chain(operands))
        } else {
            self.body(way)
        };
        self.entry(into, docs, passed, returns, body)
    }

    /// Returns `NAME_with` or `NAME_compute_with`, which take working memory as an argument.
    fn with(&self, way: Way) -> Entry {
        let keeper = std::iter::once(self.keeper_parameter());
        let parameters = keeper.chain(self.passed().map(passed_parameter)).collect();
        let returns = self.returned().map(|step| returned_type(&step.function.result)).collect();
        let (name, docs) = (self.name_with(way), self.docs_of_with(way));
        self.entry(name, docs, parameters, returns, self.body(way))
    }

    /// Returns whether `NAME_compute` runs loops that have working memory.
    fn computes_with(&self) -> bool {
        let mut structured = self.groups.iter().filter(|group| group.function.has_structure());
        structured.all(|group| group.function.compute.is_some()) && self.keeps(Way::Compute)
    }

    /// Returns `NAME_assemble`, which creates results with their structure.
    fn assembling(&self) -> Entry {
        let has_structure = |step: &&Step| step.function.has_structure();
        let local = |step: &Step| Target::Let {
            name: step.result.clone(),
            is_mutable: has_structure(&step),
        };
        let operands = self.operands.iter().map(|operand| name(operand));
        let call = self.call(self.kernel.name.clone(), operands);
        let into = self.kernel.results().map(local).collect();
        let mut body = vec![Instruction::Run { into, value: Value::Call(call) }];
        for result in self.kernel.results().filter(has_structure).flat_map(|s| s.function.results())
        {
            let (values, value) = (Argument::Values(result.name.clone()), (*result.fill).clone());
            body.push(Instruction::Fill { values, value });
        }
        body.push(Instruction::Return(values(self.kernel.results())));
        let returns =
            self.kernel.results().map(|step| returned_type(&step.function.result)).collect();
        let name = beside(&self.kernel.name, "assemble");
        self.entry(name, self.docs_of_assemble(), Vec::new(), returns, body)
    }

    /// Returns `NAME_compute`. It runs loops over the structure, or computes new results if there
    /// are no such loops.
    fn computing(&self) -> Entry {
        let mut structured = self.groups.iter().filter(|group| group.function.has_structure());
        if structured.all(|group| group.function.compute.is_some()) {
            return self.into(Way::Compute);
        }
        let operands = self.operands.iter().map(|operand| name(operand));
        let call = self.call(self.kernel.name.clone(), operands);
        let unpacked = |step: &Step| match &step.function.result {
            Result::Tensor(result) if self.kernel.results().count() > 1 => {
                self.names(&step.function, Some(&result.name)).unpacked
            }
            Result::Tensor(_) => self.names(&step.function, None).unpacked,
            Result::Scalar { .. } => step.result.clone(),
        };
        let local = |step| Target::Let { name: unpacked(step), is_mutable: false };
        let into = self.kernel.results().map(local).collect();
        let mut body = vec![Instruction::Run { into, value: Value::Call(call) }];
        body.extend(self.passed().map(|step| Instruction::Replace {
            into: step.result.clone(),
            by: unpacked(step),
            tensor: match &step.function.result {
                Result::Tensor(result) => result.tensor.clone(),
                Result::Scalar { .. } => plain(&step.result).to_owned(),
            },
        }));
        body.push(Instruction::Return(values(self.returned())));
        Entry { body, ..self.into(Way::Compute) }
    }

    /// Returns a public function with results and operands as arguments.
    fn entry(
        &self,
        name: String,
        docs: Vec<String>,
        mut parameters: Vec<Parameter>,
        returns: Vec<Type>,
        body: Vec<Instruction>,
    ) -> Entry {
        parameters.extend(self.operands.iter().map(|operand| parameter(operand)));
        Entry {
            name,
            kernel: plain(&self.kernel.name).to_owned(),
            docs,
            is_public: true,
            traits: self.kernel.traits(),
            parameters,
            returns,
            body,
        }
    }

    /// Returns a call of another entry point.
    fn call(&self, function: String, arguments: impl Iterator<Item = Argument>) -> Call {
        Call { function, arguments: arguments.collect(), is_fallible: true }
    }

    /// Returns the body of an entry point that runs the loops.
    fn body(&self, way: Way) -> Vec<Instruction> {
        let mut body = Vec::new();
        if way == Way::New {
            body.extend(self.new_results());
            let name = self.keeper();
            let own = Instruction::Workspaces { name, is_mutable: false };
            body.extend(self.keeps(way).then_some(own));
        }
        match self.has_own_checks() {
            true => body.push(self.check_call(way)),
            false => body.extend(self.all_checks()),
        }
        for (k, group) in self.groups.iter().enumerate() {
            let is_fresh = |name: &str| {
                let mut before = self.groups[..k].iter().flat_map(|group| group.steps);
                way == Way::New && before.all(|step| step.result != name)
            };
            body.extend(self.run(group, way, &is_fresh));
        }
        let returned: Vec<&Step> = match way {
            Way::New => self.kernel.results().collect(),
            Way::Into | Way::Compute => self.returned().collect(),
        };
        // Values that are returned immediately need no names.
        match body.pop() {
            Some(Instruction::Run { into, value }) if is_returned(&into, &returned) => {
                body.push(Instruction::Return(vec![value]));
            }
            last => {
                body.extend(last);
                body.push(Instruction::Return(values(returned.into_iter())));
            }
        }
        self.with_operands(body, Vec::new())
    }

    /// Creates the results that are tensors, each after the checks of the parts that determine its
    /// extents, which may be parts of earlier results. The extent of an earlier result is replaced by
    /// the expression that it was created with.
    fn new_results(&self) -> Vec<Instruction> {
        let mut shapes: BTreeMap<&str, Vec<Expr>> = BTreeMap::new();
        let mut new = Vec::new();
        for Step { function, result: name, .. } in self.kernel.results() {
            let Result::Tensor(result) = &function.result else { continue };
            new.extend(checks::before_shapes(function, &shapes));
            let extent = |size: &usize| match extent(function, &function.sizes[*size], false)? {
                Expr::Extent(of, mode) if shapes.contains_key(&*of) => {
                    shapes[&*of].get(mode).cloned()
                }
                extent => Some(extent),
            };
            let shape: Vec<Expr> = result.shape.iter().filter_map(extent).collect();
            shapes.insert(name, shape.clone());
            let (name, ty) = (result.name.clone(), seen_type(result));
            new.push(Instruction::New { name, ty, shape: Shape::Extents(shape) });
        }
        new
    }

    /// Returns the instructions, preceded by views of the operands that `reading` reads and by `let
    /// _` for operands that are not read.
    fn with_operands(&self, reading: Vec<Instruction>, rest: Vec<Instruction>) -> Vec<Instruction> {
        let is_viewed = |operand: &&&Operand| match operand {
            Operand::Tensor(_) => reads(&reading, operand.name()),
            Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => false,
        };
        let views = self.operands.iter().filter(is_viewed);
        let views: Vec<String> = views.map(|operand| operand.name().to_owned()).collect();
        let is_unused = |name: &&str| !reads(&reading, name) && !reads(&rest, name);
        let unused = self.operands.iter().map(|operand| operand.name()).filter(is_unused);
        let mut body: Vec<Instruction> =
            unused.map(|name| Instruction::Ignore(name.to_owned())).collect();
        if !views.is_empty() {
            body.push(Instruction::View(views));
        }
        [body, reading, rest].concat()
    }

    /// Returns the declaration of a scalar result.
    fn local(&self, step: &Step) -> Target {
        let computed = self.kernel.steps.iter().filter(|other| other.result == step.result);
        Target::Let { name: step.result.clone(), is_mutable: computed.count() > 1 }
    }
}

/// Returns whether the declared values are exactly those that are returned.
fn is_returned(into: &[Target], returned: &[&Step]) -> bool {
    let is_it = |(target, step): (&Target, &&Step)| match target {
        Target::Let { name, .. } => *name == step.result,
        Target::Field(_) => false,
    };
    !into.is_empty() && into.len() == returned.len() && into.iter().zip(returned).all(is_it)
}

/// Returns whether instructions read an argument.
fn reads(instructions: &[Instruction], name: &str) -> bool {
    let mut found = false;
    instructions.iter().for_each(|one| one.names(&mut |own| found |= own == name));
    found
}

fn values<'s>(steps: impl Iterator<Item = &'s Step>) -> Vec<Value> {
    steps.map(|step| Value::Name(step.result.clone())).collect()
}

fn name(operand: &Operand) -> Argument {
    Argument::Name(operand.name().to_owned())
}
