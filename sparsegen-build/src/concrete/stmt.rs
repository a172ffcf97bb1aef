//! Statements of concrete index notation.

use std::sync::Arc;

use super::Annotations;
use crate::notation::{Access, Expr, Kernel, ReduceOp, TensorId, VariableId};
use crate::types::Literal;

/// A statement of concrete index notation.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// `∀v body`
    Forall { variable: VariableId, annotations: Arc<Annotations>, body: Box<Stmt> },
    /// `consumer where producer`: each temporary starts at the identity element of its reduction, the
    /// producer accumulates into it, and the consumer reads it. A temporary with indices is a workspace.
    Where { temporaries: Vec<Temporary>, consumer: Box<Stmt>, producer: Box<Stmt> },
    /// `target = value`, `target += value`, or the accumulation of another reduction.
    Assign { target: Access, accumulate: Option<ReduceOp>, value: Expr },
    /// `body if condition`
    If { condition: Expr, body: Box<Stmt> },
    /// Statements in sequence; an empty sequence is a no-op.
    Sequence(Vec<Stmt>),
}

/// A temporary of a `where` statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Temporary {
    /// The scalar or workspace.
    pub tensor: TensorId,
    /// The reduction that combines the values of the producer.
    pub op: ReduceOp,
}

impl Stmt {
    /// The no-op.
    pub const SKIP: Stmt = Stmt::Sequence(Vec::new());

    pub fn is_skip(&self) -> bool {
        matches!(self, Stmt::Sequence(statements) if statements.is_empty())
    }

    pub fn forall(variable: VariableId, annotations: Arc<Annotations>, body: Stmt) -> Stmt {
        if body.is_skip() {
            return body;
        }
        Stmt::Forall { variable, annotations, body: Box::new(body) }
    }

    pub fn assign(target: Access, accumulate: Option<ReduceOp>, value: Expr) -> Stmt {
        // A result initially holds the fill value, and a temporary the identity element, so that
        // assigning it is a no-op.
        let is_there = accumulate.unwrap_or(ReduceOp::SUM).ignores(&value);
        if is_there { Stmt::SKIP } else { Stmt::Assign { target, accumulate, value } }
    }

    /// Returns a statement that runs only if a condition holds.
    pub fn when(condition: Expr, body: Stmt) -> Stmt {
        match condition.as_literal().and_then(Literal::as_bool) {
            Some(true) => body,
            Some(false) => Stmt::SKIP,
            None if body.is_skip() => body,
            None => Stmt::If { condition, body: Box::new(body) },
        }
    }

    /// Returns `consumer where producer`. A temporary that the producer does not assign keeps its
    /// initial identity element; a consumer that reads none needs no temporary.
    pub fn where_(temporaries: Vec<Temporary>, consumer: Stmt, producer: Stmt) -> Stmt {
        let (assigned, untouched): (Vec<_>, Vec<_>) =
            temporaries.into_iter().partition(|temporary| producer.assigns(temporary.tensor));
        let initial = |access: &Access| {
            let known = untouched.iter().find(|temporary| temporary.tensor == access.tensor)?;
            Some(Expr::Literal(known.op.of_nothing()))
        };
        let consumer = if untouched.is_empty() { consumer } else { consumer.with(&initial) };
        if !assigned.iter().any(|temporary| consumer.depends_on(temporary.tensor)) {
            let own = |target: &Access| assigned.iter().any(|t| t.tensor == target.tensor);
            return Stmt::sequence(vec![producer.without(&own), consumer]);
        }
        let [consumer, producer] = [consumer, producer].map(Box::new);
        Stmt::Where { temporaries: assigned, consumer, producer }
    }

    /// Returns whether the value of a temporary is read, or whether it has an entry.
    fn depends_on(&self, temporary: TensorId) -> bool {
        let mut depends = false;
        self.for_each_value(&mut |value| depends |= value.depends_on(temporary));
        depends
    }

    /// Returns the statement without the assignments to some targets.
    fn without(&self, drops: &dyn Fn(&Access) -> bool) -> Stmt {
        match self {
            Stmt::Forall { variable, annotations, body } => {
                Stmt::forall(*variable, Arc::clone(annotations), body.without(drops))
            }
            Stmt::Where { temporaries, consumer, producer } => {
                let [consumer, producer] = [consumer, producer].map(|stmt| stmt.without(drops));
                Stmt::where_(temporaries.clone(), consumer, producer)
            }
            Stmt::Assign { target, .. } if drops(target) => Stmt::SKIP,
            Stmt::Assign { .. } => self.clone(),
            Stmt::If { condition, body } => Stmt::when(condition.clone(), body.without(drops)),
            Stmt::Sequence(statements) => {
                Stmt::sequence(statements.iter().map(|stmt| stmt.without(drops)).collect())
            }
        }
    }

    /// Returns whether some assignment is to a tensor.
    pub fn assigns(&self, tensor: TensorId) -> bool {
        let mut assigns = false;
        self.for_each_assign(&mut |target, _, _| assigns |= target.tensor == tensor);
        assigns
    }

    pub fn sequence(statements: Vec<Stmt>) -> Stmt {
        let mut statements: Vec<_> = statements.into_iter().filter(|s| !s.is_skip()).collect();
        match statements.len() {
            1 => statements.remove(0),
            _ => Stmt::Sequence(statements),
        }
    }

    /// Returns this statement in a region: absent accesses have the fill values of their formats,
    /// which are zero by default, and present accesses have an entry.
    ///
    /// This is how the statement of a merge point is derived, and how a region is found to need no
    /// code: constants are folded through all operators, and the statement may become a no-op.
    pub fn in_region(
        &self,
        kernel: &Kernel,
        absent: &dyn Fn(&Access) -> bool,
        present: &dyn Fn(&Access) -> bool,
    ) -> Stmt {
        self.map_values(&|value| value.in_region(kernel, absent, present))
    }

    /// Returns this statement with some accesses replaced, folded.
    pub fn with(&self, replace: &dyn Fn(&Access) -> Option<Expr>) -> Stmt {
        self.map_values(&|value| value.substitute(&replace))
    }

    /// Returns this statement with every value and condition replaced, folded.
    pub fn map_values(&self, change: &dyn Fn(&Expr) -> Expr) -> Stmt {
        match self {
            Stmt::Forall { variable, annotations, body } => {
                Stmt::forall(*variable, Arc::clone(annotations), body.map_values(change))
            }
            Stmt::Where { temporaries, consumer, producer } => {
                let [consumer, producer] = [consumer, producer].map(|s| s.map_values(change));
                Stmt::where_(temporaries.clone(), consumer, producer)
            }
            Stmt::Assign { target, accumulate, value } => {
                Stmt::assign(target.clone(), *accumulate, change(value))
            }
            Stmt::If { condition, body } => Stmt::when(change(condition), body.map_values(change)),
            Stmt::Sequence(statements) => {
                Stmt::sequence(statements.iter().map(|s| s.map_values(change)).collect())
            }
        }
    }

    /// Calls `visit` with every assignment: its target, its reduction if it accumulates, and its
    /// value.
    pub fn for_each_assign<'s>(
        &'s self,
        visit: &mut impl FnMut(&'s Access, Option<ReduceOp>, &'s Expr),
    ) {
        match self {
            Stmt::Forall { body, .. } | Stmt::If { body, .. } => body.for_each_assign(visit),
            Stmt::Where { consumer, producer, .. } => {
                producer.for_each_assign(visit);
                consumer.for_each_assign(visit);
            }
            Stmt::Assign { target, accumulate, value } => visit(target, *accumulate, value),
            Stmt::Sequence(statements) => {
                for statement in statements {
                    statement.for_each_assign(visit);
                }
            }
        }
    }

    /// Returns whether a product is reduced of values that read a tensor. Where that has no entry, the
    /// product is 0, whatever the other factors are.
    pub fn multiplies(&self, tensor: TensorId) -> bool {
        let mut multiplies = false;
        self.for_each_assign(&mut |_, accumulate, value| {
            multiplies |= accumulate == Some(ReduceOp::PROD) && value.depends_on(tensor);
        });
        multiplies
    }

    /// Returns whether a value is a quotient whose dividend reads a tensor. Where that has no entry, the
    /// quotient is 0, even if the divisor is.
    pub fn divides(&self, tensor: TensorId) -> bool {
        fn is_dividend(value: &Expr, tensor: TensorId) -> bool {
            value.as_quotient().is_some_and(|[dividend, _]| dividend.depends_on(tensor))
                || value.children().any(|child| is_dividend(child, tensor))
        }
        let mut divides = false;
        self.for_each_value(&mut |value| divides |= is_dividend(value, tensor));
        divides
    }

    /// Returns the number of parts of the statement, including those of its values.
    pub fn size(&self) -> usize {
        match self {
            Stmt::Forall { body, .. } => 1 + body.size(),
            Stmt::Where { consumer, producer, .. } => 1 + consumer.size() + producer.size(),
            Stmt::Assign { value, .. } => 1 + value.size(),
            Stmt::If { condition, body } => condition.size() + body.size(),
            Stmt::Sequence(statements) => statements.iter().map(Stmt::size).sum(),
        }
    }

    /// Returns every access that is read, without duplicates, in the order of first use.
    pub fn reads(&self) -> Vec<&Access> {
        let mut reads: Vec<&Access> = Vec::new();
        self.for_each_value(&mut |value| {
            value.for_each_access(&mut |access| {
                if !reads.contains(&access) {
                    reads.push(access);
                }
            });
        });
        reads
    }

    /// Calls `visit` with every assigned value and every condition.
    fn for_each_value<'s>(&'s self, visit: &mut impl FnMut(&'s Expr)) {
        match self {
            Stmt::Forall { body, .. } => body.for_each_value(visit),
            Stmt::Where { consumer, producer, .. } => {
                producer.for_each_value(visit);
                consumer.for_each_value(visit);
            }
            Stmt::Assign { value, .. } => visit(value),
            Stmt::If { condition, body } => {
                visit(condition);
                body.for_each_value(visit);
            }
            Stmt::Sequence(statements) => {
                statements.iter().for_each(|statement| statement.for_each_value(visit));
            }
        }
    }
}
