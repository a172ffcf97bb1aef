//! Regions: the outcome of a statement for each set of operands that have an entry.
//!
//! The operands are the iterators of a loop, or operands of order 0: scalars that may have no entry,
//! and masks over variables with known coordinates.

mod outcomes;

use std::fmt;

use crate::concrete::Stmt;
use crate::limits::REGIONS;

pub(super) use outcomes::Outcomes;

/// A set of operands, such as the iterators of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Set(pub(super) u128);

impl Set {
    pub const EMPTY: Set = Set(0);

    /// The maximal number of iterators in a set.
    pub const CAPACITY: usize = u128::BITS as usize;

    pub fn of(members: impl IntoIterator<Item = usize>) -> Set {
        members.into_iter().fold(Set::EMPTY, Set::with)
    }

    pub fn with(self, member: usize) -> Set {
        Set(self.0 | 1 << member)
    }

    pub fn without(self, member: usize) -> Set {
        Set(self.0 & !(1 << member))
    }

    pub fn contains(self, member: usize) -> bool {
        self.0 & 1 << member != 0
    }

    pub fn union(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }

    pub fn minus(self, other: Set) -> Set {
        Set(self.0 & !other.0)
    }

    pub fn intersection(self, other: Set) -> Set {
        Set(self.0 & other.0)
    }

    pub fn is_subset(self, of: Set) -> bool {
        self.minus(of) == Set::EMPTY
    }

    pub fn meets(self, other: Set) -> bool {
        self.0 & other.0 != 0
    }

    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub fn is_empty(self) -> bool {
        self == Set::EMPTY
    }

    pub fn members(self) -> impl DoubleEndedIterator<Item = usize> {
        let end = Set::CAPACITY - self.0.leading_zeros() as usize;
        (0..end).filter(move |member| self.contains(*member))
    }
}

/// A statement and the operands whose presence simplifies it.
pub(super) struct Regions<'a> {
    /// The operands that may be absent.
    pub(super) operands: Set,
    /// Operands whose presence does not change the bodies.
    pub(super) optional: Set,
    /// The operands among them that give the statement an effect wherever they have an entry.
    pub(super) certain: Set,
    /// The largest number of bodies.
    pub(super) most: usize,
    /// Operands whose presence is known to be a value, as that of a predicate.
    pub(super) known: Set,
    /// The statement itself.
    pub(super) stmt: &'a Stmt,
    /// Returns the operands that a statement depends on.
    pub(super) reads: &'a dyn Fn(&Stmt) -> Set,
    /// Returns the statement simplified for absent and for present operands.
    pub(super) simplified: &'a dyn Fn(Set, Set) -> Stmt,
    /// Returns the body for absent and present operands, for which the statement simplifies to the
    /// given one. Returns `None` if the region needs no code.
    pub(super) body: &'a dyn Fn(Set, Set, Stmt) -> Option<Stmt>,
}

impl Regions<'_> {
    /// Returns the outcome of each region, and the bodies by outcome, of which the first is the
    /// no-op. Returns `None` if there are too many outcomes to generate code for.
    pub(super) fn outcomes(&self) -> Option<(Outcomes, Vec<Stmt>)> {
        let mut growing = Growing { regions: self, bodies: vec![Stmt::SKIP], leaves: 0 };
        let outcomes = growing.outcomes(Set::EMPTY, Set::EMPTY, self.stmt)?;
        Some((outcomes, growing.bodies))
    }
}

/// Outcomes under construction.
struct Growing<'a> {
    regions: &'a Regions<'a>,
    bodies: Vec<Stmt>,
    leaves: usize,
}

impl Growing<'_> {
    /// Returns the outcomes for the given absent and present operands, for which the statement
    /// simplifies to `stmt`.
    fn outcomes(&mut self, absent: Set, present: Set, stmt: &Stmt) -> Option<Outcomes> {
        let Regions { operands, optional, certain, known, reads, simplified, .. } = *self.regions;
        let open = operands.minus(absent).minus(present).intersection(reads(stmt));
        // Operands that do not change the bodies come last.
        let [last, first] = [open.intersection(optional), open.minus(optional)];
        let mut open = first.members().rev().chain(last.members().rev());
        let Some(member) = open.next() else {
            return self.leaf(absent, present, stmt);
        };
        let without = simplified(absent.with(member), present);
        let without = self.outcomes(absent.with(member), present, &without)?;
        let present = present.with(member);
        let with = match known.contains(member) {
            true => simplified(absent, present),
            false => stmt.clone(),
        };
        // The other operands change neither whether there is an effect, nor the body.
        let is_known = first.is_empty() && certain.contains(member);
        let with = match is_known {
            true => self.leaf(absent, present, &with)?,
            false => self.outcomes(absent, present, &with)?,
        };
        Some(Outcomes::branch(member, without, with))
    }

    fn leaf(&mut self, absent: Set, present: Set, stmt: &Stmt) -> Option<Outcomes> {
        self.leaves += 1;
        let body = (self.regions.body)(absent, present, stmt.clone());
        let outcome = body.map_or(0, |body| self.add(body));
        let is_too_much =
            self.leaves > REGIONS || self.bodies.len() > self.regions.most.saturating_add(1);
        (!is_too_much).then_some(Outcomes::Leaf(outcome))
    }

    /// Returns the index of a body, adding it if it is new.
    fn add(&mut self, body: Stmt) -> usize {
        let known = (1..self.bodies.len()).find(|k| self.bodies[*k] == body);
        known.unwrap_or_else(|| {
            self.bodies.push(body);
            self.bodies.len() - 1
        })
    }
}

/// Returns the cases with adjacent cases of equal outcome combined: the sets of operands, and the
/// outcome.
pub(super) fn arms(cases: &[(Set, usize)]) -> Vec<(Vec<Set>, usize)> {
    let mut arms: Vec<(Vec<Set>, usize)> = Vec::new();
    for (set, outcome) in cases {
        match arms.last_mut() {
            Some((sets, same)) if same == outcome => sets.push(*set),
            Some(_) | None => arms.push((vec![*set], *outcome)),
        }
    }
    arms
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members: Vec<_> = self.members().map(|member| member.to_string()).collect();
        write!(f, "{{{}}}", members.join(", "))
    }
}
