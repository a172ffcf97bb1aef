//! Iterator conversion: wraps iterators to give them the properties that a merge requires (Chou et
//! al. 2018, section 5.2).
//!
//! Unordered entries are *reordered*: copied with their positions to a scratch array and sorted
//! there. Duplicates are visited together (*dedup*), unless the loop permits visiting them
//! separately (*fused* with the loops below). A level that is only located in, or iterated alone in
//! a loop that needs no order, is not converted.

use std::sync::Arc;

use super::iterator::{Conversion, LevelIterator, Positions};
use super::lattice::{MergePoint, Set};
use super::plan::{Loop, Plan};
use crate::concrete::{Program, Target};
use crate::notation::{Access, BinaryOp, Expr, Function, ReduceOp};

/// How the loop that assembles the result may visit duplicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duplicates {
    OneByOne,
    Together,
}

/// Returns the iterators of a loop with their conversions, or `None` if a required conversion does
/// not exist. The bodies do not depend on whether the iterators in `optional` have an entry.
pub(super) fn convert(
    program: &Program,
    iterators: &[LevelIterator],
    points: &[MergePoint],
    optional: Set,
    wants_order: bool,
    duplicates: Duplicates,
) -> Option<Vec<LevelIterator>> {
    let drivers = points.iter().fold(Set::EMPTY, |all, point| all.union(point.drivers));
    let convert = |(member, iterator): (usize, &LevelIterator)| {
        let mut iterator = iterator.clone();
        if !drivers.contains(member) {
            if optional.contains(member) {
                iterator.conversions.push(Conversion::Optional);
            }
            return Some(iterator);
        }
        let alone =
            matches!(points, [point] if !point.by_dimension && point.drivers == Set::of([member]));
        let repeats = !iterator.spec(program).properties.unique;
        let fused = repeats
            && alone
            && duplicates == Duplicates::OneByOne
            && result_tolerates(program, &iterator);
        let dedups = repeats && !fused && iterator.may_repeat(program);
        let unsearched = iterator.part(program).is_some()
            && iterator.walks(program)
            && !iterator.is_searched(program);
        let unordered = !iterator.is_in_order(program);
        if (!alone || wants_order || dedups) && unordered || (!alone || dedups) && unsearched {
            let spec = iterator.spec(program);
            if spec.level.position_iteration().is_none() || spec.expr.may_be_negative() {
                return None;
            }
            iterator.conversions.push(Conversion::Reorder);
        }
        if fused {
            iterator.conversions.push(Conversion::Fused);
        } else if dedups {
            iterator.conversions.push(Conversion::Dedup);
        }
        let may_lack = !alone || !iterator.walks(program) && iterator.parents.may_be_none();
        if !fused && may_lack && optional.contains(member) {
            iterator.conversions.push(Conversion::Optional);
        }
        iterator.reaches(program).then_some(iterator)
    };
    iterators.iter().enumerate().map(convert).collect()
}

/// Returns whether all duplicates that are visited separately may be.
pub(super) fn is_tolerated(
    program: &Program,
    iterators: &[LevelIterator],
    points: &[MergePoint],
    bodies: &[Arc<Plan>],
) -> bool {
    let cases = points.iter().flat_map(|point| &point.cases);
    let outcomes: Vec<usize> = cases.map(|(_, outcome)| *outcome).collect();
    let mut fused = iterators.iter().filter(|it| it.conversions.contains(&Conversion::Fused));
    fused.all(|iterator| {
        outcomes.iter().all(|outcome| body_tolerates(program, iterator, &bodies[*outcome]))
    })
}

/// Returns whether a result that is assembled in order accepts repeated coordinates of the variable
/// of this level.
fn result_tolerates(program: &Program, iterator: &LevelIterator) -> bool {
    let variable = program.level_variable(&iterator.access, iterator.level);
    let variable = variable.map(|v| program.space.counted(v));
    program.targets.iter().all(|Target { access: result, .. }| {
        let format = &program.tensor(result.tensor).format;
        let last = format.levels.iter().rposition(|spec| spec.level.append().is_some());
        (0..last.map_or(0, |last| last + 1))
            .filter(|level| program.level_variable(result, *level) == variable)
            .all(|level| !format.levels[level].properties.unique)
    })
}

/// Returns whether a body may run separately for each duplicate. It may if it is a loop that only
/// the same operand drives, down to a level without duplicates, because the same entries are
/// visited either way. It may also if it only adds terms that are linear in the operand.
fn body_tolerates(program: &Program, iterator: &LevelIterator, body: &Plan) -> bool {
    let depth = program.tensor(iterator.access.tensor).format.levels.len();
    if iterator.through + 1 == depth {
        return is_linear_sum_in(program, body, &iterator.access);
    }
    let Plan::Loop(inner @ Loop { rest: None, .. }) = body else { return false };
    let [point] = &inner.points[..] else { return false };
    let mut drivers = point.drivers.members().map(|member| &inner.iterators[member]);
    let (Some(driver), None) = (drivers.next(), drivers.next()) else { return false };
    let one_by_one = driver.conversions.contains(&Conversion::Fused);
    driver.access == iterator.access
        && driver.level == iterator.through + 1
        && (one_by_one || driver.spec(program).properties.unique)
}

/// Returns whether a plan only adds terms that have the access as a factor exactly once. An
/// assignment to a result that accepts duplicates adds such a term.
fn is_linear_sum_in(program: &Program, plan: &Plan, access: &Access) -> bool {
    match plan {
        Plan::Loop(inner) => {
            inner.bodies.iter().all(|body| is_linear_sum_in(program, body, access))
        }
        Plan::Where { .. } => false,
        Plan::Assign { target, accumulate, value } => {
            let leaf = program.tensor(target.tensor).format.levels.last();
            let takes_duplicates = leaf.is_some_and(|spec| !spec.properties.unique);
            (*accumulate == Some(ReduceOp::SUM) || takes_duplicates)
                && is_linear_in(program, value, access)
        }
        Plan::Visit(_) => true,
        Plan::If { condition, body } => {
            !condition.reads(access) && is_linear_sum_in(program, body, access)
        }
        Plan::Sequence(plans) => plans.iter().all(|plan| is_linear_sum_in(program, plan, access)),
    }
}

fn is_linear_in(program: &Program, value: &Expr, access: &Access) -> bool {
    let uses = |expr: &Expr| expr.reads(access);
    match value {
        Expr::Call(Function::Mask, masked) => {
            !uses(&masked[0]) && is_linear_in(program, &masked[1], access)
        }
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Call(..)
        | Expr::Reduce(_) => false,
        Expr::Access(other) => other == access,
        Expr::Neg(a) => is_linear_in(program, a, access),
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
            is_linear_in(program, a, access) && is_linear_in(program, b, access)
        }
        Expr::Binary(BinaryOp::Mul, a, b) => {
            // Infinity times each duplicate of an entry may add up to NaN.
            let scales = |factor: &Expr| !uses(factor) && !program.kernel.may_be_infinite(factor);
            is_linear_in(program, a, access) && scales(b)
                || is_linear_in(program, b, access) && scales(a)
        }
        // Duplicates of an entry that are divided by zero may add up to NaN.
        Expr::Binary(_, a, b) => {
            let may_be_zero = b.as_literal().is_none_or(|literal| literal.is_zero());
            is_linear_in(program, a, access) && !may_be_zero
        }
    }
}

impl LevelIterator {
    /// Returns the kind of the positions of the last level that is resolved in the body of the
    /// loop.
    pub fn positions(&self) -> Positions {
        match (self.dedups(), self.reorders()) {
            (false, _) if self.is_optional() => Positions::AtMostOne,
            (false, _) => Positions::One,
            (true, false) if self.is_optional() => Positions::AnyAdjacent,
            (true, false) => Positions::Adjacent,
            (true, true) => Positions::Scattered,
        }
    }

    /// Returns whether the level may store a coordinate more than once.
    pub fn may_repeat(&self, program: &Program) -> bool {
        let properties = self.spec(program).properties;
        !(properties.unique || properties.branchless && self.parents.are_single())
    }

    /// Returns whether the deferred levels are reachable from all its positions.
    fn reaches(&self, program: &Program) -> bool {
        let levels = &program.tensor(self.access.tensor).format.levels;
        let mut waiting = levels[self.level + 1..=self.through].iter();
        match self.positions() {
            Positions::One | Positions::AtMostOne => true,
            Positions::Adjacent | Positions::AnyAdjacent => {
                waiting.all(|spec| spec.level.is_implied())
            }
            Positions::Scattered => waiting.next().is_none(),
        }
    }
}
