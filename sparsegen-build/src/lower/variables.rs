//! Variables that follow from others: a coordinate from its block and the place within, a column
//! from its row and diagonal.

use crate::concrete::Program;
use crate::concrete::space::Definition;
use crate::format::LevelExpr;
use crate::ir::{BinaryOp, Expr, Stmt};
use crate::level::Offset;
use crate::notation::{Access, VariableId};

use super::Lowering;
use super::names::Names;
use super::scope::Scope;

impl Lowering<'_> {
    /// Notes everything that follows from the coordinates of a scope. What is put together from
    /// several gets a name.
    pub(super) fn derive(&self, scope: &mut Scope) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        let program = self.program;
        let bound: Vec<VariableId> = scope.coordinates.iter().map(|(v, _)| *v).collect();
        for v in program.space.known(&program.kernel, &bound) {
            if scope.knows(v) {
                continue;
            }
            let value = self.defined(v, scope).or_else(|| self.put_together(v, scope));
            let Some(value) = value else { continue };
            if program.space.definition(v).is_some() {
                scope.bind(v, value);
            } else {
                let name = self.names.variable(v);
                stmts.push(Stmt::bind(name, value));
                scope.bind(v, Expr::var(name));
            }
        }
        stmts
    }

    /// `i / 4`, `i % 4`, `j - i`
    fn defined(&self, v: VariableId, scope: &Scope) -> Option<Expr> {
        let known = |v: VariableId| scope.knows(v).then(|| scope.coordinate(v));
        match self.program.space.definition(v)? {
            Definition::Div(of, by) => Some(Expr::div(known(of)?, Expr::Index(by as usize))),
            Definition::Mod(of, by) => Some(Expr::rem(known(of)?, Expr::Index(by as usize))),
            Definition::Sub(a, b) => Some(Expr::binary(BinaryOp::Difference, known(a)?, known(b)?)),
            Definition::Add(a, b) => Some(Expr::add(known(a)?, known(b)?)),
            Definition::Slot(_) => None,
        }
    }

    /// `io * 4 + ii`, `i + d`
    fn put_together(&self, v: VariableId, scope: &Scope) -> Option<Expr> {
        let bound: Vec<VariableId> = scope.coordinates.iter().map(|(v, _)| *v).collect();
        let [part, other] = self.program.space.made_of(v, &bound)?;
        let (part_at, other_at) = (scope.coordinate(part), scope.coordinate(other));
        Some(match self.program.space.definition(part)? {
            Definition::Div(_, by) => {
                Expr::add(Expr::mul(part_at, Expr::Index(by as usize)), other_at)
            }
            // v - other = part
            Definition::Sub(a, _) if a == v => Expr::binary(BinaryOp::Offset, other_at, part_at),
            // other - v = part
            Definition::Sub(..) => Expr::binary(BinaryOp::Offset, other_at, Expr::neg(part_at)),
            Definition::Add(..) => Expr::sub(part_at, other_at),
            Definition::Mod(..) | Definition::Slot(_) => return None,
        })
    }

    /// The number of coordinates of a variable.
    pub(super) fn extent(&self, v: VariableId) -> Expr {
        extent(self.program, &self.names, v)
    }

    /// The end of a loop over the places within a block: the last block may be cut short.
    pub(super) fn clip(&self, v: VariableId, end: Expr, scope: &Scope) -> Expr {
        let Some(Definition::Mod(of, by)) = self.program.space.definition(v) else { return end };
        let block = self.program.space.variable(Definition::Div(of, by));
        let Some(block) = block.filter(|block| scope.knows(*block)) else { return end };
        let begin = Expr::mul(scope.coordinate(block), Expr::Index(by as usize));
        Expr::min(Expr::sub(self.extent(of), begin), end)
    }
}

/// The numbers of blocks, which the body reads by name.
pub(super) fn blocks(program: &Program, names: &Names) -> Vec<Stmt> {
    let variables = (0..program.kernel.variables.len()).map(VariableId);
    let count = |v| match program.space.definition(v)? {
        Definition::Div(of, by) => {
            let by = Expr::Index(by as usize);
            Some(Stmt::bind(names.size(v), Expr::div_ceil(extent(program, names, of), by)))
        }
        Definition::Mod(..) | Definition::Sub(..) | Definition::Add(..) | Definition::Slot(_) => {
            None
        }
    };
    variables.filter_map(count).collect()
}

/// The number of coordinates of a variable.
pub(super) fn extent(program: &Program, names: &Names, v: VariableId) -> Expr {
    match program.space.definition(v) {
        None => Expr::var(names.size(v)),
        Some(Definition::Div(..)) => Expr::var(names.size(v)),
        Some(Definition::Mod(_, by)) => Expr::Index(by as usize),
        // Signed coordinates have no extent; that of the minuend is what their levels ask for.
        Some(Definition::Sub(a, _)) => extent(program, names, a),
        Some(Definition::Add(a, b)) => {
            Expr::add(extent(program, names, a), extent(program, names, b))
        }
        Some(Definition::Slot(tensor)) => Expr::var(&names.slots(tensor)),
    }
}

/// Where an ancestor of a level holds the offset of its dimension from another.
pub(super) fn offset(
    program: &Program,
    names: &Names,
    access: &Access,
    level: usize,
) -> Option<Offset> {
    let levels = &program.tensor(access.tensor).format.levels;
    let LevelExpr::Dimension(own) = levels[level].expr else { return None };
    levels[..level].iter().enumerate().find_map(|(ancestor, spec)| {
        let LevelExpr::Sub(a, b) = spec.expr else { return None };
        let other = if a == own { b } else { a };
        (a == own || b == own).then(|| Offset {
            ancestor,
            other: extent(program, names, access.indices[other]),
            is_minuend: a == own,
        })
    })
}
