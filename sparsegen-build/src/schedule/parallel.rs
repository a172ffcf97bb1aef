//! `parallelize(i)`, and `parallel = true`: the outermost loop is divided into parts, each on a
//! thread.
//!
//! A part is an interval of coordinates, whatever the loop iterates over, or an interval of positions
//! if these have no order. Parts store to separate memory: to entries of their own, or to copies
//! that are combined in the order of the parts. They depend on the operands only, and so does the
//! result.

use std::rc::Rc;

use crate::concrete::parted::{Parted, Range, Stores};
use crate::concrete::space::Definition;
use crate::concrete::{Program, Target, Temporary};
use crate::coordinate::Coordinate;
use crate::error::{Diagnostic, Span};
use crate::format::LevelSpec;
use crate::iteration::iterator::LevelIterator;
use crate::iteration::lattice::Set;
use crate::iteration::plan::{Loop, Plan};
use crate::iteration::presence::annihilates;
use crate::level::{Holds, PositionIteration, StorageArray, is_list};
use crate::notation::{self, ReduceOp, VariableId};
use crate::types::Literal;

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
    Err(Diagnostic::new(span, message)
        .note(reason)
        .help("parallelize another loop, or remove the command"))
}

/// Returns how the outermost loop is divided into parts, or the reason why it cannot be.
pub(super) fn parted(program: &Program, plan: &Plan) -> Result<Parted, String> {
    let mut outermost = Vec::new();
    Outermost::find(program, plan, None, &mut outermost)?;
    let is_scalar = |target: &Target| target.access.indices.is_empty();
    if program.targets.len() > 1 && program.targets.iter().any(is_scalar) {
        return Err("a scalar is computed along with another result".to_owned());
    }
    let mut divisions = outermost.iter().map(|outermost| outermost.parted(program));
    let first = divisions.next().ok_or("there is no loop")??;
    match divisions.all(|other| other.as_ref() == Ok(&first)) {
        true => Ok(first),
        false => Err("loops for different cases differ".to_owned()),
    }
}

/// An outermost loop of a plan.
struct Outermost<'p> {
    inner: &'p Loop,
    /// The reduction that the loop computes, if its result is the value of a scalar.
    scalar: Option<ReduceOp>,
}

impl<'p> Outermost<'p> {
    /// Finds the outermost loop; for a scalar result that is a reduction, the loop of the
    /// reduction. There are several if a condition selects one of them, at most one of which runs.
    fn find(
        program: &Program,
        plan: &'p Plan,
        scalar: Option<ReduceOp>,
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
                found.push(Outermost { inner, scalar });
                Ok(())
            }
            Plan::Where { consumer, .. } if program.has_versions && found.is_empty() => {
                match versions(consumer) {
                    Some(mut versions) => versions
                        .try_for_each(|version| Outermost::find(program, version, scalar, found)),
                    None => several(),
                }
            }
            Plan::Where { temporaries, consumer, producer } => {
                let [Temporary { tensor, op }] = temporaries[..] else { return several() };
                let Plan::Assign { target, value: notation::Expr::Access(access), .. } =
                    &**consumer
                else {
                    return several();
                };
                let is_plain = target.indices.is_empty()
                    && access.tensor == tensor
                    && !annihilates(producer, tensor)
                    && !op.tells_where;
                match is_plain {
                    true => Outermost::find(program, producer, Some(op), found),
                    false => several(),
                }
            }
            Plan::Assign { .. } | Plan::If { .. } | Plan::Visit(_) => several(),
            Plan::Sequence(plans) => match &plans[..] {
                [only] => Outermost::find(program, only, scalar, found),
                _ => several(),
            },
        }
    }

    fn parted(&self, program: &Program) -> Result<Parted, String> {
        let range = self.range(program)?;
        let stores = program.targets.iter().map(|target| self.stores(program, target, &range));
        let stores = stores.collect::<Result<_, _>>()?;
        Ok(Parted { variable: self.inner.variable, range, stores })
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
        match program.space.definition(inner.variable) {
            None | Some(Definition::Computed(Coordinate::Div(..)) | Definition::Fused(..)) => {}
            Some(
                Definition::Computed(_)
                | Definition::Positions(_)
                | Definition::Slot(_)
                | Definition::Slice(_)
                | Definition::Fixed,
            ) => return Err(format!("the coordinates of `{name}` depend on others")),
        }
        let drivers = inner.points.iter().fold(Set::EMPTY, |all, point| all.union(point.drivers));
        let mut drivers = drivers.members().map(|member| &inner.iterators[member]);
        let Some(driver) = drivers.find(|driver| !begins_anywhere(program, driver)) else {
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

    /// Returns how parts of the loop store to a result.
    fn stores(&self, program: &Program, target: &Target, range: &Range) -> Result<Stores, String> {
        let result = &target.access;
        if result.indices.is_empty() {
            return self.scalar.map(Stores::Scalars).ok_or_else(|| {
                format!("`{}` is not a reduction", program.tensor(result.tensor).name)
            });
        }
        let v = self.inner.variable;
        let tensor = program.tensor(result.tensor);
        let levels = &tensor.format.levels;
        if tensor.format.placed().is_some() {
            let name = &tensor.name;
            return Err(format!("each entry of `{name}` follows the previous one of its parent"));
        }
        if program.level_variable(result, 0) == Some(v) && *range == Range::Coordinates {
            let can = levels.iter().all(is_stored_in_parts);
            return can
                .then_some(Stores::Apart)
                .ok_or_else(|| format!("`{}` cannot be assembled from parts", tensor.name));
        }
        // The blocks of positions of an operand are in the order of its entries.
        let in_any_order = !levels[0].properties.ordered || program.space.positions_of(v).is_some();
        let lists_entries = levels[0].level.append().is_some()
            && levels.iter().all(|spec| spec.level.insert().is_none() && is_stored_in_parts(spec))
            && in_any_order
            && !levels[0].properties.unique;
        if lists_entries {
            return Ok(Stores::Apart);
        }
        let name = &program.kernel.variable(v).name;
        let has_places =
            levels.iter().all(|spec| spec.properties.full && spec.level.arrays().is_empty());
        if !has_places {
            return Err(match result.indices.contains(&v) {
                true => {
                    format!("the entries of `{}` for each `{name}` are not contiguous", tensor.name)
                }
                false => {
                    format!("different `{name}` store to the same entries of `{}`", tensor.name)
                }
            });
        }
        let adds = target.in_place || target.unassigned == Literal::Int(0);
        let reads = program.kernel.previous().is_some() && !target.in_place;
        match adds && !reads && !target.is_partial && only_adds(&self.inner.bodies, target) {
            true if self.has_intervals(program, target) => Ok(Stores::Intervals),
            true => Ok(Stores::Copies),
            false => {
                Err(format!("different `{name}` store to the same entries of `{}`", tensor.name))
            }
        }
    }
}

impl Outermost<'_> {
    /// Returns whether the entries of consecutive positions have ascending coordinates in the
    /// outermost level of a result, so that each part stores to an interval of them.
    fn has_intervals(&self, program: &Program, target: &Target) -> bool {
        let counted = program.space.positions_of(self.inner.variable);
        let found = counted.and_then(|v| program.space.counted_positions(&program.kernel, v));
        let Some((access, [0, last])) = found else { return false };
        let levels = &program.tensor(access.tensor).format.levels;
        let finds_parents = levels[1..=last].iter().all(|spec| {
            let lists = |it: &dyn PositionIteration| it.segments().is_some();
            spec.properties.branchless || spec.level.position_iteration().is_some_and(lists)
        });
        let outermost = &levels[0];
        let is_known = match outermost.level.coordinate_iteration() {
            Some(_) => outermost.properties.full && outermost.level.arrays().is_empty(),
            None => is_list(outermost.level.as_ref()) && outermost.properties.ordered,
        };
        let v = program.level_variable(access, 0);
        program.targets.len() == 1
            && finds_parents
            && is_known
            && v.is_some()
            && program.level_variable(&target.access, 0) == v
            && program.tensor(target.access.tensor).format.mode_of(0).is_some()
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
        && iterator.slice(program).is_none()
        && !iterator.reorders()
        && !iterator.dedups()
}

/// Returns whether parts of a level can be stored separately.
fn is_stored_in_parts(spec: &LevelSpec) -> bool {
    match spec.level.insert() {
        Some(_) => spec.properties.full && spec.level.arrays().is_empty(),
        None => spec.level.append().is_some_and(|append| {
            let is_list = |array: &StorageArray| match array.holds {
                Holds::Coordinates | Holds::Numbers(_) => true,
                Holds::Positions | Holds::Indices(_) => append.holds_ends(),
                Holds::Bits | Holds::Entries => false,
            };
            spec.level.arrays().iter().all(is_list)
        }),
    }
}

/// Returns whether loops only add to a result, or assign each of its entries at most once.
fn only_adds(bodies: &[Rc<Plan>], target: &Target) -> bool {
    let mut sums: Vec<bool> = Vec::new();
    for body in bodies {
        body.for_each_assign(&mut |access, accumulate| {
            if access.tensor == target.access.tensor {
                sums.push(accumulate == Some(ReduceOp::SUM));
            }
        });
    }
    let mut sums = sums.iter();
    sums.clone().all(|is_sum| *is_sum) || !target.in_place && !sums.any(|is_sum| *is_sum)
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
