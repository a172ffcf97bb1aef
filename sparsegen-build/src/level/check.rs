//! Checks of user-defined levels: descriptions must be consistent, and level functions must use
//! only the names that they are given.

use std::collections::BTreeSet;

use super::{Append, Below, Holds, Level, Property, Segment, Storage};
use crate::error::{Code, Diagnostic, quoted};
use crate::ir::{Expr, Stmt, Uses};
use crate::names::is_keyword;
use crate::types::{Dtype, Literal, Width};

/// Returns the diagnostic for a level that cannot be used, if it cannot.
pub(super) fn refusal(level: &dyn Level) -> Option<Diagnostic> {
    let wrong = contradictions(level);
    if wrong.is_empty() {
        return None;
    }
    let message = format!("the level `{}` cannot be used", level.name());
    let refusal = Diagnostic::unplaced(Code::InvalidLevel, message)
        .help("see the documentation of `level::Level`");
    Some(wrong.into_iter().fold(refusal, Diagnostic::note))
}

/// Returns the contradictions in the description of a level.
pub(crate) fn contradictions(level: &dyn Level) -> Vec<String> {
    let mut wrong = of_description(level);
    if wrong.is_empty() {
        wrong.extend(of_capabilities(level));
        wrong.extend(of_functions(level));
    }
    wrong
}

/// Returns whether each position of a level has a coordinate that depends on the position alone.
pub(crate) fn tells_by_position(level: &dyn Level) -> bool {
    level.position_iteration().is_some_and(|iteration| {
        let access = iteration.pos_access(&storage(level), position(), &ancestors(), NAME);
        let is_plain = access.prelude.is_empty() && access.found.is_none();
        is_plain && iteration.all_carried().is_empty()
    })
}

/// Returns whether a level is a list of coordinates: an array holds the coordinate of each
/// position, and every position is used.
pub(crate) fn is_list(level: &dyn Level) -> bool {
    tells_by_position(level)
        && level.position_iteration().is_some_and(|iteration| {
            let access = iteration.pos_access(&storage(level), position(), &ancestors(), NAME);
            matches!(access.value, Expr::Load { index, .. } if *index == position())
        })
}

/// Returns whether a level can store negative coordinates: an array holds them unchanged, and no
/// level function computes with them.
pub(crate) fn holds_signed(level: &dyn Level) -> bool {
    let loads = level.position_iteration().is_some_and(|iteration| {
        let access = iteration.pos_access(&storage(level), position(), &ancestors(), NAME);
        matches!(access.value, Expr::Load { .. })
    });
    loads && level.coordinate_iteration().is_none() && level.locate().is_none()
}

/// Checks names, types and fields.
fn of_description(level: &dyn Level) -> Vec<String> {
    let mut wrong = Vec::new();
    if !is_name(level.name()) {
        wrong.push("its name is not an identifier in snake case".to_owned());
    }
    let storage = level.storage("u32", "u32");
    if syn::parse_str::<syn::Type>(&storage).is_err() {
        wrong.push(format!("its storage `{storage}` is not a Rust type"));
    }
    let arrays = level.arrays();
    let carried = carried(level);
    let mut seen = BTreeSet::new();
    let fields = arrays.iter().map(|array| array.field);
    for field in fields.chain(level.numbers().iter().copied()).chain(carried.iter().copied()) {
        if !is_name(field) {
            wrong.push(format!("`{field}` is not an identifier in snake case"));
        }
        if !seen.insert(field) {
            wrong.push(format!("it has two fields or carried variables called `{field}`"));
        }
    }
    for array in arrays {
        if let Holds::Indices(of) = array.holds
            && !arrays.iter().any(|other| other.field == of)
        {
            let field = array.field;
            wrong
                .push(format!("`{field}` holds indices of `{of}`, which is not one of its arrays"));
        }
    }
    wrong
}

fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    let starts = letters.next().is_some_and(|first| first.is_ascii_lowercase());
    starts
        && letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !is_keyword(name)
}

/// Checks that properties and capabilities are compatible.
fn of_capabilities(level: &dyn Level) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut refuse = |condition: bool, reason: &str| {
        if condition {
            wrong.push(reason.to_owned());
        }
    };
    let properties = level.properties();
    let may_be = |property| level.settable().contains(&property);
    let by_coordinate = level.coordinate_iteration().is_some();
    match (by_coordinate, level.position_iteration()) {
        (false, None) => refuse(true, "it iterates neither by coordinate nor by position"),
        (true, Some(_)) => refuse(true, "it iterates both by coordinate and by position"),
        (true, None) => {
            refuse(!properties.ordered, "it iterates by coordinate but is not ordered");
            refuse(!properties.unique, "it iterates by coordinate but is not unique");
        }
        (false, Some(iteration)) => {
            let access = iteration.pos_access(&storage(level), position(), &ancestors(), NAME);
            let repeats = !properties.unique || may_be(Property::Nonunique);
            let full = properties.full || may_be(Property::Full);
            if access.found.is_some() {
                refuse(properties.compact, "it is compact, but positions may be unused");
                refuse(repeats, "positions may be unused, and coordinates may be repeated");
                refuse(full, "positions may be unused, and a map may declare it full");
            }
            let prelude = !access.prelude.is_empty();
            refuse(
                repeats && prelude,
                "`pos_access` has a prelude, and coordinates may be repeated",
            );
            let begins = iteration.all_begin(&storage(level), parent()).len();
            let carried = carried(level).len();
            if begins != carried {
                let reason =
                    format!("it carries {carried} variables, but `pos_begin` returns {begins}");
                refuse(true, &reason);
            }
        }
    }
    if level.insert().is_some() {
        let stores = !level.arrays().is_empty();
        refuse(stores && level.locate().is_none(), "it inserts but cannot locate");
        refuse(level.append().is_some(), "it both inserts and appends");
    }
    wrong
}

/// Checks that level functions use only names that they are given.
fn of_functions(level: &dyn Level) -> Vec<String> {
    let storage = storage(level);
    let mut check = Check { level, wrong: Vec::new() };
    let coordinate = || Expr::var(COORDINATE);
    if let Some(iteration) = level.coordinate_iteration() {
        let bounds = iteration.coord_bounds(&storage, parent(), &ancestors());
        check.values("coord_bounds", &[], [&bounds.start, &bounds.end]);
        let found = iteration.coord_access(&storage, parent(), coordinate(), NAME);
        check.values("coord_access", &found.prelude, found.found.iter().chain([&found.value]));
    }
    if let Some(iteration) = level.position_iteration() {
        let bounds = iteration.pos_bounds(&storage, Segment { start: parent(), end: position() });
        check.values("pos_bounds", &[], [&bounds.start, &bounds.end]);
        let found = iteration.pos_access(&storage, position(), &ancestors(), NAME);
        check.values("pos_access", &found.prelude, found.found.iter().chain([&found.value]));
        if let Some(groups) = iteration.groups() {
            let bounds = groups.group_bounds(&storage, parent());
            check.values("group_bounds", &[], [&bounds.start, &bounds.end]);
            let bounds = groups.group_positions(&storage, position());
            check.values("group_positions", &[], [&bounds.start, &bounds.end]);
        }
        check.values("pos_begin", &[], &iteration.all_begin(&storage, parent()));
        check.values("pos_next", &iteration.all_next(&storage, position(), coordinate()), []);
    }
    if let Some(locate) = level.locate() {
        let found = locate.locate(&storage, parent(), coordinate(), NAME);
        check.values("locate", &found.prelude, found.found.iter().chain([&found.value]));
    }
    if let Some(insert) = level.insert() {
        check.values("size", &[], [&insert.size(&storage, parent())]);
        let init = insert.insert_init(&storage);
        check.values("insert_init", &init, []);
        let extended = insert.insert_parents(&storage, parent());
        check.values("insert_parents", &extended, []);
        let below = below();
        let found = insert.insert_coord(&storage, parent(), coordinate(), &below, NAME);
        check.values("insert_coord", &found.prelude, [&found.value]);
        check.values("insert_finalize", &insert.insert_finalize(&storage, parent()), []);
    }
    if let Some(fill) = level.fill() {
        check.values("capacity", &[], fill.capacity().iter());
        check.values("fill_edges", &fill.fill_edges(&storage, position()), []);
        check.values("fill_positions", &fill.fill_positions(&storage, position()), []);
        let stored = fill.fill_coord(&storage, position(), coordinate());
        check.values("fill_coord", &stored, []);
        let below = below();
        let rest = fill.fill_rest(&storage, parent(), position(), &below, NAME);
        check.values("fill_rest", &rest, []);
        check.values("fill_sort", &fill.fill_sort(&storage), []);
    }
    if let Some(append) = level.append() {
        check.values("append_init", &append.append_init(&storage), []);
        check.values("append_coord", &append.append_coord(&storage, coordinate()), []);
        for parent in [None, Some(parent())] {
            check.values("append_edges", &append.append_edges(&storage, parent.clone()), []);
            check.values("append_finalize", &append.append_finalize(&storage, parent), []);
        }
        let count = append.count(&storage);
        let is_length = matches!(count, Expr::Len(_));
        check.values("count", &[], [&count]);
        if is_length != append.counts_by_length() {
            let reason = "`counts_by_length` contradicts `count`";
            check.wrong.push(reason.to_owned());
        }
    }
    check.wrong
}

/// The names that the level functions are given.
const NAME: &str = "p_given";
const POSITION: &str = "position_given";
const PARENT: &str = "parent_given";
const COORDINATE: &str = "coordinate_given";
const ANCESTOR: &str = "ancestor_given";
const SIZE: &str = "size_given";
const VALS: &str = "vals_given";

fn below() -> Below {
    Below {
        vals: VALS.to_owned(),
        each: Expr::var(SIZE),
        arrays: vec![(VALS.to_owned(), Expr::Value(Literal::Int(0), Dtype::F64))],
    }
}

fn parent() -> Expr {
    Expr::var(PARENT)
}

fn position() -> Expr {
    Expr::var(POSITION)
}

/// Returns a level that reads some coordinates of its ancestors takes them from the end of this
/// list.
fn ancestors() -> Vec<Expr> {
    vec![Expr::var(ANCESTOR); 12]
}

fn carried(level: &dyn Level) -> Vec<&'static str> {
    level.position_iteration().map_or_else(Vec::new, |iteration| iteration.all_carried())
}

fn storage(level: &dyn Level) -> Storage {
    let given = |field: &'static str| (field, format!("{field}_given"));
    Storage {
        arrays: level
            .arrays()
            .iter()
            .map(|array| array.field)
            .chain(scratch(level))
            .map(given)
            .collect(),
        numbers: level.numbers().iter().copied().map(given).collect(),
        carried: carried(level).into_iter().map(given).collect(),
        size: Expr::var(SIZE),
        below: Expr::Index(0),
        crd: Width::U32,
        offset: None,
    }
}

/// Returns the local arrays that a level needs to be assembled.
pub(crate) fn scratch(level: &dyn Level) -> Vec<&'static str> {
    let inserts = level.insert().into_iter().flat_map(|insert| insert.scratch());
    let scatters = level.append().and_then(Append::scatter).into_iter();
    inserts.chain(scatters.flat_map(|scatter| scatter.scratch())).copied().collect()
}

struct Check<'l> {
    level: &'l dyn Level,
    wrong: Vec<String>,
}

impl Check<'_> {
    /// Checks that statements and values use only names that are given or bound.
    fn values<'e>(
        &mut self,
        function: &str,
        stmts: &[Stmt],
        values: impl IntoIterator<Item = &'e Expr>,
    ) {
        let mut uses = Uses::of(stmts);
        values.into_iter().for_each(|value| uses.count_expr(value));
        let storage = storage(self.level);
        let fields = storage.arrays.iter().chain(&storage.numbers).chain(&storage.carried);
        let given = [NAME, POSITION, PARENT, COORDINATE, ANCESTOR, SIZE, VALS].map(str::to_owned);
        let mut known: BTreeSet<String> = fields.map(|(_, name)| name.clone()).collect();
        known.extend(given);
        for stmt in stmts {
            stmt.for_each(&mut |stmt| {
                if let Stmt::Let { name, .. } | Stmt::For { name, .. } = stmt {
                    if !name.starts_with(NAME) && !known.contains(name) {
                        let reason = format!(
                            "`{function}` binds `{name}`, which is not the given name with a suffix"
                        );
                        self.wrong.push(reason);
                    }
                    known.insert(name.clone());
                }
            });
        }
        let used = uses.read.keys().chain(uses.measured.keys()).chain(uses.written.keys());
        let unknown: BTreeSet<&str> =
            used.filter(|name| !known.contains(*name)).map(String::as_str).collect();
        if !unknown.is_empty() {
            let unknown: Vec<&str> = unknown.into_iter().collect();
            self.wrong.push(format!(
                "`{function}` uses {}, which the level does not declare and the function is not given",
                quoted(&unknown)
            ));
        }
    }
}
