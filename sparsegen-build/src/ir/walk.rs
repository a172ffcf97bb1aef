//! Traversal of expressions and statements: reads and substitution.

use super::{BinaryOp, Callee, Expr, Progress, Stmt};

impl Expr {
    /// Calls `visit` on this expression and all nested expressions, outermost first.
    pub fn for_each<'e>(&'e self, visit: &mut impl FnMut(&'e Expr)) {
        visit(self);
        match self {
            Expr::Index(_)
            | Expr::Value(..)
            | Expr::Constant(..)
            | Expr::Bool(_)
            | Expr::Largest(_)
            | Expr::LargestOffset
            | Expr::Var(_)
            | Expr::Len(_)
            | Expr::Extent(..) => {}
            Expr::Load { index, .. } | Expr::Contains { index, .. } => index.for_each(visit),
            Expr::Call(_, _, arguments) => arguments.iter().for_each(|a| a.for_each(visit)),
            Expr::Cast { value, .. } => value.for_each(visit),
            Expr::Choose { condition, holds, otherwise } => {
                [condition, holds, otherwise].into_iter().for_each(|e| e.for_each(visit));
            }
            Expr::Search { start, end, index, .. } => {
                start.for_each(visit);
                end.for_each(visit);
                index.for_each(visit);
            }
            Expr::Entry(fields) => fields.iter().for_each(|field| field.for_each(visit)),
            Expr::Unary(_, a) | Expr::ToIndex(_, a) | Expr::Field(a, _) => a.for_each(visit),
            Expr::Binary(_, a, b) => {
                a.for_each(visit);
                b.for_each(visit);
            }
        }
    }

    /// Calls `visit` with the name of every variable, array and tensor in the expression.
    pub fn names<'e>(&'e self, visit: &mut dyn FnMut(&'e str)) {
        self.for_each(&mut |e| match e {
            Expr::Var(name)
            | Expr::Len(name)
            | Expr::Extent(name, _)
            | Expr::Load { array: name, .. }
            | Expr::Contains { workspace: name, .. }
            | Expr::Search { array: name, .. } => visit(name),
            Expr::Index(_)
            | Expr::Value(..)
            | Expr::Constant(..)
            | Expr::Bool(_)
            | Expr::Largest(_)
            | Expr::LargestOffset
            | Expr::Entry(_)
            | Expr::Field(..)
            | Expr::Unary(..)
            | Expr::ToIndex(..)
            | Expr::Binary(..)
            | Expr::Call(..)
            | Expr::Cast { .. }
            | Expr::Choose { .. } => {}
        });
    }

    /// Returns whether it reads a variable, an array or a tensor of this name.
    pub fn mentions(&self, name: &str) -> bool {
        let mut found = false;
        self.names(&mut |own| found |= own == name);
        found
    }

    /// Returns whether this or a nested expression is such a one.
    pub fn any(&self, is_such: &impl Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.for_each(&mut |expr| found |= is_such(expr));
        found
    }

    /// Returns whether it searches an array.
    pub fn searches(&self) -> bool {
        self.any(&|expr| matches!(expr, Expr::Search { .. }))
    }

    /// Collects the factors of a product.
    pub fn factors<'e>(&'e self, factors: &mut Vec<&'e Expr>) {
        match self {
            Expr::Binary(BinaryOp::Mul, a, b) => {
                [a, b].into_iter().for_each(|part| part.factors(factors));
            }
            factor => factors.push(factor),
        }
    }

    /// Replaces a variable, and folds the result.
    pub fn substitute(&self, name: &str, by: &Expr) -> Expr {
        self.replaced(&|e| matches!(e, Expr::Var(own) if own == name).then(|| by.clone()))
    }

    /// Replaces the elements of an array by one of another array, and folds the result.
    pub fn with_element(&self, array: &str, to: &str, at: &Expr) -> Expr {
        let is_element = |e: &Expr| matches!(e, Expr::Load { array: own, .. } if own == array);
        self.replaced(&|e| is_element(e).then(|| Expr::load(to, at.clone())))
    }

    /// Replaces an expression, and folds the result.
    pub fn replace(&self, old: &Expr, by: &Expr) -> Expr {
        self.replaced(&|e| (e == old).then(|| by.clone()))
    }

    /// Replaces the outermost expressions for which there is another one, and folds the result.
    fn replaced(&self, by: &dyn Fn(&Expr) -> Option<Expr>) -> Expr {
        if let Some(other) = by(self) {
            return other;
        }
        match self {
            Expr::Index(_)
            | Expr::Value(..)
            | Expr::Constant(..)
            | Expr::Bool(_)
            | Expr::Largest(_)
            | Expr::LargestOffset
            | Expr::Var(_)
            | Expr::Len(_)
            | Expr::Extent(..) => self.clone(),
            Expr::Entry(fields) => Expr::Entry(fields.iter().map(|e| e.replaced(by)).collect()),
            Expr::Field(entry, field) => Expr::field(entry.replaced(by), *field),
            Expr::Load { array, index } => Expr::load(array, index.replaced(by)),
            Expr::Contains { workspace, index } => Expr::contains(workspace, index.replaced(by)),
            Expr::Search { array, start, end, index } => {
                let [start, end, index] = [start, end, index].map(|e| e.replaced(by));
                Expr::search(array, start, end, index)
            }
            Expr::Call(callee, dtype, arguments) => {
                let arguments = arguments.iter().map(|a| a.replaced(by)).collect();
                match callee {
                    Callee::Math(function) => Expr::call(*function, *dtype, arguments),
                    Callee::Path(path) => Expr::run(path, *dtype, arguments),
                    Callee::Quotient
                    | Callee::Remainder
                    | Callee::Differs
                    | Callee::RepeatedOperator(_)
                    | Callee::RepeatedPath(_) => Expr::Call(callee.clone(), *dtype, arguments),
                }
            }
            Expr::Cast { value, from, to } => Expr::cast(value.replaced(by), *from, *to),
            Expr::Choose { condition, holds, otherwise } => {
                let [condition, holds, otherwise] =
                    [condition, holds, otherwise].map(|e| e.replaced(by));
                Expr::choose(condition, holds, otherwise)
            }
            Expr::Unary(op, a) => Expr::unary(*op, a.replaced(by)),
            Expr::ToIndex(op, a) => Expr::to_index(*op, a.replaced(by)),
            Expr::Binary(op, a, b) => Expr::binary(*op, a.replaced(by), b.replaced(by)),
        }
    }
}

impl Progress {
    fn expressions(&self) -> [&Expr; 3] {
        [&self.at, &self.start, &self.end]
    }
}

impl Stmt {
    /// Returns the expressions of this statement, without those of nested bodies.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Stmt::Comment(_)
            | Stmt::Scratch { .. }
            | Stmt::Sort { .. }
            | Stmt::Harvest { .. }
            | Stmt::Clear { .. }
            | Stmt::Break => Vec::new(),
            Stmt::Extend { within, .. } => within.iter().flat_map(Progress::expressions).collect(),
            Stmt::Workspace { size, initial, .. } => size.iter().chain([initial]).collect(),
            Stmt::Places { size: value, .. } | Stmt::Tile { initial: value, .. } => vec![value],
            Stmt::Rearrange(rearrange) => rearrange.expressions(),
            Stmt::Refuse { condition, error } => {
                let error = error.iter().flat_map(|error| &error.coordinate);
                std::iter::once(condition).chain(error).collect()
            }
            Stmt::Let { value, .. } | Stmt::Assign { value, .. } | Stmt::Push { value, .. } => {
                vec![value]
            }
            Stmt::Store { index, value, .. } => vec![index, value],
            Stmt::Reserve { additional, .. } => vec![additional],
            Stmt::Resize { len, value, .. } => vec![len, value],
            Stmt::Grow { factors, value, .. } => factors.iter().chain([value]).collect(),
            Stmt::For { start, end, .. } => vec![start, end],
            Stmt::ForOnes { start, end, bits, .. } => vec![start, end, bits],
            Stmt::While { condition, .. } => vec![condition],
            Stmt::If { arms, .. } => arms.iter().map(|(condition, _)| condition).collect(),
        }
    }

    /// Returns the names that this statement binds for later statements.
    pub fn binds(&self) -> Vec<&str> {
        match self {
            Stmt::Let { name, .. }
            | Stmt::Scratch { name, .. }
            | Stmt::Workspace { name, .. }
            | Stmt::Tile { name, .. }
            | Stmt::Places { name, .. } => vec![name],
            Stmt::Harvest { crd, vals, .. } => {
                [crd].into_iter().chain(vals).map(String::as_str).collect()
            }
            Stmt::Comment(_)
            | Stmt::Assign { .. }
            | Stmt::Store { .. }
            | Stmt::Sort { .. }
            | Stmt::Rearrange(_)
            | Stmt::Clear { .. }
            | Stmt::Reserve { .. }
            | Stmt::Push { .. }
            | Stmt::Extend { .. }
            | Stmt::Resize { .. }
            | Stmt::Grow { .. }
            | Stmt::Refuse { .. }
            | Stmt::For { .. }
            | Stmt::ForOnes { .. }
            | Stmt::While { .. }
            | Stmt::If { .. }
            | Stmt::Break => Vec::new(),
        }
    }

    /// Returns the name of the memory that this statement declares: of a workspace, of places, or of a
    /// local vector.
    pub fn working_memory(&self) -> Option<&str> {
        match self {
            Stmt::Workspace { name, .. }
            | Stmt::Places { name, .. }
            | Stmt::Scratch { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Returns the names that this statement binds, and the one that it binds in its body.
    pub fn bound(&self) -> Vec<&str> {
        match self {
            Stmt::For { name, .. } | Stmt::ForOnes { name, .. } => vec![name],
            stmt => stmt.binds(),
        }
    }

    /// Returns whether this statement binds such a name, at any depth.
    pub fn binds_within(&self, is_such: &dyn Fn(&str) -> bool) -> bool {
        let mut binds = false;
        self.for_each(&mut |stmt| binds |= stmt.bound().into_iter().any(is_such));
        binds
    }

    /// Returns whether this statement, without nested bodies, has such an expression.
    pub fn any_expression(&self, is_such: &impl Fn(&Expr) -> bool) -> bool {
        self.expressions().into_iter().any(|expr| expr.any(is_such))
    }

    /// Replaces all expressions and bodies, including nested ones, and folds the result.
    pub fn map(
        &self,
        expr: &mut impl FnMut(&Expr) -> Expr,
        body: &mut impl FnMut(&[Stmt]) -> Vec<Stmt>,
    ) -> Vec<Stmt> {
        vec![match self {
            Stmt::Comment(_)
            | Stmt::Scratch { .. }
            | Stmt::Sort { .. }
            | Stmt::Harvest { .. }
            | Stmt::Clear { .. }
            | Stmt::Break => self.clone(),
            Stmt::Extend { array, of, within } => {
                let within = within.as_ref().map(|Progress { at, start, end }| Progress {
                    at: expr(at),
                    start: expr(start),
                    end: expr(end),
                });
                Stmt::Extend { array: array.clone(), of: of.clone(), within }
            }
            Stmt::Workspace { name, dtype, crd, size, initial, is_listed } => Stmt::Workspace {
                name: name.clone(),
                dtype: *dtype,
                crd: *crd,
                size: size.as_ref().map(&mut *expr),
                initial: expr(initial),
                is_listed: *is_listed,
            },
            Stmt::Places { name, size } => Stmt::Places { name: name.clone(), size: expr(size) },
            Stmt::Tile { name, dtype, len, initial } => {
                let (name, initial) = (name.clone(), expr(initial));
                Stmt::Tile { name, dtype: *dtype, len: *len, initial }
            }
            Stmt::Rearrange(rearrange) => Stmt::Rearrange(rearrange.map(expr)),
            Stmt::Refuse { condition, error } => {
                let mut error = error.clone();
                let coordinate = error.iter_mut().flat_map(|error| &mut error.coordinate);
                coordinate.for_each(|coordinate| *coordinate = expr(coordinate));
                Stmt::Refuse { condition: expr(condition), error }
            }
            Stmt::Let { name, mutable, value } => {
                Stmt::Let { name: name.clone(), mutable: *mutable, value: expr(value) }
            }
            Stmt::Assign { name, op, value } => {
                Stmt::Assign { name: name.clone(), op: *op, value: expr(value) }
            }
            Stmt::Store { array, index, op, value } => Stmt::Store {
                array: array.clone(),
                index: expr(index),
                op: *op,
                value: expr(value),
            },
            Stmt::Reserve { array, additional } => {
                Stmt::Reserve { array: array.clone(), additional: expr(additional) }
            }
            Stmt::Push { array, value } => Stmt::Push { array: array.clone(), value: expr(value) },
            Stmt::Resize { array, len, value } => {
                Stmt::Resize { array: array.clone(), len: expr(len), value: expr(value) }
            }
            Stmt::Grow { array, factors, value } => Stmt::Grow {
                array: array.clone(),
                factors: factors.iter().map(&mut *expr).collect(),
                value: expr(value),
            },
            Stmt::For { name, start, end, body: inner } => {
                return Stmt::for_range(name, expr(start), expr(end), body(inner));
            }
            Stmt::ForOnes { name, start, end, bits, body: inner } => Stmt::ForOnes {
                name: name.clone(),
                start: expr(start),
                end: expr(end),
                bits: expr(bits),
                body: body(inner),
            },
            Stmt::While { condition, body: inner } => {
                return Stmt::repeat_while(expr(condition), body(inner));
            }
            Stmt::If { arms, otherwise } => {
                let arms = arms.iter().map(|(c, inner)| (expr(c), body(inner))).collect();
                return Stmt::choose(arms, body(otherwise));
            }
        }]
    }
}

/// Replaces a variable in all expressions of statements.
pub fn substitute(body: &[Stmt], name: &str, by: &Expr) -> Vec<Stmt> {
    replace(body, &Expr::var(name), by)
}

/// Replaces an expression in all expressions of statements.
pub fn replace(body: &[Stmt], old: &Expr, by: &Expr) -> Vec<Stmt> {
    let within =
        |stmt: &Stmt| stmt.map(&mut |e| e.replace(old, by), &mut |body| replace(body, old, by));
    body.iter().flat_map(within).collect()
}
