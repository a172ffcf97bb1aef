//! Parts of the values of a result whose structure exists.
//!
//! A part of the outermost loop computes the values at the positions below its own coordinates of the
//! outermost level. These are consecutive: each level has the children of consecutive parents at
//! consecutive positions.

use super::Assembler;
use crate::concrete::Program;
use crate::concrete::parted::{Divides, Parted, Stores};
use crate::format::{Format, LevelSpec};
use crate::ir::{Descent, DescentStep, Expr, Stmt};
use crate::level::{Holds, Segment};
use crate::lower::Lowering;
use crate::lower::extents::{below_zero, expanded, signed};
use crate::lower::names::Names;

/// How the positions of a level follow from those of the level above.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follow {
    /// They are the coordinates of the outermost level.
    Coordinates,
    /// A search for a coordinate of the outermost level finds them.
    Search,
    /// They are the same.
    Same,
    /// An array has the first position of the children of each parent.
    Segments,
    /// Each parent has as many children.
    Each,
}

impl Assembler<'_> {
    /// Returns whether parts of the outermost loop can compute the values of all results whose
    /// structure exists: each result has the coordinates of a part at consecutive positions.
    pub(in crate::lower) fn divides_values(program: &Program, parted: &Parted) -> bool {
        let mut targets = program.targets.iter().zip(&parted.stores);
        parted.is_by_coordinate()
            && targets.all(|(target, stores)| {
                if !Assembler::can_compute(program, target) {
                    return true;
                }
                let format = &program.tensor(target.access.tensor).format;
                *stores == Stores::Apart
                    && matches!(parted.divides, Divides::Own | Divides::Blocks(_))
                    && program.level_variable(&target.access, 0) == Some(parted.divided())
                    && follows(format).is_some()
            })
    }

    /// Returns the statement that computes the first position of the values of a part.
    pub(super) fn begin_divided(&self) -> Option<Stmt> {
        let last = self.levels().len() - 1;
        let own = self.part_of(last)?;
        let first =
            if self.has_cursor() { self.first_below(last, self.cursor(0)) } else { own.start };
        Some(Stmt::bind(&self.first_name(), first))
    }

    /// Returns the index of a value at a position.
    pub(super) fn value_at(&self, position: Expr) -> Expr {
        match &self.divided {
            Some(_) => Expr::sub(position, Expr::var(&self.first_name())),
            None => position,
        }
    }

    /// Returns whether each part computes the values at its own coordinates, if the structure exists.
    pub(in crate::lower) fn is_divided(&self) -> bool {
        self.divided.is_some()
    }

    /// Returns the positions of a level below the coordinates of a part.
    pub(super) fn part_of(&self, level: usize) -> Option<Segment> {
        let own = self.divided.clone()?;
        let Segment { start, end } = match self.is_appended(0) {
            false => own,
            true => {
                let first = self.all_children(0, Expr::Index(0)).start;
                let start = self.search_first(first.clone(), own.start)?;
                let from = if self.has_cursor() { self.cursor(0) } else { first };
                Segment { start, end: self.search_first(from, own.end)? }
            }
        };
        let [start, end] = [start, end].map(|first| self.first_below(level, first));
        Some(Segment { start, end })
    }

    /// Returns whether a variable has the position in the outermost level. Coordinates that are looked
    /// up need no such variable.
    fn has_cursor(&self) -> bool {
        self.is_appended(0) && self.scattered != Some(0)
    }

    /// Returns the first position of the outermost level whose coordinate is at least a given one, of
    /// those from a position on.
    fn search_first(&self, from: Expr, coordinate: Expr) -> Option<Expr> {
        let array = self.storages[0].array(listed(self.levels())?);
        let end = self.all_children(0, Expr::Index(0)).end;
        Some(Expr::search(array, from, end, coordinate))
    }

    /// Returns the values that each part computes, if the structure exists.
    pub(in crate::lower) fn descent(&self, lowering: &Lowering<'_>) -> Option<Descent> {
        self.divided.as_ref()?;
        let follows = follows(self.format())?;
        let step = |(level, follow): (usize, &Follow)| {
            let array = |name: &str| self.arrays.iter().find(|array| array.name == name).cloned();
            let storage = &self.storages[level];
            Some(match follow {
                Follow::Coordinates | Follow::Same => return None,
                Follow::Search => DescentStep::Search {
                    array: array(storage.array(listed(self.levels())?))?,
                    below: expanded(
                        lowering.program,
                        &lowering.names,
                        below_zero(lowering.program, &lowering.names, self.variable(0)),
                    ),
                },
                Follow::Segments => {
                    let segments = self.levels()[level].level.position_iteration()?.segments()?;
                    DescentStep::Segments(array(storage.array(segments))?)
                }
                Follow::Each => {
                    let each = self.levels()[level].level.insert()?.size(storage, Expr::Index(1));
                    DescentStep::Each(expanded(lowering.program, &lowering.names, each))
                }
            })
        };
        // Below the last segments, each position has as many values.
        let last = follows.iter().rposition(|follow| is_stored(*follow));
        let above = follows.iter().enumerate().take(last.map_or(0, |last| last + 1));
        let steps = above.filter_map(step).collect();
        Some(Descent { result: self.program.tensor(self.target.tensor).argument.clone(), steps })
    }

    /// Returns the first position of a level below a position of the outermost level.
    fn first_below(&self, level: usize, outermost: Expr) -> Expr {
        let follows = follows(self.format()).unwrap_or_default();
        let levels = follows.iter().enumerate().take(level + 1);
        levels.fold(outermost, |first, (level, follow)| match follow {
            Follow::Coordinates | Follow::Search | Follow::Same => first,
            Follow::Segments => self.all_children(level, first).start,
            Follow::Each => match self.levels()[level].level.insert() {
                Some(insert) => insert.size(&self.storages[level], first),
                None => first,
            },
        })
    }

    fn format(&self) -> &Format {
        &self.program.tensor(self.target.tensor).format
    }

    /// Returns the name of the position of the first value of a part.
    fn first_name(&self) -> String {
        format!("{}_begin", self.argument)
    }
}

/// Returns the coordinates of a part in the outermost level of a result.
pub(super) fn coordinates(program: &Program, names: &Names, parted: &Parted) -> Segment {
    let (first, after) = names.divided(parted);
    let signed = |bound: &str| signed(program, names, parted.divided(), Expr::var(bound));
    Segment { start: signed(&first), end: signed(&after) }
}

/// Returns how the positions of each level follow from coordinates of the outermost level, if the
/// positions below consecutive ones are consecutive.
fn follows(format: &Format) -> Option<Vec<Follow>> {
    let levels = format.levels.iter().enumerate();
    let follows = levels.map(|(level, spec)| follow(level, spec)).collect::<Option<Vec<_>>>()?;
    let is_plain = format.placed().is_none();
    // The number of children of a level that is not full is not known before the call.
    let last = follows.iter().rposition(|follow| is_stored(*follow)).unwrap_or(0);
    let is_known =
        |(follow, spec): (&Follow, &LevelSpec)| *follow != Follow::Each || spec.properties.full;
    let is_counted = follows.iter().zip(&format.levels).take(last).all(is_known);
    (is_plain && is_counted).then_some(follows)
}

fn is_stored(follow: Follow) -> bool {
    matches!(follow, Follow::Search | Follow::Segments)
}

fn follow(level: usize, spec: &LevelSpec) -> Option<Follow> {
    let inserts = spec.level.insert().is_some();
    let has_segments = || spec.level.position_iteration()?.segments();
    if level == 0 {
        let is_searched = spec.properties.ordered && has_segments().is_some();
        return match inserts {
            true => spec.properties.full.then_some(Follow::Coordinates),
            false => is_searched.then_some(Follow::Search),
        };
    }
    if inserts {
        return Some(Follow::Each);
    }
    if spec.properties.branchless {
        return Some(Follow::Same);
    }
    has_segments().map(|_| Follow::Segments)
}

/// Returns the field with the coordinates of the outermost level.
fn listed(levels: &[LevelSpec]) -> Option<&'static str> {
    let mut arrays = levels.first()?.level.arrays().iter();
    arrays.find(|array| array.holds == Holds::Coordinates).map(|array| array.field)
}
