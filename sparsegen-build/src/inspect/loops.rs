//! The loops of a plan with their regions and merge points.

use std::collections::BTreeMap;

use crate::concrete::Program;
use crate::ir;
use crate::iteration::lattice::reasons::{Fate, RegionFate};
use crate::iteration::lattice::{Lattice, Set};
use crate::iteration::plan::{self, Plan};
use crate::iteration::resumed::Order;

/// A loop over one variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The number of the loop in its kernel.
    pub number: usize,
    /// The variable.
    pub variable: String,
    /// The number of enclosing loops.
    pub depth: usize,
    /// The iterators, such as `A2` for the second level of `A`.
    pub iterators: Vec<String>,
    /// The iterators that have an entry at every coordinate, as indices.
    pub full: Vec<usize>,
    /// Every region, those of more iterators first; empty if there are too many to list.
    pub regions: Vec<Region>,
    /// A merge point for every set of iterators, and what became of it; empty if there are too many.
    pub candidates: Vec<Candidate>,
    /// The merge points, in the order in which they run.
    pub points: Vec<MergePoint>,
    /// The statement of each body, by the numbers in merge points and regions; the first is empty.
    pub bodies: Vec<String>,
    /// The number of iterations, including those of the enclosing loops: `i + nnz(A)`.
    pub iterations: String,
    /// `true` if the coordinates are visited from the last one to the first one.
    pub backward: bool,
    /// The variable of the enclosing loop for whose previous coordinate this loop has run, if it
    /// resumes where it has ended.
    pub resumed_for: Option<String>,
}

/// A region: the coordinates at which exactly some iterators have an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// These iterators, as indices into [`Loop::iterators`].
    pub present: Vec<usize>,
    /// The body that runs there, as an index into [`Loop::bodies`].
    pub body: Option<usize>,
    /// The reason why nothing runs there; empty if a body does.
    pub reason: String,
}

/// A merge point before simplification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The iterators that have entries left, as indices into [`Loop::iterators`].
    pub remaining: Vec<usize>,
    /// Its index in [`Loop::points`], if it is left.
    pub point: Option<usize>,
    /// The reason why it is gone; empty if it is left.
    pub reason: String,
}

/// A merge point: one loop of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergePoint {
    /// The iterators that advance, as indices into [`Loop::iterators`].
    pub drivers: Vec<usize>,
    /// The iterators in which coordinates are looked up.
    pub located: Vec<usize>,
    /// `true` if the loop visits every coordinate of the dimension.
    pub by_dimension: bool,
    /// The sets of iterators of each case, and its body; the first case applies of which all
    /// iterators have an entry.
    pub cases: Vec<(Vec<Vec<usize>>, usize)>,
}

/// Returns the loops of a numbered plan, outer ones first.
pub(super) fn of(
    program: &Program,
    plan: &Plan,
    iterations: &BTreeMap<usize, ir::Time>,
) -> Vec<Loop> {
    let mut found = Vec::new();
    collect(program, plan, iterations, 0, &mut found);
    found
}

fn collect(
    program: &Program,
    plan: &Plan,
    iterations: &BTreeMap<usize, ir::Time>,
    depth: usize,
    found: &mut Vec<Loop>,
) {
    let mut within = |plan: &Plan| collect(program, plan, iterations, depth, found);
    match plan {
        Plan::Loop(inner) => {
            found.extend(inner.number.map(|number| Loop {
                iterations: iterations.get(&number).map_or(String::new(), ir::Time::to_string),
                ..shown(program, inner, number, depth)
            }));
            for body in &inner.bodies {
                collect(program, body, iterations, depth + 1, found);
            }
        }
        Plan::Where { consumer, producer, .. } => {
            within(producer);
            within(consumer);
        }
        Plan::Assign { .. } | Plan::Visit(_) => {}
        Plan::If { body, .. } => within(body),
        Plan::Sequence(plans) => plans.iter().for_each(|plan| within(plan)),
    }
}

fn shown(program: &Program, inner: &plan::Loop, number: usize, depth: usize) -> Loop {
    let names: Vec<String> = inner.iterators.iter().map(|it| it.show(program)).collect();
    let points = inner.points.iter().map(|point| MergePoint {
        drivers: members(point.drivers),
        located: members(point.located),
        by_dimension: point.by_dimension,
        cases: {
            let arms = point.arms().into_iter();
            arms.map(|(sets, body)| (sets.into_iter().map(members).collect(), body)).collect()
        },
    });
    let lattice = inner.lattice.as_deref();
    let bodies = lattice.map_or(&[][..], Lattice::bodies);
    let bodies = bodies.iter().map(|stmt| match stmt.is_skip() {
        true => String::new(),
        false => program.show(stmt),
    });
    Loop {
        number,
        variable: program.kernel.variable(inner.variable).name.clone(),
        depth,
        full: lattice.map_or_else(Vec::new, |lattice| members(lattice.full())),
        regions: lattice
            .map_or_else(Vec::new, |lattice| regions(lattice, &names, inner.rest.is_some())),
        candidates: lattice.map_or_else(Vec::new, |lattice| candidates(lattice, &names)),
        points: points.collect(),
        bodies: bodies.collect(),
        iterations: String::new(),
        backward: inner.order == Order::Backward,
        resumed_for: inner.resumes.map(|of| program.kernel.variable(of.around).name.clone()),
        iterators: names,
    }
}

fn members(set: Set) -> Vec<usize> {
    set.members().collect()
}

/// Returns the regions of a loop; `has_rest` states that those without effect are computed in one step.
fn regions(lattice: &Lattice, names: &[String], has_rest: bool) -> Vec<Region> {
    let regions = lattice.all_regions().unwrap_or_default().into_iter();
    let region = |region: crate::iteration::lattice::reasons::Region| {
        let (body, reason) = match region.fate {
            RegionFate::Runs(body) => (Some(body), String::new()),
            RegionFate::Empty(full) => {
                (None, format!("no coordinate is in it: `{}` has them all", names[full]))
            }
            RegionFate::NoEffect if has_rest => {
                (None, "all of its coordinates are computed in one step".to_owned())
            }
            RegionFate::NoEffect if region.present.is_empty() => {
                (None, "the statement has no effect without an entry".to_owned())
            }
            RegionFate::NoEffect => {
                let absent = Set::of(0..names.len()).minus(region.present);
                (None, format!("the statement has no effect without {}", list(absent, names)))
            }
        };
        Region { present: members(region.present), body, reason }
    };
    regions.map(region).collect()
}

fn candidates(lattice: &Lattice, names: &[String]) -> Vec<Candidate> {
    let all = lattice.all_points().unwrap_or_default().into_iter();
    let candidate = |candidate: crate::iteration::lattice::reasons::Candidate| {
        let (point, reason) = match candidate.fate {
            Fate::Point(point) => (Some(point), String::new()),
            Fate::Full(full) => {
                (None, format!("never reached: `{}` has every coordinate", names[full]))
            }
            Fate::Located(located) => {
                (None, format!("never reached: `{}` is looked up, not traversed", names[located]))
            }
            Fate::SameAs(set) => {
                (None, format!("only the entries of {} matter then", list(set, names)))
            }
            Fate::NoEffect => {
                let ended = Set::of(0..names.len()).minus(candidate.remaining);
                (None, format!("nothing is left to compute after {}", list(ended, names)))
            }
            Fate::Together => {
                (None, "part of the only loop, which runs while any lasts".to_owned())
            }
        };
        Candidate { remaining: members(candidate.remaining), point, reason }
    };
    all.map(candidate).collect()
}

/// Lists the names of iterators: `A2` and `B2`.
fn list(set: Set, names: &[String]) -> String {
    let quoted: Vec<String> = set.members().map(|k| format!("`{}`", names[k])).collect();
    match &quoted[..] {
        [] => "an entry".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
