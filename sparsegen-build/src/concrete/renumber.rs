//! Translation of statements to another program's tensors and variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::coordinate::Affine;
use crate::notation::{
    Access, Bound, Choice, Converted, Diagonal, Domain, Expr, Function, Inverse, Kernel, List,
    Listed, Predicate, Range, Reduce, Slice, Subscript, Symbol, TensorId, TensorRole, VariableId,
    VariableRole,
};

use super::space::{Definition, Positions};
use super::{Annotations, Stmt, Target, Temporary};

/// A map from the tensors and variables of one program to those of another.
#[derive(Clone, Debug, Default)]
pub struct Renumbering {
    pub tensors: BTreeMap<TensorId, TensorId>,
    pub variables: BTreeMap<VariableId, VariableId>,
}

impl Renumbering {
    /// Returns the identity.
    pub fn identity(kernel: &Kernel) -> Renumbering {
        let variables = (0..kernel.variables.len()).map(VariableId);
        Renumbering {
            tensors: kernel.tensor_ids().map(|id| (id, id)).collect(),
            variables: variables.map(|v| (v, v)).collect(),
        }
    }

    pub fn tensor(&self, id: TensorId) -> TensorId {
        self.tensors[&id]
    }

    pub fn variable(&self, v: VariableId) -> VariableId {
        self.variables[&v]
    }

    pub fn access(&self, access: &Access) -> Access {
        Access {
            tensor: self.tensor(access.tensor),
            indices: access.indices.iter().map(|v| self.variable(*v)).collect(),
        }
    }

    pub fn expr(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::Access(access) => Expr::Access(self.access(access)),
            Expr::Index(v) => Expr::Index(self.variable(*v)),
            Expr::Parameter(id) => Expr::Parameter(self.tensor(*id)),
            Expr::Call(Function::Extent(v), _) => Expr::extent(self.variable(*v)),
            Expr::Reduce(reduce) => {
                let variables = reduce.variables.iter().map(|v| self.variable(*v)).collect();
                Reduce { variables, ..reduce.clone() }.of(self.expr(&reduce.body))
            }
            Expr::Literal(_)
            | Expr::Constant(_)
            | Expr::Neg(_)
            | Expr::Binary(..)
            | Expr::Call(..) => expr.map_children(&mut |child| self.expr(child)),
        }
    }

    pub fn stmt(&self, stmt: &Stmt) -> Stmt {
        match stmt {
            Stmt::Forall { variable, annotations, body } => Stmt::Forall {
                variable: self.variable(*variable),
                annotations: Arc::new(self.annotations(annotations)),
                body: Box::new(self.stmt(body)),
            },
            Stmt::Where { temporaries, consumer, producer } => Stmt::Where {
                temporaries: temporaries
                    .iter()
                    .map(|t| Temporary { tensor: self.tensor(t.tensor), op: t.op })
                    .collect(),
                consumer: Box::new(self.stmt(consumer)),
                producer: Box::new(self.stmt(producer)),
            },
            Stmt::Assign { target, accumulate, value } => Stmt::Assign {
                target: self.access(target),
                accumulate: *accumulate,
                value: self.expr(value),
            },
            Stmt::If { condition, body } => {
                Stmt::If { condition: self.expr(condition), body: Box::new(self.stmt(body)) }
            }
            Stmt::Sequence(statements) => {
                Stmt::Sequence(statements.iter().map(|stmt| self.stmt(stmt)).collect())
            }
        }
    }

    fn annotations(&self, annotations: &Annotations) -> Annotations {
        Annotations {
            strategy: annotations.strategy,
            located: annotations.located.iter().map(|id| self.tensor(*id)).collect(),
            unroll: annotations.unroll,
        }
    }

    pub fn target(&self, target: &Target) -> Target {
        Target { access: self.access(&target.access), ..target.clone() }
    }

    /// Translates the role of a variable. Returns `None` if a number that it refers to has not been
    /// assigned.
    pub fn variable_role(&self, role: &VariableRole) -> Option<VariableRole> {
        match role {
            VariableRole::Mode(slice) => self.slice(slice).map(VariableRole::Mode),
            VariableRole::Index
            | VariableRole::Fixed
            | VariableRole::Scheduled
            | VariableRole::Stored => Some(role.clone()),
        }
    }

    pub fn role(&self, role: TensorRole) -> TensorRole {
        match role {
            TensorRole::Converted(Converted { of, for_lookup }) => {
                TensorRole::Converted(Converted { of: self.tensor(of), for_lookup })
            }
            TensorRole::Predicate(Predicate::Diagonal(Diagonal { from, to, ahead })) => {
                let [from, to] = [from, to].map(|v| self.variable(v));
                TensorRole::Predicate(Predicate::Diagonal(Diagonal { from, to, ahead }))
            }
            TensorRole::Predicate(Predicate::Listed(Listed { list, coordinate, ahead })) => {
                let (list, coordinate) = (self.tensor(list), self.variable(coordinate));
                TensorRole::Predicate(Predicate::Listed(Listed { list, coordinate, ahead }))
            }
            TensorRole::Inverse(Inverse { of, mode, coordinate, at }) => {
                let [mode, coordinate, at] = [mode, coordinate, at].map(|v| self.variable(v));
                TensorRole::Inverse(Inverse { of: self.tensor(of), mode, coordinate, at })
            }
            TensorRole::Choice(Choice { key, variable }) => TensorRole::Choice(Choice {
                key: self.tensor(key),
                variable: self.variable(variable),
            }),
            TensorRole::Result
            | TensorRole::Operand
            | TensorRole::Parameter(_)
            | TensorRole::Previous
            | TensorRole::Temporary
            | TensorRole::Workspace(_) => role,
        }
    }

    /// Translates a definition. Returns `None` like [`Self::variable_role`].
    pub fn definition(&self, definition: &Definition) -> Option<Definition> {
        let v = |v: &VariableId| self.variables.get(v).copied();
        Some(match definition {
            Definition::Computed(computed) => Definition::Computed(computed.map(v, |size| size)?),
            Definition::Fused(a, b) => Definition::Fused(v(a)?, v(b)?),
            Definition::Positions(Positions { over, tensor }) => {
                let tensor = match tensor {
                    Some(id) => Some(*self.tensors.get(id)?),
                    None => None,
                };
                Definition::Positions(Positions {
                    over: over.iter().map(v).collect::<Option<_>>()?,
                    tensor,
                })
            }
            Definition::Slot(id) => Definition::Slot(*self.tensors.get(id)?),
            Definition::Fixed => Definition::Fixed,
            Definition::Slice(slice) => Definition::Slice(self.slice(slice)?),
        })
    }

    /// Translates a slice. Returns `None` like [`Self::variable_role`].
    pub fn slice(&self, Slice { of, at, domain }: &Slice) -> Option<Slice> {
        let domain = match domain {
            Domain::Range(range) => Domain::Range(self.range(range)?),
            Domain::Any | Domain::Mode => domain.clone(),
        };
        Some(Slice { of: *self.variables.get(of)?, at: self.subscript(at)?, domain })
    }

    /// Translates the range of a slice. Returns `None` like [`Self::variable_role`].
    pub fn range(&self, range: &Range) -> Option<Range> {
        let bound = |bound: Bound| match bound {
            Bound::Number(number) => Some(Bound::Number(number)),
            Bound::Parameter(id) => self.tensors.get(&id).copied().map(Bound::Parameter),
        };
        Some(Range { start: bound(range.start)?, end: bound(range.end)?, ..*range })
    }

    /// Translates a subscript. Returns `None` like [`Self::variable_role`].
    fn subscript(&self, subscript: &Subscript) -> Option<Subscript> {
        let variable = |v: &VariableId| self.variables.get(v).copied();
        let tensor = |id: &TensorId| self.tensors.get(id).copied();
        Some(match subscript {
            Subscript::Affine(sum) => Subscript::Affine(sum.substitute(|symbol| {
                Some(Affine::variable(match symbol {
                    Symbol::Variable(v) => Symbol::Variable(variable(v)?),
                    Symbol::Parameter(id) => Symbol::Parameter(tensor(id)?),
                }))
            })?),
            Subscript::Element(Access { tensor: id, indices }) => Subscript::Element(Access {
                tensor: tensor(id)?,
                indices: indices.iter().map(variable).collect::<Option<_>>()?,
            }),
            Subscript::Listed(list, v) => Subscript::Listed(self.list(list)?, variable(v)?),
        })
    }

    /// Translates a list of coordinates. Returns `None` like [`Self::variable_role`].
    pub fn list(&self, list: &List) -> Option<List> {
        Some(match list {
            List::Numbers(numbers) => List::Numbers(numbers.clone()),
            List::Parameter(id) => List::Parameter(*self.tensors.get(id)?),
            List::LastOfParameter(id) => List::LastOfParameter(*self.tensors.get(id)?),
        })
    }
}
