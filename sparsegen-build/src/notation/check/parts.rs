//! The parts of modes that a statement reads: slices, and single coordinates.
//!
//! Each becomes a variable that stands for the mode's own coordinate and follows from the index
//! variable that counts the part's. A single coordinate has such an index variable too, of extent 1.
//!
//! A variable that stands twice in an access runs over the mode that is stored first; the others are
//! read at its coordinate.

use crate::error::Name;
use crate::format::{Format, LevelExpr};
use crate::notation::syntax::{self, Access, IndexKind};
use crate::notation::{
    Bound, Coordinate, Expr as Canonical, Range, Reads, Reduce, Role, Slice, TensorId, Variable,
    VariableId,
};

use super::Context;
use super::bindings::is_parameter;
use super::bounds::parameters;
use super::names::Operand;

/// The parts of modes that a statement reads.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// Those that variables of the statement count.
    ranges: Vec<Part<Counted>>,
    /// The single coordinates, each with a variable of extent 1.
    points: Vec<Part<Point>>,
}

/// A part of a tensor's mode.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part<R> {
    /// The tensor: index into [`Names::tensors`](super::names::Names::tensors).
    tensor: usize,
    mode: usize,
    reads: R,
}

/// A range that a variable of the statement counts.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Counted {
    of: VariableId,
    range: Range,
}

/// A single coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Point {
    Fixed(Bound),
    /// That of a variable of the statement.
    Variable(VariableId),
    /// That which a variable of the statement reaches in a range of the mode.
    InRange(Counted),
}

/// What an index reads of its mode.
enum Index {
    Whole(VariableId),
    Range(Counted),
    Point(Point),
}

/// The names against which the indices of an access are read.
#[derive(Clone, Copy)]
pub(super) struct Known<'a, 'm> {
    pub(super) context: Context<'m>,
    pub(super) tensors: &'a [Operand<'m>],
    pub(super) variables: &'a [&'m str],
}

/// The parts of all accesses.
pub(super) fn of(known: Known<'_, '_>) -> Parts {
    let mut parts = Parts::default();
    let mut add_all = |access: &Access| {
        let Some(tensor) = known.tensor(access) else { return };
        for mode in 0..access.indices.len() {
            let Some(index) = known.index(tensor, access, mode) else { continue };
            match index {
                Index::Whole(_) => {}
                Index::Range(reads) => add(&mut parts.ranges, Part { tensor, mode, reads }),
                Index::Point(reads) => {
                    if let Point::InRange(reads) = reads {
                        add(&mut parts.ranges, Part { tensor, mode, reads });
                    }
                    add(&mut parts.points, Part { tensor, mode, reads });
                }
            }
        }
    };
    add_all(&known.context.statement.left);
    known.context.statement.right.for_each_access(&mut add_all);
    parts
}

fn add<P: PartialEq>(parts: &mut Vec<P>, part: P) {
    if !parts.contains(&part) {
        parts.push(part);
    }
}

impl Known<'_, '_> {
    pub(super) fn tensor(&self, access: &Access) -> Option<usize> {
        self.tensors.iter().position(|tensor| tensor.first.name.text == access.name.text)
    }

    fn variable(&self, name: &Name) -> Option<VariableId> {
        self.variables.iter().position(|known| *known == name.text).map(VariableId)
    }

    /// What an index reads of its mode; nothing where it is of no kind that is supported.
    fn index(&self, tensor: usize, access: &Access, mode: usize) -> Option<Index> {
        let index = match &access.indices[mode].kind {
            IndexKind::Name(name) if is_parameter(self.context, name) => {
                Index::Point(Point::Fixed(self.parameter(name)?))
            }
            IndexKind::Name(name) => Index::Whole(self.variable(name)?),
            IndexKind::Fixed(number) => {
                Index::Point(Point::Fixed(Bound::Number(number.unsigned_abs())))
            }
            IndexKind::Slice(slice) => {
                let step = slice.step.unwrap_or(1).unsigned_abs();
                let (start, end) = (self.bound(&slice.start)?, self.bound(&slice.end)?);
                let of = self.variable(&slice.variable)?;
                let shift = slice.shift;
                Index::Range(Counted { of, range: Range { start, end, step, shift } })
            }
            IndexKind::Set(..) | IndexKind::Affine(_) | IndexKind::Gather(_) => return None,
        };
        if !self.repeats(tensor, access, mode) {
            return Some(index);
        }
        Some(match index {
            Index::Whole(v) => Index::Point(Point::Variable(v)),
            Index::Range(counted) => Index::Point(Point::InRange(counted)),
            Index::Point(_) => index,
        })
    }

    /// Whether the variable of a mode stands for one that is stored earlier, too.
    fn repeats(&self, tensor: usize, access: &Access, mode: usize) -> bool {
        let Some(name) = variable_of(&access.indices[mode].kind) else { return false };
        let format = self.tensors[tensor].format.as_ref();
        let rank = |mode: usize| (format.and_then(|format| first_level(format, mode)), mode);
        access.indices.iter().enumerate().any(|(other, index)| {
            let is_same = variable_of(&index.kind).is_some_and(|of| of.text == name.text);
            other != mode && is_same && rank(other) < rank(mode)
        })
    }

    fn parameter(&self, name: &Name) -> Option<Bound> {
        let declared = parameters(self.context).iter().position(|known| known.text == name.text);
        declared.map(|k| Bound::Parameter(TensorId(self.tensors.len() + k)))
    }

    fn bound(&self, bound: &syntax::Bound) -> Option<Bound> {
        match bound {
            syntax::Bound::Number(number) => Some(Bound::Number(number.unsigned_abs())),
            syntax::Bound::Parameter(name) => self.parameter(name),
        }
    }
}

/// The variable that an index has for its mode.
fn variable_of(index: &IndexKind) -> Option<&Name> {
    match index {
        IndexKind::Name(name) | IndexKind::Set(name, _) => Some(name),
        IndexKind::Slice(slice) => Some(&slice.variable),
        IndexKind::Fixed(_) | IndexKind::Affine(_) | IndexKind::Gather(_) => None,
    }
}

/// The first level that tells of a mode alone.
fn first_level(format: &Format, mode: usize) -> Option<usize> {
    fn is_of(expr: &LevelExpr, mode: usize) -> bool {
        match expr {
            LevelExpr::Dimension(of) => *of == mode,
            LevelExpr::Div(of, _) | LevelExpr::Mod(of, _) => is_of(of, mode),
            LevelExpr::Sub(..) | LevelExpr::Add(..) | LevelExpr::Count(_) => false,
        }
    }
    let found = format.levels.iter().position(|spec| is_of(&spec.expr, mode));
    Some(found.unwrap_or(format.levels.len()))
}

impl Parts {
    /// How many variables there are for them.
    pub(super) fn count(&self) -> usize {
        self.ranges.len() + 2 * self.points.len()
    }

    /// The variable of a mode as an access reads it.
    pub(super) fn mode_variable(
        &self,
        known: Known<'_, '_>,
        tensor: usize,
        access: &Access,
        mode: usize,
    ) -> Option<VariableId> {
        match known.index(tensor, access, mode)? {
            Index::Whole(v) => Some(v),
            Index::Range(reads) => self.range(known, Part { tensor, mode, reads }),
            Index::Point(reads) => {
                let k = self.points.iter().position(|p| *p == Part { tensor, mode, reads })?;
                Some(VariableId(self.modes(known) + self.ranges.len() + k))
            }
        }
    }

    fn range(&self, known: Known<'_, '_>, part: Part<Counted>) -> Option<VariableId> {
        let k = self.ranges.iter().position(|range| *range == part)?;
        Some(VariableId(self.modes(known) + k))
    }

    /// How many variables stand before those of modes: the statement's, and those of points.
    fn modes(&self, known: Known<'_, '_>) -> usize {
        known.variables.len() + self.points.len()
    }

    /// The variables of single coordinates, then those of modes of which parts are read.
    pub(super) fn variables(&self, known: Known<'_, '_>) -> Vec<Variable> {
        let mut made: Vec<Variable> = Vec::new();
        let mut add = |name: String, role: Role| {
            let mut free = name;
            let is_taken = |free: &String| {
                known.variables.contains(&free.as_str()) || made.iter().any(|v| v.name == *free)
            };
            while is_taken(&free) {
                free.push('_');
            }
            let size = (role == Role::Fixed).then_some(1);
            made.push(Variable { name: free, size, role });
        };
        let shown = |point: Point| match point {
            Point::Fixed(Bound::Number(number)) => format!("at_{number}"),
            Point::Fixed(Bound::Parameter(TensorId(id))) => {
                format!("at_{}", parameters(known.context)[id - known.tensors.len()].text)
            }
            Point::Variable(of) | Point::InRange(Counted { of, .. }) => {
                format!("at_{}", known.variables[of.0])
            }
        };
        let of_tensor = |name: &str, tensor: usize| {
            let tensor = known.tensors[tensor].argument.trim_start_matches("r#");
            format!("{name}_of_{tensor}")
        };
        for part in &self.points {
            add(shown(part.reads), Role::Fixed);
        }
        for Part { tensor, reads: Counted { of, range }, .. } in &self.ranges {
            let slice = Slice { of: *of, reads: Reads::Range(*range) };
            add(of_tensor(known.variables[of.0], *tensor), Role::Mode(slice));
        }
        for (k, Part { tensor, mode, reads: point }) in self.points.iter().enumerate() {
            let at = match point {
                Point::Fixed(bound) => Coordinate::Fixed(*bound),
                Point::Variable(v) => Coordinate::Variable(*v),
                Point::InRange(reads) => {
                    let part = Part { tensor: *tensor, mode: *mode, reads: *reads };
                    let Some(range) = self.range(known, part) else { continue };
                    Coordinate::Variable(range)
                }
            };
            let of = VariableId(known.variables.len() + k);
            let role = Role::Mode(Slice { of, reads: Reads::At(at) });
            add(of_tensor(&shown(*point), *tensor), role);
        }
        made
    }
}

/// An expression in which the variables of fixed coordinates that stand in sums only are bound by
/// these. Their extent is 1, so that it is the same sum. Those that the result has are bound nowhere.
pub(super) fn bind_fixed(
    value: Canonical,
    result: &crate::notation::Access,
    variables: &[Variable],
) -> Canonical {
    let counted = |mode: &VariableId| match variables[mode.0].role {
        Role::Mode(slice) => slice.of,
        Role::Index | Role::Fixed => *mode,
    };
    let of_result: Vec<VariableId> = result.indices.iter().map(counted).collect();
    let fixed = |v: &VariableId| variables[v.0].role == Role::Fixed && !of_result.contains(v);
    let all = (0..variables.len()).map(VariableId).filter(fixed);
    all.fold(value, |value, v| bind(&value, v, variables).unwrap_or(value))
}

/// The expression with a variable bound by every innermost sum that reads it; nothing where it is read
/// outside of all sums.
fn bind(value: &Canonical, v: VariableId, variables: &[Variable]) -> Option<Canonical> {
    let reads = |mode: &VariableId| match variables[mode.0].role {
        Role::Mode(slice) => slice.of == v,
        Role::Index | Role::Fixed => false,
    };
    Some(match value {
        Canonical::Literal(_) | Canonical::Index(_) | Canonical::Parameter(_) => value.clone(),
        Canonical::Call(function, arguments) => {
            let arguments = arguments.iter().map(|a| bind(a, v, variables));
            Canonical::call(*function, arguments.collect::<Option<_>>()?)
        }
        Canonical::Access(access) => (!access.indices.iter().any(reads)).then(|| value.clone())?,
        Canonical::Unary(op, a) => Canonical::unary(*op, bind(a, v, variables)?),
        Canonical::Binary(op, a, b) => {
            Canonical::binary(*op, bind(a, v, variables)?, bind(b, v, variables)?)
        }
        Canonical::Reduce(Reduce { op, variables: bound, body }) => {
            match bind(body, v, variables) {
                Some(body) => Canonical::reduce(*op, bound.clone(), body),
                None => {
                    let bound = bound.iter().copied().chain([v]).collect();
                    Canonical::reduce(*op, bound, (**body).clone())
                }
            }
        }
    })
}
