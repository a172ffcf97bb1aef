//! The uses of variables and arrays in a body.

use std::collections::BTreeMap;

use crate::ir::{BinaryOp, Expr, Function, Rearrange, Result, Stmt};

/// The number of uses of each variable and array in a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Uses {
    /// The number of reads of variables and of elements of arrays.
    pub read: BTreeMap<String, usize>,
    /// The number of reads of the lengths of arrays.
    pub measured: BTreeMap<String, usize>,
    /// The number of assignments to variables and of stores to arrays. A `let` is not an
    /// assignment.
    pub written: BTreeMap<String, usize>,
}

/// A kind of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    Read,
    Measured,
    Written,
}

impl Expr {
    /// Returns whether another condition is a part of this one, which holds.
    pub fn implies(&self, other: &Expr) -> bool {
        match self {
            Expr::Binary(BinaryOp::And, a, b) => a.implies(other) || b.implies(other),
            known => known == other,
        }
    }

    /// Returns whether the value of this expression stays the same in statements.
    pub fn is_known_in(&self, stmts: &[Stmt]) -> bool {
        let written = Uses::of(stmts).written;
        let mut is_known = true;
        self.names(&mut |name| {
            let binds = |stmt: &Stmt| stmt.binds_within(&|bound| bound == name);
            is_known &= !written.contains_key(name) && !stmts.iter().any(binds);
        });
        is_known
    }
}

/// Returns whether a loop in these statements, or around them, may end early.
pub fn breaks(body: &[Stmt]) -> bool {
    has(body, |stmt| *stmt == Stmt::Break)
}

/// Returns whether control may leave these statements before their end.
pub fn leaves(body: &[Stmt]) -> bool {
    has(body, |stmt| matches!(stmt, Stmt::Break | Stmt::Refuse { .. } | Stmt::Grow { .. }))
}

fn has(body: &[Stmt], is_such: impl Fn(&Stmt) -> bool) -> bool {
    let mut has = false;
    for stmt in body {
        stmt.for_each(&mut |stmt| has |= is_such(stmt));
    }
    has
}

impl Uses {
    /// Counts the uses in a body, including nested bodies.
    pub fn of(body: &[Stmt]) -> Uses {
        let mut uses = Uses::default();
        for_each_use(body, &mut |kind, name| uses.add(kind, name));
        uses
    }

    /// Counts the uses of one name in a body, which takes less time.
    pub fn of_name(body: &[Stmt], name: &str) -> Uses {
        let mut uses = Uses::default();
        for_each_use(body, &mut |kind, used| {
            if used == name {
                uses.add(kind, name);
            }
        });
        uses
    }

    /// Counts the uses in the body of a function and in its result.
    pub fn of_function(function: &Function) -> Uses {
        let mut uses = Uses::of(&function.body);
        uses.count_ends(function);
        uses
    }

    /// Adds the reads after the body of a function: of the results, and of the values of a part.
    pub fn count_ends(&mut self, function: &Function) {
        function.computed().for_each(|result| self.count_end(result));
        function.returned().iter().for_each(|of| self.count_expr(&Expr::var(&of.name)));
    }

    /// Adds the reads of the result of a function: its value, or extents of its levels.
    pub fn count_end(&mut self, result: &Result) {
        match result {
            Result::Scalar { value, .. } => self.count_expr(value),
            Result::Tensor(tensor) => {
                for extent in tensor.extents() {
                    self.count_expr(&Expr::var(&extent.name));
                }
            }
        }
    }

    /// Adds the reads of an expression.
    pub fn count_expr(&mut self, expr: &Expr) {
        each_of_expr(expr, &mut |kind, name| self.add(kind, name));
    }

    fn add(&mut self, kind: Use, name: &str) {
        let counts = match kind {
            Use::Read => &mut self.read,
            Use::Measured => &mut self.measured,
            Use::Written => &mut self.written,
        };
        match counts.get_mut(name) {
            Some(count) => *count += 1,
            None => {
                counts.insert(name.to_owned(), 1);
            }
        }
    }

    /// Returns the number of reads of a variable or of elements of an array.
    pub fn reads(&self, name: &str) -> usize {
        self.read.get(name).copied().unwrap_or(0)
    }

    /// Returns the number of reads of the length of an array.
    pub fn measures(&self, name: &str) -> usize {
        self.measured.get(name).copied().unwrap_or(0)
    }

    /// Returns the number of writes to a name.
    pub fn writes(&self, name: &str) -> usize {
        self.written.get(name).copied().unwrap_or(0)
    }

    /// Returns whether a body of which these are the uses writes to a name, and by no other
    /// statements than those that `is_way` accepts.
    pub fn only_writes_by(
        &self,
        name: &str,
        body: &[Stmt],
        is_way: impl Fn(&Stmt) -> bool,
    ) -> bool {
        let mut count = 0;
        for stmt in body {
            stmt.for_each(&mut |stmt| count += usize::from(is_way(stmt)));
        }
        count > 0 && count == self.writes(name)
    }

    /// Returns whether a variable or array is used in any way.
    pub fn touches(&self, name: &str) -> bool {
        self.reads(name) + self.writes(name) + self.measures(name) > 0
    }
}

/// Calls `visit` with every use in a body, including nested bodies.
pub fn for_each_use<'s>(body: &'s [Stmt], visit: &mut dyn FnMut(Use, &'s str)) {
    for stmt in body {
        stmt.for_each(&mut |stmt| each_of_stmt(stmt, visit));
    }
}

fn each_of_expr<'e>(expr: &'e Expr, visit: &mut dyn FnMut(Use, &'e str)) {
    expr.for_each(&mut |e| match e {
        Expr::Var(name)
        | Expr::Load { array: name, .. }
        | Expr::Contains { workspace: name, .. }
        | Expr::Search { array: name, .. } => visit(Use::Read, name),
        Expr::Len(name) => visit(Use::Measured, name),
        Expr::Extent(..)
        | Expr::Index(_)
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

/// Calls `visit` with the uses of a statement without its nested bodies.
fn each_of_stmt<'s>(stmt: &'s Stmt, visit: &mut dyn FnMut(Use, &'s str)) {
    for expr in stmt.expressions() {
        each_of_expr(expr, visit);
    }
    match stmt {
        Stmt::Assign { name, .. }
        | Stmt::Store { array: name, .. }
        | Stmt::Sort { array: name }
        | Stmt::Clear { array: name }
        | Stmt::Reserve { array: name, .. }
        | Stmt::Push { array: name, .. }
        | Stmt::Resize { array: name, .. }
        | Stmt::Grow { array: name, .. } => visit(Use::Written, name),
        Stmt::Extend { array, of, .. } => {
            visit(Use::Written, array);
            visit(Use::Read, of);
        }
        // Like one of coordinates, which are read if they are read afterwards.
        Stmt::Rearrange(Rearrange::Entries { array, .. }) => visit(Use::Written, array),
        Stmt::Rearrange(rearrange) => {
            for name in rearrange.writes() {
                visit(Use::Read, name);
                visit(Use::Written, name);
            }
        }
        Stmt::Harvest { workspace: name, .. } => {
            visit(Use::Read, name);
            visit(Use::Written, name);
        }
        Stmt::Comment(_)
        | Stmt::Let { .. }
        | Stmt::Scratch { .. }
        | Stmt::Tile { .. }
        | Stmt::Workspace { .. }
        | Stmt::Places { .. }
        | Stmt::Refuse { .. }
        | Stmt::Break
        | Stmt::For { .. }
        | Stmt::ForOnes { .. }
        | Stmt::While { .. }
        | Stmt::If { .. } => {}
    }
}
