//! The parts of modes that a statement reads: slices, and single coordinates.
//!
//! Each becomes a variable that stands for the mode's own coordinate and follows from the index
//! variable that counts the part's. A single coordinate has such an index variable too, of extent 1.
//!
//! A variable that stands twice in an access runs over the mode that is stored first; the others are
//! read at its coordinate.

mod known;

use crate::names::snake_case;
use crate::notation::syntax::Access;
use crate::notation::{
    self, Bound, Coordinate, Expr as Canonical, Factor, List, Place, PlaceId, Range, Reads, Reduce,
    Slice, TensorId, Term, Variable, VariableId, VariableRole, Window,
};

use super::Context;
use super::bounds::parameters;
use super::names::Operand;

/// The parts of modes that a statement reads.
#[derive(Debug, Default)]
pub(super) struct Parts<'m> {
    /// Those that variables of the statement count.
    counted: Vec<Part<Counted>>,
    /// The single coordinates, each with a variable of extent 1.
    points: Vec<Part<Point<'m>>>,
}

/// A part of a tensor's mode.
#[derive(Clone, Debug, PartialEq)]
struct Part<R> {
    /// The tensor: index into [`Names::tensors`](super::names::Names::tensors).
    tensor: usize,
    mode: usize,
    reads: R,
}

/// What a variable of the statement counts.
#[derive(Clone, Debug, PartialEq)]
struct Counted {
    of: VariableId,
    reads: Runs,
}

/// What a variable runs over.
#[derive(Clone, Debug, PartialEq)]
enum Runs {
    Range(Range),
    /// The coordinates at which a sum arrives, in which it counts so often.
    Window {
        sum: Vec<Term>,
        step: u64,
    },
}

/// A single coordinate.
#[derive(Clone, Debug, PartialEq)]
enum Point<'m> {
    Fixed(Bound),
    /// That of a variable of the statement.
    Variable(VariableId),
    /// That which a variable of the statement reaches in a range of the mode.
    InRange(Counted),
    /// A sum none of whose variables runs over the mode.
    Sum(Vec<Term>),
    Element(Gather<'m>),
    Listed(List, VariableId),
}

/// A gather, with its text by which it is known.
#[derive(Clone, Debug)]
struct Gather<'m> {
    text: String,
    access: &'m Access,
}

impl PartialEq for Gather<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// What an index reads of its mode.
enum Index<'m> {
    Whole(VariableId),
    Counted(Counted),
    Point(Point<'m>),
}

/// The names against which the indices of an access are read.
#[derive(Clone, Copy)]
pub(super) struct Known<'a, 'm> {
    pub(super) context: Context<'m>,
    pub(super) tensors: &'a [Operand<'m>],
    pub(super) variables: &'a [&'m str],
}

/// The parts of all accesses.
pub(super) fn of<'m>(known: Known<'_, 'm>) -> Parts<'m> {
    let mut parts = Parts::default();
    let mut add_all = |access: &'m Access| {
        let Some(tensor) = known.tensor(access) else { return };
        for mode in 0..access.indices.len() {
            let Some(index) = known.index(tensor, access, mode) else { continue };
            match index {
                Index::Whole(_) => {}
                Index::Counted(reads) => add(&mut parts.counted, Part { tensor, mode, reads }),
                Index::Point(reads) => {
                    if let Point::InRange(reads) = &reads {
                        let reads = reads.clone();
                        add(&mut parts.counted, Part { tensor, mode, reads });
                    }
                    add(&mut parts.points, Part { tensor, mode, reads });
                }
            }
        }
    };
    add_all(&known.context.statement.left);
    known.context.statement.right.for_each_access(&mut |access| {
        add_all(access);
        access.for_each_gather(&mut add_all);
    });
    parts
}

fn add<P: PartialEq>(parts: &mut Vec<P>, part: P) {
    if !parts.contains(&part) {
        parts.push(part);
    }
}

impl<'m> Parts<'m> {
    /// How many variables there are for them.
    pub(super) fn count(&self) -> usize {
        self.counted.len() + 2 * self.points.len()
    }

    /// An access, with the variable of each of its modes.
    pub(super) fn access(
        &self,
        known: Known<'_, 'm>,
        access: &'m Access,
    ) -> Option<notation::Access> {
        let tensor = known.tensor(access)?;
        let indices = (0..access.indices.len())
            .map(|mode| self.mode_variable(known, tensor, access, mode))
            .collect::<Option<_>>()?;
        Some(notation::Access { tensor: TensorId(tensor), indices })
    }

    /// The variable of a mode as an access reads it.
    fn mode_variable(
        &self,
        known: Known<'_, 'm>,
        tensor: usize,
        access: &'m Access,
        mode: usize,
    ) -> Option<VariableId> {
        match known.index(tensor, access, mode)? {
            Index::Whole(v) => Some(v),
            Index::Counted(reads) => self.counted(known, &Part { tensor, mode, reads }),
            Index::Point(reads) => {
                let part = Part { tensor, mode, reads };
                let k = self.points.iter().position(|point| *point == part)?;
                Some(VariableId(self.modes(known) + self.counted.len() + k))
            }
        }
    }

    fn counted(&self, known: Known<'_, 'm>, part: &Part<Counted>) -> Option<VariableId> {
        let k = self.counted.iter().position(|counted| counted == part)?;
        Some(VariableId(self.modes(known) + k))
    }

    /// How many variables stand before those of modes: the statement's, and those of points.
    fn modes(&self, known: Known<'_, 'm>) -> usize {
        known.variables.len() + self.points.len()
    }

    /// The variables of single coordinates, then those of modes of which parts are read; and the places
    /// by which these are read.
    pub(super) fn variables(&self, known: Known<'_, 'm>) -> (Vec<Variable>, Vec<Place>) {
        let mut made: Vec<Variable> = Vec::new();
        let mut places: Vec<Place> = Vec::new();
        let mut add = |name: String, role: VariableRole| {
            let mut free = name;
            let is_taken = |free: &String| {
                known.variables.contains(&free.as_str()) || made.iter().any(|v| v.name == *free)
            };
            while is_taken(&free) {
                free.push('_');
            }
            let size = (role == VariableRole::Fixed).then_some(1);
            made.push(Variable { name: free, size, role });
        };
        let mut place = |place: Place| {
            places.push(place);
            PlaceId(places.len() - 1)
        };
        let of_tensor = |name: &str, tensor: usize| {
            let tensor = known.tensors[tensor].argument.trim_start_matches("r#");
            format!("{name}_of_{tensor}")
        };
        for part in &self.points {
            add(name_of(known, &part.reads), VariableRole::Fixed);
        }
        for Part { tensor, reads: Counted { of, reads }, .. } in &self.counted {
            let reads = match reads {
                Runs::Range(range) => Reads::Range(*range),
                Runs::Window { sum, step } => {
                    Reads::Window(Window { at: place(Place::Sum(sum.clone())), step: *step })
                }
            };
            let slice = Slice { of: *of, reads };
            add(of_tensor(known.variables[of.0], *tensor), VariableRole::Mode(slice));
        }
        for (k, Part { tensor, mode, reads: point }) in self.points.iter().enumerate() {
            let at = match point {
                Point::Fixed(bound) => Coordinate::Fixed(*bound),
                Point::Variable(v) => Coordinate::Variable(*v),
                Point::InRange(reads) => {
                    let part = Part { tensor: *tensor, mode: *mode, reads: reads.clone() };
                    let Some(range) = self.counted(known, &part) else { continue };
                    Coordinate::Variable(range)
                }
                Point::Sum(sum) => Coordinate::Place(place(Place::Sum(sum.clone()))),
                Point::Element(gather) => {
                    let Some(access) = self.access(known, gather.access) else { continue };
                    Coordinate::Place(place(Place::Element(access)))
                }
                Point::Listed(list, v) => Coordinate::Place(place(Place::Listed(list.clone(), *v))),
            };
            let of = VariableId(known.variables.len() + k);
            let role = VariableRole::Mode(Slice { of, reads: Reads::At(at) });
            add(of_tensor(&name_of(known, point), *tensor), role);
        }
        (made, places)
    }
}

/// What the variable of a single coordinate is called.
fn name_of(known: Known<'_, '_>, point: &Point<'_>) -> String {
    match point {
        Point::Fixed(Bound::Number(number)) => format!("at_{number}"),
        Point::Fixed(Bound::Parameter(TensorId(id))) => {
            format!("at_{}", parameters(known.context)[id - known.tensors.len()].text)
        }
        Point::Variable(of) | Point::InRange(Counted { of, .. }) | Point::Listed(_, of) => {
            format!("at_{}", known.variables[of.0])
        }
        Point::Sum(sum) => {
            let variable = sum.iter().find_map(|term| match term.of {
                Factor::Variable(v) => Some(known.variables[v.0]),
                Factor::One | Factor::Parameter(_) => None,
            });
            variable.map_or_else(|| "at".to_owned(), |name| format!("at_{name}"))
        }
        Point::Element(gather) => format!("at_{}", snake_case(&gather.access.name.text)),
    }
}

/// An expression in which the variables of fixed coordinates that stand in sums only are bound by
/// these. Their extent is 1, so that it is the same sum. Those that the result has are bound nowhere.
pub(super) fn bind_fixed(
    value: Canonical,
    result: &crate::notation::Access,
    variables: &[Variable],
) -> Canonical {
    let counted =
        |mode: &VariableId| variables[mode.0].role.slice().map_or(*mode, |slice| slice.of);
    let of_result: Vec<VariableId> = result.indices.iter().map(counted).collect();
    let fixed =
        |v: &VariableId| variables[v.0].role == VariableRole::Fixed && !of_result.contains(v);
    let all = (0..variables.len()).map(VariableId).filter(fixed);
    all.fold(value, |value, v| bind(&value, v, variables).unwrap_or(value))
}

/// The expression with a variable bound by every innermost sum that reads it; nothing where it is read
/// outside of all sums.
fn bind(value: &Canonical, v: VariableId, variables: &[Variable]) -> Option<Canonical> {
    let reads =
        |mode: &VariableId| variables[mode.0].role.slice().is_some_and(|slice| slice.of == v);
    Some(match value {
        Canonical::Literal(_)
        | Canonical::Constant(_)
        | Canonical::Index(_)
        | Canonical::Parameter(_) => value.clone(),
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
