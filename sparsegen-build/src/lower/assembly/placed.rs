//! Assembly of results that store each coordinate at the next position of its parent: see
//! [`Format::placed`](crate::format::Format::placed).
//!
//! A parent is identified by an index that is known before the positions of the levels above: the
//! coordinates of levels that have all of them, or the coordinate of the outermost level. In two
//! passes, the first one counts the entries at this index, and prefix sums give the position of the
//! first; with slots, the largest count is their number, and the position of an entry follows from
//! the number of entries before it. A level with the same number of positions for each parent
//! returns an error if it has more entries.

use super::{Assembler, Purpose, next};
use crate::concrete::{Program, Target};
use crate::format::Places;
use crate::ir::{Array, Element, Expr, Extent, Full, Place, Stmt, Width};
use crate::iteration::placed::repeats;
use crate::iteration::plan::Plan;
use crate::iteration::visits::level_variables;
use crate::level::Fill;
use crate::lower::names::Names;
use crate::lower::scope::Scope;

/// How a result stores each coordinate at the next position of its parent.
pub(super) struct Placement {
    /// The outermost level whose coordinates identify the parent.
    pub(super) first: usize,
    /// The level whose coordinates are stored.
    pub(super) leaf: usize,
    /// The origin of the positions of each parent.
    pub(super) places: Places,
    /// `true` if a coordinate may be stored several times in succession.
    pub(super) repeats: bool,
    /// The name of the coordinate, or of the index, of a parent.
    pub(super) parent: String,
    /// The array with the position of the first entry of each parent, followed by the number of
    /// entries, if a part of the loops counts the entries of a result with slots.
    pub(super) ends: Option<Array>,
}

impl Assembler<'_> {
    /// Returns whether a first pass of the loops counts the entries that a second one stores at
    /// positions which follow from their numbers.
    pub(in crate::lower) fn counts_places(&self) -> bool {
        let places = self.placement.as_ref().map(|of| of.places);
        self.counts_first() && matches!(places, Some(Places::Counted | Places::Slots))
    }

    /// Returns whether arrays get their final length between two passes of the loops, of which the
    /// second stores what the first one has counted.
    pub(in crate::lower) fn knows_sizes(&self) -> bool {
        self.counts_places() || self.has_structure_first
    }

    /// Returns the statements before the first pass of the loops.
    pub(super) fn begin_placed(&self, of: &Placement) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for (spec, storage) in self.levels().iter().zip(&self.storages) {
            stmts.extend(spec.level.append().into_iter().flat_map(|of| of.append_init(storage)));
        }
        if let Some(Array { name, .. }) = &of.ends {
            stmts.extend([Stmt::clear(name), Stmt::push(name, Expr::Index(0))]);
        }
        stmts.push(Stmt::clear(&self.vals));
        stmts.extend(self.per_parent(of, &self.next_name(of)));
        if of.repeats {
            stmts.extend(self.per_parent(of, &self.last_name(of)));
        }
        if let Some(capacity) = self.capacity(of) {
            // The positions are cleared when they are stored to.
            let positions = Expr::mul(self.parents(of), capacity);
            let leaf = &self.storages[of.leaf];
            stmts.extend(leaf.arrays.iter().map(|(_, array)| Stmt::clear(array)));
            stmts.extend(self.positions(of, positions));
        }
        stmts
    }

    /// Declares an array with an element for each parent, 0 at first.
    fn per_parent(&self, of: &Placement, name: &str) -> Vec<Stmt> {
        match self.collected(of) {
            // Few of the coordinates may have entries.
            Some(root) => vec![Stmt::places(name, self.storages[root].size.clone())],
            None => vec![
                Stmt::scratch(name, Element::Index(Width::Usize)),
                Stmt::resize(name, self.parents(of), Expr::Index(0)),
            ],
        }
    }

    /// Returns the statements before the loops over a known structure: the first position of each
    /// parent.
    pub(super) fn begin_placed_known(&self, of: &Placement) -> Vec<Stmt> {
        let counts = self.next_name(of);
        let mut stmts = Vec::new();
        if of.places == Places::Slots {
            stmts.extend(self.per_parent(of, &counts));
        } else {
            let start = self.children(of.leaf, Expr::var(&of.parent)).start;
            stmts.push(Stmt::scratch(&counts, Element::Index(Width::Usize)));
            let body = vec![Stmt::push(&counts, start)];
            stmts.extend(Stmt::for_range(&of.parent, Expr::Index(0), self.parents(of), body));
        }
        if of.repeats {
            stmts.extend(self.per_parent(of, &self.last_name(of)));
        }
        stmts
    }

    /// Returns the statements after the loops over a known structure, which refuse coordinates that
    /// are left. Those in slots cannot be told from padding, and have the initial value.
    pub(super) fn end_placed_known(&self, of: &Placement) -> Vec<Stmt> {
        if of.places == Places::Slots {
            return Vec::new();
        }
        let parent = Expr::var(&of.parent);
        let end = self.children(of.leaf, parent.clone()).end;
        let is_left = Expr::ne(Expr::load(&self.next_name(of), parent), end);
        let body = vec![Stmt::refuse(is_left)];
        Stmt::for_range(&of.parent, Expr::Index(0), self.parents(of), body)
    }

    /// Returns whether the coordinate of the leaf at a position differs from the one of the loops.
    fn is_elsewhere(&self, of: &Placement, parent: Expr, position: Expr, scope: &Scope) -> Expr {
        let iteration = self.levels()[of.leaf].level.position_iteration();
        let iteration = iteration.expect("levels that are filled are iterated");
        let storage = &self.storages[of.leaf];
        let found = iteration.pos_access(storage, position.clone(), &[], &self.position);
        let at_end = match self.slots() {
            Some(slots) => Expr::eq(Expr::var(&self.slot_name()), Expr::var(&slots.name)),
            None => Expr::eq(position, self.children(of.leaf, parent).end),
        };
        Expr::or(at_end, Expr::ne(found.value, scope.coordinate(self.variable(of.leaf))))
    }

    /// Returns the statements that extend the result to a number of positions of the leaf.
    pub(super) fn positions(&self, of: &Placement, count: Expr) -> Vec<Stmt> {
        let mut stmts = self.fill(of.leaf).fill_positions(&self.storages[of.leaf], count.clone());
        let values = Expr::mul(count, self.below(of.leaf).each);
        stmts.push(Stmt::resize(&self.vals, values, self.initial()));
        stmts
    }

    /// Returns the statements after the loops.
    pub(super) fn end_placed(&self, of: &Placement) -> Vec<Stmt> {
        if self.capacity(of).is_some() {
            let parent = Expr::var(&of.parent);
            let count = Expr::load(&self.next_name(of), parent.clone());
            let (leaf, below) = (&self.storages[of.leaf], self.below(of.leaf));
            let rest = self.fill(of.leaf).fill_rest(leaf, parent, count, &below, &self.position);
            return Stmt::for_range(&of.parent, Expr::Index(0), self.parents(of), rest);
        }
        let appended = self.levels().iter().zip(&self.storages);
        let appended = appended.filter_map(|(spec, storage)| Some((spec.level.append()?, storage)));
        let finalized =
            appended.flat_map(|(append, storage)| append.append_finalize(storage, None));
        self.forget_parents(of).into_iter().chain(finalized).collect()
    }

    /// Returns statements that set the elements of collected parents to 0 again.
    fn forget_parents(&self, of: &Placement) -> Vec<Stmt> {
        let Some(root) = self.collected(of) else { return Vec::new() };
        let last = of.repeats.then(|| self.last_name(of));
        let arrays = [self.next_name(of)].into_iter().chain(last);
        let forget = |array: String| Stmt::store(&array, Expr::var(&of.parent), Expr::Index(0));
        self.for_each_collected(of, root, arrays.map(forget).collect())
    }

    /// Returns a loop over the collected coordinates of the outermost level.
    pub(super) fn for_each_collected(
        &self,
        of: &Placement,
        root: usize,
        body: Vec<Stmt>,
    ) -> Vec<Stmt> {
        let storage = &self.storages[root];
        let position = format!("p_{}{}", self.argument, root + 1);
        let iteration = self.levels()[root].level.position_iteration();
        let iteration = iteration.expect("levels that are filled are iterated");
        let found = iteration.pos_access(storage, Expr::var(&position), &[], &position);
        let bound = std::iter::once(Stmt::bind(&of.parent, found.value));
        let body = bound.chain(body).collect();
        Stmt::for_range(&position, Expr::Index(0), self.count(root), body)
    }

    /// Stores the coordinate of an entry, or counts it; returns the position of the entry in the
    /// last level that appends.
    pub(super) fn place(&self, of: &Placement, scope: &Scope) -> (Vec<Stmt>, Expr) {
        let (counts, last) = (self.next_name(of), self.last_name(of));
        let parent = self.parent_of(of, scope);
        let here = next(scope.coordinate(self.variable(of.leaf)));
        let is_new = Expr::ne(Expr::load(&last, parent.clone()), here.clone());
        let note = of.repeats.then(|| Stmt::store(&last, parent.clone(), here));
        let advance = Stmt::accumulate_at(&counts, parent.clone(), Expr::Index(1));
        if self.purpose == Purpose::Count {
            let mut new: Vec<Stmt> = note.into_iter().collect();
            if let Some(root) = self.collected(of) {
                let coordinate = scope.coordinate(self.variable(root));
                let append = self.append_of(root).append_coord(&self.storages[root], coordinate);
                let is_first = Expr::eq(Expr::load(&counts, parent), Expr::Index(0));
                new.extend(Stmt::when(is_first, append));
            }
            new.push(advance);
            let stmts = if of.repeats { Stmt::when(is_new, new) } else { new };
            return (stmts, Expr::Index(0));
        }
        let position = self.leaf_position(of);
        let computed = match of.places {
            Places::Counted => None,
            Places::Slots => Some(self.in_slot(scope)),
            Places::Fixed => self.capacity(of).map(|capacity| {
                Expr::add(Expr::mul(parent.clone(), capacity), Expr::var(&self.slot_name()))
            }),
        };
        let name = if computed.is_some() { self.slot_name() } else { position.clone() };
        let mut before: Vec<Stmt> = note.into_iter().collect();
        before.push(advance);
        before.extend(self.capacity(of).map(|capacity| {
            let at = self.target.indices.iter().map(|v| scope.coordinate(*v));
            let format = self.program.tensor(self.target.tensor).format.marker();
            let error = Full { format, level: of.leaf, coordinate: at.collect() };
            Stmt::fail(Expr::eq(Expr::var(&name), capacity), error)
        }));
        // A computed position is known when the number of preceding entries is.
        let mut behind: Vec<Stmt> =
            computed.into_iter().map(|computed| Stmt::bind(&position, computed)).collect();
        let stored = if behind.is_empty() { &mut before } else { &mut behind };
        let position = Expr::var(&position);
        match self.purpose {
            Purpose::Compute => {
                let elsewhere = self.is_elsewhere(of, parent.clone(), position.clone(), scope);
                stored.push(Stmt::refuse(elsewhere));
            }
            Purpose::Count | Purpose::Fill | Purpose::Assemble => {
                stored.extend(self.fill_coordinates(of, &position, scope));
            }
        }
        let next = Expr::load(&counts, parent);
        let mut stmts = if of.repeats {
            let again = vec![Stmt::accumulate(&name, Expr::neg(Expr::Index(1)))];
            let mut stmts = vec![Stmt::bind_mut(&name, next)];
            stmts.extend(Stmt::choose(vec![(is_new, before)], again));
            stmts
        } else {
            before.insert(0, Stmt::bind(&name, next));
            before
        };
        stmts.extend(behind);
        (stmts, position)
    }

    /// Returns the statements that store the coordinates of an entry: that of the outermost level
    /// as well if it has one for each entry.
    fn fill_coordinates(&self, of: &Placement, position: &Expr, scope: &Scope) -> Vec<Stmt> {
        let root = self.collected(of).filter(|root| !self.levels()[*root].properties.unique);
        let levels = root.into_iter().chain([of.leaf]);
        let fill = |level: usize| {
            let coordinate = scope.coordinate(self.variable(level));
            self.fill(level).fill_coord(&self.storages[level], position.clone(), coordinate)
        };
        levels.flat_map(fill).collect()
    }

    /// Returns the position of the current parent in a slot.
    fn in_slot(&self, scope: &Scope) -> Expr {
        let slot = Expr::var(&self.slot_name());
        let insert = self.levels()[1].level.insert().expect("a parent below a slot is inserted");
        let coordinate = scope.coordinate(self.variable(1));
        let none = self.below(1);
        insert.insert_coord(&self.storages[1], slot, coordinate, &none, "").value
    }

    /// Returns the index of the current parent.
    fn parent_of(&self, of: &Placement, scope: &Scope) -> Expr {
        let above = (of.first..of.leaf).map(|level| {
            let coordinate = self.inserted_at(level, scope);
            (&self.storages[level].size, coordinate)
        });
        let index = |index, (size, coordinate): (&Expr, Expr)| {
            Expr::add(Expr::mul(index, size.clone()), coordinate)
        };
        above.fold(Expr::Index(0), index)
    }

    /// Returns the number of parents.
    pub(super) fn parents(&self, of: &Placement) -> Expr {
        let above = &self.storages[of.first..of.leaf];
        above.iter().fold(Expr::Index(1), |all, storage| Expr::mul(all, storage.size.clone()))
    }

    /// Returns the outermost level if its coordinates are collected in the first pass.
    pub(super) fn collected(&self, of: &Placement) -> Option<usize> {
        (of.leaf > 0 && self.is_assembled_by_append(0)).then_some(0)
    }

    /// Returns the number of slots, which the loops compute.
    pub(super) fn slots(&self) -> Option<Extent> {
        self.placement.as_ref().filter(|of| of.places == Places::Slots)?;
        let slots = &self.levels()[0].level;
        let (Expr::Var(name), Some(field)) = (&self.storages[0].size, slots.extent()) else {
            return None;
        };
        Some(Extent { name: name.clone(), level: 0, field: field.to_owned() })
    }

    pub(super) fn append_of(&self, level: usize) -> &dyn crate::level::Append {
        self.levels()[level].level.append().expect("the level appends")
    }

    pub(super) fn fill(&self, level: usize) -> &dyn Fill {
        self.levels()[level].level.fill().expect("the level is filled")
    }

    /// Returns the number of positions of each parent, if it is the same for all.
    fn capacity(&self, of: &Placement) -> Option<Expr> {
        self.fill(of.leaf).capacity().filter(|_| of.places == Places::Fixed)
    }

    /// Returns the name of the array with the next position, or the next slot, of each parent.
    pub(super) fn next_name(&self, of: &Placement) -> String {
        format!("{}{}_next", self.argument, of.leaf + 1)
    }

    /// Returns the name of the array with the last coordinate of each parent plus 1.
    pub(super) fn last_name(&self, of: &Placement) -> String {
        format!("{}{}_last", self.argument, of.leaf + 1)
    }

    pub(super) fn end_of(&self, of: &Placement) -> String {
        format!("{}{}_end", self.argument, of.leaf + 1)
    }

    fn slot_name(&self) -> String {
        format!("{}_slot", self.argument)
    }

    fn leaf_position(&self, of: &Placement) -> String {
        match of.leaf + 1 == self.levels().len() {
            true => self.position.clone(),
            false => format!("p_{}{}", self.argument, of.leaf + 1),
        }
    }
}

/// Returns how a result stores each coordinate at the next position of its parent, if it does. A part
/// of a result with slots has the entries of each parent one after another, with their ends.
pub(super) fn placement(
    program: &Program,
    result: &Target,
    plan: &Plan,
    names: &Names,
    is_joined: bool,
) -> Option<Placement> {
    let target = &result.access;
    let format = &program.tensor(target.tensor).format;
    let (leaf, places) = format.placed()?;
    let first = usize::from(places == Places::Slots);
    let above = &level_variables(program, target)[first..leaf];
    let parent = match above {
        [only] => names.variable(*only).to_owned(),
        _ => format!("p_{}{leaf}", names.stem(target.tensor)),
    };
    // Entries with different coordinates below the leaf share its coordinate.
    let repeats = leaf + 1 < format.levels.len() || repeats(result, plan);
    let counts_slots = is_joined && places == Places::Slots;
    let ends = format.levels[0].level.extent().filter(|_| counts_slots).map(|field| Array {
        name: names.array(target.tensor, leaf, "ends"),
        element: Element::Index(Width::Usize),
        place: Place::Level { level: 0, field: field.to_owned() },
    });
    let places = if counts_slots { Places::Counted } else { places };
    Some(Placement { first, leaf, places, repeats, parent, ends })
}
