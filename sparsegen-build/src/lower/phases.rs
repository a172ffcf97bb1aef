//! Reductions of whole tensors that run on threads before the loops that read their scalars.
//!
//! `∀i y[i] = x[i] / sum where ∀j sum += x[j]` is two functions: parts of the first one each return a
//! sum, and the combined one is an argument of the second.

use crate::concrete::parted::Parted;
use crate::concrete::{Program, Temporary};
use crate::ir::{Expr, Function, Given, Result};
use crate::iteration::plan::Plan;
use crate::types::Dtype;

use super::names::Names;
use super::scope::Scope;
use super::{Lowering, extents};

/// A producer that runs on threads of its own.
pub(super) struct Phase<'p> {
    temporaries: &'p [Temporary],
    producer: &'p Plan,
    parted: &'p Parted,
    /// The plan of what follows.
    pub(super) consumer: &'p Plan,
}

/// Returns the phases of a plan, outermost first.
pub(super) fn of<'p>(plan: &'p Plan, parted: Option<&'p Parted>) -> Vec<Phase<'p>> {
    let mut rest = plan;
    let phases = parted.into_iter().flat_map(|parted| &parted.phases);
    let phases = phases.map_while(|parted| {
        let Plan::Where { temporaries, consumer, producer } = rest else { return None };
        rest = consumer;
        Some(Phase { temporaries, producer, parted, consumer })
    });
    phases.collect()
}

/// Returns the scalars that the loops after some phases may read.
pub(super) fn given(program: &Program, phases: &[Phase<'_>]) -> Vec<Given> {
    let names = Names::of(program);
    phases.iter().flat_map(|phase| phase.scalars(program, &names)).collect()
}

/// Lowers phases to functions, in order.
pub(super) fn lower(program: &Program, phases: &[Phase<'_>]) -> Vec<Function> {
    let function = |(k, phase): (usize, &Phase<'_>)| {
        let given = given(program, &phases[..k]);
        Function { given, ..phase.lower(program) }
    };
    phases.iter().enumerate().map(function).collect()
}

impl Phase<'_> {
    /// Returns the scalars: reductions, each followed by whether it has a value, if that is read.
    fn scalars(&self, program: &Program, names: &Names) -> Vec<Given> {
        let scalars = self.temporaries.iter().flat_map(|Temporary { tensor, .. }| {
            let dtype = program.tensor(*tensor).dtype;
            let value = Given { name: names.argument(*tensor).to_owned(), dtype };
            let found = || Given { name: names.found(*tensor), dtype: Dtype::Bool };
            std::iter::once(value).chain(self.consumer.reads_presence(*tensor).then(found))
        });
        scalars.collect()
    }

    fn lower(&self, program: &Program) -> Function {
        let Phase { temporaries, producer, parted, consumer } = *self;
        let mut lowering = Lowering::new(program, producer, Some(parted));
        let mut body = extents::blocks(program, &lowering.names);
        body.extend(lowering.nested_copies(producer));
        let (loops, _) = lowering.produced(temporaries, consumer, producer, &Scope::default());
        body.extend(loops);
        let results =
            self.scalars(program, &lowering.names).into_iter().map(|Given { name, dtype }| {
                Result::Scalar { dtype, value: Expr::var(&name), updates: None }
            });
        let results = results.collect();
        let function = lowering.finish((producer, producer), body, results);
        // Phases read no converted operands.
        Function { conversions: Vec::new(), ..function }
    }
}
