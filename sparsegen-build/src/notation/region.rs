//! Values in a region, where some operands have an entry and others have none.

use crate::types::Literal;

use super::{Access, Expr, Function, Kernel};

impl Expr {
    /// Returns this expression in a region, folded: absent accesses have the fill values of their
    /// formats, and present accesses have an entry.
    pub fn in_region(
        &self,
        kernel: &Kernel,
        absent: &dyn Fn(&Access) -> bool,
        present: &dyn Fn(&Access) -> bool,
    ) -> Expr {
        // An entry of a predicate means that the comparison holds.
        let holds = |access: &Access| present(access) && kernel.is_made(access.tensor);
        let value_at = |access: &Access| match absent(access) {
            true => Some(kernel.fill(access.tensor)),
            false => holds(access).then_some(Expr::Literal(Literal::Int(1))),
        };
        match kernel.tensor_ids().any(|id| kernel.is_made(id)) {
            true => self.where_stored(&holds).substitute(&value_at),
            false => self.substitute(&value_at),
        }
    }

    /// Returns this expression where some operands are stored, folded.
    fn where_stored(&self, is_stored: &impl Fn(&Access) -> bool) -> Expr {
        if let Expr::Call(Function::Stored, of) = self
            && let [Expr::Access(access)] = &of[..]
            && is_stored(access)
        {
            return Expr::Literal(Literal::Bool(true));
        }
        self.map_children(&mut |child| child.where_stored(is_stored))
    }
}
