//! Level iterators, and the conversions that give them the properties a merge needs.

use std::collections::BTreeMap;
use std::fmt;

use crate::concrete::{Program, Stmt};
use crate::format::LevelSpec;
use crate::iteration::graph::is_implied;
use crate::notation::{Access, VariableId};

/// An iterator over one level of one access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelIterator {
    pub access: Access,
    /// The level that the loop's variable indexes, counted from 0.
    pub level: usize,
    /// The last level whose position is known once this one's is: those between were waiting only
    /// for this variable, and are located.
    pub through: usize,
    /// Whether the level stores the loop's own variable; otherwise one that follows from it, and the
    /// level can only be located.
    pub drives: bool,
    /// Wrappers around the level's own iteration, innermost first.
    pub conversions: Vec<Conversion>,
}

/// A wrapper around an iterator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Runs over all positions of one coordinate at once, so that no coordinate comes twice.
    Dedup,
    /// Runs over positions one by one, duplicates too, together with the levels below.
    Fused,
}

impl LevelIterator {
    /// The level's specification in its tensor's format.
    pub fn spec<'p>(&self, program: &'p Program) -> &'p LevelSpec {
        &program.tensor(self.access.tensor).format.levels[self.level]
    }

    pub fn is_full(&self, program: &Program) -> bool {
        self.spec(program).properties.full
    }

    pub fn can_locate(&self, program: &Program) -> bool {
        self.spec(program).level.locate().is_some()
    }

    /// Whether its entries can be walked in order.
    pub fn walks(&self, program: &Program) -> bool {
        let spec = self.spec(program);
        spec.level.position_iteration().is_some() && spec.properties.ordered
    }

    /// The iterator as the paper writes it, `B2`, within its conversions.
    pub fn show(&self, program: &Program) -> String {
        let level = format!("{}{}", program.tensor(self.access.tensor).name, self.level + 1);
        self.conversions.iter().fold(level, |inner, conversion| format!("{conversion}({inner})"))
    }
}

impl fmt::Display for Conversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Conversion::Dedup => "dedup",
            Conversion::Fused => "fused",
        })
    }
}

/// How far each access is resolved by the loops around.
#[derive(Clone, Debug, Default)]
pub struct Frontier {
    /// The variables of the loops around, outermost first.
    pub bound: Vec<VariableId>,
    resolved: BTreeMap<Access, usize>,
}

impl Frontier {
    /// The number of levels of an access whose positions are known.
    pub fn resolved(&self, access: &Access) -> usize {
        self.resolved.get(access).copied().unwrap_or(0)
    }

    /// The iterators over the levels whose coordinates a loop over `v` around `body` makes known;
    /// `None` where one of them could be neither iterated nor located.
    pub fn iterators(
        &self,
        program: &Program,
        body: &Stmt,
        v: VariableId,
    ) -> Option<Vec<LevelIterator>> {
        let mut bound = self.bound.clone();
        bound.push(v);
        let known = program.space.known(&program.kernel, &bound);
        let mut iterators = Vec::new();
        for access in body.reads() {
            let level = self.resolved(access);
            let reaches = |level| {
                program.level_variable(access, level).filter(|variable| known.contains(variable))
            };
            let Some(variable) = reaches(level) else { continue };
            let spec = &program.tensor(access.tensor).format.levels[level];
            let drives = variable == v;
            if !drives && spec.level.locate().is_none() {
                return None;
            }
            let mut through = level;
            while reaches(through + 1).is_some() {
                through += 1;
                let below = &program.tensor(access.tensor).format.levels[through];
                if below.level.locate().is_none() && !is_implied(&program.kernel, access, through) {
                    return None;
                }
            }
            iterators.push(LevelIterator {
                access: access.clone(),
                level,
                through,
                drives,
                conversions: Vec::new(),
            });
        }
        Some(iterators)
    }

    /// The frontier within a loop over `v` with these iterators.
    pub fn bind(&self, v: VariableId, iterators: &[LevelIterator]) -> Frontier {
        let mut inner = self.clone();
        inner.bound.push(v);
        for iterator in iterators {
            inner.resolved.insert(iterator.access.clone(), iterator.through + 1);
        }
        inner
    }
}
