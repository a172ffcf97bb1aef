//! Outermost loops that are run in parts, each on a thread.

use crate::concrete::Program;
use crate::ir::{BinaryOp, Expr, Parallel, Stmt};
use crate::iteration::plan::{Loop, Plan};
use crate::level::{Holds, StorageArray};
use crate::notation::{self, VariableId};

use super::Lowering;

/// The variable of the outermost loop, where it can be run in parts that write to nothing in common;
/// otherwise why not.
pub(super) fn variable(program: &Program, plan: &Plan) -> Result<VariableId, String> {
    let outermost = outermost(program, plan).ok_or("there are several loops, one after another")?;
    let v = outermost.variable;
    let name = &program.kernel.variable(v).name;
    let [point] = &outermost.points[..] else {
        return Err(format!("several operands are merged over `{name}`"));
    };
    let mut drivers = point.drivers.members().map(|member| &outermost.iterators[member]);
    let counts = drivers.all(|driver| {
        driver.is_full(program) && driver.spec(program).level.coordinate_iteration().is_some()
    });
    if !counts || program.space.definition(v).is_some() {
        return Err(format!("the loop over `{name}` does not run over a whole dimension"));
    }
    let result = &program.kernel.assignment.result;
    if result.indices.is_empty() {
        return Ok(v);
    }
    let levels = &program.tensor(result.tensor).format.levels;
    if program.level_variable(result, 0) != Some(v) {
        let result = &program.tensor(result.tensor).name;
        return Err(format!("different `{name}` store to the same entries of `{result}`"));
    }
    let is_parted = levels.iter().all(|spec| match spec.level.insert() {
        Some(_) => spec.properties.full && spec.level.arrays().is_empty(),
        None => spec.level.append().is_some_and(|append| {
            let is_list = |array: &StorageArray| match array.holds {
                Holds::Coordinates | Holds::Numbers(_) => true,
                Holds::Positions | Holds::Indices(_) => append.holds_ends(),
                Holds::Bits => false,
            };
            spec.level.arrays().iter().all(is_list)
        }),
    });
    is_parted.then_some(v).ok_or_else(|| {
        let result = &program.tensor(result.tensor).name;
        format!("`{result}` cannot be put together from parts")
    })
}

/// The loop around everything; of a scalar result that is a sum, the loop that adds it up.
fn outermost<'p>(program: &Program, plan: &'p Plan) -> Option<&'p Loop> {
    let is_scalar = program.kernel.assignment.result.indices.is_empty();
    match plan {
        Plan::Loop(inner) => Some(inner),
        Plan::Where { temporary, consumer, producer, .. } if is_scalar => {
            let Plan::Assign { value: notation::Expr::Access(access), .. } = &**consumer else {
                return None;
            };
            if access.tensor == *temporary { outermost(program, producer) } else { None }
        }
        Plan::Where { .. } | Plan::Assign { .. } => None,
        Plan::Sequence(plans) => match &plans[..] {
            [only] => outermost(program, only),
            _ => None,
        },
    }
}

impl Lowering<'_> {
    /// What the function around the loops needs to know to run them in parts.
    pub(super) fn parallel(&self, body: &[Stmt]) -> Option<Parallel> {
        let v = self.parted?;
        let (begin, end) = self.names.part(v);
        let positions = |name: &str| {
            let is_it = |array: &crate::ir::Array| {
                array.name == name && matches!(array.element, crate::ir::Element::Index(_))
            };
            self.read_arrays().iter().any(is_it)
        };
        let mut work: Vec<String> = Vec::new();
        let variable = Expr::var(self.names.variable(v));
        let next = Expr::add(variable, Expr::Index(1));
        for stmt in body {
            stmt.for_each(&mut |stmt| {
                for expr in stmt.expressions() {
                    expr.for_each(&mut |expr| match expr {
                        Expr::Load { array, index }
                            if **index == next && positions(array) && !work.contains(array) =>
                        {
                            work.push(array.clone());
                        }
                        Expr::Load { .. }
                        | Expr::Index(_)
                        | Expr::Value(..)
                        | Expr::Bool(_)
                        | Expr::Largest(_)
                        | Expr::Var(_)
                        | Expr::Len(_)
                        | Expr::Search { .. }
                        | Expr::Pair(..)
                        | Expr::Unary(..)
                        | Expr::Binary(..) => {}
                    });
                }
            });
        }
        Some(Parallel { size: v.0, begin, end, work })
    }

    /// The bounds of the loop over `v`, if it is the one that is run in parts.
    pub(super) fn part(&self, v: VariableId) -> Option<(Expr, Expr)> {
        let (begin, end) = self.names.part(v);
        (self.parted == Some(v)).then(|| (Expr::var(&begin), Expr::var(&end)))
    }
}

/// A coordinate, or an extent, of the part that is run.
pub(super) fn within_part(end: Expr, begin: &str) -> Expr {
    Expr::binary(BinaryOp::Sub, end, Expr::var(begin))
}
