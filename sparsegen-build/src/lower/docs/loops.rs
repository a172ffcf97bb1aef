//! The description of the loops of a kernel.

use crate::concrete::Program;
use crate::concrete::space::{BlockSize, Definition};
use crate::coordinate::Coordinate;
use crate::iteration::iterator::LevelIterator;
use crate::iteration::lattice::{MergePoint, Set};
use crate::iteration::plan::{Loop, Plan};
use crate::iteration::resumed::{Order, Resumed};
use crate::notation::VariableId;

/// Describes the loops, outermost first.
pub(super) fn describe(program: &Program, plan: &Plan, loops: &mut Vec<String>) {
    match plan {
        Plan::Loop(inner) => {
            let Some(point) = inner.points.first() else {
                return inner.rest.into_iter().for_each(|rest| {
                    describe(program, &inner.bodies[rest], loops);
                });
            };
            let phrase = phrase(program, inner, point);
            // A loop over a fixed coordinate without operands is none.
            let is_loop = !point.drivers.union(point.located).is_empty()
                || program.space.definition(inner.variable) != Some(&Definition::Fixed);
            if is_loop && !loops.contains(&phrase) {
                loops.push(phrase);
            }
            if let Some((_, outcome)) = point.cases.first() {
                describe(program, &inner.bodies[*outcome], loops);
            }
        }
        Plan::Where { consumer, producer, .. } => {
            describe(program, producer, loops);
            describe(program, consumer, loops);
        }
        Plan::Assign { .. } | Plan::Visit(_) => {}
        Plan::If { body, .. } => describe(program, body, loops),
        Plan::Sequence(plans) => {
            for plan in plans {
                describe(program, plan, loops);
            }
        }
    }
}

fn phrase(program: &Program, inner: &Loop, point: &MergePoint) -> String {
    let variable = &program.kernel.variable(inner.variable).name;
    let name = |k: usize| {
        let iterator = &inner.iterators[k];
        let sorted = if iterator.reorders() { " (sorted first)" } else { "" };
        format!("`{}`{sorted}", program.tensor(iterator.access.tensor).name)
    };
    let names = |set: Set| {
        let mut names: Vec<String> = set.members().map(name).collect();
        names.dedup();
        names.join(", ")
    };
    let (full, sparse): (Vec<_>, Vec<_>) =
        point.drivers.members().partition(|k| inner.iterators[*k].is_full(program));
    let sparse = Set::of(sparse);
    // The range is the same for all operands, also for those without an entry above.
    let bounds = |k: &usize| sparse.len() == 1 && inner.iterators[*k].bounds_loop(program);
    let bounding = sparse.members().find(bounds).and_then(|k| {
        let LevelIterator { access, level, .. } = &inner.iterators[k];
        program.level_variable(access, level - 1)
    });
    let entries = match (bounding, sparse.len(), inner.points.len()) {
        (Some(above), ..) => {
            format!("its range for each `{}`", program.kernel.variable(above).name)
        }
        (None, 0, _) => String::new(),
        (None, 1, _) => format!("the entries of {}", names(sparse)),
        (None, _, 1) if point.ended.is_empty() => {
            format!("the entries that {} share", names(sparse))
        }
        (None, _, _) => format!("the entries of {} merged", names(sparse)),
    };
    let mut how = match (entries.is_empty(), full.is_empty() && !point.by_dimension) {
        (true, _) => match inner.window(program) {
            Some(1) => "at most one coordinate".to_owned(),
            Some(width) => format!("at most {width} coordinates"),
            None => "its whole range".to_owned(),
        },
        (false, true) => entries,
        (false, false) => format!("its whole range and {entries}"),
    };
    if is_in_block(program, inner.variable) {
        how = format!("{} in the block", how.replace("its whole range", "its coordinates"));
    }
    let located = Set::of(
        point
            .located
            .members()
            .filter(|k| inner.iterators[*k].level + 1 == depth(program, inner, *k)),
    );
    if !located.is_empty() && !sparse.is_empty() {
        how.push_str(&format!(", {} located", names(located)));
    }
    if inner.order == Order::Backward {
        how.push_str(", backward");
    }
    if inner.rest.is_some() {
        how.push_str(", the rest of its range in one step");
    }
    if let Some(Resumed { around, .. }) = inner.resumes {
        let around = &program.kernel.variable(around).name;
        how.push_str(&format!(", resumed for each `{around}`"));
    }
    if let Some(blocks) = blocks(program, inner.variable) {
        return format!("`{variable}` over {blocks}");
    }
    match program.space.definition(inner.variable) {
        Some(Definition::Fixed) => {
            format!("{} at one coordinate", names(point.drivers.union(point.located)))
        }
        None => format!("`{variable}` over {how}"),
        Some(definition) => format!("`{variable}` ({}) over {how}", defined(program, definition)),
    }
}

/// Returns whether the loop over a variable runs within loops over blocks of its coordinates or
/// positions.
fn is_in_block(program: &Program, v: VariableId) -> bool {
    let around = program.basis.blocks_of(v).into_iter();
    let mut around = around.chain(program.space.blocks_over(&program.basis, v));
    around.any(|block| program.space.computed(block).is_some())
}

/// Returns the description of blocks of positions, if a variable counts them.
fn blocks(program: &Program, v: VariableId) -> Option<String> {
    let counted = program.space.positions_of(v)?;
    let (access, _) = program.space.counted_positions(&program.kernel, counted)?;
    let name = &program.tensor(program.kernel.passed_as(access.tensor)).name;
    Some(match program.space.computed(v) {
        Some(Coordinate::Div(_, BlockSize::Share(count))) => {
            format!("{count} blocks of the entries of `{name}`")
        }
        Some(_) => format!("blocks of the entries of `{name}`"),
        None => format!("all entries of `{name}`"),
    })
}

/// Returns the definition of a variable.
fn defined(program: &Program, definition: &Definition) -> String {
    let name = |v: &VariableId| &program.kernel.variable(*v).name;
    match definition {
        Definition::Computed(computed) => format!("`{}`", computed.show(name)),
        Definition::Positions(positions) => {
            let over = positions.over.iter().map(|v| format!("`{}`", name(v)));
            format!("the positions over {}", over.collect::<Vec<_>>().join(" and "))
        }
        Definition::Fused(a, b) => format!("`{}` and `{}` fused", name(a), name(b)),
        Definition::Slice(_) | Definition::Fixed => "a subrange of a mode".to_owned(),
        Definition::Slot(of) => format!("the slot of `{}`", program.tensor(*of).name),
    }
}

fn depth(program: &Program, inner: &Loop, member: usize) -> usize {
    program.tensor(inner.iterators[member].access.tensor).format.levels.len()
}
