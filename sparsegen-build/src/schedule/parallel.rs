//! `parallelize(i)`, and `parallel = true`: the outermost loop is divided into parts, each on a
//! thread.
//!
//! A part is an interval of coordinates, whatever the loop iterates over, or an interval of positions
//! if these have no order. Parts store to separate memory: to entries of their own, or to copies
//! that are combined in the order of the parts. They depend on the operands only, and so does the
//! result.

mod stores;

use std::rc::Rc;

use super::cost::cost;
use crate::concrete::parted::{Parted, Range, Stores};
use crate::concrete::space::Definition;
use crate::concrete::{Program, Target, Temporary};
use crate::coordinate::Coordinate;
use crate::error::{Code, Diagnostic, Span};
use crate::iteration::iterator::LevelIterator;
use crate::iteration::lattice::Set;
use crate::iteration::plan::{Loop, Plan};
use crate::iteration::presence::annihilates;
use crate::level::{Holds, PositionIteration};
use crate::notation::{self, Access, Function, TensorId, VariableId};
use stores::{joins_phases, least_common_multiple};

/// Checks that the loop over a variable can be divided into parts.
pub(super) fn check(
    program: &Program,
    plan: &Plan,
    span: Span,
    variable: VariableId,
) -> Result<(), Diagnostic> {
    let name = |v: VariableId| &program.kernel.variable(v).name;
    let reason = match parted(program, plan) {
        Ok(outermost) if outermost.variable == variable => return Ok(()),
        Ok(outermost) => format!("the outermost loop is over `{}`", name(outermost.variable)),
        Err(reason) => reason,
    };
    let message = format!("the loop over `{}` cannot be run on several threads", name(variable));
    Err(Diagnostic::new(Code::CannotParallelize, span, message)
        .note(reason)
        .help("parallelize another loop, or remove the command"))
}

/// Returns how the outermost loop is divided into parts, or the reason why it cannot be.
pub(super) fn parted(program: &Program, plan: &Plan) -> Result<Parted, String> {
    let mut outermost = Vec::new();
    Outermost::find(program, plan, None, &mut outermost)?;
    let follows = !matches!(plan, Plan::Where { .. }) && follows(program, plan);
    if follows {
        let mut targets = program.targets.iter();
        targets.try_for_each(|target| joins_phases(program, target, &outermost))?;
    }
    let is_scalar = |target: &Target| target.access.indices.is_empty();
    if program.targets.len() > 1 && program.targets.iter().any(is_scalar) {
        return Err("a scalar is computed along with another result".to_owned());
    }
    let mut divisions = outermost.iter().map(|outermost| outermost.parted(program));
    let mut first = divisions.next().ok_or("there is no loop")??;
    if !divisions.all(|other| other.as_ref() == Ok(&first)) {
        return Err("loops for different cases differ".to_owned());
    }
    first.prepares = outermost.iter().any(|of| of.fills || of.repeats);
    if outermost.iter().any(|of| of.fills && of.repeats) && !first.is_independent() {
        // There would be as many workspaces as copies of the result, each filled in full.
        return Err("each part would fill a workspace and a copy of the result".to_owned());
    }
    Ok(first)
}

/// An outermost loop of a plan.
struct Outermost<'p> {
    inner: &'p Loop,
    /// The reduction that the loop computes, if the result is a scalar that is computed from it.
    scalar: Option<Temporary>,
    /// `true` if the loop fills a workspace whose entries are those of the result.
    collects: bool,
    /// `true` if loops before it fill a workspace, as each part does for itself.
    fills: bool,
    /// `true` if loops before it run in full, which each part repeats.
    repeats: bool,
}

impl<'p> Outermost<'p> {
    /// Finds the outermost loop; for a scalar result that is a reduction, the loop of the
    /// reduction. There are several if a condition selects one of them, at most one of which runs.
    fn find(
        program: &Program,
        plan: &'p Plan,
        scalar: Option<Temporary>,
        found: &mut Vec<Outermost<'p>>,
    ) -> Result<(), String> {
        let several = || Err("there are several loops, one after another".to_owned());
        match plan {
            // A loop over one coordinate runs the loops below for that one.
            Plan::Loop(inner) if program.is_loop_of_fixed(inner.variable) => {
                let mut bodies = inner.bodies.iter().filter(|body| !body.is_skip());
                bodies.try_for_each(|body| Outermost::find(program, body, scalar, found))
            }
            Plan::Loop(inner) => {
                found.push(Outermost {
                    inner,
                    scalar,
                    collects: false,
                    fills: false,
                    repeats: false,
                });
                Ok(())
            }
            Plan::Where { consumer, .. }
                if program.has_versions
                    && let Some(mut versions) = versions(consumer) =>
            {
                versions.try_for_each(|version| Outermost::find(program, version, scalar, found))
            }
            Plan::Where { temporaries, consumer, producer } => {
                if is_collected(program, temporaries, consumer) {
                    Outermost::find(program, producer, None, found)?;
                    found.iter_mut().for_each(|of| of.collects = true);
                    return Ok(());
                }
                if let ([temporary], Plan::Assign { target, value, .. }) =
                    (&temporaries[..], &**consumer)
                {
                    let is_plain = scalar.is_none()
                        && target.indices.is_empty()
                        && is_computed_from(program, value, temporary.tensor)
                        && !annihilates(producer, temporary.tensor)
                        && !temporary.op.tells_where;
                    return match is_plain {
                        true => Outermost::find(program, producer, Some(*temporary), found),
                        false => several(),
                    };
                }
                let known = found.len();
                Outermost::find(program, consumer, scalar, found)?;
                let is_cheap = program.are_workspaces(temporaries)
                    || cost(program, producer) <= cost(program, consumer);
                let mut loops = found[known..].iter_mut();
                match is_cheap && loops.all(|of| of.follow(program, plan)) {
                    true => Ok(()),
                    false => several(),
                }
            }
            Plan::Assign { .. } | Plan::If { .. } | Plan::Visit(_) => several(),
            Plan::Sequence(plans) => {
                plans.iter().try_for_each(|plan| Outermost::find(program, plan, scalar, found))
            }
        }
    }

    /// Returns whether each part may run the loops of temporaries that precede the loop: in full, or at
    /// the coordinates of the part if nothing else is read.
    fn follow(&mut self, program: &Program, plan: &Plan) -> bool {
        let Plan::Where { temporaries, producer, .. } = plan else { return false };
        let v = self.inner.variable;
        let mut own = Vec::new();
        producer.for_each_loop(&mut |inner| own.extend((inner.variable == v).then_some(inner)));
        self.fills |= program.are_workspaces(temporaries);
        self.repeats |= own.is_empty();
        let begins = |inner| Outermost { inner, ..*self }.range(program) == Ok(Range::Coordinates);
        own.is_empty()
            || begins(self.inner)
                && own.into_iter().all(begins)
                && temporaries.iter().all(|temporary| is_indexed_by(program, temporary.tensor, v))
    }

    fn parted(&self, program: &Program) -> Result<Parted, String> {
        let range = self.range(program)?;
        let stores = program.targets.iter().map(|target| self.stores(program, target, &range));
        let stores = stores.collect::<Result<Vec<_>, _>>()?;
        let blocks = program.targets.iter().zip(&stores);
        let blocks = blocks.filter(|(_, stores)| **stores == Stores::Joined);
        let blocks = blocks.filter_map(|(target, _)| self.block(program, target));
        let block = blocks.reduce(least_common_multiple).unwrap_or(1);
        Ok(Parted { variable: self.inner.variable, range, block, prepares: false, stores })
    }

    /// Returns the range that is divided: coordinates if all iterators can begin at one.
    fn range(&self, program: &Program) -> Result<Range, String> {
        let inner = self.inner;
        let name = &program.kernel.variable(inner.variable).name;
        if let Some(counted) = program.space.positions_of(inner.variable) {
            return match program.space.counted_positions(&program.kernel, counted) {
                Some((access, [0, level])) => {
                    Ok(Range::Positions { access: access.clone(), level })
                }
                Some(_) | None => Err(format!("the positions of `{name}` depend on others")),
            };
        }
        if fuses_slots(program, inner.variable) {
            return Err(format!("`{name}` counts slots, whose number only the loops know"));
        }
        let has_range = match program.space.definition(inner.variable) {
            None | Some(Definition::Computed(Coordinate::Div(..)) | Definition::Fused(..)) => true,
            Some(Definition::Computed(Coordinate::Affine(_))) => false,
            Some(
                Definition::Computed(Coordinate::Mod(..))
                | Definition::Positions(_)
                | Definition::Slot(_)
                | Definition::Slice(_)
                | Definition::Fixed,
            ) => return Err(format!("the coordinates of `{name}` depend on others")),
        };
        let drivers = inner.points.iter().fold(Set::EMPTY, |all, point| all.union(point.drivers));
        let mut drivers = drivers.members().map(|member| &inner.iterators[member]);
        // Each part sorts the entries at its own coordinates.
        let is_found = |driver: &&LevelIterator| {
            has_range && (driver.reorders() || begins_anywhere(program, driver))
        };
        let Some(driver) = drivers.find(|driver| !is_found(driver)) else {
            return Ok(Range::Coordinates);
        };
        let operand = &program.tensor(driver.access.tensor).name;
        match &inner.points[..] {
            // Positions do not tell which coordinates a part has.
            [point]
                if point.drivers.len() == 1
                    && inner.rest.is_none()
                    && is_divided_anywhere(program, driver) =>
            {
                Ok(Range::Positions { access: driver.access.clone(), level: driver.level })
            }
            _ => Err(format!("the entries of `{operand}` for each `{name}` cannot be searched")),
        }
    }
}

/// Returns whether a variable is fused of others, one of which counts slots.
fn fuses_slots(program: &Program, v: VariableId) -> bool {
    let is_slot = |v| matches!(program.space.definition(v), Some(Definition::Slot(_)));
    match program.space.definition(v) {
        Some(Definition::Fused(outer, inner)) => {
            [*outer, *inner].into_iter().any(|v| is_slot(v) || fuses_slots(program, v))
        }
        Some(_) | None => false,
    }
}

/// Returns whether a plan assigns the entries of a workspace to those of a result, and nothing else.
fn is_collected(program: &Program, temporaries: &[Temporary], consumer: &Plan) -> bool {
    let [Temporary { tensor: workspace, .. }] = *temporaries else { return false };
    let Plan::Loop(inner) = consumer else { return false };
    if !program.is_listed(workspace) {
        return false;
    }
    let is_entry = |body: &Plan| {
        matches!(body, Plan::Assign { target, accumulate: None, value: notation::Expr::Access(of) }
            if of.tensor == workspace && of.indices == [inner.variable]
                && target.indices == [inner.variable])
    };
    let mut bodies = inner.bodies.iter().filter(|body| !body.is_skip());
    inner.iterators.len() == 1 && inner.rest.is_none() && bodies.all(|body| is_entry(body))
}

/// Returns whether a value is computed from that of a scalar and from arguments, and cannot fail.
fn is_computed_from(program: &Program, value: &notation::Expr, scalar: TensorId) -> bool {
    let mut reads = false;
    value.for_each_access(&mut |access| reads |= access.tensor == scalar);
    reads && is_known_with(program, value, scalar)
}

/// Returns whether a value depends on no other results of loops than a scalar, and cannot fail.
fn is_known_with(program: &Program, value: &notation::Expr, scalar: TensorId) -> bool {
    use notation::Expr;
    match value {
        Expr::Access(Access { tensor, .. }) => {
            *tensor == scalar
                || program.tensor(*tensor).by_value && !program.kernel.is_temporary(*tensor)
        }
        Expr::Index(_)
        | Expr::Reduce(_)
        | Expr::Call(
            Function::Quotient
            | Function::Remainder
            | Function::Found(_)
            | Function::Present
            | Function::Mask
            | Function::Entry,
            _,
        ) => false,
        Expr::Parameter(_)
        | Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Neg(_)
        | Expr::Binary(..)
        | Expr::Call(..) => {
            value.children().into_iter().all(|child| is_known_with(program, child, scalar))
        }
    }
}

/// Returns whether all accesses of a tensor have a variable among their indices.
fn is_indexed_by(program: &Program, tensor: TensorId, v: VariableId) -> bool {
    let is_indexed = |access: &Access| access.tensor != tensor || access.indices.contains(&v);
    let mut stores = true;
    program.body.for_each_assign(&mut |target, _, _| stores &= is_indexed(target));
    stores && program.body.reads().into_iter().all(is_indexed)
}

/// Returns whether a plan has loops one after another.
fn follows(program: &Program, plan: &Plan) -> bool {
    match plan {
        Plan::Sequence(plans) => plans.len() > 1,
        Plan::Loop(inner) if program.is_loop_of_fixed(inner.variable) => {
            inner.bodies.iter().any(|body| follows(program, body))
        }
        Plan::Loop(_)
        | Plan::Where { .. }
        | Plan::Assign { .. }
        | Plan::If { .. }
        | Plan::Visit(_) => false,
    }
}

/// Returns the versions of a kernel that the extent of a range selects.
fn versions(consumer: &Plan) -> Option<impl Iterator<Item = &Plan>> {
    let Plan::Sequence(versions) = consumer else { return None };
    let version = |plan: &'_ Rc<Plan>| matches!(&**plan, Plan::If { .. });
    versions.iter().all(version).then(|| {
        versions.iter().filter_map(|plan| match &**plan {
            Plan::If { body, .. } => Some(&**body),
            Plan::Loop(_)
            | Plan::Where { .. }
            | Plan::Assign { .. }
            | Plan::Sequence(_)
            | Plan::Visit(_) => None,
        })
    })
}

/// Returns whether an iterator can begin at any coordinate: it counts, or its entries are searched.
pub(super) fn begins_anywhere(program: &Program, iterator: &LevelIterator) -> bool {
    if iterator.spec(program).level.coordinate_iteration().is_some() {
        return true;
    }
    let groups = |iteration: &dyn PositionIteration| iteration.groups().is_some();
    iterator.is_searched(program)
        && !iterator.is_single(program)
        && !iterator.is_spread(program)
        && !iterator.reorders()
        && !iterator.filters(program)
        && !iterator.spec(program).level.position_iteration().is_some_and(groups)
}

/// Returns whether the positions of an iterator can be divided anywhere, as the loop takes each of
/// them alone.
fn is_divided_anywhere(program: &Program, iterator: &LevelIterator) -> bool {
    let spec = iterator.spec(program);
    let is_plain = |iteration: &dyn PositionIteration| {
        iteration.groups().is_none() && iteration.all_carried().is_empty()
    };
    let mut arrays = spec.level.arrays().iter();
    iterator.level == 0
        && spec.level.position_iteration().is_some_and(is_plain)
        && arrays.any(|array| array.holds == Holds::Coordinates)
        && iterator.part(program).is_none()
        && !iterator.reorders()
        && !iterator.dedups()
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn only_outermost_loops_are_run_in_parts() {
        let spmv = "y[i] = A[i,j] * x[j]";
        let csr = "y = 'dense', A = 'csr', x = 'dense'";
        assert!(loops(spmv, csr, &["parallelize(i)"]).starts_with("∀i "));
        let cannot = "the loop over `j` cannot be run on several threads; ";
        assert_eq!(
            loops(spmv, csr, &["parallelize(j)"]),
            format!("{cannot}the outermost loop is over `i`")
        );
        // Parts that add to the same entries have copies of them.
        let csc = "y = 'dense', A = 'csc', x = 'dense'";
        assert!(loops(spmv, csc, &["parallelize(j)"]).starts_with("∀j "));
        // The command requires its loop outermost.
        let dense = "C = 'dense', A = 'dense', B = 'dense'";
        let product = "C[i,j] = A[i,k] * B[k,j]";
        assert!(loops(product, dense, &["reorder(j, i)", "parallelize(j)"]).starts_with("∀j "));
    }
}
