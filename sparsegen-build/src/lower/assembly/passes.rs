//! The two passes of the loops of a result whose entries determine the sizes of its arrays: the
//! first pass counts them or assembles the structure, and the second pass stores the entries. See
//! [`Format::takes_two_passes`](crate::format::Format::takes_two_passes).

use super::placed::Placement;
use super::{Assembler, Purpose};
use crate::format::Places;
use crate::ir::{Expr, Stmt};

impl Assembler<'_> {
    /// Returns whether the loops run twice, first for the sizes of the result's arrays.
    pub(in crate::lower) fn counts_first(&self) -> bool {
        let format = &self.program.tensor(self.target.tensor).format;
        self.purpose != Purpose::Compute && format.takes_two_passes()
    }

    /// Returns whether the loops run for the second time.
    pub(in crate::lower) fn is_second_pass(&self) -> bool {
        self.purpose == Purpose::Fill
    }

    /// Selects the pass over the loops.
    pub(in crate::lower) fn set_purpose(&mut self, purpose: Purpose) {
        self.purpose = purpose;
    }

    /// Returns the statements that end the first pass.
    pub(in crate::lower) fn end_first_pass(&self) -> Vec<Stmt> {
        match self.last_appended() {
            Some(last) if self.has_structure_first => self.complete(0..last + 1),
            Some(_) | None => Vec::new(),
        }
    }

    /// Returns the statements that begin the second pass.
    pub(in crate::lower) fn begin_second_pass(&self) -> Vec<Stmt> {
        match &self.placement {
            Some(of) if of.places == Places::Slots => self.place_in_slots(of),
            Some(of) => self.place_counted(of),
            None => self.begin_values(),
        }
    }

    /// Makes room for the values of the structure that the first pass has assembled.
    fn begin_values(&self) -> Vec<Stmt> {
        let Some(last) = self.last_appended() else { return Vec::new() };
        let text = "The number of coordinates is known, and so is the number of values.";
        let mut stmts = vec![Stmt::Comment(text.into())];
        stmts.extend(self.extend_below(last, self.count(last)));
        stmts.extend(self.enter_first());
        stmts
    }

    /// Makes as many slots for all parents as the one with the most entries needs.
    fn place_in_slots(&self, of: &Placement) -> Vec<Stmt> {
        let Some(slots) = self.slots() else { return Vec::new() };
        let (counts, parent) = (self.next_name(of), Expr::var(&of.parent));
        let most = Expr::max(Expr::var(&slots.name), Expr::load(&counts, parent.clone()));
        let mut body = vec![
            Stmt::assign(&slots.name, most),
            Stmt::store(&counts, parent.clone(), Expr::Index(0)),
        ];
        if of.repeats {
            body.push(Stmt::store(&self.last_name(of), parent, Expr::Index(0)));
        }
        let mut stmts = vec![
            Stmt::Comment("The largest number of entries is the number of slots.".into()),
            Stmt::bind_mut(&slots.name, Expr::Index(0)),
        ];
        stmts.extend(Stmt::for_range(&of.parent, Expr::Index(0), self.parents(of), body));
        stmts.extend(self.positions(of, Expr::mul(Expr::var(&slots.name), self.parents(of))));
        stmts
    }

    /// Turns the number of entries of each parent into the position of its first one.
    fn place_counted(&self, of: &Placement) -> Vec<Stmt> {
        let (leaf, end, counts) = (&self.storages[of.leaf], self.end_of(of), self.next_name(of));
        let count = format!("{}_count", self.argument);
        let of_parent = |parent: Expr| {
            let mut stmts = vec![
                Stmt::bind(&count, Expr::load(&counts, parent.clone())),
                Stmt::store(&counts, parent.clone(), Expr::var(&end)),
                Stmt::accumulate(&end, Expr::var(&count)),
            ];
            stmts.extend(self.fill(of.leaf).fill_edges(leaf, Expr::var(&end)));
            stmts.extend(of.ends.iter().map(|ends| Stmt::push(&ends.name, Expr::var(&end))));
            if of.repeats {
                stmts.push(Stmt::store(&self.last_name(of), parent, Expr::Index(0)));
            }
            stmts
        };
        let mut stmts = vec![
            Stmt::Comment("The positions of the entries follow from their numbers.".into()),
            Stmt::bind_mut(&end, Expr::Index(0)),
        ];
        match self.collected(of) {
            Some(root) => {
                let (storage, spec) = (&self.storages[root], &self.levels()[root]);
                stmts.extend(self.fill(root).fill_sort(storage));
                let body = of_parent(Expr::var(&of.parent));
                stmts.extend(self.for_each_collected(of, root, body));
                if !spec.properties.unique {
                    stmts.extend(self.fill(root).fill_positions(storage, Expr::var(&end)));
                }
                stmts.extend(self.append_of(root).append_edges(storage, None));
            }
            None => {
                let body = of_parent(Expr::var(&of.parent));
                stmts.extend(Stmt::for_range(&of.parent, Expr::Index(0), self.parents(of), body));
            }
        }
        stmts.extend(self.positions(of, Expr::var(&end)));
        stmts
    }
}
