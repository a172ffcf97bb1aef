//! Masks as loop bounds: a predicate over the variable of a loop that bounds its range.
//!
//! `(i >= j) * A[i,j]` ends each row of `A` at the diagonal. Bounds of ordered entries are found by
//! binary search; other loops test the predicate for each entry.

use std::sync::Arc;

use crate::coordinate::Affine;
use crate::ir::{BinaryOp, Dtype, Expr, Stmt};
use crate::iteration::lattice::MergePoint;
use crate::iteration::plan::{Loop, Plan};
use crate::level::Segment;
use crate::notation::{self, Determined, VariableId};

use super::Lowering;
use super::affine::Difference;
use super::scope::Scope;
use super::value::literal;
use crate::types::Literal;

/// The bounds of a loop.
#[derive(Default)]
pub(super) struct Limits {
    /// The first coordinate.
    pub(super) start: Option<Expr>,
    /// The coordinate after the last one.
    pub(super) end: Option<Expr>,
}

/// The only coordinate that a loop visits.
enum Place {
    /// `of / by`, if `by` divides `of`.
    Quotient { of: Difference, by: usize },
    /// A value, if it is a coordinate, and the name of a variable for it.
    Class { value: Expr, dtype: Dtype, name: String },
}

impl Place {
    /// Returns the definition of the value that is tested.
    fn begin(&self) -> Option<Stmt> {
        match self {
            Place::Quotient { .. } => None,
            Place::Class { value, name, .. } => Some(Stmt::bind(name, value.clone())),
        }
    }

    /// Returns the coordinate, if it is one.
    fn coordinate(&self) -> Expr {
        match self {
            Place::Quotient { of: Difference { plus, minus }, by } => {
                Expr::div(Expr::sub(plus.clone(), minus.clone()), Expr::Index(*by))
            }
            Place::Class { dtype, name, .. } => {
                Expr::cast(Expr::var(name), Some(*dtype), Dtype::Usize)
            }
        }
    }

    /// Returns whether the coordinate can be computed before it is compared with bounds.
    fn is_never_negative(&self) -> bool {
        matches!(self, Place::Quotient { of, by: 1 } if of.minus == Expr::Index(0))
    }

    /// Returns the predicate that there is this coordinate, within bounds.
    fn is_within(&self, Segment { start, end }: Segment) -> Expr {
        let coordinate = self.coordinate();
        let begun = match start {
            Expr::Index(0) => Expr::Bool(true),
            start => Expr::le(start, coordinate.clone()),
        };
        let is_there = match self {
            Place::Quotient { of, by: 1 } => of.is_within(end),
            Place::Quotient { of, by } => {
                let rest = Expr::sub(of.plus.clone(), of.minus.clone());
                let is_whole = Expr::eq(Expr::rem(rest, Expr::Index(*by)), Expr::Index(0));
                Expr::and(Expr::and(of.is_reached(), is_whole), Expr::lt(coordinate, end))
            }
            // `usize` may be narrower than an integer. A negative one is large as an unsigned number.
            Place::Class { dtype: dtype @ (Dtype::I64 | Dtype::U64), name, .. } => {
                let class = Expr::cast(Expr::var(name), Some(*dtype), Dtype::U64);
                Expr::lt(class, Expr::cast(end, Some(Dtype::Usize), Dtype::U64))
            }
            Place::Class { dtype, .. } if dtype.is_integer() => Expr::lt(coordinate, end),
            // Numbers that are not whole, negative or NaN become other coordinates.
            Place::Class { dtype, name, .. } => {
                let back = Expr::cast(coordinate.clone(), Some(Dtype::Usize), *dtype);
                Expr::and(Expr::lt(coordinate, end), Expr::eq(back, Expr::var(name)))
            }
        };
        Expr::and(is_there, begun)
    }
}

impl Lowering<'_> {
    /// Lowers a loop with a single merge point, if predicates over all of its bodies bound its
    /// variable and the loop can begin and end at these bounds.
    pub(super) fn run_limited(&mut self, inner: &Loop, scope: &Scope) -> Option<Vec<Stmt>> {
        let [point] = &inner.points[..] else { return None };
        let is_part = self.parted.is_some_and(|parted| parted.variable == inner.variable);
        if is_part && inner.resumes.is_none() || !inner.may_be_limited(self.program) {
            return None;
        }
        if let Some((place, rest)) = self.determined(inner, scope) {
            return self.run_at(&rest, point, place, scope);
        }
        let (limits, rest) = self.limits(inner, scope)?;
        self.run_between(&rest, point, limits, scope)
    }

    /// Lowers a loop that visits one coordinate at most.
    fn run_at(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        place: Place,
        scope: &Scope,
    ) -> Option<Vec<Stmt>> {
        let driver = point.drivers.members().next().map(|driver| &inner.iterators[driver]);
        let whole = Segment { start: Expr::Index(0), end: self.extent(inner.variable) };
        let bounds = match driver {
            Some(driver) => self.coordinate_bounds(driver, scope),
            None => Some(whole.clone()),
        };
        let Some(bounds) = bounds else {
            let found = match self.run_searched(inner, point, place.coordinate(), scope) {
                Some(found) => found,
                None => self.run_between(inner, point, Limits::at(place.coordinate()), scope)?,
            };
            let found = Stmt::when(place.is_within(whole), found);
            return Some(place.begin().into_iter().chain(found).collect());
        };
        let name = self.names.variable(inner.variable).to_owned();
        let mut within = scope.clone();
        within.bind(inner.variable, Expr::var(&name));
        let bind = Stmt::bind(&name, place.coordinate());
        let body = self.cases(inner, point, &within, &[]);
        Some(if place.is_never_negative() {
            let place = Place::Quotient { of: Difference::from(Expr::var(&name)), by: 1 };
            let found = Stmt::when(place.is_within(bounds), body);
            std::iter::once(bind).chain(found).collect()
        } else {
            let body = std::iter::once(bind).chain(body).collect();
            place.begin().into_iter().chain(Stmt::when(place.is_within(bounds), body)).collect()
        })
    }

    /// Lowers a loop over the coordinates within limits, if it can begin and end there.
    fn run_between(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        limits: Limits,
        scope: &Scope,
    ) -> Option<Vec<Stmt>> {
        let Some(driver) = point.drivers.members().next() else {
            let whole = Segment { start: Expr::Index(0), end: self.extent(inner.variable) };
            return Some(self.run_cut(inner, point, limits.within(whole), scope));
        };
        let iterator = &inner.iterators[driver];
        if let Some(bounds) = self.coordinate_bounds(iterator, scope) {
            return Some(self.run_cut(inner, point, limits.within(bounds), scope));
        }
        if !iterator.can_be_cut(self.program) {
            return None;
        }
        if let Some(resumed) = inner.resumes {
            return Some(self.resume_by_position(inner, resumed, point, driver, limits, scope));
        }
        let (mut stmts, bounds) = self.begin(iterator, scope);
        let name = self.names.position(&iterator.access, iterator.level);
        let Segment { mut start, mut end } = bounds;
        if let Some(first) = limits.start {
            let found = self.search(iterator, start, end.clone(), first, scope);
            let begin = format!("{name}_begin");
            stmts.push(Stmt::bind(&begin, found));
            start = Expr::var(&begin);
        }
        if let Some(last) = limits.end {
            let after = format!("{name}_end");
            let found = self.search(iterator, start.clone(), end, last, scope);
            stmts.push(Stmt::bind(&after, found));
            end = Expr::var(&after);
        }
        stmts.extend(self.run_by_position(inner, point, driver, Segment { start, end }, scope));
        Some(stmts)
    }

    /// Lowers a loop over the coordinates within limits.
    fn run_cut(
        &mut self,
        inner: &Loop,
        point: &MergePoint,
        bounds: Segment,
        scope: &Scope,
    ) -> Vec<Stmt> {
        match inner.resumes {
            None => self.run_by_coordinate(inner, point, bounds, scope),
            Some(resumed) => self.resume_by_coordinate(inner, resumed, point, bounds, scope),
        }
    }

    /// Returns the bounds of the loop's variable from the predicates common to all bodies, and the
    /// loop without these predicates.
    fn limits(&self, inner: &Loop, scope: &Scope) -> Option<(Limits, Loop)> {
        let mut limits = Limits::default();
        let mut taken: Vec<notation::Expr> = Vec::new();
        for condition in inner.conditions() {
            if self.limit(condition, inner.variable, &mut limits, scope) {
                taken.push(condition.clone());
            }
        }
        if taken.is_empty() {
            return None;
        }
        Some((limits, without(inner, &taken)))
    }

    /// Returns the only coordinate that the loop visits because of a predicate, and the loop without this
    /// predicate.
    fn determined(&self, inner: &Loop, scope: &Scope) -> Option<(Place, Loop)> {
        inner.conditions().into_iter().find_map(|condition| {
            let determined = self.program.kernel.coordinate_of(condition, inner.variable)?;
            self.is_known_without(condition, inner.variable, scope).then_some(())?;
            let place = match determined {
                Determined::Quotient(of, by) => {
                    let (of, by) = (self.compared(&of, scope)?, usize::try_from(by).ok()?);
                    Place::Quotient { of, by }
                }
                Determined::Class(class) => {
                    let dtype = match class.is_place() {
                        true => Some(Dtype::I64),
                        false => self.program.kernel.dtype_of(&class),
                    };
                    let dtype = dtype.unwrap_or_else(|| self.type_of_literals());
                    let name = format!("{}_class", self.names.variable(inner.variable));
                    Place::Class { value: self.number(&class, dtype, scope), dtype, name }
                }
            };
            Some((place, without(inner, std::slice::from_ref(condition))))
        })
    }

    /// Adds the bounds of a variable that a predicate implies, if it implies any.
    fn limit(
        &self,
        condition: &notation::Expr,
        v: VariableId,
        limits: &mut Limits,
        scope: &Scope,
    ) -> bool {
        if !self.is_known_without(condition, v, scope) {
            return false;
        }
        let own = notation::Expr::Index(v);
        let by_value = self.bound_by_value(condition, v, scope);
        let bound = |limit: &Affine<notation::Expr>| {
            let is_end = limit.stride(&own) > 0;
            let bound = limit.solve_for(&own)?.plus(&Affine::constant(i64::from(is_end)))?;
            Some((is_end, self.compared(&bound, scope)?.coordinate()))
        };
        let bounds: Option<Vec<_>> = match by_value {
            Some(bound) => Some(vec![bound]),
            None => condition.limits(v).iter().map(bound).collect(),
        };
        for (is_end, bound) in bounds.iter().flatten() {
            match is_end {
                true => limits.to(bound.clone()),
                false => limits.from(bound.clone()),
            }
        }
        bounds.is_some_and(|bounds| !bounds.is_empty())
    }

    /// Returns the bound of a variable that is a value, if a predicate compares them, and whether it is the
    /// upper one.
    fn bound_by_value(
        &self,
        condition: &notation::Expr,
        v: VariableId,
        scope: &Scope,
    ) -> Option<(bool, Expr)> {
        let (limit, dtype) = self.program.kernel.value_limit(condition, v)?;
        let (value, extent) = (self.number(limit.value, dtype, scope), self.extent(v));
        let mut bound = value.clone();
        // `usize` may be narrower than an integer.
        if matches!(dtype, Dtype::I64 | Dtype::U64) {
            let extent = Expr::cast(extent.clone(), Some(Dtype::Usize), dtype);
            bound = Expr::binary(BinaryOp::Min, bound, extent);
        }
        bound = Expr::cast(bound, Some(dtype), Dtype::Usize);
        if limit.is_after {
            bound = Expr::add(Expr::min(bound, extent), Expr::Index(1));
        }
        if !dtype.is_unsigned() {
            let is_negative = Expr::lt(value, literal(Literal::Int(0), dtype));
            bound = Expr::choose(is_negative, Expr::Index(0), bound);
        }
        Some((limit.is_end, bound))
    }

    /// Returns whether the other variables of a predicate are known. A coordinate that is computed from
    /// the loop's variable, as in blocks, is known only within the loop.
    fn is_known_without(&self, condition: &notation::Expr, v: VariableId, scope: &Scope) -> bool {
        let kernel = &self.program.kernel;
        let variables = condition.variables().into_iter();
        let mut variables = variables.flat_map(|of| kernel.variables_of_index(of));
        variables.all(|of| of == v || scope.knows(of))
    }
}

/// Returns a loop without some of the predicates common to all bodies.
fn without(inner: &Loop, taken: &[notation::Expr]) -> Loop {
    let bodies = inner.bodies.iter().map(|body| unconditional(body, taken)).collect();
    Loop { bodies, ..inner.clone() }
}

/// Returns a plan without some of the predicates on which all of it depends.
fn unconditional(plan: &Arc<Plan>, taken: &[notation::Expr]) -> Arc<Plan> {
    match &**plan {
        Plan::If { condition, body } => {
            let kept = condition.conjuncts().into_iter();
            let kept = kept.filter(|condition| !taken.contains(condition)).cloned();
            let both = |a, b| notation::Expr::binary(BinaryOp::And, a, b);
            match kept.reduce(both) {
                Some(condition) => Arc::new(Plan::If { condition, body: Arc::clone(body) }),
                None => Arc::clone(body),
            }
        }
        Plan::Sequence(parts) => {
            let parts = parts.iter().map(|part| unconditional(part, taken));
            Arc::new(Plan::Sequence(parts.collect()))
        }
        Plan::Loop(_) | Plan::Where { .. } | Plan::Assign { .. } | Plan::Visit(_) => {
            Arc::clone(plan)
        }
    }
}

impl Limits {
    /// Returns the limits of a single coordinate.
    fn at(coordinate: Expr) -> Limits {
        let end = Expr::add(coordinate.clone(), Expr::Index(1));
        Limits { start: Some(coordinate), end: Some(end) }
    }

    fn from(&mut self, start: Expr) {
        self.start = Some(match self.start.take() {
            Some(known) => Expr::max(known, start),
            None => start,
        });
    }

    fn to(&mut self, end: Expr) {
        self.end = Some(match self.end.take() {
            Some(known) => Expr::min(known, end),
            None => end,
        });
    }

    /// Returns the intersection with a segment.
    fn within(self, Segment { start, end }: Segment) -> Segment {
        Segment {
            start: match self.start {
                Some(limit) if start == Expr::Index(0) => limit,
                Some(limit) => Expr::binary(BinaryOp::Max, start, limit),
                None => start,
            },
            end: match self.end {
                Some(limit) => Expr::min(end, limit),
                None => end,
            },
        }
    }
}
