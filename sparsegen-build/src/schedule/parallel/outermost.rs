//! The outermost loop of a plan, and the range that parts of it divide.

use crate::concrete::parted::{Divides, Parted, Range};
use crate::concrete::space::Definition;
use crate::concrete::{Program, Temporary};
use crate::coordinate::Coordinate;
use crate::iteration::iterator::LevelIterator;
use crate::iteration::lattice::Set;
use crate::iteration::plan::{Loop, Plan};
use crate::iteration::presence::annihilates;
use crate::iteration::visits::is_collected;
use crate::level::{Holds, PositionIteration};
use crate::notation::{self, Access, Function, TensorId, VariableId};
use crate::schedule::cost::cost;

use super::{begins_anywhere, follows};

/// An outermost loop of a plan.
#[derive(Clone)]
pub(super) struct Outermost<'p> {
    pub(super) inner: &'p Loop,
    /// The reductions that the loops compute, if the result is a scalar that is computed from them.
    pub(super) reductions: Vec<Temporary>,
    /// `true` if the loop fills a workspace whose entries are those of the result.
    pub(super) collects: bool,
    /// `true` if loops before it fill a workspace, as each part does for itself.
    pub(super) fills: bool,
    /// `true` if loops before it run in full, which each part repeats.
    pub(super) repeats: bool,
}

impl<'p> Outermost<'p> {
    /// Finds the outermost loop; for a scalar result that is computed from reductions, the loops of
    /// these. There are several if a condition selects one of them, at most one of which runs. Scalars
    /// that are given have been computed before.
    pub(super) fn find(
        program: &Program,
        plan: &'p Plan,
        (given, reductions): (&[Temporary], &[Temporary]),
        found: &mut Vec<Outermost<'p>>,
    ) -> Result<(), String> {
        let several = || Err("there are several loops, one after another".to_owned());
        match plan {
            // A loop over one coordinate runs the loops below for that one.
            Plan::Loop(inner) if program.is_loop_of_fixed(inner.variable) => {
                let mut bodies = inner.bodies.iter().filter(|body| !body.is_skip());
                bodies
                    .try_for_each(|body| Outermost::find(program, body, (given, reductions), found))
            }
            Plan::Loop(inner) => {
                found.push(Outermost {
                    inner,
                    reductions: reductions.to_vec(),
                    collects: false,
                    fills: false,
                    repeats: false,
                });
                Ok(())
            }
            Plan::Where { consumer, .. }
                if program.has_versions
                    && let Some(versions) = consumer.versions() =>
            {
                let find = |version| Outermost::find(program, version, (given, reductions), found);
                versions.into_iter().try_for_each(find)
            }
            Plan::Where { temporaries, consumer, producer } => {
                if is_collected(program, temporaries, consumer) {
                    Outermost::find(program, producer, (given, &[]), found)?;
                    found.iter_mut().for_each(|of| of.collects = true);
                    return Ok(());
                }
                if reductions.is_empty()
                    && let Some((computed, producers)) = reductions_of(program, plan, given)
                {
                    let mut producers = producers.into_iter();
                    return producers.try_for_each(|of| {
                        Outermost::find(program, of, (given, &computed), found)
                    });
                }
                if matches!(&**consumer, Plan::Assign { .. }) {
                    return several();
                }
                let known = found.len();
                Outermost::find(program, consumer, (given, reductions), found)?;
                let is_cheap = program.are_workspaces(temporaries)
                    || cost(program, producer) <= cost(program, consumer);
                let mut loops = found[known..].iter_mut();
                match is_cheap && loops.all(|of| of.follow(program, plan)) {
                    true => Ok(()),
                    false => several(),
                }
            }
            // All parts take the same case.
            Plan::If { body, .. } if reductions.is_empty() && !computes_scalar(program) => {
                Outermost::find(program, body, (given, &[]), found)
            }
            Plan::Assign { .. } | Plan::If { .. } | Plan::Visit(_) => several(),
            Plan::Sequence(plans) => plans
                .iter()
                .try_for_each(|plan| Outermost::find(program, plan, (given, reductions), found)),
        }
    }

    /// Returns how the loop of a producer is divided, if it reduces entries of operands to scalars, with
    /// neither workspaces nor converted or sorted operands. A coordinate that is chosen has a sentinel, which the loops
    /// that read it would have to replace.
    pub(super) fn phase(
        program: &Program,
        temporaries: &[Temporary],
        producer: &'p Plan,
    ) -> Option<Parted> {
        let is_scalar =
            |of: &Temporary| !of.op.tells_where && can_combine(program, *of, &[producer]);
        let mut workspaces = program.workspaces().into_iter();
        let kernel = &program.kernel;
        let converted = kernel.converted().map(|(id, _)| id);
        let inverses = kernel.inverses().map(|(id, _)| id);
        let mut others = converted.chain(inverses).chain(kernel.previous());
        let (mut reads, mut reorders) = (producer.reads(), false);
        producer.for_each_loop(&mut |inner| {
            reads.extend(inner.iterators.iter().map(|iterator| &iterator.access));
            reorders |= inner.iterators.iter().any(LevelIterator::reorders);
        });
        if workspaces.any(|access| producer.assigns(access.tensor))
            || others.any(|id| reads.iter().any(|access| access.tensor == id))
            || reorders
            || !temporaries.iter().all(is_scalar)
        {
            return None;
        }
        let mut found = Vec::new();
        Outermost::find(program, producer, (&[], temporaries), &mut found).ok()?;
        let [only] = &found[..] else { return None };
        let is_plain = !only.collects && !only.fills && !only.repeats;
        let range = only.range(program).ok().filter(|_| is_plain)?;
        Some(Parted {
            variable: only.inner.variable,
            divides: Divides::Own,
            range,
            block: 1,
            prepares: false,
            has_rest: only.inner.rest.is_some(),
            reductions: temporaries.to_vec(),
            stores: Vec::new(),
            phases: Vec::new(),
        })
    }

    /// Returns whether each part can run the loops of temporaries before this one: in full, or at the
    /// coordinates of the part if it reads the temporaries at no others.
    fn follow(&mut self, program: &Program, plan: &Plan) -> bool {
        let Plan::Where { temporaries, producer, .. } = plan else { return false };
        let v = self.inner.variable;
        let mut own = Vec::new();
        producer.for_each_loop(&mut |inner| own.extend((inner.variable == v).then_some(inner)));
        self.fills |= program.are_workspaces(temporaries);
        self.repeats |= own.is_empty();
        let begins =
            |inner| Outermost { inner, ..self.clone() }.range(program) == Ok(Range::Coordinates);
        own.is_empty()
            || !follows(program, producer)
                && begins(self.inner)
                && own.into_iter().all(begins)
                && temporaries.iter().all(|temporary| is_indexed_by(program, temporary.tensor, v))
    }

    /// Returns the range that is divided: coordinates if all iterators can begin at one.
    pub(super) fn range(&self, program: &Program) -> Result<Range, String> {
        let inner = self.inner;
        let name = &program.kernel.variable(inner.variable).name;
        if let Some(counted) = program.space.positions_of(inner.variable) {
            return match program.space.counted_positions(&program.kernel, counted) {
                Some((access, [0, level])) if program.has_gaps(access, level) => {
                    let operand = &program.tensor(access.tensor).name;
                    Err(format!("`{operand}` has positions that belong to no entry"))
                }
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
            None
            | Some(
                Definition::Computed(Coordinate::Div(..) | Coordinate::Affine(_))
                | Definition::Fused(..),
            ) => true,
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

/// Returns whether some result is a scalar.
fn computes_scalar(program: &Program) -> bool {
    program.targets.iter().any(|target| target.access.indices.is_empty())
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

/// Returns the reductions from which a plan computes scalar results, and the plans that compute them,
/// one after another, if the loops can be divided and the values of the parts combined. Results may
/// also depend on scalars that are given.
pub(super) fn reductions_of<'p>(
    program: &Program,
    plan: &'p Plan,
    given: &[Temporary],
) -> Option<(Vec<Temporary>, Vec<&'p Plan>)> {
    let (mut reductions, mut producers, mut rest) = (Vec::<Temporary>::new(), Vec::new(), plan);
    while let Plan::Where { temporaries, consumer, producer } = rest {
        reductions.extend(temporaries);
        producers.push(&**producer);
        rest = consumer;
    }
    let results = match rest {
        Plan::Sequence(plans) => plans.iter().map(|plan| &**plan).collect(),
        plan => vec![plan],
    };
    let known = [&reductions, given].concat();
    let is_scalar = |plan: &Plan| {
        let Plan::Assign { target, value, .. } = plan else { return false };
        let mut is_computed = false;
        value.for_each_access(&mut |access| {
            is_computed |= reductions.iter().any(|of| of.tensor == access.tensor);
        });
        target.indices.is_empty() && is_computed && is_known_with(program, value, &known)
    };
    let can = reductions.iter().all(|of| can_combine(program, *of, &producers))
        && results.into_iter().all(is_scalar);
    can.then_some((reductions, producers))
}

/// Returns whether the values of a scalar can be combined that producers compute in parts.
fn can_combine(
    program: &Program,
    Temporary { tensor, .. }: Temporary,
    producers: &[&Plan],
) -> bool {
    let reads = |plan: &Plan| {
        plan.reads_presence(tensor) || plan.reads().iter().any(|access| access.tensor == tensor)
    };
    program.tensor(tensor).format.levels.is_empty()
        && producers.iter().all(|producer| !annihilates(producer, tensor) && !reads(producer))
}

/// Returns whether a value depends on no other results of loops than reductions, and cannot fail.
fn is_known_with(program: &Program, value: &notation::Expr, reductions: &[Temporary]) -> bool {
    use notation::Expr;
    let is_reduction = |tensor: &TensorId| reductions.iter().any(|of| of.tensor == *tensor);
    // Only integers have no quotient by 0.
    let is_integer = |tensor: TensorId| program.tensor(tensor).dtype.is_integer();
    let can_fail = |value: &Expr| {
        let mut reads = is_integer(program.kernel.result());
        value.for_each_access(&mut |access| reads |= is_integer(access.tensor));
        reads
    };
    match value {
        Expr::Access(Access { tensor, .. }) => {
            is_reduction(tensor)
                || program.tensor(*tensor).by_value && !program.kernel.is_temporary(*tensor)
        }
        Expr::Call(Function::Found(of), _) if !is_reduction(of) => false,
        Expr::Call(Function::Quotient | Function::Remainder, _) if can_fail(value) => false,
        Expr::Index(_)
        | Expr::Reduce(_)
        | Expr::Call(Function::Present | Function::Mask | Function::Entry, _) => false,
        Expr::Parameter(_)
        | Expr::Literal(_)
        | Expr::Constant(_)
        | Expr::Neg(_)
        | Expr::Binary(..)
        | Expr::Call(..) => value.children().all(|child| is_known_with(program, child, reductions)),
    }
}

/// Returns whether all accesses of a tensor have a variable among their indices.
fn is_indexed_by(program: &Program, tensor: TensorId, v: VariableId) -> bool {
    let is_indexed = |access: &Access| access.tensor != tensor || access.indices.contains(&v);
    let mut stores = true;
    program.body.for_each_assign(&mut |target, _, _| stores &= is_indexed(target));
    stores && program.body.reads().into_iter().all(is_indexed)
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
        && !program.has_gaps(&iterator.access, 0)
        && spec.level.position_iteration().is_some_and(is_plain)
        && arrays.any(|array| array.holds == Holds::Coordinates)
        && iterator.part(program).is_none()
        && !iterator.reorders()
        && !iterator.dedups()
}
