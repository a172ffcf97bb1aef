//! Predicates that limit a loop, and windows: a few coordinates around one of another loop.
//!
//! In `∀i ∀j (y[i] += x[j] if i - 3 <= j && j <= i)`, the loop over `j` visits at most four coordinates
//! for each `i`, however many there are.

use std::sync::Arc;

use super::plan::{Loop, Plan};
use crate::concrete::{Program, Target};
use crate::coordinate::Affine;
use crate::format::LevelSpec;
use crate::notation::Expr;

/// Returns the conditions on which all of some plans depend.
fn common<'p>(plans: impl Iterator<Item = &'p Arc<Plan>>) -> Vec<&'p Expr> {
    let mut conditions = plans.map(|plan| match &**plan {
        Plan::If { condition, .. } => condition.conjuncts(),
        Plan::Sequence(parts) => common(parts.iter()),
        Plan::Loop(_) | Plan::Where { .. } | Plan::Assign { .. } | Plan::Visit(_) => Vec::new(),
    });
    let first = conditions.next().unwrap_or_default();
    conditions.fold(first, |common, own| {
        common.into_iter().filter(|condition| own.contains(condition)).collect()
    })
}

impl Loop {
    /// Returns whether predicates over the loop's variable may limit its range: whether one operand at
    /// most drives it, and no result needs all coordinates.
    pub fn may_be_limited(&self, program: &Program) -> bool {
        let [point] = &self.points[..] else { return false };
        let mut drivers = point.drivers.members().map(|member| &self.iterators[member]);
        let is_whole = drivers.next().is_none_or(|driver| {
            !point.by_dimension && driver.part(program).is_none() && drivers.next().is_none()
        });
        is_whole && !program.basis.is_limited(self.variable) && !self.is_assembled_above(program)
    }

    /// Returns whether each coordinate of the variable must be appended to a result.
    fn is_assembled_above(&self, program: &Program) -> bool {
        program.targets.iter().any(|Target { access, .. }| {
            let levels = &program.tensor(access.tensor).format.levels;
            let is_own =
                |level: &usize| program.level_variable(access, *level) == Some(self.variable);
            let level = (0..levels.len()).find(is_own);
            level.is_some_and(|level| {
                let is_appended = |below: &LevelSpec| below.level.insert().is_none();
                levels[level].properties.full && levels[level + 1..].iter().any(is_appended)
            })
        })
    }

    /// Returns the predicates on which all bodies depend, if they depend on any.
    pub fn conditions(&self) -> Vec<&Expr> {
        common(self.bodies.iter().skip(1))
    }

    /// Returns how many ends of the loop's range are values, such as elements of lists.
    pub fn ends_at_values(&self, program: &Program) -> usize {
        let conditions = self.conditions();
        if conditions.is_empty() || !self.may_be_limited(program) {
            return 0;
        }
        let has = |is_end: bool| {
            conditions.iter().any(|condition| {
                let limit = program.kernel.value_limit(condition, self.variable);
                limit.is_some_and(|(limit, _)| limit.is_end == is_end)
            })
        };
        [true, false].into_iter().filter(|is_end| has(*is_end)).count()
    }

    /// Returns the largest number of coordinates that the loop visits each time because of predicates,
    /// if that is a constant.
    pub fn window(&self, program: &Program) -> Option<u64> {
        let conditions = self.conditions();
        // Few loops have predicates.
        if conditions.is_empty() || !self.may_be_limited(program) {
            return None;
        }
        let v = self.variable;
        if conditions.iter().any(|condition| program.kernel.coordinate_of(condition, v).is_some()) {
            return Some(1);
        }
        let own = Expr::Index(v);
        let bounds: Vec<Affine<Expr>> =
            conditions.into_iter().flat_map(|condition| condition.limits(v)).collect();
        let width = |upper: &Affine<Expr>, lower: &Affine<Expr>| {
            let are_bounds = upper.stride(&own) == 1 && lower.stride(&own) == -1;
            let apart = upper.clone().plus(lower).filter(|_| are_bounds)?.as_constant()?;
            u64::try_from(apart.saturating_neg().saturating_add(1).max(0)).ok()
        };
        bounds.iter().flat_map(|a| bounds.iter().filter_map(move |b| width(a, b))).min()
    }
}
