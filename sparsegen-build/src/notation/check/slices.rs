//! Subranges of modes in a statement: slices, windows and fixed coordinates.
//!
//! Each is represented by a variable for the coordinate of the mode, which follows from the index
//! variable that counts the coordinates of the subrange. A fixed coordinate also has such an index
//! variable, of extent 1.
//!
//! A variable that is repeated in an access ranges over the mode that is stored first; the other
//! modes are read at its coordinate.

mod known;

use crate::coordinate::Affine;
use crate::names::{plain, snake_case};
use crate::notation::syntax::Access;
use crate::notation::{
    self, Domain, Expr as Canonical, Extent, List, Reduce, Slice, Subscript, Symbol, TensorId,
    Variable, VariableId, VariableRole,
};

use super::Context;
use super::bounds::parameters;
use super::names::Operand;

/// The subranges of modes in a statement.
#[derive(Debug, Default)]
pub(super) struct Parts<'m> {
    /// The subranges that variables of the statement count.
    counted: Vec<Part<Counted>>,
    /// The single coordinates, each with a variable of extent 1.
    points: Vec<Part<Point<'m>>>,
}

/// A subrange of a mode of a tensor.
#[derive(Clone, Debug, PartialEq)]
struct Part<R> {
    /// The tensor, as an index into [`Names::tensors`](super::names::Names::tensors).
    tensor: usize,
    mode: usize,
    reads: R,
}

/// The coordinates that a variable ranges over.
#[derive(Clone, Debug, PartialEq)]
struct Counted {
    of: VariableId,
    at: Affine<Symbol>,
    domain: Domain,
}

/// A single coordinate.
#[derive(Clone, Debug, PartialEq)]
enum Point<'m> {
    /// A constant, a variable of another mode, or the value of a sum, none of whose variables ranges
    /// over the mode.
    Affine(Affine<Symbol>, Domain),
    /// The coordinate of a variable of the statement within a range of the mode.
    InRange(Counted),
    Element(Gather<'m>),
    Listed(List, VariableId),
}

/// A gather, identified by its text.
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

/// The coordinates that an index reads.
enum Index<'m> {
    Whole(VariableId),
    Counted(Counted),
    Point(Point<'m>),
}

/// The names that the indices of an access may use.
#[derive(Clone, Copy)]
pub(super) struct Known<'a, 'm> {
    pub(super) context: Context<'m>,
    pub(super) tensors: &'a [Operand<'m>],
    pub(super) variables: &'a [&'m str],
}

/// Returns the subranges of all accesses.
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
    /// Returns the number of their variables.
    pub(super) fn count(&self) -> usize {
        self.counted.len() + 2 * self.points.len()
    }

    /// Returns an access, with the variable of each of its modes.
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

    /// Returns the variable of a mode as an access reads it.
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

    /// Returns the number of variables before those of modes: the variables of the statement and of
    /// single coordinates.
    fn modes(&self, known: Known<'_, 'm>) -> usize {
        known.variables.len() + self.points.len()
    }

    /// Returns the variables of single coordinates, followed by those of modes with subranges.
    pub(super) fn variables(&self, known: Known<'_, 'm>) -> Vec<Variable> {
        let mut made: Vec<Variable> = Vec::new();
        let mut add = |name: String, role: VariableRole| {
            let mut free = name;
            let is_taken = |free: &String| {
                known.variables.contains(&free.as_str()) || made.iter().any(|v| v.name == *free)
            };
            while is_taken(&free) {
                free.push('_');
            }
            let extent = match role {
                VariableRole::Fixed => Extent::Declared(1),
                _ => Extent::OfModes,
            };
            made.push(Variable { name: free, extent, role, expression: None });
        };
        let of_tensor = |name: &str, tensor: usize| {
            let tensor = plain(&known.tensors[tensor].argument);
            format!("{name}_of_{tensor}")
        };
        for part in &self.points {
            add(name_of(known, &part.reads), VariableRole::Fixed);
        }
        for Part { tensor, reads: Counted { of, at, domain }, .. } in &self.counted {
            let at = Subscript::Affine(at.clone());
            let slice = Slice { of: *of, at, domain: domain.clone() };
            add(of_tensor(known.variables[of.0], *tensor), VariableRole::Mode(slice));
        }
        for (k, part) in self.points.iter().enumerate() {
            let Some((at, domain)) = self.subscript(known, part) else { continue };
            let of = VariableId(known.variables.len() + k);
            let slice = Slice { of, at, domain };
            add(of_tensor(&name_of(known, &part.reads), part.tensor), VariableRole::Mode(slice));
        }
        made
    }

    /// Returns the coordinate of a point, and the values that it may have.
    fn subscript(
        &self,
        known: Known<'_, 'm>,
        point: &Part<Point<'m>>,
    ) -> Option<(Subscript, Domain)> {
        let Part { tensor, mode, reads } = point;
        let at = match reads {
            Point::Affine(sum, domain) => {
                return Some((Subscript::Affine(sum.clone()), domain.clone()));
            }
            Point::InRange(reads) => {
                let part = Part { tensor: *tensor, mode: *mode, reads: reads.clone() };
                let range = self.counted(known, &part)?;
                Subscript::Affine(Affine::variable(Symbol::Variable(range)))
            }
            Point::Element(gather) => Subscript::Element(self.access(known, gather.access)?),
            Point::Listed(list, v) => Subscript::Listed(list.clone(), *v),
        };
        Some((at, Domain::Mode))
    }
}

/// Returns the name of the variable of a single coordinate.
fn name_of(known: Known<'_, '_>, point: &Point<'_>) -> String {
    match point {
        Point::InRange(Counted { of, .. }) | Point::Listed(_, of) => {
            format!("at_{}", known.variables[of.0])
        }
        Point::Affine(sum, domain) => match (sum.as_constant(), sum.as_variable()) {
            (Some(number), _) if *domain == Domain::Mode => format!("at_{number}"),
            (_, Some(Symbol::Parameter(TensorId(id)))) => {
                format!("at_{}", parameters(known.context)[id - known.tensors.len()].text)
            }
            _ => {
                let variable = sum.variables().find_map(|symbol| symbol.as_variable());
                variable.map_or("at".to_owned(), |v| format!("at_{}", known.variables[v.0]))
            }
        },
        Point::Element(gather) => format!("at_{}", snake_case(&gather.access.name.text)),
    }
}

/// Binds the variables of fixed coordinates that are used only within sums by these sums, which
/// does not change their value, as the extent is 1. The variables of the result are not bound.
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

/// Binds a variable by every innermost sum that uses it; returns `None` if it is used outside of
/// all sums.
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
        Canonical::Neg(a) => Canonical::neg(bind(a, v, variables)?),
        Canonical::Binary(op, a, b) => {
            Canonical::binary(*op, bind(a, v, variables)?, bind(b, v, variables)?)
        }
        Canonical::Reduce(reduce) => match bind(&reduce.body, v, variables) {
            Some(body) => reduce.of(body),
            None => {
                let variables = reduce.variables.iter().copied().chain([v]).collect();
                Canonical::Reduce(Reduce { variables, ..reduce.clone() })
            }
        },
    })
}
