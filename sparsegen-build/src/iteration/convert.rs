//! Iterator conversion: the wrappers that give iterators the properties which a merge needs (Chou et
//! al. 2018, section 5.2).
//!
//! Entries that must come in order, and do not, are *reordered*: copied with their positions into
//! scratch, and sorted there. Duplicates are visited together, *dedup*, unless the loop tolerates that
//! they are visited one by one, *fused* with the loops below. A level that is only located, or scanned
//! alone for whom order does not matter, is left as it is.

use std::rc::Rc;

use super::iterator::{Conversion, LevelIterator, Positions};
use super::lattice::{MergePoint, Set};
use super::plan::Plan;
use crate::concrete::Program;
use crate::notation::{Access, BinaryOp, Expr, Function, ReduceOp};

/// How a loop meets duplicates that it may meet one by one, as far as the result is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duplicates {
    OneByOne,
    Together,
}

/// The iterators of a loop with their conversions; `None` where one of them cannot have what it needs.
pub(super) fn convert(
    program: &Program,
    iterators: &[LevelIterator],
    points: &[MergePoint],
    wants_order: bool,
    duplicates: Duplicates,
) -> Option<Vec<LevelIterator>> {
    let drivers = points.iter().fold(Set::EMPTY, |all, point| all.union(point.drivers));
    let convert = |(member, iterator): (usize, &LevelIterator)| {
        let mut iterator = iterator.clone();
        if !drivers.contains(member) {
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
        let unsearched = iterator.slice(program).is_some()
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
        iterator.reaches(program).then_some(iterator)
    };
    iterators.iter().enumerate().map(convert).collect()
}

/// Whether every duplicate that is visited one by one may be.
pub(super) fn is_tolerated(
    program: &Program,
    iterators: &[LevelIterator],
    points: &[MergePoint],
    bodies: &[Rc<Plan>],
) -> bool {
    let cases = points.iter().flat_map(|point| &point.cases);
    let outcomes: Vec<usize> = cases.map(|(_, outcome)| *outcome).collect();
    let mut fused = iterators.iter().filter(|it| it.conversions.contains(&Conversion::Fused));
    fused.all(|iterator| {
        outcomes.iter().all(|outcome| body_tolerates(program, iterator, &bodies[*outcome]))
    })
}

/// Whether a result assembled in order may be handed the same coordinate of this level's variable
/// more than once.
fn result_tolerates(program: &Program, iterator: &LevelIterator) -> bool {
    let variable = program.level_variable(&iterator.access, iterator.level);
    let variable = variable.map(|v| program.space.counted(v));
    let result = &program.kernel.assignment.result;
    let format = &program.tensor(result.tensor).format;
    let Some(last) = format.levels.iter().rposition(|spec| spec.level.append().is_some()) else {
        return true;
    };
    (0..=last)
        .filter(|level| program.level_variable(result, *level) == variable)
        .all(|level| !format.levels[level].properties.unique)
}

/// Whether a body may run once for each of several duplicates: it is a loop that the same operand
/// alone drives, and so on down to a level where no duplicates are left, so that the same entries
/// are visited either way; or everything is a sum that is linear in the operand.
fn body_tolerates(program: &Program, iterator: &LevelIterator, body: &Plan) -> bool {
    let depth = program.tensor(iterator.access.tensor).format.levels.len();
    if iterator.through + 1 == depth {
        return is_linear_sum_in(program, body, &iterator.access);
    }
    let Plan::Loop(inner) = body else { return false };
    let [point] = &inner.points[..] else { return false };
    let mut drivers = point.drivers.members().map(|member| &inner.iterators[member]);
    let (Some(driver), None) = (drivers.next(), drivers.next()) else { return false };
    let one_by_one = driver.conversions.contains(&Conversion::Fused);
    driver.access == iterator.access
        && driver.level == iterator.through + 1
        && (one_by_one || driver.spec(program).properties.unique)
}

/// Whether everything here is a sum whose every term has the access as a factor exactly once. What is
/// stored into a result that takes duplicates is a term of such a sum.
fn is_linear_sum_in(program: &Program, plan: &Plan, access: &Access) -> bool {
    match plan {
        Plan::Loop(inner) => {
            inner.bodies.iter().all(|body| is_linear_sum_in(program, body, access))
        }
        Plan::Where { .. } => false,
        Plan::Assign { target, accumulate, value } => {
            let leaf = program.tensor(target.tensor).format.levels.last();
            let takes_duplicates = leaf.is_some_and(|spec| !spec.properties.unique);
            (*accumulate == Some(ReduceOp::Sum) || takes_duplicates) && is_linear_in(value, access)
        }
        Plan::If { condition, body } => {
            let mut decides = false;
            condition.for_each_access(&mut |other| decides |= other == access);
            !decides && is_linear_sum_in(program, body, access)
        }
        Plan::Sequence(plans) => plans.iter().all(|plan| is_linear_sum_in(program, plan, access)),
    }
}

fn is_linear_in(value: &Expr, access: &Access) -> bool {
    let uses = |expr: &Expr| {
        let mut uses = false;
        expr.for_each_access(&mut |other| uses |= other == access);
        uses
    };
    match value {
        Expr::Call(Function::Mask, masked) => !uses(&masked[0]) && is_linear_in(&masked[1], access),
        Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Index(_)
        | Expr::Parameter(_)
        | Expr::Call(..)
        | Expr::Reduce(_) => false,
        Expr::Access(other) => other == access,
        Expr::Unary(_, a) => is_linear_in(a, access),
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
            is_linear_in(a, access) && is_linear_in(b, access)
        }
        Expr::Binary(BinaryOp::Mul, a, b) => {
            is_linear_in(a, access) && !uses(b) || is_linear_in(b, access) && !uses(a)
        }
        Expr::Binary(BinaryOp::Div, a, b) => is_linear_in(a, access) && !uses(b),
    }
}

impl LevelIterator {
    /// The positions that the loop's body has, of the last level that is resolved there.
    pub fn positions(&self) -> Positions {
        match (self.dedups(), self.reorders()) {
            (false, _) => Positions::One,
            (true, false) => Positions::Adjacent,
            (true, true) => Positions::Scattered,
        }
    }

    /// Whether a coordinate can occur twice here, at all.
    pub fn may_repeat(&self, program: &Program) -> bool {
        let properties = self.spec(program).properties;
        !(properties.unique || properties.branchless && self.parents == Positions::One)
    }

    /// Whether the levels that wait for this one can be reached from all positions that it has.
    fn reaches(&self, program: &Program) -> bool {
        let levels = &program.tensor(self.access.tensor).format.levels;
        let mut waiting = levels[self.level + 1..=self.through].iter();
        match self.positions() {
            Positions::One => true,
            Positions::Adjacent => waiting.all(|spec| spec.level.is_implied()),
            Positions::Scattered => waiting.next().is_none(),
        }
    }
}
