//! How the time of a kernel grows with its operands, for its documentation.
//!
//! A loop runs as often as those around it, times its own trips. Where it walks below positions that
//! the loops around have walked to, both together walk the stored entries of one tensor:
//! `i + nnz(A)`, not `i · nnz(A)`.

use std::collections::BTreeMap;

use crate::concrete::Program;
use crate::concrete::space::{BlockSize, Definition};
use crate::iteration::iterator::LevelIterator;
use crate::iteration::plan::{Loop, Plan};
use crate::notation::{Access, TensorId, VariableId};

/// How often something runs: a product.
#[derive(Clone, Debug, Default, PartialEq)]
struct Trips {
    /// The variables of which each coordinate is visited.
    dimensions: Vec<VariableId>,
    /// The accesses whose entries are walked, down to a level.
    walked: BTreeMap<Access, usize>,
    /// Those of which only the entries below one coordinate of these variables are, on average.
    shared: Vec<VariableId>,
}

/// Sums of products such as `i + nnz(A)`.
pub(super) fn time(program: &Program, plan: &Plan) -> String {
    let mut time = Time { program, terms: Vec::new() };
    time.add(plan, &Trips::default(), &[]);
    let terms = time.terms.clone();
    let is_covered = |k: usize| {
        terms.iter().enumerate().any(|(other, term)| {
            other != k && (terms[k] != *term || other < k) && is_within(&terms[k], term)
        })
    };
    let kept = (0..terms.len()).filter(|k| !is_covered(*k));
    let mut shown: Vec<String> = Vec::new();
    for term in kept.map(|k| time.show(&terms[k])) {
        if !shown.contains(&term) {
            shown.push(term);
        }
    }
    if shown.is_empty() { "1".to_owned() } else { shown.join(" + ") }
}

/// Whether one product is a part of another, so that it never is the larger one.
fn is_within(part: &Trips, whole: &Trips) -> bool {
    part.shared == whole.shared
        && part.dimensions.iter().all(|v| whole.dimensions.contains(v))
        && part
            .walked
            .iter()
            .all(|(access, level)| whole.walked.get(access).is_some_and(|deepest| deepest >= level))
}

struct Time<'p> {
    program: &'p Program,
    terms: Vec<Trips>,
}

impl Time<'_> {
    /// Adds what a plan takes within loops that run so often. What stands beside the walk of one
    /// operand in a merged loop is `elsewhere`: its own walk is a term of its own.
    fn add(&mut self, plan: &Plan, around: &Trips, elsewhere: &[Access]) {
        match plan {
            Plan::Loop(inner) => self.add_loop(inner, around, elsewhere),
            Plan::Where { consumer, producer, .. } => {
                self.add(producer, around, elsewhere);
                self.add(consumer, around, elsewhere);
            }
            Plan::Assign { .. } => self.push(around.clone()),
            Plan::If { body, .. } => {
                self.push(around.clone());
                self.add(body, around, elsewhere);
            }
            Plan::Sequence(plans) => {
                plans.iter().for_each(|plan| self.add(plan, around, elsewhere));
            }
        }
    }

    fn push(&mut self, term: Trips) {
        if !self.terms.contains(&term) {
            self.terms.push(term);
        }
    }

    fn add_loop(&mut self, inner: &Loop, around: &Trips, elsewhere: &[Access]) {
        // The first merge point has all iterators, and its first case all that there is to do.
        let Some(point) = inner.points.first() else { return };
        let mut drivers: Vec<&LevelIterator> =
            point.drivers.members().map(|member| &inner.iterators[member]).collect();
        let is_full = |iterator: &&LevelIterator| iterator.is_full(self.program);
        let whole = point.by_dimension || drivers.iter().any(is_full);
        drivers.retain(|iterator| {
            // What a workspace holds was put there by loops that are counted already.
            let counted = self.program.kernel.is_temporary(iterator.access.tensor);
            // An entry at most for each coordinate that is counted already.
            let is_diagonal = self.program.kernel.predicate(iterator.access.tensor).is_some();
            !counted && !is_diagonal && !is_full(iterator) && !elsewhere.contains(&iterator.access)
        });
        let beside = |own: Option<&Access>| {
            let others = drivers.iter().map(|iterator| &iterator.access);
            let others = others.filter(|access| Some(*access) != own).cloned();
            elsewhere.iter().cloned().chain(others).collect::<Vec<_>>()
        };
        let mut ways: Vec<(Trips, Vec<Access>)> = Vec::new();
        if whole {
            ways.push((self.over_dimension(inner, around), beside(None)));
        }
        for iterator in &drivers {
            ways.push((self.along(iterator, around), beside(Some(&iterator.access))));
        }
        let body = point.cases.first().map(|(_, outcome)| &inner.bodies[*outcome]);
        for (trips, elsewhere) in ways {
            self.push(trips.clone());
            if let Some(body) = body {
                self.add(body, &trips, &elsewhere);
            }
        }
    }

    fn over_dimension(&self, inner: &Loop, around: &Trips) -> Trips {
        let mut trips = around.clone();
        let dimensions = match self.program.space.definition(inner.variable) {
            // A block has a constant size.
            Some(
                Definition::Mod(_, BlockSize::Constant(_))
                | Definition::Div(_, BlockSize::Share(_)),
            ) => Vec::new(),
            Some(Definition::Div(of, BlockSize::Constant(_)))
            | Some(Definition::Mod(of, BlockSize::Share(_))) => vec![self.root(of)],
            Some(Definition::Fused(a, b)) => vec![a, b],
            Some(Definition::Slice(slice)) => vec![slice.of],
            Some(Definition::Once) => Vec::new(),
            Some(Definition::Sub(..) | Definition::Add(..) | Definition::Slot(_)) | None => {
                vec![inner.variable]
            }
        };
        let constant = |v: &VariableId| self.program.kernel.variable(*v).size.is_some();
        trips.dimensions.extend(dimensions.into_iter().filter(|v| !constant(v)));
        trips
    }

    /// The trips of a loop along a level: what was walked to above is walked on.
    fn along(&self, iterator: &LevelIterator, around: &Trips) -> Trips {
        let mut trips = around.clone();
        let LevelIterator { access, level, .. } = iterator;
        if trips.walked.contains_key(access) {
            trips.walked.insert(access.clone(), *level);
            return trips;
        }
        let levels = (0..*level).filter_map(|level| self.program.level_variable(access, level));
        for v in levels {
            let v = self.root(v);
            match trips.dimensions.iter().position(|known| *known == v) {
                Some(known) => {
                    trips.dimensions.remove(known);
                }
                None => trips.shared.push(v),
            }
        }
        trips.walked.insert(access.clone(), *level);
        trips
    }

    /// The variable that a block is one of.
    fn root(&self, v: VariableId) -> VariableId {
        match self.program.space.definition(v) {
            Some(Definition::Div(of, _) | Definition::Mod(of, _)) => self.root(of),
            Some(Definition::Slice(slice)) => self.root(slice.of),
            Some(
                Definition::Sub(..)
                | Definition::Add(..)
                | Definition::Fused(..)
                | Definition::Slot(_)
                | Definition::Once,
            )
            | None => v,
        }
    }

    fn show(&self, trips: &Trips) -> String {
        let name = |v: &VariableId| self.program.kernel.variable(*v).name.clone();
        let dimensions = trips.dimensions.iter().map(name);
        let walked = trips.walked.keys().map(|access| {
            format!("nnz({})", self.program.tensor(self.declared(access.tensor)).name)
        });
        let factors: Vec<String> = dimensions.chain(walked).collect();
        let mut shown = if factors.is_empty() { "1".to_owned() } else { factors.join(" · ") };
        for v in &trips.shared {
            shown.push_str(&format!(" / {}", name(v)));
        }
        shown
    }

    fn declared(&self, id: TensorId) -> TensorId {
        self.program.kernel.passed_as(id)
    }
}
